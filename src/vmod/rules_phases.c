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
#include "rules_mark.h"
#include "rules_phases.h"
#include "rules_task.h"
#include "rules_view.h"
#include "serve.h"

/*--------------------------------------------------------------------
 * The host of a request
 */

/* The request that this thread has now. */
static __thread struct {
	const struct vmod_fastmatch_rules *rules;
	const struct req	*req;
	uint64_t		vxid;
	uint64_t		set;		/* its number */
	struct fm_phased_host	host;
} known __attribute__((tls_model("initial-exec")));

void
fm_rules_know(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, const struct fm_result *result)
{
	const struct fm_rules_set *set = version->payload;

	if (result->no_memory)
		return;
	known.rules = rules;
	known.req = ctx->req;
	known.vxid = VXID(ctx->req->vsl->wid);
	known.set = version->set->number;
	known.host.number = result->pattern;
	known.host.idle = set->delivery == NULL ||
	    fm_program_is_idle(set->delivery, result->block);
}

const struct fm_phased_host *
fm_rules_known(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version)
{
	return (known.rules == rules && known.req == ctx->req &&
	    known.vxid == VXID(ctx->req->vsl->wid) &&
	    known.set == version->set->number ? &known.host : NULL);
}

static enum fm_hits_response
response_from(VRT_CTX)
{
	switch (fm_rules_view_cache(ctx)) {
	case FM_CACHE_OWN:
		return (FM_HITS_OWN);
	case FM_CACHE_PASS:
		return (FM_HITS_PASS);
	case FM_CACHE_MISS:
		return (FM_HITS_MISS);
	default:
		return (FM_HITS_HIT);
	}
}

void
fm_rules_count(VRT_CTX, const struct fm_rules_set *set, unsigned shard,
    uint32_t host)
{
	if (host != UINT32_MAX && set->hits != NULL)
		fm_hits_count(set->hits, shard, host, response_from(ctx),
		    ctx->http_resp->status);
}

/*--------------------------------------------------------------------
 * Running the rules
 */

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
	phased->host.number = UINT32_MAX;
	phased->host.idle = phased->program == NULL;
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
	phased->view.host = fm_mark_host(phased->ctx, phased->rules);
	phased->view.answered = answered;
	return (true);
}

void
fm_phased_find(struct fm_phased *phased)
{
	const struct fm_phased_host *host;
	const struct fm_result *result;

	host = fm_rules_known(phased->ctx, phased->rules, phased->version);
	if (host == NULL) {
		fm_rules_view(phased->ctx, false, &phased->view);
		result = fm_run_host(&phased->run, phased->set->program,
		    &phased->view);
		fm_rules_know(phased->ctx, phased->rules, phased->version,
		    result);
		fm_run_end(&phased->run);
		host = fm_rules_known(phased->ctx, phased->rules,
		    phased->version);
	}
	if (host != NULL)
		phased->host = *host;
}

void
fm_phased_count(const struct fm_phased *phased)
{
	unsigned shard = phased->shard;

	if (phased->result == NULL)
		shard = fm_shard_take();
	fm_rules_count(phased->ctx, phased->set, shard, phased->host.number);
	if (phased->result == NULL)
		fm_shard_give(shard);
}

bool
fm_phased_host(struct fm_phased *phased, uint32_t *block)
{
	const struct fm_result *result;
	bool found;

	if (!view_make(phased, false))
		return (false);
	result = fm_run_host(&phased->run, phased->program, &phased->view);
	found = !result->no_memory;
	*block = result->block;
	fm_run_end(&phased->run);
	run_end(phased);
	return (found);
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
	if (!phased->result->no_memory)
		phased->host.number = phased->result->pattern;
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
