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
#include "run.h"

_Noreturn void
fm_compile_fail(struct fm_compile *compile)
{
	longjmp(compile->failed, 1);
}

_Noreturn void
fm_compile_no_memory(struct fm_compile *compile)
{
	fm_diag_no_memory(compile->diag);
	fm_compile_fail(compile);
}

void *
fm_compile_add(struct fm_compile *compile, struct fm_grow *grow, size_t size,
    size_t count)
{
	void *p = fm_grow_add(grow, size, count);

	if (p == NULL)
		fm_compile_no_memory(compile);
	return (p);
}

uint32_t
fm_compile_append(struct fm_compile *compile, struct fm_grow *grow,
    const void *item, size_t size)
{
	memcpy(fm_compile_add(compile, grow, size, 1), item, size);
	return ((uint32_t)grow->n - 1);
}

void *
fm_compile_alloc(struct fm_compile *compile, struct fm_arena *arena,
    size_t bytes)
{
	void *p = fm_arena_alloc(arena, bytes);

	if (p == NULL)
		fm_compile_no_memory(compile);
	return (p);
}

struct fm_text
fm_compile_copy(struct fm_compile *compile, struct fm_arena *arena,
    struct fm_text text)
{
	const char *copy = fm_arena_add(arena, text);

	if (copy == NULL)
		fm_compile_no_memory(compile);
	return (fm_text(copy, text.len));
}

bool
fm_compile_new(struct fm_compile *compile, size_t offered, uint32_t *number)
{
	int new;

	assert(offered < FM_NONE);
	new = fm_intern_get(&compile->intern, (uint32_t)offered, number);
	if (new < 0)
		fm_compile_no_memory(compile);
	return (new > 0);
}

void
fm_compile_jump(struct fm_compile *compile, const struct fm_op *op,
    uint32_t *chain)
{
	uint32_t at = fm_compile_append(compile, &compile->ops, op, sizeof *op);

	FM_GROW_AT(&compile->ops, struct fm_op, at)->b = *chain;
	*chain = at + 1;
}

void
fm_compile_lead(struct fm_compile *compile, uint32_t *chain)
{
	struct fm_op *op;
	uint32_t n;

	while (*chain > 0) {
		n = *chain - 1;
		op = FM_GROW_AT(&compile->ops, struct fm_op, n);
		*chain = op->b;
		op->b = (uint32_t)compile->ops.n - n;
	}
}

uint32_t *
fm_compile_nones(struct fm_compile *compile, struct fm_arena *arena,
    uint32_t count)
{
	size_t bytes = count * sizeof(uint32_t);

	/* FM_NONE has all bits set. */
	return (memset(fm_compile_alloc(compile, arena, bytes), 0xff, bytes));
}

uint32_t
fm_compile_text(struct fm_compile *compile, struct fm_text text)
{
	struct fm_text copy = fm_compile_copy(compile, &compile->p->arena,
	    text);

	return (fm_compile_append(compile, &compile->texts, &copy,
	    sizeof copy));
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
is_common(const struct fm_compile *compile)
{
	return (compile->block == compile->always ||
	    compile->block == compile->finally);
}

static void
memo_key(struct fm_compile *compile, uint32_t block, uint32_t set,
    const struct fm_subject_code *subject)
{
	fm_intern_key(&compile->intern, FM_TAG_MEMO);
	fm_intern_key_number(&compile->intern, block);
	fm_intern_key_number(&compile->intern, set);
	fm_compile_key_subject(compile, subject);
}

/*
 * Gives a test its memo.  A block that asks what `always` or `finally` has
 * asked shares the memo with these.
 */
static uint16_t
memo_of(struct fm_compile *compile, const struct fm_place *at, uint32_t set,
    const struct fm_subject_code *subject)
{
	uint32_t number;
	bool always;

	memo_key(compile, compile->always, set, subject);
	always = is_common(compile) ||
	    fm_intern_find(&compile->intern, &number);
	if (!always)
		memo_key(compile, compile->block, set, subject);
	if (fm_compile_new(compile, compile->nmemos, &number))
		compile->nmemos++;
	if (number > UINT16_MAX) {
		fm_diag_error(compile->diag,
		    at, "more than %d different subjects "
		    "are searched in this block: use fewer", UINT16_MAX);
		fm_compile_fail(compile);
	}
	return ((uint16_t)number);
}

/* Fills in the sets of a block's tests, which its pools are now, and memos. */
static void
block_memos(struct fm_compile *compile, const struct block_start *start)
{
	const struct fm_map_code *map;
	struct fm_template_piece *piece;
	struct fm_test *test;
	size_t i;

	for (i = start->tests; i < compile->tests.n; i++) {
		test = FM_GROW_AT(&compile->tests, struct fm_test, i);
		if (test->kind == FM_TEST_RANGE ||
		    test->kind == FM_TEST_VALUES)
			test->set = FM_GROW_AT(&compile->pools,
			    struct fm_compile_pool, test->set)->set;
		else if (test->kind != FM_TEST_SET)
			continue;
		test->memo = memo_of(compile, start->at, test->set,
		    &test->subject);
	}
	for (i = start->pieces; i < compile->pieces.n; i++) {
		piece = FM_GROW_AT(&compile->pieces, struct fm_template_piece,
		    i);
		if (piece->kind != FM_PART_MAP)
			continue;
		map = FM_GROW_AT(&compile->maps, struct fm_map_code, piece->a);
		if (map->nets == FM_NONE)
			piece->memo = memo_of(compile, start->at, map->set,
			    &piece->subject);
	}
}

/*
 * Compiles a block.  People know it by `name`; the identities of its statements
 * are made from `known`.
 */
static void
block_compile(struct fm_compile *compile, const struct fm_block *block,
    uint32_t number, struct fm_text name, struct fm_text known)
{
	static const struct fm_op end = { .code = FM_OP_END,
	    .rule = FM_NONE };
	struct block_start start = { compile->tests.n, compile->pieces.n,
	    &block->at };
	uint32_t nrulesets = compile->model->nrulesets;
	unsigned kind = number < nrulesets ? 0 :
	    number < nrulesets + compile->model->nsites ? 1 : 2;

	*FM_GROW_AT(&compile->blocks, struct fm_block_code,
	    compile->blocks_at + number) =
	    (struct fm_block_code){ .traced = (uint32_t)compile->ops.n,
	    .name = fm_compile_name(compile, name) };
	fm_compile_count_block(compile, kind, known);
	compile->block++;
	compile->nmemos = compile->p->ncommon;
	fm_compile_item(compile, block);
	fm_compile_lead(compile, &compile->ends);
	(void)fm_compile_append(compile, &compile->ops, &end, sizeof end);
	fm_compile_pools(compile);
	block_memos(compile, &start);
	fm_compile_pools_fini(compile, compile->nshared);
	if (compile->p->nmemos < compile->nmemos)
		compile->p->nmemos = compile->nmemos;
}

/*
 * Compiles the blocks of hosts.  A block is known by the least identity of its
 * patterns, so its statements keep their identities when the order of the hosts
 * changes, and mostly when a host is added or removed.
 */
static void
compile_sites(struct fm_compile *compile)
{
	const struct fm_model *model = compile->model;
	uint64_t *least = fm_compile_alloc(compile, &compile->lowered,
	    model->nsites * sizeof *least), id;
	const struct fm_site *site;
	const struct fm_host *host;
	struct fm_text known;
	size_t i;

	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		if (host->site == NULL || host->site->block == NULL)
			continue;
		id = fm_hosttab_pattern_id(host->pattern);
		if (least[host->site->number] == 0 ||
		    least[host->site->number] > id)
			least[host->site->number] = id;
	}
	for (site = model->sites; site != NULL; site = site->next) {
		known = site == model->otherwise ? site->label :
		    fm_text((const char *)&least[site->number], sizeof *least);
		if (site->block != NULL)
			block_compile(compile, site->block,
			    fm_model_site_block(model, site), site->label,
			    known);
	}
}

/*
 * Compiles `always` and `finally` first, as all other blocks run with them.
 * The site of `host a use r` has no block: its list is the end of another one,
 * and nothing runs it.
 */
static void
compile_blocks(struct fm_compile *compile)
{
	static const struct fm_text always = { "always", 6 };
	static const struct fm_text finally = { "finally", 7 };
	static const struct fm_block nothing;
	const struct fm_model *model = compile->model;
	const struct fm_ruleset_def *ruleset;
	uint32_t count = model->nrulesets + model->nsites, i;

	compile->blocks_at = (uint32_t)compile->blocks.n;
	(void)fm_compile_add(compile,
	    &compile->blocks, sizeof(struct fm_block_code),
	    (size_t)count + 1 + (model->finally != NULL));
	if (compile->phase == FM_PHASE_REQUEST)
		compile->block = FM_COMPILE_ALWAYS - 1;
	compile->always = compile->block + 1;
	compile->finally = model->finally == NULL ? 0 : compile->block + 2;
	/* The first memo is that of the readings of the path. */
	compile->p->ncommon = compile->of_readings;
	block_compile(compile, model->always == NULL ? &nothing : model->always,
	    count, always, always);
	compile->p->ncommon = compile->nmemos;
	if (model->always != NULL)
		compile->p->always = count;
	if (model->finally != NULL) {
		compile->p->finally = count + 1;
		block_compile(compile, model->finally, compile->p->finally,
		    finally, finally);
		compile->p->ncommon = compile->nmemos;
	}
	for (i = 0; i < count; i++)
		FM_GROW_AT(&compile->blocks, struct fm_block_code,
		    compile->blocks_at + i)->traced =
		    (uint32_t)compile->ops.n - 1;
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		block_compile(compile, ruleset->block, ruleset->number,
		    ruleset->name->text, ruleset->name->text);
	compile_sites(compile);
	if (model->otherwise != NULL)
		compile->p->otherwise = fm_model_site_block(model,
		    model->otherwise);
}

static void
compile_undecided(struct fm_compile *compile)
{
	const struct fm_model *model = compile->model;

	if (model->undecided_mode != FM_UNDECIDED_SYNTH)
		return;
	if (model->undecided_reason != NULL)
		compile->p->undecided_reason = fm_compile_text(compile,
		    model->undecided_reason->text);
	compile->p->undecided_rule = fm_compile_rule_undecided(compile);
}

static void
compile_trust(struct fm_compile *compile)
{
	const struct fm_trust *trust = compile->model->trust;

	if (trust == NULL)
		return;
	compile->p->trust_slot = fm_compile_request_slot(compile,
	    trust->header->text, &trust->header->at);
	compile->p->trust = fm_compile_nets(compile, trust->list_def,
	    &trust->nets);
}

/*--------------------------------------------------------------------
 * The program gets copies of the arrays.  One arena has those that requests
 * use, another one (`cold`) the texts that only people read.
 */

static void *
pack_copy(struct fm_compile *compile, struct fm_arena *arena,
    const struct fm_grow *grow, size_t size)
{
	void *p = fm_compile_alloc(compile, arena, grow->n * size);

	if (grow->n > 0)
		memcpy(p, grow->items, grow->n * size);
	return (p);
}

/* Copies an array of the compiler to that of the same name in the program. */
#define HOT(array)							\
	(program->array = pack_copy(compile, &program->arena,		\
	    &compile->array, sizeof *program->array))
#define COLD(array)							\
	(program->array = pack_copy(compile, &program->cold,		\
	    &compile->array, sizeof *program->array))

/* Returns true if any name is an alias of another one. */
static bool
slots_near(const struct fm_program *program)
{
	struct fm_text a, b;
	size_t i, j;

	for (i = 0; i < program->nslots; i++)
		for (j = 0; j < i; j++) {
			a = program->slots[i].name;
			b = program->slots[j].name;
			if (a.len == b.len && (fm_name_is_alias(a.b, b) ||
			    fm_name_is_alias(b.b, a)))
				return (true);
		}
	return (false);
}

/* Packs the slots, each of which is a cache line. */
static void
pack_slots(struct fm_compile *compile, struct fm_program *program)
{
	size_t bytes = compile->slots.n * sizeof *program->slots;
	char *p = fm_compile_alloc(compile, &program->arena,
	    bytes + FM_SLOT_LINE - 1);

	p += -(uintptr_t)p % FM_SLOT_LINE;
	program->slots = memcpy(p, compile->slots.items, bytes);
}

/* Packs all that requests run, but for the operations. */
static void
pack_hot(struct fm_compile *compile, struct fm_program *program)
{
	HOT(blocks);
	HOT(texts);
	HOT(sets);
	HOT(conds);
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
	HOT(reading_numbers);
}

/* Packs the names of hosts, which are numbered as in hosttab. */
static void
pack_hosts(struct fm_compile *compile, struct fm_program *program)
{
	const struct fm_model *model = compile->model;
	uint32_t *host_at, at = 0;
	size_t bytes = 0, i;
	char *hosts;

	for (i = 0; i < model->nhosts; i++)
		bytes += model->hosts[i].pattern.len + 1;
	host_at = fm_compile_alloc(compile, &program->cold,
	    model->nhosts * sizeof *host_at);
	hosts = fm_compile_alloc(compile, &program->cold, bytes);
	for (i = 0; i < model->nhosts; i++) {
		host_at[i] = at;
		memcpy(hosts + at, model->hosts[i].pattern.b,
		    model->hosts[i].pattern.len);
		at += (uint32_t)model->hosts[i].pattern.len;
		hosts[at++] = '\0';
	}
	program->host_at = host_at;
	program->hosts = hosts;
}

/*
 * Packs the places of hosts.  The hosts of a file follow one another, and there
 * are at most FM_LIMIT_FILES files, each of which may come again after one that
 * it includes.
 */
static void
pack_host_places(struct fm_compile *compile, struct fm_program *program)
{
	const struct fm_model *model = compile->model;
	struct fm_host_place *places;
	const char **files, *last = NULL;
	struct fm_place at;
	size_t nfiles = 0, i;

	for (i = 0; i < model->nhosts; i++)
		nfiles += i == 0 ||
		    model->hosts[i].at.name != model->hosts[i - 1].at.name;
	assert(nfiles <= UINT16_MAX);
	files = fm_compile_alloc(compile, &program->cold,
	    nfiles * sizeof *files);
	places = fm_compile_alloc(compile, &program->cold,
	    model->nhosts * sizeof *places);
	for (nfiles = i = 0; i < model->nhosts; i++) {
		at = model->hosts[i].at;
		if (i == 0 || at.name != last) {
			last = at.name;
			fm_compile_place(compile, &at);
			files[nfiles++] = at.name;
		}
		places[i] = (struct fm_host_place){ .line = at.line,
		    .column = at.column > UINT16_MAX ? 0 :
		    (uint16_t)at.column, .file = (uint16_t)(nfiles - 1) };
	}
	program->host_files = files;
	program->host_places = places;
}

static void
pack_cold(struct fm_compile *compile, struct fm_program *program)
{
	struct fm_stmt_code *stmts;
	size_t i;

	COLD(rules);
	COLD(backends);
	COLD(backend_places);
	COLD(calls);
	COLD(bans);
	pack_hosts(compile, program);
	pack_host_places(compile, program);
	fm_compile_count_sort(compile);
	stmts = fm_compile_alloc(compile, &program->cold,
	    compile->stmts.n * sizeof *stmts);
	for (i = 0; i < compile->stmts.n; i++)
		stmts[i] = FM_GROW_AT(&compile->stmts, struct fm_compile_stmt,
		    i)->code;
	program->stmts = stmts;
}

static void
pack_counts(const struct fm_compile *compile, struct fm_program *program)
{
	program->nbackends = (uint32_t)compile->backends.n;
	program->ncalls = (uint32_t)compile->calls.n;
	program->nrules = (uint32_t)compile->rules.n;
	program->ntests = (uint32_t)compile->tests.n;
	program->npieces = (uint32_t)compile->pieces.n;
	program->nstmts = (uint32_t)compile->stmts.n;
	program->nsets = (uint32_t)compile->sets.n;
	program->nnets = (uint32_t)compile->nets.n;
	program->nparams = (uint32_t)compile->params.n;
	program->npatterns = (uint32_t)compile->patterns.n;
	program->nhosts = (uint32_t)compile->model->nhosts;
	assert(fm_hosttab_count(program->hosttab) == program->nhosts);
}

/*--------------------------------------------------------------------
 * Phases
 */

/* Members of a program of which each phase has its own. */
#define PHASE_MEMBERS(M)						\
	M(slots) M(nslots) M(slot_heads) M(request_heads) M(slot_at)	\
	M(near_slots)							\
	M(reads_request) M(reads_rule) M(tells_cache) M(acts_in_synth)	\
	M(adds) M(adds_most) M(block_adds)				\
	M(always) M(finally) M(otherwise)				\
	M(nmemos) M(ncommon) M(nregs) M(wants)			\
	M(trust_slot) M(trust) M(nblocks) M(phase_blocks_at)		\
	M(key_ids) M(key_id)

static void
phase_copy(struct fm_program *to, const struct fm_program *from)
{
#define M(member)	memcpy(&to->member, &from->member, sizeof to->member);
	PHASE_MEMBERS(M)
#undef M
}

/* The slots that lists of operations set. */
struct slots_set {
	uint64_t		words[FM_SLOT_WORDS];
	bool			known;
};

/* Adds the slots that a list sets; `rulesets` has those of each ruleset. */
static void
slots_add(struct fm_compile *compile, struct slots_set *rulesets,
    uint32_t block, struct slots_set *set)
{
	const struct fm_op *op;
	struct slots_set *used;
	uint32_t n, i;

	n = FM_GROW_AT(&compile->blocks, struct fm_block_code,
	    compile->blocks_at + block)->traced;
	for (;; n++) {
		op = FM_GROW_AT(&compile->ops, struct fm_op, n);
		if (op->code == FM_OP_END)
			return;
		if (op->code == FM_OP_SET || op->code == FM_OP_VARY_ADD ||
		    op->code == FM_OP_CACHE_STATUS ||
		    op->code == FM_OP_NO_VARY_SEARCH)
			set->words[op->slot / 64] |=
			    (uint64_t)1 << op->slot % 64;
		if (op->code != FM_OP_USE)
			continue;
		used = &rulesets[op->a];
		if (!used->known) {
			used->known = true;
			slots_add(compile, rulesets, op->a, used);
		}
		for (i = 0; i < FM_SLOT_WORDS; i++)
			set->words[i] |= used->words[i];
	}
}

static uint8_t
slots_count(const struct slots_set *set)
{
	unsigned count = 0, i;

	for (i = 0; i < FM_SLOT_WORDS; i++)
		count += (unsigned)__builtin_popcountll(set->words[i]);
	return ((uint8_t)count);
}

/* Counts the slots that each block may set, with `always` and `finally`. */
static void
slots_of_blocks(struct fm_compile *compile, struct fm_program *program)
{
	struct slots_set *rulesets, all = { .known = true }, set;
	uint8_t *adds;
	uint32_t i;

	rulesets = fm_compile_alloc(compile, &compile->lowered,
	    compile->model->nrulesets * sizeof *rulesets);
	adds = fm_compile_alloc(compile, &program->cold, program->nblocks);
	if (program->always != FM_NONE)
		slots_add(compile, rulesets, program->always, &all);
	if (program->finally != FM_NONE)
		slots_add(compile, rulesets, program->finally, &all);
	program->adds = program->adds_most = slots_count(&all);
	for (i = 0; i < program->nblocks; i++) {
		set = all;
		slots_add(compile, rulesets, i, &set);
		adds[i] = slots_count(&set);
		if (program->adds_most < adds[i])
			program->adds_most = adds[i];
	}
	program->block_adds = adds;
}

/* Ends a phase, whose blocks have been compiled: its slots are known. */
static void
phase_end(struct fm_compile *compile)
{
	struct fm_program *program = compile->p;

	fm_compile_slots_end(compile);
	pack_slots(compile, program);
	program->nslots = (uint32_t)compile->slots.n;
	program->near_slots = !fm_phase_is_response(compile->phase) &&
	    slots_near(program);
	program->nblocks = (uint32_t)compile->blocks.n - compile->blocks_at;
	if (compile->phase == FM_PHASE_DELIVERY) {
		slots_of_blocks(compile, program);
		program->acts_in_synth = fm_compile_acts_in_synth(compile);
	}
	if (compile->phase == FM_PHASE_KEY)
		fm_compile_key_ids(compile);
	compile->slots.n = 0;
}

/*
 * Makes the copies of a program for its phases complete, once it has all but
 * its operations.
 */
static void
phases_end(struct fm_program *program)
{
	struct fm_program *copy, own = { .magic = 0 };
	unsigned i;

	for (i = 0; i < FM_PHASE__KINDS; i++) {
		copy = program->phases[i];
		if (copy == NULL)
			continue;
		phase_copy(&own, copy);
		*copy = *program;
		phase_copy(copy, &own);
		copy->blocks += copy->phase_blocks_at;
		copy->requests = program;
		copy->of_response = fm_phase_is_response((enum fm_phase)i);
		memset(copy->phases, 0, sizeof copy->phases);
		fm_exec_plan(copy);
	}
}

/* Gives the program the operations, which need no copy. */
static void
pack_ops(struct fm_compile *compile, struct fm_program *program)
{
	unsigned i;

	fm_grow_trim(&compile->ops, sizeof *program->ops);
	program->ops = compile->ops.items;
	program->nops = (uint32_t)compile->ops.n;
	compile->ops.items = NULL;
	for (i = 0; i < FM_PHASE__KINDS; i++)
		if (program->phases[i] != NULL)
			program->phases[i]->ops = program->ops;
}

static void
pack_all(struct fm_compile *compile)
{
	struct fm_program *program = compile->p;

	program->hosttab = fm_hosttab_hold(compile->model->hosttab);
	fm_compile_readings(compile);
	pack_hot(compile, program);
	pack_cold(compile, program);
	pack_counts(compile, program);
	fm_exec_plan(program);
	phases_end(program);
	fm_compile_routes(compile);
	pack_ops(compile, program);
}

/*--------------------------------------------------------------------
 * All of it
 */

static void
compile_start(struct fm_compile *compile)
{
	struct fm_program *program = compile->p;

	program->trust = FM_NONE;
	program->undecided = compile->model->undecided_mode;
	program->undecided_status = (uint16_t)compile->model->undecided_code;
	program->undecided_reason = program->undecided_rule = FM_NONE;
	compile->lists = fm_compile_nones(compile, &compile->lowered,
	    compile->model->nlists + compile->model->nmaps);
	compile->lists_of_hosts = fm_compile_nones(compile, &compile->lowered,
	    compile->model->nlists + compile->model->nmaps);
}

/* Begins a phase with the slots that each has. */
static void
phase_start(struct fm_compile *compile)
{
	static const struct fm_place nowhere = { .name = "rules" };
	struct fm_program *program = compile->p;
	const struct fm_list_def *map;
	uint8_t slot;

	for (map = compile->model->maps; map != NULL; map = map->next)
		if (map->varies)
			compile->lists[map->number] = FM_NONE;
	memset(program->slot_heads, 0, sizeof program->slot_heads);
	memset(program->request_heads, 0, sizeof program->request_heads);
	program->slot_at = 0;
	program->always = program->finally = program->otherwise = FM_NONE;
	program->nmemos = program->ncommon = program->nregs = 0;
	program->wants = 0;
	slot = fm_compile_request_slot(compile, fm_text_of("Host"), &nowhere);
	assert(slot == FM_SLOT_HOST);
	slot = fm_compile_request_slot(compile, fm_text_of("Cookie"),
	    &nowhere);
	assert(slot == FM_SLOT_OF_COOKIE);
	program->reads_request = program->reads_rule = false;
	program->tells_cache = false;
}

/* Compiles the phases after that of requests, each to a copy of the program. */
static void
compile_phases(struct fm_compile *compile)
{
	struct fm_program requests = { .magic = 0 }, *copy;
	unsigned phase;

	phase_copy(&requests, compile->p);
	for (phase = 1; phase < FM_PHASE__KINDS; phase++) {
		compile->phase = (enum fm_phase)phase;
		if (!fm_model_has(compile->model, compile->phase))
			continue;
		phase_start(compile);
		compile_blocks(compile);
		compile_trust(compile);
		phase_end(compile);
		copy = fm_compile_alloc(compile, &compile->p->cold,
		    sizeof *copy);
		phase_copy(copy, compile->p);
		copy->phase_blocks_at = compile->blocks_at;
		compile->p->phases[phase] = copy;
	}
	compile->phase = FM_PHASE_REQUEST;
	phase_copy(compile->p, &requests);
}

static void __attribute__((noinline))
compile_all(struct fm_compile *compile)
{
	if (compile->p == NULL)
		fm_compile_no_memory(compile);
	compile_start(compile);
	phase_start(compile);
	fm_compile_shares(compile);
	compile_blocks(compile);
	compile_undecided(compile);
	compile_trust(compile);
	fm_compile_schemes(compile);
	phase_end(compile);
	compile_phases(compile);
	pack_all(compile);
}

/* Returns false if anything has failed.  Has no variable that may change. */
static bool
compile_try(struct fm_compile *compile)
{
	if (setjmp(compile->failed) != 0)
		return (false);
	compile_all(compile);
	return (true);
}

/* Frees what was made of a program that failed. */
static void
compile_undo(struct fm_compile *compile)
{
	struct fm_program *program = compile->p;

	program->sets = compile->sets.items;
	program->nsets = (uint32_t)compile->sets.n;
	program->nets = compile->nets.items;
	program->nnets = (uint32_t)compile->nets.n;
	program->params = compile->params.items;
	program->nparams = (uint32_t)compile->params.n;
	program->patterns = compile->patterns.items;
	program->npatterns = (uint32_t)compile->patterns.n;
	fm_program_free(&compile->p);
}

static void
compile_fini(struct fm_compile *compile)
{
	struct fm_grow *grows[] = { &compile->blocks,
	    &compile->ops, &compile->conds, &compile->tests, &compile->captures,
	    &compile->texts, &compile->templates,
	    &compile->pieces, &compile->offers, &compile->usual_answers,
	    &compile->sets, &compile->nets, &compile->params,
	    &compile->patterns, &compile->maps, &compile->map_lines,
	    &compile->map_matches, &compile->map_lead_at, &compile->map_leads,
	    &compile->readings[0], &compile->readings[1],
	    &compile->reading_numbers,
	    &compile->slots, &compile->backends, &compile->backend_places,
	    &compile->calls, &compile->bans, &compile->rules,
	    &compile->cold_texts, &compile->line, &compile->pools,
	    &compile->shares, &compile->members, &compile->stmts,
	    &compile->repeats, &compile->operands };
	size_t i;

	fm_compile_pools_fini(compile, 0);
	/* A run that was ended has no magic. */
	if (compile->trial != NULL && compile->trial->magic != 0)
		fm_run_end(compile->trial);
	for (i = 0; i < sizeof grows / sizeof grows[0]; i++)
		fm_grow_fini(grows[i]);
	fm_intern_fini(&compile->intern);
	fm_arena_fini(&compile->lowered);
	fm_arena_fini(&compile->plan);
}

/* Compiles a model; if it only `counts`, to a program that can't run. */
static struct fm_program *
compile(const struct fm_model *model,
    const struct fm_compile_options *options, bool counts,
    struct fm_diag *diag)
{
	struct fm_caps caps = { .over = false };
	struct fm_compile compile = { .model = model, .diag = diag };

	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(model->hosttab != NULL);
	if (options != NULL) {
		compile.tell = options->tell;
		compile.tell_priv = options->tell_priv;
	}
	FM_OBJ_NEW(compile.p, FM_PROGRAM_MAGIC);
	fm_caps_begin(&caps);
	caps.counts = counts;
	if (!compile_try(&compile) && compile.p != NULL)
		compile_undo(&compile);
	fm_caps_end(!counts);
	compile_fini(&compile);
	return (compile.p);
}

/*
 * Where a load shares its caps, many files may be refused one after the other.
 * So it first counts: a file that has no room costs no time of Hyperscan.
 */
struct fm_program *
fm_compile(const struct fm_model *model,
    const struct fm_compile_options *options, struct fm_diag *diag)
{
	struct fm_program *counted;

	if (fm_caps_are_shared()) {
		counted = compile(model, NULL, true, diag);
		if (counted == NULL)
			return (NULL);
		fm_program_free(&counted);
	}
	return (compile(model, options, false, diag));
}
