/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a line of the log in place (logline.h), in line, for files that have
 * cache_param (compat.h).
 */

#ifndef FM_LOGLINE_PUT_H
#define FM_LOGLINE_PUT_H

#include <string.h>

static inline bool
fm_vsl_bit(const volatile uint8_t *bits, unsigned n)
{
	return ((bits[n / 8] & 0x80U >> n % 8) != 0);
}

/* Returns where the bytes of a line go; NULL: fm_logline_rare() logs it. */
static inline char *
fm_logline_begin(const struct vsl_log *vsl, enum VSL_tag_e tag, size_t len)
{
	const volatile struct params *params = cache_param;

	if (len >= params->vsl_reclen ||
	    VSL_END(vsl->wlp, len + 1) > vsl->wle ||
	    fm_vsl_bit(params->vsl_mask, tag) ||
	    fm_vsl_bit(params->debug_bits, DBG_SYNCVSL))
		return (NULL);
	return (VSL_DATA(vsl->wlp));
}

/*
 * Ends the line of fm_logline_begin() before its bytes are copied.  Its NUL is
 * written last: after a write of a byte, vsl->wlp has to be read again.
 */
static inline void
fm_logline_end(struct vsl_log *vsl, enum VSL_tag_e tag, char *to, size_t len)
{
	fm_vsl_header(vsl, tag, (uint32_t)len + 1);
	vsl->wlp = VSL_END(vsl->wlp, len + 1);
	vsl->wlr++;
	to[len] = '\0';
}

/* Does what fm_logline() does, which is shorter if the tag is constant. */
static inline __attribute__((always_inline)) void
fm_logline_put(struct vsl_log *vsl, enum VSL_tag_e tag, const char *b,
    size_t len)
{
	char *to = fm_logline_begin(vsl, tag, len);

	if (to == NULL) {
		fm_logline_rare(vsl, tag, b, len);
		return;
	}
	fm_logline_end(vsl, tag, to, len);
	memcpy(to, b, len);
}

#endif
