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

/* depth: so many rulesets are around it, this one counted. */
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

void
fm_check_uses(struct fm_check *check)
{
	struct fm_ruleset_def *ruleset;

	for (ruleset = check->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		ruleset_visit(check, ruleset, ruleset->name, 1);
}
