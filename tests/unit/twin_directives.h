/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twins (twin.h) of lists in headers of responses: each byte is asked
 * whether it is between quotes, from the beginning of the list, and the
 * elements are split into an array.
 */

#ifndef TWIN_DIRECTIVES_H
#define TWIN_DIRECTIVES_H

#include "twin_text.h"

/* Returns where a quoted string that begins at a quote ends; 0: it does not. */
static inline size_t
twin_quote_end(struct fm_text t, size_t at)
{
	size_t end = at + 1;

	while (end < t.len && t.b[end] != '"')
		end += t.b[end] == '\\' ? 2 : 1;
	return (end < t.len ? end : 0);
}

static inline bool
twin_between_quotes(struct fm_text t, size_t i)
{
	size_t at, end;

	for (at = 0; at < i; at++) {
		if (t.b[at] != '"')
			continue;
		end = twin_quote_end(t, at);
		if (end > i)
			return (true);
		if (end > 0)
			at = end;
	}
	return (false);
}

/* Splits a list into its elements, without empty ones; returns how many. */
static inline size_t
twin_elements(struct fm_text list, struct fm_text *elements)
{
	struct fm_text element;
	size_t i, start = 0, n = 0;

	for (i = 0; i <= list.len; i++) {
		if (i < list.len && (list.b[i] != ',' ||
		    twin_between_quotes(list, i)))
			continue;
		element = fm_text_trim(fm_text(list.b + start, i - start));
		if (element.len > 0)
			elements[n++] = element;
		start = i + 1;
	}
	return (n);
}

static inline struct fm_text
twin_element_name(struct fm_text element)
{
	size_t len = 0;

	while (len < element.len &&
	    memchr("=; \t", element.b[len], 4) == NULL)
		len++;
	return (fm_text(element.b, len));
}

static inline bool
twin_is_name(struct fm_text element, struct fm_text name)
{
	struct fm_text is = twin_element_name(element);

	return (is.len == name.len && twin_eq(is.b, name.b, is.len, true));
}

static inline struct fm_text *
twin_array(struct fm_text list)
{
	struct fm_text *elements = calloc(list.len + 1, sizeof *elements);

	if (elements == NULL)
		abort();
	return (elements);
}

static inline bool
twin_is_named(const char *words, struct fm_text name)
{
	struct fm_text word;

	while (words != NULL && twin_word(&words, &word))
		if (twin_glob_nocase(word, name))
			return (true);
	return (false);
}

/* Writes elements into buf, joined; returns them. */
static inline struct fm_text
twin_join(char *buf, const struct fm_text *elements, size_t n)
{
	size_t i, j, len = 0;

	for (i = 0; i < n; i++) {
		if (i > 0) {
			buf[len++] = ',';
			buf[len++] = ' ';
		}
		for (j = 0; j < elements[i].len; j++)
			buf[len++] = elements[i].b[j];
	}
	return (fm_text(buf, len));
}

/* Filters a list; returns true if it changes, and writes it into buf. */
static inline bool
twin_directives(const char *words, bool keep, bool star, struct fm_text list,
    char *buf, struct fm_text *out)
{
	struct fm_text *elements = twin_array(list), name;
	size_t i, n = twin_elements(list, elements), kept = 0;
	bool goes;

	for (i = 0; i < n; i++) {
		name = twin_element_name(elements[i]);
		if (name.len == 1 && name.b[0] == '*')
			goes = star && !keep;
		else if (keep)
			goes = !twin_is_named(words, name);
		else
			goes = twin_is_named(words, name);
		if (!goes)
			elements[kept++] = elements[i];
	}
	*out = twin_join(buf, elements, kept);
	free(elements);
	return (kept < n);
}

/* Adds the words; returns true if the list changes, and writes it into buf. */
static inline bool
twin_directives_add(const char *words, struct fm_text list, char *buf,
    struct fm_text *out)
{
	struct fm_text *elements = calloc(list.len + strlen(words) + 1,
	    sizeof *elements);
	struct fm_text word;
	size_t i, n, before;

	if (elements == NULL)
		abort();
	n = before = twin_elements(list, elements);
	while (twin_word(&words, &word)) {
		for (i = 0; i < n && !twin_is_name(elements[i], word); i++)
			continue;
		if (i == n)
			elements[n++] = word;
	}
	for (i = 0; i < before; i++)
		if (fm_text_eq(twin_element_name(elements[i]),
		    fm_text_of("*")))
			n = before;
	/* The old elements keep all bytes between them, and before. */
	if (before > 0) {
		elements[before - 1] = fm_text_span(list.b,
		    elements[before - 1].b + elements[before - 1].len);
		*out = twin_join(buf, elements + before - 1, n - before + 1);
	} else
		*out = twin_join(buf, elements, n);
	free(elements);
	return (n > before);
}

/* Finds the value of the first element of a name, or the missing text. */
static inline struct fm_text
twin_directives_value(struct fm_text list, struct fm_text name)
{
	struct fm_text *elements = twin_array(list), t, value;
	size_t i, n = twin_elements(list, elements), len;

	for (i = 0; i < n && !twin_is_name(elements[i], name); i++)
		continue;
	t = i < n ? elements[i] : fm_text_of(NULL);
	free(elements);
	if (t.b == NULL)
		return (t);
	t = fm_text_trim(fm_text(t.b + name.len, t.len - name.len));
	if (t.len == 0 || t.b[0] != '=')
		return (fm_text("", 0));
	value = fm_text_trim(fm_text(t.b + 1, t.len - 1));
	len = value.len > 0 && value.b[0] == '"' ?
	    twin_quote_end(value, 0) : 0;
	if (len > 0)
		return (fm_text(value.b + 1, len - 1));
	while (len < value.len && memchr("; \t", value.b[len], 3) == NULL)
		len++;
	return (fm_text(value.b, len));
}

/* Splits a line of Set-Cookie; returns the name. */
static inline struct fm_text
twin_directives_cookie(struct fm_text line, struct fm_text *value)
{
	size_t equals = line.len, end = 0, i;

	while (end < line.len && line.b[end] != ';')
		end++;
	for (i = end; i > 0; i--)
		if (line.b[i - 1] == '=')
			equals = i - 1;
	if (equals == line.len) {
		*value = fm_text_trim(fm_text(line.b, end));
		return (fm_text("", 0));
	}
	*value = fm_text_trim(fm_text(line.b + equals + 1, end - equals - 1));
	return (fm_text_trim(fm_text(line.b, equals)));
}

/* Writes the media type into buf, and returns it. */
static inline struct fm_text
twin_directives_type(struct fm_text header, char *buf)
{
	size_t i, len = 0;

	for (i = 0; i < header.len; i++) {
		if (memchr(" \t", header.b[i], 2) != NULL && len == 0)
			continue;
		if (memchr(",; \t", header.b[i], 4) != NULL)
			break;
		buf[len++] = (char)fm_lower((unsigned char)header.b[i]);
	}
	return (fm_text(buf, len));
}

#endif
