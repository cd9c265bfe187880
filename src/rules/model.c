/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes and frees models (model.h), and gives the numbers of their blocks.
 */

#include "hosttab.h"
#include "model.h"
#include "obj.h"

struct fm_model *
fm_model_new(void)
{
	struct fm_model *model;

	FM_OBJ_NEW(model, FM_MODEL_MAGIC);
	return (model);
}

void
fm_model_free(struct fm_model **modelp)
{
	struct fm_model *model;

	FM_OBJ_TAKE(model, modelp, FM_MODEL_MAGIC);
	if (model->hosttab != NULL)
		fm_hosttab_free(&model->hosttab);
	free(model->hosts);
	fm_arena_fini(&model->arena);
	FM_OBJ_FREE(model);
}

uint32_t
fm_model_site_block(const struct fm_model *model, const struct fm_site *site)
{
	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(site != NULL);
	if (site->block != NULL)
		return (model->nrulesets + site->number);
	assert(site->ruleset != NULL);
	return (site->ruleset->number);
}

uint32_t
fm_model_host_block(const struct fm_model *model, const struct fm_host *host)
{
	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(host != NULL);
	if (host->site != NULL)
		return (fm_model_site_block(model, host->site));
	assert(host->ruleset_def != NULL);
	return (host->ruleset_def->number);
}
