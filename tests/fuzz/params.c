/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a filter of parameters.
 *
 *	[keep] [sort] [unique] [nocase] [cookies] names...
 *	===
 *	a URL, or a Cookie header
 *
 * The same outcome as the twin's; never longer than what was promised; with
 * less room it is SPACE, and the input; what was filtered stays as it is.
 */

#include "fuzz.h"
#include "params.h"
#include "twin_params.h"

const bool fuzz_has_parts = true;

#define TEXT_MAX	1024		/* the twin takes its time */

struct filter {
	struct fm_params	params;
	struct fm_names		*names;
	char			*words;	/* those that are names */
	bool			nocase;
	bool			cookies;
};

static bool
take_flag(struct filter *f, struct fm_text word)
{
	if (fm_text_eq(word, fm_text_of("keep")))
		f->params.mode = FM_PARAMS_KEEP;
	else if (fm_text_eq(word, fm_text_of("sort")))
		f->params.sort = true;
	else if (fm_text_eq(word, fm_text_of("unique")))
		f->params.unique = true;
	else if (fm_text_eq(word, fm_text_of("nocase")))
		f->nocase = true;
	else if (fm_text_eq(word, fm_text_of("cookies")))
		f->cookies = true;
	else
		return (false);
	return (true);
}

/* Returns false for the names that names.h refuses. */
static bool
is_name(struct fm_text word)
{
	size_t i;

	if (word.len == 0 || word.len > FM_NAMES_MAX)
		return (false);
	for (i = 0; i < word.len; i++)
		if ((unsigned char)word.b[i] <= ' ' || word.b[i] == 0x7f ||
		    strchr("%&=;#", word.b[i]) != NULL)
			return (false);
	return (true);
}

static void
filter_init(struct filter *f, struct fm_text head)
{
	char *line = strndup(head.b, head.len);
	const char *next = line;
	struct fm_text word;
	bool taken;

	memset(f, 0, sizeof *f);
	f->words = calloc(1, head.len + 2);
	FUZZ_CHECK(line != NULL && f->words != NULL, "no memory");
	while (twin_word(&next, &word))
		(void)take_flag(f, word);
	f->names = fm_names_new(f->nocase);
	FUZZ_CHECK(f->names != NULL, "no memory");
	for (next = line; twin_word(&next, &word);) {
		if (take_flag(f, word))
			continue;
		taken = fm_names_add(f->names, word, NULL, NULL) == 0;
		FUZZ_CHECK(taken == is_name(word), "\"%.*s\" is %s",
		    FUZZ_TEXT(word), taken ? "taken" : "refused");
		if (taken) {
			strncat(f->words, word.b, word.len);
			strcat(f->words, " ");
		}
	}
	FUZZ_CHECK(fm_names_make(f->names, NULL, NULL) == 0, "no names");
	f->params.names = f->names;
	free(line);
}

static void
filter_fini(struct filter *f)
{
	fm_names_free(&f->names);
	free(f->words);
}

static enum fm_params_result
filter_run(const struct filter *f, struct fm_text in, char *buf, size_t cap,
    struct fm_text *out)
{
	return ((f->cookies ? fm_params_cookies : fm_params_query)(&f->params,
	    in, buf, cap, out));
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
check_filter(const struct filter *f, struct fm_text in)
{
	int flags = (f->params.mode == FM_PARAMS_KEEP ? KEEP : 0) |
	    (f->params.sort ? SORT : 0) | (f->params.unique ? UNIQUE : 0) |
	    (f->nocase ? NOCASE : 0);
	size_t cap = f->cookies ? fm_params_cookies_cap(in) : in.len;
	char *buf = room(cap), *small, *twin_buf = room(4 * in.len + 4);
	struct fm_text out, again, expected;
	enum fm_params_result result;
	bool changed;

	changed = twin_filter(f->words, flags, in, f->cookies, twin_buf,
	    &expected);
	result = filter_run(f, in, buf, cap, &out);
	FUZZ_CHECK((result == FM_PARAMS_CHANGED) == changed &&
	    (changed ? fm_text_eq(out, expected) : result == FM_PARAMS_SAME &&
	    out.b == in.b && out.len == in.len),
	    "%d \"%.*s\", and not %d \"%.*s\"", (int)result, FUZZ_TEXT(out),
	    changed, FUZZ_TEXT(expected));
	if (changed) {
		FUZZ_CHECK(filter_run(f, out, NULL, 0, &again) ==
		    FM_PARAMS_SAME, "\"%.*s\" changes once more",
		    FUZZ_TEXT(out));
		small = room(expected.len);
		FUZZ_CHECK(filter_run(f, in, small, expected.len, &again) ==
		    FM_PARAMS_CHANGED, "it does not fit where it should");
		if (expected.len > 0)
			FUZZ_CHECK(filter_run(f, in, small, expected.len - 1,
			    &again) == FM_PARAMS_SPACE && again.b == in.b,
			    "it fits where it should not");
		free(small);
	}
	free(twin_buf);
	free(buf);
}

/* The first of the first name's, as long as no wildcard is in it. */
static void
check_find(const struct filter *f, struct fm_text in)
{
	const char *next = f->words;
	struct fm_text name, value, expected = fm_text_of(NULL);
	bool found, want;

	if (!twin_word(&next, &name))
		return;
	want = twin_find(name, in, f->cookies, &expected);
	found = f->cookies ? fm_params_cookie_find(in, name, &value) :
	    fm_params_query_find(in, name, &value);
	FUZZ_CHECK(found == want && (!want || fm_text_eq(value, expected)),
	    "\"%.*s\" is %s", FUZZ_TEXT(name), want ? "there" : "not there");
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
	check_find(&filter, in);
	filter_fini(&filter);
	return (0);
}
