/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the JSON of .page()?json, from which the page of web/page draws itself
 * every two seconds.  The code needs no Varnish.
 *
 *	page_query.c	parses the query string: what the operator asks for
 *	page_rows.c	picks the hosts, rules and files to be shown: the first
 *			ones that the search finds
 *	page_json.c	writes the JSON
 *	page_shadow.c	writes its part about the shadow
 *	page_explain_json.c
 *			writes its part about the request that is explained
 *
 * Each part has a budget of bytes, so that the JSON is smaller than
 * FM_PAGE_SIZE whatever the rules and the query are.
 */

#ifndef FM_PAGE_H
#define FM_PAGE_H

#include "jsonbuf.h"
#include "rules_report.h"

#define FM_PAGE_SIZE		300000	/* bytes */

/* Limits of the query string and of its parameters, in bytes. */
#define FM_PAGE_QUERY		16384
#define FM_PAGE_SEARCH		400	/* `q`: 100 characters of UTF-8 */
#define FM_PAGE_METHOD		32
#define FM_PAGE_URL		2048
#define FM_PAGE_HEADERS		4096
#define FM_PAGE_CLIENT		64
#define FM_PAGE_TEXT		250	/* bytes of a text in the JSON, such as
					 * a rule */

/* Rows of a table: at most, and by default. */
#define FM_PAGE_MOST		200
#define FM_PAGE_HOSTS		50
#define FM_PAGE_RULES		100

enum fm_page_order {
	FM_PAGE_BY_RATE,	/* by hits while no rate is known */
	FM_PAGE_BY_HITS,
	FM_PAGE_BY_NAME,	/* of a host; a rule: by its place */
	FM_PAGE_BY_4XX,
	FM_PAGE_BY_5XX
};

/* A parsed query.  Texts are decoded and end in NUL, or are missing. */
struct fm_page_query {
	bool			too_long;	/* true: nothing was parsed */
	bool			json;
	bool			no_history;
	enum fm_page_order	hosts;
	enum fm_page_order	rules;
	unsigned		rows;		/* of a table; 0: default */
	struct fm_text		search;
	struct fm_text		rule;		/* "file:line:column" */

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
	const char		*log;		/* of the object: "verdict" */
	struct fm_page_query	query;

	/* Set by fm_page_find_rows(). */
	uint64_t		*totals;	/* hits: nrules of rules, then
						 * nhosts of hosts; NULL:
						 * nothing is counted */
	double			*rates;		/* hits a second, as totals;
						 * NULL: not known yet */
	struct fm_hits_responses *responses;	/* of hosts; NULL: not known */
	struct fm_hits_history	*history;	/* NULL: not asked for, or
						 * nothing is counted */
	size_t			nrules, nhosts;
	struct fm_page_rows	hosts, rules, never;
	uint32_t		rule;		/* the one of the query; or
						 * UINT32_MAX */
	struct fm_rule_hosts	rule_hosts;	/* which it is for */
	struct fm_page_rows	for_rule;	/* the first of these */
	uint32_t		hosts_never;	/* hosts that were never hit */
};

/*
 * Picks the rows that the page shows.  Returns 0, or -1 if there is no memory.
 * fm_page_end() has to be called in both cases.
 */
int fm_page_find_rows(struct fm_page *);
void fm_page_end(struct fm_page *);

/* Returns true if the search of the query finds the text, or is empty. */
bool fm_page_finds(const struct fm_page *, const char *text);

/* Return rule n; and its place, relative to the folder of the rule file. */
const struct fm_rule *fm_page_rule(const struct fm_page *, uint32_t n);
const char *fm_page_place(const struct fm_page *, const struct fm_rule *);

/* Returns true if a rule is a verdict: the log has it with log=verdict. */
bool fm_page_decides(const struct fm_rule *);

/* Returns the words of a rule, without its secrets unless page->secrets. */
const char *fm_page_words(const struct fm_page *, const struct fm_rule *);

#define FM_PAGE_MESSAGES	5	/* of a kind, that are shown */

struct fm_page_message {
	char			at[FM_PLACE_LEN];
	const char		*text;
	const char		*excerpt;	/* lines of the file; or NULL */
};

/*
 * Fills in error n (or warning n) of a diag, as this page may show it.  Returns
 * false if there is no such message.
 */
bool fm_page_message(const struct fm_page *, const struct fm_diag *,
    bool error, unsigned n, struct fm_page_message *);

/* Returns the JSON, malloc'ed; NULL if there is no memory. */
char *fm_page_json(const struct fm_page *, size_t *len);

/* Returns a place relative to the folder of the rule file. */
const char *fm_page_below(const struct fm_page *, const char *place);

/* Writes, as the value of a key, the state of the shadow and what differs. */
void fm_page_shadow(struct fm_jsonbuf *, const struct fm_page *);

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
