/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Goes through the operations of a block, or for a route of `always`, the
 * host's block and `finally`, in their order, with the values of those headers
 * that rules have set to something that is sure by now.  A condition on these
 * is asked here and now; what can't be decided is copied.  Of a condition that
 * can't be undecided each test becomes a jump: so no tree is walked.
 *
 * Code that some request may jump over is a region.  What is set in a region
 * is not sure any more, in the region or after it.
 */

#include <stdlib.h>

#include "grow.h"
#include "intern.h"
#include "obj.h"
#include "route.h"
#include "run_priv.h"

/*
 * Routes are made until they have so many operations: 64K of them are 1.3 MB.
 * Hosts that come later run the lists of their blocks.
 */
#define ROUTE_OPS	65536

#define HOST_FIELD	"Host: "

/* All routes. */
struct routes {
	const struct fm_program	*p;
	const struct fm_op	*source;	/* the compiler's, of all
						 * blocks */
	struct fm_grow		ops;		/* struct fm_op, of all lists */
	struct fm_intern	alike;		/* site, and what maps give:
						 * a number in */
	struct fm_grow		made;		/* uint32_t: first operation,
						 * or FM_NONE */
	uint32_t		*where;		/* of each source operation:
						 * its place in ops */
	bool			*taken;		/* surely one comes here by
						 * the arm before it */
};

/* One that is being made. */
struct route {
	struct routes		*all;
	struct fm_exec		*x;
	const uint32_t		*templates;	/* that each map of the host
						 * gives, or FM_UNKNOWN; NULL:
						 * it is for any host */
	bool			sure[FM_SLOTS];	/* x->req has the value of this
						 * header */
	uint32_t		region;		/* where it ends */
	uint32_t		nlabels;	/* so far */
	bool			ended;		/* surely, here */
	bool			no_memory;
};

/*--------------------------------------------------------------------
 * Operations
 */

/*
 * A jump goes to an operation of the source, as numbered there; to one of ops,
 * which has this bit; or to a label that is not placed yet.
 */
#define PLACED	0x80000000U
#define LABEL	0x40000000U

static bool
op_jumps(const struct fm_op *op)
{
	return (op->code == FM_OP_WHEN || op->code == FM_OP_IF ||
	    op->code == FM_OP_JUMP || op->code == FM_OP_STOP ||
	    op->code == FM_OP_USE);
}

static bool
op_tells(const struct fm_op *op)
{
	return (op->code == FM_OP_TELL_BLOCK || op->code == FM_OP_TELL_WHEN);
}

static void
route_emit(struct route *r, const struct fm_op *op)
{
	struct fm_op *p = fm_grow_add(&r->all->ops, sizeof *p, 1);

	if (p == NULL)
		r->no_memory = true;
	else
		*p = *op;
}

/* Lets all jumps to a label, from there on, go to what comes next. */
static void
route_place(const struct route *r, uint32_t label, size_t from)
{
	size_t end = r->all->ops.n;
	struct fm_op *op;

	for (; from < end && !r->no_memory; from++) {
		op = FM_GROW_AT(&r->all->ops, struct fm_op, from);
		if (op_jumps(op) && op->b == label)
			op->b = PLACED | (uint32_t)end;
	}
}

/*
 * Ends a block whose operations begin there: jumps go to where the block's
 * operations came to be, and of what is told each gets how much follows it.
 */
static void
route_patch(const struct route *r, size_t from)
{
	size_t n = r->all->ops.n;
	uint32_t tells = 0;
	struct fm_op *op;

	while (n-- > from) {
		op = FM_GROW_AT(&r->all->ops, struct fm_op, n);
		tells = op_tells(op) ? tells + 1 : 0;
		if (tells > 0)
			op->b = tells;
		else if (op_jumps(op))
			op->b = (op->b & PLACED) != 0 ? op->b & ~PLACED :
			    r->all->where[op->b];
	}
}

/* Returns the piece of a value that has one, or NULL. */
static const struct fm_piece *
lone_piece(const struct fm_program *p, uint32_t template)
{
	const struct fm_template *t = &p->templates[template];

	return (t->count == 1 ? &p->pieces[t->first] : NULL);
}

/*
 * Returns true if a piece is a text as a header may have it: blanks at its ends
 * don't count there, and no text is an unset.
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

/* Makes a `set` one of a plain value: a text, the host, a map of these. */
static void
op_simplify(const struct fm_program *p, struct fm_op *op)
{
	const struct fm_piece *piece = lone_piece(p, op->a);

	if (piece_is_value(p, piece)) {
		op->code = FM_OP_PUT;
		op->a = piece->a;
	} else if (piece != NULL && piece->kind == FM_PIECE_HOST) {
		op->code = FM_OP_PUT_HOST;
	} else if (piece != NULL && piece->kind == FM_PIECE_MAP &&
	    map_is_plain(p, &p->maps[piece->a])) {
		op->code = FM_OP_PUT_MAP;
		op->a = (uint32_t)(piece - p->pieces);
	}
}

/*--------------------------------------------------------------------
 * What is sure
 */

/* Returns the template that a map of the host gives here, or FM_UNKNOWN. */
static uint32_t
piece_given(const struct route *r, const struct fm_piece *piece)
{
	uint32_t known;

	if (piece == NULL || piece->kind != FM_PIECE_MAP)
		return (FM_UNKNOWN);
	known = r->all->p->maps[piece->a].known;
	return (known == FM_NONE || r->templates == NULL ? FM_UNKNOWN :
	    r->templates[known]);
}

static bool template_sure(const struct route *, uint32_t);

static bool
piece_sure(const struct route *r, const struct fm_piece *piece)
{
	uint32_t given;

	switch ((enum fm_piece_kind)piece->kind) {
	case FM_PIECE_TEXT:
		return (true);
	case FM_PIECE_RULESET:
		return (r->templates != NULL);
	case FM_PIECE_SUBJECT:
		return (piece->subject.kind == FM_SUBJECT_HEADER &&
		    r->sure[piece->subject.slot]);
	case FM_PIECE_MAP:
		given = piece_given(r, piece);
		return (given == FM_NONE || (given != FM_UNKNOWN &&
		    template_sure(r, given)));
	default:
		return (false);
	}
}

/* A map's values have no maps in them. */
static bool
template_sure(const struct route *r, uint32_t template)
{
	const struct fm_template *t = &r->all->p->templates[template];
	uint32_t i;

	for (i = 0; i < t->count; i++)
		if (!piece_sure(r, &r->all->p->pieces[t->first + i]))
			return (false);
	return (true);
}

/* Returns what comes of a part of a condition; FM_NOT_ASKED: it isn't sure. */
static enum fm_outcome
node_outcome(const struct route *r, const struct fm_cond_code *cond,
    const struct fm_node *node)
{
	const struct fm_program *p = r->all->p;
	const struct fm_test *test = &p->tests[node->first];
	enum fm_outcome outcome, enough;
	bool unknown = false;
	uint32_t i;

	if (node->kind == FM_NODE_TEST) {
		if (test->kind == FM_TEST_NAMES ||
		    test->subject.kind != FM_SUBJECT_HEADER ||
		    !r->sure[test->subject.slot])
			return (FM_NOT_ASKED);
		outcome = fm_cond_test(r->x, cond, node);
		return (outcome == FM_UNDECIDED || r->x->req.no_memory ?
		    FM_NOT_ASKED : outcome);
	}
	enough = node->kind == FM_NODE_AND ? FM_FALSE : FM_TRUE;
	for (i = 0; i < node->count; i++) {
		outcome = node_outcome(r, cond, &p->nodes[node->first + i]);
		if (outcome == enough)
			return (enough);
		unknown |= outcome == FM_NOT_ASKED;
	}
	if (unknown)
		return (FM_NOT_ASKED);
	return (enough == FM_TRUE ? FM_FALSE : FM_TRUE);
}

/*--------------------------------------------------------------------
 * Conditions that are not sure
 */

/* Returns true if what comes of it may be undecided: it asks for a regex. */
static bool
node_open(const struct fm_program *p, const struct fm_node *node)
{
	const struct fm_test *test = &p->tests[node->first];
	uint32_t i;

	if (node->kind == FM_NODE_TEST)
		return ((test->kind == FM_TEST_SET ||
		    test->kind == FM_TEST_RANGE) &&
		    test->mode == FM_PATTERN_REGEX);
	for (i = 0; i < node->count; i++)
		if (node_open(p, &p->nodes[node->first + i]))
			return (true);
	return (false);
}

/* Goes to the label if that comes out, else on behind. */
static void
when_node(struct route *r, const struct fm_cond_code *cond,
    const struct fm_node *node, bool when, uint32_t label)
{
	const struct fm_node *child = &r->all->p->nodes[node->first];
	const struct fm_op test = { .code = FM_OP_IF, .a = node->first,
	    .when = when != node->negated, .b = label, .rule = FM_NONE };
	uint32_t behind = label, i, left = 0;
	size_t from = r->all->ops.n;

	if (node->kind == FM_NODE_TEST) {
		route_emit(r, &test);
		return;
	}
	/* Whether the first child that comes out so decides. */
	if ((node->kind == FM_NODE_OR) != when)
		behind = LABEL | r->nlabels++;
	for (i = 0; i < node->count; i++)
		left += node_outcome(r, cond, &child[i]) == FM_NOT_ASKED;
	for (i = 0; left > 0; i++) {
		if (node_outcome(r, cond, &child[i]) != FM_NOT_ASKED)
			continue;
		if (--left == 0)
			when_node(r, cond, &child[i], when, label);
		else
			when_node(r, cond, &child[i],
			    node->kind == FM_NODE_OR, behind);
	}
	if (behind != label)
		route_place(r, behind, from);
}

/*--------------------------------------------------------------------
 * A block
 */

/* Some requests jump there. */
static void
route_leads(struct route *r, uint32_t n)
{
	if (n > r->region)
		r->region = n;
}

/*
 * Returns the operation to go on with.  Whoever speaks of the groups of a regex
 * needs it to be asked.
 */
static uint32_t
route_when(struct route *r, uint32_t n)
{
	const struct fm_op *op = &r->all->source[n];
	const struct fm_cond_code *cond = &r->all->p->conds[op->a];
	enum fm_outcome outcome = node_outcome(r, cond, &cond->root);
	struct fm_op tell = *op;

	tell.code = FM_OP_TELL_WHEN;
	route_emit(r, &tell);
	if (outcome == FM_NOT_ASKED ||
	    (outcome == FM_TRUE && cond->ncaptures > 0)) {
		route_leads(r, op->b);
		if (cond->ncaptures > 0 || node_open(r->all->p, &cond->root))
			route_emit(r, op);
		else
			when_node(r, cond, &cond->root, false, op->b);
		return (n + 1);
	}
	if (outcome == FM_FALSE)
		return (op->b);
	r->all->taken[op->b] = true;
	return (n + 1);
}

/* Behind an arm, over its else.  Returns the operation to go on with. */
static uint32_t
route_jump(struct route *r, uint32_t n)
{
	const struct fm_op *op = &r->all->source[n];

	if (r->all->taken[n + 1])
		return (op->b);
	route_leads(r, op->b);
	route_emit(r, op);
	return (n + 1);
}

static void
route_set(struct route *r, const struct fm_op *op)
{
	const struct fm_program *p = r->all->p;
	uint32_t given = piece_given(r, lone_piece(p, op->a));
	struct fm_op new = *op;

	r->sure[op->slot] = r->region == 0 && template_sure(r, op->a);
	if (r->sure[op->slot])
		(void)fm_request_edit(&r->x->req, op->slot, fm_request_value(
		    fm_template_text(r->x, op->a, NULL)), op->rule);
	if (given != FM_UNKNOWN)
		new.a = given;
	if (given == FM_NONE)
		new.code = FM_OP_UNSET;
	else
		op_simplify(p, &new);
	route_emit(r, &new);
}

/* Copies what neither is a condition nor sets a header to a value. */
static void
route_copy(struct route *r, const struct fm_op *op)
{
	struct fm_op new = *op;
	uint32_t given;

	switch ((enum fm_op_code)op->code) {
	case FM_OP_UNSET:
		r->sure[op->slot] = r->region == 0;
		if (r->region == 0)
			(void)fm_request_edit(&r->x->req, op->slot,
			    fm_text(NULL, 0), op->rule);
		break;
	case FM_OP_COOKIE:
	case FM_OP_NORMALIZE:
		r->sure[op->slot] = false;
		break;
	case FM_OP_UNSET_GLOB:
	case FM_OP_USE:
		memset(r->sure, 0, sizeof r->sure);
		break;
	case FM_OP_REDIRECT:
		given = piece_given(r, lone_piece(r->all->p, op->a));
		if (given != FM_UNKNOWN && given != FM_NONE)
			new.a = given;
		break;
	default:
		break;
	}
	/* What leaves the block for some requests goes to its end. */
	if (op->code == FM_OP_USE || (op->code == FM_OP_STOP && r->region > 0))
		route_leads(r, op->b);
	route_emit(r, &new);
}

static bool
op_ends(const struct fm_op *op)
{
	return (op->code == FM_OP_PASS || op->code == FM_OP_PIPE ||
	    op->code == FM_OP_HASH || op->code == FM_OP_BUILTIN);
}

/* Appends a block, without its end: there the next block comes. */
static void
route_block(struct route *r, uint32_t block)
{
	const struct fm_op *ops = r->all->source, *op;
	uint32_t n = r->all->p->blocks[block].first, end = n;
	size_t from = r->all->ops.n;
	bool stopped = false;

	while (ops[end].code != FM_OP_END)
		r->all->taken[++end] = false;
	r->region = 0;
	while (n < end && !r->ended && !stopped && !r->no_memory) {
		op = &ops[n];
		if (r->region <= n)
			r->region = 0;
		r->all->where[n] = (uint32_t)r->all->ops.n;
		if (op->code == FM_OP_WHEN) {
			n = route_when(r, n);
			continue;
		}
		if (op->code == FM_OP_JUMP) {
			n = route_jump(r, n);
			continue;
		}
		if (op->code == FM_OP_SET)
			route_set(r, op);
		else
			route_copy(r, op);
		stopped = r->region == 0 && op->code == FM_OP_STOP;
		r->ended = r->region == 0 && op_ends(op);
		n++;
	}
	r->all->where[end] = (uint32_t)r->all->ops.n;
	if (!r->no_memory)
		route_patch(r, from);
}

/*--------------------------------------------------------------------
 * A host
 */

/* Finds the number of all hosts of this site whose maps give the same. */
static int
route_alike(struct routes *all, uint32_t site, const uint32_t *templates,
    uint32_t *number)
{
	uint32_t i, *made;

	fm_intern_key(&all->alike, site);
	for (i = 0; i < all->p->nknown; i++)
		fm_intern_key_number(&all->alike, templates[i]);
	switch (fm_intern_get(&all->alike, (uint32_t)all->made.n, number)) {
	case FM_INTERN_OLD:
		return (0);
	case FM_INTERN_NEW:
		made = fm_grow_add(&all->made, sizeof *made, 1);
		if (made != NULL)
			*made = FM_UNKNOWN;
		return (made == NULL ? -1 : 0);
	case FM_INTERN_NO_MEMORY:
		break;
	}
	return (-1);
}

/* Makes a route for the host that the run has found. */
static int
route_make(struct routes *all, struct fm_exec *x, const uint32_t *templates,
    uint32_t *made)
{
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };
	struct route r = { .all = all, .x = x, .templates = templates };
	size_t first = all->ops.n;

	*made = FM_NONE;
	if (first >= ROUTE_OPS)
		return (0);
	if (all->p->always != FM_NONE)
		route_block(&r, all->p->always);
	if (x->req.site != FM_NONE && !r.ended)
		route_block(&r, x->req.site);
	if (all->p->finally != FM_NONE && !r.ended)
		route_block(&r, all->p->finally);
	route_emit(&r, &end);
	if (x->req.no_memory)
		all->ops.n = first;
	else
		*made = (uint32_t)first;
	return (r.no_memory ? -1 : 0);
}

/* Asks the maps of the host, each by its place. */
static void
maps_ask(struct fm_exec *x, uint32_t *templates)
{
	const struct fm_program *p = x->program;
	struct fm_piece piece = { .kind = FM_PIECE_MAP,
	    .subject.kind = FM_SUBJECT_HOST };
	uint32_t known, template;

	for (piece.a = 0; piece.a < p->nmaps; piece.a++) {
		known = p->maps[piece.a].known;
		if (known == FM_NONE)
			continue;
		x->undecided = false;
		template = fm_map_template(x, &piece);
		templates[known] = x->undecided || x->req.no_memory ?
		    FM_UNKNOWN : template;
	}
}

/* Finds the route of host n; the line with its name ends in NUL. */
static int
host_route(struct routes *all, uint32_t n, const char *line, uint32_t *route)
{
	struct fm_field field = { line, strchr(line, '\0') };
	const struct fm_view view = { .fields = &field, .nfields = 1 };
	uint32_t templates[FM_ROUTE_MAPS], number, *made;
	struct fm_exec x;
	struct fm_run run;
	int bad = 0;

	fm_exec_init(&x, &run, all->p, &view, NULL);
	if (!x.req.no_memory && x.req.hit.how == FM_HOSTTAB_EXACT &&
	    x.req.hit.pattern == n) {
		maps_ask(&x, templates);
		bad = route_alike(all, x.req.site, templates, &number);
		if (bad == 0) {
			made = FM_GROW_AT(&all->made, uint32_t, number);
			if (*made == FM_UNKNOWN)
				bad = route_make(all, &x, templates, made);
			*route = *made;
		}
	}
	fm_run_end(&run);
	return (bad);
}

/* Writes the name that a pattern has; a wildcard's is no host. */
static bool
host_line(const char *pattern, char *line, size_t room)
{
	size_t len;

	pattern += *pattern == '.';
	len = strlen(pattern);
	if (len >= room - sizeof HOST_FIELD || strchr(pattern, '*') != NULL)
		return (false);
	memcpy(line, HOST_FIELD, sizeof HOST_FIELD - 1);
	memcpy(line + sizeof HOST_FIELD - 1, pattern, len + 1);
	return (true);
}

static int
hosts_route(struct routes *all, struct fm_program *p)
{
	char line[512];
	uint32_t n;
	int bad = 0;

	p->route_of = malloc(p->nhosts * sizeof *p->route_of);
	if (p->route_of == NULL)
		return (-1);
	for (n = 0; n < p->nhosts && bad == 0; n++) {
		p->route_of[n] = FM_NONE;
		if (host_line(p->hosts + p->host_at[n], line, sizeof line))
			bad = host_route(all, n, line, &p->route_of[n]);
	}
	return (bad);
}

/*--------------------------------------------------------------------
 * All of them
 */

/* Makes the list of a block.  Nothing is known of the host. */
static int
block_list(struct routes *all, struct fm_block_code *block, uint32_t number)
{
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };
	static const struct fm_view nobody;
	uint32_t first = (uint32_t)all->ops.n;
	struct fm_exec x;
	struct route r = { .all = all, .x = &x };
	struct fm_run run;

	fm_exec_init(&x, &run, all->p, &nobody, NULL);
	if (!x.req.no_memory)
		route_block(&r, number);
	route_emit(&r, &end);
	r.no_memory |= x.req.no_memory;
	fm_run_end(&run);
	block->first = first;
	return (r.no_memory ? -1 : 0);
}

/* Makes the lists of all blocks, which are in the source until now. */
static int
block_lists(struct routes *all, struct fm_program *p)
{
	uint32_t n;

	for (n = 0; n < p->nblocks; n++)
		/* A block without a name is run by nobody. */
		if (p->blocks[n].name.len > 0 &&
		    block_list(all, &p->blocks[n], n) != 0)
			return (-1);
	return (0);
}

static int
routes_take(const struct routes *all, struct fm_program *p)
{
	size_t bytes = all->ops.n * sizeof *p->ops;

	p->ops = malloc(bytes);
	if (p->ops == NULL)
		return (-1);
	memcpy(p->ops, all->ops.items, bytes);
	p->nops = (uint32_t)all->ops.n;
	return (0);
}

int
fm_routes_make(struct fm_program *p, const struct fm_op *source,
    size_t nsource)
{
	struct routes all = { .p = p, .source = source };
	int bad = 0;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	all.where = malloc((nsource + 1) * sizeof *all.where);
	all.taken = calloc(nsource + 1, sizeof *all.taken);
	if (all.where == NULL || all.taken == NULL)
		bad = -1;
	if (bad == 0 && p->nhosts > 0 && p->nknown > 0)
		bad = hosts_route(&all, p);
	if (bad == 0)
		bad = block_lists(&all, p);
	if (bad == 0)
		bad = routes_take(&all, p);
	fm_grow_fini(&all.ops);
	fm_grow_fini(&all.made);
	fm_intern_fini(&all.alike);
	free(all.where);
	free(all.taken);
	return (bad);
}
