/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts the operations of a route behind each other, and jumps in order.
 */

#include "route_priv.h"

void
fm_route_apart(struct fm_route *r)
{
	r->straight = r->all->ops.n;
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

void
fm_route_emit_if(struct fm_route *r, uint32_t test, bool when, uint32_t b)
{
	const struct fm_op op = { .code = FM_OP_IF, .when = when, .a = test,
	    .b = b, .rule = FM_NONE };

	fm_route_emit(r, &op);
}

uint32_t
fm_route_label(struct fm_route *r)
{
	return (FM_ROUTE_LABEL | r->nlabels++);
}

void
fm_route_place(struct fm_route *r, uint32_t label, size_t from)
{
	size_t end = r->all->ops.n;
	struct fm_op *op;

	if (r->no_memory)
		return;
	for (; from < end; from++) {
		op = fm_route_op(r, from);
		if (fm_route_jumps(op) && op->b == label)
			op->b = FM_ROUTE_PLACED | (uint32_t)end;
	}
	fm_route_apart(r);
}

void
fm_route_patch(struct fm_route *r, size_t from)
{
	size_t n = r->all->ops.n;
	uint32_t tells = 0;
	struct fm_op *op;

	while (n-- > from) {
		op = fm_route_op(r, n);
		tells = fm_route_tells(op) ? tells + 1 : 0;
		if (tells > 0)
			op->b = tells;
		else if (!fm_route_jumps(op))
			continue;
		else if ((op->b & FM_ROUTE_PLACED) != 0)
			op->b &= ~FM_ROUTE_PLACED;
		else
			op->b = r->all->where[op->b];
	}
}
