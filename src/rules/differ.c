/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares the results that two programs have for one request or response, and
 * tells what differs, and which rules did it (differ.h).
 */

#include <string.h>

#include "differ.h"
#include "request.h"

static const char * const words[FM_CHANGE__KINDS] = {
	[FM_CHANGE_VERDICT] = "verdict",
	[FM_CHANGE_STATUS] = "status",
	[FM_CHANGE_LOCATION] = "location",
	[FM_CHANGE_REASON] = "reason",
	[FM_CHANGE_TYPE] = "type",
	[FM_CHANGE_BODY] = "body",
	[FM_CHANGE_URL] = "url",
	[FM_CHANGE_BACKEND] = "backend",
	[FM_CHANGE_CALLS] = "calls",
	[FM_CHANGE_BANS] = "bans",
	[FM_CHANGE_HEADER] = "header",
	[FM_CHANGE_KEY] = "key",
	[FM_CHANGE_FETCH] = "fetch header",
	[FM_CHANGE_UNCACHEABLE] = "uncacheable",
	[FM_CHANGE_TTL] = "ttl",
	[FM_CHANGE_GRACE] = "grace",
	[FM_CHANGE_KEEP] = "keep",
	[FM_CHANGE_ESI] = "esi",
	[FM_CHANGE_GZIP] = "gzip",
	[FM_CHANGE_GUNZIP] = "gunzip",
	[FM_CHANGE_STORED] = "stored header",
	[FM_CHANGE_DELIVERED] = "delivered header",
	[FM_CHANGE_STORED_CALLS] = "calls of response",
	[FM_CHANGE_DELIVERED_CALLS] = "calls of delivery"
};

const char *
fm_change_word(enum fm_change_kind kind)
{
	return (words[kind]);
}

/* A comparison of two results, and whom to tell of changes. */
struct comparison {
	const struct fm_differ	*differ;
	fm_change_f		*tell;
	void			*priv;
};

/*--------------------------------------------------------------------
 * Did anything change?
 */

struct fm_text
fm_differ_backend(const struct fm_differ *differ, enum fm_side side)
{
	const struct fm_result *result = differ->results[side];

	return (fm_text_of(!result->backend_set ? NULL :
	    fm_program_backend(differ->programs[side], result->backend,
	    NULL)));
}

static bool
same_backend(const struct fm_differ *differ)
{
	return (fm_text_same(fm_differ_backend(differ, FM_OLD),
	    fm_differ_backend(differ, FM_NEW)));
}

/* Returns how many subs a side calls. */
static unsigned
ncalls(const struct fm_differ *differ, enum fm_side side)
{
	return (differ->programs[side] == NULL ? 0 :
	    differ->results[side]->ncalls);
}

/* Returns the name of the n-th sub that a side calls, or the missing text. */
static struct fm_text
called(const struct fm_differ *differ, enum fm_side side, unsigned n)
{
	return (fm_text_of(n >= ncalls(differ, side) ? NULL : fm_program_call(
	    differ->programs[side], differ->results[side]->calls[n].sub, NULL,
	    NULL)));
}

bool
fm_differ_same_calls(const struct fm_differ *differ,
    const struct fm_rule *rules[2])
{
	unsigned n = 0, side;
	struct fm_text a;

	while ((a = called(differ, FM_OLD, n)).b != NULL &&
	    fm_text_same(a, called(differ, FM_NEW, n)))
		n++;
	for (side = 0; side < 2; side++)
		rules[side] = n >= ncalls(differ, side) ? NULL :
		    differ->results[side]->calls[n].rule;
	return (n == ncalls(differ, FM_OLD) && n == ncalls(differ, FM_NEW));
}

static bool
same_calls(const struct fm_differ *differ)
{
	const struct fm_rule *rules[2];

	return (fm_differ_same_calls(differ, rules));
}

void
fm_differ_calls(const struct fm_differ *differ, enum fm_side side, FILE *to)
{
	struct fm_text name;
	unsigned n;

	for (n = 0; (name = called(differ, side, n)).b != NULL; n++)
		(void)fprintf(to, "%s%.*s", n == 0 ? "" : " ",
		    (int)name.len, name.b);
}

/* Returns the first ban that a side makes, or NULL. */
static const struct fm_banned *
first_ban(const struct fm_differ *differ, enum fm_side side)
{
	return (differ->results[side]->nbans == 0 ? NULL :
	    differ->results[side]->bans);
}

/*
 * Returns true if both sides make the same bans.  Else bans[] gets the first
 * ones that differ, of which one may be NULL.
 */
static bool
same_bans(const struct fm_differ *differ, const struct fm_banned *bans[2])
{
	bans[FM_OLD] = first_ban(differ, FM_OLD);
	bans[FM_NEW] = first_ban(differ, FM_NEW);
	while (bans[FM_OLD] != NULL && bans[FM_NEW] != NULL && fm_text_same(
	    bans[FM_OLD]->text, bans[FM_NEW]->text)) {
		bans[FM_OLD] = bans[FM_OLD]->next;
		bans[FM_NEW] = bans[FM_NEW]->next;
	}
	return (bans[FM_OLD] == NULL && bans[FM_NEW] == NULL);
}

void
fm_differ_bans(const struct fm_differ *differ, enum fm_side side, FILE *to)
{
	const struct fm_banned *ban = first_ban(differ, side);
	const char *before = "";

	for (; ban != NULL; ban = ban->next) {
		if (ban->text.b == NULL)
			continue;
		(void)fprintf(to, "%s%.*s", before, (int)ban->text.len,
		    ban->text.b);
		before = "; ";
	}
}

/* Compares what is noted for later: subs, and bans. */
static bool
same_noted(const struct fm_differ *differ)
{
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];
	const struct fm_banned *bans[2];

	return ((a->noted | b->noted) == 0 ||
	    (same_calls(differ) && same_bans(differ, bans)));
}

static const struct fm_text set_cookie = { "Set-Cookie", 10 };

/* Compares which of several lines of Set-Cookie both results leave. */
static bool
same_cookies(const struct fm_differ *differ)
{
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];
	const struct fm_view *view = a->edits.view;
	struct fm_edit edit;
	uint32_t i;

	for (i = 0; i < fm_request_nmessage(view); i++)
		if (fm_text_eq_nocase(fm_request_field_name(&view->fields[i]),
		    set_cookie) && fm_edit_field(a, i, &edit) !=
		    fm_edit_field(b, i, &edit))
			return (false);
	return (true);
}

static bool
same_edit(const struct fm_differ *differ, const struct fm_edit *a,
    const struct fm_edit *b)
{
	if (a == NULL || b == NULL || a->set != b->set)
		return (false);
	if (a->set)
		return (fm_text_eq(a->value, b->value));
	return (!fm_text_eq_nocase(a->name, set_cookie) ||
	    same_cookies(differ));
}

static bool
same_edits(const struct fm_differ *differ)
{
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];
	struct fm_edit edit, other;
	unsigned at = 0;

	if (a->edits.n != b->edits.n)
		return (false);
	while (fm_edit_next(a, &at, &edit))
		if (!fm_edit_of(b, edit.name, &other) ||
		    !same_edit(differ, &edit, &other))
			return (false);
	return (true);
}

/*
 * Returns true if both throw a response away, so that nothing but the verdict
 * comes of it.
 */
static bool
both_discard(const struct fm_differ *differ)
{
	const struct fm_result *a = differ->results[FM_OLD];

	return (a->response != NULL &&
	    a->verdict == differ->results[FM_NEW]->verdict &&
	    a->verdict != FM_VERDICT_NONE && a->verdict != FM_VERDICT_DELIVER &&
	    a->verdict != FM_VERDICT_PASS);
}

/*
 * Compares a part of what is stored.  Of a response that one side alone stores,
 * the times have no meaning to compare.
 */
static bool
same_part(const struct fm_response *a, const struct fm_response *b,
    enum fm_stored part)
{
	bool alike = a->uncacheable == b->uncacheable;

	switch (part) {
	case FM_STORED_UNCACHEABLE:
		return (alike);
	case FM_STORED_TTL:
		return (!alike || a->ttl == b->ttl);
	case FM_STORED_GRACE:
		return (!alike || a->grace == b->grace);
	case FM_STORED_KEEP:
		return (!alike || a->keep == b->keep);
	case FM_STORED_ESI:
		return (a->esi == b->esi);
	case FM_STORED_GZIP:
		return (a->gzip == b->gzip);
	case FM_STORED_GUNZIP:
		return (a->gunzip == b->gunzip);
	}
	return (true);
}

static bool
same_stored(const struct fm_response *a, const struct fm_response *b)
{
	unsigned part;

	for (part = 0; a != NULL && b != NULL && part < FM_STORED__KINDS;
	    part++)
		if (!same_part(a, b, part))
			return (false);
	return (true);
}

bool
fm_differ_same(const struct fm_differ *differ)
{
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];

	return (a->verdict == b->verdict && a->status == b->status &&
	    fm_text_same(a->text, b->text) && fm_text_eq(a->body, b->body) &&
	    same_noted(differ) && (both_discard(differ) ||
	    (fm_text_eq(a->url, b->url) && same_backend(differ) &&
	    same_edits(differ) && same_stored(a->response, b->response))));
}

/*--------------------------------------------------------------------
 * The changes
 */

static void
tell(const struct comparison *comparison, enum fm_change_kind kind,
    const struct fm_rule *old, const struct fm_rule *new)
{
	const struct fm_change change = { .kind = kind, .rules = { old, new } };

	comparison->tell(comparison->priv, &change, comparison->differ);
}

/* Tells of what the verdicts come to; all of it was done by their rules. */
static void
tell_verdict(const struct comparison *comparison, const struct fm_result *a,
    const struct fm_result *b)
{
	if (a->verdict != b->verdict) {
		tell(comparison, FM_CHANGE_VERDICT, a->rule, b->rule);
		return;
	}
	if (a->status != b->status)
		tell(comparison, FM_CHANGE_STATUS, a->rule, b->rule);
	if (!fm_text_same(a->text, b->text))
		tell(comparison, a->verdict == FM_VERDICT_REDIRECT ?
		    FM_CHANGE_LOCATION : a->verdict == FM_VERDICT_ANSWER ?
		    FM_CHANGE_TYPE : FM_CHANGE_REASON, a->rule, b->rule);
	if (!fm_text_eq(a->body, b->body))
		tell(comparison, FM_CHANGE_BODY, a->rule, b->rule);
}

static void
tell_header(const struct comparison *comparison, const struct fm_edit *a,
    const struct fm_edit *b)
{
	struct fm_change change = { .kind = FM_CHANGE_HEADER,
	    .header = a == NULL ? b->name : a->name,
	    .rules = { a == NULL ? NULL : a->rule,
	    b == NULL ? NULL : b->rule },
	    .edits = { a, b } };

	/* A line that `set-cookie` removes has the case that was sent. */
	if (fm_text_eq_nocase(change.header, set_cookie))
		change.header = set_cookie;
	if (!same_edit(comparison->differ, a, b))
		comparison->tell(comparison->priv, &change, comparison->differ);
}

static void
tell_stored(const struct comparison *comparison, const struct fm_response *a,
    const struct fm_response *b)
{
	unsigned part;

	for (part = 0; a != NULL && b != NULL && part < FM_STORED__KINDS;
	    part++)
		if (!same_part(a, b, part))
			tell(comparison, FM_CHANGE_UNCACHEABLE + part,
			    a->rules[part], b->rules[part]);
}

void
fm_differ_tell(const struct fm_differ *differ, fm_change_f *on_change,
    void *priv)
{
	const struct comparison comparison = { differ, on_change, priv };
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];
	const struct fm_rule *rules[2];
	const struct fm_banned *bans[2];
	struct fm_edit edit, other;
	unsigned at;

	tell_verdict(&comparison, a, b);
	if (!fm_differ_same_calls(differ, rules))
		tell(&comparison, FM_CHANGE_CALLS, rules[FM_OLD],
		    rules[FM_NEW]);
	if (!same_bans(differ, bans))
		tell(&comparison, FM_CHANGE_BANS,
		    bans[FM_OLD] == NULL ? NULL : bans[FM_OLD]->rule,
		    bans[FM_NEW] == NULL ? NULL : bans[FM_NEW]->rule);
	if (both_discard(differ))
		return;
	if (!fm_text_eq(a->url, b->url))
		tell(&comparison, FM_CHANGE_URL, a->url_rule, b->url_rule);
	if (!same_backend(differ))
		tell(&comparison, FM_CHANGE_BACKEND, a->backend_rule,
		    b->backend_rule);
	for (at = 0; fm_edit_next(a, &at, &edit);)
		tell_header(&comparison, &edit,
		    fm_edit_of(b, edit.name, &other) ? &other : NULL);
	for (at = 0; fm_edit_next(b, &at, &edit);)
		if (!fm_edit_of(a, edit.name, &other))
			tell_header(&comparison, NULL, &edit);
	tell_stored(&comparison, a->response, b->response);
}

/*--------------------------------------------------------------------
 * Keys
 */

static struct fm_text
key_text(const struct fm_key *key)
{
	return (key == NULL || key->b == NULL ? fm_text("", 0) :
	    fm_text(key->b, key->len));
}

bool
fm_differ_same_key(const struct fm_key *a, const struct fm_key *b)
{
	return (fm_text_eq(key_text(a), key_text(b)));
}

/* Looks for the statement that adds a byte to the key. */
struct key_seek {
	const struct fm_run	*run;
	size_t			at;		/* of the byte */
	const struct fm_rule	*rule;		/* NULL: not yet */
};

static void
on_key(void *priv, const struct fm_event *event)
{
	struct key_seek *seek = priv;

	if (seek->rule == NULL && event->kind == FM_EVENT_STMT &&
	    event->effect == FM_EFFECT_KEY && seek->run->key.len > seek->at)
		seek->rule = event->rule;
}

const struct fm_rule *
fm_differ_key(const struct fm_program *program, const struct fm_view *view,
    const struct fm_key *key, const struct fm_key *other)
{
	struct fm_text a = key_text(key), b = key_text(other);
	struct fm_view own = *view;
	struct fm_run run;
	struct key_seek seek = { .run = &run };
	const struct fm_trace trace = { .priv = &seek, .tell = on_key };

	while (seek.at < a.len && seek.at < b.len &&
	    a.b[seek.at] == b.b[seek.at])
		seek.at++;
	own.counters = NULL;
	(void)fm_run(&run, program, &own, &trace);
	fm_run_end(&run);
	return (seek.rule);
}
