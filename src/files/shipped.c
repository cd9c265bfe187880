/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists that come with fastmatch (shipped.h).
 */

#include "shipped.h"

const char *fm_shipped_folder = FM_LISTS_FOLDER;

struct fm_text
fm_shipped_mode(struct fm_text bytes)
{
	static const char mode[] = "# Mode:";
	const char *end = bytes.b + bytes.len, *at = bytes.b, *next;

	for (; at < end && *at == '#'; at = next + 1) {
		next = memchr(at, '\n', (size_t)(end - at));
		if (next == NULL)
			break;
		if (fm_text_begins(fm_text_span(at, next), mode))
			return (fm_text_trim(fm_text_span(at + strlen(mode),
			    next)));
	}
	return (fm_text(NULL, 0));
}
