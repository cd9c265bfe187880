/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the rules for a phase on a response, and edits that (rules_phases.h).
 */

#include "config.h"

#include <stdlib.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "rules_edit.h"
#include "rules_phases.h"
#include "rules_task.h"
#include "rules_view.h"
#include "serve.h"

void
fm_phased_begin(struct fm_phased *phased, VRT_CTX,
    const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, enum fm_phase phase)
{
	AN(version);
	phased->ctx = ctx;
	phased->rules = rules;
	phased->version = version;
	CAST_OBJ_NOTNULL(phased->set, version->payload, FM_RULES_SET_MAGIC);
	phased->program = phase == FM_PHASE_RESPONSE ? phased->set->response :
	    phased->set->delivery;
	phased->message = ctx->bo != NULL ? ctx->http_beresp : ctx->http_resp;
	phased->result = NULL;
	phased->more = NULL;
}

static void
run_end(struct fm_phased *phased)
{
	if (phased->result != NULL) {
		fm_run_end(&phased->run);
		fm_shard_give(phased->shard);
	}
	if (phased->more != NULL)
		free(phased->more);
	phased->more = NULL;
	phased->result = NULL;
}

void
fm_phased_end(struct fm_phased *phased)
{
	run_end(phased);
	fm_serve_put(phased->version);
}

/* Makes the view.  Returns false if there is no memory. */
static bool
view_make(struct fm_phased *phased, bool answered)
{
	size_t room = fm_rules_view_room(phased->ctx);

	if (phased->ctx->bo != NULL)
		fm_rules_view_stored(phased->ctx, &phased->response);
	else
		fm_rules_view_delivered(phased->ctx, &phased->response);
	if (room > FM_PHASED_ROOM) {
		phased->more = malloc(room * sizeof *phased->more);
		if (phased->more == NULL)
			return (false);
	}
	fm_rules_view_response(phased->ctx, phased->program,
	    &phased->response,
	    phased->more == NULL ? phased->room : phased->more, &phased->view);
	phased->view.answered = answered;
	return (true);
}

bool
fm_phased_is_idle(struct fm_phased *phased)
{
	const struct fm_result *result;
	bool idle;

	if (!view_make(phased, false))
		return (false);
	result = fm_run_host(&phased->run, phased->program, &phased->view);
	idle = !result->no_memory &&
	    fm_program_is_idle(phased->program, result->block);
	fm_run_end(&phased->run);
	run_end(phased);
	return (idle);
}

/* Counts what the run has cost, and logs its trouble. */
static void
run_count(const struct fm_phased *phased)
{
	const struct fm_counters *counters = &phased->rules->object.counters;
	const struct fm_result *result = phased->result;

	if (phased->counting.n != NULL) {
		fm_count_rare(&phased->counting, FM_COUNT_scans,
		    result->tally.scans);
		fm_count_rare(&phased->counting, FM_COUNT_confirms,
		    result->tally.confirms);
	}
	if (fm_counters_has_trouble(&result->tally) || result->undecided != 0)
		fm_counters_rules(phased->ctx, counters, "apply",
		    &result->tally, result->undecided,
		    result->undecided_at == NULL ? NULL :
		    result->undecided_at->place, 0);
}

enum fm_refusal
fm_phased_run(struct fm_phased *phased, bool answered)
{
	const struct fm_counters *counters = &phased->rules->object.counters;

	run_end(phased);
	AN(phased->program);
	if (!view_make(phased, answered))
		return (FM_REFUSED_MEMORY);
	phased->shard = fm_shard_take();
	phased->counting.own = fm_shard_is_own(phased->shard);
	phased->counting.n = counters->shards == NULL ? NULL :
	    counters->shards[phased->shard].n;
	if (phased->set->hits != NULL)
		phased->view.counters = fm_hits_shard(phased->set->hits,
		    phased->shard, &phased->view.own);
	phased->result = fm_rules_run(phased->ctx, phased->rules,
	    phased->program, &phased->view, &phased->run);
	run_count(phased);
	return (fm_edit_refused(phased->result));
}

enum fm_refusal
fm_phased_edit(struct fm_phased *phased, unsigned spare, bool always)
{
	const struct fm_edits *edits = &phased->result->edits;
	const struct http *hp = phased->message;
	char *room;

	if ((always || edits->nadded > edits->nremoved) && hp->nhd -
	    edits->nremoved + edits->nadded + spare > hp->shd)
		return (FM_REFUSED_SLOTS);
	if (!fm_task_room(phased->ctx, edits->lines, &room))
		return (FM_REFUSED_WORKSPACE);
	if (edits->n > 0)
		fm_edit_response(phased->message, phased->result, room);
	if (phased->counting.n != NULL)
		fm_count(&phased->counting, FM_COUNT_header_edits, edits->n);
	return (FM_REFUSED_NOT);
}

void
fm_phased_tell(const struct fm_phased *phased)
{
	if (phased->counting.n != NULL)
		fm_count_outcome(&phased->counting, phased->result, false);
	fm_rules_log_verdict(phased->ctx, phased->rules, phased->version,
	    phased->result);
}
