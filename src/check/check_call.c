/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the subs of VCL that rules call: their names, and how many of them one
 * request or one response may call.
 */

#include "bounds.h"
#include "check_priv.h"

void
fm_check_call(struct fm_check *check, const struct fm_word *name)
{
	if (name == NULL)
		return;
	check->calls = true;
	fm_check_given(check, &check->subs, check->options != NULL &&
	    check->options->subs != NULL, name);
}

/* The different subs that the blocks of a host name in a phase. */
struct called {
	enum fm_phase		phase;
	unsigned		n;
	const struct fm_word	*names[FM_LIMIT_CALLS + 1];
};

static void
called_add(struct called *called, const struct fm_word *name)
{
	unsigned i;

	if (name == NULL || called->n > FM_LIMIT_CALLS)
		return;
	for (i = 0; i < called->n; i++)
		if (fm_text_eq(called->names[i]->text, name->text))
			return;
	called->names[called->n++] = name;
}

/*
 * Adds the subs of a block and of the rulesets that it uses.  Of the block of
 * an item only the blocks of the phase count, unless it is that of requests.
 */
static void
called_walk(struct called *called, const struct fm_block *block, bool item)
{
	bool within = !item || called->phase == FM_PHASE_REQUEST;
	const struct fm_stmt *stmt;

	if (block == NULL)
		return;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		if (fm_stmt_is_phase(stmt->kind)) {
			if (!within && stmt->kind ==
			    fm_phase_stmt(called->phase))
				called_walk(called, stmt->phase.block, false);
		} else if (stmt->kind == FM_STMT_USE) {
			if (stmt->use.ruleset != NULL)
				called_walk(called, stmt->use.ruleset->block,
				    true);
		} else if (within && stmt->kind == FM_STMT_WHEN) {
			called_walk(called, stmt->when.then, false);
			called_walk(called, stmt->when.otherwise, false);
		} else if (within && stmt->kind == FM_STMT_CALL) {
			called_add(called, stmt->call.name);
		}
	}
}

/* Reports a sub too many.  Returns false if there is one. */
static bool
called_fit(struct fm_check *check, const struct called *called)
{
	const struct fm_word *name;

	if (called->n <= FM_LIMIT_CALLS)
		return (true);
	name = called->names[FM_LIMIT_CALLS];
	fm_check_error(check, &name->at, FM_MSG_CALL_MANY,
	    FM_SHOW(name->text), called->n, fm_phase_word(called->phase),
	    FM_LIMIT_CALLS);
	return (false);
}

/* Counts the subs of each host, in the phase that `all` has. */
static void
calls_count(struct fm_check *check, struct called *all)
{
	struct fm_check_items items = { .model = check->model, .hosts = true };
	const struct fm_block *block;
	struct called own;
	bool fit;

	called_walk(all, check->model->always, true);
	called_walk(all, check->model->finally, true);
	fit = called_fit(check, all);
	while (fit && (block = fm_check_item_next(&items)) != NULL) {
		own = *all;
		called_walk(&own, block, true);
		fit = called_fit(check, &own);
	}
}

void
fm_check_calls(struct fm_check *check)
{
	static const enum fm_phase phases[] = {
		FM_PHASE_REQUEST, FM_PHASE_RESPONSE, FM_PHASE_DELIVERY
	};
	struct called all = { .n = 0 };
	size_t i;

	/* Rulesets that use each other have no end. */
	if (!check->calls || check->uses_told || check->broken)
		return;
	for (i = 0; i < sizeof phases / sizeof phases[0]; i++) {
		all.phase = phases[i];
		all.n = 0;
		calls_count(check, &all);
	}
}
