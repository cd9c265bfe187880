/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles operands to sets of patterns: one for a list that shares none, and
 * one for all that the tests of a block ask of one subject, so that one scan
 * answers them all.  A pattern is made when its set is: sets with the same
 * patterns, as the blocks of many hosts have them, are one set, made once.
 */

#include "compile_priv.h"
#include "hostname.h"
#include "obj.h"

/*--------------------------------------------------------------------
 * Operands
 */

static int
operand_keep(struct fm_compile *c, struct fm_text text, struct fm_text *out)
{
	const char *copy = fm_arena_add(&c->lowered, text);

	if (copy == NULL)
		return (fm_compile_no_memory(c));
	*out = fm_text(copy, text.len);
	return (0);
}

static int
operand_lower(struct fm_compile *c, struct fm_text text, struct fm_text *out)
{
	char *p;
	size_t i;

	for (i = 0; i < text.len; i++)
		if (fm_lower((unsigned char)text.b[i]) !=
		    (unsigned char)text.b[i])
			break;
	*out = text;
	if (i == text.len)
		return (0);
	p = fm_arena_alloc(&c->lowered, text.len);
	if (p == NULL)
		return (fm_compile_no_memory(c));
	for (i = 0; i < text.len; i++)
		p[i] = (char)fm_lower((unsigned char)text.b[i]);
	out->b = p;
	return (0);
}

/*
 * Makes an operand canonical, for a test of the host.  A text that is no valid
 * host stays as it is: it can't match a canonical host anyway.
 */
int
fm_compile_operand(struct fm_compile *c, enum fm_pattern_kind kind,
    struct fm_text text, bool host, struct fm_text *out)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	*out = text;
	if (!host || kind == FM_PATTERN_REGEX)
		return (0);
	if (kind != FM_PATTERN_EXACT)
		return (operand_lower(c, text, out));
	if (fm_hostname_canon(text, buf, &canon) != FM_HOSTNAME_OK ||
	    fm_text_eq(canon, text))
		return (0);
	return (operand_keep(c, canon, out));
}

int
fm_compile_operands(struct fm_compile *c, struct fm_grow *patterns,
    enum fm_pattern_kind kind, bool nocase, const struct fm_words *words,
    bool host)
{
	struct fm_compile_pattern *p;
	const struct fm_word *word;

	p = fm_compile_add(c, patterns, sizeof *p, words->count);
	if (p == NULL)
		return (-1);
	for (word = words->first; word != NULL; word = word->next, p++) {
		p->kind = kind;
		p->nocase = nocase;
		p->at = word->at;
		if (fm_compile_operand(c, kind, word->text, host,
		    &p->text) != 0)
			return (-1);
	}
	return (0);
}

/*--------------------------------------------------------------------
 * Sets
 */

static const struct fm_place *
set_place(const struct fm_grow *patterns, size_t n)
{
	return (n < patterns->n ?
	    &FM_GROW_AT(patterns, struct fm_compile_pattern, n)->at : NULL);
}

static void
set_tell(struct fm_compile *c, const struct fm_patset *set,
    const struct fm_grow *patterns)
{
	uint32_t n;

	for (n = 0; n < patterns->n && c->tell != NULL; n++)
		c->tell(c->tell_priv, set, n, fm_patset_pattern(set, n),
		    set_place(patterns, n));
}

static struct fm_patset *
set_build(struct fm_compile *c, const struct fm_grow *patterns)
{
	struct fm_patset *set = fm_patset_new();
	const struct fm_compile_pattern *p;
	struct fm_pattern *pattern;
	size_t i;
	int bad = 0;

	if (set == NULL) {
		(void)fm_compile_no_memory(c);
		return (NULL);
	}
	for (i = 0; i < patterns->n && bad == 0; i++) {
		p = FM_GROW_AT(patterns, struct fm_compile_pattern, i);
		pattern = fm_pattern_new(p->kind, p->text, p->nocase, &p->at,
		    c->diag);
		if (pattern == NULL)
			bad = -1;
		else if (fm_patset_add(set, &pattern) != 0)
			bad = fm_compile_no_memory(c);
	}
	if (bad == 0)
		bad = fm_patset_make(set, set_place(patterns, 0), c->diag);
	if (bad != 0)
		fm_patset_free(&set);
	return (set);
}

static void
set_key(struct fm_compile *c, const struct fm_grow *patterns)
{
	const struct fm_compile_pattern *p;
	size_t i;

	fm_intern_key(&c->intern, FM_TAG_SET);
	for (i = 0; i < patterns->n; i++) {
		p = FM_GROW_AT(patterns, struct fm_compile_pattern, i);
		fm_intern_key_number(&c->intern, p->kind);
		fm_intern_key_number(&c->intern, p->nocase);
		fm_intern_key_text(&c->intern, p->text);
	}
}

int
fm_compile_set(struct fm_compile *c, const struct fm_grow *patterns,
    uint32_t *set)
{
	struct fm_patset *made;
	int new;

	set_key(c, patterns);
	new = fm_compile_get(c, c->sets.n, set);
	if (new <= 0)
		return (new);
	made = set_build(c, patterns);
	if (made == NULL)
		return (-1);
	set_tell(c, made, patterns);
	if (fm_compile_append(c, &c->sets, &made, sizeof made) == 0)
		return (0);
	fm_patset_free(&made);
	return (-1);
}

int
fm_compile_list_patterns(struct fm_compile *c, const struct fm_list_def *list,
    bool host, struct fm_grow *patterns)
{
	const struct fm_list_line *line;
	int bad = 0;

	for (line = list->lines; line != NULL && bad == 0; line = line->next)
		bad = fm_compile_operands(c, patterns, line->mode,
		    list->nocase, &line->operands, host);
	return (bad);
}

int
fm_compile_list(struct fm_compile *c, const struct fm_list_def *list,
    bool host, uint32_t *set)
{
	uint32_t *made = host ? c->lists_of_hosts : c->lists;
	struct fm_grow patterns = { 0 };
	int bad = 0;

	assert(list != NULL && list->number < c->model->nlists);
	if (made[list->number] == FM_NONE) {
		bad = fm_compile_list_patterns(c, list, host, &patterns);
		if (bad == 0)
			bad = fm_compile_set(c, &patterns,
			    &made[list->number]);
		fm_grow_fini(&patterns);
	}
	*set = made[list->number];
	return (bad);
}

/*--------------------------------------------------------------------
 * Pools: what is asked of one subject of a block
 */

int
fm_compile_pool_new(struct fm_compile *c, uint32_t *number)
{
	*number = (uint32_t)c->pools.n;
	return (fm_compile_add(c, &c->pools, sizeof(struct fm_compile_pool),
	    1) == NULL ? -1 : 0);
}

/*
 * Returns the pool for a subject.  Texts that are compared whole have a pool of
 * their own, as a hash table needs no scan.
 */
static int
pool_of(struct fm_compile *c, const struct fm_subject_code *subject,
    bool exact, uint32_t *number)
{
	uint32_t ignored;
	int new;

	fm_intern_key(&c->intern, FM_TAG_POOL);
	fm_intern_key_number(&c->intern, c->block);
	fm_intern_key_number(&c->intern, exact);
	fm_compile_key_subject(c, subject);
	new = fm_compile_get(c, c->pools.n, number);
	return (new <= 0 ? new : fm_compile_pool_new(c, &ignored));
}

/* Adds the operands of a test to a pool, unless an equal test did so before. */
int
fm_compile_pool(struct fm_compile *c, const struct fm_cond *test,
    const struct fm_subject_code *subject, uint32_t *number, uint32_t *first)
{
	struct fm_compile_pool *pool;
	const struct fm_word *word;
	int new;

	if (pool_of(c, subject, test->mode == FM_PATTERN_EXACT, number) != 0)
		return (-1);
	pool = FM_GROW_AT(&c->pools, struct fm_compile_pool, *number);
	fm_intern_key(&c->intern, FM_TAG_RANGE);
	fm_intern_key_number(&c->intern, c->block);
	fm_intern_key_number(&c->intern, *number);
	fm_intern_key_number(&c->intern, test->mode);
	fm_intern_key_number(&c->intern, test->nocase);
	for (word = test->operands.first; word != NULL; word = word->next)
		fm_intern_key_text(&c->intern, word->text);
	new = fm_compile_get(c, pool->patterns.n, first);
	if (new <= 0)
		return (new);
	assert(*number >= c->nshared);
	return (fm_compile_operands(c, &pool->patterns, test->mode,
	    test->nocase, &test->operands, subject->kind == FM_SUBJECT_HOST));
}

int
fm_compile_pools(struct fm_compile *c)
{
	struct fm_compile_pool *pool;
	size_t i;

	for (i = c->nshared; i < c->pools.n; i++) {
		pool = FM_GROW_AT(&c->pools, struct fm_compile_pool, i);
		if (fm_compile_set(c, &pool->patterns, &pool->set) != 0)
			return (-1);
	}
	return (0);
}

void
fm_compile_pools_fini(struct fm_compile *c, uint32_t keep)
{
	struct fm_compile_pool *pool;
	size_t i;

	for (i = keep; i < c->pools.n; i++) {
		pool = FM_GROW_AT(&c->pools, struct fm_compile_pool, i);
		fm_grow_fini(&pool->patterns);
	}
	if (c->pools.n > keep)
		c->pools.n = keep;
}

/*--------------------------------------------------------------------
 * Networks
 */

int
fm_compile_networks(struct fm_compile *c, const struct fm_nets *nets,
    const uint32_t *values, uint32_t *number)
{
	struct fm_networks_item *items;
	struct fm_networks **made;
	size_t i;

	made = fm_compile_add(c, &c->nets, sizeof(void *), 1);
	if (made == NULL)
		return (-1);
	items = malloc((nets->n + 1) * sizeof *items);
	for (i = 0; i < nets->n && items != NULL; i++) {
		items[i].network = nets->items[i].network;
		items[i].value = values == NULL ? 0 : values[i];
	}
	*made = items == NULL ? NULL : fm_networks_new(items, nets->n);
	free(items);
	if (*made == NULL) {
		c->nets.n--;
		return (fm_compile_no_memory(c));
	}
	*number = (uint32_t)c->nets.n - 1;
	return (0);
}

int
fm_compile_nets(struct fm_compile *c, const struct fm_list_def *list,
    const struct fm_nets *nets, uint32_t *number)
{
	size_t i;
	int new;

	if (list != NULL)
		nets = &list->nets;
	fm_intern_key(&c->intern, FM_TAG_NETS);
	fm_intern_key_number(&c->intern,
	    list == NULL ? FM_NONE : list->number);
	for (i = 0; i < nets->n && list == NULL; i++)
		fm_intern_key_text(&c->intern, nets->items[i].word->text);
	new = fm_compile_get(c, c->nets.n, number);
	return (new <= 0 ? new : fm_compile_networks(c, nets, NULL, number));
}
