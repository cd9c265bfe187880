/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks how rulesets use each other: none may use itself, not even by way of
 * others; the chain has a limit; and so has the number of statements that one
 * block makes a request run (bounds.h).
 *
 *	ruleset a { set X = y; use b; }		weight 5: 1 + 2, and b
 *	ruleset b { pass; }			weight 2
 *	host a.example { use a; use b; }	makes a request run 7 at most
 */

#include "bounds.h"
#include "check_priv.h"

static uint32_t
sum(uint32_t a, uint32_t b)
{
	return (a + b > FM_LIMIT_USED ? FM_LIMIT_USED + 1 : a + b);
}

static uint32_t ruleset_weight(struct fm_check *, struct fm_ruleset_def *,
    const struct fm_word *use);

/* Adds a statement, if it is a ruleset's, and the ruleset that it uses. */
static void
weight_add(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_stmt *stmt = way->stmt;

	check->weight = sum(check->weight, check->uses > 0);
	if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
		check->weight = sum(check->weight, ruleset_weight(check,
		    stmt->use.ruleset, stmt->use.name));
}

/* Returns how many statements a block uses, and (in a ruleset) has itself. */
static uint32_t
block_weight(struct fm_check *check, const struct fm_block *block)
{
	uint32_t weight, before = check->weight;

	check->weight = 0;
	fm_check_walk(check, block, weight_add);
	weight = check->weight;
	check->weight = before;
	return (weight);
}

/* Returns how many statements a ruleset has, with those that it uses. */
static uint32_t
ruleset_weight(struct fm_check *check, struct fm_ruleset_def *ruleset,
    const struct fm_word *use)
{
	unsigned depth = check->uses + 1;

	/* A mistake in one ruleset is one of all rulesets that use it. */
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
	ruleset->depth = check->uses = depth;
	ruleset->visiting = true;
	ruleset->weight = sum(1, block_weight(check, ruleset->block));
	ruleset->visiting = false;
	check->uses--;
	return (ruleset->weight);
}

static void
weight_check(struct fm_check *check, const struct fm_block *block)
{
	if (check->uses_told || block_weight(check, block) <= FM_LIMIT_USED)
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
		(void)ruleset_weight(check, ruleset, ruleset->name);
	weight_check(check, model->always);
	weight_check(check, model->finally);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		weight_check(check, ruleset->block);
	for (site = model->sites; site != NULL; site = site->next)
		weight_check(check, site->block);
}
