/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens one side of a comparison: a rule file, or rules from a pipe.  A pipe
 * stands for a file in the folder of the other side, so that its includes are
 * found there:
 *
 *	fastmatch diff <(git show HEAD:etc/site.rules) etc/site.rules
 *					read as etc/-
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "diff.h"
#include "options.h"
#include "sources.h"
#include "term.h"

bool
fm_diff_is_pipe(const char *path)
{
	struct stat st;

	return (strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)));
}

/* Returns the path of "-" in the folder of the other side, for free(). */
static char *
name_beside(const char *other)
{
	const char *slash = fm_diff_is_pipe(other) ? NULL :
	    strrchr(other, '/');
	char *name;

	if (asprintf(&name, "%.*s-", slash == NULL ? 0 :
	    (int)(slash + 1 - other), other) < 0)
		fm_cli_no_memory();
	return (name);
}

/* Returns sources that have the text of a pipe; NULL after an error. */
static struct fm_sources *
sources_of(const char *path, const char *name)
{
	FILE *pipe = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct fm_sources *sources;
	struct fm_source *source;
	struct fm_file *file;

	if (pipe == NULL) {
		fm_complain("fastmatch diff: can't read %s: %s", path,
		    strerror(errno));
		return (NULL);
	}
	file = fm_cli_read_all(pipe);
	if (pipe != stdin)
		(void)fclose(pipe);
	sources = fm_sources_new(true);
	source = sources == NULL ? NULL :
	    fm_sources_add(sources, name, false);
	if (source == NULL || fm_source_bytes(sources, source,
	    fm_text(file->bytes, file->len)) != 0)
		fm_cli_no_memory();
	/* The parser knows a file by its device and inode. */
	source->st.st_dev = (dev_t)-1;
	source->st.st_ino = 1;
	fm_file_free(&file);
	return (sources);
}

bool
fm_diff_open(struct fm_rules *rules, const char *path, const char *other)
{
	struct fm_sources *sources = NULL;
	const char *name = path;

	if (fm_diff_is_pipe(path)) {
		/* Places have the name to the end of the process. */
		name = name_beside(other);
		sources = sources_of(path, name);
		if (sources == NULL)
			return (false);
	}
	if (!fm_rules_open(rules, name, sources))
		(void)fm_rules_complain(rules, fm_given.json);
	if (sources != NULL)
		fm_sources_free(&sources);
	rules->path = path;
	return (rules->program != NULL);
}
