/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What globs find, and how all that is remembered looks on the disk.
 */

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "obj.h"
#include "sources_priv.h"

/*--------------------------------------------------------------------
 * Globs
 */

struct found {
	glob_t		glob;
	size_t		n;		/* of its paths, the first ones */
	int		error;
};

/* What glob() asks the system for; it hands nothing of it to its callbacks. */
static __thread struct {
	size_t		left;		/* entries that may be looked at */
	size_t		each;		/* what one takes of it */
	int		error;		/* of the first that is wrong, or 0 */
} finding;

/* false, and errno: no more of them. */
static bool
finding_another(void)
{

	if (finding.left < finding.each)
		finding.error = E2BIG;
	errno = finding.error;
	if (finding.error != 0)
		return (false);
	finding.left -= finding.each;
	return (true);
}

static void *
finding_open(const char *path)
{

	return (finding_another() ? opendir(path) : NULL);
}

static struct dirent *
finding_read(void *dir)
{
	struct dirent *entry;

	entry = finding_another() ? readdir(dir) : NULL;
	if (entry == NULL)
		finding.error = errno;
	return (entry);
}

static void
finding_close(void *dir)
{

	(void)closedir(dir);
}

/* That nothing is there, or nothing for us to see, is not wrong. */
static int
finding_asked(int r)
{

	if (r != 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
	    errno != EACCES && errno != ENAMETOOLONG)
		finding.error = errno;
	return (r);
}

static int
finding_stat(const char *path, struct stat *st)
{

	return (finding_asked(finding_another() ? stat(path, st) : -1));
}

static int
finding_lstat(const char *path, struct stat *st)
{

	return (finding_asked(finding_another() ? lstat(path, st) : -1));
}

/* A folder that isn't there has no files; one that can't be read is wrong. */
static int
finding_fault(const char *path, int error)
{

	(void)path;
	if (error == ENOENT || error == ENOTDIR)
		return (0);
	finding.error = error;
	return (1);
}

/*
 * glob() calls itself for each folder behind the first wildcard, which takes
 * stack and may lead to the same ones again (a star, dots, a star).
 */
static bool
pattern_is_long(const char *pattern)
{
	const char *p;
	unsigned folders = 0;
	bool wild = false;

	for (p = pattern; *p != '\0'; p++) {
		if (*p == '\\' && p[1] != '\0')
			p++;
		else if (strchr("*?[", *p) != NULL)
			wild = true;
		else if (*p == '/' && wild)
			folders++;
	}
	return (p - pattern >= PATH_MAX || folders > FM_SOURCES_FOLDERS);
}

static int
found_order(const void *a, const void *b)
{

	return (strcmp(*(char * const *)a, *(char * const *)b));
}

/*
 * By bytes, whatever the locale.  Folders and what else is no file come last,
 * and don't count; a link that leads nowhere does: to read it tells why.
 */
static void
found_sort(struct found *found)
{
	char **paths = found->glob.gl_pathv, *path;
	struct stat st;
	size_t i;

	qsort(paths, found->glob.gl_pathc, sizeof paths[0], found_order);
	for (i = 0; i < found->glob.gl_pathc; i++) {
		path = paths[i];
		if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
			continue;
		paths[i] = paths[found->n];
		paths[found->n++] = path;
	}
}

/* left: how many entries may still be looked at. */
static void
found_by(struct found *found, const char *pattern, size_t *left)
{
	int r;

	memset(found, 0, sizeof *found);
	if (pattern_is_long(pattern)) {
		found->error = ENAMETOOLONG;
		return;
	}
	finding.left = *left;
	finding.each = 1 + strlen(pattern) / FM_SOURCES_SHORT;
	finding.error = 0;
	found->glob.gl_opendir = finding_open;
	found->glob.gl_readdir = finding_read;
	found->glob.gl_closedir = finding_close;
	found->glob.gl_stat = finding_stat;
	found->glob.gl_lstat = finding_lstat;
	r = glob(pattern, GLOB_NOSORT | GLOB_ALTDIRFUNC, finding_fault,
	    &found->glob);
	*left = finding.left;
	if (r == GLOB_NOSPACE)
		found->error = ENOMEM;
	else if (finding.error != 0)
		found->error = finding.error;
	else if (r == 0)
		found_sort(found);
	else if (r != GLOB_NOMATCH)
		found->error = EIO;
}

const struct fm_sources_glob *
fm_sources_glob_read(struct fm_sources *sources, const char *pattern)
{
	struct fm_sources_glob *globbed;
	struct found found;
	size_t i;

	found_by(&found, pattern, &sources->unseen);
	globbed = fm_sources_add_glob(sources, fm_text_of(pattern), found.n);
	for (i = 0; globbed != NULL && i < found.n; i++) {
		globbed->paths[i] = fm_arena_add(&sources->arena,
		    fm_text_of(found.glob.gl_pathv[i]));
		if (globbed->paths[i] == NULL)
			found.error = ENOMEM;
	}
	if (globbed != NULL) {
		globbed->error = found.error;
		if (found.error != 0)
			globbed->npaths = 0;
	}
	sources->nomem |= globbed == NULL || found.error == ENOMEM;
	globfree(&found.glob);
	return (globbed);
}

bool
fm_sources_globbed(const struct fm_sources *sources, size_t n,
    struct fm_source_glob *found)
{
	const struct fm_sources_glob *globbed;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	memset(found, 0, sizeof *found);
	for (globbed = sources->globs; globbed != NULL && n > 0; n--)
		globbed = globbed->next;
	if (globbed == NULL)
		return (false);
	found->pattern = globbed->pattern;
	found->error = globbed->error;
	found->npaths = globbed->npaths;
	return (true);
}

size_t
fm_sources_found(const struct fm_sources *sources, const char *pattern)
{
	const struct fm_sources_glob *globbed;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	globbed = fm_sources_find_glob(sources, fm_text_of(pattern));
	return (globbed == NULL ? 0 : globbed->npaths);
}

int
fm_sources_glob(struct fm_sources *sources, const char *pattern,
    const char * const **paths, size_t *npaths)
{
	static const char * const none[] = { NULL };
	const struct fm_sources_glob *globbed;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	*paths = none;
	*npaths = 0;
	globbed = fm_sources_find_glob(sources, fm_text_of(pattern));
	if (globbed == NULL && sources->copy != NULL)
		return (0);
	if (globbed == NULL)
		globbed = fm_sources_glob_read(sources, pattern);
	if (globbed == NULL)
		return (ENOMEM);
	if (globbed->error == 0) {
		*paths = globbed->paths;
		*npaths = globbed->npaths;
	}
	return (globbed->error);
}

bool
fm_sources_glob_equal(const struct fm_sources_glob *a,
    const struct fm_sources_glob *b)
{
	size_t i;

	if (a->error != b->error || a->npaths != b->npaths)
		return (false);
	for (i = 0; i < a->npaths; i++)
		if (strcmp(a->paths[i], b->paths[i]) != 0)
			return (false);
	return (true);
}

/*--------------------------------------------------------------------
 * How it looks
 */

static uint64_t
look_stat(uint64_t look, int error, const struct stat *st)
{
	const uint64_t all[] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino,
	    (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
	    (uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ctim.tv_sec,
	    (uint64_t)st->st_ctim.tv_nsec };

	if (error != 0)
		return (XXH3_64bits_withSeed(&error, sizeof error, look));
	return (XXH3_64bits_withSeed(all, sizeof all, look));
}

static uint64_t
look_paths(uint64_t look, int error, const char * const *paths, size_t n)
{
	size_t i;

	look = XXH3_64bits_withSeed(&error, sizeof error, look);
	look = XXH3_64bits_withSeed(&n, sizeof n, look);
	for (i = 0; i < n; i++)		/* with its NUL */
		look = XXH3_64bits_withSeed(paths[i], strlen(paths[i]) + 1,
		    look);
	return (look);
}

uint64_t
fm_sources_look(const struct fm_sources *sources)
{
	const struct fm_sources_glob *globbed;
	struct found found;
	struct stat st;
	size_t i, unseen = FM_SOURCES_LOOKED;
	uint64_t look = 0;
	int error;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	for (i = 0; i < sources->nentries; i++) {
		error = stat(sources->entries[i]->path, &st) == 0 ? 0 : errno;
		if (error != 0)
			memset(&st, 0, sizeof st);
		look = look_stat(look, error, &st);
	}
	for (globbed = sources->globs; globbed != NULL;
	    globbed = globbed->next) {
		found_by(&found, globbed->pattern, &unseen);
		look = look_paths(look, found.error,
		    (const char * const *)found.glob.gl_pathv, found.n);
		globfree(&found.glob);
	}
	return (look != 0 ? look : 1);
}

/* What was restored nobody has seen: 0, which no look is. */
uint64_t
fm_sources_seen(const struct fm_sources *sources)
{
	const struct fm_sources_entry *entry;
	const struct fm_sources_glob *globbed;
	uint64_t look = 0;
	size_t i;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	if (sources->copy != NULL)
		return (0);
	for (i = 0; i < sources->nentries; i++) {
		entry = sources->entries[i];
		look = look_stat(look, entry->fate.unseen, &entry->fate.st);
	}
	for (globbed = sources->globs; globbed != NULL;
	    globbed = globbed->next)
		look = look_paths(look, globbed->error, globbed->paths,
		    globbed->npaths);
	return (look != 0 ? look : 1);
}
