/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the rules that cases name, or that stand between them with the files
 * that they name.
 */

#include <fnmatch.h>
#include <stdlib.h>

#include "test.h"

char *
fm_test_path(const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');
	size_t folder = slash == NULL || *name == '/' ? 0 :
	    (size_t)(slash - file) + 1;
	char *path = fm_cli_alloc(folder + strlen(name) + 1);

	memcpy(path, file, folder);
	memcpy(path + folder, name, strlen(name));
	return (path);
}

/*--------------------------------------------------------------------
 * Rules of a file of cases
 */

static void
source_add(struct fm_sources *sources, const char *path, bool glob,
    struct fm_text bytes, unsigned number)
{
	struct fm_source *source = fm_sources_add(sources, path, glob);

	if (source == NULL || fm_source_bytes(sources, source, bytes) != 0)
		fm_cli_no_memory();
	/* By these the parser tells files from each other. */
	source->st.st_dev = (dev_t)-1;
	source->st.st_ino = number;
}

/* Adds the rules, behind as many empty lines as there are before them. */
static void
main_add(struct fm_sources *sources, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	struct fm_text text = group->files->text;
	char *padded = fm_cli_alloc(group->line + text.len);

	memset(padded, '\n', group->line);
	if (text.len > 0)
		memcpy(padded + group->line, text.b, text.len);
	source_add(sources, cases->path, false,
	    fm_text(padded, group->line + text.len), 1);
	free(padded);
}

static int
by_bytes(const void *a, const void *b)
{
	const char * const *one = a, * const *two = b;

	return (strcmp(*one, *two));
}

/* Adds a glob, with those files of the group that it finds. */
static void
glob_add(struct fm_sources *sources, const struct fm_cases *cases,
    const struct fm_cases_group *group, const char *pattern)
{
	const struct fm_cases_file *file;
	struct fm_test_text found;
	char **paths = NULL;
	size_t i, n = 0, room = 0;

	for (file = group->files->next; file != NULL; file = file->next) {
		char *path = fm_test_path(cases->path, file->name);

		if (fnmatch(pattern, path, FNM_PATHNAME | FNM_PERIOD) == 0)
			*(char **)fm_cli_grow(&paths, n++, &room,
			    sizeof *paths) = path;
		else
			free(path);
	}
	if (n > 0)
		qsort(paths, n, sizeof *paths, by_bytes);
	fm_test_text_begin(&found);
	for (i = 0; i < n; i++) {
		(void)fwrite(paths[i], 1, strlen(paths[i]) + 1, found.to);
		free(paths[i]);
	}
	fm_test_text_end(&found);
	source_add(sources, pattern, true, fm_text(found.text, found.len), 0);
	free(found.text);
	free(paths);
}

/* Resolves `.` and `..` in a path, in place. */
static void
path_resolve(char *path)
{
	char *to = path, *from = path, *before;
	size_t len;

	for (; *from != '\0'; from += len) {
		len = strcspn(from, "/");
		len += from[len] == '/';
		for (before = to; before > path &&
		    (before == to || before[-1] != '/'); before--)
			continue;
		if (len == 2 && memcmp(from, "./", 2) == 0)
			continue;
		if (len == 3 && memcmp(from, "../", 3) == 0 && before < to &&
		    *before != '/' && (to - before != 3 ||
		    memcmp(before, "../", 3) != 0)) {
			to = before;
			continue;
		}
		memmove(to, from, len);
		to += len;
	}
	*to = '\0';
}

/* Adds the file of the group that a path leads to, if any does. */
static void
file_add(struct fm_sources *sources, const struct fm_cases *cases,
    const struct fm_cases_group *group, const char *asked)
{
	char *path = fm_cli_copy(asked, strlen(asked)), *own;
	const struct fm_cases_file *file;
	unsigned number = 2;
	bool is;

	path_resolve(path);
	for (file = group->files->next; file != NULL; file = file->next) {
		own = fm_test_path(cases->path, file->name);
		path_resolve(own);
		is = strcmp(own, path) == 0;
		free(own);
		if (!is) {
			number++;
			continue;
		}
		source_add(sources, asked, false,
		    fm_text_or_empty(file->text), number);
		break;
	}
	free(path);
}

/*
 * Returns sources with the rules, and with the group's files by the names, and
 * the globs, by which they were asked for.
 */
static struct fm_sources *
sources_make(const struct fm_cases *cases, const struct fm_cases_group *group,
    const struct fm_sources *asked)
{
	struct fm_sources *sources = fm_sources_new(true);
	const struct fm_source *source;

	if (sources == NULL)
		fm_cli_no_memory();
	main_add(sources, cases, group);
	for (source = asked == NULL ? NULL : fm_sources_first(asked);
	    source != NULL; source = source->next)
		if (strcmp(source->path, cases->path) == 0)
			continue;
		else if (source->glob)
			glob_add(sources, cases, group, source->path);
		else
			file_add(sources, cases, group, source->path);
	return (sources);
}

static unsigned
count(const struct fm_sources *sources)
{
	const struct fm_source *source;
	unsigned n = 0;

	for (source = fm_sources_first(sources); source != NULL;
	    source = source->next)
		n++;
	return (n);
}

/*
 * By which names the rules ask for files is known once they were read: so they
 * are read again, with these, until there are no more.
 */
static void
open_text(struct fm_rules *rules, const struct fm_cases *cases,
    const struct fm_cases_group *group, const struct fm_backends *backends)
{
	struct fm_sources *sources = sources_make(cases, group, NULL), *more;
	unsigned known = 1;

	(void)fm_rules_open_from(rules, cases->path, backends, sources);
	while (group->files->next != NULL && count(sources) > known) {
		known = count(sources);
		more = sources_make(cases, group, sources);
		fm_sources_free(&sources);
		sources = more;
		fm_rules_close(rules);
		(void)fm_rules_open_from(rules, cases->path, backends,
		    sources);
	}
	fm_sources_free(&sources);
}

/*--------------------------------------------------------------------
 * All rules
 */

/*
 * Returns a path's folder as it really is, with the path's own last name: from
 * there rules find their files, also where the last name is a link.
 */
static char *
real_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? fm_cli_copy(".", 1) :
	    fm_cli_copy(path, (size_t)(slash - path) + 1);
	char *real = realpath(folder, NULL), *whole;

	if (asprintf(&whole, "%s/%s", real != NULL ? real : folder,
	    slash == NULL ? path : slash + 1) < 0)
		fm_cli_no_memory();
	free(real);
	free(folder);
	return (whole);
}

struct fm_test_rules *
fm_test_rules_open(struct fm_test_rules **list, const struct fm_cases *cases,
    const struct fm_cases_group *group, const char *instead,
    const struct fm_backends *backends)
{
	struct fm_test_rules *rules;
	char *path = group->from != NULL && instead == NULL ?
	    fm_test_path(cases->path, group->from) :
	    strdup(group->from != NULL ? instead : cases->path), *real;

	if (path == NULL)
		fm_cli_no_memory();
	real = real_path(path);
	for (; *list != NULL; list = &(*list)->next)
		if (group->from != NULL && (*list)->shared &&
		    strcmp((*list)->real, real) == 0) {
			free(path);
			free(real);
			return (*list);
		}
	rules = fm_cli_alloc(sizeof *rules);
	*list = rules;
	rules->main = path;
	rules->real = real;
	rules->name = strdup(group->from == NULL ? FM_CASES_MAIN :
	    basename(group->from));
	if (rules->name == NULL)
		fm_cli_no_memory();
	rules->shared = group->from != NULL;
	rules->skip = rules->shared ? 0 : group->line;
	if (rules->shared)
		(void)fm_rules_open(&rules->rules, path, backends);
	else
		open_text(&rules->rules, cases, group, backends);
	if (rules->rules.program == NULL)
		(void)fm_rules_complain(&rules->rules, false);
	else
		fm_test_coverage_init(&rules->coverage,
		    rules->rules.program);
	return (rules);
}

void
fm_test_rules_close(struct fm_test_rules **list)
{
	struct fm_test_rules *rules;

	while (*list != NULL) {
		rules = *list;
		*list = rules->next;
		fm_test_coverage_fini(&rules->coverage);
		fm_rules_close(&rules->rules);
		free(rules->main);
		free(rules->real);
		free(rules->name);
		free(rules);
	}
}
