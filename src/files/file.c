/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a whole file, and words the error if it can't be read.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "obj.h"

void
fm_file_fault(const char *path, int error, size_t max,
    const struct fm_place *asked, struct fm_diag *diag)
{
	const struct fm_place place = { .name = path };
	bool mb = max >= 1UL << 20;
	const char *why;
	char large[64];

	switch (error) {
	case FM_FILE_CHANGED:
		why = "it has changed while it was read; "
		    "load it again when it is written";
		break;
	case EFBIG:
		(void)snprintf(large, sizeof large, "it has more than %zu %s",
		    mb ? max >> 20 : max, mb ? "MB" : "bytes");
		why = large;
		break;
	case EISDIR:
		why = "it is a directory";
		break;
	case EOPNOTSUPP:
		why = "it is not a regular file";
		break;
	case ENOMEM:
		why = "out of memory";
		break;
	default:
		why = strerror(error);
	}
	if (asked != NULL)
		fm_diag_error(diag, asked, "can't read '%s': %s", path, why);
	else
		fm_diag_error(diag, &place, "can't read: %s", why);
}

/*
 * Opens without waiting.  Otherwise a FIFO without a writer would hold the
 * caller for good, before fstat() can tell that it is not a regular file.
 */
static int
file_open(const char *path, struct stat *st, int *error)
{
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, st) != 0)
		*error = errno;
	else if (!S_ISREG(st->st_mode))
		*error = S_ISDIR(st->st_mode) ? EISDIR : EOPNOTSUPP;
	else
		return (fd);
	if (fd >= 0)
		(void)close(fd);
	return (-1);
}

/*
 * Notes the path of what was opened, in which the kernel has followed all
 * links.  Without /proc the path is not known.  Returns 0, or an errno.
 */
static int
file_name(struct fm_file *file, int fd)
{
	char link[32], real[PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof real);
	if (n <= 0 || (size_t)n == sizeof real)
		return (0);
	file->real = strndup(real, (size_t)n);
	return (file->real == NULL ? ENOMEM : 0);
}

/*
 * Reads to the end of the file, whatever size fstat() has: a file may grow
 * meanwhile, and files in /proc have size 0.  Returns 0, or an errno.
 */
static int
file_load(struct fm_file *file, size_t max, int fd)
{
	size_t room = 0, wanted = BUFSIZ;
	ssize_t n = 1;
	char *bytes;

	if (file->st.st_size > (off_t)max)
		return (EFBIG);
	if (file->st.st_size >= BUFSIZ)
		wanted = (size_t)file->st.st_size + 1;	/* one more shows the
							 * end */
	while (n != 0) {
		if (file->len > max)
			return (EFBIG);
		if (file->len == room) {
			room = wanted < max + 1 ? wanted : max + 1;
			wanted = 2 * room;
			bytes = realloc(file->bytes, room);
			if (bytes == NULL)
				return (ENOMEM);
			file->bytes = bytes;
		}
		n = read(fd, file->bytes + file->len, room - file->len);
		if (n < 0)
			return (errno);
		file->len += (size_t)n;
	}
	return (0);
}

struct fm_file *
fm_file_try(const char *path, size_t max, int *error)
{
	struct fm_file *file;
	struct stat st;
	int fd;

	assert(path != NULL);
	assert(max < SIZE_MAX / 4);
	fd = file_open(path, &st, error);
	if (fd < 0)
		return (NULL);
	*error = ENOMEM;
	FM_OBJ_NEW(file, FM_FILE_MAGIC);
	if (file != NULL) {
		file->st = st;
		*error = file_name(file, fd);
		if (*error == 0)
			*error = file_load(file, max, fd);
	}
	(void)close(fd);
	if (*error != 0 && file != NULL)
		fm_file_free(&file);
	return (file);
}

struct fm_file *
fm_file_read(const char *path, size_t max, const struct fm_place *asked,
    struct fm_diag *diag)
{
	struct fm_file *file;
	int error;

	file = fm_file_try(path, max, &error);
	if (file == NULL)
		fm_file_fault(path, error, max, asked, diag);
	return (file);
}

struct fm_file *
fm_file_new(size_t room)
{
	struct fm_file *file;

	FM_OBJ_NEW(file, FM_FILE_MAGIC);
	if (file == NULL)
		return (NULL);
	file->bytes = malloc(room > 0 ? room : 1);
	if (file->bytes == NULL)
		FM_OBJ_FREE(file);
	return (file);
}

void
fm_file_free(struct fm_file **filep)
{
	struct fm_file *file;

	FM_OBJ_TAKE(file, filep, FM_FILE_MAGIC);
	free(file->bytes);
	free(file->real);
	FM_OBJ_FREE(file);
}
