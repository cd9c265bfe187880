/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What an object was filled with, from the first .add() to the last request:
 * in vcl_init a recipe and a draft made by it, or a set that another VCL has
 * made by the same; from the first WARM on the object's live.
 *
 * Where no file is watched the payload is always the same one from there on,
 * and is read without any ado.  Else it is that of a version (live.h): for the
 * length of a call, or, once a task has asked by .match(), the same one up to
 * the end of the task; so the strings that the task was given stay, and all
 * that it asks this object is answered from one state of the files.
 */

#ifndef FM_FILLING_H
#define FM_FILLING_H

#include "object.h"
#include "recipe.h"

struct fm_filling {
	unsigned			magic;
#define FM_FILLING_MAGIC		0xd8352c61
	const struct fm_recipe_type	*type;
	struct fm_object		*object;
	const void			*fixed;		/* payload to be read;
							 * NULL: none yet, or
							 * that of a version */

	/* The rest is of vcl_init, and gone after the first WARM. */
	struct fm_recipe		*recipe;
	void				*draft;		/* payload, or NULL */
	size_t				drafted;	/* parts in it */
	bool				mixed;		/* was it, then? */
	struct fm_sources		*sources;	/* of the draft */
	struct fm_set_facts		facts;		/* once compiled */
	struct fm_diag			*warnings;
	struct fm_set			*shared;	/* instead of a draft */

	/* But for these, which entries refer to: up to the end. */
	VCL_BACKEND			*backend;
	size_t				nbackends;
	size_t				room;
};

/* 0, or -1: no memory.  The options are those of the recipe. */
int fm_filling_init(struct fm_filling *, const struct fm_recipe_type *,
    unsigned options);

/* The object, when it is there; it must be ended before the filling. */
void fm_filling_of(struct fm_filling *, struct fm_object *);
void fm_filling_fini(struct fm_filling *);

/*
 * The work of .add() and .load().  0, or -1 with the reasons in the diag, or
 * for want of memory.
 */
int fm_filling_add(struct fm_filling *, const struct fm_entry *,
    struct fm_diag *);
int fm_filling_load(struct fm_filling *, const char *path, int kind,
    double watch, struct fm_diag *);

/* All of .load(), for objects that have no more to do for it. */
void fm_filling_vcl_load(VRT_CTX, struct fm_filling *, VCL_STRING path,
    int kind, VCL_DURATION watch);

/* So that it can be read.  0, or -1 with the reason in the diag, or not. */
int fm_filling_compile(struct fm_filling *, struct fm_diag *);

/* On WARM, as fm_object_warm_f has it. */
int fm_filling_warm(struct fm_filling *, struct fm_diag *);

/*--------------------------------------------------------------------
 * Reading
 */

struct fm_reading {
	/*
	 * To be put back.  Where there is one, nothing of the payload outlives
	 * the call: strings are to be copied, and no match is kept.
	 */
	const struct fm_version		*version;
};

const void *fm_filling_find(VRT_CTX, struct fm_filling *,
    struct fm_reading *);

/*
 * The payload for a call, to be ended by fm_filling_done().  NULL, with
 * nothing to end: there is none; in vcl_init with VRT_fail() done.
 */
static inline const void *
fm_filling_read(VRT_CTX, struct fm_filling *filling,
    struct fm_reading *reading)
{
	reading->version = NULL;
	if (filling->fixed != NULL)
		return (filling->fixed);
	return (fm_filling_find(ctx, filling, reading));
}

static inline void
fm_filling_done(const struct fm_reading *reading)
{
	if (reading->version != NULL)
		fm_live_put(reading->version);
}

/*
 * Returns true if .match() has to pin the version that it reads: from there on
 * this task reads no other one.  Not in vcl_fini, whose task ends after the
 * object.
 */
static inline bool
fm_filling_pins(VRT_CTX, const struct fm_filling *filling)
{
	return (filling->fixed == NULL && filling->object->live != NULL &&
	    fm_in_request(ctx));
}

/* Returns the payload of the version that a task has pinned, if it has. */
static inline const void *
fm_filling_pinned(const struct fm_filling *filling,
    const struct fm_version *version)
{
	return (version != NULL ? version->payload : filling->fixed);
}

/*
 * A string of the payload, for VCL: as it is where it stays, else a copy; the
 * fallback where there is no room.
 */
VCL_STRING fm_filling_string(VRT_CTX, const struct fm_filling *,
    const struct fm_reading *, const char *string, VCL_STRING fallback,
    const char *method);

#endif
