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
 * A string, or null for the missing text.  Any bytes: what is not UTF-8
 * becomes U+FFFD, a control character (of ASCII or ISO 8859) is escaped.
 */
void fm_jsonbuf_text(struct fm_jsonbuf *, struct fm_text);
void fm_jsonbuf_string(struct fm_jsonbuf *, const char *);

void fm_jsonbuf_number(struct fm_jsonbuf *, uint64_t);
void fm_jsonbuf_bool(struct fm_jsonbuf *, bool);

/*
 * With three decimals at most (of a share: six), and none where it is a whole
 * number.
 */
void fm_jsonbuf_seconds(struct fm_jsonbuf *, double);
void fm_jsonbuf_share(struct fm_jsonbuf *, double);

/* As RFC 3339 has it, in UTC; null for 0, which is no time. */
void fm_jsonbuf_time(struct fm_jsonbuf *, time_t);

/*
 * What was written, malloc'ed, with a NUL behind it; NULL: no memory.  The
 * buffer is as new then.
 */
char *fm_jsonbuf_finish(struct fm_jsonbuf *);

#endif
