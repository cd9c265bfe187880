/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twin (twin.h) of the canonical host: follows the comment in hostname.h
 * byte by byte, in as many passes as that takes.
 */

#ifndef TWIN_HOSTNAME_H
#define TWIN_HOSTNAME_H

#include "hostname.h"

static inline bool
twin_is_in(char c, const char *set)
{
	for (; *set != '\0'; set++)
		if (*set == c)
			return (true);
	return (false);
}

static inline bool
twin_ipv4(const char *b, size_t len)
{
	unsigned parts = 0, value, digits;
	size_t i = 0;

	for (;;) {
		value = digits = 0;
		while (i < len && twin_is_in(b[i], "0123456789")) {
			if (digits > 0 && value == 0)
				return (false);
			value = value * 10 + (unsigned)(b[i] - '0');
			digits++;
			i++;
			if (value > 255)
				return (false);
		}
		if (digits == 0)
			return (false);
		parts++;
		if (i == len)
			return (parts == 4);
		if (b[i] != '.')
			return (false);
		i++;
	}
}

/*
 * Returns how many 16-bit groups of IPv6 a text without "::" has, or -1 if it
 * is anything else.  An IPv4 address at the end counts as two groups.
 */
static inline int
twin_groups(const char *b, size_t len, bool may_end_in_ipv4)
{
	size_t at = 0, end, i;
	int groups = 0;

	if (len == 0)
		return (0);
	for (;;) {
		for (end = at; end < len && b[end] != ':';)
			end++;
		if (end == len && may_end_in_ipv4 &&
		    twin_ipv4(b + at, end - at))
			return (groups + 2);
		if (end == at || end - at > 4)
			return (-1);
		for (i = at; i < end; i++)
			if (!twin_is_in(b[i], "0123456789abcdefABCDEF"))
				return (-1);
		groups++;
		if (end == len)
			return (groups);
		at = end + 1;
		if (at == len)
			return (-1);
	}
}

static inline bool
twin_ipv6(const char *b, size_t len)
{
	int before, after;
	size_t i;

	for (i = 0; i + 1 < len; i++)
		if (b[i] == ':' && b[i + 1] == ':') {
			before = twin_groups(b, i, false);
			after = twin_groups(b + i + 2, len - i - 2, true);
			return (before >= 0 && after >= 0 &&
			    before + after <= 7);
		}
	return (twin_groups(b, len, true) == 8);
}

static inline bool
twin_port(const char *b, size_t len)
{
	size_t i;

	if (len == 0)
		return (true);
	if (b[0] != ':')
		return (false);
	for (i = 1; i < len; i++)
		if (!twin_is_in(b[i], "0123456789"))
			return (false);
	return (true);
}

static inline enum fm_hostname
twin_canon(const char *b, size_t len, char out[FM_HOSTNAME_MAX + 1])
{
	size_t i, name;

	out[0] = '\0';
	if (len == 0)
		return (FM_HOSTNAME_NONE);
	if (b[0] == '[') {
		for (name = 0; name < len && b[name] != ']';)
			name++;
		if (name == len || !twin_ipv6(b + 1, name - 1) ||
		    !twin_port(b + name + 1, len - name - 1))
			return (FM_HOSTNAME_BAD);
		name++;
	} else {
		for (name = 0; name < len && b[name] != ':';)
			name++;
		if (!twin_port(b + name, len - name))
			return (FM_HOSTNAME_BAD);
		if (name > 0 && b[name - 1] == '.')
			name--;
		if (name == 0 || name > FM_HOSTNAME_MAX)
			return (FM_HOSTNAME_BAD);
		for (i = 0; i < name; i++) {
			if (b[i] == '\0' || !twin_is_in(b[i],
			    "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."))
				return (FM_HOSTNAME_BAD);
			if (b[i] == '.' && (i == 0 || i + 1 == name ||
			    b[i + 1] == '.'))
				return (FM_HOSTNAME_BAD);
		}
	}
	for (i = 0; i < name; i++)
		out[i] = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] + 32) : b[i];
	out[name] = '\0';
	return (FM_HOSTNAME_OK);
}

#endif
