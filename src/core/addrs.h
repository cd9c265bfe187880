/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * IP addresses, and sets of networks.
 *
 * A network is written as CIDR (192.0.2.0/24, 2001:db8::/32), or as one
 * address.  Bits of the address behind the prefix must be 0: 192.0.2.1/24 is
 * an error, as it is not clear what was meant.  An IPv4 address written in
 * IPv6 (::ffff:192.0.2.1) is the IPv4 address, in a set as in a client; its
 * prefix (96 or more) counts without the first 96 bits.
 */

#ifndef FM_ADDRS_H
#define FM_ADDRS_H

#include <stdint.h>

#include "diag.h"
#include "text.h"

struct fm_addr {
	uint8_t		len;		/* 4, 16, or 0: no address */
	uint8_t		b[16];		/* network order; 0 behind len */
};

/* Returns the address with these bytes; IPv4 in IPv6 becomes IPv4. */
struct fm_addr fm_addr_of(const uint8_t *bytes, size_t len);

/* Reads "192.0.2.1", "2001:db8::1", "[2001:db8::1]"; false: it is none. */
bool fm_addr_parse(struct fm_text, struct fm_addr *);

/* Returns true for the text of a network, as an operand of `client in`. */
bool fm_addrs_is_network(struct fm_text);

struct fm_addrs_builder;
struct fm_addrs;

/* Each NULL: no memory. */
struct fm_addrs_builder *fm_addrs_build_new(void);
void fm_addrs_build_free(struct fm_addrs_builder **);

/*
 * 0; or with what is wrong in the diag -1, or -2: no memory.  A network twice
 * is harmless.
 */
int fm_addrs_build_add(struct fm_addrs_builder *, struct fm_text network,
    const struct fm_place *, struct fm_diag *);

/* The builder remains as it is.  NULL: no memory. */
struct fm_addrs *fm_addrs_build(const struct fm_addrs_builder *);
void fm_addrs_free(struct fm_addrs **);

/* One binary search, whatever the number of networks. */
bool fm_addrs_match(const struct fm_addrs *, struct fm_addr);

/* Returns how many ranges they make, and the bytes that they take. */
size_t fm_addrs_count(const struct fm_addrs *);
size_t fm_addrs_bytes(const struct fm_addrs *);

#endif
