/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses subjects, conditions, statements and blocks:
 *
 *	block	    { statement... }
 *	statement   set X = "a";	when condition block [else ...]
 *	condition   row, row or row	row	test, test and test
 *	test	    subject mode operands,  not test,  (condition)
 */

#include "addrs.h"
#include "parse_priv.h"

/*--------------------------------------------------------------------
 * Conditions
 *
 * `not` binds tighter than `and`, and `and` tighter than `or`.  A loop reads a
 * row of tests, however long; only parentheses and nots are read by recursion,
 * at most FM_LIMIT_CONDITION deep.
 */

bool
fm_read_subject(struct fm_reader *reader, struct fm_subject *subject,
    enum fm_token_kind expected, struct fm_word **listp)
{
	enum fm_token_kind kind = reader->token.kind;
	struct fm_word *name;
	bool list, not;
	size_t i;

	for (i = 0; i < FM_SUBJECT_ROWS && fm_subjects[i].token != kind; i++)
		continue;
	if (i == FM_SUBJECT_ROWS)
		return (fm_need(reader, expected));
	*subject = (struct fm_subject){
		.kind = (enum fm_subject_kind)fm_subjects[i].kind,
		.at = reader->token.at,
		.agent = kind == T_AGENT
	};
	fm_next(reader);
	if (subject->agent)
		subject->name = fm_text_of("User-Agent");
	if (kind == T_REQUEST && !fm_need(reader, T_HEADER))
		return (false);
	if (!fm_subjects[i].named)
		return (kind != T_CLEAN || fm_need(reader, T_PATH));
	list = listp != NULL && reader->token.kind == T_IN;
	not = reader->token.kind == T_NOT;
	if (!fm_read_word(reader, T_NAME, &name))
		return (false);
	if (not && reader->token.kind == T_PRESENT) {
		fm_diag_error(reader->diag, &name->at, FM_MSG_NAME_MISSING,
		    fm_subject_word(subject->kind));
		return (false);
	}
	/* `query in LIST present`, or a parameter that is called `in`. */
	if (list && fm_token_is(&reader->token, T_WORD)) {
		(void)fm_read_word(reader, T_WORD, &name);
		*listp = name;
	}
	subject->name = name->text;
	return (true);
}

/* Returns the file's text from an offset to the end of the last token. */
static struct fm_text
text_since(const struct fm_reader *reader, size_t from)
{

	return (fm_text_span(reader->text.b + from,
	    reader->text.b + reader->before.end));
}

static struct fm_cond *
cond_new(struct fm_reader *reader, enum fm_cond_kind kind,
    const struct fm_place *at, struct fm_cond *left)
{
	struct fm_cond *cond;

	cond = fm_parse_alloc(reader->parse, sizeof *cond);
	cond->kind = kind;
	cond->at = *at;
	cond->left = left;
	return (cond);
}

/*
 * Makes a test in the place of one that could not be read.  The test has nine
 * groups, so that no ${1} to ${9} after it looks wrong.
 */
static struct fm_cond *
cond_unknown(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_cond *cond;

	cond = cond_new(reader, FM_COND_MODE, at, NULL);
	cond->mode = FM_PATTERN_REGEX;
	cond->subject.kind = FM_SUBJECT_URL;
	cond->subject.at = *at;
	reader->operands = 0;
	fm_words_add(reader, &cond->operands, fm_make_word(reader->parse,
	    fm_text_of("(.)(.)(.)(.)(.)(.)(.)(.)(.)"), at, true));
	return (cond);
}

/* Reads `below`.  /cart becomes /cart/: all below it begins so. */
static bool
read_below(struct fm_reader *reader, struct fm_cond *cond)
{
	struct fm_word *word;
	struct fm_text t;
	char *b;

	cond->below = true;
	cond->mode = FM_PATTERN_PREFIX;
	if (!fm_read_words(reader, T_WORD, &cond->operands))
		return (false);
	for (word = cond->operands.first; word != NULL; word = word->next) {
		t = word->text;
		if (t.len == 0)
			continue;
		while (t.len > 0 && t.b[t.len - 1] == '/')
			t.len--;
		b = fm_parse_alloc(reader->parse, t.len + 2);
		memcpy(b, t.b, t.len);
		b[t.len] = '/';
		word->text = fm_text(b, t.len + 1);
	}
	return (true);
}

/* Reads what is after `in`: the name of a list, or networks. */
static bool
read_in(struct fm_reader *reader, struct fm_cond *cond)
{
	struct fm_words *words = &cond->operands;
	bool parens;

	parens = cond->subject.kind == FM_SUBJECT_CLIENT &&
	    reader->token.kind == T_LPAREN;
	if (parens)
		fm_next(reader);
	if (!fm_read_words(reader, T_WORD, words) ||
	    (parens && !fm_need(reader, T_RPAREN)))
		return (false);
	cond->kind = FM_COND_NETS;
	if (words->count == 1 && !fm_network_is_like(words->first->text)) {
		cond->kind = FM_COND_IN;
		cond->list = words->first;
		*words = (struct fm_words){ .count = 0 };
	}
	return (true);
}

/* Reads `over AMOUNT` or `under AMOUNT`. */
static bool
read_number(struct fm_reader *reader, struct fm_cond *cond)
{
	struct fm_word *word;

	cond->kind = FM_COND_NUMBER;
	cond->over = fm_accept(reader, T_OVER);
	if ((!cond->over && !fm_accept(reader, T_UNDER) &&
	    !fm_unexpected(reader)) || !fm_read_word(reader, T_WORD, &word))
		return (false);
	fm_words_add(reader, &cond->operands, word);
	return (true);
}

/* Reads the rest of a test: `is /a`, `in LIST`, `present`. */
static bool
read_asked(struct fm_reader *reader, struct fm_cond *cond)
{
	bool client = cond->subject.kind == FM_SUBJECT_CLIENT;
	bool list = cond->list != NULL;

	if (cond->subject.kind == FM_SUBJECT_TTL ||
	    cond->subject.kind == FM_SUBJECT_SIZE ||
	    cond->subject.kind == FM_SUBJECT_RESTARTS)
		return (read_number(reader, cond));
	if (!client && !list) {
		cond->nocase = fm_accept(reader, T_NOCASE);
		if (fm_read_mode(reader, &cond->mode)) {
			cond->values = reader->text.b + reader->token.start;
			return (fm_read_words(reader, T_WORD, &cond->operands));
		}
		if (fm_accept(reader, T_BELOW))
			return (read_below(reader, cond));
	}
	if (!list && !cond->nocase && fm_accept(reader, T_IN))
		return (read_in(reader, cond));
	if (client || cond->nocase || !fm_accept(reader, T_PRESENT))
		return (fm_unexpected(reader));
	cond->kind = FM_COND_PRESENT;
	if (list || fm_text_has_any(cond->subject.name, "*?"))
		cond->kind = FM_COND_NAMES;
	return (true);
}

static void
tests_add(struct fm_reader *reader, struct fm_cond *test)
{

	*reader->tests_tail = test;
	reader->tests_tail = &test->next;
}

static bool
read_test(struct fm_reader *reader, struct fm_cond **condp)
{
	struct fm_place at = reader->token.at;
	struct fm_cond *test = cond_new(reader, FM_COND_MODE, &at, NULL);
	size_t start = reader->token.start;
	enum fm_which which = FM_WHICH_FIRST;
	bool not;

	if (reader->token.kind == T_ANY)
		which = FM_WHICH_ANY;
	else if (reader->token.kind == T_EVERY)
		which = FM_WHICH_EVERY;
	if (which != FM_WHICH_FIRST)
		fm_next(reader);
	if (!fm_read_subject(reader, &test->subject, T_TEST, &test->list))
		return (false);
	test->subject.which = which;
	test->source = text_since(reader, start);
	reader->tests++;
	at = reader->token.at;
	not = fm_accept(reader, T_NOT);
	start = reader->token.start;
	if (!read_asked(reader, test))
		return (false);
	test->asked = text_since(reader, start);
	test->nots = reader->nots + not;
	tests_add(reader, test);
	*condp = not ? cond_new(reader, FM_COND_NOT, &at, test) : test;
	return (true);
}

/* Skips past the `)`, or to the condition's end. */
static void
skip_parens(struct fm_reader *reader)
{
	enum fm_token_kind kind;
	unsigned open = 1;

	while (open > 0) {
		kind = reader->token.kind;
		if (kind == T_SEMI || kind == T_OPEN || kind == T_CLOSE ||
		    kind == T_END)
			return;
		open += kind == T_LPAREN;
		open -= kind == T_RPAREN;
		fm_next(reader);
	}
}

static bool read_row(struct fm_reader *, struct fm_cond **,
    enum fm_cond_kind);

/* Reads a test, or a condition in parentheses or after `not`. */
static bool
read_one(struct fm_reader *reader, struct fm_cond **condp)
{
	enum fm_token_kind kind = reader->token.kind;
	struct fm_place at = reader->token.at;
	bool good;

	if (kind != T_NOT && kind != T_LPAREN)
		return (read_test(reader, condp));
	fm_next(reader);
	if (reader->nested == FM_LIMIT_CONDITION) {
		fm_parse_limit(reader->parse, &at, FM_MSG_CONDITION,
		    FM_LIMIT_CONDITION);
		if (kind == T_LPAREN) {
			skip_parens(reader);
			*condp = cond_unknown(reader, &at);
			tests_add(reader, *condp);
			return (true);
		}
		while (reader->token.kind == T_NOT)
			fm_next(reader);
		return (read_one(reader, condp));
	}
	reader->nested++;
	reader->nots += kind == T_NOT;
	if (kind == T_NOT)
		good = read_one(reader, condp);
	else
		good = read_row(reader, condp, FM_COND_OR) &&
		    fm_need(reader, T_RPAREN);
	reader->nots -= kind == T_NOT;
	reader->nested--;
	if (good && kind == T_NOT)
		*condp = cond_new(reader, FM_COND_NOT, &at, *condp);
	return (good);
}

/* Reads one or more with `and` between them, or rows of these with `or`. */
static bool
read_row(struct fm_reader *reader, struct fm_cond **condp,
    enum fm_cond_kind kind)
{
	struct fm_cond *left = NULL, *right;
	bool or = kind == FM_COND_OR;

	do {
		if (!(or ? read_row(reader, &right, FM_COND_AND) :
		    read_one(reader, &right)))
			return (false);
		if (left == NULL) {
			left = right;
		} else if (reader->tests > FM_LIMIT_TESTS) {
			fm_parse_limit(reader->parse, &right->at,
			    FM_MSG_TESTS, FM_LIMIT_TESTS);
		} else {
			left = cond_new(reader, kind, &left->at, left);
			left->right = right;
		}
	} while (fm_accept(reader, or ? T_OR : T_AND));
	*condp = left;
	return (true);
}

static bool
read_cond(struct fm_reader *reader, struct fm_stmt *when)
{

	reader->nested = reader->nots = reader->tests = 0;
	fm_parse_forget(reader->parse);
	reader->tests_tail = &when->when.tests;
	return (read_row(reader, &when->when.cond, FM_COND_OR));
}

/*--------------------------------------------------------------------
 * Statements
 */

static struct fm_stmt *
stmt_new(struct fm_reader *reader, enum fm_stmt_kind kind,
    const struct fm_place *at)
{
	struct fm_stmt *stmt;

	stmt = fm_parse_alloc(reader->parse, sizeof *stmt);
	stmt->kind = kind;
	stmt->at = *at;
	return (stmt);
}

/* Appends a statement; returns false if there are too many. */
static bool
stmts_add(struct fm_parse *parse, struct fm_stmt ***tail, struct fm_stmt *stmt)
{

	if (parse->nstmts == FM_LIMIT_STATEMENTS) {
		fm_parse_limit(parse, &stmt->at, FM_MSG_STATEMENTS,
		    FM_LIMIT_STATEMENTS);
		return (false);
	}
	parse->nstmts++;
	**tail = stmt;
	*tail = &stmt->next;
	return (true);
}

/* Reads the rest of a `query` or `cookie`, or of such a list in a header. */
static bool
read_params(struct fm_reader *reader, struct fm_stmt *stmt)
{
	bool query = stmt->kind == FM_STMT_QUERY;

	if (query && fm_accept(reader, T_SORT))
		stmt->params.what = FM_PARAMS_WHAT_SORT;
	else if (query && fm_accept(reader, T_UNIQUE))
		stmt->params.what = FM_PARAMS_WHAT_UNIQUE;
	else if (query && fm_accept(reader, T_CLEAN))
		stmt->params.what = FM_PARAMS_WHAT_CLEAN;
	else if (stmt->kind == FM_STMT_VARY && fm_accept(reader, T_ADD))
		stmt->params.what = FM_PARAMS_WHAT_ADD;
	else if (fm_accept(reader, T_KEEP))
		stmt->params.what = FM_PARAMS_WHAT_KEEP;
	else if (!fm_need(reader, T_DROP))
		return (false);
	if (query && stmt->params.what > FM_PARAMS_WHAT_KEEP)
		return (true);
	/* An `in` that comes first names a list. */
	if (reader->token.kind != T_IN)
		return (fm_read_words(reader, T_NAME, &stmt->params.names));
	fm_next(reader);
	return (fm_read_word(reader, T_WORD, &stmt->params.list));
}

static bool
read_normalize(struct fm_reader *reader, struct fm_stmt *stmt)
{
	struct fm_words *offers = &stmt->normalize.offers;
	const struct fm_word *first;

	if (!fm_read_word(reader, T_NAME, &stmt->normalize.header) ||
	    !fm_need(reader, T_TO) || !fm_read_words(reader, T_WORD, offers))
		return (false);
	/* A `named` before the offers is none of them. */
	first = offers->first;
	if (!first->quoted && first->next != NULL &&
	    fm_text_eq(first->text, fm_text_of("named"))) {
		stmt->normalize.named = true;
		offers->first = first->next;
		offers->count--;
	}
	return (!fm_accept(reader, T_ELSE) ||
	    fm_read_value(reader, &stmt->normalize.otherwise));
}

/* Reads `HEADER = VALUE` or `url VALUE`. */
static bool
read_set(struct fm_reader *reader, struct fm_stmt *stmt)
{
	struct fm_word *word;

	if (!fm_read_word(reader, T_NAME, &word))
		return (false);
	/* `set url = a` sets a header of that name. */
	if (word->quoted || !fm_text_eq(word->text, fm_text_of("url")) ||
	    reader->token.kind == T_EQUALS) {
		stmt->set.header = word;
		if (!fm_need(reader, T_EQUALS))
			return (false);
	}
	return (fm_read_value(reader, &stmt->set.value));
}

/* Reads `STATUS TYPE BODY` or `STATUS TYPE from FILE`. */
static bool
read_answer(struct fm_reader *reader, struct fm_stmt *stmt)
{
	struct fm_word *body;

	if (!fm_read_word(reader, T_WORD, &stmt->answer.status) ||
	    !fm_read_word(reader, T_WORD, &stmt->answer.type))
		return (false);
	stmt->answer.body = fm_text("", 0);
	if (fm_accept(reader, T_FROM)) {
		if (!fm_read_word(reader, T_STRING, &stmt->answer.file))
			return (false);
		stmt->answer.body = fm_read_answer_from(reader,
		    stmt->answer.file);
		return (true);
	}
	if (!fm_at(reader, T_STRING))
		return (fm_unexpected(reader));
	if (!fm_read_word(reader, T_STRING, &body))
		return (false);
	stmt->answer.body = body->text;
	if (fm_text_has(body->text, "${"))
		fm_diag_error(reader->diag, &body->at, FM_MSG_ANSWER_VALUE);
	return (true);
}

/* Accepts a word of another language, and reports the word to write instead. */
static bool
accept_foreign(struct fm_reader *reader, const char *word,
    const char *instead)
{

	if (reader->token.kind != T_WORD ||
	    !fm_text_eq(reader->token.text, fm_text_of(word)))
		return (false);
	fm_diag_error(reader->diag, &reader->token.at, FM_MSG_FOREIGN, word,
	    instead);
	fm_next(reader);
	return (true);
}

/* Accepts `max`, `<=` and the like in a `ttl`. */
static bool
accept_bound(struct fm_reader *reader, enum fm_ttl_what *what)
{
	*what = FM_TTL_MOST;
	if (accept_foreign(reader, "max", "at most") ||
	    accept_foreign(reader, "<=", "at most") ||
	    accept_foreign(reader, "<", "at most"))
		return (true);
	*what = FM_TTL_LEAST;
	return (accept_foreign(reader, "min", "at least") ||
	    accept_foreign(reader, ">=", "at least") ||
	    accept_foreign(reader, ">", "at least"));
}

/* Reads the rest of a `ttl`: what it changes, and what to. */
static bool
read_ttl(struct fm_reader *reader, struct fm_stmt *stmt)
{
	struct fm_value *value;
	enum fm_ttl_what bound;

	if (fm_accept(reader, T_FROM)) {
		stmt->life.what = FM_TTL_FROM;
		return (fm_read_words(reader, T_NAME, &stmt->life.headers));
	}
	if (accept_bound(reader, &bound)) {
		stmt->life.what = bound;
	} else if (fm_accept(reader, T_DEFAULT)) {
		stmt->life.what = FM_TTL_DEFAULT;
	} else if (fm_accept(reader, T_AT)) {
		stmt->life.what = FM_TTL_LEAST;
		if (fm_accept(reader, T_MOST))
			stmt->life.what = FM_TTL_MOST;
		else if (!fm_need(reader, T_LEAST))
			return (false);
	} else {
		if (!fm_read_value(reader, &value))
			return (false);
		if (value->map != NULL)
			stmt->life.map = value;
		else if (fm_at(reader, T_SEMI))
			stmt->life.amount = fm_make_word(reader->parse,
			    value->raw, &value->at, value->quoted);
		return (true);
	}
	return (fm_read_word(reader, T_WORD, &stmt->life.amount));
}

/* Reads a duration or a number that may be left out. */
static bool
read_amount(struct fm_reader *reader, struct fm_stmt *stmt)
{

	return (reader->token.kind != T_WORD ||
	    (stmt->kind == FM_STMT_PASS && reader->phase != T_RESPONSE) ||
	    fm_read_word(reader, T_WORD, &stmt->life.amount));
}

/* Reads `NAME` or `NAME for in LIST`. */
static bool
read_cache_status(struct fm_reader *reader, struct fm_stmt *stmt)
{

	return (fm_read_word(reader, T_WORD, &stmt->cache_status.name) &&
	    (!fm_accept(reader, T_FOR) || (fm_need(reader, T_IN) &&
	    fm_read_word(reader, T_WORD, &stmt->cache_status.list))));
}

/* Reads the rest of a statement, up to its `;`. */
static bool
read_rest(struct fm_reader *reader, struct fm_stmt *stmt)
{

	switch (stmt->kind) {
	case FM_STMT_QUERY:
	case FM_STMT_COOKIE:
	case FM_STMT_SET_COOKIE:
	case FM_STMT_VARY:
	case FM_STMT_CACHE_CONTROL:
		return (read_params(reader, stmt));
	case FM_STMT_TTL:
		return (read_ttl(reader, stmt));
	case FM_STMT_GRACE:
	case FM_STMT_KEEP:
	case FM_STMT_BROWSER:
		return (fm_read_word(reader, T_WORD, &stmt->life.amount));
	case FM_STMT_UNCACHEABLE:
	case FM_STMT_PASS:
	case FM_STMT_RETRY:
		return (read_amount(reader, stmt));
	case FM_STMT_PREFER:
		return (fm_need(reader, T_STALE));
	case FM_STMT_CACHE_STATUS:
		return (read_cache_status(reader, stmt));
	case FM_STMT_NO_VARY_SEARCH:
		reader->parse->model->has_no_vary = true;
		return (true);
	case FM_STMT_SET:
		return (read_set(reader, stmt));
	case FM_STMT_UNSET:
		return (fm_read_words(reader, T_NAME, &stmt->unset.headers));
	case FM_STMT_NORMALIZE:
		return (read_normalize(reader, stmt));
	case FM_STMT_REWRITE:
		stmt->rewrite.all = fm_accept(reader, T_ALL);
		if (fm_accept(reader, T_HEADER) && !fm_read_word(reader,
		    T_NAME, &stmt->rewrite.header))
			return (false);
		return (fm_need(reader, T_TILDE) &&
		    fm_read_word(reader, T_WORD, &stmt->rewrite.regex) &&
		    fm_need(reader, T_TO) &&
		    fm_read_word(reader, T_WORD, &stmt->rewrite.to));
	case FM_STMT_BACKEND:
		return (fm_read_word(reader, T_NAME, &stmt->backend.name));
	case FM_STMT_LOG:
		return (fm_read_value(reader, &stmt->log.value));
	case FM_STMT_CALL:
		return (fm_read_word(reader, T_NAME, &stmt->call.name));
	case FM_STMT_BAN:
		return (fm_read_ban(reader, &stmt->ban.tests));
	case FM_STMT_SYNTH:
		if (!fm_read_word(reader, T_WORD, &stmt->synth.status))
			return (false);
		fm_read_reason(reader, &stmt->synth.reason,
		    &stmt->synth.value);
		return (true);
	case FM_STMT_ANSWER:
		return (read_answer(reader, stmt));
	case FM_STMT_REDIRECT:
		return (fm_read_word(reader, T_WORD, &stmt->redirect.status) &&
		    fm_read_value(reader, &stmt->redirect.to));
	case FM_STMT_USE:
		return (fm_read_word(reader, T_WORD, &stmt->use.name));
	default:			/* one word is all of it */
		return (true);
	}
}

static bool
accept_when(struct fm_reader *reader)
{

	return (fm_accept(reader, T_WHEN) ||
	    accept_foreign(reader, "if", "when"));
}

/* Skips to the block after a mistake.  Returns false if there is none. */
static bool
skip_to_block(struct fm_reader *reader)
{

	if (fm_skip(reader))
		return (true);
	if (reader->before.kind == T_SEMI || (reader->token.kind != T_CLOSE &&
	    reader->token.kind != T_END))
		reader->doubt = true;
	return (false);
}

/*
 * Reads a condition and its block, and returns both; NULL: there is no block.
 * known is false if the condition is lost, and the next token is the block.
 */
static struct fm_stmt *
when_link(struct fm_reader *reader, const struct fm_place *at, bool known)
{
	struct fm_stmt *stmt = stmt_new(reader, FM_STMT_WHEN, at);
	size_t start = reader->before.start;

	if (known) {
		reader->stmt = T_WHEN;
		reader->muted = reader->token.bad;
		known = read_cond(reader, stmt) &&
		    (fm_at(reader, T_OPEN) || fm_unexpected(reader));
		if (!known && !skip_to_block(reader))
			return (NULL);
	}
	if (!known)
		stmt->when.cond = stmt->when.tests = cond_unknown(reader, at);
	stmt->source = text_since(reader, start);
	reader->whens++;
	(void)fm_read_block(reader, &stmt->when.then);
	reader->whens--;
	return (stmt);
}

/* Accepts `else` or `else when`; *when is true for the latter. */
static bool
accept_else(struct fm_reader *reader, bool *when, struct fm_place *at)
{

	*at = reader->token.at;
	*when = accept_foreign(reader, "elsif", "else when") ||
	    accept_foreign(reader, "elseif", "else when") ||
	    accept_foreign(reader, "elif", "else when");
	if (*when)
		return (true);
	if (reader->token.kind != T_ELSE)
		return (false);
	fm_next(reader);
	*at = reader->token.at;
	*when = accept_when(reader);
	return (true);
}

/* Reads a `when` with its `else`s: each is in the `when` before it. */
static struct fm_stmt *
read_when(struct fm_reader *reader, const struct fm_place *first, bool known)
{
	struct fm_stmt *stmt, *last, *next, **tail;
	unsigned blocks = reader->blocks;
	struct fm_place at = *first;
	struct fm_block *block;
	bool when;

	stmt = last = when_link(reader, &at, known);
	while (last != NULL && accept_else(reader, &when, &at)) {
		reader->muted = reader->token.bad;
		if (!when && fm_at(reader, T_OPEN)) {
			reader->whens++;
			(void)fm_read_block(reader, &last->when.otherwise);
			reader->whens--;
			break;
		}
		if (!when && !fm_unexpected(reader) && !skip_to_block(reader))
			break;
		reader->blocks++;
		next = when_link(reader, &at, when);
		if (next == NULL)
			break;
		block = fm_parse_alloc(reader->parse, sizeof *block);
		block->at = next->at;
		block->end = reader->before.at;
		last->when.otherwise = block;
		tail = &block->first;
		if (!stmts_add(reader->parse, &tail, next))
			break;
		last = next;
	}
	reader->blocks = blocks;
	return (stmt);
}

/* Returns true if a statement of `key` starts with the next token. */
static bool
is_keyed(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;

	return (reader->phase == T_KEY && (kind == T_HEADER ||
	    kind == T_COOKIE || kind == T_STRING));
}

/* Reads `header NAMES`, `cookie NAMES` or a text, up to the `;`. */
static bool
read_keyed(struct fm_reader *reader, struct fm_stmt *stmt)
{
	stmt->keyed.what = FM_KEYED_TEXT;
	if (reader->token.kind == T_STRING)
		return (fm_read_value(reader, &stmt->keyed.value));
	stmt->keyed.what = fm_accept(reader, T_HEADER) ? FM_KEYED_HEADER :
	    FM_KEYED_COOKIE;
	(void)fm_accept(reader, T_COOKIE);
	return (fm_read_words(reader, T_NAME, &stmt->keyed.names));
}

/* Reads the block of a phase, which is not in a `when` or in another one. */
static struct fm_stmt *
read_phase(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_stmt *stmt = stmt_new(reader, fm_token_stmt(reader->stmt),
	    at);
	enum fm_token_kind within = reader->phase;

	if (reader->whens > 0 || within != T_END)
		fm_diag_error(reader->diag, at, FM_MSG_PHASE_WITHIN,
		    fm_token_names[reader->stmt], within != T_END ?
		    fm_token_names[within] : "when");
	fm_next(reader);
	stmt->source = text_since(reader, reader->begun);
	if (reader->token.kind != T_OPEN && !fm_at(reader, T_OPEN)) {
		(void)fm_unexpected(reader);
		if (!skip_to_block(reader))
			return (NULL);
	}
	reader->phase = fm_stmt_token(stmt->kind);
	(void)fm_read_block(reader, &stmt->phase.block);
	reader->phase = within;
	return (stmt);
}

/* Returns a statement; NULL: it could not be read. */
static struct fm_stmt *
read_stmt(struct fm_reader *reader)
{
	struct fm_place at = reader->token.at;
	struct fm_stmt *stmt;

	if (accept_when(reader))
		return (read_when(reader, &at, true));
	if (fm_token_starts_stmt(reader->stmt) &&
	    fm_stmt_is_phase(fm_token_stmt(reader->stmt)))
		return (read_phase(reader, &at));
	if (is_keyed(reader)) {
		stmt = stmt_new(reader, FM_STMT_KEYED, &at);
		if (read_keyed(reader, stmt)) {
			stmt->source = text_since(reader, reader->begun);
			fm_read_semi(reader);
			return (stmt);
		}
	} else if (fm_token_starts_stmt(reader->stmt) ||
	    reader->stmt == T_USE) {
		stmt = stmt_new(reader, fm_token_stmt(reader->stmt), &at);
		fm_next(reader);
		/* `deliver { ... }`: the block is meant, not the verdict. */
		if (stmt->kind == FM_STMT_DELIVER &&
		    reader->token.kind == T_OPEN) {
			(void)fm_need(reader, T_SEMI);
		} else if (read_rest(reader, stmt)) {
			stmt->source = text_since(reader, reader->begun);
			fm_read_semi(reader);
			return (stmt);
		}
	} else {
		reader->expected[0] = reader->expected[1] = 0;
		(void)fm_at(reader, T_CLOSE);
		(void)fm_need(reader, T_STATEMENT);
	}
	/* A block after a mistake is read all the same. */
	return (fm_skip(reader) ? read_when(reader, &at, false) : NULL);
}

void
fm_block_unclosed(struct fm_reader *reader, const struct fm_token *open)
{
	char shown[FM_TOKEN_SHOWN];

	if (!reader->unclosed && !reader->doubt)
		fm_diag_error(reader->diag, &open->at, FM_MSG_BLOCK_OPEN,
		    fm_token_shown(reader, &reader->token, shown),
		    reader->token.at.line);
	reader->unclosed = true;
}

/* Returns true for `host;` and the like in a key, which begin no item. */
static bool
is_key_subject(const struct fm_reader *reader)
{
	size_t end = reader->token.end;

	while (end < reader->text.len && fm_is_blank(reader->text.b[end]))
		end++;
	return (reader->phase == T_KEY && (reader->token.kind == T_HOST ||
	    reader->token.kind == T_CLIENT ||
	    reader->token.kind == T_SCHEME) && end < reader->text.len &&
	    reader->text.b[end] == ';');
}

static void
read_stmts(struct fm_reader *reader, struct fm_stmt **tail,
    const struct fm_token *open)
{
	struct fm_stmt *stmt;

	while (reader->token.kind != T_CLOSE) {
		if (reader->token.kind == T_END ||
		    (fm_token_starts_item(reader->token.kind) &&
		    !is_key_subject(reader))) {
			fm_block_unclosed(reader, open);
			return;
		}
		reader->stmt = reader->token.kind;
		reader->begun = reader->token.start;
		/* Only the first of several `{` in a row is an error. */
		reader->muted = reader->token.bad ||
		    (reader->muted && reader->token.kind == T_OPEN &&
		    reader->before.kind == T_OPEN);
		stmt = read_stmt(reader);
		if (stmt != NULL)
			(void)stmts_add(reader->parse, &tail, stmt);
	}
}

bool
fm_read_block(struct fm_reader *reader, struct fm_block **blockp)
{
	struct fm_token open = reader->token;
	struct fm_block *block;

	if (!fm_at(reader, T_OPEN))
		return (fm_unexpected(reader));
	fm_trust(reader);
	*blockp = block = fm_parse_alloc(reader->parse, sizeof *block);
	block->at = block->end = open.at;
	if (reader->blocks > FM_LIMIT_NESTING) {
		fm_parse_limit(reader->parse, &open.at, FM_MSG_NESTING,
		    FM_LIMIT_NESTING);
		fm_skip_block(reader);
		return (true);
	}
	fm_next(reader);
	reader->blocks++;
	read_stmts(reader, &block->first, &open);
	block->end = reader->token.at;
	reader->blocks--;
	if (reader->token.kind == T_CLOSE)
		fm_next(reader);
	return (true);
}
