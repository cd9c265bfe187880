/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of the language server.
 *
 *	lsp.c		messages of JSON-RPC, and what is asked for
 *	files.c		open documents, other files, places in them
 *	diagnose.c	what is wrong, in all files of what is open
 *	names.c		words: hover, completion, definitions, references
 *
 * A document is a file that the editor has open; its text counts instead of
 * the file's, wherever that is read.  A root is the rule file that a document
 * is checked with: itself, or one that includes it and is included by none.
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
	struct stat		st;		/* of the path; 0: no file */
	char			*root;		/* a path */
	char			*text;
	size_t			len;
	struct fm_document	*next;
};

struct fm_server {
	struct fm_backends	backends;	/* --backend, --vcl */
	bool			utf8;		/* columns are bytes, not
						 * units of UTF-16 */
	bool			ready;		/* initialized */
	bool			ending;		/* after shutdown */
	bool			dirty;		/* to be checked */
	struct fm_document	*documents;
	json_t			*published;	/* by URI, or NULL */
};

/* A text by its path: a document's, or a file's. */
struct fm_buffer {
	struct fm_text		text;		/* missing: can't be read */
	struct fm_file		*file;		/* NULL: a document's */
};

/* files.c */

struct fm_document *fm_document_of(const struct fm_server *,
    const json_t *params);
struct fm_document *fm_document_named(const struct fm_server *,
    const char *uri);
/* Returns the document of a file, under whatever name that is known. */
struct fm_document *fm_document_at(const struct fm_server *, const char *path);
void fm_document_open(struct fm_server *, const json_t *params);
void fm_document_change(struct fm_server *, const json_t *params);
void fm_document_close(struct fm_server *, const json_t *params);
void fm_documents_free(struct fm_server *);

void fm_buffer_open(struct fm_buffer *, const struct fm_server *,
    const char *path);
void fm_buffer_close(struct fm_buffer *);

/* Sources in which the documents are what the editor has. */
struct fm_sources *fm_server_sources(const struct fm_server *);

/* Returns the offset of a position of the editor's, or the end. */
size_t fm_position_offset(const struct fm_server *, struct fm_text,
    const json_t *position);
json_t *fm_range(const struct fm_server *, struct fm_text, size_t from,
    size_t to);
json_t *fm_location(const struct fm_server *, const char *path,
    struct fm_text, size_t from, size_t to);
json_t *fm_uri(const struct fm_server *, const char *path);

/* Returns a pattern for glob() in the folder that is so much of a path. */
char *fm_pattern(const char *path, size_t folder, const char *pattern);

/* diagnose.c */

/* Tells the editor what is wrong, where that has changed. */
void fm_diagnose(struct fm_server *);
/* Finds the root of a document. */
void fm_root_find(const struct fm_server *, struct fm_document *);

/* names.c: answers; null where there is nothing to say. */

json_t *fm_answer_hover(struct fm_server *, const json_t *params);
json_t *fm_answer_completion(struct fm_server *, const json_t *params);
json_t *fm_answer_definition(struct fm_server *, const json_t *params);
json_t *fm_answer_references(struct fm_server *, const json_t *params);

/* lsp.c */

/* Sends a notification; takes the parameters. */
void fm_server_notify(const char *method, json_t *params);

#endif
