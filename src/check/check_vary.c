/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of names that `delivery` takes out of Vary.
 */

#include "check_priv.h"
#include "glob.h"

/* Returns true if a block has a `vary` that drops or adds such a name. */
static bool
block_varies(struct fm_check *check, const struct fm_block *block,
    enum fm_params_what what, struct fm_text name)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_word *word;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next) {
		if (stmt->kind == FM_STMT_RESPONSE &&
		    block_varies(check, stmt->phase.block, what, name))
			return (true);
		if (stmt->kind == FM_STMT_WHEN &&
		    (block_varies(check, stmt->when.then, what, name) ||
		    block_varies(check, stmt->when.otherwise, what, name)))
			return (true);
		if (stmt->kind != FM_STMT_VARY || stmt->params.what != what)
			continue;
		word = stmt->params.names.first;
		for (; word != NULL; word = word->next)
			if (name.b == NULL ||
			    fm_glob_match_header(word->text, name))
				return (true);
	}
	return (false);
}

/* Returns true if some rule takes a name out of the Vary that is stored. */
static bool
is_stored_without(struct fm_check *check, struct fm_text name)
{
	const struct fm_model *model = check->model;
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (block_varies(check, ruleset->block, FM_PARAMS_WHAT_DROP,
		    name))
			return (true);
	for (site = model->sites; site != NULL; site = site->next)
		if (block_varies(check, site->block, FM_PARAMS_WHAT_DROP,
		    name))
			return (true);
	return (block_varies(check, model->always, FM_PARAMS_WHAT_DROP,
	    name) || block_varies(check, model->finally, FM_PARAMS_WHAT_DROP,
	    name));
}

/* Returns true if a block has a `browser no`. */
static bool
block_keeps_none(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if ((stmt->kind == FM_STMT_BROWSER && stmt->life.amount !=
		    NULL && fm_text_eq(stmt->life.amount->text,
		    fm_text_of("no"))) || (stmt->kind == FM_STMT_WHEN &&
		    (block_keeps_none(check, stmt->when.then) ||
		    block_keeps_none(check, stmt->when.otherwise))))
			return (true);
	return (false);
}

/*
 * Warns of a `vary drop` in `delivery`: caches after this one take pages that
 * differ for the same.
 */
void
fm_check_vary(struct fm_check *check, const struct fm_block *block,
    const struct fm_stmt *stmt)
{
	static const struct fm_text any = { NULL, 0 };
	const struct fm_word *word = stmt->params.names.first;

	if (stmt->params.what != FM_PARAMS_WHAT_DROP || word == NULL ||
	    block_varies(check, block, FM_PARAMS_WHAT_ADD, any) ||
	    block_keeps_none(check, block))
		return;
	for (; word != NULL; word = word->next)
		if (!is_stored_without(check, word->text) &&
		    check->steps >= 0) {
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_VARY_DROP, FM_SHOW(word->text));
			return;
		}
}
