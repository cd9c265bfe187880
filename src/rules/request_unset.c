/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unsets headers by glob: those that the rules speak of, and any other that
 * the request has.  A client chooses how many there are and what they are
 * called, so a name that is gone already is found by its hash.
 */

#include "glob.h"
#include "request.h"

/* Without these a request is not what it was. */
static bool
glob_may_touch(struct fm_text glob, struct fm_text name)
{
	return (fm_glob_match(glob, name, true) &&
	    !fm_text_eq_nocase(name, fm_text_of("Host")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Content-Length")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Transfer-Encoding")));
}

/* What is before the colon; empty where there is none. */
static struct fm_text
field_name(const struct fm_field *f)
{
	const char *colon = NULL;

	if (f->b != NULL && f->b != f->e)
		colon = memchr(f->b, ':', (size_t)(f->e - f->b));
	return (colon == NULL ? fm_text("", 0) : fm_text_span(f->b, colon));
}

/* FNV-1a, whatever the case. */
static uint32_t
name_hash(struct fm_text name)
{
	uint32_t h = 2166136261U;
	size_t i;

	for (i = 0; i < name.len; i++)
		h = (h ^ fm_lower((unsigned char)name.b[i])) * 16777619U;
	return (h);
}

static bool
gone_init(struct fm_request *req)
{
	struct fm_request_gone *gone = &req->gone;
	size_t room = 16, fields = req->view->nfields;

	while (room < 2 * fields)
		room *= 2;
	gone->table = fm_request_alloc(req, (room + fields) *
	    sizeof *gone->table);
	if (gone->table == NULL)
		return (false);
	memset(gone->table, 0, room * sizeof *gone->table);
	gone->mask = (uint32_t)(room - 1);
	gone->fields = gone->table + room;
	return (true);
}

/* false: a header of this name is gone already. */
static bool
gone_add(struct fm_request *req, uint32_t field, struct fm_text name)
{
	struct fm_request_gone *gone = &req->gone;
	uint32_t h;

	if (gone->table == NULL && !gone_init(req))
		return (false);
	h = name_hash(name) & gone->mask;
	for (; gone->table[h] != 0; h = (h + 1) & gone->mask)
		if (fm_text_eq_nocase(name, field_name(
		    &req->view->fields[gone->table[h] - 1])))
			return (false);
	gone->table[h] = field + 1;
	gone->fields[gone->count++] = field;
	return (true);
}

unsigned
fm_request_unset_glob(struct fm_request *req, struct fm_text glob,
    fm_request_told_f *told, void *priv)
{
	const struct fm_field *f;
	struct fm_text name, value;
	unsigned count = 0;
	uint32_t i;

	for (i = 0; i < req->program->nslots; i++) {
		name = req->program->slots[i].name;
		if (!glob_may_touch(glob, name))
			continue;
		value = fm_request_header(req, i);
		if (!fm_request_edit(req, i, fm_text(NULL, 0)))
			continue;
		count++;
		if (told != NULL)
			told(priv, name, value);
	}
	for (i = 0; i < req->view->nfields && !req->no_memory; i++) {
		f = &req->view->fields[i];
		name = field_name(f);
		if (name.len == 0 || !glob_may_touch(glob, name) ||
		    fm_request_slot_of(req->program, f) != FM_NONE ||
		    !gone_add(req, i, name))
			continue;
		count++;
		if (told != NULL)
			told(priv, name, fm_request_field_value(f, name.len));
	}
	return (count);
}
