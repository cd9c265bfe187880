/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the shadow, and counts what differs.
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

#define SHADOW_LANES	16	/* threads that count at the same moment; each
				 * does so for some microseconds */
#define LANE_SLOTS	2048	/* a power of two, twice FM_SHADOW_CELLS */
#define LANE_MAGIC	0x9d315ac7

__thread uint32_t fm_shadow_turn;

/*
 * What is told apart.  Of one pair of digests a number always means the same
 * rule or host.
 */
struct key {
	enum fm_change_kind	kind;
	struct fm_text		header;		/* kind header: its name, or
						 * "*" */
	enum fm_side		side;		/* that knows the host; BOTH:
						 * neither does */
	uint32_t		host;		/* of fm_program_host(); BOTH:
						 * 1 if there is a `default` */
	uint32_t		rules[2];	/* fm_program_rule_number(), or
						 * UINT32_MAX: none */
};

struct cell {
	struct fm_shadow_cell	shown;		/* texts in the arena */
	struct key		key;
	uint64_t		hash;
	uint64_t		number;		/* of the last request */
};

struct kept {
	struct fm_example	*example;	/* NULL: none yet */
	uint64_t		number;
	uint32_t		cells[FM_SHADOW_CHANGES];
	unsigned		ncells;
};

/*
 * What was counted by whoever had this lane.  Most is in the first: another
 * one is taken only while that is busy.
 */
struct lane {
	unsigned		magic;
	pthread_mutex_t		mtx;
	char			digests[2][FM_DIGEST_LEN];
	uint64_t		differ;
	uint64_t		other;
	struct fm_arena		arena;
	struct cell		*cells;
	size_t			ncells, cells_room;
	uint16_t		slots[LANE_SLOTS];	/* cells by hash, from
							 * 1 on */
	struct kept		*kept;		/* a ring of examples; NULL:
						 * there was none yet */
	unsigned		next;
} __attribute__((aligned(64)));

struct fm_shadow {
	unsigned		magic;
#define FM_SHADOW_MAGIC		0x27f8e1b4
	uint64_t		seed;
	uint64_t		number;		/* of requests that differ;
						 * atomic, like the next two */
	uint64_t		no_memory;
	uint64_t		unattributed;
	uint64_t		examples;	/* for example_due(); atomic */

	/* Who begins, and who reports. */
	pthread_mutex_t		mtx;
	char			digests[2][FM_DIGEST_LEN];
	time_t			since;
	uint64_t		before;		/* sampled until then */

	struct {
		uint64_t	n;
	} __attribute__((aligned(64)))
				sampled[2 * FM_SHARDS];
	struct lane		lanes[SHADOW_LANES];
};

static void
mutex_lock(pthread_mutex_t *mtx)
{
	int error = pthread_mutex_lock(mtx);

	assert(error == 0);
}

static void
mutex_unlock(pthread_mutex_t *mtx)
{
	int error = pthread_mutex_unlock(mtx);

	assert(error == 0);
}

static void
mutex_init(pthread_mutex_t *mtx)
{
	int error = pthread_mutex_init(mtx, NULL);

	assert(error == 0);
}

/*--------------------------------------------------------------------
 * Lanes
 */

/* Forgets all that was counted. */
static void
lane_empty(struct lane *lane)
{
	unsigned i;

	for (i = 0; lane->kept != NULL && i < FM_SHADOW_EXAMPLES; i++)
		free(lane->kept[i].example);
	free(lane->kept);
	free(lane->cells);
	fm_arena_fini(&lane->arena);
	lane->kept = NULL;
	lane->cells = NULL;
	lane->ncells = lane->cells_room = 0;
	lane->differ = lane->other = 0;
	lane->next = 0;
	memset(lane->slots, 0, sizeof lane->slots);
}

/* Takes one that is free; NULL: all are busy. */
static struct lane *
lane_take(struct fm_shadow *shadow)
{
	unsigned i;

	for (i = 0; i < SHADOW_LANES; i++)
		if (pthread_mutex_trylock(&shadow->lanes[i].mtx) == 0)
			return (&shadow->lanes[i]);
	return (NULL);
}

struct fm_shadow *
fm_shadow_new(void)
{
	struct fm_shadow *shadow;
	unsigned i;

	shadow = aligned_alloc(__alignof__(struct fm_shadow), sizeof *shadow);
	if (shadow == NULL)
		return (NULL);
	memset(shadow, 0, sizeof *shadow);
	shadow->magic = FM_SHADOW_MAGIC;
	shadow->seed = fm_fold_seed(shadow);
	mutex_init(&shadow->mtx);
	for (i = 0; i < SHADOW_LANES; i++) {
		shadow->lanes[i].magic = LANE_MAGIC;
		mutex_init(&shadow->lanes[i].mtx);
	}
	return (shadow);
}

void
fm_shadow_free(struct fm_shadow **shadowp)
{
	struct fm_shadow *shadow;
	unsigned i;

	FM_OBJ_TAKE(shadow, shadowp, FM_SHADOW_MAGIC);
	for (i = 0; i < SHADOW_LANES; i++) {
		lane_empty(&shadow->lanes[i]);
		(void)pthread_mutex_destroy(&shadow->lanes[i].mtx);
	}
	(void)pthread_mutex_destroy(&shadow->mtx);
	FM_OBJ_FREE(shadow);
}

static uint64_t
sampled(const struct fm_shadow *shadow)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < 2 * FM_SHARDS; i++)
		sum += __atomic_load_n(&shadow->sampled[i].n,
		    __ATOMIC_RELAXED);
	return (sum);
}

void
fm_shadow_begin(struct fm_shadow *shadow, enum fm_side side,
    const char *digest)
{
	struct lane *lane;
	unsigned i;

	FM_OBJ_CHECK(shadow, FM_SHADOW_MAGIC);
	if (digest == NULL)
		digest = "";
	assert(strlen(digest) < FM_DIGEST_LEN);
	mutex_lock(&shadow->mtx);
	if (strcmp(shadow->digests[side], digest) == 0) {
		mutex_unlock(&shadow->mtx);
		return;
	}
	strcpy(shadow->digests[side], digest);
	shadow->since = *shadow->digests[FM_OLD] == '\0' ||
	    *shadow->digests[FM_NEW] == '\0' ? 0 : time(NULL);
	shadow->before = sampled(shadow);
	__atomic_store_n(&shadow->no_memory, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shadow->unattributed, 0, __ATOMIC_RELAXED);
	for (i = 0; i < SHADOW_LANES; i++) {
		lane = &shadow->lanes[i];
		mutex_lock(&lane->mtx);
		lane_empty(lane);
		memcpy(lane->digests, shadow->digests, sizeof lane->digests);
		mutex_unlock(&lane->mtx);
	}
	mutex_unlock(&shadow->mtx);
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
	hash = fm_fold(hash ^ ((uint64_t)key->host << 32 | key->side << 8 |
	    key->kind), by);
	return (fm_fold(hash ^ ((uint64_t)key->rules[FM_OLD] << 32 |
	    key->rules[FM_NEW]), by));
}

static bool
same_key(const struct key *a, const struct key *b)
{
	return (a->kind == b->kind && a->side == b->side &&
	    a->host == b->host && a->rules[FM_OLD] == b->rules[FM_OLD] &&
	    a->rules[FM_NEW] == b->rules[FM_NEW] &&
	    fm_text_eq(a->header, b->header));
}

/* What is missing comes first. */
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
	int order = strcmp(a->kind, b->kind);
	unsigned i;

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

/* A text in the arena; NULL for none. */
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

/* false: no memory. */
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

/* Returns the number of a new cell; UINT32_MAX: there is no room for it. */
static uint32_t
cell_add(struct lane *lane, const struct key *key, uint64_t hash,
    const struct fm_shadow_cell *shown)
{
	struct cell *cell, *cells;

	if (lane->ncells == FM_SHADOW_CELLS)
		return (UINT32_MAX);
	cells = fm_grow_room(lane->cells, &lane->cells_room, lane->ncells, 1,
	    sizeof *cells);
	if (cells == NULL)
		return (UINT32_MAX);
	lane->cells = cells;
	cell = &cells[lane->ncells];
	*cell = (struct cell){ .key = *key, .hash = hash };
	if (!keep_cell(&lane->arena, shown, &cell->shown))
		return (UINT32_MAX);
	if (key->header.b != NULL) {
		cell->key.header.b = cell->shown.header =
		    fm_arena_add(&lane->arena, key->header);
		if (cell->shown.header == NULL)
			return (UINT32_MAX);
	}
	return ((uint32_t)lane->ncells++);
}

/*--------------------------------------------------------------------
 * A request that differs
 */

struct noting {
	struct fm_shadow	*shadow;
	struct lane		*lane;
	uint64_t		number;
	struct key		key;
	const char		*host;		/* as it is shown */
	uint32_t		cells[FM_SHADOW_CHANGES];
	unsigned		ncells;
	bool			example;	/* is to be kept */
	struct fm_example_asked	asked;
};

/*
 * Returns true for ten requests of a second at most: their turns are numbered,
 * ten to a second, and whoever loses one to another thread has none.
 */
static bool
example_due(struct fm_shadow *shadow)
{
	uint64_t now = (uint64_t)time(NULL) * FM_SHADOW_A_SECOND;
	uint64_t turn = __atomic_load_n(&shadow->examples, __ATOMIC_RELAXED);

	if (turn >= now + FM_SHADOW_A_SECOND)
		return (false);
	return (__atomic_compare_exchange_n(&shadow->examples, &turn,
	    turn < now ? now + 1 : turn + 1, false, __ATOMIC_RELAXED,
	    __ATOMIC_RELAXED));
}

/* Notes the host's entry of the rules that serve, or else of the shadow. */
static void
note_host(struct noting *noting, const struct fm_differ *differ)
{
	uint32_t pattern, counter;
	unsigned i;

	for (i = 0; i < 2; i++) {
		pattern = differ->results[i]->pattern;
		if (pattern != UINT32_MAX) {
			noting->key.side = i;
			noting->key.host = pattern;
			noting->host = fm_program_host(differ->programs[i],
			    pattern, &counter);
			return;
		}
	}
	noting->key.side = FM_BOTH;
	noting->key.host = differ->results[FM_OLD]->otherwise ||
	    differ->results[FM_NEW]->otherwise;
	noting->host = noting->key.host != 0 ? "default" : NULL;
}

/*
 * Clients choose the names that an `unset X-*` takes away: these are no
 * reason for a cell of their own.
 */
static struct fm_text
header_of(const struct fm_differ *differ, const struct fm_change *change)
{
	if (change->kind == FM_CHANGE_HEADER &&
	    !fm_program_has_header(differ->programs[FM_OLD],
	    change->header) &&
	    !fm_program_has_header(differ->programs[FM_NEW], change->header))
		return (fm_text_of("*"));
	return (change->header);
}

/* The cell of a change; UINT32_MAX: there is no room for it. */
static uint32_t
cell_of(struct noting *noting, const struct fm_change *change)
{
	struct lane *lane = noting->lane;
	struct fm_shadow_cell shown = { .host = noting->host,
	    .kind = fm_change_word(change->kind) };
	uint64_t hash = hash_key(noting->shadow, &noting->key);
	size_t slot = hash & (LANE_SLOTS - 1);
	const struct cell *cell;
	uint32_t n;
	unsigned i;

	for (; lane->slots[slot] != 0; slot = (slot + 1) & (LANE_SLOTS - 1)) {
		cell = &lane->cells[lane->slots[slot] - 1];
		if (cell->hash == hash && same_key(&cell->key, &noting->key))
			return (lane->slots[slot] - 1U);
	}
	for (i = 0; i < 2; i++)
		if (change->rules[i] != NULL)
			shown.rules[i] = (struct fm_shadow_rule){
			    change->rules[i]->place, change->rules[i]->text,
			    change->rules[i]->masked };
	n = cell_add(lane, &noting->key, hash, &shown);
	if (n != UINT32_MAX)
		lane->slots[slot] = (uint16_t)(n + 1);
	return (n);
}

/* A request counts once in a cell, however many of its headers differ. */
static void
on_change(void *priv, const struct fm_change *change,
    const struct fm_differ *differ)
{
	struct noting *noting = priv;
	struct lane *lane = noting->lane;
	unsigned i;
	uint32_t n;

	noting->key.kind = change->kind;
	noting->key.header = header_of(differ, change);
	for (i = 0; i < 2; i++) {
		noting->key.rules[i] = change->rules[i] == NULL ? UINT32_MAX :
		    fm_program_rule_number(differ->programs[i],
		    change->rules[i]);
		if (noting->example)
			fm_example_ask(&noting->asked, differ->programs[i],
			    change->rules[i]);
	}
	n = cell_of(noting, change);
	if (n == UINT32_MAX) {
		lane->other++;
		return;
	}
	if (lane->cells[n].number == noting->number)
		return;
	lane->cells[n].number = noting->number;
	lane->cells[n].shown.requests++;
	if (noting->ncells < FM_SHADOW_CHANGES)
		noting->cells[noting->ncells++] = n;
}

/* In place of the oldest one. */
static void __attribute__((noinline))
note_example(struct noting *noting, const struct fm_view *view,
    struct fm_text host)
{
	struct lane *lane = noting->lane;
	struct fm_example *example;
	struct kept *kept;

	if (lane->kept == NULL)
		lane->kept = calloc(FM_SHADOW_EXAMPLES, sizeof *lane->kept);
	example = lane->kept == NULL ? NULL :
	    fm_example_new(view, host, &noting->asked);
	if (example == NULL)
		return;
	kept = &lane->kept[lane->next];
	lane->next = (lane->next + 1) % FM_SHADOW_EXAMPLES;
	free(kept->example);
	*kept = (struct kept){ .example = example, .number = noting->number,
	    .ncells = noting->ncells };
	memcpy(kept->cells, noting->cells, sizeof kept->cells);
}

/* Returns true if the lane counts for other rules. */
static bool
lane_is_stale(const struct lane *lane, const struct fm_shadow_pair *pair)
{
	return (strcmp(lane->digests[FM_OLD], pair->digests[FM_OLD]) != 0 ||
	    strcmp(lane->digests[FM_NEW], pair->digests[FM_NEW]) != 0);
}

static void __attribute__((noinline))
note(struct fm_shadow *shadow, const struct fm_shadow_pair *pair,
    const struct fm_view *view, const struct fm_differ *differ)
{
	struct noting noting;

	noting.shadow = shadow;
	noting.lane = lane_take(shadow);
	if (noting.lane == NULL) {
		(void)__atomic_fetch_add(&shadow->unattributed, 1,
		    __ATOMIC_RELAXED);
		return;
	}
	if (!lane_is_stale(noting.lane, pair)) {
		noting.lane->differ++;
		noting.number = 1 + __atomic_fetch_add(&shadow->number, 1,
		    __ATOMIC_RELAXED);
		noting.ncells = noting.asked.n = 0;
		noting.example = example_due(shadow);
		note_host(&noting, differ);
		fm_differ_tell(differ, on_change, &noting);
		if (noting.example)
			note_example(&noting, view,
			    differ->results[FM_OLD]->host);
	}
	mutex_unlock(&noting.lane->mtx);
}

enum fm_shadow_came
fm_shadow_compare(struct fm_shadow *shadow,
    const struct fm_shadow_pair *pair, const struct fm_view *view,
    const struct fm_result *serving)
{
	struct fm_differ differ = { .programs = { pair->programs[FM_OLD],
	    pair->programs[FM_NEW] }, .results = { serving, NULL } };
	enum fm_shadow_came came = FM_SHADOW_SAME;
	struct fm_run run;

	FM_OBJ_CHECK(shadow, FM_SHADOW_MAGIC);
	assert(view->counters == NULL);
	fm_shard_count(view->shard, &shadow->sampled[view->shard].n, 1);
	differ.results[FM_NEW] = fm_run(&run, differ.programs[FM_NEW], view,
	    NULL);
	if (differ.results[FM_NEW]->no_memory) {
		came = FM_SHADOW_NO_MEMORY;
		(void)__atomic_fetch_add(&shadow->no_memory, 1,
		    __ATOMIC_RELAXED);
	} else if (!fm_differ_same(&differ)) {
		came = FM_SHADOW_DIFFERS;
		note(shadow, pair, view, &differ);
	}
	fm_run_end(&run);
	return (came);
}

/*--------------------------------------------------------------------
 * What there is to be shown
 */

/* What is shown, and the cells of all lanes, which may have the same. */
struct telling {
	struct fm_shadow_told	*told;
	struct fm_shadow_cell	**cells;
	size_t			ncells, cells_room;
	struct fm_shadow_example *examples;
	size_t			nexamples, examples_room;
};

/* false: no memory. */
static bool
tell_cells(struct telling *t, const struct lane *lane,
    struct fm_shadow_cell **copies)
{
	struct fm_shadow_cell **cells;
	size_t i;

	*copies = fm_arena_alloc(&t->told->arena,
	    lane->ncells * sizeof **copies);
	cells = fm_grow_room(t->cells, &t->cells_room, t->ncells,
	    lane->ncells, sizeof *cells);
	if (cells != NULL)
		t->cells = cells;
	if (cells == NULL || *copies == NULL)
		return (false);
	for (i = 0; i < lane->ncells; i++) {
		if (!keep_cell(&t->told->arena, &lane->cells[i].shown,
		    &(*copies)[i]))
			return (false);
		cells[t->ncells++] = &(*copies)[i];
	}
	return (true);
}

static bool
tell_example(struct telling *t, const struct kept *kept,
    const struct fm_shadow_cell *copies)
{
	struct fm_shadow_example *examples, *example;
	unsigned i;

	examples = fm_grow_room(t->examples, &t->examples_room, t->nexamples,
	    1, sizeof *examples);
	if (examples == NULL)
		return (false);
	t->examples = examples;
	example = &examples[t->nexamples++];
	*example = (struct fm_shadow_example){ .number = kept->number,
	    .ncells = kept->ncells };
	for (i = 0; i < kept->ncells; i++)
		example->cells[i] = &copies[kept->cells[i]];
	return (fm_example_show(kept->example, &t->told->arena,
	    example) == 0);
}

static bool
tell_lane(struct telling *t, const struct lane *lane)
{
	struct fm_shadow_cell *copies;
	bool told;
	unsigned i;

	assert(lane->magic == LANE_MAGIC);
	t->told->differ += lane->differ;
	t->told->other += lane->other;
	if (lane->differ == 0)
		return (true);
	told = tell_cells(t, lane, &copies);
	for (i = 0; told && lane->kept != NULL && i < FM_SHADOW_EXAMPLES; i++)
		if (lane->kept[i].example != NULL)
			told = tell_example(t, &lane->kept[i], copies);
	return (told);
}

static int
compare_cells(const void *va, const void *vb)
{
	const struct fm_shadow_cell * const *a = va, * const *b = vb;

	return (order_cells(*a, *b));
}

static int
compare_requests(const void *va, const void *vb)
{
	const struct fm_shadow_cell * const *a = va, * const *b = vb;

	if ((*a)->requests != (*b)->requests)
		return ((*a)->requests < (*b)->requests ? 1 : -1);
	return (order_cells(*a, *b));
}

static int
compare_examples(const void *va, const void *vb)
{
	const struct fm_shadow_example *a = va, *b = vb;

	return (a->number < b->number ? 1 : -1);
}

/* Adds up the cells of different lanes, and sorts them. */
static void
tell_sorted(struct telling *t)
{
	struct fm_shadow_told *told = t->told;
	size_t i, n = 0;

	if (t->ncells > 0)
		qsort(t->cells, t->ncells, sizeof(void *), compare_cells);
	for (i = 0; i < t->ncells; i++)
		if (n > 0 && order_cells(t->cells[n - 1], t->cells[i]) == 0)
			t->cells[n - 1]->requests += t->cells[i]->requests;
		else
			t->cells[n++] = t->cells[i];
	if (n > 0)
		qsort(t->cells, n, sizeof(void *), compare_requests);
	for (; n > FM_SHADOW_CELLS; n--)
		told->other += t->cells[n - 1]->requests;
	told->cells = t->cells;
	told->ncells = n;
	if (t->nexamples > 0)
		qsort(t->examples, t->nexamples, sizeof *t->examples,
		    compare_examples);
	told->examples = t->examples;
	told->nexamples = t->nexamples < FM_SHADOW_EXAMPLES ? t->nexamples :
	    FM_SHADOW_EXAMPLES;
}

struct fm_shadow_told *
fm_shadow_told(struct fm_shadow *shadow)
{
	struct telling t = { .told = calloc(1, sizeof *t.told) };
	bool told = t.told != NULL;
	unsigned i;

	FM_OBJ_CHECK(shadow, FM_SHADOW_MAGIC);
	if (t.told == NULL)
		return (NULL);
	mutex_lock(&shadow->mtx);
	t.told->since = shadow->since;
	memcpy(t.told->digests, shadow->digests, sizeof t.told->digests);
	t.told->no_memory = __atomic_load_n(&shadow->no_memory,
	    __ATOMIC_RELAXED);
	t.told->unattributed = __atomic_load_n(&shadow->unattributed,
	    __ATOMIC_RELAXED);
	t.told->differ = t.told->unattributed;
	for (i = 0; i < SHADOW_LANES && told; i++) {
		mutex_lock(&shadow->lanes[i].mtx);
		told = tell_lane(&t, &shadow->lanes[i]);
		mutex_unlock(&shadow->lanes[i].mtx);
	}
	/* Not less than those of the lanes, which were counted later. */
	t.told->sampled = sampled(shadow) - shadow->before;
	mutex_unlock(&shadow->mtx);
	tell_sorted(&t);
	if (!told)
		fm_shadow_told_free(&t.told);
	return (t.told);
}

void
fm_shadow_told_free(struct fm_shadow_told **toldp)
{
	struct fm_shadow_told *told = *toldp;

	*toldp = NULL;
	if (told == NULL)
		return;
	free(told->cells);
	free(told->examples);
	fm_arena_fini(&told->arena);
	free(told);
}
