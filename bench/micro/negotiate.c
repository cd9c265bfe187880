/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which coding, which language: negotiation by RFC 9110 against the test for
 * a word that people write in VCL, `if (... ~ "gzip") ... elsif ...`, a step
 * for each offer.
 *
 * The headers are such that the test for words is right about them.  It isn't
 * about weights: of "gzip;q=0" it says gzip.
 */

#include "bench.h"
#include "negotiate.h"
#include "regex.h"

#define OFFERS		3
#define EACH		6
#define NO_OFFER	OFFERS

struct offers {
	const char		*what;
	struct fm_text		list;
	struct fm_text		v[OFFERS];
	const char		*test[OFFERS];	/* what VCL asks for */
	struct fm_regex		*regexes[OFFERS];
	unsigned		n;
	struct {
		const char	*header;
		unsigned	want;		/* by hand */
	} cases[EACH];
};

static struct offers sets[] = {
	{ .what = "Accept-Encoding: 2 offers", .list = { "gzip deflate", 12 },
	    .v = { { "gzip", 4 }, { "deflate", 7 } },
	    .test = { "gzip", "deflate" }, .n = 2, .cases = {
	    { "gzip, deflate, br", 0 }, { "gzip", 0 }, { "deflate", 1 },
	    { "gzip, deflate, br, zstd", 0 }, { "br", NO_OFFER },
	    { "identity", NO_OFFER } } },
	{ .what = "Accept-Language: 3 offers", .list = { "en de fr", 8 },
	    .v = { { "en", 2 }, { "de", 2 }, { "fr", 2 } },
	    .test = { "^en", "^de", "^fr" }, .n = 3, .cases = {
	    { "en-US,en;q=0.9", 0 }, { "de,en-US;q=0.7,en;q=0.3", 1 },
	    { "fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7", 2 }, { "en", 0 },
	    { "de-AT,de;q=0.8", 1 }, { "ja,ja-JP;q=0.9", NO_OFFER } } },
};

static void
offers_init(struct offers *o)
{
	char error[FM_REGEX_ERROR_LEN];
	size_t offset;
	unsigned i;

	for (i = 0; i < o->n; i++) {
		o->regexes[i] = fm_regex_new(fm_text_of(o->test[i]), false,
		    error, &offset);
		if (o->regexes[i] == NULL)
			fm_bench_die("%s", error);
	}
}

static uint64_t
call_ours(const void *priv, struct fm_text header)
{
	const struct offers *o = priv;
	struct fm_text best = fm_negotiate(header, o->list);
	unsigned i;

	for (i = 0; i < o->n; i++)
		if (fm_text_eq(best, o->v[i]))
			return (i);
	return (NO_OFFER);
}

static uint64_t
call_tests(const void *priv, struct fm_text header)
{
	const struct offers *o = priv;
	struct fm_tally tally = { 0 };
	unsigned i;

	for (i = 0; i < o->n; i++)
		if (fm_regex_match(o->regexes[i], header, &tally))
			return (i);
	return (NO_OFFER);
}

int
main(int argc, char **argv)
{
	struct fm_contest c = { .n = EACH, .nv = 2 };
	struct fm_text headers[EACH];
	struct fm_bench bench;
	uint64_t want[EACH];
	struct offers *o;
	size_t i, j;

	fm_bench_init(&bench, "negotiate", argc, argv, 0, "");
	fm_bench_title(&bench, "What a client likes best (PCRE2's tests don't "
	    "read weights)");
	for (i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		o = &sets[i];
		offers_init(o);
		for (j = 0; j < EACH; j++) {
			headers[j] = fm_text_of(o->cases[j].header);
			want[j] = o->cases[j].want;
		}
		c.what = o->what;
		c.questions = headers;
		c.want = want;
		c.v[0] = (struct fm_contestant){ "fastmatch", call_ours, o,
		    NULL };
		c.v[1] = (struct fm_contestant){ "PCRE2 tests", call_tests, o,
		    NULL };
		fm_contest_run(&bench, &c);
		for (j = 0; j < o->n; j++)
			fm_regex_free(&o->regexes[j]);
	}
	fm_bench_fini(&bench);
	return (0);
}
