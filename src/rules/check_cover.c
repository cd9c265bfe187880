/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operands that decide nothing, for another one matches all that they match:
 * `contains "Android 9"` where there is `contains Android`.
 */

#include <stdlib.h>

#include "check_priv.h"
#include "glob.h"

/* Each is compared with each: in a long list there is an end to it. */
#define COVER_STEPS	2000000L

static bool
text_eq(struct fm_text a, struct fm_text b, bool nocase)
{
	return (nocase ? fm_text_eq_nocase(a, b) : fm_text_eq(a, b));
}

static bool
text_begins(struct fm_text t, struct fm_text with, bool nocase)
{
	return (t.len >= with.len &&
	    text_eq(fm_text(t.b, with.len), with, nocase));
}

static bool
text_ends(struct fm_text t, struct fm_text with, bool nocase)
{
	return (t.len >= with.len &&
	    text_eq(fm_text(t.b + t.len - with.len, with.len), with, nocase));
}

static bool
text_contains(struct fm_text t, struct fm_text part, bool nocase)
{
	size_t i;

	if (!nocase)
		return (t.len >= part.len && (part.len == 0 ||
		    memmem(t.b, t.len, part.b, part.len) != NULL));
	for (i = 0; i + part.len <= t.len; i++)
		if (fm_text_eq_nocase(fm_text(t.b + i, part.len), part))
			return (true);
	return (false);
}

static bool
is_wild(char c)
{
	return (c == '*' || c == '?');
}

/*
 * Returns what an operand means, and of what text: `like *x*` is `contains x`.
 * Stars alone are no text.
 */
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
	if (fm_glob_prefix(in) != in.len || (in.len == 0 && first))
		return (mode);
	*t = in;
	if (first)
		return (last ? FM_PATTERN_CONTAINS : FM_PATTERN_SUFFIX);
	return (last ? FM_PATTERN_PREFIX : FM_PATTERN_EXACT);
}

/* Returns what comes behind the last wildcard of a glob. */
static struct fm_text
glob_tail(struct fm_text glob)
{
	size_t i = glob.len;

	while (i > 0 && !is_wild(glob.b[i - 1]))
		i--;
	return (fm_text(glob.b + i, glob.len - i));
}

/* The stars at its ends let a glob match what begins or ends with a text. */
static bool
glob_covers(struct fm_text glob, enum fm_pattern_kind kind, struct fm_text t,
    bool nocase)
{
	bool first = glob.len > 0 && glob.b[0] == '*';
	bool last = glob.len > 0 && glob.b[glob.len - 1] == '*';

	if (first && glob.len == 1)
		return (true);
	return (kind != FM_PATTERN_GLOB && kind != FM_PATTERN_REGEX &&
	    (last || (kind != FM_PATTERN_PREFIX &&
	    kind != FM_PATTERN_CONTAINS)) &&
	    (first || (kind != FM_PATTERN_SUFFIX &&
	    kind != FM_PATTERN_CONTAINS)) && fm_glob_match(glob, t, nocase));
}

bool
fm_check_covers(enum fm_pattern_kind by, struct fm_text with,
    enum fm_pattern_kind kind, struct fm_text t, bool nocase)
{
	by = fm_check_kind(by, &with);
	kind = fm_check_kind(kind, &t);
	if (by == FM_PATTERN_GLOB)
		return (glob_covers(with, kind, t, nocase));
	if (with.len == 0 || kind == FM_PATTERN_REGEX)
		return (false);
	switch (by) {
	case FM_PATTERN_CONTAINS:
		return ((kind != FM_PATTERN_GLOB ||
		    fm_glob_prefix(with) == with.len) &&
		    text_contains(t, with, nocase));
	case FM_PATTERN_PREFIX:
		if (kind == FM_PATTERN_GLOB)
			t.len = fm_glob_prefix(t);
		return (kind != FM_PATTERN_SUFFIX &&
		    kind != FM_PATTERN_CONTAINS &&
		    text_begins(t, with, nocase));
	case FM_PATTERN_SUFFIX:
		if (kind == FM_PATTERN_GLOB)
			t = glob_tail(t);
		return (kind != FM_PATTERN_PREFIX &&
		    kind != FM_PATTERN_CONTAINS &&
		    text_ends(t, with, nocase));
	default:
		return (false);
	}
}

/*--------------------------------------------------------------------
 * A list
 */

struct entry {
	const struct fm_word	*word;
	enum fm_pattern_kind	mode;
};

/* Stars alone are told as such; what is empty is an error. */
static bool
entry_counts(const struct entry *entry)
{
	struct fm_text t = entry->word->text;

	return (t.len > 0 && (entry->mode != FM_PATTERN_GLOB ||
	    strspn(t.b, "*") < t.len));
}

/*
 * Returns true if the entry is hidden by the other one.  The same written
 * twice is told elsewhere; of two that mean the same the first one stays.
 */
static bool
entry_hidden(const struct entry *entry, const struct entry *by, bool nocase)
{
	struct fm_text t = entry->word->text, with = by->word->text;

	if (by == entry || !entry_counts(by) ||
	    !fm_check_covers(by->mode, with, entry->mode, t, nocase))
		return (false);
	if (by->mode == entry->mode && text_eq(t, with, nocase))
		return (false);
	return (by < entry ||
	    !fm_check_covers(entry->mode, t, by->mode, with, nocase));
}

static void
entry_check(struct fm_check *check, const struct entry *entry,
    const struct entry *by, const struct entry *end, bool nocase, long *steps)
{
	char where[FM_PLACE_LEN];

	if (!entry_counts(entry))
		return;
	for (; by < end && *steps > 0; by++) {
		*steps -= 1 + (long)entry->word->text.len / 16;
		if (!entry_hidden(entry, by, nocase))
			continue;
		fm_diag_warning(check->diag, &entry->word->at,
		    FM_MSG_WARN_COVERED, fm_mode_word(entry->mode),
		    FM_CHECK_QUOTE(entry->word->text), fm_mode_word(by->mode),
		    FM_CHECK_QUOTE(by->word->text),
		    fm_place_print(&by->word->at, where));
		return;
	}
}

void
fm_check_covered(struct fm_check *check, const struct fm_list_line *lines,
    bool nocase)
{
	const struct fm_list_line *line;
	const struct fm_word *word;
	struct entry *entries;
	long steps = COVER_STEPS;
	bool exact = true;
	size_t i, n = 0;

	for (line = lines; line != NULL; line = line->next) {
		n += line->operands.count;
		exact = exact && line->mode == FM_PATTERN_EXACT;
	}
	if (exact || n < 2)
		return;
	entries = calloc(n, sizeof *entries);
	if (entries == NULL) {
		fm_check_memory(check);
		return;
	}
	n = 0;
	for (line = lines; line != NULL; line = line->next)
		for (word = line->operands.first; word != NULL;
		    word = word->next)
			entries[n++] = (struct entry){ .word = word,
			    .mode = line->mode };
	for (i = 0; i < n; i++)
		entry_check(check, &entries[i], entries, entries + n, nocase,
		    &steps);
	free(entries);
}

/* Of a test, or of one line of a map. */
void
fm_check_covered_words(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, bool nocase)
{
	const struct fm_list_line line = { .mode = mode, .operands = *words };

	fm_check_covered(check, &line, nocase);
}
