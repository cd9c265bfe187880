/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out by what of a request the cache tells pages apart, beside their URL
 * and host: by what is in `key`, and by the names that `vary add` puts into the
 * stored Vary.
 *
 *	always { response { vary add X-Device; } }	for all hosts
 *	host a.example { key { cookie currency; } }	for this one
 */

#include "check_priv.h"
#include "glob.h"

#define VARIANT_USES	50	/* rulesets inside each other */

/* A header of the request, or a cookie; `name` is empty for other subjects. */
struct key {
	enum fm_subject_kind	kind;
	struct fm_text		name;
};

static struct key *
key_at(const struct fm_check_keys *keys, size_t i)
{
	return (FM_GROW_AT(&keys->found, struct key, i));
}

static void
key_add(struct fm_check *check, struct fm_check_keys *keys,
    enum fm_subject_kind kind, struct fm_text name)
{
	struct key *key = fm_grow_add(&keys->found, sizeof *key, 1);

	if (key == NULL)
		fm_diag_no_memory(check->diag);
	else
		*key = (struct key){ kind, name };
}

static bool
key_is(const struct key *key, enum fm_subject_kind kind, struct fm_text name)
{
	return (key->kind == kind && (name.b == NULL ||
	    (kind == FM_SUBJECT_COOKIE ? fm_text_eq(key->name, name) :
	    fm_text_eq_nocase(key->name, name))));
}

/* Adds what a block names; `phase`: it is in the block of a phase. */
static void
block_add(struct fm_check *check, struct fm_check_keys *keys,
    const struct fm_block *block, bool phase)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_word *word;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_RESPONSE:
			block_add(check, keys, stmt->phase.block, true);
			break;
		case FM_STMT_WHEN:
			if (!phase)
				break;
			block_add(check, keys, stmt->when.then, true);
			block_add(check, keys, stmt->when.otherwise, true);
			break;
		case FM_STMT_USE:
			if (stmt->use.ruleset == NULL ||
			    check->uses >= VARIANT_USES)
				break;
			check->uses++;
			block_add(check, keys, stmt->use.ruleset->block,
			    false);
			check->uses--;
			break;
		case FM_STMT_VARY:
			word = phase && stmt->params.what ==
			    FM_PARAMS_WHAT_ADD ? stmt->params.names.first :
			    NULL;
			for (; word != NULL; word = word->next)
				key_add(check, keys, FM_SUBJECT_REQUEST_HEADER,
				    word->text);
			break;
		default:
			break;
		}
}

/* Adds what a statement of `key` says. */
static void
keyed_add(struct fm_check *check, struct fm_stmt *stmt, void *priv)
{
	const struct fm_word *name = stmt->keyed.names.first;
	const struct fm_part *part = stmt->keyed.value == NULL ? NULL :
	    stmt->keyed.value->parts;
	enum fm_subject_kind kind;

	for (; name != NULL; name = name->next)
		key_add(check, priv, stmt->keyed.what == FM_KEYED_COOKIE ?
		    FM_SUBJECT_COOKIE : FM_SUBJECT_REQUEST_HEADER, name->text);
	for (; part != NULL; part = part->next) {
		kind = fm_part_subject(part->kind);
		if (kind == FM_SUBJECT_HEADER)
			kind = FM_SUBJECT_REQUEST_HEADER;
		key_add(check, priv, kind, part->text);
	}
}

static void
item_add(struct fm_check *check, struct fm_check_keys *keys,
    const struct fm_block *block)
{
	block_add(check, keys, block, false);
	fm_check_key_each(check, block, keyed_add, keys);
}

static bool
has_from(const struct fm_check_keys *keys, size_t first,
    enum fm_subject_kind kind, struct fm_text name)
{
	size_t i;

	for (i = first; i < keys->found.n; i++)
		if (key_is(key_at(keys, i), kind, name))
			return (true);
	return (false);
}

/* Keeps, of the names between two numbers, those that are after them, too. */
static void
keep_common(struct fm_check_keys *keys, size_t first, size_t last)
{
	size_t i, to = first;

	for (i = first; i < last; i++)
		if (has_from(keys, last, key_at(keys, i)->kind,
		    key_at(keys, i)->name))
			*key_at(keys, to++) = *key_at(keys, i);
	keys->found.n = to;
}

void
fm_check_keys_begin(struct fm_check *check, struct fm_check_keys *keys)
{
	const struct fm_model *model = check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	const struct fm_block *host;
	size_t first, last;
	bool any = false;

	item_add(check, keys, model->always);
	item_add(check, keys, model->finally);
	/* All keys have a name that each host has, if there is a `default`. */
	first = last = keys->common = keys->found.n;
	if (model->otherwise == NULL)
		return;
	while ((host = fm_check_item_next(&hosts)) != NULL) {
		item_add(check, keys, host);
		if (any)
			keep_common(keys, first, last);
		last = keys->found.n;
		any = true;
	}
	keys->common = keys->found.n;
}

void
fm_check_keys_host(struct fm_check *check, struct fm_check_keys *keys,
    const struct fm_block *block)
{
	keys->found.n = keys->common;
	item_add(check, keys, block);
}

bool
fm_check_keys_has(const struct fm_check_keys *keys, enum fm_subject_kind kind,
    struct fm_text name)
{
	/* A Cookie is told apart as a whole, too. */
	return (has_from(keys, 0, kind, name) ||
	    (kind == FM_SUBJECT_COOKIE && has_from(keys, 0,
	    FM_SUBJECT_REQUEST_HEADER, fm_text_of("Cookie"))));
}

void
fm_check_keys_fini(struct fm_check_keys *keys)
{
	fm_grow_fini(&keys->found);
}

/*--------------------------------------------------------------------
 * Requests that never come to the cache
 */

/* Returns true if the rules pass or deny requests in a block. */
static bool
block_passes(const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	while (stmt != NULL && stmt->kind != FM_STMT_PASS &&
	    stmt->kind != FM_STMT_PIPE && stmt->kind != FM_STMT_FAIL &&
	    (stmt->kind != FM_STMT_SYNTH || stmt->synth.code < 400))
		stmt = stmt->next;
	return (stmt != NULL);
}

static bool
block_hashes(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_HASH || stmt->kind == FM_STMT_USE ||
		    stmt->kind == FM_STMT_STOP ||
		    (stmt->kind == FM_STMT_WHEN &&
		    (block_hashes(check, stmt->when.then) ||
		    block_hashes(check, stmt->when.otherwise))))
			return (true);
	return (stmt != NULL);
}

/* Returns true for `not method is GET HEAD`, of which the first is stored. */
static bool
is_stored_method(const struct fm_cond *cond)
{
	const struct fm_word *word = cond->operands.first;

	if (cond->kind != FM_COND_MODE || cond->mode != FM_PATTERN_EXACT ||
	    cond->subject.kind != FM_SUBJECT_METHOD)
		return (false);
	while (word != NULL && (fm_text_eq(word->text, fm_text_of("GET")) ||
	    fm_text_eq(word->text, fm_text_of("HEAD"))))
		word = word->next;
	return (word == NULL);
}

/* Returns true if a condition is met if the subject of a test is there. */
static bool
cond_takes(const struct fm_cond *cond, const struct fm_cond *test)
{
	const struct fm_subject *asked = &test->subject;

	if (cond == NULL)
		return (false);
	if (cond->kind == FM_COND_OR)
		return (cond_takes(cond->left, test) ||
		    cond_takes(cond->right, test));
	if (cond->kind == FM_COND_NOT)
		return (asked->kind == FM_SUBJECT_METHOD &&
		    is_stored_method(cond->left));
	if (cond->kind == FM_COND_NAMES)
		return (asked->kind == FM_SUBJECT_COOKIE &&
		    cond->subject.kind == FM_SUBJECT_COOKIE &&
		    (cond->list_def != NULL ?
		    cond->list_def == test->list_def :
		    test->kind != FM_COND_NAMES &&
		    fm_glob_match(cond->subject.name, asked->name, false)));
	if (cond->kind != FM_COND_PRESENT)
		return (false);
	if (cond->subject.kind == FM_SUBJECT_COOKIE)
		return (asked->kind == FM_SUBJECT_COOKIE &&
		    test->kind != FM_COND_NAMES &&
		    fm_text_eq(cond->subject.name, asked->name));
	return (cond->subject.kind == FM_SUBJECT_HEADER &&
	    (asked->kind == FM_SUBJECT_COOKIE ?
	    fm_text_eq_nocase(cond->subject.name, fm_text_of("Cookie")) :
	    asked->kind == FM_SUBJECT_REQUEST_HEADER &&
	    fm_text_eq_nocase(cond->subject.name, asked->name)));
}

/*
 * Looks for a `when` that passes all requests with the subject of a test.  Sets
 * *hashes if a request may get to the cache before.
 */
static bool
block_takes(struct fm_check *check, const struct fm_block *block,
    const struct fm_cond *test, bool *hashes)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	struct fm_block one = { .first = NULL };
	struct fm_stmt copy;

	for (; stmt != NULL && !*hashes && --check->steps >= 0;
	    stmt = stmt->next) {
		if (stmt->kind == FM_STMT_WHEN &&
		    block_passes(stmt->when.then) &&
		    cond_takes(stmt->when.cond, test))
			return (true);
		if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL &&
		    check->uses < VARIANT_USES) {
			check->uses++;
			if (block_takes(check, stmt->use.ruleset->block, test,
			    hashes))
				return (true);
			check->uses--;
			continue;
		}
		copy = *stmt;
		copy.next = NULL;
		one.first = &copy;
		*hashes = block_hashes(check, &one);
	}
	return (false);
}

bool
fm_check_never_stored(struct fm_check *check, const struct fm_block *host,
    const struct fm_cond *test)
{
	unsigned uses = check->uses;
	bool hashes = false, takes;

	takes = block_takes(check, check->model->always, test, &hashes) ||
	    block_takes(check, host, test, &hashes);
	check->uses = uses;
	return (takes);
}
