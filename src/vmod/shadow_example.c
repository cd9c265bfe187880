/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps the method, host, path and names of a request as an example, and shows
 * them later.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "obj.h"
#include "shadow_example.h"

/* Limits of one example, so that examples fit into the page. */
#define EXAMPLE_METHOD		32	/* bytes */
#define EXAMPLE_PATH		512
#define EXAMPLE_NAME		64
#define EXAMPLE_VALUE		256
#define EXAMPLE_PARAMS		32	/* names */
#define EXAMPLE_HEADERS		64

/*
 * The texts of an example follow one another, each with a NUL: method, host
 * (empty: none), path, names of parameters, names of headers.  Then, for each
 * header that was tested, its name follows, and '=' with its value; or an empty
 * text, if the client has not sent that header.
 *
 *	GET\0www.example.com\0/shop/cart\0id\0Host\0User-Agent\0
 *	User-Agent\0=curl/7.88.1\0
 */
struct fm_example {
	unsigned		magic;
#define FM_EXAMPLE_MAGIC	0x4be7c60d
	time_t			at;
	unsigned		nparams, nheaders, ntested;
	size_t			len;		/* of all texts */
	char			texts[];
};

/*--------------------------------------------------------------------
 * Headers with their values
 */

/* Returns true for equal names; `_` is `-`, as it is for CGI programs. */
static bool
same_name(struct fm_text a, const char *b)
{
	size_t i;

	if (a.len != strlen(b))
		return (false);
	for (i = 0; i < a.len; i++)
		if (fm_lower((unsigned char)(a.b[i] == '_' ? '-' : a.b[i])) !=
		    fm_lower((unsigned char)b[i]))
			return (false);
	return (true);
}

static bool
is_secret(struct fm_text name)
{
	return (same_name(name, "Cookie") ||
	    same_name(name, "Authorization") ||
	    same_name(name, "Proxy-Authorization"));
}

static void
ask(struct fm_example_asked *asked, struct fm_text name)
{
	unsigned i;

	if (name.b == NULL || is_secret(name))
		return;
	for (i = 0; i < asked->n; i++)
		if (fm_text_eq_nocase(asked->names[i], name))
			return;
	if (asked->n < FM_EXAMPLE_TESTED)
		asked->names[asked->n++] = name;
}

void
fm_example_ask(struct fm_example_asked *asked,
    const struct fm_program *program, const struct fm_rule *rule)
{
	struct fm_text header;
	uint32_t n;

	/* The rule itself may be a `when` that was undecided. */
	for (; rule != NULL; rule = fm_program_guard(program, rule))
		for (n = 0; fm_program_tests(program, rule, n, &header); n++)
			ask(asked, header);
}

/*--------------------------------------------------------------------
 * Writing
 */

/* Writes texts, or only counts their bytes, which is done first. */
struct writer {
	char			*to;		/* NULL: counts only */
	size_t			len;
	unsigned		nparams, nheaders;
};

static void
put_bytes(struct writer *w, const char *b, size_t len)
{
	if (w->to != NULL && len > 0)
		memcpy(w->to + w->len, b, len);
	w->len += len;
}

/* Writes a text, cut after `most` bytes and before a NUL. */
static void
put(struct writer *w, struct fm_text text, size_t most)
{
	size_t len = text.len < most ? text.len : most;

	if (len > 0)
		len = strnlen(text.b, len);
	put_bytes(w, text.b, len);
	put_bytes(w, "", 1);
}

/* Returns the path of a URL; a scheme and an authority may come before it. */
static struct fm_text
path_of(struct fm_text url)
{
	const char *slashes, *end;

	end = url.len > 0 ? memchr(url.b, '?', url.len) : NULL;
	if (end != NULL)
		url.len = (size_t)(end - url.b);
	if (url.len == 0 || *url.b == '/')
		return (url);
	slashes = fm_text_find(url, fm_text_of("://"));
	if (slashes == NULL)
		return (url);
	end = url.b + url.len;
	slashes = memchr(slashes + 3, '/', (size_t)(end - slashes - 3));
	return (slashes == NULL ? fm_text("/", 1) :
	    fm_text_span(slashes, end));
}

/* Returns the part of a text before the first of these bytes. */
static struct fm_text
until(struct fm_text text, const char *bytes)
{
	size_t i;

	for (i = 0; i < text.len && strchr(bytes, text.b[i]) == NULL; i++)
		continue;
	return (fm_text(text.b, i));
}

static void
put_params(struct writer *w, struct fm_text url)
{
	const char *b, *end = url.b + url.len, *next;
	struct fm_text name;

	b = url.len > 0 ? memchr(url.b, '?', url.len) : NULL;
	while (b != NULL && w->nparams < EXAMPLE_PARAMS) {
		b++;
		next = memchr(b, '&', (size_t)(end - b));
		name = fm_text_span(b, next == NULL ? end : next);
		b = name.len > 0 ? memchr(name.b, '=', name.len) : NULL;
		/* A parameter without `=` may be a secret: /reset?TOKEN. */
		name = until(fm_text(name.b, b == NULL ? 0 :
		    (size_t)(b - name.b)), "%;");
		if (name.len > 0) {
			put(w, name, EXAMPLE_NAME);
			w->nparams++;
		}
		b = next;
	}
}

/* Splits a header line into name and value; false if it is none. */
static bool
header_parts(const struct fm_field *field, struct fm_text *name,
    struct fm_text *value)
{
	const char *colon;

	if (field->b == NULL || field->b == field->e)
		return (false);
	colon = memchr(field->b, ':', (size_t)(field->e - field->b));
	if (colon == NULL)
		return (false);
	*name = fm_text_span(field->b, colon);
	*value = fm_text_trim(fm_text_span(colon + 1, field->e));
	return (true);
}

static void
put_headers(struct writer *w, const struct fm_view *view)
{
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < view->nfields && w->nheaders < EXAMPLE_HEADERS; i++)
		if (header_parts(&view->fields[i], &name, &value)) {
			put(w, name, EXAMPLE_NAME);
			w->nheaders++;
		}
}

static void
put_tested(struct writer *w, const struct fm_view *view, struct fm_text wanted)
{
	struct fm_text name, value;
	unsigned i;

	put(w, wanted, EXAMPLE_NAME);
	for (i = 0; i < view->nfields; i++)
		if (header_parts(&view->fields[i], &name, &value) &&
		    fm_text_eq_nocase(name, wanted)) {
			put_bytes(w, "=", 1);
			/* A value may be a URL; its query is left out. */
			put(w, until(value, "?"), EXAMPLE_VALUE);
			return;
		}
	put_bytes(w, "", 1);
}

static void
put_all(struct writer *w, const struct fm_view *view, struct fm_text host,
    const struct fm_example_asked *asked)
{
	unsigned i;

	put(w, view->method, EXAMPLE_METHOD);
	put(w, host, FM_HOSTNAME_MAX);
	put(w, path_of(view->url), EXAMPLE_PATH);
	put_params(w, view->url);
	put_headers(w, view);
	for (i = 0; i < asked->n; i++)
		put_tested(w, view, asked->names[i]);
}

struct fm_example *
fm_example_new(const struct fm_view *view, struct fm_text host,
    const struct fm_example_asked *asked)
{
	struct writer w = { .to = NULL };
	struct fm_example *example;

	put_all(&w, view, host, asked);
	example = malloc(sizeof *example + w.len);
	if (example == NULL)
		return (NULL);
	w = (struct writer){ .to = example->texts };
	put_all(&w, view, host, asked);
	example->magic = FM_EXAMPLE_MAGIC;
	example->at = time(NULL);
	example->nparams = w.nparams;
	example->nheaders = w.nheaders;
	example->ntested = asked->n;
	example->len = w.len;
	return (example);
}

/*--------------------------------------------------------------------
 * Reading
 */

/* Returns the next text, and moves *at past it. */
static const char *
next_text(const char **at)
{
	const char *text = *at;

	*at += strlen(text) + 1;
	return (text);
}

/* Returns the next n texts; NULL if there is no memory. */
static const char **
next_texts(const char **at, size_t n, struct fm_arena *arena)
{
	const char **texts = fm_arena_alloc(arena, n * sizeof *texts);
	size_t i;

	for (i = 0; i < n && texts != NULL; i++)
		texts[i] = next_text(at);
	return (texts);
}

int
fm_example_show(const struct fm_example *example, struct fm_arena *arena,
    struct fm_shadow_example *shown)
{
	const char *at, **tested;
	size_t i;

	FM_OBJ_CHECK(example, FM_EXAMPLE_MAGIC);
	at = fm_arena_add(arena, fm_text(example->texts, example->len));
	if (at == NULL)
		return (-1);
	shown->at = example->at;
	shown->method = next_text(&at);
	shown->host = next_text(&at);
	shown->path = next_text(&at);
	shown->nparams = example->nparams;
	shown->params = next_texts(&at, shown->nparams, arena);
	shown->nheaders = example->nheaders;
	shown->headers = next_texts(&at, shown->nheaders, arena);
	shown->ntested = example->ntested;
	tested = next_texts(&at, 2 * shown->ntested, arena);
	shown->tested = fm_arena_alloc(arena,
	    shown->ntested * sizeof *shown->tested);
	if (shown->params == NULL || shown->headers == NULL ||
	    tested == NULL || shown->tested == NULL)
		return (-1);
	if (*shown->host == '\0')
		shown->host = NULL;
	for (i = 0; i < shown->ntested; i++) {
		shown->tested[i].name = tested[2 * i];
		shown->tested[i].value = *tested[2 * i + 1] == '=' ?
		    tested[2 * i + 1] + 1 : NULL;
	}
	return (0);
}
