/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies the compiler's arrays into a program.  What requests run is put into
 * one piece of memory ("hot"), what only people read into another ("cold").
 *
 * Each pack_*() function runs twice: first pack->at is NULL, and the function
 * only adds up the room that it needs; then it copies.
 */

#include "compile_priv.h"
#include "name_words.h"
#include "fold.h"
#include "obj.h"
#include "route.h"

/* Every array begins at a multiple of this. */
#define PACK_ALIGN	_Alignof(max_align_t)

struct pack {
	char	*at;		/* the piece of memory; NULL: first time */
	size_t	bytes;		/* used so far */
};

static void *
pack_room(struct pack *pack, size_t bytes)
{
	void *p = pack->at == NULL ? NULL : pack->at + pack->bytes;

	pack->bytes += (bytes + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN;
	return (p);
}

/* Copies an array.  Returns the copy; or NULL the first time. */
static void *
pack_copy(struct pack *pack, const struct fm_grow *grow, size_t size)
{
	void *p = pack_room(pack, grow->n * size);

	if (p != NULL && grow->n > 0)
		memcpy(p, grow->items, grow->n * size);
	return (p);
}

static struct fm_text
pack_text(const char *bytes, const struct fm_compile_text *code)
{
	return (fm_text(bytes + code->at, code->len));
}

static void
pack_texts(struct pack *pack, const struct fm_compile *c, const char *bytes,
    struct fm_program *p)
{
	struct fm_text *texts = pack_room(pack, c->texts.n * sizeof *texts);
	size_t i;

	if (texts == NULL)
		return;
	for (i = 0; i < c->texts.n; i++)
		texts[i] = pack_text(bytes, FM_GROW_AT(&c->texts,
		    struct fm_compile_text, i));
	p->texts = texts;
}

static void
pack_blocks(struct pack *pack, const struct fm_compile *c, const char *bytes,
    struct fm_program *p)
{
	struct fm_block_code *blocks;
	const struct fm_compile_block *code;
	size_t i;

	blocks = pack_room(pack, c->blocks.n * sizeof *blocks);
	if (blocks == NULL)
		return;
	for (i = 0; i < c->blocks.n; i++) {
		code = FM_GROW_AT(&c->blocks, struct fm_compile_block, i);
		blocks[i].name = pack_text(bytes, &code->name);
		blocks[i].first = code->first;
	}
	p->blocks = blocks;
	p->nblocks = (uint32_t)c->blocks.n;
}

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

/* Packs the slots, and behind them the names of the headers. */
static void
pack_slots(struct pack *pack, const struct fm_compile *c,
    struct fm_program *p)
{
	struct fm_slot *slots = pack_room(pack, c->nslots * sizeof *slots);
	struct fm_text name;
	unsigned i;
	char *b;

	for (i = 0; i < c->nslots; i++) {
		name = c->slots[i].name;
		b = pack_room(pack, name.len + 1);
		if (slots == NULL)
			continue;
		memcpy(b, name.b, name.len);
		b[name.len] = '\0';
		slots[i] = c->slots[i];
		slots[i].name.b = b;
	}
	p->slots = slots;
	p->nslots = c->nslots;
	p->near_slots = slots_near(c);
	memcpy(p->slot_heads, c->slot_heads, sizeof p->slot_heads);
}

/* Packs all that requests run, but for the operations (route.c). */
static void
pack_hot(struct pack *pack, const struct fm_compile *c, struct fm_program *p)
{
	const char *bytes = pack_copy(pack, &c->bytes, 1);

	pack_slots(pack, c, p);
	pack_blocks(pack, c, bytes, p);
	pack_texts(pack, c, bytes, p);
	p->sets = pack_copy(pack, &c->sets, sizeof *p->sets);
	p->conds = pack_copy(pack, &c->conds, sizeof *p->conds);
	p->nodes = pack_copy(pack, &c->nodes, sizeof *p->nodes);
	p->tests = pack_copy(pack, &c->tests, sizeof *p->tests);
	p->captures = pack_copy(pack, &c->captures, sizeof *p->captures);
	p->templates = pack_copy(pack, &c->templates, sizeof *p->templates);
	p->pieces = pack_copy(pack, &c->pieces, sizeof *p->pieces);
	p->offers = pack_copy(pack, &c->offers, sizeof *p->offers);
	p->usual_answers = pack_copy(pack, &c->usual_answers,
	    sizeof *p->usual_answers);
	p->nets = pack_copy(pack, &c->nets, sizeof *p->nets);
	p->params = pack_copy(pack, &c->params, sizeof *p->params);
	p->patterns = pack_copy(pack, &c->patterns, sizeof *p->patterns);
	p->maps = pack_copy(pack, &c->maps, sizeof *p->maps);
	p->map_lines = pack_copy(pack, &c->map_lines, sizeof *p->map_lines);
	p->map_matches = pack_copy(pack, &c->map_matches,
	    sizeof *p->map_matches);
	p->map_lead_at = pack_copy(pack, &c->map_lead_at,
	    sizeof *p->map_lead_at);
	p->map_leads = pack_copy(pack, &c->map_leads, sizeof *p->map_leads);
}

static void
pack_rules(struct pack *pack, const struct fm_compile *c, const char *people,
    struct fm_program *p)
{
	struct fm_rule *rules = pack_room(pack, c->rules.n * sizeof *rules);
	const struct fm_compile_rule *code;
	size_t i;

	if (rules == NULL)
		return;
	for (i = 0; i < c->rules.n; i++) {
		code = FM_GROW_AT(&c->rules, struct fm_compile_rule, i);
		rules[i].at = code->at;
		rules[i].at.name = people + code->file;
		rules[i].place = people + code->place;
		rules[i].place_len = (uint32_t)strlen(rules[i].place);
		rules[i].text = people + code->text;
		rules[i].guard = code->guard;
		rules[i].tests = code->tests;
		rules[i].masked = people + code->masked;
		rules[i].log = code->log == FM_NONE ? NULL :
		    people + code->log;
		rules[i].log_len = code->log == FM_NONE ? 0 :
		    (uint32_t)strlen(rules[i].log);
	}
	p->rules = rules;
}

static void
pack_backends(struct pack *pack, const struct fm_compile *c,
    const char *people, struct fm_program *p)
{
	const struct fm_compile_backend *code;
	struct fm_place *places;
	size_t i;

	p->backends = pack_room(pack, c->backends.n * sizeof *p->backends);
	places = pack_room(pack, c->backends.n * sizeof *places);
	if (places == NULL)
		return;
	for (i = 0; i < c->backends.n; i++) {
		code = FM_GROW_AT(&c->backends, struct fm_compile_backend, i);
		p->backends[i] = people + code->name;
		places[i] = code->at;
		places[i].name = people + code->file;
	}
	p->backend_places = places;
}

/* Packs what has a counter: statements and hosts, numbered as in hosttab. */
static void
pack_counted(struct pack *pack, const struct fm_compile *c,
    struct fm_program *p)
{
	const struct fm_model *m = c->model;
	struct fm_stmt_code *stmts;
	uint32_t *host_at, at = 0;
	size_t bytes = 0, i;
	char *hosts;

	for (i = 0; i < m->nhosts; i++)
		bytes += m->hosts[i].pattern.len + 1;
	stmts = pack_room(pack, c->stmts.n * sizeof *stmts);
	host_at = pack_room(pack, m->nhosts * sizeof *host_at);
	hosts = pack_room(pack, bytes);
	if (stmts == NULL)
		return;
	for (i = 0; i < c->stmts.n; i++)
		stmts[i] = FM_GROW_AT(&c->stmts, struct fm_compile_stmt,
		    i)->code;
	for (i = 0; i < m->nhosts; i++) {
		host_at[i] = at;
		memcpy(hosts + at, m->hosts[i].pattern.b,
		    m->hosts[i].pattern.len);
		at += (uint32_t)m->hosts[i].pattern.len;
		hosts[at++] = '\0';
	}
	p->stmts = stmts;
	p->host_at = host_at;
	p->hosts = hosts;
}

static void
pack_cold(struct pack *pack, const struct fm_compile *c, struct fm_program *p)
{
	const char *people = pack_copy(pack, &c->people, 1);

	pack_rules(pack, c, people, p);
	pack_backends(pack, c, people, p);
	pack_counted(pack, c, p);
}

static int
pack_part(struct fm_compile *c, struct fm_program *p,
    void (*part)(struct pack *, const struct fm_compile *,
    struct fm_program *))
{
	struct pack pack = { NULL, 0 };

	part(&pack, c, p);
	pack.at = fm_arena_alloc(&p->arena, pack.bytes);
	if (pack.at == NULL)
		return (fm_compile_no_memory(c));
	pack.bytes = 0;
	part(&pack, c, p);
	return (0);
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
	fm_compile_count_sort(c);
	if (pack_part(c, p, pack_cold) != 0 ||
	    pack_part(c, p, pack_hot) != 0) {
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
