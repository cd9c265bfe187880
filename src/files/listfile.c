/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses list files: one entry a line, comments, `key -> value`.
 */

#include "listfile.h"

#define LISTFILE_MARK	"\xef\xbb\xbf"		/* UTF-8 byte order mark */

/* Cuts the next line off the rest; blanks stay.  There must be a line. */
static struct fm_text
listfile_cut(struct fm_listfile *list)
{
	struct fm_text line = list->rest;
	const char *end;

	if (list->line++ == 0 && fm_text_begins(line, LISTFILE_MARK)) {
		line.b += strlen(LISTFILE_MARK);
		line.len -= strlen(LISTFILE_MARK);
	}
	list->rest = fm_text(line.b + line.len, 0);
	end = memchr(line.b, '\n', line.len);
	if (end != NULL) {
		list->rest = fm_text_span(end + 1, list->rest.b);
		line = fm_text_span(line.b, end);
	}
	return (line);
}

bool
fm_listfile_next(struct fm_listfile *list, struct fm_text *line,
    struct fm_place *place, struct fm_diag *diag)
{
	struct fm_text all, text;

	while (list->rest.len > 0) {
		text = all = listfile_cut(list);
		while (text.len > 0 && (text.b[text.len - 1] == '\r' ||
		    fm_is_blank(text.b[text.len - 1])))
			text.len--;
		text = fm_text_trim(text);
		if (text.len == 0 || text.b[0] == '#')
			continue;
		*place = (struct fm_place){
			.name = list->name,
			.line = list->line,
			.column = (unsigned)(text.b - all.b) + 1
		};
		if (text.len > FM_LISTFILE_LINE_MAX) {
			fm_diag_error(diag, place, "a line of %zu bytes: no "
			    "more than %lu are allowed", text.len,
			    FM_LISTFILE_LINE_MAX);
		} else if (memchr(text.b, '\0', text.len) != NULL) {
			fm_diag_error(diag, place,
			    "the line has a NUL byte: this is not a text file");
		} else {
			*line = text;
			return (true);
		}
	}
	return (false);
}

void
fm_listfile_arrow(struct fm_text line, struct fm_text *key,
    struct fm_text *value)
{
	size_t i;

	for (i = 0; i + 1 < line.len; i++) {
		if (line.b[i] != '-' || line.b[i + 1] != '>' ||
		    (i > 0 && !fm_is_blank(line.b[i - 1])) ||
		    (i + 2 < line.len && !fm_is_blank(line.b[i + 2])))
			continue;
		*key = fm_text_trim(fm_text(line.b, i));
		*value = fm_text_trim(fm_text(line.b + i + 2,
		    line.len - i - 2));
		return;
	}
	*key = line;
	*value = fm_text_of(NULL);
}

/*
 * Takes the quotes off a column that begins with one, and moves *at after the
 * last of them.  Returns false if it is not there.
 */
static bool
column_unquote(const char **at, const char *end, struct fm_text *column,
    char *room)
{
	const char *b = *at + 1, *quote = b;
	bool inside = false;
	size_t len = 0;

	for (;; quote += 2) {
		quote = memchr(quote, '"', (size_t)(end - quote));
		if (quote == NULL)
			return (false);
		if (quote + 1 == end || quote[1] != '"')
			break;
		inside = true;
	}
	*at = quote + 1;
	*column = fm_text_span(b, quote);
	if (inside) {
		for (; b < quote; b += *b == '"' ? 2 : 1)
			room[len++] = *b;
		*column = fm_text(room, len);
	}
	return (true);
}

bool
fm_listfile_column(struct fm_text *line, struct fm_text *column, char *room)
{
	const char *at = line->b, *end = line->b + line->len, *comma;
	bool quoted;

	while (at < end && fm_is_blank(*at))
		at++;
	quoted = at < end && *at == '"';
	if (quoted && !column_unquote(&at, end, column, room))
		return (false);
	comma = memchr(at, ',', (size_t)(end - at));
	if (comma == NULL)
		*line = fm_text_of(NULL);
	else
		*line = fm_text_span(comma + 1, end);
	*column = quoted ? *column : fm_text_trim(fm_text_span(at,
	    comma == NULL ? end : comma));
	return (!quoted ? !fm_text_has_any(*column, "\"") :
	    fm_text_trim(fm_text_span(at, comma == NULL ? end : comma)).len ==
	    0);
}

void
fm_listfile_word(struct fm_text line, struct fm_text *key,
    struct fm_text *value)
{
	size_t i;

	*key = line;
	*value = fm_text_of(NULL);
	for (i = 0; i < line.len && !fm_is_blank(line.b[i]); i++)
		continue;
	if (i == line.len)
		return;
	*key = fm_text(line.b, i);
	*value = fm_text_trim(fm_text(line.b + i, line.len - i));
}
