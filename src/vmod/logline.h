/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a line of the log straight into the buffer that VSLbt() fills, in a
 * third of its instructions.  VSLbt() gets the lines that need more: where the
 * buffer is full, the line is longer than vsl_reclen, or debugging wants each
 * line at once.
 */

#ifndef FM_LOGLINE_H
#define FM_LOGLINE_H

#include "text.h"

/* Logs a text, as VSLbt() does. */
void fm_logline(struct vsl_log *, enum VSL_tag_e, const char *b, size_t len);

/* Does the same by VSLbt(). */
void fm_logline_rare(struct vsl_log *, enum VSL_tag_e, const char *b,
    size_t len);

/* Logs "WHAT for SITEWORDS", as a VCL_Log; the words begin with a blank. */
void fm_logline_outcome(struct vsl_log *, struct fm_text what,
    struct fm_text site, struct fm_text words);

#endif
