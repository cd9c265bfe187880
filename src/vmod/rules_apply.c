/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The method .apply() of the object `rules`.
 *
 * In vcl_recv it runs the rules on the request, makes their edits, and ends the
 * sub with their verdict; or refuses the request, if there is no room for all
 * of that.  rules_phases.h has what it does in other subs.
 */

#include "config.h"

#include <stdlib.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"

#include "compat.h"
#include "rules_call.h"
#include "rules_edit.h"
#include "rules_log.h"
#include "rules_mark.h"
#include "rules_next.h"
#include "rules_phases.h"
#include "rules_refuse.h"
#include "rules_shadow.h"
#include "rules_task.h"
#include "rules_view.h"
#include "serve.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

/* Counts a request, and by which kind of pattern its host was found. */
static void
count_lookup(const struct fm_counting *counting,
    const struct fm_rules_set *set, const struct fm_view *view,
    const struct fm_result *result)
{
	static const enum fm_counter hits[] = {
		[FM_HOSTTAB_EXACT] = FM_COUNT_exact_hits,
		[FM_HOSTTAB_SUFFIX] = FM_COUNT_wildcard_hits,
		[FM_HOSTTAB_PREFIX] = FM_COUNT_wildcard_hits,
		[FM_HOSTTAB_ANY] = FM_COUNT_wildcard_hits
	};

	fm_count(counting, FM_COUNT_lookups, 1);
	if (result->how != FM_HOSTTAB_NONE) {
		fm_count(counting, hits[result->how], 1);
	} else {
		fm_count_rare(counting, FM_COUNT_default_hits,
		    result->otherwise);
		if (set->hits != NULL)
			fm_hits_unknown(set->hits, view->counters, view->own);
	}
	fm_count_rare(counting, FM_COUNT_scans, result->tally.scans);
	fm_count_rare(counting, FM_COUNT_confirms, result->tally.confirms);
}

/*--------------------------------------------------------------------
 * Making the edits, and giving the verdict
 */

/*
 * Keeps the headers that name the client where its Connection names them: a
 * fetch without them would take the proxy for the client.
 */
static void
keep_client(struct http *hp, const struct fm_program *program)
{
	struct fm_field field;
	unsigned n;

	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++) {
		if ((hp->hdf[n] & FM_MARK_DROPPED) == 0)
			continue;
		field = (struct fm_field){ hp->hd[n].b, hp->hd[n].e };
		if (fm_run_names_client(program, &field))
			hp->hdf[n] &= (unsigned char)~FM_MARK_DROPPED;
	}
}

/*
 * Makes all edits, the marks, and the task if VCL may read it or
 * vcl_synth needs it; or none of them, and returns why.  Finds room for all of
 * them first, as an edit can't be undone.
 */
static enum fm_refusal
apply_edits(VRT_CTX, struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set, const struct fm_result *result)
{
	bool is_told = rules->keeps_task || set->names_rule;
	bool keep = is_told || fm_edit_answers(result->verdict);
	struct fm_marks marks = { .bytes = 0 };
	struct fm_rules_task *task = NULL;
	enum fm_refusal refused;
	char *room, *body = NULL;
	const char *header;
	size_t bytes, mark_at;

	refused = fm_edit_refused(result);
	if (refused != FM_REFUSED_NOT)
		return (refused);
	if (fm_marks_may(rules, set))
		marks = fm_marks_wanted(rules, set, result);
	refused = fm_edit_fits(ctx->http_req, result, marks.n, &bytes);
	if (refused != FM_REFUSED_NOT)
		return (refused);
	mark_at = bytes;
	bytes += marks.bytes;
	if (result->verdict == FM_VERDICT_ANSWER && !result->denied) {
		body = fm_task_body(result->body);
		if (body == NULL)
			return (FM_REFUSED_MEMORY);
	}
	if (keep)
		task = fm_task_write(ctx, rules, result, is_told, bytes,
		    &room);
	if (keep ? task == NULL : !fm_task_room(ctx, bytes, &room)) {
		free(body);
		return (FM_REFUSED_WORKSPACE);
	}
	fm_edit_request(ctx->http_req, result, room, &header);
	if (__builtin_expect(set->keeps_client, 0))
		keep_client(ctx->http_req, set->program);
	if (__builtin_expect(marks.n > 0, 0))
		fm_marks_add(ctx->http_req, rules, set, result, &marks,
		    room + mark_at);
	if (fm_edit_answers(result->verdict) && !result->denied) {
		AN(task);
		fm_task_answer(ctx, rules, task, result, header, body);
	}
	return (FM_REFUSED_NOT);
}

/* How .apply() ends vcl_recv: end_recv() is the last thing that it calls. */
struct ending {
	enum fm_verdict		verdict;
	enum fm_refusal		refused;
	bool			denied;		/* an ESI sub-request is */
	bool			whole;		/* the edits are made */
	unsigned		status;
	const char		*reason;	/* or NULL */
};

/*
 * Makes the edits of a result, and sets how vcl_recv ends.  A synth is given
 * even if there is no room for its edits or its task: it answers the client, so
 * the request goes nowhere that would need them.  So is an answer that has no
 * body, as it denies an ESI sub-request.
 */
static void
apply_result(VRT_CTX, struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set, const struct fm_result *result,
    const struct fm_counting *counting, struct ending *ending)
{
	struct fm_rules_task *task;
	enum fm_refusal refused;
	char *room;

	ending->verdict = result->verdict;
	ending->status = result->status;
	ending->denied = result->denied;
	refused = apply_edits(ctx, rules, set, result);
	if (refused != FM_REFUSED_NOT) {
		task = fm_rules_task(ctx, rules);
		if (task != NULL)
			fm_task_forget(task);
		if (result->verdict != FM_VERDICT_SYNTH &&
		    (result->verdict != FM_VERDICT_ANSWER || !result->denied)) {
			ending->refused = refused;
			return;
		}
		if (rules->keeps_task)
			(void)fm_task_write(ctx, rules, result, true, 0,
			    &room);
		fm_counters_log(ctx, &rules->object.counters,
		    refused == FM_REFUSED_WORKSPACE ?
		    FM_COUNT_workspace_overflow : FM_COUNT__N, "apply",
		    fm_refused[refused].missing,
		    "the request gets its synth, and is not edited");
	}
	if (result->verdict == FM_VERDICT_SYNTH && result->text.b != NULL &&
	    !WS_Overflowed(ctx->ws))
		ending->reason = fm_ws_text(ctx->ws, result->text);
	ending->whole = refused == FM_REFUSED_NOT;
	if (counting->n != NULL)
		fm_count_outcome(counting, result, refused == FM_REFUSED_NOT);
}

/* Ends vcl_recv.  A refusal or a synth may roll the request back. */
static void
end_recv(VRT_CTX, const struct ending *ending)
{
	/* The verdict NONE ends nothing, and REFUSE is a refusal. */
	static const unsigned returns[] = {
#define V(name, word, class, manual, phases, ends, counter, ret, ...)	\
		[FM_VERDICT_##name] = VCL_RET_##ret,
		FM_VERDICTS(V)
#undef V
		[FM_VERDICT_REFUSE] = 0
	};
	unsigned handling = returns[ending->verdict];

	if (ending->refused != FM_REFUSED_NOT) {
		fm_refuse(ctx, ending->refused);
		return;
	}
	switch (handling) {
	case 0:
		break;
	case VCL_RET_FAIL:
		if (!ending->denied) {
			VRT_fail(ctx, "fastmatch: the rules end in 'fail'");
			break;
		}
		/* FALLTHROUGH */
	case VCL_RET_SYNTH:
		if (ending->denied)
			fm_deny(ctx, ending->status, ending->reason);
		else
			fm_synth(ctx, ending->status, ending->reason);
		break;
	default:
		VRT_handling(ctx, handling);
		break;
	}
}

/*
 * Runs the rules of `ran`, which is `version` or that of `next`.  What is not
 * about this run is about the rules that serve the later subs: those of
 * `version`, which are in `set`.  Leaves to end_recv() what may wait or roll
 * back, and subs to its caller.
 */
static void
apply_version(VRT_CTX, struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, const struct fm_rules_set *set,
    const struct fm_version *ran, struct ending *ending,
    struct fm_rules_due *due)
{
	const struct fm_counters *counters = &rules->object.counters;
	const struct fm_rules_set *own;
	const struct fm_result *result;
	const struct fm_rules_bound *bound;
	struct fm_counting counting = { .n = NULL };
	struct fm_view view;
	struct fm_run run;
	unsigned shard;

	CAST_OBJ_NOTNULL(own, ran->payload, FM_RULES_SET_MAGIC);
	if (fm_marks_may(rules, set))
		fm_marks_clear(ctx->http_req, rules, set);
	fm_rules_view(ctx, own->wants, &view);
	shard = fm_shard_take();
	if (own->hits != NULL)
		view.counters = fm_hits_shard(own->hits, shard, &view.own);
	result = fm_rules_run(ctx, rules, own->program, &view, &run);
	if (__builtin_expect(ran != version, 0))
		fm_rules_next_place(rules, set, shard, &view, &run.result);
	else if (rules->shadow != NULL && fm_rules_shadows(rules))
		fm_rules_shadow_run(ctx, rules, version, &view, &run);
	if (counters->shards != NULL)
		counting.n = counters->shards[shard].n;
	counting.own = fm_shard_is_own(shard);
	apply_result(ctx, rules, set, result, &counting, ending);
	if (rules->knows)
		fm_rules_know(ctx, rules, version, result);
	if (counting.n != NULL)
		count_lookup(&counting, set, &view, result);
	fm_shard_give(shard);
	if (ending->refused == FM_REFUSED_NOT) {
		bound = ran->binding;
		/* Varnish looks at both backends, even if they are one. */
		if (result->backend_set && ctx->req->director_hint !=
		    bound->backends[result->backend])
			VRT_l_req_backend_hint(ctx,
			    bound->backends[result->backend]);
		if (__builtin_expect(result->noted > 0, 0) && ending->whole)
			fm_rules_due(ctx, rules, due, ran, result);
		fm_rules_log_verdict(ctx, rules, ran, ran != version, result);
	} else if (set->hits != NULL)
		fm_hits_refused(set->hits, result->how == FM_HOSTTAB_NONE ?
		    UINT32_MAX : result->pattern);
	if (fm_counters_has_trouble(&result->tally) ||
	    (result->undecided | result->ignored) != 0)
		fm_counters_rules(ctx, counters, "apply", &result->tally,
		    result->undecided, result->undecided_at == NULL ? NULL :
		    result->undecided_at->place, result->ignored);
	fm_run_end(&run);
}

/*
 * Returns the version whose rules run, and sets *set where that is of `next`:
 * its rules may set Host where the present ones, which run on the response, do
 * not.
 */
static const struct fm_version * __attribute__((noinline))
choose(VRT_CTX, struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, struct fm_rules_set *both,
    const struct fm_rules_set **set)
{
	const struct fm_version *ran = fm_rules_next_get(ctx, rules, version);
	const struct fm_rules_set *next = ran->payload;

	if (ran == version)
		return (version);
	*both = **set;
	both->sets_host |= next->sets_host;
	*set = both;
	return (ran);
}

static void
apply_rules(VRT_CTX, struct vmod_fastmatch_rules *rules,
    struct ending *ending, struct fm_rules_due *due)
{
	const struct fm_version *version = fm_serve_get(rules->object.live);
	const struct fm_version *ran = version;
	const struct fm_rules_set *set;
	struct fm_rules_set both;

	AN(version);
	set = version->payload;
	if (__builtin_expect(rules->object.beside != NULL, 0) &&
	    rules->shadow == NULL)
		ran = choose(ctx, rules, version, &both, &set);
	apply_version(ctx, rules, version, set, ran, ending, due);
	if (__builtin_expect(ran != version, 0))
		fm_serve_put(ran);
	fm_serve_put(version);
}

/* Counts a request that is refused again, without a look at its host. */
static void __attribute__((noinline))
count_again(const struct vmod_fastmatch_rules *rules)
{
	const struct fm_version *version = fm_live_get(rules->object.live);
	const struct fm_rules_set *set = version->payload;
	unsigned shard = fm_shard_take();
	uint64_t *counters;
	bool own;

	fm_counters_in(&rules->object.counters, shard, FM_COUNT_lookups, 1);
	if (set->hits != NULL) {
		counters = fm_hits_shard(set->hits, shard, &own);
		fm_hits_unknown(set->hits, counters, own);
		fm_hits_refused(set->hits, UINT32_MAX);
	}
	fm_shard_give(shard);
	fm_live_put(version);
}

/*
 * Calls the subs, and makes the bans.  Returns false if a sub has ended
 * vcl_recv: what the rules have left to vcl_synth is not given then.
 */
static bool __attribute__((noinline))
recv_call(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_rules_due *due)
{
	struct fm_rules_task *task;

	if (fm_rules_call(ctx, rules, due))
		return (true);
	task = fm_rules_task(ctx, rules);
	if (task != NULL) {
		task->answer.verdict = FM_VERDICT_NONE;
		task->answer.unfinished = NULL;
	}
	return (false);
}

static void
apply_recv(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	struct ending ending = { .refused = fm_refused_before(ctx) };
	struct fm_rules_due due;

	due.n = 0;
	if (ending.refused == FM_REFUSED_NOT)
		apply_rules(ctx, rules, &ending, &due);
	else
		count_again(rules);
	if (__builtin_expect(due.n > 0, 0) && !recv_call(ctx, rules, &due))
		return;
	if (ending.refused != FM_REFUSED_NOT)
		fm_counters_refused(ctx, &rules->object.counters, "apply",
		    ending.refused);
	end_recv(ctx, &ending);
}

/* Runs .apply() in a sub after vcl_recv. */
static void
apply_later(VRT_CTX, struct vmod_fastmatch_rules *rules, VCL_BOOL finish)
{
	switch (ctx->method) {
	case VCL_MET_PIPE:
		fm_mark_fetch(ctx);
		break;
	case VCL_MET_HASH:
		fm_rules_hash(ctx, rules);
		break;
	case VCL_MET_BACKEND_FETCH:
		fm_rules_fetch(ctx, rules);
		break;
	case VCL_MET_BACKEND_ERROR:
		fm_rules_failed(ctx, rules);
		break;
	case VCL_MET_BACKEND_RESPONSE:
		fm_rules_response(ctx, rules);
		break;
	case VCL_MET_SYNTH:
		fm_rules_synth(ctx, rules, finish);
		break;
	default:
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_misplaced, "apply", "it does nothing in",
		    fm_sub_name(ctx));
		break;
	}
}

VCL_VOID
vmod_rules_apply(VRT_CTX, struct vmod_fastmatch_rules *rules, VCL_BOOL finish)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (FM_OBJECT_MISSING(ctx, rules))
		return;
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	/* There must be no second verdict, nor one after a failure. */
	if (VRT_handled(ctx) || (__builtin_expect(rules->nsubs > 0, 0) &&
	    fm_rules_called_back(ctx, rules)))
		return;
	if (ctx->method == VCL_MET_RECV)
		apply_recv(ctx, rules);
	else if (ctx->method == VCL_MET_DELIVER)
		fm_rules_deliver(ctx, rules);
	else
		apply_later(ctx, rules, finish);
}

VCL_STRING
vmod_rules_refused(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	(void)rules;
	return (fm_refused[fm_refused_now(ctx)].word);
}
