/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One pattern, tried alone.
 */

#include <ctype.h>

#include "find.h"
#include "glob.h"
#include "obj.h"
#include "pattern.h"

struct fm_pattern {
	unsigned		magic;
#define FM_PATTERN_MAGIC	0x1e6bd70f
	enum fm_pattern_kind	kind;
	bool			nocase;
	struct fm_text		text;	/* of bytes */
	size_t			rare;	/* contains: where its byte is that
					 * texts have least */
	struct fm_regex		*regex;	/* of a regex, and of a contains
					 * that ignores case */
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

/* A literal as a regex: every byte as \xHH, so that none is special. */
static struct fm_regex *
pattern_quote(struct fm_text t, bool nocase, char error[FM_REGEX_ERROR_LEN],
    size_t *offset)
{
	static const char hex[] = "0123456789abcdef";
	struct fm_regex *re;
	char *quoted, *q;
	size_t i;

	quoted = malloc(4 * t.len);
	if (quoted == NULL) {
		*error = '\0';
		return (NULL);
	}
	for (i = 0, q = quoted; i < t.len; i++) {
		*q++ = '\\';
		*q++ = 'x';
		*q++ = hex[(unsigned char)t.b[i] >> 4];
		*q++ = hex[t.b[i] & 0xf];
	}
	re = fm_regex_new(fm_text_span(quoted, q), nocase, error, offset);
	free(quoted);
	return (re);
}

static bool
pattern_compile(struct fm_pattern *p, const struct fm_place *place,
    struct fm_diag *diag)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_place at;
	size_t offset = 0;

	if (p->kind == FM_PATTERN_REGEX)
		p->regex = fm_regex_new(p->text, p->nocase, error, &offset);
	else if (p->kind == FM_PATTERN_CONTAINS && p->nocase)
		p->regex = pattern_quote(p->text, true, error, &offset);
	else
		return (true);
	if (p->regex != NULL)
		return (true);
	if (*error == '\0') {
		fm_diag_error(diag, place, "out of memory");
		return (false);
	}
	at = *place;
	if (at.column > 0)
		at.column += (unsigned)offset;
	fm_diag_error(diag, &at, "regex '%.*s': %s (at offset %zu)",
	    (int)(p->text.len < 200 ? p->text.len : 200), p->text.b, error,
	    offset);
	return (false);
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
	if (kind == FM_PATTERN_CONTAINS)
		p->rare = fm_find_rare(p->text);
	if (!pattern_compile(p, place, diag))
		fm_pattern_free(&p);
	return (p);
}

void
fm_pattern_free(struct fm_pattern **pp)
{
	struct fm_pattern *p;

	FM_OBJ_TAKE(p, pp, FM_PATTERN_MAGIC);
	if (p->regex != NULL)
		fm_regex_free(&p->regex);
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
	    (p->regex != NULL ? fm_regex_bytes(p->regex) : 0));
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
		b = fm_find(fm_text(subject.b + offset,
		    subject.len - offset), p->text, p->rare);
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

/* An absent subject is matched as an empty one, as in VCL. */
static struct fm_text
pattern_subject(struct fm_text subject)
{
	return (subject.b == NULL ? fm_text("", 0) : subject);
}

/*
 * A text that is looked for by a regex (a contains that ignores case) is never
 * over a limit, and is not for a bound on those that are.
 */
static bool
pattern_match_text(const struct fm_pattern *p, struct fm_text subject,
    struct fm_tally *tally)
{
	unsigned bound = tally->over_limit_max;
	bool match;

	tally->over_limit_max = 0;
	match = fm_regex_match(p->regex, subject, tally);
	tally->over_limit_max = bound;
	return (match);
}

bool
fm_pattern_match(const struct fm_pattern *p, struct fm_text subject,
    struct fm_tally *tally)
{
	struct fm_text found;

	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	tally->confirms++;
	subject = pattern_subject(subject);
	if (p->kind == FM_PATTERN_REGEX)
		return (fm_regex_match(p->regex, subject, tally));
	if (p->regex != NULL)
		return (pattern_match_text(p, subject, tally));
	return (pattern_find_plain(p, subject, 0, &found));
}

static bool
pattern_find(const struct fm_pattern *p, struct fm_text subject,
    size_t offset, bool notempty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	if (p->regex != NULL)
		return (fm_regex_find(p->regex, subject, offset, notempty,
		    groups, tally));
	memset(groups, 0, FM_REGEX_GROUPS * sizeof *groups);
	return (pattern_find_plain(p, subject, offset, &groups[0]) &&
	    !(notempty && groups[0].len == 0));
}

bool
fm_pattern_groups(const struct fm_pattern *p, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *tally)
{
	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	assert(p->kind == FM_PATTERN_REGEX);
	tally->confirms++;
	return (fm_regex_groups(p->regex, pattern_subject(subject), groups,
	    tally));
}

/* Where fm_pattern_sub() writes, and how much there would be to write. */
struct sub_out {
	char	*buf;
	size_t	cap;
	size_t	len;
};

static void
sub_write(struct sub_out *out, const char *b, size_t len)
{
	if (len == 0)
		return;
	if (out->len + len <= out->cap)
		memcpy(out->buf + out->len, b, len);
	out->len += len;
}

static void
sub_expand(struct sub_out *out, struct fm_text replacement,
    const struct fm_text groups[FM_REGEX_GROUPS])
{
	const char *s, *e;
	struct fm_text g;

	e = replacement.b + replacement.len;
	for (s = replacement.b; s < e; s++) {
		if (*s == '\\' && s + 1 < e) {
			s++;
			if (isdigit((unsigned char)*s)) {
				g = groups[*s - '0'];
				sub_write(out, g.b, g.len);
				continue;
			}
		}
		sub_write(out, s, 1);
	}
}

size_t
fm_pattern_sub(const struct fm_pattern *p, struct fm_text subject,
    struct fm_text replacement, bool all, char *buf, size_t cap,
    struct fm_tally *tally)
{
	struct fm_text groups[FM_REGEX_GROUPS];
	struct sub_out out = { buf, cap, 0 };
	size_t offset = 0, start;

	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	subject = pattern_subject(subject);
	replacement = pattern_subject(replacement);
	if (!pattern_find(p, subject, 0, false, groups, tally))
		return (FM_PATTERN_SAME);
	do {
		start = (size_t)(groups[0].b - subject.b);
		if (start < offset)	/* \K in a look-behind goes back */
			break;
		sub_write(&out, subject.b + offset, start - offset);
		sub_expand(&out, replacement, groups);
		offset = start + groups[0].len;
	} while (all &&
	    pattern_find(p, subject, offset, true, groups, tally));
	sub_write(&out, subject.b + offset, subject.len - offset);
	return (out.len);
}
