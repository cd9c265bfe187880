/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cuts globs into pieces, and makes a trie of what these are looked for by.
 */

#include "glob.h"
#include "globset_priv.h"
#include "obj.h"

#define MISS_BYTES	32

/* A piece, and by which of its runs it is looked for. */
struct cut {
	struct fm_text	text;		/* of the pattern */
	uint32_t	run;
	uint32_t	run_len;	/* text.len: it is all of the piece */
	uint32_t	run_end;	/* in the piece */
};

/* The next stretch of t that has no such byte; false: none is left. */
static bool
text_next(struct fm_text t, char without, size_t *at, struct fm_text *found)
{
	const char *end;

	while (*at < t.len) {
		end = memchr(t.b + *at, without, t.len - *at);
		*found = fm_text_span(t.b + *at, end == NULL ? t.b + t.len :
		    end);
		*at += found->len + 1;
		if (found->len > 0)
			return (true);
	}
	return (false);
}

/* What is between its first star and its last one. */
static struct fm_text
glob_middle(struct fm_text glob)
{
	const char *b, *e;

	b = glob.len == 0 ? NULL : memchr(glob.b, '*', glob.len);
	if (b == NULL)
		return (fm_text("", 0));
	e = memrchr(glob.b, '*', glob.len);
	return (b == e ? fm_text(b, 0) : fm_text_span(b + 1, e));
}

/* The next piece; false: there is none left, and *gap bytes are behind it. */
static bool
piece_next(struct fm_text middle, size_t *at, struct fm_text *piece,
    uint32_t *gap)
{
	struct fm_text run;
	size_t in;

	for (*gap = 0; text_next(middle, '*', at, piece);
	    *gap += (uint32_t)piece->len) {
		in = 0;
		if (text_next(*piece, '?', &in, &run))
			return (true);
	}
	return (false);
}

/* Whether it is a text that is looked for as it is, and nothing else. */
static bool
pattern_is_text(const struct fm_pattern *pattern, struct fm_text *text)
{
	struct fm_text t = fm_pattern_text(pattern);

	if (fm_pattern_kind(pattern) == FM_PATTERN_GLOB)
		return (fm_glob_contains(t, text));
	*text = t;
	return (fm_pattern_kind(pattern) == FM_PATTERN_CONTAINS &&
	    t.len > 0 && fm_glob_prefix(t) == t.len);
}

/* How many pieces; 0: the set does without it. */
static uint32_t
pattern_pieces(const struct fm_pattern *pattern)
{
	struct fm_text text, piece;
	uint32_t n = 0, gap;
	size_t at = 0;

	if (pattern_is_text(pattern, &text))
		return (1);
	text = fm_pattern_text(pattern);
	if (fm_pattern_kind(pattern) == FM_PATTERN_GLOB)
		while (piece_next(glob_middle(text), &at, &piece, &gap))
			n++;
	return (n);
}

static void
globset_add(struct fm_globset *set, uint32_t number,
    const struct fm_pattern *pattern)
{
	struct glob *g = &set->globs[set->nglobs];
	struct fm_text t = fm_pattern_text(pattern), middle, piece;
	struct piece *end;
	uint32_t gap;
	size_t at = 0;

	set->globs_of[number] = set->nglobs++;
	g->is_text = pattern_is_text(pattern, &middle);
	if (!g->is_text) {
		middle = glob_middle(t);
		g->prefix = fm_text_span(t.b, middle.b - 1);
		g->suffix = fm_text_span(middle.b + middle.len + 1,
		    t.b + t.len);
		set->most += g->prefix.len;
	}
	g->number = number;
	g->nocase = fm_pattern_nocase(pattern);
	g->first = set->npieces;
	while (piece_next(middle, &at, &piece, &gap)) {
		set->cuts[set->npieces].text = piece;
		set->pieces[set->npieces].gap = gap;
		set->npieces++;
		/* A turn; more where it is found before it may begin. */
		if (!g->is_text)
			set->most += 1 + piece.len + gap;
	}
	set->pieces[set->npieces - 1].is_last = true;
	end = &set->pieces[set->npieces++];
	end->need = number & PIECE_MOST;
	end->gap = gap + (uint32_t)g->suffix.len;
}

/* What a piece may be looked for by. */
struct run {
	struct fm_text	text;
	struct cut	*cut;
	uint32_t	end;		/* in the piece */
};

static int
run_compare(const void *a, const void *b)
{
	const struct run *ra = a, *rb = b;

	return (fm_text_compare(ra->text, rb->text));
}

/* Those of all globs of this case; copy has room for their bytes. */
static uint32_t
runs_find(const struct fm_globset *set, bool nocase, struct run *runs,
    char *copy)
{
	struct fm_text run;
	const struct glob *g;
	struct cut *c;
	uint32_t i, n = 0;
	size_t at;

	for (g = set->globs; g < set->globs + set->nglobs; g++)
		for (i = g->first; i + 1 < g[1].first && g->nocase == nocase;
		    i++) {
			c = &set->cuts[i];
			for (at = 0; text_next(c->text, '?', &at, &run); n++) {
				runs[n] = (struct run){ fm_text(copy, run.len),
				    c, (uint32_t)at - 1 };
				if (nocase)
					fm_text_lower(copy, run);
				else
					memcpy(copy, run.b, run.len);
				copy += run.len;
			}
		}
	return (n);
}

/* Where those that are the same as this one end. */
static uint32_t
runs_same(const struct run *runs, uint32_t n, uint32_t i)
{
	uint32_t end = i + 1;

	while (end < n && run_compare(&runs[i], &runs[end]) == 0)
		end++;
	return (end);
}

/*
 * A piece is looked for by the run that the fewest have, so that a word of all
 * of them (`*bot?1*`, `*bot?2*`) is not one at which each is compared; of
 * these by the longest.
 */
static void
runs_choose(const struct run *runs, uint32_t n)
{
	uint32_t i, end, same;
	struct cut *c;

	for (i = 0; i < n;) {
		end = runs_same(runs, n, i);
		for (same = end - i; i < end; i++) {
			c = runs[i].cut;
			if (c->run_len != 0 && (same > c->run ||
			    (same == c->run && runs[i].text.len <= c->run_len)))
				continue;
			c->run = same;		/* it gets a number later */
			c->run_len = (uint32_t)runs[i].text.len;
			c->run_end = runs[i].end;
		}
	}
}

/* Those that are chosen; the same text has the same number. */
static uint32_t
runs_number(const struct run *runs, uint32_t n, struct fm_text *texts)
{
	uint32_t i, end, k = 0;
	bool chosen;

	for (i = 0; i < n; k += chosen) {
		texts[k] = runs[i].text;
		chosen = false;
		for (end = runs_same(runs, n, i); i < end; i++)
			if (runs[i].cut->run_end == runs[i].end) {
				runs[i].cut->run = k;
				chosen = true;
			}
	}
	return (k);
}

static bool
globset_tries(struct fm_globset *set)
{
	struct fm_text *texts, run;
	size_t at, bytes = 0, count = 0;
	struct run *runs;
	uint32_t i, n;
	char *copy;
	bool ok;

	for (i = 0; i < set->npieces; i++) {
		bytes += set->cuts[i].text.len;
		for (at = 0; text_next(set->cuts[i].text, '?', &at, &run);)
			count++;
	}
	texts = calloc(count + 1, sizeof *texts);
	runs = calloc(count + 1, sizeof *runs);
	copy = malloc(bytes + 1);
	ok = texts != NULL && runs != NULL && copy != NULL &&
	    count < UINT32_MAX;
	for (i = 0; ok && i < 2; i++) {
		n = runs_find(set, i == 1, runs, copy);
		if (n == 0)
			continue;
		qsort(runs, n, sizeof *runs, run_compare);
		runs_choose(runs, n);
		n = runs_number(runs, n, texts);
		set->tries[i] = fm_trie_new(texts, n, i == 1);
		ok = set->tries[i] != NULL;
	}
	free(texts);
	free(runs);
	free(copy);
	return (ok);
}

static bool
need_is(const struct need *need, const struct cut *c)
{
	return (need->run_end == c->run_end && (need->nocase ?
	    fm_text_eq_nocase(need->text, c->text) :
	    fm_text_eq(need->text, c->text)));
}

/* A byte to look at first; 0, which may be one, if there is none. */
static uint32_t
cut_probe(const struct cut *c)
{
	uint32_t i;

	for (i = (uint32_t)c->text.len - 1; i > 0; i--)
		if (c->text.b[i] != '?' &&
		    (i >= c->run_end || i + c->run_len < c->run_end))
			return (i);
	return (0);
}

/* The need of a piece; if it is new, the next one. */
static uint32_t
need_of(struct fm_globset *set, const struct cut *c, bool nocase)
{
	uint32_t i = globset_base(set, nocase) + c->run, last = i;

	if (set->needs[i].text.b != NULL) {
		for (; i != GLOBSET_NONE; i = set->needs[i].next) {
			if (need_is(&set->needs[i], c))
				return (i);
			last = i;
		}
		i = set->nneeds++;
		set->needs[last].next = i;
	}
	set->needs[i] = (struct need){ c->text, c->run_end,
	    (uint32_t)c->text.len - c->run_end, GLOBSET_NONE, GLOBSET_NONE,
	    cut_probe(c), false, false, c->run_len == c->text.len, nocase };
	return (i);
}

/* Behind the needs of a run come those of a shorter one that ends with it. */
static void
needs_link(const struct fm_globset *set, const struct fm_trie *t, uint32_t base)
{
	uint32_t run, last;

	for (run = 0; run < t->n; run++) {
		if (t->shorter[run] == FM_TRIE_NONE)
			continue;
		last = base + run;
		while (set->needs[last].next != GLOBSET_NONE)
			last = set->needs[last].next;
		set->needs[last].next = base + t->shorter[run];
	}
}

/* What is compared and isn't there costs something: if long, or if many are. */
static bool
need_misses(const struct fm_globset *set, const struct need *need)
{
	if (!need->is_run && need->text.len > MISS_BYTES)
		return (true);
	return (need->next != GLOBSET_NONE && !set->needs[need->next].is_run);
}

/* As many as there are pieces, at most: each run is of one. */
static bool
globset_needs(struct fm_globset *set)
{
	const struct glob *g;
	uint32_t i;

	set->needs = calloc(set->npieces, sizeof *set->needs);
	if (set->needs == NULL)
		return (false);
	for (i = 0; i < 2; i++)
		set->nneeds += set->tries[i] == NULL ? 0 : set->tries[i]->n;
	for (g = set->globs; g < set->globs + set->nglobs; g++) {
		set->has_ends |= g->prefix.len + g->suffix.len > 0;
		for (i = g->first; i + 1 < g[1].first; i++)
			set->pieces[i].need = PIECE_MOST & need_of(set,
			    &set->cuts[i], g->nocase);
	}
	assert(set->nneeds <= set->npieces);
	for (i = 0; i < 2; i++)
		if (set->tries[i] != NULL)
			needs_link(set, set->tries[i], globset_base(set, i));
	for (i = 0; i < set->nneeds; i++)
		set->misses |= need_misses(set, &set->needs[i]);
	return (true);
}

static bool
globset_fill(struct fm_globset *set, struct fm_pattern * const *patterns,
    uint32_t globs, uint32_t pieces)
{
	uint32_t i;

	set->globs_of = calloc(set->n, sizeof *set->globs_of);
	set->globs = calloc((size_t)globs + 1, sizeof *set->globs);
	set->pieces = calloc(pieces, sizeof *set->pieces);
	set->cuts = calloc(pieces, sizeof *set->cuts);
	if (set->globs_of == NULL || set->globs == NULL ||
	    set->pieces == NULL || set->cuts == NULL)
		return (false);
	memset(set->globs_of, 0xff, set->n * sizeof *set->globs_of);
	for (i = 0; i < set->n; i++)
		if (pattern_pieces(patterns[i]) > 0)
			globset_add(set, i, patterns[i]);
	assert(set->nglobs == globs && set->npieces == pieces);
	set->globs[globs].first = pieces;
	return (globset_tries(set) && globset_needs(set) &&
	    fm_globset_begin(set));
}

int
fm_globset_new(struct fm_pattern * const *patterns, uint32_t n,
    struct fm_globset **setp)
{
	uint32_t i, k, globs = 0, pieces = 0;
	struct fm_globset *set;
	struct fm_text text;
	uint64_t cost = 0;

	assert(n <= PIECE_MOST);
	*setp = NULL;
	for (i = 0; i < n; i++) {
		k = pattern_pieces(patterns[i]);
		globs += k > 0;
		pieces += k == 0 ? 0 : k + 1;
		if (k > 0 && !pattern_is_text(patterns[i], &text))
			cost += glob_cost(fm_pattern_nocase(patterns[i]));
	}
	if (cost < FM_GLOBSET_PASS)
		return (0);
	FM_OBJ_NEW(set, FM_GLOBSET_MAGIC);
	if (set == NULL)
		return (-1);
	set->n = n;
	if (!globset_fill(set, patterns, globs, pieces)) {
		fm_globset_free(&set);
	} else {
		free(set->cuts);
		set->cuts = NULL;
	}
	*setp = set;
	return (set == NULL ? -1 : 0);
}

void
fm_globset_free(struct fm_globset **setp)
{
	struct fm_globset *set;
	int i;

	FM_OBJ_TAKE(set, setp, FM_GLOBSET_MAGIC);
	for (i = 0; i < 2; i++)
		if (set->tries[i] != NULL)
			fm_trie_free(&set->tries[i]);
	free(set->waiting);
	free(set->needs);
	free(set->lists);
	free(set->bits);
	free(set->all);
	free(set->globs_of);
	free(set->globs);
	free(set->pieces);
	free(set->cuts);
	FM_OBJ_FREE(set);
}

bool
fm_globset_is_much(const struct fm_globset *set)
{
	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	return (set->misses || set->most + set->nglobs > FM_GLOBSET_WORK);
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

size_t
fm_globset_bytes(const struct fm_globset *set)
{
	size_t bytes;
	int i;

	FM_OBJ_CHECK(set, FM_GLOBSET_MAGIC);
	bytes = sizeof *set + set->n * sizeof *set->globs_of +
	    set->nglobs * (sizeof *set->globs + sizeof *set->waiting) +
	    set->n / 4 +
	    set->nneeds * (sizeof *set->needs + sizeof *set->lists) +
	    set->npieces * sizeof *set->pieces;
	for (i = 0; i < 2; i++)
		if (set->tries[i] != NULL)
			bytes += fm_trie_bytes(set->tries[i]);
	return (bytes);
}
