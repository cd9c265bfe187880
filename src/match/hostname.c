/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the canonical host of a Host header (hostname.h).
 *
 * A name is read once, eight bytes at a time.  Each test is done on all eight
 * bytes at once, and leaves its outcome in the highest bit of each byte.  So
 * there is no table to keep in the cache, and no branch depends on the bytes,
 * only on where the name ends.
 */

#include <arpa/inet.h>
#include <stdint.h>

#include "hostname.h"

/* The byte c eight times. */
#define ALL(c)		(0x0101010101010101ULL * (c))
#define HIGH		ALL(0x80)

/*
 * AT_LEAST() marks the bytes that are c or above, EQUAL() those that are c.
 * All bytes must be below 0x80.
 */
#define AT_LEAST(x, c)	(((x) + ALL(0x80 - (c))) & HIGH)
#define EQUAL(x, c)	(~(((x) ^ ALL(c)) + ALL(0x7f)) & HIGH)

#define NAME_MAX_RAW	(FM_HOSTNAME_MAX + 1)	/* with its trailing dot */

/*
 * Bytes after the first byte that no name has, in the same word, count for
 * `upper` and `empty` as well: a port has neither, and with anything else there
 * the text is not a host at all.
 */
struct hostname_scan {
	size_t		len;		/* bytes up to the first other one */
	uint64_t	upper;		/* not 0: some are upper case */
	uint64_t	empty;		/* not 0: a label is empty, other than
					 * the one after a trailing dot */
};

static inline void
hostname_scan(struct hostname_scan *scan, const char *b, size_t len)
{
	uint64_t x, low, letter, other, dot, stop, before;

	*scan = (struct hostname_scan){ 0, 0, 0 };
	before = 0x80;	/* at the start a dot is as wrong as after a dot */
	for (; scan->len < len; scan->len += 8) {
		x = fm_text_word(b + scan->len, len - scan->len);
		low = x & ~HIGH;
		letter = AT_LEAST(low | ALL(0x20), 'a') &
		    ~AT_LEAST(low | ALL(0x20), 'z' + 1);
		/* A host may have all bytes from '-' to '9' but '/'. */
		other = (AT_LEAST(low, '-') & ~AT_LEAST(low, '9' + 1) &
		    ~EQUAL(low, '/')) | EQUAL(low, '_');
		dot = EQUAL(low, '.');
		stop = (~(letter | other) | x) & HIGH;
		/* Bit 5, set in lower-case letters, becomes the highest bit. */
		scan->upper |= letter & ~(x << 2);
		scan->empty |= dot & (dot << 8 | before);
		before = dot >> 56;
		if (stop != 0) {
			scan->len += (size_t)__builtin_ctzll(stop) / 8;
			return;
		}
	}
	scan->len = len;
}

/* Returns true if a text is empty, or a colon and digits. */
static inline bool
hostname_port_ok(const char *b, const char *e)
{
	if (b == e)
		return (true);
	if (*b != ':')
		return (false);
	for (b++; b < e; b++)
		if (*b < '0' || *b > '9')
			return (false);
	return (true);
}

static struct fm_text
hostname_lower(struct fm_text name, char *buf)
{
	fm_text_lower(buf, name);
	return (fm_text(buf, name.len));
}

static enum fm_hostname
hostname_literal(struct fm_text raw, char *buf, struct fm_text *canon)
{
	char address[INET6_ADDRSTRLEN];
	unsigned char binary[sizeof(struct in6_addr)];
	struct fm_text name;
	const char *end;
	size_t i;

	end = memchr(raw.b, ']', raw.len);
	if (end == NULL)
		return (FM_HOSTNAME_BAD);
	name = fm_text_span(raw.b, end + 1);
	if (name.len - 2 >= sizeof address ||
	    memchr(name.b, '\0', name.len) != NULL ||
	    !hostname_port_ok(end + 1, raw.b + raw.len))
		return (FM_HOSTNAME_BAD);
	memcpy(address, name.b + 1, name.len - 2);
	address[name.len - 2] = '\0';
	if (inet_pton(AF_INET6, address, binary) != 1)
		return (FM_HOSTNAME_BAD);
	*canon = name;
	for (i = 0; i < name.len; i++)
		if (name.b[i] >= 'A' && name.b[i] <= 'F') {
			*canon = hostname_lower(name, buf);
			break;
		}
	return (FM_HOSTNAME_OK);
}

enum fm_hostname
fm_hostname_canon(struct fm_text raw, char buf[FM_HOSTNAME_MAX],
    struct fm_text *canon)
{
	struct hostname_scan scan;
	struct fm_text name;

	*canon = fm_text(NULL, 0);
	if (raw.len == 0)
		return (FM_HOSTNAME_NONE);
	if (raw.b[0] == '[')
		return (hostname_literal(raw, buf, canon));

	/* A longer text has its colon too late: it is not a hostname. */
	hostname_scan(&scan, raw.b,
	    raw.len <= NAME_MAX_RAW ? raw.len : NAME_MAX_RAW);
	name = fm_text(raw.b, scan.len);
	if (name.len > 0 && name.b[name.len - 1] == '.')
		name.len--;
	if (name.len == 0 || name.len > FM_HOSTNAME_MAX || scan.empty != 0 ||
	    !hostname_port_ok(raw.b + scan.len, raw.b + raw.len))
		return (FM_HOSTNAME_BAD);
	*canon = scan.upper == 0 ? name : hostname_lower(name, buf);
	return (FM_HOSTNAME_OK);
}
