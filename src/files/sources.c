/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads files and globs, remembers what was read, and compares that with what
 * is on the disk later.
 */

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "find.h"
#include "grow.h"
#include "obj.h"
#include "sources.h"
#include "xxh.h"

struct fm_sources {
	unsigned		magic;
#define FM_SOURCES_MAGIC	0x4c81f69b
	bool			keep;		/* the bytes of files, too */
	bool			closed;		/* nothing else can be read */
	bool			nomem;		/* something is missing */
	size_t			entries_left;	/* of folders, that globs may
						 * still look at */
	struct fm_arena		arena;		/* has all that follows */
	struct fm_source	*first, **tail;	/* in the order of reading */
	void			*tree;		/* the same ones, for tfind() */
};

/*--------------------------------------------------------------------
 * Remembering what was read
 */

struct fm_sources *
fm_sources_new(bool keep)
{
	struct fm_sources *sources;

	FM_OBJ_NEW(sources, FM_SOURCES_MAGIC);
	if (sources == NULL)
		return (NULL);
	sources->keep = keep;
	sources->entries_left = FM_SOURCES_LOOKED;
	sources->tail = &sources->first;
	return (sources);
}

void
fm_sources_close(struct fm_sources *sources)
{

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	sources->closed = true;
}

static int
source_order(const void *a, const void *b)
{
	const struct fm_source *one = a, *two = b;

	if (one->glob != two->glob)
		return (one->glob ? 1 : -1);
	return (strcmp(one->path, two->path));
}

void
fm_sources_free(struct fm_sources **sourcesp)
{
	struct fm_sources *sources;

	FM_OBJ_TAKE(sources, sourcesp, FM_SOURCES_MAGIC);
	/* tdestroy() is of GNU alone. */
	while (sources->tree != NULL)
		(void)tdelete(*(void **)sources->tree, &sources->tree,
		    source_order);
	fm_arena_fini(&sources->arena);
	FM_OBJ_FREE(sources);
}

const struct fm_source *
fm_sources_first(const struct fm_sources *sources)
{

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	return (sources->first);
}

const struct fm_source *
fm_sources_find(const struct fm_sources *sources, const char *path, bool glob)
{
	const struct fm_source key = { .path = path, .glob = glob };
	const struct fm_source * const *node;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	node = tfind(&key, &sources->tree, source_order);
	return (node == NULL ? NULL : *node);
}

struct fm_source *
fm_sources_add(struct fm_sources *sources, const char *path, bool glob)
{
	struct fm_source *source;

	source = fm_arena_alloc(&sources->arena, sizeof *source);
	if (source != NULL) {
		source->path = fm_arena_add(&sources->arena, fm_text_of(path));
		source->glob = glob;
		source->real = "";
	}
	if (source == NULL || source->path == NULL ||
	    tsearch(source, &sources->tree, source_order) == NULL) {
		sources->nomem = true;
		return (NULL);
	}
	*sources->tail = source;
	sources->tail = &source->next;
	return (source);
}

bool
fm_sources_failed(const struct fm_sources *sources)
{
	const struct fm_source *source;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	for (source = sources->first; source != NULL; source = source->next)
		if (source->error != 0)
			return (true);
	return (sources->nomem);
}

/*--------------------------------------------------------------------
 * Digests
 */

const char *
fm_digest_print(const unsigned char hash[16], char digest[FM_DIGEST_LEN])
{
	size_t i;

	for (i = 0; i < 16; i++)
		(void)snprintf(digest + 2 * i, 3, "%02x", hash[i]);
	return (digest);
}

static void
source_sum(struct fm_source *source, struct fm_text bytes)
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.b, bytes.len));
	memcpy(source->hash, canonical.digest, sizeof source->hash);
	source->len = bytes.len;
}

const char *
fm_digest_of(struct fm_text bytes, char digest[FM_DIGEST_LEN])
{
	struct fm_source source;

	source_sum(&source, bytes);
	return (fm_digest_print(source.hash, digest));
}

int
fm_source_bytes(struct fm_sources *sources, struct fm_source *source,
    struct fm_text bytes)
{

	source_sum(source, bytes);
	fm_shipped_version(bytes, &source->says);
	if (!sources->keep && !source->glob)
		return (0);
	source->bytes.b = fm_arena_add(&sources->arena, bytes);
	if (source->bytes.b == NULL)
		return (-1);
	source->bytes.len = bytes.len;
	return (0);
}

/*
 * Makes the digest of each file's length and hash, so the files need not be
 * in memory at once.  A file that could not be read has a length that no file
 * can have.
 */
const char *
fm_sources_digest(const struct fm_sources *sources,
    char digest[FM_DIGEST_LEN])
{
	const struct fm_source *source;
	XXH128_canonical_t canonical;
	XXH3_state_t state;
	uint64_t len;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	(void)XXH3_128bits_reset(&state);
	for (source = sources->first; source != NULL; source = source->next) {
		if (source->glob)
			continue;
		len = htole64(source->error != 0 ? UINT64_MAX :
		    source->len);
		(void)XXH3_128bits_update(&state, &len, sizeof len);
		if (source->error == 0)
			(void)XXH3_128bits_update(&state, source->hash,
			    sizeof source->hash);
	}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
	return (fm_digest_print(canonical.digest, digest));
}

/*--------------------------------------------------------------------
 * Globs
 */

static int
path_order(const void *a, const void *b)
{

	return (strcmp(*(const char * const *)a, *(const char * const *)b));
}

/*
 * Returns the content of a glob: the paths sorted by their bytes, each with its
 * NUL.  Folders and other things that are not regular files are left out.  A
 * link that leads nowhere stays; reading it gives an error that tells why.
 */
static struct fm_file *
glob_file(const struct fm_grow *found)
{
	const char *path = found->items, *end = path + found->n;
	struct fm_grow paths = { .n = 0 };
	struct fm_file *file;
	const char **sorted = NULL;
	struct stat st;
	size_t i, len;

	for (; path < end; path += strlen(path) + 1) {
		sorted = fm_grow_add(&paths, sizeof *sorted, 1);
		if (sorted == NULL)
			break;
		*sorted = path;
	}
	file = path < end ? NULL : fm_file_new(found->n + 1);
	sorted = paths.items;
	if (file != NULL && paths.n > 0)
		qsort(sorted, paths.n, sizeof *sorted, path_order);
	for (i = 0; file != NULL && i < paths.n; i++) {
		if (stat(sorted[i], &st) == 0 && !S_ISREG(st.st_mode))
			continue;
		len = strlen(sorted[i]) + 1;
		memcpy(file->bytes + file->len, sorted[i], len);
		file->len += len;
	}
	fm_grow_fini(&paths);
	return (file);
}

/* Globs as fm_file_try() reads; takes what is looked at from *left. */
static struct fm_file *
glob_try(const char *pattern, size_t *left, int *error)
{
	struct fm_grow found = { .n = 0 };
	struct fm_file *file = NULL;

	*error = fm_find(pattern, left, &found);
	if (*error == 0) {
		file = glob_file(&found);
		if (file == NULL)
			*error = ENOMEM;
	}
	fm_grow_fini(&found);
	return (file);
}

/*--------------------------------------------------------------------
 * Reading
 */

/* Returns the fingerprint of a file on the disk. */
static uint64_t
file_fingerprint(const char *path, struct stat *st)
{
	uint64_t all[7];

	if (stat(path, st) != 0)
		return ((uint64_t)errno);
	all[0] = (uint64_t)st->st_dev;
	all[1] = (uint64_t)st->st_ino;
	all[2] = (uint64_t)st->st_size;
	all[3] = (uint64_t)st->st_mtim.tv_sec;
	all[4] = (uint64_t)st->st_mtim.tv_nsec;
	all[5] = (uint64_t)st->st_ctim.tv_sec;
	all[6] = (uint64_t)st->st_ctim.tv_nsec;
	return (XXH3_64bits(all, sizeof all));
}

static uint64_t
glob_fingerprint(const struct fm_file *file, int error)
{

	return (file == NULL ? (uint64_t)error :
	    XXH3_64bits(file->bytes, file->len));
}

static bool
source_equal(const struct fm_source *a, const struct fm_source *b)
{

	return (a->error == b->error && a->len == b->len &&
	    memcmp(a->hash, b->hash, sizeof a->hash) == 0);
}

/* Returns a copy of the bytes of a source; NULL if there is no memory. */
static struct fm_file *
source_copy(const struct fm_source *source, const char *real)
{
	struct fm_file *file;

	file = fm_file_new(source->len);
	if (file == NULL)
		return (NULL);
	memcpy(file->bytes, source->bytes.b, source->len);
	if (real != NULL)
		file->real = strdup(real);
	if (real != NULL && file->real == NULL)
		fm_file_free(&file);
	return (file);
}

/*
 * Returns a file's bytes again: from memory, with the path `real`, or read if
 * still the same.
 */
static struct fm_file *
file_again(const struct fm_source *source, const char *real, size_t max,
    int *error)
{
	struct fm_source now = { .len = 0 };
	struct fm_file *file;

	*error = source->error;
	if (*error == 0 && source->len > max)
		*error = EFBIG;
	if (*error != 0)
		return (NULL);
	if (source->bytes.b != NULL) {
		*error = ENOMEM;
		file = source_copy(source, real);
	} else {
		/* Its name is that of what is opened now. */
		*error = FM_FILE_CHANGED;
		file = fm_file_try(source->path, source->max, &now.error);
		if (file != NULL)
			source_sum(&now, fm_text(file->bytes, file->len));
		if (file != NULL && !source_equal(source, &now))
			fm_file_free(&file);
	}
	if (file != NULL) {
		file->len = source->len;
		file->st = source->st;
	}
	return (file);
}

/* Returns the given file with this inode (see fm_source_bytes()), or NULL. */
static const struct fm_source *
source_given(const struct fm_sources *sources, const struct stat *st)
{
	const struct fm_source *source = sources->first;

	while (source != NULL && source->given &&
	    (source->st.st_ino != st->st_ino ||
	    source->st.st_dev != st->st_dev))
		source = source->next;
	return (source != NULL && source->given ? source : NULL);
}

/*
 * Reads a source for the first time, and remembers the result.  The
 * fingerprint is taken before: a change before the reading is seen later.
 */
static struct fm_file *
source_first(struct fm_sources *sources, struct fm_source *source)
{
	const struct fm_source *given;
	struct fm_file *file;

	source->real = NULL;
	if (source->glob) {
		file = glob_try(source->path, &sources->entries_left,
		    &source->error);
		source->fingerprint = glob_fingerprint(file, source->error);
	} else {
		source->fingerprint = file_fingerprint(source->path,
		    &source->st);
		file = fm_file_try(source->path, source->max, &source->error);
	}
	if (file != NULL && file->real != NULL) {
		source->real = fm_arena_add(&sources->arena,
		    fm_text_of(file->real));
		if (source->real == NULL) {
			source->error = ENOMEM;
			fm_file_free(&file);
		}
	}
	given = file == NULL || source->glob ? NULL :
	    source_given(sources, &file->st);
	if (given != NULL) {
		fm_file_free(&file);
		file = file_again(given, source->real, source->max,
		    &source->error);
	}
	if (file == NULL)
		return (NULL);
	source->st = file->st;
	if (fm_source_bytes(sources, source,
	    fm_text(file->bytes, file->len)) != 0) {
		source->error = ENOMEM;
		fm_file_free(&file);
	}
	return (file);
}

struct fm_file *
fm_sources_read(struct fm_sources *sources, const char *path, size_t max,
    const struct fm_place *asked, struct fm_diag *diag)
{
	const struct fm_source *known = fm_sources_find(sources, path, false);
	struct fm_source *source;
	struct fm_file *file = NULL;
	int error = ENOENT;

	if (known != NULL) {
		if (known->error == EFBIG)
			max = known->max;	/* the error shows this limit */
		file = file_again(known, known->real, max, &error);
	} else if (!sources->closed) {
		source = fm_sources_add(sources, path, false);
		error = ENOMEM;
		if (source != NULL) {
			source->max = max;
			file = source_first(sources, source);
			error = source->error;
		}
	}
	if (file == NULL)
		fm_file_fault(path, error, max, asked, diag);
	return (file);
}

const struct fm_source *
fm_sources_glob(struct fm_sources *sources, const char *pattern)
{
	const struct fm_source *known;
	struct fm_source *source;
	struct fm_file *file = NULL;

	known = fm_sources_find(sources, pattern, true);
	if (known != NULL)
		return (known);
	source = fm_sources_add(sources, pattern, true);
	if (source != NULL && sources->closed)
		source_sum(source, fm_text("", 0));	/* finds nothing */
	else if (source != NULL)
		file = source_first(sources, source);
	if (file != NULL)
		fm_file_free(&file);
	return (source);
}

/*--------------------------------------------------------------------
 * Reading again
 */

/* Reads a source that was read before; false: its content is another now. */
static bool
source_again(struct fm_sources *sources, struct fm_source *source,
    const struct fm_source *was)
{
	struct fm_file *file;

	source->max = was->max;
	file = source_first(sources, source);
	if (file != NULL)
		fm_file_free(&file);
	return (source_equal(was, source));
}

struct fm_sources *
fm_sources_again(const struct fm_sources *before)
{
	const struct fm_source *was;
	struct fm_sources *sources;
	struct fm_source *source;

	FM_OBJ_CHECK(before, FM_SOURCES_MAGIC);
	sources = before->nomem ? NULL : fm_sources_new(false);
	for (was = before->first; sources != NULL && was != NULL;
	    was = was->next) {
		source = fm_sources_add(sources, was->path, was->glob);
		if (source == NULL || !source_again(sources, source, was))
			fm_sources_free(&sources);
	}
	return (sources);
}

/*--------------------------------------------------------------------
 * Fingerprints
 */

static uint64_t
fingerprint_add(uint64_t fingerprint, uint64_t one)
{

	fingerprint = XXH3_64bits_withSeed(&one, sizeof one, fingerprint);
	return (fingerprint != 0 ? fingerprint : 1);
}

/*
 * Returns 0, which no fingerprint is, for restored sources: nothing was seen.
 */
uint64_t
fm_sources_seen(const struct fm_sources *sources)
{
	const struct fm_source *source;
	uint64_t fingerprint = 1;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	for (source = sources->first; source != NULL; source = source->next)
		fingerprint = fingerprint_add(fingerprint, source->fingerprint);
	return (sources->closed ? 0 : fingerprint);
}

uint64_t
fm_sources_fingerprint(const struct fm_sources *sources)
{
	const struct fm_source *source;
	size_t entries_left = FM_SOURCES_LOOKED;
	struct fm_file *file;
	struct stat st;
	uint64_t fingerprint = 1;
	int error;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	for (source = sources->first; source != NULL; source = source->next)
		if (source->glob) {
			file = glob_try(source->path, &entries_left, &error);
			fingerprint = fingerprint_add(fingerprint,
			    glob_fingerprint(file, error));
			if (file != NULL)
				fm_file_free(&file);
		} else {
			fingerprint = fingerprint_add(fingerprint,
			    file_fingerprint(source->path, &st));
		}
	return (fingerprint);
}
