/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random values, statements and blocks.
 */

#include <stdio.h>

#include "generate_rules.h"

static void
add_part(struct maker *m, char out[WORD])
{
	static const struct pool plain = POOL("${url}", "${path}", "${query}",
	    "${host}", "${method}", "${ruleset}", "${wild}", "${client}",
	    "${port}");
	size_t len = strlen(out), room = WORD - len;
	unsigned group = 1 + below(m, 9);

	/* Mostly a group that the regex has. */
	if (m->groups != NO_REGEX && m->groups > 0 && !chance(m, 6))
		group = 1 + below(m, m->groups);
	switch (below(m, 10)) {
	case 0:
	case 1:
		(void)snprintf(out + len, room, "%s",
		    pool_pick_few(&m->state, &pool_values));
		break;
	case 5:
	case 6:
		(void)snprintf(out + len, room, "${%u}", group);
		break;
	case 2:
		(void)snprintf(out + len, room, "${header.%s}",
		    pool_pick_few(&m->state, &pool_headers));
		break;
	case 3:
		(void)snprintf(out + len, room, "${cookie.%s}",
		    pool_pick_few(&m->state, &pool_cookies));
		break;
	case 4:
		(void)snprintf(out + len, room, "${query.%s}",
		    pool_pick_few(&m->state, &pool_parameters));
		break;
	default:
		(void)snprintf(out + len, room, "%s",
		    pool_pick(&m->state, &plain));
	}
}

static void
put_text_value(struct maker *m, const struct pool *starts)
{
	char out[WORD];
	unsigned n = below(m, 3);

	out[0] = '\0';
	if (starts != NULL && !chance(m, 4))
		strcpy(out, pool_pick(&m->state, starts));
	else if (chance(m, 2))
		strcpy(out, pool_pick_few(&m->state, &pool_values));
	else
		n++;
	while (n-- > 0)
		add_part(m, out);
	put_next(m, out);
}

/* Puts the use of a map, now and then; `location`: of a map of Locations. */
static bool
put_map_use(struct maker *m, bool location)
{
	unsigned map;

	if (!chance(m, m->budget > 0 ? 2 : 4) || m->nmaps == 0)
		return (false);
	map = below(m, m->nmaps);
	if ((m->costly_map[map] && m->budget == 0) ||
	    (location && !m->location_map[map]))
		return (false);
	if (m->costly_map[map]) {
		m->budget--;
		m->rules->costly = true;
	}
	put_blank(m);
	put_number(m, "map", map);
	put(m, "(");
	if (m->costly_map[map])
		put(m, "agent");
	else if (m->in_map[map] && !chance(m, 3))
		put(m, chance(m, 2) ? "client" : "header X-Forwarded-For");
	else
		(void)put_subject(m);
	put(m, ")");
	return (true);
}

void
put_value(struct maker *m, const struct pool *starts)
{
	if (put_map_use(m, false))
		return;
	if (chance(m, 20))
		put_plain(m, "\"\"");
	else
		put_text_value(m, starts);
}

void
put_location(struct maker *m)
{
	static const struct pool hosts = POOL("http://m.example.com",
	    "https://${host}", "//cdn", "https://${wild}.example",
	    "//${wild}", "HTTPS://a.${host}:80", "https://${ruleset}",
	    "  app+1.-://u@${host}${wild}", "https://${host}:8080");
	static const struct pool ends = POOL("${url}", "${path}", "/", "?",
	    "#", "/${1}", "/../", "${url}.html");
	static const struct pool paths = POOL("${url}", "${path}", "/m", "/",
	    "/${path}", "/${1}", "  /${header.X-A}", "/m\\", "/.",
	    " ${url}", "/${query.a}", "/${header.Referer}");
	char out[WORD];
	unsigned n = below(m, 3);
	bool host = chance(m, 2);

	if (put_map_use(m, true))
		return;
	if (chance(m, 20)) {
		put_plain(m, "\"\"");
		return;
	}
	strcpy(out, pool_pick(&m->state, host ? &hosts : &paths));
	if (host && !chance(m, 4))
		strcat(out, pool_pick(&m->state, &ends));
	else if (host || strcmp(out, "/") == 0)
		n = 0;
	while (n-- > 0)
		add_part(m, out);
	put_next(m, out);
}

static void
put_names(struct maker *m, const struct pool *pool)
{
	unsigned list = chance(m, 4) ? list_find(m, LIST_NAMES) : LISTS, n;
	char word[WORD];
	size_t len;

	put_plain(m, chance(m, 2) ? "drop" : "keep");
	if (list < LISTS) {
		put_plain(m, "in");
		put_blank(m);
		put_number(m, "list", list);
		return;
	}
	for (n = 1 + below(m, 4); n > 0; n--) {
		strcpy(word, pool_pick(&m->state, pool));
		len = strlen(word);
		if (chance(m, 5))
			word[below(m, (unsigned)len)] = '?';
		if (chance(m, 5))
			strcpy(word + below(m, (unsigned)len + 1), "*");
		put_name(m, word, false);
	}
}

static void
put_query_stmt(struct maker *m)
{
	put_start(m, "query");
	switch (below(m, 6)) {
	case 0:
		put_plain(m, "sort");
		break;
	case 2:
		put_plain(m, "clean");
		break;
	case 1:
		put_plain(m, "unique");
		break;
	default:
		put_names(m, &pool_parameters);
	}
	put_end(m);
}

static void
put_set_of(struct maker *m, const char *header)
{
	put_start(m, "set");
	put_plain(m, header);
	put_plain(m, "=");
	put_value(m, strcmp(header, "Host") == 0 && chance(m, 2) ?
	    &pool_hosts : NULL);
	put_end(m);
}

static void
put_set(struct maker *m)
{
	put_set_of(m, pool_pick_few(&m->state, &pool_headers));
}

/* Puts a statement that looks at the Cookie header or at one cookie. */
static void
put_cookie_look(struct maker *m)
{
	char out[WORD];

	if (chance(m, 3))
		strcpy(out, "${header.Cookie}");
	else
		(void)snprintf(out, sizeof out, "<${cookie.%s}>",
		    pool_pick_few(&m->state, &pool_cookies));
	put_start(m, "set");
	put_plain(m, chance(m, 4) ? "Cookie" : "X-C");
	put_plain(m, "=");
	put_next(m, out);
	put_end(m);
}

/*
 * Puts several statements about cookies.  A program delays filters until a
 * statement looks at the cookies, and has room for a few: so more than a few
 * are put.
 */
static void
put_cookies(struct maker *m)
{
	static const struct pool unsets = POOL("Cookie", "Cookie", "C*",
	    "*oo*", "cookie");
	unsigned n = chance(m, 2) ? 1 : 2 + below(m, 6);

	for (; n > 0; n--)
		switch (below(m, 12)) {
		case 0:
			put_cookie_look(m);
			break;
		case 1:
			put_set_of(m, "Cookie");
			break;
		case 2:
			if (chance(m, 3)) {
				put_start(m, "unset");
				put_next(m, pool_pick(&m->state, &unsets));
				put_end(m);
				break;
			}
			/* FALLTHROUGH */
		default:
			put_start(m, "cookie");
			put_names(m, &pool_cookies);
			put_end(m);
		}
}

static void
put_unset(struct maker *m)
{
	static const struct pool globs = POOL("X-*", "x-?", "Accept*",
	    "*-Control", "*", "C*", "*o*", "Connection", "H?st",
	    "X-Internal-*", "X_*", "*-UA-*", "*_Device", "X-Internal_?d",
	    "Content-*", "*r-*g*");
	const char *name;
	unsigned n;

	put_start(m, "unset");
	for (n = 1 + below(m, 3); n > 0; n--) {
		name = pool_pick(&m->state, chance(m, 4) ? &globs :
		    &pool_headers);
		put_next(m, strcmp(name, "Host") == 0 ? "X-A" : name);
	}
	put_end(m);
}

static void
put_normalize(struct maker *m)
{
	static const struct pool plain = POOL("a", "b", "on", "text/html");
	static const char * const names[] = { "Accept-Encoding",
	    "Accept-Language", "Accept", "X-A" };
	static const struct pool * const offers[] = { &pool_codings,
	    &pool_languages, &pool_types, &plain };
	unsigned which = below(m, 4), n;

	put_start(m, "normalize");
	put_plain(m, names[which]);
	put_plain(m, "to");
	if (chance(m, 3))
		put_plain(m, "named");
	for (n = 1 + below(m, 3); n > 0; n--)
		put_next(m, pool_pick(&m->state, offers[which]));
	if (chance(m, 3)) {
		put_plain(m, "else");
		put_value(m, NULL);
	}
	put_end(m);
}

/* Puts a `rewrite`, whose text mostly has groups of its regex. */
static void
put_rewrite(struct maker *m)
{
	static const struct pool texts[] = {
		POOL("/", "", "/x\\0", "?", "\\\\", "/a.cfm", "\\x",
		    "\\0", "/\\0\\0?\\0", "//"),
		POOL("\\1", "/\\1", "/new\\1\\0", "?\\1"),
		POOL("/\\2/\\1", "/\\1/\\2?a=1", "\\2")
	};
	char word[WORD], to[WORD];
	unsigned groups;

	if (m->budget > 0 && chance(m, 6)) {
		m->budget--;
		m->rules->costly = true;
		strcpy(word, "(a+)+(?!x)(?:$|b(?<=w))");
	} else
		make_regex(m, chance(m, 2) ? &pool_paths : &pool_urls, word);
	groups = group_count(word);
	if (groups > 2 || chance(m, 6))
		groups = 2;
	strcpy(to, pool_pick(&m->state, &texts[below(m, groups + 1)]));
	put_start(m, "rewrite");
	if (chance(m, 3))
		put_plain(m, "all");
	put_plain(m, "~");
	put_blank(m);
	put_quoted(m, 0, word);
	put_quoted(m, 1, word);
	put_plain(m, "to");
	put_blank(m);
	put_quoted(m, 0, to);
	put_quoted(m, 1, to);
	put_end(m);
}

void
put_synth(struct maker *m)
{
	static const struct pool reasons = POOL("no such site", "Gone", "a",
	    "say \"no\"", "", "\\", "<b> ${url}", "${1}${header.X-A}",
	    "${query.a} & ${header.User-Agent}", "${host}");
	const char *reason;

	put_start(m, "synth");
	put_blank(m);
	put_number(m, "", 200 + below(m, 400));
	if (chance(m, 2)) {
		reason = pool_pick(&m->state, &reasons);
		put_blank(m);
		put_quoted(m, 0, reason);
		put_quoted(m, 1, reason);
	}
	put_end(m);
}

static void
put_answer(struct maker *m)
{
	static const struct pool types = POOL("text/plain", "text/html",
	    "text/html; charset=utf-8", "image/svg+xml");
	static const struct pool bodies = POOL("", "a", "<h1>Back</h1>",
	    "say \"no\"", "\\", "$url {}");
	static const unsigned statuses[] = { 200, 404, 410, 403, 503 };
	const char *body;

	put_start(m, "answer");
	put_blank(m);
	put_number(m, "", statuses[below(m, 5)]);
	put_next(m, pool_pick(&m->state, &types));
	body = pool_pick(&m->state, &bodies);
	put_blank(m);
	put_quoted(m, 0, body);
	put_quoted(m, 1, body);
	put_end(m);
}

static void
put_redirect_start(struct maker *m)
{
	static const unsigned statuses[] = { 301, 302, 303, 307, 308 };

	put_start(m, "redirect");
	put_blank(m);
	put_number(m, "", statuses[below(m, 5)]);
}

/* Puts a redirect to a host made of groups of a regex on the host. */
static void
put_redirect_by_host(struct maker *m)
{
	static const char regex[] = "^([a-z]*)[.]?(.*)$";
	static const struct pool locations = POOL("https://${1}${url}",
	    "//${2}${path}.html", "https://${1}.x.${2}/${query.a}",
	    "https://${1}:8${url}", "http://x-${2}");

	put_start(m, "when");
	put_plain(m, "host");
	put_plain(m, "~");
	put_blank(m);
	put_quoted(m, 0, regex);
	put_quoted(m, 1, regex);
	put_open(m);
	put_redirect_start(m);
	put_next(m, pool_pick(&m->state, &locations));
	put_end(m);
	put_close(m);
}

static void
put_redirect(struct maker *m)
{
	if (chance(m, 4))
		put_redirect_by_host(m);
	put_redirect_start(m);
	put_location(m);
	put_end(m);
}

static void
put_verdict(struct maker *m)
{
	static const char * const words[] = { "pass", "pipe", "hash",
	    "builtin", "purge" };
	unsigned kind = below(m, 11);

	if (kind < 5) {
		put_start(m, words[kind]);
		put_end(m);
	} else if (kind < 7)
		put_synth(m);
	else if (kind < 9)
		put_answer(m);
	else
		put_redirect(m);
}

/* Puts a condition, and the block that runs if it is true. */
static void
put_then(struct maker *m, const char *word, unsigned depth)
{
	unsigned groups = m->groups;

	put_start(m, word);
	put_blank(m);
	m->cond_groups = NO_REGEX;
	put_cond(m, LEVEL_OR, below(m, 4));
	if (m->cond_groups != NO_REGEX)
		m->groups = m->cond_groups;
	put_block(m, depth);
	m->groups = groups;
}

static void
put_when(struct maker *m, unsigned depth)
{
	put_then(m, "when", depth - 1);
	while (chance(m, 3))
		put_then(m, "else when", depth - 1);
	if (chance(m, 3)) {
		put_start(m, "else");
		put_block(m, depth - 1);
	}
}

static void
put_stmt(struct maker *m, unsigned depth)
{
	unsigned kind = below(m, depth > 0 ? 24 : 16);

	if (kind < 3)
		put_query_stmt(m);
	else if (kind < 5)
		put_cookies(m);
	else if (kind < 9)
		put_set(m);
	else if (kind < 11)
		put_unset(m);
	else if (kind < 13)
		put_normalize(m);
	else if (kind < 15)
		put_rewrite(m);
	else if (kind < 16) {
		put_start(m, "backend");
		put_blank(m);
		put_number(m, "shop", below(m, 3));
		put_end(m);
	} else if (kind == 16 && m->usable > 0) {
		put_start(m, "use");
		put_blank(m);
		put_number(m, "set", below(m, m->usable));
		put_end(m);
	} else
		put_when(m, depth);
}

void
put_block(struct maker *m, unsigned depth)
{
	unsigned n = below(m, depth > 1 ? 8 : 4);

	put_open(m);
	while (n-- > 0)
		put_stmt(m, depth);
	if (chance(m, depth > 1 ? 8 : 2)) {
		if (chance(m, 5)) {
			put_start(m, "stop");
			put_end(m);
		} else
			put_verdict(m);
	}
	put_close(m);
}
