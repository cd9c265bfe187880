/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Asks all maps of the host for all hosts, and makes all routes.
 */

#include <stdlib.h>

#include "known.h"
#include "obj.h"
#include "route.h"

#define HOST_FIELD	"Host: "

/* One of the pieces that ask each of these maps, by its place in a row. */
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

/* The templates that the maps give for the host that was found. */
static void
known_row(struct fm_exec *x, const struct fm_piece * const *pieces,
    uint32_t *row)
{
	uint32_t i, template;

	for (i = 0; i < x->program->nknown; i++) {
		if (pieces[i] == NULL)
			continue;
		x->undecided = false;
		/* In other blocks another map has the same memo. */
		x->versions[pieces[i]->memo] = 0;
		template = fm_map_template(x, pieces[i]);
		if (!x->undecided && !x->req.no_memory)
			row[i] = template;
	}
}

/* All that a request for this host gets; its line ends in NUL. */
static int
known_host(struct fm_program *p, uint32_t n, const char *line,
    const struct fm_piece * const *pieces, struct fm_routes *routes)
{
	struct fm_field field = { line, strchr(line, '\0') };
	const struct fm_view view = { .fields = &field, .nfields = 1 };
	uint32_t *row = p->known + (size_t)n * p->nknown;
	struct fm_exec x;
	struct fm_run run;
	int bad = 0;

	fm_exec_init(&x, &run, p, &view, NULL);
	if (!x.req.no_memory && x.req.hit.how == FM_HOSTTAB_EXACT &&
	    x.req.hit.pattern == n) {
		known_row(&x, pieces, row);
		if (!x.req.no_memory)
			bad = fm_route_make(routes, &x, row,
			    &p->route_of[n]);
	}
	fm_run_end(&run);
	return (bad);
}

/* The name that a pattern has; a wildcard's is no host. */
static bool
known_line(const char *pattern, char *line, size_t room)
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
known_hosts(struct fm_program *p, struct fm_routes *routes)
{
	const struct fm_piece **pieces;
	char line[512];
	uint32_t i, n;
	int bad = 0;

	/* One more each: there may be no map. */
	p->known = calloc((size_t)p->nhosts * p->nknown + 1,
	    sizeof *p->known);
	p->route_of = calloc(p->nhosts, sizeof *p->route_of);
	pieces = calloc(p->nknown + 1, sizeof *pieces);
	if (p->known == NULL || p->route_of == NULL || pieces == NULL) {
		free(pieces);
		return (-1);
	}
	for (n = 0; n < p->nhosts; n++) {
		p->route_of[n] = FM_NONE;
		for (i = 0; i < p->nknown; i++)
			p->known[(size_t)n * p->nknown + i] = FM_UNKNOWN;
	}
	known_pieces(p, pieces);
	for (n = 0; n < p->nhosts && bad == 0; n++)
		if (known_line(p->hosts + p->host_at[n], line, sizeof line))
			bad = known_host(p, n, line, pieces, routes);
	free(pieces);
	return (bad);
}

/* From here on a block begins in its list, not where it was compiled to. */
static int
known_blocks(struct fm_program *p, struct fm_routes *routes)
{
	uint32_t n;
	int bad = 0;

	for (n = 0; n < p->nblocks && bad == 0; n++)
		if (p->blocks[n].name.len > 0)	/* else nobody runs it */
			bad = fm_route_block(routes, n, &p->blocks[n].first);
	return (bad);
}

int
fm_known_make(struct fm_program *p, const struct fm_op *source, size_t nsource)
{
	struct fm_routes routes;
	int bad;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	bad = fm_routes_begin(&routes, p, source, nsource);
	if (bad == 0 && p->nhosts > 0 && fm_routes_wanted(p))
		bad = known_hosts(p, &routes);
	if (bad == 0)
		bad = known_blocks(p, &routes);
	if (bad == 0)
		bad = fm_routes_take(&routes, &p->ops, &p->nops);
	fm_routes_end(&routes);
	return (bad);
}
