/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch check --cost`: asks the compiled sets who decides each pattern,
 * and lets PCRE2 match each of its regexes against texts of 8 KB, to find the
 * slow ones.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "compile.h"
#include "cost.h"
#include "term.h"

#define SUBJECT_LEN	8192	/* bytes: Varnish's longest header */
#define SLOW_MS		1.	/* the time of about 50 cache hits */
#define ROUNDS		5	/* matches of one text; the median counts */

/*
 * The subjects that regexes are tried with: each repeats its part up to
 * SUBJECT_LEN.  The last byte is one that no part has, so that a regex which
 * matches the parts as far as that byte has to backtrack.
 */
static const struct {
	const char		*name;
	const char		*part;
} subjects[] = {
	{ "one letter", "a" },
	{ "letters", "abcdefghijklmnopqrstuvwxyz" },
	{ "words", "The quick brown fox jumps over the lazy dog " },
	{ "digits", "0123456789" },
	{ "blanks", " " },
	{ "dots", "." },
	{ "hexadecimal digits", "0a1b2c3d-4e5f-" },
	{ "a path", "/news/2026/some-article" },
	{ "a query", "q=red+shoes&page=2&utm_source=mail&" },
	{ "a User-Agent", "Mozilla/5.0 (Linux; Android 14; Pixel 8) "
	    "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile "
	    "Safari/537.36 " },
	{ "a Cookie", "session=4f9a1c2e7b; _ga=GA1.2.1234567890.1700000000; "
	    "lang=de; " },
	{ "a header of types", "text/html,application/xml;q=0.9,*/*;q=0.8, " },
};
#define SUBJECT_END	'~'
#define NSUBJECTS	(sizeof subjects / sizeof subjects[0])

struct cost_set {
	struct fm_place		at;		/* where its first pattern is */
	const struct fm_patset	*set;
	uint32_t		n;		/* patterns */
	uint32_t		matchers[FM_MATCHER__COUNT];	/* patterns */
	uint32_t		pcre2;		/* regexes with no prefilter */
};

/* A regex that PCRE2 decides, and its slowest match. */
struct cost_regex {
	struct fm_place		at;
	const struct fm_pattern	*pattern;
	const char		*why;		/* Hyperscan doesn't decide */
	bool			prefilter;	/* Hyperscan finds candidates */
	double			slowest;	/* milliseconds */
	unsigned		subject;	/* the slowest subject */
	bool			gave_up;	/* it hit the match limit */
};

struct fm_cost {
	struct fm_program	*program;	/* owns all patterns */
	struct cost_set		*sets;
	size_t			nsets, sets_room;
	struct cost_regex	*regexes;
	size_t			nregexes, regexes_room;
	struct fm_caps		caps;		/* what compiling took */
};

/*--------------------------------------------------------------------
 * The sets and regexes of a program
 */

static void
regex_add(struct fm_cost *cost, const struct fm_pattern *pattern,
    const struct fm_place *at, bool prefilter, const char *why)
{
	struct cost_regex *regex = fm_cli_grow(&cost->regexes, cost->nregexes++,
	    &cost->regexes_room, sizeof *regex);

	regex->at = *at;
	regex->pattern = pattern;
	regex->prefilter = prefilter;
	regex->why = why;
}

static void
cost_tell(void *priv, const struct fm_patset *set, uint32_t n,
    const struct fm_pattern *pattern, const struct fm_place *at)
{
	struct fm_cost *cost = priv;
	struct cost_set *s;
	enum fm_matcher matcher;
	const char *why;

	if (set == NULL) {
		regex_add(cost, pattern, at, false,
		    "rewrite replaces what it finds");
		return;
	}
	if (n == 0) {
		s = fm_cli_grow(&cost->sets, cost->nsets++, &cost->sets_room,
		    sizeof *s);
		s->at = *at;
		s->set = set;
		s->n = (uint32_t)fm_patset_count(set);
	}
	s = &cost->sets[cost->nsets - 1];
	matcher = fm_patset_matcher(set, n);
	s->matchers[matcher]++;
	why = fm_patset_why(set, n);
	if (why == NULL)
		return;
	s->pcre2 += matcher != FM_MATCHER_PREFILTER;
	regex_add(cost, pattern, at, matcher == FM_MATCHER_PREFILTER, why);
}

/*--------------------------------------------------------------------
 * How long it takes
 */

static double
now_ms(void)
{

	return ((double)clock() * 1e3 / CLOCKS_PER_SEC);
}

static int
compare_ms(const void *va, const void *vb)
{
	const double *a = va, *b = vb;

	return (*a < *b ? -1 : *a > *b);
}

/* Returns how long a match takes; a slow one is repeated, for the median. */
static double
regex_time(const struct fm_pattern *pattern, struct fm_text subject,
    bool *gave_up)
{
	struct fm_tally tally = { .over_limit = 0 };
	double ms[ROUNDS], began;
	unsigned n = 0;

	do {
		began = now_ms();
		(void)fm_pattern_match(pattern, subject, &tally);
		ms[n++] = now_ms() - began;
	} while (n < ROUNDS && ms[0] > SLOW_MS / 2);
	*gave_up = tally.over_limit > 0;
	qsort(ms, n, sizeof ms[0], compare_ms);
	return (ms[n / 2]);
}

static void
regex_try(struct cost_regex *regex, unsigned subject, struct fm_text text)
{
	bool gave_up;
	double ms = regex_time(regex->pattern, text, &gave_up);

	if (gave_up < regex->gave_up ||
	    (gave_up == regex->gave_up && ms <= regex->slowest))
		return;
	regex->gave_up = gave_up;
	regex->slowest = ms;
	regex->subject = subject;
}

static void
subject_fill(char buf[SUBJECT_LEN], const char *part)
{
	size_t i, len = strlen(part);

	for (i = 0; i < SUBJECT_LEN - 1; i++)
		buf[i] = part[i % len];
	buf[i] = SUBJECT_END;
}

static void
regexes_try(struct fm_cost *cost)
{
	char buf[SUBJECT_LEN];
	unsigned n;
	size_t i;

	for (n = 0; n < NSUBJECTS; n++) {
		subject_fill(buf, subjects[n].part);
		for (i = 0; i < cost->nregexes; i++)
			regex_try(&cost->regexes[i], n,
			    fm_text(buf, SUBJECT_LEN));
	}
}

static void
regex_warn(const struct cost_regex *regex, enum fm_undecided_mode mode,
    struct fm_diag *diag)
{
	static const char * const what[] = {
		[FM_UNDECIDED_REFUSE] = "such a request is refused, with 400",
		[FM_UNDECIDED_IGNORE] = "a test of it is not met there",
		[FM_UNDECIDED_SYNTH] = "such a request gets that synth"
	};
	struct fm_text text = fm_pattern_text(regex->pattern);
	const char *name = subjects[regex->subject].name;

	if (regex->gave_up)
		fm_diag_warning(diag, &regex->at, "regex '%.*s' reaches the "
		    "match limit over 8 KB of %s: it is undecided there, and "
		    "%s", FM_SHOW(text), name, what[mode]);
	else if (regex->slowest > SLOW_MS)
		fm_diag_warning(diag, &regex->at, "regex '%.*s' takes PCRE2 "
		    "%.1f ms over 8 KB of %s", FM_SHOW(text), regex->slowest,
		    name);
}

static int
compare_regexes(const void *va, const void *vb)
{
	const struct cost_regex *a = va, *b = vb;

	return (fm_place_compare(&a->at, &b->at));
}

/* Sorts the regexes by their places, and keeps one of each place. */
static void
regexes_sort(struct fm_cost *cost)
{
	struct cost_regex *r = cost->regexes;
	size_t i, n = 0;

	if (cost->nregexes == 0)
		return;
	qsort(r, cost->nregexes, sizeof *r, compare_regexes);
	for (i = 0; i < cost->nregexes; i++)
		if (n == 0 || compare_regexes(&r[n - 1], &r[i]) != 0)
			r[n++] = r[i];
	cost->nregexes = n;
}

struct fm_cost *
fm_cost_new(const struct fm_model *model, struct fm_diag *diag)
{
	struct fm_cost *cost = fm_cli_alloc(sizeof *cost);
	struct fm_compile_options options = { .tell = cost_tell,
	    .tell_priv = cost };
	size_t i;

	fm_caps_begin(&cost->caps);
	cost->program = fm_compile(model, &options, diag);
	fm_caps_end(true);
	if (cost->program == NULL) {
		fm_cost_free(&cost);
		return (NULL);
	}
	regexes_sort(cost);
	regexes_try(cost);
	for (i = 0; i < cost->nregexes; i++)
		regex_warn(&cost->regexes[i], model->undecided_mode, diag);
	return (cost);
}

void
fm_cost_free(struct fm_cost **costp)
{
	struct fm_cost *cost = *costp;

	*costp = NULL;
	if (cost->program != NULL)
		fm_program_free(&cost->program);
	free(cost->sets);
	free(cost->regexes);
	free(cost);
}

/*--------------------------------------------------------------------
 * The report
 */

/* Returns how many patterns of a set are found by a hash. */
static uint32_t
by_hash(const struct cost_set *s)
{
	return (s->matchers[FM_MATCHER_HASH] + s->matchers[FM_MATCHER_PASS]);
}

/* Returns how many patterns of a set are compared byte by byte, in place. */
static uint32_t
in_place(const struct cost_set *s)
{
	return (s->matchers[FM_MATCHER_PLACE] - s->pcre2);
}

/* Prints "120 by Hyperscan", with a comma before all but the first part. */
static void
print_part(uint32_t n, const char *what, const char **before)
{
	if (n == 0)
		return;
	printf("%s %u %s", *before, n, what);
	*before = ",";
}

static void
print_set(const struct cost_set *s)
{
	struct fm_patset_cost took = fm_patset_cost(s->set);
	char where[FM_PLACE_LEN];
	const char *before = ":";

	fm_put_clean(stdout, fm_text_of(fm_place_print(&s->at, where)), 0);
	printf(": set of %u", s->n);
	print_part(by_hash(s), "by hash", &before);
	print_part(in_place(s), "in place", &before);
	print_part(s->matchers[FM_MATCHER_SCAN], "by Hyperscan", &before);
	print_part(s->matchers[FM_MATCHER_PREFILTER],
	    "by a prefilter and PCRE2", &before);
	print_part(s->pcre2, "by PCRE2", &before);
	printf("; size %zu, %.3f s to compile", took.size, took.seconds);
	if (took.database > 0)
		printf(", a database of %.1f KB, %.1f KB a thread",
		    (double)took.database / 1024, (double)took.scratch / 1024);
	printf("\n");
}

static void
print_regex(const struct cost_regex *regex, const struct fm_diag *diag)
{
	char *text = fm_term_clean(fm_diag_shown(diag, &regex->at,
	    fm_pattern_text(regex->pattern)), FM_SHOWN);
	char where[FM_PLACE_LEN];

	fm_put_clean(stdout, fm_text_of(fm_place_print(&regex->at, where)), 0);
	printf(": %s: '%s' (%s), up to %.3f ms over 8 KB\n",
	    regex->prefilter ? "prefilter and PCRE2" : "PCRE2", text,
	    regex->why, regex->slowest);
	free(text);
}

void
fm_cost_print(const struct fm_cost *cost, const char *file,
    const struct fm_diag *diag)
{
	struct fm_patset_cost took;
	double seconds = 0;
	size_t i, size = 0, database = 0, scratch = 0;

	for (i = 0; i < cost->nsets; i++) {
		took = fm_patset_cost(cost->sets[i].set);
		seconds += took.seconds;
		size += took.size;
		database += took.database;
		scratch = took.scratch > scratch ? took.scratch : scratch;
	}
	fm_put_clean(stdout, fm_text_of(file), 0);
	printf(": %zu set%s, %zu regex%s for PCRE2; size %zu of %d, "
	    "%.3f s to compile, databases of %.1f KB, %.1f KB a thread\n",
	    cost->nsets, cost->nsets == 1 ? "" : "s", cost->nregexes,
	    cost->nregexes == 1 ? "" : "es", size, FM_LIMIT_SIZE, seconds,
	    (double)database / 1024, (double)scratch / 1024);
	for (i = 0; i < cost->nsets; i++)
		print_set(&cost->sets[i]);
	for (i = 0; i < cost->nregexes; i++)
		print_regex(&cost->regexes[i], diag);
}

json_t *
fm_cost_sets(const struct fm_cost *cost)
{
	json_t *array = fm_json_array(), *object;
	struct fm_patset_cost took;
	const struct cost_set *s;

	for (s = cost->sets; s < cost->sets + cost->nsets; s++) {
		took = fm_patset_cost(s->set);
		object = fm_json_place(&s->at);
		fm_json_set(object, "patterns", fm_json_number(s->n),
		    "hash", fm_json_number(by_hash(s)),
		    "in_place", fm_json_number(in_place(s)),
		    "hyperscan", fm_json_number(s->matchers[FM_MATCHER_SCAN]),
		    "prefilter",
		    fm_json_number(s->matchers[FM_MATCHER_PREFILTER]),
		    "pcre2", fm_json_number(s->pcre2),
		    "size", fm_json_number(took.size),
		    "seconds", json_real(took.seconds),
		    "database_bytes", fm_json_number(took.database),
		    "thread_bytes", fm_json_number(took.scratch), NULL);
		fm_json_add(array, object);
	}
	return (array);
}

json_t *
fm_cost_regexes(const struct fm_cost *cost, const struct fm_diag *diag)
{
	json_t *array = fm_json_array(), *object;
	const struct cost_regex *r;

	for (r = cost->regexes; r < cost->regexes + cost->nregexes; r++) {
		object = fm_json_place(&r->at);
		fm_json_set(object, "text",
		    fm_json_text(fm_diag_shown(diag, &r->at,
		    fm_pattern_text(r->pattern))),
		    "why", fm_json_string(r->why),
		    "prefilter", json_boolean(r->prefilter),
		    "slowest_ms", json_real(r->slowest), "subject",
		    fm_json_string(subjects[r->subject].name),
		    "undecided", json_boolean(r->gave_up), NULL);
		fm_json_add(array, object);
	}
	return (array);
}

/*--------------------------------------------------------------------
 * The account of a VCL
 */

void
fm_cost_add(const struct fm_cost *cost, size_t sum[FM_CAP__COUNT])
{
	fm_caps_add(sum, cost->caps.used);
}

void
fm_cost_print_sum(const size_t sum[FM_CAP__COUNT], int files)
{
	const char *what, *before = "";
	bool over = false;
	unsigned cap;
	size_t most;

	printf("%d files in one VCL: ", files);
	for (cap = 0; cap < FM_CAP__COUNT; cap++) {
		what = fm_caps_sum_of((enum fm_cap)cap, &most);
		if (what == NULL)
			continue;
		printf("%s%zu of %zu %s", before, sum[cap], most, what);
		over |= sum[cap] > most;
		before = ", ";
	}
	printf("%s\n", over ? ": it has no room for all of them" : "");
}

json_t *
fm_cost_sum(const size_t sum[FM_CAP__COUNT])
{
	json_t *array = fm_json_array();
	const char *what;
	unsigned cap;
	size_t most;

	for (cap = 0; cap < FM_CAP__COUNT; cap++) {
		what = fm_caps_sum_of((enum fm_cap)cap, &most);
		if (what != NULL)
			fm_json_add(array, fm_json_of("what",
			    fm_json_string(what), "used",
			    fm_json_number(sum[cap]), "most",
			    fm_json_number(most), NULL));
	}
	return (array);
}
