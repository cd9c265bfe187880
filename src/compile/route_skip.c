/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts an FM_OP_SKIP in front of tests of the path that follow each other.  If
 * the last byte of the path (or the second one, for tests of how it begins) is
 * that of no operand, none of these tests can be true, and one operation leads
 * past all of them.
 *
 *	when path ends .css .js { A }		SKIP last: s m /, b: M
 *	when path like *.cfm or path is / { B }	IF path ends .css .js
 *						A
 *						IF path like *.cfm
 *						IF path is /
 *						B
 *						M:
 */

#include "route_priv.h"

/* A set with more bits than this (of 64) leads past too few tests. */
#define SKIP_BITS	16

/*
 * Returns the bits of the bytes that a path must have there for the test to be
 * true; all bits if the test does not depend on that byte.  The second byte of
 * `/` is `/`.
 */
static uint64_t
skip_bits(const struct fm_program *program, const struct fm_test *test,
    bool last)
{
	const struct fm_text *operand = &program->texts[test->first];
	uint64_t bits = 0;
	uint32_t i;

	if (test->kind != FM_TEST_TEXTS ||
	    test->subject.kind != FM_SUBJECT_PATH)
		return (~0ULL);
	if (last) {
		bits = test->mode == FM_PATTERN_PREFIX ? ~0ULL : test->ends;
	} else if (test->mode == FM_PATTERN_EXACT) {
		for (i = 0; i < test->count; i++)
			bits |= fm_byte_bit((unsigned char)
			    operand[i].b[operand[i].len > 1]);
	} else if (test->mode == FM_PATTERN_PREFIX) {
		for (i = 0; i < test->count; i++)
			bits |= operand[i].len < 2 ? ~0ULL :
			    fm_byte_bit((unsigned char)operand[i].b[1]);
	} else {
		return (~0ULL);
	}
	return (test->nocase ? bits | bits << 32 | bits >> 32 : bits);
}

static bool
skip_fits(uint64_t bits)
{
	return (__builtin_popcountll(bits) <= SKIP_BITS);
}

void
fm_route_skip(struct fm_route *route, const struct fm_test *test)
{
	struct fm_op skip = { .code = FM_OP_SKIP, .when = true };
	const struct fm_op *before;
	uint64_t bits;

	skip.last = test->mode != FM_PATTERN_PREFIX;
	bits = skip_bits(route->program, test, skip.last);
	if (!skip_fits(bits))
		return;
	before = fm_route_op(route, route->compile->ops.n - 1);
	if (before->code == FM_OP_IF && route->skip_last == skip.last &&
	    skip_fits(route->skip | bits)) {
		route->skip |= bits;
		return;
	}
	route->skip = bits;
	route->skip_last = skip.last;
	fm_route_emit(route, &skip);
}

/*
 * Fills in a skip: goes the way of a request for which all tests are false, up
 * to an operation that is not such a test.
 */
static void
skip_make(const struct fm_route *route, size_t at)
{
	const struct fm_program *program = route->program;
	struct fm_op *skip = fm_route_op(route, at);
	const struct fm_op *op;
	uint64_t bits;
	size_t n = at;

	skip->bits = 0;
	for (;;) {
		op = fm_route_op(route, ++n);
		if (op->code == FM_OP_SKIP)
			continue;
		bits = op->code == FM_OP_IF ? skip->bits | skip_bits(program,
		    &program->tests[op->a], skip->last) : ~0ULL;
		if (!skip_fits(bits))
			break;
		skip->bits = bits;
		if (!op->when)
			n += op->b - 1;
	}
	skip->b = (uint32_t)(n - at);
}

void
fm_route_skips(struct fm_route *route, size_t first)
{
	for (; first < route->compile->ops.n; first++)
		if (fm_route_op(route, first)->code == FM_OP_SKIP)
			skip_make(route, first);
}
