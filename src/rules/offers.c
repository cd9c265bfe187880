/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the offer of a `normalize` that a header likes best (offers.h).
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
