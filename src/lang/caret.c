/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints the line that a message is about, with a caret below (caret.h).  If
 * the line is long, only the part around the caret is shown.
 */

#include <stdlib.h>
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

/* Returns the text of the file of a place; missing: it can't be read. */
static struct fm_text
place_text(struct fm_caret *caret, const struct fm_place *at)
{
	if (strcmp(at->name, "-") == 0)
		return (caret->input);
	file_read(caret, at->name);
	return (caret->file == NULL ? fm_text(NULL, 0) :
	    fm_text(caret->file->bytes, caret->file->len));
}

/*
 * Writes a line and the line with the caret, which is below byte `at`.  The
 * line has FM_CARET_ROOM bytes at least, or is cut.
 */
static void
print(struct fm_text line, size_t at, char buf[FM_CARET_ROOM])
{
	size_t i, column = 0, from = 0, n;
	char *to = buf;

	for (i = 0; i < at; i += character(line, i))
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
}

/* Returns true if the file has such a place, and the diag does not hide it. */
static bool
place_line(struct fm_caret *caret, const struct fm_diag *diag,
    const struct fm_place *at, struct fm_text *line)
{
	if (at->name == NULL || at->line == 0 || at->column == 0)
		return (false);
	*line = text_line(place_text(caret, at), at->line);
	return (line->b != NULL && at->column - 1 <= line->len &&
	    fm_diag_shown(diag, at, *line).b == line->b);
}

bool
fm_caret_print(struct fm_caret *caret, const struct fm_diag *diag,
    const struct fm_place *at, char buf[FM_CARET_ROOM])
{
	struct fm_text line;

	if (!place_line(caret, diag, at, &line))
		return (false);
	print(line, at->column - 1, buf);
	return (true);
}

void
fm_caret_fini(struct fm_caret *caret)
{
	if (caret->file != NULL)
		fm_file_free(&caret->file);
	fm_secrets_fini(&caret->secrets);
	caret->searched = false;
}

/*--------------------------------------------------------------------
 * Secrets
 */

/*
 * Writes what fm_caret_print() does, with "[hidden]" for each secret.  Returns
 * false if there is no memory.
 */
static bool
print_masked(const struct fm_secrets *secrets, struct fm_text text,
    struct fm_text line, size_t at, char buf[FM_CARET_ROOM])
{
	const size_t mask = strlen(FM_DIAG_HIDDEN), start =
	    (size_t)(line.b - text.b), end = start + line.len;
	const struct fm_range *range;
	size_t i, stop, caret = 0;
	char *copy = malloc(line.len + mask * (line.len + 1)), *to = copy;

	if (copy == NULL || secrets->no_memory) {
		free(copy);
		return (false);
	}
	for (i = start; i < end; i = stop) {
		range = fm_secrets_next(secrets, i);
		stop = range == NULL || range->start >= end ? end :
		    range->start > i ? range->start :
		    range->end > end ? end : range->end;
		if (start + at >= i && start + at < stop)
			caret = (size_t)(to - copy) + (range != NULL &&
			    range->start <= i ? 0 : start + at - i);
		if (range != NULL && range->start <= i)
			to = mempcpy(to, FM_DIAG_HIDDEN, mask);
		else
			to = mempcpy(to, text.b + i, stop - i);
	}
	if (start + at >= end)
		caret = (size_t)(to - copy);
	print(fm_text_span(copy, to), caret, buf);
	free(copy);
	return (true);
}

/* Finds the secrets of the file, unless they are known. */
static void
secrets_find(struct fm_caret *caret, struct fm_text text)
{
	if (!caret->searched)
		fm_secrets_find(&caret->secrets, text);
	caret->searched = true;
}

static bool
begins(const char *text, const char *with)
{
	return (strncmp(text, with, strcspn(with, ":%")) == 0);
}

/*
 * Returns true if a message may quote a secret.  It quotes the token at its
 * place, or right before that, where something is missing; and the column of a
 * mistake in a regex may be right after the regex.
 */
static bool
quotes_secret(const struct fm_secrets *secrets,
    const struct fm_diag_message *message, size_t offset)
{
	const struct fm_range *range;

	if (offset > 0 && (!message->bare ||
	    begins(message->text, FM_MSG_SEMICOLON)))
		offset--;
	range = fm_secrets_next(secrets, offset);
	return (secrets->no_memory || (range != NULL &&
	    range->start <= offset + !message->bare));
}

/* Adds its lines to message n, which has a place in a file that is shown. */
static void
attach(struct fm_caret *caret, struct fm_diag *diag, unsigned n,
    const struct fm_diag_message *message, struct fm_text line)
{
	char buf[FM_CARET_ROOM], masked[FM_CARET_ROOM];
	struct fm_text text = place_text(caret, &message->at);
	size_t at = message->at.column - 1;
	bool shown = false;

	/* A list, or hosts, from a file: all of it may be secret. */
	if (message->rules) {
		secrets_find(caret, text);
		shown = print_masked(&caret->secrets, text, line, at, masked);
		if (!quotes_secret(&caret->secrets, message,
		    (size_t)(line.b - text.b) + at))
			fm_diag_public(diag, n);
	}
	print(line, at, buf);
	fm_diag_excerpt(diag, n, buf, shown ? masked : NULL);
}

void
fm_caret_attach(struct fm_diag *diag, struct fm_text input)
{
	struct fm_caret caret = { .input = input };
	struct fm_diag_message message;
	struct fm_text line;
	unsigned n;

	/* A file that holds no rules may be a secret. */
	for (n = 0; fm_diag_message(diag, n, &message); n++)
		if (!begins(message.text, FM_MSG_NO_RULES) &&
		    !begins(message.text, FM_MSG_NUL) &&
		    place_line(&caret, diag, &message.at, &line))
			attach(&caret, diag, n, &message, line);
	fm_caret_fini(&caret);
}
