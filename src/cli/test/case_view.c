/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the request of a case to the rules, as a view.
 */

#include "cases.h"
#include "cli.h"
#include "connection.h"

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
