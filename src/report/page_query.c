/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the query string of .page(): what the operator wants to see.
 */

#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "percent.h"

/* Decodes a name or a value up to one of `until`, into *to, with a NUL. */
static struct fm_text
take(const char **p, const char *end, const char *until, char **to)
{
	struct fm_text text = fm_text(*to, 0);
	char c;

	while (*p < end && strchr(until, **p) == NULL) {
		if (**p == '+') {
			c = ' ';
			++*p;
		} else {
			c = (char)fm_percent_next(p, end);
		}
		*(*to)++ = c;
	}
	text.len = (size_t)(*to - text.b);
	*(*to)++ = '\0';
	return (text);
}

static enum fm_page_order
order_of(struct fm_text word)
{
	static const char * const words[] = {
		[FM_PAGE_BY_RATE] = "rate",
		[FM_PAGE_BY_HITS] = "hits",
		[FM_PAGE_BY_NAME] = "name",
		[FM_PAGE_BY_4XX] = "4xx",
		[FM_PAGE_BY_5XX] = "5xx"
	};
	unsigned n;

	for (n = 0; n < sizeof words / sizeof *words; n++)
		if (strcmp(word.b, words[n]) == 0)
			return ((enum fm_page_order)n);
	return (strcmp(word.b, "place") == 0 ? FM_PAGE_BY_NAME :
	    FM_PAGE_BY_RATE);
}

static void
query_set(struct fm_page_query *query, const char *name, struct fm_text value)
{
	if (strcmp(name, "json") == 0)
		query->json = true;
	else if (strcmp(name, "hosts") == 0)
		query->hosts = order_of(value);
	else if (strcmp(name, "rules") == 0)
		query->rules = order_of(value);
	else if (strcmp(name, "history") == 0)
		query->no_history = strcmp(value.b, "no") == 0;
	else if (strcmp(name, "rule") == 0)
		query->rule = value;
	else if (strcmp(name, "n") == 0)
		query->rows = (unsigned)strtoul(value.b, NULL, 10);
	else if (strcmp(name, "q") == 0 && value.len <= FM_PAGE_SEARCH)
		query->search = value;
	else if (strcmp(name, "method") == 0)
		query->method = value;
	else if (strcmp(name, "url") == 0)
		query->url = value;
	else if (strcmp(name, "headers") == 0)
		query->headers = value;
	else if (strcmp(name, "client") == 0)
		query->client = value;
	else if (strcmp(name, "status") == 0)
		query->status = value;
	else if (strcmp(name, "response") == 0)
		query->response = value;
}

/*
 * Parses the query.  Its room of two bytes for each byte of the query is
 * enough: `&` gives an empty name and an empty value, which are two NULs.
 */
void
fm_page_query_parse(struct fm_page_query *query, struct fm_text url)
{
	const char *p = url.len == 0 ? NULL : memchr(url.b, '?', url.len);
	const char *end = url.b + url.len;
	struct fm_text name, value;
	char *to = query->room;

	memset(query, 0, sizeof *query);
	if (p == NULL)
		return;
	p++;
	if ((size_t)(end - p) > FM_PAGE_QUERY) {
		query->too_long = true;
		return;
	}
	while (p < end) {
		name = take(&p, end, "=&", &to);
		value = fm_text(to, 0);
		if (p < end && *p == '=') {
			p++;
			value = take(&p, end, "&", &to);
		} else {
			*to++ = '\0';
		}
		p++;
		query_set(query, name.b, value);
	}
	if (query->rows > FM_PAGE_MOST)
		query->rows = FM_PAGE_MOST;
}
