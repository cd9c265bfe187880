/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes HTML for .page() into the buffer of jsonbuf.h.  All these functions
 * escape what they are given; fm_jsonbuf_raw() does not.
 */

#ifndef FM_HTMLBUF_H
#define FM_HTMLBUF_H

#include "jsonbuf.h"

/*
 * Writes a text for use in an element or a quoted attribute.  A text of more
 * than `most` characters is cut and ends in an ellipsis.  Bytes that are not
 * UTF-8, and controls except tab and newline, become U+FFFD.
 */
void fm_html_text(struct fm_jsonbuf *, struct fm_text, size_t most);

/*
 * Writes the format as fm_jsonbuf_print() does, but for HTML:
 *
 *	%s	a text, nothing for NULL; %.250s writes 250 characters at most
 *	%ju	a number, with its thousands apart: "1 234 567"
 *	%jd	a time_t as "2026-11-27 12:00:01 UTC", a dash for 0
 */
void fm_html_print(struct fm_jsonbuf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a text percent-encoded, as a value in a query string. */
void fm_html_query(struct fm_jsonbuf *, struct fm_text);

#endif
