/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of a `purge` before the URL has its last form:
 *
 *	when method is PURGE and client in office { purge; }
 *	query drop utm_*;
 *
 * A PURGE for /?utm_source=a removes that name, which no page has.
 */

#include "check_priv.h"

#define PURGE_DEPTH	50		/* blocks inside each other */

static const struct fm_stmt *first_edit(struct fm_check *,
    const struct fm_stmt *, unsigned depth);

static const struct fm_stmt *
block_edit(struct fm_check *check, const struct fm_block *block,
    unsigned depth)
{

	return (block == NULL || depth > PURGE_DEPTH ? NULL :
	    first_edit(check, block->first, depth));
}

/* Returns the first edit in the blocks of a chain from a `when` on, or NULL. */
static const struct fm_stmt *
chain_edit(struct fm_check *check, const struct fm_stmt *when, unsigned depth)
{
	const struct fm_stmt *edit = NULL;

	for (; when != NULL && edit == NULL; when = fm_stmt_chained(when)) {
		edit = block_edit(check, when->when.then, depth);
		if (edit == NULL && fm_stmt_chained(when) == NULL)
			edit = block_edit(check, when->when.otherwise, depth);
	}
	return (edit);
}

/* Returns what comes instead of the block that the way leads to, or NULL. */
static const struct fm_stmt *
else_edit(struct fm_check *check, const struct fm_stmt *when)
{
	const struct fm_stmt *chained = when == NULL ? NULL :
	    fm_stmt_chained(when);

	if (when == NULL)
		return (NULL);
	return (chained != NULL ? chain_edit(check, chained, 0) :
	    block_edit(check, when->when.otherwise, 0));
}

/* Returns the first statement that edits the URL, from one on; or NULL. */
static const struct fm_stmt *
first_edit(struct fm_check *check, const struct fm_stmt *stmt, unsigned depth)
{
	const struct fm_stmt *edit = NULL;

	for (; stmt != NULL && edit == NULL && --check->steps >= 0;
	    stmt = stmt->next) {
		if (stmt->kind == FM_STMT_QUERY ||
		    (stmt->kind == FM_STMT_REWRITE &&
		    stmt->rewrite.header == NULL) ||
		    (stmt->kind == FM_STMT_SET && stmt->set.header == NULL))
			edit = stmt;
		else if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
			edit = block_edit(check, stmt->use.ruleset->block,
			    depth + 1);
		else if (stmt->kind == FM_STMT_WHEN)
			edit = chain_edit(check, stmt, depth + 1);
	}
	return (edit);
}

/* Returns the first edit in the blocks of hosts, or NULL. */
static const struct fm_stmt *
sites_edit(struct fm_check *check)
{
	struct fm_check_items hosts = { .model = check->model, .hosts = true };
	const struct fm_stmt *edit = NULL;
	const struct fm_block *host;

	while (edit == NULL && (host = fm_check_item_next(&hosts)) != NULL)
		edit = block_edit(check, host, 0);
	return (edit);
}

void
fm_check_purge(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_model *model = check->model;
	const struct fm_stmt *edit = NULL, *purge = way->stmt;
	const struct fm_block *block = NULL;
	char where[FM_PLACE_LEN];

	/* A ruleset may use itself, after an error. */
	if (purge->kind != FM_STMT_PURGE || check->uses_told)
		return;
	for (; way != NULL && edit == NULL; way = way->up) {
		if (way->stmt->kind == FM_STMT_WHEN)
			edit = else_edit(check, way->when);
		if (edit == NULL)
			edit = first_edit(check, way->stmt->next, 0);
		block = way->block;
	}
	if (edit == NULL && block == model->always)
		edit = sites_edit(check);
	if (edit == NULL && block != model->finally)
		edit = block_edit(check, model->finally, 0);
	if (edit != NULL)
		fm_diag_warning(check->diag, &purge->at,
		    FM_MSG_WARN_PURGE_NAME, fm_place_print(&edit->at, where));
}
