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

#include "compat.h"
#include "listfile.h"
#include "object.h"
#include "params.h"
#include "pervcl.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

/*
 * In vcl_init the names are made when they are needed, and thrown away by a
 * later .add(); the first WARM ends the builder, and from there on nothing
 * changes any more.
 */
struct vmod_fastmatch_params {
	unsigned			magic;
#define FM_PARAMS_MAGIC			0x69d1f084
	struct fm_object		object;
	struct fm_params		params;		/* what filters */
	struct fm_names_builder		*builder;	/* NULL after WARM */
	struct fm_names			*names;		/* NULL: not yet */
};

static int
params_compile(struct vmod_fastmatch_params *params)
{
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	if (params->names == NULL)
		params->names = fm_names_build(params->builder);
	params->params.names = params->names;
	return (params->names == NULL ? -1 : 0);
}

static int
params_warm(void *priv, struct fm_diag *diag)
{
	struct vmod_fastmatch_params *params;

	CAST_OBJ_NOTNULL(params, priv, FM_PARAMS_MAGIC);
	if (params_compile(params) != 0) {
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	if (params->builder != NULL)
		fm_names_build_free(&params->builder);
	return (0);
}

static void
params_free(struct vmod_fastmatch_params **paramsp)
{
	struct vmod_fastmatch_params *params;

	TAKE_OBJ_NOTNULL(params, paramsp, FM_PARAMS_MAGIC);
	if (params->builder != NULL)
		fm_names_build_free(&params->builder);
	if (params->names != NULL)
		fm_names_free(&params->names);
	FREE_OBJ(params);
}

VCL_VOID
vmod_params__init(VRT_CTX, struct vmod_fastmatch_params **paramsp,
    const char *name, struct vmod_priv *priv, VCL_ENUM mode, VCL_BOOL sort,
    VCL_BOOL unique)
{
	struct vmod_fastmatch_params *params;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(paramsp);
	AZ(*paramsp);
	ALLOC_OBJ(params, FM_PARAMS_MAGIC);
	if (params != NULL)
		params->builder = fm_names_build_new();
	if (params == NULL || params->builder == NULL) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		free(params);
		return;
	}
	if (fm_object_init(ctx, &params->object, fm_vcl_of(priv), name,
	    params_warm, params) != 0) {
		params_free(&params);
		return;
	}
	params->params.mode = mode == VENUM(keep) ?
	    FM_PARAMS_KEEP : FM_PARAMS_DROP;
	params->params.sort = sort != 0;
	params->params.unique = unique != 0;
	*paramsp = params;
}

VCL_VOID
vmod_params__fini(struct vmod_fastmatch_params **paramsp)
{
	AN(paramsp);
	CHECK_OBJ_NOTNULL(*paramsp, FM_PARAMS_MAGIC);
	fm_object_fini(&(*paramsp)->object);
	params_free(paramsp);
}

/*--------------------------------------------------------------------
 * Filling it
 */

/* 0, or -1 with the reason in the diag. */
static int
params_add(struct vmod_fastmatch_params *params, struct fm_text name,
    const struct fm_place *place, struct fm_diag *diag)
{
	AN(params->builder);
	if (params->names != NULL)
		fm_names_free(&params->names);
	return (fm_names_build_add(params->builder, name, place, diag));
}

VCL_VOID
vmod_params_add(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING name)
{
	struct fm_diag *diag;
	struct fm_place place;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, params))
		return;
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	if (!fm_object_begin(ctx, &params->object, "add", &diag))
		return;
	place = fm_object_place(&params->object);
	if (name == NULL)
		fm_diag_error(diag, &place, "the name is NULL");
	else
		failed = params_add(params, fm_text_of(name), &place, diag);
	fm_object_end(ctx, &params->object, "add", &diag, failed != 0);
}

/* All lines, also after a mistake. */
static int
params_load(struct vmod_fastmatch_params *params, struct fm_listfile *file,
    struct fm_diag *diag)
{
	struct fm_text line;
	struct fm_place place;
	int failed = 0;

	while (fm_listfile_next(file, &line, &place, diag))
		if (params_add(params, line, &place, diag) != 0)
			failed = -1;
	return (failed);
}

VCL_VOID
vmod_params_load(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING path, VCL_DURATION watch)
{
	struct fm_diag *diag;
	struct fm_listfile *file;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, params))
		return;
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	if (!fm_object_begin(ctx, &params->object, "load", &diag))
		return;
	if (fm_object_may_load(&params->object, path, watch, diag)) {
		file = fm_listfile_read(path, NULL, diag);
		if (file != NULL) {
			failed = params_load(params, file, diag);
			fm_listfile_free(&file);
		}
	}
	fm_object_end(ctx, &params->object, "load", &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * Filtering
 */

typedef enum fm_params_result params_filter_f(const struct fm_params *,
    struct fm_text, char *, size_t, struct fm_text *);

/*
 * Filters text into the workspace.  The outcome is text itself where nothing
 * changes, and where there is no room for what would.
 */
static VCL_STRING
params_run(VRT_CTX, struct vmod_fastmatch_params *params,
    params_filter_f *filter, VCL_STRING text, const char *method)
{
	enum fm_params_result result;
	struct fm_text out;
	size_t bytes, len;
	char *room;

	if (FM_OBJECT_MISSING(ctx, params))
		return (text);
	CHECK_OBJ_NOTNULL(params, FM_PARAMS_MAGIC);
	if (params->names == NULL) {
		assert(!fm_in_request(ctx));
		if (params_compile(params) != 0) {
			VRT_fail(ctx, "fastmatch: %s could not be compiled:"
			    " out of memory", params->object.name);
			return (text);
		}
	}
	room = fm_ws_room(ctx->ws, &bytes);
	/* One byte is for the NUL. */
	result = filter(&params->params, fm_text_of(text), room,
	    bytes > 0 ? bytes - 1 : 0, &out);
	len = 0;
	if (result == FM_PARAMS_CHANGED && out.len > 0) {
		assert(out.b == room);
		assert(out.len < bytes);
		len = out.len;
		room[len++] = '\0';
	}
	fm_ws_keep(ctx->ws, len);
	if (result == FM_PARAMS_SPACE)
		fm_counters_overflow(ctx, &params->object.counters, method,
		    "the text is returned unfiltered");
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
