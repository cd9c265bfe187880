/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks a model (check.h): finds what names stand for, makes the table of
 * hosts, and goes through all blocks, lists and maps, which the other check_*.c
 * look at (check_priv.h says which).
 */

#include <stdarg.h>
#include <stdio.h>

#include "bounds.h"
#include "caps.h"
#include "check_priv.h"
#include "hosttab.h"
#include "obj.h"

/*
 * How many unknown names get a "did you mean": to find the nearest name takes
 * time that grows with the number of names.
 */
#define CHECK_GUESSES	20

/*
 * Steps that the search for redirects that never end may take, and the search
 * for headers that only some branches set: about one for each statement that is
 * looked at.  A large file must not make the check slow.
 */
#define LOOP_STEPS	100000L

void
fm_check_error(struct fm_check *check, const struct fm_place *place,
    const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fm_diag_error(check->diag, place, "%s", text);
	check->failed++;
}

void
fm_check_memory(struct fm_check *check)
{
	if (!check->no_memory)
		fm_check_error(check, NULL, FM_MSG_CHECK_MEMORY);
	check->no_memory = true;
}

/*--------------------------------------------------------------------
 * Names
 */

/* Adds a name to a table.  A name that is there already is an error. */
static void
name_add(struct fm_check *check, struct fm_check_table *table,
    const char *what, const struct fm_word *name, void *thing)
{
	const struct fm_word *word;
	void *first;
	char where[FM_PLACE_LEN];

	if (name == NULL)
		return;
	if (fm_check_table_add(table, name->text, thing, &first) != 0) {
		fm_check_memory(check);
		return;
	}
	if (first == NULL)
		return;
	/* All three kinds start with their name. */
	word = *(struct fm_word **)first;
	fm_check_error(check, &name->at, FM_MSG_NAME_TWICE, what,
	    FM_CHECK_QUOTE(name->text), fm_place_print(&word->at, where));
}

static void
names_add(struct fm_check *check)
{
	struct fm_ruleset_def *ruleset;
	struct fm_list_def *list;
	struct fm_map_def *map;

	_Static_assert(offsetof(struct fm_list_def, name) == 0 &&
	    offsetof(struct fm_map_def, name) == 0 &&
	    offsetof(struct fm_ruleset_def, name) == 0, "names come first");
	for (list = check->model->lists; list != NULL; list = list->next)
		name_add(check, &check->lists, "list", list->name, list);
	for (map = check->model->maps; map != NULL; map = map->next)
		name_add(check, &check->maps, "map", map->name, map);
	for (ruleset = check->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		name_add(check, &check->rulesets, "ruleset", ruleset->name,
		    ruleset);
}

/*
 * Returns what a name stands for; or reports an error, and returns NULL.  Then
 * the thing that was probably meant is marked as used, so that nobody is told
 * of the same mistake twice.  Its flag is at an offset; 0: it has no flag.
 */
static void *
name_find(struct fm_check *check, const struct fm_check_table *table,
    const char *what, size_t used, struct fm_text name,
    const struct fm_place *at)
{
	void *thing = fm_check_table_find(table, name), *found = thing;
	const struct fm_check_entry *near = NULL;
	char hint[160] = "";

	if (found == NULL && check->guesses++ < CHECK_GUESSES)
		near = fm_check_table_near(table, name);
	if (near != NULL) {
		thing = near->thing;
		(void)snprintf(hint, sizeof hint, ": did you mean '%.*s'?",
		    FM_CHECK_QUOTE(near->text));
	} else if (table == &check->lists &&
	    fm_check_table_find(&check->maps, name) != NULL) {
		(void)strcpy(hint, ": that is a map");
	} else if (table == &check->maps &&
	    fm_check_table_find(&check->lists, name) != NULL) {
		(void)strcpy(hint, ": that is a list");
	} else if (table == &check->backends) {
		(void)strcpy(hint, ": VCL gives names to backends, by "
		    ".backend(\"NAME\", ...) in vcl_init");
	}
	if (thing != NULL && used > 0)
		*(bool *)((char *)thing + used) = true;
	if (found == NULL)
		fm_check_error(check, at, FM_MSG_UNKNOWN, what,
		    FM_CHECK_QUOTE(name), hint);
	return (found);
}

struct fm_list_def *
fm_check_list(struct fm_check *check, const struct fm_word *name)
{
	return (name_find(check, &check->lists, "list",
	    offsetof(struct fm_list_def, used), name->text, &name->at));
}

struct fm_map_def *
fm_check_map(struct fm_check *check, const struct fm_word *name)
{
	return (name_find(check, &check->maps, "map",
	    offsetof(struct fm_map_def, used), name->text, &name->at));
}

static struct fm_ruleset_def *
ruleset_find(struct fm_check *check, struct fm_text name,
    const struct fm_place *at)
{
	return (name_find(check, &check->rulesets, "ruleset",
	    offsetof(struct fm_ruleset_def, used), name, at));
}

struct fm_ruleset_def *
fm_check_ruleset(struct fm_check *check, const struct fm_word *name)
{
	return (ruleset_find(check, name->text, &name->at));
}

void
fm_check_backend(struct fm_check *check, const struct fm_word *name)
{
	if (name->text.len == 0)
		fm_check_error(check, &name->at, "%s", FM_MSG_BACKEND_EMPTY);
	else if (check->options != NULL && check->options->backends != NULL)
		(void)name_find(check, &check->backends, "backend", 0,
		    name->text, &name->at);
}

/* Adds the names of backends to their table, whose things mean nothing. */
static void
backends_add(struct fm_check *check)
{
	const struct fm_check_options *options = check->options;
	struct fm_text name;
	void *first;
	size_t i;

	if (options == NULL || options->backends == NULL)
		return;
	for (i = 0; i < options->nbackends; i++) {
		name = fm_text_of(options->backends[i]);
		if (fm_check_table_add(&check->backends, name, check,
		    &first) != 0)
			fm_check_memory(check);
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
 * Sites and hosts
 */

/* Notes in a ruleset what was asked before a `use` of it. */
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
	fm_check_loops(check, site->block);
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
	fm_check_loops(check, model->always);
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
		/* If blocks use it, their tests come before a redirect. */
		if (!ruleset->within)
			fm_check_loops(check, ruleset->block);
	}
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
	fm_check_signals(check, model->always, true);
	for (site = model->sites; site != NULL; site = site->next)
		fm_check_signals(check, site->block, false);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (!ruleset->within)
			fm_check_signals(check, ruleset->block, false);
	fm_check_signals(check, model->finally, false);
}

/* Returns the number of a host's block; any number after an error. */
static uint32_t
host_block(struct fm_check *check, struct fm_host *host)
{
	const struct fm_site *site = host->site;

	if (site != NULL) {
		if (site->block == NULL && site->ruleset == NULL)
			return (0);
	} else {
		host->ruleset_def = ruleset_find(check, host->ruleset,
		    &host->ruleset_at);
		if (host->ruleset_def == NULL)
			return (0);
	}
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

	for (site = model->sites; site != NULL; site = site->next)
		if (site->use != NULL)
			site->ruleset = ruleset_find(check, site->use->text,
			    &site->use->at);
	if (model->hosttab != NULL)
		fm_hosttab_free(&model->hosttab);
	model->hosttab = fm_hosttab_new();
	if (model->hosttab == NULL) {
		fm_check_memory(check);
		return;
	}
	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		if (host->site != NULL &&
		    fm_text_is_one_of(host->pattern, no_hosts))
			fm_diag_warning(check->diag, &host->at,
			    FM_MSG_SLIP_DEFAULT,
			    FM_CHECK_QUOTE(host->pattern));
		block = host_block(check, host);
		if (fm_hosttab_add(model->hosttab, host->pattern, block,
		    &host->at, check->diag) != 0)
			check->failed++;
	}
	fm_hosttab_seal(model->hosttab);
}

/* Returns true if a file has nothing that is worth including elsewhere. */
static bool
is_nothing(const struct fm_model *model)
{
	return (model->nlists + model->nmaps + model->nrulesets == 0 &&
	    model->undecided == NULL && model->repeated == NULL);
}

static void
few_check(struct fm_check *check)
{
	const struct fm_check_options *options = check->options;
	const struct fm_model *model = check->model;
	const struct fm_source_file *file = model->files;
	struct fm_place place = { .name = file == NULL ? "" : file->name };
	const struct fm_place *at = file == NULL ? NULL : &place;

	if (options == NULL)
		return;
	/* The parser may have lost hosts and blocks that had errors. */
	if (check->broken)
		return;
	if (model->nhosts < options->min_hosts)
		fm_check_error(check, at, FM_MSG_MIN_HOSTS, model->nhosts,
		    options->min_hosts);
	else if (model->sites == NULL && model->nhosts == 0 &&
	    model->always == NULL && model->finally == NULL &&
	    (options->serving || is_nothing(model)))
		fm_check_error(check, at, FM_MSG_NO_RULES);
}

/*--------------------------------------------------------------------
 * All of it
 */

static bool
check_begin(struct fm_check *check)
{
	const struct fm_model *model = check->model;

	check->headers.nocase = true;
	check->set_once.nocase = check->signals.nocase = true;
	check->told.nocase = true;
	check->list_uses = calloc((size_t)model->nlists + 1,
	    sizeof *check->list_uses);
	check->map_uses = calloc((size_t)model->nmaps + 1,
	    sizeof *check->map_uses);
	return (check->list_uses != NULL && check->map_uses != NULL);
}

static void
check_end(struct fm_check *check)
{
	free(check->list_uses);
	free(check->map_uses);
	fm_check_table_fini(&check->lists);
	fm_check_table_fini(&check->maps);
	fm_check_table_fini(&check->rulesets);
	fm_check_table_fini(&check->backends);
	fm_check_table_fini(&check->headers);
	fm_check_table_fini(&check->set_once);
	fm_check_table_fini(&check->signals);
	fm_check_table_fini(&check->told);
}

bool
fm_check(struct fm_model *model, const struct fm_check_options *options,
    struct fm_diag *diag)
{
	struct fm_check check = { .model = model, .options = options,
	    .diag = diag, .loop_steps = LOOP_STEPS,
	    .signal_steps = LOOP_STEPS };
	struct fm_caps caps = { .over = false };

	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	check.broken = fm_diag_errors(diag) > 0;
	fm_caps_begin(&caps);
	if (check_begin(&check)) {
		names_add(&check);
		backends_add(&check);
		hosts_check(&check);
		sites_check(&check);
		fm_check_uses(&check);
		signals_check(&check);
		fm_check_undecided(&check);
		fm_check_trust(&check);
		fm_check_maps(&check);
		fm_check_lists(&check);
		few_check(&check);
		fm_check_unused(&check);
	} else {
		fm_check_memory(&check);
	}
	fm_caps_end();
	check_end(&check);
	return (!check.broken && check.failed == 0);
}
