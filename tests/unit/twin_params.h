/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twin (twin.h) of the filters for query strings and cookies: splits the
 * text into an array, compares each pair with each, and joins what is left.
 */

#ifndef TWIN_PARAMS_H
#define TWIN_PARAMS_H

#include "twin_text.h"

enum params_flags {
	DROP = 0,
	KEEP = 1,
	SORT = 2,
	UNIQUE = 4,
	NOCASE = 8
};

struct twin_pair {
	struct fm_text	text;
	struct fm_text	name;
	struct fm_text	decoded;
	bool		gone;
};

static inline bool
twin_named(const char *words, int flags, const struct twin_pair *pair)
{
	struct fm_text word;
	bool named = false;

	if (words == NULL)
		return (false);
	while (!named && twin_word(&words, &word))
		named = flags & NOCASE ?
		    twin_glob_nocase(word, pair->decoded) :
		    twin_glob(word, pair->decoded);
	return (named);
}

/* Splits a list into its pairs, without empty ones; returns how many. */
static inline size_t
twin_split(struct fm_text list, bool cookies, struct twin_pair *pairs,
    char *decoded)
{
	size_t i, start = 0, n = 0, len;

	for (i = 0; i <= list.len; i++) {
		if (i < list.len && list.b[i] != (cookies ? ';' : '&'))
			continue;
		pairs[n].text = fm_text(list.b + start, i - start);
		if (cookies)
			pairs[n].text = fm_text_trim(pairs[n].text);
		start = i + 1;
		for (len = 0; len < pairs[n].text.len &&
		    pairs[n].text.b[len] != '='; len++)
			continue;
		pairs[n].name = fm_text(pairs[n].text.b, len);
		if (cookies)
			pairs[n].name = fm_text_trim(pairs[n].name);
		pairs[n].gone = false;
		pairs[n].decoded = pairs[n].name;
		if (!cookies)
			pairs[n].decoded = twin_decode(pairs[n].name,
			    decoded);
		decoded += pairs[n].decoded.len;
		if (pairs[n].text.len > 0)
			n++;
	}
	return (n);
}

static inline int
twin_compare(const struct twin_pair *a, const struct twin_pair *b)
{
	size_t i;

	for (i = 0; i < a->decoded.len && i < b->decoded.len; i++)
		if (a->decoded.b[i] != b->decoded.b[i])
			return ((unsigned char)a->decoded.b[i] <
			    (unsigned char)b->decoded.b[i] ? -1 : 1);
	return (a->decoded.len < b->decoded.len ? -1 :
	    a->decoded.len > b->decoded.len);
}

static inline bool
twin_same(const struct twin_pair *a, const struct twin_pair *b)
{
	return (twin_compare(a, b) == 0 && fm_text_eq(
	    fm_text(a->text.b + a->name.len, a->text.len - a->name.len),
	    fm_text(b->text.b + b->name.len, b->text.len - b->name.len)));
}

/* Sorts pairs; returns true if any has moved. */
static inline bool
twin_sort(struct twin_pair *pairs, size_t n)
{
	bool moved = false;
	struct twin_pair t;
	size_t i, k;

	for (i = 1; i < n; i++)
		for (k = i; k > 0 && twin_compare(&pairs[k - 1],
		    &pairs[k]) > 0; k--) {
			t = pairs[k];
			pairs[k] = pairs[k - 1];
			pairs[k - 1] = t;
			moved = true;
		}
	return (moved);
}

/*
 * Filters a text; returns true if it changes, and writes the result into buf.
 */
static inline bool
twin_filter(const char *words, int flags, struct fm_text input, bool cookies,
    char *buf, struct fm_text *out)
{
	struct twin_pair *pairs = calloc(input.len + 1, sizeof *pairs);
	char *decoded = malloc(input.len + 1);
	struct fm_text list = input;
	size_t i, j, n, kept = 0, len = 0;
	bool changed = false;

	if (pairs == NULL || decoded == NULL)
		abort();
	if (!cookies) {
		while (len < input.len && input.b[len] != '?')
			len++;
		memcpy(buf, input.b, len);
		list = len == input.len ? fm_text("", 0) :
		    fm_text(input.b + len + 1, input.len - len - 1);
	}
	n = twin_split(list, cookies, pairs, decoded);
	for (i = 0; i < n; i++) {
		pairs[i].gone = twin_named(words, flags, &pairs[i]) !=
		    ((flags & KEEP) != 0);
		for (j = 0; j < i && flags & UNIQUE; j++)
			if (!pairs[j].gone &&
			    twin_same(&pairs[j], &pairs[i]))
				pairs[i].gone = true;
		changed |= pairs[i].gone;
	}
	for (i = 0; i < n; i++)
		if (!pairs[i].gone)
			pairs[kept++] = pairs[i];
	if (flags & SORT)
		changed |= twin_sort(pairs, kept);
	for (i = 0; i < kept; i++) {
		if (cookies && i > 0) {
			buf[len++] = ';';
			buf[len++] = ' ';
		} else if (!cookies)
			buf[len++] = i > 0 ? '&' : '?';
		memcpy(buf + len, pairs[i].text.b, pairs[i].text.len);
		len += pairs[i].text.len;
	}
	*out = fm_text(buf, len);
	free(decoded);
	free(pairs);
	return (changed);
}

/* Finds the value of the first pair of a name. */
static inline bool
twin_find(struct fm_text name, struct fm_text input, bool cookies,
    struct fm_text *value)
{
	struct twin_pair *pairs = calloc(input.len + 1, sizeof *pairs);
	char *decoded = malloc(input.len + 1);
	struct fm_text list = input;
	size_t i, n, start = 0;

	if (pairs == NULL || decoded == NULL)
		abort();
	if (!cookies) {
		while (start < input.len && input.b[start++] != '?')
			continue;
		list = fm_text(input.b + start, input.len - start);
	}
	n = twin_split(list, cookies, pairs, decoded);
	for (i = 0; i < n && !fm_text_eq(pairs[i].decoded, name); i++)
		continue;
	if (i < n) {
		start = 0;
		while (start < pairs[i].text.len &&
		    pairs[i].text.b[start++] != '=')
			continue;
		*value = fm_text(pairs[i].text.b + start,
		    pairs[i].text.len - start);
		if (cookies)
			*value = fm_text_trim(*value);
	}
	free(decoded);
	free(pairs);
	return (i < n);
}

#endif
