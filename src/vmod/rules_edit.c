/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the edits of the rules in Varnish's struct http.
 */

#include "config.h"

#include <string.h>

#define FM_COMPAT_PARAMETERS
#include "compat.h"

#include "field.h"
#include "rules_edit.h"
#include "task.h"

static struct fm_text
answer_name(enum fm_verdict verdict)
{
	return (fm_text_of(verdict == FM_VERDICT_REDIRECT ? "Location" :
	    "Content-Type"));
}

/*
 * Removes the fields that the rules unset, and moves the others down.  Numbers
 * of fields in the result are no longer valid then.
 */
static void
fields_remove(struct http *hp, const struct fm_result *result)
{
	unsigned i, n, first = hp->nhd, to;

	for (i = 0; i < result->ngone; i++) {
		n = result->gone[i] + HTTP_HDR_FIRST;
		fm_field_log(hp, n, HTTP_HDR_UNSET);
		hp->hd[n].b = NULL;
		if (n < first)
			first = n;
	}
	for (n = to = first; n < hp->nhd; n++) {
		if (hp->hd[n].b == NULL)
			continue;
		hp->hd[to] = hp->hd[n];
		hp->hdf[to] = hp->hdf[n];
		to++;
	}
	hp->nhd = (uint16_t)to;
}

/* Returns true if there are no more fields after the edits, or slots enough. */
static bool
fields_fit(const struct http *hp, const struct fm_result *result)
{
	unsigned spare = FM_EDIT_SPARE_SLOTS, added = result->nadded;

	/* The usual case: there is more room than is needed. */
	if (hp->nhd + added + spare < hp->shd)
		return (true);
	/* Varnish sets a Host for the backend if there is none. */
	if (!http_GetHdr(hp, H_Host, NULL))
		spare++;
	return (added <= result->ngone ||
	    hp->nhd - result->ngone + added + spare <= hp->shd);
}

/*--------------------------------------------------------------------
 * Header lines, written one after the other into a room that fits them
 */

static inline struct fm_text
line_put(char **to, struct fm_text name, struct fm_text value)
{
	char *start = *to;

	fm_copy(start, name.b, name.len);
	memcpy(start + name.len, ": ", 2);
	*to += name.len + 2;
	(void)fm_edit_put(to, value);
	return (fm_text_span(start, *to - 1));
}

static size_t
field_bytes(txt field)
{
	return (field.b == NULL ? 0 : (size_t)(field.e - field.b) + 2);
}

/* Returns true if a client could have sent a request as large as the edited. */
static bool
request_fits(const struct http *hp, const struct fm_result *result,
    size_t bytes)
{
	const struct fm_edit *edit = result->edits;
	const struct fm_edit *end = edit + result->nedits;
	unsigned n;

	if (bytes <= FM_EDIT_LARGE)
		return (true);
	for (n = 0; n < hp->nhd; n++)
		if (!(n == HTTP_HDR_URL && result->url_changed))
			bytes += field_bytes(hp->hd[n]);
	for (n = 0; n < result->ngone; n++)
		bytes -= field_bytes(hp->hd[result->gone[n] +
		    HTTP_HDR_FIRST]);
	for (; edit < end; edit++)
		if (edit->set && edit->field != FM_EDIT_NEW)
			bytes -= field_bytes(hp->hd[edit->field +
			    HTTP_HDR_FIRST]);
	return (bytes <= cache_param->http_req_size);
}

enum fm_refusal
fm_edit_fits(const struct http *hp, const struct fm_result *result,
    size_t *bytes)
{
	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	*bytes = result->lines;
	if (result->url_changed)
		*bytes += result->url.len + 1;
	if (!fields_fit(hp, result))
		return (FM_REFUSED_SLOTS);
	if (!request_fits(hp, result, *bytes))
		return (FM_REFUSED_SIZE);
	if (fm_edit_answers(result->verdict))
		*bytes += answer_name(result->verdict).len + 2 +
		    result->text.len + 1;
	return (FM_REFUSED_NOT);
}

void
fm_edit_request(struct http *hp, const struct fm_result *result, char *room,
    const char **header)
{
	const struct fm_edit *edit;
	const struct fm_edit *end = result->edits + result->nedits;
	unsigned added = result->nadded, n;

	*header = NULL;
	if (result->url_changed) {
		assert(result->url.len > 0);
		http_SetH(hp, HTTP_HDR_URL, fm_edit_put(&room, result->url));
	}
	for (edit = result->edits; edit < end; edit++) {
		if (!edit->set || edit->field == FM_EDIT_NEW)
			continue;
		n = edit->field + HTTP_HDR_FIRST;
		fm_field_log(hp, n, HTTP_HDR_UNSET);
		fm_field_write(hp, n, line_put(&room, edit->name,
		    edit->value));
	}
	if (result->ngone > 0)
		fields_remove(hp, result);
	for (edit = result->edits; added > 0; edit++)
		if (edit->set && edit->field == FM_EDIT_NEW) {
			assert(hp->nhd < hp->shd);
			fm_field_write(hp, hp->nhd++, line_put(&room,
			    edit->name, edit->value));
			added--;
		}
	if (fm_edit_answers(result->verdict))
		*header = line_put(&room, answer_name(result->verdict),
		    result->text).b;
}

bool
fm_edit_answer(struct http *hp, enum fm_verdict verdict, const char *line)
{
	bool redirect = verdict == FM_VERDICT_REDIRECT;
	unsigned n, there = 0, right = 0;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	AN(line);
	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++)
		if (http_IsHdr(&hp->hd[n], redirect ? H_Location :
		    H_Content_Type)) {
			there++;
			right += strcmp(hp->hd[n].b, line) == 0;
		}
	if (there == 1 && right == 1)
		return (true);
	if (there == 0 && hp->nhd >= hp->shd)
		return (false);
	http_Unset(hp, redirect ? H_Location : H_Content_Type);
	http_SetHeader(hp, line);
	return (true);
}
