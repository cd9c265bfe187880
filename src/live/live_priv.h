/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of live share: the lock, lives, feeds, and what reading a
 * feed's files came to.
 *
 * fm_live_lock() is around everything here but what says otherwise.  It is
 * never held while files are read, a set is made or freed, or readers are
 * waited for: who does that for a feed makes the feed busy, and only who made
 * it busy changes what is marked (b).
 */

#ifndef FM_LIVE_PRIV_H
#define FM_LIVE_PRIV_H

#include "live.h"
#include "obj.h"

void fm_live_lock(void);
void fm_live_unlock(void);
/* Without the lock meanwhile, until something is different; wake says so. */
void fm_live_wait(void);
void fm_live_wait_until(double when);		/* of fm_live_clock() */
void fm_live_wake(void);

/* Seconds, of a clock that is never set. */
double fm_live_clock(void);

/*--------------------------------------------------------------------
 * Sets (set.c)
 */

struct fm_set *fm_set_hold(struct fm_set *);

/* Its files look different by now.  Without the lock. */
bool fm_set_is_stale(const struct fm_set *);

/*
 * fm_set_find(), but for one that the caller has asked already; *now is how
 * its files look.  Without the lock.
 */
struct fm_set *fm_set_find_now(const struct fm_set_type *, const char *key,
    const struct fm_set *but, struct fm_sources **now);

/*--------------------------------------------------------------------
 * Lives
 */

struct fm_feed;

struct fm_live {
	unsigned		magic;
#define FM_LIVE_MAGIC		0xe81f0c57
	struct fm_version	*current;	/* rcu.h; NULL: never warm */
	struct fm_feed		*feed;
	struct fm_live		*next;		/* of the feed, newest first */
	struct fm_set		*first;		/* until it is warm */
	bool			warm;
	double			watch;
	bool			starting;	/* when it was opened */
	char			*name;
	fm_live_bind_f		*bind;
	fm_live_tell_f		*tell;
	void			*priv;
	uint64_t		reloads;
	uint64_t		reload_fails;
	unsigned		unbound;	/* the generation that could
						 * not be bound; 0: none */
	struct fm_diag		*diag;		/* why */
	time_t			unbound_at;
};

/*--------------------------------------------------------------------
 * Versions (version.c)
 */

/*
 * Binds the feed's latest set and puts it where readers look.  0, or with the
 * reason in the diag -1: it can't be bound, or -2: no memory.
 */
int fm_version_install(struct fm_live *, struct fm_diag *);

/* Frees those that nobody uses any more.  Without the lock. */
void fm_version_reap(void);
bool fm_version_waiting(void);			/* is there any left? */

/* All of this live, which nobody uses.  Freed by the next, unlocked. */
struct fm_version *fm_version_take(struct fm_live *);
void fm_version_free_list(struct fm_version *);

/*--------------------------------------------------------------------
 * Feeds (feed.c)
 */

struct fm_feed {
	unsigned		magic;
#define FM_FEED_MAGIC		0x5d92b4a8
	unsigned		users;		/* lives; who made it busy */
	bool			shared;
	bool			busy;
	bool			reading;	/* and a set is made */
	const struct fm_set_type *type;
	char			*key;		/* or NULL */
	char			*path;		/* or NULL */
	char			*backup;	/* or NULL */
	void			*recipe;
	struct fm_live		*lives;
	struct fm_feed		*next;

	struct fm_set		*latest;	/* (b) NULL: none yet */
	unsigned		generation;	/* (b) */
	time_t			loaded_at;	/* (b) */
	struct fm_sources	*sources;	/* (b) as last read; NULL: the
						 * latest set's */
	bool			from_backup;	/* (b) */

	/* How reading again went. */
	enum fm_reload		last;
	time_t			last_at;
	struct fm_diag		*diag;		/* or NULL: it is fine */
	char			told_digest[FM_DIGEST_LEN];
	char			*told;		/* its first error, or NULL */

	/* (b) The keeper's (watch.c). */
	uint64_t		handled;	/* the look that was dealt
						 * with */
	bool			young;		/* read when just written */
	double			due;		/* of the next look; 0: none */
	double			backoff;	/* 0: not to be tried again */
	double			retry;		/* when */
	unsigned		settles;	/* looks since a change */
	uint64_t		settling;	/* the last of these */

	/* (b) Digests: of the copy, and of what could not be saved. */
	char			saved[FM_DIGEST_LEN];
	char			unsaved[FM_DIGEST_LEN];
};

extern struct fm_feed *fm_feeds;

/*
 * The feed for these options, with a user more.  NULL with what is wrong in
 * the diag.  The recipe is not taken yet.
 */
struct fm_feed *fm_feed_join(const struct fm_live_options *,
    struct fm_diag *);
/* A user less; to be freed if not NULL. */
struct fm_feed *fm_feed_quit(struct fm_feed *);
void fm_feed_free(struct fm_feed *);		/* without the lock */

/*
 * Waits until it is not busy, and makes it so.  Who does is a user: lives come
 * and go meanwhile, and where all are gone fm_feed_idle() frees it, for which
 * it gives up the lock.
 */
void fm_feed_busy(struct fm_feed *);
void fm_feed_idle(struct fm_feed *);

/* What is looked at; NULL: nothing. */
const struct fm_sources *fm_feed_sources(const struct fm_feed *);

/* What became of a path in this process, by whatever feed, at best. */
enum fm_path_past {
	FM_PATH_NEW,
	FM_PATH_COPIED,		/* the first time its copy had to serve */
	FM_PATH_LOADED
};

enum fm_path_past fm_feed_path_past(const char *path);
void fm_feed_path_note(const char *path, enum fm_path_past);

/*--------------------------------------------------------------------
 * Reading a feed's files (try.c), with the feed busy and without the lock
 */

struct fm_try {
	struct fm_set		*set;		/* NULL: refused */
	struct fm_sources	*sources;	/* NULL: the set's, or none */
	struct fm_sources	*kept;		/* with the bytes, or NULL */
	struct fm_diag		*diag;		/* why it was refused */
	uint64_t		seen;
	bool			again;		/* try again by itself */
	bool			moved;		/* it changed meanwhile */
	bool			young;		/* it had just changed */
};

/* before: as for fm_set_type.make. */
void fm_try_read(const struct fm_feed *, const struct fm_set *before,
    struct fm_try *);
/* The set is given (and taken). */
void fm_try_given(struct fm_set *, struct fm_try *);
/* The same from the feed's copy. */
void fm_try_backup(const struct fm_feed *, struct fm_try *);
void fm_try_fini(struct fm_try *);

/*--------------------------------------------------------------------
 * What comes of that (refresh.c)
 */

enum fm_why {
	FM_WHY_OPEN,
	FM_WHY_WARM,
	FM_WHY_WATCH,
	FM_WHY_YOUNG,		/* a second look at what was just written */
	FM_WHY_RELOAD
};

/*
 * Reads, and swaps if it is good.  The feed is busy; the lock is given up
 * meanwhile.  While a watched file keeps changing: FM_RELOAD_NEVER, look
 * again.
 */
enum fm_reload fm_feed_refresh(struct fm_feed *, enum fm_why);

/*
 * The first set of a new live, in the same way; `given` is taken.  0, or -1
 * with what is wrong in the diag.
 */
int fm_feed_first(struct fm_live *, struct fm_set *given, struct fm_diag *);

/*
 * A live whose version is not the feed's latest: takes it, or is told why
 * not.  false: it has not.
 */
bool fm_feed_catch_up(struct fm_live *);

/*
 * The first set can't be bound, for this reason: in a process that starts the
 * copy takes its place, if nobody has the set yet.  The reason is taken then,
 * and else has why the copy does not.
 */
bool fm_feed_fall_back(struct fm_live *, struct fm_diag **why);

/*
 * Saves what was read, if it isn't yet and somebody serves it (save.c): what
 * nobody can bind is no better than a broken file.  The try may have the
 * bytes, or be NULL.  The feed is busy; without the lock.
 */
void fm_feed_save(struct fm_feed *, const struct fm_try *);

/*--------------------------------------------------------------------
 * Watching (watch.c)
 */

/*
 * Deals with one feed that is due, if there is one; else false, and *next is
 * when the next one will be.
 */
bool fm_watch_round(double now, double *next);

/*--------------------------------------------------------------------
 * What is said (say.c)
 */

const char *fm_say_first_error(const struct fm_diag *);
void fm_say_copy(struct fm_diag *to, const struct fm_diag *from);
void fm_say_swapped(const struct fm_feed *);
void fm_say_again(const struct fm_feed *);
void fm_say_refused(const struct fm_feed *);
void fm_say_unbound(const struct fm_live *);
void fm_say_backup(const struct fm_live *, const struct fm_diag *,
    time_t copy);
void fm_say_unsaved(const struct fm_feed *, const struct fm_diag *);

#endif
