/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is sure of a request, once its host is known and rules have set headers
 * to what is sure.
 */

#include "route_priv.h"

/*--------------------------------------------------------------------
 * What is sure
 */

/* Puts several outcomes together. */
static enum fm_route_sure
sure_both(enum fm_route_sure a, enum fm_route_sure b)
{
	if (a == FM_SURE_NOT || b == FM_SURE_NOT)
		return (FM_SURE_NOT);
	return (a == FM_SURE_HOST ? a : b);
}

/* The template that a map of the host gives here; FM_UNKNOWN: it is not. */
static uint32_t
map_given(const struct fm_route *r, const struct fm_piece *piece)
{
	uint32_t known = r->all->p->maps[piece->a].known;

	return (known == FM_NONE || r->templates == NULL ? FM_UNKNOWN :
	    r->templates[known]);
}

static enum fm_route_sure
host_sure(const struct fm_route *r)
{
	return (r->templates == NULL ? FM_SURE_NOT : FM_SURE_HOST);
}

static enum fm_route_sure
sure_subject(const struct fm_route *r, const struct fm_subject_code *s)
{
	if (s->kind == FM_SUBJECT_HOST)
		return (host_sure(r));
	if (s->kind == FM_SUBJECT_HEADER)
		return ((enum fm_route_sure)r->slots[s->slot]);
	return (FM_SURE_NOT);
}

static enum fm_route_sure
sure_piece(const struct fm_route *r, const struct fm_piece *piece)
{
	uint32_t given;

	switch ((enum fm_piece_kind)piece->kind) {
	case FM_PIECE_TEXT:
		return (FM_SURE_ALIKE);
	case FM_PIECE_RULESET:
		return (r->any_site ? FM_SURE_NOT : FM_SURE_ALIKE);
	case FM_PIECE_HOST:
		return (host_sure(r));
	case FM_PIECE_SUBJECT:
		return (sure_subject(r, &piece->subject));
	case FM_PIECE_MAP:
		given = map_given(r, piece);
		if (given == FM_UNKNOWN)
			return (FM_SURE_NOT);
		return (given == FM_NONE ? FM_SURE_ALIKE :
		    fm_route_sure_template(r, given));
	default:
		return (FM_SURE_NOT);
	}
}

/* A map's values have no maps in them. */
enum fm_route_sure
fm_route_sure_template(const struct fm_route *r, uint32_t template)
{
	const struct fm_template *t = &r->all->p->templates[template];
	enum fm_route_sure sure = FM_SURE_ALIKE;
	uint32_t i;

	for (i = 0; i < t->count; i++)
		sure = sure_both(sure, sure_piece(r,
		    &r->all->p->pieces[t->first + i]));
	return (sure);
}

const struct fm_piece *
fm_route_map(const struct fm_route *r, uint32_t template)
{
	const struct fm_template *t = &r->all->p->templates[template];
	const struct fm_piece *piece = &r->all->p->pieces[t->first];

	return (t->count == 1 && piece->kind == FM_PIECE_MAP ? piece : NULL);
}

uint32_t
fm_route_given(const struct fm_route *r, uint32_t template)
{
	const struct fm_piece *piece = fm_route_map(r, template);

	return (piece == NULL ? FM_UNKNOWN : map_given(r, piece));
}

/*--------------------------------------------------------------------
 * Conditions
 */

/* FM_NOT_ASKED: it can't be known. */
static enum fm_outcome
sure_test(struct fm_route *r, const struct fm_cond_code *cond,
    const struct fm_node *node)
{
	const struct fm_test *test = &r->all->p->tests[node->first];
	enum fm_outcome outcome;
	enum fm_route_sure sure;

	if (test->kind == FM_TEST_NAMES)
		return (FM_NOT_ASKED);
	sure = sure_subject(r, &test->subject);
	if (sure == FM_SURE_NOT)
		return (FM_NOT_ASKED);
	outcome = fm_cond_test(r->x, cond, node);
	if (outcome == FM_UNDECIDED || r->x->req.no_memory)
		return (FM_NOT_ASKED);
	r->host |= sure == FM_SURE_HOST;
	return (outcome);
}

enum fm_outcome
fm_route_node(struct fm_route *r, const struct fm_cond_code *cond,
    const struct fm_node *node)
{
	const struct fm_node *child = &r->all->p->nodes[node->first];
	enum fm_outcome outcome, enough;
	bool unknown = false;
	uint32_t i;

	if (node->kind == FM_NODE_TEST)
		return (sure_test(r, cond, node));
	enough = node->kind == FM_NODE_AND ? FM_FALSE : FM_TRUE;
	for (i = 0; i < node->count; i++) {
		outcome = fm_route_node(r, cond, &child[i]);
		if (outcome == enough)
			return (enough);
		unknown |= outcome == FM_NOT_ASKED;
	}
	if (unknown)
		return (FM_NOT_ASKED);
	return (enough == FM_TRUE ? FM_FALSE : FM_TRUE);
}
