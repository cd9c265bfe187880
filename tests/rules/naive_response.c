/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin of rules for responses (naive_response.h).
 */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_response.h"
#include "targeted.h"
#include "twin_builtin.h"
#include "twin_directives.h"

enum step { ON, STOP, END };

static enum step block_run(struct naive_response *, const struct fm_block *);

static const struct fm_text missing = { NULL, 0 };

/*--------------------------------------------------------------------
 * Headers
 */

static char *
get(struct naive_response *naive, size_t bytes)
{
	char *p = fm_arena_alloc(&naive->arena, bytes + 1);

	assert(p != NULL);
	return (p);
}

static struct fm_text
text_copy(struct naive_response *naive, struct fm_text t)
{
	char *p = get(naive, t.len);

	if (t.len > 0)
		memcpy(p, t.b, t.len);
	return (fm_text(p, t.len));
}

static bool
text_is(struct fm_text t, const char *word)
{
	return (fm_text_eq(t, fm_text_of(word)));
}

/* Returns the first header of a name, from one on; or NULL. */
static struct naive_header *
find(struct naive_response *naive, struct fm_text name, unsigned from)
{
	for (; from < naive->nheaders; from++)
		if (!naive->headers[from].gone &&
		    fm_text_eq_nocase(naive->headers[from].name, name))
			return (&naive->headers[from]);
	return (NULL);
}

static unsigned
after(const struct naive_response *naive, const struct naive_header *header)
{
	return ((unsigned)(header - naive->headers) + 1);
}

/* Returns a value: of lists all lines, of others the first one. */
static struct fm_text
header_value(struct naive_response *naive, struct fm_text name)
{
	struct naive_header *header = find(naive, name, 0);
	struct fm_text value;
	char *p;

	if (header == NULL)
		return (missing);
	value = header->value;
	if (!fm_text_eq_nocase(name, fm_text_of("Vary")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Cache-Status")) &&
	    !fm_text_has(name, "ontrol"))
		return (value);
	while ((header = find(naive, name, after(naive, header))) != NULL) {
		p = get(naive, value.len + 2 + header->value.len);
		(void)sprintf(p, "%.*s, %.*s", (int)value.len, value.b,
		    (int)header->value.len, header->value.b);
		value = fm_text_of(p);
	}
	return (value);
}

/* Gives a name one line, or none. */
static void
header_set(struct naive_response *naive, struct fm_text name,
    struct fm_text value)
{
	struct naive_header *header = find(naive, name, 0), *more;

	value = fm_text_trim(value);
	if (value.len == 0)
		value = missing;
	if (header == NULL && value.b != NULL) {
		assert(naive->nheaders < NAIVE_HEADERS);
		naive->headers[naive->nheaders++] =
		    (struct naive_header){ name, value, false };
	}
	if (header == NULL)
		return;
	while ((more = find(naive, name, after(naive, header))) != NULL)
		more->gone = true;
	header->value = value;
	header->gone = value.b == NULL;
}

static void
header_unset(struct naive_response *naive, struct fm_text glob)
{
	static const char * const never[] = { "Content-Length",
	    "Transfer-Encoding", "Content-Encoding", "Content-Range",
	    "Connection", NULL };
	bool any = memchr(glob.b, '*', glob.len) != NULL;
	struct naive_header *header = naive->headers;

	for (; header < naive->headers + naive->nheaders; header++)
		if (twin_glob_nocase(glob, header->name) &&
		    !(any && fm_text_is_one_of(header->name, never)))
			header->gone = true;
}

/* Returns the value of a header of the request. */
static struct fm_text
request_value(const struct naive_response *naive, const char *name)
{
	const struct fm_view *view = naive->view;
	unsigned i = view->nfields - view->nrequest;
	size_t len = strlen(name);

	for (; i < view->nfields; i++)
		if (strncasecmp(view->fields[i].b, name, len) == 0 &&
		    view->fields[i].b[len] == ':')
			return (fm_text_trim(fm_text_span(view->fields[i].b +
			    len + 1, view->fields[i].e)));
	return (missing);
}

/*--------------------------------------------------------------------
 * Subjects and conditions
 */

static struct fm_text
cookie_value(struct naive_response *naive, struct fm_text name)
{
	struct naive_header *header = NULL;
	struct fm_text value;

	for (;;) {
		header = find(naive, fm_text_of("Set-Cookie"),
		    header == NULL ? 0 : after(naive, header));
		if (header == NULL)
			return (missing);
		if (fm_text_eq(twin_directives_cookie(header->value, &value),
		    name))
			return (text_copy(naive, value));
	}
}

static const char *
cache_word(unsigned flags)
{
	return ((flags & FM_CACHE_OWN) != 0 ? "own" :
	    (flags & FM_CACHE_PASS) != 0 ? "pass" :
	    (flags & FM_CACHE_STALE) != 0 ? "stale" :
	    (flags & FM_CACHE_HIT) != 0 ? "hit" : "miss");
}

static struct fm_text
number_text(struct naive_response *naive, double number)
{
	char *p = get(naive, 40);

	(void)sprintf(p, "%.0f", number < 0 ? 0 : number);
	return (fm_text_of(p));
}

static struct fm_text
subject_value(struct naive_response *naive, const struct fm_subject *subject)
{
	struct fm_text header;

	switch (subject->kind) {
	case FM_SUBJECT_STATUS:
		return (number_text(naive, naive->is.status));
	case FM_SUBJECT_HEADER:
		return (header_value(naive, subject->name));
	case FM_SUBJECT_REQUEST_HEADER:
		return (request_value(naive, subject->name.b));
	case FM_SUBJECT_TYPE:
		header = header_value(naive, fm_text_of("Content-Type"));
		return (header.b == NULL ? missing :
		    twin_directives_type(header, get(naive, header.len)));
	case FM_SUBJECT_CACHE_CONTROL:
		header = header_value(naive, fm_text_of("Cache-Control"));
		return (header.b == NULL ? missing :
		    twin_directives_value(header, subject->name));
	case FM_SUBJECT_SET_COOKIE:
		return (cookie_value(naive, subject->name));
	case FM_SUBJECT_PATH:
		return (fm_text_span(naive->view->url.b, strchrnul(
		    naive->view->url.b, '?')));
	case FM_SUBJECT_CACHE:
		return (fm_text_of(cache_word(naive->is.flags)));
	default:
		break;
	}
	abort();
}

static double
size_of(struct naive_response *naive)
{
	struct fm_text value = header_value(naive,
	    fm_text_of("Content-Length"));
	char digits[100] = "";

	assert(value.len < sizeof digits);
	if (value.len > 0)
		memcpy(digits, value.b, value.len);
	if (value.len == 0 || strspn(digits, "0123456789") != value.len)
		return (-1);
	return (strtod(digits, NULL));
}

static bool
number_holds(struct naive_response *naive, const struct fm_cond *cond)
{
	double number = cond->subject.kind == FM_SUBJECT_TTL ? naive->is.ttl :
	    size_of(naive);

	if (cond->subject.kind == FM_SUBJECT_SIZE && number < 0)
		return (false);
	return (cond->over ? number > cond->number : number < cond->number);
}

/* Returns true if a response has a flag that the words name. */
static bool
flags_hold(const struct naive_response *naive, const struct fm_cond *cond)
{
	static const struct {
		const char	*word;
		unsigned	fetch, cache;
	} flags[] = {
		{ "background", FM_FETCH_BACKGROUND, 0 },
		{ "retry", FM_FETCH_RETRY, 0 },
		{ "pass", FM_FETCH_PASS, FM_CACHE_PASS },
		{ "hit", 0, FM_CACHE_HIT }, { "miss", 0, FM_CACHE_MISS },
		{ "stale", 0, FM_CACHE_STALE }, { "own", 0, FM_CACHE_OWN }
	};
	const struct fm_word *word;
	size_t i;

	for (word = cond->operands.first; word != NULL; word = word->next)
		for (i = 0; i < sizeof flags / sizeof flags[0]; i++)
			if (text_is(word->text, flags[i].word) &&
			    (naive->is.flags & (cond->subject.kind ==
			    FM_SUBJECT_FETCH ? flags[i].fetch :
			    flags[i].cache)) != 0)
				return (true);
	return (false);
}

static bool
operand_fits(enum fm_pattern_kind mode, struct fm_text operand,
    struct fm_text t)
{
	switch (mode) {
	case FM_PATTERN_EXACT:
		return (fm_text_eq(operand, t));
	case FM_PATTERN_PREFIX:
		return (operand.len <= t.len &&
		    memcmp(operand.b, t.b, operand.len) == 0);
	case FM_PATTERN_SUFFIX:
		return (operand.len <= t.len && memcmp(operand.b,
		    t.b + t.len - operand.len, operand.len) == 0);
	case FM_PATTERN_CONTAINS:
		return (memmem(t.b, t.len, operand.b, operand.len) != NULL);
	default:
		break;
	}
	abort();
}

static bool
words_fit(enum fm_pattern_kind mode, const struct fm_words *words,
    struct fm_text t)
{
	const struct fm_word *word;

	for (word = words->first; word != NULL && t.b != NULL;
	    word = word->next)
		if (operand_fits(mode, word->text, t))
			return (true);
	return (false);
}

static bool
holds(struct naive_response *naive, const struct fm_cond *cond)
{
	const struct fm_line *line;
	struct fm_text t;

	switch (cond->kind) {
	case FM_COND_OR:
		return (holds(naive, cond->left) || holds(naive, cond->right));
	case FM_COND_AND:
		return (holds(naive, cond->left) && holds(naive, cond->right));
	case FM_COND_NOT:
		return (!holds(naive, cond->left));
	case FM_COND_NUMBER:
		return (number_holds(naive, cond));
	case FM_COND_PRESENT:
		return (subject_value(naive, &cond->subject).b != NULL);
	case FM_COND_MODE:
		if (cond->subject.kind == FM_SUBJECT_FETCH ||
		    cond->subject.kind == FM_SUBJECT_CACHE)
			return (flags_hold(naive, cond));
		return (words_fit(cond->mode, &cond->operands,
		    subject_value(naive, &cond->subject)));
	case FM_COND_IN:
		t = subject_value(naive, &cond->subject);
		for (line = cond->list_def->lines; line != NULL;
		    line = line->next)
			if (words_fit(line->matches->mode,
			    &line->matches->operands, t))
				return (true);
		return (false);
	default:
		break;
	}
	abort();
}

/*--------------------------------------------------------------------
 * Statements
 */

static enum step
verdict_end(struct naive_response *naive, const struct fm_stmt *stmt,
    enum fm_verdict verdict)
{
	naive->verdict = verdict;
	naive->line = stmt->at.line;
	return (END);
}

/* Returns true if the response is not stored anyway. */
static bool
is_not_stored(const struct naive_response *naive)
{
	return (naive->is.uncacheable ||
	    (naive->is.flags & FM_FETCH_PASS) != 0);
}

static void
do_uncacheable(struct naive_response *naive, const struct fm_stmt *stmt,
    double otherwise)
{
	naive->is.uncacheable = naive->is.uncacheable_set = true;
	naive->is.ttl = stmt->life.amount == NULL ? otherwise :
	    stmt->life.number;
	naive->is.grace = naive->is.keep = 0;
	naive->is.ttl_set = naive->is.grace_set = naive->is.keep_set = true;
}

/* Returns the value of a map, or NULL. */
static const struct fm_value *
map_value(struct naive_response *naive, const struct fm_value *value)
{
	struct fm_text t = subject_value(naive, &value->subject);
	const struct fm_line *line = value->map_def->lines;

	for (; line != NULL; line = line->next)
		if (words_fit(line->matches->mode, &line->matches->operands,
		    t))
			return (line->value);
	return (value->map_def->otherwise);
}

/* The engine that reads the header has a twin of its own. */
static void
do_ttl_from(struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_word *word = stmt->life.headers.first;
	struct fm_targeted targeted;
	struct fm_text value = missing;

	for (; word != NULL && value.b == NULL; word = word->next) {
		value = header_value(naive, word->text);
		if (value.b != NULL && !fm_targeted_read(fm_targeted_kind(
		    word->text), value, &targeted))
			value = missing;
		if (value.b != NULL)
			break;
	}
	if (word == NULL || is_not_stored(naive) ||
	    !fm_text_has(fm_text_of(" 200 203 204 300 301 302 304 307 404 410 "
	    "414 "), number_text(naive, naive->is.status).b))
		return;
	if (fm_text_has(word->text, "ontrol"))
		naive->is.targeted = value;
	if (targeted.stale >= 0) {
		naive->is.grace = targeted.stale;
		naive->is.grace_set = true;
	}
	if (targeted.seconds < 0)
		return;
	naive->is.ttl = fmax(targeted.seconds - naive->is.age, 0);
	naive->is.ttl_set = true;
	naive->is.from = FM_LIFETIME_KNOWN;
	naive->by = stmt->at.line;
}

static void
do_ttl(struct naive_response *naive, const struct fm_stmt *stmt)
{
	double seconds = stmt->life.number;
	const struct fm_value *value;
	char *rest;

	if (stmt->life.what == FM_TTL_FROM) {
		do_ttl_from(naive, stmt);
		return;
	}
	if (stmt->life.map != NULL) {
		value = map_value(naive, stmt->life.map);
		if (value == NULL)
			return;
		/* The grammar has whole numbers of s or m. */
		seconds = strtod(value->raw.b, &rest) *
		    (*rest == 'm' ? 60 : 1);
	}
	if (is_not_stored(naive) ||
	    (stmt->life.what == FM_TTL_DEFAULT &&
	    naive->is.from != FM_LIFETIME_DEFAULT) ||
	    (stmt->life.what == FM_TTL_LEAST &&
	    (naive->is.ttl <= 0 || naive->is.ttl >= seconds)) ||
	    (stmt->life.what == FM_TTL_MOST && naive->is.ttl <= seconds))
		return;
	naive->is.ttl = seconds;
	naive->is.ttl_set = true;
	naive->by = stmt->at.line;
	if (stmt->life.what == FM_TTL_SET)
		naive->is.from = FM_LIFETIME_KNOWN;
}

/* Returns the names of a statement; the `*` of Vary is none of them. */
static const char *
words_of(struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_word *word;
	char *p = get(naive, 1000), *start = p;

	*p = '\0';
	for (word = stmt->params.names.first; word != NULL; word = word->next)
		if (stmt->kind != FM_STMT_VARY || !text_is(word->text, "*"))
			p += sprintf(p, "%s%s", p == start ? "" : " ",
			    word->text.b);
	return (start);
}

static void
do_list(struct naive_response *naive, const struct fm_stmt *stmt)
{
	struct fm_text name = fm_text_of(stmt->kind == FM_STMT_VARY ? "Vary" :
	    "Cache-Control");
	struct fm_text list = header_value(naive, name), out;
	const char *words = words_of(naive, stmt);
	char *buf = get(naive, 2 * list.len + 1000);
	bool changed, star = false;
	const struct fm_word *word;

	for (word = stmt->params.names.first; word != NULL; word = word->next)
		star |= text_is(word->text, "*");
	if (stmt->params.what == FM_PARAMS_WHAT_ADD)
		changed = twin_directives_add(words, fm_text_or_empty(list),
		    buf, &out);
	else
		changed = list.b != NULL && twin_directives(words,
		    stmt->params.what == FM_PARAMS_WHAT_KEEP, star, list, buf,
		    &out);
	if (changed)
		header_set(naive, name, out);
}

static void
do_set_cookie(struct naive_response *naive, const struct fm_stmt *stmt)
{
	bool keep = stmt->params.what == FM_PARAMS_WHAT_KEEP, any;
	struct naive_header *header = naive->headers;
	const struct fm_word *word;
	struct fm_text name, value;

	for (; header < naive->headers + naive->nheaders; header++) {
		if (!fm_text_eq_nocase(header->name, fm_text_of("Set-Cookie")))
			continue;
		name = twin_directives_cookie(header->value, &value);
		any = false;
		for (word = stmt->params.names.first; word != NULL;
		    word = word->next)
			any |= twin_glob(word->text, name);
		header->gone |= any != keep;
	}
}

static void
do_set(struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_value *value = stmt->set.value;
	char *p = get(naive, 4000), *start = p;
	const struct fm_part *part;
	struct fm_text t;

	if (value->map != NULL)
		value = map_value(naive, value);
	assert(value != NULL);
	for (part = value->parts; part != NULL; part = part->next) {
		switch (part->kind) {
		case FM_PART_TEXT:
			t = part->text;
			break;
		case FM_PART_STATUS:
			t = number_text(naive, naive->is.status);
			break;
		case FM_PART_HEADER:
			t = header_value(naive, part->text);
			break;
		case FM_PART_REQUEST_HEADER:
			t = request_value(naive, part->text.b);
			break;
		case FM_PART_TTL:
			t = number_text(naive, naive->is.ttl);
			break;
		case FM_PART_AGE:
			t = number_text(naive, naive->is.age);
			break;
		case FM_PART_CACHE:
			t = fm_text_of(cache_word(naive->is.flags));
			break;
		default:
			abort();
		}
		p += sprintf(p, "%.*s", (int)t.len, t.len > 0 ? t.b : "");
	}
	header_set(naive, stmt->set.header->text, fm_text_span(start, p));
}

static enum step
do_builtin(struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_builtin_response response = {
		.status = naive->is.status,
		.uncacheable = is_not_stored(naive),
		.set_cookie = find(naive, fm_text_of("Set-Cookie"), 0) != NULL,
		.vary = header_value(naive, fm_text_of("Vary")),
		.surrogate_control = naive->is.targeted.b != NULL ? missing :
		    header_value(naive, fm_text_of("Surrogate-Control")),
		.content_range = find(naive, fm_text_of("Content-Range"),
		    0) != NULL,
		.cache_control = naive->is.targeted.b != NULL ?
		    naive->is.targeted : header_value(naive,
		    fm_text_of("Cache-Control")),
		.ttl = naive->is.ttl,
		.uncacheable_ttl = naive->is.uncacheable_ttl
	};
	struct fm_builtin_stored it;

	it = twin_builtin_respond(fm_builtin_response_here, &response);
	if (it.content_range)
		header_set(naive, fm_text_of("Content-Range"), missing);
	if (it.uncacheable && !response.uncacheable) {
		naive->is.uncacheable = naive->is.uncacheable_set = true;
		naive->by = stmt->at.line;
	}
	if (it.ttl != response.ttl) {
		naive->is.ttl = it.ttl;
		naive->is.ttl_set = true;
	}
	return (verdict_end(naive, stmt, FM_VERDICT_DELIVER));
}

static void
do_unset(struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_word *word;

	for (word = stmt->unset.headers.first; word != NULL; word = word->next)
		header_unset(naive, word->text);
}

static void
do_browser(struct naive_response *naive, const struct fm_stmt *stmt)
{
	char *line = get(naive, 40);

	(void)sprintf(line, "max-age=%.0f", stmt->life.number);
	header_set(naive, fm_text_of("Cache-Control"), fm_text_of(
	    fm_text_eq(stmt->life.amount->text, fm_text_of("no")) ?
	    "no-store" : line));
	header_unset(naive, fm_text_of("Expires"));
	header_unset(naive, fm_text_of("Pragma"));
}

/* Returns why a backend was asked. */
static const char *
fwd_of(const struct naive_response *naive)
{
	const struct fm_cause *cause = naive->is.cause;
	struct fm_text method = naive->view->method;

	if (cause != NULL && cause->passed)
		return (text_is(method, "GET") || text_is(method, "HEAD") ?
		    "bypass" : "method");
	return (cause != NULL && cause->stale ? "stale" : "miss");
}

/* Returns the rule that a cache-status names, or the missing text. */
static struct fm_text
detail_of(const struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_cause *cause = naive->is.cause;
	bool stored = (naive->is.flags & FM_CACHE_PASS) == 0;

	/* The only client of the tests that is in a list is 192.0.2.1. */
	if (cause == NULL || (stmt->cache_status.list != NULL &&
	    naive->view->client.len == 0))
		return (missing);
	if (cause->passed && cause->passed_by.b != NULL)
		return (cause->passed_by);
	return (stored == !cause->uncacheable ? cause->rule : missing);
}

/* Appends `name; fwd=miss; ...` to what was there before the last of them. */
static void
do_cache_status(struct naive_response *naive, const struct fm_stmt *stmt)
{
	const struct fm_text header = fm_text_of("Cache-Status");
	const struct fm_cause *cause = naive->is.cause;
	struct fm_text was = header_value(naive, header), detail;
	char *line = get(naive, was.len + 1000), *p = line;
	bool pass = (naive->is.flags & FM_CACHE_PASS) != 0;

	if ((naive->is.flags & FM_CACHE_OWN) != 0 ||
	    (cause != NULL && cause->failed))
		return;
	if (naive->told.b != NULL && was.b == naive->told.b)
		was = naive->before;
	naive->before = was;
	p += sprintf(p, "%.*s%s", (int)was.len, was.len > 0 ? was.b : "",
	    was.len > 0 ? ", " : "");
	p += sprintf(p, stmt->cache_status.name->quoted ? "\"%s\"" : "%s",
	    stmt->cache_status.name->text.b);
	if ((naive->is.flags & FM_CACHE_HIT) != 0)
		p += sprintf(p, "; hit");
	else
		p += sprintf(p, "; fwd=%s", fwd_of(naive));
	if ((naive->is.flags & FM_CACHE_HIT) == 0 && cause != NULL &&
	    cause->status > 0)
		p += sprintf(p, "; fwd-status=%u", cause->status);
	if (!pass)
		p += sprintf(p, "; ttl=%.0f", naive->is.ttl < 0 ?
		    floor(naive->is.ttl) : round(naive->is.ttl));
	if (!pass && (naive->is.flags & FM_CACHE_HIT) == 0)
		p += sprintf(p, "; stored");
	detail = detail_of(naive, stmt);
	if (detail.b != NULL)
		(void)sprintf(p, "; detail=\"%.*s\"", (int)detail.len,
		    detail.b);
	naive->told = fm_text_of(line);
	header_set(naive, header, naive->told);
}

/* Adds a sub to those that are called, unless it is one of them. */
static void
do_call(struct naive_response *naive, struct fm_text name)
{
	unsigned i;

	for (i = 0; i < naive->ncalls; i++)
		if (fm_text_eq(naive->calls[i], name))
			return;
	assert(i < FM_LIMIT_CALLS);
	naive->calls[naive->ncalls++] = name;
}

static void
do_life(struct naive_response *naive, double seconds, double *to, bool *set)
{
	if (is_not_stored(naive))
		return;
	*to = seconds;
	*set = true;
}

/* Runs a statement that ends the rules, or may end them. */
static enum step
do_verdict(struct naive_response *naive, const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_PREFER:
		return ((naive->is.flags & FM_FETCH_BACKGROUND) == 0 ? ON :
		    verdict_end(naive, stmt, FM_VERDICT_ABANDON));
	case FM_STMT_RETRY:
		return (naive->is.can_retry &&
		    naive->is.retries < stmt->life.number ?
		    verdict_end(naive, stmt, FM_VERDICT_RETRY) : ON);
	case FM_STMT_ABANDON:
		return (verdict_end(naive, stmt, FM_VERDICT_ABANDON));
	case FM_STMT_DELIVER:
		return (verdict_end(naive, stmt, FM_VERDICT_DELIVER));
	case FM_STMT_PASS:
		do_uncacheable(naive, stmt, 120);
		return (verdict_end(naive, stmt, FM_VERDICT_PASS));
	case FM_STMT_SYNTH:
		naive->status = stmt->synth.code;
		return (verdict_end(naive, stmt, FM_VERDICT_SYNTH));
	default:
		break;
	}
	abort();
}

static enum step item_run(struct naive_response *, const struct fm_block *);

static enum step
stmt_run(struct naive_response *naive, const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_WHEN:
		return (block_run(naive, holds(naive, stmt->when.cond) ?
		    stmt->when.then : stmt->when.otherwise));
	case FM_STMT_USE:
		return (item_run(naive, stmt->use.ruleset->block));
	case FM_STMT_STOP:
		return (STOP);
	case FM_STMT_TTL:
		do_ttl(naive, stmt);
		return (ON);
	case FM_STMT_GRACE:
		do_life(naive, stmt->life.number, &naive->is.grace,
		    &naive->is.grace_set);
		return (ON);
	case FM_STMT_KEEP:
		do_life(naive, stmt->life.number, &naive->is.keep,
		    &naive->is.keep_set);
		return (ON);
	case FM_STMT_UNCACHEABLE:
		if ((naive->is.flags & FM_FETCH_PASS) == 0 &&
		    !naive->is.uncacheable_set) {
			do_uncacheable(naive, stmt,
			    naive->is.uncacheable_ttl);
			naive->by = stmt->at.line;
		}
		return (ON);
	case FM_STMT_ESI:
		naive->is.esi = true;
		return (ON);
	case FM_STMT_GZIP:
		naive->is.gzip = true;
		return (ON);
	case FM_STMT_GUNZIP:
		naive->is.gunzip = true;
		return (ON);
	case FM_STMT_VARY:
	case FM_STMT_CACHE_CONTROL:
		do_list(naive, stmt);
		return (ON);
	case FM_STMT_SET_COOKIE:
		do_set_cookie(naive, stmt);
		return (ON);
	case FM_STMT_BROWSER:
		do_browser(naive, stmt);
		return (ON);
	case FM_STMT_CACHE_STATUS:
		do_cache_status(naive, stmt);
		return (ON);
	case FM_STMT_NO_VARY_SEARCH:
		/* test_novary compares what it says with the rules. */
		if ((naive->is.flags & FM_CACHE_OWN) == 0 &&
		    naive->no_vary != NULL && naive->no_vary->header.len > 0)
			header_set(naive, fm_text_of("No-Vary-Search"),
			    naive->no_vary->header);
		return (ON);
	case FM_STMT_CALL:
		do_call(naive, stmt->call.name->text);
		return (ON);
	case FM_STMT_SET:
		do_set(naive, stmt);
		return (ON);
	case FM_STMT_UNSET:
		do_unset(naive, stmt);
		return (ON);
	case FM_STMT_BUILTIN:
		return (do_builtin(naive, stmt));
	default:
		return (do_verdict(naive, stmt));
	}
}

static enum step
block_run(struct naive_response *naive, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	enum step step = ON;

	for (; stmt != NULL && step == ON; stmt = stmt->next)
		step = stmt_run(naive, stmt);
	return (step);
}

/* Runs the phase's blocks of an item, and those of what it uses. */
static enum step
item_run(struct naive_response *naive, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	enum step step = ON;

	for (; stmt != NULL && step == ON; stmt = stmt->next)
		if (stmt->kind == (naive->phase == FM_PHASE_RESPONSE ?
		    FM_STMT_RESPONSE : FM_STMT_DELIVERY))
			step = block_run(naive, stmt->phase.block);
		else if (stmt->kind == FM_STMT_USE)
			step = item_run(naive, stmt->use.ruleset->block);
	return (step);
}

static void
headers_read(struct naive_response *naive, const struct fm_view *view)
{
	struct naive_header *header;
	const char *colon;
	unsigned i;

	for (i = 0; i < view->nfields - view->nrequest; i++) {
		header = &naive->headers[naive->nheaders++];
		colon = strchr(view->fields[i].b, ':');
		header->name = fm_text_span(view->fields[i].b, colon);
		header->value = fm_text_trim(fm_text_span(colon + 1,
		    view->fields[i].e));
	}
}

void
naive_respond(struct naive_response *naive, const struct fm_model *model,
    enum fm_phase phase, const struct fm_view *view, struct fm_text host)
{
	const struct fm_site *site = model->otherwise;
	enum step step;
	size_t i;

	memset(naive, 0, sizeof *naive);
	naive->model = model;
	naive->view = view;
	naive->phase = phase;
	naive->is = *view->response;
	headers_read(naive, view);
	for (i = 0; i < model->nhosts; i++)
		if (fm_text_eq(model->hosts[i].pattern, host))
			site = model->hosts[i].site;
	naive->no_vary = site == NULL ? model->no_vary :
	    site->block != NULL ? site->no_vary : site->ruleset->no_vary;
	step = item_run(naive, model->always);
	if (step != END && site != NULL)
		step = item_run(naive, site->block != NULL ? site->block :
		    site->ruleset->block);
	if (step != END)
		(void)item_run(naive, model->finally);
}

void
naive_response_fini(struct naive_response *naive)
{
	fm_arena_fini(&naive->arena);
}
