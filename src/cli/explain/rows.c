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
	[FM_NOT_ASKED] = { FM_INK_DIM, "not asked" },
	[FM_FRAGMENT] = { FM_INK_YELLOW, "raw '#'" }
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
	enum fm_phase		phase;
	int			gutter;		/* columns of line numbers */
	size_t			text;		/* columns of statements */
	unsigned		line;		/* of the row before */
	uint32_t		otherwise;	/* the `when` whose `else` that
						 * row stands in, or 0 */
	const struct fm_rule	*rule;		/* of the last statement */
};

static void
columns_fit(struct columns *columns, const struct fm_record *record)
{
	const struct fm_event *event;
	unsigned line = 0;
	size_t i, indent, width;

	columns->text = 0;
	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->rule == NULL)
			continue;
		if (event->rule->at.line > line)
			line = event->rule->at.line;
		indent = 2 * event->depth +
		    (event->rule->side == FM_RULE_CHAINED ? ELSE : 0);
		width = indent + strlen(event->rule->text);
		if (width > columns->text && width <= TEXT_MOST)
			columns->text = width;
	}
	columns->gutter = snprintf(NULL, 0, "%u", line);
	if (columns->gutter < 4)
		columns->gutter = 4;
}

/*
 * Writes " 17 ", the text, and blanks up to the column of notes.  Only the
 * first of several rows of one line has the number.
 */
static void
put_row(struct columns *columns, const struct fm_event *event, enum fm_ink ink,
    size_t indent)
{
	const char *before = event->rule->side == FM_RULE_CHAINED ?
	    "else " : "";
	unsigned line = event->rule->at.line;
	char *clean = fm_term_clean(fm_text_of(event->rule->text), 0);
	size_t width = indent + strlen(before) + fm_term_width(clean);

	if (line != columns->line)
		fm_term_put(columns->t, FM_INK_DIM, "%*u", columns->gutter,
		    line);
	else
		fprintf(columns->t->to, "%*s", columns->gutter, "");
	columns->line = line;
	fprintf(columns->t->to, "  %*s", (int)indent, "");
	fm_term_put(columns->t, ink, "%s%s", before, clean);
	free(clean);
	if (width > columns->text) {
		fprintf(columns->t->to, "\n%*s", columns->gutter + 2, "");
		width = 0;
	}
	fprintf(columns->t->to, "%*s", (int)(columns->text - width) + 2, "");
}

static void
put_outcome(const struct columns *columns, enum fm_outcome outcome)
{
	fm_term_put(columns->t, outcomes[outcome].ink, "%s",
	    outcomes[outcome].text);
}

static void
put_test(struct columns *columns, const struct fm_event *test, size_t indent)
{
	put_row(columns, test, FM_INK_DIM, indent);
	put_outcome(columns, test->outcome);
	if (test->outcome != FM_NOT_ASKED) {
		if (test->what.b == NULL) {
			fm_term_put(columns->t, FM_INK_DIM, "  (not there)");
		} else {
			fputs("  \"", columns->t->to);
			fm_term_clip(columns->t, FM_INK_PLAIN, test->what,
			    FM_NOTE_MOST);
			fputc('"', columns->t->to);
		}
	}
	fputc('\n', columns->t->to);
}

/* Returns "else" if a row is the first one under an `else`; or NULL. */
static const char *
else_before(struct columns *columns, const struct fm_event *event)
{
	uint32_t before = columns->otherwise;

	columns->otherwise = event->rule->side == FM_RULE_ELSE ?
	    event->rule->guard : 0;
	return (columns->otherwise != 0 && columns->otherwise != before ?
	    "else" : NULL);
}

static void
put_when(struct columns *columns, const struct fm_event *tests, size_t ntests,
    const struct fm_event *when)
{
	size_t i, indent = 2 * when->depth;

	put_row(columns, when, FM_INK_PLAIN, indent);
	put_outcome(columns, when->outcome);
	fputc('\n', columns->t->to);
	for (i = 0; i < ntests; i++)
		put_test(columns, &tests[i], indent + 4);
}

static void
put_change(const struct columns *columns, const struct fm_event *event)
{
	fm_term_clip(columns->t, FM_INK_PLAIN, event->what, FM_NOTE_MOST);
	if (event->after.b == NULL) {
		fm_term_put(columns->t, FM_INK_RED, " removed");
		return;
	}
	fm_term_put(columns->t, FM_INK_PLAIN, ": ");
	if (event->before.b != NULL) {
		fm_term_clip(columns->t, FM_INK_RED, event->before,
		    FM_NOTE_MOST);
		fm_term_put(columns->t, FM_INK_PLAIN, " -> ");
	}
	fm_term_clip(columns->t, FM_INK_GREEN, event->after, FM_NOTE_MOST);
}

static void
put_keyed(const struct columns *columns, const struct fm_event *event)
{
	char *line = fm_key_line(event);

	if (line == NULL)
		fm_cli_no_memory();
	fm_term_put(columns->t, FM_INK_PLAIN, "hashes ");
	fm_term_clip(columns->t, event->after.b == NULL ? FM_INK_DIM :
	    FM_INK_GREEN, fm_text_of(line), FM_NOTE_MOST);
	free(line);
}

static void
put_effect(const struct columns *columns, const struct fm_event *event)
{
	switch (event->effect) {
	case FM_EFFECT_CHANGED:
		put_change(columns, event);
		break;
	case FM_EFFECT_BACKEND:
		fm_term_put(columns->t, FM_INK_GREEN, "backend ");
		fm_term_clip(columns->t, FM_INK_GREEN, event->what,
		    FM_NOTE_MOST);
		break;
	case FM_EFFECT_CALL:
		fm_term_put(columns->t, FM_INK_PLAIN, "calls ");
		fm_term_clip(columns->t, FM_INK_GREEN, event->what,
		    FM_NOTE_MOST);
		break;
	case FM_EFFECT_BAN:
		fm_term_put(columns->t, FM_INK_PLAIN, event->after.b == NULL ?
		    "bans nothing, as a value is empty" : "bans ");
		fm_term_clip(columns->t, FM_INK_GREEN, event->after,
		    FM_NOTE_MOST);
		break;
	case FM_EFFECT_KEY:
		put_keyed(columns, event);
		break;
	case FM_EFFECT_LEFT:
		fm_term_put(columns->t, FM_INK_DIM, "left out: ");
		fm_term_clip(columns->t, FM_INK_DIM, event->after, 0);
		break;
	case FM_EFFECT_LOG:
		fm_term_put(columns->t, FM_INK_PLAIN, "logs ");
		fm_term_clip(columns->t, FM_INK_GREEN, event->after,
		    FM_NOTE_MOST);
		break;
	case FM_EFFECT_VERDICT:
		if (event->what.b == NULL)
			fm_term_put(columns->t, FM_INK_YELLOW, "decides");
		else
			fm_term_clip(columns->t, FM_INK_YELLOW, event->what, 0);
		if (event->after.b != NULL) {
			fputs(": ", columns->t->to);
			fm_term_clip(columns->t, FM_INK_YELLOW, event->after,
			    FM_NOTE_MOST);
		}
		break;
	case FM_EFFECT_IGNORED:
		if (columns->phase == FM_PHASE_DELIVERY) {
			fm_term_put(columns->t, FM_INK_DIM, "ignored, as the "
			    "rules gave this answer");
			break;
		}
		/* FALLTHROUGH */
	default:
		fm_term_put(columns->t, effects[event->effect].ink, "%s",
		    effects[event->effect].text);
		break;
	}
}

/* Returns the place of the first block of a phase in a block of an item. */
static const struct fm_place *
phase_place(const struct fm_block *block, enum fm_phase phase)
{
	const struct fm_stmt *stmt;

	for (stmt = block->first; stmt != NULL; stmt = stmt->next)
		if (phase != FM_PHASE_REQUEST &&
		    stmt->kind == fm_phase_stmt(phase))
			return (&stmt->phase.block->at);
	return (&block->at);
}

static void
put_block(struct columns *columns, const struct fm_event *event)
{
	bool request = columns->phase == FM_PHASE_REQUEST;

	columns->otherwise = 0;
	columns->line = 0;
	if (!request && !fm_block_has(event->block, columns->phase))
		return;
	fputc('\n', columns->t->to);
	fm_term_clip(columns->t, FM_INK_BOLD, event->what, 0);
	if (event->block != NULL) {
		fputs(", ", columns->t->to);
		fm_term_place(columns->t,
		    phase_place(event->block, columns->phase));
		if (request && event->block->first == NULL)
			fm_term_put(columns->t, FM_INK_DIM, "\n%*s  empty",
			    columns->gutter, "");
	}
	fputc('\n', columns->t->to);
}

/*
 * Writes a statement and its effect.  A statement about several headers has an
 * event for each; only the first shows the text.
 */
static void
put_statement(struct columns *columns, const struct fm_event *event)
{
	if (event->rule != columns->rule)
		put_row(columns, event, FM_INK_PLAIN, 2 * event->depth);
	else if (event->effect == FM_EFFECT_NONE)
		return;
	else
		fprintf(columns->t->to, "%*s",
		    (int)(columns->gutter + columns->text) + 4, "");
	columns->rule = event->rule;
	put_effect(columns, event);
	fputc('\n', columns->t->to);
}

/* Returns true if a statement changes nothing here, but another header. */
static bool
changes_later(const struct fm_record *record, size_t i)
{
	const struct fm_event *event = &record->events[i], *next;

	if (event->effect != FM_EFFECT_NONE)
		return (false);
	for (next = event; ++i < record->nevents; ) {
		next = &record->events[i];
		if (next->rule != event->rule ||
		    next->effect != FM_EFFECT_NONE)
			break;
	}
	return (next->rule == event->rule && next->effect != FM_EFFECT_NONE);
}

void
fm_explain_rows(const struct fm_explanation *explanation,
    const struct fm_term *term)
{
	const struct fm_event *event, *tests = NULL;
	struct columns columns = { .t = term, .phase = explanation->phase };
	size_t i, ntests = 0;
	const char *word;

	columns_fit(&columns, explanation->record);
	for (i = 0; i < explanation->record->nevents; i++) {
		event = &explanation->record->events[i];
		if (event->kind == FM_EVENT_BLOCK && !event->used)
			put_block(&columns, event);
		if (event->rule == NULL) {
			columns.rule = NULL;
			continue;
		}
		if (event->kind == FM_EVENT_TEST) {
			if (ntests++ == 0)
				tests = event;
			continue;
		}
		word = else_before(&columns, event);
		if (word != NULL)
			fprintf(term->to, "%*s  %*s%s\n", columns.gutter, "",
			    (int)(2 * (event->depth - 1)), "", word);
		if (event->kind == FM_EVENT_WHEN) {
			put_when(&columns, tests, ntests, event);
			ntests = 0;
		} else if (!changes_later(explanation->record, i)) {
			put_statement(&columns, event);
		}
	}
}
