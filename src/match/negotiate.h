/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Proactive negotiation by RFC 9110, section 12.5: which of our offers does
 * an Accept, Accept-Encoding or Accept-Language header like best?
 */

#ifndef FM_NEGOTIATE_H
#define FM_NEGOTIATE_H

#include "text.h"

/*
 * The offers are separated by blanks or commas, the best first.  An offer
 * with a slash is a media type, every other one a token (a coding, a
 * language).  The most specific range of the header that fits an offer gives
 * its weight; the offer with the highest weight wins, the first of these on a
 * tie; a weight of 0 is a refusal.  Case counts nowhere.  From the most
 * specific range to the least:
 *
 *	media types	the type with parameters (the more of them, the more
 *			specific; the offer must have each, in any order),
 *			the type, `type/` and `*`, any type (which `*` alone
 *			means, too)
 *	tokens		the token itself, its prefixes (de for de-AT, from the
 *			longest), a longer one (en-US, and we have en), `*`
 *
 * The first of several ranges that are equally specific counts; among ranges
 * that are longer than the token, as in the lookup of RFC 4647, the one with
 * the highest weight.  A longer range with a weight of 0 refuses what it
 * names, and not the token.
 *
 * A token does not tell whether it is a coding or a language, so the rules of
 * both hold for all tokens: x-gzip is gzip, x-compress is compress, and
 * `identity`, if it is offered, is what remains where nothing else fits,
 * unless the header refuses it or `*`.  It remains for an empty header as
 * well; no other offer fits an empty header.
 *
 * A weight may have more than three digits after the point (the rest is
 * ignored), none before it, and be above 1 (it counts as 1).  A member with
 * any other malformed weight is passed over, as is one without a range.  What
 * follows the weight is ignored.
 *
 * Returns the offer as it is written in offers, or the missing text: nothing
 * fits, or the header is missing.
 */
struct fm_text fm_negotiate(struct fm_text header, struct fm_text offers);

/* Returns the same, and may have it from a cache of this thread. */
struct fm_text fm_negotiate_cached(struct fm_text header,
    struct fm_text offers);

#endif
