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

/* Whatever of these facts comes together, and wherever Range is unset. */
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

int
main(void)
{
	return (unit_main("builtin", 60));
}
