/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * VCL in tokens.  What is included stands where its `include` was; each token
 * has what leads to it, so that tokens put behind each other are the text.
 */

#include <ctype.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "import.h"
#include "sources.h"

#define LEX_FILE_MAX	((size_t)16 << 20)
#define LEX_INCLUDES	16

struct lex {
	struct fm_import	*im;
	const char		*name;
	const char		*p, *e;
	const char		*line_start;
	unsigned		line;
	unsigned		depth;
};

/* Varnish's own vcl_path. */
#define LEX_FOLDERS	"/etc/varnish:/usr/share/varnish/vcl"

static bool lex_file(struct fm_import *, const char *path, unsigned depth,
    const struct fm_place *asked);

static struct fm_place
lex_place(const struct lex *lex)
{
	return ((struct fm_place){ lex->name, lex->line,
	    (unsigned)(lex->p - lex->line_start) + 1, 0 });
}

static bool
lex_fault(struct lex *lex, const char *what)
{
	struct fm_place at = lex_place(lex);

	fm_diag_error(lex->im->diag, &at, "%s", what);
	return (false);
}

static void
lex_step(struct lex *lex)
{
	if (*lex->p++ == '\n') {
		lex->line++;
		lex->line_start = lex->p;
	}
}

static bool
lex_sees(const struct lex *lex, const char *s)
{
	size_t len = strlen(s);

	return ((size_t)(lex->e - lex->p) >= len &&
	    memcmp(lex->p, s, len) == 0);
}

/* Goes behind the next s; false: there is none. */
static bool
lex_behind(struct lex *lex, const char *s)
{
	size_t len = strlen(s);

	while (lex->p < lex->e && !lex_sees(lex, s))
		lex_step(lex);
	if (lex->p == lex->e)
		return (false);
	while (len-- > 0)
		lex_step(lex);
	return (true);
}

/* Blanks and comments. */
static bool
lex_lead(struct lex *lex)
{
	while (lex->p < lex->e) {
		if (isspace((unsigned char)*lex->p)) {
			lex_step(lex);
		} else if (*lex->p == '#' || lex_sees(lex, "//")) {
			while (lex->p < lex->e && *lex->p != '\n')
				lex_step(lex);
		} else if (lex_sees(lex, "/*")) {
			lex->p += 2;
			if (!lex_behind(lex, "*/"))
				return (lex_fault(lex,
				    "this comment has no end"));
		} else {
			break;
		}
	}
	return (true);
}

static bool
is_name(char c)
{
	return (isalnum((unsigned char)c) || c == '_' || c == '-');
}

/* A long string ends in close, another one in its line. */
static bool
lex_string(struct lex *lex, struct fm_vcl_token *t, size_t open,
    const char *close)
{
	const char *b = lex->p + open;
	bool is_long = open > 1;

	lex->p = b;
	while (lex->p < lex->e && !lex_sees(lex, close)) {
		if (*lex->p == '\n' && !is_long)
			return (lex_fault(lex,
			    "this string does not end in its line"));
		lex_step(lex);
	}
	if (lex->p == lex->e)
		return (lex_fault(lex, "this string has no end"));
	t->kind = FM_VCL_STRING;
	t->value = fm_text_span(b, lex->p);
	lex->p += strlen(close);
	return (true);
}

static void
lex_name(struct lex *lex)
{
	while (lex->p < lex->e && (is_name(*lex->p) || (*lex->p == '.' &&
	    lex->p + 1 < lex->e && is_name(lex->p[1]))))
		lex->p++;
}

static bool
lex_token(struct lex *lex, struct fm_vcl_token *t)
{
	static const char * const pairs[] = {
		"&&", "||", "==", "!=", "!~", "<=", ">=", "+=", "-=", "*=",
		"/=", "++", "--", "<<", ">>"
	};
	const char *b = lex->p;
	bool good = true;
	size_t i;

	t->at = lex_place(lex);
	if (lex->p == lex->e) {
		t->kind = FM_VCL_END;
	} else if (lex_sees(lex, "C{")) {
		t->kind = FM_VCL_C;
		if (!lex_behind(lex, "}C")) {
			fm_diag_error(lex->im->diag, &t->at,
			    "this inline C has no }C");
			return (false);
		}
	} else if (lex_sees(lex, "\"\"\"")) {
		good = lex_string(lex, t, 3, "\"\"\"");
	} else if (lex_sees(lex, "{\"")) {
		good = lex_string(lex, t, 2, "\"}");
	} else if (*lex->p == '"') {
		good = lex_string(lex, t, 1, "\"");
	} else if (isdigit((unsigned char)*lex->p)) {
		t->kind = FM_VCL_NUMBER;
		while (lex->p < lex->e && (isdigit((unsigned char)*lex->p) ||
		    *lex->p == '.'))
			lex->p++;
	} else if (isalpha((unsigned char)*lex->p)) {
		t->kind = FM_VCL_NAME;
		lex_name(lex);
	} else {
		t->kind = FM_VCL_SIGN;
		for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
			if (lex_sees(lex, pairs[i]))
				break;
		lex->p += i < sizeof pairs / sizeof *pairs ? 2 : 1;
	}
	t->text = fm_text_span(b, lex->p);
	return (good);
}

static struct fm_vcl_token *
token_add(struct fm_import *im)
{
	struct fm_vcl_token *t;

	t = fm_cli_grow(&im->tokens, im->ntokens, &im->room,
	    sizeof *im->tokens);
	im->ntokens++;
	return (t);
}

/*--------------------------------------------------------------------
 * Includes
 */

/* Returns the file called name in one of the folders; NULL if none has it. */
static const char *
folders_find(struct fm_import *im, const char *folders, struct fm_text name)
{
	const char *path, *folder = folders;
	size_t len;

	for (;; folder += len + 1) {
		len = strcspn(folder, ":");
		path = fm_import_printf(im, "%.*s/%.*s", (int)len, folder,
		    (int)name.len, name.b);
		if (len > 0 && access(path, R_OK) == 0)
			return (path);
		if (folder[len] == '\0')
			return (NULL);
	}
}

/* Returns the path of name in the folder of the file that includes it. */
static const char *
beside(struct lex *lex, struct fm_text name)
{
	const char *slash = strrchr(lex->name, '/');

	return (fm_import_printf(lex->im, "%.*s%.*s",
	    *name.b == '/' || slash == NULL ? 0 :
	    (int)(slash - lex->name + 1), lex->name, (int)name.len, name.b));
}

/*
 * Returns the path of what is included: of "/x" and "./x" as varnishd finds
 * it.  Other names are searched for in the folders of --vcl-path, then beside
 * the file that includes them; without --vcl-path beside that file first, as
 * who imports a configuration mostly has a copy of it.
 */
static const char *
include_path(struct lex *lex, struct fm_text name, const struct fm_place *at)
{
	struct fm_import *im = lex->im;
	const char *here = beside(lex, name), *path = NULL;

	if (*name.b == '/' || *name.b == '.')
		return (here);
	if (im->folders != NULL)
		path = folders_find(im, im->folders, name);
	if (path == NULL && access(here, R_OK) == 0)
		return (here);
	if (path == NULL && im->folders == NULL)
		path = folders_find(im, LEX_FOLDERS, name);
	if (path == NULL)
		fm_diag_error(im->diag, at, "there is neither '%s' nor that "
		    "file in %s", here,
		    im->folders == NULL ? LEX_FOLDERS : im->folders);
	return (path);
}

/* The last tokens are `include "x" ;`: the file's own stand there instead. */
static bool
lex_include(struct lex *lex)
{
	struct fm_import *im = lex->im;
	struct fm_vcl_token *t = im->tokens + im->ntokens - 3;
	struct fm_place at = t->at;
	const char *path;

	if (t[1].value.len == 0)
		return (lex_fault(lex, "include without a name"));
	if (lex->depth == LEX_INCLUDES)
		return (lex_fault(lex, "too many includes inside each other"));
	path = include_path(lex, t[1].value, &at);
	if (path == NULL)
		return (false);
	im->ntokens -= 3;
	return (lex_file(im, path, lex->depth + 1, &at));
}

/* include +glob "x" ; */
static bool
tokens_end_in_glob(const struct fm_import *im, size_t from)
{
	const struct fm_vcl_token *t = im->tokens + im->ntokens - 5;

	return (im->ntokens >= from + 5 && t->kind == FM_VCL_NAME &&
	    fm_text_is(t->text, "include") && fm_text_is(t[1].text, "+") &&
	    fm_text_is(t[2].text, "glob") && t[3].kind == FM_VCL_STRING &&
	    fm_text_is(t[4].text, ";"));
}

/* Includes all that fit, in their order, and searches nowhere else. */
static bool
lex_include_glob(struct lex *lex)
{
	struct fm_import *im = lex->im;
	struct fm_vcl_token *t = im->tokens + im->ntokens - 5;
	struct fm_place at = t->at;
	const char *path;
	bool good = true;
	size_t i;
	glob_t found;

	if (t[3].value.len == 0)
		return (lex_fault(lex, "include without a name"));
	if (lex->depth == LEX_INCLUDES)
		return (lex_fault(lex, "too many includes inside each other"));
	path = beside(lex, t[3].value);
	if (glob(path, 0, NULL, &found) != 0) {
		fm_diag_error(im->diag, &at, "no file is called '%s'", path);
		return (false);
	}
	im->ntokens -= 5;
	for (i = 0; good && i < found.gl_pathc; i++)
		good = lex_file(im, found.gl_pathv[i], lex->depth + 1, &at);
	globfree(&found);
	return (good);
}

/* The last tokens are those of such a statement. */
static bool
tokens_end_in(const struct fm_import *im, size_t from, const char *first,
    enum fm_vcl_kind second)
{
	const struct fm_vcl_token *t = im->tokens + im->ntokens - 3;

	return (im->ntokens >= from + 3 && t->kind == FM_VCL_NAME &&
	    fm_text_is(t->text, first) && t[1].kind == second &&
	    fm_text_is(t[2].text, ";"));
}

static bool
lex_file(struct fm_import *im, const char *path, unsigned depth,
    const struct fm_place *asked)
{
	size_t from = im->ntokens;
	struct lex lex = { .im = im, .line = 1, .depth = depth };
	struct fm_vcl_token *t;
	struct fm_file *file;
	const char *lead;
	struct fm_text text;

	file = fm_file_read(path, LEX_FILE_MAX, asked, im->diag);
	if (file == NULL)
		return (false);
	text.b = fm_arena_add(&im->arena, fm_text(file->bytes, file->len));
	text.len = file->len;
	fm_file_free(&file);
	if (text.b == NULL)
		fm_cli_no_memory();
	lex.name = fm_import_printf(im, "%s", path);
	lex.p = lex.line_start = text.b;
	lex.e = text.b + text.len;
	for (;;) {
		lead = lex.p;
		if (!lex_lead(&lex))
			return (false);
		t = token_add(im);
		t->lead = fm_text_span(lead, lex.p);
		if (!lex_token(&lex, t))
			return (false);
		if (t->kind == FM_VCL_END)
			break;
		if (tokens_end_in(im, from, "include", FM_VCL_STRING)) {
			if (!lex_include(&lex))
				return (false);
			from = im->ntokens;
		} else if (tokens_end_in_glob(im, from)) {
			if (!lex_include_glob(&lex))
				return (false);
			from = im->ntokens;
		} else if (depth > 0 &&
		    tokens_end_in(im, from, "vcl", FM_VCL_NUMBER)) {
			im->ntokens -= 3;
		}
	}
	/* The end of an included file is not that of all. */
	if (depth > 0)
		im->ntokens--;
	return (true);
}

bool
fm_import_read(struct fm_import *im, const char *path)
{
	return (lex_file(im, path, 0, NULL));
}
