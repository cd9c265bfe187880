/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory of a run: its own bytes first, then the heap, up to a bound.
 */

#include "scratch.h"
#include "unit.h"

static struct fm_scratch scratch;

/* Returns whether p is in the owner's bytes. */
static bool
is_inline(const void *p)
{
	const char *b = p;

	return (b >= scratch.bytes && b < scratch.bytes + sizeof scratch.bytes);
}

UNIT_TEST(small_requests_take_no_heap)
{
	char *a, *b;

	fm_scratch_init(&scratch);
	a = fm_scratch_alloc(&scratch, 1);
	b = fm_scratch_alloc(&scratch, FM_SCRATCH_INLINE - 16);
	ck_assert(is_inline(a) && is_inline(b));
	ck_assert_ptr_eq(b, a + 16);
	ck_assert_uint_eq(scratch.taken, 0);
	memset(b, 1, FM_SCRATCH_INLINE - 16);
	fm_scratch_fini(&scratch);
}

UNIT_TEST(pieces_overlap_or_are_not_aligned)
{
	static struct {
		unsigned char	*b;
		size_t		len;
	} got[2000];
	unsigned i;
	size_t k;

	fm_scratch_init(&scratch);
	for (i = 0; i < 2000; i++) {
		got[i].len = i % 50 == 0 ? 20000 : unit_below(500);
		got[i].b = fm_scratch_alloc(&scratch, got[i].len);
		ck_assert_ptr_nonnull(got[i].b);
		ck_assert_uint_eq((uintptr_t)got[i].b % 16, 0);
		memset(got[i].b, (int)(i & 0xff), got[i].len);
	}
	for (i = 0; i < 2000; i++)
		for (k = 0; k < got[i].len; k++)
			if (got[i].b[k] != (i & 0xff))
				ck_abort_msg("chunk %u is overwritten", i);
	fm_scratch_fini(&scratch);
	ck_assert_ptr_null(scratch.chunks);
}

UNIT_TEST(a_large_request_wastes_what_is_free)
{
	char *a, *b;

	fm_scratch_init(&scratch);
	ck_assert(!is_inline(fm_scratch_alloc(&scratch, 100000)));
	a = fm_scratch_alloc(&scratch, 100);
	ck_assert(is_inline(a));
	fm_scratch_shrink(&scratch, a, 100, 20);
	b = fm_scratch_alloc(&scratch, 10);
	ck_assert_ptr_eq(b, a + 32);
	/* a is not the last any more */
	fm_scratch_shrink(&scratch, a, 20, 0);
	ck_assert_ptr_eq(fm_scratch_alloc(&scratch, 1), b + 16);
	fm_scratch_fini(&scratch);
}

UNIT_TEST(more_than_the_bound_is_given)
{
	unsigned n = 0;

	fm_scratch_init(&scratch);
	ck_assert_ptr_null(fm_scratch_alloc(&scratch, FM_SCRATCH_MAX + 1));
	ck_assert_ptr_null(fm_scratch_alloc(&scratch, SIZE_MAX));
	while (fm_scratch_alloc(&scratch, 1UL << 20) != NULL)
		n++;
	ck_assert_uint_eq(n, FM_SCRATCH_MAX >> 20);
	ck_assert_ptr_nonnull(fm_scratch_alloc(&scratch, 16));
	fm_scratch_fini(&scratch);
}

int
main(void)
{
	unit_seed("scratch");
	return (unit_main("scratch", 60));
}
