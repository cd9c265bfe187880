/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch lists`: shows the lists of a folder as a table (update.c updates a
 * list, acl.c prints one as VCL).
 *
 * The comment at the top of a list says what the list is, and its date:
 *
 *	# bots.map: which bot a User-Agent names, by class
 *	#
 *	# Version 1, 2026-11-21.  ...
 *
 * A line of NAME.list is an entry; a line of NAME.map is an entry and its
 * value; NAME.rules is a rule file that others include.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "load.h"
#include "file.h"
#include "json.h"
#include "listfile.h"
#include "options.h"
#include "parse.h"
#include "shipped.h"
#include "term.h"

struct list {
	const char		*kind;		/* "list", "map" or "rules" */
	char			*path;
	const char		*name;		/* the end of the path */
	struct fm_file		*file;
	struct fm_text		what;		/* missing: it doesn't say */
	struct fm_shipped_version says;
};

/*--------------------------------------------------------------------
 * The comment at the top
 */

static bool
cut_word(struct fm_text *t, const char *word)
{
	if (!fm_text_begins(*t, word))
		return (false);
	*t = fm_text(t->b + strlen(word), t->len - strlen(word));
	return (true);
}

static void
list_header(struct list *list)
{
	struct fm_text rest = fm_text(list->file->bytes, list->file->len);
	struct fm_text line;

	fm_shipped_version(rest, &list->says);
	while (fm_cut_line(&rest, &line) && line.len > 0 && *line.b == '#')
		if (list->what.b == NULL && cut_word(&line, "# ") &&
		    cut_word(&line, list->name) && cut_word(&line, ": "))
			list->what = fm_text_trim(line);
}

/* Returns the text, or the missing text if it is empty. */
static struct fm_text
said(const char *text)
{
	return (fm_text_of(*text == '\0' ? NULL : text));
}

/* Returns false if something is wrong with its entries. */
static bool
list_check(const struct list *list, struct fm_diag *diag)
{
	struct fm_listfile lines = { .name = list->path,
	    .rest = fm_text(list->file->bytes, list->file->len) };
	struct fm_model *model = NULL;
	struct fm_place place;
	struct fm_text line;

	if (strcmp(list->kind, "rules") == 0)
		model = fm_parse_file(list->path, NULL, diag);
	else
		while (fm_listfile_next(&lines, &line, &place, diag))
			continue;
	if (model != NULL)
		fm_model_free(&model);
	return (fm_diag_errors(diag) == 0);
}

/*--------------------------------------------------------------------
 * The lists of a folder
 */

/* Returns how a name ends ("list", "map", "rules"); NULL: it is not a list. */
static const char *
name_kind(const char *name)
{
	static const char * const kinds[] = { "list", "map", "rules" };
	const char *dot = strrchr(name, '.');
	size_t i;

	/* Hidden files (.old.list) are not lists. */
	for (i = 0; dot != NULL && name[0] != '.' &&
	    i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(dot + 1, kinds[i]) == 0)
			return (kinds[i]);
	return (NULL);
}

static int
entry_is_list(const struct dirent *entry)
{
	return (name_kind(entry->d_name) != NULL);
}

/* Reads a list; prints why on stderr, and returns false, if it can't. */
static bool
list_open(struct list *list, const char *folder, const char *name)
{
	struct fm_diag *diag = fm_cli_diag();
	size_t len = strlen(folder);
	bool good;

	memset(list, 0, sizeof *list);
	list->kind = name_kind(name);
	list->path = fm_cli_alloc(len + 1 + strlen(name) + 1);
	(void)sprintf(list->path, "%s/%s", folder, name);
	list->name = list->path + len + 1;
	list->file = fm_file_read(list->path, FM_LISTFILE_MAX, NULL, diag);
	good = list->file != NULL && list_check(list, diag);
	if (good)
		list_header(list);
	if (!good && fm_diag_errors(diag) == 0)
		fm_cli_no_memory();
	fm_cli_say(diag, true, list->path, fm_text(NULL, 0), stderr);
	fm_diag_free(&diag);
	return (good);
}

static void
list_close(struct list *list)
{
	if (list->file != NULL)
		fm_file_free(&list->file);
	free(list->path);
}

/*--------------------------------------------------------------------
 * The table
 */

#define NAME_WIDTH	26
#define WHAT_WIDTH	64

static void
put_cell(const struct fm_term *term, struct fm_text text, int width)
{
	char *clean;

	/* "-" stands for what the list does not say. */
	if (text.b == NULL)
		text = fm_text_of("-");
	clean = fm_term_clean(text, 0);
	fm_term_put(term, FM_INK_PLAIN, "%-*s ", width, clean);
	free(clean);
}

static void
put_row(const struct fm_term *term, const struct list *list)
{
	put_cell(term, fm_text_of(list->name), NAME_WIDTH);
	put_cell(term, said(list->says.version), 7);
	put_cell(term, said(list->says.date), 10);
	fm_term_clip(term, FM_INK_PLAIN, list->what.b == NULL ?
	    fm_text_of("-") : list->what, WHAT_WIDTH);
	fputc('\n', term->to);
}

static json_t *
list_json(const struct list *list)
{
	return (fm_json_of("file", fm_json_string(list->name),
	    "path", fm_json_string(list->path),
	    "kind", fm_json_string(list->kind),
	    "what", fm_json_text(list->what),
	    "version", fm_json_text(said(list->says.version)),
	    "date", fm_json_text(said(list->says.date)), NULL));
}

static void
put_head(const struct fm_term *term, const char *folder)
{
	fm_term_put(term, FM_INK_PLAIN, "%s\n\n", folder);
	fm_term_put(term, FM_INK_BOLD, "%-*s %-7s %-10s %s", NAME_WIDTH, "FILE",
	    "VERSION", "DATE", "WHAT");
	fputc('\n', term->to);
}

static int
show(const char *folder, struct dirent **found, int nfound)
{
	json_t *array = fm_json_array();
	int i, status = FM_EXIT_OK;
	struct fm_term term;
	struct list list;

	fm_term_init(&term, stdout, FM_COLOUR_AUTO);
	if (!fm_given.json)
		put_head(&term, folder);
	for (i = 0; i < nfound; i++) {
		if (!list_open(&list, folder, found[i]->d_name))
			status = FM_EXIT_ERRORS;
		else if (fm_given.json)
			fm_json_add(array, list_json(&list));
		else
			put_row(&term, &list);
		list_close(&list);
	}
	if (fm_given.json)
		fm_json_print(fm_json_of("folder", fm_json_string(folder),
		    "lists", json_incref(array), NULL));
	json_decref(array);
	return (status);
}

static int
show_folder(const char *folder)
{
	struct dirent **found;
	int i, n, status;

	n = scandir(folder, &found, entry_is_list, alphasort);
	if (n < 0 && errno == ENOMEM)
		fm_cli_no_memory();
	if (n < 0) {
		fm_complain("fastmatch lists: can't read the folder '%s': %s",
		    folder, strerror(errno));
		return (FM_EXIT_ERRORS);
	}
	status = FM_EXIT_ERRORS;
	if (n == 0)
		fm_complain("fastmatch lists: there are no lists in '%s': "
		    "no .list, .map or .rules", folder);
	else
		status = show(folder, found, n);
	for (i = 0; i < n; i++)
		free(found[i]);
	free(found);
	return (status);
}

/* Runs `lists update LIST FROM`; argv[0] is the list. */
static int
update(int argc, char **argv, bool force)
{
	if (fm_given.json || fm_option(FM_OPTION_FOLDER) != NULL ||
	    fm_option(FM_OPTION_ACL) != NULL)
		return (fm_options_usage("--acl, --folder and --json are not "
		    "for update"));
	if (argc != 2)
		return (fm_options_usage("update takes a list and the JSON of "
		    "its networks, as in 'update bot.list bot.json'"));
	return (fm_lists_update(argv[0], argv[1], force));
}

int
fm_cli_lists(int argc, char **argv)
{
	const char *folder = fm_option(FM_OPTION_FOLDER);
	const char *acl = fm_option(FM_OPTION_ACL);
	bool force = fm_option(FM_OPTION_FORCE) != NULL;

	if (argc > 0 && strcmp(argv[0], "update") == 0)
		return (update(argc - 1, argv + 1, force));
	if (argc > 0)
		return (fm_options_usage("the one argument that it takes is "
		    "'update', not '%s'", argv[0]));
	if (force)
		return (fm_options_usage("--force is for update"));
	if (folder != NULL)
		fm_shipped_folder = folder;
	if (acl != NULL && fm_given.json)
		return (fm_options_usage("--json is not for --acl"));
	return (acl != NULL ? fm_lists_acl(acl) :
	    show_folder(fm_shipped_folder));
}
