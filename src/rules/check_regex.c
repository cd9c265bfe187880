/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes: whether PCRE2 takes them, and what is hardly meant in them.
 */

#include "caps.h"
#include "check_priv.h"

/*
 * In quotes, a quote is written with a backslash before it, and so is a
 * backslash where it could be mistaken otherwise; a backslash before anything
 * else is most likely written as it is.
 */
struct fm_place
fm_check_inside(const struct fm_word *word, size_t offset)
{
	struct fm_place at = word->at;
	char c, next, last = '\0';
	size_t i;

	if (at.column == 0)
		return (at);
	at.column += word->quoted;
	for (i = 0; i < offset && i < word->text.len; i++) {
		c = word->text.b[i];
		next = i + 1 < word->text.len ? word->text.b[i + 1] : '"';
		at.column++;
		if (!word->quoted)
			continue;
		if (c == '"' || (c == '\\' && (next == '"' ||
		    next == '\\' || last == '\\')))
			at.column++;
		last = c;
	}
	return (at);
}

/*--------------------------------------------------------------------
 * A walk over a regex that PCRE2 takes: it finds what is hardly meant, and the
 * bytes that each match has.  It knows escapes, classes and groups, and says
 * nothing of all else.
 */

struct walk {
	struct fm_check		*check;		/* NULL: nothing is told */
	const struct fm_word	*word;
	struct fm_text		t;
	bool			alternative, class, dot;	/* told */
	struct fm_check_needs	needs;
};

/* Returns the byte at i, or NUL. */
static char
walk_at(const struct walk *walk, size_t i)
{
	return (i < walk->t.len ? walk->t.b[i] : '\0');
}

static bool
walk_is(const struct walk *walk, size_t i, const char *bytes)
{
	return (walk_at(walk, i) != '\0' &&
	    strchr(bytes, walk_at(walk, i)) != NULL);
}

static void
walk_warn(const struct walk *walk, size_t i, bool *told, const char *message)
{
	struct fm_place at;

	if (walk->check != NULL && !*told) {
		at = fm_check_inside(walk->word, i);
		fm_diag_warning(walk->check->diag, &at, message,
		    FM_CHECK_QUOTE(walk->t));
	}
	*told = true;
}

/* Returns the offset behind the class that starts at i. */
static size_t
walk_class(struct walk *walk, size_t start)
{
	size_t i = start + 1;

	if (walk_at(walk, i) == '^')
		i++;
	if (walk_at(walk, i) == ']')
		i++;
	for (; i < walk->t.len && walk_at(walk, i) != ']'; i++)
		if (walk_at(walk, i) == '\\')
			i++;
		else if (walk_at(walk, i) == '|' &&
		    fm_check_is_alnum(walk_at(walk, i - 1)) &&
		    fm_check_is_alnum(walk_at(walk, i + 1)))
			walk_warn(walk, start, &walk->class,
			    FM_MSG_WARN_CLASS);
	return (i + 1);
}

/* Returns the offset behind a "(", and what makes the group a special one. */
static size_t
walk_group(struct walk *walk, size_t i)
{
	if (walk_at(walk, i) != '?')
		return (i);
	/* (?i) and the like change what letters mean. */
	walk->needs.unknown |= fm_check_is_alnum(walk_at(walk, i + 1)) &&
	    walk_at(walk, i + 1) != 'P';
	while (i < walk->t.len && !walk_is(walk, i, ":=!>)"))
		i++;
	return (i + 1);
}

/* Words behind a dot: extensions and top-level domains. */
static const char * const behind_dots[] = {
	"7z", "asp", "aspx", "avi", "avif", "biz", "bmp", "cfm", "cgi", "com",
	"css", "csv", "doc", "docx", "edu", "eot", "example", "exe", "gif",
	"gov", "gz", "htm", "html", "ico", "info", "iso", "jar", "jpe",
	"jpeg", "jpg", "js", "json", "jsp", "local", "localhost", "m4a",
	"m4v", "map", "mjs", "mov", "mp3", "mp4", "mpeg", "mpg", "net", "ogg",
	"org", "otf", "pdf", "php", "png", "ppt", "pptx", "rar", "rss", "svg",
	"swf", "tar", "test", "tgz", "ttf", "txt", "wav", "webm", "webp",
	"woff", "woff2", "xls", "xlsx", "xml", "zip", NULL
};

/* Returns true if the dot at i is most likely meant as one. */
static bool
walk_is_dot(struct walk *walk, size_t i)
{
	size_t start = i + 1, end;
	struct fm_text word;

	if (i >= 3 && fm_text_eq_nocase(fm_text(walk->t.b + i - 3, 3),
	    fm_text_of("www")) && !walk_is(walk, i + 1, "*+?{"))
		return (true);
	if (walk_at(walk, start) == '(')
		start = walk_group(walk, start + 1);
	for (end = start; fm_check_is_alnum(walk_at(walk, end)); end++)
		continue;
	word = fm_text(walk->t.b + start, end - start);
	return (!walk_is(walk, end, "*+{-_") &&
	    (fm_text_is_one_of(word, behind_dots) ||
	    /* .de$, of a host */
	    (word.len == 2 && i > 0 &&
	    fm_check_is_alnum(walk_at(walk, i - 1)) &&
	    !fm_check_is_digit(word.b[0]) && walk_is(walk, end, "$/:"))));
}

/* Notes a byte that each match has, but where it is optional. */
static void
walk_needs(struct walk *walk, char c, size_t start, size_t end)
{
	struct fm_check_needs *needs = &walk->needs;

	if (walk_is(walk, end, "?*{") || needs->len == sizeof needs->text)
		return;
	needs->first |= needs->len == 0 && start == 1 &&
	    walk_at(walk, 0) == '^';
	needs->text[needs->len++] = c;
}

/* Passes over an escape or a class; returns the one byte it is, or NUL. */
static char
walk_quoted(struct walk *walk, size_t *i)
{
	size_t start = *i;
	char c = walk_at(walk, start + 1);

	if (walk_at(walk, start) == '\\') {
		*i += 2;
		return (fm_check_is_alnum(c) ? '\0' : c);
	}
	*i = walk_class(walk, start);
	/* [?] and [?&] are where a query begins. */
	return (strspn(walk->t.b + start + 1, "?&#") + 2 == *i - start ? '?' :
	    '\0');
}

/* Looks at a byte that stands for itself, or for more. */
static void
walk_byte(struct walk *walk, size_t i, char last)
{
	char c = walk_at(walk, i), next = walk_at(walk, i + 1);

	if (c == '|' && (strchr("(|", last) != NULL || next == '\0' ||
	    next == ')'))
		walk_warn(walk, i, &walk->alternative,
		    FM_MSG_WARN_ALTERNATIVE);
	if (c == '.' && walk_is_dot(walk, i))
		walk_warn(walk, i, &walk->dot, FM_MSG_WARN_DOT);
	walk->needs.never |= (c == '$' &&
	    (fm_check_is_alnum(next) || next == '/')) ||
	    (c == '^' && (fm_check_is_alnum(last) || last == '/'));
}

static void
walk_all(struct walk *walk)
{
	size_t i = 0, start, depth = 0;
	char c, literal, last = '(';

	while (i < walk->t.len) {
		start = i;
		c = walk_at(walk, i);
		/* \Q and verbs are not looked into. */
		if ((c == '\\' && walk_at(walk, i + 1) == 'Q') ||
		    (c == '(' && walk_at(walk, i + 1) == '*')) {
			walk->needs.unknown = true;
			return;
		}
		if (c == '\\' || c == '[') {
			literal = walk_quoted(walk, &i);
			last = '\1';
		} else {
			walk_byte(walk, i++, last);
			literal = strchr("()|.^$*+?{", c) != NULL ? '\0' : c;
			last = walk_is(walk, i, "?*{") ? '\1' : c;
		}
		if (c == '(') {
			i = walk_group(walk, i);
			/* (?i) is no group */
			depth += walk_at(walk, i - 1) != ')';
		} else if (c == ')') {
			depth -= depth > 0;
		}
		walk->needs.unknown |= c == '|' && depth == 0;
		if (literal != '\0' && depth == 0)
			walk_needs(walk, literal, start, i);
	}
}

struct fm_check_needs
fm_check_regex_needs(struct fm_text regex)
{
	struct walk walk = { .t = regex };

	walk_all(&walk);
	if (walk.needs.unknown)
		memset(&walk.needs, 0, sizeof walk.needs);
	return (walk.needs);
}

/* A regex that matches all texts, as far as two of them tell. */
static bool
matches_everything(const struct fm_regex *re)
{
	struct fm_tally tally = { .scans = 0 };

	return (fm_regex_may_be_empty(re) &&
	    fm_regex_match(re, fm_text("", 0), &tally) &&
	    fm_regex_match(re, fm_text("\1x", 2), &tally));
}

unsigned
fm_check_regex(struct fm_check *check, const struct fm_word *word, bool nocase,
    enum fm_check_regex how)
{
	struct walk walk = { .check = check, .word = word, .t = word->text };
	char error[FM_REGEX_ERROR_LEN];
	struct fm_place at;
	struct fm_regex *re;
	size_t offset = 0;
	unsigned groups;

	if (fm_caps_are_over())
		return (FM_CHECK_GROUPS_UNKNOWN);	/* it was told */
	re = fm_regex_new(word->text, nocase, error, &offset);
	if (re == NULL && *error == '\0') {
		fm_check_memory(check);
		return (FM_CHECK_GROUPS_UNKNOWN);
	}
	if (re == NULL) {
		at = fm_check_inside(word, offset);
		fm_check_error(check, &at, FM_MSG_REGEX,
		    FM_CHECK_QUOTE(word->text), error, offset);
		fm_caps_refused();
		return (FM_CHECK_GROUPS_UNKNOWN);
	}
	groups = fm_regex_group_count(re);
	if (!fm_caps_take_regex(word->text, fm_regex_bytes(re), &word->at,
	    check->diag))
		check->failed++;
	walk_all(&walk);
	if (how != FM_CHECK_REGEX_ANY && !walk.alternative &&
	    (how == FM_CHECK_REGEX_LIST || groups == 0) &&
	    matches_everything(re))
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_EVERYTHING,
		    FM_CHECK_QUOTE(word->text));
	fm_regex_free(&re);
	return (groups);
}
