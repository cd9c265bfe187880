/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass for many globs.  Each glob is in the list of those that wait for
 * the run by which its next piece is found; what nobody waits for is passed
 * by.  Of runs that end at the same place the shorter ones are looked for from
 * the longest on: those for which nobody waits are not looked at twice.
 */

#include "glob.h"
#include "globset_priv.h"
#include "obj.h"

/*
 * What is done at a place where nobody has a turn takes a part of one: to leave
 * a need out, or to compare some bytes of one.
 */
#define STEPS		4
#define STEP_BYTES	16

struct pass {
	const struct fm_globset	*set;
	struct fm_text		subject;
	uint64_t		*bits;		/* of those that match */
	const uint32_t		*starts;	/* of all; NULL: some wait */
	const struct waiting	*begin;		/* each of these */
	bool			has_ends;	/* one of these */
	const struct piece	*pieces;	/* of the set */
	const struct need	*needs;
	uint32_t		base;		/* of the needs of runs */
	struct globset_list		*lists;
	struct waiting		*waiting;
	uint32_t		number;		/* of it */
	struct globset_room		*room;
	struct globset_chain		*chains;
	uint32_t		*over;		/* of all needs */
	struct fm_trie_marks	idle;		/* of those of the trie; the
						 * mark is the chains' state */
	bool			charges;	/* for steps in chains: */
	uint32_t		steps;		/* so far */
	uint32_t		n, cap;		/* in waiting[] */
	int64_t			open;		/* of these, not decided; 0, or
						 * less: it is over */
	bool			found;		/* one that matches: */
	int64_t			left;		/* then of these: none where one
						 * is enough, else all */
	int64_t			late;		/* no turns: then of texts only,
						 * which need none */
	uint32_t		work;		/* turns that are left */
};

/* A glob has its turn, if there is one left. */
static inline bool
pass_turn(struct pass *p)
{
	if (p->work == 0) {
		p->open &= p->late;
		return (false);
	}
	p->work--;
	return (true);
}

/* What takes a part of one. */
static inline void
pass_step(struct pass *p, uint32_t steps)
{
	p->steps += steps;
	if (p->steps < STEPS)
		return;
	if (p->charges)
		p->work -= p->steps / STEPS < p->work ? p->steps / STEPS :
		    p->work;
	p->steps %= STEPS;
}

/* Most of them begin and end with a star. */
static inline bool
part_fits(struct fm_text part, const char *bytes, bool nocase)
{
	return (part.len == 0 || fm_glob_fits(part, bytes, nocase));
}

static bool __attribute__((noinline))
pass_ends_fit(const struct pass *p, const struct glob *g)
{
	struct fm_text s = p->subject;

	return (s.len >= g->prefix.len + g->suffix.len &&
	    part_fits(g->prefix, s.b, g->nocase) &&
	    part_fits(g->suffix, s.b + s.len - g->suffix.len, g->nocase));
}

/* Of all; most sets have no ends to look at. */
static inline bool
pass_begins(struct pass *p, uint32_t glob)
{
	if (!p->has_ends || pass_ends_fit(p, &p->set->globs[glob]))
		return (true);
	p->open--;
	return (false);
}

/* What waits for a piece at the beginning, of those whose ends fit. */
static void __attribute__((noinline))
list_begin(struct pass *p, struct globset_list *list, uint32_t n)
{
	for (; n != GLOBSET_NONE && pass_turn(p); n = p->begin[n].next) {
		if (!pass_begins(p, n))
			continue;
		p->waiting[n] = p->begin[n];
		p->waiting[n].next = list->first;
		list->first = n;
	}
}

/* Makes it wait for its next piece.  All: the pass is for all of the set. */
static inline void
pass_wait(struct pass *p, uint32_t n, struct waiting *w, bool all)
{
	uint32_t need = p->pieces[w->piece].need;
	struct globset_list *list = &p->lists[need];

	if (list->pass != p->number) {
		list->pass = p->number;
		list->first = GLOBSET_NONE;
		if (all && p->starts[need] != GLOBSET_NONE)
			list_begin(p, list, p->starts[need]);
	}
	if (list->first == GLOBSET_OUT) {
		list->first = GLOBSET_NONE;
		p->idle.mark = fm_globset_state(p->room);
	}
	p->over[need] = 0;
	w->next = list->first;
	list->first = n;
}

/*
 * What a glob begins and ends with is at the ends of the subject, or there is
 * nothing to wait for.
 */
static void
pass_start(struct pass *p, uint32_t glob)
{
	if (!pass_ends_fit(p, &p->set->globs[glob]))
		return;
	assert(p->n < p->cap);
	globset_wait(p->set, &p->waiting[p->n], glob);
	pass_wait(p, p->n, &p->waiting[p->n], false);
	p->n++;
	p->open++;
}

static inline void
pass_match(struct pass *p, uint32_t number)
{
	p->bits[number / 64] |= 1ULL << number % 64;
	p->found = true;
	p->open &= p->left;
}

/* All that are the same text. */
static inline void
pass_texts(struct pass *p, uint32_t need, uint32_t glob)
{
	p->chains[need].told = p->number;
	for (; glob != GLOBSET_NONE; glob = p->begin[glob].next)
		pass_match(p, p->begin[glob].piece);
}

static inline bool
need_is_told(const struct pass *p, uint32_t need)
{
	return (p->chains[need].told == p->number);
}

/* Its last piece is found, and ends here; later it would do so behind that. */
static inline void
pass_end(struct pass *p, const struct piece *end, size_t at)
{
	p->open--;
	if (at + end->gap <= p->subject.len)
		pass_match(p, end->need);
}

static inline bool
need_probe(const struct need *need, const char *b)
{
	unsigned char want = (unsigned char)need->text.b[need->probe];
	unsigned char c = (unsigned char)b[need->probe];

	return (need->probe == 0 || c == want ||
	    (need->nocase && fm_lower(c) == fm_lower(want)));
}

/* The rest of the piece, around a run that ends here. */
static inline bool
need_fits(const struct need *need, struct fm_text subject, size_t run_end)
{
	const char *b;

	if (run_end < need->run_end ||
	    run_end + need->behind > subject.len)
		return (false);
	b = subject.b + run_end - need->run_end;
	return (need_probe(need, b) &&
	    fm_glob_fits(need->text, b, need->nocase));
}

/* The piece is here. */
static inline void
pass_try(struct pass *p, uint32_t n, struct waiting *w, const struct need *need,
    size_t run_end, bool all)
{
	const struct piece *piece = &p->pieces[w->piece];
	size_t end = run_end + need->behind;

	if (run_end >= w->from + need->run_end) {
		if (piece->is_last) {
			pass_end(p, piece + 1, end);
			return;
		}
		w->piece++;
		w->from = end + piece[1].gap;
	}
	pass_wait(p, n, w, all);
}

/* Of all that wait for a piece at the beginning, which is here. */
static inline __attribute__((always_inline)) void
pass_first(struct pass *p, uint32_t n, const struct need *need, size_t end)
{
	uint32_t next;

	for (; n != GLOBSET_NONE && pass_turn(p); n = next) {
		next = p->begin[n].next;
		if (!pass_begins(p, n))
			continue;
		p->waiting[n] = p->begin[n];
		pass_try(p, n, &p->waiting[n], need, end, true);
	}
}

/*
 * All that wait for this piece, of which a run ends here: some of them do so
 * again, but not for longer than a piece is, and the `?` before it.  Where no
 * turns are left nobody waits any more.  Returns whether nobody does.
 */
static inline __attribute__((always_inline)) bool
pass_need(struct pass *p, uint32_t number, const struct need *need, size_t end,
    bool all)
{
	struct globset_list *list = &p->lists[number];
	bool first = list->pass != p->number;
	uint32_t n = list->first, next;

	if (all && need->texts != GLOBSET_NONE && !need_is_told(p, number))
		pass_texts(p, number, need->texts);
	if (first)
		n = all ? p->starts[number] : GLOBSET_NONE;
	if (n >= GLOBSET_OUT)
		return (true);
	if (!need->is_run && !need_fits(need, p->subject, end)) {
		pass_step(p, 1 + (uint32_t)need->text.len / STEP_BYTES);
		if (p->work > 0)
			return (false);
	}
	list->pass = p->number;
	list->first = GLOBSET_NONE;
	if (all && first) {
		pass_first(p, n, need, end);
		return (list->first == GLOBSET_NONE);
	}
	for (; n != GLOBSET_NONE && pass_turn(p); n = next) {
		next = p->waiting[n].next;
		pass_try(p, n, &p->waiting[n], need, end, all);
	}
	return (list->first == GLOBSET_NONE);
}

/* Whether nobody waits for it. */
static inline bool
pass_is_idle(const struct pass *p, uint32_t need, bool all)
{
	const struct globset_list *list = &p->lists[need];

	if (all && p->needs[need].texts != GLOBSET_NONE &&
	    !need_is_told(p, need))
		return (false);
	if (list->pass == p->number)
		return (list->first >= GLOBSET_OUT);
	return (!all || p->starts[need] == GLOBSET_NONE);
}

static inline uint32_t
chain_next(const struct pass *p, uint32_t need)
{
	return (p->chains[need].state == p->idle.mark ? p->chains[need].next :
	    p->needs[need].next);
}

static inline void
pass_leave_out(const struct pass *p, uint32_t need)
{
	p->lists[need].pass = p->number;
	p->lists[need].first = GLOBSET_OUT;
}

/* The next one that ends where this one does. */
static uint32_t
pass_next(struct pass *p, uint32_t from, bool all)
{
	uint32_t need = chain_next(p, from);

	while (need != GLOBSET_NONE && pass_is_idle(p, need, all)) {
		pass_leave_out(p, need);
		need = chain_next(p, need);
		pass_step(p, 1);
	}
	p->chains[from].next = need;
	p->chains[from].state = p->idle.mark;
	return (need);
}

/* Nobody waits for this one, nor for one behind it; and that is relied on. */
static inline bool
chain_is_over(const struct pass *p, uint32_t need)
{
	if (need == GLOBSET_NONE)
		return (true);
	if (p->over[need] != p->idle.mark)
		return (false);
	pass_leave_out(p, need);
	return (true);
}

/*
 * Where nobody has a turn: of this one, and of those behind it, which were told
 * where this one was.
 */
static inline void
pass_tell(struct pass *p, uint32_t n)
{
	const struct need *need;

	do {
		p->over[n] = p->idle.mark;
		need = &p->needs[n];
		if (need->texts != GLOBSET_NONE) {
			if (need_is_told(p, n))
				return;
			pass_texts(p, n, need->texts);
		}
		n = need->next;
	} while (n != GLOBSET_NONE && p->over[n] != p->idle.mark &&
	    need->tells);
}

static void __attribute__((noinline))
pass_chain(struct pass *p, uint32_t first, size_t end, bool all)
{
	uint32_t need = first, next = p->needs[first].next;
	bool idle;

	idle = pass_need(p, first, &p->needs[first], end, all);
	while (!chain_is_over(p, next)) {
		next = pass_next(p, need, all);
		if (chain_is_over(p, next))
			break;
		need = next;
		idle = pass_need(p, need, &p->needs[need], end, all);
		next = p->needs[need].next;
	}
	if (idle)
		p->over[need] = p->idle.mark;
	if (need != first && pass_is_idle(p, first, all) &&
	    chain_is_over(p, chain_next(p, first)))
		p->over[first] = p->idle.mark;
}

static inline __attribute__((always_inline)) bool
pass_hit(struct pass *p, uint32_t text, size_t end, bool all)
{
	uint32_t number = p->base + text;

	if (all && !p->needs[number].waits)
		pass_tell(p, number);
	else if (p->work == 0) {
		p->open &= p->late;
		if (all)
			pass_tell(p, number);
	} else
		pass_chain(p, number, end, all);
	return (p->open <= 0);
}

static bool
pass_hit_all(void *priv, uint32_t text, size_t end)
{
	return (pass_hit(priv, text, end, true));
}

static bool
pass_hit_some(void *priv, uint32_t text, size_t end)
{
	return (pass_hit(priv, text, end, false));
}

/* For those with this case whose bits are set, which are cleared. */
static void
pass_some(struct pass *p, bool nocase)
{
	const struct fm_globset *set = p->set;
	uint32_t word, glob;
	uint64_t b;

	for (word = 0; word * 64 < set->n; word++)
		for (b = p->bits[word] & set->bits[word]; b != 0; b &= b - 1) {
			glob = set->globs_of[word * 64 +
			    (uint32_t)__builtin_ctzll(b)];
			if (set->globs[glob].nocase != nocase)
				continue;
			p->bits[word] &= ~(b & -b);
			if (pass_turn(p))
				pass_start(p, glob);
		}
}

int
fm_globset_decide(const struct fm_globset *set, struct fm_text subject,
    uint64_t *bits, uint32_t most, bool any, uint32_t *work)
{
	bool all = most == FM_GLOBSET_ALL;
	struct pass p = { .set = set, .subject = subject, .bits = bits,
	    .left = any ? 0 : -1, .late = all && set->has_texts ? -1 : 0,
	    .begin = set->waiting, .has_ends = set->has_ends,
	    .starts = all ? set->lists : NULL, .pieces = set->pieces,
	    .needs = set->needs, .work = *work,
	    .charges = fm_globset_is_much(set) };
	struct globset_room *r;
	uint32_t word;
	int i;

	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	assert(subject.b != NULL);
	r = subject.len > GLOBSET_SUBJECT_MAX ? NULL :
	    fm_globset_room(set, most < set->nglobs ? most : set->nglobs);
	if (r == NULL)
		return (-1);
	p.cap = r->cap;
	p.room = r;
	p.lists = r->lists;
	p.chains = r->chains;
	p.over = r->over;
	p.waiting = r->waiting;
	for (word = 0; all && word * 64 < set->n; word++)
		bits[word] &= ~set->all[word];
	for (i = 0; i < 2 && !(any && p.found); i++) {
		if (set->tries[i] == NULL)
			continue;
		p.number = fm_globset_pass(r);
		p.idle.mark = fm_globset_state(r);
		p.base = globset_base(set, i == 1);
		p.idle.of = p.over + p.base;
		p.open = all ? set->ncase[i] + set->has_texts : 0;
		p.n = 0;
		if (!all)
			pass_some(&p, i == 1);
		if (p.open > 0)
			fm_trie_find(set->tries[i], subject, &p.idle, all ?
			    pass_hit_all : pass_hit_some, &p);
	}
	*work = p.work;
	return (p.found);
}
