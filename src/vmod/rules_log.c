/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What .apply() writes to the log (rules_log.h).
 */

#include "config.h"

#include <string.h>

#include "cache/cache.h"

#include "logline.h"
#include "rules_log.h"

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

const struct fm_result *
fm_rules_run_log(VRT_CTX, const struct fm_program *program,
    const struct fm_view *view, struct fm_run *run)
{
	struct apply_log log = { .ctx = ctx };
	const struct fm_trace trace = { .priv = &log, .tell = log_event };

	return (fm_run(run, program, view, &trace));
}

void
fm_rules_log_lines(VRT_CTX, const struct fm_result *result)
{
	const struct fm_log_line *line;

	for (line = result->log; line != NULL; line = line->next)
		fm_logline(ctx->vsl, SLT_VCL_Log, line->text.b,
		    line->text.len);
}

void
fm_rules_log_builtin(VRT_CTX, const struct fm_version *version,
    const struct fm_result *result)
{
	VSLb(ctx->vsl, SLT_VCL_Log,
	    "fastmatch: synth %u (builtin) at %s for %.*s%.*s", result->status,
	    result->rule->place, result->site.b == NULL ? 1 :
	    (int)result->site.len, result->site.b == NULL ? "-" :
	    result->site.b, (int)version->words_len, version->words);
}
