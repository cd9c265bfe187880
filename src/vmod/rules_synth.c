/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in vcl_synth: writes the Location of a redirect, or the body of an
 * answer, that the rules gave in vcl_recv.
 */

#include "config.h"

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"
#include "vsb.h"

#include "compat.h"
#include "rules_edit.h"
#include "rules_phases.h"
#include "rules_refuse.h"
#include "rules_task.h"

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

	AN(task->answer.header);
	if (task->answer.verdict == FM_VERDICT_REDIRECT) {
		if (!fm_edit_answer(ctx->http_resp, task->answer.verdict,
		    task->answer.header))
			fm_counters_log(ctx, counters,
			    FM_COUNT_workspace_overflow, "apply",
			    "no room for more headers",
			    "the redirect has no Location");
		return;
	}
	AN(task->answer.body);
	CAST_OBJ_NOTNULL(body, ctx->specific, VSB_MAGIC);
	VSB_clear(body);
	if (fm_edit_answer(ctx->http_resp, task->answer.verdict, task->answer.header) &&
	    VSB_bcat(body, task->answer.body, (ssize_t)task->answer.body_len) == 0)
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
	if (task == NULL || !fm_edit_answers(task->answer.verdict) ||
	    task->answer.restarts != ctx->req->restarts)
		return;
	task->answer.unfinished = NULL;
	if (task->answer.status != ctx->http_resp->status)
		return;
	synth_write(ctx, rules, task);
	if (finish)
		VRT_handling(ctx, VCL_RET_DELIVER);
}

void
fm_rules_synth(VRT_CTX, const struct vmod_fastmatch_rules *rules, bool finish)
{
	if (fm_refused_now(ctx) != FM_REFUSED_NOT)
		synth_refused(ctx);
	else
		synth_answer(ctx, rules, finish);
}
