/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One request and two programs.  Most requests are decided alike: both run
 * without a listener, and only where something changed they run again, with
 * somebody who notes which rule did what.
 */

#include <stdio.h>
#include <stdlib.h>

#include "differ.h"
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
	struct fm_differ	differ;
	fm_change_f		*tell;
	void			*priv;
	bool			no_memory;
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

/* The edit of a header; most likely it is the n-th, or near to that. */
static const struct fm_edit *
edit_of(const struct fm_result *result, struct fm_text name, unsigned n)
{
	const struct fm_edit *edit;
	unsigned i;

	for (i = 0; i < result->nedits; i++) {
		edit = &result->edits[(n + i) % result->nedits];
		if (fm_text_eq_nocase(edit->name, name))
			return (edit);
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
	unsigned i;

	if (a->nedits != b->nedits)
		return (false);
	for (i = 0; i < a->nedits; i++)
		if (!same_edit(&a->edits[i],
		    edit_of(b, a->edits[i].name, i)))
			return (false);
	return (true);
}

bool
fm_differ_same(const struct fm_program * const programs[2],
    const struct fm_result * const results[2])
{
	const struct fm_result *a = results[FM_OLD], *b = results[FM_NEW];

	return (a->verdict == b->verdict && a->status == b->status &&
	    same_text(a->text, b->text) && fm_text_eq(a->body, b->body) &&
	    fm_text_eq(a->url, b->url) &&
	    same_text(backend_of(programs[FM_OLD], a),
	    backend_of(programs[FM_NEW], b)) && same_edits(a, b));
}

/*--------------------------------------------------------------------
 * Which rules did it
 */

/* The next change of this from *i on; NULL: there is none. */
static const struct fm_event *
next_step(const struct fm_record *record, enum fm_effect effect,
    struct fm_text what, size_t *i)
{
	const struct fm_event *event;

	while (*i < record->nevents) {
		event = &record->events[(*i)++];
		if (event->kind == FM_EVENT_STMT && event->effect == effect &&
		    (what.b == NULL || fm_text_eq_nocase(event->what, what)))
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
rule_of(const struct comparison *c, size_t which,
    const struct fm_event * const steps[2])
{
	const struct fm_record *record = &c->differ.records[which];
	const struct fm_record *other = &c->differ.records[1 - which];
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
find_rules(const struct comparison *c, struct fm_text what,
    struct fm_change *change)
{
	const struct fm_event *steps[2];
	size_t i = 0, j = 0;

	do {
		steps[FM_OLD] = next_step(&c->differ.records[FM_OLD],
		    FM_EFFECT_CHANGED, what, &i);
		steps[FM_NEW] = next_step(&c->differ.records[FM_NEW],
		    FM_EFFECT_CHANGED, what, &j);
	} while (steps[FM_OLD] != NULL && steps[FM_NEW] != NULL &&
	    same_text(steps[FM_OLD]->after, steps[FM_NEW]->after));
	for (i = 0; i < 2; i++)
		change->rules[i] = rule_of(c, i, steps);
}

/*--------------------------------------------------------------------
 * What changed
 */

static void
tell(const struct comparison *c, const struct fm_change *change)
{
	c->tell(c->priv, change, &c->differ);
}

/* "redirect 302 http://m.example.com/", kept in the arena. */
static struct fm_text
print_verdict(const struct fm_result *result, struct fm_arena *arena,
    bool *no_memory)
{
	const char *word = fm_verdict_word(result->verdict);
	size_t room = result->text.len + 32;
	char *buf;
	int len;

	if (result->status == 0)
		return (fm_text_of(word == NULL ? "none" : word));
	buf = fm_arena_alloc(arena, room);
	if (buf == NULL) {
		*no_memory = true;
		return (fm_text(NULL, 0));
	}
	len = snprintf(buf, room, "%s %u%s%.*s", word, result->status,
	    result->text.len > 0 ? " " : "", (int)result->text.len,
	    result->text.len > 0 ? result->text.b : "");
	return (fm_text(buf, (size_t)len));
}

static void
tell_verdict(struct comparison *c)
{
	struct fm_change change = { .kind = FM_CHANGE_VERDICT };
	unsigned i;

	for (i = 0; i < 2; i++) {
		change.rules[i] = c->differ.results[i]->rule;
		change.values[i] = print_verdict(c->differ.results[i],
		    &c->differ.records[i].arena, &c->no_memory);
	}
	if (!c->no_memory)
		tell(c, &change);
}

/* Of the same verdict, its status and its text. */
static void
tell_outcome(const struct comparison *c)
{
	const struct fm_result *a = c->differ.results[FM_OLD];
	const struct fm_result *b = c->differ.results[FM_NEW];
	struct fm_change change = { .kind = FM_CHANGE_STATUS,
	    .rules = { a->rule, b->rule } };
	char bufs[2][16];
	unsigned i;

	if (a->status != b->status) {
		for (i = 0; i < 2; i++) {
			(void)snprintf(bufs[i], sizeof bufs[i], "%u",
			    c->differ.results[i]->status);
			change.values[i] = fm_text_of(bufs[i]);
		}
		tell(c, &change);
	}
	if (!same_text(a->text, b->text)) {
		change.kind = a->verdict == FM_VERDICT_REDIRECT ?
		    FM_CHANGE_LOCATION : a->verdict == FM_VERDICT_ANSWER ?
		    FM_CHANGE_TYPE : FM_CHANGE_REASON;
		change.values[FM_OLD] = a->text;
		change.values[FM_NEW] = b->text;
		tell(c, &change);
	}
}

/* Writes the length and the digest of an answer's body. */
static void
tell_body(const struct comparison *c)
{
	const struct fm_result *a = c->differ.results[FM_OLD];
	const struct fm_result *b = c->differ.results[FM_NEW];
	struct fm_change change = { .kind = FM_CHANGE_BODY,
	    .rules = { a->rule, b->rule } };
	char bufs[2][FM_DIGEST_LEN + 32], digest[FM_DIGEST_LEN];
	unsigned i;

	if (fm_text_eq(a->body, b->body))
		return;
	for (i = 0; i < 2; i++) {
		(void)snprintf(bufs[i], sizeof bufs[i], "%zu bytes, %s",
		    c->differ.results[i]->body.len,
		    fm_digest_of(c->differ.results[i]->body, digest));
		change.values[i] = fm_text_of(bufs[i]);
	}
	tell(c, &change);
}

static void
tell_url(const struct comparison *c)
{
	struct fm_change change = { .kind = FM_CHANGE_URL,
	    .values = { c->differ.results[FM_OLD]->url,
	    c->differ.results[FM_NEW]->url } };

	if (fm_text_eq(change.values[FM_OLD], change.values[FM_NEW]))
		return;
	find_rules(c, fm_text_of("url"), &change);
	tell(c, &change);
}

/* Whatever was set before, the last one is it. */
static const struct fm_rule *
last_backend(const struct fm_record *record)
{
	const struct fm_event *step;
	const struct fm_rule *rule = NULL;
	size_t i = 0;

	while ((step = next_step(record, FM_EFFECT_BACKEND,
	    fm_text(NULL, 0), &i)) != NULL)
		rule = step->rule;
	return (rule);
}

static void
tell_backend(const struct comparison *c)
{
	struct fm_change change = { .kind = FM_CHANGE_BACKEND };
	unsigned i;

	for (i = 0; i < 2; i++)
		change.values[i] = backend_of(c->differ.programs[i],
		    c->differ.results[i]);
	if (same_text(change.values[FM_OLD], change.values[FM_NEW]))
		return;
	for (i = 0; i < 2; i++)
		change.rules[i] = last_backend(&c->differ.records[i]);
	tell(c, &change);
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

static void
tell_header(const struct comparison *c, const struct fm_view *view,
    struct fm_text name, unsigned n)
{
	struct fm_change change = { .kind = FM_CHANGE_HEADER, .header = name };
	const struct fm_edit *edits[2];
	unsigned i;

	for (i = 0; i < 2; i++) {
		edits[i] = edit_of(c->differ.results[i], name, n);
		change.values[i] = value_after(edits[i], view, name);
	}
	if (same_edit(edits[FM_OLD], edits[FM_NEW]))
		return;
	find_rules(c, name, &change);
	tell(c, &change);
}

static void
tell_headers(const struct comparison *c, const struct fm_view *view)
{
	const struct fm_result *a = c->differ.results[FM_OLD];
	const struct fm_result *b = c->differ.results[FM_NEW];
	unsigned i;

	for (i = 0; i < a->nedits; i++)
		tell_header(c, view, a->edits[i].name, i);
	for (i = 0; i < b->nedits; i++)
		if (edit_of(a, b->edits[i].name, i) == NULL)
			tell_header(c, view, b->edits[i].name, i);
}

static void
tell_all(struct comparison *c, const struct fm_view *view)
{
	if (c->differ.results[FM_OLD]->verdict !=
	    c->differ.results[FM_NEW]->verdict)
		tell_verdict(c);
	else {
		tell_outcome(c);
		tell_body(c);
	}
	tell_url(c);
	tell_backend(c);
	tell_headers(c, view);
}

int
fm_differ_tell(const struct fm_program * const programs[2],
    const struct fm_view *view, fm_change_f *on_change, void *priv)
{
	struct comparison c = { .tell = on_change, .priv = priv };
	struct fm_differ *differ = &c.differ;
	struct fm_run *runs;
	unsigned i;

	/* Not on the stack, which is small in a worker of varnishd. */
	runs = malloc(2 * sizeof *runs);
	if (runs == NULL)
		return (-1);
	for (i = 0; i < 2; i++) {
		fm_record_init_steps(&differ->records[i]);
		differ->programs[i] = programs[i];
		differ->results[i] = fm_run(&runs[i], programs[i], view,
		    &differ->records[i].trace);
		c.no_memory |= differ->results[i]->no_memory ||
		    differ->records[i].no_memory;
	}
	if (!c.no_memory)
		tell_all(&c, view);
	for (i = 0; i < 2; i++) {
		fm_run_end(&runs[i]);
		fm_record_fini(&differ->records[i]);
	}
	free(runs);
	return (c.no_memory ? -1 : 0);
}
