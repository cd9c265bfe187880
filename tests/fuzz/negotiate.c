/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: negotiation.
 *
 *	offers
 *	===
 *	a header
 *
 * The answer is the twin's, is one of the offers as it is written, and no
 * other in another case.
 */

#include "fuzz.h"
#include "negotiate.h"
#include "twin_negotiate.h"

const bool fuzz_has_parts = true;

/* Texts without NUL; short ones, as the twin's are. */
static bool
is_readable(struct fm_text t)
{
	return (t.len < TWIN_LEN - 2 &&
	    (t.len == 0 || memchr(t.b, '\0', t.len) == NULL));
}

static int
split_offers(struct fm_text t, char offers[][TWIN_LEN])
{
	size_t i, len = 0;
	int n = 0;

	for (i = 0; i <= t.len; i++) {
		if (i < t.len && strchr(" \t,\r\n", t.b[i]) == NULL) {
			offers[n][len++] = t.b[i];
			continue;
		}
		offers[n][len] = '\0';
		n += len > 0;
		len = 0;
	}
	return (n);
}

static void
check_twin(struct fm_text header, struct fm_text offers, struct fm_text got)
{
	static char words[TWIN_MANY][TWIN_LEN];
	char text[TWIN_LEN];
	const char *expected;
	int n;

	memcpy(text, header.b, header.len);
	text[header.len] = '\0';
	n = split_offers(offers, words);
	expected = twin_negotiate(text, (const char (*)[TWIN_LEN])words, n);
	FUZZ_CHECK(expected == NULL ? got.b == NULL :
	    fm_text_eq(got, fm_text_of(expected)), "\"%.*s\", and not \"%s\"",
	    FUZZ_TEXT(got), expected == NULL ? "-" : expected);
}

/* Letters in the other case; not those of an offer, which is handed out. */
static void
check_case(struct fm_text header, struct fm_text offers, struct fm_text got)
{
	char *other = fuzz_copy(header);
	struct fm_text again;
	size_t i;

	for (i = 0; i < header.len; i++)
		if ((other[i] >= 'a' && other[i] <= 'z') ||
		    (other[i] >= 'A' && other[i] <= 'Z'))
			other[i] = (char)(other[i] ^ 0x20);
	again = fm_negotiate(fm_text(other, header.len), offers);
	FUZZ_CHECK(again.b == got.b && again.len == got.len,
	    "\"%.*s\" in another case", FUZZ_TEXT(again));
	free(other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_text header = fm_text((const char *)data, size), offers;
	struct fm_text got;
	char *copy;

	(void)fuzz_part(&header, &offers);
	copy = fuzz_copy(offers);
	offers.b = copy;
	got = fm_negotiate(header, offers);
	FUZZ_CHECK(got.b == NULL ? got.len == 0 : got.len > 0 &&
	    got.b >= offers.b && got.b + got.len <= offers.b + offers.len,
	    "no part of the offers");
	if (is_readable(header) && is_readable(offers))
		check_twin(header, offers, got);
	check_case(header, offers, got);
	free(copy);
	return (0);
}
