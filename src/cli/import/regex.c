/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads regexes that are only texts, perhaps anchored to an end: rules have
 * `begins`, `ends`, `is` or `contains` for these.  All other regexes stay `~`.
 *
 *	^/(static|img)/		begins /static/ /img/
 *	\.(css|js)$		ends .css .js
 *
 * `$` also matches before a newline at the end; but no URL, method or header
 * has one.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "pattern.h"

#define TEXTS_MOST	2000	/* texts of one regex: of names, say */
#define WILD_MOST	64	/* bytes of a wildcard's example */
#define WILD_EXACT	4	/* more `?` in a row are hard to read */
#define TEXTS_TESTED	100	/* texts; more are easier to read as a regex */

struct reader {
	struct fm_import	*im;
	const char		*p, *e;
	bool			globs;	/* a class becomes a wildcard */
	bool			names, cookie;	/* of parameters or cookies */
	unsigned		depth;		/* groups around p */
	bool			bar;		/* a | is outside of groups */
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

/* Puts each text of b after each of a; false: there are too many. */
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
takes(struct reader *reader, const char *text)
{
	if (!fm_text_begins(fm_text_span(reader->p, reader->e), text))
		return (false);
	reader->p += strlen(text);
	return (true);
}

static void
text_add(struct reader *reader, struct fm_plain *plain, struct fm_text text)
{
	fm_import_plain_add(reader->im, plain, &text, 1);
}

/* Reads [abc], without ranges or other special bytes. */
static bool
read_class(struct reader *reader, struct fm_plain *out)
{
	for (; reader->p < reader->e && (isalnum((unsigned char)*reader->p) ||
	    strchr("._/&?=;,:", *reader->p) != NULL); reader->p++)
		text_add(reader, out, fm_text(reader->p, 1));
	return (out->n > 0 && takes(reader, "]"));
}

/* Takes a repetition; returns how often the atom is there at least, or -1. */
static long
read_repeat(struct reader *reader)
{
	long least = -1;

	if (takes(reader, "*") || takes(reader, "?"))
		least = 0;
	else if (takes(reader, "+"))
		least = 1;
	else if (takes(reader, "{"))
		for (least = strtol(reader->p, NULL, 10);
		    reader->p < reader->e && *reader->p++ != '}';)
			continue;
	if (least >= 0)
		(void)takes(reader, "?");
	return (least < WILD_MOST ? least : WILD_MOST);
}

/* Reads a class, a dot or \w, and its repetition, as a wildcard. */
static bool
read_wild(struct reader *reader, struct fm_plain *out)
{
	static const char examples[] = "a0A_-.%/";
	struct fm_text atom = fm_text_span(reader->p, reader->e);
	const char *e = reader->p, *c, *wild = "";
	char example[WILD_MOST];
	long least;
	bool exact;

	if (*e == '[')
		while (e < reader->e && *e != ']')
			e += *e == '\\' ? 2 : 1;
	else if (*e == '\\' && e + 1 < reader->e && strchr("wdS", e[1]) != NULL)
		e++;
	else if (*e != '.')
		return (false);
	if (e >= reader->e)
		return (false);
	atom.len = (size_t)(e + 1 - reader->p);
	for (c = examples; *c != '\0'; c++)
		if (fm_import_regex_fits(atom, fm_import_printf(reader->im,
		    "%c", *c)) == 1)
			break;
	if (*c == '\0')
		return (false);
	reader->p = ++e;
	least = read_repeat(reader);
	exact = *e == '{' && least <= WILD_EXACT &&
	    memchr(e, ',', (size_t)(reader->p - e)) == NULL;
	memset(example, *c, sizeof example);
	if (!exact)
		wild = fm_import_printf(reader->im, "\1%c%.*s\2",
		    least < 0 ? '?' : '*', (int)labs(least), example);
	for (; exact && least > 0; least--)
		wild = fm_import_printf(reader->im, "%s\1?%c\2", wild, *c);
	text_add(reader, out, fm_text_of(wild));
	return (true);
}

static bool
is_separator(const struct reader *reader, char c, bool escaped, bool class)
{
	if (c == '\0' || (escaped && reader->cookie && strchr("st", c) != NULL))
		return (c != '\0');
	return (strchr(reader->cookie ? "; ,\t" : "?&|", c) != NULL ||
	    (!escaped && !class && strchr("^$", c) != NULL));
}

/* Reads separators or an end as a blank, which is any number of them. */
static bool
read_separators(struct reader *reader, struct fm_plain *out)
{
	const char *p = reader->p;
	bool class = *p == '[', escaped;

	p += class;
	do {
		escaped = *p == '\\' && p + 1 < reader->e;
		p += escaped;
		if (p >= reader->e ||
		    !is_separator(reader, *p++, escaped, class))
			return (false);
	} while (class && p < reader->e && *p != ']');
	reader->p = p + class;
	(void)read_repeat(reader);
	text_add(reader, out, fm_text_of(" "));
	return (true);
}

static bool
read_atom(struct reader *reader, struct fm_plain *out)
{
	memset(out, 0, sizeof *out);
	if (takes(reader, "(")) {
		if (!reader->names)
			(void)takes(reader, "?:");
		else if (takes(reader, "?"))
			while (reader->p < reader->e &&
			    strchr(":=!<", *reader->p) != NULL)
				reader->p++;
		reader->depth++;
		if (!read_alternatives(reader, out) || !takes(reader, ")"))
			return (false);
		reader->depth--;
		return (true);
	}
	if (reader->names && read_separators(reader, out))
		return (true);
	if (reader->globs && read_wild(reader, out))
		return (true);
	if (takes(reader, "["))
		return (read_class(reader, out));
	if (takes(reader, "\\") ? reader->p == reader->e ||
	    !ispunct((unsigned char)*reader->p) : strchr(".*+?{}^$)|]",
	    *reader->p) != NULL || !isprint((unsigned char)*reader->p))
		return (false);
	text_add(reader, out, fm_text(reader->p++, 1));
	return (true);
}

/*
 * Reads an atom, perhaps with ? after it.  In names also reads a*, which
 * becomes a wildcard, and a{1,2}, which becomes the texts a and aa.
 */
static bool
read_unit(struct reader *reader, struct fm_plain *out)
{
	struct fm_plain twice;

	if (!read_atom(reader, out))
		return (false);
	if (takes(reader, "?"))
		text_add(reader, out, fm_text_of(""));
	if (reader->globs && takes(reader, "*")) {
		out->n = 0;
		text_add(reader, out, fm_text_of("\1*\2"));
	}
	if (!reader->globs || !takes(reader, "{1,2}"))
		return (true);
	twice = *out;
	if (!texts_times(reader->im, &twice, out))
		return (false);
	fm_import_plain_add(reader->im, out, twice.v, twice.n);
	return (true);
}

static bool
read_alternatives(struct reader *reader, struct fm_plain *out)
{
	struct fm_plain one = { .n = 0 }, unit;

	memset(out, 0, sizeof *out);
	for (;; reader->bar |= reader->depth == 0) {
		one.n = 0;
		text_add(reader, &one, fm_text_of(""));
		while (reader->p < reader->e &&
		    strchr(reader->names ? "|)" : "|)$", *reader->p) == NULL)
			if (!read_unit(reader, &unit) ||
			    !texts_times(reader->im, &one, &unit))
				return (false);
		fm_import_plain_add(reader->im, out, one.v, one.n);
		if (!takes(reader, "|"))
			return (true);
	}
}

/*--------------------------------------------------------------------
 * Leaves out parts of a regex that make no difference.  (No subject has a
 * newline, so that `.*` reaches to its end.)
 */

/* Returns true if the byte at p follows a backslash that escapes it. */
static bool
is_escaped(const char *b, const char *p)
{
	bool escaped = false;

	while (p > b && *--p == '\\')
		escaped = !escaped;
	return (escaped);
}

/* Cuts a text off the end, unless a backslash escapes it. */
static bool
cut(struct fm_text *regex, const char *end)
{
	size_t len = strlen(end);

	if (regex->len < len ||
	    memcmp(regex->b + regex->len - len, end, len) != 0 ||
	    is_escaped(regex->b, regex->b + regex->len - len))
		return (false);
	regex->len -= len;
	return (true);
}

/*
 * Cuts a `.*` or `^.*` off the beginning of a test, unless nothing is left of
 * it.  A test without a `^` may begin anywhere.  After `^.*` the rest may begin
 * anywhere, too, as no URL, method or header has a newline, which `.` does not
 * match.
 */
static struct fm_text
cut_front(struct fm_import *im, struct fm_text regex)
{
	static const char * const all[] = { "^.*?", "^.*", ".*?", ".*", NULL };
	const char *nocase = fm_text_begins(regex, "(?i)") ? "(?i)" : "";
	struct fm_text rest = fm_text_span(regex.b + strlen(nocase),
	    regex.b + regex.len);
	size_t i;

	for (i = 0; all[i] != NULL && !fm_text_begins(rest, all[i]); i++)
		continue;
	if (all[i] == NULL)
		return (regex);
	rest = fm_text_span(rest.b + strlen(all[i]), rest.b + rest.len);
	/* In `.*+a` the `+` belongs to the `.*`. */
	if (rest.len == 0 || strchr("+{|$", *rest.b) != NULL)
		return (regex);
	return (fm_import_text(im, "%s%.*s", nocase, FM_ARG(rest)));
}

struct fm_text
fm_import_tidy(struct fm_import *im, struct fm_text regex, bool test)
{
	static const char * const all[] = { ".*$", ".*", "(.*)$", "(.*)",
	    "(?:.*)$", "(?:.*)", NULL };
	static const char * const odd[] = { "\\Q", "(*", "(?R", "(?0", "\\g",
	    NULL };
	char *text = fm_import_alloc(im, regex.len + 1), *p = text;
	struct fm_text tidy, short_of;
	size_t i;

	/* Verbs, and calls of the whole regex, may notice what is left out. */
	for (i = 0; odd[i] != NULL; i++)
		if (memmem(regex.b, regex.len, odd[i], strlen(odd[i])) != NULL)
			return (regex);
	for (i = 0; i < regex.len; i++) {
		if (regex.b[i] == '\\' && i + 1 < regex.len &&
		    regex.b[++i] != '/')
			*p++ = '\\';
		*p++ = regex.b[i];
	}
	tidy = short_of = fm_text_span(text, p);
	if (!test) {
		if (cut(&short_of, ".*$") || cut(&short_of, "(.*)$"))
			tidy.len--;
		return (tidy);
	}
	for (i = 0; all[i] != NULL && !cut(&short_of, all[i]); i++)
		continue;
	/* A `(?i)` alone, or a `^`, would read as a test for nothing. */
	if (short_of.len > 0 && memchr("^)|", short_of.b[short_of.len - 1],
	    3) == NULL)
		tidy = short_of;
	return (cut_front(im, tidy));
}

bool
fm_import_has_bar(struct fm_text regex)
{
	unsigned depth = 0;
	bool class = false;
	size_t i;

	for (i = 0; i < regex.len; i++)
		if (regex.b[i] == '\\')
			i++;
		else if (class)
			class = regex.b[i] != ']';
		else if (regex.b[i] == '[')
			/* In []a] the first ] is a member. */
			class = true, i += i + 1 < regex.len &&
			    regex.b[i + 1] == ']';
		else if (regex.b[i] == '(')
			depth++;
		else if (regex.b[i] == ')')
			depth--;
		else if (regex.b[i] == '|' && depth == 0)
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * A path: ^[^?]*\.(css|js)(\?.*)?$ or ^/(a|b)(\?.*)?$
 */

/* Takes an alternative that is a query or its first byte; false: it is not. */
static bool
takes_query(struct fm_text *tail, bool ends)
{
	static const char * const queries[] = { "\\?.*$", "\\?.*", "\\?.+$",
	    "\\?.+", "\\?", "[?].*$", "[?].*", "[?]", NULL };
	size_t i, len;

	for (i = 0; queries[i] != NULL; i++) {
		len = strlen(queries[i]);
		if (!fm_text_begins(*tail, queries[i]) || (tail->len > len &&
		    strchr("|)", tail->b[len]) == NULL) ||
		    /* \?$ is an empty query. */
		    (ends && strchr("*+$", queries[i][len - 1]) == NULL))
			continue;
		*tail = fm_text(tail->b + len, tail->len - len);
		return (true);
	}
	return (false);
}

/* Returns true for a group that fits the end of a URL, or any query. */
static bool
is_tail(struct fm_text tail)
{
	bool ends = cut(&tail, "$"), maybe = cut(&tail, "?"), end = maybe,
	    query = false;

	if (!cut(&tail, ")") || !fm_text_begins(tail, "("))
		return (false);
	tail = fm_text(tail.b + 1, tail.len - 1);
	if (fm_text_begins(tail, "?:"))
		tail = fm_text(tail.b + 2, tail.len - 2);
	for (;;) {
		if (takes_query(&tail, ends)) {
			query = true;
		} else if (fm_text_begins(tail, "$")) {
			end = true;
			tail = fm_text(tail.b + 1, tail.len - 1);
		} else if (tail.len == 0 || *tail.b == '|') {
			/* Nothing: the `$` after the group is the end. */
			end |= ends;
			if (!ends)
				return (false);
		} else {
			return (false);
		}
		if (tail.len == 0)
			break;
		if (*tail.b != '|')
			return (false);
		tail = fm_text(tail.b + 1, tail.len - 1);
	}
	return (query && end && (!maybe || ends));
}

bool
fm_import_path_of(struct fm_import *im, struct fm_text regex,
    struct fm_plain *plain, bool *exact)
{
	struct reader reader = { .im = im, .p = regex.b,
	    .e = regex.b + regex.len };
	bool nocase = takes(&reader, "(?i)"), whole;
	const char *tail = regex.b + regex.len;
	struct fm_plain texts;
	size_t i;

	*exact = takes(&reader, "^[^?]*") || takes(&reader, "^[^\\?]*");
	whole = !*exact && !takes(&reader, "^[^?]+") &&
	    !takes(&reader, "^[^\\?]+") && !takes(&reader, "^.*") &&
	    !takes(&reader, ".*") && takes(&reader, "^");
	while (tail > reader.p && !(*tail == '(' && !is_escaped(regex.b, tail)))
		tail--;
	if (tail == reader.p || !is_tail(fm_text_span(tail, reader.e)))
		return (false);
	*exact &= memmem(tail, (size_t)(reader.e - tail), ".+", 2) == NULL;
	reader.e = tail;
	if (!read_alternatives(&reader, &texts) || reader.p != reader.e ||
	    reader.bar || texts.n > TEXTS_TESTED)
		return (false);
	for (i = 0; i < texts.n; i++)
		if (texts.v[i].len == 0 ||
		    memchr(texts.v[i].b, '?', texts.v[i].len) != NULL)
			return (false);
	*plain = (struct fm_plain){ .mode = whole ? "is" : "ends",
	    .nocase = nocase, .v = texts.v, .n = texts.n, .regex = regex };
	return (true);
}

/*--------------------------------------------------------------------
 * The whole regex
 */

/* Leaves out texts of which another one is a part, where that says it all. */
static void
covered_drop(struct fm_plain *plain)
{
	size_t i, j, n = 0;
	struct fm_text a, b;
	bool covered;

	for (i = 0; i < plain->n; i++) {
		a = plain->v[i];
		for (covered = false, j = 0; j < plain->n && !covered; j++) {
			b = plain->v[j];
			covered = b.len < a.len && (*plain->mode == 'b' ?
			    memcmp(a.b, b.b, b.len) == 0 : *plain->mode == 'e' ?
			    memcmp(a.b + a.len - b.len, b.b, b.len) == 0 :
			    *plain->mode == 'c' &&
			    memmem(a.b, a.len, b.b, b.len) != NULL);
		}
		if (!covered)
			plain->v[n++] = a;
	}
	plain->n = n;
}

void
fm_import_plain(struct fm_import *im, struct fm_text regex, bool globs,
    struct fm_plain *plain)
{
	struct reader reader = { .im = im, .p = regex.b,
	    .e = regex.b + regex.len, .globs = globs };
	bool nocase = takes(&reader, "(?i)"), front = takes(&reader, "^"), back,
	    good;
	size_t i;

	nocase |= takes(&reader, "(?i)");
	good = read_alternatives(&reader, plain);
	back = takes(&reader, "$");
	good = good && reader.p == reader.e && plain->n <= TEXTS_TESTED &&
	    /* In ^a|b the ^ is for a only. */
	    !((front || back) && reader.bar);
	for (i = 0; i < plain->n; i++)
		good = good && plain->v[i].len > 0;
	if (good) {
		plain->mode = front && back ? "is" : front ? "begins" :
		    back ? "ends" : "contains";
		plain->nocase = nocase;
		if (!globs)
			covered_drop(plain);
	} else {
		*plain = (struct fm_plain){ .mode = "~" };
		fm_import_plain_add(im, plain, &regex, 1);
	}
	plain->regex = regex;
}

bool
fm_import_names(struct fm_import *im, struct fm_text regex, bool cookie,
    struct fm_plain *plain)
{
	struct reader reader = { .im = im, .p = regex.b, .e = regex.b +
	    regex.len, .globs = true, .names = true, .cookie = cookie };

	(void)takes(&reader, "(?i)");
	return (read_alternatives(&reader, plain) && reader.p == reader.e);
}

const char *
fm_import_unwild(struct fm_import *im, struct fm_text text, bool glob)
{
	char *out = fm_import_alloc(im, text.len + 1);
	bool inside = false;
	size_t i, n = 0;

	for (i = 0; i < text.len; i++)
		if (text.b[i] == '\1') {
			inside = true;
			i++;
			/* No star follows another one. */
			if (glob && (n == 0 || out[n - 1] != '*' ||
			    text.b[i] != '*'))
				out[n++] = text.b[i];
		} else if (text.b[i] == '\2') {
			inside = false;
		} else if (!inside || !glob) {
			out[n++] = text.b[i];
		}
	return (out);
}

const char *
fm_import_sample(struct fm_import *im, struct fm_text regex)
{
	struct reader reader = { .im = im, .p = regex.b,
	    .e = regex.b + regex.len, .globs = true };
	struct fm_text whole = fm_import_text(im, "^(?:%.*s)$", FM_ARG(regex));
	struct fm_plain texts;
	const char *text;
	size_t i;

	(void)takes(&reader, "^");
	if (!read_alternatives(&reader, &texts))
		return (NULL);
	for (i = 0; i < texts.n; i++) {
		text = fm_import_unwild(im, texts.v[i], false);
		if (fm_import_regex_fits(whole, text) == 1)
			return (text);
	}
	return (NULL);
}

static struct fm_pattern *
pattern_of(struct fm_text regex)
{
	static const struct fm_place nowhere = { .name = "regex" };

	return (fm_pattern_new(FM_PATTERN_REGEX, regex, false, &nowhere, NULL));
}

int
fm_import_regex_fits(struct fm_text regex, const char *text)
{
	struct fm_pattern *pattern = pattern_of(regex);
	struct fm_tally tally = { 0 };
	bool fits;

	if (pattern == NULL)
		return (-1);
	fits = fm_pattern_match(pattern, fm_text_of(text), &tally);
	fm_pattern_free(&pattern);
	return (fits);
}

struct fm_text
fm_import_sub(struct fm_import *im, struct fm_text regex, struct fm_text text,
    struct fm_text to, bool all)
{
	struct fm_pattern *pattern = pattern_of(regex);
	struct fm_tally tally = { 0 };
	char buf[1000];
	size_t len = sizeof buf + 1;

	if (pattern != NULL) {
		len = fm_pattern_sub(pattern, text, to, all, buf, sizeof buf,
		    &tally);
		fm_pattern_free(&pattern);
	}
	return (len > sizeof buf ? text :
	    fm_import_text(im, "%.*s", (int)len, buf));
}

int
fm_import_regex_groups(struct fm_text regex)
{
	char error[FM_REGEX_ERROR_LEN];
	size_t at;
	struct fm_regex *compiled = fm_regex_new(regex, false, error, &at);
	int n;

	if (compiled == NULL)
		return (-1);
	n = (int)fm_regex_group_count(compiled);
	fm_regex_free(&compiled);
	return (n);
}
