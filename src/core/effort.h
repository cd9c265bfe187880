/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What may be compiled, so that a file is loaded in seconds, whatever is in it.
 * It is not counted in time, which differs from one machine to the next, but in
 * what takes the time.
 *
 * Hyperscan's: in bytes of the databases that it makes; a megabyte takes it one
 * second or two, of whatever expressions.  What is beyond is not scanned for:
 * each text of it goes to a trie, each regex is tried.
 *
 * Tables of regexes (regular.h): in steps.  A regex that is beyond has none.
 *
 * PCRE2's, and what texts and globs that may be anywhere become: in bytes; a
 * megabyte of what PCRE2 makes takes it five milliseconds to ten, one of texts
 * takes a hundred, of globs two hundred.  What is beyond is an error.
 */

#ifndef FM_EFFORT_H
#define FM_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

#define FM_EFFORT_MOST		(6UL << 20)	/* between begin and end */
#define FM_EFFORT_PREFILTERS	(1UL << 20)	/* of one database */
#define FM_EFFORT_LITERAL	50		/* each */
#define FM_EFFORT_DATABASE	1000		/* more, each */
#define FM_EFFORT_POSITIONS	400		/* of a regex, at most */

#define FM_EFFORT_TABLES	200000000UL	/* steps of all */
#define FM_EFFORT_REGEXES_MB	512		/* of all, compiled */
#define FM_EFFORT_TEXTS_MB	64		/* of contains, and globs */

/* Of this thread.  They nest; outside of them all is allowed. */
void fm_effort_begin(void);
void fm_effort_end(void);

size_t fm_effort_left(void);
/* false: there isn't as much, and nothing is taken. */
bool fm_effort_take(size_t bytes);

/* How many steps another table may take. */
size_t fm_effort_tables_left(void);
void fm_effort_take_table(size_t steps);

enum fm_effort_what {
	FM_EFFORT_REGEXES,
	FM_EFFORT_TEXTS
};
#define FM_EFFORT__WHATS	2

/*
 * false: with these bytes it is too much, and so it is with whatever comes of
 * the kind.  That is reported, once.
 */
bool fm_effort_allows(enum fm_effort_what, size_t bytes,
    const struct fm_place *, struct fm_diag *);
bool fm_effort_is_over(enum fm_effort_what);

/* How many bytes, classes and the like a regex has, repeats written out. */
size_t fm_effort_positions(const char *regex);

/*
 * How many of n expressions a database may have, of these positions; bytes says
 * how large that of the first few is, 0: it can't be made.  Takes what finding
 * out takes.
 */
typedef size_t fm_effort_bytes_f(void *priv, unsigned n);

unsigned fm_effort_fit(const char * const *regexes, unsigned n,
    fm_effort_bytes_f *, void *priv);

#endif
