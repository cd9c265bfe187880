/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The arena: nothing overlaps, nothing moves, everything is aligned.
 */

#include <stddef.h>

#include "arena.h"
#include "unit.h"

#define THINGS	5000

UNIT_TEST(things_of_all_sizes_keep_their_bytes)
{
	struct fm_arena arena = { 0 };
	struct {
		char		*p;
		size_t		len;
	} things[THINGS];
	const char *text;
	size_t i, k, total = 0;

	unit_seed("arena");
	for (i = 0; i < THINGS; i++) {
		things[i].len = unit_below(unit_below(50) == 0 ? 200000 : 60);
		total += things[i].len;
		if (unit_below(2) == 0) {
			things[i].p = fm_arena_alloc(&arena, things[i].len);
			ck_assert_uint_eq((uintptr_t)things[i].p %
			    _Alignof(max_align_t), 0);
			for (k = 0; k < things[i].len; k++)
				if (things[i].p[k] != 0)
					ck_abort_msg("not zeroed");
			memset(things[i].p, (int)(i & 0x7f), things[i].len);
		} else {
			text = malloc(things[i].len + 1);
			memset((char *)(uintptr_t)text, (int)(i & 0x7f),
			    things[i].len);
			things[i].p = (char *)(uintptr_t)fm_arena_add(&arena,
			    fm_text(text, things[i].len));
			free((char *)(uintptr_t)text);
			ck_assert_int_eq(things[i].p[things[i].len], '\0');
		}
	}
	for (i = 0; i < THINGS; i++)
		for (k = 0; k < things[i].len; k++)
			if (things[i].p[k] != (char)(i & 0x7f))
				ck_abort_msg("thing %zu was written over", i);
	ck_assert_uint_ge(fm_arena_bytes(&arena), total);
	fm_arena_fini(&arena);
	ck_assert_uint_eq(fm_arena_bytes(&arena), 0);
	/* and again */
	ck_assert_ptr_nonnull(fm_arena_alloc(&arena, 1));
	fm_arena_fini(&arena);
}

int
main(void)
{
	return (unit_main("arena", 60));
}
