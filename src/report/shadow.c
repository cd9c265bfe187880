/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the shadow's program, and counts each difference in a cell: by phase,
 * kind, header, host and the rules on both sides.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fold.h"
#include "grow.h"
#include "obj.h"
#include "shadow_example.h"
#include "shard.h"
#include "thread.h"

#define BUCKETS		2048	/* a power of two, twice FM_SHADOW_CELLS so that
				 * the hash table is half empty */

__thread uint32_t fm_shadow_turn;

/*
 * A kind of difference.  Rules and hosts are given by number: as long as the
 * pair of digests is the same, a number always means the same rule or host.
 */
struct key {
	enum fm_phase		phase;
	enum fm_change_kind	kind;
	struct fm_text		header;		/* kind header: its name, or
						 * "*" */
	enum fm_side		side;		/* that has the host; BOTH:
						 * neither has */
	uint32_t		host;		/* of fm_program_host(); if side
						 * is BOTH: 1 for `default`, 0
						 * for none */
	uint32_t		rules[2];	/* fm_program_rule_number(), or
						 * UINT32_MAX: none */
};

struct cell {
	struct fm_shadow_cell	shown;		/* texts in the arena */
	struct key		key;
	uint64_t		hash;
	uint64_t		number;		/* the last one counted: the
						 * value of `last` then */
};

/* A place for an example, with the differences that it shows. */
struct kept {
	struct fm_example	*example;	/* NULL: none yet */
	uint32_t		cells[FM_SHADOW_CHANGES];
	unsigned		ncells;
};

#define SAMPLED		8	/* counts, so that CPUs rarely share one */

struct fm_shadow {
	unsigned		magic;
#define FM_SHADOW_MAGIC		0x27f8e1b4
	uint64_t		seed;

	/* These are atomic. */
	uint64_t		no_memory[FM_PHASE__KINDS];
	uint64_t		unattributed[FM_PHASE__KINDS];
	struct {
		uint64_t	n[FM_PHASE__KINDS];
	} __attribute__((aligned(64)))
				sampled[SAMPLED];

	/* These are protected by the mutex. */
	pthread_mutex_t		mtx;
	char			digests[2][FM_DIGEST_LEN];
	time_t			since;		/* this pair of digests */
	uint64_t		before[FM_PHASE__KINDS]; /* sampled before
						 * `since` */
	uint64_t		differ[FM_PHASE__KINDS];
	uint64_t		last;		/* number of the last one that
						 * differs */
	uint64_t		other;
	struct fm_arena		arena;
	struct cell		*cells;
	size_t			ncells, cells_room;
	uint16_t		buckets[BUCKETS]; /* cells by hash: number
						   * plus 1, or 0 */
	struct kept		*kept;		/* a ring of examples; NULL:
						 * none yet */
	unsigned		next;		/* in the ring */
	time_t			second;		/* of the last example */
	unsigned		examples;	/* in that second */
};

/* Forgets all that was counted. */
static void
forget(struct fm_shadow *shadow)
{
	unsigned i;

	for (i = 0; shadow->kept != NULL && i < FM_SHADOW_EXAMPLES; i++)
		fm_example_drop(shadow->kept[i].example);
	free(shadow->kept);
	free(shadow->cells);
	fm_arena_fini(&shadow->arena);
	shadow->kept = NULL;
	shadow->cells = NULL;
	shadow->ncells = shadow->cells_room = 0;
	memset(shadow->differ, 0, sizeof shadow->differ);
	shadow->last = shadow->other = 0;
	shadow->next = 0;
	memset(shadow->buckets, 0, sizeof shadow->buckets);
}

struct fm_shadow *
fm_shadow_new(void)
{
	struct fm_shadow *shadow;
	int error;

	shadow = aligned_alloc(__alignof__(struct fm_shadow), sizeof *shadow);
	if (shadow == NULL)
		return (NULL);
	memset(shadow, 0, sizeof *shadow);
	shadow->magic = FM_SHADOW_MAGIC;
	shadow->seed = fm_fold_seed(shadow);
	error = pthread_mutex_init(&shadow->mtx, NULL);
	assert(error == 0);
	return (shadow);
}

void
fm_shadow_free(struct fm_shadow **shadowp)
{
	struct fm_shadow *shadow;

	FM_OBJ_TAKE(shadow, shadowp, FM_SHADOW_MAGIC);
	forget(shadow);
	(void)pthread_mutex_destroy(&shadow->mtx);
	FM_OBJ_FREE(shadow);
}

static uint64_t
sampled(const struct fm_shadow *shadow, enum fm_phase phase)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < SAMPLED; i++)
		sum += __atomic_load_n(&shadow->sampled[i].n[phase],
		    __ATOMIC_RELAXED);
	return (sum);
}

/* Begins the counts of a phase anew. */
static void
begin_phase(struct fm_shadow *shadow, enum fm_phase phase)
{
	shadow->before[phase] = sampled(shadow, phase);
	__atomic_store_n(&shadow->no_memory[phase], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shadow->unattributed[phase], 0, __ATOMIC_RELAXED);
}

void
fm_shadow_begin(struct fm_shadow *shadow, enum fm_side side,
    const char *digest)
{
	unsigned phase;

	FM_OBJ_CHECK(shadow, FM_SHADOW_MAGIC);
	if (digest == NULL)
		digest = "";
	assert(strlen(digest) < FM_DIGEST_LEN);
	fm_mutex_lock(&shadow->mtx);
	if (strcmp(shadow->digests[side], digest) != 0) {
		memcpy(shadow->digests[side], digest, strlen(digest) + 1);
		shadow->since = *shadow->digests[FM_OLD] == '\0' ||
		    *shadow->digests[FM_NEW] == '\0' ? 0 : time(NULL);
		for (phase = 0; phase < FM_PHASE__KINDS; phase++)
			begin_phase(shadow, phase);
		forget(shadow);
	}
	fm_mutex_unlock(&shadow->mtx);
}

/*--------------------------------------------------------------------
 * Cells
 */

static uint64_t
hash_key(const struct fm_shadow *shadow, const struct key *key)
{
	const uint64_t by = 0x9e3779b97f4a7c15ULL;
	uint64_t hash = shadow->seed;
	size_t i;

	for (i = 0; i < key->header.len; i++)
		hash = fm_fold(hash ^ (unsigned char)key->header.b[i], by);
	hash = fm_fold(hash ^ ((uint64_t)key->host << 32 | key->phase << 16 |
	    key->side << 8 | key->kind), by);
	return (fm_fold(hash ^ ((uint64_t)key->rules[FM_OLD] << 32 |
	    key->rules[FM_NEW]), by));
}

static bool
same_key(const struct key *a, const struct key *b)
{
	return (a->phase == b->phase && a->kind == b->kind &&
	    a->side == b->side &&
	    a->host == b->host && a->rules[FM_OLD] == b->rules[FM_OLD] &&
	    a->rules[FM_NEW] == b->rules[FM_NEW] &&
	    fm_text_eq(a->header, b->header));
}

/* Compares two texts; NULL comes first. */
static int
order_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return ((a != NULL) - (b != NULL));
	return (strcmp(a, b));
}

static int
order_cells(const struct fm_shadow_cell *a, const struct fm_shadow_cell *b)
{
	int order = strcmp(a->phase, b->phase);
	unsigned i;

	if (order == 0)
		order = strcmp(a->kind, b->kind);
	if (order == 0)
		order = order_texts(a->host, b->host);
	if (order == 0)
		order = order_texts(a->header, b->header);
	for (i = 0; i < 2 && order == 0; i++) {
		order = order_texts(a->rules[i].at, b->rules[i].at);
		if (order == 0)
			order = order_texts(a->rules[i].text,
			    b->rules[i].text);
	}
	return (order);
}

/* Returns a copy in the arena; NULL for NULL, or if there is no memory. */
static const char *
keep(struct fm_arena *arena, const char *s, bool *no_memory)
{
	if (s == NULL)
		return (NULL);
	s = fm_arena_add(arena, fm_text_of(s));
	if (s == NULL)
		*no_memory = true;
	return (s);
}

/* Copies a cell into the arena.  Returns false if there is no memory. */
static bool
keep_cell(struct fm_arena *arena, const struct fm_shadow_cell *from,
    struct fm_shadow_cell *cell)
{
	bool no_memory = false;
	unsigned i;

	*cell = *from;
	cell->header = keep(arena, from->header, &no_memory);
	cell->host = keep(arena, from->host, &no_memory);
	for (i = 0; i < 2; i++) {
		cell->rules[i].at = keep(arena, from->rules[i].at,
		    &no_memory);
		cell->rules[i].text = keep(arena, from->rules[i].text,
		    &no_memory);
		cell->rules[i].masked = keep(arena, from->rules[i].masked,
		    &no_memory);
	}
	return (!no_memory);
}

/* Returns the number of a new cell; UINT32_MAX if there is no room. */
static uint32_t
cell_add(struct fm_shadow *shadow, const struct key *key, uint64_t hash,
    const struct fm_shadow_cell *shown)
{
	struct cell *cell, *cells;

	if (shadow->ncells == FM_SHADOW_CELLS)
		return (UINT32_MAX);
	cells = fm_grow_room(shadow->cells, &shadow->cells_room,
	    shadow->ncells, 1, sizeof *cells);
	if (cells == NULL)
		return (UINT32_MAX);
	shadow->cells = cells;
	cell = &cells[shadow->ncells];
	*cell = (struct cell){ .key = *key, .hash = hash };
	if (!keep_cell(&shadow->arena, shown, &cell->shown))
		return (UINT32_MAX);
	if (key->header.b != NULL) {
		cell->key.header.b = cell->shown.header =
		    fm_arena_add(&shadow->arena, key->header);
		if (cell->shown.header == NULL)
			return (UINT32_MAX);
	}
	return ((uint32_t)shadow->ncells++);
}

/*--------------------------------------------------------------------
 * Counting a request that differs
 */

struct noting {
	struct fm_shadow	*shadow;
	struct key		key;
	const char		*host;		/* as shown, or NULL */
	uint32_t		cells[FM_SHADOW_CHANGES];
	unsigned		ncells;
	bool			example;	/* keep one of this request */
	struct fm_example_asked	asked;
};

/* Returns true for at most FM_SHADOW_A_SECOND requests of each second. */
static bool
example_due(struct fm_shadow *shadow)
{
	time_t now = time(NULL);

	if (now != shadow->second) {
		shadow->second = now;
		shadow->examples = 0;
	}
	return (shadow->examples++ < FM_SHADOW_A_SECOND);
}

/* Notes the host as the rules that serve have it, or else the shadow. */
static void
note_host(struct noting *noting, const struct fm_differ *differ)
{
	uint32_t pattern;
	unsigned i;

	for (i = 0; i < 2; i++) {
		pattern = differ->results[i]->pattern;
		if (pattern != UINT32_MAX) {
			noting->key.side = i;
			noting->key.host = pattern;
			noting->host = fm_program_host(differ->programs[i],
			    pattern, NULL);
			return;
		}
	}
	noting->key.side = FM_BOTH;
	noting->key.host = differ->results[FM_OLD]->otherwise ||
	    differ->results[FM_NEW]->otherwise;
	noting->host = noting->key.host != 0 ? "default" : NULL;
}

/*
 * Returns the header of a change, or "*" for one that no rule names.  An `unset
 * X-*` removes headers whose names a client has chosen; these must not each get
 * a cell.
 */
static struct fm_text
header_of(const struct fm_differ *differ, const struct fm_change *change)
{
	unsigned i;

	if (change->kind != FM_CHANGE_HEADER)
		return (change->header);
	for (i = 0; i < 2; i++)
		if (differ->programs[i] != NULL &&
		    fm_program_has_header(differ->programs[i],
		    change->header))
			return (change->header);
	return (fm_text_of("*"));
}

/* Returns the cell of a change, a new one if need be; UINT32_MAX: no room. */
static uint32_t
cell_of(struct noting *noting, const struct fm_change *change)
{
	struct fm_shadow *shadow = noting->shadow;
	struct fm_shadow_cell shown = { .host = noting->host,
	    .phase = fm_phase_word(noting->key.phase),
	    .kind = fm_change_word(change->kind) };
	uint64_t hash = hash_key(shadow, &noting->key);
	size_t bucket = hash & (BUCKETS - 1);
	const struct cell *cell;
	uint32_t n;
	unsigned i;

	for (; shadow->buckets[bucket] != 0;
	    bucket = (bucket + 1) & (BUCKETS - 1)) {
		cell = &shadow->cells[shadow->buckets[bucket] - 1];
		if (cell->hash == hash && same_key(&cell->key, &noting->key))
			return (shadow->buckets[bucket] - 1U);
	}
	for (i = 0; i < 2; i++)
		if (change->rules[i] != NULL)
			shown.rules[i] = (struct fm_shadow_rule){
			    change->rules[i]->place, change->rules[i]->text,
			    change->rules[i]->masked };
	n = cell_add(shadow, &noting->key, hash, &shown);
	if (n != UINT32_MAX)
		shadow->buckets[bucket] = (uint16_t)(n + 1);
	return (n);
}

/*
 * Counts a change in its cell.  A cell counts a request once, even if several
 * of its headers differ.
 */
static void
on_change(void *priv, const struct fm_change *change,
    const struct fm_differ *differ)
{
	struct noting *noting = priv;
	struct fm_shadow *shadow = noting->shadow;
	unsigned i;
	uint32_t n;

	noting->key.kind = change->kind;
	noting->key.header = header_of(differ, change);
	for (i = 0; i < 2; i++) {
		noting->key.rules[i] = change->rules[i] == NULL ? UINT32_MAX :
		    fm_program_rule_number(differ->programs[i],
		    change->rules[i]);
		if (noting->example && change->rules[i] != NULL)
			fm_example_ask(&noting->asked, differ->programs[i],
			    change->rules[i]);
	}
	n = cell_of(noting, change);
	if (n == UINT32_MAX) {
		shadow->other++;
		return;
	}
	if (shadow->cells[n].number == shadow->last)
		return;
	shadow->cells[n].number = shadow->last;
	shadow->cells[n].shown.requests++;
	if (noting->ncells < FM_SHADOW_CHANGES)
		noting->cells[noting->ncells++] = n;
}

/* Keeps the request as an example, in place of the oldest one. */
static void __attribute__((noinline))
note_example(struct noting *noting, const struct fm_view *view,
    struct fm_text host)
{
	struct fm_shadow *shadow = noting->shadow;
	struct fm_example *example;
	struct kept *kept;

	if (shadow->kept == NULL)
		shadow->kept = calloc(FM_SHADOW_EXAMPLES, sizeof *shadow->kept);
	example = shadow->kept == NULL ? NULL :
	    fm_example_new(noting->key.phase, view, host, &noting->asked);
	if (example == NULL)
		return;
	kept = &shadow->kept[shadow->next];
	shadow->next = (shadow->next + 1) % FM_SHADOW_EXAMPLES;
	fm_example_drop(kept->example);
	*kept = (struct kept){ .example = example, .ncells = noting->ncells };
	memcpy(kept->cells, noting->cells, sizeof kept->cells);
}

/*--------------------------------------------------------------------
 * Comparing
 */

/* Both runs of what is compared. */
struct comparing {
	struct fm_shadow		*shadow;
	const struct fm_shadow_pair	*pair;
	const struct fm_run		*runs[2]; /* NULL: did not run */
	struct fm_differ		differ;
};

static const struct fm_key *
key_of(const struct comparing *comparing, enum fm_side side)
{
	const struct fm_run *run = comparing->runs[side];

	return (comparing->pair->phase != FM_PHASE_KEY || run == NULL ? NULL :
	    &run->key);
}

/* Returns true if both sides look a request up, by other keys. */
static bool
keys_differ(const struct comparing *comparing)
{
	const struct fm_differ *differ = &comparing->differ;

	return (differ->results[FM_OLD]->verdict ==
	    differ->results[FM_NEW]->verdict &&
	    !fm_differ_same_key(key_of(comparing, FM_OLD),
	    key_of(comparing, FM_NEW)));
}

/* Counts a key that differs, with the statements that make the difference. */
static void
note_key(struct noting *noting, const struct comparing *comparing)
{
	const struct fm_shadow_pair *pair = comparing->pair;
	struct fm_change change = { .kind = FM_CHANGE_KEY };
	unsigned i;

	for (i = 0; i < 2; i++)
		if (comparing->runs[i] != NULL)
			change.rules[i] = fm_differ_key(pair->programs[i],
			    pair->views[i], key_of(comparing, i),
			    key_of(comparing, !i));
	on_change(noting, &change, &comparing->differ);
}

/* Counts what differs; does not wait for a mutex that is taken. */
static void __attribute__((noinline))
note(const struct comparing *comparing)
{
	const struct fm_shadow_pair *pair = comparing->pair;
	const struct fm_differ *differ = &comparing->differ;
	struct fm_shadow *shadow = comparing->shadow;
	struct noting noting;

	if (pthread_mutex_trylock(&shadow->mtx) != 0) {
		(void)__atomic_fetch_add(&shadow->unattributed[pair->phase], 1,
		    __ATOMIC_RELAXED);
		return;
	}
	if (strcmp(shadow->digests[FM_OLD], pair->digests[FM_OLD]) == 0 &&
	    strcmp(shadow->digests[FM_NEW], pair->digests[FM_NEW]) == 0) {
		shadow->differ[pair->phase]++;
		shadow->last++;
		noting.shadow = shadow;
		noting.ncells = noting.asked.n = 0;
		noting.example = example_due(shadow);
		noting.key.phase = pair->phase;
		note_host(&noting, differ);
		fm_differ_tell(differ, on_change, &noting);
		if (keys_differ(comparing))
			note_key(&noting, comparing);
		if (noting.example)
			note_example(&noting, pair->views[FM_NEW],
			    differ->results[FM_OLD]->host);
	}
	fm_mutex_unlock(&shadow->mtx);
}

/* Compares the results of both sides, and counts what differs. */
static enum fm_shadow_came
compare(const struct comparing *comparing)
{
	if (!keys_differ(comparing) && fm_differ_same(&comparing->differ))
		return (FM_SHADOW_SAME);
	note(comparing);
	return (FM_SHADOW_DIFFERS);
}

/*
 * Compares with a side that has no rule, and leaves the message as it is.  Is
 * apart from fm_shadow_compare(), as a result takes much of the stack.
 */
static enum fm_shadow_came __attribute__((noinline))
compare_nothing(struct comparing *comparing, enum fm_side side)
{
	const struct fm_result *other = comparing->differ.results[!side];
	const struct fm_view *view = comparing->pair->views[FM_NEW];
	const struct fm_result nothing = { .url = view->url,
	    .host = other->host, .response = view->response,
	    .pattern = UINT32_MAX };

	comparing->differ.results[side] = &nothing;
	return (compare(comparing));
}

/* Runs the shadow's program, and compares. */
static enum fm_shadow_came __attribute__((noinline))
compare_run(struct comparing *comparing)
{
	const struct fm_shadow_pair *pair = comparing->pair;
	enum fm_shadow_came came = FM_SHADOW_NO_MEMORY;
	struct fm_run run;

	comparing->runs[FM_NEW] = &run;
	comparing->differ.results[FM_NEW] = fm_run(&run,
	    pair->programs[FM_NEW], pair->views[FM_NEW], NULL);
	if (run.result.no_memory)
		(void)__atomic_fetch_add(
		    &comparing->shadow->no_memory[pair->phase], 1,
		    __ATOMIC_RELAXED);
	else if (comparing->runs[FM_OLD] == NULL)
		came = compare_nothing(comparing, FM_OLD);
	else
		came = compare(comparing);
	fm_run_end(&run);
	return (came);
}

enum fm_shadow_came
fm_shadow_compare(struct fm_shadow *shadow, const struct fm_shadow_pair *pair,
    const struct fm_run *serving)
{
	struct comparing comparing = { .shadow = shadow, .pair = pair,
	    .runs = { serving }, .differ.programs = {
	    pair->programs[FM_OLD], pair->programs[FM_NEW] } };

	FM_OBJ_CHECK(shadow, FM_SHADOW_MAGIC);
	assert(pair->views[FM_NEW]->counters == NULL);
	(void)__atomic_fetch_add(&shadow->sampled[fm_shard() %
	    SAMPLED].n[pair->phase], 1, __ATOMIC_RELAXED);
	if (serving != NULL)
		comparing.differ.results[FM_OLD] = &serving->result;
	if (pair->programs[FM_NEW] != NULL)
		return (compare_run(&comparing));
	return (serving == NULL ? FM_SHADOW_SAME :
	    compare_nothing(&comparing, FM_NEW));
}

/*--------------------------------------------------------------------
 * Copies for a report or a page
 */

static int
compare_cells(const void *va, const void *vb)
{
	const struct fm_shadow_cell * const *a = va, * const *b = vb;

	if ((*a)->requests != (*b)->requests)
		return ((*a)->requests < (*b)->requests ? 1 : -1);
	return (order_cells(*a, *b));
}

/* Copies the examples, newest first.  Returns 0, or -1: no memory. */
static int
tell_examples(const struct fm_shadow *shadow, struct fm_shadow_told *told,
    const struct fm_shadow_cell *cells)
{
	struct fm_shadow_example *example;
	const struct kept *kept;
	unsigned i, n;

	told->examples = fm_arena_alloc(&told->arena,
	    FM_SHADOW_EXAMPLES * sizeof *told->examples);
	if (told->examples == NULL)
		return (-1);
	for (i = 1; i <= FM_SHADOW_EXAMPLES; i++) {
		kept = &shadow->kept[(shadow->next + FM_SHADOW_EXAMPLES - i) %
		    FM_SHADOW_EXAMPLES];
		if (kept->example == NULL)
			break;
		example = &told->examples[told->nexamples++];
		fm_example_show(kept->example, example);
		example->ncells = kept->ncells;
		for (n = 0; n < kept->ncells; n++)
			example->cells[n] = &cells[kept->cells[n]];
	}
	return (0);
}

/* Copies cells and examples.  Returns 0, or -1 if there is no memory. */
static int
tell(const struct fm_shadow *shadow, struct fm_shadow_told *told)
{
	struct fm_shadow_cell *cells;
	size_t i;

	cells = fm_arena_alloc(&told->arena, shadow->ncells * sizeof *cells);
	told->cells = fm_arena_alloc(&told->arena,
	    shadow->ncells * sizeof *told->cells);
	if (cells == NULL || told->cells == NULL)
		return (-1);
	for (i = 0; i < shadow->ncells; i++) {
		if (!keep_cell(&told->arena, &shadow->cells[i].shown,
		    &cells[i]))
			return (-1);
		told->cells[i] = &cells[i];
	}
	told->ncells = shadow->ncells;
	qsort(told->cells, told->ncells, sizeof *told->cells, compare_cells);
	return (shadow->kept == NULL ? 0 :
	    tell_examples(shadow, told, cells));
}

static void
tell_counts(const struct fm_shadow *shadow, enum fm_phase phase,
    struct fm_shadow_counts *counts)
{
	counts->no_memory = __atomic_load_n(&shadow->no_memory[phase],
	    __ATOMIC_RELAXED);
	counts->unattributed = __atomic_load_n(&shadow->unattributed[phase],
	    __ATOMIC_RELAXED);
	counts->differ = shadow->differ[phase] + counts->unattributed;
	/* Sampled is read last: it counts each one before `differ` does. */
	counts->sampled = sampled(shadow, phase) - shadow->before[phase];
	/* One of an earlier pair may have come late. */
	if (counts->sampled < counts->differ)
		counts->sampled = counts->differ;
}

struct fm_shadow_told *
fm_shadow_told(struct fm_shadow *shadow)
{
	struct fm_shadow_told *told = calloc(1, sizeof *told);
	struct fm_shadow_counts counts;
	unsigned phase;
	int failed;

	FM_OBJ_CHECK(shadow, FM_SHADOW_MAGIC);
	if (told == NULL)
		return (NULL);
	fm_mutex_lock(&shadow->mtx);
	told->since = shadow->since;
	told->other = shadow->other;
	tell_counts(shadow, FM_PHASE_REQUEST, &counts);
	told->sampled = counts.sampled;
	told->differ = counts.differ;
	told->no_memory = counts.no_memory;
	told->unattributed = counts.unattributed;
	for (phase = FM_PHASE_KEY; phase < FM_PHASE__KINDS; phase++)
		tell_counts(shadow, phase, &told->later[phase]);
	failed = tell(shadow, told);
	fm_mutex_unlock(&shadow->mtx);
	if (failed != 0)
		fm_shadow_told_free(&told);
	return (told);
}

void
fm_shadow_told_free(struct fm_shadow_told **toldp)
{
	struct fm_shadow_told *told = *toldp;

	*toldp = NULL;
	if (told == NULL)
		return;
	while (told->nexamples > 0)
		fm_example_drop(told->examples[--told->nexamples].kept);
	fm_arena_fini(&told->arena);
	free(told);
}
