/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares the results that two programs have for one request, and tells what
 * differs, and which rules did it (differ.h).
 */

#include <string.h>

#include "differ.h"

static const char * const words[FM_CHANGE__KINDS] = {
	[FM_CHANGE_VERDICT] = "verdict",
	[FM_CHANGE_STATUS] = "status",
	[FM_CHANGE_LOCATION] = "location",
	[FM_CHANGE_REASON] = "reason",
	[FM_CHANGE_TYPE] = "type",
	[FM_CHANGE_BODY] = "body",
	[FM_CHANGE_URL] = "url",
	[FM_CHANGE_BACKEND] = "backend",
	[FM_CHANGE_HEADER] = "header",
	[FM_CHANGE_KEY] = "key",
	[FM_CHANGE_FETCH] = "fetch header"
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

static bool
same_edit(const struct fm_edit *a, const struct fm_edit *b)
{
	return (a != NULL && b != NULL && a->set == b->set &&
	    (!a->set || fm_text_eq(a->value, b->value)));
}

static bool
same_edits(const struct fm_result *a, const struct fm_result *b)
{
	struct fm_edit edit, other;
	unsigned at = 0;

	if (a->edits.n != b->edits.n)
		return (false);
	while (fm_edit_next(a, &at, &edit))
		if (!fm_edit_of(b, edit.name, &other) ||
		    !same_edit(&edit, &other))
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
	    fm_text_eq(a->url, b->url) && same_backend(differ) &&
	    same_edits(a, b));
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
	const struct fm_change change = { .kind = FM_CHANGE_HEADER,
	    .header = a == NULL ? b->name : a->name,
	    .rules = { a == NULL ? NULL : a->rule,
	    b == NULL ? NULL : b->rule },
	    .edits = { a, b } };

	if (!same_edit(a, b))
		comparison->tell(comparison->priv, &change, comparison->differ);
}

void
fm_differ_tell(const struct fm_differ *differ, fm_change_f *on_change,
    void *priv)
{
	const struct comparison comparison = { differ, on_change, priv };
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];
	struct fm_edit edit, other;
	unsigned at;

	tell_verdict(&comparison, a, b);
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
}
