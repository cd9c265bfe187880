/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: lists in headers of responses.
 *
 *	[keep] [star] names...
 *	===
 *	a list, or a line of Set-Cookie, or a Content-Type
 *
 * The same outcomes as the twins'; what was filtered stays as it is.
 */

#include "directives.h"
#include "fuzz.h"
#include "twin_directives.h"

const bool fuzz_has_parts = true;

#define TEXT_MAX	512		/* the twin takes its time */
#define ADD_MAX		8

struct filter {
	enum fm_directives_mode	mode;
	bool			star;
	struct fm_names		*names;
	char			*words;	/* those that are names */
};

static void
filter_init(struct filter *f, struct fm_text head)
{
	char *line = strndup(head.b, head.len);
	const char *next = line;
	struct fm_text word;

	memset(f, 0, sizeof *f);
	f->mode = FM_DIRECTIVES_DROP;
	f->words = calloc(1, head.len + 2);
	f->names = fm_names_new(true);
	FUZZ_CHECK(line != NULL && f->words != NULL && f->names != NULL,
	    "no memory");
	while (twin_word(&next, &word)) {
		if (fm_text_eq(word, fm_text_of("keep")))
			f->mode = FM_DIRECTIVES_KEEP;
		else if (fm_text_eq(word, fm_text_of("star")))
			f->star = true;
		else if (fm_names_add(f->names, word, NULL, NULL) == 0) {
			strncat(f->words, word.b, word.len);
			strcat(f->words, " ");
		}
	}
	FUZZ_CHECK(fm_names_make(f->names, NULL, NULL) == 0, "no names");
	free(line);
}

/* Room that ends where memory ends. */
static char *
room(size_t n)
{
	char *buf = malloc(n > 0 ? n : 1);

	FUZZ_CHECK(buf != NULL, "no memory");
	return (buf);
}

static void
check_filter(const struct filter *f, struct fm_text list)
{
	char *twin_buf = room(2 * list.len), *buf, *again;
	struct fm_text out, expected;
	bool changed = twin_directives(f->words,
	    f->mode == FM_DIRECTIVES_KEEP, f->star, list, twin_buf, &expected);

	buf = room(fm_directives_cap(list));
	out = fm_directives_filter(list, f->names, f->mode, f->star, buf);
	FUZZ_CHECK(changed ? fm_text_eq(out, expected) &&
	    (out.b == NULL) == (out.len == 0) : out.b == list.b,
	    "\"%.*s\", and not \"%.*s\"", FUZZ_TEXT(out),
	    FUZZ_TEXT(expected));
	again = room(fm_directives_cap(out));
	FUZZ_CHECK(fm_directives_filter(out, f->names, f->mode, f->star,
	    again).b == out.b, "\"%.*s\" changes once more", FUZZ_TEXT(out));
	free(twin_buf);
	free(buf);
	free(again);
}

/* Adds the first names that are tokens, with any wildcards in them as bytes. */
static void
check_add(const struct filter *f, struct fm_text list)
{
	char *tokens = calloc(1, strlen(f->words) + 1), *twin_buf, *buf;
	struct fm_text names[ADD_MAX], out, expected;
	const char *words = f->words;
	size_t n = 0, cap;
	bool changed;

	FUZZ_CHECK(tokens != NULL, "no memory");
	while (n < ADD_MAX && twin_word(&words, &names[n])) {
		if (!fm_text_is_token(names[n], ""))
			continue;
		strncat(tokens, names[n].b, names[n].len);
		strcat(tokens, " ");
		n++;
	}
	cap = fm_directives_add_cap(list, names, n);
	twin_buf = room(cap);
	buf = room(cap);
	changed = twin_directives_add(tokens, list, twin_buf, &expected);
	out = fm_directives_add(list, names, n, buf);
	FUZZ_CHECK(changed ? fm_text_eq(out, expected) : out.b == list.b,
	    "\"%.*s\" with \"%s\", and not \"%.*s\"", FUZZ_TEXT(out), tokens,
	    FUZZ_TEXT(expected));
	free(tokens);
	free(twin_buf);
	free(buf);
}

static void
check_readings(const struct filter *f, struct fm_text text)
{
	const char *words = f->words;
	struct fm_text name, value, expected;
	char *twin_buf = room(text.len), *buf = room(text.len);

	(void)twin_word(&words, &name);
	FUZZ_CHECK(fm_text_same(fm_directives_value(text, name),
	    twin_directives_value(text, name)),
	    "another value of \"%.*s\"", FUZZ_TEXT(name));
	name = fm_directives_cookie(text, &value);
	FUZZ_CHECK(fm_text_same(name, twin_directives_cookie(text,
	    &expected)) && fm_text_same(value, expected),
	    "cookie \"%.*s\" is \"%.*s\"", FUZZ_TEXT(name), FUZZ_TEXT(value));
	value = fm_directives_type(text, buf);
	FUZZ_CHECK(fm_text_eq(value, twin_directives_type(text, twin_buf)),
	    "type \"%.*s\"", FUZZ_TEXT(value));
	free(twin_buf);
	free(buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_text in = fm_text((const char *)data, size), head;
	struct filter filter;

	(void)fuzz_part(&in, &head);
	if (in.len > TEXT_MAX)
		in.len = TEXT_MAX;
	if (head.len > 0 && head.b[head.len - 1] == '\n')
		head.len--;
	filter_init(&filter, head);
	check_filter(&filter, in);
	check_add(&filter, in);
	check_readings(&filter, in);
	fm_names_free(&filter.names);
	free(filter.words);
	return (0);
}
