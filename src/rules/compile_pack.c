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

/* Allocates for a program.  Failure is noted in c->no_memory. */
static void *
pack_room(struct fm_compile *c, struct fm_arena *arena, size_t bytes)
{
	void *p = fm_arena_alloc(arena, bytes);

	if (p == NULL)
		(void)fm_compile_no_memory(c);
	return (p);
}

static void *
pack_copy(struct fm_compile *c, struct fm_arena *arena,
    const struct fm_grow *grow, size_t size)
{
	void *p = pack_room(c, arena, grow->n * size);

	if (p != NULL && grow->n > 0)
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
slots_near(const struct fm_compile *c)
{
	const struct fm_slot *a, *b;
	size_t i, j;

	for (i = 0; i < c->nslots; i++)
		for (j = 0; j < i; j++) {
			a = &c->slots[i];
			b = &c->slots[j];
			if (a->name.len == b->name.len &&
			    fm_name_nearly(a->name.b, b->name.b, a->name.len))
				return (true);
		}
	return (false);
}

/* Packs all that requests run, but for the operations (route.c). */
static void
pack_hot(struct fm_compile *c, struct fm_program *p)
{
	size_t bytes = c->nslots * sizeof *c->slots;
	struct fm_slot *slots = pack_room(c, &p->arena, bytes);

	if (slots != NULL)
		memcpy(slots, c->slots, bytes);
	p->slots = slots;
	p->nslots = c->nslots;
	p->near_slots = slots_near(c);
	memcpy(p->slot_heads, c->slot_heads, sizeof p->slot_heads);
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
	host_at = pack_room(c, &p->people, m->nhosts * sizeof *host_at);
	hosts = pack_room(c, &p->people, bytes);
	for (i = 0; i < m->nhosts && !c->no_memory; i++) {
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
	stmts = pack_room(c, &p->people, c->stmts.n * sizeof *stmts);
	for (i = 0; i < c->stmts.n && stmts != NULL; i++)
		stmts[i] = FM_GROW_AT(&c->stmts, struct fm_compile_stmt,
		    i)->code;
	p->stmts = stmts;
}

static void
pack_facts(const struct fm_compile *c, struct fm_program *p)
{
	p->always = c->always;
	p->finally = c->finally;
	p->otherwise = c->otherwise;
	p->nmemos = c->most_memos;
	p->ncommon = c->always_memos;
	p->nregs = c->nregs;
	p->nknown = c->nknown;
	p->wants_client = c->wants_client;
	p->trust = c->trust;
	p->trust_slot = c->trust_slot;
	p->undecided = c->model->undecided_mode;
	p->undecided_status = (uint16_t)c->model->undecided_code;
	p->undecided_reason = c->undecided_reason;
	p->undecided_rule = c->undecided_rule;
	p->nbackends = (uint32_t)c->backends.n;
	p->nblocks = (uint32_t)c->blocks.n;
	p->nrules = (uint32_t)c->rules.n;
	p->ntests = (uint32_t)c->tests.n;
	p->npieces = (uint32_t)c->pieces.n;
	p->nstmts = (uint32_t)c->stmts.n;
	p->first_host = c->ncounters;
	p->nhosts = (uint32_t)c->model->nhosts;
	assert(fm_hosttab_count(p->hosttab) == p->nhosts);
}

/* Hands sets, nets, params and patterns over to the program. */
static void
pack_owned(struct fm_compile *c, struct fm_program *p)
{
	p->nsets = (uint32_t)c->sets.n;
	p->nnets = (uint32_t)c->nets.n;
	p->nparams = (uint32_t)c->params.n;
	p->npatterns = (uint32_t)c->patterns.n;
	c->sets.n = c->nets.n = c->params.n = c->patterns.n = 0;
}

struct fm_program *
fm_compile_pack(struct fm_compile *c)
{
	struct fm_program *p;

	FM_OBJ_NEW(p, FM_PROGRAM_MAGIC);
	if (p == NULL) {
		(void)fm_compile_no_memory(c);
		return (NULL);
	}
	p->hosttab = fm_hosttab_hold(c->model->hosttab);
	p->arena = c->arena;
	p->people = c->people;
	c->arena = c->people = (struct fm_arena){ NULL };
	fm_compile_count_sort(c);
	pack_hot(c, p);
	pack_cold(c, p);
	if (c->no_memory) {
		fm_program_free(&p);
		return (NULL);
	}
	pack_facts(c, p);
	pack_owned(c, p);
	if (fm_routes_make(p, (const void *)c->ops.items, c->ops.n) != 0) {
		(void)fm_compile_no_memory(c);
		fm_program_free(&p);
	}
	return (p);
}
