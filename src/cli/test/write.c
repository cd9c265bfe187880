/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes lines in the format that cases.c reads, so that the user can copy what
 * `fastmatch test` shows into a file of cases.
 */

#include "test.h"
#include "utf8.h"

void
fm_test_text_begin(struct fm_test_text *text)
{
	*text = (struct fm_test_text){ .text = NULL };
	text->to = open_memstream(&text->text, &text->len);
	if (text->to == NULL)
		fm_cli_no_memory();
}

void
fm_test_text_end(struct fm_test_text *text)
{
	if (fclose(text->to) != 0)
		fm_cli_no_memory();
}

/* Returns true if a backslash of a text would be read as an escape. */
static bool
is_escape(struct fm_text t, size_t i)
{
	return (t.b[i] == '\\' && i + 1 < t.len && t.b[i + 1] == 'x');
}

void
fm_test_put_text(FILE *to, struct fm_text text)
{
	size_t i, len;

	for (i = 0; i < text.len; i += len) {
		unsigned char c = (unsigned char)text.b[i];

		len = fm_utf8_length(text.b + i, text.len - i);
		/* U+0080 to U+009F are controls of a terminal, too. */
		if (len == 0 || c < ' ' || c == 0x7f || is_escape(text, i) ||
		    (c == 0xc2 && (unsigned char)text.b[i + 1] < 0xa0)) {
			fprintf(to, "\\x%02x", c);
			len = 1;
		} else {
			(void)fwrite(text.b + i, 1, len, to);
		}
	}
}

void
fm_test_put_verdict(FILE *to, enum fm_verdict verdict, unsigned status,
    struct fm_text text, struct fm_text body)
{
	const char *word = fm_verdict_word(verdict);

	fprintf(to, "verdict %s", word == NULL ? "none" : word);
	if (verdict < FM_VERDICT_SYNTH || verdict == FM_VERDICT_REFUSE)
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
