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

/* A glob that is being decided. */
struct waiting {
	uint32_t	next;		/* that waits for the same run */
	uint32_t	glob;
	uint32_t	piece;		/* next; GLOBSET_NONE: it matches */
	size_t		from, to;	/* where it must be in the subject */
};

/* Per thread; all lists are empty between calls. */
struct room {
	unsigned	magic;
#define ROOM_MAGIC	0x2b7f61ce
	uint32_t	*lists;		/* of those that wait for each run */
	uint32_t	nlists;
	struct waiting	*waiting;
	uint32_t	cap;
};

struct pass {
	const struct fm_globset	*set;
	struct fm_text		subject;
	struct room		*room;
	bool			any;		/* one is enough */
	uint32_t		n;		/* in waiting[] */
	uint32_t		open;		/* of these, not decided */
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
	uint32_t *l;

	if (lists > r->nlists) {
		l = malloc(lists * sizeof *l);
		if (l == NULL)
			return (false);
		memset(l, 0xff, lists * sizeof *l);	/* GLOBSET_NONE */
		free(r->lists);
		r->lists = l;
		r->nlists = lists;
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
	uint32_t lists = 0;
	struct room *r;
	int i;

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
	for (i = 0; i < 2; i++)
		if (set->tries[i] != NULL && set->tries[i]->n > lists)
			lists = set->tries[i]->n;
	return (room_grow(r, lists, globs) ? r : NULL);
}

/* Makes it wait for its next piece. */
static void
pass_wait(struct pass *p, uint32_t n)
{
	struct waiting *w = &p->room->waiting[n];
	uint32_t *list = &p->room->lists[p->set->pieces[w->piece].run];

	w->next = *list;
	*list = n;
}

/* Most of them begin and end with a star. */
static inline bool
part_fits(struct fm_text part, const char *bytes, bool nocase)
{
	return (part.len == 0 || fm_glob_fits(part, bytes, nocase));
}

/*
 * What a glob begins and ends with is at the ends of the subject, or there is
 * nothing to wait for.
 */
static void
pass_start(struct pass *p, uint32_t glob)
{
	const struct glob *g = &p->set->globs[glob];
	struct waiting *w = &p->room->waiting[p->n];
	struct fm_text s = p->subject;

	w->glob = glob;
	w->piece = g->first;
	p->n++;
	if (s.len < g->prefix.len + g->suffix.len ||
	    !part_fits(g->prefix, s.b, g->nocase) ||
	    !part_fits(g->suffix, s.b + s.len - g->suffix.len, g->nocase))
		return;
	w->from = g->prefix.len + p->set->pieces[w->piece].gap;
	w->to = s.len - g->suffix.len;
	pass_wait(p, p->n - 1);
	p->open++;
}

/* Its piece is found, and ends here. */
static void
pass_advance(struct pass *p, uint32_t n, size_t end)
{
	struct waiting *w = &p->room->waiting[n];
	const struct glob *g = &p->set->globs[w->glob];

	if (++w->piece < g[1].first) {
		w->from = end + p->set->pieces[w->piece].gap;
		pass_wait(p, n);
		return;
	}
	p->open--;
	if (end + g->gap > w->to) {
		w->piece--;
		return;
	}
	w->piece = GLOBSET_NONE;
	p->found++;
}

/*
 * The run of its piece ends here.  What would end behind the end of where it
 * must be now does so at any later place.
 */
static void
pass_try(struct pass *p, uint32_t n, size_t run_end)
{
	struct waiting *w = &p->room->waiting[n];
	const struct glob *g = &p->set->globs[w->glob];
	const struct piece *piece = &p->set->pieces[w->piece];
	size_t from = run_end - piece->run_end;

	if (run_end < w->from + piece->run_end)
		pass_wait(p, n);
	else if (w->to < from + piece->text.len)
		p->open--;
	else if (piece->run_len < piece->text.len &&
	    !fm_glob_fits(piece->text, p->subject.b + from, g->nocase))
		pass_wait(p, n);
	else
		pass_advance(p, n, from + piece->text.len);
}

/* All that wait for a run that ends here: some of them do so again. */
static void
pass_run(struct pass *p, uint32_t run, size_t end)
{
	uint32_t n = p->room->lists[run], next;

	p->room->lists[run] = GLOBSET_NONE;
	for (; n != GLOBSET_NONE; n = next) {
		next = p->room->waiting[n].next;
		pass_try(p, n, end);
	}
}

/* Whether that is all one wants to know. */
static bool
pass_is_over(const struct pass *p)
{
	return (p->open == 0 || (p->any && p->found > 0));
}

static void
pass_over(struct pass *p, const struct fm_trie *t)
{
	const char *s = p->subject.b, *e = s + p->subject.len;
	uint32_t state = 0, run;

	while (!pass_is_over(p)) {
		s = fm_trie_next(t, &state, s, e, p->room->lists);
		if (s == NULL)
			break;
		for (run = t->out[state]; run != FM_TRIE_NONE;
		    run = t->shorter[run])
			if (p->room->lists[run] != GLOBSET_NONE)
				pass_run(p, run, (size_t)(s - p->subject.b));
	}
}

/* The bits of those that don't match, and the lists. */
static void
pass_clear(struct pass *p, uint64_t *bits)
{
	const struct waiting *w;
	uint32_t number;

	for (w = p->room->waiting; w < p->room->waiting + p->n; w++) {
		if (w->piece == GLOBSET_NONE)
			continue;
		p->room->lists[p->set->pieces[w->piece].run] = GLOBSET_NONE;
		number = p->set->globs[w->glob].number;
		bits[number / 64] &= ~(1ULL << number % 64);
	}
}

/* Of those with this case. */
static int
pass_globs(const struct fm_globset *set, struct room *r, bool nocase,
    struct fm_text subject, uint64_t *bits, bool any)
{
	struct pass p = { .set = set, .subject = subject, .room = r,
	    .any = any };
	uint32_t word, glob;
	uint64_t b;

	for (word = 0; word * 64 < set->n; word++)
		for (b = bits[word]; b != 0; b &= b - 1) {
			glob = set->globs_of[word * 64 +
			    (uint32_t)__builtin_ctzll(b)];
			if (glob == GLOBSET_NONE ||
			    set->globs[glob].nocase != nocase)
				continue;
			assert(p.n < r->cap);
			pass_start(&p, glob);
		}
	pass_over(&p, set->tries[nocase]);
	pass_clear(&p, bits);
	return (p.found);
}

int
fm_globset_decide(const struct fm_globset *set, struct fm_text subject,
    uint64_t *bits, uint32_t most, bool any)
{
	struct room *r;
	int i, found = 0;

	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	assert(subject.b != NULL);
	r = room_get(set, most);
	if (r == NULL)
		return (-1);
	for (i = 0; i < 2 && !(any && found > 0); i++)
		if (set->tries[i] != NULL)
			found += pass_globs(set, r, i == 1, subject, bits,
			    any);
	return (found);
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
