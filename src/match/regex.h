/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles and runs regular expressions, by PCRE2 with its JIT.  regex.c is the
 * only file that includes <pcre2.h>.  A regex means what it means in VCL: it
 * has no options but those written in it, and matches bytes, not characters.
 *
 * A match that takes more steps than the limit is undecided: it returns false,
 * and counts in tally->over_limit.  (VCL's `~` would fail the request.)  The
 * limit of the depth is the same number; Varnish's is 20, and counts only
 * without JIT.
 */

#ifndef FM_REGEX_H
#define FM_REGEX_H

#include "tally.h"
#include "text.h"

#define FM_REGEX_LIMIT	10000	/* steps of a match: Varnish's default */
#define FM_REGEX_GROUPS		10	/* \0 to \9 */
#define FM_REGEX_ERROR_LEN	160	/* bytes: PCRE2 needs 120 */

struct fm_regex;

/*
 * Turns the JIT on, as at first, or off, for regexes that are compiled later.
 * The JIT takes memory that is writable and executable.
 */
void fm_regex_use_jit(bool);

/*
 * Lets the limit of all matches be the number at this address, which may change
 * at any time.  NULL, as at first: FM_REGEX_LIMIT.
 */
void fm_regex_follow_limit(const volatile unsigned *steps);

/*
 * Compiles a regex.  Returns NULL with PCRE2's message in `error`, and the
 * offset of the mistake in *offset; the message is empty if there is no memory.
 */
struct fm_regex *fm_regex_new(struct fm_text pattern, bool nocase,
    char error[FM_REGEX_ERROR_LEN], size_t *offset) __attribute__((cold));
void fm_regex_free(struct fm_regex **) __attribute__((cold));

bool fm_regex_match(const struct fm_regex *, struct fm_text subject,
    struct fm_tally *);

/* Returns how many groups a regex has. */
unsigned fm_regex_group_count(const struct fm_regex *) __attribute__((cold));

/*
 * Looks for a match from an offset on; `empty`: the match may be empty.  If it
 * returns true, groups[0] is the match, and groups[n] the n-th group; a group
 * that took no part is the missing text.  (The match itself may be missing: by
 * \K in a look-ahead it can end before it starts.)
 */
bool fm_regex_find(const struct fm_regex *, struct fm_text subject,
    size_t offset, bool empty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *);

size_t fm_regex_bytes(const struct fm_regex *) __attribute__((cold));

#endif
