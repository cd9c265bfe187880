/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks how rulesets use each other: none may use itself, not even by way of
 * others; the chain has a limit; and so has the number of statements that one
 * block makes a request run (bounds.h).
 */

#include "bounds.h"
#include "check_priv.h"

static uint32_t block_uses(struct fm_check *, const struct fm_block *,
    unsigned depth, uint32_t own);

static uint32_t
sum(uint32_t a, uint32_t b)
{
	return (a + b > FM_LIMIT_USED ? FM_LIMIT_USED + 1 : a + b);
}

/*
 * Returns how many statements a ruleset has, with those of all that it uses.
 * It is used at this depth, by a ruleset of depth - 1.
 */
static uint32_t
ruleset_uses(struct fm_check *check, struct fm_ruleset_def *ruleset,
    const struct fm_word *use, unsigned depth)
{
	/* Once is enough: what is wrong with one is wrong with all around. */
	if (check->uses_told || ruleset->depth >= depth)
		return (ruleset->weight);
	if (ruleset->visiting || depth > FM_LIMIT_USES) {
		check->uses_told = true;
		if (ruleset->visiting)
			fm_check_error(check, &use->at, FM_MSG_USE_SELF,
			    FM_CHECK_QUOTE(use->text));
		else
			fm_check_error(check, &use->at, FM_MSG_USE_DEEP,
			    FM_LIMIT_USES);
		return (0);
	}
	ruleset->depth = depth;
	ruleset->visiting = true;
	ruleset->weight = sum(1, block_uses(check, ruleset->block, depth + 1,
	    1));
	ruleset->visiting = false;
	return (ruleset->weight);
}

/*
 * Returns the number of statements of a block, and of all rulesets that it
 * uses.  Each statement of the block itself counts as `own`.
 */
static uint32_t
block_uses(struct fm_check *check, const struct fm_block *block,
    unsigned depth, uint32_t own)
{
	const struct fm_stmt *stmt, *when;
	uint32_t weight = 0;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next) {
		weight = sum(weight, own);
		if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
			weight = sum(weight, ruleset_uses(check,
			    stmt->use.ruleset, stmt->use.name, depth));
		/* A chain may be longer than the stack is deep. */
		when = stmt->kind == FM_STMT_WHEN ? stmt : NULL;
		for (; when != NULL; when = fm_check_chained(when)) {
			weight = sum(weight, block_uses(check,
			    when->when.then, depth, own));
			if (fm_check_chained(when) == NULL)
				weight = sum(weight, block_uses(check,
				    when->when.otherwise, depth, own));
		}
	}
	return (weight);
}

static void
weight_check(struct fm_check *check, const struct fm_block *block)
{
	if (check->uses_told ||
	    block_uses(check, block, 1, 0) <= FM_LIMIT_USED)
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
		(void)ruleset_uses(check, ruleset, ruleset->name, 1);
	weight_check(check, model->always);
	weight_check(check, model->finally);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		weight_check(check, ruleset->block);
	for (site = model->sites; site != NULL; site = site->next)
		weight_check(check, site->block);
}
