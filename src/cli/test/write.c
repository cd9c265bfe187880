/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes lines in the format that cases.c reads, so that the user can copy what
 * `fastmatch test` shows into a file of cases.
 */

#include "test.h"

void
fm_test_put_text(FILE *to, struct fm_text text)
{
	const char *escape;

	/* A `\x` of the text would be read as an escape: `\` becomes \x5c. */
	while ((escape = fm_text_find(text, fm_text_of("\\x"))) != NULL) {
		fm_put_clean(to, fm_text_span(text.b, escape), 0);
		fputs("\\x5c", to);
		text = fm_text_span(escape + 1, text.b + text.len);
	}
	fm_put_clean(to, text, 0);
}

void
fm_test_put_verdict(FILE *to, enum fm_verdict verdict, unsigned status,
    struct fm_text text, struct fm_text body)
{
	const char *word = fm_verdict_word(verdict);

	fprintf(to, "verdict %s", word == NULL ? "none" : word);
	if (fm_verdicts[verdict].status != FM_STATUS_OPERAND)
		return;
	fprintf(to, " %u", status);
	if (text.b == NULL)
		return;
	fputs(verdict == FM_VERDICT_SYNTH ? " \"" : " ", to);
	fm_test_put_text(to, text);
	if (verdict == FM_VERDICT_SYNTH)
		fputc('"', to);
	if (verdict != FM_VERDICT_ANSWER)
		return;
	fputs(" \"", to);
	fm_test_put_text(to, body);
	fputc('"', to);
}

void
fm_test_put_header(FILE *to, struct fm_text name, struct fm_text value)
{
	fputs(value.b == NULL ? "no header " : "header ", to);
	fm_test_put_text(to, name);
	if (value.b == NULL)
		return;
	fputs(value.len == 0 ? ":" : ": ", to);
	fm_test_put_text(to, value);
}
