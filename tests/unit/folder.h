/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Gives a test a temporary folder of its own as the working directory, and
 * removes the folder at the end.
 */

#ifndef FOLDER_H
#define FOLDER_H

#include <dirent.h>
#include <unistd.h>

#include "unit.h"

static char folder_path[64];

static inline void
folder_enter(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(folder_path, sizeof folder_path, "%.30s/unit.XXXXXX",
	    tmp != NULL && strlen(tmp) <= 30 ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder_path));
	ck_assert_int_eq(chdir(folder_path), 0);
}

/* Removes all that is in a folder; returns how many entries that were. */
static inline unsigned
folder_empty(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	unsigned n = 0;
	char *name;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		ck_assert_int_gt(asprintf(&name, "%s/%s", path,
		    entry->d_name), 0);
		if (unlink(name) != 0) {
			(void)folder_empty(name);
			ck_assert_int_eq(rmdir(name), 0);
		}
		free(name);
		n++;
	}
	(void)closedir(dir);
	return (n);
}

static inline void
folder_leave(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	(void)folder_empty(folder_path);
	ck_assert_int_eq(rmdir(folder_path), 0);
}

static inline void
folder_write_bytes(const char *path, const void *b, size_t len)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	if (len > 0)
		ck_assert_uint_eq(fwrite(b, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
}

static inline void
folder_write(const char *path, const char *text)
{
	folder_write_bytes(path, text, strlen(text));
}

#endif
