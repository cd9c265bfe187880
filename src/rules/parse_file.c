/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the files that a rule file names.
 *
 *	include "sites.d/[a-z].rules";	rule files, one reader for each
 *	list l is from "a.list";	operands, one on a line
 *	map m is from "a.map";		lines PATTERN -> VALUE
 *	hosts from "a.hosts";		lines HOST RULESET
 *	answer 200 "T" from "robots.txt";	a body
 *
 * The author of an included file must not learn the text of other files by it:
 * confine.h says which files rules may name, fm_diag_hide() keeps a text
 * out of messages.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "confine.h"
#include "listfile.h"
#include "parse_priv.h"

/*
 * Returns the path of a file that another one names, relative to its folder;
 * with `glob` as a pattern for glob(3), in which the folder is escaped.  For
 * free(); NULL: no file may be read, or there is no memory.
 */
static char *
path_of(const struct fm_reader *reader, const struct fm_word *word, bool glob)
{
	const char *from = reader->name, *slash = strrchr(from, '/');
	char *path, *to;

	if (reader->parse->nomem || reader->parse->alone)
		return (NULL);
	if (reader->parse->sources == NULL || word->text.len == 0) {
		fm_diag_error(reader->diag, &word->at, "%s",
		    reader->parse->sources == NULL ? FM_MSG_FILE_NONE :
		    FM_MSG_FILE_EMPTY);
		return (NULL);
	}
	path = to = malloc(2 * strlen(from) + word->text.len + 1);
	if (path == NULL) {
		fm_parse_nomem(reader->parse);
		return (NULL);
	}
	for (; word->text.b[0] != '/' && slash != NULL && from <= slash;
	    from++) {
		if (glob && strchr("*?[]\\", *from) != NULL)
			*to++ = '\\';
		*to++ = *from;
	}
	memcpy(to, word->text.b, word->text.len);
	to[word->text.len] = '\0';
	return (path);
}

/*
 * Returns true if a file may be included.  The author of an included file must
 * not make varnishd read any other file of the machine; the first file may name
 * all files.
 */
static bool
include_allowed(const struct fm_reader *reader, const struct fm_word *word,
    const char *path)
{

	if ((reader->depth == 1 && *word->text.b == '/') ||
	    fm_is_confined(reader->parse->name, path))
		return (true);
	fm_diag_error(reader->diag, &word->at, FM_MSG_INCLUDE_OUTSIDE, path);
	return (false);
}

const struct fm_source_file *
fm_parse_source(struct fm_parse *parse, const char *name,
    const struct stat *st, const struct fm_place *at)
{
	struct fm_source_file *source, **bucket;

	source = fm_parse_alloc(parse, sizeof *source);
	source->name = fm_parse_text_copy(parse, fm_text_of(name)).b;
	source->dev = st->st_dev;
	source->ino = st->st_ino;
	if (at != NULL) {
		bucket = &parse->included[st->st_ino % 1024];
		source->at = *at;
		source->chain = *bucket;
		*bucket = source;
	}
	*parse->files_tail = source;
	parse->files_tail = &source->next;
	return (source);
}

/* Returns true if one more file may be read, and reports once if not. */
static bool
file_another(struct fm_parse *parse, const struct fm_word *word)
{

	if (parse->nfiles == FM_LIMIT_FILES && !parse->too_many_files) {
		parse->too_many_files = true;
		fm_diag_error(parse->diag, &word->at, FM_MSG_FILES_MANY,
		    FM_LIMIT_FILES);
	}
	return (!parse->too_many_files);
}

/* Returns a file; NULL: it can't be read, which is reported. */
static struct fm_file *
file_read(struct fm_parse *parse, const struct fm_word *word,
    const char *path, size_t max)
{
	struct fm_file *file;

	if (!file_another(parse, word))
		return (NULL);
	parse->nfiles++;
	file = fm_sources_read(parse->sources, path, max, &word->at,
	    parse->diag);
	if (file == NULL)
		return (NULL);
	parse->nbytes += file->len;
	if (parse->nbytes > (size_t)FM_LIMIT_FILES_MB << 20) {
		parse->too_many_files = true;
		fm_diag_error(parse->diag, &word->at, FM_MSG_FILES_LARGE,
		    path, FM_LIMIT_FILES_MB);
		fm_file_free(&file);
	}
	return (file);
}

/*--------------------------------------------------------------------
 * Includes
 */

static bool
source_is(const struct fm_source_file *source, const struct stat *st)
{

	return (source != NULL && source->ino == st->st_ino &&
	    source->dev == st->st_dev);
}

/* Reports a cycle: the readers from the file that is named again on. */
static void
say_cycle(const struct fm_reader *reader, const struct fm_reader *first,
    const struct fm_word *word, const char *path)
{
	char text[900], *to = text + sizeof text - 1;
	size_t len = strnlen(path, sizeof text / 2);

	*to = '\0';
	to = memcpy(to - len, path, len);
	for (; reader != first->up; reader = reader->up) {
		len = strlen(reader->name);
		if ((size_t)(to - text) < len + 4)
			break;
		to = memcpy(to - 4, " -> ", 4);
		to = memcpy(to - len, reader->name, len);
	}
	fm_diag_error(first->diag, &word->at, FM_MSG_INCLUDE_CYCLE, to);
}

/* Returns true, and reports it, if a file was included already. */
static bool
include_again(const struct fm_reader *reader, const struct fm_word *word,
    const char *path, const struct stat *st)
{
	const struct fm_source_file *source;
	const struct fm_reader *up = reader;
	char where[FM_PLACE_LEN];

	while (up != NULL && !source_is(up->source, st))
		up = up->up;
	if (up != NULL) {
		say_cycle(reader, up, word, path);
		return (true);
	}
	source = reader->parse->included[st->st_ino % 1024];
	while (source != NULL && !reader->parse->nomem &&
	    !source_is(source, st))
		source = source->chain;
	if (source == NULL || reader->parse->nomem)
		return (false);
	fm_diag_error(reader->diag, &word->at, FM_MSG_INCLUDE_TWICE, path,
	    fm_place_print(&source->at, where));
	return (true);
}

static void
include_file(struct fm_reader *reader, const struct fm_word *word,
    const char *path)
{
	struct fm_parse *parse = reader->parse;
	struct fm_reader inner = {
		.parse = parse, .up = reader, .depth = reader->depth + 1
	};
	struct fm_file *file;

	file = file_read(parse, word, path, (size_t)FM_LIMIT_FILE_MB << 20);
	if (file == NULL)
		return;
	if (!include_again(reader, word, path, &file->st)) {
		inner.source = fm_parse_source(parse, path, &file->st,
		    &word->at);
		inner.name = inner.source->name;
		fm_parse_run(&inner, fm_text(file->bytes, file->len));
	}
	fm_file_free(&file);
}

static void
glob_refuse(struct fm_parse *parse, const struct fm_word *word, int error)
{

	if (error == ENOMEM)
		fm_parse_nomem(parse);
	else if (error == E2BIG)
		fm_diag_error(parse->diag, &word->at, FM_MSG_GLOB_MANY,
		    FM_LIMIT_ENTRIES);
	else if (error == ENAMETOOLONG)
		fm_diag_error(parse->diag, &word->at, FM_MSG_GLOB_LONG,
		    PATH_MAX - 1, FM_LIMIT_FOLDERS);
	else if (error != 0)
		fm_diag_error(parse->diag, &word->at, FM_MSG_GLOB,
		    word->text.b, strerror(error));
	if (error == E2BIG)
		parse->too_many_files = true;
}

static void
include_glob(struct fm_reader *reader, const struct fm_word *word)
{
	_Static_assert(FM_LIMIT_ENTRIES == FM_SOURCES_LOOKED &&
	    FM_LIMIT_FOLDERS == FM_SOURCES_FOLDERS, "said once");
	struct fm_parse *parse = reader->parse;
	const struct fm_source *found;
	const char *path, *end;
	char *pattern;

	pattern = file_another(parse, word) ? path_of(reader, word, true) :
	    NULL;
	if (pattern == NULL)
		return;
	found = fm_sources_glob(parse->sources, pattern);
	free(pattern);
	glob_refuse(parse, word, found == NULL ? ENOMEM : found->error);
	if (found == NULL)
		return;
	if (found->len == 0) {
		/* A glob that finds nothing counts as one file. */
		parse->nfiles++;
		return;
	}
	/* A `.*` finds `..` as well. */
	end = found->bytes.b + found->len;
	for (path = found->bytes.b; path < end && !parse->nomem;
	    path += strlen(path) + 1)
		if (include_allowed(reader, word, path))
			include_file(reader, word, path);
}

void
fm_read_include(struct fm_reader *reader, const struct fm_word *word)
{
	char *path = path_of(reader, word, false);

	if (path == NULL)
		return;
	if (reader->depth > FM_LIMIT_INCLUDES)
		fm_diag_error(reader->diag, &word->at, FM_MSG_INCLUDE_DEEP,
		    FM_LIMIT_INCLUDES);
	else if (include_allowed(reader, word, path)) {
		if (strpbrk(word->text.b, "*?[") != NULL)
			include_glob(reader, word);
		else
			include_file(reader, word, path);
	}
	free(path);
}

/*--------------------------------------------------------------------
 * Files of `from`
 */

/* Returns the place of a part of a line, which is at `at`. */
static struct fm_place
from_place(struct fm_place at, struct fm_text line, struct fm_text part)
{

	at.column += (unsigned)(part.b - line.b);
	return (at);
}

/* Makes a line of a map.  Returns NULL, or what is wrong with the line. */
static const char *
map_line(struct fm_reader *reader, struct fm_map_made *map,
    struct fm_text line, const struct fm_place *at)
{
	struct fm_parse *parse = reader->parse;
	struct fm_text key, value;
	struct fm_place value_at;
	struct fm_match *match;

	fm_listfile_arrow(line, &key, &value);
	if (value.b == NULL)
		return (FM_MSG_LINE_ARROW);
	if (key.len == 0)
		return (FM_MSG_LINE_PATTERN);
	if (value.len == 0)
		return (FM_MSG_LINE_VALUE);
	value_at = from_place(*at, line, value);
	match = fm_parse_alloc(parse, sizeof *match);
	*match = map->like;
	match->at = *at;
	fm_words_add(reader, &match->operands,
	    fm_make_word(parse, key, at, false));
	fm_map_add(reader, map, match, fm_make_value(parse, value, &value_at));
	return (NULL);
}

/* Makes a host of a line.  Neighbours share the text of their ruleset. */
static const char *
hosts_line(struct fm_parse *parse, struct fm_text line,
    const struct fm_place *at, struct fm_text *last)
{
	struct fm_text host, ruleset;
	struct fm_host *made;

	fm_listfile_word(line, &host, &ruleset);
	if (ruleset.b == NULL)
		return (FM_MSG_LINE_RULESET);
	if (memchr(ruleset.b, ' ', ruleset.len) != NULL ||
	    memchr(ruleset.b, '\t', ruleset.len) != NULL)
		return (FM_MSG_LINE_WORDS);
	made = fm_add_host(parse, at);
	if (made == NULL)
		return (NULL);
	if (!fm_text_eq(ruleset, *last))
		*last = fm_parse_text_copy(parse, ruleset);
	made->pattern = fm_parse_text_copy(parse, host);
	made->ruleset = *last;
	made->ruleset_at = from_place(*at, line, ruleset);
	return (NULL);
}

/* Reads the lines of a file into operands, a map, or hosts. */
static void
from_lines(struct fm_reader *reader, struct fm_listfile *list,
    struct fm_words *operands, struct fm_map_made *map)
{
	struct fm_parse *parse = reader->parse;
	struct fm_text line, last = fm_text_of(NULL);
	struct fm_place at;
	const char *why;

	while (!parse->nomem &&
	    fm_listfile_next(list, &line, &at, parse->diag)) {
		why = NULL;
		if (operands != NULL)
			fm_words_add(reader, operands,
			    fm_make_word(parse, line, &at, false));
		else if (map != NULL)
			why = map_line(reader, map, line, &at);
		else
			why = hosts_line(parse, line, &at, &last);
		if (why != NULL)
			fm_diag_error(parse->diag, &at, "%s", why);
	}
}

void
fm_read_from(struct fm_reader *reader, const struct fm_word *word,
    struct fm_words *operands, struct fm_map_made *map)
{
	struct fm_parse *parse = reader->parse;
	char *path = path_of(reader, word, false);
	struct fm_listfile list = { .name = NULL };
	struct fm_file *file;

	if (path == NULL)
		return;
	/* Lists may lie anywhere: so nothing of such a file is shown. */
	if (reader->depth > 1 && !fm_is_confined(parse->name, path) &&
	    fm_diag_hide(parse->diag, path, FM_MSG_HIDDEN) != 0)
		fm_parse_nomem(parse);
	file = file_read(parse, word, path, FM_LISTFILE_MAX);
	if (file != NULL) {
		list.name = fm_parse_source(parse, path, &file->st,
		    NULL)->name;
		list.rest = fm_text(file->bytes, file->len);
		from_lines(reader, &list, operands, map);
		fm_file_free(&file);
	}
	free(path);
}

/*
 * Confines the file as one of `include` is: every client gets it.  Without a
 * file the body is empty.
 */
struct fm_text
fm_read_answer_from(struct fm_reader *reader, const struct fm_word *word)
{
	struct fm_parse *parse = reader->parse;
	char *path = path_of(reader, word, false);
	struct fm_text body = fm_text("", 0);
	struct fm_file *file = NULL;

	if (path != NULL && include_allowed(reader, word, path))
		file = file_read(parse, word, path, FM_LIMIT_ANSWER);
	/*
	 * The author of an included file makes links as well as files.  A
	 * text from a backup was right once, though nobody has seen its files.
	 */
	if (file != NULL && reader->depth > 1 &&
	    fm_sources_seen(parse->sources) != 0 &&
	    !fm_is_linked_inside(parse->name, path, &file->st)) {
		fm_diag_error(reader->diag, &word->at, FM_MSG_ANSWER_LINK,
		    path);
		fm_file_free(&file);
	}
	if (file != NULL) {
		(void)fm_parse_source(parse, path, &file->st, NULL);
		body = fm_parse_text_copy(parse,
		    fm_text(file->bytes, file->len));
		fm_file_free(&file);
	}
	free(path);
	return (body);
}
