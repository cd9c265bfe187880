/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: any bytes as a rule file.  The parser and the check neither
 * crash nor hang, say what is wrong in single lines with a place, and what
 * they made can be printed.
 */

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "fuzz.h"
#include "parse.h"

const bool fuzz_has_request = false;

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
		check_line("a test", fm_model_print_test(cond, buf));
}

static void
print_block(const struct fm_block *block)
{
	char buf[FM_MODEL_LINE];
	const struct fm_stmt *s;

	if (block == NULL)
		return;
	for (s = block->first; s != NULL; s = s->next) {
		FUZZ_CHECK(s->at.line > 0, "a statement without a place");
		check_line("a statement", fm_model_print_stmt(s, buf));
		if (s->kind == FM_STMT_WHEN) {
			print_cond(s->when.cond);
			print_block(s->when.then);
			print_block(s->when.otherwise);
		}
	}
}

static void
print_model(const struct fm_model *model)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	print_block(model->always);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		print_block(ruleset->block);
	for (site = model->sites; site != NULL; site = site->next)
		print_block(site->block);
}

static void
check_messages(struct fm_diag *diag)
{
	struct fm_diag_message m;
	unsigned n;

	fm_diag_sort(diag, NULL);
	for (n = 0; fm_diag_message(diag, n, &m); n++) {
		FUZZ_CHECK(m.text[0] != '\0', "a message without words");
		FUZZ_CHECK(strpbrk(m.text, "\r\n") == NULL,
		    "a message of two lines: %s", m.text);
		FUZZ_CHECK(fm_diag_line(diag, n) != NULL, "no line %u", n);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	unsigned errors;
	bool ok;

	model = fm_parse_text("fuzz", fm_text((const char *)data, size),
	    false, diag);
	FUZZ_CHECK(model != NULL && diag != NULL, "no model");
	errors = fm_diag_errors(diag);
	ok = fm_check(model, NULL, diag);
	FUZZ_CHECK(ok || fm_diag_errors(diag) > 0,
	    "the check refuses, and does not say why");
	FUZZ_CHECK(!ok || fm_diag_errors(diag) == errors,
	    "the check has errors, and does not refuse");
	print_model(model);
	check_messages(diag);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (0);
}
