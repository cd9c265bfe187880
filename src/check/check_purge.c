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

/* Returns the first statement that edits the URL, from one on; or NULL. */
static const struct fm_stmt *
first_edit(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_stmt *edit = NULL;

	for (; stmt != NULL && edit == NULL && --check->steps >= 0;
	    stmt = stmt->next)
		if (stmt->kind == FM_STMT_QUERY ||
		    (stmt->kind == FM_STMT_REWRITE &&
		    stmt->rewrite.header == NULL) ||
		    (stmt->kind == FM_STMT_SET && stmt->set.header == NULL))
			edit = stmt;
		else if (stmt->kind == FM_STMT_WHEN &&
		    stmt->when.then != NULL)
			edit = first_edit(check, stmt->when.then->first);
	return (edit);
}

void
fm_check_purge(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_model *model = check->model;
	const struct fm_stmt *edit = NULL, *purge = way->stmt;
	const struct fm_site *site = NULL;
	char where[FM_PLACE_LEN];

	if (purge->kind != FM_STMT_PURGE)
		return;
	for (; way != NULL && edit == NULL; way = way->up) {
		edit = first_edit(check, way->stmt->next);
		if (way->block == model->always)
			site = model->sites;
	}
	for (; site != NULL && edit == NULL; site = site->next)
		if (site->block != NULL)
			edit = first_edit(check, site->block->first);
	if (edit != NULL)
		fm_diag_warning(check->diag, &purge->at,
		    FM_MSG_WARN_PURGE_NAME, fm_place_print(&edit->at, where));
}
