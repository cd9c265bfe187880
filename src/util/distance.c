/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Measures how far two names are apart, for "did you mean" (distance.h): row i
 * has the distances of the first i bytes of a to all starts of b, and is made
 * from the two rows before it.
 */

#include "distance.h"

#define DISTANCE_LEN	40		/* bytes; longer names are never near */

size_t
fm_distance(struct fm_text a, struct fm_text b, size_t max)
{
	size_t rows[3][DISTANCE_LEN + 1], *row, *up, *upup, i, j, cost, best;
	unsigned char x, y;

	if (a.len > DISTANCE_LEN || b.len > DISTANCE_LEN ||
	    a.len > b.len + max || b.len > a.len + max)
		return (max + 1);
	for (j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (i = 1; i <= a.len; i++) {
		row = rows[i % 3];
		up = rows[(i - 1) % 3];
		upup = rows[(i + 1) % 3];
		row[0] = best = i;
		for (j = 1; j <= b.len; j++) {
			x = fm_lower((unsigned char)a.b[i - 1]);
			y = fm_lower((unsigned char)b.b[j - 1]);
			cost = up[j - 1] + (x != y);
			if (up[j] + 1 < cost)
				cost = up[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			if (i > 1 && j > 1 && a.b[i - 1] == b.b[j - 2] &&
			    a.b[i - 2] == b.b[j - 1] &&
			    upup[j - 2] + 1 < cost)
				cost = upup[j - 2] + 1;
			row[j] = cost;
			if (cost < best)
				best = cost;
		}
		if (best > max)
			return (max + 1);
	}
	return (rows[a.len % 3][b.len] <= max ? rows[a.len % 3][b.len] :
	    max + 1);
}
