/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * PCRE2 is asked as VCL's `~` asks it: with its JIT and VCL's options and
 * limit.  VCL also allocates the match data at each call, here it is reused,
 * so that the real distance is a little larger.
 */

#include <stdlib.h>

#include "matchers.h"
#include "scan.h"

#define RE2_BYTES	(256UL << 20)

static double
ms_since(uint64_t start)
{
	return (fm_clock_ns(fm_clock_ticks() - start) / 1e6);
}

/*--------------------------------------------------------------------
 * Making them
 */

static void
make_patset(struct fm_matchers *m)
{
	static const struct fm_place here = { .name = "bench" };
	struct fm_diag *diag = fm_diag_new();
	struct fm_pattern *pattern;
	uint64_t start;
	size_t i;

	start = fm_clock_ticks();
	m->patset = fm_patset_new();
	for (i = 0; m->patset != NULL && i < m->n; i++) {
		pattern = fm_pattern_new(m->kind, m->v[i], false, &here, diag);
		if (pattern == NULL || fm_patset_add(m->patset, &pattern) != 0)
			fm_bench_die("%.*s is not a pattern", (int)m->v[i].len,
			    m->v[i].b);
	}
	if (m->patset == NULL || fm_patset_make(m->patset, NULL, diag) != 0)
		fm_bench_die("no set of patterns");
	m->patset_ms = ms_since(start);
	if (fm_scan_health() == FM_SCAN_FAILED)
		fm_bench_die("the engine failed its self-test on this machine");
	m->patset_bytes = fm_patset_bytes(m->patset);
	fm_diag_free(&diag);
}

/* Adds a pattern as a regex: a literal with what is special quoted. */
static char *
add_quoted(char *t, const struct fm_matchers *m, struct fm_text text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (m->kind != FM_PATTERN_REGEX &&
		    strchr(".+*?()[]{}|^$\\", text.b[i]) != NULL)
			*t++ = '\\';
		*t++ = text.b[i];
	}
	return (t);
}

static void
make_alternation(struct fm_matchers *m)
{
	size_t i, len = 1, offset;
	char *text, *t;
	uint64_t start;

	for (i = 0; i < m->n; i++)
		len += 2 * m->v[i].len + 5;
	t = text = fm_bench_alloc(len, 1);
	for (i = 0; i < m->n; i++) {
		if (i > 0)
			*t++ = '|';
		/* A group keeps the (?i) of one from the others. */
		if (m->kind == FM_PATTERN_REGEX)
			t = stpcpy(t, "(?:");
		t = add_quoted(t, m, m->v[i]);
		if (m->kind == FM_PATTERN_REGEX)
			*t++ = ')';
	}
	start = fm_clock_ticks();
	m->alternation = fm_regex_new(fm_text_span(text, t), false,
	    m->no_alternation, &offset);
	m->alternation_ms = ms_since(start);
	if (m->alternation != NULL)
		m->alternation_bytes = fm_regex_bytes(m->alternation);
	free(text);
}

static void
make_regexes(struct fm_matchers *m)
{
	char error[FM_REGEX_ERROR_LEN], buf[512];
	uint64_t start;
	size_t i, offset;

	m->regexes = fm_bench_alloc(m->n, sizeof *m->regexes);
	start = fm_clock_ticks();
	for (i = 0; i < m->n; i++) {
		if (2 * m->v[i].len > sizeof buf)
			fm_bench_die("a pattern is too long");
		m->regexes[i] = fm_regex_new(fm_text_span(buf,
		    add_quoted(buf, m, m->v[i])), false, error, &offset);
		if (m->regexes[i] == NULL)
			fm_bench_die("%.*s: %s", (int)m->v[i].len, m->v[i].b,
			    error);
	}
	m->regexes_ms = ms_since(start);
	for (i = 0; i < m->n; i++)
		m->regexes_bytes += fm_regex_bytes(m->regexes[i]);
}

static void
make_re2(struct fm_matchers *m)
{
#ifdef HAVE_RE2
	uint64_t start = fm_clock_ticks();

	m->re2 = fm_re2_new(m->v, m->n, m->kind != FM_PATTERN_REGEX,
	    RE2_BYTES);
	m->re2_ms = ms_since(start);
	if (m->re2 == NULL)
		m->no_re2 = "RE2 refuses the set, with 256 MB";
#else
	(void)RE2_BYTES;
	m->no_re2 = "";				/* ./run says it */
#endif
}

void
fm_matchers_init(struct fm_matchers *m, enum fm_pattern_kind kind,
    const struct fm_text *v, size_t n)
{
	memset(m, 0, sizeof *m);
	m->kind = kind;
	m->v = v;
	m->n = n;
	make_patset(m);
	make_alternation(m);
	make_regexes(m);
	make_re2(m);
}

void
fm_matchers_fini(struct fm_matchers *m)
{
	size_t i;

	fm_patset_free(&m->patset);
	if (m->alternation != NULL)
		fm_regex_free(&m->alternation);
	for (i = 0; i < m->n; i++)
		fm_regex_free(&m->regexes[i]);
	free(m->regexes);
#ifdef HAVE_RE2
	fm_re2_free(m->re2);
#endif
}

/*--------------------------------------------------------------------
 * The naive answers
 */

uint64_t
fm_matchers_first(const struct fm_matchers *m, struct fm_text subject)
{
	struct fm_tally tally;
	bool is = false;
	size_t i;

	for (i = 0; i < m->n && !is; i++) {
		tally = (struct fm_tally){ 0 };
		is = m->kind == FM_PATTERN_REGEX ?
		    fm_regex_match(m->regexes[i], subject, &tally) :
		    memmem(subject.b, subject.len, m->v[i].b, m->v[i].len) !=
		    NULL;
		if (tally.over_limit > 0)
			fm_bench_die("a regex meets its limit");
	}
	return (is ? i - 1 : i);
}

uint64_t
fm_matchers_any(const struct fm_matchers *m, struct fm_text subject)
{
	return (fm_matchers_first(m, subject) < m->n);
}

/*--------------------------------------------------------------------
 * The contestants
 */

static uint64_t
patset_any(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;
	struct fm_tally tally = { 0 };

	return (fm_patset_match(m->patset, subject, &tally));
}

static uint64_t
patset_first(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;
	struct fm_tally tally = { 0 };
	uint32_t first = fm_patset_first(m->patset, subject, &tally);

	return (first == FM_PATSET_NONE ? m->n : first);
}

static uint64_t
alternation_any(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;
	struct fm_tally tally = { 0 };
	bool any = fm_regex_match(m->alternation, subject, &tally);

	return (tally.over_limit > 0 ? FM_GAVE_UP : any);
}

static uint64_t
regexes_first(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;
	struct fm_tally tally = { 0 };
	size_t i = 0;

	while (i < m->n && !fm_regex_match(m->regexes[i], subject, &tally))
		i++;
	return (tally.over_limit > 0 ? FM_GAVE_UP : i);
}

static uint64_t
regexes_any(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;
	uint64_t first = regexes_first(priv, subject);

	return (first == FM_GAVE_UP ? FM_GAVE_UP : first < m->n);
}

#ifdef HAVE_RE2
static uint64_t
re2_any(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;

	return (fm_re2_any(m->re2, subject.b, subject.len));
}

static uint64_t
re2_first(const void *priv, struct fm_text subject)
{
	const struct fm_matchers *m = priv;

	return (fm_re2_first(m->re2, subject.b, subject.len));
}
#else
#define re2_any		NULL
#define re2_first	NULL
#endif

void
fm_matchers_contest(const struct fm_matchers *m, struct fm_contest *c,
    bool first, bool each)
{
	const struct fm_contestant all[] = {
		{ "fastmatch", first ? patset_first : patset_any, m, NULL },
		{ "PCRE2, one regex", alternation_any, m, first ? "" :
		    m->alternation == NULL ? m->no_alternation : NULL },
		{ "PCRE2, one by one", first ? regexes_first : regexes_any, m,
		    each ? NULL : "" },
		{ "RE2::Set", first ? re2_first : re2_any, m, m->no_re2 },
	};

	memcpy(c->v, all, sizeof all);
	c->nv = sizeof all / sizeof all[0];
}
