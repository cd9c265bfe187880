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
 * What is hardly meant, of a regex that PCRE2 takes.  This knows escapes,
 * classes and groups, and says nothing of what it does not know.
 */

struct lint {
	struct fm_check		*check;
	const struct fm_word	*word;
	struct fm_text		t;
	bool			alternative, class, dot;	/* told */
};

static bool
is_alnum(char c)
{
	unsigned char l = fm_lower((unsigned char)c);

	return ((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9'));
}

/* The byte at i, or NUL. */
static char
lint_at(const struct lint *lint, size_t i)
{
	return (i < lint->t.len ? lint->t.b[i] : '\0');
}

/* Whether the byte at i is one of these. */
static bool
lint_is(const struct lint *lint, size_t i, const char *bytes)
{
	return (lint_at(lint, i) != '\0' &&
	    strchr(bytes, lint_at(lint, i)) != NULL);
}

#define LINT_WARN(lint, i, told, message)				\
	do {								\
		struct fm_place at_ =					\
		    fm_check_inside((lint)->word, (i));			\
									\
		if (!(told))						\
			fm_diag_warning((lint)->check->diag, &at_,	\
			    message, FM_CHECK_QUOTE((lint)->t));	\
		(told) = true;						\
	} while (0)

/* The "]" that ends the [:alpha:] at i; i itself if there is none. */
static size_t
lint_posix(const struct lint *lint, size_t i)
{
	const char *end;

	end = memmem(lint->t.b + i, lint->t.len - i, ":]", 2);
	return (end == NULL ? i : (size_t)(end - lint->t.b) + 1);
}

/* The class that starts at i; returns the offset behind it. */
static size_t
lint_class(struct lint *lint, size_t start)
{
	size_t i = start + 1;

	if (lint_at(lint, i) == '^')
		i++;
	if (lint_at(lint, i) == ']')
		i++;
	for (; i < lint->t.len && lint_at(lint, i) != ']'; i++) {
		if (lint_at(lint, i) == '\\')
			i++;
		else if (lint_at(lint, i) == '|' &&
		    is_alnum(lint_at(lint, i - 1)) &&
		    is_alnum(lint_at(lint, i + 1)))
			LINT_WARN(lint, start, lint->class,
			    FM_MSG_WARN_CLASS);
		else if (lint_at(lint, i) == '[' &&
		    lint_at(lint, i + 1) == ':')
			i = lint_posix(lint, i);
	}
	return (i + 1);
}

/*
 * Behind "(": passes over what makes a group a special one, so that an
 * alternative starts there.
 */
static size_t
lint_group(const struct lint *lint, size_t i)
{
	if (lint_at(lint, i) != '?')
		return (i);
	i++;
	if (lint_at(lint, i) == 'P')
		i++;
	if (lint_at(lint, i) == '<' && is_alnum(lint_at(lint, i + 1))) {
		while (i < lint->t.len && lint_at(lint, i) != '>')
			i++;
		return (i + 1);
	}
	if (lint_at(lint, i) == '<')
		i++;
	while (is_alnum(lint_at(lint, i)) || lint_at(lint, i) == '-')
		i++;
	return (i + 1);
}

/*--------------------------------------------------------------------
 * Dots
 */

static const char * const lint_extensions[] = {
	"7z", "asp", "aspx", "avi", "avif", "bmp", "bz2", "cfm", "cgi", "css",
	"csv", "doc", "docx", "eot", "exe", "flv", "gif", "gz", "htm", "html",
	"ico", "iso", "jar", "jpe", "jpeg", "jpg", "js", "json", "jsp", "m4a",
	"m4v", "map", "mjs", "mov", "mp3", "mp4", "mpeg", "mpg", "ogg", "ogv",
	"otf", "pdf", "php", "png", "ppt", "pptx", "rar", "rss", "svg", "swf",
	"tar", "tgz", "tif", "tiff", "ttf", "txt", "wav", "webm", "webp",
	"wmv", "woff", "woff2", "xls", "xlsx", "xml", "zip"
};

static const char * const lint_domains[] = {
	"biz", "com", "edu", "example", "gov", "info", "int", "invalid",
	"local", "localhost", "mil", "net", "org", "test"
};

static bool
is_one_of(struct fm_text t, const char * const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (fm_text_eq_nocase(t, fm_text_of(names[i])))
			return (true);
	return (false);
}
#define IS_IN(t, names)							\
	is_one_of((t), (names), sizeof(names) / sizeof(names)[0])

/* The word of letters and digits at i. */
static struct fm_text
lint_word(const struct lint *lint, size_t i)
{
	size_t e = i;

	while (e < lint->t.len && is_alnum(lint_at(lint, e)))
		e++;
	return (fm_text(lint->t.b + i, e - i));
}

/* Whether what is behind a dot, at i, is an extension, or one of several. */
static bool
lint_is_extension(const struct lint *lint, size_t i)
{
	struct fm_text word;

	if (lint_at(lint, i) != '(') {
		word = lint_word(lint, i);
		return (IS_IN(word, lint_extensions) &&
		    !lint_is(lint, i + word.len, "*+{-_"));
	}
	i = lint_group(lint, i + 1);
	for (;;) {
		word = lint_word(lint, i);
		if (IS_IN(word, lint_extensions))
			return (true);
		while (i < lint->t.len && !lint_is(lint, i, "|)\\[("))
			i++;
		if (lint_at(lint, i) != '|')
			return (false);
		i++;
	}
}

/* Whether the word from i to e ends a host: by its last label. */
static bool
lint_is_domain(const struct lint *lint, size_t i, size_t e)
{
	struct fm_text word = fm_text(lint->t.b + i, e - i);

	return (IS_IN(word, lint_domains) || (word.len == 2 &&
	    (unsigned char)word.b[0] > '9' && (unsigned char)word.b[1] > '9' &&
	    lint_is(lint, e, "$/:")));
}

/*
 * Whether a word at i starts what looks like a host: words with dots between
 * them, the last of which is a top-level domain, or the first of which is
 * www.  Returns the offset behind it, or 0; *dot is the first dot in it that
 * is not escaped, or the end of the regex.
 */
static size_t
lint_host(const struct lint *lint, size_t i, size_t *dot)
{
	bool www = fm_text_eq_nocase(lint_word(lint, i), fm_text_of("www"));
	bool host = false;
	unsigned labels = 0;
	size_t start, end = 0;

	*dot = lint->t.len;
	for (;;) {
		start = i;
		while (is_alnum(lint_at(lint, i)) ||
		    (i > start && lint_at(lint, i) == '-'))
			i++;
		if (i == start)
			break;
		/* a byte that is optional or repeated: no plain word */
		if (lint_is(lint, i, "*+?{"))
			return (0);
		labels++;
		host = lint_is_domain(lint, start, i);
		end = i;
		if (lint_at(lint, i) == '\\' && lint_at(lint, i + 1) == '.') {
			i += 2;
			continue;
		}
		if (lint_at(lint, i) != '.' ||
		    lint_is(lint, i + 1, "*+?{"))
			break;
		if (*dot == lint->t.len && (is_alnum(lint_at(lint, i + 1)) ||
		    (www && labels == 1)))
			*dot = i;
		i++;
	}
	if (labels > 1 ? host || (www && labels > 2) :
	    www && *dot < lint->t.len)
		return (end);
	return (0);
}

/*--------------------------------------------------------------------
 * The walk
 */

/* Whether there is nothing between two of "(", "|", ")" and the ends. */
static void
lint_empty(struct lint *lint, size_t i, bool starts)
{
	char c = lint_at(lint, i);

	if (starts && (c == '|' || (c == ')' && i > 0 &&
	    lint_at(lint, i - 1) == '|')))
		LINT_WARN(lint, i, lint->alternative,
		    FM_MSG_WARN_ALTERNATIVE);
}

static size_t
lint_escape(const struct lint *lint, size_t i)
{
	const char *end;

	if (lint_at(lint, i + 1) != 'Q')
		return (i + 2);
	end = memmem(lint->t.b + i, lint->t.len - i, "\\E", 2);
	return (end == NULL ? lint->t.len :
	    (size_t)(end - lint->t.b) + 2);
}

static void
lint_walk(struct lint *lint)
{
	size_t i = 0, dot, end;
	bool starts = true, within = false, dotted = false;
	char c;

	while (i < lint->t.len) {
		c = lint_at(lint, i);
		lint_empty(lint, i, starts);
		starts = false;
		if (c == '.' && lint_is_extension(lint, i + 1))
			LINT_WARN(lint, i, lint->dot, FM_MSG_WARN_DOT);
		end = is_alnum(c) && !within ? lint_host(lint, i, &dot) : 0;
		within = is_alnum(c) || c == '-';
		if (end > 0 && dotted)
			dot = i - 1;
		dotted = c == '.';
		if (end > 0) {
			if (dot < lint->t.len)
				LINT_WARN(lint, dot, lint->dot,
				    FM_MSG_WARN_DOT);
			i = end;
		} else if (c == '\\') {
			i = lint_escape(lint, i);
		} else if (c == '[') {
			i = lint_class(lint, i);
		} else if (c == '(' && lint_at(lint, i + 1) == '*') {
			return;			/* a verb */
		} else if (c == '(') {
			i = lint_group(lint, i + 1);
			/* (?i) is no group */
			starts = lint_at(lint, i - 1) != ')';
		} else {
			starts = c == '|';
			i++;
		}
	}
	/* ...| at the end */
	if (lint->t.len > 0 && starts && lint_at(lint, i - 1) == '|')
		LINT_WARN(lint, i - 1, lint->alternative,
		    FM_MSG_WARN_ALTERNATIVE);
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
	struct lint lint = { .check = check, .word = word, .t = word->text };
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
	lint_walk(&lint);
	if (how != FM_CHECK_REGEX_ANY && !lint.alternative &&
	    (how == FM_CHECK_REGEX_LIST || groups == 0) &&
	    matches_everything(re))
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_EVERYTHING,
		    FM_CHECK_QUOTE(word->text));
	fm_regex_free(&re);
	return (groups);
}
