/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists the files and globs of a struct fm_sources, for tests.
 */

#ifndef SOURCES_ALL_H
#define SOURCES_ALL_H

#include "sources.h"
#include "unit.h"

/* Gets the paths that a pattern fits, as an array; returns 0 or an errno. */
static inline int
unit_glob(struct fm_sources *sources, const char *pattern,
    const char * const **paths, size_t *n)
{
	static const char *found[100];
	const struct fm_source *source = fm_sources_glob(sources, pattern);
	size_t at = 0;

	for (*n = 0; at < source->len; at += strlen(found[(*n)++]) + 1) {
		ck_assert_uint_lt(*n, 99);
		found[*n] = source->bytes.b + at;
	}
	found[*n] = NULL;
	*paths = found;
	return (source->error);
}

/* Returns the n-th file, not counting globs; NULL: there are fewer. */
static inline const struct fm_source *
unit_file(const struct fm_sources *sources, size_t n)
{
	const struct fm_source *source = fm_sources_first(sources);

	for (; source != NULL; source = source->next)
		if (!source->glob && n-- == 0)
			break;
	return (source);
}

#endif
