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

#include "name_words.h"
#include "obj.h"
#include "shadow_example.h"

/* Limits of one example, so that examples fit into the page. */
#define EXAMPLE_METHOD		32	/* bytes */
#define EXAMPLE_PATH		512
#define EXAMPLE_NAME		64
#define EXAMPLE_VALUE		256
#define EXAMPLE_PARAMS		32	/* names */
#define EXAMPLE_HEADERS		64

/* A text and its NUL are as long as its limit allows, each of them. */
#define EXAMPLE_TEXTS		(EXAMPLE_METHOD + 1 + FM_HOSTNAME_MAX + 1 +  \
	EXAMPLE_PATH + 1 + FM_EXAMPLE_TESTED * (EXAMPLE_VALUE + 1) +	      \
	(EXAMPLE_PARAMS + EXAMPLE_HEADERS + FM_EXAMPLE_TESTED) *	      \
	(EXAMPLE_NAME + 1))

struct fm_example {
	unsigned		magic;
#define FM_EXAMPLE_MAGIC	0x4be7c60d
	unsigned		refs;		/* atomic */
	struct fm_shadow_example shown;		/* points to what follows */
	const char		*params[EXAMPLE_PARAMS];
	const char		*headers[EXAMPLE_HEADERS];
	struct fm_shadow_tested	tested[FM_EXAMPLE_TESTED];
	size_t			used;		/* bytes of texts */
	char			texts[EXAMPLE_TEXTS];
};

/*--------------------------------------------------------------------
 * Headers with their values
 */

/* Returns true if a header has this name, or one that is an alias of it. */
static bool
same_name(struct fm_text a, const char *b)
{
	return (a.len == strlen(b) && (fm_name_eq(a.b, b, a.len) ||
	    fm_name_is_alias(a.b, fm_text(b, a.len))));
}

static bool
is_secret(struct fm_text name)
{
	return (same_name(name, "Cookie") || same_name(name, "Set-Cookie") ||
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

/* Returns a copy of a text, cut after `most` bytes and before a NUL. */
static const char *
put(struct fm_example *example, struct fm_text text, size_t most)
{
	size_t len = text.len < most ? text.len : most;
	char *to = example->texts + example->used;

	if (len > 0) {
		len = strnlen(text.b, len);
		memcpy(to, text.b, len);
	}
	to[len] = '\0';
	example->used += len + 1;
	assert(example->used <= sizeof example->texts);
	return (to);
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
put_params(struct fm_example *example, struct fm_text url)
{
	const char *b, *end = url.b + url.len, *next;
	struct fm_text name;

	b = url.len > 0 ? memchr(url.b, '?', url.len) : NULL;
	while (b != NULL && example->shown.nparams < EXAMPLE_PARAMS) {
		b++;
		next = memchr(b, '&', (size_t)(end - b));
		name = fm_text_span(b, next == NULL ? end : next);
		b = name.len > 0 ? memchr(name.b, '=', name.len) : NULL;
		/* A parameter without `=` may be a secret: /reset?TOKEN. */
		name = until(fm_text(name.b, b == NULL ? 0 :
		    (size_t)(b - name.b)), "%;");
		if (name.len > 0)
			example->params[example->shown.nparams++] =
			    put(example, name, EXAMPLE_NAME);
		b = next;
	}
}

/* Splits a header line into name and value; false if it is not one. */
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
put_headers(struct fm_example *example, const struct fm_view *view)
{
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < view->nfields &&
	    example->shown.nheaders < EXAMPLE_HEADERS; i++)
		if (header_parts(&view->fields[i], &name, &value))
			example->headers[example->shown.nheaders++] =
			    put(example, name, EXAMPLE_NAME);
}

static void
put_tested(struct fm_example *example, const struct fm_view *view,
    struct fm_text wanted)
{
	struct fm_shadow_tested *tested;
	struct fm_text name, value;
	unsigned i;

	tested = &example->tested[example->shown.ntested++];
	*tested = (struct fm_shadow_tested){
	    .name = put(example, wanted, EXAMPLE_NAME) };
	for (i = 0; i < view->nfields && tested->value == NULL; i++)
		if (header_parts(&view->fields[i], &name, &value) &&
		    fm_text_eq_nocase(name, wanted))
			/* A value may be a URL; its query is left out. */
			tested->value = put(example, until(value, "?"),
			    EXAMPLE_VALUE);
}

struct fm_example *
fm_example_new(enum fm_phase phase, const struct fm_view *view,
    struct fm_text host, const struct fm_example_asked *asked)
{
	struct fm_example *example = malloc(sizeof *example);
	unsigned i;

	if (example == NULL)
		return (NULL);
	example->magic = FM_EXAMPLE_MAGIC;
	example->refs = 1;
	example->used = 0;
	example->shown = (struct fm_shadow_example){
	    .at = time(NULL),
	    .phase = fm_phase_word(phase),
	    .method = put(example, view->method, EXAMPLE_METHOD),
	    .host = host.len == 0 ? NULL :
		put(example, host, FM_HOSTNAME_MAX),
	    .path = put(example, path_of(view->url), EXAMPLE_PATH),
	    .params = example->params,
	    .headers = example->headers,
	    .tested = example->tested,
	    .kept = example
	};
	put_params(example, view->url);
	put_headers(example, view);
	for (i = 0; i < asked->n; i++)
		put_tested(example, view, asked->names[i]);
	return (example);
}

void
fm_example_show(struct fm_example *example, struct fm_shadow_example *shown)
{
	FM_OBJ_CHECK(example, FM_EXAMPLE_MAGIC);
	(void)__atomic_add_fetch(&example->refs, 1, __ATOMIC_RELAXED);
	*shown = example->shown;
}

void
fm_example_drop(struct fm_example *example)
{
	if (example == NULL)
		return;
	FM_OBJ_CHECK(example, FM_EXAMPLE_MAGIC);
	if (__atomic_sub_fetch(&example->refs, 1, __ATOMIC_ACQ_REL) == 0)
		FM_OBJ_FREE(example);
}
