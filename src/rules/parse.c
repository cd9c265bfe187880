/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A parse: what its files share, and each of them in turn.
 */

#include "grammar.h"

/*--------------------------------------------------------------------
 * Memory
 */

void
fm_parse_nomem(struct fm_parse *parse)
{

	FM_OBJ_CHECK(parse, FM_PARSE_MAGIC);
	if (!parse->nomem)
		fm_diag_error(parse->diag, NULL, FM_MSG_MEMORY);
	parse->nomem = true;
}

void *
fm_parse_alloc(struct fm_parse *parse, size_t bytes)
{
	void *p;

	FM_OBJ_CHECK(parse, FM_PARSE_MAGIC);
	assert(bytes <= sizeof parse->spare);
	p = parse->nomem ? NULL : fm_arena_alloc(&parse->model->arena, bytes);
	if (p == NULL) {
		fm_parse_nomem(parse);
		p = memset(parse->spare, 0, sizeof parse->spare);
	}
	return (p);
}

struct fm_text
fm_parse_text_copy(struct fm_parse *parse, struct fm_text text)
{
	const char *b;

	FM_OBJ_CHECK(parse, FM_PARSE_MAGIC);
	b = parse->nomem ? NULL : fm_arena_add(&parse->model->arena, text);
	if (b == NULL) {
		fm_parse_nomem(parse);
		return (fm_text("", 0));
	}
	return (fm_text(b, text.len));
}

/*--------------------------------------------------------------------
 * A file
 */

struct fm_place
fm_reader_place(const struct fm_reader *reader, const struct fm_span *span)
{

	return ((struct fm_place){
		.name = reader->name,
		.line = span->line,
		.column = span->column
	});
}

void
fm_reader_fault(const struct fm_reader *reader, const struct fm_span *span,
    const char *text)
{
	struct fm_place at = fm_reader_place(reader, span);

	fm_diag_error(reader->parse->diag, &at, "%s", text);
}

/*
 * No text has a NUL: what has one is not read at all, as flex takes time for
 * each NUL that grows with what is before it.
 */
static bool
parse_nul(const struct fm_reader *reader, struct fm_text text)
{
	struct fm_place at = { .name = reader->name, .line = 1 };
	const char *nul, *line, *next;

	nul = text.len == 0 ? NULL : memchr(text.b, '\0', text.len);
	if (nul == NULL)
		return (false);
	line = text.b;
	if (text.len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		line += 3;
	for (; (next = memchr(line, '\n', (size_t)(nul - line))) != NULL;
	    line = next + 1)
		at.line++;
	at.column = (unsigned)(nul - line) + 1;
	fm_diag_error(reader->parse->diag, &at, FM_MSG_NUL);
	return (true);
}

/*
 * The first words of rules.  A first file may begin with what is no item, so
 * that its author is told what is wrong; an included file is shown only if it
 * begins like rules.
 */
static const char * const item_words[] = {
	"include", "list", "map", "ruleset", "always", "finally", "undecided",
	"repeated", "client", "host", "hosts", "default", NULL
};
/* Moves behind blanks and comments, and tells the place. */
static const char *
skip_blanks(const char *p, const char *e, struct fm_place *at)
{
	const char *line = p;

	for (; p < e; p++)
		if (*p == '#') {
			p = memchr(p, '\n', (size_t)(e - p));
			if (p == NULL)
				return (e);
			line = p + 1;
			at->line++;
		} else if (*p == '\n') {
			line = p + 1;
			at->line++;
		} else if (!fm_is_blank(*p) && *p != '\r')
			break;
	at->column = (unsigned)(p - line) + 1;
	return (p);
}

/* Returns true, and says so, if a file doesn't begin like rules. */
static bool
parse_no_rules(const struct fm_reader *reader, struct fm_text text)
{
	struct fm_place at = { .name = reader->name, .line = 1 };
	const char *p = text.b, *e;
	struct fm_text word;

	if (text.len == 0)
		return (false);
	e = p + text.len;
	while (e - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	p = skip_blanks(p, e, &at);
	for (word = fm_text(p, 0); p < e; p++, word.len++)
		if (fm_is_blank(*p) || strchr("\r\n{}();#\"", *p) != NULL)
			break;
	if (word.len == 0 && p == e)
		return (false);
	if (word.len == 0)
		word.len = 1;
	if (fm_text_is_one_of(word, item_words) ||
	    (reader->depth == 1 && (fm_parse_is_hinted(word) ||
	    strchr("{}();", *word.b) != NULL)))
		return (false);
	fm_diag_error(reader->parse->diag, &at, FM_MSG_NO_RULES);
	return (true);
}

/* Flex wants two NULs behind the text, and writes to it. */
void
fm_parse_run(struct fm_reader *reader, struct fm_text text)
{
	struct fm_parse *parse = reader->parse;

	FM_OBJ_CHECK(reader, FM_READER_MAGIC);
	if (parse_nul(reader, text) || parse_no_rules(reader, text))
		return;
	reader->bytes = malloc(text.len + 2);
	if (reader->bytes == NULL) {
		fm_parse_nomem(parse);
		return;
	}
	if (text.len > 0)
		memcpy(reader->bytes, text.b, text.len);
	memset(reader->bytes + text.len, 0, 2);
	reader->text = text.b;
	reader->len = text.len;
	reader->last = FM_NO_TOKEN;
	reader->held = FM_NO_TOKEN;
	reader->item = reader->stmt = FM_NO_TOKEN;
	fm_lexer_open(reader);
	(void)fm_grammar_parse(reader);
	fm_lexer_close(reader);
	free(reader->bytes);
	reader->bytes = NULL;
}

/*--------------------------------------------------------------------
 * A parse
 */

/* Where files may be read without anybody's sources, it has its own. */
static int
parse_sources(struct fm_parse *parse, struct fm_sources *sources)
{

	parse->own_sources = sources == NULL;
	parse->sources = sources != NULL ? sources : fm_sources_new(false);
	if (parse->sources != NULL)
		return (0);
	fm_parse_nomem(parse);
	return (-1);
}

static struct fm_parse *
parse_new(struct fm_diag *diag)
{
	struct fm_parse *parse;

	FM_OBJ_NEW(parse, FM_PARSE_MAGIC);
	if (parse != NULL)
		parse->model = fm_model_new();
	if (parse == NULL || parse->model == NULL) {
		fm_diag_error(diag, NULL, FM_MSG_MEMORY);
		free(parse);
		return (NULL);
	}
	parse->diag = diag;
	parse->files_tail = &parse->model->files;
	parse->lists_tail = &parse->model->lists;
	parse->maps_tail = &parse->model->maps;
	parse->rulesets_tail = &parse->model->rulesets;
	parse->sites_tail = &parse->model->sites;
	return (parse);
}

/* The model stays, unless there was no memory for all of it. */
static struct fm_model *
parse_end(struct fm_parse *parse)
{
	struct fm_model *model = parse->model;

	if (parse->nomem)
		fm_model_free(&model);
	if (parse->own_sources && parse->sources != NULL)
		fm_sources_free(&parse->sources);
	FM_OBJ_FREE(parse);
	return (model);
}

static void
parse_first(struct fm_parse *parse, const char *name, struct fm_text text,
    const struct stat *st)
{
	struct fm_reader reader = { .magic = FM_READER_MAGIC };
	struct fm_source_file *source;

	parse->nbytes = text.len;
	reader.parse = parse;
	reader.depth = 1;
	reader.name = fm_parse_text_copy(parse, fm_text_of(name)).b;
	if (st != NULL) {
		source = fm_parse_alloc(parse, sizeof *source);
		source->name = reader.name;
		fm_parse_source(parse, source, st);
		reader.source = source;
	}
	if (!parse->nomem)
		fm_parse_run(&reader, text);
}

struct fm_model *
fm_parse_file(const char *path, struct fm_sources *sources,
    struct fm_diag *diag)
{
	struct fm_parse *parse;
	struct fm_file *file = NULL;

	assert(path != NULL);
	parse = parse_new(diag);
	if (parse == NULL)
		return (NULL);
	if (parse_sources(parse, sources) == 0)
		file = fm_sources_read(parse->sources, path,
		    (size_t)FM_LIMIT_FILE_MB << 20, NULL, diag);
	if (file != NULL) {
		parse_first(parse, path, fm_text(file->bytes, file->len),
		    &file->st);
		fm_file_free(&file);
	}
	return (parse_end(parse));
}

struct fm_model *
fm_parse_text(const char *name, struct fm_text text, bool files,
    struct fm_diag *diag)
{
	const struct fm_place at = { .name = name };
	struct fm_parse *parse;

	assert(name != NULL);
	parse = parse_new(diag);
	if (parse == NULL)
		return (NULL);
	if (files && parse_sources(parse, NULL) != 0)
		return (parse_end(parse));
	if (text.len > (size_t)FM_LIMIT_FILE_MB << 20)
		fm_diag_error(diag, &at, FM_MSG_TEXT_LONG, FM_LIMIT_FILE_MB);
	else
		parse_first(parse, name, text, NULL);
	return (parse_end(parse));
}
