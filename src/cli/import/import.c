/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch import`: reads a VCL, writes its vcl_recv as rules and what
 * remains as VCL (import.h), reports what stays VCL, and with --prove compares
 * both.
 */

#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"
#include "caret.h"
#include "cli.h"
#include "load.h"
#include "import.h"
#include "logs/logs.h"
#include "options.h"
#include "term.h"
#include "utf8.h"

/* The VCL has to be read once more, with less that becomes rules. */
#define AGAIN		(-1)
#define TRIES		3

/* Requests of --prove, at most: all are in memory before one is sent. */
#define PROVE_MAX	10000000

struct arguments {
	const char		*rules;		/* NULL: stdout */
	const char		*rest;		/* NULL: stdout */
	const char		*prove;		/* a log, a number, or NULL */
	char			*folder;	/* temporary; NULL: none */
};

/*--------------------------------------------------------------------
 * Reasons and notes
 */

/* Returns a text without controls, which fits a comment of one line. */
static const char *
remark(struct fm_import *im, const char *fmt, va_list ap)
{
	char text[400], *p;

	(void)vsnprintf(text, sizeof text, fmt, ap);
	for (p = text; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	fm_utf8_flatten(text);
	return (fm_import_printf(im, "%s", text));
}

bool
fm_import_refuse(struct fm_import *im, const struct fm_place *at,
    const char *fmt, ...)
{
	const struct fm_place nowhere = { .line = 0 };
	va_list ap;

	if (im->why == NULL) {
		va_start(ap, fmt);
		im->why = remark(im, fmt, ap);
		va_end(ap);
		im->why_at = at == NULL ? nowhere : *at;
	}
	return (false);
}

void
fm_import_note(struct fm_import *im, enum fm_import_note note, const char *fmt,
    ...)
{
	va_list ap;

	im->seen.notes |= (unsigned)note;
	if (im->seen.tells == NULL) {
		va_start(ap, fmt);
		im->seen.tells = remark(im, fmt, ap);
		va_end(ap);
	}
}

/*--------------------------------------------------------------------
 * The import
 */

/*
 * Sets the name of the object of /etc/varnish/site.rules: "site", or
 * "site_rules" if "site" is a word of VCL, or begins a name in this VCL.
 */
static void
object_name(struct fm_import *im)
{
	static const char * const words[] = {
		"acl", "backend", "ban", "bereq", "beresp", "call", "default",
		"false", "fastmatch", "hash_data", "if", "import", "include",
		"new", "now", "probe", "regsub", "regsuball", "req", "return",
		"set", "sub", "synthetic", "true", "unset", NULL
	};
	const char *slash = strrchr(im->rules_path, '/');
	const char *p = slash == NULL ? im->rules_path : slash + 1;
	const struct fm_vcl_token *token;
	char name[42] = "";
	bool taken;
	size_t n = 0;

	if (!isalpha((unsigned char)*p) || strncasecmp(p, "vcl", 3) == 0)
		name[n++] = 'r';
	for (; *p != '\0' && *p != '.' && n < 40; p++)
		name[n++] = isalnum((unsigned char)*p) ? *p : '_';
	taken = fm_text_is_one_of(fm_text_of(name), words);
	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++)
		taken |= token->kind == FM_VCL_NAME &&
		    fm_text_begins(token->text, name);
	im->object = fm_import_printf(im, "%s%s", name, taken ? "_rules" : "");
}

/* Returns false, and tells why, if a file must not be overwritten. */
static bool
may_write(const struct fm_import *im, const char *path)
{
	const char *why = fm_option(FM_OPTION_FORCE) != NULL ? NULL :
	    "exists: move it away, or write over it with --force";
	const struct fm_vcl_token *token = im->vcl.tokens;
	struct stat there, here;
	size_t i;

	if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
		return (true);
	for (i = 0; i < im->vcl.ntokens; i++)
		if ((i == 0 || token[i].at.name != token[i - 1].at.name) &&
		    stat(token[i].at.name, &here) == 0 &&
		    there.st_dev == here.st_dev && there.st_ino == here.st_ino)
			why = "is what is imported";
	if (why != NULL)
		fm_complain("fastmatch import: nothing is written, as '%s' %s",
		    path, why);
	return (why == NULL);
}

static bool
trouble(const char *verb, const char *what)
{
	fm_complain("fastmatch import: can't %s '%s': %s", verb, what,
	    strerror(errno));
	return (false);
}

/* Writes a file, or (`shown`) prints it. */
static bool
file_put(const struct fm_output *file, bool shown)
{
	bool good;
	FILE *to;

	if (shown) {
		printf("#### %s\n%s", file->path, file->text);
		return (true);
	}
	to = fopen(file->path, "we");
	if (to == NULL)
		return (trouble("write", file->path));
	good = fputs(file->text, to) >= 0;
	return ((fclose(to) == 0 && good) || trouble("write", file->path));
}

/* Writes the files, or prints those without a name; `rest` is the VCL. */
static bool
write_all(struct fm_import *im, const struct arguments *arguments,
    const char *rest)
{
	const struct fm_output vcl = { .path = arguments->rest == NULL ? "VCL" :
	    arguments->rest, .text = rest };
	const struct fm_output *file;
	bool good = true;

	for (file = im->files; arguments->rules != NULL && file != NULL;
	    file = file->next)
		if (!may_write(im, file->path))
			return (false);
	if (arguments->rest != NULL && !may_write(im, arguments->rest))
		return (false);
	for (file = im->files; good && file != NULL; file = file->next)
		good = file_put(file, arguments->rules == NULL);
	return (good && ((arguments->rest == NULL && arguments->rules !=
	    NULL) || file_put(&vcl, arguments->rest == NULL)));
}

/* Returns true for `pass;`, where VCL of version 4 has `return (pass);`. */
static bool
is_statement_of_3(const struct fm_vcl_token *token)
{
	static const char * const alone[] = { "pass", "pipe", "lookup",
	    "deliver", "fetch", "hash", "restart", "hit_for_pass", "esi",
	    NULL };
	static const char * const before[] = { "{", "}", ";", NULL };

	return (fm_text_is_one_of(token[-1].text, before) &&
	    (fm_text_is(token->text, "error") ||
	    fm_text_is(token->text, "purge") ||
	    (fm_text_is_one_of(token->text, alone) &&
	    fm_text_is(token[1].text, ";"))));
}

/*
 * Returns the first token that only VCL of version 3 has; NULL: there is none,
 * or the VCL says that it is of another version.
 */
static const struct fm_vcl_token *
version_3(const struct fm_vcl_tree *vcl)
{
	static const char * const words[] = { "vcl_fetch", "vcl_error",
	    "req.request", "bereq.request", "req.backend", "remove",
	    "req.backend.healthy", "req.hash", "beresp.cacheable",
	    "obj.cacheable", "purge_url", "purge_hash", NULL };
	const struct fm_vcl_token *token = vcl->tokens;
	bool in_hash = false;

	if (fm_text_is(token->text, "vcl"))
		return (fm_text_begins(token[1].text, "3") ? token + 1 : NULL);
	for (; token->kind != FM_VCL_END; token++) {
		if (token->kind != FM_VCL_NAME || token == vcl->tokens)
			continue;
		if (fm_text_is(token[-1].text, "sub"))
			in_hash = fm_text_is(token->text, "vcl_hash");
		/* In vcl_hash, `return (lookup)` is of version 4. */
		if (fm_text_is_one_of(token->text, words) ||
		    is_statement_of_3(token) || (!in_hash &&
		    fm_text_is(token->text, "lookup") &&
		    fm_text_is(token[-1].text, "(")))
			return (token);
	}
	return (NULL);
}

/* Returns an exit status, or AGAIN: nothing is written. */
static int
import(struct fm_import *im, const struct arguments *arguments)
{
	const struct fm_vcl_token *old;
	const char *rules = arguments->rules == NULL ? "site.rules" :
	    arguments->rules;
	bool had_none = im->no_subs;
	const char *rest;
	char *cwd;

	if (!fm_vcl_read(&im->vcl, im->vcl_path))
		return (FM_EXIT_ERRORS);
	old = version_3(&im->vcl);
	if (old != NULL)
		fm_diag_error(im->vcl.diag, &old->at, "'%.*s' is VCL of "
		    "version 3, which import does not read: bring the file to "
		    "version 4 first, with 'vcl 4.0;' at its top",
		    FM_ARG(old->text));
	if (old != NULL || !fm_vcl_parse(&im->vcl) ||
	    !fm_vcl_check_calls(&im->vcl))
		return (FM_EXIT_ERRORS);
	if (fm_import_is_empty_vcl(im)) {
		fm_diag_error(im->vcl.diag, &im->vcl.tokens[0].at,
		    "there is no sub in it that becomes rules");
		return (FM_EXIT_ERRORS);
	}
	/* varnishd has another working directory: the path is absolute. */
	cwd = *rules == '/' ? NULL : getcwd(NULL, 0);
	im->rules_path = cwd == NULL ? rules :
	    fm_import_printf(im, "%s/%s", cwd, rules);
	free(cwd);
	object_name(im);
	rest = fm_import_rest(im);
	if ((im->headers && im->no_headers) || (im->no_subs && !had_none))
		return (AGAIN);
	return (rest != NULL && write_all(im, arguments, rest) ? FM_EXIT_OK :
	    FM_EXIT_ERRORS);
}

/* Prints the reasons of a sub's units that stay VCL. */
static void
report_kept(const struct fm_import_unit *kept, struct fm_caret *caret)
{
	char buf[FM_CARET_ROOM], where[FM_PLACE_LEN];
	const struct fm_place *told = NULL;

	for (; kept != NULL; kept = kept->next) {
		/* A statement that was cut is told once. */
		if (kept->rules != NULL || (told != NULL &&
		    kept->at.name == told->name &&
		    kept->at.line == told->line &&
		    kept->at.column == told->column))
			continue;
		told = &kept->at;
		fm_put_clean(stdout, fm_text_of(fm_place_print(&kept->at,
		    where)), 0);
		printf(": stays VCL: %s\n", kept->why);
		if (fm_caret_print(caret, NULL, &kept->at, buf))
			fputs(buf, stdout);
	}
}

static void
report_dangers(const struct fm_import *im, struct fm_caret *caret)
{
	char buf[FM_CARET_ROOM], where[FM_PLACE_LEN];
	const struct fm_import_danger *danger;

	for (danger = im->dangers; danger != NULL; danger = danger->next) {
		fm_put_clean(stdout, fm_text_of(fm_place_print(&danger->at,
		    where)), 0);
		printf(": dangerous: %s\n", danger->text);
		if (fm_caret_print(caret, NULL, &danger->at, buf))
			fputs(buf, stdout);
	}
}

static void
report(const struct fm_import *im, const struct arguments *arguments,
    bool written)
{
	struct fm_caret caret = { .name = NULL };
	unsigned phase;

	fm_cli_say(im->vcl.diag, true, im->vcl_path,
	    fm_text(NULL, 0), stderr);
	if (arguments->rules == NULL || !written ||
	    fm_option(FM_OPTION_QUIET) != NULL)
		return;
	report_kept(im->units, &caret);
	for (phase = FM_IN_HASH; phase < FM_IN__COUNT; phase++)
		report_kept(im->subs[phase].units, &caret);
	report_kept(im->failed.units, &caret);
	report_kept(im->called, &caret);
	report_dangers(im, &caret);
	if (im->obsolete != NULL)
		fputs(im->obsolete, stdout);
	fm_caret_fini(&caret);
	printf("%s: %u statement%s in %u rule file%s, %u stay%s VCL",
	    im->vcl_path, im->ntranslated, im->ntranslated == 1 ? "" : "s",
	    im->nfiles, im->nfiles == 1 ? "" : "s", im->nkept,
	    im->nkept == 1 ? "s" : "");
	if (im->nforeign > 0)
		printf(" (%u of them as rules have no such statement)",
		    im->nforeign);
	if (im->ndropped > 0)
		printf(", %u %s obsolete", im->ndropped, im->ndropped == 1 ?
		    "is" : "are");
	putchar('\n');
}

/*--------------------------------------------------------------------
 * --prove: another program compares both VCLs in a varnishd
 */

/* The exit status of a shell, and of env(1), that doesn't find a program. */
#define EXIT_NOT_FOUND	127

static bool
is_number(const char *s)
{
	return (s != NULL && s[strspn(s, "0123456789")] == '\0');
}

/* Makes a temporary folder, for files that the user doesn't want to keep. */
static bool
folder_make(struct fm_import *im, struct arguments *arguments)
{
	const char *tmp = getenv("TMPDIR");

	if (asprintf(&arguments->folder, "%s/fmi.XXXXXX",
	    tmp == NULL || *tmp != '/' ? "/tmp" : tmp) < 0)
		fm_cli_no_memory();
	if (mkdtemp(arguments->folder) == NULL)
		return (trouble("make", arguments->folder));
	if (arguments->rules == NULL)
		arguments->rules = fm_import_printf(im, "%s/site.rules",
		    arguments->folder);
	if (arguments->rest == NULL)
		arguments->rest = fm_import_printf(im, "%s/rest.vcl",
		    arguments->folder);
	return (true);
}

static void
folder_remove(struct arguments *arguments)
{
	DIR *dir = opendir(arguments->folder);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		(void)closedir(dir);
	(void)rmdir(arguments->folder);
	free(arguments->folder);
}

/* Writes a request: a line "GET /a", the header lines, and an empty line. */
static void
request_put(void *priv, struct fm_made_request *made, struct fm_where where)
{
	FILE *to = priv;
	size_t i;

	(void)where;
	fprintf(to, "%.*s %.*s\n", (int)made->method.len, made->method.b,
	    (int)made->url.len, made->url.b);
	for (i = 0; i < made->nfields; i++)
		fprintf(to, "%.*s\n", (int)(made->fields[i].e -
		    made->fields[i].b), made->fields[i].b);
	fputc('\n', to);
}

/* Writes the requests of a log into a file, for the program. */
static bool
log_put(const struct arguments *arguments, const char *path)
{
	static struct fm_logs logs;
	FILE *to;
	bool good;

	if (!fm_logs_open(&logs, "import", &arguments->prove, 1))
		return (false);
	to = fopen(path, "we");
	good = to != NULL && fm_logs_run(&logs, request_put, to);
	if (to == NULL || fclose(to) != 0)
		good = trouble("write", path);
	if (logs.unreadable > 0)
		printf("%ju line%s of the log can't be read\n",
		    (uintmax_t)logs.unreadable, logs.unreadable == 1 ? "" :
		    "s");
	return (good);
}

/* Runs the program that compares both VCLs; returns its exit status. */
static int
compare(const struct fm_import *im, const struct arguments *arguments,
    const char *requests)
{
	const char *path = getenv("FASTMATCH_PROVE");
	const char *seed = fm_option(FM_OPTION_SEED);
	const char *vmods = fm_option(FM_OPTION_VMODS);
	const char *old = fm_option(FM_OPTION_VARNISHD_OLD);
	int status = 0;
	pid_t pid;

	if (path == NULL || *path == '\0')
		path = fm_beside("src/cli/import/prove/prove",
		    FM_LIBEXECDIR "/prove");
	if (access(path, X_OK) != 0) {
		(void)trouble("run", path);
		fputs("fastmatch import: --prove takes this program: install "
		    "fastmatch whole, or let FASTMATCH_PROVE name it, as "
		    "SOURCE/src/cli/import/prove/prove\n", stderr);
		return (FM_EXIT_USAGE);
	}
	if (vmods == NULL)
		vmods = fm_beside("src/vmod/.libs", "");
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
#ifdef PR_SET_PDEATHSIG
		/* If this command is killed, no varnishd may be left. */
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
		(void)execl(path, path, im->vcl_path, arguments->rest, requests,
		    seed == NULL ? "1" : seed, vmods,
		    im->vcl.folders == NULL ? "" : im->vcl.folders,
		    im->well_formed ? "usual" : "", old == NULL ? "" : old,
		    (char *)NULL);
		(void)trouble("run", path);
		_exit(EXIT_NOT_FOUND);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		(void)trouble("run", path);
		return (FM_EXIT_USAGE);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_NOT_FOUND)
		return (WEXITSTATUS(status));
	if (WIFEXITED(status))
		fputs("fastmatch import: --prove takes Python 3: install "
		    "python3\n", stderr);
	return (FM_EXIT_USAGE);
}

/* Compares the new VCL and its rules with the old VCL, for an exit status. */
static int
prove(struct fm_import *im, const struct arguments *arguments)
{
	const struct fm_vcl_token *token;
	const char *requests = arguments->prove;
	char where[FM_PLACE_LEN];

	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++)
		if (token->kind == FM_VCL_C) {
			fm_put_clean(stderr, fm_text_of(fm_place_print(
			    &token->at, where)), 0);
			fputs(": --prove can't load a VCL with inline C, "
			    "which varnishd refuses unless it is told "
			    "otherwise: take it out of a copy of the VCL, "
			    "and prove that\n", stderr);
			return (FM_EXIT_USAGE);
		}
	if (!is_number(arguments->prove)) {
		requests = fm_import_printf(im, "%s/requests",
		    arguments->folder);
		if (!log_put(arguments, requests))
			return (FM_EXIT_USAGE);
	}
	return (compare(im, arguments, requests));
}

/*--------------------------------------------------------------------
 * The command
 */

/* Takes the command line; returns 0, or the exit status. */
static int
take_options(struct fm_import *im, struct arguments *arguments, int argc,
    char **argv)
{
	const char **folders;
	size_t i, n;

	arguments->rules = fm_option(FM_OPTION_OUTPUT);
	arguments->rest = fm_option(FM_OPTION_VCL);
	arguments->prove = fm_option(FM_OPTION_PROVE);
	im->well_formed = fm_option(FM_OPTION_WELL_FORMED) != NULL;
	folders = fm_option_all(FM_OPTION_VCL_PATH, &n);
	for (i = 0; i < n; i++)
		im->vcl.folders = i == 0 ? folders[0] : fm_import_printf(im,
		    "%s:%s", im->vcl.folders, folders[i]);
	if (arguments->prove != NULL && !HAVE_VARNISH)
		return (fm_cli_lacks(FM_CLI_MODULE));
	if (arguments->prove != NULL && is_number(arguments->prove) &&
	    fm_options_check(FM_OPTION_PROVE, 1, PROVE_MAX) != 0)
		return (FM_EXIT_USAGE);
	if (argc != 1)
		return (fm_options_usage(argc == 0 ?
		    "no file of VCL is given" : "one file of VCL at a time"));
	im->vcl_path = argv[0];
	if (arguments->rules != NULL && arguments->rest != NULL &&
	    strcmp(arguments->rules, arguments->rest) == 0)
		return (fm_options_usage("--output and --vcl are two files"));
	return (FM_EXIT_OK);
}

/* Begins once more, after a try, in the place after it. */
static struct fm_import *
again(struct fm_import *before)
{
	struct fm_import *im = before + 1;

	*im = (struct fm_import){
		.vcl = { .no_memory = fm_cli_no_memory,
		    .diag = before->vcl.diag, .folders = before->vcl.folders },
		.well_formed = before->well_formed,
		.vcl_path = before->vcl_path,
		.no_headers = before->no_headers, .no_subs = before->no_subs
	};
	return (im);
}

int
fm_cli_import(int argc, char **argv)
{
	struct fm_import tries[TRIES] = {
		{ .vcl.no_memory = fm_cli_no_memory }
	}, *done = tries;
	struct arguments arguments = { .rules = NULL };
	int status;

	status = take_options(done, &arguments, argc, argv);
	if (status != FM_EXIT_OK)
		return (status);
	done->vcl.diag = fm_cli_diag();
	if (arguments.prove != NULL) {
		/* A proof that finds a difference ends with 1. */
		fm_cli_trouble = FM_EXIT_USAGE;
		if (!folder_make(done, &arguments))
			return (FM_EXIT_USAGE);
	}
	status = import(done, &arguments);
	for (; status == AGAIN; status = import(done, &arguments))
		done = again(done);
	report(done, &arguments, status == FM_EXIT_OK);
	if (arguments.prove != NULL) {
		status = status == FM_EXIT_OK ? prove(done, &arguments) :
		    FM_EXIT_USAGE;
		folder_remove(&arguments);
	}
	fm_diag_free(&done->vcl.diag);
	for (; done > tries; done--)
		fm_vcl_fini(&done->vcl);
	fm_vcl_fini(&tries->vcl);
	return (status);
}
