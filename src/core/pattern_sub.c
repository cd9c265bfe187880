/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * VCL's regsub and regsuball.
 */

#include <ctype.h>

#include "borders.h"
#include "obj.h"
#include "pattern_priv.h"

/*
 * So many matches PCRE2 is asked for in a subject, and one more for so many
 * bytes, but no more than what one regex may take.  A client may write a match
 * at every byte, and each costs some hundred times as much as another byte.
 */
#define SUB_MATCHES		64
#define SUB_MATCH_BYTES		48
#define SUB_MATCHES_MOST	140

/*
 * After so many matches of a text the others are found in one pass, which takes
 * no call for each; there are few of a longer one.
 */
#define SUB_FEW			16
#define SUB_TEXT_MAX		256

/* What is replaced, and what for; where it is written, and how much that is. */
struct sub {
	struct fm_text	subject, replacement;
	bool		refers;		/* the replacement to the match */
	size_t		offset;		/* of the subject all is written */
	char		*buf;
	size_t		cap;
	size_t		len;
};

static inline void
sub_write(struct sub *s, const char *b, size_t len)
{
	if (len == 0)
		return;
	if (s->len + len <= s->cap)
		memcpy(s->buf + s->len, b, len);
	s->len += len;
}

static void
sub_expand(struct sub *s, const struct fm_text groups[FM_REGEX_GROUPS])
{
	const char *p, *e;
	struct fm_text g;

	if (!s->refers) {
		sub_write(s, s->replacement.b, s->replacement.len);
		return;
	}
	e = s->replacement.b + s->replacement.len;
	for (p = s->replacement.b; p < e; p++) {
		if (*p == '\\' && p + 1 < e) {
			p++;
			if (isdigit((unsigned char)*p)) {
				g = groups[*p - '0'];
				sub_write(s, g.b, g.len);
				continue;
			}
		}
		sub_write(s, p, 1);
	}
}

/* What is in front of the match, and what stands for it. */
static void
sub_match(struct sub *s, const struct fm_text groups[FM_REGEX_GROUPS])
{
	size_t start = (size_t)(groups[0].b - s->subject.b);

	sub_write(s, s->subject.b + s->offset, start - s->offset);
	sub_expand(s, groups);
	s->offset = start + groups[0].len;
}

/* All matches of a text from the offset on. */
static void
sub_texts(struct sub *s, const struct fm_pattern *p)
{
	struct fm_text t = p->text, groups[FM_REGEX_GROUPS] = { { NULL, 0 } };
	unsigned char text[SUB_TEXT_MAX] = { 0 }, lower[256];
	uint32_t borders[SUB_TEXT_MAX];
	size_t i, n = 0;

	for (i = 0; i < 256; i++)
		lower[i] = p->nocase ? fm_lower((unsigned char)i) :
		    (unsigned char)i;
	for (i = 0; i < t.len; i++)
		text[i] = lower[(unsigned char)t.b[i]];
	fm_borders_fill(borders, text, t.len);
	for (i = s->offset; i < s->subject.len; i++) {
		n = fm_borders_next(borders, text, n,
		    lower[(unsigned char)s->subject.b[i]]);
		if (n < t.len)
			continue;
		n = 0;
		groups[0] = fm_text(s->subject.b + i + 1 - t.len, t.len);
		sub_match(s, groups);
	}
}

/* How often it matches.  0 as well, and counted: it was given up. */
static size_t
sub_find(struct sub *s, const struct fm_pattern *p, bool all,
    struct fm_tally *tally)
{
	unsigned over = tally->over_limit + tally->unasked, n = 0;
	size_t most = SUB_MATCHES + s->subject.len / SUB_MATCH_BYTES;
	bool is_text = p->kind == FM_PATTERN_CONTAINS &&
	    p->text.len <= SUB_TEXT_MAX;
	struct fm_text groups[FM_REGEX_GROUPS];

	if (most > SUB_MATCHES_MOST)
		most = SUB_MATCHES_MOST;
	while ((n == 0 || all) &&
	    fm_pattern_find(p, s->subject, s->offset, n, groups, tally)) {
		if (n == most && p->kind == FM_PATTERN_REGEX) {
			tally->over_limit++;
			break;
		}
		n++;
		/* \K in a look-behind goes back. */
		if (groups[0].b < s->subject.b + s->offset)
			break;
		sub_match(s, groups);
		if (n == SUB_FEW && is_text && all) {
			sub_texts(s, p);
			break;
		}
	}
	return (over == tally->over_limit + tally->unasked ? n : 0);
}

size_t
fm_pattern_sub(const struct fm_pattern *p, struct fm_text subject,
    struct fm_text replacement, bool all, char *buf, size_t cap,
    struct fm_tally *tally)
{
	struct fm_text groups[FM_REGEX_GROUPS];
	struct sub s = { .subject = fm_text_or_empty(subject),
	    .replacement = fm_text_or_empty(replacement),
	    .buf = buf, .cap = cap };
	size_t len;

	FM_OBJ_CHECK(p, FM_PATTERN_MAGIC);
	s.refers = memchr(s.replacement.b, '\\', s.replacement.len) != NULL;
	if (all && p->row != NULL && fm_regular_may(s.subject) && !s.refers) {
		/* To find the first, or none, nobody is as fast as PCRE2. */
		if (!fm_pattern_find(p, s.subject, 0, 0, groups, tally))
			return (FM_PATTERN_SAME);
		(void)fm_byterow_sub(p->row, s.subject,
		    (size_t)(groups[0].b - s.subject.b), s.replacement, buf,
		    cap, &len);
		return (len);
	}
	if (sub_find(&s, p, all, tally) == 0)
		return (FM_PATTERN_SAME);
	sub_write(&s, s.subject.b + s.offset, s.subject.len - s.offset);
	return (s.len);
}
