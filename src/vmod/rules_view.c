/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the view of a client request, which points into Varnish's structs.
 */

#include "config.h"

#include <math.h>
#include <stddef.h>
#include <sys/socket.h>

#define FM_COMPAT_PARAMETERS
#include "compat.h"
#include "vcl.h"
#include "vrt_obj.h"
#include "vsa.h"

#include "field.h"
#include "lifetime.h"
#include "program.h"
#include "rules_mark.h"
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
	view->restarts = (unsigned)ctx->req->restarts;
	view->counters = NULL;
	view->own = false;
	if (client)
		view->client = client_addr(ctx);
}

/*--------------------------------------------------------------------
 * Responses
 */

static struct http *
message_of(VRT_CTX)
{
	struct http *hp = ctx->bo != NULL ? ctx->http_beresp : ctx->http_resp;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	return (hp);
}

/* Returns the value of the first field of a name, without blanks around. */
static struct fm_text
value_of(const struct http *hp, const char *name)
{
	unsigned n = fm_field_find(hp, HTTP_HDR_FIRST, fm_text_of(name));

	return (n == hp->nhd ? fm_text(NULL, 0) :
	    fm_text_trim(fm_field_value(hp, n, fm_text_of(name))));
}

/*
 * Returns where core has taken the lifetime from.  After a 304 it was taken
 * from the headers of that alone, and those of the stored object are merged by
 * now: they count only if they give what core has found.
 */
static enum fm_lifetime_from
lifetime_from(VRT_CTX)
{
	const struct http *hp = ctx->http_beresp;
	const struct fm_lifetime_of of = {
		.status = hp->status,
		.pass = (ctx->bo->fetch_objcore->flags & OC_F_PRIVATE) != 0,
		.age = value_of(hp, "Age"),
		.date = value_of(hp, "Date"),
		.expires = value_of(hp, "Expires"),
		.cache_control = value_of(hp, "Cache-Control"),
		.now = ctx->bo->t_resp,
		.default_ttl = 120,
		.clock_skew = cache_param->clock_skew
	};
	struct fm_lifetime lifetime = fm_lifetime(&of);

	if (lifetime.has_lifetime && (!ctx->bo->was_304 ||
	    fabs(lifetime.ttl - ctx->bo->fetch_objcore->ttl) < 1))
		return (FM_LIFETIME_KNOWN);
	return (lifetime.has_lifetime || lifetime.ttl > 0 ?
	    FM_LIFETIME_DEFAULT : FM_LIFETIME_NONE);
}

/* Returns the time for which builtin.vcl remembers what is not cacheable. */
static double
uncacheable_ttl(VRT_CTX)
{
#if HAVE_DECL_VRT_R_PARAM_UNCACHEABLE_TTL
	return (VRT_r_param_uncacheable_ttl(ctx));
#else
	(void)ctx;
	return (120);
#endif
}

void
fm_rules_view_stored(VRT_CTX, struct fm_response *response)
{
	const struct busyobj *bo = ctx->bo;
	bool pass = (bo->fetch_objcore->flags & OC_F_PRIVATE) != 0;

	memset(response, 0, sizeof *response);
	response->status = ctx->http_beresp->status;
	response->flags = (bo->is_bgfetch ? FM_FETCH_BACKGROUND : 0) |
	    (bo->retries > 0 ? FM_FETCH_RETRY : 0) |
	    (pass ? FM_FETCH_PASS : 0);
	response->from = lifetime_from(ctx);
	response->ttl = VRT_r_beresp_ttl(ctx);
	response->grace = VRT_r_beresp_grace(ctx);
	response->keep = VRT_r_beresp_keep(ctx);
	response->uncacheable = bo->uncacheable && !pass;
	response->can_retry = fm_can_retry(bo);
	response->retries = bo->retries;
	response->uncacheable_ttl = uncacheable_ttl(ctx);
	response->age = VRT_r_beresp_age(ctx);
}

unsigned
fm_rules_view_cache(VRT_CTX)
{
	if (ctx->method == VCL_MET_SYNTH || fm_mark_is_own(ctx))
		return (FM_CACHE_OWN);
	if ((ctx->req->objcore->flags &
	    (OC_F_PRIVATE | OC_F_HFM | OC_F_HFP)) != 0)
		return (FM_CACHE_PASS);
	return (VRT_r_obj_hits(ctx) == 0 ? FM_CACHE_MISS : FM_CACHE_HIT);
}

void
fm_rules_view_delivered(VRT_CTX, struct fm_response *response)
{
	memset(response, 0, sizeof *response);
	response->status = ctx->http_resp->status;
	response->flags = fm_rules_view_cache(ctx);
	if (ctx->method == VCL_MET_SYNTH)
		return;
	response->ttl = VRT_r_obj_ttl(ctx);
	response->age = VRT_r_obj_age(ctx);
	response->hits = (uint64_t)VRT_r_obj_hits(ctx);
	if (response->flags == FM_CACHE_HIT && response->ttl < 0)
		response->flags |= FM_CACHE_STALE;
}

size_t
fm_rules_view_room(VRT_CTX)
{
	return ((size_t)message_of(ctx)->nhd + fm_field_http(ctx)->nhd);
}

void
fm_rules_view_response(VRT_CTX, const struct fm_program *program,
    const struct fm_response *response, struct fm_field *room,
    struct fm_view *view)
{
	const struct http *hp = message_of(ctx), *request = fm_field_http(ctx);
	struct fm_text host = fm_text("Host", 4);
	unsigned n = (unsigned)hp->nhd - HTTP_HDR_FIRST, from, to;

	memset(view, 0, sizeof *view);
	view->method = txt_text(request->hd[HTTP_HDR_METHOD]);
	view->url = txt_text(request->hd[HTTP_HDR_URL]);
	view->proto = txt_text(request->hd[HTTP_HDR_PROTO]);
	view->fields = room;
	memcpy(room, hp->hd + HTTP_HDR_FIRST, n * sizeof *room);
	from = HTTP_HDR_FIRST;
	to = request->nhd;
	if (!fm_program_reads_request(program)) {
		from = fm_field_find(request, HTTP_HDR_FIRST, host);
		to = from + (from < to);
	}
	memcpy(room + n, request->hd + from, (to - from) * sizeof *room);
	view->nrequest = to - from;
	view->nfields = n + view->nrequest;
	view->response = response;
	if (fm_program_wants_client(program))
		view->client = client_addr(ctx);
}
