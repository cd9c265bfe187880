/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The decision of builtin.vcl, where Varnishes differ; what they agree about is
 * in tests/cases/builtin.case.
 */

#include "unit.h"
#include "twin.h"
#include "twin_builtin.h"

#define PROTO		"HTTP/1.1"
#define HOST		"www.example.com"

/*
 * A request, and what becomes of it by that of 7, of 8 and of 9.1 (NULL: as
 * before it).
 */
static const struct {
	const char		*method, *url, *proto, *host;
	const char		*flags;		/* a: Authorization, c: Cookie,
						 * e: ESI */
	const char		*seven, *eight, *nine;
} rows[] = {
	{ "GET", "/", PROTO, HOST, "", "hash", NULL, NULL },
	{ "GET", "/", PROTO, HOST, "a", "pass", NULL, NULL },
	{ "GET", "/", PROTO, NULL, "", "synth 400", NULL, NULL },
	{ "GET", "/", PROTO, "www.example.coM", "c", "lower pass", NULL,
	    NULL },
	/* Methods. */
	{ "HEAD", "/", PROTO, HOST, "", "hash", NULL, "range hash" },
	{ "HEAD", "/", PROTO, HOST, "c", "pass", NULL, "range pass" },
	{ "HEAD", "/", PROTO, HOST, "a", "pass", NULL, "range pass" },
	{ "HEAD", "/", PROTO, NULL, "", "synth 400", NULL, NULL },
	{ "POST", "/", PROTO, HOST, "c", "pass", NULL, "range pass" },
	{ "PATCH", "/", PROTO, "A", "e", "lower pass", NULL,
	    "lower range pass" },
	{ "PRI", "*", PROTO, HOST, "", "synth 405", "synth 400", NULL },
	{ "PRI", "/", PROTO, "A", "", "lower synth 405",
	    "lower close synth 501", "lower close range synth 501" },
	{ "PURGE", "/", PROTO, HOST, "", "pipe", "close synth 501",
	    "close range synth 501" },
	{ "QUERY", "/", PROTO, HOST, "", "pipe", "close synth 501",
	    "range pass" },
	{ "QUERY", "x", PROTO, HOST, "", "pipe", "synth 400", NULL },
	{ "query", "/", PROTO, HOST, "", "pipe", "close synth 501",
	    "close range synth 501" },
	{ "get", "/", PROTO, HOST, "", "pipe", "close synth 501",
	    "close range synth 501" },
	{ "GETS", "/", PROTO, HOST, "", "pipe", "close synth 501",
	    "close range synth 501" },
	{ "", "/", PROTO, HOST, "", "pipe", "close synth 501",
	    "close range synth 501" },
	{ "PURGE", "/", PROTO, HOST, "e", "pipe", "close synth 501",
	    "close range synth 501" },
	{ "CONNECT", "h:443", PROTO, "H", "", "lower pipe",
	    "lower close synth 501", "lower close range synth 501" },
	/* URLs. */
	{ "OPTIONS", "*", PROTO, HOST, "", "pass", NULL, "range pass" },
	{ "GET", "*", PROTO, HOST, "", "hash", "synth 400", NULL },
	{ "OPTIONS", "*x", PROTO, HOST, "", "pass", "synth 400", NULL },
	{ "GET", "", PROTO, HOST, "", "hash", "synth 400", NULL },
	{ "GET", "?a", PROTO, HOST, "e", "hash", "synth 400", NULL },
	{ "GET", "https://h/", PROTO, "H", "", "lower hash", "synth 400",
	    NULL },
	{ "GET", "x", PROTO, NULL, "", "synth 400", NULL, NULL },
};

static struct fm_text
text_or_none(const char *s)
{
	return (s == NULL ? fm_text(NULL, 0) : fm_text_of(s));
}

static void
check(int row, unsigned facts, const char *want)
{
	const struct fm_builtin_request request = {
		.method = unit_copy(fm_text_of(rows[row].method)),
		.url = unit_copy(fm_text_of(rows[row].url)),
		.proto = text_or_none(rows[row].proto),
		.host = text_or_none(rows[row].host),
		.authorization = strchr(rows[row].flags, 'a') != NULL,
		.cookie = strchr(rows[row].flags, 'c') != NULL,
		.esi = strchr(rows[row].flags, 'e') != NULL
	};
	struct fm_builtin it = fm_builtin_decide(facts, &request);
	char is[64], status[16] = "", *verdict;

	if (it.status != 0)
		snprintf(status, sizeof status, " %u", it.status);
	snprintf(is, sizeof is, "%s%s%s%s%s", it.lower ? "lower " : "",
	    it.close ? "close " : "", it.range ? "range " : "",
	    fm_verdict_word(it.verdict), status);
	ck_assert_str_eq(is, want);
	/* The reason's words end in the verdict. */
	verdict = strstr(is, fm_verdict_word(it.verdict));
	ck_assert_ptr_nonnull(strstr(it.why, ": "));
	ck_assert_str_eq(strstr(it.why, ": ") + 2, verdict);
	free((void *)(uintptr_t)request.method.b);
	free((void *)(uintptr_t)request.url.b);
}

UNIT_LOOP(builtin_vcl_decides_as_varnish_7_does, UNIT_COUNT(rows))
{
	check(_i, 0, rows[_i].seven);
}

UNIT_LOOP(builtin_vcl_decides_as_varnish_8_does, UNIT_COUNT(rows))
{
	check(_i, FM_BUILTIN_URL | FM_BUILTIN_501, rows[_i].eight == NULL ?
	    rows[_i].seven : rows[_i].eight);
}

/* The update of 7 has the check of the URL of 8. */
UNIT_LOOP(builtin_vcl_decides_as_varnish_7_does_after_its_update,
    UNIT_COUNT(rows))
{
	const char *eight = rows[_i].eight;

	check(_i, FM_BUILTIN_URL, eight != NULL &&
	    strcmp(eight, "synth 400") == 0 ? eight : rows[_i].seven);
}

/* The first two checks come before that of vcl_req_range. */
UNIT_LOOP(builtin_vcl_decides_as_varnish_9_1_does, UNIT_COUNT(rows))
{
	const char *eight = rows[_i].eight == NULL ? rows[_i].seven :
	    rows[_i].eight;

	check(_i, FM_BUILTIN_URL | FM_BUILTIN_501 | FM_BUILTIN_QUERY |
	    FM_BUILTIN_RANGE(FM_BUILTIN_STEP_METHOD), rows[_i].nine == NULL ?
	    eight : rows[_i].nine);
}

/* Returns one of the strings of an array. */
#define ONE_OF(array)	((array)[unit_below(UNIT_COUNT(array))])

/* Requests of all these facts, in all Varnishes. */
UNIT_TEST(builtin_vcl_is_that_of_its_twin)
{
	static const char * const methods[] = { "GET", "HEAD", "POST", "QUERY",
	    "PURGE", "PRI", "OPTIONS", "CONNECT", "get" };
	static const char * const urls[] = { "/", "/a", "*", "x", "" };
	static const char * const protos[] = { "HTTP/1.1", "HTTP/1.0", NULL };
	static const char * const hosts[] = { "a", "A", "", NULL };
	struct fm_builtin_request request;
	struct fm_builtin is, twin;
	unsigned facts, i;

	unit_seed("builtin");
	for (i = 0; i < 20000; i++) {
		facts = unit_below(FM_BUILTIN_RANGE(FM_BUILTIN_STEP_END + 1));
		request = (struct fm_builtin_request) {
			.method = fm_text_of(ONE_OF(methods)),
			.url = fm_text_of(ONE_OF(urls)),
			.proto = text_or_none(ONE_OF(protos)),
			.host = text_or_none(ONE_OF(hosts)),
			.authorization = unit_below(3) == 0,
			.cookie = unit_below(3) == 0,
			.esi = unit_below(3) == 0
		};
		is = fm_builtin_decide(facts, &request);
		twin = twin_builtin(facts, &request);
		ck_assert_int_eq(is.verdict, twin.verdict);
		ck_assert_uint_eq(is.status, twin.status);
		ck_assert(is.lower == twin.lower);
		ck_assert(is.close == twin.close);
		ck_assert(is.range == twin.range);
		if (!fm_builtin_is_usual(request.method, request.url) ||
		    request.host.len == 0 || is.lower)
			continue;
		/* The short cut gives the same, and edits nothing. */
		ck_assert_int_eq(twin.verdict, fm_builtin_usual(
		    request.authorization, request.cookie));
		ck_assert(!twin.lower && !twin.close && !twin.range);
		ck_assert_uint_eq(twin.status, 0);
	}
}

#define RANGE		FM_BUILTIN_CONTENT_RANGE
#define PARAM		FM_BUILTIN_PARAM_TTL

/*
 * A response, and why it is uncacheable (NULL: it is stored); with `unset`,
 * Content-Range goes from 7.6 on.
 */
static const struct {
	unsigned		status;
	const char		*flags;		/* u: uncacheable,
						 * c: Set-Cookie,
						 * r: Content-Range */
	double			ttl;
	const char		*surrogate, *control, *vary;
	const char		*why;
	bool			unset;
} responses[] = {
	{ 200, "", 60, NULL, NULL, NULL, NULL, false },
	{ 200, "", 0.001, NULL, "public, max-age=60", "Cookie", NULL, false },
	{ 200, "c", 60, NULL, NULL, NULL, "Set-Cookie", false },
	{ 200, "", 0, NULL, NULL, NULL, "no lifetime", false },
	{ 200, "c", -5, NULL, "private", "*", "no lifetime", false },
	{ 200, "", 60, NULL, "private", NULL, "Cache-Control: private",
	    false },
	{ 200, "", 60, NULL, "max-age=9, PRIVATE=\"x\"", NULL,
	    "Cache-Control: private", false },
	{ 200, "", 60, NULL, "No-Cache", NULL, "Cache-Control: no-cache",
	    false },
	{ 200, "", 60, NULL, "no-store", NULL, "Cache-Control: no-store",
	    false },
	{ 200, "", 60, NULL, "unprivately", NULL, "Cache-Control: private",
	    false },
	{ 200, "", 60, NULL, "x=no-store5", NULL, "Cache-Control: no-store",
	    false },
	{ 200, "", 60, NULL, "no_store, no-stor", NULL, NULL, false },
	{ 200, "", 60, NULL, "", "", NULL, false },
	{ 200, "", 60, "NO-STORE", NULL, NULL, "Surrogate-Control: no-store",
	    false },
	{ 200, "", 60, "max-age=60", "no-store, private", NULL, NULL, false },
	{ 200, "", 60, "", "private", NULL, NULL, false },
	{ 200, "", 60, "private, no-cache", NULL, NULL, NULL, false },
	{ 200, "", 60, NULL, NULL, "*", "Vary: *", false },
	{ 200, "", 60, "", "private", "*", "Vary: *", false },
	{ 200, "", 60, NULL, NULL, "*, Cookie", NULL, false },
	{ 200, "", 60, NULL, NULL, "Cookie, *", NULL, false },
	/* What is uncacheable stays as it is. */
	{ 200, "u", 5, NULL, NULL, NULL, NULL, false },
	{ 200, "ucr", -1, "no-store", "private", "*", NULL, true },
	/* Content-Range. */
	{ 200, "r", 60, NULL, NULL, NULL, NULL, true },
	{ 404, "rc", 60, NULL, NULL, NULL, "Set-Cookie", true },
	{ 206, "r", 0, NULL, NULL, NULL, "no lifetime", false },
	{ 416, "r", 60, NULL, NULL, NULL, NULL, false },
	{ 416, "ur", 60, NULL, NULL, NULL, NULL, false }
};

static void
check_response(int row, unsigned facts)
{
	struct fm_builtin_response response = {
		.status = responses[row].status,
		.uncacheable = strchr(responses[row].flags, 'u') != NULL,
		.set_cookie = strchr(responses[row].flags, 'c') != NULL,
		.content_range = strchr(responses[row].flags, 'r') != NULL,
		.ttl = responses[row].ttl,
		.uncacheable_ttl = 33.5,
		.surrogate_control = text_or_none(responses[row].surrogate),
		.cache_control = text_or_none(responses[row].control),
		.vary = text_or_none(responses[row].vary)
	};
	struct fm_builtin_stored it = fm_builtin_respond(facts, &response);
	const char *why = responses[row].why;

	ck_assert_str_eq(it.why == NULL ? "-" : it.why,
	    why == NULL ? "-" : why);
	ck_assert(it.uncacheable == (response.uncacheable || why != NULL));
	ck_assert_double_eq(it.ttl, why == NULL ? response.ttl :
	    facts & PARAM ? 33.5 : 120);
	ck_assert(it.content_range == ((facts & RANGE) != 0 &&
	    responses[row].unset));
}

UNIT_LOOP(builtin_vcl_stores_as_varnish_7_1_does, UNIT_COUNT(responses))
{
	check_response(_i, 0);
}

UNIT_LOOP(builtin_vcl_stores_as_varnish_7_6_does, UNIT_COUNT(responses))
{
	check_response(_i, RANGE);
}

UNIT_LOOP(builtin_vcl_stores_as_varnish_8_does, UNIT_COUNT(responses))
{
	check_response(_i, RANGE | PARAM);
}

UNIT_TEST(builtin_vcl_stores_as_its_twin)
{
	static const char * const values[] = { NULL, "", "*", "no-store",
	    "No-Cache", "x-PRIVATEx", "max-age=5, private", "*, a", "no-stor",
	    "ano-cach" };
	static const unsigned statuses[] = { 200, 206, 416, 404, 500 };
	static const double ttls[] = { 60, 1, 0, -1 };
	struct fm_builtin_response response;
	struct fm_builtin_stored is, twin;
	unsigned facts, i;

	unit_seed("builtin responses");
	for (i = 0; i < 20000; i++) {
		facts = unit_below(4);
		response = (struct fm_builtin_response) {
			.status = ONE_OF(statuses),
			.uncacheable = unit_below(6) == 0,
			.set_cookie = unit_below(6) == 0,
			.content_range = unit_below(2) == 0,
			.ttl = ONE_OF(ttls),
			.uncacheable_ttl = unit_below(300),
			.surrogate_control = unit_below(2) == 0 ?
			    text_or_none(NULL) : text_or_none(ONE_OF(values)),
			.cache_control = text_or_none(ONE_OF(values)),
			.vary = text_or_none(ONE_OF(values))
		};
		is = fm_builtin_respond(facts, &response);
		twin = twin_builtin_respond(facts, &response);
		ck_assert(is.uncacheable == twin.uncacheable);
		ck_assert(is.content_range == twin.content_range);
		ck_assert_double_eq(is.ttl, twin.ttl);
		ck_assert((is.why != NULL) ==
		    (is.uncacheable && !response.uncacheable));
	}
}

int
main(void)
{
	return (unit_main("builtin", 60));
}
