/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Required literals of a regex, by recursive descent.
 *
 *	alternation	sequence ( `|` sequence )*
 *	sequence	( atom quantifier? )*
 *
 * Each level gives the best set of literals of which any match must contain
 * one, or the empty set: no requirement.  In a sequence every atom must
 * match, so that the best set of its atoms serves; in an alternation one of
 * the sequences must, so that the set is the union, and empty as soon as one
 * of them has none.  Adjacent plain bytes make one literal, the run.
 */

#include "literals_priv.h"

#define LITERALS_DEPTH	20	/* nested groups; deeper is not understood */
#define LITERALS_COUNT_MAX 99	/* of a quantifier, for Hyperscan */
#define LITERALS_WORTH	2	/* a literal of one byte is in every subject */

struct lit {
	uint32_t	off;
	uint32_t	len;
	bool		nocase;
};

/* Any match contains one of these; n == 0: nothing is known. */
struct litset {
	unsigned	n;
	struct lit	v[FM_LITERALS_MAX];
};

static void parse_alternation(struct fm_literals_parser *, bool nocase,
    struct litset *);

static uint32_t
litset_shortest(const struct litset *set)
{
	uint32_t len = UINT32_MAX;
	unsigned i;

	for (i = 0; i < set->n; i++)
		if (set->v[i].len < len)
			len = set->v[i].len;
	return (len);
}

static bool
is_common(const struct fm_common *common, struct fm_text t)
{
	return (common != NULL && fm_common_is(common, t));
}

/* None of them is short, or what others have, too. */
static bool
litset_tells(const struct fm_literals_parser *ps, const struct litset *set)
{
	unsigned i;

	for (i = 0; i < set->n; i++)
		if (set->v[i].len < FM_LITERALS_TELLING ||
		    is_common(ps->common, fm_text(ps->bytes + set->v[i].off,
		    set->v[i].len)))
			return (false);
	return (true);
}

/* A longer shortest literal is rarer in what is scanned; then fewer. */
static void
litset_better(const struct fm_literals_parser *ps, struct litset *best,
    const struct litset *set)
{
	uint32_t a, b;
	bool tells;

	if (set->n == 0)
		return;
	a = litset_shortest(best);
	b = litset_shortest(set);
	if (best->n > 0 && ps->common != NULL) {
		tells = litset_tells(ps, set);
		if (tells != litset_tells(ps, best)) {
			if (tells)
				*best = *set;
			return;
		}
	}
	if (best->n == 0 || b > a || (b == a && set->n < best->n))
		*best = *set;
}

/* One more sequence of an alternation; false: it leaves no requirement. */
static bool
litset_join(struct litset *all, const struct litset *set)
{
	unsigned i;

	if (set->n == 0 || all->n + set->n > FM_LITERALS_MAX)
		return (false);
	for (i = 0; i < set->n; i++)
		all->v[all->n++] = set->v[i];
	return (true);
}

/* The run so far is a candidate; the next byte starts another. */
static void
run_end(struct fm_literals_parser *ps, struct lit *run, struct litset *best)
{
	struct litset set;

	if (run->len > 0) {
		set.n = 1;
		set.v[0] = *run;
		litset_better(ps, best, &set);
	}
	run->off = ps->nbytes;
	run->len = 0;
	run->nocase = false;
}

/* The bytes of a run stand one behind the other: a group ends it. */
static void
run_byte(struct fm_literals_parser *ps, struct lit *run, char c, bool nocase)
{
	assert(run->off + run->len == ps->nbytes);
	ps->bytes[ps->nbytes++] = c;
	run->len++;
	run->nocase |= nocase;
}

/*
 * Behind `(?`: letters up to `)` or `:`.  Hyperscan gets no regex whose
 * letters are more than an (?i) in front of everything.
 */
static bool
parse_flags(struct fm_literals_parser *ps, bool *nocase)
{
	const char *s;
	bool on = true, first;

	first = ps->p == ps->b + 2;
	for (s = ps->p; s < ps->e && *s != ')' && *s != ':'; s++) {
		if (*s == '-' && on)
			on = false;
		else if (*s == 'i')
			*nocase = on;
		else if (*s != 'm' && *s != 's')
			return (false);
	}
	if (s == ps->e)
		return (false);
	if (s == ps->p && *s == ')')
		return (false);
	if (s > ps->p && !(first && s == ps->p + 1 && *ps->p == 'i' &&
	    *s == ')'))
		ps->plain = false;
	ps->p = s;
	return (true);
}

/* Behind `(`.  *nocase changes for what follows where it is only (?i). */
static enum fm_literals_atom
parse_group(struct fm_literals_parser *ps, bool *nocase, struct litset *set)
{
	bool inner = *nocase, around = false;

	if (peek(ps, '*') || ps->depth == LITERALS_DEPTH)
		return (give_up(ps));
	if (take(ps, "?=") || take(ps, "?!") || take(ps, "?<=") ||
	    take(ps, "?<!")) {
		around = true;
		ps->plain = false;
	} else if (take(ps, "?>")) {
		ps->plain = false;
	} else if (take(ps, "?")) {
		if (!parse_flags(ps, &inner))
			return (give_up(ps));
		if (take(ps, ")")) {
			*nocase = inner;
			return (ATOM_NOTHING);
		}
		(void)take(ps, ":");
	}
	ps->depth++;
	parse_alternation(ps, inner, set);
	ps->depth--;
	if (!take(ps, ")"))
		return (give_up(ps));
	return (around ? ATOM_NOTHING : ATOM_GROUP);
}

/*
 * A number; one that is larger than the bound is the bound.  Hyperscan would
 * take long, and much memory, for a regex with large counts.
 */
static unsigned
parse_count(struct fm_literals_parser *ps)
{
	unsigned n = 0;

	for (; ps->p < ps->e && isdigit((unsigned char)*ps->p); ps->p++)
		if (n <= LITERALS_COUNT_MAX)
			n = 10 * n + (unsigned)(*ps->p - '0');
	if (n > LITERALS_COUNT_MAX) {
		n = LITERALS_COUNT_MAX;
		ps->plain = false;
	}
	return (n);
}

/* The least number of times: 1 without a quantifier. */
static unsigned
parse_quantifier(struct fm_literals_parser *ps, bool *quantified)
{
	unsigned least = 0;

	*quantified = true;
	if (take(ps, "+"))
		least = 1;
	else if (take(ps, "{")) {
		if (ps->p == ps->e || !isdigit((unsigned char)*ps->p))
			give_up(ps);	/* {,n}: not the same everywhere */
		least = parse_count(ps);
		if (take(ps, ","))
			(void)parse_count(ps);
		if (!take(ps, "}"))
			give_up(ps);
	} else if (!take(ps, "*") && !take(ps, "?")) {
		*quantified = false;
		return (1);
	}
	if (take(ps, "+"))
		ps->plain = false;
	else
		(void)take(ps, "?");
	return (least);
}

static enum fm_literals_atom
parse_atom(struct fm_literals_parser *ps, char *byte)
{
	*byte = *ps->p++;
	switch (*byte) {
	case '[':
		return (fm_literals_class(ps, byte));
	case '\\':
		return (fm_literals_escape(ps, byte));
	case '.':
		return (ATOM_ONE);
	case '^':
	case '$':
		return (ATOM_NOTHING);
	case '*':
	case '+':
	case '?':
	case '{':
	case '\0':
		return (give_up(ps));
	default:
		return (ATOM_BYTE);
	}
}

/* Up to `|`, `)` or the end. */
static void
parse_sequence(struct fm_literals_parser *ps, bool *nocase,
    struct litset *best)
{
	struct lit run = { ps->nbytes, 0, false };
	struct litset set;
	enum fm_literals_atom atom;
	unsigned least;
	bool quantified;
	char byte = 0;

	best->n = set.n = 0;
	while (ps->p < ps->e && *ps->p != '|' && *ps->p != ')') {
		if (take(ps, "(")) {
			run_end(ps, &run, best);
			atom = parse_group(ps, nocase, &set);
			run_end(ps, &run, best);
		} else
			atom = parse_atom(ps, &byte);
		least = parse_quantifier(ps, &quantified);
		if (atom == ATOM_NOTHING) {
			if (quantified)
				give_up(ps);
			continue;
		}
		if (atom == ATOM_GROUP && least > 0)
			litset_better(ps, best, &set);
		if (atom == ATOM_BYTE && least > 0)
			run_byte(ps, &run, byte, *nocase);
		if (atom != ATOM_BYTE || quantified)
			run_end(ps, &run, best);
	}
	run_end(ps, &run, best);
}

static void
parse_alternation(struct fm_literals_parser *ps, bool nocase,
    struct litset *all)
{
	struct litset set;
	bool required;

	all->n = 0;
	parse_sequence(ps, &nocase, all);
	required = all->n > 0;
	while (take(ps, "|")) {
		parse_sequence(ps, &nocase, &set);
		required = required && litset_join(all, &set);
	}
	if (!required)
		all->n = 0;
}

static void
literals_export(const struct fm_literals_parser *ps, const struct litset *set,
    struct fm_literals *out)
{
	unsigned i;

	out->bytes = ps->bytes;
	out->n = set->n;
	for (i = 0; i < set->n; i++) {
		out->literals[i].text =
		    fm_text(ps->bytes + set->v[i].off, set->v[i].len);
		out->literals[i].nocase = set->v[i].nocase;
	}
}

enum fm_literals_result
fm_literals_of_regex(struct fm_text regex, bool nocase,
    const struct fm_common *common, struct fm_literals *out)
{
	struct fm_literals_parser ps = { .b = regex.b, .p = regex.b,
	    .e = regex.b + regex.len, .plain = true, .common = common };
	struct litset best;

	ps.bytes = malloc(regex.len + 1);
	if (ps.bytes == NULL)
		return (FM_LITERALS_NO_MEMORY);
	parse_alternation(&ps, nocase, &best);
	if (ps.p < ps.e)		/* a `)` of no group */
		give_up(&ps);
	if (!ps.unknown && best.n > 0 &&
	    (!ps.plain || litset_shortest(&best) >= LITERALS_WORTH)) {
		literals_export(&ps, &best, out);
		return (FM_LITERALS_FOUND);
	}
	free(ps.bytes);
	return (ps.unknown || !ps.plain ? FM_LITERALS_UNKNOWN :
	    FM_LITERALS_NONE);
}

enum fm_literals_result
fm_literals_of_glob(struct fm_text glob, bool nocase,
    const struct fm_common *common, struct fm_literals *out)
{
	struct fm_text best = { NULL, 0 }, part;
	size_t i, start = 0;
	bool tells = false, also;

	for (i = 0; i <= glob.len; i++) {
		if (i < glob.len && glob.b[i] != '*' && glob.b[i] != '?')
			continue;
		part = fm_text(glob.b + start, i - start);
		start = i + 1;
		also = part.len >= FM_LITERALS_TELLING &&
		    !is_common(common, part);
		if (also == tells ? part.len > best.len : also) {
			best = part;
			tells = also;
		}
	}
	if (best.len == 0)
		return (FM_LITERALS_NONE);
	out->bytes = malloc(best.len);
	if (out->bytes == NULL)
		return (FM_LITERALS_NO_MEMORY);
	memcpy(out->bytes, best.b, best.len);
	out->n = 1;
	out->literals[0].text = fm_text(out->bytes, best.len);
	out->literals[0].nocase = nocase;
	return (FM_LITERALS_FOUND);
}

void
fm_literals_free(struct fm_literals *lits)
{
	free(lits->bytes);
	lits->bytes = NULL;
	lits->n = 0;
}
