/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes rules of the subs that have a phase in rules, other than vcl_recv.
 *
 * A sub calls .apply() once, so its rules stand together.  VCL that stays is
 * before or after them; rules that would have to stand elsewhere stay VCL:
 *
 *	sub vcl_backend_response {
 *		std.collect(beresp.http.X);	VCL
 *		site.apply();			response { ... }
 *		set beresp.reason = "Fine";	VCL
 *	}
 *
 * *delivery* runs in vcl_deliver and in vcl_synth.  What the old VCL did in one
 * of them only is in a `when`: `cache is hit miss pass` is true in vcl_deliver,
 * and false in vcl_synth.  If the page of a failed fetch is an answer of rules,
 * vcl_synth has it, with 503, and nothing else has that status there.
 */

#include <stdio.h>
#include <string.h>

#include "import.h"

#define DELIVERED	"cache is hit miss pass"
#define OR_FAILED	DELIVERED " or status is 503"
#define NOT_DELIVERED	"not " DELIVERED
#define NOR_FAILED	"not " DELIVERED " and not status is 503"

/*--------------------------------------------------------------------
 * vcl_hash
 */

static bool
hashes(const struct fm_vstmt *stmt, const char *name)
{
	return (stmt != NULL && stmt->kind == FM_VSTMT_ACTION &&
	    fm_expr_calls(stmt->value, "hash_data", 1) &&
	    fm_expr_is(stmt->value->first, name));
}

/* Returns true for an `if` that hashes the Host, or else the address. */
static bool
hashes_host(const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm = stmt->arms;

	return (arm != NULL && arm->cond != NULL &&
	    fm_expr_is(arm->cond, "req.http.Host") &&
	    hashes(arm->body, "req.http.Host") && arm->next != NULL &&
	    arm->next->cond == NULL && hashes(arm->next->body, "server.ip"));
}

/* Returns true if statements return inside, or subs that they call do. */
static bool
returns(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_RETURN)
			return (true);
		if (stmt->kind == FM_VSTMT_CALL) {
			sub = fm_vcl_find(&im->vcl, "sub", stmt->name);
			if (sub == NULL || returns(im, sub->body))
				return (true);
		}
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (returns(im, arm->body))
				return (true);
	}
	return (false);
}

/*
 * Returns true if a vcl_hash hashes what builtin.vcl does, or lets builtin.vcl
 * do it: then that may as well come after rules.
 */
static bool
key_is_whole(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	bool url = false, host = false;

	if (!returns(im, stmt))
		return (true);
	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_RETURN)
			return (url && host);
		if (stmt->kind == FM_VSTMT_CALL)
			return (false);
		url |= hashes(stmt, "req.url");
		host |= hashes_host(stmt) || (im->well_formed &&
		    hashes(stmt, "req.http.Host"));
		for (const struct fm_arm *arm = stmt->arms; arm != NULL;
		    arm = arm->next)
			if (returns(im, arm->body))
				return (false);
	}
	return (false);
}

/*--------------------------------------------------------------------
 * Which rules stand together
 */

/* Returns true if rules have a `stop` that was a `return` of VCL. */
static bool
stops(const struct fm_import_unit *unit)
{
	return (unit->n > 0 && unit->rules != NULL &&
	    strstr(unit->rules, "stop;") != NULL);
}

/* Returns true if statements end in `return (fetch)`. */
static bool
returns_fetch(const struct fm_vstmt *stmt)
{
	while (stmt != NULL && stmt->next != NULL)
		stmt = stmt->next;
	return (stmt != NULL && stmt->kind == FM_VSTMT_RETURN &&
	    fm_text_is(stmt->name, "fetch"));
}

/*
 * Returns true if VCL may follow the rules from `from` up to `end`.  The end of
 * all paths of vcl_backend_fetch may.
 */
static bool
may_follow(const struct fm_import *im, const struct fm_import_unit *from,
    const struct fm_import_unit *end)
{
	const struct fm_import_unit *unit;

	if (end == NULL || im->phase == FM_IN_RESPONSE)
		return (true);
	if (im->phase == FM_IN_SYNTH)
		return (false);
	if (im->phase == FM_IN_FETCH && im->returns_fetch &&
	    end->next == NULL && end->stmt->kind == FM_VSTMT_RETURN)
		return (true);
	for (unit = from; unit != end; unit = unit->next)
		if (stops(unit))
			return (false);
	return (true);
}

/*
 * Returns true if statements, or subs that they call, may end the sub so that a
 * response is used.
 */
static bool
returns_response(const struct fm_import *im, const struct fm_vstmt *stmt,
    size_t n)
{
	static const char * const without[] = { "retry", "abandon", "fail",
	    "error", NULL };
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;

	for (; stmt != NULL && n > 0; stmt = stmt->next, n--) {
		sub = stmt->kind != FM_VSTMT_CALL ? NULL :
		    fm_vcl_find(&im->vcl, "sub", stmt->name);
		if (stmt->kind == FM_VSTMT_OTHER ||
		    (stmt->kind == FM_VSTMT_RETURN &&
		    !fm_text_is_one_of(stmt->name, without)) ||
		    (stmt->kind == FM_VSTMT_CALL && (sub == NULL ||
		    returns_response(im, sub->body, (size_t)-1))))
			return (true);
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (returns_response(im, arm->body, (size_t)-1))
				return (true);
	}
	return (false);
}

/*
 * Returns true if a unit may be VCL before rules: but for vcl_deliver and
 * vcl_synth each path has to come to the call.
 */
static bool
may_precede(const struct fm_import *im, const struct fm_import_unit *unit)
{
	return (im->phase >= FM_IN_DELIVER ||
	    !returns_response(im, unit->stmt, unit->n));
}

/* Sets from and end to the most rules that can stand together. */
static void
run_find(struct fm_import *im, struct fm_import_sub *sub)
{
	const struct fm_import_unit *from, *end;
	unsigned n, most = 0;

	sub->from = sub->end = NULL;
	for (from = sub->units; from != NULL;
	    from = may_precede(im, from) ? from->next : NULL)
		for (end = from, n = 0; end != NULL && end->rules != NULL;) {
			n += fm_import_unit_count(end);
			end = end->next;
			if (n > most && may_follow(im, from, end)) {
				most = n;
				sub->from = from;
				sub->end = end;
			}
		}
}

/* Makes VCL of the rules elsewhere; returns false if one is a `stop`. */
static bool
run_keep(struct fm_import *im, struct fm_import_sub *sub)
{
	struct fm_import_unit *unit;
	bool inside = false, good = true;

	for (unit = sub->units; unit != NULL; unit = unit->next) {
		inside = (inside || unit == sub->from) && unit != sub->end &&
		    sub->from != NULL;
		if (inside || unit->rules == NULL)
			continue;
		good &= unit->n > 0;
		unit->rules = NULL;
		unit->nearest = NULL;
		unit->at = unit->stmt->at;
		unit->why = im->phase != FM_IN_SYNTH ?
		    "VCL beside it stays, and their order matters" :
		    im->redirects ? "rules would do it for redirects and "
		    "answers of rules, too" :
		    "VCL after it stays, and rules end vcl_synth";
	}
	return (good);
}

/* Makes units; returns how many statements become rules. */
static unsigned
units_try(struct fm_import *im, struct fm_import_sub *sub,
    const struct fm_vstmt *stmt, bool whole)
{
	const struct fm_import_unit *unit;
	unsigned n = 0;

	sub->units = fm_import_phase_units(im, stmt, true, whole);
	run_find(im, sub);
	if (!run_keep(im, sub)) {
		sub->units = fm_import_phase_units(im, stmt, false, whole);
		run_find(im, sub);
		(void)run_keep(im, sub);
	}
	for (unit = sub->from; unit != sub->end; unit = unit->next)
		n += fm_import_unit_count(unit);
	return (n);
}

/* Makes units of a sub; its `if`s are cut only if more becomes rules so. */
static void
sub_units(struct fm_import *im, struct fm_import_sub *sub,
    const struct fm_vstmt *stmt, bool none)
{
	struct fm_import_sub cut = *sub;

	if (none) {
		sub->units = fm_import_phase_units(im, stmt, false, true);
		(void)run_keep(im, sub);
	} else if (units_try(im, &cut, stmt, false) >
	    units_try(im, sub, stmt, true)) {
		*sub = cut;
	}
}

/*--------------------------------------------------------------------
 * vcl_synth: what it did of a status that only rules answer with now
 */

/* Returns true if some VCL that stays, or some rule, has such a synth. */
static bool
is_synthesized(const struct fm_import *im, struct fm_text status)
{
	const struct fm_vcl_token *token = im->vcl.tokens;
	const struct fm_output *file;
	char text[32];
	size_t i;

	for (i = 0; i + 2 < im->vcl.ntokens; i++)
		if (token[i].stays && fm_text_is(token[i].text, "synth") &&
		    (token[i + 2].kind != FM_VCL_NUMBER ||
		    fm_text_eq(token[i + 2].text, status)))
			return (true);
	(void)snprintf(text, sizeof text, "synth %.*s", FM_ARG(status));
	for (file = im->files; file != NULL; file = file->next)
		if (strstr(file->text, text) != NULL)
			return (true);
	for (i = FM_IN_HASH; i < FM_IN_SYNTH; i++)
		for (const struct fm_import_unit *unit = im->subs[i].from;
		    unit != im->subs[i].end; unit = unit->next)
			if (strstr(unit->rules, text) != NULL)
				return (true);
	return (false);
}

/* Returns true if a condition asks for statuses that never come. */
static bool
is_dead(const struct fm_import *im, const struct fm_expr *cond)
{
	const struct fm_expr *part;
	struct fm_text status;

	if (cond != NULL && cond->kind == FM_EXPR_OR) {
		for (part = cond->first; part != NULL; part = part->next)
			if (!is_dead(im, part))
				return (false);
		return (true);
	}
	if (cond == NULL || cond->kind != FM_EXPR_COMPARE ||
	    !fm_text_is(cond->text, "==") ||
	    !fm_expr_is(cond->first, "resp.status") ||
	    cond->first->next->kind != FM_EXPR_NUMBER)
		return (false);
	status = cond->first->next->text;
	/* builtin.vcl answers with 200, and with 4xx and 5xx. */
	return (status.len == 3 && (*status.b == '3' || *status.b > '5') &&
	    !is_synthesized(im, status));
}

/* Returns vcl_synth without the arms of statuses that never come. */
static const struct fm_vstmt *
synth_live(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_vstmt *first = NULL, **tail = &first, *copy;
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL && is_dead(im, arm->cond);
		    arm = arm->next)
			im->nsynth_dead += fm_vstmts_count(arm->body,
			    (size_t)-1) + (arm->next == NULL);
		if (stmt->arms != NULL && arm == NULL)
			continue;
		if (stmt->arms == NULL || arm == stmt->arms) {
			copy = fm_import_alloc(im, sizeof *copy);
			*copy = *stmt;
		} else if (arm->cond != NULL) {
			copy = fm_vstmt_arms(&im->vcl, stmt, arm, (size_t)-1);
		} else {
			/* Only the else is left. */
			for (const struct fm_vstmt *in = arm->body;
			    in != NULL; in = in->next) {
				*tail = fm_import_alloc(im, sizeof **tail);
				**tail = *in;
				tail = &(*tail)->next;
			}
			*tail = NULL;
			continue;
		}
		copy->next = NULL;
		*tail = copy;
		tail = &copy->next;
	}
	return (first);
}

/*
 * Returns true if vcl_synth may not become rules: these run for redirects and
 * answers of rules as well, for which the old vcl_synth had returned by then,
 * unless all that it does is to set headers first.
 */
static bool
keeps_synth(struct fm_import *im, const struct fm_vstmt *stmt)
{
	if (!im->redirects)
		return (false);
	while (im->headers && stmt != NULL && stmt->kind != FM_VSTMT_IF)
		stmt = stmt->next;
	for (; im->headers && stmt != NULL; stmt = stmt->next)
		if (stmt->kind != FM_VSTMT_IF)
			im->no_headers = true;
	return (!im->headers || im->no_headers);
}

/*
 * Returns true if statements write a body, whatever their `if`s do, and return
 * nowhere but at their end.
 */
static bool
writes_body(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm;
	bool writes = false;

	for (; stmt != NULL; stmt = stmt->next) {
		if (fm_token_is(&im->vcl, stmt->first, "synthetic") ||
		    (stmt->kind == FM_VSTMT_SET &&
		    fm_text_is(stmt->name, "resp.body")) ||
		    fm_text_begins(im->vcl.tokens[stmt->first].text,
		    "set resp.body"))
			writes = true;
		if (stmt->kind == FM_VSTMT_CALL)
			return (false);
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (returns(im, arm->body))
				return (false);
	}
	return (writes);
}

/*--------------------------------------------------------------------
 * All subs
 */

struct fm_vstmt *
fm_import_sub_body(struct fm_import *im, const char *name, bool *there)
{
	struct fm_vstmt *first = NULL, **tail = &first;
	const struct fm_vdecl *decl;

	*there = false;
	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, name)) {
			*there = true;
			for (*tail = decl->body; *tail != NULL;)
				tail = &(*tail)->next;
		}
	return (first);
}

bool
fm_import_is_empty_vcl(const struct fm_import *im)
{
	unsigned phase;

	for (phase = 0; phase < FM_IN__COUNT; phase++)
		if (fm_vcl_find(&im->vcl, "sub", fm_text_of(
		    fm_import_phases[phase].sub)) != NULL)
			return (false);
	return (true);
}

static void
replaced(struct fm_import *im, const char *name, bool value)
{
	struct fm_vdecl *decl;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, name))
			decl->replaced = value;
}

/* Notes how a statement that stays VCL may end its sub. */
static void
sub_ends(const struct fm_import *im, struct fm_import_sub *sub,
    const struct fm_vstmt *stmt)
{
	struct fm_vstmt alone = *stmt;

	alone.next = NULL;
	sub->returns |= returns(im, &alone);
	sub->ends |= stmt->kind == FM_VSTMT_RETURN ||
	    (stmt->kind == FM_VSTMT_IF && fm_vstmts_end(&alone));
}

/*
 * Returns the VCL of a sub that stays, in which \001 stands for the call of the
 * rules.
 */
static const char *
sub_vcl(struct fm_import *im, struct fm_import_sub *sub)
{
	const struct fm_import_unit *unit;

	fm_import_catch(im);
	for (unit = sub->units; unit != NULL; unit = unit->next) {
		if (unit == sub->from && sub->from != sub->end)
			fm_import_put(im, "\001");
		if (unit->rules != NULL)
			continue;
		fm_import_kept(im, unit);
		if (unit->n == 1)
			sub_ends(im, sub, unit->stmt);
	}
	return (fm_import_caught(im));
}

/* Returns true if rules of a phase say anything. */
static bool
says(const struct fm_import *im, enum fm_import_phase phase)
{
	const struct fm_import_sub *sub = &im->subs[phase];
	const struct fm_import_unit *unit;

	for (unit = sub->from; unit != sub->end; unit = unit->next)
		if (*unit->rules != '\0' && (unit->next != NULL ||
		    strcmp(unit->rules, "stop;\n") != 0))
			return (true);
	return (false);
}

/* Returns true if VCL or rules give a request another Host. */
static bool
sets_host(const struct fm_import *im)
{
	size_t i;

	for (i = 0; i + 1 < im->vcl.ntokens; i++)
		if ((fm_token_is(&im->vcl, i, "set") ||
		    fm_token_is(&im->vcl, i, "unset")) &&
		    (fm_text_is_nocase(im->vcl.tokens[i + 1].text,
		    "req.http.Host") || fm_text_is_nocase(
		    im->vcl.tokens[i + 1].text, "bereq.http.Host")))
			return (true);
	return (false);
}

/* Makes the units of a sub, and counts those that are rules. */
static void
sub_read(struct fm_import *im, enum fm_import_phase phase)
{
	struct fm_import_sub *sub = &im->subs[phase];
	const char *name = fm_import_phases[phase].sub;
	const struct fm_vstmt *stmt = fm_import_sub_body(im, name,
	    &sub->there);
	const struct fm_import_unit *unit;
	bool none = im->no_subs;

	im->phase = phase;
	if (phase == FM_IN_SYNTH) {
		none |= keeps_synth(im, stmt);
		stmt = synth_live(im, stmt);
	}
	if (phase == FM_IN_RESPONSE)
		stmt = fm_import_live(im, stmt);
	im->whole_key = key_is_whole(im, stmt);
	im->whole_body = writes_body(im, stmt);
	im->returns_fetch = returns_fetch(stmt);
	sub_units(im, sub, stmt, none);
	for (unit = sub->from; unit != sub->end; unit = unit->next) {
		im->ntranslated += fm_import_unit_count(unit);
		im->redirects |= unit->seen.redirects;
		fm_import_called(im, unit, im->object);
	}
	if (phase == FM_IN_SYNTH)
		im->ntranslated += im->nsynth_dead;
	sub->vcl = sub_vcl(im, sub);
	sub->calls = says(im, phase);
	/* A sub of VCL alone stays as it is, with its comments. */
	replaced(im, name, sub->from != sub->end || phase == FM_IN_SYNTH);
}

void
fm_import_subs(struct fm_import *im)
{
	struct fm_import_sub *subs = im->subs;
	const struct fm_output *file;
	unsigned phase;

	for (file = im->files; file != NULL; file = file->next)
		im->redirects |= file->redirects;
	fm_import_obsolete(im);
	for (phase = FM_IN_HASH; phase < FM_IN_SYNTH; phase++)
		sub_read(im, phase);
	fm_import_failed(im);
	/* These come first: vcl_synth serves what stays of them. */
	replaced(im, "vcl_synth", true);
	fm_vcl_keep_named(&im->vcl);
	sub_read(im, FM_IN_SYNTH);
	/* VCL that stays does not run for the answers of rules. */
	if (im->headers && *subs[FM_IN_SYNTH].vcl != '\0' &&
	    strcmp(subs[FM_IN_SYNTH].vcl, "\001") != 0)
		im->no_headers = true;
	if (subs[FM_IN_DELIVER].calls || subs[FM_IN_SYNTH].calls ||
	    im->failed.calls)
		subs[FM_IN_DELIVER].calls = subs[FM_IN_SYNTH].calls = true;
	if ((subs[FM_IN_FETCH].calls || subs[FM_IN_RESPONSE].calls ||
	    subs[FM_IN_DELIVER].calls) && sets_host(im))
		subs[FM_IN_FETCH].calls = im->pipe_calls = true;
	if (im->pipe_calls)
		replaced(im, "vcl_pipe", true);
	for (phase = FM_IN_HASH; phase < FM_IN__COUNT; phase++)
		if (subs[phase].calls)
			replaced(im, fm_import_phases[phase].sub, true);
	if (!subs[FM_IN_SYNTH].calls && !im->redirects)
		replaced(im, "vcl_synth", im->nsynth_dead > 0);
	im->phase = FM_IN_RECV;
}

/*--------------------------------------------------------------------
 * The rules
 */

/*
 * Returns true for headers that an answer of Varnish itself may have, and for
 * those that VCL looks at, or sets.
 */
static bool
is_in_synth(const struct fm_import *im, struct fm_text header)
{
	static const char * const own[] = { "Server", "X-Varnish", "Date",
	    "Via", "Age", "Retry-After", "Content-Type", "Location",
	    "Connection", "Accept-Ranges", NULL };
	const struct fm_vcl_token *token;
	size_t i;

	for (i = 0; own[i] != NULL; i++)
		if (fm_text_is_nocase(header, own[i]))
			return (true);
	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++)
		if (token->kind == FM_VCL_NAME && fm_text_begins(token->text,
		    "resp.http.") && !fm_text_is(token[-1].text, "unset") &&
		    fm_text_eq_nocase(fm_text(token->text.b + 10,
		    token->text.len - 10), header))
			return (true);
	return (false);
}

/*
 * Returns true if rules of vcl_deliver do nothing in vcl_synth, and the same
 * before all others: they only remove headers.
 */
static bool
is_free(const struct fm_import *im, const struct fm_import_unit *unit)
{
	const struct fm_vstmt *stmt = unit->stmt;
	size_t n;

	for (n = unit->n; n > 0; n--, stmt = stmt->next)
		if (stmt->kind != FM_VSTMT_UNSET ||
		    is_in_synth(im, fm_text(stmt->name.b + 10,
		    stmt->name.len - 10)))
			return (false);
	return (unit->n > 0);
}

/* Returns true for a `stop` that ends a block anyway. */
static bool
is_last_stop(const struct fm_import_unit *unit)
{
	return (unit->n > 0 && unit->next == NULL &&
	    strcmp(unit->rules, "stop;\n") == 0);
}

/*
 * Returns true if rules need the guard, if there is one.  All do where VCL may
 * return from vcl_synth before it calls rules that have nothing for it.
 */
static bool
is_guarded(const struct fm_import *im, const struct fm_import_sub *sub,
    const struct fm_import_unit *unit, const char *guard)
{
	const struct fm_import_sub *synth = &im->subs[FM_IN_SYNTH];
	const struct fm_import_unit *other;

	if (guard == NULL)
		return (false);
	/* A unit that may end the rules keeps its place among the others. */
	for (other = sub->from; other != sub->end; other = other->next)
		if (!is_last_stop(other) && (other->n == 0 ||
		    strstr(other->rules, "stop;") != NULL ||
		    strstr(other->rules, "synth ") != NULL ||
		    strstr(other->rules, "redirect ") != NULL ||
		    strstr(other->rules, "answer ") != NULL))
			return (true);
	return (*guard == 'n' || !is_free(im, unit) ||
	    (synth->returns && !says(im, FM_IN_SYNTH)));
}

/*
 * Writes rules of a sub: all; or (with a guard) those that need none, and then
 * the others, in the guard.
 */
static void
units_put(struct fm_import *im, const struct fm_import_sub *sub,
    const char *guard, bool guarded)
{
	const struct fm_import_unit *unit, *next;
	bool open = false, begun = false, goes_on;

	for (unit = sub->from; unit != sub->end; unit = unit->next) {
		if (is_last_stop(unit) ||
		    is_guarded(im, sub, unit, guard) != guarded)
			continue;
		if (guarded && !open && *unit->rules != '\0') {
			fm_import_put(im, "when %s {\n", guard);
			open = true;
		}
		fm_import_comments(im, unit);
		if (unit->n == 0)
			fm_import_put(im, "# %s:%u stays VCL, after the "
			    "rules\n", unit->stmt->at.name,
			    unit->stmt->at.line);
		for (next = unit->next; next != sub->end &&
		    is_guarded(im, sub, next, guard) != guarded;)
			next = next->next;
		goes_on = next != sub->end &&
		    fm_import_joins_units(im, unit, next);
		fm_import_unit_put(im, unit, begun, goes_on);
		begun = goes_on;
	}
	fm_import_put(im, open ? "}\n" : "");
}

static void
delivery_put(struct fm_import *im)
{
	const struct fm_import_sub *sub = &im->subs[FM_IN_DELIVER];
	bool failed = im->failed.calls;
	const char *guard = failed ? OR_FAILED : DELIVERED;

	if (failed)
		fm_import_unit_put(im, im->failed.units, false, false);
	units_put(im, sub, guard, false);
	units_put(im, sub, guard, true);
	units_put(im, &im->subs[FM_IN_SYNTH], failed ? NOR_FAILED :
	    NOT_DELIVERED, true);
}

void
fm_import_subs_rules(struct fm_import *im)
{
	const struct fm_import_sub *sub;
	const char *text;
	unsigned phase;

	for (phase = FM_IN_HASH; phase <= FM_IN_DELIVER; phase++) {
		sub = &im->subs[phase];
		fm_import_catch(im);
		if (phase == FM_IN_DELIVER) {
			delivery_put(im);
		} else {
			units_put(im, sub, NULL, false);
		}
		text = fm_import_caught(im);
		/* Without rules there are comments at most. */
		if (says(im, phase) || (phase == FM_IN_DELIVER &&
		    (says(im, FM_IN_SYNTH) || im->failed.calls)))
			fm_import_put(im, "%s {\n%s}\n",
			    fm_import_phases[phase].block, text);
	}
}

/*--------------------------------------------------------------------
 * The VCL
 */

/* Writes a sub with a call in the place of \001, or else at its beginning. */
static void
sub_put(struct fm_import *im, const char *name, const char *vcl, bool calls)
{
	const char *call = calls ? fm_import_printf(im, "\n\t%s.apply();",
	    im->object) : "", *at = strchr(vcl, '\001');

	if (!calls && vcl[at == vcl] == '\0')
		return;
	if (at == NULL)
		fm_import_put(im, "\nsub %s {%s%s\n}\n", name, call, vcl);
	else
		fm_import_put(im, "\nsub %s {%.*s%s%s\n}\n", name,
		    (int)(at - vcl), vcl, call, at + 1);
}

/*
 * Writes vcl_synth.  Redirects and answers of rules are completed first; with
 * rules in *delivery*, where the call ends vcl_synth, VCL that makes its own
 * answer comes before it, and leaves those alone.
 */
static void
synth_put(struct fm_import *im)
{
	const struct fm_import_sub *sub = &im->subs[FM_IN_SYNTH];
	const char *vcl = sub->vcl, *at = strchr(vcl, '\001');
	const struct fm_output *file;
	bool apart;

	if (at != NULL)
		vcl = fm_import_printf(im, "%.*s%s", (int)(at - vcl), vcl,
		    at + 1);
	if (*vcl == '\0' && !im->redirects && !sub->calls)
		return;
	fm_import_put(im, "\nsub vcl_synth {");
	for (file = im->files; file != NULL; file = file->next)
		if (file->redirects && (!sub->calls ||
		    strcmp(file->object, im->object) != 0))
			fm_import_put(im, "\n\t%s.apply();", file->object);
	/* Where VCL returns, the call is at least on one path. */
	apart = sub->calls && *vcl != '\0' && (im->redirects || sub->ends ||
	    im->failed.calls);
	if (apart)
		fm_import_put(im, "\n\tif (%s.verdict() != \"redirect\" && "
		    "%s.verdict() != \"answer\") {", im->object, im->object);
	fm_import_put(im, "%s%s", vcl, apart ? "\n\t}" : "");
	if (sub->calls)
		fm_import_put(im, "\n\t%s.apply();", im->object);
	fm_import_put(im, "\n}\n");
}

/* Writes the old vcl_pipe after a call. */
static void
pipe_put(struct fm_import *im)
{
	const struct fm_vdecl *decl;

	fm_import_put(im, "\nsub vcl_pipe {\n\t%s.apply();", im->object);
	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, "vcl_pipe") && !decl->dropped &&
		    decl->close > decl->open + 1)
			fm_vcl_put(&im->vcl, decl->open + 1, decl->close - 1,
			    true, im->to);
	fm_import_put(im, "\n}\n");
}

void
fm_import_subs_vcl(struct fm_import *im)
{
	const struct fm_import_sub *sub;
	unsigned phase;

	for (phase = FM_IN_HASH; phase < FM_IN_SYNTH; phase++) {
		sub = &im->subs[phase];
		if (sub->calls || sub->from != sub->end)
			sub_put(im, fm_import_phases[phase].sub, sub->vcl,
			    sub->calls);
	}
	if (im->failed.calls)
		sub_put(im, "vcl_backend_error", fm_import_printf(im,
		    "\001%s", im->failed.vcl), true);
	if (im->pipe_calls)
		pipe_put(im);
	if (im->subs[FM_IN_SYNTH].calls || im->redirects ||
	    im->nsynth_dead > 0)
		synth_put(im);
}
