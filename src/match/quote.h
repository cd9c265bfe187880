/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts texts into regexes, so that each text matches itself and nothing else.
 *
 *	"^a-${x}$" with x "b.c"		^a-b\.c$
 *	"^(${x})+$" with x "b.c"	^(b\.c)+$
 *	"^${x}+$" with x "b.c"		^(?:b\.c)+$
 *	"[${x}]"			no: a class has no room for a text
 */

#ifndef FM_QUOTE_H
#define FM_QUOTE_H

#include <stdbool.h>

#include "text.h"

/*
 * Writes a text with a backslash before each byte that means something else in
 * a regex of PCRE2, also in one with (?x); `to` has room for twice its bytes.
 * Returns how many bytes were written.
 */
size_t fm_quote(char *to, struct fm_text);

/* How a text may stand at a place in a regex. */
enum fm_quote_place {
	FM_QUOTE_ALONE,
	FM_QUOTE_GROUP,		/* in (?:...): what is before or after it would
				 * take a part of it */
	FM_QUOTE_NOT		/* not at all: it would not be a text there */
};

/* A regex that is read from left to right; at first all is zero. */
struct fm_quote_reader {
	enum {
		FM_QUOTE_OUTSIDE,
		FM_QUOTE_CLASS,		/* in [...] */
		FM_QUOTE_LITERAL,	/* in \Q...\E */
		FM_QUOTE_COMMENT	/* in (?#...) or (*...) */
	}			in;
	bool			escaped;	/* the next byte is */
	unsigned char		class_begins;	/* 2: after a `[`; 1: after its
						 * `^`: a `]` does not end the
						 * class there */
	bool			open;		/* what follows may belong to
						 * an escape, or to a `(?` or a
						 * `{` */
};

/* Reads a part of a regex that its author has written. */
void fm_quote_read(struct fm_quote_reader *, struct fm_text);

/* Tells how a text may stand after what was read; `next` follows it. */
enum fm_quote_place fm_quote_place(const struct fm_quote_reader *,
    struct fm_text next);

#endif
