/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the paths that a pattern fits: one folder after the other, each name in
 * it by fnmatch().
 */

#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "find.h"
#include "sources.h"

struct finding {
	char			path[PATH_MAX];	/* what was found so far */
	char			pattern[PATH_MAX];
	size_t			*left;		/* entries to be looked at */
	struct fm_grow		*found;
	int			error;		/* errno of what went wrong */
};

/* Counts one entry.  Returns false if none is left, or something is wrong. */
static bool
another(struct finding *finding)
{

	if (*finding->left == 0 && finding->error == 0)
		finding->error = E2BIG;
	if (finding->error != 0)
		return (false);
	--*finding->left;
	return (true);
}

/* Adds the path if it is there, and was not listed by its folder. */
static void
add(struct finding *finding, size_t len, bool listed)
{
	struct stat st;
	char *to;

	if (!listed && (!another(finding) ||
	    lstat(finding->path, &st) != 0)) {
		if (finding->error == 0 && errno != ENOENT &&
		    errno != ENOTDIR && errno != ELOOP && errno != EACCES &&
		    errno != ENAMETOOLONG)
			finding->error = errno;
		return;
	}
	to = fm_grow_add(finding->found, 1, len + 1);
	if (to == NULL)
		finding->error = ENOMEM;
	else
		memcpy(to, finding->path, len + 1);
}

/* Puts a name after the path; false: it would be too long. */
static bool
put(struct finding *finding, size_t len, const char *name, size_t n)
{

	if (n >= PATH_MAX - len) {
		finding->error = ENAMETOOLONG;
		return (false);
	}
	memcpy(finding->path + len, name, n);
	finding->path[len + n] = '\0';
	return (true);
}

static void find(struct finding *, size_t len, char *pattern);

/* Opens the folder of the path; one that is missing is not an error. */
static DIR *
open_folder(struct finding *finding, size_t len)
{
	DIR *dir;

	if (!another(finding))
		return (NULL);
	dir = opendir(len == 0 ? "." : finding->path);
	if (dir == NULL && errno != ENOENT && errno != ENOTDIR)
		finding->error = errno;
	return (dir);
}

/* Returns true if a part of a pattern, which ends in NUL for now, fits. */
static bool
fits(char *part, size_t len, const char *name)
{
	char next = part[len];
	bool fit;

	part[len] = '\0';
	fit = fnmatch(part, name, FNM_PERIOD) == 0;
	part[len] = next;
	return (fit);
}

/* Finds the names in a folder that a part fits, and what the rest fits. */
static void
find_in(struct finding *finding, size_t len, char *part, size_t part_len)
{
	DIR *dir = open_folder(finding, len);
	struct dirent *entry;
	size_t n;

	if (dir == NULL)
		return;
	while (another(finding)) {
		errno = 0;
		entry = readdir(dir);
		if (entry == NULL) {
			finding->error = errno;
			break;
		}
		n = strlen(entry->d_name);
		if (!fits(part, part_len, entry->d_name) ||
		    !put(finding, len, entry->d_name, n))
			continue;
		if (part[part_len] == '\0')
			add(finding, len + n, true);
		else
			find(finding, len + n, part + part_len);
	}
	(void)closedir(dir);
}

/* Returns true if a part of a pattern has a wildcard. */
static bool
is_wild(const char *part, size_t len)
{
	const char *end = part + len;

	for (; part < end; part++) {
		if (strchr("*?[", *part) != NULL)
			return (true);
		if (*part == '\\')
			part++;
	}
	return (false);
}

/* Finds what the rest of a pattern fits below the path so far. */
static void
find(struct finding *finding, size_t len, char *pattern)
{
	size_t n;

	while (*pattern != '\0') {
		n = strcspn(pattern, "/");
		if (is_wild(pattern, n)) {
			find_in(finding, len, pattern, n);
			return;
		}
		for (; n > 0 || *pattern == '/'; pattern++, n -= n > 0) {
			if (*pattern == '\\' && n > 1) {
				pattern++;
				n--;
			}
			if (!put(finding, len, pattern, 1))
				return;
			len++;
		}
	}
	add(finding, len, false);
}

/*
 * Returns true if a pattern is too much.  Each folder after the first wildcard
 * takes stack, and such folders may lead back to the same ones (as in a star,
 * two dots, a star).
 */
static bool
pattern_is_long(const char *pattern)
{
	const char *p;
	unsigned folders = 0;
	bool wild = false;

	for (p = pattern; *p != '\0'; p++) {
		wild |= strchr("*?[", *p) != NULL;
		folders += wild && *p == '/';
		if (*p == '\\' && p[1] != '\0')
			p++;
	}
	return (p - pattern >= PATH_MAX || folders > FM_SOURCES_FOLDERS);
}

int
fm_find(const char *pattern, size_t *left, struct fm_grow *found)
{
	struct finding finding = { .left = left, .found = found };

	if (pattern_is_long(pattern))
		return (ENAMETOOLONG);
	memcpy(finding.pattern, pattern, strlen(pattern) + 1);
	find(&finding, 0, finding.pattern);
	return (finding.error);
}
