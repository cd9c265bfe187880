/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the parts of the parser share.
 *
 *	lexer.l		bytes to tokens
 *	parse_token.c	what stands between lexer and grammar: braces that are
 *			not in order, so that one mistake is one error
 *	parse_nest.c	how deep
 *	parse_foreign.c	words of other languages
 *	grammar.y	tokens to what parse_make.c and parse_item.c make of
 *			them
 *	parse_error.c	what a syntax error says
 *	parse_value.c	what is in ${}
 *	parse_file.c	the files that a file names
 */

#ifndef FM_PARSE_PRIV_H
#define FM_PARSE_PRIV_H

#include "bounds.h"
#include "file.h"
#include "messages_parse.h"
#include "obj.h"
#include "parse.h"
#include "sources.h"

/*--------------------------------------------------------------------
 * Where tokens are
 */

struct fm_span {
	unsigned	line, column;
	unsigned	end_line, end_column;	/* behind the last byte */
	size_t		start, end;		/* offsets in the file */
	bool		first;			/* on its line */
};

/*--------------------------------------------------------------------
 * What the grammar passes upwards
 */

struct fm_mode_made {			/* of a line of a list or a map */
	bool			in;
	enum fm_pattern_kind	kind;
};

struct fm_lines_made {			/* of a list */
	struct fm_list_line	*first, *last;
	size_t			operands;
};

struct fm_matches_made {		/* of a line of a map */
	struct fm_match		*first, *last;
	size_t			operands;
};

struct fm_map_made {
	bool			in;		/* from a file of networks */
	struct fm_map_line	*first, *last;
	struct fm_value		*otherwise;
	struct fm_place		otherwise_at;
	bool			misplaced;	/* a line is behind it */
	size_t			operands;
};

struct fm_cond_made {
	struct fm_cond		*cond;
	unsigned		height;		/* parentheses and nots */
	unsigned		tests;
};

struct fm_stmts_made {
	struct fm_stmt		*first, *last;
	unsigned		height;		/* whens inside each other */
};

struct fm_block_made {
	struct fm_block		*block;
	unsigned		height;
};

struct fm_when_made {			/* a chain of `else when` */
	struct fm_stmt		*first, *last;
	unsigned		links;
	unsigned		height;
};

/*--------------------------------------------------------------------
 * A file that is being parsed
 */

/* Braces of blocks inside each other: a host's, and those of its whens. */
#define FM_READER_BRACES	(FM_LIMIT_NESTING + 1)

struct fm_reader {
	unsigned		magic;
#define FM_READER_MAGIC		0x5ef2a3b9
	struct fm_parse		*parse;
	struct fm_reader	*up;		/* which includes this one */
	const struct fm_source_file *source;	/* NULL: a text */
	const char		*name;		/* in the model's arena */
	unsigned		depth;		/* 1: the first file */

	/* parse.c */
	const char		*text;		/* as it was given */
	char			*bytes;		/* flex's copy: it writes NULs
						 * behind tokens, and needs two
						 * at the end */
	size_t			len;

	/* lexer.l */
	void			*scanner;
	char			pool[1024];	/* all that flex allocates */
	size_t			pooled;
	unsigned		line;
	size_t			line_start;	/* its offset */
	unsigned		line_of_word;	/* of the last token */

	/* parse_token.c */
	int			last;		/* the last token */
	struct fm_span		last_span;
	struct fm_span		before_span;	/* of the one before it */
	int			held;		/* token that is to come */
	struct fm_span		held_span;
	const void		*held_value;	/* its word or text */
	int			item;		/* first token of the item */
	int			stmt;		/* first one of the statement */
	unsigned		braces;
	struct fm_span		opened[FM_READER_BRACES];
	unsigned		parens, nots;
	unsigned		quote_line;	/* of the last bad string */
	bool			bad_arrow;	/* the last one: reported */
	bool			bare_brace;	/* the last one: reported */
	bool			hidden;		/* `held` is of such a block */
	bool			closing;	/* all blocks, before `held` */
	bool			muted;		/* as far as the statement */
	bool			recovering;
	bool			doubt;		/* a brace may be missing */
	bool			too_deep;	/* reported of this item */
	bool			too_much;	/* of this statement */
};

/*
 * What all the files of a parse share.  Where there is no memory everything is
 * made in `spare`, so that nobody need ask, and the model is thrown away at
 * the end.
 */
#define FM_PARSE_BUCKETS	1024

struct fm_included {
	const struct fm_source_file *source;
	struct fm_place		at;		/* of the include */
	struct fm_included	*next;		/* in the bucket */
};

struct fm_parse {
	unsigned		magic;
#define FM_PARSE_MAGIC		0x1f6c80d7
	struct fm_model		*model;
	struct fm_diag		*diag;
	struct fm_sources	*sources;	/* NULL: no files may be read */
	bool			own_sources;	/* to be freed */
	bool			nomem;
	bool			too_many;	/* statements, reported */
	bool			too_many_hosts;
	unsigned		nerrors;	/* of syntax */
	bool			too_many_files;	/* no more are read */
	unsigned		nfiles;		/* that were looked for */
	size_t			nbytes;		/* of all files */
	unsigned		nstmts;
	struct fm_source_file	**files_tail;
	struct fm_list_def	**lists_tail;
	struct fm_map_def	**maps_tail;
	struct fm_ruleset_def	**rulesets_tail;
	struct fm_site		**sites_tail;
	struct fm_included	*included[FM_PARSE_BUCKETS];
	struct fm_place		always_at, finally_at;
	_Alignas(max_align_t) char spare[512];
};

/* parse.c */

/* Parses a text, into a reader of which the first few fields are set. */
void fm_parse_run(struct fm_reader *, struct fm_text);
void fm_parse_nomem(struct fm_parse *);
/* Zeroed, never NULL. */
void *fm_parse_alloc(struct fm_parse *, size_t);
/* A copy that ends in NUL, never NULL. */
struct fm_text fm_parse_text_copy(struct fm_parse *, struct fm_text);
struct fm_place fm_reader_place(const struct fm_reader *,
    const struct fm_span *);
void fm_reader_fault(const struct fm_reader *, const struct fm_span *,
    const char *text);

/* lexer.l */

union FM_GRAMMAR_STYPE;

void fm_lexer_open(struct fm_reader *);
void fm_lexer_close(struct fm_reader *);
int fm_lexer_lex(union FM_GRAMMAR_STYPE *, struct fm_span *, void *scanner);
void *fm_lexer_alloc(size_t, void *scanner);
void *fm_lexer_realloc(void *, size_t, void *scanner);
void fm_lexer_free(void *, void *scanner);

/* parse_token.c */

#define FM_NO_TOKEN	(-2)	/* bison has its own use for -1 */

int fm_grammar_lex(union FM_GRAMMAR_STYPE *, struct fm_span *,
    struct fm_reader *);
/* The block whose `{` was the last token is not to be seen. */
void fm_reader_skip_block(struct fm_reader *);
/* Whether a statement or item may well start with the last token. */
bool fm_reader_resyncs(const struct fm_reader *, int token);
bool fm_token_starts_item(int);
bool fm_token_starts_stmt(int);
/* Whether something new starts behind it. */
bool fm_token_ends(int);
/* In a block that holds words, and no statements. */
bool fm_reader_in_words(const struct fm_reader *);
/* Is to come once more. */
void fm_reader_hold(struct fm_reader *, int token, const struct fm_span *,
    const union FM_GRAMMAR_STYPE *);

/* From the lexer, or what is held. */
int fm_reader_scan(struct fm_reader *, struct fm_span *,
    union FM_GRAMMAR_STYPE *);
/* To the `}` of a block whose `{` was just read; its span. */
void fm_reader_skip(struct fm_reader *, struct fm_span *);

/* parse_nest.c.  Those that give a token: what the grammar is to see. */

int fm_reader_nest(struct fm_reader *, int token, const struct fm_span *);
int fm_reader_open(struct fm_reader *, struct fm_span *);
/* What was read can't be inside of a block: a `}` comes before it. */
int fm_reader_close_first(struct fm_reader *, int token, struct fm_span *,
    union FM_GRAMMAR_STYPE *);
/*
 * The last token is a `{` that was not expected.  Where no statements can be
 * behind it, they are not looked for.
 */
void fm_reader_wrong_block(struct fm_reader *);

/* parse_foreign.c */

/* What a T_WORD stands for. */
int fm_reader_translate(struct fm_reader *, const struct fm_span *,
    union FM_GRAMMAR_STYPE *);
/* Between the last token and this one. */
void fm_reader_check_blanks(struct fm_reader *, int token,
    const struct fm_span *);
/* The grammar has found its way again. */
void fm_reader_recovered(struct fm_reader *, bool skipped);

/* parse_error.c */

#define FM_SHOWN_LEN	64

/*
 * Returns true if a word is none that begins an item, but nearly one, or one
 * of another language that there is a hint for.
 */
bool fm_parse_is_hinted(struct fm_text word);

/* What stands there in the file, cut short; the other one in quotes. */
const char *fm_reader_bytes(const struct fm_reader *, const struct fm_span *,
    char buf[FM_SHOWN_LEN]);
const char *fm_reader_shown(const struct fm_reader *, const struct fm_span *,
    char buf[FM_SHOWN_LEN]);
const char *fm_text_shown(struct fm_text, char buf[FM_SHOWN_LEN]);
/* Behind this there is none. */
void fm_reader_no_semicolon(const struct fm_reader *, const struct fm_span *);
/* The last token, in place of those whose names these are. */
void fm_reader_unexpected(struct fm_reader *, const char * const *expected,
    unsigned n);

/* parse_file.c */

void fm_reader_include(struct fm_reader *, const struct fm_word *);
void fm_reader_list_from(struct fm_reader *, struct fm_lines_made *,
    struct fm_mode_made, const struct fm_word *path);
void fm_reader_map_from(struct fm_reader *, struct fm_map_made *,
    struct fm_mode_made, const struct fm_word *path);
struct fm_stmt *fm_reader_answer_from(struct fm_reader *,
    const struct fm_span *, struct fm_word *status, struct fm_word *type,
    struct fm_word *path);
void fm_reader_hosts_from(struct fm_reader *, const struct fm_word *path);
void fm_parse_source(struct fm_parse *, struct fm_source_file *,
    const struct stat *);

/* parse_value.c */

struct fm_value *fm_make_value(struct fm_reader *, const struct fm_word *,
    const struct fm_span *);
/* A reason with variables; NULL: it has none. */
struct fm_value *fm_make_reason(struct fm_reader *, const struct fm_word *,
    const struct fm_span *);
struct fm_value *fm_make_map_value(struct fm_reader *, struct fm_word *,
    const struct fm_subject *);
struct fm_value *fm_make_plain_value(struct fm_parse *, struct fm_text,
    const struct fm_place *);

/* parse_make.c */

struct fm_word *fm_make_word(struct fm_parse *, struct fm_text,
    const struct fm_place *, bool quoted);
/* A word of the language, taken as any word. */
struct fm_word *fm_make_keyword(struct fm_reader *, const char *,
    const struct fm_span *);
void fm_words_add(struct fm_reader *, struct fm_words *, struct fm_word *);
void fm_operands_warn(struct fm_parse *, const struct fm_words *);
struct fm_subject *fm_make_subject(struct fm_reader *, enum fm_subject_kind,
    const struct fm_span *, const struct fm_word *name);

void fm_lines_add(struct fm_parse *, struct fm_lines_made *,
    struct fm_mode_made, const struct fm_words *, const struct fm_place *);
void fm_matches_add(struct fm_parse *, struct fm_matches_made *,
    bool negated, struct fm_mode_made, const struct fm_words *,
    const struct fm_place *);
void fm_map_add(struct fm_parse *, struct fm_map_made *,
    const struct fm_matches_made *, struct fm_value *,
    const struct fm_place *);
void fm_map_default(struct fm_reader *, struct fm_map_made *,
    struct fm_value *, const struct fm_span *);

struct fm_cond_made fm_make_test(struct fm_reader *, enum fm_cond_kind,
    const struct fm_subject *);
struct fm_cond_made fm_make_mode(struct fm_reader *,
    const struct fm_subject *, bool nocase, enum fm_pattern_kind,
    const struct fm_words *);
/* `present`, of one name or of all that fit one with wildcards. */
struct fm_cond_made fm_make_present(struct fm_reader *,
    const struct fm_subject *);
struct fm_cond_made fm_make_below(struct fm_reader *,
    const struct fm_subject *, bool nocase, const struct fm_words *);
/* `in` a list, or networks. */
struct fm_cond_made fm_make_in(struct fm_reader *,
    const struct fm_subject *, const struct fm_words *);
/* A `not` behind the subject is one before it. */
struct fm_cond_made fm_make_negated(struct fm_reader *, struct fm_cond_made,
    bool negated, const struct fm_span *);
struct fm_cond_made fm_make_not(struct fm_reader *, struct fm_cond_made,
    const struct fm_span *);
struct fm_cond_made fm_make_parens(struct fm_reader *, struct fm_cond_made,
    const struct fm_span *);
struct fm_cond_made fm_make_both(struct fm_reader *, enum fm_cond_kind,
    struct fm_cond_made, struct fm_cond_made);
/* Of what could not be read. */
struct fm_cond_made fm_make_unknown(struct fm_reader *,
    const struct fm_span *);

struct fm_stmt *fm_make_stmt(struct fm_reader *, enum fm_stmt_kind,
    const struct fm_span *);
/* An answer whose body is a string, at its own place. */
struct fm_stmt *fm_make_answer(struct fm_reader *, const struct fm_span *,
    struct fm_word *status, struct fm_word *type, const struct fm_word *body,
    const struct fm_span *body_at);
/* A `named` before the offers of a normalize is none of them. */
void fm_make_named(const struct fm_reader *, struct fm_stmt *);
void fm_stmts_add(struct fm_reader *, struct fm_stmts_made *,
    struct fm_stmt *, unsigned height);
struct fm_block_made fm_make_block(struct fm_reader *,
    const struct fm_stmts_made *, const struct fm_span *open,
    const struct fm_span *close);
struct fm_when_made fm_make_when(struct fm_reader *, const struct fm_span *,
    struct fm_cond_made, struct fm_block_made);
void fm_when_else(struct fm_reader *, struct fm_when_made *,
    struct fm_block_made);
void fm_when_else_when(struct fm_reader *, struct fm_when_made *,
    const struct fm_span *, struct fm_cond_made, struct fm_block_made);

/* parse_item.c */

void fm_add_list(struct fm_reader *, struct fm_word *name, bool nocase,
    const struct fm_lines_made *);
void fm_add_map(struct fm_reader *, struct fm_word *name, bool nocase,
    const struct fm_map_made *);
void fm_add_broken_list(struct fm_reader *, struct fm_word *name);
void fm_add_broken_map(struct fm_reader *, struct fm_word *name);
void fm_add_broken_ruleset(struct fm_reader *, struct fm_word *name);
void fm_add_ruleset(struct fm_reader *, struct fm_word *name,
    struct fm_block *);
void fm_add_always(struct fm_reader *, struct fm_block *,
    const struct fm_span *);
void fm_add_finally(struct fm_reader *, struct fm_block *,
    const struct fm_span *);
/* patterns: NULL: `default`.  Either a block, or use. */
void fm_add_site(struct fm_reader *, const struct fm_span *,
    const struct fm_words *patterns, struct fm_block *, struct fm_word *use);
void fm_add_repeated(struct fm_reader *, const struct fm_span *);
void fm_add_trust(struct fm_reader *, const struct fm_span *,
    struct fm_word *header, const struct fm_words *networks);
void fm_add_undecided(struct fm_reader *, const struct fm_span *,
    struct fm_word *status, struct fm_word *reason);
/* The next host, to be filled in; NULL: no more. */
struct fm_host *fm_add_host(struct fm_parse *, const struct fm_place *);

#endif
