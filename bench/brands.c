/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Does a User-Agent contain one of 120 brands: fastmatch against the same
 * alternation as VCL's `~` matches it (PCRE2 with its JIT and VCL's options;
 * VCL also allocates the match data at each call, here it is reused, so that
 * the real distance is a little larger).
 *
 *	brands LIST AGENTS [RATIO]
 *
 * LIST is a file of brands, AGENTS one of User-Agents, one a line.  First
 * every answer of both is checked against a loop of memmem(); then the two
 * take turns, and the medians of their rounds count.  Exits with 1 where an
 * answer is wrong, or a typical User-Agent, that of a desktop browser, is not
 * decided at least RATIO times faster.
 */

#include "bench.h"
#include "listfile.h"
#include "patset.h"
#include "scan.h"

#define CALLS	2000		/* of each round */

static const char typical[] = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) "
    "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

struct lines {
	struct fm_listfile	*file;
	struct fm_text		*v;
	size_t			n;
};

struct contest {
	struct fm_patset	*ps;
	struct fm_regex		*re;
	struct lines		brands, agents, typical, with, without;
};

static void
lines_add(struct lines *lines, struct fm_text t)
{
	lines->v = reallocarray(lines->v, lines->n + 1, sizeof *lines->v);
	if (lines->v == NULL)
		bench_die("no memory");
	lines->v[lines->n++] = t;
}

static void
lines_read(struct lines *lines, const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_place place;
	struct fm_text t;

	lines->file = fm_listfile_read(path, NULL, NULL, diag);
	while (lines->file != NULL &&
	    fm_listfile_next(lines->file, &t, &place, diag))
		if (t.b[0] != '[')
			lines_add(lines, t);
	if (fm_diag_errors(diag) > 0)
		bench_die(fm_diag_line(diag, 0));
	fm_diag_free(&diag);
}

static struct fm_patset *
make_patset(const struct lines *brands)
{
	static const struct fm_place here = { .name = "brands" };
	struct fm_patset_builder *b = fm_patset_build_new();
	struct fm_patset *ps;
	struct fm_pattern *p;
	size_t i;

	for (i = 0; b != NULL && i < brands->n; i++) {
		p = fm_pattern_new(FM_PATTERN_CONTAINS, brands->v[i], false,
		    &here, NULL);
		if (p == NULL || fm_patset_build_add(b, &p) != 0)
			bench_die("a brand is no pattern");
	}
	ps = b == NULL ? NULL : fm_patset_build(&b, NULL);
	if (ps == NULL)
		bench_die("no set of brands");
	return (ps);
}

/* (Sagem|SAGEM|...), with what is special in a regex quoted. */
static struct fm_regex *
make_alternation(const struct lines *brands)
{
	char error[FM_REGEX_ERROR_LEN], *text, *t;
	struct fm_regex *re;
	size_t i, j, len = 3, offset;

	for (i = 0; i < brands->n; i++)
		len += 2 * brands->v[i].len + 1;
	t = text = malloc(len);
	if (text == NULL)
		bench_die("no memory");
	for (i = 0; i < brands->n; i++) {
		*t++ = i == 0 ? '(' : '|';
		for (j = 0; j < brands->v[i].len; j++) {
			if (strchr(".+*?()[]{}|^$\\", brands->v[i].b[j]))
				*t++ = '\\';
			*t++ = brands->v[i].b[j];
		}
	}
	*t++ = ')';
	re = fm_regex_new(fm_text_span(text, t), false, error, &offset);
	if (re == NULL)
		bench_die(error);
	free(text);
	return (re);
}

static bool
naive(const struct lines *brands, struct fm_text agent)
{
	size_t i;

	for (i = 0; i < brands->n; i++)
		if (memmem(agent.b, agent.len, brands->v[i].b,
		    brands->v[i].len) != NULL)
			return (true);
	return (false);
}

static void
check_answers(struct contest *c)
{
	struct fm_tally tally = { 0 };
	bool want;
	size_t i;

	for (i = 0; i < c->agents.n; i++) {
		want = naive(&c->brands, c->agents.v[i]);
		if (fm_patset_match(c->ps, c->agents.v[i], &tally) != want ||
		    fm_regex_match(c->re, c->agents.v[i], &tally) != want)
			bench_die("a wrong answer");
		lines_add(want ? &c->with : &c->without, c->agents.v[i]);
	}
	if (c->with.n == 0 || c->without.n == 0)
		bench_die("User-Agents with and without a brand are needed");
	if (tally.fallbacks > 0)
		bench_die("the engine failed its self-test on this machine");
}

/* One turn: a matcher and the User-Agents that it goes through. */
struct turn {
	const struct contest	*c;
	const struct lines	*agents;
};

static unsigned
ours(const void *priv, unsigned n)
{
	const struct turn *t = priv;
	struct fm_tally tally = { 0 };
	unsigned i, hits = 0;

	for (i = 0; i < n; i++)
		hits += fm_patset_match(t->c->ps,
		    t->agents->v[i % t->agents->n], &tally);
	return (hits);
}

static unsigned
theirs(const void *priv, unsigned n)
{
	const struct turn *t = priv;
	struct fm_tally tally = { 0 };
	unsigned i, hits = 0;

	for (i = 0; i < n; i++)
		hits += fm_regex_match(t->c->re,
		    t->agents->v[i % t->agents->n], &tally);
	return (hits);
}

static double
contest(const struct contest *c, const struct lines *agents, const char *what)
{
	struct turn turn = { c, agents };

	return (bench_run(what, &turn, ours, theirs, CALLS,
	    agents == &c->with ? CALLS : 0).ratio);
}

int
main(int argc, char **argv)
{
	struct contest c;
	double least, ratio;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: brands LIST AGENTS [RATIO]\n");
		return (2);
	}
	least = argc == 4 ? atof(argv[3]) : 0;
	memset(&c, 0, sizeof c);
	lines_read(&c.brands, argv[1]);
	lines_read(&c.agents, argv[2]);
	lines_add(&c.agents, fm_text_of(typical));
	lines_add(&c.typical, fm_text_of(typical));
	c.ps = make_patset(&c.brands);
	c.re = make_alternation(&c.brands);
	check_answers(&c);
	printf("%zu brands (%zu KB), %zu User-Agents, all answers right; %s\n",
	    c.brands.n, fm_patset_bytes(c.ps) / 1024, c.agents.n,
	    fm_scan_engine());
	bench_head("~");
	ratio = contest(&c, &c.typical, "a typical User-Agent");
	(void)contest(&c, &c.without, "all without a brand");
	(void)contest(&c, &c.with, "all with a brand");
	fm_patset_free(&c.ps);
	fm_regex_free(&c.re);
	fm_listfile_free(&c.brands.file);
	fm_listfile_free(&c.agents.file);
	free(c.brands.v);
	free(c.agents.v);
	free(c.typical.v);
	free(c.with.v);
	free(c.without.v);
	if (ratio < least) {
		printf("a typical User-Agent: not %.0f times faster\n", least);
		return (1);
	}
	return (0);
}
