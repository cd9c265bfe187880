/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Handles the events of a VCL: it is loaded, gets warm and gets cold.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define FM_COMPAT_PARAMETERS
#include "compat.h"
#include "vsb.h"
#include "vtim.h"

#include "hits.h"
#include "object.h"
#include "pervcl.h"
#include "regex.h"
#include "vclsource.h"

/*
 * Checks that subs as values fit into workspace_thread.  Where a VCL uses them,
 * Varnish takes a bitmap from the worker's workspace for every method call: a
 * head, and a byte for each sub of the VCL.  Varnish panics if there is no room
 * for it, so a VCL whose bitmap does not fit must not be loaded.
 *
 * In an ESI sub-request the delivery of the parent has a part of the same
 * workspace: a head, and http1_iovs vectors.
 *
 * This module knows the subs that its objects were given.  AWS_OTHER_SUBS is
 * for others: some 40 of builtin.vcl, and those of the VCL's author.
 */
#define AWS_SUBS_HEAD		32U		/* bytes */
#define AWS_DELIVERY_HEAD	192U		/* bytes */
#define AWS_OTHER_SUBS		96U
#define AWS_MAX			(8U << 10)	/* bytes: the parameter's
						 * maximum */

/*
 * The least value of workspace_thread, in bytes, that this process has seen.
 * Worker threads keep the value that they began with.
 */
static unsigned aws_least;

static void
vcl_fini(VRT_CTX, void *priv)
{
	struct fm_vcl *vcl;

	(void)ctx;
	CAST_OBJ_NOTNULL(vcl, priv, FM_VCL_MAGIC);
	assert(VTAILQ_EMPTY(&vcl->objects));
	fm_counters_fini(&vcl->counters);
	fm_grow_fini(&vcl->subs);
	FREE_OBJ(vcl);
}

static const struct vmod_priv_methods vcl_priv_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "fastmatch VCL",
	.fini = vcl_fini
}};

/*
 * Returns true if the VCL may call a function that counts.  A VCL that doesn't
 * has no rows of zeros in varnishstat beside those of its objects.
 */
static bool
calls_functions(const struct vmod_priv *priv)
{
	static const char * const functions[] = {
		"host", "negotiate", "normalize", "clean_host", "set", "unset",
		"builtin"
	};
	struct fm_vclsource *source = fm_vclsource_open(priv);
	bool may = fm_vclsource_may_call(source, "fastmatch", functions,
	    sizeof functions / sizeof *functions);

	fm_vclsource_close(&source);
	return (may);
}

int
fm_vcl_load(VRT_CTX, struct vmod_priv *priv)
{
	struct fm_vcl *vcl;

	ASSERT_CLI();
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(priv);
	AZ(priv->priv);
	if (aws_least == 0 || cache_param->workspace_thread < aws_least)
		aws_least = cache_param->workspace_thread;
	fm_regex_use_jit(cache_param->pcre2_jit_compilation);
	fm_regex_follow_limit(&cache_param->vre_limits.match);
	ALLOC_OBJ(vcl, FM_VCL_MAGIC);
	if (vcl == NULL)
		return (-1);
	VTAILQ_INIT(&vcl->objects);
	fm_counters_init(ctx, &vcl->counters, NULL, FM_COUNTERS_FUNCTIONS,
	    calls_functions(priv));
	priv->priv = vcl;
	priv->methods = vcl_priv_methods;
	return (0);
}

struct fm_vcl *
fm_vcl_of(const struct vmod_priv *priv)
{
	struct fm_vcl *vcl;

	AN(priv);
	CAST_OBJ_NOTNULL(vcl, priv->priv, FM_VCL_MAGIC);
	return (vcl);
}

int
fm_vcl_add_sub(struct fm_vcl *vcl, VCL_SUB sub)
{
	VCL_SUB *added;
	size_t i;

	CHECK_OBJ_NOTNULL(vcl, FM_VCL_MAGIC);
	AN(sub);
	for (i = 0; i < vcl->subs.n; i++)
		if (*FM_GROW_AT(&vcl->subs, VCL_SUB, i) == sub)
			return (0);
	added = fm_grow_add(&vcl->subs, sizeof *added, 1);
	if (added == NULL)
		return (-1);
	*added = sub;
	return (0);
}

/* Returns the bytes of workspace_thread that the VCL needs. */
static size_t
vcl_aws_needed(const struct fm_vcl *vcl)
{
	if (vcl->subs.n == 0)
		return (0);
	return (AWS_SUBS_HEAD + vcl->subs.n + AWS_OTHER_SUBS +
	    AWS_DELIVERY_HEAD + cache_param->http1_iovs * sizeof(struct iovec));
}

static int
vcl_check_subs(VRT_CTX, struct fm_vcl *vcl)
{
	size_t needed, kilobytes;

	if (cache_param->workspace_thread < aws_least)
		aws_least = cache_param->workspace_thread;
	needed = vcl_aws_needed(vcl);
	if (needed <= aws_least)
		return (0);
	kilobytes = (needed + 1023) / 1024;
	VSB_printf(ctx->msg, "fastmatch: %zu different sub%s need%s"
	    " workspace_thread=%zuk", vcl->subs.n, vcl->subs.n == 1 ? "" : "s",
	    vcl->subs.n == 1 ? "s" : "", kilobytes);
	if (needed > AWS_MAX)
		VSB_printf(ctx->msg, ", and Varnish allows 8k: let hosts share"
		    " subs or give them data, or lower http1_iovs (it is"
		    " %u)\n", cache_param->http1_iovs);
	else if (needed <= cache_param->workspace_thread)
		VSB_printf(ctx->msg, ", and worker threads from before it was"
		    " raised may have %uk: restart the child process\n",
		    aws_least / 1024);
	else
		VSB_printf(ctx->msg, " (it is %uk): start varnishd with"
		    " -p workspace_thread=%zuk\n",
		    cache_param->workspace_thread / 1024, kilobytes);
	return (-1);
}

static void
vcl_cold(struct fm_vcl *vcl)
{
	struct fm_object *object;

	VTAILQ_FOREACH(object, &vcl->objects, list)
		fm_object_cold(object);
	fm_counters_sum();
	fm_watcher_drop();
	vcl->warm = false;
}

/* Runs once a second, in the watcher's thread. */
static void
vcl_second(void)
{
	fm_counters_sum();
	fm_hits_sum(VTIM_mono());
	fm_log_engine();
}

int
fm_vcl_warm(VRT_CTX, struct fm_vcl *vcl)
{
	struct fm_object *object;
	int failed;

	ASSERT_CLI();
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(vcl, FM_VCL_MAGIC);
	AN(ctx->msg);
	AZ(vcl->warm);
	if (fm_watcher_hold(vcl_second) != 0) {
		VSB_printf(ctx->msg, "fastmatch: the housekeeping thread"
		    " can't be started\n");
		return (-1);
	}
	vcl->warm = true;
	failed = vcl_check_subs(ctx, vcl);
	VTAILQ_FOREACH(object, &vcl->objects, list)
		if (fm_object_open_filled(ctx, object) != 0)
			failed = -1;
	/* Opens shadows and `next` last: they get the room that is left. */
	VTAILQ_FOREACH(object, &vcl->objects, list)
		if (!failed && fm_object_open_beside(ctx, object) != 0)
			failed = -1;
	VTAILQ_FOREACH(object, &vcl->objects, list)
		if (object->live != NULL && fm_object_warm(ctx, object) != 0)
			failed = -1;
	VTAILQ_FOREACH(object, &vcl->objects, list)
		if (!failed && fm_object_warm_beside(ctx, object) != 0)
			failed = -1;
	/* Otherwise varnishstat has digest 0 for up to a second. */
	fm_counters_sum();
	/* A history begins now. */
	fm_hits_sum(VTIM_mono());
	/* Varnish may send COLD as well, which then does nothing. */
	if (failed)
		vcl_cold(vcl);
	return (failed);
}

void
fm_vcl_cold(struct fm_vcl *vcl)
{
	ASSERT_CLI();
	CHECK_OBJ_NOTNULL(vcl, FM_VCL_MAGIC);
	if (vcl->warm)
		vcl_cold(vcl);
}
