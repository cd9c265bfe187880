/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch check`: reports the errors and warnings of rule files, as lines
 * with carets, as GitHub's annotations, or as JSON.
 */

#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "check.h"
#include "cli.h"
#include "cost.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "parse.h"
#include "rules_load.h"
#include "term.h"
#include "vcl_file.h"

/* How many errors and warnings all files together have. */
struct totals {
	unsigned		errors;
	unsigned		warnings;
	json_t			*files;		/* with --json */
	size_t			took[FM_CAP__COUNT];	/* with --cost */
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

static json_t *
file_json(const char *file, const struct fm_model *model,
    const struct fm_cost *cost, const struct fm_diag *diag)
{
	json_t *object = fm_json_of("file", fm_json_string(file),
	    "errors", fm_json_number(fm_diag_errors(diag)),
	    "warnings", fm_json_number(fm_diag_warnings(diag)), NULL);

	if (model != NULL)
		fm_json_set(object, "hosts", fm_json_number(model->nhosts),
		    "rulesets", fm_json_number(model->nrulesets),
		    "lists", fm_json_number(model->nlists),
		    "maps", fm_json_number(model->nmaps), NULL);
	if (cost != NULL)
		fm_json_set(object, "sets", fm_cost_sets(cost),
		    "regexes", fm_cost_regexes(cost, diag), NULL);
	fm_json_set(object, "diagnostics", fm_json_diag(diag), NULL);
	return (object);
}

static struct fm_program *
load_text(struct fm_text text, const struct fm_check_options *options,
    struct fm_model **modelp, struct fm_diag *diag)
{
	struct fm_sources *sources = fm_sources_new(false);
	struct fm_model *model;

	if (sources == NULL)
		fm_cli_no_memory();
	model = fm_parse_text("-", text, sources, NULL, diag);
	fm_sources_free(&sources);
	*modelp = model;
	return (model == NULL ? NULL : fm_rules_compile(model, options, diag));
}

/*
 * Parses, checks and compiles a file ("-": the standard input, which becomes
 * *input).  Returns NULL if the diag has errors, or without memory.
 */
static struct fm_program *
load_file(const char *file, struct fm_file **input, struct fm_model **modelp,
    struct fm_diag *diag)
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
		    &options, modelp, diag);
	} else {
		program = fm_rules_load(file, &options, NULL, modelp, diag);
	}
	if (*modelp != NULL && vcl != NULL)
		fm_vcl_file_advise(vcl, file, *modelp, diag);
	else if (program != NULL && fm_given.backends.n == 0)
		note_backends(program, diag);
	fm_vcl_file_close(&vcl);
	return (program);
}

static void
check_file(const char *file, struct totals *totals)
{
	struct fm_file *input = NULL;
	struct fm_program *program;
	struct fm_model *model = NULL;
	struct fm_cost *cost = NULL;
	struct fm_diag *diag;

	diag = fm_cli_diag();
	program = load_file(file, &input, &model, diag);
	if (program == NULL && fm_diag_errors(diag) == 0)
		fm_cli_no_memory();
	if (fm_option(FM_OPTION_COST) != NULL && program != NULL)
		cost = fm_cost_new(model, diag);
	if (cost != NULL)
		fm_cost_add(cost, totals->took);
	fm_diag_sort(diag, file);
	if (fm_given.json) {
		fm_json_add(totals->files, file_json(file, model, cost, diag));
	} else {
		if (fm_given.format != NULL)
			put_annotations(file, diag);
		else
			fm_cli_say(diag, true, file, input == NULL ?
			    fm_text(NULL, 0) : fm_text(input->bytes,
			    input->len), stdout);
		if (program != NULL && fm_option(FM_OPTION_QUIET) == NULL) {
			put_summary(file, model, diag);
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
	fm_diag_free(&diag);
	if (input != NULL)
		fm_file_free(&input);
}

/*--------------------------------------------------------------------
 * The command
 */

int
fm_cli_check(int argc, char **argv)
{
	struct totals totals = { .errors = 0 };
	const char *format = fm_given.format;
	bool good, cost = fm_option(FM_OPTION_COST) != NULL;
	json_t *object;
	int i;

	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (format != NULL && strcmp(format, "github") != 0)
		return (fm_options_usage("--format takes github, not '%s'",
		    format));
	if (format != NULL && fm_given.json)
		return (fm_options_usage("--format or --json, not both"));
	totals.files = fm_json_array();
	for (i = 0; i < argc; i++)
		check_file(argv[i], &totals);
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
	} else if (cost && argc > 1 && fm_option(FM_OPTION_QUIET) == NULL)
		fm_cost_print_sum(totals.took, argc);
	json_decref(totals.files);
	return (good ? FM_EXIT_OK : FM_EXIT_ERRORS);
}
