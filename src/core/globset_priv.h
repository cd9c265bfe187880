/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between globset_build.c, which makes a set of globs, globset_begin.c, how a
 * pass begins, globset.c, which decides them, and globset_room.c, what that
 * takes of memory.
 */

#ifndef FM_GLOBSET_PRIV_H
#define FM_GLOBSET_PRIV_H

#include "globset.h"
#include "trie.h"

#define GLOBSET_NONE	FM_TRIE_NONE
#define GLOBSET_OUT	(FM_TRIE_NONE - 1)
#define GLOBSET_SUBJECT_MAX	(UINT32_MAX / 2)

/*
 * A piece of a glob, what stands between two stars if not only `?`.  Behind the
 * last one of a glob is its end.
 */
struct piece {
	uint32_t	need : 31;	/* of an end: which pattern it is */
	uint32_t	is_last : 1;
	uint32_t	gap;		/* any bytes before it, as in `*??*`;
					 * of an end: that has to follow */
};

#define PIECE_MOST	0x7fffffff	/* needs, patterns */

/*
 * A piece, of however many globs: whether it fits is asked once.  It is looked
 * for by one of its runs of bytes other than `?`, and the trie has a number for
 * that: it is that of the first need of the run, where those of globs without
 * case are behind those of the others; then come all other needs.
 */
struct need {
	struct fm_text	text;
	uint32_t	run_end;
	uint32_t	behind;		/* that, so many bytes of it */
	uint32_t	next;		/* with the same run, or one that ends
					 * where it does */
	uint32_t	texts;		/* globs that are just this: the first,
					 * and those behind it in waiting[] */
	uint32_t	probe;		/* a byte of another run; or 0 */
	/* This one, or one of those behind it: */
	bool		tells;		/* has texts */
	bool		waits;		/* is a piece of another glob */
	bool		is_run;		/* it is nothing else */
	bool		nocase;
};

struct glob {
	struct fm_text	prefix, suffix;	/* outside of the stars */
	uint32_t	first;		/* piece; the end is before those of
					 * the next glob */
	uint32_t	number;		/* in the array */
	bool		nocase;
	bool		is_text;
};

/* A glob that is being decided. */
struct waiting {
	uint32_t	next;		/* that waits for the same piece */
	uint32_t	piece;		/* next; of a text: which pattern */
	size_t		from;		/* where it may be in the subject */
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
	struct cut	*cuts;		/* each of them, while it is made */
	struct fm_trie	*tries[2];	/* of the runs, the second without
					 * case; NULL: there are none */
	uint32_t	nneeds;
	struct need	*needs;
	/* How a pass for all of them begins: */
	uint32_t	ncase[2];	/* with case, without */
	struct waiting	*waiting;	/* each glob, for its first piece */
	uint32_t	*lists;		/* of those that wait for each need */
	uint64_t	*bits;		/* of their numbers, but for texts */
	uint64_t	*all;		/* of all numbers */
	uint64_t	most;		/* their turns, but for one of each */
	bool		has_texts;	/* which wait for as long as it takes */
	bool		is_spread;
	bool		has_ends;	/* one of them: a prefix, a suffix */
	bool		misses;		/* needs that are compared at places
					 * where they are not, at some cost */
};

/* Of those that wait for a piece. */
struct globset_list {
	uint32_t	pass;		/* that it is of; else as it begins */
	uint32_t	first;		/* GLOBSET_OUT: none, and that is relied
					 * on, in some state of the chains */
};

/*
 * Of a need behind which there are others: the next one for which somebody may
 * wait.  That is so until somebody waits for one that was left out: then all
 * is as the set has it.
 */
struct globset_chain {
	uint32_t	next;
	uint32_t	state;		/* in which this is so */
	uint32_t	told;		/* pass, in which its texts were */
};

/* Per thread. */
struct globset_room {
	unsigned	magic;
#define GLOBSET_ROOM_MAGIC	0x2b7f61ce
	uint32_t	passes;		/* so far */
	uint32_t	states;		/* of chains */
	struct globset_list	*lists;		/* for each need */
	struct globset_chain	*chains;	/* likewise */
	uint32_t	*over;		/* likewise: the state in which nobody
					 * waits for it, nor for one behind
					 * it */
	uint32_t	nlists;
	struct waiting	*waiting;
	uint32_t	cap;
};

/* What a pass for all needs of a set that is else made; false: no memory. */
bool fm_globset_begin(struct fm_globset *);

/* For so many globs of the set; NULL: no memory. */
struct globset_room *fm_globset_room(const struct fm_globset *,
    uint32_t globs);

/* Another pass, for which no list has begun. */
uint32_t fm_globset_pass(struct globset_room *);

/* Another state of the chains, in which none has been followed. */
uint32_t fm_globset_state(struct globset_room *);

/* The number of the first need of the first run. */
static inline uint32_t
globset_base(const struct fm_globset *set, bool nocase)
{
	return (nocase && set->tries[0] != NULL ? set->tries[0]->n : 0);
}

/* For its first piece. */
static inline void
globset_wait(const struct fm_globset *set, struct waiting *w, uint32_t glob)
{
	const struct glob *g = &set->globs[glob];

	w->piece = g->first;
	w->from = g->prefix.len + set->pieces[g->first].gap;
}

#endif
