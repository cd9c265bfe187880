/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Asks all maps of the host for all hosts.
 */

#include <stdlib.h>

#include "known.h"
#include "obj.h"
#include "run_priv.h"

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

/* What a request for this host gets; its line ends in NUL. */
static void
known_host(struct fm_program *p, uint32_t n, const char *line,
    const struct fm_piece * const *pieces, uint32_t *row)
{
	struct fm_field field = { line, strchr(line, '\0') };
	const struct fm_view view = { .fields = &field, .nfields = 1 };
	struct fm_exec x;
	struct fm_run run;
	uint32_t i, template;

	fm_exec_init(&x, &run, p, &view, NULL);
	for (i = 0; i < p->nknown; i++) {
		row[i] = FM_UNKNOWN;
		if (x.req.no_memory || pieces[i] == NULL ||
		    x.req.hit.how != FM_HOSTTAB_EXACT ||
		    x.req.hit.pattern != n)
			continue;
		x.undecided = false;
		/* In other blocks another map has the same memo. */
		x.versions[pieces[i]->memo] = 0;
		template = fm_map_template(&x, pieces[i]);
		if (!x.undecided && !x.req.no_memory)
			row[i] = template;
	}
	fm_run_end(&run);
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

int
fm_known_make(struct fm_program *p)
{
	const struct fm_piece **pieces;
	char line[512];
	uint32_t *known, i, n;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	if (p->nknown == 0 || p->nhosts == 0)
		return (0);
	known = calloc((size_t)p->nhosts * p->nknown, sizeof *known);
	pieces = calloc(p->nknown, sizeof *pieces);
	if (known == NULL || pieces == NULL) {
		free(known);
		free(pieces);
		return (-1);
	}
	known_pieces(p, pieces);
	for (n = 0; n < p->nhosts; n++) {
		for (i = 0; i < p->nknown; i++)
			known[n * p->nknown + i] = FM_UNKNOWN;
		if (known_line(p->hosts + p->host_at[n], line, sizeof line))
			known_host(p, n, line, pieces,
			    known + (size_t)n * p->nknown);
	}
	free(pieces);
	p->known = known;
	return (0);
}
