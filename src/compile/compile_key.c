/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles the statements of `key`, and gives those of each host an identity:
 * after a reload it says whether keys are made as before.
 */

#include "compile_priv.h"
#include "xxh.h"

/* Finds or adds a name in lower case. */
static uint32_t
lower_text(struct fm_compile *compile, struct fm_text name)
{
	char *b = fm_compile_alloc(compile, &compile->lowered, name.len);

	(void)fm_text_lower(b, name);
	return (fm_compile_text(compile, fm_text(b, name.len)));
}

/* Returns params[] that keep one cookie. */
static uint32_t
keep_cookie(struct fm_compile *compile, const struct fm_word *name)
{
	struct fm_word word = *name;
	struct fm_stmt keep = { .kind = FM_STMT_COOKIE, .at = name->at };

	word.next = NULL;
	keep.params.what = FM_PARAMS_WHAT_KEEP;
	keep.params.names = (struct fm_words){ &word, &word, 1 };
	return (fm_compile_params(compile, &keep));
}

void
fm_compile_keyed(struct fm_compile *compile, const struct fm_stmt *stmt,
    uint32_t rule)
{
	const struct fm_word *name = stmt->keyed.names.first;
	struct fm_op op = { .code = FM_OP_KEYED, .rule = rule };

	if (stmt->keyed.what == FM_KEYED_TEXT) {
		op.a = fm_compile_value(compile, stmt->keyed.value);
		(void)fm_compile_append(compile, &compile->ops, &op,
		    sizeof op);
	}
	for (; name != NULL; name = name->next) {
		op = (struct fm_op){ .code = FM_OP_KEY_HEADER, .rule = rule };
		if (stmt->keyed.what == FM_KEYED_HEADER) {
			op.slot = fm_compile_slot(compile, name->text,
			    &name->at);
			op.b = lower_text(compile, name->text);
		} else {
			op.code = FM_OP_KEY_COOKIE;
			op.a = keep_cookie(compile, name);
			op.b = fm_compile_text(compile, name->text);
		}
		(void)fm_compile_append(compile, &compile->ops, &op,
		    sizeof op);
	}
}

/*--------------------------------------------------------------------
 * Identities
 */

static uint64_t item_id(const struct fm_block *, uint64_t);

/* Adds the statements of a block of `key`. */
static uint64_t
block_id(const struct fm_block *block, uint64_t id)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL; stmt = stmt->next) {
		id = fm_model_hash_stmt(stmt, id);
		if (stmt->kind == FM_STMT_USE)
			id = item_id(stmt->use.ruleset->block, id);
		if (stmt->kind != FM_STMT_WHEN)
			continue;
		id = block_id(stmt->when.then, id + 1);
		id = block_id(stmt->when.otherwise, id + 2);
	}
	return (id);
}

/* Adds the blocks of `key` of an item, and of the rulesets that it uses. */
static uint64_t
item_id(const struct fm_block *block, uint64_t id)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_KEY)
			id = block_id(stmt->phase.block, id);
		else if (stmt->kind == FM_STMT_USE &&
		    fm_phase_has(stmt->use.ruleset->phases, FM_PHASE_KEY))
			id = item_id(stmt->use.ruleset->block, id);
	return (id);
}

/* Returns the identity of the hosts of a block. */
static uint64_t
host_id(const struct fm_model *model, const struct fm_block *block)
{
	return (item_id(model->finally, item_id(block,
	    item_id(model->always, 0))));
}

/* Joins the identities of all hosts, whatever their order. */
static uint64_t
all_id(const struct fm_model *model, const uint64_t *ids, uint64_t none)
{
	const struct fm_host *host;
	uint64_t id, all = none;
	size_t i;

	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		id = ids[fm_model_host_block(model, host)];
		if (id != none)
			all += XXH3_64bits_withSeed(host->pattern.b,
			    host->pattern.len, id);
	}
	if (model->otherwise != NULL)
		all += 3 * ids[fm_model_site_block(model, model->otherwise)];
	return (all);
}

void
fm_compile_key_ids(struct fm_compile *compile)
{
	const struct fm_model *model = compile->model;
	struct fm_program *program = compile->p;
	const struct fm_ruleset_def *ruleset = model->rulesets;
	const struct fm_site *site = model->sites;
	uint64_t *ids;

	ids = fm_compile_alloc(compile, &program->arena,
	    (program->nblocks + 1) * sizeof *ids);
	memset(ids, 0, (program->nblocks + 1) * sizeof *ids);
	for (; ruleset != NULL; ruleset = ruleset->next)
		ids[ruleset->number] = host_id(model, ruleset->block);
	for (; site != NULL; site = site->next)
		if (site->block != NULL)
			ids[fm_model_site_block(model, site)] =
			    host_id(model, site->block);
	ids[program->nblocks] = host_id(model, NULL);
	program->key_ids = ids;
	program->key_id = all_id(model, ids, ids[program->nblocks]);
}
