/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads list files.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "listfile.h"
#include "obj.h"

#define LISTFILE_READ	4096	/* bytes to ask for where no size is known */

struct fm_listfile {
	unsigned	magic;
#define FM_LISTFILE_MAGIC	0x2ca97d43
	unsigned	line;		/* how many were read */
	char		*path;
	char		*bytes;
	size_t		len;
	size_t		cap;
	size_t		next;		/* where the next line starts */
};

static void
listfile_fault(const char *path, struct fm_diag *diag, const char *what)
{
	const struct fm_place place = { .name = path };

	fm_diag_error(diag, &place, "can't read: %s", what);
}

/*
 * Opened without waiting: a FIFO without a writer would otherwise hold the
 * caller for good, before anything can be asked about it.
 */
static int
listfile_open(const char *path, struct stat *st, struct fm_diag *diag)
{
	int fd;

	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fstat(fd, st) != 0) {
		listfile_fault(path, diag, strerror(errno));
	} else if (S_ISDIR(st->st_mode)) {
		listfile_fault(path, diag, "it is a directory");
	} else if (!S_ISREG(st->st_mode)) {
		listfile_fault(path, diag, "it is not a regular file");
	} else {
		return (fd);
	}
	if (fd >= 0)
		(void)close(fd);
	return (-1);
}

static int
listfile_too_large(const struct fm_listfile *list, struct fm_diag *diag)
{
	const struct fm_place place = { .name = list->path };

	fm_diag_error(diag, &place, "can't read: it has more than %lu MB",
	    FM_LISTFILE_MAX >> 20);
	return (-1);
}

/* 0, or -1: no memory. */
static int
listfile_grow(struct fm_listfile *list, size_t cap)
{
	char *bytes;

	if (cap > FM_LISTFILE_MAX + 1)
		cap = FM_LISTFILE_MAX + 1;
	bytes = realloc(list->bytes, cap);
	if (bytes == NULL)
		return (-1);
	list->bytes = bytes;
	list->cap = cap;
	return (0);
}

/*
 * To the end, whatever size was promised: a file may grow meanwhile, and
 * those of /proc claim to have none.  0, or -1.
 */
static int
listfile_load(struct fm_listfile *list, int fd, off_t size,
    struct fm_diag *diag)
{
	size_t cap = LISTFILE_READ;
	ssize_t n;

	if (size > (off_t)FM_LISTFILE_MAX)
		return (listfile_too_large(list, diag));
	if (size >= LISTFILE_READ)
		cap = (size_t)size + 1;		/* and one, to see the end */
	for (;;) {
		if (list->len > FM_LISTFILE_MAX)
			return (listfile_too_large(list, diag));
		if (list->len == list->cap && listfile_grow(list,
		    list->cap > 0 ? 2 * list->cap : cap) != 0) {
			listfile_fault(list->path, diag, "out of memory");
			return (-1);
		}
		n = read(fd, list->bytes + list->len, list->cap - list->len);
		if (n == 0)
			return (0);
		if (n > 0) {
			list->len += (size_t)n;
		} else if (errno != EINTR) {
			listfile_fault(list->path, diag, strerror(errno));
			return (-1);
		}
	}
}

struct fm_listfile *
fm_listfile_read(const char *path, struct fm_diag *diag)
{
	struct fm_listfile *list;
	struct stat st;
	int fd, r;

	assert(path != NULL);
	fd = listfile_open(path, &st, diag);
	if (fd < 0)
		return (NULL);
	FM_OBJ_NEW(list, FM_LISTFILE_MAGIC);
	if (list != NULL)
		list->path = strdup(path);
	if (list == NULL || list->path == NULL) {
		listfile_fault(path, diag, "out of memory");
		r = -1;
	} else {
		r = listfile_load(list, fd, st.st_size, diag);
	}
	(void)close(fd);
	if (r != 0) {
		if (list != NULL)
			fm_listfile_free(&list);
		return (NULL);
	}
	if (list->len >= 3 && memcmp(list->bytes, "\xef\xbb\xbf", 3) == 0)
		list->next = 3;
	return (list);
}

void
fm_listfile_free(struct fm_listfile **listp)
{
	struct fm_listfile *list;

	FM_OBJ_TAKE(list, listp, FM_LISTFILE_MAGIC);
	free(list->path);
	free(list->bytes);
	FM_OBJ_FREE(list);
}

/* Cuts off the next line, and its blanks; there must be one. */
static struct fm_text
listfile_cut(struct fm_listfile *list, unsigned *column)
{
	const char *b = list->bytes + list->next, *end;
	size_t len = list->len - list->next;
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
	while (list->next < list->len) {
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
