/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles conditions, from the parser's binary tree to nodes, in three steps:
 *
 *	1. a plan: a tree in which each `not` is at a test, and in which `a and
 *	   (b and c)` is one node with three children;
 *	2. the tests of the plan, in the order of the text, after which the
 *	   children of each node are sorted by cost;
 *	3. nodes (struct fm_node).
 *
 *	not (url ~ x or path is /a) and host in HOSTS
 *
 *	plan 0	AND
 *	plan 2	 +- TEST path is /a, 1 not	cheap: comes first
 *	plan 1	 +- TEST host in HOSTS
 *	plan 3	 +- TEST url ~ x, 1 not
 */

#include "compile_priv.h"
#include "obj.h"

#define PLAN_NONE	UINT32_MAX

/* A node of the plan; c->plans has all of them, and plan 0 is the root. */
struct plan {
	enum fm_node_kind	kind;
	unsigned		nots;		/* how many `not` are around */
	const struct fm_cond	*test;		/* the parser's */
	uint32_t		number;		/* TEST: tests[] */
	uint32_t		cost;		/* units: compile_test.c */
	uint32_t		first;		/* first child; or PLAN_NONE */
	uint32_t		next;		/* next child of the same
						 * parent, or PLAN_NONE */
};

static struct plan *
plan_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->plans, struct plan, n));
}

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
static enum fm_node_kind
cond_node(const struct fm_cond *cond, unsigned nots)
{
	bool negated = nots % 2 == 1;

	if (cond->kind != FM_COND_AND && cond->kind != FM_COND_OR)
		return (FM_NODE_TEST);
	return ((cond->kind == FM_COND_AND) != negated ? FM_NODE_AND :
	    FM_NODE_OR);
}

static uint32_t
plan_new(struct fm_compile *c, const struct fm_cond *cond, unsigned nots)
{
	const struct plan plan = { .kind = cond_node(cond, nots),
	    .nots = nots, .test = cond, .first = PLAN_NONE,
	    .next = PLAN_NONE };

	return (fm_compile_append(c, &c->plans, &plan, sizeof plan));
}

/*
 * Puts the operands of an `and` (or an `or`) in front of the children of a
 * node, from the right to the left.  The parser's tree of `a and b and c` leans
 * to the left: the left side may be a thousand deep and is walked in a loop,
 * the right side is as deep as there are parentheses and is walked by
 * recursion.
 */
static void
plan_gather(struct fm_compile *c, const struct fm_cond *cond, unsigned nots,
    uint32_t parent)
{
	uint32_t child;

	for (;;) {
		cond = cond_without_not(cond, &nots);
		if (cond_node(cond, nots) != plan_at(c, parent)->kind)
			break;
		plan_gather(c, cond->right, nots, parent);
		cond = cond->left;
	}
	child = plan_new(c, cond, nots);
	plan_at(c, child)->next = plan_at(c, parent)->first;
	plan_at(c, parent)->first = child;
	if (plan_at(c, child)->kind != FM_NODE_TEST)
		plan_gather(c, cond, nots, child);
}

/* Adds the regexes of a test to c->captures, unless it stands under a `not`. */
static void
test_captures(struct fm_compile *c, const struct plan *plan,
    const struct fm_test *test)
{
	struct fm_capture *p;
	uint32_t i;

	if (plan->nots > 0 || plan->test->kind != FM_COND_MODE ||
	    plan->test->mode != FM_PATTERN_REGEX)
		return;
	p = fm_compile_add(c, &c->captures, sizeof *p, test->count);
	for (i = 0; i < test->count; i++)
		p[i] = (struct fm_capture){ plan->number, test->first + i };
}

static void
plan_test(struct fm_compile *c, struct plan *plan)
{
	const struct fm_test *test;

	plan->number = fm_compile_test(c, plan->test);
	test = FM_GROW_AT(&c->tests, struct fm_test, plan->number);
	plan->cost = fm_compile_test_cost(c, test);
	test_captures(c, plan, test);
}

/*
 * Compiles the tests of a plan, adds up its cost, and sorts its children:
 * children of equal cost stay in the order of the text.
 */
static void
plan_tests(struct fm_compile *c, uint32_t number)
{
	struct plan *plan = plan_at(c, number), *child;
	uint32_t n, next, *link, *last;

	if (plan->kind == FM_NODE_TEST) {
		plan_test(c, plan);
		return;
	}
	n = plan->first;
	plan->first = PLAN_NONE;
	for (last = &plan->first; n != PLAN_NONE; n = next) {
		plan_tests(c, n);
		child = plan_at(c, n);
		next = child->next;
		plan->cost += child->cost;
		link = *last != PLAN_NONE &&
		    plan_at(c, *last)->cost <= child->cost ?
		    last : &plan->first;
		while (*link != PLAN_NONE &&
		    plan_at(c, *link)->cost <= child->cost)
			link = &plan_at(c, *link)->next;
		child->next = *link;
		*link = n;
		if (child->next == PLAN_NONE)
			last = link;
	}
}

/*
 * Makes a node of a plan.  The children lie next to each other in c->nodes, and
 * the children's children behind them.
 */
static struct fm_node
node_of(struct fm_compile *c, uint32_t number)
{
	const struct plan *plan = plan_at(c, number);
	struct fm_node node = { .kind = (uint8_t)plan->kind }, child;
	uint32_t i, n;

	if (plan->kind == FM_NODE_TEST) {
		node.negated = plan->nots % 2 == 1;
		node.count = 1;
		node.first = plan->number;
		return (node);
	}
	for (n = plan->first; n != PLAN_NONE; n = plan_at(c, n)->next)
		node.count++;
	assert(node.count >= 2);
	node.first = (uint32_t)c->nodes.n;
	(void)fm_compile_add(c, &c->nodes, sizeof node, node.count);
	for (n = plan->first, i = node.first; n != PLAN_NONE;
	    n = plan_at(c, n)->next, i++) {
		child = node_of(c, n);
		*FM_GROW_AT(&c->nodes, struct fm_node, i) = child;
	}
	return (node);
}

/* Makes the plan of a condition, and compiles its tests. */
static void
cond_plan(struct fm_compile *c, const struct fm_cond *cond)
{
	unsigned nots = 0;
	uint32_t root;

	c->plans.n = 0;
	cond = cond_without_not(cond, &nots);
	root = plan_new(c, cond, nots);
	if (plan_at(c, root)->kind != FM_NODE_TEST)
		plan_gather(c, cond, nots, root);
	assert(c->plans.n <= UINT16_MAX);
	plan_tests(c, root);
}

uint32_t
fm_compile_cond(struct fm_compile *c, const struct fm_cond *cond)
{
	struct fm_cond_code code = { .first_test = (uint32_t)c->tests.n,
	    .first_capture = (uint32_t)c->captures.n };

	cond_plan(c, cond);
	code.root = node_of(c, 0);
	if (c->captures.n - code.first_capture > UINT16_MAX) {
		fm_diag_error(c->diag, &cond->at,
		    "more than %d regexes in one condition: use lists",
		    UINT16_MAX);
		fm_compile_fail(c);
	}
	code.ntests = (uint16_t)(c->tests.n - code.first_test);
	code.ncaptures = (uint16_t)(c->captures.n - code.first_capture);
	return (fm_compile_append(c, &c->conds, &code, sizeof code));
}
