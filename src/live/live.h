/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Swaps what was compiled from files for something newer while requests use it.
 *
 *	set	what was compiled from files.  A set never changes, and counts
 *		its references.  Another object with the same key gets it, as
 *		long as the files have the same content.
 *	version	a set in use by one object: bound to the VCL of that object,
 *		with a number (its generation).
 *	live	an object's place for the version that serves.  Readers take
 *		that version without a lock; a swap puts a newer one there.
 *	feed	where sets come from: a recipe, the files that it reads, and the
 *		lives that follow it.  Lives with the same key share a feed.
 *		The watcher looks at the files of watched feeds.
 *
 * Any thread may read a live, reload it, and ask for its state and facts.  All
 * else is for the CLI thread and the watcher.  One lock protects all this; it
 * is never held while a set is made.
 */

#ifndef FM_LIVE_H
#define FM_LIVE_H

#include <stdint.h>
#include <time.h>

#include "caps.h"
#include "diag.h"
#include "sources.h"

/*--------------------------------------------------------------------
 * Sets
 */

/* The facts of a set that varnishstat and reports show. */
struct fm_set_facts {
	uint64_t		hosts;
	uint64_t		patterns;
	uint64_t		rules;
	uint64_t		bytes;
};

struct fm_set;

struct fm_set_type {
	/*
	 * Makes the payload of a set by the recipe.  Reads files through the
	 * sources, fills in the facts (0 before), and puts warnings into the
	 * diag, which is not NULL.  `before` is the set that serves now, or
	 * NULL.  Returns NULL with the reason in the diag (no error in it: no
	 * memory).  Called without a lock, in a thread with a large stack.
	 */
	void			*(*make)(const void *recipe,
	    const struct fm_set *before, struct fm_sources *,
	    struct fm_set_facts *, struct fm_diag *);
	void			(*free)(void *payload);
	void			(*free_recipe)(void *recipe);
};

/*
 * A set, as two VCLs share it:
 *
 *	refs 3		the feed's latest, and a version of each VCL
 *	sources		"site.rules", "phones.list" with their content's hash
 *	payload		of rules: the program
 */
struct fm_set {
	unsigned		magic;
#define FM_SET_MAGIC		0x3f6ad291
	unsigned		refs;		/* under the lock */
	uint64_t		number;		/* newer sets have greater */
	const struct fm_set_type *type;
	void			*payload;
	struct fm_sources	*sources;	/* what it was made from */
	struct fm_diag		*diag;		/* its warnings, or NULL */
	bool			copied;		/* made from the backup copy;
						 * under the lock */
	bool			crowded;	/* its VCL had no room for what
						 * the files have: a set like it
						 * is not to be shared */
	size_t			took[FM_CAP__COUNT];
	struct fm_set_facts	facts;
	char			digest[FM_DIGEST_LEN];
};

/*--------------------------------------------------------------------
 * Versions
 */

/*
 * A version: generation 3 of a set, and the backends of one VCL as its binding.
 * A task pinned it on CPU 0 and unpinned it on CPU 1: pins 1, -1; the sum is 0.
 */
struct fm_version {
	unsigned		magic;
#define FM_VERSION_MAGIC	0x9b04c7e2
	unsigned		generation;	/* from 1 */
	const void		*payload;	/* the set's */
	void			*binding;	/* by fm_live_bind_f, or NULL */
	struct fm_set		*set;
	unsigned		words_len;	/* bytes */
	char			words[36];	/* " generation 3", for logs */
	time_t			since;		/* when the feed got the set */
	struct fm_version	*next;		/* in the list of retired */
	struct {
		uint32_t	n;		/* may be below 0: only the sum
						 * of all counts is exact */
	} __attribute__((aligned(64)))
				pins[];	/* one for each shard
						 * (util/shard.h) */
};

/*--------------------------------------------------------------------
 * Lives
 */

/*
 * Looks up what the VCL has for the names in a set (its backends).  *binding
 * may stay NULL; else it is malloc'ed, and is freed with the version.  Returns
 * 0, or -1 with the reason in the diag; then the version that serves goes on.
 * Called under the lock; must not call functions of this file except
 * fm_live_first().
 */
typedef int fm_live_bind_f(void *priv, const struct fm_set *, void **binding,
    struct fm_diag *);

/*
 * Logs one complete line, "fastmatch: NAME: ..."; an error goes to syslog as
 * well.  An event of a feed is told once, to one of the lives that follow it.
 * Called under the lock; must not call functions of this file.
 */
typedef void fm_live_tell_f(void *priv, bool error, const char *line);

struct fm_live_options {
	const struct fm_set_type *type;
	const void		*vcl;		/* the same for all lives of a
						 * VCL, whose sets together may
						 * have the caps of one load;
						 * NULL: the live has its own */
	const char		*name;		/* of the object */
	const char		*path;		/* the first file, or NULL */
	const char		*key;		/* of files, options and backup;
						 * NULL: shares nothing */
	void			*recipe;	/* freed by live, even if open
						 * fails; path, key and backup
						 * stay as long as it does */
	double			watch;		/* seconds between looks, at
						 * least 0.01; 0: never looks */
	const char		*backup;	/* path of the backup copy;
						 * NULL: none */
	bool			starting;	/* the process takes no requests
						 * yet */
	const char		*side;		/* "next": " generation 3 of
						 * next"; NULL: nothing */
	fm_live_bind_f		*bind;		/* or NULL */
	fm_live_tell_f		*tell;
	void			*priv;		/* of bind and tell */
};

struct fm_live;

/*
 * Opens a live, in the CLI thread.  The live joins the feed with the same key;
 * without a key or a watch it gets a feed of its own.  All lives of
 * a feed use the recipe of the first one, and that recipe may outlive its VCL:
 * nothing in it may belong to the VCL.
 *
 * The first set is shared with others that have it, or made by the recipe.  If
 * neither works, and the process is starting, it is made from the backup copy.
 *
 * Returns NULL with the reason in the diag; otherwise the diag has warnings.
 */
struct fm_live *fm_live_open(const struct fm_live_options *, struct fm_diag *);

/*
 * Returns the set that the first WARM will bind; NULL after that.  Only for
 * fm_live_bind_f.
 */
const struct fm_set *fm_live_first(const struct fm_live *);

/*
 * WARM: reads the files again if they look different, as a VCL may have been
 * cold for hours.  If they have errors, these are logged, and the version that
 * served before goes on.  The first WARM binds the set.  Returns 0; or -1 with
 * the reason in the diag: then there is no version.
 *
 * If the watcher is reading these files, or making a set of them, WARM does not
 * wait: the present set serves, and the watcher swaps this live with all
 * others.  Only a first WARM that can't bind the present set waits for the new
 * one.
 */
int fm_live_warm(struct fm_live *, struct fm_diag *);
void fm_live_cold(struct fm_live *);

/* Closes a live.  There must be no reader and no pin any more. */
void fm_live_close(struct fm_live **);

/*
 * Returns the version that serves, for one call; fm_live_put() ends the call.
 * Both write to no memory that threads share.  Between them the caller must not
 * wait, nor take a lock whose holder may wait.  Before WARM there is no
 * version: get and pin return NULL, which may be given to put and unpin.
 */
const struct fm_version *fm_live_get(const struct fm_live *);
void fm_live_put(const struct fm_version *);

/*
 * Returns the version that serves, and keeps it until any thread unpins it.
 */
const struct fm_version *fm_live_pin(const struct fm_live *);
void fm_version_unpin(const struct fm_version *);

/* The result of a reload.  Its errors have been told already. */
enum fm_reload {
	FM_RELOAD_NEVER,		/* none yet */
	FM_RELOAD_SWAPPED,
	FM_RELOAD_UNCHANGED,
	FM_RELOAD_REFUSED		/* see the state's diag */
};

/*
 * Reads the files again now, even if they look unchanged.  The watcher does so,
 * and the caller waits for it.
 */
enum fm_reload fm_live_reload(struct fm_live *);

/* The facts of a live that varnishstat shows. */
struct fm_live_facts {
	struct fm_set_facts	set;
	uint64_t		generation;
	uint64_t		reloads;	/* swaps of this live */
	uint64_t		reload_fails;
	uint64_t		loaded_at;	/* when the feed got this set,
						 * in seconds since 1970 */
	uint64_t		digest;		/* its first 12 hexadecimal
						 * digits, as a number */
	bool			backup;		/* the backup copy serves */
};

void fm_live_facts(const struct fm_live *, struct fm_live_facts *);

/* The state of a live that a report shows: a copy, with a pinned version. */
struct fm_live_state {
	const struct fm_version	*version;	/* NULL before WARM */
	struct fm_live_facts	facts;
	double			watch;
	const char		*backup;	/* or NULL */
	enum fm_reload		last;		/* result of a reload */
	time_t			last_at;	/* when it was */
	struct fm_diag		*diag;		/* why refused, or NULL */
	unsigned		errors;		/* in diag */
	unsigned		followers;	/* lives of this feed */
};

/* Fills in the state of a live.  Returns 0, or -1 if there is no memory. */
int fm_live_state(const struct fm_live *, struct fm_live_state *);
void fm_live_state_fini(struct fm_live_state *);

/*--------------------------------------------------------------------
 * The watcher: the housekeeping thread, one in the process as long as it is
 * held.  It looks at the files of feeds that are watched and reloads those
 * that changed, frees sets and versions without users, runs jobs for other
 * threads (a reload), and calls a function once a second.
 */

typedef void fm_watcher_second_f(void);

/*
 * Hold and drop the watcher, in the CLI thread.  The first hold starts the
 * thread; the last drop ends it, and waits for its end.  The thread calls
 * `second` once a second, without a lock; all callers give the same function.
 * fm_watcher_hold() returns 0, or -1 if the thread can't be started.
 */
int fm_watcher_hold(fm_watcher_second_f *second);
void fm_watcher_drop(void);

/*
 * Has the watcher call job(priv) without a lock, and waits until it has.
 * Returns false, without a call, if the watcher is not held.
 */
bool fm_watcher_do(void (*job)(void *), void *priv);

#endif
