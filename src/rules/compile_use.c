/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Goes through a model for what its blocks ask of each subject, before
 * anything is compiled: lists and maps that are small, and what `always` asks
 * in its own words.  compile_share.c decides what of it is one set.
 */

#include "compile_priv.h"
#include "obj.h"

/* A list or a map of more patterns, or of more regexes and globs, is large. */
#define SMALL_MAX	256
#define SMALL_COSTLY	32

/* How many patterns there are; no more are counted than tell. */
struct count {
	uint32_t	all, exact, costly;
	bool		regexes;
};

/*--------------------------------------------------------------------
 * What is small enough
 */

static void
count_words(struct count *count, enum fm_pattern_kind mode,
    const struct fm_words *words)
{
	count->all += words->count;
	if (mode == FM_PATTERN_EXACT)
		count->exact += words->count;
	if (mode == FM_PATTERN_REGEX || mode == FM_PATTERN_GLOB)
		count->costly += words->count;
	count->regexes |= mode == FM_PATTERN_REGEX;
}

static struct count
count_list(const struct fm_list_def *list)
{
	const struct fm_list_line *line;
	struct count count = { 0 };

	for (line = list->lines; line != NULL && count.all <= SMALL_MAX;
	    line = line->next)
		count_words(&count, line->mode, &line->operands);
	return (count);
}

static struct count
count_map(const struct fm_map_def *map)
{
	const struct fm_map_line *line;
	const struct fm_match *match;
	struct count count = { 0 };

	for (line = map->lines; line != NULL && count.all <= SMALL_MAX;
	    line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			count_words(&count, match->mode, &match->operands);
	return (count);
}

/* Strings that are only compared whole are a hash: nobody scans for them. */
static bool
count_fits(const struct count *count)
{
	return (count->all <= SMALL_MAX && count->exact < count->all &&
	    count->costly <= SMALL_COSTLY);
}

/*--------------------------------------------------------------------
 * Through the model
 */

static int
use_test(struct fm_compile *c, const struct fm_cond *test)
{
	struct fm_compile_member asked = { .list = test->list_def };
	struct count count;

	if (test->kind == FM_COND_MODE && c->block == FM_COMPILE_ALWAYS &&
	    test->mode != FM_PATTERN_EXACT && !fm_compile_test_is_texts(test))
		return (fm_compile_share_words(c, test));
	if (test->kind != FM_COND_IN || test->list_def->in ||
	    test->subject.kind == FM_SUBJECT_CLIENT)
		return (0);
	count = count_list(test->list_def);
	if (!count_fits(&count))
		return (0);
	asked.count = count.all;
	asked.regexes = count.regexes;
	return (fm_compile_share_ask(c, &asked, &test->subject));
}

/* A chain of `and` is a tree as deep on its left. */
static int
use_cond(struct fm_compile *c, const struct fm_cond *cond)
{
	for (;; cond = cond->left) {
		if (cond->kind == FM_COND_NOT)
			continue;
		if (cond->kind != FM_COND_AND && cond->kind != FM_COND_OR)
			return (use_test(c, cond));
		if (use_cond(c, cond->right) != 0)
			return (-1);
	}
}

static int
use_value(struct fm_compile *c, const struct fm_value *value)
{
	struct fm_compile_member asked = { 0 };
	struct count count;

	if (value == NULL || value->map == NULL || value->map_def->in)
		return (0);
	count = count_map(value->map_def);
	if (!count_fits(&count))
		return (0);
	asked.map = value->map_def;
	asked.count = count.all;
	return (fm_compile_share_ask(c, &asked, &value->subject));
}

static int use_block(struct fm_compile *, const struct fm_block *);

static int
use_when(struct fm_compile *c, const struct fm_stmt *s)
{
	const struct fm_block *otherwise;

	do {
		if (use_cond(c, s->when.cond) != 0 ||
		    use_block(c, s->when.then) != 0)
			return (-1);
		otherwise = s->when.otherwise;
		s = fm_compile_chained(otherwise);
	} while (s != NULL);
	return (otherwise == NULL ? 0 : use_block(c, otherwise));
}

static int
use_stmt(struct fm_compile *c, const struct fm_stmt *s)
{
	switch (s->kind) {
	case FM_STMT_WHEN:
		return (use_when(c, s));
	case FM_STMT_SET:
		return (use_value(c, s->set.value));
	case FM_STMT_NORMALIZE:
		return (use_value(c, s->normalize.otherwise));
	case FM_STMT_REDIRECT:
		return (use_value(c, s->redirect.to));
	default:
		return (0);
	}
}

static int
use_block(struct fm_compile *c, const struct fm_block *block)
{
	const struct fm_stmt *s;
	int bad = 0;

	for (s = block->first; s != NULL && bad == 0; s = s->next)
		bad = use_stmt(c, s);
	return (bad);
}

/* `always` first, then `finally`: each other block runs with them. */
int
fm_compile_uses(struct fm_compile *c)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;
	int bad = 0;

	c->block = FM_COMPILE_ALWAYS;
	if (c->model->always != NULL)
		bad = use_block(c, c->model->always);
	if (c->model->finally != NULL && bad == 0) {
		c->block = FM_COMPILE_FINALLY;
		bad = use_block(c, c->model->finally);
	}
	for (ruleset = c->model->rulesets; ruleset != NULL && bad == 0;
	    ruleset = ruleset->next) {
		c->block++;
		bad = use_block(c, ruleset->block);
	}
	for (site = c->model->sites; site != NULL && bad == 0;
	    site = site->next) {
		c->block++;
		if (site->block != NULL)
			bad = use_block(c, site->block);
	}
	return (bad);
}
