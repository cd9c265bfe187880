/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The method .apply() of the object `rules`.
 *
 * In vcl_recv it runs the rules on the request, makes their edits, and ends the
 * sub with their verdict; or refuses the request, if there is no room for all
 * of that.  In vcl_synth it writes the Location of a redirect, or the body of
 * an answer, that the rules gave in vcl_recv.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"
#include "vsb.h"

#include "compat.h"
#include "logline.h"
#include "rules_edit.h"
#include "rules_refuse.h"
#include "rules_shadow.h"
#include "rules_view.h"
#include "serve.h"
#include "shadow.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

/*--------------------------------------------------------------------
 * The memory of a task
 */

#define TASK_ROOM	(FM_TASK_PRIV_ROOM + sizeof(struct fm_rules_task))
#define UNFINISHED_LEN	256	/* bytes of a log line, which may be cut */

struct fm_rules_task *
fm_rules_task(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	struct fm_rules_task *task;
	struct vmod_priv *priv;

	priv = VRT_priv_task_get(ctx, rules);
	if (priv == NULL || priv->priv == NULL)
		return (NULL);
	CAST_OBJ_NOTNULL(task, priv->priv, FM_RULES_TASK_MAGIC);
	return (task);
}

/*
 * Reports a redirect or an answer if the task ends and vcl_synth has not called
 * .apply(): the client got it without its Location or body.  If vcl_synth
 * restarts, nothing was sent.  Then the request has more restarts than the
 * task, or .apply() has written a new task.  (A 503 for too many restarts
 * counts as such a restart, too.)
 */
static void
task_fini(VRT_CTX, void *priv)
{
	const struct fm_counters *counters;
	struct vmod_fastmatch_rules *rules;
	struct fm_rules_task *task;
	char outcome[UNFINISHED_LEN];

	CAST_OBJ_NOTNULL(task, priv, FM_RULES_TASK_MAGIC);
	free(task->body);
	task->body = NULL;
	rules = task->unfinished;
	if (rules == NULL)
		return;
	CHECK_OBJ(rules, FM_RULES_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->req, REQ_MAGIC);
	if (task->restarts != ctx->req->restarts)
		return;
	counters = &rules->object.counters;
	(void)snprintf(outcome, sizeof outcome,
	    "%s: add to the VCL: sub vcl_synth { %s.apply(); }",
	    task->verdict == FM_VERDICT_REDIRECT ?
	    "a redirect was sent without its Location" :
	    "an answer was sent without its body", rules->object.name);
	if (__atomic_exchange_n(&rules->told_unfinished, true,
	    __ATOMIC_RELAXED))
		fm_counters_add(counters, FM_COUNT_unfinished, 1);
	else
		fm_counters_log(ctx, counters, FM_COUNT_unfinished, "apply",
		    "vcl_synth does not call it", outcome);
}

static const struct vmod_priv_methods task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "fastmatch rules",
	.fini = task_fini
}};

/* Has task_fini() report if vcl_synth does not call .apply(). */
static void
task_expect(VRT_CTX, struct vmod_fastmatch_rules *rules,
    struct fm_rules_task *task)
{
	VRT_priv_task_get(ctx, rules)->methods = task_methods;
	task->unfinished = rules;
}

static void
task_forget(struct fm_rules_task *task)
{
	if (task->body != NULL)
		free(task->body);
	memset(task, 0, sizeof *task);
	task->magic = FM_RULES_TASK_MAGIC;
}

/*
 * Returns an empty task, and sets *room to this number of bytes; NULL if there
 * is too little workspace.  After a restart the room is a new one: the strings
 * that .ruleset() and .rule() gave before stay as they are.
 */
static struct fm_rules_task *
task_make(VRT_CTX, const struct vmod_fastmatch_rules *rules, size_t bytes,
    char **room)
{
	struct fm_rules_task *task;
	struct vmod_priv *priv;

	/* VCL has lost an edit then; nothing is made of such a request. */
	if (WS_Overflowed(ctx->ws))
		return (NULL);
	*room = NULL;
	if (fm_ws_free(ctx->ws) < TASK_ROOM + bytes) {
		task = fm_rules_task(ctx, rules);
		if (task == NULL)
			return (NULL);
	} else {
		/* There is room even if neither exists yet. */
		priv = VRT_priv_task(ctx, rules);
		AN(priv);
		task = priv->priv;
		if (task == NULL) {
			task = fm_ws_take(ctx->ws, sizeof *task + bytes);
			AN(task);
			task->body = NULL;
			*room = (char *)(task + 1);
			priv->priv = task;
		}
	}
	if (*room == NULL && bytes > 0) {
		*room = fm_ws_alloc(ctx->ws, bytes);
		if (*room == NULL)
			return (NULL);
	}
	task_forget(task);
	task->restarts = ctx->req->restarts;
	return (task);
}

static const char * __attribute__((noinline))
task_word(char **room, struct fm_text text)
{
	return (text.b == NULL ? NULL : fm_edit_put(room, text));
}

static size_t
word_bytes(struct fm_text text)
{
	return (text.b == NULL ? 0 : text.len + 1);
}

/*
 * Returns a task with the result, and sets *room to these bytes, after its
 * words.  Words are copied, as the rules may be swapped.  The host mostly is a
 * part of the request that ends in NUL, and stays valid as long as the task.
 * Otherwise it is copied here, where a lack of room still refuses the request:
 * VCL may hash what .host() returns, so that must not be missing.
 */
static struct fm_rules_task *
task_write(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_result *result, size_t bytes, char **room)
{
	struct fm_text host = result->host, rule = fm_text(NULL, 0);
	struct fm_rules_task *task;

	if (host.b != NULL && result->host_in_view &&
	    host.b[host.len] == '\0')
		host = fm_text(NULL, 0);
	if (result->verdict != FM_VERDICT_NONE && result->rule != NULL)
		rule = fm_text(result->rule->place, result->rule->place_len);
	bytes += word_bytes(host) + word_bytes(result->site) +
	    word_bytes(rule);
	task = task_make(ctx, rules, bytes, room);
	if (task == NULL)
		return (NULL);
	task->verdict = result->verdict;
	task->status = result->status;
	task->undecided = result->undecided > 0;
	task->host = host.b == NULL ? result->host.b : task_word(room, host);
	task->ruleset = task_word(room, result->site);
	task->rule = task_word(room, rule);
	return (task);
}

/*
 * Sets *room to this number of bytes for edits, where neither VCL nor vcl_synth
 * will want the result.  Returns false if there is too little workspace.
 */
static bool
room_alone(VRT_CTX, size_t bytes, char **room)
{
	*room = NULL;
	if (WS_Overflowed(ctx->ws))
		return (false);
	if (bytes > 0)
		*room = fm_ws_alloc(ctx->ws, bytes);
	return (bytes == 0 || *room != NULL);
}

/*--------------------------------------------------------------------
 * The log
 */

/* The priv of the trace. */
struct apply_log {
	VRT_CTX;
	const struct fm_rule	*last;		/* logged last */
};

static void
log_ready(VRT_CTX, const char *line)
{
	fm_logline(ctx->vsl, SLT_VCL_Log, line, strlen(line));
}

/*
 * Logs a statement that has run.  A verdict is logged later, by log_verdict().
 * A statement that edits several headers is traced once for each, and is logged
 * once.
 */
static void
log_stmt(struct apply_log *log, const struct fm_rule *stmt,
    enum fm_effect effect)
{
	if (effect == FM_EFFECT_VERDICT || stmt == log->last)
		return;
	log->last = stmt;
	if (effect == FM_EFFECT_NONE)
		VSLb(log->ctx->vsl, SLT_VCL_Log, "%s: nothing to do",
		    stmt->log);
	else if (effect == FM_EFFECT_UNDECIDED)
		VSLb(log->ctx->vsl, SLT_VCL_Log, "%s: undecided", stmt->log);
	else if (effect == FM_EFFECT_IGNORED)
		VSLb(log->ctx->vsl, SLT_VCL_Log, "%s: ignored for ESI",
		    stmt->log);
	else
		log_ready(log->ctx, stmt->log);
}

static void
log_event(void *priv, const struct fm_event *event)
{
	struct apply_log *log = priv;

	if (event->kind == FM_EVENT_STMT)
		log_stmt(log, event->rule, event->effect);
	else if (event->kind == FM_EVENT_WHEN)
		VSLb(log->ctx->vsl, SLT_VCL_Log, "%s: %s", event->rule->log,
		    event->outcome == FM_TRUE ? "true" :
		    event->outcome == FM_FALSE ? "false" :
		    event->outcome == FM_FRAGMENT ? "the URL has a raw #" :
		    "undecided");
}

/* Runs the rules, and logs each condition and statement. */
static const struct fm_result * __attribute__((noinline))
run_log(VRT_CTX, const struct fm_program *program, const struct fm_view *view,
    struct fm_run *run)
{
	struct apply_log log = { .ctx = ctx };
	const struct fm_trace trace = { .priv = &log, .tell = log_event };

	return (fm_run(run, program, view, &trace));
}

/* Logs a synth by `builtin`, which few clients cause. */
static void __attribute__((noinline))
log_builtin_synth(VRT_CTX, const struct fm_version *version,
    const struct fm_result *result)
{
	VSLb(ctx->vsl, SLT_VCL_Log,
	    "fastmatch: synth %u (builtin) at %s for %.*s%.*s", result->status,
	    result->rule->place, result->site.b == NULL ? 1 :
	    (int)result->site.len, result->site.b == NULL ? "-" :
	    result->site.b, (int)version->words_len, version->words);
}

/*
 * Logs the verdict of a run, once its edits have been made.  A result that has
 * a rule has a verdict.
 */
static void
log_verdict(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, const struct fm_result *result)
{
	const struct fm_rule *rule = result->rule;
	struct fm_text what = fm_text(NULL, 0);

	if (rules->log == FM_RULES_LOG_NONE)
		return;
	if (rule != NULL && rule->log_len != 0)
		what = fm_text(rule->log, rule->log_len);
	else if (rule != NULL)
		what = rule->logs[result->verdict];
	else if (result->verdict == FM_VERDICT_NONE &&
	    rules->log == FM_RULES_LOG_ALL)
		what = fm_text_of("fastmatch: no verdict");
	if (what.b != NULL)
		fm_logline_outcome(ctx->vsl, what, result->site.b == NULL ?
		    fm_text("-", 1) : result->site,
		    fm_text(version->words, version->words_len));
	else if (rule != NULL)
		log_builtin_synth(ctx, version, result);
}

/* A shard of the counters that was taken. */
struct counting {
	uint64_t		*n;		/* NULL: no memory */
	bool			own;		/* no other thread has it */
};

static inline void
count(const struct counting *counting, enum fm_counter what, uint64_t n)
{
	fm_shard_add(counting->own, &counting->n[what], n);
}

/* Counts what most requests have none of. */
static inline void
count_rare(const struct counting *counting, enum fm_counter what, uint64_t n)
{
	if (__builtin_expect(n != 0, 0))
		count(counting, what, n);
}

/* Counts a request, and by which kind of pattern its host was found. */
static void
count_lookup(const struct counting *counting, const struct fm_result *result)
{
	static const enum fm_counter hits[] = {
		[FM_HOSTTAB_EXACT] = FM_COUNT_exact_hits,
		[FM_HOSTTAB_SUFFIX] = FM_COUNT_wildcard_hits,
		[FM_HOSTTAB_PREFIX] = FM_COUNT_wildcard_hits,
		[FM_HOSTTAB_ANY] = FM_COUNT_wildcard_hits
	};

	count(counting, FM_COUNT_lookups, 1);
	if (result->how != FM_HOSTTAB_NONE) {
		count(counting, hits[result->how], 1);
	} else {
		count_rare(counting, FM_COUNT_default_hits, result->otherwise);
	}
	count_rare(counting, FM_COUNT_scans, result->tally.scans);
	count_rare(counting, FM_COUNT_confirms, result->tally.confirms);
}

/* Counts the edits, if they were made, and the verdict. */
static void
count_outcome(const struct counting *counting, const struct fm_result *result,
    bool edited)
{
	static const enum fm_counter verdicts[] = {
#define V(name, word, class, manual, phases, ends, counter, ...)	\
		[FM_VERDICT_##name] = FM_COUNT_##counter,
		FM_VERDICTS(V)
#undef V
	};

	if (edited) {
		count_rare(counting, FM_COUNT_url_rewrites,
		    result->url_changed);
		count(counting, FM_COUNT_header_edits, result->edits.n);
	}
	if (result->verdict != FM_VERDICT_NONE)
		count(counting, verdicts[result->verdict], 1);
}

/*--------------------------------------------------------------------
 * Making the edits, and giving the verdict
 */

/* Copies the body of an answer: the rules may be swapped before vcl_synth. */
static char *
body_copy(struct fm_text body)
{
	char *p = malloc(body.len > 0 ? body.len : 1);

	if (p != NULL && body.len > 0)
		memcpy(p, body.b, body.len);
	return (p);
}

/*
 * Makes all edits, and the task if VCL may read it or vcl_synth needs it; or
 * neither, and returns why.  Finds room for all of them first, as an edit can't
 * be undone.
 */
static enum fm_refusal
apply_edits(VRT_CTX, struct vmod_fastmatch_rules *rules,
    const struct fm_result *result)
{
	static const enum fm_refusal refusals[] = {
		[FM_REFUSE_UNDECIDED] = FM_REFUSED_UNDECIDED,
		[FM_REFUSE_FRAGMENT] = FM_REFUSED_FRAGMENT,
		[FM_REFUSE_CLIENT] = FM_REFUSED_CLIENT
	};
	bool keep = rules->keeps_task || fm_edit_answers(result->verdict);
	struct fm_rules_task *task = NULL;
	enum fm_refusal refused;
	char *room, *body = NULL;
	const char *header;
	size_t bytes;

	if (result->no_memory)
		return (FM_REFUSED_MEMORY);
	if (result->verdict == FM_VERDICT_REFUSE) {
		assert(refusals[result->refuse] != FM_REFUSED_NOT);
		return (refusals[result->refuse]);
	}
	refused = fm_edit_fits(ctx->http_req, result, &bytes);
	if (refused != FM_REFUSED_NOT)
		return (refused);
	if (result->verdict == FM_VERDICT_ANSWER && !result->denied) {
		body = body_copy(result->body);
		if (body == NULL)
			return (FM_REFUSED_MEMORY);
	}
	if (keep)
		task = task_write(ctx, rules, result, bytes, &room);
	if (keep ? task == NULL : !room_alone(ctx, bytes, &room)) {
		free(body);
		return (FM_REFUSED_WORKSPACE);
	}
	fm_edit_request(ctx->http_req, result, room, &header);
	if (fm_edit_answers(result->verdict) && !result->denied) {
		AN(task);
		task->header = header;
		task->body = body;
		task->body_len = result->body.len;
		task_expect(ctx, rules, task);
	}
	return (FM_REFUSED_NOT);
}

/* How .apply() ends vcl_recv: end_recv() is the last thing that it calls. */
struct ending {
	enum fm_verdict		verdict;
	enum fm_refusal		refused;
	bool			denied;		/* an ESI sub-request is */
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
    const struct fm_result *result, const struct counting *counting,
    struct ending *ending)
{
	struct fm_rules_task *task;
	enum fm_refusal refused;
	char *room;

	ending->verdict = result->verdict;
	ending->status = result->status;
	ending->denied = result->denied;
	refused = apply_edits(ctx, rules, result);
	if (refused != FM_REFUSED_NOT) {
		task = fm_rules_task(ctx, rules);
		if (task != NULL)
			task_forget(task);
		if (result->verdict != FM_VERDICT_SYNTH &&
		    (result->verdict != FM_VERDICT_ANSWER || !result->denied)) {
			ending->refused = refused;
			return;
		}
		if (rules->keeps_task)
			(void)task_write(ctx, rules, result, 0, &room);
		fm_counters_log(ctx, &rules->object.counters,
		    refused == FM_REFUSED_WORKSPACE ?
		    FM_COUNT_workspace_overflow : FM_COUNT__N, "apply",
		    fm_refused[refused].missing,
		    "the request gets its synth, and is not edited");
	}
	if (result->verdict == FM_VERDICT_SYNTH && result->text.b != NULL &&
	    !WS_Overflowed(ctx->ws))
		ending->reason = fm_ws_text(ctx->ws, result->text);
	if (counting->n != NULL)
		count_outcome(counting, result, refused == FM_REFUSED_NOT);
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

/* Runs the rules.  Leaves to end_recv() what may wait or roll back. */
static void
apply_rules(VRT_CTX, struct vmod_fastmatch_rules *rules,
    struct ending *ending)
{
	const struct fm_counters *counters = &rules->object.counters;
	const struct fm_version *version;
	const struct fm_rules_set *set;
	const struct fm_result *result;
	const VCL_BACKEND *backends;
	struct counting counting = { .n = NULL };
	struct fm_view view;
	struct fm_run run;
	unsigned shard;

	version = fm_serve_get(rules->object.live);
	AN(version);
	CAST_OBJ_NOTNULL(set, version->payload, FM_RULES_SET_MAGIC);
	fm_rules_view(ctx, fm_program_wants_client(set->program), &view);
	shard = fm_shard_take();
	if (set->hits != NULL)
		view.counters = fm_hits_shard(set->hits, shard, &view.own);
	result = rules->log == FM_RULES_LOG_ALL ?
	    run_log(ctx, set->program, &view, &run) :
	    fm_run(&run, set->program, &view, NULL);
	if (rules->shadow != NULL && fm_shadow_takes(rules->shadow_sample))
		fm_rules_shadow_run(ctx, rules, version, &view, result);
	if (counters->shards != NULL)
		counting.n = counters->shards[shard].n;
	counting.own = fm_shard_is_own(shard);
	apply_result(ctx, rules, result, &counting, ending);
	if (counting.n != NULL)
		count_lookup(&counting, result);
	fm_shard_give(shard);
	if (ending->refused == FM_REFUSED_NOT) {
		backends = version->binding;
		if (result->backend_set)
			VRT_l_req_backend_hint(ctx, backends[result->backend]);
		log_verdict(ctx, rules, version, result);
	}
	if (fm_counters_has_trouble(&result->tally) ||
	    (result->undecided | result->ignored) != 0)
		fm_counters_rules(ctx, counters, "apply", &result->tally,
		    result->undecided, result->undecided_at == NULL ? NULL :
		    result->undecided_at->place, result->ignored);
	fm_run_end(&run);
	fm_serve_put(version);
}

static void
apply_recv(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	struct ending ending = { .refused = fm_refused_before(ctx) };

	if (ending.refused == FM_REFUSED_NOT)
		apply_rules(ctx, rules, &ending);
	else
		fm_counters_add(&rules->object.counters, FM_COUNT_lookups, 1);
	if (ending.refused != FM_REFUSED_NOT)
		fm_counters_refused(ctx, &rules->object.counters, "apply",
		    ending.refused);
	end_recv(ctx, &ending);
}

/* Empties the body of an ESI include, as the page has it in its middle. */
static void
synth_refused(VRT_CTX)
{
	struct vsb *body;

	if (ctx->req->esi_level == 0)
		return;
	CAST_OBJ_NOTNULL(body, ctx->specific, VSB_MAGIC);
	VSB_clear(body);
	VRT_handling(ctx, VCL_RET_DELIVER);
}

/*
 * Writes the header and the body of a redirect or an answer.  If there is no
 * room for all of an answer, the response is a 503 without a body.
 */
static void
synth_write(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_task *task)
{
	const struct fm_counters *counters = &rules->object.counters;
	struct vsb *body;

	AN(task->header);
	if (task->verdict == FM_VERDICT_REDIRECT) {
		if (!fm_edit_answer(ctx->http_resp, task->verdict,
		    task->header))
			fm_counters_log(ctx, counters,
			    FM_COUNT_workspace_overflow, "apply",
			    "no room for more headers",
			    "the redirect has no Location");
		return;
	}
	AN(task->body);
	CAST_OBJ_NOTNULL(body, ctx->specific, VSB_MAGIC);
	VSB_clear(body);
	if (fm_edit_answer(ctx->http_resp, task->verdict, task->header) &&
	    VSB_bcat(body, task->body, (ssize_t)task->body_len) == 0)
		return;
	VSB_clear(body);
	VRT_l_resp_status(ctx, 503);
	fm_counters_log(ctx, counters, FM_COUNT_workspace_overflow, "apply",
	    "no room for more headers, or no memory",
	    "the answer is a 503 without a body");
}

/*
 * Writes the answer of the rules, and ends vcl_synth if `finish`.  Otherwise
 * builtin.vcl goes on, and puts its own page and a Retry-After in place of that
 * answer.  Does nothing for an answer from before a restart.
 */
static void
synth_answer(VRT_CTX, const struct vmod_fastmatch_rules *rules, bool finish)
{
	struct fm_rules_task *task;

	task = fm_rules_task(ctx, rules);
	if (task == NULL || !fm_edit_answers(task->verdict) ||
	    task->restarts != ctx->req->restarts)
		return;
	task->unfinished = NULL;
	if (task->status != ctx->http_resp->status)
		return;
	synth_write(ctx, rules, task);
	if (finish)
		VRT_handling(ctx, VCL_RET_DELIVER);
}

static void
apply_synth(VRT_CTX, const struct vmod_fastmatch_rules *rules, bool finish)
{
	if (fm_refused_now(ctx) != FM_REFUSED_NOT)
		synth_refused(ctx);
	else
		synth_answer(ctx, rules, finish);
}

VCL_VOID
vmod_rules_apply(VRT_CTX, struct vmod_fastmatch_rules *rules, VCL_BOOL finish)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (FM_OBJECT_MISSING(ctx, rules))
		return;
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	/* There must be no second verdict, nor one after a failure. */
	if (VRT_handled(ctx))
		return;
	if (ctx->method == VCL_MET_RECV)
		apply_recv(ctx, rules);
	else if (ctx->method == VCL_MET_SYNTH)
		apply_synth(ctx, rules, finish);
	else
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_misplaced, "apply", "it does nothing in",
		    fm_sub_name(ctx));
}

VCL_STRING
vmod_rules_refused(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	(void)rules;
	return (fm_refused[fm_refused_now(ctx)].word);
}
