/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds where two runs diverge: the first rule of each file after which the URL
 * (or a header) is no longer the same.
 */

#include "diff.h"

/* Returns the next change of this from *i on, or NULL. */
static const struct fm_event *
next_step(const struct fm_record *record, struct fm_text what, size_t *i)
{
	const struct fm_event *event;

	while (*i < record->nevents) {
		event = &record->events[(*i)++];
		if (event->effect == FM_EFFECT_CHANGED &&
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
		if (strcmp(record->events[i].rule->text, text) == 0)
			return (true);
	return (false);
}

/* Returns true if the first two words are the same, like "query drop". */
static bool
same_head(const char *a, const char *b)
{
	size_t len = strcspn(a, " ");

	len += strspn(a + len, " ");
	len += strcspn(a + len, " ");
	return (strncmp(a, b, len) == 0 && (b[len] == ' ' || b[len] == '\0'));
}

/*
 * Returns the rule of this file that is to blame: the rule of the step; or a
 * rule that ran and changed nothing, if it starts with the words of the other
 * step's rule, is in this file alone, and the step's own rule is in both.
 */
static const struct fm_rule *
rule_of(const struct fm_record *record, const struct fm_record *other,
    const struct fm_event *step, const struct fm_event *beside)
{
	const struct fm_rule *own = step == NULL ? NULL : step->rule;
	const struct fm_event *event;
	size_t i;

	if (beside == NULL || ran(record, beside->rule->text) ||
	    (own != NULL && !ran(other, own->text)))
		return (own);
	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->effect == FM_EFFECT_NONE &&
		    same_head(event->rule->text, beside->rule->text) &&
		    !ran(other, event->rule->text))
			return (event->rule);
	}
	return (own);
}

void
fm_diff_diverge(const struct fm_record records[2], struct fm_change *change)
{
	const struct fm_record *was = &records[FM_OLD], *is = &records[FM_NEW];
	const struct fm_text what = change->kind == FM_CHANGE_URL ?
	    fm_text_of("url") : change->header;
	const struct fm_event *a, *b;
	size_t i = 0, j = 0;

	do {
		a = next_step(was, what, &i);
		b = next_step(is, what, &j);
	} while (a != NULL && b != NULL &&
	    fm_text_same(a->after, b->after));
	change->rules[FM_OLD] = rule_of(was, is, a, b);
	change->rules[FM_NEW] = rule_of(is, was, b, a);
}
