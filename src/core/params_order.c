/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sorts parameters, and finds those that are there twice: a client chooses
 * how many there are, so nothing here compares each with each.
 */

#include <stdlib.h>
#include <string.h>

#include "params_priv.h"
#include "percent.h"

static struct fm_text
piece_name(const struct fm_params_piece *piece)
{
	return (fm_text(piece->b, piece->name_len));
}

/* From the `=` on; nothing where there is none. */
static struct fm_text
piece_rest(const struct fm_params_piece *piece)
{
	return (fm_text(piece->b + piece->name_len,
	    piece->len - piece->name_len));
}

static int
piece_compare_names(const struct fm_params_piece *a,
    const struct fm_params_piece *b)
{
	if (a->coded || b->coded)
		return (fm_percent_compare(piece_name(a), piece_name(b)));
	return (fm_text_compare(piece_name(a), piece_name(b)));
}

static int
piece_compare_index(const void *va, const void *vb)
{
	const struct fm_params_piece *a = va, *b = vb;

	return ((a->index > b->index) - (a->index < b->index));
}

/* qsort() alone is not stable: the index makes it so. */
static int
piece_compare_sorted(const void *va, const void *vb)
{
	int r = piece_compare_names(va, vb);

	return (r != 0 ? r : piece_compare_index(va, vb));
}

/* The same names are neighbours, and among them what is the same. */
static int
piece_compare_unique(const void *va, const void *vb)
{
	const struct fm_params_piece *a = va, *b = vb;
	int r = piece_compare_names(a, b);

	if (r == 0)
		r = fm_text_compare(piece_rest(a), piece_rest(b));
	return (r != 0 ? r : piece_compare_index(a, b));
}

static bool
piece_is_twin(const struct fm_params_piece *a, const struct fm_params_piece *b)
{
	return (piece_compare_names(a, b) == 0 &&
	    fm_text_eq(piece_rest(a), piece_rest(b)));
}

/* Drops the later twins; leaves the pieces in no order of use. */
static size_t
order_unique(struct fm_params_piece *pieces, size_t n)
{
	size_t i, kept = 1;

	qsort(pieces, n, sizeof *pieces, piece_compare_unique);
	for (i = 1; i < n; i++)
		if (!piece_is_twin(&pieces[kept - 1], &pieces[i]))
			pieces[kept++] = pieces[i];
	return (kept);
}

size_t
fm_params_order(const struct fm_params *params,
    struct fm_params_piece *pieces, size_t n, bool *changed)
{
	bool unsorted = false, repeated = false;
	size_t i, kept = n;
	int r;

	for (i = 1; i < n; i++) {
		r = piece_compare_names(&pieces[i - 1], &pieces[i]);
		unsorted |= r > 0;
		repeated |= r == 0;
	}
	/* Where names only ever grow, none is there twice. */
	if (params->unique && (unsorted || repeated)) {
		kept = order_unique(pieces, n);
		*changed |= kept < n;
		qsort(pieces, kept, sizeof *pieces, params->sort ?
		    piece_compare_sorted : piece_compare_index);
	} else if (params->sort && unsorted)
		qsort(pieces, n, sizeof *pieces, piece_compare_sorted);
	*changed |= params->sort && unsorted;
	return (kept);
}
