/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells the editor what is wrong with the rules that are open: what `fastmatch
 * check` says, but for what only compiling them would tell.
 */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "../vcl.h"
#include "check.h"
#include "lsp.h"
#include "parse.h"
#include "pieces.h"

#define FOLDERS_UP	3	/* where a root is looked for */
#define FILES_EACH	64	/* rule files that are tried there */

/* A root and its files: an array of diagnostics for each path. */
struct checked {
	const char		*root;
	json_t			*files;
	bool			included;	/* by another root */
};

/*--------------------------------------------------------------------
 * Messages
 */

/* Returns the array of a path. */
static json_t *
messages_of(json_t *files, const char *path)
{
	json_t *messages = json_object_get(files, path);

	if (messages == NULL) {
		messages = fm_json_array();
		fm_json_set(files, path, messages);
	}
	return (messages);
}

/* Returns where a message is about a word, or else a line, in its text. */
static json_t *
range_of(const struct fm_server *server, const struct fm_place *at)
{
	struct fm_piece *pieces;
	struct fm_buffer buffer;
	size_t from = 0, to, n, i;
	const char *end;
	json_t *range;
	unsigned line;

	fm_buffer_open(&buffer, server, at->name);
	buffer.text = fm_text_or_empty(buffer.text);
	for (line = 1; line < at->line; line++) {
		end = memchr(buffer.text.b + from, '\n',
		    buffer.text.len - from);
		if (end == NULL)
			break;
		from = (size_t)(end - buffer.text.b) + 1;
	}
	to = from;
	while (to < buffer.text.len && buffer.text.b[to] != '\r' &&
	    buffer.text.b[to] != '\n')
		to++;
	if (at->column > 0) {
		/* A mark at the beginning of the file is no column. */
		if (from == 0 && fm_text_begins(buffer.text, "\xef\xbb\xbf"))
			from = 3;
		from += at->column - 1;
		from = from < buffer.text.len ? from : buffer.text.len;
		to = from < to ? from + 1 : from;
		pieces = fm_pieces(buffer.text, &n);
		for (i = 0; pieces != NULL && i < n; i++)
			if (pieces[i].start == from && pieces[i].kind != T_END)
				to = pieces[i].end;
		free(pieces);
	}
	range = fm_range(server, buffer.text, from, to);
	fm_buffer_close(&buffer);
	return (range);
}

static void
add_message(const struct fm_server *server, json_t *files, const char *root,
    const struct fm_diag_message *m)
{
	const struct fm_place whole = { .name = root, .line = 1 };
	const struct fm_place *at = m->at.name == NULL ? &whole : &m->at;
	json_t *object = fm_json_object();

	fm_json_set(object, "range", range_of(server, at));
	fm_json_set(object, "severity", fm_json_number(m->error ? 1 : 2));
	fm_json_set(object, "source", fm_json_string("fastmatch"));
	fm_json_set(object, "message", fm_json_string(m->text));
	fm_json_add(messages_of(files, at->name), object);
}

/* Returns what is wrong with a root, by file; each of its files is there. */
static json_t *
check_root(const struct fm_server *server, const char *root)
{
	struct fm_check_options options = { .sources = NULL };
	struct fm_sources *sources = fm_server_sources(server);
	struct fm_diag *diag = fm_diag_new();
	const struct fm_source_file *file;
	json_t *files = fm_json_object();
	struct fm_vcl_file *vcl;
	struct fm_diag_message m;
	struct fm_model *model;
	unsigned n;

	if (diag == NULL)
		fm_cli_no_memory();
	(void)messages_of(files, root);
	(void)fm_vcl_file_open(&vcl, &server->backends, root, &options, diag);
	options.sources = sources;
	model = fm_parse_file(root, sources, diag);
	if (model != NULL) {
		(void)fm_check(model, &options, diag);
		for (file = model->files; file != NULL; file = file->next)
			(void)messages_of(files, file->name);
		fm_model_free(&model);
	}
	fm_vcl_file_close(&vcl);
	fm_diag_sort(diag, root);
	for (n = 0; fm_diag_message(diag, n, &m); n++)
		add_message(server, files, root, &m);
	fm_diag_free(&diag);
	fm_sources_free(&sources);
	return (files);
}

/*--------------------------------------------------------------------
 * Roots
 */

/* Returns true if a rule file reads a path. */
static bool
root_reads(const struct fm_server *server, const char *root, const char *path)
{
	struct fm_sources *sources = fm_server_sources(server);
	const struct fm_source_file *file;
	struct fm_model *model;
	bool reads = false;

	model = fm_parse_file(root, sources, NULL);
	for (file = model == NULL ? NULL : model->files; file != NULL;
	    file = file->next)
		reads = reads || (file->at.name != NULL &&
		    strcmp(file->name, path) == 0);
	if (model != NULL)
		fm_model_free(&model);
	fm_sources_free(&sources);
	return (reads);
}

/*
 * Looks for a rule file that includes the document in its folder and in those
 * above: an include may name nothing else.
 */
void
fm_root_find(const struct fm_server *server, struct fm_document *document)
{
	const char *path = document->path, *slash;
	char *pattern, *root = NULL;
	size_t len = strlen(path), i;
	unsigned up;
	glob_t found;

	for (up = 0; up < FOLDERS_UP && root == NULL &&
	    (slash = memrchr(path, '/', len)) != NULL; up++) {
		len = (size_t)(slash - path);
		if (asprintf(&pattern, "%.*s/*.rules", (int)len, path) < 0)
			fm_cli_no_memory();
		if (glob(pattern, GLOB_NOESCAPE, NULL, &found) == 0) {
			for (i = 0; i < found.gl_pathc && i < FILES_EACH &&
			    root == NULL; i++)
				if (strcmp(found.gl_pathv[i], path) != 0 &&
				    root_reads(server, found.gl_pathv[i],
				    path))
					root = strdup(found.gl_pathv[i]);
			globfree(&found);
		}
		free(pattern);
	}
	free(document->root);
	document->root = root != NULL ? root : fm_cli_copy(path, strlen(path));
}

/*--------------------------------------------------------------------
 * All that is open
 */

static void
publish(const struct fm_server *server, const char *path, json_t *messages)
{
	json_t *params = fm_json_object();

	fm_json_set(params, "uri", fm_uri(server, path));
	fm_json_set(params, "diagnostics", json_incref(messages));
	fm_server_notify("textDocument/publishDiagnostics", params);
}

static void
publish_changes(struct fm_server *server, json_t *now)
{
	json_t *messages, *before, *none = fm_json_array();
	const char *path;

	json_object_foreach(now, path, messages) {
		before = json_object_get(server->published, path);
		if (before == NULL ? json_array_size(messages) > 0 ||
		    fm_document_at(server, path) != NULL :
		    !json_equal(before, messages))
			publish(server, path, messages);
	}
	json_object_foreach(server->published, path, messages)
		if (json_object_get(now, path) == NULL)
			publish(server, path, none);
	json_decref(none);
	json_decref(server->published);
	server->published = now;
}

/* Adds what is not there yet: two roots may say the same of a file. */
static void
add_messages(json_t *all, json_t *messages)
{
	json_t *message, *there;
	size_t i, j;

	json_array_foreach(messages, i, message) {
		json_array_foreach(all, j, there)
			if (json_equal(there, message))
				break;
		if (j == json_array_size(all))
			fm_json_add(all, json_incref(message));
	}
}

/* Checks each root once; one that another includes is checked with that. */
void
fm_diagnose(struct fm_server *server)
{
	json_t *now = fm_json_object(), *messages;
	const struct fm_document *document;
	struct checked *v = NULL, *root;
	size_t n = 0, room = 0, i, j;
	const char *path;

	for (document = server->documents; document != NULL;
	    document = document->next) {
		for (i = 0; i < n; i++)
			if (strcmp(v[i].root, document->root) == 0)
				break;
		if (i < n)
			continue;
		root = fm_cli_grow(&v, n++, &room, sizeof *v);
		root->root = document->root;
		root->files = check_root(server, root->root);
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < n && !v[i].included; j++)
			v[i].included = i != j && !v[j].included &&
			    json_object_get(v[j].files, v[i].root) != NULL;
	for (i = 0; i < n; i++) {
		json_object_foreach(v[i].files, path, messages) {
			if (!v[i].included)
				add_messages(messages_of(now, path), messages);
		}
		json_decref(v[i].files);
	}
	free(v);
	publish_changes(server, now);
	server->dirty = false;
}
