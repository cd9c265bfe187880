/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Matches names against a set.
 */

#include <stdlib.h>
#include <string.h>

#include "glob.h"
#include "names_priv.h"
#include "obj.h"
#include "percent.h"
#include "thread.h"

/* Of a thread, for long names. */
struct room {
	unsigned	magic;
#define ROOM_MAGIC	0x18c2e5a7
	char		*buf;
	size_t		cap;
};

static void
room_free(void *priv)
{
	struct room *r;

	FM_OBJ_CAST(r, priv, ROOM_MAGIC);
	free(r->buf);
	FM_OBJ_FREE(r);
}

/* So many bytes; NULL: no memory. */
static char *
room_get(size_t len)
{
	struct room *r = fm_thread_get(FM_THREAD_NAMES);
	char *buf;

	if (r == NULL) {
		FM_OBJ_NEW(r, ROOM_MAGIC);
		if (r == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_NAMES, r, room_free)) {
			room_free(r);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(r, ROOM_MAGIC);
	if (r->cap < len) {
		buf = malloc(len);
		if (buf == NULL)
			return (NULL);
		free(r->buf);
		r->buf = buf;
		r->cap = len;
	}
	return (r->buf);
}

static bool
names_match_exact(const struct fm_names *names, struct fm_text name)
{
	if (name.len == 0 || name.len > FM_NAMES_MAX ||
	    (names->lengths & fm_names_length_bit(name.len)) == 0)
		return (false);
	return (fm_names_find(names, name, fm_names_hash(name))->len != 0);
}

/* The start of the chain for a name that begins with this. */
static uint32_t
names_chain(const struct fm_names *names, struct fm_text head)
{
	const struct fm_names_glob *glob;
	uint32_t low = 0, high = names->nglobs, middle;
	unsigned char c;

	if (head.len == 0)
		return (names->wild);
	c = (unsigned char)head.b[0];
	if ((names->first[c / 64] & 1ULL << c % 64) == 0)
		return (names->wild);
	while (low < high) {
		middle = low + (high - low) / 2;
		glob = &names->globs[middle];
		if (fm_text_compare(fm_text(glob->b, glob->prefix), head) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (low > 0 ? low - 1 : FM_NAMES_NONE);
}

/* A name as it came. */
struct names_name {
	struct fm_text		text;
	enum fm_names_code	code;
	bool			whole;		/* its head is all of it */
};

/*
 * The head is the whole name, decoded and folded as the set wants it; or if it
 * is not whole, then as much of it as a prefix can have.
 */
static bool
names_try_glob(const struct fm_names *names, const struct fm_names_glob *glob,
    struct fm_text head, const struct names_name *name)
{
	size_t n = glob->prefix;	/* these are known to be the same */

	if (!name->whole && name->code == FM_NAMES_PERCENT)
		return (fm_glob_match_percent(fm_text(glob->b, glob->len),
		    name->text, names->nocase));
	if (!name->whole)
		return (fm_glob_match(fm_text(glob->b, glob->len),
		    name->text, names->nocase));
	return (fm_glob_match(fm_text(glob->b + n, glob->len - n),
	    fm_text(head.b + n, head.len - n), false));
}

static bool
names_match_globs(const struct fm_names *names, struct fm_text head,
    const struct names_name *name)
{
	const struct fm_names_glob *glob;
	size_t common = 0;
	uint32_t i = names_chain(names, head);

	if (i == FM_NAMES_NONE)
		return (false);
	glob = &names->globs[i];
	while (common < glob->prefix && common < head.len &&
	    glob->b[common] == head.b[common])
		common++;
	for (; i != FM_NAMES_NONE; i = glob->shorter) {
		glob = &names->globs[i];
		if (glob->prefix <= common &&
		    names_try_glob(names, glob, head, name))
			return (true);
	}
	return (false);
}

/* Writes as much of it as there is room for, decoded and folded. */
static struct fm_text
name_change(const struct fm_names *names, struct names_name *name, char *buf,
    size_t cap)
{
	const char *p = name->text.b, *e = p + name->text.len;
	size_t n = 0;
	unsigned char c;

	while (p < e && n < cap) {
		c = name->code == FM_NAMES_PERCENT ? fm_percent_next(&p, e) :
		    (unsigned char)*p++;
		buf[n++] = (char)(names->nocase ? fm_lower(c) : c);
	}
	name->whole = p == e;
	return (fm_text(buf, n));
}

/* Those that are not in a chain. */
static bool
names_match_many(const struct fm_names *names, struct fm_text head,
    struct names_name *name)
{
	struct fm_tally tally = { 0 };
	uint32_t i, end = names->nglobs + names->nmany;
	char *buf;

	if (!name->whole) {
		buf = room_get(name->text.len);
		for (i = names->nglobs; i < end && buf == NULL; i++)
			if (names_try_glob(names, &names->globs[i], head,
			    name))
				return (true);
		if (buf == NULL)
			return (false);
		head = name_change(names, name, buf, name->text.len);
	}
	return (fm_patset_match(names->many, head, &tally));
}

static bool
names_match_any(const struct fm_names *names, struct fm_text head,
    struct names_name *name)
{
	return ((name->whole && names_match_exact(names, head)) ||
	    names_match_globs(names, head, name) ||
	    (names->many != NULL && names_match_many(names, head, name)));
}

/* A name that has to be decoded or folded first. */
static bool
names_match_changed(const struct fm_names *names, struct names_name *name)
{
	char buf[FM_NAMES_MAX];
	struct fm_text head = name_change(names, name, buf, sizeof buf);

	return (names_match_any(names, head, name));
}

bool
fm_names_match(const struct fm_names *names, struct fm_text text,
    enum fm_names_code code)
{
	struct names_name name = { text, code, true };

	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	if (text.len == 0)
		name.text.b = "";
	if (names->nocase || (code == FM_NAMES_PERCENT &&
	    memchr(name.text.b, '%', text.len) != NULL))
		return (names_match_changed(names, &name));
	return (names_match_any(names, name.text, &name));
}

size_t
fm_names_count(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return ((size_t)names->nexact + names->nglobs + names->nmany);
}

size_t
fm_names_bytes(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (sizeof *names + names->nbytes +
	    (names->mask + 1) * sizeof *names->slots +
	    (names->nglobs + names->nmany) * sizeof *names->globs +
	    (names->many == NULL ? 0 : fm_patset_bytes(names->many)));
}
