/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the events of a run in the model: the pattern of the host, the blocks
 * that ran, and how deep each statement stands in its block.
 */

#include <stdlib.h>

#include "bounds.h"
#include "cli.h"
#include "outline.h"

const struct fm_host *
fm_record_host(const struct fm_record *record, const struct fm_model *model)
{
	return (record->pattern == UINT32_MAX ? NULL :
	    &model->hosts[record->pattern]);
}

/*--------------------------------------------------------------------
 * Statements
 */

/* A statement and where it stands in its block. */
struct line {
	const struct fm_stmt	*stmt;
	unsigned		depth;		/* see struct fm_event */
	const struct fm_stmt	*otherwise;
	bool			chained;
};

/* All statements of a model, sorted by place. */
struct lines {
	struct line		*v;
	size_t			n, room;
};

static int
by_place(const void *va, const void *vb)
{
	const struct fm_place *a = &((const struct line *)va)->stmt->at;
	const struct fm_place *b = &((const struct line *)vb)->stmt->at;

	if (a->line != b->line)
		return (a->line < b->line ? -1 : 1);
	if (a->column != b->column)
		return (a->column < b->column ? -1 : 1);
	return (strcmp(a->name, b->name));
}

/*
 * Returns true for an `else when`: its `else` has only a `when` in the model.
 */
static bool
is_chained(const struct fm_block *otherwise)
{
	return (otherwise != NULL && otherwise->first != NULL &&
	    otherwise->first->kind == FM_STMT_WHEN &&
	    otherwise->first->next == NULL);
}

static void
lines_add(struct lines *lines, const struct fm_block *block,
    const struct line *as)
{
	const struct fm_stmt *s;
	struct line *line;
	bool chained;

	if (block == NULL)
		return;
	for (s = block->first; s != NULL; s = s->next) {
		line = fm_cli_grow(&lines->v, lines->n, &lines->room,
		    sizeof *line);
		*line = *as;
		line->stmt = s;
		lines->n++;
		if (s->kind != FM_STMT_WHEN)
			continue;
		lines_add(lines, s->when.then,
		    &(struct line){ NULL, as->depth + 1, NULL, false });
		chained = is_chained(s->when.otherwise);
		lines_add(lines, s->when.otherwise, &(struct line){ NULL,
		    as->depth + !chained, chained ? NULL : s, chained });
	}
}

static void
lines_init(struct lines *lines, const struct fm_model *model)
{
	const struct line top = { .depth = 0 };
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	*lines = (struct lines){ .n = 0 };
	lines_add(lines, model->always, &top);
	lines_add(lines, model->finally, &top);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		lines_add(lines, ruleset->block, &top);
	for (site = model->sites; site != NULL; site = site->next)
		lines_add(lines, site->block, &top);
	if (lines->n > 0)
		qsort(lines->v, lines->n, sizeof *lines->v, by_place);
}

/* Returns the line of a rule, or NULL. */
static const struct line *
line_of(const struct lines *lines, const struct fm_rule *rule)
{
	const struct fm_stmt stmt = { .at = rule->at };
	const struct line key = { .stmt = &stmt };

	return (lines->n == 0 ? NULL : bsearch(&key, lines->v, lines->n,
	    sizeof key, by_place));
}

/*--------------------------------------------------------------------
 * Blocks
 */

/* Returns the block that ran for the host of the request, or NULL. */
static const struct fm_block *
host_block(const struct fm_record *record, const struct fm_model *model)
{
	const struct fm_host *host = fm_record_host(record, model);
	const struct fm_site *site = host == NULL ? model->otherwise :
	    host->site;

	if (host != NULL && host->ruleset_def != NULL)
		return (host->ruleset_def->block);
	if (site == NULL)
		return (NULL);
	return (site->ruleset != NULL ? site->ruleset->block : site->block);
}

/*
 * Returns the block that runs behind another one (NULL: it is the first).  Its
 * name does not tell, as a host may be called `always`.
 */
static const struct fm_block *
block_behind(const struct fm_model *model, const struct fm_block *host,
    const struct fm_block *before)
{
	if (before == NULL && model->always != NULL)
		return (model->always);
	return (host != NULL && before != host ? host : model->finally);
}

void
fm_record_outline(struct fm_record *record, const struct fm_model *model)
{
	unsigned depths[2 + FM_LIMIT_USES] = { 0 }, level = 0;
	const struct fm_block *host = host_block(record, model), *last = NULL;
	const struct fm_ruleset_def *used = NULL;
	const struct line *line;
	struct fm_event *event;
	struct lines lines;
	size_t i;

	lines_init(&lines, model);
	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_BLOCK && used != NULL) {
			event->used = true;
			event->block = used->block;
			level++;
			used = NULL;
		} else if (event->kind == FM_EVENT_BLOCK) {
			/* A `stop` has left all rulesets in use. */
			level = 0;
			last = block_behind(model, host, last);
			event->block = last;
		} else if (event->kind == FM_EVENT_BACK) {
			level--;
		} else if (event->kind != FM_EVENT_TEST) {
			line = line_of(&lines, event->rule);
			if (line == NULL)
				continue;
			event->depth = depths[level] + line->depth;
			event->otherwise = line->otherwise;
			event->chained = line->chained;
			if (line->stmt->kind != FM_STMT_USE)
				continue;
			used = line->stmt->use.ruleset;
			depths[level + 1] = event->depth + 1;
		}
	}
	free(lines.v);
}
