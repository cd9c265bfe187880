/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One pattern, tried alone.
 */

#include "effort.h"
#include "find.h"
#include "glob.h"
#include "obj.h"
#include "pattern_priv.h"

static const char * const pattern_kinds[] = {
	[FM_PATTERN_CONTAINS] = "contains",
	[FM_PATTERN_EXACT] = "exact",
	[FM_PATTERN_PREFIX] = "prefix",
	[FM_PATTERN_SUFFIX] = "suffix",
	[FM_PATTERN_GLOB] = "glob",
	[FM_PATTERN_REGEX] = "regex",
};

/*
 * Whether a subject from here on matches is not left to PCRE2 where its regex
 * is regular: it is faster on what is shorter, but the client chooses how long
 * a header is.
 */
#define PATTERN_LONG	64
/*
 * One without an endless repeat, from here on: PCRE2 is faster by far where few
 * bytes are such that a match may begin there, and slower where most are.
 */
#define PATTERN_LONGER	128
#define PATTERN_FEW(len)	(16 + (len) / 16)

static bool
pattern_no_memory(const struct fm_place *place, struct fm_diag *diag)
{
	fm_diag_error(diag, place, "out of memory");
	return (false);
}

static bool
pattern_regex(struct fm_pattern *p, const struct fm_place *place,
    struct fm_diag *diag)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_place at = *place;
	size_t offset = 0;

	p->regex = fm_regex_new(p->text, p->nocase, error, &offset);
	if (p->regex == NULL && *error == '\0')
		return (pattern_no_memory(place, diag));
	if (p->regex == NULL) {
		if (at.column > 0)
			at.column += (unsigned)offset;
		fm_diag_error(diag, &at, "regex '%.*s': %s (at offset %zu)",
		    (int)(p->text.len < 200 ? p->text.len : 200), p->text.b,
		    error, offset);
		fm_effort_regex_failed();
		return (false);
	}
	if (!fm_effort_allows_regex(p->text, fm_regex_bytes(p->regex), place,
	    diag))
		return (false);
	p->regular = fm_regular_new(p->text, p->nocase);
	p->row = fm_byterow_new(p->text, p->nocase);
	return (true);
}

static bool
pattern_contains(struct fm_pattern *p, const struct fm_place *place,
    struct fm_diag *diag)
{
	if (!p->nocase || !fm_text_has_letters(p->text)) {
		p->rare = fm_find_rare(p->text, false);
		return (true);
	}
	p->folded = fm_folded_new(p->text);
	return (p->folded != NULL || pattern_no_memory(place, diag));
}

/* Whether there may be as much of what takes long to compile. */
static bool
pattern_is_allowed(enum fm_pattern_kind kind, struct fm_text text,
    const struct fm_place *place, struct fm_diag *diag)
{
	if (kind == FM_PATTERN_REGEX)
		return (!fm_effort_is_over(FM_EFFORT_REGEXES));
	if (kind != FM_PATTERN_CONTAINS && kind != FM_PATTERN_GLOB)
		return (true);
	return (fm_effort_allows(FM_EFFORT_TEXTS, text.len + FM_EFFORT_TEXT,
	    place, diag));
}

struct fm_pattern *
fm_pattern_new(enum fm_pattern_kind kind, struct fm_text text, bool nocase,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_pattern *p;

	assert(place != NULL);
	assert(text.b != NULL);
	if (text.len == 0 && (kind == FM_PATTERN_CONTAINS ||
	    kind == FM_PATTERN_PREFIX || kind == FM_PATTERN_SUFFIX)) {
		fm_diag_error(diag, place, "an empty pattern of kind %s would "
		    "match everything: give it a text, or leave it out",
		    pattern_kinds[kind]);
		return (NULL);
	}
	if (!pattern_is_allowed(kind, text, place, diag))
		return (NULL);
	p = calloc(1, sizeof *p + text.len + 1);
	if (p == NULL) {
		fm_diag_error(diag, place, "out of memory");
		return (NULL);
	}
	p->magic = FM_PATTERN_MAGIC;
	p->kind = kind;
	p->nocase = nocase;
	memcpy(p->bytes, text.b, text.len);
	p->text = fm_text(p->bytes, text.len);
	if ((kind == FM_PATTERN_REGEX && !pattern_regex(p, place, diag)) ||
	    (kind == FM_PATTERN_CONTAINS && !pattern_contains(p, place, diag)))
		fm_pattern_free(&p);
	return (p);
}

void
fm_pattern_free(struct fm_pattern **pp)
{
	struct fm_pattern *p;

	FM_OBJ_TAKE(p, pp, FM_PATTERN_MAGIC);
	if (p->folded != NULL)
		fm_folded_free(&p->folded);
	if (p->regex != NULL)
		fm_regex_free(&p->regex);
	if (p->regular != NULL)
		fm_regular_free(&p->regular);
	if (p->row != NULL)
		fm_byterow_free(&p->row);
	FM_OBJ_FREE(p);
}

enum fm_pattern_kind
fm_pattern_kind(const struct fm_pattern *p)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	return (p->kind);
}

struct fm_text
fm_pattern_text(const struct fm_pattern *p)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	return (p->text);
}

bool
fm_pattern_nocase(const struct fm_pattern *p)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	return (p->nocase);
}

bool
fm_pattern_may_be_empty(const struct fm_pattern *p)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	assert(p->kind == FM_PATTERN_REGEX);
	return (fm_regex_may_be_empty(p->regex));
}

size_t
fm_pattern_bytes(const struct fm_pattern *p)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	return (sizeof *p + p->text.len + 1 +
	    (p->folded != NULL ? fm_folded_bytes(p->folded) : 0) +
	    (p->regex != NULL ? fm_regex_bytes(p->regex) : 0) +
	    (p->regular != NULL ? fm_regular_bytes(p->regular) : 0) +
	    (p->row != NULL ? fm_byterow_bytes(p->row) : 0));
}

static bool
pattern_equal(const struct fm_pattern *p, struct fm_text t)
{
	return (p->nocase ? fm_text_eq_nocase(p->text, t) :
	    fm_text_eq(p->text, t));
}

/*
 * The leftmost place in the subject from offset on, for kinds other than
 * regex.  All of these but contains are tied to an end of the subject.
 */
static bool
pattern_find_plain(const struct fm_pattern *p, struct fm_text subject,
    size_t offset, struct fm_text *found)
{
	const char *b;

	*found = subject;
	switch (p->kind) {
	case FM_PATTERN_CONTAINS:
		if (offset == subject.len)
			return (false);
		subject = fm_text(subject.b + offset, subject.len - offset);
		b = p->folded != NULL ? fm_folded_find(p->folded, subject) :
		    fm_find(subject, p->text, p->rare);
		*found = fm_text(b, p->text.len);
		return (b != NULL);
	case FM_PATTERN_EXACT:
		return (offset == 0 && pattern_equal(p, subject));
	case FM_PATTERN_PREFIX:
		found->len = p->text.len;
		return (offset == 0 && subject.len >= p->text.len &&
		    pattern_equal(p, *found));
	case FM_PATTERN_SUFFIX:
		if (subject.len - offset < p->text.len)
			return (false);
		found->b += subject.len - p->text.len;
		found->len = p->text.len;
		return (pattern_equal(p, *found));
	case FM_PATTERN_GLOB:
		return (offset == 0 &&
		    fm_glob_match(p->text, subject, p->nocase));
	case FM_PATTERN_REGEX:
		break;
	}
	assert(!"a kind of pattern");
	return (false);
}

/* What the table says; start as in fm_regular_find(). */
static enum fm_regular_result
pattern_regular(const struct fm_pattern *p, struct fm_text subject,
    size_t *start)
{
	if (p->regular == NULL || subject.len < PATTERN_LONG)
		return (FM_REGULAR_UNKNOWN);
	return (fm_regular_find(p->regular, subject, start));
}

/* PCRE2, where it mostly has the answer sooner than the table; or false. */
static bool
pattern_try(const struct fm_pattern *p, struct fm_text subject, bool *match,
    struct fm_tally *tally)
{
	size_t few = 0;

	if (subject.len >= PATTERN_LONG) {
		if (fm_regular_is_endless(p->regular))
			return (false);
		few = PATTERN_FEW(subject.len);
		if (!fm_regex_is_rare(p->regex, subject, few)) {
			if (subject.len >= PATTERN_LONGER)
				return (false);
			few = 0;
		}
	}
	return (fm_regex_try(p->regex, subject, few, match, tally));
}

static bool
pattern_match_regex(const struct fm_pattern *p, struct fm_text subject,
    struct fm_tally *tally)
{
	enum fm_regular_result result;
	bool match;

	if (fm_tally_is_spent(tally)) {
		tally->unasked++;
		return (false);
	}
	if (p->regular == NULL)
		return (fm_regex_match(p->regex, subject, tally));
	if (pattern_try(p, subject, &match, tally))
		return (match);
	result = fm_regular_find(p->regular, subject, NULL);
	if (result == FM_REGULAR_NO || result == FM_REGULAR_YES)
		return (result == FM_REGULAR_YES);
	return (fm_regex_match(p->regex, subject, tally));
}

bool
fm_pattern_match(const struct fm_pattern *p, struct fm_text subject,
    struct fm_tally *tally)
{
	struct fm_text found;

	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	tally->confirms++;
	subject = fm_text_or_empty(subject);	/* as in VCL */
	if (p->kind == FM_PATTERN_REGEX)
		return (pattern_match_regex(p, subject, tally));
	return (pattern_find_plain(p, subject, 0, &found));
}

static bool
pattern_groups(const struct fm_pattern *p, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *tally)
{
	enum fm_regular_result result;
	size_t start = 0;

	result = pattern_regular(p, subject, &start);
	return (result != FM_REGULAR_NO && fm_regex_groups(p->regex, subject,
	    start, result == FM_REGULAR_YES, groups, tally));
}

bool
fm_pattern_find(const struct fm_pattern *p, struct fm_text subject,
    size_t offset, unsigned nth, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	/* A table goes over all that there is: only for the first. */
	if (p->regex != NULL && nth == 0)
		return (pattern_groups(p, subject, groups, tally) &&
		    groups[0].b != NULL);
	if (p->regex != NULL)
		return (fm_regex_find(p->regex, subject, offset, nth,
		    groups, tally));
	memset(groups, 0, FM_REGEX_GROUPS * sizeof *groups);
	return (pattern_find_plain(p, subject, offset, &groups[0]) &&
	    !(nth > 0 && groups[0].len == 0));
}

bool
fm_pattern_groups(const struct fm_pattern *p, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *tally)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	assert(p->kind == FM_PATTERN_REGEX);
	tally->confirms++;
	return (pattern_groups(p, fm_text_or_empty(subject), groups, tally));
}
