/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks regexes: reports one that PCRE2 refuses, and warns of what is probably
 * not meant, as the dots of `www.example.com`.  Also finds a text that each
 * match of a regex has, for check_operand.c.
 */

#include "caps.h"
#include "check_priv.h"

/*
 * Counts the escapes of a word in quotes: \" for a quote, \\ for a backslash.
 * A backslash before another byte was most likely written alone.
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
 * A walk over a regex that PCRE2 takes
 *
 * It finds what is probably not meant, and the bytes that each match has.  It
 * knows escapes, classes and groups, and passes over all else.
 *
 *	^/a[x|y]b	warns of [x|y]; needs "/a", first
 */

struct walk {
	struct fm_check		*check;		/* NULL: it warns of nothing */
	const struct fm_word	*word;
	struct fm_text		t;		/* the regex */
	bool			told;		/* it warned: once is enough */
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
walk_warn(struct walk *walk, size_t i, const char *message)
{
	struct fm_place at;

	if (walk->check == NULL || walk->told)
		return;
	at = fm_check_inside(walk->word, i);
	fm_diag_warning(walk->check->diag, &at, message,
	    FM_SHOW(walk->t));
	walk->told = true;
}

/* Returns the offset after the class that starts there. */
static size_t
walk_class(struct walk *walk, size_t start)
{
	size_t first = start + 1 + (walk_at(walk, start + 1) == '^'), i;

	for (i = first; i < walk->t.len && (walk_at(walk, i) != ']' ||
	    i == first); i++)
		if (walk_at(walk, i) == '\\')
			i++;
		else if (walk_at(walk, i) == '|' &&
		    fm_check_is_alnum(walk_at(walk, i - 1)) &&
		    fm_check_is_alnum(walk_at(walk, i + 1)))
			walk_warn(walk, start, FM_MSG_WARN_CLASS);
	return (i + 1);
}

/* Returns the offset after a "(", or after a "(?:", "(?<name>", "(?i)". */
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

/* Words after a dot: extensions and top-level domains. */
static const char * const after_dots[] = {
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
	    (fm_text_is_one_of(word, after_dots) ||
	    /* .de$, of a host */
	    (word.len == 2 && i > 0 &&
	    fm_check_is_alnum(walk_at(walk, i - 1)) &&
	    !fm_check_is_digit(word.b[0]) && walk_is(walk, end, "$/:"))));
}

/* Notes a byte that each match has, unless it is optional. */
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

/*
 * Looks at the byte at i.  last is the byte before it; or \1 after an escape,
 * a class, and a byte that is optional.
 */
static void
walk_byte(struct walk *walk, size_t i, char last)
{
	char c = walk_at(walk, i), next = walk_at(walk, i + 1);

	if (c == '|' && (strchr("(|", last) != NULL || next == '\0' ||
	    next == ')'))
		walk_warn(walk, i, FM_MSG_WARN_ALTERNATIVE);
	if (c == '.' && walk_is_dot(walk, i))
		walk_warn(walk, i, FM_MSG_WARN_DOT);
	walk->needs.never |= (c == '$' &&
	    (fm_check_is_alnum(next) || next == '/')) ||
	    (c == '^' && (fm_check_is_alnum(last) || last == '/'));
}

/* Goes over the whole regex. */
static void
walk_all(struct walk *walk)
{
	size_t i, end, depth = 0;
	char c, next, literal, last = '(';
	struct fm_text t = fm_text_or_empty(walk->t);

	/* \Q and verbs are not looked into. */
	walk->needs.unknown = fm_text_has(t, "\\Q") || fm_text_has(t, "(*");
	if (walk->needs.unknown)
		return;
	for (i = 0; i < walk->t.len; i = end) {
		c = walk_at(walk, i);
		next = walk_at(walk, i + 1);
		literal = '\0';
		end = i + 1;
		walk_byte(walk, i, last);
		last = walk_is(walk, end, "?*{") ? '\1' : c;
		if (c == '\\') {
			end = i + 2;
			literal = fm_check_is_alnum(next) ? '\0' : next;
			last = '\1';
		} else if (c == '[') {
			end = walk_class(walk, i);
			/* [?] and [?&] are where a query begins. */
			if (strspn(walk->t.b + i + 1, "?&#") + 2 == end - i)
				literal = '?';
			last = '\1';
		} else if (c == '(') {
			end = walk_group(walk, end);
			/* (?i) is not a group */
			depth += walk_at(walk, end - 1) != ')';
		} else if (c == '{') {
			end += strspn(t.b + end, "0123456789,}");
		} else if (strchr(")|.^$*+?", c) == NULL) {
			literal = c;
		}
		depth -= c == ')' && depth > 0;
		walk->needs.unknown |= c == '|' && depth == 0;
		if (literal != '\0' && depth == 0)
			walk_needs(walk, literal, i, end);
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

/* Returns true if a regex seems to match every text: it matches two samples. */
static bool
matches_everything(const struct fm_regex *re)
{
	struct fm_tally tally = { .scans = 0 };

	return (fm_regex_match(re, fm_text("", 0), &tally) &&
	    fm_regex_match(re, fm_text("\1x", 2), &tally));
}

unsigned
fm_check_regex(struct fm_check *check, const struct fm_word *word, bool nocase,
    bool all)
{
	struct walk walk = { .check = check, .word = word, .t = word->text };
	char error[FM_REGEX_ERROR_LEN] = "";
	struct fm_regex *re = NULL;
	struct fm_place at;
	size_t offset = 0;
	unsigned groups;

	if (!fm_caps_are_over()) {		/* else it was told */
		re = fm_regex_new(word->text, nocase, error, &offset);
		if (re == NULL && *error == '\0')
			fm_diag_no_memory(check->diag);
	}
	if (*error != '\0') {
		at = fm_check_inside(word, offset);
		fm_check_error(check, &at, FM_MSG_REGEX,
		    FM_SHOW(word->text), error, offset);
		fm_caps_refused();
	}
	if (re == NULL)
		return (FM_CHECK_GROUPS_UNKNOWN);
	groups = fm_regex_group_count(re);
	(void)fm_caps_take_regex(word->text, fm_regex_bytes(re), &word->at,
	    check->diag);
	walk_all(&walk);
	if (!all && !walk.told && groups == 0 && matches_everything(re))
		fm_check_word_warn(check, word, FM_MSG_WARN_EVERYTHING);
	fm_regex_free(&re);
	return (groups);
}
