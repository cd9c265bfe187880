/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the events of a run in the model: the pattern of the host, the blocks
 * that ran, and how deep each statement stands in its block.
 */

#include "bounds.h"
#include "explanation.h"

const struct fm_host *
fm_record_host(const struct fm_record *record, const struct fm_model *model)
{
	return (record->pattern == UINT32_MAX ? NULL :
	    &model->hosts[record->pattern]);
}

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
 * Returns the block that runs after another one (NULL: it is the first).  Its
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
	const struct fm_block *last = NULL, *host = model == NULL ? NULL :
	    host_block(record, model);
	struct fm_event *event;
	bool use = false;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_BLOCK && use) {
			event->used = true;
			level++;
			use = false;
		} else if (event->kind == FM_EVENT_BLOCK) {
			/* A `stop` has left all rulesets in use. */
			level = 0;
			if (model != NULL)
				last = block_behind(model, host, last);
			event->block = last;
		} else if (event->kind == FM_EVENT_BACK) {
			level--;
		} else if (event->kind != FM_EVENT_TEST) {
			event->depth = depths[level] + event->rule->depth;
			use = event->kind == FM_EVENT_STMT &&
			    event->effect == FM_EFFECT_USE;
			if (use)
				depths[level + 1] = event->depth + 1;
		}
	}
}
