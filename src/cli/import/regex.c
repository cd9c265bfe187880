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

#define PLAIN_TEXTS	64	/* more are easier to read as a regex */
#define PLAIN_GLOBS	400	/* names of parameters, of cookies */
#define PLAIN_DEPTH	20

struct texts {
	struct fm_text		*v;
	size_t			n;
};

struct plain {
	struct fm_import	*im;
	const char		*p, *e;
	unsigned		depth;
	bool			globs;	/* a class is a wildcard */
};

static bool plain_alternatives(struct plain *, struct texts *);

/* Each of a with each of b behind it. */
static bool
texts_times(struct plain *p, struct texts *a, const struct texts *b)
{
	struct fm_import *im = p->im;
	struct texts out = { NULL, 0 };
	size_t i, j;
	char *s;

	if (a->n * b->n > (p->globs ? PLAIN_GLOBS : PLAIN_TEXTS))
		return (false);
	out.v = fm_import_alloc(im, a->n * b->n * sizeof *out.v);
	for (i = 0; i < a->n; i++)
		for (j = 0; j < b->n; j++) {
			s = fm_import_alloc(im, a->v[i].len + b->v[j].len + 1);
			if (a->v[i].len > 0)
				memcpy(s, a->v[i].b, a->v[i].len);
			if (b->v[j].len > 0)
				memcpy(s + a->v[i].len, b->v[j].b,
				    b->v[j].len);
			out.v[out.n++] = fm_text(s,
			    a->v[i].len + b->v[j].len);
		}
	*a = out;
	return (true);
}

/* a, and then b; none twice. */
static bool
texts_plus(struct plain *p, struct texts *a, const struct texts *b)
{
	struct fm_import *im = p->im;
	struct texts out = { NULL, 0 };
	size_t i, j;

	out.v = fm_import_alloc(im, (a->n + b->n) * sizeof *out.v);
	for (i = 0; i < a->n + b->n; i++) {
		out.v[out.n] = i < a->n ? a->v[i] : b->v[i - a->n];
		for (j = 0; j < out.n; j++)
			if (fm_text_eq(out.v[j], out.v[out.n]))
				break;
		if (j == out.n)
			out.n++;
	}
	*a = out;
	return (out.n <= (p->globs ? PLAIN_GLOBS : PLAIN_TEXTS));
}

static bool
is_plain_byte(char c)
{
	return ((unsigned char)c > ' ' && (unsigned char)c < 0x7f);
}

/* [abc], without ranges and what else is special in there. */
static bool
plain_class(struct plain *p, struct texts *out)
{
	struct texts one;

	out->n = 0;
	out->v = NULL;
	for (p->p++; p->p < p->e && *p->p != ']'; p->p++) {
		if (!isalnum((unsigned char)*p->p) &&
		    strchr("._/&?=;,:", *p->p) == NULL)
			return (false);
		one.v = fm_import_alloc(p->im, sizeof *one.v);
		one.v[0] = fm_text(p->p, 1);
		one.n = 1;
		if (!texts_plus(p, out, &one))
			return (false);
	}
	return (p->p < p->e && out->n > 0 && p->p++ != NULL);
}

static bool
plain_group(struct plain *p, struct texts *out)
{
	if (p->depth++ == PLAIN_DEPTH)
		return (false);
	p->p++;
	if (p->e - p->p >= 2 && memcmp(p->p, "?:", 2) == 0)
		p->p += 2;
	if (!plain_alternatives(p, out) || p->p == p->e || *p->p != ')')
		return (false);
	p->p++;
	p->depth--;
	return (true);
}

/* A class, a dot or \w, and what repeats it, as a wildcard. */
static bool
plain_wild(struct plain *p, struct texts *out)
{
	const char *q = p->p;

	if (*q == '[')
		for (q++; q < p->e && *q != ']'; q++)
			q += *q == '\\';
	else if (*q == '\\' && q + 1 < p->e && strchr("wd", q[1]) != NULL)
		q++;
	else if (*q != '.')
		return (false);
	if (q >= p->e)
		return (false);
	out->v = fm_import_alloc(p->im, sizeof *out->v);
	out->n = 1;
	out->v[0] = fm_text("?", 1);
	p->p = q + 1;
	if (p->p == p->e || strchr("*+{?", *p->p) == NULL)
		return (true);
	out->v[0] = fm_text("*", 1);
	if (*p->p == '{')
		while (p->p < p->e && *p->p != '}')
			p->p++;
	if (p->p < p->e)
		p->p++;
	if (p->p < p->e && *p->p == '?')
		p->p++;
	return (true);
}

static bool
plain_atom(struct plain *p, struct texts *out)
{
	if (*p->p == '(')
		return (plain_group(p, out));
	if (p->globs && plain_wild(p, out))
		return (true);
	if (*p->p == '[')
		return (plain_class(p, out));
	if (*p->p == '\\') {
		p->p++;
		if (p->p == p->e || !ispunct((unsigned char)*p->p))
			return (false);
	} else if (strchr(".*+?{}^$)|]", *p->p) != NULL ||
	    (!is_plain_byte(*p->p) && *p->p != ' ')) {
		return (false);
	}
	out->v = fm_import_alloc(p->im, sizeof *out->v);
	out->v[0] = fm_text(p->p++, 1);
	out->n = 1;
	return (true);
}

/* One text alone. */
static struct texts
texts_of(struct fm_import *im, const char *text)
{
	struct texts one = { .n = 1 };

	one.v = fm_import_alloc(im, sizeof *one.v);
	one.v[0] = fm_text_of(text);
	return (one);
}

/* a{1,2}, a* and a+ of names: both, a wildcard, and one behind it. */
static bool
plain_repeat(struct plain *p, struct texts *out)
{
	struct texts more = texts_of(p->im, "*"), twice = *out;

	if (p->e - p->p >= 5 && memcmp(p->p, "{1,2}", 5) == 0) {
		p->p += 5;
		return (texts_times(p, &twice, out) &&
		    texts_plus(p, out, &twice));
	}
	if (*p->p == '*')
		*out = more;
	else if (*p->p != '+' || !texts_times(p, out, &more))
		return (false);
	p->p++;
	return (true);
}

/* An atom, perhaps with ? behind it. */
static bool
plain_piece(struct plain *p, struct texts *out)
{
	struct texts none = texts_of(p->im, "");

	if (!plain_atom(p, out))
		return (false);
	if (p->p < p->e && *p->p == '?') {
		p->p++;
		if (p->p < p->e && (*p->p == '?' || *p->p == '+'))
			return (false);
		return (texts_plus(p, out, &none));
	}
	if (p->p == p->e || strchr("*+{", *p->p) == NULL)
		return (true);
	return (p->globs && plain_repeat(p, out));
}

static bool
plain_alternatives(struct plain *p, struct texts *out)
{
	struct texts one, piece;

	out->v = NULL;
	out->n = 0;
	for (;;) {
		one = texts_of(p->im, "");
		while (p->p < p->e && *p->p != '|' && *p->p != ')' &&
		    *p->p != '$')
			if (!plain_piece(p, &piece) ||
			    !texts_times(p, &one, &piece))
				return (false);
		if (!texts_plus(p, out, &one))
			return (false);
		if (p->p == p->e || *p->p != '|')
			return (true);
		p->p++;
	}
}

/* Whether there is a | that an end of the regex does not hold for. */
static bool
has_loose_bar(struct fm_text regex)
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

static bool
plain_whole(struct fm_import *im, struct fm_text regex, struct texts *texts,
    const char **mode)
{
	struct plain p = { .im = im, .p = regex.b, .e = regex.b + regex.len };
	bool front, back;
	size_t i;

	front = p.p < p.e && *p.p == '^';
	if (front)
		p.p++;
	if (!plain_alternatives(&p, texts))
		return (false);
	back = p.p < p.e && *p.p == '$';
	if (back)
		p.p++;
	if (p.p != p.e || ((front || back) && has_loose_bar(regex)))
		return (false);
	for (i = 0; i < texts->n; i++)
		if (texts->v[i].len == 0)
			return (false);
	*mode = front && back ? "is" : front ? "begins" :
	    back ? "ends" : "contains";
	return (true);
}

void
fm_import_plain(struct fm_import *im, struct fm_text regex,
    struct fm_plain *plain)
{
	struct fm_text rest = regex;
	struct texts texts;

	memset(plain, 0, sizeof *plain);
	plain->regex = regex;
	if (rest.len > 4 && memcmp(rest.b, "(?i)", 4) == 0) {
		plain->nocase = true;
		rest = fm_text(rest.b + 4, rest.len - 4);
	}
	if (plain_whole(im, rest, &texts, &plain->mode)) {
		plain->v = texts.v;
		plain->n = texts.n;
		return;
	}
	plain->mode = "~";
	plain->nocase = false;
	plain->v = fm_import_alloc(im, sizeof *plain->v);
	plain->v[0] = regex;
	plain->n = 1;
}

bool
fm_import_globs(struct fm_import *im, struct fm_text regex,
    struct fm_plain *plain)
{
	struct plain p = { .im = im, .p = regex.b, .e = regex.b + regex.len,
	    .globs = true };
	struct texts texts;

	if (!plain_alternatives(&p, &texts) || p.p != p.e)
		return (false);
	plain->mode = "like";
	plain->v = texts.v;
	plain->n = texts.n;
	return (true);
}

/*
 * A text that a regex matches from its start to its end, made of the texts it
 * stands for; NULL: none of these is it.
 */
const char *
fm_import_sample(struct fm_import *im, struct fm_text regex)
{
	struct fm_plain globs = { .n = 0 };
	struct fm_text whole, rest = regex;
	size_t i, j, n;
	char *text;

	if (rest.len > 0 && *rest.b == '^')
		rest = fm_text(rest.b + 1, rest.len - 1);
	if (rest.len > 0 && rest.b[rest.len - 1] == '$')
		rest.len--;
	if (!fm_import_globs(im, rest, &globs))
		return (NULL);
	whole = fm_text_of(fm_import_printf(im, "^(?:%.*s)$", (int)regex.len,
	    regex.b));
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
	return (regex.len >= 2 && memcmp(regex.b, "^/", 2) == 0 &&
	    (regex.len == 2 || strchr("?*{", regex.b[2]) == NULL) &&
	    !has_loose_bar(regex));
}
