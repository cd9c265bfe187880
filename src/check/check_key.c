/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the statements of `key { }`, and finds them for other checks.
 */

#include "check_priv.h"

/* Reports `cookie drop NAME` and `cookie keep NAME`. */
static bool
is_params(struct fm_check *check, const struct fm_words *names)
{
	const struct fm_word *first = names->first;

	if (first->quoted || first->next == NULL ||
	    (!fm_text_eq(first->text, fm_text_of("drop")) &&
	    !fm_text_eq(first->text, fm_text_of("keep"))))
		return (false);
	fm_check_error(check, &first->at, FM_MSG_KEY_PARAMS, first->text.b);
	return (true);
}

void
fm_check_keyed(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *name = stmt->keyed.names.first;
	bool header = stmt->keyed.what == FM_KEYED_HEADER;

	if (stmt->keyed.what == FM_KEYED_TEXT) {
		fm_check_value(check, stmt->keyed.value);
		return;
	}
	if (!header && is_params(check, &stmt->keyed.names))
		return;
	for (; name != NULL; name = name->next)
		if (fm_text_has_any(name->text, "*?"))
			fm_check_error(check, &name->at, FM_MSG_KEY_GLOB,
			    FM_SHOW(name->text));
		else if (header)
			fm_check_header(check, FM_CHECK_HEADER_READ,
			    name->text, &name->at);
		else
			fm_check_name(check, name->text, false, &name->at);
}

/*--------------------------------------------------------------------
 * All statements of the keys of an item
 */

struct each {
	struct fm_check		*check;
	void (*tell)(struct fm_check *, struct fm_stmt *, void *priv);
	void			*priv;
};

static void item_each(const struct each *, const struct fm_block *);

static void
block_each(const struct each *each, const struct fm_block *block)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --each->check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_KEYED) {
			each->tell(each->check, stmt, each->priv);
		} else if (stmt->kind == FM_STMT_WHEN) {
			block_each(each, stmt->when.then);
			block_each(each, stmt->when.otherwise);
		} else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL) {
			item_each(each, stmt->use.ruleset->block);
		}
}

static void
item_each(const struct each *each, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --each->check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_KEY)
			block_each(each, stmt->phase.block);
		else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL &&
		    fm_phase_has(stmt->use.ruleset->phases, FM_PHASE_KEY))
			item_each(each, stmt->use.ruleset->block);
}

void
fm_check_key_each(struct fm_check *check, const struct fm_block *item,
    void (*tell)(struct fm_check *, struct fm_stmt *, void *priv), void *priv)
{
	const struct each each = { check, tell, priv };

	item_each(&each, item);
}
