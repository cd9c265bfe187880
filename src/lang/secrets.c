/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks over the tokens of a rule file, whether the file is right or not, and
 * finds those that may be secrets (secrets.h).  Each value has two words before
 * it that say so, a subject and a mode, or a `list` and a mode: where one of
 * both is broken, the other one is there.
 */

#include <string.h>

#include "parse_priv.h"
#include "secrets.h"

/* The part of a condition in which a token stands. */
enum part {
	PART_NONE,		/* before a subject */
	PART_NAME,		/* the name of a header comes next */
	PART_ASKED,		/* after that: a mode, or `present` */
	PART_VALUES,		/* after a mode */
	PART_PUBLIC		/* of a path, a host ... */
};

struct walk {
	struct fm_secrets	*secrets;
	struct fm_reader	reader;
	enum part		part;
	bool			condition;	/* after `when`, or a subject */
	bool			secret;		/* the condition has a value
						 * that may be a secret */
	bool			list_name;	/* the name of a list comes
						 * next */
	enum fm_token_kind	item;		/* T_LIST or T_MAP: in one */
	unsigned		depth;		/* braces that are open in it */
	bool			arrow;		/* after a `->` or `default` */
	enum fm_token_kind	stmt;		/* first word of a statement, or
						 * T_END */
	bool			begins;		/* a statement begins here */
	bool			doubt;		/* values may go on after the
						 * end of a condition or list */
	unsigned		mangled;	/* line with a bad string */
};

/* Adds a range; `joined`: right after the last one. */
static void
add(struct walk *walk, size_t start, size_t end, bool joined)
{
	struct fm_grow *ranges = &walk->secrets->ranges;
	struct fm_range *range;

	if (joined && ranges->n > 0) {
		FM_GROW_AT(ranges, struct fm_range, ranges->n - 1)->end = end;
		return;
	}
	range = fm_grow_add(ranges, sizeof *range, 1);
	if (range == NULL)
		walk->secrets->no_memory = true;
	else
		*range = (struct fm_range){ start, end };
}

static bool
is_mode(enum fm_token_kind kind)
{
	return (kind >= T_IS && kind <= T_TILDE);
}

/* Returns true if a token is a word of the language, or a mark. */
static bool
is_known(const struct fm_token *token)
{
	return (token->kind != T_WORD && token->kind != T_STRING);
}

static bool
is_almost_known(const struct fm_token *token)
{
	return (token->kind == T_WORD && fm_is_meant(token->text));
}

/*
 * Notes a line on which a string has no end, or touches another word: its
 * quotes may be those of others.
 */
static void
mangled_note(struct walk *walk)
{
	const struct fm_token *token = &walk->reader.token;
	const struct fm_token *before = &walk->reader.before;
	struct fm_text text = walk->reader.text;

	if (token->kind == T_STRING && (token->bad ||
	    (before->end == token->start && fm_token_is_name(before->kind)) ||
	    (token->end < text.len && strchr(" \t\r\n;{}()#",
	    text.b[token->end]) == NULL)))
		walk->mangled = token->at.line;
}

static void
condition_begin(struct walk *walk, enum part part)
{
	walk->condition = true;
	walk->secret = part != PART_NONE;
	walk->part = part;
	walk->list_name = false;
}

/* Ends a condition or a statement. */
static void
statement_end(struct walk *walk)
{
	walk->doubt = walk->doubt || (walk->condition && walk->secret);
	walk->condition = false;
	walk->part = PART_NONE;
	walk->stmt = T_END;
	walk->begins = true;
}

/* Returns the part that a word of the language leads to, in a condition. */
static enum part
part_after(const struct walk *walk, enum fm_token_kind kind)
{
	bool asked = walk->part == PART_ASKED || walk->part == PART_VALUES;

	if (kind == T_AND || kind == T_OR || kind == T_LPAREN ||
	    kind == T_RPAREN)
		return (PART_NONE);
	if (is_mode(kind) && walk->part != PART_PUBLIC)
		return (PART_VALUES);
	if (asked)
		return (walk->part);
	if (kind == T_HEADER || kind == T_COOKIE || kind == T_QUERY ||
	    kind == T_SET_COOKIE)
		return (PART_NAME);
	if (kind == T_AGENT)
		return (PART_ASKED);
	if (walk->part == PART_NONE && (kind == T_CLIENT || kind == T_HOST ||
	    (kind >= T_URL && kind <= T_METHOD) || kind == T_STATUS ||
	    kind == T_TYPE || kind == T_SIZE || kind == T_CACHE ||
	    kind == T_RESTARTS || kind == T_SCHEME || kind == T_TTL ||
	    kind == T_FETCH))
		return (PART_PUBLIC);
	return (walk->part);
}

/* Returns true if a mode comes after the token. */
static bool
is_asked(const struct walk *walk)
{
	struct fm_reader next = walk->reader;

	fm_next(&next);
	return (next.token.kind == T_NOT || next.token.kind == T_IN ||
	    next.token.kind == T_PRESENT || next.token.kind == T_NOCASE ||
	    is_mode(next.token.kind));
}

/* Looks at a token of a condition.  Returns true if it may be a secret. */
static bool
condition_token(struct walk *walk, const struct fm_token *token)
{
	enum part part = walk->part;

	if (token->kind == T_OPEN || token->kind == T_CLOSE ||
	    token->kind == T_SEMI) {
		statement_end(walk);
		return (false);
	}
	if (part == PART_NAME && !is_mode(token->kind)) {
		walk->list_name = token->kind == T_IN;
		walk->part = PART_ASKED;
		return (false);
	}
	if (walk->list_name && fm_token_is_name(token->kind)) {
		walk->list_name = false;
		return (false);
	}
	if (is_known(token)) {
		walk->part = part_after(walk, token->kind);
		if (part == PART_NAME)
			walk->part = PART_VALUES;
		walk->secret = walk->secret || (walk->part != PART_NONE &&
		    walk->part != PART_PUBLIC);
		walk->list_name = token->kind == T_IN &&
		    part == PART_ASKED;
		return (false);
	}
	if (part == PART_PUBLIC)
		return (false);
	if (part == PART_ASKED)
		walk->part = PART_VALUES;
	walk->secret = true;
	if (part == PART_NONE && is_asked(walk)) {
		walk->part = PART_ASKED;	/* `X-A is b`, without header */
		return (false);
	}
	return (part == PART_VALUES || !is_almost_known(token));
}

/* Does so in a list or a map. */
static bool
item_token(struct walk *walk, const struct fm_token *token)
{
	bool first = walk->reader.before.kind == walk->item &&
	    walk->depth == 0;

	switch (token->kind) {
	case T_OPEN:
		walk->depth++;
		return (false);
	case T_CLOSE:
		if (walk->depth > 1) {
			walk->depth--;
			return (false);
		}
		walk->item = walk->stmt = T_END;
		walk->doubt = walk->begins = true;
		return (false);
	case T_SEMI:
		if (walk->depth == 0) {
			/* That is right after `list l is from "FILE"` only. */
			walk->doubt = walk->doubt || !walk->arrow;
			walk->item = walk->stmt = T_END;
			walk->begins = true;
		}
		walk->arrow = false;
		return (false);
	case T_ARROW:
	case T_DEFAULT:
		walk->arrow = true;
		return (false);
	case T_FROM:
	case T_SHIPPED:
		walk->arrow = walk->depth == 0;
		return (false);
	default:
		break;
	}
	if (token->first)
		walk->arrow = false;
	if (is_known(token) || first || walk->arrow)
		return (false);
	return (walk->depth > 0 || !is_almost_known(token));
}

/* Does so in a statement, or where an item begins. */
static bool
statement_token(struct walk *walk, const struct fm_token *token)
{
	enum fm_token_kind before = walk->reader.before.kind;
	bool begins = walk->begins;

	walk->begins = false;
	if (token->kind == T_OPEN || token->kind == T_CLOSE ||
	    token->kind == T_SEMI) {
		statement_end(walk);
		return (false);
	}
	if (token->kind == T_WHEN || token->kind == T_ELSE) {
		walk->doubt = walk->doubt && !token->first;
		condition_begin(walk, PART_NONE);
		return (false);
	}
	if (begins && (fm_token_starts_item(token->kind) ||
	    fm_token_starts_stmt(token->kind) || token->kind == T_USE)) {
		walk->doubt = walk->doubt && !token->first;
		walk->stmt = token->kind;
		walk->arrow = false;
		if (token->kind == T_LIST || token->kind == T_MAP) {
			walk->item = token->kind;
			walk->depth = 0;
		}
		return (false);
	}
	/* A mode has an operand where the word before is broken, too. */
	if (is_mode(token->kind) && walk->stmt != T_REWRITE) {
		condition_begin(walk, PART_VALUES);
		return (false);
	}
	if (!begins && (token->kind == T_HEADER || token->kind == T_COOKIE ||
	    token->kind == T_QUERY || token->kind == T_AGENT) &&
	    !fm_token_starts_stmt(walk->stmt)) {
		condition_begin(walk, token->kind == T_AGENT ? PART_ASKED :
		    PART_NAME);
		return (false);
	}
	walk->doubt = walk->doubt || (begins && is_known(token));
	if (is_known(token) || walk->stmt != T_END || is_almost_known(token))
		return (false);
	walk->doubt = walk->doubt || token->kind == T_STRING ||
	    (!token->first && (before == T_SEMI || before == T_CLOSE));
	return (walk->doubt);
}

static void
token_take(struct walk *walk, bool *joined)
{
	const struct fm_token *token = &walk->reader.token;
	bool secret;

	mangled_note(walk);
	if (walk->item != T_END)
		secret = item_token(walk, token);
	else if (walk->condition)
		secret = condition_token(walk, token);
	else
		secret = statement_token(walk, token);
	if (!is_known(token) && walk->mangled == token->at.line)
		secret = true;
	if (secret)
		add(walk, token->start, token->end, *joined);
	*joined = secret;
}

/* Adds the comments between two tokens, which may have rules in them. */
static void
comments_take(struct walk *walk, size_t from, bool *joined)
{
	const char *b = walk->reader.text.b, *hash, *end;
	size_t to = walk->reader.token.start;

	while (from < to) {
		hash = memchr(b + from, '#', to - from);
		if (hash == NULL)
			return;
		from = (size_t)(hash - b);
		end = memchr(hash, '\n', to - from);
		add(walk, from, end == NULL ? to : (size_t)(end - b), *joined);
		*joined = true;
		/* The `#` may be the mistake, and have hidden a name. */
		walk->doubt = true;
		if (walk->part == PART_NAME)
			walk->part = PART_ASKED;
		from = end == NULL ? to : (size_t)(end - b);
	}
}

void
fm_secrets_find(struct fm_secrets *secrets, struct fm_text text)
{
	struct fm_parse parse = { .name = "" };
	struct walk walk = { .secrets = secrets, .item = T_END,
		.stmt = T_END, .begins = true };
	const char *nul;
	bool joined = false;
	size_t after;

	memset(secrets, 0, sizeof *secrets);
	walk.reader.parse = &parse;
	walk.reader.text = fm_text_or_empty(text);
	nul = memchr(walk.reader.text.b, '\0', walk.reader.text.len);
	if (nul != NULL)
		walk.reader.text.len = (size_t)(nul - walk.reader.text.b);
	fm_lex_begin(&walk.reader);
	for (after = 0; walk.reader.token.kind != T_END;
	    fm_next(&walk.reader)) {
		comments_take(&walk, after, &joined);
		token_take(&walk, &joined);
		after = walk.reader.token.end;
	}
	comments_take(&walk, after, &joined);
}

void
fm_secrets_fini(struct fm_secrets *secrets)
{
	fm_grow_fini(&secrets->ranges);
}

const struct fm_range *
fm_secrets_next(const struct fm_secrets *secrets, size_t offset)
{
	const struct fm_range *items = secrets->ranges.items;
	size_t low = 0, high = secrets->ranges.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (items[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return (low < secrets->ranges.n ? &items[low] : NULL);
}
