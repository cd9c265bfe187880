/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the explanation for people: the host that was looked up, what ran
 * (rows.c), the verdict, the scans, and the request before and after.
 */

#include <stdlib.h>

#include "cli.h"
#include "explain.h"
#include "hostname.h"

#define LABEL		10	/* columns of "Verdict" and other labels */

static void
put_label(const struct fm_term *term, const char *label)
{
	fm_term_put(term, FM_INK_BOLD, "%-*s", LABEL, label);
}

/*--------------------------------------------------------------------
 * The host
 */

/* Returns why a Host header gives the rules no host. */
static const char *
host_missing(struct fm_text raw)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	return (fm_hostname_canon(raw, buf, &canon) == FM_HOSTNAME_OK ?
	    ", but the URL names another: no host" :
	    ", which is not a valid host");
}

static void
put_host(const struct fm_explanation *explanation, const struct fm_term *term)
{
	const struct fm_record *record = explanation->record;

	put_label(term, "Host");
	if (record->raw.b == NULL) {
		fm_term_put(term, FM_INK_PLAIN, "none (--host, or a URL with a "
		    "host, gives one)");
	} else {
		fm_term_clip(term, FM_INK_PLAIN, record->raw, FM_NOTE_MOST);
		if (record->canon.b == NULL) {
			fm_term_put(term, FM_INK_RED, "%s",
			    host_missing(record->raw));
		} else if (!fm_text_eq(record->raw, record->canon)) {
			fm_term_put(term, FM_INK_PLAIN, ", which is ");
			fm_term_clip(term, FM_INK_PLAIN, record->canon, 0);
		}
	}
	fputc('\n', term->to);
}

static void
put_entry(const struct fm_explanation *explanation, const struct fm_term *term)
{
	const struct fm_host *host = fm_record_host(explanation->record,
	    explanation->model);
	const struct fm_site *otherwise = explanation->model->otherwise;

	put_label(term, "Entry");
	if (host != NULL) {
		fm_term_clip(term, FM_INK_GREEN, host->pattern, 0);
		if (explanation->record->wild.b != NULL) {
			fm_term_put(term, FM_INK_PLAIN, " (* is ");
			fm_term_clip(term, FM_INK_PLAIN,
			    explanation->record->wild, FM_NOTE_MOST);
			fputc(')', term->to);
		}
		fputs(", ", term->to);
		fm_term_place(term, &host->at);
	} else if (otherwise != NULL) {
		fm_term_put(term, FM_INK_GREEN, "default");
		fputs(", ", term->to);
		fm_term_place(term, &otherwise->at);
	} else {
		fm_term_put(term, FM_INK_YELLOW,
		    "none, and there is no default");
	}
	fputc('\n', term->to);
}

/* Returns true if a test has asked for the client. */
static bool
client_asked(const struct fm_record *record)
{
	const struct fm_event *event;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_TEST &&
		    event->outcome != FM_NOT_ASKED &&
		    strncmp(event->rule->text, "client ", 7) == 0)
			return (true);
	}
	return (false);
}

static void
put_head(const struct fm_explanation *explanation, const struct fm_term *term)
{
	fm_term_clip(term, FM_INK_BOLD, explanation->view->method,
	    FM_NOTE_MOST);
	fputc(' ', term->to);
	fm_term_clip(term, FM_INK_BOLD, explanation->view->url, 0);
	if (explanation->view->esi)
		fm_term_put(term, FM_INK_PLAIN, "  (an ESI sub-request)");
	if (explanation->view->restarts > 0)
		fm_term_put(term, FM_INK_PLAIN, "  (after restarts: %u)",
		    explanation->view->restarts);
	fputc('\n', term->to);
	put_host(explanation, term);
	put_entry(explanation, term);
	if (explanation->client != NULL) {
		put_label(term, "Client");
		fm_term_put(term, FM_INK_PLAIN, "%s\n", explanation->client);
	} else if (client_asked(explanation->record)) {
		put_label(term, "Client");
		fm_term_put(term, FM_INK_YELLOW, FM_CLI_CLIENT ", since none "
		    "is given: --client gives one\n");
	}
}

/*--------------------------------------------------------------------
 * Verdict, backend, scans
 */

void
fm_explain_verdict(const struct fm_explanation *explanation,
    const struct fm_term *term)
{
	static const char * const subs[] = {
		[FM_PHASE_REQUEST] = "vcl_recv",
		[FM_PHASE_KEY] = "vcl_hash",
		[FM_PHASE_FETCH] = "vcl_backend_fetch",
		[FM_PHASE_RESPONSE] = "vcl_backend_response",
		[FM_PHASE_DELIVERY] = "vcl_deliver"
	};
	const struct fm_result *result = explanation->result;
	const char *word = fm_verdict_word(result->verdict);

	put_label(term, "Verdict");
	if (word == NULL) {
		fm_term_put(term, FM_INK_BOLD, "none");
		fm_term_put(term, FM_INK_PLAIN, ", %s goes on\n",
		    subs[explanation->phase]);
	} else {
		fm_term_put(term, FM_INK_BOLD, "%s", word);
		if (fm_explain_status(explanation) != 0)
			fm_term_put(term, FM_INK_BOLD, " %u",
			    fm_explain_status(explanation));
		if (result->text.b != NULL) {
			fputc(' ', term->to);
			fm_term_clip(term, FM_INK_BOLD, result->text, 0);
		}
		if (result->verdict == FM_VERDICT_ANSWER)
			fm_term_put(term, FM_INK_PLAIN, ", %zu bytes",
			    result->body.len);
		fputc('\n', term->to);
	}
	if (result->rule == NULL)
		return;
	put_label(term, "");
	fm_term_place(term, &result->rule->at);
	fputs(": ", term->to);
	fm_term_clip(term, FM_INK_PLAIN, fm_text_of(result->rule->text), 0);
	fputc('\n', term->to);
}

static void
put_scans(const struct fm_record *record, const struct fm_term *term)
{
	size_t i;

	put_label(term, "Scans");
	if (record->nscans == 0)
		fm_term_put(term, FM_INK_PLAIN, "none\n");
	for (i = 0; i < record->nscans; i++) {
		if (i > 0)
			put_label(term, "");
		fm_term_clip(term, FM_INK_PLAIN, record->scans[i].what, 0);
		fm_term_put(term, FM_INK_PLAIN, ", %zu pattern%s\n",
		    record->scans[i].patterns,
		    record->scans[i].patterns == 1 ? "" : "s");
	}
}

static void
put_outcomes(const struct fm_explanation *explanation,
    const struct fm_term *term)
{
	const char *backend = fm_explain_backend(explanation);

	fputc('\n', term->to);
	fm_explain_verdict(explanation, term);
	if (backend != NULL) {
		put_label(term, "Backend");
		fm_term_clip(term, FM_INK_PLAIN, fm_text_of(backend), 0);
		fputc('\n', term->to);
	}
	put_scans(explanation->record, term);
	if (explanation->result->undecided > 0) {
		put_label(term, "Undecided");
		fm_term_put(term, FM_INK_YELLOW, "%u, of regexes over their "
		    "match limit: %u\n", explanation->result->undecided,
		    explanation->result->tally.over_limit);
	}
}

/*--------------------------------------------------------------------
 * Before and after
 */

static void
put_line(const struct fm_term *term, enum fm_step_kind kind, struct fm_text a,
    const char *between, struct fm_text b)
{
	static const enum fm_ink inks[] = {
		[FM_STEP_KEPT] = FM_INK_PLAIN,
		[FM_STEP_REMOVED] = FM_INK_RED,
		[FM_STEP_ADDED] = FM_INK_GREEN
	};
	char *first = fm_term_clean(a, 0), *second = fm_term_clean(b, 0);

	fm_term_put(term, inks[kind], "%c%s%s%s", " -+"[kind], first, between,
	    second);
	fputc('\n', term->to);
	free(first);
	free(second);
}

void
fm_explain_steps(const struct fm_explanation *explanation,
    const struct fm_term *term)
{
	struct fm_step *steps;
	size_t i, n;

	steps = fm_steps(explanation->view, explanation->result, &n);
	if (steps == NULL)
		fm_cli_no_memory();
	for (i = 0; i < n; i++)
		put_line(term, steps[i].kind, steps[i].name, ": ",
		    steps[i].value);
	free(steps);
}

static void
put_diff(const struct fm_explanation *explanation, const struct fm_term *term)
{
	const struct fm_result *result = explanation->result;

	if (!result->url_changed && result->edits.n == 0) {
		fm_term_put(term, FM_INK_PLAIN,
		    "\nThe request stays as it came.\n");
		return;
	}
	fm_term_put(term, FM_INK_BOLD, "\n--- the request as it came\n"
	    "+++ the request after the rules\n");
	if (result->url_changed) {
		put_line(term, FM_STEP_REMOVED, explanation->view->method, " ",
		    explanation->view->url);
		put_line(term, FM_STEP_ADDED, explanation->view->method, " ",
		    result->url);
	} else {
		put_line(term, FM_STEP_KEPT, explanation->view->method, " ",
		    explanation->view->url);
	}
	fm_explain_steps(explanation, term);
}

/* Shows what the rules add to the key of the request. */
static void
put_key(const struct fm_explanation *key, const struct fm_term *term)
{
	fm_term_put(term, FM_INK_BOLD, "\nkey");
	fm_term_put(term, FM_INK_PLAIN, ", beside what VCL hashes\n");
	fm_explain_rows(key, term);
	if (key->result->verdict != FM_VERDICT_NONE)
		fm_term_put(term, FM_INK_YELLOW, "\nundecided: the request "
		    "fails with 503\n");
}

void
fm_explain_text(const struct fm_explanation *explanation,
    const struct fm_explanation *key,
    const struct fm_explained_response *response, const struct fm_term *term,
    bool brief)
{
	put_head(explanation, term);
	fm_explain_rows(explanation, term);
	if (!brief) {
		put_outcomes(explanation, term);
		put_diff(explanation, term);
	}
	if (key != NULL)
		put_key(key, term);
	if (response != NULL)
		fm_explain_fetch(response, term, brief);
	if (response != NULL && response->given)
		fm_explain_response(response, term, brief);
}
