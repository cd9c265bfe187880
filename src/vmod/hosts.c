/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `hosts`.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "field.h"
#include "filling.h"
#include "hosts.h"
#include "pervcl.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

struct vmod_fastmatch_hosts {
	unsigned			magic;
#define FM_HOSTS_MAGIC			0x5e02c79a
	struct fm_object		object;
	struct fm_filling		filling;
};

static int
hosts_warm(void *priv, struct fm_diag *diag)
{
	struct vmod_fastmatch_hosts *hosts;

	CAST_OBJ_NOTNULL(hosts, priv, FM_HOSTS_MAGIC);
	return (fm_filling_warm(&hosts->filling, diag));
}

VCL_VOID
vmod_hosts__init(VRT_CTX, struct vmod_fastmatch_hosts **hostsp,
    const char *name, struct vmod_priv *priv)
{
	struct vmod_fastmatch_hosts *hosts;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(hostsp);
	AZ(*hostsp);
	ALLOC_OBJ(hosts, FM_HOSTS_MAGIC);
	if (hosts == NULL || fm_filling_init(&hosts->filling, &fm_hosts_type,
	    0) != 0) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		free(hosts);
		return;
	}
	if (fm_object_init(ctx, &hosts->object, fm_vcl_of(priv), name,
	    hosts_warm, hosts) != 0) {
		fm_filling_fini(&hosts->filling);
		FREE_OBJ(hosts);
		return;
	}
	fm_filling_of(&hosts->filling, &hosts->object);
	*hostsp = hosts;
}

VCL_VOID
vmod_hosts__fini(struct vmod_fastmatch_hosts **hostsp)
{
	struct vmod_fastmatch_hosts *hosts;

	TAKE_OBJ_NOTNULL(hosts, hostsp, FM_HOSTS_MAGIC);
	fm_object_fini(&hosts->object);
	fm_filling_fini(&hosts->filling);
	FREE_OBJ(hosts);
}

/*--------------------------------------------------------------------
 * Filling it
 */

/* This task's last .match() is none any more. */
static void
hosts_forget(VRT_CTX, const struct vmod_fastmatch_hosts *hosts)
{
	struct vmod_priv *priv;

	priv = fm_task_get(ctx, hosts);
	if (priv != NULL)
		priv->len = 0;
}

VCL_VOID
vmod_hosts_add(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    struct VARGS(hosts_add) *args)
{
	struct fm_diag *diag;
	struct fm_entry entry;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return;
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	AN(args);
	if (!fm_object_begin(ctx, &hosts->object, "add", &diag))
		return;
	hosts_forget(ctx, hosts);
	entry = (struct fm_entry){
	    .text = fm_text_of(args->host),
	    .given = FM_GIVEN_ARGS(args),
	    .place = fm_object_place(&hosts->object) };
	if (args->host == NULL)
		fm_diag_error(diag, &entry.place, "the host is NULL");
	else
		failed = fm_filling_add(&hosts->filling, &entry, diag);
	fm_object_end(ctx, &hosts->object, "add", &diag, failed != 0);
}

VCL_VOID
vmod_hosts_load(VRT_CTX, struct vmod_fastmatch_hosts *hosts, VCL_STRING path,
    VCL_DURATION watch)
{
	if (FM_OBJECT_MISSING(ctx, hosts))
		return;
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	fm_filling_vcl_load(ctx, &hosts->filling, path, 0, watch);
	hosts_forget(ctx, hosts);
}

/*--------------------------------------------------------------------
 * The match of a task
 *
 * A task remembers the number of the entry plus one, in the place that
 * Varnish has for the length of something, and the version that it has pinned,
 * if any; so no workspace is needed but for Varnish's own structure.
 */

static void
task_fini(VRT_CTX, void *priv)
{
	(void)ctx;
	fm_version_unpin(priv);
}

static const struct vmod_priv_methods task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "fastmatch hosts",
	.fini = task_fini
}};

/* Returns the task's, which has a version pinned; or NULL without room. */
static struct vmod_priv *
task_pin(VRT_CTX, const struct vmod_fastmatch_hosts *hosts)
{
	struct vmod_priv *priv;
	const struct fm_version *version;

	priv = fm_task_make(ctx, hosts);
	if (priv != NULL && priv->priv == NULL) {
		version = fm_live_pin(hosts->object.live);
		priv->priv = TRUST_ME(version);
		priv->methods = task_methods;
	}
	return (priv);
}

/*
 * Remembers what .match() has found, or nothing (0).  The task is looked up
 * here, unless it has a version pinned.
 */
static void
task_keep(VRT_CTX, const struct vmod_fastmatch_hosts *hosts,
    const struct fm_reading *reading, struct vmod_priv *priv, long found)
{
	if (priv == NULL && reading->version == NULL)
		priv = found > 0 ? fm_task_make(ctx, hosts) :
		    fm_task_get(ctx, hosts);
	if (priv != NULL)
		priv->len = found;
	else if (found > 0 && (fm_in_request(ctx) || reading->version == NULL))
		fm_counters_overflow(ctx, &hosts->object.counters, "match",
		    "the match is not kept");
}

/*--------------------------------------------------------------------
 * Asking it
 */

/* Looks a host up in a set, and counts. */
static bool
hosts_find(const struct vmod_fastmatch_hosts *hosts,
    const struct fm_hosts_set *set, struct fm_text host, uint32_t *number)
{
	static const enum fm_counter how[] = {
		[FM_HOSTTAB_EXACT] = FM_COUNT_exact_hits,
		[FM_HOSTTAB_SUFFIX] = FM_COUNT_wildcard_hits,
		[FM_HOSTTAB_PREFIX] = FM_COUNT_wildcard_hits,
		[FM_HOSTTAB_ANY] = FM_COUNT_default_hits
	};
	const struct fm_counters *counters = &hosts->object.counters;
	unsigned shard;
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;
	struct fm_text canon;
	bool found;

	CHECK_OBJ(set, FM_HOSTS_SET_MAGIC);
	found = fm_hosttab_lookup_raw(set->table, host, buf, &canon, &hit);
	shard = fm_shard_take();
	fm_counters_in(counters, shard, FM_COUNT_lookups, 1);
	fm_counters_in(counters, shard, FM_COUNT_hits, found);
	if (found)
		fm_counters_in(counters, shard, how[hit.how], 1);
	fm_shard_give(shard);
	if (!found)
		return (false);
	assert(hit.entry < set->values.count);
	*number = hit.entry;
	return (true);
}

VCL_BOOL
vmod_hosts_match(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    struct VARGS(hosts_match) *args)
{
	struct fm_reading reading = { NULL };
	struct vmod_priv *priv = NULL;
	const struct fm_hosts_set *set;
	uint32_t number;
	bool hit;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return (0);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	AN(args);
	if (fm_filling_pins(ctx, &hosts->filling))
		priv = task_pin(ctx, hosts);
	set = priv != NULL ? fm_filling_pinned(&hosts->filling, priv->priv) :
	    fm_filling_read(ctx, &hosts->filling, &reading);
	if (set == NULL)
		return (0);
	hit = hosts_find(hosts, set, args->valid_host ?
	    fm_text_of(args->host) :
	    fm_field_of_request(ctx, fm_text("Host", 4)), &number);
	task_keep(ctx, hosts, &reading, priv, hit ? (long)number + 1 : 0);
	fm_filling_done(&reading);
	return (hit);
}

/* Returns what is to be read: the version that the task has pinned, if any. */
static const struct fm_hosts_set *
hosts_read(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    struct fm_reading *reading)
{
	const struct vmod_priv *priv = NULL;

	reading->version = NULL;
	if (hosts->filling.fixed == NULL)
		priv = fm_task_get(ctx, hosts);
	return (priv != NULL && priv->priv != NULL ?
	    fm_filling_pinned(&hosts->filling, priv->priv) :
	    fm_filling_read(ctx, &hosts->filling, reading));
}

VCL_STRING
vmod_hosts_lookup(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_STRING host, VCL_STRING fallback)
{
	const struct fm_hosts_set *set;
	const struct fm_value *value;
	struct fm_reading reading;
	VCL_STRING string = fallback;
	uint32_t number;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return (fallback);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	set = hosts_read(ctx, hosts, &reading);
	if (set == NULL)
		return (fallback);
	if (hosts_find(hosts, set, fm_text_of(host), &number)) {
		value = &set->values.entry[number];
		if (fm_value_has(value, FM_VALUE_STRING))
			string = fm_filling_string(ctx, &hosts->filling,
			    &reading, value->string, fallback, "lookup");
	}
	fm_filling_done(&reading);
	return (string);
}

/* Returns the entry of this task's last .match(); NULL if that was no hit. */
static const struct fm_value *
hosts_value(VRT_CTX, const struct vmod_fastmatch_hosts *hosts)
{
	const struct fm_hosts_set *set;
	const struct vmod_priv *priv;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return (NULL);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	priv = fm_task_get(ctx, hosts);
	if (priv == NULL || priv->len == 0)
		return (NULL);
	set = fm_filling_pinned(&hosts->filling, priv->priv);
	CHECK_OBJ_NOTNULL(set, FM_HOSTS_SET_MAGIC);
	assert((size_t)priv->len <= set->values.count);
	return (&set->values.entry[priv->len - 1]);
}

VCL_STRING
vmod_hosts_pattern(VRT_CTX, struct vmod_fastmatch_hosts *hosts)
{
	const struct fm_value *value;

	value = hosts_value(ctx, hosts);
	return (value == NULL ? NULL : value->pattern);
}

VCL_STRING
vmod_hosts_string(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_STRING fallback)
{
	const struct fm_value *value;

	value = hosts_value(ctx, hosts);
	return (fm_value_has(value, FM_VALUE_STRING) ? value->string :
	    fallback);
}

VCL_INT
vmod_hosts_integer(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_INT fallback)
{
	const struct fm_value *value;

	value = hosts_value(ctx, hosts);
	return (fm_value_has(value, FM_VALUE_INTEGER) ? value->integer :
	    fallback);
}

VCL_BOOL
vmod_hosts_bool(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_BOOL fallback)
{
	const struct fm_value *value;

	value = hosts_value(ctx, hosts);
	return (fm_value_has(value, FM_VALUE_FLAG) ? value->flag : fallback);
}

VCL_BACKEND
vmod_hosts_backend(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_BACKEND fallback)
{
	const struct fm_value *value;

	value = hosts_value(ctx, hosts);
	return (fm_value_has(value, FM_VALUE_BACKEND) ? value->backend :
	    fallback);
}

VCL_SUB
vmod_hosts_subroutine(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_SUB fallback)
{
	if (FM_OBJECT_MISSING(ctx, hosts))
		return (NULL);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	if (!fm_object_may_call(ctx, &hosts->object, "subroutine"))
		return (NULL);
	return (fm_value_sub(ctx, hosts_value(ctx, hosts), fallback));
}
