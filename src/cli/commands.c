/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of subcommands and options: options.c reads command lines by it,
 * and prints it as --help, from which the manual page has it.
 *
 * A help text is plain English without markup, since it is used in both.
 */

#include "config.h"

#include "cli.h"
#include "options.h"

#define HELP	{ FM_OPTION_HELP, "help", NULL, false,			\
	"Says what the options are." }
#define LIMIT	{ FM_OPTION_MATCH_LIMIT, "match-limit", "N", false,	\
	"How many steps PCRE2 may take for a regex: varnishd's "	\
	"pcre2_match_limit, 10000 without this option. A regex that takes "\
	"more is undecided." }
#define VCL	{ FM_OPTION_VCL, "vcl", "FILE", true,			\
	"The VCL that loads the rules: its calls of .backend() tell which "\
	"names of backends the rules may use, and its calls of .sub() "	\
	"which subs. Any other name, unless --backend gives it, is an "	\
	"error." }
#define BACKEND	{ FM_OPTION_BACKEND, "backend", "NAME", false,		\
	"The name of a backend that the rules may use; repeat the option for "\
	"each. Any other name is an error." }
#define COLOR	{ FM_OPTION_COLOR, "color", "WHEN", false,		\
	"Colours: auto (on a terminal, unless NO_COLOR is set), always or "\
	"never." }
#define LISTS	{ FM_OPTION_LISTS, "lists", "FOLDER", true,		\
	"The folder of the lists that rules name by 'from shipped'. Without "\
	"this option: the installed lists, or of a command that was built and "\
	"is not installed, those of its source." }
#define LAST	{ 0, NULL, NULL, false, NULL }

static const struct fm_option program_options[] = {
	HELP,
	{ FM_OPTION_VERSION, "version", NULL, false,
	"Says which version this is." },
	LAST
};

static const struct fm_option check_options[] = {
	{ FM_OPTION_BACKEND, "backend", "NAME", false,
	"The name of a backend that the rules may use; repeat the option for "
	"each. Any other name is an error. Without this option and --vcl there "
	"is a warning for each name." },
	VCL,
	LISTS,
	{ FM_OPTION_PARENT, "parent", "RULES", true,
	"The file that includes FILE, and is checked in its place. Without "
	"this option check looks for it. FILE itself is checked alone." },
	{ FM_OPTION_MIN_HOSTS, "min-hosts", "N", false,
	"It is an error if there are fewer host patterns than this: a list may "
	"have been cut off by accident." },
	{ FM_OPTION_STRICT, "strict", NULL, false,
	"Warnings count as errors." },
	{ FM_OPTION_QUIET, "quiet", NULL, false,
	"Errors and warnings only, no line for a file without errors, nor the "
	"path and version of each list that has one." },
	{ FM_OPTION_COST, "cost", NULL, false,
	"Also shows which engine decides the patterns of each set, what it "
	"takes to compile the set, and which regexes need PCRE2, and why. "
	"Warns about regexes that take PCRE2 long." },
	{ FM_OPTION_MEMORY, "memory", NULL, false,
	"Also estimates how much memory varnishd needs for the rules and their "
	"counters." },
	LIMIT,
	{ FM_OPTION_FORMAT, "format", "github|lsp", true,
	"github prints errors and warnings as annotations that GitHub shows in "
	"a pull request, instead of lines; lsp one JSON object with the "
	"diagnostics that the language server gives to editors, by the URI of "
	"each file." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of lines." },
	HELP,
	LAST
};

static const struct fm_option explain_options[] = {
	{ FM_OPTION_URL, "url", "URL", true,
	"The URL, if it does not follow the file: a path, or "
	"http://host/path, which also gives the Host." },
	{ FM_OPTION_HEADER, "header", "HEADER", false,
	"A header of the request, 'Name: value'; repeat the option for each." },
	{ FM_OPTION_HOST, "host", "HOST", true,
	"The Host header, as --header 'Host: HOST'." },
	{ FM_OPTION_METHOD, "method", "METHOD", true,
	"The method; without this option GET." },
	{ FM_OPTION_CLIENT, "client", "ADDRESS", true,
	"The client's IP address; without this option 127.0.0.1, as in the "
	"cases of fastmatch test." },
	{ FM_OPTION_ESI, "esi", NULL, false,
	"The request is an ESI sub-request: redirect and purge do nothing, nor "
	"do synth and answer of less than 400." },
	{ FM_OPTION_RESTARTS, "restarts", "N", true,
	"How often VCL has restarted the request; without this option 0." },
	{ FM_OPTION_RAW, "raw", NULL, false,
	"The URL goes to the rules as it is, even with a scheme and a host." },
	{ FM_OPTION_LOG, "log", "LOG", true,
	"A file that varnishlog -g raw -w wrote, with the request that --vxid "
	"names, as it came, and the response to it." },
	{ FM_OPTION_VXID, "vxid", "N", true,
	"The number of that request, the first one of its header X-Varnish; "
	"or of its fetch." },
	{ FM_OPTION_STATUS, "status", "STATUS", true,
	"Also shows what becomes of a response with this status: whether it "
	"is cached, and how it is delivered. With --response alone: 200." },
	{ FM_OPTION_RESPONSE, "response", "FIELD|-", false,
	"A header of the response, 'Name: value'; repeat the option for each. "
	"A - reads status and headers from the standard input, as curl -si "
	"prints them." },
	{ FM_OPTION_BACKGROUND, "background", NULL, false,
	"The response is that of a background fetch: the client has got a "
	"stale object." },
	{ FM_OPTION_PARAM, "param", "NAME=VALUE", false,
	"A parameter of varnishd that counts for responses, as "
	"default_ttl=60; repeat the option for each. Without this option: as "
	"varnishd starts." },
	{ FM_OPTION_PARAMS, "params", "FILE", true,
	"A file with the parameters that varnishadm param.show prints; - is "
	"the standard input." },
	{ FM_OPTION_AT, "at", "TIME", true,
	"When the response comes, a date of HTTP or seconds since 1970; "
	"without this option now." },
	BACKEND,
	VCL,
	LISTS,
	COLOR,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text." },
	HELP,
	LAST
};

#define FORMAT	{ FM_OPTION_FORMAT, "format", "FORMAT", true,		\
	"The format string that varnishncsa was given with -F. Without this "\
	"option lines are in the combined or the common format." }
static const struct fm_option replay_options[] = {
	FORMAT,
	{ FM_OPTION_OLD, "old", "RULES", true,
	"Rules to compare with: the cache is also simulated with these, and "
	"each hit rate stands before that of FILE. Without this option it is "
	"that of the log." },
	{ FM_OPTION_HTML, "html", "FILE", true,
	"Also writes a report with plots, as one HTML file that needs nothing "
	"else." },
	{ FM_OPTION_TOP, "top", "N", false,
	"How many rows of a list to show; without this option 20." },
	BACKEND,
	VCL,
	LISTS,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text, with all rows." },
	HELP,
	LAST
};

static const struct fm_option diff_options[] = {
	{ FM_OPTION_LOG, "log", "LOG", false,
	"A log of requests to compare; repeat the option for each. Logs may "
	"also follow OLD and NEW." },
	{ FM_OPTION_GIT, "git", "COMMIT", true,
	"Takes one file instead of OLD and NEW, and compares it with what it "
	"was in a commit of git, as HEAD~1, with the files that it includes; "
	"or the file that includes it." },
	FORMAT,
	{ FM_OPTION_TOP, "top", "N", false,
	"How many groups to show, and how many hosts of each; without this "
	"option 20." },
	BACKEND,
	VCL,
	LISTS,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text, with all groups and hosts." },
	HELP,
	LAST
};

static const struct fm_option test_options[] = {
	{ FM_OPTION_RULES, "rules", "RULES", true,
	"The rules to test, instead of those that the cases name: for a change "
	"that is not in place yet." },
	{ FM_OPTION_COVERAGE, "coverage", NULL, false,
	"Also shows which statements and hosts of the rules no case reaches, "
	"and which 'when' is never true or never false." },
	{ FM_OPTION_MIN_COVERAGE, "min-coverage", "N", false,
	"As --coverage, and fails if less than N percent of a rule file is "
	"reached." },
	{ FM_OPTION_JUNIT, "junit", "FILE", true,
	"Also writes a report as JUnit's XML, for continuous integration." },
	{ FM_OPTION_RECORD, "record", "LOG", true,
	"Prints cases for the rule file FILE: the requests of a log (see LOGS) "
	"in which a rule does something for the first time." },
	{ FM_OPTION_FORMAT, "format", "FORMAT", true,
	"With --record: the format string that varnishncsa was given with -F. "
	"Without this option lines are in the combined or the common format." },
	BACKEND,
	VCL,
	LISTS,
	COLOR,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text." },
	HELP,
	LAST
};

static const struct fm_option lists_options[] = {
	{ FM_OPTION_ACL, "acl", "LIST", true,
	"Prints a list of networks as an acl of VCL: a file (its path has a / "
	"or a dot), or by its name a list that comes with fastmatch." },
	{ FM_OPTION_FOLDER, "folder", "FOLDER", true,
	"The lists of this folder instead of the installed ones (of a command "
	"that was built and is not installed: those of its source)." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of a table." },
	{ FM_OPTION_FORCE, "force", NULL, false,
	"With update: writes the list even if fewer than half of the networks "
	"are left." },
	HELP,
	LAST
};

static const struct fm_option import_options[] = {
	{ FM_OPTION_OUTPUT, "output", "RULES", true,
	"The file for the rules. If VCL has to run between rules, the later "
	"rules go to further files: site.rules, site-2.rules and so on. "
	"Without this option the rules are printed." },
	{ FM_OPTION_VCL, "vcl", "REST", true,
	"The file for the VCL that remains: the statements that stay VCL, and "
	"the calls of the rules. Without this option the VCL is printed, but "
	"not if --output is given." },
	{ FM_OPTION_FORCE, "force", NULL, false,
	"Overwrites files that exist, but never one that is imported. Without "
	"this option nothing is written if one of the files to be written "
	"exists." },
	{ FM_OPTION_VCL_PATH, "vcl-path", "FOLDERS", false,
	"Folders in which included files are looked for, with colons between "
	"them as in varnishd's vcl_path; or repeat the option. The folder of "
	"the including file comes last. Without this option it comes first, "
	"then /etc/varnish and /usr/share/varnish/vcl." },
	{ FM_OPTION_PROVE, "prove", "LOG|N", true,
	"Loads the old VCL, and the rules with the VCL that remains, into a "
	"varnishd each, and sends to both the requests of a log (see LOGS), or "
	"N requests that are made up to suit the VCL. If the VCL has other "
	"subs than vcl_recv, N stories follow: requests, and what a backend "
	"answers. Shows the requests and stories for which they differ, and "
	"how much of the VCL was run. Files that --output and --vcl do not "
	"name are not kept." },
	{ FM_OPTION_VARNISHD_OLD, "varnishd-old", "FILE", true,
	"The varnishd that runs the old VCL for --prove, if the new one is for "
	"another release. Its varnishadm and varnishlog are beside it, or in "
	"../bin." },
	FORMAT,
	{ FM_OPTION_SEED, "seed", "N", false,
	"Another seed makes up other requests; without this option 1." },
	{ FM_OPTION_WELL_FORMED, "well-formed", NULL, false,
	"Also takes rules that differ from the VCL for unusual requests only: "
	"query drop, say, differs for a parameter without a value. Comments "
	"in the rule file name each difference. --prove then makes up no such "
	"requests." },
	{ FM_OPTION_VMODS, "vmods", "FOLDER", true,
	"A folder with modules for --prove; it comes before those of "
	"varnishd's vmod_path (for --varnishd-old, after them). Without this "
	"option a command that was built and is not installed takes the "
	"module beside it." },
	{ FM_OPTION_QUIET, "quiet", NULL, false,
	"Prints neither the statements that stay VCL nor their number." },
	HELP,
	LAST
};

static const struct fm_option fmt_options[] = {
	{ FM_OPTION_CHECK, "check", NULL, false,
	"Writes nothing; names the files that fmt would change, each with the "
	"first line that it would change." },
	HELP,
	LAST
};

static const struct fm_option top_options[] = {
	{ FM_OPTION_NAME, "name", "WORKDIR", true,
	"The varnishd, as its own -n names it." },
	{ FM_OPTION_FILTER, "filter", "TEXT", false,
	"Shows the hosts, rules and verdicts that contain the text, without "
	"regard to case. On the screen, / changes it." },
	{ FM_OPTION_ONCE, "once", NULL, false,
	"Counts for a while, prints all three tables, and ends." },
	{ FM_OPTION_SECONDS, "seconds", "N", false,
	"How long --once counts; without this option 10." },
	{ FM_OPTION_TOP, "top", "N", false,
	"How many rows of a table --once prints, at most 10000; without this "
	"option 20." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"As --once, but one JSON object instead of tables, with all rows." },
	HELP,
	LAST
};

static const struct fm_option why_options[] = {
	{ FM_OPTION_NAME, "name", "WORKDIR", true,
	"The varnishd whose log is read, as its own -n names it." },
	{ FM_OPTION_LOG, "log", "LOG", true,
	"A file of varnishlog -w instead of the log of a running varnishd; - "
	"is the standard input." },
	{ FM_OPTION_VXID, "vxid", "N", true,
	"The request of this number instead of the last one for a URL: the "
	"first number of X-Varnish, or that of a fetch." },
	{ FM_OPTION_RULES, "rules", "RULES", true,
	"The rule file that decides. Without this option it is the one that "
	"the module's lines in the log name, if it can be read." },
	BACKEND,
	VCL,
	LISTS,
	COLOR,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text." },
	HELP,
	LAST
};

static const struct fm_option lsp_options[] = {
	BACKEND,
	VCL,
	LISTS,
	HELP,
	LAST
};

static int
no_log(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return (fm_cli_lacks(FM_CLI_LOG));
}

static int
no_processes(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return (fm_cli_lacks(FM_CLI_PROCESSES));
}

#define WITH_LOG(run)		(HAVE_VSL ? (run) : no_log)
#define WITH_PROCESSES(run)	(HAVE_PROCESSES ? (run) : no_processes)

const struct fm_command fm_commands[] = {
	{ "check", "FILE...",
	"says what is wrong with rule files",
	check_options, fm_cli_check },
	{ "explain", "FILE URL",
	"says what the rules do with a request, and why",
	explain_options, fm_cli_explain },
	{ "test", "FILE.test...",
	"runs cases: requests, and what is expected of them",
	test_options, fm_cli_test },
	{ "replay", "FILE LOG...",
	"says what the rules would have done to the requests of logs",
	replay_options, WITH_PROCESSES(fm_cli_replay) },
	{ "diff", "OLD NEW --log LOG...",
	"says which requests of logs two rule files decide differently",
	diff_options, fm_cli_diff },
	{ "lists", "[update LIST FROM]",
	"says which lists there are, prints an acl, or updates a list",
	lists_options, fm_cli_lists },
	{ "import", "FILE.vcl",
	"translates a VCL into rules",
	import_options, fm_cli_import },
	{ "fmt", "FILE...",
	"formats rule files",
	fmt_options, fm_cli_fmt },
	{ "top", "",
	"shows the busiest hosts, rules and verdicts of a running varnishd",
	top_options, WITH_LOG(fm_cli_top) },
	{ "why", "URL",
	"says why a page was cached, or was not, from Varnish's log",
	why_options, WITH_LOG(fm_cli_why) },
	{ "lsp", "",
	"serves editors: what is wrong, help, completion, definitions",
	lsp_options, WITH_PROCESSES(fm_cli_lsp) },
	{ NULL, NULL, NULL, NULL, NULL }
};

const struct fm_command fm_program_command = {
	NULL, "COMMAND [ARGUMENT]...",
	"checks, explains, tests and replays fastmatch's rules",
	program_options, NULL
};
