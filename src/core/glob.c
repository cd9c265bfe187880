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

/* Inlined for each step, which is a constant there. */
static inline __attribute__((always_inline)) bool
glob_run(struct fm_text glob, struct fm_text subject, enum glob_step step)
{
	const char *g, *ge, *s, *se, *next;
	const char *star = NULL;	/* what follows the last `*` */
	const char *taken = NULL;	/* where what it takes ends */

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
		if (step == GLOB_RAW && *star != '?' && *star != '*') {
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

size_t
fm_glob_prefix(struct fm_text glob)
{
	size_t n;

	for (n = 0; n < glob.len; n++)
		if (glob.b[n] == '*' || glob.b[n] == '?')
			break;
	return (n);
}
