/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The part that the VCL objects `rules`, `hosts`, `patterns` and `params` have
 * in common: a name, counters, and the payload that answers requests.
 *
 *	vcl_init	.add() and .load() are collected, in the order of the
 *			calls; no file is read yet
 *	first WARM	a set is made of all that, or the set of another VCL
 *			that read the same files is shared
 *	later		if a file has a watch, all are watched, and sets are
 *			made of them again
 *	request		.match() and other methods ask the payload of the set
 *
 * A `rules` object is not filled: its file is compiled as the object is made.
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

#include "arena.h"
#include "counters.h"
#include "grow.h"
#include "live.h"
#include "value.h"

/*
 * True for an object that was never made.  Varnish runs vcl_fini even if
 * vcl_init failed; objects that vcl_init did not reach are NULL there.
 */
#define FM_OBJECT_MISSING(ctx, object)					\
	((object) == NULL && !fm_in_request(ctx))

struct fm_vcl;
struct fm_object;

/* Opens a live.  Returns 0, or -1 with the reason in the diag. */
typedef int fm_object_open_f(struct fm_object *, struct fm_diag *);

struct fm_object {
	unsigned			magic;
#define FM_OBJECT_MAGIC			0x1fb6a3c8
	unsigned			refs;		/* atomic: the VCL, and
							 * each feed that makes
							 * sets of it */
	struct fm_vcl			*vcl;
	const char			*name;
	struct fm_live			*live;		/* NULL: not yet */
	struct fm_counters		counters;
	struct fm_live			*beside;	/* that of a shadow or
							 * of `next`; or NULL */
	fm_object_open_f		*open_beside;	/* opens that; NULL:
							 * there is neither */
	const void			*fixed;		/* the payload, if no
							 * file is watched;
							 * else NULL */
	VTAILQ_ENTRY(fm_object)		list;

	/* The contents never change after the first WARM. */
	const struct fm_object_type	*type;		/* NULL: rules */
	unsigned			options;
	struct fm_grow			parts;
	struct fm_place			add;		/* of the last .add() */
	double				watch;		/* seconds, the least of
							 * all files that have
							 * one; 0: none is
							 * watched */
	struct fm_grow			backends;	/* given to .add(); each
							 * is referenced */
	struct fm_arena			arena;		/* texts */
	char				*key;		/* of its feed; NULL:
							 * shares nothing */
};

/*--------------------------------------------------------------------
 * Filling an object, and making sets of it
 */

/* An entry: the arguments of one .add(), or one line of a file. */
struct fm_entry {
	struct fm_text		text;
	struct fm_text		string;
	struct fm_datum		value;		/* has no texts yet */
	struct fm_place		place;
	int			kind;		/* of pattern: glob, ... */
};

/* The payload of a set: what was made of the entries, and their values. */
struct fm_filled {
	unsigned			magic;
#define FM_FILLED_MAGIC			0xa3641f9e
	const struct fm_object_type	*type;
	void				*made;
	struct fm_grow			values;		/* struct fm_datum */
	struct fm_arena			arena;		/* their strings */
};

/* Returns the values of entry n, which there must be. */
static inline const struct fm_datum *
fm_filled_value(const struct fm_filled *filled, size_t n)
{
	assert(n < filled->values.n);
	return (FM_GROW_AT(&filled->values, struct fm_datum, n));
}

/* A type of objects that are filled. */
struct fm_object_type {
	const char		*noun;		/* "pattern": an entry, in
						 * messages */
	enum fm_counters_kind	counters;
	size_t			most;		/* lines that a file may have */

	/*
	 * Splits a line into the entry's text and its string, which is the
	 * missing text if the line has none.  NULL: entries have no values.
	 */
	void			(*part)(struct fm_text line,
	    struct fm_text *text, struct fm_text *string);

	/* Returns a table without entries, or NULL if there is no memory. */
	void			*(*begin)(unsigned options);

	/*
	 * Adds an entry, the n-th from 0.  Returns 0, or -1 with the reason in
	 * the diag (no error in the diag: no memory).  After -1 the caller may
	 * add further entries, so that all mistakes are found.
	 */
	int			(*add)(void *made, uint32_t n,
	    const struct fm_entry *, struct fm_diag *);

	/*
	 * Compiles the table once all is added, and sets the facts.  An error
	 * is at the first entry (NULL: there is none).  Returns as add does.
	 */
	int			(*end)(void *made, const struct fm_place *,
	    struct fm_set_facts *, struct fm_diag *);
	void			(*free)(void *made);
};

/*
 * Returns a new object of these bytes, all zero but for the struct fm_object at
 * its start; NULL after it has called VRT_fail().  `type` and `options` are
 * those of an object that is filled.
 */
void *fm_object_new(VRT_CTX, struct fm_vcl *, const char *name, size_t bytes,
    const struct fm_object_type *, unsigned options);

/*
 * Closes an object, which is not asked any more; and frees its memory, once no
 * feed needs that.
 */
void fm_object_close(struct fm_object *);
void fm_object_drop(void *object);

/* Do what the methods .add() and .load() do; the entry has no place yet. */
void fm_object_add(VRT_CTX, struct fm_object *, const struct fm_entry *);
void fm_object_load(VRT_CTX, struct fm_object *, VCL_STRING path, int kind,
    VCL_DURATION watch);

/*
 * Returns true if a file is empty now, or a glob finds nothing, and was not so
 * in the set before: most likely the files are about to be written.  Each of
 * them is an error in the diag.
 */
bool fm_object_is_cut(const struct fm_set *before, const struct fm_sources *,
    struct fm_diag *);

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

/* Returns the place of a call of a method; without memory, only its name. */
struct fm_place fm_object_place(struct fm_object *, const char *method,
    unsigned call);

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
 * Open what an object has no live for: at the first WARM, and at a later one if
 * that failed.  First all objects that are filled, then what is beside: the
 * account of the VCL is for that which serves, before it is for a shadow.
 * Return 0, or -1 with the reason in ctx->msg.
 */
int fm_object_open_filled(VRT_CTX, struct fm_object *);
int fm_object_open_beside(VRT_CTX, struct fm_object *);

/*
 * Make an object warm and cold, in the CLI thread.  fm_object_warm() and then
 * fm_object_warm_beside() return 0, or -1 with the reason in ctx->msg.
 */
int fm_object_warm(VRT_CTX, struct fm_object *);
int fm_object_warm_beside(VRT_CTX, const struct fm_object *);
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

#endif
