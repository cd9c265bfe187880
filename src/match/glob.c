/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tries globs without recursion.  If a byte does not match, the last `*` takes
 * one byte more, and we go on from there.  An earlier `*` never has to take
 * more: whatever it could take, the last one can take instead.
 */

#include "glob.h"

/* How the bytes of a subject are read and compared. */
struct glob_reading {
	bool	nocase;
	bool	header;		/* nocase, and `-` is any fm_is_mark() */
};

static inline bool
glob_fits(char g, unsigned char c, struct glob_reading r)
{
	unsigned char byte = (unsigned char)g;

	return (g == '?' || byte == c ||
	    (r.nocase && fm_lower(byte) == fm_lower(c)) ||
	    (r.header && g == '-' && fm_is_mark(c)));
}

/* Is inlined for each reading, so that `r` is a constant. */
static inline __attribute__((always_inline)) bool
glob_match(struct fm_text glob, struct fm_text subject, struct glob_reading r)
{
	const char *g = glob.b, *ge = g + glob.len, *behind_star = NULL;
	const char *s = subject.b, *se = s + subject.len, *taken = NULL;

	/* The end first: then `*.jpg` costs nothing on a long subject. */
	while (g < ge && ge[-1] != '*') {
		if (s == se || !glob_fits(ge[-1], (unsigned char)se[-1], r))
			return (false);
		ge--;
		se--;
	}
	for (;;) {
		if (g < ge && *g == '*') {
			behind_star = ++g;
			taken = s;
			if (g == ge)
				return (true);
			continue;
		}
		if (s == se)
			return (g == ge);
		if (g < ge && glob_fits(*g, (unsigned char)*s, r)) {
			g++;
			s++;
		} else if (behind_star != NULL) {
			g = behind_star;
			s = ++taken;
		} else
			return (false);
	}
}

bool
fm_glob_match(struct fm_text glob, struct fm_text subject, bool nocase)
{
	glob = fm_text_or_empty(glob);
	subject = fm_text_or_empty(subject);
	return (nocase ?
	    glob_match(glob, subject, (struct glob_reading){ .nocase = true }) :
	    glob_match(glob, subject, (struct glob_reading){ 0 }));
}

bool
fm_glob_match_header(struct fm_text glob, struct fm_text name)
{
	return (glob_match(fm_text_or_empty(glob), fm_text_or_empty(name),
	    (struct glob_reading){ .nocase = true, .header = true }));
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
