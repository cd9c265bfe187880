/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Plans the memory of a program's runs, tells about a program (program.h), and
 * frees it.
 */

#include "obj.h"
#include "run_priv.h"

void
fm_exec_plan(struct fm_program *program)
{
	size_t at = program->nslots * sizeof(struct fm_request_slot);

	program->regs_at = (uint32_t)at;
	at += program->nregs * sizeof(struct fm_text *);
	program->versions_at = (uint32_t)at;
	at += program->nmemos * sizeof(uint32_t);
	program->memos_at = (uint32_t)(at = (at + 7) & ~7UL);
	at += program->nmemos * sizeof(struct fm_memo);
	program->run_bytes = (uint32_t)at;
	assert(at == program->run_bytes);
}

/* A program that failed to compile has items that are NULL. */
void
fm_program_free(struct fm_program **programp)
{
	struct fm_program *program;
	struct fm_names *names;
	uint32_t i;

	FM_OBJ_TAKE(program, programp, FM_PROGRAM_MAGIC);
	for (i = 0; i < program->nsets; i++)
		if (program->sets[i] != NULL)
			fm_patset_free(&program->sets[i]);
	for (i = 0; i < program->nnets; i++)
		if (program->nets[i] != NULL)
			fm_networks_free(&program->nets[i]);
	for (i = 0; i < program->nparams; i++) {
		names = (struct fm_names *)(uintptr_t)program->params[i].names;
		if (names != NULL)
			fm_names_free(&names);
	}
	for (i = 0; i < program->npatterns; i++)
		if (program->patterns[i] != NULL)
			fm_pattern_free(&program->patterns[i]);
	if (program->hosttab != NULL)
		fm_hosttab_free(&program->hosttab);
	free(program->ops);
	fm_arena_fini(&program->arena);
	fm_arena_fini(&program->cold);
	FM_OBJ_FREE(program);
}

const struct fm_program *
fm_program_phase(const struct fm_program *program, enum fm_phase phase)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	assert(phase < FM_PHASE__KINDS);
	return (phase == FM_PHASE_REQUEST ? program : program->phases[phase]);
}

bool
fm_program_sets_host(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->sets_host);
}

bool
fm_program_asks_own(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->asks_own);
}

bool
fm_program_acts_in_synth(const struct fm_program *program)
{
	const struct fm_program *delivery = fm_program_phase(program,
	    FM_PHASE_DELIVERY);

	return (delivery != NULL && delivery->acts_in_synth);
}

bool
fm_program_wants_cause(const struct fm_program *program)
{
	const struct fm_program *delivery = fm_program_phase(program,
	    FM_PHASE_DELIVERY);

	return (delivery != NULL && delivery->tells_cache &&
	    fm_program_phase(program, FM_PHASE_RESPONSE) == NULL);
}

bool
fm_program_reads_rule(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->reads_rule);
}

bool
fm_program_tells_cache(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->tells_cache);
}

bool
fm_program_keeps_client(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return ((program->trust != FM_NONE || program->nschemes > 0) &&
	    (program->phases[FM_PHASE_KEY] != NULL ||
	    program->phases[FM_PHASE_FETCH] != NULL ||
	    program->phases[FM_PHASE_RESPONSE] != NULL));
}

bool
fm_program_reads_request(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->reads_request);
}

unsigned
fm_program_adds(const struct fm_program *program, uint32_t block)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (block == FM_NONE ? program->adds : program->block_adds[block]);
}

unsigned
fm_program_adds_most(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->adds_most);
}

uint64_t
fm_program_key_id(const struct fm_program *program, uint32_t block)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->key_ids[block == FM_NONE ? program->nblocks : block]);
}

uint64_t
fm_program_key_ids(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->key_id);
}

static bool
block_is_empty(const struct fm_program *program, uint32_t block)
{
	return (block == FM_NONE ||
	    program->ops[program->blocks[block].traced].code == FM_OP_END);
}

bool
fm_program_is_idle(const struct fm_program *program, uint32_t block)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (block_is_empty(program, program->always) &&
	    block_is_empty(program, program->finally) &&
	    block_is_empty(program, block));
}

unsigned
fm_program_wants(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->wants);
}

uint32_t
fm_program_nbackends(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->nbackends);
}

const char *
fm_program_backend(const struct fm_program *program, uint32_t n,
    struct fm_place *place)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	assert(n < program->nbackends);
	if (place != NULL)
		*place = program->backend_places[n];
	return (program->backends[n]);
}

uint32_t
fm_program_ncalls(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->ncalls);
}

const char *
fm_program_call(const struct fm_program *program, uint32_t n,
    struct fm_place *place, unsigned *phases)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	assert(n < program->ncalls);
	if (place != NULL)
		*place = program->calls[n].at;
	if (phases != NULL)
		*phases = program->calls[n].phases;
	return (program->calls[n].name);
}

size_t
fm_program_hosts(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (fm_hosttab_count(program->hosttab));
}

size_t
fm_program_bytes(const struct fm_program *program)
{
	size_t bytes;
	uint32_t i;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	bytes = sizeof *program + fm_arena_bytes(&program->arena) +
	    fm_arena_bytes(&program->cold) +
	    fm_hosttab_bytes(program->hosttab);
	bytes += program->nops * sizeof *program->ops;
	for (i = 0; i < program->nsets; i++)
		bytes += fm_patset_bytes(program->sets[i]);
	for (i = 0; i < program->nnets; i++)
		bytes += fm_networks_bytes(program->nets[i]);
	for (i = 0; i < program->nparams; i++)
		if (program->params[i].names != NULL)
			bytes += fm_names_bytes(program->params[i].names);
	for (i = 0; i < program->npatterns; i++)
		bytes += fm_pattern_bytes(program->patterns[i]);
	return (bytes);
}

const struct fm_rule *
fm_program_guard(const struct fm_program *program, const struct fm_rule *rule)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (rule->guard == 0 ? NULL : &program->rules[rule->guard - 1]);
}

uint32_t
fm_program_rule_number(const struct fm_program *program,
    const struct fm_rule *rule)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return ((uint32_t)(rule - program->rules));
}

bool
fm_program_has_header(const struct fm_program *program, struct fm_text name)
{
	uint32_t i;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	for (i = 0; i < program->nslots; i++)
		if (fm_text_eq_nocase(program->slots[i].name, name))
			return (true);
	return (false);
}

bool
fm_program_tests(const struct fm_program *program, const struct fm_rule *when,
    uint32_t n, struct fm_text *header)
{
	uint32_t first, i;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	first = (uint32_t)(when - program->rules) + 1;
	/* The tests of a `when` follow it. */
	i = first + n;
	if (i >= program->nrules || program->rules[i].guard != first ||
	    program->rules[i].tests == 0)
		return (false);
	*header = program->rules[i].tests == 1 ? fm_text(NULL, 0) :
	    program->slots[program->rules[i].tests - 2].name;
	return (true);
}

/*--------------------------------------------------------------------
 * Counters
 */

uint32_t
fm_program_ncounters(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->first_host + program->nhosts);
}

size_t
fm_program_npatterns(const struct fm_program *program)
{
	size_t n;
	uint32_t i;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	n = program->npatterns;
	for (i = 0; i < program->nsets; i++)
		n += fm_patset_count(program->sets[i]);
	return (n);
}

size_t
fm_program_nrules(const struct fm_program *program)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	return (program->nstmts);
}

bool
fm_program_rule(const struct fm_program *program, uint32_t n,
    const struct fm_rule **rule, uint32_t *counter)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	if (n >= program->nstmts)
		return (false);
	*rule = &program->rules[program->stmts[n].rule];
	if (counter != NULL)
		*counter = program->stmts[n].counter;
	return (true);
}

uint64_t
fm_program_rule_id(const struct fm_program *program, uint32_t n)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	assert(n < program->nstmts);
	return (program->stmts[n].id);
}

const char *
fm_program_host(const struct fm_program *program, uint32_t n, uint32_t *counter)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	if (n >= program->nhosts)
		return (NULL);
	if (counter != NULL)
		*counter = program->first_host + n;
	return (program->hosts + program->host_at[n]);
}

struct fm_place
fm_program_host_place(const struct fm_program *program, uint32_t n)
{
	const struct fm_host_place *place;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	assert(n < program->nhosts);
	place = &program->host_places[n];
	return ((struct fm_place){ .name = program->host_files[place->file],
	    .line = place->line, .column = place->column });
}

/* Returns true if the operation is a statement's, so that it names its rule. */
static bool
is_of_rule(const struct fm_op *op)
{
	return (op->code != FM_OP_COUNT && op->code != FM_OP_TEST &&
	    op->code != FM_OP_ELSE && op->code != FM_OP_JUMP);
}

/* Returns true if a block, or a ruleset that it uses, has the rule. */
static bool
block_has(const struct fm_program *program, uint32_t block, uint32_t rule)
{
	const struct fm_op *op;

	if (block == FM_NONE)
		return (false);
	op = &program->ops[program->blocks[block].traced];
	for (; op->code != FM_OP_END; op++)
		if ((is_of_rule(op) && op->rule == rule) ||
		    (op->code == FM_OP_USE &&
		    block_has(program, op->a, rule)))
			return (true);
	return (false);
}

/* Adds the hosts of a phase's program, by the blocks of the hosts. */
static int
phase_hosts(const struct fm_program *program, uint32_t rule,
    const uint32_t *entries, struct fm_rule_hosts *found)
{
	/* Many hosts may have the same block: 1 has the rule, 2 has not. */
	char *known = calloc(program->nblocks + 1, 1);
	uint32_t host, block;

	if (known == NULL)
		return (-1);
	found->all |= block_has(program, program->always, rule) ||
	    block_has(program, program->finally, rule);
	found->otherwise |= block_has(program, program->otherwise, rule);
	for (host = 0; host < program->nhosts; host++) {
		block = entries[host];
		if (known[block] == 0)
			known[block] =
			    block_has(program, block, rule) ? 1 : 2;
		found->hosts[host] |= known[block] == 1;
	}
	free(known);
	return (0);
}

int
fm_program_rule_hosts(const struct fm_program *program, uint32_t n,
    struct fm_rule_hosts *found)
{
	const struct fm_program *phase;
	uint32_t *entries;
	int status, kind;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	assert(n < program->nstmts);
	found->all = found->otherwise = false;
	found->hosts = calloc(program->nhosts + 1, sizeof *found->hosts);
	entries = calloc(program->nhosts + 1, sizeof *entries);
	status = found->hosts == NULL || entries == NULL ? -1 : 0;
	if (status == 0) {
		fm_hosttab_entries(program->hosttab, entries);
		status = phase_hosts(program, program->stmts[n].rule, entries,
		    found);
	}
	for (kind = 0; kind < FM_PHASE__KINDS && status == 0; kind++) {
		phase = program->phases[kind];
		if (phase != NULL)
			status = phase_hosts(phase, program->stmts[n].rule,
			    entries, found);
	}
	free(entries);
	if (status != 0) {
		free(found->hosts);
		found->hosts = NULL;
	}
	return (status);
}
