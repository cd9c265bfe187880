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

#include "builtin.h"
#include "compile_priv.h"
#include "glob.h"
#include "obj.h"

static struct fm_op *
op_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->ops, struct fm_op, n));
}

static int
op_add(struct fm_compile *c, const struct fm_op *op)
{
	return (fm_compile_append(c, &c->ops, op, sizeof *op));
}

/* Compiles `unset`: one operation for each name, or glob of names. */
static int
stmt_unset(struct fm_compile *c, const struct fm_stmt *s, uint32_t rule)
{
	const struct fm_word *word;
	struct fm_op op;
	int bad;

	for (word = s->unset.headers.first; word != NULL; word = word->next) {
		op = (struct fm_op){ .code = FM_OP_UNSET, .rule = rule };
		if (fm_glob_prefix(word->text) < word->text.len) {
			op.code = FM_OP_UNSET_GLOB;
			bad = fm_compile_text(c, word->text, &op.a);
		} else
			bad = fm_compile_slot(c, word->text, &word->at,
			    &op.slot);
		if (bad != 0 || op_add(c, &op) != 0)
			return (-1);
	}
	return (0);
}

/* Joins the offers to one text, with a blank between two. */
static int
offers_text(struct fm_compile *c, const struct fm_words *offers,
    uint32_t *text)
{
	struct fm_grow joined = { 0 };
	const struct fm_word *word;
	char *p;
	int bad = 0;

	for (word = offers->first; word != NULL && bad == 0;
	    word = word->next) {
		p = fm_compile_add(c, &joined, 1, word->text.len + 1);
		if (p == NULL) {
			bad = -1;
			continue;
		}
		memcpy(p, word->text.b, word->text.len);
		p[word->text.len] = ' ';
	}
	if (bad == 0)
		bad = fm_compile_text(c, fm_text_trim(fm_text(joined.items,
		    joined.n)), text);
	fm_grow_fini(&joined);
	return (bad);
}

/* Negotiates the header values that most browsers send, for all requests. */
static int
offers_usual(struct fm_compile *c, const struct fm_offers_code *offers)
{
	struct fm_text answer, text = *FM_GROW_AT(&c->texts, struct fm_text,
	    offers->text);
	uint32_t *answers;
	unsigned n;
	char *buf;

	buf = fm_arena_alloc(&c->lowered, text.len);
	if (buf == NULL)
		return (fm_compile_no_memory(c));
	answers = fm_compile_add(c, &c->usual_answers, sizeof *answers,
	    offers->usual->count);
	if (answers == NULL)
		return (-1);
	for (n = 0; n < offers->usual->count; n++) {
		answers[n] = FM_NONE;
		answer = fm_offers_best(text, offers->named,
		    offers->usual->values[n], buf);
		if (answer.b != NULL &&
		    fm_compile_text(c, answer, &answers[n]) != 0)
			return (-1);
	}
	return (0);
}

static int
offers_add(struct fm_compile *c, const struct fm_stmt *s, uint32_t *number)
{
	const struct fm_usual *usual =
	    fm_usual_of(s->normalize.header->text);
	struct fm_offers_code code = { .usual = usual,
	    .named = s->normalize.named,
	    .first = (uint32_t)c->usual_answers.n };

	if (offers_text(c, &s->normalize.offers, &code.text) != 0 ||
	    (usual != NULL && offers_usual(c, &code) != 0))
		return (-1);
	*number = (uint32_t)c->offers.n;
	return (fm_compile_append(c, &c->offers, &code, sizeof code));
}

static int
stmt_normalize(struct fm_compile *c, const struct fm_stmt *s,
    struct fm_op *op)
{
	const struct fm_word *header = s->normalize.header;

	op->code = FM_OP_NORMALIZE;
	op->b = FM_NONE;
	if (fm_compile_slot(c, header->text, &header->at, &op->slot) != 0 ||
	    offers_add(c, s, &op->a) != 0)
		return (-1);
	if (s->normalize.otherwise == NULL)
		return (0);
	return (fm_compile_value(c, s->normalize.otherwise, &op->b));
}

static int
rewrite_pattern(struct fm_compile *c, const struct fm_word *regex,
    uint32_t *number)
{
	struct fm_pattern *pattern;
	int new;

	fm_intern_key(&c->intern, FM_TAG_REWRITE);
	fm_intern_key_text(&c->intern, regex->text);
	new = fm_compile_get(c, c->patterns.n, number);
	if (new <= 0)
		return (new);
	pattern = fm_pattern_new(FM_PATTERN_REGEX, regex->text, false,
	    &regex->at, c->diag);
	if (pattern == NULL)
		return (-1);
	if (c->tell != NULL)
		c->tell(c->tell_priv, NULL, 0, pattern, &regex->at);
	if (fm_compile_append(c, &c->patterns, &pattern,
	    sizeof pattern) == 0)
		return (0);
	fm_pattern_free(&pattern);
	return (-1);
}

static int
stmt_rewrite(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	op->code = FM_OP_REWRITE;
	op->all = s->rewrite.all;
	if (rewrite_pattern(c, s->rewrite.regex, &op->a) != 0)
		return (-1);
	return (fm_compile_text(c, s->rewrite.to->text, &op->b));
}

static int
stmt_backend(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	const struct fm_word *name = s->backend.name;
	struct fm_place at = name->at;
	const char *copy;
	int new;

	op->code = FM_OP_BACKEND;
	fm_intern_key(&c->intern, FM_TAG_BACKEND);
	fm_intern_key_text(&c->intern, name->text);
	new = fm_compile_get(c, c->backends.n, &op->a);
	if (new <= 0)
		return (new);
	copy = fm_compile_people(c, name->text);
	if (copy == NULL || fm_compile_place(c, &at) != 0 ||
	    fm_compile_append(c, &c->backend_places, &at, sizeof at) != 0)
		return (-1);
	return (fm_compile_append(c, &c->backends, &copy, sizeof copy));
}

static int
stmt_synth(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	op->code = FM_OP_SYNTH;
	op->status = (uint16_t)s->synth.code;
	op->a = op->b = FM_NONE;
	if (s->synth.value != NULL)
		return (fm_compile_value(c, s->synth.value, &op->b));
	if (s->synth.reason == NULL)
		return (0);
	return (fm_compile_text(c, s->synth.reason->text, &op->a));
}

static int
stmt_answer(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	op->code = FM_OP_ANSWER;
	op->status = (uint16_t)s->answer.code;
	if (fm_compile_text(c, s->answer.type->text, &op->a) != 0)
		return (-1);
	return (fm_compile_text(c, s->answer.body, &op->b));
}

static int
stmt_set(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	op->code = FM_OP_SET;
	if (fm_compile_slot(c, s->set.header->text, &s->set.header->at,
	    &op->slot) != 0)
		return (-1);
	return (fm_compile_value(c, s->set.value, &op->a));
}

/* Compiles `builtin`, with slots for Authorization and maybe Connection. */
static int
stmt_builtin(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	uint8_t connection = 0;

	op->code = FM_OP_BUILTIN;
	if (fm_compile_slot(c, fm_text_of("Authorization"), &s->at,
	    &op->slot) != 0 || ((fm_builtin_here & FM_BUILTIN_501) != 0 &&
	    fm_compile_slot(c, fm_text_of("Connection"), &s->at,
	    &connection) != 0))
		return (-1);
	op->a = connection;
	return (0);
}

/* Compiles a statement that is one operation. */
static int
stmt_op(struct fm_compile *c, const struct fm_stmt *s, struct fm_op *op)
{
	switch (s->kind) {
	case FM_STMT_QUERY:
		op->code = FM_OP_QUERY;
		op->all = s->params.what == FM_PARAMS_WHAT_CLEAN;
		return (op->all ? 0 : fm_compile_params(c, s, &op->a));
	case FM_STMT_COOKIE:
		op->code = FM_OP_COOKIE;
		op->slot = FM_SLOT_OF_COOKIE;
		return (fm_compile_params(c, s, &op->a));
	case FM_STMT_SET:
		return (stmt_set(c, s, op));
	case FM_STMT_NORMALIZE:
		return (stmt_normalize(c, s, op));
	case FM_STMT_REWRITE:
		return (stmt_rewrite(c, s, op));
	case FM_STMT_BACKEND:
		return (stmt_backend(c, s, op));
	case FM_STMT_PASS:
		op->code = FM_OP_PASS;
		return (0);
	case FM_STMT_PIPE:
		op->code = FM_OP_PIPE;
		return (0);
	case FM_STMT_HASH:
		op->code = FM_OP_HASH;
		return (0);
	case FM_STMT_PURGE:
		op->code = FM_OP_PURGE;
		return (0);
	case FM_STMT_SYNTH:
		return (stmt_synth(c, s, op));
	case FM_STMT_ANSWER:
		return (stmt_answer(c, s, op));
	case FM_STMT_REDIRECT:
		op->code = FM_OP_REDIRECT;
		op->status = (uint16_t)s->redirect.code;
		return (fm_compile_value(c, s->redirect.to, &op->a));
	case FM_STMT_STOP:
		op->code = FM_OP_STOP;
		return (0);
	case FM_STMT_BUILTIN:
		return (stmt_builtin(c, s, op));
	case FM_STMT_USE:
		op->code = FM_OP_USE;
		op->a = s->use.ruleset->number;
		return (0);
	case FM_STMT_UNSET:
	case FM_STMT_WHEN:
		break;
	}
	assert(!"a statement of one operation");
	return (-1);
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
static int
when_block(struct fm_compile *c, const struct fm_block *block, uint32_t cond)
{
	struct fm_compile_scope scope = { .outer = c->scope };
	struct fm_cond_code *code;
	uint32_t first, end;
	int bad;

	code = FM_GROW_AT(&c->conds, struct fm_cond_code, cond);
	if (code->ncaptures == 0)
		return (fm_compile_block(c, block));
	first = code->first_capture;
	end = first + code->ncaptures;
	scope.reg = scope.outer == NULL ? 0 : scope.outer->reg + 1;
	c->scope = &scope;
	bad = fm_compile_block(c, block);
	c->scope = scope.outer;
	code = FM_GROW_AT(&c->conds, struct fm_cond_code, cond);
	if (scope.used) {
		code->reg = scope.reg;
		return (bad);
	}
	code->ncaptures = 0;
	if (c->captures.n == end)
		c->captures.n = first;
	return (bad);
}

/* Returns the `when` that is all of `otherwise`; or NULL. */
const struct fm_stmt *
fm_compile_chained(const struct fm_block *otherwise)
{
	if (otherwise == NULL || otherwise->first == NULL ||
	    otherwise->first->kind != FM_STMT_WHEN ||
	    otherwise->first->next != NULL)
		return (NULL);
	return (otherwise->first);
}

/* Adds a jump to the end of a chain.  *jumps is the jump added before. */
static int
when_jump(struct fm_compile *c, uint32_t *jumps)
{
	struct fm_op op = { .code = FM_OP_JUMP, .b = *jumps,
	    .rule = FM_NONE };

	*jumps = (uint32_t)c->ops.n;
	return (op_add(c, &op));
}

/* Lets all jumps of a chain go to the next operation. */
static void
when_land(struct fm_compile *c, uint32_t jumps)
{
	uint32_t next;

	for (; jumps != FM_NONE; jumps = next) {
		next = op_at(c, jumps)->b;
		op_at(c, jumps)->b = (uint32_t)c->ops.n;
	}
}

/*
 * Compiles a `when` and the chain of `else when` behind it: in a loop, as
 * recursion would take a deep stack.  Until the end of the chain is known, op.b
 * of each jump is the index of the jump before it.
 */
static int
stmt_when(struct fm_compile *c, const struct fm_stmt *s)
{
	const struct fm_block *otherwise;
	const struct fm_compile_count before = c->count;
	uint32_t when, jumps = FM_NONE, guard = c->guard;
	const uint8_t side = c->side;
	struct fm_op op;
	uint64_t id;

	do {
		op = (struct fm_op){ .code = FM_OP_WHEN };
		if (fm_compile_rule_stmt(c, s, &op.rule) != 0)
			return (-1);
		c->guard = op.rule + 1;
		c->side = FM_RULE_THEN;
		c->depth++;
		if (fm_compile_cond(c, s->when.cond, &op.a) != 0)
			return (-1);
		when = (uint32_t)c->ops.n;
		if (op_add(c, &op) != 0 ||
		    fm_compile_count_then(c, s, op.rule, &id) != 0 ||
		    when_block(c, s->when.then, op.a) != 0)
			return (-1);
		fm_compile_count_else(c, id);
		c->depth--;
		c->side = FM_RULE_CHAINED;
		otherwise = s->when.otherwise;
		if (otherwise != NULL && otherwise->first != NULL &&
		    when_jump(c, &jumps) != 0)
			return (-1);
		op_at(c, when)->b = (uint32_t)c->ops.n;
		s = fm_compile_chained(otherwise);
	} while (s != NULL);
	c->depth++;
	c->side = FM_RULE_ELSE;
	if (otherwise != NULL && fm_compile_block(c, otherwise) != 0)
		return (-1);
	when_land(c, jumps);
	c->guard = guard;
	c->depth--;
	c->side = side;
	fm_compile_count_end(c, &before);
	return (0);
}

int
fm_compile_block(struct fm_compile *c, const struct fm_block *block)
{
	const struct fm_stmt *s;
	struct fm_op op;
	int bad = 0;

	for (s = block->first; s != NULL && bad == 0; s = s->next) {
		if (s->kind == FM_STMT_WHEN) {
			bad = stmt_when(c, s);
			continue;
		}
		op = (struct fm_op){ 0 };
		bad = fm_compile_rule_stmt(c, s, &op.rule);
		if (bad == 0)
			bad = fm_compile_count_stmt(c, s, op.rule);
		if (bad == 0 && s->kind == FM_STMT_UNSET)
			bad = stmt_unset(c, s, op.rule);
		else if (bad == 0)
			bad = stmt_op(c, s, &op) | op_add(c, &op);
	}
	return (bad);
}
