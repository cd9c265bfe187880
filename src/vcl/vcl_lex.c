/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads VCL into tokens.  The tokens of an included file replace its `include`.
 * Each token has the blanks and comments before it (`lead`), so that all tokens
 * together give the text again.
 */

#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "grow.h"
#include "sources.h"
#include "vcl_tree.h"

#define LEX_FILE_MAX	((size_t)16 << 20)
#define LEX_INCLUDES	16	/* levels: includes may go in circles */
/* Varnish's own vcl_path. */
#define LEX_FOLDERS	"/etc/varnish:/usr/share/varnish/vcl"

struct lex {
	struct fm_vcl_tree		*vcl;
	const char		*p, *e;
	struct fm_place		at;		/* the place of p */
	unsigned		depth;		/* includes around this file */
};

static bool
fault(const struct lex *lex, const struct fm_place *at, const char *what)
{
	fm_diag_error(lex->vcl->diag, at, "%s", what);
	return (false);
}

static bool
sees(const struct lex *lex, const char *s)
{
	return (fm_text_begins(fm_text_span(lex->p, lex->e), s));
}

static void
go(struct lex *lex, const char *to)
{
	for (; lex->p < to; lex->p++) {
		lex->at.column++;
		if (*lex->p == '\n') {
			lex->at.line++;
			lex->at.column = 1;
		}
	}
}

/* Goes past the text that closes a comment or string that begins here. */
static bool
go_past(struct lex *lex, size_t open, const char *close, const char *what)
{
	size_t len = strlen(close);
	const char *b = lex->p + open;
	const char *end = memmem(b, (size_t)(lex->e - b), close, len);

	if (end == NULL)
		fm_diag_error(lex->vcl->diag, &lex->at, "this %s has no %s",
		    what, close);
	else
		go(lex, end + len);
	return (end != NULL);
}

/* Goes past blanks and comments. */
static bool
lex_lead(struct lex *lex)
{
	const char *end;

	while (lex->p < lex->e) {
		if (isspace((unsigned char)*lex->p)) {
			go(lex, lex->p + 1);
		} else if (*lex->p == '#' || sees(lex, "//")) {
			end = memchr(lex->p, '\n', (size_t)(lex->e - lex->p));
			go(lex, end == NULL ? lex->e : end);
		} else if (!sees(lex, "/*")) {
			break;
		} else if (!go_past(lex, 2, "*/", "comment")) {
			return (false);
		}
	}
	return (true);
}

static bool
lex_string(struct lex *lex, struct fm_vcl_token *token, size_t open,
    const char *close)
{
	const char *b = lex->p + open;

	token->kind = FM_VCL_STRING;
	if (!go_past(lex, open, close, "string"))
		return (false);
	token->value = fm_text_span(b, lex->p - strlen(close));
	if (open == 1 && lex->at.line != token->at.line)
		return (fault(lex, &token->at,
		    "this string does not end in its line"));
	return (true);
}

static bool
is_name(char c)
{
	return (isalnum((unsigned char)c) || c == '_' || c == '-');
}

/* Reads a name, a number or a sign. */
static void
lex_word(struct lex *lex, struct fm_vcl_token *token)
{
	static const char * const pairs[] = {
		"&&", "||", "==", "!=", "!~", "<=", ">=", "+=", "-=", "*=",
		"/=", "++", "--", "<<", ">>"
	};
	const char *p = lex->p + 1, *e = lex->e;
	size_t i;

	if (isdigit((unsigned char)*lex->p)) {
		token->kind = FM_VCL_NUMBER;
		while (p < e && (isdigit((unsigned char)*p) || *p == '.'))
			p++;
	} else if (isalpha((unsigned char)*lex->p)) {
		token->kind = FM_VCL_NAME;
		while (p < e && (is_name(*p) ||
		    (*p == '.' && p + 1 < e && is_name(p[1]))))
			p++;
	} else {
		token->kind = FM_VCL_SIGN;
		for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
			if (sees(lex, pairs[i]))
				p = lex->p + 2;
	}
	go(lex, p);
}

static bool
lex_token(struct lex *lex, struct fm_vcl_token *token)
{
	const char *b = lex->p;
	bool good;

	memset(token, 0, sizeof *token);
	good = lex_lead(lex);
	token->lead = fm_text_span(b, lex->p);
	token->at = lex->at;
	b = lex->p;
	if (!good || lex->p == lex->e) {
		token->kind = FM_VCL_END;
	} else if (sees(lex, "C{")) {
		token->kind = FM_VCL_C;
		good = go_past(lex, 2, "}C", "inline C");
	} else if (sees(lex, "\"\"\"")) {
		good = lex_string(lex, token, 3, "\"\"\"");
	} else if (sees(lex, "{\"")) {
		good = lex_string(lex, token, 2, "\"}");
	} else if (*lex->p == '"') {
		good = lex_string(lex, token, 1, "\"");
	} else {
		lex_word(lex, token);
	}
	token->text = fm_text_span(b, lex->p);
	return (good);
}

/*--------------------------------------------------------------------
 * Includes
 */

static bool lex_file(struct fm_vcl_tree *, const char *path, unsigned depth,
    const struct fm_place *asked);
static bool lex_text(struct fm_vcl_tree *, const char *name, struct fm_text,
    unsigned depth);

/* Returns the path of a name in the folder of the including file. */
static const char *
beside(const struct lex *lex, struct fm_text name)
{
	const char *slash = strrchr(lex->at.name, '/');

	return (fm_vcl_printf(lex->vcl, "%.*s%.*s",
	    *name.b == '/' || slash == NULL ? 0 :
	    (int)(slash - lex->at.name + 1), lex->at.name,
	    (int)name.len, name.b));
}

/*
 * Returns the path of an included file.  "/x" and "./x" are found as varnishd
 * does.  Other names are searched for in the folders of --vcl-path, then beside
 * the including file.  Without --vcl-path the search begins beside the file,
 * since the user mostly has a copy of the configuration there.
 */
static const char *
include_path(const struct lex *lex, struct fm_text name,
    const struct fm_place *at)
{
	const char *given = lex->vcl->folders, *here = beside(lex, name), *path;
	const char *folder = given == NULL ? LEX_FOLDERS : given;
	size_t len;

	if (*name.b == '/' || fm_text_begins(name, "./") ||
	    (given == NULL && access(here, R_OK) == 0))
		return (here);
	for (; *folder != '\0'; folder += len + (folder[len] == ':')) {
		len = strcspn(folder, ":");
		path = fm_vcl_printf(lex->vcl, "%.*s/%.*s", (int)len,
		    folder, (int)name.len, name.b);
		if (len > 0 && access(path, R_OK) == 0)
			return (path);
	}
	if (access(here, R_OK) == 0)
		return (here);
	fm_diag_error(lex->vcl->diag, at, "there is neither '%s' nor that "
	    "file in %s", here, given == NULL ? LEX_FOLDERS : given);
	return (NULL);
}

/* Includes all files that a pattern fits, in glob()'s order. */
static bool
include_glob(const struct lex *lex, const char *pattern,
    const struct fm_place *at)
{
	bool good = true;
	size_t i;
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0) {
		fm_diag_error(lex->vcl->diag, at, "no file is called '%s'",
		    pattern);
		return (false);
	}
	for (i = 0; good && i < found.gl_pathc; i++)
		good = lex_file(lex->vcl, fm_vcl_printf(lex->vcl, "%s",
		    found.gl_pathv[i]), lex->depth + 1, at);
	globfree(&found);
	return (good);
}

/*
 * Includes the next source that a name or a pattern fits, and with a pattern
 * all that follow it and fit.  Varnish has put its folders before the names.
 */
static bool
include_source(const struct lex *lex, struct fm_text name, bool all,
    const struct fm_place *at)
{
	struct fm_vcl_tree *vcl = lex->vcl;
	const char *pattern;
	size_t n = 0;

	if (fm_text_begins(name, "./"))
		name = fm_text(name.b + 2, name.len - 2);
	pattern = fm_vcl_printf(vcl, "%s%.*s", *name.b == '/' ? "" : "*/",
	    (int)name.len, name.b);
	while (n < vcl->nsources && fnmatch(pattern,
	    vcl->names[(vcl->next + n) % vcl->nsources], 0) != 0)
		n++;
	if (n == vcl->nsources)
		return (fault(lex, at, "this file is not in the VCL"));
	n = (vcl->next + n) % vcl->nsources;
	do {
		vcl->next = n + 1;
		if (!lex_text(vcl, vcl->names[n], fm_text_of(vcl->bodies[n]),
		    lex->depth + 1))
			return (false);
		n = vcl->next;
	} while (all && n < vcl->nsources &&
	    fnmatch(pattern, vcl->names[n], 0) == 0);
	return (true);
}

static bool
include_file(const struct lex *lex, struct fm_text name, bool all,
    const struct fm_place *at)
{
	const char *path = all ? beside(lex, name) :
	    include_path(lex, name, at);

	if (all)
		return (include_glob(lex, path, at));
	return (path != NULL && lex_file(lex->vcl, path, lex->depth + 1, at));
}

/*
 * Replaces `include "x";` or `include +glob "x";` by the tokens of the files;
 * the first of the tokens gets the `lead` of the `include`, which was read
 * already.
 */
static bool
lex_include(struct lex *lex, const struct fm_vcl_token *include)
{
	struct fm_vcl_tree *vcl = lex->vcl;
	size_t n = vcl->ntokens;
	struct fm_vcl_token token, *first;
	struct fm_text name = fm_text("", 0);
	bool all = false, good;

	do {
		if (!lex_token(lex, &token))
			return (false);
		all |= fm_text_is(token.text, "glob");
		if (token.kind == FM_VCL_STRING)
			name = token.value;
	} while (token.kind != FM_VCL_END && !fm_text_is(token.text, ";"));
	if (name.len == 0 || lex->depth == LEX_INCLUDES)
		return (fault(lex, &include->at, name.len == 0 ?
		    "include without a name" :
		    "too many includes inside each other"));
	good = vcl->nsources > 0 ?
	    include_source(lex, name, all, &include->at) :
	    include_file(lex, name, all, &include->at);
	if (good && vcl->ntokens > n) {
		first = vcl->tokens + n;
		first->lead = fm_text_of(fm_vcl_printf(vcl, "%.*s%.*s",
		    (int)include->lead.len, include->lead.b,
		    (int)first->lead.len, first->lead.b));
	}
	return (good);
}

static void
token_add(struct fm_vcl_tree *vcl, const struct fm_vcl_token *token)
{
	struct fm_vcl_token *tokens = fm_grow_room(vcl->tokens, &vcl->room,
	    vcl->ntokens, 1, sizeof *tokens);

	if (tokens == NULL)
		vcl->no_memory();
	vcl->tokens = tokens;
	tokens[vcl->ntokens++] = *token;
}

/* Reads the tokens of a text, which stays as long as they do. */
static bool
lex_text(struct fm_vcl_tree *vcl, const char *name, struct fm_text text,
    unsigned depth)
{
	struct lex lex = { .vcl = vcl, .p = text.b, .e = text.b + text.len,
	    .depth = depth, .at = { name, 1, 1, 0 } };
	struct fm_vcl_token token;

	do {
		if (!lex_token(&lex, &token))
			return (false);
		if (token.kind == FM_VCL_NAME &&
		    fm_text_is(token.text, "include")) {
			if (!lex_include(&lex, &token))
				return (false);
		} else if (token.kind != FM_VCL_END || depth == 0) {
			token_add(vcl, &token);
		}
	} while (token.kind != FM_VCL_END);
	return (true);
}

static bool
lex_file(struct fm_vcl_tree *vcl, const char *path, unsigned depth,
    const struct fm_place *asked)
{
	struct fm_file *file = fm_file_read(path, LEX_FILE_MAX, asked,
	    vcl->diag);
	struct fm_text text;

	if (file == NULL)
		return (false);
	text = fm_text(fm_arena_add(&vcl->arena, fm_text(file->bytes,
	    file->len)), file->len);
	fm_file_free(&file);
	if (text.b == NULL)
		vcl->no_memory();
	return (lex_text(vcl, path, text, depth));
}

bool
fm_vcl_read(struct fm_vcl_tree *vcl, const char *path)
{
	return (lex_file(vcl, path, 0, NULL));
}

bool
fm_vcl_read_sources(struct fm_vcl_tree *vcl, const char * const *names,
    const char * const *bodies, size_t n)
{
	vcl->names = names;
	vcl->bodies = bodies;
	vcl->nsources = n;
	vcl->next = 1;
	return (lex_text(vcl, names[0], fm_text_of(bodies[0]), 0));
}
