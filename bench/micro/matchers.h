/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One set of patterns, matched by fastmatch, by PCRE2 as one alternation and
 * one by one, and by RE2's set; and by a loop that is as simple as can be.
 */

#ifndef MATCHERS_H
#define MATCHERS_H

#include "bench.h"
#include "patset.h"

struct fm_matchers {
	enum fm_pattern_kind	kind;		/* contains, or regex */
	const struct fm_text	*v;
	size_t			n;

	struct fm_patset	*patset;
	struct fm_regex		*alternation;
	struct fm_regex		**regexes;
	void			*re2;

	/* Why there is none. */
	char			no_alternation[FM_REGEX_ERROR_LEN];
	const char		*no_re2;

	/* Milliseconds, and bytes of memory. */
	double			patset_ms, alternation_ms, regexes_ms, re2_ms;
	size_t			patset_bytes, alternation_bytes;
	size_t			regexes_bytes;
};

/* The patterns must outlive them. */
void fm_matchers_init(struct fm_matchers *, enum fm_pattern_kind,
    const struct fm_text *, size_t n);
void fm_matchers_fini(struct fm_matchers *);

/* Return 1 if any matches; the number of the first (n: none). */
uint64_t fm_matchers_any(const struct fm_matchers *, struct fm_text);
uint64_t fm_matchers_first(const struct fm_matchers *, struct fm_text);

/*
 * The contestants for the one question or the other.  Without `each` nobody
 * tries one by one.
 */
void fm_matchers_contest(const struct fm_matchers *, struct fm_contest *,
    bool first, bool each);

/*--------------------------------------------------------------------
 * re2.cc: RE2::Set.  Linked only where there is RE2.
 */

/* NULL: it was refused, or needs more than this many bytes. */
void *fm_re2_new(const struct fm_text *, size_t n, bool literal,
    size_t bytes);
void fm_re2_free(void *);
bool fm_re2_any(const void *, const char *b, size_t len);
/* n: none. */
size_t fm_re2_first(const void *, const char *b, size_t len);

#endif
