/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON of a history, as Jansson reads it.  Functions below stand for the
 * program and its counters.
 */

#include <jansson.h>

#include "alloc.h"
#include "history_json.h"
#include "unit.h"

static struct fm_hits_history fake;

const char *
fm_program_host(const struct fm_program *program, uint32_t n, uint32_t *counter)
{
	static char host[20];

	ck_assert_ptr_nonnull(program);
	ck_assert_ptr_null(counter);
	(void)snprintf(host, sizeof host, "h%u.example", n);
	return (host);
}

/* Never looked into. */
static char something;
#define FAKE(type)	((type *)(void *)&something)
#define REAL		1700000000

static const char * const keys[FM_HISTORY_NUMBERS] = {
	"requests", "hits", "misses", "passes", "refused", "4xx", "5xx"
};

static json_t *
history(const struct fm_hits_history *read)
{
	struct fm_jsonbuf out = { .bytes = NULL };
	json_error_t error;
	json_t *json;
	char *text;

	fm_history_json(&out, FAKE(struct fm_program), read, REAL);
	text = fm_jsonbuf_finish(&out);
	ck_assert_ptr_nonnull(text);
	json = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
	    &error);
	ck_assert_msg(json != NULL, "line %d: %s in\n%s", error.line,
	    error.text, text);
	free(text);
	return (json);
}

/* A random load, in which no number gets large; begins anew. */
static void
fake_load(uint64_t minute, unsigned seats)
{
	struct fm_history *h = &fake.history;
	uint64_t m, first = minute > 59 ? minute - 59 : 0;
	unsigned part, k, i, n;

	memset(&fake, 0, sizeof fake);
	fake.responding = true;
	h->begun = true;
	h->minute = minute;
	h->part = unit_below(6);
	h->clock = (double)minute * 60 + h->part * 10 + unit_below(40) / 4.0;
	for (i = 0; i < FM_HISTORY_SEATS; i++) {
		fake.hosts[i] = i < seats && i % 5 != 3 ? 1000 + i : UINT32_MAX;
		if (i < seats)
			h->seats[i].owner = &something;
		h->seats[i].since = unit_below(2) == 0 ? 0 :
		    first + unit_below((unsigned)(minute - first) + 1);
	}
	for (m = first; m <= minute; m++)
		for (part = 0; part < (m == minute ? h->part + 1 : 6); part++)
			for (k = 0; k < FM_HISTORY_NUMBERS; k++) {
				n = unit_below(1000);
				i = unit_below(FM_HISTORY_SEATS);
				h->all[m % 60][part].n[k] += n + 1;
				if (i < seats && m >= h->seats[i].since)
					h->seats[i].minutes[m % 60].n[k] += n;
			}
}

static uint64_t
number(json_t *curve, const char *key, size_t i)
{
	json_t *value = json_array_get(json_object_get(curve, key), i);

	ck_assert(json_is_integer(value));
	return ((uint64_t)json_integer_value(value));
}

/* A curve has this number of points, and ends in time. */
static void
curve_is(json_t *curve, unsigned step, size_t n)
{
	json_int_t end = json_integer_value(json_object_get(curve, "end"));
	unsigned k;

	ck_assert_int_eq(json_integer_value(json_object_get(curve, "step")),
	    step);
	ck_assert_int_gt(end, REAL);
	ck_assert_int_le(end, REAL + step);
	for (k = 0; k < FM_HISTORY_NUMBERS; k++)
		ck_assert_uint_eq(json_array_size(json_object_get(curve,
		    keys[k])), n);
}

/* In each minute, the hosts and the others add up to all. */
static void
minutes_add_up(json_t *json, size_t minutes)
{
	json_t *all = json_object_get(json, "all"), *host;
	json_t *other = json_object_get(json, "other");
	json_t *hosts = json_object_get(json, "hosts");
	size_t m, i, n, points = json_array_size(json_object_get(all, "hits"));
	uint64_t sum, want;
	unsigned k;

	for (k = 0; k < FM_HISTORY_NUMBERS; k++)
		for (m = 0; m < minutes; m++) {
			for (i = m * 6, want = 0; i < m * 6 + 6 && i < points;
			    i++)
				want += number(all, keys[k], i);
			sum = number(other, keys[k], m);
			json_array_foreach(hosts, i, host) {
				n = json_array_size(json_object_get(host,
				    keys[k]));
				if (m >= minutes - n)
					sum += number(host, keys[k],
					    m - (minutes - n));
			}
			ck_assert_uint_eq(sum, want);
		}
}

UNIT_LOOP(curves_in_json_do_not_add_up, 8)
{
	static const struct {
		uint64_t	minute;
		unsigned	seats;
	} loads[] = {
		{ 0, 0 }, { 0, 1 }, { 1, 32 }, { 58, 32 }, { 59, 4 },
		{ 60, 32 }, { 61, 30 }, { 100000, 32 }
	};
	const struct fm_history *h = &fake.history;
	size_t minutes, i, n = 0;
	json_t *json, *host;
	uint64_t first, since;

	unit_seed("history_json");
	fake_load(loads[_i].minute, loads[_i].seats);
	json = history(&fake);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "since")),
	    REAL - (json_int_t)h->clock);
	ck_assert(json_is_true(json_object_get(json, "known")));
	minutes = h->minute < 60 ? h->minute + 1 : 60;
	first = h->minute + 1 - minutes;
	curve_is(json_object_get(json, "all"), 10,
	    (minutes - 1) * 6 + h->part + 1);
	curve_is(json_object_get(json, "other"), 60, minutes);
	for (i = 0; i < FM_HISTORY_SEATS; i++) {
		if (fake.hosts[i] == UINT32_MAX)
			continue;
		host = json_array_get(json_object_get(json, "hosts"), n++);
		ck_assert_str_eq(json_string_value(json_object_get(host,
		    "host")), fm_program_host(FAKE(struct fm_program),
		    fake.hosts[i], NULL));
		since = h->seats[i].since < first ? first : h->seats[i].since;
		curve_is(host, 60, h->minute + 1 - since);
	}
	ck_assert_uint_eq(json_array_size(json_object_get(json, "hosts")), n);
	minutes_add_up(json, minutes);
	json_decref(json);
}

UNIT_TEST(responses_that_are_not_known_are_0)
{
	json_t *json, *curves[3], *value;
	unsigned i, k;

	unit_seed("history_json");
	fake_load(3, 1);
	fake.responding = false;
	json = history(&fake);
	ck_assert(json_is_false(json_object_get(json, "known")));
	curves[0] = json_object_get(json, "all");
	curves[1] = json_object_get(json, "other");
	curves[2] = json_array_get(json_object_get(json, "hosts"), 0);
	for (i = 0; i < 3; i++)
		for (k = 0; k < FM_HISTORY_NUMBERS; k++) {
			value = json_object_get(curves[i], keys[k]);
			if (k == FM_HISTORY_REQUESTS || k == FM_HISTORY_REFUSED)
				ck_assert(json_is_array(value));
			else
				ck_assert(json_is_null(value));
		}
	json_decref(json);
}

/* Where numbers of all have reached their end, the others are not below 0. */
UNIT_TEST(the_others_are_below_0)
{
	json_t *json;

	unit_seed("history_json");
	fake_load(0, 2);
	fake.history.all[0][0].n[0] = 5;
	fake.history.seats[0].since = 0;
	fake.history.seats[0].minutes[0].n[0] = UINT32_MAX;
	fake.history.part = 0;
	memset(&fake.history.all[0][1], 0, 5 * sizeof fake.history.all[0][1]);
	json = history(&fake);
	ck_assert_uint_eq(number(json_object_get(json, "other"), "requests", 0),
	    0);
	json_decref(json);
}

UNIT_TEST(nothing_to_tell_is_no_json)
{
	json_t *json = history(NULL);

	ck_assert(json_is_null(json));
	json_decref(json);
}

UNIT_TEST(no_memory_breaks_the_json)
{
	struct fm_jsonbuf out;
	char *text = NULL;
	long left;

	unit_seed("history_json");
	fake_load(60, 32);
	for (left = 0; text == NULL; left++) {
		ck_assert_int_lt(left, 100);
		memset(&out, 0, sizeof out);
		alloc_left = left;
		fm_history_json(&out, FAKE(struct fm_program), &fake, REAL);
		text = fm_jsonbuf_finish(&out);
		alloc_left = -1;
	}
	ck_assert_uint_gt(left, 3);
	ck_assert_uint_gt(strlen(text), 20000);
	ck_assert_uint_lt(strlen(text), 100000);
	free(text);
}

int
main(void)
{
	return (unit_main("history_json", 20));
}
