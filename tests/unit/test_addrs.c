/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses and sets of networks, against a loop over all networks that
 * compares bit by bit: the one with the longest prefix counts.
 */

#include "networks.h"
#include "twin.h"

static int
item_compare(const void *a, const void *b)
{
	const struct fm_networks_item *one = a, *other = b;

	return (fm_network_compare(&one->network, &other->network));
}

static struct fm_networks *
set_new(struct fm_networks_item *items, unsigned n)
{
	qsort(items, n, sizeof *items, item_compare);
	return (fm_networks_new(items, n));
}

/* Each word has a value: its number, from 0. */
static struct fm_networks *
set_of(const char *words)
{
	struct fm_networks_item items[8] = { { .value = 0 } };
	struct fm_networks *nets;
	struct fm_text word;
	const char *fault;
	unsigned n = 0;

	for (; twin_word(&words, &word); n++) {
		word = unit_copy(word);
		fault = fm_network_parse(word, &items[n].network);
		ck_assert_msg(fault == NULL, "%s", fault);
		items[n].value = n;
		twin_free(word);
	}
	nets = set_new(items, n);
	ck_assert_ptr_nonnull(nets);
	return (nets);
}

#define NONE	FM_NETWORKS_NONE

static const struct {
	const char	*set;
	const char	*addr;
	uint32_t	value;
} set_cases[] = {
	{ "192.0.2.0/24", "192.0.2.255", 0 },
	{ "192.0.2.0/24", "192.0.3.0", NONE },
	{ "192.0.2.1", "192.0.2.1", 0 },
	{ "0.0.0.0/0", "255.255.255.255", 0 },
	{ "0.0.0.0/0", "::1", NONE },
	{ "::/0", "192.0.2.1", NONE },
	{ "2001:db8::/32", "[2001:db8::1]", 0 },
	{ "[2001:db8::]/32", "2001:db8::", 0 },
	{ "::ffff:192.0.2.0/120", "192.0.2.7", 0 },
	{ "192.0.2.0/24", "::ffff:192.0.2.7", 0 },
	{ "10.0.0.0/8 192.168.0.0/16 ::1", "::1", 2 },
	{ "10.0.0.0/8 10.1.0.0/16 10.1.2.3", "10.1.2.3", 2 },
	{ "10.1.255.0/24 10.0.0.0/8 10.1.0.0/16", "10.1.255.9", 0 },
	{ "255.0.0.0/8 255.255.255.255", "255.255.255.255", 1 },
	{ "::/0 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 1 },
	{ "2001:db8::/64 2001:db8::1 2001:db8::ffff:0/112", "2001:db8::1", 1 },
	{ "2001:db8::/64 2001:db8::1 2001:db8::ffff:0/112",
	    "2001:db8::ffff:9", 2 },
	{ "2001:db8::/64 2001:db8::1 2001:db8::ffff:0/112",
	    "2001:db8:0:1::", NONE },
	{ "::/0", "::ffff:10.0.0.1", NONE },
	{ "::/95 0.0.0.0/1", "10.0.0.1", 1 },
	{ "", "192.0.2.1", NONE },
};

UNIT_LOOP(the_smallest_network_with_an_address_counts, COUNT(set_cases))
{
	struct fm_networks *nets = set_of(set_cases[_i].set);
	struct fm_addr addr;

	ck_assert(fm_addr_parse(fm_text_of(set_cases[_i].addr), &addr));
	ck_assert_uint_eq(fm_networks_find(nets, &addr), set_cases[_i].value);
	fm_networks_free(&nets);
	ck_assert_ptr_null(nets);
}

static const struct {
	const char	*network;
	const char	*fault;
} bad_networks[] = {
	{ "", "is not a network: write 192.0.2.0/24, 2001:db8::/32, or an "
	    "address" },
	{ "www", "is not a network: write 192.0.2.0/24, 2001:db8::/32, or an "
	    "address" },
	{ "192.0.2.1/24", "has bits after its prefix: write the first address"
	    " of the network" },
	{ "2001:db8::1/127", "has bits after its prefix: write the first "
	    "address of the network" },
	{ "192.0.2.0/33", "has more than 32 bits" },
	{ "::/129", "has more than 128 bits" },
	{ "::/99999999999999999999", "has more than 128 bits" },
	{ "10.0.0.0/255.0.0.0", "has a netmask: write the number of its bits, "
	    "as in 10.0.0.0/8" },
	{ "::/", "has no number after its /" },
	{ "::/1x", "has no number after its /" },
};

UNIT_LOOP(what_is_no_network_is_refused_with_a_reason, COUNT(bad_networks))
{
	struct fm_network network;

	ck_assert_pstr_eq(fm_network_parse(
	    fm_text_of(bad_networks[_i].network), &network),
	    bad_networks[_i].fault);
}

UNIT_TEST(an_address_may_have_a_port)
{
	static const char * const good[] = { "1.2.3.4", "1.2.3.4:80",
	    "[::1]:443", "[::1]", "::1", "[::ffff:1.2.3.4]:1" };
	static const char * const bad[] = { "1.2.3.4:", "1.2.3.4:8x", ":80",
	    "[1.2.3.4]:80", "1.2.3.4 :80", "x:80", "::1:", "" };
	struct fm_addr addr;
	int i;

	for (i = 0; i < COUNT(good); i++)
		ck_assert_msg(fm_addr_parse_port(fm_text_of(good[i]), &addr),
		    "%s", good[i]);
	for (i = 0; i < COUNT(bad); i++)
		ck_assert_msg(!fm_addr_parse_port(fm_text_of(bad[i]), &addr),
		    "%s", bad[i]);
}

UNIT_TEST(addresses_are_read_or_refused)
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
	ck_assert(fm_network_is_like(fm_text_of("10.0.0.0/8")));
	ck_assert(fm_network_is_like(fm_text_of("::1")));
	ck_assert(fm_network_is_like(fm_text_of("10.0.0.1/8")));
	ck_assert(!fm_network_is_like(fm_text_of("office")));
	ck_assert(!fm_network_is_like(fm_text_of("")));
}

UNIT_TEST(a_client_without_an_address_is_in_no_network)
{
	struct fm_networks *nets = set_of("0.0.0.0/0 ::/0");
	struct fm_addr none = { .len = 0 };

	ck_assert_uint_eq(fm_networks_find(nets, &none), NONE);
	ck_assert_uint_eq(fm_addr_of((const uint8_t *)"abc", 3).len, 0);
	fm_networks_free(&nets);
}

/* A network is made of these. */
struct net {
	struct fm_addr		addr;
	unsigned		bits;
};

static bool
net_has(const struct net *net, const struct fm_addr *addr)
{
	unsigned i;

	if (net->addr.len != addr->len)
		return (false);
	for (i = 0; i < net->bits; i++)
		if (((net->addr.b[i / 8] ^ addr->b[i / 8]) >> (7 - i % 8) &
		    1) != 0)
			return (false);
	return (true);
}

/* The naive twin. */
static uint32_t
naive_find(const struct net *nets, const uint32_t *values, unsigned n,
    const struct fm_addr *addr)
{
	uint32_t value = NONE;
	int bits = -1;
	unsigned i;

	for (i = 0; i < n; i++)
		if ((int)nets[i].bits > bits && net_has(&nets[i], addr)) {
			bits = (int)nets[i].bits;
			value = values[i];
		}
	return (value);
}

/*
 * An address with few different bytes, so that networks often meet: at the
 * front, around the middle of an IPv6 address, or at its end.
 */
static struct fm_addr
addr_random(unsigned at)
{
	uint8_t bytes[16] = { 0x20 };
	unsigned i;

	for (i = at; i < at + 3 && i < 16; i++)
		bytes[i] = (uint8_t)(unit_below(4) * 0x55);
	return (fm_addr_of(bytes, unit_below(2) ? 16 : 4));
}

static struct net
net_random(unsigned at)
{
	struct net net = { .addr = addr_random(at) };
	unsigned i, most = 8U * net.addr.len, bits = 8 * at + unit_below(25);

	net.bits = unit_below(50) == 0 ? 0 : bits > most ? most : bits;
	for (i = net.bits; i < most; i++)
		net.addr.b[i / 8] &= (uint8_t)~(0x80 >> i % 8);
	return (net);
}

/* Returns the value of the same network before it, or a new one. */
static uint32_t
net_value(const struct net *nets, const uint32_t *values, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (nets[i].bits == nets[n].bits && memcmp(&nets[i].addr,
		    &nets[n].addr, sizeof nets[n].addr) == 0)
			return (values[i]);
	return (unit_below(3) == 0 ? unit_below(3) : n);
}

UNIT_TEST(random_sets_answer_like_a_loop_over_networks)
{
	static const unsigned places[] = { 0, 1, 6, 7, 13 };
	unsigned set, i, n, j, at, hits = 0, asked = 0;
	struct fm_networks_item items[300] = { { .value = 0 } };
	uint32_t values[COUNT(items)], value, found;
	struct net nets[COUNT(items)];
	struct fm_networks *set_of_nets;
	struct fm_addr addr;

	unit_seed("addrs");
	for (set = 0; set < 1000; set++) {
		at = places[unit_below(COUNT(places))];
		n = unit_below(unit_below(20) == 0 ? COUNT(items) : 24);
		for (i = 0; i < n; i++) {
			nets[i] = net_random(at);
			values[i] = net_value(nets, values, i);
			items[i].value = values[i];
			items[i].network = (struct fm_network){
			    fm_addr_key(&nets[i].addr), nets[i].addr.len,
			    (uint8_t)nets[i].bits };
		}
		set_of_nets = set_new(items, n);
		for (j = 0; j < 50; j++) {
			addr = addr_random(at);
			value = naive_find(nets, values, n, &addr);
			found = fm_networks_find(set_of_nets, &addr);
			AGREE(found == value, "%u and %u, byte %u of %u",
			    found, value, at, addr.len);
			hits += value != NONE;
			asked++;
		}
		fm_networks_free(&set_of_nets);
	}
	ck_assert_uint_gt(hits, asked / 10);
	ck_assert_uint_lt(hits, asked - asked / 10);
}

int
main(void)
{
	return (unit_main("addrs", 60));
}
