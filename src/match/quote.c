/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts texts into regexes (quote.h).
 */

#include "quote.h"

/*
 * The metacharacters, and what (?x) passes over: blanks, `#`, and 0x85, which
 * is a blank of Unicode.  Outside of classes, `-` and `]` stand for themselves;
 * a `]` is quoted all the same, as readers expect it.
 */
static const bool special[256] = {
	['\\'] = true, ['^'] = true, ['$'] = true, ['.'] = true,
	['['] = true, [']'] = true, ['|'] = true, ['('] = true,
	[')'] = true, ['?'] = true, ['*'] = true, ['+'] = true,
	['{'] = true, ['}'] = true, ['#'] = true, [' '] = true,
	['\t' ... '\r'] = true, [0x85] = true
};

size_t
fm_quote(char *to, struct fm_text text)
{
	size_t i, len = 0;

	for (i = 0; i < text.len; i++) {
		if (special[(unsigned char)text.b[i]])
			to[len++] = '\\';
		to[len++] = text.b[i];
	}
	return (len);
}

static bool
is_alnum(char c)
{
	return ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' &&
	    (c | 0x20) <= 'z'));
}

/* Reads the byte after a backslash. */
static void
read_escaped(struct fm_quote_reader *reader, char c)
{
	reader->escaped = false;
	reader->class_begins = 0;
	if (reader->in == FM_QUOTE_OUTSIDE && c == 'Q')
		reader->in = FM_QUOTE_LITERAL;
	/* \1, \x41, \g{1} and \p{L} may go on; others do no harm. */
	else
		reader->open = is_alnum(c) && c != 'E';
}

/*
 * Returns the offset after a [:word:] or the like in a class, or after its `[`
 * if there is none.
 */
static size_t
posix_end(struct fm_text text, size_t i)
{
	const char *end;
	size_t at;

	if (i + 2 >= text.len || strchr(":.=", text.b[i + 1]) == NULL)
		return (i + 1);
	end = memchr(text.b + i + 2, ']', text.len - i - 2);
	at = end == NULL ? 0 : (size_t)(end - text.b);
	return (at > i + 2 && text.b[at - 1] == text.b[i + 1] ? at + 1 : i + 1);
}

/* Reads a byte of a class.  Returns the offset after what was read. */
static size_t
read_class(struct fm_quote_reader *reader, struct fm_text text, size_t i)
{
	unsigned char begins = reader->class_begins;

	reader->class_begins = begins == 2 && text.b[i] == '^';
	if (text.b[i] == '[')
		return (posix_end(text, i));
	if (text.b[i] == ']' && begins == 0)
		reader->in = FM_QUOTE_OUTSIDE;
	return (i + 1);
}

/* Reads a byte that is neither escaped nor in a class. */
static void
read_byte(struct fm_quote_reader *reader, struct fm_text text, size_t i)
{
	char next = i + 1 < text.len ? text.b[i + 1] : '\0';

	switch (text.b[i]) {
	case '[':
		reader->in = FM_QUOTE_CLASS;
		reader->class_begins = 2;
		reader->open = false;
		break;
	case '(':
		reader->open = next == '?';
		if (next == '*' || (next == '?' && i + 2 < text.len &&
		    text.b[i + 2] == '#')) {
			reader->in = FM_QUOTE_COMMENT;
			reader->open = false;
		}
		break;
	case '{':
		reader->open = true;
		break;
	case ')': case '|': case '/': case '}': case '>': case '^':
	case '$': case '.': case ':': case '=': case '!':
		reader->open = false;
		break;
	default:
		break;
	}
}

void
fm_quote_read(struct fm_quote_reader *reader, struct fm_text text)
{
	size_t i = 0;

	while (i < text.len) {
		if (reader->in == FM_QUOTE_LITERAL) {
			if (text.b[i] == '\\' && i + 1 < text.len &&
			    text.b[i + 1] == 'E') {
				reader->in = FM_QUOTE_OUTSIDE;
				i++;
			}
		} else if (reader->in == FM_QUOTE_COMMENT) {
			if (text.b[i] == ')')
				reader->in = FM_QUOTE_OUTSIDE;
		} else if (reader->escaped) {
			read_escaped(reader, text.b[i]);
		} else if (text.b[i] == '\\') {
			reader->escaped = true;
		} else if (reader->in == FM_QUOTE_CLASS) {
			i = read_class(reader, text, i);
			continue;
		} else {
			read_byte(reader, text, i);
		}
		i++;
	}
}

enum fm_quote_place
fm_quote_place(const struct fm_quote_reader *reader, struct fm_text next)
{
	if (reader->in != FM_QUOTE_OUTSIDE || reader->escaped)
		return (FM_QUOTE_NOT);
	if (reader->open || (next.len > 0 &&
	    strchr("*+?{", next.b[0]) != NULL))
		return (FM_QUOTE_GROUP);
	return (FM_QUOTE_ALONE);
}
