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
 * PCRE2's: in bytes of what it makes, of which a megabyte takes it 5 ms to 25;
 * where a regex has thousands of bytes, as many times that, so these count as
 * many times.  One that it refuses takes up to 250 ms, and counts as a
 * hundredth of all.  Texts of contains, and globs: in bytes, and some more for
 * each; a megabyte takes 100 ms to 250.  What is beyond is an error.
 */

#ifndef FM_EFFORT_H
#define FM_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "text.h"

#define FM_EFFORT_MOST		(6UL << 20)	/* between begin and end */
#define FM_EFFORT_PREFILTERS	(1UL << 20)	/* of one database */
#define FM_EFFORT_LITERAL	50		/* each */
#define FM_EFFORT_DATABASE	1000		/* more, each */
#define FM_EFFORT_POSITIONS	400		/* of a regex, at most */

#define FM_EFFORT_TABLES	400000000UL	/* steps of all */
#define FM_EFFORT_REGEXES_MB	256		/* of all, compiled */
#define FM_EFFORT_LONG		1000		/* bytes of a long regex */
#define FM_EFFORT_TEXTS_MB	64		/* of contains, and globs */
#define FM_EFFORT_TEXT		32		/* bytes more, each */

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
 * the kind.  That is reported once, to the first diag that is not NULL.
 */
bool fm_effort_allows(enum fm_effort_what, size_t bytes,
    const struct fm_place *, struct fm_diag *);
/* Of a regex that was compiled to so many bytes. */
bool fm_effort_allows_regex(struct fm_text regex, size_t bytes,
    const struct fm_place *, struct fm_diag *);
/* It was refused, and that has been reported. */
void fm_effort_regex_failed(void);
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
