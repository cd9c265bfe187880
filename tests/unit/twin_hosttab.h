/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twin (twin.h) of the host table: an array of canonical patterns, all of
 * which are tried for each host.
 */

#ifndef TWIN_HOSTTAB_H
#define TWIN_HOSTTAB_H

#include <stdio.h>
#include <string.h>

#include "hosttab.h"
#include "twin_hostname.h"

#define TWIN_MAX	300
#define TWIN_LEN	(FM_HOSTNAME_MAX + 3)

struct twin {
	char		patterns[TWIN_MAX][TWIN_LEN];
	unsigned	count;
};

enum twin_form { TWIN_NAME, TWIN_BELOW, TWIN_BOTH, TWIN_PREFIX, TWIN_ANY };

static inline enum twin_form
twin_form(const char *pattern, const char **name, size_t *len)
{
	*name = pattern;
	*len = strlen(pattern);
	if (strcmp(pattern, "*") == 0)
		return (TWIN_ANY);
	if (pattern[0] == '*') {
		*name += 2;
		*len -= 2;
		return (TWIN_BELOW);
	}
	if (pattern[0] == '.') {
		*name += 1;
		*len -= 1;
		return (TWIN_BOTH);
	}
	if (pattern[*len - 1] == '*') {
		*len -= 2;
		return (TWIN_PREFIX);
	}
	return (TWIN_NAME);
}

/*
 * Makes a pattern canonical; returns false if it is not a pattern.  The twin of
 * hostname.h decides what a name is.
 */
static inline bool
twin_canon_pattern(struct fm_text raw, char pattern[TWIN_LEN])
{
	bool below, both, prefix;
	const char *before;
	char name[FM_HOSTNAME_MAX + 1];

	if (raw.len == 1 && *raw.b == '*') {
		strcpy(pattern, "*");
		return (true);
	}
	below = raw.len >= 2 && memcmp(raw.b, "*.", 2) == 0;
	both = !below && raw.len >= 1 && *raw.b == '.';
	prefix = !below && !both && raw.len >= 2 &&
	    memcmp(raw.b + raw.len - 2, ".*", 2) == 0;
	before = below ? "*." : both ? "." : "";
	raw.b += strlen(before);
	raw.len -= strlen(before) + (prefix ? 2 : 0);
	if (twin_canon(raw.b, raw.len, name) != FM_HOSTNAME_OK)
		return (false);
	/* A name has no port, and only whole labels before a wildcard. */
	if (raw.b[0] == '[' ? raw.b[raw.len - 1] != ']' || *before != '\0' ||
	    prefix : memchr(raw.b, ':', raw.len) != NULL ||
	    (prefix && raw.b[raw.len - 1] == '.'))
		return (false);
	(void)snprintf(pattern, TWIN_LEN, "%s%s%s", before, name,
	    prefix ? ".*" : "");
	return (true);
}

/*
 * Returns true if two patterns can't be in one table: both mean a host alike.
 */
static inline bool
twin_clash(const char *a, const char *b)
{
	enum twin_form fa, fb;
	const char *na, *nb;
	size_t la, lb;

	fa = twin_form(a, &na, &la);
	fb = twin_form(b, &nb, &lb);
	if (la != lb || memcmp(na, nb, la) != 0)
		return (false);
	return (fa == fb || (fa == TWIN_BOTH && fb <= TWIN_BELOW) ||
	    (fb == TWIN_BOTH && fa <= TWIN_BELOW));
}

/*
 * Returns how a pattern fits a host (exactly, as a suffix), or FM_HOSTTAB_NONE.
 */
static inline enum fm_hosttab_how
twin_match(const char *pattern, struct fm_text host, size_t *len)
{
	enum twin_form form;
	const char *name;

	form = twin_form(pattern, &name, len);
	if ((form == TWIN_NAME || form == TWIN_BOTH) &&
	    fm_text_eq(host, fm_text(name, *len)))
		return (FM_HOSTTAB_EXACT);
	if ((form == TWIN_BELOW || form == TWIN_BOTH) && host.b[0] != '[' &&
	    host.len >= *len + 2 &&
	    host.b[host.len - *len - 1] == '.' &&
	    memcmp(host.b + host.len - *len, name, *len) == 0)
		return (FM_HOSTTAB_SUFFIX);
	if (form == TWIN_PREFIX && host.b[0] != '[' && host.len >= *len + 2 &&
	    host.b[*len] == '.' && memcmp(host.b, name, *len) == 0)
		return (FM_HOSTTAB_PREFIX);
	return (form == TWIN_ANY ? FM_HOSTTAB_ANY : FM_HOSTTAB_NONE);
}

/* Returns the entry of the n-th pattern; some patterns share an entry. */
static inline uint32_t
twin_entry(unsigned n)
{
	return (n * 7 % 29);
}

static inline struct fm_hosttab_hit
twin_lookup(const struct twin *twin, struct fm_text host)
{
	struct fm_hosttab_hit hit = { .how = FM_HOSTTAB_NONE,
	    .entry = UINT32_MAX, .pattern = UINT32_MAX };
	enum fm_hosttab_how how;
	size_t len, best = 0;
	unsigned i;

	for (i = 0; i < twin->count; i++) {
		how = twin_match(twin->patterns[i], host, &len);
		/* The values of how are in the order of precedence. */
		if (how == FM_HOSTTAB_NONE ||
		    (hit.how != FM_HOSTTAB_NONE && (how > hit.how ||
		    (how == hit.how && len <= best))))
			continue;
		best = len;
		hit.how = how;
		hit.entry = twin_entry(i);
		hit.pattern = i;
		hit.wild = how == FM_HOSTTAB_EXACT ? fm_text(NULL, 0) :
		    how == FM_HOSTTAB_ANY ? host : how == FM_HOSTTAB_SUFFIX ?
		    fm_text(host.b, host.len - len - 1) :
		    fm_text(host.b + len + 1, host.len - len - 1);
	}
	return (hit);
}

#endif
