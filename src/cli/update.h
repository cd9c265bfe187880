/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch lists update`: writes a list of networks from the JSON that the
 * operator of a bot (Google, Bing) publishes.
 */

#ifndef FM_UPDATE_H
#define FM_UPDATE_H

#include <stdbool.h>

/*
 * Writes the networks of the JSON file `from` ("-": the standard input) into
 * the list `file`, which is made if it isn't there.  Returns the exit status;
 * unless it is 0, the user was told why, and the list was left alone.
 */
int fm_lists_update(const char *file, const char *from, bool force);

#endif
