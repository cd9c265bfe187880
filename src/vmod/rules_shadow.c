/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The shadow of the object `rules`: a second live, opened, bound, run and told.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "rules_beside.h"
#include "rules_call.h"
#include "rules_shadow.h"
#include "rules_view.h"
#include "shadow.h"

#define TELL_LINE	1024	/* bytes of the log line about a new shadow */

/*
 * The binding of a shadow's version.  If the shadow can't run here, `messages`
 * has its errors, a line each; none if there is no such file.  After its NUL
 * come the same lines without values.
 */
struct shadow_bound {
	bool			runs;
	unsigned		errors;		/* kept or not */
	const char		*masked;
	char			messages[];
};

static struct shadow_bound *
bound_new(bool runs, const struct fm_diag *diag)
{
	struct shadow_bound *bound;
	const char *line;
	size_t bytes = 2;
	unsigned n;
	char *to;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		bytes += strlen(line) + 1 +
		    strlen(fm_diag_masked_line(diag, n)) + 1;
	bound = malloc(sizeof *bound + bytes);
	if (bound == NULL)
		return (NULL);
	bound->runs = runs;
	bound->errors = runs ? 0 : fm_diag_errors(diag);
	to = bound->messages;
	*to = '\0';
	for (n = 0; !runs && (line = fm_diag_line(diag, n)) != NULL; n++)
		to += sprintf(to, "%s\n", line);
	bound->masked = ++to;
	*to = '\0';
	for (n = 0; !runs && (line = fm_diag_masked_line(diag, n)) != NULL; n++)
		to += sprintf(to, "%s\n", line);
	return (bound);
}

/* Logs each new version of the shadow, whether it runs or not. */
static void
tell_bound(const struct vmod_fastmatch_rules *rules, const struct fm_set *set,
    const struct shadow_bound *bound)
{
	char line[TELL_LINE], what[TELL_LINE / 2];

	if (bound->runs)
		(void)snprintf(what, sizeof what, "%ju host%s, %ju rule%s",
		    (uintmax_t)set->facts.hosts,
		    set->facts.hosts == 1 ? "" : "s",
		    (uintmax_t)set->facts.rules,
		    set->facts.rules == 1 ? "" : "s");
	else if (bound->errors == 0)
		(void)snprintf(what, sizeof what, "there is no such file");
	else
		(void)snprintf(what, sizeof what, "not used, %u error%s: %.*s",
		    bound->errors, bound->errors == 1 ? "" : "s",
		    (int)strcspn(bound->messages, "\n"), bound->messages);
	(void)snprintf(line, sizeof line, "fastmatch: %s: shadow %s: %s",
	    rules->object.name, rules->beside_path, what);
	fm_object_tell(NULL, bound->errors > 0, line);
}

/* Logs why this VCL would refuse a shadow that runs, if it came to serve. */
static void
tell_calls(const struct vmod_fastmatch_rules *rules,
    const struct fm_program *program)
{
	struct fm_diag *diag = fm_diag_new();
	char line[TELL_LINE];
	const char *why;

	if (diag != NULL && !fm_rules_called(rules, program, diag)) {
		why = fm_diag_line(diag, 0);
		(void)snprintf(line, sizeof line, "fastmatch: %s: shadow %s: "
		    "it could not serve: %s", rules->object.name,
		    rules->beside_path, why == NULL ? "out of memory" : why);
		fm_object_tell(NULL, false, line);
	}
	fm_diag_free(&diag);
}

/* Makes the binding.  Succeeds even if the shadow can't run in this VCL. */
static int
shadow_bind(void *priv, const struct fm_set *set, void **binding,
    struct fm_diag *diag)
{
	struct vmod_fastmatch_rules *rules;
	const struct fm_rules_set *payload;
	struct fm_diag *own = fm_diag_new();
	struct shadow_bound *bound = NULL;

	CAST_OBJ_NOTNULL(rules, priv, FM_RULES_MAGIC);
	CAST_OBJ_NOTNULL(payload, set->payload, FM_RULES_SET_MAGIC);
	if (own != NULL && payload->program == NULL)
		bound = bound_new(false, payload->diag);
	else if (own != NULL)
		bound = bound_new((fm_rules_resolve(rules, payload->program,
		    NULL, own) | fm_rules_subs(rules, payload->program, NULL,
		    own)) == 0, own);
	fm_diag_free(&own);
	if (bound == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	tell_bound(rules, set, bound);
	if (bound->runs)
		tell_calls(rules, payload->program);
	fm_shadow_begin(rules->shadow, FM_NEW,
	    bound->runs ? set->digest : NULL);
	*binding = bound;
	return (0);
}

/* Opens the live, once the VCL has all else. */
static int
shadow_open(struct fm_object *object, struct fm_diag *diag)
{
	struct vmod_fastmatch_rules *rules = (void *)object;
	struct fm_live_options options = {
	    .type = &fm_rules_shadow_type, .bind = shadow_bind,
	    .side = "shadow"
	};

	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	return (fm_rules_beside_open(rules, &options, diag));
}

int
fm_rules_shadow_new(struct vmod_fastmatch_rules *rules, const char *path,
    double sample, double watch, uint32_t min_hosts)
{
	rules->shadow = fm_shadow_new();
	rules->sample = sample;
	rules->shadow_sample = (uint64_t)(sample * (double)FM_SHADOW_ALL);
	return (rules->shadow == NULL ? -1 : fm_rules_beside_new(rules, path,
	    watch, min_hosts, shadow_open));
}

void
fm_rules_shadow_close(struct vmod_fastmatch_rules *rules)
{
	if (rules->shadow != NULL)
		fm_shadow_free(&rules->shadow);
}

/*--------------------------------------------------------------------
 * Running it
 */

/* Returns the shadow, for fm_live_put(); *runs: it may run. */
static const struct fm_version *
shadow_get(const struct vmod_fastmatch_rules *rules, bool *runs)
{
	const struct fm_version *version = fm_live_get(rules->object.beside);
	const struct shadow_bound *bound;

	bound = version == NULL ? NULL : version->binding;
	*runs = bound != NULL && bound->runs;
	return (version);
}

/* Compares, and counts. */
static void
compare(const struct vmod_fastmatch_rules *rules,
    const struct fm_shadow_pair *pair, const struct fm_run *serving)
{
	const struct fm_counters *counters = &rules->object.counters;
	enum fm_counter runs = FM_COUNT_shadow_runs + 2 * pair->phase;

	fm_counters_add(counters, runs, 1);
	if (fm_shadow_compare(rules->shadow, pair, serving) ==
	    FM_SHADOW_DIFFERS)
		fm_counters_add(counters, runs + 1, 1);
}

static void
run(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *serving, const struct fm_version *version,
    const struct fm_view *view, const struct fm_run *result)
{
	const struct fm_rules_set *sets[2];
	struct fm_view own = *view;
	struct fm_shadow_pair pair = { .phase = FM_PHASE_REQUEST,
	    .views = { view, &own } };
	unsigned wants, i;

	CAST_OBJ_NOTNULL(sets[FM_OLD], serving->payload, FM_RULES_SET_MAGIC);
	CAST_OBJ_NOTNULL(sets[FM_NEW], version->payload, FM_RULES_SET_MAGIC);
	for (i = 0; i < 2; i++)
		pair.programs[i] = sets[i]->program;
	pair.digests[FM_OLD] = serving->set->digest;
	pair.digests[FM_NEW] = version->set->digest;
	wants = fm_program_wants(pair.programs[FM_NEW]);
	if ((wants & ~fm_program_wants(pair.programs[FM_OLD])) != 0)
		fm_rules_view(ctx, wants, &own);
	own.counters = NULL;
	compare(rules, &pair, result);
}

void
fm_rules_shadow_run(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *serving, const struct fm_view *view,
    const struct fm_run *result)
{
	const struct fm_version *version;
	bool runs;

	version = shadow_get(rules, &runs);
	/* Without memory for the rules' run there is nothing to compare. */
	if (runs && !result->result.no_memory)
		run(ctx, rules, serving, version, view, result);
	fm_live_put(version);
}

/*
 * Compares in a later phase.  The shadow finds its own block of the host, and
 * has a view of its own, as it may read more than the rules that serve.
 */
static void __attribute__((noinline))
later(const struct fm_phased *serving, const struct fm_version *version,
    bool answered)
{
	struct fm_shadow_pair pair = { .phase = serving->phase,
	    .programs = { serving->program, NULL },
	    .digests = { serving->version->set->digest,
	    version->set->digest } };
	struct fm_phased phased;
	bool viewed = true;

	fm_phased_begin(&phased, serving->ctx, serving->rules, version,
	    serving->phase);
	pair.programs[FM_NEW] = phased.program;
	pair.views[FM_NEW] = &phased.view;
	if (serving->result != NULL)
		pair.views[FM_OLD] = &serving->view;
	if (phased.program != NULL) {
		fm_phased_look_up(&phased);
		viewed = fm_phased_view(&phased, answered);
	} else if (serving->result != NULL) {
		phased.view = serving->view;
		phased.view.counters = NULL;
	} else {
		return;
	}
	if (viewed)
		compare(serving->rules, &pair, serving->result == NULL ? NULL :
		    &serving->run);
	if (phased.more != NULL)
		free(phased.more);
}

void
fm_rules_shadow_later(struct fm_phased *phased, bool answered)
{
	const struct fm_version *version;
	bool runs;

	if (!phased->shadowed)
		return;
	phased->shadowed = false;
	version = shadow_get(phased->rules, &runs);
	if (runs && (phased->result == NULL || !phased->result->no_memory))
		later(phased, version, answered);
	fm_live_put(version);
}

/*--------------------------------------------------------------------
 * The state of the shadow, for reports and the page
 */

/* Fills in what the shadow's version is.  Returns 0, or -1: no memory. */
static int
tell_version(struct fm_shadow_told *told, const struct fm_live_state *state)
{
	const struct shadow_bound *bound = state->version->binding;

	if (!bound->runs && bound->errors == 0)
		return (0);		/* there is no such file */
	told->generation = state->version->generation;
	told->loaded_at = (time_t)state->facts.loaded_at;
	told->errors = bound->errors;
	if (bound->runs)
		told->digest = fm_arena_add(&told->arena,
		    fm_text_of(state->version->set->digest));
	if (bound->errors > 0)
		told->messages = fm_arena_add(&told->arena,
		    fm_text_of(bound->messages));
	if (bound->errors > 0)
		told->masked = fm_arena_add(&told->arena,
		    fm_text_of(bound->masked));
	return ((bound->runs && told->digest == NULL) ||
	    (bound->errors > 0 && (told->messages == NULL ||
	    told->masked == NULL)) ? -1 : 0);
}

struct fm_shadow_told *
fm_rules_shadow_told(const struct vmod_fastmatch_rules *rules)
{
	struct fm_shadow_told *told;
	struct fm_live_state state;

	told = fm_shadow_told(rules->shadow);
	if (told == NULL)
		return (NULL);
	told->path = rules->beside_path;
	told->sample = rules->sample;
	if (fm_live_state(rules->object.beside, &state) != 0) {
		fm_shadow_told_free(&told);
		return (NULL);
	}
	if (state.version != NULL && tell_version(told, &state) != 0)
		fm_shadow_told_free(&told);
	fm_live_state_fini(&state);
	return (told);
}
