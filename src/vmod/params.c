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
#include "vcl.h"

#include "bounds.h"
#include "caps.h"
#include "compat.h"
#include "field.h"
#include "filling.h"
#include "params.h"
#include "pervcl.h"
#include "rules_refuse.h"
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

/* Counts what came of a text. */
static void
params_count(const struct fm_counters *counters, params_filter_f *filter,
    enum fm_params_result result)
{
	bool changed = result == FM_PARAMS_CHANGED;
	unsigned shard = fm_shard_take();

	fm_counters_in(counters, shard, FM_COUNT_lookups, 1);
	fm_counters_in(counters, shard, FM_COUNT_hits, changed);
	fm_counters_in(counters, shard, FM_COUNT_url_rewrites,
	    changed && filter == fm_params_query);
	fm_shard_give(shard);
}

/*
 * Filters text.  What is changed is made in the workspace, with `head` in front
 * and a NUL behind it; where nothing is left *line is empty and takes no room.
 */
static enum fm_params_result
params_filter(VRT_CTX, struct vmod_fastmatch_params *params,
    params_filter_f *filter, struct fm_text head, struct fm_text text,
    struct fm_text *line)
{
	const struct fm_params_set *set;
	enum fm_params_result result;
	struct fm_reading reading;
	size_t bytes;
	char *room;

	*line = text;
	set = fm_filling_read(ctx, &params->filling, &reading);
	if (set == NULL)
		return (FM_PARAMS_SAME);
	CHECK_OBJ(set, FM_PARAMS_SET_MAGIC);
	room = fm_ws_room(ctx->ws, &bytes);
	bytes = bytes > head.len + 1 ? bytes - head.len - 1 : 0;
	result = filter(&set->params, text, room + head.len, bytes, line);
	fm_filling_done(&reading);
	params_count(&params->object.counters, filter, result);
	if (result != FM_PARAMS_CHANGED || line->len == 0)
		return (result);
	assert(line->b == room + head.len);
	memcpy(room, head.b, head.len);
	*line = fm_text(room, head.len + line->len);
	room[line->len] = '\0';
	fm_ws_keep(ctx->ws, line->len + 1);
	return (result);
}

/* Returns the text itself where nothing changes, or what would has no room. */
static VCL_STRING
params_string(VRT_CTX, struct vmod_fastmatch_params *params,
    params_filter_f *filter, VCL_STRING text, const char *method)
{
	struct fm_text out;

	if (FM_OBJECT_MISSING(ctx, params))
		return (text);
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	switch (params_filter(ctx, params, filter, fm_text("", 0),
	    fm_text_of(text), &out)) {
	case FM_PARAMS_CHANGED:
		return (out.len > 0 ? out.b : "");
	case FM_PARAMS_SPACE:
		fm_counters_overflow(ctx, &params->object.counters, method,
		    "the text is returned unfiltered");
		return (text);
	default:
		return (text);
	}
}

VCL_STRING
vmod_params_query(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING url)
{
	if (url == NULL)
		return (NULL);
	return (params_string(ctx, params, fm_params_query, url, "query"));
}

VCL_STRING
vmod_params_cookies(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING cookie)
{
	VCL_STRING left;

	if (cookie == NULL)
		return (NULL);
	left = params_string(ctx, params, fm_params_cookies, cookie,
	    "cookies");
	return (fm_params_cookies_any(fm_text_of(left)) ? left : NULL);
}

/*--------------------------------------------------------------------
 * Cleaning the request itself
 */

/*
 * Ends a request that can't be cleaned, so that nothing comes of it: vcl_recv
 * by the answer that .apply() gives, other subs as VCL does where it has no
 * room for a text.
 */
static void
params_refuse(VRT_CTX, const struct vmod_fastmatch_params *params,
    const char *method, enum fm_refusal why)
{
	const struct fm_counters *counters = &params->object.counters;
	const char *missing = why == FM_REFUSED_MEMORY ? "memory" :
	    "workspace";

	if (VRT_handled(ctx))
		return;
	if (ctx->method == VCL_MET_RECV) {
		fm_counters_refused(ctx, counters, method, why);
		fm_refuse(ctx, why);
		return;
	}
	if (why == FM_REFUSED_MEMORY)
		fm_counters_no_memory(ctx, counters, method,
		    "the request fails");
	else
		fm_counters_overflow(ctx, counters, method,
		    "the request fails");
	VRT_fail(ctx, "fastmatch: %s.%s(): out of %s", params->object.name,
	    method, missing);
}

/*
 * Returns the request to be cleaned, or NULL: there is none, or it was refused
 * before a restart.
 */
static struct http *
params_request(VRT_CTX, const struct vmod_fastmatch_params *params,
    const char *method)
{
	enum fm_refusal why;
	struct http *hp;

	if (FM_OBJECT_MISSING(ctx, params))
		return (NULL);
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	if (ctx->method == VCL_MET_RECV) {
		why = fm_refused_before(ctx);
		if (why != FM_REFUSED_NOT) {
			params_refuse(ctx, params, method, why);
			return (NULL);
		}
	} else if (!fm_object_may_call(ctx, &params->object, method))
		return (NULL);
	hp = fm_field_http(ctx);
	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	return (hp);
}

VCL_VOID
vmod_params_clean_url(VRT_CTX, struct vmod_fastmatch_params *params)
{
	static const char method[] = "clean_url";
	struct fm_text url, line;
	struct http *hp;

	hp = params_request(ctx, params, method);
	if (hp == NULL)
		return;
	url = fm_text_span(hp->hd[HTTP_HDR_URL].b, hp->hd[HTTP_HDR_URL].e);
	switch (params_filter(ctx, params, fm_params_query, fm_text("", 0),
	    url, &line)) {
	case FM_PARAMS_CHANGED:
		/* No request has an empty one. */
		http_SetH(hp, HTTP_HDR_URL, line.len > 0 ? line.b : "/");
		break;
	case FM_PARAMS_SPACE:
		params_refuse(ctx, params, method,
		    fm_ws_free(ctx->ws) > url.len ? FM_REFUSED_MEMORY :
		    FM_REFUSED_WORKSPACE);
		break;
	default:
		break;
	}
}

/*
 * Cleans one Cookie.  Returns the number of the field that comes next, or 0 if
 * the request is refused.
 */
static unsigned
clean_cookie(VRT_CTX, struct vmod_fastmatch_params *params, struct http *hp,
    unsigned n, struct fm_text name, const char *method)
{
	struct fm_text cookies, head, line;
	enum fm_params_result result;

	cookies = fm_field_value(hp, n, name);
	head = fm_text_span(hp->hd[n].b, cookies.b);
	result = params_filter(ctx, params, fm_params_cookies, head, cookies,
	    &line);
	if (result == FM_PARAMS_SPACE) {
		params_refuse(ctx, params, method, fm_ws_free(ctx->ws) >
		    head.len + fm_params_cookies_cap(cookies) ?
		    FM_REFUSED_MEMORY : FM_REFUSED_WORKSPACE);
		return (0);
	}
	if (result == FM_PARAMS_CHANGED ? line.len == 0 :
	    !fm_params_cookies_any(cookies)) {
		fm_field_remove(hp, n);
		return (n);
	}
	if (result == FM_PARAMS_CHANGED)
		fm_field_replace(hp, n, line);
	return (n + 1);
}

/* Varnish makes one Cookie of all, where it has room for that. */
VCL_VOID
vmod_params_clean_cookies(VRT_CTX, struct vmod_fastmatch_params *params)
{
	static const char method[] = "clean_cookies";
	const struct fm_text name = fm_text("Cookie", 6);
	struct http *hp;
	unsigned n;

	hp = params_request(ctx, params, method);
	if (hp == NULL)
		return;
	n = fm_field_find(hp, HTTP_HDR_FIRST, name);
	while (n > 0 && n < hp->nhd) {
		n = clean_cookie(ctx, params, hp, n, name, method);
		if (n > 0)
			n = fm_field_find(hp, n, name);
	}
}
