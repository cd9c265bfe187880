/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of operands that no request comes to, as an earlier `when` has taken
 * all that they match:
 *
 *	when path below /careers { pass; }
 *	when path is /careers/internships { hash; }	never reached
 *	when any path is /careers/a { hash; }	may be: /x/../careers/a
 *	when url is /careers/a?b { hash; }	never reached
 *
 * The walk keeps the tests that have taken requests so far, and forgets those
 * whose subject a statement edits.  Nothing is said where a verdict can be
 * missed: an ESI sub-request goes on after a redirect.  A `stop` takes requests
 * as a verdict does, up to the end of the block that it leaves.
 */

#include "check_priv.h"

#define DEAD_STEPS	500000L	/* pairs of operands that are compared */
#define DEAD_REGEX	100	/* steps for a regex, which is compiled */

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
	/* From the first `stop` of `always` on, what is taken counts there. */
	bool			stops;
	size_t			sure;		/* taken before that */
	unsigned		uses;		/* in a ruleset that a block
						 * uses: its own check warns */
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
	return ((test->kind == FM_COND_MODE || (test->kind == FM_COND_IN &&
	    test->list_def != NULL && !test->list_def->in)) &&
	    (test->subject.which == FM_WHICH_FIRST ||
	    test->subject.kind == FM_SUBJECT_PATH) &&
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
	default:
		break;
	}
	return (header != NULL && fm_text_eq_nocase(header->text,
	    fm_text_of("Host")) ? EDITS_HOST : 0);
}

/*--------------------------------------------------------------------
 * Tests that take all that another one matches
 */

/* An operand of a test, or of its list. */
struct operand {
	const struct fm_word	*word;
	enum fm_pattern_kind	mode;
	bool			nocase;
	bool			below;
	const struct fm_line	*line;		/* of a list, or NULL */
};

/* Takes the next operand of a test; at first, `word` and `line` are NULL. */
static bool
operand_next(const struct fm_cond *test, struct operand *operand)
{
	bool in = test->kind == FM_COND_IN;

	operand->nocase = (in ? test->list_def->nocase : test->nocase) ||
	    (test->subject.kind == FM_SUBJECT_HOST &&
	    (in || test->mode != FM_PATTERN_REGEX));
	operand->below = !in && test->below;
	if (operand->word != NULL)
		operand->word = operand->word->next;
	else if (!in)
		operand->word = test->operands.first;
	while (in && operand->word == NULL) {
		operand->line = operand->line == NULL ? test->list_def->lines :
		    operand->line->next;
		if (operand->line == NULL)
			return (false);
		operand->word = operand->line->matches->operands.first;
	}
	operand->mode = in ? operand->line->matches->mode : test->mode;
	return (operand->word != NULL);
}

static bool
takes_text(const struct operand *by, enum fm_pattern_kind mode,
    struct fm_text t)
{
	struct fm_text with = by->word->text;

	return (fm_check_covers(by->mode, with, mode, t, by->nocase) ||
	    (by->below && mode == FM_PATTERN_EXACT &&
	    fm_text_eq(t, fm_text(with.b, with.len - 1))));
}

/*
 * Looks for the operand of an earlier test that matches all that this one does.
 * Returns false if there is none.
 */
static bool
takes(struct dead *dead, const struct fm_cond *test,
    const struct operand *operand, struct operand *by)
{
	struct fm_text t = operand->word->text;

	*by = (struct operand){ .word = NULL };
	while (dead->steps >= 0 && operand_next(test, by)) {
		dead->steps -= by->mode == FM_PATTERN_REGEX ? DEAD_REGEX : 1;
		/* One of any case takes what one of its own case does. */
		if ((by->nocase || !operand->nocase) &&
		    takes_text(by, operand->mode, t) && (!operand->below ||
		    takes_text(by, FM_PATTERN_EXACT, fm_text(t.b, t.len - 1))))
			return (true);
	}
	return (false);
}

/* Returns true if no operand of an earlier test matches this text. */
static bool
misses(struct dead *dead, const struct fm_cond *test,
    const struct operand *operand)
{
	struct operand by = { .word = NULL };

	if (operand->mode != FM_PATTERN_EXACT)
		return (false);
	while (dead->steps >= 0 && operand_next(test, &by)) {
		dead->steps -= by.mode == FM_PATTERN_REGEX ? DEAD_REGEX : 1;
		if ((operand->nocase && !by.nocase) ||
		    takes_text(&by, FM_PATTERN_EXACT, operand->word->text))
			return (false);
	}
	return (dead->steps >= 0);
}

/* Returns true if a text ends before the query of a URL. */
static bool
is_of_path(struct fm_text t)
{
	return (memchr(t.b, '?', t.len) == NULL &&
	    memchr(t.b, '#', t.len) == NULL);
}

/*
 * Looks for the operand of an earlier test of the path that is true of all URLs
 * for which this operand of `url` is.
 */
static bool
path_takes(struct dead *dead, const struct fm_cond *test,
    const struct operand *operand, struct operand *by)
{
	struct fm_word word = { .text = operand->word->text };
	struct operand of_path = *operand;
	size_t i = 0;

	of_path.word = &word;
	of_path.mode = fm_check_kind(operand->mode, &word.text);
	while (i < word.text.len && word.text.b[i] != '?' &&
	    word.text.b[i] != '#')
		i++;
	if (i == 0 || operand->below || (of_path.mode != FM_PATTERN_EXACT &&
	    of_path.mode != FM_PATTERN_PREFIX))
		return (false);
	if (i < word.text.len)
		of_path.mode = FM_PATTERN_EXACT;
	word.text.len = i;
	return (takes(dead, test, &of_path, by));
}

/* Likewise for a test of the URL, and an operand of `path`. */
static bool
url_takes(struct dead *dead, const struct fm_cond *test,
    const struct operand *operand, struct operand *by)
{
	enum fm_pattern_kind mode;
	struct fm_text t;

	if (!takes(dead, test, operand, by))
		return (false);
	t = by->word->text;
	mode = fm_check_kind(by->mode, &t);
	return ((mode == FM_PATTERN_PREFIX || mode == FM_PATTERN_CONTAINS) &&
	    !by->below && is_of_path(t));
}

/* Looks in an earlier test that takes requests where it is true. */
static bool
test_takes(struct dead *dead, const struct fm_cond *asked,
    const struct fm_cond *test, const struct operand *operand,
    struct operand *by)
{
	enum fm_subject_kind kind = test->subject.kind;

	/* As it came, the path is one of its readings. */
	if (asked->subject.which == FM_WHICH_EVERY ||
	    (test->subject.which == FM_WHICH_ANY &&
	    asked->subject.which != FM_WHICH_ANY))
		return (false);
	if (asked->subject.kind == kind)
		return (takes(dead, asked, operand, by));
	if (kind == FM_SUBJECT_URL && asked->subject.kind == FM_SUBJECT_PATH)
		return (path_takes(dead, asked, operand, by));
	return (kind == FM_SUBJECT_PATH &&
	    asked->subject.kind == FM_SUBJECT_URL &&
	    url_takes(dead, asked, operand, by));
}

/* Returns true if an earlier test takes requests where it is false. */
static bool
test_misses(struct dead *dead, const struct fm_cond *asked,
    const struct fm_cond *test, const struct operand *operand)
{
	return (asked->subject.kind == test->subject.kind &&
	    asked->subject.which == FM_WHICH_FIRST &&
	    test->subject.which != FM_WHICH_ANY &&
	    misses(dead, asked, operand));
}

/* Returns the number of the first earlier test that is still right. */
static size_t
first_right(const struct dead *dead, unsigned bits)
{
	size_t first = 0;
	unsigned i;

	for (i = 0; i < EDITS_KINDS; i++)
		if ((bits & (1U << i)) != 0 && dead->first[i] > first)
			first = dead->first[i];
	return (first);
}

/* Returns a word of a test as it was written. */
static struct fm_text
as_written(const struct operand *operand)
{
	return (operand->below ? fm_text(operand->word->text.b,
	    operand->word->text.len - 1) : operand->word->text);
}

static const char *
mode_of(const struct operand *operand)
{
	return (operand->below ? "below" : fm_mode_word(operand->mode));
}

/* Returns the condition that has taken all that an operand matches, or NULL. */
static const struct fm_cond *
taken_by(struct dead *dead, const struct fm_cond *test,
    const struct operand *operand, struct operand *by)
{
	const struct fm_cond * const *taken = dead->taken.items, *asked;
	unsigned bits = test_reads(test);
	size_t i = first_right(dead, bits);

	for (; i < dead->taken.n; i++) {
		asked = taken[i]->kind == FM_COND_NOT ? taken[i]->left :
		    taken[i];
		if (i >= first_right(dead, bits | test_reads(asked)) &&
		    (asked == taken[i] ?
		    test_takes(dead, asked, test, operand, by) :
		    test_misses(dead, asked, test, operand)))
			return (taken[i]);
	}
	return (NULL);
}

static void
dead_tell(struct dead *dead, const struct fm_place *at, const char *mode,
    struct fm_text text, const struct fm_cond *taken, const struct operand *by)
{
	bool negated = taken->kind == FM_COND_NOT;
	const struct fm_place *by_at = negated ? &taken->left->at :
	    &by->word->at;
	char where[FM_PLACE_LEN];

	fm_diag_warning(dead->check->diag, at, FM_MSG_WARN_DEAD, mode,
	    FM_SHOW(text), negated ? "not" : mode_of(by),
	    FM_SHOW(negated ? taken->left->asked : as_written(by)),
	    fm_place_print(by_at, where));
}

/* Warns of each operand that is dead; of a list, if all of its are. */
static void
test_check(struct dead *dead, const struct fm_cond *test)
{
	bool in = test->kind == FM_COND_IN;
	const struct fm_cond *taken = NULL;
	struct operand operand = { .word = NULL }, by;

	if (dead->taken.n == 0 || dead->uses > 0)
		return;
	while (dead->steps >= 0 && operand_next(test, &operand)) {
		taken = taken_by(dead, test, &operand, &by);
		if (taken == NULL && in)
			return;
		if (taken != NULL && !in)
			dead_tell(dead, &operand.word->at, mode_of(&operand),
			    as_written(&operand), taken, &by);
	}
	if (taken != NULL && in && dead->steps >= 0)
		dead_tell(dead, &test->list->at, "in", test->list->text,
		    taken, &by);
}

/* Checks the tests of a condition that help to make it true. */
static void
cond_check(struct dead *dead, const struct fm_cond *cond)
{

	if (cond == NULL || cond->kind == FM_COND_NOT)
		return;
	if (cond->kind == FM_COND_AND || cond->kind == FM_COND_OR) {
		cond_check(dead, cond->left);
		cond_check(dead, cond->right);
	} else if (is_compared(cond)) {
		test_check(dead, cond);
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
	} else if (is_compared(cond->kind == FM_COND_NOT ? cond->left :
	    cond)) {
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

/*
 * Returns true if a statement leaves the block of a host, or always, or
 * finally, in an ESI sub-request too.
 */
static bool
is_sure(const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_STOP:
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

	return (stmt->kind == FM_STMT_STOP ||
	    (stmt->kind == FM_STMT_USE && stmt->use.ruleset != NULL &&
	    block_stops(stmt->use.ruleset->block)) ||
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

static bool block_ends(const struct fm_block *);

/* Returns true if no statement after a chain is reached. */
static bool
chain_ends(const struct fm_stmt *when)
{
	const struct fm_stmt *chained;

	for (; block_ends(when->when.then); when = chained) {
		chained = fm_stmt_chained(when);
		if (chained == NULL)
			return (block_ends(when->when.otherwise));
	}
	return (false);
}

/* Returns true if no statement after a block is reached from it. */
static bool
block_ends(const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	while (stmt != NULL && !is_sure(stmt) &&
	    !(stmt->kind == FM_STMT_WHEN && chain_ends(stmt)))
		stmt = stmt->next;
	return (stmt != NULL);
}

static unsigned block_check(struct dead *, const struct fm_block *);
static unsigned top_check(struct dead *, const struct fm_block *);

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

/* Takes what a ruleset does that a block uses.  Returns what it edits. */
static unsigned
use_check(struct dead *dead, const struct fm_stmt *use)
{
	unsigned edits;

	dead->uses++;
	edits = use->use.ruleset == NULL ? 0 :
	    top_check(dead, use->use.ruleset->block);
	dead->uses--;
	return (edits);
}

/* Checks a block, and keeps the tests that have taken requests. */
static unsigned
top_check(struct dead *dead, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	unsigned all = 0, edits;

	for (; stmt != NULL && --dead->steps >= 0; stmt = stmt->next) {
		if (!dead->stops && stmt_stops(stmt)) {
			dead->stops = true;
			dead->sure = dead->taken.n;
		}
		edits = stmt->kind == FM_STMT_WHEN ?
		    chain_check(dead, stmt) : stmt->kind == FM_STMT_USE ?
		    use_check(dead, stmt) : stmt_edits(stmt);
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

	if (check->broken || check->uses_told)
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
