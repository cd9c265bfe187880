/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random regexes, each together with a text that the regex probably
 * matches, and subjects that are made of such texts.
 */

#ifndef TWIN_REGEX_H
#define TWIN_REGEX_H

#include "unit.h"

#define TWIN_REGEX_MAX	400
#define TWIN_REGEX_TEXT	40

struct twin_regex {
	char		regex[TWIN_REGEX_MAX];	/* ends in NUL */
	char		text[TWIN_REGEX_TEXT];
	size_t		len, ntext;
	unsigned	depth;		/* of groups, while it is made */
	bool		more;		/* has syntax that only PCRE2 reads */
	bool		full;		/* `regex` has no room left */
};

/* A part of a regex, and what it matches. */
struct twin_piece {
	const char	*regex, *text;
};

static const struct twin_piece twin_words[] = {
	{ "a", "a" }, { "b", "b" }, { "c", "c" }, { "A", "A" }, { "B", "B" },
	{ "x", "x" }, { "0", "0" }, { "7", "7" }, { "_", "_" }, { "-", "-" },
	{ "/", "/" }, { " ", " " }, { ";", ";" }, { "ab", "ab" },
	{ "bot", "bot" }, { "Android", "Android" }, { "Mozilla", "Mozilla" },
	{ "\\.", "." }, { "\\x0a", "\n" }, { "\\x0b", "\v" },
	{ "\\xe9", "\xe9" }, { "\\xc9", "\xc9" }, { "\\n", "\n" },
	{ "\\r", "\r" }, { "\\t", "\t" }, { "\xe9", "\xe9" }, { "\n", "\n" },
	{ "\"", "\"" }, { "]", "]" }, { "}", "}" }, { "&", "&" },
	{ "#", "#" }, { "~", "~" }, { "\\e", "\033" }, { "\\\\", "\\" },
	{ "\\f", "\f" }, { "\\a", "\a" }, { "\\-", "-" }, { "\\/", "/" },
	{ "\\[", "[" }, { "\\|", "|" }, { "\\x7f", "\x7f" }
};

/* Classes: each byte of the text matches. */
static const struct twin_piece twin_classes[] = {
	{ ".", "aZ;\r\v" }, { "\\d", "07" }, { "\\D", "a \n" },
	{ "\\w", "aB0_" }, { "\\W", " -\n\xe9" }, { "\\s", " \n\r\v\t" },
	{ "\\S", "a-\xe9" }, { "[a-c]", "abc" }, { "[^a]", "Ab\n\xe9" },
	{ "[[:alpha:]]", "aBx" }, { "[[:^digit:]_]", "a_ " },
	{ "[[:space:]]", " \v\n" }, { "[[:punct:]]", "_;]" },
	{ "[[:upper:]]", "AB" }, { "[]a]", "]a" }, { "[^]\\n]", "a\r" },
	{ "[a\\-z]", "a-z" }, { "[\\w.-]", "a.-_" },
	{ "[\\x00-\\x1f]", "\n\001\r" }, { "[\\x80-\\xff]", "\xe9\x80" },
	{ "[A-Za-z0-9]", "aB7" }, { "[-a]", "-a" }, { "[^\\W\\d]", "a_" },
	{ "[\\s,]", " ,\n" }, { "[[:lower:]]", "ab" },
	{ "[[:alnum:]]", "aB7" }, { "[[:xdigit:]-]", "aB7-" },
	{ "[^\\w\\s]", "-;\xe9" }, { "[!-/]", "-/" }, { "[a-]", "a-" },
	{ "[\\]\\\\]", "]\\" }, { "[[:^space:]]", "a\xe9" },
	{ "[^-a-c]", "x\n" }, { "[\\n-\\r]", "\n\v\r" }, { "[[a]", "[a" }
};

static const struct twin_piece twin_more[] = {
	{ "(a|b)\\1", "aa" }, { "(\\w+) \\1", "foo foo" }, { "(?=a)", "" },
	{ "(?!b)", "" }, { "(?<=a)", "" }, { "(?<!c)", "" }, { "\\h", " " },
	{ "\\R", "\r\n" }, { "\\N", "a" }, { "\\Qa.b\\E", "a.b" },
	{ "\\x{62}", "b" }, { "\\101", "A" }, { "\\Z", "" }, { "(?#c)", "" },
	{ "a{,2}", "a{,2}" }, { "\\K", "" }, { "(?x)a b(?-x)", "ab" },
	{ "a++", "aa" }, { "(?>a|ab)c", "ac" }, { "b{0}", "" },
	{ "(?:a|b)*+c", "abc" }, { "[\\d-z]", "-" }, { "\\v", "\v" },
	{ "(?<=\\w|;)x", "" }, { "(?!.*bot)", "" }, { "(?(?=a)a|b)", "b" }
};

static const char * const twin_anchors[] = {
	"\\b", "\\b", "\\b", "\\b", "\\B", "\\B", "\\B", "^", "$"
};
static const char * const twin_begins[] = { "^", "^", "\\A", "\\b" };
static const char * const twin_ends[] = { "$", "$", "\\z", "\\b" };
static const char * const twin_opens[] = {
	"(", "(", "(?:", "(?:", "(?i:", "(?s:", "(?m:", "(?-i:", "(?is-m:"
};
static const char * const twin_options[] = {
	"(?i)", "(?s)", "(?m)", "(?-s)", "(?-i)", "(?im-s)"
};

static const struct {
	const char	*regex;
	unsigned	least, most;	/* repetitions in the texts made */
} twin_quantifiers[] = {
	{ "*", 0, 3 }, { "+", 1, 3 }, { "?", 0, 1 }, { "*?", 0, 3 },
	{ "+?", 1, 3 }, { "??", 0, 1 }, { "{2}", 2, 2 }, { "{1,3}", 1, 3 },
	{ "{2,}", 2, 4 }, { "{0,2}?", 0, 2 }, { "{1}", 1, 1 },
	{ "{0,1}", 0, 1 }, { "{0,}", 0, 3 }, { "{3,5}?", 3, 4 }
};

#define TWIN_ANY_OF(a)	((a)[unit_below(sizeof (a) / sizeof *(a))])

static inline void
twin_put(struct twin_regex *m, const char *regex)
{
	size_t len = strlen(regex);

	m->full |= m->len + len >= sizeof m->regex;
	if (m->full)
		return;
	memcpy(m->regex + m->len, regex, len + 1);
	m->len += len;
}

/* Adds to the text, unless it gets too long; then it may not match. */
static inline void
twin_put_text(struct twin_regex *m, const char *b, size_t len)
{
	if (m->ntext + len > sizeof m->text)
		return;
	memcpy(m->text + m->ntext, b, len);
	m->ntext += len;
}

static inline bool twin_put_alternation(struct twin_regex *, bool begins,
    bool ends);

/* Puts an atom; returns true if it may be repeated. */
static inline bool
twin_put_atom(struct twin_regex *m, bool begins, bool ends)
{
	unsigned what = unit_below(m->more ? 24 : 20);
	struct twin_piece piece;
	bool repeats;

	if (what == 1 && unit_below(4) == 0) {
		twin_put(m, TWIN_ANY_OF(twin_options));
		return (false);
	}
	if (what >= 1 && what < 5 && m->depth < 3) {
		m->depth++;
		twin_put(m, TWIN_ANY_OF(twin_opens));
		repeats = twin_put_alternation(m, begins, ends);
		twin_put(m, ")");
		m->depth--;
		return (repeats);
	}
	if (what >= 1 && what < 10) {
		piece = TWIN_ANY_OF(twin_classes);
		twin_put(m, piece.regex);
		twin_put_text(m, &piece.text[unit_below(
		    (unsigned)strlen(piece.text))], 1);
		return (true);
	}
	if (what == 0) {
		twin_put(m, TWIN_ANY_OF(twin_anchors));
		return (false);
	}
	piece = what < 20 ? TWIN_ANY_OF(twin_words) : TWIN_ANY_OF(twin_more);
	twin_put(m, piece.regex);
	twin_put_text(m, piece.text, strlen(piece.text));
	return (what < 20 && strlen(piece.text) == 1);
}

/* Puts a quantifier after an atom whose text begins at `from`. */
static inline void
twin_put_quantifier(struct twin_regex *m, size_t from)
{
	unsigned q = unit_below(sizeof twin_quantifiers /
	    sizeof *twin_quantifiers);
	unsigned times = twin_quantifiers[q].least + unit_below(
	    twin_quantifiers[q].most - twin_quantifiers[q].least + 1);
	size_t len = m->ntext - from;

	twin_put(m, twin_quantifiers[q].regex);
	if (times == 0)
		m->ntext = from;
	while (times-- > 1)
		twin_put_text(m, m->text + from, len);
}

/* Puts an anchor, now and then, if this is an end of the regex. */
static inline bool
twin_put_end(struct twin_regex *m, bool is_end, const char *anchor)
{
	if (!is_end || unit_below(12) > 0)
		return (false);
	twin_put(m, anchor);
	return (true);
}

/*
 * Puts some branches; the text of one of them stays.  Anchors in the middle of
 * a regex, or in repeated parts, are rare, since few texts would match.
 */
static inline bool
twin_put_alternation(struct twin_regex *m, bool begins, bool ends)
{
	size_t begin = m->ntext, branch, from;
	unsigned n, i, branches = 0;
	bool anchored = false;

	do {
		branch = m->ntext;
		anchored |= twin_put_end(m, begins, TWIN_ANY_OF(twin_begins));
		n = unit_below(30) == 0 ? 0 :
		    1 + unit_below(m->depth == 0 ? 5 : 4);
		for (i = 0; i < n; i++) {
			from = m->ntext;
			if (twin_put_atom(m, begins && i == 0, ends &&
			    i + 1 == n) && unit_below(3) == 0)
				twin_put_quantifier(m, from);
		}
		anchored |= twin_put_end(m, ends, TWIN_ANY_OF(twin_ends));
		if (unit_below(++branches) > 0)
			m->ntext = branch;
		else {
			memmove(m->text + begin, m->text + branch,
			    m->ntext - branch);
			m->ntext -= branch - begin;
		}
	} while (unit_below(4) == 0 && (twin_put(m, "|"), true));
	return (!anchored);
}

/*
 * Makes a regex of the syntax that both engines read alike; or, with `more`, of
 * the syntax that only PCRE2 reads, which PCRE2 may refuse.
 */
static inline void
twin_regex_make(struct twin_regex *m, bool more)
{
	do {
		*m = (struct twin_regex){ .more = more };
		(void)twin_put_alternation(m, true, true);
	} while (m->full);
}

#define TWIN_SUBJECT_MAX	(6 * TWIN_REGEX_TEXT)

/* Makes a subject of the texts of some regexes, and of other bytes. */

static inline struct fm_text
twin_regex_subject(const struct twin_regex *regexes, unsigned n,
    char buf[TWIN_SUBJECT_MAX])
{
	/* The NUL at its end is one of the bytes. */
	static const char bytes[] = "aabbcABCxX07_-/ ;.\n\n\r\v\t\xe9\xc9\x80\1"
	    "\"]}&#~e";
	const struct twin_regex *m;
	unsigned pieces = unit_below(4) == 0 ? 1 : unit_below(7), i;
	size_t len = 0;

	while (pieces-- > 0) {
		m = &regexes[unit_below(n)];
		if (unit_below(4) > 0) {
			memcpy(buf + len, m->text, m->ntext);
			len += m->ntext;
		} else
			for (i = unit_below(5); i > 0; i--)
				buf[len++] = bytes[unit_below(sizeof bytes)];
	}
	if (len > 0 && unit_below(6) == 0)
		buf[unit_below((unsigned)len)] ^= 0x20;
	return (fm_text(buf, len));
}

#endif
