/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of networks: ranges that neither overlap nor touch, sorted, so that the
 * last one that starts at or before an address tells.  Addresses compare as
 * bytes, their length first: IPv4 is before IPv6, and no range has both.
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
	struct fm_addr	first;
	struct fm_addr	last;
};

struct fm_addrs_builder {
	unsigned	magic;
#define FM_ADDRS_BUILDER_MAGIC	0x4fa2c60d
	struct fm_grow	ranges;
};

struct fm_addrs {
	unsigned		magic;
#define FM_ADDRS_MAGIC		0x0a97d3be
	size_t			n;
	struct addrs_range	ranges[];
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

/*
 * Reads an address as it is written: IPv4 in IPv6 remains.  Returns the number
 * of its bytes, or 0 if it is none.
 */
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

/* Reads what is before the `/`, which *slash is, or NULL. */
static size_t
network_addr(struct fm_text t, uint8_t bytes[16], const char **slash)
{
	*slash = t.len > 0 ? memchr(t.b, '/', t.len) : NULL;
	return (addr_read(*slash == NULL ? t : fm_text_span(t.b, *slash),
	    bytes));
}

bool
fm_addrs_is_network(struct fm_text t)
{
	uint8_t bytes[16];
	const char *slash;

	return (network_addr(t, bytes, &slash) > 0);
}

/* Returns what is wrong with a network, or NULL. */
static const char *
network_read(struct fm_text t, struct addrs_range *range)
{
	const char *slash, *p, *e = t.b + t.len;
	uint8_t b[16], last[16];
	size_t len = network_addr(t, b, &slash);
	unsigned bits = 8 * (unsigned)len, i;

	if (len == 0)
		return ("is no network: write 192.0.2.0/24, 2001:db8::/32, or "
		    "an address");
	if (slash != NULL) {
		if (slash + 1 == e)
			return ("has no number behind its /");
		i = 0;
		for (p = slash + 1; p < e && i <= 128; p++) {
			if (*p < '0' || *p > '9')
				return ("has no number behind its /");
			i = 10 * i + (unsigned)(*p - '0');
		}
		if (i > bits)
			return (len == 4 ? "has more than 32 bits" :
			    "has more than 128 bits");
		bits = i;
	}
	memcpy(last, b, len);
	for (i = bits; i < 8 * len; i++) {
		if ((b[i / 8] & 0x80 >> i % 8) != 0)
			return ("has bits behind its prefix: write the first "
			    "address of the network");
		last[i / 8] |= (uint8_t)(0x80 >> i % 8);
	}
	/* IPv4 in IPv6 has lost the bytes in front. */
	range->first = range->last = fm_addr_of(b, len);
	memcpy(range->last.b, last + len - range->last.len, range->last.len);
	return (NULL);
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
	fm_grow_fini(&builder->ranges);
	FM_OBJ_FREE(builder);
}

int
fm_addrs_build_add(struct fm_addrs_builder *builder, struct fm_text network,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct addrs_range range, *added;
	const char *fault;

	FM_OBJ_CHECK(builder, FM_ADDRS_BUILDER_MAGIC);
	fault = network_read(network, &range);
	if (fault != NULL) {
		fm_diag_error(diag, place, "'%.*s' %s", FM_SHOW(network),
		    fault);
		return (-1);
	}
	added = fm_grow_add(&builder->ranges, sizeof range, 1);
	if (added == NULL) {
		fm_diag_error(diag, place, "out of memory");
		return (-2);
	}
	*added = range;
	return (0);
}

static int
range_compare(const void *a, const void *b)
{
	return (memcmp(a, b, sizeof(struct addrs_range)));
}

/* Returns true if b is the address behind a. */
static bool
addr_follows(struct fm_addr a, struct fm_addr b)
{
	size_t i = a.len;

	while (i > 0 && ++a.b[i - 1] == 0)
		i--;
	return (memcmp(&a, &b, sizeof a) == 0);
}

struct fm_addrs *
fm_addrs_build(const struct fm_addrs_builder *builder)
{
	const struct addrs_range *from;
	struct addrs_range *range, *last = NULL;
	struct fm_addrs *addrs;
	size_t i, n;

	FM_OBJ_CHECK(builder, FM_ADDRS_BUILDER_MAGIC);
	n = builder->ranges.n;
	addrs = calloc(1, sizeof *addrs + n * sizeof *addrs->ranges);
	if (addrs == NULL)
		return (NULL);
	addrs->magic = FM_ADDRS_MAGIC;
	if (n == 0)
		return (addrs);
	from = builder->ranges.items;
	memcpy(addrs->ranges, from, n * sizeof *from);
	qsort(addrs->ranges, n, sizeof *from, range_compare);
	for (i = 0; i < n; i++) {
		range = &addrs->ranges[i];
		if (last == NULL ||
		    (memcmp(&range->first, &last->last, sizeof last->last) >
		    0 && !addr_follows(last->last, range->first))) {
			last = &addrs->ranges[addrs->n++];
			*last = *range;
		} else if (memcmp(&range->last, &last->last,
		    sizeof last->last) > 0)
			last->last = range->last;
	}
	return (addrs);
}

void
fm_addrs_free(struct fm_addrs **addrsp)
{
	struct fm_addrs *addrs;

	FM_OBJ_TAKE(addrs, addrsp, FM_ADDRS_MAGIC);
	FM_OBJ_FREE(addrs);
}

bool
fm_addrs_match(const struct fm_addrs *addrs, struct fm_addr addr)
{
	size_t low = 0, high, middle;

	FM_OBJ_CHECK(addrs, FM_ADDRS_MAGIC);
	for (high = addrs->n; low < high;) {
		middle = low + (high - low) / 2;
		if (memcmp(&addrs->ranges[middle].first, &addr,
		    sizeof addr) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (low > 0 && memcmp(&addr, &addrs->ranges[low - 1].last,
	    sizeof addr) <= 0);
}

size_t
fm_addrs_count(const struct fm_addrs *addrs)
{
	FM_OBJ_CHECK(addrs, FM_ADDRS_MAGIC);
	return (addrs->n);
}

size_t
fm_addrs_bytes(const struct fm_addrs *addrs)
{
	FM_OBJ_CHECK(addrs, FM_ADDRS_MAGIC);
	return (sizeof *addrs + addrs->n * sizeof *addrs->ranges);
}
