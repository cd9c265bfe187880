/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles bans: each test is a field, an operator, and the template of its
 * argument.
 */

#include "compile_priv.h"

/* Appends a copy of a part. */
static void
part_add(struct fm_compile *compile, struct fm_part ***tail,
    const struct fm_part *part)
{
	struct fm_part *copy;

	copy = fm_compile_alloc(compile, &compile->lowered, sizeof *copy);
	*copy = *part;
	copy->next = NULL;
	**tail = copy;
	*tail = &copy->next;
}

/* Compiles a regex: a variable may need a group around it. */
static uint32_t
regex_compile(struct fm_compile *compile, const struct fm_value *value)
{
	const struct fm_part open = { .kind = FM_PART_TEXT,
	    .text = fm_text_of("(?:") };
	const struct fm_part close = { .kind = FM_PART_TEXT,
	    .text = fm_text_of(")") };
	struct fm_value grouped = *value;
	struct fm_part **tail = &grouped.parts;
	const struct fm_part *part;

	grouped.parts = NULL;
	for (part = value->parts; part != NULL; part = part->next) {
		if (part->grouped)
			part_add(compile, &tail, &open);
		part_add(compile, &tail, part);
		if (part->grouped)
			part_add(compile, &tail, &close);
	}
	return (fm_compile_value(compile, &grouped));
}

static const char *
word_copy(struct fm_compile *compile, const struct fm_word *word)
{
	return (fm_compile_copy(compile, &compile->p->cold, word->text).b);
}

void
fm_compile_ban(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	const struct fm_ban_test *test = stmt->ban.tests;
	struct fm_ban_code code;

	op->a = (uint32_t)compile->bans.n;
	for (; test != NULL; test = test->next) {
		code = (struct fm_ban_code){
		    .field = word_copy(compile, test->field),
		    .oper = word_copy(compile, test->oper),
		    .quotes = fm_text_is_among(test->oper->text, "~ !~"),
		    .quoted = test->argument->quoted };
		code.template = code.quotes ?
		    regex_compile(compile, test->argument) :
		    fm_compile_value(compile, test->argument);
		(void)fm_compile_append(compile, &compile->bans, &code,
		    sizeof code);
	}
	op->b = (uint32_t)compile->bans.n - op->a;
}
