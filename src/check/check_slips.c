/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of slips: what is valid here, but was written for another language
 * (`$uri`, `req.url`), or in haste.  Each warning says what was probably meant.
 */

#include <stdio.h>

#include "check_priv.h"
#include "distance.h"

/*--------------------------------------------------------------------
 * Texts that show by themselves what was meant
 */

/* The places of a text: bits. */
#define SLIP_NAME	1U	/* of a parameter or cookie */
#define SLIP_NAMES	2U	/* the same, without quotes, beside others */
#define SLIP_WORDS	4U	/* operands, and names of a statement */
#define SLIP_VALUE	8U
#define SLIP_BARE	16U	/* a value without quotes */
#define SLIP_READ	32U	/* a header that a test or a value reads */
#define SLIP_SET	64U	/* a header that is set */
#define SLIP_UNSET	128U	/* a header that is unset */
#define SLIP_HEADER	(SLIP_READ | SLIP_SET | SLIP_UNSET)
#define SLIP_ALONE	256U	/* the only word of an unset */
#define SLIP_FIRST	512U	/* the first of several words of an unset */
#define SLIP_FEW	1024U	/* the same, if no other is like a header */
#define SLIP_TO		2048U	/* of a rewrite */
#define SLIP_PLAIN	4096U	/* a word without quotes */
#define SLIP_QUOTED	8192U	/* a word or value with quotes */

#define VCL_NAMES							\
	"req.url req.method req.request req.proto req.restarts "	\
	"req.backend_hint bereq.url bereq.method client.ip "		\
	"client.identity server.ip server.hostname local.ip remote.ip"
#define VCL_HEADERS							\
	"req.http. bereq.http. resp.http. beresp.http. obj.http."
#define TYPOGRAPHIC	"« » ‒ – — ― ‘ ’ ‚ ‛ “ ” „ ‟ ′ ″"
#define NO_HEADERS							\
	"url uri path query method status reason body backend"

/*
 * A row has a message for a text in one of these places that is, begins with,
 * ends with or has one of several, separated by blanks.  The first row counts.
 * A text with a blank is not the name of a header: "obj.http.X-Tag == a" is the
 * expression of a ban.
 */
static const struct slip {
	unsigned		where;
	char			how;		/* '=', '^', '$', or '*': has;
						   '<': '^' without a blank */
	const char		*texts;
	const char		*message;
} slips[] = {
	{ SLIP_NAME, '^', "^", FM_MSG_SLIP_NAME },
	{ SLIP_NAME, '$', "$", FM_MSG_SLIP_NAME },
	{ SLIP_NAME, '*', "| .* .+", FM_MSG_SLIP_NAME },
	{ SLIP_NAMES, '=', "is begins ends contains like not and or all "
	    "except", FM_MSG_SLIP_NAME_WORD },
	{ SLIP_WORDS, '=', VCL_NAMES, FM_MSG_SLIP_WORD },
	{ SLIP_WORDS, '^', VCL_HEADERS, FM_MSG_SLIP_WORD },
	{ SLIP_VALUE, '=', VCL_NAMES, FM_MSG_SLIP_DOLLAR },
	{ SLIP_VALUE, '<', VCL_HEADERS, FM_MSG_SLIP_DOLLAR },
	{ SLIP_BARE, '=', "url path query host method client",
	    FM_MSG_SLIP_DOLLAR },
	{ SLIP_HEADER, '^', "req. bereq. client. server.", FM_MSG_SLIP_SET },
	{ SLIP_SET | SLIP_ALONE, '=', NO_HEADERS, FM_MSG_SLIP_SET },
	{ SLIP_HEADER, '=', "Set-Cookie Server ETag Last-Modified "
	    "WWW-Authenticate Vary Expires Strict-Transport-Security "
	    "Content-Security-Policy X-Frame-Options X-Content-Type-Options "
	    "Access-Control-Allow-Origin", FM_MSG_SLIP_RESPONSE },
	{ SLIP_FIRST, '=', "header", FM_MSG_SLIP_UNSET_HEADER },
	{ SLIP_FEW, '=', "cookie query", FM_MSG_SLIP_UNSET },
	{ SLIP_PLAIN, '*', TYPOGRAPHIC, FM_MSG_SLIP_QUOTE },
	{ SLIP_QUOTED, '^', TYPOGRAPHIC " `", FM_MSG_SLIP_QUOTE },
	{ SLIP_TO, '^', "http:// https:// //", FM_MSG_SLIP_URL }
};

static bool
slip_fits(const struct slip *slip, struct fm_text t)
{
	const char *text = slip->texts, *end;
	struct fm_text one;

	if (slip->how == '<' && memchr(t.b, ' ', t.len) != NULL)
		return (false);
	for (; *text != '\0'; text = end + strspn(end, " ")) {
		end = text + strcspn(text, " ");
		one = fm_text_span(text, end);
		if (slip->how == '*' ? fm_text_find(t, one) != NULL :
		    t.len >= one.len && (slip->how != '=' ||
		    t.len == one.len) && fm_text_eq_nocase(one,
		    fm_text(t.b + (slip->how == '$' ? t.len - one.len : 0),
		    one.len)))
			return (true);
	}
	return (false);
}

/* Says what was meant by a text in such a place.  Returns true if it did. */
static bool
slip_check(struct fm_check *check, unsigned where, struct fm_text t,
    const struct fm_place *at)
{
	const struct slip *slip = slips, *end = slips +
	    sizeof slips / sizeof *slips;

	while (slip < end && ((slip->where & where) == 0 ||
	    !slip_fits(slip, t)))
		slip++;
	if (slip == end)
		return (false);
	/* Messages show the text once or twice, or not at all. */
	fm_diag_warning(check->diag, at, slip->message, FM_SHOW(t),
	    FM_SHOW(t));
	return (true);
}

/*--------------------------------------------------------------------
 * Words
 */

void
fm_check_slip_word(struct fm_check *check, const struct fm_word *word)
{
	/* A list may have a million words, nearly all of them plain. */
	if (word != NULL && (word->quoted || fm_text_has_any(word->text,
	    "\xc2\xe2`")))
		(void)slip_check(check, word->quoted ? SLIP_QUOTED :
		    SLIP_PLAIN, word->text, &word->at);
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

/* Warns of a regex in the place of a parameter's or a cookie's name. */
void
fm_check_slip_name(struct fm_check *check, struct fm_text t,
    const struct fm_place *at)
{
	if ((t.len < 2 || !slip_check(check, SLIP_NAME, t, at)) && t.len > 2 &&
	    fm_text_has(t, ","))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_COMMA,
		    FM_SHOW(t), ",");
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

	for (word = words->first; word != NULL; word = word->next) {
		t = word->text;
		fm_check_slip_word(check, word);
		if (names && !headers)
			(void)slip_check(check, SLIP_WORDS |
			    (!word->quoted && words->count > 1 ? SLIP_NAMES :
			    0), t, &word->at);
		/* The loop below warns of a `,` or `|` without quotes. */
		if (names && !headers && (word->quoted ||
		    !fm_text_has_any(t, ",|")))
			fm_check_slip_name(check, t, &word->at);
		if (word->quoted)
			continue;
		for (i = 0; i < t.len; i++)
			if (is_parting(t, i, subjects)) {
				fm_diag_warning(check->diag, &word->at,
				    check->in_file ? FM_MSG_SLIP_COMMA_FILE :
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

/* A variable of VCL for a response, and what rules have for it. */
static const struct {
	const char		*name;		/* after `beresp.` */
	enum fm_phase		phase;
	bool			alone;		/* also without `beresp.` */
	const char		*write;
} variables[] = {
	{ "ttl", FM_PHASE_RESPONSE, true, "ttl 1h;" },
	{ "grace", FM_PHASE_RESPONSE, true, "grace 1h;" },
	{ "keep", FM_PHASE_RESPONSE, true, "keep 1h;" },
	{ "uncacheable", FM_PHASE_RESPONSE, true, "uncacheable;" },
	{ "do_esi", FM_PHASE_RESPONSE, false, "esi;" },
	{ "do_gzip", FM_PHASE_RESPONSE, false, "gzip;" },
	{ "do_gunzip", FM_PHASE_RESPONSE, false, "gunzip;" },
	{ "status", FM_PHASE_DELIVERY, true, "synth 404;" },
	{ "reason", FM_PHASE_DELIVERY, true, "synth 404 \"REASON\";" },
	{ "body", FM_PHASE_DELIVERY, false, "answer 200 \"TYPE\" "
	    "\"BODY\";" },
	{ "hits", FM_PHASE_DELIVERY, false, "set X-Hits = \"${hits}\";" }
};

/* Prints how to write a header that is called as in VCL. */
static void
print_header(enum fm_check_header how, struct fm_text name, const char *request,
    char *buf, size_t len)
{
	if (how == FM_CHECK_HEADER_SET)
		(void)snprintf(buf, len, "set %.*s = VALUE;", FM_SHOW(name));
	else
		(void)snprintf(buf, len, "%s %.*s%s", how ==
		    FM_CHECK_HEADER_UNSET ? "unset" : request, FM_SHOW(name),
		    how == FM_CHECK_HEADER_UNSET ? ";" : "");
}

/*
 * Reports a name that is a variable of VCL for responses, or for requests in a
 * block of responses.  Returns true if it is one.
 */
static bool
slip_variable(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	static const char * const objects[] = { "beresp.", "obj.", "resp.",
	    "bereq.http.", "req.http.", "" };
	enum fm_phase phase = FM_PHASE_RESPONSE;
	char write[160], line[200];
	struct fm_text rest;
	bool alone;
	size_t i = 0;

	while (!fm_text_begins(name, objects[i]))
		i++;
	alone = i == 5;
	if ((alone && how != FM_CHECK_HEADER_SET) ||
	    (!fm_phase_is_response(check->phase) && (i == 3 || i == 4)))
		return (false);
	rest = fm_text_span(name.b + strlen(objects[i]), name.b + name.len);
	write[0] = '\0';
	if (i == 3 || i == 4) {
		phase = i == 3 && (how == FM_CHECK_HEADER_SET ||
		    how == FM_CHECK_HEADER_UNSET) ? FM_PHASE_FETCH :
		    FM_PHASE_REQUEST;
		print_header(how, rest, "request header", write, sizeof write);
	} else if (fm_text_begins(rest, "http.")) {
		phase = i == 2 ? FM_PHASE_DELIVERY : FM_PHASE_RESPONSE;
		print_header(how, fm_text_span(rest.b + 5, rest.b + rest.len),
		    "header", write, sizeof write);
	}
	for (i = 0; write[0] == '\0' && i < sizeof variables /
	    sizeof variables[0]; i++)
		if (fm_text_eq(rest, fm_text_of(variables[i].name)) &&
		    (!alone || variables[i].alone)) {
			phase = variables[i].phase;
			(void)snprintf(write, sizeof write, "%s",
			    variables[i].write);
		}
	if (write[0] == '\0' && alone)
		return (false);
	if (write[0] == '\0')
		(void)snprintf(line, sizeof line, "it in VCL");
	else if (phase == check->phase || (phase == FM_PHASE_REQUEST &&
	    how != FM_CHECK_HEADER_SET && how != FM_CHECK_HEADER_UNSET))
		(void)snprintf(line, sizeof line, "'%s'", write);
	else if (phase == FM_PHASE_REQUEST)
		(void)snprintf(line, sizeof line, "'%s' in the rules for "
		    "requests", write);
	else if (how != FM_CHECK_HEADER_SET && how != FM_CHECK_HEADER_UNSET &&
	    fm_text_begins(rest, "http."))
		(void)snprintf(line, sizeof line, "'%s' in %s { }", write,
		    fm_phase_word(phase));
	else
		(void)snprintf(line, sizeof line, "'%s { %s }'",
		    fm_phase_word(phase), write);
	(alone ? fm_diag_warning : fm_diag_error)(check->diag, at,
	    FM_MSG_SLIP_LIFE, FM_SHOW(name), line);
	return (true);
}

void
fm_check_slip_header(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	static const char * const objects[] = { "req.http.", "bereq.http.",
	    "http.", "header.", NULL };
	bool request = !fm_phase_is_response(check->phase);
	const char * const *object = objects;
	struct fm_text meant;

	if (slip_variable(check, how, name, at))
		return;
	while (*object != NULL && !fm_text_begins(name, *object))
		object++;
	meant = fm_text_of(request && !fm_text_has_any(name, "*?") ?
	    near_header(name) : NULL);
	if (*object != NULL && name.len > strlen(*object))
		meant = fm_text_span(name.b + strlen(*object),
		    name.b + name.len);
	if (meant.len > 0)
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_VCL,
		    FM_SHOW(name), FM_SHOW(meant));
	else if (request)
		(void)slip_check(check, how == FM_CHECK_HEADER_SET ? SLIP_SET :
		    how == FM_CHECK_HEADER_UNSET ? SLIP_UNSET : SLIP_READ,
		    name, at);
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

/* Warns of `unset cookie session`, where the second word is not a header. */
void
fm_check_slip_unset(struct fm_check *check, const struct fm_words *headers)
{
	const struct fm_word *first = headers->first, *word;

	if (first == NULL || first->quoted)
		return;
	(void)slip_check(check, first->next == NULL ? SLIP_ALONE : SLIP_FIRST,
	    first->text, &first->at);
	for (word = first->next; word != NULL; word = word->next)
		if (word->text.len == 0 || is_like_header(word->text) ||
		    (*word->text.b >= 'A' && *word->text.b <= 'Z'))
			return;
	if (first->next != NULL)
		(void)slip_check(check, SLIP_FEW, first->text, &first->at);
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

/* Returns the first such text, or nothing.  In a regex {2} and \1 are meant. */
static struct fm_text
meant_value(struct fm_text t, bool regex)
{
	struct fm_text meant = fm_text(NULL, 0);
	size_t i;

	for (i = 0; i + 1 < t.len && meant.b == NULL; i++)
		if (!regex || t.b[i] == '$')
			meant = meant_at(t, i);
	return (meant);
}

void
fm_check_slip_text(struct fm_check *check, struct fm_text t,
    const struct fm_place *at, bool bare, bool regex)
{
	struct fm_text meant;

	if (check->broken || t.len == 0 || slip_check(check,
	    bare ? SLIP_VALUE | SLIP_BARE : SLIP_VALUE, t, at))
		return;
	meant = meant_value(t, regex);
	if (meant.b != NULL)
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_DOLLAR,
		    FM_SHOW(meant));
	else
		(void)slip_check(check, SLIP_QUOTED, t, at);
}

/* Returns true if it warned that an operand is of another language. */
bool
fm_check_slip_operand(struct fm_check *check, const struct fm_word *word)
{
	struct fm_text t = word->text, meant = fm_text(NULL, 0);
	bool flag = !word->quoted && t.len == 2 && *t.b == '-' &&
	    fm_check_is_letter(t.b[1]);

	if (flag)
		fm_check_word_warn(check, word, FM_MSG_SLIP_FLAG);
	if (flag || slip_check(check, SLIP_WORDS, t, &word->at))
		return (true);
	if (t.len > 1 && (*t.b == '$' || fm_text_has(t, "${")))
		meant = *t.b == '$' && t.b[1] != '{' ?
		    meant_value(t, false) : t;
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
	if (!slip_check(check, SLIP_TO, t, &to->at) && t.len > 0 &&
	    stmt->rewrite.header == NULL &&
	    fm_text_begins(stmt->rewrite.regex->text, "^/") &&
	    fm_check_is_alnum(*t.b))
		fm_check_word_warn(check, to, FM_MSG_SLIP_URL);
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

/* Warns of a Location that leads nowhere, as `htps://a.example`. */
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
		/* `https://$host/`: that the $ is text was told. */
		else if (host.len > 0 && !fm_text_has(host, "$") &&
		    (part->next == NULL ||
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
