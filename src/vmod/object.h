/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The part that the VCL objects `rules`, `hosts`, `patterns` and `params` have
 * in common: a name, counters, and the payload that answers requests.
 *
 *	vcl_init	.add() and .load() are collected in a recipe
 *	first WARM	the recipe is compiled into a set, or the set of
 *			another VCL that read the same files is shared
 *	request		.match() and other methods ask the payload of the set
 *
 * A `rules` object has one file, which is compiled as the object is made.
 *
 * If no file is watched, the payload never changes and is read directly
 * (`fixed`).  Otherwise a call reads the payload of the version that serves
 * (live.h).  A task that has called .match() pins that version until the task
 * ends, so that all its calls on this object see one state of the files, and
 * the strings that it was given stay valid.
 */

#ifndef FM_OBJECT_H
#define FM_OBJECT_H

#include <stdbool.h>

#include "counters.h"
#include "diag.h"
#include "live.h"

/*
 * True for an object that was never made.  Varnish runs vcl_fini even if
 * vcl_init failed; objects that vcl_init did not reach are NULL there.
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
	bool				stays;		/* true: no file is
							 * watched */
	struct fm_vcl			*vcl;
	char				*name;
	struct fm_counters		counters;
	struct fm_recipe		*recipe;	/* until the first
							 * WARM; NULL for
							 * rules */
	struct fm_live			*live;		/* NULL: not yet */
	struct fm_live			*beside;	/* the shadow's live,
							 * which need not ever
							 * serve; or NULL */
	const void			*fixed;		/* the payload, if
							 * `stays`; else NULL */
	VCL_BACKEND			*backends;	/* given to .add(); each
							 * is referenced */
	size_t				nbackends;
	size_t				room;
	VTAILQ_ENTRY(fm_object)		list;
};

/*--------------------------------------------------------------------
 * Making an object, in vcl_init
 */

/*
 * Initialize and clean up the common part of an object.  Init returns 0, or -1
 * after it has called VRT_fail() and freed all.
 */
int fm_object_init(VRT_CTX, struct fm_object *, struct fm_vcl *,
    const char *name);
void fm_object_fini(struct fm_object *);

/*
 * Returns a new object that has the common part only, and is filled by .add()
 * and .load().  The options are passed to its recipe.  Returns NULL after it
 * has called VRT_fail().
 */
struct fm_object *fm_object_new(VRT_CTX, struct fm_vcl *, const char *name,
    const struct fm_recipe_type *, unsigned options);
void fm_object_free(struct fm_object **);

/* Do what the methods .add() and .load() do; the entry has no place yet. */
void fm_object_add(VRT_CTX, struct fm_object *, const struct fm_entry *);
void fm_object_load(VRT_CTX, struct fm_object *, VCL_STRING path, int kind,
    VCL_DURATION watch);

/*
 * Begin and end a method of vcl_init.  Begin returns true and sets *diagp, for
 * messages of the method.  Begin returns false, after VRT_fail(), if the method
 * may not be used here or there is no memory.  End frees the diag, prints all
 * its errors to the CLI, and fails vcl.load if there are errors or `failed`.
 */
bool fm_object_begin(VRT_CTX, const struct fm_object *, const char *method,
    struct fm_diag **diagp);
void fm_object_end(VRT_CTX, const struct fm_object *, struct fm_diag **diagp,
    bool failed);

/* Returns false, with the reason in the diag, if the path or watch is bad. */
bool fm_object_may_read(const struct fm_place *, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *);

/*
 * Opens the live of an object.  The caller fills in the options, except name,
 * tell and priv, which this function sets; bind is called with this priv.
 * Returns 0 with warnings in the diag, or -1 with the reason in the diag.
 */
int fm_object_open(struct fm_object *, struct fm_live_options *, void *priv,
    struct fm_diag *);

/*
 * Make an object warm and cold, in the CLI thread.  fm_object_warm() returns
 * 0, or -1 with the reason in ctx->msg.  fm_object_warm_beside() is called
 * after it, and a failure of the live beside fails nothing else.
 */
int fm_object_warm(VRT_CTX, struct fm_object *);
void fm_object_warm_beside(struct fm_object *);
void fm_object_cold(struct fm_object *);

/*
 * Logs a line outside of any transaction, for lives and for others; an error
 * goes to syslog as well.
 */
fm_live_tell_f fm_object_tell;

/*--------------------------------------------------------------------
 * Asking an object, in a request
 */

/* Returns false in vcl_init and vcl_fini. */
static inline bool
fm_in_request(VRT_CTX)
{
	return (ctx->http_req != NULL || ctx->http_bereq != NULL);
}

/*
 * Returns true in a request.  Returns false in vcl_init, after VRT_fail(), as
 * the object can't be asked yet; and in vcl_fini, where it may be NULL.
 */
#define FM_OBJECT_SERVES(ctx, object, method)				\
	(fm_in_request(ctx) ||						\
	    fm_object_misused(ctx, (const void *)(object), method))
bool fm_object_misused(VRT_CTX, const struct fm_object *, const char *method);

/*
 * Returns the payload for one call, which ends with fm_object_done().  If
 * *version is not NULL, pointers into the payload must not be used after that.
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
 * Returns a string of the payload for VCL: the string itself if it stays valid
 * for the task, else a copy in the workspace, or the fallback if there is no
 * room for a copy.
 */
VCL_STRING fm_object_string(VRT_CTX, const struct fm_object *,
    const struct fm_version *, const char *string, VCL_STRING fallback,
    const char *method);

#endif
