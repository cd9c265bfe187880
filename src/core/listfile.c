/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads list files.
 */

#include <string.h>

#include "file.h"
#include "listfile.h"
#include "obj.h"

struct fm_listfile {
	unsigned	magic;
#define FM_LISTFILE_MAGIC	0x2ca97d43
	unsigned	line;		/* how many were read */
	char		*path;
	struct fm_file	*file;
	size_t		next;		/* where the next line starts */
};

struct fm_listfile *
fm_listfile_of(struct fm_file **filep, const char *path,
    const struct fm_place *asked, struct fm_diag *diag)
{
	const struct fm_place place = { .name = path };
	struct fm_listfile *list;
	struct fm_file *file;

	FM_OBJ_TAKE(file, filep, FM_FILE_MAGIC);
	FM_OBJ_NEW(list, FM_LISTFILE_MAGIC);
	if (list != NULL)
		list->path = strdup(path);
	if (list == NULL || list->path == NULL) {
		fm_diag_error(diag, asked != NULL ? asked : &place,
		    "out of memory");
		fm_file_free(&file);
		free(list);
		return (NULL);
	}
	list->file = file;
	if (file->len >= 3 && memcmp(file->bytes, "\xef\xbb\xbf", 3) == 0)
		list->next = 3;
	return (list);
}

struct fm_listfile *
fm_listfile_read(const char *path, struct fm_sources *sources,
    const struct fm_place *asked, struct fm_diag *diag)
{
	struct fm_file *file;

	assert(path != NULL);
	file = fm_sources_read(sources, path, FM_LISTFILE_MAX, asked, diag);
	if (file == NULL)
		return (NULL);
	return (fm_listfile_of(&file, path, asked, diag));
}

void
fm_listfile_free(struct fm_listfile **listp)
{
	struct fm_listfile *list;

	FM_OBJ_TAKE(list, listp, FM_LISTFILE_MAGIC);
	fm_file_free(&list->file);
	free(list->path);
	FM_OBJ_FREE(list);
}

const struct stat *
fm_listfile_stat(const struct fm_listfile *list)
{

	FM_OBJ_CHECK(list, FM_LISTFILE_MAGIC);
	return (&list->file->st);
}

/* Cuts off the next line, and its blanks; there must be one. */
static struct fm_text
listfile_cut(struct fm_listfile *list, unsigned *column)
{
	const char *b = list->file->bytes + list->next, *end;
	size_t len = list->file->len - list->next;
	struct fm_text t;

	end = memchr(b, '\n', len);
	if (end != NULL)
		len = (size_t)(end - b);
	list->next += len + (end != NULL);
	list->line++;
	while (len > 0 && (b[len - 1] == '\r' || fm_is_blank(b[len - 1])))
		len--;
	t = fm_text_trim(fm_text(b, len));
	*column = (unsigned)(t.b - b) + 1;
	return (t);
}

bool
fm_listfile_next(struct fm_listfile *list, struct fm_text *line,
    struct fm_place *place, struct fm_diag *diag)
{
	struct fm_text t;
	unsigned column;

	FM_OBJ_CHECK(list, FM_LISTFILE_MAGIC);
	while (list->next < list->file->len) {
		t = listfile_cut(list, &column);
		if (t.len == 0 || t.b[0] == '#')
			continue;
		*place = (struct fm_place){
			.name = list->path,
			.line = list->line,
			.column = column
		};
		if (t.len > FM_LISTFILE_LINE_MAX) {
			fm_diag_error(diag, place, "a line of %zu bytes: no "
			    "more than %lu are allowed", t.len,
			    FM_LISTFILE_LINE_MAX);
		} else if (memchr(t.b, '\0', t.len) != NULL) {
			fm_diag_error(diag, place,
			    "the line has a NUL byte: this is no text file");
		} else {
			*line = t;
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
