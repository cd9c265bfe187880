/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's `any` and `every`: writes all readings of a path into an
 * array, and all values of a name, and tests each of them.
 */

#include <stdlib.h>

#include "naive_priv.h"
#include "twin_params.h"

/*--------------------------------------------------------------------
 * Paths
 */

/* A reading; slash: it may have a `/` at its end, too. */
struct reading {
	struct fm_text		text;
	bool			slash;
};

static bool
operand_fits(struct naive *naive, const struct fm_cond *test,
    const struct fm_word *word, struct fm_text s)
{
	struct fm_text top = fm_text(word->text.b, word->text.len - 1);
	const struct fm_word bare = { .text = top };

	return (naive_operand(naive, test->mode, test->nocase, word, false,
	    s) == FM_TRUE || (test->below && naive_operand(naive,
	    FM_PATTERN_EXACT, test->nocase, &bare, false, s) == FM_TRUE));
}

static bool
reading_fits(struct naive *naive, const struct fm_cond *test,
    const struct fm_word *word, const struct reading *reading)
{
	struct fm_text slashed;
	char *p;

	if (operand_fits(naive, test, word, reading->text))
		return (true);
	if (!reading->slash)
		return (false);
	p = naive_alloc(naive, reading->text.len + 1);
	memcpy(p, reading->text.b, reading->text.len);
	p[reading->text.len] = '/';
	slashed = fm_text(p, reading->text.len + 1);
	return (operand_fits(naive, test, word, slashed));
}

/* Returns the segments that a walk held, each with a `/` before it. */
static struct fm_text
held_text(struct naive *naive, const struct fm_text *held, size_t n)
{
	size_t i, len = 0;
	char *p, *b;

	for (i = 0; i < n; i++)
		len += held[i].len + 1;
	p = b = naive_alloc(naive, len + 1);
	for (i = 0; i < n; i++) {
		*p++ = '/';
		memcpy(p, held[i].b, held[i].len);
		p += held[i].len;
	}
	return (n == 0 ? fm_text("/", 1) : fm_text_span(b, p));
}

static bool
is_name(struct fm_text segment)
{
	return (segment.len > 0 && !fm_text_eq(segment, fm_text_of(".")) &&
	    !fm_text_eq(segment, fm_text_of("..")));
}

/* Splits a path after its first `/`. */
static size_t
path_split(struct fm_text path, struct fm_text *segments)
{
	size_t i, start = 1, n = 0;

	for (i = 1; i <= path.len; i++)
		if (i == path.len || path.b[i] == '/') {
			segments[n++] = fm_text(path.b + start, i - start);
			start = i + 1;
		}
	return (n);
}

/* Adds what a walk held after each segment. */
static size_t
walk(struct naive *naive, const struct fm_text *segments, size_t n,
    struct reading *readings)
{
	struct fm_text *held = (void *)naive_alloc(naive,
	    (n + 1) * sizeof *held);
	size_t i, nheld = 0, count = 0;

	for (i = 0; i < n; i++) {
		if (is_name(segments[i]))
			held[nheld++] = segments[i];
		else if (segments[i].len == 2 && nheld > 0)
			nheld--;
		if (is_name(segments[i]) && i + 1 < n &&
		    is_name(segments[i + 1]))
			continue;
		/* After `..` the next segment may be added to it. */
		readings[count++] = (struct reading){
		    held_text(naive, held, nheld),
		    nheld > 0 && (i + 1 < n || !is_name(segments[i])) };
	}
	return (count);
}

/* Returns true if a path has none of `%`, `//` and `/.`. */
static bool
is_plain(struct fm_text path)
{
	size_t i;

	for (i = 0; i < path.len; i++)
		if (path.b[i] == '%' || (path.b[i] == '/' && i + 1 < path.len &&
		    (path.b[i + 1] == '/' || path.b[i + 1] == '.')))
			return (false);
	return (path.len > 0 && *path.b == '/');
}

/*
 * Returns all readings; the first is the path as it came, the second that path
 * decoded.  A plain path is its only reading.
 */
static struct reading *
readings_of(struct naive *naive, struct fm_text path, size_t *count)
{
	struct fm_text local = naive_local_path(naive), decoded;
	struct reading *readings = (void *)naive_alloc(naive,
	    (2 * local.len + 4) * sizeof *readings);
	struct fm_text *segments = (void *)naive_alloc(naive,
	    (local.len + 1) * sizeof *segments);
	size_t n = 0, i, segs;

	decoded = twin_decode(local, naive_alloc(naive, local.len));
	readings[n++] = (struct reading){ path, false };
	readings[n++] = (struct reading){ decoded, false };
	*count = n;
	if (is_plain(path))
		return (readings);
	n += walk(naive, segments, path_split(decoded, segments),
	    readings + n);
	segs = path_split(local, segments);
	for (i = 0; i < segs; i++)
		segments[i] = twin_decode(segments[i], naive_alloc(naive,
		    segments[i].len));
	n += walk(naive, segments, segs, readings + n);
	*count = n;
	return (readings);
}

static bool
word_fits_any(struct naive *naive, const struct fm_cond *test,
    const struct fm_word *word, const struct reading *readings, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (reading_fits(naive, test, word, &readings[i]))
			return (true);
	return (false);
}

static bool
word_fits_every(struct naive *naive, const struct fm_cond *test,
    const struct fm_word *word, const struct reading *readings, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!reading_fits(naive, test, word, &readings[i]))
			return (false);
	return (true);
}

/* One operand has to fit the path as it came, and one all other readings. */
static bool
path_ask(struct naive *naive, const struct fm_cond *test)
{
	bool every = test->subject.which == FM_WHICH_EVERY;
	struct fm_text path = naive_path(naive);
	bool first = false, others = false;
	const struct fm_word *word;
	struct reading *readings;
	size_t n;

	if (path.b == NULL)
		return (false);
	readings = readings_of(naive, path, &n);
	for (word = test->operands.first; word != NULL; word = word->next) {
		first |= word_fits_any(naive, test, word, readings, 1);
		others |= every ? word_fits_every(naive, test, word,
		    readings + 1, n - 1) : word_fits_any(naive, test, word,
		    readings + 1, n - 1);
	}
	return (every ? first && others : first || others);
}

/*--------------------------------------------------------------------
 * Values
 */

static bool
text_fits(struct naive *naive, const struct fm_cond *test, struct fm_text s)
{
	const struct fm_word *word;

	for (word = test->operands.first; word != NULL; word = word->next)
		if (naive_operand(naive, test->mode, test->nocase, word, false,
		    s) == FM_TRUE)
			return (true);
	return (false);
}

static bool
value_fits(struct naive *naive, const struct fm_cond *test, struct fm_text s)
{
	char *blanks = naive_alloc(naive, s.len);
	size_t i;

	if (text_fits(naive, test, s) || text_fits(naive, test,
	    twin_decode(s, naive_alloc(naive, s.len))))
		return (true);
	if (test->subject.kind != FM_SUBJECT_QUERY)
		return (false);
	for (i = 0; i < s.len; i++)
		blanks[i] = s.b[i] == '+' ? ' ' : s.b[i];
	return (text_fits(naive, test, twin_decode(fm_text(blanks, s.len),
	    naive_alloc(naive, s.len))));
}

static bool
pairs_ask(struct naive *naive, const struct fm_cond *test,
    struct fm_text list, bool cookies)
{
	struct twin_pair *pairs = (void *)naive_alloc(naive,
	    (list.len + 1) * sizeof *pairs);
	struct fm_text value;
	size_t n, i;

	n = list.b == NULL ? 0 : twin_split(list, cookies, pairs,
	    naive_alloc(naive, list.len));
	for (i = 0; i < n; i++) {
		if (!fm_text_eq(pairs[i].decoded, test->subject.name))
			continue;
		value = pairs[i].text;
		for (; value.len > 0 && *value.b != '='; value.len--)
			value.b++;
		if (value.len > 0)
			value = fm_text(value.b + 1, value.len - 1);
		if (cookies)
			value = fm_text_trim(value);
		if (value_fits(naive, test, value))
			return (true);
	}
	return (false);
}

static bool
elements_ask(struct naive *naive, const struct fm_cond *test,
    struct fm_text s)
{
	size_t i, start = 0;

	for (i = 0; i <= s.len; i++)
		if (i == s.len || s.b[i] == ',') {
			if (value_fits(naive, test, fm_text_trim(fm_text(s.b +
			    start, i - start))))
				return (true);
			start = i + 1;
		}
	return (value_fits(naive, test, s));
}

static bool
header_ask(struct naive *naive, const struct fm_cond *test)
{
	bool cookies = test->subject.kind == FM_SUBJECT_COOKIE;
	struct fm_text name = cookies ? fm_text_of("Cookie") :
	    test->subject.name;
	unsigned i;

	for (i = 0; i < naive->nlines; i++)
		if (fm_text_eq_nocase(naive->lines[i].name, name) && (cookies ?
		    pairs_ask(naive, test, naive->lines[i].value, true) :
		    elements_ask(naive, test, naive->lines[i].value)))
			return (true);
	return (false);
}

enum fm_outcome
naive_any(struct naive *naive, const struct fm_cond *test)
{
	bool fits;

	if (test->subject.kind == FM_SUBJECT_PATH)
		fits = path_ask(naive, test);
	else if (test->subject.kind == FM_SUBJECT_QUERY)
		fits = pairs_ask(naive, test, naive_query(naive), false);
	else
		fits = header_ask(naive, test);
	return (fits ? FM_TRUE : FM_FALSE);
}
