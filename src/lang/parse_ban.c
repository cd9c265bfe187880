/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the tests of a `ban`, which are written as VCL has them:
 *
 *	ban obj.http.X-Tag ~ "^${header.X-Tag}$" and obj.age > 1h;
 */

#include "parse_priv.h"

/*
 * Reads any word or operator between a field and its argument: the check knows
 * which of them a field has.
 */
static bool
read_operator(struct fm_reader *reader, struct fm_word **operp)
{
	const struct fm_token *token = &reader->token;

	if (token->kind == T_STRING || (!fm_token_is_name(token->kind) &&
	    token->kind != T_TILDE && token->kind != T_EQUALS)) {
		/* At the end an editor asks, which knows all operators. */
		if (token->kind != T_END)
			(void)fm_at(reader, T_TILDE);
		return (fm_unexpected(reader));
	}
	*operp = fm_make_word(reader->parse, fm_token_text(reader, token),
	    &token->at, false);
	fm_next(reader);
	return (true);
}

bool
fm_read_ban(struct fm_reader *reader, struct fm_ban_test **testp)
{
	struct fm_ban_test *test;

	do {
		*testp = test = fm_parse_alloc(reader->parse, sizeof *test);
		testp = &test->next;
		if (!fm_read_word(reader, T_WORD, &test->field) ||
		    !read_operator(reader, &test->oper) ||
		    !fm_read_value(reader, &test->argument))
			return (false);
	} while (fm_accept(reader, T_AND));
	return (true);
}
