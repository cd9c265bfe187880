/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Negotiation: cases, the tables of the RFCs, and a twin that splits the
 * whole header into arrays first.
 */

#include "negotiate.h"
#include "twin.h"
#include "twin_negotiate.h"

/* The answer to exact-size copies, as a part of `offers`; NULL: none. */
static void
check_negotiate(const char *header, const char *offers, const char *expect)
{
	struct fm_text h = unit_copy(fm_text_of(header));
	struct fm_text o = unit_copy(fm_text_of(offers));
	struct fm_text got = fm_negotiate(h, o);

	if (expect == NULL)
		ck_assert_msg(got.b == NULL && got.len == 0,
		    "\"%s\" of \"%s\" is not nothing but \"%.*s\"", header,
		    offers, (int)got.len, got.b);
	else {
		ck_assert_msg(got.len == strlen(expect) &&
		    memcmp(got.b, expect, got.len) == 0,
		    "\"%s\" of \"%s\" is not \"%s\" but \"%.*s\"", header,
		    offers, expect, (int)got.len, got.b);
		ck_assert(got.b >= o.b && got.b + got.len <= o.b + o.len);
	}
	twin_free(h);
	twin_free(o);
}

static const struct negotiate_case {
	const char	*header;
	const char	*offers;
	const char	*expect;
} negotiate_cases[] = {
	/* media types */
	{ "text/html", "text/html", "text/html" },
	{ "text/*", "textual/plain", NULL },
	{ "*/*, text/html;q=0", "text/html", NULL },
	{ "text/html;q=0.1, text/*, */*;q=0.5",
	    "text/html image/png text/css", "text/css" },
	{ "text/html;q=0, text/html", "text/html", NULL },
	/* their parameters */
	{ "text/html;level=1", "text/html", NULL },
	{ "text/html", "text/html;level=1", "text/html;level=1" },
	{ "a/b;x=1;q=0.2, a/b;q=0.9, a/c;q=0.5", "a/b;x=1 a/c", "a/c" },
	{ "a/*;x=1, a/*;q=0.5", "a/c a/b;x=1", "a/b;x=1" },
	{ "a/b;x=1;y=2", "a/b;x=1", NULL },
	{ "a/b;x=\"\\1\"", "a/b;x=1", "a/b;x=1" },
	{ "a/b;x=\"a,b;c\\\"d\\\\\";q=0.1, a/c;q=0.5", "a/b a/c", "a/c" },
	{ "a/b;x=\"y;z\"", "a/b;x=\"y;z\"", "a/b;x=\"y;z\"" },
	{ "a/c, a/b;x=\"y\\", "a/c", "a/c" },
	{ "a/b;x=\"y\\\"", "a/b;x=y\\", "a/b;x=y\\" },
	/* what follows the weight is not a parameter */
	{ "a/b;q=0.5;x=1, a/c;q=0.4", "a/c a/b", "a/b" },
	{ "a/b;q=0.1;\"", "a/b", "a/b" },
	/* codings */
	{ "gzip;q=1.0, br;q=0.5", "br gzip", "gzip" },
	{ "x-gzip", "gzip", "gzip" },
	{ "x-compress, gzip;q=.5", "gzip compress", "compress" },
	{ "gzip;q=0, x-gzip", "gzip", NULL },
	{ "br;q=0, *", "br gzip", "gzip" },
	/* identity: the last resort, unless it is refused */
	{ "", "gzip identity", "identity" },
	{ "gzip, identity;q=0", "br identity", NULL },
	{ "*;q=0, identity", "br identity", "identity" },
	{ "identity;q=0.5, gzip;q=0.4", "gzip identity", "identity" },
	/* languages */
	{ "de", "de-AT", "de-AT" },
	{ "de;q=0.5, de-AT;q=0.2, en;q=0.3", "en de-AT-1996", "en" },
	{ "en-US;q=0.2, en-GB;q=0.5, de;q=0.3", "de en", "en" },
	{ "en-GB;q=0", "en", NULL },
	{ "en-GB;q=0, en-US;q=0.1, *;q=0.5", "fr en", "fr" },
	{ "en-US, *;q=0.1", "de en", "en" },
	{ "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "it de en", "en" },
	/* weights */
	{ "a ; q=0.5 , b ; q=0.6 ", "a b", "b" },
	{ "a;q=0.5001, b;q=0.5009", "a b", "a" },
	{ "a;q=99999999999999999999.9, b", "b a", "b" },
	{ "a;q=.", "a", NULL },
	{ "a;q=\"0.5\"", "a", NULL },
	{ "a;q=x, a;q=0.5, b;q=0.4", "b a", "a" },
	{ ";q=1", "a", NULL },
	/* offers */
	{ "a, b", " ,\t, b , a", "b" },
	{ "a, b", "\n\tb\r\n\ta\n", "b" },
};

UNIT_LOOP(test_negotiate_cases, COUNT(negotiate_cases))
{
	const struct negotiate_case *c = &negotiate_cases[_i];

	check_negotiate(c->header, c->offers, c->expect);
}

UNIT_TEST(test_negotiate_a_missing_header_or_offer_gives_nothing)
{
	struct fm_text none = fm_text_of(NULL);

	ck_assert_ptr_null(fm_negotiate(none, fm_text_of("identity")).b);
	ck_assert_ptr_null(fm_negotiate(fm_text_of("*"), none).b);
	ck_assert_ptr_null(fm_negotiate(none, none).b);
}

/*
 * Tables of weights.  A weight can't be asked for, so each two offers are
 * held against each other, in both orders.
 */
struct weighed {
	const char	*offer;
	unsigned	weight;
};

static void
check_weights(const char *header, const struct weighed *w, int n)
{
	char offers[128];
	const struct weighed *a, *b, *win;

	for (a = w; a < w + n; a++) {
		check_negotiate(header, a->offer,
		    a->weight > 0 ? a->offer : NULL);
		for (b = w; b < w + n; b++) {
			(void)snprintf(offers, sizeof offers, "%s, %s",
			    a->offer, b->offer);
			win = b->weight > a->weight ? b : a;
			check_negotiate(header, offers,
			    win->weight > 0 ? win->offer : NULL);
		}
	}
}

UNIT_TEST(test_negotiate_weighs_as_rfc_9110_section_12_5_1)
{
	static const struct weighed w[] = {
		{ "text/plain;format=flowed", 1000 },
		{ "text/plain", 700 },
		{ "text/html", 300 },
		{ "image/jpeg", 500 },
		{ "text/plain;format=fixed", 400 },
		{ "text/html;level=3", 300 },	/* erratum 7138 */
	};

	check_weights("text/*;q=0.3, text/plain;q=0.7, "
	    "text/plain;format=flowed, text/plain;format=fixed;q=0.4, "
	    "*/*;q=0.5", w, COUNT(w));
}

UNIT_TEST(test_negotiate_weighs_the_other_examples_of_rfc_9110)
{
	static const struct weighed audio[] = {
		{ "audio/basic", 1000 }, { "audio/ogg", 200 },
		{ "video/ogg", 0 },
	};
	static const struct weighed text[] = {
		{ "text/html", 1000 }, { "text/x-c", 1000 },
		{ "text/x-dvi", 800 }, { "text/plain", 500 },
		{ "text/css", 0 },
	};
	static const struct weighed coding[] = {
		{ "gzip", 1000 }, { "identity", 500 }, { "br", 0 },
	};
	static const struct weighed language[] = {
		{ "da", 1000 }, { "en-gb", 800 }, { "en", 700 },
		{ "en-US", 700 }, { "fr", 0 },
	};

	check_weights("audio/*; q=0.2, audio/basic", audio, COUNT(audio));
	check_weights("text/plain; q=0.5, text/html, text/x-dvi; q=0.8, "
	    "text/x-c", text, COUNT(text));
	check_weights("gzip;q=1.0, identity; q=0.5, *;q=0", coding,
	    COUNT(coding));
	check_negotiate("compress, gzip", "gzip compress", "gzip");
	check_negotiate("compress;q=0.5, gzip;q=1.0", "compress gzip",
	    "gzip");
	check_weights("da, en-gb;q=0.8, en;q=0.7", language, COUNT(language));
}

static const char * const random_ranges[] = {
	"*", "*/*", "a", "A", "a-b", "a-b-c", "A-B", "b", "b-c", "gzip",
	"x-gzip", "identity", "identity", "t/a", "t/b", "T/A", "t/*",
	"t/a;x=1", "t/a;x=1;y=2", "t/a; y=2", "t/*;x=1", "*/*;x=1",
	"t/a;x=\"1\"", "t/b;x=\"1,\\\"2;\"", "t/a;x=\"\\1\"", "t/", "", ";",
	"a b", "t/a;x"
};

static const char * const random_weights[] = {
	"", "", ";q=0", ";q=0.5", ";q=.5", "; q=0.8", " ;\tQ=0.3", ";q=1",
	";q=0.123", ";q=0.1239", ";q=1.5", ";q=x", ";q", ";q=0.7;z",
	";q=0.4;q=0", ";q =0.5", ";q=\"0.5\"", ";q=0.0001"
};

static const char * const random_offers[] = {
	"a", "a-b", "A-b-c", "b", "b-d", "gzip", "X-GZIP", "identity",
	"t/a", "t/b", "T/a;x=1", "t/a;y=2;x=1", "t/b;X=1", "u/a", "t/a;x",
	"t/a;x=", "a;x=1"
};

/* A header of members, some of them spoilt by a byte or two. */
static void
random_header(char *s)
{
	static const char garbage[] = "\",;=\\ q0.*/-a\t";
	unsigned i, n = unit_below(6);

	*s = '\0';
	for (i = 0; i < n; i++) {
		strcat(s, i == 0 ? "" : unit_below(4) ? "," : " ,, ");
		strcat(s, random_ranges[unit_below(COUNT(random_ranges))]);
		strcat(s, random_weights[unit_below(COUNT(random_weights))]);
	}
	n = (unsigned)strlen(s);
	for (i = unit_below(8); n > 0 && i > 5; i--)
		s[unit_below(n)] = garbage[unit_below(sizeof garbage - 1)];
}

static void
check_twin(const char *header, unsigned *hits)
{
	static char offers[40][TWIN_LEN];
	char list[40 * TWIN_LEN] = "";
	struct fm_text h = unit_copy(fm_text_of(header)), o, got;
	const char *expect;
	int i, n = (int)unit_below(unit_below(8) > 0 ? 5 : 41);

	for (i = 0; i < n; i++) {
		strcpy(offers[i],
		    random_offers[unit_below(COUNT(random_offers))]);
		strcat(list, i == 0 ? "" : unit_below(2) ? " " : ", ");
		strcat(list, offers[i]);
	}
	o = unit_copy(fm_text_of(list));
	expect = twin_negotiate(header, (const char (*)[TWIN_LEN])offers, n);
	got = fm_negotiate(h, o);
	AGREE(expect == NULL ? got.b == NULL :
	    fm_text_eq(got, fm_text_of(expect)),
	    "\"%s\" of \"%s\" is not \"%s\" but \"%.*s\"", header, list,
	    expect == NULL ? "-" : expect, (int)got.len, got.b);
	*hits += expect != NULL;
	twin_free(h);
	twin_free(o);
}

UNIT_TEST(test_negotiate_agrees_with_a_naive_reading)
{
	char header[400];
	unsigned n, rounds = unit_rounds(100000, 4), hits = 0;

	unit_seed("negotiate");
	for (n = 0; n < rounds; n++) {
		random_header(header);
		check_twin(header, &hits);
	}
	/* the random input gave both answers often enough */
	ck_assert_uint_gt(hits, rounds / 5);
	ck_assert_uint_lt(hits, rounds - rounds / 5);
}

UNIT_TEST(test_negotiate_reads_garbage_as_a_naive_reading_does)
{
	char header[64];
	unsigned n, rounds = unit_rounds(60000, 4), hits = 0;
	struct fm_text t;

	unit_seed("negotiate garbage");
	for (n = 0; n < rounds; n++) {
		t = twin_random(header, 24, n % 2 ? "aq=;,\"\\/*-. 015" :
		    "at/*;,q=.1\t-");
		header[t.len] = '\0';
		check_twin(header, &hits);
	}
	ck_assert_uint_gt(hits, rounds / 60);
}

/* A few headers come again and again, as copies, with offers that change. */
UNIT_TEST(test_negotiate_cached_answers_as_without_a_cache)
{
	static const char * const offers[] = { "en de", "gzip br", "de", "",
	    "t/a u/a;x=1", "identity", "*" };
	char headers[60][400];
	unsigned n, rounds = unit_rounds(100000, 4), hits = 0;
	struct fm_text h, o, got, want;

	unit_seed("negotiate cached");
	for (n = 0; n < COUNT(headers); n++) {
		random_header(headers[n]);
		/* one in four is longer than an entry */
		if (n % 4 == 0)
			strcat(headers[n], ",xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	}
	for (n = 0; n < rounds; n++) {
		h = unit_copy(fm_text_of(headers[unit_below(
		    COUNT(headers))]));
		o = unit_copy(fm_text_of(offers[unit_below(COUNT(offers))]));
		got = fm_negotiate_cached(h, o);
		want = fm_negotiate(h, o);
		AGREE(got.b == want.b && got.len == want.len,
		    "\"%.*s\" of \"%.*s\" is not \"%.*s\" but \"%.*s\"",
		    (int)h.len, h.b, (int)o.len, o.b, (int)want.len, want.b,
		    (int)got.len, got.b);
		hits += got.b != NULL;
		twin_free(h);
		twin_free(o);
	}
	ck_assert_uint_gt(hits, rounds / 20);
	got = fm_negotiate_cached(fm_text(NULL, 0), fm_text_of("identity"));
	ck_assert_ptr_null(got.b);
}

static const char * const hostile_units[] = {
	",", "a,", "a;", "a;q=1,", "\"", "\\", "\"\\", "x/y;x=1;", "*", "a-",
	";q=", "q=0.", "\"\",", "x/y;x=\"", "identity;q=0,"
};

UNIT_LOOP(test_negotiate_hostile_headers_take_no_time, COUNT(hostile_units))
{
	const char *unit = hostile_units[_i];
	size_t len = 64 << 10, i;
	char *b = malloc(len);
	struct fm_text got;

	ck_assert_ptr_nonnull(b);
	for (i = 0; i < len; i++)
		b[i] = unit[i % strlen(unit)];
	got = fm_negotiate(fm_text(b, len),
	    fm_text_of("br x/y;x=1;z=2 de-AT gzip zstd text/html c-d"));
	ck_assert(got.b == NULL || got.len > 1);
	/* and as the offers */
	got = fm_negotiate(fm_text_of("*;q=0"), fm_text(b, len));
	ck_assert_ptr_null(got.b);
	free(b);
}

int
main(void)
{
	return (unit_main("negotiate", 30));
}
