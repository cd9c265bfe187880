/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operands that decide nothing, for another one matches all that they match:
 * `contains "Android 9"` where there is `contains Android`.  Such another one
 * is of the same test, list or match of a map's line; or of an earlier line
 * of the map.
 */

#include <stdlib.h>

#include "check_priv.h"
#include "glob.h"

static bool
text_begins(struct fm_text t, struct fm_text with, bool nocase)
{
	return (t.len >= with.len &&
	    fm_check_text_eq(fm_text(t.b, with.len), with, nocase));
}

static bool
text_ends(struct fm_text t, struct fm_text with, bool nocase)
{
	return (t.len >= with.len && fm_check_text_eq(fm_text(
	    t.b + t.len - with.len, with.len), with, nocase));
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

bool
fm_check_is_stars(enum fm_pattern_kind mode, struct fm_text t)
{
	return (mode == FM_PATTERN_GLOB && t.len > 0 &&
	    strspn(t.b, "*") == t.len);
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

bool
fm_check_covers(enum fm_pattern_kind by, struct fm_text with,
    enum fm_pattern_kind kind, struct fm_text t, bool nocase)
{
	by = fm_check_kind(by, &with);
	kind = fm_check_kind(kind, &t);
	if (by == FM_PATTERN_REGEX)
		return (kind == FM_PATTERN_EXACT &&
		    regex_fits(with, t, nocase));
	if (by == FM_PATTERN_GLOB)
		return (glob_covers(with, kind, t, nocase));
	if (with.len == 0 || kind == FM_PATTERN_REGEX)
		return (false);
	switch (by) {
	case FM_PATTERN_EXACT:
		return (kind == FM_PATTERN_EXACT &&
		    fm_check_text_eq(t, with, nocase));
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
 * Each operand of a test, a list or a map with the others
 */

/*
 * Each is compared with each: where there are many, there is an end to it.  A
 * regex is compiled for each text that it is compared with: some 50 us.
 */
#define COVER_STEPS	2000000L
#define COVER_REGEXES	500

struct entry {
	const struct fm_word	*word;
	enum fm_pattern_kind	mode;
	unsigned		group;		/* a test, a list, or a match */
	bool			negated;
	bool			alone;		/* the only match of its line */
	const struct fm_map_line *line;		/* or NULL */
	const struct entry	*by;		/* hides it, or NULL */
	struct entry		*next;		/* of those that may hide */
};

struct entries {
	struct fm_check		*check;
	bool			nocase;
	struct entry		*v;
	unsigned		n;
	struct entry		*first, **last;	/* that may hide others */
	struct fm_check_table	same;
	long			steps, regexes;	/* that are left */
};

/* Returns false, and tells of it, if there is no memory. */
static bool
entries_begin(struct entries *all, struct fm_check *check, size_t n,
    bool nocase)
{
	*all = (struct entries){ .check = check, .nocase = nocase,
	    .same = { .nocase = nocase }, .steps = COVER_STEPS,
	    .regexes = COVER_REGEXES };
	all->v = calloc(n + 1, sizeof *all->v);
	if (all->v == NULL)
		fm_check_memory(check);
	return (all->v != NULL);
}

static void
entries_end(struct entries *all)
{
	free(all->v);
	fm_check_table_fini(&all->same);
}

static void
entries_add(struct entries *all, const struct fm_words *words,
    const struct entry *like)
{
	const struct fm_word *word;
	struct entry *entry;

	for (word = words->first; word != NULL; word = word->next) {
		/* An empty operand is an error, and hides nothing. */
		if (word->text.len == 0 && like->mode != FM_PATTERN_EXACT)
			continue;
		entry = &all->v[all->n++];
		*entry = *like;
		entry->word = word;
		if (like->mode == FM_PATTERN_EXACT)
			continue;
		if (all->first == NULL)
			all->last = &all->first;
		*all->last = entry;
		all->last = &entry->next;
	}
}

static bool
entry_covers(const struct entries *all, const struct entry *by,
    const struct entry *entry)
{
	return (fm_check_covers(by->mode, by->word->text, entry->mode,
	    entry->word->text, all->nocase));
}

/* Returns true if both are written alike; the case of a regex counts. */
static bool
entry_is(const struct entries *all, const struct entry *a,
    const struct entry *b)
{
	struct fm_text ta = a->word->text, tb = b->word->text;

	/* `like` without a wildcard is `is`. */
	return (fm_check_kind(a->mode, &ta) == fm_check_kind(b->mode, &tb) &&
	    fm_check_text_eq(a->word->text, b->word->text, all->nocase &&
	    a->mode != FM_PATTERN_REGEX));
}

/* The first of two in a group that mean the same stays. */
static bool
entry_hidden(const struct entries *all, const struct entry *entry,
    const struct entry *by)
{
	if (by->group != entry->group)
		return (by->alone && !entry->negated &&
		    by->line != entry->line && entry_covers(all, by, entry));
	/* Stars alone are told as such. */
	return (by != entry && !fm_check_is_stars(by->mode, by->word->text) &&
	    !fm_check_is_stars(entry->mode, entry->word->text) &&
	    !entry_is(all, by, entry) && entry_covers(all, by, entry) &&
	    (by < entry || !entry_covers(all, entry, by)));
}

/* Finds the same in the group, or in an earlier line. */
static const struct entry *
entry_same(struct entries *all, struct entry *entry)
{
	struct fm_text t = entry->word->text;
	unsigned kind = fm_check_kind(entry->mode, &t) == FM_PATTERN_EXACT ?
	    FM_PATTERN_EXACT : entry->mode;
	const struct entry *same = NULL;
	void *first;

	t = entry->word->text;
	if (!entry->alone && !entry->negated)
		same = fm_check_table_find(&all->same, t, kind);
	if (same == NULL) {
		/* An entry that is not alone counts for its group only. */
		kind |= entry->alone ? 0 : (entry->group + 1) << 3;
		if (fm_check_table_add(&all->same, t, kind, entry,
		    &first) != 0)
			fm_check_memory(all->check);
		same = first;
	}
	return (same != NULL && entry_is(all, same, entry) ? same : NULL);
}

static void
entry_find(struct entries *all, struct entry *entry)
{
	struct entry *by = all->first;

	for (; by != NULL && entry->by == NULL && all->steps > 0;
	    by = by->next) {
		if (by > entry && by->group != entry->group)
			break;
		all->steps -= 1 + (long)entry->word->text.len / 16;
		if (by->mode == FM_PATTERN_REGEX &&
		    entry->mode == FM_PATTERN_EXACT && all->regexes-- <= 0)
			continue;
		if (entry_hidden(all, entry, by))
			entry->by = by;
	}
	if (entry->by == NULL)
		entry->by = entry_same(all, entry);
}

static void
entry_tell(const struct entries *all, const struct entry *entry)
{
	const struct entry *by = entry->by;
	char where[FM_PLACE_LEN];

	if (by == NULL)
		return;
	fm_place_print(&by->word->at, where);
	if (by->group == entry->group && entry_is(all, by, entry))
		fm_diag_warning(all->check->diag, &entry->word->at,
		    FM_MSG_WARN_TWICE, FM_CHECK_QUOTE(entry->word->text),
		    where);
	else
		fm_diag_warning(all->check->diag, &entry->word->at,
		    FM_MSG_WARN_COVERED, fm_mode_word(entry->mode),
		    FM_CHECK_QUOTE(entry->word->text), fm_mode_word(by->mode),
		    FM_CHECK_QUOTE(by->word->text), where);
}

/* Warns of a line of a map that is hidden, or else of what is in it. */
static void
line_tell(const struct entries *all, const struct entry *start,
    const struct entry *end)
{
	const struct entry *entry = start, *first = start;
	char where[FM_PLACE_LEN];
	bool hidden = false;

	/* One match is enough: a line takes no more than each of them does. */
	while (entry < end && !hidden)
		for (hidden = true, first = entry; entry < end &&
		    entry->group == first->group; entry++)
			hidden &= entry->by != NULL &&
			    entry->by->group != entry->group;
	if (hidden)
		fm_diag_warning(all->check->diag, &first->line->at,
		    FM_MSG_WARN_HIDDEN,
		    fm_place_print(&first->by->line->at, where));
	for (entry = start; entry < end && !hidden; entry++)
		entry_tell(all, entry);
}

void
fm_check_covered_words(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, bool nocase)
{
	struct fm_list_line line = { .mode = mode, .operands = *words };
	struct fm_list_def list = { .nocase = nocase, .lines = &line };

	fm_check_covered(check, &list);
}

void
fm_check_covered(struct fm_check *check, const struct fm_list_def *list)
{
	const struct fm_list_line *line;
	struct entries all;
	unsigned i;
	size_t n = 0;

	for (line = list->lines; line != NULL; line = line->next)
		n += line->operands.count;
	if (n < 2 || !entries_begin(&all, check, n, list->nocase))
		return;
	for (line = list->lines; line != NULL; line = line->next)
		entries_add(&all, &line->operands,
		    &(struct entry){ .mode = line->mode, .alone = true });
	for (i = 0; i < all.n; i++) {
		entry_find(&all, &all.v[i]);
		entry_tell(&all, &all.v[i]);
	}
	entries_end(&all);
}

void
fm_check_hidden(struct fm_check *check, const struct fm_map_def *map)
{
	const struct fm_map_line *line;
	const struct fm_match *match;
	struct entries all;
	unsigned i, from = 0;
	size_t n = 0;

	for (line = map->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			n += match->operands.count;
	if (!entries_begin(&all, check, n, map->nocase))
		return;
	for (line = map->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			entries_add(&all, &match->operands,
			    &(struct entry){ .mode = match->mode,
			    .group = all.n, .negated = match->negated,
			    .alone = line->matches->next == NULL &&
			    !match->negated, .line = line });
	for (i = 0; i < all.n; i++) {
		entry_find(&all, &all.v[i]);
		if (i + 1 < all.n && all.v[i + 1].line == all.v[i].line)
			continue;
		line_tell(&all, all.v + from, all.v + i + 1);
		from = i + 1;
	}
	entries_end(&all);
}
