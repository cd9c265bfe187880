/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What only the rules in `response` and `delivery` have: lifetimes, lists in
 * headers of responses, and subjects and values of these.  Subjects that are
 * numbers are here, too, also that of requests.
 */

#include "cachestatus.h"
#include "directives.h"
#include "duration.h"
#include "obj.h"
#include "run_priv.h"
#include "targeted.h"

#define NUMBER_MAX	1e15	/* more is not exact as a double */
#define NUMBER_DIGITS	20	/* as many as 64 bits have */

static const struct fm_text missing = { NULL, 0 };

/* Lets the rules edit what the response has beside its headers. */
void
fm_response_begin(struct fm_exec *exec, struct fm_run *run,
    const struct fm_view *view)
{
	run->response = *view->response;
	exec->req.response = &run->response;
	exec->result->response = &run->response;
}

/*--------------------------------------------------------------------
 * Subjects and values
 */

/* Returns the three digits of the status. */
static struct fm_text
status_text(struct fm_response *response)
{
	unsigned status = response->status % 1000;

	response->status_text[0] = (char)('0' + status / 100);
	response->status_text[1] = (char)('0' + status / 10 % 10);
	response->status_text[2] = (char)('0' + status % 10);
	return (fm_text(response->status_text, 3));
}

/* Returns the word that says most about where a response comes from. */
static inline struct fm_text
cache_word(const struct fm_response *response)
{
	unsigned flags = response->flags;

	if (flags == FM_CACHE_HIT)
		return (fm_text("hit", 3));
	if ((flags & FM_CACHE_STALE) != 0)
		return (fm_text("stale", 5));
	if ((flags & FM_CACHE_OWN) != 0)
		return (fm_text("own", 3));
	return ((flags & FM_CACHE_PASS) != 0 ? fm_text("pass", 4) :
	    fm_text("miss", 4));
}

static struct fm_text
subject_type(struct fm_request *req, unsigned slot)
{
	struct fm_text header = fm_request_header(req, slot), type;
	char *buf;

	if (header.b == NULL)
		return (missing);
	buf = fm_request_alloc(req, header.len);
	if (buf == NULL)
		return (missing);
	type = fm_directives_type(header, buf);
	fm_scratch_shrink(req->scratch, buf, header.len,
	    type.b == buf ? type.len : 0);
	return (type);
}

/* The fields of a header, one after the other: first at 0, then in notes. */
struct lines {
	const struct fm_request	*req;
	unsigned		slot;
	uint32_t		note;		/* the next one */
	bool			begun;
};

/* Finds the next field of a header that no rule has edited. */
static bool
lines_next(struct lines *lines, uint32_t *field)
{
	const struct fm_request *req = lines->req;

	if (!lines->begun) {
		lines->begun = true;
		*field = req->slots[lines->slot].first;
		return (req->slots[lines->slot].present);
	}
	for (; lines->note < req->nnotes; lines->note++)
		if (req->notes[lines->note].slot == lines->slot) {
			*field = req->notes[lines->note++].field;
			return (true);
		}
	return (false);
}

/* Returns the value of the first cookie of that name that is set. */
static struct fm_text
subject_set_cookie(struct fm_request *req, unsigned slot, struct fm_text name)
{
	struct lines lines = { .req = req, .slot = slot };
	struct fm_text value, line;
	uint32_t field;

	if (fm_request_owns(req, slot)) {
		line = fm_request_header(req, slot);
		return (line.b != NULL && fm_text_eq(fm_directives_cookie(line,
		    &value), name) ? fm_text_or_empty(value) : missing);
	}
	while (lines_next(&lines, &field)) {
		if (fm_request_is_gone(req, field))
			continue;
		line = fm_request_field_value(&req->view->fields[field],
		    req->program->slots[slot].name.len);
		if (fm_text_eq(fm_directives_cookie(line, &value), name))
			return (fm_text_or_empty(value));
	}
	return (missing);
}

/* Returns a copy of a short text; empty without memory. */
static struct fm_text
kept(struct fm_request *req, const char *text)
{
	size_t len = strlen(text);
	char *buf = fm_request_alloc(req, len);

	if (buf == NULL)
		return (fm_text("", 0));
	memcpy(buf, text, len);
	return (fm_text(buf, len));
}

/* Returns the digits of a number; empty without memory. */
static struct fm_text
digits_text(struct fm_request *req, uint64_t left)
{
	char *end = fm_request_alloc(req, NUMBER_DIGITS), *b;

	if (end == NULL)
		return (fm_text("", 0));
	b = end += NUMBER_DIGITS;
	do
		*--b = (char)('0' + left % 10);
	while ((left /= 10) > 0);
	return (fm_text_span(b, end));
}

/*
 * Returns the digits of a number as printf() rounds it, a half to the even
 * one; empty without memory.
 */
static struct fm_text
number_text(struct fm_request *req, double number)
{
	uint64_t left;

	number = number < 0 ? 0 : number < NUMBER_MAX ? number : NUMBER_MAX;
	left = (uint64_t)number;
	number -= (double)left;
	left += number > .5 || (number == .5 && left % 2 == 1);
	return (digits_text(req, left));
}

/*
 * Returns how many bytes the body has, as Content-Length told before any rule;
 * -1 if that is not there, or no number.
 */
static double
response_size(const struct fm_request *req)
{
	const struct fm_text name = fm_text("Content-Length", 14);
	struct fm_text value;
	double size = 0;
	uint32_t i, end = fm_request_nmessage(req->view);
	size_t n;

	for (i = 0; i < end; i++)
		if (fm_text_eq_nocase(fm_request_field_name(
		    &req->view->fields[i]), name))
			break;
	if (i == end)
		return (-1);
	value = fm_request_field_value(&req->view->fields[i], name.len);
	for (n = 0; n < value.len && value.b[n] >= '0' && value.b[n] <= '9';
	    n++)
		size = size * 10 + (value.b[n] - '0');
	return (n > 0 && n == value.len ? size : -1);
}

/* Returns the words of `fetch is`; missing: none is true. */
static struct fm_text
fetch_words(struct fm_request *req)
{
	char line[32] = "", *to = line;
	unsigned i;

	for (i = 0; i < FM_STATE__KINDS; i++)
		if (fm_states[i].subject == FM_SUBJECT_FETCH &&
		    (req->response->flags >> i & 1) != 0)
			to = stpcpy(stpcpy(to, " "), fm_states[i].word);
	return (*line == '\0' ? missing : kept(req, line + 1));
}

/* Returns the text of a subject that only traces ask for. */
static struct fm_text __attribute__((cold))
subject_told(struct fm_request *req, enum fm_subject_kind kind)
{
	char buf[FM_DURATION_PRINT];
	double size;

	switch (kind) {
	case FM_SUBJECT_TTL:
		return (kept(req, fm_duration_print(req->response->ttl, buf)));
	case FM_SUBJECT_SIZE:
		size = response_size(req);
		return (size < 0 ? missing : number_text(req, size));
	case FM_SUBJECT_RESTARTS:
		return (number_text(req, req->view->restarts));
	case FM_SUBJECT_FETCH:
		return (fetch_words(req));
	default:
		return (missing);
	}
}

struct fm_text
fm_response_subject(struct fm_request *req,
    const struct fm_subject_code *subject)
{
	struct fm_text header;

	switch ((enum fm_subject_kind)subject->kind) {
	case FM_SUBJECT_STATUS:
		return (status_text(req->response));
	case FM_SUBJECT_CACHE:
		return (cache_word(req->response));
	case FM_SUBJECT_TYPE:
		return (subject_type(req, subject->slot));
	case FM_SUBJECT_CACHE_CONTROL:
		header = fm_request_header(req, subject->slot);
		return (header.b == NULL ? missing : fm_directives_value(header,
		    req->program->texts[subject->name]));
	case FM_SUBJECT_SET_COOKIE:
		return (subject_set_cookie(req, subject->slot,
		    req->program->texts[subject->name]));
	default:
		return (subject_told(req,
		    (enum fm_subject_kind)subject->kind));
	}
}

bool
fm_response_test(const struct fm_exec *exec, const struct fm_test *test)
{
	const struct fm_response *response = exec->req.response;
	double is;

	if (test->subject.kind == FM_SUBJECT_SCHEME)
		return ((fm_run_scheme(exec->program, exec->req.view) &
		    test->first) != 0);
	if (test->kind == FM_TEST_FLAGS)
		return ((response->flags & test->first) != 0);
	if (test->subject.kind == FM_SUBJECT_RESTARTS)
		is = exec->req.view->restarts;
	else if (test->subject.kind == FM_SUBJECT_TTL)
		is = response->ttl;
	else
		is = response_size(&exec->req);
	if (test->subject.kind == FM_SUBJECT_SIZE && is < 0)
		return (false);
	return (test->over ? is > test->number : is < test->number);
}

struct fm_text
fm_response_part(struct fm_exec *exec, enum fm_part_kind kind)
{
	struct fm_response *response = exec->req.response;

	switch (kind) {
	case FM_PART_STATUS:
		return (status_text(response));
	case FM_PART_CACHE:
		return (cache_word(response));
	case FM_PART_TTL:
		return (number_text(&exec->req, response->ttl));
	case FM_PART_AGE:
		return (number_text(&exec->req, response->age));
	case FM_PART_RULE:
		return (fm_text_or_empty(response->rule));
	case FM_PART_HITS:
		return (digits_text(&exec->req, response->hits));
	default:
		break;
	}
	return (fm_text("", 0));
}

/*--------------------------------------------------------------------
 * Lifetimes
 */

/* Notes which rule changed a part of what is stored. */
static void
note_part(struct fm_exec *exec, const struct fm_op *op, enum fm_stored part)
{
	exec->req.response->rules[part] = &exec->program->rules[op->rule];
}

/* Notes which rule gave a response its lifetime. */
static void
note_rule(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_rule *rule = &exec->program->rules[op->rule];

	exec->req.response->rule = fm_text(rule->place, rule->place_len);
}

/* Tells the trace of a number of seconds that a statement has changed. */
static void
tell_seconds(const struct fm_exec *exec, const struct fm_op *op,
    const char *what, double before, double after)
{
	char from[FM_DURATION_PRINT], to[FM_DURATION_PRINT];

	if (exec->trace == NULL)
		return;
	fm_exec_tell(exec, op->rule, before == after ? FM_EFFECT_NONE :
	    FM_EFFECT_CHANGED, fm_text_of(what),
	    fm_text_of(fm_duration_print(before, from)),
	    fm_text_of(fm_duration_print(after, to)));
}

double
fm_response_seconds(const struct fm_exec *exec, const struct fm_op *op)
{
	return (op->a == FM_NONE ? exec->req.response->uncacheable_ttl :
	    op->a + op->status / 1000.);
}

/* Returns true if lifetimes do nothing: the response will not be stored. */
static bool
is_not_stored(const struct fm_response *response)
{
	return (response->uncacheable ||
	    (response->flags & FM_FETCH_PASS) != 0);
}

void
fm_response_uncacheable(struct fm_exec *exec, const struct fm_op *op,
    double seconds)
{
	struct fm_response *response = exec->req.response;
	unsigned part;

	for (part = FM_STORED_UNCACHEABLE; part <= FM_STORED_KEEP; part++)
		note_part(exec, op, part);
	response->uncacheable = response->uncacheable_set = true;
	response->ttl = seconds;
	response->grace = response->keep = 0;
	response->ttl_set = response->grace_set = response->keep_set = true;
}

/* Returns true if a `ttl` changes the lifetime that the response has. */
static bool
ttl_applies(const struct fm_response *response, enum fm_ttl_what what,
    double seconds)
{
	switch (what) {
	case FM_TTL_DEFAULT:
		return (response->from == FM_LIFETIME_DEFAULT);
	case FM_TTL_LEAST:
		return (response->ttl > 0 && response->ttl < seconds);
	case FM_TTL_MOST:
		return (response->ttl > seconds);
	case FM_TTL_SET:
	case FM_TTL_FROM:
		break;
	}
	return (true);
}

static void
stmt_ttl(struct fm_exec *exec, const struct fm_op *op, double seconds)
{
	struct fm_response *response = exec->req.response;
	double before = response->ttl;

	if (!is_not_stored(response) && ttl_applies(response,
	    (enum fm_ttl_what)op->what, seconds)) {
		response->ttl = seconds;
		response->ttl_set = true;
		note_rule(exec, op);
		if (seconds != before)
			note_part(exec, op, FM_STORED_TTL);
		if (op->what == FM_TTL_SET || op->what == FM_TTL_FROM)
			response->from = FM_LIFETIME_KNOWN;
	}
	tell_seconds(exec, op, "ttl", before, response->ttl);
}

static void
stmt_ttl_map(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text value;
	double seconds;

	if (!fm_exec_value(exec, op, op->a, &value, NULL))
		return;
	if (fm_duration_parse(value, &seconds) == FM_DURATION_OK)
		stmt_ttl(exec, op, seconds);
	else
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE,
		    fm_text_of("ttl"));
}

static void
stmt_life(struct fm_exec *exec, const struct fm_op *op, enum fm_stored part,
    double seconds)
{
	struct fm_response *response = exec->req.response;
	bool grace = part == FM_STORED_GRACE;
	double *is = grace ? &response->grace : &response->keep;
	double before = *is;

	if (!is_not_stored(response)) {
		*is = seconds;
		*(grace ? &response->grace_set : &response->keep_set) = true;
		if (seconds != before)
			note_part(exec, op, part);
	}
	tell_seconds(exec, op, grace ? "grace" : "keep", before, *is);
}

/* Returns true if Varnish would read the lifetime in a response's headers. */
static bool
has_lifetime(unsigned status)
{
	static const unsigned short all[] = { 200, 203, 204, 300, 301, 302,
	    304, 307, 404, 410, 414 };
	size_t i;

	for (i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i] == status)
			return (true);
	return (false);
}

/*
 * Takes the lifetime of the first header that is there and can be read.  It
 * counts from when the response was made.
 */
static void
stmt_ttl_from(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_text headers = exec->program->texts[op->a];
	struct fm_response *response = exec->req.response;
	struct fm_targeted targeted = { -1, -1 };
	struct fm_text value = missing;
	size_t i;

	for (i = 0; i < headers.len && value.b == NULL; i += 2) {
		value = fm_request_header(&exec->req,
		    (unsigned char)headers.b[i]);
		if (value.b != NULL && !fm_targeted_read(
		    (enum fm_targeted_kind)headers.b[i + 1], value, &targeted))
			value = missing;
	}
	if (value.b == NULL || !has_lifetime(response->status) ||
	    is_not_stored(response)) {
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE,
		    fm_text_of("ttl"));
		return;
	}
	if (headers.b[i - 1] != FM_TARGETED_SECONDS)
		response->targeted = value;
	if (targeted.stale >= 0)
		stmt_life(exec, op, FM_STORED_GRACE, targeted.stale);
	if (targeted.seconds > response->age)
		stmt_ttl(exec, op, targeted.seconds - response->age);
	else if (targeted.seconds >= 0)
		stmt_ttl(exec, op, 0);
}

static void
stmt_uncacheable(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_response *response = exec->req.response;
	bool pass = (response->flags & FM_FETCH_PASS) != 0;
	char buf[FM_DURATION_PRINT];

	if (pass || response->uncacheable_set) {
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE,
		    fm_text_of("uncacheable"));
		return;
	}
	fm_response_uncacheable(exec, op, fm_response_seconds(exec, op));
	note_rule(exec, op);
	fm_exec_trace(exec, op->rule, FM_EFFECT_CHANGED,
	    fm_text_of("uncacheable"), missing,
	    fm_text_of(fm_duration_print(response->ttl, buf)));
}

static void
stmt_flag(struct fm_exec *exec, const struct fm_op *op, const char *what,
    enum fm_stored part, bool *flag)
{
	fm_exec_trace(exec, op->rule, *flag ? FM_EFFECT_NONE :
	    FM_EFFECT_CHANGED, fm_text_of(what), missing, fm_text_of("on"));
	if (!*flag)
		note_part(exec, op, part);
	*flag = true;
}

/*--------------------------------------------------------------------
 * Lists in headers
 */

/* Gives a header a new list, unless that is the one that it has. */
static void
put_list(struct fm_exec *exec, const struct fm_op *op, struct fm_text was,
    struct fm_text list)
{
	if (list.b == was.b && list.b != NULL)
		fm_exec_trace(exec, op->rule, FM_EFFECT_NONE,
		    exec->program->slots[op->slot].name, was, was);
	else
		fm_stmt_header(exec, op, op->slot, list);
}

/* Drops or keeps elements of Vary or Cache-Control. */
static void
stmt_list(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_params *params = &exec->program->params[op->a];
	struct fm_text list = fm_request_header(&exec->req, op->slot), left;
	size_t cap;
	char *buf;

	if (list.b == NULL) {
		fm_stmt_header(exec, op, op->slot, missing);
		return;
	}
	cap = fm_directives_cap(list);
	buf = fm_request_alloc(&exec->req, cap);
	if (buf == NULL)
		return;
	left = fm_directives_filter(list, params->names,
	    params->mode == FM_PARAMS_KEEP ? FM_DIRECTIVES_KEEP :
	    FM_DIRECTIVES_DROP, op->star, buf);
	fm_scratch_shrink(exec->req.scratch, buf, cap,
	    left.b == buf ? left.len : 0);
	put_list(exec, op, list, left);
}

static void
stmt_vary_add(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_text *names = &exec->program->texts[op->a];
	struct fm_text was = fm_request_header(&exec->req, op->slot), list;
	size_t cap = fm_directives_add_cap(was, names, op->b);
	char *buf = fm_request_alloc(&exec->req, cap);

	if (buf == NULL)
		return;
	list = fm_directives_add(was, names, op->b, buf);
	fm_scratch_shrink(exec->req.scratch, buf, cap,
	    list.b == buf ? list.len : 0);
	put_list(exec, op, was, list);
}

/* Returns true if a `set-cookie` removes a line. */
static bool
cookie_goes(const struct fm_params *params, struct fm_text line)
{
	struct fm_text value;
	bool named = params->names != NULL && fm_names_match(params->names,
	    fm_directives_cookie(line, &value), FM_NAMES_RAW) > 0;

	return (named == (params->mode == FM_PARAMS_DROP));
}

/*
 * Removes lines of Set-Cookie: all that are left are those of the slot, of
 * which no line is edited.
 */
static void
stmt_set_cookie(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_params *params = &exec->program->params[op->a];
	struct fm_request *req = &exec->req;
	struct fm_request_slot *slot = &req->slots[op->slot];
	struct lines lines = { .req = req, .slot = op->slot };
	struct fm_text line, name = req->program->slots[op->slot].name;
	uint32_t field, left = 0, gone = 0, first = 0, i;

	if (fm_request_owns(req, op->slot)) {
		line = fm_request_header(req, op->slot);
		fm_stmt_header(exec, op, op->slot, line.b != NULL &&
		    cookie_goes(params, line) ? missing : line);
		return;
	}
	while (lines_next(&lines, &field)) {
		line = fm_request_field_value(&req->view->fields[field],
		    name.len);
		if (!cookie_goes(params, line)) {
			if (left++ == 0)
				first = field;
			continue;
		}
		if (!fm_stmt_remove(exec, op, op->slot, field))
			return;
		gone++;
	}
	if (gone == 0) {
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE, name);
		return;
	}
	/* The first field of a slot has no note. */
	for (i = 0; i < req->nnotes && left > 0; i++)
		if (req->notes[i].field == first)
			req->notes[i].slot = FM_NONE;
	slot->present = left > 0;
	slot->first = first;
	slot->several = left > 1;
	slot->known = false;
	slot->version++;
}

/*--------------------------------------------------------------------
 * Cache-Status
 */

struct fm_text
fm_run_place(struct fm_text place)
{
	const char *slash = place.b == NULL ? NULL :
	    memrchr(place.b, '/', place.len);

	return (slash == NULL ? place :
	    fm_text_span(slash + 1, place.b + place.len));
}

void
fm_run_cause(const struct fm_result *result, struct fm_cause *cause)
{
	const struct fm_response *response = result == NULL ? NULL :
	    result->response;

	cause->rule = missing;
	cause->uncacheable = response != NULL && response->uncacheable_set;
	if (response != NULL)
		cause->rule = response->rule;
	if (response == NULL || result->verdict != FM_VERDICT_PASS)
		return;
	cause->uncacheable = true;
	cause->rule = fm_text(result->rule->place, result->rule->place_len);
}

/*
 * Returns the rule that decided that a response is not stored; or, if it is
 * stored, the one that gave its lifetime; or the missing text.  What VCL has
 * decided after the rules has none.
 */
static struct fm_text
cause_rule(const struct fm_cause *cause, bool stored)
{
	if (cause == NULL)
		return (missing);
	if (cause->passed && cause->passed_by.b != NULL)
		return (fm_run_place(cause->passed_by));
	return (cause->uncacheable == stored ? missing :
	    fm_run_place(cause->rule));
}

/*
 * Returns why the request went on to a backend.  Varnish does not tell whether
 * a response was there for another variant: `miss` covers both.
 */
static const char *
cause_fwd(const struct fm_exec *exec, const struct fm_cause *cause)
{
	struct fm_text method = exec->req.view->method;

	if (cause == NULL || !cause->passed)
		return (cause != NULL && cause->stale ? "stale" : "miss");
	return (fm_text_eq(method, fm_text_of("GET")) ||
	    fm_text_eq(method, fm_text_of("HEAD")) ? "bypass" : "method");
}

/* Returns true if the client may see which rule has decided. */
static bool
sees_detail(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_subject_code client = { .kind = FM_SUBJECT_CLIENT };

	return (op->b == FM_NONE || (!exec->req.client_unknown &&
	    fm_request_network(&exec->req, &client, op->b) != FM_NONE));
}

/* Returns what a `cache-status` says of a response. */
static struct fm_cachestatus
member_of(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_response *response = exec->req.response;
	const struct fm_cause *cause = response->cause;
	bool hit = (response->flags & FM_CACHE_HIT) != 0;
	bool stored = (response->flags & FM_CACHE_PASS) == 0;

	return ((struct fm_cachestatus){
	    .name = exec->program->texts[op->a],
	    .fwd = hit ? NULL : cause_fwd(exec, cause),
	    .status = cause == NULL ? 0 : cause->status,
	    .fresh = stored,
	    .ttl = response->ttl,
	    .stored = stored && !hit,
	    .detail = sees_detail(exec, op) ? cause_rule(cause, stored) :
	    missing });
}

/*
 * Appends a member to Cache-Status, or replaces that of the last statement.  A
 * response that Varnish has made itself gets none (RFC 9211, section 2).
 */
void
fm_response_cache_status(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_response *response = exec->req.response;
	struct fm_text list = fm_request_header(&exec->req, op->slot);
	struct fm_cachestatus member;
	size_t cap, len;
	char *buf;

	if ((response->flags & FM_CACHE_OWN) != 0 ||
	    (response->cause != NULL && response->cause->failed)) {
		fm_exec_trace(exec, op->rule, FM_EFFECT_NONE,
		    exec->program->slots[op->slot].name, list, list);
		return;
	}
	if (list.b != NULL && list.b == response->told)
		list.len = response->told_at;
	member = member_of(exec, op);
	cap = list.len + 2 + fm_cachestatus_cap(&member);
	buf = fm_request_alloc(&exec->req, cap);
	if (buf == NULL)
		return;
	len = list.len;
	if (len > 0) {
		memcpy(buf, list.b, len);
		memcpy(buf + len, ", ", 2);
		len += 2;
	}
	len += fm_cachestatus_put(&member, buf + len);
	fm_scratch_shrink(exec->req.scratch, buf, cap, len);
	fm_stmt_header(exec, op, op->slot, fm_text(buf, len));
	/* An equal text stays where it is. */
	response->told = fm_request_header(&exec->req, op->slot).b;
	response->told_at = list.len;
}

void
fm_response_no_vary(struct fm_exec *exec, const struct fm_op *op,
    const struct fm_text says[2])
{
	if (says == NULL || says[0].len + says[1].len == 0) {
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE, missing);
		return;
	}
	if (says[0].len > 0)
		fm_stmt_header(exec, op, op->slot, says[0]);
	if (says[1].len > 0)
		fm_exec_trace(exec, op->rule, FM_EFFECT_LEFT, missing, missing,
		    says[1]);
}

bool
fm_response_retries(const struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_response *response = exec->req.response;

	return (response->can_retry && response->retries < op->a);
}

const char *
fm_response_builtin(struct fm_exec *exec, const struct fm_op *op)
{
	const unsigned char *slots = (const unsigned char *)
	    exec->program->texts[op->a].b;
	struct fm_response *response = exec->req.response;
	const struct fm_builtin_response of = {
		.status = response->status,
		.uncacheable = is_not_stored(response),
		.set_cookie = !fm_request_lacks(&exec->req, slots[0]),
		.vary = fm_request_header(&exec->req, slots[1]),
		.surrogate_control = response->targeted.b != NULL ? missing :
		    fm_request_header(&exec->req, slots[2]),
		.content_range = !fm_request_lacks(&exec->req, slots[3]),
		.targeted = response->targeted.b != NULL,
		.cache_control = response->targeted.b != NULL ?
		    response->targeted : fm_request_header(&exec->req,
		    op->slot),
		.ttl = response->ttl,
		.uncacheable_ttl = response->uncacheable_ttl
	};
	struct fm_builtin_stored it;

	it = fm_builtin_respond(fm_builtin_response_here, &of);
	if (it.content_range)
		fm_stmt_header(exec, op, slots[3], missing);
	if (it.uncacheable && !of.uncacheable) {
		response->uncacheable = response->uncacheable_set = true;
		note_rule(exec, op);
		note_part(exec, op, FM_STORED_UNCACHEABLE);
	}
	if (it.ttl != of.ttl) {
		response->ttl = it.ttl;
		response->ttl_set = true;
		note_part(exec, op, FM_STORED_TTL);
	}
	return (it.why);
}

void
fm_response_stmt(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_response *response = exec->req.response;

	switch ((enum fm_op_code)op->code) {
	case FM_OP_TTL:
		if (op->what == FM_TTL_FROM) {
			stmt_ttl_from(exec, op);
			break;
		}
		stmt_ttl(exec, op, fm_response_seconds(exec, op));
		break;
	case FM_OP_TTL_MAP:
		stmt_ttl_map(exec, op);
		break;
	case FM_OP_GRACE:
		stmt_life(exec, op, FM_STORED_GRACE,
		    fm_response_seconds(exec, op));
		break;
	case FM_OP_KEEP:
		stmt_life(exec, op, FM_STORED_KEEP,
		    fm_response_seconds(exec, op));
		break;
	case FM_OP_UNCACHEABLE:
		stmt_uncacheable(exec, op);
		break;
	case FM_OP_ESI:
		stmt_flag(exec, op, "esi", FM_STORED_ESI, &response->esi);
		break;
	case FM_OP_GZIP:
		stmt_flag(exec, op, "gzip", FM_STORED_GZIP, &response->gzip);
		break;
	case FM_OP_SET_COOKIE:
		stmt_set_cookie(exec, op);
		break;
	case FM_OP_VARY:
	case FM_OP_CACHE_CONTROL:
		stmt_list(exec, op);
		break;
	case FM_OP_VARY_ADD:
		stmt_vary_add(exec, op);
		break;
	case FM_OP_GUNZIP:
		stmt_flag(exec, op, "gunzip", FM_STORED_GUNZIP,
		    &response->gunzip);
		break;
	default:
		break;
	}
}
