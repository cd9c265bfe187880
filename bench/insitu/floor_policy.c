/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's policy as code: paths, parameters, cookies.  The
 * numbers are those of before.vcl.
 */

#include "floor_policy.h"

/*--------------------------------------------------------------------
 * Paths
 */

static inline bool
ends(struct fm_text t, const char *with, size_t len)
{
	return (t.len >= len && memcmp(t.b + t.len - len, with, len) == 0);
}

#define ENDS(t, with)	(ends(t, with, sizeof(with) - 1))

/* (8) (10) Most paths are told by where they have no dot. */
enum floor_file
fm_floor_path_file(struct fm_text path)
{
	const char *e = path.b + path.len;

	if (path.len >= 4 && e[-4] == '.') {
		if (ENDS(path, "css"))
			return (FLOOR_PLAIN);
		if (ENDS(path, "jpg") || ENDS(path, "png") ||
		    ENDS(path, "gif") || ENDS(path, "ico") ||
		    ENDS(path, "mp3") || ENDS(path, "mp4") ||
		    ENDS(path, "flv") || ENDS(path, "swf") ||
		    ENDS(path, "zip"))
			return (FLOOR_PACKED);
	}
	if (path.len >= 3 && e[-3] == '.') {
		if (ENDS(path, "js"))
			return (FLOOR_PLAIN);
		if (ENDS(path, "gz"))
			return (FLOOR_PACKED);
	}
	return (ENDS(path, ".jpeg") ? FLOOR_PACKED : FLOOR_PAGE);
}

bool
fm_floor_path_is_front(struct fm_text path)
{
	return (path.len > 0 && path.b[0] == '/' &&
	    (path.len == 1 || ENDS(path, ".cfm")));
}

static inline bool
first_is(struct fm_text path, const char *first, size_t len)
{
	return (path.len >= len && memcmp(path.b, first, len) == 0 &&
	    (path.len == len || path.b[len] == '/'));
}

#define FIRST_IS(path, first)	(first_is(path, first, sizeof(first) - 1))

bool
fm_floor_path_is_checkout(struct fm_text path)
{
	return (FIRST_IS(path, "/cart") || FIRST_IS(path, "/checkout") ||
	    FIRST_IS(path, "/account"));
}

/*--------------------------------------------------------------------
 * Query strings
 */

static inline bool
is(struct fm_text name, const char *text, size_t len)
{
	return (name.len == len && memcmp(name.b, text, len) == 0);
}

static inline bool
begins(struct fm_text name, const char *with, size_t len)
{
	return (name.len >= len && memcmp(name.b, with, len) == 0);
}

#define IS(name, text)		(is(name, text, sizeof(text) - 1))
#define BEGINS(name, with)	(begins(name, with, sizeof(with) - 1))

/* (4) to (7) */
static bool
name_is_tracking(struct fm_text name)
{
	switch (name.len == 0 ? '\0' : name.b[0]) {
	case 'u':
		return (BEGINS(name, "utm_"));
	case 'g':
		return (IS(name, "gclid") || IS(name, "gclsrc"));
	case 'd':
		return (IS(name, "dclid"));
	case 'y':
		return (IS(name, "yclid"));
	case '_':
		return (name.len == 1);
	case 'P':
		return (IS(name, "PHPSESSID"));
	case 'j':
		return (IS(name, "jsessionid"));
	case 'C':
		return (IS(name, "CFID") || IS(name, "CFTOKEN"));
	default:
		return (false);
	}
}

static bool
name_drops(enum floor_names names, struct fm_text name)
{
	switch (names) {
	case FLOOR_NAMES_NONE:
		break;
	case FLOOR_NAMES_NEWS:					/* (13) */
		if (IS(name, "ref") || IS(name, "src"))
			return (true);
		break;
	case FLOOR_NAMES_WIKI:					/* (14) */
		if (IS(name, "printable") || IS(name, "useskin"))
			return (true);
		break;
	case FLOOR_NAMES_SHOP:					/* (15) */
		if (BEGINS(name, "aff") || IS(name, "pid"))
			return (true);
		break;
	case FLOOR_NAMES_GAMES:					/* (16) */
		if (IS(name, "r") || IS(name, "rand") || IS(name, "nocache"))
			return (true);
		break;
	case FLOOR_NAMES_DOCS:					/* (17) */
		if (IS(name, "highlight") || IS(name, "print"))
			return (true);
		break;
	case FLOOR_NAMES_SEARCH:				/* (18) */
		return (!IS(name, "q") && !IS(name, "page") &&
		    !IS(name, "lang") && !IS(name, "sort"));
	case FLOOR_NAMES_DOWNLOAD:				/* (19) */
		return (true);
	}
	return (name_is_tracking(name));
}

/* The next part before the separator; rest.b is NULL behind the last. */
static inline struct fm_text
part_take(struct fm_text *rest, char separator)
{
	const char *end = rest->len == 0 ? NULL :
	    memchr(rest->b, separator, rest->len);
	struct fm_text part = *rest;

	if (end == NULL) {
		*rest = fm_text(NULL, 0);
	} else {
		part.len = (size_t)(end - part.b);
		*rest = fm_text_span(end + 1, rest->b + rest->len);
	}
	return (part);
}

static inline struct fm_text
part_name(struct fm_text part)
{
	const char *equals = memchr(part.b, '=', part.len);

	return (equals == NULL ? part : fm_text_span(part.b, equals));
}

bool
fm_floor_query_drops(enum floor_names names, struct fm_text url, size_t query)
{
	struct fm_text part, rest = fm_text(url.b + query, url.len - query);

	while (rest.b != NULL) {
		part = part_take(&rest, '&');
		if (part.len > 0 && name_drops(names, part_name(part)))
			return (true);
	}
	return (false);
}

size_t
fm_floor_query_write(enum floor_names names, struct fm_text url, size_t path,
    char *buf)
{
	struct fm_text part, rest;
	char *p = buf + path;
	char separator = '?';

	memcpy(buf, url.b, path);
	rest = fm_text(url.b + path + 1, url.len - path - 1);
	while (rest.b != NULL) {
		part = part_take(&rest, '&');
		if (part.len == 0 || name_drops(names, part_name(part)))
			continue;
		*p++ = separator;
		separator = '&';
		memcpy(p, part.b, part.len);
		p += part.len;
	}
	*p = '\0';
	return ((size_t)(p - buf));
}

/*--------------------------------------------------------------------
 * Cookies
 */

static bool
cookie_stays(enum floor_cookies rule, struct fm_text cookie)
{
	struct fm_text name = fm_text_trim(part_name(cookie));

	switch (rule) {
	case FLOOR_COOKIES_NONE:
		return (false);
	case FLOOR_COOKIES_OTHERS:				/* (11) */
	case FLOOR_COOKIES_FORUM:
		return (!BEGINS(name, "__utm") && !IS(name, "_ga") &&
		    !IS(name, "_gat") && !IS(name, "has_js"));
	case FLOOR_COOKIES_SHOP:
		return (IS(name, "session") || IS(name, "cart") ||
		    IS(name, "currency"));
	case FLOOR_COOKIES_WIKI:
		return (BEGINS(name, "wiki"));
	}
	return (true);
}

enum floor_left
fm_floor_cookies_left(enum floor_cookies rule, struct fm_text cookies)
{
	struct fm_text cookie, rest = cookies;
	bool stays = false, goes = false;

	while (rest.b != NULL) {
		cookie = fm_text_trim(part_take(&rest, ';'));
		if (cookie.len == 0)
			continue;
		if (cookie_stays(rule, cookie))
			stays = true;
		else
			goes = true;
	}
	return (!stays ? FLOOR_NOTHING : goes ? FLOOR_SOME : FLOOR_ALL);
}

size_t
fm_floor_cookies_write(enum floor_cookies rule, struct fm_text cookies,
    char *buf)
{
	struct fm_text cookie, rest = cookies;
	char *p = buf;

	while (rest.b != NULL) {
		cookie = fm_text_trim(part_take(&rest, ';'));
		if (cookie.len == 0 || !cookie_stays(rule, cookie))
			continue;
		if (p != buf) {
			*p++ = ';';
			*p++ = ' ';
		}
		memcpy(p, cookie.b, cookie.len);
		p += cookie.len;
	}
	*p = '\0';
	return ((size_t)(p - buf));
}

bool
fm_floor_cookies_chose_full(struct fm_text cookies)
{
	while (cookies.b != NULL)
		if (IS(fm_text_trim(part_take(&cookies, ';')),
		    "stopMobileRedirect=true"))
			return (true);
	return (false);
}

bool
fm_floor_cookies_have_session(struct fm_text cookies)
{
	while (cookies.b != NULL)
		if (BEGINS(fm_text_trim(part_take(&cookies, ';')),
		    "forum_session="))
			return (true);
	return (false);
}
