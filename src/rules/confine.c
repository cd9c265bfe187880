/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says which files rules may read (confine.h): by the names of two paths, or
 * by where the kernel says that an open file is.
 */

#include <assert.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"

/* Room for the working directory and a path behind it. */
#define PATH_ROOM	(2 * PATH_MAX)

/*
 * Writes the path from the root on, without `.`, `..` and repeated slashes.
 * Returns false if the working directory is not known.
 */
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

/*
 * Writes the path of a file with all links followed.  Returns false if another
 * file is there now.
 */
static bool
path_real(const char *path, const struct stat *opened, char real[PATH_MAX])
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	char link[32];
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return (false);
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) == 0 && st.st_dev == opened->st_dev &&
	    st.st_ino == opened->st_ino)
		n = readlink(link, real, PATH_MAX - 1);
	(void)close(fd);
	real[n > 0 ? n : 0] = '\0';
	return (n > 0);
}

bool
fm_is_linked_inside(const char *file, const char *path,
    const struct stat *opened)
{
	char name[PATH_MAX], folder[PATH_MAX], real[PATH_MAX];
	size_t len;

	len = strlen(file);
	if (len >= sizeof name || !path_real(path, opened, real))
		return (false);
	memcpy(name, file, len + 1);
	if (realpath(dirname(name), folder) == NULL)
		return (false);
	len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
	return (strncmp(real, folder, len) == 0 && real[len] == '/');
}
