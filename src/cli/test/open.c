/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the rules of a group of cases: a rule file that the group names, or the
 * rules and files that stand between the cases.
 */

#include <stdlib.h>

#include "test.h"

/* Returns the path of a name in the folder of a file; for free(). */
static char *
path_beside(const char *file, const char *name)
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
 * Rules that stand between cases
 */

static void
source_add(struct fm_sources *sources, const char *path, struct fm_text bytes,
    ino_t number)
{
	struct fm_source *source = fm_sources_add(sources, path, false);

	if (source == NULL || fm_source_bytes(sources, source, bytes) != 0)
		fm_cli_no_memory();
	/* The parser knows a file by its device and inode. */
	source->st.st_dev = (dev_t)-1;
	source->st.st_ino = number;
}

/* Adds the rules, with empty lines for the lines that are before them. */
static void
main_add(struct fm_sources *sources, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	struct fm_text text = group->files->text;
	char *padded = fm_cli_alloc(group->line + text.len);

	memset(padded, '\n', group->line);
	if (text.len > 0)
		memcpy(padded + group->line, text.b, text.len);
	source_add(sources, cases->path,
	    fm_text(padded, group->line + text.len), 1);
	free(padded);
}

/* Takes `./` and `NAME/../` out of a path, in place. */
static void
path_resolve(char *path)
{
	char *at, *next, *name;

	for (at = path; *at != '\0'; at = next) {
		next = at + strcspn(at, "/");
		next += *next == '/';
		for (name = at; name > path && (name == at ||
		    name[-1] != '/'); name--)
			continue;
		if (strncmp(at, "./", 2) == 0)
			name = at;
		else if (strncmp(at, "../", 3) != 0 || name == at ||
		    *name == '/' || strncmp(name, "../", 3) == 0)
			continue;
		memmove(name, next, strlen(next) + 1);
		next = name;
	}
}

/* Adds the file after the rules that a path leads to; false: none does. */
static bool
file_add(struct fm_sources *sources, const struct fm_cases *cases,
    const struct fm_cases_group *group, const char *asked)
{
	char *path = fm_cli_copy(asked, strlen(asked)), *own;
	const struct fm_cases_file *file;
	ino_t number = 2;
	bool is = false;

	path_resolve(path);
	for (file = group->files->next; file != NULL && !is;
	    file = file->next, number++) {
		own = path_beside(cases->path, file->name);
		path_resolve(own);
		is = strcmp(own, path) == 0;
		free(own);
		if (is)
			source_add(sources, asked,
			    fm_text_or_empty(file->text), number);
	}
	free(path);
	return (is);
}

/*
 * Opens rules; their files stand after them, or are on the disk.  By which
 * names they ask for files is known once they were read: so they are read
 * again, with these, until no other name leads to a file after them.
 */
static void
open_text(struct fm_rules *rules, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	struct fm_sources *sources = NULL, *asked;
	const struct fm_source *source;
	bool more;

	do {
		asked = sources;
		sources = fm_sources_new(true);
		if (sources == NULL)
			fm_cli_no_memory();
		main_add(sources, cases, group);
		more = asked == NULL;
		for (source = more ? NULL : fm_sources_first(asked)->next;
		    source != NULL; source = source->next)
			if (!source->glob && file_add(sources, cases, group,
			    source->path) && source->st.st_dev != (dev_t)-1)
				more = true;
		if (asked != NULL)
			fm_sources_free(&asked);
		if (more) {
			fm_rules_close(rules);
			(void)fm_rules_open(rules, cases->path, sources);
		}
	} while (more);
	fm_sources_free(&sources);
}

/*--------------------------------------------------------------------
 * All rules
 */

/*
 * Returns a path whose folder is the real one: from there rules find their
 * files, also where their own name is a link.
 */
static char *
real_path(const char *path)
{
	char *folder = path_beside(path, "."), *real, *whole;

	real = realpath(folder, NULL);
	if (asprintf(&whole, "%s/%s", real == NULL ? folder : real,
	    basename(path)) < 0)
		fm_cli_no_memory();
	free(real);
	free(folder);
	return (whole);
}

struct fm_test_rules *
fm_test_rules_open(struct fm_test_rules **list, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	const char *instead = fm_option(FM_OPTION_RULES);
	struct fm_test_rules *rules;
	char *path = group->from != NULL && instead == NULL ?
	    path_beside(cases->path, group->from) :
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
		(void)fm_rules_open(&rules->rules, path, NULL);
	else
		open_text(&rules->rules, cases, group);
	if (rules->rules.program == NULL)
		(void)fm_rules_complain(&rules->rules, false);
	else
		fm_test_coverage_init(&rules->coverage,
		    rules->rules.program);
	return (rules);
}
