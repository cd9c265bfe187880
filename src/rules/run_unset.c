/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unsets headers by glob (`unset X-*`), with a slot or without; unsets the
 * aliases of headers (X_Foo of X-Foo); and tells the trace of each.
 *
 *	view			unset X-*, rules speak of X-A
 *	X-A: 1			slot_unset(): an edit of the slot
 *	X-B: 2, X-B: 3		field_unset(): both fields are gone
 */

#include "glob.h"
#include "run_priv.h"

/*
 * Returns true if a glob may unset a name.  Without Host, Content-Length or
 * Transfer-Encoding the request would be another one.
 */
static bool
glob_may_touch(struct fm_text glob, struct fm_text name)
{
	return (fm_glob_match_header(glob, name) &&
	    !fm_text_eq_nocase(name, fm_text_of("Host")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Content-Length")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Transfer-Encoding")));
}

/* Unsets a field without a slot.  Returns false if its name was gone before. */
static bool
field_unset(struct fm_exec *x, uint32_t field, struct fm_text name,
    uint32_t rule)
{
	struct fm_request *req = &x->req;
	size_t bytes = req->view->nfields * sizeof *req->gone;

	if (req->gone == NULL) {
		req->gone = fm_request_alloc(req, bytes);
		if (req->gone == NULL)
			return (false);
		memset(req->gone, 0, bytes);
	}
	req->gone[field] = rule + 1;
	req->ngone++;
	if (fm_request_name_gone(req, name, field))
		return (false);
	fm_exec_trace(x, rule, FM_EFFECT_CHANGED, name, fm_request_field_value(
	    &req->view->fields[field], name.len), fm_text(NULL, 0));
	return (true);
}

static bool
field_is_gone(const struct fm_request *req, uint32_t field)
{
	return (req->gone != NULL && req->gone[field] != 0);
}

/* Unsets a header with a slot.  Returns true if the request had the header. */
static bool
slot_unset(struct fm_exec *x, uint32_t slot, uint32_t rule)
{
	struct fm_text value = fm_request_header(&x->req, slot);

	if (!fm_request_edit(&x->req, slot, fm_text(NULL, 0), rule))
		return (false);
	fm_exec_trace(x, rule, FM_EFFECT_CHANGED,
	    x->program->slots[slot].name, value, fm_text(NULL, 0));
	return (true);
}

bool
fm_unset_aliases(struct fm_exec *x, unsigned slot, uint32_t rule)
{
	struct fm_request *req = &x->req;
	struct fm_text name = req->program->slots[slot].name;
	const struct fm_field *f;
	bool any = false;
	uint32_t i, other;

	req->slots[slot].aliased = false;
	for (i = 0; i < req->view->nfields && !req->no_memory; i++) {
		f = &req->view->fields[i];
		if (field_is_gone(req, i) || !fm_request_is_alias(f, name))
			continue;
		other = fm_request_slot_of(req->program, f);
		if (other == FM_NONE)
			any |= field_unset(x, i, fm_text(f->b, name.len),
			    rule);
		else if (!fm_request_owns(req, other))
			any |= slot_unset(x, other, rule);
	}
	return (any);
}

bool
fm_unset_glob(struct fm_exec *x, struct fm_text glob, uint32_t rule)
{
	struct fm_request *req = &x->req;
	const struct fm_field *f;
	struct fm_text name;
	bool any = false;
	uint32_t i;

	for (i = 0; i < req->program->nslots; i++) {
		name = req->program->slots[i].name;
		if (glob_may_touch(glob, name))
			any |= slot_unset(x, i, rule);
	}
	for (i = 0; i < req->view->nfields && !req->no_memory; i++) {
		if (field_is_gone(req, i))
			continue;
		f = &req->view->fields[i];
		name = fm_request_field_name(f);
		if (name.len == 0 || !glob_may_touch(glob, name) ||
		    fm_request_slot_of(req->program, f) != FM_NONE)
			continue;
		any |= field_unset(x, i, name, rule);
	}
	return (any);
}
