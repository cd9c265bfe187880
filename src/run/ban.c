/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Notes the bans that rules make, for the module: a run has no side effects.
 */

#include "run_priv.h"

static const struct fm_text missing;

/* Returns a copy of a text that ends in NUL, or NULL if there is no memory. */
static const char *
text_copy(struct fm_exec *exec, struct fm_text text)
{
	char *copy = fm_request_alloc(&exec->req, text.len + 1);

	if (copy == NULL)
		return (NULL);
	if (text.len > 0)
		memcpy(copy, text.b, text.len);
	copy[text.len] = '\0';
	return (copy);
}

/*
 * Fills in the argument of a test.  Returns false if there is to be no ban: the
 * argument is missing, the run is over, or there is no memory.
 */
static bool
test_fill(struct fm_exec *exec, const struct fm_op *op,
    const struct fm_ban_code *code, struct fm_banned_test *test)
{
	struct fm_text argument;

	if (code->quotes)
		argument = fm_template_regex(exec, code->template);
	else
		argument = fm_template_text(exec, code->template, NULL);
	if (exec->mark != FM_REFUSE_NONE)
		fm_exec_marked(exec, op->rule);
	if (exec->ended || exec->req.no_memory || argument.b == NULL)
		return (false);
	test->field = code->field;
	test->oper = code->oper;
	test->argument = text_copy(exec, argument);
	return (test->argument != NULL);
}

/* Returns `obj.http.X ~ "a" and obj.age > 1h`, as rules have it. */
static struct fm_text
ban_text(struct fm_exec *exec, const struct fm_ban_code *codes,
    const struct fm_banned *ban)
{
	const struct fm_banned_test *test = ban->tests;
	size_t room = 0;
	uint32_t i;
	char *b, *to;

	for (i = 0; i < ban->n; i++)
		room += strlen(test[i].field) + strlen(test[i].oper) +
		    strlen(test[i].argument) + sizeof " \"\" and ";
	b = to = fm_request_alloc(&exec->req, room);
	for (i = 0; b != NULL && i < ban->n; i++) {
		if (i > 0)
			to = stpcpy(to, " and ");
		to = stpcpy(stpcpy(to, test[i].field), " ");
		to = stpcpy(stpcpy(to, test[i].oper), " ");
		to = stpcpy(to, codes[i].quoted ? "\"" : "");
		to = stpcpy(to, test[i].argument);
		to = stpcpy(to, codes[i].quoted ? "\"" : "");
	}
	return (fm_text(b, b == NULL ? 0 : (size_t)(to - b)));
}

static void
ban_add(struct fm_result *result, struct fm_banned *ban)
{
	struct fm_banned **tail = &result->bans;

	if (result->nbans == 0)
		result->bans = NULL;
	while (*tail != NULL)
		tail = &(*tail)->next;
	*tail = ban;
	result->nbans++;
}

void
fm_stmt_ban(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_ban_code *codes = &exec->program->bans[op->a];
	struct fm_banned *ban;
	uint32_t i;

	if (exec->result->nbans == UINT16_MAX ||
	    fm_exec_ignored(exec, op->rule, 0))
		return;
	ban = fm_request_alloc(&exec->req, sizeof *ban +
	    op->b * sizeof ban->tests[0]);
	if (ban == NULL)
		return;
	*ban = (struct fm_banned){ .rule = &exec->program->rules[op->rule],
	    .n = op->b };
	for (i = 0; i < op->b && test_fill(exec, op, &codes[i],
	    &ban->tests[i]); i++)
		continue;
	if (exec->ended || exec->req.no_memory)
		return;
	if (i == op->b)
		ban->text = ban_text(exec, codes, ban);
	ban_add(exec->result, ban);
	fm_exec_trace(exec, op->rule, FM_EFFECT_BAN, missing, missing,
	    ban->text);
}
