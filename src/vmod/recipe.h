/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recipe says how to make the payload of an object (a table of hosts, a set
 * of patterns, or a set of parameter names): it lists the entries of .add() and
 * the files of .load() in the order of the calls.
 *
 *	vcl_init	fm_recipe_add() and fm_recipe_load() append to the
 *			recipe; no file is read yet
 *	first WARM	fm_recipe_close(): the recipe never changes again
 *	later		fm_recipe_make() makes a payload, in the thread that
 *			loads or reloads
 *
 * If one of the files has a watch, all of them are watched.
 */

#ifndef FM_RECIPE_H
#define FM_RECIPE_H

#include "live.h"
#include "value.h"

/* An entry: the arguments of one .add(), or one line of a file. */
struct fm_entry {
	struct fm_text		text;
	struct fm_given		given;
	struct fm_place		place;
	int			kind;		/* of pattern: glob, ... */
};

/* A type of objects, and how it makes payloads. */
struct fm_recipe_type {
	/* The type of its sets; make and free_recipe are recipe.c's. */
	struct fm_set_type	set;
	const char		*noun;		/* "pattern": an entry, in
						 * messages */
	size_t			most;		/* lines that a file may have */

	/*
	 * Splits a line into the entry's text and its string, which is the
	 * missing text if the line has none.  NULL: lines have no strings.
	 */
	void			(*part)(struct fm_text line,
	    struct fm_text *text, struct fm_text *string);

	/* Returns an empty payload, or NULL if there is no memory. */
	void			*(*begin)(unsigned options);

	/*
	 * Adds an entry.  Returns 0, or -1 with the reason in the diag (no
	 * error in the diag: no memory).  After -1 the caller may add further
	 * entries, so that all mistakes are found.
	 */
	int			(*add)(void *payload, const struct fm_entry *,
	    struct fm_diag *);

	/* Compiles the payload once all is added.  Returns as add does. */
	int			(*end)(void *payload, struct fm_set_facts *,
	    struct fm_diag *);
};

struct fm_recipe;

/*
 * Returns a recipe with one reference; NULL if there is no memory.  The options
 * are passed to begin().  Any thread may drop a reference.
 */
struct fm_recipe *fm_recipe_new(const struct fm_recipe_type *,
    unsigned options, const char *object);
void fm_recipe_drop(void *recipe);

/*
 * fm_recipe_add() appends a copy of an entry, which has no place yet.
 * fm_recipe_load() appends a file, whose lines are entries of this kind.  They
 * return 0, or -1 with the reason in the diag (none: no memory).
 */
int fm_recipe_add(struct fm_recipe *, const struct fm_entry *,
    struct fm_diag *);
int fm_recipe_load(struct fm_recipe *, const char *path, int kind,
    double watch);

/*
 * Closes the recipe, and sets the type, path, watch, recipe and key of the
 * options of a live.  The options get a reference to the recipe.  Objects whose
 * key is the same share a set, so the key contains all that distinguishes one
 * recipe from another.  A recipe with entries of .add() has no key, as their
 * values may belong to the VCL.  May be called again if the live could not be
 * opened.
 */
void fm_recipe_close(struct fm_recipe *, struct fm_live_options *);

/* Makes a payload, as fm_set_type.make says (live.h). */
void *fm_recipe_make(const void *recipe, const struct fm_set *before,
    struct fm_sources *, struct fm_set_facts *, struct fm_diag *);

/*
 * Returns true if a file is empty now, or a glob finds nothing, and was not so
 * in the set before: most likely somebody is about to write the files.  Each of
 * them is an error in the diag.
 */
bool fm_recipe_is_cut(const struct fm_set *before, const struct fm_sources *,
    struct fm_diag *);

#endif
