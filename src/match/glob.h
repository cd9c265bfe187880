/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs: `*` is any bytes, also none, `?` is exactly one byte, everything
 * else is itself.  There are no classes and no escapes.  A glob means the
 * whole subject, and bytes, not characters.
 *
 * These functions try one glob; Hyperscan decides sets of them (patset.h).
 * They take no memory.  In the worst case, such as `*aaab*` over many `a`, the
 * time is the product of both lengths.
 */

#ifndef FM_GLOB_H
#define FM_GLOB_H

#include "text.h"

/* Returns true if the glob matches; `nocase` ignores the case of ASCII. */
bool fm_glob_match(struct fm_text glob, struct fm_text subject, bool nocase);

/*
 * Returns true if the glob matches the name of a header, in any case.  A `-` of
 * the glob matches any fm_is_mark(), as programs behind CGI can't tell them
 * apart.
 */
bool fm_glob_match_header(struct fm_text glob, struct fm_text name);

/* Returns how many bytes come before the first wildcard, or the length. */
size_t fm_glob_prefix(struct fm_text glob);

#endif
