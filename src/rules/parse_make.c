/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What words, tests and statements become.
 */

#include "addrs.h"
#include "grammar.h"

/*--------------------------------------------------------------------
 * Words and subjects
 */

struct fm_word *
fm_make_word(struct fm_parse *parse, struct fm_text text,
    const struct fm_place *at, bool quoted)
{
	struct fm_word *word;

	word = fm_parse_alloc(parse, sizeof *word);
	word->text = fm_parse_text_copy(parse, text);
	word->at = *at;
	word->quoted = quoted;
	return (word);
}

/*
 * A keyword that starts a line, and is taken as one more operand: the
 * semicolon before it may have been forgotten.  (The blocks of lists and maps
 * have their words between braces.)
 */
struct fm_word *
fm_make_keyword(struct fm_reader *reader, const char *text,
    const struct fm_span *span)
{
	struct fm_place at = fm_reader_place(reader, span);
	struct fm_text word = fm_text(reader->bytes + span->start,
	    span->end - span->start);
	const char * const *starts;
	static const char * const words[] = {
		"include", "list", "map", "ruleset", "always", "finally",
		"undecided", "repeated", "host", "hosts", "default", "query",
		"cookie", "set", "unset", "normalize", "rewrite", "backend",
		"pass", "pipe", "hash", "purge", "synth", "redirect", "stop",
		"builtin", "when", NULL
	};

	if (!fm_text_eq(word, fm_text_of(text)))
		word = fm_text_of(text);	/* it was put right */
	if (span->first && reader->item != T_LIST && reader->item != T_MAP)
		for (starts = words; *starts != NULL; starts++)
			if (strcmp(*starts, text) == 0)
				fm_diag_warning(reader->parse->diag, &at,
				    FM_MSG_KEYWORD_LINE, text);
	return (fm_make_word(reader->parse, word, &at, false));
}

void
fm_words_add(struct fm_reader *reader, struct fm_words *words,
    struct fm_word *word)
{

	if (words->count == FM_LIMIT_OPERANDS) {
		if (!reader->too_much)
			fm_diag_error(reader->parse->diag, &word->at,
			    FM_MSG_OPERANDS, FM_LIMIT_OPERANDS);
		reader->too_much = true;
		return;
	}
	if (words->first == NULL)
		words->first = word;
	else
		words->last->next = word;
	words->last = word;
	words->count++;
}

/* Warns of a word that would be a mode behind a subject. */
void
fm_operands_warn(struct fm_parse *parse, const struct fm_words *operands)
{
	const struct fm_word *word;

	for (word = operands->first; word != NULL && !parse->nomem;
	    word = word->next)
		if (!word->quoted && fm_text_eq(word->text,
		    fm_text_of("below")))
			fm_diag_warning(parse->diag, &word->at,
			    FM_MSG_MODE_OPERAND, "below");
}

/* `agent` is what has no name. */
struct fm_subject *
fm_make_subject(struct fm_reader *reader, enum fm_subject_kind kind,
    const struct fm_span *span, const struct fm_word *name)
{
	struct fm_subject *subject;

	subject = fm_parse_alloc(reader->parse, sizeof *subject);
	subject->kind = kind;
	subject->at = fm_reader_place(reader, span);
	if (name != NULL) {
		subject->name = name->text;
	} else if (kind == FM_SUBJECT_HEADER) {
		subject->agent = true;
		subject->name = fm_text_of("User-Agent");
	}
	return (subject);
}

/*--------------------------------------------------------------------
 * Conditions
 */

static struct fm_cond *
cond_new(struct fm_reader *reader, enum fm_cond_kind kind,
    const struct fm_place *at)
{
	struct fm_cond *cond;

	cond = fm_parse_alloc(reader->parse, sizeof *cond);
	cond->kind = kind;
	cond->at = *at;
	return (cond);
}

struct fm_cond_made
fm_make_test(struct fm_reader *reader, enum fm_cond_kind kind,
    const struct fm_subject *subject)
{
	struct fm_cond *cond;

	cond = cond_new(reader, kind, &subject->at);
	cond->subject = *subject;
	return ((struct fm_cond_made){ .cond = cond, .tests = 1 });
}

struct fm_cond_made
fm_make_mode(struct fm_reader *reader, const struct fm_subject *subject,
    bool nocase, enum fm_pattern_kind mode, const struct fm_words *operands)
{
	struct fm_cond_made made = fm_make_test(reader, FM_COND_MODE, subject);

	made.cond->nocase = nocase;
	made.cond->mode = mode;
	made.cond->operands = *operands;
	fm_operands_warn(reader->parse, operands);
	return (made);
}

struct fm_cond_made
fm_make_present(struct fm_reader *reader, const struct fm_subject *subject)
{
	struct fm_text name = subject->name;
	bool glob = !reader->parse->nomem && name.len > 0 &&
	    (memchr(name.b, '*', name.len) != NULL ||
	    memchr(name.b, '?', name.len) != NULL);

	return (fm_make_test(reader, glob ? FM_COND_NAMES : FM_COND_PRESENT,
	    subject));
}

/* All that is below /cart but itself begins with /cart/. */
static void
below_operand(struct fm_parse *parse, struct fm_word *word)
{
	struct fm_text t = word->text;
	char *b;

	while (t.len > 0 && t.b[t.len - 1] == '/')
		t.len--;
	b = fm_parse_alloc(parse, t.len + 2);
	memcpy(b, t.b, t.len);
	b[t.len] = '/';
	word->text = fm_text(b, t.len + 1);
}

struct fm_cond_made
fm_make_below(struct fm_reader *reader, const struct fm_subject *subject,
    bool nocase, const struct fm_words *operands)
{
	struct fm_cond_made made = fm_make_mode(reader, subject, nocase,
	    FM_PATTERN_PREFIX, operands);
	struct fm_word *word;

	made.cond->below = true;
	for (word = operands->first; word != NULL && !reader->parse->nomem;
	    word = word->next)
		if (word->text.len > 0)
			below_operand(reader->parse, word);
	return (made);
}

struct fm_cond_made
fm_make_in(struct fm_reader *reader, const struct fm_subject *subject,
    const struct fm_words *words)
{
	struct fm_cond_made made = fm_make_test(reader, FM_COND_NETS, subject);

	if (words->count == 1 && !fm_network_is_like(words->first->text)) {
		made.cond->kind = FM_COND_IN;
		made.cond->list = words->first;
	} else {
		made.cond->operands = *words;
	}
	return (made);
}

/*
 * What could not be read must not make the rest look wrong: any ${1} to ${9}
 * may be of this test, and no list is looked for.
 */
struct fm_cond_made
fm_make_unknown(struct fm_reader *reader, const struct fm_span *span)
{
	struct fm_place at = fm_reader_place(reader, span);
	struct fm_cond *cond;

	cond = cond_new(reader, FM_COND_MODE, &at);
	cond->mode = FM_PATTERN_REGEX;
	cond->subject.kind = FM_SUBJECT_URL;
	cond->subject.at = at;
	fm_words_add(reader, &cond->operands, fm_make_word(reader->parse,
	    fm_text_of("(.)(.)(.)(.)(.)(.)(.)(.)(.)"), &at, true));
	return ((struct fm_cond_made){ .cond = cond, .tests = 1 });
}

static void
cond_limit(struct fm_reader *reader, const struct fm_place *at,
    const char *text, unsigned limit)
{

	if (!reader->too_much)
		fm_diag_error(reader->parse->diag, at, text, limit);
	reader->too_much = true;
}

/* One level more: what is too deep is not kept. */
static void
cond_deepen(struct fm_reader *reader, struct fm_cond_made *made,
    const struct fm_span *span)
{
	struct fm_place at = fm_reader_place(reader, span);

	if (++made->height <= FM_LIMIT_CONDITION)
		return;
	cond_limit(reader, &at, FM_MSG_CONDITION, FM_LIMIT_CONDITION);
	*made = fm_make_unknown(reader, span);
}

struct fm_cond_made
fm_make_not(struct fm_reader *reader, struct fm_cond_made made,
    const struct fm_span *span)
{
	struct fm_place at = fm_reader_place(reader, span);
	struct fm_cond *cond;

	cond_deepen(reader, &made, span);
	cond = cond_new(reader, FM_COND_NOT, &at);
	cond->left = made.cond;
	made.cond = cond;
	return (made);
}

struct fm_cond_made
fm_make_negated(struct fm_reader *reader, struct fm_cond_made made,
    bool negated, const struct fm_span *span)
{

	return (negated ? fm_make_not(reader, made, span) : made);
}

struct fm_cond_made
fm_make_parens(struct fm_reader *reader, struct fm_cond_made made,
    const struct fm_span *span)
{

	cond_deepen(reader, &made, span);
	return (made);
}

struct fm_cond_made
fm_make_both(struct fm_reader *reader, enum fm_cond_kind kind,
    struct fm_cond_made left, struct fm_cond_made right)
{
	struct fm_cond *cond;

	if (left.tests + right.tests > FM_LIMIT_TESTS) {
		cond_limit(reader, &right.cond->at, FM_MSG_TESTS,
		    FM_LIMIT_TESTS);
		return (left);
	}
	cond = cond_new(reader, kind, &left.cond->at);
	cond->left = left.cond;
	cond->right = right.cond;
	left.cond = cond;
	left.tests += right.tests;
	if (left.height < right.height)
		left.height = right.height;
	return (left);
}

/*--------------------------------------------------------------------
 * Statements and blocks
 */

struct fm_stmt *
fm_make_stmt(struct fm_reader *reader, enum fm_stmt_kind kind,
    const struct fm_span *span)
{
	struct fm_stmt *stmt;

	stmt = fm_parse_alloc(reader->parse, sizeof *stmt);
	stmt->kind = kind;
	stmt->at = fm_reader_place(reader, span);
	return (stmt);
}

struct fm_stmt *
fm_make_answer(struct fm_reader *reader, const struct fm_span *span,
    struct fm_word *status, struct fm_word *type, const struct fm_word *body,
    const struct fm_span *body_at)
{
	struct fm_stmt *stmt = fm_make_stmt(reader, FM_STMT_ANSWER, span);
	struct fm_place at;

	stmt->answer.status = status;
	stmt->answer.type = type;
	stmt->answer.body = body->text;
	if (!reader->parse->nomem && body->text.len > 0 &&
	    memmem(body->text.b, body->text.len, "${", 2) != NULL) {
		at = fm_reader_place(reader, body_at);
		fm_diag_error(reader->parse->diag, &at, FM_MSG_ANSWER_VALUE);
	}
	return (stmt);
}

void
fm_make_named(const struct fm_reader *reader, struct fm_stmt *stmt)
{
	struct fm_words *offers = &stmt->normalize.offers;
	const struct fm_word *first = offers->first;

	if (reader->parse->nomem || first->quoted || first->next == NULL ||
	    !fm_text_eq(first->text, fm_text_of("named")))
		return;
	stmt->normalize.named = true;
	offers->first = first->next;
	offers->count--;
}

/* NULL: a statement that could not be read. */
void
fm_stmts_add(struct fm_reader *reader, struct fm_stmts_made *stmts,
    struct fm_stmt *stmt, unsigned height)
{
	struct fm_parse *parse = reader->parse;

	if (stmt == NULL)
		return;
	if (parse->nstmts == FM_LIMIT_STATEMENTS) {
		if (!parse->too_many)
			fm_diag_error(parse->diag, &stmt->at,
			    FM_MSG_STATEMENTS, FM_LIMIT_STATEMENTS);
		parse->too_many = true;
		return;
	}
	parse->nstmts++;
	if (stmts->first == NULL)
		stmts->first = stmt;
	else
		stmts->last->next = stmt;
	stmts->last = stmt;
	if (stmts->height < height)
		stmts->height = height;
}

struct fm_block_made
fm_make_block(struct fm_reader *reader, const struct fm_stmts_made *stmts,
    const struct fm_span *open, const struct fm_span *close)
{
	struct fm_block *block;

	block = fm_parse_alloc(reader->parse, sizeof *block);
	block->at = fm_reader_place(reader, open);
	block->end = fm_reader_place(reader, close);
	block->first = stmts->first;
	return ((struct fm_block_made){
		.block = block, .height = stmts->height
	});
}

static void
when_grow(struct fm_reader *reader, struct fm_when_made *when,
    unsigned height, const struct fm_place *at)
{

	if (when->height < when->links + height)
		when->height = when->links + height;
	if (when->height <= FM_LIMIT_NESTING)
		return;
	/* The whole chain goes: what is kept is not too deep. */
	if (!reader->too_deep)
		fm_diag_error(reader->parse->diag, at, FM_MSG_NESTING,
		    FM_LIMIT_NESTING);
	reader->too_deep = true;
	when->first = NULL;
	when->height = when->links = 0;
}

static struct fm_stmt *
when_new(struct fm_reader *reader, const struct fm_span *span,
    const struct fm_cond_made *cond, const struct fm_block_made *block)
{
	struct fm_stmt *stmt;

	stmt = fm_make_stmt(reader, FM_STMT_WHEN, span);
	stmt->when.cond = cond->cond;
	stmt->when.then = block->block;
	return (stmt);
}

struct fm_when_made
fm_make_when(struct fm_reader *reader, const struct fm_span *span,
    struct fm_cond_made cond, struct fm_block_made block)
{
	struct fm_when_made when = { .links = 1 };

	when.first = when.last = when_new(reader, span, &cond, &block);
	when_grow(reader, &when, block.height, &when.last->at);
	return (when);
}

void
fm_when_else(struct fm_reader *reader, struct fm_when_made *when,
    struct fm_block_made block)
{

	when->last->when.otherwise = block.block;
	when_grow(reader, when, block.height, &block.block->at);
}

void
fm_when_else_when(struct fm_reader *reader, struct fm_when_made *when,
    const struct fm_span *span, struct fm_cond_made cond,
    struct fm_block_made block)
{
	struct fm_stmts_made stmts = { .height = 0 };
	struct fm_block *outer;
	struct fm_stmt *stmt;

	stmt = when_new(reader, span, &cond, &block);
	fm_stmts_add(reader, &stmts, stmt, 0);
	outer = fm_parse_alloc(reader->parse, sizeof *outer);
	outer->at = stmt->at;
	outer->end = block.block->end;
	outer->first = stmts.first;
	when->last->when.otherwise = outer;
	when->last = stmt;
	when->links++;
	when_grow(reader, when, block.height, &stmt->at);
}
