/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Curves of the last hour: rings of points, and who has a seat.
 */

#include <string.h>

#include "history.h"
#include "obj.h"

#define FORWARD		1e9	/* seconds: a clock goes no further at once, so
				 * that minutes are numbers */
#define BACK		1.0	/* seconds: two threads may give their times in
				 * the other order, and be as far apart */

/* Forgets the points of a minute that begins. */
static void
minute_begin(struct fm_history *history, uint64_t minute)
{
	unsigned place = (unsigned)(minute % FM_HISTORY_MINUTES), seat;

	memset(history->all[place], 0, sizeof history->all[place]);
	for (seat = 0; seat < FM_HISTORY_SEATS; seat++)
		memset(&history->seats[seat].minutes[place], 0,
		    sizeof history->seats[seat].minutes[place]);
}

void
fm_history_advance(struct fm_history *history, double now)
{
	double passed = now - history->last;
	uint64_t point, minute, begin;

	if (!history->begun) {
		history->begun = true;
		history->last = now;
		return;
	}
	if (passed < -BACK)
		history->last = now;
	if (!(passed > 0))
		return;
	history->last = now;
	history->clock += passed < FORWARD ? passed : FORWARD;
	point = (uint64_t)(history->clock / FM_HISTORY_STEP);
	minute = point / FM_HISTORY_PARTS;
	begin = history->minute + 1;
	if (minute >= begin + FM_HISTORY_MINUTES)
		begin = minute - FM_HISTORY_MINUTES + 1;
	for (; begin <= minute; begin++)
		minute_begin(history, begin);
	history->minute = minute;
	history->part = (unsigned)(point % FM_HISTORY_PARTS);
}

static void
point_add(struct fm_history_point *point, const struct fm_history_point *more)
{
	unsigned i;

	for (i = 0; i < FM_HISTORY_NUMBERS; i++)
		if (__builtin_add_overflow(point->n[i], more->n[i],
		    &point->n[i]))
			point->n[i] = UINT32_MAX;
}

void
fm_history_add(struct fm_history *history, unsigned seat,
    const struct fm_history_point *more)
{
	unsigned place = (unsigned)(history->minute % FM_HISTORY_MINUTES);

	point_add(&history->all[place][history->part], more);
	if (seat < FM_HISTORY_SEATS)
		point_add(&history->seats[seat].minutes[place], more);
}

/* Returns the requests of the owner of a seat in the last hour. */
static uint64_t
seat_requests(const struct fm_history *history,
    const struct fm_history_seat *seat)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < FM_HISTORY_MINUTES; i++)
		sum += seat->minutes[i].n[FM_HISTORY_REQUESTS];
	if (history->minute - seat->since < FM_HISTORY_MINUTES)
		sum += seat->before;
	return (sum);
}

unsigned
fm_history_find(const struct fm_history *history, uint64_t requests)
{
	unsigned seat, least = FM_HISTORY_SEATS;
	uint64_t sum;

	for (seat = 0; seat < FM_HISTORY_SEATS; seat++) {
		if (history->seats[seat].owner == NULL)
			return (seat);
		sum = seat_requests(history, &history->seats[seat]);
		if (sum < requests) {
			requests = sum;
			least = seat;
		}
	}
	return (least);
}

void
fm_history_take(struct fm_history *history, unsigned seat, void *owner,
    uint64_t before)
{
	struct fm_history_seat *taken = &history->seats[seat];

	assert(owner != NULL && taken->owner == NULL);
	taken->owner = owner;
	taken->since = history->minute;
	taken->before = before;
	history->nseats++;
}

void
fm_history_leave(struct fm_history *history, unsigned seat)
{
	struct fm_history_seat *left = &history->seats[seat];

	assert(left->owner != NULL);
	memset(left, 0, sizeof *left);
	history->nseats--;
}
