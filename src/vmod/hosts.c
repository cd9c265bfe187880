/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL object `hosts`: makes its tables, and answers its methods.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "bounds.h"
#include "compat.h"
#include "field.h"
#include "hosttab.h"
#include "listfile.h"
#include "object.h"
#include "pervcl.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

struct vmod_fastmatch_hosts {
	struct fm_object		object;
};

/*--------------------------------------------------------------------
 * Making a set, in any thread
 */

static void *
hosts_begin(unsigned options)
{
	AZ(options);
	return (fm_hosttab_new());
}

static int
hosts_add(void *table, uint32_t n, const struct fm_entry *entry,
    struct fm_diag *diag)
{
	return (fm_hosttab_add(table, entry->text, n, &entry->place, diag));
}

static int
hosts_end(void *table, const struct fm_place *first,
    struct fm_set_facts *facts, struct fm_diag *diag)
{
	(void)first;
	(void)diag;
	fm_hosttab_seal(table);
	facts->hosts = fm_hosttab_count(table);
	facts->bytes = fm_hosttab_bytes(table);
	return (0);
}

static void
hosts_free(void *priv)
{
	struct fm_hosttab *table = priv;

	fm_hosttab_free(&table);
}

static const struct fm_object_type hosts_type = {
	.noun = "host",
	.counters = FM_COUNTERS_HOSTS,
	.most = FM_LIMIT_HOSTS,
	.part = fm_listfile_word,
	.begin = hosts_begin,
	.add = hosts_add,
	.end = hosts_end,
	.free = hosts_free
};

VCL_VOID
vmod_hosts__init(VRT_CTX, struct vmod_fastmatch_hosts **hostsp,
    const char *name, struct vmod_priv *priv)
{
	AN(hostsp);
	AZ(*hostsp);
	*hostsp = fm_object_new(ctx, fm_vcl_of(priv), name, sizeof **hostsp,
	    &hosts_type, 0);
}

VCL_VOID
vmod_hosts__fini(struct vmod_fastmatch_hosts **hostsp)
{
	fm_object_close(&(*hostsp)->object);
	fm_object_drop(*hostsp);
	*hostsp = NULL;
}

VCL_VOID
vmod_hosts_add(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    struct VARGS(hosts_add) *args)
{
	const struct fm_entry entry = {
	    .text = fm_text_of(args->host),
	    .string = fm_text_of(args->string),
	    .value = FM_VALUE_ARGS(args) };

	fm_object_add(ctx, (void *)hosts, &entry);
}

VCL_VOID
vmod_hosts_load(VRT_CTX, struct vmod_fastmatch_hosts *hosts, VCL_STRING path,
    VCL_DURATION watch)
{
	fm_object_load(ctx, (void *)hosts, path, 0, watch);
}

/*--------------------------------------------------------------------
 * The match of a task
 *
 * A task remembers two things in the object's vmod_priv, so that no workspace
 * is needed beside that: in `len` the number of the entry plus one (0: no
 * hit), and in `priv` the version that it has pinned, or NULL.
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

/* Returns the task's priv, with a version pinned; NULL if there is no room. */
static struct vmod_priv *
task_pin(VRT_CTX, const struct vmod_fastmatch_hosts *hosts)
{
	const struct fm_version *version;
	struct vmod_priv *priv;

	priv = fm_task_make(ctx, hosts, 0);
	if (priv != NULL && priv->priv == NULL) {
		version = fm_live_pin(hosts->object.live);
		priv->priv = TRUST_ME(version);
		priv->methods = task_methods;
	}
	return (priv);
}

/* Returns the set that the task has pinned, or else the one that stays. */
static const struct fm_filled *
task_set(const struct vmod_fastmatch_hosts *hosts,
    const struct vmod_priv *priv)
{
	const struct fm_version *version = priv->priv;

	return (version != NULL ? version->payload : hosts->object.fixed);
}

/*--------------------------------------------------------------------
 * Looking hosts up
 */

/* Looks a host up in a set, and counts.  Returns false if there is none. */
static bool
hosts_find(const struct vmod_fastmatch_hosts *hosts,
    const struct fm_filled *set, struct fm_text host, uint32_t *number)
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

	CHECK_OBJ(set, FM_FILLED_MAGIC);
	found = fm_hosttab_lookup(set->made, host, buf, &canon, &hit);
	shard = fm_shard_take();
	fm_counters_in(counters, shard, FM_COUNT_lookups, 1);
	if (found)
		fm_counters_in(counters, shard, how[hit.how], 1);
	if (found && hit.how == FM_HOSTTAB_ANY)
		fm_counters_in(counters, shard, FM_COUNT_hits, 1);
	fm_shard_give(shard);
	*number = hit.entry;
	return (found);
}

VCL_BOOL
vmod_hosts_match(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    struct VARGS(hosts_match) *args)
{
	const struct fm_version *version = NULL;
	struct vmod_priv *priv = NULL;
	const struct fm_filled *set;
	uint32_t number;
	bool hit;

	if (!FM_OBJECT_SERVES(ctx, hosts, "match"))
		return (0);
	CHECK_OBJ_NOTNULL(&hosts->object, FM_OBJECT_MAGIC);
	AN(args);
	if (hosts->object.fixed == NULL)
		priv = task_pin(ctx, hosts);
	set = priv != NULL ? task_set(hosts, priv) :
	    fm_object_read(&hosts->object, &version);
	hit = hosts_find(hosts, set, args->valid_host ?
	    fm_text_of(args->host) :
	    fm_field_of_request(ctx, fm_text("Host", 4)), &number);
	fm_object_done(version);
	/* A set that stays needs no pin: the task is needed only now. */
	if (hosts->object.fixed != NULL)
		priv = hit ? fm_task_make(ctx, hosts, 0) :
		    VRT_priv_task_get(ctx, hosts);
	if (priv != NULL)
		priv->len = hit ? (long)number + 1 : 0;
	else if (hit)
		fm_counters_overflow(ctx, &hosts->object.counters, "match",
		    "the match is not kept");
	return (hit);
}

VCL_STRING
vmod_hosts_lookup(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_STRING host, VCL_STRING fallback)
{
	const struct fm_version *version = NULL;
	const struct vmod_priv *priv = NULL;
	VCL_STRING string = fallback;
	const struct fm_filled *set;
	uint32_t number;

	if (!FM_OBJECT_SERVES(ctx, hosts, "lookup"))
		return (fallback);
	CHECK_OBJ_NOTNULL(&hosts->object, FM_OBJECT_MAGIC);
	if (hosts->object.fixed == NULL)
		priv = VRT_priv_task_get(ctx, hosts);
	set = priv != NULL ? task_set(hosts, priv) :
	    fm_object_read(&hosts->object, &version);
	if (hosts_find(hosts, set, fm_text_of(host), &number))
		string = fm_value_task_string(ctx, &hosts->object, version,
		    fm_filled_value(set, number), fallback, "lookup");
	fm_object_done(version);
	return (string);
}

/* Returns the entry of this task's last .match(); NULL if there was no hit. */
static const struct fm_datum *
hosts_value(VRT_CTX, const struct vmod_fastmatch_hosts *hosts,
    const char *method)
{
	const struct vmod_priv *priv;
	const struct fm_filled *set;

	if (!FM_OBJECT_SERVES(ctx, hosts, method))
		return (NULL);
	CHECK_OBJ_NOTNULL(&hosts->object, FM_OBJECT_MAGIC);
	priv = VRT_priv_task_get(ctx, hosts);
	if (priv == NULL || priv->len == 0)
		return (NULL);
	set = task_set(hosts, priv);
	CHECK_OBJ_NOTNULL(set, FM_FILLED_MAGIC);
	return (fm_filled_value(set, (size_t)priv->len - 1));
}

VCL_STRING
vmod_hosts_pattern(VRT_CTX, struct vmod_fastmatch_hosts *hosts)
{
	const struct fm_datum *value;

	value = hosts_value(ctx, hosts, "pattern");
	return (value == NULL ? NULL : value->pattern);
}

VCL_STRING
vmod_hosts_string(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_STRING fallback)
{
	return (fm_value_string(hosts_value(ctx, hosts, "string"), fallback));
}

VCL_INT
vmod_hosts_integer(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_INT fallback)
{
	return (fm_value_integer(hosts_value(ctx, hosts, "integer"),
	    fallback));
}

VCL_BOOL
vmod_hosts_bool(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_BOOL fallback)
{
	return (fm_value_flag(hosts_value(ctx, hosts, "bool"), fallback));
}

VCL_BACKEND
vmod_hosts_backend(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_BACKEND fallback)
{
	return (fm_value_backend(hosts_value(ctx, hosts, "backend"),
	    fallback));
}

VCL_SUB
vmod_hosts_subroutine(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_SUB fallback)
{
	return (fm_value_sub(ctx, hosts_value(ctx, hosts, "subroutine"),
	    fallback));
}
