/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines of a file of the tree: User-Agents, brands.
 */

#ifndef LINES_H
#define LINES_H

#include "listfile.h"
#include "unit.h"

struct lines {
	struct fm_listfile	*file;
	struct fm_text		v[200];
	unsigned		n;
};

/* Reads a file below the top of the tree, without its comments and [heads]. */
static inline void
lines_read(struct lines *lines, const char *name)
{
	struct fm_place place;
	struct fm_text line;
	char path[512];

	(void)snprintf(path, sizeof path, "%s/%s", TOP_SRCDIR, name);
	lines->n = 0;
	lines->file = fm_listfile_read(path, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(lines->file);
	while (lines->n < sizeof lines->v / sizeof *lines->v &&
	    fm_listfile_next(lines->file, &line, &place, NULL))
		if (line.b[0] != '[')
			lines->v[lines->n++] = line;
	ck_assert_uint_gt(lines->n, 0);
}

static inline struct fm_text
lines_any(const struct lines *lines)
{
	return (lines->v[unit_below(lines->n)]);
}

#endif
