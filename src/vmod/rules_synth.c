/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in vcl_synth: completes a redirect or an answer that the rules gave
 * in vcl_recv or vcl_deliver, and delivers it, or what else vcl_synth answers,
 * by the rules for deliveries.
 */

#include "config.h"

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"
#include "vsb.h"

#include "compat.h"
#include "field.h"
#include "rules_call.h"
#include "rules_edit.h"
#include "rules_phases.h"
#include "rules_refuse.h"
#include "rules_shadow.h"
#include "rules_task.h"
#include "task.h"

static struct vsb *
body_of(VRT_CTX)
{
	struct vsb *body;

	CAST_OBJ_NOTNULL(body, ctx->specific, VSB_MAGIC);
	return (body);
}

/*
 * What objects of the VCL have answered, in the last request of this thread:
 * several may, one after the other, as vcl_synth goes on with finish=false.
 */
static __thread struct {
	const struct req	*req;
	uint64_t		vxid;
	bool			page;	/* that of builtin.vcl; or a redirect
					 * or an answer */
} latest __attribute__((tls_model("initial-exec")));

static bool
last_is(VRT_CTX, bool page)
{
	return (latest.req == ctx->req && latest.page == page &&
	    latest.vxid == VXID(ctx->req->vsl->wid));
}

static void
last_set(VRT_CTX, bool page)
{
	latest.req = ctx->req;
	latest.vxid = VXID(ctx->req->vsl->wid);
	latest.page = page;
}

/* Removes what an answer has had that another one takes the place of. */
static void
answer_clear(VRT_CTX)
{
	static const char * const names[] = {
		"Content-Type", "Location", "Retry-After"
	};
	struct http *hp = ctx->http_resp;
	size_t i;
	unsigned n;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		while ((n = fm_field_find(hp, HTTP_HDR_FIRST,
		    fm_text_of(names[i]))) < hp->nhd)
			fm_field_remove(hp, n);
	VSB_clear(body_of(ctx));
}

/*--------------------------------------------------------------------
 * What the rules answered before
 */

/*
 * Writes the header and the body of a redirect or an answer.  If there is no
 * room for all of an answer, the response is a 503 without a body.
 */
static void
synth_write(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_answer *answer)
{
	const struct fm_counters *counters = &rules->object.counters;
	struct vsb *body;

	AN(answer->header);
	if (answer->verdict == FM_VERDICT_REDIRECT) {
		if (!fm_edit_answer(ctx->http_resp, answer->verdict,
		    answer->header))
			fm_counters_log(ctx, counters,
			    FM_COUNT_workspace_overflow, "apply",
			    "no room for more headers",
			    "the redirect has no Location");
		return;
	}
	AN(answer->body);
	body = body_of(ctx);
	VSB_clear(body);
	if (fm_edit_answer(ctx->http_resp, answer->verdict, answer->header) &&
	    VSB_bcat(body, answer->body, (ssize_t)answer->body_len) == 0)
		return;
	VSB_clear(body);
	VRT_l_resp_status(ctx, 503);
	fm_counters_log(ctx, counters, FM_COUNT_workspace_overflow, "apply",
	    "no room for more headers, or no memory",
	    "the answer is a 503 without a body");
}

/*
 * Writes the answer of the rules.  Returns false if there is none, or it is
 * from before a restart.
 */
static bool
synth_answer(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	struct fm_rules_task *task;

	task = fm_rules_task(ctx, rules);
	if (task == NULL || !fm_edit_answers(task->answer.verdict) ||
	    task->answer.restarts != ctx->req->restarts)
		return (false);
	task->answer.unfinished = NULL;
	if (task->answer.status != ctx->http_resp->status)
		return (false);
	/* Another object has put a page there. */
	if (last_is(ctx, true))
		answer_clear(ctx);
	last_set(ctx, false);
	synth_write(ctx, rules, &task->answer);
	return (true);
}

/*--------------------------------------------------------------------
 * Delivery
 */

/* Writes the page of builtin.vcl.  Returns false if there is no room for it. */
static bool
page_write(VRT_CTX)
{
	struct http *hp = ctx->http_resp;
	struct vsb *body = body_of(ctx);

	VSB_clear(body);
	VSB_printf(body, "<!DOCTYPE html>\n<html>\n  <head>\n"
	    "    <title>%u %s</title>\n  </head>\n  <body>\n"
	    "    <h1>Error %u %s</h1>\n    <p>%s</p>\n"
	    "    <h3>Guru Meditation:</h3>\n    <p>XID: %ju</p>\n    <hr>\n"
	    "    <p>" BUILTIN_SERVER "</p>\n  </body>\n</html>\n",
	    hp->status, hp->hd[HTTP_HDR_REASON].b, hp->status,
	    hp->hd[HTTP_HDR_REASON].b, hp->hd[HTTP_HDR_REASON].b,
	    (uintmax_t)VXID(ctx->req->vsl->wid));
	if (VSB_error(body) == 0 && fm_edit_line(hp,
	    fm_text_of("Content-Type"),
	    "Content-Type: text/html; charset=utf-8") && fm_edit_line(hp,
	    fm_text_of("Retry-After"), "Retry-After: 5")) {
		last_set(ctx, true);
		return (true);
	}
	VSB_clear(body);
	return (false);
}

/* Replaces the answer by a synth.  A reason without room is the usual one. */
static bool
replace_synth(VRT_CTX, const struct fm_result *result)
{
	struct http *hp = ctx->http_resp;
	const char *reason = NULL;

	if (result->text.b != NULL)
		reason = fm_ws_text(ctx->ws, result->text);
	if (reason != NULL) {
		hp->hd[HTTP_HDR_REASON].b = reason;
		hp->hd[HTTP_HDR_REASON].e = reason + result->text.len;
		fm_field_log(hp, HTTP_HDR_REASON, HTTP_HDR_REASON);
	}
	return (page_write(ctx));
}

/*
 * Replaces the answer by what a verdict for its delivery says.  Returns false
 * if there is no room for that.
 */
static bool
answer_replace(VRT_CTX, const struct fm_result *result)
{
	char *room;

	answer_clear(ctx);
	VRT_l_resp_status(ctx, result->status);
	if (result->verdict == FM_VERDICT_SYNTH)
		return (replace_synth(ctx, result));
	last_set(ctx, false);
	room = fm_ws_alloc(ctx->ws, fm_edit_answer_bytes(result));
	if (room == NULL || !fm_edit_answer(ctx->http_resp, result->verdict,
	    fm_edit_answer_line(result, room)))
		return (false);
	return (result->verdict == FM_VERDICT_REDIRECT ||
	    VSB_bcat(body_of(ctx), result->body.b,
	    (ssize_t)result->body.len) == 0);
}

/*
 * Runs the rules for deliveries on an answer, once more on that of their
 * verdict.  Verdicts do nothing to an answer of such rules.
 */
static enum fm_refusal
synth_apply(struct fm_phased *phased, bool answered)
{
	enum fm_refusal refused = fm_phased_run(phased, answered);

	if (refused == FM_REFUSED_NOT &&
	    phased->result->verdict != FM_VERDICT_NONE) {
		if (!answer_replace(phased->ctx, phased->result))
			return (FM_REFUSED_WORKSPACE);
		fm_phased_tell(phased);
		refused = fm_phased_run(phased, true);
	}
	if (refused == FM_REFUSED_NOT)
		refused = fm_phased_edit(phased, FM_EDIT_SPARE_DELIVERED,
		    false);
	if (refused == FM_REFUSED_NOT)
		fm_phased_tell(phased);
	return (refused);
}

/* Replaces an answer that the rules can't be applied to. */
static void
synth_refuse(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    enum fm_refusal why)
{
	answer_clear(ctx);
	VRT_l_resp_status(ctx, 503);
	fm_counters_log(ctx, &rules->object.counters,
	    FM_COUNT_refused_delivery, "apply", fm_refused[why].missing,
	    "the answer is a 503 without a body");
}

/*
 * Delivers the answer, which is `complete` or gets the page of builtin.vcl.
 * Returns false if no rule is for the host, or there is no room for the page:
 * VCL goes on then.  If the rules can't be applied, the answer is a 503 without
 * a body; but an answer that refuses a request stays as it is.
 */
static bool
synth_deliver(VRT_CTX, struct vmod_fastmatch_rules *rules, bool complete,
    bool refusal)
{
	enum fm_refusal refused = FM_REFUSED_NOT;
	struct fm_rules_due due;
	struct fm_phased phased;
	bool answered, delivers;

	due.n = 0;
	fm_phased_begin(&phased, ctx, rules, fm_live_get(rules->object.live),
	    FM_PHASE_DELIVERY);
	phased.shadowed = fm_rules_shadows(rules);
	fm_phased_find(&phased);
	delivers = phased.program != NULL && !fm_program_is_idle(
	    phased.program, phased.host->block) &&
	    (complete || VSB_len(body_of(ctx)) > 0 || page_write(ctx));
	answered = refusal || fm_rules_memory(ctx)->ended;
	if (delivers)
		refused = synth_apply(&phased, answered);
	else
		fm_rules_shadow_later(&phased, answered);
	if (refused != FM_REFUSED_NOT && !refusal)
		synth_refuse(ctx, rules, refused);
	if (delivers && refused == FM_REFUSED_NOT && !refusal)
		fm_rules_due(ctx, rules, &due, phased.version, phased.result);
	fm_phased_count(&phased);
	fm_phased_end(&phased);
	(void)fm_rules_call(ctx, rules, &due);
	return (delivers);
}

/*
 * Ends vcl_synth if `finish`, once there is an answer.  Otherwise builtin.vcl
 * goes on, and puts its own page and a Retry-After in place of that.  An ESI
 * include that was refused gets no body, as the page has it in its middle.
 */
void
fm_rules_synth(VRT_CTX, struct vmod_fastmatch_rules *rules, bool finish)
{
	bool refusal = fm_refused_now(ctx) != FM_REFUSED_NOT;
	bool complete = false;

	if (refusal && ctx->req->esi_level > 0) {
		VSB_clear(body_of(ctx));
		VRT_handling(ctx, VCL_RET_DELIVER);
		return;
	}
	if (!refusal)
		complete = synth_answer(ctx, rules);
	/* Rules for deliveries are refused if vcl_deliver never calls this. */
	if (ctx->req->esi_level == 0 && fm_rules_delivers(rules) &&
	    synth_deliver(ctx, rules, last_is(ctx, false), refusal))
		complete = true;
	if (complete && finish && !VRT_handled(ctx))
		VRT_handling(ctx, VCL_RET_DELIVER);
}
