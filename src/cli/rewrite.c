/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes files aside.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "rewrite.h"

static int
write_to(int fd, mode_t mode, void (*put)(void *, FILE *), void *priv)
{
	int error = fchmod(fd, mode) != 0 ? errno : 0;
	FILE *to;

	to = fdopen(fd, "w");
	if (to == NULL) {
		error = errno;
		(void)close(fd);
		return (error);
	}
	put(priv, to);
	if (fflush(to) != 0 || ferror(to) || fsync(fd) != 0)
		error = errno == 0 ? EIO : errno;
	if (fclose(to) != 0 && error == 0)
		error = errno;
	return (error);
}

int
fm_rewrite(const char *path, mode_t mode, void (*put)(void *, FILE *),
    void *priv)
{
	char *aside = fm_cli_alloc(strlen(path) + sizeof ".XXXXXX");
	int fd, error;

	(void)sprintf(aside, "%s.XXXXXX", path);
	fd = mkostemp(aside, O_CLOEXEC);
	error = fd < 0 ? errno : write_to(fd, mode, put, priv);
	if (error == 0 && rename(aside, path) != 0)
		error = errno;
	if (error != 0 && fd >= 0)
		(void)unlink(aside);
	free(aside);
	return (error);
}
