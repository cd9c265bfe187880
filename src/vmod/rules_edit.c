/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Doing to a request of Varnish what the rules decided.
 */

#include "config.h"

#include <string.h>

#define FM_COMPAT_PARAMETERS
#include "compat.h"

#include "rules_edit.h"
#include "task.h"

static const char location_name[] = "Location";

/* A field "Name: value" has this name; fields without a name have none. */
static bool
field_is(txt field, struct fm_text name)
{
	if (field.b == NULL || (size_t)(field.e - field.b) <= name.len)
		return (false);
	return (field.b[name.len] == ':' &&
	    fm_text_eq_nocase(fm_text(field.b, name.len), name));
}

/*
 * Names of a client's own are not compared with each other: there may be as
 * many as it likes, as long as it likes and alike.
 */
static bool
field_is_edited(const struct http *hp, unsigned field,
    const struct fm_result *result)
{
	const struct fm_edit *edit = result->edits;
	unsigned n;

	if (result->gone != NULL && result->gone[field - HTTP_HDR_FIRST])
		return (true);
	for (n = result->ngone; n < result->nedits; n++, edit++)
		if (field_is(hp->hd[field], edit->name))
			return (true);
	return (false);
}

/*
 * Takes away fields that are edited, in one pass, logged as VCL's unset logs
 * it.  http_Unset() can't have a name of more than 254 bytes, which a client
 * may send and a glob may find.  The result no longer fits the fields then.
 */
static void
fields_remove(struct http *hp, const struct fm_result *result)
{
	enum VSL_tag_e tag;
	uint16_t from, to;

	tag = (enum VSL_tag_e)((unsigned)hp->logtag + HTTP_HDR_UNSET -
	    HTTP_HDR_METHOD);
	for (from = to = HTTP_HDR_FIRST; from < hp->nhd; from++) {
		if (field_is_edited(hp, from, result)) {
			if (hp->vsl != NULL)
				VSLbt(hp->vsl, tag, hp->hd[from]);
			continue;
		}
		if (to != from) {
			hp->hd[to] = hp->hd[from];
			hp->hdf[to] = hp->hdf[from];
		}
		to++;
	}
	hp->nhd = to;
}

/* How many fields there will be: no more than there are, or with room. */
static bool
fields_fit(const struct http *hp, const struct fm_result *result,
    unsigned spare)
{
	unsigned n, added = 0, removed = 0;

	for (n = 0; n < result->nedits; n++)
		added += result->edits[n].set;
	/* Mostly there is room for more than is needed. */
	if (hp->nhd + added + spare < hp->shd)
		return (true);
	/* Varnish sets a Host for the backend where there is none. */
	if (spare > 0 && !http_GetHdr(hp, H_Host, NULL))
		spare++;
	if (hp->nhd + added + spare <= hp->shd)
		return (true);
	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++)
		removed += field_is_edited(hp, n, result);
	return (added <= removed ||
	    hp->nhd - removed + added + spare <= hp->shd);
}

/*--------------------------------------------------------------------
 * Lines, one after the other into a room that is large enough
 */

static size_t
line_bytes(struct fm_text name, struct fm_text value)
{
	return (name.len + 2 + value.len + 1);
}

static const char *
line_put(char **to, struct fm_text name, struct fm_text value)
{
	char *start = *to;

	memcpy(start, name.b, name.len);
	memcpy(start + name.len, ": ", 2);
	*to += name.len + 2;
	(void)fm_edit_put(to, value);
	return (start);
}

static size_t
result_bytes(const struct fm_result *result)
{
	size_t bytes = 0;
	unsigned n;

	if (result->url_changed)
		bytes += result->url.len + 1;
	for (n = 0; n < result->nedits; n++)
		if (result->edits[n].set)
			bytes += line_bytes(result->edits[n].name,
			    result->edits[n].value);
	return (bytes);
}

/* Returns true if the edited request has no more bytes than one may send. */
static bool
request_fits(const struct http *hp, const struct fm_result *result,
    size_t bytes)
{
	unsigned n;

	if (bytes <= FM_EDIT_LARGE)
		return (true);
	for (n = 0; n < hp->nhd; n++)
		if (hp->hd[n].b != NULL &&
		    !(n == HTTP_HDR_URL && result->url_changed) &&
		    !(n >= HTTP_HDR_FIRST && field_is_edited(hp, n, result)))
			bytes += (size_t)(hp->hd[n].e - hp->hd[n].b) + 2;
	return (bytes <= cache_param->http_req_size);
}

/* Writes the edits into a room that is large enough, and the Location. */
static void
result_apply(struct http *hp, const struct fm_result *result, char *room,
    const char **location)
{
	const struct fm_edit *edit;
	unsigned n;

	if (result->url_changed) {
		assert(result->url.len > 0);
		http_SetH(hp, HTTP_HDR_URL, fm_edit_put(&room, result->url));
	}
	if (result->nedits > 0)
		fields_remove(hp, result);
	for (n = 0; n < result->nedits; n++) {
		edit = &result->edits[n];
		if (edit->set)
			http_SetHeader(hp,
			    line_put(&room, edit->name, edit->value));
	}
	if (result->verdict == FM_VERDICT_REDIRECT)
		*location = line_put(&room, fm_text_of(location_name),
		    result->text);
}

enum fm_refusal
fm_edit_request(struct http *hp, const struct fm_result *result,
    const char **location)
{
	size_t bytes = result_bytes(result);
	char *room = NULL;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	AN(location);
	*location = NULL;
	if (!fields_fit(hp, result, FM_EDIT_SPARE_SLOTS))
		return (FM_REFUSED_SLOTS);
	if (!request_fits(hp, result, bytes))
		return (FM_REFUSED_SIZE);
	if (result->verdict == FM_VERDICT_REDIRECT)
		bytes += line_bytes(fm_text_of(location_name), result->text);
	if (bytes > 0) {
		room = fm_ws_alloc(hp->ws, bytes);
		if (room == NULL)
			return (FM_REFUSED_WORKSPACE);
	}
	result_apply(hp, result, room, location);
	return (FM_REFUSED_NOT);
}

bool
fm_edit_location(struct http *hp, const char *line)
{
	const struct fm_edit edit = {
	    .set = true, .name = fm_text_of(location_name)
	};
	const struct fm_result result = { .edits = &edit, .nedits = 1 };
	unsigned n, there = 0, right = 0;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	AN(line);
	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++)
		if (field_is(hp->hd[n], edit.name)) {
			there++;
			right += strcmp(hp->hd[n].b, line) == 0;
		}
	if (there == 1 && right == 1)
		return (true);
	if (!fields_fit(hp, &result, 0))
		return (false);
	fields_remove(hp, &result);
	http_SetHeader(hp, line);
	return (true);
}
