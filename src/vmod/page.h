/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The page of .page(), and the JSON that keeps it live.  Knows no Varnish.
 *
 *	query	what the operator asks for, from the query string
 *	rows	the hosts and rules that are shown: the first of those that the
 *		search finds
 *	HTML, JSON	both tell the same; an explanation is HTML alone
 *
 * Each part has a budget of bytes, so that the whole is below FM_PAGE_SIZE
 * whatever the rules and the query are.
 */

#ifndef FM_PAGE_H
#define FM_PAGE_H

#include "jsonbuf.h"
#include "rules_report.h"

#define FM_PAGE_SIZE		200000	/* bytes */

#define FM_PAGE_QUERY		16384	/* bytes of the query string */
#define FM_PAGE_SEARCH		400	/* bytes of `q`: 100 characters */
#define FM_PAGE_METHOD		32
#define FM_PAGE_URL		2048
#define FM_PAGE_HEADERS		4096
#define FM_PAGE_CLIENT		64
#define FM_PAGE_MOST		200	/* rows of a table */
#define FM_PAGE_HOSTS		50	/* rows, unless the query says */
#define FM_PAGE_RULES		100

/* All texts are decoded, and end in NUL; missing: not in the query. */
struct fm_page_query {
	bool			too_long;	/* and so it was not read */
	bool			json;
	bool			hosts_by_name;
	bool			rules_by_place;
	unsigned		rows;		/* 0: as usual */
	struct fm_text		search;

	/* The request to be explained. */
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		headers;	/* lines */
	struct fm_text		client;

	char			room[2 * FM_PAGE_QUERY + 2];
};

void fm_page_query_parse(struct fm_page_query *, struct fm_text url);

struct fm_page_rows {
	uint32_t		of;		/* so many there are */
	uint32_t		matched;	/* of them the search finds */
	uint32_t		n;		/* of these are shown */
	uint32_t		index[FM_PAGE_MOST];
};

struct fm_page_count {
	const char		*what;
	uint64_t		total;		/* in the page's seconds */
};

struct fm_page {
	struct fm_rules_reported what;
	const struct fm_live_state *state;
	const char		*engine;
	time_t			now;
	double			seconds;
	const struct fm_page_count *counts;
	size_t			ncounts;
	bool			secrets;	/* are shown */
	struct fm_page_query	query;

	/* Made by fm_page_find_rows(). */
	uint64_t		*totals;	/* rules, hosts; NULL: nothing
						 * is counted */
	size_t			nrules, nhosts;
	struct fm_page_rows	hosts, rules, never;
	uint32_t		hosts_never;	/* asked for */
};

/* 0, or -1: no memory.  The totals are for the caller to free. */
int fm_page_find_rows(struct fm_page *);

/* The n-th rule and its place, below the folder of the rule file. */
const struct fm_rule *fm_page_rule(const struct fm_page *, uint32_t n);
const char *fm_page_place(const struct fm_page *, const struct fm_rule *);

/* The words of a rule, as this page may show them. */
const char *fm_page_words(const struct fm_page *, const struct fm_rule *);

/* The n-th error of the last reload, as this page may show it; false: none. */
#define FM_PAGE_ERRORS		5
#define FM_PAGE_ERROR_LEN	1100	/* more than a diag has */

struct fm_page_error {
	char			at[FM_PLACE_LEN];
	char			text[FM_PAGE_ERROR_LEN];
	const char		*excerpt;	/* or NULL */
};

bool fm_page_error(const struct fm_page *, unsigned n, struct fm_page_error *);

/* Return what was written, malloc'ed; NULL: no memory. */
char *fm_page_html(const struct fm_page *, size_t *len);
char *fm_page_json(const struct fm_page *, size_t *len);

/*
 * Hides what a message quotes, from the first quote to the last, in
 * FM_PAGE_ERROR_LEN bytes: it may be the value of a condition.
 */
void fm_page_mask(char *text);

/* A place without the folder of the rule file. */
const char *fm_page_below(const struct fm_page *, const char *place);

/* Writes what there is to be seen of the shadow, if there is one. */
void fm_page_shadow(struct fm_jsonbuf *, const struct fm_page *);

/* Writes what becomes of the request of the query, or what is wrong with it. */
void fm_page_explain(struct fm_jsonbuf *, const struct fm_page *);

#endif
