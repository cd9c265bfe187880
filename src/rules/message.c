/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a request from arguments or a line of a log (message.h).
 */

#include <assert.h>
#include <stdlib.h>

#include "connection.h"
#include "grow.h"
#include "message.h"

void
fm_message_init(struct fm_message *message)
{
	memset(message, 0, sizeof *message);
	message->method = fm_text_of("GET");
	message->url = fm_text_of("/");
	message->proto = fm_text_of("HTTP/1.1");
}

void
fm_message_fini(struct fm_message *message)
{
	free(message->fields);
	free(message->marks);
	fm_arena_fini(&message->arena);
	memset(message, 0, sizeof *message);
}

/* Returns a copy of three texts in a row; missing, and noted: no memory. */
static struct fm_text
joined(struct fm_message *message, struct fm_text a, const char *between,
    struct fm_text b)
{
	size_t len = a.len + strlen(between) + b.len;
	char *to = fm_arena_alloc(&message->arena, len + 1), *end = to;

	if (to == NULL) {
		message->no_memory = true;
		return (fm_text(NULL, 0));
	}
	end = mempcpy(end, fm_text_or_empty(a).b, a.len);
	end = stpcpy(end, between);
	memcpy(end, fm_text_or_empty(b).b, b.len);
	return (fm_text(to, len));
}

void
fm_message_method(struct fm_message *message, struct fm_text method)
{
	message->method = joined(message, method, "", fm_text("", 0));
}

static bool
begins(struct fm_text text, const char *with)
{
	size_t len = strlen(with);

	return (text.len >= len &&
	    fm_text_eq_nocase(fm_text(text.b, len), fm_text(with, len)));
}

static size_t
length_until(struct fm_text text, const char *bytes)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.b[i] != '\0' && strchr(bytes, text.b[i]) != NULL)
			break;
	return (i);
}

void
fm_message_url(struct fm_message *message, struct fm_text url,
    enum fm_url_is is)
{
	size_t scheme, len, user;
	struct fm_text rest;
	bool path;

	scheme = begins(url, "http://") ? 7 : begins(url, "https://") ? 8 : 0;
	if (is == FM_URL_SENT || scheme == 0) {
		message->url = joined(message, url, "", fm_text("", 0));
		return;
	}
	url = fm_text(url.b + scheme, url.len - scheme);
	len = length_until(url, "/?#");
	if (is == FM_URL_LOGGED && len == url.len && len > 0 &&
	    url.b[len - 1] == '*')
		len--;
	rest = fm_text(url.b + len, url.len - len);
	if (is == FM_URL_TYPED)
		rest.len = length_until(rest, "#");
	/* Name and password are no part of the Host. */
	for (user = len; user > 0 && url.b[user - 1] != '@'; user--)
		continue;
	message->url_host = joined(message, fm_text(url.b + user, len - user),
	    "", fm_text("", 0));
	path = rest.len > 0 && (rest.b[0] == '/' || rest.b[0] == '*');
	message->url = joined(message, fm_text("", 0), path ? "" : "/", rest);
}

void
fm_message_proto(struct fm_message *message, struct fm_text proto)
{
	static const char * const known[] = { "HTTP/1.0", "HTTP/1.1",
	    "HTTP/2.0" };
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (fm_text_eq(proto, fm_text_of(known[i])))
			message->proto = fm_text_of(known[i]);
}

void
fm_message_header(struct fm_message *message, struct fm_text name,
    struct fm_text value)
{
	struct fm_text line = joined(message, name, ": ", fm_text_trim(value));
	struct fm_field *fields = fm_grow_room(message->fields, &message->room,
	    message->nfields, 1, sizeof *fields);
	unsigned char *marks = fm_grow_room(message->marks,
	    &message->marks_room, message->nfields, 1, sizeof *marks);

	if (fields != NULL)
		message->fields = fields;
	if (marks != NULL)
		message->marks = marks;
	if (line.b == NULL || fields == NULL || marks == NULL)
		message->no_memory = true;
	else
		fields[message->nfields++] = (struct fm_field){ line.b,
		    line.b + line.len };
}

const char *
fm_message_line(struct fm_message *message, struct fm_text line)
{
	size_t len = length_until(line, ":");

	if (len == line.len)
		return ("no ':' in it; write 'Name: value'");
	if (len == 0)
		return ("no name before the ':'; write 'Name: value'");
	if (!fm_text_is_token(fm_text(line.b, len), ""))
		return ("that is no name of a header");
	fm_message_header(message, fm_text(line.b, len),
	    fm_text(line.b + len + 1, line.len - len - 1));
	return (NULL);
}

void
fm_field_parts(const struct fm_field *field, struct fm_text *name,
    struct fm_text *value)
{
	struct fm_text line = fm_text_span(field->b, field->e);
	size_t len = length_until(line, ":");

	assert(len < line.len);
	*name = fm_text(line.b, len);
	*value = fm_text_trim(fm_text(line.b + len + 1, line.len - len - 1));
}

struct fm_text
fm_message_value(const struct fm_message *message, struct fm_text wanted)
{
	struct fm_text name, value;
	size_t i;

	for (i = 0; i < message->nfields; i++) {
		fm_field_parts(&message->fields[i], &name, &value);
		if (fm_text_eq_nocase(name, wanted))
			return (value);
	}
	return (fm_text(NULL, 0));
}

void
fm_message_host(struct fm_message *message)
{
	struct fm_field host;

	if (message->url_host.b == NULL ||
	    fm_message_value(message, fm_text_of("Host")).b != NULL)
		return;
	fm_message_header(message, fm_text_of("Host"), message->url_host);
	if (message->no_memory)
		return;
	host = message->fields[message->nfields - 1];
	memmove(message->fields + 1, message->fields,
	    (message->nfields - 1) * sizeof *message->fields);
	message->fields[0] = host;
}

void
fm_message_view(const struct fm_message *message, struct fm_view *view)
{
	memset(view, 0, sizeof *view);
	view->method = message->method;
	view->url = message->url;
	view->proto = message->proto;
	view->fields = message->fields;
	view->nfields = (unsigned)message->nfields;
	fm_connection_mark(view->fields, view->nfields, message->marks);
	view->marks = message->marks;
	view->client = message->client;
	view->esi = message->esi;
}
