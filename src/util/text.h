/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The string type of fastmatch: a pointer and a length.  A text does not own
 * its bytes and need not end in NUL.  The missing text (b is NULL, len is 0)
 * stands for no text at all, such as the value of a header that was not sent.
 *
 * A file that is built for size calls these functions, and they are in text.c
 * once; but for the static ones, with which a load is faster.
 */

#ifndef FM_TEXT_H
#define FM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libc.h"

struct fm_text {
	const char	*b;
	size_t		len;
};

inline struct fm_text
fm_text(const char *b, size_t len)
{
	return ((struct fm_text){ b, len });
}

/* Returns the text of a C string; the missing text for NULL. */
inline struct fm_text
fm_text_of(const char *s)
{
	return (fm_text(s, s == NULL ? 0 : strlen(s)));
}

/* Returns the text, or the empty text for the missing one. */
inline struct fm_text
fm_text_or_empty(struct fm_text t)
{
	return (t.b == NULL ? fm_text("", 0) : t);
}

/* Returns the bytes from b up to e, which is not included. */
inline struct fm_text
fm_text_span(const char *b, const char *e)
{
	return (fm_text(b, (size_t)(e - b)));
}

/*
 * Returns true if these bytes are equal.  Compares up to 16 bytes, as most
 * texts have, without a call: as two words that may overlap.
 */
inline bool
fm_bytes_eq(const char *a, const char *b, size_t len)
{
	uint64_t x[2], y[2];
	uint32_t v[2], w[2];

	if (len > 16)
		return (memcmp(a, b, len) == 0);
	if (len >= 8) {
		memcpy(&x[0], a, 8);
		memcpy(&x[1], a + len - 8, 8);
		memcpy(&y[0], b, 8);
		memcpy(&y[1], b + len - 8, 8);
		return (((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0);
	}
	if (len >= 4) {
		memcpy(&v[0], a, 4);
		memcpy(&v[1], a + len - 4, 4);
		memcpy(&w[0], b, 4);
		memcpy(&w[1], b + len - 4, 4);
		return (((v[0] ^ w[0]) | (v[1] ^ w[1])) == 0);
	}
	/* Up to three bytes: the first, the middle and the last one. */
	return (len == 0 || (a[0] == b[0] && a[len / 2] == b[len / 2] &&
	    a[len - 1] == b[len - 1]));
}

/* Returns eight bytes, the first as the lowest; missing bytes are zeros. */
inline uint64_t
fm_text_word(const char *b, size_t len)
{
	uint64_t x;
	uint32_t lo, hi;

	if (len >= 8) {
		memcpy(&x, b, 8);
		return (le64toh(x));
	}
	if (len >= 4) {
		/* Both words overlap, with the same bits in the same place. */
		memcpy(&lo, b, 4);
		memcpy(&hi, b + len - 4, 4);
		return (le32toh(lo) | (uint64_t)le32toh(hi) << 8 * (len - 4));
	}
	for (x = 0; len > 0; len--)
		x = x << 8 | (unsigned char)b[len - 1];
	return (x);
}

inline bool
fm_text_eq(struct fm_text a, struct fm_text b)
{
	return (a.len == b.len && fm_bytes_eq(a.b, b.b, a.len));
}

/* Returns true for equal texts, of which none or both are missing. */
inline bool
fm_text_same(struct fm_text a, struct fm_text b)
{
	return ((a.b == NULL) == (b.b == NULL) && fm_text_eq(a, b));
}

/* Compares two texts by their bytes; a prefix comes first. */
inline int
fm_text_compare(struct fm_text a, struct fm_text b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int r = n == 0 ? 0 : memcmp(a.b, b.b, n);

	return (r != 0 ? r : (a.len > b.len) - (a.len < b.len));
}

/* Returns the byte in lower case: ASCII only, in any locale. */
inline unsigned char
fm_lower(unsigned char c)
{
	return (c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c);
}

/* Writes the text in lower case to `to`, which has room for it. */
inline void
fm_text_lower(char *to, struct fm_text text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		to[i] = (char)fm_lower((unsigned char)text.b[i]);
}

/* Returns the value of a hexadecimal digit, or -1. */
inline int
fm_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (c - '0');
	if (c >= 'a' && c <= 'f')
		return (c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (c - 'A' + 10);
	return (-1);
}

inline bool
fm_text_eq_nocase(struct fm_text a, struct fm_text b)
{
	size_t i;

	if (a.len != b.len)
		return (false);
	for (i = 0; i < a.len; i++)
		if (fm_lower((unsigned char)a.b[i]) !=
		    fm_lower((unsigned char)b.b[i]))
			return (false);
	return (true);
}

/* Returns true for one of several words, parted by blanks, in any case. */
inline bool
fm_text_is_among(struct fm_text t, const char *words)
{
	const char *end;

	for (; *words != '\0'; words = end + strspn(end, " ")) {
		end = words + strcspn(words, " ");
		if (fm_text_eq_nocase(t, fm_text_span(words, end)))
			return (true);
	}
	return (false);
}

/* Returns true if the text is one of the words, in any case; NULL ends them. */
inline bool
fm_text_is_one_of(struct fm_text t, const char * const *words)
{
	for (; *words != NULL; words++)
		if (fm_text_eq_nocase(t, fm_text_of(*words)))
			return (true);
	return (false);
}

/*
 * Cuts a line before the last such word, and puts what follows the word into
 * *rest.  Returns false if the word isn't there.
 */
inline bool
fm_cut_last(struct fm_text *line, const char *word, struct fm_text *rest)
{
	size_t len = strlen(word), n;

	for (n = line->len; n-- > 0;)
		if (line->len - n >= len &&
		    memcmp(line->b + n, word, len) == 0) {
			*rest = fm_text(line->b + n + len,
			    line->len - n - len);
			line->len = n;
			return (true);
		}
	return (false);
}

/* Cuts the first word off the text, with the blanks after it. */
inline struct fm_text
fm_cut_word(struct fm_text *text)
{
	struct fm_text first;
	size_t n = 0;

	while (n < text->len && text->b[n] != ' ')
		n++;
	first = fm_text(text->b, n);
	while (n < text->len && text->b[n] == ' ')
		n++;
	*text = fm_text(text->b + n, text->len - n);
	return (first);
}

/*
 * Moves the next line from `rest` into `line`, without its newline.  Returns
 * false if nothing is left.
 */
inline bool
fm_cut_line(struct fm_text *rest, struct fm_text *line)
{
	const char *end, *all;

	if (rest->len == 0)
		return (false);
	all = rest->b + rest->len;
	end = memchr(rest->b, '\n', rest->len);
	*line = fm_text_span(rest->b, end == NULL ? all : end);
	*rest = fm_text_span(end == NULL ? all : end + 1, all);
	return (true);
}

inline bool
fm_is_blank(char c)
{
	return (c == ' ' || c == '\t');
}

/* Returns the first occurrence of `what`, which is not empty; or NULL. */
inline const char *
fm_text_find(struct fm_text t, struct fm_text what)
{
	const char *b = t.b, *last;

	if (t.len < what.len)
		return (NULL);
	/* A header is short; memmem() would take longer to begin. */
	if (fm_bytes_eq(b, what.b, what.len))
		return (b);
	last = b + t.len - what.len;
	for (; b <= last; b++) {
		b = memchr(b, what.b[0], (size_t)(last - b) + 1);
		if (b == NULL || memcmp(b, what.b, what.len) == 0)
			return (b);
	}
	return (NULL);
}

static inline bool
fm_text_begins(struct fm_text t, const char *with)
{
	size_t len = strlen(with);

	return (t.len >= len && memcmp(t.b, with, len) == 0);
}

/* Returns true if a text has the other one in it. */
inline bool
fm_text_has(struct fm_text text, const char *what)
{
	return (fm_text_find(text, fm_text_of(what)) != NULL);
}

/* Returns true if a text has any of some bytes in it. */
static inline bool
fm_text_has_any(struct fm_text text, const char *bytes)
{
	for (; *bytes != '\0'; bytes++)
		if (text.len > 0 && memchr(text.b, *bytes, text.len) != NULL)
			return (true);
	return (false);
}

/*
 * Returns true for a byte of a token (RFC 9110) that is neither a letter nor a
 * digit.  Programs behind CGI take each of these in a header's name for `_`, so
 * that they can't tell X.Foo from X-Foo.
 */
inline bool
fm_is_mark(unsigned char c)
{
#define B(c)	(1ULL << (c) % 64)
	static const uint64_t bits[4] = {
		B('!') | B('#') | B('$') | B('%') | B('&') | B('\'') | B('*') |
		    B('+') | B('-') | B('.'),
		B('^') | B('_') | B('`') | B('|') | B('~')
	};
#undef B

	return ((bits[c / 64] >> c % 64 & 1) != 0);
}

/*
 * Returns true if a text is a token as in RFC 9110; bytes of `others` may be in
 * it, too.
 */
inline bool
fm_text_is_token(struct fm_text text, const char *others)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < text.len; i++) {
		c = fm_lower((unsigned char)text.b[i]);
		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') &&
		    !fm_is_mark(c) && (c == '\0' || strchr(others, c) == NULL))
			return (false);
	}
	return (text.len > 0);
}

/* Returns the text without the blanks and tabs at both ends. */
static inline struct fm_text
fm_text_trim(struct fm_text t)
{
	while (t.len > 0 && fm_is_blank(t.b[0])) {
		t.b++;
		t.len--;
	}
	while (t.len > 0 && fm_is_blank(t.b[t.len - 1]))
		t.len--;
	return (t);
}

#endif
