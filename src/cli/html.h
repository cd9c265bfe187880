/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * HTML of what anybody may have written, and bars in it: no script, and nothing
 * to fetch.
 */

#ifndef FM_HTML_H
#define FM_HTML_H

#include <stdio.h>

#include "text.h"

#define FM_HTML_PARTS	9	/* of a bar; and so many colours */

/* Controls and bytes that are no UTF-8 are \xNN, markup is text. */
void fm_html_text(FILE *, struct fm_text);

/* Up to the first heading, and the end. */
void fm_html_begin(FILE *, const char *title);
void fm_html_end(FILE *);

/* A colour and what it means, for each part; in a line. */
void fm_html_legend(FILE *, const char * const *names, unsigned nparts);

/* Bars below each other, from a label to the right, and their sums. */
struct fm_html_bar {
	struct fm_text		label;
	uint64_t		parts[FM_HTML_PARTS];
};

void fm_html_bars(FILE *, const struct fm_html_bar *, size_t n,
    const char * const *names, unsigned nparts);

/* A number with commas; returns its buffer. */
const char *fm_grouped(uint64_t, char buf[32]);

#endif
