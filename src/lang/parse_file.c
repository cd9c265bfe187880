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
 *	map m is from "a.csv";		the same, as lines of CSV
 *	answer 200 "T" from "robots.txt";	a body
 *
 * The author of an included file must not learn the text of other files by it:
 * rules may name those in the folder of the first file, and below it, once all
 * links are followed, and fm_diag_hide() keeps the text of others out of
 * messages.
 */

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "listfile.h"
#include "parse_priv.h"
#include "shipped.h"

/*
 * Returns the path of a file that another one names, relative to its folder;
 * with `glob` as a pattern for glob(3), in which the folder is escaped.  NULL:
 * no file may be read.
 */
static char *
path_of(const struct fm_reader *reader, const struct fm_word *word, bool glob)
{
	const char *from = reader->name, *slash = strrchr(from, '/');
	char *path, *to;

	if (reader->parse->sources == NULL)
		return (NULL);
	if (word->text.len == 0) {
		fm_diag_error(reader->diag, &word->at, FM_MSG_FILE_EMPTY);
		return (NULL);
	}
	path = to = fm_parse_alloc(reader->parse,
	    2 * strlen(from) + word->text.len + 1);
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

/*--------------------------------------------------------------------
 * Files that rules may read
 */

/* Room for the working directory and a path after it. */
#define PATH_ROOM	(2 * PATH_MAX)

/*
 * Writes the path from the root on, without `.`, `..` and repeated slashes.
 * Returns false if the working directory is not known.
 */
static bool
path_absolute(const char *name, size_t *len, char path[PATH_ROOM])
{
	size_t n;

	assert(strlen(name) < PATH_MAX);
	path[0] = '\0';
	if (*name != '/' && getcwd(path, PATH_MAX) == NULL)
		return (false);
	*len = strcmp(path, "/") == 0 ? 0 : strlen(path);
	for (; *name != '\0'; name += n) {
		n = strcspn(name, "/");
		if (n == 0) {
			n = 1;
		} else if (n == 2 && memcmp(name, "..", 2) == 0) {
			while (*len > 0 && path[--*len] != '/')
				continue;
		} else if (n > 1 || *name != '.') {
			path[(*len)++] = '/';
			memcpy(path + *len, name, n);
			*len += n;
		}
	}
	return (true);
}

/*
 * Returns true if a path is in the folder of a file, or below that folder, as
 * it is written: links are not followed.  Returns false without a working
 * directory.
 */
static bool
is_confined(const char *file, const char *name)
{
	char folder[PATH_ROOM], path[PATH_ROOM];
	size_t flen, plen;

	/* A path that is too long can't be opened. */
	if (strlen(name) >= PATH_MAX || strlen(file) >= PATH_MAX)
		return (true);
	if (!path_absolute(file, &flen, folder) ||
	    !path_absolute(name, &plen, path))
		return (false);
	while (flen > 0 && folder[flen - 1] != '/')
		flen--;
	return (plen > flen && memcmp(path, folder, flen) == 0);
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
	    is_confined(reader->parse->name, path))
		return (true);
	fm_diag_error(reader->diag, &word->at, FM_MSG_INCLUDE_OUTSIDE, path);
	return (false);
}

/*--------------------------------------------------------------------
 * One file
 */

const char *
fm_parse_source(struct fm_parse *parse, const char *name,
    const struct stat *st, const struct fm_place *at)
{
	struct fm_source_file *source;

	source = fm_parse_alloc(parse, sizeof *source);
	source->name = fm_parse_text_copy(parse, fm_text_of(name)).b;
	source->dev = st->st_dev;
	source->ino = st->st_ino;
	source->at = *at;
	if (at->name == name)
		source->at.name = source->name;
	*parse->files_tail = source;
	parse->files_tail = &source->next;
	return (source->name);
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

/* Returns parse->file; NULL: it can't be read, which is reported. */
static struct fm_file *
file_read(struct fm_parse *parse, const struct fm_word *word,
    const char *path, size_t max)
{

	assert(parse->file == NULL);
	if (!file_another(parse, word))
		return (NULL);
	parse->nfiles++;
	parse->file = fm_sources_read(parse->sources, path, max, &word->at,
	    parse->diag);
	if (parse->file == NULL)
		return (NULL);
	parse->nbytes += parse->file->len;
	if (parse->nbytes > (size_t)FM_LIMIT_FILES_MB << 20) {
		parse->too_many_files = true;
		fm_diag_error(parse->diag, &word->at, FM_MSG_FILES_LARGE,
		    path, FM_LIMIT_FILES_MB);
		fm_file_free(&parse->file);
	}
	return (parse->file);
}

void
fm_parse_folder(struct fm_parse *parse)
{
	char name[PATH_MAX], folder[PATH_MAX];

	(void)snprintf(name, sizeof name, "%s", parse->name);
	if (realpath(dirname(name), folder) == NULL)
		parse->folder = NULL;
	else if (parse->folder == NULL || strcmp(parse->folder, folder) != 0)
		parse->folder = fm_parse_text_copy(parse,
		    fm_text_of(folder)).b;
}

static bool
is_below(const char *folder, const char *real)
{
	size_t len = folder == NULL || strcmp(folder, "/") == 0 ? 0 :
	    strlen(folder);

	return (folder != NULL && real != NULL &&
	    strncmp(real, folder, len) == 0 && real[len] == '/');
}

/*
 * Returns true if parse->file was opened in the folder of the first file, or
 * below that folder: links don't lead out.  A link on the way to the folder may
 * have been changed since the parse began, so the folder is looked for again.
 */
static bool
is_inside(struct fm_parse *parse)
{

	if (is_below(parse->folder, parse->file->real))
		return (true);
	fm_parse_folder(parse);
	return (is_below(parse->folder, parse->file->real));
}

/* Returns true for a text of a backup, which was right once, or of a test. */
static bool
is_text(const struct fm_file *file)
{

	return (file->real != NULL && *file->real == '\0');
}

/*
 * Reports parse->file, and returns false, if it is not inside.  The author of
 * an included file makes links as well as files.
 */
static bool
file_inside(struct fm_reader *reader, const struct fm_word *word,
    const char *path)
{
	struct fm_parse *parse = reader->parse;

	const char *real = parse->file->real;

	if (is_text(parse->file) || is_inside(parse))
		return (true);
	if (real == NULL)
		fm_diag_error(reader->diag, &word->at, FM_MSG_FILE_LOST, path);
	else if (strcmp(path, real) == 0)
		fm_diag_error(reader->diag, &word->at, FM_MSG_FILE_LIES, path);
	else
		fm_diag_error(reader->diag, &word->at, FM_MSG_FILE_OUTSIDE,
		    path, real);
	return (false);
}

/*--------------------------------------------------------------------
 * Includes
 */

/* Returns false, and reports it, if a file was read already. */
static bool
include_is_new(const struct fm_reader *reader, const struct fm_word *word,
    const char *path, const struct stat *st)
{
	const struct fm_source_file *source = reader->parse->model->files;
	char where[FM_PLACE_LEN];

	while (source != NULL && (source->ino != st->st_ino ||
	    source->dev != st->st_dev))
		source = source->next;
	if (source != NULL)
		fm_diag_error(reader->diag, &word->at, FM_MSG_INCLUDE_TWICE,
		    path, fm_place_print(&source->at, where));
	return (source == NULL);
}

/* Includes a file that was read; nothing, if that went wrong. */
static void
include_file(struct fm_reader *reader, const struct fm_word *word,
    const char *path, const struct fm_file *file)
{
	struct fm_parse *parse = reader->parse;
	struct fm_reader inner = {
		.parse = parse, .depth = reader->depth + 1
	};

	if (file == NULL)
		return;
	/* A path that is outside as it is written is one of the first file. */
	if ((!is_confined(parse->name, path) ||
	    file_inside(reader, word, path)) &&
	    include_is_new(reader, word, path, &file->st)) {
		inner.name = fm_parse_source(parse, path, &file->st,
		    &word->at);
		inner.text = fm_parse_text_copy(parse,
		    fm_text_or_empty(fm_text(file->bytes, file->len)));
	}
	fm_file_free(&parse->file);
	if (inner.name != NULL)
		fm_parse_run(&inner);
}

#define INCLUDE_MAX	((size_t)FM_LIMIT_FILE_MB << 20)

static void
include_path(struct fm_reader *reader, const struct fm_word *word,
    const char *path)
{
	include_file(reader, word, path, file_read(reader->parse, word, path,
	    INCLUDE_MAX));
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
	for (path = found->bytes.b; path < end; path += strlen(path) + 1)
		if (include_allowed(reader, word, path))
			include_path(reader, word, path);
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
			include_path(reader, word, path);
	}
}

/*--------------------------------------------------------------------
 * Files of `from`
 */

/*
 * An entry of a file, of which a list has the key alone.
 *
 *	/old -> /new	a line of a map
 *	a.example shop	a host and its ruleset
 *	/old,/new	either, of CSV
 */
struct entry {
	struct fm_text		line;
	struct fm_text		key, value;	/* value is missing: there is
						 * none */
	bool			more;		/* CSV: a third column */
	struct fm_place		at, value_at;
};

/* Adds a line to a map.  Returns false if it is not one. */
static bool
map_entry(struct fm_reader *reader, struct fm_list_made *map,
    const struct entry *entry)
{
	struct fm_parse *parse = reader->parse;
	struct fm_match *match;

	if (entry->key.len == 0 || entry->value.len == 0 || entry->more)
		return (false);
	match = fm_parse_alloc(parse, sizeof *match);
	*match = map->like;
	match->at = entry->at;
	fm_words_add(reader, &match->operands,
	    fm_make_word(parse, entry->key, &entry->at, false));
	fm_line_add(reader, map, match, fm_make_value(parse, entry->value,
	    &entry->value_at));
	return (true);
}

/* Adds a host.  Neighbours share the text of their ruleset. */
static bool
hosts_entry(struct fm_parse *parse, const struct entry *entry,
    struct fm_text *last)
{
	struct fm_host *made;

	if (entry->value.len == 0 || entry->more ||
	    fm_text_has_any(entry->value, " \t"))
		return (false);
	made = fm_add_host(parse, &entry->at);
	if (made == NULL)
		return (true);
	if (!fm_text_eq(entry->value, *last))
		*last = fm_parse_text_copy(parse, entry->value);
	made->pattern = fm_parse_text_copy(parse, entry->key);
	made->ruleset = *last;
	made->ruleset_at = entry->value_at;
	return (true);
}

bool
fm_name_ends(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return (len > n && strcasecmp(name + len - n, end) == 0);
}

/* Splits a line of CSV.  Returns false if its quotes don't fit. */
static bool
csv_split(struct fm_parse *parse, struct entry *entry)
{
	struct fm_text line = entry->line, column;
	char *room = NULL;
	unsigned n;
	size_t at;

	if (fm_text_has(line, "\"\""))
		room = fm_parse_alloc(parse, line.len);
	for (n = 0; line.b != NULL; n++) {
		at = (size_t)(line.b - entry->line.b);
		if (!fm_listfile_column(&line, &column,
		    room == NULL ? NULL : room + at))
			return (false);
		if (n == 0) {
			entry->key = column;
		} else if (n == 1) {
			entry->value = column;
			entry->value_at = entry->at;
			entry->value_at.column += (unsigned)at;
		} else {
			entry->more |= column.len > 0;
		}
	}
	return (true);
}

/*
 * Splits a line of a map (`->`), of hosts or of a list.  Returns false for a
 * line of CSV.
 */
static bool
line_split(struct entry *entry, bool list, bool map)
{
	struct fm_text line = entry->line;

	if (list) {
		entry->key = line;
		return (*line.b != '"' || !fm_text_has(line, "\","));
	}
	if (map)
		fm_listfile_arrow(line, &entry->key, &entry->value);
	else
		fm_listfile_word(line, &entry->key, &entry->value);
	entry->value_at = entry->at;
	if (entry->value.b != NULL)
		entry->value_at.column += (unsigned)(entry->value.b - line.b);
	/* No host has a comma. */
	return ((map && entry->value.b != NULL) ||
	    memchr(line.b, ',', line.len) == NULL);
}

/* Returns true for `from,to`, which a spreadsheet has above the entries. */
static bool
is_heading(const struct entry *entry)
{
	static const char * const words[] = { "from", "to", "old", "new",
	    "source", "target", "destination", "url", "path", "host",
	    "hostname", "domain", "ruleset", "key", "value", "pattern",
	    "location", "redirect", "network", "country", NULL };

	return (entry->at.line == 1 && entry->value.b != NULL &&
	    fm_text_is_one_of(entry->key, words) &&
	    fm_text_is_one_of(entry->value, words));
}

/* Reads the lines of a file into operands, a map, or hosts. */
static void
from_lines(struct fm_reader *reader, struct fm_listfile *list,
    struct fm_words *operands, struct fm_list_made *map)
{
	struct fm_parse *parse = reader->parse;
	struct fm_text line, last = fm_text_of(NULL);
	bool csv = fm_name_ends(list->name, ".csv"), good;
	struct fm_place at;
	struct entry entry;

	while (fm_listfile_next(list, &line, &at, parse->diag)) {
		entry.line = line;
		entry.at = at;
		entry.key = entry.value = fm_text(NULL, 0);
		entry.more = false;
		if (csv && !csv_split(parse, &entry)) {
			fm_diag_error(parse->diag, &at, FM_MSG_CSV_QUOTES);
			continue;
		}
		if (csv && operands == NULL && is_heading(&entry)) {
			fm_diag_error(parse->diag, &at, FM_MSG_CSV_HEADING);
			continue;
		}
		if (!csv && !line_split(&entry, operands != NULL,
		    map != NULL)) {
			fm_diag_error(parse->diag, &at, FM_MSG_LINE_CSV);
			break;
		}
		good = true;
		if (operands != NULL)
			fm_words_add(reader, operands,
			    fm_make_word(parse, entry.key, &at, false));
		else if (map != NULL)
			good = map_entry(reader, map, &entry);
		else
			good = hosts_entry(parse, &entry, &last);
		if (!good)
			fm_diag_error(parse->diag, &at, "%s", map != NULL ?
			    csv ? FM_MSG_CSV_MAP : FM_MSG_LINE_MAP :
			    csv ? FM_MSG_CSV_HOST : FM_MSG_LINE_HOST);
	}
}

/*
 * Returns true if the lines of parse->file may be read, and reports hosts that
 * may not.  The first file may name all files, by a path that leads outside as
 * it is written.  Other lists and maps may lie outside, too, but messages show
 * no line of them.
 */
static bool
from_allowed(struct fm_reader *reader, const struct fm_word *word,
    const char *path, bool hosts)
{
	struct fm_parse *parse = reader->parse;
	bool confined = is_confined(parse->name, path);

	if (reader->depth == 1 && !confined)
		return (true);
	if (hosts && !is_text(parse->file))
		return (file_inside(reader, word, path));
	if (!(is_text(parse->file) ? confined : is_inside(parse)) &&
	    fm_diag_hide(parse->diag, path, FM_MSG_HIDDEN) != 0)
		fm_parse_nomem(parse);
	return (true);
}

void
fm_read_from(struct fm_reader *reader, const struct fm_word *word,
    struct fm_words *operands, struct fm_list_made *map)
{
	struct fm_parse *parse = reader->parse;
	char *path = path_of(reader, word, false);
	struct fm_listfile list = { .name = NULL };
	const struct fm_file *file;

	if (path == NULL)
		return;
	file = file_read(parse, word, path, FM_LISTFILE_MAX);
	if (file == NULL)
		return;
	if (from_allowed(reader, word, path, operands == NULL && map == NULL)) {
		list.name = fm_parse_text_copy(parse, fm_text_of(path)).b;
		list.rest = fm_text(file->bytes, file->len);
		from_lines(reader, &list, operands, map);
	}
	fm_file_free(&parse->file);
}

/*--------------------------------------------------------------------
 * Lists that come with fastmatch
 */

/* Returns the path of a list; NULL, with an error, if the name is not one. */
static char *
shipped_path(const struct fm_reader *reader, const struct fm_word *name,
    const char *end)
{
	size_t room = strlen(fm_shipped_folder) + name->text.len + 10;
	char *path;

	/* It is not the name of the file, either. */
	if (name->text.len == 0 || name->text.b[0] == '.' ||
	    fm_text_has_any(name->text, "/") ||
	    fm_text_find(name->text, fm_text_of(".list")) != NULL ||
	    fm_text_find(name->text, fm_text_of(".map")) != NULL ||
	    fm_text_find(name->text, fm_text_of(".rules")) != NULL) {
		fm_diag_error(reader->diag, &name->at, FM_MSG_SHIPPED_NAME);
		return (NULL);
	}
	path = fm_parse_alloc(reader->parse, room);
	(void)snprintf(path, room, "%s/%.*s.%s", fm_shipped_folder,
	    (int)name->text.len, name->text.b, end);
	return (path);
}

/* Takes the mode that a list says of itself.  Returns false if it says none. */
static bool
shipped_mode(struct fm_text mode, bool *nocase, struct fm_match *match)
{
	static const char nocases[] = "nocase ";
	static const struct {
		const char		*word;
		enum fm_pattern_kind	kind;
	} modes[] = {
#define M(name, word, class, kind)	{ (word), FM_PATTERN_##kind },
#define O(...)
		FM_MODES(M, O)
#undef M
#undef O
	};
	size_t i;

	if (mode.b != NULL && fm_text_begins(mode, nocases)) {
		*nocase = true;
		mode = fm_text(mode.b + strlen(nocases),
		    mode.len - strlen(nocases));
	}
	match->in = mode.b != NULL && fm_text_eq(mode, fm_text_of("in"));
	if (match->in)
		return (true);
	for (i = 0; mode.b != NULL && i < sizeof modes / sizeof *modes; i++)
		if (fm_text_eq(mode, fm_text_of(modes[i].word))) {
			match->mode = modes[i].kind;
			return (true);
		}
	return (false);
}

/* Returns the file of a name; NULL: it can't be read, which is reported. */
static const struct fm_file *
shipped_file(struct fm_parse *parse, const struct fm_word *name,
    const char *path, size_t max)
{
	struct fm_diag *diag = parse->diag;
	bool there = access(path, F_OK) == 0;
	const struct fm_file *file;

	/* It is read all the same: a backup has it, or it comes later. */
	if (!there)
		parse->diag = NULL;
	file = file_read(parse, name, path, max);
	parse->diag = diag;
	if (file == NULL && !there && fm_shipped_anywhere)
		fm_diag_error(diag, &name->at, FM_MSG_SHIPPED_NONE, path);
	else if (file == NULL && !there)
		fm_diag_error(diag, &name->at, FM_MSG_SHIPPED_INSTALLED, path);
	return (file);
}

void
fm_read_shipped(struct fm_reader *reader, const struct fm_word *name,
    struct fm_list_made *made, bool map)
{
	struct fm_parse *parse = reader->parse;
	struct fm_match *match = fm_parse_alloc(parse, sizeof *match);
	struct fm_listfile list = { .name = NULL };
	const struct fm_file *file;
	char *path;

	if (parse->sources == NULL)
		return;
	path = shipped_path(reader, name, map ? "map" : "list");
	if (path == NULL)
		return;
	file = shipped_file(parse, name, path, FM_LISTFILE_MAX);
	if (file == NULL)
		return;
	list.name = path;
	list.rest = fm_text(file->bytes, file->len);
	match->at = name->at;
	if (!shipped_mode(fm_shipped_mode(list.rest), &made->list->nocase,
	    match)) {
		fm_diag_error(reader->diag, &name->at, FM_MSG_SHIPPED_MODE,
		    path);
	} else if (map) {
		made->like = *match;
		from_lines(reader, &list, NULL, made);
	} else {
		from_lines(reader, &list, &match->operands, NULL);
		fm_line_add(reader, made, match, NULL);
	}
	fm_file_free(&parse->file);
}

/* Every file may have it: the name leads to no other folder. */
void
fm_include_shipped(struct fm_reader *reader, const struct fm_word *name)
{
	char *path;

	if (reader->parse->sources == NULL)
		return;
	path = shipped_path(reader, name, "rules");
	if (path == NULL)
		return;
	if (reader->depth > FM_LIMIT_INCLUDES)
		fm_diag_error(reader->diag, &name->at, FM_MSG_INCLUDE_DEEP,
		    FM_LIMIT_INCLUDES);
	else
		include_file(reader, name, path, shipped_file(reader->parse,
		    name, path, INCLUDE_MAX));
}

/*--------------------------------------------------------------------
 * Files of answers
 */

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
	const struct fm_file *file = NULL;

	if (path != NULL && include_allowed(reader, word, path))
		file = file_read(parse, word, path, FM_LIMIT_ANSWER);
	if (file != NULL && (reader->depth == 1 ||
	    file_inside(reader, word, path)))
		body = fm_parse_text_copy(parse,
		    fm_text(file->bytes, file->len));
	if (file != NULL)
		fm_file_free(&parse->file);
	return (body);
}
