/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of networks, each of which has a value.  Of all networks that have an
 * address the smallest one counts.
 */

#ifndef FM_NETWORKS_H
#define FM_NETWORKS_H

#include "addrs.h"

struct fm_networks_item {
	struct fm_network	network;
	uint32_t		value;		/* not FM_NETWORKS_NONE */
};

#define FM_NETWORKS_NONE	UINT32_MAX

struct fm_networks;

/*
 * Makes a set of items that are sorted as fm_network_compare() says.  Of
 * networks that are the same the values are, too.  NULL: no memory.
 */
struct fm_networks *fm_networks_new(const struct fm_networks_item *, size_t n);
void fm_networks_free(struct fm_networks **);

/*
 * Returns the value of the smallest network that has the address, or
 * FM_NETWORKS_NONE.
 */
uint32_t fm_networks_find(const struct fm_networks *, const struct fm_addr *);

/* Returns the bytes that a set takes. */
size_t fm_networks_bytes(const struct fm_networks *);

#endif
