/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads rule files for the subcommands that run them.
 */

#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "caret.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "term.h"
#include "vcl_file.h"

bool
fm_rules_open(struct fm_rules *rules, const char *path,
    struct fm_sources *sources)
{
	struct fm_check_options options = { .nbackends = 0 };
	struct fm_vcl_file *vcl;

	rules->path = path;
	rules->model = NULL;
	rules->program = NULL;
	rules->diag = fm_cli_diag();
	if (fm_vcl_file_open(&vcl, &fm_given.backends, path, &options,
	    rules->diag))
		rules->program = fm_rules_load(path, &options, sources,
		    &rules->model, rules->diag);
	fm_vcl_file_close(&vcl);
	return (rules->program != NULL);
}

void
fm_rules_close(struct fm_rules *rules)
{
	if (rules->program != NULL)
		fm_program_free(&rules->program);
	if (rules->model != NULL)
		fm_model_free(&rules->model);
	if (rules->diag != NULL)
		fm_diag_free(&rules->diag);
}

void
fm_cli_say(struct fm_diag *diag, bool warnings, const char *file,
    struct fm_text input, FILE *to)
{
	struct fm_diag_message message;
	unsigned n, more;

	fm_caret_attach(diag, input);
	more = fm_diag_errors(diag) + (warnings ? fm_diag_warnings(diag) : 0);
	for (n = 0; fm_diag_message(diag, n, &message); n++) {
		if (!message.error && !warnings)
			continue;
		fprintf(to, "%s\n%s", fm_diag_line(diag, n),
		    message.excerpt == NULL ? "" : message.excerpt);
		more--;
	}
	if (more > 0) {
		fm_put_clean(to, fm_text_of(file), 0);
		fprintf(to, ": and %u more\n", more);
	}
}

int
fm_rules_complain(const struct fm_rules *rules, bool json)
{
	if (fm_diag_errors(rules->diag) == 0)
		fm_cli_no_memory();
	if (json) {
		fm_json_print(fm_json_of("diagnostics",
		    fm_json_diag(rules->diag), NULL));
		return (FM_EXIT_ERRORS);
	}
	fm_cli_say(rules->diag, false, rules->path,
	    fm_text(NULL, 0), stderr);
	return (FM_EXIT_ERRORS);
}

struct fm_file *
fm_cli_read_all(FILE *from)
{
	size_t room = 65536, most = ((size_t)FM_LIMIT_FILE_MB << 20) + 1;
	struct fm_file *file = fm_file_new(room);

	for (; file != NULL; room *= 2) {
		file->len += fread(file->bytes + file->len, 1,
		    room - file->len, from);
		if (file->len < room || file->len >= most)
			return (file);
		file->bytes = realloc(file->bytes, 2 * room);
		if (file->bytes == NULL)
			break;
	}
	fm_cli_no_memory();
}

struct fm_file *
fm_cli_read(const char *name, size_t max, struct fm_diag *diag)
{
	return (strcmp(name, "-") == 0 ? fm_cli_read_all(stdin) :
	    fm_file_read(name, max, NULL, diag));
}
