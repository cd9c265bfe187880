/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The exact strings of a pattern set, by hash: one probe whatever their
 * number, with and without case.
 */

#ifndef FM_EXACT_H
#define FM_EXACT_H

#include <stdint.h>

#include "pattern.h"

struct fm_exact;

/*
 * Of the patterns whose kind is FM_PATTERN_EXACT; their numbers are those of
 * the array, which must outlive the table.  *table is NULL where there are
 * none.  0, or -1: no memory.
 */
int fm_exact_new(struct fm_pattern * const *patterns, size_t n,
    struct fm_exact **table);
void fm_exact_free(struct fm_exact **);
size_t fm_exact_bytes(const struct fm_exact *);

/*
 * Goes through the patterns that are this text: *cursor starts as 0; false at
 * the end.  In no particular order.
 */
bool fm_exact_next(const struct fm_exact *, struct fm_text subject,
    uint32_t *cursor, uint32_t *number);

#endif
