/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What Hyperscan's compiler may be asked for, so that a file is loaded in
 * seconds, whatever is in it.  It is counted in bytes of the databases that it
 * makes: a megabyte takes it one second or two, of whatever expressions.  That
 * is the same on each machine, as a time is not.  What is beyond is not scanned
 * for: each text of it goes to a trie, each regex is tried.
 */

#ifndef FM_EFFORT_H
#define FM_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

#define FM_EFFORT_MOST		(6UL << 20)	/* between begin and end */
#define FM_EFFORT_PREFILTERS	(1UL << 20)	/* of one database */
#define FM_EFFORT_LITERAL	50		/* each */
#define FM_EFFORT_DATABASE	1000		/* more, each */
#define FM_EFFORT_POSITIONS	400		/* of a regex, at most */

/* Of this thread.  They nest; outside of them all is allowed. */
void fm_effort_begin(void);
void fm_effort_end(void);

size_t fm_effort_left(void);
/* false: there isn't as much, and nothing is taken. */
bool fm_effort_take(size_t bytes);

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
