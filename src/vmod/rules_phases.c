/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the rules for a phase on a message, and edits that (rules_phases.h).
 */

#include "config.h"

#include <stdlib.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "field.h"
#include "rules_edit.h"
#include "rules_mark.h"
#include "rules_memory.h"
#include "rules_phases.h"
#include "rules_shadow.h"
#include "rules_task.h"
#include "rules_view.h"
#include "serve.h"

/*--------------------------------------------------------------------
 * The host of a request
 */

__thread struct fm_rules_memory fm_rules_memory_self;

void
fm_rules_know(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, const struct fm_result *result)
{
	const struct fm_rules_set *set = version->payload;
	struct fm_rules_memory *memory = fm_rules_memory(ctx);
	struct fm_text name = result->host;

	memory->rules = NULL;
	if (result->no_memory)
		return;
	memory->idle = set->delivery == NULL ||
	    fm_program_is_idle(set->delivery, result->block);
	memory->keyed = fm_rules_keys(set, result);
	memory->looked_up = rules->shadow != NULL && fm_rules_looks_up(result);
	/* Only rules ask for the name. */
	if (memory->idle && !memory->keyed && rules->shadow == NULL)
		name = fm_text(NULL, 0);
	else if (name.len > sizeof memory->name)
		return;
	memory->rules = rules;
	memory->set = version->set->number;
	memory->host.hit.how = result->how;
	memory->host.hit.pattern = result->pattern;
	memory->host.hit.entry = result->how == FM_HOSTTAB_NONE ? UINT32_MAX :
	    result->block;
	memory->host.block = result->block;
	memory->host.name = fm_text(NULL, 0);
	if (name.b != NULL) {
		memcpy(memory->name, name.b, name.len);
		memory->host.name = fm_text(memory->name, name.len);
	}
}

static inline enum fm_hits_response
response_from(unsigned cache)
{
	if ((cache & FM_CACHE_HIT) != 0)
		return (FM_HITS_HIT);
	if ((cache & FM_CACHE_MISS) != 0)
		return (FM_HITS_MISS);
	return ((cache & FM_CACHE_PASS) != 0 ? FM_HITS_PASS : FM_HITS_OWN);
}

void
fm_rules_count(VRT_CTX, const struct fm_rules_set *set, unsigned shard,
    uint32_t host, unsigned cache)
{
	if (set->hits != NULL)
		fm_hits_count(set->hits, shard, host, response_from(cache),
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
	phased->phase = phase;
	phased->program = phase == FM_PHASE_KEY ? phased->set->key :
	    phase == FM_PHASE_FETCH ? phased->set->fetch :
	    phase == FM_PHASE_RESPONSE ? phased->set->response :
	    phased->set->delivery;
	phased->message = phase == FM_PHASE_KEY ? ctx->http_req :
	    phase == FM_PHASE_FETCH ? ctx->http_bereq :
	    ctx->bo != NULL ? ctx->http_beresp : ctx->http_resp;
	phased->result = NULL;
	phased->shadowed = false;
	phased->more = NULL;
	phased->host = NULL;
}

static void
run_end(struct fm_phased *phased)
{
	fm_run_end(&phased->run);
	fm_shard_give(phased->shard);
	if (phased->more != NULL)
		free(phased->more);
	phased->more = NULL;
	phased->result = NULL;
}

void
fm_phased_end(struct fm_phased *phased)
{
	if (phased->result != NULL)
		run_end(phased);
	fm_serve_put(phased->version);
}

/* Adds the request's fields to the view.  Returns false: no memory. */
static bool __attribute__((noinline))
view_request(struct fm_phased *phased)
{
	size_t room = phased->view.nfields + fm_field_http(phased->ctx)->nhd;

	if (room > FM_PHASED_ROOM) {
		phased->more = malloc(room * sizeof *phased->more);
		if (phased->more == NULL)
			return (false);
	}
	fm_rules_view_request(phased->ctx,
	    phased->more == NULL ? phased->room : phased->more, &phased->view);
	return (true);
}

/*
 * Adds why the response is as it is.  What has no mark from
 * vcl_backend_response, although each path there makes one, was not fetched.
 */
static void
view_cause(struct fm_phased *phased, const struct fm_rules_task *task)
{
	const struct fm_vcl_call *call =
	    &phased->rules->calls.subs[FM_VCL_SUB_BACKEND_RESPONSE];
	struct fm_cause *cause = &phased->cause;

	phased->response.cause = cause;
	fm_mark_why(phased->ctx, cause);
	cause->passed = (phased->ctx->req->objcore->flags & OC_F_PRIVATE) != 0;
	cause->passed_by = fm_text_of(task == NULL || task->verdict !=
	    FM_VERDICT_PASS ? NULL : task->rule);
	cause->failed = (phased->response.flags & FM_CACHE_HIT) == 0 &&
	    cause->status == 0 && call->reach == FM_VCL_ALWAYS;
}

/* Adds the rule that decided the request. */
static void __attribute__((noinline))
view_rule(struct fm_phased *phased)
{
	const struct fm_rules_task *task = fm_rules_task(phased->ctx,
	    phased->rules);

	if (task != NULL && task->rule != NULL)
		phased->response.rule = fm_text_of(task->rule);
	if (phased->set->tells_cache && phased->ctx->method == VCL_MET_DELIVER)
		view_cause(phased, task);
}

/* Makes the view of a request.  Returns false if there is no memory. */
static bool __attribute__((noinline))
view_key(struct fm_phased *phased)
{
	struct fm_view *view = &phased->view;

	fm_rules_view(phased->ctx, fm_program_wants(phased->program), view);
	view->host = phased->host;
	if (view->nfields > FM_PHASED_ROOM) {
		phased->more = malloc(view->nfields * sizeof *phased->more);
		if (phased->more == NULL)
			return (false);
	}
	fm_key_view(view, phased->more == NULL ? phased->room : phased->more);
	return (true);
}

static inline bool
view_make(struct fm_phased *phased, bool answered)
{
	if (phased->phase == FM_PHASE_KEY)
		return (view_key(phased));
	if (phased->phase == FM_PHASE_FETCH)
		fm_rules_view_sent(phased->ctx, &phased->response);
	else if (phased->ctx->bo != NULL)
		fm_rules_view_stored(phased->ctx, &phased->response);
	else
		fm_rules_view_delivered(phased->ctx, &phased->response);
	if (__builtin_expect(phased->set->names_rule, 0) &&
	    phased->ctx->bo == NULL)
		view_rule(phased);
	fm_rules_view_response(phased->ctx, phased->program, phased->message,
	    &phased->view);
	phased->view.response = &phased->response;
	phased->view.host = phased->host;
	phased->view.answered = answered;
	return (phased->phase == FM_PHASE_FETCH ||
	    !fm_program_reads_request(phased->program) ||
	    view_request(phased));
}

bool
fm_phased_view(struct fm_phased *phased, bool answered)
{
	return (view_make(phased, answered));
}

/*
 * Looks the host up by what is known of it: a name, a mark, or the Host.  In a
 * fetch that is the Host which it began with, as `fetch` may set another one.
 */
static void __attribute__((noinline))
host_look_up(struct fm_phased *phased, struct fm_text name)
{
	const struct fm_program *program = phased->set->program;
	const struct http *request = phased->ctx->bo != NULL ?
	    phased->ctx->bo->bereq0 : fm_field_http(phased->ctx);

	if (name.b == NULL)
		name = fm_mark_host(phased->ctx, phased->rules);
	if (name.b == NULL)
		fm_rules_view_host(request, program, phased->name,
		    &phased->found);
	else
		fm_run_host(program, name, fm_text(NULL, 0), phased->name,
		    &phased->found);
	phased->host = &phased->found;
}

/* Returns the name that vcl_recv has found, maybe by rules before a reload. */
static struct fm_text
name_kept(const struct fm_phased *phased)
{
	const struct fm_rules_memory *memory = NULL;

	if (phased->ctx->req != NULL)
		memory = fm_rules_memory(phased->ctx);
	return (memory == NULL || memory->rules != phased->rules ?
	    fm_text(NULL, 0) : memory->host.name);
}

void
fm_phased_look_up(struct fm_phased *phased)
{
	host_look_up(phased, name_kept(phased));
}

void
fm_phased_find(struct fm_phased *phased)
{
	const struct fm_rules_memory *memory = NULL;

	if (phased->ctx->req != NULL)
		memory = fm_rules_known(phased->ctx, phased->rules,
		    phased->version);
	/* The thread does not remember what a wildcard stands for. */
	if (memory != NULL && memory->host.hit.how <= FM_HOSTTAB_EXACT)
		phased->host = &memory->host;
	else
		fm_phased_look_up(phased);
}

void
fm_phased_count(const struct fm_phased *phased)
{
	unsigned shard = phased->shard, cache = phased->response.flags;

	if (phased->result == NULL) {
		shard = fm_shard_take();
		cache = fm_rules_view_cache(phased->ctx);
	}
	fm_rules_count(phased->ctx, phased->set, shard,
	    phased->host->hit.pattern, cache);
	if (phased->result == NULL)
		fm_shard_give(shard);
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

	if (phased->result != NULL)
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
	if (__builtin_expect(phased->shadowed, 0))
		fm_rules_shadow_later(phased, answered);
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
	    false, phased->result);
}
