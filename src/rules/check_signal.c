/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of headers that rules set in some branches only.  In the other branches
 * the backend gets the value that the client has sent, and may trust it:
 *
 *	when client in office { set X-Office = "1"; }
 *
 * An `unset X-Office;` before the `when`, or an `else` that sets the header,
 * closes the gap.
 */

#include "check_priv.h"
#include "glob.h"

#define SIGNAL_DEPTH	50		/* blocks inside each other */

/* The blocks around a statement. */
struct around {
	const struct around	*up;
	const struct fm_block	*block;
	const struct fm_stmt	*when;		/* a chain, down to which */
	unsigned		depth;
};

static bool block_touches(struct fm_check *, struct fm_text,
    const struct fm_block *, unsigned depth);

/* Returns true if a chain of whens sets or unsets the header in each way. */
static bool
when_touches(struct fm_check *check, struct fm_text name,
    const struct fm_stmt *when, unsigned depth)
{
	for (; when != NULL; when = fm_check_chained(when)) {
		if (!block_touches(check, name, when->when.then, depth))
			return (false);
		if (fm_check_chained(when) == NULL)
			return (block_touches(check, name,
			    when->when.otherwise, depth));
	}
	return (false);
}

static bool
stmt_touches(struct fm_check *check, struct fm_text name,
    const struct fm_stmt *stmt, unsigned depth)
{
	const struct fm_word *word;

	switch (stmt->kind) {
	case FM_STMT_SET:
		return (stmt->set.header != NULL && fm_text_eq_nocase(
		    stmt->set.header->text, name));
	case FM_STMT_NORMALIZE:
		return (stmt->normalize.header != NULL && fm_text_eq_nocase(
		    stmt->normalize.header->text, name));
	case FM_STMT_UNSET:
		for (word = stmt->unset.headers.first; word != NULL;
		    word = word->next)
			if (fm_glob_match_header(word->text, name))
				return (true);
		return (false);
	case FM_STMT_USE:
		return (stmt->use.ruleset != NULL && block_touches(check, name,
		    stmt->use.ruleset->block, depth + 1));
	case FM_STMT_WHEN:
		return (when_touches(check, name, stmt, depth + 1));
	case FM_STMT_REDIRECT:
		return (fm_check_redirects(stmt));
	case FM_STMT_SYNTH:
	case FM_STMT_ANSWER:
	case FM_STMT_PURGE:
		/* Nothing goes to the backend. */
		return (true);
	default:
		return (false);
	}
}

static bool
block_touches(struct fm_check *check, struct fm_text name,
    const struct fm_block *block, unsigned depth)
{
	const struct fm_stmt *stmt;

	if (block == NULL)
		return (false);
	for (stmt = block->first; stmt != NULL; stmt = stmt->next)
		if (depth > SIGNAL_DEPTH || --check->signal_steps < 0 ||
		    stmt_touches(check, name, stmt, depth))
			return (true);
	return (false);
}

/* Notes a header that rules read, or set: one that they set twice counts. */
void
fm_check_signal_header(struct fm_check *check, struct fm_text name, bool set)
{
	void *first;
	int bad = 0;

	if (set)
		bad = fm_check_table_add(&check->set_once, name, check,
		    &first);
	if (bad == 0 && (!set || first != NULL))
		bad = fm_check_table_add(&check->signals, name, check,
		    &first);
	if (bad != 0)
		fm_check_memory(check);
}

/* Returns true if a header is one that rules make up. */
static bool
is_signal(struct fm_text name)
{
	static const char * const others[] = { "X-Real-IP",
	    "X-Requested-With", "X-HTTP-Method-Override", "X-Request-ID",
	    NULL };

	return (name.len > 2 && fm_lower((unsigned char)*name.b) == 'x' &&
	    name.b[1] == '-' && !fm_text_is_one_of(name, others) &&
	    !fm_check_covers(FM_PATTERN_PREFIX, fm_text_of("X-Forwarded"),
	    FM_PATTERN_EXACT, name, true));
}

/* Returns true if a condition asks who the client is, and nothing else. */
static bool
cond_asks_client(const struct fm_cond *cond)
{
	if (cond == NULL)
		return (false);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		return (cond_asks_client(cond->left) &&
		    cond_asks_client(cond->right));
	case FM_COND_NOT:
		return (cond_asks_client(cond->left));
	default:
		return (cond->subject.kind == FM_SUBJECT_CLIENT ||
		    cond->subject.agent);
	}
}

/* Returns true if a condition asks for the header itself. */
static bool
cond_asks(const struct fm_cond *cond, struct fm_text name)
{
	if (cond == NULL)
		return (true);		/* it was not understood */
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		return (cond_asks(cond->left, name) ||
		    cond_asks(cond->right, name));
	case FM_COND_NOT:
		return (cond_asks(cond->left, name));
	default:
		return (cond->subject.kind == FM_SUBJECT_HEADER &&
		    fm_text_eq_nocase(cond->subject.name, name));
	}
}

static void
set_check(struct fm_check *check, const struct fm_stmt *set,
    const struct around *around, bool always)
{
	const struct fm_model *model = check->model;
	struct fm_text name;
	const struct around *up;
	const struct fm_stmt *when;
	bool depends, of_client;
	void *first;

	if (set->set.header == NULL || !is_signal(set->set.header->text))
		return;
	name = set->set.header->text;
	depends = fm_check_table_find(&check->signals, name) != NULL;
	for (up = around->up; up != NULL; up = up->up) {
		if (block_touches(check, name, up->block, up->depth))
			return;
		of_client = true;
		for (when = up->when; when != NULL;
		    when = fm_check_chained(when)) {
			if (cond_asks(when->when.cond, name))
				return;
			of_client &= cond_asks_client(when->when.cond);
		}
		depends |= of_client;
	}
	/* Nothing may depend on it: rules don't ask it, and set it once. */
	if (!depends)
		return;
	if (!always && block_touches(check, name, model->always, 0))
		return;
	if (fm_check_table_add(&check->told, name, check, &first) != 0)
		fm_check_memory(check);
	else if (first == NULL)
		fm_diag_warning(check->diag, &set->at, FM_MSG_SLIP_SIGNAL,
		    FM_CHECK_QUOTE(name), FM_CHECK_QUOTE(name));
}

static void
block_signals(struct fm_check *check, const struct fm_block *block,
    const struct around *up, bool always)
{
	struct around around = { .up = up, .block = block,
	    .depth = up == NULL ? 0 : up->depth + 1 };
	const struct fm_stmt *stmt, *when;

	if (block == NULL || around.depth > SIGNAL_DEPTH)
		return;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_STMT_SET && up != NULL)
			set_check(check, stmt, &around, always);
		around.when = stmt;
		for (when = stmt->kind == FM_STMT_WHEN ? stmt : NULL;
		    when != NULL; when = fm_check_chained(when)) {
			block_signals(check, when->when.then, &around, always);
			if (fm_check_chained(when) == NULL)
				block_signals(check, when->when.otherwise,
				    &around, always);
		}
	}
}

void
fm_check_signals(struct fm_check *check, const struct fm_block *block,
    bool always)
{
	block_signals(check, block, NULL, always);
}
