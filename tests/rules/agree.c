/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts both results into one form, an outcome, compares these, and prints them
 * where they differ.
 */

#include <assert.h>
#include <stdio.h>

#include "agree.h"
#include "scan.h"

struct outcome {
	enum fm_verdict		verdict;
	unsigned		status;
	enum fm_refuse		refuse;
	struct fm_text		text;		/* reason, Location or type */
	struct fm_text		body;
	bool			denied;
	const char		*file;		/* of the rule that decided */
	unsigned		line;
	struct fm_text		host;
	bool			host_made;	/* said to be the client's,
						   and is not */
	struct fm_text		site;
	enum fm_hosttab_how	how;
	bool			otherwise;
	struct fm_text		backend;
	uint64_t		log;		/* naive_log() */
	char			calls[400];	/* as of the naive result */
	uint64_t		bans;
	struct fm_text		url;
	unsigned		undecided;
	unsigned		ignored;
	unsigned		nlines;
	struct naive_line	lines[AGREE_FIELDS + FM_LIMIT_HEADERS];
};

/* Bytes of a text that are shown; the rest is cut. */
#define SHOWN		400

/*--------------------------------------------------------------------
 * Showing what went wrong
 */

static void
show_text(const char *what, struct fm_text t)
{
	size_t i;

	fprintf(stderr, "    %s: ", what);
	if (t.b == NULL)
		fprintf(stderr, "none");
	for (i = 0; i < t.len && i < SHOWN; i++)
		fprintf(stderr, t.b[i] >= ' ' && t.b[i] < 0x7f ? "%c" :
		    "\\x%02x", (unsigned char)t.b[i]);
	fprintf(stderr, i < t.len ? "... (%zu bytes)\n" : "\n", t.len);
}

/* Returns true if Varnish would leave field i out. */
static bool
is_dropped(const struct fm_view *view, unsigned i)
{
	return (view->marks != NULL && view->marks[i] != 0);
}

void
agree_show_view(const struct fm_view *view)
{
	unsigned i;

	fprintf(stderr, "request%s, restarts %u\n", view->esi ? " (ESI)" : "",
	    view->restarts);
	show_text("method", view->method);
	show_text("url", view->url);
	show_text("protocol", view->proto);
	for (i = 0; i < view->nfields; i++)
		if (view->fields[i].b != NULL)
			show_text(is_dropped(view, i) ? "dropped field" :
			    "field", fm_text_span(view->fields[i].b,
			    view->fields[i].e));
	fprintf(stderr, "    client:");
	for (i = 0; i < view->client.len; i++)
		fprintf(stderr, " %02x", view->client.b[i]);
	fprintf(stderr, "\n");
}

static void
outcome_show(const char *who, const struct outcome *o)
{
	const char *verdict = fm_verdict_word(o->verdict);
	unsigned i;

	fprintf(stderr, "%s: %s %u at %s:%u, undecided %u, ignored %u\n", who,
	    verdict == NULL ? "no verdict" : verdict, o->status,
	    o->file == NULL ? "none" : o->file, o->line, o->undecided,
	    o->ignored);
	show_text("text", o->text);
	show_text("body", o->body);
	show_text("host", o->host);
	show_text("site", o->site);
	show_text("backend", o->backend);
	show_text("url", o->url);
	for (i = 0; i < o->nlines; i++) {
		show_text("name", o->lines[i].name);
		show_text(o->lines[i].dropped ? "    dropped value" :
		    "    value", o->lines[i].value);
	}
}

/*--------------------------------------------------------------------
 * Outcomes
 */

static void
outcome_add_line(struct outcome *o, struct fm_text name, struct fm_text value,
    bool dropped)
{
	assert(o->nlines < sizeof o->lines / sizeof *o->lines);
	o->lines[o->nlines].name = name;
	o->lines[o->nlines].dropped = dropped;
	o->lines[o->nlines++].value = fm_text_trim(value);
}

/* Splits a field; false: it is none. */
static bool
field_split(const struct fm_field *field, struct fm_text *name,
    struct fm_text *value)
{
	const char *colon = field->b == NULL ? NULL :
	    memchr(field->b, ':', (size_t)(field->e - field->b));

	if (colon == NULL)
		return (false);
	*name = fm_text_span(field->b, colon);
	*value = fm_text_trim(fm_text_span(colon + 1, field->e));
	return (true);
}

/* Adds the tests of a ban; whether one is in quotes depends on the spelling. */
static uint64_t
ban_log(uint64_t hash, const struct fm_banned *ban)
{
	uint32_t i;

	for (i = 0; ban->text.b != NULL && i < ban->n; i++) {
		hash = naive_log(hash, fm_text_of(ban->tests[i].field));
		hash = naive_log(hash, fm_text_of(ban->tests[i].oper));
		hash = naive_log(hash, fm_text_of(ban->tests[i].argument));
	}
	return (naive_log(hash, fm_text_of(ban->text.b == NULL ? "none" :
	    "ban")));
}

/* Returns true if a text is a part of what the client sent. */
static bool
came(const struct fm_view *view, struct fm_text t)
{
	unsigned i;

	for (i = 0; i < view->nfields; i++)
		if (t.b >= view->fields[i].b &&
		    t.b + t.len <= view->fields[i].e)
			return (true);
	return (false);
}

static void
outcome_of_result(struct outcome *o, const struct fm_program *program,
    const struct fm_view *view, const struct fm_result *result)
{
	const struct fm_log_line *line;
	const struct fm_banned *ban;
	struct fm_text name, value;
	struct fm_edit edit;
	unsigned i, at = 0;

	memset(o, 0, offsetof(struct outcome, lines));
	o->verdict = result->verdict;
	o->status = result->status;
	o->refuse = result->refuse;
	/* A Location is trimmed; a reason is not. */
	o->text = result->verdict == FM_VERDICT_SYNTH ||
	    result->text.b == NULL ? result->text : fm_text_trim(result->text);
	o->body = result->body;
	o->denied = result->denied;
	o->file = result->rule == NULL ? NULL : result->rule->at.name;
	o->line = result->rule == NULL ? 0 : result->rule->at.line;
	o->host = result->host;
	o->host_made = result->host.b != NULL && result->host_in_view &&
	    view->host == NULL && !came(view, result->host);
	o->site = result->site;
	o->how = result->how;
	o->otherwise = result->otherwise;
	if (result->backend_set)
		o->backend = fm_text_of(
		    fm_program_backend(program, result->backend, NULL));
	for (line = result->log; line != NULL; line = line->next)
		o->log = naive_log(o->log, line->text);
	for (i = 0; i < result->ncalls; i++) {
		(void)strcat(o->calls, fm_program_call(program,
		    result->calls[i].sub, NULL, NULL));
		(void)strcat(o->calls, " ");
	}
	for (ban = result->nbans == 0 ? NULL : result->bans; ban != NULL;
	    ban = ban->next)
		o->bans = ban_log(o->bans, ban);
	o->url = result->url;
	o->undecided = result->undecided;
	o->ignored = result->ignored;
	for (i = 0; i < view->nfields; i++)
		if (field_split(&view->fields[i], &name, &value) &&
		    !fm_edit_of(result, name, &edit))
			outcome_add_line(o, name, value, is_dropped(view, i));
	while (fm_edit_next(result, &at, &edit))
		if (edit.set)
			outcome_add_line(o, edit.name, edit.value, false);
}

static void
outcome_of_naive(struct outcome *o, const struct naive_result *r)
{
	unsigned i;

	memset(o, 0, offsetof(struct outcome, lines));
	o->verdict = r->verdict;
	o->status = r->status;
	o->refuse = r->refuse;
	o->text = r->text;
	o->body = r->body;
	o->denied = r->denied;
	o->file = r->at.name;
	o->line = r->at.line;
	o->host = r->host;
	o->site = r->site;
	o->how = r->how;
	o->otherwise = r->otherwise;
	o->backend = r->backend;
	o->log = r->log;
	(void)strcpy(o->calls, r->calls);
	o->bans = r->bans;
	o->url = r->url;
	o->undecided = r->undecided;
	o->ignored = r->ignored;
	for (i = 0; i < r->nlines; i++)
		outcome_add_line(o, r->lines[i].name, r->lines[i].value,
		    r->lines[i].dropped);
}

/* Returns true if both have the same values of each name, in the same order. */
static bool
same_headers(const struct outcome *a, const struct outcome *b)
{
	unsigned i, j, nth, at;

	if (a->nlines != b->nlines)
		return (false);
	for (i = 0; i < a->nlines; i++) {
		for (nth = 0, j = 0; j < i; j++)
			nth += fm_text_eq_nocase(a->lines[j].name,
			    a->lines[i].name);
		at = b->nlines;
		for (j = 0; j < b->nlines && at == b->nlines; j++)
			if (fm_text_eq_nocase(b->lines[j].name,
			    a->lines[i].name) && nth-- == 0)
				at = j;
		if (at == b->nlines ||
		    a->lines[i].dropped != b->lines[at].dropped ||
		    !fm_text_eq(a->lines[i].value, b->lines[at].value))
			return (false);
	}
	return (true);
}

static bool
same(struct fm_text a, struct fm_text b)
{
	return (fm_text_eq(a, b) && (a.b == NULL) == (b.b == NULL));
}

static const char *
outcome_differs(const struct outcome *a, const struct outcome *b)
{
	if (a->verdict != b->verdict)
		return ("the verdict");
	if (a->status != b->status)
		return ("the status");
	if (a->refuse != b->refuse)
		return ("why the request is refused");
	if (!same(a->text, b->text))
		return ("the reason, the Location or the type");
	if (!same(a->body, b->body))
		return ("the body");
	if (a->denied != b->denied)
		return ("whether an ESI sub-request is denied");
	if (a->line != b->line || (a->file == NULL) != (b->file == NULL) ||
	    (a->file != NULL && strcmp(a->file, b->file) != 0))
		return ("the rule that decided");
	if (!same(a->host, b->host))
		return ("the host");
	if (a->host_made != b->host_made)
		return ("whether the host has to be copied");
	if (!same(a->site, b->site))
		return ("the ruleset");
	if (a->how != b->how || a->otherwise != b->otherwise)
		return ("how the host was found");
	if (!same(a->backend, b->backend))
		return ("the backend");
	if (a->log != b->log)
		return ("what is logged");
	if (strcmp(a->calls, b->calls) != 0)
		return ("which subs are called");
	if (a->bans != b->bans)
		return ("the bans");
	if (!fm_text_eq(a->url, b->url))
		return ("the URL");
	if (a->undecided != b->undecided)
		return ("undecided");
	if (a->ignored != b->ignored)
		return ("ignored");
	return (same_headers(a, b) ? NULL : "the headers");
}

/*--------------------------------------------------------------------
 * Results
 */

static bool
is_clean(struct fm_text t)
{
	return (t.len == 0 || (memchr(t.b, '\r', t.len) == NULL &&
	    memchr(t.b, '\n', t.len) == NULL &&
	    memchr(t.b, '\0', t.len) == NULL));
}

static const char *
check_edit(const struct fm_view *view, const struct fm_edit *edit)
{
	struct fm_text name, value, only = { NULL, 0 };
	unsigned i, found = 0, dropped = 0;

	for (i = 0; i < view->nfields; i++)
		if (field_split(&view->fields[i], &name, &value) &&
		    fm_text_eq_nocase(name, edit->name)) {
			found++;
			dropped += is_dropped(view, i);
			only = value;
		}
	if (edit->set && !is_clean(edit->value))
		return ("a value that would split the header");
	if (edit->set && fm_text_trim(edit->value).len == 0)
		return ("a header set to nothing");
	if (edit->set ? found == 1 && dropped == 0 &&
	    fm_text_eq(only, edit->value) : found == 0)
		return ("an edit that changes nothing");
	return (NULL);
}

const char *
agree_is_sound(const struct fm_view *view, const struct fm_result *result)
{
	struct fm_edit edit, first;
	const char *wrong = NULL;
	unsigned at = 0, n = 0;

	if (result->no_memory)
		return ("no memory");
	if (!is_clean(result->text))
		return ("a Location that would split the header");
	if (result->url_changed == fm_text_eq(view->url, result->url))
		return ("whether the URL changed");
	if (result->url_changed && result->url.len == 0)
		return ("an empty URL");
	while (wrong == NULL && fm_edit_next(result, &at, &edit)) {
		n++;
		wrong = !fm_edit_of(result, edit.name, &first) ||
		    first.name.b != edit.name.b ? "two edits of one name" :
		    check_edit(view, &edit);
	}
	if (wrong == NULL && n != result->edits.n)
		return ("the number of edits");
	return (wrong);
}

bool
agree_is_by_chance(const struct fm_result *result)
{
	return (fm_scan_health() == FM_SCAN_HEALTHY &&
	    result->tally.fallbacks > 0 && result->tally.over_limit > 0);
}

const char *
agree(const struct fm_program *program, const struct fm_view *view,
    const struct naive_result *want, const struct fm_result *is)
{
	const char *wrong = agree_is_sound(view, is);
	struct outcome a, b;

	if (wrong == NULL && (want->by_chance || agree_is_by_chance(is)))
		return (NULL);
	outcome_of_naive(&a, want);
	outcome_of_result(&b, program, view, is);
	if (wrong == NULL)
		wrong = want->wrong;
	if (wrong == NULL)
		wrong = outcome_differs(&a, &b);
	if (wrong != NULL && !is->no_memory) {
		agree_show_view(view);
		outcome_show("the twin", &a);
		outcome_show("the program", &b);
	}
	return (wrong);
}
