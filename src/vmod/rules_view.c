/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the view of a client request, which points into Varnish's structs.
 */

#include "config.h"

#include <stddef.h>
#include <sys/socket.h>

#include "cache/cache.h"
#include "vrt_obj.h"
#include "vsa.h"

#include "compat.h"
#include "rules_view.h"

/* The rules read Varnish's array of fields as an array of struct fm_field. */
_Static_assert(sizeof(struct fm_field) == sizeof(txt), "a field is a txt");
_Static_assert(offsetof(struct fm_field, b) == offsetof(txt, b),
    "a field begins like a txt");
_Static_assert(offsetof(struct fm_field, e) == offsetof(txt, e),
    "a field ends like a txt");

_Static_assert(FM_MARK_DROPPED == HDF_FILTER, "the mark is that of Varnish");

static inline struct fm_text
txt_text(txt t)
{
	return (fm_text(t.b, t.b == NULL ? 0 : (size_t)(t.e - t.b)));
}

/*
 * Returns client.ip as VCL has it: the address that the PROXY protocol gives,
 * if that is used; 0.0.0.0 on a unix-domain socket without it.
 */
static struct fm_addr
client_addr(VRT_CTX)
{
	const unsigned char *bytes;

	switch (VSA_GetPtr(VRT_r_client_ip(ctx), &bytes)) {
	case PF_INET:
		return (fm_addr_of(bytes, 4));
	case PF_INET6:
		return (fm_addr_of(bytes, 16));
	default:
		return ((struct fm_addr){ .len = 0 });
	}
}

void
fm_rules_view(VRT_CTX, bool client, struct fm_view *view)
{
	const struct http *hp;

	AN(ctx->req);
	hp = ctx->http_req;
	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	assert(hp->nhd >= HTTP_HDR_FIRST);
	view->method = txt_text(hp->hd[HTTP_HDR_METHOD]);
	view->url = txt_text(hp->hd[HTTP_HDR_URL]);
	view->proto = txt_text(hp->hd[HTTP_HDR_PROTO]);
	view->fields = (const struct fm_field *)(const void *)
	    (hp->hd + HTTP_HDR_FIRST);
	view->nfields = (unsigned)hp->nhd - HTTP_HDR_FIRST;
	view->nrequest = 0;
	view->response = NULL;
	view->answered = false;
	view->marks = hp->hdf + HTTP_HDR_FIRST;
	view->client.len = 0;
	view->esi = ctx->req->esi_level > 0;
	view->counters = NULL;
	view->own = false;
	if (client)
		view->client = client_addr(ctx);
}
