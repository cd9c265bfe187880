/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates memory for the subcommands, and ends the process where there is
 * none.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cli.h"
#include "grow.h"
#include "made_request.h"

int fm_cli_trouble = FM_EXIT_ERRORS;

void
fm_cli_no_memory(void)
{
	fprintf(stderr, "fastmatch: out of memory\n");
	exit(fm_cli_trouble);
}

void *
fm_cli_alloc(size_t bytes)
{
	void *p = calloc(1, bytes == 0 ? 1 : bytes);

	if (p == NULL)
		fm_cli_no_memory();
	return (p);
}

char *
fm_cli_copy(const char *b, size_t len)
{
	char *s = fm_cli_alloc(len + 1);

	if (len > 0)
		memcpy(s, b, len);
	return (s);
}

struct fm_diag *
fm_cli_diag(void)
{
	struct fm_diag *diag = fm_diag_new();

	if (diag == NULL)
		fm_cli_no_memory();
	return (diag);
}

const char *
fm_cli_keep(struct fm_arena *arena, struct fm_text text)
{
	const char *s = text.b == NULL ? NULL : fm_arena_add(arena, text);

	if (s == NULL && text.b != NULL)
		fm_cli_no_memory();
	return (s);
}

void *
fm_cli_grow(void *vp, size_t n, size_t *room, size_t size)
{
	char *v, **p = vp;

	v = fm_grow_room(*p, room, n, 1, size);
	if (v == NULL)
		fm_cli_no_memory();
	*p = v;
	return (memset(v + n * size, 0, size));
}

void
fm_cli_view(const struct fm_made_request *made, struct fm_view *view)
{
	if (made->no_memory)
		fm_cli_no_memory();
	fm_made_view(made, view);
}
