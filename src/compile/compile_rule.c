/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes what people are told of a rule (struct fm_rule): its place, its words,
 * and its line in a log.  A program may have a million rules, so texts share
 * memory: a log ends in the place, rules on one line have one place, and equal
 * words are stored once.
 *
 *	place			v
 *	log	fastmatch: pass at site.rules:12
 *
 * The log of `builtin` has the verdict that builtin.vcl gives, so the rule has
 * a line for each of them:
 *
 *	logs	fastmatch: pass (builtin) at site.rules:12
 *		fastmatch: pipe (builtin) at site.rules:12
 *		fastmatch: hash (builtin) at site.rules:12
 */

#include <stdio.h>
#include <stdlib.h>

#include "compile_priv.h"
#include "obj.h"
#include "utf8.h"

/* A log shows at most this number of bytes of a name, which may be long. */
#define LOG_NAME_MAX	100

/* Finds or adds a text in compile->cold_texts. */
static const char *
cold_text(struct fm_compile *compile, struct fm_text text, uint32_t *number)
{
	const char *copy;

	fm_intern_key(&compile->intern, FM_TAG_COLD_TEXT);
	fm_intern_key_text(&compile->intern, text);
	if (fm_compile_new(compile, compile->cold_texts.n, number)) {
		copy = fm_compile_copy(compile, &compile->p->cold, text).b;
		(void)fm_compile_append(compile, &compile->cold_texts, &copy,
		    sizeof copy);
	}
	return (*FM_GROW_AT(&compile->cold_texts, const char *, *number));
}

struct fm_text
fm_compile_name(struct fm_compile *compile, struct fm_text name)
{
	char *copy;

	copy = fm_compile_alloc(compile, &compile->p->arena, name.len + 1);
	memcpy(copy, name.b, name.len);
	fm_utf8_flatten(copy);
	return (fm_text_of(copy));
}

void
fm_compile_place(struct fm_compile *compile, struct fm_place *at)
{
	if (compile->last_at.name != at->name) {
		compile->last_file = cold_text(compile,
		    fm_text_of(at->name), &compile->file);
		compile->last_at = (struct fm_place){ .name = at->name };
	}
	at->name = compile->last_file;
}

/*
 * Adds the log and the place of a rule: "fastmatch: WHAT at FILE:LINE".  If
 * `what` is NULL, the rule has no log, and the last place may do.
 */
static void
rule_place(struct fm_compile *compile, const struct fm_place *at,
    const char *what, struct fm_rule *rule)
{
	size_t room = strlen(at->name) + LOG_NAME_MAX + 100, len = 0;
	const char *copy;
	char *line;

	if (what == NULL && compile->last_at.line == at->line) {
		rule->place = compile->last_place;
		rule->place_len = (uint32_t)strlen(rule->place);
		return;
	}
	compile->line.n = 0;
	line = fm_compile_add(compile, &compile->line, 1, room);
	line[0] = '\0';
	if (what != NULL)
		(void)snprintf(line, room, "fastmatch: %s at ", what);
	fm_utf8_flatten(line);
	len = strlen(line);
	(void)snprintf(line + len, room - len, "%s:%u", at->name, at->line);
	fm_utf8_flatten(line + len);
	copy = fm_compile_copy(compile, &compile->p->cold,
	    fm_text_of(line)).b;
	rule->place = copy + len;
	rule->place_len = (uint32_t)strlen(rule->place);
	if (what != NULL) {
		rule->log = copy;
		rule->log_len = (uint32_t)len + rule->place_len;
	}
	compile->last_at.line = at->line;
	compile->last_place = rule->place;
}

/*
 * Adds a rule.  `what` is the statement's part of the log; NULL: the rule has
 * no log.  `masked` is the text without secrets; NULL: the text has none.
 */
static uint32_t
rule_add(struct fm_compile *compile, const struct fm_place *at,
    const char *text, const char *masked, const char *what, uint16_t tests)
{
	struct fm_rule rule = { .at = *at, .guard = compile->guard,
	    .tests = tests, .depth = compile->depth, .side = compile->side };
	uint32_t ignored;

	fm_compile_place(compile, &rule.at);
	rule.text = rule.masked = cold_text(compile, fm_text_of(text),
	    &ignored);
	if (masked != NULL)
		rule.masked = cold_text(compile, fm_text_of(masked),
		    &ignored);
	rule_place(compile, at, what, &rule);
	return (fm_compile_append(compile, &compile->rules, &rule,
	    sizeof rule));
}

uint32_t
fm_compile_rule_test(struct fm_compile *compile, const struct fm_cond *test,
    const struct fm_subject_code *subject)
{
	char line[FM_MODEL_LINE], masked[FM_MODEL_LINE];
	uint16_t tests = 1;

	if (test->kind != FM_COND_NAMES &&
	    compile->phase == FM_PHASE_REQUEST &&
	    subject->kind == FM_SUBJECT_HEADER)
		tests = (uint16_t)(subject->slot + 2);
	return (rule_add(compile, &test->at, fm_model_print_test(test, false,
	    line), fm_model_print_test(test, true, masked), NULL, tests));
}

/*
 * Returns what the log shows after the word of a statement: `X-A` of a set.
 * A quoted word is shown without its quotes.
 */
static struct fm_text
rule_object(const struct fm_stmt *stmt, const char *line)
{
	const char *object = strchr(line, ' ');

	if (object == NULL || stmt->kind == FM_STMT_REWRITE ||
	    stmt->kind == FM_STMT_WHEN)
		return (fm_text("", 0));
	object++;
	if (*object == '"')
		return (fm_text(object + 1, strcspn(object + 1, "\"")));
	return (fm_text(object, strcspn(object, " ")));
}

/* Adds the lines for the log of a `builtin`, which has a place. */
static const struct fm_text *
rule_logs(struct fm_compile *compile, const char *place)
{
	static const enum fm_verdict verdicts[] = { FM_VERDICT_PASS,
	    FM_VERDICT_PIPE, FM_VERDICT_HASH, FM_VERDICT_DELIVER };
	size_t room = strlen(place) + LOG_NAME_MAX, i;
	struct fm_text *logs;
	char *line;

	logs = fm_compile_alloc(compile, &compile->p->arena,
	    FM_VERDICT__KINDS * sizeof *logs);
	memset(logs, 0, FM_VERDICT__KINDS * sizeof *logs);
	for (i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
		compile->line.n = 0;
		line = fm_compile_add(compile, &compile->line, 1, room);
		(void)snprintf(line, room, "fastmatch: %s (%s) at %s",
		    fm_verdict_word(verdicts[i]),
		    fm_stmt_word(FM_STMT_BUILTIN), place);
		logs[verdicts[i]] = fm_compile_copy(compile,
		    &compile->p->cold, fm_text_of(line));
	}
	return (logs);
}

static uint32_t
rule_builtin(struct fm_compile *compile, const struct fm_stmt *stmt)
{
	const char *word = fm_stmt_word(FM_STMT_BUILTIN);
	struct fm_rule *rule;
	uint32_t n;

	n = rule_add(compile, &stmt->at, word, NULL, NULL, 0);
	rule = FM_GROW_AT(&compile->rules, struct fm_rule, n);
	rule->logs = rule_logs(compile, rule->place);
	return (n);
}

uint32_t
fm_compile_rule_stmt(struct fm_compile *compile, const struct fm_stmt *stmt)
{
	char line[FM_MODEL_LINE], masked[FM_MODEL_LINE];
	char what[LOG_NAME_MAX + 32];
	struct fm_text object;
	bool more = stmt->kind == FM_STMT_UNSET &&
	    stmt->unset.headers.count > 1;

	if (stmt->kind == FM_STMT_BUILTIN)
		return (rule_builtin(compile, stmt));
	object = rule_object(stmt, fm_model_print_stmt(stmt, false, line));
	if (object.len > LOG_NAME_MAX)
		object.len = LOG_NAME_MAX;
	(void)snprintf(what, sizeof what,
	    "%s%s%.*s%s", fm_stmt_word(stmt->kind), object.len > 0 ? " " : "",
	    (int)object.len, object.b, more ? " ..." : "");
	return (rule_add(compile, &stmt->at, line,
	    stmt->kind != FM_STMT_WHEN ? NULL :
	    fm_model_print_stmt(stmt, true, masked), what, 0));
}

uint32_t
fm_compile_rule_undecided(struct fm_compile *compile)
{
	char what[32];

	(void)snprintf(what, sizeof what, "undecided synth %u",
	    compile->model->undecided_code);
	return (rule_add(compile, &compile->model->undecided->at, what, NULL,
	    what, 0));
}
