/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the offer that a header likes best (negotiate.h).  The client chooses
 * how long the header is, so we read it once for all offers, up to 16.
 */

#include <string.h>

#include "negotiate.h"

/* `q` looks like a parameter, but its value is the weight. */
#define NEGOTIATE_WEIGHT	"q"
#define NEGOTIATE_WEIGHT_MAX	1000
#define NEGOTIATE_AT_ONCE	16	/* offers; for more it is read again */

struct negotiate_member {
	struct fm_text	range;
	struct fm_text	params;		/* those before the weight */
	unsigned	weight;		/* in thousandths */
};

/* How well a range fits, from not at all. */
enum negotiate_rank {
	NEGOTIATE_NOT,
	NEGOTIATE_ANY,			/* everything fits */
	NEGOTIATE_LONGER,		/* the offer is a prefix of the range */
	NEGOTIATE_PREFIX,		/* the range is one of the offer */
	NEGOTIATE_SAME
};

struct negotiate_fit {
	enum negotiate_rank	rank;
	size_t			detail;	/* more: more specific */
	unsigned		weight;
};

struct negotiate_offer {
	struct fm_text		written;
	struct fm_text		what;		/* without parameters */
	struct fm_text		params;
	bool			media;		/* a media type */
	struct negotiate_fit	fit;		/* of the most specific range
						 * so far */
};

/*
 * Cuts off what comes before the next separator, or all; without the blanks
 * around it.  A separator between quotes is none.
 */
static struct fm_text
list_cut(struct fm_text *rest, char separator)
{
	struct fm_text t = *rest;
	bool quoted = false;
	size_t i;

	for (i = 0; i < t.len; i++) {
		if (quoted && t.b[i] == '\\' && i + 1 < t.len)
			i++;
		else if (t.b[i] == '"')
			quoted = !quoted;
		else if (t.b[i] == separator && !quoted)
			break;
	}
	*rest = i < t.len ? fm_text(t.b + i + 1, t.len - i - 1) :
	    fm_text(t.b + i, 0);
	return (fm_text_trim(fm_text(t.b, i)));
}

static void
param_split(struct fm_text param, struct fm_text *name, struct fm_text *value)
{
	const char *e = param.b + param.len;
	const char *equals = NULL;

	if (param.len > 0)
		equals = memchr(param.b, '=', param.len);
	*name = fm_text_span(param.b, equals == NULL ? e : equals);
	*value = fm_text_span(equals == NULL ? e : equals + 1, e);
}

/* The next byte of a value; quoted: without the backslashes. */
static unsigned char
value_next(struct fm_text *value, bool quoted)
{
	if (quoted && value->len > 1 && *value->b == '\\') {
		value->b++;
		value->len--;
	}
	value->len--;
	return (fm_lower((unsigned char)*value->b++));
}

static bool
value_unquote(struct fm_text *value)
{
	if (value->len < 2 || value->b[0] != '"' ||
	    value->b[value->len - 1] != '"')
		return (false);
	value->b++;
	value->len -= 2;
	return (true);
}

static bool
value_eq(struct fm_text a, struct fm_text b)
{
	bool a_quoted = value_unquote(&a);
	bool b_quoted = value_unquote(&b);

	while (a.len > 0 && b.len > 0)
		if (value_next(&a, a_quoted) != value_next(&b, b_quoted))
			return (false);
	return (a.len == 0 && b.len == 0);
}

static bool
params_have(struct fm_text params, struct fm_text wanted)
{
	struct fm_text param, name, value, wanted_name, wanted_value;

	param_split(wanted, &wanted_name, &wanted_value);
	while (params.len > 0) {
		param = list_cut(&params, ';');
		param_split(param, &name, &value);
		if (param.len > 0 && fm_text_eq_nocase(name, wanted_name) &&
		    value_eq(value, wanted_value))
			return (true);
	}
	return (false);
}

/* Returns true if an offer has all of these parameters; and counts them. */
static bool
params_within(struct fm_text params, struct fm_text all, size_t *count)
{
	struct fm_text param;

	*count = 0;
	while (params.len > 0) {
		param = list_cut(&params, ';');
		if (param.len == 0)
			continue;
		if (!params_have(all, param))
			return (false);
		++*count;
	}
	return (true);
}

/* Reads a weight: digits, a point, digits.  Returns false if malformed. */
static bool
weight_parse(struct fm_text t, unsigned *weight)
{
	unsigned unit = NEGOTIATE_WEIGHT_MAX, digit, digits = 0;
	bool point = false;
	size_t i;

	*weight = 0;
	for (i = 0; i < t.len; i++) {
		if (t.b[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (t.b[i] < '0' || t.b[i] > '9')
			return (false);
		digit = (unsigned)(t.b[i] - '0');
		digits = 1;
		if (point)
			unit /= 10;
		else
			*weight *= 10;
		*weight += digit * unit;
		if (*weight > NEGOTIATE_WEIGHT_MAX)
			*weight = NEGOTIATE_WEIGHT_MAX;
	}
	return (digits > 0);
}

/* false: it is empty or malformed. */
static bool
member_parse(struct fm_text t, struct negotiate_member *member)
{
	struct fm_text param, name, value;
	const char *start;

	member->range = list_cut(&t, ';');
	member->params = t;
	member->weight = NEGOTIATE_WEIGHT_MAX;
	while (t.len > 0) {
		start = t.b;
		param = list_cut(&t, ';');
		param_split(param, &name, &value);
		if (!fm_text_eq_nocase(fm_text_trim(name),
		    fm_text_of(NEGOTIATE_WEIGHT)))
			continue;
		member->params = fm_text_span(member->params.b, start);
		/* with a blank before the `=` it is malformed */
		return (name.len == strlen(NEGOTIATE_WEIGHT) &&
		    weight_parse(value, &member->weight) &&
		    member->range.len > 0);
	}
	return (member->range.len > 0);
}

/* Returns true if t starts with the prefix, and is longer. */
static bool
has_prefix(struct fm_text t, struct fm_text prefix)
{
	return (t.len > prefix.len &&
	    fm_text_eq_nocase(fm_text(t.b, prefix.len), prefix));
}

static enum negotiate_rank
media_fit(struct fm_text range, struct fm_text offer)
{
	if (fm_text_eq(range, fm_text_of("*")) ||
	    fm_text_eq(range, fm_text_of("*/*")))
		return (NEGOTIATE_ANY);
	if (fm_text_eq_nocase(range, offer))
		return (NEGOTIATE_SAME);
	if (range.len > 2 && range.b[range.len - 2] == '/' &&
	    range.b[range.len - 1] == '*' &&
	    has_prefix(offer, fm_text(range.b, range.len - 1)))
		return (NEGOTIATE_PREFIX);
	return (NEGOTIATE_NOT);
}

/* The old names of two codings, which RFC 9110 wants taken for the new. */
static struct fm_text
token_canon(struct fm_text t)
{
	if (fm_text_eq_nocase(t, fm_text_of("x-gzip")) ||
	    fm_text_eq_nocase(t, fm_text_of("x-compress")))
		return (fm_text(t.b + 2, t.len - 2));
	return (t);
}

static enum negotiate_rank
token_fit(struct fm_text range, struct fm_text offer)
{
	range = token_canon(range);
	offer = token_canon(offer);
	if (fm_text_eq(range, fm_text_of("*")))
		return (NEGOTIATE_ANY);
	if (fm_text_eq_nocase(range, offer))
		return (NEGOTIATE_SAME);
	if (has_prefix(offer, range) && offer.b[range.len] == '-')
		return (NEGOTIATE_PREFIX);
	if (has_prefix(range, offer) && range.b[offer.len] == '-')
		return (NEGOTIATE_LONGER);
	return (NEGOTIATE_NOT);
}

static struct negotiate_fit
member_fit(const struct negotiate_member *member,
    const struct negotiate_offer *offer)
{
	struct negotiate_fit fit = { NEGOTIATE_NOT, 0, member->weight };

	if (offer->media) {
		fit.rank = media_fit(member->range, offer->what);
		if (fit.rank != NEGOTIATE_NOT &&
		    !params_within(member->params, offer->params, &fit.detail))
			fit.rank = NEGOTIATE_NOT;
		return (fit);
	}
	fit.rank = token_fit(member->range, offer->what);
	if (fit.rank == NEGOTIATE_PREFIX)
		fit.detail = member->range.len;
	if (fit.rank == NEGOTIATE_LONGER) {
		fit.detail = member->weight;
		if (member->weight == 0)
			fit.rank = NEGOTIATE_NOT;
	}
	return (fit);
}

static void
offer_consider(struct negotiate_offer *offer,
    const struct negotiate_member *member)
{
	struct negotiate_fit fit = member_fit(member, offer);

	if (fit.rank != NEGOTIATE_NOT && (fit.rank > offer->fit.rank ||
	    (fit.rank == offer->fit.rank && fit.detail > offer->fit.detail)))
		offer->fit = fit;
}

/* Finds the most specific range for each offer; NEGOTIATE_NOT: none fits. */
static void
header_fit(struct fm_text header, struct negotiate_offer *offers, size_t n)
{
	struct negotiate_member member;
	size_t i;

	while (header.len > 0) {
		if (!member_parse(list_cut(&header, ','), &member))
			continue;
		for (i = 0; i < n; i++)
			offer_consider(&offers[i], &member);
	}
}

static bool
is_between_offers(char c)
{
	return (fm_is_blank(c) || c == ',' || c == '\n' || c == '\r');
}

/* Cuts the next offer off the list.  Returns false at the end. */
static bool
offer_cut(struct fm_text *rest, struct negotiate_offer *offer)
{
	struct fm_text t = *rest;
	size_t i;

	while (t.len > 0 && is_between_offers(*t.b)) {
		t.b++;
		t.len--;
	}
	for (i = 0; i < t.len && !is_between_offers(t.b[i]); i++)
		continue;
	if (i == 0)
		return (false);
	*rest = fm_text(t.b + i, t.len - i);
	offer->written = fm_text(t.b, i);
	offer->params = offer->written;
	offer->what = list_cut(&offer->params, ';');
	offer->media = memchr(offer->what.b, '/',
	    offer->what.len) != NULL;
	offer->fit = (struct negotiate_fit){ NEGOTIATE_NOT, 0, 0 };
	return (true);
}

struct fm_text
fm_negotiate(struct fm_text header, struct fm_text offers)
{
	struct negotiate_offer some[NEGOTIATE_AT_ONCE], *offer;
	struct fm_text best = fm_text_of(NULL), spare = fm_text_of(NULL);
	unsigned weight = 0;
	size_t n;

	if (header.b == NULL)
		return (best);
	do {
		for (n = 0; n < NEGOTIATE_AT_ONCE &&
		    offer_cut(&offers, &some[n]); n++)
			continue;
		header_fit(header, some, n);
		for (offer = some; offer < some + n; offer++) {
			if (offer->fit.weight > weight) {
				weight = offer->fit.weight;
				best = offer->written;
			}
			if (offer->fit.rank == NEGOTIATE_NOT &&
			    spare.b == NULL && fm_text_eq_nocase(offer->what,
			    fm_text_of("identity")))
				spare = offer->written;
		}
	} while (n == NEGOTIATE_AT_ONCE);
	return (best.b != NULL ? best : spare);
}
