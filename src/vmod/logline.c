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

#include "logline.h"
#include "logline_put.h"

void
fm_logline(struct vsl_log *vsl, enum VSL_tag_e tag, const char *b, size_t len)
{
	fm_logline_put(vsl, tag, b, len);
}

void
fm_logline_rare(struct vsl_log *vsl, enum VSL_tag_e tag, const char *b,
    size_t len)
{
	VSLbt(vsl, tag, (txt){ b, b + len });
}

void
fm_logline_outcome(struct vsl_log *vsl, struct fm_text what,
    struct fm_text site, struct fm_text words)
{
	size_t len = what.len + 5 + site.len + words.len;
	char *to = fm_logline_begin(vsl, SLT_VCL_Log, len);

	if (to == NULL) {
		VSLb(vsl, SLT_VCL_Log, "%.*s for %.*s%.*s", (int)what.len,
		    what.b, (int)site.len, site.b, (int)words.len, words.b);
		return;
	}
	fm_logline_end(vsl, SLT_VCL_Log, to, len);
	memcpy(to, what.b, what.len);
	to += what.len;
	memcpy(to, " for ", 5);
	memcpy(to + 5, site.b, site.len);
	memcpy(to + 5 + site.len, words.b, words.len);
}
