/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the history of a path as JSON: lists of the curves' numbers.
 */

#include <stdlib.h>
#include <string.h>

#include "history_json.h"

#define POINTS		(FM_HISTORY_MINUTES * FM_HISTORY_PARTS)
#define MINUTE		60	/* seconds */

#define put		fm_jsonbuf_print
#define put_raw		fm_jsonbuf_raw

/* Too large for the stack of a worker. */
struct writing {
	const struct fm_hits_history *read;
	time_t			real;		/* now */
	uint64_t		first;		/* minute that is shown */

	/* The curve that is written. */
	size_t			n;		/* points */
	uint64_t		numbers[FM_HISTORY_NUMBERS][POINTS];
};

static void
point_add(struct writing *writing, size_t at,
    const struct fm_history_point *point)
{
	unsigned k;

	for (k = 0; k < FM_HISTORY_NUMBERS; k++)
		writing->numbers[k][at] += point->n[k];
}

static void
curve_begin(struct writing *writing)
{
	writing->n = 0;
	memset(writing->numbers, 0, sizeof writing->numbers);
}

static void
curve_all(struct writing *writing)
{
	const struct fm_history *history = &writing->read->history;
	uint64_t minute;
	unsigned part, parts;

	curve_begin(writing);
	for (minute = writing->first; minute <= history->minute; minute++) {
		parts = minute == history->minute ? history->part + 1 :
		    FM_HISTORY_PARTS;
		for (part = 0; part < parts; part++)
			point_add(writing, writing->n++, &history->all
			    [minute % FM_HISTORY_MINUTES][part]);
	}
}

static void
curve_seat(struct writing *writing, const struct fm_history_seat *seat)
{
	uint64_t minute = writing->first;

	curve_begin(writing);
	if (minute < seat->since)
		minute = seat->since;
	for (; minute <= writing->read->history.minute; minute++)
		point_add(writing, writing->n++,
		    &seat->minutes[minute % FM_HISTORY_MINUTES]);
}

/* Subtracts a minute of a host.  A number that reached its end stays above. */
static void
point_subtract(struct writing *writing, size_t at,
    const struct fm_history_point *point)
{
	uint64_t *number;
	unsigned k;

	for (k = 0; k < FM_HISTORY_NUMBERS; k++) {
		number = &writing->numbers[k][at];
		*number -= *number < point->n[k] ? *number : point->n[k];
	}
}

/* All but the hosts that are written. */
static void
curve_other(struct writing *writing)
{
	const struct fm_history *history = &writing->read->history;
	unsigned place, i;
	uint64_t minute;

	curve_begin(writing);
	for (minute = writing->first; minute <= history->minute; minute++) {
		place = (unsigned)(minute % FM_HISTORY_MINUTES);
		for (i = 0; i < FM_HISTORY_PARTS; i++)
			point_add(writing, writing->n, &history->all[place][i]);
		for (i = 0; i < FM_HISTORY_SEATS; i++)
			if (writing->read->hosts[i] != UINT32_MAX)
				point_subtract(writing, writing->n,
				    &history->seats[i].minutes[place]);
		writing->n++;
	}
}

/* Rounds up: a point that is not over ends after now. */
static uintmax_t
seconds_up(double seconds)
{
	uintmax_t whole = (uintmax_t)seconds;

	return (seconds > (double)whole ? whole + 1 : whole);
}

/* Writes the members of a curve, whose last point is point number `last`. */
static void
put_curve(struct fm_jsonbuf *out, const struct writing *writing,
    unsigned step, uint64_t last)
{
	static const struct {
		const char		*key;
		bool			response;
	} lists[FM_HISTORY_NUMBERS] = {
		[FM_HISTORY_REQUESTS] = { "requests", false },
		[FM_HISTORY_HITS] = { "hits", true },
		[FM_HISTORY_MISSES] = { "misses", true },
		[FM_HISTORY_PASSES] = { "passes", true },
		[FM_HISTORY_REFUSED] = { "refused", false },
		[FM_HISTORY_4XX] = { "4xx", true },
		[FM_HISTORY_5XX] = { "5xx", true }
	};
	double left = (double)(last + 1) * step - writing->read->history.clock;
	unsigned k;
	size_t i;

	put(out, "\"step\": %ju, \"end\": %ju", (uintmax_t)step,
	    (uintmax_t)writing->real + seconds_up(left));
	for (k = 0; k < FM_HISTORY_NUMBERS; k++) {
		put(out, ", %s: ", lists[k].key);
		if (lists[k].response && !writing->read->responding) {
			put_raw(out, "null");
			continue;
		}
		for (i = 0; i < writing->n; i++) {
			put_raw(out, i == 0 ? "[" : ",");
			fm_jsonbuf_number(out, writing->numbers[k][i]);
		}
		put_raw(out, "]");
	}
	put_raw(out, "}");
}

static void
put_history(struct fm_jsonbuf *out, const struct fm_program *program,
    struct writing *writing)
{
	const struct fm_history *history = &writing->read->history;
	uint64_t minute = history->minute;
	unsigned seat, n = 0;
	uint32_t host;

	if (minute >= FM_HISTORY_MINUTES)
		writing->first = minute - FM_HISTORY_MINUTES + 1;
	put(out, "{\"since\": %ju,\n\"known\": ",
	    (uintmax_t)(writing->real - (time_t)history->clock));
	put_raw(out, writing->read->responding ? "true" : "false");
	put_raw(out, ",\n\"all\": {");
	curve_all(writing);
	put_curve(out, writing, FM_HISTORY_STEP,
	    minute * FM_HISTORY_PARTS + history->part);
	put_raw(out, ",\n\"hosts\": [");
	for (seat = 0; seat < FM_HISTORY_SEATS; seat++) {
		host = writing->read->hosts[seat];
		if (host == UINT32_MAX)
			continue;
		put(out, n++ == 0 ? "\n{\"host\": %s, " :
		    ",\n{\"host\": %s, ", fm_program_host(program, host, NULL));
		curve_seat(writing, &history->seats[seat]);
		put_curve(out, writing, MINUTE, minute);
	}
	put_raw(out, "],\n\"other\": {");
	curve_other(writing);
	put_curve(out, writing, MINUTE, minute);
	put_raw(out, "}");
}

void
fm_history_json(struct fm_jsonbuf *out, const struct fm_program *program,
    const struct fm_hits_history *read, time_t real)
{
	struct writing *writing;

	if (read == NULL) {
		put_raw(out, "null");
		return;
	}
	writing = calloc(1, sizeof *writing);
	if (writing == NULL) {
		out->failed = true;
		return;
	}
	writing->read = read;
	writing->real = real;
	put_history(out, program, writing);
	free(writing);
}
