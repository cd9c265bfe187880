/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a scan is made of, in two forms.
 */

#include <string.h>

#include "grow.h"
#include "obj.h"
#include "scan_priv.h"

struct fm_scan_builder *
fm_scan_build_new(void)
{
	struct fm_scan_builder *b;

	FM_OBJ_NEW(b, FM_SCAN_BUILDER_MAGIC);
	return (b);
}

void
fm_scan_build_free(struct fm_scan_builder **bp)
{
	struct fm_scan_builder *b;

	FM_OBJ_TAKE(b, bp, FM_SCAN_BUILDER_MAGIC);
	while (b->n > 0)
		free(b->exprs[--b->n].text);
	free(b->exprs);
	FM_OBJ_FREE(b);
}

size_t
fm_scan_build_count(const struct fm_scan_builder *b)
{
	FM_OBJ_CHECK(b, FM_SCAN_BUILDER_MAGIC);
	return (b->n);
}

int
fm_scan_build_add(struct fm_scan_builder *b, char *text, unsigned flags,
    uint32_t id)
{
	struct scan_expr *exprs;

	if (text == NULL)
		return (-1);
	exprs = fm_grow_room(b->exprs, &b->cap, b->n, 1, sizeof *exprs);
	if (exprs == NULL) {
		free(text);
		return (-1);
	}
	b->exprs = exprs;
	b->exprs[b->n++] = (struct scan_expr){ text, flags, id };
	return (0);
}

void
fm_scan_arrays_free(struct scan_arrays *a)
{
	free(a->texts);
	free(a->flags);
	free(a->ids);
}

bool
fm_scan_arrays_fill(struct scan_arrays *a, const struct fm_scan_builder *b)
{
	size_t i;

	a->texts = calloc(b->n, sizeof *a->texts);
	a->flags = calloc(b->n, sizeof *a->flags);
	a->ids = calloc(b->n, sizeof *a->ids);
	a->n = (unsigned)b->n;
	a->no_memory = a->texts == NULL || a->flags == NULL ||
	    a->ids == NULL;
	if (a->no_memory)
		return (false);
	for (i = 0; i < b->n; i++) {
		a->texts[i] = b->exprs[i].text;
		a->flags[i] = b->exprs[i].flags;
		a->ids[i] = b->exprs[i].id;
	}
	return (true);
}

void
fm_scan_arrays_drop(struct scan_arrays *a, unsigned i)
{
	unsigned rest = a->n - i - 1;

	memmove(a->texts + i, a->texts + i + 1, rest * sizeof *a->texts);
	memmove(a->flags + i, a->flags + i + 1, rest * sizeof *a->flags);
	memmove(a->ids + i, a->ids + i + 1, rest * sizeof *a->ids);
	a->n--;
}

void
fm_scan_arrays_swap(struct scan_arrays *a, unsigned i, unsigned k)
{
	const char *text = a->texts[i];
	unsigned flags = a->flags[i], id = a->ids[i];

	a->texts[i] = a->texts[k];
	a->flags[i] = a->flags[k];
	a->ids[i] = a->ids[k];
	a->texts[k] = text;
	a->flags[k] = flags;
	a->ids[k] = id;
}
