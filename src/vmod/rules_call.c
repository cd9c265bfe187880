/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The method .sub() of the object `rules`, and the calls of such subs
 * (rules_call.h).
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"

#include "compat.h"
#include "grow.h"
#include "pervcl.h"
#include "rules_ban.h"
#include "rules_beside.h"
#include "rules_call.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

/*--------------------------------------------------------------------
 * Names
 */

/*
 * The subs of VCL that .apply() calls subs from.  Those of deliveries are
 * called from vcl_synth as well, if they may be.
 */
static const struct {
	unsigned		method;
	enum fm_phase		phase;
	const char		*name;		/* NULL: it may, but need not */
} callers[] = {
	{ VCL_MET_RECV, FM_PHASE_REQUEST, "vcl_recv" },
	{ VCL_MET_BACKEND_RESPONSE, FM_PHASE_RESPONSE,
	    "vcl_backend_response" },
	{ VCL_MET_DELIVER, FM_PHASE_DELIVERY, "vcl_deliver" },
	{ VCL_MET_SYNTH, FM_PHASE_DELIVERY, NULL }
};
#define CALLERS	(sizeof callers / sizeof callers[0])

static struct fm_rules_sub *
sub_find(const struct vmod_fastmatch_rules *rules, const char *name)
{
	size_t n;

	for (n = 0; n < rules->nsubs; n++)
		if (strcmp(rules->subs[n].name, name) == 0)
			return (&rules->subs[n]);
	return (NULL);
}

/* Returns false, with errors in the diag, if a phase may not call the sub. */
static bool
sub_fits(const struct fm_rules_sub *sub, unsigned phases,
    const struct fm_place *place, struct fm_diag *diag)
{
	bool fits = true;
	size_t i;

	for (i = 0; i < CALLERS; i++) {
		if (callers[i].name == NULL ||
		    !fm_phase_has(phases, callers[i].phase) ||
		    (sub->methods & callers[i].method) != 0)
			continue;
		fm_diag_error(diag, place, "sub '%s' can't be called from "
		    "%s: it has a variable or a return that is not "
		    "allowed there: give .sub() another one", sub->name,
		    callers[i].name);
		fits = false;
	}
	return (fits);
}

/* Goes on after an error, so that all of them are reported. */
int
fm_rules_subs(struct vmod_fastmatch_rules *rules,
    const struct fm_program *program, const struct fm_rules_sub **subs,
    struct fm_diag *diag)
{
	struct fm_rules_sub *sub;
	struct fm_place place;
	const char *name;
	unsigned phases;
	uint32_t n;
	int failed = 0;

	for (n = 0; n < fm_program_ncalls(program); n++) {
		name = fm_program_call(program, n, &place, &phases);
		sub = sub_find(rules, name);
		if (sub == NULL)
			fm_diag_error(diag, &place, "unknown sub '%s': say in"
			    " vcl_init which one it is, with %s.sub(\"%s\","
			    " ...)", name, rules->object.name, name);
		if (sub == NULL || !sub_fits(sub, phases, &place, diag)) {
			failed = -1;
			continue;
		}
		sub->used = true;
		if (subs != NULL)
			subs[n] = sub;
	}
	return (failed);
}

void
fm_rules_subs_unused(const struct vmod_fastmatch_rules *rules,
    struct fm_diag *diag)
{
	size_t n;

	for (n = 0; n < rules->nsubs; n++)
		if (!rules->subs[n].used &&
		    !fm_rules_beside_calls(rules, rules->subs[n].name))
			fm_diag_warning(diag, &rules->subs[n].at, "no rule"
			    " calls the sub '%s'", rules->subs[n].name);
}

/* Adds a sub.  Returns 0, or -1 if there is no memory. */
static int
sub_add(VRT_CTX, struct vmod_fastmatch_rules *rules, const char *name,
    VCL_SUB sub, const struct fm_place *place)
{
	struct fm_rules_sub *added;
	size_t i;

	added = fm_grow_room(rules->subs, &rules->subs_room, rules->nsubs, 1,
	    sizeof *added);
	if (added == NULL)
		return (-1);
	rules->subs = added;
	added += rules->nsubs;
	*added = (struct fm_rules_sub){ .at = *place, .sub = sub };
	added->name = fm_arena_add(&rules->object.arena, fm_text_of(name));
	if (added->name == NULL || fm_vcl_add_sub(rules->object.vcl, sub) != 0)
		return (-1);
	for (i = 0; i < CALLERS; i++)
		if (fm_value_sub_may(ctx, sub, callers[i].method))
			added->methods |= callers[i].method;
	rules->nsubs++;
	return (0);
}

/* Returns false, with an error in the diag, if a sub may not be added. */
static bool
sub_may(const struct vmod_fastmatch_rules *rules, const char *name,
    VCL_SUB sub, const struct fm_place *place, struct fm_diag *diag)
{
	const struct fm_rules_sub *before;
	char first[FM_PLACE_LEN];

	if (name == NULL)
		fm_diag_error(diag, place, "the name is NULL");
	else if (*name == '\0')
		fm_diag_error(diag, place, "the name is empty");
	else if ((before = sub_find(rules, name)) != NULL)
		fm_diag_error(diag, place, "sub '%s' named twice: first at %s",
		    name, fm_place_print(&before->at, first));
	else if (sub == NULL)
		fm_diag_error(diag, place, "sub '%s' is NULL: the rules can't "
		    "call it", name);
	else
		return (true);
	return (false);
}

VCL_VOID
vmod_rules_sub(VRT_CTX, struct vmod_fastmatch_rules *rules, VCL_STRING name,
    VCL_SUB sub)
{
	struct fm_diag *diag;
	struct fm_place place;
	int failed = -1;

	if (!fm_object_begin(ctx, (const void *)rules, "sub", &diag))
		return;
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	place = fm_object_place(&rules->object, "sub", ++rules->sub_calls);
	if (sub_may(rules, name, sub, &place, diag))
		failed = sub_add(ctx, rules, name, sub, &place);
	fm_object_end(ctx, &rules->object, &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * Calls
 */

/* The objects whose subs this thread is calling: the innermost is first. */
struct calling {
	const struct vmod_fastmatch_rules *rules;
	const struct calling	*outer;
};
static __thread const struct calling *calling
    __attribute__((tls_model("initial-exec")));

void
fm_rules_due(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_rules_due *due, const struct fm_version *version,
    const struct fm_result *result)
{
	const struct fm_rules_bound *bound = version->binding;
	unsigned n;

	for (n = 0; n < result->ncalls; n++)
		due->subs[n] = bound->subs[result->calls[n].sub];
	due->nsubs = result->ncalls;
	due->nbans = 0;
	if (result->nbans > 0)
		due->bans = fm_rules_bans_build(ctx, rules, result,
		    &due->nbans);
	due->n = due->nsubs + due->nbans;
}

static void
call_all(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_due *due)
{
	const struct calling own = { rules, calling };
	unsigned n;

	calling = &own;
	for (n = 0; n < due->nsubs && !VRT_handled(ctx); n++)
		if ((due->subs[n]->methods & ctx->method) != 0)
			VRT_call(ctx, due->subs[n]->sub);
	calling = own.outer;
}

/*
 * In vcl_recv a sub may roll the request back, which undoes the edits of the
 * rules and frees the reason of their synth.  A mark in the task tells of that.
 */
static void
subs_call(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_due *due)
{
	static const char mark[1];
	bool marked = ctx->method == VCL_MET_RECV;

	if (marked && fm_task_make(ctx, mark, 0) == NULL) {
		VRT_fail(ctx, "fastmatch: %s: no room to call a sub",
		    rules->object.name);
		return;
	}
	call_all(ctx, rules, due);
	if (marked && !VRT_handled(ctx) &&
	    VRT_priv_task_get(ctx, mark) == NULL)
		VRT_fail(ctx, "fastmatch: %s: a sub that the rules call has "
		    "rolled back what they did", rules->object.name);
}

bool
fm_rules_call(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_rules_due *due)
{
	if (due->n > 0 && due->nsubs > 0)
		subs_call(ctx, rules, due);
	if (due->n > 0 && due->nbans > 0)
		fm_rules_bans_end(ctx, rules, due->bans, due->nbans,
		    !VRT_handled(ctx));
	return (!VRT_handled(ctx));
}

bool
fm_rules_called_back(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	const struct calling *at = calling;

	while (at != NULL && at->rules != rules)
		at = at->outer;
	if (at == NULL)
		return (false);
	fm_counters_log(ctx, &rules->object.counters, FM_COUNT_misplaced,
	    "apply", "a sub that its rules call has called it",
	    "the request fails");
	/* A failure of vcl_synth would be a 500. */
	if (ctx->method == VCL_MET_SYNTH) {
		VRT_l_resp_status(ctx, 503);
		VRT_handling(ctx, VCL_RET_DELIVER);
		return (true);
	}
	VRT_fail(ctx, "fastmatch: %s.apply() must not be called by a sub that "
	    "its rules call", rules->object.name);
	return (true);
}
