/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of operands that decide nothing, as another operand matches all that
 * they match: `contains "Android 9"` is useless beside `contains Android`.  The
 * other operand is in the same test, list or match of a map's line, or in an
 * earlier line of the map.
 */

#include "check_priv.h"
#include "glob.h"

bool
fm_check_is_stars(enum fm_pattern_kind mode, struct fm_text t)
{
	return (mode == FM_PATTERN_GLOB && t.len > 0 &&
	    strspn(t.b, "*") == t.len);
}

/*
 * Returns what an operand means, and of what text: `like *x*` is `contains x`.
 * Stars alone are not text.
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

static bool
regex_fits(struct fm_text text, struct fm_text t, bool nocase)
{
	struct fm_tally tally = { .scans = 0 };
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *regex;
	size_t offset;
	bool fits;

	regex = fm_regex_new(text, nocase, error, &offset);
	if (regex == NULL)
		return (false);
	fits = fm_regex_match(regex, fm_text_or_empty(t), &tally);
	fm_regex_free(&regex);
	return (fits);
}

/* Returns true if what is before the text, or (last) after it, is free. */
static bool
is_open(enum fm_pattern_kind kind, struct fm_text t, bool last)
{
	return (kind == FM_PATTERN_CONTAINS ||
	    kind == (last ? FM_PATTERN_PREFIX : FM_PATTERN_SUFFIX) ||
	    (kind == FM_PATTERN_GLOB && t.b[last ? t.len - 1 : 0] == '*'));
}

/*
 * Compares two operands as texts with an open or a closed start and end:
 *
 *	by		covers
 *	ends b		is ab, ends ab, like *x*ab
 *	contains b	all of these, and contains abc
 *	like *a?b	is xacb, ends acb; but no glob
 */
bool
fm_check_covers(enum fm_pattern_kind by, struct fm_text with,
    enum fm_pattern_kind kind, struct fm_text t, bool nocase)
{
	bool first, last;
	size_t i, end;

	if (fm_check_is_stars(by, with))
		return (true);
	by = fm_check_kind(by, &with);
	kind = fm_check_kind(kind, &t);
	if (by == FM_PATTERN_REGEX)
		return (kind == FM_PATTERN_EXACT &&
		    regex_fits(with, t, nocase));
	if (kind == FM_PATTERN_REGEX || with.len == 0 || t.len == 0)
		return (false);
	first = is_open(by, with, false);
	last = is_open(by, with, true);
	if ((is_open(kind, t, false) && !first) ||
	    (is_open(kind, t, true) && !last))
		return (false);
	if (by == FM_PATTERN_GLOB)
		return (kind != FM_PATTERN_GLOB &&
		    fm_glob_match(with, t, nocase));
	/* A wildcard of a glob is not a byte that both have. */
	if (with.len > t.len || (kind == FM_PATTERN_GLOB &&
	    fm_glob_prefix(with) < with.len))
		return (false);
	i = last ? 0 : t.len - with.len;
	end = first ? t.len - with.len : 0;
	while (i <= end && !fm_check_text_eq(fm_text(t.b + i, with.len), with,
	    nocase))
		i++;
	return (i <= end);
}

/*--------------------------------------------------------------------
 * Each operand of a test, a list or a map with the others
 */

/*
 * Each operand is compared with each other one, until the steps are used up.  A
 * regex is compiled for each text that it is compared with, which takes as long
 * as COVER_REGEX other comparisons.
 */
#define COVER_STEPS	2000000L
#define COVER_REGEX	4000

/*
 *	map m {
 *		contains ab -> x;	word "ab", CONTAINS, alone
 *		like *abc* -> y;	word "*abc*", GLOB; kind CONTAINS of
 *	}				"abc"; by: the first one hides it
 */
struct entry {
	const struct fm_word	*word;		/* the operand */
	enum fm_pattern_kind	mode;		/* as it is written */
	enum fm_pattern_kind	kind;		/* fm_check_kind() */
	struct fm_text		t;		/* the text of that kind */
	const struct fm_line *line;		/* in a map; else NULL */
	const struct fm_match	*match;		/* in a map; else NULL */
	bool			alone;		/* the line has no other match,
						 * and no `not` */
	bool			twice;		/* `by` is the same operand */
	const struct entry	*by;		/* the one that hides it */
	const struct entry	*next;		/* next one in cover.first */
};

/* The operands of one test, list or map. */
struct cover {
	struct fm_check		*check;
	bool			nocase;
	bool			named;		/* a name that a pattern matches
						 * is meant: `no-vary-search`
						 * needs it */
	long			steps;		/* steps that are left */
	struct fm_grow		entries;
	const struct entry	*first;		/* list of entries that may
						 * hide others, except: */
	struct fm_check_table	exact;		/* entries of `is`, by text */
};

static void
cover_add(struct cover *cover, enum fm_pattern_kind mode,
    const struct fm_words *words, const struct fm_line *line,
    const struct fm_match *match)
{
	struct entry *entry = fm_grow_add(&cover->entries, sizeof *entry,
	    words->count);
	const struct fm_word *word;

	if (entry == NULL) {
		fm_diag_no_memory(cover->check->diag);
		return;
	}
	for (word = words->first; word != NULL; word = word->next) {
		*entry = (struct entry){ .word = word, .mode = mode,
		    .t = word->text, .line = line, .match = match,
		    .alone = match == NULL || (line->matches->next == NULL &&
		    !match->negated) };
		entry->kind = fm_check_kind(mode, &entry->t);
		entry++;
	}
}

static bool
entry_covers(const struct cover *cover, const struct entry *by,
    const struct entry *entry)
{
	return (fm_check_covers(by->kind, by->t, entry->kind, entry->t,
	    cover->nocase));
}

/*
 * Returns true if another entry hides one, and notes the other one in it.  If
 * two entries of a test, list or match mean the same, the first one stays.
 */
static bool
entry_hidden(const struct cover *cover, struct entry *entry,
    const struct entry *by)
{
	bool other = by->match != entry->match, same;

	if (other && (by->line == entry->line || !by->alone ||
	    entry->match->negated))
		return (false);
	/* short_check() warns of stars alone. */
	if (!other && (by == entry || fm_check_is_stars(by->kind, by->t) ||
	    fm_check_is_stars(entry->kind, entry->t)))
		return (false);
	/* Letters of a regex may mean more than themselves, as \d does. */
	same = by->kind == entry->kind && by->t.len == entry->t.len &&
	    fm_check_text_eq(by->word->text, entry->word->text,
	    cover->nocase && by->kind != FM_PATTERN_REGEX);
	if (!same && !entry_covers(cover, by, entry))
		return (false);
	if (by > entry && (same || entry_covers(cover, entry, by)))
		return (false);
	entry->by = by;
	entry->twice = same && !other;
	return (true);
}

/* Looks for an entry that hides this one. */
static void
entry_find(struct cover *cover, struct entry *entry)
{
	const struct entry *by = cover->first;
	void *first;

	for (; by != NULL && cover->steps > 0 &&
	    (by < entry || by->match == entry->match); by = by->next) {
		cover->steps -= by->kind == FM_PATTERN_REGEX &&
		    entry->kind == FM_PATTERN_EXACT ? COVER_REGEX : 1;
		if (entry_hidden(cover, entry, by))
			return;
	}
	if (entry->kind != FM_PATTERN_EXACT)
		return;
	first = entry->alone ? fm_check_table_add(&cover->exact, entry->t,
	    entry, cover->check->diag) :
	    fm_check_table_find(&cover->exact, entry->t);
	if (first != NULL)
		(void)entry_hidden(cover, entry, first);
}

void
fm_check_tell_covered(struct fm_check *check, const struct fm_word *word,
    const char *mode, const struct fm_word *by, const char *by_mode)
{
	char where[FM_PLACE_LEN];

	fm_place_print(&by->at, where);
	if (mode == NULL)
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_TWICE,
		    FM_SHOW(word->text), where);
	else
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_COVERED,
		    mode, FM_SHOW(word->text), by_mode,
		    FM_SHOW(by->text), where);
}

static void
entry_tell(const struct cover *cover, const struct entry *entry)
{
	const struct entry *by = entry->by;

	if (by != NULL && (entry->twice || !cover->named))
		fm_check_tell_covered(cover->check, entry->word, entry->twice ?
		    NULL : fm_mode_word(entry->mode), by->word,
		    fm_mode_word(by->mode));
}

/* Warns of a line of a map that is hidden, or else of operands in it. */
static void
line_tell(const struct cover *cover, const struct entry *start,
    const struct entry *end)
{
	const struct entry *entry, *next;
	char where[FM_PLACE_LEN];
	bool hidden;

	/* A line matches no more than each of its matches does. */
	for (entry = start; entry < end; entry = next) {
		hidden = true;
		for (next = entry; next < end && next->match == entry->match;
		    next++)
			hidden &= next->by != NULL &&
			    next->by->match != next->match;
		if (!hidden)
			continue;
		fm_diag_warning(cover->check->diag, &entry->line->matches->at,
		    FM_MSG_WARN_HIDDEN,
		    fm_place_print(&entry->by->line->matches->at, where));
		return;
	}
	for (entry = start; entry < end; entry++)
		entry_tell(cover, entry);
}

/* Compares the entries that were added, warns of them, and frees them. */
static void
cover_end(struct cover *cover)
{
	struct entry *v = cover->entries.items, *entry;
	struct entry *end, *start = v;
	size_t n;

	if (v == NULL)
		return;
	end = v + cover->entries.n;
	for (n = cover->entries.n; n > 0; n--) {
		entry = v + n - 1;
		if (entry->kind != FM_PATTERN_EXACT || !entry->alone) {
			entry->next = cover->first;
			cover->first = entry;
		}
	}
	for (entry = v; entry < end; entry++) {
		entry_find(cover, entry);
		if (entry + 1 < end && entry[1].line == entry->line)
			continue;
		line_tell(cover, start, entry + 1);
		start = entry + 1;
	}
	fm_grow_fini(&cover->entries);
	fm_check_table_fini(&cover->exact);
}

/* The operands of all lines of a list are as those of one test. */
void
fm_check_covered(struct fm_check *check, const struct fm_list_def *list)
{
	struct cover cover = { .check = check, .nocase = list->nocase,
	    .named = list->for_names != NULL && check->model->has_no_vary,
	    .steps = COVER_STEPS, .exact = { .nocase = list->nocase } };
	const struct fm_match *match;
	const struct fm_line *line;

	for (line = list->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			cover_add(&cover, match->mode, &match->operands,
			    check->in_map != NULL ? line : NULL,
			    check->in_map != NULL ? match : NULL);
	cover_end(&cover);
}

void
fm_check_covered_words(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, bool nocase)
{
	struct fm_match match = { .mode = mode, .operands = *words };
	struct fm_line line = { .matches = &match };

	fm_check_covered(check,
	    &(struct fm_list_def){ .nocase = nocase, .lines = &line });
}
