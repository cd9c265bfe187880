/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the VCL that loads rules (vcl_file.h): finds its objects and the names
 * that they give to backends, and walks vcl_recv and vcl_synth to warn of VCL
 * that doesn't suit the rules.
 */

#include <stdlib.h>

#include "vcl_calls.h"
#include "vcl_file.h"

#define WALK_DEPTH	16	/* calls of subs inside each other */

/* An object: new NAME = fastmatch.rules(PATH, shadow=SHADOW, next=NEXT); */
struct object {
	struct fm_text		name;
	const char		*path;		/* NULL: not constant */
	const char		*shadow;	/* NULL: none, not constant */
	const char		*next_file;	/* so is this */
	struct object		*next;
};

struct fm_vcl_file {
	struct fm_vcl_tree		tree;
	struct object		*objects;
	struct fm_backends	names;
	struct fm_backends	subs;		/* that rules may call */
	struct fm_backends	reads;		/* headers of the request that
						 * it only reads */
};

/*--------------------------------------------------------------------
 * Objects
 */

/* Returns an argument of a call, given by its name or by its place; or NULL. */
static const struct fm_expr *
argument(const struct fm_expr *call, const char *name, unsigned place)
{
	const struct fm_expr *expr = call->first;

	for (; expr != NULL && !(expr->name.b == NULL ? place == 0 :
	    fm_text_is(expr->name, name)); expr = expr->next)
		place--;
	return (expr);
}

/*
 * Returns the text of an argument of the call that is written from a token on
 * up to a `;`.  NULL: it isn't given, or is not a constant.
 */
static const char *
argument_text(struct fm_vcl_tree *tree, size_t n, const char *name,
    unsigned place)
{
	const struct fm_expr *expr;
	struct fm_text text;
	size_t end = n;

	while (end < tree->ntokens && !fm_token_is(tree, end, ";"))
		end++;
	expr = argument(fm_vcl_call(tree, n, end), name, place);
	if (expr == NULL || !fm_expr_constant(tree, expr, &text))
		return (NULL);
	return (fm_vcl_printf(tree, "%.*s", (int)text.len, text.b));
}

/* Returns true if a token is the call of a method: NAME.METHOD before a (. */
static bool
is_method(const struct fm_vcl_tree *tree, size_t n, const struct object *object,
    const char *method)
{
	return (fm_token_is(tree, n + 1, "(") &&
	    fm_vcl_is_method(&tree->tokens[n], object->name, method));
}

static void
objects_find(struct fm_vcl_file *vcl)
{
	struct object **tail = &vcl->objects, *object;
	struct fm_vcl_tree *tree = &vcl->tree;
	size_t n;

	for (n = 0; n + 4 < tree->ntokens; n++) {
		if (!fm_token_is(tree, n, "new") ||
		    !fm_token_is(tree, n + 2, "=") ||
		    !fm_token_is(tree, n + 3, "fastmatch.rules") ||
		    !fm_token_is(tree, n + 4, "("))
			continue;
		*tail = object = fm_vcl_alloc(tree, sizeof *object);
		object->name = tree->tokens[n + 1].text;
		object->path = argument_text(tree, n + 3, "path", 0);
		object->shadow = argument_text(tree, n + 3, "shadow", 5);
		object->next_file = argument_text(tree, n + 3, "next", 7);
		tail = &object->next;
	}
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (slash == NULL ? path : slash + 1);
}

static bool
path_is(const char *path, const char *rules)
{
	const char *base;

	if (path == NULL || *path == '\0')
		return (false);
	base = base_name(path);
	return (strncmp(base_name(rules), base, strlen(base)) == 0);
}

/* Returns true if an object loads a file, as its rules or beside them. */
static bool
object_loads(const struct object *object, const char *rules)
{
	return (path_is(object->path, rules) ||
	    path_is(object->shadow, rules) ||
	    path_is(object->next_file, rules));
}

/* Returns the first object that counts for the rules, from `object` on. */
static const struct object *
object_next(const struct fm_vcl_file *vcl, const struct object *object,
    const char *rules)
{
	const struct object *loader = vcl->objects;

	while (loader != NULL && !object_loads(loader, rules))
		loader = loader->next;
	while (loader != NULL && object != NULL &&
	    !object_loads(object, rules))
		object = object->next;
	return (object);
}

/*--------------------------------------------------------------------
 * Names of backends and subs
 */

/* Adds a name, which is not copied. */
static void
name_add(struct fm_backends *names, const char *name)
{
	*(const char **)fm_cli_grow(&names->v, names->n++, &names->room,
	    sizeof name) = name;
}

/* Returns true if one of the names, from a place on, is this one. */
static bool
names_have(const struct fm_backends *names, size_t from, const char *name)
{
	while (from < names->n && strcmp(names->v[from], name) != 0)
		from++;
	return (from < names->n);
}

/* Reports a name that an earlier call of the method has given. */
static void
twice_tell(struct fm_vcl_file *vcl, const struct object *object,
    const char *method, size_t at, const char *name, struct fm_diag *diag)
{
	struct fm_vcl_tree *tree = &vcl->tree;
	char place[FM_PLACE_LEN];
	const char *first;
	size_t n;

	for (n = 0, first = NULL; first == NULL ||
	    strcmp(first, name) != 0; n++)
		first = is_method(tree, n, object, method) ?
		    argument_text(tree, n, "name", 0) : NULL;
	fm_diag_error(diag, &tree->tokens[at].at, "%s '%s' named twice, which "
	    "fails vcl.load: give it another name, or remove this; the first "
	    "is at %s", method, name,
	    fm_place_print(&tree->tokens[n - 1].at, place));
}

/* Adds the names that calls of a method give. */
static void
names_take(struct fm_vcl_file *vcl, const struct object *object,
    const char *method, struct fm_backends *names, const char *unknown,
    struct fm_diag *diag)
{
	struct fm_vcl_tree *tree = &vcl->tree;
	size_t at, from = names->n;
	const char *name;

	for (at = 0; at < tree->ntokens; at++) {
		if (!is_method(tree, at, object, method))
			continue;
		name = argument_text(tree, at, "name", 0);
		if (name != NULL) {
			if (names_have(names, from, name))
				twice_tell(vcl, object, method, at, name,
				    diag);
			name_add(names, name);
		} else {
			fm_diag_warning(diag, &tree->tokens[at].at, "which "
			    "name this gives to a %s is not known before VCL "
			    "runs: write it as a string%s", method, unknown);
		}
	}
}

static void
names_find(struct fm_vcl_file *vcl, const struct fm_backends *given,
    const char *rules, struct fm_check_options *options, struct fm_diag *diag)
{
	static const char * const none[1];
	const struct object *object;
	size_t i;

	for (i = 0; i < given->n; i++)
		name_add(&vcl->names, given->v[i]);
	for (object = object_next(vcl, vcl->objects, rules); object != NULL;
	    object = object_next(vcl, object->next, rules)) {
		names_take(vcl, object, "backend", &vcl->names,
		    ", or give --backend NAME as well", diag);
		names_take(vcl, object, "sub", &vcl->subs, "", diag);
		options->serving |= object_loads(object, rules);
	}
	options->backends = vcl->names.n > 0 ? vcl->names.v : none;
	options->nbackends = vcl->names.n;
	options->subs = vcl->subs.n > 0 ? vcl->subs.v : none;
	options->nsubs = vcl->subs.n;
}

/*--------------------------------------------------------------------
 * Headers that VCL reads
 */

/* Returns the name of a header of this object, or the missing text. */
static struct fm_text
header_of(const struct fm_vcl_token *token, const char *object)
{
	size_t len = strlen(object);

	if (token->kind != FM_VCL_NAME || !fm_text_begins(token->text, object))
		return (fm_text(NULL, 0));
	return (fm_text(token->text.b + len, token->text.len - len));
}

static bool
is_edited(const struct fm_vcl_tree *tree, size_t n)
{

	return (n > 0 && (fm_token_is(tree, n - 1, "set") ||
	    fm_token_is(tree, n - 1, "unset")));
}

/*
 * Returns true if VCL sets or unsets a header itself before it is read: that of
 * `bereq` comes too late for `req`.
 */
static bool
header_is_set(const struct fm_vcl_tree *tree, struct fm_text name)
{
	size_t n;

	for (n = 1; n < tree->ntokens; n++)
		if (is_edited(tree, n) && fm_text_eq_nocase(
		    header_of(&tree->tokens[n], "req.http."), name))
			return (true);
	return (false);
}

static void
reads_find(struct fm_vcl_file *vcl, struct fm_check_options *options)
{
	struct fm_vcl_tree *tree = &vcl->tree;
	struct fm_text name;
	size_t n;

	for (n = 0; n < tree->ntokens; n++) {
		name = header_of(&tree->tokens[n], "req.http.");
		if (name.len == 0)
			name = header_of(&tree->tokens[n], "bereq.http.");
		if (name.len > 0 && !is_edited(tree, n) &&
		    !header_is_set(tree, name))
			name_add(&vcl->reads, fm_vcl_printf(tree, "%.*s",
			    (int)name.len, name.b));
	}
	options->vcl_reads = vcl->reads.v;
	options->nvcl_reads = vcl->reads.n;
}

static bool
vcl_read(struct fm_vcl_file *vcl, const char *path, struct fm_diag *diag)
{
	const struct fm_place at = { .name = path };

	vcl->tree.diag = diag;
	vcl->tree.no_memory = fm_cli_no_memory;
	if (!fm_vcl_read(&vcl->tree, path) || !fm_vcl_parse(&vcl->tree))
		return (false);
	objects_find(vcl);
	if (vcl->objects == NULL)
		fm_diag_error(diag, &at, "no rules are loaded here: give the "
		    "VCL that has `new NAME = fastmatch.rules(...);`");
	return (vcl->objects != NULL);
}

bool
fm_vcl_file_open(struct fm_vcl_file **vclp, const struct fm_backends *given,
    const char *rules, struct fm_check_options *options, struct fm_diag *diag)
{
	struct fm_vcl_file *vcl;

	*vclp = NULL;
	options->backends = given->v;
	options->nbackends = given->n;
	if (given->vcl == NULL)
		return (true);
	*vclp = vcl = fm_cli_alloc(sizeof *vcl);
	if (!vcl_read(vcl, given->vcl, diag)) {
		fm_vcl_file_close(vclp);
		return (false);
	}
	names_find(vcl, given, rules, options, diag);
	reads_find(vcl, options);
	return (true);
}

void
fm_vcl_file_close(struct fm_vcl_file **vclp)
{
	struct fm_vcl_file *vcl = *vclp;

	*vclp = NULL;
	if (vcl == NULL)
		return;
	free(vcl->names.v);
	free(vcl->subs.v);
	free(vcl->reads.v);
	fm_vcl_fini(&vcl->tree);
	free(vcl);
}

/*--------------------------------------------------------------------
 * The walk through a sub and all subs that it calls
 */

struct walk {
	const struct fm_vcl_tree	*tree;
	const struct object	*object, *objects;
	const struct fm_place	*apply;		/* the first .apply() */
	const struct fm_place	*end;		/* the first .apply() that ends
						 * vcl_synth for redirects */
	const struct fm_place	*header;	/* the first header that is set
						 * or unset after `end` */
	const struct fm_place	*late;		/* the first test of the status,
						 * or .apply() of another
						 * object, after `end` */
	const struct fm_vdecl	*calls[WALK_DEPTH];
	unsigned		depth;
	unsigned		others;		/* open `if`s that no redirect
						 * gets into */
};

/*
 * Notes a header that is set or unset where a redirect can't get, because
 * .apply() has delivered it (`ended`).  Headers that only an error page has are
 * fine there.
 */
static void
walk_header(struct walk *walk, const struct fm_vstmt *stmt, bool ended)
{
	static const char before[] = "resp.http.";
	static const char * const pages[] = {
		"Content-Type", "Content-Length", "Retry-After"
	};
	size_t i, len = sizeof before - 1;
	struct fm_text name = stmt->name;

	if (!ended || walk->others > 0 || walk->header != NULL ||
	    name.len <= len || memcmp(name.b, before, len) != 0)
		return;
	name = fm_text(name.b + len, name.len - len);
	for (i = 0; i < sizeof pages / sizeof *pages; i++)
		if (fm_text_eq_nocase(name, fm_text_of(pages[i])))
			return;
	walk->header = &stmt->at;
}

/* Notes an .apply(), which ends the sub unless it has finish=false. */
static void
walk_apply(struct walk *walk, const struct fm_vstmt *stmt, bool *ended)
{
	const struct fm_expr *finish = stmt->kind != FM_VSTMT_ACTION ? NULL :
	    argument(stmt->value, "finish", 0);

	if (walk->apply == NULL)
		walk->apply = &stmt->at;
	if (finish != NULL && finish->kind == FM_EXPR_FALSE)
		return;
	if (walk->end == NULL)
		walk->end = &stmt->at;
	*ended = true;
}

/* Notes an .apply() of another object, to which no answer gets. */
static void
walk_another(struct walk *walk, const struct fm_vstmt *stmt)
{
	const struct object *object = walk->objects;

	while (object != NULL &&
	    !is_method(walk->tree, stmt->first, object, "apply"))
		object = object->next;
	if (object != NULL && walk->late == NULL)
		walk->late = &stmt->at;
}

/* Returns true if no status of a redirect (3xx) fulfils a condition. */
static bool
for_others(const struct fm_expr *cond)
{
	const struct fm_expr *expr = cond->first;
	unsigned long status;

	if (cond->kind == FM_EXPR_AND || cond->kind == FM_EXPR_OR) {
		while (expr != NULL &&
		    for_others(expr) == (cond->kind == FM_EXPR_OR))
			expr = expr->next;
		return ((expr == NULL) == (cond->kind == FM_EXPR_OR));
	}
	if (cond->kind != FM_EXPR_COMPARE || expr->kind != FM_EXPR_NAME ||
	    !fm_text_is(expr->text, "resp.status") ||
	    expr->next->kind != FM_EXPR_NUMBER)
		return (false);
	status = strtoul(expr->next->text.b, NULL, 10);
	if (fm_text_is(cond->text, "=="))
		return (status < 300 || status > 399);
	return ((fm_text_is(cond->text, ">=") && status >= 400) ||
	    (fm_text_is(cond->text, ">") && status >= 399));
}

/* Returns true if an expression has a variable in it. */
static bool
expr_has(const struct fm_expr *expr, const char *variable)
{
	for (; expr != NULL; expr = expr->next)
		if ((expr->kind == FM_EXPR_NAME &&
		    fm_text_is(expr->text, variable)) ||
		    expr_has(expr->first, variable))
			return (true);
	return (false);
}

static void walk_stmts(struct walk *, const struct fm_vstmt *, bool *ended);

static void
walk_if(struct walk *walk, const struct fm_vstmt *stmt, bool *ended)
{
	bool before = *ended, arm_ended, others, otherwise = false;
	const struct fm_arm *arm;

	*ended = false;
	for (arm = stmt->arms; arm != NULL; arm = arm->next) {
		arm_ended = before;
		others = arm->cond != NULL && for_others(arm->cond);
		if (before && walk->late == NULL &&
		    expr_has(arm->cond, "resp.status"))
			walk->late = &stmt->at;
		walk->others += others;
		walk_stmts(walk, arm->body, &arm_ended);
		walk->others -= others;
		*ended |= arm_ended;
		otherwise = arm->cond == NULL;
	}
	*ended |= before && !otherwise;
}

static void
walk_call(struct walk *walk, struct fm_text name, bool *ended)
{
	const struct fm_vdecl *sub = fm_vcl_find(walk->tree, "sub", name);
	unsigned i;

	/* VCL forbids recursion; this keeps the walk from looping. */
	for (i = 0; i < walk->depth; i++)
		if (walk->calls[i] == sub)
			return;
	if (sub == NULL || walk->depth == WALK_DEPTH)
		return;
	walk->calls[walk->depth++] = sub;
	walk_stmts(walk, sub->body, ended);
	walk->depth--;
}

static void
walk_stmts(struct walk *walk, const struct fm_vstmt *stmt, bool *ended)
{
	for (; stmt != NULL; stmt = stmt->next)
		switch (stmt->kind) {
		case FM_VSTMT_IF:
			walk_if(walk, stmt, ended);
			break;
		case FM_VSTMT_SET:
		case FM_VSTMT_UNSET:
			walk_header(walk, stmt, *ended);
			break;
		case FM_VSTMT_CALL:
			walk_call(walk, stmt->name, ended);
			break;
		case FM_VSTMT_RETURN:
			/* A bare `return;` leaves the sub only. */
			if (stmt->name.len > 0)
				*ended = false;
			return;
		default:
			walk_stmts(walk, stmt->block, ended);
			if (is_method(walk->tree, stmt->first, walk->object,
			    "apply"))
				walk_apply(walk, stmt, ended);
			else if (*ended)
				walk_another(walk, stmt);
		}
}

/* Walks all subs of a name: VCL joins the bodies of several vcl_recv. */
static void
walk_all(struct walk *walk, const struct fm_vcl_file *vcl,
    const struct object *object, const char *sub)
{
	const struct fm_vdecl *decl;
	bool ended = false;

	*walk = (struct walk){ .tree = &vcl->tree, .object = object,
	    .objects = vcl->objects };
	for (decl = vcl->tree.decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    fm_text_is(decl->name, sub))
			walk_stmts(walk, decl->body, &ended);
}

/*--------------------------------------------------------------------
 * Advice
 */

static bool
stmt_redirects(const struct fm_stmt *stmt)
{
	return (stmt->kind == FM_STMT_REDIRECT);
}

/* Returns true if a statement ends ESI sub-requests with an answer. */
static bool
stmt_denies(const struct fm_stmt *stmt)
{
	return ((stmt->kind == FM_STMT_SYNTH && stmt->synth.code >= 400) ||
	    (stmt->kind == FM_STMT_ANSWER && stmt->answer.code >= 400));
}

static bool
block_has(const struct fm_block *block, bool (*is)(const struct fm_stmt *))
{
	const struct fm_stmt *stmt;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next)
		if (is(stmt) || (stmt->kind == FM_STMT_WHEN &&
		    (block_has(stmt->when.then, is) ||
		    block_has(stmt->when.otherwise, is))))
			return (true);
	return (false);
}

/* Returns true if some rule is such a statement. */
static bool
model_has(const struct fm_model *model, bool (*is)(const struct fm_stmt *))
{
	bool found = block_has(model->always, is) ||
	    block_has(model->finally, is);
	const struct fm_ruleset_def *r;
	const struct fm_site *s;

	for (r = model->rulesets; r != NULL && !found; r = r->next)
		found = block_has(r->block, is);
	for (s = model->sites; s != NULL && !found; s = s->next)
		found = block_has(s->block, is);
	return (found);
}

/* Warns of what is wrong without an .apply() in vcl_synth. */
static void
advise_missing(const struct fm_vcl_file *vcl, const struct object *object,
    const char *wrong, struct fm_diag *diag)
{
	const struct fm_vdecl *synth = fm_vcl_find(&vcl->tree, "sub",
	    fm_text_of("vcl_synth"));
	int len = (int)object->name.len;
	const char *name = object->name.b;
	char where[FM_PLACE_LEN];
	struct walk recv;

	walk_all(&recv, vcl, object, "vcl_recv");
	if (recv.apply == NULL)
		return;
	if (synth == NULL)
		fm_diag_warning(diag, recv.apply, "%s, as no vcl_synth calls "
		    "%.*s.apply(): add `sub vcl_synth { %.*s.apply(); }`",
		    wrong, len, name, len, name);
	else
		fm_diag_warning(diag, recv.apply, "%s, as vcl_synth doesn't "
		    "call %.*s.apply(): add `%.*s.apply();` to it, before what "
		    "makes a page (%s)", wrong, len, name, len, name,
		    fm_place_print(&vcl->tree.tokens[synth->first].at, where));
}

/* Warns of what vcl_synth does after an .apply() that ends it. */
static void
advise_late(const struct object *object, const struct walk *synth,
    const struct fm_place *at, const char *what, const char *instead,
    struct fm_diag *diag)
{
	int len = (int)object->name.len;
	const char *name = object->name.b;
	char where[FM_PLACE_LEN];

	fm_diag_warning(diag, at, "%s %.*s.apply() at %s ends vcl_synth%s, or "
	    "write %.*s.apply(finish=false)", what, len, name,
	    fm_place_print(synth->end, where), instead, len, name);
}

bool
fm_vcl_file_calls(const struct fm_vcl_file *vcl, const char *rules,
    const struct fm_program *program, struct fm_diag *diag)
{
	unsigned subs = fm_calls_needed(
	    fm_program_phase(program, FM_PHASE_KEY) != NULL,
	    fm_program_phase(program, FM_PHASE_FETCH) != NULL,
	    fm_program_phase(program, FM_PHASE_RESPONSE) != NULL,
	    fm_program_phase(program, FM_PHASE_DELIVERY) != NULL,
	    fm_program_acts_in_synth(program), fm_program_sets_host(program),
	    fm_program_asks_own(program));
	const struct object *object;
	struct fm_vcl_calls calls;
	bool good = true;
	unsigned own;

	for (object = object_next(vcl, vcl->objects, rules); object != NULL;
	    object = object_next(vcl, object->next, rules)) {
		fm_vcl_calls(&vcl->tree, object->name, &calls);
		own = subs;
		/* The present rules may be for responses. */
		if (path_is(object->next_file, rules) &&
		    fm_program_sets_host(program) &&
		    calls.subs[FM_VCL_SUB_BACKEND_RESPONSE].reach !=
		    FM_VCL_NEVER)
			own |= FM_VCL_BIT(BACKEND_FETCH);
		if (own == 0)
			continue;
		good &= fm_calls_missing(&calls, object->name, own, diag);
		if (fm_program_wants_cause(program))
			fm_calls_advise(&calls, object->name, diag);
	}
	return (good);
}

void
fm_vcl_file_advise(struct fm_vcl_file *vcl, const char *rules,
    const struct fm_model *model, struct fm_diag *diag)
{
	const struct object *object;
	struct walk synth;

	for (object = object_next(vcl, vcl->objects, rules); object != NULL;
	    object = object_next(vcl, object->next, rules)) {
		walk_all(&synth, vcl, object, "vcl_synth");
		if (synth.apply == NULL && model_has(model, stmt_redirects))
			advise_missing(vcl, object, "the rules redirect, and "
			    "the client gets no Location", diag);
		if (synth.apply == NULL && vcl->tree.esi &&
		    model_has(model, stmt_denies))
			advise_missing(vcl, object, "the rules deny, and a "
			    "page gets the error page of a denied ESI include "
			    "in its middle", diag);
		if (synth.late != NULL &&
		    fm_model_has(model, FM_PHASE_DELIVERY))
			advise_late(object, &synth, synth.late, "nothing "
			    "gets here: the rules have `delivery`, so", "; "
			    "make an answer of VCL's own before it", diag);
		else if (synth.header != NULL)
			advise_late(object, &synth, synth.header, "redirects "
			    "of the rules don't get here:", " for them; put "
			    "the headers before it", diag);
	}
}
