/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds files beside a command that was built and is not installed (beside.h).
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"

/* Where the command is below the folder of a build. */
#define BUILT	"/src/cli/fastmatch"

#define KEPT	4	/* paths: a command asks for three at most */

const char *
fm_beside(const char *name, const char *installed)
{
	static const char * const folders[] = { "", "/..", "/../.." };
	static char kept[KEPT][PATH_MAX];
	static size_t nkept;
	char self[PATH_MAX], path[2 * PATH_MAX];
	ssize_t len;
	size_t i;

	len = readlink("/proc/self/exe", self, sizeof self - 1);
	if (len < (ssize_t)strlen(BUILT) || nkept == KEPT)
		return (installed);
	self[len] = '\0';
	if (strcmp(self + len - strlen(BUILT), BUILT) != 0)
		return (installed);
	self[(size_t)len - strlen(BUILT)] = '\0';
	for (i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		(void)snprintf(path, sizeof path, "%s%s/%s", self, folders[i],
		    name);
		if (realpath(path, kept[nkept]) != NULL)
			return (kept[nkept++]);
	}
	return (installed);
}
