/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints messages with the lines of the files that they are about.
 */

#include <stdlib.h>
#include <sys/stat.h>

#include "bounds.h"
#include "caret.h"
#include "cli.h"
#include "excerpt.h"

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

void
fm_excerpt_put(struct fm_excerpt *excerpt, const struct fm_diag *diag,
    const struct fm_place *at, FILE *to)
{
	struct fm_text text = excerpt->input;
	char buf[FM_CARET_ROOM];

	if (at->name == NULL || at->line == 0)
		return;
	if (strcmp(at->name, "-") != 0) {
		source_read(excerpt, at->name);
		text = fm_text(excerpt->text, excerpt->len);
	}
	if (fm_caret_print(text, diag, at, buf) > 0)
		fputs(buf, to);
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
		if (!fm_caret_is_secret(&m))
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
