/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the statements that ran, for people, in three columns: line numbers,
 * statements, and their effects.
 */

#include <stdlib.h>

#include "explain.h"

#define TEXT_MOST	52	/* columns of a statement; then notes begin */
#define ELSE		5	/* columns of "else " */

/* How an outcome is shown, or an effect of which there is no more to say. */
struct shown {
	enum fm_ink		ink;
	const char		*text;
};

static const struct shown outcomes[] = {
	[FM_FALSE] = { FM_INK_RED, "no" },
	[FM_TRUE] = { FM_INK_GREEN, "yes" },
	[FM_UNDECIDED] = { FM_INK_YELLOW, "undecided" },
	[FM_NOT_ASKED] = { FM_INK_DIM, "not asked" }
};

static const struct shown effects[] = {
	[FM_EFFECT_NONE] = { FM_INK_DIM, "nothing to change" },
	[FM_EFFECT_IGNORED] = { FM_INK_DIM, "ignored in an ESI sub-request" },
	[FM_EFFECT_UNDECIDED] = { FM_INK_YELLOW, "undecided" },
	[FM_EFFECT_STOP] = { FM_INK_YELLOW, "leaves the block" },
	[FM_EFFECT_USE] = { FM_INK_DIM, "runs it" }
};

struct columns {
	const struct fm_term	*t;
	int			gutter;		/* columns of line numbers */
	size_t			text;		/* columns of statements */
	unsigned		line;		/* of the row before */
	uint32_t		otherwise;	/* the `when` whose `else` that
						 * row stands in, or 0 */
	const struct fm_rule	*rule;		/* of the last statement */
};

static void
columns_fit(struct columns *c, const struct fm_record *record)
{
	const struct fm_event *event;
	unsigned line = 0;
	size_t i, indent, width;

	c->text = 0;
	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->rule == NULL)
			continue;
		if (event->rule->at.line > line)
			line = event->rule->at.line;
		indent = 2 * event->depth +
		    (event->rule->side == FM_RULE_CHAINED ? ELSE : 0);
		width = indent + strlen(event->rule->text);
		if (width > c->text && width <= TEXT_MOST)
			c->text = width;
	}
	c->gutter = snprintf(NULL, 0, "%u", line);
	if (c->gutter < 4)
		c->gutter = 4;
}

/*
 * Writes " 17 ", the text, and blanks up to the column of notes.  Only the
 * first of several rows of one line has the number.
 */
static void
put_row(struct columns *c, const struct fm_event *event, enum fm_ink ink,
    size_t indent)
{
	const char *before = event->rule->side == FM_RULE_CHAINED ?
	    "else " : "";
	unsigned line = event->rule->at.line;
	char *clean = fm_term_clean(fm_text_of(event->rule->text), 0);
	size_t width = indent + strlen(before) + fm_term_width(clean);

	if (line != c->line)
		fm_term_put(c->t, FM_INK_DIM, "%*u", c->gutter, line);
	else
		fprintf(c->t->to, "%*s", c->gutter, "");
	c->line = line;
	fprintf(c->t->to, "  %*s", (int)indent, "");
	fm_term_put(c->t, ink, "%s%s", before, clean);
	free(clean);
	if (width > c->text) {
		fprintf(c->t->to, "\n%*s", c->gutter + 2, "");
		width = 0;
	}
	fprintf(c->t->to, "%*s", (int)(c->text - width) + 2, "");
}

static void
put_outcome(const struct columns *c, enum fm_outcome outcome)
{
	fm_term_put(c->t, outcomes[outcome].ink, "%s", outcomes[outcome].text);
}

static void
put_test(struct columns *c, const struct fm_event *test, size_t indent)
{
	put_row(c, test, FM_INK_DIM, indent);
	put_outcome(c, test->outcome);
	if (test->outcome != FM_NOT_ASKED) {
		if (test->what.b == NULL) {
			fm_term_put(c->t, FM_INK_DIM, "  (not there)");
		} else {
			fputs("  \"", c->t->to);
			fm_term_clip(c->t, FM_INK_PLAIN, test->what,
			    FM_NOTE_MOST);
			fputc('"', c->t->to);
		}
	}
	fputc('\n', c->t->to);
}

/* Returns "else" if a row is the first one under an `else`; or NULL. */
static const char *
else_before(struct columns *c, const struct fm_event *event)
{
	uint32_t before = c->otherwise;

	c->otherwise = event->rule->side == FM_RULE_ELSE ?
	    event->rule->guard : 0;
	return (c->otherwise != 0 && c->otherwise != before ? "else" : NULL);
}

static void
put_when(struct columns *c, const struct fm_event *tests, size_t ntests,
    const struct fm_event *when)
{
	size_t i, indent = 2 * when->depth;

	put_row(c, when, FM_INK_PLAIN, indent);
	put_outcome(c, when->outcome);
	fputc('\n', c->t->to);
	for (i = 0; i < ntests; i++)
		put_test(c, &tests[i], indent + 4);
}

static void
put_change(const struct columns *c, const struct fm_event *event)
{
	fm_term_clip(c->t, FM_INK_PLAIN, event->what, FM_NOTE_MOST);
	if (event->after.b == NULL) {
		fm_term_put(c->t, FM_INK_RED, " removed");
		return;
	}
	fm_term_put(c->t, FM_INK_PLAIN, ": ");
	if (event->before.b != NULL) {
		fm_term_clip(c->t, FM_INK_RED, event->before, FM_NOTE_MOST);
		fm_term_put(c->t, FM_INK_PLAIN, " -> ");
	}
	fm_term_clip(c->t, FM_INK_GREEN, event->after, FM_NOTE_MOST);
}

static void
put_effect(const struct columns *c, const struct fm_event *event)
{
	switch (event->effect) {
	case FM_EFFECT_CHANGED:
		put_change(c, event);
		break;
	case FM_EFFECT_BACKEND:
		fm_term_put(c->t, FM_INK_GREEN, "backend ");
		fm_term_clip(c->t, FM_INK_GREEN, event->what, FM_NOTE_MOST);
		break;
	case FM_EFFECT_VERDICT:
		if (event->what.b == NULL)
			fm_term_put(c->t, FM_INK_YELLOW, "decides");
		else
			fm_term_clip(c->t, FM_INK_YELLOW, event->what, 0);
		if (event->after.b != NULL) {
			fputs(": ", c->t->to);
			fm_term_clip(c->t, FM_INK_YELLOW, event->after,
			    FM_NOTE_MOST);
		}
		break;
	default:
		fm_term_put(c->t, effects[event->effect].ink, "%s",
		    effects[event->effect].text);
		break;
	}
}

static void
put_block(struct columns *c, const struct fm_event *event)
{
	fputc('\n', c->t->to);
	fm_term_clip(c->t, FM_INK_BOLD, event->what, 0);
	if (event->block != NULL) {
		fputs(", ", c->t->to);
		fm_term_place(c->t, &event->block->at);
		if (event->block->first == NULL)
			fm_term_put(c->t, FM_INK_DIM, "\n%*s  empty",
			    c->gutter, "");
	}
	fputc('\n', c->t->to);
	c->otherwise = 0;
	c->line = 0;
}

/*
 * Writes a statement and its effect.  A statement about several headers has an
 * event for each; only the first shows the text.
 */
static void
put_statement(struct columns *c, const struct fm_event *event)
{
	if (event->rule != c->rule)
		put_row(c, event, FM_INK_PLAIN, 2 * event->depth);
	else if (event->effect == FM_EFFECT_NONE)
		return;
	else
		fprintf(c->t->to, "%*s", (int)(c->gutter + c->text) + 4, "");
	c->rule = event->rule;
	put_effect(c, event);
	fputc('\n', c->t->to);
}

void
fm_explain_rows(const struct fm_explanation *e, const struct fm_term *t)
{
	const struct fm_event *event, *tests = NULL;
	struct columns c = { .t = t };
	size_t i, ntests = 0;
	const char *word;

	columns_fit(&c, e->record);
	for (i = 0; i < e->record->nevents; i++) {
		event = &e->record->events[i];
		if (event->kind == FM_EVENT_BLOCK && !event->used)
			put_block(&c, event);
		if (event->rule == NULL) {
			c.rule = NULL;
			continue;
		}
		if (event->kind == FM_EVENT_TEST) {
			if (ntests++ == 0)
				tests = event;
			continue;
		}
		word = else_before(&c, event);
		if (word != NULL)
			fprintf(t->to, "%*s  %*s%s\n", c.gutter, "",
			    (int)(2 * (event->depth - 1)), "", word);
		if (event->kind == FM_EVENT_WHEN) {
			put_when(&c, tests, ntests, event);
			ntests = 0;
		} else {
			put_statement(&c, event);
		}
	}
}
