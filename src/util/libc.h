/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that the C libraries of Linux have, for the command on macOS.
 */

#ifndef FM_LIBC_H
#define FM_LIBC_H

#include <string.h>

#ifndef __APPLE__
#include <endian.h>
#else

#include <fcntl.h>
#include <libkern/OSByteOrder.h>
#include <stdint.h>
#include <unistd.h>

#define htole64(x)	OSSwapHostToLittleInt64(x)
#define le32toh(x)	OSSwapLittleToHostInt32(x)
#define le64toh(x)	OSSwapLittleToHostInt64(x)
#define be64toh(x)	OSSwapBigToHostInt64(x)
#define st_mtim		st_mtimespec
#define st_ctim		st_ctimespec

/* Some releases of macOS have one of these. */
#define mempcpy		fm_mempcpy
#define memrchr		fm_memrchr
#define strchrnul	fm_strchrnul
#define pipe2		fm_pipe2
#define basename	fm_basename

static inline void *
fm_mempcpy(void *to, const void *from, size_t len)
{
	return ((char *)memcpy(to, from, len) + len);
}

static inline void *
fm_memrchr(const void *bytes, int c, size_t len)
{
	const unsigned char *b = bytes;

	while (len > 0 && b[len - 1] != (unsigned char)c)
		len--;
	return (len == 0 ? NULL : (void *)(uintptr_t)(b + len - 1));
}

static inline char *
fm_strchrnul(const char *s, int c)
{
	const char *found = strchr(s, c);

	return ((char *)(uintptr_t)(found == NULL ? s + strlen(s) : found));
}

static inline const char *
fm_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (slash == NULL ? path : slash + 1);
}

/* Sets FD_CLOEXEC, the only flag that is asked for. */
static inline int
fm_pipe2(int ends[2], int flags)
{
	(void)flags;
	if (pipe(ends) != 0)
		return (-1);
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return (0);
}

#endif
#endif
