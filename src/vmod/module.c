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
#include "vcl.h"
#include "vsb.h"

#include "builtin.h"
#include "compat.h"
#include "field.h"
#include "hostname.h"
#include "inplace.h"
#include "name_words.h"
#include "negotiate.h"
#include "pervcl.h"
#include "rules_refuse.h"
#include "shard.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

#define NAME(s)		fm_text(s, sizeof (s) - 1)

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
	offer = fm_negotiate_cached(fm_text_of(header), fm_text_of(offers));
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

/*--------------------------------------------------------------------
 * Editing the request in place
 */

VCL_VOID
vmod_normalize(VRT_CTX, struct vmod_priv *priv, VCL_HEADER header,
    VCL_STRING offers, VCL_STRING fallback)
{
	struct fm_inplace it;
	struct fm_text offer;

	if (!fm_inplace_find(&it, ctx, &fm_vcl_of(priv)->counters,
	    "normalize", header))
		return;
	offer = fm_negotiate_cached(fm_field_value(it.hp, it.n,
	    it.name), fm_text_of(offers));
	(void)fm_inplace_set(&it, offer.b == NULL ? fm_text_of(fallback) :
	    offer);
}

/* Returns false for nearly all hosts that are canonical or invalid. */
static inline bool
host_may_change(struct fm_text host)
{
	return (host.len > 0 && (host.b[host.len - 1] == '.' ||
	    memchr(host.b, ':', host.len) != NULL ||
	    fm_name_has_upper(host)));
}

VCL_VOID
vmod_clean_host(VRT_CTX, struct vmod_priv *priv)
{
	struct fm_inplace it = {
		.ctx = ctx,
		.counters = &fm_vcl_of(priv)->counters,
		.method = "clean_host",
		.hp = fm_field_http(ctx),
		.name = NAME("Host")
	};
	char buf[FM_HOSTNAME_MAX];
	struct fm_text value, canon;

	if (it.hp == NULL) {
		fm_counters_log(ctx, it.counters, FM_COUNT_misplaced,
		    it.method, "it does nothing in", fm_sub_name(ctx));
		return;
	}
	if (!fm_inplace_begin(ctx, it.counters, it.method))
		return;
	it.n = fm_field_find(it.hp, HTTP_HDR_FIRST, it.name);
	if (it.n == it.hp->nhd)
		return;
	value = fm_field_value(it.hp, it.n, it.name);
	if (host_may_change(value) &&
	    fm_hostname_canon(value, buf, &canon) == FM_HOSTNAME_OK)
		(void)fm_inplace_set(&it, canon);
}

/* Returns false for what must not be in a line: CR and LF, for example. */
static bool
is_header_text(struct fm_text text)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < text.len; i++) {
		c = (unsigned char)text.b[i];
		if ((c < ' ' && c != '\t') || c == 0x7f)
			return (false);
	}
	return (true);
}

VCL_VOID
vmod_set(VRT_CTX, struct vmod_priv *priv, VCL_HEADER header, VCL_STRING string)
{
	struct fm_text value = fm_text_of(string);
	struct fm_inplace it;

	if (!fm_inplace_look(&it, ctx, &fm_vcl_of(priv)->counters, "set",
	    header))
		return;
	if (is_header_text(value))
		(void)fm_inplace_set(&it, value);
	else
		VRT_fail(ctx, "fastmatch: set(): a control character in the"
		    " text for %.*s", (int)it.name.len, it.name.b);
}

VCL_VOID
vmod_unset(VRT_CTX, struct vmod_priv *priv, VCL_HEADER header)
{
	struct fm_inplace it;

	if (fm_inplace_look(&it, ctx, &fm_vcl_of(priv)->counters, "unset",
	    header))
		fm_inplace_unset(&it);
}

/*--------------------------------------------------------------------
 * Does what vcl_recv of builtin.vcl does
 */

static struct fm_text
line_part(const struct http *hp, unsigned n)
{
	return (fm_text_span(hp->hd[n].b, hp->hd[n].e));
}

/* Finds the headers that builtin.vcl reads, in one pass. */
static void
builtin_read(struct fm_inplace *host, struct fm_builtin_request *request)
{
	const struct http *hp = host->hp;
	const txt *field = hp->hd + HTTP_HDR_FIRST, *end = hp->hd + hp->nhd;

	host->n = hp->nhd;
	for (; field < end; field++) {
		if (fm_field_has(field, NAME("Host"))) {
			if (host->n == hp->nhd)
				host->n = (unsigned)(field - hp->hd);
		} else if (fm_field_has(field, NAME("Cookie"))) {
			request->cookie = true;
		} else if (fm_field_has(field, NAME("Authorization"))) {
			request->authorization = true;
		}
	}
	if (host->n < hp->nhd)
		request->host = fm_field_value(hp, host->n, host->name);
}

static struct fm_builtin
builtin_decide(struct fm_inplace *host)
{
	const struct http *hp = host->hp;
	struct fm_builtin_request request = {
		.method = line_part(hp, HTTP_HDR_METHOD),
		.url = line_part(hp, HTTP_HDR_URL),
		.proto = line_part(hp, HTTP_HDR_PROTO),
		.esi = host->ctx->req->esi_level > 0
	};

	builtin_read(host, &request);
	if (request.host.len > 0 && !fm_name_has_upper(request.host) &&
	    fm_builtin_is_usual(request.method, request.url))
		return ((struct fm_builtin){ .verdict = fm_builtin_usual(
		    request.authorization, request.cookie) });
	return (fm_builtin_decide(fm_builtin_here, &request));
}

/* Sets Host to lower case.  Returns false if the request was refused. */
static bool __attribute__((cold))
builtin_lower(const struct fm_inplace *host)
{
	struct fm_text value = fm_field_value(host->hp, host->n, host->name);
	char *lower = fm_ws_alloc(host->ctx->ws, value.len);

	if (lower == NULL) {
		fm_inplace_refuse(host->ctx, host->counters, host->method,
		    FM_REFUSED_WORKSPACE);
		return (false);
	}
	fm_text_lower(lower, value);
	return (fm_inplace_set(host, fm_text(lower, value.len)));
}

/* Makes the edits of builtin.vcl.  Returns false if the request was refused. */
static bool __attribute__((cold))
builtin_edit(const struct fm_inplace *host, const struct fm_builtin *builtin)
{
	struct fm_text close = NAME("Connection: close");
	struct fm_inplace other = *host;
	struct http *hp = host->hp;

	other.name = NAME("Connection");
	other.n = fm_field_find(hp, HTTP_HDR_FIRST, other.name);
	if (builtin->close && other.n == hp->shd) {
		fm_inplace_refuse(host->ctx, host->counters, host->method,
		    FM_REFUSED_SLOTS);
		return (false);
	}
	if (builtin->lower && !builtin_lower(host))
		return (false);
	if (builtin->close && other.n == hp->nhd) {
		fm_field_write(hp, hp->nhd++, close);
	} else if (builtin->close && !fm_inplace_set(&other, NAME("close"))) {
		return (false);
	}
	if (builtin->range) {
		other.name = NAME("Range");
		other.n = fm_field_find(hp, HTTP_HDR_FIRST, other.name);
		fm_inplace_unset(&other);
	}
	return (true);
}

VCL_VOID
vmod_builtin(VRT_CTX, struct vmod_priv *priv)
{
	struct fm_inplace host = {
		.ctx = ctx,
		.counters = &fm_vcl_of(priv)->counters,
		.method = "builtin",
		.hp = ctx->http_req,
		.name = NAME("Host")
	};
	struct fm_builtin it;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->method != VCL_MET_RECV) {
		fm_counters_log(ctx, host.counters, FM_COUNT_misplaced,
		    host.method, "it does nothing in", fm_sub_name(ctx));
		return;
	}
	/* There must be no second verdict, nor one after a failure. */
	if (VRT_handled(ctx) ||
	    !fm_inplace_begin(ctx, host.counters, host.method))
		return;
	it = builtin_decide(&host);
	if ((it.lower || it.close || it.range) && !builtin_edit(&host, &it))
		return;
	if (it.verdict == FM_VERDICT_SYNTH)
		fm_synth(ctx, it.status, NULL);
	else
		VRT_handling(ctx, it.verdict == FM_VERDICT_HASH ?
		    VCL_RET_HASH : it.verdict == FM_VERDICT_PASS ?
		    VCL_RET_PASS : VCL_RET_PIPE);
}
