/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of the files that messages are about.
 */

#include <stdlib.h>

#include "bounds.h"
#include "cli.h"
#include "excerpt.h"
#include "file.h"
#include "messages_parse.h"
#include "utf8.h"

#define SHOWN	100	/* characters of a line */
#define BEFORE	60	/* of these before the caret, at most */

void
fm_excerpt_fini(struct fm_excerpt *excerpt)
{
	free(excerpt->name);
	free(excerpt->text);
	excerpt->name = excerpt->text = NULL;
	excerpt->len = 0;
}

static void
source_read(struct fm_excerpt *excerpt, const char *name)
{
	struct stat st;
	FILE *f;

	if (excerpt->name != NULL && strcmp(excerpt->name, name) == 0)
		return;
	fm_excerpt_fini(excerpt);
	excerpt->name = strdup(name);
	if (excerpt->name == NULL)
		fm_cli_no_memory();
	f = fopen(name, "rbe");
	if (f == NULL)
		return;
	if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= (off_t)FM_LIMIT_FILE_MB << 20) {
		excerpt->text = malloc((size_t)st.st_size + 1);
		if (excerpt->text == NULL)
			fm_cli_no_memory();
		excerpt->len = fread(excerpt->text, 1, (size_t)st.st_size, f);
	}
	(void)fclose(f);
}

/* The n-th line, from 1 on; missing: there is none. */
static struct fm_text
source_line(struct fm_text text, unsigned n)
{
	const char *b = text.b, *e = text.b + text.len, *end;

	while (b != NULL && --n > 0) {
		b = memchr(b, '\n', (size_t)(e - b));
		if (b != NULL)
			b++;
	}
	if (b == NULL || b == e)
		return (fm_text(NULL, 0));
	end = memchr(b, '\n', (size_t)(e - b));
	return (fm_text_span(b, end == NULL ? e : end));
}

/* How many bytes the character there has; what is none is one byte. */
static size_t
character(struct fm_text t, size_t at)
{
	size_t len = fm_utf8_length(t.b + at, t.len - at);

	return (len == 0 ? 1 : len);
}

static void
put_character(const char *b, size_t len, FILE *to)
{
	if (len == 1 && ((unsigned char)*b < ' ' || (unsigned char)*b > '~'))
		(void)fputc(*b == '\t' ? ' ' : '?', to);
	else
		(void)fwrite(b, 1, len, to);
}

void
fm_excerpt_put(struct fm_excerpt *excerpt, const struct fm_diag *diag,
    const struct fm_place *at, FILE *to)
{
	struct fm_text text = excerpt->input, line;
	size_t i, caret, column = 0, from = 0, n;

	if (at->name == NULL || at->line == 0 || at->column == 0)
		return;
	if (strcmp(at->name, "-") != 0) {
		source_read(excerpt, at->name);
		text = fm_text(excerpt->text, excerpt->len);
	}
	line = source_line(text, at->line);
	caret = at->column - 1;
	if (line.b == NULL || caret > line.len ||
	    fm_diag_shown(diag, at, line).b != line.b)
		return;
	for (i = 0; i < caret; i += character(line, i))
		column++;
	/* A long line is shown around the caret only. */
	while (column > BEFORE) {
		from += character(line, from);
		column--;
	}
	fprintf(to, "    ");
	for (i = from, n = 0; i < line.len && n < SHOWN; n++) {
		put_character(line.b + i, character(line, i), to);
		i += character(line, i);
	}
	fprintf(to, "\n    %*s^\n", (int)column, "");
}

static bool
begins(const char *text, const char *with)
{
	return (strncmp(text, with, strcspn(with, ":")) == 0);
}

/* Returns true of a file that holds no rules: it may be a secret. */
static bool
is_secret(const struct fm_diag_message *m)
{
	return (begins(m->text, FM_MSG_NO_RULES) ||
	    begins(m->text, FM_MSG_NUL));
}

static unsigned
messages_put(const struct fm_diag *diag, bool warnings, struct fm_text input,
    FILE *to)
{
	struct fm_excerpt excerpt = { .input = input };
	struct fm_diag_message m;
	unsigned n, shown = 0;

	for (n = 0; fm_diag_message(diag, n, &m); n++) {
		if (!m.error && !warnings)
			continue;
		fprintf(to, "%s\n", fm_diag_line(diag, n));
		if (!is_secret(&m))
			fm_excerpt_put(&excerpt, diag, &m.at, to);
		shown++;
	}
	fm_excerpt_fini(&excerpt);
	return (shown);
}

unsigned
fm_excerpt_errors(const struct fm_diag *diag, FILE *to)
{
	return (messages_put(diag, false, fm_text(NULL, 0), to));
}

unsigned
fm_excerpt_messages(const struct fm_diag *diag, struct fm_text input, FILE *to)
{
	return (messages_put(diag, true, input, to));
}
