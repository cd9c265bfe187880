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
void fm_html_string(struct fm_jsonbuf *, const char *, size_t most);

/* Writes a number with its thousands apart: "1 234 567". */
void fm_html_number(struct fm_jsonbuf *, uint64_t);

/* Writes what a query string has as this value. */
void fm_html_query(struct fm_jsonbuf *, struct fm_text);

/* Writes a time as "2026-11-27 12:00:01 UTC", or a dash for 0. */
void fm_html_time(struct fm_jsonbuf *, time_t);

#endif
