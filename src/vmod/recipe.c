/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Recipes: collects what .add() and .load() were given, and makes payloads of
 * that as often as the files change.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "arena.h"
#include "caps.h"
#include "compat.h"
#include "grow.h"
#include "listfile.h"
#include "recipe.h"

/* One .add(), whose path is NULL; or one .load(). */
struct part {
	const char		*path;
	struct fm_entry		entry;		/* of .load() only the kind */
};

struct fm_recipe {
	unsigned		magic;
#define FM_RECIPE_MAGIC		0x51c7be0f
	unsigned		refs;		/* atomic */
	unsigned		options;
	const struct fm_recipe_type *type;
	struct fm_grow		parts;
	unsigned		adds;		/* parts of .add() */
	double			watch;		/* seconds, the least of all
						 * files that have one; 0: none
						 * is watched */
	char			*add_name;	/* "object.add()" */
	char			*key;		/* or NULL */
	struct fm_arena		arena;
};

struct fm_recipe *
fm_recipe_new(const struct fm_recipe_type *type, unsigned options,
    const char *object)
{
	struct fm_recipe *recipe;

	AN(type);
	assert(type->set.make == fm_recipe_make);
	ALLOC_OBJ(recipe, FM_RECIPE_MAGIC);
	if (recipe == NULL)
		return (NULL);
	if (asprintf(&recipe->add_name, "%s.add()", object) < 0) {
		FREE_OBJ(recipe);
		return (NULL);
	}
	recipe->refs = 1;
	recipe->type = type;
	recipe->options = options;
	return (recipe);
}

static struct part *
part_at(const struct fm_recipe *recipe, size_t n)
{
	return (n < recipe->parts.n ?
	    FM_GROW_AT(&recipe->parts, struct part, n) : NULL);
}

void
fm_recipe_drop(void *priv)
{
	struct fm_recipe *recipe;

	CAST_OBJ_NOTNULL(recipe, priv, FM_RECIPE_MAGIC);
	if (__atomic_sub_fetch(&recipe->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	fm_grow_fini(&recipe->parts);
	fm_arena_fini(&recipe->arena);
	free(recipe->add_name);
	free(recipe->key);
	FREE_OBJ(recipe);
}

/*--------------------------------------------------------------------
 * In vcl_init
 */

/* Returns a copy in the recipe's arena; the missing text: no memory. */
static struct fm_text
text_keep(struct fm_recipe *recipe, struct fm_text text)
{
	return (fm_text(fm_arena_add(&recipe->arena, text), text.len));
}

int
fm_recipe_add(struct fm_recipe *recipe, const struct fm_entry *entry,
    struct fm_diag *diag)
{
	struct fm_entry kept = *entry;
	struct part *part;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	kept.place = (struct fm_place){
	    .name = recipe->add_name, .call = ++recipe->adds };
	if (entry->text.b == NULL) {
		fm_diag_error(diag, &kept.place, "the %s is NULL",
		    recipe->type->noun);
		return (-1);
	}
	if (!fm_given_may(&entry->given, &kept.place, diag))
		return (-1);
	kept.text = text_keep(recipe, entry->text);
	if (entry->given.has & FM_VALUE_STRING)
		kept.given.string = text_keep(recipe, entry->given.string);
	part = fm_grow_add(&recipe->parts, sizeof *part, 1);
	if (part == NULL || kept.text.b == NULL ||
	    (kept.given.string.b == NULL && entry->given.string.b != NULL))
		return (-1);
	part->entry = kept;
	return (0);
}

int
fm_recipe_load(struct fm_recipe *recipe, const char *path, int kind,
    double watch)
{
	struct part *part;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	AN(path);
	part = fm_grow_add(&recipe->parts, sizeof *part, 1);
	if (part == NULL)
		return (-1);
	part->path = fm_arena_add(&recipe->arena, fm_text_of(path));
	part->entry.kind = kind;
	if (watch > 0. && (recipe->watch <= 0. || watch < recipe->watch))
		recipe->watch = watch;
	return (part->path == NULL ? -1 : 0);
}

/*--------------------------------------------------------------------
 * At the first WARM
 */

/* Returns the first file, or NULL. */
static const char *
recipe_path(const struct fm_recipe *recipe)
{
	const struct part *part;
	size_t n;

	for (n = 0; (part = part_at(recipe, n)) != NULL; n++)
		if (part->path != NULL)
			return (part->path);
	return (NULL);
}

/* Returns the key, malloc'ed; NULL if it has none, or there is no memory. */
static char *
recipe_key(const struct fm_recipe *recipe)
{
	const struct part *part;
	char *key = NULL;
	size_t len, n;
	FILE *to;
	bool bad;

	if (recipe->adds > 0 || recipe->parts.n == 0)
		return (NULL);
	to = open_memstream(&key, &len);
	if (to == NULL)
		return (NULL);
	fprintf(to, "%s %u", recipe->type->set.name, recipe->options);
	for (n = 0; (part = part_at(recipe, n)) != NULL; n++)
		fprintf(to, "\n%d %zu %s", part->entry.kind,
		    strlen(part->path), part->path);
	bad = ferror(to);
	if (fclose(to) != 0 || bad) {
		free(key);
		return (NULL);
	}
	return (key);
}

void
fm_recipe_close(struct fm_recipe *recipe, struct fm_live_options *options)
{
	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	free(recipe->key);
	recipe->key = recipe_key(recipe);
	(void)__atomic_add_fetch(&recipe->refs, 1, __ATOMIC_RELAXED);
	options->type = &recipe->type->set;
	options->recipe = recipe;
	options->key = recipe->key;
	options->path = recipe_path(recipe);
	options->watch = recipe->watch;
}

/*--------------------------------------------------------------------
 * Making a payload
 */

/*
 * Adds all lines of a file, even after an error.  Payloads remember places, so
 * the place's name is the recipe's own string.
 */
static int
lines_add(const struct fm_recipe *recipe, const struct part *part,
    const struct fm_file *file, void *payload, struct fm_diag *diag)
{
	const struct fm_recipe_type *type = recipe->type;
	struct fm_entry entry = { .kind = part->entry.kind };
	struct fm_listfile list = {
	    .name = part->path, .rest = fm_text(file->bytes, file->len) };
	struct fm_text line, string;
	size_t count = 0;
	int failed = 0;

	while (fm_listfile_next(&list, &line, &entry.place, diag)) {
		if (count++ == type->most) {
			fm_diag_error(diag, &entry.place, "more than %zu "
			    "lines: divide them among several files",
			    type->most);
			return (-1);
		}
		entry.text = line;
		string = fm_text_of(NULL);
		if (type->part != NULL)
			type->part(line, &entry.text, &string);
		entry.given = fm_given_string(string);
		if (type->add(payload, &entry, diag) != 0)
			failed = -1;
	}
	return (failed);
}

static int
part_add(const struct fm_recipe *recipe, const struct part *part,
    void *payload, struct fm_sources *sources, struct fm_diag *diag)
{
	struct fm_file *file;
	int failed;

	if (part->path == NULL)
		return (recipe->type->add(payload, &part->entry, diag));
	file = fm_sources_read(sources, part->path, FM_LISTFILE_MAX, NULL,
	    diag);
	if (file == NULL)
		return (-1);
	failed = lines_add(recipe, part, file, payload, diag);
	fm_file_free(&file);
	return (failed);
}

bool
fm_recipe_is_cut(const struct fm_set *before, const struct fm_sources *sources,
    struct fm_diag *diag)
{
	const struct fm_source *source, *was;
	struct fm_place place;
	bool cut = false;

	if (before == NULL || before->sources == NULL)
		return (false);
	for (source = fm_sources_first(sources); source != NULL;
	    source = source->next) {
		was = fm_sources_find(before->sources, source->path,
		    source->glob);
		if (source->error != 0 || source->len > 0 ||
		    was == NULL || was->error != 0 || was->len == 0)
			continue;
		place = (struct fm_place){ .name = source->path };
		fm_diag_error_bare(diag, &place, source->glob ?
		    "no file is there, and there was before: put one with a "
		    "comment there if that is meant" :
		    "the file is empty, and was not before: write a comment "
		    "into it if that is meant");
		cut = true;
	}
	return (cut);
}

void *
fm_recipe_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	struct fm_caps caps = { .over = false };
	const struct fm_recipe *recipe;
	const struct part *part;
	void *payload;
	size_t n;
	int failed = 0;

	CAST_OBJ_NOTNULL(recipe, priv, FM_RECIPE_MAGIC);
	payload = recipe->type->begin(recipe->options);
	if (payload == NULL)
		return (NULL);
	fm_caps_begin(&caps);
	for (n = 0; (part = part_at(recipe, n)) != NULL; n++)
		if (part_add(recipe, part, payload, sources, diag) != 0)
			failed = -1;
	/* A line that could not be parsed is an error in the diag only. */
	if (fm_recipe_is_cut(before, sources, diag) ||
	    fm_diag_errors(diag) > 0 || failed != 0 ||
	    recipe->type->end(payload, facts, diag) != 0) {
		recipe->type->set.free(payload);
		payload = NULL;
	}
	fm_caps_end();
	return (payload);
}
