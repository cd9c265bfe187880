/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON (and HTML, see htmlbuf.h), written front to back into memory that grows.
 * Where there is none left all that follows does nothing, and the end is NULL:
 * so only the end need be asked.
 *
 * Not by VSB, for three reasons: its VSB_QUOTE_JSON lets bytes through that are
 * not UTF-8, and writes a vertical tab as "\v", neither of which is JSON; it
 * grows by 4 KB at a time, thousands of times for a large report; and this can
 * be tested without Varnish.
 */

#ifndef FM_JSONBUF_H
#define FM_JSONBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "text.h"

/* All zeros: nothing was written. */
struct fm_jsonbuf {
	char		*bytes;
	size_t		len;
	size_t		room;
	bool		failed;
};

/* As it is: for what is no JSON, too. */
void fm_jsonbuf_raw(struct fm_jsonbuf *, const char *);
void fm_jsonbuf_bytes(struct fm_jsonbuf *, const char *, size_t n);

/*
 * Writes the format as it is, and in place of
 *
 *	%s	a JSON string, or null for NULL.  Any bytes: what is not UTF-8
 *		becomes U+FFFD, a control character (of ASCII or ISO 8859) is
 *		escaped
 *	%ju	a number
 *	%jd	a time_t as RFC 3339 has it, in UTC; null for 0
 *	%.3f	a number with three decimals at most (%.6f: six), and none
 *		where it is a whole one
 *
 * and nothing else: the compiler checks the arguments as those of printf().
 */
void fm_jsonbuf_print(struct fm_jsonbuf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A string, as %s is. */
void fm_jsonbuf_text(struct fm_jsonbuf *, struct fm_text);

/* How %s, %ju and %jd are written; a string of `most` characters at most. */
struct fm_jsonbuf_style {
	void		(*string)(struct fm_jsonbuf *, struct fm_text,
			    size_t most);
	void		(*number)(struct fm_jsonbuf *, uint64_t);
	void		(*time)(struct fm_jsonbuf *, time_t);
};

void fm_jsonbuf_styled(struct fm_jsonbuf *, const struct fm_jsonbuf_style *,
    const char *format, va_list);

void fm_jsonbuf_number(struct fm_jsonbuf *, uint64_t);

/*
 * What was written, malloc'ed, with a NUL behind it; NULL: no memory.  The
 * buffer is as new then.
 */
char *fm_jsonbuf_finish(struct fm_jsonbuf *);

#endif
