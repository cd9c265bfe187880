/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's policy as tables and code, without Varnish.  Numbers in
 * parentheses, such as (13), are those of the comments in before.vcl.
 */

#ifndef FLOOR_POLICY_H
#define FLOOR_POLICY_H

#include <stdint.h>

#include "text.h"

enum floor_backend {
	FLOOR_WWW, FLOOR_MEDIA, FLOOR_SHOP, FLOOR_WIKI, FLOOR_MOBILE,
	FLOOR_API, FLOOR__BACKENDS
};

enum floor_list {
	FLOOR_PHONES, FLOOR_HANDSETS, FLOOR__LISTS
};

/* Which cookies a site has, and whether they make it uncacheable. */
enum floor_cookies {
	FLOOR_COOKIES_NONE,
	FLOOR_COOKIES_OTHERS,	/* but (11), and nothing is cached */
	FLOOR_COOKIES_FORUM,	/* but (11) with a session, which makes
				 * it uncacheable; else none */
	FLOOR_COOKIES_SHOP,	/* three of them */
	FLOOR_COOKIES_WIKI	/* its own, and then nothing is cached */
};

/* (13) to (19) */
enum floor_names {
	FLOOR_NAMES_NONE, FLOOR_NAMES_NEWS, FLOOR_NAMES_WIKI,
	FLOOR_NAMES_SHOP, FLOOR_NAMES_GAMES, FLOOR_NAMES_DOCS,
	FLOOR_NAMES_SEARCH, FLOOR_NAMES_DOWNLOAD
};

struct floor_row {
	const char		*header;	/* "Host: www.example.com" */
	const char		*host;		/* NULL: many */
	const char		*label;		/* "X-Site: www" */
	const char		*mobile;	/* where phones go; "": to the
						 * host's own; NULL: nowhere */
	uint8_t			len;		/* of host */
	uint8_t			backend;
	uint8_t			list;
	uint8_t			cookies;
	uint8_t			names;
};

#define FLOOR_SLOTS	128	/* a power of two, some times the hosts */

struct floor_hosts {
	struct {
		uint32_t	hash;
		uint32_t	row;	/* from 1; 0: none */
	}			slots[FLOOR_SLOTS];
};

/* Fills a table, which must be zeroed. */
void fm_floor_hosts_fill(struct floor_hosts *);

/* Returns the row of a host, not empty, in any case; NULL: none of ours. */
const struct floor_row *fm_floor_hosts_find(const struct floor_hosts *,
    struct fm_text host);

/* The end of a path tells css and js, compressed files, and all the rest. */
enum floor_file {
	FLOOR_PAGE, FLOOR_PLAIN, FLOOR_PACKED
};

enum floor_file fm_floor_path_file(struct fm_text path);
bool fm_floor_path_is_front(struct fm_text path);
bool fm_floor_path_is_checkout(struct fm_text path);

/* Returns true if a parameter has to go, from url.b[query] on. */
bool fm_floor_query_drops(enum floor_names, struct fm_text url, size_t query);

/*
 * Writes the URL without the dropped parameters, and a NUL, to buf, which has
 * room for the whole URL.  The path has `path` bytes.  Returns the length.
 */
size_t fm_floor_query_write(enum floor_names, struct fm_text url, size_t path,
    char *buf);

enum floor_left {
	FLOOR_NOTHING, FLOOR_SOME, FLOOR_ALL
};

/* Tells what a rule leaves of a Cookie; writes that, with a NUL, into buf. */
enum floor_left fm_floor_cookies_left(enum floor_cookies, struct fm_text);
size_t fm_floor_cookies_write(enum floor_cookies, struct fm_text, char *buf);

bool fm_floor_cookies_chose_full(struct fm_text);
bool fm_floor_cookies_have_session(struct fm_text);

#endif
