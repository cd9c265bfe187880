/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Drops or keeps cookies by name, for the `cookie` statement: not at once, but
 * when somebody reads the header.  Most sites unset Cookie for most of their
 * pages, and then nobody reads it.
 */

#include "params.h"
#include "request.h"

struct fm_text
fm_request_filtered(struct fm_request *req, uint32_t n, struct fm_text cookie)
{
	struct fm_text out = cookie;
	size_t cap;
	char *buf;

	if (fm_params_cookies_any(cookie)) {
		cap = fm_params_cookies_cap(cookie);
		buf = fm_request_alloc(req, cap);
		if (buf == NULL)
			return (cookie);
		if (fm_params_cookies(&req->program->params[n], cookie, buf,
		    cap, &out) == FM_PARAMS_SPACE)
			req->no_memory = true;
		fm_scratch_shrink(req->scratch, buf, cap,
		    out.b == buf ? out.len : 0);
	}
	if (!fm_params_cookies_any(out))
		return (fm_text(NULL, 0));
	return (out.b == cookie.b ? out : fm_request_clean(req, out));
}

/* Filters the cookies now, when no other filter waits. */
static void
filter(struct fm_request *req, struct fm_request_filter by)
{
	struct fm_text cookie = fm_request_header(req, FM_SLOT_OF_COOKIE);
	struct fm_text left = fm_request_filtered(req, by.params, cookie);

	if (left.b == NULL || left.b != cookie.b)
		(void)fm_request_edit(req, FM_SLOT_OF_COOKIE,
		    fm_request_value(left), by.rule);
}

void
fm_request_filter(struct fm_request *req, uint32_t n, uint32_t rule)
{
	const struct fm_request_filter by = { n, rule };
	const struct fm_request_slot *slot = &req->slots[FM_SLOT_OF_COOKIE];

	if (!slot->known && !slot->present)
		return;
	if (req->nfilters == FM_REQUEST_FILTERS)
		fm_request_filter_now(req);
	if (slot->known)
		filter(req, by);
	else
		req->filters[req->nfilters++] = by;
}

void
fm_request_filter_now(struct fm_request *req)
{
	unsigned i, count = req->nfilters;

	req->nfilters = 0;
	for (i = 0; i < count; i++)
		filter(req, req->filters[i]);
}
