/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks all paths through a sub of VCL, to see which of them call .apply()
 * (vcl_calls.h).  The paths that get to a statement are a set of three kinds:
 * an `if` makes the sets of its arms one again.
 */

#include "vcl_calls.h"

#define PATH_WITHOUT	1U	/* a path without the call so far */
#define PATH_WITH	2U
#define PATH_UNKNOWN	4U	/* it met what isn't understood */

#define WALK_DEPTH	32	/* calls of subs inside each other */
#define WALK_STEPS	100000	/* statements: subs that call many others */

struct walk {
	const struct fm_vcl_tree	*tree;
	struct fm_text		object;
	bool			called;		/* .apply() was met */
	bool			returns;	/* missed is a `return` */
	const struct fm_place	*missed;	/* the first end of a path
						 * without the call */
	const struct fm_place	*unknown;	/* the first that isn't
						 * understood */
	bool			sets_host;	/* req.http.Host, after the
						 * call */
	bool			pipes;		/* return (pipe), after the
						 * call */
	const struct fm_place	*rollback;	/* of req, after the call */
	unsigned		left;		/* paths that left the sub by
						 * `return;` */
	unsigned		depth, steps;
};

static unsigned walk_stmts(struct walk *, const struct fm_vstmt *, unsigned);

bool
fm_vcl_is_method(const struct fm_vcl_token *token, struct fm_text object,
    const char *method)
{
	struct fm_text text = token->text;

	return (token->kind == FM_VCL_NAME && text.len > object.len + 1 &&
	    memcmp(text.b, object.b, object.len) == 0 &&
	    text.b[object.len] == '.' &&
	    fm_text_is(fm_text(text.b + object.len + 1,
	    text.len - object.len - 1), method));
}

/* What isn't understood may make the call, or end the sub without it. */
static unsigned
walk_unknown(struct walk *walk, const struct fm_place *at, unsigned paths)
{
	if ((paths & PATH_WITHOUT) == 0)
		return (paths);
	if (walk->unknown == NULL)
		walk->unknown = at;
	return ((paths & ~PATH_WITHOUT) | PATH_UNKNOWN);
}

/* Notes paths that end at a place. */
static void
walk_end(struct walk *walk, const struct fm_place *at, bool returns,
    unsigned paths)
{
	if ((paths & PATH_WITHOUT) != 0 && walk->missed == NULL) {
		walk->missed = at;
		walk->returns = returns;
	}
}

static void
walk_return(struct walk *walk, const struct fm_vstmt *stmt, unsigned paths)
{
	static const char * const given_up[] = {
		"restart", "retry", "abandon", "fail", "error", "synth", NULL
	};
	const struct fm_vcl_token *token = walk->tree->tokens + stmt->first;

	walk->pipes |= (paths & PATH_WITH) != 0 &&
	    fm_text_is(stmt->name, "pipe");
	if (!fm_token_is(walk->tree, stmt->first + 1, "("))
		walk->left |= paths;
	else if (!fm_text_is_one_of(token[2].text, given_up))
		walk_end(walk, &stmt->at, true, paths);
}

static unsigned
walk_arms(struct walk *walk, const struct fm_vstmt *stmt, unsigned paths)
{
	const struct fm_arm *arm;
	bool otherwise = false;
	unsigned after = 0;

	for (arm = stmt->arms; arm != NULL; arm = arm->next) {
		after |= walk_stmts(walk, arm->body, paths);
		otherwise = arm->cond == NULL;
	}
	return (after | (otherwise ? 0 : paths));
}

/*
 * Walks all subs of a name, one after the other, as VCL joins them.  Returns
 * the last of them, NULL if there is none; *paths becomes those that go on.
 */
static const struct fm_vdecl *
walk_sub(struct walk *walk, struct fm_text name, unsigned *paths)
{
	struct fm_vdecl * const *decl;
	const struct fm_vdecl *last = NULL;
	unsigned left = walk->left;
	size_t n;

	walk->depth++;
	for (decl = fm_vcl_subs(walk->tree, name, &n); n > 0; decl++, n--) {
		last = *decl;
		walk->left = 0;
		*paths = walk_stmts(walk, last->body, *paths);
		*paths |= walk->left;
	}
	walk->depth--;
	walk->left = left;
	return (last);
}

static unsigned
walk_call(struct walk *walk, const struct fm_vstmt *stmt, unsigned paths)
{
	/* VCL forbids recursion; the limit keeps the walk from looping. */
	if (walk->depth == WALK_DEPTH ||
	    walk_sub(walk, stmt->name, &paths) == NULL)
		return (walk_unknown(walk, &stmt->at, paths));
	return (paths);
}

/*
 * Returns true if token n begins a `set` or an `unset` of Host, in req or
 * bereq.  VCL may write that as req.http."Host", too.
 */
static bool
edits_host(const struct fm_vcl_tree *tree, size_t n, const char *http)
{
	const struct fm_vcl_token *token = tree->tokens + n + 1;
	struct fm_text name = token->text;
	size_t len = strlen(http);

	if ((!fm_token_is(tree, n, "set") && !fm_token_is(tree, n, "unset")) ||
	    token->kind != FM_VCL_NAME || !fm_text_begins(name, http))
		return (false);
	if (name.len > len)
		name = fm_text(name.b + len, name.len - len);
	else if (fm_token_is(tree, n + 2, ".") &&
	    token[2].kind == FM_VCL_STRING)
		return (fm_text_is_nocase(token[2].value, "Host"));
	return (fm_text_is_nocase(name, ".Host"));
}

static void
walk_set(struct walk *walk, const struct fm_vstmt *stmt, unsigned paths)
{
	if ((paths & PATH_WITH) != 0 &&
	    edits_host(walk->tree, stmt->first, "req.http"))
		walk->sets_host = true;
}

/* Returns true for .call(), by which VMODs call subs. */
static bool
is_dynamic(struct fm_text text)
{
	static const char end[] = ".call";
	size_t len = sizeof end - 1;

	return (text.len > len && memcmp(text.b + text.len - len, end, len) ==
	    0);
}

/* Returns true for std.rollback(req), whatever name std was imported by. */
static bool
rolls_back(const struct fm_vcl_tree *tree, size_t n)
{
	static const char end[] = ".rollback";
	struct fm_text text = tree->tokens[n].text;
	size_t len = sizeof end - 1;

	return (text.len > len &&
	    memcmp(text.b + text.len - len, end, len) == 0 &&
	    fm_token_is(tree, n + 1, "(") && fm_token_is(tree, n + 2, "req"));
}

/* Walks a call of a method or function, or what isn't understood. */
static unsigned
walk_action(struct walk *walk, const struct fm_vstmt *stmt, unsigned paths)
{
	static const char * const harmless[] = { "new", "set", "unset", NULL };
	const struct fm_vcl_token *token = walk->tree->tokens + stmt->first;
	struct fm_text text = token->text;

	if (stmt->block != NULL)
		return (walk_stmts(walk, stmt->block, paths));
	if (fm_vcl_is_method(token, walk->object, "apply")) {
		walk->called = true;
		return (PATH_WITH);
	}
	walk_set(walk, stmt, paths);
	if ((paths & PATH_WITH) != 0 && walk->rollback == NULL &&
	    rolls_back(walk->tree, stmt->first))
		walk->rollback = &stmt->at;
	if ((fm_token_is(walk->tree, stmt->first + 1, "(") &&
	    !is_dynamic(text)) || fm_text_is_one_of(text, harmless))
		return (paths);
	return (walk_unknown(walk, &stmt->at, paths));
}

/* Returns the paths that go on after these statements. */
static unsigned
walk_stmts(struct walk *walk, const struct fm_vstmt *stmt, unsigned paths)
{
	for (; stmt != NULL && paths != 0; stmt = stmt->next) {
		if (walk->steps++ >= WALK_STEPS)
			return (walk_unknown(walk, &stmt->at, paths));
		switch (stmt->kind) {
		case FM_VSTMT_IF:
			paths = walk_arms(walk, stmt, paths);
			break;
		case FM_VSTMT_SET:
		case FM_VSTMT_UNSET:
			walk_set(walk, stmt, paths);
			break;
		case FM_VSTMT_CALL:
			paths = walk_call(walk, stmt, paths);
			break;
		case FM_VSTMT_RETURN:
			walk_return(walk, stmt, paths);
			paths = 0;
			break;
		default:
			paths = walk_action(walk, stmt, paths);
		}
	}
	return (paths);
}

/*--------------------------------------------------------------------
 * Outcomes
 */

#define KNOWS_HOST							\
	"the backend gets the header by which the rules know the "	\
	"host, as Host is set"

static const struct {
	const char	*name;
	const char	*why;
	bool		all_paths;	/* a path without the call is an
					 * error */
} subs[FM_VCL_SUB__COUNT] = {
	[FM_VCL_SUB_HASH] = { "vcl_hash",
	    "the rules' `key` blocks do nothing", true },
	[FM_VCL_SUB_PIPE] = { "vcl_pipe", KNOWS_HOST, true },
	[FM_VCL_SUB_BACKEND_FETCH] = { "vcl_backend_fetch", KNOWS_HOST, true },
	[FM_VCL_SUB_BACKEND_RESPONSE] = { "vcl_backend_response",
	    "the rules' `response` blocks do nothing", true },
	[FM_VCL_SUB_BACKEND_ERROR] = { "vcl_backend_error",
	    "`cache is own` does not know what Varnish makes of a failed "
	    "fetch", true },
	[FM_VCL_SUB_DELIVER] = { "vcl_deliver",
	    "the rules' `delivery` blocks do nothing", false },
	[FM_VCL_SUB_SYNTH] = { "vcl_synth",
	    "the rules' `delivery` blocks do nothing for what Varnish answers "
	    "itself", false }
};

static void
call_find(const struct fm_vcl_tree *tree, struct fm_text object,
    const char *name, struct fm_vcl_call *call)
{
	const struct fm_vcl_token *tokens = tree->tokens;
	struct walk walk = { .tree = tree, .object = object };
	const struct fm_vdecl *last;
	unsigned paths = PATH_WITHOUT;
	size_t n;

	/* The last token is the end of the VCL's own file. */
	call->at.name = tokens[tree->ntokens - 1].at.name;
	last = walk_sub(&walk, fm_text_of(name), &paths);
	call->defined = last != NULL;
	walk_end(&walk, last == NULL ? &call->at : &tokens[last->close].at,
	    false, paths);
	call->returns = walk.returns;
	if (walk.missed == NULL && walk.unknown == NULL) {
		call->reach = FM_VCL_ALWAYS;
	} else if (walk.missed == NULL) {
		call->reach = FM_VCL_UNKNOWN;
		call->at = *walk.unknown;
	} else if (walk.called || walk.unknown != NULL) {
		call->reach = FM_VCL_SOMETIMES;
		call->at = *walk.missed;
	} else {
		call->reach = FM_VCL_NEVER;
		if (last != NULL)
			call->at = tokens[(*fm_vcl_subs(tree,
			    fm_text_of(name), &n))->first].at;
	}
}

/* Returns true if VCL sets or unsets bereq.http.Host. */
static bool
sets_host_of_fetch(const struct fm_vcl_tree *tree)
{
	size_t n;

	for (n = 0; n + 3 < tree->ntokens; n++)
		if (edits_host(tree, n, "bereq.http"))
			return (true);
	return (false);
}

void
fm_vcl_calls(const struct fm_vcl_tree *tree, struct fm_text object,
    struct fm_vcl_calls *calls)
{
	/* These run after vcl_recv, and before the fetch. */
	static const char * const later[] = {
		"vcl_hash", "vcl_hit", "vcl_miss", "vcl_pass"
	};
	struct walk walk = { .tree = tree, .object = object };
	unsigned paths = PATH_WITHOUT;
	size_t i;

	memset(calls, 0, sizeof *calls);
	for (i = 0; i < FM_VCL_SUB__COUNT; i++)
		call_find(tree, object, subs[i].name, &calls->subs[i]);
	(void)walk_sub(&walk, fm_text_of("vcl_recv"), &paths);
	calls->pipes = walk.pipes;
	for (i = 0; i < sizeof later / sizeof *later; i++) {
		paths = PATH_WITH;
		(void)walk_sub(&walk, fm_text_of(later[i]), &paths);
	}
	calls->rolls_back = walk.rollback != NULL;
	if (calls->rolls_back)
		calls->rollback = *walk.rollback;
	calls->sets_host = walk.sets_host || sets_host_of_fetch(tree);
}

typedef void report_f(struct fm_diag *, const struct fm_place *,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says what is missing, by `report` where the call is needed, and `why`. */
static void
missing_add(const struct fm_vcl_call *call, struct fm_text object,
    enum fm_vcl_sub n, const char *why, report_f *report, struct fm_diag *diag)
{
	const char *sub = subs[n].name, *b = object.b;
	int len = (int)object.len;

	if (call->reach == FM_VCL_UNKNOWN)
		fm_diag_warning(diag, call->at.name == NULL ? NULL : &call->at,
		    "whether %s calls %.*s.apply() can't be seen, as %s: if it "
		    "does not, %s", sub, len, b, call->at.name == NULL ?
		    "the VCL is not understood" : "this is not understood",
		    why);
	else if (call->reach == FM_VCL_NEVER && !call->defined)
		report(diag, &call->at, "no %s calls %.*s.apply(), so "
		    "%s: add to the VCL: sub %s { %.*s.apply(); }", sub, len,
		    b, why, sub, len, b);
	else if (call->reach == FM_VCL_NEVER)
		report(diag, &call->at, "%s never gets to %.*s.apply(), "
		    "so %s: begin it with `%.*s.apply();`", sub, len, b, why,
		    len, b);
	else
		(subs[n].all_paths ? report : fm_diag_warning)(diag,
		    &call->at, "%s %s here without %.*s.apply(), and then %s: "
		    "add `%.*s.apply();` before this", sub, call->returns ?
		    "returns" : "may end", len, b, why, len, b);
}

bool
fm_calls_missing(const struct fm_vcl_calls *calls, struct fm_text object,
    unsigned needed, struct fm_diag *diag)
{
	const struct fm_vcl_call *call;
	bool fetches = (needed & FM_VCL_FETCHES) != 0, good = true;
	unsigned n;

	if (calls->sets_host && (fetches ||
	    (needed & FM_VCL_BIT(BACKEND_RESPONSE)) != 0))
		needed |= FM_VCL_BIT(BACKEND_FETCH);
	if (calls->pipes && (needed & FM_VCL_BIT(BACKEND_FETCH)) != 0)
		needed |= FM_VCL_BIT(PIPE);
	if (calls->rolls_back && (needed & FM_VCL_BIT(HASH)) != 0) {
		fm_diag_error(diag, &calls->rollback, "the rules have `key` "
		    "blocks, and this undoes what they are made of: call "
		    "std.rollback(req) before %.*s.apply(), or restart",
		    (int)object.len, object.b);
		good = false;
	}
	if (fetches)
		needed |= FM_VCL_BIT(BACKEND_FETCH);
	for (n = 0; n < FM_VCL_SUB__COUNT; n++) {
		call = &calls->subs[n];
		if ((needed >> n & 1) == 0 || call->reach == FM_VCL_ALWAYS)
			continue;
		missing_add(call, object, n, fetches &&
		    n == FM_VCL_SUB_BACKEND_FETCH ?
		    "the rules' `fetch` blocks do nothing" : subs[n].why,
		    fm_diag_error, diag);
		good &= call->reach == FM_VCL_UNKNOWN ||
		    (call->reach == FM_VCL_SOMETIMES && !subs[n].all_paths);
	}
	return (good);
}

void
fm_calls_advise(const struct fm_vcl_calls *calls, struct fm_text object,
    struct fm_diag *diag)
{
	const enum fm_vcl_sub sub = FM_VCL_SUB_BACKEND_RESPONSE;

	if (calls->subs[sub].reach != FM_VCL_ALWAYS)
		missing_add(&calls->subs[sub], object, sub, "`cache-status` "
		    "names no rule, and not the backend's status",
		    fm_diag_warning, diag);
}
