/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares the token with the kinds that are expected, reports an unexpected
 * one, and skips to where the parser can go on:
 *
 *	always { set X a; pass; }
 *		       ^ unexpected 'a', expected '=': write 'set NAME = VALUE;'
 *			  ^ goes on here
 */

#include <stdio.h>

#include "parse_priv.h"
#include "utf8.h"

#define EXPECTED_LEN	300	/* bytes */
#define ERRORS_IN_FULL	1000	/* a diag keeps no more of them */

/*
 * Returns the number of a character that shows nothing, or on which a terminal
 * may act; 0: it is another one.
 */
static unsigned
unseen(struct fm_text character)
{
	static const struct { unsigned first, last; } ranges[] = {
		{ 0x80, 0xa0 }, { 0xad, 0xad }, { 0x61c, 0x61c },
		{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x206f },
		{ 0x3000, 0x3000 }, { 0xfeff, 0xfeff }
	};
	unsigned code = (unsigned char)character.b[0];
	size_t i;

	if (character.len < 2 || character.len > 3)
		return (0);
	code &= character.len == 2 ? 0x1f : 0x0f;
	for (i = 1; i < character.len; i++)
		code = code << 6 | ((unsigned char)character.b[i] & 0x3f);
	for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return (code);
	return (0);
}

const char *
fm_text_shown(struct fm_text text, const char *quote, char buf[FM_TOKEN_SHOWN])
{
	char *to = stpcpy(buf, quote), shown[16];
	struct fm_text one;
	unsigned code;
	size_t at;

	for (at = 0; at < text.len; at += one.len) {
		one = fm_text(text.b + at, text.len - at);
		one.len = fm_utf8_length(one.b, one.len);
		if (one.len == 0)
			one.len = 1;
		code = unseen(one);
		if (code != 0)
			(void)snprintf(shown, sizeof shown, "\\u{%X}", code);
		else
			(void)snprintf(shown, sizeof shown, "%.*s",
			    (int)one.len, one.b);
		if ((size_t)(to - buf) + strlen(shown) > FM_TOKEN_SHOWN - 8)
			break;
		to = stpcpy(to, shown);
	}
	(void)stpcpy(stpcpy(to, at < text.len ? "..." : ""), quote);
	return (buf);
}

const char *
fm_token_shown(const struct fm_reader *reader, const struct fm_token *token,
    char buf[FM_TOKEN_SHOWN])
{
	struct fm_text text = fm_token_text(reader, token);

	if (text.len == 0)
		return (fm_token_names[T_END]);
	if (reader->doubted && fm_token_is_name(token->kind))
		return (token->kind == T_STRING ? "string" : "word");
	return (fm_text_shown(text, text.b[0] == '"' ? "" : "'", buf));
}

bool
fm_at(struct fm_reader *reader, enum fm_token_kind kind)
{

	if (reader->token.kind == kind)
		return (true);
	reader->expected[kind / 64] |= (uint64_t)1 << kind % 64;
	return (false);
}

bool
fm_accept(struct fm_reader *reader, enum fm_token_kind kind)
{

	if (!fm_at(reader, kind))
		return (false);
	if (kind == T_OPEN || kind == T_SEMI)
		fm_trust(reader);
	fm_next(reader);
	return (true);
}

bool
fm_need(struct fm_reader *reader, enum fm_token_kind kind)
{

	return (fm_accept(reader, kind) || fm_unexpected(reader));
}

/* Writes "'a', 'b' or 'c'" for the kinds that are expected; returns buf. */
static const char *
expected_text(const struct fm_reader *reader, char buf[EXPECTED_LEN])
{
	unsigned kind, left = 0;
	const char *name, *mark;
	char *to = buf;

	for (kind = 0; kind < T__KINDS; kind++)
		left += fm_expects(reader, kind);
	*to = '\0';
	for (kind = 0; kind < T__KINDS; kind++) {
		if (!fm_expects(reader, kind))
			continue;
		name = fm_token_names[kind];
		mark = strncmp(name, "a ", 2) == 0 ||
		    strncmp(name, "an ", 3) == 0 ? "" : "'";
		assert((size_t)(to - buf) + strlen(name) + 8 < EXPECTED_LEN);
		to = stpcpy(stpcpy(stpcpy(to, mark), name), mark);
		if (--left > 0)
			to = stpcpy(to, left == 1 ? " or " : ", ");
	}
	return (buf);
}

static void
say_unexpected(struct fm_reader *reader)
{
	char shown[FM_TOKEN_SHOWN], list[EXPECTED_LEN], near[FM_HINT_LEN];
	const struct fm_token *token = &reader->token;
	const char *hint = fm_unexpected_hint(reader, near);
	struct fm_text text;

	text = fm_text_of(fm_token_shown(reader, token, shown));
	fm_diag_error_bare(reader->diag, &token->at,
	    hint == NULL ? FM_MSG_UNEXPECTED : FM_MSG_UNEXPECTED ": %s",
	    FM_SHOW(text), expected_text(reader, list), hint);
}

bool
fm_unexpected(struct fm_reader *reader)
{
	const struct fm_token *token = &reader->token;
	struct fm_place at = reader->before.at;
	char shown[FM_TOKEN_SHOWN];
	struct fm_text text;
	uint64_t *following = reader->parse->following;

	if (token->kind == T_END && following[0] == 0 && following[1] == 0)
		memcpy(following, reader->expected, sizeof reader->expected);
	/* There are other messages for a file that ends in a block, and `}`. */
	if (reader->muted || (token->kind == T_END && reader->blocks > 0) ||
	    (token->kind == T_CLOSE && reader->blocks == 0 && reader->doubt))
		return (false);
	reader->muted = true;
	if (fm_diag_errors(reader->diag) > ERRORS_IN_FULL) {
		fm_diag_error_bare(reader->diag, &token->at, "one more");
	} else if (fm_expects(reader, T_SEMI) && (token->first ||
	    token->kind == T_CLOSE || token->kind == T_END)) {
		at.column += (unsigned)(reader->before.end -
		    reader->before.start);
		text = fm_text_of(fm_token_shown(reader, &reader->before,
		    shown));
		fm_diag_error_bare(reader->diag, &at, FM_MSG_SEMICOLON,
		    FM_SHOW(text));
	} else {
		say_unexpected(reader);
	}
	return (false);
}

/*--------------------------------------------------------------------
 * The way back
 */

bool
fm_starts_anew(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;

	if (!reader->token.first || reader->token.start == reader->begun)
		return (false);
	if (reader->blocks == 0)
		return (fm_token_starts_item(kind));
	if (reader->item == T_LIST || reader->item == T_MAP)
		return (kind == T_NOT || kind == T_IN || kind == T_TILDE ||
		    (kind >= T_IS && kind <= T_LIKE) ||
		    (kind == T_DEFAULT && reader->item == T_MAP));
	/* `query` and `cookie` start tests as well. */
	return (fm_token_starts_stmt(kind) && (reader->stmt != T_WHEN ||
	    (kind != T_QUERY && kind != T_COOKIE)));
}

bool
fm_skip(struct fm_reader *reader)
{
	bool block;

	reader->skipping = true;
	while (reader->token.kind != T_END && reader->token.kind != T_OPEN &&
	    reader->token.kind != T_SEMI && (reader->token.kind != T_CLOSE ||
	    reader->blocks == 0) && !fm_starts_anew(reader))
		fm_next(reader);
	reader->skipping = false;
	block = reader->token.kind == T_OPEN;
	(void)fm_accept(reader, T_SEMI);
	return (block);
}

void
fm_skip_block(struct fm_reader *reader)
{
	unsigned open = 0;

	assert(reader->token.kind == T_OPEN);
	reader->skipping = true;
	do {
		if (reader->token.kind == T_OPEN)
			open++;
		else if (reader->token.kind == T_CLOSE)
			open--;
		fm_next(reader);
	} while (open > 0 && reader->token.kind != T_END);
	reader->skipping = false;
	reader->doubt = reader->doubt || open > 0;
}
