/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of subcommands and options.
 *
 * A help text is plain words, of which the manual page is made as well.
 */

#include "cli.h"
#include "options.h"

#define HELP	{ FM_OPTION_HELP, "help", NULL, false,			\
	"Says what the options are." }
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
	"error. Without this option, each one that they name is a warning." },
	{ FM_OPTION_MIN_HOSTS, "min-hosts", "N", false,
	"Fewer host patterns than this are an error: a list that was cut off "
	"by accident." },
	{ FM_OPTION_STRICT, "strict", NULL, false,
	"Warnings count as errors." },
	{ FM_OPTION_QUIET, "quiet", NULL, false,
	"Errors and warnings only, no line for a file without errors." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of lines." },
	HELP,
	LAST
};

static const struct fm_option explain_options[] = {
	{ FM_OPTION_URL, "url", "URL", true,
	"The URL: a path, or http://host/path, which gives the Host too. "
	"Needed." },
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
	{ FM_OPTION_BACKEND, "backend", "NAME", false,
	"A backend that the rules may use, again for each; another one is an "
	"error." },
	{ FM_OPTION_COLOR, "color", "WHEN", false,
	"Colours: auto (on a terminal, unless NO_COLOR is set), always or "
	"never." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of text." },
	HELP,
	LAST
};

static const struct fm_option bench_options[] = {
	{ FM_OPTION_LOG, "log", "LOG", true,
	"The requests of an access log instead of made-up ones." },
	{ FM_OPTION_HTTP, "http", "FILE", true,
	"The requests of a file, as clients send them, instead of made-up "
	"ones." },
	{ FM_OPTION_REQUESTS, "requests", "N", false,
	"How many requests to make up, or to take from the log at most; "
	"without this option 2000." },
	{ FM_OPTION_ROUNDS, "rounds", "N", false,
	"How many rounds to take the medians of; without this option 31." },
	{ FM_OPTION_SEED, "seed", "N", false,
	"Another seed makes up other requests; without this option 1." },
	{ FM_OPTION_COUNT, "count", "N", true,
	"Times nothing, but runs each request once and then 1 + N times, for "
	"valgrind's callgrind to count, and says what was decided." },
	{ FM_OPTION_BACKEND, "backend", "NAME", false,
	"A backend that the rules may use, again for each; another one is an "
	"error." },
	{ FM_OPTION_JSON, "json", NULL, false,
	"One JSON object instead of a table." },
	HELP,
	LAST
};

const struct fm_command fm_commands[] = {
	{ "check", "FILE...",
	"says what is wrong with rule files",
	check_options, fm_cli_check },
	{ "explain", "FILE --url URL",
	"says what the rules do with a request, and why",
	explain_options, fm_cli_explain },
	{ "bench", "FILE",
	"says what a request costs, by kind of statement",
	bench_options, fm_cli_bench },
	{ NULL, NULL, NULL, NULL, NULL }
};

const struct fm_command fm_program_command = {
	NULL, "COMMAND [ARGUMENT]...",
	"checks, explains and times fastmatch's rules",
	program_options, NULL
};
