/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a request from arguments or a line of a log (made_request.h).
 */

#include <stdlib.h>

#include "connection.h"
#include "grow.h"
#include "made_request.h"
#include "obj.h"

void
fm_made_init(struct fm_made_request *made)
{
	memset(made, 0, sizeof *made);
	made->method = fm_text_of("GET");
	made->url = fm_text_of("/");
	made->proto = fm_text_of("HTTP/1.1");
}

void
fm_made_fini(struct fm_made_request *made)
{
	free(made->fields);
	free(made->marks);
	fm_arena_fini(&made->arena);
	memset(made, 0, sizeof *made);
}

struct fm_text
fm_made_join(struct fm_made_request *made, struct fm_text a,
    const char *between, struct fm_text b)
{
	size_t len = a.len + strlen(between) + b.len;
	char *to = fm_arena_alloc(&made->arena, len + 1), *end = to;

	if (to == NULL) {
		made->no_memory = true;
		return (fm_text(NULL, 0));
	}
	end = mempcpy(end, fm_text_or_empty(a).b, a.len);
	end = stpcpy(end, between);
	memcpy(end, fm_text_or_empty(b).b, b.len);
	return (fm_text(to, len));
}

void
fm_made_method(struct fm_made_request *made, struct fm_text method)
{
	made->method = fm_made_join(made, method, "", fm_text("", 0));
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
fm_made_url(struct fm_made_request *made, struct fm_text url,
    enum fm_url_is is)
{
	size_t scheme, len, user;
	struct fm_text rest;
	bool path;

	scheme = begins(url, "http://") ? 7 : begins(url, "https://") ? 8 : 0;
	if (is == FM_URL_SENT || scheme == 0) {
		made->url = fm_made_join(made, url, "", fm_text("", 0));
		return;
	}
	/* varnishncsa writes http:// before all that it logs. */
	if (scheme == 8)
		made->scheme = FM_SCHEME_HTTPS;
	else if (is == FM_URL_TYPED)
		made->scheme = FM_SCHEME_HTTP;
	url = fm_text(url.b + scheme, url.len - scheme);
	len = length_until(url, "/?#");
	if (is == FM_URL_LOGGED && len == url.len && len > 0 &&
	    url.b[len - 1] == '*')
		len--;
	rest = fm_text(url.b + len, url.len - len);
	if (is == FM_URL_TYPED)
		rest.len = length_until(rest, "#");
	/* Name and password are not part of the Host. */
	for (user = len; user > 0 && url.b[user - 1] != '@'; user--)
		continue;
	made->url_host = fm_made_join(made, fm_text(url.b + user, len - user),
	    "", fm_text("", 0));
	path = rest.len > 0 && (rest.b[0] == '/' || rest.b[0] == '*');
	made->url = fm_made_join(made, fm_text("", 0), path ? "" : "/", rest);
}

void
fm_made_proto(struct fm_made_request *made, struct fm_text proto)
{
	static const char * const known[] = { "HTTP/1.0", "HTTP/1.1",
	    "HTTP/2.0" };
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (fm_text_eq(proto, fm_text_of(known[i])))
			made->proto = fm_text_of(known[i]);
}

void
fm_made_header(struct fm_made_request *made, struct fm_text name,
    struct fm_text value)
{
	struct fm_text line = fm_made_join(made, name, ": ",
	    fm_text_trim(value));
	struct fm_field *fields = fm_grow_room(made->fields, &made->room,
	    made->nfields, 1, sizeof *fields);
	unsigned char *marks = fm_grow_room(made->marks,
	    &made->marks_room, made->nfields, 1, sizeof *marks);

	if (fields != NULL)
		made->fields = fields;
	if (marks != NULL)
		made->marks = marks;
	if (line.b == NULL || fields == NULL || marks == NULL)
		made->no_memory = true;
	else
		fields[made->nfields++] = (struct fm_field){ line.b,
		    line.b + line.len };
}

const char *
fm_made_line(struct fm_made_request *made, struct fm_text line)
{
	size_t len = length_until(line, ":");

	if (len == line.len)
		return ("no ':' in it; write 'Name: value'");
	if (len == 0)
		return ("no name before the ':'; write 'Name: value'");
	if (!fm_text_is_token(fm_text(line.b, len), ""))
		return ("that is not the name of a header");
	fm_made_header(made, fm_text(line.b, len),
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
fm_made_value(const struct fm_made_request *made, struct fm_text wanted)
{
	struct fm_text name, value;
	size_t i;

	for (i = 0; i < made->nfields; i++) {
		fm_field_parts(&made->fields[i], &name, &value);
		if (fm_text_eq_nocase(name, wanted))
			return (value);
	}
	return (fm_text(NULL, 0));
}

void
fm_made_host(struct fm_made_request *made)
{
	struct fm_field host;

	if (made->url_host.b == NULL ||
	    fm_made_value(made, fm_text_of("Host")).b != NULL)
		return;
	fm_made_header(made, fm_text_of("Host"), made->url_host);
	if (made->no_memory)
		return;
	host = made->fields[made->nfields - 1];
	memmove(made->fields + 1, made->fields,
	    (made->nfields - 1) * sizeof *made->fields);
	made->fields[0] = host;
}

void
fm_made_view(const struct fm_made_request *made, struct fm_view *view)
{
	memset(view, 0, sizeof *view);
	view->method = made->method;
	view->url = made->url;
	view->proto = made->proto;
	view->fields = made->fields;
	view->nfields = (unsigned)made->nfields;
	fm_connection_mark(view->fields, view->nfields, made->marks);
	view->marks = made->marks;
	view->client = made->client;
	view->esi = made->esi;
	view->scheme = made->scheme;
}
