/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the request of a case to the rules, as a view; and finds its Host in a
 * URL.
 */

#include "cases.h"
#include "cli.h"
#include "connection.h"
#include "made_request.h"

static bool
has_host(const struct fm_case *one)
{
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < one->nfields; i++) {
		fm_field_parts(&one->fields[i], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of("Host")))
			return (true);
	}
	return (false);
}

struct fm_text
fm_case_host(struct fm_case *one, struct fm_arena *arena)
{
	struct fm_made_request made;
	struct fm_text line = fm_text(NULL, 0);

	if (has_host(one))
		return (line);
	fm_made_init(&made);
	fm_made_url(&made, one->url, FM_URL_TYPED);
	if (made.url_host.b != NULL) {
		if (one->scheme.b == NULL)
			one->scheme = fm_text_of(made.scheme ==
			    FM_SCHEME_HTTPS ? "https" : "http");
		one->url.b = fm_arena_add(arena, made.url);
		one->url.len = made.url.len;
		line = fm_made_join(&made, fm_text_of("Host"), ": ",
		    made.url_host);
		line.b = fm_arena_add(arena, line);
	}
	if (made.no_memory || (line.len > 0 &&
	    (line.b == NULL || one->url.b == NULL)))
		fm_cli_no_memory();
	fm_made_fini(&made);
	return (line);
}

/* Returns the scheme that a case gives, or 0. */
static uint16_t
case_scheme(const struct fm_case *one)
{
	if (one->scheme.b != NULL)
		return ((uint16_t)fm_state_flag(FM_SUBJECT_SCHEME,
		    one->scheme));
	if (fm_text_begins(one->url, "https://"))
		return (FM_SCHEME_HTTPS);
	return (fm_text_begins(one->url, "http://") ? FM_SCHEME_HTTP : 0);
}

struct fm_view
fm_case_view(const struct fm_case *one)
{
	struct fm_view view = {
		.method = one->method,
		.url = one->url,
		.proto = one->proto,
		.fields = one->fields,
		.nfields = one->nfields,
		.marks = one->marks,
		.esi = one->esi,
		.restarts = one->restarts,
		.scheme = case_scheme(one)
	};
	struct fm_text client = one->client.b != NULL ? one->client :
	    fm_text_of(FM_CLI_CLIENT);

	(void)fm_addr_parse(client, &view.client);
	fm_connection_mark(one->fields, one->nfields, one->marks);
	return (view);
}
