/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The host of a Location is that of the rule: where the rule's text has begun
 * one, what a client writes behind it or into it does not make it another.
 */

#include "run_priv.h"

/* Behind these a host is over, for a browser. */
static bool
ends_host(char c)
{
	return (c == '/' || c == '\\' || c == '?' || c == '#');
}

static bool
is_host_byte(char c)
{
	unsigned char l = fm_lower((unsigned char)c);

	return ((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') ||
	    l == '-' || l == '.' || l == '_');
}

/* Where a host starts: behind `scheme:` and slashes, or two; 0: nowhere. */
static size_t
host_start(struct fm_text t)
{
	size_t i = 0, scheme, slashes = 0;

	while (i < t.len && fm_is_blank(t.b[i]))
		i++;
	for (scheme = i; scheme < t.len; scheme++)
		if (!is_host_byte(t.b[scheme]) && t.b[scheme] != '+')
			break;
	if (scheme > i && scheme < t.len && t.b[scheme] == ':') {
		i = scheme + 1;
		slashes = 1;
	}
	for (; i < t.len && (t.b[i] == '/' || t.b[i] == '\\'); i++)
		slashes++;
	return (slashes > 1 ? i : 0);
}

/*
 * What is the host's, or the rules', whatever a client asks for.  A URL as a
 * whole is, too: that of a browser begins with a `/`.
 */
static bool
is_trusted(const struct fm_exec *x, const struct fm_piece *piece,
    struct fm_text t)
{
	switch ((enum fm_piece_kind)piece->kind) {
	case FM_PIECE_HOST:
	case FM_PIECE_WILD:
	case FM_PIECE_RULESET:
		return (true);
	case FM_PIECE_GROUP:
		return (piece->of_host || fm_text_eq(t, x->req.url));
	default:
		return (false);
	}
}

/* Whether the rule's text goes on with the host. */
static bool
goes_on(const struct fm_piece *pieces, const struct fm_text *texts, size_t n,
    size_t i)
{
	while (++i < n)
		if (pieces[i].kind == FM_PIECE_TEXT && texts[i].len > 0)
			return (!ends_host(*texts[i].b) &&
			    *texts[i].b != ':');
	return (false);
}

static struct fm_text
cut(struct fm_text t, bool digits)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (digits ? t.b[i] < '0' || t.b[i] > '9' :
		    !is_host_byte(t.b[i]))
			break;
	t.len = i;
	return (t);
}

static bool
has_end(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (ends_host(t.b[i]))
			return (true);
	return (false);
}

size_t
fm_location_guard(const struct fm_exec *x, const struct fm_piece *pieces,
    struct fm_text *texts, size_t n)
{
	struct fm_text t;
	size_t i, start;
	char last = '\0';		/* of the host so far */
	bool safe;

	if (pieces[0].kind != FM_PIECE_TEXT)
		return (n);
	start = host_start(texts[0]);
	if (start == 0)
		return (n);
	for (i = 0; i < n; i++) {
		t = texts[i];
		if (i == 0)
			t = fm_text(t.b + start, t.len - start);
		safe = pieces[i].kind == FM_PIECE_TEXT ||
		    is_trusted(x, &pieces[i], t);
		if (!safe && (last == ':' || goes_on(pieces, texts, n, i))) {
			t = texts[i] = cut(t, last == ':');
			safe = true;
		}
		/* a browser passes over any number of slashes */
		while (last == '\0' && t.len > 0 &&
		    (*t.b == '/' || *t.b == '\\'))
			t = fm_text(t.b + 1, t.len - 1);
		if (t.len == 0)
			continue;
		if (!safe && last != '\0' && last != '.' && last != '-')
			return (ends_host(*t.b) && *t.b != '\\' ? n : i);
		/* else it is the rule's, or the rule leaves it to the client */
		if (has_end(t))
			return (n);
		last = t.b[t.len - 1];
	}
	return (n);
}
