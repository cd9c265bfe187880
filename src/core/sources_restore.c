/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the copy of all that was read.
 */

#include <string.h>

#include "obj.h"
#include "sources_priv.h"

struct copy_in {
	const char	*p, *e;
	bool		bad;		/* it is not as it is written */
	bool		nomem;
};

static struct fm_text
in_bytes(struct copy_in *in, uint64_t len)
{
	struct fm_text text = fm_text(in->p, 0);

	if (in->bad || len >= (uint64_t)(in->e - in->p) || in->p[len] != '\n') {
		in->bad = true;
		return (text);
	}
	text.len = (size_t)len;
	in->p += len + 1;
	return (text);
}

/* A path: C strings are made of it. */
static struct fm_text
in_path(struct copy_in *in, uint64_t len)
{
	struct fm_text path = in_bytes(in, len);

	if (path.len == 0 || memchr(path.b, '\0', path.len) != NULL)
		in->bad = true;
	return (path);
}

static bool
in_word(struct copy_in *in, const char *word)
{
	size_t len = strlen(word);

	if (in->bad || (size_t)(in->e - in->p) < len ||
	    memcmp(in->p, word, len) != 0)
		return (false);
	in->p += len;
	return (true);
}

/* A number of no more than max, and what ends it: a blank or a newline. */
static uint64_t
in_number(struct copy_in *in, uint64_t max, char end)
{
	const char *start = in->p;
	uint64_t n = 0;
	unsigned digit;

	for (; !in->bad && in->p < in->e && *in->p >= '0' && *in->p <= '9';
	    in->p++) {
		digit = (unsigned)(*in->p - '0');
		if (digit > max || n > (max - digit) / 10)
			in->bad = true;
		else
			n = 10 * n + digit;
	}
	if (in->bad || in->p == start || in->p == in->e || *in->p != end) {
		in->bad = true;
		return (0);
	}
	in->p++;
	return (n);
}

static void
in_glob(struct copy_in *in, struct fm_sources *sources)
{
	int error = (int)in_number(in, 4095, ' ');
	uint64_t n = in_number(in, FM_COPY_MAX, ' '), i;
	struct fm_text pattern = in_path(in, in_number(in, FM_COPY_MAX, '\n'));
	struct fm_sources_glob *globbed;
	struct fm_text path;

	/* A path takes more bytes here than its pointer. */
	if (in->bad || n > (size_t)(in->e - in->p) / sizeof(char *) ||
	    fm_sources_find_glob(sources, pattern) != NULL) {
		in->bad = true;
		return;
	}
	globbed = fm_sources_add_glob(sources, pattern, (size_t)n);
	if (globbed == NULL) {
		in->nomem = in->bad = true;
		return;
	}
	globbed->error = error;
	for (i = 0; i < n && !in->bad; i++) {
		in->bad = !in_word(in, "path ");
		path = in_path(in, in_number(in, FM_COPY_MAX, '\n'));
		globbed->paths[i] = in->bad ? NULL :
		    fm_arena_add(&sources->arena, path);
		if (!in->bad && globbed->paths[i] == NULL)
			in->nomem = in->bad = true;
	}
}

static void
in_file(struct copy_in *in, struct fm_sources *sources)
{
	struct fm_sources_entry *entry;
	struct fm_file_fate fate = { .unseen = 0 };
	struct fm_text path, text;
	uint64_t max, len, bytes;

	fate.error = (int)in_number(in, 4095, ' ');
	max = in_number(in, SIZE_MAX / 8, ' ');
	fate.st.st_dev = (dev_t)in_number(in, UINT64_MAX, ' ');
	fate.st.st_ino = (ino_t)in_number(in, UINT64_MAX, ' ');
	fate.st.st_mtim.tv_sec = (time_t)in_number(in, UINT64_MAX, ' ');
	fate.st.st_mtim.tv_nsec = (long)in_number(in, UINT64_MAX, ' ');
	len = in_number(in, FM_COPY_MAX, ' ');
	bytes = in_number(in, max < FM_COPY_MAX ? max : FM_COPY_MAX, '\n');
	path = in_path(in, len);
	text = in_bytes(in, bytes);
	if (in->bad || fm_sources_find(sources, path) != NULL) {
		in->bad = true;
		return;
	}
	entry = fm_sources_add(sources, path);
	if (entry == NULL) {
		in->nomem = in->bad = true;
		return;
	}
	fate.st.st_mode = S_IFREG;
	fate.st.st_size = (off_t)text.len;
	entry->max = (size_t)max;
	entry->fate = fate;
	entry->text = text;
	fm_sources_sum(entry, text);
}

/* Whether it is whole; NULL, or what is wrong. */
static const char *
copy_wrong(const struct fm_file *file)
{
	const size_t magic_len = strlen(FM_COPY_HEAD);
	char digest[FM_DIGEST_LEN];
	XXH128_canonical_t sum;
	const char *end;
	size_t len;

	if (file->len < magic_len ||
	    memcmp(file->bytes, FM_COPY_HEAD, magic_len) != 0)
		return ("it is damaged: it does not start as a copy that "
		    "fastmatch makes");
	if (file->len < magic_len + FM_COPY_END_LEN)
		return ("it is damaged: it is cut off");
	len = file->len - FM_COPY_END_LEN;
	end = file->bytes + len;
	if (memcmp(end, FM_COPY_END, strlen(FM_COPY_END)) != 0 ||
	    file->bytes[file->len - 1] != '\n')
		return ("it is damaged: it does not end as it should");
	XXH128_canonicalFromHash(&sum, XXH3_128bits(file->bytes, len + 1));
	fm_sources_hex(&sum, digest);
	if (memcmp(end + strlen(FM_COPY_END), digest, FM_DIGEST_LEN - 1) != 0)
		return ("it is damaged: its bytes have another digest than "
		    "it says");
	if (memcmp(file->bytes + magic_len, FM_COPY_VERSION,
	    strlen(FM_COPY_VERSION)) != 0)
		return ("another version of fastmatch made it");
	return (NULL);
}

/* What is in it; NULL, or what is wrong. */
static const char *
copy_read(struct fm_sources *sources, const struct fm_file *file)
{
	struct copy_in in = {
		.p = file->bytes + strlen(FM_COPY_HEAD FM_COPY_VERSION),
		.e = file->bytes + file->len - FM_COPY_END_LEN + 1
	};

	while (in_word(&in, "#")) {
		in.p = memchr(in.p, '\n', (size_t)(in.e - in.p));
		assert(in.p != NULL);		/* that of the end */
		in.p++;
	}
	while (in.p < in.e && !in.bad)
		if (in_word(&in, "glob "))
			in_glob(&in, sources);
		else if (in_word(&in, "file "))
			in_file(&in, sources);
		else
			in.bad = true;
	if (in.nomem)
		return ("out of memory");
	return (in.bad ? "it is damaged: what is in it makes no sense" : NULL);
}

struct fm_sources *
fm_sources_restore(const char *copy, const char *path, struct fm_diag *diag)
{
	const struct fm_place place = { .name = copy };
	struct fm_sources *sources;
	struct fm_file *file;
	const char *why;

	assert(path != NULL);
	file = fm_file_read(copy, FM_COPY_MAX, NULL, diag);
	if (file == NULL)
		return (NULL);
	why = copy_wrong(file);
	if (why != NULL) {
		fm_diag_error(diag, &place, "%s", why);
		fm_file_free(&file);
		return (NULL);
	}
	sources = fm_sources_new(true);
	if (sources == NULL) {
		fm_file_free(&file);
		fm_diag_error(diag, &place, "out of memory");
		return (NULL);
	}
	sources->copy = file;
	why = copy_read(sources, file);
	if (why == NULL && sources->nentries == 0)
		why = "it is damaged: there is no file in it";
	if (why != NULL)
		fm_diag_error(diag, &place, "%s", why);
	else if (strcmp(sources->entries[0]->path, path) == 0)
		return (sources);
	else
		fm_diag_error(diag, &place, "it is a copy of '%s', and not of "
		    "'%s'", sources->entries[0]->path, path);
	fm_sources_free(&sources);
	return (NULL);
}
