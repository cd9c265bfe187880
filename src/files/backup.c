/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the backup copy of all files and globs that were read, and reads it.
 * The copy is one file, of such lines:
 *
 *	fastmatch copy 2
 *	# a comment for people
 *	file ERROR MAX DEV INO SECONDS NANOSECONDS LENGTH BYTES
 *					LENGTH bytes follow: the path; then
 *					BYTES bytes: the content
 *	glob ...			the same, of a glob: the pattern, and
 *					the paths that it found, each with a
 *					NUL (sources.h)
 *	end DIGEST			the digest of all before this line
 *
 * Numbers are decimal.  ERROR is an errno.  SECONDS and NANOSECONDS are the
 * time of the file's last change.  Bytes that follow a line end in a newline.
 */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "obj.h"
#include "sources.h"

#define COPY_MAX	(1UL << 30)	/* bytes: files of 512 MB, and as much
					 * again for lines */
#define COPY_HEAD	"fastmatch copy "
#define COPY_VERSION	"2\n"
#define COPY_NUMBERS	" %d %zu %ju %ju %ju %ju %zu %zu"
#define COPY_END	"\nend "
#define COPY_END_LEN	(sizeof COPY_END - 1 + FM_DIGEST_LEN)
#define COPY_DAMAGED	"it is damaged: rules that are accepted make a new one"

#define ASIDE_END	".XXXXXX"	/* replaced by mkostemp() */

/*--------------------------------------------------------------------
 * Writing
 */

static bool
put_head(FILE *f, const char *path)
{
	char shown[256], when[32] = "?", *p;
	time_t now = time(NULL);
	struct tm tm;

	(void)snprintf(shown, sizeof shown, "%s", path);
	for (p = shown; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	if (gmtime_r(&now, &tm) != NULL)
		(void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return (fprintf(f, COPY_HEAD COPY_VERSION
	    "# All that was read for %s\n"
	    "# when it was last accepted, at %s.  It serves where a start of\n"
	    "# Varnish finds those files broken.  It is refused once it is "
	    "edited.\n", shown, when) > 0);
}

static bool
put_source(FILE *f, const struct fm_source *source)
{
	const struct stat *st = &source->st;
	struct fm_text bytes = source->bytes;

	assert(bytes.b != NULL || source->error != 0 || source->glob);
	return (fprintf(f, "%s" COPY_NUMBERS "\n%s\n",
	    source->glob ? "glob" : "file", source->error, source->max,
	    (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
	    (uintmax_t)st->st_mtim.tv_sec, (uintmax_t)st->st_mtim.tv_nsec,
	    strlen(source->path), bytes.len, source->path) > 0 &&
	    (bytes.len == 0 || fwrite(bytes.b, 1, bytes.len, f) ==
	    bytes.len) && fputc('\n', f) != EOF);
}

/* Makes the copy in memory.  Returns 0, or ENOMEM. */
static int
copy_make(const struct fm_sources *sources, char **bytes, size_t *len)
{
	const struct fm_source *source;
	char digest[FM_DIGEST_LEN];
	bool good;
	FILE *f;

	f = open_memstream(bytes, len);
	if (f == NULL)
		return (ENOMEM);
	source = fm_sources_first(sources);
	good = put_head(f, source->path);
	for (; good && source != NULL; source = source->next)
		good = put_source(f, source);
	good = good && fflush(f) == 0 &&
	    fprintf(f, "%s%s\n", &COPY_END[1], fm_digest_of(
	    fm_text(*bytes, *len), digest)) > 0;
	/* fclose() fails if there is no memory for the last bytes. */
	return (fclose(f) != 0 || !good || *bytes == NULL ? ENOMEM : 0);
}

/* Returns 0, or an errno. */
static int
write_all(int fd, const char *b, size_t len)
{
	ssize_t n;

	for (; len > 0; b += n, len -= (size_t)n) {
		n = write(fd, b, len);
		if (n < 0)
			return (errno);
	}
	return (fsync(fd) == 0 ? 0 : errno);
}

/* Syncs the folder, so that the new name is on the disk. */
static int
folder_sync(char *copy)
{
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = 0;

	/* There are file systems that can't sync a folder. */
	if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
		error = errno;
	if (fd >= 0)
		(void)close(fd);
	return (error);
}

/*
 * Writes the copy aside and renames it.  Only its owner may read it: we do not
 * know who may read the files in it.  Returns 0, or an errno; *what says what
 * failed.
 */
static int
copy_write(const char *copy, char *aside, struct fm_text bytes,
    const char **what)
{
	int fd = mkostemp(aside, O_CLOEXEC), error;

	*what = "can't make a file next to it";
	if (fd < 0)
		return (errno);
	*what = "can't write";
	error = write_all(fd, bytes.b, bytes.len);
	if (close(fd) != 0 && error == 0)
		error = errno;
	if (error == 0) {
		*what = "can't put a new one in its place";
		error = rename(aside, copy) == 0 ? 0 : errno;
	}
	if (error != 0) {
		(void)unlink(aside);
		return (error);
	}
	*what = "can't sync its folder";
	return (folder_sync(aside));
}

int
fm_sources_save(const struct fm_sources *sources, const char *copy,
    struct fm_diag *diag)
{
	const struct fm_place place = { .name = copy };
	const struct fm_source *source;
	const char *what = "can't write";
	char *aside = NULL, *bytes = NULL;
	size_t len = 0;
	int error;

	for (source = fm_sources_first(sources); source != NULL;
	    source = source->next)
		len += source->len;
	if (len > COPY_MAX / 2) {
		fm_diag_error(diag, &place, "no copy is made of files that "
		    "have more than 512 MB");
		return (-1);
	}
	error = copy_make(sources, &bytes, &len);
	if (error == 0 && asprintf(&aside, "%s" ASIDE_END, copy) < 0)
		error = ENOMEM;
	if (error == 0)
		error = copy_write(copy, aside, fm_text(bytes, len), &what);
	free(aside);
	free(bytes);
	if (error == 0)
		return (0);
	fm_diag_error(diag, &place, "%s: %s", what, error == ENOMEM ?
	    "out of memory" : strerror(error));
	return (-1);
}

/*--------------------------------------------------------------------
 * Reading.  The newline after a path or a content is overwritten by a NUL.
 */

struct copy_in {
	char		*p, *e;
	bool		bad;		/* true: the format is wrong */
	bool		nomem;
};

static const char *
in_bytes(struct copy_in *in, size_t len)
{
	char *bytes = in->p;

	in->bad = in->bad || len >= (size_t)(in->e - bytes) ||
	    bytes[len] != '\n';
	if (in->bad)
		return ("");
	bytes[len] = '\0';
	in->p += len + 1;
	return (bytes);
}

static const char *
in_line(struct copy_in *in)
{
	const char *end = memchr(in->p, '\n', (size_t)(in->e - in->p));

	return (in_bytes(in, end == NULL ? SIZE_MAX : (size_t)(end - in->p)));
}

static void
in_add(struct copy_in *in, struct fm_sources *sources,
    const struct fm_source *from)
{
	struct fm_source *source;

	if (from->error < 0 || from->error > 4095 ||
	    fm_sources_find(sources, from->path, from->glob) != NULL)
		in->bad = true;
	if (in->bad)
		return;
	source = fm_sources_add(sources, from->path, from->glob);
	if (source != NULL) {
		source->max = from->max;
		source->error = from->error;
		source->st = from->st;
	}
	if (source == NULL || (from->error == 0 &&
	    fm_source_bytes(sources, source, from->bytes) != 0))
		in->nomem = in->bad = true;
}

static void
in_source(struct copy_in *in, struct fm_sources *sources)
{
	struct fm_source from = { .glob = *in->p == 'g' };
	uintmax_t dev = 0, ino = 0, seconds = 0, nanoseconds = 0;
	size_t len = 0, max;

	if (sscanf(in_line(in), from.glob ? "glob" COPY_NUMBERS :
	    "file" COPY_NUMBERS, &from.error, &from.max, &dev, &ino, &seconds,
	    &nanoseconds, &len, &from.bytes.len) != 8)
		in->bad = true;
	from.path = in_bytes(in, len);
	if (len == 0 || strlen(from.path) != len)
		in->bad = true;
	len = from.bytes.len;
	from.bytes.b = in_bytes(in, len);
	max = from.glob ? COPY_MAX : from.max;
	if (from.max > SIZE_MAX / 8 || len > max || (!in->bad && from.glob &&
	    len > 0 && from.bytes.b[len - 1] != '\0'))
		in->bad = true;
	from.st.st_dev = (dev_t)dev;
	from.st.st_ino = (ino_t)ino;
	from.st.st_mtim.tv_sec = (time_t)seconds;
	from.st.st_mtim.tv_nsec = (long)nanoseconds;
	from.st.st_mode = S_IFREG;
	from.st.st_size = (off_t)len;
	in_add(in, sources, &from);
}

/* Returns NULL if the digest and the version are right, else an error. */
static const char *
copy_wrong(const struct fm_file *file)
{
	const struct fm_text all = fm_text(file->bytes, file->len);
	char end[COPY_END_LEN + 1], digest[FM_DIGEST_LEN];
	size_t len;

	if (all.len < strlen(COPY_HEAD) + COPY_END_LEN)
		return (COPY_DAMAGED);
	len = all.len - COPY_END_LEN;
	(void)snprintf(end, sizeof end, COPY_END "%s\n",
	    fm_digest_of(fm_text(all.b, len + 1), digest));
	if (memcmp(all.b + len, end, COPY_END_LEN) != 0)
		return (COPY_DAMAGED);
	if (!fm_text_begins(all, COPY_HEAD COPY_VERSION))
		return ("another version of fastmatch made it");
	return (NULL);
}

/* Adds all that is in the copy to the sources.  Returns NULL, or an error. */
static const char *
copy_read(struct fm_sources *sources, struct fm_file *file)
{
	struct copy_in in = {
		.p = file->bytes + strlen(COPY_HEAD COPY_VERSION),
		.e = file->bytes + file->len - COPY_END_LEN + 1
	};
	const struct fm_source *first;

	while (in.p < in.e && !in.bad)
		if (*in.p == '#')
			(void)in_line(&in);
		else
			in_source(&in, sources);
	if (in.nomem)
		return ("out of memory");
	first = fm_sources_first(sources);
	return (in.bad || first == NULL || first->glob ? COPY_DAMAGED : NULL);
}

struct fm_sources *
fm_sources_restore(const char *copy, const char *path, struct fm_diag *diag)
{
	const struct fm_place place = { .name = copy };
	struct fm_sources *sources;
	struct fm_file *file;
	const char *why;

	assert(path != NULL);
	file = fm_file_read(copy, COPY_MAX, NULL, diag);
	if (file == NULL)
		return (NULL);
	sources = fm_sources_new(true);
	why = sources == NULL ? "out of memory" : copy_wrong(file);
	if (why == NULL)
		why = copy_read(sources, file);
	fm_file_free(&file);
	if (why != NULL)
		fm_diag_error(diag, &place, "%s", why);
	else if (strcmp(fm_sources_first(sources)->path, path) != 0)
		fm_diag_error(diag, &place, "it is a copy of '%s', and not of "
		    "'%s'", fm_sources_first(sources)->path, path);
	else {
		fm_sources_close(sources);
		return (sources);
	}
	if (sources != NULL)
		fm_sources_free(&sources);
	return (NULL);
}
