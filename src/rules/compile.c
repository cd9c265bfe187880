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
#include "name_words.h"
#include "obj.h"
#include "parse.h"

_Noreturn void
fm_compile_fail(struct fm_compile *c)
{
	longjmp(c->failed, 1);
}

_Noreturn void
fm_compile_no_memory(struct fm_compile *c)
{
	fm_diag_no_memory(c->diag);
	fm_compile_fail(c);
}

void *
fm_compile_add(struct fm_compile *c, struct fm_grow *grow, size_t size,
    size_t count)
{
	void *p = fm_grow_add(grow, size, count);

	if (p == NULL)
		fm_compile_no_memory(c);
	return (p);
}

uint32_t
fm_compile_append(struct fm_compile *c, struct fm_grow *grow, const void *item,
    size_t size)
{
	memcpy(fm_compile_add(c, grow, size, 1), item, size);
	return ((uint32_t)grow->n - 1);
}

void *
fm_compile_alloc(struct fm_compile *c, struct fm_arena *arena, size_t bytes)
{
	void *p = fm_arena_alloc(arena, bytes);

	if (p == NULL)
		fm_compile_no_memory(c);
	return (p);
}

struct fm_text
fm_compile_copy(struct fm_compile *c, struct fm_arena *arena,
    struct fm_text text)
{
	const char *copy = fm_arena_add(arena, text);

	if (copy == NULL)
		fm_compile_no_memory(c);
	return (fm_text(copy, text.len));
}

bool
fm_compile_new(struct fm_compile *c, size_t offered, uint32_t *number)
{
	int new;

	assert(offered < FM_NONE);
	new = fm_intern_get(&c->intern, (uint32_t)offered, number);
	if (new < 0)
		fm_compile_no_memory(c);
	return (new > 0);
}

uint32_t
fm_compile_text(struct fm_compile *c, struct fm_text text)
{
	struct fm_text copy = fm_compile_copy(c, &c->p->arena, text);

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
static uint16_t
memo_of(struct fm_compile *c, const struct fm_place *at, uint32_t set,
    const struct fm_subject_code *subject)
{
	uint32_t number;
	bool always;

	memo_key(c, FM_COMPILE_ALWAYS, set, subject);
	always = is_common(c) || fm_intern_find(&c->intern, &number);
	if (!always)
		memo_key(c, c->block, set, subject);
	if (fm_compile_new(c, c->nmemos, &number))
		c->nmemos++;
	if (number > UINT16_MAX) {
		fm_diag_error(c->diag, at, "more than %d different subjects "
		    "are searched in this block: use fewer", UINT16_MAX);
		fm_compile_fail(c);
	}
	return ((uint16_t)number);
}

/* Fills in the sets of a block's tests, which its pools are now, and memos. */
static void
block_memos(struct fm_compile *c, const struct block_start *start)
{
	const struct fm_map_code *map;
	struct fm_template_piece *piece;
	struct fm_test *test;
	size_t i;

	for (i = start->tests; i < c->tests.n; i++) {
		test = FM_GROW_AT(&c->tests, struct fm_test, i);
		if (test->kind == FM_TEST_RANGE)
			test->set = FM_GROW_AT(&c->pools,
			    struct fm_compile_pool, test->set)->set;
		else if (test->kind != FM_TEST_SET)
			continue;
		test->memo = memo_of(c, start->at, test->set, &test->subject);
	}
	for (i = start->pieces; i < c->pieces.n; i++) {
		piece = FM_GROW_AT(&c->pieces, struct fm_template_piece, i);
		if (piece->kind != FM_PART_MAP)
			continue;
		map = FM_GROW_AT(&c->maps, struct fm_map_code, piece->a);
		if (map->nets == FM_NONE)
			piece->memo = memo_of(c, start->at, map->set,
			    &piece->subject);
	}
}

/*
 * Compiles a block.  People know it by `name`; the identities of its statements
 * are made from `known`.
 */
static void
block_compile(struct fm_compile *c, const struct fm_block *block,
    uint32_t number, struct fm_text name, struct fm_text known)
{
	struct block_start start = { c->tests.n, c->pieces.n, &block->at };
	uint32_t nrulesets = c->model->nrulesets;
	unsigned kind = number < nrulesets ? 0 :
	    number < nrulesets + c->model->nsites ? 1 : 2;
	const struct fm_op end = { .code = FM_OP_END, .rule = FM_NONE };

	*FM_GROW_AT(&c->blocks, struct fm_block_code, number) =
	    (struct fm_block_code){ .first = (uint32_t)c->ops.n,
	    .name = fm_compile_copy(c, &c->p->arena, name) };
	fm_compile_count_block(c, kind, known);
	c->block++;
	c->nmemos = c->p->ncommon;
	fm_compile_block(c, block);
	fm_compile_pools(c);
	block_memos(c, &start);
	fm_compile_pools_fini(c, c->nshared);
	if (c->p->nmemos < c->nmemos)
		c->p->nmemos = c->nmemos;
	(void)fm_compile_append(c, &c->ops, &end, sizeof end);
}

/*
 * Compiles the blocks of hosts.  A block is known by the least identity of its
 * patterns, so its statements keep their identities when the order of the hosts
 * changes, and mostly when a host is added or removed.
 */
static void
compile_sites(struct fm_compile *c)
{
	const struct fm_model *m = c->model;
	uint64_t *least = fm_compile_alloc(c, &c->lowered,
	    m->nsites * sizeof *least), id;
	const struct fm_site *site;
	const struct fm_host *host;
	struct fm_text known;
	size_t i;

	for (i = 0; i < m->nhosts; i++) {
		host = &m->hosts[i];
		if (host->site == NULL || host->site->block == NULL)
			continue;
		id = fm_hosttab_pattern_id(host->pattern);
		if (least[host->site->number] == 0 ||
		    least[host->site->number] > id)
			least[host->site->number] = id;
	}
	for (site = m->sites; site != NULL; site = site->next) {
		known = site == m->otherwise ? site->label :
		    fm_text((const char *)&least[site->number], sizeof *least);
		if (site->block != NULL)
			block_compile(c, site->block,
			    fm_model_site_block(m, site), site->label, known);
	}
}

/*
 * Compiles `always` and `finally` first, as all other blocks run with them.
 * The site of `host a use r` has no block: its list is the end of another one,
 * and nobody runs it.
 */
static void
compile_blocks(struct fm_compile *c)
{
	static const struct fm_text always = { "always", 6 };
	static const struct fm_text finally = { "finally", 7 };
	static const struct fm_block nothing;
	const struct fm_model *m = c->model;
	const struct fm_ruleset_def *ruleset;
	uint32_t count = m->nrulesets + m->nsites, i;

	(void)fm_compile_add(c, &c->blocks, sizeof(struct fm_block_code),
	    (size_t)count + 1 + (m->finally != NULL));
	c->block = FM_COMPILE_ALWAYS - 1;
	block_compile(c, m->always == NULL ? &nothing : m->always, count,
	    always, always);
	c->p->ncommon = c->nmemos;
	if (m->always != NULL)
		c->p->always = count;
	if (m->finally != NULL) {
		c->p->finally = count + 1;
		block_compile(c, m->finally, c->p->finally, finally, finally);
		c->p->ncommon = c->nmemos;
	}
	for (i = 0; i < count; i++)
		FM_GROW_AT(&c->blocks, struct fm_block_code, i)->first =
		    (uint32_t)c->ops.n - 1;
	for (ruleset = m->rulesets; ruleset != NULL; ruleset = ruleset->next)
		block_compile(c, ruleset->block, ruleset->number,
		    ruleset->name->text, ruleset->name->text);
	compile_sites(c);
	if (m->otherwise != NULL)
		c->p->otherwise = fm_model_site_block(m, m->otherwise);
}

static void
compile_undecided(struct fm_compile *c)
{
	const struct fm_model *m = c->model;

	if (m->undecided_mode != FM_UNDECIDED_SYNTH)
		return;
	if (m->undecided_reason != NULL)
		c->p->undecided_reason = fm_compile_text(c,
		    m->undecided_reason->text);
	c->p->undecided_rule = fm_compile_rule_undecided(c);
}

static void
compile_trust(struct fm_compile *c)
{
	const struct fm_trust *trust = c->model->trust;

	if (trust == NULL)
		return;
	c->p->trust_slot = fm_compile_slot(c, trust->header->text,
	    &trust->header->at);
	c->p->trust = fm_compile_nets(c, trust->list_def, &trust->nets);
}

/*--------------------------------------------------------------------
 * The program gets copies of the arrays.  One arena has those that requests
 * use, another one (`people`) the texts that only people read.
 */

static void *
pack_copy(struct fm_compile *c, struct fm_arena *arena,
    const struct fm_grow *grow, size_t size)
{
	void *p = fm_compile_alloc(c, arena, grow->n * size);

	if (grow->n > 0)
		memcpy(p, grow->items, grow->n * size);
	return (p);
}

/* Copies an array of the compiler to that of the same name in the program. */
#define HOT(array)							\
	(p->array = pack_copy(c, &p->arena, &c->array, sizeof *p->array))
#define COLD(array)							\
	(p->array = pack_copy(c, &p->people, &c->array, sizeof *p->array))

/* Returns true if any two names are of one length and nearly alike. */
static bool
slots_near(const struct fm_program *p)
{
	struct fm_text a, b;
	size_t i, j;

	for (i = 0; i < p->nslots; i++)
		for (j = 0; j < i; j++) {
			a = p->slots[i].name;
			b = p->slots[j].name;
			if (a.len == b.len && fm_name_nearly(a.b, b.b, a.len))
				return (true);
		}
	return (false);
}

/* Packs all that requests run, but for the operations (route.c). */
static void
pack_hot(struct fm_compile *c, struct fm_program *p)
{
	HOT(slots);
	HOT(blocks);
	HOT(texts);
	HOT(sets);
	HOT(conds);
	HOT(nodes);
	HOT(tests);
	HOT(captures);
	HOT(templates);
	HOT(pieces);
	HOT(offers);
	HOT(usual_answers);
	HOT(nets);
	HOT(params);
	HOT(patterns);
	HOT(maps);
	HOT(map_lines);
	HOT(map_matches);
	HOT(map_lead_at);
	HOT(map_leads);
}

/* Packs the names of hosts, which are numbered as in hosttab. */
static void
pack_hosts(struct fm_compile *c, struct fm_program *p)
{
	const struct fm_model *m = c->model;
	uint32_t *host_at, at = 0;
	size_t bytes = 0, i;
	char *hosts;

	for (i = 0; i < m->nhosts; i++)
		bytes += m->hosts[i].pattern.len + 1;
	host_at = fm_compile_alloc(c, &p->people, m->nhosts * sizeof *host_at);
	hosts = fm_compile_alloc(c, &p->people, bytes);
	for (i = 0; i < m->nhosts; i++) {
		host_at[i] = at;
		memcpy(hosts + at, m->hosts[i].pattern.b,
		    m->hosts[i].pattern.len);
		at += (uint32_t)m->hosts[i].pattern.len;
		hosts[at++] = '\0';
	}
	p->host_at = host_at;
	p->hosts = hosts;
}

static void
pack_cold(struct fm_compile *c, struct fm_program *p)
{
	struct fm_stmt_code *stmts;
	size_t i;

	COLD(rules);
	COLD(backends);
	COLD(backend_places);
	pack_hosts(c, p);
	fm_compile_count_sort(c);
	stmts = fm_compile_alloc(c, &p->people, c->stmts.n * sizeof *stmts);
	for (i = 0; i < c->stmts.n; i++)
		stmts[i] = FM_GROW_AT(&c->stmts, struct fm_compile_stmt,
		    i)->code;
	p->stmts = stmts;
}

static void
pack_counts(const struct fm_compile *c, struct fm_program *p)
{
	p->nslots = (uint32_t)c->slots.n;
	p->near_slots = slots_near(p);
	p->nbackends = (uint32_t)c->backends.n;
	p->nblocks = (uint32_t)c->blocks.n;
	p->nrules = (uint32_t)c->rules.n;
	p->ntests = (uint32_t)c->tests.n;
	p->npieces = (uint32_t)c->pieces.n;
	p->nstmts = (uint32_t)c->stmts.n;
	p->nsets = (uint32_t)c->sets.n;
	p->nnets = (uint32_t)c->nets.n;
	p->nparams = (uint32_t)c->params.n;
	p->npatterns = (uint32_t)c->patterns.n;
	p->nhosts = (uint32_t)c->model->nhosts;
	assert(fm_hosttab_count(p->hosttab) == p->nhosts);
}

static void
pack_all(struct fm_compile *c)
{
	struct fm_program *p = c->p;

	p->hosttab = fm_hosttab_hold(c->model->hosttab);
	pack_hot(c, p);
	pack_cold(c, p);
	pack_counts(c, p);
	if (fm_routes_make(p, (const void *)c->ops.items, c->ops.n) != 0)
		fm_compile_no_memory(c);
}

/*--------------------------------------------------------------------
 * All of it
 */

static uint32_t *
nones(struct fm_compile *c, uint32_t count)
{
	uint32_t *p = fm_compile_alloc(c, &c->lowered, count * sizeof *p), i;

	for (i = 0; i < count; i++)
		p[i] = FM_NONE;
	return (p);
}

static void
compile_start(struct fm_compile *c)
{
	static const struct fm_place nowhere = { .name = "rules" };
	struct fm_program *p = c->p;
	uint8_t slot;

	p->always = p->finally = p->otherwise = p->trust = FM_NONE;
	p->undecided = c->model->undecided_mode;
	p->undecided_status = (uint16_t)c->model->undecided_code;
	p->undecided_reason = p->undecided_rule = FM_NONE;
	c->lists = nones(c, c->model->nlists + c->model->nmaps);
	c->lists_of_hosts = nones(c, c->model->nlists + c->model->nmaps);
	slot = fm_compile_slot(c, fm_text_of("Host"), &nowhere);
	assert(slot == FM_SLOT_HOST);
	slot = fm_compile_slot(c, fm_text_of("Cookie"), &nowhere);
	assert(slot == FM_SLOT_OF_COOKIE);
}

static void __attribute__((noinline))
compile_all(struct fm_compile *c)
{
	if (c->p == NULL)
		fm_compile_no_memory(c);
	compile_start(c);
	fm_compile_shares(c);
	compile_blocks(c);
	compile_undecided(c);
	compile_trust(c);
	pack_all(c);
}

/* Returns false if anything has failed.  Has no variable that may change. */
static bool
compile_try(struct fm_compile *c)
{
	if (setjmp(c->failed) != 0)
		return (false);
	compile_all(c);
	return (true);
}

/* Frees what was made of a program that failed. */
static void
compile_undo(struct fm_compile *c)
{
	struct fm_program *p = c->p;

	p->sets = c->sets.items;
	p->nsets = (uint32_t)c->sets.n;
	p->nets = c->nets.items;
	p->nnets = (uint32_t)c->nets.n;
	p->params = c->params.items;
	p->nparams = (uint32_t)c->params.n;
	p->patterns = c->patterns.items;
	p->npatterns = (uint32_t)c->patterns.n;
	fm_program_free(&c->p);
}

static void
compile_fini(struct fm_compile *c)
{
	struct fm_grow *grows[] = { &c->blocks, &c->ops, &c->conds, &c->nodes,
	    &c->tests, &c->captures, &c->texts, &c->templates, &c->pieces,
	    &c->offers, &c->usual_answers, &c->sets, &c->nets, &c->params,
	    &c->patterns, &c->maps, &c->map_lines, &c->map_matches,
	    &c->map_lead_at, &c->map_leads, &c->slots, &c->backends,
	    &c->backend_places, &c->rules, &c->shared, &c->line,
	    &c->pools, &c->shares, &c->members, &c->stmts,
	    &c->repeats, &c->operands };
	size_t i;

	fm_compile_pools_fini(c, 0);
	for (i = 0; i < sizeof grows / sizeof grows[0]; i++)
		fm_grow_fini(grows[i]);
	fm_intern_fini(&c->intern);
	fm_arena_fini(&c->lowered);
	fm_arena_fini(&c->plan);
}

struct fm_program *
fm_compile(const struct fm_model *model,
    const struct fm_compile_options *options, struct fm_diag *diag)
{
	struct fm_caps caps = { .over = false };
	struct fm_compile c = { .model = model, .diag = diag };

	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(model->hosttab != NULL);
	if (options != NULL) {
		c.tell = options->tell;
		c.tell_priv = options->tell_priv;
	}
	FM_OBJ_NEW(c.p, FM_PROGRAM_MAGIC);
	fm_caps_begin(&caps);
	if (!compile_try(&c) && c.p != NULL)
		compile_undo(&c);
	fm_caps_end();
	compile_fini(&c);
	return (c.p);
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
