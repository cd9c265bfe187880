/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of names that `delivery` takes out of Vary, and of names in the stored
 * Vary of which nearly each client has a value of its own.
 */

#include "check_priv.h"
#include "glob.h"

/* Returns true if a `vary` names a header. */
static bool
names(const struct fm_stmt *stmt, struct fm_text name)
{
	const struct fm_word *word = stmt->params.names.first;

	while (word != NULL && !fm_glob_match_header(word->text, name))
		word = word->next;
	return (word != NULL);
}

/* Returns true if a `vary` drops such a name, or any. */
static bool
drops(const struct fm_stmt *stmt, struct fm_text name)
{
	return ((stmt->params.what == FM_PARAMS_WHAT_DROP &&
	    (name.b == NULL || names(stmt, name))) ||
	    (stmt->params.what == FM_PARAMS_WHAT_KEEP &&
	    (name.b == NULL || !names(stmt, name))));
}

/* Returns true if a statement sets Vary, or removes it. */
static bool
replaces(const struct fm_stmt *stmt)
{
	struct fm_text vary = fm_text_of("Vary");
	const struct fm_word *word;

	if (stmt->kind == FM_STMT_SET)
		return (stmt->set.header != NULL &&
		    fm_text_eq_nocase(stmt->set.header->text, vary));
	word = stmt->kind == FM_STMT_UNSET ? stmt->unset.headers.first : NULL;
	while (word != NULL && !fm_glob_match_header(word->text, vary))
		word = word->next;
	return (word != NULL);
}

/* Returns true if `response` may take a name out of Vary. */
static bool
block_drops(struct fm_check *check, const struct fm_block *block,
    struct fm_text name, bool phase)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if ((stmt->kind == FM_STMT_RESPONSE && block_drops(check,
		    stmt->phase.block, name, true)) || (phase &&
		    ((stmt->kind == FM_STMT_VARY && drops(stmt, name)) ||
		    replaces(stmt) || (stmt->kind == FM_STMT_WHEN &&
		    (block_drops(check, stmt->when.then, name, true) ||
		    block_drops(check, stmt->when.otherwise, name, true))))))
			return (true);
	return (false);
}

/* Returns true if some rule takes a name out of the Vary that is stored. */
static bool
is_stored_without(struct fm_check *check, struct fm_text name)
{
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *item = fm_check_item_next(&items);

	while (item != NULL && !block_drops(check, item, name, false))
		item = fm_check_item_next(&items);
	return (item != NULL);
}

/* Returns true if a block has a `browser no`, or adds a name to Vary. */
static bool
block_tells(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if ((stmt->kind == FM_STMT_BROWSER && stmt->life.amount !=
		    NULL && fm_text_eq(stmt->life.amount->text,
		    fm_text_of("no"))) || (stmt->kind == FM_STMT_VARY &&
		    stmt->params.what == FM_PARAMS_WHAT_ADD) ||
		    (stmt->kind == FM_STMT_WHEN &&
		    (block_tells(check, stmt->when.then) ||
		    block_tells(check, stmt->when.otherwise))))
			return (true);
	return (false);
}

/*
 * Warns of names that `delivery` takes out of Vary: caches after this one take
 * pages that differ for the same.
 */
void
fm_check_vary(struct fm_check *check, const struct fm_block *block,
    const struct fm_stmt *stmt)
{
	static const struct fm_text any = { NULL, 0 };
	const struct fm_word *word;
	bool vary = stmt->kind == FM_STMT_VARY;

	if (!(vary ? drops(stmt, any) : replaces(stmt)) ||
	    block_tells(check, block))
		return;
	if (!vary || stmt->params.what == FM_PARAMS_WHAT_KEEP) {
		if (stmt->kind != FM_STMT_SET &&
		    !is_stored_without(check, any) && check->steps >= 0)
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_VARY_GONE);
		return;
	}
	for (word = stmt->params.names.first; word != NULL; word = word->next)
		if (!is_stored_without(check, word->text) &&
		    check->steps >= 0) {
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_VARY_DROP, FM_SHOW(word->text));
			return;
		}
}

/*--------------------------------------------------------------------
 * Names in the stored Vary, of headers that each client has its own of
 */

static const char * const varied[][2] = {
	{ "User-Agent", "write 'key { header X; }' or 'vary add X' with an X "
	    "that the rules for requests set by agent" },
	{ "Cookie", "write 'key { cookie NAME; }', or have 'cookie keep' "
	    "leave what matters" }
};

/* Returns true if the rules for requests make a header of few values. */
static bool
block_edits(struct fm_check *check, const struct fm_block *block,
    struct fm_text name)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_word *header;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next) {
		header = stmt->kind == FM_STMT_SET ? stmt->set.header :
		    stmt->kind == FM_STMT_NORMALIZE ? stmt->normalize.header :
		    stmt->kind == FM_STMT_REWRITE ? stmt->rewrite.header :
		    stmt->kind == FM_STMT_UNSET ? stmt->unset.headers.first :
		    NULL;
		while (header != NULL && !fm_glob_match_header(header->text,
		    name))
			header = stmt->kind == FM_STMT_UNSET ? header->next :
			    NULL;
		if (header != NULL || (stmt->kind == FM_STMT_COOKIE &&
		    fm_text_eq_nocase(name, fm_text_of("Cookie"))) ||
		    (stmt->kind == FM_STMT_WHEN && (block_edits(check,
		    stmt->when.then, name) || block_edits(check,
		    stmt->when.otherwise, name))))
			return (true);
	}
	return (stmt != NULL);
}

static bool
requests_edit(struct fm_check *check, struct fm_text name)
{
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *item = fm_check_item_next(&items);

	while (item != NULL && !block_edits(check, item, name))
		item = fm_check_item_next(&items);
	return (item != NULL);
}

/* Returns true if a text, as `Accept, Cookie`, has a name. */
static bool
list_has(struct fm_text list, struct fm_text name)
{
	size_t i, end;

	for (i = 0; i < list.len; i = end + 1) {
		while (i < list.len && strchr(", \t", list.b[i]) != NULL)
			i++;
		for (end = i; end < list.len &&
		    strchr(", \t", list.b[end]) == NULL; end++)
			continue;
		if (fm_text_eq_nocase(fm_text(list.b + i, end - i), name))
			return (true);
	}
	return (false);
}

/* Returns true for `vary add Cookie`, with which `hash` is right. */
static bool
tells_cookies_apart(const struct fm_stmt *stmt, struct fm_text name)
{
	return (stmt->kind == FM_STMT_VARY &&
	    stmt->params.what == FM_PARAMS_WHAT_ADD &&
	    fm_text_eq_nocase(name, fm_text_of("Cookie")));
}

/*
 * Warns of a statement that lets a stored response vary by what nearly each
 * client has its own of.
 */
void
fm_check_vary_stored(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *word = NULL;
	const struct fm_place *at;
	struct fm_text name;
	size_t i;

	for (i = 0; i < sizeof varied / sizeof varied[0]; i++) {
		name = fm_text_of(varied[i][0]);
		at = NULL;
		if (stmt->kind == FM_STMT_SET && replaces(stmt) &&
		    stmt->set.value != NULL &&
		    list_has(stmt->set.value->raw, name))
			at = &stmt->set.value->at;
		else if (stmt->kind == FM_STMT_VARY &&
		    stmt->params.what != FM_PARAMS_WHAT_DROP)
			for (word = stmt->params.names.first; word != NULL;
			    word = word->next)
				if (fm_text_eq_nocase(word->text, name))
					at = &word->at;
		if (at != NULL && !tells_cookies_apart(stmt, name) &&
		    !requests_edit(check, name) && check->steps >= 0)
			fm_diag_warning(check->diag, at,
			    FM_MSG_WARN_VARY_KEPT, FM_SHOW(name),
			    varied[i][1]);
	}
}
