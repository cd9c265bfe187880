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

static void
task_fini(VRT_CTX, void *priv)
{
	(void)ctx;
	fm_version_unpin(priv);
}

static const struct vmod_priv_methods task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "fastmatch version",
	.fini = task_fini
}};

struct vmod_priv *
fm_filling_task_get(VRT_CTX, const struct fm_filling *filling)
{
	return (fm_task_get(ctx, filling));
}

struct vmod_priv *
fm_filling_task_make(VRT_CTX, const struct fm_filling *filling)
{
	return (fm_task_make(ctx, filling));
}

/* The version that this task has pinned, or NULL. */
static const struct fm_version *
task_version(VRT_CTX, const struct fm_filling *filling)
{
	struct vmod_priv *priv;

	priv = fm_task_get(ctx, filling);
	return (priv == NULL ? NULL : priv->priv);
}

const void *
fm_filling_find(VRT_CTX, struct fm_filling *filling,
    struct fm_reading *reading)
{
	const struct fm_version *version;

	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (filling->object->live != NULL) {
		version = task_version(ctx, filling);
		if (version == NULL) {
			version = fm_live_get(filling->object->live);
			reading->version = version;
		}
		return (version == NULL ? NULL : version->payload);
	}
	assert(!fm_in_request(ctx));
	if (fm_filling_compile(filling, NULL) != 0)
		VRT_fail(ctx, "fastmatch: %s could not be compiled: out of"
		    " memory", filling->object->name);
	return (filling->fixed);
}

const void *
fm_filling_match(VRT_CTX, struct fm_filling *filling,
    struct fm_reading *reading)
{
	const struct fm_version *version;
	struct vmod_priv *priv;

	/*
	 * The end of vcl_fini's task comes after that of the object, so
	 * nothing is pinned there.
	 */
	if (filling->fixed == NULL && filling->object->live != NULL &&
	    fm_in_request(ctx)) {
		priv = fm_task_make(ctx, filling);
		if (priv != NULL && priv->priv == NULL) {
			version = fm_live_pin(filling->object->live);
			priv->priv = TRUST_ME(version);
			priv->methods = task_methods;
		}
	}
	return (fm_filling_read(ctx, filling, reading));
}

const void *
fm_filling_kept(VRT_CTX, const struct fm_filling *filling)
{
	const struct fm_version *version;

	CHECK_OBJ_NOTNULL(filling, FM_FILLING_MAGIC);
	if (filling->fixed != NULL)
		return (filling->fixed);
	version = task_version(ctx, filling);
	return (version == NULL ? NULL : version->payload);
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
