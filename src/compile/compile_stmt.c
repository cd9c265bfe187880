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
 *	L:	...			the block after `else`
 *	M:
 */

#include <stdio.h>

#include "bounds.h"
#include "builtin.h"
#include "cachestatus.h"
#include "compile_priv.h"
#include "glob.h"
#include "obj.h"
#include "targeted.h"
#include "xxh.h"

#define PASS_SECONDS	120	/* of `pass` without a duration */

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
 * A stretch ends after a statement that may end the run or leave the block: a
 * verdict (an ESI sub-request ignores some), `stop`, `use`, and with `undecided
 * synth` whatever may be undecided.  A request that is refused as undecided is
 * counted for the rest of its stretch as well.
 */

void
fm_compile_count_block(struct fm_compile *compile, unsigned kind,
    struct fm_text name)
{
	compile->count.around = XXH3_64bits_withSeed(name.b, name.len,
	    kind + 3U * compile->phase);
	compile->count.counter = FM_NONE;
}

/* Adds a counter for the statements that follow. */
static void
count_add(struct fm_compile *compile)
{
	const struct fm_op op = { .code = FM_OP_COUNT,
	    .a = compile->p->first_host, .b = FM_NONE, .rule = FM_NONE };

	compile->count.counter = compile->p->first_host++;
	(void)fm_compile_append(compile, &compile->ops, &op, sizeof op);
}

/* Changes an identity that was there before: the second and later repeats. */
static uint64_t
id_repeated(struct fm_compile *compile, uint64_t id)
{
	uint32_t n, *repeat;

	fm_intern_key(&compile->intern, FM_TAG_SAME);
	fm_intern_key_number(&compile->intern, (uint32_t)id);
	fm_intern_key_number(&compile->intern, (uint32_t)(id >> 32));
	if (fm_compile_new(compile, compile->repeats.n, &n)) {
		(void)fm_compile_add(compile, &compile->repeats, sizeof *repeat,
		    1);
		return (id);
	}
	repeat = FM_GROW_AT(&compile->repeats, uint32_t, n);
	++*repeat;
	return (XXH3_64bits_withSeed(repeat, sizeof *repeat, id));
}

/* Adds a statement, with the current counter, to those that are counted. */
static void
stmt_add(struct fm_compile *compile, const struct fm_stmt *s, uint64_t id,
    uint32_t rule)
{
	const struct fm_compile_stmt stmt = { .line = s->at.line, .column =
	    s->at.column, .file = compile->file, .code = { id_repeated(compile,
	    id), rule, compile->count.counter } };

	(void)fm_compile_append(compile, &compile->stmts, &stmt, sizeof stmt);
}

/* Returns true if the next statement may run less often than this one. */
static bool
stmt_may_end(const struct fm_compile *compile, const struct fm_stmt *stmt)
{
	const struct fm_value *value = NULL;

	if (fm_stmt_may_end(stmt->kind))
		return (true);
	if (stmt->kind == FM_STMT_SET)
		value = stmt->set.value;
	else if (stmt->kind == FM_STMT_NORMALIZE)
		value = stmt->normalize.otherwise;
	else if (stmt->kind == FM_STMT_LOG)
		value = stmt->log.value;
	return (compile->model->undecided_mode == FM_UNDECIDED_SYNTH &&
	    (stmt->kind == FM_STMT_REWRITE ||
	    (value != NULL && value->map != NULL)));
}

/* Gives a statement a counter, before its operations are added. */
static void
count_stmt(struct fm_compile *compile, const struct fm_stmt *stmt,
    uint32_t rule)
{
	if (compile->count.counter == FM_NONE)
		count_add(compile);
	stmt_add(compile, stmt, fm_model_hash_stmt(stmt, compile->count.around),
	    rule);
	if (stmt_may_end(compile, stmt)) {
		compile->count.counter = FM_NONE;
		compile->count.ends++;
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
count_then(struct fm_compile *compile, const struct fm_stmt *stmt,
    uint32_t rule)
{
	uint64_t id = fm_model_hash_stmt(stmt, compile->count.around);

	count_add(compile);
	stmt_add(compile, stmt, id, rule);
	/* Any condition may be undecided: here it is not known which. */
	if (compile->model->undecided_mode == FM_UNDECIDED_SYNTH)
		compile->count.ends++;
	compile->count.around = id + 1;
	return (id);
}

static void
count_else(struct fm_compile *compile, uint64_t id)
{
	compile->count.around = id + 2;
	compile->count.counter = FM_NONE;
}

static void
count_end(struct fm_compile *compile, const struct fm_compile_count *before)
{
	compile->count.around = before->around;
	compile->count.counter = compile->count.ends == before->ends ?
	    before->counter : FM_NONE;
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
fm_compile_count_sort(struct fm_compile *compile)
{
	if (compile->stmts.n > 1)
		qsort(compile->stmts.items, compile->stmts.n,
		    sizeof(struct fm_compile_stmt), stmt_compare);
}

/*--------------------------------------------------------------------
 * Statements that are one operation
 */

/* Compiles `unset`: one operation for each name, or glob of names. */
static void
stmt_unset(struct fm_compile *compile, const struct fm_stmt *stmt,
    uint32_t rule)
{
	const struct fm_word *word;
	struct fm_op op;

	for (word = stmt->unset.headers.first; word != NULL;
	    word = word->next) {
		op = (struct fm_op){ .code = FM_OP_UNSET, .rule = rule };
		if (fm_glob_prefix(word->text) < word->text.len) {
			op.code = FM_OP_UNSET_GLOB;
			op.a = fm_compile_text(compile, word->text);
		} else
			op.slot = fm_compile_slot(compile, word->text,
			    &word->at);
		(void)fm_compile_append(compile, &compile->ops, &op, sizeof op);
	}
}

/* Sets Cache-Control, and unsets what browsers read instead of it. */
static void
stmt_browser(struct fm_compile *compile, const struct fm_stmt *stmt,
    uint32_t rule)
{
	static const char * const others[] = { "Expires", "Pragma" };
	struct fm_op op = { .code = FM_OP_SET, .rule = rule };
	char line[40] = "no-store";
	struct fm_part part = { .kind = FM_PART_TEXT };
	struct fm_value value = { .parts = &part };
	unsigned i;

	if (!fm_text_eq(stmt->life.amount->text, fm_text_of("no")))
		(void)snprintf(line, sizeof line, "max-age=%.0f",
		    stmt->life.number);
	part.text = fm_text_of(line);
	op.slot = fm_compile_slot(compile, fm_text_of("Cache-Control"),
	    &stmt->at);
	op.a = fm_compile_value(compile, &value);
	(void)fm_compile_append(compile, &compile->ops, &op, sizeof op);
	for (i = 0; i < 2; i++) {
		op = (struct fm_op){ .code = FM_OP_UNSET, .rule = rule };
		op.slot = fm_compile_slot(compile, fm_text_of(others[i]),
		    &stmt->at);
		(void)fm_compile_append(compile, &compile->ops, &op, sizeof op);
	}
}

/* Joins the offers to one text, with a blank between two. */
static uint32_t
offers_text(struct fm_compile *compile, const struct fm_words *offers)
{
	const struct fm_word *word;
	char *p;

	compile->line.n = 0;
	for (word = offers->first; word != NULL; word = word->next) {
		p = fm_compile_add(compile, &compile->line, 1,
		    word->text.len + 1);
		memcpy(p, word->text.b, word->text.len);
		p[word->text.len] = ' ';
	}
	return (fm_compile_text(compile,
	    fm_text_trim(fm_text(compile->line.items, compile->line.n))));
}

/* Negotiates the header values that most browsers send, for all requests. */
static void
offers_usual(struct fm_compile *compile, const struct fm_offers_code *offers)
{
	struct fm_text answer,
	    text = *FM_GROW_AT(&compile->texts, struct fm_text, offers->text);
	char *buf = fm_compile_alloc(compile, &compile->lowered, text.len);
	uint32_t *answers;
	unsigned n;

	answers = fm_compile_add(compile, &compile->usual_answers,
	    sizeof *answers, offers->usual->count);
	for (n = 0; n < offers->usual->count; n++) {
		answer = fm_offers_best(text, offers->named,
		    offers->usual->values[n], buf);
		answers[n] = answer.b == NULL ? FM_NONE :
		    fm_compile_text(compile, answer);
	}
}

static uint32_t
offers_add(struct fm_compile *compile, const struct fm_stmt *stmt)
{
	const struct fm_usual *usual =
	    fm_usual_of(stmt->normalize.header->text);
	const struct fm_offers_code code = { .usual = usual,
	    .named = stmt->normalize.named,
	    .text = offers_text(compile, &stmt->normalize.offers),
	    .first = (uint32_t)compile->usual_answers.n };

	if (usual != NULL)
		offers_usual(compile, &code);
	return (fm_compile_append(compile, &compile->offers, &code,
	    sizeof code));
}

static uint32_t
rewrite_pattern(struct fm_compile *compile, const struct fm_word *regex)
{
	struct fm_pattern **pattern;
	uint32_t number;

	fm_intern_key(&compile->intern, FM_TAG_REWRITE);
	fm_intern_key_text(&compile->intern, regex->text);
	if (!fm_compile_new(compile, compile->patterns.n, &number))
		return (number);
	pattern = fm_compile_add(compile, &compile->patterns, sizeof *pattern,
	    1);
	*pattern = fm_pattern_new(FM_PATTERN_REGEX, regex->text, false,
	    &regex->at, compile->diag);
	if (*pattern == NULL)
		fm_compile_fail(compile);
	if (compile->tell != NULL)
		compile->tell(compile->tell_priv, NULL, 0, *pattern,
		    &regex->at);
	return (number);
}

/* Finds or adds a backend, with the place where it is named first. */
static uint32_t
backend_of(struct fm_compile *compile, const struct fm_word *name)
{
	struct fm_place at = name->at;
	const char *copy;
	uint32_t number;

	fm_intern_key(&compile->intern, FM_TAG_BACKEND);
	fm_intern_key_text(&compile->intern, name->text);
	if (!fm_compile_new(compile, compile->backends.n, &number))
		return (number);
	copy = fm_compile_copy(compile, &compile->p->cold, name->text).b;
	fm_compile_place(compile, &at);
	(void)fm_compile_append(compile, &compile->backend_places, &at,
	    sizeof at);
	return (fm_compile_append(compile, &compile->backends, &copy,
	    sizeof copy));
}

/* Finds or adds a sub that this phase calls. */
static uint32_t
call_of(struct fm_compile *compile, const struct fm_word *name)
{
	struct fm_call_code call = { .at = name->at };
	uint32_t number;

	fm_intern_key(&compile->intern, FM_TAG_CALL);
	fm_intern_key_text(&compile->intern, name->text);
	if (fm_compile_new(compile, compile->calls.n, &number)) {
		call.name = fm_compile_copy(compile, &compile->p->cold,
		    name->text).b;
		fm_compile_place(compile, &call.at);
		(void)fm_compile_append(compile, &compile->calls, &call,
		    sizeof call);
	}
	FM_GROW_AT(&compile->calls, struct fm_call_code, number)->phases |=
	    1U << compile->phase;
	return (number);
}

static void
stmt_synth(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	op->status = (uint16_t)stmt->synth.code;
	op->a = op->b = FM_NONE;
	if (stmt->synth.value != NULL)
		op->b = fm_compile_value(compile, stmt->synth.value);
	else if (stmt->synth.reason != NULL)
		op->a = fm_compile_text(compile, stmt->synth.reason->text);
}

/* Fills in a duration, or none. */
static void
op_time(struct fm_op *op, const struct fm_stmt *stmt)
{
	double whole = (double)(uint32_t)stmt->life.number;

	op->a = stmt->life.amount == NULL ? FM_NONE : (uint32_t)whole;
	op->status = (uint16_t)((stmt->life.number - whole) * 1000 + .5);
}

/* Compiles `vary add`: its names are texts next to each other. */
static void
stmt_vary_add(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	const struct fm_word *word;

	op->code = FM_OP_VARY_ADD;
	op->a = (uint32_t)compile->texts.n;
	for (word = stmt->params.names.first; word != NULL; word = word->next)
		(void)fm_compile_text(compile, word->text);
	op->b = (uint32_t)compile->texts.n - op->a;
}

/* Compiles `set-cookie`, `vary` and `cache-control`. */
static void
stmt_list(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	static const char * const headers[] = {
		[FM_STMT_SET_COOKIE] = "Set-Cookie",
		[FM_STMT_VARY] = "Vary",
		[FM_STMT_CACHE_CONTROL] = "Cache-Control"
	};
	const struct fm_word *word;

	op->slot = fm_compile_slot(compile, fm_text_of(headers[stmt->kind]),
	    &stmt->at);
	if (stmt->params.what == FM_PARAMS_WHAT_ADD) {
		stmt_vary_add(compile, stmt, op);
		return;
	}
	op->a = fm_compile_params(compile, stmt);
	for (word = stmt->params.names.first; word != NULL; word = word->next)
		op->star |= fm_text_eq(word->text, fm_text_of("*"));
}

/* Compiles `cache-status`, whose name is a token or a string (RFC 8941). */
static void
stmt_cache_status(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	const struct fm_word *name = stmt->cache_status.name;
	const struct fm_list_def *list = stmt->cache_status.list_def;
	char *member;
	size_t len;

	op->slot = fm_compile_slot(compile, fm_text_of("Cache-Status"),
	    &stmt->at);
	compile->line.n = 0;
	member = fm_compile_add(compile, &compile->line, 1,
	    2 * name->text.len + 2);
	len = name->text.len;
	if (name->quoted)
		len = fm_cachestatus_string(name->text, member);
	else
		memcpy(member, name->text.b, len);
	op->a = fm_compile_text(compile, fm_text(member, len));
	op->b = FM_NONE;
	if (list != NULL) {
		op->b = fm_compile_nets(compile, list, NULL);
		compile->p->wants |= FM_WANTS_CLIENT;
	}
	compile->p->tells_cache = true;
}

/* Fills in what `no-vary-search` says, by the number of a block. */
static void
no_vary_find(const struct fm_model *model, const struct fm_no_vary **says,
    uint32_t none)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		says[ruleset->number] = ruleset->no_vary;
	for (site = model->sites; site != NULL; site = site->next)
		if (site->block != NULL)
			says[fm_model_site_block(model, site)] = site->no_vary;
	says[none] = model->no_vary;
}

/* Makes its texts, unless another statement has; equal texts are one. */
static uint32_t
no_vary_texts(struct fm_compile *compile, uint32_t none)
{
	const struct fm_no_vary **says;
	struct fm_text both, (*to)[2];
	uint32_t i, same;

	if (compile->no_vary > 0)
		return (compile->no_vary - 1);
	compile->no_vary = (uint32_t)compile->texts.n + 1;
	to = fm_compile_add(compile, &compile->texts, sizeof **to,
	    2 * ((size_t)none + 1));
	says = fm_compile_alloc(compile, &compile->lowered,
	    ((size_t)none + 1) * sizeof *says);
	no_vary_find(compile->model, says, none);
	for (i = 0; i <= none; i++) {
		if (says[i] == NULL)
			continue;
		both = fm_text(says[i]->header.b, says[i]->header.len +
		    says[i]->left.len);
		fm_intern_key(&compile->intern, FM_TAG_NO_VARY);
		fm_intern_key_text(&compile->intern, both);
		if (fm_compile_new(compile, i, &same))
			both = fm_compile_copy(compile, &compile->p->arena,
			    both);
		else
			both.b = to[same][0].b;
		to[i][0] = fm_text(both.b, says[i]->header.len);
		to[i][1] = fm_text(both.b + says[i]->header.len,
		    says[i]->left.len);
	}
	return (compile->no_vary - 1);
}

/* Compiles `ttl from`: two bytes for each header. */
static void
stmt_ttl_from(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	char headers[2 * FM_LIMIT_HEADERS];
	const struct fm_word *word = stmt->life.headers.first;
	size_t n = 0;

	for (; word != NULL && n < sizeof headers; word = word->next) {
		headers[n++] = (char)fm_compile_slot(compile, word->text,
		    &word->at);
		headers[n++] = (char)fm_targeted_kind(word->text);
	}
	op->a = fm_compile_text(compile, fm_text(headers, n));
}

/* Compiles the decision of builtin.vcl on a response. */
static void
stmt_builtin_response(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	static const char * const headers[] = { "Set-Cookie", "Vary",
	    "Surrogate-Control", "Content-Range" };
	char slots[4];
	unsigned i;

	op->code = FM_OP_BUILTIN_RESPONSE;
	op->slot = fm_compile_slot(compile, fm_text_of("Cache-Control"),
	    &stmt->at);
	for (i = 0; i < 4; i++)
		slots[i] = (char)fm_compile_slot(compile,
		    fm_text_of(headers[i]), &stmt->at);
	op->a = fm_compile_text(compile, fm_text(slots, sizeof slots));
}

/* Fills in the operation of a statement that only responses have. */
static void
stmt_op_response(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	switch (stmt->kind) {
	case FM_STMT_TTL:
		op->what = (uint8_t)stmt->life.what;
		if (stmt->life.what == FM_TTL_FROM) {
			stmt_ttl_from(compile, stmt, op);
			break;
		}
		if (stmt->life.map != NULL) {
			op->code = FM_OP_TTL_MAP;
			op->a = fm_compile_value(compile, stmt->life.map);
			break;
		}
		/* FALLTHROUGH */
	case FM_STMT_GRACE:
	case FM_STMT_KEEP:
	case FM_STMT_UNCACHEABLE:
		op_time(op, stmt);
		break;
	case FM_STMT_PASS:
		if (compile->phase != FM_PHASE_RESPONSE)
			break;
		op->code = FM_OP_PASS_RESPONSE;
		op_time(op, stmt);
		if (stmt->life.amount == NULL)
			op->a = PASS_SECONDS;
		break;
	case FM_STMT_RETRY:
		op->a = (uint32_t)stmt->life.number;
		break;
	case FM_STMT_SET_COOKIE:
	case FM_STMT_VARY:
	case FM_STMT_CACHE_CONTROL:
		stmt_list(compile, stmt, op);
		break;
	case FM_STMT_CACHE_STATUS:
		stmt_cache_status(compile, stmt, op);
		break;
	case FM_STMT_NO_VARY_SEARCH:
		op->slot = fm_compile_slot(compile,
		    fm_text_of("No-Vary-Search"), &stmt->at);
		op->b = compile->model->nrulesets + compile->model->nsites;
		op->a = no_vary_texts(compile, op->b);
		break;
	default:
		break;
	}
}

/* Fills in the operation of a statement that is one. */
static void
stmt_op(struct fm_compile *compile, const struct fm_stmt *stmt,
    struct fm_op *op)
{
	switch (stmt->kind) {
	case FM_STMT_COOKIE:
		op->slot = FM_SLOT_OF_COOKIE;
		/* FALLTHROUGH */
	case FM_STMT_QUERY:
		op->a = fm_compile_params(compile, stmt);
		break;
	case FM_STMT_SET:
		if (stmt->set.header == NULL)
			op->code = FM_OP_SET_URL;
		else
			op->slot = fm_compile_slot(compile,
			    stmt->set.header->text, &stmt->set.header->at);
		op->a = fm_compile_value(compile, stmt->set.value);
		break;
	case FM_STMT_NORMALIZE:
		op->slot = fm_compile_slot(compile,
		    stmt->normalize.header->text, &stmt->normalize.header->at);
		op->a = offers_add(compile, stmt);
		op->b = stmt->normalize.otherwise == NULL ? FM_NONE :
		    fm_compile_value(compile, stmt->normalize.otherwise);
		break;
	case FM_STMT_REWRITE:
		if (stmt->rewrite.header != NULL) {
			op->code = FM_OP_REWRITE_HEADER;
			op->slot = fm_compile_slot(compile,
			    stmt->rewrite.header->text,
			    &stmt->rewrite.header->at);
		}
		op->all = stmt->rewrite.all;
		op->a = rewrite_pattern(compile, stmt->rewrite.regex);
		op->b = fm_compile_text(compile, stmt->rewrite.to->text);
		break;
	case FM_STMT_BACKEND:
		op->a = backend_of(compile, stmt->backend.name);
		break;
	case FM_STMT_LOG:
		op->a = fm_compile_value(compile, stmt->log.value);
		break;
	case FM_STMT_CALL:
		op->a = call_of(compile, stmt->call.name);
		break;
	case FM_STMT_BAN:
		fm_compile_ban(compile, stmt, op);
		break;
	case FM_STMT_SYNTH:
		stmt_synth(compile, stmt, op);
		break;
	case FM_STMT_ANSWER:
		op->status = (uint16_t)stmt->answer.code;
		op->a = fm_compile_text(compile, stmt->answer.type->text);
		op->b = fm_compile_text(compile, stmt->answer.body);
		break;
	case FM_STMT_REDIRECT:
		op->status = (uint16_t)stmt->redirect.code;
		op->a = fm_compile_value(compile, stmt->redirect.to);
		break;
	case FM_STMT_BUILTIN:
		if (compile->phase == FM_PHASE_RESPONSE) {
			stmt_builtin_response(compile, stmt, op);
			break;
		}
		op->slot = fm_compile_slot(compile, fm_text_of("Authorization"),
		    &stmt->at);
		if ((fm_builtin_here & FM_BUILTIN_501) != 0)
			op->a = fm_compile_slot(compile,
			    fm_text_of("Connection"), &stmt->at);
		if (fm_builtin_has_range(fm_builtin_here))
			op->b = fm_compile_slot(compile, fm_text_of("Range"),
			    &stmt->at);
		break;
	case FM_STMT_USE:
		op->a = stmt->use.ruleset->number;
		break;
	default:
		stmt_op_response(compile, stmt, op);
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
when_block(struct fm_compile *compile, const struct fm_block *block,
    uint32_t cond)
{
	struct fm_compile_scope scope = { .outer = compile->scope };
	struct fm_cond_code *code;
	uint32_t first, end;

	code = FM_GROW_AT(&compile->conds, struct fm_cond_code, cond);
	if (code->ncaptures == 0) {
		fm_compile_block(compile, block);
		return;
	}
	first = code->first_capture;
	end = first + code->ncaptures;
	scope.reg = scope.outer == NULL ? 0 : scope.outer->reg + 1;
	compile->scope = &scope;
	fm_compile_block(compile, block);
	compile->scope = scope.outer;
	code = FM_GROW_AT(&compile->conds, struct fm_cond_code, cond);
	if (scope.used) {
		code->reg = scope.reg;
		return;
	}
	code->ncaptures = 0;
	if (compile->captures.n == end)
		compile->captures.n = first;
}

/*
 * Compiles a `when`, and what is after its `else`.  An `else when` is as deep
 * as the `when` before it.
 */
static void
stmt_when(struct fm_compile *compile, const struct fm_stmt *stmt)
{
	static const struct fm_op jump = { .code = FM_OP_JUMP,
	    .rule = FM_NONE };
	const struct fm_block *otherwise = stmt->when.otherwise;
	const struct fm_compile_count before = compile->count;
	const uint32_t guard = compile->guard;
	const uint8_t side = compile->side;
	struct fm_op op = { .code = FM_OP_WHEN };
	uint32_t to_else = 0, to_end = 0;
	uint64_t id;

	op.rule = fm_compile_rule_stmt(compile, stmt);
	compile->guard = op.rule + 1;
	compile->side = FM_RULE_THEN;
	compile->depth++;
	op.a = fm_compile_cond(compile, stmt->when.cond, &to_else);
	fm_compile_jump(compile, &op, &to_else);
	id = count_then(compile, stmt, op.rule);
	when_block(compile, stmt->when.then, op.a);
	count_else(compile, id);
	fm_compile_jump(compile, &jump, &to_end);
	fm_compile_lead(compile, &to_else);
	op.code = FM_OP_ELSE;
	FM_GROW_AT(&compile->conds, struct fm_cond_code, op.a)->otherwise =
	    fm_compile_append(compile, &compile->ops, &op, sizeof op);
	if (otherwise != NULL && otherwise->first != NULL) {
		compile->side = FM_RULE_ELSE;
		if (fm_stmt_chained(stmt) != NULL) {
			compile->side = FM_RULE_CHAINED;
			compile->depth--;
		}
		fm_compile_block(compile, otherwise);
		compile->depth += fm_stmt_chained(stmt) != NULL;
	}
	fm_compile_lead(compile, &to_end);
	compile->guard = guard;
	compile->side = side;
	compile->depth--;
	count_end(compile, &before);
}

void
fm_compile_block(struct fm_compile *compile, const struct fm_block *block)
{
	const struct fm_stmt *stmt;
	struct fm_op op;

	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_STMT_WHEN) {
			stmt_when(compile, stmt);
			continue;
		}
		if (fm_stmt_is_phase(stmt->kind))
			continue;
		op = (struct fm_op){ .code = (uint8_t)stmt->kind,
		    .rule = fm_compile_rule_stmt(compile, stmt) };
		count_stmt(compile, stmt, op.rule);
		if (stmt->kind == FM_STMT_UNSET) {
			stmt_unset(compile, stmt, op.rule);
			continue;
		}
		if (stmt->kind == FM_STMT_KEYED) {
			fm_compile_keyed(compile, stmt, op.rule);
			continue;
		}
		if (stmt->kind == FM_STMT_BROWSER) {
			stmt_browser(compile, stmt, op.rule);
			continue;
		}
		stmt_op(compile, stmt, &op);
		if (compile->phase == FM_PHASE_REQUEST &&
		    op.slot == FM_SLOT_HOST && (op.code == FM_OP_SET ||
		    op.code == FM_OP_NORMALIZE ||
		    op.code == FM_OP_REWRITE_HEADER))
			compile->p->sets_host = true;
		compile->rewrites |= op.code == FM_OP_REWRITE ||
		    op.code == FM_OP_SET_URL;
		if (op.code == FM_OP_STOP || op.code == FM_OP_USE)
			fm_compile_jump(compile, &op, &compile->ends);
		else
			(void)fm_compile_append(compile, &compile->ops, &op,
			    sizeof op);
	}
}

/* Runs the same phase of a ruleset that an item uses for its requests, too. */
static void
item_use(struct fm_compile *compile, const struct fm_stmt *stmt)
{
	struct fm_op op = { .code = FM_OP_USE };

	if (!fm_phase_has(stmt->use.ruleset->phases, compile->phase))
		return;
	op.rule = fm_compile_rule_stmt(compile, stmt);
	op.a = stmt->use.ruleset->number;
	fm_compile_jump(compile, &op, &compile->ends);
	compile->count.counter = FM_NONE;
	compile->count.ends++;
}

void
fm_compile_item(struct fm_compile *compile, const struct fm_block *block)
{
	const struct fm_stmt *stmt;

	if (compile->phase == FM_PHASE_REQUEST) {
		fm_compile_block(compile, block);
		return;
	}
	for (stmt = block->first; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == fm_phase_stmt(compile->phase))
			fm_compile_block(compile, stmt->phase.block);
		else if (stmt->kind == FM_STMT_USE)
			item_use(compile, stmt);
}
