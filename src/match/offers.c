/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the offer of a `normalize` that a header likes best (offers.h), and
 * lists the values of Accept, Accept-Encoding and Accept-Language that most
 * browsers send.
 */

#include "negotiate.h"
#include "offers.h"

/* Cuts off what is before the byte, which may be missing. */
static struct fm_text
cut(struct fm_text *rest, char at)
{
	const char *found = memchr(rest->b, at, rest->len);
	struct fm_text part = *rest;

	if (found == NULL) {
		rest->len = 0;
		return (part);
	}
	part.len = (size_t)(found - rest->b);
	*rest = fm_text_span(found + 1, rest->b + rest->len);
	return (part);
}

/* Returns true if the offer itself is a member of the header. */
static bool
header_names(struct fm_text header, struct fm_text offer)
{
	struct fm_text member;

	while (header.len > 0) {
		member = cut(&header, ',');
		if (member.len > 0)
			member = fm_text_trim(cut(&member, ';'));
		if (fm_text_eq_nocase(member, offer))
			return (true);
	}
	return (false);
}

struct fm_text
fm_offers_best(struct fm_text offers, bool named, struct fm_text header,
    char *buf)
{
	struct fm_text offer, left = fm_text(buf, 0);

	if (!named || header.b == NULL)
		return (fm_negotiate(header, offers));
	while (offers.len > 0) {
		offer = cut(&offers, ' ');
		if (!header_names(header, offer))
			continue;
		if (left.len > 0)
			buf[left.len++] = ' ';
		memcpy(buf + left.len, offer.b, offer.len);
		left.len += offer.len;
	}
	return (left.len == 0 ? fm_text(NULL, 0) : fm_negotiate(header, left));
}

/*--------------------------------------------------------------------
 * Offers that browsers usually send
 */

#define TEXT(s)		{ s, sizeof (s) - 1 }
#define COUNT(a)	(sizeof (a) / sizeof *(a))

/* The current browsers first, then older ones, libraries and tools. */
static const struct fm_text encodings[] = {
	TEXT("gzip, deflate, br, zstd"),
	TEXT("gzip, deflate, br"),
	TEXT("gzip, deflate"),
	TEXT("gzip"),
	TEXT("br"),
	TEXT("gzip,deflate"),
	TEXT("identity"),
	TEXT("*")
};

/* Browsers send the first four for pages, three for images, the others else. */
static const struct fm_text types[] = {
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,"
	    "image/avif,image/webp,image/apng,*/*;q=0.8,"
	    "application/signed-exchange;v=b3;q=0.7"),
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,"
	    "image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8"),
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,"
	    "image/avif,image/webp,*/*;q=0.8"),
	TEXT("image/avif,image/webp,image/apng,image/svg+xml,image/*,"
	    "*/*;q=0.8"),
	TEXT("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,"
	    "*/*;q=0.5"),
	TEXT("image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,"
	    "video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"),
	TEXT("*/*"),
	TEXT("text/css,*/*;q=0.1"),
	TEXT("application/json, text/plain, */*")
};

static const struct fm_text languages[] = {
	TEXT("en-US,en;q=0.9"),
	TEXT("en-US,en;q=0.5"),
	TEXT("en-GB,en;q=0.9"),
	TEXT("en-US"),
	TEXT("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
	TEXT("fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7"),
	TEXT("es-ES,es;q=0.9"),
	TEXT("en")
};

const struct fm_usual *
fm_usual_of(struct fm_text name)
{
	static const struct fm_usual usual[] = {
		{ "Accept-Encoding", encodings, COUNT(encodings) },
		{ "Accept", types, COUNT(types) },
		{ "Accept-Language", languages, COUNT(languages) }
	};
	size_t i;

	for (i = 0; i < COUNT(usual); i++)
		if (fm_text_eq_nocase(name, fm_text_of(usual[i].header)))
			return (&usual[i]);
	return (NULL);
}
