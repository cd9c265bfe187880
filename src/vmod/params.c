/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL object `params`: makes its sets of parameter names, and filters query
 * strings and cookies with them: as strings, or in the request itself.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "bounds.h"
#include "compat.h"
#include "field.h"
#include "inplace.h"
#include "object.h"
#include "params.h"
#include "pervcl.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

struct vmod_fastmatch_params {
	struct fm_object		object;
};

/* The options of the object. */
#define PARAMS_KEEP			1U
#define PARAMS_SORT			2U
#define PARAMS_UNIQUE			4U

/*--------------------------------------------------------------------
 * Making a set, in any thread: the names, and how parameters are filtered by
 * them
 */

struct made {
	struct fm_params		params;		/* has the names, too */
	struct fm_names			*names;
};

static void
params_free(void *priv)
{
	struct made *made = priv;

	if (made->names != NULL)
		fm_names_free(&made->names);
	free(made);
}

static void *
params_begin(unsigned options)
{
	struct made *made;

	made = calloc(1, sizeof *made);
	if (made == NULL)
		return (NULL);
	made->params.mode = options & PARAMS_KEEP ?
	    FM_PARAMS_KEEP : FM_PARAMS_DROP;
	made->params.sort = (options & PARAMS_SORT) != 0;
	made->params.unique = (options & PARAMS_UNIQUE) != 0;
	made->params.names = made->names = fm_names_new(false);
	if (made->names != NULL)
		return (made);
	params_free(made);
	return (NULL);
}

static int
params_add(void *priv, uint32_t n, const struct fm_entry *entry,
    struct fm_diag *diag)
{
	struct made *made = priv;

	(void)n;
	return (fm_names_add(made->names, entry->text, &entry->place, diag));
}

static int
params_end(void *priv, const struct fm_place *first,
    struct fm_set_facts *facts, struct fm_diag *diag)
{
	const struct fm_place nowhere = { .name = "params" };
	struct made *made = priv;

	(void)first;
	if (fm_names_make(made->names, &nowhere, diag) != 0)
		return (-1);
	facts->patterns = fm_patset_count(fm_names_set(made->names));
	facts->bytes = sizeof *made + fm_names_bytes(made->names);
	return (0);
}

static const struct fm_object_type params_type = {
	.noun = "name",
	.counters = FM_COUNTERS_PARAMS,
	.most = FM_LIMIT_OPERANDS,
	.begin = params_begin,
	.add = params_add,
	.end = params_end,
	.free = params_free
};

/*--------------------------------------------------------------------
 * The object
 */

VCL_VOID
vmod_params__init(VRT_CTX, struct vmod_fastmatch_params **paramsp,
    const char *name, struct vmod_priv *priv, VCL_ENUM mode, VCL_BOOL sort,
    VCL_BOOL unique)
{
	AN(paramsp);
	AZ(*paramsp);
	*paramsp = fm_object_new(ctx, fm_vcl_of(priv), name, sizeof **paramsp,
	    &params_type, (mode == VENUM(keep) ? PARAMS_KEEP : 0U) |
	    (sort ? PARAMS_SORT : 0U) | (unique ? PARAMS_UNIQUE : 0U));
}

VCL_VOID
vmod_params__fini(struct vmod_fastmatch_params **paramsp)
{
	fm_object_close(&(*paramsp)->object);
	fm_object_drop(*paramsp);
	*paramsp = NULL;
}

VCL_VOID
vmod_params_add(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING name)
{
	const struct fm_entry entry = { .text = fm_text_of(name) };

	fm_object_add(ctx, (void *)params, &entry);
}

VCL_VOID
vmod_params_load(VRT_CTX, struct vmod_fastmatch_params *params,
    VCL_STRING path, VCL_DURATION watch)
{
	fm_object_load(ctx, (void *)params, path, 0, watch);
}

/*--------------------------------------------------------------------
 * Filtering
 */

typedef enum fm_params_result params_filter_f(const struct fm_params *,
    struct fm_text, char *, size_t, struct fm_text *);

/* Counts a text that was filtered, and whether it has changed. */
static inline void
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
 * Filters a text.  A changed text is written to the workspace, with `head`
 * before it and a NUL after it.  If nothing is left *line is empty, and takes
 * no workspace.
 */
static enum fm_params_result
params_filter(VRT_CTX, struct vmod_fastmatch_params *params,
    params_filter_f *filter, struct fm_text head, struct fm_text text,
    struct fm_text *line)
{
	const struct fm_version *version;
	const struct fm_filled *set;
	const struct made *made;
	enum fm_params_result result;
	size_t bytes;
	char *room;

	set = fm_object_read(&params->object, &version);
	CHECK_OBJ(set, FM_FILLED_MAGIC);
	made = set->made;
	room = fm_ws_room(ctx->ws, &bytes);
	bytes = bytes > head.len + 1 ? bytes - head.len - 1 : 0;
	result = filter(&made->params, text, room + head.len, bytes, line);
	fm_object_done(version);
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

/* Filters a string; returns it unchanged if there is no room for the result. */
static VCL_STRING
params_string(VRT_CTX, struct vmod_fastmatch_params *params,
    params_filter_f *filter, VCL_STRING text, const char *method)
{
	struct fm_text out;

	if (!FM_OBJECT_SERVES(ctx, params, method))
		return (text);
	CHECK_OBJ_NOTNULL(&params->object, FM_OBJECT_MAGIC);
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
 * Returns the request to be cleaned; NULL if there is none, or if it was
 * refused before a restart and now is again.
 */
static struct http *
params_request(VRT_CTX, const struct vmod_fastmatch_params *params,
    const char *method)
{
	struct http *hp;

	if (!FM_OBJECT_SERVES(ctx, params, method))
		return (NULL);
	CHECK_OBJ_NOTNULL(&params->object, FM_OBJECT_MAGIC);
	if (!fm_inplace_begin(ctx, &params->object.counters, method))
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
	if (memchr(url.b, '?', url.len) == NULL) {
		params_count(&params->object.counters, fm_params_query,
		    FM_PARAMS_SAME);
		return;
	}
	switch (params_filter(ctx, params, fm_params_query, fm_text("", 0),
	    url, &line)) {
	case FM_PARAMS_CHANGED:
		/* The URL of a request must not be empty. */
		http_SetH(hp, HTTP_HDR_URL, line.len > 0 ? line.b : "/");
		break;
	case FM_PARAMS_SPACE:
		fm_inplace_refuse(ctx, &params->object.counters, method,
		    fm_ws_free(ctx->ws) > url.len ? FM_REFUSED_MEMORY :
		    FM_REFUSED_WORKSPACE);
		break;
	default:
		break;
	}
}

/*
 * Cleans one Cookie field.  Returns the number of the field to go on with, or 0
 * if the request was refused.
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
		fm_inplace_refuse(ctx, &params->object.counters, method,
		    fm_ws_free(ctx->ws) >
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

/* Cleans all Cookies; Varnish has joined them into one if it had room. */
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
