/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks operands.  Warns of those that
 *
 *	never match their subject	host is https://a.example
 *	are for another mode		path is /a*
 *	match too much			path contains e
 */

#include <stdio.h>

#include "addrs.h"
#include "check_priv.h"
#include "distance.h"
#include "hostname.h"

/*
 * A text has these bytes in it if an operand fits:
 *
 *	begins /a	"/a", and it is first
 *	~ "^/a.*[.]b"	"/a", and it is first
 *	like *x*	"x"
 */
struct need {
	struct fm_text		t;
	enum fm_pattern_kind	kind;
	bool			first, last;	/* how the text begins, ends */
	bool			nocase;
};

#define KIND(kind)	FM_CHECK_KIND(FM_SUBJECT_ ## kind)

/* Subjects that never have a `*`, a `|` or a `^`. */
#define PLAIN	(KIND(URL) | KIND(PATH) | KIND(CLEAN_PATH) | KIND(HOST) | \
    KIND(METHOD) | KIND(STATUS) | KIND(TYPE) | FM_CHECK_AGENT)
#define URLS	(KIND(URL) | KIND(PATH) | KIND(CLEAN_PATH))

static bool
has_between(struct fm_text t, char from, char to)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] >= from && t.b[i] <= to)
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Operands that never fit
 */

static const char *
method_never(const struct need *need)
{
	static const char * const known[] = { "GET", "HEAD", "POST", "PUT",
	    "DELETE", "OPTIONS", "PATCH", "PURGE", NULL };
	unsigned i;

	if (!need->nocase && has_between(need->t, 'a', 'z'))
		return ("methods are in upper case, and compared as they are");
	if (fm_text_has_any(need->t, " */|,()"))
		return ("a method is one word");
	for (i = 0; need->kind == FM_PATTERN_EXACT && known[i] != NULL; i++)
		if (fm_text_eq_nocase(need->t, fm_text_of(known[i])))
			return (NULL);
	for (i = 0; need->kind == FM_PATTERN_EXACT && known[i] != NULL; i++)
		if (fm_distance(need->t, fm_text_of(known[i]), 1) == 1)
			return ("there is no such method: is it misspelt?");
	return (NULL);
}

static const char *
host_never(const struct need *need)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon, t = need->t;

	if (need->kind == FM_PATTERN_EXACT) {
		if (fm_hostname_canon(t, buf, &canon) == FM_HOSTNAME_OK)
			return (NULL);
		return (fm_text_has_any(t, "*") ?
		    "it is not a host: use like for a '*'" :
		    "it is not a host");
	}
	if (fm_text_has_any(t, "/?# ,") ||
	    (fm_text_has(t, ":") && !fm_text_has(t, "[")))
		return ("a host has no scheme, port or path");
	if (need->last && t.len > 0 && t.b[t.len - 1] == '.')
		return ("the host has no dot at its end");
	if (need->kind == FM_PATTERN_REGEX && !need->nocase &&
	    has_between(t, 'A', 'Z'))
		return ("the host is in lower case");
	return (NULL);
}

/* Returns true if a text has `%2f`, `//` or `?`, which no clean path has. */
static bool
is_unclean(struct fm_text t)
{
	size_t i;

	for (i = 0; i + 2 < t.len; i++)
		if (t.b[i] == '%' && fm_hex_digit(t.b[i + 1]) >= 0 &&
		    fm_hex_digit(t.b[i + 2]) >= 0)
			return (true);
	return (fm_text_has(t, "?") || fm_text_has(t, "//") ||
	    fm_text_has(t, "/./") || fm_text_has(t, "/../") ||
	    (t.len > 2 && memcmp(t.b + t.len - 3, "/..", 3) == 0));
}

static const char *
url_never(const struct need *need, unsigned subject)
{
	struct fm_text t = need->t;

	if (need->first && (t.len == 0 || (*t.b != '/' &&
	    !fm_text_eq(t, fm_text_of("*")))))
		return (fm_text_has(t, "://") ? subject == KIND(URL) ?
		    "a URL starts with '/', after scheme and host" :
		    "a path starts with '/', after scheme and host" :
		    subject == KIND(URL) ? "a URL starts with '/'" :
		    "a path starts with '/'");
	if (subject == KIND(CLEAN_PATH))
		return (NULL);
	if (subject == KIND(PATH) && fm_text_has(t, "?"))
		return ("a path ends before the '?', use url");
	if (fm_text_has(t, " "))
		return ("a URL has no blanks: write %20, or ask clean path");
	if (fm_text_has(t, "#"))
		return ("a URL with a raw '#' is refused, write %23");
	return (NULL);
}

static const char *
value_never(const struct need *need, unsigned subject)
{
	struct fm_text t = need->t;

	if (subject == KIND(QUERY))
		return (fm_text_has_any(t, " &#") ?
		    "a parameter is compared as it is in the URL: write "
		    "%20 and the like" : NULL);
	if (subject == KIND(COOKIE) && fm_text_has(t, ";"))
		return ("a ';' ends a cookie");
	if (t.len > 0 && ((need->first && *t.b == ' ') ||
	    (need->last && t.b[t.len - 1] == ' ')))
		return ("there are no blanks at the ends of a value");
	return (NULL);
}

static const char *
status_never(const struct need *need)
{
	size_t i;

	for (i = 0; i < need->t.len; i++)
		if (need->t.b[i] < '0' || need->t.b[i] > '9')
			break;
	return (i < need->t.len || i > 3 ||
	    (need->kind == FM_PATTERN_EXACT && i < 3) ?
	    "a status is three digits, and 'begins 2' is each of 2xx" : NULL);
}

static const char *
type_never(const struct need *need)
{
	if (fm_text_has_any(need->t, "; "))
		return ("a type ends before its ';'");
	if (need->kind == FM_PATTERN_EXACT && need->t.len > 0 &&
	    !fm_text_has(need->t, "/"))
		return ("a type has two parts, as text/html: write both, or "
		    "'contains'");
	return (!need->nocase && has_between(need->t, 'A', 'Z') ?
	    "a type is in lower case" : NULL);
}

/* Returns why no text of this subject is like that, or NULL. */
static const char *
never(const struct need *need, unsigned subject)
{
	if (subject == KIND(METHOD))
		return (method_never(need));
	if (subject == KIND(HOST))
		return (host_never(need));
	if (subject == KIND(STATUS))
		return (status_never(need));
	if (subject == KIND(TYPE))
		return (type_never(need));
	if ((subject & URLS) != 0)
		return (url_never(need, subject));
	return (value_never(need, subject));
}

/* Returns true if a regex stands in slashes, as those of JavaScript do. */
static bool
is_in_slashes(struct fm_text t, unsigned subject)
{
	struct fm_text end = t;

	if (t.len < 3 || *t.b != '/')
		return (false);
	if (t.b[1] == '^')
		return (true);
	if (t.b[t.len - 1] == 'i')
		end.len--;
	return (end.len > 2 && end.b[end.len - 1] == '/' &&
	    ((subject & URLS) == 0 || fm_text_has(t, "\\/")));
}

static const char *
regex_never(struct fm_text t, bool nocase, unsigned subject)
{
	struct fm_check_needs needs = fm_check_regex_needs(t);
	struct need need = { .kind = FM_PATTERN_REGEX, .nocase = nocase,
	    .first = needs.first && needs.len > 0 };
	size_t i;

	if (is_in_slashes(t, subject))
		return ("a regex has no slashes around it");
	if (needs.never)
		return ("nothing comes before '^' or after '$'");
	/* Letters in a group count where a method is asked. */
	for (i = 0; i < t.len; i++)
		if ((t.b[i] < 'a' || t.b[i] > 'z') &&
		    strchr("^$|()", t.b[i]) == NULL)
			break;
	need.t = i == t.len && subject == KIND(METHOD) &&
	    has_between(t, 'a', 'z') ? fm_text("a", 1) :
	    fm_text(needs.text, needs.len);
	return (need.t.len == 0 ? NULL : never(&need, subject));
}

static const char *
operand_never(enum fm_pattern_kind mode, struct fm_text t, bool nocase,
    unsigned subject)
{
	struct need need = { .nocase = nocase };

	if (mode == FM_PATTERN_REGEX)
		return (regex_never(t, nocase, subject));
	need.kind = fm_check_kind(mode, &t);
	need.t = t;
	need.first = need.kind == FM_PATTERN_EXACT ||
	    need.kind == FM_PATTERN_PREFIX ||
	    (need.kind == FM_PATTERN_GLOB && *t.b != '*' && *t.b != '?');
	need.last = need.kind == FM_PATTERN_EXACT ||
	    need.kind == FM_PATTERN_SUFFIX;
	/* A `?` of a glob is any byte. */
	if (need.kind == FM_PATTERN_GLOB && subject != KIND(HOST))
		return (need.first && (subject & URLS) != 0 ?
		    url_never(&(struct need){ .t = fm_text(t.b, 1),
		    .first = true }, subject) : NULL);
	return (need.kind == FM_PATTERN_GLOB && fm_text_has_any(t, "?") ? NULL :
	    never(&need, subject));
}

/*--------------------------------------------------------------------
 * Operands that are written for another mode
 */

const char *
fm_check_other_mode(enum fm_pattern_kind mode, struct fm_text t, bool bars)
{
	if (mode == FM_PATTERN_REGEX || t.len < 2)
		return (NULL);
	if (*t.b == '^' || t.b[t.len - 1] == '$' || fm_text_has(t, "\\") ||
	    (mode != FM_PATTERN_GLOB &&
	    (fm_text_has(t, ".*") || fm_text_has(t, ".+"))) ||
	    (fm_text_has(t, "|") && (!bars || fm_text_has(t, "("))))
		return ("the mode for a regex is '~'");
	if (mode == FM_PATTERN_GLOB)
		return (fm_text_has(t, "{") && fm_text_has(t, ",") ?
		    "a glob has '*' and '?' only" : NULL);
	return (fm_text_has(t, "*") && !fm_text_has(t, "*/*") ?
	    "the mode for a '*' is 'like'" : NULL);
}

/* Returns why no User-Agent is like that, or NULL. */
static const char *
agent_never(enum fm_pattern_kind mode, struct fm_text t, bool nocase)
{
	static const char * const names[] = { "Googlebot", "iPad", "iPhone",
	    "iPod", "Mozilla", "Safari", "Firefox", "Macintosh", "Android",
	    "Chrome", "Mobile", "bingbot", NULL };
	const unsigned odd = 8;		/* from here on some have it so */
	unsigned i;

	mode = fm_check_kind(mode, &t);
	for (i = 0; names[i] != NULL; i++) {
		if (!fm_text_eq_nocase(t, fm_text_of(names[i])))
			continue;
		if (mode == FM_PATTERN_EXACT)
			return ("it has to be all of the User-Agent: use "
			    "contains");
		if (i < odd && !nocase && !fm_text_eq(t, fm_text_of(names[i])))
			return ("there it has capitals: write them, or use "
			    "nocase");
	}
	return (NULL);
}

bool
fm_check_raw(struct fm_check *check, const struct fm_word *word,
    enum fm_pattern_kind mode, const char *instead)
{
	char sent[3 * 64 + 1], *to = sent;
	struct fm_text t = word->text;
	struct fm_check_needs needs = fm_check_regex_needs(t);
	size_t i;

	if (!has_between(mode == FM_PATTERN_REGEX ? fm_text(needs.text,
	    needs.len) : t, '\x80', '\xff'))
		return (false);
	for (i = 0; i < t.len && to + 3 < sent + sizeof sent; i++)
		if ((unsigned char)t.b[i] >= 0x80 || t.b[i] == ' ')
			to += sprintf(to, "%%%02X", (unsigned char)t.b[i]);
		else
			*to++ = t.b[i];
	fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_RAW, FM_SHOW(t),
	    (int)(to - sent), sent, i < t.len ? "..." : "", instead);
	return (true);
}

static void
operand_check(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_word *word, bool nocase, unsigned subjects, bool coded)
{
	unsigned kinds = (subjects & FM_CHECK_NAMES) != 0 ? 0 :
	    subjects & FM_CHECK_KINDS;
	bool one = kinds != 0 && (kinds & (kinds - 1)) == 0;
	struct fm_check_needs needs = fm_check_regex_needs(word->text);
	const char *why = NULL;

	if (word->text.len == 0 && mode != FM_PATTERN_EXACT)
		return;
	if (mode != FM_PATTERN_REGEX && fm_check_slip_operand(check, word))
		return;
	if (kinds != 0 && (kinds & ~PLAIN) == 0)
		why = fm_check_other_mode(mode, word->text,
		    (kinds & FM_CHECK_AGENT) != 0 && word->quoted);
	if (why != NULL) {
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_MODE,
		    FM_SHOW(word->text), why);
		return;
	}
	if (kinds != 0 && !coded &&
	    (kinds & ~(KIND(URL) | KIND(PATH))) == 0 &&
	    fm_check_raw(check, word, mode, ", or 'clean path'"))
		return;
	if (one)
		why = operand_never(mode, word->text, nocase, kinds);
	if (why == NULL && kinds == FM_CHECK_AGENT)
		why = agent_never(mode, word->text, nocase);
	if (why != NULL)
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_FITS,
		    FM_SHOW(word->text), why);
	else if (kinds == KIND(CLEAN_PATH) && !coded &&
	    mode != FM_PATTERN_GLOB &&
	    is_unclean(mode == FM_PATTERN_REGEX ? fm_text(needs.text,
	    needs.len) : word->text))
		fm_check_word_warn(check, word, FM_MSG_WARN_CLEAN);
}

/*--------------------------------------------------------------------
 * All operands of a test, a list or a map
 */

/*
 * Returns true if a part of a text is one letter or digit, or two of them.
 * `path begins /` is not a slip.
 */
static bool
is_short(enum fm_pattern_kind mode, struct fm_text t, unsigned subjects)
{
	bool broad = (subjects & FM_CHECK_BROAD) != 0;
	enum fm_pattern_kind kind = fm_check_kind(mode, &t);
	size_t i, max = 0;

	if (kind == FM_PATTERN_CONTAINS)
		max = broad ? 2 : 1;
	else if (kind == FM_PATTERN_PREFIX || kind == FM_PATTERN_SUFFIX)
		max = broad || (subjects & FM_CHECK_NAMES) != 0;
	if (broad && kind == FM_PATTERN_CONTAINS &&
	    fm_text_eq(t, fm_text_of("/")))
		return (true);
	for (i = 0; i < t.len && i <= max; i++)
		if (!fm_check_is_alnum(t.b[i]))
			return (false);
	return (t.len > 0 && t.len <= max);
}

/*
 * Warns of operands that match too much.  Parts of a header, a cookie or a
 * parameter may well be short: there one byte is told of, or nothing.
 */
static void
short_check(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, unsigned subjects)
{
	const struct fm_word *word;

	if ((subjects & (FM_CHECK_OTHER | FM_CHECK_BROAD | FM_CHECK_HEADER |
	    FM_CHECK_NAMES)) == FM_CHECK_OTHER)
		return;
	for (word = words->first; word != NULL; word = word->next)
		if (is_short(mode, word->text, subjects))
			fm_check_word_warn(check, word, FM_MSG_WARN_SHORT);
		else if (fm_check_is_stars(mode, word->text))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_ALWAYS, fm_mode_word(mode),
			    FM_SHOW(word->text));
}

/* Warns of networks that are compared as texts, once. */
static void
network_check(struct fm_check *check, const struct fm_words *words,
    unsigned subjects)
{
	const struct fm_word *word = words->first;

	if ((subjects & FM_CHECK_NAMES) != 0 ||
	    (subjects & FM_CHECK_KINDS & ~URLS) == 0)
		return;
	while (word != NULL && !(fm_text_has(word->text, "/") &&
	    fm_network_is_like(word->text)))
		word = word->next;
	if (word != NULL)
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_FITS,
		    FM_SHOW(word->text),
		    "a network is compared as a text here: write 'in'");
}

void
fm_check_operands(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, bool nocase, unsigned subjects,
    struct fm_cond *test)
{
	const struct fm_word *word;
	unsigned groups;
	bool any = mode == FM_PATTERN_CONTAINS ||
	    mode == FM_PATTERN_PREFIX || mode == FM_PATTERN_SUFFIX;

	for (word = words->first; word != NULL; word = word->next) {
		if (any && word->text.len == 0)
			fm_check_error(check, &word->at, FM_MSG_EMPTY_OPERAND,
			    fm_mode_word(mode));
		else if (mode == FM_PATTERN_REGEX) {
			groups = fm_check_regex(check, word, nocase, false);
			if (test != NULL && groups > test->groups)
				test->groups = groups;
		}
		operand_check(check, mode, word, nocase, subjects,
		    test != NULL && test->subject.which != FM_WHICH_FIRST);
	}
	fm_check_slip_words(check, words, subjects);
	short_check(check, mode, words, subjects);
	if (mode != FM_PATTERN_REGEX && !check->in_list)
		network_check(check, words, subjects);
}

bool
fm_check_is_host(struct fm_text t)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	return (fm_hostname_canon(t, buf, &canon) == FM_HOSTNAME_OK);
}
