/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the lists of operations that requests run from those for traces: first
 * the routes of hosts, then the lists of blocks.
 *
 *	map site { is a.example -> a; is b.example -> b; default c; }
 *	always { set X-Site = site(host); when header X-Site is c { pass; } }
 *	host a.example d.example e.example { hash; }
 *
 *	a.example	PUT X-Site a; HASH; END
 *	d.example	PUT X-Site c; PASS; END
 *	e.example	the route of d.example
 *
 * A route is written for each host that stands in the rules by its own name,
 * for all hosts that a wildcard finds, and for those that no pattern finds.
 * Where that gives the same operations there is one route.
 */

#include "hostname.h"
#include "route_priv.h"

/*
 * Very many hosts, and hosts that are all unlike, don't earn the time and
 * memory of their routes.
 */
#define ROUTE_OPS	65536		/* operations of all routes */
#define ROUTE_TRIED	(16UL * ROUTE_OPS) /* with those that weren't kept */
#define ROUTE_ASKED	(1U << 22)	/* patterns, for routes of wildcards:
					 * all of these may ask large lists */

/* Appends a list: blocks, up to one in which every request ends. */
static void
list_make(struct fm_route *route, const uint32_t *blocks, size_t nblocks)
{
	static const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };
	size_t first = route->compile->ops.n, i;

	route->count = FM_NONE;
	for (i = 0; i < nblocks && !route->ended; i++)
		if (blocks[i] != FM_NONE)
			fm_route_block(route, blocks[i]);
	fm_route_emit(route, &end);
	fm_route_skips(route, first);
}

/*--------------------------------------------------------------------
 * Routes
 */

/*
 * Finds the route with the same operations as the list from `first` on.
 * Returns true if this list is a new one.
 */
static bool
route_find(struct fm_compile *compile, size_t first, uint32_t *route)
{
	size_t n = compile->ops.n;

	fm_intern_key(&compile->intern, FM_TAG_ROUTE);
	fm_intern_key_text(&compile->intern, fm_text((const char *)
	    FM_GROW_AT(&compile->ops, struct fm_op, first),
	    (n - first) * sizeof(struct fm_op)));
	return (!fm_intern_find(&compile->intern, route) &&
	    n - compile->ntraced <= ROUTE_OPS &&
	    fm_compile_new(compile, first, route));
}

/* Makes the route of a host, or of many, unless nothing is decided. */
static void
route_make(struct fm_compile *compile, struct fm_exec *exec,
    const struct fm_route_wild *wild, uint32_t *number)
{
	const struct fm_program *program = compile->p;
	struct fm_route route = { .compile = compile, .program = program,
	    .exec = exec, .of_host = wild == NULL, .wild = wild };
	const uint32_t blocks[] = { program->always, exec->req.site,
	    program->finally };
	size_t first = compile->ops.n;

	list_make(&route, blocks, sizeof blocks / sizeof *blocks);
	compile->tried += compile->ops.n - first;
	if (!route.decided || exec->req.no_memory ||
	    !route_find(compile, first, number))
		compile->ops.n = first;
}

/* Fills in the route of host n, unless that is a wildcard. */
static void
host_make(struct fm_compile *compile, uint32_t n)
{
	const char *host = compile->p->hosts + compile->p->host_at[n];
	char line[sizeof "Host: " + FM_HOSTNAME_MAX];
	struct fm_field field = { line, NULL };
	const struct fm_view view = { .fields = &field, .nfields = 1 };
	struct fm_exec exec;

	host += *host == '.';
	if (strlen(host) > FM_HOSTNAME_MAX || strchr(host, '*') != NULL)
		return;
	field.e = stpcpy(stpcpy(line, "Host: "), host);
	fm_exec_init(&exec, compile->trial, compile->p, &view, NULL);
	if (!exec.req.no_memory && exec.req.hit.how == FM_HOSTTAB_EXACT &&
	    exec.req.hit.pattern == n)
		route_make(compile, &exec, NULL, &compile->p->route_of[n]);
	fm_run_end(compile->trial);
}

/* Makes the route of all hosts that a wildcard finds, of a block or none. */
static void
wild_make(struct fm_compile *compile, struct fm_route_wild *wild,
    uint32_t block)
{
	static const struct fm_view no_request;
	struct fm_exec exec;

	wild->asks = compile->asked <= ROUTE_ASKED;
	fm_exec_init(&exec, compile->trial, compile->p, &no_request, NULL);
	exec.req.site = block;
	exec.result->site = block == FM_NONE ? fm_text("", 0) :
	    compile->p->blocks[block].name;
	if (!exec.req.no_memory)
		route_make(compile, &exec, wild,
		    &compile->p->wild_of[wild->pattern + 1]);
	fm_run_end(compile->trial);
}

static bool
is_wild(const char *pattern)
{
	return (*pattern == '.' || strchr(pattern, '*') != NULL);
}

/* Fills in the route of the hosts that pattern n finds as a wildcard. */
static void
pattern_make(struct fm_compile *compile, uint32_t n, uint32_t block)
{
	const char *pattern = compile->p->hosts + compile->p->host_at[n];
	struct fm_route_wild wild = { .how = FM_HOSTTAB_ANY, .pattern = n };
	char host[FM_HOSTNAME_MAX + sizeof "x."], buf[FM_HOSTNAME_MAX];
	size_t len = strlen(pattern);
	struct fm_text canon;
	char *star;

	if (!is_wild(pattern) || len + 2 > sizeof host)
		return;
	/* The `x` stands for what the wildcard stands for. */
	(void)stpcpy(stpcpy(host, *pattern == '.' ? "x" : ""), pattern);
	star = strchr(host, '*');
	if (star != NULL)
		*star = 'x';
	if (fm_hostname_canon(fm_text_of(host), buf, &canon) != FM_HOSTNAME_OK)
		return;
	if (pattern[len - 1] != '*')
		wild.how = FM_HOSTTAB_SUFFIX;
	else if (len > 1)
		wild.how = FM_HOSTTAB_PREFIX;
	wild.end = fm_text(canon.b + (wild.how != FM_HOSTTAB_PREFIX),
	    canon.len - 1);
	wild_make(compile, &wild, block);
}

/* Returns true if some hosts are found by a wildcard. */
static bool
hosts_are_wild(const struct fm_program *program)
{
	uint32_t n;

	for (n = 0; n < program->nhosts; n++)
		if (is_wild(program->hosts + program->host_at[n]))
			return (true);
	return (false);
}

static void
hosts_make(struct fm_compile *compile)
{
	struct fm_program *program = compile->p;
	struct fm_route_wild none = { .how = FM_HOSTTAB_NONE,
	    .pattern = FM_NONE };
	uint32_t *entries, n;

	program->route_of = fm_compile_nones(compile, &program->arena,
	    program->nhosts);
	program->wild_of = fm_compile_nones(compile, &program->arena,
	    hosts_are_wild(program) ? program->nhosts + 1 : 1);
	entries = fm_compile_alloc(compile, &compile->lowered,
	    program->nhosts * sizeof *entries);
	fm_hosttab_entries(program->hosttab, entries);
	wild_make(compile, &none, program->otherwise);
	for (n = 0; n < program->nhosts && compile->tried < ROUTE_TRIED; n++) {
		host_make(compile, n);
		pattern_make(compile, n, entries[n]);
	}
}

/*--------------------------------------------------------------------
 * Blocks
 */

static void
block_make(struct fm_compile *compile, const struct fm_program *program,
    uint32_t block)
{
	static const struct fm_view no_request;
	struct fm_exec exec;
	struct fm_route route = { .compile = compile, .program = program,
	    .exec = &exec,
	    .rewritten = compile->rewrites && block != program->always,
	    .any_site = block == program->always || block == program->finally };

	program->blocks[block].first = (uint32_t)compile->ops.n;
	fm_exec_init(&exec, compile->trial, program, &no_request, NULL);
	if (exec.req.no_memory)
		fm_compile_no_memory(compile);
	exec.result->site = program->blocks[block].name;
	list_make(&route, &block, 1);
	fm_run_end(compile->trial);
}

static void
blocks_make(struct fm_compile *compile, const struct fm_program *program)
{
	uint32_t n;

	/* Nothing runs a block without a name. */
	for (n = 0; n < program->nblocks; n++)
		if (program->blocks[n].name.len > 0)
			block_make(compile, program, n);
}

void
fm_compile_routes(struct fm_compile *compile)
{
	unsigned i;

	compile->ntraced = compile->ops.n;
	compile->ways = fm_compile_alloc(compile, &compile->lowered,
	    compile->ntraced * sizeof *compile->ways);
	compile->trial = fm_compile_alloc(compile, &compile->lowered,
	    sizeof *compile->trial);
	if (compile->asks_host)
		hosts_make(compile);
	blocks_make(compile, compile->p);
	for (i = 0; i < FM_PHASE__KINDS; i++)
		if (compile->p->phases[i] != NULL)
			blocks_make(compile, compile->p->phases[i]);
}
