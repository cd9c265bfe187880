/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a task remembers of .apply(), in its workspace (rules_task.h).
 */

#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "rules_edit.h"
#include "rules_task.h"
#include "task.h"
#include "zero.h"

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
	free(task->answer.body);
	task->answer.body = NULL;
	rules = task->answer.unfinished;
	if (rules == NULL)
		return;
	CHECK_OBJ(rules, FM_RULES_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->req, REQ_MAGIC);
	if (task->answer.restarts != ctx->req->restarts)
		return;
	counters = &rules->object.counters;
	(void)snprintf(outcome, sizeof outcome,
	    "%s: add to the VCL: sub vcl_synth { %s.apply(); }",
	    task->answer.verdict == FM_VERDICT_REDIRECT ?
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

void
fm_task_forget(struct fm_rules_task *task)
{
	if (task->answer.body != NULL)
		free(task->answer.body);
	fm_zero(task, offsetof(struct fm_rules_task, priv));
	task->magic = FM_RULES_TASK_MAGIC;
}

/*
 * After a restart the room is a new one: the strings that .ruleset() and
 * .rule() gave before stay as they are.
 */
struct fm_rules_task *
fm_task_get(VRT_CTX, const struct vmod_fastmatch_rules *rules, size_t bytes,
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
			fm_zero(task, sizeof *task);
			task->magic = FM_RULES_TASK_MAGIC;
			task->priv = priv;
			*room = (char *)(task + 1);
			priv->priv = task;
		}
	}
	if (*room == NULL && bytes > 0) {
		*room = fm_ws_alloc(ctx->ws, bytes);
		if (*room == NULL)
			return (NULL);
	}
	return (task);
}

static const char * __attribute__((noinline))
task_word(char **room, struct fm_text text)
{
	if (text.b == NULL)
		return (NULL);
	AN(*room);
	return (fm_edit_put(room, text));
}

static size_t
word_bytes(struct fm_text text)
{
	return (text.b == NULL ? 0 : text.len + 1);
}

/*
 * Words are copied, as the rules may be swapped.  The host mostly is a part of
 * the request that ends in NUL, and stays valid as long as the task.  Otherwise
 * it is copied here, where a lack of room still refuses the request: VCL may
 * hash what .host() returns, so that must not be missing.
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
	task = fm_task_get(ctx, rules, bytes, room);
	if (task == NULL)
		return (NULL);
	fm_task_forget(task);
	task->verdict = result->verdict;
	task->undecided = result->undecided > 0;
	task->host = host.b == NULL ? result->host.b : task_word(room, host);
	task->ruleset = task_word(room, result->site);
	task->rule = task_word(room, rule);
	return (task);
}

struct fm_rules_task *
fm_task_write(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_result *result, bool is_told, size_t bytes, char **room)
{
	struct fm_rules_task *task;

	if (is_told)
		return (task_write(ctx, rules, result, bytes, room));
	task = fm_task_get(ctx, rules, bytes, room);
	if (task != NULL)
		fm_task_forget(task);
	return (task);
}

char *
fm_task_body(struct fm_text body)
{
	char *p = malloc(body.len > 0 ? body.len : 1);

	if (p != NULL && body.len > 0)
		memcpy(p, body.b, body.len);
	return (p);
}

void
fm_task_answer(VRT_CTX, struct vmod_fastmatch_rules *rules,
    struct fm_rules_task *task, const struct fm_result *result,
    const char *header, char *body)
{
	task->priv->methods = task_methods;
	if (task->answer.body != NULL)
		free(task->answer.body);
	task->answer.verdict = result->verdict;
	task->answer.status = result->status;
	task->answer.restarts = ctx->req->restarts;
	task->answer.header = header;
	task->answer.body = body;
	task->answer.body_len = result->body.len;
	task->answer.unfinished = rules;
}
