/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is inside of what: parentheses, nots and braces.  The grammar's stack
 * has room for all that passes here.
 */

#include "grammar.h"

/*--------------------------------------------------------------------
 * Parentheses and nots
 */

/* To the matching `)`, or to where the condition must have ended. */
static void
reader_skip_parens(struct fm_reader *reader)
{
	unsigned open = 1;
	struct fm_span span;
	FM_GRAMMAR_STYPE value;
	int token;

	while (open > 0) {
		token = fm_reader_scan(reader, &span, &value);
		if (token == T_LPAREN) {
			open++;
		} else if (token == T_RPAREN) {
			open--;
		} else if (token == T_SEMI || token == T_OPEN ||
		    token == T_CLOSE) {
			fm_reader_hold(reader, token, &span, &value);
			return;
		} else if (token == T_END) {
			return;
		}
	}
}

/* A row of nots that is too long: one more, whatever their number. */
static void
reader_skip_nots(struct fm_reader *reader)
{
	struct fm_span span;
	FM_GRAMMAR_STYPE value;
	int token;

	do
		token = fm_reader_scan(reader, &span, &value);
	while (token == T_NOT);
	if (token != T_END)
		fm_reader_hold(reader, token, &span, &value);
}

/* Said once: *reported. */
static void
reader_limit(const struct fm_reader *reader, const struct fm_span *span,
    const char *text, unsigned limit, bool *reported)
{
	struct fm_place at = fm_reader_place(reader, span);

	if (!*reported)
		fm_diag_error(reader->parse->diag, &at, text, limit);
	*reported = true;
}

int
fm_reader_nest(struct fm_reader *reader, int token,
    const struct fm_span *span)
{

	if (reader->stmt != T_WHEN && reader->stmt != T_ELSE)
		return (token);
	if (token == T_NOT && ++reader->nots > FM_LIMIT_CONDITION) {
		reader_limit(reader, span, FM_MSG_CONDITION,
		    FM_LIMIT_CONDITION, &reader->too_much);
		reader_skip_nots(reader);
	}
	if (token != T_NOT)
		reader->nots = 0;
	if (token == T_RPAREN && reader->parens > 0)
		reader->parens--;
	if (token != T_LPAREN)
		return (token);
	if (reader->parens < FM_LIMIT_CONDITION) {
		reader->parens++;
		return (token);
	}
	reader_limit(reader, span, FM_MSG_CONDITION, FM_LIMIT_CONDITION,
	    &reader->too_much);
	reader_skip_parens(reader);
	return (T_TOO_DEEP);
}

/*--------------------------------------------------------------------
 * Braces
 */

static bool
reader_has_block(const struct fm_reader *reader)
{

	return (reader->item == T_HOST || reader->item == T_ALWAYS ||
	    reader->item == T_FINALLY || reader->item == T_RULESET ||
	    reader->item == T_DEFAULT);
}

/* The block whose `{` was just read is not seen, but for its braces. */
static int
reader_hide(struct fm_reader *reader)
{
	const FM_GRAMMAR_STYPE value = { .text = NULL };
	struct fm_span close;

	fm_reader_skip(reader, &close);
	if (reader->held == FM_NO_TOKEN) {
		fm_reader_hold(reader, T_CLOSE, &close, &value);
		reader->hidden = true;
	} else {
		/* The file ends. */
		reader->closing = reader->muted = true;
	}
	return (T_OPEN);
}

void
fm_reader_wrong_block(struct fm_reader *reader)
{

	assert(reader->last == T_OPEN);
	if (reader->braces != 1 || reader_has_block(reader) || reader->hidden)
		return;
	reader->braces = 0;
	(void)reader_hide(reader);
}

int
fm_reader_open(struct fm_reader *reader, struct fm_span *span)
{
	struct fm_place at = fm_reader_place(reader, span);

	if (fm_reader_in_words(reader)) {
		if (!reader->recovering && !reader->muted)
			fm_diag_error(reader->parse->diag, &at,
			    FM_MSG_LIST_BRACE, reader->opened[0].line);
		fm_reader_skip(reader, span);
		reader->braces = 0;
		reader->muted = true;
		reader->doubt = true;
		return (T_CLOSE);
	}
	if (reader->braces == FM_READER_BRACES) {
		reader_limit(reader, span, FM_MSG_NESTING, FM_LIMIT_NESTING,
		    &reader->too_deep);
		return (reader_hide(reader));
	}
	if (reader->recovering && reader->braces == 0 &&
	    !reader_has_block(reader))
		return (reader_hide(reader));
	reader->opened[reader->braces++] = *span;
	return (T_OPEN);
}

/* What was read can't be inside of a block: a `}` comes before it. */
int
fm_reader_close_first(struct fm_reader *reader, int token, struct fm_span *span,
    FM_GRAMMAR_STYPE *value)
{
	const struct fm_span *open = &reader->opened[reader->braces - 1];
	struct fm_place at = fm_reader_place(reader, open);
	char shown[FM_SHOWN_LEN];

	if (!reader->closing && !reader->doubt)
		fm_diag_error(reader->parse->diag, &at, FM_MSG_BLOCK_OPEN,
		    fm_reader_shown(reader, span, shown), span->line);
	if (token != T_END)
		fm_reader_hold(reader, token, span, value);
	reader->closing = true;
	reader->muted = true;
	reader->braces--;
	return (T_CLOSE);
}
