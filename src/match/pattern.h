/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A pattern has a kind and a text, and can be tried alone.  patset.h asks many
 * patterns at once.
 */

#ifndef FM_PATTERN_H
#define FM_PATTERN_H

#include "diag.h"
#include "regex.h"
#include "tally.h"
#include "text.h"

enum fm_pattern_kind {
	FM_PATTERN_CONTAINS,
	FM_PATTERN_EXACT,
	FM_PATTERN_PREFIX,
	FM_PATTERN_SUFFIX,
	FM_PATTERN_GLOB,	/* of the whole subject: `*` is any bytes, `?`
				 * is one byte */
	FM_PATTERN_REGEX
};

struct fm_pattern;

/*
 * The matcher of a pattern says who decides it in a set; patset.c explains
 * each.
 */
enum fm_matcher {
	FM_MATCHER_HASH,
	FM_MATCHER_PASS,
	FM_MATCHER_PLACE,
	FM_MATCHER_SCAN,
	FM_MATCHER_PREFILTER
};
#define FM_MATCHER__COUNT	5

/*
 * Makes a pattern of a copy of the text, which ends in NUL.  Returns NULL with
 * the reason in the diag: PCRE2 refuses the regex, the load would have too much
 * (caps.h), there is no memory, or the text of a contains, prefix or suffix is
 * empty, and would match everything.
 */
struct fm_pattern *fm_pattern_new(enum fm_pattern_kind, struct fm_text,
    bool nocase, const struct fm_place *, struct fm_diag *)
    __attribute__((cold));
void fm_pattern_free(struct fm_pattern **) __attribute__((cold));

enum fm_pattern_kind fm_pattern_kind(const struct fm_pattern *);
struct fm_text fm_pattern_text(const struct fm_pattern *);
bool fm_pattern_nocase(const struct fm_pattern *);
size_t fm_pattern_bytes(const struct fm_pattern *) __attribute__((cold));

/* Returns true if the pattern matches, by trying it alone. */
bool fm_pattern_match(const struct fm_pattern *, struct fm_text subject,
    struct fm_tally *);

/*
 * Returns true if a regex matches.  Then groups[0] is the match, and groups[n]
 * the n-th group; a group that took no part is the missing text.
 */
bool fm_pattern_groups(const struct fm_pattern *, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *);

/*
 * Replaces the match (all: each match) in the subject, as regsub() and
 * regsuball() of VCL do.  \0 to \9 in the replacement are the match and its
 * groups; a backslash before anything else is dropped.  A pattern other than a
 * regex has no groups but \0.
 *
 * Writes at most cap bytes to buf.  Returns how many bytes the result has; or
 * FM_PATTERN_SAME if nothing matches, and the subject stays as it is.
 *
 * (By \K in a look-around a regex may let a match end before it starts: then
 * it matches, but there is nothing to replace.)
 */
#define FM_PATTERN_SAME	((size_t)-1)

size_t fm_pattern_sub(const struct fm_pattern *, struct fm_text subject,
    struct fm_text replacement, bool all, char *buf, size_t cap,
    struct fm_tally *);

#endif
