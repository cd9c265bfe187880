/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of a Set-Cookie that only `delivery` removes: the response had it when
 * `builtin` decided, and is not stored.
 *
 *	delivery { unset Set-Cookie; }				told
 *	response { unset Set-Cookie; } delivery { ... }		silent
 */

#include "check_priv.h"
#include "glob.h"

#define COOKIES_USES	50	/* rulesets inside each other */

/* Returns true if a statement removes all Set-Cookie of a response. */
static bool
removes(const struct fm_stmt *stmt)
{
	const struct fm_word *word = NULL;

	if (stmt->kind == FM_STMT_UNSET)
		word = stmt->unset.headers.first;
	else if (stmt->kind == FM_STMT_SET_COOKIE)
		return (stmt->params.what == FM_PARAMS_WHAT_DROP &&
		    stmt->params.names.first != NULL && fm_text_eq(
		    stmt->params.names.first->text, fm_text_of("*")));
	while (word != NULL && !fm_glob_match_header(word->text,
	    fm_text_of("Set-Cookie")))
		word = word->next;
	return (word != NULL);
}

/*
 * Returns true if responses of a block don't need the warning: it edits their
 * Set-Cookie, stores them all the same, or stores none.  `phase`: it is in the
 * block of a phase; `always`: in no `when`.
 */
static bool
block_settles(struct fm_check *check, const struct fm_block *block,
    bool phase, bool always)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	bool settles;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next) {
		settles = false;
		switch (stmt->kind) {
		case FM_STMT_RESPONSE:
			settles = block_settles(check, stmt->phase.block,
			    true, true);
			break;
		case FM_STMT_WHEN:
			settles = phase && (block_settles(check,
			    stmt->when.then, true, false) || block_settles(
			    check, stmt->when.otherwise, true, false));
			break;
		case FM_STMT_USE:
			if (stmt->use.ruleset == NULL ||
			    check->uses >= COOKIES_USES)
				break;
			check->uses++;
			settles = block_settles(check,
			    stmt->use.ruleset->block, false, always);
			check->uses--;
			break;
		case FM_STMT_SET_COOKIE:
		case FM_STMT_DELIVER:
			settles = phase;
			break;
		case FM_STMT_UNSET:
			settles = phase && removes(stmt);
			break;
		case FM_STMT_HASH:
		case FM_STMT_BUILTIN:
		case FM_STMT_PURGE:
			break;
		default:
			settles = always && (stmt->kind ==
			    FM_STMT_UNCACHEABLE ||
			    fm_stmts[stmt->kind].ends == FM_ENDS_RULES);
			break;
		}
		if (settles)
			return (true);
	}
	return (stmt != NULL);
}

/*
 * Returns true if some item that may run with this one settles it.  `host`: it
 * is the block of a host.
 */
static bool
item_settles(struct fm_check *check, const struct fm_block *item, bool host)
{
	const struct fm_model *model = check->model;
	struct fm_check_items items = { .model = model };
	const struct fm_block *other = NULL;

	if (block_settles(check, item, false, true) ||
	    block_settles(check, model->always, false, true) ||
	    block_settles(check, model->finally, false, true))
		return (true);
	while (!host && (other = fm_check_item_next(&items)) != NULL &&
	    !block_settles(check, other, false, false))
		continue;
	return (other != NULL);
}

/* Returns true if a `when` asks how the response was found. */
static bool
asks_cache(const struct fm_stmt *when)
{
	const struct fm_cond *test = when->when.tests;

	while (test != NULL && test->subject.kind != FM_SUBJECT_CACHE)
		test = test->next;
	return (test != NULL);
}

static void
block_tell(struct fm_check *check, const struct fm_block *item, bool host,
    const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_WHEN && !asks_cache(stmt)) {
			block_tell(check, item, host, stmt->when.then);
			block_tell(check, item, host, stmt->when.otherwise);
		} else if (removes(stmt) &&
		    !item_settles(check, item, host) && check->steps >= 0) {
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_COOKIE_LATE);
		}
}

static void
item_tell(struct fm_check *check, const struct fm_block *item, bool host)
{
	const struct fm_stmt *stmt = item == NULL ? NULL : item->first;

	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_DELIVERY)
			block_tell(check, item, host, stmt->phase.block);
}

void
fm_check_cookies(struct fm_check *check)
{
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *item;

	if (check->uses_told || check->broken)
		return;
	check->steps = FM_CHECK_STEPS;
	while ((item = fm_check_item_next(&items)) != NULL)
		item_tell(check, item, items.host);
}
