/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a regular regex, by recursive descent.
 *
 *	alternation	sequence ( `|` sequence )*
 *	sequence	( atom quantifier? )*
 *
 * As literals.c does, it knows what people write, and gives up on the rest.
 * Each rule leaves a block of steps behind those that there are; what forks
 * within it is relative, so that it can be moved and doubled.  In a sequence
 * each block is put in front of the one before: steps are taken from the end.
 *
 * No subject has a line end (fm_regular_find() refuses it), so `.` is any byte,
 * and `$` is the end.
 */

#include <ctype.h>
#include <limits.h>

#include "obj.h"
#include "regular_priv.h"

#define REGULAR_DEPTH	20	/* groups in each other */
#define REGULAR_COUNT	FM_REGULAR_STEPS	/* of a quantifier */
#define ENDLESS		UINT_MAX

struct regular_parser {
	const char	*p, *e;
	struct fm_steps	*to;
	unsigned	depth;
	bool		unknown;	/* gave up */
};

enum regular_atom {
	ATOM_BYTE,
	ATOM_GROUP,
	ATOM_REFERENCE,			/* to a group: any bytes */
	ATOM_NOTHING			/* no width, may not be repeated */
};

static void parse_alternation(struct regular_parser *, bool *nocase);

static void
give_up(struct regular_parser *ps)
{
	ps->unknown = true;
	ps->p = ps->e;
}

static bool
take(struct regular_parser *ps, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(ps->e - ps->p) < len || memcmp(ps->p, word, len) != 0)
		return (false);
	ps->p += len;
	return (true);
}

/* What is left out makes the table say "may match" of more, never of less. */
static bool
take_loosely(struct regular_parser *ps, const char *word)
{
	if (!take(ps, word))
		return (false);
	ps->to->loose = true;
	return (true);
}

static bool
next_is(const struct regular_parser *ps, const char *bytes)
{
	return (ps->p < ps->e && *ps->p != '\0' &&
	    strchr(bytes, *ps->p) != NULL);
}

/*--------------------------------------------------------------------
 * Steps
 */

/* Room for more of them at the given place. */
static bool
steps_open(struct regular_parser *ps, unsigned at, unsigned count)
{
	struct fm_steps *to = ps->to;

	if (ps->unknown || count > FM_REGULAR_STEPS - to->n) {
		give_up(ps);
		return (false);
	}
	memmove(to->v + at + count, to->v + at,
	    (to->n - at) * sizeof *to->v);
	to->n += count;
	return (true);
}

static void
steps_fork(struct regular_parser *ps, unsigned at, int a, int b)
{
	if (steps_open(ps, at, 1))
		ps->to->v[at] = (struct fm_step){ .kind = STEP_FORK,
		    .a = (int16_t)a, .b = (int16_t)b };
}

/* The same steps once more, behind all. */
static void
steps_copy(struct regular_parser *ps, unsigned from, unsigned count)
{
	unsigned at = ps->to->n;

	if (steps_open(ps, at, count))
		memcpy(ps->to->v + at, ps->to->v + from,
		    count * sizeof *ps->to->v);
}

/* The last steps go in front of those from `first` on. */
static void
steps_to_front(struct regular_parser *ps, unsigned first, unsigned from)
{
	struct fm_step moved[FM_REGULAR_STEPS];
	struct fm_step *v = ps->to->v;
	unsigned count = ps->to->n - from;

	if (ps->unknown)
		return;
	memcpy(moved, v + from, count * sizeof *v);
	memmove(v + first + count, v + first, (from - first) * sizeof *v);
	memcpy(v + first, moved, count * sizeof *v);
}

/* What stands from `at` on, so many times; most may be ENDLESS. */
static void
steps_repeat(struct regular_parser *ps, unsigned at, unsigned least,
    unsigned most)
{
	unsigned len = ps->to->n - at, i;

	if (most == ENDLESS && least == 0) {
		steps_fork(ps, at, 1, (int)len + 2);
		steps_fork(ps, ps->to->n, -(int)len - 1, -(int)len - 1);
		return;
	}
	for (i = 1; i < least; i++)
		steps_copy(ps, at, len);
	if (most == ENDLESS) {
		steps_fork(ps, ps->to->n, -(int)len, 1);
		return;
	}
	if (least == 0)
		steps_fork(ps, at, 1, (int)len + 1);
	for (i = least == 0 ? 1 : least; i < most; i++) {
		if (least != 0)
			steps_fork(ps, ps->to->n, 1, (int)len + 1);
		steps_copy(ps, at, least != 0 ? len : len + 1);
	}
}

static void
steps_plain(struct regular_parser *ps, enum fm_step_kind kind, unsigned set)
{
	unsigned at = ps->to->n;

	if (steps_open(ps, at, 1))
		ps->to->v[at] = (struct fm_step){
		    .kind = (unsigned char)kind, .set = (unsigned char)set };
}

static void
steps_set(struct regular_parser *ps, const struct fm_byteset *set)
{
	struct fm_steps *to = ps->to;
	unsigned i;

	for (i = 0; i < to->nsets; i++)
		if (memcmp(&to->sets[i], set, sizeof *set) == 0)
			break;
	if (i == FM_REGULAR_SETS) {
		give_up(ps);
		return;
	}
	if (i == to->nsets)
		to->sets[to->nsets++] = *set;
	steps_plain(ps, STEP_BYTE, i);
}

/*--------------------------------------------------------------------
 * Sets of bytes
 */

/* \d, \s and \w, and what they leave; false: another letter. */
static bool
set_add_escape(struct fm_byteset *set, char escape)
{
	bool inverted = isupper((unsigned char)escape) != 0, in;
	unsigned c, name = fm_lower((unsigned char)escape);

	if (name != 'd' && name != 's' && name != 'w')
		return (false);
	for (c = 0; c < 256; c++) {
		in = name == 's' ? c == ' ' || (c >= '\t' && c <= '\r') :
		    (c >= '0' && c <= '9') || (name == 'w' && (c == '_' ||
		    (c < 128 && isalpha((int)c))));
		if (in != inverted)
			fm_byteset_add(set, c);
	}
	return (true);
}

/*--------------------------------------------------------------------
 * Atoms
 */

/* Behind a backslash: a byte that it stands for. */
static unsigned char
parse_escaped(struct regular_parser *ps)
{
	static const char from[] = "tnrfae", to[] = "\t\n\r\f\a\033";
	const char *at;
	int hi, lo;
	char c;

	c = ps->p < ps->e ? *ps->p++ : '\0';
	at = c == '\0' ? NULL : strchr(from, c);
	if (at != NULL)
		return ((unsigned char)to[at - from]);
	if (c == 'x' && ps->e - ps->p >= 2) {
		hi = fm_hex_digit(ps->p[0]);
		lo = fm_hex_digit(ps->p[1]);
		ps->p += 2;
		if (hi >= 0 && lo >= 0)
			return ((unsigned char)(hi * 16 + lo));
	} else if (c > ' ' && c < 0x7f && !isalnum((unsigned char)c))
		return ((unsigned char)c);
	give_up(ps);
	return (0);
}

/* A member of a class; -1: it has no byte of its own to begin a range. */
static int
parse_member(struct regular_parser *ps, struct fm_byteset *set)
{
	unsigned char c;

	if (ps->p == ps->e || *ps->p == '[' || *ps->p == '\0') {
		give_up(ps);
		return (-1);
	}
	c = (unsigned char)*ps->p++;
	if (c == '\\') {
		if (ps->p < ps->e && set_add_escape(set, *ps->p)) {
			ps->p++;
			return (-1);
		}
		c = parse_escaped(ps);
	}
	return (c);
}

/* Behind `[`. */
static void
parse_class(struct regular_parser *ps, bool nocase)
{
	struct fm_byteset set = { { 0 } };
	bool inverted = take(ps, "^"), first;
	int from, to;

	for (first = true; ps->p < ps->e && (first || *ps->p != ']');
	    first = false) {
		to = from = parse_member(ps, &set);
		if (ps->e - ps->p >= 2 && *ps->p == '-' && ps->p[1] != ']') {
			ps->p++;
			to = parse_member(ps, &set);
			if (from < 0 || to < 0)
				give_up(ps);
		}
		for (; from >= 0 && from <= to; from++)
			fm_byteset_add(&set, (unsigned)from);
	}
	if (!take(ps, "]"))
		give_up(ps);
	if (nocase)
		fm_byteset_fold(&set);
	if (inverted)
		fm_byteset_invert(&set);
	steps_set(ps, &set);
}

/* `\1`: any bytes stand for those of the group. */
static enum regular_atom
parse_reference(struct regular_parser *ps)
{
	struct fm_byteset set = { { 0 } };
	unsigned at = ps->to->n;

	ps->p++;
	if (next_is(ps, "0123456789"))
		give_up(ps);
	ps->to->loose = true;
	fm_byteset_invert(&set);
	steps_set(ps, &set);
	if (!ps->unknown)
		steps_repeat(ps, at, 0, ENDLESS);
	return (ATOM_REFERENCE);
}

/* Behind `(?`: what looks ahead or back takes no byte, and is left out. */
static bool
take_look(struct regular_parser *ps)
{
	return (take_loosely(ps, "=") || take_loosely(ps, "!") ||
	    take_loosely(ps, "<=") || take_loosely(ps, "<!"));
}

/* Behind `(`. */
static enum regular_atom
parse_group(struct regular_parser *ps, bool *nocase)
{
	bool inner = *nocase, look = false;
	unsigned at = ps->to->n;

	if (next_is(ps, "*") || ps->depth == REGULAR_DEPTH)
		give_up(ps);
	if (take(ps, "?")) {
		inner |= take(ps, "i");
		if (inner && take(ps, ")")) {
			*nocase = true;
			return (ATOM_NOTHING);
		}
		look = take_look(ps);
		if (!look && !take_loosely(ps, ">") && !take(ps, ":"))
			give_up(ps);
	}
	ps->depth++;
	parse_alternation(ps, &inner);
	ps->depth--;
	if (!take(ps, ")"))
		give_up(ps);
	if (!look)
		return (ATOM_GROUP);
	ps->to->n = at;
	return (ATOM_NOTHING);
}

static enum regular_atom
parse_atom(struct regular_parser *ps, bool *nocase)
{
	struct fm_byteset set = { { 0 } };
	char c = *ps->p++;

	if (c == '\\' && next_is(ps, "AzZ"))
		c = *ps->p++ == 'A' ? '^' : '$';
	else if (c == '\\' && (take_loosely(ps, "b") ||
	    take_loosely(ps, "B")))
		return (ATOM_NOTHING);
	else if (c == '\\' && next_is(ps, "123456789"))
		return (parse_reference(ps));
	switch (c) {
	case '(':
		return (parse_group(ps, nocase));
	case '[':
		parse_class(ps, *nocase);
		return (ATOM_BYTE);
	case '^':
	case '$':
		ps->to->begins |= c == '^';
		steps_plain(ps, c == '^' ? STEP_BEGIN : STEP_END, 0);
		return (ATOM_NOTHING);
	case '.':
		fm_byteset_invert(&set);
		break;
	case '\\':
		if (ps->p < ps->e && set_add_escape(&set, *ps->p))
			ps->p++;
		else
			fm_byteset_add(&set, parse_escaped(ps));
		break;
	case '*':
	case '+':
	case '?':
	case '{':
	case '\0':
		give_up(ps);
		break;
	default:
		fm_byteset_add(&set, (unsigned char)c);
	}
	if (*nocase)
		fm_byteset_fold(&set);
	steps_set(ps, &set);
	return (ATOM_BYTE);
}

static unsigned
parse_count(struct regular_parser *ps)
{
	unsigned n = 0;

	if (ps->p == ps->e || !isdigit((unsigned char)*ps->p))
		give_up(ps);
	for (; ps->p < ps->e && isdigit((unsigned char)*ps->p); ps->p++)
		if (n <= REGULAR_COUNT)
			n = 10 * n + (unsigned)(*ps->p - '0');
	if (n > REGULAR_COUNT)
		give_up(ps);
	return (n);
}

/* Of the atom that stands from `at` on. */
static void
parse_quantifier(struct regular_parser *ps, unsigned at,
    enum regular_atom atom)
{
	unsigned least = 0, most = ENDLESS;

	if (!next_is(ps, "*+?{"))
		return;
	if (take(ps, "+"))
		least = 1;
	else if (take(ps, "?"))
		most = 1;
	else if (take(ps, "{")) {
		least = most = parse_count(ps);
		if (take(ps, ","))
			most = next_is(ps, "}") ? ENDLESS : parse_count(ps);
		if (!take(ps, "}") || most == 0)
			give_up(ps);
	} else
		ps->p++;
	if (take(ps, "?"))
		ps->to->lazy = true;
	else
		(void)take_loosely(ps, "+");
	if (next_is(ps, "*+?{") || atom == ATOM_NOTHING)
		give_up(ps);
	ps->to->endless |= most == ENDLESS;
	if (!ps->unknown)
		steps_repeat(ps, at, least, most);
}

/* Up to `|`, `)` or the end. */
static void
parse_sequence(struct regular_parser *ps, bool *nocase)
{
	unsigned first = ps->to->n, at;
	enum regular_atom atom;

	while (ps->p < ps->e && !next_is(ps, "|)")) {
		at = ps->to->n;
		atom = parse_atom(ps, nocase);
		parse_quantifier(ps, at, atom);
		steps_to_front(ps, first, at);
	}
}

static void
parse_alternation(struct regular_parser *ps, bool *nocase)
{
	unsigned first = ps->to->n, at;

	parse_sequence(ps, nocase);
	while (take(ps, "|")) {
		steps_fork(ps, first, 1, (int)(ps->to->n - first) + 2);
		at = ps->to->n;
		steps_fork(ps, at, 0, 0);
		parse_sequence(ps, nocase);
		if (!ps->unknown)
			ps->to->v[at].a = ps->to->v[at].b =
			    (int16_t)(ps->to->n - at);
	}
}

bool
fm_regular_parse(struct fm_text regex, bool nocase, struct fm_steps *to)
{
	struct regular_parser ps = { .p = regex.b, .e = regex.b + regex.len,
	    .to = to };

	memset(to, 0, offsetof(struct fm_steps, v));
	parse_alternation(&ps, &nocase);
	return (ps.p == ps.e && !ps.unknown);
}
