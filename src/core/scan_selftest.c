/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Does this engine find what is there, on this machine?
 *
 * There are builds of Vectorscan that miss one match in two on CPUs with
 * AVX-512: single-byte classes, past the first bytes of the input.  So before
 * the first scan is trusted a few small sets are tried with their hit at every
 * offset of short and middling inputs, some 20 ms once per process.
 */

#include "obj.h"
#include "scan_priv.h"

#define SELFTEST_LEN_MIN	2
#define SELFTEST_LEN_MAX	299

struct selftest {
	const char	*literals[4];
	const char	*prefilters[3];
	bool		nocase;
	const char	*needles[5];	/* each is to be found */
};

/* The inputs are made of x, which none of these match. */
static const struct selftest selftests[] = {
	{ .literals = { "C" }, .needles = { "C" } },
	{ .literals = { "c" }, .nocase = true, .needles = { "C", "c" } },
	{ .literals = { "CD", "EFG", "MOT-V3" }, .needles = { "CD", "EFG",
	    "MOT-V3" } },
	{ .prefilters = { "C" }, .needles = { "C" } },
	{ .prefilters = { "[A-F]" }, .needles = { "A", "F" } },
	{ .prefilters = { "[^x]" }, .needles = { "\1", "\377" } },
	{ .prefilters = { "[0-9][^x]?", "Q[A-F]+R" }, .literals = { "CD" },
	    .needles = { "7", "QDR", "CD" } },
};

static bool
selftest_hit(void *priv, uint32_t id)
{
	bool *found = priv;

	(void)id;
	*found = true;
	return (true);
}

static struct fm_scan *
selftest_compile(const struct selftest *t)
{
	struct fm_scan_builder *b;
	struct fm_scan *s = NULL;
	unsigned i;
	int bad = 0;

	b = fm_scan_build_new();
	if (b == NULL)
		return (NULL);
	for (i = 0; i < 4 && t->literals[i] != NULL; i++)
		bad |= fm_scan_build_literal(b, fm_text_of(t->literals[i]),
		    t->nocase, i);
	for (i = 0; i < 3 && t->prefilters[i] != NULL; i++)
		bad |= fm_scan_build_prefilter(b, t->prefilters[i], t->nocase,
		    i);
	if (bad == 0)
		s = scan_compile(b, NULL, NULL);
	fm_scan_build_free(&b);
	return (s);
}

/* The needle at every offset of every length, and inputs without one. */
static bool
selftest_needle(const struct fm_scan *s, const char *needle)
{
	char input[SELFTEST_LEN_MAX];
	size_t len, off, nlen = strlen(needle);
	bool found;

	memset(input, 'x', sizeof input);
	for (len = SELFTEST_LEN_MIN; len <= SELFTEST_LEN_MAX; len++) {
		found = false;
		if (fm_scan_run(s, fm_text(input, len), selftest_hit,
		    &found) != FM_SCAN_DONE || found)
			return (false);
		for (off = 0; off + nlen <= len; off++) {
			memcpy(input + off, needle, nlen);
			found = false;
			if (fm_scan_run(s, fm_text(input, len), selftest_hit,
			    &found) != FM_SCAN_DONE || !found)
				return (false);
			memset(input + off, 'x', nlen);
		}
	}
	return (true);
}

int
scan_selftest(void)
{
	const struct selftest *t;
	struct fm_scan *s;
	unsigned i, j;
	bool ok = true;

	for (i = 0; ok && i < sizeof selftests / sizeof *selftests; i++) {
		t = &selftests[i];
		s = selftest_compile(t);
		if (s == NULL)
			return (-1);
		for (j = 0; ok && j < 5 && t->needles[j] != NULL; j++)
			ok = selftest_needle(s, t->needles[j]);
		fm_scan_free(&s);
	}
	return (ok ? 1 : 0);
}
