/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a file, unpacked.  zlib's own gzread() keeps what it has
 * unpacked of a file that is damaged to itself, and says nothing of what is
 * behind: a log that somebody has appended to.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli.h"
#include "gz.h"

#define BUFFER		(256U << 10)
#define MOST		(1U << 30)	/* at a time */
#define MAGIC_1		0x1f
#define MAGIC_2		0x8b
#define GZIP_ONLY	(MAX_WBITS + 16)

struct fm_gz {
	int			fd;
	int			error;		/* of read() */
	bool			begun, packed;
	bool			inside;		/* of a member */
	bool			ended;
	enum fm_gz_end		end;
	double			got;		/* bytes of the file */
	z_stream		z;
	unsigned char		in[BUFFER];
};

struct fm_gz *
fm_gz_open(const char *path)
{
	struct fm_gz *gz;
	int fd;

	fd = path == NULL ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
	    open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (NULL);
	gz = fm_cli_alloc(sizeof *gz);
	gz->fd = fd;
	if (inflateInit2(&gz->z, GZIP_ONLY) != Z_OK)
		fm_cli_no_memory();
	gz->z.next_in = gz->in;
	return (gz);
}

void
fm_gz_close(struct fm_gz **gzp)
{
	struct fm_gz *gz = *gzp;

	*gzp = NULL;
	(void)inflateEnd(&gz->z);
	(void)close(gz->fd);
	free(gz);
}

/* More of the file behind what is there; false: it ends. */
static bool
fill(struct fm_gz *gz)
{
	ssize_t n;

	memmove(gz->in, gz->z.next_in, gz->z.avail_in);
	gz->z.next_in = gz->in;
	do
		n = read(gz->fd, gz->in + gz->z.avail_in,
		    BUFFER - gz->z.avail_in);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		gz->error = errno;
	if (n <= 0)
		return (false);
	gz->z.avail_in += (unsigned)n;
	gz->got += (double)n;
	return (true);
}

static void
end(struct fm_gz *gz, enum fm_gz_end why)
{
	gz->ended = true;
	gz->end = gz->error != 0 ? FM_GZ_ERRNO : why;
}

static void
begin(struct fm_gz *gz)
{
	while (gz->z.avail_in < 2 && fill(gz))
		continue;
	gz->begun = true;
	gz->packed = gz->inside = gz->z.avail_in >= 2 &&
	    gz->in[0] == MAGIC_1 && gz->in[1] == MAGIC_2;
}

static size_t
copy(struct fm_gz *gz, char *b, size_t room)
{
	size_t n = gz->z.avail_in < room ? gz->z.avail_in : room;

	memcpy(b, gz->z.next_in, n);
	gz->z.next_in += n;
	gz->z.avail_in -= (unsigned)n;
	return (n);
}

/* Behind a member is another one, or zeros to the end. */
static void
between(struct fm_gz *gz)
{
	if (*gz->z.next_in == MAGIC_1) {
		(void)inflateReset(&gz->z);
		gz->inside = true;
	} else if (*gz->z.next_in == 0) {
		gz->z.next_in++;
		gz->z.avail_in--;
	} else {
		end(gz, FM_GZ_MORE);
	}
}

static size_t
unpack(struct fm_gz *gz, char *b, size_t room)
{
	unsigned most = room < MOST ? (unsigned)room : MOST;

	gz->z.next_out = (unsigned char *)b;
	gz->z.avail_out = most;
	switch (inflate(&gz->z, Z_NO_FLUSH)) {
	case Z_OK:
	case Z_BUF_ERROR:
		break;
	case Z_STREAM_END:
		gz->inside = false;
		break;
	case Z_MEM_ERROR:
		fm_cli_no_memory();
	default:
		end(gz, FM_GZ_DAMAGED);
		break;
	}
	return (most - gz->z.avail_out);
}

size_t
fm_gz_read(struct fm_gz *gz, char *b, size_t room)
{
	size_t n = 0;

	if (!gz->begun)
		begin(gz);
	while (n < room && !gz->ended) {
		if (gz->z.avail_in == 0 && !fill(gz))
			end(gz, gz->inside ? FM_GZ_CUT : FM_GZ_FINE);
		else if (!gz->packed)
			n += copy(gz, b + n, room - n);
		else if (gz->inside)
			n += unpack(gz, b + n, room - n);
		else
			between(gz);
	}
	return (n);
}

enum fm_gz_end
fm_gz_ended(const struct fm_gz *gz, const char **what)
{
	*what = gz->z.msg;
	if (gz->end == FM_GZ_ERRNO)
		*what = strerror(gz->error);
	else if (gz->end == FM_GZ_DAMAGED && gz->z.msg == NULL)
		*what = "it can't be unpacked";
	return (gz->end);
}

double
fm_gz_taken(const struct fm_gz *gz)
{
	return (gz->got - gz->z.avail_in);
}
