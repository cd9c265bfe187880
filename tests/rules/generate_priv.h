/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the makers of random rules and of random requests share: a random
 * source, and pools of words.  The pools are small, so that rules often match.
 */

#ifndef GENERATE_PRIV_H
#define GENERATE_PRIV_H

#include "generate.h"

/*
 * Returns a number below n, from a random source (xorshift64*) of the caller.
 */
static inline unsigned
random_below(uint64_t *state, unsigned n)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return ((unsigned)((*state * 0x2545f4914f6cdd1dULL >> 33) % n));
}

/*
 * Returns a state for a seed: never 0, and far from the states of seeds near
 * it.
 */
static inline uint64_t
random_start(uint64_t seed)
{
	seed = (seed ^ 0x6a09e667f3bcc909ULL) * 0x9e3779b97f4a7c15ULL;
	return ((seed ^ seed >> 29) | 1);
}

/* Words to choose from; NULL ends them. */
struct pool {
	const char		*words[36];
};

#define POOL(...)	{ { __VA_ARGS__, NULL } }

static const struct pool pool_paths = POOL("/", "/a", "/A", "/b/c", "/shop",
    "/shop/cart", "/img/x.jpg", "/img/y.PNG", "/wp-admin/", "/index.html",
    "/a.cfm", "/search", "/caf\xc3\xa9", "//evil.example/x", "/a/b;v=1");
static const struct pool pool_urls = POOL("/", "/a?a=1", "/shop?id=22",
    "/img/x.jpg", "/search?q=abc&id=1", "/?_=1354844750363", "/b/c?",
    "/shop/cart?utm_source=x&a=1", "http://example.com/a", "?a=1&b=2");
static const struct pool pool_pieces = POOL("?", "a=", "&b", "b=", "&",
    "=1", "utm_", "/a", "/shop", "c=", "=x", "?a", "id", "a=a&");
static const struct pool pool_methods = POOL("GET", "HEAD", "POST", "PURGE",
    "get", "OPTIONS", "PRI", "CONNECT", "TRACE");
static const struct pool pool_domains = POOL("example.com", "example.net",
    "shop.example.org", "wiki.example", "a.b.example.com", "example");
static const struct pool pool_labels = POOL("www", "m", "a", "static",
    "a.b", "en", "x-y_z");
static const struct pool pool_hosts = POOL("example.com", "www.example.com",
    "m.example.net", "en.wiki.example", "shop.example.org",
    "a.b.example.com", "[2001:db8::1]", "192.0.2.1", "www.example.org");
static const struct pool pool_agents = POOL(
    "Mozilla/5.0 (iPhone; CPU iPhone OS 9_1) Mobile/13B143",
    "Mozilla/5.0 (Linux; Android 9; Nokia 6.1) Mobile Safari/537.36",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/4.2)",
    "Mozilla/5.0 (compatible; bingbot/2.0) iPhone", "curl/7.88.1",
    "BlackBerry9700/5.0", "Android", "iPod", "a");
static const struct pool pool_values = POOL("a", "b", "abc", "x", "1", "2",
    "22", "on", "off", "pc", "mobile", "present", "in", "true", "A", "Abc",
    "caf\xc3\xa9", "a b", "text/html", "x=y", "#1", "->", "\\.", "a\"b",
    "~x", "a'b", "default", "builtin", "finally", "is", "/a", "//b", "back\\",
    "w7", "w1050x");
static const struct pool pool_parameters = POOL("a", "b", "c", "A", "id",
    "q", "_", "utm_source", "utm_medium", "in", "is", "x-y");
static const struct pool pool_cookies = POOL("session", "cart", "a", "b",
    "lang", "Session", "_ga", "in", "present", "wordpress_logged_in_1");
static const struct pool pool_headers = POOL("X-A", "X-B", "X-C", "x-a",
    "Accept-Encoding", "Accept-Language", "Accept", "Cookie", "Host",
    "User-Agent", "Cache-Control", "X-UA-Device", "Referer", "In", "X_B",
    "X-UA_Device", "Cache_Control", "Authorization");
#define NETS		10		/* words in pool_nets */
static const struct pool pool_nets = POOL("192.0.2.0/24", "192.0.2.1",
    "10.0.0.0/8", "2001:db8::/32", "2001:db8::1", "::ffff:192.0.2.0/120",
    "0.0.0.0/1", "::/0", "198.51.100.128/25", "::ffff:10.1.2.3");
static const struct pool pool_codings = POOL("br", "gzip", "deflate",
    "identity", "x-gzip");
static const struct pool pool_languages = POOL("en", "de", "de-AT", "fr",
    "en-US");
static const struct pool pool_types = POOL("text/html", "application/json",
    "text/plain", "image/webp", "text/html;level=1");

static inline const char *
pool_pick(uint64_t *state, const struct pool *pool)
{
	unsigned n = 0;

	while (pool->words[n] != NULL)
		n++;
	return (pool->words[random_below(state, n)]);
}

/* Returns a word of a pool: every other time, one of the first three. */
static inline const char *
pool_pick_few(uint64_t *state, const struct pool *pool)
{
	if (random_below(state, 2) == 0)
		return (pool->words[random_below(state, 3)]);
	return (pool_pick(state, pool));
}

#endif
