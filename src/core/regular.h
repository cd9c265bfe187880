/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes that are regular: bytes, classes, groups, alternatives and repeats,
 * and nothing for which one must look back.  What else there is, \b, looks,
 * references to groups, is left out: then a "no" is sure, and a "yes" only says
 * that PCRE2 has to be asked.
 *
 * Whether one matches, and where its match begins, a table of states tells in
 * one pass, from the end of the subject to its start; the answer is PCRE2's.
 * PCRE2 itself tries each repeat behind each other one: on a long subject that
 * is made for it, this takes the square of its length, and more.
 */

#ifndef FM_REGULAR_H
#define FM_REGULAR_H

#include "text.h"

struct fm_regular;

enum fm_regular_result {
	FM_REGULAR_NO,
	FM_REGULAR_YES,
	FM_REGULAR_MAYBE,	/* no match begins before start */
	FM_REGULAR_UNKNOWN	/* a subject of more than one line */
};

/*
 * Of a regex that PCRE2 accepts.  NULL: it is not regular, or needs too large
 * a table; or no memory, and then PCRE2 is as good.
 */
struct fm_regular *fm_regular_new(struct fm_text regex, bool nocase);
void fm_regular_free(struct fm_regular **);

/*
 * Whether it matches; and where the match begins, if start isn't NULL and it
 * does or may.
 */
enum fm_regular_result fm_regular_find(const struct fm_regular *,
    struct fm_text subject, size_t *start);

/* Whether a repeat of it has no end. */
bool fm_regular_is_endless(const struct fm_regular *);

/* Whether it is one line: `.` and `$` mean something else otherwise. */
bool fm_regular_may(struct fm_text subject);

size_t fm_regular_bytes(const struct fm_regular *);

#endif
