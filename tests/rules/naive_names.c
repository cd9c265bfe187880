/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which headers the rules speak of, by all that stands in a block.
 */

#include <assert.h>
#include <stdlib.h>

#include "naive_priv.h"

static void
add(struct naive *naive, struct fm_text name)
{
	naive->names = realloc(naive->names,
	    (naive->nnames + 1) * sizeof *naive->names);
	assert(naive->names != NULL);
	naive->names[naive->nnames++] = name;
}

static void
add_subject(struct naive *naive, const struct fm_subject *subject)
{
	if (subject->kind == FM_SUBJECT_HEADER)
		add(naive, subject->name);
}

static void
add_value(struct naive *naive, const struct fm_value *value)
{
	const struct fm_map_line *line;
	const struct fm_part *part;

	if (value == NULL)
		return;
	for (part = value->parts; part != NULL; part = part->next)
		if (part->kind == FM_PART_HEADER)
			add(naive, part->text);
	if (value->map == NULL)
		return;
	add_subject(naive, &value->subject);
	for (line = value->map_def->lines; line != NULL; line = line->next)
		add_value(naive, line->value);
	add_value(naive, value->map_def->otherwise);
}

static void
add_cond(struct naive *naive, const struct fm_cond *cond)
{
	if (cond->kind == FM_COND_OR || cond->kind == FM_COND_AND) {
		add_cond(naive, cond->left);
		add_cond(naive, cond->right);
	} else if (cond->kind == FM_COND_NOT)
		add_cond(naive, cond->left);
	else
		add_subject(naive, &cond->subject);
}

static void
add_unset(struct naive *naive, const struct fm_stmt *stmt)
{
	const struct fm_word *word;

	for (word = stmt->unset.headers.first; word != NULL; word = word->next)
		if (memchr(word->text.b, '*', word->text.len) == NULL &&
		    memchr(word->text.b, '?', word->text.len) == NULL)
			add(naive, word->text);
}

static void
add_block(struct naive *naive, const struct fm_block *block)
{
	const struct fm_stmt *stmt;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_SET:
			add(naive, stmt->set.header->text);
			add_value(naive, stmt->set.value);
			break;
		case FM_STMT_UNSET:
			add_unset(naive, stmt);
			break;
		case FM_STMT_NORMALIZE:
			add(naive, stmt->normalize.header->text);
			add_value(naive, stmt->normalize.otherwise);
			break;
		case FM_STMT_REDIRECT:
			add_value(naive, stmt->redirect.to);
			break;
		case FM_STMT_WHEN:
			add_cond(naive, stmt->when.cond);
			add_block(naive, stmt->when.then);
			add_block(naive, stmt->when.otherwise);
			break;
		default:
			break;
		}
}

void
naive_names(struct naive *naive)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	add_block(naive, naive->model->always);
	for (ruleset = naive->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		add_block(naive, ruleset->block);
	for (site = naive->model->sites; site != NULL; site = site->next)
		add_block(naive, site->block);
}
