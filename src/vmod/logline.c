/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of the log, written in place (logline.h).
 */

#include "config.h"

#include <stdbool.h>

#define FM_COMPAT_PARAMETERS
#include "compat.h"

#include "copy.h"
#include "logline.h"

static inline bool
bit_is_set(const volatile uint8_t *bits, unsigned n)
{
	return ((bits[n / 8] & 0x80U >> n % 8) != 0);
}

static inline char *
line_begin(const struct vsl_log *vsl, enum VSL_tag_e tag, size_t len)
{
	if (len >= cache_param->vsl_reclen ||
	    VSL_END(vsl->wlp, len + 1) > vsl->wle ||
	    bit_is_set(cache_param->vsl_mask, tag) ||
	    bit_is_set(cache_param->debug_bits, DBG_SYNCVSL))
		return (NULL);
	return (VSL_DATA(vsl->wlp));
}

static inline void
line_end(struct vsl_log *vsl, enum VSL_tag_e tag, size_t len)
{
	VSL_DATA(vsl->wlp)[len] = '\0';
	fm_vsl_header(vsl, tag, (uint32_t)len + 1);
	vsl->wlp = VSL_END(vsl->wlp, len + 1);
	vsl->wlr++;
}

/* Ends the line before its bytes are copied, so that this is the last call. */
void
fm_logline(struct vsl_log *vsl, enum VSL_tag_e tag, const char *b, size_t len)
{
	char *to = line_begin(vsl, tag, len);

	if (to == NULL) {
		VSLbt(vsl, tag, (txt){ b, b + len });
		return;
	}
	line_end(vsl, tag, len);
	fm_copy(to, b, len);
}

void
fm_logline_outcome(struct vsl_log *vsl, struct fm_text what,
    struct fm_text site, struct fm_text words)
{
	size_t len = what.len + 5 + site.len + words.len;
	char *to = line_begin(vsl, SLT_VCL_Log, len);

	if (to == NULL) {
		VSLb(vsl, SLT_VCL_Log, "%.*s for %.*s%.*s", (int)what.len,
		    what.b, (int)site.len, site.b, (int)words.len, words.b);
		return;
	}
	line_end(vsl, SLT_VCL_Log, len);
	fm_copy(to, what.b, what.len);
	to += what.len;
	memcpy(to, " for ", 5);
	fm_copy(to + 5, site.b, site.len);
	fm_copy(to + 5 + site.len, words.b, words.len);
}
