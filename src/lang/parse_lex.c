/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lexer: makes tokens of bytes.
 *
 *	set X = "a b";	# c	    T_SET  T_WORD  T_EQUALS  T_STRING  T_SEMI
 *
 * A word starts with any byte but those that are a token there (`=`, `~`, `->`,
 * `#`); the rest of the word may have them.  No token is longer than a line.
 * The lexer reports bytes that no file may have, and operators of other
 * languages, for which it then gives the token that is meant.
 */

#include "parse_priv.h"

/* Lets the token start here. */
static void
lex_here(struct fm_reader *reader)
{
	struct fm_token *token = &reader->token;

	token->start = token->end = reader->at;
	token->at = (struct fm_place){
		.name = reader->name, .line = reader->line,
		.column = (unsigned)(reader->at - reader->line_start) + 1
	};
}

/* Skips blanks, comments and the ends of lines. */
static void
lex_blanks(struct fm_reader *reader)
{
	const char *b = reader->text.b, *end;
	size_t len = reader->text.len;

	while (reader->at < len) {
		if (b[reader->at] == '\n') {
			reader->line++;
			reader->line_start = ++reader->at;
		} else if (fm_is_blank(b[reader->at]) ||
		    b[reader->at] == '\r') {
			reader->at++;
		} else if (b[reader->at] == '#') {
			end = memchr(b + reader->at, '\n', len - reader->at);
			reader->at = end == NULL ? len : (size_t)(end - b);
		} else if ((unsigned char)b[reader->at] < ' ' ||
		    b[reader->at] == 0x7f) {
			lex_here(reader);
			if (!reader->token.bad)
				fm_diag_error(reader->diag, &reader->token.at,
				    FM_MSG_CONTROL,
				    (unsigned char)b[reader->at]);
			reader->token.bad = true;
			reader->at++;
		} else {
			return;
		}
	}
}

/* Reports a blank that is missing between this token and the one before it. */
static void
lex_joined(struct fm_reader *reader)
{
	const struct fm_token *token = &reader->token;
	const struct fm_token *before = &reader->before;
	const char *b = reader->text.b, *text;
	bool names = fm_token_is_name(token->kind) ||
	    fm_token_is_name(before->kind);

	if (names && (token->kind == T_ARROW || before->kind == T_ARROW)) {
		if (!before->bad)
			fm_diag_error(reader->diag, token->kind == T_ARROW ?
			    &token->at : &before->at, FM_MSG_ARROW_BLANKS);
		reader->token.bad = true;
	} else if (reader->quote_line != token->at.line &&
	    fm_token_is_name(token->kind) && fm_token_is_name(before->kind) &&
	    (before->kind == T_STRING || (token->kind == T_STRING &&
	    strchr("=&|!", b[before->start]) == NULL))) {
		reader->quote_line = token->at.line;
		text = FM_MSG_STRING_ADJACENT;
		if (token->kind == T_STRING && b[token->start - 1] == '=')
			text = FM_MSG_EQUALS_BLANK;
		else if (before->kind == T_STRING && b[token->start] == ',')
			text = FM_MSG_STRING_COMMA;
		fm_diag_error(reader->diag, &token->at, "%s", text);
		reader->token.bad = true;
	}
}

/* Bytes that no word has outside of ${}. */
static const bool ends_word[256] = {
	[0 ... 0x20] = true, ['"'] = true, ['('] = true, [')'] = true,
	[';'] = true, ['['] = true, ['{'] = true, ['}'] = true, [0x7f] = true
};

/* Returns the offset of the `}` that ends a `${`, or 0. */
static size_t
dollar_end(struct fm_text text, size_t at)
{

	for (at++; at < text.len && text.b[at] != '\'' &&
	    !ends_word[(unsigned char)text.b[at]]; at++)
		continue;
	return (at < text.len && text.b[at] == '}' ? at : 0);
}

/*
 * Reads a word.  Reports a `[` or a ${} in it, and a regex that ends in $ right
 * before the { of a block.
 */
static void
lex_word(struct fm_reader *reader)
{
	struct fm_token *token = &reader->token;
	const char *b = reader->text.b;
	bool bracket = false, dollar = false;
	size_t i = token->start, close;
	struct fm_text text;
	char shown[FM_TOKEN_SHOWN];

	for (; i < reader->text.len; i++) {
		if (!ends_word[(unsigned char)b[i]])
			continue;
		if (b[i] == '[') {
			bracket = true;
			continue;
		}
		if (b[i] != '{' || i == token->start || b[i - 1] != '$')
			break;
		dollar = true;
		close = dollar_end(reader->text, i);
		if (close == 0)
			break;
		i = close;
	}
	token->end = i;
	token->text = fm_text_span(b + token->start, b + i);
	token->kind = fm_keyword(token->text);
	token->bad = token->bad || bracket || dollar;
	text = bracket ? fm_text_of(fm_text_shown(token->text, "", shown)) :
	    token->text;
	if (bracket)
		fm_diag_error(reader->diag, &token->at, FM_MSG_BRACKET,
		    FM_SHOW(text));
	else if (dollar)
		fm_diag_error(reader->diag, &token->at, FM_MSG_DOLLAR);
}

static const struct {
	const char		*word;
	const char		*instead;
	enum fm_token_kind	kind;
} operators[] = {
	{ "&&", "and", T_AND },
	{ "||", "or", T_OR },
	{ "!", "not", T_NOT },
	{ "==", "is", T_IS },
	{ "=~", "~", T_TILDE },
	{ "!=", "not ... is", T_IS },
	{ "!~", "not ... ~", T_TILDE },
	{ "~*", "nocase ~", T_TILDE },
	{ "!~*", "not nocase ~", T_TILDE },
};

/* Reports an operator, and makes it the token that was meant. */
static void
lex_operator(struct fm_reader *reader)
{
	struct fm_token *token = &reader->token;
	enum fm_token_kind before = reader->before.kind;
	const char *instead;
	size_t i;

	/* A ban has the operators of VCL. */
	if (reader->stmt == T_BAN && *token->text.b != '&' &&
	    *token->text.b != '|')
		return;
	/* Any word after one of these tokens is a name. */
	if (strchr("=~", *token->text.b) == NULL && (before == T_QUERY ||
	    before == T_COOKIE || before == T_HEADER || before == T_SET ||
	    before == T_UNSET || before == T_DROP || before == T_KEEP ||
	    before == T_NORMALIZE || before == T_BACKEND ||
	    before == T_CALL))
		return;
	for (i = 0; i < sizeof operators / sizeof *operators; i++) {
		if (!fm_text_eq(token->text, fm_text_of(operators[i].word)))
			continue;
		/* These have neither 'is' nor '~'. */
		if ((before == T_CLIENT || before == T_RESTARTS ||
		    before == T_SIZE) && (operators[i].kind == T_IS ||
		    operators[i].kind == T_TILDE))
			return;
		token->bad = true;
		token->kind = operators[i].kind;
		instead = operators[i].instead;
		if (reader->stmt == T_SET && token->kind == T_IS) {
			token->kind = T_EQUALS;
			instead = "=";
		}
		if (!reader->skipping)
			fm_diag_error(reader->diag, &token->at,
			    FM_MSG_FOREIGN, operators[i].word, instead);
	}
}

/*
 * Returns where a string ends whose quote is missing: before the `;` and the
 * braces at the end of the line, so that the next lines don't look wrong, too.
 */
static size_t
open_string_end(const char *b, size_t start, size_t end)
{

	while (end > start + 1 && (strchr("; \t\r", b[end - 1]) != NULL ||
	    ((b[end - 1] == '{' || b[end - 1] == '}') &&
	    fm_is_blank(b[end - 2]))))
		end--;
	return (end);
}

/* Reads a string in double quotes; or, with an error, in single ones. */
static void
lex_string(struct fm_reader *reader)
{
	struct fm_token *token = &reader->token;
	const char *b = reader->text.b;
	size_t i, len = reader->text.len;
	char quote = b[token->start];
	bool closed;

	token->kind = T_STRING;
	for (i = token->start + 1; i < len && b[i] != quote && b[i] != '\n';
	    i++)
		if (b[i] == '\\' && quote == '"' && i + 1 < len &&
		    b[i + 1] != '\n')
			i++;
	closed = i < len && b[i] == quote;
	if (!closed && quote == '"') {
		reader->doubt = true;
		i = open_string_end(b, token->start, i);
	} else if (!closed) {
		i = token->start + 1;
	}
	token->end = i + closed;
	token->text = fm_text_span(b + token->start + 1, b + i);
	if (closed && quote == '"')
		return;
	if (closed || reader->quote_line != token->at.line)
		fm_diag_error(reader->diag, &token->at, "%s", quote == '"' ?
		    FM_MSG_STRING_OPEN : FM_MSG_SINGLE_QUOTE);
	reader->quote_line = token->at.line;
	token->bad = true;
}

static const enum fm_token_kind marks[256] = {
	[';'] = T_SEMI, ['{'] = T_OPEN, ['}'] = T_CLOSE, ['('] = T_LPAREN,
	[')'] = T_RPAREN, ['~'] = T_TILDE, ['='] = T_EQUALS
};

static void
lex_token(struct fm_reader *reader)
{
	struct fm_token *token = &reader->token;
	const char *b = reader->text.b + token->start;
	char next = '\0';

	if (token->start + 1 < reader->text.len)
		next = b[1];
	token->end++;
	token->kind = marks[(unsigned char)*b];
	/* No regex begins with a `*`. */
	if ((*b == '=' && (next == '=' || next == '~')) ||
	    (*b == '~' && next == '*')) {
		token->kind = T_WORD;
		token->end++;
		token->text = fm_text(b, 2);
		lex_operator(reader);
	} else if (*b == '-' && next == '>') {
		token->kind = T_ARROW;
		token->end++;
	} else if (*b == '"' || *b == '\'') {
		lex_string(reader);
	} else if (token->kind == T_END) {
		lex_word(reader);
		if (*b == '&' || *b == '|' || *b == '!')
			lex_operator(reader);
	}
}

void
fm_next(struct fm_reader *reader)
{
	struct fm_token *token = &reader->token;

	reader->before = *token;
	reader->expected[0] = reader->expected[1] = 0;
	*token = (struct fm_token){ .kind = T_END };
	lex_blanks(reader);
	lex_here(reader);
	token->first = token->at.line != reader->before.at.line ||
	    reader->at == reader->text.len;
	if (reader->at == reader->text.len)
		return;
	lex_token(reader);
	reader->at = token->end;
	if (reader->before.end == token->start && reader->before.at.line != 0)
		lex_joined(reader);
	reader->muted = reader->muted || token->bad;
}

void
fm_lex_begin(struct fm_reader *reader)
{

	reader->at = 0;
	if (fm_text_begins(reader->text, FM_BOM))
		reader->at = 3;
	reader->line = 1;
	reader->line_start = reader->at;
	reader->quote_line = 0;
	reader->token = (struct fm_token){ .kind = T_END };
	fm_next(reader);
}
