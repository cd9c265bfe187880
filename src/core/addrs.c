/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of networks: for each family ranges that neither overlap nor touch,
 * sorted, so that the last one that starts at or before an address tells.
 */

#include <arpa/inet.h>
#include <string.h>

#include "addrs.h"
#include "grow.h"
#include "obj.h"


static const uint8_t mapped_prefix[12] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
};

struct addrs_range {
	uint8_t		first[16];
	uint8_t		last[16];	/* of IPv4 four bytes count */
};

/* The ranges of one family. */
struct addrs_family {
	struct addrs_range	*ranges;
	size_t			n, cap;
};

struct fm_addrs_builder {
	unsigned		magic;
#define FM_ADDRS_BUILDER_MAGIC	0x4fa2c60d
	struct addrs_family	v4, v6;
};

struct fm_addrs {
	unsigned		magic;
#define FM_ADDRS_MAGIC		0x0a97d3be
	struct addrs_family	v4, v6;
};

struct fm_addr
fm_addr_of(const uint8_t *bytes, size_t len)
{
	struct fm_addr addr = { .len = 0 };

	if (len == 16 && memcmp(bytes, mapped_prefix,
	    sizeof mapped_prefix) == 0) {
		bytes += sizeof mapped_prefix;
		len = 4;
	}
	if (len == 4 || len == 16) {
		addr.len = (uint8_t)len;
		memcpy(addr.b, bytes, len);
	}
	return (addr);
}

/* As it is written: IPv4 in IPv6 remains.  The number of its bytes, or 0. */
static size_t
addr_read(struct fm_text t, uint8_t bytes[16])
{
	char buf[INET6_ADDRSTRLEN];

	if (t.len >= 2 && t.b[0] == '[' && t.b[t.len - 1] == ']') {
		t = fm_text(t.b + 1, t.len - 2);
		if (t.len == 0 || memchr(t.b, ':', t.len) == NULL)
			return (0);
	}
	if (t.len == 0 || t.len >= sizeof buf ||
	    memchr(t.b, '\0', t.len) != NULL)
		return (0);
	memcpy(buf, t.b, t.len);
	buf[t.len] = '\0';
	if (inet_pton(AF_INET, buf, bytes) == 1)
		return (4);
	return (inet_pton(AF_INET6, buf, bytes) == 1 ? 16 : 0);
}

bool
fm_addr_parse(struct fm_text t, struct fm_addr *addr)
{
	uint8_t bytes[16];
	size_t len = addr_read(t, bytes);

	*addr = fm_addr_of(bytes, len);
	return (len > 0);
}

/* A network: its address, and how many bits of it count. */
struct addrs_network {
	uint8_t		b[16];
	size_t		len;		/* bytes of the address */
	unsigned	bits;
	bool		rest;		/* there are bits behind these */
};

/* What is wrong with it, or NULL. */
static const char *
network_read(struct fm_text t, struct addrs_network *net)
{
	const char *slash = t.len > 0 ? memchr(t.b, '/', t.len) : NULL;
	const char *p, *e = t.b + t.len;
	unsigned i;

	net->len = addr_read(slash == NULL ? t : fm_text_span(t.b, slash),
	    net->b);
	if (net->len == 0)
		return ("is no network: write 192.0.2.0/24, 2001:db8::/32, or "
		    "an address");
	net->bits = 8 * (unsigned)net->len;
	if (slash != NULL) {
		i = 0;
		for (p = slash + 1; p < e && i <= 128; p++) {
			if (*p < '0' || *p > '9')
				return ("has no number behind its /");
			i = 10 * i + (unsigned)(*p - '0');
		}
		if (slash + 1 == e)
			return ("has no number behind its /");
		if (i > net->bits)
			return (net->len == 4 ? "has more than 32 bits" :
			    "has more than 128 bits");
		net->bits = i;
	}
	net->rest = false;
	for (i = net->bits; i < 8 * net->len; i++)
		if ((net->b[i / 8] & 0x80 >> i % 8) != 0)
			net->rest = true;
	return (net->rest ? "has bits behind its prefix: write the first "
	    "address of the network" : NULL);
}

bool
fm_addrs_is_network(struct fm_text t)
{
	struct addrs_network net;
	const char *slash = t.len > 0 ? memchr(t.b, '/', t.len) : NULL;

	return (addr_read(slash == NULL ? t : fm_text_span(t.b, slash),
	    net.b) > 0);
}

struct fm_addrs_builder *
fm_addrs_build_new(void)
{
	struct fm_addrs_builder *builder;

	FM_OBJ_NEW(builder, FM_ADDRS_BUILDER_MAGIC);
	return (builder);
}

void
fm_addrs_build_free(struct fm_addrs_builder **builderp)
{
	struct fm_addrs_builder *builder;

	FM_OBJ_TAKE(builder, builderp, FM_ADDRS_BUILDER_MAGIC);
	free(builder->v4.ranges);
	free(builder->v6.ranges);
	FM_OBJ_FREE(builder);
}

/* 0, or -1: no memory. */
static int
family_add(struct addrs_family *family, const struct addrs_network *net)
{
	struct addrs_range *range;
	unsigned i;

	range = fm_grow_room(family->ranges, &family->cap, family->n, 1,
	    sizeof *range);
	if (range == NULL)
		return (-1);
	family->ranges = range;
	range += family->n++;
	memset(range, 0, sizeof *range);
	memcpy(range->first, net->b, net->len);
	memcpy(range->last, net->b, net->len);
	for (i = net->bits; i < 8 * net->len; i++)
		range->last[i / 8] |= (uint8_t)(0x80 >> i % 8);
	return (0);
}

int
fm_addrs_build_add(struct fm_addrs_builder *builder, struct fm_text network,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct addrs_network net;
	const char *fault;

	FM_OBJ_CHECK(builder, FM_ADDRS_BUILDER_MAGIC);
	fault = network_read(network, &net);
	if (fault != NULL) {
		fm_diag_error(diag, place, "'%.*s' %s", FM_SHOW(network),
		    fault);
		return (-1);
	}
	if (net.len == 16 && net.bits >= 96 && memcmp(net.b, mapped_prefix,
	    sizeof mapped_prefix) == 0) {
		memmove(net.b, net.b + 12, 4);
		net.len = 4;
		net.bits -= 96;
	}
	if (family_add(net.len == 4 ? &builder->v4 : &builder->v6, &net) != 0) {
		fm_diag_error(diag, place, "out of memory");
		return (-2);
	}
	return (0);
}

static int
range_compare(const void *a, const void *b)
{
	return (memcmp(a, b, sizeof(struct addrs_range)));
}

/* Whether b is the address behind a. */
static bool
range_follows(const uint8_t a[16], const uint8_t b[16], size_t len)
{
	uint8_t next[16];
	size_t i = len;

	memcpy(next, a, 16);
	while (i > 0 && ++next[i - 1] == 0)
		i--;
	return (i > 0 && memcmp(next, b, len) == 0);
}

/* 0, or -1: no memory. */
static int
family_build(struct addrs_family *to, const struct addrs_family *from,
    size_t len)
{
	struct addrs_range *range;
	size_t i, n = 0;

	if (from->n == 0)
		return (0);
	to->ranges = calloc(from->n, sizeof *to->ranges);
	if (to->ranges == NULL)
		return (-1);
	memcpy(to->ranges, from->ranges, from->n * sizeof *to->ranges);
	qsort(to->ranges, from->n, sizeof *to->ranges, range_compare);
	for (i = 0; i < from->n; i++) {
		range = &to->ranges[i];
		if (n > 0 && (memcmp(range->first, to->ranges[n - 1].last,
		    len) <= 0 || range_follows(to->ranges[n - 1].last,
		    range->first, len))) {
			if (memcmp(range->last, to->ranges[n - 1].last,
			    len) > 0)
				memcpy(to->ranges[n - 1].last, range->last,
				    len);
			continue;
		}
		to->ranges[n++] = *range;
	}
	to->n = n;
	return (0);
}

struct fm_addrs *
fm_addrs_build(const struct fm_addrs_builder *builder)
{
	struct fm_addrs *addrs;

	FM_OBJ_CHECK(builder, FM_ADDRS_BUILDER_MAGIC);
	FM_OBJ_NEW(addrs, FM_ADDRS_MAGIC);
	if (addrs == NULL)
		return (NULL);
	if (family_build(&addrs->v4, &builder->v4, 4) != 0 ||
	    family_build(&addrs->v6, &builder->v6, 16) != 0)
		fm_addrs_free(&addrs);
	return (addrs);
}

void
fm_addrs_free(struct fm_addrs **addrsp)
{
	struct fm_addrs *addrs;

	FM_OBJ_TAKE(addrs, addrsp, FM_ADDRS_MAGIC);
	free(addrs->v4.ranges);
	free(addrs->v6.ranges);
	FM_OBJ_FREE(addrs);
}

bool
fm_addrs_match(const struct fm_addrs *addrs, struct fm_addr addr)
{
	const struct addrs_family *family;
	size_t low = 0, high, middle;

	FM_OBJ_CHECK(addrs, FM_ADDRS_MAGIC);
	if (addr.len == 0)
		return (false);
	assert(addr.len == 4 || addr.len == 16);
	family = addr.len == 4 ? &addrs->v4 : &addrs->v6;
	high = family->n;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (memcmp(family->ranges[middle].first, addr.b,
		    addr.len) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (low > 0 && memcmp(addr.b, family->ranges[low - 1].last,
	    addr.len) <= 0);
}

size_t
fm_addrs_count(const struct fm_addrs *addrs)
{
	FM_OBJ_CHECK(addrs, FM_ADDRS_MAGIC);
	return (addrs->v4.n + addrs->v6.n);
}

size_t
fm_addrs_bytes(const struct fm_addrs *addrs)
{
	FM_OBJ_CHECK(addrs, FM_ADDRS_MAGIC);
	return (sizeof *addrs +
	    fm_addrs_count(addrs) * sizeof(struct addrs_range));
}
