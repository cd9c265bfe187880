/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries of a list that decide nothing, for another one matches all that
 * they match.
 *
 * What texts begin with is sorted, and what begins with another one is left
 * out.  Then a text can begin with one of them only: with the last that is
 * not behind it.  Ends are the same, read from behind; and what a text
 * contains is what one of its tails begins with.
 */

#include <stdlib.h>
#include <string.h>

#include "check_priv.h"
#include "glob.h"

/* A longer text hides nothing: it would take long to compare. */
#define COVER_LEN	256

/* Comparisons: in a huge list there is an end to it. */
#define COVER_STEPS	30000000L

struct entry {
	const struct fm_word	*word;
	enum fm_pattern_kind	mode;		/* as it is written */
	enum fm_pattern_kind	kind;		/* what it means, and of what */
	struct fm_text		text;		/* small if nocase */
};

/* The first eight bytes are a number: that of a text before it is no more. */
struct begin {
	uint64_t		key;
	struct fm_text		text;
	const struct entry	*entry;
};

/* From so many on, the first two bytes tell where to look. */
#define INDEX_ENTRIES	64
#define INDEX_PAIRS	65536

struct begins {
	struct begin		*v;
	size_t			n;
	size_t			*index;		/* how many are less, or NULL */
	char			*texts;		/* read from behind, or NULL */
};

struct cover {
	struct entry		*entries;
	size_t			n;
	char			*texts;		/* small, or NULL */
	struct begins		first, last, inside;
	const struct entry	**globs;	/* that are nothing simpler */
	size_t			nglobs;
	long			steps;		/* that are left */
};

/*--------------------------------------------------------------------
 * What an operand means
 */

static bool
is_wild(char c)
{
	return (c == '*' || c == '?');
}

enum fm_pattern_kind
fm_check_kind(enum fm_pattern_kind mode, struct fm_text *t)
{
	bool first = false, last = false;
	struct fm_text in = *t;

	if (mode != FM_PATTERN_GLOB)
		return (mode);
	for (; in.len > 0 && in.b[0] == '*'; first = true)
		in = fm_text(in.b + 1, in.len - 1);
	for (; in.len > 0 && in.b[in.len - 1] == '*'; last = true)
		in.len--;
	/* Stars alone are no text. */
	if (fm_glob_prefix(in) != in.len || (in.len == 0 && first))
		return (mode);
	*t = in;
	if (first)
		return (last ? FM_PATTERN_CONTAINS : FM_PATTERN_SUFFIX);
	return (last ? FM_PATTERN_PREFIX : FM_PATTERN_EXACT);
}

/*--------------------------------------------------------------------
 * What texts begin with, or end with
 */

static uint64_t
text_key(struct fm_text t)
{
	uint64_t key = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		key = key << 8 | (i < t.len ? (unsigned char)t.b[i] : 0);
	return (key);
}

static void
text_turn(struct fm_text t, char *out)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		out[i] = t.b[t.len - 1 - i];
}

static int
text_order(struct fm_text a, struct fm_text b)
{
	int r = memcmp(a.b, b.b, a.len < b.len ? a.len : b.len);

	return (r != 0 ? r : (a.len > b.len) - (a.len < b.len));
}

/* Of equal ones the first in the list comes first. */
static int
begin_order(const void *va, const void *vb)
{
	const struct begin *a = va, *b = vb;
	int r;

	if (a->key != b->key)
		return (a->key < b->key ? -1 : 1);
	r = text_order(a->text, b->text);
	return (r != 0 ? r : (a->entry > b->entry) - (a->entry < b->entry));
}

static bool
begins_with(struct fm_text t, struct fm_text with)
{
	return (with.len <= t.len && memcmp(t.b, with.b, with.len) == 0);
}

static bool
is_taken(const struct entry *entry, enum fm_pattern_kind kind)
{
	return (entry->kind == kind && entry->text.len <= COVER_LEN);
}

static int
index_make(struct begins *begins)
{
	size_t i, pair = 0;

	if (begins->n < INDEX_ENTRIES)
		return (0);
	begins->index = calloc(INDEX_PAIRS + 1, sizeof *begins->index);
	if (begins->index == NULL)
		return (-1);
	for (i = 0; i < begins->n; i++)
		for (; pair <= begins->v[i].key >> 48; pair++)
			begins->index[pair] = i;
	for (; pair <= INDEX_PAIRS; pair++)
		begins->index[pair] = i;
	return (0);
}

/* 0, or -1: no memory. */
static int
begins_make(struct begins *begins, const struct cover *cover,
    enum fm_pattern_kind kind)
{
	const struct entry *entry, *end = cover->entries + cover->n;
	size_t i, n = 0, len = 0;
	struct fm_text t;

	for (entry = cover->entries; entry < end; entry++)
		if (is_taken(entry, kind)) {
			n++;
			len += entry->text.len;
		}
	if (n == 0)
		return (0);
	begins->v = calloc(n, sizeof *begins->v);
	if (kind == FM_PATTERN_SUFFIX)
		begins->texts = malloc(len);
	if (begins->v == NULL ||
	    (kind == FM_PATTERN_SUFFIX && begins->texts == NULL))
		return (-1);
	n = len = 0;
	for (entry = cover->entries; entry < end; entry++) {
		if (!is_taken(entry, kind))
			continue;
		t = entry->text;
		if (kind == FM_PATTERN_SUFFIX) {
			text_turn(t, begins->texts + len);
			t.b = begins->texts + len;
			len += t.len;
		}
		begins->v[n++] = (struct begin){ .key = text_key(t),
		    .text = t, .entry = entry };
	}
	qsort(begins->v, n, sizeof *begins->v, begin_order);
	for (i = 0; i < n; i++)
		if (begins->n == 0 || !begins_with(begins->v[i].text,
		    begins->v[begins->n - 1].text))
			begins->v[begins->n++] = begins->v[i];
	return (index_make(begins));
}

static void
begins_fini(struct begins *begins)
{
	free(begins->v);
	free(begins->index);
	free(begins->texts);
}

/* What the text of that key begins with, or NULL. */
static const struct entry *
begins_find(const struct begins *begins, struct fm_text t, uint64_t key,
    long *steps)
{
	size_t low = 0, high = begins->n, mid;
	const struct begin *at;

	if (begins->index != NULL) {
		low = begins->index[key >> 48];
		high = begins->index[(key >> 48) + 1];
	}
	for (--*steps; low < high; --*steps) {
		mid = low + (high - low) / 2;
		at = &begins->v[mid];
		if (at->key < key ||
		    (at->key == key && text_order(at->text, t) <= 0))
			low = mid + 1;
		else
			high = mid;
	}
	return (low > 0 && begins_with(t, begins->v[low - 1].text) ?
	    begins->v[low - 1].entry : NULL);
}

/*--------------------------------------------------------------------
 * What hides an entry
 */

/*
 * The same written twice is told elsewhere; an entry does not hide itself.
 * (Where one is in the other, the same length is the same text.)
 */
static bool
hides(const struct entry *by, const struct entry *entry)
{
	return (by != NULL && by != entry && (by->kind != entry->kind ||
	    by->mode != entry->mode || by->text.len != entry->text.len ||
	    by->word->text.len != entry->word->text.len));
}

/* The next text that whatever the entry matches has in it; empty: the end. */
static struct fm_text
next_part(const struct entry *entry, struct fm_text *rest)
{
	const char *others = entry->kind == FM_PATTERN_GLOB ? "*?" :
	    entry->kind == FM_PATTERN_REGEX ? ".*^$" : "";
	struct fm_text part = *rest;

	if (others[0] == '\0') {
		*rest = fm_text(NULL, 0);
		return (part);
	}
	while (rest->len > 0 && rest->b[0] != '\0' &&
	    strchr(others, rest->b[0]) != NULL)
		*rest = fm_text(rest->b + 1, rest->len - 1);
	part = fm_text(rest->b, 0);
	while (part.len < rest->len && (rest->b[part.len] == '\0' ||
	    strchr(others, rest->b[part.len]) == NULL))
		part.len++;
	*rest = fm_text(rest->b + part.len, rest->len - part.len);
	return (part);
}

static const struct entry *
by_inside(struct cover *cover, const struct entry *entry)
{
	struct fm_text rest = entry->text, part;
	const struct entry *by;
	uint64_t key;

	if (cover->inside.n == 0 || (entry->kind == FM_PATTERN_REGEX &&
	    !fm_check_regex_plain(entry->text)))
		return (NULL);
	while ((part = next_part(entry, &rest)).len > 0 && cover->steps > 0)
		for (key = text_key(part); part.len > 0;
		    part = fm_text(part.b + 1, part.len - 1)) {
			by = begins_find(&cover->inside, part, key,
			    &cover->steps);
			if (hides(by, entry))
				return (by);
			key = key << 8 |
			    (part.len > 8 ? (unsigned char)part.b[8] : 0);
		}
	return (NULL);
}

/* What each text that the entry matches begins, or ends, with is known. */
static const struct entry *
by_end(struct cover *cover, const struct begins *begins,
    enum fm_pattern_kind kind, const struct entry *entry)
{
	bool backwards = kind == FM_PATTERN_SUFFIX;
	struct fm_text t = entry->text;
	char turned[COVER_LEN];
	const struct entry *by;
	size_t len = t.len;

	if (begins->n == 0 || (entry->kind != FM_PATTERN_GLOB &&
	    entry->kind != FM_PATTERN_EXACT && entry->kind != kind))
		return (NULL);
	if (entry->kind == FM_PATTERN_GLOB)
		for (len = 0; !is_wild(t.b[backwards ? t.len - 1 - len : len]);
		    len++)
			continue;
	/* Nothing longer hides. */
	if (len > COVER_LEN)
		len = COVER_LEN;
	t = fm_text(backwards ? t.b + t.len - len : t.b, len);
	if (backwards) {
		text_turn(t, turned);
		t.b = turned;
	}
	by = begins_find(begins, t, text_key(t), &cover->steps);
	return (hides(by, entry) ? by : NULL);
}

static const struct entry *
by_glob(struct cover *cover, const struct entry *entry)
{
	const struct entry *by;
	size_t i;

	for (i = 0; i < cover->nglobs && cover->steps > 0; i++) {
		by = cover->globs[i];
		cover->steps -= (long)(by->text.len + entry->text.len) / 4 + 1;
		if (by != entry && fm_check_glob_covers(by->text, entry->kind,
		    entry->text, false))
			return (by);
	}
	return (NULL);
}

static const struct entry *
entry_hidden(struct cover *cover, const struct entry *entry)
{
	const struct entry *by;

	if (cover->steps <= 0)
		return (NULL);
	by = by_inside(cover, entry);
	if (by == NULL)
		by = by_end(cover, &cover->first, FM_PATTERN_PREFIX, entry);
	if (by == NULL)
		by = by_end(cover, &cover->last, FM_PATTERN_SUFFIX, entry);
	return (by != NULL ? by : by_glob(cover, entry));
}

/*--------------------------------------------------------------------
 * A list
 */

/* What is empty is an error, and stars alone are told as such. */
static bool
entry_set(struct entry *entry, enum fm_pattern_kind mode,
    const struct fm_word *word)
{
	size_t i = 0;

	entry->word = word;
	entry->mode = mode;
	entry->text = word->text;
	entry->kind = fm_check_kind(mode, &entry->text);
	while (entry->kind == FM_PATTERN_GLOB && i < entry->text.len &&
	    entry->text.b[i] == '*')
		i++;
	return (entry->text.len > i);
}

static int
cover_small(struct cover *cover)
{
	size_t i, at, len = 0;
	struct fm_text *t;

	for (i = 0; i < cover->n; i++)
		len += cover->entries[i].text.len;
	cover->texts = malloc(len + 1);
	if (cover->texts == NULL)
		return (-1);
	len = 0;
	for (i = 0; i < cover->n; i++) {
		t = &cover->entries[i].text;
		for (at = 0; at < t->len; at++)
			cover->texts[len + at] =
			    (char)fm_lower((unsigned char)t->b[at]);
		t->b = cover->texts + len;
		len += t->len;
	}
	return (0);
}

static int
cover_globs(struct cover *cover)
{
	size_t i;

	cover->globs = calloc(cover->n + 1, sizeof *cover->globs);
	if (cover->globs == NULL)
		return (-1);
	for (i = 0; i < cover->n; i++)
		if (is_taken(&cover->entries[i], FM_PATTERN_GLOB))
			cover->globs[cover->nglobs++] = &cover->entries[i];
	return (0);
}

static int
cover_make(struct cover *cover, const struct fm_list_line *lines, bool nocase)
{
	const struct fm_list_line *line;
	const struct fm_word *word;
	size_t n = 0;

	cover->steps = COVER_STEPS;
	for (line = lines; line != NULL; line = line->next)
		n += line->operands.count;
	cover->entries = calloc(n + 1, sizeof *cover->entries);
	if (cover->entries == NULL)
		return (-1);
	for (line = lines; line != NULL; line = line->next)
		for (word = line->operands.first; word != NULL;
		    word = word->next)
			cover->n += entry_set(&cover->entries[cover->n],
			    line->mode, word);
	if ((nocase && cover_small(cover) != 0) || cover_globs(cover) != 0 ||
	    begins_make(&cover->first, cover, FM_PATTERN_PREFIX) != 0 ||
	    begins_make(&cover->last, cover, FM_PATTERN_SUFFIX) != 0 ||
	    begins_make(&cover->inside, cover, FM_PATTERN_CONTAINS) != 0)
		return (-1);
	return (0);
}

void
fm_check_covered(struct fm_check *check, const struct fm_list_line *lines,
    bool nocase)
{
	struct cover cover = { .n = 0 };
	const struct entry *entry, *by;
	char where[FM_PLACE_LEN];
	size_t i;

	if (cover_make(&cover, lines, nocase) != 0)
		fm_check_memory(check);
	else
		for (i = 0; i < cover.n; i++) {
			entry = &cover.entries[i];
			by = entry_hidden(&cover, entry);
			if (by != NULL)
				fm_diag_warning(check->diag, &entry->word->at,
				    FM_MSG_WARN_COVERED,
				    fm_mode_word(entry->mode),
				    FM_CHECK_QUOTE(entry->word->text),
				    fm_mode_word(by->mode),
				    FM_CHECK_QUOTE(by->word->text),
				    fm_place_print(&by->word->at, where));
		}
	begins_fini(&cover.first);
	begins_fini(&cover.last);
	begins_fini(&cover.inside);
	free(cover.globs);
	free(cover.texts);
	free(cover.entries);
}

/* Of a test, or of one line of a map. */
void
fm_check_covered_words(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, bool nocase)
{
	const struct fm_list_line line = { .mode = mode, .operands = *words };

	if (words->count > 1)
		fm_check_covered(check, &line, nocase);
}
