/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the lines of a file of the source tree (User-Agents, brands) for a
 * test.
 */

#ifndef LINES_H
#define LINES_H

#include "file.h"
#include "listfile.h"
#include "unit.h"

struct lines {
	struct fm_file		*file;
	struct fm_text		v[200];
	unsigned		n;
};

/* Reads the lines of a file, without comments and lines like [Firefox]. */
static inline void
lines_read(struct lines *lines, const char *name)
{
	struct fm_listfile list = { .name = name };
	struct fm_place place;
	struct fm_text line;
	char path[512];

	(void)snprintf(path, sizeof path, "%s/%s", TOP_SRCDIR, name);
	lines->n = 0;
	lines->file = fm_file_read(path, FM_LISTFILE_MAX, NULL, NULL);
	ck_assert_ptr_nonnull(lines->file);
	list.rest = fm_text(lines->file->bytes, lines->file->len);
	while (lines->n < sizeof lines->v / sizeof *lines->v &&
	    fm_listfile_next(&list, &line, &place, NULL))
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
