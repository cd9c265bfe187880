/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates in the workspace of a task without ever marking it as overflowed.
 */

#include "config.h"

#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "task.h"

bool fm_ws_is_plain;

void
fm_ws_try(struct ws *ws)
{
	const char *before = ws->f;

	/* The size is odd, so that the trial shows how sizes are rounded. */
	if (!fm_ws_is_plain && fm_ws_free(ws) > 0)
		fm_ws_is_plain = WS_Alloc(ws, 3) == before &&
		    ws->f == before + PRNDUP(3);
}

char *
fm_ws_text(struct ws *ws, struct fm_text text)
{
	char *p;

	p = fm_ws_alloc(ws, text.len + 1);
	if (p == NULL)
		return (NULL);
	if (text.len > 0)
		memcpy(p, text.b, text.len);
	p[text.len] = '\0';
	return (p);
}

void
fm_ws_keep(struct ws *ws, size_t bytes)
{
	if (bytes == 0)
		return;
	AN(fm_ws_alloc(ws, bytes));
}

const char *
fm_sub_name(VRT_CTX)
{
	static const struct {
		unsigned	method;
		const char	*name;
	} names[] = {
		{ VCL_MET_INIT, "vcl_init" },
		{ VCL_MET_FINI, "vcl_fini" },
		{ VCL_MET_RECV, "vcl_recv" },
		{ VCL_MET_PIPE, "vcl_pipe" },
		{ VCL_MET_PASS, "vcl_pass" },
		{ VCL_MET_HASH, "vcl_hash" },
		{ VCL_MET_PURGE, "vcl_purge" },
		{ VCL_MET_MISS, "vcl_miss" },
		{ VCL_MET_HIT, "vcl_hit" },
		{ VCL_MET_DELIVER, "vcl_deliver" },
		{ VCL_MET_BACKEND_FETCH, "vcl_backend_fetch" },
		{ VCL_MET_BACKEND_RESPONSE, "vcl_backend_response" },
		{ VCL_MET_BACKEND_ERROR, "vcl_backend_error" }
	};
	size_t n;

	for (n = 0; n < sizeof names / sizeof *names; n++)
		if (names[n].method == ctx->method)
			return (names[n].name);
	return ("this sub");
}
