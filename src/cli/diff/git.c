/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens a rule file as it is in a commit of git, with the files that it names.
 * The whole commit is written into a folder in $TMPDIR, with an index of its
 * own, so that globs and links lead to files of the commit; the repository and
 * its index stay as they are:
 *
 *	$TMPDIR/fastmatch-diff-XXXXXX/index
 *	$TMPDIR/fastmatch-diff-XXXXXX/tree/etc/site.rules	"etc/site.rules"
 *
 * The rules are loaded in there, from a folder in which the file has the path
 * that was given, if that is possible, so that places show this path.
 */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../child.h"
#include "diff.h"
#include "options.h"
#include "shipped.h"
#include "sources.h"
#include "term.h"

#define OUTPUT_MOST	((size_t)3 * PATH_MAX)	/* bytes: cdup and prefix */

static char * __attribute__((format(printf, 1, 2)))
print(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		fm_cli_no_memory();
	va_end(ap);
	return (text);
}

/*--------------------------------------------------------------------
 * Running git
 */

/*
 * Runs git in a folder; returns what it printed, for free(), or NULL after an
 * error.  Git tells the reason on stderr, and then `what` of `name` is told.
 */
static char *
git(const char *folder, const char *command, const char *a, const char *b,
    const char *name, const char *what)
{
	const char *words[] = { "git", "-C", folder, command, a, b, NULL };
	char *out = fm_cli_alloc(OUTPUT_MOST + 1), *argv[7];
	int ends[2], error, status = -1;
	size_t len;
	FILE *from;
	pid_t pid;

	memcpy(argv, words, sizeof argv);
	if (pipe2(ends, O_CLOEXEC) != 0 ||
	    (from = fdopen(ends[0], "r")) == NULL)
		fm_cli_no_memory();
	error = fm_child_start(argv, -1, ends[1], &pid);
	(void)close(ends[1]);
	len = fread(out, 1, OUTPUT_MOST, from);
	out[len] = '\0';
	(void)fclose(from);
	if (error != 0)
		fm_complain("fastmatch diff: git can't be run: %s%s",
		    strerror(error), error == ENOENT ? ": install git" : "");
	else if (waitpid(pid, &status, 0) != pid || status != 0)
		fm_complain("fastmatch diff: %s %s", name, what);
	if (status == 0)
		return (out);
	free(out);
	return (NULL);
}

/*--------------------------------------------------------------------
 * The folder of a commit
 */

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return (remove(path));
}

/* Makes an empty folder; returns its absolute path, or NULL after an error. */
static char *
folder_new(void)
{
	const char *under = getenv("TMPDIR");
	char *made = print("%s/fastmatch-diff-XXXXXX", under == NULL ||
	    *under == '\0' ? "/tmp" : under), *real = NULL;

	if (mkdtemp(made) == NULL || (real = realpath(made, NULL)) == NULL)
		fm_complain("fastmatch diff: can't make %s: %s", made,
		    strerror(errno));
	free(made);
	return (real);
}

/*
 * Writes a commit into temp/tree; `top` is the top folder of the repository.
 * Returns false after an error.
 */
static bool
checkout(const char *top, const char *commit, const char *temp)
{
	char *index = print("%s/index", temp);
	char *prefix = print("--prefix=%s/tree/", temp), *read, *written = NULL;
	bool fine;

	if (setenv("GIT_INDEX_FILE", index, 1) != 0)
		fm_cli_no_memory();
	read = git(top, "read-tree", commit, NULL, commit, "is not a commit "
	    "that git knows: 'git log' shows them");
	if (read != NULL)
		written = git(top, "checkout-index", "--all", prefix, commit,
		    "could not be written into a folder");
	fine = written != NULL;
	(void)unsetenv("GIT_INDEX_FILE");
	free(index);
	free(prefix);
	free(read);
	free(written);
	return (fine);
}

/*--------------------------------------------------------------------
 * Rules
 */

/*
 * Returns false, and says so, if a file was read where the repository is, by an
 * absolute path: that is not what it was in the commit.  A list that comes with
 * fastmatch may be as it is now.
 */
static bool
all_of_commit(const struct fm_sources *sources, const char *top,
    const char *commit)
{
	const struct fm_source *source = fm_sources_first(sources);
	size_t len = strlen(top);

	for (; source != NULL; source = source->next)
		if (source->path[0] == '/' && source->real != NULL &&
		    strncmp(source->path, fm_shipped_folder,
		    strlen(fm_shipped_folder)) != 0 &&
		    strncmp(source->real, top, len) == 0 &&
		    source->real[len] == '/')
			break;
	if (source != NULL)
		fm_complain("fastmatch diff: %s is read as it is now, not as "
		    "in %s: the rules name it by an absolute path, write a "
		    "relative one", source->path, commit);
	return (source == NULL);
}

/*
 * Loads the rules in temp/tree.  `inner` is the folder of the file there; the
 * part of it that the path has, too, is left to the path.  `top` is the top
 * folder of the repository.
 */
static bool
load(struct fm_rules *rules, const char *path, const char *commit,
    const char *temp, const char *inner, const char *top)
{
	struct fm_sources *sources = fm_sources_new(false);
	const char *slash = strrchr(path, '/');
	size_t own = slash == NULL ? 0 : (size_t)(slash + 1 - path);
	size_t len = strlen(inner);
	bool fine = false;
	char *folder;

	if (sources == NULL)
		fm_cli_no_memory();
	if (own <= len && memcmp(inner + len - own, path, own) == 0 &&
	    (own == len || inner[len - own - 1] == '/'))
		len -= own;
	else if (slash != NULL)
		path = slash + 1;
	folder = print("%s/tree/%.*s", temp, (int)len, inner);
	if (chdir(folder) != 0 || access(path, R_OK) != 0)
		fm_complain("fastmatch diff: %s is not in %s: %s", path,
		    commit, strerror(errno));
	else if (!fm_rules_open(rules, path, sources))
		(void)fm_rules_complain(rules, fm_given.json);
	else
		fine = all_of_commit(sources, top, commit);
	fm_sources_free(&sources);
	free(folder);
	return (fine);
}

/* Splits what rev-parse has printed, two lines, at their ends. */
static char *
second_line(char *lines)
{
	char *second = lines + strcspn(lines, "\n");

	if (*second == '\n')
		*second++ = '\0';
	second[strcspn(second, "\n")] = '\0';
	return (second);
}

/*
 * Returns the folder of the lists that rules name by `from shipped`: the one of
 * the commit, if it has one in its place.
 */
static char *
lists_of(const char *top, const char *temp)
{
	char *real = realpath(fm_shipped_folder, NULL), *inside;
	size_t len = strlen(top);

	if (real == NULL || strncmp(real, top, len) != 0 || real[len] != '/')
		return (real);
	inside = print("%s/tree%s", temp, real + len);
	if (access(inside, R_OK) == 0) {
		free(real);
		return (inside);
	}
	free(inside);
	return (real);
}

/* Loads the rules of a commit, with its lists. */
static bool
load_with_lists(struct fm_rules *rules, const char *path, const char *commit,
    const char *temp, const char *inner, const char *top)
{
	const char *before = fm_shipped_folder;
	char *lists = lists_of(top, temp);
	bool fine;

	if (lists != NULL)
		fm_shipped_folder = lists;
	fine = load(rules, path, commit, temp, inner, top);
	fm_shipped_folder = before;
	free(lists);
	return (fine);
}

bool
fm_diff_open_commit(struct fm_rules *rules, const char *path,
    const char *commit)
{
	char *copy = fm_cli_copy(path, strlen(path)), *folder = dirname(copy);
	char *above, *top, *inner, *temp, *up;
	const char *slash;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool fine = false;

	rules->program = NULL;
	up = git(folder, "rev-parse", "--show-cdup", "--show-prefix", path,
	    "is not in a repository of git");
	temp = up == NULL ? NULL : folder_new();
	if (temp != NULL) {
		inner = second_line(up);
		above = print("%s/%s", folder, up);
		top = realpath(above, NULL);
		fine = here >= 0 && top != NULL &&
		    checkout(top, commit, temp) &&
		    load_with_lists(rules, path, commit, temp, inner, top);
		if (here >= 0 && fchdir(here) != 0)
			fm_complain("fastmatch diff: can't go back to the "
			    "folder: %s", strerror(errno));
		(void)nftw(temp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		slash = strrchr(path, '/');
		rules->path = print("%s:%s%s", commit, inner,
		    slash == NULL ? path : slash + 1);
		free(above);
		free(top);
	}
	if (here >= 0)
		(void)close(here);
	free(up);
	free(temp);
	free(copy);
	return (fine);
}
