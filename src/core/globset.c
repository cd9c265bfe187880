/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass for many globs.  Each glob is in the list of those that wait for
 * the run by which its next piece is found; what nobody waits for is passed
 * by.
 */

#include "glob.h"
#include "globset_priv.h"
#include "obj.h"
#include "thread.h"

/* Of those that wait for a piece. */
struct list {
	uint32_t	pass;		/* that it is of; else as it begins */
	uint32_t	first;
};

/* Per thread. */
struct room {
	unsigned	magic;
#define ROOM_MAGIC	0x2b7f61ce
	uint32_t	passes;		/* so far */
	struct list	*lists;		/* for each need */
	uint32_t	nlists;
	struct waiting	*waiting;
	uint32_t	cap;
};

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
	struct list		*lists;
	struct waiting		*waiting;
	uint32_t		number;		/* of it */
	uint32_t		n, cap;		/* in waiting[] */
	int64_t			open;		/* of these, not decided; 0, or
						 * less: it is over */
	bool			found;		/* one that matches: */
	int64_t			left;		/* then of these: none where one
						 * is enough, else all */
	uint32_t		work;		/* turns that are left */
};

static void
room_free(void *priv)
{
	struct room *r;

	FM_OBJ_CAST(r, priv, ROOM_MAGIC);
	free(r->lists);
	free(r->waiting);
	FM_OBJ_FREE(r);
}

static bool
room_grow(struct room *r, uint32_t lists, uint32_t waiting)
{
	struct waiting *w;
	struct list *l;

	if (lists > r->nlists) {
		l = calloc(lists, sizeof *l);
		if (l == NULL)
			return (false);
		free(r->lists);
		r->lists = l;
		r->nlists = lists;
		r->passes = 0;
	}
	if (waiting > r->cap) {
		w = calloc(waiting, sizeof *w);
		if (w == NULL)
			return (false);
		free(r->waiting);
		r->waiting = w;
		r->cap = waiting;
	}
	return (true);
}

/* For so many globs of the set; NULL: no memory. */
static struct room *
room_get(const struct fm_globset *set, uint32_t globs)
{
	struct room *r;

	r = fm_thread_get(FM_THREAD_GLOBSET);
	if (r == NULL) {
		FM_OBJ_NEW(r, ROOM_MAGIC);
		if (r == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_GLOBSET, r, room_free)) {
			room_free(r);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(r, ROOM_MAGIC);
	return (room_grow(r, set->nneeds, globs) ? r : NULL);
}

/* Another pass, for which no list has begun. */
static uint32_t
room_pass(struct room *r)
{
	if (r->passes == UINT32_MAX) {
		memset(r->lists, 0, r->nlists * sizeof *r->lists);
		r->passes = 0;
	}
	return (++r->passes);
}

/* A glob has its turn, if there is one left. */
static inline bool
pass_turn(struct pass *p)
{
	if (p->work == 0)
		return (false);
	p->work--;
	return (true);
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
list_begin(struct pass *p, struct list *list, uint32_t n)
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
	struct list *list = &p->lists[need];

	if (list->pass != p->number) {
		list->pass = p->number;
		list->first = GLOBSET_NONE;
		if (all && p->starts[need] != GLOBSET_NONE)
			list_begin(p, list, p->starts[need]);
	}
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
pass_texts(struct pass *p, uint32_t glob)
{
	for (; glob != GLOBSET_NONE; glob = p->begin[glob].next)
		pass_match(p, p->set->globs[glob].number);
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
static void
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
 * again, but not for longer than a piece is, and the `?` before it.
 */
static inline void
pass_need(struct pass *p, uint32_t number, const struct need *need, size_t end,
    bool all)
{
	struct list *list = &p->lists[number];
	bool first = list->pass != p->number;
	uint32_t n = list->first, next;

	if (all)
		pass_texts(p, need->texts);
	if (first)
		n = all ? p->starts[number] : GLOBSET_NONE;
	if (n == GLOBSET_NONE ||
	    (!need->is_run && !need_fits(need, p->subject, end)))
		return;
	list->pass = p->number;
	list->first = GLOBSET_NONE;
	if (all && first) {
		pass_first(p, n, need, end);
		return;
	}
	for (; n != GLOBSET_NONE && pass_turn(p); n = next) {
		next = p->waiting[n].next;
		pass_try(p, n, &p->waiting[n], need, end, all);
	}
}

static inline bool
pass_hits(struct pass *p, const struct fm_trie_hit *hits, unsigned n, bool all)
{
	const struct fm_trie_hit *end = hits + n;
	const struct need *needs = p->needs;
	uint32_t need, base = p->base;

	for (; hits < end; hits++)
		for (need = base + hits->text; need != GLOBSET_NONE;
		    need = needs[need].next)
			pass_need(p, need, &needs[need], hits->end, all);
	return (p->open <= 0 || (p->work == 0 && !(all && p->set->has_texts)));
}

static bool
pass_hits_all(void *priv, const struct fm_trie_hit *hits, unsigned n)
{
	return (pass_hits(priv, hits, n, true));
}

static bool
pass_hits_some(void *priv, const struct fm_trie_hit *hits, unsigned n)
{
	return (pass_hits(priv, hits, n, false));
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
	    .left = any ? 0 : -1, .begin = set->waiting,
	    .has_ends = set->has_ends,
	    .starts = all ? set->lists : NULL, .pieces = set->pieces,
	    .needs = set->needs, .work = *work };
	struct room *r;
	uint32_t word;
	int i;

	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	assert(subject.b != NULL);
	r = subject.len > GLOBSET_SUBJECT_MAX ? NULL :
	    room_get(set, most < set->nglobs ? most : set->nglobs);
	if (r == NULL)
		return (-1);
	p.cap = r->cap;
	p.lists = r->lists;
	p.waiting = r->waiting;
	for (word = 0; all && word * 64 < set->n; word++)
		bits[word] &= ~set->all[word];
	for (i = 0; i < 2 && !(any && p.found); i++) {
		if (set->tries[i] == NULL)
			continue;
		p.number = room_pass(r);
		p.base = globset_base(set, i == 1);
		p.open = all ? set->ncase[i] + set->has_texts : 0;
		p.n = 0;
		if (!all)
			pass_some(&p, i == 1);
		if (p.open > 0)
			fm_trie_find(set->tries[i], subject, all ?
			    pass_hits_all : pass_hits_some, &p);
	}
	*work = p.work;
	return (p.found);
}

bool
fm_globset_is_much(const struct fm_globset *set)
{
	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	return (set->most + set->nglobs > FM_GLOBSET_WORK);
}

bool
fm_globset_is_spread(const struct fm_globset *set)
{
	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	return (set->is_spread);
}

unsigned
fm_globset_cost(const struct fm_globset *set, uint32_t number)
{
	const struct glob *g;

	if (!fm_globset_has(set, number))
		return (0);
	g = &set->globs[set->globs_of[number]];
	return (g->is_text ? 0 : glob_cost(g->nocase));
}

bool
fm_globset_has(const struct fm_globset *set, uint32_t number)
{
	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	assert(number < set->n);
	return (set->globs_of[number] != GLOBSET_NONE);
}
