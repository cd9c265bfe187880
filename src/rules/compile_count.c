/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Gives each statement a counter, which tells how often requests reached it,
 * and an identity, by which the counter is known after a reload.
 *
 * Statements without a branch between them are a stretch, and share a counter.
 * The block of a `when` always begins a new stretch.
 *
 *	set X-A = 1;			COUNT 0
 *	set X-B = 2;
 *	when path is /a {
 *		set X-C = 3;		COUNT 1, also that of the `when`
 *	}
 *	set X-D = 4;			0: every request gets here
 *	when path is /b { pass; }	COUNT 2
 *	set X-E = 5;			COUNT 3: some requests have passed
 *
 * A stretch ends behind a statement that may end the run or leave the block: a
 * verdict (an ESI sub-request ignores some), `stop`, `use`, and with `undecided
 * synth` whatever may be undecided.  A request that is refused as undecided is
 * counted for the rest of its stretch as well.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "compile_priv.h"
#include "obj.h"

void
fm_compile_count_block(struct fm_compile *c, unsigned kind,
    struct fm_text name)
{
	c->count.around = XXH3_64bits_withSeed(name.b, name.len, kind);
	c->count.counter = FM_NONE;
}

/* Adds a counter for the statements that follow. */
static void
count_add(struct fm_compile *c)
{
	const struct fm_op op = { .code = FM_OP_COUNT, .a = c->p->first_host,
	    .rule = FM_NONE };

	c->count.counter = c->p->first_host++;
	(void)fm_compile_append(c, &c->ops, &op, sizeof op);
}

/* Changes an identity that was there before: the second and later repeats. */
static uint64_t
id_repeated(struct fm_compile *c, uint64_t id)
{
	uint32_t n, *repeat;

	fm_intern_key(&c->intern, FM_TAG_SAME);
	fm_intern_key_number(&c->intern, (uint32_t)id);
	fm_intern_key_number(&c->intern, (uint32_t)(id >> 32));
	if (fm_compile_new(c, c->repeats.n, &n)) {
		(void)fm_compile_add(c, &c->repeats, sizeof *repeat, 1);
		return (id);
	}
	repeat = FM_GROW_AT(&c->repeats, uint32_t, n);
	++*repeat;
	return (XXH3_64bits_withSeed(repeat, sizeof *repeat, id));
}

/* Adds a statement, with the current counter, to those that are counted. */
static void
stmt_add(struct fm_compile *c, const struct fm_stmt *s, uint64_t id,
    uint32_t rule)
{
	const struct fm_compile_stmt stmt = { .line = s->at.line,
	    .column = s->at.column, .file = c->file,
	    .code = { id_repeated(c, id), rule, c->count.counter } };

	(void)fm_compile_append(c, &c->stmts, &stmt, sizeof stmt);
}

/* Returns true if the next statement may run less often than this one. */
static bool
stmt_may_end(const struct fm_compile *c, const struct fm_stmt *s)
{
	const struct fm_value *value = NULL;

	if (fm_stmt_may_end(s->kind))
		return (true);
	if (s->kind == FM_STMT_SET)
		value = s->set.value;
	else if (s->kind == FM_STMT_NORMALIZE)
		value = s->normalize.otherwise;
	return (c->model->undecided_mode == FM_UNDECIDED_SYNTH &&
	    (s->kind == FM_STMT_REWRITE ||
	    (value != NULL && value->map != NULL)));
}

void
fm_compile_count_stmt(struct fm_compile *c, const struct fm_stmt *s,
    uint32_t rule)
{
	if (c->count.counter == FM_NONE)
		count_add(c);
	stmt_add(c, s, fm_model_hash_stmt(s, c->count.around), rule);
	if (stmt_may_end(c, s)) {
		c->count.counter = FM_NONE;
		c->count.ends++;
	}
}

uint64_t
fm_compile_count_then(struct fm_compile *c, const struct fm_stmt *s,
    uint32_t rule)
{
	uint64_t id = fm_model_hash_stmt(s, c->count.around);

	count_add(c);
	stmt_add(c, s, id, rule);
	/* Any condition may be undecided: nobody knows here which may not. */
	if (c->model->undecided_mode == FM_UNDECIDED_SYNTH)
		c->count.ends++;
	c->count.around = id + 1;
	return (id);
}

void
fm_compile_count_else(struct fm_compile *c, uint64_t id)
{
	c->count.around = id + 2;
	c->count.counter = FM_NONE;
}

void
fm_compile_count_end(struct fm_compile *c,
    const struct fm_compile_count *before)
{
	c->count.around = before->around;
	c->count.counter = c->count.ends == before->ends ? before->counter :
	    FM_NONE;
}

static int
stmt_compare(const void *a, const void *b)
{
	const struct fm_compile_stmt *x = a, *y = b;

	if (x->file != y->file)
		return (x->file < y->file ? -1 : 1);
	if (x->line != y->line)
		return (x->line < y->line ? -1 : 1);
	return (x->column < y->column ? -1 : x->column > y->column);
}

void
fm_compile_count_sort(struct fm_compile *c)
{
	if (c->stmts.n > 1)
		qsort(c->stmts.items, c->stmts.n,
		    sizeof(struct fm_compile_stmt), stmt_compare);
}
