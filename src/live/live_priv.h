/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of live share: the lock, lives and feeds.
 *
 * fm_live_lock() is around everything here but where a comment says otherwise.
 * It is never held while files are read, a set is made or freed, or readers are
 * waited for.  Whoever does that for a feed makes the feed busy first, and only
 * then may change what is marked (b).  Lives come and go meanwhile; where all
 * are gone whoever made the feed busy frees it.
 */

#ifndef FM_LIVE_PRIV_H
#define FM_LIVE_PRIV_H

#include "live.h"
#include "obj.h"

void fm_live_lock(void);
void fm_live_unlock(void);
/* Gives up the lock until something is different; wake says so. */
void fm_live_wait(void);
void fm_live_wake(void);

/* Returns seconds, of a clock that is never set. */
double fm_live_clock(void);

/*--------------------------------------------------------------------
 * Sets (set.c), without the lock but for hold
 */

/*
 * Makes a set.  Takes payload, sources and diag, also where it fails (NULL: no
 * memory).  key may be NULL.
 */
struct fm_set *fm_set_new(const struct fm_set_type *, const char *key,
    void *payload, struct fm_sources *, const struct fm_set_facts *,
    struct fm_diag *);
struct fm_set *fm_set_hold(struct fm_set *);
void fm_set_drop(struct fm_set **);

/*
 * Finds a set with this key, but not this one, whose files have the same
 * content now; *now is how they look.  NULL: there is none.
 */
struct fm_set *fm_set_find(const struct fm_set_type *, const char *key,
    const struct fm_set *but, struct fm_sources **now);

/*--------------------------------------------------------------------
 * Lives and feeds
 */

/*
 * Example: two VCLs follow one file, of which the third text cannot be bound in
 * the second VCL.
 *
 *	feed "/etc/site.rules"	generation 3, latest set C
 *	  live "boot.site"	current: version 3 of C, its backends
 *	  live "old.site"	current: version 2 of B, unbound 3
 */
struct fm_live {
	unsigned		magic;
#define FM_LIVE_MAGIC		0xe81f0c57
	struct fm_version	*current;	/* rcu.h; NULL: never warm */
	struct fm_feed		*feed;
	struct fm_live		*next;		/* of the feed, newest first */
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

struct fm_feed {
	unsigned		magic;
#define FM_FEED_MAGIC		0x5d92b4a8
	bool			shared;		/* others may join */
	bool			busy;
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
	uint64_t		handled;	/* (b) how they looked then */
	bool			once_more;	/* (b) a second change in the
						 * same tick of the clock would
						 * look the same */
	bool			saved;		/* (b) latest is in the copy */
	bool			unsaved;	/* (b) told that it can't be */

	/* How reading again went. */
	enum fm_reload		last;
	time_t			last_at;
	struct fm_diag		*diag;		/* NULL: it is fine */

	/* (b) When to look, by fm_live_clock() (watch.c). */
	double			due;		/* 0: not at all */
	double			backoff;	/* 0: only if they change */
	double			retry;
	unsigned		settles;	/* looks since a change */
	uint64_t		look;		/* the last one */
};

/* How often files that keep changing are looked at before they are read. */
#define FM_SETTLES	10

extern struct fm_feed *fm_feeds;

/*--------------------------------------------------------------------
 * Versions (version.c)
 */

/*
 * Binds the feed's latest set and puts it where readers look.  0, or -1 with
 * the reason in the diag.
 */
int fm_version_install(struct fm_live *, struct fm_diag *);

/* Takes the version away that readers have. */
void fm_version_remove(struct fm_live *);

/* Frees the versions that nobody uses any more.  Without the lock. */
void fm_version_reap(void);
bool fm_version_waiting(void);			/* is there any left? */

/*--------------------------------------------------------------------
 * Feeds (feed.c)
 */

/*
 * Finds or makes the feed for this live, which joins it.  NULL with what is
 * wrong in the diag.
 */
struct fm_feed *fm_feed_join(struct fm_live *,
    const struct fm_live_options *, struct fm_diag *);

/* Takes the live out of its feed. */
void fm_feed_quit(struct fm_live *);

/* Waits until the feed is not busy, and makes it so. */
void fm_feed_busy(struct fm_feed *);
void fm_feed_idle(struct fm_feed *);

/* Returns what is looked at; NULL before anything was read. */
const struct fm_sources *fm_feed_sources(const struct fm_feed *);

/* From here on the feed is busy, and the lock is given up meanwhile. */

enum fm_why {
	FM_WHY_OPEN,
	FM_WHY_WARM,
	FM_WHY_WATCH,		/* they have changed, and come to rest */
	FM_WHY_ONCE_MORE,	/* they have not */
	FM_WHY_RELOAD
};

/*
 * Reads, and swaps if it is good.  FM_RELOAD_NEVER: watched files have changed
 * since the last look, so they have to come to rest again.
 */
enum fm_reload fm_feed_refresh(struct fm_feed *, enum fm_why);

/*
 * Gets the first set of a new live, in the same way.  0, or -1 with what is
 * wrong in the diag.
 */
int fm_feed_first(struct fm_live *, struct fm_diag *);

/*
 * Gives a live that is not at the feed's latest set that one, or tells it why
 * not.  false: it has not.
 */
bool fm_feed_catch_up(struct fm_live *);

/*
 * Where the first set can't be bound for this reason, which is taken, and the
 * process is starting, the copy takes its place.  0, or -1 with the reason, and
 * why the copy does not, in the diag.
 */
int fm_feed_fall_back(struct fm_live *, struct fm_diag *why,
    struct fm_diag *);

/*
 * Copies what is not copied yet and serves: what nobody can bind is no better
 * than a broken file.
 */
void fm_feed_save(struct fm_feed *);

/*--------------------------------------------------------------------
 * Watching (watch.c)
 */

/* Looks at one feed that is due.  Returns when the next one is. */
double fm_watch_round(void);

/*--------------------------------------------------------------------
 * What is said (say.c)
 */

/* Returns who speaks for a feed: the newest that is warm, or the newest. */
const struct fm_live *fm_say_speaker(const struct fm_feed *);
void fm_say(const struct fm_live *, bool error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* "N errors: the first of them"; one, where there was no memory for any. */
#define FM_ERRORS	"%u error%s: %s"
#define FM_ERRORS_OF(diag)						\
	fm_diag_errors(diag) == 0 ? 1 : fm_diag_errors(diag),		\
	fm_diag_errors(diag) < 2 ? "" : "s", fm_say_first_error(diag)
const char *fm_say_first_error(const struct fm_diag *);

/* Copies all messages, with those that were counted but not kept. */
void fm_say_copy(struct fm_diag *to, const struct fm_diag *from);

#endif
