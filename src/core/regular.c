/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of a regular regex, and how it is asked.
 *
 * The steps of the regex (regular_parse.c) are taken from each byte of the
 * subject on towards its start, all at once: a state is the set of steps that
 * may be next.  There are few such sets, each has a row in the table, with the
 * next one for each class of bytes.  Where all steps have been taken, a match
 * begins.
 */

#include "effort.h"
#include "obj.h"
#include "regular_priv.h"

#define TABLE_STATES	2000
#define TABLE_CELLS	0x7fff
#define TABLE_SLOTS	4096		/* to find a state again */
#define TABLE_WORK	2000000		/* steps of all states, to make it */
#define CELL_MATCH	0x8000U		/* a match begins here */
#define CELL_DEAD	0xffffU		/* none begins here or before */

struct fm_regular {
	unsigned	magic;
#define FM_REGULAR_MAGIC	0x61c4d80b
	unsigned	ncells;
	unsigned	nclasses, nstates;
	bool		loose, endless;		/* as of its steps */
	uint16_t	first;			/* a cell, too */
	unsigned char	class[256];
	bool		*begins;	/* of a row: a match begins where the
					 * subject does */
	uint16_t	cells[];	/* the row's first cell, CELL_MATCH;
					 * or CELL_DEAD */
};

/* Row 0: there are no steps, and so will it stay. */
#define ROW_DEAD	0

/*--------------------------------------------------------------------
 * Making it
 */

#define WORDS		(FM_REGULAR_STEPS / 64 + 1)

struct state {
	uint64_t	match;		/* or 0 */
	uint64_t	steps[WORDS];	/* as many as the table has words */
};

struct table {
	struct fm_steps		steps;
	unsigned		nstates, nclasses;
	unsigned		words;		/* of each state */
	size_t			work, most;
	unsigned char		class[256];
	unsigned char		byte[256];	/* one of each class */
	uint16_t		slots[TABLE_SLOTS];	/* states; 0: free */
	struct state		states[TABLE_STATES];
	uint16_t		cells[TABLE_CELLS];
};

static bool
state_has(const struct state *st, unsigned step)
{
	return ((st->steps[step / 64] >> (step % 64) & 1) != 0);
}

static size_t
state_bytes(const struct table *t)
{
	return (offsetof(struct state, steps) +
	    t->words * sizeof(uint64_t));
}

/* The first of its steps from the given one on; words * 64: none is. */
static unsigned
state_next(const struct table *t, const struct state *st, unsigned step)
{
	unsigned i = step / 64;
	uint64_t w;

	if (i == t->words)
		return (step);
	w = st->steps[i] >> (step % 64) << (step % 64);
	while (w == 0 && ++i < t->words)
		w = st->steps[i];
	return (i * 64 + (w == 0 ? 0 : (unsigned)__builtin_ctzll(w)));
}

/*
 * The step, and where it leads without a byte.  A `^` is held only at the
 * start of the subject, a `$` only at its end.
 */
static void
state_add(struct state *st, const struct fm_steps *steps, unsigned step,
    bool begin, bool end)
{
	unsigned stack[2 * FM_REGULAR_STEPS + 2], n = 0;
	const struct fm_step *s;

	stack[n++] = step;
	while (n > 0) {
		step = stack[--n];
		if (state_has(st, step))
			continue;
		st->steps[step / 64] |= 1ULL << (step % 64);
		if (step == steps->n) {
			st->match = true;
			continue;
		}
		s = &steps->v[step];
		if (s->kind == STEP_FORK) {
			stack[n++] = (unsigned)((int)step + s->a);
			stack[n++] = (unsigned)((int)step + s->b);
		} else if ((s->kind == STEP_BEGIN && begin) ||
		    (s->kind == STEP_END && end))
			stack[n++] = step + 1;
	}
}

/* After the byte; a match may end in front of it, too. */
static void
state_after(struct state *st, const struct table *t, const struct state *from,
    unsigned byte)
{
	const struct fm_steps *steps = &t->steps;
	unsigned i;

	memset(st, 0, state_bytes(t));
	for (i = state_next(t, from, 0); i < steps->n;
	    i = state_next(t, from, i + 1))
		if (steps->v[i].kind == STEP_BYTE &&
		    fm_byteset_has(&steps->sets[steps->v[i].set], byte))
			state_add(st, steps, i + 1, false, false);
	state_add(st, steps, 0, false, false);
}

/* Whether it is a match where the subject begins. */
static bool
state_begins(const struct table *t, const struct state *from, bool end)
{
	struct state st;
	unsigned i;

	if (!t->steps.begins)
		return (from->match);
	memset(&st, 0, state_bytes(t));
	for (i = state_next(t, from, 0); i < t->steps.n;
	    i = state_next(t, from, i + 1))
		if (t->steps.v[i].kind == STEP_BEGIN)
			state_add(&st, &t->steps, i, true, end);
	return (from->match || st.match);
}

/* No step of it is left to take, but `^`: which state_begins() looks at. */
static bool
state_is_dead(const struct table *t, const struct state *st)
{
	unsigned i;

	for (i = state_next(t, st, 0); i < t->steps.n;
	    i = state_next(t, st, i + 1))
		if (t->steps.v[i].kind != STEP_FORK &&
		    t->steps.v[i].kind != STEP_END)
			return (false);
	return (!st->match);
}

static unsigned
state_size(const struct table *t, const struct state *st)
{
	unsigned n = 0, i;

	for (i = 0; i < t->words; i++)
		n += (unsigned)__builtin_popcountll(st->steps[i]);
	return (n);
}

static unsigned
state_slot(const struct table *t, const struct state *st)
{
	uint64_t h = st->match;
	unsigned i;

	for (i = 0; i < t->words; i++)
		h = (h ^ st->steps[i]) * 0x9e3779b97f4a7c15ULL;
	return ((unsigned)(h >> 32) % TABLE_SLOTS);
}

/* Its number; TABLE_STATES: there are too many. */
static unsigned
table_state(struct table *t, const struct state *st)
{
	unsigned slot, i;

	if (state_is_dead(t, st))
		return (ROW_DEAD);
	/* The first, where the subject ends, is never come by again. */
	for (slot = state_slot(t, st); (i = t->slots[slot]) != 0;
	    slot = (slot + 1) % TABLE_SLOTS)
		if (memcmp(&t->states[i], st, state_bytes(t)) == 0)
			return (i);
	i = t->nstates;
	if (i == TABLE_STATES || (i + 1) * t->nclasses > TABLE_CELLS ||
	    t->work > t->most)
		return (TABLE_STATES);
	memcpy(&t->states[i], st, state_bytes(t));
	t->slots[slot] = (uint16_t)i;
	t->nstates++;
	return (i);
}

/* Bytes that are in the same sets are of one class. */
static void
table_classes(struct table *t)
{
	unsigned c, k, i;

	for (c = 0; c < 256; c++) {
		for (k = 0; k < t->nclasses; k++) {
			for (i = 0; i < t->steps.nsets; i++)
				if (fm_byteset_has(&t->steps.sets[i], c) !=
				    fm_byteset_has(&t->steps.sets[i],
				    t->byte[k]))
					break;
			if (i == t->steps.nsets)
				break;
		}
		if (k == t->nclasses)
			t->byte[t->nclasses++] = (unsigned char)c;
		t->class[c] = (unsigned char)k;
	}
}

static uint16_t
table_cell(const struct table *t, unsigned state)
{
	if (state == ROW_DEAD)
		return (CELL_DEAD);
	return ((uint16_t)(state * t->nclasses |
	    (t->states[state].match ? CELL_MATCH : 0)));
}

/* false: it is too large. */
static bool
table_fill(struct table *t)
{
	struct state st;
	unsigned i, k, next, from;

	table_classes(t);
	t->words = t->steps.n / 64 + 1;
	t->nstates = 1;
	memset(t->cells, 0xff, t->nclasses * sizeof *t->cells);
	memset(&st, 0, state_bytes(t));
	state_add(&st, &t->steps, 0, false, true);
	/* Its row is the second, even if it is dead. */
	memcpy(&t->states[t->nstates++], &st, state_bytes(t));
	for (i = 1; i < t->nstates; i++) {
		from = state_size(t, &t->states[i]);
		for (k = 0; k < t->nclasses; k++) {
			state_after(&st, t, &t->states[i], t->byte[k]);
			t->work += t->words + from + state_size(t, &st);
			next = table_state(t, &st);
			if (next == TABLE_STATES)
				return (false);
			t->cells[i * t->nclasses + k] = table_cell(t, next);
		}
	}
	return (true);
}

static struct fm_regular *
table_pack(const struct table *t)
{
	unsigned ncells = t->nstates * t->nclasses, i;
	struct fm_regular *r;

	r = calloc(1, sizeof *r + ncells * sizeof *r->cells + t->nstates);
	if (r == NULL)
		return (NULL);
	r->magic = FM_REGULAR_MAGIC;
	r->begins = (bool *)&r->cells[ncells];
	r->ncells = ncells;
	r->nclasses = t->nclasses;
	r->nstates = t->nstates;
	r->loose = t->steps.loose;
	r->endless = t->steps.endless;
	r->first = table_cell(t, 1);
	memcpy(r->class, t->class, sizeof r->class);
	memcpy(r->cells, t->cells, ncells * sizeof *r->cells);
	for (i = 1; i < t->nstates; i++)
		r->begins[i] = state_begins(t, &t->states[i], i == 1);
	return (r);
}

struct fm_regular *
fm_regular_new(struct fm_text regex, bool nocase)
{
	struct fm_regular *r = NULL;
	struct table *t;

	if (fm_effort_tables_left() == 0)
		return (NULL);
	t = malloc(sizeof *t);
	if (t == NULL)
		return (NULL);
	/* The rest is half a megabyte, of which most take little. */
	memset(t, 0, offsetof(struct table, states));
	t->most = fm_effort_tables_left();
	if (t->most > TABLE_WORK)
		t->most = TABLE_WORK;
	if (fm_regular_parse(regex, nocase, &t->steps) && table_fill(t))
		r = table_pack(t);
	fm_effort_take_table(t->work);
	free(t);
	return (r);
}

void
fm_regular_free(struct fm_regular **rp)
{
	struct fm_regular *r;

	FM_OBJ_TAKE(r, rp, FM_REGULAR_MAGIC);
	FM_OBJ_FREE(r);
}

size_t
fm_regular_bytes(const struct fm_regular *r)
{
	FM_OBJ_CHECK(r, FM_REGULAR_MAGIC);
	return (sizeof *r + r->ncells * sizeof *r->cells + r->nstates);
}

bool
fm_regular_is_endless(const struct fm_regular *r)
{
	FM_OBJ_CHECK(r, FM_REGULAR_MAGIC);
	return (r->endless);
}

/*--------------------------------------------------------------------
 * Asking it
 */

/* It is neither dead nor a match. */
static inline bool
cell_is_common(size_t cell)
{
	return (cell < CELL_MATCH);
}

/*
 * Over common cells, eight at a time, as far as these go.  What is less than
 * eight, or is no such cell, is left to the caller.
 */
static inline const unsigned char *
regular_pass(const struct fm_regular *r, const unsigned char *b,
    const unsigned char *p, size_t *cellp)
{
	const unsigned char *class = r->class;
	const uint16_t *cells = r->cells;
	size_t cell = *cellp;

	for (; p - b >= 8; p -= 8) {
		*cellp = cell;
		cell = cells[cell + class[p[-1]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-2]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-3]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-4]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-5]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-6]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-7]]];
		if (!cell_is_common(cell))
			return (p);
		cell = cells[cell + class[p[-8]]];
		if (!cell_is_common(cell))
			return (p);
	}
	*cellp = cell;
	return (p);
}

/* Where a match begins, the first or any; NULL: there is none. */
static const unsigned char *
regular_run(const struct fm_regular *r, struct fm_text subject, bool any)
{
	const unsigned char *b = (const unsigned char *)subject.b;
	const unsigned char *p = b + subject.len, *found = NULL;
	const unsigned char *class = r->class;
	const uint16_t *cells = r->cells;
	size_t cell = r->first;

	if (cell & CELL_MATCH) {
		found = p;
		cell -= CELL_MATCH;
		if (any)
			return (found);
	}
	while (p > b) {
		p = regular_pass(r, b, p, &cell);
		if (p == b)
			break;
		p--;
		cell = cells[cell + class[*p]];
		if (cell_is_common(cell))
			continue;
		if (cell == CELL_DEAD)
			return (found);
		found = p;
		if (any)
			return (found);
		cell -= CELL_MATCH;
	}
	return (r->begins[cell / r->nclasses] ? b : found);
}

bool
fm_regular_may(struct fm_text subject)
{
	return (memchr(subject.b, '\n', subject.len) == NULL &&
	    memchr(subject.b, '\r', subject.len) == NULL);
}

enum fm_regular_result
fm_regular_find(const struct fm_regular *r, struct fm_text subject,
    size_t *start)
{
	const unsigned char *found;

	FM_OBJ_CHECK(r, FM_REGULAR_MAGIC);
	subject = fm_text_or_empty(subject);
	if (!fm_regular_may(subject))
		return (FM_REGULAR_UNKNOWN);
	found = regular_run(r, subject, start == NULL);
	if (found == NULL)
		return (FM_REGULAR_NO);
	if (start != NULL)
		*start = (size_t)(found - (const unsigned char *)subject.b);
	return (r->loose ? FM_REGULAR_MAYBE : FM_REGULAR_YES);
}
