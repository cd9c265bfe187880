/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps the documents that the editor has open, reads other files, and
 * translates between offsets and the editor's positions.
 */

#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "lsp.h"
#include "utf8.h"

/*--------------------------------------------------------------------
 * URIs
 */

/* Returns the path of file://HOST/PATH; other URIs are returned as they are. */
static char *
path_of_uri(const char *uri)
{
	const char *from;
	char *path = fm_cli_copy(uri, strlen(uri)), *to = path;

	if (strncmp(uri, "file://", 7) != 0 || strchr(uri + 7, '/') == NULL)
		return (path);
	for (from = strchr(uri + 7, '/'); *from != '\0'; from++) {
		*to = *from;
		if (*from == '%' && fm_hex_digit(from[1]) >= 0 &&
		    fm_hex_digit(from[2]) >= 0 &&
		    memcmp(from, "%00", 3) != 0) {
			*to = (char)(fm_hex_digit(from[1]) << 4 |
			    fm_hex_digit(from[2]));
			from += 2;
		}
		to++;
	}
	*to = '\0';
	return (path);
}

/* Returns the document of a file, by any of the file's paths. */
static struct fm_document *
document_at(const struct fm_server *server, const char *path)
{
	struct fm_document *document = server->documents;
	struct stat st;

	while (document != NULL && strcmp(document->path, path) != 0)
		document = document->next;
	if (document != NULL || server->documents == NULL ||
	    stat(path, &st) != 0)
		return (document);
	document = server->documents;
	while (document != NULL && (document->st.st_ino != st.st_ino ||
	    document->st.st_dev != st.st_dev))
		document = document->next;
	return (document);
}

json_t *
fm_uri(const struct fm_server *server, const char *path)
{
	const struct fm_document *document = document_at(server, path);
	json_t *uri;
	char *b, *to;

	if (document != NULL)
		return (fm_json_string(document->uri));
	b = fm_cli_alloc(3 * strlen(path) + sizeof "file://");
	to = stpcpy(b, "file://");
	for (; *path != '\0'; path++)
		if (strchr("/-._~", *path) != NULL ||
		    (fm_lower((unsigned char)*path) >= 'a' &&
		    fm_lower((unsigned char)*path) <= 'z') ||
		    (*path >= '0' && *path <= '9'))
			*to++ = *path;
		else
			to += sprintf(to, "%%%02X", (unsigned char)*path);
	uri = fm_json_string(b);
	free(b);
	return (uri);
}

/*--------------------------------------------------------------------
 * Documents
 */

struct fm_document *
fm_document_named(const struct fm_server *server, const char *uri)
{
	struct fm_document *document = server->documents;

	while (document != NULL && strcmp(document->uri, uri) != 0)
		document = document->next;
	return (document);
}

struct fm_document *
fm_document_of(const struct fm_server *server, const json_t *params)
{
	const char *uri = json_string_value(json_object_get(
	    json_object_get(params, "textDocument"), "uri"));

	return (uri == NULL ? NULL : fm_document_named(server, uri));
}

/* Looks up the file of a document, each time: saving may have replaced it. */
static void
document_look(struct fm_document *document)
{

	if (stat(document->path, &document->st) != 0)
		document->st = (struct stat){ .st_ino = 0 };
	free(document->real);
	document->real = realpath(document->path, NULL);
}

static void
set_text(struct fm_server *server, struct fm_document *document,
    const json_t *text)
{

	free(document->text);
	document->len = json_string_length(text);
	document->text = fm_cli_copy(json_string_value(text), document->len);
	server->dirty = true;
}

void
fm_document_open(struct fm_server *server, const json_t *params)
{
	const json_t *given = json_object_get(params, "textDocument");
	const char *uri = json_string_value(json_object_get(given, "uri"));
	struct fm_document *document = fm_document_of(server, params);

	if (uri == NULL || !json_is_string(json_object_get(given, "text")))
		return;
	if (document == NULL) {
		document = fm_cli_alloc(sizeof *document);
		document->uri = fm_cli_copy(uri, strlen(uri));
		document->path = path_of_uri(uri);
		document_look(document);
		document->next = server->documents;
		server->documents = document;
	}
	set_text(server, document, json_object_get(given, "text"));
	fm_root_find(server, document);
}

/* Takes the new text of a document, as a whole: the server asked for that. */
void
fm_document_change(struct fm_server *server, const json_t *params)
{
	const json_t *changes = json_object_get(params, "contentChanges");
	struct fm_document *document = fm_document_of(server, params);
	const json_t *text;

	text = json_object_get(json_array_get(changes,
	    json_array_size(changes) - 1), "text");
	if (document != NULL && json_is_string(text))
		set_text(server, document, text);
}

void
fm_document_close(struct fm_server *server, const json_t *params)
{
	struct fm_document *document = fm_document_of(server, params);
	struct fm_document **p = &server->documents;

	if (document == NULL)
		return;
	while (*p != document)
		p = &(*p)->next;
	*p = document->next;
	free(document->uri);
	free(document->path);
	free(document->real);
	free(document->root);
	free(document->text);
	free(document);
	server->dirty = true;
}

/*--------------------------------------------------------------------
 * Texts
 */

void
fm_buffer_open(struct fm_buffer *buffer, const struct fm_server *server,
    const char *path)
{
	const struct fm_document *document = document_at(server, path);
	int error;

	*buffer = (struct fm_buffer){ .file = NULL };
	if (document != NULL) {
		buffer->text = fm_text(document->text, document->len);
		return;
	}
	buffer->file = fm_file_try(path, (size_t)FM_LIMIT_FILE_MB << 20,
	    &error);
	if (buffer->file != NULL)
		buffer->text = fm_text(buffer->file->bytes, buffer->file->len);
}

void
fm_buffer_close(struct fm_buffer *buffer)
{

	if (buffer->file != NULL)
		fm_file_free(&buffer->file);
}

struct fm_sources *
fm_server_sources(const struct fm_server *server)
{
	struct fm_sources *sources = fm_sources_new(true);
	struct fm_document *document;
	struct fm_source *source;
	ino_t ino = 0;

	if (sources == NULL)
		fm_cli_no_memory();
	for (document = server->documents; document != NULL;
	    document = document->next) {
		/* Two documents may have the same path. */
		if (fm_sources_find(sources, document->path, false) != NULL)
			continue;
		source = fm_sources_add(sources, document->path, false);
		if (source == NULL || fm_source_bytes(sources, source,
		    fm_text(document->text, document->len)) != 0)
			fm_cli_no_memory();
		document_look(document);
		source->st = document->st;
		source->real = document->real != NULL ? document->real :
		    source->path;
		source->given = true;
		/* Documents without a file get different inodes. */
		if (source->st.st_ino == 0)
			source->st.st_ino = ++ino;
	}
	return (sources);
}

/*--------------------------------------------------------------------
 * Places
 */

/*
 * Returns how many columns a character has for the editor; *len is its bytes.
 */
static unsigned
units(struct fm_text text, size_t at, size_t *len)
{

	*len = fm_utf8_length(text.b + at, text.len - at);
	if (*len == 0)
		*len = 1;
	return (*len == 4 ? 2 : 1);
}

size_t
fm_line_begin(struct fm_text text, json_int_t line)
{
	size_t at = 0;

	for (; line > 0 && at < text.len; at++)
		line -= text.b[at] == '\n';
	return (at);
}

size_t
fm_line_end(struct fm_text text, size_t at)
{
	while (at < text.len && text.b[at] != '\r' && text.b[at] != '\n')
		at++;
	return (at);
}

size_t
fm_position_offset(struct fm_text text, const json_t *position)
{
	json_int_t column;
	size_t at, len;

	at = fm_line_begin(text, json_integer_value(json_object_get(position,
	    "line")));
	column = json_integer_value(json_object_get(position, "character"));
	for (; column > 0 && at < text.len && text.b[at] != '\n'; at += len)
		column -= units(text, at, &len);
	return (at);
}

static json_t *
position_of(struct fm_text text, size_t offset)
{
	unsigned line = 0, column = 0;
	size_t at, len;

	for (at = 0; at < offset && at < text.len; at++)
		if (text.b[at] == '\n')
			line++;
	while (at > 0 && text.b[at - 1] != '\n')
		at--;
	for (; at < offset && at < text.len; at += len)
		column += units(text, at, &len);
	return (fm_json_pack("{s:i, s:i}", "line", (int)line, "character",
	    (int)column));
}

json_t *
fm_range(struct fm_text text, size_t from, size_t to)
{
	return (fm_json_pack("{s:o, s:o}", "start", position_of(text, from),
	    "end", position_of(text, to)));
}

json_t *
fm_location(const struct fm_server *server, const char *path,
    struct fm_text text, size_t from, size_t to)
{
	return (fm_json_pack("{s:o, s:o}", "uri", fm_uri(server, path),
	    "range", fm_range(text, from, to)));
}
