/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs: `*` is any bytes, also none, `?` is exactly one byte, everything
 * else is itself.  There are no classes and no escapes.  A glob means the
 * whole subject, and bytes, not characters.
 *
 * A match takes no memory, and at most as many passes over the subject as its
 * longest piece between two stars has words of 64 bytes.
 */

#ifndef FM_GLOB_H
#define FM_GLOB_H

#include "text.h"

/* nocase: the letters of ASCII. */
bool fm_glob_match(struct fm_text glob, struct fm_text subject, bool nocase);

/* The same, over the subject percent-decoded (percent.h); the glob is not. */
bool fm_glob_match_percent(struct fm_text glob, struct fm_text subject,
    bool nocase);

/*
 * The same for the name of a header: without case, and a `-` of the glob stands
 * for `-` or `_`, as programs behind CGI and WSGI take both for the same.
 */
bool fm_glob_match_header(struct fm_text glob, struct fm_text name);

/*
 * The same for a glob without a star, over as many bytes as it has: what is a
 * part of another one.
 */
bool fm_glob_fits(struct fm_text glob, const char *bytes, bool nocase);

/* Whether it is a plain text between two stars, and which one. */
bool fm_glob_contains(struct fm_text glob, struct fm_text *plain);

/* How many bytes come before the first wildcard; all of them: no glob. */
size_t fm_glob_prefix(struct fm_text glob);

#endif
