/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out whether rules for deliveries may do anything in vcl_synth.  There
 * `cache is own` is true, and nothing else of `cache`:
 *
 *	when cache is hit pass and status is 404 { unset Via; }		no
 *	when not cache is own { unset Via; } else { stop; }		no
 *	when status is 404 { unset Via; }				yes
 *
 * Each other test may be true or false, so an operation is reached if a jump
 * or the operation before leads there.  Jumps lead forward, so one pass does.
 * That a test may be undecided, and the answer be denied then, does not count.
 *
 * A redirect or an answer is completed in vcl_synth, whatever `cache` was in
 * vcl_deliver: with one of them it is yes.
 */

#include "compile_priv.h"
#include "trace.h"

/* Returns true if all that an operation does is to lead to others. */
static bool
op_leads(const struct fm_op *op)
{
	return (op->code == FM_OP_TEST || op->code == FM_OP_WHEN ||
	    op->code == FM_OP_ELSE || op->code == FM_OP_JUMP ||
	    op->code == FM_OP_STOP || op->code == FM_OP_USE ||
	    op->code == FM_OP_COUNT);
}

/* Says whether such an operation may jump, and may go on to the next one. */
static void
op_ways(struct fm_compile *compile, const struct fm_op *op, bool *jumps,
    bool *goes_on)
{
	const struct fm_test *test;
	enum fm_outcome outcome;

	*jumps = op->code == FM_OP_TEST || op->code == FM_OP_JUMP ||
	    op->code == FM_OP_STOP;
	*goes_on = op->code != FM_OP_JUMP && op->code != FM_OP_STOP;
	/* Without the groups of its pattern, a condition is not met. */
	if (op->code == FM_OP_WHEN)
		*jumps = FM_GROW_AT(&compile->conds, struct fm_cond_code,
		    op->a)->ncaptures > 0;
	if (op->code != FM_OP_TEST)
		return;
	test = FM_GROW_AT(&compile->tests, struct fm_test, op->a);
	if (test->kind != FM_TEST_FLAGS ||
	    test->subject.kind != FM_SUBJECT_CACHE)
		return;
	outcome = (test->first & FM_CACHE_OWN) != 0 ? FM_TRUE : FM_FALSE;
	*jumps = (op->on >> outcome & 1) != 0;
	*goes_on = !*jumps;
}

bool
fm_compile_acts_in_synth(struct fm_compile *compile)
{
	/* The blocks of this phase begin with `always`. */
	uint32_t first = FM_GROW_AT(&compile->blocks, struct fm_block_code,
	    compile->blocks_at + compile->model->nrulesets +
	    compile->model->nsites)->traced;
	const struct fm_op *op = FM_GROW_AT(&compile->ops, struct fm_op, first);
	uint32_t n, count = (uint32_t)compile->ops.n - first;
	bool *reached, jumps, goes_on = true;

	reached = fm_compile_alloc(compile, &compile->lowered, count);
	for (n = 0; n < count; n++, op++) {
		if (op->code == FM_OP_REDIRECT || op->code == FM_OP_ANSWER)
			return (true);
		if (!goes_on && !reached[n])
			continue;
		if (op->code == FM_OP_END) {
			goes_on = true;	/* the next block begins */
			continue;
		}
		if (!op_leads(op))
			return (true);
		op_ways(compile, op, &jumps, &goes_on);
		if (jumps)
			reached[n + op->b] = true;
	}
	return (false);
}
