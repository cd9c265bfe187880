/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The automaton for many texts.  It is made as a tree of nodes, by breadth:
 * what a node needs to know of those that are less deep is there when it is
 * made.  Then it is laid out in words, for a subject to go through.
 *
 * A state is where its words begin.  The first ones, where nearly every byte
 * leads to, have a row: what comes next, for each class of bytes.  All others
 * have only
 *
 *	how many children it has
 *	the state to go on with if it is none of these
 *	the class of each, ascending
 *	what comes next for each
 *
 * What comes next is a state; or, where texts end, two words elsewhere: which
 * of them is the longest, and the state.  A node without children has no words
 * of its own: what comes next is what does so for the longest end of it that is
 * a node with children.
 */

#include "obj.h"
#include "trie.h"

#define TRIE_FEW	4	/* children to look at one by one */
#define TRIE_ROWS	(1U << 20)	/* of all rows, how many words */

#define TRIE_ENDS	0x80000000	/* what comes next: texts end */
#define TRIE_SPARSE	0x40000000	/* a state that has no row */
#define TRIE_WORD	(TRIE_SPARSE - 1)

#define TRIE_BATCH	64

/*--------------------------------------------------------------------
 * Finding
 */

/* What comes next in a state without a row. */
static size_t __attribute__((noinline))
trie_sparse(const uint32_t *states, size_t state, uint32_t by)
{
	const uint32_t *words, *classes;
	uint32_t i, end, middle;

	while ((state & TRIE_SPARSE) != 0) {
		words = states + (state & TRIE_WORD);
		classes = words + 2;
		i = 0;
		for (end = words[0]; end - i > TRIE_FEW;) {
			middle = i + (end - i) / 2;
			if (classes[middle] <= by)
				i = middle;
			else
				end = middle;
		}
		for (; i < end; i++)
			if (classes[i] == by)
				return (classes[words[0] + i]);
		state = words[1];
	}
	return (states[state + by]);
}

/*
 * Until texts end, or a state has no row; at least one byte is there.  Before
 * `quick` there are four and more.
 */
static inline size_t
trie_rows(const struct fm_trie *t, const unsigned char **sp,
    const unsigned char *quick, const unsigned char *e, size_t state)
{
	const uint32_t *states = t->states;
	const uint16_t *classes = t->classes;
	const unsigned char *s = *sp;

	for (; s < quick; s += 4) {
		*sp = s + 1;
		state = states[state + classes[s[0]]];
		if (state > TRIE_WORD)
			return (state);
		*sp = s + 2;
		state = states[state + classes[s[1]]];
		if (state > TRIE_WORD)
			return (state);
		*sp = s + 3;
		state = states[state + classes[s[2]]];
		if (state > TRIE_WORD)
			return (state);
		*sp = s + 4;
		state = states[state + classes[s[3]]];
		if (state > TRIE_WORD)
			return (state);
	}
	while (s < e && state <= TRIE_WORD)
		state = states[state + classes[*s++]];
	*sp = s;
	return (state);
}

/* On, by a byte at least: until texts end, or as trie_rows() says. */
static inline __attribute__((always_inline)) size_t
trie_next(const struct fm_trie *t, const unsigned char **sp,
    const unsigned char *quick, const unsigned char *e, size_t state)
{
	if ((state & TRIE_SPARSE) == 0)
		return (trie_rows(t, sp, quick, e, state));
	return (trie_sparse(t->states, state, t->classes[*(*sp)++]));
}

/* On from where texts end: until others do, or a state has no row. */
static inline __attribute__((always_inline)) size_t
trie_on(const uint32_t *states, const uint16_t *classes,
    const unsigned char **sp, const unsigned char *e, size_t state)
{
	const unsigned char *s = *sp;

	if (state > TRIE_WORD)
		return (state);
	while (s < e) {
		state = states[state + classes[*s++]];
		if (state > TRIE_WORD)
			break;
	}
	*sp = s;
	return (state);
}

size_t
fm_trie_find_new(const struct fm_trie *t, struct fm_text subject,
    const struct fm_trie_marks *marks, fm_trie_texts_f *tell, void *priv)
{
	const unsigned char *s = (const unsigned char *)subject.b;
	const unsigned char *e = s + subject.len;
	const unsigned char *quick = subject.len < 4 ? s : e - 3;
	const uint32_t *states = t->states, *words;
	const uint16_t *classes = t->classes;
	struct fm_trie_marks m = *marks;
	uint32_t texts[TRIE_BATCH], *text = texts;
	size_t state = 0, again = 0;

	FM_OBJ_CHECK(t, FM_TRIE_MAGIC);
	while (s < e) {
		state = trie_next(t, &s, quick, e, state);
		while ((state & TRIE_ENDS) != 0) {
			words = states + (state & TRIE_WORD);
			if (!fm_trie_mark(&m, words[0]))
				again++;
			else
				*text++ = words[0];
			if (text == texts + TRIE_BATCH) {
				if (tell(priv, texts, TRIE_BATCH))
					return (again);
				text = texts;
			}
			state = trie_on(states, classes, &s, e, words[1]);
		}
	}
	if (text > texts)
		(void)tell(priv, texts, (unsigned)(text - texts));
	return (again);
}

void
fm_trie_find(const struct fm_trie *t, struct fm_text subject,
    const struct fm_trie_marks *marks, fm_trie_hit_f *tell, void *priv)
{
	const unsigned char *b = (const unsigned char *)subject.b, *s = b;
	const unsigned char *e = b + subject.len;
	const unsigned char *quick = subject.len < 4 ? b : e - 3;
	const uint32_t *states = t->states, *words, *of = marks->of;
	const uint16_t *classes = t->classes;
	uint32_t mark = marks->mark;
	size_t state = 0;

	FM_OBJ_CHECK(t, FM_TRIE_MAGIC);
	while (s < e) {
		state = trie_next(t, &s, quick, e, state);
		while ((state & TRIE_ENDS) != 0) {
			words = states + (state & TRIE_WORD);
			if (of[words[0]] != mark) {
				if (tell(priv, words[0], (size_t)(s - b)))
					return;
				mark = marks->mark;
			}
			state = trie_on(states, classes, &s, e, words[1]);
		}
	}
}

/*--------------------------------------------------------------------
 * Making it
 */

/* The texts that begin alike. */
struct node {
	uint32_t	first, end;	/* of the texts */
	uint32_t	depth;		/* so many bytes */
	uint32_t	child;		/* the first of them; they end where
					 * those of the next node begin */
	uint32_t	fail;		/* the longest end that is a node */
	uint32_t	out;		/* the longest text that ends here */
	uint32_t	by;		/* the class that leads to it */
	uint32_t	state;		/* of it, or of what it goes on with */
	uint32_t	next;		/* for those that lead to it */
};

struct making {
	struct fm_trie		*trie;
	const struct fm_text	*texts;
	struct node		*nodes;		/* and one more, behind them */
	uint32_t		nnodes;
};

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
	return (nodes < TRIE_WORD ? (uint32_t)nodes : 0);
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

/* 0, which is nobody's child: there is none. */
static uint32_t
node_child(const struct node *nodes, uint32_t node, uint32_t by)
{
	uint32_t i = nodes[node].child, end = nodes[node + 1].child, middle;

	while (end - i > TRIE_FEW) {
		middle = i + (end - i) / 2;
		if (nodes[middle].by <= by)
			i = middle;
		else
			end = middle;
	}
	for (; i < end; i++)
		if (nodes[i].by == by)
			return (i);
	return (0);
}

/* The longest end of a child that is a node: of a parent's that has one. */
static uint32_t
node_fail(const struct node *nodes, uint32_t parent, uint32_t by)
{
	uint32_t found = 0;

	while (parent != 0 && found == 0) {
		parent = nodes[parent].fail;
		found = node_child(nodes, parent, by);
	}
	return (found);
}

/* The children of a node; returns how many nodes there are then. */
static uint32_t
node_extend(const struct making *m, uint32_t node, uint32_t made)
{
	const struct fm_text *texts = m->texts;
	uint32_t i = m->nodes[node].first, end = m->nodes[node].end;
	uint32_t depth = m->nodes[node].depth;
	struct node *child;

	m->nodes[node].child = made;
	for (i += texts[i].len == depth; i < end; i = child->end) {
		child = &m->nodes[made++];
		child->first = i;
		child->end = i + 1;
		while (child->end < end &&
		    texts[child->end].b[depth] == texts[i].b[depth])
			child->end++;
		child->depth = depth + 1;
		child->by = m->trie->classes[(unsigned char)texts[i].b[depth]];
	}
	return (made);
}

/* What it fails to is less deep, so that is made, and its children are. */
static void
node_link(const struct making *m, uint32_t parent, uint32_t child)
{
	struct node *n = &m->nodes[child];

	n->fail = node_fail(m->nodes, parent, n->by);
	n->out = m->nodes[n->fail].out;
	if (m->texts[n->first].len == n->depth) {
		m->trie->shorter[n->first] = n->out;
		n->out = n->first;
	}
}

static void
nodes_make(const struct making *m)
{
	uint32_t node, child, made = 1;

	m->nodes[0].end = m->trie->n;
	m->nodes[0].out = FM_TRIE_NONE;
	for (node = 0; node < m->nnodes; node++)
		made = node_extend(m, node, made);
	assert(made == m->nnodes);
	m->nodes[made].child = made;
	for (node = 0; node < m->nnodes; node++)
		for (child = m->nodes[node].child;
		    child < m->nodes[node + 1].child; child++)
			node_link(m, node, child);
}

/* Where the words of each are; false: there are too many. */
static bool
nodes_place(const struct making *m)
{
	struct fm_trie *t = m->trie;
	uint32_t rows = TRIE_ROWS / t->nclasses, i, children;
	uint64_t words = 0;
	struct node *n;

	for (i = 0; i < m->nnodes && words < TRIE_WORD; i++) {
		n = &m->nodes[i];
		n->state = (uint32_t)words;
		children = n[1].child - n->child;
		if (children == 0)
			n->state = m->nodes[n->fail].state;
		else if (rows > 0) {
			words += t->nclasses;
			rows--;
		} else {
			n->state |= TRIE_SPARSE;
			words += 2 + 2 * (uint64_t)children;
			t->sparse++;
		}
		n->next = n->state;
		if (n->out != FM_TRIE_NONE) {
			n->next = TRIE_ENDS | (uint32_t)words;
			words += 2;
		}
	}
	t->nstates = (uint32_t)words;
	return (words < TRIE_WORD);
}

/* By breadth: the row that it fails to is there. */
static void
node_write(const struct making *m, uint32_t node)
{
	uint32_t *states = m->trie->states, *words, i, children;
	const struct node *n = &m->nodes[node];
	uint32_t fail = m->nodes[n->fail].state;

	if (n->out != FM_TRIE_NONE) {
		words = states + (n->next & TRIE_WORD);
		words[0] = n->out;
		words[1] = n->state;
	}
	children = n[1].child - n->child;
	if (children == 0)
		return;
	words = states + (n->state & TRIE_WORD);
	if ((n->state & TRIE_SPARSE) != 0) {
		*words++ = children;
		*words++ = fail;
		for (i = 0; i < children; i++) {
			words[i] = m->nodes[n->child + i].by;
			words[children + i] = m->nodes[n->child + i].next;
		}
		return;
	}
	if (node > 0)
		memcpy(words, states + fail,
		    m->trie->nclasses * sizeof *words);
	for (i = n->child; i < n[1].child; i++)
		words[m->nodes[i].by] = m->nodes[i].next;
}

static bool
trie_make(const struct making *m)
{
	struct fm_trie *t = m->trie;
	uint32_t node;

	nodes_make(m);
	if (!nodes_place(m))
		return (false);
	assert(t->nstates > 0);
	t->states = calloc(t->nstates, sizeof *t->states);
	for (node = 0; node < m->nnodes && t->states != NULL; node++)
		node_write(m, node);
	return (t->states != NULL);
}

struct fm_trie *
fm_trie_new(const struct fm_text *texts, uint32_t n, bool nocase)
{
	struct making m = { .texts = texts };
	struct fm_trie *t;

	assert(n > 0);
	FM_OBJ_NEW(t, FM_TRIE_MAGIC);
	if (t == NULL)
		return (NULL);
	m.trie = t;
	t->n = n;
	trie_classes(t, texts, nocase);
	t->shorter = calloc(n, sizeof *t->shorter);
	m.nnodes = trie_count(texts, n);
	if (m.nnodes > 0)
		m.nodes = calloc((size_t)m.nnodes + 1, sizeof *m.nodes);
	if (t->shorter == NULL || m.nodes == NULL || !trie_make(&m))
		fm_trie_free(&t);
	free(m.nodes);
	return (t);
}

void
fm_trie_free(struct fm_trie **tp)
{
	struct fm_trie *t;

	FM_OBJ_TAKE(t, tp, FM_TRIE_MAGIC);
	free(t->states);
	free(t->shorter);
	FM_OBJ_FREE(t);
}

size_t
fm_trie_bytes(const struct fm_trie *t)
{
	FM_OBJ_CHECK(t, FM_TRIE_MAGIC);
	return (sizeof *t + t->nstates * sizeof *t->states +
	    t->n * sizeof *t->shorter);
}
