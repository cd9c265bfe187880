/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where what a run told stands in the text.
 */

#ifndef FM_OUTLINE_H
#define FM_OUTLINE_H

#include "record.h"

/* After the run: fills in what is the model's. */
void fm_record_outline(struct fm_record *, const struct fm_model *);

/* The pattern whose entry was found; NULL: none. */
const struct fm_host *fm_record_host(const struct fm_record *,
    const struct fm_model *);

#endif
