/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which things are shown as a counter of their own, where all others are one
 * sum, `other`, and no counter may ever go back.
 *
 * A counter needs a seat.  The busiest things get the seats, and keep them:
 * only one that has more than twice the hits of the least busy with a seat gets
 * that one's.  So a scan that hits each thing once moves nobody.  What a thing
 * was shown with is remembered, of up to ten for each seat; when these are full
 * nobody loses a seat any more, so the series that ever begin are bounded, too.
 *
 * Each hit is shown once, where it was shown first: a series that begins does
 * not take from `other` what was in it, one that ends does not add to it, and
 * one that begins again goes on where it was.  With two seats, and the hits of
 * a, b and c:
 *
 *	hits of		a	b	c	shown
 *	first answer	900	500	40	a 900	b 500	other 40
 *	c gets busier	910	510	900	a 910	b 510	other 900
 *	more than twice	920	520	2000	a 920	c 0	other 2000
 *	later		930	530	2100	a 930	c 100	other 2010
 *	b gets busy	940	3000	2110	b 520	c 110	other 4480
 *	later		950	3100	2120	b 620	c 120	other 4490
 *
 * The sum of all series that there ever were grows by what was counted.
 *
 * A seat whose thing is gone from the rules is free; until another one needs it
 * a thing that comes back has it.
 *
 * An answer may show fewer things than there are seats: those of the first
 * `limit` seats.  What holds for all seats holds for the first of them.
 */

#ifndef FM_SEATS_H
#define FM_SEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "idmap.h"

/*
 * What is shown of its thing: what was shown when it had a seat earlier, and
 * since it has this one what sets that are gone had counted (kept), and those
 * that are there (now): earlier + kept + now - before.
 */
struct fm_seat {
	uint64_t		id;
	uint64_t		earlier;
	uint64_t		kept;
	uint64_t		now;		/* while an answer is made */
	uint64_t		hits;		/* likewise: all that it had */
	uint64_t		before;
	uint64_t		past;		/* shown while others had the
						 * seat */
	uint64_t		left;		/* 0, or its thing is gone: as
						 * the so manieth */
	bool			there;		/* while that is found out */
};

/* Zeroed is empty. */
struct fm_seats {
	struct fm_seat		*seats;
	uint32_t		n;
	uint64_t		nleft;		/* things so far */
	struct fm_idmap		map;		/* identity to seat + 1 */
	struct fm_idmap		earlier;	/* of things that had one: what
						 * was shown, + 1 */
};

void fm_seats_fini(struct fm_seats *);

/* NULL: it has none. */
struct fm_seat *fm_seats_find(const struct fm_seats *, uint64_t id);

/* How many of the first seats are free, or were never used. */
uint32_t fm_seats_free(const struct fm_seats *, uint32_t limit);

/* The seat with the fewest hits; NULL: one is free, or nobody may lose his. */
struct fm_seat *fm_seats_idlest(const struct fm_seats *, uint32_t limit);

/*
 * Gives a thing that has none this seat, or NULL: one of the first ones that is
 * free; of kept and before see above.  NULL: no memory.
 */
struct fm_seat *fm_seats_give(struct fm_seats *, struct fm_seat *,
    uint32_t limit, uint64_t id, uint64_t kept, uint64_t before);

/* Between the two fm_seat.there is set for each thing that still exists. */
void fm_seats_begin(struct fm_seats *);
void fm_seats_end(struct fm_seats *);

/* Since it has the seat, and in all. */
static inline uint64_t
fm_seat_counts(const struct fm_seat *seat)
{
	return (seat->kept + seat->now - seat->before);
}

static inline uint64_t
fm_seat_shows(const struct fm_seat *seat)
{
	return (seat->earlier + fm_seat_counts(seat));
}

#endif
