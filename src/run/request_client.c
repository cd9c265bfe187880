/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the client, which may be behind proxies, and answers tests of networks.
 *
 *	client from X-Forwarded-For trust 192.0.2.0/24;
 *
 *	X-Forwarded-For: 203.0.113.9, 198.51.100.7, 192.0.2.5	peer 192.0.2.4
 *
 * Each proxy appends the address that it was asked from, so we read from the
 * right, as long as an address is trusted.  192.0.2.4 is trusted, and says that
 * 192.0.2.5 asked; 192.0.2.5 is trusted, and says that 198.51.100.7 asked.
 * 198.51.100.7 is not trusted: it is the client, and may have made up the rest.
 *
 * The client is unknown if the next element is not an address, or if there are
 * still elements after ELEMENTS_MAX of them, which were all trusted.
 */

#include <string.h>

#include "request.h"
#include "run.h"

#define ELEMENTS_MAX	64	/* elements that are read: no site has as many
				 * proxies in a row */

struct fm_text
fm_request_client(struct fm_request *req)
{
	char *buf;

	if (req->client.len == 0)
		return (fm_text(NULL, 0));
	buf = fm_request_alloc(req, FM_ADDR_PRINT);
	if (buf == NULL)
		return (fm_text(NULL, 0));
	return (fm_text(buf, fm_addr_print(&req->client, buf)));
}

uint32_t
fm_request_network(struct fm_request *req,
    const struct fm_subject_code *subject, uint32_t nets)
{
	struct fm_addr addr = req->client;

	if (subject->kind != FM_SUBJECT_CLIENT)
		(void)fm_addr_parse(fm_request_subject(req, subject), &addr);
	return (fm_networks_find(req->program->nets[nets], &addr));
}

/*--------------------------------------------------------------------
 * The address of the client
 */

static bool
is_trusted(const struct fm_program *program, const struct fm_addr *addr)
{
	return (fm_networks_find(program->nets[program->trust],
	    addr) != FM_NONE);
}

/* Returns the value of a field if that is the header, or the missing text. */
static struct fm_text
trust_value(const struct fm_program *program, const struct fm_field *field)
{
	if (field->b == NULL ||
	    fm_request_slot_of(program, field) != program->trust_slot)
		return (fm_text(NULL, 0));
	return (fm_request_field_value(field,
	    program->slots[program->trust_slot].name.len));
}

/*
 * Takes the last element off a list, and returns it.  The list is missing after
 * its only element was taken.
 */
static struct fm_text
list_last(struct fm_text *list)
{
	const char *comma = list->len == 0 ? NULL :
	    memrchr(list->b, ',', list->len);
	struct fm_text last = *list;

	if (comma == NULL) {
		*list = fm_text(NULL, 0);
	} else {
		last = fm_text_span(comma + 1, list->b + list->len);
		*list = fm_text_span(list->b, comma);
	}
	return (fm_text_trim(last));
}

bool
fm_run_client(const struct fm_program *program, const struct fm_view *view,
    struct fm_addr *client)
{
	unsigned left = ELEMENTS_MAX;
	uint32_t first = program->of_response ? fm_request_nmessage(view) : 0;
	struct fm_text list;
	uint32_t i;

	if (program->requests != NULL)
		program = program->requests;
	*client = view->client;
	if (program->trust == FM_NONE || !is_trusted(program, client))
		return (true);
	for (i = view->nfields; i-- > first;) {
		list = trust_value(program, &view->fields[i]);
		while (list.b != NULL) {
			if (left-- == 0 || !fm_addr_parse_port(
			    list_last(&list), client)) {
				*client = (struct fm_addr){ .len = 0 };
				return (false);
			}
			if (!is_trusted(program, client))
				return (true);
		}
	}
	return (true);
}

void
fm_request_find_client(struct fm_request *req)
{
	if (req->slots[req->program->trust_slot].present)
		req->client_unknown = !fm_run_client(req->program, req->view,
		    &req->client);
}

/*--------------------------------------------------------------------
 * The scheme
 *
 *	scheme from proxy;
 *	scheme from X-Forwarded-Proto trust 192.0.2.0/24;
 *
 * A peer that adds its word to a header that came adds it on the right, so that
 * the last element of the last field is the peer's.
 */

/* Returns what a value says; 0 if that is not a scheme. */
static unsigned
scheme_of(struct fm_text value)
{
	static const struct {
		const char	*word;
		unsigned	scheme;
	} words[] = {
		{ "https", FM_SCHEME_HTTPS }, { "http", FM_SCHEME_HTTP },
		{ "on", FM_SCHEME_HTTPS }, { "off", FM_SCHEME_HTTP }
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (fm_text_eq_nocase(value, fm_text_of(words[i].word)))
			return (words[i].scheme);
	return (0);
}

/* Returns what the last field of a name says, or 0. */
static unsigned
header_scheme(const struct fm_view *view, uint32_t first, struct fm_text name)
{
	struct fm_text value;
	uint32_t i;

	for (i = view->nfields; i-- > first;) {
		if (!fm_text_eq_nocase(fm_request_field_name(&view->fields[i]),
		    name))
			continue;
		value = fm_request_field_value(&view->fields[i], name.len);
		return (scheme_of(list_last(&value)));
	}
	return (0);
}

unsigned
fm_run_scheme(const struct fm_program *program, const struct fm_view *view)
{
	uint32_t first = program->of_response ? fm_request_nmessage(view) : 0;
	const struct fm_scheme_code *code;
	unsigned scheme = view->scheme;

	if (program->requests != NULL)
		program = program->requests;
	for (code = program->schemes; scheme == 0 &&
	    code < program->schemes + program->nschemes; code++)
		if (code->from == FM_SCHEME_FROM_TLS)
			scheme = view->session & FM_SESSION_TLS ?
			    FM_SCHEME_HTTPS : 0;
		else if (code->from == FM_SCHEME_FROM_PROXY)
			scheme = view->session & FM_SESSION_PROXIED ?
			    FM_SCHEME_HTTPS : 0;
		else if (fm_networks_find(program->nets[code->nets],
		    &view->client) != FM_NONE)
			scheme = header_scheme(view, first,
			    program->texts[code->header]);
	return (scheme == 0 ? FM_SCHEME_HTTP : scheme);
}

bool
fm_run_names_client(const struct fm_program *program,
    const struct fm_field *field)
{
	const struct fm_scheme_code *code;

	if (program->trust != FM_NONE &&
	    trust_value(program, field).b != NULL)
		return (true);
	for (code = program->schemes;
	    code < program->schemes + program->nschemes; code++)
		if (code->from == FM_SCHEME_FROM_HEADER &&
		    fm_text_eq_nocase(fm_request_field_name(field),
		    program->texts[code->header]))
			return (true);
	return (false);
}

struct fm_text
fm_request_scheme(const struct fm_request *req)
{
	return (fm_text_of(fm_run_scheme(req->program, req->view) ==
	    FM_SCHEME_HTTPS ? "https" : "http"));
}
