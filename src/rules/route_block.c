/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies the operations of a block to a list, in their order, without what is
 * decided (route_priv.h):
 *
 *	WHEN host is a.example, b: L		of a.example: the block of
 *	...					the `when`
 *	JUMP b: M
 *	L: ...					of all other hosts: this
 *	M:
 */

#include "route_priv.h"

/* Bits of all->ways[]: how requests come to an operation of the source. */
#define ROUTE_TAKEN	1	/* never: all of them run the `when` before */
#define ROUTE_JUMPED	2	/* by a jump of the list, some of them */

/*--------------------------------------------------------------------
 * The list
 */

void
fm_route_apart(struct fm_route *r)
{
	r->count = SIZE_MAX;
}

/* Returns true if an operation may end the run, or jump. */
static bool
op_may_end(const struct fm_op *op)
{
	switch ((enum fm_op_code)op->code) {
	case FM_OP_QUERY:
	case FM_OP_COOKIE:
	case FM_OP_UNSET:
	case FM_OP_UNSET_GLOB:
	case FM_OP_BACKEND:
	case FM_OP_COUNT:
	case FM_OP_PUT:
	case FM_OP_PUT_HOST:
	case FM_OP_PUT_MAP:
	case FM_OP_TELL_BLOCK:
	case FM_OP_TELL_WHEN:
		return (false);
	default:
		return (true);
	}
}

void
fm_route_emit(struct fm_route *r, const struct fm_op *op)
{
	struct fm_op *p = fm_grow_add(&r->all->ops, sizeof *p, 1);

	if (p == NULL) {
		r->no_memory = true;
		return;
	}
	*p = *op;
	if (op_may_end(op))
		fm_route_apart(r);
}

/*
 * Ends a block whose copy begins at `from`: lets jumps lead to copies, and
 * tells of each TELL how many follow in a row, for runs without a trace.
 */
static void
route_patch(struct fm_route *r, size_t from)
{
	size_t n = r->all->ops.n;
	uint32_t tells = 0;
	struct fm_op *op;

	while (n-- > from) {
		op = fm_route_op(r, n);
		if (op->code == FM_OP_TELL_BLOCK ||
		    op->code == FM_OP_TELL_WHEN) {
			op->b = ++tells;
			continue;
		}
		tells = 0;
		if (!fm_route_jumps(op))
			continue;
		if ((op->b & FM_ROUTE_PLACED) != 0)
			op->b &= ~FM_ROUTE_PLACED;
		else
			op->b = r->all->where[op->b];
	}
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Adds a counter to a COUNT before, if each request came by that one. */
static void
route_count(struct fm_route *r, const struct fm_op *op)
{
	struct fm_op new = *op, *count;

	count = r->count == SIZE_MAX ? NULL : fm_route_op(r, r->count);
	if (count != NULL && count->b == FM_NONE) {
		count->b = op->a;
	} else if (count != NULL && count->rule == FM_NONE) {
		count->rule = op->a;
	} else {
		new.b = new.rule = FM_NONE;
		r->count = r->all->ops.n;
		fm_route_emit(r, &new);
	}
}

/* Notes that a header has another value now. */
static void
route_edited(struct fm_route *r, unsigned slot, bool sure)
{
	r->sure[slot] = sure && r->region == 0;
}

/*
 * Returns true if a piece is a text that can be a header's value as it is: it
 * is not empty (that would be an unset), and has no blanks at its ends.
 */
static bool
piece_is_value(const struct fm_program *p,
    const struct fm_template_piece *piece)
{
	struct fm_text text;

	if (piece == NULL || piece->kind != FM_PART_TEXT)
		return (false);
	text = p->texts[piece->a];
	return (text.len > 0 && fm_text_trim(text).len == text.len);
}

/* Returns true if a map looks for texts one by one, and gives texts. */
static bool
map_is_plain(const struct fm_route *r, const struct fm_map_code *map)
{
	const struct fm_program *p = r->all->p;
	uint32_t n;

	if (map->texts == FM_NONE || (map->otherwise != FM_NONE &&
	    !piece_is_value(p, fm_route_piece(r, map->otherwise))))
		return (false);
	for (n = 0; n < map->nlines; n++)
		if (!piece_is_value(p, fm_route_piece(r,
		    p->map_lines[map->first_line + n].template)))
			return (false);
	return (true);
}

/* Makes a `set` of a template cheaper: one of a text, of the host, an unset. */
static void
route_put(struct fm_route *r, struct fm_op *op, uint32_t template)
{
	const struct fm_program *p = r->all->p;
	const struct fm_template_piece *piece;

	if (template == FM_NONE) {
		op->code = FM_OP_UNSET;
		return;
	}
	op->a = template;
	piece = fm_route_piece(r, template);
	if (piece == NULL)
		return;
	if (piece_is_value(p, piece)) {
		op->code = FM_OP_PUT;
		op->a = piece->a;
	} else if (piece->kind == FM_PART_HOST) {
		op->code = FM_OP_PUT_HOST;
	} else if (piece->kind == FM_PART_MAP &&
	    map_is_plain(r, &p->maps[piece->a])) {
		op->code = FM_OP_PUT_MAP;
		op->a = (uint32_t)(piece - p->pieces);
	}
}

static void
route_set(struct fm_route *r, struct fm_op *op)
{
	bool sure = fm_route_sure_template(r, op->a);
	uint32_t given = fm_route_given(r, op->a);

	if (sure)
		(void)fm_request_edit(&r->exec->req, op->slot, fm_request_value(
		    fm_template_text(r->exec, op->a, NULL)), op->rule);
	route_edited(r, op->slot, sure);
	r->decided |= given != FM_UNKNOWN;
	route_put(r, op, given == FM_UNKNOWN ? op->a : given);
}

/*--------------------------------------------------------------------
 * Branches
 */

/* Notes that requests may jump from here to operation n: a region until n. */
static void
route_leads(struct fm_route *r, uint32_t n)
{
	r->all->ways[n] |= ROUTE_JUMPED;
	if (n > r->region)
		r->region = n;
}

/*
 * Decides a `when`, or copies it.  A condition whose groups are used is copied
 * even if it is true for all: each request needs groups of its own.  Returns
 * the operation to go on with.
 */
static uint32_t
route_when(struct fm_route *r, uint32_t n)
{
	const struct fm_op *op = &r->all->source[n];
	const struct fm_cond_code *cond = &r->all->p->conds[op->a];
	enum fm_outcome outcome = fm_route_node(r, &cond->root);
	struct fm_op tell = *op;

	tell.code = FM_OP_TELL_WHEN;
	fm_route_emit(r, &tell);
	if (outcome == FM_NOT_ASKED ||
	    (outcome == FM_TRUE && cond->ncaptures > 0)) {
		route_leads(r, op->b);
		fm_route_when(r, op);
		return (n + 1);
	}
	r->decided = true;
	if (outcome == FM_FALSE)
		return (op->b);
	r->all->ways[op->b] |= ROUTE_TAKEN;
	return (n + 1);
}

/* Skips the `else` of a `when` that all requests run, or jumps over it. */
static uint32_t
route_jump(struct fm_route *r, uint32_t n)
{
	const struct fm_op *op = &r->all->source[n];

	if ((r->all->ways[n + 1] & ROUTE_TAKEN) != 0)
		return (op->b);
	route_leads(r, op->b);
	fm_route_emit(r, op);
	return (n + 1);
}

/* Copies operation n.  Returns the operation to go on with. */
static uint32_t
route_copy(struct fm_route *r, uint32_t n)
{
	struct fm_op op = r->all->source[n];
	uint32_t next = n + 1, given;

	switch ((enum fm_op_code)op.code) {
	case FM_OP_WHEN:
		return (route_when(r, n));
	case FM_OP_JUMP:
		return (route_jump(r, n));
	case FM_OP_COUNT:
		route_count(r, &op);
		return (next);
	case FM_OP_SET:
		route_set(r, &op);
		break;
	case FM_OP_UNSET:
		if (r->region == 0)
			(void)fm_request_edit(&r->exec->req, op.slot,
			    fm_text(NULL, 0), op.rule);
		route_edited(r, op.slot, true);
		break;
	case FM_OP_COOKIE:
	case FM_OP_NORMALIZE:
		route_edited(r, op.slot, false);
		break;
	case FM_OP_USE:
		/* The ruleset may edit anything, and may stop. */
		op.b = r->end;
		route_leads(r, r->end);
		memset(r->sure, false, sizeof r->sure);
		break;
	case FM_OP_UNSET_GLOB:
		memset(r->sure, false, sizeof r->sure);
		break;
	case FM_OP_REDIRECT:
		given = fm_route_given(r, op.a);
		if (given != FM_UNKNOWN && given != FM_NONE)
			op.a = given;
		break;
	case FM_OP_STOP:
		op.b = r->end;
		if (r->region > 0)
			route_leads(r, r->end);
		else
			next = r->end;
		break;
	case FM_OP_PASS:
	case FM_OP_PIPE:
	case FM_OP_HASH:
	case FM_OP_BUILTIN:
		r->ended = r->region == 0;
		break;
	default:
		break;
	}
	fm_route_emit(r, &op);
	return (next);
}

/*
 * A `stop` in a region jumps to the end of the block, where the next block
 * begins: so the region goes on to the end.
 */
void
fm_route_block(struct fm_route *r, uint32_t block)
{
	const struct fm_op tell = { .code = FM_OP_TELL_BLOCK, .rule = FM_NONE,
	    .a = block };
	uint32_t n = r->all->p->blocks[block].first;
	uint8_t *ways = r->all->ways;
	size_t from = r->all->ops.n;

	for (r->end = n; r->all->source[r->end].code != FM_OP_END;)
		ways[++r->end] = 0;
	r->region = 0;
	fm_route_emit(r, &tell);
	while (n <= r->end && !r->no_memory) {
		if (r->region <= n)
			r->region = 0;
		if ((ways[n] & ROUTE_JUMPED) != 0)
			fm_route_apart(r);
		r->all->where[n] = (uint32_t)r->all->ops.n;
		if (n == r->end)
			break;
		n = r->ended ? r->end : route_copy(r, n);
	}
	if (!r->no_memory)
		route_patch(r, from);
}
