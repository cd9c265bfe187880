/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What something is read from, remembered and compared.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "obj.h"
#include "sources_priv.h"

/*--------------------------------------------------------------------
 * What is remembered
 */

struct fm_sources *
fm_sources_new(bool keep)
{
	struct fm_sources *sources;

	FM_OBJ_NEW(sources, FM_SOURCES_MAGIC);
	if (sources == NULL)
		return (NULL);
	sources->keep = keep;
	sources->unseen = FM_SOURCES_LOOKED;
	sources->globs_tail = &sources->globs;
	return (sources);
}

void
fm_sources_free(struct fm_sources **sourcesp)
{
	struct fm_sources *sources;
	size_t i;

	FM_OBJ_TAKE(sources, sourcesp, FM_SOURCES_MAGIC);
	for (i = 0; i < sources->nentries; i++)
		if (sources->entries[i]->kept != NULL)
			fm_file_free(&sources->entries[i]->kept);
	if (sources->copy != NULL)
		fm_file_free(&sources->copy);
	fm_arena_fini(&sources->arena);
	free(sources->entries);
	FM_OBJ_FREE(sources);
}

static size_t
text_bucket(struct fm_text text)
{

	return (XXH3_64bits(text.b, text.len) % FM_SOURCES_BUCKETS);
}

const struct fm_sources_entry *
fm_sources_find(const struct fm_sources *sources, struct fm_text path)
{
	const struct fm_sources_entry *entry;

	for (entry = sources->entry_of[text_bucket(path)]; entry != NULL;
	    entry = entry->next)
		if (fm_text_eq(fm_text_of(entry->path), path))
			break;
	return (entry);
}

const struct fm_sources_glob *
fm_sources_find_glob(const struct fm_sources *sources, struct fm_text pattern)
{
	const struct fm_sources_glob *globbed;

	for (globbed = sources->glob_of[text_bucket(pattern)];
	    globbed != NULL; globbed = globbed->chain)
		if (fm_text_eq(fm_text_of(globbed->pattern), pattern))
			break;
	return (globbed);
}

struct fm_sources_entry *
fm_sources_add(struct fm_sources *sources, struct fm_text path)
{
	struct fm_sources_entry *entry, **entries, **bucket;

	entries = fm_grow_room(sources->entries, &sources->room,
	    sources->nentries, 1, sizeof *entries);
	if (entries == NULL)
		return (NULL);
	sources->entries = entries;
	entry = fm_arena_alloc(&sources->arena, sizeof *entry);
	if (entry == NULL)
		return (NULL);
	entry->path = fm_arena_add(&sources->arena, path);
	if (entry->path == NULL)
		return (NULL);
	bucket = &sources->entry_of[text_bucket(path)];
	entry->next = *bucket;
	*bucket = entry;
	sources->entries[sources->nentries++] = entry;
	return (entry);
}

struct fm_sources_glob *
fm_sources_add_glob(struct fm_sources *sources, struct fm_text pattern,
    size_t npaths)
{
	struct fm_sources_glob *globbed, **bucket;

	globbed = fm_arena_alloc(&sources->arena, sizeof *globbed);
	if (globbed == NULL)
		return (NULL);
	globbed->pattern = fm_arena_add(&sources->arena, pattern);
	globbed->paths = fm_arena_alloc(&sources->arena,
	    (npaths + 1) * sizeof *globbed->paths);
	if (globbed->pattern == NULL || globbed->paths == NULL)
		return (NULL);
	globbed->npaths = npaths;
	bucket = &sources->glob_of[text_bucket(pattern)];
	globbed->chain = *bucket;
	*bucket = globbed;
	*sources->globs_tail = globbed;
	sources->globs_tail = &globbed->next;
	sources->nglobs++;
	return (globbed);
}

/*--------------------------------------------------------------------
 * Files
 */

void
fm_sources_sum(struct fm_sources_entry *entry, struct fm_text text)
{

	entry->len = text.len;
	XXH128_canonicalFromHash(&entry->digest,
	    XXH3_128bits(text.b, text.len));
}

static bool
entry_equal(const struct fm_sources_entry *a, const struct fm_sources_entry *b)
{

	if (a->fate.error != 0 || b->fate.error != 0)
		return (a->fate.error == b->fate.error);
	return (a->len == b->len &&
	    memcmp(&a->digest, &b->digest, sizeof a->digest) == 0);
}

/* Reads a file for the first time, and remembers how it went. */
static struct fm_sources_entry *
entry_read(struct fm_sources *sources, const char *path, size_t max,
    struct fm_file **filep)
{
	struct fm_sources_entry *entry;

	*filep = NULL;
	entry = fm_sources_add(sources, fm_text_of(path));
	if (entry == NULL) {
		sources->nomem = true;
		return (NULL);
	}
	entry->max = max;
	*filep = fm_file_try(path, max, &entry->fate);
	if (*filep != NULL)
		fm_sources_sum(entry, fm_text((*filep)->bytes, (*filep)->len));
	return (entry);
}

static void
entry_keep(struct fm_sources_entry *entry, struct fm_file *file)
{

	entry->kept = file;
	if (file == NULL)
		entry->fate.error = ENOMEM;
	else
		entry->text = fm_text(file->bytes, file->len);
}

/* Once more: from memory, or as long as it is what it was. */
static struct fm_file *
entry_reread(const struct fm_sources_entry *entry, size_t max, int *error,
    bool *changed)
{
	struct fm_sources_entry now = { .len = 0 };
	struct fm_file *file;

	*changed = false;
	*error = entry->fate.error;
	if (*error == 0 && entry->len > max)
		*error = EFBIG;
	if (*error != 0)
		return (NULL);
	if (entry->text.b != NULL) {
		file = fm_file_new(entry->text, &entry->fate.st);
		if (file == NULL)
			*error = ENOMEM;
		return (file);
	}
	file = fm_file_try(entry->path, entry->max, &now.fate);
	if (file != NULL)
		fm_sources_sum(&now, fm_text(file->bytes, file->len));
	*changed = !entry_equal(entry, &now);
	if (*changed && file != NULL)
		fm_file_free(&file);
	if (file != NULL)
		file->st = entry->fate.st;
	return (file);
}

struct fm_file *
fm_sources_read(struct fm_sources *sources, const char *path, size_t max,
    const struct fm_place *asked, struct fm_diag *diag)
{
	const struct fm_sources_entry *known;
	struct fm_sources_entry *entry;
	char why[FM_FILE_WHY_LEN];
	struct fm_file *file = NULL;
	bool changed = false;
	int error = ENOENT;

	if (sources == NULL)
		return (fm_file_read(path, max, asked, diag));
	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	known = fm_sources_find(sources, fm_text_of(path));
	if (known != NULL) {
		if (known->fate.error == EFBIG)
			max = known->max;	/* what it is larger than */
		file = entry_reread(known, max, &error, &changed);
	} else if (sources->copy == NULL) {
		entry = entry_read(sources, path, max, &file);
		if (file != NULL && sources->keep)
			entry_keep(entry, fm_file_new(fm_text(file->bytes,
			    file->len), &file->st));
		error = entry == NULL ? ENOMEM : entry->fate.error;
		if (error != 0 && file != NULL)
			fm_file_free(&file);
	}
	if (file == NULL)
		fm_file_fault(path, changed ? "it has changed while it was "
		    "read; load it again when it is written" :
		    fm_file_why(error, max, why), asked, diag);
	return (file);
}

/*--------------------------------------------------------------------
 * Again, or without the bytes
 */

static bool
again_files(struct fm_sources *sources, const struct fm_sources *before)
{
	const struct fm_sources_entry *was;
	struct fm_sources_entry *entry;
	struct fm_file *file;
	size_t i;

	for (i = 0; i < before->nentries; i++) {
		was = before->entries[i];
		entry = entry_read(sources, was->path, was->max, &file);
		if (file != NULL && sources->keep)
			entry_keep(entry, file);
		else if (file != NULL)
			fm_file_free(&file);
		if (entry == NULL || !entry_equal(was, entry))
			return (false);
	}
	return (true);
}

struct fm_sources *
fm_sources_again(const struct fm_sources *before, bool keep)
{
	const struct fm_sources_glob *globbed, *was;
	struct fm_sources *sources;
	bool same;

	FM_OBJ_CHECK(before, FM_SOURCES_MAGIC);
	sources = before->nomem ? NULL : fm_sources_new(keep);
	if (sources == NULL)
		return (NULL);
	same = again_files(sources, before);
	for (was = before->globs; same && was != NULL; was = was->next) {
		globbed = fm_sources_glob_read(sources, was->pattern);
		same = globbed != NULL &&
		    fm_sources_glob_equal(was, globbed);
	}
	if (!same)
		fm_sources_free(&sources);
	return (sources);
}

static bool
slim_files(struct fm_sources *slim, const struct fm_sources *sources)
{
	const struct fm_sources_entry *was;
	struct fm_sources_entry *entry;
	size_t i;

	for (i = 0; i < sources->nentries; i++) {
		was = sources->entries[i];
		entry = fm_sources_add(slim, fm_text_of(was->path));
		if (entry == NULL)
			return (false);
		entry->max = was->max;
		entry->fate = was->fate;
		entry->len = was->len;
		entry->digest = was->digest;
	}
	return (true);
}

static bool
slim_globs(struct fm_sources *slim, const struct fm_sources *sources)
{
	const struct fm_sources_glob *was;
	struct fm_sources_glob *globbed;
	size_t i;

	for (was = sources->globs; was != NULL; was = was->next) {
		globbed = fm_sources_add_glob(slim, fm_text_of(was->pattern),
		    was->npaths);
		if (globbed == NULL)
			return (false);
		globbed->error = was->error;
		for (i = 0; i < was->npaths; i++) {
			globbed->paths[i] = fm_arena_add(&slim->arena,
			    fm_text_of(was->paths[i]));
			if (globbed->paths[i] == NULL)
				return (false);
		}
	}
	return (true);
}

struct fm_sources *
fm_sources_slim(const struct fm_sources *sources)
{
	struct fm_sources *slim;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	slim = sources->nomem ? NULL : fm_sources_new(false);
	if (slim != NULL && (!slim_files(slim, sources) ||
	    !slim_globs(slim, sources)))
		fm_sources_free(&slim);
	return (slim);
}

bool
fm_sources_failed(const struct fm_sources *sources)
{
	const struct fm_sources_glob *globbed;
	size_t i;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	for (i = 0; i < sources->nentries; i++)
		if (sources->entries[i]->fate.error != 0)
			return (true);
	for (globbed = sources->globs; globbed != NULL;
	    globbed = globbed->next)
		if (globbed->error != 0)
			return (true);
	return (sources->nomem);
}

/*--------------------------------------------------------------------
 * Digests
 */

void
fm_sources_hex(const XXH128_canonical_t *from, char digest[FM_DIGEST_LEN])
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < sizeof from->digest; i++) {
		digest[2 * i] = digits[from->digest[i] >> 4];
		digest[2 * i + 1] = digits[from->digest[i] & 15];
	}
	digest[2 * i] = '\0';
}

/*
 * Of each file's length and digest: so the files need not be in memory all at
 * once.  One that could not be read has a length that none has.
 */
const char *
fm_sources_digest(const struct fm_sources *sources,
    char digest[FM_DIGEST_LEN])
{
	const struct fm_sources_entry *entry;
	XXH128_canonical_t canonical;
	unsigned char len[8];
	XXH3_state_t state;
	uint64_t n;
	size_t i, k;

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	(void)XXH3_128bits_reset(&state);
	for (i = 0; i < sources->nentries; i++) {
		entry = sources->entries[i];
		n = entry->fate.error != 0 ? UINT64_MAX : entry->len;
		for (k = 0; k < sizeof len; k++)
			len[k] = (unsigned char)(n >> 8 * k);
		(void)XXH3_128bits_update(&state, len, sizeof len);
		if (entry->fate.error == 0)
			(void)XXH3_128bits_update(&state, &entry->digest,
			    sizeof entry->digest);
	}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
	fm_sources_hex(&canonical, digest);
	return (digest);
}

/* What there is to be told of an entry; false: of none. */
static bool
source_tell(const struct fm_sources_entry *entry, struct fm_source *source)
{

	memset(source, 0, sizeof *source);
	if (entry == NULL)
		return (false);
	source->path = entry->path;
	source->error = entry->fate.error;
	source->st = entry->fate.st;
	if (source->error == 0)
		fm_sources_hex(&entry->digest, source->digest);
	return (true);
}

bool
fm_sources_file(const struct fm_sources *sources, size_t n,
    struct fm_source *source)
{

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	return (source_tell(n < sources->nentries ? sources->entries[n] : NULL,
	    source));
}

bool
fm_sources_known(const struct fm_sources *sources, const char *path,
    struct fm_source *source)
{

	FM_OBJ_CHECK(sources, FM_SOURCES_MAGIC);
	return (source_tell(fm_sources_find(sources, fm_text_of(path)),
	    source));
}
