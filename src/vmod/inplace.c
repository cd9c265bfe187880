/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Edits headers of the request in place for methods and functions (inplace.h).
 */

#include "config.h"

#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "field.h"
#include "inplace.h"
#include "rules_edit.h"
#include "rules_refuse.h"
#include "task.h"

/* Fails a request in another sub than vcl_recv. */
static void
fail(VRT_CTX, const struct fm_counters *counters, const char *method,
    enum fm_refusal why)
{
	const char *missing = why == FM_REFUSED_MEMORY ? "out of memory" :
	    why == FM_REFUSED_SLOTS ? "no room for more headers" :
	    "out of workspace";

	fm_counters_log(ctx, counters, why == FM_REFUSED_MEMORY ?
	    FM_COUNT_out_of_memory : FM_COUNT_workspace_overflow, method,
	    missing, "the request fails");
	VRT_fail(ctx, "fastmatch: %s%s%s(): %s",
	    counters->name == NULL ? "" : counters->name,
	    counters->name == NULL ? "" : ".", method, missing);
}

void
fm_inplace_refuse(VRT_CTX, const struct fm_counters *counters,
    const char *method, enum fm_refusal why)
{
	if (VRT_handled(ctx))
		return;
	if (ctx->method != VCL_MET_RECV) {
		fail(ctx, counters, method, why);
		return;
	}
	fm_counters_refused(ctx, counters, method, why);
	fm_refuse(ctx, why);
}

bool
fm_inplace_begin(VRT_CTX, const struct fm_counters *counters,
    const char *method)
{
	enum fm_refusal why;

	if (ctx->method != VCL_MET_RECV)
		return (true);
	why = fm_refused_before(ctx);
	if (why != FM_REFUSED_NOT)
		fm_inplace_refuse(ctx, counters, method, why);
	return (why == FM_REFUSED_NOT);
}

/*
 * Returns the name of a header.  The first byte of what VCL gives is the length
 * of the name with its colon: in the string until 7.7, and in the struct since.
 */
static struct fm_text
header_name(VCL_HEADER header)
{
	const char *what = (const void *)header->what;

	return (fm_text(what + 1, (unsigned char)what[0] - 1U));
}

bool
fm_inplace_look(struct fm_inplace *it, VRT_CTX,
    const struct fm_counters *counters, const char *method, VCL_HEADER header)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(header);
	if (header->where != HDR_REQ && header->where != HDR_BEREQ) {
		fm_counters_log(ctx, counters, FM_COUNT_misplaced, method,
		    "it does nothing with a header that is not of",
		    "req or bereq");
		return (false);
	}
	if (!fm_inplace_begin(ctx, counters, method))
		return (false);
	it->ctx = ctx;
	it->counters = counters;
	it->method = method;
	it->hp = header->where == HDR_REQ ? ctx->http_req : ctx->http_bereq;
	CHECK_OBJ_NOTNULL(it->hp, HTTP_MAGIC);
	it->name = header_name(header);
	it->n = fm_field_find(it->hp, HTTP_HDR_FIRST, it->name);
	return (true);
}

/* Returns a line in the workspace, or the missing text if there is no room. */
static struct fm_text
line_make(VRT_CTX, struct fm_text name, struct fm_text value)
{
	size_t len = name.len + 2 + value.len;
	char *line;

	line = fm_ws_alloc(ctx->ws, len + 1);
	if (line == NULL)
		return (fm_text(NULL, 0));
	memcpy(line, name.b, name.len);
	memcpy(line + name.len, ": ", 2);
	memcpy(line + name.len + 2, value.b, value.len);
	line[len] = '\0';
	return (fm_text(line, len));
}

/* Returns true if the first field of a header has this value already. */
static inline bool
is_right(const struct fm_inplace *it, struct fm_text value)
{
	const struct http *hp = it->hp;

	/* Varnish drops a field that the client's Connection names. */
	return (it->n < hp->nhd && (hp->hdf[it->n] & HDF_FILTER) == 0 &&
	    fm_text_eq(fm_field_value(hp, it->n, it->name), value));
}

/* Writes the first field, or adds it.  Returns false if there is no room. */
static bool
write_first(const struct fm_inplace *it, struct fm_text value)
{
	enum fm_refusal why = FM_REFUSED_WORKSPACE;
	struct fm_text line = fm_text(NULL, 0);
	struct http *hp = it->hp;

	if (it->n == hp->nhd && hp->nhd + FM_EDIT_SPARE_FIELDS >= hp->shd)
		why = FM_REFUSED_SLOTS;
	else
		line = line_make(it->ctx, it->name, value);
	if (line.b == NULL)
		fm_inplace_refuse(it->ctx, it->counters, it->method, why);
	else if (it->n < hp->nhd)
		fm_field_replace(hp, it->n, line);
	else
		fm_field_write(hp, hp->nhd++, line);
	return (line.b != NULL);
}

/* Removes all fields of a header from number n on. */
static void
remove_from(const struct fm_inplace *it, unsigned n)
{
	while ((n = fm_field_find(it->hp, n, it->name)) < it->hp->nhd)
		fm_field_remove(it->hp, n);
}

void
fm_inplace_unset(const struct fm_inplace *it)
{
	if (it->n == it->hp->nhd)
		return;
	fm_field_remove(it->hp, it->n);
	remove_from(it, it->n);
}

bool
fm_inplace_set(const struct fm_inplace *it, struct fm_text value)
{
	if (value.len == 0)
		fm_inplace_unset(it);
	else if (is_right(it, value) || write_first(it, value))
		remove_from(it, it->n + 1);
	else
		return (false);
	return (true);
}
