/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of networks, each with a value.  A lookup of an address gives the value
 * of the smallest network that has the address.
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
 * Makes a set of items, which must be in the order of fm_network_compare().
 * Items with the same network must have the same value.  Returns NULL if there
 * is no memory.
 */
struct fm_networks *fm_networks_new(const struct fm_networks_item *, size_t n)
    __attribute__((cold));
void fm_networks_free(struct fm_networks **) __attribute__((cold));

/*
 * Returns the value of the smallest network that has the address, or
 * FM_NETWORKS_NONE.
 */
uint32_t fm_networks_find(const struct fm_networks *, const struct fm_addr *);

/* Returns the bytes that a set takes. */
size_t fm_networks_bytes(const struct fm_networks *) __attribute__((cold));

#endif
