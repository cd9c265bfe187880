/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks a model (check.h): finds what names stand for, makes the table of
 * hosts, and goes through all blocks, lists and maps, which the other check_*.c
 * look at (check_priv.h says which).
 */

#include <stdio.h>

#include "bounds.h"
#include "caps.h"
#include "check_priv.h"
#include "hosttab.h"
#include "obj.h"

/*
 * After this many errors, unknown names get no "did you mean": finding the
 * nearest name takes time that grows with the number of names.
 */
#define GUESSED		20	/* errors */

/*--------------------------------------------------------------------
 * Names
 */

/* Lists, maps and rulesets of the model begin like this. */
struct named {
	const struct fm_word	*name;
	bool			used;
};
_Static_assert(offsetof(struct fm_list_def, used) ==
    offsetof(struct named, used) && offsetof(struct fm_ruleset_def, used) ==
    offsetof(struct named, used), "one layout");

/* Adds a list, map or ruleset.  A name that is there already is an error. */
static void
name_add(struct fm_check *check, struct fm_check_table *table, void *thing)
{
	const struct named *named = thing, *first;
	char where[FM_PLACE_LEN];

	if (named->name == NULL)
		return;
	first = fm_check_table_add(table, named->name->text, thing,
	    check->diag);
	if (first != named)
		fm_check_error(check, &named->name->at, FM_MSG_NAME_TWICE,
		    table->what, FM_SHOW(named->name->text),
		    fm_place_print(&first->name->at, where));
}

/* Adds all names to their tables.  Nothing is asked of those that VCL gives. */
static void
names_add(struct fm_check *check)
{
	const struct fm_check_options *options = check->options;
	struct fm_ruleset_def *ruleset;
	struct fm_list_def *list;
	size_t i;

	for (list = check->model->lists; list != NULL; list = list->next)
		name_add(check, &check->lists, list);
	for (list = check->model->maps; list != NULL; list = list->next)
		name_add(check, &check->maps, list);
	for (ruleset = check->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		name_add(check, &check->rulesets, ruleset);
	if (options == NULL)
		return;
	for (i = 0; options->backends != NULL && i < options->nbackends; i++)
		(void)fm_check_table_add(&check->backends,
		    fm_text_of(options->backends[i]), check, check->diag);
	for (i = 0; options->subs != NULL && i < options->nsubs; i++)
		(void)fm_check_table_add(&check->subs,
		    fm_text_of(options->subs[i]), check, check->diag);
}

void
fm_check_word_error(struct fm_check *check, const struct fm_word *word,
    const char *message)
{
	fm_diag_error(check->diag, &word->at, message, FM_SHOW(word->text));
}

void
fm_check_word_warn(struct fm_check *check, const struct fm_word *word,
    const char *message)
{
	fm_diag_warning(check->diag, &word->at, message, FM_SHOW(word->text));
}

void *
fm_check_find(struct fm_check *check, struct fm_check_table *table,
    const struct fm_word *name)
{
	void *thing = fm_check_table_find(table, name->text), *found = thing;
	const struct fm_check_entry *near = NULL;
	char hint[160] = "";

	if (found == NULL && table->keys.no_memory)
		fm_diag_no_memory(check->diag);
	if (found == NULL && fm_diag_errors(check->diag) < GUESSED)
		near = fm_check_table_near(table, name->text);
	if (near != NULL) {
		thing = near->thing;
		(void)snprintf(hint, sizeof hint, ": did you mean '%.*s'?",
		    FM_SHOW(near->text));
	} else if (table == &check->lists &&
	    fm_check_table_find(&check->maps, name->text) != NULL) {
		(void)strcpy(hint, ": that is a map");
	} else if (table == &check->maps &&
	    fm_check_table_find(&check->lists, name->text) != NULL) {
		(void)strcpy(hint, ": that is a list");
	} else if (table == &check->backends) {
		(void)strcpy(hint, ": VCL gives names to backends, by "
		    ".backend(\"NAME\", ...) in vcl_init");
	} else if (table == &check->subs) {
		(void)strcpy(hint, ": VCL gives names to subs, by "
		    ".sub(\"NAME\", SUB) in vcl_init");
	}
	/* A name that was probably meant is not reported as unused, too. */
	if (thing != NULL && table != &check->backends && table != &check->subs)
		((struct named *)thing)->used = true;
	if (found == NULL)
		fm_check_error(check, &name->at, FM_MSG_UNKNOWN, table->what,
		    FM_SHOW(name->text), hint);
	return (found);
}

void
fm_check_given(struct fm_check *check, struct fm_check_table *table, bool known,
    const struct fm_word *name)
{
	if (name == NULL)
		return;
	if (name->text.len == 0)
		fm_check_error(check, &name->at, FM_MSG_GIVEN_EMPTY,
		    table->what);
	else if (fm_text_has(name->text, "${"))
		fm_check_error(check, &name->at, FM_MSG_GIVEN_VALUE,
		    table->what);
	else if (known)
		(void)fm_check_find(check, table, name);
	fm_check_slip_word(check, name);
}

static void
unused_check(struct fm_check *check, const struct fm_check_table *table)
{
	const struct named *named;
	size_t i;

	/* A statement that was not understood may have used it. */
	for (i = 0; i < table->entries.n && !check->broken; i++) {
		named = FM_GROW_AT(&table->entries, struct fm_check_entry,
		    i)->thing;
		if (!named->used)
			fm_diag_warning(check->diag, &named->name->at,
			    FM_MSG_WARN_UNUSED, table->what,
			    FM_SHOW(named->name->text));
	}
}

/* Warns if `always` ends each run, so that no other block is reached. */
static void
always_ends(struct fm_check *check, const struct fm_stmt *end)
{
	const struct fm_model *model = check->model;
	char where[FM_PLACE_LEN];

	if (end == NULL || end->kind == FM_STMT_STOP ||
	    end->kind == FM_STMT_WHEN)
		return;
	fm_place_print(&end->at, where);
	if (model->sites != NULL)
		fm_diag_warning(check->diag, &model->sites->at,
		    FM_MSG_WARN_ALWAYS_ENDS, "no host's block is ever",
		    fm_stmt_word(end->kind), where);
	if (model->finally != NULL)
		fm_diag_warning(check->diag, &model->finally->at,
		    FM_MSG_WARN_ALWAYS_ENDS, "'finally' is never",
		    fm_stmt_word(end->kind), where);
}

/*--------------------------------------------------------------------
 * Blocks
 */

void
fm_check_walk(struct fm_check *check, const struct fm_block *block,
    const struct fm_check_way *up,
    void visit(struct fm_check *, const struct fm_check_way *))
{
	struct fm_check_way way = { .up = up, .block = block };
	const struct fm_stmt *when;

	way.stmt = block == NULL ? NULL : block->first;
	for (; way.stmt != NULL; way.stmt = way.stmt->next) {
		visit(check, &way);
		when = way.stmt->kind == FM_STMT_WHEN ? way.stmt : NULL;
		for (; when != NULL; when = fm_stmt_chained(when)) {
			way.when = when;
			fm_check_walk(check, when->when.then, &way, visit);
			if (fm_stmt_chained(when) != NULL)
				continue;
			way.when = NULL;
			fm_check_walk(check, when->when.otherwise, &way, visit);
		}
	}
}

/*--------------------------------------------------------------------
 * Rulesets that use each other: none may use itself, not even by way of
 * others; the chain has a limit; and so has the number of statements that one
 * block makes a request run (bounds.h).
 *
 *	ruleset a { set X = y; use b; }		weight 5: 1 + 2, and b
 *	ruleset b { pass; }			weight 2
 *	host a.example { use a; use b; }	makes a request run 7 at most
 */

static uint32_t
sum(uint32_t a, uint32_t b)
{
	return (a + b > FM_LIMIT_USED ? FM_LIMIT_USED + 1 : a + b);
}

static uint32_t ruleset_weight(struct fm_check *, struct fm_ruleset_def *,
    const struct fm_word *use);

/* Adds a statement, if it is a ruleset's, and the ruleset that it uses. */
static void
weight_add(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_stmt *stmt = way->stmt;

	if (fm_stmt_is_phase(stmt->kind)) {
		fm_check_walk(check, stmt->phase.block, NULL, weight_add);
		return;
	}
	check->weight = sum(check->weight, check->uses > 0);
	if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
		check->weight = sum(check->weight, ruleset_weight(check,
		    stmt->use.ruleset, stmt->use.name));
}

/* Returns how many statements a block uses, and (in a ruleset) has itself. */
static uint32_t
block_weight(struct fm_check *check, const struct fm_block *block)
{
	uint32_t weight, before = check->weight;

	check->weight = 0;
	fm_check_walk(check, block, NULL, weight_add);
	weight = check->weight;
	check->weight = before;
	return (weight);
}

/* Returns how many statements a ruleset has, with those that it uses. */
static uint32_t
ruleset_weight(struct fm_check *check, struct fm_ruleset_def *ruleset,
    const struct fm_word *use)
{
	unsigned depth = check->uses + 1;

	/* A mistake in one ruleset is one of all rulesets that use it. */
	if (check->uses_told || ruleset->depth >= depth)
		return (ruleset->weight);
	if (ruleset->visiting || depth > FM_LIMIT_USES) {
		check->uses_told = true;
		if (ruleset->visiting)
			fm_check_word_error(check, use, FM_MSG_USE_SELF);
		else
			fm_check_error(check, &use->at, FM_MSG_USE_DEEP,
			    FM_LIMIT_USES);
		return (0);
	}
	ruleset->depth = check->uses = depth;
	ruleset->visiting = true;
	ruleset->weight = sum(1, block_weight(check, ruleset->block));
	ruleset->visiting = false;
	check->uses--;
	return (ruleset->weight);
}

static void
weight_check(struct fm_check *check, const struct fm_block *block)
{
	if (check->uses_told || block_weight(check, block) <= FM_LIMIT_USED)
		return;
	check->uses_told = true;
	fm_check_error(check, &block->at, FM_MSG_USE_MUCH, FM_LIMIT_USED);
}

static void
uses_check(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		(void)ruleset_weight(check, ruleset, ruleset->name);
	weight_check(check, model->always);
	weight_check(check, model->finally);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		weight_check(check, ruleset->block);
	for (site = model->sites; site != NULL; site = site->next)
		weight_check(check, site->block);
}

/*--------------------------------------------------------------------
 * Sites and hosts
 */

void
fm_check_used(struct fm_check *check, struct fm_ruleset_def *ruleset,
    bool within)
{
	unsigned asked = check->asked | check->answered;

	ruleset->asked = true;
	ruleset->within |= within;
	ruleset->unasked |= ~asked;
	ruleset->any_host |= check->any_host &&
	    (asked & FM_CHECK_ASKED_HOST) == 0;
}

static bool
is_any_host(const struct fm_check *check, const struct fm_site *site)
{
	const struct fm_model *model = check->model;
	size_t i = check->first_host;

	return (site == model->otherwise ||
	    (i < model->nhosts && model->hosts[i].site == site &&
	    fm_text_eq(model->hosts[i].pattern, fm_text_of("*"))));
}

static void
site_check(struct fm_check *check, struct fm_site *site)
{
	const struct fm_model *model = check->model;

	while (site != model->otherwise && check->first_host < model->nhosts &&
	    model->hosts[check->first_host].site != site)
		check->first_host++;
	check->any_host = is_any_host(check, site);
	if (site->ruleset != NULL)
		fm_check_used(check, site->ruleset, false);
	check->site = site == model->otherwise ? NULL : site;
	(void)fm_check_block(check, site->block);
	check->site = NULL;
}

static void
sites_check(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct fm_ruleset_def *ruleset;
	struct fm_site *site;
	unsigned always;

	check->any_host = true;
	always_ends(check, fm_check_block(check, model->always));
	always = check->answered;
	(void)fm_check_block(check, model->finally);
	for (site = model->sites; site != NULL; site = site->next) {
		check->answered = always;
		site_check(check, site);
	}
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next) {
		check->answered = ruleset->asked ? ~ruleset->unasked : always;
		check->any_host = ruleset->any_host;
		(void)fm_check_block(check, ruleset->block);
	}
}

/*
 * Looks for signals outside of whens in a ruleset that blocks use: what is
 * before a `use` may close the gaps of the whens.
 */
static void
signals_within(struct fm_check *check, const struct fm_block *block)
{
	struct fm_check_way way = { .block = block };

	way.stmt = block == NULL ? NULL : block->first;
	for (; way.stmt != NULL; way.stmt = way.stmt->next)
		fm_check_signal(check, &way);
}

/* Looks for signals, once we know that no ruleset uses itself. */
static void
signals_check(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	if (check->uses_told || check->broken)
		return;
	check->steps = FM_CHECK_STEPS;
	fm_check_walk(check, model->always, NULL, fm_check_signal);
	for (site = model->sites; site != NULL; site = site->next)
		fm_check_walk(check, site->block, NULL, fm_check_signal);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (!ruleset->within)
			fm_check_walk(check, ruleset->block, NULL,
			    fm_check_signal);
		else
			signals_within(check, ruleset->block);
	fm_check_walk(check, model->finally, NULL, fm_check_signal);
}

struct fm_block *
fm_check_item_next(struct fm_check_items *items)
{
	const struct fm_model *model = items->model;
	struct fm_block *block = NULL;

	if (!items->begun) {
		items->begun = true;
		items->site = model->sites;
		items->ruleset = model->rulesets;
		block = items->hosts ? NULL : model->always;
	}
	items->host = false;
	for (; block == NULL && items->site != NULL;
	    items->site = items->site->next) {
		block = items->site->block;
		items->host = block != NULL;
	}
	for (; block == NULL && items->ruleset != NULL;
	    items->ruleset = items->ruleset->next)
		if (!items->hosts || items->ruleset->serves)
			block = items->ruleset->block;
	if (block == NULL && !items->ended) {
		items->ended = true;
		block = items->hosts ? NULL : model->finally;
	}
	return (block);
}

/* Calls a function for each statement of the model. */
static void
walk_all(struct fm_check *check,
    void visit(struct fm_check *, const struct fm_check_way *))
{
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *block;

	while ((block = fm_check_item_next(&items)) != NULL)
		fm_check_walk(check, block, NULL, visit);
}

/* Returns the number of a host's block; any number after an error. */
static uint32_t
host_block(struct fm_check *check, struct fm_host *host)
{
	const struct fm_site *site = host->site;

	/* The parser gives neighbours one text. */
	if (site == NULL && host > check->model->hosts &&
	    host[-1].ruleset.b == host->ruleset.b)
		host->ruleset_def = host[-1].ruleset_def;
	if (site == NULL && host->ruleset_def == NULL)
		host->ruleset_def = fm_check_find(check, &check->rulesets,
		    &(struct fm_word){ .text = host->ruleset,
		    .at = host->ruleset_at });
	if (site == NULL ? host->ruleset_def == NULL :
	    site->block == NULL && site->ruleset == NULL)
		return (0);
	if (site == NULL)
		host->ruleset_def->serves = true;
	return (fm_model_host_block(check->model, host));
}

static void
hosts_check(struct fm_check *check)
{
	static const char * const no_hosts[] = { "default", "_", NULL };
	struct fm_model *model = check->model;
	struct fm_site *site;
	struct fm_host *host;
	uint32_t block;
	size_t i;

	for (site = model->sites; site != NULL; site = site->next) {
		if (site->use != NULL)
			site->ruleset = fm_check_find(check, &check->rulesets,
			    site->use);
		if (site->ruleset != NULL)
			site->ruleset->serves = true;
	}
	if (model->hosttab != NULL)
		fm_hosttab_free(&model->hosttab);
	model->hosttab = fm_hosttab_new();
	if (model->hosttab == NULL) {
		fm_diag_no_memory(check->diag);
		return;
	}
	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		if (host->site != NULL &&
		    fm_text_is_one_of(host->pattern, no_hosts))
			fm_diag_warning(check->diag, &host->at,
			    FM_MSG_SLIP_DEFAULT,
			    FM_SHOW(host->pattern));
		block = host_block(check, host);
		(void)fm_hosttab_add(model->hosttab, host->pattern, block,
		    &host->at, check->diag);
	}
	fm_hosttab_seal(model->hosttab);
}

/* Reports a model without rules, or with too few hosts. */
static void
few_check(struct fm_check *check)
{
	const struct fm_check_options *options = check->options;
	const struct fm_model *model = check->model;
	const struct fm_source_file *file = model->files;
	struct fm_place place = { .name = file == NULL ? "" : file->name };
	const struct fm_place *at = file == NULL ? NULL : &place;
	bool nothing = model->nlists + model->nmaps + model->nrulesets == 0 &&
	    model->undecided == NULL && model->repeated == NULL;

	/* The parser may have lost hosts and blocks that had errors. */
	if (options == NULL || check->broken)
		return;
	if (model->nhosts < options->min_hosts)
		fm_check_error(check, at, FM_MSG_MIN_HOSTS, model->nhosts,
		    options->min_hosts);
	else if (model->sites == NULL && model->nhosts == 0 &&
	    model->always == NULL && model->finally == NULL &&
	    (options->serving || nothing))
		fm_check_error(check, at, FM_MSG_NO_RULES);
}

/*--------------------------------------------------------------------
 * All of it
 */

bool
fm_check(struct fm_model *model, const struct fm_check_options *options,
    struct fm_diag *diag)
{
	struct fm_check check = { .model = model, .options = options,
	    .diag = diag, .steps = FM_CHECK_STEPS, .lists = { .what = "list" },
	    .maps = { .what = "map" }, .rulesets = { .what = "ruleset" },
	    .backends = { .what = "backend" }, .subs = { .what = "sub" },
	    .headers = { .nocase = true } };
	struct fm_caps caps = { .over = false };

	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	check.broken = fm_diag_errors(diag) > 0;
	fm_caps_begin(&caps);
	names_add(&check);
	hosts_check(&check);
	fm_check_ruleset_phases(&check);
	sites_check(&check);
	uses_check(&check);
	signals_check(&check);
	fm_check_calls(&check);
	fm_check_store(&check);
	fm_check_shared(&check);
	fm_check_fetch(&check);
	fm_check_keys_twice(&check);
	fm_check_cookies(&check);
	fm_check_leaks(&check);
	walk_all(&check, fm_check_leak);
	check.steps = FM_CHECK_STEPS;
	walk_all(&check, fm_check_purge);
	fm_check_dead(&check);
	fm_check_denied_values(&check);
	fm_check_hostless(&check);
	fm_check_undecided(&check);
	fm_check_trust(&check);
	fm_check_schemes(&check);
	fm_check_lists(&check);
	few_check(&check);
	fm_check_no_vary(&check);
	unused_check(&check, &check.lists);
	unused_check(&check, &check.maps);
	unused_check(&check, &check.rulesets);
	fm_caps_end(false);
	fm_check_table_fini(&check.lists);
	fm_check_table_fini(&check.maps);
	fm_check_table_fini(&check.rulesets);
	fm_check_table_fini(&check.backends);
	fm_check_table_fini(&check.subs);
	fm_check_table_fini(&check.headers);
	fm_grow_fini(&check.denied);
	return (fm_diag_errors(diag) == 0);
}
