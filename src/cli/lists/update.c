/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch lists update`: makes a list of networks from the JSON that a bot's
 * operator publishes.  Google, Bing, OpenAI and others write it like this:
 *
 *	{
 *	  "creationTime": "2026-10-02T14:46:11.000000",
 *	  "prefixes": [
 *	    { "ipv6Prefix": "2001:4860:4801:10::/64" },
 *	    { "ipv4Prefix": "66.249.64.0/27" }
 *	  ]
 *	}
 *
 * The list is replaced as a whole, but keeps the comment at its top; only the
 * line with the version and the date (lists.c) is changed.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs.h"
#include "cli.h"
#include "file.h"
#include "json.h"
#include "load.h"
#include "listfile.h"
#include "rewrite.h"
#include "term.h"

#define JSON_MAX	(64UL << 20)	/* bytes: a million networks */
#define DATE		"2026-10-02"

struct network {
	struct fm_network	network;
	struct fm_addr		addr;		/* of network, to be printed */
};

struct networks {
	struct network		*v;
	size_t			n, room;
};

struct update {
	const char		*from;		/* the JSON */
	struct fm_text		json;
	json_t			*root;
	struct fm_text		date;		/* of root; missing: none */
	struct networks		new;		/* what the JSON has */

	const char		*name;		/* of the list, as given */
	char			*path;		/* of the list, without links */
	struct fm_file		*file;		/* NULL: there is none yet */
	struct networks		old;		/* what the list has */
	size_t			added, removed;	/* networks */

	struct fm_diag		*diag;
};

/*--------------------------------------------------------------------
 * Networks
 */

static int
network_compare(const void *av, const void *bv)
{
	const struct network *a = av, *b = bv;

	return (fm_network_compare(&a->network, &b->network));
}

/* Sorts networks, and drops those that come twice. */
static void
networks_sort(struct networks *networks)
{
	size_t i, n = 0;

	if (networks->n == 0)
		return;
	qsort(networks->v, networks->n, sizeof *networks->v, network_compare);
	for (i = 1; i < networks->n; i++)
		if (network_compare(&networks->v[n], &networks->v[i]) != 0)
			networks->v[++n] = networks->v[i];
	networks->n = n + 1;
}

/* Returns how many networks of a are not in b; both are sorted. */
static size_t
networks_less(const struct networks *a, const struct networks *b)
{
	size_t i, j = 0, n = 0;

	for (i = 0; i < a->n; i++) {
		while (j < b->n && network_compare(&b->v[j], &a->v[i]) < 0)
			j++;
		if (j == b->n || network_compare(&b->v[j], &a->v[i]) != 0)
			n++;
	}
	return (n);
}

/* Adds a network; returns false if it is not one, and the diag says why. */
static bool
networks_add(struct networks *networks, struct fm_text text,
    const struct fm_place *at, struct fm_diag *diag)
{
	const char *slash = memchr(text.b, '/', text.len), *fault;
	struct network *network;

	network = fm_cli_grow(&networks->v, networks->n, &networks->room,
	    sizeof *network);
	fault = fm_network_parse(text, &network->network);
	if (fault == NULL && network->network.bits == 0)
		fault = "is every address: no bot has them all";
	if (fault != NULL) {
		fm_diag_error(diag, at, "'%.*s' %s", FM_SHOW(text), fault);
		return (false);
	}
	(void)fm_addr_parse(slash == NULL ? text : fm_text_span(text.b, slash),
	    &network->addr);
	networks->n++;
	return (true);
}

static void
networks_put(const struct networks *networks, FILE *to)
{
	const struct network *network;
	char text[FM_ADDR_PRINT];
	size_t i;

	for (i = 0; i < networks->n; i++) {
		network = &networks->v[i];
		(void)fm_addr_print(&network->addr, text);
		fprintf(to, "%s/%u\n", text, network->network.bits);
	}
}

/*--------------------------------------------------------------------
 * The JSON
 */

static void
json_prefix(struct update *update, const json_t *prefix, size_t n)
{
	const struct fm_place whole = { .name = update->from };
	const json_t *value = json_object_get(prefix, "ipv4Prefix");

	if (value == NULL)
		value = json_object_get(prefix, "ipv6Prefix");
	if (!json_is_string(value))
		fm_diag_error(update->diag, &whole, "entry %zu of 'prefixes' "
		    "has no text 'ipv4Prefix' or 'ipv6Prefix'", n);
	else
		(void)networks_add(&update->new,
		    fm_text(json_string_value(value),
		    json_string_length(value)), &whole, update->diag);
}

/*
 * Returns the date of a creationTime like "2026-10-02T14:46:11.000000", or the
 * missing text.
 */
static struct fm_text
json_date(const json_t *root)
{
	const char *time = json_string_value(
	    json_object_get(root, "creationTime"));
	size_t i;

	if (time == NULL || strlen(time) < strlen(DATE))
		return (fm_text(NULL, 0));
	for (i = 0; i < strlen(DATE); i++)
		if (DATE[i] == '-' ? time[i] != '-' :
		    !isdigit((unsigned char)time[i]))
			return (fm_text(NULL, 0));
	return (fm_text(time, strlen(DATE)));
}

static void
json_networks(struct update *update)
{
	struct fm_place at = { .name = update->from };
	const json_t *prefixes;
	json_error_t error;
	size_t i;

	update->root = json_loadb(update->json.b, update->json.len, 0, &error);
	if (update->root == NULL) {
		at.line = error.line > 0 ? (unsigned)error.line : 0;
		at.column = error.column > 0 ? (unsigned)error.column : 1;
		fm_diag_error(update->diag, &at, "this is not JSON: %s",
		    error.text);
		return;
	}
	prefixes = json_object_get(update->root, "prefixes");
	update->date = json_date(update->root);
	if (!json_is_array(prefixes))
		fm_diag_error(update->diag, &at, "there is no array 'prefixes' "
		    "in it: this is not what operators of bots publish");
	else if (json_array_size(prefixes) == 0)
		fm_diag_error(update->diag, &at, "'prefixes' is empty: a list "
		    "without networks would know no client");
	else if (update->date.b == NULL)
		fm_diag_error(update->diag, &at, "there is no 'creationTime' "
		    "in it that begins with a date, as " DATE "T14:46:11");
	for (i = 0; i < json_array_size(prefixes); i++)
		json_prefix(update, json_array_get(prefixes, i), i + 1);
	networks_sort(&update->new);
}

/*--------------------------------------------------------------------
 * The list
 */

/* Reads the networks of the list; returns false if it has anything else. */
static bool
list_networks(struct update *update)
{
	struct fm_listfile lines = { .name = update->name };
	struct fm_place at;
	struct fm_text line;
	unsigned errors = fm_diag_errors(update->diag);

	if (access(update->path, F_OK) != 0 && errno == ENOENT)
		return (true);
	update->file = fm_file_read(update->name, FM_LISTFILE_MAX, NULL,
	    update->diag);
	if (update->file == NULL)
		return (false);
	lines.rest = fm_text(update->file->bytes, update->file->len);
	while (fm_listfile_next(&lines, &line, &at, update->diag))
		(void)networks_add(&update->old, line, &at,
		    update->diag);
	networks_sort(&update->old);
	return (fm_diag_errors(update->diag) == errors);
}

static void
put_version(const struct update *update, unsigned long version, FILE *to)
{
	fprintf(to, "# Version %lu, %.*s.  %zu entries.\n", version,
	    (int)update->date.len, update->date.b, update->new.n);
}

/* Writes the comment of a new list. */
static void
put_new_comment(const struct update *update, FILE *to)
{
	const char *slash = strrchr(update->name, '/');
	const char *name = slash == NULL ? update->name : slash + 1;

	fprintf(to, "# %s: networks of a bot\n#\n", name);
	put_version(update, 1, to);
	fprintf(to, "# Sources: what its operator publishes; written by "
	    "`fastmatch lists update`.\n#\n"
	    "#\tlist %.*s in from \"%s\";\n#\n# `client in %.*s` is true for "
	    "whoever comes from there.\n", (int)strcspn(name, "."), name,
	    update->name, (int)strcspn(name, "."), name);
}

/*
 * Writes the comment of the old list, with the new date; the version is one
 * higher if networks were added or removed.
 */
static void
put_comment(const struct update *update, FILE *to)
{
	struct fm_text rest = fm_text(update->file->bytes, update->file->len);
	const unsigned more = update->added + update->removed > 0;
	static const char word[] = "# Version ";
	struct fm_text line;
	bool said = false;

	while (rest.len > 0 && *rest.b == '#') {
		(void)fm_cut_line(&rest, &line);
		if (!said && fm_text_begins(line, word)) {
			put_version(update, strtoul(line.b + strlen(word),
			    NULL, 10) + more, to);
			said = true;
		} else {
			(void)fwrite(line.b, 1, line.len, to);
			(void)fputc('\n', to);
		}
	}
	if (!said)
		put_version(update, 1, to);
}

static void
list_write(struct update *update)
{
	const struct fm_place at = { .name = update->name };
	struct fm_written list;
	const char *wrong;

	fm_written_begin(&list);
	if (update->file == NULL)
		put_new_comment(update, list.to);
	else
		put_comment(update, list.to);
	(void)fputc('\n', list.to);
	networks_put(&update->new, list.to);
	fm_written_end(&list);
	wrong = fm_rewrite(update->path, update->file == NULL ? NULL :
	    &update->file->st, fm_text(list.text, list.len));
	if (wrong != NULL)
		fm_diag_error(update->diag, &at,
		    "can't write it, so it is as it was: %s", wrong);
	free(list.text);
}

/*--------------------------------------------------------------------
 * The command
 */

static void
update_run(struct update *update, bool force)
{
	const struct fm_place from = { .name = update->from };
	const struct fm_place list = { .name = update->name };

	json_networks(update);
	if (!list_networks(update))
		fm_diag_error(update->diag, &list,
		    "this is not a list of networks that could be updated");
	if (fm_diag_errors(update->diag) > 0)
		return;
	if (!force && 2 * update->new.n < update->old.n) {
		fm_diag_error(update->diag, &from, "the %zu networks of '%s' "
		    "would be %zu, less than half: if that is right, add "
		    "--force", update->old.n, update->name, update->new.n);
		return;
	}
	update->added = networks_less(&update->new, &update->old);
	update->removed = networks_less(&update->old, &update->new);
	list_write(update);
	if (fm_diag_errors(update->diag) == 0)
		printf("%s: %zu added, %zu removed, %zu networks of %.*s\n",
		    update->name, update->added, update->removed,
		    update->new.n, (int)update->date.len, update->date.b);
}

int
fm_lists_update(const char *name, const char *from, bool force)
{
	struct update update = { .name = name, .from = from };
	struct fm_file *file;
	int status = FM_EXIT_OK;

	update.diag = fm_cli_diag();
	/* If the name is a link, its target is replaced. */
	update.path = realpath(name, NULL);
	if (update.path == NULL)
		update.path = strdup(name);
	if (update.path == NULL)
		fm_cli_no_memory();
	file = fm_cli_read(from, JSON_MAX, update.diag);
	if (file != NULL)
		update.json = fm_text(file->bytes, file->len);
	if (fm_diag_errors(update.diag) == 0)
		update_run(&update, force);
	if (fm_diag_errors(update.diag) > 0) {
		fm_cli_say(update.diag, true, from, update.json,
		    stderr);
		status = FM_EXIT_ERRORS;
	}
	if (file != NULL)
		fm_file_free(&file);
	if (update.file != NULL)
		fm_file_free(&update.file);
	json_decref(update.root);
	free(update.new.v);
	free(update.old.v);
	free(update.path);
	fm_diag_free(&update.diag);
	return (status);
}
