/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Literals that end alike, or with what they are made of.
 */

#include "alike.h"
#include "arena.h"
#include "grow.h"
#include "obj.h"
#include "thread.h"
#include "trie.h"

#define END_LEN		8	/* what Hyperscan's hash is of */
#define ALIKE_FEW	3	/* may end alike, for the scan */

struct literal {
	struct fm_text		text;		/* lower case, with nocase */
	bool			nocase;
	enum fm_alike_use	use;
	unsigned		rank;
	uint32_t		id;
	bool			ends;		/* it is as long as that: */
	char			end[END_LEN];	/* in lower case */
	bool			again;		/* and in the middle, too */
};

/* The literals of one case: a text of the trie is some that are the same. */
struct half {
	struct fm_trie		*trie;		/* NULL: none */
	uint32_t		*first;		/* id of each text; those of
						 * the next one follow */
	uint32_t		*ids;
	size_t			n;		/* of them */
};

struct fm_alike {
	unsigned		magic;
#define FM_ALIKE_MAGIC		0x5d19c7b2
	struct literal		*literals;
	size_t			n, cap;
	bool			is_dense;	/* one of them */
	struct fm_arena		arena;
	struct half		halves[2];	/* with case, without */
};

/*--------------------------------------------------------------------
 * Making it
 */

struct fm_alike *
fm_alike_new(void)
{
	struct fm_alike *al;

	FM_OBJ_NEW(al, FM_ALIKE_MAGIC);
	return (al);
}

void
fm_alike_free(struct fm_alike **alp)
{
	struct fm_alike *al;
	unsigned i;

	FM_OBJ_TAKE(al, alp, FM_ALIKE_MAGIC);
	for (i = 0; i < 2; i++) {
		if (al->halves[i].trie != NULL)
			fm_trie_free(&al->halves[i].trie);
		free(al->halves[i].first);
		free(al->halves[i].ids);
	}
	fm_arena_fini(&al->arena);
	free(al->literals);
	FM_OBJ_FREE(al);
}

int
fm_alike_add(struct fm_alike *al, struct fm_text text, bool nocase,
    enum fm_alike_use use, unsigned rank, uint32_t id)
{
	struct literal *l;
	size_t i;
	char *b;

	FM_OBJ_CHECK(al, FM_ALIKE_MAGIC);
	assert(text.len > 0);
	l = fm_grow_room(al->literals, &al->cap, al->n, 1, sizeof *l);
	if (l == NULL)
		return (-1);
	al->literals = l;
	b = fm_arena_alloc(&al->arena, text.len);
	if (b == NULL)
		return (-1);
	if (nocase)
		fm_text_lower(b, text);
	else
		memcpy(b, text.b, text.len);
	l += al->n++;
	*l = (struct literal){ .text = fm_text(b, text.len), .nocase = nocase,
	    .use = use, .rank = rank, .id = id };
	al->is_dense |= use == FM_ALIKE_DENSE;
	l->ends = text.len >= END_LEN && use != FM_ALIKE_DENSE;
	if (!l->ends)
		return (0);
	fm_text_lower(l->end, fm_text(b + text.len - END_LEN, END_LEN));
	for (i = 0; i + END_LEN < text.len && !l->again; i++)
		l->again = fm_text_eq_nocase(fm_text(l->end, END_LEN),
		    fm_text(b + i, END_LEN));
	return (0);
}

/*
 * Whether Hyperscan would compare much at every place of a text that a client
 * has made for it: many literals, or one in the middle of itself.
 */
static bool
is_slow(const struct literal *l, const struct literal *end)
{
	bool again = false;
	ptrdiff_t n = end - l;

	for (; l < end; l++)
		again |= l->again;
	return (n > ALIKE_FEW || again);
}

static int
by_end(const void *va, const void *vb)
{
	const struct literal *a = va, *b = vb;

	if ((a->use == FM_ALIKE_DENSE) != (b->use == FM_ALIKE_DENSE))
		return (a->use == FM_ALIKE_DENSE ? 1 : -1);
	if (a->ends != b->ends)
		return (a->ends ? 1 : -1);
	return (memcmp(a->end, b->end, END_LEN));
}

static int
by_text(const void *va, const void *vb)
{
	const struct literal *a = va, *b = vb;
	int differ;

	if (a->nocase != b->nocase)
		return (a->nocase ? 1 : -1);
	differ = fm_text_compare(a->text, b->text);
	if (differ == 0)
		differ = (a->rank > b->rank) - (a->rank < b->rank);
	return (differ);
}

/* Of literals by their text, n of one case. */
static int
half_make(struct half *half, const struct literal *literals, size_t n)
{
	struct fm_text *texts;
	uint32_t i, made = 0;

	half->n = n;
	half->first = calloc(n + 1, sizeof *half->first);
	half->ids = calloc(n, sizeof *half->ids);
	texts = calloc(n, sizeof *texts);
	if (half->first != NULL && half->ids != NULL && texts != NULL) {
		for (i = 0; i < n; i++) {
			half->ids[i] = literals[i].id;
			if (i > 0 && fm_text_eq(literals[i].text,
			    literals[i - 1].text))
				continue;
			half->first[made] = i;
			texts[made++] = literals[i].text;
		}
		half->first[made] = (uint32_t)n;
		half->trie = fm_trie_new(texts, made, literals->nocase);
	}
	free(texts);
	return (half->trie == NULL ? -1 : 0);
}

int
fm_alike_scan(struct fm_alike *al, struct fm_scan_builder *sb, uint32_t end,
    bool *left)
{
	struct literal *l = al->literals, *e, *next, *kept = l;
	size_t exact = 0;
	int bad = 0;

	FM_OBJ_CHECK(al, FM_ALIKE_MAGIC);
	*left = false;
	if (al->n == 0)
		return (0);
	qsort(l, al->n, sizeof *l, by_end);
	for (e = l + al->n; l < e; l = next) {
		for (next = l + 1; next < e && by_end(l, next) == 0;)
			next++;
		if (l->use == FM_ALIKE_DENSE || (l->ends && is_slow(l, next))) {
			if (l->ends)
				bad |= fm_scan_build_literal(sb,
				    fm_text(l->end, END_LEN), true, end);
			memmove(kept, l, (size_t)(next - l) * sizeof *l);
			kept += next - l;
			continue;
		}
		for (; l < next; l++) {
			bad |= fm_scan_build_literal(sb, l->text, l->nocase,
			    l->id);
			if (l->use == FM_ALIKE_ANY)
				*kept++ = *l;
		}
	}
	al->n = (size_t)(kept - al->literals);
	*left = al->n > 0;
	if (!*left || bad != 0)
		return (bad);
	qsort(al->literals, al->n, sizeof *al->literals, by_text);
	while (exact < al->n && !al->literals[exact].nocase)
		exact++;
	if (exact > 0)
		bad |= half_make(&al->halves[0], al->literals, exact);
	if (exact < al->n)
		bad |= half_make(&al->halves[1], al->literals + exact,
		    al->n - exact);
	free(al->literals);
	al->literals = NULL;
	al->n = al->cap = 0;
	fm_arena_fini(&al->arena);
	return (bad);
}

bool
fm_alike_is_dense(const struct fm_alike *al)
{
	FM_OBJ_CHECK(al, FM_ALIKE_MAGIC);
	return (al->is_dense);
}

/*--------------------------------------------------------------------
 * Finding
 */

/* The thread's. */
struct room {
	unsigned		magic;
#define ALIKE_ROOM_MAGIC	0x1f6b83d9
	uint32_t		n;
	struct fm_trie_marks	marks;
};

static void
room_free(void *priv)
{
	struct room *r;

	FM_OBJ_CAST(r, priv, ALIKE_ROOM_MAGIC);
	free(r->marks.of);
	FM_OBJ_FREE(r);
}

static bool
room_grow(struct room *r, uint32_t n)
{
	uint32_t *of = calloc(n, sizeof *of);

	if (of == NULL)
		return (false);
	free(r->marks.of);
	r->marks.of = of;
	r->marks.mark = 0;
	r->n = n;
	return (true);
}

/* For so many texts, of which none is marked; NULL: no memory. */
static const struct fm_trie_marks *
marks_get(uint32_t n)
{
	struct room *r = fm_thread_get(FM_THREAD_ALIKE);

	if (r == NULL) {
		FM_OBJ_NEW(r, ALIKE_ROOM_MAGIC);
		if (r == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_ALIKE, r, room_free)) {
			room_free(r);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(r, ALIKE_ROOM_MAGIC);
	if (r->n < n && !room_grow(r, n))
		return (NULL);
	if (r->marks.mark == UINT32_MAX) {
		memset(r->marks.of, 0, r->n * sizeof *r->marks.of);
		r->marks.mark = 0;
	}
	r->marks.mark++;
	return (&r->marks);
}

struct finding {
	const struct half		*half;
	const struct fm_trie_marks	*marks;
	fm_alike_hits_f			*hits;
	void				*priv;
	bool				enough;
};

/* Of a text that is told already what is shorter is, too. */
static bool
half_hits(void *priv, const uint32_t *texts, unsigned n)
{
	struct finding *f = priv;
	const uint32_t *shorter = f->half->trie->shorter;
	const uint32_t *first = f->half->first, *ids = f->half->ids;
	fm_alike_hits_f *tell = f->hits;
	void *tell_priv = f->priv;
	uint32_t text;

	for (; n > 0; texts++, n--) {
		text = *texts;
		do {
			if (tell(tell_priv, ids + first[text],
			    first[text + 1] - first[text])) {
				f->enough = true;
				return (true);
			}
			text = shorter[text];
		} while (text != FM_TRIE_NONE && fm_trie_mark(f->marks, text));
	}
	return (false);
}

int
fm_alike_find(const struct fm_alike *al, struct fm_text subject,
    fm_alike_hits_f *hits, void *priv, size_t *again)
{
	struct finding f = { .hits = hits, .priv = priv };
	unsigned i;

	FM_OBJ_CHECK(al, FM_ALIKE_MAGIC);
	*again = 0;
	for (i = 0; i < 2 && !f.enough; i++) {
		f.half = &al->halves[i];
		if (f.half->trie == NULL)
			continue;
		f.marks = marks_get(f.half->trie->n);
		if (f.marks == NULL)
			return (-1);
		*again += fm_trie_find_new(f.half->trie, subject, f.marks,
		    half_hits, &f);
	}
	return (0);
}

size_t
fm_alike_bytes(const struct fm_alike *al)
{
	size_t bytes;
	unsigned i;

	FM_OBJ_CHECK(al, FM_ALIKE_MAGIC);
	bytes = sizeof *al + al->cap * sizeof *al->literals +
	    fm_arena_bytes(&al->arena);
	for (i = 0; i < 2; i++)
		if (al->halves[i].trie != NULL)
			bytes += fm_trie_bytes(al->halves[i].trie) +
			    al->halves[i].n * 2 * sizeof(uint32_t);
	return (bytes);
}
