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

/*
 * What stands between two stars, if not only `?`.  It is looked for by one of
 * its runs of other bytes, and the trie has a number for that.
 */
struct piece {
	struct fm_text	text;		/* of the pattern */
	uint32_t	run;
	uint32_t	run_len;	/* text.len: it is all of the piece */
	uint32_t	run_end;	/* in the piece */
	uint32_t	gap;		/* any bytes before it, as in `*??*` */
};

struct glob {
	struct fm_text	prefix, suffix;	/* outside of the stars */
	uint32_t	gap;		/* behind the last piece */
	uint32_t	first;		/* piece; they end where those of the
					 * next glob begin */
	uint32_t	number;		/* in the array */
	bool		nocase;
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
};

#endif
