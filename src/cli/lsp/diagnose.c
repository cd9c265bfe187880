/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds what is wrong with the documents, and tells the editor.  The messages
 * are those of `fastmatch check`.
 *
 *	documents -> roots (fm_parent_root()) -> check_root() of each root, once
 *	          -> messages by URI -> publishDiagnostics, where they changed
 */

#include <stdlib.h>

#include "../parent.h"
#include "../vcl_file.h"
#include "lexemes.h"
#include "lsp.h"
#include "rules_load.h"

/*
 * A root that was checked.  `files` is an object with an array of diagnostics
 * for each of its files, by URI, since a file may have several paths.
 */
struct checked {
	char			*root;		/* a path */
	json_t			*files;
	bool			wanted;		/* a document has this root */
};

struct checks {
	struct checked		*v;
	size_t			n, room;
};

/*--------------------------------------------------------------------
 * Messages
 */

/* Returns the array of a URI, which is added if it isn't there. */
static json_t *
messages_of(json_t *files, const char *uri)
{
	json_t *messages = json_object_get(files, uri);

	if (messages == NULL) {
		messages = fm_json_array();
		fm_json_set(files, uri, messages, NULL);
	}
	return (messages);
}

/* Returns the array of a path. */
static json_t *
messages_at(const struct fm_server *server, json_t *files, const char *path)
{
	json_t *uri = fm_uri(server, path), *messages;

	messages = messages_of(files, json_string_value(uri));
	json_decref(uri);
	return (messages);
}

/* Returns the range of a message: a word, or else a line. */
static json_t *
range_of(const struct fm_server *server, const struct fm_place *at)
{
	struct fm_lexeme *lexemes;
	struct fm_buffer buffer;
	size_t from, to, n, i;
	json_t *range;

	fm_buffer_open(&buffer, server, at->name);
	buffer.text = fm_text_or_empty(buffer.text);
	from = fm_line_begin(buffer.text, (json_int_t)at->line - 1);
	to = fm_line_end(buffer.text, from);
	if (at->column > 0) {
		/* A byte order mark is not a column. */
		if (from == 0 && fm_text_begins(buffer.text, "\xef\xbb\xbf"))
			from = 3;
		from += at->column - 1;
		from = from < buffer.text.len ? from : buffer.text.len;
		to = from < to ? from + 1 : from;
		lexemes = fm_lexemes(buffer.text, &n);
		for (i = 0; lexemes != NULL && i < n; i++)
			if (lexemes[i].start == from &&
			    lexemes[i].kind != T_END)
				to = lexemes[i].end;
		free(lexemes);
	}
	range = fm_range(buffer.text, from, to);
	fm_buffer_close(&buffer);
	return (range);
}

static void
add_message(const struct fm_server *server, json_t *files, const char *root,
    const struct fm_diag_message *message)
{
	const struct fm_place whole = { .name = root, .line = 1 };
	const struct fm_place *at = message->at.name == NULL ? &whole :
	    &message->at;

	fm_json_add(messages_at(server, files, at->name),
	    fm_json_pack("{s:o, s:i, s:s, s:o}", "range",
	    range_of(server, at), "severity", message->error ? 1 : 2, "source",
	    "fastmatch", "message", fm_json_string(message->text)));
}

/* Checks a root; returns an array of messages for each of its files, by URI. */
static json_t *
check_root(const struct fm_server *server, const char *root)
{
	struct fm_check_options options = { .nbackends = 0 };
	struct fm_sources *sources = fm_server_sources(server);
	struct fm_diag *diag = fm_cli_diag();
	const struct fm_source_file *file;
	json_t *files = fm_json_object();
	struct fm_diag_message message;
	struct fm_program *program;
	struct fm_model *model;
	struct fm_vcl_file *vcl;
	unsigned n;

	(void)messages_at(server, files, root);
	(void)fm_vcl_file_open(&vcl, &server->backends, root, &options, diag);
	program = fm_rules_load(root, &options, sources, &model, diag);
	if (program != NULL && vcl != NULL)
		(void)fm_vcl_file_calls(vcl, root, program, diag);
	if (program != NULL)
		fm_program_free(&program);
	if (model != NULL) {
		for (file = model->files; file != NULL; file = file->next)
			(void)messages_at(server, files, file->name);
		fm_model_free(&model);
	}
	fm_vcl_file_close(&vcl);
	for (n = 0; fm_diag_message(diag, n, &message); n++)
		add_message(server, files, root, &message);
	fm_diag_free(&diag);
	fm_sources_free(&sources);
	return (files);
}

json_t *
fm_diagnostics_of(const struct fm_backends *backends, const char *root)
{
	const struct fm_server server = { .backends = *backends };

	return (check_root(&server, root));
}

/*--------------------------------------------------------------------
 * Roots
 */

static struct fm_sources *
sources_of(const void *server)
{
	return (fm_server_sources(server));
}

void
fm_root_find(const struct fm_server *server, struct fm_document *document)
{
	free(document->root);
	document->root = fm_parent_root(document->path, sources_of, server);
}

/*--------------------------------------------------------------------
 * All documents
 */

static void
publish(const char *uri, json_t *messages)
{
	fm_server_notify("textDocument/publishDiagnostics",
	    fm_json_pack("{s:s, s:O}", "uri", uri, "diagnostics", messages));
}

static void
publish_changes(struct fm_server *server, json_t *now)
{
	json_t *messages, *before, *none = fm_json_array();
	const char *uri;

	json_object_foreach(now, uri, messages) {
		before = json_object_get(server->published, uri);
		if (before == NULL ? json_array_size(messages) > 0 ||
		    fm_document_named(server, uri) != NULL :
		    !json_equal(before, messages))
			publish(uri, messages);
	}
	json_object_foreach(server->published, uri, messages)
		if (json_object_get(now, uri) == NULL)
			publish(uri, none);
	json_decref(none);
	json_decref(server->published);
	server->published = now;
}

/* Adds the messages that aren't there yet: two roots may share a file. */
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

/* Returns true if a root reads a file. */
static bool
check_has(const struct fm_server *server, const struct checked *checked,
    const char *path)
{
	json_t *uri = fm_uri(server, path);
	bool has;

	has = json_object_get(checked->files, json_string_value(uri)) != NULL;
	json_decref(uri);
	return (has);
}

/* Returns the check of a root, which is made only once. */
static struct checked *
check_once(const struct fm_server *server, struct checks *checks,
    const char *path)
{
	struct checked *checked;
	size_t i;

	for (i = 0; i < checks->n; i++)
		if (strcmp(checks->v[i].root, path) == 0)
			return (&checks->v[i]);
	checked = fm_cli_grow(&checks->v, checks->n++, &checks->room,
	    sizeof *checked);
	checked->root = fm_cli_copy(path, strlen(path));
	checked->files = check_root(server, path);
	checked->wanted = false;
	return (checked);
}

/*
 * Checks all roots.  If a root no longer reads its document, finds another
 * root.
 */
static void
check_documents(const struct fm_server *server, struct checks *checks)
{
	struct fm_document *document;
	struct checked *checked;

	for (document = server->documents; document != NULL;
	    document = document->next) {
		checked = check_once(server, checks, document->root);
		if (!check_has(server, checked, document->path)) {
			fm_root_find(server, document);
			(void)check_once(server, checks, document->root);
		}
	}
}

/*
 * Chooses the root of each document: of all roots that read it, the one with
 * the most files, so that a root which includes the document wins over itself.
 */
static void
choose_roots(const struct fm_server *server, struct checks *checks)
{
	struct fm_document *document;
	struct checked *one, *best;

	for (document = server->documents; document != NULL;
	    document = document->next) {
		best = check_once(server, checks, document->root);
		for (one = checks->v; one < checks->v + checks->n; one++)
			if (check_has(server, one, document->path) &&
			    json_object_size(one->files) >
			    json_object_size(best->files))
				best = one;
		best->wanted = true;
		free(document->root);
		document->root = fm_cli_copy(best->root, strlen(best->root));
	}
}

void
fm_diagnose(struct fm_server *server)
{
	struct checks checks = { .v = NULL };
	json_t *now = fm_json_object(), *messages;
	const char *uri;
	size_t i;

	check_documents(server, &checks);
	choose_roots(server, &checks);
	for (i = 0; i < checks.n; i++) {
		json_object_foreach(checks.v[i].files, uri, messages) {
			if (checks.v[i].wanted)
				add_messages(messages_of(now, uri), messages);
		}
		json_decref(checks.v[i].files);
		free(checks.v[i].root);
	}
	free(checks.v);
	publish_changes(server, now);
	server->dirty = false;
}
