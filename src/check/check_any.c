/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks tests with `any` and `every`, and warns of denials that a client gets
 * round: by another spelling of the path, by a value that is encoded or sent
 * twice, or by a Host for which there is no block.
 */

#include "check_priv.h"

/*--------------------------------------------------------------------
 * `any` and `every`
 */

static const char *
which_word(enum fm_which which)
{
	return (which == FM_WHICH_EVERY ? "every" : "any");
}

static bool
has_values(const struct fm_subject *subject)
{
	return (subject->kind == FM_SUBJECT_QUERY ||
	    subject->kind == FM_SUBJECT_COOKIE ||
	    (subject->kind == FM_SUBJECT_HEADER && !subject->agent));
}

static bool
mode_is_known(const struct fm_cond *test)
{
	bool path = test->subject.kind == FM_SUBJECT_PATH;

	return (test->kind == FM_COND_MODE && (path || !test->below) &&
	    (test->mode == FM_PATTERN_EXACT ||
	    test->mode == FM_PATTERN_PREFIX ||
	    (test->mode == FM_PATTERN_CONTAINS && !path)));
}

/* Returns the rest of a proposal: `any` and `every` take no list. */
static const char *
in_place(const struct fm_cond *test)
{
	return (test->kind == FM_COND_IN ?
	    ", with the operands in place of the list" : "");
}

bool
fm_check_any(struct fm_check *check, const struct fm_cond *test)
{
	const struct fm_subject *subject = &test->subject;
	bool path = subject->kind == FM_SUBJECT_PATH;
	const char *word = which_word(subject->which);

	if (subject->kind == FM_SUBJECT_CLEAN_PATH)
		fm_check_error(check, &test->at, FM_MSG_ANY_CLEAN, word);
	else if (!path && (subject->which == FM_WHICH_EVERY ||
	    !has_values(subject)))
		fm_check_error(check, &test->at, FM_MSG_ANY_SUBJECT, word,
		    subject->which == FM_WHICH_EVERY ? "path" :
		    "path, query, cookie and header");
	else if (!mode_is_known(test))
		fm_check_error(check, &test->at, FM_MSG_ANY_MODE, word,
		    fm_subject_word(subject->kind), path ?
		    "is, below and begins" : "is, begins and contains");
	else if (path && subject->which == FM_WHICH_ANY &&
	    test->nots % 2 != 0)
		fm_check_error(check, &test->at, FM_MSG_NOT_ANY);
	else
		return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Denials by one reading of the path
 */

/*
 * Returns true if some operand is how a path begins, or (is) all of a path.
 * `begins /` does not count: every spelling of a path begins with '/'.
 */
static bool
words_begin(enum fm_pattern_kind mode, const struct fm_words *words, bool is)
{
	const struct fm_word *word;
	enum fm_pattern_kind kind;
	struct fm_text t;

	for (word = words->first; word != NULL; word = word->next) {
		t = word->text;
		kind = fm_check_kind(mode, &t);
		if (kind == FM_PATTERN_PREFIX ?
		    !fm_text_eq(t, fm_text_of("/")) :
		    is && kind == FM_PATTERN_EXACT)
			return (true);
		if (mode == FM_PATTERN_EXACT)
			break;
	}
	return (false);
}

/*
 * If the denial comes when a test is false, another spelling of `path is /a` is
 * denied, too, and only one of `path begins /a/` gets by, as /a/../b does; and
 * a 404 (refuses is false) protects nothing.  `clean path is /a` lets /b/../a
 * by, which is below /b for some backends.
 */
static void
denied_path(struct fm_check *check, const struct fm_cond *test, bool negated,
    bool refuses)
{
	const struct fm_line *line = test->kind == FM_COND_IN &&
	    test->list_def != NULL ? test->list_def->lines : NULL;
	enum fm_which right = negated ? FM_WHICH_EVERY : FM_WHICH_ANY;
	bool clean = test->subject.kind == FM_SUBJECT_CLEAN_PATH;
	bool is = !negated || clean, begins;

	/* `not any path` is an error already. */
	if (test->subject.which == right || (negated && !refuses) ||
	    (test->subject.which == FM_WHICH_ANY && test->nots % 2 != 0))
		return;
	begins = test->kind == FM_COND_MODE &&
	    words_begin(test->mode, &test->operands, is);
	for (; line != NULL && !begins; line = line->next)
		begins = words_begin(line->matches->mode,
		    &line->matches->operands, is);
	if (begins && clean)
		fm_diag_warning(check->diag, &test->at, FM_MSG_WARN_READING,
		    which_word(right), in_place(test));
	else if (begins)
		fm_diag_warning(check->diag, &test->at, FM_MSG_WARN_DENIED,
		    which_word(right), in_place(test));
}

/*--------------------------------------------------------------------
 * Denials by one value of several
 */

/* Returns true if browsers and proxies send a header once, as it is. */
static bool
is_sent_once(const struct fm_subject *subject)
{
	static const char * const names[] = { "User-Agent", "Referer", "Host",
	    NULL };

	return (subject->kind == FM_SUBJECT_HEADER &&
	    fm_text_is_one_of(subject->name, names));
}

/* Returns true if a test, or a line of its list, compares with a text. */
static bool
value_is_known(const struct fm_cond *test)
{
	const struct fm_line *line = test->kind == FM_COND_IN &&
	    test->list_def != NULL ? test->list_def->lines : NULL;

	for (; line != NULL; line = line->next)
		if (line->matches->mode == FM_PATTERN_EXACT ||
		    line->matches->mode == FM_PATTERN_PREFIX ||
		    line->matches->mode == FM_PATTERN_CONTAINS)
			return (true);
	return (mode_is_known(test));
}

/* Returns true if another test of the `when` looks at all values. */
static bool
has_any(const struct fm_stmt *when, const struct fm_subject *subject)
{
	const struct fm_cond *test;

	for (test = when->when.tests; test != NULL; test = test->next)
		if (test->subject.which == FM_WHICH_ANY &&
		    test->subject.kind == subject->kind &&
		    fm_check_text_eq(test->subject.name, subject->name,
		    subject->kind == FM_SUBJECT_HEADER))
			return (true);
	return (false);
}

static void
denied_value(struct fm_check *check, const struct fm_stmt *when,
    const struct fm_cond *test)
{
	const struct fm_cond **p;

	if (test->subject.which != FM_WHICH_FIRST || !value_is_known(test) ||
	    is_sent_once(&test->subject) || has_any(when, &test->subject))
		return;
	p = fm_grow_add(&check->denied, sizeof *p, 1);
	if (p == NULL)
		fm_diag_no_memory(check->diag);
	else
		*p = test;
}

void
fm_check_denied(struct fm_check *check, const struct fm_stmt *when,
    const struct fm_cond *test, bool negated, bool refuses)
{
	if (test->subject.kind == FM_SUBJECT_PATH ||
	    test->subject.kind == FM_SUBJECT_CLEAN_PATH)
		denied_path(check, test, negated, refuses);
	else if (!negated && has_values(&test->subject))
		denied_value(check, when, test);
}

/* Returns true if rules give a header its value. */
static bool
is_of_rules(struct fm_check *check, const struct fm_subject *subject)
{
	const struct fm_check_named *named;

	if (subject->kind != FM_SUBJECT_HEADER)
		return (false);
	named = fm_check_table_find(&check->headers, subject->name);
	return (named != NULL && named->set);
}

/* Warns once for each file and kind of subject. */
void
fm_check_denied_values(struct fm_check *check)
{
	struct fm_source_file *file = NULL;
	const struct fm_cond *test;
	unsigned bit;
	size_t i;

	for (i = 0; i < check->denied.n; i++) {
		test = *FM_GROW_AT(&check->denied, const struct fm_cond *, i);
		bit = 1U << test->subject.kind;
		if (is_of_rules(check, &test->subject))
			continue;
		if (file == NULL || strcmp(file->name, test->at.name) != 0)
			for (file = check->model->files; file != NULL &&
			    strcmp(file->name, test->at.name) != 0;)
				file = file->next;
		if (file != NULL && (file->denied & bit) != 0)
			continue;
		if (file != NULL)
			file->denied |= bit;
		fm_diag_warning(check->diag, &test->at, FM_MSG_WARN_VALUE,
		    fm_subject_word(test->subject.kind),
		    FM_SHOW(test->subject.name), in_place(test));
	}
}

/*--------------------------------------------------------------------
 * Denials in the blocks of hosts
 */

#define HOSTLESS_DEPTH	50		/* blocks inside each other */

/* Returns true if a statement denies; all: with any status of an error. */
static bool
stmt_refuses(const struct fm_stmt *stmt, bool all)
{
	unsigned code = stmt->kind == FM_STMT_SYNTH ? stmt->synth.code :
	    stmt->kind == FM_STMT_ANSWER ? stmt->answer.code : 0;

	return (all ? code >= 400 : fm_check_refuses(code));
}

/*
 * Returns true if the block of a `when` denies by a 404, too: it does if a test
 * of a path or a value is true.  A 404 for all else protects nothing.
 */
static bool
hides(const struct fm_stmt *when)
{
	const struct fm_cond *test;

	for (test = when->when.tests; test != NULL; test = test->next)
		if (test->nots % 2 == 0 && (has_values(&test->subject) ||
		    test->subject.kind == FM_SUBJECT_PATH ||
		    test->subject.kind == FM_SUBJECT_CLEAN_PATH))
			return (true);
	return (false);
}

/*
 * Returns true if a block, or a ruleset that it uses, has a denial; of_host: in
 * no `when`, or where a test of the host that is false leads, as it is for a
 * broken Host; all: with any error.
 */
static bool
block_refuses(struct fm_check *check, const struct fm_block *block,
    bool of_host, bool all, unsigned depth)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first, *when;
	const struct fm_cond *test;
	bool then, looks;

	for (; stmt != NULL; stmt = stmt->next) {
		if (depth > HOSTLESS_DEPTH || --check->steps < 0)
			return (false);
		if (stmt_refuses(stmt, all) || (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL && block_refuses(check,
		    stmt->use.ruleset->block, of_host, all,
		    depth + 1)))
			return (true);
		looks = !of_host;
		for (when = stmt->kind == FM_STMT_WHEN ? stmt : NULL;
		    when != NULL; when = fm_stmt_chained(when)) {
			then = looks;
			for (test = when->when.tests; test != NULL;
			    test = test->next)
				if (test->subject.kind == FM_SUBJECT_HOST)
					*(test->nots % 2 != 0 ? &then :
					    &looks) = true;
			if ((then && block_refuses(check, when->when.then,
			    false, all || hides(when), depth + 1)) ||
			    (looks && fm_stmt_chained(when) == NULL &&
			    block_refuses(check, when->when.otherwise, false,
			    all, depth + 1)))
				return (true);
		}
	}
	return (false);
}

void
fm_check_hostless(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	const struct fm_ruleset_def *ruleset = NULL, *now;
	const struct fm_host *host;
	const struct fm_block *block;
	size_t i;

	check->steps = FM_CHECK_STEPS;
	if (check->broken || check->uses_told || model->otherwise != NULL ||
	    block_refuses(check, model->always, true, true, 0) ||
	    block_refuses(check, model->finally, true, true, 0))
		return;
	for (i = 0; i < model->nhosts; i++) {
		host = &model->hosts[i];
		now = host->site == NULL ? host->ruleset_def :
		    host->site->ruleset;
		block = now != NULL ? now->block : host->site == NULL ? NULL :
		    host->site->block;
		if (block == NULL || (now != NULL && now == ruleset))
			continue;
		ruleset = now;
		if (block_refuses(check, block, false, false, 0)) {
			fm_diag_warning(check->diag, &host->at,
			    FM_MSG_WARN_HOSTLESS, FM_SHOW(host->pattern));
			return;
		}
	}
}
