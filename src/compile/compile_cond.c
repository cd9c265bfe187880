/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles conditions, from the parser's binary tree to tests that jump, in
 * three steps:
 *
 *	1. a plan: a tree in which each `not` is at a test, and in which `a and
 *	   (b and c)` is one node with three children;
 *	2. the tests of the plan, in the order of the text, after which the
 *	   children of each node are sorted by cost;
 *	3. an FM_OP_TEST for each test (struct fm_cond_code has an example).
 *
 *	not (url ~ x or path is /a) and host in HOSTS
 *
 *	AND
 *	 +- TEST path is /a, 1 not	cheap: comes first
 *	 +- TEST host in HOSTS
 *	 +- TEST url ~ x, 1 not
 */

#include "compile_priv.h"
#include "obj.h"
#include "trace.h"

enum plan_kind {
	PLAN_TEST,
	PLAN_AND,
	PLAN_OR
};

/* A node of the plan, in c->plan. */
struct plan {
	enum plan_kind		kind;
	unsigned		nots;		/* how many `not` are around */
	const struct fm_cond	*test;		/* the parser's */
	uint32_t		number;		/* TEST: tests[] */
	uint32_t		cost;		/* units: compile_test.c */
	struct plan		*first;		/* first child, or NULL */
	struct plan		*next;		/* next child of the same
						 * parent, or NULL */
};

static const struct fm_cond *
cond_without_not(const struct fm_cond *cond, unsigned *nots)
{
	while (cond->kind == FM_COND_NOT) {
		(*nots)++;
		cond = cond->left;
	}
	return (cond);
}

/* Returns the kind of node: `not (a and b)` is `not a or not b`, an OR. */
static enum plan_kind
cond_node(const struct fm_cond *cond, unsigned nots)
{
	bool negated = nots % 2 == 1;

	if (cond->kind != FM_COND_AND && cond->kind != FM_COND_OR)
		return (PLAN_TEST);
	return ((cond->kind == FM_COND_AND) != negated ? PLAN_AND : PLAN_OR);
}

static struct plan *
plan_new(struct fm_compile *compile, const struct fm_cond *cond, unsigned nots)
{
	struct plan *plan = fm_compile_alloc(compile, &compile->plan,
	    sizeof *plan);

	*plan = (struct plan){ .kind = cond_node(cond, nots), .nots = nots,
	    .test = cond };
	return (plan);
}

/*
 * Puts the operands of an `and` (or an `or`) in front of the children of a
 * node, from the right to the left.  The parser's tree of `a and b and c` leans
 * to the left: the left side may be a thousand deep and is walked in a loop,
 * the right side is as deep as there are parentheses and is walked by
 * recursion.
 */
static void
plan_gather(struct fm_compile *compile, const struct fm_cond *cond,
    unsigned nots, struct plan *parent)
{
	struct plan *child;

	for (;;) {
		cond = cond_without_not(cond, &nots);
		if (cond_node(cond, nots) != parent->kind)
			break;
		plan_gather(compile, cond->right, nots, parent);
		cond = cond->left;
	}
	child = plan_new(compile, cond, nots);
	child->next = parent->first;
	parent->first = child;
	if (child->kind != PLAN_TEST)
		plan_gather(compile, cond, nots, child);
}

/* Adds the regexes of a test to c->captures, unless it stands under a `not`. */
static void
test_captures(struct fm_compile *compile, const struct plan *plan,
    const struct fm_test *test)
{
	struct fm_capture *p;
	uint32_t i;

	if (plan->nots > 0 || plan->test->kind != FM_COND_MODE ||
	    plan->test->mode != FM_PATTERN_REGEX)
		return;
	p = fm_compile_add(compile, &compile->captures, sizeof *p, test->count);
	for (i = 0; i < test->count; i++)
		p[i] = (struct fm_capture){ plan->number, test->first + i };
}

static void
plan_test(struct fm_compile *compile, struct plan *plan)
{
	const struct fm_test *test;

	plan->number = fm_compile_test(compile, plan->test);
	test = FM_GROW_AT(&compile->tests, struct fm_test, plan->number);
	plan->cost = fm_compile_test_cost(compile, test);
	test_captures(compile, plan, test);
}

/*
 * Compiles the tests of a plan, adds up its cost, and sorts its children:
 * children of equal cost stay in the order of the text.
 */
static void
plan_tests(struct fm_compile *compile, struct plan *plan)
{
	struct plan *child, *next, **link, *last = NULL;

	if (plan->kind == PLAN_TEST) {
		plan_test(compile, plan);
		return;
	}
	child = plan->first;
	plan->first = NULL;
	for (; child != NULL; child = next) {
		next = child->next;
		plan_tests(compile, child);
		plan->cost += child->cost;
		link = last != NULL && last->cost <= child->cost ?
		    &last->next : &plan->first;
		while (*link != NULL && (*link)->cost <= child->cost)
			link = &(*link)->next;
		child->next = *link;
		*link = child;
		if (child->next == NULL)
			last = child;
	}
}

/*--------------------------------------------------------------------
 * Jumps
 */

/* Appends a test that jumps if it is met, or if it is not. */
static void
test_jump(struct fm_compile *compile, const struct plan *plan, bool met,
    uint32_t *chain)
{
	struct fm_op op = { .code = FM_OP_TEST, .a = plan->number,
	    .rule = (uint32_t)compile->conds.n };

	op.on = 1 << (met == (plan->nots % 2 == 0) ? FM_TRUE : FM_FALSE);
	if (!met)
		op.on |= 1 << FM_UNDECIDED | 1 << FM_FRAGMENT;
	fm_compile_jump(compile, &op, chain);
}

/*
 * Appends the tests of a plan, which jump if the plan is met (or is not), and
 * else go on to what follows.
 */
static void
plan_jumps(struct fm_compile *compile, const struct plan *plan, bool met,
    uint32_t *chain)
{
	/* An `or` is false only after its last child; likewise an `and`. */
	bool same = (plan->kind == PLAN_OR) == met;
	const struct plan *child;
	uint32_t after = 0;

	if (plan->kind == PLAN_TEST) {
		test_jump(compile, plan, met, chain);
		return;
	}
	for (child = plan->first; child != NULL; child = child->next) {
		if (child->next == NULL)
			plan_jumps(compile, child, met, chain);
		else
			plan_jumps(compile, child, plan->kind == PLAN_OR,
			    same ? chain : &after);
	}
	fm_compile_lead(compile, &after);
}

/* Makes the plan of a condition, and compiles its tests. */
static struct plan *
cond_plan(struct fm_compile *compile, const struct fm_cond *cond)
{
	struct plan *root;
	unsigned nots = 0;

	fm_arena_fini(&compile->plan);
	cond = cond_without_not(cond, &nots);
	root = plan_new(compile, cond, nots);
	if (root->kind != PLAN_TEST)
		plan_gather(compile, cond, nots, root);
	plan_tests(compile, root);
	return (root);
}

uint32_t
fm_compile_cond(struct fm_compile *compile, const struct fm_cond *cond,
    uint32_t *otherwise)
{
	struct fm_cond_code code = { .first_test = (uint32_t)compile->tests.n,
	    .first_capture = (uint32_t)compile->captures.n };
	const struct plan *plan = cond_plan(compile, cond);

	plan_jumps(compile, plan, false, otherwise);
	if (compile->captures.n - code.first_capture > UINT16_MAX) {
		fm_diag_error(compile->diag, &cond->at,
		    "more than %d regexes in one condition: use lists",
		    UINT16_MAX);
		fm_compile_fail(compile);
	}
	code.ntests = (uint16_t)(compile->tests.n - code.first_test);
	code.ncaptures = (uint16_t)(compile->captures.n - code.first_capture);
	if (compile->p->cond_tests < code.ntests)
		compile->p->cond_tests = code.ntests;
	return (fm_compile_append(compile, &compile->conds, &code,
	    sizeof code));
}
