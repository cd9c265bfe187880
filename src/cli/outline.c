/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds what happened in a run again in the model: the host's entry, the block
 * that ran, and how deep a statement stands in it.
 */

#include <assert.h>
#include <stdlib.h>

#include "bounds.h"
#include "cli.h"
#include "outline.h"

/*--------------------------------------------------------------------
 * The host
 */

static struct fm_text
without_dot(struct fm_text name)
{
	if (name.len > 1 && name.b[name.len - 1] == '.')
		name.len--;
	return (name);
}

/*
 * Whether a pattern as written is the one that hit: which of its kind it must
 * be is known, and of a kind and a host there is one at most.
 */
static bool
pattern_is(struct fm_text pattern, const struct fm_record *record)
{
	struct fm_text canon = record->canon;
	size_t wild = record->wild.len;

	switch (record->how) {
	case FM_HOSTTAB_EXACT:
		if (pattern.len > 1 && pattern.b[0] == '.')
			pattern = fm_text(pattern.b + 1, pattern.len - 1);
		break;
	case FM_HOSTTAB_SUFFIX:
		if (pattern.len > 1 && pattern.b[0] == '*')
			pattern = fm_text(pattern.b + 1, pattern.len - 1);
		if (pattern.b[0] != '.')
			return (false);
		canon = fm_text(canon.b + wild, canon.len - wild);
		break;
	case FM_HOSTTAB_PREFIX:
		if (pattern.len < 3 || pattern.b[pattern.len - 1] != '*')
			return (false);
		pattern.len--;
		canon.len -= wild;
		return (fm_text_eq_nocase(pattern, canon));
	case FM_HOSTTAB_ANY:
		return (fm_text_eq(pattern, fm_text_of("*")));
	case FM_HOSTTAB_NONE:
		return (false);
	}
	return (fm_text_eq_nocase(without_dot(pattern), canon));
}

const struct fm_host *
fm_record_host(const struct fm_record *record, const struct fm_model *model)
{
	size_t i;

	if (record->how == FM_HOSTTAB_NONE)
		return (NULL);
	for (i = 0; i < model->nhosts; i++)
		if (model->hosts[i].pattern.len > 0 &&
		    pattern_is(model->hosts[i].pattern, record))
			return (&model->hosts[i]);
	return (NULL);
}

/*--------------------------------------------------------------------
 * Blocks
 */

static const struct fm_block *
site_block(const struct fm_site *site)
{
	return (site->ruleset != NULL ? site->ruleset->block : site->block);
}

/* The block of the host; NULL: none. */
static const struct fm_block *
entry_block(const struct fm_record *record, const struct fm_model *model)
{
	const struct fm_host *host = fm_record_host(record, model);

	if (host == NULL)
		return (model->otherwise == NULL ? NULL :
		    site_block(model->otherwise));
	return (host->ruleset_def != NULL ? host->ruleset_def->block :
	    site_block(host->site));
}

/* A statement, where it stands; all of a block, in the order of the text. */
struct line {
	const struct fm_stmt	*stmt;
	unsigned		depth;
	const struct fm_stmt	*otherwise;
	bool			chained;
};

struct lines {
	struct line		*v;
	size_t			n, room;
};

/* An `else when`: the model has it as an `else` with nothing but a `when`. */
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

static bool
same_place(const struct fm_place *a, const struct fm_place *b)
{
	return (a->line == b->line && a->column == b->column &&
	    (a->name == b->name || strcmp(a->name, b->name) == 0));
}

/*
 * The block that runs behind another one (NULL: the first): `always`, that of
 * the host and `finally`, each if there is one.
 */
static const struct fm_block *
block_behind(const struct fm_model *model, const struct fm_block *host,
    const struct fm_block *before)
{
	if (before == NULL && model->always != NULL)
		return (model->always);
	return (host != NULL && before != host ? host : model->finally);
}

/* The block whose statements are told of, and how far. */
struct place {
	const struct fm_block	*block;
	struct lines		lines;
	size_t			at;
};

static void
place_begin(struct place *place, const struct fm_block *block, unsigned depth)
{
	free(place->lines.v);
	*place = (struct place){ .block = block };
	lines_add(&place->lines, block,
	    &(struct line){ NULL, depth, NULL, false });
}

/* Finds the statement of an event, which is not before the last one. */
static const struct line *
place_find(struct place *place, const struct fm_event *event)
{
	while (place->at < place->lines.n && !same_place(
	    &place->lines.v[place->at].stmt->at, &event->rule->at))
		place->at++;
	return (place->at == place->lines.n ? NULL :
	    &place->lines.v[place->at]);
}

void
fm_record_outline(struct fm_record *record, const struct fm_model *model)
{
	const struct fm_block *host = entry_block(record, model);
	struct place places[1 + FM_LIMIT_USES] = { { .at = 0 } };
	const struct fm_ruleset_def *used = NULL;
	unsigned level = 0, depth = 0;
	const struct line *line;
	struct fm_event *event;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_BLOCK && used != NULL) {
			event->used = true;
			event->block = used->block;
			place_begin(&places[++level], used->block, depth + 1);
			used = NULL;
		} else if (event->kind == FM_EVENT_BLOCK) {
			/* A `stop` leaves all that were used. */
			level = 0;
			event->block = block_behind(model, host,
			    places[0].block);
			place_begin(&places[0], event->block, 0);
		} else if (event->kind == FM_EVENT_BACK) {
			level--;
		} else if (event->kind != FM_EVENT_TEST) {
			line = place_find(&places[level], event);
			if (line == NULL)
				continue;
			event->depth = depth = line->depth;
			event->otherwise = line->otherwise;
			event->chained = line->chained;
			if (line->stmt->kind == FM_STMT_USE)
				used = line->stmt->use.ruleset;
		}
	}
	for (i = 0; i <= FM_LIMIT_USES; i++)
		free(places[i].lines.v);
}
