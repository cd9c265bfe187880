/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between globset_build.c, which makes a set of globs, and globset.c.
 */

#ifndef FM_GLOBSET_PRIV_H
#define FM_GLOBSET_PRIV_H

#include "globset.h"
#include "trie.h"

#define GLOBSET_NONE	FM_TRIE_NONE
#define GLOBSET_SUBJECT_MAX	(UINT32_MAX / 2)

/*
 * What stands between two stars, if not only `?`.  It is looked for by one of
 * its runs of other bytes, and the trie has a number for that.
 */
struct piece {
	struct fm_text	text;		/* of the pattern */
	uint32_t	run;
	uint32_t	run_len;	/* text.len: it is all of the piece */
	uint32_t	run_end;	/* in the piece */
	uint32_t	behind;		/* that, so many bytes of it */
	uint32_t	gap;		/* any bytes before it, as in `*??*` */
	bool		is_last;
};

struct glob {
	struct fm_text	prefix, suffix;	/* outside of the stars */
	uint32_t	gap;		/* behind the last piece */
	uint32_t	first;		/* piece; they end where those of the
					 * next glob begin */
	uint32_t	number;		/* in the array */
	bool		nocase;
};

/* A glob that is being decided. */
struct waiting {
	uint32_t	next;		/* that waits for the same run */
	uint32_t	glob;
	uint32_t	piece;		/* next */
	uint32_t	from;		/* where it may be in the subject */
};

static inline unsigned
glob_cost(bool nocase)
{
	return (nocase ? 2 : 1);
}

struct fm_globset {
	unsigned	magic;
#define FM_GLOBSET_MAGIC	0x5d08f3a6
	uint32_t	n;		/* patterns in the array */
	uint32_t	*globs_of;	/* each, or GLOBSET_NONE */
	uint32_t	nglobs;
	struct glob	*globs;		/* and one more */
	uint32_t	npieces;
	struct piece	*pieces;
	struct fm_trie	*tries[2];	/* of the runs, the second without
					 * case; NULL: there are none */
	/* How a pass for all of them begins: */
	uint32_t	ncase[2];	/* with case, without */
	struct waiting	*waiting;	/* each glob, for its first piece */
	uint32_t	*lists[2];	/* of those that wait for each run */
	uint64_t	*bits;		/* of their numbers */
};

/* For its first piece. */
static inline void
globset_wait(const struct fm_globset *set, struct waiting *w, uint32_t glob)
{
	const struct glob *g = &set->globs[glob];

	w->glob = glob;
	w->piece = g->first;
	w->from = (uint32_t)g->prefix.len + set->pieces[g->first].gap;
}

#endif
