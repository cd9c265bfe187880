/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a file, unpacked.  zlib's own gzread() keeps what it has
 * unpacked of a file that is damaged to itself, and says nothing of what is
 * behind: a log that somebody has appended to.
 *
 * A packed file is a row of frames (gzip calls them members), each of which
 * can be unpacked by itself.
 */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "cli.h"
#include "unpack.h"

#define BUFFER		(256U << 10)
#define MOST		(1U << 30)	/* at a time */
#define GZIP_ONLY	(MAX_WBITS + 16)

/* Someone who packs files, and how such a file is unpacked. */
struct packer {
	const char		*name;
	/* Whether a frame begins with these bytes, which may be cut off. */
	bool			(*begins)(const unsigned char *, size_t n);
	void			(*frame)(struct fm_unpack *);
	size_t			(*unpack)(struct fm_unpack *, char *b,
				    size_t room);
	void			(*close)(struct fm_unpack *);
};

struct fm_unpack {
	int			fd;
	int			error;		/* of read() */
	bool			begun;
	const struct packer	*packer;	/* NULL: nobody packed it */
	bool			inside;		/* of a frame */
	bool			ended;
	enum fm_unpack_end	end;
	const char		*damage;	/* or NULL */
	double			got;		/* bytes of the file */
	const unsigned char	*next;		/* of in[], not used yet: */
	size_t			left;		/* so many */
	z_stream		z;		/* gzip */
#ifdef HAVE_ZSTD
	ZSTD_DStream		*zstd;
#endif
	unsigned char		in[BUFFER];
};

static void
end(struct fm_unpack *u, enum fm_unpack_end why)
{
	u->ended = true;
	u->end = u->error != 0 ? FM_UNPACK_ERRNO : why;
}

static void
use(struct fm_unpack *u, size_t n)
{
	u->next += n;
	u->left -= n;
}

/*--------------------------------------------------------------------
 * gzip
 */

static bool
gzip_begins(const unsigned char *b, size_t n)
{
	return (b[0] == 0x1f && (n < 2 || b[1] == 0x8b));
}

static void
gzip_frame(struct fm_unpack *u)
{
	if ((u->z.state == NULL ? inflateInit2(&u->z, GZIP_ONLY) :
	    inflateReset(&u->z)) != Z_OK)
		fm_cli_no_memory();
}

static size_t
gzip_unpack(struct fm_unpack *u, char *b, size_t room)
{
	unsigned most = room < MOST ? (unsigned)room : MOST;

	u->z.next_in = u->next;
	u->z.avail_in = (unsigned)u->left;
	u->z.next_out = (unsigned char *)b;
	u->z.avail_out = most;
	switch (inflate(&u->z, Z_NO_FLUSH)) {
	case Z_OK:
	case Z_BUF_ERROR:
		break;
	case Z_STREAM_END:
		u->inside = false;
		break;
	case Z_MEM_ERROR:
		fm_cli_no_memory();
	default:
		u->damage = u->z.msg;
		end(u, FM_UNPACK_DAMAGED);
		break;
	}
	use(u, u->left - u->z.avail_in);
	return (most - u->z.avail_out);
}

static void
gzip_close(struct fm_unpack *u)
{
	(void)inflateEnd(&u->z);
}

/*--------------------------------------------------------------------
 * zstd
 */

#ifdef HAVE_ZSTD

/* A frame; or one to be skipped, of which there are sixteen kinds. */
static bool
zstd_begins(const unsigned char *b, size_t n)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const unsigned char skip[] = { 0x50, 0x2a, 0x4d, 0x18 };

	if (n > sizeof magic)
		n = sizeof magic;
	return (memcmp(b, magic, n) == 0 || ((b[0] & 0xf0) == skip[0] &&
	    memcmp(b + 1, skip + 1, n - 1) == 0));
}

static void
zstd_frame(struct fm_unpack *u)
{
	if (u->zstd == NULL)
		u->zstd = ZSTD_createDStream();
	if (u->zstd == NULL)
		fm_cli_no_memory();
}

/* The library leaves the last byte of a frame until all of it has had room. */
static size_t
zstd_unpack(struct fm_unpack *u, char *b, size_t room)
{
	ZSTD_inBuffer in = { u->next, u->left, 0 };
	ZSTD_outBuffer out = { b, room, 0 };
	size_t left = ZSTD_decompressStream(u->zstd, &out, &in);

	use(u, in.pos);
	u->inside = left != 0;
	if (ZSTD_isError(left)) {
		if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
			fm_cli_no_memory();
		u->damage = ZSTD_getErrorName(left);
		end(u, FM_UNPACK_DAMAGED);
	}
	return (out.pos);
}

static void
zstd_close(struct fm_unpack *u)
{
	(void)ZSTD_freeDStream(u->zstd);
}

#endif

/*--------------------------------------------------------------------
 * The file
 */

static const struct packer packers[] = {
	{ "gzip", gzip_begins, gzip_frame, gzip_unpack, gzip_close },
#ifdef HAVE_ZSTD
	{ "zstd", zstd_begins, zstd_frame, zstd_unpack, zstd_close },
#endif
};

struct fm_unpack *
fm_unpack_open(const char *path)
{
	struct fm_unpack *u;
	int fd;

	fd = path == NULL ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
	    open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (NULL);
	u = fm_cli_alloc(sizeof *u);
	u->fd = fd;
	u->next = u->in;
	return (u);
}

void
fm_unpack_close(struct fm_unpack **up)
{
	struct fm_unpack *u = *up;

	*up = NULL;
	if (u->packer != NULL)
		u->packer->close(u);
	(void)close(u->fd);
	free(u);
}

/* More of the file behind what is there; false: it ends. */
static bool
fill(struct fm_unpack *u)
{
	ssize_t n;

	memmove(u->in, u->next, u->left);
	u->next = u->in;
	do
		n = read(u->fd, u->in + u->left, BUFFER - u->left);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		u->error = errno;
	if (n <= 0)
		return (false);
	u->left += (size_t)n;
	u->got += (double)n;
	return (true);
}

/* What tells frames from each other; less at the end of the file. */
static void
fill_magic(struct fm_unpack *u)
{
	while (u->left < 4 && fill(u))
		continue;
}

static void
begin(struct fm_unpack *u)
{
	size_t i;

	u->begun = true;
	fill_magic(u);
	for (i = 0; i < sizeof packers / sizeof packers[0]; i++)
		if (u->left >= 2 && packers[i].begins(u->next, u->left))
			u->packer = &packers[i];
	if (u->packer != NULL) {
		u->packer->frame(u);
		u->inside = true;
	}
}

static size_t
copy(struct fm_unpack *u, char *b, size_t room)
{
	size_t n = u->left < room ? u->left : room;

	memcpy(b, u->next, n);
	use(u, n);
	return (n);
}

/* Behind a frame is another one, or zeros to the end. */
static void
between(struct fm_unpack *u)
{
	fill_magic(u);
	if (u->packer->begins(u->next, u->left)) {
		u->packer->frame(u);
		u->inside = true;
	} else if (*u->next == 0) {
		use(u, 1);
	} else {
		end(u, FM_UNPACK_MORE);
	}
}

size_t
fm_unpack_read(struct fm_unpack *u, char *b, size_t room)
{
	size_t n = 0;

	if (!u->begun)
		begin(u);
	while (n < room && !u->ended) {
		if (u->left == 0 && !fill(u))
			end(u, u->inside ? FM_UNPACK_CUT : FM_UNPACK_FINE);
		else if (u->packer == NULL)
			n += copy(u, b + n, room - n);
		else if (u->inside)
			n += u->packer->unpack(u, b + n, room - n);
		else
			between(u);
	}
	return (n);
}

enum fm_unpack_end
fm_unpack_ended(const struct fm_unpack *u, const char **what)
{
	*what = u->damage;
	if (u->end == FM_UNPACK_ERRNO)
		*what = strerror(u->error);
	else if (u->end == FM_UNPACK_DAMAGED && u->damage == NULL)
		*what = "it can't be unpacked";
	return (u->end);
}

const char *
fm_unpack_by(const struct fm_unpack *u)
{
	return (u->packer == NULL ? NULL : u->packer->name);
}

double
fm_unpack_taken(const struct fm_unpack *u)
{
	return (u->got - (double)u->left);
}
