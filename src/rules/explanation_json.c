/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the explanation as JSON; fastmatch(1) describes its keys.
 */

#include <stdlib.h>

#include "bounds.h"
#include "explanation.h"
#include "utf8.h"

#define TEXT_MOST	1000	/* bytes of a text, if not all is shown */
#define HIDDEN		"[hidden]"

static const char * const outcomes[] = {
	[FM_FALSE] = "false",
	[FM_TRUE] = "true",
	[FM_UNDECIDED] = "undecided",
	[FM_NOT_ASKED] = "not asked",
	[FM_FRAGMENT] = "fragment"
};

static const char * const effects[] = {
	[FM_EFFECT_NONE] = "none",
	[FM_EFFECT_CHANGED] = "changed",
	[FM_EFFECT_BACKEND] = "backend",
	[FM_EFFECT_VERDICT] = "verdict",
	[FM_EFFECT_IGNORED] = "ignored",
	[FM_EFFECT_UNDECIDED] = "undecided",
	[FM_EFFECT_LOG] = "log",
	[FM_EFFECT_CALL] = "call",
	[FM_EFFECT_BAN] = "ban",
	[FM_EFFECT_KEY] = "key",
	[FM_EFFECT_LEFT] = "left",
	[FM_EFFECT_STOP] = "stop",
	[FM_EFFECT_USE] = "use"
};

static const char * const hows[] = {
	[FM_HOSTTAB_EXACT] = "exact",
	[FM_HOSTTAB_SUFFIX] = "suffix",
	[FM_HOSTTAB_PREFIX] = "prefix",
	[FM_HOSTTAB_ANY] = "any"
};

/*--------------------------------------------------------------------
 * Values
 */

struct writer {
	struct fm_jsonbuf	*out;
	const struct fm_explain_of *of;
	size_t			start;		/* of the explanation */
	size_t			more;		/* items that are left out */
};

#define put_raw(w, s)	fm_jsonbuf_raw((w)->out, (s))

/*
 * Writes a string, or null for the missing text.  A byte that is not UTF-8 is
 * taken for a character of ISO 8859-1.
 */
static void
put_text(struct writer *w, struct fm_text text)
{
	bool cut = w->of->most > 0 && text.len > TEXT_MOST;
	char *utf8;
	size_t len;

	if (text.b == NULL) {
		put_raw(w, "null");
		return;
	}
	while (cut && (text.len > TEXT_MOST ||
	    ((unsigned char)text.b[text.len] & 0xc0) == 0x80))
		text.len--;
	utf8 = malloc(2 * text.len + sizeof "...");
	if (utf8 == NULL) {
		w->out->failed = true;
		return;
	}
	len = fm_utf8_from_bytes(text.b, text.len, utf8);
	if (cut)
		memcpy(utf8 + len, "...", 3);
	fm_jsonbuf_text(w->out, fm_text(utf8, len + (cut ? 3 : 0)));
	free(utf8);
}

static void
put_string(struct writer *w, const char *s)
{
	put_text(w, fm_text_of(s));
}

static void
put_number(struct writer *w, uint64_t n)
{
	fm_jsonbuf_number(w->out, n);
}

static void
put_bool(struct writer *w, bool value)
{
	put_raw(w, value ? "true" : "false");
}

/* Writes a number that has decimals even if it is an integer: "120.0". */
static void
put_real(struct writer *w, double value)
{
	size_t start;

	if (value < 0)
		put_raw(w, "-");
	start = w->out->len;
	fm_jsonbuf_print(w->out, "%.6f", value < 0 ? -value : value);
	if (!w->out->failed && memchr(w->out->bytes + start, '.',
	    w->out->len - start) == NULL)
		put_raw(w, ".0");
}

/* Writes `, "key": `, as the next member of an object; "key" has its quotes. */
static void
put_key(struct writer *w, const char *key)
{
	put_raw(w, ", ");
	put_raw(w, key);
	put_raw(w, ": ");
}

/* Begins the next item of a list; false: the list ends here. */
static bool
put_item(struct writer *w, bool *first)
{
	if (w->of->most > 0 && w->out->len - w->start > w->of->most) {
		w->more++;
		return (false);
	}
	put_raw(w, *first ? "" : ", ");
	*first = false;
	return (true);
}

static void
put_header(struct writer *w, bool *first, struct fm_text name,
    struct fm_text value)
{
	if (!put_item(w, first))
		return;
	put_raw(w, "[");
	put_text(w, name);
	put_raw(w, ", ");
	put_text(w, value);
	put_raw(w, "]");
}

static void
put_fields(struct writer *w, const struct fm_field *fields, unsigned n)
{
	struct fm_text name, value;
	bool first = true;
	unsigned i;

	put_raw(w, "[");
	for (i = 0; i < n; i++) {
		fm_field_parts(&fields[i], &name, &value);
		put_header(w, &first, name, value);
	}
	put_raw(w, "]");
}

/* Writes the members of a place, without the braces around them. */
static void
put_place(struct writer *w, const struct fm_place *at)
{
	put_raw(w, "\"file\": ");
	put_string(w, fm_explain_below(w->of->path, at->name));
	put_key(w, "\"line\"");
	if (at->line == 0)
		put_raw(w, "null");
	else
		put_number(w, at->line);
	put_key(w, "\"column\"");
	if (at->column == 0)
		put_raw(w, "null");
	else
		put_number(w, at->column);
}

static void
put_rule(struct writer *w, const struct fm_rule *rule)
{
	put_place(w, &rule->at);
	put_key(w, "\"text\"");
	put_string(w, fm_explain_words(w->of, rule));
}

/*--------------------------------------------------------------------
 * The request
 */

static void
put_request(struct writer *w, const struct fm_explanation *explanation)
{
	const struct fm_view *view = explanation->view;

	put_raw(w, "{\"method\": ");
	put_text(w, view->method);
	put_key(w, "\"url\"");
	put_text(w, view->url);
	put_key(w, "\"headers\"");
	put_fields(w, view->fields, view->nfields);
	put_key(w, "\"client\"");
	put_string(w, explanation->client == NULL ? FM_MADE_CLIENT :
	    explanation->client);
	put_key(w, "\"scheme\"");
	put_string(w, fm_run_scheme(explanation->program, view) ==
	    FM_SCHEME_HTTPS ? "https" : "http");
	put_key(w, "\"esi\"");
	put_bool(w, view->esi);
	put_key(w, "\"restarts\"");
	put_number(w, view->restarts);
	put_raw(w, "}");
}

static void
put_headers_after(struct writer *w, const struct fm_explanation *explanation)
{
	struct fm_step *steps;
	bool first = true;
	size_t i, n;

	steps = fm_steps(explanation->view, explanation->result, &n);
	if (steps == NULL)
		w->out->failed = true;
	put_raw(w, "[");
	for (i = 0; steps != NULL && i < n; i++)
		if (steps[i].kind != FM_STEP_REMOVED)
			put_header(w, &first, steps[i].name, steps[i].value);
	put_raw(w, "]");
	free(steps);
}

static void
put_entry(struct writer *w, const struct fm_explanation *explanation)
{
	const struct fm_record *record = explanation->record;
	struct fm_place at;

	if (record->pattern == UINT32_MAX) {
		put_raw(w, "null");
		return;
	}
	at = fm_program_host_place(explanation->program, record->pattern);
	put_raw(w, "{");
	put_place(w, &at);
	put_key(w, "\"pattern\"");
	put_string(w, fm_program_host(explanation->program, record->pattern,
	    NULL));
	put_key(w, "\"how\"");
	put_string(w, hows[record->how]);
	put_key(w, "\"wild\"");
	put_text(w, record->wild);
	put_raw(w, "}");
}

static void
put_edit(struct writer *w, bool *first, const char *kind,
    const struct fm_edit *edit)
{
	if (!put_item(w, first))
		return;
	put_raw(w, "{\"kind\": ");
	put_string(w, kind);
	if (edit->name.b != NULL) {
		put_key(w, "\"name\"");
		put_text(w, edit->name);
	}
	if (edit->set) {
		put_key(w, "\"value\"");
		put_text(w, edit->value);
	}
	put_raw(w, "}");
}

static void
put_edits(struct writer *w, const struct fm_result *result)
{
	struct fm_edit edit = { .set = true, .value = result->url };
	bool first = true;
	unsigned at = 0;

	put_raw(w, "[");
	if (result->url_changed)
		put_edit(w, &first, "url", &edit);
	while (fm_edit_next(result, &at, &edit))
		put_edit(w, &first, edit.set ? "set" : "unset", &edit);
	put_raw(w, "]");
}

/*--------------------------------------------------------------------
 * Events
 */

static void
put_statement(struct writer *w, const struct fm_event *event,
    struct fm_text block)
{
	put_raw(w, "{");
	put_rule(w, event->rule);
	put_key(w, "\"block\"");
	put_text(w, block);
	put_key(w, "\"depth\"");
	put_number(w, event->depth);
	put_key(w, "\"effect\"");
	if (event->kind == FM_EVENT_WHEN) {
		put_string(w, "when");
		put_key(w, "\"outcome\"");
		put_string(w, outcomes[event->outcome]);
	} else {
		put_string(w, effects[event->effect]);
		put_key(w, "\"what\"");
		put_text(w, event->what);
		put_key(w, "\"before\"");
		put_text(w, event->before);
		put_key(w, "\"after\"");
		put_text(w, event->after);
	}
	put_raw(w, "}");
}

/* A subject is what the rules compare with a value that may be hidden. */
static void
put_test(struct writer *w, const struct fm_event *event, size_t statement)
{
	bool hidden = w->of->masked && event->what.b != NULL &&
	    event->outcome != FM_NOT_ASKED &&
	    event->rule->masked != event->rule->text;

	put_raw(w, "{");
	put_rule(w, event->rule);
	put_key(w, "\"outcome\"");
	put_string(w, outcomes[event->outcome]);
	put_key(w, "\"subject\"");
	put_text(w, hidden ? fm_text_of(HIDDEN) : event->what);
	put_key(w, "\"statement\"");
	put_number(w, statement);
	put_raw(w, "}");
}

static void
put_statements(struct writer *w, const struct fm_record *record)
{
	struct fm_text blocks[1 + FM_LIMIT_USES] = { { NULL, 0 } };
	const struct fm_event *event;
	unsigned level = 0;
	bool first = true;
	size_t i;

	put_raw(w, "[");
	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_BLOCK) {
			level = event->used ? level + 1 : 0;
			blocks[level] = event->what;
		} else if (event->kind == FM_EVENT_BACK) {
			level--;
		} else if (event->kind != FM_EVENT_TEST &&
		    put_item(w, &first)) {
			put_statement(w, event, blocks[level]);
		}
	}
	put_raw(w, "]");
}

/* The record has the tests of a `when` before the `when` itself. */
static void
put_tests(struct writer *w, const struct fm_record *record)
{
	const struct fm_event *event;
	size_t statement = 0, i;
	bool first = true;

	put_raw(w, "[");
	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_TEST) {
			if (put_item(w, &first))
				put_test(w, event, statement);
		} else if (event->kind != FM_EVENT_BLOCK &&
		    event->kind != FM_EVENT_BACK) {
			statement++;
		}
	}
	put_raw(w, "]");
}

/* Writes the members of an object that tell which statements ran. */
static void
put_events(struct writer *w, const struct fm_record *record)
{
	put_raw(w, "\"statements\": ");
	put_statements(w, record);
	put_key(w, "\"tests\"");
	put_tests(w, record);
}

static void
put_scans(struct writer *w, const struct fm_record *record)
{
	bool first = true;
	size_t i;

	put_raw(w, "[");
	for (i = 0; i < record->nscans; i++) {
		if (!put_item(w, &first))
			continue;
		put_raw(w, "{\"subject\": ");
		put_text(w, record->scans[i].what);
		put_key(w, "\"patterns\"");
		put_number(w, record->scans[i].patterns);
		put_raw(w, "}");
	}
	put_raw(w, "]");
}

/* Writes a text that only one verdict has; null for others. */
static void
put_text_of(struct writer *w, const struct fm_result *result,
    enum fm_verdict verdict, struct fm_text text)
{
	put_text(w, result->verdict == verdict ? text : fm_text(NULL, 0));
}

/* Returns why a request is refused; NULL if it is not. */
static const char *
refusal(const struct fm_result *result)
{
	static const char * const words[] = {
		[FM_REFUSE_UNDECIDED] = "undecided",
		[FM_REFUSE_FRAGMENT] = "fragment",
		[FM_REFUSE_CLIENT] = "client"
	};

	return (result->verdict == FM_VERDICT_REFUSE ?
	    words[result->refuse] : NULL);
}

/* Writes the members of an object that tell what a run has given. */
static void
put_verdict(struct writer *w, const struct fm_explanation *explanation,
    unsigned status)
{
	const struct fm_result *result = explanation->result;
	const char *word = fm_verdict_word(result->verdict);

	put_raw(w, "\"verdict\": ");
	put_string(w, word == NULL ? "none" : word);
	put_key(w, "\"status\"");
	if (status != 0)
		put_number(w, status);
	else
		put_raw(w, "null");
	put_key(w, "\"location\"");
	put_text_of(w, result, FM_VERDICT_REDIRECT, result->text);
	put_key(w, "\"reason\"");
	put_text_of(w, result, FM_VERDICT_SYNTH, result->text);
	put_key(w, "\"type\"");
	put_text_of(w, result, FM_VERDICT_ANSWER, result->text);
	put_key(w, "\"body\"");
	put_text_of(w, result, FM_VERDICT_ANSWER, result->body);
	put_key(w, "\"refused\"");
	put_string(w, refusal(result));
	put_key(w, "\"rule\"");
	if (result->rule == NULL) {
		put_raw(w, "null");
	} else {
		put_raw(w, "{");
		put_rule(w, result->rule);
		put_raw(w, "}");
	}
}

/*--------------------------------------------------------------------
 * The key
 */

/* Writes what the key has, as a list; null if it can't be made. */
static void
put_hashes(struct writer *w, const struct fm_explanation *key)
{
	const struct fm_event *event;
	bool first = true;
	size_t i;

	if (key->result->verdict != FM_VERDICT_NONE) {
		put_raw(w, "null");
		return;
	}
	put_raw(w, "[");
	for (i = 0; i < key->record->nevents; i++) {
		event = &key->record->events[i];
		if (event->effect != FM_EFFECT_KEY || !put_item(w, &first))
			continue;
		put_raw(w, "{");
		put_rule(w, event->rule);
		put_key(w, "\"kind\"");
		put_text(w, event->before);
		put_key(w, "\"name\"");
		put_text(w, event->what);
		put_key(w, "\"value\"");
		put_text(w, event->after);
		put_raw(w, "}");
	}
	put_raw(w, "]");
}

/*--------------------------------------------------------------------
 * The response
 */

/*
 * Writes the members of an object about a run, whose verdict is null if there
 * are no rules.  `status` is that of the response; 0: of the verdict.
 */
static void
put_run(struct writer *w, const struct fm_explained *explained,
    const struct fm_respond_run *run, unsigned status)
{
	if (run->result == NULL)
		put_raw(w, "\"verdict\": null");
	else
		put_verdict(w, &explained->explanation, status != 0 ? status :
		    fm_explain_status(&explained->explanation));
	put_key(w, "\"headers\"");
	put_fields(w, run->after, run->nafter);
	put_raw(w, ", ");
	put_events(w, &explained->record);
	if (run->result == NULL && status != 0) {
		put_key(w, "\"status\"");
		put_number(w, status);
	}
}

static void
put_lifetime(struct writer *w, const struct fm_lifetime *lifetime)
{
	put_raw(w, "{\"ttl\": ");
	put_real(w, lifetime->ttl);
	put_key(w, "\"grace\"");
	put_real(w, lifetime->grace);
	put_key(w, "\"keep\"");
	put_real(w, lifetime->keep);
	put_key(w, "\"age\"");
	put_real(w, lifetime->age);
	put_key(w, "\"why\"");
	put_string(w, lifetime->why);
	put_raw(w, "}");
}

static void
put_stored(struct writer *w, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;

	if (!fm_respond_fetches(is) || fm_respond_unsent(is)) {
		put_raw(w, "null");
		return;
	}
	put_raw(w, "{");
	put_run(w, &response->stored, &is->stored, is->to.status);
	put_key(w, "\"came\"");
	put_fields(w, is->to.fields, is->to.nfields);
	put_key(w, "\"core\"");
	put_lifetime(w, &is->lifetime);
	put_key(w, "\"fate\"");
	put_string(w, fm_explain_fate(is));
	put_key(w, "\"ttl\"");
	put_real(w, is->ttl);
	put_key(w, "\"grace\"");
	put_real(w, is->grace);
	put_key(w, "\"keep\"");
	put_real(w, is->keep);
	put_raw(w, "}");
}

static void
put_deliveries(struct writer *w, const struct fm_explained_response *response)
{
	const struct fm_explained *to;
	bool first = true;
	unsigned i;

	put_raw(w, "[");
	for (i = 0; i < response->ndelivered; i++) {
		if (!put_item(w, &first))
			continue;
		to = &response->delivered[i];
		put_raw(w, "{");
		put_run(w, to, &to->run, 0);
		put_key(w, "\"cache\"");
		put_string(w, to->as);
		put_key(w, "\"later\"");
		put_real(w, to->later);
		put_raw(w, "}");
	}
	put_raw(w, "]");
}

/* Writes what becomes of the response. */
static void
put_response(struct writer *w, const struct fm_explained_response *response)
{
	put_key(w, "\"response\"");
	put_stored(w, response);
	put_key(w, "\"delivery\"");
	put_deliveries(w, response);
	put_key(w, "\"cached\"");
	put_bool(w, fm_respond_fetches(&response->respond) &&
	    fm_respond_is_kept(&response->respond));
	put_key(w, "\"summary\"");
	put_string(w, response->summary);
}

/*--------------------------------------------------------------------
 * All of it
 */

static void
put_explanation(struct writer *w, const struct fm_explanation *explanation)
{
	const struct fm_result *result = explanation->result;

	put_verdict(w, explanation, fm_explain_status(explanation));
	put_key(w, "\"host\"");
	put_text(w, result->host);
	put_key(w, "\"entry\"");
	put_entry(w, explanation);
	put_key(w, "\"ruleset\"");
	put_text(w, result->site);
	put_key(w, "\"backend\"");
	put_string(w, fm_explain_backend(explanation));
	put_key(w, "\"url\"");
	put_text(w, result->url);
	put_key(w, "\"headers\"");
	put_headers_after(w, explanation);
	put_key(w, "\"request\"");
	put_request(w, explanation);
	put_key(w, "\"edits\"");
	put_edits(w, result);
	put_raw(w, ", ");
	put_events(w, explanation->record);
	put_key(w, "\"scans\"");
	put_scans(w, explanation->record);
	put_key(w, "\"undecided\"");
	put_number(w, result->undecided);
	put_key(w, "\"ignored\"");
	put_number(w, result->ignored);
	put_key(w, "\"over_limit\"");
	put_number(w, result->tally.over_limit);
}

void
fm_explain_json(struct fm_jsonbuf *out,
    const struct fm_explained_request *request)
{
	const struct fm_explained_response *response = &request->response;
	struct writer writer = { .out = out, .of = &request->of,
		.start = out->len }, *w = &writer;

	put_raw(w, "{");
	put_explanation(w, &request->explanation);
	if (request->keyed) {
		put_key(w, "\"key\"");
		put_raw(w, "{");
		put_events(w, &request->key.record);
		put_key(w, "\"hashes\"");
		put_hashes(w, &request->key.explanation);
		put_raw(w, "}");
	}
	if (request->fetched && response->respond.sent.result != NULL) {
		put_key(w, "\"fetch\"");
		put_raw(w, "{");
		put_run(w, &response->sent, &response->respond.sent, 0);
		put_raw(w, "}");
	}
	if (request->fetched && response->given)
		put_response(w, response);
	if (w->more > 0) {
		put_key(w, "\"more\"");
		put_number(w, w->more);
	}
	put_raw(w, "}");
}
