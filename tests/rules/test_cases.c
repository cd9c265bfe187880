/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the cases of tests/cases.  The compiled program, with a trace and
 * without, and the naive twin must decide alike; `fastmatch test` compares with
 * what a case expects.
 *
 * The arguments are names of files; without any, all files of the folder are
 * run.
 */

#include <assert.h>
#include <glob.h>
#include <sys/stat.h>

#include "../unit/folder.h"
#include "../unit/unit.h"
#include "agree.h"
#include "cases.h"
#include "file.h"
#include "rules_load.h"

#define PATH_LEN	512
#define FILE_MAX	(1UL << 20)

static struct fm_cases *files[100];
static int nfiles;

/*--------------------------------------------------------------------
 * Running
 */

struct rules {
	struct fm_model		*model;
	struct fm_program	*program;
	struct naive		*naive;
};

/* Writes a file, and makes the folders around it. */
static void
write_file(const struct fm_cases_file *file)
{
	char path[PATH_LEN], *slash = path;

	(void)snprintf(path, sizeof path, "%s", file->name);
	while ((slash = strchr(slash, '/')) != NULL) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash++ = '/';
	}
	folder_write_bytes(path, file->text.b, file->text.len);
}

/*
 * Returns true if rules have warnings exactly if their title declares them;
 * else prints what is wrong.
 */
static bool
warns_as_declared(const struct fm_cases *cases,
    const struct fm_cases_group *group, const struct fm_diag *diag)
{
	bool declared = fm_text_begins(group->title, FM_CASES_WARNED);
	bool warned = fm_diag_warnings(diag) > 0;
	struct fm_diag_message message;
	unsigned n;

	if (declared && !warned)
		fprintf(stderr, "%s:%u: no warning, and the title has "
		    "\"" FM_CASES_WARNED "\"\n", cases->path, group->line);
	for (n = 0; !declared && fm_diag_message(diag, n, &message); n++)
		if (!message.error)
			fprintf(stderr, "%s:%u: a warning, and the title has "
			    "no \"" FM_CASES_WARNED "\": %s\n", cases->path,
			    group->line, fm_diag_line(diag, n));
	return (declared == warned);
}

/* Makes the rules of a group; prints why, and returns false, if that fails. */
static bool
rules_make(struct rules *f, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	const struct fm_cases_file *file;
	struct fm_diag *diag = fm_diag_new();
	bool ok;
	unsigned n;

	ck_assert_ptr_null(group->from);
	folder_enter();
	for (file = group->files; file != NULL; file = file->next)
		write_file(file);
	f->program = fm_rules_load(FM_CASES_MAIN, NULL, NULL, &f->model,
	    diag);
	f->naive = f->program == NULL ? NULL : naive_new(f->model);
	if (f->program == NULL) {
		fprintf(stderr, "%s:%u: rules with errors:\n", cases->path,
		    group->line);
		for (n = 0; fm_diag_line(diag, n) != NULL; n++)
			fprintf(stderr, "    %s\n", fm_diag_line(diag, n));
	}
	ok = warns_as_declared(cases, group, diag) && f->program != NULL;
	fm_diag_free(&diag);
	return (ok);
}

static void
rules_end(struct rules *f)
{
	if (f->naive != NULL)
		naive_free(&f->naive);
	if (f->program != NULL)
		fm_program_free(&f->program);
	if (f->model != NULL)
		fm_model_free(&f->model);
	folder_leave();
}

/* Copies a view, each text in memory of its exact size. */
static struct fm_view
view_copy(const struct fm_view *view, struct fm_field *fields)
{
	struct fm_view copy = *view;
	struct fm_text t;
	unsigned i;

	copy.method = unit_copy(view->method);
	copy.url = unit_copy(view->url);
	for (i = 0; i < view->nfields; i++) {
		t = unit_copy(fm_text_span(view->fields[i].b,
		    view->fields[i].e));
		fields[i].b = t.b;
		fields[i].e = t.b + t.len;
	}
	copy.fields = fields;
	return (copy);
}

static void
view_free(struct fm_view *view)
{
	unsigned i;

	free((void *)(uintptr_t)view->method.b);
	free((void *)(uintptr_t)view->url.b);
	for (i = 0; i < view->nfields; i++)
		free((void *)(uintptr_t)view->fields[i].b);
}

/* Runs a case; returns true if the program and the twin disagree. */
static bool
run_case(const struct fm_cases *cases, const struct rules *f,
    const struct fm_case *one)
{
	struct fm_view view = fm_case_view(one);
	struct fm_field fields[AGREE_FIELDS];
	const struct fm_result *result;
	const struct naive_result *want;
	const char *wrong;
	struct fm_run run;

	if (!(one->engines & FM_CASES_CORE))
		return (false);
	ck_assert_uint_lt(view.nfields, AGREE_FIELDS);
	view = view_copy(&view, fields);
	want = naive_run(f->naive, f->program, &view);
	result = fm_run(&run, f->program, &view, NULL);
	wrong = agree(f->program, &view, want, result);
	if (wrong != NULL)
		fprintf(stderr, "%s:%u: %s (%.*s)\n", cases->path, one->line,
		    wrong, (int)one->title.len, one->title.b);
	fm_run_end(&run);
	view_free(&view);
	return (wrong != NULL);
}

/*
 * Runs all cases of a file; returns how many were wrong; *ran is how many ran.
 */
static unsigned
run_cases(const struct fm_cases *cases, unsigned *ran)
{
	const struct fm_cases_group *group;
	const struct fm_case *one;
	unsigned wrong = 0;
	struct rules f;

	*ran = 0;
	for (group = cases->groups; group != NULL; group = group->next) {
		memset(&f, 0, sizeof f);
		if (!rules_make(&f, cases, group))
			wrong++;
		for (one = f.program == NULL ? NULL : group->ones;
		    one != NULL; one = one->next) {
			wrong += run_case(cases, &f, one);
			++*ran;
		}
		rules_end(&f);
	}
	ck_assert_uint_gt(*ran, 0);
	return (wrong);
}

START_TEST(cases_are_decided_as_the_language_says)
{
	unsigned ran, wrong;

	wrong = run_cases(files[_i], &ran);
	ck_assert_msg(wrong == 0, "%s: %u of %u cases are wrong",
	    files[_i]->path, wrong, ran);
}
END_TEST

/*--------------------------------------------------------------------
 * Files
 */

/* Returns the file with each \*N{TEXT} written out. */
static struct fm_file *
read_expanded(const char *path, struct fm_diag *diag)
{
	struct fm_file *file = fm_file_read(path, FILE_MAX, NULL, diag), *out;
	char *text, *p, *end, *bytes = NULL;
	unsigned times;
	size_t len;
	FILE *to;
	int n;

	if (file == NULL)
		return (NULL);
	text = strndup(file->bytes, file->len);
	to = open_memstream(&bytes, &len);
	assert(text != NULL && to != NULL);
	for (p = text; *p != '\0'; p++) {
		n = 0;
		if (*p != '\\' ||
		    sscanf(p, "\\*%u{%n", &times, &n) < 1 || n == 0) {
			fputc(*p, to);
			continue;
		}
		end = strchr(p, '}');
		assert(end != NULL);
		while (times-- > 0)
			(void)fwrite(p + n, 1, (size_t)(end - p - n), to);
		p = end;
	}
	n = fclose(to);
	assert(n == 0);
	fm_file_free(&file);
	free(text);
	out = fm_file_new(len);
	assert(out != NULL);
	memcpy(out->bytes, bytes, len);
	out->len = len;
	free(bytes);
	return (out);
}

/* Reads cases; prints what is wrong, and returns NULL, if that fails. */
static struct fm_cases *
read_cases(const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_file *file = read_expanded(path, diag);
	struct fm_cases *cases;
	unsigned n;

	cases = file == NULL ? NULL : fm_cases_parse(path, file, diag);
	for (n = 0; fm_diag_line(diag, n) != NULL; n++)
		fprintf(stderr, "%s\n", fm_diag_line(diag, n));
	fm_diag_free(&diag);
	return (cases);
}

static bool
add_cases(const char *path)
{
	assert(nfiles < (int)(sizeof files / sizeof files[0]));
	files[nfiles] = read_cases(path);
	return (files[nfiles++] != NULL);
}

/* Reads the files that are named, or all files of tests/cases. */
static bool
read_all(int argc, char **argv, glob_t *found)
{
	static const char pattern[] = TOP_SRCDIR "/tests/cases/*.case";
	bool ok = true;
	size_t i;

	if (argc > 1) {
		for (i = 1; i < (size_t)argc; i++)
			ok = add_cases(argv[i]) && ok;
		return (ok);
	}
	if (glob(pattern, 0, NULL, found) != 0) {
		fprintf(stderr, "no cases: %s\n", pattern);
		return (false);
	}
	for (i = 0; i < found->gl_pathc; i++)
		ok = add_cases(found->gl_pathv[i]) && ok;
	return (ok);
}

int
main(int argc, char **argv)
{
	TCase *tc = tcase_create("cases");
	glob_t found;
	int i, status;

	memset(&found, 0, sizeof found);
	if (!read_all(argc, argv, &found))
		return (EXIT_FAILURE);
	tcase_add_loop_test(tc, cases_are_decided_as_the_language_says, 0,
	    nfiles);
	tcase_set_timeout(tc, 120);
	status = unit_run("cases", tc);
	for (i = 0; i < nfiles; i++)
		fm_cases_free(&files[i]);
	globfree(&found);
	return (status);
}
