/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the files that make a route: route.c (blocks, statements, and all
 * routes), route_when.c (conditions), route_sure.c (what is sure by now),
 * route_emit.c (operations and jumps).
 */

#ifndef FM_ROUTE_PRIV_H
#define FM_ROUTE_PRIV_H

#include "route.h"

/* What is sure of the value of a header. */
enum fm_route_sure {
	FM_SURE_NOT,
	FM_SURE_ALIKE,		/* it is that of all hosts of the same maps */
	FM_SURE_HOST		/* it has the host's name in it */
};

/* One that is being made. */
struct fm_route {
	struct fm_routes	*all;
	struct fm_exec		*x;
	const uint32_t		*templates;	/* NULL: of any host */
	bool			any_site;	/* its block may be any */
	uint8_t			slots[256];	/* enum fm_route_sure */
	uint32_t		region;		/* where it ends */
	size_t			straight;	/* since then no jump ends, */
	size_t			count;		/* nor may the run have ended;
						 * there counters are, or
						 * SIZE_MAX */
	uint32_t		nlabels;	/* so far */
	bool			decided;	/* something was */
	bool			host;		/* by the host's name */
	bool			ended;		/* surely, here */
	bool			no_memory;
};

/*
 * Where a jump goes: to an operation of the program, as numbered there; to one
 * of routes[], which has this bit; or to a label that is not placed yet.
 */
#define FM_ROUTE_PLACED	0x80000000U
#define FM_ROUTE_LABEL	0x40000000U

static inline bool
fm_route_jumps(const struct fm_op *op)
{
	return (op->code == FM_OP_WHEN || op->code == FM_OP_IF ||
	    op->code == FM_OP_JUMP || op->code == FM_OP_STOP ||
	    op->code == FM_OP_USE);
}

static inline bool
fm_route_tells(const struct fm_op *op)
{
	return (op->code == FM_OP_TELL_BLOCK || op->code == FM_OP_TELL_WHEN);
}

/*
 * route_emit.c
 */
void fm_route_emit(struct fm_route *, const struct fm_op *);
/* Goes to b if the test comes out like `when`. */
void fm_route_emit_if(struct fm_route *, uint32_t test, bool when,
    uint32_t b);
/* From here on some requests come from elsewhere, or go on no more. */
void fm_route_apart(struct fm_route *);
/* A label, and the place of it: here, for all jumps from there on. */
uint32_t fm_route_label(struct fm_route *);
void fm_route_place(struct fm_route *, uint32_t label, size_t from);
/*
 * Ends a block whose operations begin there: jumps go to where the block's
 * operations came to be, and of what is told each gets how much follows it.
 */
void fm_route_patch(struct fm_route *, size_t from);

static inline struct fm_op *
fm_route_op(const struct fm_route *r, size_t n)
{
	return (FM_GROW_AT(&r->all->ops, struct fm_op, n));
}

/*
 * route_sure.c
 */
enum fm_route_sure fm_route_sure_template(const struct fm_route *,
    uint32_t template);

/* Of a value that is a map's and nothing else: the piece; or NULL. */
const struct fm_piece *fm_route_map(const struct fm_route *,
    uint32_t template);

/*
 * The template that it gives.  FM_UNKNOWN: the value is something else, or the
 * map's is not sure.
 */
uint32_t fm_route_given(const struct fm_route *, uint32_t template);

/* What comes out of a condition, or of a part; FM_NOT_ASKED: it isn't sure. */
enum fm_outcome fm_route_node(struct fm_route *, const struct fm_cond_code *,
    const struct fm_node *);

/*
 * route_when.c: the condition of a `when`, which is not sure, goes on behind
 * it if it is true, or where the operation says.
 */
void fm_route_when(struct fm_route *, const struct fm_op *);

#endif
