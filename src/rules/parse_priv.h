/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of the parser: recursive descent, with one token looked at.
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
 * Functions that return a bool return false where they did not find what they
 * read, and have reported that.  The one that began the statement, line or item
 * then calls fm_skip(), and the next one is read.
 */

#ifndef FM_PARSE_PRIV_H
#define FM_PARSE_PRIV_H

#include "bounds.h"
#include "file.h"
#include "messages_parse.h"
#include "obj.h"
#include "parse.h"
#include "shown.h"
#include "sources.h"
#include "tokens.h"

struct fm_token {
	enum fm_token_kind	kind;
	bool			first;		/* on its line */
	bool			bad;		/* an error was said of it */
	struct fm_place		at;
	size_t			start, end;	/* offsets in the file */
	struct fm_text		text;		/* without its quotes */
};

/*
 * what: T_STRING; T_NAME: any word; T_WORD: one that may be an operand, which
 * some words of the language are in quotes only.
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
 */

struct fm_reader {
	struct fm_parse		*parse;
	struct fm_diag		*diag;		/* NULL: nothing is said yet */
	struct fm_reader	*up;		/* which includes this one */
	const struct fm_source_file *source;	/* NULL: a text */
	const char		*name;		/* in the model's arena */
	unsigned		depth;		/* 1: the first file */

	/* parse_lex.c */
	struct fm_text		text;		/* of the file, in the model's
						 * arena */
	size_t			at;		/* offset behind the token */
	unsigned		line;
	size_t			line_start;	/* its offset */
	unsigned		quote_line;	/* of the last bad string */
	struct fm_token		token;		/* which is looked at */
	struct fm_token		before;		/* the one before it */

	/* the others */
	uint64_t		expected[2];	/* a bit for each kind */
	enum fm_token_kind	item;		/* first token of the item */
	enum fm_token_kind	stmt;		/* of the statement or line */
	size_t			begun;		/* where that starts */
	unsigned		blocks;		/* that are open: their braces,
						 * and each `else when` */
	unsigned		nested;		/* parentheses and nots */
	unsigned		tests;		/* of the condition */
	size_t			operands;	/* of the test, list or map */
	bool			skipping;	/* no operator is reported */
	bool			muted;		/* as far as the statement: one
						 * error is said of it */
	bool			doubted;	/* no item was right so far */
	bool			unclosed;	/* all blocks end here */
	bool			doubt;		/* a brace may be missing */
	bool			too_deep;	/* reported of this item */
	bool			too_much;	/* of this condition */
};

/* Returns true if it was noted that such a token may be here. */
static inline bool
fm_expects(const struct fm_reader *reader, unsigned kind)
{

	return ((reader->expected[kind / 64] >> kind % 64 & 1) != 0);
}

/*
 * At the `{` or `;` of an item: if nothing before it is wrong, it is one of
 * rules, and the text of an included file may be shown.
 */
static inline void
fm_trust(struct fm_reader *reader)
{

	if (reader->doubted && !reader->muted) {
		reader->doubted = false;
		(void)fm_diag_hide(reader->diag, reader->name, NULL);
	}
}

/* Returns what is in the file from an offset to the end of the last token. */
static inline struct fm_text
fm_text_since(const struct fm_reader *reader, size_t from)
{

	return (fm_text_span(reader->text.b + from,
	    reader->text.b + reader->before.end));
}

/* Returns the token as it is in the file. */
static inline struct fm_text
fm_token_text(const struct fm_reader *reader, const struct fm_token *token)
{

	return (fm_text(reader->text.b + token->start,
	    token->end - token->start));
}

/*
 * All files of a parse share this.  Where there is no memory everything is
 * made in `spare`, so that nobody need ask, no more tokens come, and the model
 * is thrown away at the end.
 */
struct fm_parse {
	const char		*name;		/* of the first file */
	struct fm_model		*model;
	struct fm_diag		*diag;
	struct fm_sources	*sources;	/* NULL: no files may be read */
	bool			alone;		/* files are passed over */
	uint64_t		following[2];	/* expected at the first end */
	bool			nomem;
	bool			too_many;	/* statements, reported */
	bool			too_many_hosts;
	bool			too_many_files;	/* no more are read */
	unsigned		nerrors;	/* of syntax */
	unsigned		nfiles;		/* that were looked for */
	size_t			nbytes;		/* of all files */
	unsigned		nstmts;
	struct fm_source_file	**files_tail;
	struct fm_list_def	**lists_tail;
	struct fm_map_def	**maps_tail;
	struct fm_ruleset_def	**rulesets_tail;
	struct fm_site		**sites_tail;
	struct fm_source_file	*included[1024];	/* by st_ino */
	struct fm_keywords	keywords;
	struct fm_place		first[T__KINDS];	/* of such items */
	_Alignas(max_align_t) char spare[512];
};

/* parse.c */

/* Parses a text, with a reader that knows its parse, name and depth. */
void fm_parse_run(struct fm_reader *, struct fm_text);
void fm_parse_nomem(struct fm_parse *);
/* Zeroed, never NULL. */
void *fm_parse_alloc(struct fm_parse *, size_t);
/* Room for a text that ends in NUL; NULL: no memory. */
char *fm_parse_room(struct fm_parse *, size_t);
/* A copy that ends in NUL, never NULL. */
struct fm_text fm_parse_text_copy(struct fm_parse *, struct fm_text);

/* parse_lex.c */

#define FM_BOM	"\xef\xbb\xbf"	/* may stand before the first token */

/* To the first token. */
void fm_lex_begin(struct fm_reader *);
/* Goes on to the next token. */
void fm_next(struct fm_reader *);

/* parse_error.c */

/*
 * Returns the text of a token, cut short, in quotes; of a doubted file only its
 * kind.
 */
const char *fm_token_shown(const struct fm_reader *, const struct fm_token *,
    char buf[FM_SHOWN_LEN]);
/* Returns true if the token is such a one, else notes it as expected. */
bool fm_at(struct fm_reader *, enum fm_token_kind);
/* Does the same, and goes on; the last one reports any other token. */
bool fm_accept(struct fm_reader *, enum fm_token_kind);
bool fm_need(struct fm_reader *, enum fm_token_kind);
/* Says of the token that it is none of what was noted. */
void fm_say_unexpected(struct fm_reader *);
static inline bool
fm_unexpected(struct fm_reader *reader)
{
	fm_say_unexpected(reader);
	return (false);
}
/* Returns true if the token starts a line, and most likely something new. */
bool fm_starts_anew(const struct fm_reader *);
/*
 * Skips what is left of a statement, line or item: up to a `}` or `{`, or
 * behind its `;`, or to what starts a line and may well be the next one.
 * Returns true before a `{`.
 */
bool fm_skip(struct fm_reader *);
/* Skips from a `{` to behind its `}`. */
void fm_skip_block(struct fm_reader *);

/* hints.c */

#define FM_HINT_LEN	64

/* Returns what may be meant by a token that is unexpected, or NULL. */
const char *fm_unexpected_hint(const struct fm_reader *,
    char buf[FM_HINT_LEN]);
/*
 * Returns true if a word is none that begins an item, but nearly one, or one
 * of another language that there is a hint for.
 */
bool fm_is_hinted(struct fm_text word);
/* Which variable is most likely meant by the name in ${}, or "". */
const char *fm_part_meant(struct fm_text name);

/* parse_value.c */

/* A `;`; what else is there is reported and skipped. */
void fm_read_semi(struct fm_reader *);
/* Returns true if there is one. */
bool fm_read_mode(struct fm_reader *, enum fm_pattern_kind *);

/* Reads one word or more; what: see fm_token_is(). */
bool fm_read_word(struct fm_reader *, enum fm_token_kind what,
    struct fm_word **);
bool fm_read_words(struct fm_reader *, enum fm_token_kind what,
    struct fm_words *);
bool fm_read_value(struct fm_reader *, struct fm_value **);
/* They stay as they are where there is none, and where it has no variables. */
void fm_read_reason(struct fm_reader *, struct fm_word **, struct fm_value **);
struct fm_word *fm_make_word(struct fm_parse *, struct fm_text,
    const struct fm_place *, bool quoted);
void fm_words_add(struct fm_reader *, struct fm_words *, struct fm_word *);
/* A text without variables. */
struct fm_value *fm_make_value(struct fm_parse *, struct fm_text,
    const struct fm_place *);

/* parse_stmt.c */

/*
 * A subject, in place of T_TEST or T_SUBJECT.  list: NULL, or where the list
 * of `query in LIST` goes.
 */
bool fm_read_subject(struct fm_reader *, struct fm_subject *,
    enum fm_token_kind expected, struct fm_word **list);
bool fm_read_block(struct fm_reader *, struct fm_block **);
/* The file, or all that can be in a block, ends before the block's `}`. */
void fm_block_unclosed(struct fm_reader *, const struct fm_token *open);

/* parse_item.c */

/* A map that is being read. */
struct fm_map_made {
	struct fm_map_def	*map;
	struct fm_map_line	**tail;
	struct fm_match		like;		/* of each line of a file */
	unsigned		default_line;	/* 0: none */
	bool			misplaced;	/* a line is behind it */
};

void fm_read_items(struct fm_reader *);
void fm_map_add(struct fm_reader *, struct fm_map_made *, struct fm_match *,
    struct fm_value *);
/* The next host, to be filled in; NULL: no more. */
struct fm_host *fm_add_host(struct fm_parse *, const struct fm_place *);

/* parse_file.c */

void fm_read_include(struct fm_reader *, const struct fm_word *);
/* The operands of a list, or the lines of a map, or, both are NULL, hosts. */
void fm_read_from(struct fm_reader *, const struct fm_word *path,
    struct fm_words *operands, struct fm_map_made *map);
/* The body of an answer. */
struct fm_text fm_read_answer_from(struct fm_reader *, const struct fm_word *);
/* Notes a file in the model; at: NULL, or that of its include. */
const struct fm_source_file *fm_parse_source(struct fm_parse *,
    const char *name, const struct stat *, const struct fm_place *at);

#endif
