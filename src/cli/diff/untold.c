/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts together the rules by which two files may differ though no request of
 * the log shows it, as the log doesn't have what they look at.
 *
 * Those are rules of one file alone that look at what isn't there, that depend
 * on such a rule, or unset what isn't there.  A rule that both files have
 * counts if it looks at what isn't there, and other requests may get to it:
 *
 *	old					new
 *						when path begins /static/ {
 *						    hash;
 *						}
 *	when cookie session present { pass; }	when cookie session present {
 *						    pass;
 *						}
 *	hash;					hash;
 *
 * It does not if all that changed are rules that edit: a request of the log
 * that they edit is shown.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

#include "diff.h"

/*--------------------------------------------------------------------
 * All but statements
 */

static uint64_t
hash_text(uint64_t hash, struct fm_text text)
{
	return (XXH3_64bits_withSeed(text.b, text.len, hash));
}

static uint64_t
hash_number(uint64_t hash, uint64_t number)
{
	return (XXH3_64bits_withSeed(&number, sizeof number, hash));
}

/* A word that may not be there. */
static uint64_t
hash_word(uint64_t hash, const struct fm_word *word)
{
	return (word == NULL ? hash_number(hash, 0) :
	    hash_text(hash, word->text));
}

static uint64_t
hash_words(uint64_t hash, const struct fm_words *words)
{
	const struct fm_word *word;

	for (word = words->first; word != NULL; word = word->next)
		hash = hash_word(hash, word);
	return (hash_number(hash, words->count));
}

static uint64_t
hash_value(uint64_t hash, const struct fm_value *value)
{
	return (value == NULL ? hash_number(hash, 0) :
	    hash_number(hash_text(hash, value->raw), value->quoted));
}

static uint64_t
hash_list(uint64_t hash, const struct fm_list_def *list)
{
	const struct fm_list_line *line;

	hash = hash_number(hash_word(hash, list->name), list->nocase);
	for (line = list->lines; line != NULL; line = line->next) {
		hash = hash_number(hash, line->in);
		hash = hash_number(hash, line->mode);
		hash = hash_words(hash, &line->operands);
	}
	return (hash);
}

static uint64_t
hash_map(uint64_t hash, const struct fm_map_def *map)
{
	const struct fm_map_line *line;
	const struct fm_match *match;

	hash = hash_number(hash_word(hash, map->name), map->nocase);
	for (line = map->lines; line != NULL; line = line->next) {
		for (match = line->matches; match != NULL;
		    match = match->next) {
			hash = hash_number(hash, match->negated);
			hash = hash_number(hash, match->in);
			hash = hash_number(hash, match->mode);
			hash = hash_words(hash, &match->operands);
		}
		hash = hash_value(hash, line->value);
	}
	return (hash_value(hash, map->otherwise));
}

static uint64_t
hash_hosts(uint64_t hash, const struct fm_model *model)
{
	const struct fm_host *host;
	size_t i;

	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		hash = hash_text(hash, host->pattern);
		hash = hash_text(hash, host->site == NULL ? host->ruleset :
		    host->site->label);
	}
	return (model->otherwise == NULL ? hash_number(hash, 0) :
	    hash_text(hash, model->otherwise->label));
}

/* Lists, maps, hosts, and what stands beside the blocks. */
static uint64_t
hash_others(const struct fm_model *model)
{
	const struct fm_list_def *list;
	const struct fm_map_def *map;
	uint64_t hash = 0;

	for (list = model->lists; list != NULL; list = list->next)
		hash = hash_list(hash, list);
	for (map = model->maps; map != NULL; map = map->next)
		hash = hash_map(hash, map);
	hash = hash_hosts(hash, model);
	hash = hash_number(hash, model->undecided_mode);
	hash = hash_word(hash, model->undecided_status);
	hash = hash_word(hash, model->undecided_reason);
	hash = hash_number(hash, model->repeated != NULL);
	if (model->trust != NULL) {
		hash = hash_word(hash, model->trust->header);
		hash = hash_words(hash, &model->trust->networks);
		hash = hash_word(hash, model->trust->list);
	}
	return (hash);
}

/*--------------------------------------------------------------------
 * Statements
 */

/* The rules of a file, by what they say, and in which whens and block. */
struct side {
	const struct fm_program	*program;
	const struct fm_unseen	*unseen;
	uint64_t		*ids;		/* sorted */
};

static int
by_id(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return ((*a > *b) - (*a < *b));
}

static void
side_init(struct side *side, const struct fm_rules *rules,
    const struct fm_unseen *unseen)
{
	size_t i;

	side->program = rules->program;
	side->unseen = unseen;
	side->ids = fm_cli_alloc((unseen->n + 1) * sizeof *side->ids);
	for (i = 0; i < unseen->n; i++)
		side->ids[i] = fm_program_rule_id(rules->program, (uint32_t)i);
	qsort(side->ids, unseen->n, sizeof *side->ids, by_id);
}

/* Returns true if the other file has the n-th rule, too. */
static bool
is_in_both(const struct side *side, const struct side *other, size_t n)
{
	uint64_t id = fm_program_rule_id(side->program, (uint32_t)n);

	return (bsearch(&id, other->ids, other->unseen->n, sizeof id,
	    by_id) != NULL);
}

/* The order of those that both have. */
static uint64_t
hash_order(const struct side *side, const struct side *other)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < side->unseen->n; i++)
		if (is_in_both(side, other, i))
			hash = hash_number(hash, fm_program_rule_id(
			    side->program, (uint32_t)i));
	return (hash);
}

/* Returns true if all rules of one file alone only edit. */
static bool
only_edits(const struct side *side, const struct side *other)
{
	size_t i;

	for (i = 0; i < side->unseen->n; i++)
		if (!side->unseen->rules[i].plain &&
		    !is_in_both(side, other, i))
			return (false);
	return (true);
}

static void
add_rule(struct fm_diff_untold *untold, enum fm_diff_side where,
    const struct fm_unseen_rule *rule)
{
	struct fm_diff_untold_rule *row = fm_cli_grow(&untold->rules,
	    untold->n, &untold->room, sizeof *row);

	row->side = where;
	row->rule = rule;
	untold->n++;
}

/* Those that look at what isn't there by themselves; or the others. */
static void
add_single(struct fm_diff_untold *untold, enum fm_diff_side where,
    const struct side *side, const struct side *other, bool look)
{
	const struct fm_unseen_rule *rule;
	size_t i;

	for (i = 0; i < side->unseen->n; i++) {
		rule = &side->unseen->rules[i];
		if ((rule->looks | rule->depends | rule->edits) != 0 &&
		    (rule->looks != 0) == look &&
		    !is_in_both(side, other, i))
			add_rule(untold, where, rule);
	}
}

static void
add_both(struct fm_diff_untold *untold, const struct side *side,
    const struct side *other)
{
	size_t i;

	for (i = 0; i < side->unseen->n; i++)
		if (side->unseen->rules[i].looks != 0 &&
		    is_in_both(side, other, i))
			add_rule(untold, FM_BOTH, &side->unseen->rules[i]);
}

void
fm_diff_untold_find(struct fm_diff_untold *untold,
    const struct fm_rules rules[2], const struct fm_logs *logs)
{
	struct side sides[2];
	unsigned i;

	*untold = (struct fm_diff_untold){ .n = 0 };
	for (i = 0; i < 2; i++) {
		fm_unseen_find(&untold->unseen[i], &rules[i], logs, NULL);
		side_init(&sides[i], &rules[i], &untold->unseen[i]);
	}
	for (i = 0; i < 4; i++)
		add_single(untold, i % 2 == 0 ? FM_OLD : FM_NEW,
		    &sides[i % 2], &sides[1 - i % 2], i < 2);
	if (!only_edits(&sides[0], &sides[1]) ||
	    !only_edits(&sides[1], &sides[0]) ||
	    hash_order(&sides[0], &sides[1]) !=
	    hash_order(&sides[1], &sides[0]) ||
	    untold->unseen[0].bodies != untold->unseen[1].bodies ||
	    hash_others(rules[0].model) != hash_others(rules[1].model))
		add_both(untold, &sides[1], &sides[0]);
	for (i = 0; i < 2; i++)
		free(sides[i].ids);
}

void
fm_diff_untold_fini(struct fm_diff_untold *untold)
{
	fm_unseen_fini(&untold->unseen[FM_OLD]);
	fm_unseen_fini(&untold->unseen[FM_NEW]);
	free(untold->rules);
	untold->rules = NULL;
}
