/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the canonical host of a Host header (hostname.h).
 */

#include <arpa/inet.h>

#include "hostname.h"

#define NAME_MAX_RAW	(FM_HOSTNAME_MAX + 1)	/* with its trailing dot */

/*
 * Returns how many bytes come before the first one that no name has.  Sets
 * *upper if one of them is upper case, and *empty if a label is empty, other
 * than the one after a trailing dot.
 */
static size_t
hostname_scan(struct fm_text raw, bool *upper, bool *empty)
{
	size_t i, label = 0;	/* where the label begins */
	char c;

	for (i = 0; i < raw.len && i < NAME_MAX_RAW; i++) {
		c = raw.b[i];
		if (c >= 'a' && c <= 'z')
			continue;
		if (c == '.') {
			*empty |= i == label;
			label = i + 1;
		} else if (c >= 'A' && c <= 'Z')
			*upper = true;
		else if ((c < '0' || c > '9') && c != '-' && c != '_')
			break;
	}
	return (i);
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
	bool upper = false, empty = false;
	struct fm_text name;
	size_t len;

	*canon = fm_text(NULL, 0);
	if (raw.len == 0)
		return (FM_HOSTNAME_NONE);
	if (raw.b[0] == '[')
		return (hostname_literal(raw, buf, canon));
	len = hostname_scan(raw, &upper, &empty);
	name = fm_text(raw.b, len);
	if (len > 0 && name.b[len - 1] == '.')
		name.len--;
	if (name.len == 0 || name.len > FM_HOSTNAME_MAX || empty ||
	    !hostname_port_ok(raw.b + len, raw.b + raw.len))
		return (FM_HOSTNAME_BAD);
	*canon = upper ? hostname_lower(name, buf) : name;
	return (FM_HOSTNAME_OK);
}
