/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text for a terminal: colours where they are wanted, and nothing of what a
 * request holds that a terminal would take for a command.
 */

#ifndef FM_TERM_H
#define FM_TERM_H

#include <stdio.h>

#include "diag.h"
#include "text.h"

enum fm_ink {
	FM_INK_PLAIN,
	FM_INK_BOLD,
	FM_INK_DIM,
	FM_INK_RED,
	FM_INK_GREEN,
	FM_INK_YELLOW,
	FM_INK_CYAN
};

struct fm_term {
	FILE			*to;
	bool			colour;
};

enum fm_colour {
	FM_COLOUR_AUTO,
	FM_COLOUR_ALWAYS,
	FM_COLOUR_NEVER
};

/* "auto", "always", "never"; false: it is none of these. */
bool fm_colour_parse(const char *, enum fm_colour *);

void fm_term_init(struct fm_term *, FILE *, enum fm_colour);

void fm_term_ink(const struct fm_term *, enum fm_ink);
void fm_term_put(const struct fm_term *, enum fm_ink, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A copy (of malloc()) that is safe to print: controls and bytes that are not
 * UTF-8 are \xNN.  What is wider than max columns is cut, and ends in "...";
 * 0: all of it.
 */
char *fm_term_clean(struct fm_text, size_t max);

/* The same, printed. */
void fm_term_clip(const struct fm_term *, enum fm_ink, struct fm_text,
    size_t max);
void fm_term_place(const struct fm_term *, const struct fm_place *);

/* The same without colours. */
void fm_put_clean(FILE *, struct fm_text, size_t max);

/* Writes "site.rules:3:5  query drop a", with 100 columns for the text. */
struct fm_rule;
void fm_put_rule(FILE *, const struct fm_rule *);

/*
 * Cuts off the next line, and its end, which is not in the line.  Returns false
 * where there is none.
 */
bool fm_cut_line(struct fm_text *rest, struct fm_text *line);

/* How many columns it takes; of a text as of fm_term_clean(). */
size_t fm_term_width(const char *);

#endif
