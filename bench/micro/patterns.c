/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of 1 to 10,000 patterns, literals and regexes of many forms, against
 * User-Agents: does any match, and which is the first.  Building them, and
 * how the time of a match grows with the set.
 *
 *	patterns AGENTS
 */

#include <stdlib.h>

#include "matchers.h"
#include "words.h"

#define PATTERNS	10000
#define QUESTIONS	32
#define QUESTION_LEN	512
#define BUILDS		3

struct subjects {
	struct fm_text		v[QUESTIONS];
	uint64_t		any[QUESTIONS], first[QUESTIONS];
	char			bytes[QUESTIONS][QUESTION_LEN];
	unsigned		n;
};

static void
make_patterns(struct fm_text *v, bool regex)
{
	char (*phrases)[FM_PHRASE_LEN];
	unsigned i;

	phrases = fm_bench_alloc(PATTERNS, sizeof *phrases);
	for (i = 0; i < PATTERNS; i++) {
		if (regex)
			fm_phrase_regex(i, phrases[i]);
		else
			fm_phrase_literal(i, phrases[i]);
		v[i] = fm_text_of(phrases[i]);
	}
}

/*
 * A real User-Agent without any of the patterns, and with one, from all over
 * the set, in its middle (a regex may want it to be at the start).
 */
static void
make_subject(struct subjects *s, const struct fm_lines *agents, unsigned i,
    const struct fm_matchers *m, bool hit)
{
	struct fm_text agent = agents->v[i * 7 % agents->n];
	bool regex = m->kind == FM_PATTERN_REGEX;
	char fit[FM_PHRASE_LEN] = "";
	const char *rest = agent.b;
	unsigned n;

	n = (unsigned)((2 * i + 1) * m->n / (2 * s->n));
	if (hit)
		fm_phrase_fit(n, regex, fit);
	if (hit && !(regex && n % 8 == 5))
		rest += agent.len / 2;
	(void)snprintf(s->bytes[i], QUESTION_LEN, "%.*s%s%s%.*s",
	    (int)(rest - agent.b), agent.b, hit && rest > agent.b ? " " : "",
	    fit, (int)(agent.len - (size_t)(rest - agent.b)), rest);
	s->v[i] = fm_text_of(s->bytes[i]);
	s->first[i] = fm_matchers_first(m, s->v[i]);
	s->any[i] = s->first[i] < m->n;
	if (s->any[i] != hit)
		fm_bench_die("'%s' was to be a %s", s->bytes[i],
		    hit ? "hit" : "miss");
}

static void
make_subjects(struct subjects *s, const struct fm_lines *agents,
    const struct fm_matchers *m, bool hit)
{
	unsigned i;

	s->n = m->n > 1000 ? QUESTIONS / 4 : QUESTIONS;
	for (i = 0; i < s->n; i++)
		make_subject(s, agents, i, m, hit);
}

static void
contests(struct fm_bench *bench, const struct fm_matchers *m,
    const struct fm_lines *agents)
{
	static struct subjects s;
	struct fm_contest c;
	char what[64];
	unsigned i;
	bool first, hit;

	for (i = 0; i < 4; i++) {
		hit = (i & 1) != 0;
		first = (i & 2) != 0;
		make_subjects(&s, agents, m, hit);
		(void)snprintf(what, sizeof what, "%zu %s, %s: %s", m->n,
		    m->kind == FM_PATTERN_REGEX ? m->n == 1 ? "regex" :
		    "regexes" : m->n == 1 ? "literal" : "literals",
		    first ? "first" : "any", hit ? "hit" : "miss");
		memset(&c, 0, sizeof c);
		c.what = what;
		c.questions = s.v;
		c.want = first ? s.first : s.any;
		c.n = s.n;
		fm_matchers_contest(m, &c, first,
		    !bench->quick || m->n < PATTERNS);
		fm_contest_run(bench, &c);
	}
}

static void
tell_build(struct fm_bench *bench, const struct fm_matchers *m, double ms,
    double limit_ms)
{
	const char *kind = m->kind == FM_PATTERN_REGEX ?
	    m->n == 1 ? "regex" : "mixed regexes" :
	    m->n == 1 ? "literal" : "literals";
	char what[80];

	(void)snprintf(what, sizeof what, "%zu %s, to build the set", m->n,
	    kind);
	if (limit_ms > 0)
		fm_bench_target(bench, what, ms, limit_ms, "ms");
	else
		fm_bench_fact(bench, what, ms, "ms");
	(void)snprintf(what, sizeof what, "%zu %s, memory", m->n, kind);
	fm_bench_fact(bench, what, (double)m->patset_bytes / (double)m->n,
	    "bytes a pattern");
	if (m->alternation != NULL)
		fm_bench_note(bench, "PCRE2, one regex: %.1f ms, %zu bytes a "
		    "pattern", m->alternation_ms, m->alternation_bytes / m->n);
	fm_bench_note(bench, "PCRE2, one by one: %.1f ms, %zu bytes a "
	    "pattern", m->regexes_ms, m->regexes_bytes / m->n);
	if (m->re2 != NULL)
		fm_bench_note(bench, "RE2::Set: %.1f ms", m->re2_ms);
}

/* The median of a few, as the first may be the one that makes the machine. */
static void
build(struct fm_bench *bench, bool regex, const struct fm_text *v, size_t n,
    struct fm_matchers *m)
{
	double ms[BUILDS], limit = 0;
	unsigned i, builds = bench->quick ? 1 : BUILDS;

	for (i = 0; i < builds; i++) {
		if (i > 0)
			fm_matchers_fini(m);
		fm_matchers_init(m, regex ? FM_PATTERN_REGEX :
		    FM_PATTERN_CONTAINS, v, n);
		ms[i] = m->patset_ms;
	}
	if (n == 10000 && !regex)
		limit = 500;
	if (n == 1000 && regex)
		limit = 2000;
	tell_build(bench, m, fm_spread_of(ms, builds).median, limit);
}

/* The same questions to both, which take turns: their ratio is what counts. */
static void
grow(struct fm_bench *bench, struct fm_contest *c, const char *asked)
{
	static const char * const modes[] = { "in a loop", "L2 evicted",
	    "L3 evicted" };
	enum fm_mode mode;
	char what[96];

	fm_contest_run(bench, c);
	for (mode = 0; mode < FM_MODE__ALL; mode++) {
		if (!bench->mode[mode])
			continue;
		(void)snprintf(what, sizeof what, "120 to 10,000, %s, %s",
		    asked, modes[mode]);
		fm_bench_target(bench, what, c->score[mode][1].ratio, 3,
		    "times the time");
	}
}

static void
growth(struct fm_bench *bench, bool regex, const struct fm_text *v,
    const struct fm_lines *agents)
{
	static const char * const asked[] = { "any: miss", "any: hit",
	    "first: hit" };
	enum fm_pattern_kind kind = regex ? FM_PATTERN_REGEX :
	    FM_PATTERN_CONTAINS;
	static struct subjects s;
	struct fm_matchers few, many;
	struct fm_contest c, other;
	unsigned i;

	fm_matchers_init(&few, kind, v, 120);
	fm_matchers_init(&many, kind, v, PATTERNS);
	fm_bench_title(bench, "From 120 %s to 10,000", regex ? "regexes" :
	    "literals");
	for (i = 0; i < 3; i++) {
		/* The many match what the few match, and it is their first. */
		make_subjects(&s, agents, &few, i > 0);
		memset(&c, 0, sizeof c);
		c.what = asked[i];
		c.questions = s.v;
		c.want = i == 2 ? s.first : s.any;
		c.n = s.n;
		other = c;
		fm_matchers_contest(&few, &c, i == 2, false);
		fm_matchers_contest(&many, &other, i == 2, false);
		c.v[1] = other.v[0];
		c.v[0].name = "120";
		c.v[1].name = "10,000";
		c.nv = 2;
		grow(bench, &c, asked[i]);
	}
	fm_matchers_fini(&few);
	fm_matchers_fini(&many);
}

int
main(int argc, char **argv)
{
	static const size_t sizes[] = { 1, 8, 120, 1000, 10000 };
	static struct fm_text v[PATTERNS];
	struct fm_lines agents = { NULL, NULL, 0 };
	struct fm_matchers m;
	struct fm_bench bench;
	unsigned i, regex;

	fm_bench_init(&bench, "patterns", argc, argv, 1, " AGENTS");
	fm_lines_read(&agents, argv[argc - 1]);
	/* The engine's self-test is not a part of any build. */
	make_patterns(v, false);
	fm_matchers_init(&m, FM_PATTERN_CONTAINS, v, 8);
	fm_matchers_fini(&m);
	for (regex = 0; regex < 2; regex++) {
		make_patterns(v, regex == 1);
		fm_bench_title(&bench, "User-Agents and sets of %s",
		    regex == 1 ? "regexes" : "literals");
		for (i = 0; i < 5; i++) {
			if (bench.quick && (i % 2 == 1 || i == 0))
				continue;
			build(&bench, regex == 1, v, sizes[i], &m);
			contests(&bench, &m, &agents);
			fm_matchers_fini(&m);
		}
		growth(&bench, regex == 1, v, &agents);
	}
	fm_lines_fini(&agents);
	fm_bench_fini(&bench);
	return (0);
}
