/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs, without recursion: where a byte does not fit, only the last `*` has
 * to take one byte more, since whatever the stars before it could take
 * instead, it can take as well.
 */

#include "glob.h"
#include "percent.h"

#define GLOB_LONG	12
#define GLOB_WORD	64	/* bits: bytes of a piece looked for at once */

/* How the bytes of a subject are read. */
enum glob_step {
	GLOB_RAW,
	GLOB_NOCASE,
	GLOB_PERCENT,
	GLOB_PERCENT_NOCASE
};

static inline unsigned char
glob_next(const char **s, const char *e, enum glob_step step)
{
	if (step == GLOB_PERCENT)
		return (fm_percent_next(s, e));
	if (step == GLOB_PERCENT_NOCASE)
		return (fm_lower(fm_percent_next(s, e)));
	if (step == GLOB_NOCASE)
		return (fm_lower((unsigned char)*(*s)++));
	return ((unsigned char)*(*s)++);
}

static inline bool
glob_fits(char g, unsigned char c, enum glob_step step)
{
	if (g == '?')
		return (true);
	if (step == GLOB_NOCASE || step == GLOB_PERCENT_NOCASE)
		return (fm_lower((unsigned char)g) == c);
	return ((unsigned char)g == c);
}

/*
 * Behind a `*`: where the piece up to the next one ends, if it is long.  A few
 * bytes are found faster by the first of them.
 */
static const char *
glob_long(const char *g, const char *ge)
{
	const char *e = memchr(g, '*', (size_t)(ge - g));

	return (e != NULL && e - g >= GLOB_LONG ? e : NULL);
}

/* For each byte a bit for each place of the piece where it fits. */
static inline __attribute__((always_inline)) void
glob_masks(uint64_t masks[256], const char *g, size_t n, enum glob_step step)
{
	uint64_t any = 0;
	unsigned c;
	size_t i;

	memset(masks, 0, 256 * sizeof *masks);
	for (i = 0; i < n; i++)
		if (g[i] == '?')
			any |= 1ULL << i;
		else if (step == GLOB_NOCASE || step == GLOB_PERCENT_NOCASE)
			masks[fm_lower((unsigned char)g[i])] |= 1ULL << i;
		else
			masks[(unsigned char)g[i]] |= 1ULL << i;
	for (c = 0; any != 0 && c < 256; c++)
		masks[c] |= any;
}

/*
 * Where the first place ends that the piece from g to ge fits; NULL: there is
 * none.  The first is as good as any other.  In one pass: of a word each bit
 * says whether the piece fits up to there.
 */
static inline __attribute__((always_inline)) const char *
glob_find(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step)
{
	size_t n = ge - g < GLOB_WORD ? (size_t)(ge - g) : GLOB_WORD;
	uint64_t masks[256], fits = 0, last = 1ULL << ((n - 1) % GLOB_WORD);
	const char *rest, *at;

	glob_masks(masks, g, n, step);
	while (s < se) {
		fits = (fits << 1 | 1) & masks[glob_next(&s, se, step)];
		if ((fits & last) == 0)
			continue;
		at = s;
		for (rest = g + n; rest < ge && at < se; rest++)
			if (!glob_fits(*rest, glob_next(&at, se, step), step))
				break;
		if (rest == ge)
			return (at);
	}
	return (NULL);
}

/* Inlined for each step, which is a constant there. */
static inline __attribute__((always_inline)) bool
glob_run(struct fm_text glob, struct fm_text subject, enum glob_step step)
{
	const char *g, *ge, *s, *se, *next;
	const char *star = NULL;	/* what follows the last `*` */
	const char *taken = NULL;	/* where what it takes ends */
	const char *end;

	if (glob.len == 0)
		return (subject.len == 0);
	g = glob.b;
	ge = g + glob.len;
	s = subject.len == 0 ? g : subject.b;	/* it may be NULL */
	se = s + subject.len;
	while (s < se) {
		if (g < ge && *g == '*') {
			star = ++g;
			taken = s;
			if (star == ge)
				return (true);
			end = glob_long(g, ge);
			if (end != NULL) {
				s = glob_find(g, end, s, se, step);
				if (s == NULL)
					return (false);
				g = end;
			}
			continue;
		}
		next = s;
		if (g < ge && glob_fits(*g, glob_next(&next, se, step), step)) {
			g++;
			s = next;
			continue;
		}
		if (star == NULL)
			return (false);
		(void)glob_next(&taken, se, step);
		if (step == GLOB_RAW && *star != '?' && *star != '*' &&
		    (taken == se || *taken != *star)) {
			taken = memchr(taken, *star, (size_t)(se - taken));
			if (taken == NULL)
				return (false);
		}
		g = star;
		s = taken;
	}
	while (g < ge && *g == '*')
		g++;
	return (g == ge);
}

bool
fm_glob_match(struct fm_text glob, struct fm_text subject, bool nocase)
{
	enum glob_step step = nocase ? GLOB_NOCASE : GLOB_RAW;
	const char *s;

	/*
	 * What follows the last `*` can only be the end of the subject.  To
	 * look there first makes `*.jpg` cost nothing on a long subject.
	 */
	while (glob.len > 0 && glob.b[glob.len - 1] != '*') {
		if (subject.len == 0)
			return (false);
		s = subject.b + subject.len - 1;
		if (!glob_fits(glob.b[glob.len - 1],
		    glob_next(&s, s + 1, step), step))
			return (false);
		glob.len--;
		subject.len--;
	}
	return (nocase ? glob_run(glob, subject, GLOB_NOCASE) :
	    glob_run(glob, subject, GLOB_RAW));
}

bool
fm_glob_match_percent(struct fm_text glob, struct fm_text subject, bool nocase)
{
	return (nocase ? glob_run(glob, subject, GLOB_PERCENT_NOCASE) :
	    glob_run(glob, subject, GLOB_PERCENT));
}

bool
fm_glob_fits(struct fm_text glob, const char *bytes, bool nocase)
{
	enum glob_step step = nocase ? GLOB_NOCASE : GLOB_RAW;
	size_t i;

	for (i = 0; i < glob.len; i++)
		if (!glob_fits(glob.b[i], glob_next(&bytes, bytes + 1, step),
		    step))
			return (false);
	return (true);
}

bool
fm_glob_contains(struct fm_text glob, struct fm_text *plain)
{
	if (glob.len < 3 || glob.b[0] != '*')
		return (false);
	*plain = fm_text(glob.b + 1, glob.len - 2);
	return (glob.b[glob.len - 1] == '*' &&
	    fm_glob_prefix(*plain) == plain->len);
}

size_t
fm_glob_prefix(struct fm_text glob)
{
	size_t n;

	for (n = 0; n < glob.len; n++)
		if (glob.b[n] == '*' || glob.b[n] == '?')
			break;
	return (n);
}
