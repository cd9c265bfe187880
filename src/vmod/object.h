/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the objects have in common: a name, counters, a place in their VCL,
 * and how they are filled.  Filling happens in vcl_init only; the first match
 * or the VCL's warm event compiles what was added, and from there on the
 * object's live (live.h) has what workers read, without a lock.
 */

#ifndef FM_OBJECT_H
#define FM_OBJECT_H

#include <stdbool.h>

#include "counters.h"
#include "diag.h"
#include "live.h"

/*
 * Where vcl_init fails, Varnish runs vcl_fini all the same, and objects that
 * were still to be made are NULL there.  Methods then do what they do without
 * a match, and nothing is added.
 */
#define FM_OBJECT_MISSING(ctx, object)					\
	((object) == NULL && !fm_in_request(ctx))

struct fm_vcl;

/*
 * Compiles what was added, and opens the object's live.  0, or -1 with what is
 * wrong in the diag.  Called for every object on WARM, which may come more
 * than once; after it the live gets warm.  NULL for an object whose live is
 * opened when it is made.
 */
typedef int fm_object_warm_f(void *priv, struct fm_diag *);

struct fm_object {
	unsigned			magic;
#define FM_OBJECT_MAGIC			0x1fb6a3c8
	unsigned			adds;		/* calls of .add() */
	struct fm_vcl			*vcl;
	char				*name;
	char				*add_name;	/* "name.add()" */
	struct fm_counters		counters;
	fm_object_warm_f		*warm;
	void				*priv;
	struct fm_live			*live;		/* NULL: not yet */
	struct fm_live			*beside;	/* a second one, that
							 * may never serve; or
							 * NULL */
	VTAILQ_ENTRY(fm_object)		list;
};

/*
 * Part of making and freeing an object.  0, or -1 with VRT_fail() done and
 * nothing left to free.
 */
int fm_object_init(VRT_CTX, struct fm_object *, struct fm_vcl *,
    const char *name, fm_object_warm_f *, void *priv);
void fm_object_fini(struct fm_object *);

/*
 * On WARM (0, or -1 with what is wrong in ctx->msg; then the live beside, of
 * which nothing depends) and on COLD, in the CLI thread.
 */
int fm_object_warm(VRT_CTX, struct fm_object *);
void fm_object_warm_beside(struct fm_object *);
void fm_object_cold(struct fm_object *);

/*
 * Opens its live: the options without name, tell and priv, which are the
 * object's (bind is called with priv, the object's owner).  0, or -1 with what
 * is wrong in the diag.
 */
int fm_object_open(struct fm_object *, struct fm_live_options *,
    struct fm_diag *);

/*
 * How .add() and .load() begin and end, and, where the method is NULL, an
 * object that is made with all that it needs.  Begin is false, with VRT_fail()
 * done, where they may not be used, or there is no memory; else *diagp is where
 * they report to.  End frees it: errors go to the CLI, all of them, and fail
 * vcl.load; `failed` does so even without one.
 */
bool fm_object_begin(VRT_CTX, struct fm_object *, const char *method,
    struct fm_diag **diagp);
void fm_object_end(VRT_CTX, const struct fm_object *, const char *method,
    struct fm_diag **diagp, bool failed);

/* A line for the log; an error goes to syslog, too. */
void fm_object_tell(bool error, const char *line);

/*
 * Of a vcl.load that succeeds nothing is shown: warnings go to the log, of no
 * transaction.
 */
void fm_object_log(const struct fm_diag *);

/* The place of this call of .add(), which it counts. */
struct fm_place fm_object_place(struct fm_object *);

/*
 * The arguments of all that reads a file: is there one to read?  false with
 * what is wrong in the diag, at this place; or at that of an object's .load().
 */
bool fm_object_may_read(const struct fm_place *, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *);
bool fm_object_may_load(const struct fm_object *, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *);

/* false in vcl_init and vcl_fini, where there is no request. */
bool fm_in_request(VRT_CTX);

/*
 * Returns true in a request.  In vcl_init and vcl_fini a sub as a value can't
 * be called (Varnish before 9 would panic), and there is no request to edit:
 * there it returns false, with VRT_fail() done.
 */
bool fm_object_may_call(VRT_CTX, const struct fm_object *,
    const char *method);

#endif
