/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regular expressions, by PCRE2 with its JIT.  The only file that includes
 * <pcre2.h>.  A regex means exactly what it means in VCL: no options but
 * those written in it, bytes and not characters, no newline conventions.
 *
 * A match that takes too long is given up and counts as no match: after
 * FM_REGEX_MATCH_LIMIT steps, Varnish's own default, or where it goes over the
 * same bytes again and again, which PCRE2's limit doesn't count.  The limit of
 * the depth is the same (Varnish's is 20, and is met only where there is no
 * JIT).
 */

#ifndef FM_REGEX_H
#define FM_REGEX_H

#include "tally.h"
#include "text.h"

#define FM_REGEX_MATCH_LIMIT	10000
#define FM_REGEX_GROUPS		10	/* \0 to \9 */
#define FM_REGEX_ERROR_LEN	160

struct fm_regex;

/*
 * Whether what is compiled from now on becomes machine code, for which PCRE2
 * takes memory that is writable and executable.  On until it is turned off.
 */
void fm_regex_use_jit(bool);

/*
 * NULL with PCRE2's words in error (FM_REGEX_ERROR_LEN bytes) and the offset
 * of the mistake in the pattern in *offset; or without a word: no memory.
 */
struct fm_regex *fm_regex_new(struct fm_text pattern, bool nocase,
    char error[FM_REGEX_ERROR_LEN], size_t *offset);
void fm_regex_free(struct fm_regex **);

bool fm_regex_match(const struct fm_regex *, struct fm_text subject,
    struct fm_tally *);

/*
 * The same; false: not without more ado, and nothing is counted.  A match may
 * begin at so many places, if that is known; or 0.
 */
bool fm_regex_try(const struct fm_regex *, struct fm_text subject,
    size_t places, bool *match, struct fm_tally *);

/*
 * Whether there are few places in the subject where a match may begin: no more
 * than that, by the byte with which it begins.
 */
bool fm_regex_is_rare(const struct fm_regex *, struct fm_text subject,
    size_t few);

/* Whether a match may be empty; false is certain. */
bool fm_regex_may_be_empty(const struct fm_regex *);

/* How many groups it has. */
unsigned fm_regex_group_count(const struct fm_regex *);

/*
 * Looks for a match from the given offset on, the nth of this subject, from 0:
 * behind another one an empty match does not count.  On true groups[0] is the
 * match and groups[n] the n-th group; the missing text for those that took no
 * part.
 */
bool fm_regex_find(const struct fm_regex *, struct fm_text subject,
    size_t offset, unsigned nth, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *);

/*
 * As fm_regex_match(), with the groups on true.  (The match itself, groups[0],
 * may be missing: by \K in a look-ahead it can end before it starts.)  It is
 * looked for from start on, or here: only where it begins there.
 */
bool fm_regex_groups(const struct fm_regex *, struct fm_text subject,
    size_t start, bool here, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *);

size_t fm_regex_bytes(const struct fm_regex *);

#endif
