/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts that many of a set have.
 */

#include "arena.h"
#include "common.h"
#include "grow.h"
#include "obj.h"

struct fm_common {
	unsigned	magic;
#define FM_COMMON_MAGIC	0x2f7b60e9
	struct fm_grow	added, marked;		/* struct fm_text */
	size_t		sorted;			/* of what is marked */
	struct fm_arena	arena;
};

struct fm_common *
fm_common_new(void)
{
	struct fm_common *c;

	FM_OBJ_NEW(c, FM_COMMON_MAGIC);
	return (c);
}

void
fm_common_free(struct fm_common **cp)
{
	struct fm_common *c;

	FM_OBJ_TAKE(c, cp, FM_COMMON_MAGIC);
	fm_grow_fini(&c->added);
	fm_grow_fini(&c->marked);
	fm_arena_fini(&c->arena);
	FM_OBJ_FREE(c);
}

static int
texts_add(struct fm_grow *texts, struct fm_text t)
{
	struct fm_text *v = fm_grow_add(texts, sizeof *v, 1);

	if (v == NULL)
		return (-1);
	*v = t;
	return (0);
}

int
fm_common_add(struct fm_common *c, struct fm_text t)
{
	char *b;

	FM_OBJ_CHECK(c, FM_COMMON_MAGIC);
	b = fm_arena_alloc(&c->arena, t.len + 1);
	if (b == NULL)
		return (-1);
	fm_text_lower(b, t);
	return (texts_add(&c->added, fm_text(b, t.len)));
}

/* In whatever case. */
static int
by_text(const void *va, const void *vb)
{
	const struct fm_text *a = va, *b = vb;
	size_t i, n = a->len < b->len ? a->len : b->len;
	unsigned char x, y;

	for (i = 0; i < n; i++) {
		x = fm_lower((unsigned char)a->b[i]);
		y = fm_lower((unsigned char)b->b[i]);
		if (x != y)
			return (x < y ? -1 : 1);
	}
	return ((a->len > b->len) - (a->len < b->len));
}

static void
texts_sort(struct fm_grow *texts)
{
	if (texts->n > 0)
		qsort(texts->items, texts->n, sizeof(struct fm_text), by_text);
}

int
fm_common_mark(struct fm_common *c, unsigned most)
{
	const struct fm_text *t = c->added.items, *e, *next;
	int n = 0;

	FM_OBJ_CHECK(c, FM_COMMON_MAGIC);
	if (c->added.n == 0)
		return (0);
	texts_sort(&c->added);
	for (e = t + c->added.n; t < e; t = next) {
		for (next = t + 1; next < e && by_text(t, next) == 0;)
			next++;
		if (next - t <= most || fm_common_is(c, *t))
			continue;
		if (texts_add(&c->marked, *t) != 0)
			return (-1);
		n++;
	}
	texts_sort(&c->marked);
	c->sorted = c->marked.n;
	c->added.n = 0;
	return (n);
}

bool
fm_common_is(const struct fm_common *c, struct fm_text t)
{
	FM_OBJ_CHECK(c, FM_COMMON_MAGIC);
	return (c->sorted > 0 && bsearch(&t, c->marked.items, c->sorted,
	    sizeof t, by_text) != NULL);
}
