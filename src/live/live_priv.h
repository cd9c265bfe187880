/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The .c files of src/live share this: the lock, and the structs of lives and
 * feeds.
 *
 * fm_live_lock() protects everything here, unless a comment says otherwise.  No
 * thread holds it while it reads files, makes or frees a set, or waits for
 * readers.  A thread that does so for a feed first makes the feed busy.  Only
 * that thread may then change the members marked (b).  Lives may join and leave
 * a busy feed; if all have left, that thread frees the feed.
 */

#ifndef FM_LIVE_PRIV_H
#define FM_LIVE_PRIV_H

#include "live.h"
#include "obj.h"

void fm_live_lock(void);
void fm_live_unlock(void);
/* Gives up the lock until another thread calls fm_live_wake(). */
void fm_live_wait(void);
void fm_live_wake(void);

/* Returns seconds of the monotonic clock. */
double fm_live_clock(void);

/*--------------------------------------------------------------------
 * Sets (set.c): hold is called under the lock, drop without it
 */

struct fm_set *fm_set_hold(struct fm_set *);
void fm_set_drop(struct fm_set **);

/*--------------------------------------------------------------------
 * Lives and feeds
 */

/*
 * Example: two VCLs follow one file.  The names in its third text can't be
 * bound in the second VCL.
 *
 *	feed "/etc/site.rules"	generation 3, latest set C
 *	  live "boot.site"	current: version 3 of C, its backends
 *	  live "old.site"	current: version 2 of B, unbound 3
 */
struct fm_live {
	unsigned		magic;
#define FM_LIVE_MAGIC		0xe81f0c57
	struct fm_version	*current;	/* read by rcu.h; NULL: was
						 * never warm */
	struct fm_feed		*feed;
	struct fm_live		*next;		/* in the feed, newest first */
	bool			warm;
	double			watch;		/* seconds; 0: never looks */
	bool			starting;	/* the process was, at open */
	const void		*vcl;		/* NULL: its account is its
						 * own */
	char			*name;
	const char		*side;		/* a constant, or NULL */
	fm_live_bind_f		*bind;
	fm_live_tell_f		*tell;
	void			*priv;
	uint64_t		reloads;
	uint64_t		reload_fails;
	unsigned		unbound;	/* the generation that could
						 * not be bound; 0: none */
	struct fm_diag		*diag;		/* why it could not */
};

/* The result of reading the files of a feed. */
struct fm_reading {
	struct fm_set		*set;		/* NULL: refused */
	struct fm_sources	*sources;	/* as read; NULL: those of the
						 * set, or none */
	struct fm_diag		*diag;		/* why they were refused; NULL:
						 * they are fine */
	uint64_t		seen;		/* how they looked */
	double			again;		/* when they are read again
						 * though they look the same,
						 * by fm_live_clock(); 0: not */
	struct fm_caps		caps;		/* what they take; if they are
						 * over, they are read again
						 * when there is room */
};

/*
 * A feed that has refused its files: the set C serves on, and the diag has why.
 *
 *	generation 3, now.set C		what serves
 *	now.sources, now.seen		the bad files, as they looked when read
 *	now.again 0			not read again before they look new
 *	last REFUSED, now.diag		for the log and reports
 *	due 17.5, settles 0		the next look of the watcher
 */
struct fm_feed {
	unsigned		magic;
#define FM_FEED_MAGIC		0x5d92b4a8
	bool			shared;		/* other lives may join */
	bool			busy;
	bool			reading;	/* which may take long */
	const struct fm_set_type *type;
	void			*recipe;	/* has the next three */
	const char		*key;		/* NULL: it shares nothing */
	const char		*path;		/* or NULL */
	const char		*backup;	/* or NULL */
	struct fm_live		*lives;
	struct fm_feed		*next;

	struct fm_reading	now;		/* (b) the last one, with the
						 * last set that was good */
	unsigned		generation;	/* (b) of the set; 0: none */
	time_t			loaded_at;	/* (b) */
	bool			saved;		/* (b) the set is in the copy */
	bool			unsaved;	/* (b) the log has that there
						 * is no copy */
	enum fm_reload		last;		/* the last reload */
	time_t			last_at;

	/* (b) For watcher.c.  Times are seconds of fm_live_clock(). */
	double			due;		/* the next look; 0: none */
	unsigned		settles;	/* looks since a change */
	uint64_t		fingerprint;	/* at the last look */
};

extern struct fm_feed *fm_feeds;

/*--------------------------------------------------------------------
 * The account of a VCL (account.c): what the latest sets of its feeds took
 */

/* Returns true if a live of this VCL, which is not NULL, follows the feed. */
bool fm_account_has(const struct fm_feed *, const void *vcl);

/*
 * Sets what other files took: of each cap the largest sum of all VCLs that
 * follow the feed.
 */
void fm_account_others(const struct fm_feed *, struct fm_caps *);

/* Returns true if all VCLs that follow the feed have room for this set. */
bool fm_account_has_room(const struct fm_feed *, const struct fm_set *);

/* Returns true if there is room now for files that were refused. */
bool fm_account_grew(const struct fm_feed *);

/*--------------------------------------------------------------------
 * Versions (version.c)
 */

/*
 * Binds the feed's set for a live, and swaps the new version in.
 * Returns 0, or -1 with the reason in the diag.
 */
int fm_version_install(struct fm_live *, struct fm_diag *);

/* Swaps the version of a live for none. */
void fm_version_remove(struct fm_live *);

/*
 * Frees the retired versions that have no users any more, without the lock.
 * Returns true if others are left.
 */
bool fm_version_reap(void);

/*--------------------------------------------------------------------
 * Feeds (feed.c)
 */

/*
 * Adds the live to the feed of its key, or to a new feed, which takes the
 * recipe.  Returns the feed; NULL with the reason in the diag (no error in it:
 * no memory).
 */
struct fm_feed *fm_feed_join(struct fm_live *,
    const struct fm_live_options *, struct fm_diag *);

/* Returns true if a feed reads what this key, which may be NULL, is for. */
bool fm_feed_reads(const struct fm_feed *, const struct fm_set_type *,
    const char *key);

/* Takes the live out of its feed; frees a feed without lives. */
void fm_feed_quit(struct fm_live *);

/* Make a feed busy, once no other thread has; and end that. */
void fm_feed_busy(struct fm_feed *);
void fm_feed_idle(struct fm_feed *);

/*
 * The caller of the functions below has made the feed busy.  The functions give
 * up the lock while they read files or make a set.
 */

/* Returns the fingerprint of the files now. */
uint64_t fm_feed_fingerprint(const struct fm_feed *);

/*
 * Reads the files, and swaps all lives of the feed to a new set if the files
 * are good.  The result is noted even if nothing is new, if it was `asked` for.
 */
enum fm_reload fm_feed_refresh(struct fm_feed *, bool asked);

/*
 * Reads the files for a new live, and makes the feed's first set if need be.
 * Returns 0, or -1 with the reason in the diag.
 */
int fm_feed_first(struct fm_live *, struct fm_diag *);

/*
 * Binds and swaps a live that is not at the feed's latest set; if that fails,
 * notes and tells why, and returns false.
 */
bool fm_feed_catch_up(struct fm_live *);

/*
 * Makes the backup copy the feed's latest set, if the process is starting and
 * the first set could not be bound, for what *why says.  Returns 0, and takes
 * that; or -1, and adds what is wrong with the copy.
 */
int fm_feed_fall_back(struct fm_live *, struct fm_diag **why);

/*
 * Writes the backup copy, if the latest set serves some live and was not copied
 * yet.  A set that no live can bind would be no better than a broken file.
 */
void fm_feed_save(struct fm_feed *);

#endif
