/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints text on a terminal: with colours where the user wants them, and with
 * the control characters of clients made harmless (as \xNN).
 */

#ifndef FM_TERM_H
#define FM_TERM_H

#include <stdarg.h>
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

/* Reads "auto", "always" or "never"; returns false for anything else. */
bool fm_colour_parse(const char *, enum fm_colour *);

void fm_term_init(struct fm_term *, FILE *, enum fm_colour);

/* A text that is written to the stream `to`; fm_written_end() makes .text. */
struct fm_written {
	FILE			*to;
	char			*text;
	size_t			len;
};

void fm_written_begin(struct fm_written *);
void fm_written_end(struct fm_written *);

/* Prints in an ink. */
void fm_term_put(const struct fm_term *, enum fm_ink, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Returns a copy that is safe to print, for free(): bytes on which a terminal
 * may act (utf8.h) become \xNN.  A copy that is wider than max columns is cut,
 * and ends in "..."; max 0: no limit.
 */
char *fm_term_clean(struct fm_text, size_t max);

/* Print a text as fm_term_clean() makes it; and a place. */
void fm_term_clip(const struct fm_term *, enum fm_ink, struct fm_text,
    size_t max);
void fm_term_place(const struct fm_term *, const struct fm_place *);

/* Writes a text as fm_term_clean() makes it, without colours. */
void fm_put_clean(FILE *, struct fm_text, size_t max);
/* Writes a line to stderr as fm_term_clean() makes it. */
void fm_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fm_complain_list(const char *fmt, va_list)
    __attribute__((format(printf, 1, 0)));

/*
 * Writes two blanks and a host, in a column of this width; the missing text
 * is not a valid host.
 */
void fm_put_host(FILE *, struct fm_text, size_t width);

/* Writes a clean text with its markup escaped, for HTML and XML. */
void fm_put_escaped(FILE *, struct fm_text, size_t max);

/* Writes a number with commas ("1,234") into a buffer, which it returns. */
const char *fm_grouped(uint64_t, char buf[32]);

/* Writes "site.rules:3:5  query drop a", with 100 columns for the text. */
struct fm_rule;
void fm_put_rule(FILE *, const struct fm_rule *);

/*
 * Return how many columns a text of fm_term_clean() takes; and where its first
 * `max` columns end.
 */
size_t fm_term_width(const char *);
char *fm_term_after(char *, size_t max);

#endif
