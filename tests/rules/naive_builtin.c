/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's `builtin`: asks the twin of builtin.vcl, makes its edits.
 */

#include "naive_priv.h"
#include "twin_builtin.h"

static bool
is_there(struct naive *naive, const char *header)
{
	return (naive_header(naive, fm_text_of(header)).b != NULL);
}

static void
lower_host(struct naive *naive, struct fm_text host)
{
	char *lower = naive_alloc(naive, host.len);
	size_t i;

	for (i = 0; i < host.len; i++)
		lower[i] = (char)fm_lower((unsigned char)host.b[i]);
	naive_header_set(naive, fm_text_of("Host"), fm_text(lower, host.len));
}

enum naive_step
naive_builtin(struct naive *naive, const struct fm_stmt *stmt)
{
	const struct fm_builtin_request request = {
		.method = naive->view->method,
		.url = naive->result.url,
		.proto = naive->view->proto,
		.host = naive_header(naive, fm_text_of("Host")),
		.authorization = is_there(naive, "Authorization"),
		.cookie = is_there(naive, "Cookie"),
		.esi = naive->view->esi
	};
	struct fm_builtin is = twin_builtin(fm_builtin_here, &request);

	naive->result.at = stmt->at;
	if (is.lower)
		lower_host(naive, request.host);
	if (is.close)
		naive_header_set(naive, fm_text_of("Connection"),
		    fm_text_of("close"));
	if (is.range && is_there(naive, "Range"))
		naive_header_set(naive, fm_text_of("Range"), fm_text(NULL, 0));
	naive->result.verdict = is.verdict;
	naive->result.status = is.status;
	return (NAIVE_END);
}
