/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What an object was filled with.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "arena.h"
#include "compat.h"
#include "listfile.h"
#include "recipe.h"
#include "sources.h"

/* An .add(), or a file where there is a path. */
struct part {
	const char		*path;
	bool			watched;
	bool			kept;		/* the entries of the file */
	int			kind;		/* of its patterns */
	size_t			count;
	size_t			room;
	struct fm_entry		*entry;		/* malloc'ed */
	char			digest[FM_DIGEST_LEN];	/* of what is kept */
};

struct fm_recipe {
	unsigned		magic;
#define FM_RECIPE_MAGIC		0x51c7be0f
	unsigned		options;
	const struct fm_recipe_type *type;
	struct part		*part;
	size_t			count;
	size_t			room;
	size_t			adds;		/* parts that are no files */
	size_t			watched;	/* files that are */
	double			watch;
	struct fm_arena		arena;
};

struct fm_recipe *
fm_recipe_new(const struct fm_recipe_type *type, unsigned options)
{
	struct fm_recipe *recipe;

	AN(type);
	assert(type->set.make == fm_recipe_make);
	ALLOC_OBJ(recipe, FM_RECIPE_MAGIC);
	if (recipe == NULL)
		return (NULL);
	recipe->type = type;
	recipe->options = options;
	return (recipe);
}

void
fm_recipe_free(struct fm_recipe **recipep)
{
	struct fm_recipe *recipe;
	size_t n;

	TAKE_OBJ_NOTNULL(recipe, recipep, FM_RECIPE_MAGIC);
	for (n = 0; n < recipe->count; n++)
		free(recipe->part[n].entry);
	free(recipe->part);
	fm_arena_fini(&recipe->arena);
	FREE_OBJ(recipe);
}

void
fm_recipe_end(void *priv)
{
	struct fm_recipe *recipe;

	CAST_OBJ_NOTNULL(recipe, priv, FM_RECIPE_MAGIC);
	fm_recipe_free(&recipe);
}

/*--------------------------------------------------------------------
 * Filling it
 */

/* Room for one more of what is count so far.  0, or -1: no memory. */
static int
room_for(void **array, size_t count, size_t *room, size_t size)
{
	void *grown;
	size_t want;

	if (count < *room)
		return (0);
	want = *room == 0 ? 1 : *room * 2;
	grown = reallocarray(*array, want, size);
	if (grown == NULL)
		return (-1);
	*array = grown;
	*room = want;
	return (0);
}

/* A new part, not yet counted; NULL: no memory. */
static struct part *
part_new(struct fm_recipe *recipe)
{
	void *array = recipe->part;
	struct part *part;

	if (room_for(&array, recipe->count, &recipe->room,
	    sizeof *recipe->part) != 0)
		return (NULL);
	recipe->part = array;
	part = &recipe->part[recipe->count];
	*part = (struct part){ .path = NULL };
	return (part);
}

/* 0, or -1: no memory. */
static int
text_keep(struct fm_recipe *recipe, struct fm_text *text)
{
	if (text->b == NULL)
		return (0);
	text->b = fm_arena_add(&recipe->arena, *text);
	return (text->b == NULL ? -1 : 0);
}

static int
part_keep(struct fm_recipe *recipe, struct part *part,
    const struct fm_entry *entry, struct fm_diag *diag)
{
	void *array = part->entry;
	struct fm_entry kept = *entry;

	if (room_for(&array, part->count, &part->room,
	    sizeof *part->entry) == 0) {
		part->entry = array;
		if (text_keep(recipe, &kept.text) == 0 &&
		    text_keep(recipe, &kept.given.string) == 0) {
			part->entry[part->count++] = kept;
			return (0);
		}
	}
	fm_diag_error(diag, &entry->place, "out of memory");
	return (-1);
}

int
fm_recipe_add(struct fm_recipe *recipe, const struct fm_entry *entry,
    struct fm_diag *diag)
{
	struct part *part;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	AN(entry);
	part = part_new(recipe);
	if (part == NULL)
		return (-1);
	if (part_keep(recipe, part, entry, diag) != 0) {
		free(part->entry);
		return (-1);
	}
	part->kept = true;
	recipe->count++;
	recipe->adds++;
	return (0);
}

/*--------------------------------------------------------------------
 * Files
 */

typedef int entry_f(void *priv, const struct fm_entry *, struct fm_diag *);

/*
 * All lines, also after a mistake: the author shall see all mistakes.  Builders
 * remember places, so the name in them is the recipe's.
 */
static int
part_read(const struct fm_recipe *recipe, const struct part *part,
    struct fm_sources *sources, size_t *count, entry_f *func, void *priv,
    struct fm_diag *diag)
{
	struct fm_entry entry = { .kind = part->kind };
	struct fm_listfile list = { .name = part->path };
	struct fm_text line, string;
	struct fm_file *file;
	int failed = 0;

	*count = 0;
	file = fm_sources_read(sources, part->path, FM_LISTFILE_MAX, NULL,
	    diag);
	if (file == NULL)
		return (-1);
	list.rest = fm_text(file->bytes, file->len);
	while (fm_listfile_next(&list, &line, &entry.place, diag)) {
		if (*count == recipe->type->most) {
			fm_diag_error(diag, &entry.place, "more than %zu "
			    "lines: divide them among several files", *count);
			failed = -1;
			break;
		}
		entry.text = line;
		string = fm_text_of(NULL);
		if (recipe->type->part != NULL)
			recipe->type->part(line, &entry.text, &string);
		entry.given = fm_given_string(string);
		if (func(priv, &entry, diag) != 0)
			failed = -1;
		++*count;
	}
	fm_file_free(&file);
	return (failed);
}

/* Prints the digest of a file that was read; NULL: it was not. */
static const char *
file_digest(const struct fm_sources *sources, const char *path,
    char digest[FM_DIGEST_LEN])
{
	const struct fm_source *source;

	source = sources == NULL ? NULL :
	    fm_sources_find(sources, path, false);
	if (source == NULL || source->error != 0)
		return (NULL);
	return (fm_digest_print(source->hash, digest));
}

struct keeping {
	struct fm_recipe	*recipe;
	struct part		*part;
};

static int
keeping_add(void *priv, const struct fm_entry *entry, struct fm_diag *diag)
{
	const struct keeping *keeping = priv;

	return (part_keep(keeping->recipe, keeping->part, entry, diag));
}

/* Reads a file for good.  0, or -1 with what is wrong in the diag. */
static int
part_settle(struct fm_recipe *recipe, struct part *part, struct fm_diag *diag)
{
	struct keeping keeping = { recipe, part };
	struct fm_sources *sources;
	size_t count;
	int failed = -1;

	sources = fm_sources_new(false);
	if (sources != NULL)
		failed = part_read(recipe, part, sources, &count, keeping_add,
		    &keeping, diag);
	if (failed == 0) {
		AN(file_digest(sources, part->path, part->digest));
		part->kept = true;
	}
	if (sources != NULL)
		fm_sources_free(&sources);
	return (failed);
}

int
fm_recipe_load(struct fm_recipe *recipe, const char *path, int kind,
    double watch, struct fm_diag *diag)
{
	struct part *part;
	size_t n;
	int failed = 0;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	AN(path);
	part = part_new(recipe);
	if (part == NULL)
		return (-1);
	part->path = fm_arena_add(&recipe->arena, fm_text_of(path));
	if (part->path == NULL)
		return (-1);
	part->kind = kind;
	part->watched = watch > 0.;
	recipe->count++;
	if (part->watched) {
		recipe->watched++;
		if (recipe->watch <= 0. || watch < recipe->watch)
			recipe->watch = watch;
	}
	if (!fm_recipe_is_mixed(recipe))
		return (0);
	for (n = 0; n < recipe->count; n++) {
		part = &recipe->part[n];
		if (!part->kept && !part->watched &&
		    part_settle(recipe, part, diag) != 0)
			failed = -1;
	}
	return (failed);
}

/*--------------------------------------------------------------------
 * What there is to know of it
 */

size_t
fm_recipe_parts(const struct fm_recipe *recipe)
{
	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	return (recipe->count);
}

bool
fm_recipe_is_mixed(const struct fm_recipe *recipe)
{
	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	return (recipe->watched > 0 &&
	    recipe->adds + recipe->watched < recipe->count);
}

double
fm_recipe_watch(const struct fm_recipe *recipe)
{
	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	return (recipe->watch);
}

const char *
fm_recipe_path(const struct fm_recipe *recipe)
{
	const char *first = NULL;
	size_t n;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	for (n = 0; n < recipe->count; n++) {
		if (recipe->part[n].watched)
			return (recipe->part[n].path);
		if (first == NULL)
			first = recipe->part[n].path;
	}
	return (first);
}

char *
fm_recipe_key(const struct fm_recipe *recipe)
{
	const struct part *part;
	char *key = NULL;
	size_t len, n;
	FILE *to;
	bool bad;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	if (recipe->adds > 0 || recipe->count == 0)
		return (NULL);
	to = open_memstream(&key, &len);
	if (to == NULL)
		return (NULL);
	fprintf(to, "%s %u", recipe->type->set.name, recipe->options);
	for (n = 0; n < recipe->count; n++) {
		part = &recipe->part[n];
		/* The length, as a path may have any bytes. */
		fprintf(to, "\n%d %s %zu %s", part->kind,
		    part->watched ? "watched" :
		    part->kept ? part->digest : "-",
		    strlen(part->path), part->path);
	}
	bad = ferror(to);
	if (fclose(to) != 0 || bad) {
		free(key);
		return (NULL);
	}
	return (key);
}

/*--------------------------------------------------------------------
 * Making a set by it
 */

struct target {
	const struct fm_recipe_type	*type;
	void				*payload;
};

static int
target_add(void *priv, const struct fm_entry *entry, struct fm_diag *diag)
{
	const struct target *target = priv;

	return (target->type->add(target->payload, entry, diag));
}

/*
 * A watched file without entries is most likely one that somebody is about to
 * write, or a mistake; unless it was like that when it was read before.
 */
static int
part_is_empty(const struct part *part, const struct fm_set *before,
    const struct fm_sources *sources, struct fm_diag *diag)
{
	struct fm_place place = { .name = part->path };
	char was[FM_DIGEST_LEN], is[FM_DIGEST_LEN];
	const char *then, *now;

	then = file_digest(before->sources, part->path, was);
	now = file_digest(sources, part->path, is);
	if (then != NULL && now != NULL && strcmp(then, now) == 0)
		return (0);
	fm_diag_error(diag, &place, "the file has no entries: what served"
	    " before goes on; if that is meant, load the VCL anew");
	return (-1);
}

void *
fm_recipe_begin(const struct fm_recipe *recipe)
{
	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	return (recipe->type->begin(recipe->options));
}

int
fm_recipe_fill(const struct fm_recipe *recipe, size_t n, void *payload,
    const struct fm_set *before, struct fm_sources *sources,
    struct fm_diag *diag)
{
	const struct part *part;
	struct target target;
	size_t count;
	int failed = 0;

	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	assert(n < recipe->count);
	AN(payload);
	part = &recipe->part[n];
	target = (struct target){ recipe->type, payload };
	if (!part->kept) {
		failed = part_read(recipe, part, sources, &count, target_add,
		    &target, diag);
		if (failed == 0 && count == 0 && part->watched &&
		    before != NULL)
			failed = part_is_empty(part, before, sources, diag);
	} else {
		for (count = 0; count < part->count; count++)
			if (target_add(&target, &part->entry[count],
			    diag) != 0)
				failed = -1;
	}
	return (failed);
}

int
fm_recipe_compile(const struct fm_recipe *recipe, void *payload,
    struct fm_set_facts *facts, struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(recipe, FM_RECIPE_MAGIC);
	AN(payload);
	return (recipe->type->end(payload, facts, diag));
}

void *
fm_recipe_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	const struct fm_recipe *recipe;
	void *payload;
	size_t n;
	int failed = 0;

	CAST_OBJ_NOTNULL(recipe, priv, FM_RECIPE_MAGIC);
	if (diag == NULL)
		return (NULL);
	payload = fm_recipe_begin(recipe);
	if (payload == NULL)
		return (NULL);
	for (n = 0; n < recipe->count; n++)
		if (fm_recipe_fill(recipe, n, payload, before, sources,
		    diag) != 0)
			failed = -1;
	/* A line that could not be read at all is only in the diag. */
	if (failed == 0 && fm_diag_errors(diag) == 0 &&
	    fm_recipe_compile(recipe, payload, facts, diag) == 0)
		return (payload);
	recipe->type->set.free(payload);
	return (NULL);
}
