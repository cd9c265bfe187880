/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Answers tests of names, such as `cookie wp_* present` and `query in NAMES
 * present`: does any cookie, parameter or header have such a name?
 */

#include "request.h"

/*
 * Returns the name of the first header that fits, or the missing text: first of
 * those with a slot, as rules have edited them, then of the other fields.
 */
static struct fm_text
header_named(struct fm_request *req, const struct fm_names *names)
{
	const struct fm_field *f = req->view->fields;
	struct fm_text name;
	const char *colon;
	uint32_t n;

	for (n = 0; n < req->program->nslots; n++) {
		name = req->program->slots[n].name;
		if (fm_request_header(req, n).b != NULL &&
		    fm_names_match(names, name, FM_NAMES_RAW) > 0)
			return (name);
	}
	for (n = 0; n < req->view->nfields; n++, f++) {
		if (f->b == NULL || (req->gone != NULL && req->gone[n]) ||
		    fm_request_slot_of(req->program, f) != FM_NONE)
			continue;
		colon = memchr(f->b, ':', (size_t)(f->e - f->b));
		if (colon == NULL)
			continue;
		name = fm_text_span(f->b, colon);
		if (fm_names_match(names, name, FM_NAMES_RAW) > 0)
			return (name);
	}
	return (fm_text(NULL, 0));
}

struct fm_text
fm_request_named(struct fm_request *req, const struct fm_test *test)
{
	if (test->subject.kind == FM_SUBJECT_QUERY)
		return (fm_request_query(req));
	if (test->subject.kind == FM_SUBJECT_COOKIE)
		return (fm_request_header(req, FM_SLOT_OF_COOKIE));
	return (header_named(req, req->program->params[test->set].names));
}

/*
 * Drops the parameters or cookies of these names into a buffer of no bytes.  If
 * that would change nothing, there are none.
 */
bool
fm_request_has_names(struct fm_request *req, const struct fm_test *test)
{
	const struct fm_params *params = &req->program->params[test->set];
	struct fm_text text, out;
	char none[1];

	if (test->subject.kind == FM_SUBJECT_HEADER)
		return (header_named(req, params->names).b != NULL);
	if (test->subject.kind == FM_SUBJECT_QUERY)
		return (req->mark != req->url.len && fm_params_query(params,
		    req->url, none, 0, &out) != FM_PARAMS_SAME);
	text = fm_request_header(req, FM_SLOT_OF_COOKIE);
	return (text.len > 0 && fm_params_cookies(params, text, none, 0,
	    &out) != FM_PARAMS_SAME);
}
