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
#include "hostname.h"
#include "hosttab.h"
#include "listfile.h"
#include "object.h"
#include "pervcl.h"
#include "task.h"
#include "value.h"
#include "vcc_fastmatch_if.h"

/*
 * The table gives numbers of entries of the values.  In vcl_init it is made
 * when it is needed, and thrown away by a later .add(); the first WARM ends
 * the builder, and from there on nothing changes any more.
 */
struct vmod_fastmatch_hosts {
	unsigned			magic;
#define FM_HOSTS_MAGIC			0x5e02c79a
	struct fm_object		object;
	struct fm_values		values;
	struct fm_hosttab_builder	*builder;	/* NULL after WARM */
	struct fm_hosttab		*table;		/* NULL: not yet */
};

static int
hosts_compile(struct vmod_fastmatch_hosts *hosts)
{
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	if (hosts->table == NULL)
		hosts->table = fm_hosttab_build(hosts->builder);
	return (hosts->table == NULL ? -1 : 0);
}

static int
hosts_warm(void *priv, struct fm_diag *diag)
{
	struct vmod_fastmatch_hosts *hosts;

	CAST_OBJ_NOTNULL(hosts, priv, FM_HOSTS_MAGIC);
	if (hosts_compile(hosts) != 0) {
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	if (hosts->builder != NULL)
		fm_hosttab_build_free(&hosts->builder);
	return (0);
}

static void
hosts_free(struct vmod_fastmatch_hosts **hostsp)
{
	struct vmod_fastmatch_hosts *hosts;

	TAKE_OBJ_NOTNULL(hosts, hostsp, FM_HOSTS_MAGIC);
	if (hosts->builder != NULL)
		fm_hosttab_build_free(&hosts->builder);
	if (hosts->table != NULL)
		fm_hosttab_free(&hosts->table);
	FREE_OBJ(hosts);
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
	if (hosts != NULL)
		hosts->builder = fm_hosttab_build_new();
	if (hosts == NULL || hosts->builder == NULL) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		free(hosts);
		return;
	}
	if (fm_object_init(ctx, &hosts->object, fm_vcl_of(priv), name,
	    hosts_warm, hosts) != 0) {
		hosts_free(&hosts);
		return;
	}
	fm_values_init(&hosts->values);
	*hostsp = hosts;
}

VCL_VOID
vmod_hosts__fini(struct vmod_fastmatch_hosts **hostsp)
{
	AN(hostsp);
	CHECK_OBJ_NOTNULL(*hostsp, FM_HOSTS_MAGIC);
	fm_values_fini(&(*hostsp)->values);
	fm_object_fini(&(*hostsp)->object);
	hosts_free(hostsp);
}

/*--------------------------------------------------------------------
 * Filling it
 */

/* 0, or -1 with the reason in the diag, or for want of memory. */
static int
hosts_add(struct vmod_fastmatch_hosts *hosts, struct fm_text host,
    const struct fm_given *given, const struct fm_place *place,
    struct fm_diag *diag)
{
	AN(hosts->builder);
	if (hosts->table != NULL)
		fm_hosttab_free(&hosts->table);
	if (fm_hosttab_build_add(hosts->builder, host,
	    (uint32_t)hosts->values.count, place, diag) != 0)
		return (-1);
	return (fm_values_add(&hosts->values, hosts->object.vcl, host, given,
	    place, diag));
}

VCL_VOID
vmod_hosts_add(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    struct VARGS(hosts_add) *args)
{
	struct fm_diag *diag;
	struct fm_place place;
	struct fm_given given;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return;
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	AN(args);
	if (!fm_object_begin(ctx, &hosts->object, "add", &diag))
		return;
	place = fm_object_place(&hosts->object);
	given = FM_GIVEN_ARGS(args);
	if (args->host == NULL)
		fm_diag_error(diag, &place, "the host is NULL");
	else
		failed = hosts_add(hosts, fm_text_of(args->host), &given,
		    &place, diag);
	fm_object_end(ctx, &hosts->object, "add", &diag, failed != 0);
}

/*
 * All lines, also after a mistake.  The builder remembers the place of each
 * host, for the second one to name it, so the name of the file must stay.
 */
static int
hosts_load(struct vmod_fastmatch_hosts *hosts, const char *path,
    struct fm_listfile *file, struct fm_diag *diag)
{
	struct fm_text line, host, string;
	struct fm_place place;
	struct fm_given given;
	const char *name;
	int failed = 0;

	name = fm_arena_add(&hosts->values.arena, fm_text_of(path));
	if (name == NULL)
		return (-1);
	while (fm_listfile_next(file, &line, &place, diag)) {
		place.name = name;
		fm_listfile_word(line, &host, &string);
		given = fm_given_string(string);
		if (hosts_add(hosts, host, &given, &place, diag) != 0)
			failed = -1;
	}
	return (failed);
}

VCL_VOID
vmod_hosts_load(VRT_CTX, struct vmod_fastmatch_hosts *hosts, VCL_STRING path,
    VCL_DURATION watch)
{
	struct fm_diag *diag;
	struct fm_listfile *file;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return;
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	if (!fm_object_begin(ctx, &hosts->object, "load", &diag))
		return;
	if (fm_object_may_load(&hosts->object, path, watch, diag)) {
		file = fm_listfile_read(path, NULL, diag);
		if (file != NULL) {
			failed = hosts_load(hosts, path, file, diag);
			fm_listfile_free(&file);
		}
	}
	fm_object_end(ctx, &hosts->object, "load", &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * Asking it
 *
 * A task remembers the number of the entry plus one, in the place that
 * Varnish has for the length of something; so no workspace is needed but for
 * Varnish's own structure.
 */

/* The entry for a host; false where there is none. */
static bool
hosts_find(VRT_CTX, struct vmod_fastmatch_hosts *hosts, VCL_STRING host,
    uint32_t *number)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;
	struct fm_text canon;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return (false);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	if (fm_hostname_canon(fm_text_of(host), buf, &canon) !=
	    FM_HOSTNAME_OK)
		return (false);
	if (hosts->table == NULL) {
		assert(!fm_in_request(ctx));
		if (hosts_compile(hosts) != 0) {
			VRT_fail(ctx, "fastmatch: %s could not be compiled:"
			    " out of memory", hosts->object.name);
			return (false);
		}
	}
	if (!fm_hosttab_lookup(hosts->table, canon, &hit))
		return (false);
	*number = hit.entry;
	return (true);
}

VCL_BOOL
vmod_hosts_match(VRT_CTX, struct vmod_fastmatch_hosts *hosts, VCL_STRING host)
{
	struct vmod_priv *priv;
	uint32_t number;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return (0);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	priv = fm_task_get(ctx, hosts);
	if (priv != NULL)
		priv->len = 0;
	if (!hosts_find(ctx, hosts, host, &number))
		return (0);
	if (priv == NULL)
		priv = fm_task_make(ctx, hosts);
	if (priv != NULL)
		priv->len = (long)number + 1;
	else
		fm_counters_overflow(ctx, &hosts->object.counters, "match",
		    "the match is not kept");
	return (1);
}

VCL_STRING
vmod_hosts_lookup(VRT_CTX, struct vmod_fastmatch_hosts *hosts,
    VCL_STRING host, VCL_STRING fallback)
{
	const struct fm_value *value;
	uint32_t number;

	if (!hosts_find(ctx, hosts, host, &number))
		return (fallback);
	value = &hosts->values.entry[number];
	return (fm_value_has(value, FM_VALUE_STRING) ? value->string :
	    fallback);
}

/* The entry of this task's last .match(); NULL if that was no hit. */
static const struct fm_value *
hosts_value(VRT_CTX, const struct vmod_fastmatch_hosts *hosts)
{
	struct vmod_priv *priv;

	if (FM_OBJECT_MISSING(ctx, hosts))
		return (NULL);
	CHECK_OBJ_NOTNULL(hosts, FM_HOSTS_MAGIC);
	priv = fm_task_get(ctx, hosts);
	if (priv == NULL || priv->len == 0)
		return (NULL);
	assert((size_t)priv->len <= hosts->values.count);
	return (&hosts->values.entry[priv->len - 1]);
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
	if (!fm_object_may_call(ctx, &hosts->object))
		return (NULL);
	return (fm_value_sub(ctx, hosts_value(ctx, hosts), fallback));
}
