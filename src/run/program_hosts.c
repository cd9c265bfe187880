/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the hosts that a rule is for, for a page.  No request runs this.
 */

#include <stdlib.h>

#include "obj.h"
#include "program_priv.h"

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
