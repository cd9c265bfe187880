/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The module: the events of a VCL, and the functions that need no object.
 */

#include "config.h"

#include <sys/sysinfo.h>

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vsb.h"

#include "compat.h"
#include "hostname.h"
#include "negotiate.h"
#include "pervcl.h"
#include "shard.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

int v_matchproto_(vmod_event_f)
vmod_event(VRT_CTX, struct vmod_priv *priv, enum vcl_event_e event)
{
	int failed = 0;

	switch (event) {
	case VCL_EVENT_LOAD:
		fm_shard_begin(get_nprocs_conf());
		failed = fm_vcl_load(ctx, priv);
		if (failed)
			VSB_printf(ctx->msg, "fastmatch: out of memory\n");
		break;
	case VCL_EVENT_WARM:
		fm_ws_try(ctx->ws);
		failed = fm_vcl_warm(ctx, fm_vcl_of(priv));
		fm_log_engine();
		break;
	case VCL_EVENT_COLD:
		fm_vcl_cold(fm_vcl_of(priv));
		break;
	default:
		/* DISCARD: the fini of the PRIV_VCL does it. */
		break;
	}
	return (failed != 0);
}

VCL_STRING
vmod_version(VRT_CTX)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	return (PACKAGE_VERSION);
}

/*
 * Returns a part of a string as a string of its own: the part itself if it ends
 * where the string ends, else a copy.  NULL if there is no room for a copy.
 */
static VCL_STRING
part_string(VRT_CTX, struct fm_text part, VCL_STRING whole)
{
	const char *end = strchr(whole, '\0');

	if (part.b + part.len == end)
		return (part.b);
	return (fm_ws_text(ctx->ws, part));
}

VCL_STRING
vmod_host(VRT_CTX, struct vmod_priv *priv, VCL_STRING raw)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;
	VCL_STRING host;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (fm_hostname_canon(fm_text_of(raw), buf, &canon) !=
	    FM_HOSTNAME_OK)
		return (NULL);
	host = part_string(ctx, canon, raw);
	if (host == NULL)
		fm_counters_overflow(ctx, &fm_vcl_of(priv)->counters, "host",
		    "NULL is returned");
	return (host);
}

VCL_STRING
vmod_negotiate(VRT_CTX, struct vmod_priv *priv, VCL_STRING header,
    VCL_STRING offers, VCL_STRING fallback)
{
	struct fm_text offer;
	VCL_STRING chosen;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (offers == NULL)
		return (fallback);
	offer = fm_negotiate(fm_text_of(header), fm_text_of(offers));
	if (offer.b == NULL)
		return (fallback);
	chosen = part_string(ctx, offer, offers);
	if (chosen == NULL) {
		fm_counters_overflow(ctx, &fm_vcl_of(priv)->counters,
		    "negotiate", "the fallback is returned");
		return (fallback);
	}
	return (chosen);
}
