/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the explanation as JSON; fastmatch(1) describes its keys.
 */

#include <stdlib.h>

#include "bounds.h"
#include "explain.h"
#include "json.h"

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
	[FM_EFFECT_KEY] = "key",
	[FM_EFFECT_STOP] = "stop",
	[FM_EFFECT_USE] = "use"
};

static const char * const hows[] = {
	[FM_HOSTTAB_EXACT] = "exact",
	[FM_HOSTTAB_SUFFIX] = "suffix",
	[FM_HOSTTAB_PREFIX] = "prefix",
	[FM_HOSTTAB_ANY] = "any"
};

static json_t *
of_header(struct fm_text name, struct fm_text value)
{
	json_t *pair = fm_json_array();

	fm_json_add(pair, fm_json_text(name));
	fm_json_add(pair, fm_json_text(value));
	return (pair);
}

static json_t *
of_fields(const struct fm_field *fields, unsigned n)
{
	json_t *headers = fm_json_array();
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < n; i++) {
		fm_field_parts(&fields[i], &name, &value);
		fm_json_add(headers, of_header(name, value));
	}
	return (headers);
}

static json_t *
of_request(const struct fm_explanation *explanation)
{
	return (fm_json_of("method", fm_json_text(explanation->view->method),
	    "url", fm_json_text(explanation->view->url), "headers",
	    of_fields(explanation->view->fields, explanation->view->nfields),
	    "client", fm_json_string(explanation->client == NULL ?
	    FM_CLI_CLIENT : explanation->client),
	    "esi", json_boolean(explanation->view->esi),
	    "restarts", fm_json_number(explanation->view->restarts), NULL));
}

static json_t *
of_headers_after(const struct fm_explanation *explanation)
{
	json_t *array = fm_json_array();
	struct fm_step *steps;
	size_t i, n;

	steps = fm_steps(explanation->view, explanation->result, &n);
	if (steps == NULL)
		fm_cli_no_memory();
	for (i = 0; i < n; i++)
		if (steps[i].kind != FM_STEP_REMOVED)
			fm_json_add(array,
			    of_header(steps[i].name, steps[i].value));
	free(steps);
	return (array);
}

static json_t *
of_entry(const struct fm_explanation *explanation)
{
	const struct fm_host *host = fm_record_host(explanation->record,
	    explanation->model);
	json_t *object;

	if (host == NULL)
		return (json_null());
	object = fm_json_place(&host->at);
	fm_json_set(object, "pattern", fm_json_text(host->pattern),
	    "how", fm_json_string(hows[explanation->record->how]),
	    "wild", fm_json_text(explanation->record->wild), NULL);
	return (object);
}

static json_t *
of_edits(const struct fm_result *result)
{
	json_t *array = fm_json_array(), *object;
	struct fm_edit edit;
	unsigned at = 0;

	if (result->url_changed)
		fm_json_add(array, fm_json_of("kind",
		    fm_json_string("url"), "value",
		    fm_json_text(result->url), NULL));
	while (fm_edit_next(result, &at, &edit)) {
		object = fm_json_of("kind",
		    fm_json_string(edit.set ? "set" : "unset"),
		    "name", fm_json_text(edit.name), NULL);
		if (edit.set)
			fm_json_set(object, "value",
			    fm_json_text(edit.value), NULL);
		fm_json_add(array, object);
	}
	return (array);
}

static json_t *
of_statement(const struct fm_event *event, struct fm_text block)
{
	json_t *object = fm_json_rule(event->rule);

	fm_json_set(object, "block", fm_json_text(block),
	    "depth", fm_json_number(event->depth), NULL);
	if (event->kind == FM_EVENT_WHEN)
		fm_json_set(object, "effect", fm_json_string("when"),
		    "outcome", fm_json_string(outcomes[event->outcome]), NULL);
	else
		fm_json_set(object, "effect",
		    fm_json_string(effects[event->effect]),
		    "what", fm_json_text(event->what),
		    "before", fm_json_text(event->before),
		    "after", fm_json_text(event->after), NULL);
	return (object);
}

static json_t *
of_test(const struct fm_event *event, size_t statement)
{
	json_t *object = fm_json_rule(event->rule);

	fm_json_set(object, "outcome",
	    fm_json_string(outcomes[event->outcome]),
	    "subject", fm_json_text(event->what),
	    "statement", fm_json_number(statement), NULL);
	return (object);
}

/*
 * Sets the statements that ran.  The record has the tests of a `when` before
 * the `when` itself.
 */
static void
put_events(json_t *object, const struct fm_record *record)
{
	json_t *statements = fm_json_array(), *tests = fm_json_array();
	struct fm_text blocks[1 + FM_LIMIT_USES] = { { NULL, 0 } };
	unsigned level = 0;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		const struct fm_event *event = &record->events[i];

		if (event->kind == FM_EVENT_BLOCK) {
			level = event->used ? level + 1 : 0;
			blocks[level] = event->what;
		} else if (event->kind == FM_EVENT_BACK) {
			level--;
		} else if (event->kind == FM_EVENT_TEST) {
			fm_json_add(tests, of_test(event,
			    json_array_size(statements)));
		} else {
			fm_json_add(statements, of_statement(event,
			    blocks[level]));
		}
	}
	fm_json_set(object, "statements", statements, "tests", tests, NULL);
}

static json_t *
of_scans(const struct fm_record *record)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < record->nscans; i++)
		fm_json_add(array, fm_json_of("subject",
		    fm_json_text(record->scans[i].what), "patterns",
		    fm_json_number(record->scans[i].patterns), NULL));
	return (array);
}

/* Returns a text that only one verdict has; null for others. */
static json_t *
of_text(const struct fm_result *result, enum fm_verdict verdict,
    struct fm_text text)
{
	return (result->verdict == verdict ? fm_json_text(text) : json_null());
}

/* Returns why a request is refused; null if it is not. */
static json_t *
of_refusal(const struct fm_result *result)
{
	static const char * const words[] = {
		[FM_REFUSE_UNDECIDED] = "undecided",
		[FM_REFUSE_FRAGMENT] = "fragment",
		[FM_REFUSE_CLIENT] = "client"
	};

	return (result->verdict == FM_VERDICT_REFUSE ?
	    fm_json_string(words[result->refuse]) : json_null());
}

/* Sets what a run of the rules has given. */
static void
put_verdict(json_t *object, const struct fm_explanation *explanation)
{
	const struct fm_result *result = explanation->result;
	unsigned status = fm_explain_status(explanation);
	const char *word = fm_verdict_word(result->verdict);

	fm_json_set(object, "verdict",
	    fm_json_string(word == NULL ? "none" : word), "status",
	    status != 0 ? fm_json_number(status) : json_null(),
	    "location", of_text(result, FM_VERDICT_REDIRECT, result->text),
	    "reason", of_text(result, FM_VERDICT_SYNTH, result->text),
	    "type", of_text(result, FM_VERDICT_ANSWER, result->text),
	    "body", of_text(result, FM_VERDICT_ANSWER, result->body),
	    "refused", of_refusal(result),
	    "rule", fm_json_rule(result->rule), NULL);
}

/*--------------------------------------------------------------------
 * The key
 */

/* Returns what the key has, as a list; null if it can't be made. */
static json_t *
of_key(const struct fm_explanation *key)
{
	json_t *array = fm_json_array(), *object;
	const struct fm_event *event;
	size_t i;

	for (i = 0; i < key->record->nevents; i++) {
		event = &key->record->events[i];
		if (event->effect != FM_EFFECT_KEY)
			continue;
		object = fm_json_rule(event->rule);
		fm_json_set(object, "kind", fm_json_text(event->before),
		    "name", fm_json_text(event->what),
		    "value", fm_json_text(event->after), NULL);
		fm_json_add(array, object);
	}
	if (key->result->verdict == FM_VERDICT_NONE)
		return (array);
	json_decref(array);
	return (json_null());
}

/* Sets what the rules add to the key of the request. */
static void
put_key(json_t *object, const struct fm_explanation *key)
{
	json_t *run = fm_json_object();

	put_events(run, key->record);
	fm_json_set(run, "hashes", of_key(key), NULL);
	fm_json_set(object, "key", run, NULL);
}

/*--------------------------------------------------------------------
 * The response
 */

/* Returns an object of a run, whose verdict is null if there are no rules. */
static json_t *
of_run(const struct fm_explained *explained, const struct fm_respond_run *run)
{
	json_t *object = fm_json_object();

	if (run->result == NULL)
		fm_json_set(object, "verdict", json_null(), NULL);
	else
		put_verdict(object, &explained->explanation);
	fm_json_set(object, "headers", of_fields(run->after, run->nafter),
	    NULL);
	put_events(object, &explained->record);
	return (object);
}

static json_t *
of_stored(const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	json_t *object;

	if (!fm_respond_fetches(is) || fm_respond_unsent(is))
		return (json_null());
	object = of_run(&response->stored, &is->stored);
	fm_json_set(object, "status", fm_json_number(is->to.status),
	    "came", of_fields(is->to.fields, is->to.nfields),
	    "core", fm_json_of("ttl", json_real(is->lifetime.ttl),
	    "grace", json_real(is->lifetime.grace),
	    "keep", json_real(is->lifetime.keep),
	    "age", json_real(is->lifetime.age),
	    "why", fm_json_string(is->lifetime.why), NULL),
	    "fate", fm_json_string(fm_explain_fate(is)),
	    "ttl", json_real(is->ttl), "grace", json_real(is->grace),
	    "keep", json_real(is->keep), NULL);
	return (object);
}

/* Sets what becomes of the response. */
static void
put_response(json_t *object, const struct fm_explained_response *response)
{
	json_t *deliveries = fm_json_array(), *one;
	const struct fm_explained *to;
	unsigned i;

	for (i = 0; i < response->ndelivered; i++) {
		to = &response->delivered[i];
		one = of_run(to, &to->run);
		fm_json_set(one, "cache", fm_json_string(to->as),
		    "later", json_real(to->later), NULL);
		fm_json_add(deliveries, one);
	}
	fm_json_set(object, "response", of_stored(response),
	    "delivery", deliveries, "cached",
	    json_boolean(fm_respond_fetches(&response->respond) &&
	    fm_respond_is_kept(&response->respond)),
	    "summary", fm_json_string(response->summary), NULL);
}

void
fm_explain_json(const struct fm_explanation *explanation,
    const struct fm_explanation *key,
    const struct fm_explained_response *response)
{
	const struct fm_result *result = explanation->result;
	json_t *object = fm_json_object();

	put_verdict(object, explanation);
	fm_json_set(object, "host", fm_json_text(result->host), "entry",
	    of_entry(explanation), "ruleset", fm_json_text(result->site),
	    "backend", fm_json_string(fm_explain_backend(explanation)), "url",
	    fm_json_text(result->url), "headers", of_headers_after(explanation),
	    "request", of_request(explanation), "edits", of_edits(result),
	    NULL);
	put_events(object, explanation->record);
	fm_json_set(object, "scans", of_scans(explanation->record),
	    "undecided", fm_json_number(result->undecided),
	    "ignored", fm_json_number(result->ignored), "over_limit",
	    fm_json_number(result->tally.over_limit), NULL);
	if (key != NULL)
		put_key(object, key);
	if (response != NULL && response->respond.sent.result != NULL)
		fm_json_set(object, "fetch", of_run(&response->sent,
		    &response->respond.sent), NULL);
	if (response != NULL && response->given)
		put_response(object, response);
	fm_json_print(object);
}
