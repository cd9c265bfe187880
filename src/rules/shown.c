/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints a part of a file's text for a message (shown.h).
 */

#include <stdio.h>

#include "shown.h"
#include "utf8.h"

/* Returns the number of a character that nobody sees; 0: it is another one. */
static unsigned
unseen(struct fm_text character)
{
	static const struct { unsigned first, last; } ranges[] = {
		{ 0xa0, 0xa0 }, { 0xad, 0xad }, { 0x2000, 0x200f },
		{ 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 },
		{ 0xfeff, 0xfeff }
	};
	unsigned code = (unsigned char)character.b[0];
	size_t i;

	if (character.len < 2 || character.len > 3)
		return (0);
	code &= character.len == 2 ? 0x1f : 0x0f;
	for (i = 1; i < character.len; i++)
		code = code << 6 | ((unsigned char)character.b[i] & 0x3f);
	for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return (code);
	return (0);
}

const char *
fm_text_shown(struct fm_text text, const char *quote, char buf[FM_SHOWN_LEN])
{
	char *to = stpcpy(buf, quote), shown[16];
	struct fm_text one;
	unsigned code;
	size_t at;

	for (at = 0; at < text.len; at += one.len) {
		one = fm_text(text.b + at, text.len - at);
		one.len = fm_utf8_length(one.b, one.len);
		if (one.len == 0)
			one.len = 1;
		code = unseen(one);
		if (code != 0)
			(void)snprintf(shown, sizeof shown, "\\u{%X}", code);
		else
			(void)snprintf(shown, sizeof shown, "%.*s",
			    (int)one.len, one.b);
		if ((size_t)(to - buf) + strlen(shown) > FM_SHOWN_LEN - 8)
			break;
		to = stpcpy(to, shown);
	}
	(void)stpcpy(stpcpy(to, at < text.len ? "..." : ""), quote);
	return (buf);
}
