/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What something is read from: every file and every glob that was asked for,
 * as it was when it was read (or why it could not be), so that a later look
 * tells whether reading again would give something else.
 *
 * All that reads files for a set reads them through one of these.  It belongs
 * to one thread while it is filled; after that nothing here changes it.
 */

#ifndef FM_SOURCES_H
#define FM_SOURCES_H

#include <stdint.h>

#include "file.h"

#define FM_DIGEST_LEN	33

struct fm_sources;

/*
 * A file or a glob that was asked for.  What a glob finds is its content: the
 * paths in the order of their bytes, each with its NUL.
 *
 *	"site.rules"	len 8, bytes "pass(); "
 *	"none.list"	error ENOENT
 *	"d/?.rules"	glob, len 20, bytes "d/a.rules\0d/b.rules\0"
 */
struct fm_source {
	const char		*path;
	bool			glob;
	bool			given;		/* whatever its name: see
						 * fm_source_bytes() */
	int			error;		/* errno; 0: it was read */
	struct stat		st;		/* of when it was opened */
	uint64_t		look;		/* of just before */
	size_t			max;		/* bytes that were asked for */
	size_t			len;		/* 0 if there was an error */
	unsigned char		hash[16];
	struct fm_text		bytes;		/* missing: read it again */
	struct fm_source	*next;		/* that was asked for */
};

/*
 * keep: the bytes of each file stay in memory, for fm_sources_save().  NULL:
 * no memory.
 */
struct fm_sources *fm_sources_new(bool keep);
void fm_sources_free(struct fm_sources **);

/* Returns all files and globs, in the order in which they were asked for. */
const struct fm_source *fm_sources_first(const struct fm_sources *);

/* Returns that file or glob; NULL: it was not asked for. */
const struct fm_source *fm_sources_find(const struct fm_sources *,
    const char *path, bool glob);

/*
 * fm_file_read(), remembered, also where it fails.  A path that was read
 * already gives the same bytes again, or fails ("it has changed meanwhile").
 * NULL sources: only read.
 */
struct fm_file *fm_sources_read(struct fm_sources *, const char *path,
    size_t max, const struct fm_place *asked, struct fm_diag *);

/*
 * Returns the files that a pattern of glob(3) finds, none in a folder that is
 * not there; NULL: no memory.  Its error is ENAMETOOLONG: it is longer than a
 * path, or has more folders behind its first wildcard; E2BIG: with it all
 * globs look at more entries of folders; or that of what can't be read.
 */
#define FM_SOURCES_FOLDERS	16
#define FM_SOURCES_LOOKED	1000000

const struct fm_source *fm_sources_glob(struct fm_sources *,
    const char *pattern);

/*
 * A fingerprint of how things look on the disk now, by stat() and glob()
 * alone: of each file device, inode, size, the times of its last change to
 * the nanosecond, or the errno; of each glob what it finds.  And the same of
 * when they were read.  Where the two are equal nothing has changed; two
 * looks in a row that are equal say that nobody is writing right now.
 */
uint64_t fm_sources_look(const struct fm_sources *);
uint64_t fm_sources_seen(const struct fm_sources *);

/*
 * Reads all of it again.  New sources, of how it looks now, if every file and
 * every glob has the same content as before (so what was made from it would
 * be made again); NULL if not, or for want of memory.
 */
struct fm_sources *fm_sources_again(const struct fm_sources *, bool keep);

/* A file could not be read: it may be worth to try again by itself. */
bool fm_sources_failed(const struct fm_sources *);

/*
 * A digest of all bytes in the order of reading, whatever the files are
 * called.  The same rules on two machines have the same one.
 */
const char *fm_sources_digest(const struct fm_sources *,
    char digest[FM_DIGEST_LEN]);

/*
 * A copy of all the bytes in one file, written aside and renamed, so that it
 * is whole or not there.  The sources were made with keep.  0, or -1 with
 * what is wrong in the diag.
 *
 * Restored sources read from that copy: a path or a glob that is in it gives
 * what it gave then, any other is not there (ENOENT).  Restoring checks the
 * copy's own digest; `path` must be that of the first file in it.  NULL with
 * what is wrong in the diag.
 */
int fm_sources_save(const struct fm_sources *, const char *copy,
    struct fm_diag *);
struct fm_sources *fm_sources_restore(const char *copy, const char *path,
    struct fm_diag *);

/*
 * For the backup: adds a file or a glob, which isn't there yet, and a file's
 * bytes (0, or -1: no memory); and lets no other be read, as if they were not
 * there (ENOENT).  If a file is marked as given, with its st, its bytes are
 * also those of all other names that lead to it; given ones are added first.
 */
struct fm_source *fm_sources_add(struct fm_sources *, const char *path,
    bool glob);
int fm_source_bytes(struct fm_sources *, struct fm_source *, struct fm_text);
void fm_sources_close(struct fm_sources *);

/* Returns the digest: a hash of 128 bits, in hexadecimal digits. */
const char *fm_digest_print(const unsigned char hash[16],
    char digest[FM_DIGEST_LEN]);
const char *fm_digest_of(struct fm_text, char digest[FM_DIGEST_LEN]);

#endif
