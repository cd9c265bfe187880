/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The share of the clients that gets the rules of `next`: as large as was
 * asked, the same for a client each time, and never less when it is raised.
 */

#include <stdio.h>
#include <string.h>

#include "../../src/vmod/canary.h"
#include "unit.h"

#define CLIENTS	200000U

/* Returns the n-th client: an address of 4 bytes, or a text. */
static size_t
client(uint32_t n, bool text, char buf[32])
{
	if (text)
		return ((size_t)snprintf(buf, 32, "user-%u", n));
	n += 10U << 24;
	buf[0] = (char)(n >> 24);
	buf[1] = (char)(n >> 16);
	buf[2] = (char)(n >> 8);
	buf[3] = (char)n;
	return (4);
}

static bool
takes(double percent, uint32_t n, bool text)
{
	char buf[32];
	size_t len = client(n, text, buf);

	return (fm_canary_takes(fm_canary_share(percent), buf, len));
}

/* Six times the deviation of the number that is taken is far off. */
UNIT_TEST(test_share_is_as_large_as_asked)
{
	static const double shares[] = { 0.5, 1, 5, 12.5, 50, 99 };
	double want, off;
	uint32_t n, taken;
	size_t i;
	int text;

	for (i = 0; i < sizeof shares / sizeof shares[0]; i++)
		for (text = 0; text < 2; text++) {
			taken = 0;
			for (n = 0; n < CLIENTS; n++)
				taken += takes(shares[i], n, text);
			want = shares[i] / 100 * CLIENTS;
			off = taken - want;
			ck_assert_msg(off * off < 36 * want *
			    (1 - shares[i] / 100), "%g %%: %u of %u",
			    shares[i], taken, CLIENTS);
		}
}

UNIT_TEST(test_no_client_and_all_clients)
{
	uint32_t n;

	for (n = 0; n < CLIENTS; n++) {
		ck_assert(!takes(0, n, false));
		ck_assert(takes(100, n, false));
	}
	ck_assert(fm_canary_takes(fm_canary_share(100), "", 0));
	ck_assert(!fm_canary_takes(fm_canary_share(0), "", 0));
}

UNIT_TEST(test_raising_the_share_takes_no_client_back)
{
	static const double shares[] = { 0, 0.01, 0.5, 1, 5, 10, 33.3, 50,
	    100 };
	bool was, is;
	uint32_t n;
	size_t i;

	for (n = 0; n < CLIENTS; n++)
		for (was = false, i = 0; i < sizeof shares / sizeof shares[0];
		    i++, was = is) {
			is = takes(shares[i], n, n & 1);
			ck_assert_msg(is || !was, "client %u at %g", n,
			    shares[i]);
		}
}

/* All machines and versions agree: another hash would fail here. */
UNIT_TEST(test_clients_stay_on_their_side_in_later_versions)
{
	static const struct {
		const char	*client;
		uint64_t	first;		/* share that takes it */
	} known[] = {
		{ "", 0x2d068006 }, { "alice", 0x4da10dd7 },
		{ "bob", 0x1403c0c5 }, { "203.0.113.9", 0x8525f63b }
	};
	size_t i, len;

	for (i = 0; i < sizeof known / sizeof known[0]; i++) {
		len = strlen(known[i].client);
		ck_assert_msg(fm_canary_takes(known[i].first, known[i].client,
		    len), "%s", known[i].client);
		ck_assert(!fm_canary_takes(known[i].first - 1, known[i].client,
		    len));
	}
}

int
main(void)
{
	return (unit_main("canary", 60));
}
