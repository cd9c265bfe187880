/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A host table finds the entry of a host: the number that belongs to the best
 * pattern for it.  A table takes patterns in any order, and does not change
 * after it is sealed.  If several patterns match, the first of these wins:
 *
 *	1. example.com		the name itself
 *	2. *.example.com	the longest that fits; one or more labels, none
 *				of them empty, never the bare name
 *	   .example.com		both of the above
 *	3. www.*		the longest that fits, likewise
 *	4. *			every valid host
 *
 * An IPv6 literal in brackets has no labels, so only its own name or `*` finds
 * it; an IPv4 address is a name like any other.
 *
 * Patterns are canonicalised as hosts are (hostname.h).  There are no other
 * forms than these, `*` is at one end, and it is whole labels.  A pattern with
 * a port, and one that is there already, are errors; `.x` means `x` and `*.x`,
 * and clashes with either.
 */

#ifndef FM_HOSTTAB_H
#define FM_HOSTTAB_H

#include <stdint.h>

#include "diag.h"
#include "hostname.h"
#include "text.h"

struct fm_hosttab;

/* Returns NULL if there is no memory. */
struct fm_hosttab *fm_hosttab_new(void) __attribute__((cold));
/*
 * Returns the same table, which must be freed once more.  Only one thread may
 * hold and free a table.
 */
struct fm_hosttab *fm_hosttab_hold(struct fm_hosttab *);
void fm_hosttab_free(struct fm_hosttab **) __attribute__((cold));

/*
 * Adds a pattern.  `entry` is below UINT32_MAX; many patterns may have the same
 * one.  The text is copied.  The place must not be NULL, and its name must last
 * until the table is sealed.  Returns 0; or -1 with the reason in the diag:
 * then nothing was added, and the caller may go on with other patterns.  A
 * table takes up to 4 GB of names.
 */
int fm_hosttab_add(struct fm_hosttab *, struct fm_text pattern,
    uint32_t entry, const struct fm_place *, struct fm_diag *)
    __attribute__((cold));

/* Frees what only adding needs.  No more patterns may be added after this. */
void fm_hosttab_seal(struct fm_hosttab *) __attribute__((cold));

/*
 * Returns the identity of a pattern that was taken: a hash of its canonical
 * form, the same in all tables and processes.
 */
uint64_t fm_hosttab_pattern_id(struct fm_text pattern) __attribute__((cold));

enum fm_hosttab_how {
	FM_HOSTTAB_NONE,
	FM_HOSTTAB_EXACT,
	FM_HOSTTAB_SUFFIX,
	FM_HOSTTAB_PREFIX,
	FM_HOSTTAB_ANY
};

struct fm_hosttab_hit {
	enum fm_hosttab_how	how;
	uint32_t		entry;	 /* UINT32_MAX: there is none */
	uint32_t		pattern; /* from 0, in the order of addition;
					  * UINT32_MAX: there is none */
	struct fm_text		wild;	 /* the part of the host that `*` stands
					  * for, without the dot */
};

/*
 * Looks up the value of a Host header.  *canon is what fm_hostname_canon()
 * makes of it, and *hit is filled in always.  Returns true if there is an
 * entry.
 */
bool fm_hosttab_lookup(const struct fm_hosttab *, struct fm_text raw,
    char buf[FM_HOSTNAME_MAX], struct fm_text *canon,
    struct fm_hosttab_hit *);

/* Does the same for a canonical host, but looks for wildcards and `*` only. */
bool fm_hosttab_lookup_wild(const struct fm_hosttab *, struct fm_text canon,
    struct fm_hosttab_hit *) __attribute__((cold));

/* Returns how many patterns the table has. */
size_t fm_hosttab_count(const struct fm_hosttab *);

/* Sets entries[n] to the entry of each pattern of a sealed table. */
void fm_hosttab_entries(const struct fm_hosttab *, uint32_t *entries)
    __attribute__((cold));

/* Returns how much memory the table takes. */
size_t fm_hosttab_bytes(const struct fm_hosttab *) __attribute__((cold));

#endif
