/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the HTML page of .page(), and the same as JSON, for programs.  The page
 * renews itself from a page that was written later (page.js).  The code needs
 * no Varnish.
 *
 *	page_query.c	parses the query string: what the operator asks for
 *	page_rows.c	picks the hosts and rules to be shown: the first ones
 *			that the search finds
 *	page_html.c	writes the page
 *	page_json.c	writes the same as JSON, without an explanation
 *
 * Each part of the page has a budget of bytes, so that the page is smaller than
 * FM_PAGE_SIZE whatever the rules and the query are.
 */

#ifndef FM_PAGE_H
#define FM_PAGE_H

#include "jsonbuf.h"
#include "rules_report.h"

#define FM_PAGE_SIZE		200000	/* bytes */

/* Limits of the query string and of its parameters, in bytes. */
#define FM_PAGE_QUERY		16384
#define FM_PAGE_SEARCH		400	/* `q`: 100 characters of UTF-8 */
#define FM_PAGE_METHOD		32
#define FM_PAGE_URL		2048
#define FM_PAGE_HEADERS		4096
#define FM_PAGE_CLIENT		64

/* Rows of a table: at most, and by default. */
#define FM_PAGE_MOST		200
#define FM_PAGE_HOSTS		50
#define FM_PAGE_RULES		100

/* A parsed query.  Texts are decoded and end in NUL, or are missing. */
struct fm_page_query {
	bool			too_long;	/* true: nothing was parsed */
	bool			json;
	bool			hosts_by_name;
	bool			rules_by_place;
	unsigned		rows;		/* of a table; 0: default */
	struct fm_text		search;

	/* The request that the operator wants explained. */
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		headers;	/* a header a line */
	struct fm_text		client;

	/* The response to it; without both, the request is explained alone. */
	struct fm_text		status;
	struct fm_text		response;	/* a header a line */

	char			room[2 * FM_PAGE_QUERY + 2];
};

void fm_page_query_parse(struct fm_page_query *, struct fm_text url);

struct fm_page_rows {
	uint32_t		of;		/* rows that exist */
	uint32_t		matched;	/* rows that the search finds */
	uint32_t		n;		/* rows that are shown */
	uint32_t		index[FM_PAGE_MOST];
};

struct fm_page_count {
	const char		*what;
	uint64_t		total;		/* over fm_page.seconds */
};

struct fm_page {
	struct fm_rules_reported what;
	const struct fm_live_state *state;
	const char		*engine;
	time_t			now;
	double			seconds;
	const struct fm_page_count *counts;
	size_t			ncounts;
	bool			secrets;	/* true: show secret values */
	struct fm_page_query	query;

	/* Set by fm_page_find_rows(). */
	uint64_t		*totals;	/* hits: nrules of rules, then
						 * nhosts of hosts; NULL:
						 * nothing is counted */
	size_t			nrules, nhosts;
	struct fm_page_rows	hosts, rules, never;
	uint32_t		hosts_never;	/* hosts that were never hit */
};

/*
 * Picks the rows that the page shows.  Returns 0, or -1 if there is no memory.
 * The caller frees page->totals.
 */
int fm_page_find_rows(struct fm_page *);

/* Return rule n; and its place, relative to the folder of the rule file. */
const struct fm_rule *fm_page_rule(const struct fm_page *, uint32_t n);
const char *fm_page_place(const struct fm_page *, const struct fm_rule *);

/* Returns the words of a rule, without its secrets unless page->secrets. */
const char *fm_page_words(const struct fm_page *, const struct fm_rule *);

#define FM_PAGE_ERRORS		5	/* errors of a reload that are shown */
#define FM_PAGE_ERROR_LEN	1100	/* bytes: no message of a diag is
					 * longer */

struct fm_page_error {
	char			at[FM_PLACE_LEN];
	char			text[FM_PAGE_ERROR_LEN];
	const char		*excerpt;	/* lines of the file; or NULL */
};

/*
 * Fills in error n of the last reload, as this page may show it.  Returns false
 * if there is no such error.
 */
bool fm_page_error(const struct fm_page *, unsigned n, struct fm_page_error *);

/* Return the page, malloc'ed; NULL if there is no memory. */
char *fm_page_html(const struct fm_page *, size_t *len);
char *fm_page_json(const struct fm_page *, size_t *len);

/*
 * Replaces all from the first quote of a message to the last, as a message may
 * quote the secret value of a condition.  `text` has FM_PAGE_ERROR_LEN bytes.
 */
void fm_page_mask(char *text);

/* Returns a place relative to the folder of the rule file. */
const char *fm_page_below(const struct fm_page *, const char *place);

/* Writes the page's section about the shadow; nothing if there is no shadow. */
void fm_page_shadow(struct fm_jsonbuf *, const struct fm_page *);

/*
 * Writes the page's section that explains the request of the query, or says
 * what is wrong with that request.
 */
void fm_page_explain(struct fm_jsonbuf *, const struct fm_page *);

/*
 * Writes, as the value of a key, what `fastmatch explain --json` prints
 * (fastmatch(1)) for the request of the query, and for the response to it:
 *
 *	?json&url=http://a.example/x&method=POST&headers=Cookie:+a%0ADNT:+1
 *	    &client=192.0.2.1&status=404&response=Age:+3
 *
 * The first ones of many statements and tests are written, and the key
 * "more" has the number of those that are not.  Without page->secrets, values
 * with which conditions compare are "[hidden]".
 *
 * Writes null if no rules serve or the query has no url.  If the request is
 * wrong, writes what is wrong, the parameter, and the line in that, or null:
 *
 *	{"error": "no ':' in it; write 'Name: value'",
 *	 "parameter": "headers", "line": 2}
 */
void fm_page_explain_json(struct fm_jsonbuf *, const struct fm_page *);

#endif
