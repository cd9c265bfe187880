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

/* What is read, and for whom. */
struct file_job {
	const char		*path;
	size_t			max;
	const struct fm_place	*asked;
	struct fm_diag		*diag;
};

static void
file_fault(const struct file_job *job, const char *what)
{
	const struct fm_place place = { .name = job->path };

	if (job->asked != NULL)
		fm_diag_error(job->diag, job->asked, "can't read '%s': %s",
		    job->path, what);
	else
		fm_diag_error(job->diag, &place, "can't read: %s", what);
}

static int
file_too_large(const struct file_job *job)
{
	char what[64];

	if (job->max >= 1UL << 20)
		(void)snprintf(what, sizeof what, "it has more than %zu MB",
		    job->max >> 20);
	else
		(void)snprintf(what, sizeof what,
		    "it has more than %zu bytes", job->max);
	file_fault(job, what);
	return (-1);
}

/*
 * Opened without waiting: a FIFO without a writer would otherwise hold the
 * caller for good, before anything can be asked about it.
 */
static int
file_open(const struct file_job *job, struct stat *st)
{
	int fd;

	do
		fd = open(job->path,
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fstat(fd, st) != 0) {
		file_fault(job, strerror(errno));
	} else if (S_ISDIR(st->st_mode)) {
		file_fault(job, "it is a directory");
	} else if (!S_ISREG(st->st_mode)) {
		file_fault(job, "it is not a regular file");
	} else {
		return (fd);
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
 * those of /proc claim to have none.  0, or -1.
 */
static int
file_load(const struct file_job *job, struct fm_file *file, int fd)
{
	size_t cap = 0, wanted = FILE_READ;
	ssize_t n;

	if (file->st.st_size > (off_t)job->max)
		return (file_too_large(job));
	if (file->st.st_size >= FILE_READ)
		wanted = (size_t)file->st.st_size + 1;	/* to see the end */
	for (;;) {
		if (file->len > job->max)
			return (file_too_large(job));
		if (wanted > job->max + 1)
			wanted = job->max + 1;
		if (file->len == cap && file_grow(file, &cap, wanted) != 0) {
			file_fault(job, "out of memory");
			return (-1);
		}
		wanted = 2 * cap;
		n = read(fd, file->bytes + file->len, cap - file->len);
		if (n == 0)
			return (0);
		if (n > 0) {
			file->len += (size_t)n;
		} else if (errno != EINTR) {
			file_fault(job, strerror(errno));
			return (-1);
		}
	}
}

struct fm_file *
fm_file_read(const char *path, size_t max, const struct fm_place *asked,
    struct fm_diag *diag)
{
	const struct file_job job = {
		.path = path, .max = max, .asked = asked, .diag = diag
	};
	struct fm_file *file;
	struct stat st;
	int fd, r = -1;

	assert(path != NULL);
	assert(max < SIZE_MAX / 4);
	fd = file_open(&job, &st);
	if (fd < 0)
		return (NULL);
	FM_OBJ_NEW(file, FM_FILE_MAGIC);
	if (file == NULL) {
		file_fault(&job, "out of memory");
	} else {
		file->st = st;
		r = file_load(&job, file, fd);
	}
	(void)close(fd);
	if (r != 0 && file != NULL)
		fm_file_free(&file);
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
