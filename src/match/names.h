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

struct fm_names_builder;
struct fm_names;

/* NULL: no memory. */
struct fm_names_builder *fm_names_build_new(void);
void fm_names_build_free(struct fm_names_builder **);

/*
 * 0, or -1 with what is wrong in the diag: no name, one that is too long, one
 * with `%`, or one with a byte that parts names from each other and from
 * values (`&`, `=`, `;`, `#`, a blank, a control), or no memory.  A name twice
 * is harmless, and is kept once.
 */
int fm_names_build_add(struct fm_names_builder *, struct fm_text name,
    const struct fm_place *, struct fm_diag *);

/*
 * From now on, and for all that was added: upper and lower case of ASCII are
 * the same.
 */
void fm_names_build_nocase(struct fm_names_builder *);

/*
 * Makes the set of what was added, and takes that out of the builder.  Needs
 * some 100 KB of stack.  Returns NULL with the reason in the diag, at the
 * place: no memory, or these globs are more than a load may compile (caps.h).
 */
struct fm_names *fm_names_build(struct fm_names_builder *,
    const struct fm_place *, struct fm_diag *);
void fm_names_free(struct fm_names **);

enum fm_names_code {
	FM_NAMES_RAW,		/* the bytes as they are: cookies */
	FM_NAMES_PERCENT	/* %61 means a (percent.h): query strings */
};

/*
 * Returns true if a name is in the set, or fits a glob of it.  The name may be
 * of any length and hold any bytes; no name (length 0) fits globs alone.
 *
 * Costs what a set of patterns does (patset.h).  A name of more than
 * FM_NAMES_MAX bytes with a `%` is decoded in memory; if there is none, each
 * name of the set is tried in turn.
 */
bool fm_names_match(const struct fm_names *, struct fm_text name,
    enum fm_names_code);

/* Returns the names as patterns. */
const struct fm_patset *fm_names_set(const struct fm_names *);

/* Returns how many different names there are. */
size_t fm_names_count(const struct fm_names *);
/* Returns the bytes that the set holds in memory. */
size_t fm_names_bytes(const struct fm_names *);

#endif
