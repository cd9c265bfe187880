/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the objects `rules`, `hosts`, `patterns` and `params` have in common: a
 * name, counters, and what serves requests.
 *
 *	vcl_init	.add() and .load() collect a recipe
 *	first WARM	the recipe is compiled, or another VCL has its set
 *	request		.match() and the others ask the payload of the set
 *
 * Rules, which are one file, are compiled when the object is made.
 *
 * Where no file is watched the payload stays the same, and is read without any
 * ado.  Else it is that of a version (live.h): for one call; or, once a task
 * has called .match(), the one that it has pinned, up to its end.  So all that
 * the task asks this object is answered from one state of the files, and the
 * strings that it was given stay.
 */

#ifndef FM_OBJECT_H
#define FM_OBJECT_H

#include <stdbool.h>

#include "counters.h"
#include "diag.h"
#include "live.h"

/*
 * Where vcl_init fails, Varnish runs vcl_fini all the same, and objects that
 * were still to be made are NULL there.
 */
#define FM_OBJECT_MISSING(ctx, object)					\
	((object) == NULL && !fm_in_request(ctx))

struct fm_entry;
struct fm_recipe;
struct fm_recipe_type;
struct fm_vcl;

struct fm_object {
	unsigned			magic;
#define FM_OBJECT_MAGIC			0x1fb6a3c8
	bool				stays;		/* no file is
							 * watched */
	struct fm_vcl			*vcl;
	char				*name;
	struct fm_counters		counters;
	struct fm_recipe		*recipe;	/* up to the first
							 * WARM; of rules
							 * NULL */
	struct fm_live			*live;		/* NULL: not yet */
	struct fm_live			*beside;	/* a second one, that
							 * may never serve; or
							 * NULL */
	const void			*fixed;		/* payload that stays;
							 * or NULL */
	VCL_BACKEND			*backends;	/* of .add(), held */
	size_t				nbackends;
	size_t				room;
	VTAILQ_ENTRY(fm_object)		list;
};

/*--------------------------------------------------------------------
 * Making it, in vcl_init
 */

/*
 * Part of making and freeing an object.  0, or -1 with VRT_fail() done and
 * nothing left to free.
 */
int fm_object_init(VRT_CTX, struct fm_object *, struct fm_vcl *,
    const char *name);
void fm_object_fini(struct fm_object *);

/*
 * An object that is nothing but this, to be filled by .add() and .load(); the
 * options are those of its recipe.  Returns NULL with VRT_fail() done.
 */
struct fm_object *fm_object_new(VRT_CTX, struct fm_vcl *, const char *name,
    const struct fm_recipe_type *, unsigned options);
void fm_object_free(struct fm_object **);

/* The methods .add() (an entry without its place) and .load(). */
void fm_object_add(VRT_CTX, struct fm_object *, const struct fm_entry *);
void fm_object_load(VRT_CTX, struct fm_object *, VCL_STRING path, int kind,
    VCL_DURATION watch);

/*
 * How methods of vcl_init begin and end.  Begin is false, with VRT_fail() done,
 * where the method may not be used, or there is no memory; else *diagp is where
 * it reports to.  End frees that: errors go to the CLI, all of them, and fail
 * vcl.load; `failed` does so even without one.
 */
bool fm_object_begin(VRT_CTX, const struct fm_object *, const char *method,
    struct fm_diag **diagp);
void fm_object_end(VRT_CTX, const struct fm_object *, struct fm_diag **diagp,
    bool failed);

/* Returns false, with what is wrong in the diag, if there is no such file. */
bool fm_object_may_read(const struct fm_place *, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *);

/*
 * Opens the live: the options without name, tell and priv, which are the
 * object's (bind is called with priv, the object's owner), and logs warnings.
 * 0, or -1 with what is wrong in the diag.
 */
int fm_object_open(struct fm_object *, struct fm_live_options *, void *priv,
    struct fm_diag *);

/*
 * On WARM (0, or -1 with what is wrong in ctx->msg; then the live beside, of
 * which nothing depends) and on COLD, in the CLI thread.
 */
int fm_object_warm(VRT_CTX, struct fm_object *);
void fm_object_warm_beside(struct fm_object *);
void fm_object_cold(struct fm_object *);

/* Logs a line, of no transaction; an error goes to syslog, too. */
void fm_object_tell(bool error, const char *line);

/*--------------------------------------------------------------------
 * Asking it, in a request
 */

/* Returns false in vcl_init and vcl_fini. */
static inline bool
fm_in_request(VRT_CTX)
{
	return (ctx->http_req != NULL || ctx->http_bereq != NULL);
}

/*
 * True in a request.  In vcl_init, with VRT_fail() done, and in vcl_fini, where
 * the object may be NULL, false: there is nothing to be asked yet, or any more.
 */
#define FM_OBJECT_SERVES(ctx, object, method)				\
	(fm_in_request(ctx) ||						\
	    fm_object_misused(ctx, (const void *)(object), method))
bool fm_object_misused(VRT_CTX, const struct fm_object *, const char *method);

/*
 * Returns the payload for a call, which fm_object_done() ends.  Where *version
 * is not NULL nothing of the payload outlives the call.
 */
static inline const void *
fm_object_read(const struct fm_object *object,
    const struct fm_version **version)
{
	*version = NULL;
	if (object->fixed != NULL)
		return (object->fixed);
	*version = fm_live_get(object->live);
	AN(*version);
	return ((*version)->payload);
}

static inline void
fm_object_done(const struct fm_version *version)
{
	if (version != NULL)
		fm_live_put(version);
}

/*
 * Returns a string of the payload for VCL: as it is where it stays, else a
 * copy; the fallback where there is no room.
 */
VCL_STRING fm_object_string(VRT_CTX, const struct fm_object *,
    const struct fm_version *, const char *string, VCL_STRING fallback,
    const char *method);

#endif
