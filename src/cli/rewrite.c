/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces files by temporary ones that are renamed.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "obj.h"
#include "rewrite.h"

static const char *
write_to(int fd, struct fm_text text)
{
	FILE *to = fdopen(fd, "w");
	int error = 0;

	if (to == NULL) {
		error = errno;
		(void)close(fd);
		return (strerror(error));
	}
	(void)fwrite(text.b, 1, text.len, to);
	if (fflush(to) != 0 || ferror(to) || fsync(fd) != 0)
		error = errno == 0 ? EIO : errno;
	if (fclose(to) != 0 && error == 0)
		error = errno;
	return (error == 0 ? NULL : strerror(error));
}

/* Gives a new file the old one's owner, group and mode; returns what failed. */
static const char *
take_after(int fd, const struct stat *was)
{
	mode_t mask = umask(0), mode = 0666 & ~mask;

	(void)umask(mask);
	/* fchown() clears the set-user-ID bit: so the mode is set last. */
	if (was != NULL && fchown(fd, was->st_uid, was->st_gid) != 0 &&
	    (was->st_uid != geteuid() || was->st_gid != getegid()))
		return ("its owner and group can't be kept, run this as its "
		    "owner or root");
	if (fchmod(fd, was != NULL ? was->st_mode & 07777 : mode) != 0)
		return (strerror(errno));
	return (NULL);
}

/* Returns why a file may not be replaced; NULL: it may. */
static const char *
refuse(const char *path, const struct stat *was)
{
	struct stat now;

	if (was == NULL)
		return (NULL);
	if (access(path, W_OK) != 0 || stat(path, &now) != 0)
		return (strerror(errno));
	if (now.st_dev != was->st_dev || now.st_ino != was->st_ino ||
	    now.st_size != was->st_size ||
	    now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != was->st_mtim.tv_nsec)
		return ("it has changed meanwhile, run this again");
	return (NULL);
}

const char *
fm_rewrite(const char *path, const struct stat *was, struct fm_text text)
{
	size_t room = strlen(path) + sizeof ".XXXXXX";
	char *aside = fm_cli_alloc(room);
	const char *wrong;
	int fd;

	(void)snprintf(aside, room, "%s.XXXXXX", path);
	fd = mkostemp(aside, O_CLOEXEC);
	if (fd < 0) {
		wrong = strerror(errno);
		free(aside);
		return (wrong);
	}
	wrong = take_after(fd, was);
	if (wrong == NULL)
		wrong = write_to(fd, text);
	else
		(void)close(fd);
	if (wrong == NULL)
		wrong = refuse(path, was);
	if (wrong == NULL && rename(aside, path) != 0)
		wrong = strerror(errno);
	if (wrong != NULL)
		(void)unlink(aside);
	free(aside);
	return (wrong);
}

bool
fm_may_write(const char *path, const char *start)
{
	char begin[16];
	struct stat st;
	FILE *old;
	size_t n;

	assert(strlen(start) <= sizeof begin);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (old = fopen(path, "re")) == NULL)
		return (true);
	n = fread(begin, 1, strlen(start), old);
	(void)fclose(old);
	return (memcmp(begin, start, n) == 0);
}
