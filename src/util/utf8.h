/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells UTF-8 from other bytes, and text from what a terminal may act on.
 */

#ifndef FM_UTF8_H
#define FM_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the length of the first UTF-8 character at s, where n bytes are (at
 * least 1); 0 if these bytes are not UTF-8.  Overlong forms and surrogates are
 * not UTF-8.
 */
size_t fm_utf8_length(const char *s, size_t n);

/*
 * Returns true if a terminal may act on the character at s, whose length is
 * that of fm_utf8_length(): a byte that is not UTF-8, a control (C0, DEL, C1),
 * or a character that ends a line or turns the direction of text.
 *
 *	1b		ESC		e2 80 8e	U+200E, and U+200F
 *	c2 9b		U+009B, CSI	e2 80 a8	U+2028 to U+202E
 *	d8 9c		U+061C		e2 81 a6	U+2066 to U+206F
 */
bool fm_utf8_is_active(const char *s, size_t len);

/*
 * Writes bytes as UTF-8, in at most twice their number, and returns the length.
 * A byte that is not UTF-8 is taken for a character of ISO 8859-1.
 */
size_t fm_utf8_from_bytes(const char *s, size_t n, char *to);

/* Replaces each character of a string on which a terminal may act by a '?'. */
void fm_utf8_flatten(char *s);

#endif
