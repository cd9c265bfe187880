/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes JSON into a buffer that grows.  Once there is no memory all further
 * writes do nothing, and fm_jsonbuf_finish() returns NULL, so the caller checks
 * only that:
 *
 *	struct fm_jsonbuf out = { 0 };
 *	fm_jsonbuf_print(&out, "{\"name\": %s}\n", name);
 *	text = fm_jsonbuf_finish(&out);
 *
 * Varnish's VSB is not used, for three reasons: its VSB_QUOTE_JSON writes bytes
 * that are not UTF-8 as they are, and a vertical tab as "\v"; neither is JSON.
 * A VSB grows by 4 KB at a time, which is thousands of times for a large
 * report.  And jsonbuf can be tested without Varnish.
 */

#ifndef FM_JSONBUF_H
#define FM_JSONBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "text.h"

/* A buffer.  All zeros is an empty one. */
struct fm_jsonbuf {
	char		*bytes;
	size_t		len;
	size_t		room;
	bool		failed;
};

/* Write a string, or n bytes, without any escaping. */
void fm_jsonbuf_raw(struct fm_jsonbuf *, const char *);
void fm_jsonbuf_bytes(struct fm_jsonbuf *, const char *, size_t n);

/*
 * Writes the format, with its conversions replaced:
 *
 *	%s	a JSON string, or null for NULL.  Bytes that are not UTF-8
 *		become U+FFFD; control characters (of ASCII or ISO 8859) are
 *		escaped.  %.250s cuts a text after 250 bytes, with "..."
 *	%ju	a number
 *	%jd	a time_t as in RFC 3339, in UTC; null for 0
 *	%.3f	a number with at most three decimals (%.6f: six), and with
 *		none if it is an integer
 *
 * There are no other conversions.  The compiler checks the arguments as it
 * does those of printf().
 */
void fm_jsonbuf_print(struct fm_jsonbuf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a JSON string, as %s does. */
void fm_jsonbuf_text(struct fm_jsonbuf *, struct fm_text);

/*
 * How %s, %ju and %jd are written, in JSON or in HTML.  `most` is the number of
 * bytes (HTML: of characters) that are written at most.
 */
struct fm_jsonbuf_style {
	void		(*string)(struct fm_jsonbuf *, struct fm_text,
			    size_t most);
	void		(*number)(struct fm_jsonbuf *, uint64_t);
	const char	*time;		/* for strftime() */
	const char	*never;		/* instead of the time 0 */
};

void fm_jsonbuf_styled(struct fm_jsonbuf *, const struct fm_jsonbuf_style *,
    const char *format, va_list);

void fm_jsonbuf_number(struct fm_jsonbuf *, uint64_t);

/*
 * Returns what was written, malloc'ed and followed by a NUL; NULL if there was
 * no memory.  The buffer is empty afterwards.
 */
char *fm_jsonbuf_finish(struct fm_jsonbuf *);

#endif
