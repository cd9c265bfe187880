/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between lexer and grammar: what the grammar sees has its braces in order,
 * is not nested deeper than the limits say, and speaks this language only.
 * What is not so in the text is reported here, once, and put right: a brace
 * that is missing or one too many would otherwise make all that follows look
 * wrong.
 */

#include "grammar.h"

/*--------------------------------------------------------------------
 * Kinds of tokens
 */

bool
fm_token_starts_item(int token)
{

	return (token >= T_INCLUDE && token <= T_DEFAULT);
}

bool
fm_token_starts_stmt(int token)
{

	return (token >= T_QUERY && token <= T_WHEN);
}

/* Behind these something new starts. */
bool
fm_token_ends(int token)
{

	return (token == FM_NO_TOKEN || token == T_SEMI || token == T_OPEN ||
	    token == T_CLOSE);
}

/* Whether the item's block holds words, and no statements. */
bool
fm_reader_in_words(const struct fm_reader *reader)
{

	return (reader->braces > 0 &&
	    (reader->item == T_LIST || reader->item == T_MAP));
}

/*--------------------------------------------------------------------
 * One token after the other
 */

void
fm_reader_hold(struct fm_reader *reader, int token, const struct fm_span *span,
    const FM_GRAMMAR_STYPE *value)
{

	assert(reader->held == FM_NO_TOKEN);
	reader->held = token;
	reader->held_span = *span;
	reader->held_value = NULL;
	if (token == T_WORD || token == T_STRING)
		reader->held_value = value->word;
	else if (token >= T_AND)
		reader->held_value = value->text;
}

static int
reader_take_held(struct fm_reader *reader, struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	int token = reader->held;

	*span = reader->held_span;
	if (token >= T_AND)
		value->text = reader->held_value;
	else
		value->word = (void *)(uintptr_t)reader->held_value;
	/* Behind the end there is nothing but the end. */
	if (token != T_END)
		reader->held = FM_NO_TOKEN;
	return (token);
}

int
fm_reader_scan(struct fm_reader *reader, struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	int token;

	if (reader->held != FM_NO_TOKEN)
		return (reader_take_held(reader, span, value));
	token = reader->parse->nomem ? T_END :
	    fm_lexer_lex(value, span, reader->scanner);
	if (token == T_END) {
		memset(span, 0, sizeof *span);
		span->start = span->end = reader->len;
		span->line = span->end_line = reader->line;
		span->column = span->end_column =
		    (unsigned)(reader->len - reader->line_start) + 1;
		span->first = true;
		fm_reader_hold(reader, token, span, value);
	} else {
		reader->line_of_word = span->line;
	}
	return (token);
}

/* To the `}` of a block whose `{` was just read; its span. */
void
fm_reader_skip(struct fm_reader *reader, struct fm_span *span)
{
	FM_GRAMMAR_STYPE value;
	unsigned open = 1;
	int token;

	while (open > 0) {
		token = fm_reader_scan(reader, span, &value);
		if (token == T_OPEN)
			open++;
		else if (token == T_CLOSE)
			open--;
		else if (token == T_END)
			break;
	}
}

void
fm_reader_skip_block(struct fm_reader *reader)
{
	struct fm_span span;

	assert(reader->last == T_OPEN);
	if (reader->hidden) {
		/* What is in it was skipped already. */
		reader->hidden = false;
		reader->held = FM_NO_TOKEN;
	} else if (!reader->closing) {
		fm_reader_skip(reader, &span);
		assert(reader->braces > 0);
		reader->braces--;
	}
	reader->last = T_CLOSE;
}

bool
fm_reader_resyncs(const struct fm_reader *reader, int token)
{

	if (token == T_CLOSE || token == T_END)
		return (true);
	if (!reader->last_span.first)
		return (false);
	if (reader->braces == 0)
		return (fm_token_starts_item(token));
	if (fm_reader_in_words(reader))
		return (token == T_NOT || token == T_TILDE ||
		    token == T_DEFAULT || token == T_IN ||
		    (token >= T_IS && token <= T_LIKE));
	return (fm_token_starts_stmt(token));
}

void
fm_reader_recovered(struct fm_reader *reader, bool skipped)
{

	reader->recovering = false;
	if (skipped && reader->last == T_SEMI && reader->braces > 0 &&
	    (reader->stmt == T_WHEN || reader->stmt == T_ELSE))
		reader->doubt = true;
}

/*--------------------------------------------------------------------
 * What the grammar sees
 */

/* An item, or something that should not stand there. */
static void
reader_start_item(struct fm_reader *reader, int token)
{

	if (reader->closing && token != T_END)
		reader->muted = false;
	reader->item = token;
	reader->stmt = FM_NO_TOKEN;
	reader->too_deep = false;
	if (fm_token_starts_item(token)) {
		reader->doubt = reader->closing;
	} else if (fm_token_starts_stmt(token) || token == T_ELSE) {
		/* Of a block that ended too early: once is enough. */
		reader->muted = reader->muted || reader->doubt;
		reader->doubt = true;
	}
	reader->closing = false;
}

/*
 * After an error: where a line starts with what may well be a new statement,
 * the old one ends, though it has no semicolon.
 */
static bool
reader_may_restart(const struct fm_reader *reader, int token,
    const struct fm_span *span)
{

	if (!reader->recovering || !span->first || fm_token_ends(reader->last))
		return (false);
	if (reader->braces == 0)
		return (fm_token_starts_item(token));
	if (fm_reader_in_words(reader) || !fm_token_starts_stmt(token))
		return (false);
	/* These two start tests as well. */
	return ((token != T_QUERY && token != T_COOKIE) ||
	    (reader->last != T_AND && reader->last != T_OR &&
	    reader->last != T_NOT && reader->last != T_LPAREN));
}

/* Whether a word or more follows on the same line. */
static bool
reader_goes_on(const struct fm_reader *reader, const struct fm_span *span)
{
	size_t i = span->end;

	while (i < reader->len && fm_is_blank(reader->text[i]))
		i++;
	return (i < reader->len && strchr("\r\n;#{}()", reader->text[i]) ==
	    NULL);
}

/* Statements of more than one word. */
static bool
token_takes_more(int token)
{

	return (fm_token_starts_stmt(token) && token != T_PASS &&
	    token != T_PIPE && token != T_HASH && token != T_PURGE &&
	    token != T_STOP && token != T_BUILTIN);
}

/*
 * Any word may be one more name or pattern, also one that starts a statement.
 * But where a line starts like a statement, the semicolon before it was
 * forgotten.
 */
static bool
reader_forgot_end(const struct fm_reader *reader, int token,
    const struct fm_span *span)
{

	if (!span->first || fm_token_ends(reader->last) ||
	    !reader_goes_on(reader, span))
		return (false);
	if (reader->braces == 0)
		return (reader->item == T_HOST && reader->stmt != T_USE &&
		    fm_token_starts_item(token));
	if (fm_reader_in_words(reader) || !token_takes_more(token))
		return (false);
	switch (reader->stmt) {
	case T_QUERY:
	case T_COOKIE:
	case T_UNSET:
	case T_NORMALIZE:
		return (true);
	case T_WHEN:	/* then it is a brace that is missing */
	case T_ELSE:
		return (token != T_QUERY && token != T_COOKIE);
	default:
		return (false);
	}
}

/* Returns true if the last token may be a subject, or what is behind one. */
static bool
reader_may_ask(const struct fm_reader *reader)
{

	switch (reader->last) {
	case T_URL:
	case T_PATH:
	case T_HOST:
	case T_METHOD:
	case T_AGENT:
	case T_NOT:
	case T_NOCASE:
		return (reader->stmt == T_WHEN || reader->stmt == T_ELSE);
	default:
		return (false);
	}
}

/* Returns true where `answer` may start a statement. */
static bool
reader_may_answer(const struct fm_reader *reader, const struct fm_span *span)
{

	return (!fm_reader_in_words(reader) && (fm_token_ends(reader->last) ||
	    (reader->recovering && span->first)));
}

/* A word of the language, where it is none. */
static int
reader_plain(struct fm_reader *reader, const struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	struct fm_place at = fm_reader_place(reader, span);
	struct fm_text text = fm_text_of(value->text);

	value->word = fm_make_word(reader->parse, text, &at, false);
	return (T_WORD);
}

/* FM_NO_TOKEN: it is not for the grammar. */
static int
reader_filter(struct fm_reader *reader, int token, struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	bool starts = fm_token_ends(reader->last);

	if (token == T_WORD)
		token = fm_reader_translate(reader, span, value);
	else if (token == T_BELOW && !reader_may_ask(reader))
		token = reader_plain(reader, span, value);
	else if (token == T_ANSWER && !reader_may_answer(reader, span))
		token = reader_plain(reader, span, value);
	if (reader_may_restart(reader, token, span)) {
		fm_reader_hold(reader, token, span, value);
		return (T_SEMI);
	}
	if (reader_forgot_end(reader, token, span)) {
		/* Where no semicolon can be, the grammar says what can. */
		if (reader->braces > 0 && !reader->recovering &&
		    reader->stmt != T_WHEN && reader->stmt != T_ELSE)
			fm_reader_no_semicolon(reader, &reader->last_span);
		fm_reader_hold(reader, token, span, value);
		return (T_SEMI);
	}
	if (reader->braces > 0 && (token == T_END || (starts &&
	    fm_token_starts_item(token) && !fm_reader_in_words(reader))))
		return (fm_reader_close_first(reader, token, span, value));
	if (token == T_CLOSE && reader->braces == 0) {
		if (!reader->doubt && !reader->recovering)
			fm_reader_fault(reader, span, FM_MSG_STRAY_CLOSE);
		reader->doubt = true;
		return (FM_NO_TOKEN);
	}
	if (starts && token != T_CLOSE) {
		if (reader->braces == 0)
			reader_start_item(reader, token);
		else
			reader->stmt = token;
		reader->parens = reader->nots = 0;
		reader->too_much = false;
	}
	if (token == T_USE && reader->braces == 0)
		reader->stmt = token;
	if (token == T_OPEN)
		return (fm_reader_open(reader, span));
	if (token == T_CLOSE)
		reader->braces--;
	return (fm_reader_nest(reader, token, span));
}

int
fm_grammar_lex(FM_GRAMMAR_STYPE *value, struct fm_span *span,
    struct fm_reader *reader)
{
	int token;

	FM_OBJ_CHECK(reader, FM_READER_MAGIC);
	if (fm_token_ends(reader->last) && !reader->closing)
		reader->muted = false;
	do {
		token = fm_reader_scan(reader, span, value);
		fm_reader_check_blanks(reader, token, span);
		/* The `}` of a block that is not seen closes nothing else. */
		if (reader->hidden)
			reader->hidden = false;
		else
			token = reader_filter(reader, token, span, value);
		if (token != T_OPEN)
			reader->bare_brace = false;
		reader->before_span = reader->last_span;
		reader->last_span = *span;
		reader->last = token == FM_NO_TOKEN ? T_CLOSE : token;
	} while (token == FM_NO_TOKEN);
	return (token);
}
