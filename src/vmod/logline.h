/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a line of the log straight into the buffer that VSLbt() fills, in a
 * third of its instructions.  VSLbt() gets the lines that need more: where the
 * buffer is full, the line is longer than vsl_reclen, or debugging wants each
 * line at once.
 *
 *	to = fm_logline_begin(ctx->vsl, SLT_VCL_Log, 2);
 *	if (to != NULL) {
 *		memcpy(to, "ok", 2);
 *		fm_logline_end(ctx->vsl, SLT_VCL_Log, 2);
 *	}
 */

#ifndef FM_LOGLINE_H
#define FM_LOGLINE_H

/* Logs a text, as VSLbt() does. */
void fm_logline(struct vsl_log *, enum VSL_tag_e, const char *b, size_t len);

/*
 * Returns the place of a line of this length, or NULL: call fm_logline(), which
 * knows what to do with the line.  The caller writes the bytes there, then
 * calls fm_logline_end(), before anything else is logged.
 */
char *fm_logline_begin(const struct vsl_log *, enum VSL_tag_e, size_t len);
void fm_logline_end(struct vsl_log *, enum VSL_tag_e, size_t len);

#endif
