/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the copy of all that was read.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "obj.h"
#include "sources_priv.h"

#define ASIDE_END	".XXXXXX"	/* what mkostemp() makes a name of */

static void
save_fault(const char *copy, struct fm_diag *diag, const char *what, int error)
{
	const struct fm_place place = { .name = copy };

	if (error != 0)
		fm_diag_error(diag, &place, "%s: %s", what, error == ENOMEM ?
		    "out of memory" : strerror(error));
	else
		fm_diag_error(diag, &place, "%s", what);
}

struct copy_out {
	int		fd;
	int		error;		/* the first one */
	XXH3_state_t	sum;
};

static void
out_bytes(struct copy_out *out, const char *b, size_t len)
{
	ssize_t n;

	(void)XXH3_128bits_update(&out->sum, b, len);
	while (len > 0 && out->error == 0) {
		n = write(out->fd, b, len);
		if (n >= 0) {
			b += n;
			len -= (size_t)n;
		} else if (errno != EINTR) {
			out->error = errno;
		}
	}
}

static void
out_text(struct copy_out *out, struct fm_text text)
{

	out_bytes(out, text.b, text.len);
	out_bytes(out, "\n", 1);
}

__attribute__((format(printf, 2, 3)))
static void
out_line(struct copy_out *out, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	assert(n > 0 && (size_t)n < sizeof line);
	out_bytes(out, line, (size_t)n);
}

static void
out_head(struct copy_out *out, const char *path)
{
	char shown[256], when[32];
	time_t now = time(NULL);
	struct tm tm;
	char *p;

	(void)snprintf(shown, sizeof shown, "%s", path);
	for (p = shown; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	if (gmtime_r(&now, &tm) == NULL ||
	    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		(void)strcpy(when, "?");
	out_line(out, FM_COPY_HEAD FM_COPY_VERSION
	    "# All that was read for %s\n"
	    "# when it was last accepted, at %s.  It serves where a start of\n"
	    "# Varnish finds those files broken.  It is refused once it is "
	    "edited.\n", shown, when);
}

static void
out_glob(struct copy_out *out, const struct fm_sources_glob *globbed)
{
	size_t i;

	out_line(out, "glob %d %zu %zu\n", globbed->error, globbed->npaths,
	    strlen(globbed->pattern));
	out_text(out, fm_text_of(globbed->pattern));
	for (i = 0; i < globbed->npaths; i++) {
		out_line(out, "path %zu\n", strlen(globbed->paths[i]));
		out_text(out, fm_text_of(globbed->paths[i]));
	}
}

static void
out_file(struct copy_out *out, const struct fm_sources_entry *entry)
{
	const struct stat *st = &entry->fate.st;
	struct fm_text text = entry->text;

	if (entry->fate.error != 0)
		text = fm_text("", 0);
	assert(text.b != NULL);		/* made with keep */
	out_line(out, "file %d %zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %"
	    PRIu64 " %zu %zu\n", entry->fate.error, entry->max,
	    (uint64_t)st->st_dev, (uint64_t)st->st_ino,
	    (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
	    strlen(entry->path), text.len);
	out_text(out, fm_text_of(entry->path));
	out_text(out, text);
}

/* 0, or an errno. */
static int
sync_all(int fd)
{
	int r;

	do
		r = fsync(fd);
	while (r != 0 && errno == EINTR);
	return (r == 0 ? 0 : errno);
}

/* 0, or an errno. */
static int
out_all(const struct fm_sources *sources, int fd)
{
	const struct fm_sources_glob *globbed;
	struct copy_out out = { .fd = fd };
	char digest[FM_DIGEST_LEN];
	XXH128_canonical_t sum;
	size_t i;

	(void)XXH3_128bits_reset(&out.sum);
	out_head(&out, sources->entries[0]->path);
	for (globbed = sources->globs; globbed != NULL;
	    globbed = globbed->next)
		out_glob(&out, globbed);
	for (i = 0; i < sources->nentries; i++)
		out_file(&out, sources->entries[i]);
	XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(&out.sum));
	fm_sources_hex(&sum, digest);
	out_line(&out, "%s%s\n", &FM_COPY_END[1], digest);
	if (out.error == 0)
		out.error = sync_all(fd);
	return (out.error);
}

/* That the new name is on the disk too. */
static int
folder_sync(const char *copy)
{
	const char *slash = strrchr(copy, '/');
	char *folder;
	int fd, error;

	if (slash == NULL)
		folder = strdup(".");
	else
		folder = strndup(copy, slash == copy ? 1 :
		    (size_t)(slash - copy));
	if (folder == NULL)
		return (ENOMEM);
	do
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	error = fd < 0 ? errno : sync_all(fd);
	free(folder);
	if (fd < 0)
		return (error);
	(void)close(fd);
	/* There are file systems that can't. */
	return (error == EINVAL ? 0 : error);
}

/*
 * Written under a name of its own, which only its user may read: nobody knows
 * who may read what is in it.
 */
static int
copy_write(const struct fm_sources *sources, const char *copy, char *aside,
    struct fm_diag *diag)
{
	char *end = aside + strlen(aside) - strlen(ASIDE_END);
	const char *what = "can't write";
	int fd, error;

	while ((fd = mkostemp(aside, O_CLOEXEC)) < 0 && errno == EINTR)
		(void)strcpy(end, ASIDE_END);
	if (fd < 0) {
		save_fault(copy, diag, "can't make a file next to it", errno);
		return (-1);
	}
	error = out_all(sources, fd);
	/* an interrupted one is a closed one, and all is on the disk */
	if (close(fd) != 0 && error == 0 && errno != EINTR)
		error = errno;
	if (error == 0 && rename(aside, copy) != 0) {
		error = errno;
		what = "can't put a new one in its place";
	}
	if (error != 0) {
		(void)unlink(aside);
	} else {
		error = folder_sync(copy);
		what = "can't sync its folder";
	}
	if (error == 0)
		return (0);
	save_fault(copy, diag, what, error);
	return (-1);
}

int
fm_sources_save(const struct fm_sources *sources, const char *copy,
    struct fm_diag *diag)
{
	uint64_t bytes = 0;
	char *aside;
	size_t i;
	int r;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	assert(sources->keep || sources->copy != NULL);
	assert(sources->nentries > 0);
	for (i = 0; i < sources->nentries; i++)
		bytes += sources->entries[i]->len;
	if (bytes > FM_COPY_MAX / 2) {
		save_fault(copy, diag, "no copy is made of files that have "
		    "more than 512 MB", 0);
		return (-1);
	}
	if (asprintf(&aside, "%s" ASIDE_END, copy) < 0) {
		save_fault(copy, diag, "out of memory", 0);
		return (-1);
	}
	r = copy_write(sources, copy, aside, diag);
	free(aside);
	return (r);
}
