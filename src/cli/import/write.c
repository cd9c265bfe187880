/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words as the rule language has them, and VCL as it was.
 */

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "import.h"
#include "tokens.h"

void
fm_import_quote_put(struct fm_text t, FILE *to)
{
	size_t i;

	(void)fputc('"', to);
	for (i = 0; i < t.len; i++) {
		/* A backslash stands for itself unless these follow. */
		if (t.b[i] == '"' || (t.b[i] == '\\' && (i + 1 == t.len ||
		    t.b[i + 1] == '"' || t.b[i + 1] == '\\')))
			(void)fputc('\\', to);
		(void)fputc(t.b[i], to);
	}
	(void)fputc('"', to);
}

/* Bare only where nobody could take it for anything else. */
static bool
is_bare(struct fm_text t)
{
	size_t i;

	if (t.len == 0 || *t.b == '-')
		return (false);
	for (i = 0; i < t.len; i++)
		if (!isalnum((unsigned char)t.b[i]) &&
		    strchr("._/-:*?%", t.b[i]) == NULL)
			return (false);
	return (fm_reserved_word(t) == NULL);
}

void
fm_import_word_put(struct fm_text t, FILE *to)
{
	if (is_bare(t))
		(void)fwrite(t.b, 1, t.len, to);
	else
		fm_import_quote_put(t, to);
}

void
fm_import_tabs_put(unsigned tabs, FILE *to)
{
	while (tabs-- > 0)
		(void)fputs("    ", to);
}

void
fm_import_line_put(unsigned tabs, FILE *to, const char *fmt, ...)
{
	va_list ap;

	fm_import_tabs_put(tabs, to);
	va_start(ap, fmt);
	(void)vfprintf(to, fmt, ap);
	va_end(ap);
	(void)fputc('\n', to);
}

/* Operands, in lines of a bearable width. */
void
fm_import_words_put(const struct fm_plain *plain, unsigned tabs, FILE *to)
{
	size_t i, width = 0;

	for (i = 0; i < plain->n; i++) {
		width += plain->v[i].len + 1;
		if (width > 60 && i > 0) {
			(void)fputc('\n', to);
			fm_import_tabs_put(tabs + 1, to);
			width = plain->v[i].len;
		} else {
			(void)fputc(' ', to);
		}
		fm_import_word_put(plain->v[i], to);
	}
}

void
fm_import_vcl_put(const struct fm_import *im, size_t first, size_t last,
    bool skip, FILE *to)
{
	size_t i;

	for (i = first; i <= last && i < im->ntokens; i++) {
		if (i > first || !skip)
			(void)fwrite(im->tokens[i].lead.b, 1,
			    im->tokens[i].lead.len, to);
		(void)fwrite(im->tokens[i].text.b, 1, im->tokens[i].text.len,
		    to);
	}
}

/* As it was written; of an `if` that was cut, what is left. */
void
fm_import_stmt_put(const struct fm_import *im, const struct fm_vstmt *stmt,
    FILE *to)
{
	const struct fm_vstmt *s;
	const struct fm_arm *arm;

	if (!stmt->cut) {
		fm_import_vcl_put(im, stmt->first, stmt->last, true, to);
		return;
	}
	for (arm = stmt->arms; arm != NULL; arm = arm->next) {
		if (arm->cond != NULL) {
			(void)fputs(arm == stmt->arms ? "if " : " elsif ", to);
			fm_import_vcl_put(im, arm->first, arm->last, true, to);
			(void)fputc(' ', to);
		} else if (arm != stmt->arms) {
			(void)fputs(" else ", to);
		}
		(void)fputc('{', to);
		for (s = arm->body; s != NULL; s = s->next) {
			(void)fwrite(im->tokens[s->first].lead.b, 1,
			    im->tokens[s->first].lead.len, to);
			fm_import_stmt_put(im, s, to);
		}
		(void)fwrite(im->tokens[arm->close].lead.b, 1,
		    im->tokens[arm->close].lead.len, to);
		(void)fputc('}', to);
	}
}
