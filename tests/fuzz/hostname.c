/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: any bytes as a Host header.  The same canonical host as the
 * twin finds; it is a part of the input or in the buffer; the canonical form
 * of a canonical host is itself, with a port, too.
 */

#include "fuzz.h"
#include "hostname.h"
#include "twin_hostname.h"

const bool fuzz_has_parts = false;

static void
check_again(struct fm_text canon)
{
	static const char * const tails[] = { "", ":", ":80", ".", ".:80" };
	char buf[FM_HOSTNAME_MAX], longer[FM_HOSTNAME_MAX + 8];
	enum fm_hostname how;
	struct fm_text again;
	unsigned i;

	for (i = 0; i < sizeof tails / sizeof *tails; i++) {
		if (canon.b[0] == '[' && tails[i][0] == '.')
			continue;
		memcpy(longer, canon.b, canon.len);
		strcpy(longer + canon.len, tails[i]);
		how = fm_hostname_canon(fm_text_of(longer), buf, &again);
		FUZZ_CHECK(how == FM_HOSTNAME_OK && again.b == longer &&
		    again.len == canon.len, "\"%s\" is not \"%.*s\"", longer,
		    FUZZ_TEXT(canon));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_text raw = fm_text((const char *)data, size), canon;
	char expected[FM_HOSTNAME_MAX + 1], *buf = malloc(FM_HOSTNAME_MAX);
	enum fm_hostname how, twin;

	FUZZ_CHECK(buf != NULL, "no memory");
	twin = twin_canon(raw.b, raw.len, expected);
	how = fm_hostname_canon(raw, buf, &canon);
	FUZZ_CHECK(how == twin, "%d, and not %d", (int)how, (int)twin);
	if (how == FM_HOSTNAME_OK) {
		FUZZ_CHECK(fm_text_eq(canon, fm_text_of(expected)),
		    "\"%.*s\", and not \"%s\"", FUZZ_TEXT(canon), expected);
		FUZZ_CHECK(canon.b == buf || (canon.b >= raw.b &&
		    canon.b + canon.len <= raw.b + raw.len),
		    "neither in the input nor in the buffer");
		check_again(canon);
	} else
		FUZZ_CHECK(canon.b == NULL && canon.len == 0,
		    "a text that is not missing");
	free(buf);
	return (0);
}
