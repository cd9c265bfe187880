/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Goes through the operations of `always`, of the host's block and of `finally`
 * in their order, with the values of those headers that rules have set to
 * something that is sure by now.  A condition on these and on the host is asked
 * here and now; what can't be decided is copied.
 *
 * A list is made by a trial run: r->x is a run for a request that has only a
 * Host.  We go through the compiler's operations in their order, do each `set`
 * and `unset` in the trial run, and remember which headers are sure: every
 * request has this value here.
 *
 *	set X-A = one;			X-A is sure		copied
 *	when X-A is one { ... }		true for every request	block only
 *	when path is /a {		not known		IF
 *		set X-A = two;		X-A is not sure any more
 *	}
 *
 * A condition on sure headers is decided here, and only the block that runs is
 * copied.  Any other condition is copied: as one FM_OP_IF for each test if
 * none of them can be undecided, so that requests walk no tree.
 *
 * A region is operations that some requests jump over.  A header that is set in
 * a region is not sure from there on.
 */

#include <stdlib.h>

#include "obj.h"
#include "route_priv.h"

/* Limits: hosts that are all unlike don't earn the memory of their routes. */
#define ROUTE_OPS	65536		/* operations of all routes */
#define ROUTE_TRIED	(16UL * ROUTE_OPS) /* with those that were not kept */
#define ROUTE_SINGLE	4096		/* routes made for one host each */

/* Bits for each operation of the source. */
#define ROUTE_TAKEN	1	/* the arm before it is run, surely */
#define ROUTE_JUMPED	2	/* something jumps here */

/*--------------------------------------------------------------------
 * Operations
 */

/* With another that is counted as often, if there is one with room for it. */
static void
route_count(struct fm_route *r, const struct fm_op *op)
{
	struct fm_op new = *op;

	if (r->count != SIZE_MAX && fm_route_op(r, r->count)->b == FM_NONE) {
		fm_route_op(r, r->count)->b = op->a;
		return;
	}
	if (r->count != SIZE_MAX && fm_route_op(r, r->count)->rule == FM_NONE) {
		fm_route_op(r, r->count)->rule = op->a;
		return;
	}
	new.b = new.rule = FM_NONE;
	r->count = r->all->ops.n;
	fm_route_emit(r, &new);
}

/* The header has another value now, one that is sure or not. */
static void
route_edited(struct fm_route *r, unsigned slot, enum fm_route_sure sure)
{
	r->slots[slot] = r->region > 0 ? FM_SURE_NOT : (uint8_t)sure;
}

/* Returns the piece of a template that has just one, or NULL. */
static const struct fm_piece *
lone_piece(const struct fm_program *p, uint32_t template)
{
	const struct fm_template *t = &p->templates[template];

	return (t->count == 1 ? &p->pieces[t->first] : NULL);
}

/*
 * Returns true if a piece is a text that can be a header's value as it is: it
 * is not empty (that would be an unset), and has no blanks at its ends.
 */
static bool
piece_is_value(const struct fm_program *p, const struct fm_piece *piece)
{
	struct fm_text text;

	if (piece == NULL || piece->kind != FM_PIECE_TEXT)
		return (false);
	text = p->texts[piece->a];
	return (text.len > 0 && fm_text_trim(text).len == text.len);
}

/* Makes a `set` one of a value that is nothing but a text, or the host. */
static void
route_put(const struct fm_program *p, struct fm_op *op, uint32_t template)
{
	const struct fm_piece *piece;

	if (template == FM_NONE) {
		op->code = FM_OP_UNSET;
		return;
	}
	piece = lone_piece(p, template);
	if (piece_is_value(p, piece))
		op->code = FM_OP_PUT;
	else if (piece != NULL && piece->kind == FM_PIECE_HOST)
		op->code = FM_OP_PUT_HOST;
	else
		return;
	op->a = piece->a;
}

/* Returns true if a map looks for texts one by one, and gives texts. */
static bool
map_is_plain(const struct fm_program *p, const struct fm_map_code *map)
{
	uint32_t n;

	if (map->texts == FM_NONE || (map->otherwise != FM_NONE &&
	    !piece_is_value(p, lone_piece(p, map->otherwise))))
		return (false);
	for (n = 0; n < map->nlines; n++)
		if (!piece_is_value(p, lone_piece(p,
		    p->map_lines[map->first_line + n].template)))
			return (false);
	return (true);
}

static void
route_set(struct fm_route *r, const struct fm_op *op)
{
	enum fm_route_sure sure = fm_route_sure_template(r, op->a);
	const struct fm_piece *piece = fm_route_map(r, op->a);
	uint32_t given = fm_route_given(r, op->a);
	struct fm_text value;
	struct fm_op new = *op;

	r->decided |= given != FM_UNKNOWN;
	if (sure != FM_SURE_NOT) {
		value = fm_template_text(r->x, op->a, NULL);
		(void)fm_request_edit(&r->x->req, op->slot,
		    fm_request_value(value), op->rule);
	}
	route_edited(r, op->slot, sure);
	if (given == FM_UNKNOWN && piece != NULL &&
	    map_is_plain(r->all->p, &r->all->p->maps[piece->a])) {
		new.code = FM_OP_PUT_MAP;
		new.a = (uint32_t)(piece - r->all->p->pieces);
	} else if (given == FM_UNKNOWN) {
		route_put(r->all->p, &new, op->a);
	} else {
		new.a = given;
		route_put(r->all->p, &new, given);
	}
	fm_route_emit(r, &new);
}

static void
route_redirect(struct fm_route *r, const struct fm_op *op)
{
	uint32_t given = fm_route_given(r, op->a);
	struct fm_op new = *op;

	if (given != FM_UNKNOWN && given != FM_NONE)
		new.a = given;
	fm_route_emit(r, &new);
}

/* Whoever speaks of the groups of its regex needs it to be asked. */
static enum fm_outcome
route_cond(struct fm_route *r, const struct fm_cond_code *cond)
{
	enum fm_outcome outcome = fm_route_node(r, cond, &cond->root);

	if (outcome == FM_TRUE && cond->ncaptures > 0)
		return (FM_NOT_ASKED);
	r->decided |= outcome != FM_NOT_ASKED;
	return (outcome);
}

/* There is a jump to this operation. */
static void
route_leads(struct fm_route *r, uint32_t n)
{
	r->all->ways[n] |= ROUTE_JUMPED;
	if (n > r->region)
		r->region = n;
}

/* The operation to go on with; until it is all patched, as numbered before. */
static uint32_t
route_when(struct fm_route *r, uint32_t n)
{
	const struct fm_op *op = &r->all->source[n];
	struct fm_op tell = *op;

	tell.code = FM_OP_TELL_WHEN;
	fm_route_emit(r, &tell);
	switch (route_cond(r, &r->all->p->conds[op->a])) {
	case FM_TRUE:
		r->all->ways[op->b] |= ROUTE_TAKEN;
		return (n + 1);
	case FM_FALSE:
		return (op->b);
	default:
		route_leads(r, op->b);
		fm_route_when(r, op);
		return (n + 1);
	}
}

/* Behind an arm: on the way to it, or over its else. */
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

/* The same for what neither branches nor ends. */
static void
route_plain(struct fm_route *r, const struct fm_op *op)
{
	switch ((enum fm_op_code)op->code) {
	case FM_OP_SET:
		route_set(r, op);
		return;
	case FM_OP_UNSET:
		if (r->region == 0)
			(void)fm_request_edit(&r->x->req, op->slot,
			    fm_text(NULL, 0), op->rule);
		route_edited(r, op->slot, FM_SURE_ALIKE);
		break;
	case FM_OP_COOKIE:
	case FM_OP_NORMALIZE:
		route_edited(r, op->slot, FM_SURE_NOT);
		break;
	case FM_OP_UNSET_GLOB:
		memset(r->slots, FM_SURE_NOT, sizeof r->slots);
		break;
	case FM_OP_COUNT:
		route_count(r, op);
		return;
	case FM_OP_REDIRECT:
		route_redirect(r, op);
		return;
	default:
		break;
	}
	fm_route_emit(r, op);
}

/* The rest of the block is left for this request. */
static void
route_stop(struct fm_route *r, const struct fm_op *op, uint32_t end)
{
	struct fm_op stop = *op;

	stop.b = end;
	if (r->region > 0)
		route_leads(r, end);
	fm_route_emit(r, &stop);
}

/* A ruleset may do anything, and may leave the block. */
static void
route_use(struct fm_route *r, const struct fm_op *op, uint32_t end)
{
	struct fm_op use = *op;

	use.b = end;
	memset(r->slots, FM_SURE_NOT, sizeof r->slots);
	route_leads(r, end);
	fm_route_emit(r, &use);
}

/*
 * Appends a block, without its end.  What leaves the block in a region jumps to
 * the end, where the next block comes; so all from there is a region.
 */
static void
route_block(struct fm_route *r, uint32_t block)
{
	const struct fm_op *ops = r->all->source, *op;
	uint32_t n = r->all->p->blocks[block].first, end = n;
	struct fm_op tell = { .code = FM_OP_TELL_BLOCK, .rule = FM_NONE,
	    .a = block };
	size_t from = r->all->ops.n;
	bool stopped = false;

	while (ops[end].code != FM_OP_END)
		r->all->ways[++end] = 0;
	r->region = 0;
	fm_route_emit(r, &tell);
	while (n < end && !r->ended && !stopped && !r->no_memory) {
		op = &ops[n];
		if (r->region <= n)
			r->region = 0;
		if ((r->all->ways[n] & ROUTE_JUMPED) != 0)
			fm_route_apart(r);
		r->all->where[n] = (uint32_t)r->all->ops.n;
		if (op->code == FM_OP_WHEN) {
			n = route_when(r, n);
			continue;
		}
		if (op->code == FM_OP_JUMP) {
			n = route_jump(r, n);
			continue;
		}
		if (op->code == FM_OP_STOP)
			route_stop(r, op, end);
		else if (op->code == FM_OP_USE)
			route_use(r, op, end);
		else
			route_plain(r, op);
		stopped = r->region == 0 && op->code == FM_OP_STOP;
		r->ended = r->region == 0 && (op->code == FM_OP_PASS ||
		    op->code == FM_OP_PIPE || op->code == FM_OP_HASH ||
		    op->code == FM_OP_BUILTIN);
		n++;
	}
	r->all->where[end] = (uint32_t)r->all->ops.n;
	if ((r->all->ways[end] & ROUTE_JUMPED) != 0)
		fm_route_apart(r);
	if (!r->no_memory)
		fm_route_patch(r, from);
}

static int
route_end(struct fm_route *r)
{
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };

	fm_route_emit(r, &end);
	return (r->no_memory ? -1 : 0);
}

/* *route becomes FM_NONE where nothing was decided, or there is no room. */
static int
route_write(struct fm_route *r, uint32_t *route)
{
	const struct fm_program *p = r->all->p;
	size_t first = r->all->ops.n;

	/* Maps of other blocks were asked; those have other memos. */
	memset(r->x->versions, 0, p->nmemos * sizeof *r->x->versions);
	fm_route_apart(r);
	if (p->always != FM_NONE)
		route_block(r, p->always);
	if (r->x->req.site != FM_NONE && !r->ended)
		route_block(r, r->x->req.site);
	if (p->finally != FM_NONE && !r->ended)
		route_block(r, p->finally);
	if (route_end(r) != 0)
		return (-1);
	*route = (uint32_t)first;
	r->all->tried += r->all->ops.n - first;
	r->all->full = r->all->ops.n > ROUTE_OPS;
	if (r->all->full || r->x->req.no_memory || !r->decided) {
		r->all->ops.n = first;
		*route = FM_NONE;
	}
	return (0);
}

/*--------------------------------------------------------------------
 * All of them
 */

bool
fm_routes_wanted(const struct fm_program *p)
{
	uint32_t i;

	for (i = 0; i < p->ntests; i++)
		if (p->tests[i].subject.kind == FM_SUBJECT_HOST)
			return (true);
	return (p->nknown > 0);
}

int
fm_routes_begin(struct fm_routes *all, const struct fm_program *p,
    const struct fm_op *source, size_t nsource)
{
	memset(all, 0, sizeof *all);
	all->p = p;
	all->source = source;
	all->where = malloc((nsource + 1) * sizeof *all->where);
	all->ways = calloc(nsource + 1, 1);
	return (all->where == NULL || all->ways == NULL ? -1 : 0);
}

int
fm_routes_take(const struct fm_routes *all, struct fm_op **ops,
    uint32_t *nops)
{
	size_t bytes = all->ops.n * sizeof **ops;

	*ops = malloc(bytes + 1);
	if (*ops == NULL)
		return (-1);
	if (bytes > 0)
		memcpy(*ops, all->ops.items, bytes);
	*nops = (uint32_t)all->ops.n;
	return (0);
}

void
fm_routes_end(struct fm_routes *all)
{
	fm_grow_fini(&all->ops);
	fm_grow_fini(&all->made);
	fm_intern_fini(&all->alike);
	free(all->where);
	free(all->ways);
}

/* The one that all hosts of this site and these maps share. */
static int
route_alike(struct fm_routes *all, uint32_t site, const uint32_t *templates,
    uint32_t **made)
{
	uint32_t i, number, *p;

	fm_intern_key(&all->alike, site);
	for (i = 0; i < all->p->nknown; i++)
		fm_intern_key_number(&all->alike, templates[i]);
	switch (fm_intern_get(&all->alike, (uint32_t)all->made.n, &number)) {
	case FM_INTERN_OLD:
		*made = FM_GROW_AT(&all->made, uint32_t, number);
		return (0);
	case FM_INTERN_NEW:
		p = fm_grow_add(&all->made, sizeof *p, 1);
		*made = NULL;
		return (p == NULL ? -1 : 0);
	case FM_INTERN_NO_MEMORY:
		break;
	}
	return (-1);
}

int
fm_route_make(struct fm_routes *all, struct fm_exec *x,
    const uint32_t *templates, uint32_t *route)
{
	struct fm_route r = { .all = all, .x = x, .templates = templates };
	uint32_t *made;

	*route = FM_NONE;
	if (all->full || all->tried > ROUTE_TRIED)
		return (0);
	if (route_alike(all, x->req.site, templates, &made) != 0)
		return (-1);
	if (made != NULL && *made != FM_UNKNOWN) {
		*route = *made;
		return (0);
	}
	if (made != NULL && ++all->single > ROUTE_SINGLE)
		return (0);
	if (route_write(&r, route) != 0)
		return (-1);
	if (made == NULL) {
		made = FM_GROW_AT(&all->made, uint32_t, all->made.n - 1);
		*made = r.host ? FM_UNKNOWN : *route;
	}
	return (0);
}

int
fm_route_block(struct fm_routes *all, uint32_t block, uint32_t *first)
{
	static const struct fm_view nobody;
	struct fm_exec x;
	struct fm_route r = { .all = all, .x = &x,
	    .any_site = block == all->p->always || block == all->p->finally };
	size_t start = all->ops.n;
	struct fm_run run;
	int bad;

	fm_exec_init(&x, &run, all->p, &nobody, NULL);
	x.result->site = all->p->blocks[block].name;
	if (x.req.no_memory) {
		bad = -1;
	} else {
		fm_route_apart(&r);
		route_block(&r, block);
		bad = route_end(&r);
	}
	*first = (uint32_t)start;
	fm_run_end(&run);
	return (bad);
}
