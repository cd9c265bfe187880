/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes HTML into the buffer of jsonbuf.h, and escapes it.
 */

#include <stdio.h>
#include <string.h>

#include "htmlbuf.h"
#include "utf8.h"

#define ELLIPSIS	"\xe2\x80\xa6"
#define UNKNOWN		"\xef\xbf\xbd"	/* U+FFFD */
#define THIN_SPACE	"\xe2\x80\xaf"	/* narrow; no line breaks there */

/* Returns what replaces a character; NULL: nothing does. */
static const char *
escape_of(const unsigned char *b, size_t len)
{
	if (len == 0)
		return (UNKNOWN);
	if (len == 2 && b[0] == 0xc2 && b[1] < 0xa0)
		return (UNKNOWN);
	if (len > 1)
		return (NULL);
	switch (*b) {
	case '&':
		return ("&amp;");
	case '<':
		return ("&lt;");
	case '>':
		return ("&gt;");
	case '"':
		return ("&#34;");
	case '\'':
		return ("&#39;");
	case '\t':
	case '\n':
		return (NULL);
	default:
		return (*b < ' ' || *b == 0x7f ? UNKNOWN : NULL);
	}
}

void
fm_html_text(struct fm_jsonbuf *buf, struct fm_text text, size_t most)
{
	const char *escape;
	size_t i, from, len;

	for (i = from = 0; i < text.len && most > 0; i += len, most--) {
		len = fm_utf8_length(text.b + i, text.len - i);
		escape = escape_of((const unsigned char *)text.b + i, len);
		if (len == 0)
			len = 1;
		if (escape == NULL)
			continue;
		fm_jsonbuf_bytes(buf, text.b + from, i - from);
		fm_jsonbuf_raw(buf, escape);
		from = i + len;
	}
	fm_jsonbuf_bytes(buf, text.b + from, i - from);
	if (i < text.len)
		fm_jsonbuf_raw(buf, ELLIPSIS);
}

static void
html_number(struct fm_jsonbuf *buf, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%llu",
	    (unsigned long long)n), i;

	for (i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			fm_jsonbuf_raw(buf, THIN_SPACE);
		fm_jsonbuf_bytes(buf, digits + i, 1);
	}
}

void
fm_html_print(struct fm_jsonbuf *buf, const char *format, ...)
{
	static const struct fm_jsonbuf_style style = { fm_html_text,
	    html_number, "%Y-%m-%d %H:%M:%S UTC", "\xe2\x80\x93" };
	va_list ap;

	va_start(ap, format);
	fm_jsonbuf_styled(buf, &style, format, ap);
	va_end(ap);
}

void
fm_html_query(struct fm_jsonbuf *buf, struct fm_text text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~*";
	char escaped[4];
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.b[i] != '\0' && strchr(plain, text.b[i]) != NULL) {
			fm_jsonbuf_bytes(buf, text.b + i, 1);
		} else {
			(void)snprintf(escaped, sizeof escaped, "%%%02X",
			    (unsigned char)text.b[i]);
			fm_jsonbuf_raw(buf, escaped);
		}
}
