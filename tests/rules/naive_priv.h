/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of the naive twin (naive.h) share the state of a run, and these
 * functions.
 */

#ifndef NAIVE_PRIV_H
#define NAIVE_PRIV_H

#include "naive.h"

struct naive_regex;

struct naive {
	unsigned		magic;
#define NAIVE_MAGIC		0x3f81d0a6
	const struct fm_model	*model;
	struct naive_regex	*regexes;	/* that were asked so far */

	/* The state of a run: */
	struct fm_arena		arena;
	struct naive_result	result;
	const struct fm_view	*view;
	struct fm_addr		client;
	bool			client_unknown;	/* proxies name no address */
	bool			client_missed;	/* a value needs it, too */
	const struct fm_result	*is;		/* of the list for traces */
	const struct fm_event	*told, *end;	/* what its trace was told, from
						 * the last condition on */
	bool			unclear;	/* a match of the map is
						 * undecided */
	struct fm_text		wild;
	bool			fragment;	/* a value needs a URL that has
						 * a raw `#` */
	struct naive_line	*lines;		/* room for one more of each
						 * name that the rules have */
	unsigned		nlines;
	unsigned		room;		/* in result.ran, malloc'ed */
};

/* Returns memory that lives as long as the run. */
char *naive_alloc(struct naive *, size_t);
/* Returns a text without the bytes that end a line. */
struct fm_text naive_one_line(struct naive *, struct fm_text);
/* Returns a text as a header's value: one line, trimmed. */
struct fm_text naive_clean(struct naive *, struct fm_text);

/* naive_stmt.c */

enum naive_step {
	NAIVE_ON,
	NAIVE_STOP,		/* leaves the block of always, or of the host */
	NAIVE_END		/* there is a verdict */
};

struct naive_context {
	const struct fm_text	*groups;	/* of the `when`, or NULL */
};

enum naive_step naive_block(struct naive *, const struct fm_block *,
    const struct naive_context *);

/* naive_builtin.c: does as `builtin` says; always NAIVE_END. */
enum naive_step naive_builtin(struct naive *, const struct fm_stmt *);

/*
 * naive_match.c
 */

/*
 * Returns what the trace was told of the next condition, or NULL if that is of
 * another `when`, or if a test of it has another outcome.
 */
const struct fm_event *naive_told(struct naive *, const struct fm_stmt *when);
/* Returns true if a regex of a condition may give groups. */
bool naive_cond_has_groups(const struct fm_cond *);
/*
 * Finds the groups of the leftmost regex that matches; all are missing if none
 * does.
 */
void naive_cond_groups(struct naive *, const struct fm_cond *,
    struct fm_text groups[FM_REGEX_GROUPS]);
/* Returns the outcome of one line of a map; may set naive->unclear. */
enum fm_outcome naive_map_line(struct naive *, const struct fm_list_def *,
    const struct fm_line *, const struct fm_subject *, struct fm_text);
const struct fm_pattern *naive_regex(struct naive *, const struct fm_word *,
    bool nocase);
bool naive_glob(struct fm_text glob, struct fm_text, bool nocase);
/* Returns the outcome of one operand; `host`: of a test of the host. */
enum fm_outcome naive_operand(struct naive *, enum fm_pattern_kind,
    bool nocase, const struct fm_word *, bool host, struct fm_text);
void naive_regexes_free(struct naive *);

/* naive_any.c: returns the outcome of a test with `any` or `every`. */
enum fm_outcome naive_any(struct naive *, const struct fm_cond *);

/*
 * naive_nets.c: returns the longest prefix of the networks that have an address
 * (-1: none has); the address of a subject; the text of the client's address;
 * and finds the client behind trusted proxies.
 */
int naive_networks(const struct fm_words *, const struct fm_addr *);
struct fm_addr naive_address(struct naive *, const struct fm_subject *);
struct fm_text naive_client_text(struct naive *);
/* Returns "http" or "https", by the request as it came. */
struct fm_text naive_scheme(struct naive *);
void naive_find_client(struct naive *);

/*
 * naive_request.c: the request in its present state; missing: it has no such.
 */

struct fm_text naive_header(struct naive *, struct fm_text name);
/* Sets a header (an empty value: unsets it), and takes away its aliases. */
void naive_header_set(struct naive *, struct fm_text name, struct fm_text);
/*
 * Takes away the aliases (`_` for `-`) of a name, unless a rule has set them.
 */
void naive_aliases_unset(struct naive *, struct fm_text name);
void naive_header_unset(struct naive *, struct fm_text glob);
struct fm_text naive_subject(struct naive *, const struct fm_subject *);
/* Returns true if a subject is a part of the URL, and the URL has a raw `#`. */
bool naive_has_fragment(const struct naive *, const struct fm_subject *);
/* Returns the host of an absolute URL, as written; missing: no absolute URL. */
struct fm_text naive_authority(struct fm_text url);
struct fm_text naive_path(const struct naive *);
struct fm_text naive_clean_path(struct naive *);
struct fm_text naive_query(const struct naive *);
/* Return path and query, or the path, from the first slash on. */
struct fm_text naive_local_url(struct naive *);
struct fm_text naive_local_path(struct naive *);
struct fm_text naive_query_find(struct naive *, struct fm_text name);
struct fm_text naive_cookie_find(struct naive *, struct fm_text name);
/*
 * Returns true if a parameter, cookie or header has a name that the test asks.
 */
bool naive_has_names(struct naive *, const struct fm_cond *);
void naive_query_filter(struct naive *, const struct fm_stmt *);
void naive_cookie_filter(struct naive *, const struct fm_stmt *);

#endif
