/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses and sets of networks, against a loop over all networks that
 * compares bit by bit.
 */

#include <arpa/inet.h>

#include "addrs.h"
#include "twin.h"

static const struct fm_place here = { .name = "test", .line = 1, .column = 3 };

static struct fm_addrs *
set_of(const char *words)
{
	struct fm_addrs_builder *builder = fm_addrs_build_new();
	struct fm_diag *diag = fm_diag_new();
	struct fm_addrs *addrs;
	struct fm_text word;

	while (twin_word(&words, &word)) {
		word = unit_copy(word);
		ck_assert_msg(fm_addrs_build_add(builder, word, &here,
		    diag) == 0, "%s", fm_diag_line(diag, 0));
		twin_free(word);
	}
	addrs = fm_addrs_build(builder);
	ck_assert_ptr_nonnull(addrs);
	fm_addrs_build_free(&builder);
	fm_diag_free(&diag);
	return (addrs);
}

static const struct {
	const char	*set;
	const char	*addr;
	bool		in;
} set_cases[] = {
	{ "192.0.2.0/24", "192.0.2.0", true },
	{ "192.0.2.0/24", "192.0.2.255", true },
	{ "192.0.2.0/24", "192.0.3.0", false },
	{ "192.0.2.0/24", "192.0.1.255", false },
	{ "192.0.2.1", "192.0.2.1", true },
	{ "192.0.2.1", "192.0.2.2", false },
	{ "192.0.2.1/32", "192.0.2.1", true },
	{ "0.0.0.0/0", "255.255.255.255", true },
	{ "0.0.0.0/0", "::1", false },
	{ "::/0", "::1", true },
	{ "::/0", "192.0.2.1", false },
	{ "2001:db8::/32", "2001:db8:ffff::", true },
	{ "2001:db8::/32", "[2001:db8::1]", true },
	{ "2001:db8::/32", "2001:db9::", false },
	{ "[2001:db8::]/32", "2001:db8::", true },
	{ "::ffff:192.0.2.0/120", "192.0.2.7", true },
	{ "::ffff:192.0.2.0/120", "192.0.3.7", false },
	{ "192.0.2.0/24", "::ffff:192.0.2.7", true },
	{ "10.0.0.0/8 192.168.0.0/16 ::1", "192.168.77.1", true },
	{ "10.0.0.0/8 192.168.0.0/16 ::1", "::1", true },
	{ "10.0.0.0/8 192.168.0.0/16 ::1", "11.0.0.0", false },
	{ "", "192.0.2.1", false },
};

START_TEST(a_network_holds_its_addresses_and_no_others)
{
	struct fm_addrs *addrs = set_of(set_cases[_i].set);
	struct fm_addr addr;

	ck_assert(fm_addr_parse(fm_text_of(set_cases[_i].addr), &addr));
	ck_assert(fm_addrs_match(addrs, addr) == set_cases[_i].in);
	fm_addrs_free(&addrs);
	ck_assert_ptr_null(addrs);
}
END_TEST

static const struct {
	const char	*network;
	const char	*message;
} bad_networks[] = {
	{ "", "test:1:3: error: '' is no network: write 192.0.2.0/24,"
	    " 2001:db8::/32, or an address" },
	{ "192.0.2", "test:1:3: error: '192.0.2' is no network: write"
	    " 192.0.2.0/24, 2001:db8::/32, or an address" },
	{ "www", "test:1:3: error: 'www' is no network: write 192.0.2.0/24,"
	    " 2001:db8::/32, or an address" },
	{ "192.0.2.1/24", "test:1:3: error: '192.0.2.1/24' has bits behind its"
	    " prefix: write the first address of the network" },
	{ "192.0.2.0/33", "test:1:3: error: '192.0.2.0/33' has more than 32"
	    " bits" },
	{ "::/129", "test:1:3: error: '::/129' has more than 128 bits" },
	{ "::/99999999999999999999", "test:1:3: error:"
	    " '::/99999999999999999999' has more than 128 bits" },
	{ "::/", "test:1:3: error: '::/' has no number behind its /" },
	{ "::/-1", "test:1:3: error: '::/-1' has no number behind its /" },
	{ "::/1x", "test:1:3: error: '::/1x' has no number behind its /" },
};

START_TEST(what_is_no_network_is_refused_with_a_reason)
{
	struct fm_addrs_builder *builder = fm_addrs_build_new();
	struct fm_diag *diag = fm_diag_new();

	ck_assert_int_eq(fm_addrs_build_add(builder,
	    fm_text_of(bad_networks[_i].network), &here, diag), -1);
	ck_assert_str_eq(fm_diag_line(diag, 0), bad_networks[_i].message);
	fm_addrs_build_free(&builder);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(addresses_are_read_or_refused)
{
	static const char * const good[] = { "1.2.3.4", "::", "[::1]",
	    "::ffff:1.2.3.4", "2001:DB8::1" };
	static const char * const bad[] = { "", "1.2.3", "1.2.3.4.5", "[]",
	    "[1.2.3.4]", "::1%lo", "[::1", "256.1.1.1", "1.2.3.4 ",
	    "0000000000000000000000000000000000000000000000000::1" };
	struct fm_addr addr;
	int i;

	for (i = 0; i < COUNT(good); i++)
		ck_assert(fm_addr_parse(fm_text_of(good[i]), &addr));
	for (i = 0; i < COUNT(bad); i++) {
		ck_assert_msg(!fm_addr_parse(fm_text_of(bad[i]), &addr), "%s",
		    bad[i]);
		ck_assert_uint_eq(addr.len, 0);
	}
	ck_assert(fm_addr_parse(fm_text_of("::ffff:1.2.3.4"), &addr));
	ck_assert_uint_eq(addr.len, 4);
	ck_assert(fm_addrs_is_network(fm_text_of("10.0.0.0/8")));
	ck_assert(fm_addrs_is_network(fm_text_of("::1")));
	ck_assert(fm_addrs_is_network(fm_text_of("10.0.0.1/8")));
	ck_assert(!fm_addrs_is_network(fm_text_of("office")));
	ck_assert(!fm_addrs_is_network(fm_text_of("")));
}
END_TEST

START_TEST(a_client_without_an_address_is_in_no_network)
{
	struct fm_addrs *addrs = set_of("0.0.0.0/0 ::/0");
	struct fm_addr none = { .len = 0 };

	ck_assert(!fm_addrs_match(addrs, none));
	ck_assert_uint_eq(fm_addr_of((const uint8_t *)"abc", 3).len, 0);
	fm_addrs_free(&addrs);
}
END_TEST

/* Networks of the first 12 bits of an address, so that they often meet. */
struct net {
	uint8_t		b[2];
	unsigned	bits;
	bool		v6;
};

static bool
net_has(const struct net *net, struct fm_addr addr)
{
	unsigned i, k;

	if (net->v6 != (addr.len == 16))
		return (false);
	for (i = 0; i < net->bits; i++) {
		k = net->b[i / 8] >> (7 - i % 8) & 1;
		if (k != (addr.b[i / 8] >> (7 - i % 8) & 1U))
			return (false);
	}
	return (true);
}

START_TEST(random_sets_answer_like_a_loop_over_networks)
{
	unsigned set, i, n, j, k, hits = 0, asked = 0;
	struct fm_addrs_builder *builder;
	struct fm_addrs *addrs;
	struct net nets[24];
	uint8_t bytes[16];
	struct fm_addr addr;
	char text[64], word[80];
	bool in;

	unit_seed("addrs");
	for (set = 0; set < 2000; set++) {
		builder = fm_addrs_build_new();
		n = unit_below(24);
		for (i = 0; i < n; i++) {
			nets[i].v6 = unit_below(2);
			nets[i].bits = 4 + unit_below(9);
			memset(bytes, 0, sizeof bytes);
			bytes[0] = (uint8_t)(unit_below(2) << 7 | 0x20);
			bytes[1] = (uint8_t)unit_below(256);
			for (k = nets[i].bits; k < 16; k++)
				bytes[k / 8] &= (uint8_t)~(0x80 >> k % 8);
			memcpy(nets[i].b, bytes, 2);
			inet_ntop(nets[i].v6 ? AF_INET6 : AF_INET, bytes,
			    text, sizeof text);
			snprintf(word, sizeof word, "%s/%u", text,
			    nets[i].bits);
			ck_assert_int_eq(fm_addrs_build_add(builder,
			    fm_text_of(word), &here, NULL), 0);
		}
		addrs = fm_addrs_build(builder);
		ck_assert_uint_le(fm_addrs_count(addrs), n);
		fm_addrs_build_free(&builder);
		for (j = 0; j < 50; j++) {
			memset(bytes, 0, sizeof bytes);
			bytes[0] = (uint8_t)(unit_below(2) << 7 | 0x20);
			bytes[1] = (uint8_t)unit_below(256);
			bytes[3] = (uint8_t)unit_below(256);
			addr = fm_addr_of(bytes, unit_below(2) ? 16 : 4);
			for (in = false, i = 0; i < n; i++)
				in |= net_has(&nets[i], addr);
			AGREE(fm_addrs_match(addrs, addr) == in,
			    "%u.%u of %u bytes", bytes[0], bytes[1], addr.len);
			hits += in;
			asked++;
		}
		fm_addrs_free(&addrs);
	}
	ck_assert_uint_gt(hits, asked / 10);
	ck_assert_uint_lt(hits, asked - asked / 10);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("addrs");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_network_holds_its_addresses_and_no_others, 0,
	    COUNT(set_cases));
	tcase_add_loop_test(tc, what_is_no_network_is_refused_with_a_reason, 0,
	    COUNT(bad_networks));
	tcase_add_test(tc, addresses_are_read_or_refused);
	tcase_add_test(tc, a_client_without_an_address_is_in_no_network);
	tcase_add_test(tc, random_sets_answer_like_a_loop_over_networks);
	return (unit_run("addrs", tc));
}
