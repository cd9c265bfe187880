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
	bool			any;		/* one is enough */
	const uint32_t		*starts;	/* of all; NULL: some wait */
	const uint32_t		*shorter;	/* runs, as the trie says */
	const struct piece	*pieces;	/* of the set */
	const struct need	*needs;
	uint32_t		base;		/* of the needs of runs */
	struct list		*lists;
	struct waiting		*waiting;
	uint32_t		number;		/* of it */
	uint32_t		n, cap;		/* in waiting[] */
	uint32_t		open;		/* of these, not decided */
	bool			over;
	int			found;		/* that match */
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

/* Most of them begin and end with a star. */
static inline bool
part_fits(struct fm_text part, const char *bytes, bool nocase)
{
	return (part.len == 0 || fm_glob_fits(part, bytes, nocase));
}

static bool
pass_ends_fit(const struct pass *p, const struct glob *g)
{
	struct fm_text s = p->subject;

	return (s.len >= g->prefix.len + g->suffix.len &&
	    part_fits(g->prefix, s.b, g->nocase) &&
	    part_fits(g->suffix, s.b + s.len - g->suffix.len, g->nocase));
}

/* What waits for a piece at the beginning, of those whose ends fit. */
static void __attribute__((noinline))
list_begin_ends(struct pass *p, struct list *list, uint32_t n)
{
	for (; n != GLOBSET_NONE; n = p->set->waiting[n].next) {
		if (!pass_ends_fit(p, &p->set->globs[n])) {
			p->over |= --p->open == 0;
			continue;
		}
		p->waiting[n] = p->set->waiting[n];
		p->waiting[n].next = list->first;
		list->first = n;
	}
}

/* Most sets have none. */
static inline void
list_begin(struct pass *p, struct list *list, uint32_t n)
{
	if (p->set->has_ends) {
		list_begin_ends(p, list, n);
		return;
	}
	for (list->first = n; n != GLOBSET_NONE; n = p->waiting[n].next)
		p->waiting[n] = p->set->waiting[n];
}

static inline uint32_t *
pass_list(struct pass *p, uint32_t need)
{
	struct list *list = &p->lists[need];

	if (list->pass != p->number) {
		list->pass = p->number;
		list->first = GLOBSET_NONE;
		if (p->starts != NULL && p->starts[need] != GLOBSET_NONE)
			list_begin(p, list, p->starts[need]);
	}
	return (&list->first);
}

/* Makes it wait for its next piece. */
static inline void
pass_wait(struct pass *p, uint32_t n)
{
	struct waiting *w = &p->waiting[n];
	uint32_t *list = pass_list(p, p->pieces[w->piece].need);

	w->next = *list;
	*list = n;
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
	pass_wait(p, p->n);
	p->n++;
	p->open++;
}

/* Its last piece is found, and ends here; later it would do so behind that. */
static void
pass_end(struct pass *p, const struct glob *g, size_t end)
{
	p->over = --p->open == 0 || p->over;
	if (end + g->gap + g->suffix.len > p->subject.len)
		return;
	p->bits[g->number / 64] |= 1ULL << g->number % 64;
	p->found++;
	p->over |= p->any;
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
pass_try(struct pass *p, uint32_t n, const struct need *need, size_t run_end)
{
	struct waiting *w = &p->waiting[n];
	const struct piece *piece = &p->pieces[w->piece];
	size_t end = run_end + need->behind;

	if (run_end >= w->from + need->run_end) {
		if (piece->is_last) {
			pass_end(p, &p->set->globs[w->glob], end);
			return;
		}
		w->piece++;
		w->from = (uint32_t)end + piece[1].gap;
	}
	pass_wait(p, n);
}

/*
 * All that wait for a piece of which a run ends here: some of them do so again,
 * but not for longer than a piece is, and the `?` before it.
 */
static bool
pass_hit(void *priv, uint32_t run, size_t end)
{
	struct pass *p = priv;
	const struct need *need;
	uint32_t *list, i, n, next;

	do {
		for (i = p->base + run; i != GLOBSET_NONE; i = need->next) {
			need = &p->needs[i];
			list = pass_list(p, i);
			n = *list;
			if (n == GLOBSET_NONE || (!need->is_run &&
			    !need_fits(need, p->subject, end)))
				continue;
			*list = GLOBSET_NONE;
			for (; n != GLOBSET_NONE; n = next) {
				next = p->waiting[n].next;
				pass_try(p, n, need, end);
			}
		}
		run = p->shorter[run];
	} while (run != FM_TRIE_NONE);
	return (p->over);
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
			pass_start(p, glob);
		}
}

int
fm_globset_decide(const struct fm_globset *set, struct fm_text subject,
    uint64_t *bits, uint32_t most, bool any)
{
	bool all = most == FM_GLOBSET_ALL;
	struct pass p = { .set = set, .subject = subject, .bits = bits,
	    .any = any, .pieces = set->pieces, .needs = set->needs };
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
		bits[word] &= ~set->bits[word];
	for (i = 0; i < 2 && !(any && p.found > 0); i++) {
		if (set->tries[i] == NULL)
			continue;
		p.shorter = set->tries[i]->shorter;
		p.number = room_pass(r);
		p.base = globset_base(set, i == 1);
		p.starts = all ? set->lists : NULL;
		p.open = all ? set->ncase[i] : 0;
		p.n = 0;
		p.over = false;
		if (!all)
			pass_some(&p, i == 1);
		if (p.open > 0)
			fm_trie_find(set->tries[i], subject, pass_hit, &p);
	}
	return (p.found);
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
	uint32_t glob;

	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	assert(number < set->n);
	glob = set->globs_of[number];
	return (glob == GLOBSET_NONE ? 0 : glob_cost(set->globs[glob].nocase));
}
