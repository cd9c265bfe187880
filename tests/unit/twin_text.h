/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Twins (twin.h) of functions for texts: comparing bytes, globs,
 * percent-decoding, lists of words.
 */

#ifndef TWIN_TEXT_H
#define TWIN_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Compares len bytes; `nocase` ignores the case of ASCII. */
static inline bool
twin_eq(const char *a, const char *b, size_t len, bool nocase)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i] && !(nocase &&
		    fm_lower((unsigned char)a[i]) ==
		    fm_lower((unsigned char)b[i])))
			return (false);
	return (true);
}

/* Returns true for a byte of a header's name that CGI takes for `_`. */
static inline bool
twin_is_mark(char c)
{
	return (memchr("!#$%&'*+-.^_`|~", c, 15) != NULL);
}

/*
 * Returns true if a glob fits a subject. fits[n] is true if the part of the
 * glob that was read so far fits the first n bytes of the subject.
 */
static inline bool
twin_glob_dashed(struct fm_text g, struct fm_text s, bool dashed)
{
	bool *fits = calloc(s.len + 1, sizeof *fits), all;
	size_t i, n;

	if (fits == NULL)
		abort();
	fits[0] = true;
	for (i = 0; i < g.len; i++)
		if (g.b[i] == '*')
			for (n = 1; n <= s.len; n++)
				fits[n] |= fits[n - 1];
		else {
			for (n = s.len; n > 0; n--)
				fits[n] = fits[n - 1] && (g.b[i] == '?' ||
				    g.b[i] == s.b[n - 1] || (dashed &&
				    g.b[i] == '-' && twin_is_mark(
				    s.b[n - 1])));
			fits[0] = false;
		}
	all = fits[s.len];
	free(fits);
	return (all);
}

static inline bool
twin_glob(struct fm_text g, struct fm_text s)
{
	return (twin_glob_dashed(g, s, false));
}

/* Returns true if a glob fits a subject, ignoring the case of ASCII. */
static inline bool
twin_glob_folded(struct fm_text g, struct fm_text s, bool dashed)
{
	char *folded = malloc(g.len + s.len + 1);
	size_t i;
	bool fits;

	if (folded == NULL)
		abort();
	for (i = 0; i < g.len; i++)
		folded[i] = (char)fm_lower((unsigned char)g.b[i]);
	for (i = 0; i < s.len; i++)
		folded[g.len + i] = (char)fm_lower((unsigned char)s.b[i]);
	fits = twin_glob_dashed(fm_text(folded, g.len),
	    fm_text(folded + g.len, s.len), dashed);
	free(folded);
	return (fits);
}

static inline bool
twin_glob_nocase(struct fm_text g, struct fm_text s)
{
	return (twin_glob_folded(g, s, false));
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int
twin_digit(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";
	const char *p = memchr(digits, c, 32);

	return (p == NULL ? -1 : (int)((p - digits) % 16));
}

/* Writes a percent-decoded text into buf, and returns it. */
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

/* Cuts the next word off a list; returns false at the end. */
static inline bool
twin_word(const char **words, struct fm_text *word)
{
	size_t len = strcspn(*words, " ");

	*word = fm_text(*words, len);
	*words += len + ((*words)[len] == ' ');
	return (len > 0);
}

#endif
