/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles the statements of a block to operations (enum fm_op_code).  A `when`
 * with an `else` becomes:
 *
 *		WHEN cond, b: L		when cond { ... } else { ... }
 *		COUNT			...
 *		...			the block
 *		JUMP b: M
 *	L:	...			the block behind `else`
 *	M:
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "builtin.h"
#include "compile_priv.h"
#include "glob.h"
#include "obj.h"

_Static_assert(FM_OP_QUERY == (int)FM_STMT_QUERY && FM_OP_WHEN ==
    (int)FM_STMT_WHEN && FM_OP_USE == (int)FM_STMT_USE, "one order");

static struct fm_op *
op_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->ops, struct fm_op, n));
}

/*--------------------------------------------------------------------
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

/* Gives a statement a counter, before its operations are added. */
static void
count_stmt(struct fm_compile *c, const struct fm_stmt *s, uint32_t rule)
{
	if (c->count.counter == FM_NONE)
		count_add(c);
	stmt_add(c, s, fm_model_hash_stmt(s, c->count.around), rule);
	if (stmt_may_end(c, s)) {
		c->count.counter = FM_NONE;
		c->count.ends++;
	}
}

/*
 * Counting around a `when`:
 *
 *	keep c->count	when a	then { ... }	else { ... }	end
 *
 * then() returns an identity, which else() needs.  end() gets c->count as it
 * was before the `when`.
 */
static uint64_t
count_then(struct fm_compile *c, const struct fm_stmt *s, uint32_t rule)
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

static void
count_else(struct fm_compile *c, uint64_t id)
{
	c->count.around = id + 2;
	c->count.counter = FM_NONE;
}

static void
count_end(struct fm_compile *c, const struct fm_compile_count *before)
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

/*--------------------------------------------------------------------
 * Statements that are one operation
 */

/* Compiles `unset`: one operation for each name, or glob of names. */
static void
stmt_unset(struct fm_compile *c, const struct fm_stmt *s, uint32_t rule)
{
	const struct fm_word *word;
	struct fm_op op;

	for (word = s->unset.headers.first; word != NULL; word = word->next) {
		op = (struct fm_op){ .code = FM_OP_UNSET, .rule = rule };
		if (fm_glob_prefix(word->text) < word->text.len) {
			op.code = FM_OP_UNSET_GLOB;
			op.a = fm_compile_text(c, word->text);
		} else
			op.slot = fm_compile_slot(c, word->text, &word->at);
		(void)fm_compile_append(c, &c->ops, &op, sizeof op);
	}
}

/* Joins the offers to one text, with a blank between two. */
static uint32_t
offers_text(struct fm_compile *c, const struct fm_words *offers)
{
	const struct fm_word *word;
	char *p;

	c->line.n = 0;
	for (word = offers->first; word != NULL; word = word->next) {
		p = fm_compile_add(c, &c->line, 1, word->text.len + 1);
		memcpy(p, word->text.b, word->text.len);
		p[word->text.len] = ' ';
	}
	return (fm_compile_text(c, fm_text_trim(fm_text(c->line.items,
	    c->line.n))));
}

/* Negotiates the header values that most browsers send, for all requests. */
static void
offers_usual(struct fm_compile *c, const struct fm_offers_code *offers)
{
	struct fm_text answer, text = *FM_GROW_AT(&c->texts, struct fm_text,
	    offers->text);
	char *buf = fm_compile_alloc(c, &c->lowered, text.len);
	uint32_t *answers;
	unsigned n;

	answers = fm_compile_add(c, &c->usual_answers, sizeof *answers,
	    offers->usual->count);
	for (n = 0; n < offers->usual->count; n++) {
		answer = fm_offers_best(text, offers->named,
		    offers->usual->values[n], buf);
		answers[n] = answer.b == NULL ? FM_NONE :
		    fm_compile_text(c, answer);
	}
}

static uint32_t
offers_add(struct fm_compile *c, const struct fm_stmt *s)
{
	const struct fm_usual *usual =
	    fm_usual_of(s->normalize.header->text);
	const struct fm_offers_code code = { .usual = usual,
	    .named = s->normalize.named,
	    .text = offers_text(c, &s->normalize.offers),
	    .first = (uint32_t)c->usual_answers.n };

	if (usual != NULL)
		offers_usual(c, &code);
	return (fm_compile_append(c, &c->offers, &code, sizeof code));
}

static uint32_t
rewrite_pattern(struct fm_compile *c, const struct fm_word *regex)
{
	struct fm_pattern **pattern;
	uint32_t number;

	fm_intern_key(&c->intern, FM_TAG_REWRITE);
	fm_intern_key_text(&c->intern, regex->text);
	if (!fm_compile_new(c, c->patterns.n, &number))
		return (number);
	pattern = fm_compile_add(c, &c->patterns, sizeof *pattern, 1);
	*pattern = fm_pattern_new(FM_PATTERN_REGEX, regex->text, false,
	    &regex->at, c->diag);
	if (*pattern == NULL)
		fm_compile_fail(c);
	if (c->tell != NULL)
		c->tell(c->tell_priv, NULL, 0, *pattern, &regex->at);
	return (number);
}

/* Finds or adds a backend, with the place where it is named first. */
static uint32_t
backend_of(struct fm_compile *c, const struct fm_word *name)
{
	struct fm_place at = name->at;
	const char *copy;
	uint32_t number;

	fm_intern_key(&c->intern, FM_TAG_BACKEND);
	fm_intern_key_text(&c->intern, name->text);
	if (!fm_compile_new(c, c->backends.n, &number))
		return (number);
	copy = fm_compile_copy(c, &c->p->people, name->text).b;
	fm_compile_place(c, &at);
	(void)fm_compile_append(c, &c->backend_places, &at, sizeof at);
	return (fm_compile_append(c, &c->backends, &copy, sizeof copy));
}

static void
stmt_synth(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	op->status = (uint16_t)s->synth.code;
	op->a = op->b = FM_NONE;
	if (s->synth.value != NULL)
		op->b = fm_compile_value(c, s->synth.value);
	else if (s->synth.reason != NULL)
		op->a = fm_compile_text(c, s->synth.reason->text);
}

/* Fills in the operation of a statement that is one. */
static void
stmt_op(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	switch (s->kind) {
	case FM_STMT_COOKIE:
		op->slot = FM_SLOT_OF_COOKIE;
		/* FALLTHROUGH */
	case FM_STMT_QUERY:
		op->a = fm_compile_params(c, s);
		break;
	case FM_STMT_SET:
		op->slot = fm_compile_slot(c, s->set.header->text,
		    &s->set.header->at);
		op->a = fm_compile_value(c, s->set.value);
		break;
	case FM_STMT_NORMALIZE:
		op->slot = fm_compile_slot(c, s->normalize.header->text,
		    &s->normalize.header->at);
		op->a = offers_add(c, s);
		op->b = s->normalize.otherwise == NULL ? FM_NONE :
		    fm_compile_value(c, s->normalize.otherwise);
		break;
	case FM_STMT_REWRITE:
		op->all = s->rewrite.all;
		op->a = rewrite_pattern(c, s->rewrite.regex);
		op->b = fm_compile_text(c, s->rewrite.to->text);
		break;
	case FM_STMT_BACKEND:
		op->a = backend_of(c, s->backend.name);
		break;
	case FM_STMT_SYNTH:
		stmt_synth(c, s, op);
		break;
	case FM_STMT_ANSWER:
		op->status = (uint16_t)s->answer.code;
		op->a = fm_compile_text(c, s->answer.type->text);
		op->b = fm_compile_text(c, s->answer.body);
		break;
	case FM_STMT_REDIRECT:
		op->status = (uint16_t)s->redirect.code;
		op->a = fm_compile_value(c, s->redirect.to);
		break;
	case FM_STMT_BUILTIN:
		op->slot = fm_compile_slot(c, fm_text_of("Authorization"),
		    &s->at);
		if ((fm_builtin_here & FM_BUILTIN_501) != 0)
			op->a = fm_compile_slot(c, fm_text_of("Connection"),
			    &s->at);
		break;
	case FM_STMT_USE:
		op->a = s->use.ruleset->number;
		break;
	case FM_STMT_PASS:
	case FM_STMT_PIPE:
	case FM_STMT_HASH:
	case FM_STMT_PURGE:
	case FM_STMT_STOP:
	case FM_STMT_UNSET:
	case FM_STMT_WHEN:
		break;
	}
}

/*--------------------------------------------------------------------
 * when
 */

/*
 * Compiles the block of a `when`.  If the block uses groups, the condition puts
 * them into a register of its own, one for each depth, so that the groups of
 * outer whens stay as they are.  If the block uses none, the captures are
 * removed, and no request looks for groups.
 */
static void
when_block(struct fm_compile *c, const struct fm_block *block, uint32_t cond)
{
	struct fm_compile_scope scope = { .outer = c->scope };
	struct fm_cond_code *code;
	uint32_t first, end;

	code = FM_GROW_AT(&c->conds, struct fm_cond_code, cond);
	if (code->ncaptures == 0) {
		fm_compile_block(c, block);
		return;
	}
	first = code->first_capture;
	end = first + code->ncaptures;
	scope.reg = scope.outer == NULL ? 0 : scope.outer->reg + 1;
	c->scope = &scope;
	fm_compile_block(c, block);
	c->scope = scope.outer;
	code = FM_GROW_AT(&c->conds, struct fm_cond_code, cond);
	if (scope.used) {
		code->reg = scope.reg;
		return;
	}
	code->ncaptures = 0;
	if (c->captures.n == end)
		c->captures.n = first;
}

/*
 * Compiles a `when`, and what is behind its `else`.  An `else when` is as deep
 * as the `when` before it.
 */
static void
stmt_when(struct fm_compile *c, const struct fm_stmt *s)
{
	static const struct fm_op jump = { .code = FM_OP_JUMP,
	    .rule = FM_NONE };
	const struct fm_block *otherwise = s->when.otherwise;
	const struct fm_compile_count before = c->count;
	const uint32_t guard = c->guard;
	const uint8_t side = c->side;
	struct fm_op op = { .code = FM_OP_WHEN };
	uint32_t leads, behind;
	uint64_t id;

	op.rule = fm_compile_rule_stmt(c, s);
	c->guard = op.rule + 1;
	c->side = FM_RULE_THEN;
	c->depth++;
	op.a = fm_compile_cond(c, s->when.cond);
	leads = fm_compile_append(c, &c->ops, &op, sizeof op);
	id = count_then(c, s, op.rule);
	when_block(c, s->when.then, op.a);
	count_else(c, id);
	if (otherwise != NULL && otherwise->first != NULL) {
		behind = fm_compile_append(c, &c->ops, &jump, sizeof jump);
		op_at(c, leads)->b = (uint32_t)c->ops.n;
		leads = behind;
		c->side = FM_RULE_ELSE;
		if (fm_stmt_chained(s) != NULL) {
			c->side = FM_RULE_CHAINED;
			c->depth--;
		}
		fm_compile_block(c, otherwise);
		c->depth += fm_stmt_chained(s) != NULL;
	}
	op_at(c, leads)->b = (uint32_t)c->ops.n;
	c->guard = guard;
	c->side = side;
	c->depth--;
	count_end(c, &before);
}

void
fm_compile_block(struct fm_compile *c, const struct fm_block *block)
{
	const struct fm_stmt *s;
	struct fm_op op;

	for (s = block->first; s != NULL; s = s->next) {
		if (s->kind == FM_STMT_WHEN) {
			stmt_when(c, s);
			continue;
		}
		op = (struct fm_op){ .code = (uint8_t)s->kind,
		    .rule = fm_compile_rule_stmt(c, s) };
		count_stmt(c, s, op.rule);
		if (s->kind == FM_STMT_UNSET) {
			stmt_unset(c, s, op.rule);
			continue;
		}
		stmt_op(c, s, &op);
		(void)fm_compile_append(c, &c->ops, &op, sizeof op);
	}
}
