/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run of rules did: in the log, and in the counters.
 */

#ifndef FM_RULES_LOG_H
#define FM_RULES_LOG_H

#include "counters.h"
#include "logline.h"
#include "rules.h"

/* Runs the rules, and logs each condition and statement. */
const struct fm_result *fm_rules_run_log(VRT_CTX, const struct fm_program *,
    const struct fm_view *, struct fm_run *);

/* Runs the rules, and logs what the object's `log` asks for. */
static inline const struct fm_result *
fm_rules_run(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_program *program, const struct fm_view *view,
    struct fm_run *run)
{
	return (rules->log == FM_RULES_LOG_ALL ?
	    fm_rules_run_log(ctx, program, view, run) :
	    fm_run(run, program, view, NULL));
}

/* Logs a synth by `builtin`, which few clients cause. */
void fm_rules_log_builtin(VRT_CTX, const struct fm_version *,
    const struct fm_result *);

/* Logs the lines that the rules have logged. */
void fm_rules_log_lines(VRT_CTX, const struct fm_result *);

/*
 * Logs the lines and the verdict of a run, once its edits have been made.  Logs
 * that a run has no verdict if `log` asks for that, or the rules are of `next`.
 * A result that has a rule has a verdict.
 */
static inline void
fm_rules_log_verdict(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, bool next,
    const struct fm_result *result)
{
	const struct fm_rule *rule = result->rule;
	struct fm_text what = fm_text(NULL, 0);

	if (__builtin_expect(result->log != NULL, 0))
		fm_rules_log_lines(ctx, result);
	if (rules->log == FM_RULES_LOG_NONE)
		return;
	if (rule != NULL && rule->log_len != 0)
		what = fm_text(rule->log, rule->log_len);
	else if (rule != NULL)
		what = rule->logs[result->verdict];
	else if (result->verdict == FM_VERDICT_NONE &&
	    (next || rules->log == FM_RULES_LOG_ALL))
		what = fm_text_of("fastmatch: no verdict");
	if (what.b != NULL)
		fm_logline_outcome(ctx->vsl, what, result->site.b == NULL ?
		    fm_text("-", 1) : result->site,
		    fm_text(version->words, version->words_len));
	else if (rule != NULL)
		fm_rules_log_builtin(ctx, version, result);
}

/* A shard of the counters that was taken. */
struct fm_counting {
	uint64_t		*n;		/* NULL: no memory */
	bool			own;		/* no other thread has it */
};

static inline void
fm_count(const struct fm_counting *counting, enum fm_counter what, uint64_t n)
{
	fm_shard_add(counting->own, &counting->n[what], n);
}

/* Counts what most requests have none of. */
static inline void
fm_count_rare(const struct fm_counting *counting, enum fm_counter what,
    uint64_t n)
{
	if (__builtin_expect(n != 0, 0))
		fm_count(counting, what, n);
}

/* Counts the edits, if they were made, and the verdict. */
static inline void
fm_count_outcome(const struct fm_counting *counting,
    const struct fm_result *result, bool edited)
{
	static const enum fm_counter verdicts[] = {
#define V(name, word, class, manual, phases, ends, counter, ...)	\
		[FM_VERDICT_##name] = FM_COUNT_##counter,
		FM_VERDICTS(V)
#undef V
	};

	if (edited) {
		fm_count_rare(counting, FM_COUNT_url_rewrites,
		    result->url_changed);
		fm_count(counting, FM_COUNT_header_edits, result->edits.n);
	}
	if (result->verdict != FM_VERDICT_NONE)
		fm_count(counting, verdicts[result->verdict], 1);
}

#endif
