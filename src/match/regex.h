/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regular expressions, by PCRE2 with its JIT.  The only file that includes
 * <pcre2.h>.  A regex means exactly what it means in VCL: no options but
 * those written in it, bytes and not characters, no newline conventions.
 *
 * A match that takes more steps than the limit is given up, and counted: there
 * VCL's `~` would fail the request.  The limit of the depth is the same
 * (Varnish's is 20, and is met only where there is no JIT).
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
 * Whether what is compiled from now on becomes machine code, for which PCRE2
 * takes memory that is writable and executable.  On until it is turned off.
 */
void fm_regex_use_jit(bool);

/*
 * From now on a match may take as many steps as are at this address, whenever
 * that changes; NULL, as at first: FM_REGEX_LIMIT.
 */
void fm_regex_follow_limit(const volatile unsigned *steps);

/*
 * NULL with PCRE2's words in error (FM_REGEX_ERROR_LEN bytes) and the offset
 * of the mistake in the pattern in *offset; or without a word: no memory.
 */
struct fm_regex *fm_regex_new(struct fm_text pattern, bool nocase,
    char error[FM_REGEX_ERROR_LEN], size_t *offset);
void fm_regex_free(struct fm_regex **);

bool fm_regex_match(const struct fm_regex *, struct fm_text subject,
    struct fm_tally *);

/* How many groups it has. */
unsigned fm_regex_group_count(const struct fm_regex *);

/*
 * Looks for a match from the given offset on; empty: it may be so.  On true
 * groups[0] is the match and groups[n] the n-th group; the missing text for
 * those that took no part.  (The match itself may be missing: by \K in a
 * look-ahead it can end before it starts.)
 */
bool fm_regex_find(const struct fm_regex *, struct fm_text subject,
    size_t offset, bool empty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *);

size_t fm_regex_bytes(const struct fm_regex *);

#endif
