/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The host table: from a canonical host to the number of its entry.
 *
 * A builder takes patterns in any order; the table made from it never
 * changes.  What wins does not depend on the order of addition:
 *
 *	1. example.com		the name itself
 *	2. *.example.com	the longest that fits; one or more labels, none
 *				of them empty, never the bare name
 *	   .example.com		both of the above
 *	3. www.*		the longest that fits; likewise
 *	4. *			every valid host
 *
 * An IPv6 literal in brackets has no labels, so it is found by its own name or
 * by `*` only; an IPv4 address is a name as any other.
 *
 * All of it is hashed: a lookup probes once for the name, then once for each
 * length (in labels) of wildcard that the table has at all, the longest first.
 * A probe takes one cache line mostly, and the name where it is found.
 *
 * Patterns are canonicalised as hosts are (hostname.h).  There are no other
 * forms than these, `*` is at one end, and it is whole labels.  A pattern with
 * a port, and one that is there already, are errors; `.x` is twice there with
 * `x` as well as with `*.x`.
 */

#ifndef FM_HOSTTAB_H
#define FM_HOSTTAB_H

#include <stdint.h>

#include "diag.h"
#include "text.h"

struct fm_hosttab_builder;
struct fm_hosttab;

/* Each NULL: no memory. */
struct fm_hosttab_builder *fm_hosttab_build_new(void);
void fm_hosttab_build_free(struct fm_hosttab_builder **);

/*
 * Adds a pattern, whose entry has the number `entry`, below UINT32_MAX; many
 * patterns may have the same.  The text is copied; of the place, which must
 * be given, the name must outlive the builder.  0, or -1 with what is wrong
 * in the diag (then nothing was added, and further patterns may be): that
 * may be no memory too, or more than 4 GB of names.
 */
int fm_hosttab_build_add(struct fm_hosttab_builder *, struct fm_text pattern,
    uint32_t entry, const struct fm_place *, struct fm_diag *);

/*
 * The identity of a pattern that was taken: a hash of its canonical form, the
 * same in all tables and processes.
 */
uint64_t fm_hosttab_pattern_id(struct fm_text pattern);

/*
 * The table of what was added so far; the builder remains as it is, and may
 * be freed before the table.  NULL: no memory.
 */
struct fm_hosttab *fm_hosttab_build(const struct fm_hosttab_builder *);
void fm_hosttab_free(struct fm_hosttab **);

enum fm_hosttab_how {
	FM_HOSTTAB_NONE,
	FM_HOSTTAB_EXACT,
	FM_HOSTTAB_SUFFIX,
	FM_HOSTTAB_PREFIX,
	FM_HOSTTAB_ANY
};

struct fm_hosttab_hit {
	enum fm_hosttab_how	how;
	uint32_t		entry;	/* UINT32_MAX where there is none */
	uint32_t		pattern; /* likewise: its number, from 0, in the
					 * order of addition */
	struct fm_text		wild;	/* what `*` stood for, of the host:
					 * without the dot, all of it for `*`,
					 * missing for an exact host */
};

/*
 * The entry for a canonical host (of fm_hostname_canon(), FM_HOSTNAME_OK).
 * Returns whether there is one; hit->how tells likewise.
 */
bool fm_hosttab_lookup(const struct fm_hosttab *, struct fm_text canon,
    struct fm_hosttab_hit *hit);

/* How many patterns; and the bytes that the table holds in memory. */
size_t fm_hosttab_count(const struct fm_hosttab *);
size_t fm_hosttab_bytes(const struct fm_hosttab *);

#endif
