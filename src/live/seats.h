/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which things are shown as a counter of their own, where all others are one
 * sum, `other`, and no counter may ever go back.
 *
 * A counter needs a seat.  A thing that has one keeps it as long as it exists,
 * however busy others get; and each hit is shown once, where it was shown
 * first: a series that begins does not take from `other` what was in it, one
 * that ends does not add to it.  With two seats, and the hits of a, b and c:
 *
 *	hits of		a	b	c	shown
 *	first answer	900	500	40	a 900	b 500	other 40
 *	c gets busy	910	510	9000	a 910	b 510	other 9000
 *	b is removed	920		9100	a 920	c 0	other 9100
 *	later		930		9150	a 930	c 50	other 9100
 *	b comes back	940	7	9160	a 940	c 60	other 9107
 *
 * So the sum of all series grows by what was counted, too, unless one ends.
 * A seat whose thing is gone remembers it until another one needs the seat: a
 * rule that was taken out and is put back mostly goes on where it was.
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
 * What is shown of its thing: what sets that are gone had counted (kept), and
 * what those that are there have counted (now) since it has the seat:
 * kept + now - before.
 */
struct fm_seat {
	uint64_t		id;
	uint64_t		kept;
	uint64_t		now;		/* while an answer is made */
	uint64_t		before;
	uint64_t		past;		/* shown of things that had the
						 * seat earlier */
	uint64_t		left;		/* 0, or the thing is gone: as
						 * the so manieth */
	bool			there;		/* while that is found out */
};

/* Zeroed is empty. */
struct fm_seats {
	struct fm_seat		*seats;
	uint32_t		n;
	uint64_t		nleft;		/* things so far */
	struct fm_idmap		map;		/* identity to seat + 1 */
};

void fm_seats_fini(struct fm_seats *);

/* NULL: it has none. */
struct fm_seat *fm_seats_find(const struct fm_seats *, uint64_t id);

/* How many of the first seats are free, or were never used. */
uint32_t fm_seats_free(const struct fm_seats *, uint32_t limit);

/*
 * Gives a thing that has none one of these; of kept and before see above.
 * NULL: no memory.
 */
struct fm_seat *fm_seats_give(struct fm_seats *, uint32_t limit, uint64_t id,
    uint64_t kept, uint64_t before);

/* Between the two fm_seat.there is set for each thing that still exists. */
void fm_seats_begin(struct fm_seats *);
void fm_seats_end(struct fm_seats *);

static inline uint64_t
fm_seat_shows(const struct fm_seat *seat)
{
	return (seat->kept + seat->now - seat->before);
}

#endif
