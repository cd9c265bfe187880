/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of VCL and other languages, which are reported and put right; blanks
 * that are missing.
 */

#include "grammar.h"

/*--------------------------------------------------------------------
 * Words of other languages
 */

static void
reader_foreign(struct fm_reader *reader, const struct fm_span *span,
    const char *word, const char *instead, bool operator)
{
	struct fm_place at = fm_reader_place(reader, span);

	if (reader->recovering)
		return;
	if (operator)
		fm_diag_error(reader->parse->diag, &at, FM_MSG_OPERATOR, word,
		    instead);
	else
		fm_diag_error(reader->parse->diag, &at, FM_MSG_IF, word,
		    instead);
}

static const struct operator {
	const char	*word;
	const char	*instead;
	int		token;
	const char	*text;
} operators[] = {
	{ "&&", "and", T_AND, "and" },
	{ "||", "or", T_OR, "or" },
	{ "!", "not", T_NOT, "not" },
	{ "==", "is", T_IS, "is" },
	{ "=~", "~", T_TILDE, NULL },
	{ "!=", "not ... is", T_IS, "is" },
	{ "!~", "not ... ~", T_TILDE, NULL },
};

static int
reader_operator(struct fm_reader *reader, const struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	const struct operator *op;
	size_t i;

	for (i = 0; i < sizeof operators / sizeof operators[0]; i++) {
		op = &operators[i];
		if (!fm_text_eq(value->word->text, fm_text_of(op->word)))
			continue;
		if (reader->stmt == T_SET && op->token == T_IS) {
			reader_foreign(reader, span, op->word, "=", true);
			return (T_EQUALS);
		}
		reader_foreign(reader, span, op->word, op->instead, true);
		reader->muted = true;
		if (op->text != NULL)
			value->text = op->text;
		return (op->token);
	}
	return (T_WORD);
}

/* Where a statement may start: what others call `when`. */
static int
reader_conditional(struct fm_reader *reader, const struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	static const char * const elses[] = { "elsif", "elseif", "elif" };
	FM_GRAMMAR_STYPE when = { .text = "when" };
	size_t i;

	if (fm_text_eq(value->word->text, fm_text_of("if"))) {
		reader_foreign(reader, span, "if", "when", false);
		value->text = when.text;
		return (T_WHEN);
	}
	for (i = 0; i < sizeof elses / sizeof elses[0]; i++) {
		if (reader->last != T_CLOSE ||
		    !fm_text_eq(value->word->text, fm_text_of(elses[i])))
			continue;
		reader_foreign(reader, span, elses[i], "else when", false);
		fm_reader_hold(reader, T_WHEN, span, &when);
		value->text = "else";
		return (T_ELSE);
	}
	return (T_WORD);
}

/* Behind these any word is a name. */
static bool
token_takes_name(int token)
{

	switch (token) {
	case T_QUERY:
	case T_COOKIE:
	case T_HEADER:
	case T_SET:
	case T_UNSET:
	case T_DROP:
	case T_KEEP:
	case T_NORMALIZE:
	case T_BACKEND:
		return (true);
	default:
		return (false);
	}
}

int
fm_reader_translate(struct fm_reader *reader, const struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	const char *b = value->word->text.b;

	if (*b == '=' || (strchr("&|!", *b) != NULL && *b != '\0' &&
	    !token_takes_name(reader->last)))
		return (reader_operator(reader, span, value));
	if (reader->braces > 0 && !fm_reader_in_words(reader) &&
	    (fm_token_ends(reader->last) || reader->last == T_ELSE))
		return (reader_conditional(reader, span, value));
	return (T_WORD);
}

/*--------------------------------------------------------------------
 * Blanks that are missing
 */

static bool
token_is_word(int token)
{

	return (token == T_WORD || token == T_STRING || token >= T_AND);
}

void
fm_reader_check_blanks(struct fm_reader *reader, int token,
    const struct fm_span *span)
{
	bool joined = reader->last_span.end == span->start &&
	    reader->last != FM_NO_TOKEN;

	if (token == T_ARROW) {
		reader->bad_arrow = joined && token_is_word(reader->last);
		if (reader->bad_arrow)
			fm_reader_fault(reader, span, FM_MSG_ARROW_BLANKS);
	} else if (joined && reader->last == T_ARROW) {
		if (!reader->bad_arrow && token_is_word(token))
			fm_reader_fault(reader, &reader->last_span,
			    FM_MSG_ARROW_BLANKS);
	} else if (joined && reader->quote_line != span->line &&
	    ((token == T_STRING && token_is_word(reader->last) &&
	    strchr("=&|!", reader->text[reader->last_span.start]) == NULL) ||
	    (token_is_word(token) && reader->last == T_STRING))) {
		reader->quote_line = span->line;
		reader->muted = true;
		if (token == T_STRING && span->start > 0 &&
		    reader->text[span->start - 1] == '=')
			fm_reader_fault(reader, span, FM_MSG_EQUALS_BLANK);
		else if (reader->last == T_STRING &&
		    reader->text[span->start] == ',')
			fm_reader_fault(reader, span, FM_MSG_STRING_COMMA);
		else
			fm_reader_fault(reader, span, FM_MSG_STRING_ADJACENT);
	}
}
