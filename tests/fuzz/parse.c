/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: any bytes as a rule file.  The parser and the check neither
 * crash nor hang, say what is wrong in single lines with a place, and what
 * they made can be printed; printed, a statement is itself when it is read
 * again.  Nothing is passed over without an error; and what has none can be
 * formatted.
 */

#include "check.h"
#include "format.h"
#include "fuzz.h"
#include "lexemes.h"
#include "parse.h"

const bool fuzz_has_parts = false;

static void
check_line(const char *what, const char *line)
{
	FUZZ_CHECK(strlen(line) < FM_MODEL_LINE, "%s: too long: %s", what,
	    line);
	FUZZ_CHECK(strpbrk(line, "\r\n") == NULL, "%s: not one line: %s",
	    what, line);
}

static void
print_cond(const struct fm_cond *cond)
{
	char buf[FM_MODEL_LINE];

	/* A chain of `and` or `or` is as deep as it is long. */
	while (cond != NULL && (cond->kind == FM_COND_OR ||
	    cond->kind == FM_COND_AND || cond->kind == FM_COND_NOT)) {
		if (cond->right != NULL)
			print_cond(cond->right);
		cond = cond->left;
	}
	if (cond != NULL)
		check_line("a test", fm_model_print_test(cond, false, buf));
}

/* A line that was cut, or in which a control byte was replaced, is not it. */
static bool
is_whole(const char *line)
{
	size_t len = strlen(line);

	return ((len < 3 || strcmp(line + len - 3, "...") != 0) &&
	    strchr(line, '?') == NULL);
}

static void
check_again(const struct fm_stmt *stmt, const char *line,
    const char *phase)
{
	struct fm_diag *diag = fm_diag_new();
	char text[FM_MODEL_LINE + 64], buf[FM_MODEL_LINE];
	const struct fm_stmt *again;
	struct fm_model *model;

	snprintf(text, sizeof text, "always { %s%s%s%s }\n", phase, line,
	    stmt->kind == FM_STMT_WHEN || fm_stmt_is_phase(stmt->kind) ?
	    " { stop; }" : ";", *phase == '\0' ? "" : " }");
	model = fm_parse_text("again", fm_text_of(text), NULL, NULL, diag);
	FUZZ_CHECK(model != NULL && fm_diag_errors(diag) == 0 &&
	    model->always != NULL && model->always->first != NULL,
	    "can't be read again: %s: %s", text, fm_diag_line(diag, 0));
	again = model->always->first;
	if (*phase != '\0')
		again = again->phase.block->first;
	FUZZ_CHECK(strcmp(fm_model_print_stmt(again, false, buf), line) == 0,
	    "%s, and then %s", line, buf);
	fm_model_free(&model);
	fm_diag_free(&diag);
}

static void
print_block(const struct fm_block *block, bool again, const char *phase)
{
	char buf[FM_MODEL_LINE], within[32];
	const struct fm_stmt *stmt;

	if (block == NULL)
		return;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		FUZZ_CHECK(stmt->at.line > 0, "a statement without a place");
		check_line("a statement",
		    fm_model_print_stmt(stmt, false, buf));
		if (again && is_whole(buf))
			check_again(stmt, buf, phase);
		if (fm_stmt_is_phase(stmt->kind)) {
			snprintf(within, sizeof within, "%s { ",
			    fm_stmt_word(stmt->kind));
			print_block(stmt->phase.block, again, within);
		}
		if (stmt->kind == FM_STMT_WHEN) {
			print_cond(stmt->when.cond);
			print_block(stmt->when.then, again, phase);
			print_block(stmt->when.otherwise, again, phase);
		}
	}
}

static void
print_model(const struct fm_model *model, bool again)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	print_block(model->always, again, "");
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		print_block(ruleset->block, again, "");
	for (site = model->sites; site != NULL; site = site->next)
		print_block(site->block, again, "");
}

static void
check_messages(struct fm_diag *diag)
{
	struct fm_diag_message message;
	unsigned n;

	fm_diag_sort(diag, NULL);
	for (n = 0; fm_diag_message(diag, n, &message); n++) {
		FUZZ_CHECK(message.text[0] != '\0', "a message without words");
		FUZZ_CHECK(strpbrk(message.text, "\r\n") == NULL,
		    "a message of two lines: %s", message.text);
		FUZZ_CHECK(fm_diag_line(diag, n) != NULL, "no line %u", n);
	}
}

/*
 * Nothing is passed over in silence: where there is no error, an item that
 * stands after all of it is read, too.
 */
static void
check_to_the_end(const uint8_t *data, size_t size)
{
	static const char last[] = "\nruleset the-last-of-all { }\n";
	struct fm_diag *diag = fm_diag_new();
	const struct fm_ruleset_def *ruleset;
	struct fm_model *model;
	char *text;

	text = malloc(size + sizeof last);
	FUZZ_CHECK(text != NULL, "no memory");
	memcpy(text, data, size);
	memcpy(text + size, last, sizeof last);
	model = fm_parse_text("more", fm_text(text, size + sizeof last - 1),
	    NULL, NULL, diag);
	for (ruleset = model->rulesets; ruleset != NULL &&
	    !fm_text_eq(ruleset->name->text,
	    fm_text_of("the-last-of-all"));)
		ruleset = ruleset->next;
	FUZZ_CHECK(ruleset != NULL || fm_diag_errors(diag) > 0,
	    "the end was not read, and nothing was said");
	fm_model_free(&model);
	fm_diag_free(&diag);
	free(text);
}

/*
 * Checks that a text without errors of syntax can be formatted, has the same
 * tokens then, and stays as it is when it is formatted again.
 */
static void
check_format(struct fm_text text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_lexeme *was, *is;
	size_t len, again, n, m, i, j = 0;
	char *once, *twice;

	once = fm_format("fuzz", text, &len, diag);
	FUZZ_CHECK(once != NULL, "not formatted: %s", fm_diag_line(diag, 0));
	twice = fm_format("fuzz", fm_text(once, len), &again, diag);
	FUZZ_CHECK(twice != NULL && again == len &&
	    memcmp(once, twice, len) == 0, "formatted twice:\n%s\n%s", once,
	    twice);
	was = fm_lexemes(text, &n);
	is = fm_lexemes(fm_text(once, len), &m);
	FUZZ_CHECK(was != NULL && is != NULL && n == m, "%zu and %zu lexemes",
	    n, m);
	for (i = 0; i < n; i++) {
		if (was[i].kind == T_END)
			continue;
		while (is[j].kind == T_END)
			j++;
		FUZZ_CHECK(fm_text_eq(fm_text(text.b + was[i].start,
		    was[i].end - was[i].start), fm_text(once + is[j].start,
		    is[j].end - is[j].start)), "another token: %s", once);
		j++;
	}
	free(was);
	free(is);
	free(once);
	free(twice);
	fm_diag_free(&diag);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	unsigned errors;
	bool ok;

	model = fm_parse_text("fuzz", fm_text((const char *)data, size),
	    NULL, NULL, diag);
	FUZZ_CHECK(model != NULL && diag != NULL, "no model");
	errors = fm_diag_errors(diag);
	ok = fm_check(model, NULL, diag);
	FUZZ_CHECK(ok || fm_diag_errors(diag) > 0,
	    "the check refuses, and does not say why");
	FUZZ_CHECK(!ok || fm_diag_errors(diag) == errors,
	    "the check has errors, and does not refuse");
	print_model(model, errors == 0);
	if (errors == 0 && size > 0)
		check_to_the_end(data, size);
	if (errors == 0)
		check_format(fm_text((const char *)data, size));
	check_messages(diag);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (0);
}
