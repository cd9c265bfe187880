/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Durations as VCL has them: a number and one of ms, s, m, h, d, w, y.
 */

#ifndef FM_DURATION_H
#define FM_DURATION_H

#include <stdbool.h>

#include "text.h"

enum fm_duration {
	FM_DURATION_OK,
	FM_DURATION_BAD,	/* it is none */
	FM_DURATION_UNIT,	/* a number without a unit */
	FM_DURATION_SUM,	/* several, as 1h30m */
	FM_DURATION_LONG	/* longer than a hundred years */
};

/* "1.5h" is 5400 seconds; a millisecond is the least that counts. */
enum fm_duration fm_duration_parse(struct fm_text, double *seconds);

#define FM_DURATION_PRINT	32

/* Writes seconds as people write them: "2h", "90s", "1.5s".  Returns buf. */
const char *fm_duration_print(double seconds, char buf[FM_DURATION_PRINT]);

#endif
