/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A part of the library of seed.c: std.getenv("FM_COLD") in VCL empties the
 * caches that callgrind simulates.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

char *
getenv(const char *name)
{
	size_t len = strlen(name);
	char **variable;

	if (strcmp(name, "FM_COLD") == 0) {
		CALLGRIND_STOP_INSTRUMENTATION;
		CALLGRIND_START_INSTRUMENTATION;
		return (NULL);
	}
	for (variable = environ; variable != NULL && *variable != NULL;
	    variable++)
		if (strncmp(*variable, name, len) == 0 &&
		    (*variable)[len] == '=')
			return (*variable + len + 1);
	return (NULL);
}
