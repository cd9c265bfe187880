/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Conditions that are not sure: of those parts that can't be undecided, tests
 * with jumps, so that none is asked in vain and no tree is walked.
 */

#include "route_priv.h"

/* To look for a regex in so many is too much. */
#define ROUTE_LOOK	1024

/* Returns true if some of these patterns may be undecided. */
static bool
patterns_open(const struct fm_patset *set, size_t first, size_t count)
{
	const struct fm_pattern *pattern;
	size_t i;

	if (count > ROUTE_LOOK)
		return (true);
	for (i = first; i < first + count; i++) {
		pattern = fm_patset_pattern(set, i);
		if (fm_pattern_kind(pattern) == FM_PATTERN_REGEX)
			return (true);
	}
	return (false);
}

static bool
node_open(const struct fm_program *p, const struct fm_node *node)
{
	const struct fm_test *test;
	uint32_t i;

	if (node->kind != FM_NODE_TEST) {
		for (i = 0; i < node->count; i++)
			if (node_open(p, &p->nodes[node->first + i]))
				return (true);
		return (false);
	}
	test = &p->tests[node->first];
	if (test->kind == FM_TEST_RANGE)
		return (patterns_open(p->sets[test->set], test->first,
		    test->count));
	return (test->kind == FM_TEST_SET && patterns_open(p->sets[test->set],
	    0, fm_patset_count(p->sets[test->set])));
}

/* Goes to the label if that comes out, else on behind. */
static void
when_node(struct fm_route *r, const struct fm_cond_code *cond,
    const struct fm_node *node, bool when, uint32_t label)
{
	const struct fm_node *child = &r->all->p->nodes[node->first];
	uint32_t behind = label, i, left = 0;
	size_t from = r->all->ops.n;

	if (node->kind == FM_NODE_TEST) {
		fm_route_emit_if(r, node->first, when != node->negated,
		    label);
		return;
	}
	/* Whether the first child that comes out so decides. */
	if ((node->kind == FM_NODE_OR) != when)
		behind = fm_route_label(r);
	for (i = 0; i < node->count; i++)
		left += fm_route_node(r, cond, &child[i]) == FM_NOT_ASKED;
	for (i = 0; left > 0; i++) {
		if (fm_route_node(r, cond, &child[i]) != FM_NOT_ASKED)
			continue;
		if (--left == 0)
			when_node(r, cond, &child[i], when, label);
		else
			when_node(r, cond, &child[i],
			    node->kind == FM_NODE_OR, behind);
	}
	if (behind != label)
		fm_route_place(r, behind, from);
}

/*
 * The first of several children, as far as they can't be undecided; of an `or`
 * one that is true ends all, and goes to then.
 */
static void
when_front(struct fm_route *r, const struct fm_cond_code *cond, uint32_t then,
    uint32_t otherwise)
{
	const struct fm_node *root = &cond->root;
	const struct fm_node *child = &r->all->p->nodes[root->first];
	uint32_t i;

	for (i = 0; i < root->count && !node_open(r->all->p, &child[i]); i++)
		if (fm_route_node(r, cond, &child[i]) == FM_NOT_ASKED)
			when_node(r, cond, &child[i],
			    root->kind == FM_NODE_OR,
			    root->kind == FM_NODE_OR ? then : otherwise);
}

void
fm_route_when(struct fm_route *r, const struct fm_op *op)
{
	const struct fm_cond_code *cond = &r->all->p->conds[op->a];
	size_t from = r->all->ops.n;
	uint32_t then;

	if (cond->ncaptures > 0) {
		fm_route_emit(r, op);
		return;
	}
	if (!node_open(r->all->p, &cond->root)) {
		when_node(r, cond, &cond->root, false, op->b);
		return;
	}
	then = fm_route_label(r);
	if (cond->root.kind != FM_NODE_TEST)
		when_front(r, cond, then, op->b);
	fm_route_emit(r, op);
	fm_route_place(r, then, from);
}
