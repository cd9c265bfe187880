/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists that come with fastmatch (shipped.h).
 */

#include <stdio.h>

#include "shipped.h"

const char *fm_shipped_folder = FM_LISTS_FOLDER;
bool fm_shipped_anywhere = false;

/*
 * Returns what follows these words in a line of the comment at the top; or the
 * missing text.
 */
static struct fm_text
after_words(struct fm_text bytes, const char *words)
{
	const char *end = bytes.b + bytes.len, *at = bytes.b, *next;

	for (; at < end && *at == '#'; at = next + 1) {
		next = memchr(at, '\n', (size_t)(end - at));
		if (next == NULL)
			break;
		if (fm_text_begins(fm_text_span(at, next), words))
			return (fm_text_trim(fm_text_span(at + strlen(words),
			    next)));
	}
	return (fm_text(NULL, 0));
}

struct fm_text
fm_shipped_mode(struct fm_text bytes)
{
	return (after_words(bytes, "# Mode:"));
}

void
fm_shipped_version(struct fm_text bytes, struct fm_shipped_version *it)
{
	struct fm_text text = after_words(bytes, "# Version ");
	char line[64], *version = it->version;
	int end = 0;

	*version = it->date[0] = '\0';
	if (text.len >= sizeof line)
		text.len = sizeof line - 1;
	if (text.len > 0)
		memcpy(line, text.b, text.len);
	line[text.len] = '\0';
	if (sscanf(line, "%23[0-9.]%n", version, &end) != 1)
		return;
	if (version[strlen(version) - 1] == '.')
		version[strlen(version) - 1] = '\0';
	else if (line[end] != '\0' && line[end] != ',')
		version[0] = '\0';
	else
		(void)sscanf(line + end, ", %10[0-9-]", it->date);
	if (strlen(it->date) < strlen("2026-11-21"))
		it->date[0] = '\0';
}
