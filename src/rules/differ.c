/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One request and two programs.  Both run without a listener: their results
 * say whether something changed, and by which rules.  Where people want to see
 * more they run again, with somebody who notes which rule did what.
 */

#include <stdio.h>

#include "differ.h"
#include "record.h"
#include "sources.h"

static const char * const words[FM_CHANGE__KINDS] = {
	[FM_CHANGE_VERDICT] = "verdict",
	[FM_CHANGE_STATUS] = "status",
	[FM_CHANGE_LOCATION] = "location",
	[FM_CHANGE_REASON] = "reason",
	[FM_CHANGE_TYPE] = "type",
	[FM_CHANGE_BODY] = "body",
	[FM_CHANGE_URL] = "url",
	[FM_CHANGE_BACKEND] = "backend",
	[FM_CHANGE_HEADER] = "header"
};

const char *
fm_change_word(enum fm_change_kind kind)
{
	return (words[kind]);
}

/* A request that was changed, and who wants to know of it. */
struct comparison {
	const struct fm_differ	*differ;
	fm_change_f		*tell;
	void			*priv;
};

/*--------------------------------------------------------------------
 * Whether anything changed
 */

static bool
same_text(struct fm_text a, struct fm_text b)
{
	return ((a.b == NULL) == (b.b == NULL) && fm_text_eq(a, b));
}

static struct fm_text
backend_of(const struct fm_program *program, const struct fm_result *result)
{
	return (fm_text_of(!result->backend_set ? NULL :
	    fm_program_backend(program, result->backend, NULL)));
}

/*
 * The edit of a header; most likely it is the one behind that which was found
 * before.
 */
static const struct fm_edit *
edit_of(const struct fm_result *result, struct fm_text name, unsigned *next)
{
	const struct fm_edit *edit;
	unsigned i;

	for (i = 0; i < result->nedits; i++) {
		edit = &result->edits[(*next + i) % result->nedits];
		if (fm_text_eq_nocase(edit->name, name)) {
			*next = (unsigned)(edit - result->edits) + 1;
			return (edit);
		}
	}
	return (NULL);
}

static bool
same_edit(const struct fm_edit *a, const struct fm_edit *b)
{
	return (a != NULL && b != NULL && a->set == b->set &&
	    (!a->set || fm_text_eq(a->value, b->value)));
}

static bool
same_edits(const struct fm_result *a, const struct fm_result *b)
{
	unsigned i, next = 0;

	if (a->nedits != b->nedits)
		return (false);
	for (i = 0; i < a->nedits; i++)
		if (!same_edit(&a->edits[i],
		    edit_of(b, a->edits[i].name, &next)))
			return (false);
	return (true);
}

bool
fm_differ_same(const struct fm_differ *differ)
{
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];

	return (a->verdict == b->verdict && a->status == b->status &&
	    same_text(a->text, b->text) && fm_text_eq(a->body, b->body) &&
	    fm_text_eq(a->url, b->url) &&
	    same_text(backend_of(differ->programs[FM_OLD], a),
	    backend_of(differ->programs[FM_NEW], b)) && same_edits(a, b));
}

/*--------------------------------------------------------------------
 * What changed
 */

static void
tell(const struct comparison *c, struct fm_change change)
{
	c->tell(c->priv, &change, c->differ);
}

static void
tell_decision(const struct comparison *c, enum fm_change_kind kind)
{
	tell(c, (struct fm_change){ .kind = kind,
	    .rules = { c->differ->results[FM_OLD]->rule,
	    c->differ->results[FM_NEW]->rule } });
}

/* Tells of the status, the text and the body of the same verdict. */
static void
tell_outcome(const struct comparison *c)
{
	const struct fm_result *a = c->differ->results[FM_OLD];
	const struct fm_result *b = c->differ->results[FM_NEW];

	if (a->status != b->status)
		tell_decision(c, FM_CHANGE_STATUS);
	if (!same_text(a->text, b->text))
		tell_decision(c, a->verdict == FM_VERDICT_REDIRECT ?
		    FM_CHANGE_LOCATION : a->verdict == FM_VERDICT_ANSWER ?
		    FM_CHANGE_TYPE : FM_CHANGE_REASON);
	if (!fm_text_eq(a->body, b->body))
		tell_decision(c, FM_CHANGE_BODY);
}

static void
tell_url(const struct comparison *c)
{
	const struct fm_result *a = c->differ->results[FM_OLD];
	const struct fm_result *b = c->differ->results[FM_NEW];

	if (!fm_text_eq(a->url, b->url))
		tell(c, (struct fm_change){ .kind = FM_CHANGE_URL,
		    .rules = { a->url_rule, b->url_rule } });
}

static void
tell_backend(const struct comparison *c)
{
	const struct fm_result *a = c->differ->results[FM_OLD];
	const struct fm_result *b = c->differ->results[FM_NEW];

	if (!same_text(backend_of(c->differ->programs[FM_OLD], a),
	    backend_of(c->differ->programs[FM_NEW], b)))
		tell(c, (struct fm_change){ .kind = FM_CHANGE_BACKEND,
		    .rules = { a->backend_rule, b->backend_rule } });
}

static void
tell_header(const struct comparison *c, const struct fm_edit *a,
    const struct fm_edit *b)
{
	if (!same_edit(a, b))
		tell(c, (struct fm_change){ .kind = FM_CHANGE_HEADER,
		    .header = a == NULL ? b->name : a->name,
		    .rules = { a == NULL ? NULL : a->rule,
		    b == NULL ? NULL : b->rule } });
}

static void
tell_headers(const struct comparison *c)
{
	const struct fm_result *a = c->differ->results[FM_OLD];
	const struct fm_result *b = c->differ->results[FM_NEW];
	const struct fm_edit *edit;
	uint64_t told = 0;	/* of the first 64 edits of b: in a, too */
	unsigned i, next = 0;

	for (i = 0; i < a->nedits; i++) {
		edit = edit_of(b, a->edits[i].name, &next);
		tell_header(c, &a->edits[i], edit);
		if (edit != NULL && next <= 64)
			told |= 1ULL << (next - 1);
	}
	for (i = next = 0; i < b->nedits; i++)
		if ((i >= 64 || (told >> i & 1) == 0) &&
		    edit_of(a, b->edits[i].name, &next) == NULL)
			tell_header(c, NULL, &b->edits[i]);
}

void
fm_differ_tell(const struct fm_differ *differ, fm_change_f *on_change,
    void *priv)
{
	const struct comparison c = { differ, on_change, priv };

	if (differ->results[FM_OLD]->verdict !=
	    differ->results[FM_NEW]->verdict)
		tell_decision(&c, FM_CHANGE_VERDICT);
	else
		tell_outcome(&c);
	tell_url(&c);
	tell_backend(&c);
	tell_headers(&c);
}

/*--------------------------------------------------------------------
 * What people are shown: which rules did it, and what it came to
 */

/* Two runs with a trace, and who wants to know of what changed. */
struct traced {
	struct fm_record	records[2];
	const struct fm_view	*view;
	fm_change_f		*tell;
	void			*priv;
	bool			no_memory;
};

/* The next change of this from *i on; NULL: there is none. */
static const struct fm_event *
next_step(const struct fm_record *record, struct fm_text what, size_t *i)
{
	const struct fm_event *event;

	while (*i < record->nevents) {
		event = &record->events[(*i)++];
		if (event->kind == FM_EVENT_STMT &&
		    event->effect == FM_EFFECT_CHANGED &&
		    fm_text_eq_nocase(event->what, what))
			return (event);
	}
	return (NULL);
}

static bool
ran(const struct fm_record *record, const char *text)
{
	size_t i;

	for (i = 0; i < record->nevents; i++)
		if (record->events[i].kind == FM_EVENT_STMT &&
		    strcmp(record->events[i].rule->text, text) == 0)
			return (true);
	return (false);
}

/* The first two words are the same: "query drop", "set X-Device". */
static bool
same_head(const char *a, const char *b)
{
	size_t len = strcspn(a, " ");

	len += a[len] == ' ' ? 1 + strcspn(a + len + 1, " ") : 0;
	return (strncmp(a, b, len) == 0 && (b[len] == ' ' || b[len] == '\0'));
}

/*
 * Of a rule that changed something, what it is among the other rules, where
 * there was nothing to change: one of its kind, and not one that is in both.
 */
static const struct fm_rule *
counterpart(const struct fm_record *record, const struct fm_record *other,
    const struct fm_rule *rule)
{
	const struct fm_event *event;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_STMT &&
		    event->effect == FM_EFFECT_NONE &&
		    same_head(event->rule->text, rule->text) &&
		    !ran(other, event->rule->text))
			return (event->rule);
	}
	return (NULL);
}

/* The step itself, unless that is in both and another one is not. */
static const struct fm_rule *
rule_of(const struct traced *traced, size_t which,
    const struct fm_event * const steps[2])
{
	const struct fm_record *record = &traced->records[which];
	const struct fm_record *other = &traced->records[1 - which];
	const struct fm_event *step = steps[which], *beside = steps[1 - which];
	const struct fm_rule *rule = NULL;

	if (beside != NULL && !ran(record, beside->rule->text) &&
	    (step == NULL || ran(other, step->rule->text)))
		rule = counterpart(record, other, beside->rule);
	return (rule != NULL || step == NULL ? rule : step->rule);
}

/*
 * Both made the same of it up to some statement; the next ones are it.  What
 * an effect came to is what it left behind.
 */
static void
find_rules(const struct traced *traced, struct fm_text what,
    struct fm_change *change)
{
	const struct fm_event *steps[2];
	size_t i = 0, j = 0;

	do {
		steps[FM_OLD] = next_step(&traced->records[FM_OLD], what, &i);
		steps[FM_NEW] = next_step(&traced->records[FM_NEW], what, &j);
	} while (steps[FM_OLD] != NULL && steps[FM_NEW] != NULL &&
	    same_text(steps[FM_OLD]->after, steps[FM_NEW]->after));
	for (i = 0; i < 2; i++)
		change->rules[i] = rule_of(traced, i, steps);
}

/* A text that lives as long as the runs. */
static struct fm_text
keep(struct traced *traced, const char *s)
{
	struct fm_text text = fm_text_of(s);

	text.b = fm_arena_add(&traced->records[FM_OLD].arena, text);
	traced->no_memory |= text.b == NULL;
	return (text);
}

/* "redirect 302 http://m.example.com/", kept in the arena. */
static struct fm_text
print_verdict(struct traced *traced, const struct fm_result *result)
{
	const char *word = fm_verdict_word(result->verdict);
	size_t room = result->text.len + 32;
	char *buf;
	int len;

	if (result->status == 0)
		return (fm_text_of(word == NULL ? "none" : word));
	buf = fm_arena_alloc(&traced->records[FM_OLD].arena, room);
	if (buf == NULL) {
		traced->no_memory = true;
		return (fm_text(NULL, 0));
	}
	len = snprintf(buf, room, "%s %u%s%.*s", word, result->status,
	    result->text.len > 0 ? " " : "", (int)result->text.len,
	    result->text.len > 0 ? result->text.b : "");
	return (fm_text(buf, (size_t)len));
}

/* The value that a header has then; as it came where nobody edits it. */
static struct fm_text
value_after(const struct fm_edit *edit, const struct fm_view *view,
    struct fm_text name)
{
	struct fm_text line;
	unsigned i;

	if (edit != NULL)
		return (edit->set ? edit->value : fm_text(NULL, 0));
	for (i = 0; i < view->nfields; i++) {
		line = fm_text_span(view->fields[i].b, view->fields[i].e);
		if (line.len > name.len && line.b[name.len] == ':' &&
		    fm_text_eq_nocase(fm_text(line.b, name.len), name))
			return (fm_text_trim(fm_text(line.b + name.len + 1,
			    line.len - name.len - 1)));
	}
	return (fm_text(NULL, 0));
}

/* What it came to on this side; missing: there is none. */
static struct fm_text
value_of(struct traced *traced, const struct fm_change *change,
    const struct fm_differ *differ, enum fm_side side)
{
	const struct fm_result *result = differ->results[side];
	char buf[FM_DIGEST_LEN + 32], digest[FM_DIGEST_LEN];
	unsigned first = 0;

	switch (change->kind) {
	case FM_CHANGE_VERDICT:
		return (print_verdict(traced, result));
	case FM_CHANGE_STATUS:
		(void)snprintf(buf, sizeof buf, "%u", result->status);
		break;
	case FM_CHANGE_BODY:
		(void)snprintf(buf, sizeof buf, "%zu bytes, %s",
		    result->body.len, fm_digest_of(result->body, digest));
		break;
	case FM_CHANGE_URL:
		return (result->url);
	case FM_CHANGE_BACKEND:
		return (backend_of(differ->programs[side], result));
	case FM_CHANGE_HEADER:
		return (value_after(edit_of(result, change->header, &first),
		    traced->view, change->header));
	default:
		return (result->text);
	}
	return (keep(traced, buf));
}

static void
on_change(void *priv, const struct fm_change *found,
    const struct fm_differ *differ)
{
	struct traced *traced = priv;
	struct fm_change change = *found;
	unsigned i;

	for (i = 0; i < 2; i++)
		change.values[i] = value_of(traced, found, differ, i);
	if (change.kind == FM_CHANGE_URL)
		find_rules(traced, fm_text_of("url"), &change);
	else if (change.kind == FM_CHANGE_HEADER)
		find_rules(traced, change.header, &change);
	if (!traced->no_memory)
		traced->tell(traced->priv, &change, differ);
}

int
fm_differ_trace(const struct fm_program * const programs[2],
    const struct fm_view *view, fm_change_f *tell_change, void *priv)
{
	struct traced traced = { .view = view, .tell = tell_change,
	    .priv = priv };
	struct fm_differ differ;
	struct fm_run runs[2];
	unsigned i;

	for (i = 0; i < 2; i++) {
		fm_record_init_steps(&traced.records[i]);
		differ.programs[i] = programs[i];
		differ.results[i] = fm_run(&runs[i], programs[i], view,
		    &traced.records[i].trace);
		traced.no_memory |= differ.results[i]->no_memory ||
		    traced.records[i].no_memory;
	}
	if (!traced.no_memory)
		fm_differ_tell(&differ, on_change, &traced);
	for (i = 0; i < 2; i++) {
		fm_run_end(&runs[i]);
		fm_record_fini(&traced.records[i]);
	}
	return (traced.no_memory ? -1 : 0);
}
