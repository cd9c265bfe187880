/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists the kinds of tokens: the words of the rule language and its marks.  The
 * parser, fmt and the language server share this list.
 */

#ifndef FM_TOKENS_H
#define FM_TOKENS_H

#include "text.h"

/*
 * T_SEMI is the kind of `;`, named ";" in messages.  The order is that in which
 * a message names the kinds that were expected.
 */
#define FM_TOKENS(T)							\
	T(END, "the end of the file")					\
	T(WORD, "a word or string") T(STRING, "a string in quotes")	\
	T(NAME, "a word or string")					\
	T(SEMI, ";") T(OPEN, "{") T(CLOSE, "}") T(LPAREN, "(")		\
	T(RPAREN, ")") T(EQUALS, "=") T(ARROW, "->")			\
	/* words that need quotes as operands */			\
	T(AND, "and") T(OR, "or") T(NOT, "not") T(IN, "in")		\
	T(USE, "use") T(ELSE, "else") T(PRESENT, "present")		\
	T(NOCASE, "nocase") T(IS, "is") T(BEGINS, "begins")		\
	T(ENDS, "ends") T(CONTAINS, "contains") T(LIKE, "like")		\
	T(BELOW, "below") T(TILDE, "~")					\
	/* words that start an item, from RULESET to HOST with a block */ \
	T(INCLUDE, "include") T(LIST, "list") T(MAP, "map")		\
	T(UNDECIDED, "undecided") T(REPEATED, "repeated")		\
	T(CLIENT, "client") T(RULESET, "ruleset") T(ALWAYS, "always")	\
	T(FINALLY, "finally") T(DEFAULT, "default") T(HOST, "host")	\
	T(HOSTS, "hosts")						\
	/* words that start a statement, and from PASS on are one */	\
	T(QUERY, "query") T(COOKIE, "cookie") T(SET, "set")		\
	T(UNSET, "unset") T(NORMALIZE, "normalize")			\
	T(REWRITE, "rewrite") T(BACKEND, "backend") T(SYNTH, "synth")	\
	T(ANSWER, "answer") T(REDIRECT, "redirect") T(WHEN, "when")	\
	T(PASS, "pass") T(PIPE, "pipe") T(HASH, "hash")			\
	T(PURGE, "purge") T(STOP, "stop") T(BUILTIN, "builtin")		\
	/* others */							\
	T(FIRST, "first") T(ALL, "all") T(FROM, "from")			\
	T(IGNORE, "ignore") T(DROP, "drop") T(KEEP, "keep")		\
	T(SORT, "sort") T(UNIQUE, "unique") T(TO, "to") T(URL, "url")	\
	T(PATH, "path") T(CLEAN, "clean") T(METHOD, "method")		\
	T(AGENT, "agent") T(HEADER, "header") T(TRUST, "trust")		\
	T(ANY, "any") T(EVERY, "every")				\
	/* many that may be expected, as one */				\
	T(ITEM, "an item (include, list, map, ruleset, always, "	\
	    "finally, undecided, repeated, client, host, hosts or "	\
	    "default)")							\
	T(STATEMENT, "a statement") T(TEST, "a test")			\
	T(SUBJECT, "a subject (url, path, clean path, host, method, "	\
	    "agent, query, cookie, header or client)")

enum fm_token_kind {
#define T(kind, name)	T_##kind,
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

static inline bool
fm_token_starts_stmt(enum fm_token_kind kind)
{
	return (kind >= T_QUERY && kind <= T_BUILTIN);
}

#endif
