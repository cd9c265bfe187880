/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs, without recursion: each piece between two stars is where it can be
 * first, since whatever the stars before it could take instead, the one behind
 * it can take as well.
 */

#include "glob.h"
#include "percent.h"

#define GLOB_LONG	12	/* bytes of a piece; fewer are found faster by
				 * the first of them, as long as only */
#define GLOB_ASTRAY	64	/* bytes are compared in vain, and another for
				 * each that is passed by; */
#define GLOB_LEAD	6	/* as so many counts where it is found */
#define GLOB_WORD	64	/* bits: bytes of a piece looked for at once */
#define GLOB_PLACES	4096	/* where a longer one is, at once */

/* How the bytes of a subject are read. */
enum glob_step {
	GLOB_RAW,
	GLOB_NOCASE,
	GLOB_PERCENT,
	GLOB_PERCENT_NOCASE,
	GLOB_HEADER		/* nocase, and `-` is `_`, too */
};

static inline bool
glob_nocase(enum glob_step step)
{
	return (step == GLOB_NOCASE || step == GLOB_PERCENT_NOCASE ||
	    step == GLOB_HEADER);
}

static inline unsigned char
glob_next(const char **s, const char *e, enum glob_step step)
{
	if (step == GLOB_PERCENT)
		return (fm_percent_next(s, e));
	if (step == GLOB_PERCENT_NOCASE)
		return (fm_lower(fm_percent_next(s, e)));
	if (step == GLOB_NOCASE || step == GLOB_HEADER)
		return (fm_lower((unsigned char)*(*s)++));
	return ((unsigned char)*(*s)++);
}

static inline bool
glob_fits(char g, unsigned char c, enum glob_step step)
{
	if (g == '?')
		return (true);
	if (step == GLOB_HEADER && g == '-')
		return (c == '-' || c == '_');
	if (glob_nocase(step))
		return (fm_lower((unsigned char)g) == c);
	return ((unsigned char)g == c);
}

/* For each byte a bit for each place of a piece where it fits. */
static inline __attribute__((always_inline)) void
glob_masks(uint64_t masks[256], const char *g, size_t n, bool nocase,
    bool header)
{
	uint64_t any = 0;
	unsigned char low;
	unsigned c;
	size_t i;

	memset(masks, 0, 256 * sizeof *masks);
	for (i = 0; i < n; i++) {
		if (g[i] == '?') {
			any |= 1ULL << i;
			continue;
		}
		low = (unsigned char)g[i];
		if (nocase)
			low = fm_lower(low);
		masks[low] |= 1ULL << i;
		if (header && low == '-')
			masks['_'] |= 1ULL << i;
		if (nocase && low >= 'a' && low <= 'z')
			masks[low - 'a' + 'A'] |= 1ULL << i;
	}
	for (c = 0; any != 0 && c < 256; c++)
		masks[c] |= any;
}

/* How to read for masks, which have both cases. */
static inline enum glob_step
glob_masked(enum glob_step step)
{
	return (step == GLOB_PERCENT || step == GLOB_PERCENT_NOCASE ?
	    GLOB_PERCENT : GLOB_RAW);
}

static inline __attribute__((always_inline)) const char *
glob_find_masked(const uint64_t masks[256], size_t n, const char *s,
    const char *se, enum glob_step step)
{
	uint64_t fits = 0, last = 1ULL << (n - 1) % GLOB_WORD;

	while (s < se) {
		fits = (fits << 1 | 1) & masks[glob_next(&s, se, step)];
		if ((fits & last) != 0)
			return (s);
	}
	return (NULL);
}

/*
 * Where the first place ends that the piece from g to ge fits, of a word's
 * length at most; NULL: there is none.  The first is as good as any other.  In
 * one pass: of a word each bit says whether the piece fits up to there.
 */
static __attribute__((noinline)) const char *
glob_find(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step)
{
	size_t n = (size_t)(ge - g);
	uint64_t masks[256];

	if (step == GLOB_HEADER)
		glob_masks(masks, g, n, true, true);
	else if (glob_nocase(step))
		glob_masks(masks, g, n, true, false);
	else
		glob_masks(masks, g, n, false, false);
	if (glob_masked(step) == GLOB_PERCENT)
		return (glob_find_masked(masks, n, s, se, GLOB_PERCENT));
	return (glob_find_masked(masks, n, s, se, GLOB_RAW));
}

/* So many bytes on. */
static inline const char *
glob_skip(const char *s, const char *se, size_t n, enum glob_step step)
{
	if (glob_masked(step) == GLOB_RAW)
		return ((size_t)(se - s) < n ? se : s + n);
	for (; n > 0 && s < se; n--)
		(void)glob_next(&s, se, step);
	return (s);
}

/*
 * Of the places from s on, a bit each, the first on top, clears those that the
 * word's length of a piece doesn't fit; whether any are left.
 */
static inline __attribute__((always_inline)) bool
glob_places(uint64_t *places, size_t words, const uint64_t masks[256],
    const char *s, const char *se, enum glob_step step)
{
	uint64_t fits = 0, found, left = 0;
	const char *e;
	unsigned i;

	for (i = 1; i < GLOB_WORD && s < se; i++)
		fits = (fits << 1 | 1) & masks[glob_next(&s, se, step)];
	for (; words > 0; words--, places++) {
		found = 0;
		e = step == GLOB_RAW && se - s > GLOB_WORD ? s + GLOB_WORD : se;
		for (i = 0; s < e; i++) {
			if (step != GLOB_RAW && i == GLOB_WORD)
				break;
			fits = (fits << 1 | 1) & masks[glob_next(&s, se, step)];
			found = found << 1 | fits >> (GLOB_WORD - 1);
		}
		found = i == 0 ? 0 : found << (GLOB_WORD - i);
		*places &= found;
		left |= *places;
	}
	return (left != 0);
}

/* The number of the first of the places. */
static size_t
glob_first(const uint64_t *places)
{
	size_t i;

	for (i = 0; places[i] == 0; i++)
		continue;
	return (i * GLOB_WORD + (size_t)__builtin_clzll(places[i]));
}

/*
 * glob_find() of a piece that is longer: of many places at once, by a word's
 * length after the other, of which the last ends where the piece does.  It
 * takes as much memory whatever the piece is, and as many passes as it has
 * words.
 */
static inline __attribute__((always_inline)) const char *
glob_find_words(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step, enum glob_step fits)
{
	uint64_t masks[256], places[GLOB_PLACES / GLOB_WORD];
	size_t n = (size_t)(ge - g), words, on;
	const char *at, *from;
	bool left;

	for (; (size_t)(se - s) >= n;
	    s = glob_skip(s, se, GLOB_PLACES, step)) {
		words = ((size_t)(se - s) - n) / GLOB_WORD + 1;
		if (words > GLOB_PLACES / GLOB_WORD)
			words = GLOB_PLACES / GLOB_WORD;
		memset(places, 0xff, words * sizeof *places);
		from = s;
		for (at = g;; at += on) {
			glob_masks(masks, at, GLOB_WORD, glob_nocase(fits),
			    fits == GLOB_HEADER);
			left = glob_places(places, words, masks, from, se,
			    step);
			on = (size_t)(ge - at) - GLOB_WORD;
			if (!left || on == 0)
				break;
			if (on > GLOB_WORD)
				on = GLOB_WORD;
			from = glob_skip(from, se, on, step);
		}
		if (left)
			return (glob_skip(s, se, glob_first(places) + n,
			    step));
	}
	return (NULL);
}

/* Not inlined: a call is little for so long a piece, and the room is much. */
static __attribute__((noinline)) const char *
glob_find_long(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step)
{
	size_t n = (size_t)(ge - g);
	const char *at;

	if (glob_masked(step) == GLOB_PERCENT)
		return (glob_find_words(g, ge, s, se, GLOB_PERCENT, step));
	if (step == GLOB_RAW && memchr(g, '?', n) == NULL) {
		at = memmem(s, (size_t)(se - s), g, n);
		return (at == NULL ? NULL : at + n);
	}
	/* Most have nothing like it. */
	at = glob_find(g, g + GLOB_WORD, s, se, step);
	if (at == NULL)
		return (NULL);
	return (glob_find_words(g, ge, at - GLOB_WORD, se, GLOB_RAW, step));
}

/* Where the subject has to end as the glob does: behind its last `*`. */
static inline bool
glob_ends(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step)
{
	size_t n = 0, most = (size_t)(ge - g);
	const char *p = s;

	for (; p < se; n++)
		(void)glob_next(&p, se, step);
	if (n < most)
		return (false);
	for (s = glob_skip(s, se, n - most, step); g < ge; g++)
		if (!glob_fits(*g, glob_next(&s, se, step), step))
			return (false);
	return (true);
}

/* Where a letter is next, in lower and in upper case; NULL: not known yet. */
struct glob_ahead {
	const char	*lower;
	const char	*upper;
};

/* Where this byte is next, if it isn't known to be ahead; the end: nowhere. */
static inline const char *
glob_ahead(const char *known, int c, const char *s, const char *se)
{
	if (known != NULL && known >= s)
		return (known);
	s = memchr(s, c, (size_t)(se - s));
	return (s == NULL ? se : s);
}

/* The next place from s on where a byte is, whatever its case. */
static inline const char *
glob_lead_nocase(unsigned char low, const char *s, const char *se,
    struct glob_ahead *ahead)
{
	if (low < 'a' || low > 'z')
		return (memchr(s, low, (size_t)(se - s)));
	ahead->lower = glob_ahead(ahead->lower, low, s, se);
	ahead->upper = glob_ahead(ahead->upper, low - 'a' + 'A', s, se);
	s = ahead->lower < ahead->upper ? ahead->lower : ahead->upper;
	return (s == se ? NULL : s);
}

/* The next place from s on where the first byte of a piece fits. */
static inline const char *
glob_lead(char g, const char *s, const char *se, enum glob_step step,
    struct glob_ahead *ahead)
{
	const char *next;

	if (step == GLOB_RAW && g != '?')
		return (memchr(s, g, (size_t)(se - s)));
	if (step == GLOB_NOCASE && g != '?')
		return (glob_lead_nocase(fm_lower((unsigned char)g), s, se,
		    ahead));
	for (; s < se; s = next) {
		next = s;
		if (glob_fits(g, glob_next(&next, se, step), step))
			return (s);
	}
	return (NULL);
}

/* glob_find() of a piece that is short. */
static inline __attribute__((always_inline)) const char *
glob_find_short(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step)
{
	struct glob_ahead ahead = { NULL, NULL };
	const char *first = s, *next, *p;
	size_t astray = 0;

	for (;;) {
		s = glob_lead(*g, s, se, step, &ahead);
		if (s == NULL)
			return (NULL);
		(void)glob_next(&s, se, step);
		next = s;
		for (p = g + 1; p < ge && next < se; p++)
			if (!glob_fits(*p, glob_next(&next, se, step), step))
				break;
		if (p == ge)
			return (next);
		astray += GLOB_LEAD + (size_t)(p - g);
		if (astray > GLOB_ASTRAY + (size_t)(s - first))
			return (glob_find(g, ge, s, se, step));
	}
}

/* Where the first place ends of the piece from g to ge; NULL: none. */
static inline __attribute__((always_inline)) const char *
glob_seek(const char *g, const char *ge, const char *s, const char *se,
    enum glob_step step)
{
	if (ge - g > se - s)
		return (NULL);
	if (ge - g < GLOB_LONG)
		return (glob_find_short(g, ge, s, se, step));
	if (ge - g <= GLOB_WORD)
		return (glob_find(g, ge, s, se, step));
	return (glob_find_long(g, ge, s, se, step));
}

/* Inlined for each step, which is a constant there. */
static inline __attribute__((always_inline)) bool
glob_run(struct fm_text glob, struct fm_text subject, enum glob_step step)
{
	const char *g, *ge, *s, *se, *end;

	if (glob.len == 0)
		return (subject.len == 0);
	g = glob.b;
	ge = g + glob.len;
	s = subject.len == 0 ? g : subject.b;	/* it may be NULL */
	se = s + subject.len;
	for (; g < ge && *g != '*'; g++)
		if (s == se || !glob_fits(*g, glob_next(&s, se, step), step))
			return (false);
	if (g == ge)
		return (s == se);
	for (;; g = end) {
		while (g < ge && *g == '*')
			g++;
		if (g == ge)
			return (true);
		end = memchr(g, '*', (size_t)(ge - g));
		if (end == NULL)
			return (glob_ends(g, ge, s, se, step));
		s = glob_seek(g, end, s, se, step);
		if (s == NULL)
			return (false);
	}
}

/*
 * The text behind the last `*` can only be the end of the subject.  To look
 * there first makes `*.jpg` cost nothing on a long subject.
 */
static inline __attribute__((always_inline)) bool
glob_match(struct fm_text glob, struct fm_text subject, enum glob_step step)
{
	const char *s;

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
	return (glob_run(glob, subject, step));
}

bool
fm_glob_match(struct fm_text glob, struct fm_text subject, bool nocase)
{
	return (nocase ? glob_match(glob, subject, GLOB_NOCASE) :
	    glob_match(glob, subject, GLOB_RAW));
}

bool
fm_glob_match_header(struct fm_text glob, struct fm_text name)
{
	return (glob_match(glob, name, GLOB_HEADER));
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
