/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of names of parameters, cookies or headers: exact names, and globs in
 * which `*` is any bytes and `?` is one.  Case matters, unless the set is
 * `nocase`.
 *
 * Names of the set are compared with decoded names of parameters, so a `%` in a
 * name of the set is an error: `utm%5fid`, copied from a URL, would never
 * match.  Users write `utm_id`, or `?` for a byte that they can't write
 * (`utm?id`), which also matches a cookie with a `%` in its name.
 */

#ifndef FM_NAMES_H
#define FM_NAMES_H

#include "patset.h"

#define FM_NAMES_MAX	512	/* bytes of one name in the set: those
				 * of requests are shorter */

struct fm_names;

/*
 * Returns an empty set; NULL if there is no memory.  `nocase`: upper and lower
 * case of ASCII are the same.
 */
struct fm_names *fm_names_new(bool nocase) __attribute__((cold));
void fm_names_free(struct fm_names **) __attribute__((cold));

/*
 * Returns true if a text may be a name of a set; or false with the reason in
 * the diag: it is empty or too long, or has a `%` or a byte that ends a name in
 * a request (`&`, `=`, `;`, `#`, a blank, a control byte).
 */
bool fm_names_is_name(struct fm_text, const struct fm_place *,
    struct fm_diag *) __attribute__((cold));

/*
 * Adds a name, which may be in the set already.  Returns 0; or -1 with the
 * reason in the diag: fm_names_is_name() refuses it, or there is no memory.
 */
int fm_names_add(struct fm_names *, struct fm_text name,
    const struct fm_place *, struct fm_diag *) __attribute__((cold));

/* Makes the set, as fm_patset_make() does; then it may be asked. */
int fm_names_make(struct fm_names *, const struct fm_place *,
    struct fm_diag *) __attribute__((cold));

enum fm_names_code {
	FM_NAMES_RAW,		/* the bytes as they are: cookies */
	FM_NAMES_PERCENT	/* %61 means a (percent.h): query strings */
};

/*
 * Returns 1 if a name is in the set or matches a glob of it, else 0.  The name
 * may be of any length and have any bytes; the empty name matches only globs.
 *
 * A lookup takes as long as one in a set of patterns (patset.h).  A name with a
 * `%` of more than FM_NAMES_MAX bytes is decoded into allocated memory; returns
 * -1 if there is none.
 */
int fm_names_match(const struct fm_names *, struct fm_text name,
    enum fm_names_code);

/*
 * Returns true if a text, which is not empty, begins with a name of the set and
 * then ends or has a `=`.  This is a short cut: if false, fm_names_match() may
 * still find the name.
 */
bool fm_names_begin(const struct fm_names *, struct fm_text);

/*
 * Returns a filter: only if bit `c % 64` is set the set may have a name that
 * begins, decoded, with the byte c.  If it has the empty name, all are set.
 */
uint64_t fm_names_firsts(const struct fm_names *);

/* Returns the names as patterns. */
const struct fm_patset *fm_names_set(const struct fm_names *);

/* Returns the bytes that the set holds in memory. */
size_t fm_names_bytes(const struct fm_names *) __attribute__((cold));

#endif
