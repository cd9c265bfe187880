/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the syntax of a regex (syntax.h), by recursive descent:
 *
 *	alternation	sequence ( `|` sequence )*
 *	sequence	( atom quantifier? )*
 *	atom		byte | `.` | class | escape | anchor | group
 *
 * Each read_*() function reads one expression.  One that is not on the
 * whitelist calls leave_to_pcre2(), which ends the reading, or restrict_to(),
 * for a prefilter.  PCRE2 has accepted the regex, so groups and classes are
 * closed, and groups nest to 250.  Nothing else in fastmatch reads regex syntax
 * to choose an engine.
 */

#include <ctype.h>
#include <limits.h>
#include <stdint.h>

#include "obj.h"
#include "scan.h"
#include "syntax.h"

#define SYNTAX_MANY	1000000	/* a larger sum is this, to avoid overflow */

/*
 * Sizes, in units of what one byte takes Hyperscan 5.4 to compile (20 to 100
 * us).  The size of an expression does not depend on a bounded repeat of it,
 * which `copies` counts.  The square of a sum is added to the sum: 1,000
 * alternatives take 100 times as long as 100.
 */
#define SIZE_EXPR	4	/* size of `.`, `\w`, `[^a]`, `*`, `+`, `{n,}`;
				 * `^` and `$` have twice that, `\b` four
				 * times; `[a-z]` has 26, one for each byte */
#define SIZE_SQUARE	50	/* this number of bytes takes twice as long
				 * together as one by one */
#define SIZE_COPIES	200	/* this number of repeats takes twice as long as
				 * one by one, if no word is before them, or if
				 * a group may end with each copy */

/* Hyperscan writes out a class of at most this number of bytes. */
#define CLASS_FEW	54

/*
 * Most copies of what may be empty, as in `(a?){10}`: 1,000 take Hyperscan 8 s
 * to compile, 10,000 take 800 s.
 */
#define SYNTAX_FEW	10

struct reader {
	const char		*p, *e;	/* next byte, and the end */
	bool			word;	/* a word was before this place */
	enum fm_syntax_engine	engine;	/* as far as we have read */
	enum fm_syntax_why	why;
	unsigned		ends;	/* as in fm_syntax */
};

/* An expression, from one byte to a whole regex, as far as it was read. */
struct expr {
	size_t			written;	/* bytes and classes, with all
						 * repeats written out */
	size_t			repeats;	/* as in fm_syntax */
	size_t			size;		/* without bounded repeats */
	size_t			alone;		/* size, with its square, if
						 * the expr is a whole regex */
	size_t			copies;		/* size of bounded repeats */
	size_t			word;		/* length of the longest text
						 * that each match has */
	size_t			least;		/* bytes of the shortest match,
						 * or less */
};

static struct expr read_alternation(struct reader *);

static size_t
capped(size_t n)
{
	return (n < SYNTAX_MANY ? n : SYNTAX_MANY);
}

/* Notes that only this engine, or a later one of the enum, may be asked. */
static void
restrict_to(struct reader *reader, enum fm_syntax_engine engine,
    enum fm_syntax_why why)
{
	if (reader->engine < engine) {
		reader->engine = engine;
		reader->why = why;
	}
}

/* Notes syntax that is not on the whitelist.  Nothing after it matters. */
static void
leave_to_pcre2(struct reader *reader)
{
	restrict_to(reader, FM_SYNTAX_PCRE2, FM_SYNTAX_UNLIKE);
	reader->p = reader->e;
}

static bool
one_of(char c, const char *set)
{
	return (c != '\0' && strchr(set, c) != NULL);
}

static bool
peek(const struct reader *reader, char c)
{
	return (reader->p < reader->e && *reader->p == c);
}

static bool
take(struct reader *reader, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(reader->e - reader->p) < len ||
	    memcmp(reader->p, word, len) != 0)
		return (false);
	reader->p += len;
	return (true);
}

static bool
is_no_letter(char c)
{
	return (c >= ' ' && c < 0x7f && !isalnum((unsigned char)c));
}

/*
 * Reads two hex digits after `\x`, and returns the byte.  Other forms, such as
 * `\x{e9}`, are not on the whitelist.
 */
static char
read_hex(struct reader *reader)
{
	if (reader->e - reader->p < 2 || fm_hex_digit(reader->p[0]) < 0 ||
	    fm_hex_digit(reader->p[1]) < 0) {
		leave_to_pcre2(reader);
		return ('\0');
	}
	reader->p += 2;
	return ((char)(fm_hex_digit(reader->p[-2]) << 4 |
	    fm_hex_digit(reader->p[-1])));
}

/* Returns how many bytes match `\d`, `\s` or one of the others, at most. */
static unsigned
escape_bytes(char c)
{
	return (c == 'd' ? 10 : c == 's' ? 6 : UCHAR_MAX);
}

/* Returns the size of a class: Hyperscan writes out one of a few bytes. */
static size_t
class_size(unsigned bytes)
{
	return (bytes <= SIZE_EXPR || bytes > CLASS_FEW ? SIZE_EXPR : bytes);
}

/*
 * Reads what follows a backslash, outside of a class.  Returns false for an
 * assertion such as `\b`.
 */
static bool
read_escape(struct reader *reader)
{
	char c;

	assert(reader->p < reader->e);
	c = *reader->p++;
	if (c == 'z')
		reader->ends |= FM_SYNTAX_TEXT_END;
	if (one_of(c, "bBAz"))
		return (false);
	if (c == 'x')
		read_hex(reader);
	else if (c >= '1' && c <= '9' &&
	    !(reader->p < reader->e && isdigit((unsigned char)*reader->p)))
		restrict_to(reader, FM_SYNTAX_PREFILTER, FM_SYNTAX_BACK);
	else if (!one_of(c, "dDwWsStnrfae") && !is_no_letter(c))
		leave_to_pcre2(reader);
	return (true);
}

/* Reads `alpha:]` or another POSIX name, after its `[:`. */
static void
read_posix(struct reader *reader)
{
	static const char * const names[] = {
		"alpha:]", "lower:]", "upper:]", "alnum:]", "digit:]",
		"xdigit:]", "space:]", "punct:]"
	};
	size_t i;

	(void)take(reader, "^");
	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (take(reader, names[i]))
			return;
	leave_to_pcre2(reader);
}

/*
 * Reads a member of a class, and adds how many bytes it has.  Returns the byte
 * with which a range may begin or end, or -1.
 */
static int
read_member(struct reader *reader, unsigned *bytes)
{
	char c;

	if (take(reader, "[:")) {
		read_posix(reader);
		*bytes += CLASS_FEW;	/* [:alpha:] has 52 */
		return (-1);
	}
	c = *reader->p++;
	if (c == '[' && (peek(reader, '.') || peek(reader, '=')))
		leave_to_pcre2(reader);
	if (c == '\\') {
		assert(reader->p < reader->e);
		c = *reader->p++;
		if (one_of(c, "dDwWsS")) {
			*bytes += escape_bytes(c);
			return (-1);
		}
		if (c == 'x')
			c = read_hex(reader);
		else if (!one_of(c, "tnrfae") && !is_no_letter(c))
			leave_to_pcre2(reader);
	}
	++*bytes;
	return ((unsigned char)c);
}

/*
 * Reads a class, after its `[`.  `[\d-z]` is not on the whitelist: the engines
 * read such a `-` differently.  Returns how many bytes the class has, at most.
 */
static unsigned
read_class(struct reader *reader)
{
	bool negated = take(reader, "^"), first = true;
	unsigned bytes = 0;
	int from, to;

	for (; reader->p < reader->e && (first || !peek(reader, ']'));
	    first = false) {
		from = read_member(reader, &bytes);
		if (!peek(reader, '-') || reader->e - reader->p < 2 ||
		    reader->p[1] == ']')
			continue;
		reader->p++;
		to = from < 0 ? -1 : read_member(reader, &bytes);
		if (to < 0)
			leave_to_pcre2(reader);
		else if (to > from)
			bytes += (unsigned)(to - from) - 1;
	}
	(void)take(reader, "]");
	return (negated ? UCHAR_MAX : bytes);
}

/*
 * Reads options after `(?`: letters i, m and s, and one `-` at most.  Returns
 * false if there is anything else.
 */
static bool
read_options(struct reader *reader)
{
	const char *p = reader->p;
	bool minus = false;

	for (; p < reader->e && (one_of(*p, "ims") || (*p == '-' && !minus));
	    p++)
		minus |= *p == '-';
	if (p == reader->e || !one_of(*p, ":)") ||
	    (p == reader->p && *p != ':'))
		return (false);
	reader->p = p;
	return (true);
}

/*
 * Reads what is between a `(` and the group's pattern, as `?:` of `(?:a)`.
 * Returns false if there is no pattern, as in `(?i)`.
 */
static bool
read_open(struct reader *reader)
{
	if (peek(reader, '*'))
		leave_to_pcre2(reader);	/* as in (*UTF) */
	if (!take(reader, "?"))
		return (true);
	if (take(reader, "=") || take(reader, "!") || take(reader, "<=") ||
	    take(reader, "<!")) {
		restrict_to(reader, FM_SYNTAX_PREFILTER, FM_SYNTAX_LOOK);
		return (true);
	}
	if (take(reader, ">")) {
		restrict_to(reader, FM_SYNTAX_PREFILTER, FM_SYNTAX_KEEPS);
		return (true);
	}
	if (!read_options(reader)) {
		leave_to_pcre2(reader);
		return (true);
	}
	return (*reader->p++ == ':');
}

static struct expr
read_group(struct reader *reader)
{
	struct expr expr = { .least = 0 };
	bool special = peek(reader, '?') && reader->e - reader->p > 1 &&
	    !one_of(reader->p[1], ":ims-");

	if (!read_open(reader))
		return (expr);
	expr = read_alternation(reader);
	(void)take(reader, ")");
	if (special) {
		/* Bytes that a lookaround reads are not in the match. */
		expr.word = expr.least = 0;
	}
	return (expr);
}

/* Reads a number of a quantifier.  Returns false if there is none. */
static bool
read_number(const char **pp, const char *e, size_t *n)
{
	const char *p = *pp;

	for (*n = 0; p < e && isdigit((unsigned char)*p); p++)
		*n = capped(*n * 10 + (size_t)(*p - '0'));
	if (p == *pp)
		return (false);
	*pp = p;
	return (true);
}

/* The bounds of a quantifier; without an upper one `most` is SYNTAX_MANY. */
struct bounds {
	size_t			least, most;
};

/*
 * Reads `{n}`, `{n,}` or `{n,m}`.  Returns false for any other `{`, which is a
 * byte for PCRE2.
 */
static bool
read_bounds(struct reader *reader, struct bounds *b)
{
	const char *p = reader->p + 1;

	if (!peek(reader, '{') || !read_number(&p, reader->e, &b->least))
		return (false);
	b->most = b->least;
	if (p < reader->e && *p == ',') {
		p++;
		if (!read_number(&p, reader->e, &b->most))
			b->most = SYNTAX_MANY;
	}
	if (p == reader->e || *p != '}')
		return (false);
	reader->p = p + 1;
	return (true);
}

/* Counts the copies of an expression that `{}` repeats. */
static void
repeat(struct reader *reader, struct expr *expr, const struct bounds *b)
{
	size_t bound = b->most == SYNTAX_MANY ? b->least : b->most;
	/* To compile `.{1,100}` takes twice as long as `\d{1,100}`. */
	unsigned each = expr->written == 1 && expr->size == SIZE_EXPR ? 1 : 2;

	expr->copies = capped(expr->copies * bound);
	if (expr->written > 1 && b->least < bound)
		expr->copies += bound * bound / SIZE_COPIES;
	expr->written = capped(expr->written * bound);
	expr->repeats = expr->written;
	expr->copies += expr->repeats / each;
	if (!reader->word)
		expr->copies += expr->repeats * expr->repeats / SIZE_COPIES;
	expr->copies = capped(expr->copies);
	if (expr->least == 0 && bound > SYNTAX_FEW)
		restrict_to(reader, FM_SYNTAX_PCRE2, FM_SYNTAX_REPEATS);
}

/*
 * Reads a quantifier after an atom, if there is one.  `repeats` is false for
 * an assertion, which must not be repeated.
 */
static void
read_quantifier(struct reader *reader, struct expr *expr, bool repeats)
{
	struct bounds b = { 0, SYNTAX_MANY };

	if (reader->p == reader->e)
		return;
	if (read_bounds(reader, &b))
		repeat(reader, expr, &b);
	else if (one_of(*reader->p, "*+?")) {
		b.least = *reader->p == '+';
		b.most = *reader->p == '?' ? 1 : SYNTAX_MANY;
		reader->p++;
	} else
		return;
	if (b.most == SYNTAX_MANY)
		expr->size = capped(expr->size + SIZE_EXPR);
	expr->least = capped(expr->least * b.least);
	if (b.least == 0)
		expr->word = 0;
	if (!repeats)
		leave_to_pcre2(reader);
	if (peek(reader, '+'))
		restrict_to(reader, FM_SYNTAX_PREFILTER, FM_SYNTAX_KEEPS);
	if (peek(reader, '+') || peek(reader, '?'))
		reader->p++;
}

/* Reads an atom.  Returns false for an assertion, which can't be repeated. */
static bool
read_atom(struct reader *reader, struct expr *expr)
{
	static const struct expr byte = { .written = 1, .size = 1, .word = 1,
	    .least = 1 };
	static const struct expr class = { .written = 1, .size = SIZE_EXPR,
	    .least = 1 };
	static const struct expr assertion = { .size = 2UL * SIZE_EXPR };
	char c = *reader->p++;

	*expr = byte;
	switch (c) {
	case '(':
		*expr = read_group(reader);
		return (true);
	case '[':
		*expr = class;
		expr->size = class_size(read_class(reader));
		return (true);
	case '.':
		*expr = class;
		return (true);
	case '\\':
		c = reader->p < reader->e ? *reader->p : '\0';
		if (one_of(c, "dDwWsS123456789")) {
			*expr = class;
			expr->size = class_size(escape_bytes(c));
		}
		if (read_escape(reader))
			return (true);
		*expr = assertion;
		if (one_of(c, "bB"))
			expr->size *= 2;
		return (false);
	case '$':
		reader->ends |= FM_SYNTAX_LINE_END;
		*expr = assertion;
		return (false);
	case '^':
		*expr = assertion;
		return (false);
	case '{':
	case '\0':
		leave_to_pcre2(reader);
		return (true);
	default:
		return (true);
	}
}

static void
expr_add(struct expr *sum, const struct expr *one)
{
	sum->written = capped(sum->written + one->written);
	sum->repeats = capped(sum->repeats + one->repeats);
	sum->size = capped(sum->size + one->size);
	sum->copies = capped(sum->copies + one->copies);
	if (sum->word < one->word)
		sum->word = one->word;
	sum->least = capped(sum->least + one->least);
}

/* Adds its square to a size: for expressions one after the other. */
static size_t
together(size_t size)
{
	return (size + size * size / SIZE_SQUARE);
}

/* Reads a sequence, up to a `|`, a `)` or the end. */
static struct expr
read_sequence(struct reader *reader)
{
	struct expr sum = { .least = 0 }, one;
	bool before = reader->word, repeats;
	const char *after;
	size_t word = 0;

	while (reader->p < reader->e && !one_of(*reader->p, "|)")) {
		repeats = read_atom(reader, &one);
		after = reader->p;
		read_quantifier(reader, &one, repeats);
		word = one.word == 1 ? word + 1 : 0;
		if (one.word < word)
			one.word = word;
		if (reader->p != after)
			word = 0;
		sum.alone = sum.size == 0 && reader->p == after ? one.alone :
		    0;
		expr_add(&sum, &one);
		reader->word = before || sum.word >= 2;
	}
	if (sum.alone == 0)
		sum.alone = together(sum.size);
	return (sum);
}

static struct expr
read_alternation(struct reader *reader)
{
	bool before = reader->word;
	struct expr sum = read_sequence(reader), one;

	if (!peek(reader, '|'))
		return (sum);
	while (take(reader, "|")) {
		reader->word = before;
		one = read_sequence(reader);
		one.word = one.word < sum.word ? one.word : sum.word;
		sum.word = 0;
		one.least = one.least < sum.least ? one.least : sum.least;
		sum.least = 0;
		sum.alone = capped(sum.alone + one.alone);
		expr_add(&sum, &one);
	}
	/* `(a|b)` is a class: its one byte is in no word. */
	if (sum.word == 1)
		sum.word = 0;
	return (sum);
}

struct fm_syntax
fm_syntax_read(struct fm_text regex)
{
	struct reader reader = { .p = regex.b, .e = regex.b + regex.len };
	struct fm_syntax s = { .repeats = 0 };
	struct expr all;

	assert(regex.b != NULL);
	all = read_alternation(&reader);
	s.repeats = all.repeats;
	s.size = all.alone + all.copies;
	s.wordless = all.word < 2;
	if (s.repeats > FM_SYNTAX_REPEATS_MAX)
		restrict_to(&reader, FM_SYNTAX_PCRE2, FM_SYNTAX_REPEATS);
	if (s.size > FM_SYNTAX_SIZE_MAX || regex.len > FM_SCAN_LONGEST)
		restrict_to(&reader, FM_SYNTAX_PCRE2, FM_SYNTAX_LARGE);
	s.engine = reader.engine;
	s.why = reader.why;
	s.ends = reader.ends;
	return (s);
}

struct fm_syntax
fm_syntax_read_glob(struct fm_text glob)
{
	struct fm_syntax s = { .engine = FM_SYNTAX_ALIKE };
	size_t i, size = 0, word = 0, longest = 0;
	bool star = false;

	for (i = 0; i < glob.len; i++) {
		word = one_of(glob.b[i], "*?") ? 0 : word + 1;
		longest = word > longest ? word : longest;
		if (glob.b[i] == '*') {
			star = size > 0;
			continue;
		}
		size += (star ? SIZE_EXPR : 0) +
		    (glob.b[i] == '?' ? SIZE_EXPR : 1);
		star = false;
	}
	s.size = together(size);
	s.wordless = longest < 2;
	if (glob.len == 0 || glob.b[glob.len - 1] != '*')
		s.ends = FM_SYNTAX_TEXT_END;
	if (s.size > FM_SYNTAX_SIZE_MAX ||
	    glob.len > FM_SCAN_LONGEST / FM_SCAN_BYTE - 4)
		s.engine = FM_SYNTAX_PCRE2;
	return (s);
}
