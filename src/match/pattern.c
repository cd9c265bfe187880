/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes one pattern, tries it alone, and replaces what it matches (pattern.h).
 */

#include <ctype.h>

#include "caps.h"
#include "glob.h"
#include "obj.h"
#include "pattern.h"

struct fm_pattern {
	unsigned		magic;
#define FM_PATTERN_MAGIC	0x1e6bd70f
	enum fm_pattern_kind	kind;
	bool			nocase;
	struct fm_text		text;	/* of bytes */
	struct fm_regex		*regex;	/* of a regex */
	char			bytes[];	/* ends in NUL */
};

static const char * const pattern_kinds[] = {
	[FM_PATTERN_CONTAINS] = "contains",
	[FM_PATTERN_EXACT] = "exact",
	[FM_PATTERN_PREFIX] = "prefix",
	[FM_PATTERN_SUFFIX] = "suffix",
	[FM_PATTERN_GLOB] = "glob",
	[FM_PATTERN_REGEX] = "regex",
};

static bool
pattern_regex(struct fm_pattern *pattern, const struct fm_place *place,
    struct fm_diag *diag)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_place at = *place;
	size_t offset = 0;

	pattern->regex = fm_regex_new(pattern->text, pattern->nocase, error,
	    &offset);
	if (pattern->regex == NULL && *error == '\0') {
		fm_diag_error(diag, place, "out of memory");
		return (false);
	}
	if (pattern->regex == NULL) {
		if (at.column > 0)
			at.column += (unsigned)offset;
		fm_diag_error(diag, &at, "regex '%.*s': %s (at offset %zu)",
		    FM_SHOW(pattern->text), error, offset);
		fm_caps_refused();
		return (false);
	}
	return (fm_caps_take_regex(pattern->text,
	    fm_regex_bytes(pattern->regex), place, diag));
}

struct fm_pattern *
fm_pattern_new(enum fm_pattern_kind kind, struct fm_text text, bool nocase,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_pattern *pattern;

	assert(place != NULL);
	assert(text.b != NULL);
	if (text.len == 0 && (kind == FM_PATTERN_CONTAINS ||
	    kind == FM_PATTERN_PREFIX || kind == FM_PATTERN_SUFFIX)) {
		fm_diag_error(diag, place, "an empty pattern of kind %s would "
		    "match everything: give it a text, or leave it out",
		    pattern_kinds[kind]);
		return (NULL);
	}
	if (kind == FM_PATTERN_REGEX && fm_caps_are_over())
		return (NULL);
	pattern = calloc(1, sizeof *pattern + text.len + 1);
	if (pattern == NULL) {
		fm_diag_error(diag, place, "out of memory");
		return (NULL);
	}
	pattern->magic = FM_PATTERN_MAGIC;
	pattern->kind = kind;
	pattern->nocase = nocase;
	memcpy(pattern->bytes, text.b, text.len);
	pattern->text = fm_text(pattern->bytes, text.len);
	if (kind == FM_PATTERN_REGEX && !pattern_regex(pattern, place, diag))
		fm_pattern_free(&pattern);
	return (pattern);
}

void
fm_pattern_free(struct fm_pattern **pp)
{
	struct fm_pattern *pattern;

	FM_OBJ_TAKE(pattern, pp, FM_PATTERN_MAGIC);
	if (pattern->regex != NULL)
		fm_regex_free(&pattern->regex);
	FM_OBJ_FREE(pattern);
}

enum fm_pattern_kind
fm_pattern_kind(const struct fm_pattern *pattern)
{
	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	return (pattern->kind);
}

struct fm_text
fm_pattern_text(const struct fm_pattern *pattern)
{
	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	return (pattern->text);
}

bool
fm_pattern_nocase(const struct fm_pattern *pattern)
{
	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	return (pattern->nocase);
}

size_t
fm_pattern_bytes(const struct fm_pattern *pattern)
{
	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	return (sizeof *pattern + pattern->text.len + 1 +
	    (pattern->regex != NULL ? fm_regex_bytes(pattern->regex) : 0));
}

static bool
pattern_equal(const struct fm_pattern *pattern, struct fm_text t)
{
	return (pattern->nocase ? fm_text_eq_nocase(pattern->text, t) :
	    fm_text_eq(pattern->text, t));
}

/* Returns the leftmost place of a text in another one, or NULL. */
static const char *
find_text(struct fm_text t, struct fm_text what, bool nocase)
{
	if (!nocase)
		return (fm_text_find(t, what));
	for (; t.len >= what.len; t.b++, t.len--)
		if (fm_text_eq_nocase(fm_text(t.b, what.len), what))
			return (t.b);
	return (NULL);
}

/*
 * The leftmost place in the subject from offset on, for kinds other than
 * regex.  All of these but contains are anchored to an end of the subject.
 */
static bool
pattern_find_plain(const struct fm_pattern *pattern, struct fm_text subject,
    size_t offset, struct fm_text *found)
{
	const char *b;

	*found = subject;
	switch (pattern->kind) {
	case FM_PATTERN_CONTAINS:
		if (offset == subject.len)
			return (false);
		subject = fm_text(subject.b + offset, subject.len - offset);
		b = find_text(subject, pattern->text, pattern->nocase);
		*found = fm_text(b, pattern->text.len);
		return (b != NULL);
	case FM_PATTERN_EXACT:
		return (offset == 0 && pattern_equal(pattern, subject));
	case FM_PATTERN_PREFIX:
		found->len = pattern->text.len;
		return (offset == 0 && subject.len >= pattern->text.len &&
		    pattern_equal(pattern, *found));
	case FM_PATTERN_SUFFIX:
		if (subject.len - offset < pattern->text.len)
			return (false);
		found->b += subject.len - pattern->text.len;
		found->len = pattern->text.len;
		return (pattern_equal(pattern, *found));
	case FM_PATTERN_GLOB:
		return (offset == 0 &&
		    fm_glob_match(pattern->text, subject, pattern->nocase));
	case FM_PATTERN_REGEX:
		break;
	}
	assert(!"a kind of pattern");
	return (false);
}

bool
fm_pattern_match(const struct fm_pattern *pattern, struct fm_text subject,
    struct fm_tally *tally)
{
	struct fm_text found;

	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	tally->confirms++;
	subject = fm_text_or_empty(subject);	/* as in VCL */
	if (pattern->kind == FM_PATTERN_REGEX)
		return (fm_regex_match(pattern->regex, subject, tally));
	return (pattern_find_plain(pattern, subject, 0, &found));
}

/*
 * Finds the leftmost match from the offset on.  If `empty` is true, the match
 * may be empty.
 */
static bool
pattern_find(const struct fm_pattern *pattern, struct fm_text subject,
    size_t offset, bool empty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	if (pattern->regex != NULL)
		return (fm_regex_find(pattern->regex, subject, offset, empty,
		    groups, tally) && groups[0].b != NULL);
	memset(groups, 0, FM_REGEX_GROUPS * sizeof *groups);
	return (pattern_find_plain(pattern, subject, offset, &groups[0]) &&
	    (empty || groups[0].len > 0));
}

bool
fm_pattern_groups(const struct fm_pattern *pattern, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *tally)
{
	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	assert(pattern->kind == FM_PATTERN_REGEX);
	tally->confirms++;
	return (fm_regex_find(pattern->regex, fm_text_or_empty(subject), 0,
	    true, groups, tally));
}

/*--------------------------------------------------------------------
 * VCL's regsub and regsuball
 */

/* A replacement: its texts, where it is written, and how much that is. */
struct sub {
	struct fm_text	subject, replacement;
	size_t		offset;		/* of the subject all is written */
	char		*buf;
	size_t		cap;
	size_t		len;
};

static inline void
sub_write(struct sub *sub, const char *b, size_t len)
{
	if (len == 0)
		return;
	if (sub->len + len <= sub->cap)
		memcpy(sub->buf + sub->len, b, len);
	sub->len += len;
}

static void
sub_expand(struct sub *sub, const struct fm_text groups[FM_REGEX_GROUPS])
{
	const char *p, *e;
	struct fm_text g;

	e = sub->replacement.b + sub->replacement.len;
	for (p = sub->replacement.b; p < e; p++) {
		if (*p == '\\' && p + 1 < e) {
			p++;
			if (isdigit((unsigned char)*p)) {
				g = groups[*p - '0'];
				sub_write(sub, g.b, g.len);
				continue;
			}
		}
		sub_write(sub, p, 1);
	}
}

/* Writes what is in front of the match, and what replaces it. */
static void
sub_match(struct sub *sub, const struct fm_text groups[FM_REGEX_GROUPS])
{
	size_t start = (size_t)(groups[0].b - sub->subject.b);

	sub_write(sub, sub->subject.b + sub->offset, start - sub->offset);
	sub_expand(sub, groups);
	sub->offset = start + groups[0].len;
}

size_t
fm_pattern_sub(const struct fm_pattern *pattern, struct fm_text subject,
    struct fm_text replacement, bool all, char *buf, size_t cap,
    struct fm_tally *tally)
{
	struct fm_text groups[FM_REGEX_GROUPS];
	struct sub sub = { .subject = fm_text_or_empty(subject),
	    .replacement = fm_text_or_empty(replacement),
	    .buf = buf, .cap = cap };
	unsigned over = tally->over_limit;
	bool found = false;

	FM_OBJ_CHECK(pattern, FM_PATTERN_MAGIC);
	while ((!found || all) && pattern_find(pattern, sub.subject, sub.offset,
	    !found, groups, tally)) {
		found = true;
		/* \K in a look-behind goes back. */
		if (groups[0].b < sub.subject.b + sub.offset)
			break;
		sub_match(&sub, groups);
	}
	/*
	 * If a regex reached its limit on the way, the text stays as it is: a
	 * text that is replaced only in part is of no use.
	 */
	if (!found || over != tally->over_limit)
		return (FM_PATTERN_SAME);
	sub_write(&sub, sub.subject.b + sub.offset,
	    sub.subject.len - sub.offset);
	return (sub.len);
}
