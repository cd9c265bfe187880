/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the rules that may make two files differ, though no request of the log
 * shows it: those that look at what the log lacks.  A rule that both files have
 * counts only if more than edits has changed around it, since other requests
 * may then get as far as the rule:
 *
 *	old					new
 *						when path begins /static/ {
 *						    hash;
 *						}
 *	when cookie session present { pass; }	when cookie session present {
 *						    pass;
 *						}
 */

#include <stdlib.h>

#include "diff.h"
#include "xxh.h"

/*--------------------------------------------------------------------
 * A hash of all but statements
 */

static void
hash_text(XXH3_state_t *hash, struct fm_text text)
{
	(void)XXH3_64bits_update(hash, &text.len, sizeof text.len);
	(void)XXH3_64bits_update(hash, text.b, text.len);
}

/* Hashes words, and the word before them, which `mode` is a number for. */
static void
hash_words(XXH3_state_t *hash, unsigned mode, const struct fm_word *word)
{
	(void)XXH3_64bits_update(hash, &mode, sizeof mode);
	for (; word != NULL; word = word->next)
		hash_text(hash, word->text);
}

static void
hash_lists(XXH3_state_t *hash, const struct fm_list_def *list)
{
	const struct fm_match *match;
	const struct fm_line *line;

	for (; list != NULL; list = list->next) {
		hash_words(hash, list->nocase, list->name);
		for (line = list->lines; line != NULL; line = line->next) {
			for (match = line->matches; match != NULL;
			    match = match->next)
				hash_words(hash, 4 * match->mode +
				    2 * match->in + match->negated,
				    match->operands.first);
			if (line->value != NULL)
				hash_text(hash, line->value->raw);
		}
		if (list->otherwise != NULL)
			hash_text(hash, list->otherwise->raw);
	}
}

/* Hashes lists, maps, hosts, and all settings outside of blocks. */
static void
hash_trust(XXH3_state_t *hash, const struct fm_trust *trust)
{
	if (trust == NULL)
		return;
	hash_words(hash, 0, trust->header);
	hash_words(hash, 0, trust->networks.first);
	hash_words(hash, 0, trust->list);
}

static void
hash_others(XXH3_state_t *hash, const struct fm_model *model)
{
	const struct fm_scheme *scheme;
	const struct fm_host *host;
	size_t i;

	hash_lists(hash, model->lists);
	hash_lists(hash, model->maps);
	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		hash_text(hash, host->pattern);
		hash_text(hash, host->site == NULL ? host->ruleset :
		    host->site->label);
	}
	if (model->otherwise != NULL)
		hash_text(hash, model->otherwise->label);
	hash_words(hash, model->undecided_mode, model->undecided_status);
	hash_words(hash, model->repeated != NULL, model->undecided_reason);
	hash_trust(hash, model->trust);
	for (scheme = model->schemes; scheme != NULL; scheme = scheme->next) {
		hash_text(hash, fm_text(scheme->from ==
		    FM_SCHEME_FROM_TLS ? "tls" : "proxy", 3));
		if (scheme->from == FM_SCHEME_FROM_HEADER)
			hash_trust(hash, &scheme->trust);
	}
}

/*--------------------------------------------------------------------
 * Statements
 */

/*
 * One of the files.  An id is a hash of a rule, the `when`s around it, and its
 * block.
 */
struct side {
	const struct fm_rules	*rules;
	const struct fm_unseen	*unseen;
	uint64_t		*ids;		/* of all rules, sorted */
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

	side->rules = rules;
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
	uint64_t id = fm_program_rule_id(side->rules->program, (uint32_t)n);

	return (bsearch(&id, other->ids, other->unseen->n, sizeof id,
	    by_id) != NULL);
}

/*
 * Returns a hash of all but the edits, and the rules for responses, that one
 * file alone has.
 */
static uint64_t
hash_side(const struct side *side, const struct side *other)
{
	const struct fm_stmt *stmt;
	XXH3_state_t hash;
	uint64_t id;
	size_t i;

	(void)XXH3_64bits_reset(&hash);
	for (i = 0; i < side->unseen->n; i++) {
		stmt = side->unseen->rules[i].stmt;
		id = fm_program_rule_id(side->rules->program, (uint32_t)i);
		if ((stmt->kind > FM_STMT_LOG &&
		    !side->unseen->rules[i].responds) ||
		    is_in_both(side, other, i))
			(void)XXH3_64bits_update(&hash, &id, sizeof id);
		if (stmt->kind == FM_STMT_ANSWER)
			hash_text(&hash, stmt->answer.body);
	}
	hash_others(&hash, side->rules->model);
	return (XXH3_64bits_digest(&hash));
}

/*
 * Adds the rules that look at what the log lacks (`look`), or the rules that
 * only touch it.
 */
static void
add_rules(struct fm_diff_untold *untold, enum fm_side where, bool look,
    const struct side *side, const struct side *other)
{
	const struct fm_unseen_rule *rule;
	struct fm_diff_untold_rule *row;
	size_t i;

	for (i = 0; i < side->unseen->n; i++) {
		rule = &side->unseen->rules[i];
		if ((rule->looks | rule->touches) == 0 ||
		    (rule->looks != 0) != look ||
		    is_in_both(side, other, i) != (where == FM_BOTH))
			continue;
		row = fm_cli_grow(&untold->rules, untold->n++, &untold->room,
		    sizeof *row);
		row->side = where;
		row->rule = rule;
	}
}

void
fm_diff_untold_find(struct fm_diff_untold *untold,
    const struct fm_rules rules[2], const struct fm_logs *logs)
{
	struct side old, new;

	*untold = (struct fm_diff_untold){ .n = 0 };
	fm_unseen_find(&untold->unseen[FM_OLD], &rules[FM_OLD], logs, NULL);
	fm_unseen_find(&untold->unseen[FM_NEW], &rules[FM_NEW], logs,
	    &untold->unseen[FM_OLD]);
	side_init(&old, &rules[FM_OLD], &untold->unseen[FM_OLD]);
	side_init(&new, &rules[FM_NEW], &untold->unseen[FM_NEW]);
	add_rules(untold, FM_OLD, true, &old, &new);
	add_rules(untold, FM_NEW, true, &new, &old);
	add_rules(untold, FM_OLD, false, &old, &new);
	add_rules(untold, FM_NEW, false, &new, &old);
	if (hash_side(&old, &new) != hash_side(&new, &old))
		add_rules(untold, FM_BOTH, true, &new, &old);
	free(old.ids);
	free(new.ids);
}
