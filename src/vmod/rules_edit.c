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

static bool
field_goes(unsigned field, const struct fm_result *result)
{
	return (result->gone != NULL && result->gone[field - HTTP_HDR_FIRST]);
}

/* Logs a field as VCL does when it unsets it. */
static void
log_unset(const struct http *hp, unsigned field)
{
	if (hp->vsl != NULL)
		VSLbt(hp->vsl, (enum VSL_tag_e)((unsigned)hp->logtag +
		    HTTP_HDR_UNSET - HTTP_HDR_METHOD), hp->hd[field]);
}

/*
 * Makes a field this line.  http_SetHeader() and http_Unset() take several
 * times as long: they look for the line's end, and for each field of its name.
 */
static void
field_set(struct http *hp, unsigned field, const char *b, const char *e)
{
	hp->hd[field].b = b;
	hp->hd[field].e = e;
	hp->hdf[field] = 0;
	if (hp->vsl != NULL)
		VSLbt(hp->vsl, (enum VSL_tag_e)((unsigned)hp->logtag +
		    HTTP_HDR_FIRST - HTTP_HDR_METHOD), hp->hd[field]);
}

/* Takes away the fields that go; after that none is where it was. */
static void
fields_remove(struct http *hp, const struct fm_result *result)
{
	uint16_t from, to;

	from = to = (uint16_t)(HTTP_HDR_FIRST + result->first_gone);
	for (; from < hp->nhd; from++) {
		if (field_goes(from, result)) {
			log_unset(hp, from);
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

/* Returns true if there are no more fields then, or places are left. */
static bool
fields_fit(const struct http *hp, const struct fm_result *result,
    unsigned added)
{
	unsigned n, removed = 0, spare = FM_EDIT_SPARE_SLOTS;

	/* Mostly there is room for more than is needed. */
	if (hp->nhd + added + spare < hp->shd)
		return (true);
	/* Varnish sets a Host for the backend where there is none. */
	if (!http_GetHdr(hp, H_Host, NULL))
		spare++;
	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++)
		removed += field_goes(n, result);
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

	fm_edit_copy(start, name.b, name.len);
	memcpy(start + name.len, ": ", 2);
	*to += name.len + 2;
	(void)fm_edit_put(to, value);
	return (start);
}

/* Returns the bytes of all new lines, with the URL; counts what is added. */
static size_t
result_bytes(const struct fm_result *result, unsigned *added)
{
	const struct fm_edit *edit = result->edits;
	const struct fm_edit *end = edit + result->nedits;
	size_t bytes = 0;

	*added = 0;
	if (result->url_changed)
		bytes = result->url.len + 1;
	for (; edit < end; edit++)
		if (edit->set) {
			bytes += line_bytes(edit->name, edit->value);
			*added += edit->field == FM_EDIT_NEW;
		}
	return (bytes);
}

static size_t
field_bytes(txt field)
{
	return (field.b == NULL ? 0 : (size_t)(field.e - field.b) + 2);
}

/* Returns true if the edited request has no more bytes than one may send. */
static bool
request_fits(const struct http *hp, const struct fm_result *result,
    size_t bytes)
{
	const struct fm_edit *edit = result->edits;
	unsigned n;

	if (bytes <= FM_EDIT_LARGE)
		return (true);
	for (n = 0; n < hp->nhd; n++)
		if (!(n == HTTP_HDR_URL && result->url_changed) &&
		    !(n >= HTTP_HDR_FIRST && field_goes(n, result)))
			bytes += field_bytes(hp->hd[n]);
	for (n = 0; n < result->nedits; n++, edit++)
		if (edit->set && edit->field != FM_EDIT_NEW)
			bytes -= field_bytes(hp->hd[edit->field +
			    HTTP_HDR_FIRST]);
	return (bytes <= cache_param->http_req_size);
}

enum fm_refusal
fm_edit_fits(const struct http *hp, const struct fm_result *result,
    size_t *bytes)
{
	unsigned added;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	*bytes = result_bytes(result, &added);
	if (!fields_fit(hp, result, added))
		return (FM_REFUSED_SLOTS);
	if (!request_fits(hp, result, *bytes))
		return (FM_REFUSED_SIZE);
	if (result->verdict == FM_VERDICT_REDIRECT)
		*bytes += line_bytes(fm_text_of(location_name), result->text);
	return (FM_REFUSED_NOT);
}

void
fm_edit_request(struct http *hp, const struct fm_result *result, char *room,
    const char **location)
{
	const struct fm_edit *edit;
	const struct fm_edit *end = result->edits + result->nedits;
	unsigned added = 0;
	const char *line;

	*location = NULL;
	if (result->url_changed) {
		assert(result->url.len > 0);
		http_SetH(hp, HTTP_HDR_URL, fm_edit_put(&room, result->url));
	}
	for (edit = result->edits; edit < end; edit++) {
		if (!edit->set)
			continue;
		if (edit->field == FM_EDIT_NEW) {
			added++;
			continue;
		}
		log_unset(hp, edit->field + HTTP_HDR_FIRST);
		line = line_put(&room, edit->name, edit->value);
		field_set(hp, edit->field + HTTP_HDR_FIRST, line, room - 1);
	}
	if (result->gone != NULL)
		fields_remove(hp, result);
	for (edit = result->edits; added > 0; edit++) {
		if (!edit->set || edit->field != FM_EDIT_NEW)
			continue;
		assert(hp->nhd < hp->shd);
		line = line_put(&room, edit->name, edit->value);
		field_set(hp, hp->nhd++, line, room - 1);
		added--;
	}
	if (result->verdict == FM_VERDICT_REDIRECT)
		*location = line_put(&room, fm_text_of(location_name),
		    result->text);
}

bool
fm_edit_location(struct http *hp, const char *line)
{
	unsigned n, there = 0, right = 0;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	AN(line);
	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++)
		if (http_IsHdr(&hp->hd[n], H_Location)) {
			there++;
			right += strcmp(hp->hd[n].b, line) == 0;
		}
	if (there == 1 && right == 1)
		return (true);
	if (there == 0 && hp->nhd >= hp->shd)
		return (false);
	http_Unset(hp, H_Location);
	http_SetHeader(hp, line);
	return (true);
}
