/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of the parser share this header.  The parser works by recursive
 * descent, and looks one token ahead.
 *
 *	parse.c		a parse, and its memory
 *	parse_lex.c	bytes to tokens
 *	parse_item.c	items: lists, maps, rulesets, hosts
 *	parse_stmt.c	conditions, statements, blocks
 *	parse_value.c	words and values
 *	parse_file.c	the files that a file names
 *	parse_error.c	what is unexpected
 *	hints.c		what was probably meant
 *
 * A fm_read_*() function that returns a bool returns false after an error that
 * it has reported.  Its caller returns false, too, up to the function that has
 * begun the statement, line or item: that one calls fm_skip(), and goes on with
 * the next.
 */

#ifndef FM_PARSE_PRIV_H
#define FM_PARSE_PRIV_H

#include <setjmp.h>

#include "bounds.h"
#include "file.h"
#include "messages_parse.h"
#include "obj.h"
#include "parse.h"
#include "sources.h"
#include "tokens.h"

/*
 *	    set X = "a\"b";	the string: kind T_STRING, start 12, end 18,
 *				text `a\"b`
 */
struct fm_token {
	enum fm_token_kind	kind;
	bool			first;		/* the first of its line */
	bool			bad;		/* an error was reported */
	struct fm_place		at;
	size_t			start, end;	/* offsets in the file */
	struct fm_text		text;		/* without its quotes */
};

/*
 * Returns true if a token is of the kind `what`.  T_NAME is any word or string.
 * T_WORD is one that may be an operand: some words of the language may be that
 * in quotes only.
 */
static inline bool
fm_token_is(const struct fm_token *token, enum fm_token_kind what)
{
	if (what == T_STRING || !fm_token_is_name(token->kind))
		return (token->kind == what);
	return (what == T_NAME || !fm_token_is_reserved(token->kind));
}

/*--------------------------------------------------------------------
 * A file that is being parsed
 *
 *	host a.example { when path is /a or is /b { pass; } }
 *
 * At the second `is` there are: item T_HOST, stmt T_WHEN, begun 17 (at `when`),
 * blocks 1, tests 1, before `or`, token `is`, expected T_TEST, T_NOT, T_LPAREN.
 * So the parser reports an unexpected `is`, sets muted, and skips to the `{`.
 */

struct fm_reader {
	struct fm_parse		*parse;
	struct fm_diag		*diag;		/* NULL: report nothing yet */
	const char		*name;		/* in the model's arena */
	unsigned		depth;		/* 1: the first file; 2: a file
						 * that it includes; ... */

	/* parse_lex.c */
	struct fm_text		text;		/* of the file, in the model's
						 * arena */
	size_t			at;		/* offset after the token */
	unsigned		line;
	size_t			line_start;	/* offset of the line */
	unsigned		quote_line;	/* of the last bad string */
	struct fm_token		token;		/* the token we look at */
	struct fm_token		before;		/* the token before it */

	/* the others */
	uint64_t		expected[2];	/* bits of the kinds that were
						 * tried for this token */
	enum fm_token_kind	item;		/* first token of the item */
	enum fm_token_kind	stmt;		/* first token of the statement
						 * or line */
	size_t			begun;		/* offset of that token */
	unsigned		blocks;		/* blocks that are open; each
						 * `else when` counts as one */
	unsigned		nested;		/* open parentheses, and nots */
	unsigned		nots;		/* nots that are open */
	unsigned		tests;		/* tests of the condition */
	struct fm_cond		**tests_tail;	/* where its next test goes */
	size_t			operands;	/* of the test, list or map */
	unsigned		whens;		/* blocks of `when` and `else`
						 * that are open */
	enum fm_token_kind	phase;		/* of a phase's block: in
						 * such a block; T_END: in
						 * none */
	bool			skipping;	/* in fm_skip(): say nothing of
						 * bad operators */
	bool			muted;		/* this statement has had its
						 * error: say nothing more */
	bool			doubted;	/* no item was right so far: it
						 * may be no file of rules */
	bool			unclosed;	/* all open blocks end here */
	bool			doubt;		/* a brace may be missing */
};

/* Returns true if the parser has tried this kind for the token. */
static inline bool
fm_expects(const struct fm_reader *reader, unsigned kind)
{

	return ((reader->expected[kind / 64] >> kind % 64 & 1) != 0);
}

/*
 * Lets messages quote the file from now on, if there was no error up to here,
 * the `{` or `;` of an item: then the file has rules, and is not a secret.
 */
static inline void
fm_trust(struct fm_reader *reader)
{

	if (reader->doubted && !reader->muted) {
		reader->doubted = false;
		(void)fm_diag_hide(reader->diag, reader->name, NULL);
	}
}

/* Returns the token as it is in the file. */
static inline struct fm_text
fm_token_text(const struct fm_reader *reader, const struct fm_token *token)
{

	return (fm_text(reader->text.b + token->start,
	    token->end - token->start));
}

/*
 * The state of a parse, for all of its files.  If memory runs out, all
 * functions of the parser return at once (fm_parse_nomem()), and the model is
 * freed: so what they allocate belongs to the model or to struct fm_parse.
 */
struct fm_parse {
	const char		*name;		/* of the first file */
	const char		*folder;	/* of that file, without links;
						 * NULL: not known */
	struct fm_model		*model;
	struct fm_diag		*diag;
	struct fm_sources	*sources;	/* NULL: read no files */
	uint64_t		following[2];	/* kinds that were tried at the
						 * end of the first file */
	jmp_buf			failed;		/* for fm_parse_nomem() */
	struct fm_file		*file;		/* that is being read; NULL:
						 * none */
	bool			too_many_files;	/* no more are read */
	const char		*told;		/* fm_parse_limit(): last */
	unsigned		nfiles;		/* files that were looked for */
	size_t			nbytes;		/* of all files */
	unsigned		nstmts;		/* of all files */
	struct fm_source_file	**files_tail;
	struct fm_list_def	**lists_tail, **maps_tail;
	struct fm_ruleset_def	**rulesets_tail;
	struct fm_site		**sites_tail;
	struct fm_place		first[T__KINDS];	/* of the first item of
							 * each kind */
};

/* parse.c */

/* Parses the text of a reader whose parse, name and depth are set, too. */
void fm_parse_run(struct fm_reader *);
/* Reports that there is no memory, and ends the parse. */
_Noreturn void fm_parse_nomem(struct fm_parse *);
/* Reports that there is more than a limit, unless that was the last report. */
void fm_parse_limit(struct fm_parse *, const struct fm_place *,
    const char *message, unsigned limit);
/* Another condition or item begins, which may have a limit reported again. */
void fm_parse_forget(struct fm_parse *);
/* Returns zeroed memory of the model. */
void *fm_parse_alloc(struct fm_parse *, size_t);
/* Returns a copy of a text, which ends in NUL. */
struct fm_text fm_parse_text_copy(struct fm_parse *, struct fm_text);

/* parse_lex.c */

#define FM_BOM	"\xef\xbb\xbf"	/* may stand before the first token */

/* Reads the first token. */
void fm_lex_begin(struct fm_reader *);
/* Reads the next token. */
void fm_next(struct fm_reader *);

/* parse_error.c */

#define FM_TOKEN_SHOWN	64	/* bytes: a token, cut and in quotes */

/*
 * Writes a text with quotes around it, cut to the buffer.  A character that
 * can't be seen, as a blank of no width, becomes \u{200B}.  Returns buf.
 */
const char *fm_text_shown(struct fm_text, const char *quote,
    char buf[FM_TOKEN_SHOWN]);

/*
 * Returns a token for a message: its text, cut and in quotes; or only its kind
 * if the file may be a secret (`doubted`).
 */
const char *fm_token_shown(const struct fm_reader *, const struct fm_token *,
    char buf[FM_TOKEN_SHOWN]);
/* Returns true if the token is of this kind; else notes it as expected. */
bool fm_at(struct fm_reader *, enum fm_token_kind);
/*
 * Do what fm_at() does, and go on to the next token if it is true.  fm_need()
 * reports a token of another kind.
 */
bool fm_accept(struct fm_reader *, enum fm_token_kind);
bool fm_need(struct fm_reader *, enum fm_token_kind);
/* Reports that the token is of none of the expected kinds.  Returns false. */
bool fm_unexpected(struct fm_reader *);
/* Returns true if the token starts a line, and probably a statement or item. */
bool fm_starts_anew(const struct fm_reader *);
/*
 * Skips the rest of a statement, line or item: up to a `}` or `{`, after a
 * `;`, or up to a token for which fm_starts_anew() is true.  Returns true if
 * the next token is a `{`.
 */
bool fm_skip(struct fm_reader *);
/* Skips from a `{` past its `}`. */
void fm_skip_block(struct fm_reader *);

/* hints.c */

#define FM_HINT_LEN	64	/* bytes of a hint, with its NUL */

/* Returns a hint for a token that is unexpected, or NULL. */
const char *fm_unexpected_hint(const struct fm_reader *,
    char buf[FM_HINT_LEN]);
/*
 * Returns true if a word begins no item, but is nearly a word that does, or a
 * word of another language that there is a hint for.
 */
bool fm_is_hinted(struct fm_text word);

/* Returns true if a word is one of another language, or almost one of ours. */
bool fm_is_meant(struct fm_text word);

/* parse_value.c */

/* Reads a `;`, and reports and skips whatever is there instead. */
void fm_read_semi(struct fm_reader *);
/* Reads a mode, such as `begins`.  Returns false if there is none. */
bool fm_read_mode(struct fm_reader *, enum fm_pattern_kind *);

/* Read one word, or one or more; fm_token_is() says what `what` is. */
bool fm_read_word(struct fm_reader *, enum fm_token_kind what,
    struct fm_word **);
bool fm_read_words(struct fm_reader *, enum fm_token_kind what,
    struct fm_words *);
bool fm_read_value(struct fm_reader *, struct fm_value **);
/*
 * Reads the reason of a synth, if there is one: as a word, or, if it has
 * variables, as a value, too.
 */
void fm_read_reason(struct fm_reader *, struct fm_word **, struct fm_value **);
struct fm_word *fm_make_word(struct fm_parse *, struct fm_text,
    const struct fm_place *, bool quoted);
/* Adds a word, unless there are too many. */
void fm_words_add(struct fm_reader *, struct fm_words *, struct fm_word *);
/* Makes a value of a text, without looking for variables. */
struct fm_value *fm_make_value(struct fm_parse *, struct fm_text,
    const struct fm_place *);

/* parse_stmt.c */

/*
 * Reads a subject.  `expected` is what messages call it, T_TEST or T_SUBJECT.
 * *list gets the list of `query in LIST`, which is allowed unless list is NULL.
 */
bool fm_read_subject(struct fm_reader *, struct fm_subject *,
    enum fm_token_kind expected, struct fm_word **list);
bool fm_read_block(struct fm_reader *, struct fm_block **);
/* Reports a block whose `}` is missing. */
void fm_block_unclosed(struct fm_reader *, const struct fm_token *open);

/* parse_ban.c: reads the tests of a `ban`. */
bool fm_read_ban(struct fm_reader *, struct fm_ban_test **);

/* parse_item.c */

/*
 * A list or a map that is being read.
 *
 *	map m is from "a.map";		like: mode EXACT
 *	map m { is a -> x; default y;	tail: &line->next, default_line 1
 */
struct fm_list_made {
	struct fm_list_def	*list;
	struct fm_line		**tail;		/* where the next line goes */
	struct fm_match		like;		/* mode of all lines of a map's
						 * file that `from` names */
	unsigned		default_line;	/* line of `default`; 0: none */
	bool			misplaced;	/* a line is after `default` */
};

void fm_read_items(struct fm_reader *);
void fm_line_add(struct fm_reader *, struct fm_list_made *, struct fm_match *,
    struct fm_value *);
/* Adds a host, for the caller to fill in; NULL: there are too many. */
struct fm_host *fm_add_host(struct fm_parse *, const struct fm_place *);

/* parse_file.c */

void fm_read_include(struct fm_reader *, const struct fm_word *);
/* Reads rules that come with fastmatch: `include shipped "devices";`. */
void fm_include_shipped(struct fm_reader *, const struct fm_word *name);
/* Reads a list or map that comes with fastmatch, and its mode. */
void fm_read_shipped(struct fm_reader *, const struct fm_word *name,
    struct fm_list_made *, bool map);
/*
 * Reads a file that `from` names: the operands of a list, or the lines of a
 * map, or (both are NULL) hosts.
 */
void fm_read_from(struct fm_reader *, const struct fm_word *path,
    struct fm_words *operands, struct fm_list_made *map);
/* Returns true if the name of a file has this end, as ".csv". */
bool fm_name_ends(const char *name, const char *end);
/* Reads the body of an answer from a file. */
struct fm_text fm_read_answer_from(struct fm_reader *, const struct fm_word *);
/* Finds the folder of the first file. */
void fm_parse_folder(struct fm_parse *);
/* Adds a rule file to the model's files, and returns its name. */
const char *fm_parse_source(struct fm_parse *, const char *name,
    const struct stat *, const struct fm_place *at);

#endif
