/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the rules of a file on a request of the log, and on the response to it,
 * and tells which of them did something.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "made_request.h"
#include "options.h"
#include "record.h"
#include "respond.h"
#include "why.h"

#define SHOWN	60		/* columns of a text */

/* A request as the rules see it, and their run; it lives as the process. */
struct ruled {
	struct fm_made_request	made;
	struct fm_view		view;
	struct fm_record	record;
	struct fm_run		run;
	const struct fm_result	*result;
};

static struct ruled *
run(const struct fm_rules *rules, const struct fm_log_request *request)
{
	const struct fm_log_message *came = &request->came;
	struct ruled *ruled = fm_cli_alloc(sizeof *ruled);
	size_t i;

	fm_made_init(&ruled->made);
	ruled->made.esi = request->it->kind == FM_TRANSACTION_ESI;
	fm_made_method(&ruled->made, came->method);
	fm_made_url(&ruled->made, came->url, FM_URL_SENT);
	fm_made_proto(&ruled->made, came->proto);
	for (i = 0; i < came->headers.n; i++)
		(void)fm_made_line(&ruled->made, came->headers.v[i]);
	(void)fm_addr_parse(request->client, &ruled->made.client);
	fm_cli_view(&ruled->made, &ruled->view);
	fm_record_init(&ruled->record);
	ruled->record.trace.tests = false;
	ruled->result = fm_run(&ruled->run, rules->program, &ruled->view,
	    &ruled->record.trace);
	if (ruled->result->no_memory || ruled->record.no_memory)
		fm_cli_no_memory();
	return (ruled);
}

/* Returns true if the values of a header are secrets. */
static bool
is_secret(struct fm_text name)
{
	return (fm_text_eq_nocase(name, fm_text_of("Cookie")) ||
	    fm_text_eq_nocase(name, fm_text_of("Set-Cookie")) ||
	    fm_text_eq_nocase(name, fm_text_of("Authorization")));
}

/* Writes the value that a rule edits; of a secret, the header without it. */
static void
put_value(FILE *to, struct fm_text name, struct fm_text value)
{
	char *header;
	int len;

	if (!is_secret(name)) {
		fm_put_clean(to, value, SHOWN);
		return;
	}
	len = asprintf(&header, "%.*s: %.*s", (int)name.len, name.b,
	    (int)value.len, fm_text_or_empty(value).b);
	if (len < 0)
		fm_cli_no_memory();
	fm_why_put_header(to, fm_text(header, (size_t)len));
	free(header);
}

static void
put_change(FILE *to, const struct fm_event *event)
{
	if (event->after.b == NULL || !is_secret(event->what)) {
		fm_put_clean(to, event->what, SHOWN);
		fputs(event->after.b == NULL ? " removed" : ": ", to);
	}
	if (event->after.b == NULL)
		return;
	if (event->before.b != NULL) {
		put_value(to, event->what, event->before);
		fputs(" -> ", to);
	}
	put_value(to, event->what, event->after);
}

/*
 * Returns what a statement adds to the key, for free(): "header X-Shop: a", or
 * without a secret, "cookie currency=..." and "header Authorization: ...".
 */
static char *
key_line(const struct fm_event *event)
{
	char *line = fm_key_line(event), *masked;
	bool cookie = strncmp(line, "cookie ", 7) == 0;
	size_t at = strcspn(line, cookie ? "=" : ":");

	if (line[at] == '\0' || (!cookie && !is_secret(event->what)))
		return (line);
	if (asprintf(&masked, "%.*s%s...", (int)at + 1, line,
	    cookie ? "" : " ") < 0)
		fm_cli_no_memory();
	free(line);
	return (masked);
}

/* Writes the effect of a statement that had one. */
static void
put_effect(FILE *to, const struct fm_event *event)
{
	char *line;

	switch (event->effect) {
	case FM_EFFECT_CHANGED:
		put_change(to, event);
		break;
	case FM_EFFECT_BACKEND:
		fputs("backend ", to);
		fm_put_clean(to, event->what, SHOWN);
		break;
	case FM_EFFECT_CALL:
		fputs("calls ", to);
		fm_put_clean(to, event->what, SHOWN);
		break;
	case FM_EFFECT_BAN:
		fputs(event->after.b == NULL ? "bans nothing" : "bans ", to);
		fm_put_clean(to, event->after, SHOWN);
		break;
	case FM_EFFECT_KEY:
		line = key_line(event);
		fputs("hashes ", to);
		fm_put_clean(to, fm_text_of(line), SHOWN);
		free(line);
		break;
	case FM_EFFECT_VERDICT:
		fputs("decides", to);
		if (event->what.b != NULL) {
			fputs(": ", to);
			fm_put_clean(to, event->what, SHOWN);
		}
		break;
	case FM_EFFECT_STOP:
		fputs("leaves the block", to);
		break;
	case FM_EFFECT_UNDECIDED:
		fputs("is undecided", to);
		break;
	default:
		fputs("logs a line", to);
		break;
	}
}

/*
 * Writes a line for each statement that did something, with all that it did;
 * returns how many.
 */
static unsigned
put_events(FILE *to, const struct fm_record *record)
{
	const struct fm_event *event, *last = NULL;
	unsigned n = 0;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind != FM_EVENT_STMT || event->rule == NULL ||
		    event->effect == FM_EFFECT_NONE ||
		    event->effect == FM_EFFECT_USE ||
		    event->effect == FM_EFFECT_LEFT ||
		    event->effect == FM_EFFECT_IGNORED)
			continue;
		if (last != NULL && last->rule == event->rule) {
			fputs(", ", to);
			put_effect(to, event);
			continue;
		}
		last = event;
		fputc('\n', to);
		fm_put_clean(to, fm_run_place(fm_text_of(event->rule->place)),
		    0);
		fputs(": `", to);
		fm_put_clean(to, fm_text_of(event->rule->text), SHOWN);
		fputs("` ", to);
		put_effect(to, event);
		n++;
	}
	return (n);
}

/* Writes that the file is not that of the request, if its time says so. */
static void
put_changed(FILE *to, const struct fm_rules *rules,
    const struct fm_log_request *request)
{
	struct stat st;

	if (stat(rules->path, &st) != 0 ||
	    (double)st.st_mtime <= request->it->start)
		return;
	fputs("\nThe file has changed since, at ", to);
	fm_why_put_time(to, (double)st.st_mtime);
	fputs(": other rules may have run.", to);
}

/* Takes a pass of the rules for that of vcl_recv, where the log has no line. */
static void
take_pass(const struct fm_result *result, struct fm_log_sub *recv)
{
	if (result->verdict != FM_VERDICT_PASS || result->rule == NULL ||
	    recv->decided.b != NULL ||
	    !fm_text_eq(recv->returned, fm_text_of("pass")))
		return;
	recv->decided = fm_text_of("pass");
	recv->place = fm_text_of(result->rule->place);
	recv->builtin = strcmp(result->rule->text, "builtin") == 0;
}

void
fm_why_tell_rules(const struct fm_rules *rules,
    struct fm_log_request *request, struct fm_why_story *story)
{
	struct fm_written text, none;
	struct ruled *ruled;

	fm_written_begin(&text);
	if (request->recv.next && fm_option(FM_OPTION_RULES) == NULL) {
		fprintf(text.to, "This client got the rules of `next`, and not "
		    "those of %s: --rules FILE tells what they do.",
		    rules->path);
		fm_why_part_end(story, "Rules", &text);
		return;
	}
	ruled = run(rules, request);
	fm_written_begin(&none);
	if (put_events(none.to, &ruled->record) == 0) {
		fprintf(text.to, "No rule of %s changes or decides this "
		    "request.", rules->path);
		fm_written_end(&none);
	} else {
		fm_written_end(&none);
		fprintf(text.to, "The rules of %s, on the request as it came:"
		    "%s", rules->path, none.text);
	}
	free(none.text);
	if (!fm_text_eq(ruled->result->url, request->left.url) &&
	    ruled->result->verdict != FM_VERDICT_REFUSE) {
		fputs("\nThey leave the URL ", text.to);
		fm_put_clean(text.to, ruled->result->url, SHOWN);
		fputs(", and the log has ", text.to);
		fm_put_clean(text.to, request->left.url, SHOWN);
		fputs(": VCL, or other rules, changed it.", text.to);
	}
	put_changed(text.to, rules, request);
	take_pass(ruled->result, &request->recv);
	fm_why_part_end(story, "Rules", &text);
}

void
fm_why_tell_key(const struct fm_rules *rules,
    const struct fm_log_request *request, FILE *to)
{
	struct ruled *ruled = run(rules, request);
	struct fm_respond *respond = fm_cli_alloc(sizeof *respond);
	struct fm_respond_run *key = fm_cli_alloc(sizeof *key);
	struct fm_record *record = fm_cli_alloc(sizeof *record);

	fm_respond_init(respond, rules->program, &ruled->view, ruled->result);
	fm_record_init(record);
	if (fm_respond_key(respond, key, &record->trace))
		(void)put_events(to, record);
}

/* Returns the record of the key of what a fetch has sent, or NULL. */
static const struct fm_record *
key_of(const struct fm_rules *rules, const struct fm_log_fetch *fetch)
{
	const struct fm_log_request request = { .it = fetch->it,
		.client = fm_text_of(FM_CLI_CLIENT), .came = fetch->sent };
	struct ruled *ruled = run(rules, &request);
	struct fm_respond *respond = fm_cli_alloc(sizeof *respond);
	struct fm_respond_run *key = fm_cli_alloc(sizeof *key);
	struct fm_record *record = fm_cli_alloc(sizeof *record);

	fm_respond_init(respond, rules->program, &ruled->view, ruled->result);
	fm_record_init(record);
	return (fm_respond_key(respond, key, &record->trace) ? record : NULL);
}

/* Returns true if a record has the value that an event adds to a key. */
static bool
has_value(const struct fm_record *record, const struct fm_event *value)
{
	const struct fm_event *event;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->effect == FM_EFFECT_KEY &&
		    event->rule == value->rule &&
		    fm_text_eq(event->what, value->what) &&
		    (event->after.b == NULL) == (value->after.b == NULL) &&
		    fm_text_eq(event->after, value->after))
			return (true);
	}
	return (false);
}

struct fm_text
fm_why_key_differs(const struct fm_rules *rules,
    const struct fm_log_fetch *stored, const struct fm_log_fetch *now)
{
	const struct fm_record *a = key_of(rules, stored);
	const struct fm_record *b = key_of(rules, now);
	size_t i;

	for (i = 0; a != NULL && b != NULL && i < a->nevents; i++)
		if (a->events[i].kind == FM_EVENT_STMT &&
		    a->events[i].effect == FM_EFFECT_KEY &&
		    !has_value(b, &a->events[i]))
			return (fm_text_of(key_line(&a->events[i])));
	return (fm_text(NULL, 0));
}

/* Makes the response that the backend has sent. */
static struct fm_respond_to
response_of(const struct fm_log_fetch *fetch)
{
	return ((struct fm_respond_to){ .status = fetch->came.status,
	    .fields = fm_log_fields(&fetch->came.headers),
	    .nfields = (unsigned)fetch->came.headers.n,
	    .flags = fetch->it->kind == FM_TRANSACTION_BGFETCH ?
	    FM_FETCH_BACKGROUND : 0,
	    .now = fetch->nttls > 0 && fetch->ttls[0].core ?
	    fetch->ttls[0].now : fetch->it->start });
}

/*
 * Runs the rules on the response; `pass`: as it was, and else as it would be if
 * the request was looked up.  Returns NULL if no backend is asked.
 */
static struct fm_respond *
responded(const struct fm_rules *rules, const struct ruled *ruled,
    const struct fm_log_fetch *fetch, bool pass, const struct fm_trace *sent,
    const struct fm_trace *stored)
{
	struct fm_respond *it = fm_cli_alloc(sizeof *it);
	struct fm_respond_to to = response_of(fetch);

	fm_respond_init(it, rules->program, &ruled->view, ruled->result);
	if (!fm_respond_fetches(it))
		return (NULL);
	it->verdict = pass ? FM_VERDICT_PASS : FM_VERDICT_HASH;
	if (fetch->nttls > 0 && fetch->ttls[0].core) {
		it->params.default_ttl = fetch->ttls[0].ttl;
		it->params.default_grace = fetch->ttls[0].grace;
		it->params.default_keep = fetch->ttls[0].keep;
	}
	fm_respond_fetch(it, to.flags, sent);
	fm_respond_store(it, &to, stored);
	return (it);
}

/* Returns what a `builtin` has against the response; or the missing text. */
static struct fm_text
builtin_of(const struct fm_record *stored)
{
	const struct fm_event *event;
	size_t i;

	for (i = stored->nevents; i-- > 0;) {
		event = &stored->events[i];
		if (event->kind != FM_EVENT_STMT || event->rule == NULL ||
		    event->effect != FM_EFFECT_VERDICT)
			continue;
		if (strcmp(event->rule->text, "builtin") == 0 &&
		    !fm_text_eq(event->what, fm_text_of("deliver")))
			return (event->what);
		break;
	}
	return (fm_text(NULL, 0));
}

struct fm_text
fm_why_tell_response(const struct fm_rules *rules,
    const struct fm_log_request *request, const struct fm_log_fetch *fetch,
    bool pass, struct fm_why_story *story, struct fm_text *builtin)
{
	struct ruled *ruled = run(rules, request);
	struct fm_record *sent = fm_cli_alloc(sizeof *sent);
	struct fm_record *stored = fm_cli_alloc(sizeof *stored);
	struct fm_written text, events;
	struct fm_respond *it;

	fm_record_init(sent);
	fm_record_init(stored);
	if (fetch->error.returned.b != NULL || (it = responded(rules, ruled,
	    fetch, pass, &sent->trace, &stored->trace)) == NULL)
		return (fm_text(NULL, 0));
	*builtin = builtin_of(stored);
	fm_written_begin(&events);
	(void)put_events(events.to, sent);
	(void)put_events(events.to, stored);
	fm_written_end(&events);
	fm_written_begin(&text);
	if (*events.text != '\0')
		fprintf(text.to, "The rules, on this response:%s",
		    events.text);
	fm_why_part_end(story, "Rules", &text);
	if (pass)
		it = responded(rules, ruled, fetch, false, &sent->trace,
		    &stored->trace);
	return (it->cause.uncacheable ? it->cause.rule : fm_text(NULL, 0));
}

void
fm_why_tell_delivery(const struct fm_rules *rules,
    const struct fm_log_request *request, const struct fm_log_fetch *fetch,
    struct fm_why_story *story)
{
	struct ruled *ruled = run(rules, request);
	struct fm_record *record = fm_cli_alloc(sizeof *record);
	struct fm_respond_run *delivery = fm_cli_alloc(sizeof *delivery);
	static const struct fm_trace none;
	bool hit = request->lookup == FM_LOG_HIT;
	struct fm_written text, events;
	struct fm_respond *it;

	it = responded(rules, ruled, fetch, request->lookup == FM_LOG_PASS ||
	    request->lookup == FM_LOG_HITPASS, &none, &none);
	if (it == NULL)
		return;
	fm_record_init(record);
	fm_respond_deliver(it, delivery, fetch->error.returned.b != NULL ?
	    FM_CACHE_OWN : !hit ? it->fate == FM_RESPOND_STORED ?
	    FM_CACHE_MISS : FM_CACHE_PASS : request->ttl > 0 ? FM_CACHE_HIT :
	    FM_CACHE_STALE, hit ? request->it->start - fetch->it->start : 0,
	    &record->trace);
	fm_written_begin(&events);
	(void)put_events(events.to, record);
	fm_written_end(&events);
	fm_written_begin(&text);
	if (*events.text != '\0')
		fprintf(text.to, "The rules, on what is delivered:%s",
		    events.text);
	fm_why_part_end(story, "Rules", &text);
}
