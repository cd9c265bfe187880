/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Refuses a request, and remembers that over a rollback and a restart.
 */

#include "config.h"

#include <stdbool.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"

#include "rules_refuse.h"

/*
 * Bytes of workspace.  vcl_synth needs some 224 in Varnish 7.1,
 * or the answer is a bare 500.  Four times as many leave room for a few headers
 * of the VCL.
 */
#define SYNTH_ROOM	1024

#define STATUS_END	600	/* rules and refusals have no higher status */

/*
 * The last request that this thread refused.  A PRIV_TASK could not remember
 * it, as a rollback ends PRIV_TASKs.  A request stays with its worker from
 * vcl_recv over vcl_synth to the restart, so other threads need not know.
 */
static __thread struct {
	const struct req	*req;
	double			since;	/* its start; a struct req is used
					 * again for other requests */
	uint64_t		vxid;	/* another one after a restart */
	unsigned		restarts;
	enum fm_refusal		why;
	bool			delivery;	/* it was the response */
} last __attribute__((tls_model("initial-exec")));

const struct fm_refused fm_refused[] = {
	[FM_REFUSED_SLOTS] = { "slots", 431,
	    "no room for more headers (http_max_hdr)" },
	[FM_REFUSED_WORKSPACE] = { "workspace", 431,
	    "out of workspace (workspace_client)" },
	[FM_REFUSED_SIZE] = { "size", 431, "larger than http_req_size" },
	[FM_REFUSED_MEMORY] = { "memory", 503, "out of memory" },
	[FM_REFUSED_UNDECIDED] = { "undecided", 400,
	    "a regex reached the match limit" },
	[FM_REFUSED_FRAGMENT] = { "fragment", 400,
	    "the URL has a raw '#'" },
	[FM_REFUSED_CLIENT] = { "client", 400,
	    "the header of 'client from' names no client" },
	[FM_REFUSED_DENIED] = { NULL, 0, NULL }
};

/* Returns true if Varnish has too little workspace for an answer. */
static bool
is_tight(const struct ws *ws)
{
	CHECK_OBJ_NOTNULL(ws, WS_MAGIC);
	return (WS_Overflowed(ws) || ws->e - ws->f < SYNTH_ROOM);
}

/*
 * Returns false if Varnish would panic in a rollback: if the workspace had
 * overflowed before VCL ran, there is no state to go back to.  A client can
 * cause that by an absolute URL and as many headers as there are slots: then
 * no slot is left for the Host that Varnish makes of the URL.
 */
static bool
can_roll_back(const struct req *req)
{
	return (WS_Allocated(req->ws, (const void *)req->ws_req, 0));
}

/* Returns the usual reason, which Varnish looks for among all of them. */
static const char *
usual_reason(unsigned status)
{
	static const char *reasons[STATUS_END];
	const char *reason;

	assert(status < STATUS_END);
	reason = __atomic_load_n(&reasons[status], __ATOMIC_RELAXED);
	if (reason == NULL) {
		reason = http_Status2Reason(status, NULL);
		__atomic_store_n(&reasons[status], reason, __ATOMIC_RELAXED);
	}
	return (reason);
}

/* Does what VRT_synth() does with a reason that is in the workspace. */
void
fm_synth(VRT_CTX, unsigned status, const char *reason)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->req, REQ_MAGIC);
	if (is_tight(ctx->ws)) {
		reason = NULL;
		if (can_roll_back(ctx->req))
			VRT_Rollback(ctx, ctx->http_req);
	}
	ctx->req->err_code = (uint16_t)status;
	ctx->req->err_reason = reason != NULL ? reason : usual_reason(status);
	VRT_handling(ctx, VCL_RET_SYNTH);
}

static void
remember(VRT_CTX, enum fm_refusal why)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->req, REQ_MAGIC);
	last.req = ctx->req;
	last.since = VRT_r_req_time(ctx);
	last.vxid = VXID(ctx->req->vsl->wid);
	last.restarts = ctx->req->restarts;
	last.why = why;
	last.delivery = ctx->method == VCL_MET_DELIVER;
}

void
fm_refuse(VRT_CTX, enum fm_refusal why)
{
	assert(why != FM_REFUSED_NOT && why != FM_REFUSED_DENIED);
	remember(ctx, why);
	fm_synth(ctx, fm_refused[why].status, NULL);
}

void
fm_refuse_delivery(VRT_CTX, enum fm_refusal why)
{
	assert(why != FM_REFUSED_NOT && why != FM_REFUSED_DENIED);
	remember(ctx, why);
	fm_synth(ctx, 503, NULL);
}

void
fm_refuse_key(VRT_CTX, const char *object, enum fm_refusal why)
{
	assert(why != FM_REFUSED_NOT && why != FM_REFUSED_DENIED);
	remember(ctx, why);
	VRT_fail(ctx, "fastmatch: %s.apply(): no key: %s", object,
	    fm_refused[why].missing);
}

void
fm_deny(VRT_CTX, unsigned status, const char *reason)
{
	remember(ctx, FM_REFUSED_DENIED);
	fm_synth(ctx, status, reason);
}

enum fm_refusal
fm_refused_before(VRT_CTX)
{
	double since;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->req, REQ_MAGIC);
	/* An ESI include has its page's start, and maybe the same struct. */
	if (ctx->req->restarts == 0 || last.why == FM_REFUSED_DENIED ||
	    last.delivery)
		last.req = NULL;
	if (ctx->req != last.req || ctx->req->restarts <= last.restarts)
		return (FM_REFUSED_NOT);
	since = VRT_r_req_time(ctx);
	if (since < last.since || since > last.since)
		return (FM_REFUSED_NOT);
	return (last.why);
}

bool
fm_refused_request(VRT_CTX)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	return (ctx->req == last.req &&
	    VXID(ctx->req->vsl->wid) == last.vxid &&
	    last.restarts == ctx->req->restarts && !last.delivery);
}

enum fm_refusal
fm_refused_now(VRT_CTX)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->method != VCL_MET_SYNTH || ctx->req != last.req ||
	    VXID(ctx->req->vsl->wid) != last.vxid)
		return (FM_REFUSED_NOT);
	return (last.why);
}
