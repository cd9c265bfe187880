/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the curves of a path of rules (history.h) as JSON, for the page.
 *
 *	{"since": 1700000000,
 *	"known": true,
 *	"all": {"step": 10, "end": 1700003600, "requests": [17,0,4],
 *	    "hits": [..], "misses": [..], "passes": [..], "refused": [..],
 *	    "4xx": [..], "5xx": [..]},
 *	"hosts": [
 *	{"host": "a.example", "step": 60, "end": 1700003640, ..}],
 *	"other": {"step": 60, "end": 1700003640, ..}}
 *
 * A list has a number for each point of `step` seconds, the oldest first; the
 * last point is still counted, and is over at `end` (seconds since 1970), which
 * may be up to `step` seconds from now.  Lists of one curve are equally long:
 * at most 360 points of all, and 60 of a host and of the others.  They are
 * shorter while the worker is younger than an hour (`since` says when it
 * began), and for a host that has its curve for less than an hour: before that,
 * it is one of the others.  Hosts have no order.
 *
 * `all` has the requests without a host of the rules as well, and so has
 * `other`.  In each minute the hosts and `other` add up to `all`.
 *
 * Where responses are not counted, `known` is false, and the lists of hits,
 * misses, passes, 4xx and 5xx are null.  The value as a whole is null if there
 * is no history.
 */

#ifndef FM_HISTORY_JSON_H
#define FM_HISTORY_JSON_H

#include "hits.h"
#include "jsonbuf.h"
#include "program.h"

/*
 * Writes the value.  The history is that of the program, or NULL, as it was at
 * the time `real`, in seconds since 1970.
 */
void fm_history_json(struct fm_jsonbuf *, const struct fm_program *,
    const struct fm_hits_history *, time_t real);

#endif
