/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads files of cases (cases.h), line by line, also after an error.  The line
 * that begins a section sets the reader's `take`, which gets all lines of it.
 */

#include <stddef.h>
#include <stdlib.h>

#include "cases.h"
#include "cli.h"
#include "distance.h"
#include "duration.h"
#include "file.h"

#define FILE_MAX	(16UL << 20)	/* bytes: 100,000 cases */

struct reader {
	struct fm_cases		*cases;
	struct fm_diag		*diag;
	struct fm_place		at;
	struct fm_text		line;	/* the line being read */
	struct fm_text		*text;	/* of a section that is a file */
	struct fm_cases_group	*group;
	struct fm_cases_group	**next_group;
	struct fm_cases_file	**next_file;
	struct fm_case		*one;
	struct fm_case		**next_one;
	unsigned		room;	/* fields allocated for the section */
	unsigned		said;	/* bits of enum once: these words were
				 * read in this section */
	bool			(*take)(struct reader *, struct fm_text line);
};

/* Words that a case may have once; words of one number exclude each other. */
enum once {
	MANY, CLIENT, ESI, RESTARTS, SCHEME, PROTO, ONLY, VERDICT, URL, HEADERS,
	BACKEND, CALLS, BANS, LOG, KEY, RULESET, HOST, RULE, SCANS, UNDECIDED,
	IGNORED, BACKGROUND, RETRIED, HIT, REFRESH, TTL, GRACE, KEEP, CACHED
};

/* A word that begins a line, and who reads the rest; no name ends a table. */
struct word {
	const char		*name;
	enum once		once;
	bool			(*take)(struct reader *, struct fm_text rest,
				    void *to);
	size_t			to;	/* offset of what it sets */
};

#define A_SECOND_TIME	"a second time: keep one of the two lines"

/* Reports an error at a part of the line.  Returns false. */
static bool
wrong(struct reader *reader, struct fm_text part, const char *what)
{
	struct fm_place at = reader->at;

	at.column = (unsigned)(part.b - reader->line.b) + 1;
	fm_diag_error(reader->diag, &at, "%s", what);
	return (false);
}

/* Reports a word that can't stand here, and which word may be meant. */
static bool
wrong_word(struct reader *reader, struct fm_text word, const char *what,
    const struct word *known)
{
	size_t max = fm_distance_max(word), d;
	struct fm_place at = reader->at;
	const char *meant = NULL;

	for (; known->name != NULL; known++) {
		d = fm_distance(word, fm_text_of(known->name), max);
		if (d <= max) {
			max = d;
			meant = known->name;
		}
	}
	at.column = (unsigned)(word.b - reader->line.b) + 1;
	if (meant == NULL)
		fm_diag_error(reader->diag, &at, "%s '%.*s': see "
		    "fastmatch.test(5)", what, FM_SHOW(word));
	else
		fm_diag_error(reader->diag, &at, "%s '%.*s': did you mean "
		    "'%s'?", what, FM_SHOW(word), meant);
	return (false);
}

static void *
take_memory(struct reader *reader, size_t bytes)
{
	void *p = fm_arena_alloc(&reader->cases->arena, bytes);

	if (p == NULL)
		fm_cli_no_memory();
	return (p);
}

/*
 * Returns true if a line is the word, or begins with the word and a blank, and
 * cuts both off.
 */
static bool
cut_word(struct fm_text *line, const char *word)
{
	size_t len = strlen(word);

	if (line->len < len || memcmp(line->b, word, len) != 0 ||
	    (line->len > len && line->b[len] != ' '))
		return (false);
	*line = line->len == len ? fm_text(line->b + len, 0) :
	    fm_text(line->b + len + 1, line->len - len - 1);
	return (true);
}

/*
 * Returns the text up to a byte, and cuts it off with the byte; without the
 * byte in the text, returns all of the text.
 */
static struct fm_text
cut_at(struct fm_text *rest, char c)
{
	const char *p = rest->len == 0 ? NULL :
	    memchr(rest->b, c, rest->len);
	struct fm_text t = *rest;

	if (p == NULL) {
		*rest = fm_text(rest->b + rest->len, 0);
		return (t);
	}
	t = fm_text_span(rest->b, p);
	*rest = fm_text(p + 1, rest->len - t.len - 1);
	return (t);
}

static bool
read_number(struct fm_text t, uint32_t *n)
{
	size_t i;

	*n = 0;
	for (i = 0; i < t.len && t.len < 8; i++) {
		if (t.b[i] < '0' || t.b[i] > '9')
			return (false);
		*n = *n * 10 + (uint32_t)(t.b[i] - '0');
	}
	return (t.len > 0 && t.len < 8);
}

/* Returns true if a text has no blank; else reports `what` at the blank. */
static bool
has_no_blank(struct reader *reader, struct fm_text t, const char *what)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] == ' ' || t.b[i] == '\t')
			return (wrong(reader, fm_text(t.b + i, 1), what));
	return (true);
}

/* Cuts off the word of a table that the line begins with; NULL: none does. */
static const struct word *
cut_known(const struct word *word, struct fm_text *line)
{
	for (; word->name != NULL; word++)
		if (cut_word(line, word->name))
			return (word);
	return (NULL);
}

/* Takes the rest of a line that began with a word, into a structure. */
static bool
take_by_word(struct reader *reader, const struct word *word,
    struct fm_text rest, void *to)
{
	if (reader->said & 1U << word->once)
		return (wrong(reader, reader->line, A_SECOND_TIME));
	if (!word->take(reader, rest, (char *)to + word->to))
		return (false);
	if (word->once != MANY)
		reader->said |= 1U << word->once;
	return (true);
}

static bool
take_flag(struct reader *reader, struct fm_text rest, void *to)
{
	bool *flag = to;

	*flag = true;
	return (rest.len == 0 ||
	    wrong(reader, rest, "nothing may follow this"));
}

static bool
take_name(struct reader *reader, struct fm_text rest, void *to)
{
	struct fm_text *name = to;

	*name = rest;
	return (rest.len > 0 || wrong(reader, rest, "a name is missing here"));
}

static bool
take_number(struct reader *reader, struct fm_text rest, void *to)
{
	return (read_number(rest, to) ||
	    wrong(reader, rest, "write a number here"));
}

/*--------------------------------------------------------------------
 * Escapes
 */

/* Returns the bytes that a text stands for. */
static struct fm_text
unescape(struct reader *reader, struct fm_text t)
{
	char *out = take_memory(reader, t.len + 1);
	size_t i, n = 0;

	for (i = 0; i < t.len; i++)
		if (t.b[i] == '\\' && i + 3 < t.len && t.b[i + 1] == 'x' &&
		    fm_hex_digit(t.b[i + 2]) >= 0 &&
		    fm_hex_digit(t.b[i + 3]) >= 0) {
			out[n++] = (char)(fm_hex_digit(t.b[i + 2]) << 4 |
			    fm_hex_digit(t.b[i + 3]));
			i += 3;
		} else {
			out[n++] = t.b[i];
		}
	return (fm_text(out, n));
}

/*--------------------------------------------------------------------
 * Requests
 */

static bool
take_engines(struct reader *reader, struct fm_text line, void *to)
{
	static const struct word engines[] = { { .name = "core" },
	    { .name = "cli" }, { .name = "varnishd" }, { .name = NULL } };
	struct fm_text names, rest = line;
	unsigned *bits = to, n;

	names = cut_at(&rest, ':');
	if (fm_text_trim(rest).len == 0)
		return (wrong(reader, line,
		    "'only' needs a reason: write 'only ENGINE...: REASON'"));
	*bits = 0;
	while (names.len > 0) {
		struct fm_text name = cut_at(&names, ' ');

		for (n = 0; engines[n].name != NULL; n++)
			if (fm_text_eq(name, fm_text_of(engines[n].name)))
				break;
		if (engines[n].name == NULL)
			return (wrong_word(reader, name, "no engine is called",
			    engines));
		*bits |= 1U << n;
	}
	return (true);
}

static bool
take_field(struct reader *reader, struct fm_text line,
    struct fm_field **fields, unsigned *n, unsigned char **marks)
{
	struct fm_text rest = line;
	struct fm_field *more;

	if (!has_no_blank(reader,
	    cut_at(&rest, ':'), "the name of a header has "
	    "no blank: write 'Host: www.example.com', say"))
		return (false);
	if (*n == reader->room) {
		reader->room = reader->room == 0 ? 8 : reader->room * 2;
		more = take_memory(reader, reader->room * sizeof *more);
		if (*n > 0)
			memcpy(more, *fields, *n * sizeof *more);
		*fields = more;
		if (marks != NULL)
			*marks = take_memory(reader, reader->room);
	}
	line = unescape(reader, line);
	(*fields)[*n].b = line.b;
	(*fields)[(*n)++].e = line.b + line.len;
	return (true);
}

static bool
take_client(struct reader *reader, struct fm_text address, void *to)
{
	struct fm_addr addr;

	if (!fm_addr_parse(address, &addr))
		return (wrong(reader, address, "this is not an IP address: "
		    "write 'client 192.0.2.7', say"));
	return (take_name(reader, address, to));
}

static bool
take_scheme(struct reader *reader, struct fm_text scheme, void *to)
{
	return (fm_state_flag(FM_SUBJECT_SCHEME, scheme) != 0 ?
	    take_name(reader, scheme, to) : wrong(reader, scheme,
	    "write 'scheme http' or 'scheme https'"));
}

static bool
take_proto(struct reader *reader, struct fm_text proto, void *to)
{
	return (proto.len > 0 ? take_name(reader, proto, to) : wrong(reader,
	    proto, "write a protocol after 'proto', as HTTP/1.0"));
}

static bool
take_request_line(struct reader *reader, struct fm_text line)
{
	struct fm_case *one = reader->one;
	struct fm_text method, rest = line;

	method = cut_at(&rest, ' ');
	one->method = unescape(reader, method);
	one->url = unescape(reader, rest);
	/* No client can send an empty URL, which "GET " is. */
	if (method.len == 0 || method.len == line.len)
		return (wrong(reader, line,
		    "a request begins with its method and its URL: "
		    "write 'GET /', say"));
	return (has_no_blank(reader, rest, "a URL has no blank: write the "
	    "protocol in a line of its own, as 'proto HTTP/1.0', and a blank "
	    "as \\x20"));
}

static bool
take_request(struct reader *reader, struct fm_text line)
{
	static const struct word words[] = {
		{ "client", CLIENT, take_client,
		    offsetof(struct fm_case, client) },
		{ "esi", ESI, take_flag, offsetof(struct fm_case, esi) },
		{ "restarts", RESTARTS, take_number,
		    offsetof(struct fm_case, restarts) },
		{ "scheme", SCHEME, take_scheme,
		    offsetof(struct fm_case, scheme) },
		{ "proto", PROTO, take_proto, offsetof(struct fm_case, proto) },
		{ "only", ONLY, take_engines,
		    offsetof(struct fm_case, engines) },
		{ .name = NULL }
	};
	struct fm_text rest = line;
	const struct word *word;

	if (reader->one->method.b == NULL)
		return (take_request_line(reader, line));
	word = cut_known(words, &rest);
	if (word != NULL)
		return (take_by_word(reader, word, rest, reader->one));
	if (memchr(line.b, ':', line.len) != NULL)
		return (take_field(reader, line, &reader->one->fields,
		    &reader->one->nfields, &reader->one->marks));
	return (wrong_word(reader, cut_at(&line, ' '), "a header is written "
	    "'Name: value', and nothing else is called", words));
}

/*--------------------------------------------------------------------
 * Responses
 */

/* Takes "200", "200 OK" or "HTTP/1.1 200 OK". */
static bool
take_status_line(struct reader *reader, struct fm_text line)
{
	struct fm_text rest = line, word = cut_at(&rest, ' ');
	uint32_t *status = &reader->one->response->status;

	if (fm_text_begins(word, "HTTP/"))
		word = cut_at(&rest, ' ');
	if (read_number(word, status) && word.len == 3 && *status >= 100)
		return (true);
	*status = 200;
	return (wrong(reader, word, "a response begins with its status: "
	    "write '200', or 'HTTP/1.1 200 OK'"));
}

#define R(field)	offsetof(struct fm_case_response, field)

static bool
take_response(struct reader *reader, struct fm_text line)
{
	static const struct word words[] = {
		{ "background", BACKGROUND, take_flag, R(background) },
		{ "retry", RETRIED, take_flag, R(retry) },
		{ "own", HIT, take_flag, R(own) },
		{ "refresh", REFRESH, take_flag, R(refresh) },
		{ "hit", HIT, take_flag, R(hit) },
		{ "stale", HIT, take_flag, R(stale) },
		{ .name = NULL }
	};
	struct fm_text rest = line;
	const struct word *word;

	if (reader->one->response->status == 0)
		return (take_status_line(reader, line));
	word = cut_known(words, &rest);
	if (word != NULL)
		return (take_by_word(reader, word, rest,
		    reader->one->response));
	if (memchr(line.b, ':', line.len) != NULL)
		return (take_field(reader, line,
		    &reader->one->response->fields,
		    &reader->one->response->nfields, NULL));
	return (wrong_word(reader, cut_at(&line, ' '), "a header is written "
	    "'Name: value', and nothing else is called", words));
}

#undef R

/*--------------------------------------------------------------------
 * Expectations
 */

/* Takes a "reason" or "body" in quotes; no text leaves `out` missing. */
static bool
take_quoted(struct reader *reader, struct fm_text t, struct fm_text *out)
{
	if (t.len == 0)
		return (true);
	if (t.len < 2 || t.b[0] != '"' || t.b[t.len - 1] != '"')
		return (wrong(reader, t, "quotes around this are missing"));
	*out = unescape(reader, fm_text(t.b + 1, t.len - 2));
	return (true);
}

/* Takes what an answer has: TYPE "BODY". */
static bool
take_answer(struct reader *reader, struct fm_text t,
    struct fm_cases_expected *x)
{
	const char *body = memmem(t.b, t.len, " \"", 2);

	if (body == NULL)
		return (wrong(reader, t, "an answer has a type and a body: "
		    "write 'verdict answer 200 text/plain \"BODY\"'"));
	x->text = unescape(reader, fm_text_span(t.b, body));
	return (take_quoted(reader, fm_text_span(body + 1, t.b + t.len),
	    &x->body));
}

static bool
take_verdict(struct reader *reader, struct fm_text line, void *to)
{
	static const struct word verdicts[] = { { .name = "none" },
#define V(name_, word_, ...)	{ .name = (word_) },
	    FM_VERDICTS(V)
#undef V
	    { .name = "refuse" }, { .name = NULL } };
	struct fm_cases_expected *x = to;
	struct fm_text rest = line, word;
	int v;

	word = cut_at(&rest, ' ');
	x->verdict = FM_VERDICT_NONE;
	for (v = FM_VERDICT_PASS; v <= FM_VERDICT_REFUSE; v++)
		if (fm_text_eq(word, fm_text_of(
		    fm_verdict_word((enum fm_verdict)v))))
			x->verdict = (enum fm_verdict)v;
	if (x->verdict == FM_VERDICT_NONE &&
	    !fm_text_eq(word, fm_text_of("none")))
		return (wrong_word(reader, word, "no verdict is called",
		    verdicts));
	x->status = fm_verdicts[x->verdict].status;
	if (x->status != FM_STATUS_OPERAND)
		return (rest.len == 0 || wrong(reader, rest,
		    "nothing may follow this verdict"));
	word = cut_at(&rest, ' ');
	if (!read_number(word, &x->status))
		return (wrong(reader, word, "write a status here, as 404"));
	if (x->verdict == FM_VERDICT_SYNTH)
		return (take_quoted(reader, rest, &x->text));
	if (x->verdict == FM_VERDICT_ANSWER)
		return (take_answer(reader, rest, x));
	if (rest.len == 0)
		return (wrong(reader, rest,
		    "write a Location after the status"));
	x->text = unescape(reader, rest);
	return (true);
}

static bool
take_expected_field(struct reader *reader, struct fm_text line, bool there,
    struct fm_cases_field **list)
{
	struct fm_cases_field *f = take_memory(reader, sizeof *f);
	struct fm_text name, rest = line;

	name = cut_at(&rest, ':');
	if (name.len == 0 || there != (rest.b > name.b + name.len))
		return (wrong(reader, line, "write 'header NAME: VALUE', or "
		    "'no header NAME'"));
	if (!has_no_blank(reader, name,
	    "the name of a header has no blank"))
		return (false);
	f->name = unescape(reader, name);
	if (there)
		f->value = unescape(reader, fm_text_trim(rest));
	for (; *list != NULL; list = &(*list)->next)
		if (fm_text_eq_nocase((*list)->name, f->name) &&
		    (!there || (*list)->value.b == NULL))
			return (wrong(reader, reader->line, A_SECOND_TIME));
	*list = f;
	return (true);
}

static bool
take_header(struct reader *reader, struct fm_text rest, void *to)
{
	return (take_expected_field(reader, rest, true, to));
}

static bool
take_no_header(struct reader *reader, struct fm_text rest, void *to)
{
	return (take_expected_field(reader, rest, false, to));
}

static bool
take_text_line(struct reader *reader, struct fm_text rest, void *to)
{
	struct fm_cases_field **end = to;

	while (*end != NULL)
		end = &(*end)->next;
	*end = take_memory(reader, sizeof **end);
	(*end)->value = unescape(reader, rest);
	return (true);
}

static bool
take_duration(struct reader *reader, struct fm_text rest, void *to)
{
	return (fm_duration_parse(rest, to) == FM_DURATION_OK || wrong(reader,
	    rest, "write a duration here: a number and one of ms s m h d w "
	    "y, as 1h"));
}

static bool
take_cached(struct reader *reader, struct fm_text rest, void *to)
{
	struct fm_cases_expected *x = to;

	x->is_cached = fm_text_eq(rest, fm_text_of("yes"));
	x->not_cached = fm_text_eq(rest, fm_text_of("no"));
	return (x->is_cached || x->not_cached || wrong(reader, rest,
	    "'cached' is yes or no"));
}

static bool
take_url(struct reader *reader, struct fm_text rest, void *to)
{
	*(struct fm_text *)to = unescape(reader, rest);
	return (true);
}

#define X(field)	offsetof(struct fm_case, expected.field)

static bool
take_expect(struct reader *reader, struct fm_text line)
{
	static const struct word words[] = {
		{ "verdict", VERDICT, take_verdict,
		    offsetof(struct fm_case, expected) },
		{ "url", URL, take_url, X(url) },
		{ "any url", URL, take_flag, X(any_url) },
		{ "header", MANY, take_header, X(fields) },
		{ "no header", MANY, take_no_header, X(fields) },
		{ "any headers", HEADERS, take_flag, X(any_headers) },
		{ "backend", BACKEND, take_name, X(backend) },
		{ "any backend", BACKEND, take_flag, X(any_backend) },
		{ "calls", MANY, take_text_line, X(calls) },
		{ "any calls", CALLS, take_flag, X(any_calls) },
		{ "no calls", CALLS, take_flag, X(as_without) },
		{ "bans", MANY, take_text_line, X(bans) },
		{ "any bans", BANS, take_flag, X(any_bans) },
		{ "no bans", BANS, take_flag, X(as_without) },
		{ "log", MANY, take_text_line, X(logs) },
		{ "no log", LOG, take_flag, X(no_log) },
		{ "key", MANY, take_text_line, X(keys) },
		{ "no key", KEY, take_flag, X(no_key) },
		{ "fetch header", MANY, take_header, X(sent) },
		{ "fetch no header", MANY, take_no_header, X(sent) },
		{ "ruleset", RULESET, take_name, X(ruleset) },
		{ "no ruleset", RULESET, take_flag, X(no_ruleset) },
		{ "host", HOST, take_name, X(host) },
		{ "no host", HOST, take_flag, X(no_host) },
		{ "rule", RULE, take_name, X(rule) },
		{ "scans", SCANS, take_number, X(scans) },
		{ "undecided", UNDECIDED, take_number, X(undecided) },
		{ "ignored", IGNORED, take_number, X(ignored) },
		{ .name = NULL }
	};
	static const struct word responses[] = {
		{ "verdict", VERDICT, take_verdict,
		    offsetof(struct fm_case, expected) },
		{ "ttl", TTL, take_duration, X(ttl) },
		{ "grace", GRACE, take_duration, X(grace) },
		{ "keep", KEEP, take_duration, X(keep) },
		{ "fetch header", MANY, take_header, X(sent) },
		{ "fetch no header", MANY, take_no_header, X(sent) },
		{ "cached", CACHED, take_cached,
		    offsetof(struct fm_case, expected) },
		{ "stored header", MANY, take_header, X(stored) },
		{ "stored no header", MANY, take_no_header, X(stored) },
		{ "header", MANY, take_header, X(fields) },
		{ "no header", MANY, take_no_header, X(fields) },
		{ "any headers", HEADERS, take_flag, X(any_headers) },
		{ "calls", MANY, take_text_line, X(calls) },
		{ "no calls", CALLS, take_flag, X(as_without) },
		{ "log", MANY, take_text_line, X(logs) },
		{ "no log", LOG, take_flag, X(no_log) },
		{ "rule", RULE, take_name, X(rule) },
		{ "undecided", UNDECIDED, take_number, X(undecided) },
		{ .name = NULL }
	};
	const struct word *known = reader->one->response != NULL ?
	    responses : words;
	struct fm_text rest = line, first, second;
	const struct word *word = cut_known(known, &rest);

	if (word != NULL)
		return (take_by_word(reader, word, rest, reader->one));
	first = cut_at(&rest, ' ');
	second = cut_at(&rest, ' ');
	if (fm_text_eq(first, fm_text_of("no")) ||
	    fm_text_eq(first, fm_text_of("any")))
		first = fm_text_span(first.b, second.b + second.len);
	return (wrong_word(reader, first, known == words ?
	    "no expectation is called" :
	    "no expectation of a response is called", known));
}

#undef X

/*--------------------------------------------------------------------
 * Sections
 */

static struct fm_cases_file *
begin_file(struct reader *reader, struct fm_text name)
{
	struct fm_cases_file *file = take_memory(reader, sizeof *file);

	file->name = fm_cli_keep(&reader->cases->arena, name);
	*reader->next_file = file;
	reader->next_file = &file->next;
	reader->text = &file->text;
	return (file);
}

static bool
take_file(struct reader *reader, struct fm_text name)
{
	if (reader->group == NULL || reader->group->from != NULL)
		return (wrong(reader, reader->line, "this file is for rules "
		    "that are written here, after '=== rules'"));
	if (name.len == 0)
		return (wrong(reader, name, "a name is missing here: write "
		    "'=== file office.list', say"));
	(void)begin_file(reader, name);
	return (true);
}

static bool
begin_group(struct reader *reader, struct fm_text title)
{
	struct fm_cases_group *group = take_memory(reader, sizeof *group);
	struct fm_text from = title;

	group->line = reader->at.line;
	*reader->next_group = group;
	reader->next_group = &group->next;
	reader->group = group;
	reader->next_file = &group->files;
	reader->next_one = &group->ones;
	if (!cut_word(&from, "from")) {
		group->title = title;
		(void)begin_file(reader, fm_text_of(FM_CASES_MAIN));
		return (true);
	}
	group->from = fm_cli_keep(&reader->cases->arena, from);
	return ((from.len > 0 && memchr(from.b, '\0', from.len) == NULL) ||
	    wrong(reader, from, "write the name of a rule file here, relative "
	    "to the folder of this one"));
}

static void
begin_request(struct reader *reader, struct fm_text title)
{
	struct fm_case *one = take_memory(reader, sizeof *one);

	one->line = reader->at.line;
	one->title = title;
	one->engines = FM_CASES_EVERYWHERE;
	one->expected.scans = FM_CASES_ANY;
	*reader->next_one = one;
	reader->next_one = &one->next;
	reader->one = one;
	reader->room = 0;
	reader->said = 0;
	reader->take = take_request;
}

/*
 * Begins a response to the request.  After an expectation, a case of its own
 * begins, with the same request.
 */
static void
begin_response(struct reader *reader, struct fm_text title)
{
	struct fm_case *one = reader->one;

	if (one->expected.given) {
		one = take_memory(reader, sizeof *one);
		*one = *reader->one;
		one->line = reader->at.line;
		one->next = NULL;
		*reader->next_one = one;
		reader->next_one = &one->next;
		reader->one = one;
	}
	if (title.len > 0)
		one->title = title;
	one->response = take_memory(reader, sizeof *one->response);
	memset(&one->expected, 0, sizeof one->expected);
	one->expected.verdict = FM_VERDICT_DELIVER;
	one->expected.ttl = one->expected.grace = one->expected.keep = -1;
	reader->room = 0;
	reader->said = 0;
	reader->take = take_response;
}

/*
 * Ends a section.  Returns false, and reports it, if a request has no line or
 * no expectation.
 */
static bool
end_section(struct reader *reader)
{
	const struct fm_case *one = reader->one;
	struct fm_place at = { .name = reader->at.name };

	if (one == NULL || (one->method.b != NULL && one->expected.given &&
	    (one->response == NULL || one->response->status != 0)))
		return (true);
	at.line = one->line;
	at.column = 1;
	fm_diag_error(reader->diag, &at, one->method.b == NULL ?
	    "a request is missing here: write 'GET /', say, below" :
	    one->response != NULL && one->response->status == 0 ?
	    "a response is missing here: write '200', say, below" :
	    "nothing says what is expected of this request: write "
	    "'=== expect' after it");
	return (false);
}

static bool
begin_section(struct reader *reader, struct fm_text line)
{
	static const struct word known[] = { { .name = "rules" },
	    { .name = "file" }, { .name = "request" }, { .name = "response" },
	    { .name = "expect" }, { .name = NULL } };
	struct fm_text rest = line, host;
	bool ok = true;

	reader->text = NULL;
	if (reader->take == take_request && reader->one->method.b != NULL) {
		host = fm_case_host(reader->one, &reader->cases->arena);
		if (host.b != NULL)
			(void)take_field(reader, host, &reader->one->fields,
			    &reader->one->nfields, &reader->one->marks);
	}
	if (cut_word(&rest, "expect")) {
		if (reader->one == NULL || (reader->take != take_request &&
		    reader->take != take_response))
			return (wrong(reader, line, "there is no request in "
			    "front of it: write '=== request' and the "
			    "request"));
		reader->one->expected.given = true;
		reader->take = take_expect;
		return (rest.len == 0 || wrong(reader, rest,
		    "nothing may follow 'expect'"));
	}
	if (cut_word(&rest, "response")) {
		if (reader->one == NULL || reader->one->method.b == NULL ||
		    reader->take == take_response)
			return (wrong(reader, line, "there is no request in "
			    "front of it: write '=== request' and the request, "
			    "or '=== expect' of the response before"));
		begin_response(reader, rest);
		return (true);
	}
	ok = end_section(reader);
	reader->one = NULL;
	reader->take = NULL;
	if (cut_word(&rest, "rules"))
		return (begin_group(reader, rest) && ok);
	if (cut_word(&rest, "file"))
		return (take_file(reader, rest) && ok);
	if (!cut_word(&rest, "request"))
		return (wrong_word(reader, cut_at(&line, ' '),
		    "a section is called rules, file, request, response or "
		    "expect, and not", known));
	if (reader->group == NULL) {
		ok = wrong(reader, line, "rules come first: write "
		    "'=== rules from FILE', or '=== rules' and their text");
		/* So that this is the only error, and not one per request. */
		(void)begin_group(reader, fm_text("", 0));
		reader->text = NULL;
	}
	begin_request(reader, rest);
	return (ok);
}

static bool
take_line(struct reader *reader, struct fm_text line, const char *next)
{
	struct fm_text rest;

	reader->line = line;
	if (line.len > 0 && line.b[line.len - 1] == '\r')
		line.len--;
	rest = line;
	if (cut_word(&rest, "==="))
		return (begin_section(reader, rest));
	if (reader->text != NULL) {
		if (reader->text->b == NULL)
			reader->text->b = line.b;
		reader->text->len = (size_t)(next - reader->text->b);
		return (true);
	}
	if (reader->take == NULL || line.len == 0 || line.b[0] == '#')
		return (true);
	return (reader->take(reader, line));
}

struct fm_cases *
fm_cases_parse(const char *path, struct fm_file *file, struct fm_diag *diag)
{
	struct reader reader = { .diag = diag, .at = { .name = path } };
	struct fm_text rest = fm_text(file->bytes, file->len), line;
	bool ok = true;

	reader.cases = fm_cli_alloc(sizeof *reader.cases);
	reader.cases->path = path;
	reader.cases->file = file;
	reader.next_group = &reader.cases->groups;
	/* Editors may put a byte order mark at the beginning. */
	if (fm_text_begins(rest, "\xef\xbb\xbf"))
		rest = fm_text(rest.b + 3, rest.len - 3);
	while (rest.len > 0) {
		line = cut_at(&rest, '\n');
		reader.at.line++;
		ok = take_line(&reader, line, rest.b) && ok;
	}
	ok = end_section(&reader) && ok;
	if (ok && reader.cases->groups == NULL)
		fm_diag_error(diag, &(struct fm_place){ .name = path },
		    "no cases: a line '=== rules from FILE' begins them");
	fm_diag_sort(diag, path);
	if (!ok || reader.cases->groups == NULL)
		fm_cases_free(&reader.cases);
	return (reader.cases);
}

struct fm_cases *
fm_cases_read(const char *path, struct fm_diag *diag)
{
	struct fm_file *file = fm_file_read(path, FILE_MAX, NULL, diag);

	return (file == NULL ? NULL : fm_cases_parse(path, file, diag));
}

void
fm_cases_free(struct fm_cases **cp)
{
	struct fm_cases *c = *cp;

	*cp = NULL;
	if (c == NULL)
		return;
	fm_arena_fini(&c->arena);
	fm_file_free(&c->file);
	free(c);
}
