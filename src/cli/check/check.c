/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch check`: reports the errors and warnings of rule files, as lines
 * with carets, as GitHub's annotations, or as JSON.
 */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lsp/lsp.h"
#include "bounds.h"
#include "check.h"
#include "cli.h"
#include "cost.h"
#include "hits.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "parent.h"
#include "parse.h"
#include "rules_load.h"
#include "shard.h"
#include "term.h"
#include "vcl_file.h"

/* A file that is checked: one that was given, or the root of some. */
struct checked {
	char			*root;
	json_t			*given;		/* the files that it includes */
};

/* How many errors and warnings all files together have. */
struct totals {
	unsigned		errors;
	unsigned		warnings;
	json_t			*files;		/* with --json */
	size_t			took[FM_CAP__COUNT];	/* with --cost */
};

/* An estimate of what varnishd needs for a file, in bytes. */
struct memory {
	unsigned		cpus;		/* of this machine */
	size_t			rules;
	size_t			hits;		/* counters of rules and hosts,
						 * all in use */
	size_t			responses;	/* more counters, if VCL lets
						 * them count */
};

/*
 * Warns of each backend, where neither --backend nor --vcl names any; at the
 * place where the rules have it first.
 */
static void
note_backends(const struct fm_program *program, struct fm_diag *diag)
{
	struct fm_place at;
	const char *name;
	uint32_t n;

	for (n = 0; n < fm_program_nbackends(program); n++) {
		name = fm_program_backend(program, n, &at);
		fm_diag_warning(diag, &at, "backend '%s' is not known here: "
		    "say --backend %s if VCL has it", name, name);
	}
}

/*--------------------------------------------------------------------
 * Reports
 */

/* Writes "2 lists", "1 list" or "no lists" into buf, and returns it. */
static const char *
print_count(char buf[64], size_t n, const char *noun)
{
	if (n == 0)
		(void)snprintf(buf, 64, "no %ss", noun);
	else
		(void)snprintf(buf, 64, "%zu %s%s", n, noun,
		    n == 1 ? "" : "s");
	return (buf);
}

/* Percent-encodes the bytes that would end a text for GitHub's runner. */
static void
put_escaped(const char *text, const char *special)
{
	char *clean = fm_term_clean(fm_text_of(text), 0);

	for (text = clean; *text != '\0'; text++)
		if (*text == '%' || strchr(special, *text) != NULL)
			printf("%%%02X", (unsigned)(unsigned char)*text);
		else
			putchar(*text);
	free(clean);
}

/*
 * Prints an annotation as GitHub's runner reads it:
 *
 *	::error file=a.rules,line=3,col=5,title=fastmatch check::what is wrong
 */
static void
put_annotation(const struct fm_diag_message *message)
{
	printf("::%s ", message->error ? "error" : "warning");
	if (message->at.name != NULL) {
		printf("file=");
		put_escaped(message->at.name, ":,");
		if (message->at.line > 0)
			printf(",line=%u", message->at.line);
		if (message->at.column > 0)
			printf(",col=%u", message->at.column);
		putchar(',');
	}
	printf("title=fastmatch check::");
	put_escaped(message->text, "");
	putchar('\n');
}

static void
put_annotations(const char *file, const struct fm_diag *diag)
{
	struct fm_diag_message message;
	unsigned n, all = fm_diag_errors(diag) + fm_diag_warnings(diag);

	for (n = 0; fm_diag_message(diag, n, &message); n++)
		put_annotation(&message);
	if (n < all) {
		fm_put_clean(stdout, fm_text_of(file), 0);
		printf(": and %u more\n", all - n);
	}
}

static void
put_summary(const char *file, const struct fm_model *model,
    const struct fm_diag *diag)
{
	char hosts[64], lists[64], maps[64], rulesets[64], warnings[64];

	fm_put_clean(stdout, fm_text_of(file), 0);
	printf(": %s, %s, %s, %s, no errors, %s\n",
	    print_count(hosts, model->nhosts, "host"),
	    print_count(rulesets, model->nrulesets, "ruleset"),
	    print_count(lists, model->nlists, "list"),
	    print_count(maps, model->nmaps, "map"),
	    print_count(warnings, fm_diag_warnings(diag), "warning"));
}

static void
memory_of(const struct fm_program *program, struct memory *memory)
{
	size_t nrules = fm_program_nrules(program);
	size_t nhosts = fm_program_hosts(program);
	uint32_t ncounters = fm_program_ncounters(program);
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	fm_shard_begin(cpus);
	memory->cpus = (unsigned)cpus;
	memory->rules = fm_program_bytes(program);
	memory->hits = fm_hits_room(nrules, nhosts, ncounters, false);
	memory->responses = fm_hits_room(nrules, nhosts, ncounters, true) -
	    memory->hits;
}

static void
put_memory(const char *file, const struct memory *memory)
{
	size_t all = memory->rules + memory->hits + memory->responses;

	fm_put_clean(stdout, fm_text_of(file), 0);
	printf(": %.1f MB of memory with %u CPU%s: %.1f MB for rules, %.1f MB "
	    "to count hits, %.1f MB to count responses (if vcl_deliver calls "
	    ".apply())\n", (double)all / 1e6, memory->cpus,
	    memory->cpus == 1 ? "" : "s", (double)memory->rules / 1e6,
	    (double)memory->hits / 1e6, (double)memory->responses / 1e6);
}

static json_t *
memory_json(const struct memory *memory)
{
	return (fm_json_of("cpus", fm_json_number(memory->cpus),
	    "rules_bytes", fm_json_number(memory->rules),
	    "hits_bytes", fm_json_number(memory->hits),
	    "responses_bytes", fm_json_number(memory->responses), NULL));
}

/* Prints which version each list is that says one; or adds them to an array. */
static void
put_versions(const struct fm_sources *sources, json_t *array)
{
	const struct fm_source *source = fm_sources_first(sources);

	for (; source != NULL; source = source->next) {
		if (source->error != 0 || *source->says.version == '\0')
			continue;
		if (array != NULL) {
			fm_json_add(array, fm_json_of(
			    "path", fm_json_string(source->path),
			    "version", fm_json_string(source->says.version),
			    "date", fm_json_string(source->says.date), NULL));
			continue;
		}
		fm_put_clean(stdout, fm_text_of(source->path), 0);
		printf(": version %s%s%s\n", source->says.version,
		    *source->says.date == '\0' ? "" : " of ",
		    source->says.date);
	}
}

static json_t *
file_json(const struct checked *checked, const struct fm_model *model,
    const struct fm_sources *sources, const struct fm_cost *cost,
    const struct memory *memory, const struct fm_diag *diag)
{
	json_t *versions = fm_json_array();

	json_t *object = fm_json_of("file", fm_json_string(checked->root),
	    "errors", fm_json_number(fm_diag_errors(diag)),
	    "warnings", fm_json_number(fm_diag_warnings(diag)), NULL);

	if (json_array_size(checked->given) > 0)
		fm_json_set(object, "given", json_incref(checked->given),
		    NULL);
	if (model != NULL)
		fm_json_set(object, "hosts", fm_json_number(model->nhosts),
		    "rulesets", fm_json_number(model->nrulesets),
		    "lists", fm_json_number(model->nlists),
		    "maps", fm_json_number(model->nmaps), NULL);
	put_versions(sources, versions);
	fm_json_set(object, "versions", versions, NULL);
	if (cost != NULL)
		fm_json_set(object, "sets", fm_cost_sets(cost),
		    "regexes", fm_cost_regexes(cost, diag), NULL);
	if (memory != NULL)
		fm_json_set(object, "memory", memory_json(memory), NULL);
	fm_json_set(object, "diagnostics", fm_json_diag(diag), NULL);
	return (object);
}

static struct fm_program *
load_text(struct fm_text text, const struct fm_check_options *options,
    struct fm_sources *sources, struct fm_model **modelp, struct fm_diag *diag)
{
	struct fm_model *model;

	model = fm_parse_text("-", text, sources, NULL, diag);
	*modelp = model;
	return (model == NULL ? NULL : fm_rules_compile(model, options, diag));
}

/*
 * Parses, checks and compiles a file ("-": the standard input, which becomes
 * *input).  Returns NULL if the diag has errors, or without memory.
 */
static struct fm_program *
load_file(const char *file, struct fm_file **input, struct fm_sources *sources,
    struct fm_model **modelp, struct fm_diag *diag)
{
	struct fm_check_options options = { .min_hosts =
	    fm_option_number(FM_OPTION_MIN_HOSTS, 0) };
	struct fm_program *program = NULL;
	struct fm_vcl_file *vcl;

	if (!fm_vcl_file_open(&vcl, &fm_given.backends, file, &options, diag))
		return (NULL);
	if (strcmp(file, "-") == 0) {
		*input = fm_cli_read(file, 0, diag);
		program = load_text(fm_text((*input)->bytes, (*input)->len),
		    &options, sources, modelp, diag);
	} else {
		program = fm_rules_load(file, &options, sources, modelp, diag);
	}
	if (program != NULL && vcl != NULL &&
	    !fm_vcl_file_calls(vcl, file, program, diag))
		fm_program_free(&program);
	if (*modelp != NULL && vcl != NULL)
		fm_vcl_file_advise(vcl, file, *modelp, diag);
	else if (program != NULL && fm_given.backends.n == 0)
		note_backends(program, diag);
	fm_vcl_file_close(&vcl);
	return (program);
}

/*
 * Says how to name the file that includes this one, if it uses a name that is
 * nowhere in it, nor one that is alike.  Files with `always` or `default` are
 * roots.
 */
static void
put_parent(const char *file, const struct fm_model *model,
    const struct fm_diag *diag)
{
	struct fm_diag_message message;
	unsigned n = 0;
	size_t len;
	char what[8];

	if (fm_option(FM_OPTION_PARENT) != NULL || strcmp(file, "-") == 0 ||
	    model == NULL || model->always != NULL ||
	    model->finally != NULL || model->otherwise != NULL)
		return;
	for (; fm_diag_message(diag, n, &message); n++) {
		len = strlen(message.text);
		if (message.error && message.text[len - 1] == '\'' &&
		    sscanf(message.text, "unknown %7s '", what) == 1 &&
		    (strcmp(what, "ruleset") == 0 ||
		    strcmp(what, "list") == 0 || strcmp(what, "map") == 0))
			break;
	}
	if (!fm_diag_message(diag, n, &message))
		return;
	fm_put_clean(stdout, fm_text_of(file), 0);
	printf(": no file *.rules in its folder or the two above includes it: "
	    "if another one does, name that by --parent FILE\n");
}

static void
check_file(const struct checked *checked, struct totals *totals)
{
	const char *file = checked->root;
	struct fm_file *input = NULL;
	struct fm_program *program;
	struct fm_model *model = NULL;
	struct memory memory, *wanted = NULL;
	struct fm_cost *cost = NULL;
	struct fm_sources *sources = fm_sources_new(false);
	struct fm_diag *diag;

	if (sources == NULL)
		fm_cli_no_memory();
	diag = fm_cli_diag();
	program = load_file(file, &input, sources, &model, diag);
	if (program == NULL && fm_diag_errors(diag) == 0)
		fm_cli_no_memory();
	if (fm_option(FM_OPTION_COST) != NULL && program != NULL)
		cost = fm_cost_new(model, diag);
	if (cost != NULL)
		fm_cost_add(cost, totals->took);
	if (fm_option(FM_OPTION_MEMORY) != NULL && program != NULL) {
		wanted = &memory;
		memory_of(program, wanted);
	}
	fm_diag_sort(diag, file);
	if (fm_given.json) {
		fm_json_add(totals->files, file_json(checked, model,
		    sources, cost, wanted, diag));
	} else {
		if (fm_given.format != NULL)
			put_annotations(file, diag);
		else
			fm_cli_say(diag, true, file, input == NULL ?
			    fm_text(NULL, 0) : fm_text(input->bytes,
			    input->len), stdout);
		if (fm_given.format == NULL && program == NULL &&
		    json_array_size(checked->given) == 0 &&
		    fm_option(FM_OPTION_QUIET) == NULL)
			put_parent(file, model, diag);
		if (program != NULL && fm_option(FM_OPTION_QUIET) == NULL) {
			put_summary(file, model, diag);
			put_versions(sources, NULL);
			if (wanted != NULL)
				put_memory(file, wanted);
			if (cost != NULL)
				fm_cost_print(cost, file, diag);
		}
	}
	totals->errors += fm_diag_errors(diag);
	totals->warnings += fm_diag_warnings(diag);
	if (cost != NULL)
		fm_cost_free(&cost);
	if (program != NULL)
		fm_program_free(&program);
	if (model != NULL)
		fm_model_free(&model);
	fm_sources_free(&sources);
	fm_diag_free(&diag);
	if (input != NULL)
		fm_file_free(&input);
}

/*--------------------------------------------------------------------
 * Roots
 */

static bool
is_same(const char *a, const char *b)
{
	struct stat sa, sb;

	return (strcmp(a, b) == 0 || (stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	    sa.st_ino == sb.st_ino && sa.st_dev == sb.st_dev));
}

/*
 * Returns the path of the file that is checked for a file: by --parent, or as
 * the language server finds it.  NULL: --parent doesn't include the file, as
 * stderr says.
 */
static char *
root_of(const char *file)
{
	const char *parent = fm_option(FM_OPTION_PARENT);

	if (parent == NULL)
		return (strcmp(file, "-") == 0 ? fm_cli_copy(file, 1) :
		    fm_parent_root(file, NULL, NULL));
	if (is_same(file, parent) || fm_parent_includes(parent, file, NULL,
	    NULL))
		return (fm_cli_copy(parent, strlen(parent)));
	if (access(parent, R_OK) != 0)
		fm_complain("fastmatch check: can't read --parent %s: %s",
		    parent, strerror(errno));
	else
		fm_complain("fastmatch check: --parent %s does not include %s: "
		    "name a file that does", parent, file);
	return (NULL);
}

/*
 * Finds the root of each file, and says which files are parts of it.  Returns
 * how many roots there are; 0: --parent is wrong.
 */
static size_t
find_roots(struct checked *checked, char **files, int nfiles)
{
	size_t n = 0, i;
	char *root;
	int f;

	for (f = 0; f < nfiles; f++) {
		root = root_of(files[f]);
		if (root == NULL)
			return (0);
		for (i = 0; i < n && !is_same(checked[i].root, root); i++)
			continue;
		if (i == n)
			checked[n++] = (struct checked){ fm_cli_copy(root,
			    strlen(root)), fm_json_array() };
		if (!is_same(files[f], root)) {
			fm_json_add(checked[i].given,
			    fm_json_string(files[f]));
			if (!fm_given.json && fm_option(FM_OPTION_QUIET) ==
			    NULL)
				fm_parent_put(stdout, files[f], "checked",
				    root);
		}
		free(root);
	}
	return (n);
}

/*--------------------------------------------------------------------
 * For editors
 */

/* Returns true if there is an error, or with --strict a warning. */
static bool
is_bad(const json_t *messages)
{
	json_t *message;
	size_t i;

	json_array_foreach(messages, i, message)
		if (json_integer_value(json_object_get(message, "severity")) ==
		    1 || fm_option(FM_OPTION_STRICT) != NULL)
			return (true);
	return (false);
}

/* Returns the absolute path of a file, also of one that is missing. */
static char *
absolute(const char *path)
{
	char *real = realpath(path, NULL), *folder;

	if (real != NULL)
		return (real);
	if (*path == '/')
		return (fm_cli_copy(path, strlen(path)));
	folder = realpath(".", NULL);
	if (asprintf(&real, "%s/%s", folder == NULL ? "" : folder, path) < 0)
		fm_cli_no_memory();
	free(folder);
	return (real);
}

/*
 * Prints an object with the diagnostics of each file, by its URI, as the
 * language server publishes them; returns the exit status.
 */
static int
print_diagnostics(const struct checked *checked, size_t n)
{
	json_t *all = fm_json_object(), *files, *messages;
	int status = FM_EXIT_OK;
	const char *uri;
	char *root;
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(checked[i].root, "-") == 0)
			return (fm_options_usage("--format=lsp takes files, "
			    "not the standard input"));
		root = absolute(checked[i].root);
		files = fm_diagnostics_of(&fm_given.backends, root);
		json_object_foreach(files, uri, messages)
			if (is_bad(messages))
				status = FM_EXIT_ERRORS;
		if (json_object_update(all, files) != 0)
			fm_cli_no_memory();
		json_decref(files);
		free(root);
	}
	fm_json_print(all);
	return (status);
}

/*--------------------------------------------------------------------
 * The command
 */

static bool
is_format(const char *name)
{

	return (fm_given.format != NULL && strcmp(fm_given.format, name) == 0);
}

int
fm_cli_check(int argc, char **argv)
{
	struct totals totals = { .errors = 0 };
	bool good, cost = fm_option(FM_OPTION_COST) != NULL;
	struct checked *checked;
	json_t *object;
	size_t i, n;

	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (fm_given.format != NULL && !is_format("github") &&
	    !is_format("lsp"))
		return (fm_options_usage("--format takes github or lsp, not "
		    "'%s'", fm_given.format));
	if (fm_given.format != NULL && fm_given.json)
		return (fm_options_usage("--format or --json, not both"));
	/* Pointers take less room there than in varnishd. */
	if (fm_option(FM_OPTION_MEMORY) != NULL && !HAVE_PROCESSES)
		return (fm_cli_lacks(FM_CLI_PROCESSES));
	/* One object is all that is printed. */
	fm_given.json |= is_format("lsp");
	totals.files = fm_json_array();
	checked = fm_cli_alloc((size_t)argc * sizeof *checked);
	n = find_roots(checked, argv, argc);
	if (n == 0)
		return (FM_EXIT_ERRORS);
	if (is_format("lsp"))
		return (print_diagnostics(checked, n));
	for (i = 0; i < n; i++) {
		check_file(&checked[i], &totals);
		json_decref(checked[i].given);
		free(checked[i].root);
	}
	free(checked);
	good = totals.errors == 0 && (totals.warnings == 0 ||
	    fm_option(FM_OPTION_STRICT) == NULL);
	if (fm_given.json) {
		object = fm_json_of("ok", json_boolean(good),
		    "errors", fm_json_number(totals.errors),
		    "warnings", fm_json_number(totals.warnings),
		    "files", json_incref(totals.files), NULL);
		if (cost)
			fm_json_set(object, "account",
			    fm_cost_sum(totals.took), NULL);
		fm_json_print(object);
	} else if (cost && n > 1 && fm_option(FM_OPTION_QUIET) == NULL)
		fm_cost_print_sum(totals.took, (int)n);
	json_decref(totals.files);
	return (good ? FM_EXIT_OK : FM_EXIT_ERRORS);
}
