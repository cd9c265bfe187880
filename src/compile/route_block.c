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
fm_route_apart(struct fm_route *route)
{
	route->count = SIZE_MAX;
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
fm_route_emit(struct fm_route *route, const struct fm_op *op)
{
	struct fm_op *p = fm_grow_add(&route->all->ops, sizeof *p, 1);

	if (p == NULL) {
		route->no_memory = true;
		return;
	}
	*p = *op;
	if (op_may_end(op))
		fm_route_apart(route);
}

/*
 * Ends a block whose copy begins at `from`: lets jumps lead to copies, and
 * tells of each TELL how many follow in a row, for runs without a trace.
 */
static void
route_patch(struct fm_route *route, size_t from)
{
	size_t n = route->all->ops.n;
	uint32_t tells = 0;
	struct fm_op *op;

	while (n-- > from) {
		op = fm_route_op(route, n);
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
			op->b = route->all->where[op->b];
	}
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Adds a counter to a COUNT before, if each request came by that one. */
static void
route_count(struct fm_route *route, const struct fm_op *op)
{
	struct fm_op new = *op, *count;

	count = route->count == SIZE_MAX ? NULL :
	    fm_route_op(route, route->count);
	if (count != NULL && count->b == FM_NONE) {
		count->b = op->a;
	} else if (count != NULL && count->rule == FM_NONE) {
		count->rule = op->a;
	} else {
		new.b = new.rule = FM_NONE;
		route->count = route->all->ops.n;
		fm_route_emit(route, &new);
	}
}

/* Notes that a header has another value now. */
static void
route_edited(struct fm_route *route, unsigned slot, bool sure)
{
	route->sure[slot] = sure && route->region == 0;
}

/*
 * Returns true if a piece is a text that can be a header's value as it is: it
 * is not empty (that would be an unset), and has no blanks at its ends.
 */
static bool
piece_is_value(const struct fm_program *program,
    const struct fm_template_piece *piece)
{
	struct fm_text text;

	if (piece == NULL || piece->kind != FM_PART_TEXT)
		return (false);
	text = program->texts[piece->a];
	return (text.len > 0 && fm_text_trim(text).len == text.len);
}

/* Returns true if a map looks for texts one by one, and gives texts. */
static bool
map_is_plain(const struct fm_route *route, const struct fm_map_code *map)
{
	const struct fm_program *program = route->all->p;
	uint32_t n;

	if (map->texts == FM_NONE || (map->otherwise != FM_NONE &&
	    !piece_is_value(program, fm_route_piece(route, map->otherwise))))
		return (false);
	for (n = 0; n < map->nlines; n++)
		if (!piece_is_value(program, fm_route_piece(route,
		    program->map_lines[map->first_line + n].template)))
			return (false);
	return (true);
}

/* Makes a `set` of a template cheaper: one of a text, of the host, an unset. */
static void
route_put(struct fm_route *route, struct fm_op *op, uint32_t template)
{
	const struct fm_program *program = route->all->p;
	const struct fm_template_piece *piece;

	if (template == FM_NONE) {
		op->code = FM_OP_UNSET;
		return;
	}
	op->a = template;
	piece = fm_route_piece(route, template);
	if (piece == NULL)
		return;
	if (piece_is_value(program, piece)) {
		op->code = FM_OP_PUT;
		op->a = piece->a;
	} else if (piece->kind == FM_PART_HOST) {
		op->code = FM_OP_PUT_HOST;
	} else if (piece->kind == FM_PART_MAP &&
	    map_is_plain(route, &program->maps[piece->a])) {
		op->code = FM_OP_PUT_MAP;
		op->a = (uint32_t)(piece - program->pieces);
	}
}

static void
route_set(struct fm_route *route, struct fm_op *op)
{
	bool sure = fm_route_sure_template(route, op->a);
	uint32_t given = fm_route_given(route, op->a);

	if (sure)
		(void)fm_request_edit(&route->exec->req, op->slot,
		    fm_request_value(fm_template_text(route->exec, op->a,
		    NULL)), op->rule);
	route_edited(route, op->slot, sure);
	route->decided |= given != FM_UNKNOWN;
	route_put(route, op, given == FM_UNKNOWN ? op->a : given);
}

/*--------------------------------------------------------------------
 * Branches
 */

/* Notes that requests may jump from here to operation n: a region until n. */
static void
route_leads(struct fm_route *route, uint32_t n)
{
	route->all->ways[n] |= ROUTE_JUMPED;
	if (n > route->region)
		route->region = n;
}

/*
 * Decides a `when`, or copies it.  A condition whose groups are used is copied
 * even if it is true for all: each request needs groups of its own.  Returns
 * the operation to go on with.
 */
static uint32_t
route_when(struct fm_route *route, uint32_t n)
{
	const struct fm_op *op = &route->all->source[n];
	const struct fm_cond_code *cond = &route->all->p->conds[op->a];
	enum fm_outcome outcome = fm_route_node(route, &cond->root);
	struct fm_op tell = *op;

	tell.code = FM_OP_TELL_WHEN;
	if (route->traced)
		fm_route_emit(route, &tell);
	if (outcome == FM_NOT_ASKED ||
	    (outcome == FM_TRUE && cond->ncaptures > 0)) {
		route_leads(route, op->b);
		fm_route_when(route, op);
		return (n + 1);
	}
	route->decided = true;
	if (outcome == FM_FALSE)
		return (op->b);
	route->all->ways[op->b] |= ROUTE_TAKEN;
	return (n + 1);
}

/* Skips the `else` of a `when` that all requests run, or jumps over it. */
static uint32_t
route_jump(struct fm_route *route, uint32_t n)
{
	const struct fm_op *op = &route->all->source[n];

	if ((route->all->ways[n + 1] & ROUTE_TAKEN) != 0)
		return (op->b);
	route_leads(route, op->b);
	fm_route_emit(route, op);
	return (n + 1);
}

/* Copies operation n.  Returns the operation to go on with. */
static uint32_t
route_copy(struct fm_route *route, uint32_t n)
{
	struct fm_op op = route->all->source[n];
	uint32_t next = n + 1, given;

	switch ((enum fm_op_code)op.code) {
	case FM_OP_WHEN:
		return (route_when(route, n));
	case FM_OP_JUMP:
		return (route_jump(route, n));
	case FM_OP_COUNT:
		route_count(route, &op);
		return (next);
	case FM_OP_SET:
		route_set(route, &op);
		break;
	case FM_OP_UNSET:
		if (route->region == 0)
			(void)fm_request_edit(&route->exec->req, op.slot,
			    fm_text(NULL, 0), op.rule);
		route_edited(route, op.slot, true);
		break;
	case FM_OP_COOKIE:
	case FM_OP_NORMALIZE:
		route_edited(route, op.slot, false);
		break;
	case FM_OP_USE:
		/* The ruleset may edit anything, and may stop. */
		op.b = route->end;
		route_leads(route, route->end);
		memset(route->sure, false, sizeof route->sure);
		route->traced = true;
		break;
	case FM_OP_REWRITE:
		route->traced = true;
		break;
	case FM_OP_UNSET_GLOB:
		memset(route->sure, false, sizeof route->sure);
		break;
	case FM_OP_REDIRECT:
		given = fm_route_given(route, op.a);
		if (given != FM_UNKNOWN && given != FM_NONE)
			op.a = given;
		break;
	case FM_OP_STOP:
		op.b = route->end;
		if (route->region > 0)
			route_leads(route, route->end);
		else
			next = route->end;
		break;
	case FM_OP_PASS:
	case FM_OP_PIPE:
	case FM_OP_HASH:
	case FM_OP_BUILTIN:
		route->ended = route->region == 0;
		break;
	default:
		break;
	}
	fm_route_emit(route, &op);
	return (next);
}

/*
 * A `stop` in a region jumps to the end of the block, where the next block
 * begins: so the region goes on to the end.
 */
void
fm_route_block(struct fm_route *route, uint32_t block)
{
	const struct fm_op tell = { .code = FM_OP_TELL_BLOCK, .rule = FM_NONE,
	    .a = block };
	uint32_t n = route->all->p->blocks[block].first;
	uint8_t *ways = route->all->ways;
	size_t from = route->all->ops.n;

	for (route->end = n; route->all->source[route->end].code != FM_OP_END;)
		ways[++route->end] = 0;
	route->region = 0;
	if (route->traced)
		fm_route_emit(route, &tell);
	while (n <= route->end && !route->no_memory) {
		if (route->region <= n)
			route->region = 0;
		if ((ways[n] & ROUTE_JUMPED) != 0)
			fm_route_apart(route);
		route->all->where[n] = (uint32_t)route->all->ops.n;
		if (n == route->end)
			break;
		n = route->ended ? route->end : route_copy(route, n);
	}
	if (!route->no_memory)
		route_patch(route, from);
}
