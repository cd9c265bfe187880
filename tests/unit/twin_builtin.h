/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Naive twins of fm_builtin_decide() and fm_builtin_respond(): the subs of
 * builtin.vcl, one by one, as each is in VCL.  A sub returns true if it has
 * ended vcl_recv or vcl_backend_response.
 */

#ifndef TWIN_BUILTIN_H
#define TWIN_BUILTIN_H

#include <stdlib.h>

#include "builtin.h"

struct twin_builtin {
	unsigned			facts;
	const struct fm_builtin_request	*request;
	struct fm_builtin		is;	/* `why` stays NULL */
};

static inline bool
twin_builtin_is(struct fm_text text, const char *word)
{
	return (fm_text_eq(text, fm_text_of(word)));
}

static inline bool
twin_builtin_end(struct twin_builtin *twin, enum fm_verdict verdict,
    unsigned status)
{
	twin->is.verdict = verdict;
	twin->is.status = status;
	return (true);
}

static inline bool
twin_vcl_req_url(struct twin_builtin *twin)
{
	struct fm_text url = twin->request->url;
	struct fm_text method = twin->request->method;

	if (twin_builtin_is(url, "*") && twin_builtin_is(method, "OPTIONS"))
		return (false);
	if ((url.len == 0 || url.b[0] != '/') &&
	    !twin_builtin_is(method, "CONNECT"))
		return (twin_builtin_end(twin, FM_VERDICT_SYNTH, 400));
	return (false);
}

static inline bool
twin_vcl_req_host(struct twin_builtin *twin)
{
	const struct fm_builtin_request *request = twin->request;
	size_t i;

	for (i = 0; i < request->host.len; i++)
		if (request->host.b[i] >= 'A' && request->host.b[i] <= 'Z')
			twin->is.lower = true;
	if (request->host.b == NULL && !request->esi &&
	    (request->proto.b == NULL ||
	    twin_builtin_is(request->proto, "HTTP/1.1")))
		return (twin_builtin_end(twin, FM_VERDICT_SYNTH, 400));
	return (false);
}

static inline bool
twin_vcl_req_method(struct twin_builtin *twin)
{
	struct fm_text method = twin->request->method;
	bool refuses = (twin->facts & FM_BUILTIN_501) != 0;

	if (!refuses && twin_builtin_is(method, "PRI"))
		return (twin_builtin_end(twin, FM_VERDICT_SYNTH, 405));
	if (!twin_builtin_is(method, "GET") &&
	    !twin_builtin_is(method, "HEAD") &&
	    !twin_builtin_is(method, "PUT") &&
	    !twin_builtin_is(method, "POST") &&
	    !twin_builtin_is(method, "TRACE") &&
	    !twin_builtin_is(method, "OPTIONS") &&
	    !twin_builtin_is(method, "DELETE") &&
	    !twin_builtin_is(method, "PATCH") &&
	    !((twin->facts & FM_BUILTIN_QUERY) != 0 &&
	    twin_builtin_is(method, "QUERY"))) {
		if (!refuses)
			return (twin_builtin_end(twin, FM_VERDICT_PIPE, 0));
		twin->is.close = true;
		return (twin_builtin_end(twin, FM_VERDICT_SYNTH, 501));
	}
	if (!twin_builtin_is(method, "GET") && !twin_builtin_is(method, "HEAD"))
		return (twin_builtin_end(twin, FM_VERDICT_PASS, 0));
	return (false);
}

static inline bool
twin_vcl_req_authorization(struct twin_builtin *twin)
{
	return (twin->request->authorization &&
	    twin_builtin_end(twin, FM_VERDICT_PASS, 0));
}

static inline bool
twin_vcl_req_cookie(struct twin_builtin *twin)
{
	return (twin->request->cookie &&
	    twin_builtin_end(twin, FM_VERDICT_PASS, 0));
}

/* Runs vcl_builtin_recv, then the `return (hash)` of vcl_recv. */
static inline struct fm_builtin
twin_builtin(unsigned facts, const struct fm_builtin_request *request)
{
	static bool (*const subs[])(struct twin_builtin *) = {
		twin_vcl_req_url, twin_vcl_req_host, twin_vcl_req_method,
		twin_vcl_req_authorization, twin_vcl_req_cookie
	};
	struct twin_builtin twin = { .facts = facts, .request = request };
	unsigned i;

	for (i = 0; i <= 5; i++) {
		if (facts / 8 == i + 1 &&
		    !twin_builtin_is(request->method, "GET"))
			twin.is.range = true;
		if (i == 0 && (facts & FM_BUILTIN_URL) == 0)
			continue;
		if (i < 5 && subs[i](&twin))
			return (twin.is);
	}
	(void)twin_builtin_end(&twin, FM_VERDICT_HASH, 0);
	return (twin.is);
}

/* header ~ "(?i)word" */
static inline bool
twin_beresp_matches(struct fm_text header, const char *word)
{
	char *copy = strndup(header.b == NULL ? "" : header.b, header.len);
	bool matches = strcasestr(copy, word) != NULL;

	free(copy);
	return (matches);
}

static inline void
twin_vcl_beresp_hitmiss(struct fm_builtin_stored *is, unsigned facts,
    double uncacheable_ttl)
{
	is->ttl = (facts & FM_BUILTIN_PARAM_TTL) != 0 ? uncacheable_ttl : 120.;
	is->uncacheable = true;
}

static inline bool
twin_vcl_beresp(const struct fm_builtin_response *response)
{
	if (response->ttl <= 0.)
		return (true);
	if (response->set_cookie)
		return (true);
	if (twin_beresp_matches(response->surrogate_control, "no-store") ||
	    (response->surrogate_control.b == NULL &&
	    (twin_beresp_matches(response->cache_control, "no-cache") ||
	    twin_beresp_matches(response->cache_control, "no-store") ||
	    twin_beresp_matches(response->cache_control, "private"))))
		return (true);
	return (twin_builtin_is(response->vary, "*"));
}

/* Runs vcl_builtin_backend_response, in the order of 8.0; `why` stays NULL. */
static inline struct fm_builtin_stored
twin_builtin_respond(unsigned facts,
    const struct fm_builtin_response *response)
{
	struct fm_builtin_stored is = { .uncacheable = response->uncacheable,
		.ttl = response->ttl };

	if ((facts & FM_BUILTIN_CONTENT_RANGE) != 0 &&
	    response->status != 206 && response->status != 416)
		is.content_range = response->content_range;
	if (response->uncacheable)
		return (is);
	if (twin_vcl_beresp(response))
		twin_vcl_beresp_hitmiss(&is, facts, response->uncacheable_ttl);
	return (is);
}

#endif
