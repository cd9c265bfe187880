/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of slips: what is valid here, but was written for another language
 * (`$uri`, `req.url`), or in haste.  Each warning says what was probably meant.
 */

#include "check_priv.h"
#include "distance.h"

/*--------------------------------------------------------------------
 * Words
 */

/*
 * Returns true if the text has (anywhere), or begins with, a quote or a dash as
 * word processors write them.
 */
static bool
has_typographic(struct fm_text t, bool anywhere)
{
	size_t i;

	for (i = 0; i + 1 < t.len && (anywhere || i == 0); i++)
		if ((t.b[i] == '\xc2' && (t.b[i + 1] == '\xab' ||
		    t.b[i + 1] == '\xbb')) || (i + 2 < t.len &&
		    t.b[i] == '\xe2' && t.b[i + 1] == '\x80' &&
		    (unsigned char)t.b[i + 2] >= 0x92 &&
		    (unsigned char)t.b[i + 2] <= 0xb3))
			return (true);
	return (t.len > 2 && t.b[0] == '`' && t.b[t.len - 1] == '`');
}

void
fm_check_slip_word(struct fm_check *check, const struct fm_word *word)
{
	if (word != NULL && has_typographic(word->text, !word->quoted))
		fm_diag_warning(check->diag, &word->at, FM_MSG_SLIP_QUOTE);
}

/* Returns true if the byte at i probably was to part two words. */
static bool
is_parting(struct fm_text t, size_t i, unsigned subjects)
{
	unsigned paths = FM_CHECK_KIND(FM_SUBJECT_URL) |
	    FM_CHECK_KIND(FM_SUBJECT_PATH) |
	    FM_CHECK_KIND(FM_SUBJECT_CLEAN_PATH);
	unsigned kinds = subjects & FM_CHECK_KINDS;

	if ((subjects & FM_CHECK_NAMES) != 0)
		return (strchr(",|", t.b[i]) != NULL);
	if (t.b[i] != ',')
		return (false);
	if (i == 0 || i + 1 == t.len)
		return (true);
	if (kinds != 0 && (kinds & ~paths) == 0)
		return (strchr("/.*", t.b[i + 1]) != NULL);
	return (kinds == FM_CHECK_AGENT && fm_check_is_letter(t.b[i - 1]) &&
	    fm_check_is_letter(t.b[i + 1]));
}

/* Returns a text without the first prefix that it has, or the missing text. */
static struct fm_text
behind(struct fm_text t, const char * const *prefixes)
{
	for (; *prefixes != NULL; prefixes++)
		if (fm_text_begins(t, *prefixes))
			return (fm_text_span(t.b + strlen(*prefixes),
			    t.b + t.len));
	return (fm_text(NULL, 0));
}

/* Returns true if a text is a variable of VCL. */
static bool
is_vcl(struct fm_text t)
{
	static const char * const names[] = { "req.url", "req.method",
	    "req.request", "req.proto", "req.restarts", "req.backend_hint",
	    "bereq.url", "bereq.method", "client.ip", "client.identity",
	    "server.ip", "server.hostname", "local.ip", "remote.ip", NULL };
	static const char * const headers[] = { "req.http.", "bereq.http.",
	    "resp.http.", "beresp.http.", "obj.http.", NULL };

	return (fm_text_is_one_of(t, names) || behind(t, headers).b != NULL);
}

/* Warns of a regex in the place of a parameter's or a cookie's name. */
void
fm_check_slip_name(struct fm_check *check, struct fm_text t,
    const struct fm_place *at)
{
	if (t.len > 1 && (t.b[0] == '^' || t.b[t.len - 1] == '$' ||
	    fm_text_has(t, "|") || fm_text_has(t, ".*") ||
	    fm_text_has(t, ".+")))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_NAME,
		    FM_SHOW(t));
	else if (t.len > 2 && fm_text_has(t, ","))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_COMMA,
		    FM_SHOW(t), ",");
}

/* Warns of `query drop begins utm_`: names stand alone. */
static void
modes_check(struct fm_check *check, const struct fm_words *words)
{
	static const char * const others[] = { "is", "begins", "ends",
	    "contains", "like", "not", "and", "or", "all", "except", NULL };
	const struct fm_word *word;

	for (word = words->first; word != NULL && words->count > 1;
	    word = word->next)
		if (!word->quoted && fm_text_is_one_of(word->text, others))
			FM_CHECK_WARN(check, word, FM_MSG_SLIP_NAME_WORD);
}

void
fm_check_slip_words(struct fm_check *check, const struct fm_words *words,
    unsigned subjects)
{
	bool names = (subjects & FM_CHECK_NAMES) != 0;
	bool headers = names && (subjects & FM_CHECK_HEADER) != 0;
	const struct fm_word *word;
	struct fm_text t;
	size_t i;

	if (names && !headers)
		modes_check(check, words);
	for (word = words->first; word != NULL; word = word->next) {
		t = word->text;
		fm_check_slip_word(check, word);
		if (names && !headers && is_vcl(t))
			FM_CHECK_WARN(check, word, FM_MSG_SLIP_WORD);
		/* The loop below warns of a `,` or `|` without quotes. */
		if (names && !headers && (word->quoted ||
		    !fm_text_has_any(t, ",|")))
			fm_check_slip_name(check, t, &word->at);
		if (word->quoted)
			continue;
		for (i = 0; i < t.len; i++)
			if (is_parting(t, i, subjects)) {
				fm_diag_warning(check->diag, &word->at,
				    FM_MSG_SLIP_COMMA, FM_SHOW(t),
				    t.b[i] == ',' ? "," : "|");
				break;
			}
	}
}

/*--------------------------------------------------------------------
 * Names of headers
 */

/* Headers of requests that people write from memory. */
static const char * const known_headers[] = {
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language",
	"Authorization", "Cache-Control", "Content-Length", "Content-Type",
	"Cookie", "Forwarded", "Host", "If-Match", "If-Modified-Since",
	"If-None-Match", "If-Range", "Origin", "Pragma", "Range", "Referer",
	"Upgrade", "User-Agent", "X-Forwarded-For", "X-Forwarded-Host",
	"X-Forwarded-Port", "X-Forwarded-Proto", "X-Real-IP",
	"X-Requested-With", NULL
};

bool
fm_check_is_known_header(struct fm_text name)
{

	return (fm_text_is_one_of(name, known_headers));
}

/* Returns true if names differ in case, and in how their words are joined. */
static bool
is_joined_otherwise(struct fm_text a, struct fm_text b)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a.len && strchr("-_", a.b[i]) != NULL)
			i++;
		while (j < b.len && strchr("-_", b.b[j]) != NULL)
			j++;
		if (i == a.len || j == b.len)
			return (i == a.len && j == b.len);
		if (fm_lower((unsigned char)a.b[i++]) !=
		    fm_lower((unsigned char)b.b[j++]))
			return (false);
	}
}

/* Returns the header that was most likely meant, or NULL. */
static const char *
near_header(struct fm_text name)
{
	const char * const *known = known_headers;

	if (fm_check_is_known_header(name))
		return (NULL);
	for (; *known != NULL; known++)
		if (is_joined_otherwise(name, fm_text_of(*known)) ||
		    (name.len > 4 &&
		    fm_distance(name, fm_text_of(*known), 1) == 1))
			break;
	return (*known);
}

/* Somebody who sets or unsets these has no header in mind. */
static const char * const no_headers[] = {
	"url", "uri", "path", "query", "method", "ttl", "grace", "keep",
	"status", "reason", "body", "uncacheable", "backend", NULL
};

void
fm_check_slip_header(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	static const char * const objects[] = { "req.http.", "bereq.http.",
	    "http.", "header.", NULL };
	static const char * const others[] = { "req.", "bereq.", "client.",
	    "server.", NULL };
	static const char * const responses_vcl[] = { "resp.", "beresp.",
	    "obj.", NULL };
	static const char * const responses[] = { "Set-Cookie", "Server",
	    "ETag", "Last-Modified", "WWW-Authenticate", "Vary", "Expires",
	    "Strict-Transport-Security", "Content-Security-Policy",
	    "X-Frame-Options", "X-Content-Type-Options",
	    "Access-Control-Allow-Origin", NULL };
	struct fm_text meant = behind(name, objects);

	if (meant.len == 0)
		meant = fm_text_of(near_header(name));
	if (meant.len > 0)
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_VCL,
		    FM_SHOW(name), FM_SHOW(meant));
	else if (behind(name, responses_vcl).len > 0)
		fm_check_error(check, at, FM_MSG_SLIP_SET, FM_SHOW(name));
	else if (behind(name, others).len > 0 || (how == FM_CHECK_HEADER_SET &&
	    fm_text_is_one_of(name, no_headers)))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_SET,
		    FM_SHOW(name));
	else if (how != FM_CHECK_HEADER_UNSET &&
	    fm_text_is_one_of(name, responses))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_RESPONSE,
		    FM_SHOW(name));
}

/* Returns true if a text may well be the name of a header, in small letters. */
static bool
is_like_header(struct fm_text t)
{
	static const char * const words[] = { "accept", "authorization",
	    "expect", "forwarded", "from", "origin", "pragma", "range",
	    "referer", "te", "via", NULL };

	return (fm_text_has(t, "-") || fm_text_is_one_of(t, words));
}

/* Warns of `unset cookie session`, where the second word is no header. */
void
fm_check_slip_unset(struct fm_check *check, const struct fm_words *headers)
{
	static const char * const params[] = { "cookie", "query", NULL };
	const struct fm_word *first = headers->first, *word;

	if (first == NULL || first->quoted)
		return;
	if (first->next == NULL) {
		if (fm_text_is_one_of(first->text, no_headers))
			FM_CHECK_WARN(check, first, FM_MSG_SLIP_SET);
		return;
	}
	if (fm_text_eq_nocase(first->text, fm_text_of("header")))
		FM_CHECK_WARN(check, first, FM_MSG_SLIP_UNSET_HEADER);
	for (word = first->next; word != NULL; word = word->next)
		if (word->text.len == 0 || is_like_header(word->text) ||
		    (*word->text.b >= 'A' && *word->text.b <= 'Z'))
			return;
	if (fm_text_is_one_of(first->text, params))
		fm_diag_warning(check->diag, &first->at, FM_MSG_SLIP_UNSET,
		    FM_SHOW(first->text), FM_SHOW(first->text));
}

/*--------------------------------------------------------------------
 * Dollars and backslashes
 */

/* Returns the text from i to the bracket that closes the one at `open`. */
static struct fm_text
closed(struct fm_text t, size_t i, size_t open)
{
	const char *end = memchr(t.b + open, t.b[open] == '(' ? ')' :
	    t.b[open] == '[' ? ']' : '}', t.len - open);

	return (end == NULL ? fm_text(NULL, 0) : fm_text_span(t.b + i,
	    end + 1));
}

/* Returns `$name`, `\1`, `%{NAME}` or the like at i, or nothing. */
static struct fm_text
meant_at(struct fm_text t, size_t i)
{
	static const char * const names[] = { "url", "uri", "path", "query",
	    "host", "method", "client", "port", "ruleset", "wild", "1", "2",
	    NULL };
	char c = t.b[i], next = t.b[i + 1];
	struct fm_text meant;
	size_t n;

	if ((c == '$' && strchr("([", next) != NULL) ||
	    (c == '%' && strchr("{[", next) != NULL) ||
	    (c == '#' && next == '{'))
		return (closed(t, i, i + 1));
	if ((c == '\\' || (c == '$' && (i == 0 ||
	    t.b[i - 1] < 'A' || t.b[i - 1] > 'Z'))) &&
	    fm_check_is_digit(next))
		return (fm_text(t.b + i, 2));
	/* %1 is an escape if there is another digit. */
	if (c == '%' && fm_check_is_digit(next) && (i + 2 == t.len ||
	    fm_hex_digit(t.b[i + 2]) < 0))
		return (fm_text(t.b + i, 2));
	if (c == '{') {
		meant = closed(t, i, i);
		return (meant.len > 2 && fm_text_is_one_of(fm_text(t.b + i + 1,
		    meant.len - 2), names) ? meant : fm_text(NULL, 0));
	}
	for (n = i + 1; c == '$' && n < t.len && (t.b[n] == '_' ||
	    fm_check_is_letter(t.b[n])); n++)
		continue;
	return (c == '$' && n > i + 2 ? fm_text(t.b + i, n - i) :
	    fm_text(NULL, 0));
}

/* Returns the first such text, or nothing. */
static struct fm_text
meant_value(struct fm_text t)
{
	struct fm_text meant = fm_text(NULL, 0);
	size_t i;

	for (i = 0; i + 1 < t.len && meant.b == NULL; i++)
		meant = meant_at(t, i);
	return (meant);
}

void
fm_check_slip_text(struct fm_check *check, struct fm_text t,
    const struct fm_place *at, bool bare)
{
	static const char * const names[] = { "url", "path", "query", "host",
	    "method", "client", NULL };
	struct fm_text meant;

	if (check->broken || t.len == 0)
		return;
	meant = meant_value(t);
	if (is_vcl(t) || (bare && fm_text_is_one_of(t, names)))
		meant = t;
	if (meant.b != NULL)
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_DOLLAR,
		    FM_SHOW(meant));
	else if (has_typographic(t, false))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_QUOTE);
}

/* Returns true if it warned that an operand is of another language. */
bool
fm_check_slip_operand(struct fm_check *check, const struct fm_word *word)
{
	struct fm_text t = word->text, meant = fm_text(NULL, 0);
	bool flag = !word->quoted && t.len == 2 && *t.b == '-' &&
	    fm_check_is_letter(t.b[1]);

	if (flag || is_vcl(t)) {
		FM_CHECK_WARN(check, word, flag ? FM_MSG_SLIP_FLAG :
		    FM_MSG_SLIP_WORD);
		return (true);
	}
	if (t.len > 1 && (*t.b == '$' || fm_text_has(t, "${")))
		meant = *t.b == '$' && t.b[1] != '{' ? meant_value(t) : t;
	if (meant.b != NULL)
		fm_diag_warning(check->diag, &word->at, FM_MSG_SLIP_OPERAND,
		    FM_SHOW(meant));
	return (meant.b != NULL);
}

void
fm_check_slip_rewrite(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *to = stmt->rewrite.to;
	struct fm_text t = to->text;
	size_t i;

	fm_check_slip_word(check, stmt->rewrite.regex);
	fm_check_slip_word(check, to);
	if (fm_text_begins(t, "http://") || fm_text_begins(t, "https://") ||
	    fm_text_begins(t, "//") || (t.len > 0 &&
	    fm_text_begins(stmt->rewrite.regex->text, "^/") &&
	    fm_check_is_alnum(*t.b)))
		FM_CHECK_WARN(check, to, FM_MSG_SLIP_URL);
	for (i = 0; i + 1 < t.len; i++)
		if (t.b[i] == '\\' && !fm_check_is_letter(t.b[i + 1]))
			i++;
		else if (t.b[i] == '\\' || (t.b[i] == '$' &&
		    (fm_check_is_letter(t.b[i + 1]) || t.b[i + 1] == '{')) ||
		    meant_at(t, i).b != NULL) {
			fm_diag_warning(check->diag, &to->at,
			    FM_MSG_SLIP_REWRITE, 1, t.b + i);
			return;
		}
}

/*--------------------------------------------------------------------
 * Redirects
 */

/* Returns true if a scheme is nearly one of the two. */
static bool
is_near_scheme(struct fm_text t)
{
	const char *end = fm_text_find(t, fm_text_of("://"));
	struct fm_text scheme;

	if (end == NULL)
		return (false);
	scheme = fm_text_trim(fm_text_span(t.b, end));
	return (!fm_text_eq_nocase(scheme, fm_text_of("http")) &&
	    !fm_text_eq_nocase(scheme, fm_text_of("https")) &&
	    (fm_distance(scheme, fm_text_of("http"), 1) == 1 ||
	    fm_distance(scheme, fm_text_of("https"), 1) == 1));
}

/* Warns of a Location that hardly leads anywhere, as `htps://a.example`. */
void
fm_check_slip_redirect(struct fm_check *check, const struct fm_value *value)
{
	const struct fm_part *part = value->parts, *next;
	const char *message = NULL;
	struct fm_text t, host;

	if (part != NULL && part->kind == FM_PART_TEXT) {
		host = fm_check_location_host(part->text);
		if (is_near_scheme(part->text))
			message = FM_MSG_SLIP_SCHEME;
		else if (host.len > 0 && (part->next == NULL ||
		    host.b + host.len < part->text.b + part->text.len ||
		    part->next->kind == FM_PART_URL ||
		    part->next->kind == FM_PART_PATH) &&
		    (host.b[host.len - 1] == ':' || !fm_check_is_host(host)))
			message = FM_MSG_SLIP_HOST;
	}
	for (; part != NULL && message == NULL; part = next) {
		next = part->next;
		t = part->text;
		if (part->kind != FM_PART_TEXT || t.len == 0)
			continue;
		if (next == NULL && t.len > 1 && t.b[t.len - 1] == '*')
			message = FM_MSG_SLIP_STAR;
		else if (next != NULL && t.b[t.len - 1] == '/' &&
		    memchr(t.b, '?', t.len) == NULL &&
		    (next->kind == FM_PART_URL ||
		    next->kind == FM_PART_PATH))
			message = FM_MSG_SLIP_TWO_SLASHES;
	}
	if (message != NULL)
		fm_diag_warning(check->diag, &value->at, message,
		    FM_SHOW(value->raw));
}

/* Warns if a subject other than the client is tested for a list of networks. */
void
fm_check_slip_list(struct fm_check *check, const struct fm_cond *test)
{
	const struct fm_line *line = test->list_def->lines;
	const struct fm_word *word;
	unsigned n = 0;

	if (line == NULL || line->matches->mode != FM_PATTERN_EXACT)
		return;
	word = line->matches->operands.first;
	for (; word != NULL && n < 100; word = word->next, n++)
		if (fm_text_has(word->text, "/") &&
		    fm_network_is_like(word->text)) {
			fm_diag_warning(check->diag, &test->list->at,
			    FM_MSG_SLIP_NETWORKS, FM_SHOW(test->list->text));
			return;
		}
}
