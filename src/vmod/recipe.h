/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recipe says how the payload of an object is made, be it a host table, a
 * set of patterns or one of names: from the entries of .add() and the files of
 * .load(), in their order.
 *
 *	vcl_init	fm_recipe_add(), fm_recipe_load(): nothing is read yet
 *	first WARM	fm_recipe_close(): from here on nothing in it changes
 *	then		fm_recipe_make(), by the thread that loads or reloads
 *
 * A file without a watch keeps, in an object with files that are watched, the
 * bytes that it had at the first WARM: it is not read again, and is none of
 * the sources of the payload.
 */

#ifndef FM_RECIPE_H
#define FM_RECIPE_H

#include "live.h"
#include "value.h"

/* An .add(), or a line of a file. */
struct fm_entry {
	struct fm_text		text;
	struct fm_given		given;
	struct fm_place		place;
	int			kind;		/* of the pattern */
};

/* How a type of object makes its payloads. */
struct fm_recipe_type {
	/* Its make and free_recipe are those of this file. */
	struct fm_set_type	set;
	const char		*noun;		/* of an entry, for messages */
	size_t			most;		/* lines of a file */

	/* Parts a line into the entry and its string; NULL: it has none. */
	void			(*part)(struct fm_text line,
	    struct fm_text *text, struct fm_text *string);

	/* Returns an empty payload; NULL: no memory. */
	void			*(*begin)(unsigned options);

	/*
	 * 0, or -1 with the reason in the diag, or for want of memory; then
	 * others may still be added, so that all mistakes are found.
	 */
	int			(*add)(void *payload, const struct fm_entry *,
	    struct fm_diag *);

	/* Compiles the payload, as the last change.  0, or -1 as above. */
	int			(*end)(void *payload, struct fm_set_facts *,
	    struct fm_diag *);
};

struct fm_recipe;

/*
 * The options are for begin().  Returns a recipe with one reference, or NULL:
 * no memory.  Any thread may drop a reference.
 */
struct fm_recipe *fm_recipe_new(const struct fm_recipe_type *,
    unsigned options, const char *object);
void fm_recipe_drop(void *recipe);

/*
 * Appends an entry without a place, whose texts are copied; or a file of
 * entries of this kind.  0, or -1 with what is wrong in the diag, or for want
 * of memory.
 */
int fm_recipe_add(struct fm_recipe *, const struct fm_entry *,
    struct fm_diag *);
int fm_recipe_load(struct fm_recipe *, const char *path, int kind,
    double watch);

/*
 * Fills in what the options of a live say of the recipe: type, path, watch, the
 * recipe itself with a reference more, and the key, by which objects share a
 * set.  The key has all that tells one recipe from another; one with entries of
 * .add() has none, as these may have values that are the VCL's own.  Where the
 * live can't be opened it may be closed again.  0, or -1 with what is wrong
 * with files that are kept.
 */
int fm_recipe_close(struct fm_recipe *, struct fm_live_options *,
    struct fm_diag *);

/* As fm_set_type.make says. */
void *fm_recipe_make(const void *recipe, const struct fm_set *before,
    struct fm_sources *, struct fm_set_facts *, struct fm_diag *);

/*
 * Returns true, with an error for each, if files have become empty, or a glob
 * finds none any more: most likely somebody is about to write them.
 */
bool fm_recipe_is_cut(const struct fm_set *before, const struct fm_sources *,
    struct fm_diag *);

#endif
