/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files that a file names: those it includes, and those of `from`.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "listfile.h"
#include "parse_priv.h"

/*--------------------------------------------------------------------
 * Names
 */

/* Where what was asked for stands; an error there if files may not be. */
static bool
file_allowed(const struct fm_reader *reader, const struct fm_word *word)
{
	const char *why = NULL;

	if (reader->parse->sources == NULL)
		why = FM_MSG_FILE_NONE;
	else if (word->text.len == 0)
		why = FM_MSG_FILE_EMPTY;
	if (why != NULL)
		fm_diag_error(reader->parse->diag, &word->at, "%s", why);
	return (why == NULL);
}

/* The folder of the file that is read, with its slash; maybe empty. */
static struct fm_text
reader_folder(const struct fm_reader *reader)
{
	const char *slash = strrchr(reader->name, '/');

	return (slash == NULL ? fm_text("", 0) :
	    fm_text_span(reader->name, slash + 1));
}

/* Nothing in these bytes is special to glob(3) any more. */
static char *
escape(char *to, struct fm_text text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (strchr("*?[]\\", text.b[i]) != NULL)
			*to++ = '\\';
		*to++ = text.b[i];
	}
	return (to);
}

/*
 * The path of what a file names.  glob: as a pattern for glob(3), of which the
 * folder is none.  malloc'ed; NULL: no memory.
 */
static char *
reader_path(const struct fm_reader *reader, struct fm_text name, bool glob)
{
	struct fm_text folder = { .b = "", .len = 0 };
	char *path, *p;

	if (name.b[0] != '/')
		folder = reader_folder(reader);
	path = p = malloc(2 * folder.len + name.len + 1);
	if (path == NULL) {
		fm_parse_nomem(reader->parse);
		return (NULL);
	}
	if (glob) {
		p = escape(p, folder);
	} else {
		memcpy(p, folder.b, folder.len);
		p += folder.len;
	}
	memcpy(p, name.b, name.len);
	p[name.len] = '\0';
	return (path);
}

/*--------------------------------------------------------------------
 * The folder of the first file
 */

/* Room for the working directory and a path behind it. */
#define PATH_ROOM	(2 * PATH_MAX)

/* Appends "/name", or takes the last name away for "..". */
static void
path_step(char *path, size_t *len, const char *name, size_t n)
{

	if (n == 0 || (n == 1 && *name == '.'))
		return;
	if (n == 2 && memcmp(name, "..", 2) == 0) {
		while (*len > 0 && path[--*len] != '/')
			continue;
		return;
	}
	path[(*len)++] = '/';
	memcpy(path + *len, name, n);
	*len += n;
}

/*
 * Writes the path from the root on, without `.`, `..` and repeated slashes;
 * links are not followed.  Returns false if nobody knows the working directory.
 */
static bool
path_absolute(const char *name, size_t *len, char path[PATH_ROOM])
{
	const char *end;

	assert(strlen(name) < PATH_MAX);
	*len = 0;
	if (*name != '/') {
		if (getcwd(path, PATH_MAX) == NULL)
			return (false);
		*len = strlen(path);
		if (*len == 1)
			*len = 0;
	}
	for (; *name != '\0'; name = end) {
		while (*name == '/')
			name++;
		end = strchrnul(name, '/');
		path_step(path, len, name, (size_t)(end - name));
	}
	return (true);
}

/* Returns true if the path is in the folder of the first file, or below it. */
static bool
is_inside(const struct fm_reader *reader, const char *name)
{
	char folder[PATH_ROOM], path[PATH_ROOM];
	size_t flen, plen;

	while (reader->up != NULL)
		reader = reader->up;
	/* Nobody can open a path that is too long. */
	if (strlen(name) >= PATH_MAX || strlen(reader->name) >= PATH_MAX)
		return (true);
	if (!path_absolute(reader->name, &flen, folder) ||
	    !path_absolute(name, &plen, path))
		return (false);
	while (flen > 0 && folder[flen - 1] != '/')
		flen--;
	return (plen > flen && memcmp(path, folder, flen) == 0);
}

/*
 * An author of one of the included files must not make varnishd read any
 * other file of the machine.  The first file may name what it likes.
 */
static bool
include_allowed(const struct fm_reader *reader, const struct fm_word *word,
    const char *path)
{

	if ((reader->depth == 1 && *word->text.b == '/') ||
	    is_inside(reader, path))
		return (true);
	fm_diag_error(reader->parse->diag, &word->at, FM_MSG_INCLUDE_OUTSIDE,
	    path);
	return (false);
}

void
fm_parse_source(struct fm_parse *parse, struct fm_source_file *source,
    const struct stat *st)
{

	source->dev = st->st_dev;
	source->ino = st->st_ino;
	*parse->files_tail = source;
	parse->files_tail = &source->next;
}

static struct fm_source_file *
source_add(struct fm_parse *parse, const char *path, const struct stat *st)
{
	struct fm_source_file *source;

	source = fm_parse_alloc(parse, sizeof *source);
	source->name = fm_parse_text_copy(parse, fm_text_of(path)).b;
	fm_parse_source(parse, source, st);
	return (source);
}

/*--------------------------------------------------------------------
 * Limits of all files
 */

/* Said once: the next ones would be too many, too. */
static void
file_refuse(struct fm_parse *parse, const struct fm_word *word,
    const char *path)
{

	parse->too_many_files = true;
	if (path == NULL)
		fm_diag_error(parse->diag, &word->at, FM_MSG_FILES_MANY,
		    FM_LIMIT_FILES);
	else
		fm_diag_error(parse->diag, &word->at, FM_MSG_FILES_LARGE,
		    path, FM_LIMIT_FILES_MB);
}

/* Whether it is for what is left that the file, of max bytes, is too large. */
static bool
file_larger(const struct fm_parse *parse, const char *path, size_t left,
    size_t max)
{
	const struct fm_source *source = fm_sources_find(parse->sources, path,
	    false);

	return (source != NULL && (source->error == EFBIG ||
	    (source->error == 0 && source->len > left)) &&
	    source->st.st_size <= (off_t)max);
}

/* Whether there may be one more, found or not. */
static bool
file_another(struct fm_parse *parse, const struct fm_word *word)
{

	if (parse->nfiles == FM_LIMIT_FILES && !parse->too_many_files)
		file_refuse(parse, word, NULL);
	return (!parse->too_many_files);
}

/* NULL: said why, or that there are too many. */
static struct fm_file *
file_read(struct fm_parse *parse, const struct fm_word *word,
    const char *path, size_t max)
{
	size_t all = (size_t)FM_LIMIT_FILES_MB << 20;
	size_t left = parse->nbytes < all ? all - parse->nbytes : 0;
	struct fm_diag *diag = parse->diag;
	struct fm_file *file = NULL;

	if (!file_another(parse, word))
		return (NULL);
	parse->nfiles++;
	if (left < max) {
		file = fm_sources_read(parse->sources, path, left, NULL, NULL);
		if (file == NULL && file_larger(parse, path, left, max)) {
			file_refuse(parse, word, path);
			return (NULL);
		}
	}
	if (file == NULL)
		file = fm_sources_read(parse->sources, path, max, &word->at,
		    diag);
	if (file != NULL)
		parse->nbytes += file->len;
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

/* Whether the file is one of those that are being read: with their chain. */
static bool
include_cycle(struct fm_reader *reader, const struct fm_word *word,
    const char *path, const struct stat *st)
{
	const struct fm_reader *chain[FM_LIMIT_INCLUDES + 1], *up;
	char text[900];
	unsigned n = 0;
	size_t len = 0;
	int r;

	for (up = reader; up != NULL; up = up->up) {
		assert(n < sizeof chain / sizeof chain[0]);
		chain[n++] = up;
		if (source_is(up->source, st))
			break;
	}
	if (up == NULL)
		return (false);
	while (n > 0 && len < sizeof text) {
		r = snprintf(text + len, sizeof text - len, "%s -> ",
		    chain[--n]->name);
		len += r > 0 ? (size_t)r : 0;
	}
	if (len < sizeof text)
		(void)snprintf(text + len, sizeof text - len, "%s", path);
	fm_diag_error(reader->parse->diag, &word->at, FM_MSG_INCLUDE_CYCLE,
	    text);
	return (true);
}

/* Every file once: remembers it, or says where it was. */
static bool
include_twice(struct fm_reader *reader, const struct fm_word *word,
    const char *path, const struct stat *st)
{
	struct fm_parse *parse = reader->parse;
	struct fm_included *included;
	char where[FM_PLACE_LEN];

	for (included = parse->included[st->st_ino % FM_PARSE_BUCKETS];
	    included != NULL && !parse->nomem; included = included->next)
		if (source_is(included->source, st)) {
			fm_diag_error(parse->diag, &word->at,
			    FM_MSG_INCLUDE_TWICE, path,
			    fm_place_print(&included->at, where));
			return (true);
		}
	return (false);
}

static void
include_remember(struct fm_parse *parse, const struct fm_source_file *source,
    const struct fm_word *word)
{
	struct fm_included *included, **bucket;

	bucket = &parse->included[source->ino % FM_PARSE_BUCKETS];
	included = fm_parse_alloc(parse, sizeof *included);
	included->source = source;
	included->at = word->at;
	included->next = *bucket;
	*bucket = included;
}

static void
include_file(struct fm_reader *reader, const struct fm_word *word,
    const char *path)
{
	struct fm_parse *parse = reader->parse;
	struct fm_reader inner = { .magic = FM_READER_MAGIC };
	struct fm_source_file *source;
	struct fm_file *file;

	file = file_read(parse, word, path, (size_t)FM_LIMIT_FILE_MB << 20);
	if (file == NULL)
		return;
	if (!include_cycle(reader, word, path, &file->st) &&
	    !include_twice(reader, word, path, &file->st)) {
		source = source_add(parse, path, &file->st);
		include_remember(parse, source, word);
		inner.parse = parse;
		inner.up = reader;
		inner.depth = reader->depth + 1;
		inner.source = source;
		inner.name = source->name;
		fm_parse_run(&inner, fm_text(file->bytes, file->len));
	}
	fm_file_free(&file);
}

static void
glob_refuse(struct fm_parse *parse, const struct fm_word *word, int error)
{

	if (error == ENOMEM) {
		fm_parse_nomem(parse);
	} else if (error == E2BIG) {
		parse->too_many_files = true;
		fm_diag_error(parse->diag, &word->at, FM_MSG_GLOB_MANY,
		    FM_LIMIT_ENTRIES);
	} else if (error == ENAMETOOLONG) {
		fm_diag_error(parse->diag, &word->at, FM_MSG_GLOB_LONG,
		    PATH_MAX - 1, FM_LIMIT_FOLDERS);
	} else {
		fm_diag_error(parse->diag, &word->at, FM_MSG_GLOB,
		    word->text.b, strerror(error));
	}
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

	if (!file_another(parse, word))
		return;
	pattern = reader_path(reader, word->text, true);
	if (pattern == NULL)
		return;
	found = fm_sources_glob(parse->sources, pattern);
	free(pattern);
	if (found == NULL || found->error != 0)
		glob_refuse(parse, word, found == NULL ? ENOMEM :
		    found->error);
	if (found == NULL)
		return;
	/* So that what finds nothing has a limit, too. */
	if (found->len == 0)
		parse->nfiles++;
	/* A `.*` finds `..` as well. */
	end = found->bytes.b + found->len;
	for (path = found->bytes.b; path < end && !parse->nomem;
	    path += strlen(path) + 1)
		if (include_allowed(reader, word, path))
			include_file(reader, word, path);
}

void
fm_reader_include(struct fm_reader *reader, const struct fm_word *word)
{
	char *path;

	if (!file_allowed(reader, word) || reader->parse->nomem)
		return;
	if (reader->depth > FM_LIMIT_INCLUDES) {
		fm_diag_error(reader->parse->diag, &word->at,
		    FM_MSG_INCLUDE_DEEP, FM_LIMIT_INCLUDES);
		return;
	}
	path = reader_path(reader, word->text, false);
	if (path == NULL)
		return;
	if (include_allowed(reader, word, path)) {
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

/* Opens a list file; NULL: there is nothing to read. */
static struct fm_file *
from_open(struct fm_reader *reader, const struct fm_word *word,
    struct fm_listfile *list)
{
	struct fm_parse *parse = reader->parse;
	struct fm_source_file *source;
	struct fm_file *file;
	char *path;

	if (!file_allowed(reader, word) || parse->nomem)
		return (NULL);
	path = reader_path(reader, word->text, false);
	if (path == NULL)
		return (NULL);
	/* Lists may lie anywhere: so nothing of such a file is shown. */
	if (reader->depth > 1 && !is_inside(reader, path) &&
	    fm_diag_hide(parse->diag, path) != 0)
		fm_parse_nomem(parse);
	file = file_read(parse, word, path, FM_LISTFILE_MAX);
	if (file != NULL) {
		source = source_add(parse, path, &file->st);
		*list = (struct fm_listfile){ .name = source->name,
		    .rest = fm_text(file->bytes, file->len) };
	}
	free(path);
	return (file);
}

/* Of the line at `at`, what starts behind its first byte. */
static struct fm_place
from_place(struct fm_place at, struct fm_text line, struct fm_text part)
{

	at.column += (unsigned)(part.b - line.b);
	return (at);
}

void
fm_reader_list_from(struct fm_reader *reader, struct fm_lines_made *lines,
    struct fm_mode_made mode, const struct fm_word *path)
{
	struct fm_parse *parse = reader->parse;
	struct fm_words words = { .count = 0 };
	struct fm_listfile list;
	struct fm_file *file;
	struct fm_place at;
	struct fm_text line;

	file = from_open(reader, path, &list);
	while (file != NULL && !parse->nomem &&
	    fm_listfile_next(&list, &line, &at, parse->diag)) {
		fm_words_add(reader, &words,
		    fm_make_word(parse, line, &at, false));
	}
	if (file != NULL)
		fm_file_free(&file);
	fm_lines_add(parse, lines, mode, &words, &path->at);
}

/*
 * An answer shows its file to every client, so it is as confined as a file of
 * include.  There is a model even where there is no such file.
 */
struct fm_stmt *
fm_reader_answer_from(struct fm_reader *reader, const struct fm_span *span,
    struct fm_word *status, struct fm_word *type, struct fm_word *path)
{
	struct fm_stmt *stmt = fm_make_stmt(reader, FM_STMT_ANSWER, span);
	struct fm_parse *parse = reader->parse;
	struct fm_file *file = NULL;
	char *name;

	stmt->answer.status = status;
	stmt->answer.type = type;
	stmt->answer.file = path;
	stmt->answer.body = fm_text("", 0);
	if (!file_allowed(reader, path) || parse->nomem)
		return (stmt);
	name = reader_path(reader, path->text, false);
	if (name == NULL)
		return (stmt);
	if (include_allowed(reader, path, name))
		file = file_read(parse, path, name, FM_LIMIT_ANSWER);
	if (file != NULL) {
		source_add(parse, name, &file->st);
		stmt->answer.body = fm_parse_text_copy(parse,
		    fm_text(file->bytes, file->len));
		fm_file_free(&file);
	}
	free(name);
	return (stmt);
}

/* NULL: there is no arrow, or nothing on one side of it. */
static const char *
map_line_fault(struct fm_text key, struct fm_text value)
{

	if (value.b == NULL)
		return (FM_MSG_LINE_ARROW);
	if (key.len == 0)
		return (FM_MSG_LINE_PATTERN);
	return (value.len == 0 ? FM_MSG_LINE_VALUE : NULL);
}

void
fm_reader_map_from(struct fm_reader *reader, struct fm_map_made *map,
    struct fm_mode_made mode, const struct fm_word *path)
{
	struct fm_parse *parse = reader->parse;
	struct fm_matches_made matches;
	struct fm_text line, key, value;
	struct fm_place at, value_at;
	struct fm_listfile list;
	struct fm_file *file;
	struct fm_words words;
	const char *why;

	map->in = mode.in;
	file = from_open(reader, path, &list);
	while (file != NULL && !parse->nomem &&
	    fm_listfile_next(&list, &line, &at, parse->diag)) {
		fm_listfile_arrow(line, &key, &value);
		why = map_line_fault(key, value);
		if (why != NULL) {
			fm_diag_error(parse->diag, &at, "%s", why);
			continue;
		}
		value_at = from_place(at, line, value);
		words = (struct fm_words){ .count = 0 };
		fm_words_add(reader, &words,
		    fm_make_word(parse, key, &at, false));
		matches = (struct fm_matches_made){ .operands = 0 };
		fm_matches_add(parse, &matches, false, mode, &words, &at);
		fm_map_add(parse, map, &matches,
		    fm_make_plain_value(parse, value, &value_at), &at);
	}
	if (file != NULL)
		fm_file_free(&file);
}

/* A line of `hosts from`.  Neighbours often have one ruleset. */
static void
hosts_line(struct fm_parse *parse, struct fm_text line,
    const struct fm_place *at, struct fm_text *last)
{
	struct fm_text host, ruleset;
	struct fm_host *made;
	const char *why = NULL;

	fm_listfile_word(line, &host, &ruleset);
	if (ruleset.b == NULL)
		why = FM_MSG_LINE_RULESET;
	else if (memchr(ruleset.b, ' ', ruleset.len) != NULL ||
	    memchr(ruleset.b, '\t', ruleset.len) != NULL)
		why = FM_MSG_LINE_WORDS;
	if (why != NULL) {
		fm_diag_error(parse->diag, at, "%s", why);
		return;
	}
	made = fm_add_host(parse, at);
	if (made == NULL)
		return;
	if (!fm_text_eq(ruleset, *last))
		*last = fm_parse_text_copy(parse, ruleset);
	made->pattern = fm_parse_text_copy(parse, host);
	made->ruleset = *last;
	made->ruleset_at = from_place(*at, line, ruleset);
}

void
fm_reader_hosts_from(struct fm_reader *reader, const struct fm_word *path)
{
	struct fm_parse *parse = reader->parse;
	struct fm_text line, last = fm_text_of(NULL);
	struct fm_listfile list;
	struct fm_file *file;
	struct fm_place at;

	file = from_open(reader, path, &list);
	while (file != NULL && !parse->nomem &&
	    fm_listfile_next(&list, &line, &at, parse->diag)) {
		hosts_line(parse, line, &at, &last);
	}
	if (file != NULL)
		fm_file_free(&file);
}
