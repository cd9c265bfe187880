/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How deep rulesets use each other, and that none comes to itself.
 */

#include "bounds.h"
#include "check_priv.h"

static void block_uses(struct fm_check *, const struct fm_block *,
    unsigned depth);

/* depth: its own, where it is used by one of depth - 1. */
static void
ruleset_visit(struct fm_check *check, struct fm_ruleset_def *ruleset,
    const struct fm_word *use, unsigned depth)
{
	/* Once is enough: what is wrong with one is wrong with all around. */
	if (check->uses_told || ruleset->depth >= depth)
		return;
	if (ruleset->visiting || depth > FM_LIMIT_USES) {
		check->uses_told = true;
		if (ruleset->visiting)
			fm_check_error(check, &use->at, FM_MSG_USE_SELF,
			    FM_CHECK_QUOTE(use->text));
		else
			fm_check_error(check, &use->at, FM_MSG_USE_DEEP,
			    FM_LIMIT_USES);
		return;
	}
	ruleset->depth = depth;
	ruleset->visiting = true;
	block_uses(check, ruleset->block, depth + 1);
	ruleset->visiting = false;
}

/* A chain of `else when` may be longer than the stack is deep. */
static void
when_uses(struct fm_check *check, const struct fm_stmt *when, unsigned depth)
{
	const struct fm_block *otherwise = NULL;

	for (; when != NULL; when = fm_check_chained(when)) {
		block_uses(check, when->when.then, depth);
		otherwise = when->when.otherwise;
	}
	block_uses(check, otherwise, depth);
}

static void
block_uses(struct fm_check *check, const struct fm_block *block,
    unsigned depth)
{
	const struct fm_stmt *stmt;

	if (block == NULL)
		return;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_WHEN)
			when_uses(check, stmt, depth);
		else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL)
			ruleset_visit(check, stmt->use.ruleset, stmt->use.name,
			    depth);
}

/*--------------------------------------------------------------------
 * How much a request may have to run
 */

static uint32_t block_weight(const struct fm_block *, uint32_t own);

static uint32_t
sum(uint32_t a, uint32_t b)
{
	return (a + b > FM_LIMIT_USED ? FM_LIMIT_USED + 1 : a + b);
}

/* Its statements, with those of all that it uses. */
static uint32_t
ruleset_weight(struct fm_ruleset_def *ruleset)
{
	if (ruleset->weight == 0)
		ruleset->weight = 1 + block_weight(ruleset->block, 1);
	return (ruleset->weight);
}

/* Each statement of its own counts so much. */
static uint32_t
block_weight(const struct fm_block *block, uint32_t own)
{
	const struct fm_stmt *stmt, *when;
	uint32_t weight = 0;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next) {
		weight = sum(weight, own);
		if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
			weight = sum(weight,
			    ruleset_weight(stmt->use.ruleset));
		when = stmt->kind == FM_STMT_WHEN ? stmt : NULL;
		while (when != NULL) {
			weight = sum(weight, block_weight(when->when.then,
			    own));
			if (fm_check_chained(when) == NULL)
				weight = sum(weight, block_weight(
				    when->when.otherwise, own));
			when = fm_check_chained(when);
		}
	}
	return (weight);
}

static void
weight_check(struct fm_check *check, const struct fm_block *block)
{
	if (block == NULL || check->uses_told ||
	    block_weight(block, 0) <= FM_LIMIT_USED)
		return;
	check->uses_told = true;
	fm_check_error(check, &block->at, FM_MSG_USE_MUCH, FM_LIMIT_USED);
}

void
fm_check_uses(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		ruleset_visit(check, ruleset, ruleset->name, 1);
	weight_check(check, model->always);
	weight_check(check, model->finally);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		weight_check(check, ruleset->block);
	for (site = model->sites; site != NULL; site = site->next)
		weight_check(check, site->block);
}
