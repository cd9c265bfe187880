/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the parts of the sources share.
 *
 *	sources.c	files; what is the same as before; digests
 *	sources_look.c	globs; how it all looks on the disk
 *	sources_save.c	writes the copy of it all
 *	sources_restore.c reads that
 */

#ifndef FM_SOURCES_PRIV_H
#define FM_SOURCES_PRIV_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "arena.h"
#include "sources.h"

#define FM_SOURCES_BUCKETS	512
#define FM_SOURCES_SHORT	64	/* bytes of a glob: each more of its
					 * entries count as another */

/* A file. */
struct fm_sources_entry {
	const char		*path;
	size_t			max;		/* bytes that were asked for */
	struct fm_file_fate	fate;
	size_t			len;
	XXH128_canonical_t	digest;
	struct fm_file		*kept;		/* or NULL */
	struct fm_text		text;		/* kept, or in the copy; or
						 * missing: read it again */
	struct fm_sources_entry	*next;		/* in the bucket */
};

struct fm_sources_glob {
	const char		*pattern;
	int			error;		/* errno; 0: it has paths */
	const char		**paths;	/* and a NULL */
	size_t			npaths;
	struct fm_sources_glob	*next;		/* that was asked for */
	struct fm_sources_glob	*chain;		/* in the bucket */
};

struct fm_sources {
	unsigned		magic;
#define FM_SOURCES_MAGIC	0x4c81f69b
	bool			keep;
	bool			nomem;		/* something is missing */
	size_t			unseen;		/* entries of folders that
						 * globs may still look at */
	struct fm_file		*copy;		/* restored: from this */
	struct fm_arena		arena;		/* all the small things */
	struct fm_sources_entry	**entries;	/* as they were read */
	size_t			nentries, room;
	struct fm_sources_glob	*globs, **globs_tail;
	size_t			nglobs;
	struct fm_sources_entry	*entry_of[FM_SOURCES_BUCKETS];
	struct fm_sources_glob	*glob_of[FM_SOURCES_BUCKETS];
};

/*
 * The copy:
 *
 *	fastmatch copy 1
 *	# what it is, for people
 *	glob ERROR PATHS LENGTH		then its pattern, and so many times
 *	path LENGTH			what it found
 *	file ERROR MAX DEV INO SECONDS NANOSECONDS LENGTH BYTES
 *					then its path, and its bytes
 *	end DIGEST			of all before this line
 *
 * Numbers are decimal, the error is an errno, the times are of the last
 * change.  What has a length stands behind its line, with a newline after it.
 */
#define FM_COPY_MAX	(1UL << 30)		/* bytes */
#define FM_COPY_HEAD	"fastmatch copy "
#define FM_COPY_VERSION	"1\n"
#define FM_COPY_END	"\nend "
#define FM_COPY_END_LEN	(sizeof FM_COPY_END - 1 + FM_DIGEST_LEN)

/* Nothing of that path or pattern is there yet.  NULL: no memory. */
struct fm_sources_entry *fm_sources_add(struct fm_sources *,
    struct fm_text path);
struct fm_sources_glob *fm_sources_add_glob(struct fm_sources *,
    struct fm_text pattern, size_t npaths);
const struct fm_sources_entry *fm_sources_find(const struct fm_sources *,
    struct fm_text path);
const struct fm_sources_glob *fm_sources_find_glob(const struct fm_sources *,
    struct fm_text pattern);

/* sources_look.c: asks for the first time.  NULL: no memory. */
const struct fm_sources_glob *fm_sources_glob_read(struct fm_sources *,
    const char *pattern);
bool fm_sources_glob_equal(const struct fm_sources_glob *,
    const struct fm_sources_glob *);

/* Fills in the length and the digest. */
void fm_sources_sum(struct fm_sources_entry *, struct fm_text);
void fm_sources_hex(const XXH128_canonical_t *, char digest[FM_DIGEST_LEN]);

#endif
