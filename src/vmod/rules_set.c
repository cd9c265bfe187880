/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes sets of rules from their files, for the rules that serve, for a shadow
 * and for `next`.  Any thread may do so.
 */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "caret.h"
#include "compat.h"
#include "process.h"
#include "rules.h"
#include "rules_load.h"

static void
set_free(void *priv)
{
	struct fm_rules_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_RULES_SET_MAGIC);
	if (set->program != NULL)
		fm_program_free(&set->program);
	fm_diag_free(&set->diag);
	if (set->hits != NULL)
		fm_hits_free(&set->hits);
	FREE_OBJ(set);
}

static void
set_facts(const struct fm_rules_set *set, struct fm_set_facts *facts)
{
	facts->hosts = fm_program_hosts(set->program);
	facts->patterns = fm_program_npatterns(set->program);
	facts->rules = fm_program_nrules(set->program);
	facts->bytes = sizeof *set + fm_program_bytes(set->program);
	if (set->hits != NULL)
		facts->bytes += fm_hits_bytes(set->hits);
}

/*
 * Returns the counters of a program: of its rules, then of its hosts, in the
 * order of fm_program_rule() and fm_program_host(); NULL: no memory.
 */
static struct fm_hits *
hits_new(const char *path, const struct fm_program *program)
{
	size_t nrules = fm_program_nrules(program), i = 0;
	size_t nhosts = fm_program_hosts(program);
	uint64_t *ids = calloc(nrules + nhosts + 1, sizeof *ids);
	uint32_t *counter_of = calloc(nrules + nhosts + 1,
	    sizeof *counter_of);
	const struct fm_rule *rule;
	struct fm_hits *hits = NULL;
	const char *host;
	uint32_t at;

	if (ids != NULL && counter_of != NULL) {
		for (at = 0; fm_program_rule(program, at, &rule,
		    &counter_of[i]); at++)
			ids[i++] = fm_program_rule_id(program, at);
		for (at = 0; (host = fm_program_host(program, at,
		    &counter_of[i])) != NULL; at++)
			ids[i++] = fm_hosttab_pattern_id(fm_text_of(host));
		hits = fm_hits_new(path, ids, counter_of, nrules, nhosts,
		    fm_program_ncounters(program));
	}
	free(ids);
	free(counter_of);
	return (hits);
}

/* Finds out whether keys are made otherwise than by the first set. */
static void
set_keys(struct fm_rules_set *set, const struct fm_rules_set *before)
{
	uint64_t keys = set->key == NULL ? 0 : fm_program_key_ids(set->key);

	set->first_keys = before == NULL ? keys : before->first_keys;
	set->keys_changed = keys != set->first_keys ||
	    (before != NULL && before->keys_changed);
}

/* Finds what the rules are for, beside requests. */
static void
set_phases(struct fm_rules_set *set)
{
	const struct fm_program *program = set->program;

	set->key = fm_program_phase(program, FM_PHASE_KEY);
	set->fetch = fm_program_phase(program, FM_PHASE_FETCH);
	set->response = fm_program_phase(program, FM_PHASE_RESPONSE);
	set->delivery = fm_program_phase(program, FM_PHASE_DELIVERY);
	set->later = set->key != NULL || set->fetch != NULL ||
	    set->response != NULL || set->delivery != NULL;
	set->tells_cache = set->delivery != NULL &&
	    fm_program_tells_cache(set->delivery);
	set->names_rule = set->tells_cache || (set->delivery != NULL &&
	    fm_program_reads_rule(set->delivery));
}

static struct fm_program *
set_load(const struct fm_rules_recipe *recipe, struct fm_sources *sources,
    struct fm_diag *diag)
{
	struct fm_check_options options = { .serving = true };

	CHECK_OBJ_NOTNULL(recipe, FM_RULES_RECIPE_MAGIC);
	options.min_hosts = recipe->min_hosts;
	return (fm_rules_load(recipe->path, &options, sources, NULL, diag));
}

/* Returns a set that counts nothing; NULL with the reason in the diag. */
static struct fm_rules_set *
set_new(const struct fm_rules_recipe *recipe, const struct fm_set *before,
    struct fm_sources *sources, struct fm_diag *diag)
{
	struct fm_program *program;
	struct fm_rules_set *set;

	program = set_load(recipe, sources, diag);
	fm_caret_attach(diag, fm_text(NULL, 0));
	if (program == NULL)
		return (NULL);
	if (fm_object_is_cut(before, sources, diag)) {
		fm_program_free(&program);
		return (NULL);
	}
	ALLOC_OBJ(set, FM_RULES_SET_MAGIC);
	if (set == NULL) {
		fm_program_free(&program);
		return (NULL);
	}
	set->program = program;
	set_phases(set);
	set_keys(set, before == NULL ? NULL : before->payload);
	set->sets_host = fm_program_sets_host(program);
	set->keeps_client = fm_program_keeps_client(program);
	set->wants = (uint8_t)fm_program_wants(program);
	return (set);
}

static void *
set_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	const struct fm_rules_recipe *recipe = priv;
	struct fm_rules_set *set = set_new(recipe, before, sources, diag);

	if (set == NULL)
		return (NULL);
	set->hits = hits_new(recipe->path, set->program);
	set_facts(set, facts);
	return (set);
}

static bool
file_is_missing(const struct fm_rules_recipe *recipe,
    const struct fm_sources *sources)
{
	const struct fm_source *file;

	file = fm_sources_find(sources, recipe->path, false);
	return (file != NULL && file->error == ENOENT);
}

static void *
shadow_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	const struct fm_rules_recipe *recipe = priv;
	struct fm_rules_set *set;

	(void)before;
	(void)diag;
	ALLOC_OBJ(set, FM_RULES_SET_MAGIC);
	if (set == NULL)
		return (NULL);
	set->diag = fm_diag_new();
	if (set->diag != NULL)
		set->program = set_load(recipe, sources, set->diag);
	if (set->program != NULL) {
		set_phases(set);
		set_facts(set, facts);
	}
	if (set->program != NULL || file_is_missing(recipe, sources)) {
		fm_diag_free(&set->diag);
	} else if (fm_diag_errors(set->diag) == 0) {
		set_free(set);		/* no error: no memory */
		return (NULL);
	} else {
		fm_caret_attach(set->diag, fm_text(NULL, 0));
	}
	return (set);
}

static void *
next_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	struct fm_diag *own = fm_diag_new();
	struct fm_rules_set *set = NULL;

	if (own != NULL)
		set = set_new(priv, before, sources, own);
	if (set != NULL) {
		set_facts(set, facts);
		fm_diag_copy(diag, own);
	} else if (file_is_missing(priv, sources)) {
		ALLOC_OBJ(set, FM_RULES_SET_MAGIC);
	} else if (before == NULL && fm_diag_errors(own) > 0 &&
	    fm_process_starting()) {
		ALLOC_OBJ(set, FM_RULES_SET_MAGIC);
		if (set != NULL)
			set->diag = own;
		if (set != NULL)
			own = NULL;
	} else {
		fm_diag_copy(diag, own);
	}
	fm_diag_free(&own);
	return (set);
}

static void
recipe_free(void *priv)
{
	struct fm_rules_recipe *recipe;

	CAST_OBJ_NOTNULL(recipe, priv, FM_RULES_RECIPE_MAGIC);
	free(recipe->path);
	free(recipe->backup);
	free(recipe->key);
	FREE_OBJ(recipe);
}

int
fm_rules_recipe(struct fm_live_options *options, const char *path,
    const char *backup, uint32_t min_hosts)
{
	struct fm_rules_recipe *recipe;

	ALLOC_OBJ(recipe, FM_RULES_RECIPE_MAGIC);
	if (recipe == NULL)
		return (-1);
	recipe->min_hosts = min_hosts;
	recipe->path = strdup(path);
	recipe->backup = strdup(backup);
	if (asprintf(&recipe->key, "%u %zu %s %s", min_hosts, strlen(backup),
	    backup, path) < 0)
		recipe->key = NULL;
	if (recipe->path == NULL || recipe->backup == NULL ||
	    recipe->key == NULL) {
		recipe_free(recipe);
		return (-1);
	}
	options->recipe = recipe;
	options->key = recipe->key;
	options->path = recipe->path;
	if (*backup != '\0')
		options->backup = recipe->backup;
	return (0);
}

const struct fm_set_type fm_rules_type = {
	.make = set_make,
	.free = set_free,
	.free_recipe = recipe_free
};

const struct fm_set_type fm_rules_next_type = {
	.make = next_make,
	.free = set_free,
	.free_recipe = recipe_free
};

const struct fm_set_type fm_rules_shadow_type = {
	.make = shadow_make,
	.free = set_free,
	.free_recipe = recipe_free
};
