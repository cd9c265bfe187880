/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch why`: tells what became of a request, from Varnish's log.
 *
 *	find.c		finds the request in the log, and the fetches that
 *			have to do with it
 *	judge.c		finds what kept the response from being cached
 *	remedy.c	says so, and what would change it
 *	rules.c		runs the rules of a file on the request
 *	tell.c		tells the parts of the story, one after the other
 *	tell_fetch.c	those of a fetch
 *	show.c		shows the story as text, or as JSON
 */

#ifndef FM_WHY_H
#define FM_WHY_H

#include "builtin.h"
#include "lifetime.h"
#include "load.h"
#include "term.h"
#include "logs/exchange.h"

/*--------------------------------------------------------------------
 * The log
 */

struct fm_why_kept {
	struct fm_transaction	**v;
	size_t			n, room;
};

/* A ban has no time in the log: it is that of the last record before it. */
struct fm_why_ban {
	double			when;
	struct fm_text		expression;
};

/* What is looked for, and what was found. */
struct fm_why_log {
	const char		*path;		/* NULL: a running varnishd, */
	const char		*name;		/* by its -n or NULL */
	uint64_t		vxid;		/* 0: by the URL */
	struct fm_text		host;		/* canonical; missing: any */
	struct fm_text		path_only;
	struct fm_text		query;		/* missing: any */

	struct fm_why_kept	all;		/* of a log that is read once */
	bool			once;
	double			first, last;	/* the log begins, ends; 0: it
						 * is empty */
	struct fm_transaction	*request;	/* the one to explain */
	bool			same_query;	/* it has that query */
	struct fm_why_kept	kept;		/* what belongs to it */
	struct fm_why_kept	fetches;	/* of this host and path */
	double			purged;		/* the last time; 0: never */
	uint64_t		*banned;	/* objects that a ban removed */
	size_t			nbanned, banned_room;
	struct fm_why_ban	*bans;		/* that the CLI has added */
	size_t			nbans, bans_room;
	char			*rules;		/* a file that lines of the log
						 * name; or NULL */
	char			*wrong;		/* the log ends with that */
};

/* Reads the log.  Returns false if it can't be read; stderr then says why. */
bool fm_why_find(struct fm_why_log *);

/* Returns a transaction that belongs to the request, or NULL. */
const struct fm_transaction *fm_why_kept(const struct fm_why_log *,
    uint64_t vxid);

/* Returns true if a ban has removed an object, as the log tells. */
bool fm_why_is_banned(const struct fm_why_log *, uint64_t object);

/* Returns why a log can't be opened, with the group to join, for free(). */
char *fm_why_denied(const struct fm_why_log *, const char *wrong);

/*--------------------------------------------------------------------
 * Reasons
 */

enum fm_why_reason {
	FM_WHY_CACHED,		/* nothing is in the way */
	FM_WHY_COOKIE,
	FM_WHY_AUTHORIZATION,
	FM_WHY_METHOD,
	FM_WHY_RULE_PASS,
	FM_WHY_VCL_PASS,
	FM_WHY_IS_PIPE,
	FM_WHY_IS_SYNTH,
	FM_WHY_IS_PURGE,
	FM_WHY_VCL_FAILED,
	FM_WHY_NO_LIFETIME,
	FM_WHY_TTL_0,
	FM_WHY_SET_COOKIE,
	FM_WHY_SURROGATE_CONTROL,
	FM_WHY_CACHE_CONTROL,
	FM_WHY_VARY_STAR,
	FM_WHY_RULE_UNCACHEABLE,
	FM_WHY_VCL_UNCACHEABLE,
	FM_WHY_HIT_FOR_PASS,
	FM_WHY_FETCH_FAILED,
	FM_WHY_ABANDONED,
	FM_WHY_VARY,		/* stored, but for others */
	FM_WHY_QUERY,
	FM_WHY_KEY,		/* stored, under another one */
	FM_WHY_EXPIRED,
	FM_WHY_PURGED,
	FM_WHY_BANNED,
	FM_WHY_BUSY,		/* it was being fetched for another one */
	FM_WHY_GONE,		/* stored before, and not there */
	FM_WHY_FIRST,		/* not stored before, as the log tells */
	FM_WHY_BRIEF,		/* stored, for seconds */
	FM_WHY__REASONS
};

/* A reason, and what it is about. */
struct fm_why_because {
	enum fm_why_reason	reason;
	struct fm_text		detail;		/* a header, a place, a query */
	bool			actual;		/* it decided; else it would
				 * have, without those before it */
};

#define FM_WHY_MOST	8

struct fm_why_judged {
	struct fm_why_because	v[FM_WHY_MOST];
	size_t			n;
	double			ttl;		/* that builtin.vcl found */
	struct fm_lifetime	life;		/* by Varnish's core */
	bool			by_builtin;	/* of VCL, in the response */
	bool			cut;		/* the body broke off */
	struct fm_why_because miss;	/* why nothing was there, of a miss */
	const struct fm_transaction *other;	/* fetched before, of VARY,
						 * QUERY, KEY, EXPIRED, GONE,
						 * PURGED, BANNED and BUSY */
	double			purged;		/* when, of PURGED */
	unsigned		status;		/* of the response */
	struct fm_text		url;		/* as it was looked up */
};

/* Finds what kept a fetch from being stored; `pass`: it was one. */
void fm_why_judge_fetch(const struct fm_log_fetch *, bool pass,
    struct fm_why_judged *);
/* Finds what kept a request from the cache; the fetch may be NULL. */
void fm_why_judge(const struct fm_why_log *, const struct fm_log_request *,
    const struct fm_log_fetch *, struct fm_why_judged *);

/*
 * Corrects what the log does not have: whether a `builtin` of rules, which kept
 * a response from being stored, found a lifetime; rules may have set one, or
 * set grace after it.
 */
void fm_why_by_rules(struct fm_why_judged *, bool lives);

/* Returns the word of a reason: "set-cookie". */
const char *fm_why_word(enum fm_why_reason);
/* Writes a reason as a part of a sentence: "the response has a Set-Cookie". */
void fm_why_put_reason(FILE *, const struct fm_why_because *,
    const struct fm_why_judged *);
/* Writes what would have to change, as a sentence; nothing, if nothing can. */
void fm_why_put_remedy(FILE *, const struct fm_why_because *,
    const struct fm_why_judged *);

/*--------------------------------------------------------------------
 * The story
 */

struct fm_why_part {
	const char		*title;		/* "Request" */
	char			*text;		/* of sentences */
};

struct fm_why_story {
	char			*title;		/* "GET http://a.example/" */
	char			*summary;	/* "Not cached: ..." */
	const char		*outcome;	/* "miss" */
	const char		*reason;	/* "set-cookie"; NULL: cached */
	bool			stored;		/* or it was there */
	bool			has_rules;	/* of a file */
	uint64_t		vxid;
	double			when;
	struct fm_why_part	*parts;
	size_t			nparts, room;
	struct fm_why_part	*changes;	/* what would have to change */
	size_t			nchanges, changes_room;
};

/*
 * Ends a text, and makes it the next part, unless it is empty; without a title
 * it is a change that is needed.
 */
void fm_why_part_end(struct fm_why_story *, const char *title,
    struct fm_written *);

/* Tells the story of a request that was found. */
void fm_why_tell(const struct fm_why_log *, const struct fm_rules *,
    struct fm_why_story *);

/*
 * Writes a header "Name: value": of a Cookie or a Set-Cookie the names, and of
 * an Authorization the scheme, as the values are secrets.
 */
void fm_why_put_header(FILE *, struct fm_text);

/* Write headers of these names, and the verdict of the rules in a sub. */
unsigned fm_why_put_headers(FILE *, const struct fm_log_headers *,
    const char * const names[], size_t n);
void fm_why_put_decided(FILE *, const struct fm_log_sub *);

/* Tells what a sub of this name did, if it did something, or always. */
void fm_why_tell_sub(struct fm_why_story *, const char *name,
    const struct fm_log_sub *, bool always);

/*
 * Tells how a fetch went, and what was stored.  The rules, or NULL, may name
 * the reason better.
 */
void fm_why_tell_fetch(struct fm_why_story *, const struct fm_rules *,
    const struct fm_log_request *, const struct fm_log_fetch *, bool pass,
    struct fm_why_judged *);

/*
 * Tells what the rules of a file do to the request.  Without a line of the
 * module, their verdict becomes that of vcl_recv, if it returned this.
 */
void fm_why_tell_rules(const struct fm_rules *, struct fm_log_request *,
    struct fm_why_story *);
/* Writes what they add to its key, each in a line. */
void fm_why_tell_key(const struct fm_rules *, const struct fm_log_request *,
    FILE *);
/*
 * Compares the keys that the rules make of what two fetches have sent.  Returns
 * the line of the first that the second lacks, "header X-Shop: a"; or the
 * missing text.
 */
struct fm_text fm_why_key_differs(const struct fm_rules *,
    const struct fm_log_fetch *, const struct fm_log_fetch *);

/*
 * Tells what they do to the response.  Returns the place of the rule that makes
 * it uncacheable, or would without the pass; or the missing text.  Sets
 * *builtin to what a `builtin` has against it, "Set-Cookie", if one decides.
 */
struct fm_text fm_why_tell_response(const struct fm_rules *,
    const struct fm_log_request *, const struct fm_log_fetch *, bool pass,
    struct fm_why_story *, struct fm_text *builtin);

/* Tells what they do when it is delivered. */
void fm_why_tell_delivery(const struct fm_rules *,
    const struct fm_log_request *, const struct fm_log_fetch *,
    struct fm_why_story *);

void fm_why_show(const struct fm_why_story *, const struct fm_term *);
void fm_why_show_json(const struct fm_why_story *);

/* Writes a time of the log, "14:02:03", with its date unless it is today. */
void fm_why_put_time(FILE *, double);
/* Writes seconds: "60 s", "0.3 s", "86400 s (1d)". */
void fm_why_put_seconds(FILE *, double);

#endif
