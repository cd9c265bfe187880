/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes JSON into a buffer that grows, without Varnish.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "jsonbuf.h"
#include "obj.h"
#include "utf8.h"

#define ROOM_FIRST	4096	/* bytes; doubled each time there are too few */

/* Bytes that one byte of a string takes at most: "\u001f". */
#define ESCAPE_LEN	6

/* Returns room for n more bytes and a NUL; NULL if there is no memory. */
static char *
buf_room(struct fm_jsonbuf *buf, size_t n)
{
	size_t wanted, room;
	char *bytes;

	if (buf->failed)
		return (NULL);
	wanted = buf->len + n + 1;
	if (wanted > buf->room) {
		room = buf->room == 0 ? ROOM_FIRST : buf->room * 2;
		if (room < wanted)
			room = wanted;
		bytes = realloc(buf->bytes, room);
		if (bytes == NULL) {
			buf->failed = true;
			return (NULL);
		}
		buf->bytes = bytes;
		buf->room = room;
	}
	return (buf->bytes + buf->len);
}

void
fm_jsonbuf_bytes(struct fm_jsonbuf *buf, const char *bytes, size_t n)
{
	char *to;

	to = buf_room(buf, n);
	if (to == NULL || n == 0)
		return;
	memcpy(to, bytes, n);
	buf->len += n;
}

void
fm_jsonbuf_raw(struct fm_jsonbuf *buf, const char *s)
{
	assert(s != NULL);
	fm_jsonbuf_bytes(buf, s, strlen(s));
}

/*--------------------------------------------------------------------
 * Strings
 */

static bool
is_plain(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f && c != '"' && c != '\\');
}

static char *
put_escape(char *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char letter[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'
	};

	*to++ = '\\';
	if (c < sizeof letter && letter[c] != '\0') {
		*to++ = letter[c];
		return (to);
	}
	memcpy(to, "u00", 3);
	to[3] = hex[c >> 4];
	to[4] = hex[c & 0xf];
	return (to + 5);
}

/* Writes a character that is not plain; sets *used to the bytes it had. */
static char *
put_special(char *to, const char *s, size_t n, size_t *used)
{
	const unsigned char *b = (const unsigned char *)s;

	*used = fm_utf8_length(s, n);
	if (*used == 1)
		return (put_escape(to, b[0]));
	if (*used == 2 && b[0] == 0xc2 && b[1] < 0xa0)
		return (put_escape(to, b[1]));
	if (*used == 0) {
		*used = 1;
		memcpy(to, "\xef\xbf\xbd", 3);
		return (to + 3);
	}
	memcpy(to, s, *used);
	return (to + *used);
}

void
fm_jsonbuf_text(struct fm_jsonbuf *buf, struct fm_text text)
{
	size_t i = 0, n;
	char *to;

	if (text.b == NULL) {
		fm_jsonbuf_raw(buf, "null");
		return;
	}
	to = buf_room(buf, ESCAPE_LEN * text.len + 2);
	if (to == NULL)
		return;
	*to++ = '"';
	while (i < text.len) {
		for (n = 0; i + n < text.len &&
		    is_plain((unsigned char)text.b[i + n]); n++)
			to[n] = text.b[i + n];
		to += n;
		i += n;
		if (i < text.len) {
			to = put_special(to, text.b + i, text.len - i, &n);
			i += n;
		}
	}
	*to++ = '"';
	buf->len = (size_t)(to - buf->bytes);
}

static void
json_string(struct fm_jsonbuf *buf, struct fm_text text, size_t most)
{
	const size_t len = text.len;

	if (text.b != NULL && len > most)
		for (text.len = most; text.len > 0 &&
		    ((unsigned char)text.b[text.len] & 0xc0) == 0x80;)
			text.len--;
	fm_jsonbuf_text(buf, text);
	if (text.len == len || buf->failed)
		return;
	buf->len--;
	fm_jsonbuf_raw(buf, "...\"");
}

/*--------------------------------------------------------------------
 * Others
 */

void
fm_jsonbuf_number(struct fm_jsonbuf *buf, uint64_t n)
{
	char digits[20], *p = digits + sizeof digits;

	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	fm_jsonbuf_bytes(buf, p, (size_t)(digits + sizeof digits - p));
}

/*
 * Writes a number with `parts` (1000) decimal parts: 1.5 as 1500 of them.  Does
 * not use printf(), which may write a comma in some locales.
 */
static void
put_parts(struct fm_jsonbuf *buf, double number, uint64_t parts)
{
	uint64_t all, rest;
	char decimals[8] = ".";
	size_t n;

	if (!(number > 0))
		number = 0;
	else if (number > 1e12)
		number = 1e12;
	all = (uint64_t)(number * (double)parts + 0.5);
	fm_jsonbuf_number(buf, all / parts);
	rest = all % parts;
	for (n = 1; rest != 0; rest = rest * 10 % parts)
		decimals[n++] = (char)('0' + rest / (parts / 10));
	if (n > 1)
		fm_jsonbuf_bytes(buf, decimals, n);
}

static void
put_time(struct fm_jsonbuf *buf, const struct fm_jsonbuf_style *style,
    time_t t)
{
	char text[40];
	struct tm tm;

	if (t == 0 || gmtime_r(&t, &tm) == NULL ||
	    strftime(text, sizeof text, style->time, &tm) == 0)
		fm_jsonbuf_raw(buf, style->never);
	else
		fm_jsonbuf_raw(buf, text);
}

/*--------------------------------------------------------------------
 * Formats
 */

void
fm_jsonbuf_styled(struct fm_jsonbuf *buf,
    const struct fm_jsonbuf_style *style, const char *format, va_list ap)
{
	size_t n, most;

	for (;;) {
		n = strcspn(format, "%");
		fm_jsonbuf_bytes(buf, format, n);
		format += n;
		if (*format++ == '\0')
			return;
		most = SIZE_MAX;
		if (*format == '.')
			for (most = 0; isdigit((unsigned char)*++format);)
				most = most * 10 + (size_t)(*format - '0');
		if (*format == 's') {
			style->string(buf, fm_text_of(va_arg(ap, const char *)),
			    most);
		} else if (*format == 'f') {
			assert(most == 3 || most == 6);
			put_parts(buf, va_arg(ap, double), most == 3 ? 1000 :
			    1000000);
		} else {
			assert(*format == 'j');
			format++;
			assert(*format == 'u' || *format == 'd');
			if (*format == 'u')
				style->number(buf, va_arg(ap, uintmax_t));
			else
				put_time(buf, style, va_arg(ap, intmax_t));
		}
		format++;
	}
}

void
fm_jsonbuf_print(struct fm_jsonbuf *buf, const char *format, ...)
{
	static const struct fm_jsonbuf_style style = { json_string,
	    fm_jsonbuf_number, "\"%Y-%m-%dT%H:%M:%SZ\"", "null" };
	va_list ap;

	va_start(ap, format);
	fm_jsonbuf_styled(buf, &style, format, ap);
	va_end(ap);
}

char *
fm_jsonbuf_finish(struct fm_jsonbuf *buf)
{
	char *end = buf_room(buf, 0), *bytes = buf->bytes;

	if (end != NULL) {
		*end = '\0';
	} else {
		free(bytes);
		bytes = NULL;
	}
	*buf = (struct fm_jsonbuf){ .bytes = NULL };
	return (bytes);
}
