/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One pattern: its kind, its text, and how to try it alone.
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
	FM_PATTERN_GLOB,	/* `*` any bytes, `?` one byte, all of it */
	FM_PATTERN_REGEX
};

struct fm_pattern;

/* The way of a pattern says who decides it in a set; patset.c explains each. */
enum fm_way {
	FM_WAY_HASH,
	FM_WAY_PLACE,
	FM_WAY_SCAN,
	FM_WAY_GATE,
	FM_WAY_REFUSED	/* as FM_WAY_PLACE: Hyperscan refuses it */
};
#define FM_WAY__COUNT	5

/*
 * NULL with what is wrong in the diag: a regex that PCRE2 refuses (its words
 * and the column), one that is more than a load may have (caps.h), or an empty
 * text, which would match everything, where the kind is contains, prefix or
 * suffix.  The text is copied; the copy ends in NUL.
 */
struct fm_pattern *fm_pattern_new(enum fm_pattern_kind, struct fm_text,
    bool nocase, const struct fm_place *, struct fm_diag *);
void fm_pattern_free(struct fm_pattern **);

enum fm_pattern_kind fm_pattern_kind(const struct fm_pattern *);
struct fm_text fm_pattern_text(const struct fm_pattern *);
bool fm_pattern_nocase(const struct fm_pattern *);
size_t fm_pattern_bytes(const struct fm_pattern *);

/* Does it match?  Nothing but this pattern is asked, no engine is shared. */
bool fm_pattern_match(const struct fm_pattern *, struct fm_text subject,
    struct fm_tally *);

/*
 * Of a regex: as fm_pattern_match(), and on true groups[0] is the match and
 * groups[n] the n-th group, the missing text for those that took no part.
 */
bool fm_pattern_groups(const struct fm_pattern *, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *);

/*
 * VCL's regsub (all: regsuball) with this pattern: \0 to \9 in the
 * replacement are the match and its groups; a backslash before anything else
 * goes.  A pattern other than a regex has no groups but \0.
 *
 * (A regex may let a match end before it starts, by \K in a look-around: then
 * it matches, but there is nothing to replace.)
 *
 * Writes at most cap bytes to buf and returns how many it would take, or
 * FM_PATTERN_SAME where nothing matches: then the subject stands.
 */
#define FM_PATTERN_SAME	((size_t)-1)

size_t fm_pattern_sub(const struct fm_pattern *, struct fm_text subject,
    struct fm_text replacement, bool all, char *buf, size_t cap,
    struct fm_tally *);

#endif
