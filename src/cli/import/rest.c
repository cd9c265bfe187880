/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL that remains: as it was, but for vcl_recv, and what only that used.
 *
 * The objects have to be made behind those directors that they are told of,
 * and before they are called; Location is written before all else that
 * vcl_synth does.  So all that is new stands where the last vcl_recv was, and
 * a vcl_synth from before it comes behind it.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

static bool
is_sub(const struct fm_vdecl *decl, const char *name)
{
	return (fm_text_is(decl->kind, "sub") && fm_text_is(decl->name, name));
}

static bool
has_import(const struct fm_import *im)
{
	const struct fm_vdecl *decl;

	for (decl = im->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "import") &&
		    fm_text_is(decl->name, "fastmatch"))
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * What nothing names any more
 */

static bool
is_word_byte(char c)
{
	return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-');
}

/* Behind the comment or the string here, or where it was. */
static const char *
skip_silent(const char *p)
{
	static const char * const pairs[][2] = {
		{ "#", "\n" }, { "//", "\n" }, { "/*", "*/" },
		{ "\"\"\"", "\"\"\"" }, { "{\"", "\"}" }, { "\"", "\"" }
	};
	const char *end;
	size_t i, len;

	for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		len = strlen(pairs[i][0]);
		if (strncmp(p, pairs[i][0], len) != 0)
			continue;
		end = strstr(p + len, pairs[i][1]);
		return (end == NULL ? p + strlen(p) :
		    end + strlen(pairs[i][1]));
	}
	return (p);
}

static bool
text_names(const char *text, struct fm_text name)
{
	const char *p = text, *behind;

	while (*p != '\0') {
		behind = skip_silent(p);
		if (behind != p) {
			p = behind;
			continue;
		}
		if ((p == text || !is_word_byte(p[-1])) &&
		    strncmp(p, name.b, name.len) == 0 &&
		    !is_word_byte(p[name.len]))
			return (true);
		p++;
	}
	return (false);
}

static bool
decl_names(const struct fm_import *im, const struct fm_vdecl *decl,
    struct fm_text name)
{
	size_t i;

	for (i = decl->first + 2; i <= decl->last; i++)
		if (im->tokens[i].kind == FM_VCL_NAME &&
		    fm_text_eq(im->tokens[i].text, name))
			return (true);
	return (false);
}

/* Whether anything does: without vcl_recv, what is said instead of it. */
static bool
is_named(const struct fm_import *im, const struct fm_vdecl *which,
    const char *recv)
{
	const struct fm_vdecl *decl;

	for (decl = im->decls; decl != NULL; decl = decl->next) {
		if (decl == which || decl->dropped ||
		    (recv != NULL && is_sub(decl, "vcl_recv")))
			continue;
		if (decl_names(im, decl, which->name))
			return (true);
	}
	return (recv != NULL && text_names(recv, which->name));
}

/* VCL refuses subs and acls that nothing uses. */
static void
drop_unnamed(struct fm_import *im, const char *recv)
{
	struct fm_vdecl *decl;
	bool again;

	do {
		again = false;
		for (decl = im->decls; decl != NULL; decl = decl->next) {
			if (decl->dropped || decl->name.len == 0 ||
			    (!fm_text_is(decl->kind, "sub") &&
			    !fm_text_is(decl->kind, "acl")) ||
			    (decl->name.len > 4 &&
			    memcmp(decl->name.b, "vcl_", 4) == 0))
				continue;
			if (is_named(im, decl, recv))
				continue;
			decl->dropped = true;
			again = true;
		}
	} while (again);
}

/*--------------------------------------------------------------------
 * What is new
 */

static void
init_put(const struct fm_import *im, FILE *to)
{
	const struct fm_import_part *part;
	const struct fm_name *b;
	char name[160];

	fputs("\n\nsub vcl_init {", to);
	for (part = im->parts; part != NULL; part = part->next) {
		fprintf(to, "\n\tnew %s = fastmatch.rules(\"%s\");",
		    part->object, part->path);
		for (b = im->backends; b != NULL; b = b->next) {
			(void)snprintf(name, sizeof name, "backend %.*s;",
			    (int)b->name.len, b->name.b);
			if (strstr(part->text, name) != NULL)
				fprintf(to, "\n\t%s.backend(\"%.*s\", %.*s);",
				    part->object, (int)b->name.len, b->name.b,
				    (int)b->vcl.len, b->vcl.b);
		}
	}
	fputs("\n}\n", to);
}

static void
synth_put(const struct fm_import *im, FILE *to)
{
	const struct fm_import_part *part;
	bool any = false;

	for (part = im->parts; part != NULL; part = part->next)
		any |= part->redirects;
	if (!any)
		return;
	fputs("\nsub vcl_synth {", to);
	for (part = im->parts; part != NULL; part = part->next)
		if (part->redirects)
			fprintf(to, "\n\t%s.apply();", part->object);
	fputs("\n}\n", to);
}

static void
new_put(const struct fm_import *im, const char *recv, FILE *to)
{
	if (im->nparts > 0) {
		if (!has_import(im))
			fputs("\n\nimport fastmatch;", to);
		init_put(im, to);
	} else {
		fputs("\n\n", to);
	}
	fprintf(to, "\nsub vcl_recv {%s\n}\n", recv);
	synth_put(im, to);
}

static const struct fm_vdecl *
last_recv(const struct fm_import *im)
{
	const struct fm_vdecl *decl, *last = NULL;

	for (decl = im->decls; decl != NULL; decl = decl->next)
		if (is_sub(decl, "vcl_recv"))
			last = decl;
	return (last);
}

/*
 * What comes behind `return (ok)` does not run: at the end of vcl_init it says
 * nothing, elsewhere there is no place for new objects.
 */
static bool
returns(const struct fm_vstmt *s, const struct fm_vstmt **end)
{
	const struct fm_arm *arm;

	for (; s != NULL; s = s->next) {
		if (s->kind == FM_VSTMT_RETURN) {
			if (s->next == NULL && end != NULL &&
			    fm_text_is(s->name, "ok")) {
				*end = s;
				return (false);
			}
			/* To fail is to have no VCL at all. */
			if (!fm_text_is(s->name, "fail"))
				return (true);
		}
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (returns(arm->body, NULL))
				return (true);
	}
	return (false);
}

static bool
decl_put(struct fm_import *im, const struct fm_vdecl *decl, FILE *to)
{
	const struct fm_vstmt *end = NULL;

	if (is_sub(decl, "vcl_init") && im->nparts > 0) {
		if (returns(decl->body, &end)) {
			fm_diag_error(im->diag, &im->tokens[decl->first].at,
			    "vcl_init returns before its end: what is new "
			    "behind it would not run");
			return (false);
		}
		if (end != NULL) {
			fm_import_vcl_put(im, decl->first, end->first - 1,
			    false, to);
			fm_import_vcl_put(im, end->last + 1, decl->last,
			    false, to);
			return (true);
		}
	}
	fm_import_vcl_put(im, decl->first, decl->last, false, to);
	return (true);
}

bool
fm_import_rest(struct fm_import *im, FILE *to)
{
	const struct fm_vdecl *decl, *last = last_recv(im), *later;
	char *recv = NULL;
	size_t len;
	FILE *memory = fm_import_memory(&recv, &len);
	bool good = true, before = last != NULL;

	fm_import_recv(im, memory);
	(void)fclose(memory);
	drop_unnamed(im, recv);
	for (decl = im->decls; good && decl != NULL; decl = decl->next) {
		if (decl == last) {
			new_put(im, recv, to);
			before = false;
			for (later = im->decls; later != last;
			    later = later->next)
				if (is_sub(later, "vcl_synth"))
					good &= decl_put(im, later, to);
		} else if (!decl->dropped && !is_sub(decl, "vcl_recv") &&
		    !(before && is_sub(decl, "vcl_synth"))) {
			good = decl_put(im, decl, to);
		}
	}
	fputc('\n', to);
	free(recv);
	return (good);
}
