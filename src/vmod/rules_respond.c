/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in vcl_backend_fetch, vcl_backend_response, vcl_backend_error and
 * vcl_deliver.
 *
 * Rules apply whole here, too: a fetch or a response to which they can't be
 * applied is abandoned, and so is a response that could not be delivered after
 * it was stored; a delivery is answered with 503.
 */

#include "config.h"

#include <stdlib.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"

#include "compat.h"
#include "rules_call.h"
#include "rules_edit.h"
#include "rules_mark.h"
#include "rules_phases.h"
#include "rules_refuse.h"
#include "rules_shadow.h"
#include "rules_task.h"
#include "rules_view.h"
#include "serve.h"
#include "task.h"

/*
 * Abandons a fetch, so that nothing is stored, and logs what is missing.  The
 * counter says whether the rules for fetches or those for responses are
 * refused.
 */
static void
fetch_refuse(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    enum fm_counter count, enum fm_refusal why)
{
	fm_counters_log(ctx, &rules->object.counters, count, "apply",
	    why == FM_REFUSED_WORKSPACE ?
	    "out of workspace (workspace_backend)" : fm_refused[why].missing,
	    count == FM_COUNT_refused_fetch ? "the fetch is abandoned" :
	    "the response is abandoned");
	VRT_handling(ctx, VCL_RET_ABANDON);
}

/*--------------------------------------------------------------------
 * vcl_backend_fetch
 */

/* Runs the rules, and edits what is sent to the backend. */
static enum fm_refusal
sent_apply(struct fm_phased *phased)
{
	enum fm_refusal refused;

	fm_phased_find(phased);
	refused = fm_phased_run(phased, false);
	/* The file has `undecided synth`. */
	if (refused == FM_REFUSED_NOT &&
	    phased->result->verdict == FM_VERDICT_SYNTH)
		refused = FM_REFUSED_UNDECIDED;
	if (refused == FM_REFUSED_NOT)
		refused = fm_phased_edit(phased, FM_EDIT_SPARE_SENT, false);
	if (refused == FM_REFUSED_NOT)
		fm_phased_tell(phased);
	return (refused);
}

void
fm_rules_fetch(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	enum fm_refusal refused = FM_REFUSED_NOT;
	struct fm_phased phased;

	fm_mark_fetch(ctx);
	fm_phased_begin(&phased, ctx, rules, fm_serve_get(rules->object.live),
	    FM_PHASE_FETCH);
	phased.shadowed = fm_rules_shadows(rules);
	if (phased.program != NULL)
		refused = sent_apply(&phased);
	else
		fm_rules_shadow_later(&phased, false);
	fm_phased_end(&phased);
	if (refused != FM_REFUSED_NOT)
		fetch_refuse(ctx, rules, FM_COUNT_refused_fetch, refused);
}

/*--------------------------------------------------------------------
 * vcl_backend_response
 */

/* Sets what the rules have changed beside headers, as VCL would. */
static void
stored_set(VRT_CTX, const struct fm_result *result)
{
	const struct fm_response *response = result->response;
	bool pass = (response->flags & FM_FETCH_PASS) != 0;

	if (!pass && response->ttl_set)
		VRT_l_beresp_ttl(ctx, response->ttl);
	if (!pass && response->grace_set)
		VRT_l_beresp_grace(ctx, response->grace);
	if (!pass && response->keep_set)
		VRT_l_beresp_keep(ctx, response->keep);
	if (!pass && response->uncacheable_set &&
	    result->verdict != FM_VERDICT_PASS)
		VRT_l_beresp_uncacheable(ctx, 1);
	if (response->esi)
		VRT_l_beresp_do_esi(ctx, 1);
	if (response->gzip)
		VRT_l_beresp_do_gzip(ctx, 1);
	if (response->gunzip)
		VRT_l_beresp_do_gunzip(ctx, 1);
}

/*
 * Returns how VCL ends with a verdict; 0: it goes on.  What is passed anyway is
 * not stored as a hit-for-pass.
 */
static unsigned
stored_return(const struct fm_result *result)
{
	switch (result->verdict) {
	case FM_VERDICT_ABANDON:
		return (VCL_RET_ABANDON);
	case FM_VERDICT_RETRY:
		return (VCL_RET_RETRY);
	case FM_VERDICT_DELIVER:
		return (VCL_RET_DELIVER);
	case FM_VERDICT_PASS:
		return ((result->response->flags & FM_FETCH_PASS) != 0 ?
		    VCL_RET_DELIVER : VCL_RET_PASS);
	default:
		return (0);
	}
}

/* The mark with the cause, if deliveries tell of that. */
struct stored_mark {
	bool			there;
	struct fm_cause		cause;
	char			*room;
};

/* Makes room for the mark.  Returns false if there is too little. */
static bool
mark_begin(const struct fm_phased *phased, struct stored_mark *mark)
{
	const struct busyobj *bo = phased->ctx->bo;
	const struct objcore *stale = bo->stale_oc;

	mark->there = phased->set->tells_cache;
	if (!mark->there)
		return (true);
	fm_run_cause(phased->result, &mark->cause);
	mark->cause.rule = fm_run_place(mark->cause.rule);
	mark->cause.status = bo->was_304 ? 304 : phased->response.status;
	/* An object that was purged may be found for another moment. */
	mark->cause.stale = stale != NULL &&
	    (stale->flags & (OC_F_HFM | OC_F_HFP)) == 0 &&
	    stale->t_origin + stale->ttl + stale->grace + stale->keep >
	    bo->t_first;
	return (fm_task_room(phased->ctx, fm_mark_why_bytes(&mark->cause),
	    &mark->room));
}

static void
mark_end(const struct fm_phased *phased, const struct stored_mark *mark)
{
	if (mark->there)
		fm_mark_add_why(phased->message, &mark->cause, mark->room);
}

/*
 * Returns how many places for headers must be left, so that what is stored can
 * be delivered with all that the rules for its host may add.
 */
static unsigned
stored_spare(const struct fm_phased *phased, uint32_t block)
{
	return (FM_EDIT_SPARE_STORED + (phased->set->delivery == NULL ? 0 :
	    fm_program_adds(phased->set->delivery, block)));
}

/* Runs the rules, and edits a response that is not thrown away. */
static enum fm_refusal
stored_apply(struct fm_phased *phased, unsigned *end)
{
	const struct fm_result *result;
	enum fm_refusal refused;
	struct stored_mark mark;

	fm_phased_find(phased);
	refused = fm_phased_run(phased, false);
	result = phased->result;
	if (refused != FM_REFUSED_NOT)
		return (refused);
	/* The file has `undecided synth`. */
	if (result->verdict == FM_VERDICT_SYNTH)
		return (FM_REFUSED_UNDECIDED);
	*end = stored_return(result);
	if (*end != VCL_RET_ABANDON && *end != VCL_RET_RETRY) {
		if (!mark_begin(phased, &mark))
			return (FM_REFUSED_WORKSPACE);
		refused = fm_phased_edit(phased,
		    stored_spare(phased, result->block) +
		    (result->response->gzip ? FM_EDIT_SPARE_GZIP : 0), true);
		if (refused != FM_REFUSED_NOT)
			return (refused);
		mark_end(phased, &mark);
		stored_set(phased->ctx, result);
	}
	fm_phased_tell(phased);
	return (FM_REFUSED_NOT);
}

/*
 * Returns true if a delivery has room for what its rules may add.  The host is
 * found only where there would be too little room for another one.
 */
static bool
stored_fits(struct fm_phased *phased)
{
	const struct http *hp = phased->message;

	if (hp->nhd + FM_EDIT_SPARE_STORED + fm_program_adds_most(
	    phased->set->delivery) <= hp->shd)
		return (true);
	fm_phased_find(phased);
	return (hp->nhd + stored_spare(phased, phased->host->block) <=
	    hp->shd);
}

/* Makes a response ready for its delivery, where no rule is for responses. */
static enum fm_refusal
stored_pass_on(struct fm_phased *phased)
{
	struct stored_mark mark;

	if (phased->set->delivery == NULL)
		return (FM_REFUSED_NOT);
	phased->response.status = phased->message->status;
	if (!mark_begin(phased, &mark))
		return (FM_REFUSED_WORKSPACE);
	if (!stored_fits(phased))
		return (FM_REFUSED_SLOTS);
	mark_end(phased, &mark);
	return (FM_REFUSED_NOT);
}

#define OTHER_KEY_SECONDS	120	/* as long as builtin.vcl remembers */

/*
 * Does not store a response whose key is not what the rules make now; neither
 * they nor builtin.vcl change that.
 */
static void
stored_not(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	VRT_l_beresp_ttl(ctx, OTHER_KEY_SECONDS);
	VRT_l_beresp_grace(ctx, 0);
	VRT_l_beresp_keep(ctx, 0);
	VRT_l_beresp_uncacheable(ctx, 1);
	fm_counters_log(ctx, &rules->object.counters, FM_COUNT__N, "apply",
	    "the rules have not made the key of this request",
	    "the response is not stored");
}

void
fm_rules_response(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	enum fm_refusal refused = FM_REFUSED_NOT;
	struct fm_rules_due due;
	struct fm_phased phased;
	unsigned end = 0;

	due.n = 0;
	fm_phased_begin(&phased, ctx, rules, fm_serve_get(rules->object.live),
	    FM_PHASE_RESPONSE);
	phased.shadowed = fm_rules_shadows(rules);
	if (!fm_rules_key_is_sure(&phased))
		stored_not(ctx, rules);
	if (phased.program != NULL) {
		refused = stored_apply(&phased, &end);
		if (refused == FM_REFUSED_NOT && phased.result->ncalls > 0)
			fm_rules_due(ctx, rules, &due, phased.version,
			    phased.result);
	} else {
		fm_rules_shadow_later(&phased, false);
		refused = stored_pass_on(&phased);
	}
	fm_phased_end(&phased);
	if (refused != FM_REFUSED_NOT)
		fetch_refuse(ctx, rules, FM_COUNT_refused_response, refused);
	else if ((due.n == 0 || fm_rules_call(ctx, rules, &due)) && end != 0)
		VRT_handling(ctx, end);
}

/*--------------------------------------------------------------------
 * vcl_backend_error
 */

/*
 * Marks what Varnish makes of a failed fetch, for rules that ask for it in
 * vcl_deliver.
 */
void
fm_rules_failed(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	const struct fm_version *version = fm_live_get(rules->object.live);
	const struct fm_rules_set *set = version->payload;

	if (set->delivery != NULL)
		fm_mark_own(ctx->http_beresp);
	fm_live_put(version);
}

/*--------------------------------------------------------------------
 * vcl_deliver
 */

/* How vcl_deliver ends. */
struct deliver_end {
	unsigned		status;		/* 0: VCL goes on */
	const char		*reason;	/* or NULL */
};

/* Leaves a redirect or an answer to vcl_synth. */
static enum fm_refusal
deliver_answer(const struct fm_phased *phased,
    struct vmod_fastmatch_rules *rules)
{
	const struct fm_result *result = phased->result;
	struct fm_rules_task *task;
	char *room, *body = NULL;

	if (result->verdict == FM_VERDICT_ANSWER) {
		body = fm_task_body(result->body);
		if (body == NULL)
			return (FM_REFUSED_MEMORY);
	}
	task = fm_task_get(phased->ctx, rules, fm_edit_answer_bytes(result),
	    &room);
	if (task == NULL) {
		free(body);
		return (FM_REFUSED_WORKSPACE);
	}
	fm_task_answer(phased->ctx, rules, task, result,
	    fm_edit_answer_line(result, room), body);
	return (FM_REFUSED_NOT);
}

/* Runs the rules.  A response that their verdict replaces is not edited. */
static enum fm_refusal
deliver_apply(struct fm_phased *phased, struct vmod_fastmatch_rules *rules,
    struct deliver_end *end)
{
	enum fm_refusal refused = fm_phased_run(phased, false);
	const struct fm_result *result = phased->result;

	if (refused != FM_REFUSED_NOT)
		return (refused);
	if (result->verdict == FM_VERDICT_NONE)
		refused = fm_phased_edit(phased, FM_EDIT_SPARE_DELIVERED,
		    false);
	else if (fm_edit_answers(result->verdict))
		refused = deliver_answer(phased, rules);
	else if (result->text.b != NULL && !WS_Overflowed(phased->ctx->ws))
		end->reason = fm_ws_text(phased->ctx->ws, result->text);
	if (refused != FM_REFUSED_NOT)
		return (refused);
	end->status = result->status;
	fm_phased_tell(phased);
	return (FM_REFUSED_NOT);
}

/* Is apart from deliver_idle(), as its variables take much of the stack. */
static void __attribute__((noinline))
deliver(VRT_CTX, struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, bool shadowed)
{
	struct deliver_end end = { .status = 0 };
	enum fm_refusal refused = FM_REFUSED_NOT;
	struct fm_rules_due due;
	struct fm_phased phased;

	due.n = 0;
	fm_phased_begin(&phased, ctx, rules, version, FM_PHASE_DELIVERY);
	phased.shadowed = shadowed;
	fm_phased_find(&phased);
	if (phased.program != NULL)
		refused = deliver_apply(&phased, rules, &end);
	else
		fm_rules_shadow_later(&phased, false);
	/* Otherwise vcl_synth counts, and calls. */
	if (refused == FM_REFUSED_NOT && end.status == 0) {
		if (phased.result != NULL && phased.result->ncalls > 0)
			fm_rules_due(ctx, rules, &due, version,
			    phased.result);
		fm_phased_count(&phased);
	}
	fm_phased_end(&phased);
	if (refused != FM_REFUSED_NOT) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_refused_delivery, "apply",
		    fm_refused[refused].missing,
		    "the response is refused with 503");
		fm_refuse_delivery(ctx, refused);
	} else if (end.status != 0) {
		fm_rules_memory(ctx)->ended = true;
		fm_synth(ctx, end.status, end.reason);
	} else if (due.n > 0) {
		(void)fm_rules_call(ctx, rules, &due);
	}
}

/*
 * Only counts the response, if it is known that no rule is for the host.
 * Returns false otherwise.
 */
static bool
deliver_idle(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version)
{
	const struct fm_rules_memory *memory;
	unsigned shard;

	memory = fm_rules_known(ctx, rules, version);
	if (memory == NULL || !memory->idle)
		return (false);
	shard = fm_shard_take();
	fm_rules_count(ctx, version->payload, shard, memory->host.hit.pattern,
	    fm_rules_view_cache(ctx));
	fm_shard_give(shard);
	return (true);
}

void
fm_rules_deliver(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	const struct fm_version *version;
	bool shadowed;

	/* What a sub-request gets has no headers, and is a part of a page. */
	if (ctx->req->esi_level > 0)
		return;
	version = fm_serve_get(rules->object.live);
	shadowed = fm_rules_shadows(rules);
	if (!shadowed && deliver_idle(ctx, rules, version))
		fm_serve_put(version);
	else
		deliver(ctx, rules, version, shadowed);
}
