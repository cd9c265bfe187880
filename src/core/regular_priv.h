/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between regular_parse.c, which reads a regex, and regular.c, which makes its
 * table and asks it.
 */

#ifndef FM_REGULAR_PRIV_H
#define FM_REGULAR_PRIV_H

#include <stdint.h>

#include "regular.h"

#define FM_REGULAR_STEPS	2048
#define FM_REGULAR_SETS		64

struct fm_byteset {
	uint64_t	w[4];
};

static inline bool
fm_byteset_has(const struct fm_byteset *set, unsigned c)
{
	return ((set->w[c / 64] >> (c % 64) & 1) != 0);
}

static inline void
fm_byteset_add(struct fm_byteset *set, unsigned c)
{
	set->w[c / 64] |= 1ULL << (c % 64);
}

static inline void
fm_byteset_invert(struct fm_byteset *set)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		set->w[i] = ~set->w[i];
}

static inline void
fm_byteset_fold(struct fm_byteset *set)
{
	unsigned c;

	for (c = 'a'; c <= 'z'; c++)
		if (fm_byteset_has(set, c) || fm_byteset_has(set, c - 32)) {
			fm_byteset_add(set, c);
			fm_byteset_add(set, c - 32);
		}
}

enum fm_step_kind {
	STEP_BYTE,		/* a byte of the set, then the next step */
	STEP_FORK,		/* on at both: they are relative */
	STEP_BEGIN,		/* `^`, `$` of the subject, then the next */
	STEP_END
};

struct fm_step {
	unsigned char	kind;	/* enum fm_step_kind */
	unsigned char	set;
	int16_t		a, b;
};

/*
 * A regex as steps, to be taken from its end to its start.  Behind the last
 * of them it has matched.
 */
struct fm_steps {
	unsigned		n, nsets;
	bool			loose;	/* more may match than does: it has no
					 * \b, looks, references, possession */
	bool			endless;	/* a repeat is */
	bool			begins;		/* it has a `^` */
	bool			lazy;		/* a repeat is, or may be */
	struct fm_step		v[FM_REGULAR_STEPS];
	struct fm_byteset	sets[FM_REGULAR_SETS];
};

/* false: it has something that can't be said in steps. */
bool fm_regular_parse(struct fm_text regex, bool nocase, struct fm_steps *);

#endif
