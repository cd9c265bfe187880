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

/* Returns true if a statement passes or denies requests, or stores nothing. */
static bool
stmt_passes(const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_PASS:
	case FM_STMT_PIPE:
	case FM_STMT_FAIL:
	case FM_STMT_UNCACHEABLE:
	case FM_STMT_ABANDON:
		return (true);
	default:
		return (stmt->kind == FM_STMT_SYNTH && stmt->synth.code >= 400);
	}
}

static bool block_hashes(struct fm_check *, const struct fm_block *,
    bool builtin);

/*
 * Returns true if a request, or a response, may get to the cache by a
 * statement.  `builtin`: one that gets to `builtin` may.
 */
static bool
stmt_hashes(struct fm_check *check, const struct fm_stmt *stmt, bool builtin)
{
	switch (stmt->kind) {
	case FM_STMT_HASH:
	case FM_STMT_DELIVER:
	case FM_STMT_USE:
	case FM_STMT_STOP:
		return (true);
	case FM_STMT_BUILTIN:
		return (builtin);
	case FM_STMT_WHEN:
		return (block_hashes(check, stmt->when.then, builtin) ||
		    block_hashes(check, stmt->when.otherwise, builtin));
	default:
		return (false);
	}
}

static bool
block_hashes(struct fm_check *check, const struct fm_block *block,
    bool builtin)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	while (stmt != NULL && --check->steps >= 0 &&
	    !stmt_hashes(check, stmt, builtin))
		stmt = stmt->next;
	return (stmt != NULL);
}

/* Returns true if a block passes all that comes to it. */
static bool
block_passes(struct fm_check *check, const struct fm_block *block,
    bool builtin)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	while (stmt != NULL && !stmt_passes(stmt) && --check->steps >= 0 &&
	    !stmt_hashes(check, stmt, builtin))
		stmt = stmt->next;
	return (stmt != NULL && stmt_passes(stmt));
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

/* A subject of a request in any phase, for comparisons. */
static enum fm_subject_kind
asked_kind(const struct fm_subject *subject)
{
	return (subject->kind == FM_SUBJECT_REQUEST_HEADER ?
	    FM_SUBJECT_HEADER : subject->kind);
}

static bool
same_words(const struct fm_word *a, const struct fm_word *b)
{
	while (a != NULL && b != NULL && fm_text_eq(a->text, b->text)) {
		a = a->next;
		b = b->next;
	}
	return (a == NULL && b == NULL);
}

/* Returns true if two tests, as `client in office`, ask for the same. */
static bool
same_test(const struct fm_cond *a, const struct fm_cond *b)
{
	return (a->kind == b->kind && a->kind != FM_COND_OR &&
	    a->kind != FM_COND_AND && a->kind != FM_COND_NOT &&
	    a->nocase == b->nocase && a->below == b->below &&
	    a->mode == b->mode && a->list_def == b->list_def &&
	    a->subject.which == b->subject.which &&
	    asked_kind(&a->subject) == asked_kind(&b->subject) &&
	    fm_text_eq(a->subject.name, b->subject.name) &&
	    same_words(a->operands.first, b->operands.first));
}

/*
 * Returns true if a condition is met if the subject of a test is there, or
 * wherever that test has one of its outcomes.
 */
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
		return (cond->left != NULL && (same_test(cond->left, test) ||
		    (asked->kind == FM_SUBJECT_METHOD &&
		    is_stored_method(cond->left))));
	if (same_test(cond, test))
		return (true);
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
	return (asked_kind(&cond->subject) == FM_SUBJECT_HEADER &&
	    (asked->kind == FM_SUBJECT_COOKIE ?
	    fm_text_eq_nocase(cond->subject.name, fm_text_of("Cookie")) :
	    asked_kind(asked) == FM_SUBJECT_HEADER &&
	    fm_text_eq_nocase(cond->subject.name, asked->name)));
}

/* Verdicts that pass the requests of a test before they reach the cache. */
struct taker {
	struct fm_check		*check;
	const struct fm_cond	*test;
	bool			builtin;	/* `builtin` may store these */
	bool			hashes;		/* some get there before */
};

/* Looks for what passes all requests with the subject of the test. */
static bool
block_takes(struct taker *taker, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	struct fm_check *check = taker->check;

	for (; stmt != NULL && !taker->hashes && --check->steps >= 0;
	    stmt = stmt->next) {
		if (stmt_passes(stmt) || (stmt->kind == FM_STMT_WHEN &&
		    cond_takes(stmt->when.cond, taker->test) &&
		    block_passes(check, stmt->when.then, taker->builtin)))
			return (true);
		if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL &&
		    check->uses < VARIANT_USES) {
			check->uses++;
			if (block_takes(taker, stmt->use.ruleset->block))
				return (true);
			check->uses--;
			continue;
		}
		taker->hashes = stmt_hashes(check, stmt, taker->builtin);
	}
	return (false);
}

/* The same for the responses of an item. */
static bool
item_takes(struct taker *taker, const struct fm_block *item)
{
	const struct fm_stmt *stmt = item == NULL ? NULL : item->first;

	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_RESPONSE &&
		    block_takes(taker, stmt->phase.block))
			return (true);
	return (false);
}

/* Looks in always, in a host or what all hosts may do, and in finally. */
static bool
rules_take(struct taker *taker, const struct fm_block *host,
    bool takes(struct taker *, const struct fm_block *))
{
	const struct fm_model *model = taker->check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	const struct fm_block *other;

	if (takes(taker, model->always) || takes(taker, host))
		return (true);
	/* A host passes only its own requests. */
	while (host == NULL && (other = fm_check_item_next(&hosts)) != NULL)
		(void)takes(taker, other);
	return (takes(taker, model->finally));
}

bool
fm_check_never_stored(struct fm_check *check, const struct fm_block *host,
    const struct fm_cond *test)
{
	struct taker taker = { .check = check, .test = test, .builtin =
	    test->subject.kind != FM_SUBJECT_COOKIE };
	struct taker responses = { .check = check, .test = test,
	    .builtin = true };
	unsigned uses = check->uses;
	bool never;

	never = rules_take(&taker, host, block_takes) ||
	    rules_take(&responses, host, item_takes);
	check->uses = uses;
	return (never);
}
