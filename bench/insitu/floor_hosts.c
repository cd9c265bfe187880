/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's hosts, and what the policy says of each.
 */

#include "floor_policy.h"

#define ROW(host, label, backend, names, cookies, list, mobile)		\
	{ "Host: " host, &"Host: " host[6], "X-Site: " label, mobile,	\
	    sizeof(host) - 1, FLOOR_##backend, FLOOR_##list,		\
	    FLOOR_COOKIES_##cookies, FLOOR_NAMES_##names }

/* Phones stay. */
#define STAY(host, label, backend, names, cookies)			\
	ROW(host, label, backend, names, cookies, PHONES, NULL)

/* BELOW is a row for all hosts below a name. */
#define BELOW(label, backend, names, cookies, list, mobile)		\
	{ NULL, NULL, "X-Site: " label, mobile, 0, FLOOR_##backend,	\
	    FLOOR_##list, FLOOR_COOKIES_##cookies, FLOOR_NAMES_##names }

static const struct floor_row rows[] = {
	ROW("www.example.com", "www", WWW, NONE, NONE, PHONES,
	    "http://m.example.com"),
	ROW("example.com", "www", WWW, NONE, NONE, PHONES,
	    "http://m.example.com"),
	ROW("news.example.com", "news", WWW, NEWS, NONE, PHONES,
	    "http://m.example.com/news"),
	STAY("tv.example.com", "pages", WWW, NONE, NONE),
	STAY("blog.example.com", "pages", WWW, NONE, NONE),
	STAY("forum.example.com", "forum", WWW, NONE, FORUM),
	STAY("shop.example.com", "shop", SHOP, SHOP, SHOP),
	STAY("secure.example.com", "shop", SHOP, NONE, OTHERS),
	STAY("search.example.com", "search", API, SEARCH, NONE),
	STAY("api.example.com", "api", API, NONE, OTHERS),
	STAY("media.example.com", "media", MEDIA, NONE, NONE),
	STAY("static.example.com", "media", MEDIA, NONE, NONE),
	STAY("img.example.com", "media", MEDIA, NONE, NONE),
	STAY("m.example.com", "mobile", MOBILE, NONE, NONE),

	ROW("www.example.net", "net", WWW, NONE, NONE, PHONES,
	    "http://m.example.net"),
	ROW("example.net", "net", WWW, NONE, NONE, PHONES,
	    "http://m.example.net"),
	ROW("games.example.net", "games", WWW, GAMES, NONE, HANDSETS,
	    "http://m.example.net/games"),
	STAY("media.example.net", "media", MEDIA, NONE, NONE),
	STAY("download.example.net", "media", MEDIA, DOWNLOAD, NONE),
	STAY("m.example.net", "mobile", MOBILE, NONE, NONE),

	ROW("www.example.org", "org", WWW, NONE, NONE, PHONES,
	    "http://m.example.org"),
	ROW("example.org", "org", WWW, NONE, NONE, PHONES,
	    "http://m.example.org"),
	STAY("docs.example.org", "org", WWW, DOCS, NONE),
	STAY("intranet.example.org", "intranet", WWW, NONE, OTHERS),
	STAY("m.example.org", "mobile", MOBILE, NONE, NONE),

	ROW("wiki.example", "wiki", WIKI, WIKI, WIKI, HANDSETS, ""),
	STAY("m.wiki.example", "mobile", MOBILE, WIKI, NONE)
};

#define NROWS	(sizeof rows / sizeof *rows)

static const struct floor_row wikis =
    BELOW("wiki", WIKI, WIKI, WIKI, HANDSETS, "");
static const struct floor_row mobile_wikis =
    BELOW("mobile", MOBILE, WIKI, NONE, PHONES, NULL);
static const struct floor_row staging =
    BELOW("api", API, NONE, OTHERS, PHONES, NULL);

/* Below means one label more, or several, of which none is empty. */
static bool
host_is_below(struct fm_text host, const char *name, size_t len)
{
	unsigned char c, last = '.';
	size_t i;

	if (host.len <= len ||
	    strncasecmp(host.b + host.len - len, name, len) != 0)
		return (false);
	for (i = 0; i <= host.len - len; i++) {
		c = fm_lower((unsigned char)host.b[i]);
		if (c == '.' ? last == '.' :
		    (c < 'a' || c > 'z') && (c < '0' || c > '9') &&
		    c != '_' && c != '-')
			return (false);
		last = c;
	}
	return (true);
}

#define BELOW_IS(host, name)	(host_is_below(host, name, sizeof(name) - 1))

static const struct floor_row *
row_below(struct fm_text host)
{
	if (BELOW_IS(host, ".m.wiki.example"))
		return (&mobile_wikis);
	if (BELOW_IS(host, ".wiki.example"))
		return (&wikis);
	if (BELOW_IS(host, ".staging.example.com"))
		return (&staging);
	return (NULL);
}

/*--------------------------------------------------------------------
 * The table
 */

/* Eight bytes at a time, the last ones perhaps twice; A and a are one. */
static uint32_t
host_hash(struct fm_text host)
{
	const uint64_t fold = 0x2020202020202020, odd = 0x9e3779b97f4a7c15;
	uint64_t h = host.len, w = 0;
	size_t i;

	for (i = 0; i + 8 < host.len; i += 8) {
		memcpy(&w, host.b + i, 8);
		h = (h ^ (w | fold)) * odd;
		h ^= h >> 29;
	}
	if (host.len >= 8) {
		memcpy(&w, host.b + host.len - 8, 8);
	} else {
		w = 0;
		memcpy(&w, host.b, host.len);
	}
	return ((uint32_t)(((h ^ (w | fold)) * odd) >> 32));
}

void
fm_floor_hosts_fill(struct floor_hosts *hosts)
{
	uint32_t h;
	unsigned i, n;

	for (n = 0; n < NROWS; n++) {
		h = host_hash(fm_text(rows[n].host, rows[n].len));
		for (i = h % FLOOR_SLOTS; hosts->slots[i].row != 0;)
			i = (i + 1) % FLOOR_SLOTS;
		hosts->slots[i].hash = h;
		hosts->slots[i].row = n + 1;
	}
}

const struct floor_row *
fm_floor_hosts_find(const struct floor_hosts *hosts, struct fm_text host)
{
	const struct floor_row *row;
	uint32_t h = host_hash(host);
	unsigned i;

	for (i = h % FLOOR_SLOTS; hosts->slots[i].row != 0;
	    i = (i + 1) % FLOOR_SLOTS) {
		if (hosts->slots[i].hash != h)
			continue;
		row = &rows[hosts->slots[i].row - 1];
		if (row->len == host.len &&
		    strncasecmp(row->host, host.b, host.len) == 0)
			return (row);
	}
	return (row_below(host));
}
