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
#include "message.h"
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
take_headers(struct fm_jsonbuf *out, struct fm_message *m, struct fm_text text)
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
		wrong = m->nfields == LINES_MOST ? "there are too many" :
		    fm_message_line(m, line);
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
    struct fm_message *m)
{
	if (query->too_long || query->url.len > FM_PAGE_URL ||
	    query->method.len > FM_PAGE_METHOD ||
	    query->headers.len > FM_PAGE_HEADERS) {
		put_wrong(out, "The request is too long: a URL may have 2048"
		    " bytes here, the headers 4096.");
		return (false);
	}
	if (query->method.len > 0)
		m->method = query->method;
	if (query->client.len > 0 &&
	    !fm_addr_parse(query->client, &m->client)) {
		put_wrong(out, "The client must be an IP address.");
		return (false);
	}
	fm_message_url(m, query->url, FM_URL_TYPED);
	if (!take_headers(out, m, query->headers))
		return (false);
	fm_message_host(m);
	if (m->no_memory)
		put_wrong(out, "Out of memory.");
	return (!m->no_memory);
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
put_verdict(const struct explanation *e)
{
	const char *word = fm_verdict_word(e->result->verdict);
	const struct fm_rule *rule = e->result->rule;
	struct fm_jsonbuf *out = e->out;

	put(out, "<dt>Verdict</dt><dd class=\"verdict\"><strong>%s",
	    e->result->verdict == FM_VERDICT_REFUSE ? "refused" :
	    word == NULL ? "none" : word);
	if (e->result->status != 0)
		put(out, " %ju", (uintmax_t)e->result->status);
	put(out, "</strong>");
	if (word == NULL && e->result->verdict == FM_VERDICT_NONE)
		put(out, ", vcl_recv goes on");
	if (e->result->text.b != NULL) {
		put(out, " ");
		put_code(out, e->result->text);
	}
	put(out, "</dd>\n");
	if (rule == NULL)
		return;
	put(out, "<dt>By</dt><dd><span class=\"place\">" TEXT "</span> "
	    "<code>" TEXT "</code></dd>\n", fm_page_place(e->page, rule),
	    fm_page_words(e->page, rule));
}

static void
put_host(const struct explanation *e)
{
	struct fm_jsonbuf *out = e->out;

	put(out, "<dt>Host</dt><dd>");
	if (e->record->canon.b != NULL)
		put_code(out, e->record->canon);
	else
		put(out, e->record->raw.b == NULL ? "none" :
		    "none: the header has no valid one");
	put(out, "</dd>\n<dt>Entry</dt><dd>");
	if (e->record->how != FM_HOSTTAB_NONE)
		put_code(out, fm_text_of(fm_program_host(
		    e->page->what.program, e->record->pattern, NULL)));
	else
		put(out, e->result->otherwise ? "default" : "none");
	if (e->record->wild.b != NULL) {
		put(out, ", * is ");
		put_code(out, e->record->wild);
	}
	put(out, "</dd>\n<dt>Block</dt><dd>");
	if (e->result->site.b != NULL)
		put_code(out, e->result->site);
	else
		put(out, "none");
	put(out, "</dd>\n");
}

static void
put_edit(const struct explanation *e, struct fm_text name, bool set,
    struct fm_text value)
{
	put(e->out, "<dt>%s</dt><dd>", set ? "Set" : "Unset");
	put_code(e->out, name);
	if (set) {
		put(e->out, ": ");
		put_code(e->out, value);
	}
	put(e->out, "</dd>\n");
}

static void
put_edits(const struct explanation *e)
{
	const struct fm_result *result = e->result;
	size_t start = e->out->len;
	const struct fm_edit *edit;
	unsigned n;

	if (result->backend_set)
		put(e->out, "<dt>Backend</dt><dd><code>" TEXT "</code></dd>\n",
		    fm_program_backend(e->page->what.program, result->backend,
		    NULL));
	if (result->url_changed)
		put_edit(e, fm_text_of("URL"), true, result->url);
	for (n = 0; n < result->nedits &&
	    e->out->len < start + BUDGET / 4; n++) {
		edit = &result->edits[n];
		put_edit(e, edit->name, edit->set, edit->value);
	}
	if (!result->url_changed && result->nedits == 0)
		put(e->out, "<dt>Request</dt><dd>stays as it came</dd>\n");
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
		[FM_NOT_ASKED] = "not asked"
	};

	fm_jsonbuf_raw(out, words[outcome]);
}

static void
put_subject(const struct explanation *e, const struct fm_event *test)
{
	if (test->outcome == FM_NOT_ASKED)
		return;
	put(e->out, ", ");
	if (test->what.b == NULL)
		put(e->out, "not there");
	else if (!e->page->secrets && is_private(test->rule))
		put(e->out, "hidden");
	else
		put_code(e->out, test->what);
}

static void
put_change(const struct explanation *e, const struct fm_event *event)
{
	put_code(e->out, event->what);
	if (event->after.b == NULL) {
		put(e->out, " removed");
		return;
	}
	put(e->out, ": ");
	if (event->before.b != NULL) {
		put_code(e->out, event->before);
		put(e->out, " \xe2\x86\x92 ");
	}
	put_code(e->out, event->after);
}

static void
put_effect(const struct explanation *e, const struct fm_event *event)
{
	static const char * const words[] = {
		[FM_EFFECT_NONE] = "nothing to change",
		[FM_EFFECT_CHANGED] = "",
		[FM_EFFECT_BACKEND] = "backend ",
		[FM_EFFECT_VERDICT] = "decides ",
		[FM_EFFECT_IGNORED] = "ignored in an ESI sub-request",
		[FM_EFFECT_UNDECIDED] = "undecided",
		[FM_EFFECT_STOP] = "leaves the block",
		[FM_EFFECT_USE] = "runs it"
	};

	put(e->out, "%s", words[event->effect]);
	if (event->effect == FM_EFFECT_CHANGED) {
		put_change(e, event);
	} else if (event->effect == FM_EFFECT_BACKEND ||
	    event->effect == FM_EFFECT_VERDICT) {
		if (event->what.b != NULL)
			put_code(e->out, event->what);
		if (event->after.b != NULL)
			put_code(e->out, event->after);
	}
}

static void
put_step(const struct explanation *e, const struct fm_event *event)
{
	put(e->out, event->kind == FM_EVENT_TEST ? "<tr class=\"test\">" :
	    "<tr>");
	put(e->out, "<td class=\"place\">" TEXT "</td><td><code>" TEXT
	    "</code></td><td>", fm_page_place(e->page, event->rule),
	    fm_page_words(e->page, event->rule));
	if (event->kind == FM_EVENT_STMT) {
		put_effect(e, event);
	} else {
		put_outcome(e->out, event->outcome);
		if (event->kind == FM_EVENT_TEST)
			put_subject(e, event);
	}
	put(e->out, "</td></tr>\n");
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
put_group(const struct explanation *e, size_t first)
{
	const struct fm_event *events = e->record->events;
	size_t when = first, i;

	while (when < e->record->nevents && events[when].kind == FM_EVENT_TEST)
		when++;
	if (when == e->record->nevents)
		return (when - first);
	put_step(e, &events[when]);
	for (i = first; i < when && e->out->len < e->end; i++)
		put_step(e, &events[i]);
	if (i < when)
		put_more(e->out);
	return (when + 1 - first);
}

static void
put_steps(const struct explanation *e)
{
	const struct fm_event *event;
	struct fm_jsonbuf *out = e->out;
	size_t i = 0;

	put(out, "<h3>Step by step</h3>\n<div class=\"scroll\">\n<table>\n"
	    "<thead><tr><th scope=\"col\">Place</th><th scope=\"col\">Rule"
	    "</th><th scope=\"col\">Outcome</th></tr></thead>\n<tbody>\n");
	while (i < e->record->nevents && out->len < e->end) {
		event = &e->record->events[i];
		if (event->kind == FM_EVENT_BLOCK) {
			put(out, "<tr class=\"block\"><th scope=\"rowgroup\""
			    " colspan=\"3\">");
			put_code(out, event->what);
			put(out, "</th></tr>\n");
			i++;
		} else if (event->kind == FM_EVENT_BACK) {
			i++;
		} else {
			i += put_group(e, i);
		}
	}
	if (i < e->record->nevents)
		put_more(out);
	put(out, "</tbody>\n</table>\n</div>\n");
}

static void
put_all(struct explanation *e)
{
	unsigned generation = e->page->state->version->generation;

	put(e->out, "<h3 id=\"explained\" data-generation=\"");
	fm_jsonbuf_number(e->out, generation);
	put(e->out, "\">With generation %ju</h3>\n<dl>\n",
	    (uintmax_t)generation);
	put_verdict(e);
	put_host(e);
	put_edits(e);
	put(e->out, "</dl>\n");
	e->end = e->out->len + BUDGET;
	put_steps(e);
}

void
fm_page_explain(struct fm_jsonbuf *out, const struct fm_page *page)
{
	struct explanation e = { .out = out, .page = page };
	struct fm_message message;
	struct fm_record record;
	struct fm_view view;
	struct fm_run run;

	fm_message_init(&message);
	if (page->what.program != NULL &&
	    take_request(out, &page->query, &message)) {
		fm_message_view(&message, &view);
		fm_record_init(&record);
		e.record = &record;
		e.result = fm_run(&run, page->what.program, &view,
		    &record.trace);
		if (e.result->no_memory || record.no_memory)
			put_wrong(out, "Out of memory.");
		else
			put_all(&e);
		fm_run_end(&run);
		fm_record_fini(&record);
	}
	fm_message_fini(&message);
}
