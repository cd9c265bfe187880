/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies the compiler's arrays into a program.  One arena has
 * the arrays that requests use, another one (`people`) the texts that only
 * people read.
 */

#include "compile_priv.h"
#include "name_words.h"
#include "obj.h"
#include "route.h"

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

void
fm_compile_pack(struct fm_compile *c)
{
	struct fm_program *p = c->p;

	p->hosttab = fm_hosttab_hold(c->model->hosttab);
	pack_hot(c, p);
	pack_cold(c, p);
	pack_counts(c, p);
	if (fm_routes_make(p, (const void *)c->ops.items, c->ops.n) != 0)
		fm_compile_no_memory(c);
}
