/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads IP addresses and networks from text (addrs.h), and compares them.
 */

#include <arpa/inet.h>
#include <string.h>

#include "addrs.h"
#include "obj.h"

static const uint8_t mapped_prefix[12] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
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
 * of its bytes, or 0 if the text is not an address.
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

bool
fm_addr_parse_port(struct fm_text t, struct fm_addr *addr)
{
	const char *colon = t.len == 0 ? NULL : memrchr(t.b, ':', t.len), *p;

	if (fm_addr_parse(t, addr))
		return (true);
	if (colon == NULL || colon + 1 == t.b + t.len)
		return (false);
	for (p = colon + 1; p < t.b + t.len; p++)
		if (*p < '0' || *p > '9')
			return (false);
	t = fm_text_span(t.b, colon);
	return (fm_addr_parse(t, addr) &&
	    (t.b[0] == '[') == (memchr(t.b, ':', t.len) != NULL));
}

struct fm_addr_key
fm_addr_key(const struct fm_addr *addr)
{
	struct fm_addr_key key;

	memcpy(&key, addr->b, sizeof key);
	return ((struct fm_addr_key){ be64toh(key.hi), be64toh(key.lo) });
}

size_t
fm_addr_print(const struct fm_addr *addr, char buf[FM_ADDR_PRINT])
{
	_Static_assert(FM_ADDR_PRINT >= INET6_ADDRSTRLEN, "room for all");

	assert(addr->len > 0);
	if (inet_ntop(addr->len == 4 ? AF_INET : AF_INET6, addr->b, buf,
	    FM_ADDR_PRINT) == NULL)
		assert(!"an address can be printed");
	return (strlen(buf));
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
fm_network_is_like(struct fm_text t)
{
	uint8_t bytes[16];
	const char *slash;

	return (network_addr(t, bytes, &slash) > 0);
}

/* Returns true if all bits after the prefix are 0. */
static bool
is_first(const uint8_t *bytes, size_t len, unsigned bits)
{
	size_t i = bits / 8;

	if (i < len && (bytes[i] & 0xff >> bits % 8) != 0)
		return (false);
	while (++i < len)
		if (bytes[i] != 0)
			return (false);
	return (true);
}

const char *
fm_network_parse(struct fm_text t, struct fm_network *network)
{
	const char *slash, *p, *e = t.b + t.len;
	uint8_t bytes[16];
	struct fm_addr addr;
	size_t len = network_addr(t, bytes, &slash);
	unsigned bits = 8 * (unsigned)len, n = 0;

	if (len == 0)
		return ("is not a network: write 192.0.2.0/24, 2001:db8::/32, "
		    "or an address");
	if (slash != NULL) {
		for (p = slash + 1; p < e && n <= 128 && *p >= '0' &&
		    *p <= '9'; p++)
			n = 10 * n + (unsigned)(*p - '0');
		if (p > slash + 1 && p < e && *p == '.')
			return ("has a netmask: write the number of its bits, "
			    "as in 10.0.0.0/8");
		if (slash + 1 == e || (p < e && n <= 128))
			return ("has no number after its /");
		if (n > bits)
			return (len == 4 ? "has more than 32 bits" :
			    "has more than 128 bits");
		bits = n;
	}
	if (!is_first(bytes, len, bits))
		return ("has bits after its prefix: write the first "
		    "address of the network");
	addr = fm_addr_of(bytes, len);
	/* IPv4 in IPv6 has lost the bytes in front. */
	if (addr.len < len && bits < 96)
		addr = (struct fm_addr){ .len = 16 };
	else if (addr.len < len)
		bits -= 96;
	network->first = fm_addr_key(&addr);
	network->len = addr.len;
	network->bits = (uint8_t)bits;
	return (NULL);
}

bool
fm_network_inside(const struct fm_network *net, const struct fm_network *wide)
{
	unsigned bits = wide->bits;
	uint64_t hi = net->first.hi ^ wide->first.hi;
	uint64_t lo = net->first.lo ^ wide->first.lo;

	if (net->len != wide->len || net->bits < bits)
		return (false);
	if (bits <= 64)
		return (bits == 0 || hi >> (64 - bits) == 0);
	return (hi == 0 && lo >> (128 - bits) == 0);
}

int
fm_network_compare(const struct fm_network *a, const struct fm_network *b)
{
	if (a->len != b->len)
		return (a->len < b->len ? -1 : 1);
	if (a->first.hi != b->first.hi)
		return (a->first.hi < b->first.hi ? -1 : 1);
	if (a->first.lo != b->first.lo)
		return (a->first.lo < b->first.lo ? -1 : 1);
	return ((int)a->bits - (int)b->bits);
}
