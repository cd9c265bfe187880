/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests of globs, names and parameters share: their definitions,
 * each written as the simplest thing that can be right.
 */

#ifndef TWIN_H
#define TWIN_H

#include "unit.h"

#define COUNT(a)	((int)(sizeof(a) / sizeof(a)[0]))

/* Check takes a note of each assertion: too slow for a million of them. */
#define AGREE(is, ...)							\
	do {								\
		if (!(is))						\
			ck_abort_msg(__VA_ARGS__);			\
	} while (0)

/* Of unit_copy(). */
static inline void
twin_free(struct fm_text t)
{
	free((void *)(uintptr_t)t.b);
}

/* A glob, by recursion. */
static inline bool
twin_glob(struct fm_text g, struct fm_text s)
{
	if (g.len == 0)
		return (s.len == 0);
	if (*g.b == '*' && twin_glob(fm_text(g.b + 1, g.len - 1), s))
		return (true);
	if (s.len == 0)
		return (false);
	if (*g.b == '*')
		return (twin_glob(g, fm_text(s.b + 1, s.len - 1)));
	return ((*g.b == '?' || *g.b == *s.b) && twin_glob(
	    fm_text(g.b + 1, g.len - 1), fm_text(s.b + 1, s.len - 1)));
}

/* The value of a hexadecimal digit, or -1. */
static inline int
twin_digit(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";
	const char *p = memchr(digits, c, 32);

	return (p == NULL ? -1 : (int)((p - digits) % 16));
}

/* Percent-decoded, in buf. */
static inline struct fm_text
twin_decode(struct fm_text t, char *buf)
{
	size_t i, n = 0;

	for (i = 0; i < t.len; i++) {
		if (t.b[i] == '%' && i + 2 < t.len &&
		    twin_digit(t.b[i + 1]) >= 0 &&
		    twin_digit(t.b[i + 2]) >= 0) {
			buf[n++] = (char)(16 * twin_digit(t.b[i + 1]) +
			    twin_digit(t.b[i + 2]));
			i += 2;
		} else
			buf[n++] = t.b[i];
	}
	return (fm_text(buf, n));
}

/* 0 to `longest` bytes of an alphabet, in buf. */
static inline struct fm_text
twin_random(char *buf, unsigned longest, const char *alphabet)
{
	unsigned i, n = unit_below(longest + 1);

	for (i = 0; i < n; i++)
		buf[i] = alphabet[unit_below((unsigned)strlen(alphabet))];
	return (fm_text(buf, n));
}

/* Cuts the next word off a list of words; false at the end. */
static inline bool
twin_word(const char **words, struct fm_text *word)
{
	size_t len = strcspn(*words, " ");

	*word = fm_text(*words, len);
	*words += len + ((*words)[len] == ' ');
	return (len > 0);
}

#endif
