/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The headers of a request, as the rules see and edit them.
 */

#include "hostname.h"
#include "name_words.h"
#include "obj.h"
#include "request.h"
#include "run.h"

/* Returns true if the field, which is long enough, has the name of the slot. */
static inline bool
slot_is(const struct fm_slot *slot, const struct fm_field *f)
{
	size_t len = slot->name.len;

	if (f->e - f->b < 8 || len > 16)
		return (fm_name_eq(f->b, slot->name.b, len));
	return (fm_name_word_is(&slot->front, f->b) && (len <= 8 ||
	    fm_name_word_is(&slot->back, f->b + len - 8)));
}

/*
 * The slot of a field.  *near is set if the field may be an alias of another
 * one: only a name that is as long, and begins alike, is looked at.
 */
static inline __attribute__((always_inline)) uint32_t
slot_of(const struct fm_program *program, const struct fm_field *f,
    bool *near)
{
	const struct fm_slot *slot;
	unsigned next;

	if (f->b == NULL || f->b == f->e)
		return (FM_NONE);
	next = program->slot_heads[*f->b & 31];
	while (next != 0) {
		slot = &program->slots[next - 1];
		if ((size_t)(f->e - f->b) > slot->name.len &&
		    f->b[slot->name.len] == ':') {
			if (slot_is(slot, f))
				return (next - 1);
			*near |= fm_name_nearly(f->b, slot->name.b,
			    slot->name.len);
		}
		next = slot->next;
	}
	return (FM_NONE);
}

uint32_t
fm_request_slot_of(const struct fm_program *program, const struct fm_field *f)
{
	bool near = false;

	return (slot_of(program, f, &near));
}


void *
fm_request_alloc(struct fm_request *req, size_t bytes)
{
	void *p = fm_scratch_alloc(req->scratch, bytes);

	if (p == NULL)
		req->no_memory = true;
	return (p);
}

/* Finds out which slots have aliases: few requests have any. */
static void __attribute__((noinline))
request_find_aliases(struct fm_request *req)
{
	uint32_t i, n;

	for (n = 0; n < req->program->nslots; n++)
		for (i = 0; i < req->view->nfields; i++)
			if (fm_request_is_alias(&req->view->fields[i],
			    req->program->slots[n].name))
				req->slots[n].aliased = req->aliases = true;
}

static void
request_find_slots(struct fm_request *req)
{
	const struct fm_program *program = req->program;
	const struct fm_field *fields = req->view->fields;
	struct fm_request_slot *slots = req->slots, *slot;
	bool near = program->near_slots;
	uint32_t i, n, end = req->view->nfields;

	for (i = 0; i < end; i++) {
		n = slot_of(program, &fields[i], &near);
		if (n == FM_NONE)
			continue;
		slot = &slots[n];
		if (slot->present) {
			slot->several = true;
			continue;
		}
		slot->present = true;
		slot->first = i;
	}
	if (near)
		request_find_aliases(req);
}

/*
 * Returns true if the URL names no host, or the one that the Host header has;
 * else there is none.  Which of two hosts a backend takes is not known.
 */
static bool __attribute__((noinline))
request_hosts_agree(struct fm_request *req)
{
	struct fm_text authority = fm_request_authority(req->url), canon;
	char buf[FM_HOSTNAME_MAX];

	if (authority.b == NULL ||
	    (fm_hostname_canon(authority, buf, &canon) == FM_HOSTNAME_OK &&
	    fm_text_eq(canon, req->host)))
		return (true);
	req->host = fm_text(NULL, 0);
	return (false);
}

static void
request_find_site(struct fm_request *req)
{
	struct fm_text raw = fm_request_header(req, FM_SLOT_HOST);
	bool found;
	char *buf;

	req->site = req->program->otherwise;
	buf = fm_request_alloc(req, FM_HOSTNAME_MAX);
	if (buf == NULL)
		return;
	found = fm_hosttab_lookup_raw(req->program->hosttab, raw, buf,
	    &req->host, &req->hit);
	req->host_in_view = req->host.b != buf;
	if (req->host_in_view)
		fm_scratch_shrink(req->scratch, buf, FM_HOSTNAME_MAX, 0);
	if (req->mark > 0 && *req->url.b != '/' && req->host.b != NULL &&
	    !request_hosts_agree(req)) {
		req->hit = (struct fm_hosttab_hit){ .entry = FM_NONE,
		    .pattern = FM_NONE };
		found = false;
	}
	if (found)
		req->site = req->hit.entry;
}

void
fm_request_init(struct fm_request *req, const struct fm_program *program,
    const struct fm_view *view, struct fm_scratch *scratch)
{
	size_t bytes = program->nslots * sizeof *req->slots;

	req->program = program;
	req->view = view;
	req->scratch = scratch;
	req->no_memory = req->aliases = false;
	req->url = view->url;
	fm_request_mark(req);
	req->path = req->clean_path = fm_text(NULL, 0);
	req->url_version = req->path_version = 1;
	req->host = fm_text(NULL, 0);
	req->host_in_view = false;
	req->nedited = req->ngone = req->nfilters = 0;
	req->gone = NULL;
	req->gone_names = NULL;
	req->hit.how = FM_HOSTTAB_NONE;
	req->hit.entry = req->hit.pattern = req->site = FM_NONE;
	req->hit.wild = fm_text(NULL, 0);
	req->slots = fm_request_alloc(req, bytes);
	if (req->slots == NULL)
		return;
	memset(req->slots, 0, bytes);
	request_find_slots(req);
	request_find_site(req);
}

/* The value of the slot's first field, as the request came. */
static struct fm_text
slot_came(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	if (!slot->present)
		return (fm_text(NULL, 0));
	return (fm_request_field_value(&req->view->fields[slot->first],
	    req->program->slots[n].name.len));
}

/* All fields of the name; their values go to buf, unless that is NULL. */
static size_t
slot_join(const struct fm_request *req, unsigned n, char *buf)
{
	const struct fm_slot *slot = &req->program->slots[n];
	struct fm_text value;
	size_t len = 0;
	uint32_t i;

	for (i = req->slots[n].first; i < req->view->nfields; i++) {
		if (fm_request_slot_of(req->program, &req->view->fields[i]) !=
		    n)
			continue;
		if (i != req->slots[n].first) {
			if (buf != NULL)
				memcpy(buf + len, slot->kind ==
				    FM_SLOT_COOKIE ? "; " : ", ", 2);
			len += 2;
		}
		value = fm_request_field_value(&req->view->fields[i],
		    slot->name.len);
		if (buf != NULL && value.len > 0)
			memcpy(buf + len, value.b, value.len);
		len += value.len;
	}
	return (len);
}

void
fm_request_read(struct fm_request *req, unsigned n)
{
	struct fm_request_slot *slot = &req->slots[n];
	size_t len;
	char *buf;

	if (n == FM_SLOT_OF_COOKIE && req->nfilters > 0) {
		fm_request_filter_now(req);
		return;
	}
	slot->known = true;
	slot->value = slot_came(req, n);
	if (!slot->several || req->program->slots[n].kind == FM_SLOT_PLAIN)
		return;
	len = slot_join(req, n, NULL);
	buf = fm_request_alloc(req, len);
	if (buf == NULL)
		return;
	(void)slot_join(req, n, buf);
	slot->value = fm_text(buf, len);
}

bool
fm_request_edit(struct fm_request *req, unsigned n, struct fm_text value)
{
	struct fm_request_slot *slot = &req->slots[n];
	struct fm_text is;

	if (n == FM_SLOT_OF_COOKIE)
		req->nfilters = 0;
	value = fm_text_trim(value);
	if (value.len == 0)
		value = fm_text(NULL, 0);
	if (value.b == NULL && !slot->known && !slot->present)
		return (false);
	is = fm_request_header(req, n);
	if ((value.b == NULL) == (is.b == NULL) && fm_text_eq(value, is) &&
	    (slot->edited || !slot->several)) {
		/* It is the rules' own from here on, and no alias any more. */
		if (req->aliases) {
			req->nedited += !slot->edited;
			slot->edited = true;
		}
		return (false);
	}
	fm_request_change(req, n, value);
	return (true);
}

/* Whether in the end the request has to be edited. */
static bool
slot_differs(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	/* A header that was changed once is another one. */
	if (slot->version < 2)
		return (slot->version == 1);
	if (slot->value.b == NULL || !slot->present)
		return ((slot->value.b != NULL) != slot->present);
	return (slot->several ||
	    !fm_text_eq(slot->value, slot_came(req, n)));
}

bool
fm_request_field_goes(struct fm_request *req, uint32_t field)
{
	size_t fields = req->view->nfields;

	if (req->gone == NULL) {
		req->gone = fm_request_alloc(req, fields);
		if (req->gone == NULL)
			return (false);
		memset(req->gone, 0, fields);
		req->first_gone = field;
	}
	req->gone[field] = true;
	if (field < req->first_gone)
		req->first_gone = field;
	return (true);
}

/* The first field of a name may be one to be replaced; the others go. */
static void
slot_finish(struct fm_request *req, unsigned n, struct fm_edit *edit)
{
	const struct fm_request_slot *slot = &req->slots[n];
	uint32_t i;

	edit->set = slot->value.b != NULL;
	edit->field = slot->present ? slot->first : FM_EDIT_NEW;
	edit->name = req->program->slots[n].name;
	edit->value = slot->value;
	if (slot->present && !edit->set)
		(void)fm_request_field_goes(req, slot->first);
	if (!slot->several)
		return;
	for (i = slot->first + 1; i < req->view->nfields; i++)
		if (fm_request_slot_of(req->program,
		    &req->view->fields[i]) == n)
			(void)fm_request_field_goes(req, i);
}

static void
request_finish_headers(struct fm_request *req, struct fm_result *result)
{
	const struct fm_field *f;
	struct fm_edit *edit;
	unsigned n, left = req->nedited;

	if (left + req->ngone == 0)
		return;
	edit = fm_request_alloc(req, (left + req->ngone) * sizeof *edit);
	if (edit == NULL)
		return;
	result->edits = edit;
	for (n = 0; left > 0; n++) {
		left -= req->slots[n].edited;
		if (slot_differs(req, n))
			slot_finish(req, n, edit++);
	}
	for (n = 0; n < req->ngone; n++, edit++) {
		f = &req->view->fields[req->gone_names[n]];
		*edit = (struct fm_edit){ .name = fm_text_span(f->b,
		    memchr(f->b, ':', (size_t)(f->e - f->b))) };
	}
	result->nedits = (unsigned)(edit - result->edits);
	result->gone = req->gone;
	result->first_gone = req->first_gone;
}

void
fm_request_finish(struct fm_request *req, struct fm_result *result)
{
	if (req->nfilters > 0)
		fm_request_filter_now(req);
	result->url = req->url;
	result->url_changed = req->url.b != req->view->url.b &&
	    !fm_text_eq(req->url, req->view->url);
	if (!result->url_changed)
		result->url = req->view->url;
	request_finish_headers(req, result);
}

struct fm_text
fm_request_clean(struct fm_request *req, struct fm_text t)
{
	size_t i = 0, len;
	char *buf;

	/* What is below 0x0e is looked at. */
	for (; i + 8 <= t.len; i += 8)
		if (fm_name_below(fm_name_load(t.b + i, 8), 0x0e))
			break;
	for (; i < t.len; i++)
		if (t.b[i] == '\r' || t.b[i] == '\n' || t.b[i] == '\0')
			break;
	if (i == t.len)
		return (t);
	buf = fm_request_alloc(req, t.len);
	if (buf == NULL)
		return (fm_text("", 0));
	memcpy(buf, t.b, i);
	for (len = i; i < t.len; i++)
		if (t.b[i] != '\r' && t.b[i] != '\n' && t.b[i] != '\0')
			buf[len++] = t.b[i];
	return (fm_text(buf, len));
}
