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
#include "session.h"
#include "zero.h"

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

/* Looks up what rules want to know of the client's connection. */
static void __attribute__((noinline))
view_session(VRT_CTX, unsigned wants, struct fm_view *view)
{
	view->client = client_addr(ctx);
	if ((wants & FM_WANTS_SCHEME) != 0 && ctx->req != NULL)
		view->session = (fm_session_is_tls(ctx->req->sp) ?
		    FM_SESSION_TLS : 0) | (fm_session_is_proxied(ctx->req) ?
		    FM_SESSION_PROXIED : 0);
}

/* Views the fields of a message, and the rest of a request. */
static inline void
view_fields(const struct http *hp, const struct http *request,
    struct fm_view *view)
{
	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	assert(hp->nhd >= HTTP_HDR_FIRST);
	view->method = txt_text(request->hd[HTTP_HDR_METHOD]);
	view->url = txt_text(request->hd[HTTP_HDR_URL]);
	view->proto = txt_text(request->hd[HTTP_HDR_PROTO]);
	view->fields = (const struct fm_field *)(const void *)
	    (hp->hd + HTTP_HDR_FIRST);
	view->nfields = (unsigned)hp->nhd - HTTP_HDR_FIRST;
	view->nrequest = 0;
	view->answered = false;
	view->session = 0;
	view->scheme = 0;
	view->client.len = 0;
	view->counters = NULL;
	view->own = false;
}

void
fm_rules_view(VRT_CTX, unsigned wants, struct fm_view *view)
{
	const struct http *hp = ctx->http_req;

	AN(ctx->req);
	view_fields(hp, hp, view);
	view->response = NULL;
	view->marks = hp->hdf + HTTP_HDR_FIRST;
	view->restarts = (unsigned)ctx->req->restarts;
	view->esi = ctx->req->esi_level > 0;
	if (wants != 0)
		view_session(ctx, wants, view);
}

/* Returns the value of the first field of a name, without blanks around. */
static struct fm_text
value_of(const struct http *hp, const char *name)
{
	return (fm_text_trim(fm_field_first(hp, fm_text_of(name))));
}

void
fm_rules_view_host(const struct http *hp, const struct fm_program *program,
    char buf[FM_HOSTNAME_MAX], struct fm_known_host *host)
{
	fm_run_host(program, value_of(hp, "Host"),
	    txt_text(hp->hd[HTTP_HDR_URL]), buf, host);
}

/*--------------------------------------------------------------------
 * Responses
 */

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
	if (!lifetime.has_lifetime && lifetime.ttl <= 0)
		return (FM_LIFETIME_NONE);
	/* VCL may have set another one.  An object has a float. */
	return ((float)ctx->bo->fetch_objcore->ttl ==
	    (float)cache_param->default_ttl ? FM_LIFETIME_DEFAULT :
	    FM_LIFETIME_KNOWN);
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
fm_rules_view_sent(VRT_CTX, struct fm_response *response)
{
	const struct busyobj *bo = ctx->bo;
	bool pass = (bo->fetch_objcore->flags & OC_F_PRIVATE) != 0;

	fm_zero(response, sizeof *response);
	response->flags = (bo->is_bgfetch ? FM_FETCH_BACKGROUND : 0) |
	    (bo->retries > 0 ? FM_FETCH_RETRY : 0) |
	    (pass ? FM_FETCH_PASS : 0);
}

void
fm_rules_view_stored(VRT_CTX, struct fm_response *response)
{
	const struct busyobj *bo = ctx->bo;
	bool pass;

	fm_rules_view_sent(ctx, response);
	pass = (response->flags & FM_FETCH_PASS) != 0;
	response->status = ctx->http_beresp->status;
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

static inline unsigned
cache_of(VRT_CTX, VCL_INT hits)
{
	if (fm_mark_is_own(ctx))
		return (FM_CACHE_OWN);
	if ((ctx->req->objcore->flags &
	    (OC_F_PRIVATE | OC_F_HFM | OC_F_HFP)) != 0)
		return (FM_CACHE_PASS);
	return (hits == 0 ? FM_CACHE_MISS : FM_CACHE_HIT);
}

unsigned
fm_rules_view_cache(VRT_CTX)
{
	return (ctx->method == VCL_MET_SYNTH ? FM_CACHE_OWN :
	    cache_of(ctx, VRT_r_obj_hits(ctx)));
}

void
fm_rules_view_delivered(VRT_CTX, struct fm_response *response)
{
	fm_zero(response, sizeof *response);
	response->status = ctx->http_resp->status;
	response->flags = FM_CACHE_OWN;
	if (ctx->method == VCL_MET_SYNTH)
		return;
	response->ttl = VRT_r_obj_ttl(ctx);
	response->age = VRT_r_obj_age(ctx);
	response->hits = (uint64_t)VRT_r_obj_hits(ctx);
	response->flags = cache_of(ctx, (VCL_INT)response->hits);
	if (response->flags == FM_CACHE_HIT && response->ttl < 0)
		response->flags |= FM_CACHE_STALE;
}

void
fm_rules_view_response(VRT_CTX, const struct fm_program *program,
    const struct http *hp, struct fm_view *view)
{
	unsigned wants = fm_program_wants(program);

	view_fields(hp, fm_field_http(ctx), view);
	view->marks = NULL;
	view->esi = false;
	if (wants != 0)
		view_session(ctx, wants, view);
}

void
fm_rules_view_request(VRT_CTX, struct fm_field *room, struct fm_view *view)
{
	const struct http *request = fm_field_http(ctx);

	view->nrequest = (unsigned)request->nhd - HTTP_HDR_FIRST;
	memcpy(room, view->fields, view->nfields * sizeof *room);
	memcpy(room + view->nfields, request->hd + HTTP_HDR_FIRST,
	    view->nrequest * sizeof *room);
	view->fields = room;
	view->nfields += view->nrequest;
}
