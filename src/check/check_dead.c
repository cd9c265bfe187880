/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of operands that no request comes to, as an earlier `when` has taken
 * all that they match:
 *
 *	when path below /careers { pass; }
 *	when path is /careers/internships { hash; }	never reached
 *
 * The walk keeps the tests that have taken requests so far, and forgets those
 * whose subject a statement edits.  Nothing is said where a verdict can be
 * missed: an ESI sub-request goes on after a redirect.
 */

#include "check_priv.h"

#define DEAD_STEPS	500000L	/* pairs of operands that are compared */

/* Bits of what a statement edits; a test looks at one of them. */
#define EDITS_PATH	1U
#define EDITS_URL	2U
#define EDITS_HOST	4U
#define EDITS_KINDS	3	/* bits */

struct dead {
	struct fm_check		*check;
	struct fm_grow		taken;		/* const struct fm_cond * */
	/* The first item of `taken` that is still right, for each bit. */
	size_t			first[EDITS_KINDS];
	/* After a `stop` in `always`, taken operands count there only. */
	bool			stops;
	size_t			sure;		/* taken before that */
	long			steps;
};

/*--------------------------------------------------------------------
 * Subjects
 */

/* Returns the bit that a test depends on; 0: edits don't change its subject. */
static unsigned
test_reads(const struct fm_cond *test)
{
	switch (test->subject.kind) {
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
		return (EDITS_PATH);
	case FM_SUBJECT_URL:
		return (EDITS_URL);
	case FM_SUBJECT_HOST:
		return (EDITS_HOST);
	default:
		return (0);
	}
}

/* Returns true if a test is of a kind that is compared. */
static bool
is_compared(const struct fm_cond *test)
{
	return (test->kind == FM_COND_MODE &&
	    test->subject.which == FM_WHICH_FIRST &&
	    (test_reads(test) != 0 ||
	    test->subject.kind == FM_SUBJECT_METHOD));
}

static void
edit(struct dead *dead, unsigned bits)
{
	unsigned i;

	for (i = 0; i < EDITS_KINDS; i++)
		if ((bits & (1U << i)) != 0)
			dead->first[i] = dead->taken.n;
}

/* Forgets the tests of a block that has ended, or of a chain. */
static void
leave(struct dead *dead, size_t n)
{
	unsigned i;

	dead->taken.n = n;
	for (i = 0; i < EDITS_KINDS; i++)
		if (dead->first[i] > n)
			dead->first[i] = n;
}

static unsigned
stmt_edits(const struct fm_stmt *stmt)
{
	const struct fm_word *header = stmt->kind == FM_STMT_SET ?
	    stmt->set.header : stmt->kind == FM_STMT_NORMALIZE ?
	    stmt->normalize.header : stmt->kind == FM_STMT_REWRITE ?
	    stmt->rewrite.header : NULL;

	switch (stmt->kind) {
	case FM_STMT_QUERY:
		return (EDITS_URL);
	case FM_STMT_REWRITE:
	case FM_STMT_SET:
		if (header == NULL)
			return (EDITS_URL | EDITS_PATH);
		break;
	case FM_STMT_USE:
		return (EDITS_URL | EDITS_PATH | EDITS_HOST);
	default:
		break;
	}
	return (header != NULL && fm_text_eq_nocase(header->text,
	    fm_text_of("Host")) ? EDITS_HOST : 0);
}

/*--------------------------------------------------------------------
 * Tests that take all that another one matches
 */

static bool
takes_text(const struct fm_cond *test, const struct fm_word *word,
    enum fm_pattern_kind mode, struct fm_text t)
{
	bool nocase = test->nocase || (test->mode != FM_PATTERN_REGEX &&
	    test->subject.kind == FM_SUBJECT_HOST);

	return (fm_check_covers(test->mode, word->text, mode, t, nocase) ||
	    (test->below && mode == FM_PATTERN_EXACT &&
	    fm_text_eq(t, fm_text(word->text.b, word->text.len - 1))));
}

/* Returns the operand of an earlier test that matches all of this one. */
static const struct fm_word *
taken_by(struct dead *dead, const struct fm_cond *by,
    const struct fm_cond *test, const struct fm_word *operand)
{
	struct fm_text t = operand->text;
	const struct fm_word *word;

	for (word = by->operands.first; word != NULL && --dead->steps >= 0;
	    word = word->next)
		if (takes_text(by, word, test->mode, t) && (!test->below ||
		    takes_text(by, word, FM_PATTERN_EXACT,
		    fm_text(t.b, t.len - 1))))
			return (word);
	return (NULL);
}

/* Returns a word of a test as it was written. */
static struct fm_text
as_written(const struct fm_cond *test, const struct fm_word *word)
{
	return (test->below ? fm_text(word->text.b, word->text.len - 1) :
	    word->text);
}

static const char *
mode_of(const struct fm_cond *test)
{
	return (test->below ? "below" : fm_mode_word(test->mode));
}

static void
operand_check(struct dead *dead, const struct fm_cond *test,
    const struct fm_word *operand)
{
	const struct fm_cond * const *taken = dead->taken.items;
	unsigned bit = test_reads(test);
	size_t i = bit == 0 ? 0 : dead->first[bit == EDITS_PATH ? 0 :
	    bit == EDITS_URL ? 1 : 2];
	const struct fm_word *by;
	char where[FM_PLACE_LEN];

	for (; i < dead->taken.n; i++) {
		/* A test of any case takes what one of its own case does. */
		if (taken[i]->subject.kind != test->subject.kind ||
		    (test->nocase && !taken[i]->nocase))
			continue;
		by = taken_by(dead, taken[i], test, operand);
		if (by == NULL)
			continue;
		fm_diag_warning(dead->check->diag, &operand->at,
		    FM_MSG_WARN_DEAD, mode_of(test),
		    FM_SHOW(as_written(test, operand)), mode_of(taken[i]),
		    FM_SHOW(as_written(taken[i], by)),
		    fm_place_print(&by->at, where));
		return;
	}
}

/* Checks the tests of a condition that help to make it true. */
static void
cond_check(struct dead *dead, const struct fm_cond *cond)
{
	const struct fm_word *word;

	if (cond == NULL || cond->kind == FM_COND_NOT)
		return;
	if (cond->kind == FM_COND_AND || cond->kind == FM_COND_OR) {
		cond_check(dead, cond->left);
		cond_check(dead, cond->right);
	} else if (is_compared(cond)) {
		for (word = cond->operands.first; word != NULL;
		    word = word->next)
			operand_check(dead, cond, word);
	}
}

/* Notes the tests of which each alone makes a condition true. */
static void
cond_takes(struct dead *dead, const struct fm_cond *cond)
{
	const struct fm_cond **taken;

	if (cond == NULL)
		return;
	if (cond->kind == FM_COND_OR) {
		cond_takes(dead, cond->left);
		cond_takes(dead, cond->right);
	} else if (is_compared(cond)) {
		taken = fm_grow_add(&dead->taken, sizeof *taken, 1);
		if (taken != NULL)
			*taken = cond;
		else
			fm_diag_no_memory(dead->check->diag);
	}
}

/*--------------------------------------------------------------------
 * Blocks
 */

/* Returns true if a verdict ends the run, in an ESI sub-request too. */
static bool
is_sure(const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_PASS:
	case FM_STMT_PIPE:
	case FM_STMT_HASH:
	case FM_STMT_BUILTIN:
		return (true);
	case FM_STMT_SYNTH:
		return (stmt->synth.code >= 400);
	case FM_STMT_ANSWER:
		return (stmt->answer.code >= 400);
	default:
		return (false);
	}
}

static bool block_stops(const struct fm_block *);

static bool
stmt_stops(const struct fm_stmt *stmt)
{

	return (stmt->kind == FM_STMT_USE || stmt->kind == FM_STMT_STOP ||
	    (stmt->kind == FM_STMT_WHEN && (block_stops(stmt->when.then) ||
	    block_stops(stmt->when.otherwise))));
}

/* Returns true if a `stop` may leave a block before its end. */
static bool
block_stops(const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	while (stmt != NULL && !stmt_stops(stmt))
		stmt = stmt->next;
	return (stmt != NULL);
}

/* Returns true if a block ends each run. */
static bool
block_ends(const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	while (stmt != NULL && !is_sure(stmt))
		stmt = stmt->next;
	return (stmt != NULL && !block_stops(block));
}

static unsigned block_check(struct dead *, const struct fm_block *);

/* Checks a chain of whens.  Returns what its blocks edit. */
static unsigned
chain_check(struct dead *dead, const struct fm_stmt *first)
{
	const struct fm_stmt *when;
	size_t n = dead->taken.n;
	unsigned edits = 0;

	for (when = first; when != NULL; when = fm_stmt_chained(when)) {
		cond_check(dead, when->when.cond);
		edits |= block_check(dead, when->when.then);
		/* The block after `else` gets the others only. */
		cond_takes(dead, when->when.cond);
		if (fm_stmt_chained(when) == NULL)
			edits |= block_check(dead, when->when.otherwise);
	}
	leave(dead, n);
	edit(dead, edits);
	for (when = first; when != NULL && block_ends(when->when.then);
	    when = fm_stmt_chained(when))
		cond_takes(dead, when->when.cond);
	return (edits);
}

/* Checks a block, and keeps the tests that have taken requests. */
static unsigned
top_check(struct dead *dead, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	unsigned all = 0, edits;

	for (; stmt != NULL && dead->steps >= 0; stmt = stmt->next) {
		if (!dead->stops && stmt_stops(stmt)) {
			dead->stops = true;
			dead->sure = dead->taken.n;
		}
		edits = stmt->kind == FM_STMT_WHEN ?
		    chain_check(dead, stmt) : stmt_edits(stmt);
		edit(dead, edits);
		all |= edits;
	}
	return (all);
}

static unsigned
block_check(struct dead *dead, const struct fm_block *block)
{
	size_t n = dead->taken.n;
	unsigned edits = top_check(dead, block);

	leave(dead, n);
	return (edits);
}

void
fm_check_dead(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct dead dead = { .check = check, .steps = DEAD_STEPS };
	struct dead alone = dead, always;
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;
	unsigned edits = 0;

	if (check->broken)
		return;
	(void)top_check(&dead, model->always);
	if (dead.stops)
		leave(&dead, dead.sure);
	always = dead;
	for (site = model->sites; site != NULL; site = site->next) {
		edits |= block_check(&dead, site->block);
		memcpy(dead.first, always.first, sizeof dead.first);
	}
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next) {
		/* A `use` of it in `always` may come before all that. */
		edits |= block_check(ruleset->within ? &alone : &dead,
		    ruleset->block);
		memcpy(dead.first, always.first, sizeof dead.first);
	}
	edit(&dead, edits);
	(void)top_check(&dead, model->finally);
	fm_grow_fini(&dead.taken);
	fm_grow_fini(&alone.taken);
}
