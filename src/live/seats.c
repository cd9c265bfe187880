/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Seats: given, kept, and given to others.
 */

#include "obj.h"
#include "seats.h"

#define SEATS_FIRST	16	/* room for so many at first */
#define SEATS_EARLIER	10	/* things remembered for each seat, of some 32
				 * bytes */

void
fm_seats_fini(struct fm_seats *seats)
{
	free(seats->seats);
	fm_idmap_fini(&seats->map);
	fm_idmap_fini(&seats->earlier);
	*seats = (struct fm_seats){ .n = 0 };
}

struct fm_seat *
fm_seats_find(const struct fm_seats *seats, uint64_t id)
{
	uint64_t at = fm_idmap_get(&seats->map, id);

	return (at == 0 ? NULL : &seats->seats[at - 1]);
}

uint32_t
fm_seats_free(const struct fm_seats *seats, uint32_t limit)
{
	uint32_t n = 0, i;

	for (i = 0; i < seats->n && i < limit; i++)
		n += seats->seats[i].left != 0;
	return (limit > seats->n ? n + limit - seats->n : n);
}

/* One behind the last.  NULL: no memory. */
static struct fm_seat *
seat_new(struct fm_seats *seats)
{
	struct fm_seat *more;

	/* A power of two: there is no room left. */
	if (seats->n == 0 || (seats->n >= SEATS_FIRST &&
	    (seats->n & (seats->n - 1)) == 0)) {
		more = reallocarray(seats->seats, seats->n == 0 ?
		    SEATS_FIRST : 2 * (size_t)seats->n, sizeof *more);
		if (more == NULL)
			return (NULL);
		seats->seats = more;
	}
	more = &seats->seats[seats->n++];
	*more = (struct fm_seat){ .left = 0 };
	return (more);
}

/* The seat whose thing has left first. */
static struct fm_seat *
seat_left(const struct fm_seats *seats, uint32_t limit)
{
	struct fm_seat *seat = NULL, *next;
	uint32_t i;

	for (i = 0; i < seats->n && i < limit; i++) {
		next = &seats->seats[i];
		if (next->left != 0 &&
		    (seat == NULL || seat->left > next->left))
			seat = next;
	}
	assert(seat != NULL);
	return (seat);
}

/* Returns true if one more thing may be remembered. */
static bool
seats_room(const struct fm_seats *seats)
{
	return (seats->earlier.used < SEATS_EARLIER * (size_t)seats->n);
}

struct fm_seat *
fm_seats_idlest(const struct fm_seats *seats, uint32_t limit)
{
	struct fm_seat *seat = NULL, *next;
	uint32_t i;

	if (seats->n < limit || !seats_room(seats))
		return (NULL);
	for (i = 0; i < limit; i++) {
		next = &seats->seats[i];
		if (next->left != 0)
			return (NULL);
		if (seat == NULL || seat->hits > next->hits)
			seat = next;
	}
	return (seat);
}

/*
 * Its thing goes; for one that is gone from the rules there may be no room to
 * remember it.
 */
static int
seat_empty(struct fm_seats *seats, struct fm_seat *seat)
{
	if ((seats_room(seats) ||
	    fm_idmap_get(&seats->earlier, seat->id) != 0) &&
	    fm_idmap_set(&seats->earlier, seat->id,
	    fm_seat_shows(seat) + 1) != 0)
		return (-1);
	seat->past += fm_seat_counts(seat);
	return (0);
}

static void
seats_map(struct fm_seats *seats)
{
	uint32_t i;
	int bad;

	fm_idmap_clear(&seats->map);
	for (i = 0; i < seats->n; i++) {
		bad = fm_idmap_set(&seats->map, seats->seats[i].id, i + 1);
		assert(!bad);
	}
}

struct fm_seat *
fm_seats_give(struct fm_seats *seats, struct fm_seat *seat, uint32_t limit,
    uint64_t id, uint64_t kept, uint64_t before)
{
	bool again = seat != NULL || seats->n >= limit;
	uint64_t earlier;

	assert(fm_seats_find(seats, id) == NULL);
	if (fm_idmap_reserve(&seats->map) != 0)
		return (NULL);
	if (seat == NULL)
		seat = again ? seat_left(seats, limit) : seat_new(seats);
	if (seat == NULL || (again && seat_empty(seats, seat) != 0))
		return (NULL);
	earlier = fm_idmap_get(&seats->earlier, id);
	seat->id = id;
	seat->earlier = earlier == 0 ? 0 : earlier - 1;
	seat->kept = kept;
	seat->now = 0;
	seat->before = before;
	seat->left = 0;
	if (again)
		seats_map(seats);
	else
		(void)fm_idmap_set(&seats->map, id, seats->n);
	return (seat);
}

void
fm_seats_begin(struct fm_seats *seats)
{
	uint32_t i;

	for (i = 0; i < seats->n; i++)
		seats->seats[i].there = false;
}

void
fm_seats_end(struct fm_seats *seats)
{
	struct fm_seat *seat;
	uint32_t i;

	for (i = 0; i < seats->n; i++) {
		seat = &seats->seats[i];
		if (seat->there)
			seat->left = 0;
		else if (seat->left == 0)
			seat->left = ++seats->nleft;
	}
}
