/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch fmt`: formats rule files in place, or with --check shows which
 * lines are not formatted.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "cli.h"
#include "file.h"
#include "format.h"
#include "load.h"
#include "options.h"
#include "rewrite.h"
#include "term.h"

/* Replaces a file by a text; if the name is a link, replaces its target. */
static void
replace(const char *name, const struct stat *was, struct fm_text text,
    struct fm_diag *diag)
{
	const struct fm_place at = { .name = name };
	char *path = realpath(name, NULL);
	const char *wrong;

	wrong = path == NULL ? strerror(errno) : fm_rewrite(path, was, text);
	if (wrong != NULL)
		fm_diag_error(diag, &at,
		    "can't write it, so it is as it was: %s", wrong);
	free(path);
}

static struct fm_text
line_of(struct fm_text text)
{
	const char *end = memchr(text.b, '\n', text.len);

	return (end == NULL ? text : fm_text_span(text.b, end));
}

static void
put_line(char sign, struct fm_text line)
{
	putchar(sign);
	fm_put_clean(stdout, line, FM_SHOWN);
	putchar('\n');
}

/* Prints the first line that differs: `-` as it is, `+` as it shall be. */
static void
put_difference(const char *name, struct fm_text is, struct fm_text shall)
{
	struct fm_text a = line_of(is), b = line_of(shall);
	unsigned line = 1;

	while (a.len < is.len && b.len < shall.len && fm_text_eq(a, b)) {
		is = fm_text(a.b + a.len + 1, is.len - a.len - 1);
		shall = fm_text(b.b + b.len + 1, shall.len - b.len - 1);
		a = line_of(is);
		b = line_of(shall);
		line++;
	}
	fm_put_clean(stdout, fm_text_of(name), 0);
	printf(":%u: not as fmt writes it: run fastmatch fmt on it\n", line);
	if (a.len > 0 && a.b[a.len - 1] == '\r')
		a.len--;
	if (fm_text_eq(a, b)) {
		printf("only the end of the line differs\n");
		return;
	}
	put_line('-', a);
	put_line('+', b);
}

/*
 * Formats a file in its place, or the standard input to stdout; `check` only
 * shows what differs.  Returns false if the text can't be formatted, or if the
 * check fails.
 */
static bool
format(const char *name, const struct fm_file *file, bool check,
    struct fm_diag *diag)
{
	const struct fm_text text = fm_text(file->bytes, file->len);
	struct fm_text shall;
	char *written;
	bool good;

	written = fm_format(name, text, &shall.len, diag);
	if (written == NULL)
		return (false);
	shall.b = written;
	good = fm_text_eq(text, shall);
	if (check && !good) {
		put_difference(name, text, shall);
	} else if (!check && strcmp(name, "-") == 0) {
		(void)fwrite(shall.b, 1, shall.len, stdout);
	} else if (!good) {
		replace(name, &file->st, shall, diag);
		if (fm_diag_errors(diag) == 0) {
			fm_put_clean(stdout, fm_text_of(name), 0);
			printf(": formatted\n");
		}
	}
	free(written);
	return (good || !check);
}

/* Formats or checks a file; returns true if there is no error to report. */
static bool
format_file(const char *name, bool check)
{
	struct fm_diag *diag = fm_cli_diag();
	struct fm_file *file = fm_cli_read(name,
	    (size_t)FM_LIMIT_FILE_MB << 20, diag);
	bool good = file != NULL && format(name, file, check, diag);

	if (fm_diag_errors(diag) > 0) {
		good = false;
		fm_diag_sort(diag, name);
		fm_cli_say(diag, true, name, file == NULL ? fm_text(NULL, 0) :
		    fm_text(file->bytes, file->len), stderr);
	}
	if (file != NULL)
		fm_file_free(&file);
	fm_diag_free(&diag);
	return (good);
}

int
fm_cli_fmt(int argc, char **argv)
{
	bool good = true;
	int i;

	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	for (i = 0; i < argc; i++)
		good = format_file(argv[i],
		    fm_option(FM_OPTION_CHECK) != NULL) && good;
	return (good ? FM_EXIT_OK : FM_EXIT_ERRORS);
}
