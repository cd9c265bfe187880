/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `params`.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "bounds.h"
#include "caps.h"
#include "compat.h"
#include "filling.h"
#include "params.h"
#include "pervcl.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

/* A set of names, and what is done with it. */
struct fm_params_set {
	unsigned			magic;
#define FM_PARAMS_SET_MAGIC		0x5b90e7c4
	struct fm_params		params;		/* what filters */
	struct fm_names_builder		*builder;	/* NULL: compiled */
	struct fm_names			*names;
};

/* The options of the recipe. */
#define PARAMS_KEEP			1U
#define PARAMS_SORT			2U
#define PARAMS_UNIQUE			4U

struct vmod_fastmatch_params {
	unsigned			magic;
#define FM_PARAMS_MAGIC			0x69d1f084
	struct fm_object		object;
	struct fm_filling		filling;
};

/*--------------------------------------------------------------------
 * How a set is made, by whichever thread
 */

static void
set_free(void *priv)
{
	struct fm_params_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_PARAMS_SET_MAGIC);
	if (set->builder != NULL)
		fm_names_build_free(&set->builder);
	if (set->names != NULL)
		fm_names_free(&set->names);
	FREE_OBJ(set);
}

static void *
set_begin(unsigned options)
{
	struct fm_params_set *set;

	ALLOC_OBJ(set, FM_PARAMS_SET_MAGIC);
	if (set == NULL)
		return (NULL);
	set->params.mode = options & PARAMS_KEEP ?
	    FM_PARAMS_KEEP : FM_PARAMS_DROP;
	set->params.sort = (options & PARAMS_SORT) != 0;
	set->params.unique = (options & PARAMS_UNIQUE) != 0;
	set->builder = fm_names_build_new();
	if (set->builder != NULL)
		return (set);
	set_free(set);
	return (NULL);
}

static int
set_add(void *priv, const struct fm_entry *entry, struct fm_diag *diag)
{
	struct fm_params_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_PARAMS_SET_MAGIC);
	AN(set->builder);
	return (fm_names_build_add(set->builder, entry->text, &entry->place,
	    diag));
}

static int
set_end(void *priv, struct fm_set_facts *facts, struct fm_diag *diag)
{
	struct fm_params_set *set;
	const struct fm_place nowhere = { .name = "params" };
	struct fm_caps caps = { .over = false };

	CAST_OBJ_NOTNULL(set, priv, FM_PARAMS_SET_MAGIC);
	AN(set->builder);
	fm_caps_begin(&caps);
	set->names = fm_names_build(set->builder, &nowhere, diag);
	fm_caps_end();
	if (set->names == NULL)
		return (-1);
	fm_names_build_free(&set->builder);
	set->params.names = set->names;
	facts->patterns = fm_names_count(set->names);
	facts->bytes = sizeof *set + fm_names_bytes(set->names);
	return (0);
}

static const struct fm_recipe_type params_type = {
	.set = {
		.name = "params",
		.make = fm_recipe_make,
		.free = set_free,
		.free_recipe = fm_recipe_end
	},
	.most = FM_LIMIT_OPERANDS,
	.begin = set_begin,
	.add = set_add,
	.end = set_end
};

/*--------------------------------------------------------------------
 * The object
 */

static int
params_warm(void *priv, struct fm_diag *diag)
{
	struct vmod_fastmatch_params *params;

	CAST_OBJ_NOTNULL(params, priv, FM_PARAMS_MAGIC);
	return (fm_filling_warm(&params->filling, diag));
}

VCL_VOID
vmod_params__init(VRT_CTX, struct vmod_fastmatch_params **paramsp,
    const char *name, struct vmod_priv *priv, VCL_ENUM mode, VCL_BOOL sort,
    VCL_BOOL unique)
{
	struct vmod_fastmatch_params *params;
	unsigned options;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(paramsp);
	AZ(*paramsp);
	options = (mode == VENUM(keep) ? PARAMS_KEEP : 0U) |
	    (sort ? PARAMS_SORT : 0U) | (unique ? PARAMS_UNIQUE : 0U);
	ALLOC_OBJ(params, FM_PARAMS_MAGIC);
	if (params == NULL || fm_filling_init(&params->filling, &params_type,
	    options) != 0) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		free(params);
		return;
	}
	if (fm_object_init(ctx, &params->object, fm_vcl_of(priv), name,
	    params_warm, params) != 0) {
		fm_filling_fini(&params->filling);
		FREE_OBJ(params);
		return;
	}
	fm_filling_of(&params->filling, &params->object);
	*paramsp = params;
}

VCL_VOID
vmod_params__fini(struct vmod_fastmatch_params **paramsp)
{
	struct vmod_fastmatch_params *params;

	TAKE_OBJ_NOTNULL(params, paramsp, FM_PARAMS_MAGIC);
	fm_object_fini(&params->object);
	fm_filling_fini(&params->filling);
	FREE_OBJ(params);
}

VCL_VOID
vmod_params_add(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING name)
{
	struct fm_diag *diag;
	struct fm_entry entry;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, params))
		return;
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	if (!fm_object_begin(ctx, &params->object, "add", &diag))
		return;
	entry = (struct fm_entry){
	    .text = fm_text_of(name),
	    .place = fm_object_place(&params->object) };
	if (name == NULL)
		fm_diag_error(diag, &entry.place, "the name is NULL");
	else
		failed = fm_filling_add(&params->filling, &entry, diag);
	fm_object_end(ctx, &params->object, "add", &diag, failed != 0);
}

VCL_VOID
vmod_params_load(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING path, VCL_DURATION watch)
{
	if (FM_OBJECT_MISSING(ctx, params))
		return;
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	fm_filling_vcl_load(ctx, &params->filling, path, 0, watch);
}

/*--------------------------------------------------------------------
 * Filtering
 */

typedef enum fm_params_result params_filter_f(const struct fm_params *,
    struct fm_text, char *, size_t, struct fm_text *);

/* What came of a call, counted. */
static void
params_count(VRT_CTX, const struct vmod_fastmatch_params *params,
    enum fm_params_result result, params_filter_f *filter, const char *method)
{
	const struct fm_counters *counters = &params->object.counters;
	bool changed = result == FM_PARAMS_CHANGED;
	unsigned shard = fm_shard_take();

	fm_counters_in(counters, shard, FM_COUNT_lookups, 1);
	fm_counters_in(counters, shard, FM_COUNT_hits, changed);
	fm_counters_in(counters, shard, FM_COUNT_url_rewrites,
	    changed && filter == fm_params_query);
	fm_shard_give(shard);
	if (result == FM_PARAMS_SPACE)
		fm_counters_overflow(ctx, counters, method,
		    "the text is returned unfiltered");
}

/*
 * Filters text into the workspace.  The outcome is text itself where nothing
 * changes, and where there is no room for what would; never a part of the set.
 */
static VCL_STRING
params_run(VRT_CTX, struct vmod_fastmatch_params *params,
    params_filter_f *filter, VCL_STRING text, const char *method)
{
	const struct fm_params_set *set;
	enum fm_params_result result;
	struct fm_reading reading;
	struct fm_text out;
	size_t bytes, len;
	char *room;

	if (FM_OBJECT_MISSING(ctx, params))
		return (text);
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	set = fm_filling_read(ctx, &params->filling, &reading);
	if (set == NULL)
		return (text);
	CHECK_OBJ(set, FM_PARAMS_SET_MAGIC);
	room = fm_ws_room(ctx->ws, &bytes);
	/* One byte is for the NUL. */
	result = filter(&set->params, fm_text_of(text), room,
	    bytes > 0 ? bytes - 1 : 0, &out);
	fm_filling_done(&reading);
	len = 0;
	if (result == FM_PARAMS_CHANGED && out.len > 0) {
		assert(out.b == room);
		assert(out.len < bytes);
		len = out.len;
		room[len++] = '\0';
	}
	fm_ws_keep(ctx->ws, len);
	params_count(ctx, params, result, filter, method);
	if (result != FM_PARAMS_CHANGED)
		return (text);
	/* Nothing takes no room, which there may be none of. */
	return (len > 0 ? room : "");
}

VCL_STRING
vmod_params_query(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING url)
{
	if (url == NULL)
		return (NULL);
	return (params_run(ctx, params, fm_params_query, url, "query"));
}

/*
 * Where no cookie is left, and where there was none but separators, it is NULL:
 * false in a condition, and "" in a header that it is assigned to.  An empty
 * string would be true.
 */
VCL_STRING
vmod_params_cookies(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING cookie)
{
	VCL_STRING left;

	if (cookie == NULL)
		return (NULL);
	left = params_run(ctx, params, fm_params_cookies, cookie, "cookies");
	return (left[strspn(left, "; \t")] == '\0' ? NULL : left);
}
