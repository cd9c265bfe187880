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
#include "file.h"
#include "messages_parse.h"
#include "utf8.h"

#define SHOWN		100	/* characters of a line */
#define BEFORE		60	/* characters before the caret, at most */
#define ATTACHED	10	/* messages: a page shows no more */

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
	if (len == 1 && ((unsigned char)*b < ' ' || (unsigned char)*b > '~')) {
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

size_t
fm_caret_print(struct fm_text text, const struct fm_diag *diag,
    const struct fm_place *at, char buf[FM_CARET_ROOM])
{
	size_t i, caret, column = 0, from = 0, n;
	struct fm_text line;
	char *to = buf;

	if (at->name == NULL || at->line == 0 || at->column == 0)
		return (0);
	line = text_line(text, at->line);
	caret = at->column - 1;
	if (line.b == NULL || caret > line.len ||
	    fm_diag_shown(diag, at, line).b != line.b)
		return (0);
	for (i = 0; i < caret; i += character(line, i))
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
	return ((size_t)(to + 2 - buf));
}

static bool
begins(const char *text, const char *with)
{
	return (strncmp(text, with, strcspn(with, ":")) == 0);
}

bool
fm_caret_is_secret(const struct fm_diag_message *m)
{
	return (begins(m->text, FM_MSG_NO_RULES) ||
	    begins(m->text, FM_MSG_NUL));
}

/*--------------------------------------------------------------------*/

static void
attach(struct fm_diag *diag, unsigned n, const struct fm_diag_message *m,
    struct fm_text text)
{
	char buf[FM_CARET_ROOM];

	if (!fm_caret_is_secret(m) &&
	    fm_caret_print(text, diag, &m->at, buf) > 0)
		fm_diag_excerpt(diag, n, buf);
}

void
fm_caret_attach(struct fm_diag *diag)
{
	struct fm_diag_message m;
	struct fm_file *file = NULL;
	const char *name = NULL;
	unsigned n, attached = 0;
	int error;

	for (n = 0; fm_diag_message(diag, n, &m) && attached < ATTACHED; n++) {
		if (!m.error || m.at.name == NULL || m.at.column == 0)
			continue;
		attached++;
		if (name == NULL || strcmp(name, m.at.name) != 0) {
			if (file != NULL)
				fm_file_free(&file);
			name = m.at.name;
			file = fm_file_try(name,
			    (size_t)FM_LIMIT_FILE_MB << 20, &error);
		}
		if (file != NULL)
			attach(diag, n, &m, fm_text(file->bytes, file->len));
	}
	if (file != NULL)
		fm_file_free(&file);
}
