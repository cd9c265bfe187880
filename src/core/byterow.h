/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes that are rows of bytes or of sets of bytes, the last of a row
 * perhaps repeated: `\+`, `[ _]`, `//+`, `%20|\+`.
 *
 * What `rewrite all` replaces is often such a one, and a URL may have it at
 * every byte: to call PCRE2 for each takes fifty times as long.
 */

#ifndef FM_BYTEROW_H
#define FM_BYTEROW_H

#include "text.h"

struct fm_byterow;

/*
 * Of a regex that PCRE2 accepts.  NULL: it is not such a one; or no memory,
 * and then PCRE2 is as good.
 */
struct fm_byterow *fm_byterow_new(struct fm_text regex, bool nocase);
void fm_byterow_free(struct fm_byterow **);
size_t fm_byterow_bytes(const struct fm_byterow *);

/*
 * The text stands for each match from the offset on of a subject that may be
 * asked for (fm_regular_may()).  Writes at most cap bytes to buf and returns
 * how many matches there are, and in *len how many bytes it takes.
 */
size_t fm_byterow_sub(const struct fm_byterow *, struct fm_text subject,
    size_t offset, struct fm_text text, char *buf, size_t cap, size_t *len);

#endif
