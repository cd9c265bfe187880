/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters for a program: what knows both.
 */

#include <stdlib.h>

#include "rules_hits.h"

size_t
fm_rules_hits_count(const struct fm_program *program)
{
	return (fm_program_nrules(program) + fm_program_hosts(program));
}

struct fm_hits *
fm_rules_hits_new(const char *path, const struct fm_program *program)
{
	size_t n = fm_rules_hits_count(program), i = 0;
	uint64_t *ids = calloc(n + 1, sizeof *ids);
	uint32_t *counter_of = calloc(n + 1, sizeof *counter_of), at;
	const struct fm_rule *rule;
	struct fm_hits *hits = NULL;

	if (ids != NULL && counter_of != NULL) {
		for (at = 0; fm_program_rule(program, at, &rule,
		    &counter_of[i]); at++)
			ids[i++] = fm_program_rule_id(program, at);
		for (at = 0; fm_program_host(program, at,
		    &counter_of[i]) != NULL; at++)
			ids[i++] = fm_program_host_id(program, at);
		hits = fm_hits_new(path, ids, counter_of,
		    fm_program_nrules(program), fm_program_hosts(program),
		    fm_program_ncounters(program));
	}
	free(ids);
	free(counter_of);
	return (hits);
}
