/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL object `rules`: makes it, names its backends, and answers the methods
 * that tell what the last .apply() decided.
 */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "caret.h"
#include "compat.h"
#include "grow.h"
#include "pervcl.h"
#include "process.h"
#include "rules_beside.h"
#include "rules_call.h"
#include "rules_edit.h"
#include "rules_mark.h"
#include "rules_next.h"
#include "rules_shadow.h"
#include "shadow.h"
#include "task.h"
#include "vcc_fastmatch_if.h"
#include "vclsource.h"

/*--------------------------------------------------------------------
 * Backends.  VCL names them in vcl_init, after the rules were read, and a
 * reload may bring rules with other names.  So the names in a set of rules are
 * looked up when a version of that set is made.
 */

static struct fm_rules_backend *
backend_find(const struct vmod_fastmatch_rules *rules, const char *name)
{
	size_t n;

	for (n = 0; n < rules->nnamed; n++)
		if (strcmp(rules->named[n].name, name) == 0)
			return (&rules->named[n]);
	return (NULL);
}

/* Goes on after an unknown name, so that all of them are reported. */
int
fm_rules_resolve(struct vmod_fastmatch_rules *rules,
    const struct fm_program *program, VCL_BACKEND *backends,
    struct fm_diag *diag)
{
	struct fm_rules_backend *named;
	struct fm_place place;
	const char *name;
	uint32_t n;
	int failed = 0;

	for (n = 0; n < fm_program_nbackends(program); n++) {
		name = fm_program_backend(program, n, &place);
		named = backend_find(rules, name);
		if (named == NULL) {
			fm_diag_error(diag, &place, "unknown backend '%s': say"
			    " in vcl_init which one it is, with"
			    " %s.backend(\"%s\", ...)", name,
			    rules->object.name, name);
			failed = -1;
			continue;
		}
		named->used = true;
		if (backends != NULL)
			backends[n] = named->backend;
	}
	return (failed);
}

static void
backends_tell_unused(struct vmod_fastmatch_rules *rules, struct fm_diag *diag)
{
	size_t n;

	for (n = 0; n < rules->nnamed; n++)
		if (!rules->named[n].used &&
		    !fm_rules_beside_names(rules, rules->named[n].name))
			fm_diag_warning(diag, &rules->named[n].at, "no rule"
			    " names the backend '%s'", rules->named[n].name);
}

bool
fm_rules_called(const struct vmod_fastmatch_rules *rules,
    const struct fm_program *program, struct fm_diag *diag)
{
	unsigned subs = fm_calls_needed(
	    fm_program_phase(program, FM_PHASE_KEY) != NULL,
	    fm_program_phase(program, FM_PHASE_FETCH) != NULL,
	    fm_program_phase(program, FM_PHASE_RESPONSE) != NULL,
	    fm_program_phase(program, FM_PHASE_DELIVERY) != NULL,
	    fm_program_acts_in_synth(program), fm_program_sets_host(program),
	    fm_program_asks_own(program));

	if (fm_program_wants_cause(program))
		fm_calls_advise(&rules->calls, fm_text_of(rules->object.name),
		    diag);
	return (subs == 0 || fm_calls_missing(&rules->calls,
	    fm_text_of(rules->object.name), subs, diag));
}

/* Makes the binding of a version. */
int
fm_rules_bind(void *priv, const struct fm_set *set, void **binding,
    struct fm_diag *diag)
{
	struct vmod_fastmatch_rules *rules;
	const struct fm_rules_set *payload;
	struct fm_rules_bound *bound;
	uint32_t n, ncalls;

	CAST_OBJ_NOTNULL(rules, priv, FM_RULES_MAGIC);
	CAST_OBJ_NOTNULL(payload, set->payload, FM_RULES_SET_MAGIC);
	n = fm_program_nbackends(payload->program);
	ncalls = fm_program_ncalls(payload->program);
	bound = calloc(1, sizeof *bound + n * sizeof *bound->backends +
	    ncalls * sizeof *bound->subs);
	if (bound == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	bound->subs = (void *)(bound->backends + n);
	if ((fm_rules_resolve(rules, payload->program, bound->backends,
	    diag) | fm_rules_subs(rules, payload->program, bound->subs,
	    diag)) != 0 || !fm_rules_called(rules, payload->program, diag)) {
		free(bound);
		fm_caret_attach(diag, fm_text(NULL, 0));
		return (-1);
	}
	if (!rules->told) {
		backends_tell_unused(rules, diag);
		fm_rules_subs_unused(rules, diag);
	}
	rules->told = true;
	if (rules->shadow != NULL)
		fm_shadow_begin(rules->shadow, FM_OLD, set->digest);
	/* Without memory, the responses are not known. */
	if (payload->hits != NULL && fm_rules_delivers(rules))
		(void)fm_hits_want_responses(payload->hits);
	*binding = bound;
	return (0);
}

/* Adds a backend.  Returns 0, or -1 if there is no memory. */
static int
backend_add(struct vmod_fastmatch_rules *rules, const char *name,
    VCL_BACKEND backend, const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_rules_backend *named;

	named = fm_grow_room(rules->named, &rules->room, rules->nnamed, 1,
	    sizeof *named);
	if (named == NULL)
		return (-1);
	rules->named = named;
	named += rules->nnamed;
	*named = (struct fm_rules_backend){ .at = *place };
	named->name = fm_arena_add(&rules->object.arena, fm_text_of(name));
	if (named->name == NULL)
		return (-1);
	VRT_Assign_Backend(&named->backend, backend);
	rules->nnamed++;
	return (0);
}

/* Returns false, with an error in the diag, if a backend may not be added. */
static bool
backend_may(const struct vmod_fastmatch_rules *rules, const char *name,
    VCL_BACKEND backend, const struct fm_place *place, struct fm_diag *diag)
{
	const struct fm_rules_backend *named;
	char first[FM_PLACE_LEN];

	if (name == NULL)
		fm_diag_error(diag, place, "the name is NULL");
	else if (*name == '\0')
		fm_diag_error(diag, place, "the name is empty");
	else if ((named = backend_find(rules, name)) != NULL)
		fm_diag_error(diag, place, "backend '%s' named twice: first"
		    " at %s", name, fm_place_print(&named->at, first));
	else if (backend == NULL)
		fm_diag_error(diag, place, "backend '%s' is NULL: the rules"
		    " can't send a request there", name);
	else
		return (true);
	return (false);
}

VCL_VOID
vmod_rules_backend(VRT_CTX, struct vmod_fastmatch_rules *rules,
    VCL_STRING name, VCL_BACKEND backend)
{
	struct fm_diag *diag;
	struct fm_place place;
	int failed = -1;

	if (!fm_object_begin(ctx, (const void *)rules, "backend", &diag))
		return;
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	place = fm_object_place(&rules->object, "backend",
	    ++rules->backend_calls);
	if (backend_may(rules, name, backend, &place, diag))
		failed = backend_add(rules, name, backend, &place, diag);
	fm_object_end(ctx, &rules->object, &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * The decisions of the last .apply()
 */

/*
 * The methods below, which read the task.  Where the VCL of an object calls
 * none of them, .apply() makes a task for redirects and answers only.
 */
static const char * const task_readers[] = {
	"host", "ruleset", "verdict", "rule", "undecided"
};

/* Returns what the task knows of the last .apply(), which may be nothing. */
static const struct fm_rules_task *
rules_known(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	static const struct fm_rules_task nothing = {
		.verdict = FM_VERDICT_NONE
	};
	const struct fm_rules_task *task;

	if (FM_OBJECT_MISSING(ctx, rules))
		return (&nothing);
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	task = fm_rules_task(ctx, rules);
	return (task == NULL ? &nothing : task);
}

VCL_STRING
vmod_rules_host(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	return (rules_known(ctx, rules)->host);
}

VCL_STRING
vmod_rules_ruleset(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	return (rules_known(ctx, rules)->ruleset);
}

VCL_STRING
vmod_rules_verdict(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	const struct fm_rules_task *task = rules_known(ctx, rules);
	const struct fm_rules_answer *answer = &task->answer;

	/* A delivery's answer takes the place of the request's verdict. */
	if (ctx->method == VCL_MET_SYNTH && fm_edit_answers(answer->verdict) &&
	    answer->restarts == ctx->req->restarts &&
	    answer->status == ctx->http_resp->status)
		return (fm_verdict_word(answer->verdict));
	return (fm_verdict_word(task->verdict));
}

VCL_STRING
vmod_rules_rule(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	return (rules_known(ctx, rules)->rule);
}

VCL_BOOL
vmod_rules_undecided(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	return (rules_known(ctx, rules)->undecided);
}

/*--------------------------------------------------------------------
 * Making the object
 */

static void
rules_free(struct vmod_fastmatch_rules **rulesp)
{
	struct vmod_fastmatch_rules *rules;

	TAKE_OBJ_NOTNULL(rules, rulesp, FM_RULES_MAGIC);
	fm_object_close(&rules->object);
	while (rules->nnamed > 0)
		VRT_Assign_Backend(&rules->named[--rules->nnamed].backend,
		    NULL);
	fm_rules_shadow_close(rules);
	fm_diag_free(&rules->next_unused);
	free(rules->beside_path);
	free(rules->named);
	free(rules->subs);
	free(rules->path);
	rules->magic = 0;
	fm_object_drop(rules);
}

static enum fm_rules_log
rules_log(VCL_ENUM log)
{
	if (log == VENUM(none))
		return (FM_RULES_LOG_NONE);
	if (log == VENUM(all))
		return (FM_RULES_LOG_ALL);
	assert(log == VENUM(verdict));
	return (FM_RULES_LOG_VERDICT);
}

/* Returns the object without its rules; NULL after VRT_fail(). */
static struct vmod_fastmatch_rules *
rules_new(VRT_CTX, const char *name, struct fm_vcl *vcl, VCL_ENUM log)
{
	struct vmod_fastmatch_rules *rules;

	rules = fm_object_new(ctx, vcl, name, sizeof *rules, NULL, 0);
	if (rules == NULL)
		return (NULL);
	rules->magic = FM_RULES_MAGIC;
	rules->log = rules_log(log);
	return (rules);
}

static void
path_check(const struct fm_place *place, const char *option, VCL_STRING path,
    struct fm_diag *diag)
{
	if (path == NULL || (*path != '\0' && *path != '/'))
		fm_diag_error(diag, place, "%s=\"%s\": it must be an absolute"
		    " path, from the first / on", option,
		    path == NULL ? "(null)" : path);
}

static void
path_differs(const struct fm_place *place, const char *option,
    VCL_STRING path, VCL_STRING other, const char *why, struct fm_diag *diag)
{
	if (path != NULL && other != NULL && *path != '\0' &&
	    strcmp(path, other) == 0)
		fm_diag_error(diag, place, "%s=\"%s\": it must not be the %s",
		    option, path, why);
}

/* Does the same for the file of a shadow, or for `next`. */
static void
beside_check(const struct fm_place *place, const char *option,
    VCL_STRING beside, VCL_STRING path, VCL_STRING backup,
    struct fm_diag *diag)
{
	path_check(place, option, beside, diag);
	path_differs(place, option, beside, path,
	    "rule file: give the file that is to be tried", diag);
	path_differs(place, option, beside, backup,
	    "backup: that would be written over", diag);
}

/* Returns false, with errors in the diag, if arguments of `new` are wrong. */
static bool
rules_may_load(const char *name, VCL_STRING path, VCL_DURATION watch,
    VCL_STRING backup, VCL_INT min_hosts, VCL_STRING shadow, VCL_REAL sample,
    VCL_STRING next, VCL_REAL share, struct fm_diag *diag)
{
	const struct fm_place place = { .name = name };

	(void)fm_object_may_read(&place, path, watch, diag);
	path_check(&place, "backup", backup, diag);
	path_differs(&place, "backup", backup, path,
	    "rule file: that would be written over", diag);
	if (min_hosts < 0)
		fm_diag_error(diag, &place, "min_hosts=%jd: it must not be"
		    " negative", (intmax_t)min_hosts);
	beside_check(&place, "shadow", shadow, path, backup, diag);
	beside_check(&place, "next", next, path, backup, diag);
	if (fm_diag_errors(diag) == 0 && *shadow != '\0' && *next != '\0')
		fm_diag_error(diag, &place, "shadow and next: an object can "
		    "have one of them: try a file as its shadow first, then "
		    "let it serve a share of the clients as next");
	if (!(sample >= 0. && sample <= 1.))
		fm_diag_error(diag, &place, "sample=%g: it must be from 0 (no"
		    " request) to 1 (each)", sample);
	if (!(share >= 0. && share <= 100.))
		fm_diag_error(diag, &place, "share=%g: it must be from 0 (no"
		    " client) to 100 (all), in percent", share);
	return (fm_diag_errors(diag) == 0);
}

/* Opens the object's live.  Returns 0, or -1 as fm_object_open() does. */
static int
rules_open(struct vmod_fastmatch_rules *rules, const char *path,
    double watch, const char *backup, uint32_t min_hosts,
    struct fm_diag *diag)
{
	struct fm_live_options options = {
	    .type = &fm_rules_type, .watch = watch,
	    .starting = fm_process_starting(), .bind = fm_rules_bind
	};

	rules->path = strdup(path);
	if (rules->path == NULL)
		return (-1);
	fm_counters_at(&rules->object.counters, rules->path);
	if (fm_rules_recipe(&options, path, backup, min_hosts) != 0)
		return (-1);
	return (fm_object_open(&rules->object, &options, rules, diag));
}

/* Finds out what VCL does with the object. */
static void
source_look(struct vmod_fastmatch_rules *rules, const char *name)
{
	struct fm_vclsource *source = fm_vclsource_open(name);

	rules->keeps_task = fm_vclsource_may_call(source, name, task_readers,
	    sizeof task_readers / sizeof *task_readers);
	fm_vclsource_calls(source, name, &rules->calls);
	rules->knows = fm_rules_delivers(rules) ||
	    rules->calls.subs[FM_VCL_SUB_HASH].reach != FM_VCL_NEVER;
	fm_vclsource_close(&source);
}

VCL_VOID __attribute__((cold))
vmod_rules__init(VRT_CTX, struct vmod_fastmatch_rules **rulesp,
    const char *name, struct vmod_priv *priv, VCL_STRING path,
    VCL_DURATION watch, VCL_STRING backup, VCL_ENUM log, VCL_INT min_hosts,
    VCL_STRING shadow, VCL_REAL sample, VCL_STRING next, VCL_REAL share)
{
	struct vmod_fastmatch_rules *rules;
	struct fm_diag *diag;
	uint32_t hosts;
	int failed = -1;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(rulesp);
	AZ(*rulesp);
	rules = rules_new(ctx, name, fm_vcl_of(priv), log);
	if (rules == NULL)
		return;
	source_look(rules, name);
	if (fm_mark_begin() != 0)
		VRT_fail(ctx, "fastmatch: %s: no random number from the "
		    "system: %s", name, strerror(errno));
	else if (fm_object_begin(ctx, &rules->object, "new", &diag)) {
		hosts = min_hosts < UINT32_MAX ? (uint32_t)min_hosts :
		    UINT32_MAX;
		if (rules_may_load(name, path, watch, backup, min_hosts,
		    shadow, sample, next, share, diag))
			failed = rules_open(rules, path, watch, backup, hosts,
			    diag);
		if (failed == 0 && *shadow != '\0')
			failed = fm_rules_shadow_new(rules, shadow, sample,
			    watch, hosts);
		if (failed == 0 && *next != '\0')
			failed = fm_rules_next_new(rules, next, share, watch,
			    hosts);
		fm_object_end(ctx, &rules->object, &diag, failed != 0);
	}
	if (failed)
		rules_free(&rules);
	*rulesp = rules;
}

VCL_VOID
vmod_rules__fini(struct vmod_fastmatch_rules **rulesp)
{
	rules_free(rulesp);
}
