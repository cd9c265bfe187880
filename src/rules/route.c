/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes all lists of operations of a program: first the routes of hosts, then
 * the lists of blocks.
 *
 *	map site { is a.example -> a; is b.example -> b; default c; }
 *	always { set X-Site = site(host); when header X-Site is c { pass; } }
 *	host a.example d.example e.example { hash; }
 *
 *	a.example	known: a		PUT X-Site a; HASH; END
 *	d.example	known: c		PUT X-Site c; PASS; END
 *	e.example	known: c		the route of d.example
 *
 * For each host that stands in the rules by its own name we ask all maps of the
 * host.  Hosts of one block for which the maps give the same share a route,
 * unless the name of the host has decided something else.
 */

#include <stdlib.h>

#include "obj.h"
#include "route_priv.h"

/* Hosts that are all unlike don't earn the memory and time of their routes. */
#define ROUTE_OPS	65536		/* operations of all routes */
#define ROUTE_TRIED	(16UL * ROUTE_OPS) /* with those that weren't kept */

#define HOST_FIELD	"Host: "

/*--------------------------------------------------------------------
 * Routes
 */

static int
list_end(struct fm_route *r)
{
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };

	fm_route_emit(r, &end);
	return (r->no_memory ? -1 : 0);
}

/* Makes a route; FM_NONE: nothing was decided, or routes take too much. */
static int
route_write(struct fm_route *r, uint32_t *route)
{
	const struct fm_program *p = r->all->p;
	size_t first = r->all->ops.n;

	/* known_row() has used the memos for maps of other blocks. */
	memset(r->x->versions, 0, p->nmemos * sizeof *r->x->versions);
	fm_route_apart(r);
	if (p->always != FM_NONE)
		fm_route_block(r, p->always);
	if (r->x->req.site != FM_NONE && !r->ended)
		fm_route_block(r, r->x->req.site);
	if (p->finally != FM_NONE && !r->ended)
		fm_route_block(r, p->finally);
	if (list_end(r) != 0)
		return (-1);
	*route = (uint32_t)first;
	r->all->tried += r->all->ops.n - first;
	if (r->all->ops.n > ROUTE_OPS)
		r->all->tried = SIZE_MAX;
	if (r->all->tried == SIZE_MAX || r->x->req.no_memory || !r->decided) {
		r->all->ops.n = first;
		*route = FM_NONE;
	}
	return (0);
}

/* Finds the route of other hosts that are alike, or makes one. */
static int
route_find(struct fm_routes *all, struct fm_exec *x, const uint32_t *templates,
    uint32_t *route)
{
	struct fm_route r = { .all = all, .x = x, .templates = templates };
	uint32_t i, number, *made;
	int new;

	if (all->tried > ROUTE_TRIED)
		return (0);
	fm_intern_key(&all->alike, x->req.site);
	for (i = 0; i < all->p->nknown; i++)
		fm_intern_key_number(&all->alike, templates[i]);
	new = fm_intern_get(&all->alike, (uint32_t)all->made.n, &number);
	if (new < 0 || (new && fm_grow_add(&all->made, sizeof *made, 1) ==
	    NULL))
		return (-1);
	made = FM_GROW_AT(&all->made, uint32_t, number);
	if (!new && *made != FM_UNKNOWN) {
		*route = *made;
		return (0);
	}
	if (route_write(&r, route) != 0)
		return (-1);
	*made = r.host ? FM_UNKNOWN : *route;
	return (0);
}

/*--------------------------------------------------------------------
 * Hosts
 */

/* Finds for each map of the host a piece that asks it. */
static void
known_pieces(const struct fm_program *p, const struct fm_piece **pieces)
{
	const struct fm_piece *piece;
	uint32_t i, known;

	for (i = 0; i < p->npieces; i++) {
		piece = &p->pieces[i];
		if (piece->kind != FM_PIECE_MAP)
			continue;
		known = p->maps[piece->a].known;
		if (known != FM_NONE)
			pieces[known] = piece;
	}
}

/* Asks each map of the host; FM_UNKNOWN stays where the map is undecided. */
static void
known_row(struct fm_exec *x, const struct fm_piece * const *pieces,
    uint32_t *row)
{
	uint32_t i, template;

	for (i = 0; i < x->program->nknown; i++) {
		if (pieces[i] == NULL)
			continue;
		x->undecided = false;
		/* In other blocks, another map has this memo. */
		x->versions[pieces[i]->memo] = 0;
		template = fm_map_template(x, pieces[i]);
		if (!x->undecided && !x->req.no_memory)
			row[i] = template;
	}
}

/*
 * Writes the header line of a request for host n, which ends in NUL.  Returns
 * false for a wildcard, which is no host.
 */
static bool
host_line(const struct fm_program *p, uint32_t n, char *line, size_t room)
{
	const char *pattern = p->hosts + p->host_at[n];
	size_t len;

	pattern += *pattern == '.';
	len = strlen(pattern);
	if (len >= room - sizeof HOST_FIELD || strchr(pattern, '*') != NULL)
		return (false);
	memcpy(line, HOST_FIELD, sizeof HOST_FIELD - 1);
	memcpy(line + sizeof HOST_FIELD - 1, pattern, len + 1);
	return (true);
}

/* Fills in what is known of host n, and the host's route. */
static int
host_make(struct fm_routes *all, struct fm_program *p, uint32_t n,
    const struct fm_piece * const *pieces)
{
	char line[512];
	struct fm_field field = { line, NULL };
	const struct fm_view view = { .fields = &field, .nfields = 1 };
	uint32_t *row = p->known + (size_t)n * p->nknown;
	struct fm_exec x;
	struct fm_run run;
	int bad = 0;

	if (!host_line(p, n, line, sizeof line))
		return (0);
	field.e = strchr(line, '\0');
	fm_exec_init(&x, &run, p, &view, NULL);
	if (!x.req.no_memory && x.req.hit.how == FM_HOSTTAB_EXACT &&
	    x.req.hit.pattern == n) {
		known_row(&x, pieces, row);
		if (!x.req.no_memory)
			bad = route_find(all, &x, row, &p->route_of[n]);
	}
	fm_run_end(&run);
	return (bad);
}

/* Returns true if anything is decided by hosts alone. */
static bool
hosts_decide(const struct fm_program *p)
{
	uint32_t i;

	for (i = 0; i < p->ntests; i++)
		if (p->tests[i].subject.kind == FM_SUBJECT_HOST)
			return (true);
	return (p->nknown > 0);
}

static int
hosts_make(struct fm_routes *all, struct fm_program *p)
{
	size_t row = p->nknown, i;
	const struct fm_piece **pieces;
	uint32_t n;
	int bad = 0;

	if (p->nhosts == 0 || !hosts_decide(p))
		return (0);
	/* There may be no map: calloc() of one more is not NULL. */
	p->known = calloc(p->nhosts * row + 1, sizeof *p->known);
	p->route_of = calloc(p->nhosts, sizeof *p->route_of);
	pieces = calloc(row + 1, sizeof *pieces);
	if (p->known == NULL || p->route_of == NULL || pieces == NULL) {
		free(pieces);
		return (-1);
	}
	for (n = 0; n < p->nhosts; n++)
		p->route_of[n] = FM_NONE;
	for (i = 0; i < p->nhosts * row; i++)
		p->known[i] = FM_UNKNOWN;
	known_pieces(p, pieces);
	for (n = 0; n < p->nhosts && bad == 0; n++)
		bad = host_make(all, p, n, pieces);
	free(pieces);
	return (bad);
}

/*--------------------------------------------------------------------
 * Blocks
 */

static int
block_make(struct fm_routes *all, uint32_t block)
{
	static const struct fm_view nobody;
	struct fm_exec x;
	struct fm_route r = { .all = all, .x = &x,
	    .any_site = block == all->p->always || block == all->p->finally };
	struct fm_run run;
	int bad = -1;

	fm_exec_init(&x, &run, all->p, &nobody, NULL);
	x.result->site = all->p->blocks[block].name;
	if (!x.req.no_memory) {
		fm_route_apart(&r);
		fm_route_block(&r, block);
		bad = list_end(&r);
	}
	fm_run_end(&run);
	return (bad);
}

/* From here on, blocks[].first is an index of the lists, not of the source. */
static int
blocks_make(struct fm_routes *all, struct fm_program *p)
{
	uint32_t n, first;

	for (n = 0; n < p->nblocks; n++) {
		first = (uint32_t)all->ops.n;
		if (p->blocks[n].name.len == 0)		/* nobody runs it */
			continue;
		if (block_make(all, n) != 0)
			return (-1);
		p->blocks[n].first = first;
	}
	return (0);
}

static int
ops_take(const struct fm_routes *all, struct fm_program *p)
{
	size_t bytes = all->ops.n * sizeof *p->ops;

	p->ops = malloc(bytes + 1);
	if (p->ops == NULL)
		return (-1);
	if (bytes > 0)
		memcpy(p->ops, all->ops.items, bytes);
	p->nops = (uint32_t)all->ops.n;
	return (0);
}

int
fm_routes_make(struct fm_program *p, const struct fm_op *source,
    size_t nsource)
{
	struct fm_routes all = { .p = p, .source = source };
	int bad = -1;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	all.where = malloc((nsource + 1) * sizeof *all.where);
	all.ways = calloc(nsource + 1, 1);
	if (all.where != NULL && all.ways != NULL &&
	    hosts_make(&all, p) == 0 && blocks_make(&all, p) == 0)
		bad = ops_take(&all, p);
	fm_grow_fini(&all.ops);
	fm_grow_fini(&all.made);
	fm_intern_fini(&all.alike);
	free(all.where);
	free(all.ways);
	return (bad);
}
