/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a regex means, where it is only texts, perhaps tied to an end: then
 * begins, ends, is or contains says it.  What this does not know stays `~`.
 *
 * `$` also matches before a newline at the end; but no URL, method or header
 * has one.
 */

#include <ctype.h>
#include <string.h>

#include "import.h"
#include "regex.h"

#define TEXTS_MOST	400	/* names of parameters, of cookies */
#define TEXTS_TESTED	64	/* more are easier to read as a regex */

struct reader {
	struct fm_import	*im;
	const char		*p, *e;
	bool			globs;	/* a class is a wildcard */
};

/*--------------------------------------------------------------------
 * The texts of what was read
 */

void
fm_import_plain_add(struct fm_import *im, struct fm_plain *plain,
    const struct fm_text *texts, size_t n)
{
	struct fm_text *v = fm_import_alloc(im, (plain->n + n) * sizeof *v);
	size_t i, j;

	for (i = 0; i < plain->n; i++)
		v[i] = plain->v[i];
	plain->v = v;
	for (i = 0; i < n; i++) {
		v[plain->n] = texts[i];
		for (j = 0; !fm_text_eq(v[j], texts[i]); j++)
			continue;
		plain->n += j == plain->n;
	}
}

/* Puts each of b behind each of a; false: they are too many. */
static bool
texts_times(struct fm_import *im, struct fm_plain *a, const struct fm_plain *b)
{
	struct fm_plain out = { .n = 0 };
	size_t i, j;

	if (a->n * b->n > TEXTS_MOST)
		return (false);
	out.v = fm_import_alloc(im, a->n * b->n * sizeof *out.v);
	for (i = 0; i < a->n; i++)
		for (j = 0; j < b->n; j++)
			out.v[out.n++] = fm_text_of(fm_import_printf(im,
			    "%.*s%.*s", (int)a->v[i].len, a->v[i].b,
			    (int)b->v[j].len, b->v[j].b));
	*a = out;
	return (true);
}

/*--------------------------------------------------------------------
 * Reading
 */

static bool read_alternatives(struct reader *, struct fm_plain *);

static bool
sees(const struct reader *r, const char *text)
{
	return (fm_text_begins(fm_text_span(r->p, r->e), text));
}

static bool
takes(struct reader *r, const char *text)
{
	if (!sees(r, text))
		return (false);
	r->p += strlen(text);
	return (true);
}

static void
text_add(struct reader *r, struct fm_plain *plain, struct fm_text text)
{
	fm_import_plain_add(r->im, plain, &text, 1);
}

/* [abc], without ranges and what else is special in there. */
static bool
read_class(struct reader *r, struct fm_plain *out)
{
	for (; r->p < r->e && (isalnum((unsigned char)*r->p) ||
	    strchr("._/&?=;,:", *r->p) != NULL); r->p++)
		text_add(r, out, fm_text(r->p, 1));
	return (out->n > 0 && takes(r, "]"));
}

/* A class, a dot or \w, and what repeats it, as a wildcard. */
static bool
read_wild(struct reader *r, struct fm_plain *out)
{
	const char *q = r->p, *wild;

	if (*q == '[')
		while (q < r->e && *q != ']')
			q += *q == '\\' ? 2 : 1;
	else if (sees(r, "\\w") || sees(r, "\\d"))
		q++;
	else if (*q != '.')
		return (false);
	if (q >= r->e)
		return (false);
	r->p = q + 1;
	wild = takes(r, "*") || takes(r, "+") || takes(r, "?") || sees(r, "{") ?
	    "*" : "?";
	if (sees(r, "{"))
		while (r->p < r->e && *r->p++ != '}')
			continue;
	(void)takes(r, "?");
	text_add(r, out, fm_text_of(wild));
	return (true);
}

static bool
read_atom(struct reader *r, struct fm_plain *out)
{
	memset(out, 0, sizeof *out);
	if (takes(r, "(")) {
		(void)takes(r, "?:");
		return (read_alternatives(r, out) && takes(r, ")"));
	}
	if (r->globs && read_wild(r, out))
		return (true);
	if (takes(r, "["))
		return (read_class(r, out));
	if (takes(r, "\\") ? r->p == r->e || !ispunct((unsigned char)*r->p) :
	    strchr(".*+?{}^$)|]", *r->p) != NULL ||
	    !isprint((unsigned char)*r->p))
		return (false);
	text_add(r, out, fm_text(r->p++, 1));
	return (true);
}

/*
 * An atom, perhaps with ? behind it.  Of names also a{1,2}, which is both, and
 * a* and a+, which are a wildcard.
 */
static bool
read_piece(struct reader *r, struct fm_plain *out)
{
	struct fm_text star = fm_text_of("*");
	struct fm_plain any = { .v = &star, .n = 1 }, twice;

	if (!read_atom(r, out))
		return (false);
	if (takes(r, "?")) {
		text_add(r, out, fm_text_of(""));
	} else if (r->globs && takes(r, "{1,2}")) {
		twice = *out;
		if (!texts_times(r->im, &twice, out))
			return (false);
		fm_import_plain_add(r->im, out, twice.v, twice.n);
	} else if (r->globs && takes(r, "*")) {
		out->n = 0;
		text_add(r, out, star);
	} else if (r->globs && takes(r, "+")) {
		return (texts_times(r->im, out, &any));
	}
	return (true);
}

static bool
read_alternatives(struct reader *r, struct fm_plain *out)
{
	struct fm_plain one = { .n = 0 }, piece;

	memset(out, 0, sizeof *out);
	do {
		one.n = 0;
		text_add(r, &one, fm_text_of(""));
		while (r->p < r->e && strchr("|)$", *r->p) == NULL)
			if (!read_piece(r, &piece) ||
			    !texts_times(r->im, &one, &piece))
				return (false);
		fm_import_plain_add(r->im, out, one.v, one.n);
	} while (takes(r, "|"));
	return (true);
}

/*--------------------------------------------------------------------
 * The whole regex
 */

/* Returns true for a | that an end of the regex does not hold for. */
bool
fm_import_has_loose_bar(struct fm_text regex)
{
	size_t i;
	int depth = 0;

	for (i = 0; i < regex.len; i++) {
		if (regex.b[i] == '\\')
			i++;
		else if (regex.b[i] == '(')
			depth++;
		else if (regex.b[i] == ')')
			depth--;
		else if (regex.b[i] == '|' && depth == 0)
			return (true);
	}
	return (false);
}

void
fm_import_plain(struct fm_import *im, struct fm_text regex,
    struct fm_plain *plain)
{
	struct reader r = { .im = im, .p = regex.b, .e = regex.b + regex.len };
	bool nocase = takes(&r, "(?i)"), front = takes(&r, "^"), back, good;
	size_t i;

	good = read_alternatives(&r, plain);
	back = takes(&r, "$");
	good = good && r.p == r.e && plain->n <= TEXTS_TESTED &&
	    !((front || back) && fm_import_has_loose_bar(regex));
	for (i = 0; i < plain->n; i++)
		good = good && plain->v[i].len > 0;
	if (good) {
		plain->mode = front && back ? "is" : front ? "begins" :
		    back ? "ends" : "contains";
		plain->nocase = nocase;
	} else {
		*plain = (struct fm_plain){ .mode = "~" };
		fm_import_plain_add(im, plain, &regex, 1);
	}
	plain->regex = regex;
}

bool
fm_import_globs(struct fm_import *im, struct fm_text regex,
    struct fm_plain *plain)
{
	struct reader r = { .im = im, .p = regex.b, .e = regex.b + regex.len,
	    .globs = true };

	if (!read_alternatives(&r, plain) || r.p != r.e)
		return (false);
	plain->mode = "like";
	return (true);
}

/* Tries the texts that a regex stands for, where each wildcard is nothing. */
const char *
fm_import_sample(struct fm_import *im, struct fm_text regex)
{
	struct reader r = { .im = im, .p = regex.b, .e = regex.b + regex.len,
	    .globs = true };
	struct fm_text whole = fm_text_of(fm_import_printf(im, "^(?:%.*s)$",
	    (int)regex.len, regex.b));
	struct fm_plain globs;
	size_t i, j, n;
	char *text;

	(void)takes(&r, "^");
	if (!read_alternatives(&r, &globs))
		return (NULL);
	for (i = 0; i < globs.n; i++) {
		text = fm_import_alloc(im, globs.v[i].len + 1);
		for (n = j = 0; j < globs.v[i].len; j++)
			if (globs.v[i].b[j] != '*')
				text[n++] = globs.v[i].b[j];
		if (fm_import_regex_fits(whole, fm_text(text, n)) == 1)
			return (text);
	}
	return (NULL);
}

static struct fm_regex *
regex_new(struct fm_text text)
{
	char error[FM_REGEX_ERROR_LEN];
	size_t offset;

	return (fm_regex_new(text, false, error, &offset));
}

int
fm_import_regex_fits(struct fm_text text, struct fm_text t)
{
	struct fm_regex *regex = regex_new(text);
	struct fm_tally tally;
	bool fits;

	if (regex == NULL)
		return (-1);
	memset(&tally, 0, sizeof tally);
	fits = fm_regex_match(regex, t, &tally);
	fm_regex_free(&regex);
	return (fits);
}

int
fm_import_regex_groups(struct fm_text text)
{
	struct fm_regex *regex = regex_new(text);
	int n;

	if (regex == NULL)
		return (-1);
	n = (int)fm_regex_group_count(regex);
	fm_regex_free(&regex);
	return (n);
}

bool
fm_import_regex_roots(struct fm_text regex)
{
	return (fm_text_begins(regex, "^/") &&
	    (regex.len == 2 || strchr("?*{", regex.b[2]) == NULL) &&
	    !fm_import_has_loose_bar(regex));
}
