/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Adds to the record of a run what only the model knows: the block of each
 * event, and how deep each statement stands in the text.  `explain` and `test`
 * show a run by it.
 */

#ifndef FM_OUTLINE_H
#define FM_OUTLINE_H

#include "record.h"

/* Fills in the record, after the run. */
void fm_record_outline(struct fm_record *, const struct fm_model *);

/* Returns the host pattern that the request has met; NULL: none. */
const struct fm_host *fm_record_host(const struct fm_record *,
    const struct fm_model *);

#endif
