/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles a model: what blocks share, then block by block, `always` and
 * `finally` first, for each other block runs between them.
 */

#include "caps.h"
#include "compile_priv.h"
#include "hosttab.h"
#include "obj.h"
#include "parse.h"

int
fm_compile_no_memory(struct fm_compile *c)
{
	if (!c->no_memory)
		fm_diag_error(c->diag, NULL, "out of memory");
	c->no_memory = true;
	return (-1);
}

void *
fm_compile_add(struct fm_compile *c, struct fm_grow *grow, size_t size,
    size_t count)
{
	void *p = fm_grow_add(grow, size, count);

	if (p == NULL)
		(void)fm_compile_no_memory(c);
	return (p);
}

int
fm_compile_append(struct fm_compile *c, struct fm_grow *grow, const void *item,
    size_t size)
{
	void *p = fm_compile_add(c, grow, size, 1);

	if (p == NULL)
		return (-1);
	memcpy(p, item, size);
	return (0);
}

int
fm_compile_get(struct fm_compile *c, size_t offered, uint32_t *number)
{
	int new;

	assert(offered < FM_NONE);
	new = fm_intern_get(&c->intern, (uint32_t)offered, number);
	return (new < 0 ? fm_compile_no_memory(c) : new);
}

/* Copies a text into the program. */
static int
compile_keep(struct fm_compile *c, struct fm_text text, struct fm_text *copy)
{
	*copy = fm_text(fm_arena_add(&c->arena, text), text.len);
	return (copy->b == NULL ? fm_compile_no_memory(c) : 0);
}

int
fm_compile_text(struct fm_compile *c, struct fm_text text, uint32_t *number)
{
	struct fm_text copy;

	if (compile_keep(c, text, &copy) != 0)
		return (-1);
	*number = (uint32_t)c->texts.n;
	return (fm_compile_append(c, &c->texts, &copy, sizeof copy));
}

/*--------------------------------------------------------------------
 * Blocks
 */

/* How much had been made when a block began. */
struct block_start {
	size_t			tests, pieces;
	const struct fm_place	*at;
};

/* Returns true in a block that runs with each of the others. */
static bool
is_common(const struct fm_compile *c)
{
	return (c->block == FM_COMPILE_ALWAYS ||
	    (c->model->finally != NULL && c->block == FM_COMPILE_FINALLY));
}

static void
memo_key(struct fm_compile *c, uint32_t block, uint32_t set,
    const struct fm_subject_code *subject)
{
	fm_intern_key(&c->intern, FM_TAG_MEMO);
	fm_intern_key_number(&c->intern, block);
	fm_intern_key_number(&c->intern, set);
	fm_compile_key_subject(c, subject);
}

/*
 * Gives a test its memo.  A block that asks what `always` or `finally` has
 * asked shares the memo with these.
 */
static int
memo_of(struct fm_compile *c, const struct fm_place *at, uint32_t set,
    const struct fm_subject_code *subject, uint16_t *memo)
{
	uint32_t number;
	bool always;
	int new;

	memo_key(c, FM_COMPILE_ALWAYS, set, subject);
	always = is_common(c) || fm_intern_has(&c->intern);
	if (!always)
		memo_key(c, c->block, set, subject);
	new = fm_compile_get(c, c->nmemos, &number);
	if (new < 0)
		return (-1);
	c->nmemos += (uint32_t)new;
	if (number > UINT16_MAX) {
		fm_diag_error(c->diag, at, "more than %d different subjects "
		    "are searched in this block: use fewer", UINT16_MAX);
		return (-1);
	}
	*memo = (uint16_t)number;
	return (0);
}

/* Fills in the sets of a block's tests, which its pools are now, and memos. */
static int
block_memos(struct fm_compile *c, const struct block_start *start)
{
	const struct fm_map_code *map;
	struct fm_piece *piece;
	struct fm_test *test;
	size_t i;

	for (i = start->tests; i < c->tests.n; i++) {
		test = FM_GROW_AT(&c->tests, struct fm_test, i);
		if (test->kind == FM_TEST_RANGE)
			test->set = FM_GROW_AT(&c->pools,
			    struct fm_compile_pool, test->set)->set;
		else if (test->kind != FM_TEST_SET)
			continue;
		if (memo_of(c, start->at, test->set, &test->subject,
		    &test->memo) != 0)
			return (-1);
	}
	for (i = start->pieces; i < c->pieces.n; i++) {
		piece = FM_GROW_AT(&c->pieces, struct fm_piece, i);
		if (piece->kind != FM_PIECE_MAP)
			continue;
		map = FM_GROW_AT(&c->maps, struct fm_map_code, piece->a);
		if (map->nets == FM_NONE && memo_of(c, start->at, map->set,
		    &piece->subject, &piece->memo) != 0)
			return (-1);
	}
	return (0);
}

/*
 * Compiles a block.  People know it by `name`; the identities of its statements
 * are made from `known`.
 */
static int
block_compile(struct fm_compile *c, const struct fm_block *block,
    uint32_t number, struct fm_text name, struct fm_text known)
{
	struct block_start start = { c->tests.n, c->pieces.n, &block->at };
	uint32_t nrulesets = c->model->nrulesets;
	unsigned kind = number < nrulesets ? 0 :
	    number < nrulesets + c->model->nsites ? 1 : 2;
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };
	struct fm_block_code code;
	int bad;

	code.first = (uint32_t)c->ops.n;
	fm_compile_count_block(c, kind, known);
	if (compile_keep(c, name, &code.name) != 0)
		return (-1);
	c->block++;
	c->nmemos = c->always_memos;
	bad = fm_compile_block(c, block);
	if (bad == 0)
		bad = fm_compile_pools(c);
	if (bad == 0)
		bad = block_memos(c, &start);
	fm_compile_pools_fini(c, c->nshared);
	if (bad != 0)
		return (-1);
	if (c->most_memos < c->nmemos)
		c->most_memos = c->nmemos;
	*FM_GROW_AT(&c->blocks, struct fm_block_code, number) = code;
	return (fm_compile_append(c, &c->ops, &end, sizeof end));
}

/*
 * Compiles the blocks of hosts.  A block is known by the least identity of its
 * patterns, so its statements keep their identities when the order of the hosts
 * changes, and mostly when a host is added or removed.
 */
static int
compile_sites(struct fm_compile *c)
{
	const struct fm_model *m = c->model;
	uint64_t *least = calloc((size_t)m->nsites + 1, sizeof *least), id;
	const struct fm_site *site;
	const struct fm_host *host;
	struct fm_text known;
	size_t i;
	int bad = 0;

	if (least == NULL)
		return (fm_compile_no_memory(c));
	for (i = 0; i < m->nhosts; i++) {
		host = &m->hosts[i];
		if (host->site == NULL || host->site->block == NULL)
			continue;
		id = fm_hosttab_pattern_id(host->pattern);
		if (least[host->site->number] == 0 ||
		    least[host->site->number] > id)
			least[host->site->number] = id;
	}
	for (site = m->sites; site != NULL && bad == 0; site = site->next) {
		known = site == m->otherwise ? site->label :
		    fm_text((const char *)&least[site->number], sizeof *least);
		if (site->block != NULL)
			bad = block_compile(c, site->block,
			    fm_model_site_block(m, site), site->label, known);
	}
	free(least);
	return (bad);
}

/*
 * Compiles `always` and `finally` first, as all other blocks run with them.
 * The site of `host a use r` has no block: its list is the end of another one,
 * and nobody runs it.
 */
static int
compile_blocks(struct fm_compile *c)
{
	static const struct fm_text always = { "always", 6 };
	static const struct fm_text finally = { "finally", 7 };
	static const struct fm_block nothing;
	const struct fm_model *m = c->model;
	const struct fm_ruleset_def *ruleset;
	uint32_t count = m->nrulesets + m->nsites, i;

	if (fm_compile_add(c, &c->blocks, sizeof(struct fm_block_code),
	    (size_t)count + 1 + (m->finally != NULL)) == NULL)
		return (-1);
	c->block = FM_COMPILE_ALWAYS - 1;
	if (block_compile(c, m->always == NULL ? &nothing : m->always, count,
	    always, always) != 0)
		return (-1);
	c->always_memos = c->nmemos;
	if (m->always != NULL)
		c->always = count;
	if (m->finally != NULL) {
		c->finally = count + 1;
		if (block_compile(c, m->finally, c->finally,
		    finally, finally) != 0)
			return (-1);
		c->always_memos = c->nmemos;
	}
	for (i = 0; i < count; i++)
		FM_GROW_AT(&c->blocks, struct fm_block_code, i)->first =
		    (uint32_t)c->ops.n - 1;
	for (ruleset = m->rulesets; ruleset != NULL; ruleset = ruleset->next)
		if (block_compile(c, ruleset->block, ruleset->number,
		    ruleset->name->text, ruleset->name->text) != 0)
			return (-1);
	if (compile_sites(c) != 0)
		return (-1);
	if (m->otherwise != NULL)
		c->otherwise = fm_model_site_block(m, m->otherwise);
	return (0);
}

static int
compile_undecided(struct fm_compile *c)
{
	const struct fm_model *m = c->model;

	if (m->undecided_mode != FM_UNDECIDED_SYNTH)
		return (0);
	if (m->undecided_reason != NULL && fm_compile_text(c,
	    m->undecided_reason->text, &c->undecided_reason) != 0)
		return (-1);
	return (fm_compile_rule_undecided(c, &c->undecided_rule));
}

static int
compile_trust(struct fm_compile *c)
{
	const struct fm_trust *trust = c->model->trust;

	c->trust = FM_NONE;
	if (trust == NULL)
		return (0);
	if (fm_compile_slot(c, trust->header->text, &trust->header->at,
	    &c->trust_slot) != 0)
		return (-1);
	return (fm_compile_nets(c, trust->list_def, &trust->nets, &c->trust));
}

/*--------------------------------------------------------------------
 * All of it
 */

static uint32_t *
nones(struct fm_compile *c, uint32_t count)
{
	uint32_t *p, i;

	p = calloc((size_t)count + 1, sizeof *p);
	if (p == NULL)
		(void)fm_compile_no_memory(c);
	for (i = 0; p != NULL && i < count; i++)
		p[i] = FM_NONE;
	return (p);
}

static int
compile_start(struct fm_compile *c)
{
	static const struct fm_place nowhere = { .name = "rules" };
	uint8_t slot;

	c->always = c->finally = c->otherwise = FM_NONE;
	c->undecided_reason = c->undecided_rule = FM_NONE;
	c->lists = nones(c, c->model->nlists);
	c->lists_of_hosts = nones(c, c->model->nlists);
	c->maps_made = nones(c, c->model->nmaps);
	if (c->lists == NULL || c->lists_of_hosts == NULL ||
	    c->maps_made == NULL ||
	    fm_compile_slot(c, fm_text_of("Host"), &nowhere, &slot) != 0)
		return (-1);
	assert(slot == FM_SLOT_HOST);
	if (fm_compile_slot(c, fm_text_of("Cookie"), &nowhere, &slot) != 0)
		return (-1);
	assert(slot == FM_SLOT_OF_COOKIE);
	return (0);
}

static void
compile_fini(struct fm_compile *c)
{
	struct fm_grow *grows[] = { &c->blocks, &c->ops, &c->conds, &c->nodes,
	    &c->tests, &c->captures, &c->texts, &c->templates, &c->pieces,
	    &c->offers, &c->usual_answers, &c->sets, &c->nets, &c->params,
	    &c->patterns, &c->maps, &c->map_lines, &c->map_matches,
	    &c->map_lead_at, &c->map_leads, &c->backends,
	    &c->backend_places, &c->rules, &c->shared, &c->plans, &c->pools,
	    &c->shares, &c->members, &c->own_words, &c->stmts, &c->repeats };
	size_t i;
	/* fm_compile_pack() has set these counts to 0 if there is a program. */
	struct fm_program owned = {
		.sets = c->sets.items, .nsets = (uint32_t)c->sets.n,
		.nets = c->nets.items, .nnets = (uint32_t)c->nets.n,
		.params = c->params.items, .nparams = (uint32_t)c->params.n,
		.patterns = c->patterns.items,
		.npatterns = (uint32_t)c->patterns.n
	};

	fm_program_free_owned(&owned);
	fm_compile_pools_fini(c, 0);
	for (i = 0; i < sizeof grows / sizeof grows[0]; i++)
		fm_grow_fini(grows[i]);
	fm_intern_fini(&c->intern);
	fm_arena_fini(&c->arena);
	fm_arena_fini(&c->people);
	fm_arena_fini(&c->lowered);
	free(c->lists);
	free(c->lists_of_hosts);
	free(c->maps_made);
}

struct fm_program *
fm_compile(const struct fm_model *model,
    const struct fm_compile_options *options, struct fm_diag *diag)
{
	struct fm_program *program = NULL;
	struct fm_caps caps = { .over = false };
	struct fm_compile *c;

	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(model->hosttab != NULL);
	c = calloc(1, sizeof *c);
	if (c == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (NULL);
	}
	c->model = model;
	c->diag = diag;
	if (options != NULL) {
		c->tell = options->tell;
		c->tell_priv = options->tell_priv;
	}
	fm_caps_begin(&caps);
	if (compile_start(c) == 0 && fm_compile_shares(c) == 0 &&
	    compile_blocks(c) == 0 &&
	    compile_undecided(c) == 0 && compile_trust(c) == 0)
		program = fm_compile_pack(c);
	fm_caps_end();
	compile_fini(c);
	free(c);
	return (program);
}

struct fm_program *
fm_rules_load(const char *path, const struct fm_check_options *options,
    struct fm_sources *sources, struct fm_model **modelp,
    struct fm_diag *diag)
{
	static const struct fm_check_options none;
	struct fm_program *program = NULL;
	struct fm_model *model;

	assert(path != NULL);
	assert(diag != NULL);
	model = fm_parse_file(path, sources, diag);
	if (model != NULL && fm_check(model, options != NULL ? options : &none,
	    diag))
		program = fm_compile(model, NULL, diag);
	fm_diag_sort(diag, path);
	if (modelp != NULL)
		*modelp = model;
	else if (model != NULL)
		fm_model_free(&model);
	return (program);
}
