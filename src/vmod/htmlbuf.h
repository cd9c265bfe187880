/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * HTML, written into the buffer of jsonbuf.h.  What is not written by
 * fm_jsonbuf_raw() is escaped.
 */

#ifndef FM_HTMLBUF_H
#define FM_HTMLBUF_H

#include "jsonbuf.h"

/*
 * Writes a text, for an element or an attribute in quotes: of any bytes, at
 * most `most` characters, and an ellipsis for the rest.  What is not UTF-8 and
 * controls (but for tab and newline) become U+FFFD.
 */
void fm_html_text(struct fm_jsonbuf *, struct fm_text, size_t most);

/*
 * Writes the format as fm_jsonbuf_print() does, but as HTML:
 *
 *	%s	a text, and nothing for NULL; %.250s: of so many characters
 *	%ju	a number with its thousands apart: "1 234 567"
 *	%jd	a time_t as "2026-11-27 12:00:01 UTC", or a dash for 0
 */
void fm_html_print(struct fm_jsonbuf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes what a query string has as this value. */
void fm_html_query(struct fm_jsonbuf *, struct fm_text);

#endif
