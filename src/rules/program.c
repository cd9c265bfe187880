/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells about a program (program.h), and frees it.
 */

#include "obj.h"
#include "program_priv.h"

/* A program that failed to compile has items that are NULL. */
void
fm_program_free(struct fm_program **programp)
{
	struct fm_program *p;
	struct fm_names *names;
	uint32_t i;

	FM_OBJ_TAKE(p, programp, FM_PROGRAM_MAGIC);
	for (i = 0; i < p->nsets; i++)
		if (p->sets[i] != NULL)
			fm_patset_free(&p->sets[i]);
	for (i = 0; i < p->nnets; i++)
		if (p->nets[i] != NULL)
			fm_networks_free(&p->nets[i]);
	for (i = 0; i < p->nparams; i++) {
		names = (struct fm_names *)(uintptr_t)p->params[i].names;
		if (names != NULL)
			fm_names_free(&names);
	}
	for (i = 0; i < p->npatterns; i++)
		if (p->patterns[i] != NULL)
			fm_pattern_free(&p->patterns[i]);
	if (p->hosttab != NULL)
		fm_hosttab_free(&p->hosttab);
	free(p->route_of);
	free(p->ops);
	fm_arena_fini(&p->arena);
	fm_arena_fini(&p->people);
	FM_OBJ_FREE(p);
}

bool
fm_program_wants_client(const struct fm_program *p)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return (p->wants_client);
}

uint32_t
fm_program_nbackends(const struct fm_program *p)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return (p->nbackends);
}

const char *
fm_program_backend(const struct fm_program *p, uint32_t n,
    struct fm_place *place)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	assert(n < p->nbackends);
	if (place != NULL)
		*place = p->backend_places[n];
	return (p->backends[n]);
}

size_t
fm_program_hosts(const struct fm_program *p)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return (fm_hosttab_count(p->hosttab));
}

size_t
fm_program_bytes(const struct fm_program *p)
{
	size_t bytes;
	uint32_t i;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	bytes = sizeof *p + fm_arena_bytes(&p->arena) +
	    fm_arena_bytes(&p->people) +
	    fm_hosttab_bytes(p->hosttab);
	if (p->route_of != NULL)
		bytes += p->nhosts * sizeof *p->route_of;
	bytes += p->nops * sizeof *p->ops;
	for (i = 0; i < p->nsets; i++)
		bytes += fm_patset_bytes(p->sets[i]);
	for (i = 0; i < p->nnets; i++)
		bytes += fm_networks_bytes(p->nets[i]);
	for (i = 0; i < p->nparams; i++)
		if (p->params[i].names != NULL)
			bytes += fm_names_bytes(p->params[i].names);
	for (i = 0; i < p->npatterns; i++)
		bytes += fm_pattern_bytes(p->patterns[i]);
	return (bytes);
}

const struct fm_rule *
fm_program_guard(const struct fm_program *p, const struct fm_rule *rule)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return (rule->guard == 0 ? NULL : &p->rules[rule->guard - 1]);
}

uint32_t
fm_program_rule_number(const struct fm_program *p, const struct fm_rule *rule)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return ((uint32_t)(rule - p->rules));
}

bool
fm_program_has_header(const struct fm_program *p, struct fm_text name)
{
	uint32_t i;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	for (i = 0; i < p->nslots; i++)
		if (fm_text_eq_nocase(p->slots[i].name, name))
			return (true);
	return (false);
}

bool
fm_program_tests(const struct fm_program *p, const struct fm_rule *when,
    uint32_t n, struct fm_text *header)
{
	uint32_t first, i;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	first = (uint32_t)(when - p->rules) + 1;
	/* The tests of a `when` follow it. */
	i = first + n;
	if (i >= p->nrules || p->rules[i].guard != first ||
	    p->rules[i].tests == 0)
		return (false);
	*header = p->rules[i].tests == 1 ? fm_text(NULL, 0) :
	    p->slots[p->rules[i].tests - 2].name;
	return (true);
}

/*--------------------------------------------------------------------
 * Counters
 */

uint32_t
fm_program_ncounters(const struct fm_program *p)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return (p->first_host + p->nhosts);
}

size_t
fm_program_npatterns(const struct fm_program *p)
{
	size_t n;
	uint32_t i;

	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	n = p->npatterns;
	for (i = 0; i < p->nsets; i++)
		n += fm_patset_count(p->sets[i]);
	return (n);
}

size_t
fm_program_nrules(const struct fm_program *p)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	return (p->nstmts);
}

bool
fm_program_rule(const struct fm_program *p, uint32_t n,
    const struct fm_rule **rule, uint32_t *counter)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	if (n >= p->nstmts)
		return (false);
	*rule = &p->rules[p->stmts[n].rule];
	if (counter != NULL)
		*counter = p->stmts[n].counter;
	return (true);
}

uint64_t
fm_program_rule_id(const struct fm_program *p, uint32_t n)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	assert(n < p->nstmts);
	return (p->stmts[n].id);
}

const char *
fm_program_host(const struct fm_program *p, uint32_t n, uint32_t *counter)
{
	FM_OBJ_CHECK(p, FM_PROGRAM_MAGIC);
	if (n >= p->nhosts)
		return (NULL);
	if (counter != NULL)
		*counter = p->first_host + n;
	return (p->hosts + p->host_at[n]);
}
