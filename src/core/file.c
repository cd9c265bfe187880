/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads files.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "obj.h"

#define FILE_READ	4096	/* bytes to ask for where no size is known */

/* What no call of the system says of a file that it opened. */
#define FILE_DIRECTORY	EISDIR
#define FILE_IRREGULAR	EOPNOTSUPP
#define FILE_LARGE	EFBIG

/*--------------------------------------------------------------------
 * What is wrong
 */

const char *
fm_file_why(int error, size_t max, char buf[FM_FILE_WHY_LEN])
{
	const char *why;

	switch (error) {
	case FILE_LARGE:
		(void)snprintf(buf, FM_FILE_WHY_LEN, max >= 1UL << 20 ?
		    "it has more than %zu MB" : "it has more than %zu bytes",
		    max >= 1UL << 20 ? max >> 20 : max);
		return (buf);
	case FILE_DIRECTORY:
		why = "it is a directory";
		break;
	case FILE_IRREGULAR:
		why = "it is not a regular file";
		break;
	case ENOMEM:
		why = "out of memory";
		break;
	default:
		why = strerror(error);
	}
	(void)snprintf(buf, FM_FILE_WHY_LEN, "%s", why);
	return (buf);
}

void
fm_file_fault(const char *path, const char *why, const struct fm_place *asked,
    struct fm_diag *diag)
{
	const struct fm_place place = { .name = path };

	if (asked != NULL)
		fm_diag_error(diag, asked, "can't read '%s': %s", path, why);
	else
		fm_diag_error(diag, &place, "can't read: %s", why);
}

/*--------------------------------------------------------------------
 * Reading
 */

/*
 * Opened without waiting: a FIFO without a writer would otherwise hold the
 * caller for good, before anything can be asked about it.
 */
static int
file_open(const char *path, struct fm_file_fate *fate)
{
	struct stat st;
	int fd;

	/*
	 * Before it is opened: what turns up in between is seen as a change,
	 * and not taken for what could not be opened.
	 */
	if (stat(path, &fate->st) != 0)
		fate->unseen = errno;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fstat(fd, &st) != 0) {
		fate->error = errno;
	} else {
		fate->unseen = 0;
		fate->st = st;
		if (S_ISREG(st.st_mode))
			return (fd);
		fate->error = S_ISDIR(st.st_mode) ? FILE_DIRECTORY :
		    FILE_IRREGULAR;
	}
	if (fd >= 0)
		(void)close(fd);
	return (-1);
}

/* 0, or -1: no memory. */
static int
file_grow(struct fm_file *file, size_t *cap, size_t wanted)
{
	char *bytes;

	bytes = realloc(file->bytes, wanted);
	if (bytes == NULL)
		return (-1);
	file->bytes = bytes;
	*cap = wanted;
	return (0);
}

/*
 * To the end, whatever size was promised: a file may grow meanwhile, and
 * those of /proc claim to have none.  0, or an errno.
 */
static int
file_load(struct fm_file *file, size_t max, int fd)
{
	size_t cap = 0, wanted = FILE_READ;
	ssize_t n;

	if (file->st.st_size > (off_t)max)
		return (FILE_LARGE);
	if (file->st.st_size >= FILE_READ)
		wanted = (size_t)file->st.st_size + 1;	/* to see the end */
	for (;;) {
		if (file->len > max)
			return (FILE_LARGE);
		if (wanted > max + 1)
			wanted = max + 1;
		if (file->len == cap && file_grow(file, &cap, wanted) != 0)
			return (ENOMEM);
		wanted = 2 * cap;
		n = read(fd, file->bytes + file->len, cap - file->len);
		if (n == 0)
			return (0);
		if (n > 0)
			file->len += (size_t)n;
		else if (errno != EINTR)
			return (errno);
	}
}

struct fm_file *
fm_file_try(const char *path, size_t max, struct fm_file_fate *fate)
{
	struct fm_file *file;
	int fd;

	assert(path != NULL);
	assert(max < SIZE_MAX / 4);
	memset(fate, 0, sizeof *fate);
	fd = file_open(path, fate);
	if (fd < 0)
		return (NULL);
	FM_OBJ_NEW(file, FM_FILE_MAGIC);
	if (file == NULL) {
		fate->error = ENOMEM;
	} else {
		file->st = fate->st;
		fate->error = file_load(file, max, fd);
	}
	(void)close(fd);
	if (fate->error != 0 && file != NULL)
		fm_file_free(&file);
	return (file);
}

struct fm_file *
fm_file_read(const char *path, size_t max, const struct fm_place *asked,
    struct fm_diag *diag)
{
	struct fm_file_fate fate;
	char why[FM_FILE_WHY_LEN];
	struct fm_file *file;

	file = fm_file_try(path, max, &fate);
	if (file == NULL)
		fm_file_fault(path, fm_file_why(fate.error, max, why), asked,
		    diag);
	return (file);
}

struct fm_file *
fm_file_new(struct fm_text text, const struct stat *st)
{
	struct fm_file *file;

	FM_OBJ_NEW(file, FM_FILE_MAGIC);
	if (file == NULL)
		return (NULL);
	file->bytes = malloc(text.len + 1);
	if (file->bytes == NULL) {
		fm_file_free(&file);
		return (NULL);
	}
	if (text.len > 0)
		memcpy(file->bytes, text.b, text.len);
	file->len = text.len;
	file->st = *st;
	return (file);
}

void
fm_file_free(struct fm_file **filep)
{
	struct fm_file *file;

	FM_OBJ_TAKE(file, filep, FM_FILE_MAGIC);
	free(file->bytes);
	FM_OBJ_FREE(file);
}
