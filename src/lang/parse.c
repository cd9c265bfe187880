/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses files and texts (parse.h): begins and ends a parse, and has its
 * memory.
 */

#include <ctype.h>

#include "parse_priv.h"

_Noreturn void
fm_parse_nomem(struct fm_parse *parse)
{

	fm_diag_no_memory(parse->diag);
	longjmp(parse->failed, 1);
}

void
fm_parse_limit(struct fm_parse *parse, const struct fm_place *at,
    const char *message, unsigned limit)
{

	if (parse->told != message)
		fm_diag_error(parse->diag, at, message, limit);
	parse->told = message;
}

void
fm_parse_forget(struct fm_parse *parse)
{

	/* There are too many of these once for all files. */
	if (parse->nstmts < FM_LIMIT_STATEMENTS &&
	    parse->model->nhosts < FM_LIMIT_HOSTS)
		parse->told = NULL;
}

void *
fm_parse_alloc(struct fm_parse *parse, size_t bytes)
{
	void *p;

	p = fm_arena_alloc(&parse->model->arena, bytes);
	if (p == NULL)
		fm_parse_nomem(parse);
	return (p);
}

struct fm_text
fm_parse_text_copy(struct fm_parse *parse, struct fm_text text)
{
	const char *b;

	b = fm_arena_add(&parse->model->arena, text);
	if (b == NULL)
		fm_parse_nomem(parse);
	return (fm_text(b, text.len));
}

/*
 * Returns true if the first word is one with which rules begin, or none.  A
 * first file may begin with what is not an item, so that its author is told
 * what is wrong; an included file is shown only if it begins like rules, and
 * its first item goes on like one: see fm_trust().
 */
static bool
begins_rules(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;
	struct fm_text word = reader->token.text;
	bool first = reader->depth == 1;
	unsigned i;

	if (kind == T_END || fm_token_starts_item(kind))
		return (true);
	if (kind != T_WORD)
		return (first && kind != T_STRING && kind != T_EQUALS &&
		    kind != T_ARROW && kind != T_TILDE);
	while (fm_text_begins(word, FM_BOM))
		word = fm_text(word.b + 3, word.len - 3);
	for (i = T_INCLUDE; fm_token_starts_item(i) ||
	    (first && fm_token_starts_stmt(i)); i++)
		if (fm_text_eq_nocase(word, fm_text_of(fm_token_names[i])))
			return (true);
	return (first && fm_is_hinted(word));
}

/*
 * Returns true for VCL, which says so after its comments, `vcl 4.1;`, or by its
 * name.
 */
static bool
is_vcl(const struct fm_reader *reader)
{
	struct fm_text text = reader->text;
	const char *p = text.b, *end = text.b + text.len, *to;

	/* VCL has an include, too. */
	if (fm_name_ends(reader->name, ".vcl") && reader->token.kind != T_END &&
	    (!fm_token_starts_item(reader->token.kind) ||
	    (reader->token.kind == T_INCLUDE &&
	    fm_text_find(text, fm_text_of("\nsub ")) != NULL)))
		return (true);
	while (p < end) {
		if (fm_is_blank(*p) || *p == '\n' || *p == '\r') {
			p++;
			continue;
		}
		text = fm_text_span(p, end);
		if (*p == '#' || fm_text_begins(text, "//"))
			to = memchr(p, '\n', text.len);
		else if (fm_text_begins(text, "/*"))
			to = fm_text_find(text, fm_text_of("*/"));
		else
			break;
		p = to == NULL ? end : *to == '*' ? to + 2 : to;
	}
	return (end - p > 4 && fm_text_begins(text, "vcl ") &&
	    isdigit((unsigned char)p[4]));
}

/*
 * Returns true for a file of CSV, of which a line is `/old,/new`.  Says nothing
 * of the text of an included file.
 */
static bool
is_csv(const struct fm_reader *reader)
{
	const struct fm_token *token = &reader->token;

	return (fm_name_ends(reader->name, ".csv") || (reader->depth == 1 &&
	    fm_token_is_name(token->kind) &&
	    (fm_text_has(token->text, ",") || (token->kind == T_STRING &&
	    token->end < reader->text.len &&
	    reader->text.b[token->end] == ','))));
}

void
fm_parse_run(struct fm_reader *reader)
{
	struct fm_diag *diag = reader->parse->diag;
	const char *nul;

	/* Nothing is said of a text before it is known to be rules. */
	nul = memchr(reader->text.b, '\0', reader->text.len);
	if (nul != NULL)
		reader->text.len = (size_t)(nul - reader->text.b);
	fm_lex_begin(reader);
	while (nul != NULL && reader->token.kind != T_END)
		fm_next(reader);
	if (nul != NULL) {
		fm_diag_error(diag, &reader->token.at, FM_MSG_NUL);
	} else if (is_vcl(reader)) {
		fm_diag_error(diag, &reader->token.at, FM_MSG_VCL);
	} else if (!begins_rules(reader) && is_csv(reader)) {
		fm_diag_error(diag, &reader->token.at, FM_MSG_CSV);
	} else if (!begins_rules(reader)) {
		fm_diag_error(diag, &reader->token.at, FM_MSG_NO_RULES);
	} else {
		reader->diag = diag;
		reader->doubted = reader->depth > 1;
		if (fm_diag_rules(diag, reader->name) != 0 ||
		    (reader->doubted &&
		    fm_diag_hide(diag, reader->name, FM_MSG_DOUBTED) != 0))
			fm_parse_nomem(reader->parse);
		fm_lex_begin(reader);
		fm_read_items(reader);
	}
}

static void __attribute__((noinline))
parse_all(struct fm_reader *reader, struct fm_text text, const struct stat *st)
{
	struct fm_parse *parse = reader->parse;

	reader->name = st == NULL ?
	    fm_parse_text_copy(parse, fm_text_of(parse->name)).b :
	    fm_parse_source(parse, parse->name, st,
	    &(struct fm_place){ .name = parse->name });
	reader->text = fm_parse_text_copy(parse, fm_text_or_empty(text));
	if (parse->sources != NULL)
		fm_parse_folder(parse);
	fm_parse_run(reader);
}

/* Returns false if there is no memory.  Has no variable that may change. */
static bool
parse_try(struct fm_reader *reader, struct fm_text text, const struct stat *st)
{

	if (setjmp(reader->parse->failed) != 0)
		return (false);
	parse_all(reader, text, st);
	return (true);
}

/*
 * Parses a text, which is that of a file if st is not NULL.  Returns NULL if
 * there is no memory for all of the model.
 */
static struct fm_model *
parse_model(const char *name, struct fm_text text, const struct stat *st,
    struct fm_sources *sources, uint64_t *following, struct fm_diag *diag)
{
	struct fm_reader reader = { .depth = 1 };
	struct fm_parse parse = {
		.name = name, .diag = diag, .sources = sources,
		.nbytes = text.len
	};

	assert(name != NULL);
	if (text.len > (size_t)FM_LIMIT_FILE_MB << 20) {
		fm_diag_error(diag, &(struct fm_place){ .name = name },
		    FM_MSG_TEXT_LONG, FM_LIMIT_FILE_MB);
		text = fm_text_of(NULL);
	}
	parse.model = fm_model_new();
	if (parse.model == NULL) {
		fm_diag_no_memory(diag);
		return (NULL);
	}
	parse.files_tail = &parse.model->files;
	parse.lists_tail = &parse.model->lists;
	parse.maps_tail = &parse.model->maps;
	parse.rulesets_tail = &parse.model->rulesets;
	parse.sites_tail = &parse.model->sites;
	reader.parse = &parse;
	if (!parse_try(&reader, text, st)) {
		if (parse.file != NULL)
			fm_file_free(&parse.file);
		fm_model_free(&parse.model);
	}
	if (following != NULL)
		memcpy(following, parse.following, sizeof parse.following);
	return (parse.model);
}

struct fm_model *
fm_parse_file(const char *path, struct fm_sources *sources,
    struct fm_diag *diag)
{
	struct fm_sources *own = NULL;
	struct fm_model *model;
	struct fm_file *file;

	if (sources == NULL)
		sources = own = fm_sources_new(false);
	if (sources == NULL) {
		fm_diag_no_memory(diag);
		return (NULL);
	}
	file = fm_sources_read(sources, path, (size_t)FM_LIMIT_FILE_MB << 20,
	    NULL, diag);
	if (file == NULL) {
		model = parse_model(path, fm_text_of(NULL), NULL, NULL,
		    NULL, diag);
	} else {
		model = parse_model(path, fm_text(file->bytes, file->len),
		    &file->st, sources, NULL, diag);
		fm_file_free(&file);
	}
	if (own != NULL)
		fm_sources_free(&own);
	return (model);
}

struct fm_model *
fm_parse_text(const char *name, struct fm_text text,
    struct fm_sources *sources, uint64_t following[2], struct fm_diag *diag)
{

	return (parse_model(name, text, NULL, sources, following, diag));
}
