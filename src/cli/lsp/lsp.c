/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch lsp`: reads messages from the standard input, has them answered,
 * and writes the answers to the standard output.
 *
 * A message is JSON-RPC after a header:
 *
 *	Content-Length: 46\r\n
 *	\r\n
 *	{"jsonrpc":"2.0","id":1,"method":"shutdown"}
 *
 * Three things end the process: `exit`, the end of the input, and a message
 * that is larger than MESSAGE_MAX.  All other mistakes are answered with an
 * error.
 */

#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../options.h"
#include "format.h"
#include "lsp.h"

#define MESSAGE_MAX	(256UL << 20)	/* bytes: a rule file of 64 MB grows
					 * by its escapes in JSON */

/* Error codes of JSON-RPC and of the protocol. */
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601, NOT_INITIALIZED = -32002 };

/*--------------------------------------------------------------------
 * Messages
 */

/* Sends a message, and frees it. */
static void
send(json_t *message)
{
	char *text;

	fm_json_set(message, "jsonrpc", fm_json_string("2.0"), NULL);
	text = json_dumps(message, JSON_COMPACT);
	if (text == NULL)
		fm_cli_no_memory();
	printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	(void)fflush(stdout);
	free(text);
	json_decref(message);
}

void
fm_server_notify(const char *method, json_t *params)
{
	send(fm_json_pack("{s:s, s:o}", "method", method, "params", params));
}

/* Answers a request, and frees the result. */
static void
answer(const json_t *id, json_t *result)
{
	send(fm_json_pack("{s:o, s:o}", "id", json_deep_copy(id), "result",
	    result));
}

/* Answers a request with an error; an id of NULL means that it is unknown. */
static void
refuse(const json_t *id, int code, const char *why)
{
	send(fm_json_pack("{s:o, s:{s:i, s:s}}", "id", id == NULL ?
	    json_null() : json_deep_copy(id), "error", "code", code,
	    "message", why));
}

/* Reads headers up to a blank line.  Returns false at the end of the input. */
static bool
read_header(size_t *len)
{
	static const char name[] = "Content-Length:";
	char *line = NULL;
	size_t room = 0;
	bool more = false, said = false;

	*len = 0;
	while (getline(&line, &room, stdin) > 0) {
		if (strncasecmp(line, name, strlen(name)) == 0) {
			*len = strtoul(line + strlen(name), NULL, 10);
			said = true;
		}
		/* Without a length, lines are skipped up to a header. */
		more = said && (strcmp(line, "\r\n") == 0 ||
		    strcmp(line, "\n") == 0);
		if (more)
			break;
	}
	free(line);
	return (more);
}

/*
 * Reads a message.  If it is not JSON, answers with an error and sets *messagep
 * to NULL.  Returns false at the end of the input.
 */
static bool
read_message(json_t **messagep)
{
	size_t len;
	char *text;

	*messagep = NULL;
	if (!read_header(&len))
		return (false);
	if (len > MESSAGE_MAX) {
		refuse(NULL, PARSE_ERROR, "the message is too large");
		return (false);
	}
	text = fm_cli_alloc(len + 1);
	if (fread(text, 1, len, stdin) != len) {
		free(text);
		return (false);
	}
	*messagep = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
	free(text);
	if (*messagep == NULL)
		refuse(NULL, PARSE_ERROR, "this is not JSON");
	return (true);
}

/*--------------------------------------------------------------------
 * Methods
 */

static json_t *
initialize(struct fm_server *server, const json_t *params)
{
	(void)params;
	server->ready = true;
	return (fm_json_pack("{s:{s:s, s:{s:b, s:i, s:b}, s:{s:[s,s]}, s:b, "
	    "s:b, s:b, s:b}, s:{s:s, s:s}}",
	    "capabilities",
	    "positionEncoding", "utf-16",
	    "textDocumentSync",
	    "openClose", 1, "change", 1 /* whole texts */, "save", 1,
	    "completionProvider", "triggerCharacters", " ", "\"",
	    "hoverProvider", 1, "definitionProvider", 1,
	    "referencesProvider", 1, "documentFormattingProvider", 1,
	    "serverInfo", "name", "fastmatch", "version", PACKAGE_VERSION));
}

static json_t *
shut_down(struct fm_server *server, const json_t *params)
{

	(void)params;
	server->ending = true;
	return (json_null());
}

/* Answers `formatting`: with one edit of the whole text, or with none. */
static json_t *
formatting(struct fm_server *server, const json_t *params)
{
	const struct fm_document *document = fm_document_of(server, params);
	json_t *edits = fm_json_array();
	struct fm_diag *diag = fm_cli_diag();
	struct fm_text text, shall;
	char *written;

	if (document != NULL) {
		text = fm_text(document->text, document->len);
		written = fm_format(document->path, text, &shall.len, diag);
		shall.b = written;
		if (written != NULL && !fm_text_eq(text, shall)) {
			fm_json_add(edits, fm_json_pack("{s:o, s:o}", "range",
			    fm_range(text, 0, text.len), "newText",
			    fm_json_text(shall)));
		}
		free(written);
	}
	fm_diag_free(&diag);
	return (edits);
}

static void
saved(struct fm_server *server, const json_t *params)
{

	(void)params;
	server->dirty = true;
}

static const struct {
	const char	*method;
	json_t		*(*answer)(struct fm_server *, const json_t *params);
	void		(*note)(struct fm_server *, const json_t *params);
} methods[] = {
	{ "initialize", initialize, NULL },
	{ "shutdown", shut_down, NULL },
	{ "textDocument/completion", fm_answer_completion, NULL },
	{ "textDocument/definition", fm_answer_definition, NULL },
	{ "textDocument/didChange", NULL, fm_document_change },
	{ "textDocument/didClose", NULL, fm_document_close },
	{ "textDocument/didOpen", NULL, fm_document_open },
	{ "textDocument/didSave", NULL, saved },
	{ "textDocument/formatting", formatting, NULL },
	{ "textDocument/hover", fm_answer_hover, NULL },
	{ "textDocument/references", fm_answer_references, NULL },
};

static void
handle(struct fm_server *server, const json_t *message)
{
	const char *method = json_string_value(
	    json_object_get(message, "method"));
	const json_t *id = json_object_get(message, "id");
	const json_t *params = json_object_get(message, "params");
	size_t i, n = sizeof methods / sizeof *methods;

	if (method == NULL) {
		/* The editor's answers have no method, and need none. */
		if (json_object_get(message, "result") == NULL &&
		    json_object_get(message, "error") == NULL)
			refuse(id, INVALID_REQUEST, "there is no method");
		return;
	}
	for (i = 0; i < n && strcmp(methods[i].method, method) != 0; i++)
		continue;
	if (id == NULL) {
		if (i < n && methods[i].note != NULL && server->ready)
			methods[i].note(server, params);
	} else if (i == n || methods[i].answer == NULL) {
		refuse(id, METHOD_NOT_FOUND, "no such method is here");
	} else if (!server->ready && methods[i].answer != initialize) {
		refuse(id, NOT_INITIALIZED, "initialize comes first");
	} else if (server->ending) {
		refuse(id, INVALID_REQUEST, "shutdown was before");
	} else {
		answer(id, methods[i].answer(server, params));
	}
}

/*--------------------------------------------------------------------
 * The command
 */

/* Returns true if there is nothing to be read right now. */
static bool
is_idle(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	return (poll(&fd, 1, 0) == 0);
}

/* Reads and answers messages up to the end; returns the exit status. */
static int
serve(struct fm_server *server)
{
	const char *method;
	json_t *message;
	int status = FM_EXIT_OK;
	bool more = true;

	/* With a buffer, poll() would not see what was read ahead. */
	(void)setvbuf(stdin, NULL, _IONBF, 0);
	while (more && read_message(&message)) {
		method = json_string_value(json_object_get(message, "method"));
		if (method != NULL && strcmp(method, "exit") == 0) {
			more = false;
			status = server->ending ? FM_EXIT_OK : FM_EXIT_ERRORS;
		} else if (message != NULL) {
			handle(server, message);
		}
		json_decref(message);
		/* While the user types on, nothing is checked. */
		if (more && server->dirty && is_idle())
			fm_diagnose(server);
	}
	return (status);
}

int
fm_cli_lsp(int argc, char **argv)
{
	static struct fm_server server;
	const char *vcl;

	(void)argv;
	if (argc > 0)
		return (fm_options_usage("there is no file to be given: the "
		    "editor tells them"));
	server.backends = fm_given.backends;
	/* A URI must be absolute: messages about the VCL have one. */
	vcl = fm_given.backends.vcl == NULL ? NULL :
	    realpath(fm_given.backends.vcl, NULL);
	if (vcl != NULL)
		server.backends.vcl = vcl;
	return (serve(&server));
}
