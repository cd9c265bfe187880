/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the statements of `key { }`, and finds them for other checks.  Warns
 * of what is named twice:
 *
 *	always { key { header X-Device; } }
 *	host a.example { key { "${header.x-device}"; } }	told
 */

#include "check_priv.h"

#define KEY_USES	50	/* rulesets inside each other */

/* Bit of fm_stmt.seen: a name of the statement was told of. */
#define SEEN_TWICE	2048U

/* Reports `cookie drop NAME` and `cookie keep NAME`. */
static bool
is_params(struct fm_check *check, const struct fm_words *names)
{
	const struct fm_word *first = names->first;

	if (first->quoted || first->next == NULL ||
	    (!fm_text_eq(first->text, fm_text_of("drop")) &&
	    !fm_text_eq(first->text, fm_text_of("keep"))))
		return (false);
	fm_check_word_error(check, first, FM_MSG_KEY_PARAMS);
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
	for (; name != NULL; name = name->next) {
		if (!header && !name->quoted && fm_text_has(name->text, ","))
			fm_diag_warning(check->diag, &name->at,
			    FM_MSG_SLIP_COMMA, FM_SHOW(name->text), ",");
		if (fm_text_has_any(name->text, "*?"))
			fm_check_word_error(check, name, FM_MSG_KEY_GLOB);
		else if (header)
			fm_check_header(check, FM_CHECK_HEADER_READ,
			    name->text, &name->at);
		else
			fm_check_name(check, name->text, false, &name->at);
	}
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

/*--------------------------------------------------------------------
 * Names that are there twice
 */

struct named {
	enum fm_subject_kind	kind;		/* HEADER or COOKIE */
	struct fm_text		name;
	const struct fm_place	*at;
};

/* Names on the way to a statement; those of a `when` end with its block. */
struct names {
	struct fm_check		*check;
	struct fm_grow		found;		/* struct named */
};

static void names_item(struct names *, const struct fm_block *);

/* Returns the name that says the same already, or NULL. */
static const struct named *
names_find(const struct names *names, enum fm_subject_kind kind,
    struct fm_text name)
{
	const struct named *named;
	size_t i;

	for (i = 0; i < names->found.n; i++) {
		named = FM_GROW_AT(&names->found, struct named, i);
		if (named->kind == kind && fm_check_text_eq(named->name, name,
		    kind == FM_SUBJECT_HEADER))
			return (named);
		/* The Cookie has all cookies. */
		if (kind == FM_SUBJECT_COOKIE &&
		    named->kind == FM_SUBJECT_HEADER &&
		    fm_text_eq_nocase(named->name, fm_text_of("Cookie")))
			return (named);
	}
	return (NULL);
}

/* Adds a name.  Returns true if it is there already. */
static bool
names_add(struct names *names, const struct fm_stmt *stmt, struct named add)
{
	const struct named *first = names_find(names, add.kind, add.name);
	char where[FM_PLACE_LEN];
	struct named *room;

	if (first != NULL && first->at != add.at) {
		if ((stmt->seen & SEEN_TWICE) == 0)
			fm_diag_warning(names->check->diag, add.at,
			    FM_MSG_WARN_KEY_TWICE, FM_SHOW(add.name),
			    fm_place_print(first->at, where));
		return (true);
	}
	room = fm_grow_add(&names->found, sizeof *room, 1);
	if (room == NULL)
		fm_diag_no_memory(names->check->diag);
	else
		*room = add;
	return (false);
}

static void
names_stmt(struct names *names, struct fm_stmt *stmt)
{
	const struct fm_word *name = stmt->keyed.names.first;
	const struct fm_part *part = stmt->keyed.value == NULL ||
	    stmt->keyed.value->map != NULL ? NULL : stmt->keyed.value->parts;
	enum fm_subject_kind kind;
	bool twice = false;

	kind = stmt->keyed.what == FM_KEYED_COOKIE ? FM_SUBJECT_COOKIE :
	    FM_SUBJECT_HEADER;
	for (; name != NULL; name = name->next)
		twice |= names_add(names, stmt, (struct named){ kind,
		    name->text, &name->at });
	/* A text that has more than a variable may tell more apart. */
	kind = part == NULL ? FM_SUBJECT_URL : fm_part_subject(part->kind);
	if (part != NULL && part->next == NULL && (kind == FM_SUBJECT_HEADER ||
	    kind == FM_SUBJECT_COOKIE))
		twice |= names_add(names, stmt, (struct named){ kind,
		    part->text, &part->at });
	stmt->seen |= twice ? SEEN_TWICE : 0;
}

static void
names_block(struct names *names, const struct fm_block *block)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	size_t n;

	for (; stmt != NULL && --names->check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_KEYED) {
			names_stmt(names, stmt);
		} else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL) {
			names_item(names, stmt->use.ruleset->block);
		} else if (stmt->kind == FM_STMT_WHEN) {
			n = names->found.n;
			names_block(names, stmt->when.then);
			names->found.n = n;
			names_block(names, stmt->when.otherwise);
			names->found.n = n;
		}
}

static void
names_item(struct names *names, const struct fm_block *item)
{
	const struct fm_stmt *stmt = item == NULL ? NULL : item->first;
	struct fm_check *check = names->check;

	if (check->uses >= KEY_USES)
		return;
	check->uses++;
	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_KEY)
			names_block(names, stmt->phase.block);
		else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL &&
		    fm_phase_has(stmt->use.ruleset->phases, FM_PHASE_KEY))
			names_item(names, stmt->use.ruleset->block);
	check->uses--;
}

void
fm_check_keys_twice(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	struct names names = { .check = check };
	const struct fm_block *host;
	size_t always;

	if (check->uses_told || check->broken ||
	    !fm_model_has(model, FM_PHASE_KEY))
		return;
	check->steps = FM_CHECK_STEPS;
	names_item(&names, model->always);
	always = names.found.n;
	host = fm_check_item_next(&hosts);
	do {
		names_item(&names, host);
		names_item(&names, model->finally);
		names.found.n = always;
		host = fm_check_item_next(&hosts);
	} while (host != NULL);
	fm_grow_fini(&names.found);
}
