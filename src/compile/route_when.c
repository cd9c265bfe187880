/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out which values and conditions are sure, and makes jumps of the tests
 * of the other conditions:
 *
 *	when path is /a or method is GET {	IF path is /a, true: L
 *		...				IF method is GET, false: M
 *	}					L: ...
 *						M:
 *
 * A test that can be undecided can't be a jump.  Such a test stays in an
 * FM_OP_WHEN with the rest of its condition, behind jumps of the tests that are
 * asked before.
 */

#include "route_priv.h"

/* A set of more patterns than this isn't searched for a regex. */
#define ROUTE_LOOK	1024

/*--------------------------------------------------------------------
 * Facts that are sure
 */

static bool
sure_subject(const struct fm_route *route,
    const struct fm_subject_code *subject)
{
	return (subject->kind == FM_SUBJECT_HEADER ?
	    route->sure[subject->slot] : subject->kind == FM_SUBJECT_HOST &&
	    route->of_host);
}

/* Returns the template that a map gives for every request, or FM_UNKNOWN. */
static uint32_t
map_given(const struct fm_route *route, const struct fm_template_piece *piece)
{
	uint32_t template;

	if (!sure_subject(route, &piece->subject))
		return (FM_UNKNOWN);
	route->exec->undecided = false;
	template = fm_map_template(route->exec, piece);
	return (route->exec->undecided || route->exec->req.no_memory ?
	    FM_UNKNOWN : template);
}

static bool
sure_piece(const struct fm_route *route, const struct fm_template_piece *piece)
{
	uint32_t given;

	switch ((enum fm_part_kind)piece->kind) {
	case FM_PART_TEXT:
		return (true);
	case FM_PART_RULESET:
		return (!route->any_site);
	case FM_PART_HOST:
		return (route->of_host);
	case FM_PART_HEADER:
	case FM_PART_COOKIE:
	case FM_PART_PARAMETER:
		return (sure_subject(route, &piece->subject));
	case FM_PART_MAP:
		given = map_given(route, piece);
		return (given == FM_NONE || (given != FM_UNKNOWN &&
		    fm_route_sure_template(route, given)));
	default:
		return (false);
	}
}

/* The templates of a map's lines have no maps: this ends. */
bool
fm_route_sure_template(const struct fm_route *route, uint32_t template)
{
	const struct fm_template *t = &route->all->p->templates[template];
	uint32_t i;

	for (i = 0; i < t->count; i++)
		if (!sure_piece(route, &route->all->p->pieces[t->first + i]))
			return (false);
	return (true);
}

const struct fm_template_piece *
fm_route_piece(const struct fm_route *route, uint32_t template)
{
	const struct fm_template *t = &route->all->p->templates[template];

	return (t->count == 1 ? &route->all->p->pieces[t->first] : NULL);
}

uint32_t
fm_route_given(const struct fm_route *route, uint32_t template)
{
	const struct fm_template_piece *piece = fm_route_piece(route, template);

	return (piece == NULL || piece->kind != FM_PART_MAP ? FM_UNKNOWN :
	    map_given(route, piece));
}

/* Returns the outcome of a test, which the trial run asks if it is sure. */
static enum fm_outcome
sure_test(struct fm_route *route, const struct fm_node *node)
{
	const struct fm_test *test = &route->all->p->tests[node->first];
	enum fm_outcome outcome;

	if (test->kind == FM_TEST_NAMES || test->kind == FM_TEST_VALUES ||
	    !sure_subject(route, &test->subject))
		return (FM_NOT_ASKED);
	outcome = fm_cond_test(route->exec, test);
	if (outcome == FM_UNDECIDED || route->exec->req.no_memory)
		return (FM_NOT_ASKED);
	return ((outcome == FM_TRUE) != node->negated ? FM_TRUE : FM_FALSE);
}

enum fm_outcome
fm_route_node(struct fm_route *route, const struct fm_node *node)
{
	const struct fm_node *child = &route->all->p->nodes[node->first];
	enum fm_outcome outcome, enough;
	bool unknown = false;
	uint32_t i;

	if (node->kind == FM_NODE_TEST)
		return (sure_test(route, node));
	enough = node->kind == FM_NODE_AND ? FM_FALSE : FM_TRUE;
	for (i = 0; i < node->count; i++) {
		outcome = fm_route_node(route, &child[i]);
		if (outcome == enough)
			return (enough);
		unknown |= outcome == FM_NOT_ASKED;
	}
	if (unknown)
		return (FM_NOT_ASKED);
	return (enough == FM_TRUE ? FM_FALSE : FM_TRUE);
}

/*--------------------------------------------------------------------
 * Jumps
 */

/* Returns true if any of the patterns may be a regex, which may give up. */
static bool
patterns_open(const struct fm_patset *set, size_t first, size_t count)
{
	size_t i;

	for (i = first; i < first + count && count <= ROUTE_LOOK; i++)
		if (fm_pattern_kind(fm_patset_pattern(set, i)) ==
		    FM_PATTERN_REGEX)
			return (true);
	return (count > ROUTE_LOOK);
}

/* Returns true if a node can be undecided. */
static bool
node_open(const struct fm_program *program, const struct fm_node *node)
{
	const struct fm_test *test;
	uint32_t i;

	if (node->kind != FM_NODE_TEST) {
		for (i = 0; i < node->count; i++)
			if (node_open(program,
			    &program->nodes[node->first + i]))
				return (true);
		return (false);
	}
	test = &program->tests[node->first];
	if (test->kind == FM_TEST_NETS)
		return (program->trust != FM_NONE &&
		    test->subject.kind == FM_SUBJECT_CLIENT);
	if (test->kind == FM_TEST_RANGE)
		return (patterns_open(program->sets[test->set], test->first,
		    test->count));
	return (test->kind == FM_TEST_SET &&
	    patterns_open(program->sets[test->set], 0,
	    fm_patset_count(program->sets[test->set])));
}

/* Lets all jumps to a label, which are behind `from`, lead to here. */
static void
label_place(struct fm_route *route, uint32_t label, size_t from)
{
	size_t end = route->all->ops.n;
	struct fm_op *op;

	for (; from < end; from++) {
		op = fm_route_op(route, from);
		if (fm_route_jumps(op) && op->b == label)
			op->b = FM_ROUTE_PLACED | (uint32_t)end;
	}
	fm_route_apart(route);
}

/*
 * Appends jumps for a node that is not sure: to the label if the node's outcome
 * is `when`, else to what follows.
 */
static void
node_jumps(struct fm_route *route, const struct fm_node *node, bool when,
    uint32_t label)
{
	const struct fm_node *child = &route->all->p->nodes[node->first];
	struct fm_op op = { .code = FM_OP_IF, .when = when != node->negated,
	    .a = node->first, .b = label, .rule = FM_NONE };
	uint32_t behind = label, i, left = 0;
	size_t from = route->all->ops.n;

	if (node->kind == FM_NODE_TEST) {
		fm_route_emit(route, &op);
		return;
	}
	/* An `or` is false only behind its last child; likewise an `and`. */
	if ((node->kind == FM_NODE_OR) != when)
		behind = FM_ROUTE_LABEL | route->nlabels++;
	for (i = 0; i < node->count; i++)
		left += fm_route_node(route, &child[i]) == FM_NOT_ASKED;
	for (i = 0; left > 0; i++) {
		if (fm_route_node(route, &child[i]) != FM_NOT_ASKED)
			continue;
		if (--left == 0)
			node_jumps(route, &child[i], when, label);
		else
			node_jumps(route, &child[i], node->kind == FM_NODE_OR,
			    behind);
	}
	if (behind != label)
		label_place(route, behind, from);
}

/*
 * Appends jumps for the first children of a condition, up to one that can be
 * undecided.  A child that decides an `or` leads to `then`, one that decides
 * an `and` to `otherwise`.
 */
static void
front_jumps(struct fm_route *route, const struct fm_node *root, uint32_t then,
    uint32_t otherwise)
{
	const struct fm_node *child = &route->all->p->nodes[root->first];
	bool when = root->kind == FM_NODE_OR;
	uint32_t i;

	for (i = 0; i < root->count && !node_open(route->all->p, &child[i]);
	    i++)
		if (fm_route_node(route, &child[i]) == FM_NOT_ASKED)
			node_jumps(route, &child[i], when,
			    when ? then : otherwise);
}

void
fm_route_when(struct fm_route *route, const struct fm_op *op)
{
	const struct fm_cond_code *cond = &route->all->p->conds[op->a];
	size_t from = route->all->ops.n;
	uint32_t then;

	if (cond->ncaptures == 0 && !node_open(route->all->p, &cond->root)) {
		node_jumps(route, &cond->root, false, op->b);
		return;
	}
	then = FM_ROUTE_LABEL | route->nlabels++;
	if (cond->ncaptures == 0 && cond->root.kind != FM_NODE_TEST)
		front_jumps(route, &cond->root, then, op->b);
	fm_route_emit(route, op);
	label_place(route, then, from);
}
