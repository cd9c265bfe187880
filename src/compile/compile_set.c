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

static struct fm_text
operand_lower(struct fm_compile *compile, struct fm_text text)
{
	char *p;
	size_t i;

	for (i = 0; i < text.len; i++)
		if (fm_lower((unsigned char)text.b[i]) !=
		    (unsigned char)text.b[i])
			break;
	if (i == text.len)
		return (text);
	p = fm_compile_alloc(compile, &compile->lowered, text.len);
	fm_text_lower(p, text);
	return (fm_text(p, text.len));
}

/*
 * Makes an operand canonical, for a test of the host.  A text that is not a
 * valid host stays as it is: it can't match a canonical host anyway.
 */
struct fm_text
fm_compile_operand(struct fm_compile *compile, enum fm_pattern_kind kind,
    struct fm_text text, bool host)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	if (!host || kind == FM_PATTERN_REGEX)
		return (text);
	if (kind != FM_PATTERN_EXACT)
		return (operand_lower(compile, text));
	if (fm_hostname_canon(text, buf, &canon) != FM_HOSTNAME_OK ||
	    fm_text_eq(canon, text))
		return (text);
	return (fm_compile_copy(compile, &compile->lowered, canon));
}

void
fm_compile_operands(struct fm_compile *compile, struct fm_grow *patterns,
    enum fm_pattern_kind kind, bool nocase, const struct fm_words *words,
    bool host)
{
	struct fm_compile_pattern *p;
	const struct fm_word *word;

	p = fm_compile_add(compile, patterns, sizeof *p, words->count);
	for (word = words->first; word != NULL; word = word->next)
		*p++ = (struct fm_compile_pattern){ kind,
		    nocase, fm_compile_operand(compile, kind, word->text, host),
		    word->at };
}

/*--------------------------------------------------------------------
 * Sets
 */

static void
set_tell(struct fm_compile *compile, const struct fm_patset *set,
    const struct fm_grow *patterns)
{
	uint32_t n;

	for (n = 0; n < patterns->n && compile->tell != NULL; n++)
		compile->tell(compile->tell_priv,
		    set, n, fm_patset_pattern(set, n),
		    &FM_GROW_AT(patterns, struct fm_compile_pattern, n)->at);
}

static void
set_build(struct fm_compile *compile, struct fm_patset *set,
    const struct fm_grow *patterns)
{
	const struct fm_compile_pattern *p;
	struct fm_pattern *pattern;
	size_t i;

	for (i = 0; i < patterns->n; i++) {
		p = FM_GROW_AT(patterns, struct fm_compile_pattern, i);
		pattern = fm_pattern_new(p->kind, p->text, p->nocase, &p->at,
		    compile->diag);
		if (pattern == NULL)
			fm_compile_fail(compile);
		if (fm_patset_add(set, &pattern) != 0)
			fm_compile_no_memory(compile);
	}
	p = patterns->items;
	if (fm_patset_make(set, patterns->n == 0 ? NULL : &p->at,
	    compile->diag) != 0)
		fm_compile_fail(compile);
}

static void
set_key(struct fm_compile *compile, const struct fm_grow *patterns)
{
	const struct fm_compile_pattern *p;
	size_t i;

	fm_intern_key(&compile->intern, FM_TAG_SET);
	for (i = 0; i < patterns->n; i++) {
		p = FM_GROW_AT(patterns, struct fm_compile_pattern, i);
		fm_intern_key_number(&compile->intern, p->kind);
		fm_intern_key_number(&compile->intern, p->nocase);
		fm_intern_key_text(&compile->intern, p->text);
	}
}

uint32_t
fm_compile_set(struct fm_compile *compile, const struct fm_grow *patterns)
{
	struct fm_patset **made;
	uint32_t set;

	set_key(compile, patterns);
	if (!fm_compile_new(compile, compile->sets.n, &set))
		return (set);
	made = fm_compile_add(compile, &compile->sets, sizeof *made, 1);
	*made = fm_patset_new();
	if (*made == NULL)
		fm_compile_no_memory(compile);
	set_build(compile, *made, patterns);
	set_tell(compile, *made, patterns);
	return (set);
}

uint32_t
fm_compile_list(struct fm_compile *compile, const struct fm_list_def *list,
    bool host)
{
	uint32_t *made = host ? compile->lists_of_hosts : compile->lists;

	assert(list != NULL);
	made += list->number;
	if (*made == FM_NONE) {
		compile->operands.n = 0;
		fm_compile_list_patterns(compile, list, host,
		    &compile->operands);
		*made = fm_compile_set(compile, &compile->operands);
	}
	return (*made);
}

/*--------------------------------------------------------------------
 * Pools: what is asked of one subject of a block
 */

uint32_t
fm_compile_pool_of(struct fm_compile *compile,
    const struct fm_subject_code *subject, bool exact)
{
	uint32_t number;

	fm_intern_key(&compile->intern, FM_TAG_POOL);
	fm_intern_key_number(&compile->intern, compile->block);
	fm_intern_key_number(&compile->intern, exact);
	fm_compile_key_subject(compile, subject);
	if (fm_compile_new(compile, compile->pools.n, &number))
		(void)fm_compile_add(compile, &compile->pools,
		    sizeof(struct fm_compile_pool), 1);
	return (number);
}

/* Adds the operands of a test to a pool, unless an equal test did so before. */
uint32_t
fm_compile_pool(struct fm_compile *compile, const struct fm_cond *test,
    const struct fm_subject_code *subject, uint32_t *first)
{
	uint32_t number = fm_compile_pool_of(compile, subject,
	    test->mode == FM_PATTERN_EXACT);
	struct fm_compile_pool *pool;
	const struct fm_word *word;

	pool = FM_GROW_AT(&compile->pools, struct fm_compile_pool, number);
	fm_intern_key(&compile->intern, FM_TAG_RANGE);
	fm_intern_key_number(&compile->intern, compile->block);
	fm_intern_key_number(&compile->intern, number);
	fm_intern_key_number(&compile->intern, test->mode);
	fm_intern_key_number(&compile->intern, test->nocase);
	for (word = test->operands.first; word != NULL; word = word->next)
		fm_intern_key_text(&compile->intern, word->text);
	if (fm_compile_new(compile, pool->patterns.n, first))
		fm_compile_operands(compile, &pool->patterns, test->mode,
		    test->nocase, &test->operands,
		    subject->kind == FM_SUBJECT_HOST);
	return (number);
}

void
fm_compile_pools(struct fm_compile *compile)
{
	struct fm_compile_pool *pool;
	uint32_t i;

	for (i = compile->nshared; i < compile->pools.n; i++) {
		pool = FM_GROW_AT(&compile->pools, struct fm_compile_pool, i);
		pool->set = fm_compile_set(compile, &pool->patterns);
	}
}

void
fm_compile_pools_fini(struct fm_compile *compile, uint32_t keep)
{
	struct fm_compile_pool *pool;
	size_t i;

	for (i = keep; i < compile->pools.n; i++) {
		pool = FM_GROW_AT(&compile->pools, struct fm_compile_pool, i);
		fm_grow_fini(&pool->patterns);
	}
	if (compile->pools.n > keep)
		compile->pools.n = keep;
}

/*--------------------------------------------------------------------
 * Networks
 */

uint32_t
fm_compile_networks(struct fm_compile *compile, const struct fm_nets *nets,
    const uint32_t *values)
{
	struct fm_networks_item *items = fm_compile_alloc(compile,
	    &compile->lowered, nets->n * sizeof *items);
	struct fm_networks **made;
	size_t i;

	for (i = 0; i < nets->n; i++) {
		items[i].network = nets->items[i].network;
		items[i].value = values == NULL ? 0 : values[i];
	}
	made = fm_compile_add(compile, &compile->nets, sizeof *made, 1);
	*made = fm_networks_new(items, nets->n);
	if (*made == NULL)
		fm_compile_no_memory(compile);
	return ((uint32_t)compile->nets.n - 1);
}

uint32_t
fm_compile_nets(struct fm_compile *compile, const struct fm_list_def *list,
    const struct fm_nets *nets)
{
	uint32_t number;
	size_t i;

	if (list != NULL)
		nets = &list->nets;
	fm_intern_key(&compile->intern, FM_TAG_NETS);
	fm_intern_key_number(&compile->intern,
	    list == NULL ? FM_NONE : list->number);
	for (i = 0; i < nets->n && list == NULL; i++)
		fm_intern_key_text(&compile->intern, nets->items[i].word->text);
	return (fm_compile_new(compile, compile->nets.n, &number) ?
	    fm_compile_networks(compile, nets, NULL) : number);
}
