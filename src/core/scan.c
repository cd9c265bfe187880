/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hyperscan and its traps:
 *
 * - Databases are for a generic platform, not tuned for this one: never
 *   slower for what we scan, up to twice as fast, and the same everywhere.
 * - Literals go through hs_compile_multi() as \xHH: with those of
 *   hs_compile_lit_multi() some inputs make hs_scan() fail.
 * - The vector code reads a few bytes past the end of its input: it gets a
 *   copy with room behind it.
 * - hs_alloc_scratch() checksums the whole database: it grows one prototype
 *   when a scan is made, from which each thread clones its scratch.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <hs.h>

#include "effort.h"
#include "grow.h"
#include "obj.h"
#include "scan_priv.h"
#include "thread.h"

#define SCAN_PADDING		64
#define SCAN_BUFFER_MIN		4096
#define SCAN_ALONE		1500		/* of effort.h */
#define SCAN_PREFILTER_MAX	(64UL << 10)	/* bytes of its database */

struct fm_scan {
	unsigned		magic;
#define FM_SCAN_MAGIC		0x61f4d29b
	unsigned		generation;	/* of the prototype it needs */
	hs_database_t		*db;
	size_t			bytes;
};

struct scan_thread {
	unsigned		magic;
#define SCAN_THREAD_MAGIC	0x18c95e0a
	unsigned		generation;
	hs_scratch_t		*scratch;
	char			*buf;
	size_t			cap;
};

/*
 * The prototype and its generation.  A thread that clones takes scan_mtx only;
 * who makes a scan takes scan_build_mtx first, so that nobody who matches
 * waits for a database to be looked through.
 */
static pthread_mutex_t scan_build_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t scan_mtx = PTHREAD_MUTEX_INITIALIZER;
static hs_scratch_t *scan_prototype;
static unsigned scan_generation;

/* Held during the self-test, which makes scans itself. */
static pthread_mutex_t scan_health_mtx = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int) scan_health = FM_SCAN_UNTESTED;

int
fm_scan_build_literal(struct fm_scan_builder *b, struct fm_text lit,
    bool nocase, uint32_t id)
{
	char *text;
	size_t i;

	FM_OBJ_CHECK(b, FM_SCAN_BUILDER_MAGIC);
	assert(lit.len > 0);
	text = malloc(4 * lit.len + 1);
	if (text != NULL)
		for (i = 0; i < lit.len; i++)
			(void)sprintf(text + 4 * i, "\\x%02x",
			    (unsigned char)lit.b[i]);
	return (fm_scan_build_add(b, text, nocase ? HS_FLAG_CASELESS : 0, id));
}

int
fm_scan_build_prefilter(struct fm_scan_builder *b, const char *regex,
    bool nocase, uint32_t id)
{
	FM_OBJ_CHECK(b, FM_SCAN_BUILDER_MAGIC);
	return (fm_scan_build_add(b, strdup(regex), HS_FLAG_PREFILTER |
	    HS_FLAG_SINGLEMATCH | (nocase ? HS_FLAG_CASELESS : 0), id));
}

/* Its compiler has one code for all that goes wrong, but not one message. */
static void
scan_arrays_failed(struct scan_arrays *a, hs_compile_error_t *error)
{
	if (error != NULL && error->message != NULL &&
	    strstr(error->message, "allocate memory") != NULL)
		a->no_memory = true;
	(void)hs_free_compile_error(error);
}

/*
 * A prefilter by itself: does the engine take it, and is it a small one?  A
 * large database is slow to make and evicts what is worth more in the caches.
 */
static bool
scan_accepts(struct scan_arrays *a, unsigned i)
{
	hs_platform_info_t generic;
	hs_compile_error_t *error = NULL;
	hs_database_t *db = NULL;
	size_t bytes = 0;

	if (fm_effort_positions(a->texts[i]) > FM_EFFORT_POSITIONS ||
	    !fm_effort_take(SCAN_ALONE))
		return (false);
	memset(&generic, 0, sizeof generic);
	if (hs_compile(a->texts[i], a->flags[i], HS_MODE_BLOCK, &generic, &db,
	    &error) != HS_SUCCESS) {
		scan_arrays_failed(a, error);
		return (false);
	}
	(void)hs_database_size(db, &bytes);
	(void)hs_free_database(db);
	return (bytes <= SCAN_PREFILTER_MAX);
}

static void
scan_refuse(struct scan_arrays *a, unsigned i, fm_scan_refused_f *refused,
    void *priv)
{
	if (refused != NULL)
		refused(priv, a->ids[i]);
	fm_scan_arrays_drop(a, i);
}

static bool
scan_is_prefilter(const struct scan_arrays *a, unsigned i)
{
	return ((a->flags[i] & HS_FLAG_PREFILTER) != 0);
}

static size_t
scan_bytes_of(void *priv, unsigned n)
{
	struct scan_arrays *a = priv;
	hs_compile_error_t *error = NULL;
	hs_platform_info_t generic;
	hs_database_t *db = NULL;
	size_t bytes = 0;

	memset(&generic, 0, sizeof generic);
	if (hs_compile_multi(a->texts, a->flags, a->ids, n, HS_MODE_BLOCK,
	    &generic, &db, &error) != HS_SUCCESS)
		scan_arrays_failed(a, error);
	else
		(void)hs_database_size(db, &bytes);
	(void)hs_free_database(db);
	return (bytes);
}

/* So many prefilters as take not too long; they are put first. */
static void
scan_fit(struct scan_arrays *a, fm_scan_refused_f *refused, void *priv)
{
	unsigned i, n = 0;

	for (i = 0; i < a->n; i++)
		if (scan_is_prefilter(a, i))
			fm_scan_arrays_swap(a, i, n++);
	for (i = fm_effort_fit(a->texts, n, scan_bytes_of, a); i < n; n--)
		scan_refuse(a, n - 1, refused, priv);
}

/*
 * Prefilters are tried one by one before, as an error of all together does not
 * always tell whose it is.  If all together are too much even so, none of the
 * prefilters is worth it.
 */
static hs_database_t *
scan_database(struct scan_arrays *a, fm_scan_refused_f *refused, void *priv)
{
	hs_platform_info_t generic;
	hs_compile_error_t *error;
	hs_database_t *db = NULL;
	unsigned i, n;

	for (i = a->n; i-- > 0;)
		if (scan_is_prefilter(a, i) && !scan_accepts(a, i))
			scan_refuse(a, i, refused, priv);
	scan_fit(a, refused, priv);
	memset(&generic, 0, sizeof generic);
	do {
		error = NULL;
		if (a->n > 0 && hs_compile_multi(a->texts, a->flags, a->ids,
		    a->n, HS_MODE_BLOCK, &generic, &db, &error) == HS_SUCCESS)
			return (db);
		scan_arrays_failed(a, error);
		n = a->n;
		for (i = a->n; i-- > 0;)
			if (scan_is_prefilter(a, i))
				scan_refuse(a, i, refused, priv);
	} while (a->n > 0 && a->n < n);
	return (NULL);
}

/*
 * Makes the prototype large enough for the database.  hs_alloc_scratch() takes
 * away what it can't grow, so a copy is grown, which becomes the prototype.
 */
static hs_error_t
scan_grow_prototype(struct fm_scan *s)
{
	hs_scratch_t *grown = NULL;
	hs_error_t error = HS_SUCCESS;

	pthread_mutex_lock(&scan_build_mtx);
	if (scan_prototype != NULL)
		error = hs_clone_scratch(scan_prototype, &grown);
	if (error == HS_SUCCESS)
		error = hs_alloc_scratch(s->db, &grown);
	if (error == HS_SUCCESS) {
		pthread_mutex_lock(&scan_mtx);
		(void)hs_free_scratch(scan_prototype);
		scan_prototype = grown;
		s->generation = ++scan_generation;
		pthread_mutex_unlock(&scan_mtx);
	} else
		(void)hs_free_scratch(grown);
	pthread_mutex_unlock(&scan_build_mtx);
	return (error);
}

struct fm_scan *
fm_scan_compile(const struct fm_scan_builder *b, fm_scan_refused_f *refused,
    void *priv, bool *no_memory)
{
	struct scan_arrays arrays;
	struct fm_scan *s;
	hs_error_t error;

	FM_OBJ_CHECK(b, FM_SCAN_BUILDER_MAGIC);
	assert(b->n > 0);
	FM_OBJ_NEW(s, FM_SCAN_MAGIC);
	*no_memory = s == NULL;
	if (s == NULL)
		return (NULL);
	if (fm_scan_arrays_fill(&arrays, b))
		s->db = scan_database(&arrays, refused, priv);
	*no_memory = arrays.no_memory;
	fm_scan_arrays_free(&arrays);
	error = s->db == NULL ? HS_INVALID : scan_grow_prototype(s);
	if (error != HS_SUCCESS) {
		*no_memory |= error == HS_NOMEM;
		fm_scan_free(&s);
		return (NULL);
	}
	(void)hs_database_size(s->db, &s->bytes);
	return (s);
}

static bool
scan_healthy(void)
{
	int i;

	pthread_mutex_lock(&scan_health_mtx);
	if (scan_health == FM_SCAN_UNTESTED) {
		i = hs_valid_platform() == HS_SUCCESS ? fm_scan_selftest() : 0;
		if (i >= 0)
			scan_health = i ? FM_SCAN_HEALTHY : FM_SCAN_FAILED;
	}
	pthread_mutex_unlock(&scan_health_mtx);
	return (scan_health == FM_SCAN_HEALTHY);
}

struct fm_scan *
fm_scan_build(const struct fm_scan_builder *b, fm_scan_refused_f *refused,
    void *priv)
{
	bool no_memory;

	return (scan_healthy() ? fm_scan_compile(b, refused, priv,
	    &no_memory) : NULL);
}

void
fm_scan_free(struct fm_scan **sp)
{
	struct fm_scan *s;

	FM_OBJ_TAKE(s, sp, FM_SCAN_MAGIC);
	(void)hs_free_database(s->db);
	FM_OBJ_FREE(s);
}

size_t
fm_scan_bytes(const struct fm_scan *s)
{
	FM_OBJ_CHECK(s, FM_SCAN_MAGIC);
	return (sizeof *s + s->bytes);
}

static void
scan_thread_free(void *priv)
{
	struct scan_thread *st;

	FM_OBJ_CAST(st, priv, SCAN_THREAD_MAGIC);
	(void)hs_free_scratch(st->scratch);
	free(st->buf);
	FM_OBJ_FREE(st);
}

static struct scan_thread *
scan_thread_get(void)
{
	struct scan_thread *st;

	st = fm_thread_get(FM_THREAD_SCAN);
	if (st == NULL) {
		FM_OBJ_NEW(st, SCAN_THREAD_MAGIC);
		if (st == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_SCAN, st, scan_thread_free)) {
			scan_thread_free(st);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(st, SCAN_THREAD_MAGIC);
	return (st);
}

/* This thread's scratch follows the prototype: once per growth of it. */
static hs_error_t
scan_thread_scratch(struct scan_thread *st, const struct fm_scan *s)
{
	hs_scratch_t *scratch = NULL;
	hs_error_t error;

	if (st->scratch != NULL && st->generation >= s->generation)
		return (HS_SUCCESS);
	pthread_mutex_lock(&scan_mtx);
	error = hs_clone_scratch(scan_prototype, &scratch);
	if (error == HS_SUCCESS) {
		(void)hs_free_scratch(st->scratch);
		st->scratch = scratch;
		st->generation = scan_generation;
	}
	pthread_mutex_unlock(&scan_mtx);
	return (error);
}

static bool
scan_thread_buffer(struct scan_thread *st, size_t len)
{
	size_t cap;
	char *buf;

	if (st->cap >= len + SCAN_PADDING)
		return (true);
	for (cap = SCAN_BUFFER_MIN; cap < len + SCAN_PADDING; cap *= 2)
		continue;
	buf = calloc(1, cap);
	if (buf == NULL)
		return (false);
	free(st->buf);
	st->buf = buf;
	st->cap = cap;
	return (true);
}

struct scan_call {
	fm_scan_hit_f	*hit;
	void		*priv;
};

static int
scan_event(unsigned id, unsigned long long from, unsigned long long to,
    unsigned flags, void *priv)
{
	const struct scan_call *call = priv;

	(void)from;
	(void)to;
	(void)flags;
	return (call->hit(call->priv, id) ? 1 : 0);
}

enum fm_scan_result
fm_scan_run(const struct fm_scan *s, struct fm_text subject,
    fm_scan_hit_f *hit, void *priv)
{
	struct scan_call call = { hit, priv };
	struct scan_thread *st;
	hs_error_t error;

	FM_OBJ_CHECK(s, FM_SCAN_MAGIC);
	if (subject.len == 0)		/* nothing here matches the empty */
		return (FM_SCAN_DONE);
	if (subject.len > FM_SCAN_SUBJECT_MAX)
		return (FM_SCAN_UNDECIDED);
	st = scan_thread_get();
	if (st == NULL || !scan_thread_buffer(st, subject.len))
		return (FM_SCAN_NO_MEMORY);
	error = scan_thread_scratch(st, s);
	if (error == HS_SUCCESS) {
		memcpy(st->buf, subject.b, subject.len);
		error = hs_scan(s->db, st->buf, (unsigned)subject.len, 0,
		    st->scratch, scan_event, &call);
	}
	if (error == HS_SUCCESS || error == HS_SCAN_TERMINATED)
		return (FM_SCAN_DONE);
	return (error == HS_NOMEM ? FM_SCAN_NO_MEMORY : FM_SCAN_UNDECIDED);
}

enum fm_scan_health
fm_scan_health(void)
{
	return ((enum fm_scan_health)scan_health);
}

const char *
fm_scan_engine(void)
{
	return (hs_version());
}
