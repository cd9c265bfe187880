/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of parameter or cookie names: exact names, and globs in which `*`
 * is any bytes and `?` is one.  Case matters, as it does to those who read
 * parameters and cookies.
 *
 * A name in the set is what a parameter is called once it is decoded.  So a
 * `%` in it is refused: `utm%5fid`, copied from a URL, would be compared as it
 * is written and never fit.  Write `utm_id`, or `?` for a byte that can't be
 * written (`utm?id`); that fits a cookie whose name has a `%` in it, too.
 */

#ifndef FM_NAMES_H
#define FM_NAMES_H

#include "patset.h"

#define FM_NAMES_MAX	512	/* bytes of one name in the set: those
				 * of requests are shorter */

struct fm_names;

/*
 * Returns an empty set, or NULL: no memory.  nocase: upper and lower case of
 * ASCII are the same.
 */
struct fm_names *fm_names_new(bool nocase);
void fm_names_free(struct fm_names **);

/*
 * Returns false with what is wrong in the diag: no name, one that is too long,
 * one with `%`, or one with a byte that parts names from each other and from
 * values (`&`, `=`, `;`, `#`, a blank, a control).
 */
bool fm_names_is_name(struct fm_text, const struct fm_place *,
    struct fm_diag *);

/*
 * Adds a name.  Returns 0, or -1 with what is wrong in the diag: it is none, or
 * there is no memory.  A name twice is harmless.
 */
int fm_names_add(struct fm_names *, struct fm_text name,
    const struct fm_place *, struct fm_diag *);

/* Makes the set, which may be asked from now on: as fm_patset_make(). */
int fm_names_make(struct fm_names *, const struct fm_place *,
    struct fm_diag *);

enum fm_names_code {
	FM_NAMES_RAW,		/* the bytes as they are: cookies */
	FM_NAMES_PERCENT	/* %61 means a (percent.h): query strings */
};

/*
 * Returns 1 if a name is in the set, or fits a glob of it, or 0.  The name may
 * be of any length and hold any bytes; no name (length 0) fits globs alone.
 *
 * Costs what a set of patterns does (patset.h).  A name of more than
 * FM_NAMES_MAX bytes with a `%` is decoded in memory: if there is none, it
 * returns -1.
 */
int fm_names_match(const struct fm_names *, struct fm_text name,
    enum fm_names_code);

/* Returns the names as patterns. */
const struct fm_patset *fm_names_set(const struct fm_names *);

/* Returns the bytes that the set holds in memory. */
size_t fm_names_bytes(const struct fm_names *);

#endif
