/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * fastmatch lists update: a list of networks, from what a bot's operator
 * publishes.
 */

#ifndef FM_UPDATE_H
#define FM_UPDATE_H

#include <stdbool.h>

/*
 * Writes the networks of the JSON `from` ("-": the standard input) into the
 * list `file`, which need not be there yet.  Returns the exit status; where
 * that is not 0 the file is as it was, and it was said why.
 */
int fm_lists_update(const char *file, const char *from, bool force);

#endif
