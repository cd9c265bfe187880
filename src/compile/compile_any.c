/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles the tests of the readings of a path.  The operands of all `any path`
 * of a program are searched for together: equal ones have one number.
 *
 *	any path below /a /b	texts "/a/" "/b/", reading_numbers 0 1
 *	any path below /b /c	texts "/b/" "/c/", reading_numbers 1 2
 */

#include <stdlib.h>

#include "compile_priv.h"
#include "obj.h"

/* Returns the number of an operand of `any path`. */
static uint32_t
reading_number(struct fm_compile *compile, const struct fm_test *code,
    struct fm_text text)
{
	struct fm_readings_operand operand = { .text = text,
	    .number = compile->p->nreadings, .mode = code->mode,
	    .below = code->below };
	uint32_t number;
	char *lower;

	if (code->nocase) {
		lower = fm_compile_alloc(compile, &compile->p->arena,
		    text.len);
		fm_text_lower(lower, text);
		operand.text = fm_text(lower, text.len);
	}
	fm_intern_key(&compile->intern, FM_TAG_READING);
	fm_intern_key_number(&compile->intern, code->nocase);
	fm_intern_key_number(&compile->intern, code->mode);
	fm_intern_key_number(&compile->intern, code->below);
	fm_intern_key_text(&compile->intern, operand.text);
	if (!fm_compile_new(compile, operand.number, &number))
		return (number);
	(void)fm_compile_append(compile, &compile->readings[code->nocase],
	    &operand, sizeof operand);
	return (compile->p->nreadings++);
}

void
fm_compile_any_path(struct fm_compile *compile, struct fm_test *code)
{
	uint32_t i, number;

	code->kind = FM_TEST_PATHS;
	if (code->every)
		return;
	code->set = (uint32_t)compile->reading_numbers.n;
	for (i = 0; i < code->count; i++) {
		number = reading_number(compile, code, *FM_GROW_AT(
		    &compile->texts, struct fm_text, code->first + i));
		(void)fm_compile_append(compile, &compile->reading_numbers,
		    &number, sizeof number);
	}
}

static uint32_t
slashes(struct fm_text text)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < text.len; i++)
		n += text.b[i] == '/';
	return (n);
}

void
fm_compile_readings(struct fm_compile *compile)
{
	struct fm_readings_operand *operands;
	struct fm_readings *readings;
	uint32_t depth;
	unsigned i;
	size_t n;

	for (i = 0; i < 2; i++) {
		n = compile->readings[i].n;
		operands = fm_compile_alloc(compile, &compile->p->arena,
		    n * sizeof *operands);
		readings = &compile->p->readings[i];
		*readings = (struct fm_readings){ .operands = operands,
		    .count = (uint32_t)n, .nocase = i == 1 };
		if (n == 0)
			continue;
		memcpy(operands, compile->readings[i].items,
		    n * sizeof *operands);
		qsort(operands, n, sizeof *operands, fm_readings_compare);
		while (n-- > 0) {
			depth = slashes(operands[n].text);
			if (depth > readings->depth)
				readings->depth = depth;
		}
	}
}
