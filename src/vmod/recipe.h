/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What an object was filled with, in order, so that it can be done again: the
 * entries that .add() gave, and the files that .load() named.
 *
 * A recipe belongs to the CLI thread while it is filled.  After that nothing
 * in it changes, and the keeper's thread may make a set by it.
 *
 * A file that is not watched keeps, in an object with files that are, what was
 * in it at vcl.load: its entries are kept in the recipe, and it is not read
 * again, nor is it among the sources of the set.
 */

#ifndef FM_RECIPE_H
#define FM_RECIPE_H

#include "live.h"
#include "value.h"

/*
 * What .add() gave, or a line of a file.  The texts and the name of the place
 * live as long as the recipe.
 */
struct fm_entry {
	struct fm_text		text;
	struct fm_given		given;
	struct fm_place		place;
	int			kind;	/* of the pattern */
};

/*
 * A type of object: how its sets, the payloads, are made of entries.  The set
 * type has a name and `free`; make and free_recipe are those of this file.
 */
struct fm_recipe_type {
	struct fm_set_type	set;
	size_t			most;		/* lines of a file */

	/* Parts a line into the entry and its string; NULL: it has none. */
	void			(*part)(struct fm_text line,
	    struct fm_text *text, struct fm_text *string);

	/* An empty payload.  NULL: no memory. */
	void			*(*begin)(unsigned options);

	/*
	 * 0, or -1 with the reason in the diag, or for want of memory; then
	 * others may still be added.
	 */
	int			(*add)(void *payload, const struct fm_entry *,
	    struct fm_diag *);

	/* Compiles it: the last change.  0, or -1 as above. */
	int			(*end)(void *payload, struct fm_set_facts *,
	    struct fm_diag *);
};

struct fm_recipe;

/* options: those of the object, as begin() has them.  NULL: no memory. */
struct fm_recipe *fm_recipe_new(const struct fm_recipe_type *,
    unsigned options);
void fm_recipe_free(struct fm_recipe **);

/*
 * Appends an entry, of which the texts are copied (the name of the place is
 * not), or a file of entries of this kind.  0, or -1 with what is wrong in the
 * diag: no memory; and what is wrong with files that are to be kept.
 */
int fm_recipe_add(struct fm_recipe *, const struct fm_entry *,
    struct fm_diag *);
int fm_recipe_load(struct fm_recipe *, const char *path, int kind,
    double watch, struct fm_diag *);

/* How many of either. */
size_t fm_recipe_parts(const struct fm_recipe *);

/* It has files that are watched, and such that are not. */
bool fm_recipe_is_mixed(const struct fm_recipe *);

/* Seconds, the least of all files; 0: nothing is watched. */
double fm_recipe_watch(const struct fm_recipe *);

/* The first file that is watched, or else the first file; NULL: none. */
const char *fm_recipe_path(const struct fm_recipe *);

/*
 * What others share a set by: all that tells this recipe from another one,
 * malloc'ed.  NULL for one with entries of .add(), an empty one, and for want
 * of memory.
 */
char *fm_recipe_key(const struct fm_recipe *);

/* An empty payload for it.  NULL: no memory. */
void *fm_recipe_begin(const struct fm_recipe *);

/*
 * Adds part n, from 0, to a payload, reading through these sources.  All of
 * its mistakes are reported.  0, or -1 as of fm_recipe_type.
 */
int fm_recipe_fill(const struct fm_recipe *, size_t n, void *payload,
    const struct fm_set *before, struct fm_sources *, struct fm_diag *);

/* All parts were added: the last change.  0, or -1 as of fm_recipe_type. */
int fm_recipe_compile(const struct fm_recipe *, void *payload,
    struct fm_set_facts *, struct fm_diag *);

/* Of struct fm_set_type: all parts, compiled; and the recipe's end. */
void *fm_recipe_make(const void *recipe, const struct fm_set *before,
    struct fm_sources *, struct fm_set_facts *, struct fm_diag *);
void fm_recipe_end(void *recipe);

#endif
