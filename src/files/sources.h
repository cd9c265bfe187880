/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Remembers what something was made from: each file and each glob that was
 * read, with its content or its error.  A fingerprint that is taken later then
 * tells whether reading again would give the same.
 *
 *	sources = fm_sources_new(false);
 *	file = fm_sources_read(sources, "site.rules", ...);	and more files
 *	...
 *	if (fm_sources_fingerprint(sources) != fm_sources_seen(sources))
 *		something has changed on the disk
 *
 * A set reads all its files through one fm_sources.  Only one thread uses it
 * while it is filled; afterwards it never changes.
 */

#ifndef FM_SOURCES_H
#define FM_SOURCES_H

#include <stdint.h>

#include "file.h"
#include "shipped.h"

#define FM_DIGEST_LEN	33	/* bytes: 32 hexadecimal digits and a NUL */

struct fm_sources;

/*
 * A file or a glob that was read.  The content of a glob is the list of paths
 * that it finds, sorted by their bytes, each with a NUL.
 *
 *	"site.rules"	len 8, bytes "pass(); "
 *	"none.list"	error ENOENT
 *	"d/?.rules"	glob, len 20, bytes "d/a.rules\0d/b.rules\0"
 */
struct fm_source {
	const char		*path;
	bool			glob;
	bool			given;		/* bytes of any path to this
						 * file: fm_source_bytes() */
	int			error;		/* errno; 0: it was read */
	struct stat		st;		/* when it was opened */
	const char		*real;		/* as in fm_file; "": a text
						 * that was added, no file */
	uint64_t		fingerprint;	/* taken just before that */
	size_t			max;		/* bytes: the limit of
						 * fm_sources_read() */
	size_t			len;		/* 0 if there was an error */
	unsigned char		hash[16];	/* of the content */
	struct fm_shipped_version says;		/* of a list */
	struct fm_text		bytes;		/* missing: not kept */
	struct fm_source	*next;		/* in the order of reading */
};

/*
 * Returns empty sources; NULL if there is no memory.  With `keep` the bytes of
 * each file stay in memory, for fm_sources_save().
 */
struct fm_sources *fm_sources_new(bool keep);
void fm_sources_free(struct fm_sources **);

/* Returns the first file or glob that was read; follow its `next`. */
const struct fm_source *fm_sources_first(const struct fm_sources *);

/* Returns this file or glob; NULL if it was not read. */
const struct fm_source *fm_sources_find(const struct fm_sources *,
    const char *path, bool glob);

/*
 * Reads a file as fm_file_read() does, and remembers it, even if that fails.  A
 * path that was read before gives the same bytes, or fails ("it has changed
 * meanwhile").
 */
struct fm_file *fm_sources_read(struct fm_sources *, const char *path,
    size_t max, const struct fm_place *asked, struct fm_diag *);

/*
 * Returns the files that a pattern of glob(3) finds: none if its folder does
 * not exist; NULL if there is no memory.  The source's error is ENAMETOOLONG if
 * the pattern is longer than a path, or more than FM_SOURCES_FOLDERS folders
 * follow its first wildcard; E2BIG if all globs together have looked at more
 * than FM_SOURCES_LOOKED entries of folders; else that of a folder that can't
 * be read.
 */
#define FM_SOURCES_FOLDERS	16
#define FM_SOURCES_LOOKED	1000000

const struct fm_source *fm_sources_glob(struct fm_sources *,
    const char *pattern);

/*
 * Return a fingerprint of all files and globs: of now, and of when they were
 * read.  If both are equal nothing has changed.  If two that are taken one
 * after the other are equal, no program is writing just now.
 *
 * Only stat() is called, and fm_find().  The fingerprint of a file has device,
 * inode, size and the times of its last change in nanoseconds, or the errno;
 * that of a glob has the paths that it finds.
 */
uint64_t fm_sources_fingerprint(const struct fm_sources *);
uint64_t fm_sources_seen(const struct fm_sources *);

/*
 * Reads all files and globs again.  Returns new sources with the present
 * fingerprint if each has the same content as before, so that nothing need be
 * made again; NULL if not, or if there is no memory.
 */
struct fm_sources *fm_sources_again(const struct fm_sources *);

/* Returns true if a file could not be read, which may pass by itself. */
bool fm_sources_failed(const struct fm_sources *);

/*
 * Returns a digest of all bytes in the order of reading.  The names of files
 * don't count, so the same rules have the same digest on two machines.
 */
const char *fm_sources_digest(const struct fm_sources *,
    char digest[FM_DIGEST_LEN]);

/*
 * fm_sources_save() writes all bytes into one file, the backup copy.  It writes
 * a new file and renames it, so the copy is complete or does not exist.  The
 * sources must have been made with `keep`, and have a file first.  Returns 0,
 * or -1 with the reason in the diag.
 *
 * fm_sources_restore() returns sources that read from a copy.  A file or a glob
 * in it gives what it gave then; any other file fails with ENOENT.  The
 * copy's digest is checked, and its first file must be `path`.  Returns NULL
 * with the reason in the diag.
 */
int fm_sources_save(const struct fm_sources *, const char *copy,
    struct fm_diag *);
struct fm_sources *fm_sources_restore(const char *copy, const char *path,
    struct fm_diag *);

/*
 * Build sources that are not read from files as they are: a copy, a buffer of
 * an editor, a text of a test.  fm_sources_add() adds a file or a glob that is
 * not there yet; NULL if there is no memory.  fm_source_bytes() sets its bytes;
 * returns 0, or -1 if there is no memory.  After fm_sources_close() any other
 * file fails with ENOENT, and any other glob finds nothing.  A file that is
 * marked `given`, with its st and real, gives its bytes under all names that
 * lead to that file; given files are added first.
 */
struct fm_source *fm_sources_add(struct fm_sources *, const char *path,
    bool glob);
int fm_source_bytes(struct fm_sources *, struct fm_source *, struct fm_text);
void fm_sources_close(struct fm_sources *);

/* Return the digest of a hash of 128 bits, or of a text. */
const char *fm_digest_print(const unsigned char hash[16],
    char digest[FM_DIGEST_LEN]);
const char *fm_digest_of(struct fm_text, char digest[FM_DIGEST_LEN]);

#endif
