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
#include "logline_put.h"
#include "request.h"
#include "rules_edit.h"
#include "task.h"

enum fm_refusal
fm_edit_refused_why(const struct fm_result *result)
{
	static const enum fm_refusal refusals[] = {
		[FM_REFUSE_UNDECIDED] = FM_REFUSED_UNDECIDED,
		[FM_REFUSE_FRAGMENT] = FM_REFUSED_FRAGMENT,
		[FM_REFUSE_CLIENT] = FM_REFUSED_CLIENT
	};

	if (result->no_memory)
		return (FM_REFUSED_MEMORY);
	assert(refusals[result->refuse] != FM_REFUSED_NOT);
	return (refusals[result->refuse]);
}

bool
fm_edit_sets_host(const struct fm_result *result)
{
	return (result->edits.n > 0 &&
	    result->edits.slots[FM_SLOT_HOST].differs);
}

/* Returns true if there are no more fields after the edits, or enough room. */
static bool
fields_fit(const struct http *hp, const struct fm_result *result,
    unsigned more)
{
	const struct fm_edits *edits = &result->edits;
	unsigned spare = FM_EDIT_SPARE_FIELDS, added = edits->nadded + more;

	/* Varnish sets a Host for the backend if there is none. */
	if (!http_GetHdr(hp, H_Host, NULL))
		spare++;
	return (added <= edits->nremoved ||
	    hp->nhd - edits->nremoved + added + spare <= hp->shd);
}

/*--------------------------------------------------------------------
 * Edits as the run has left them: in the slots that differ, and in a list of
 * the other fields that were unset
 */

/* Returns the number of the first field of a slot. */
static inline unsigned
field_of(const struct fm_edits *edits, unsigned slot)
{
	return (edits->slots[slot].first + HTTP_HDR_FIRST);
}

/*
 * Calls remove() for each field that goes and is not the first of its slot: for
 * the further fields of a slot, and those without one.
 */
static void __attribute__((noinline))
more_removed(struct http *hp, const struct fm_edits *edits, void *priv,
    void (*remove)(struct http *, unsigned n, void *))
{
	uint32_t i, n;

	for (i = 0; i < edits->nnotes; i++) {
		n = edits->notes[i].slot;
		if (n != FM_NONE && edits->slots[n].differs)
			remove(hp, edits->notes[i].field + HTTP_HDR_FIRST,
			    priv);
	}
	if (edits->gone.rules == NULL)
		return;
	for (i = edits->gone.from; i < edits->gone.to; i++)
		if (edits->gone.rules[i] != 0)
			remove(hp, i + HTTP_HDR_FIRST, priv);
}

static size_t
field_bytes(txt field)
{
	return (field.b == NULL ? 0 : (size_t)(field.e - field.b) + 2);
}

static void
subtract(struct http *hp, unsigned n, void *priv)
{
	*(size_t *)priv -= field_bytes(hp->hd[n]);
}

/* Returns true if a client could have sent a request as large as the edited. */
static bool
request_fits(struct http *hp, const struct fm_result *result, size_t bytes)
{
	const struct fm_edits *edits = &result->edits;
	unsigned n;

	if (bytes <= FM_EDIT_LARGE)
		return (true);
	for (n = 0; n < hp->nhd; n++)
		if (!(n == HTTP_HDR_URL && result->url_changed))
			bytes += field_bytes(hp->hd[n]);
	for (n = 0; n < edits->npresent; n++)
		subtract(hp, field_of(edits, edits->present[n]), &bytes);
	more_removed(hp, edits, &bytes, subtract);
	return (bytes <= cache_param->http_req_size);
}

/* Returns the tag of a header, as ReqHeader, ReqUnset or RespHeader. */
static inline enum VSL_tag_e
tag_of(const struct http *hp, unsigned what)
{
	return ((enum VSL_tag_e)((unsigned)hp->logtag + what -
	    HTTP_HDR_METHOD));
}

/*
 * For the headers of requests and deliveries, which are edited most, the tags
 * are constants: each function has three forms.
 */
#define FORM	__attribute__((noinline))
#define EITHER	inline __attribute__((always_inline))

/* Logs field n, which goes or is replaced. */
static EITHER void
log_unset(struct http *hp, unsigned n, enum VSL_tag_e tag)
{
	const txt *field = &hp->hd[n];

	fm_logline_put(hp->vsl, tag, field->b, (size_t)(field->e - field->b));
}

static void FORM
request_unset(struct http *hp, unsigned n)
{
	log_unset(hp, n, SLT_ReqUnset);
}

static void FORM
delivery_unset(struct http *hp, unsigned n)
{
	log_unset(hp, n, SLT_RespUnset);
}

static void FORM
message_unset(struct http *hp, unsigned n)
{
	log_unset(hp, n, tag_of(hp, HTTP_HDR_UNSET));
}

/* Makes this line field n, and logs it. */
static EITHER void
field_set(struct http *hp, unsigned n, struct fm_text line,
    enum VSL_tag_e tag)
{
	assert(n < hp->shd);
	hp->hd[n].b = line.b;
	hp->hd[n].e = line.b + line.len;
	hp->hdf[n] = 0;
	fm_logline_put(hp->vsl, tag, line.b, line.len);
}

static void FORM
request_set(struct http *hp, unsigned n, struct fm_text line)
{
	field_set(hp, n, line, SLT_ReqHeader);
}

static void FORM
delivery_set(struct http *hp, unsigned n, struct fm_text line)
{
	field_set(hp, n, line, SLT_RespHeader);
}

static void FORM
message_set(struct http *hp, unsigned n, struct fm_text line)
{
	field_set(hp, n, line, tag_of(hp, HTTP_HDR_FIRST));
}

typedef void unset_f(struct http *, unsigned n);
typedef void set_f(struct http *, unsigned n, struct fm_text line);

/* Leaves a hole in place of a field; *first is the lowest hole. */
static inline void
hole(struct http *hp, unsigned n, unsigned *first)
{
	hp->hd[n].b = NULL;
	if (n < *first)
		*first = n;
}

static void
hole_logged(struct http *hp, unsigned n, void *first)
{
	message_unset(hp, n);
	hole(hp, n, first);
}

/*
 * Closes the holes, of which the first is at least this field.  Fields of the
 * view have other numbers then.
 */
static inline void
holes_close(struct http *hp, unsigned first)
{
	unsigned n, to;

	for (n = to = first; n < hp->nhd; n++) {
		if (hp->hd[n].b == NULL)
			continue;
		hp->hd[to] = hp->hd[n];
		hp->hdf[to] = hp->hdf[n];
		to++;
	}
	hp->nhd = (uint16_t)to;
}

enum fm_refusal
fm_edit_fits_tight(struct http *hp, const struct fm_result *result,
    unsigned more, size_t bytes)
{
	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	if (!fields_fit(hp, result, more))
		return (FM_REFUSED_SLOTS);
	if (!request_fits(hp, result, bytes))
		return (FM_REFUSED_SIZE);
	return (FM_REFUSED_NOT);
}

/* Writes a header line to a room that fits it, and moves that past its NUL. */
static inline struct fm_text
line_put(char **to, struct fm_text name, struct fm_text value)
{
	char *start = *to;

	memcpy(start, name.b, name.len);
	memcpy(start + name.len, ": ", 2);
	*to += name.len + 2;
	(void)fm_edit_put(to, value);
	return (fm_text_span(start, *to - 1));
}

/* Writes the line of a slot as field n. */
static EITHER void
slot_write(struct http *hp, const struct fm_edits *edits, unsigned slot,
    unsigned n, char **room, set_f *set)
{
	set(hp, n, line_put(room, edits->program->slots[slot].name,
	    edits->slots[slot].value));
}

/* Edits the headers.  Returns the room that is left. */
static EITHER char *
fields_edit(struct http *hp, const struct fm_edits *edits, char *room,
    set_f *set, unset_f *unset)
{
	const struct fm_request_slot *slots = edits->slots, *slot;
	unsigned i, at, lowest, end = edits->npresent, first = hp->nhd;

	for (i = 0; i < end; i++) {
		slot = &slots[edits->present[i]];
		at = slot->first + HTTP_HDR_FIRST;
		unset(hp, at);
		if (slot->value.b == NULL)
			hole(hp, at, &first);
		else
			slot_write(hp, edits, edits->present[i], at, &room,
			    set);
	}
	if (edits->nremoved > 0) {
		lowest = first;
		if (edits->nnotes > 0 || edits->gone.rules != NULL)
			more_removed(hp, edits, &lowest, hole_logged);
		holes_close(hp, lowest);
	}
	for (i = 0; i < edits->nadded; i++)
		slot_write(hp, edits, edits->added[i], hp->nhd++, &room, set);
	return (room);
}

void
fm_edit_request(struct http *hp, const struct fm_result *result, char *room,
    const char **header)
{
	*header = NULL;
	if (result->url_changed) {
		assert(result->url.len > 0);
		fm_field_set_url(hp, fm_text(fm_edit_put(&room, result->url),
		    result->url.len));
	}
	room = fields_edit(hp, &result->edits, room, request_set,
	    request_unset);
	if (fm_edit_answers(result->verdict))
		*header = fm_edit_answer_line(result, room);
}

void
fm_edit_response(struct http *hp, const struct fm_result *result, char *room)
{
	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	if (hp->logtag == SLT_RespMethod)
		(void)fields_edit(hp, &result->edits, room, delivery_set,
		    delivery_unset);
	else
		(void)fields_edit(hp, &result->edits, room, message_set,
		    message_unset);
}

const char *
fm_edit_answer_line(const struct fm_result *result, char *room)
{
	return (line_put(&room, fm_edit_answer_name(result->verdict),
	    result->text).b);
}

bool
fm_edit_line(struct http *hp, struct fm_text name, const char *line)
{
	unsigned n = HTTP_HDR_FIRST, there = 0, right = 0;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	AN(line);
	for (; (n = fm_field_find(hp, n, name)) < hp->nhd; n++) {
		there++;
		right += strcmp(hp->hd[n].b, line) == 0;
	}
	if (there == 1 && right == 1)
		return (true);
	if (there == 0 && hp->nhd >= hp->shd)
		return (false);
	for (; there > 0; there--)
		fm_field_remove(hp, fm_field_find(hp, HTTP_HDR_FIRST, name));
	fm_field_write(hp, hp->nhd++, fm_text_of(line));
	return (true);
}

bool
fm_edit_answer(struct http *hp, enum fm_verdict verdict, const char *line)
{
	return (fm_edit_line(hp, fm_edit_answer_name(verdict), line));
}
