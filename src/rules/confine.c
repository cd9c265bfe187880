/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which files may be read for rules.
 */

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"

/* Room for the working directory and a path behind it. */
#define PATH_ROOM	(2 * PATH_MAX)

/* Writes the path from the root on, without `.`, `..` and repeated slashes. */
static bool
path_absolute(const char *name, size_t *len, char path[PATH_ROOM])
{
	size_t n;

	assert(strlen(name) < PATH_MAX);
	path[0] = '\0';
	if (*name != '/' && getcwd(path, PATH_MAX) == NULL)
		return (false);
	*len = strcmp(path, "/") == 0 ? 0 : strlen(path);
	for (; *name != '\0'; name += n) {
		n = strcspn(name, "/");
		if (n == 0) {
			n = 1;
		} else if (n == 2 && memcmp(name, "..", 2) == 0) {
			while (*len > 0 && path[--*len] != '/')
				continue;
		} else if (n > 1 || *name != '.') {
			path[(*len)++] = '/';
			memcpy(path + *len, name, n);
			*len += n;
		}
	}
	return (true);
}

bool
fm_is_confined(const char *file, const char *name)
{
	char folder[PATH_ROOM], path[PATH_ROOM];
	size_t flen, plen;

	/* Nobody can open a path that is too long. */
	if (strlen(name) >= PATH_MAX || strlen(file) >= PATH_MAX)
		return (true);
	if (!path_absolute(file, &flen, folder) ||
	    !path_absolute(name, &plen, path))
		return (false);
	while (flen > 0 && folder[flen - 1] != '/')
		flen--;
	return (plen > flen && memcmp(path, folder, flen) == 0);
}
