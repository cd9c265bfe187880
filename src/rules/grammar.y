/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rule language.
 *
 * What the tokens' names say is what people read in errors.  Errors: `semi`
 * stands for a semicolon that is missing; a statement or an item that can't be
 * read ends at its semicolon or with its block.  Braces that are not in order
 * never come here (parse_token.c), so that a block is what it seems.
 */

%code requires {
#include "parse_priv.h"
}

%code {
#include "grammar.h"

static void fm_grammar_error(const struct fm_span *, struct fm_reader *,
    const char *);

/* Includes run inside each other: little of the stack each, more by malloc. */
#define YYINITDEPTH	40

/* From the first to the last of what a rule has. */
#define YYLLOC_DEFAULT(at, rhs, n)					\
	do {								\
		if ((n) > 0) {						\
			(at) = YYRHSLOC(rhs, 1);			\
			(at).end_line = YYRHSLOC(rhs, n).end_line;	\
			(at).end_column = YYRHSLOC(rhs, n).end_column;	\
			(at).end = YYRHSLOC(rhs, n).end;		\
		} else {						\
			(at) = YYRHSLOC(rhs, 0);			\
		}							\
	} while (0)

/* After an error: it is clear again where we are. */
#define RECOVERED(skipped)						\
	do {								\
		yyerrok;						\
		fm_reader_recovered(reader, (skipped));			\
	} while (0)

#define AT(span)	fm_reader_place(reader, &(span))
}

%define api.pure full
%define api.prefix {fm_grammar_}
%define api.token.prefix {T_}
%define api.location.type {struct fm_span}
%define parse.error custom
%locations
%expect 0
%param {struct fm_reader *reader}

%union {
	struct fm_word		*word;
	const char		*text;
	struct fm_words		words;
	enum fm_pattern_kind	mode;
	struct fm_mode_made	line_mode;
	enum fm_subject_kind	kind;
	enum fm_params_what	what;
	bool			flag;
	struct fm_subject	*subject;
	struct fm_value		*value;
	struct fm_lines_made	lines;
	struct fm_matches_made	matches;
	struct fm_map_made	map;
	struct fm_cond_made	cond;
	struct fm_stmt		*stmt;
	struct fm_stmts_made	stmts;
	struct fm_block_made	block;
	struct fm_when_made	when;
}

%token			END 0		"the end of the file"
%token	<word>		WORD		"a word"
%token	<word>		STRING		"a string in quotes"
%token			TOO_DEEP	"a condition"
%token			SEMI		";"
%token			OPEN		"{"
%token			CLOSE		"}"
%token			LPAREN		"("
%token			RPAREN		")"
%token			EQUALS		"="
%token			TILDE		"~"
%token			ARROW		"->"

/* Words that need quotes as operands. */
%token	<text>		AND		"and"
%token	<text>		OR		"or"
%token	<text>		NOT		"not"
%token	<text>		IN		"in"
%token	<text>		USE		"use"
%token	<text>		ELSE		"else"
%token	<text>		PRESENT		"present"
%token	<text>		NOCASE		"nocase"
%token	<text>		IS		"is"
%token	<text>		BEGINS		"begins"
%token	<text>		ENDS		"ends"
%token	<text>		CONTAINS	"contains"
%token	<text>		LIKE		"like"

/* Words that start an item. */
%token	<text>		INCLUDE		"include"
%token	<text>		LIST		"list"
%token	<text>		MAP		"map"
%token	<text>		RULESET		"ruleset"
%token	<text>		ALWAYS		"always"
%token	<text>		FINALLY		"finally"
%token	<text>		UNDECIDED	"undecided"
%token	<text>		REPEATED	"repeated"
%token	<text>		FIRST		"first"
%token	<text>		CLIENT		"client"
%token	<text>		HOST		"host"
%token	<text>		HOSTS		"hosts"
%token	<text>		DEFAULT		"default"

/* Words that start a statement. */
%token	<text>		QUERY		"query"
%token	<text>		COOKIE		"cookie"
%token	<text>		SET		"set"
%token	<text>		UNSET		"unset"
%token	<text>		NORMALIZE	"normalize"
%token	<text>		REWRITE		"rewrite"
%token	<text>		ALL		"all"
%token	<text>		BACKEND		"backend"
%token	<text>		PASS		"pass"
%token	<text>		PIPE		"pipe"
%token	<text>		HASH		"hash"
%token	<text>		PURGE		"purge"
%token	<text>		SYNTH		"synth"
%token	<text>		ANSWER		"answer"
%token	<text>		REDIRECT	"redirect"
%token	<text>		STOP		"stop"
%token	<text>		BUILTIN		"builtin"
%token	<text>		WHEN		"when"

/* The others. */
%token	<text>		FROM		"from"
%token	<text>		IGNORE		"ignore"
%token	<text>		DROP		"drop"
%token	<text>		KEEP		"keep"
%token	<text>		SORT		"sort"
%token	<text>		UNIQUE		"unique"
%token	<text>		TO		"to"
%token	<text>		URL		"url"
%token	<text>		PATH		"path"
%token	<text>		CLEAN		"clean"
%token	<text>		METHOD		"method"
%token	<text>		AGENT		"agent"
%token	<text>		HEADER		"header"
%token	<text>		BELOW		"below"
%token	<text>		TRUST		"trust"

%left OR
%left AND
%precedence NOT

%type	<text>		keyword reserved
%type	<word>		word list_name name name_first reason
%type	<words>		words operands names params_names patterns
%type	<mode>		mode
%type	<line_mode>	line_mode
%type	<kind>		named
%type	<what>		what
%type	<flag>		nocase not all
%type	<subject>	subject client
%type	<value>		value otherwise
%type	<lines>		list_lines
%type	<matches>	matches
%type	<map>		map_lines
%type	<cond>		cond test
%type	<stmt>		stmt query cookie edit verdict
%type	<stmts>		stmts
%type	<block>		block
%type	<when>		chain when

%%

file
	: items
		{
			/* bison counts, and nobody asks */
			(void)yynerrs;
		}
	;

items
	: %empty
	| items item
	| items error ";"		{ RECOVERED(true); }
	| items error block		{ RECOVERED(true); }
	;

item
	: "include" STRING semi		{ fm_reader_include(reader, $2); }
	| list
	| map
	| "ruleset" word block
		{ fm_add_ruleset(reader, $2, $3.block); }
	| "ruleset" word broken		{ fm_add_broken_ruleset(reader, $2); }
	| "always" block
		{ fm_add_always(reader, $2.block, &@1); }
	| "finally" block
		{ fm_add_finally(reader, $2.block, &@1); }
	| "undecided" "ignore" semi
		{ fm_add_undecided(reader, &@1, NULL, NULL); }
	| "undecided" "synth" word reason semi
		{ fm_add_undecided(reader, &@1, $3, $4); }
	| "repeated" "first" semi	{ fm_add_repeated(reader, &@1); }
	| "client" "from" name "trust" words semi
		{ fm_add_trust(reader, &@1, $3, &$5); }
	| "host" patterns block
		{ fm_add_site(reader, &@1, &$2, $3.block, NULL); }
	| "host" patterns "use" word semi
		{ fm_add_site(reader, &@1, &$2, NULL, $4); }
	| "hosts" "from" STRING semi
		{ fm_reader_hosts_from(reader, $3); }
	| "default" block
		{ fm_add_site(reader, &@1, NULL, $2.block, NULL); }
	| "default" "use" word semi
		{ fm_add_site(reader, &@1, NULL, NULL, $3); }
	;

patterns
	: words
	;

/*
 * What follows a missing semicolon is looked at anew if it may well be the
 * start of something; else it goes, up to the next semicolon.
 */
semi
	: ";"
	| error
		{
			if (fm_reader_resyncs(reader, yychar)) {
				RECOVERED(false);
			} else if (yychar == T_OPEN) {
				fm_reader_skip_block(reader);
				yyclearin;
				RECOVERED(true);
			}
		}
	;

/*--------------------------------------------------------------------
 * Lists and maps
 */

list
	: "list" word nocase line_mode "{" operands close
		{
			struct fm_lines_made lines = { .operands = 0 };
			struct fm_place at = AT(@4);

			fm_lines_add(reader->parse, &lines, $4, &$6, &at);
			fm_add_list(reader, $2, $3, &lines);
		}
	| "list" word nocase line_mode "from" STRING semi
		{
			struct fm_lines_made lines = { .operands = 0 };

			fm_reader_list_from(reader, &lines, $4, $6);
			fm_add_list(reader, $2, $3, &lines);
		}
	| "list" word nocase "{" list_lines close
		{ fm_add_list(reader, $2, $3, &$5); }
	| "list" word nocase broken	{ fm_add_broken_list(reader, $2); }
	;

/*
 * What has a name and is wrong before its block: that its name is unknown is
 * no mistake of those who use it.
 */
broken
	: error ";"			{ RECOVERED(true); }
	| error block			{ RECOVERED(true); }
	;

operands
	: %empty
		{ $$ = (struct fm_words){ .count = 0 }; }
	| words
	;

/* Of a list or a map, where something else may have come before. */
close
	: "}"
	| error "}"			{ RECOVERED(true); }
	;

list_lines
	: %empty
		{ $$ = (struct fm_lines_made){ .operands = 0 }; }
	| list_lines line_mode words semi
		{
			struct fm_place at = AT(@2);

			$$ = $1;
			fm_lines_add(reader->parse, &$$, $2, &$3, &at);
		}
	| list_lines error ";"		{ $$ = $1; RECOVERED(true); }
	;

map
	: "map" word nocase "{" map_lines close
		{ fm_add_map(reader, $2, $3, &$5); }
	| "map" word nocase line_mode "from" STRING semi
		{
			struct fm_map_made made = { .operands = 0 };

			fm_reader_map_from(reader, &made, $4, $6);
			fm_add_map(reader, $2, $3, &made);
		}
	| "map" word nocase broken	{ fm_add_broken_map(reader, $2); }
	;

map_lines
	: %empty
		{ $$ = (struct fm_map_made){ .operands = 0 }; }
	| map_lines matches "->" value semi
		{
			struct fm_place at = AT(@2);

			$$ = $1;
			if ($$.otherwise != NULL)
				fm_map_default(reader, &$$, NULL, &@2);
			fm_map_add(reader->parse, &$$, &$2, $4, &at);
		}
	| map_lines "default" value semi
		{
			$$ = $1;
			fm_map_default(reader, &$$, $3, &@2);
		}
	| map_lines error ";"		{ $$ = $1; RECOVERED(true); }
	;

matches
	: not line_mode words
		{
			struct fm_place at;

			@$ = $1 ? @1 : @2;
			at = AT(@$);
			$$ = (struct fm_matches_made){ .operands = 0 };
			fm_matches_add(reader->parse, &$$, $1, $2, &$3, &at);
		}
	| matches "and" not line_mode words
		{
			struct fm_place at = $3 ? AT(@3) : AT(@4);

			$$ = $1;
			fm_matches_add(reader->parse, &$$, $3, $4, &$5, &at);
		}
	;

not
	: %empty			{ $$ = false; }
	| "not"				{ $$ = true; }
	;

/*--------------------------------------------------------------------
 * Blocks and statements
 */

block
	: open stmts "}"
		{ $$ = fm_make_block(reader, &$2, &@1, &@3); }
	| open stmts error "}"
		{
			$$ = fm_make_block(reader, &$2, &@1, &@4);
			RECOVERED(false);
		}
	;

/* What was wrong before a block says nothing about what is in it. */
open
	: "{"				{ RECOVERED(false); }
	;

stmts
	: %empty
		{ $$ = (struct fm_stmts_made){ .height = 0 }; }
	| stmts stmt
		{ $$ = $1; fm_stmts_add(reader, &$$, $2, 0); }
	| stmts when
		{ $$ = $1; fm_stmts_add(reader, &$$, $2.first, $2.height); }
	| stmts error ";"		{ $$ = $1; RECOVERED(true); }
	;

stmt
	: query semi
	| cookie semi
	| edit semi
	| verdict semi
	| "use" word semi
		{
			$$ = fm_make_stmt(reader, FM_STMT_USE, &@1);
			$$->use.name = $2;
		}
	;

query
	: "query" what params_names
		{
			$$ = fm_make_stmt(reader, FM_STMT_QUERY, &@1);
			$$->params.what = $2;
			$$->params.names = $3;
		}
	| "query" what "in" word
		{
			$$ = fm_make_stmt(reader, FM_STMT_QUERY, &@1);
			$$->params.what = $2;
			$$->params.list = $4;
		}
	| "query" "sort"
		{
			$$ = fm_make_stmt(reader, FM_STMT_QUERY, &@1);
			$$->params.what = FM_PARAMS_WHAT_SORT;
		}
	| "query" "unique"
		{
			$$ = fm_make_stmt(reader, FM_STMT_QUERY, &@1);
			$$->params.what = FM_PARAMS_WHAT_UNIQUE;
		}
	| "query" "clean"
		{
			$$ = fm_make_stmt(reader, FM_STMT_QUERY, &@1);
			$$->params.what = FM_PARAMS_WHAT_CLEAN;
		}
	;

cookie
	: "cookie" what params_names
		{
			$$ = fm_make_stmt(reader, FM_STMT_COOKIE, &@1);
			$$->params.what = $2;
			$$->params.names = $3;
		}
	| "cookie" what "in" word
		{
			$$ = fm_make_stmt(reader, FM_STMT_COOKIE, &@1);
			$$->params.what = $2;
			$$->params.list = $4;
		}
	;

what
	: "drop"			{ $$ = FM_PARAMS_WHAT_DROP; }
	| "keep"			{ $$ = FM_PARAMS_WHAT_KEEP; }
	;

edit
	: "set" name "=" value
		{
			$$ = fm_make_stmt(reader, FM_STMT_SET, &@1);
			$$->set.header = $2;
			$$->set.value = $4;
		}
	| "unset" names
		{
			$$ = fm_make_stmt(reader, FM_STMT_UNSET, &@1);
			$$->unset.headers = $2;
		}
	| "normalize" name "to" words otherwise
		{
			$$ = fm_make_stmt(reader, FM_STMT_NORMALIZE, &@1);
			$$->normalize.header = $2;
			$$->normalize.offers = $4;
			$$->normalize.otherwise = $5;
			fm_make_named(reader, $$);
		}
	| "rewrite" all "~" word "to" word
		{
			$$ = fm_make_stmt(reader, FM_STMT_REWRITE, &@1);
			$$->rewrite.all = $2;
			$$->rewrite.regex = $4;
			$$->rewrite.to = $6;
		}
	| "backend" name
		{
			$$ = fm_make_stmt(reader, FM_STMT_BACKEND, &@1);
			$$->backend.name = $2;
		}
	;

all
	: %empty			{ $$ = false; }
	| "all"				{ $$ = true; }
	;

otherwise
	: %empty			{ $$ = NULL; }
	| "else" value			{ $$ = $2; }
	;

verdict
	: "pass"	{ $$ = fm_make_stmt(reader, FM_STMT_PASS, &@1); }
	| "pipe"	{ $$ = fm_make_stmt(reader, FM_STMT_PIPE, &@1); }
	| "hash"	{ $$ = fm_make_stmt(reader, FM_STMT_HASH, &@1); }
	| "purge"	{ $$ = fm_make_stmt(reader, FM_STMT_PURGE, &@1); }
	| "stop"	{ $$ = fm_make_stmt(reader, FM_STMT_STOP, &@1); }
	| "builtin"	{ $$ = fm_make_stmt(reader, FM_STMT_BUILTIN, &@1); }
	| "synth" word reason
		{
			$$ = fm_make_stmt(reader, FM_STMT_SYNTH, &@1);
			$$->synth.status = $2;
			$$->synth.reason = $3;
			$$->synth.value = fm_make_reason(reader, $3, &@3);
		}
	| "answer" word word STRING
		{ $$ = fm_make_answer(reader, &@1, $2, $3, $4, &@4); }
	| "answer" word word "from" STRING
		{ $$ = fm_reader_answer_from(reader, &@1, $2, $3, $5); }
	| "redirect" word value
		{
			$$ = fm_make_stmt(reader, FM_STMT_REDIRECT, &@1);
			$$->redirect.status = $2;
			$$->redirect.to = $3;
		}
	;

reason
	: %empty			{ $$ = NULL; }
	| STRING
	;

when
	: chain
	| chain "else" block
		{ $$ = $1; fm_when_else(reader, &$$, $3); }
	;

chain
	: "when" cond block
		{ $$ = fm_make_when(reader, &@1, $2, $3); }
	| error block
		{
			$$ = fm_make_when(reader, &@1,
			    fm_make_unknown(reader, &@1), $2);
			RECOVERED(false);
		}
	| chain "else" "when" cond block
		{ $$ = $1; fm_when_else_when(reader, &$$, &@3, $4, $5); }
	;

/*--------------------------------------------------------------------
 * Conditions
 */

cond
	: cond "or" cond
		{ $$ = fm_make_both(reader, FM_COND_OR, $1, $3); }
	| cond "and" cond
		{ $$ = fm_make_both(reader, FM_COND_AND, $1, $3); }
	| "not" cond
		{ $$ = fm_make_not(reader, $2, &@1); }
	| "(" cond ")"
		{ $$ = fm_make_parens(reader, $2, &@1); }
	| test
	| TOO_DEEP
		{ $$ = fm_make_unknown(reader, &@1); }
	;

test
	: subject not mode words
		{
			$$ = fm_make_mode(reader, $1, false, $3, &$4);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| subject not "nocase" mode words
		{
			$$ = fm_make_mode(reader, $1, true, $4, &$5);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| subject not "below" words
		{
			$$ = fm_make_below(reader, $1, false, &$4);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| subject not "nocase" "below" words
		{
			$$ = fm_make_below(reader, $1, true, &$5);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| subject not "in" words
		{
			$$ = fm_make_in(reader, $1, &$4);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| subject not "present"
		{
			$$ = fm_make_present(reader, $1);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| named "in" list_name not "present"
		{
			$$ = fm_make_test(reader, FM_COND_NAMES,
			    fm_make_subject(reader, $1, &@1, $3));
			$$.cond->list = $3;
			$$ = fm_make_negated(reader, $$, $4, &@4);
		}
	| client not "in" words
		{
			$$ = fm_make_in(reader, $1, &$4);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	| client not "in" "(" words ")"
		{
			$$ = fm_make_in(reader, $1, &$5);
			$$ = fm_make_negated(reader, $$, $2, &@2);
		}
	;

/* Subjects that are called by a name. */
named
	: "query"	{ $$ = FM_SUBJECT_QUERY; }
	| "cookie"	{ $$ = FM_SUBJECT_COOKIE; }
	| "header"	{ $$ = FM_SUBJECT_HEADER; }
	;

subject
	: "url"
		{ $$ = fm_make_subject(reader, FM_SUBJECT_URL, &@1, NULL); }
	| "path"
		{ $$ = fm_make_subject(reader, FM_SUBJECT_PATH, &@1, NULL); }
	| "clean" "path"
		{
			$$ = fm_make_subject(reader, FM_SUBJECT_CLEAN_PATH,
			    &@1, NULL);
		}
	| "host"
		{ $$ = fm_make_subject(reader, FM_SUBJECT_HOST, &@1, NULL); }
	| "method"
		{ $$ = fm_make_subject(reader, FM_SUBJECT_METHOD, &@1, NULL); }
	| "agent"
		{ $$ = fm_make_subject(reader, FM_SUBJECT_HEADER, &@1, NULL); }
	| named name
		{ $$ = fm_make_subject(reader, $1, &@1, $2); }
	;

client
	: "client"
		{
			$$ = fm_make_subject(reader, FM_SUBJECT_CLIENT, &@1,
			    NULL);
		}
	;

nocase
	: %empty			{ $$ = false; }
	| "nocase"			{ $$ = true; }
	;

mode
	: "is"				{ $$ = FM_PATTERN_EXACT; }
	| "begins"			{ $$ = FM_PATTERN_PREFIX; }
	| "ends"			{ $$ = FM_PATTERN_SUFFIX; }
	| "contains"			{ $$ = FM_PATTERN_CONTAINS; }
	| "like"			{ $$ = FM_PATTERN_GLOB; }
	| "~"				{ $$ = FM_PATTERN_REGEX; }
	;

line_mode
	: mode
		{ $$ = (struct fm_mode_made){ .kind = $1 }; }
	| "in"
		{
			$$ = (struct fm_mode_made){ .in = true,
			    .kind = FM_PATTERN_EXACT };
		}
	;

/*--------------------------------------------------------------------
 * Words
 */

value
	: name				{ $$ = fm_make_value(reader, $1, &@1); }
	| word "(" subject ")"
		{ $$ = fm_make_map_value(reader, $1, $3); }
	| word "(" client ")"
		{ $$ = fm_make_map_value(reader, $1, $3); }
	;

words
	: word
		{
			$$ = (struct fm_words){ .count = 0 };
			fm_words_add(reader, &$$, $1);
		}
	| words word
		{ $$ = $1; fm_words_add(reader, &$$, $2); }
	;

word
	: list_name
	| "below"	{ $$ = fm_make_keyword(reader, $1, &@1); }
	;

/* The name of a list where `below` may be a mode. */
list_name
	: WORD
	| STRING
	| keyword	{ $$ = fm_make_keyword(reader, $1, &@1); }
	;

names
	: name
		{
			$$ = (struct fm_words){ .count = 0 };
			fm_words_add(reader, &$$, $1);
		}
	| names name
		{ $$ = $1; fm_words_add(reader, &$$, $2); }
	;

/* An `in` that comes first names a list. */
params_names
	: name_first
		{
			$$ = (struct fm_words){ .count = 0 };
			fm_words_add(reader, &$$, $1);
		}
	| params_names name
		{ $$ = $1; fm_words_add(reader, &$$, $2); }
	;

name
	: name_first
	| "in"		{ $$ = fm_make_keyword(reader, $1, &@1); }
	;

name_first
	: word
	| reserved	{ $$ = fm_make_keyword(reader, $1, &@1); }
	;

/* But for "in". */
reserved
	: "and" | "or" | "not" | "use" | "else" | "present" | "nocase"
	| "is" | "begins" | "ends" | "contains" | "like"
	;

keyword
	: "include" | "list" | "map" | "ruleset" | "always" | "finally"
	| "undecided" | "repeated" | "first"
	| "host" | "hosts" | "default"
	| "query" | "cookie" | "set" | "unset" | "normalize" | "rewrite"
	| "backend" | "pass" | "pipe" | "hash" | "purge" | "synth" | "redirect"
	| "stop" | "builtin" | "when"
	| "from" | "ignore" | "drop" | "keep" | "sort" | "unique" | "to" | "all"
	| "url" | "path" | "clean" | "method" | "agent" | "header" | "client"
	| "trust"
	;

%%

#define EXPECTED_MAX	80

static int
yyreport_syntax_error(const yypcontext_t *context, struct fm_reader *reader)
{
	yysymbol_kind_t kinds[EXPECTED_MAX];
	const char *names[EXPECTED_MAX];
	int i, n;

	n = yypcontext_expected_tokens(context, kinds, EXPECTED_MAX);
	for (i = 0; i < n; i++)
		names[i] = yysymbol_name(kinds[i]);
	fm_reader_unexpected(reader, names, n > 0 ? (unsigned)n : 0);
	return (0);
}

/*
 * The nesting that parse_token.c lets through fits the stack's limit, so this
 * is about memory.
 */
static void
fm_grammar_error(const struct fm_span *span, struct fm_reader *reader,
    const char *text)
{

	(void)span;
	(void)text;
	fm_parse_nomem(reader->parse);
}
