/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Explains on the page what the rules that serve would do to a request that the
 * operator has made up.  Nothing of this is counted.
 */

#include <stdio.h>
#include <string.h>

#include "htmlbuf.h"
#include "made_request.h"
#include "page.h"
#include "record.h"
#include "run.h"

#define BUDGET		20000	/* bytes of HTML of the steps */
#define TEXT_MOST	160	/* characters of a rule, and of a value */
#define TEXT		"%.160s"
#define LINES_MOST	64	/* headers: the default of http_max_hdr */

#define put		fm_html_print

static void
put_code(struct fm_jsonbuf *out, struct fm_text text)
{
	put(out, "<code>");
	fm_html_text(out, text, TEXT_MOST);
	put(out, "</code>");
}

/*--------------------------------------------------------------------
 * The request
 */

static void
put_wrong(struct fm_jsonbuf *out, const char *what)
{
	put(out, "<p class=\"no\" role=\"alert\">%s</p>\n", what);
}

static void
put_wrong_line(struct fm_jsonbuf *out, unsigned number, struct fm_text line,
    const char *what)
{
	put(out, "<p class=\"no\" role=\"alert\">Line %ju of the headers, ",
	    (uintmax_t)number);
	put_code(out, line);
	put(out, ": %s</p>\n", what);
}

/* Adds the headers; false, with an error on the page, if one is wrong. */
static bool
take_headers(struct fm_jsonbuf *out, struct fm_made_request *made,
    struct fm_text text)
{
	const char *b = text.b, *end = text.b + text.len, *eol, *wrong;
	struct fm_text line;
	unsigned number = 0;

	while (b != NULL && b < end) {
		eol = memchr(b, '\n', (size_t)(end - b));
		if (eol == NULL)
			eol = end;
		line = fm_text_span(b, eol);
		b = eol + 1;
		if (line.len > 0 && line.b[line.len - 1] == '\r')
			line.len--;
		number++;
		if (line.len == 0)
			continue;
		wrong = made->nfields == LINES_MOST ? "there are too many" :
		    fm_made_line(made, line);
		if (wrong != NULL) {
			put_wrong_line(out, number, line, wrong);
			return (false);
		}
	}
	return (true);
}

/* Makes the request of the query; false, with an error, if it is wrong. */
static bool
take_request(struct fm_jsonbuf *out, const struct fm_page_query *query,
    struct fm_made_request *made)
{
	if (query->too_long || query->url.len > FM_PAGE_URL ||
	    query->method.len > FM_PAGE_METHOD ||
	    query->headers.len > FM_PAGE_HEADERS) {
		put_wrong(out, "The request is too long: a URL may have 2048"
		    " bytes here, the headers 4096.");
		return (false);
	}
	if (query->method.len > 0)
		made->method = query->method;
	if (query->client.len > 0 &&
	    !fm_addr_parse(query->client, &made->client)) {
		put_wrong(out, "The client must be an IP address.");
		return (false);
	}
	fm_made_url(made, query->url, FM_URL_TYPED);
	if (!take_headers(out, made, query->headers))
		return (false);
	fm_made_host(made);
	if (made->no_memory)
		put_wrong(out, "Out of memory.");
	return (!made->no_memory);
}

/*--------------------------------------------------------------------
 * The result
 */

struct explanation {
	struct fm_jsonbuf	*out;
	const struct fm_page	*page;
	const struct fm_record	*record;
	const struct fm_result	*result;
	size_t			end;		/* length of the page where the
						 * budget ends */
};

static void
put_verdict(const struct explanation *explanation)
{
	const char *word = fm_verdict_word(explanation->result->verdict);
	const struct fm_rule *rule = explanation->result->rule;
	struct fm_jsonbuf *out = explanation->out;

	put(out, "<dt>Verdict</dt><dd class=\"verdict\"><strong>%s",
	    explanation->result->verdict == FM_VERDICT_REFUSE ? "refused" :
	    word == NULL ? "none" : word);
	if (explanation->result->status != 0)
		put(out, " %ju", (uintmax_t)explanation->result->status);
	put(out, "</strong>");
	if (word == NULL && explanation->result->verdict == FM_VERDICT_NONE)
		put(out, ", vcl_recv goes on");
	if (explanation->result->text.b != NULL) {
		put(out, " ");
		put_code(out, explanation->result->text);
	}
	put(out, "</dd>\n");
	if (rule == NULL)
		return;
	put(out, "<dt>By</dt><dd><span class=\"place\">" TEXT "</span> "
	    "<code>" TEXT "</code></dd>\n", fm_page_place(explanation->page,
	    rule), fm_page_words(explanation->page, rule));
}

static void
put_host(const struct explanation *explanation)
{
	struct fm_jsonbuf *out = explanation->out;

	put(out, "<dt>Host</dt><dd>");
	if (explanation->record->canon.b != NULL)
		put_code(out, explanation->record->canon);
	else
		put(out, explanation->record->raw.b == NULL ? "none" :
		    "none: the header has no valid one");
	put(out, "</dd>\n<dt>Entry</dt><dd>");
	if (explanation->record->how != FM_HOSTTAB_NONE)
		put_code(out,
		    fm_text_of(fm_program_host(explanation->page->what.program,
		    explanation->record->pattern, NULL)));
	else
		put(out, explanation->result->otherwise ? "default" : "none");
	if (explanation->record->wild.b != NULL) {
		put(out, ", * is ");
		put_code(out, explanation->record->wild);
	}
	put(out, "</dd>\n<dt>Block</dt><dd>");
	if (explanation->result->site.b != NULL)
		put_code(out, explanation->result->site);
	else
		put(out, "none");
	put(out, "</dd>\n");
}

static void
put_edit(const struct explanation *explanation, struct fm_text name, bool set,
    struct fm_text value)
{
	put(explanation->out, "<dt>%s</dt><dd>", set ? "Set" : "Unset");
	put_code(explanation->out, name);
	if (set) {
		put(explanation->out, ": ");
		put_code(explanation->out, value);
	}
	put(explanation->out, "</dd>\n");
}

static void
put_edits(const struct explanation *explanation)
{
	const struct fm_result *result = explanation->result;
	size_t start = explanation->out->len;
	struct fm_edit edit;
	unsigned at = 0;

	if (result->backend_set)
		put(explanation->out,
		    "<dt>Backend</dt><dd><code>" TEXT "</code></dd>\n",
		    fm_program_backend(explanation->page->what.program,
		    result->backend, NULL));
	if (result->url_changed)
		put_edit(explanation, fm_text_of("URL"), true, result->url);
	while (explanation->out->len < start + BUDGET / 4 &&
	    fm_edit_next(result, &at, &edit))
		put_edit(explanation, edit.name, edit.set, edit.value);
	if (!result->url_changed && result->edits.n == 0)
		put(explanation->out,
		    "<dt>Request</dt><dd>stays as it came</dd>\n");
}

/*--------------------------------------------------------------------
 * Step by step
 */

/* Returns true if a test is about a value that may be a secret. */
static bool
is_private(const struct fm_rule *test)
{
	return (strncmp(test->text, "header ", 7) == 0 ||
	    strncmp(test->text, "cookie ", 7) == 0 ||
	    strncmp(test->text, "agent ", 6) == 0);
}

static void
put_outcome(struct fm_jsonbuf *out, enum fm_outcome outcome)
{
	static const char * const words[] = {
		[FM_FALSE] = "<span class=\"no\">no</span>",
		[FM_TRUE] = "<span class=\"yes\">yes</span>",
		[FM_UNDECIDED] = "undecided",
		[FM_NOT_ASKED] = "not asked",
		[FM_FRAGMENT] = "raw #"
	};

	fm_jsonbuf_raw(out, words[outcome]);
}

static void
put_subject(const struct explanation *explanation, const struct fm_event *test)
{
	if (test->outcome == FM_NOT_ASKED)
		return;
	put(explanation->out, ", ");
	if (test->what.b == NULL)
		put(explanation->out, "not there");
	else if (!explanation->page->secrets && is_private(test->rule))
		put(explanation->out, "hidden");
	else
		put_code(explanation->out, test->what);
}

static void
put_change(const struct explanation *explanation, const struct fm_event *event)
{
	put_code(explanation->out, event->what);
	if (event->after.b == NULL) {
		put(explanation->out, " removed");
		return;
	}
	put(explanation->out, ": ");
	if (event->before.b != NULL) {
		put_code(explanation->out, event->before);
		put(explanation->out, " \xe2\x86\x92 ");
	}
	put_code(explanation->out, event->after);
}

static void
put_effect(const struct explanation *explanation, const struct fm_event *event)
{
	static const char * const words[] = {
		[FM_EFFECT_NONE] = "nothing to change",
		[FM_EFFECT_CHANGED] = "",
		[FM_EFFECT_BACKEND] = "backend ",
		[FM_EFFECT_VERDICT] = "decides ",
		[FM_EFFECT_IGNORED] = "ignored in an ESI sub-request",
		[FM_EFFECT_UNDECIDED] = "undecided",
		[FM_EFFECT_LOG] = "logs ",
		[FM_EFFECT_STOP] = "leaves the block",
		[FM_EFFECT_USE] = "runs it"
	};

	put(explanation->out, "%s", words[event->effect]);
	if (event->effect == FM_EFFECT_CHANGED) {
		put_change(explanation, event);
	} else if (event->effect == FM_EFFECT_BACKEND ||
	    event->effect == FM_EFFECT_LOG ||
	    event->effect == FM_EFFECT_VERDICT) {
		if (event->what.b != NULL)
			put_code(explanation->out, event->what);
		if (event->after.b != NULL)
			put_code(explanation->out, event->after);
	}
}

static void
put_step(const struct explanation *explanation, const struct fm_event *event)
{
	put(explanation->out, event->kind == FM_EVENT_TEST ?
	    "<tr class=\"test\">" : "<tr>");
	put(explanation->out, "<td class=\"place\">" TEXT "</td><td><code>" TEXT
	    "</code></td><td>", fm_page_place(explanation->page, event->rule),
	    fm_page_words(explanation->page, event->rule));
	if (event->kind == FM_EVENT_STMT) {
		put_effect(explanation, event);
	} else {
		put_outcome(explanation->out, event->outcome);
		if (event->kind == FM_EVENT_TEST)
			put_subject(explanation, event);
	}
	put(explanation->out, "</td></tr>\n");
}

static void
put_more(struct fm_jsonbuf *out)
{
	put(out, "<tr><td colspan=\"3\">and more, which fastmatch explain"
	    " shows</td></tr>\n");
}

/*
 * Shows a `when` and its tests.  The tests are recorded before their `when`,
 * and are shown below it.  Returns the number of events of the group.
 */
static size_t
put_group(const struct explanation *explanation, size_t first)
{
	const struct fm_event *events = explanation->record->events;
	size_t when = first, i;

	while (when < explanation->record->nevents &&
	    events[when].kind == FM_EVENT_TEST)
		when++;
	if (when == explanation->record->nevents)
		return (when - first);
	put_step(explanation, &events[when]);
	for (i = first; i < when && explanation->out->len < explanation->end;
	    i++)
		put_step(explanation, &events[i]);
	if (i < when)
		put_more(explanation->out);
	return (when + 1 - first);
}

static void
put_steps(const struct explanation *explanation)
{
	const struct fm_event *event;
	struct fm_jsonbuf *out = explanation->out;
	size_t i = 0;

	put(out, "<h3>Step by step</h3>\n<div class=\"scroll\">\n<table>\n"
	    "<thead><tr><th scope=\"col\">Place</th><th scope=\"col\">Rule"
	    "</th><th scope=\"col\">Outcome</th></tr></thead>\n<tbody>\n");
	while (i < explanation->record->nevents &&
	    out->len < explanation->end) {
		event = &explanation->record->events[i];
		if (event->kind == FM_EVENT_BLOCK) {
			put(out, "<tr class=\"block\"><th scope=\"rowgroup\""
			    " colspan=\"3\">");
			put_code(out, event->what);
			put(out, "</th></tr>\n");
			i++;
		} else if (event->kind == FM_EVENT_BACK) {
			i++;
		} else {
			i += put_group(explanation, i);
		}
	}
	if (i < explanation->record->nevents)
		put_more(out);
	put(out, "</tbody>\n</table>\n</div>\n");
}

static void
put_all(struct explanation *explanation)
{
	unsigned generation = explanation->page->state->version->generation;

	put(explanation->out, "<h3 id=\"explained\" data-generation=\"");
	fm_jsonbuf_number(explanation->out, generation);
	put(explanation->out, "\">With generation %ju</h3>\n<dl>\n",
	    (uintmax_t)generation);
	put_verdict(explanation);
	put_host(explanation);
	put_edits(explanation);
	put(explanation->out, "</dl>\n");
	explanation->end = explanation->out->len + BUDGET;
	put_steps(explanation);
}

void
fm_page_explain(struct fm_jsonbuf *out, const struct fm_page *page)
{
	struct explanation explanation = { .out = out, .page = page };
	struct fm_made_request made;
	struct fm_record record;
	struct fm_view view;
	struct fm_run run;

	fm_made_init(&made);
	if (page->what.program != NULL &&
	    take_request(out, &page->query, &made)) {
		fm_made_view(&made, &view);
		fm_record_init(&record);
		explanation.record = &record;
		explanation.result = fm_run(&run, page->what.program, &view,
		    &record.trace);
		if (explanation.result->no_memory || record.no_memory)
			put_wrong(out, "Out of memory.");
		else
			put_all(&explanation);
		fm_run_end(&run);
		fm_record_fini(&record);
	}
	fm_made_fini(&made);
}
