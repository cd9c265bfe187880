/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes units (import.h) of the statements of vcl_recv, and orders them so
 * that rules stand together.
 *
 * A call is replaced by the sub's statements if some of these become rules.  An
 * `if` that can't become a rule as a whole is cut: into the arms that end the
 * request and the arms after them; or into several `if`s with the same
 * condition, of which some become rules.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli.h"
#include "import.h"
#include "parse.h"

struct units {
	struct fm_import_unit		**v;
	size_t			n, room;
};

static void units_add(struct fm_import *, struct units *,
    const struct fm_vstmt *);

bool
fm_import_stands(struct fm_import *im, const char *text)
{
	struct fm_diag_message message;
	struct fm_model *model;
	struct fm_diag *diag = fm_cli_diag();
	unsigned n;
	bool good;

	/* Pages are not written yet, so no file can be read. */
	model = fm_parse_text("import", fm_text_of(text), NULL, NULL, diag);
	if (model == NULL)
		fm_cli_no_memory();
	good = fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag);
	for (n = 0; !good && fm_diag_message(diag, n, &message); n++)
		if (message.error)
			(void)fm_import_refuse(im, NULL, "rules refuse it: %s",
			    message.text);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (good);
}

/* Returns rules of the phase that is read in a block of *always*. */
static const char *
always(struct fm_import *im, const char *rules)
{
	return (im->phase == FM_IN_RECV ? fm_import_printf(im,
	    "always {\n%s}\n", rules) : fm_import_printf(im,
	    "always {\n%s {\n%s}\n}\n", fm_import_phases[im->phase].block,
	    rules));
}

bool
fm_import_rules_stand(struct fm_import *im, const char *rules, bool hosts)
{
	const struct fm_output *need;
	const char *text = hosts ? rules : always(im, rules);

	for (need = im->seen.needs; need != NULL; need = need->next)
		if (need->path == NULL)
			text = fm_import_printf(im, "%s%s", need->text, text);
	return (fm_import_stands(im, text));
}

/* Forgets what the translation of other units has found out. */
static void
unit_begin(struct fm_import *im)
{
	im->why = NULL;
	im->seen = (struct fm_seen){ .notes = 0 };
	im->under = NULL;
}

/*
 * Returns a unit of a statement, perhaps with some after it.  A unit that
 * can't be rules has one statement, and the reason.
 */
static struct fm_import_unit *
unit_try(struct fm_import *im, const struct fm_vstmt *stmt, bool hosts)
{
	struct fm_import_unit *unit = fm_import_alloc(im, sizeof *unit);
	unsigned nmaps = im->nmaps;
	unsigned ncalls = im->ncalls;
	bool uncached = im->uncached;
	const char *rules;

	unit_begin(im);
	fm_import_catch(im);
	unit->stmt = stmt;
	unit->n = hosts ? fm_import_hosts(im, stmt) :
	    fm_import_next_or_call(im, stmt);
	rules = fm_import_caught(im);
	if (unit->n > 0 && fm_import_rules_stand(im, rules, hosts)) {
		unit->rules = rules;
		unit->seen = im->seen;
		unit->hosts = hosts;
	} else {
		unit->n = 1;
		unit->why = im->why == NULL ? "it does nothing" : im->why;
		unit->at = im->why_at.name == NULL ? stmt->at : im->why_at;
	}
	if (unit->seen.notes != 0 && !im->well_formed) {
		unit->nearest = *rules == '\0' ? rules :
		    fm_import_format(im, always(im, rules));
		unit->rules = NULL;
		unit->at = stmt->at;
		unit->why = "rules are the same only for requests as clients "
		    "send them (--well-formed)";
	}
	if (unit->rules == NULL) {
		im->nmaps = nmaps;
		im->ncalls = ncalls;
		im->uncached = uncached;
	}
	return (unit);
}

static struct fm_import_unit *
unit_new(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_unit *unit;

	if (im->phase == FM_IN_RECV && im->well_formed && !im->no_hosts &&
	    stmt->kind == FM_VSTMT_IF) {
		unit = unit_try(im, stmt, true);
		if (unit->rules != NULL)
			return (unit);
	}
	return (unit_try(im, stmt, false));
}

/* The same, where VCL that rules have no word for becomes a sub, and a call. */
static struct fm_import_unit *
unit_called(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_unit *unit;

	im->may_call = true;
	unit = unit_new(im, stmt);
	im->may_call = false;
	return (unit);
}

static void
unit_add(struct units *units, struct fm_import_unit *unit)
{
	*(struct fm_import_unit **)fm_cli_grow(&units->v, units->n++,
	    &units->room, sizeof *units->v) = unit;
}

/* Adds the units that were tried if some of them are rules; false: none is. */
static bool
add_tried(struct units *units, struct units *tried)
{
	bool any = false;
	size_t i;

	for (i = 0; i < tried->n; i++)
		any |= tried->v[i]->rules != NULL;
	for (i = 0; any && i < tried->n; i++)
		unit_add(units, tried->v[i]);
	free(tried->v);
	return (any);
}

/*--------------------------------------------------------------------
 * An `if`, cut
 */

/*
 * Adds the first arms of an `if`, which end the request, as rules, and then the
 * other arms as an `if` of their own; of an else, its statements.  Returns
 * false if not even the first arm can be rules.
 */
static bool
add_ends(struct fm_import *im, struct units *units,
    const struct fm_vstmt *stmt)
{
	struct fm_import_unit *unit = NULL, *longer;
	struct fm_arm *arm;
	size_t n = 0;

	for (arm = stmt->arms; arm != NULL && arm->cond != NULL &&
	    fm_vstmts_end(arm->body) && stmt->arms->next != NULL;
	    arm = arm->next) {
		longer = unit_new(im, fm_vstmt_arms(&im->vcl, stmt, stmt->arms,
		    ++n));
		if (longer->rules == NULL)
			break;
		unit = longer;
	}
	if (unit == NULL)
		return (false);
	unit_add(units, unit);
	if (arm != NULL && arm->cond == NULL)
		units_add(im, units, arm->body);
	else if (arm != NULL)
		unit_add(units, unit_new(im,
		    fm_vstmt_arms(&im->vcl, stmt, arm, (size_t)-1)));
	return (true);
}

/*
 * Adds an `if` with one arm as several `if`s with the same condition.  Each has
 * as many statements of the body as are rules together, or are VCL together.
 * Returns false if none is rules, or if the body changes what the condition
 * asks for.
 */
static bool
add_body(struct fm_import *im, struct units *units,
    const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *body = stmt->arms->body, *at;
	struct units tried = { .n = 0 };
	const struct fm_vstmt *test;
	struct fm_import_unit *unit;
	size_t left = 0, n;

	if (im->whole_ifs || stmt->arms->next != NULL || body == NULL ||
	    body->next == NULL)
		return (false);
	test = fm_vstmt_body(&im->vcl, stmt, body, 0);
	for (at = body; at != NULL; at = at->next)
		left++;
	for (; left > 0; left -= n, body = fm_vstmts_after(body, n)) {
		for (n = left;; n--) {
			unit = unit_new(im,
			    fm_vstmt_body(&im->vcl, stmt, body, n));
			if (unit->rules != NULL || n == 1)
				break;
		}
		unit_add(&tried, unit);
		if (left > n && !fm_vstmts_apart(&im->vcl, test, 1,
		    unit->stmt, unit->n)) {
			free(tried.v);
			return (false);
		}
	}
	return (add_tried(units, &tried));
}

/*--------------------------------------------------------------------
 * A call, replaced by the sub's statements
 */

static bool
add_called(struct fm_import *im, struct units *units,
    const struct fm_vstmt *stmt)
{
	const struct fm_vdecl *sub = fm_vcl_find(&im->vcl, "sub", stmt->name);
	struct units tried = { .n = 0 };

	if (sub == NULL || fm_vstmts_leave(sub->body))
		return (false);
	units_add(im, &tried, sub->body);
	return (add_tried(units, &tried));
}

/*--------------------------------------------------------------------
 * All statements
 */

/* Adds a statement, perhaps with some after it; returns how many. */
static size_t
stmt_add(struct fm_import *im, struct units *units,
    const struct fm_vstmt *stmt)
{
	struct fm_import_unit *unit = unit_new(im, stmt), *called;
	unsigned ncalls = im->ncalls;

	if (unit->rules == NULL && stmt->kind == FM_VSTMT_IF) {
		called = unit_called(im, stmt);
		if (called->rules != NULL && !fm_import_only_calls(called))
			unit = called;
		else
			im->ncalls = ncalls;
	}
	if (unit->rules == NULL && (stmt->kind == FM_VSTMT_IF ?
	    add_ends(im, units, stmt) || add_body(im, units, stmt) :
	    stmt->kind == FM_VSTMT_CALL && add_called(im, units, stmt)))
		return (1);
	unit_add(units, unit);
	return (unit->n);
}

static void
units_add(struct fm_import *im, struct units *units,
    const struct fm_vstmt *stmt)
{
	bool ends = false;
	size_t n;

	/* Statements after a return are never reached. */
	while (stmt != NULL && !ends)
		for (n = stmt_add(im, units, stmt); n > 0; n--) {
			ends = stmt->kind == FM_VSTMT_RETURN &&
			    stmt->name.len > 0;
			stmt = stmt->next;
		}
}

/*--------------------------------------------------------------------
 * Order: VCL, rules, VCL
 */

/* Returns the index of the first (or last) unit of rules; none: n. */
static size_t
rules_at(const struct units *units, bool last)
{
	size_t i, found = units->n;

	for (i = 0; i < units->n && (last || found == units->n); i++)
		if (units->v[i]->rules != NULL)
			found = i;
	return (found);
}

/* Moves VCL before (`up`) or after all rules, if no client can tell. */
static void
move_out(struct fm_import *im, struct units *units, bool up)
{
	size_t i, j, edge = rules_at(units, !up), step = up ? 1 : (size_t)-1;
	struct fm_import_unit *unit;

	for (i = edge; i < units->n; i += step) {
		unit = units->v[i];
		if (unit->rules != NULL)
			continue;
		for (j = i; j != edge; j -= step)
			if (!fm_vstmts_apart(&im->vcl,
			    units->v[j - step]->stmt, units->v[j - step]->n,
			    unit->stmt, unit->n))
				break;
		if (j != edge)
			continue;
		for (j = i; j != edge; j -= step)
			units->v[j] = units->v[j - step];
		units->v[edge] = unit;
		edge += step;
	}
}

/* Makes calls of VCL that has to stay between rules, where that may be. */
static void
call_all(struct fm_import *im, struct units *units)
{
	size_t i, last = rules_at(units, true);
	struct fm_import_unit *called;

	for (i = rules_at(units, false); i < last; i++) {
		if (units->v[i]->rules != NULL)
			continue;
		called = unit_called(im, units->v[i]->stmt);
		if (called->rules != NULL)
			units->v[i] = called;
	}
}

/*
 * Returns rules that `stop` for the conditions of an `if` whose arms all end
 * the request; NULL: no rules can tell.
 */
static struct fm_import_unit *
stop_of(struct fm_import *im, const struct fm_import_unit *vcl)
{
	struct fm_import_unit *stop = fm_import_alloc(im, sizeof *stop);
	const struct fm_arm *arm = vcl->stmt->arms;
	struct fm_import_test *test;

	if (arm == NULL)
		return (NULL);
	unit_begin(im);
	stop->stmt = vcl->stmt;
	for (stop->rules = ""; arm != NULL; arm = arm->next) {
		test = arm->cond == NULL || !fm_vstmts_end(arm->body) ? NULL :
		    fm_import_cond(im, arm->cond);
		if (test == NULL || (im->seen.notes != 0 && !im->well_formed))
			return (NULL);
		stop->rules = fm_import_printf(im, "%swhen %s { stop; }\n",
		    stop->rules, fm_import_cond_text(im, test, FM_IMPORT_OR));
	}
	stop->seen = im->seen;
	return (fm_import_rules_stand(im, stop->rules, false) ? stop : NULL);
}

/*
 * Moves VCL that ends the request after the rules, which then `stop` in its
 * place for the VCL's condition.  Where that is impossible, since rules change
 * what the condition asks for, the VCL stays between two rule files.
 */
static void
stop_all(struct fm_import *im, struct units *units)
{
	size_t i, j, first = rules_at(units, false),
	    end = rules_at(units, true) + 1;
	struct fm_import_unit *vcl, *stop;

	i = units->n == 0 || im->no_stops ? 0 : end - 1;
	while (i-- > first) {
		vcl = units->v[i];
		if (vcl->rules != NULL)
			continue;
		for (j = i + 1; j < end; j++)
			if (units->v[j]->hosts ||
			    (units->v[j]->rules != NULL &&
			    !fm_vstmts_keep(&im->vcl, units->v[j]->stmt,
			    units->v[j]->n, vcl->stmt->arms)))
				break;
		stop = j < end ? NULL : stop_of(im, vcl);
		if (stop == NULL) {
			end = i;
			continue;
		}
		unit_add(units, vcl);
		memmove(units->v + end + 1, units->v + end,
		    (units->n - 1 - end) * sizeof *units->v);
		units->v[end] = vcl;
		units->v[i] = stop;
	}
}

/* Returns the units in their order. */
static struct fm_import_unit *
units_of(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_unit *first = NULL, **tail = &first;
	struct units units = { .n = 0 };
	size_t i;

	if (im->phase == FM_IN_RECV)
		im->nmaps = 0;
	im->body = stmt;
	im->ncalls = 0;
	im->uncached = im->ttl_asked = false;
	units_add(im, &units, stmt);
	if (im->ttl_asked) {
		/* So VCL has to set the ttl, too. */
		units.n = 0;
		im->ncalls = 0;
		im->uncached = false;
		units_add(im, &units, stmt);
	}
	move_out(im, &units, true);
	move_out(im, &units, false);
	call_all(im, &units);
	stop_all(im, &units);
	for (i = 0; i < units.n; i++) {
		*tail = units.v[i];
		tail = &units.v[i]->next;
	}
	*tail = NULL;
	free(units.v);
	return (first);
}

/*--------------------------------------------------------------------
 * The rules of a file pass the check together, too
 */

static bool
part_stands(struct fm_import *im, const struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	const char *text = fm_import_file_text(im, first, end);

	unit_begin(im);
	return (fm_import_stands(im, text));
}

/*
 * Makes VCL of the first unit that can't be in one file with those before it.
 * Returns false if the file has a `stop`, which would not stop for rules in
 * another file.
 */
static bool
part_cut(struct fm_import *im, struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	struct fm_import_unit *unit, *last = first;

	for (unit = first; unit != end; unit = unit->next)
		if (unit->n == 0)
			return (false);
	while (last->next != end && part_stands(im, first, last->next))
		last = last->next;
	(void)part_stands(im, first, last->next);
	last->rules = NULL;
	last->why = im->why;
	last->at = last->stmt->at;
	return (true);
}

/* Makes VCL of units until each file passes; false: a file has a `stop`. */
static bool
files_cut(struct fm_import *im, struct fm_import_unit *unit)
{
	struct fm_import_unit *end;

	while (unit != NULL) {
		end = fm_import_file_end(unit);
		if (end == unit)
			unit = unit->next;
		else if (part_stands(im, unit, end))
			unit = end;
		else if (!part_cut(im, unit, end))
			return (false);
	}
	return (true);
}

/* Returns how many rule files the units need, as VCL is between them. */
static unsigned
files_count(const struct fm_import_unit *unit)
{
	bool before = false;
	unsigned n = 0;

	for (; unit != NULL; unit = unit->next) {
		n += unit->rules != NULL && !before;
		before = unit->rules != NULL;
	}
	return (n);
}

/*
 * Returns the units that need the fewest rule files.  Cutting `if`s, and
 * blocks of hosts (whose rules can't stop for VCL), may cost a file more; so
 * the statements are tried with both, without cuts, and with neither.  Blocks
 * of hosts are worth a file.
 */
static struct fm_import_unit *
units_best(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_unit *best = NULL, *first;
	unsigned how, files, least = UINT_MAX;

	for (how = 0; how < 3 && least > 1; how++) {
		im->whole_ifs = how > 0;
		im->no_hosts = how > 1;
		im->no_stops = false;
		first = units_of(im, stmt);
		im->no_stops = !files_cut(im, first);
		if (im->no_stops) {
			first = units_of(im, stmt);
			(void)files_cut(im, first);
		}
		files = files_count(first);
		if (how == 0 || (files > 0 && files + (how > 1) < least)) {
			least = files > 0 ? files : UINT_MAX;
			best = first;
		}
	}
	return (best);
}

struct fm_import_unit *
fm_import_phase_units(struct fm_import *im, const struct fm_vstmt *stmt,
    bool stops, bool whole)
{
	im->whole_ifs = whole;
	im->no_stops = !stops;
	return (units_of(im, stmt));
}

/*
 * Rules need no cookie.parse(), but VCL does: if any use of vmod_cookie stays
 * VCL, the units are made once more, with all of its uses as VCL.
 */
struct fm_import_unit *
fm_import_units(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const cookie[] = { "cookie", NULL };
	const struct fm_vdecl *decl;
	struct fm_import_unit *first, *unit;
	bool stays = false;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		im->cookie_vmod |= fm_text_begins(decl->name, "vcl_") &&
		    !fm_text_is(decl->name, "vcl_recv") &&
		    fm_vstmts_touch(&im->vcl, decl->body, (size_t)-1, cookie);
	first = units_best(im, stmt);
	for (unit = first; unit != NULL; unit = unit->next)
		stays |= unit->rules == NULL &&
		    fm_vstmts_touch(&im->vcl, unit->stmt, unit->n, cookie);
	if (!stays || im->cookie_vmod)
		return (first);
	im->cookie_vmod = true;
	return (units_best(im, stmt));
}
