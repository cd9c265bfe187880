/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The automaton for many texts, made by breadth: what a node needs to know of
 * those that are less deep is there when it is made.  The first nodes, where
 * nearly every byte leads to, have a row of what comes next; all others have
 * only their children, and where to go on if it is none of these.
 */

#include "obj.h"
#include "trie.h"

/* The texts that begin as a node does, and how many bytes that is. */
struct span {
	uint32_t	first, end;
	uint32_t	depth;
};

#define TRIE_FEW	4	/* children to look at one by one */
#define TRIE_ROWS	(1U << 19)	/* of all rows, how many words */

/* 0, which is nobody's child: there is none. */
static inline uint32_t
trie_child(const struct fm_trie *t, uint32_t node, unsigned by)
{
	uint32_t i = t->first[node], end = t->first[node + 1], middle;

	while (end - i > TRIE_FEW) {
		middle = i + (end - i) / 2;
		if (t->by[middle] <= by)
			i = middle;
		else
			end = middle;
	}
	for (; i < end; i++)
		if (t->by[i] == by)
			return (i);
	return (0);
}

static inline uint32_t *
trie_row(const struct fm_trie *t, uint32_t node)
{
	return (t->rows + (size_t)node * t->width + 1);
}

/* From any node; by is not 0. */
static uint32_t
trie_next(const struct fm_trie *t, uint32_t state, unsigned by)
{
	uint32_t next;

	for (; state >= t->nrows; state = t->fail[state]) {
		next = trie_child(t, state, by);
		if (next != 0)
			return (next);
	}
	return (trie_row(t, state)[by]);
}

/* Of a trie that has a row for each node. */
static void __attribute__((noinline))
trie_find_by_rows(const struct fm_trie *t, struct fm_text subject,
    fm_trie_hit_f *hit, void *priv)
{
	const char *s = subject.b, *e = s + subject.len;
	const uint32_t *outs = t->rows, *next = t->rows + 1;
	const uint16_t *classes = t->classes;
	size_t row = 0;

	while (s < e) {
		row = next[row + classes[(unsigned char)*s++]];
		if (outs[row] != FM_TRIE_NONE &&
		    hit(priv, outs[row], (size_t)(s - subject.b)))
			break;
	}
}

void
fm_trie_find(const struct fm_trie *t, struct fm_text subject,
    fm_trie_hit_f *hit, void *priv)
{
	const char *s = subject.b, *e = s + subject.len;
	uint32_t node = 0, child;
	unsigned by;

	FM_OBJ_CHECK(t, FM_TRIE_MAGIC);
	if (t->nrows == t->nnodes) {
		trie_find_by_rows(t, subject, hit, priv);
		return;
	}
	while (s < e) {
		by = t->classes[(unsigned char)*s++];
		child = t->first[node];
		if (node < t->nrows)
			node = trie_row(t, node)[by];
		else if (child < t->first[node + 1] && t->by[child] == by)
			node = child;
		else
			node = by == 0 ? 0 : trie_next(t, node, by);
		if (t->out[node] != FM_TRIE_NONE &&
		    hit(priv, t->out[node], (size_t)(s - subject.b)))
			break;
	}
}

/* As many as there are different beginnings; 0: too many. */
static uint32_t
trie_count(const struct fm_text *texts, uint32_t n)
{
	uint64_t nodes = 1;
	size_t same;
	uint32_t i;

	for (i = 0; i < n; i++) {
		for (same = 0; i > 0 && same < texts[i - 1].len &&
		    texts[i].b[same] == texts[i - 1].b[same]; same++)
			assert(same + 1 < texts[i].len);
		nodes += texts[i].len - same;
	}
	return (nodes < UINT32_MAX ? (uint32_t)nodes : 0);
}

/* Bytes that are the same to all texts; in the order of bytes. */
static void
trie_classes(struct fm_trie *t, const struct fm_text *texts, bool nocase)
{
	bool used[256] = { false };
	size_t k;
	uint32_t i;

	for (i = 0; i < t->n; i++)
		for (k = 0; k < texts[i].len; k++)
			used[(unsigned char)texts[i].b[k]] = true;
	t->nclasses = 1;
	for (i = 0; i < 256; i++)
		if (used[i])
			t->classes[i] = (uint16_t)t->nclasses++;
	for (i = 0; i < 256 && nocase; i++)
		t->classes[i] = t->classes[fm_lower((unsigned char)i)];
}

static void
trie_add(struct fm_trie *t, uint32_t parent, uint32_t node,
    const struct fm_text *texts, const struct span *span)
{
	const struct fm_text *first = &texts[span->first];
	uint32_t fail = 0;

	t->by[node] = t->classes[(unsigned char)first->b[span->depth - 1]];
	if (parent != 0)
		fail = trie_next(t, t->fail[parent], t->by[node]);
	if (parent < t->nrows)
		trie_row(t, parent)[t->by[node]] = node;
	t->fail[node] = fail;
	t->out[node] = t->out[fail];
	if (first->len == span->depth) {
		t->shorter[span->first] = t->out[fail];
		t->out[node] = span->first;
	}
}

/* The children of a node; returns how many nodes there are then. */
static uint32_t
trie_extend(struct fm_trie *t, uint32_t node, uint32_t made,
    const struct fm_text *texts, struct span *spans)
{
	uint32_t i = spans[node].first, end = spans[node].end;
	size_t depth = spans[node].depth;
	struct span *child;

	t->first[node] = made;
	if (node > 0 && node < t->nrows)
		memcpy(trie_row(t, node), trie_row(t, t->fail[node]),
		    t->nclasses * sizeof *t->rows);
	for (i += texts[i].len == depth; i < end; i = child->end) {
		child = &spans[made];
		*child = (struct span){ i, i + 1, (uint32_t)depth + 1 };
		while (child->end < end &&
		    texts[child->end].b[depth] == texts[i].b[depth])
			child->end++;
		trie_add(t, node, made++, texts, child);
	}
	return (made);
}

static bool
trie_alloc(struct fm_trie *t)
{
	size_t n = (size_t)t->nnodes + 1;

	t->width = t->nclasses + 1;
	t->nrows = TRIE_ROWS / t->width;
	if (t->nrows > t->nnodes)
		t->nrows = t->nnodes;
	t->rows = calloc((size_t)t->nrows * t->width, sizeof *t->rows);
	t->first = calloc(n, sizeof *t->first);
	t->fail = calloc(n, sizeof *t->fail);
	t->out = calloc(n, sizeof *t->out);
	t->by = calloc(n, sizeof *t->by);
	t->shorter = calloc(t->n, sizeof *t->shorter);
	return (t->rows != NULL && t->first != NULL && t->fail != NULL &&
	    t->out != NULL && t->by != NULL && t->shorter != NULL);
}

/* Where all nodes have a row, it says where the row of the next one begins. */
static void
trie_link(struct fm_trie *t)
{
	uint32_t node, by, *row;

	for (node = 0; node < t->nnodes; node++) {
		row = trie_row(t, node);
		for (by = 0; by < t->nclasses; by++)
			row[by] *= t->width;
		row[-1] = t->out[node];
	}
}

struct fm_trie *
fm_trie_new(const struct fm_text *texts, uint32_t n, bool nocase)
{
	uint32_t node, made = 1;
	struct span *spans;
	struct fm_trie *t;

	assert(n > 0);
	FM_OBJ_NEW(t, FM_TRIE_MAGIC);
	if (t == NULL)
		return (NULL);
	t->n = n;
	t->nnodes = trie_count(texts, n);
	trie_classes(t, texts, nocase);
	spans = t->nnodes == 0 ? NULL : calloc(t->nnodes, sizeof *spans);
	if (spans == NULL || !trie_alloc(t)) {
		free(spans);
		fm_trie_free(&t);
		return (NULL);
	}
	t->out[0] = FM_TRIE_NONE;
	spans[0] = (struct span){ 0, n, 0 };
	for (node = 0; node < t->nnodes; node++)
		made = trie_extend(t, node, made, texts, spans);
	assert(made == t->nnodes);
	t->first[made] = made;
	free(spans);
	if (t->nrows == t->nnodes)
		trie_link(t);
	return (t);
}

void
fm_trie_free(struct fm_trie **tp)
{
	struct fm_trie *t;

	FM_OBJ_TAKE(t, tp, FM_TRIE_MAGIC);
	free(t->rows);
	free(t->first);
	free(t->fail);
	free(t->out);
	free(t->by);
	free(t->shorter);
	FM_OBJ_FREE(t);
}

size_t
fm_trie_bytes(const struct fm_trie *t)
{
	FM_OBJ_CHECK(t, FM_TRIE_MAGIC);
	return (sizeof *t + t->nnodes * (sizeof *t->first + sizeof *t->fail +
	    sizeof *t->out + sizeof *t->by) +
	    (size_t)t->nrows * t->width * sizeof *t->rows +
	    t->n * sizeof *t->shorter);
}
