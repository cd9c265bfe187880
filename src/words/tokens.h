/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists the kinds of tokens: the words of the rule language (words.h) and its
 * marks.  The parser, fmt and the language server share this list.
 */

#ifndef FM_TOKENS_H
#define FM_TOKENS_H

#include "kinds.h"
#include "text.h"

/*
 * T_SEMI is the kind of `;`, named ";" in messages.  The order is that in which
 * a message names the kinds that were expected.
 */
#define FM_MARKS(T)							\
	T(END, "the end of the file")					\
	T(WORD, "a word or string") T(STRING, "a string in quotes")	\
	T(NAME, "a word or string")					\
	T(SEMI, ";") T(OPEN, "{") T(CLOSE, "}") T(LPAREN, "(")		\
	T(RPAREN, ")") T(EQUALS, "=") T(ARROW, "->")

/* Many that may be expected, as one. */
#define FM_EXPECTED(T)							\
	T(ITEM, "an item (include, list, map, ruleset, always, "	\
	    "finally, undecided, repeated, client, scheme, host, "	\
	    "hosts or default)")					\
	T(STATEMENT, "a statement") T(TEST, "a test")			\
	T(SUBJECT, "a subject (url, path, clean path, host, method, "	\
	    "agent, query, cookie, header, client, scheme or "		\
	    "restarts; of responses: request header, status, type, "	\
	    "ttl, size, set-cookie, cache-control, fetch or cache)")

#define FM_TOKENS(T)							\
	FM_MARKS(T) FM_RESERVED(T) FM_USE(T) FM_MODES(T, T)		\
	FM_ITEMS(T) FM_STATEMENTS(T, T) FM_OPTIONS(T)			\
	FM_SUBJECT_WORDS(T) FM_EXPECTED(T)

enum fm_token_kind {
#define T(name, ...)	T_##name,
	FM_TOKENS(T)
#undef T
	T__KINDS
};

extern const char * const fm_token_names[T__KINDS];

/* Returns the kind of a word; T_WORD if the language has no such word. */
enum fm_token_kind fm_keyword(struct fm_text);

/* Returns the text if it is a word that needs quotes as an operand, or NULL. */
const char *fm_reserved_word(struct fm_text);

/* Returns true for any word, with quotes or without. */
static inline bool
fm_token_is_name(enum fm_token_kind kind)
{
	return (kind == T_WORD || kind == T_STRING ||
	    (kind >= T_AND && kind != T_TILDE));
}

static inline bool
fm_token_is_reserved(enum fm_token_kind kind)
{
	return (kind >= T_AND && kind <= T_LIKE);
}

static inline bool
fm_token_starts_item(enum fm_token_kind kind)
{
	return (kind >= T_INCLUDE && kind <= T_HOSTS);
}

/* Returns true for the words of statements but `use`. */
static inline bool
fm_token_starts_stmt(enum fm_token_kind kind)
{
	return (kind >= T_QUERY && (unsigned)kind <
	    T_QUERY + (unsigned)FM_STMT_USE);
}

/* Returns the statement that starts with a word, which is one of these. */
static inline enum fm_stmt_kind
fm_token_stmt(enum fm_token_kind kind)
{
	return (kind == T_USE ? FM_STMT_USE :
	    (enum fm_stmt_kind)(kind - T_QUERY));
}

/*
 * Returns the kind of the word with which a statement starts.  Those of `key`
 * start with that of a subject.
 */
static inline enum fm_token_kind
fm_stmt_token(enum fm_stmt_kind kind)
{
	return (kind == FM_STMT_KEYED ? T_HEADER :
	    kind == FM_STMT_USE ? T_USE : (enum fm_token_kind)
	    (T_QUERY + (unsigned)kind));
}

#endif
