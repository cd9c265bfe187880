/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and compares IP addresses and networks.
 *
 * A network is written as CIDR (192.0.2.0/24, 2001:db8::/32), or as one
 * address.  Bits of the address after the prefix must be 0: 192.0.2.1/24 is
 * an error, as it is not clear what was meant.  An IPv4 address written in
 * IPv6 (::ffff:192.0.2.1) is the IPv4 address, in a network as in a client; its
 * prefix (96 or more) counts without the first 96 bits.
 */

#ifndef FM_ADDRS_H
#define FM_ADDRS_H

#include <stdint.h>

#include "diag.h"
#include "text.h"

struct fm_addr {
	uint8_t		len;		/* 4, 16, or 0: no address */
	uint8_t		b[16];		/* network order; 0 after len */
};

/* Returns the address with these bytes; IPv4 in IPv6 becomes IPv4. */
struct fm_addr fm_addr_of(const uint8_t *bytes, size_t len);

/* Reads "192.0.2.1", "2001:db8::1", "[2001:db8::1]"; false: it is not one. */
bool fm_addr_parse(struct fm_text, struct fm_addr *);

/* Reads these with a port after them as well, "192.0.2.1:80". */
bool fm_addr_parse_port(struct fm_text, struct fm_addr *);

/* Writes an address (len is not 0) as text.  Returns the text's length. */
#define FM_ADDR_PRINT	46		/* bytes, with a NUL */
size_t fm_addr_print(const struct fm_addr *, char buf[FM_ADDR_PRINT]);

/* An address as two numbers; IPv4 is in the upper 32 bits of hi. */
struct fm_addr_key {
	uint64_t	hi, lo;
};

struct fm_addr_key fm_addr_key(const struct fm_addr *);

struct fm_network {
	struct fm_addr_key first;	/* its first address */
	uint8_t		len;		/* 4 or 16 */
	uint8_t		bits;		/* of the prefix */
};

/* Returns what is wrong with a network, or NULL. */
const char *fm_network_parse(struct fm_text, struct fm_network *);

/* Returns true if a text begins like a network; it may still be a wrong one. */
bool fm_network_is_like(struct fm_text);

/* Returns true if all addresses of a network are in the other one. */
bool fm_network_inside(const struct fm_network *, const struct fm_network *);

/* Orders networks; one that is inside of another comes after it. */
int fm_network_compare(const struct fm_network *, const struct fm_network *);

#endif
