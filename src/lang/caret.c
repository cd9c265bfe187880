/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints the line that a message is about, with a caret below (caret.h).  If
 * the line is long, only the part around the caret is shown.
 */

#include <string.h>

#include "bounds.h"
#include "caret.h"
#include "messages_parse.h"
#include "utf8.h"

#define SHOWN		100	/* characters of a line */
#define BEFORE		60	/* characters before the caret, at most */

/* Returns line n, from 1; missing: there is none. */
static struct fm_text
text_line(struct fm_text text, unsigned n)
{
	const char *b = text.b, *e = text.b + text.len, *end;

	while (b != NULL && --n > 0) {
		b = memchr(b, '\n', (size_t)(e - b));
		if (b != NULL)
			b++;
	}
	if (b == NULL || b == e)
		return (fm_text(NULL, 0));
	end = memchr(b, '\n', (size_t)(e - b));
	return (fm_text_span(b, end == NULL ? e : end));
}

/* Returns the bytes of the character there; 1 if it is not UTF-8. */
static size_t
character(struct fm_text t, size_t at)
{
	size_t len = fm_utf8_length(t.b + at, t.len - at);

	return (len == 0 ? 1 : len);
}

static char *
put_character(char *to, const char *b, size_t len)
{
	if (fm_utf8_is_active(b, fm_utf8_length(b, len))) {
		*to = *b == '\t' ? ' ' : '?';
		return (to + 1);
	}
	return ((char *)memcpy(to, b, len) + len);
}

static char *
put_blanks(char *to, size_t n)
{
	return ((char *)memset(to, ' ', n) + n);
}

/* Reads a file, unless it is the last one that was shown. */
static void
file_read(struct fm_caret *caret, const char *name)
{
	int error;

	if (caret->name != NULL && strcmp(caret->name, name) == 0)
		return;
	fm_caret_fini(caret);
	caret->name = name;
	caret->file = fm_file_try(name, (size_t)FM_LIMIT_FILE_MB << 20,
	    &error);
}

bool
fm_caret_print(struct fm_caret *caret, const struct fm_diag *diag,
    const struct fm_place *at, char buf[FM_CARET_ROOM])
{
	size_t i, before, column = 0, from = 0, n;
	struct fm_text line, text = caret->input;
	char *to = buf;

	if (at->name == NULL || at->line == 0 || at->column == 0)
		return (false);
	if (strcmp(at->name, "-") != 0) {
		file_read(caret, at->name);
		text = caret->file == NULL ? fm_text(NULL, 0) :
		    fm_text(caret->file->bytes, caret->file->len);
	}
	line = text_line(text, at->line);
	before = at->column - 1;
	if (line.b == NULL || before > line.len ||
	    fm_diag_shown(diag, at, line).b != line.b)
		return (false);
	for (i = 0; i < before; i += character(line, i))
		column++;
	while (column > BEFORE) {
		from += character(line, from);
		column--;
	}
	to = put_blanks(to, 4);
	for (i = from, n = 0; i < line.len && n < SHOWN; n++) {
		to = put_character(to, line.b + i, character(line, i));
		i += character(line, i);
	}
	*to++ = '\n';
	to = put_blanks(to, 4 + column);
	memcpy(to, "^\n", 3);
	return (true);
}

void
fm_caret_fini(struct fm_caret *caret)
{
	if (caret->file != NULL)
		fm_file_free(&caret->file);
}

/*--------------------------------------------------------------------*/

static bool
begins(const char *text, const char *with)
{
	return (strncmp(text, with, strcspn(with, ":")) == 0);
}

void
fm_caret_attach(struct fm_diag *diag, struct fm_text input)
{
	struct fm_caret caret = { .input = input };
	struct fm_diag_message message;
	char buf[FM_CARET_ROOM];
	unsigned n;

	/* A file that holds no rules may be a secret. */
	for (n = 0; fm_diag_message(diag, n, &message); n++)
		if (!begins(message.text, FM_MSG_NO_RULES) &&
		    !begins(message.text, FM_MSG_NUL) &&
		    fm_caret_print(&caret, diag, &message.at, buf))
			fm_diag_excerpt(diag, n, buf);
	fm_caret_fini(&caret);
}
