/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of headers that rules set in some branches or hosts only.  Elsewhere
 * the value that the client has sent stays, which VCL, the backend or a later
 * rule may trust:
 *
 *	when client in office { set X-Office = "1"; }
 *	host a.example { set X-TTL = 10s; }
 *
 * An `unset X-Office;` in always, or an `else` that sets the header, closes the
 * gap; but not for a rule that tests the header before the `unset`.
 */

#include "check_priv.h"
#include "glob.h"

#define SIGNAL_DEPTH	50		/* blocks inside each other */

static bool block_touches(struct fm_check *, struct fm_text,
    const struct fm_block *, unsigned depth);

/* Returns true if a chain of whens sets or unsets the header in each way. */
static bool
when_touches(struct fm_check *check, struct fm_text name,
    const struct fm_stmt *when, unsigned depth)
{
	for (; when != NULL; when = fm_stmt_chained(when)) {
		if (!block_touches(check, name, when->when.then, depth))
			return (false);
		if (fm_stmt_chained(when) == NULL)
			return (block_touches(check, name,
			    when->when.otherwise, depth));
	}
	return (false);
}

/* Also if nothing goes to the backend. */
static bool
stmt_touches(struct fm_check *check, struct fm_text name,
    const struct fm_stmt *stmt, unsigned depth)
{
	const struct fm_word *word;

	switch (stmt->kind) {
	case FM_STMT_SET:
		return (stmt->set.header != NULL && fm_text_eq_nocase(
		    stmt->set.header->text, name));
	case FM_STMT_NORMALIZE:
		return (stmt->normalize.header != NULL && fm_text_eq_nocase(
		    stmt->normalize.header->text, name));
	case FM_STMT_REWRITE:
		return (stmt->rewrite.header != NULL && fm_text_eq_nocase(
		    stmt->rewrite.header->text, name));
	case FM_STMT_UNSET:
		for (word = stmt->unset.headers.first; word != NULL;
		    word = word->next)
			if (fm_glob_match_header(word->text, name))
				return (true);
		return (false);
	case FM_STMT_USE:
		return (stmt->use.ruleset != NULL && block_touches(check, name,
		    stmt->use.ruleset->block, depth + 1));
	case FM_STMT_WHEN:
		return (when_touches(check, name, stmt, depth + 1));
	case FM_STMT_REDIRECT:
		return (fm_check_redirects(stmt));
	default:
		return (fm_stmt_answers(stmt->kind));
	}
}

static bool
block_touches(struct fm_check *check, struct fm_text name,
    const struct fm_block *block, unsigned depth)
{
	const struct fm_stmt *stmt;

	if (block == NULL)
		return (false);
	for (stmt = block->first; stmt != NULL; stmt = stmt->next)
		if (depth > SIGNAL_DEPTH || --check->steps < 0 ||
		    stmt_touches(check, name, stmt, depth))
			return (true);
	return (false);
}

/* Returns true if VCL reads a header. */
static bool
vcl_reads(const struct fm_check *check, struct fm_text name)
{
	const struct fm_check_options *options = check->options;
	size_t i;

	for (i = 0; options != NULL && i < options->nvcl_reads; i++)
		if (fm_text_eq_nocase(name, fm_text_of(options->vcl_reads[i])))
			return (true);
	return (false);
}

/* Returns true if a header is one that rules make up. */
static bool
is_signal(const struct fm_check *check, struct fm_text name,
    const struct fm_check_named *named)
{
	static const char * const others[] = { "X-Real-IP",
	    "X-Requested-With", "X-HTTP-Method-Override", "X-Request-ID",
	    NULL };

	if (name.len <= 2 || fm_lower((unsigned char)*name.b) != 'x' ||
	    name.b[1] != '-')
		return ((named->read || vcl_reads(check, name)) &&
		    !fm_check_is_known_header(name));
	return (!fm_text_is_one_of(name, others) &&
	    !fm_check_covers(FM_PATTERN_PREFIX, fm_text_of("X-Forwarded"),
	    FM_PATTERN_EXACT, name, true));
}

/* Returns true if a test asks who the client is. */
static bool
asks_client(const struct fm_cond *test)
{
	return (test->subject.kind == FM_SUBJECT_CLIENT || test->subject.agent);
}

/*
 * Returns true if some `when` of a chain asks for the header itself, which in a
 * block for responses is a subject of its own.  *client is true if all of them
 * ask who the client is, and nothing else.
 */
static bool
chain_asks(const struct fm_stmt *when, struct fm_text name,
    enum fm_subject_kind kind, bool *client)
{
	const struct fm_cond *test;

	*client = when != NULL;
	for (; when != NULL; when = fm_stmt_chained(when))
		for (test = when->when.tests; test != NULL;
		    test = test->next) {
			if (test->subject.kind == kind &&
			    fm_text_eq_nocase(test->subject.name, name))
				return (true);
			*client &= asks_client(test);
		}
	return (false);
}

/* Returns the subject by which the block of a phase tests such a header. */
static enum fm_subject_kind
phase_subject(enum fm_stmt_kind kind)
{
	return (fm_phase_is_response(fm_stmt_phase(kind)) ?
	    FM_SUBJECT_REQUEST_HEADER : FM_SUBJECT_HEADER);
}

static bool block_tests(struct fm_check *, struct fm_text name,
    enum fm_subject_kind, const struct fm_block *, unsigned depth);

/* Returns true if a `when`, a `use`, or a block in it tests a header. */
static bool
stmt_tests(struct fm_check *check, struct fm_text name,
    enum fm_subject_kind kind, const struct fm_stmt *stmt, unsigned depth)
{
	const struct fm_stmt *when = stmt->kind == FM_STMT_WHEN ? stmt : NULL;
	bool client;

	if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
		return (block_tests(check, name, kind,
		    stmt->use.ruleset->block, depth + 1));
	if (chain_asks(when, name, kind, &client))
		return (true);
	for (; when != NULL; when = fm_stmt_chained(when))
		if (block_tests(check, name, kind, when->when.then,
		    depth + 1) || (fm_stmt_chained(when) == NULL &&
		    block_tests(check, name, kind, when->when.otherwise,
		    depth + 1)))
			return (true);
	return (false);
}

/* Returns true if a block tests a header, or that of a phase in it does. */
static bool
block_tests(struct fm_check *check, struct fm_text name,
    enum fm_subject_kind kind, const struct fm_block *block, unsigned depth)
{
	const struct fm_stmt *stmt;

	for (stmt = (block == NULL || depth > SIGNAL_DEPTH) ? NULL :
	    block->first; stmt != NULL && --check->steps >= 0;
	    stmt = stmt->next)
		if (stmt_tests(check, name, kind, stmt, depth) ||
		    (fm_stmt_is_phase(stmt->kind) && block_tests(check, name,
		    phase_subject(stmt->kind), stmt->phase.block, depth + 1)))
			return (true);
	return (false);
}

/* Returns true if the blocks for responses in a block test a header. */
static bool
answers_test(struct fm_check *check, struct fm_text name,
    const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if (fm_stmt_is_phase(stmt->kind) && block_tests(check, name,
		    phase_subject(stmt->kind), stmt->phase.block, 0))
			return (true);
	return (false);
}

/* The same for all blocks for responses. */
static bool
all_answers_test(struct fm_check *check, struct fm_text name)
{
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *item = fm_check_item_next(&items);

	while (item != NULL && !answers_test(check, name, item))
		item = fm_check_item_next(&items);
	return (item != NULL);
}

/* Returns true if requests for any host come to a block with the header. */
static bool
sites_touch(struct fm_check *check, struct fm_text name)
{
	struct fm_check_items hosts = { .model = check->model, .hosts = true };
	const struct fm_block *host = fm_check_item_next(&hosts);

	while (host != NULL && block_touches(check, name, host, 0))
		host = fm_check_item_next(&hosts);
	return (host == NULL && check->model->otherwise != NULL);
}

/*
 * Returns true if it matters that the block of a host sets a header, which
 * other hosts don't.  Only what comes after all blocks may see theirs.
 */
static bool
site_matters(struct fm_check *check, struct fm_text name)
{
	const struct fm_block *finally = check->model->finally;

	return ((vcl_reads(check, name) ||
	    answers_test(check, name, check->model->always) ||
	    block_tests(check, name, FM_SUBJECT_HEADER, finally, 0)) &&
	    !block_touches(check, name, finally, 0) &&
	    !sites_touch(check, name));
}

/*
 * Notes in *early whether a block tests a header after the `when` that sets it,
 * and before it is unset: such a test sees what the client sends.
 */
static void
tests_early(struct fm_check *check, struct fm_text name,
    const struct fm_check_way *way, bool *early)
{
	const struct fm_stmt *stmt = way->block->first;

	for (; stmt != way->stmt; stmt = stmt->next)
		if (stmt_touches(check, name, stmt, 0)) {
			*early = false;
			return;
		}
	for (; stmt != NULL && !stmt_touches(check, name, stmt, 0);
	    stmt = stmt->next)
		if (stmt != way->stmt && stmt_tests(check, name,
		    FM_SUBJECT_HEADER, stmt, 0)) {
			*early = true;
			return;
		}
}

/* Returns true if it matters that some branches of a block set a header. */
static bool
branch_matters(struct fm_check *check, struct fm_text name,
    const struct fm_check_way *way, const struct fm_check_named *named)
{
	bool client, matters = named->matters || vcl_reads(check, name) ||
	    all_answers_test(check, name);
	const struct fm_block *block = NULL;
	bool open = false, early = false;

	for (; way != NULL; way = way->up) {
		if (chain_asks(way->stmt->kind == FM_STMT_WHEN ? way->stmt :
		    NULL, name, FM_SUBJECT_HEADER, &client))
			return (false);
		block = way->block;
		open = !block_touches(check, name, block, 0);
		tests_early(check, name, way, &early);
		matters |= client && open;
		if (block == check->model->always)
			return (matters && (open || early));
	}
	/* The block of a host closes the gap in that block only. */
	if (!open && !early && (block == check->model->finally ||
	    !site_matters(check, name)))
		return (false);
	matters |= !open;
	/* Nothing may depend on it: rules don't ask it, and set it once. */
	return (matters && !block_touches(check, name, check->model->always,
	    0));
}

/* Warns, once for each header. */
static void
signal_tell(struct fm_check *check, struct fm_check_named *named,
    struct fm_text name, const struct fm_place *at)
{

	named->told = true;
	fm_diag_warning(check->diag, at, FM_MSG_SLIP_SIGNAL, FM_SHOW(name),
	    FM_SHOW(name));
}

/* Returns what is known of a header that rules make up, or NULL. */
static struct fm_check_named *
signal_named(struct fm_check *check, struct fm_text name)
{
	struct fm_check_named *named = fm_check_table_find(&check->headers,
	    name);

	return (named == NULL || named->told ||
	    !is_signal(check, name, named) ? NULL : named);
}

/*
 * Looks for signals in a ruleset, by the way through its `use`: a `when` leads
 * to that, or is in the ruleset.
 */
static void
used_signal(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_stmt *stmt = way->stmt;
	const struct fm_place *at = &stmt->at;
	const struct fm_check_way *up = way;
	struct fm_check_named *named;
	unsigned depth = 0;

	for (; up != NULL && up->stmt->kind != FM_STMT_WHEN; up = up->up) {
		depth++;
		at = &up->stmt->at;
	}
	if (--check->steps < 0 || depth > SIGNAL_DEPTH)
		return;
	if (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL)
		fm_check_walk(check, stmt->use.ruleset->block, way,
		    used_signal);
	if (stmt->kind != FM_STMT_SET || stmt->set.header == NULL || up == NULL)
		return;
	named = signal_named(check, stmt->set.header->text);
	if (named != NULL && branch_matters(check, stmt->set.header->text,
	    way->up, named))
		signal_tell(check, named, stmt->set.header->text, at);
}

void
fm_check_signal(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_model *model = check->model;
	const struct fm_stmt *stmt = way->stmt;
	struct fm_check_named *named;
	struct fm_text name;

	if (stmt->kind == FM_STMT_USE)
		used_signal(check, way);
	if (stmt->kind != FM_STMT_SET || stmt->set.header == NULL)
		return;
	name = stmt->set.header->text;
	named = signal_named(check, name);
	if (named == NULL)
		return;
	if (way->up != NULL ? branch_matters(check, name, way->up, named) :
	    way->block != model->always && way->block != model->finally &&
	    !block_touches(check, name, model->always, 0) &&
	    site_matters(check, name))
		signal_tell(check, named, name, &stmt->at);
}
