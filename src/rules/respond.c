/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes a response through Varnish and the rules (respond.h).
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "made_request.h"
#include "respond.h"
#include "steps.h"

const struct fm_respond_params fm_respond_usual = {
	.default_ttl = 120, .default_grace = 10, .default_keep = 0,
	.clock_skew = 10, .uncacheable_ttl = 120, .max_retries = 4
};

/*--------------------------------------------------------------------
 * Fields
 */

/* Returns memory of the arena; NULL, and notes that, if there is none. */
static void *
take_memory(struct fm_respond *respond, size_t bytes)
{
	void *p = fm_arena_alloc(&respond->arena, bytes == 0 ? 1 : bytes);

	if (p == NULL)
		respond->no_memory = true;
	return (p);
}

/* Returns a field; without memory, one that has no name. */
__attribute__((format(printf, 2, 3))) static struct fm_field
field_of(struct fm_respond *respond, const char *format, ...)
{
	static const char nameless[] = ":";
	struct fm_field field = { nameless, nameless + 1 };
	va_list args;
	char *line, *to;
	int len;

	va_start(args, format);
	len = vasprintf(&line, format, args);
	va_end(args);
	if (len < 0) {
		respond->no_memory = true;
		return (field);
	}
	to = take_memory(respond, (size_t)len + 1);
	if (to != NULL) {
		field.b = memcpy(to, line, (size_t)len);
		field.e = field.b + len;
	}
	free(line);
	return (field);
}

/* Returns the value of the first field of a name; missing: there is none. */
static struct fm_text
value_of(const struct fm_field *fields, unsigned n, const char *name)
{
	struct fm_text is, value;
	unsigned i;

	for (i = 0; i < n; i++) {
		fm_field_parts(&fields[i], &is, &value);
		if (fm_text_eq_nocase(is, fm_text_of(name)))
			return (value);
	}
	return (fm_text(NULL, 0));
}

/* Returns the values of all fields of a name, with ", " between. */
static struct fm_text
joined(struct fm_respond *respond, const struct fm_field *fields,
    unsigned n, const char *name)
{
	struct fm_text is, value;
	char *all = NULL, *end = NULL;
	size_t room = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		room += (size_t)(fields[i].e - fields[i].b) + 2;
	for (i = 0; i < n; i++) {
		fm_field_parts(&fields[i], &is, &value);
		if (!fm_text_eq_nocase(is, fm_text_of(name)))
			continue;
		if (all != NULL)
			end = stpcpy(end, ", ");
		else if ((all = end = take_memory(respond, room)) == NULL)
			break;
		end = mempcpy(end, value.b, value.len);
	}
	return (all == NULL ? fm_text(NULL, 0) : fm_text_span(all, end));
}

/* Returns the marks of fields_after(): what a rule has written has none. */
static unsigned char *
marks_after(struct fm_respond *respond, const struct fm_view *view,
    const struct fm_result *result)
{
	bool keeps = fm_program_keeps_client(respond->program);
	unsigned char *marks;
	struct fm_step *steps;
	struct fm_edit edit;
	unsigned field = 0, n = 0;
	size_t i, nsteps;

	steps = fm_steps(view, result, &nsteps);
	marks = steps == NULL ? NULL : take_memory(respond, nsteps);
	respond->no_memory |= marks == NULL;
	for (i = 0; marks != NULL && i < nsteps; i++) {
		if (steps[i].kind != FM_STEP_REMOVED)
			marks[n++] = steps[i].kind == FM_STEP_KEPT &&
			    view->marks != NULL &&
			    !fm_edit_field(result, field, &edit) &&
			    !(keeps && fm_run_names_client(respond->program,
			    &view->fields[field])) ? view->marks[field] : 0;
		field += steps[i].kind != FM_STEP_ADDED;
	}
	free(steps);
	return (marks);
}

/* Returns the fields of a view as the rules have left them. */
static struct fm_field *
fields_after(struct fm_respond *respond, const struct fm_view *view,
    const struct fm_result *result, unsigned *n)
{
	struct fm_field *fields;
	struct fm_step *steps;
	size_t i, nsteps;

	steps = fm_steps(view, result, &nsteps);
	fields = steps == NULL ? NULL :
	    take_memory(respond, nsteps * sizeof *fields);
	respond->no_memory |= fields == NULL;
	*n = 0;
	for (i = 0; fields != NULL && i < nsteps; i++)
		if (steps[i].kind != FM_STEP_REMOVED)
			fields[(*n)++] = field_of(respond, "%.*s: %.*s",
			    (int)steps[i].name.len, steps[i].name.b,
			    (int)steps[i].value.len, steps[i].value.b);
	free(steps);
	return (fields);
}

/*--------------------------------------------------------------------
 * The request
 */

/* Decides as builtin.vcl does. */
static struct fm_builtin
decide(struct fm_respond *respond)
{
	const struct fm_view *request = &respond->request;
	struct fm_builtin_request of = { .method = request->method,
		.url = request->url, .proto = request->proto,
		.host = value_of(request->fields, request->nfields, "Host"),
		.authorization = value_of(request->fields, request->nfields,
		    "Authorization").b != NULL,
		.cookie = value_of(request->fields, request->nfields,
		    "Cookie").b != NULL,
		.esi = request->esi };

	return (fm_builtin_decide(fm_builtin_here, &of));
}

/* Returns the host of the request before its rules; NULL: no memory. */
static const struct fm_known_host *
host_before(struct fm_respond *respond, struct fm_text host)
{
	struct fm_known_host *known = take_memory(respond, sizeof *known);
	char *buf = take_memory(respond, FM_HOSTNAME_MAX), *copy;

	copy = take_memory(respond, host.len);
	if (known == NULL || buf == NULL || copy == NULL)
		return (NULL);
	if (host.len > 0)
		memcpy(copy, host.b, host.len);
	fm_run_host(respond->program, fm_text(copy, host.len),
	    fm_text(NULL, 0), buf, known);
	return (known);
}

void
fm_respond_init(struct fm_respond *respond, const struct fm_program *program,
    const struct fm_view *view, const struct fm_result *result)
{
	struct fm_builtin builtin;

	memset(respond, 0, sizeof *respond);
	respond->program = program;
	respond->params = fm_respond_usual;
	respond->request = *view;
	respond->request.url = result->url;
	respond->request.fields = fields_after(respond, view, result,
	    &respond->request.nfields);
	respond->marks = marks_after(respond, view, result);
	respond->given = result->verdict;
	respond->request.marks = NULL;
	respond->request.host = host_before(respond, result->host);
	respond->request_rule = result->rule;
	respond->verdict = result->verdict;
	builtin = decide(respond);
	respond->why = builtin.why;
	respond->asks_builtin = result->verdict == FM_VERDICT_NONE;
	if (respond->asks_builtin)
		respond->verdict = builtin.verdict;
}

void
fm_respond_fini(struct fm_respond *respond)
{
	fm_respond_run_end(&respond->sent);
	fm_respond_run_end(&respond->stored);
	fm_arena_fini(&respond->arena);
	memset(respond, 0, sizeof *respond);
}

/*--------------------------------------------------------------------
 * Running
 */

/*
 * Makes the view of a message: its own fields, then those of the request: as
 * the backend has got it, or the client has sent it.
 */
static void
message_view(struct fm_respond *respond, struct fm_respond_run *run,
    const struct fm_field *fields, unsigned n)
{
	const struct fm_respond_run *sent = &respond->sent;
	struct fm_view request = respond->request;
	struct fm_field *all;

	if (run == &respond->stored && sent->view.fields != NULL) {
		request.method = sent->view.method;
		request.fields = sent->after;
		request.nfields = sent->nafter;
	}
	all = take_memory(respond, (n + request.nfields) * sizeof *all);
	if (all == NULL)
		n = request.nfields = 0;
	if (n > 0)
		memcpy(all, fields, n * sizeof *all);
	if (request.nfields > 0)
		memcpy(all + n, request.fields,
		    request.nfields * sizeof *all);
	run->view = request;
	run->view.fields = all;
	run->view.nfields = n + request.nfields;
	run->view.nrequest = request.nfields;
	run->view.response = &run->response;
	run->result = NULL;
	run->after = all;
	run->nafter = n;
}

static void
message_run(struct fm_respond *respond, struct fm_respond_run *run,
    enum fm_phase phase, const struct fm_trace *trace)
{
	const struct fm_program *program = fm_program_phase(respond->program,
	    phase);

	if (program == NULL)
		return;
	run->result = fm_run(&run->run, program, &run->view, trace);
	respond->no_memory |= run->result->no_memory;
	if (run->result->verdict == FM_VERDICT_NONE ||
	    phase != FM_PHASE_DELIVERY)
		run->after = fields_after(respond, &run->view, run->result,
		    &run->nafter);
}

bool
fm_respond_key(struct fm_respond *respond, struct fm_respond_run *run,
    const struct fm_trace *trace)
{
	const struct fm_program *program = fm_program_phase(respond->program,
	    FM_PHASE_KEY);
	struct fm_field *room;

	run->result = NULL;
	if (program == NULL || (respond->given != FM_VERDICT_NONE &&
	    respond->given != FM_VERDICT_HASH &&
	    respond->given != FM_VERDICT_PURGE))
		return (false);
	run->view = respond->request;
	run->view.marks = respond->marks;
	room = take_memory(respond, run->view.nfields * sizeof *room);
	if (room == NULL)
		return (false);
	fm_key_view(&run->view, room);
	run->result = fm_run(&run->run, program, &run->view, trace);
	respond->no_memory |= run->result->no_memory;
	return (true);
}

char *
fm_key_line(const struct fm_event *event)
{
	struct fm_text what = event->what, after = event->after;
	const char *kind = event->before.b;
	char *line;
	int len;

	if (after.b == NULL)
		len = asprintf(&line, "no %s %.*s", kind, (int)what.len,
		    what.b);
	else if (strcmp(kind, "header") == 0)
		len = asprintf(&line, "header %.*s:%s%.*s", (int)what.len,
		    what.b, after.len > 0 ? " " : "", (int)after.len, after.b);
	else
		len = asprintf(&line, "%s %.*s", kind, (int)after.len,
		    after.b);
	return (len < 0 ? NULL : line);
}

void
fm_respond_run_end(struct fm_respond_run *run)
{
	if (run->result != NULL)
		fm_run_end(&run->run);
	run->result = NULL;
}

static bool
text_is(struct fm_text text, const char *word)
{
	return (fm_text_eq(text, fm_text_of(word)));
}

static bool
field_is_one_of(const struct fm_field *field, const char * const names[],
    size_t n)
{
	struct fm_text name, value;
	size_t i;

	fm_field_parts(field, &name, &value);
	for (i = 0; i < n; i++)
		if (fm_text_eq_nocase(name, fm_text_of(names[i])))
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Sending
 */

/* Returns true if the core sends no backend such a field of a client. */
static bool
is_not_sent(const struct fm_respond *respond, const struct fm_field *field)
{
	static const char * const names[] = { "Connection", "HTTP2-Settings",
	    "Keep-Alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
	    "Accept-Encoding", "Accept-Ranges", "Cache-Control",
	    "Content-Length", "Content-Range", "If-Match",
	    "If-Modified-Since", "If-None-Match", "If-Range",
	    "If-Unmodified-Since", "Proxy-Authenticate",
	    "Proxy-Authorization", "Range" };
	const size_t passed = 7;	/* the first ones, also of a pass */

	return (field_is_one_of(field, names, respond->verdict ==
	    FM_VERDICT_PASS ? passed : sizeof names / sizeof names[0]));
}

/*
 * Makes the view of what the core sends to a backend.  It asks for the body,
 * too, where a HEAD has missed.
 */
static void
sent_view(struct fm_respond *respond)
{
	const struct fm_view *request = &respond->request;
	struct fm_respond_run *run = &respond->sent;
	struct fm_field *fields = take_memory(respond,
	    (request->nfields + 2) * sizeof *fields);
	bool pass = respond->verdict == FM_VERDICT_PASS;
	unsigned i, n = 0;

	for (i = 0; fields != NULL && i < request->nfields; i++)
		if ((respond->marks == NULL || respond->marks[i] == 0) &&
		    !is_not_sent(respond, &request->fields[i]))
			fields[n++] = request->fields[i];
	if (fields != NULL && !pass)
		fields[n++] = field_of(respond, "Accept-Encoding: gzip");
	if (fields != NULL)
		fields[n++] = field_of(respond, "X-Varnish: 3");
	run->view = *request;
	run->view.esi = false;
	if (!pass && text_is(request->method, "HEAD"))
		run->view.method = fm_text_of("GET");
	run->view.fields = run->after = fields;
	run->view.nfields = run->nafter = n;
	run->view.response = &run->response;
	run->response.flags = pass ? FM_FETCH_PASS : 0;
}

/* A retry sends what was sent before, and the rules run on that once more. */
void
fm_respond_fetch(struct fm_respond *respond, unsigned flags,
    const struct fm_trace *trace)
{
	struct fm_respond_run *run = &respond->sent;

	sent_view(respond);
	run->response.flags |= flags & FM_FETCH_BACKGROUND;
	message_run(respond, run, FM_PHASE_FETCH, trace);
	if ((flags & FM_FETCH_RETRY) == 0 || fm_respond_unsent(respond))
		return;
	fm_respond_run_end(run);
	run->view.fields = run->after;
	run->view.nfields = run->nafter;
	run->response.flags |= FM_FETCH_RETRY;
	message_run(respond, run, FM_PHASE_FETCH, trace);
}

/*--------------------------------------------------------------------
 * Storing
 */

/* Finds the lifetime that Varnish's core gives a response. */
static void
core(struct fm_respond *respond)
{
	const struct fm_respond_params *params = &respond->params;
	const struct fm_respond_to *from = respond->to.fresh != NULL ?
	    respond->to.fresh : &respond->to;
	struct fm_lifetime_of of = {
		.status = from->status,
		.pass = respond->verdict == FM_VERDICT_PASS,
		.age = value_of(from->fields, from->nfields, "Age"),
		.date = value_of(from->fields, from->nfields, "Date"),
		.expires = value_of(from->fields, from->nfields, "Expires"),
		.cache_control = joined(respond, from->fields, from->nfields,
		    "Cache-Control"),
		.now = from->now,
		.default_ttl = params->default_ttl,
		.default_grace = params->default_grace,
		.default_keep = params->default_keep,
		.clock_skew = params->clock_skew
	};

	respond->lifetime = fm_lifetime(&of);
}

/* Returns the place of the rule that decided the request. */
static struct fm_text
request_rule(const struct fm_respond *respond)
{
	const struct fm_rule *rule = respond->request_rule;

	return (rule == NULL ? fm_text(NULL, 0) :
	    fm_text(rule->place, rule->place_len));
}

/* Returns the response as Varnish gives it to vcl_backend_response. */
static struct fm_response
fetched(const struct fm_respond *respond)
{
	const struct fm_respond_to *to = &respond->to;
	bool pass = respond->verdict == FM_VERDICT_PASS;
	bool retry = (to->flags & FM_FETCH_RETRY) != 0;
	bool body = !text_is(respond->request.method, "GET") &&
	    !text_is(respond->request.method, "HEAD");

	return ((struct fm_response){
	    .status = to->status,
	    .flags = to->flags | (pass ? FM_FETCH_PASS : 0),
	    .from = respond->lifetime.has_lifetime ? FM_LIFETIME_KNOWN :
	    respond->lifetime.ttl >= 0 ? FM_LIFETIME_DEFAULT :
	    FM_LIFETIME_NONE,
	    .ttl = fm_lifetime_left(&respond->lifetime),
	    .grace = respond->lifetime.grace,
	    .keep = respond->lifetime.keep,
	    .retries = retry,
	    .can_retry = !(pass && body) &&
	    respond->params.max_retries > retry,
	    .uncacheable_ttl = respond->params.uncacheable_ttl,
	    .age = respond->lifetime.age });
}

/* Fills in what builtin.vcl, or `builtin`, decides by. */
static void
builtin_of(struct fm_respond *respond, const struct fm_response *left,
    enum fm_verdict verdict)
{
	struct fm_respond_run *run = &respond->stored;

	respond->builtin = (struct fm_builtin_response){
		.status = left->status, .uncacheable = left->uncacheable ||
		    respond->verdict == FM_VERDICT_PASS,
		.set_cookie = value_of(run->after, run->nafter,
		    "Set-Cookie").b != NULL,
		.content_range = value_of(run->after, run->nafter,
		    "Content-Range").b != NULL,
		.ttl = left->ttl,
		.uncacheable_ttl = left->uncacheable_ttl,
		.surrogate_control = value_of(run->after, run->nafter,
		    "Surrogate-Control"),
		.cache_control = joined(respond, run->after, run->nafter,
		    "Cache-Control"),
		.vary = joined(respond, run->after, run->nafter, "Vary")
	};
	if (left->targeted.b != NULL && verdict != FM_VERDICT_NONE) {
		respond->builtin.targeted = true;
		respond->builtin.cache_control = left->targeted;
		respond->builtin.surrogate_control = fm_text(NULL, 0);
	}
}

/* Decides as builtin.vcl does, where the rules have no verdict. */
static void
store_builtin(struct fm_respond *respond, struct fm_response *left)
{
	struct fm_builtin_stored it = fm_builtin_respond(
	    fm_builtin_response_here, &respond->builtin);

	respond->uncacheable = it.why;
	if (it.why == NULL)
		return;
	left->uncacheable = true;
	left->ttl = it.ttl;
	left->grace = left->keep = 0;
}

static enum fm_respond_fate
fate_of(const struct fm_respond *respond, enum fm_verdict verdict,
    const struct fm_response *left)
{
	switch (verdict) {
	case FM_VERDICT_ABANDON:
	case FM_VERDICT_REFUSE:
	case FM_VERDICT_SYNTH:		/* of `undecided synth` */
		return (FM_RESPOND_ABANDONED);
	case FM_VERDICT_RETRY:
		return (FM_RESPOND_RETRIED);
	default:
		break;
	}
	if (respond->verdict == FM_VERDICT_PASS)
		return (FM_RESPOND_PASS);
	if (verdict == FM_VERDICT_PASS)
		return (FM_RESPOND_PASSED);
	return (left->uncacheable ? FM_RESPOND_UNCACHEABLE :
	    left->ttl > 0 ? FM_RESPOND_STORED : FM_RESPOND_EXPIRED);
}

/*
 * Notes what a `cache-status` of deliveries may tell.  After a refresh that is
 * the same, as a case expects it: most are in the background, and the next
 * delivery is a hit.
 */
static void
cause_of(struct fm_respond *respond)
{
	struct fm_cause *cause = &respond->cause;
	bool pass = respond->verdict == FM_VERDICT_PASS;

	*cause = (struct fm_cause){ .passed = pass,
	    .status = respond->to.status };
	if (pass && !respond->asks_builtin)
		cause->passed_by = request_rule(respond);
	fm_run_cause(respond->stored.result, cause);
}

void
fm_respond_store(struct fm_respond *respond, const struct fm_respond_to *to,
    const struct fm_trace *trace)
{
	struct fm_respond_run *run = &respond->stored;
	enum fm_verdict verdict = FM_VERDICT_NONE;
	struct fm_response left;

	respond->to = *to;
	if (respond->sent.view.fields == NULL)
		fm_respond_fetch(respond, to->flags, trace);
	if (fm_respond_unsent(respond)) {
		respond->fate = FM_RESPOND_ABANDONED;
		return;
	}
	if ((to->flags & FM_CACHE_OWN) != 0) {
		/* No `response` runs on the answer to a failed fetch. */
		message_view(respond, run, to->fields, to->nfields);
		run->response.status = to->status;
		respond->fate = FM_RESPOND_UNCACHEABLE;
		return;
	}
	core(respond);
	message_view(respond, run, to->fields, to->nfields);
	run->response = fetched(respond);
	message_run(respond, run, FM_PHASE_RESPONSE, trace);
	left = run->response;
	if (run->result != NULL) {
		verdict = run->result->verdict;
		/* A refused response is not one that rules have made. */
		if (run->result->response != NULL)
			left = *run->result->response;
	}
	builtin_of(respond, &left, verdict);
	if (verdict == FM_VERDICT_NONE)
		store_builtin(respond, &left);
	respond->fate = fate_of(respond, verdict, &left);
	cause_of(respond);
	respond->ttl = left.ttl;
	respond->grace = left.grace;
	respond->keep = left.keep;
}

/*--------------------------------------------------------------------
 * Delivering
 */

/* Returns true if the core does not store a field. */
static bool
is_for_the_hop(const struct fm_respond *respond, const struct fm_field *field)
{
	static const char * const names[] = { "Age", "Connection",
	    "HTTP2-Settings", "Keep-Alive", "TE", "Trailer",
	    "Transfer-Encoding", "Upgrade", "Accept-Ranges", "Content-Range",
	    "Proxy-Authenticate", "Proxy-Authorization", "Range" };
	const size_t passed = 8;	/* the first ones, also of a pass */

	return (field_is_one_of(field, names, respond->fate ==
	    FM_RESPOND_PASS ? passed : sizeof names / sizeof names[0]));
}

/*
 * Makes the fields of a delivery: what is stored, and the core's own headers.
 * Returns NULL if there is no memory.
 */
static struct fm_field *
delivery_fields(struct fm_respond *respond, const struct fm_field *stored,
    unsigned nstored, bool hit, double age, unsigned *n)
{
	struct fm_field *fields = take_memory(respond,
	    (nstored + 3) * sizeof *fields);
	struct fm_text via = joined(respond, stored, nstored, "Via"), name,
	    value;
	unsigned i;

	*n = 0;
	if (fields == NULL)
		return (NULL);
	for (i = 0; i < nstored; i++) {
		fm_field_parts(&stored[i], &name, &value);
		if (!is_for_the_hop(respond, &stored[i]) &&
		    !fm_text_eq_nocase(name, fm_text_of("Via")))
			fields[(*n)++] = stored[i];
	}
	fields[(*n)++] = field_of(respond, "X-Varnish: %s",
	    hit ? "32770 3" : "2");
	fields[(*n)++] = field_of(respond, "Age: %.0f", age);
	fields[(*n)++] = field_of(respond, "Via: %.*s%s1.1 varnish (Varnish)",
	    (int)via.len, fm_text_or_empty(via).b, via.b == NULL ? "" : ", ");
	return (fields);
}

/* Makes the view of a delivery. */
static void
delivery_view(struct fm_respond *respond, struct fm_respond_run *run,
    const struct fm_field *stored, unsigned nstored, unsigned flag,
    double later)
{
	bool hit = (flag & (FM_CACHE_HIT | FM_CACHE_STALE)) != 0;
	double age = respond->lifetime.age + later;
	struct fm_field *fields;
	unsigned n;

	fields = delivery_fields(respond, stored, nstored, hit, age, &n);
	message_view(respond, run, fields, n);
	run->response = respond->stored.response;
	run->response.flags = flag |
	    (flag == FM_CACHE_STALE ? FM_CACHE_HIT : 0);
	run->response.ttl = respond->ttl - later;
	run->response.grace = respond->grace;
	run->response.keep = respond->keep;
	run->response.age = age;
	run->response.hits = hit;
	run->response.rule = request_rule(respond);
	run->response.cause = &respond->cause;
}

void
fm_respond_deliver(struct fm_respond *respond,
    struct fm_respond_run *run, unsigned flag, double later,
    const struct fm_trace *trace)
{
	delivery_view(respond, run, respond->stored.after,
	    respond->stored.nafter, flag, later);
	message_run(respond, run, FM_PHASE_DELIVERY, trace);
}

bool
fm_respond_answer(struct fm_respond *respond, struct fm_respond_run *run,
    const struct fm_result *by, bool answered, const struct fm_trace *trace)
{
	struct fm_field *fields = take_memory(respond, 5 * sizeof *fields);
	unsigned n = 0;

	memset(run, 0, sizeof *run);
	if (fields == NULL || by == NULL || (by->verdict != FM_VERDICT_SYNTH &&
	    by->verdict != FM_VERDICT_REDIRECT &&
	    by->verdict != FM_VERDICT_ANSWER))
		return (false);
	fields[n++] = field_of(respond, "Server: Varnish");
	fields[n++] = field_of(respond, "X-Varnish: 2");
	if (by->verdict == FM_VERDICT_SYNTH)
		fields[n++] = field_of(respond, "Retry-After: 5");
	fields[n++] = field_of(respond, "%s: %.*s",
	    by->verdict == FM_VERDICT_REDIRECT ? "Location" : "Content-Type",
	    by->verdict == FM_VERDICT_SYNTH ? 24 : (int)by->text.len,
	    by->verdict == FM_VERDICT_SYNTH ? "text/html; charset=utf-8" :
	    by->text.b);
	message_view(respond, run, fields, n);
	run->view.answered = answered;
	run->response.status = by->status;
	run->response.flags = FM_CACHE_OWN;
	run->response.rule = request_rule(respond);
	message_run(respond, run, FM_PHASE_DELIVERY, trace);
	return (true);
}

void
fm_respond_bare(struct fm_respond *respond, struct fm_respond_run *run,
    unsigned flag, double later)
{
	delivery_view(respond, run, respond->to.fields, respond->to.nfields,
	    flag, later);
}

void
fm_respond_refresh(struct fm_respond *respond, struct fm_respond_to *to)
{
	const struct fm_respond_run *run = &respond->stored;
	unsigned i;

	*to = respond->to;
	to->fresh = &respond->to;
	to->nfields = 0;
	to->fields = take_memory(respond, run->nafter * sizeof *to->fields);
	for (i = 0; to->fields != NULL && i < run->nafter; i++)
		if (!is_for_the_hop(respond, &run->after[i]))
			to->fields[to->nfields++] = run->after[i];
}
