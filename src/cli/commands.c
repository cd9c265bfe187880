/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of subcommands and options: options.c reads command lines by it,
 * and prints it as --help, from which the manual page has it.
 *
 * A help text is plain English without markup, since it is used in both.
 */

#include "cli.h"
#include "options.h"

#define HELP	{ FM_OPTION_HELP, "help", NULL, false,			\
	"Says what the options are." }
#define LIMIT	{ FM_OPTION_MATCH_LIMIT, "match-limit", "N", false,	\
	"How many steps PCRE2 may take for a regex: varnishd's "	\
	"pcre2_match_limit, 10000 without this option. A regex that takes "\
	"more is undecided." }
#define VCL	{ FM_OPTION_VCL, "vcl", "FILE", true,			\
	"The VCL that loads the rules, instead of --backend: it gives names "\
	"to backends by .backend(), and another one is an error." }
#define BACKEND	{ FM_OPTION_BACKEND, "backend", "NAME", false,		\
	"A backend that the rules may use, again for each; another one is an "\
	"error." }
#define COLOR	{ FM_OPTION_COLOR, "color", "WHEN", false,		\
	"Colours: auto (on a terminal, unless NO_COLOR is set), always or "\
	"never." }
#define LAST	{ 0, NULL, NULL, false, NULL }

static const struct fm_option program_options[] = {
	HELP,
	{ FM_OPTION_VERSION, "version", NULL, false,
	"Says which version this is." },
	LAST
};

static const struct fm_option check_options[] = {
	{ FM_OPTION_BACKEND, "backend", "NAME", false,
	"A backend that the rules may use, again for each; another one is an "
	"error. Without this option and --vcl, each one that they name is a "
	"warning." },
	VCL,
	{ FM_OPTION_MIN_HOSTS, "min-hosts", "N", false,
	"Fewer host patterns than this are an error: a list that was cut off "
	"by accident." },
	{ FM_OPTION_STRICT, "strict", NULL, false,
	"Warnings count as errors." },
	{ FM_OPTION_QUIET, "quiet", NULL, false,
	"Errors and warnings only, no line for a file without errors." },
	{ FM_OPTION_COST, "cost", NULL, false,
	"Says, too, who decides the patterns of each set, what it takes to "
	"compile it, and which regexes are PCRE2's and why; and warns of those "
	"that take it long." },
	LIMIT,
	{ FM_OPTION_FORMAT, "format", "github", true,
	"Errors and warnings as GitHub takes them for annotations of a pull "
	"request, instead of lines." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of lines." },
	HELP,
	LAST
};

static const struct fm_option explain_options[] = {
	{ FM_OPTION_URL, "url", "URL", true,
	"The URL, if it is not behind the file: a path, or "
	"http://host/path, which gives the Host too." },
	{ FM_OPTION_HEADER, "header", "HEADER", false,
	"A header of the request, 'Name: value'; again for each." },
	{ FM_OPTION_HOST, "host", "HOST", true,
	"The Host header, as --header 'Host: HOST'." },
	{ FM_OPTION_METHOD, "method", "METHOD", true,
	"The method; without this option GET." },
	{ FM_OPTION_CLIENT, "client", "ADDRESS", true,
	"The client's IP address; without this option there is none, and no "
	"'client in' is true." },
	{ FM_OPTION_ESI, "esi", NULL, false,
	"It is an ESI sub-request: redirect and synth do nothing." },
	{ FM_OPTION_RAW, "raw", NULL, false,
	"The URL goes to the rules as it is, even with a scheme and a host." },
	BACKEND,
	VCL,
	COLOR,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text." },
	HELP,
	LAST
};

#define FORMAT	{ FM_OPTION_FORMAT, "format", "FORMAT", true,		\
	"The format that varnishncsa was given by its -F; without this "\
	"option combined or common." }
static const struct fm_option replay_options[] = {
	FORMAT,
	{ FM_OPTION_HTML, "html", "FILE", true,
	"Writes a report with plots, too, in one file that needs nothing "
	"else." },
	{ FM_OPTION_TOP, "top", "N", false,
	"How many rows of a list to show; without this option 20." },
	BACKEND,
	VCL,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text, with all rows." },
	HELP,
	LAST
};

static const struct fm_option diff_options[] = {
	{ FM_OPTION_LOG, "log", "LOG", false,
	"A log whose requests to compare, again for each. What stands behind "
	"OLD and NEW is a log, too." },
	FORMAT,
	{ FM_OPTION_TOP, "top", "N", false,
	"How many groups to show, and how many hosts of each; without this "
	"option 20." },
	BACKEND,
	VCL,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text, with all groups and hosts." },
	HELP,
	LAST
};

static const struct fm_option test_options[] = {
	{ FM_OPTION_RULES, "rules", "RULES", true,
	"The rules instead of those that the cases name: of a change that is "
	"not in place yet." },
	{ FM_OPTION_COVERAGE, "coverage", NULL, false,
	"Says, too, which statements and hosts of the rules no case reaches, "
	"and which tests of 'when' are never true or never false." },
	{ FM_OPTION_MIN_COVERAGE, "min-coverage", "N", false,
	"The same, and less than N percent of any rules is a failure." },
	{ FM_OPTION_JUNIT, "junit", "FILE", true,
	"Writes the XML that JUnit made usual, too, for continuous "
	"integration." },
	{ FM_OPTION_RECORD, "record", "LOG", true,
	"FILE is a file of rules: prints cases, made from the requests of a "
	"log (see LOGS), at which a rule does what it did not do before." },
	{ FM_OPTION_FORMAT, "format", "FORMAT", true,
	"Of --record: the format that varnishncsa was given by its -F; without "
	"this option combined or common." },
	BACKEND,
	VCL,
	COLOR,
	LIMIT,
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text." },
	HELP,
	LAST
};

static const struct fm_option lists_options[] = {
	{ FM_OPTION_FOLDER, "folder", "FOLDER", true,
	"The lists of this folder instead of the installed ones." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of a table." },
	{ FM_OPTION_FORCE, "force", NULL, false,
	"update: even where less than half of the networks are left." },
	HELP,
	LAST
};

static const struct fm_option import_options[] = {
	{ FM_OPTION_OUTPUT, "output", "RULES", true,
	"Where the rules go. Where VCL stands between rules, the next ones go "
	"to a file of their own: site.rules, site-2.rules and so on. Without "
	"this option all is printed." },
	{ FM_OPTION_VCL, "vcl", "REST", true,
	"Where the VCL goes that remains: what was not understood, and the "
	"calls of the rules." },
	{ FM_OPTION_FORCE, "force", NULL, false,
	"Writes over files that exist. Without this option nothing is written "
	"where --output, a further rule file or --vcl would." },
	{ FM_OPTION_VCL_PATH, "vcl-path", "FOLDERS", false,
	"Where files are that the VCL includes, with colons between the "
	"folders, or again for each: varnishd's vcl_path. Without this option "
	"beside the file that includes them, then /etc/varnish and "
	"/usr/share/varnish/vcl." },
	{ FM_OPTION_PROVE, "prove", "LOG|N", true,
	"Loads the VCL as it was, and the rules with the VCL that remains, "
	"into a varnishd, sends both the requests of a log (see LOGS), or so "
	"many that are made up from what the VCL asks for, and says in which "
	"they differ, and how many branches of the VCL they took. Without "
	"--output or --vcl these are not kept." },
	FORMAT,
	{ FM_OPTION_SEED, "seed", "N", false,
	"Another seed makes up other requests; without this option 1." },
	{ FM_OPTION_WELL_FORMED, "well-formed", NULL, false,
	"Takes rules, too, that are the same as the VCL for requests as "
	"clients mostly send them, as query drop is but for a parameter "
	"without a value, or one of which the VCL leaves a rest; the rule file "
	"says how. "
	"--prove makes up no such requests then." },
	{ FM_OPTION_VMODS, "vmods", "FOLDER", true,
	"Where --prove finds modules that are not in varnishd's vmod_path; "
	"they come first." },
	{ FM_OPTION_QUIET, "quiet", NULL, false,
	"Nothing of what stays VCL, and why." },
	HELP,
	LAST
};

static const struct fm_option fmt_options[] = {
	{ FM_OPTION_CHECK, "check", NULL, false,
	"Writes nothing; says which files are not as fmt writes them, with the "
	"first line that is not." },
	HELP,
	LAST
};

static const struct fm_option top_options[] = {
	{ FM_OPTION_NAME, "name", "WORKDIR", true,
	"The varnishd, as its own -n names it." },
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

static const struct fm_option lsp_options[] = {
	BACKEND,
	VCL,
	HELP,
	LAST
};

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
	replay_options, fm_cli_replay },
	{ "diff", "OLD NEW --log LOG...",
	"says which requests of logs other rules would decide otherwise",
	diff_options, fm_cli_diff },
	{ "lists", "[update LIST FROM]",
	"says which lists there are, or updates the networks of a bot",
	lists_options, fm_cli_lists },
	{ "import", "FILE.vcl",
	"makes rules of what VCL does in vcl_recv",
	import_options, fm_cli_import },
	{ "fmt", "FILE...",
	"writes rule files in the one way",
	fmt_options, fm_cli_fmt },
	{ "top", "",
	"shows which hosts, rules and verdicts a running varnishd has most of",
	top_options, fm_cli_top },
	{ "lsp", "",
	"serves editors: what is wrong, help, completion, definitions",
	lsp_options, fm_cli_lsp },
	{ NULL, NULL, NULL, NULL, NULL }
};

const struct fm_command fm_program_command = {
	NULL, "COMMAND [ARGUMENT]...",
	"checks, explains, tests and replays fastmatch's rules",
	program_options, NULL
};
