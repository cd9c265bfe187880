/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is compiled from files, and may be swapped for something newer while
 * it is in use.
 *
 *	set	what was compiled: immutable, with counted references.  Sets
 *		with a key are found again by it, as long as the files they
 *		were made from have the same content.
 *	version	a set in use by one object: bound to the VCL of that object,
 *		with a number (its generation).
 *	live	an object's place for the version that is in use.  Readers
 *		take it without a lock; swapping puts another one there.
 *	feed	where sets come from: a recipe, the files it reads, the lives
 *		that follow it.  Lives with the same key share one.  keeper.h
 *		looks at the files of feeds that are watched.
 *
 * Readers are any threads.  All else is for the CLI thread and the keeper's,
 * but a reload, a state and facts, which any thread may ask for.  One lock is
 * around it, and is never held while a set is made.
 */

#ifndef FM_LIVE_H
#define FM_LIVE_H

#include <stdint.h>
#include <time.h>

#include "diag.h"
#include "sources.h"

/*--------------------------------------------------------------------
 * Sets
 */

/* What there is to be shown of a set. */
struct fm_set_facts {
	uint64_t		hosts;
	uint64_t		patterns;
	uint64_t		rules;
	uint64_t		bytes;
};

struct fm_set;

struct fm_set_type {
	const char		*name;		/* "rules", ... */

	/*
	 * Makes a set by the recipe, reading through the sources, and fills
	 * the facts (all 0); warnings go to the diag, which is never NULL
	 * here.  before: the set that serves now, or NULL: none yet.  NULL
	 * with what is wrong in the diag (where there is no error in it: no
	 * memory).  In any thread with a large stack, under no lock.
	 */
	void			*(*make)(const void *recipe,
	    const struct fm_set *before, struct fm_sources *,
	    struct fm_set_facts *, struct fm_diag *);
	void			(*free)(void *payload);
	void			(*free_recipe)(void *recipe);
};

struct fm_set {
	unsigned		magic;
#define FM_SET_MAGIC		0x3f6ad291
	unsigned		refs;		/* under the lock */
	const struct fm_set_type *type;
	void			*payload;
	struct fm_sources	*sources;	/* what it was made from */
	struct fm_diag		*diag;		/* its warnings, or NULL */
	bool			copied;		/* from the backup; under the
						 * lock */
	struct fm_set_facts	facts;
	char			digest[FM_DIGEST_LEN];
	char			*key;		/* NULL: never shared */
	struct fm_set		*next;		/* with keys */
};

/*--------------------------------------------------------------------
 * Versions
 */

#define FM_PINS		8

struct fm_version {
	unsigned		magic;
#define FM_VERSION_MAGIC	0x9b04c7e2
	unsigned		generation;	/* from 1 */
	const void		*payload;	/* the set's */
	void			*binding;	/* of fm_live_bind_f, or NULL */
	struct fm_set		*set;
	time_t			since;		/* the feed has it */
	struct fm_version	*next;		/* that is retired */
	struct {
		uint32_t	n;		/* the sum of all counts */
	} __attribute__((aligned(64)))
				pins[FM_PINS];
};

/*--------------------------------------------------------------------
 * Lives
 */

/*
 * Finds what a VCL has for the set, by the names in it.  *binding may be NULL;
 * else it is from malloc(3), and freed with the version.  0, or -1 with what is
 * wrong in the diag: then the version that serves goes on.  Under the lock;
 * must not call into this file, but for fm_live_first().
 */
typedef int fm_live_bind_f(void *priv, const struct fm_set *, void **binding,
    struct fm_diag *);

/*
 * Logs one line, which is whole: "fastmatch: NAME: ..."; an error goes to
 * syslog, too.  What happens to a feed is told once, to one of those that
 * follow it.  Under the lock; must not call into this file.
 */
typedef void fm_live_tell_f(void *priv, bool error, const char *line);

struct fm_live_options {
	const struct fm_set_type *type;
	const char		*name;		/* of the object */
	const char		*path;		/* the first file, or NULL */
	const char		*key;		/* NULL: shares nothing */
	void			*recipe;	/* taken, also on failure */
	double			watch;		/* seconds, at least 0.01;
						 * 0: never looks */
	const char		*backup;	/* NULL: none */
	bool			starting;	/* the process takes no requests
						 * yet */
	fm_live_bind_f		*bind;		/* or NULL */
	fm_live_tell_f		*tell;
	void			*priv;		/* of bind and tell */
};

struct fm_live;

/*
 * In the CLI thread: joins the feed of this key and backup (with a watch;
 * without one, or without a key, it has a feed of its own), and gets the first
 * set: from others that have it, by the recipe, or (if this path has never been
 * read in this process) from the backup: the first time, and as often as it
 * takes while the process is starting.  The recipe of the first to come serves
 * all who join, and outlives it: nothing in it may be the VCL's.  NULL with
 * what is wrong in the diag; else the diag has the warnings.
 */
struct fm_live *fm_live_open(const struct fm_live_options *, struct fm_diag *);

/*
 * Returns the set that WARM will bind; NULL after the first WARM.  Only for
 * fm_live_bind_f.
 */
const struct fm_set *fm_live_first(const struct fm_live *);

/*
 * WARM: looks at the files again, as a VCL may have been cold for hours: what
 * is wrong with them is told, and the version that was goes on.  The first time
 * it binds the set (0, or -1 with the reason in the diag; then there is no
 * version).  While the keeper looks at these files, or makes a set of them, it
 * serves what is there, and has the new one with all others: neither this nor
 * closing waits for that.
 */
int fm_live_warm(struct fm_live *, struct fm_diag *);
void fm_live_cold(struct fm_live *);

/* No reader and no pin is left. */
void fm_live_close(struct fm_live **);

/*
 * Returns the version that is in use, for a reader.  Get and put are around one
 * call and cost no shared write; nothing in between may wait, or take a lock
 * that somebody holds who waits.  Before WARM it is NULL, which needs no put
 * (but may have one); the same with a pin.
 */
const struct fm_version *fm_live_get(const struct fm_live *);
void fm_live_put(const struct fm_version *);

/*
 * Returns the version for longer: it stays until it is unpinned, by whichever
 * thread.
 */
const struct fm_version *fm_live_pin(const struct fm_live *);
void fm_version_unpin(const struct fm_version *);

/* Errors have been told. */
enum fm_reload {
	FM_RELOAD_NEVER,		/* none yet */
	FM_RELOAD_SWAPPED,
	FM_RELOAD_UNCHANGED,
	FM_RELOAD_REFUSED		/* see the state's diag */
};

/*
 * Reads again now, whether something looks different or not; the keeper's
 * thread does it (keeper.h), and the caller waits for that.
 */
enum fm_reload fm_live_reload(struct fm_live *);

/* For varnishstat. */
struct fm_live_facts {
	struct fm_set_facts	set;
	uint64_t		generation;
	uint64_t		reloads;	/* of this live: swaps */
	uint64_t		reload_fails;
	uint64_t		loaded_at;	/* seconds since 1970: when the
						 * feed got this set */
	uint64_t		digest;		/* its first 12 digits */
	bool			backup;		/* serves from the copy */
};

void fm_live_facts(const struct fm_live *, struct fm_live_facts *);

/* For a report: a copy, of which the version is pinned. */
struct fm_live_state {
	const struct fm_version	*version;	/* NULL before WARM */
	struct fm_live_facts	facts;
	double			watch;
	const char		*backup;	/* or NULL */
	enum fm_reload		last;		/* the last time files were
						 * read again, and */
	time_t			last_at;	/* when */
	struct fm_diag		*diag;		/* why that was refused; or
						 * NULL */
	unsigned		errors;		/* in it */
	unsigned		followers;	/* lives of this feed */
};

/* 0, or -1: no memory. */
int fm_live_state(const struct fm_live *, struct fm_live_state *);
void fm_live_state_fini(struct fm_live_state *);

#endif
