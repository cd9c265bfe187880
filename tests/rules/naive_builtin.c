/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's `builtin`: does what builtin.vcl does, sub by sub.
 */

#include "builtin.h"
#include "naive_priv.h"

static bool
is(struct fm_text text, const char *word)
{
	return (fm_text_eq(text, fm_text_of(word)));
}

static bool
is_there(struct naive *naive, const char *header)
{
	return (naive_header(naive, fm_text_of(header)).b != NULL);
}

static enum naive_step
end(struct naive *naive, enum fm_verdict verdict)
{
	naive->result.verdict = verdict;
	return (NAIVE_END);
}

static enum naive_step
synth(struct naive *naive, unsigned status)
{
	naive->result.status = status;
	return (end(naive, FM_VERDICT_SYNTH));
}

static enum naive_step
vcl_req_url(struct naive *naive)
{
	struct fm_text url = naive->result.url, method = naive->view->method;

	if (is(url, "*") && is(method, "OPTIONS"))
		return (NAIVE_ON);
	if ((url.len == 0 || url.b[0] != '/') && !is(method, "CONNECT"))
		return (synth(naive, 400));
	return (NAIVE_ON);
}

static enum naive_step
vcl_req_host(struct naive *naive)
{
	struct fm_text host = naive_header(naive, fm_text_of("Host"));
	struct fm_text proto = naive->view->proto;
	char *lower = naive_alloc(naive, host.len);
	bool upper = false;
	size_t i;

	for (i = 0; i < host.len; i++) {
		lower[i] = (char)fm_lower((unsigned char)host.b[i]);
		upper = upper || lower[i] != host.b[i];
	}
	if (upper)
		naive_header_set(naive, fm_text_of("Host"),
		    fm_text(lower, host.len));
	if (host.b == NULL && !naive->view->esi &&
	    (proto.b == NULL || is(proto, "HTTP/1.1")))
		return (synth(naive, 400));
	return (NAIVE_ON);
}

static enum naive_step
vcl_req_method(struct naive *naive)
{
	struct fm_text method = naive->view->method;

	bool refuses = (fm_builtin_here & FM_BUILTIN_501) != 0;

	if (!refuses && is(method, "PRI"))
		return (synth(naive, 405));
	if (!is(method, "GET") && !is(method, "HEAD") &&
	    !is(method, "PUT") && !is(method, "POST") &&
	    !is(method, "TRACE") && !is(method, "OPTIONS") &&
	    !is(method, "DELETE") && !is(method, "PATCH")) {
		if (!refuses)
			return (end(naive, FM_VERDICT_PIPE));
		naive_header_set(naive, fm_text_of("Connection"),
		    fm_text_of("close"));
		return (synth(naive, 501));
	}
	if (!is(method, "GET") && !is(method, "HEAD"))
		return (end(naive, FM_VERDICT_PASS));
	return (NAIVE_ON);
}

enum naive_step
naive_builtin(struct naive *naive, const struct fm_stmt *stmt)
{
	enum naive_step step = NAIVE_ON;

	naive->result.at = stmt->at;
	if ((fm_builtin_here & FM_BUILTIN_URL) != 0)
		step = vcl_req_url(naive);
	if (step == NAIVE_ON)
		step = vcl_req_host(naive);
	if (step == NAIVE_ON)
		step = vcl_req_method(naive);
	if (step == NAIVE_ON)
		step = end(naive, is_there(naive, "Authorization") ||
		    is_there(naive, "Cookie") ? FM_VERDICT_PASS :
		    FM_VERDICT_HASH);
	return (step);
}
