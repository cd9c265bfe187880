/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes HTML pages for `replay`: texts of clients made harmless, and bars.  A
 * page has no script and fetches nothing.
 *
 *	fm_html_begin()		head, title, styles, as far as the first heading
 *	fm_html_legend()	[] hash  [] pass  [] synth
 *	fm_html_bars()		shop.example.com  [======|==|=]  1,234
 *	fm_html_end()
 */

#ifndef FM_HTML_H
#define FM_HTML_H

#include <stdio.h>

#include "text.h"

#define FM_HTML_PARTS	9	/* of a bar, at most; one colour each */

/*
 * Writes a text with its markup escaped; controls and bytes that are not UTF-8
 * become \xNN.
 */
void fm_html_text(FILE *, struct fm_text);

/* Write the page up to its first heading, and its end. */
void fm_html_begin(FILE *, const char *title);
void fm_html_end(FILE *);

/* Writes a line with the colour and the name of each part. */
void fm_html_legend(FILE *, const char * const *names, unsigned nparts);

/* A bar has a label to its left, and the sum of its parts to its right. */
struct fm_html_bar {
	struct fm_text		label;
	uint64_t		parts[FM_HTML_PARTS];
};

/* Writes n bars below each other. */
void fm_html_bars(FILE *, const struct fm_html_bar *, size_t n,
    const char * const *names, unsigned nparts);

/* Writes a number with commas ("1,234") into a buffer, which it returns. */
const char *fm_grouped(uint64_t, char buf[32]);

#endif
