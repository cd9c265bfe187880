/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decides about a request as vcl_recv of builtin.vcl does, and about a response
 * as vcl_backend_response (builtin.h), in the order of its lines.
 */

#include "config.h"

#include "builtin.h"
#include "name_words.h"

/* BUILTIN_RANGE is the step after vcl_req_range, from 1; 0: never. */
const unsigned fm_builtin_here = BUILTIN_URL * FM_BUILTIN_URL +
    BUILTIN_501 * FM_BUILTIN_501 + BUILTIN_QUERY * FM_BUILTIN_QUERY +
    BUILTIN_RANGE * FM_BUILTIN_RANGE(0);
const unsigned fm_builtin_response_here =
    BUILTIN_CONTENT_RANGE * FM_BUILTIN_CONTENT_RANGE +
    BUILTIN_PARAM_TTL * FM_BUILTIN_PARAM_TTL;

static bool
is(struct fm_text text, const char *word)
{
	return (fm_text_eq(text, fm_text_of(word)));
}

static bool
is_known(unsigned facts, struct fm_text method)
{
	static const char * const known[] = { "PUT", "POST", "TRACE",
	    "OPTIONS", "DELETE", "PATCH" };
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (is(method, known[i]))
			return (true);
	return ((facts & FM_BUILTIN_QUERY) != 0 && is(method, "QUERY"));
}

/*
 * Returns true if the URL begins with a slash, or need not: the URL of CONNECT
 * is a host, and decide_method() refuses CONNECT.
 */
static bool
url_is_fine(const struct fm_builtin_request *request)
{
	return ((request->url.len > 0 && request->url.b[0] == '/') ||
	    is(request->method, "CONNECT") ||
	    (is(request->method, "OPTIONS") && is(request->url, "*")));
}

static bool
wants_host(const struct fm_builtin_request *request)
{
	return (!request->esi && (request->proto.b == NULL ||
	    is(request->proto, "HTTP/1.1")));
}

static void
give(struct fm_builtin *it, enum fm_verdict verdict, unsigned status,
    const char *why)
{
	it->verdict = verdict;
	it->status = status;
	it->why = why;
}

/* Decides about any method but GET and HEAD. */
static void
decide_method(struct fm_builtin *it, unsigned facts, struct fm_text method)
{
	if (is_known(facts, method)) {
		give(it, FM_VERDICT_PASS, 0, "neither GET nor HEAD: pass");
	} else if ((facts & FM_BUILTIN_501) != 0) {
		it->close = true;
		give(it, FM_VERDICT_SYNTH, 501,
		    "an unknown method: synth 501");
	} else if (is(method, "PRI")) {
		give(it, FM_VERDICT_SYNTH, 405, "PRI: synth 405");
	} else {
		give(it, FM_VERDICT_PIPE, 0, "an unknown method: pipe");
	}
}

/* Decides, and returns the step that has decided. */
static enum fm_builtin_step
decide(struct fm_builtin *it, unsigned facts,
    const struct fm_builtin_request *request)
{
	if ((facts & FM_BUILTIN_URL) != 0 && !url_is_fine(request)) {
		give(it, FM_VERDICT_SYNTH, 400,
		    "a URL without a / in front: synth 400");
		return (FM_BUILTIN_STEP_URL);
	}
	it->lower = fm_name_has_upper(request->host);
	if (request->host.b == NULL && wants_host(request)) {
		give(it, FM_VERDICT_SYNTH, 400,
		    "HTTP/1.1 without a Host: synth 400");
		return (FM_BUILTIN_STEP_HOST);
	}
	if (!is(request->method, "GET") && !is(request->method, "HEAD")) {
		decide_method(it, facts, request->method);
		return (FM_BUILTIN_STEP_METHOD);
	}
	if (request->authorization) {
		give(it, FM_VERDICT_PASS, 0, "an Authorization: pass");
		return (FM_BUILTIN_STEP_AUTHORIZATION);
	}
	if (request->cookie) {
		give(it, FM_VERDICT_PASS, 0, "a Cookie: pass");
		return (FM_BUILTIN_STEP_COOKIE);
	}
	give(it, FM_VERDICT_HASH, 0, "nothing speaks against it: hash");
	return (FM_BUILTIN_STEP_END);
}

struct fm_builtin
fm_builtin_decide(unsigned facts, const struct fm_builtin_request *request)
{
	struct fm_builtin it = { .verdict = FM_VERDICT_NONE };
	enum fm_builtin_step step = decide(&it, facts, request);

	it.range = fm_builtin_has_range(facts) &&
	    facts < FM_BUILTIN_RANGE(step + 1U) && !is(request->method, "GET");
	return (it);
}

/* Returns true if a text has a word of lower case in it, in any case. */
static bool
has_word(struct fm_text text, const char *word)
{
	struct fm_text what = fm_text_of(word);
	size_t i;

	for (i = 0; i + what.len <= text.len; i++)
		if (fm_text_eq_nocase(fm_text(text.b + i, what.len), what))
			return (true);
	return (false);
}

/* Returns why a response is uncacheable; NULL: it is not. */
static const char *
why_uncacheable(const struct fm_builtin_response *response)
{
	static const char * const whys[][2] = {
		{ "Cache-Control: no-cache",
		    "no-cache in the header of 'ttl from'" },
		{ "Cache-Control: no-store",
		    "no-store in the header of 'ttl from'" },
		{ "Cache-Control: private",
		    "private in the header of 'ttl from'" }
	};
	struct fm_text control = response->cache_control;

	if (response->ttl <= 0)
		return ("no lifetime");
	if (response->set_cookie)
		return ("Set-Cookie");
	if (has_word(response->surrogate_control, "no-store"))
		return ("Surrogate-Control: no-store");
	/* Surrogate-Control hides Cache-Control, even if it is empty. */
	if (response->surrogate_control.b == NULL) {
		if (has_word(control, "no-cache"))
			return (whys[0][response->targeted]);
		if (has_word(control, "no-store"))
			return (whys[1][response->targeted]);
		if (has_word(control, "private"))
			return (whys[2][response->targeted]);
	}
	return (is(response->vary, "*") ? "Vary: *" : NULL);
}

struct fm_builtin_stored
fm_builtin_respond(unsigned facts, const struct fm_builtin_response *response)
{
	struct fm_builtin_stored it = {
		.uncacheable = response->uncacheable,
		.content_range = (facts & FM_BUILTIN_CONTENT_RANGE) != 0 &&
		    response->content_range && response->status != 206 &&
		    response->status != 416,
		.ttl = response->ttl
	};

	if (!it.uncacheable)
		it.why = why_uncacheable(response);
	if (it.why != NULL) {
		it.uncacheable = true;
		it.ttl = (facts & FM_BUILTIN_PARAM_TTL) != 0 ?
		    response->uncacheable_ttl : 120;
	}
	return (it);
}
