/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What an object was filled with: in vcl_init.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "filling.h"
#include "pervcl.h"

int
fm_filling_init(struct fm_filling *filling, const struct fm_recipe_type *type,
    unsigned options)
{
	INIT_OBJ(filling, FM_FILLING_MAGIC);
	filling->type = type;
	filling->recipe = fm_recipe_new(type, options);
	return (filling->recipe == NULL ? -1 : 0);
}

void
fm_filling_of(struct fm_filling *filling, struct fm_object *object)
{
	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	AZ(filling->object);
	filling->object = object;
}

/* The draft goes, or what was shared instead of it. */
static void
draft_drop(struct fm_filling *filling)
{
	filling->fixed = NULL;
	if (filling->draft != NULL)
		filling->type->set.free(filling->draft);
	filling->draft = NULL;
	filling->drafted = 0;
	if (filling->sources != NULL)
		fm_sources_free(&filling->sources);
	if (filling->warnings != NULL)
		fm_diag_free(&filling->warnings);
	if (filling->shared != NULL)
		fm_set_drop(&filling->shared);
}

void
fm_filling_fini(struct fm_filling *filling)
{
	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	draft_drop(filling);
	if (filling->recipe != NULL)
		fm_recipe_free(&filling->recipe);
	while (filling->nbackends > 0)
		VRT_Assign_Backend(&filling->backend[--filling->nbackends],
		    NULL);
	free(filling->backend);
	filling->magic = 0;
}

/*--------------------------------------------------------------------
 * The draft: it has the first `drafted` parts of the recipe, and is compiled
 * if something reads it (`fixed`).
 */

/* The messages of a file, or of all. */
static void
diag_copy(struct fm_diag *to, const struct fm_diag *from, bool errors,
    const char *path)
{
	struct fm_diag_message message;
	unsigned n;

	for (n = 0; fm_diag_message(from, n, &message); n++) {
		if (message.error != errors || (path != NULL &&
		    (message.at.name == NULL ||
		    strcmp(message.at.name, path) != 0)))
			continue;
		if (errors)
			fm_diag_error(to, &message.at, "%s", message.text);
		else
			fm_diag_warning(to, &message.at, "%s", message.text);
	}
}

static int
draft_begin(struct fm_filling *filling)
{
	draft_drop(filling);
	filling->mixed = fm_recipe_is_mixed(filling->recipe);
	filling->warnings = fm_diag_new();
	filling->sources = fm_sources_new(false);
	if (filling->sources == NULL)
		return (-1);
	filling->draft = fm_recipe_begin(filling->recipe);
	return (filling->draft == NULL ? -1 : 0);
}

/* Adds parts up to number `end`. */
static int
draft_fill(struct fm_filling *filling, size_t end, struct fm_diag *diag)
{
	int failed = 0;

	for (; filling->drafted < end; filling->drafted++)
		if (fm_recipe_fill(filling->recipe, filling->drafted,
		    filling->draft, NULL, filling->sources, diag) != 0)
			failed = -1;
	return (failed);
}

/*
 * Brings the draft up to date with the recipe.  Where it can't take any more
 * it is made anew; the warnings about what was in it have been told.
 */
static int
draft_update(struct fm_filling *filling, struct fm_diag *diag)
{
	struct fm_diag *again;
	size_t parts;
	int failed = 0;

	parts = fm_recipe_parts(filling->recipe);
	if (filling->draft == NULL || filling->fixed != NULL ||
	    filling->mixed != fm_recipe_is_mixed(filling->recipe)) {
		if (draft_begin(filling) != 0)
			return (-1);
		again = fm_diag_new();
		if (parts > 1)
			failed = draft_fill(filling, parts - 1, again);
		diag_copy(diag, again, true, NULL);
		diag_copy(filling->warnings, again, false, NULL);
		fm_diag_free(&again);
	}
	if (draft_fill(filling, parts, diag) != 0)
		failed = -1;
	diag_copy(filling->warnings, diag, false, NULL);
	return (failed);
}

int
fm_filling_compile(struct fm_filling *filling, struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (filling->fixed != NULL)
		return (0);
	if (filling->recipe == NULL)
		return (-1);
	/* again, after there was no memory */
	if (filling->draft == NULL && (draft_begin(filling) != 0 ||
	    draft_fill(filling, fm_recipe_parts(filling->recipe), diag) != 0))
		return (-1);
	filling->facts = (struct fm_set_facts){ .hosts = 0 };
	if (fm_recipe_compile(filling->recipe, filling->draft,
	    &filling->facts, diag) != 0)
		return (-1);
	filling->fixed = filling->draft;
	return (0);
}

/*--------------------------------------------------------------------
 * .add() and .load()
 */

/* A reference for as long as the object lives.  0, or -1: no memory. */
static int
backend_hold(struct fm_filling *filling, VCL_BACKEND backend)
{
	VCL_BACKEND *grown;
	size_t room;

	if (filling->nbackends == filling->room) {
		room = filling->room == 0 ? 8 : filling->room * 2;
		grown = reallocarray(filling->backend, room, sizeof *grown);
		if (grown == NULL)
			return (-1);
		filling->backend = grown;
		filling->room = room;
	}
	filling->backend[filling->nbackends] = NULL;
	VRT_Assign_Backend(&filling->backend[filling->nbackends++], backend);
	return (0);
}

int
fm_filling_add(struct fm_filling *filling, const struct fm_entry *entry,
    struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	AN(entry);
	if (!fm_given_may(&entry->given, &entry->place, diag))
		return (-1);
	if ((entry->given.has & FM_VALUE_SUB) &&
	    fm_vcl_add_sub(filling->object->vcl, entry->given.sub) != 0)
		return (-1);
	if ((entry->given.has & FM_VALUE_BACKEND) &&
	    backend_hold(filling, entry->given.backend) != 0)
		return (-1);
	if (fm_recipe_add(filling->recipe, entry, diag) != 0)
		return (-1);
	return (draft_update(filling, diag));
}

/*
 * Has another VCL a set of what this recipe says, and are its files as they
 * were?  Then there is nothing to be done but to tell its warnings.
 */
static bool
filling_share(struct fm_filling *filling, const char *path,
    struct fm_diag *diag)
{
	struct fm_set *set;
	char *key;

	key = fm_recipe_key(filling->recipe);
	if (key == NULL)
		return (false);
	set = fm_set_find(&filling->type->set, key);
	free(key);
	if (set == NULL)
		return (false);
	draft_drop(filling);
	filling->shared = set;
	filling->fixed = set->payload;
	diag_copy(diag, set->diag, false, path);
	return (true);
}

int
fm_filling_load(struct fm_filling *filling, const char *path, int kind,
    double watch, struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (fm_recipe_load(filling->recipe, path, kind, watch, diag) != 0)
		return (-1);
	/* Of a mixed one all files must have been read: it may be shared
	 * when it is complete. */
	if (!fm_recipe_is_mixed(filling->recipe) &&
	    filling_share(filling, path, diag))
		return (0);
	return (draft_update(filling, diag));
}

void
fm_filling_vcl_load(VRT_CTX, struct fm_filling *filling, VCL_STRING path,
    int kind, VCL_DURATION watch)
{
	struct fm_diag *diag;
	int failed = -1;

	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (!fm_object_begin(ctx, filling->object, "load", &diag))
		return;
	if (fm_object_may_load(filling->object, path, watch, diag))
		failed = fm_filling_load(filling, path, kind, watch, diag);
	fm_object_end(ctx, filling->object, "load", &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * WARM
 */

/* The set that was made, or found.  NULL: no memory. */
static struct fm_set *
filling_set(struct fm_filling *filling, const char *key)
{
	struct fm_set *set;

	filling->fixed = NULL;
	if (filling->shared != NULL) {
		set = filling->shared;
		filling->shared = NULL;
		return (set);
	}
	set = fm_set_new(&filling->type->set, key, filling->draft,
	    filling->sources, &filling->facts, filling->warnings);
	filling->draft = NULL;
	filling->sources = NULL;
	filling->warnings = NULL;
	return (set);
}

/* Hands all over to the live.  0, or -1 with what is wrong in the diag. */
static int
filling_open(struct fm_filling *filling, const char *path, const char *key,
    struct fm_diag *diag)
{
	struct fm_object *object = filling->object;
	struct fm_live_options options = { .type = &filling->type->set };

	options.first = filling_set(filling, key);
	if (options.first == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	options.path = path;
	options.key = key;
	options.watch = fm_recipe_watch(filling->recipe);
	/* What is not watched is never made again. */
	if (options.watch > 0.)
		options.recipe = filling->recipe;
	else
		fm_recipe_free(&filling->recipe);
	filling->recipe = NULL;
	if (fm_object_open(object, &options, diag) != 0)
		return (-1);
	if (options.watch <= 0.)
		filling->fixed = fm_live_first(object->live)->payload;
	return (0);
}

int
fm_filling_warm(struct fm_filling *filling, struct fm_diag *diag)
{
	const char *named;
	char *key, *path;
	int failed = -1;

	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (filling->object->live != NULL)
		return (0);
	if (filling->fixed == NULL && filling->mixed)
		(void)filling_share(filling, NULL, NULL);
	if (fm_filling_compile(filling, diag) != 0) {
		if (diag == NULL || fm_diag_errors(diag) == 0)
			fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	/* These outlive the recipe, which is the live's from there on. */
	key = fm_recipe_key(filling->recipe);
	named = fm_recipe_path(filling->recipe);
	path = named == NULL ? NULL : strdup(named);
	if (named == NULL || path != NULL)
		failed = filling_open(filling, path, key, diag);
	free(path);
	free(key);
	return (failed);
}
