/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of `fastmatch lsp`, the language server that editors start:
 *
 *	lsp.c		messages of JSON-RPC, and which function answers
 *	files.c		documents, other files, and places in them
 *	diagnose.c	finds what is wrong in documents, and tells the editor
 *	names.c		answers about words: hover, completion, definition, uses
 *
 * A document is a file that the editor has open.  Its text is taken instead of
 * the file's wherever the file is read.  The root of a document is the rule
 * file that is checked for the document: the document itself, or a file that
 * includes it and that no other file includes.
 */

#ifndef FM_LSP_H
#define FM_LSP_H

#include "../cli.h"
#include "../json.h"
#include "file.h"
#include "model.h"
#include "sources.h"

struct fm_document {
	char			*uri;		/* as the editor spells it */
	char			*path;
	struct stat		st;		/* of path; all 0: no file */
	char			*real;		/* without links, or NULL */
	char			*root;		/* the root's path */
	char			*text;
	size_t			len;
	struct fm_document	*next;
};

struct fm_server {
	struct fm_backends	backends;	/* --backend, --vcl */
	bool			ready;		/* `initialize` was answered */
	bool			ending;		/* `shutdown` was answered */
	bool			dirty;		/* documents must be checked */
	struct fm_document	*documents;
	json_t			*published;	/* the diagnostics that the
						 * editor has, by URI; NULL:
						 * none yet */
};

/* The text at a path: of a document, or else of a file. */
struct fm_buffer {
	struct fm_text		text;		/* missing: can't be read */
	struct fm_file		*file;		/* NULL: text is a document's */
};

/* files.c */

struct fm_document *fm_document_of(const struct fm_server *,
    const json_t *params);
struct fm_document *fm_document_named(const struct fm_server *,
    const char *uri);
void fm_document_open(struct fm_server *, const json_t *params);
void fm_document_change(struct fm_server *, const json_t *params);
void fm_document_close(struct fm_server *, const json_t *params);

void fm_buffer_open(struct fm_buffer *, const struct fm_server *,
    const char *path);
void fm_buffer_close(struct fm_buffer *);

/* Returns sources that give the editor's text for each document. */
struct fm_sources *fm_server_sources(const struct fm_server *);

/*
 * Returns the offset of an editor's position in a text, or the end.  Columns
 * are units of UTF-16, which the protocol has each editor know.
 */
size_t fm_position_offset(struct fm_text, const json_t *position);
/* Return where a line begins, counted from 0, or the end; and where it ends. */
size_t fm_line_begin(struct fm_text, json_int_t line);
size_t fm_line_end(struct fm_text, size_t at);
json_t *fm_range(struct fm_text, size_t from, size_t to);
json_t *fm_location(const struct fm_server *, const char *path,
    struct fm_text, size_t from, size_t to);
json_t *fm_uri(const struct fm_server *, const char *path);

/* diagnose.c */

/* Checks all documents, and sends the editor the diagnostics that changed. */
void fm_diagnose(struct fm_server *);

/*
 * Returns the diagnostics of a root that no editor has open, as arrays by the
 * URIs of its files.  The path is absolute, as URIs are.
 */
json_t *fm_diagnostics_of(const struct fm_backends *, const char *root);

/* Finds the root of a document. */
void fm_root_find(const struct fm_server *, struct fm_document *);

/* names.c: return answers; JSON's null if there is nothing to say. */

json_t *fm_answer_hover(struct fm_server *, const json_t *params);
json_t *fm_answer_completion(struct fm_server *, const json_t *params);
json_t *fm_answer_definition(struct fm_server *, const json_t *params);
json_t *fm_answer_references(struct fm_server *, const json_t *params);

/* lsp.c */

/* Sends a notification, and frees its parameters. */
void fm_server_notify(const char *method, json_t *params);

#endif
