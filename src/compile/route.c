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
 *	a.example	PUT X-Site a; HASH; END
 *	d.example	PUT X-Site c; PASS; END
 *	e.example	the route of d.example
 *
 * A route is written for each host that stands in the rules by its own name.
 * Hosts for which that gives the same operations share a route.
 */

#include <stdlib.h>

#include "obj.h"
#include "route_priv.h"

/*
 * Very many hosts, and hosts that are all unlike, don't earn the time and
 * memory of their routes.
 */
#define ROUTE_OPS	65536		/* operations of all routes */
#define ROUTE_TRIED	(16UL * ROUTE_OPS) /* with those that weren't kept */

#define HOST_FIELD	"Host: "

/*--------------------------------------------------------------------
 * Routes
 */

/* Ends the list that begins at `first`. */
static int
list_end(struct fm_route *route, size_t first)
{
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };

	fm_route_emit(route, &end);
	if (route->no_memory)
		return (-1);
	fm_route_skips(route, first);
	return (0);
}

/*
 * Finds the route with the same operations as the last list, or makes a route
 * of this one.  Returns -1: no memory.
 */
static int
route_find(struct fm_routes *all, size_t first, uint32_t *route)
{
	const struct fm_op *ops = FM_GROW_AT(&all->ops, struct fm_op, first);
	int new = 0;

	fm_intern_key(&all->alike, 0);
	fm_intern_key_text(&all->alike, fm_text((const char *)ops,
	    (all->ops.n - first) * sizeof *ops));
	if (!fm_intern_find(&all->alike, route)
	    && all->ops.n - all->nsource <= ROUTE_OPS)
		new = fm_intern_get(&all->alike, (uint32_t)first, route);
	if (new <= 0)
		all->ops.n = first;
	return (new < 0 ? -1 : 0);
}

/* Makes the route of a host, unless nothing is decided. */
static int
route_make(struct fm_routes *all, struct fm_exec *exec, uint32_t *route)
{
	struct fm_route r = { .all = all, .exec = exec, .of_host = true };
	const struct fm_program *program = all->p;
	size_t first = all->ops.n;

	fm_route_apart(&r);
	if (program->always != FM_NONE)
		fm_route_block(&r, program->always);
	if (exec->req.site != FM_NONE && !r.ended)
		fm_route_block(&r, exec->req.site);
	if (program->finally != FM_NONE && !r.ended)
		fm_route_block(&r, program->finally);
	if (list_end(&r, first) != 0)
		return (-1);
	all->tried += all->ops.n - first;
	if (r.decided && !exec->req.no_memory)
		return (route_find(all, first, route));
	all->ops.n = first;
	return (0);
}

/*--------------------------------------------------------------------
 * Hosts
 */

/*
 * Writes the header line of a request for host n, which ends in NUL.  Returns
 * false for a wildcard, which is not a host.
 */
static bool
host_line(const struct fm_program *program, uint32_t n, char *line, size_t room)
{
	const char *pattern = program->hosts + program->host_at[n];
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
host_make(struct fm_routes *all, struct fm_program *program, uint32_t n)
{
	char line[512];
	struct fm_field field = { line, NULL };
	const struct fm_view view = { .fields = &field, .nfields = 1 };
	struct fm_exec exec;
	struct fm_run run;
	int bad = 0;

	if (!host_line(program, n, line, sizeof line))
		return (0);
	field.e = strchr(line, '\0');
	fm_exec_init(&exec, &run, program, &view, NULL);
	if (!exec.req.no_memory && exec.req.hit.how == FM_HOSTTAB_EXACT &&
	    exec.req.hit.pattern == n)
		bad = route_make(all, &exec, &program->route_of[n]);
	fm_run_end(&run);
	return (bad);
}

/* Returns true if anything is decided by hosts alone. */
static bool
hosts_decide(const struct fm_program *program)
{
	uint32_t i;

	for (i = 0; i < program->ntests; i++)
		if (program->tests[i].subject.kind == FM_SUBJECT_HOST)
			return (true);
	for (i = 0; i < program->npieces; i++)
		if (program->pieces[i].kind == FM_PART_MAP &&
		    program->pieces[i].subject.kind == FM_SUBJECT_HOST)
			return (true);
	return (false);
}

static int
hosts_make(struct fm_routes *all, struct fm_program *program)
{
	uint32_t n;
	int bad = 0;

	if (program->nhosts == 0 || !hosts_decide(program))
		return (0);
	program->route_of = malloc(program->nhosts * sizeof *program->route_of);
	if (program->route_of == NULL)
		return (-1);
	for (n = 0; n < program->nhosts; n++)
		program->route_of[n] = FM_NONE;
	for (n = 0; n < program->nhosts && bad == 0 && all->tried < ROUTE_TRIED;
	    n++)
		bad = host_make(all, program, n);
	return (bad);
}

/*--------------------------------------------------------------------
 * Blocks
 */

static int
block_make(struct fm_routes *all, uint32_t block)
{
	static const struct fm_view no_request;
	struct fm_exec exec;
	struct fm_route route = { .all = all, .exec = &exec,
	    .rewritten = all->rewrites && block != all->p->always,
	    .any_site = block == all->p->always || block == all->p->finally };
	size_t first = all->ops.n;
	struct fm_run run;
	int bad = -1;

	fm_exec_init(&exec, &run, all->p, &no_request, NULL);
	exec.result->site = all->p->blocks[block].name;
	if (!exec.req.no_memory) {
		fm_route_apart(&route);
		fm_route_block(&route, block);
		bad = list_end(&route, first);
	}
	fm_run_end(&run);
	return (bad);
}

static int
blocks_make(struct fm_routes *all, struct fm_program *program)
{
	uint32_t n, first;

	for (n = 0; n < program->nblocks; n++) {
		first = (uint32_t)all->ops.n;
		if (program->blocks[n].name.len == 0)	/* nothing runs it */
			continue;
		if (block_make(all, n) != 0)
			return (-1);
		program->blocks[n].first = first;
	}
	return (0);
}

/* Makes the lists of the blocks of all phases. */
static int
phases_make(struct fm_routes *all, struct fm_program *program)
{
	int bad = blocks_make(all, program);
	unsigned i;

	for (i = 0; i < FM_PHASE__KINDS && bad == 0; i++)
		if (program->phases[i] != NULL) {
			all->p = program->phases[i];
			bad = blocks_make(all, program->phases[i]);
		}
	all->p = program;
	return (bad);
}

/* Puts the lists for traces in front of the others. */
static int
traced_make(struct fm_routes *all)
{
	struct fm_op *ops = fm_grow_add(&all->ops, sizeof *ops, all->nsource);
	size_t i;

	if (ops == NULL)
		return (-1);
	memcpy(ops, all->source, all->nsource * sizeof *ops);
	for (i = 0; i < all->nsource; i++)
		all->rewrites |= ops[i].code == FM_OP_REWRITE ||
		    ops[i].code == FM_OP_SET_URL;
	return (0);
}

int
fm_routes_make(struct fm_program *program, const struct fm_op *source,
    size_t nsource)
{
	struct fm_routes all = { .p = program, .source = source,
	    .nsource = nsource };
	unsigned i;
	int bad = -1;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	all.where = malloc((nsource + 1) * sizeof *all.where);
	all.ways = calloc(nsource + 1, 1);
	if (all.where != NULL && all.ways != NULL && traced_make(&all) == 0 &&
	    hosts_make(&all, program) == 0 && phases_make(&all, program) == 0)
		program->ops = realloc(all.ops.items,
		    (all.ops.n + 1) * sizeof *program->ops);
	for (i = 0; i < FM_PHASE__KINDS; i++)
		if (program->phases[i] != NULL)
			program->phases[i]->ops = program->ops;
	if (program->ops != NULL) {
		program->nops = (uint32_t)all.ops.n;
		all.ops.items = NULL;
		bad = 0;
	}
	fm_grow_fini(&all.ops);
	fm_intern_fini(&all.alike);
	free(all.where);
	free(all.ways);
	return (bad);
}
