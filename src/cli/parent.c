/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the rule file that includes another one (parent.h).
 */

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bounds.h"
#include "cli.h"
#include "file.h"
#include "parent.h"
#include "parse.h"
#include "term.h"

#define FOLDERS		3	/* that are searched for a parent */
#define FILES_EACH	64	/* rule files that are tried in each folder */
#define ROOTS_UP	16	/* includes of includes that are followed */

/* Returns false if a file has no include: the parser takes longer to tell. */
static bool
has_include(const char *path)
{
	int error;
	struct fm_file *file = fm_file_try(path, FM_LIMIT_FILE_MB << 20,
	    &error);
	bool has = file != NULL && memmem(file->bytes, file->len, "include",
	    7) != NULL;

	if (file != NULL)
		fm_file_free(&file);
	return (has);
}

bool
fm_parent_includes(const char *parent, const char *path,
    fm_parent_sources_f *make, const void *priv)
{
	const struct fm_source_file *file;
	struct stat st = { .st_ino = 0 };
	struct fm_sources *sources;
	struct fm_model *model;
	bool includes = false;

	if (make == NULL && !has_include(parent))
		return (false);
	(void)stat(path, &st);
	sources = make == NULL ? NULL : make(priv);
	model = fm_parse_file(parent, sources, NULL);
	/* The first file is the parent itself. */
	file = model == NULL || model->files == NULL ? NULL :
	    model->files->next;
	for (; file != NULL; file = file->next)
		if (strcmp(file->name, path) == 0 ||
		    (file->ino == st.st_ino && file->dev == st.st_dev))
			includes = true;
	if (model != NULL)
		fm_model_free(&model);
	if (sources != NULL)
		fm_sources_free(&sources);
	return (includes);
}

/*--------------------------------------------------------------------
 * Folders
 */

/* Returns a pattern for glob() in a folder, for free(). */
static char *
pattern_in(const char *path, size_t folder, const char *pattern)
{
	char *b, *to;

	b = to = fm_cli_alloc(2 * folder + strlen(pattern) + 1);
	for (; folder > 0; folder--, path++) {
		if (strchr("*?[]{}\\", *path) != NULL)
			*to++ = '\\';
		*to++ = *path;
	}
	memcpy(to, pattern, strlen(pattern) + 1);
	return (b);
}

void
fm_pattern_files(glob_t *found, const char *path, size_t len,
    const char * const *pattern)
{
	int append = 0;
	char *whole;

	*found = (glob_t){ .gl_pathc = 0 };
	for (; *pattern != NULL; pattern++) {
		whole = pattern_in(path, len, *pattern);
		if (glob(whole, append, NULL, found) == 0)
			append = GLOB_APPEND;
		free(whole);
	}
}

/* Returns true if the last part of a folder is this, as "./" of "a/./". */
static bool
ends_in(const char *folder, size_t len, const char *part)
{
	size_t n = strlen(part);

	return (len >= n && memcmp(folder + len - n, part, n) == 0 &&
	    (len == n || folder[len - n - 1] == '/'));
}

/*
 * Changes the name of a folder, which is empty or ends in a slash, to that of
 * the folder above: "a/b/" to "a/", "" to "../".  Returns false for "/".  The
 * buffer has room for three bytes more.
 */
static bool
folder_up(char *folder)
{
	size_t len = strlen(folder);

	while (ends_in(folder, len, "./"))
		len -= 2;
	if (len == 0 || ends_in(folder, len, "../")) {
		memcpy(folder + len, "../", sizeof "../");
		return (true);
	}
	while (len > 0 && folder[len - 1] == '/')
		len--;
	if (len == 0)
		return (false);
	while (len > 0 && folder[len - 1] != '/')
		len--;
	folder[len] = '\0';
	return (true);
}

/* Returns the path of a file in a folder that includes `path`, or NULL. */
static char *
parent_in(const char *folder, const char *path, fm_parent_sources_f *make,
    const void *priv)
{
	char *pattern = pattern_in(folder, strlen(folder), "*.rules");
	char *parent = NULL;
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (i = 0; i < found.gl_pathc && i < FILES_EACH &&
		    parent == NULL; i++)
			if (strcmp(found.gl_pathv[i], path) != 0 &&
			    fm_parent_includes(found.gl_pathv[i], path, make,
			    priv))
				parent = fm_cli_copy(found.gl_pathv[i],
				    strlen(found.gl_pathv[i]));
		globfree(&found);
	}
	free(pattern);
	return (parent);
}

/*--------------------------------------------------------------------
 * Parents
 */

/* Returns the path of a rule file that includes `path`, or NULL. */
static char *
parent_of(const char *path, fm_parent_sources_f *make, const void *priv)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash == NULL ? 0 : (size_t)(slash + 1 - path);
	char *folder = fm_cli_alloc(len + 3UL * FOLDERS + 1), *parent = NULL;
	unsigned n = 0;

	memcpy(folder, path, len);
	do
		parent = parent_in(folder, path, make, priv);
	while (parent == NULL && ++n < FOLDERS && folder_up(folder));
	free(folder);
	return (parent);
}

void
fm_parent_put(FILE *to, const char *path, const char *done, const char *root)
{
	fm_put_clean(to, fm_text_of(path), 0);
	fprintf(to, ": is %s as a part of ", done);
	fm_put_clean(to, fm_text_of(root), 0);
	fprintf(to, ", which includes it\n");
}

/* Follows at most ROOTS_UP includes, since files may include each other. */
char *
fm_parent_root(const char *path, fm_parent_sources_f *make, const void *priv)
{
	char *root = fm_cli_copy(path, strlen(path)), *parent;
	unsigned up;

	for (up = 0; up < ROOTS_UP &&
	    (parent = parent_of(root, make, priv)) != NULL; up++) {
		free(root);
		root = parent;
	}
	return (root);
}
