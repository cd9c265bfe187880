/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the VCL that remains: the old VCL with a new vcl_recv, and without the
 * subs and acls that only the old vcl_recv has used.
 *
 * All that is new (objects, vcl_recv, vcl_synth) stands where the last vcl_recv
 * was: after the directors that the objects are told of.  If there is a new
 * vcl_synth, which sets Location, the old one comes last, to run after it.
 */

#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * vcl_recv: calls of .apply(), and the VCL between them
 */

/*
 * Writes the blanks and comments before a statement, from a new line on: the
 * line before may be a comment of ours.
 */
static void
lead_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text lead = im->vcl.tokens[stmt->first].lead;
	size_t n = 0;

	while (n < lead.len && fm_is_blank(lead.b[n]))
		n++;
	if (stmt->cut || n == lead.len || lead.b[n] != '\n')
		fm_import_put(im, "\n\t");
	else
		n = 0;
	if (!stmt->cut)
		fm_import_put(im, "%.*s", (int)(lead.len - n), lead.b + n);
}

void
fm_import_kept(struct fm_import *im, const struct fm_import_unit *unit)
{
	/* Rules have no statement for these. */
	static const char * const foreign[] = {
		"req.hash_always_miss", "req.hash_ignore_busy", "req.grace",
		"std.healthy", "restart", "vcl", "xkey.purge",
		"xkey.softpurge", NULL
	};
	const struct fm_vstmt *stmt = unit->stmt;
	const char *p;
	size_t n;

	im->nkept += fm_vstmts_count(stmt, unit->n);
	fm_import_put(im, "\n\n\t# Stays VCL: %s:%u: %s", unit->at.name,
	    unit->at.line, unit->why);
	if (unit->nearest != NULL) {
		fm_import_put(im, "\n\t# The nearest rules:%s",
		    *unit->nearest == '\0' ? " none is needed" : "");
		for (p = unit->nearest; *p != '\0'; p += n + 1) {
			n = strcspn(p, "\n");
			if (fm_is_blank(*p))
				fm_import_put(im, "\n\t# %.*s", (int)n, p);
		}
		if (unit->seen.tells != NULL)
			fm_import_put(im, "\n\t# They differ for: %s",
			    unit->seen.tells);
	}
	for (n = unit->n; n > 0; n--, stmt = stmt->next) {
		if (fm_vstmts_touch(&im->vcl, stmt, 1, foreign))
			im->nforeign += fm_vstmts_count(stmt, 1);
		lead_put(im, stmt);
		fm_vstmt_put(&im->vcl, stmt, im->to);
	}
}

/* Writes vcl_recv; several vcl_recv of the old VCL are joined, as VCL does. */
static void
recv_put(struct fm_import *im)
{
	struct fm_vstmt *first = NULL, **tail = &first;
	struct fm_import_unit *unit, *end;
	const struct fm_output *file;
	const struct fm_vdecl *decl;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, "vcl_recv"))
			for (*tail = decl->body; *tail != NULL;)
				tail = &(*tail)->next;
	im->units = fm_import_units(im, first);
	for (unit = im->units; unit != NULL; unit = end) {
		end = unit->next;
		if (unit->rules == NULL) {
			fm_import_kept(im, unit);
		} else {
			end = fm_import_file_end(unit);
			file = fm_import_file(im, unit, end);
			if (file != NULL)
				fm_import_put(im, "\n\t%s.apply();",
				    file->object);
		}
	}
}

/*--------------------------------------------------------------------
 * synthetic(): VCL has it until 9.0 only, and resp.body in all versions
 */

/* Notes what synthetic() writes in the subs of a name, and those they call. */
static void
body_note(struct fm_import *im, struct fm_text name, const char *body)
{
	struct fm_vdecl *decl;
	size_t i;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next) {
		if (!fm_text_is(decl->kind, "sub") ||
		    !fm_text_eq(decl->name, name) || (decl->body_is != NULL &&
		    (decl->body_is == body || *decl->body_is == '\0')))
			continue;
		decl->body_is = decl->body_is == NULL ? body : "";
		for (i = decl->open; i < decl->close; i++)
			if (fm_token_is(&im->vcl, i, "call"))
				body_note(im, im->vcl.tokens[i + 1].text,
				    decl->body_is);
	}
}

/*
 * Makes `synthetic(X);` to `set BODY = X;`, or to `set BODY += X;`.  A `set`
 * takes X + Y where X is a text, and synthetic() also where it is a number.
 */
static void
body_set(struct fm_import *im, const struct fm_vstmt *stmt, const char *body,
    bool adds)
{
	struct fm_vcl_token *token = im->vcl.tokens + stmt->first, *part;
	struct fm_vcl_token *end = im->vcl.tokens + stmt->last - 1;
	bool number = false;

	for (part = token + 2; part < end; part++)
		number |= token[2].kind != FM_VCL_STRING &&
		    fm_text_is(part->text, "+");
	token->text = fm_import_text(im, "set %s %s=%s", body, adds ? "+" : "",
	    number ? " \"\" +" : "");
	token[1].text = fm_text_of(token[2].lead.len > 0 ? "" : " ");
	end->text = fm_text_of("");
	if (end->lead.len > 0 && fm_is_blank(end->lead.b[0]))
		end->lead = fm_text_of("");
}

/*
 * Replaces synthetic() in statements.  It adds to what was written before, as
 * `+=` does; `wrote`: there may be such.  Returns true if there may be after
 * the statements.
 */
static bool
bodies_set(struct fm_import *im, const struct fm_vstmt *stmt,
    const char *body, bool wrote)
{
	const struct fm_arm *arm;
	bool before;

	for (; stmt != NULL; stmt = stmt->next) {
		before = wrote;
		if (fm_token_is(&im->vcl, stmt->first, "synthetic") &&
		    fm_token_is(&im->vcl, stmt->first + 1, "(") &&
		    fm_token_is(&im->vcl, stmt->last - 1, ")")) {
			body_set(im, stmt, body, wrote);
			wrote = true;
		}
		wrote |= stmt->kind == FM_VSTMT_CALL || (stmt->kind ==
		    FM_VSTMT_SET && fm_text_is(stmt->name, body));
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (bodies_set(im, arm->body, body, before) &&
			    !fm_vstmts_end(arm->body))
				wrote = true;
	}
	return (wrote);
}

/* Replaces synthetic() in all subs, but for those that write both bodies. */
static void
synthetic_replace(struct fm_import *im)
{
	bool wrote[2] = { false, false };
	const struct fm_vdecl *decl;
	bool other;

	body_note(im, fm_text_of("vcl_synth"), "resp.body");
	body_note(im, fm_text_of("vcl_backend_error"), "beresp.body");
	for (decl = im->vcl.decls; decl != NULL; decl = decl->next) {
		if (decl->body_is == NULL || *decl->body_is == '\0')
			continue;
		other = fm_vdecl_is_sub(decl, "vcl_backend_error");
		if (other || fm_vdecl_is_sub(decl, "vcl_synth"))
			wrote[other] = bodies_set(im, decl->body,
			    decl->body_is, wrote[other]);
		else
			(void)bodies_set(im, decl->body, decl->body_is, true);
	}
}

/*--------------------------------------------------------------------
 * The whole VCL
 */

/* Writes .backend() for the backends and directors that some rules name. */
static void
backends_put(struct fm_import *im, const struct fm_output *file)
{
	const struct fm_vcl_token *token;
	bool director;

	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++) {
		director = fm_text_is(token->text, "new");
		if ((director || fm_text_is(token->text, "backend")) &&
		    strstr(file->text, fm_import_printf(im, "backend %.*s;",
		    FM_ARG(token[1].text))) != NULL)
			fm_import_put(im, "\n\t%s.backend(\"%.*s\", %.*s%s);",
			    file->object, FM_ARG(token[1].text),
			    FM_ARG(token[1].text), director ? ".backend()" :
			    "");
	}
}

/* Writes the objects in vcl_init, and the new vcl_recv and vcl_synth. */
static void
new_put(struct fm_import *im, const char *recv)
{
	const struct fm_output *file;

	if (im->nfiles > 0 && fm_vcl_find(&im->vcl, "import",
	    fm_text_of("fastmatch")) == NULL)
		fm_import_put(im, "\n\nimport fastmatch;");
	fm_import_called_put(im, NULL);
	fm_import_put(im, im->nfiles > 0 ? "\n\nsub vcl_init {" : "\n");
	for (file = im->files; file != NULL; file = file->next) {
		if (file->object == NULL)
			continue;
		fm_import_put(im, "\n\tnew %s = fastmatch.rules(\"%s\");",
		    file->object, file->path);
		backends_put(im, file);
		fm_import_called_put(im, file->object);
	}
	fm_import_put(im, im->nfiles > 0 ? "\n}\n" : "\n");
	if (recv != NULL)
		fm_import_put(im, "\nsub vcl_recv {%s\n}\n", recv);
	fm_import_subs_vcl(im);
}

static void
decl_put(struct fm_import *im, size_t first, size_t last)
{
	fm_vcl_put(&im->vcl, first, last, true, im->to);
}

/*
 * Writes an old vcl_init without the `return (ok);` at its end: the objects are
 * made in another vcl_init after this one, which would not run after a return.
 */
static bool
init_put(struct fm_import *im, const struct fm_vdecl *decl)
{
	size_t i, from = decl->first;

	for (i = decl->open; i < decl->close; i++) {
		if (!fm_token_is(&im->vcl, i, "return") ||
		    !fm_token_is(&im->vcl, i + 2, "ok"))
			continue;
		if (i + 5 != decl->close) {
			fm_diag_error(im->vcl.diag, &im->vcl.tokens[i].at,
			    "vcl_init returns before its end: what is new "
			    "after it would not run; let it return at its "
			    "end only");
			return (false);
		}
		decl_put(im, decl->first, i - 1);
		from = decl->close;
	}
	decl_put(im, from, decl->last);
	return (true);
}

const char *
fm_import_rest(struct fm_import *im)
{
	const struct fm_vdecl *last = NULL;
	struct fm_vdecl *decl;
	bool good = true, has_recv;
	const char *recv;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, "vcl_recv")) {
			decl->replaced = true;
			last = decl;
		}
	has_recv = last != NULL;
	fm_import_dangers(im);
	fm_import_catch(im);
	recv_put(im);
	recv = fm_import_caught(im);
	synthetic_replace(im);
	fm_import_subs(im);
	fm_import_file_blocks(im);
	fm_vcl_keep_named(&im->vcl);
	for (decl = im->vcl.decls; decl != NULL && !has_recv;
	    decl = decl->next)
		if (decl->replaced || fm_vdecl_is_sub(decl, "vcl_init"))
			last = decl;
	fm_import_catch(im);
	for (decl = im->vcl.decls; decl != NULL; decl = decl->next) {
		if (fm_vdecl_is_sub(decl, "vcl_init") && im->nfiles > 0)
			good = good && init_put(im, decl);
		else if (decl->stays && !decl->replaced)
			decl_put(im, decl->first, decl->last);
		if (decl == last)
			new_put(im, has_recv ? recv : NULL);
	}
	fm_import_put(im, "\n");
	recv = fm_import_caught(im);
	return (good ? recv : NULL);
}
