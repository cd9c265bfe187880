/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What an object was filled with: read by requests.
 */

#include "config.h"

#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "filling.h"
#include "task.h"

const void *
fm_filling_find(VRT_CTX, struct fm_filling *filling,
    struct fm_reading *reading)
{
	const struct fm_version *version;

	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (filling->object->live != NULL) {
		version = fm_live_get(filling->object->live);
		reading->version = version;
		return (version == NULL ? NULL : version->payload);
	}
	assert(!fm_in_request(ctx));
	if (fm_filling_compile(filling, NULL) != 0)
		VRT_fail(ctx, "fastmatch: %s could not be compiled: out of"
		    " memory", filling->object->name);
	return (filling->fixed);
}

VCL_STRING
fm_filling_string(VRT_CTX, const struct fm_filling *filling,
    const struct fm_reading *reading, const char *string, VCL_STRING fallback,
    const char *method)
{
	const char *copy;

	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (reading->version == NULL)
		return (string);
	copy = fm_ws_text(ctx->ws, fm_text_of(string));
	if (copy != NULL)
		return (copy);
	fm_counters_overflow(ctx, &filling->object->counters, method,
	    "the fallback is returned");
	return (fallback);
}
