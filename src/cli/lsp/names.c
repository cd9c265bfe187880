/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Answers the editor about the word under the cursor: what the manual says of
 * it (hover), what may stand there (completion), where a name is defined and
 * used.  The word is found by tokens alone, so that this works in a file that
 * is being written, too.
 */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "../parent.h"
#include "../vcl_file.h"
#include "addrs.h"
#include "lexemes.h"
#include "lsp.h"
#include "parse.h"
#include "shipped.h"

/* The kinds of things that have names. */
enum thing {
	THING_NONE, THING_LIST, THING_MAP, THING_RULESET, THING_BACKEND,
	THING_SUB
};

/* A token of a text, and where it stands. */
struct word {
	const struct fm_lexeme	*lexeme;
	struct fm_text		text;		/* without its quotes */
	enum fm_token_kind	kind;
	enum fm_token_kind	before;		/* the token before; T_END:
						 * none */
	enum fm_token_kind	next;		/* the token after it */
	enum fm_token_kind	item;		/* the first of the item */
	enum fm_token_kind	first;		/* the first of the statement */
	bool			is_first;	/* it begins the statement */
	bool			is_second;	/* it follows the first */
	unsigned		depth;		/* braces around it */
	enum fm_phase		phase;		/* of the block around it */
	unsigned		phase_depth;	/* braces around that block */
	enum thing		thing;		/* what the word names */
	bool			defines;	/* and defines here */
};

/* A walk over all tokens of a text; `word` is the token that it is at. */
struct words {
	struct fm_text		text;
	struct fm_lexeme	*lexemes;
	size_t			n, i;
	struct word		word;
};

/*--------------------------------------------------------------------
 * Tokens
 */

static void
words_begin(struct words *words, struct fm_text text)
{

	*words = (struct words){ .text = fm_text_or_empty(text) };
	words->lexemes = fm_lexemes(words->text, &words->n);
	if (words->lexemes == NULL)
		fm_cli_no_memory();
	words->word.before = T_END;
}

static enum thing
thing_used(const struct word *word)
{

	switch (word->before) {
	case T_USE:
		return (THING_RULESET);
	case T_BACKEND:
		return (word->is_second ? THING_BACKEND : THING_NONE);
	case T_CALL:
		return (word->is_second ? THING_SUB : THING_NONE);
	case T_IN:
		if (word->first != T_LIST && word->first != T_MAP &&
		    word->item != T_LIST && word->item != T_MAP &&
		    !fm_network_is_like(word->text))
			return (THING_LIST);
		break;
	case T_TRUST:
		return ((word->first == T_CLIENT || word->first == T_SCHEME) &&
		    !fm_network_is_like(word->text) ? THING_LIST : THING_NONE);
	default:
		break;
	}
	return (word->next == T_LPAREN && !word->is_first &&
	    word->kind != T_WHEN ? THING_MAP : THING_NONE);
}

/* Sets what a word names. */
static void
name_word(struct word *word)
{

	word->thing = THING_NONE;
	word->defines = false;
	if (!fm_token_is_name(word->kind) || fm_token_is_reserved(word->kind))
		return;
	if (word->is_second && word->depth == 0 && (word->first == T_LIST ||
	    word->first == T_MAP || word->first == T_RULESET)) {
		word->thing = word->first == T_LIST ? THING_LIST :
		    word->first == T_MAP ? THING_MAP : THING_RULESET;
		word->defines = true;
	} else {
		word->thing = thing_used(word);
	}
}

/* Sets the phase of the block that a word stands in. */
static void
phase_word(struct word *word)
{

	if (word->kind == T_CLOSE && word->depth <= word->phase_depth)
		word->phase = FM_PHASE_REQUEST;
	if (!word->is_first || word->depth == 0 ||
	    !fm_token_starts_stmt(word->kind) ||
	    !fm_stmt_is_phase(fm_token_stmt(word->kind)))
		return;
	word->phase = fm_stmt_phase(fm_token_stmt(word->kind));
	word->phase_depth = word->depth;
}

/* Goes on to the next token; returns false after the last. */
static bool
words_next(struct words *words)
{
	struct word *word = &words->word;
	bool was_first;
	size_t i;

	if (word->lexeme != NULL) {
		word->before = word->kind;
		word->depth += word->kind == T_OPEN;
	}
	while (words->i < words->n && words->lexemes[words->i].kind == T_END)
		words->i++;
	if (words->i == words->n)
		return (false);
	word->lexeme = &words->lexemes[words->i++];
	word->kind = word->lexeme->kind;
	word->text = fm_text(words->text.b + word->lexeme->start,
	    word->lexeme->end - word->lexeme->start);
	if (word->kind == T_STRING)
		word->text = fm_text(word->text.b + 1, word->text.len -
		    (word->text.len > 1));
	if (word->kind == T_STRING && word->text.len > 0 &&
	    word->text.b[word->text.len - 1] == '"')
		word->text.len--;
	for (i = words->i; i < words->n && words->lexemes[i].kind == T_END;)
		i++;
	word->next = i < words->n ? words->lexemes[i].kind : T_END;
	if (word->kind == T_CLOSE && word->depth > 0)
		word->depth--;
	was_first = word->is_first;
	word->is_first = word->before == T_SEMI || word->before == T_OPEN ||
	    word->before == T_CLOSE || word->before == T_END;
	word->is_second = was_first && !word->is_first;
	if (word->is_first)
		word->first = word->kind;
	if (word->is_first && word->depth == 0)
		word->item = word->kind;
	phase_word(word);
	name_word(word);
	return (true);
}

/*
 * Finds the word at an offset, or that ends there; returns false if none does.
 */
static bool
words_find(struct words *words, size_t offset)
{

	while (words_next(words))
		if (words->word.lexeme->start <= offset &&
		    offset <= words->word.lexeme->end &&
		    (offset < words->word.lexeme->end ||
		    fm_token_is_name(words->word.kind)))
			return (true);
	return (false);
}

/*
 * Opens the document of a request, and finds the word at its position.  Returns
 * false if there is none.  The caller frees words->lexemes in any case.
 */
static bool
words_asked(struct words *words, const struct fm_server *server,
    const json_t *params, struct fm_document **documentp)
{

	*words = (struct words){ .n = 0 };
	*documentp = fm_document_of(server, params);
	if (*documentp == NULL)
		return (false);
	words_begin(words, fm_text((*documentp)->text, (*documentp)->len));
	return (words_find(words, fm_position_offset(words->text,
	    json_object_get(params, "position"))));
}

/*--------------------------------------------------------------------
 * Names in all files
 */

typedef void name_f(void *priv, const char *path, const struct words *);

/* Calls back for each word of a root's files that names something. */
static void
each_name(const struct fm_server *server, const char *root, name_f *call,
    void *priv)
{
	struct fm_sources *sources = fm_server_sources(server);
	const struct fm_source_file *file;
	struct fm_buffer buffer;
	struct fm_model *model;
	struct words words;

	model = fm_parse_file(root, sources, NULL);
	if (model == NULL)
		fm_cli_no_memory();
	for (file = model->files; file != NULL; file = file->next) {
		fm_buffer_open(&buffer, server, file->name);
		words_begin(&words, buffer.text);
		while (words_next(&words))
			if (words.word.thing != THING_NONE)
				call(priv, file->name, &words);
		free(words.lexemes);
		fm_buffer_close(&buffer);
	}
	fm_model_free(&model);
	fm_sources_free(&sources);
}

/* A search for a name, and the places that were found. */
struct search {
	const struct fm_server	*server;
	enum thing		thing;
	struct fm_text		text;
	bool			definitions;
	bool			uses;
	json_t			*found;		/* an array of locations */
	json_t			*line;		/* the line of the definition */
};

static void
search_name(void *priv, const char *path, const struct words *words)
{
	const struct word *word = &words->word;
	struct search *search = priv;
	const char *b = words->text.b;
	size_t from, to;

	if (word->thing != search->thing ||
	    !fm_text_eq(word->text, search->text) ||
	    !(word->defines ? search->definitions : search->uses))
		return;
	from = word->lexeme->start;
	fm_json_add(search->found, fm_location(search->server, path,
	    words->text, from, word->lexeme->end));
	if (!word->defines || search->line != NULL)
		return;
	while (from > 0 && b[from - 1] != '\n')
		from--;
	to = fm_line_end(words->text, from);
	search->line = fm_json_text(fm_text(b + from, to - from));
}

static void
search_run(struct search *search, const struct fm_server *server,
    const struct fm_document *document, const struct words *words)
{

	search->server = server;
	search->thing = words->word.thing;
	search->text = words->word.text;
	search->found = fm_json_array();
	each_name(server, document->root, search_name, search);
}

/* Returns the location of the file that a string names, or null. */
static json_t *
file_location(const struct fm_server *server, const char *from,
    struct fm_text name)
{
	const char *slash = name.len > 0 && *name.b == '/' ? NULL :
	    strrchr(from, '/');
	size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - from);
	json_t *location = json_null();
	struct fm_buffer buffer;
	char *path;

	path = fm_cli_alloc(folder + name.len + 1);
	memcpy(path, from, folder);
	memcpy(path + folder, name.b, name.len);
	fm_buffer_open(&buffer, server, path);
	if (buffer.text.b != NULL)
		location = fm_location(server, path, buffer.text, 0, 0);
	fm_buffer_close(&buffer);
	free(path);
	return (location);
}

/* Returns the places that a search finds for the word that is asked for. */
static json_t *
search_asked(struct search *search, struct fm_server *server,
    const json_t *params)
{
	struct fm_document *document;
	struct words words;

	if (words_asked(&words, server, params, &document)) {
		if (words.word.thing != THING_NONE)
			search_run(search, server, document, &words);
		else if (!search->uses && words.word.kind == T_STRING &&
		    (words.word.before == T_FROM ||
		    words.word.before == T_INCLUDE))
			search->found = file_location(server, document->path,
			    words.word.text);
	}
	free(words.lexemes);
	json_decref(search->line);
	return (search->found == NULL ? json_null() : search->found);
}

json_t *
fm_answer_definition(struct fm_server *server, const json_t *params)
{
	return (search_asked(&(struct search){ .definitions = true }, server,
	    params));
}

json_t *
fm_answer_references(struct fm_server *server, const json_t *params)
{
	return (search_asked(&(struct search){ .uses = true,
	    .definitions = json_is_true(json_object_get(json_object_get(params,
	    "context"), "includeDeclaration")) }, server, params));
}

/*--------------------------------------------------------------------
 * Hover
 */

static const struct {
	const char		*kind;
	const char		*words;
	const char		*text;
} manual[] = {
#include "lsp/manual.h"
};

/* Returns what the manual says of some words, or NULL. */
static const char *
manual_of(const char *kind, const char *words)
{
	size_t i;

	for (i = 0; i < sizeof manual / sizeof *manual; i++)
		if (strcmp(manual[i].kind, kind) == 0 &&
		    strcmp(manual[i].words, words) == 0)
			return (manual[i].text);
	return (NULL);
}

/* Returns what the manual says of the item or statement around a word. */
static const char *
manual_statement(const struct words *words)
{
	enum fm_token_kind first = words->word.first;
	const char *name = fm_token_names[first], *next = "";
	char both[32];
	size_t i;

	if (words->word.depth == 0)
		return (manual_of("item", first == T_HOSTS ? "hosts from" :
		    first == T_CLIENT ? "client from" :
		    first == T_SCHEME ? "scheme from" : name));
	if (first == T_ELSE)
		name = "when";
	if (words->word.phase == FM_PHASE_KEY && (first == T_HEADER ||
	    first == T_COOKIE || first == T_STRING))
		return (manual_of("statement", "key"));
	if (first != T_QUERY && first != T_COOKIE && first != T_PREFER)
		return (manual_of("statement", name));
	/* Some statements have an entry for their first two words. */
	for (i = words->i; i > 0 && words->lexemes[i - 1].kind != first; i--)
		continue;
	if (i > 0 && i < words->n)
		next = fm_token_names[words->lexemes[i].kind];
	(void)snprintf(both, sizeof both, "%s %.16s", name, next);
	return (manual_of("statement", both));
}

static const char *
manual_keyword(const struct words *words)
{
	const struct word *word = &words->word;
	const char *name = fm_token_names[word->kind], *text = NULL;
	char both[32];
	bool lines = word->item == T_LIST || word->item == T_MAP;

	if (word->kind == T_STRING || word->kind == T_WORD ||
	    !(fm_token_is_name(word->kind) || word->kind == T_TILDE))
		return (NULL);
	if (word->is_first && !(lines && word->depth > 0))
		return (manual_statement(words));
	if (word->first == T_WHEN || word->first == T_ELSE || lines) {
		if (word->kind == T_ANY || word->kind == T_EVERY)
			(void)snprintf(both, sizeof both, "%s %.16s", name,
			    fm_token_names[word->next]);
		else
			(void)snprintf(both, sizeof both, "%.31s", name);
		text = manual_of("mode", both);
		if (text == NULL && !lines)
			text = manual_of("subject", word->kind == T_CLEAN ||
			    word->before == T_CLEAN ? "clean path" :
			    word->kind == T_REQUEST ||
			    word->before == T_REQUEST ? "request header" :
			    both);
		if (text == NULL && !lines && (word->kind == T_AND ||
		    word->kind == T_OR || word->kind == T_NOT ||
		    word->kind == T_PRESENT))
			text = manual_of("condition", "");
	}
	return (text != NULL || (lines && word->depth > 0) ? text :
	    manual_statement(words));
}

/* Returns what the manual says of the ${...} around an offset in a string. */
static const char *
manual_variable(const struct words *words, size_t offset)
{
	const struct fm_lexeme *lexeme = words->word.lexeme;
	const char *b = words->text.b;
	size_t from = offset, len;
	char name[32];

	while (from > lexeme->start + 1 && b[from] != '}' &&
	    !(b[from] == '{' && b[from - 1] == '$'))
		from--;
	if (words->word.kind != T_STRING || b[from] != '{' ||
	    b[from - 1] != '$')
		return (NULL);
	from++;
	len = fm_text_begins(fm_text(b + from, lexeme->end - from),
	    "request.") ? strlen("request.") : 0;
	for (; from + len < lexeme->end && len < 16 &&
	    b[from + len] != '}' && b[from + len] != '.'; len++)
		continue;
	(void)snprintf(name, sizeof name, "%.*s%s", (int)len, b + from,
	    b[from + len] == '.' ? ".NAME" : "");
	return (manual_of("variable", name[0] >= '1' && name[0] <= '9' ? "1" :
	    name));
}

json_t *
fm_answer_hover(struct fm_server *server, const json_t *params)
{
	struct search search = { .definitions = true };
	json_t *hover = json_null(), *value = NULL;
	struct fm_document *document;
	const char *text = NULL;
	struct words words;
	char *shown;

	if (words_asked(&words, server, params, &document)) {
		if (words.word.thing != THING_NONE &&
		    words.word.thing != THING_BACKEND &&
		    words.word.thing != THING_SUB) {
			search_run(&search, server, document, &words);
			text = json_string_value(search.line);
		}
		if (text != NULL) {
			if (asprintf(&shown, "```\n%s\n```", text) < 0)
				fm_cli_no_memory();
			value = fm_json_string(shown);
			free(shown);
		} else {
			text = manual_variable(&words,
			    fm_position_offset(words.text,
			    json_object_get(params, "position")));
			if (text == NULL)
				text = manual_keyword(&words);
			value = text == NULL ? NULL : fm_json_string(text);
		}
	}
	if (value != NULL) {
		hover = fm_json_pack("{s:{s:s, s:o}, s:o}", "contents",
		    "kind", "markdown", "value", value, "range",
		    fm_range(words.text, words.word.lexeme->start,
		    words.word.lexeme->end));
	}
	free(words.lexemes);
	json_decref(search.found);
	json_decref(search.line);
	return (hover);
}

/*--------------------------------------------------------------------
 * Completion
 */

/* Kinds of completions in the protocol. */
enum { ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_MODULE = 9,
    ITEM_VALUE = 12, ITEM_KEYWORD = 14, ITEM_FILE = 17 };

static void
offer(json_t *items, struct fm_text label, unsigned kind)
{
	json_t *text = fm_json_text(label);
	size_t i;

	for (i = 0; i < json_array_size(items); i++)
		if (json_equal(text, json_object_get(json_array_get(items, i),
		    "label"))) {
			json_decref(text);
			return;
		}
	fm_json_add(items, fm_json_pack("{s:o, s:i}", "label", text, "kind",
	    (int)kind));
}

static void
offer_kinds(json_t *items, enum fm_token_kind from, enum fm_token_kind to)
{
	unsigned kind;

	for (kind = from; kind <= to; kind++)
		offer(items, fm_text_of(fm_token_names[kind]), ITEM_KEYWORD);
}

static void
offer_subjects(json_t *items, enum fm_phase phase)
{
	size_t i;

	for (i = 0; i < FM_SUBJECT_ROWS; i++)
		if (fm_phase_has(fm_subjects[i].phases, phase))
			offer_kinds(items, fm_subjects[i].token,
			    fm_subjects[i].token);
}

/*
 * Offers the statements that a block of a phase may have; blocks of phases
 * stand in no other one than that of an item.
 */
static void
offer_stmts(json_t *items, enum fm_phase phase, unsigned depth)
{
	enum fm_stmt_kind kind;
	enum fm_token_kind token;

	for (kind = 0; kind < FM_STMT__KINDS; kind++) {
		token = fm_stmt_token(kind);
		if (fm_phase_has(fm_stmts[kind].phases, phase) &&
		    (depth == 1 || !fm_stmt_is_phase(kind)))
			offer_kinds(items, token, token);
	}
	if (phase == FM_PHASE_KEY)
		offer_kinds(items, T_COOKIE, T_COOKIE);
}

/* Offers words of a text, which have a blank between. */
static void
offer_words(json_t *items, const char *words)
{
	const char *end;

	for (; *words != '\0'; words = end + strspn(end, " ")) {
		end = words + strcspn(words, " ");
		offer(items, fm_text_span(words, end), ITEM_VALUE);
	}
}

/* Offers words that are not of the language, after a word that is. */
static void
offer_known(json_t *items, const struct word *last)
{
	bool named = last->kind == T_DROP || last->kind == T_KEEP ||
	    last->kind == T_ADD;

	if ((last->kind == T_CACHE_CONTROL && !last->is_first) ||
	    (named && last->first == T_CACHE_CONTROL))
		offer_words(items, "private no-cache no-store max-age "
		    "s-maxage must-revalidate proxy-revalidate "
		    "stale-while-revalidate stale-if-error public immutable "
		    "no-transform");
	else if (named && last->first == T_VARY)
		offer_words(items, "Accept-Encoding Accept-Language Cookie "
		    "Origin User-Agent");
}

/* Offers the fields that a ban tests, and the operators of a field. */
static void
offer_ban(json_t *items, const struct word *last)
{
	const struct fm_ban_row *row = fm_ban_row(last->text);
	size_t i;

	if (last->kind == T_BAN || last->kind == T_AND)
		for (i = 0; i < FM_BAN_ROWS; i++)
			offer(items, fm_text_of(fm_bans[i].name), ITEM_VALUE);
	else if (row != NULL)
		offer_words(items, row->duration ? "== != < <= > >=" :
		    "== != ~ !~");
}

/* Offers what may begin a statement, item or line. */
static void
offer_first(json_t *items, const struct word *last)
{
	unsigned depth = last->depth + (last->kind == T_OPEN);

	if (depth == 0) {
		offer_kinds(items, T_INCLUDE, T_HOSTS);
	} else if (last->item == T_LIST || last->item == T_MAP) {
		offer_kinds(items, T_IS, T_LIKE);
		offer_kinds(items, T_IN, T_IN);
		if (last->item == T_MAP) {
			offer_kinds(items, T_NOT, T_NOT);
			offer_kinds(items, T_DEFAULT, T_DEFAULT);
		}
	} else {
		offer_stmts(items, last->phase, depth);
	}
	if (last->kind == T_CLOSE && depth > 0)
		offer_kinds(items, T_ELSE, T_ELSE);
}

/* Offers what the parser would take next. */
static void
offer_expected(json_t *items, struct fm_text text, enum fm_phase phase)
{
	uint64_t following[2] = { 0, 0 };
	struct fm_model *model;
	unsigned kind;

	model = fm_parse_text("-", text, NULL, following, NULL);
	if (model != NULL)
		fm_model_free(&model);
	for (kind = T_AND; kind < T_ITEM; kind++)
		if ((following[kind / 64] >> kind % 64 & 1) != 0)
			offer_kinds(items, (enum fm_token_kind)kind,
			    (enum fm_token_kind)kind);
	if ((following[T_TEST / 64] >> T_TEST % 64 & 1) != 0) {
		offer_subjects(items, phase);
		offer_kinds(items, T_NOT, T_NOT);
		offer_kinds(items, T_ANY, T_EVERY);
	}
	if ((following[T_SUBJECT / 64] >> T_SUBJECT % 64 & 1) != 0)
		offer_subjects(items, phase);
}

struct offered {
	json_t			*items;
	enum thing		thing;
};

static void
offer_name(void *priv, const char *path, const struct words *words)
{
	const struct offered *offered = priv;
	const struct word *word = &words->word;

	(void)path;
	if (word->thing == offered->thing && word->text.len > 0 &&
	    (word->defines || word->thing == THING_BACKEND ||
	    word->thing == THING_SUB))
		offer(offered->items, word->text,
		    word->thing == THING_MAP ? ITEM_FUNCTION :
		    word->thing == THING_RULESET ? ITEM_MODULE :
		    ITEM_VARIABLE);
}

/* Offers the words of `fetch is`, `cache is` and `scheme is`. */
static void
offer_states(json_t *items, const struct word *last)
{
	enum fm_subject_kind subject = last->before == T_FETCH ?
	    FM_SUBJECT_FETCH : last->before == T_CACHE ?
	    FM_SUBJECT_CACHE : FM_SUBJECT_SCHEME;
	unsigned i;

	if (last->kind != T_IS || (last->before != T_FETCH &&
	    last->before != T_CACHE && last->before != T_SCHEME))
		return;
	for (i = 0; i < FM_STATE__KINDS; i++)
		if (fm_states[i].subject == subject)
			offer(items, fm_text_of(fm_states[i].word),
			    ITEM_KEYWORD);
}

/* Offers the names of things that may follow the last word. */
static void
offer_names(json_t *items, const struct fm_server *server,
    const struct fm_document *document, const struct word *last)
{
	struct fm_check_options options = { .nbackends = 0 };
	struct offered offered = { .items = items };
	struct fm_vcl_file *vcl;
	size_t i;

	if (last->kind == T_IN)
		offered.thing = THING_LIST;
	else if (last->kind == T_USE)
		offered.thing = THING_RULESET;
	else if (last->kind == T_BACKEND && last->is_first)
		offered.thing = THING_BACKEND;
	else if (last->kind == T_CALL && last->is_first)
		offered.thing = THING_SUB;
	else if (last->kind == T_EQUALS || last->kind == T_ELSE ||
	    (last->kind == T_TTL && last->is_first) ||
	    (last->first == T_REDIRECT && last->is_second))
		offered.thing = THING_MAP;
	else
		return;
	each_name(server, document->root, offer_name, &offered);
	if (offered.thing != THING_BACKEND && offered.thing != THING_SUB)
		return;
	(void)fm_vcl_file_open(&vcl, &server->backends, document->root,
	    &options, NULL);
	for (i = 0; offered.thing == THING_BACKEND && i < options.nbackends;
	    i++)
		offer(items, fm_text_of(options.backends[i]), ITEM_VARIABLE);
	for (i = 0; offered.thing == THING_SUB && i < options.nsubs; i++)
		offer(items, fm_text_of(options.subs[i]), ITEM_VARIABLE);
	fm_vcl_file_close(&vcl);
}

/* Patterns of the files that may follow a word. */
static const char * const includes[] = { "*.rules", "*/*.rules", NULL };
static const char * const tables[] = { "*.list", "*.map", "*.hosts", "*.txt",
    "*.html", NULL };
static const char * const shipped_tables[] = { "/*.list", "/*.map", NULL };
static const char * const shipped_rules[] = { "/*.rules", NULL };

/* Offers the files that fit a pattern in a folder. */
static void
offer_files(json_t *items, const char *folder, size_t len,
    const char * const *patterns)
{
	glob_t found;
	size_t i;

	fm_pattern_files(&found, folder, len, patterns);
	for (i = 0; i < found.gl_pathc; i++)
		offer(items, fm_text_of(found.gl_pathv[i] + len), ITEM_FILE);
	globfree(&found);
}

/* Offers the lists that come with fastmatch: their paths, or their names. */
static void
offer_shipped(json_t *items, const char * const *patterns, bool names)
{
	struct fm_text name;
	glob_t found;
	size_t i;

	fm_pattern_files(&found, fm_shipped_folder, strlen(fm_shipped_folder),
	    patterns);
	for (i = 0; i < found.gl_pathc; i++) {
		name = fm_text_of(found.gl_pathv[i]);
		if (names)
			name = fm_text_span(strrchr(name.b, '/') + 1,
			    strrchr(name.b, '.'));
		offer(items, name, ITEM_FILE);
	}
	globfree(&found);
}

/* Offers the values of a phase, for a `${` in a string. */
static void
offer_values(json_t *items, enum fm_phase phase)
{
	size_t i;

	for (i = 0; i < FM_VALUE_ROWS; i++)
		if (fm_phase_has(fm_values[i].phases, phase))
			offer(items, fm_text_of(fm_values[i].name),
			    ITEM_VARIABLE);
}

/* Returns the offset after the `${` that is being written; 0: there is none. */
static size_t
value_begin(struct fm_text text, size_t from, size_t to)
{
	size_t i;

	for (i = to; i > from + 2 && text.b[i - 1] != '}'; i--)
		if (text.b[i - 2] == '$' && text.b[i - 1] == '{')
			return (i);
	return (0);
}

/* Lets each offer replace what is being written. */
static void
place_offers(json_t *items, struct fm_text text, size_t from, size_t to)
{
	json_t *item;
	size_t i;

	for (i = 0; i < json_array_size(items); i++) {
		item = json_array_get(items, i);
		fm_json_set(item, "textEdit", fm_json_pack("{s:o, s:O}",
		    "range", fm_range(text, from, to), "newText",
		    json_object_get(item, "label")), NULL);
	}
}

/* Returns true if a comment after the last word goes on as far as `end`. */
static bool
in_comment(const struct words *words, size_t end)
{
	const struct fm_lexeme *last = words->lexemes + words->n - 1;

	return (words->n > 0 && last->kind == T_END &&
	    memchr(words->text.b + last->end, '\n', end - last->end) == NULL);
}

json_t *
fm_answer_completion(struct fm_server *server, const json_t *params)
{
	struct fm_document *document = fm_document_of(server, params);
	struct word last = { .kind = T_END };
	json_t *items = fm_json_array();
	size_t at, begin, slash, value;
	struct fm_text text;
	struct words words;

	if (document == NULL)
		return (items);
	text = fm_text(document->text, document->len);
	at = begin = fm_position_offset(text,
	    json_object_get(params, "position"));
	words_begin(&words, fm_text(text.b, at));
	while (words_next(&words)) {
		/* The word that is being written doesn't count yet. */
		if (words.word.lexeme->end == at && (words.word.kind ==
		    T_STRING || (fm_token_is_name(words.word.kind) ||
		    words.word.kind == T_TILDE)))
			begin = words.word.lexeme->start;
		else
			last = words.word;
	}
	if (in_comment(&words, at)) {
		;
	} else if (begin < at && text.b[begin] == '"') {
		value = value_begin(text, begin, at);
		slash = strrchr(document->path, '/') == NULL ? 0 :
		    (size_t)(strrchr(document->path, '/') + 1 -
		    document->path);
		if (last.kind == T_INCLUDE)
			offer_files(items, document->path, slash, includes);
		if (last.kind == T_FROM) {
			offer_files(items, document->path, slash, tables);
			offer_shipped(items, shipped_tables, false);
		}
		if (last.kind == T_SHIPPED)
			offer_shipped(items, last.item == T_INCLUDE ?
			    shipped_rules : shipped_tables, true);
		if (value > 0)
			offer_values(items, last.phase);
		place_offers(items, text, value > 0 ? value : begin + 1, at);
	} else if (last.lexeme == NULL || last.kind == T_SEMI ||
	    last.kind == T_OPEN || last.kind == T_CLOSE) {
		offer_first(items, &last);
	} else {
		offer_expected(items, fm_text(text.b, begin), last.phase);
		offer_names(items, server, document, &last);
		offer_states(items, &last);
		offer_known(items, &last);
		if (last.first == T_BAN)
			offer_ban(items, &last);
	}
	free(words.lexemes);
	return (items);
}
