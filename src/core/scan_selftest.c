/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Does this engine find what is there, on this machine?
 *
 * There are builds of Vectorscan that miss one match in two on CPUs with
 * AVX-512: single-byte classes, past the first bytes of the input.  And there
 * is one (5.4.13) that misses what must stand at the end of the input where
 * literals are scanned for beside it; and 5.4.9 and 5.4.11 miss two bytes at
 * the end where a single one was found some way before.  So before the first
 * scan is trusted a few small sets are tried with their hit at every offset of
 * short and middling inputs, and with two hits, some 70 ms once per process.
 */

#include <stdio.h>

#include "obj.h"
#include "scan_priv.h"

#define SELFTEST_LEN_MIN	2
#define SELFTEST_LEN_MAX	299
#define SELFTEST_LEN_TWO	99	/* with two hits */
#define SELFTEST_STEP_TWO	7	/* misses are 15 wide and more */
#define SELFTEST_MANY		120	/* literals: another engine in there */

enum selftest_kind {
	LITERAL,
	REGEX,
	REGEX_AT_END		/* found where the input ends, only */
};

/*
 * An expression and what it must find; nothing, where it is there for the sake
 * of the others.  The inputs are made of x, which none of these match.
 */
struct selftest_expr {
	const char		*text;
	enum selftest_kind	kind;
	bool			nocase;
	const char		*needles[2];
};

struct selftest {
	unsigned		n;
	struct selftest_expr	exprs[4];
};

static const struct selftest selftests[] = {
	{ 1, { { "C", LITERAL, false, { "C" } } } },
	{ 1, { { "c", LITERAL, true, { "C" } } } },
	{ 3, { { "CD", LITERAL, false, { "CD" } },
	    { "EFG", LITERAL, false, { "EFG" } },
	    { "mot-v3", LITERAL, true, { "Mot-v3" } } } },
	{ 1, { { "C", REGEX, false, { "C" } } } },
	{ 1, { { "[A-F]", REGEX, false, { "D" } } } },
	{ 1, { { "[^x]", REGEX, false, { "\1", "\377" } } } },
	{ 3, { { "[0-9][^x]?", REGEX, false, { "99" } },
	    { "Q[A-F]+R", REGEX, false, { "QAFR" } },
	    { "KL", LITERAL, false, { "KL" } } } },
	{ 3, { { "QR", LITERAL, false, { NULL } },
	    { "[A-F]\\z", REGEX_AT_END, false, { "C" } },
	    { "ST", LITERAL, false, { NULL } } } },
};

/* Found with another before it. */
static const struct selftest selftests_of_two[] = {
	{ 3, { { "K", LITERAL, false, { "K" } },
	    { "LM", LITERAL, false, { "LM" } },
	    { "NO", LITERAL, false, { "NO" } } } },
	{ 3, { { "K", LITERAL, true, { "k" } },
	    { "L[A-F]\\z", REGEX_AT_END, false, { "LA" } },
	    { "NO", LITERAL, false, { "NO" } } } },
};

struct selftest_seen {
	uint32_t	want;
	bool		found;
	bool		other;
};

static bool
selftest_hit(void *priv, uint32_t id)
{
	struct selftest_seen *seen = priv;

	if (id == seen->want)
		seen->found = true;
	else
		seen->other = true;
	return (true);
}

/* 1: every hit was told, and is in priv.  0: it failed.  -1: no memory. */
static int
selftest_run(const struct fm_scan *s, struct fm_text input,
    fm_scan_hit_f *hit, void *priv)
{
	switch (fm_scan_run(s, input, hit, priv)) {
	case FM_SCAN_DONE:
		return (1);
	case FM_SCAN_NO_MEMORY:
		return (-1);
	case FM_SCAN_UNDECIDED:
		break;
	}
	return (0);
}

/* One input: is the expression found, or nothing?  -1: no memory. */
static int
selftest_input(const struct fm_scan *s, struct fm_text input, uint32_t id,
    bool present)
{
	struct selftest_seen seen = { id, false, false };
	int ok;

	ok = selftest_run(s, input, selftest_hit, &seen);
	return (ok == 1 ? seen.found == present && !seen.other : ok);
}

/*
 * The needle at every offset of every length, or at every end, and inputs
 * without it.
 */
static int
selftest_needle(const struct fm_scan *s, const char *needle, bool at_end,
    uint32_t id)
{
	char input[SELFTEST_LEN_MAX];
	size_t len, off, nlen = strlen(needle);
	int ok = 1;

	memset(input, 'x', sizeof input);
	for (len = SELFTEST_LEN_MIN; len <= SELFTEST_LEN_MAX; len++) {
		ok = selftest_input(s, fm_text(input, len), id, false);
		off = at_end ? len - nlen : 0;
		for (; ok == 1 && off + nlen <= len; off++) {
			memcpy(input + off, needle, nlen);
			ok = selftest_input(s, fm_text(input, len), id, true);
			memset(input + off, 'x', nlen);
		}
		if (ok != 1)
			break;
	}
	return (ok);
}

static int
selftest_add(struct fm_scan_builder *b, const struct selftest_expr *e,
    uint32_t id)
{
	if (e->kind != LITERAL)
		return (fm_scan_build_prefilter(b, e->text, e->nocase, id));
	return (fm_scan_build_literal(b, fm_text_of(e->text), e->nocase, id));
}

/* Stops at none. */
static bool
selftest_hits(void *priv, uint32_t id)
{
	uint32_t *bits = priv;

	*bits |= 1U << id;
	return (false);
}

/*
 * The first expression's needle at every few offsets, and another's at the end
 * of the input.
 */
static int
selftest_two(const struct fm_scan *s, const struct selftest *t, uint32_t id)
{
	const char *first = t->exprs[0].needles[0];
	const char *last = t->exprs[id].needles[0];
	size_t len, off, nfirst = strlen(first), nlast = strlen(last);
	uint32_t bits;
	char input[SELFTEST_LEN_TWO];
	int ok = 1;

	for (len = nfirst + nlast; ok == 1 && len <= SELFTEST_LEN_TWO; len++)
		for (off = 0; ok == 1 && off + nfirst + nlast <= len;
		    off += SELFTEST_STEP_TWO) {
			memset(input, 'x', sizeof input);
			memcpy(input + off, first, nfirst);
			memcpy(input + len - nlast, last, nlast);
			bits = 0;
			ok = selftest_run(s, fm_text(input, len),
			    selftest_hits, &bits);
			if (ok == 1)
				ok = bits == (1U | 1U << id);
		}
	return (ok);
}

/* What it does not take it can't find. */
static void
selftest_refused(void *priv, uint32_t id)
{
	bool *refused = priv;

	(void)id;
	*refused = true;
}

/*
 * Takes the builder, which may be bad for want of memory.  1, with a scan of
 * all of it; 0: the engine refuses; -1: no memory.
 */
static int
selftest_compile(struct fm_scan_builder **bp, int bad, struct fm_scan **sp)
{
	bool refused = false, no_memory = true;

	*sp = NULL;
	if (bad == 0)
		*sp = fm_scan_compile(*bp, selftest_refused, &refused,
		    &no_memory);
	fm_scan_build_free(bp);
	if (*sp != NULL && !refused)
		return (1);
	if (*sp != NULL)
		fm_scan_free(sp);
	return (no_memory ? -1 : 0);
}

/* The same. */
static int
selftest_make(const struct selftest *t, struct fm_scan **sp)
{
	struct fm_scan_builder *b;
	unsigned i;
	int bad = 0;

	b = fm_scan_build_new();
	if (b == NULL)
		return (-1);
	for (i = 0; i < t->n; i++)
		bad |= selftest_add(b, &t->exprs[i], i);
	return (selftest_compile(&b, bad, sp));
}

static int
selftest_few(const struct selftest *t)
{
	struct fm_scan *s;
	unsigned i, j;
	int ok;

	ok = selftest_make(t, &s);
	if (ok != 1)
		return (ok);
	for (i = 0; i < t->n; i++)
		for (j = 0; ok == 1 && j < 2 && t->exprs[i].needles[j]; j++)
			ok = selftest_needle(s, t->exprs[i].needles[j],
			    t->exprs[i].kind == REGEX_AT_END, i);
	fm_scan_free(&s);
	return (ok);
}

static int
selftest_few_of_two(const struct selftest *t)
{
	struct fm_scan *s;
	uint32_t i;
	int ok;

	ok = selftest_make(t, &s);
	if (ok != 1)
		return (ok);
	for (i = 1; ok == 1 && i < t->n; i++)
		ok = selftest_two(s, t, i);
	fm_scan_free(&s);
	return (ok);
}

static const char *
selftest_word(char word[8], unsigned i)
{
	(void)snprintf(word, 8, "W%02XZ", i);
	return (word);
}

/* As many literals as a list of brands has. */
static int
selftest_many(void)
{
	struct fm_scan_builder *b;
	struct fm_scan *s;
	char word[8];
	unsigned i;
	int ok, bad = 0;

	b = fm_scan_build_new();
	if (b == NULL)
		return (-1);
	for (i = 0; i < SELFTEST_MANY; i++)
		bad |= fm_scan_build_literal(b,
		    fm_text_of(selftest_word(word, i)), false, i);
	ok = selftest_compile(&b, bad, &s);
	if (ok != 1)
		return (ok);
	for (i = 7; ok == 1 && i < SELFTEST_MANY; i += 99)
		ok = selftest_needle(s, selftest_word(word, i), false, i);
	fm_scan_free(&s);
	return (ok);
}

int
fm_scan_selftest(void)
{
	unsigned i;
	int ok;

	ok = selftest_many();
	for (i = 0; ok == 1 && i < sizeof selftests / sizeof *selftests; i++)
		ok = selftest_few(&selftests[i]);
	for (i = 0; ok == 1 && i < sizeof selftests_of_two /
	    sizeof *selftests_of_two; i++)
		ok = selftest_few_of_two(&selftests_of_two[i]);
	return (ok);
}
