/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the shares: sets of patterns that one scan of a subject answers.
 *
 * One request runs `always` and one block.  The small lists and maps that these
 * two ask of one subject, and the tests of `always` that have patterns of their
 * own, become one set: the share of the subject.
 *
 *	always { when agent contains bot "spider" { pass; }
 *		when agent in brands { ... } }
 *	host a.example { set X-Device = device(agent); }
 *	host b.example { when path in assets { hash; } }
 *
 *	share of the User-Agent: all of brands, all of device, bot, spider
 *	share of the path: none, as nothing else is asked of the path
 *
 * A list or a map that is alone keeps a set of its own, which may stop at the
 * first hit.  So does a large one, and one of texts that are compared whole:
 * that is a hash, which no scan should replace.
 *
 * This runs before anything is compiled: we go through the model, note who asks
 * what of which subject, and then begin the pools of the shares, with the lists
 * and maps.  `always`, which is compiled next, adds its own words to them.
 */

#include "compile_priv.h"
#include "obj.h"

#define SHARE_MAX	512	/* patterns of a share */
#define SMALL_MAX	256	/* patterns: a larger list or map keeps a set of
				 * its own */
#define SMALL_COSTLY	32	/* regexes and globs: the same */

/*
 * A subject, and what was asked of it so far.  In the drawing above, the share
 * of the User-Agent has own 2 and asked_always 2 (own words and brands); in the
 * block of a.example asked becomes 3, with device.
 */
struct share {
	struct fm_subject_code	subject;
	uint32_t		first, last;	/* members */
	uint32_t		own;		/* patterns that tests of
						 * `always` have themselves */
	uint32_t		only;		/* member that was asked for
						 * first; FM_NONE: own words */
	uint32_t		block;		/* last block that asked */
	uint32_t		asked;		/* members, or own words, that
						 * this block and `always` have
						 * asked for */
	uint32_t		asked_always;	/* those of `always` */
	bool			made;		/* it has a pool */
};

static struct share *
share_at(const struct fm_compile *compile, uint32_t n)
{
	return (FM_GROW_AT(&compile->shares, struct share, n));
}

static struct fm_compile_member *
member_at(const struct fm_compile *compile, uint32_t n)
{
	return (FM_GROW_AT(&compile->members, struct fm_compile_member, n));
}

/*--------------------------------------------------------------------
 * Subjects, and the blocks that ask for them
 */

static uint32_t
share_of(struct fm_compile *compile, const struct fm_subject_code *subject)
{
	const struct share share = { .subject = *subject,
	    .first = FM_NONE, .last = FM_NONE, .only = FM_NONE };
	uint32_t number;

	fm_intern_key(&compile->intern, FM_TAG_SHARE);
	fm_compile_key_subject(compile, subject);
	return (fm_compile_new(compile, compile->shares.n, &number) ?
	    fm_compile_append(compile, &compile->shares, &share, sizeof share) :
	    number);
}

static void
member_key(struct fm_compile *compile, const struct fm_list_def *list,
    const struct fm_subject_code *subject)
{
	fm_intern_key(&compile->intern, FM_TAG_MEMBER);
	fm_intern_key_number(&compile->intern, list->number);
	fm_compile_key_subject(compile, subject);
}

static void
member_new(struct fm_compile *compile, struct fm_compile_member *member)
{
	struct share *share = share_at(compile, member->share);
	uint32_t number;

	member->first = member->next = FM_NONE;
	number = fm_compile_append(compile, &compile->members, member,
	    sizeof *member);
	if (share->first == FM_NONE)
		share->first = number;
	else
		member_at(compile, share->last)->next = number;
	share->last = number;
}

static void
member_want(struct fm_compile *compile, uint32_t number)
{
	if (number != FM_NONE)
		member_at(compile, number)->wanted = true;
}

/*
 * Notes that this block asks for a member, or (FM_NONE) for own words.  The
 * member is wanted in the share once the block, or `always` before it, asks for
 * something else, too.
 */
static void
share_asked(struct fm_compile *compile, struct share *share, uint32_t number)
{
	if (share->block != compile->block) {
		share->block = compile->block;
		share->asked = share->asked_always;
	}
	share->asked++;
	if (compile->block == FM_COMPILE_ALWAYS)
		share->asked_always = share->asked;
	if (share->asked == 1) {
		share->only = number;
	} else {
		member_want(compile, number);
		member_want(compile, share->only);
	}
}

/*--------------------------------------------------------------------
 * Through the model
 */

/*
 * Counts the patterns of a list or a map, up to as many as matter.  Returns
 * false if it is large, or takes no scan.
 */
static bool
member_count(struct fm_compile_member *member)
{
	uint32_t exact = 0, costly = 0, n;
	const struct fm_match *match;
	const struct fm_line *line;

	for (line = member->list->lines; line != NULL &&
	    member->count <= SMALL_MAX; line = line->next)
		for (match = line->matches; match != NULL;
		    match = match->next) {
			n = match->operands.count;
			member->count += n;
			if (match->mode == FM_PATTERN_EXACT)
				exact += n;
			if (match->mode == FM_PATTERN_REGEX ||
			    match->mode == FM_PATTERN_GLOB)
				costly += n;
			member->regexes |= match->mode == FM_PATTERN_REGEX;
		}
	return (member->count <= SMALL_MAX && member->count > exact &&
	    costly <= SMALL_COSTLY);
}

/* Asks for a list or a map, if it is small and takes a scan. */
static void
ask_list(struct fm_compile *compile, const struct fm_list_def *list,
    const struct fm_subject *subject)
{
	struct fm_compile_member new = { .list = list }, *member;
	struct fm_subject_code code;
	uint32_t number;

	if (compile->sharing || list->in || !member_count(&new))
		return;
	code = fm_compile_subject(compile, subject);
	new.share = share_of(compile, &code);
	member_key(compile, list, &code);
	if (fm_compile_new(compile, compile->members.n, &number))
		member_new(compile, &new);
	member = member_at(compile, number);
	if (member->block == FM_COMPILE_ALWAYS ||
	    member->block == compile->block)
		return;
	member->block = compile->block;
	share_asked(compile, share_at(compile, member->share), number);
}

/* Notes the patterns of a test of `always`. */
static void
ask_own_words(struct fm_compile *compile, const struct fm_cond *test)
{
	struct fm_subject_code code = fm_compile_subject(compile,
	    &test->subject);
	struct share *share = share_at(compile, share_of(compile, &code));
	uint32_t first;

	if (compile->sharing) {
		if (share->made && share->own > 0)
			(void)fm_compile_pool(compile, test, &code, &first);
		return;
	}
	if (share->own == 0)
		share_asked(compile, share, FM_NONE);
	share->own += test->operands.count;
}

static void
use_test(struct fm_compile *compile, const struct fm_cond *test)
{
	if (test->subject.which != FM_WHICH_FIRST) {
		compile->of_readings |= test->subject.kind == FM_SUBJECT_PATH;
		return;
	}
	if (test->kind == FM_COND_MODE && compile->block == FM_COMPILE_ALWAYS &&
	    test->mode != FM_PATTERN_EXACT && !fm_compile_test_is_texts(test))
		ask_own_words(compile, test);
	else if (test->kind == FM_COND_IN &&
	    test->subject.kind != FM_SUBJECT_CLIENT)
		ask_list(compile, test->list_def, &test->subject);
}

static void
use_value(struct fm_compile *compile, const struct fm_value *value)
{
	if (value != NULL && value->map != NULL)
		ask_list(compile, value->map_def, &value->subject);
}

static void
use_block(struct fm_compile *compile, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_cond *test;

	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_WHEN) {
			for (test = stmt->when.tests; test != NULL;
			    test = test->next)
				use_test(compile, test);
			use_block(compile, stmt->when.then);
			use_block(compile, stmt->when.otherwise);
		} else if (stmt->kind == FM_STMT_SET) {
			use_value(compile, stmt->set.value);
		} else if (stmt->kind == FM_STMT_NORMALIZE) {
			use_value(compile, stmt->normalize.otherwise);
		} else if (stmt->kind == FM_STMT_LOG) {
			use_value(compile, stmt->log.value);
		} else if (stmt->kind == FM_STMT_REDIRECT) {
			use_value(compile, stmt->redirect.to);
		}
}

/* Goes through `always` first: each other block runs with it. */
static void
use_all(struct fm_compile *compile)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	compile->block = FM_COMPILE_ALWAYS;
	use_block(compile, compile->model->always);
	if (compile->model->finally != NULL) {
		compile->block = FM_COMPILE_FINALLY;
		use_block(compile, compile->model->finally);
	}
	for (ruleset = compile->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next) {
		compile->block++;
		use_block(compile, ruleset->block);
	}
	for (site = compile->model->sites; site != NULL; site = site->next) {
		compile->block++;
		use_block(compile, site->block);
	}
}

/*--------------------------------------------------------------------
 * The sets
 */

/*
 * Chooses the members of a share, in the order in which they were asked for:
 * those of `always` come first.  Returns false if nothing would be shared.
 */
static bool
share_choose(struct fm_compile *compile, const struct share *share)
{
	struct fm_compile_member *member, *last = NULL;
	uint32_t room = SHARE_MAX - share->own;
	uint32_t n, taken = 0;

	for (n = share->first; n != FM_NONE; n = member->next) {
		member = member_at(compile, n);
		if (!member->wanted || member->count > room)
			continue;
		room -= member->count;
		member->first = 0;
		last = member;
		taken++;
	}
	if (taken == 1 && share->own == 0)
		last->first = FM_NONE;
	return (taken > (share->own == 0));
}

/* Adds the patterns of a list or a map to a share. */
static void
share_add(struct fm_compile *compile, const struct share *share,
    struct fm_compile_member *member)
{
	struct fm_grow *patterns = &FM_GROW_AT(&compile->pools,
	    struct fm_compile_pool, member->pool)->patterns;

	member->first = (uint32_t)patterns->n;
	fm_compile_list_patterns(compile, member->list,
	    share->subject.kind == FM_SUBJECT_HOST, patterns);
	member->count = (uint32_t)patterns->n - member->first;
}

void
fm_compile_shares(struct fm_compile *compile)
{
	struct fm_compile_member *member;
	struct share *share;
	uint32_t i, n, pool;

	use_all(compile);
	for (i = 0; i < compile->shares.n; i++) {
		share = share_at(compile, i);
		compile->block = FM_COMPILE_ALWAYS;
		/* Too many own words get a pool of `always` alone. */
		if (share->own > SHARE_MAX)
			compile->block = share->own = 0;
		if (!share_choose(compile, share))
			continue;
		share->made = true;
		pool = fm_compile_pool_of(compile, &share->subject, false);
		for (n = share->first; n != FM_NONE; n = member->next) {
			member = member_at(compile, n);
			member->pool = pool;
			if (member->first != FM_NONE)
				share_add(compile, share, member);
		}
	}
	/* The own words of `always` are after them. */
	compile->sharing = true;
	compile->block = FM_COMPILE_ALWAYS;
	use_block(compile, compile->model->always);
	compile->sharing = false;
	fm_compile_pools(compile);
	compile->nshared = (uint32_t)compile->pools.n;
}

const struct fm_compile_member *
fm_compile_shared(struct fm_compile *compile, const struct fm_list_def *list,
    const struct fm_subject_code *subject)
{
	const struct fm_compile_member *member;
	uint32_t number;

	member_key(compile, list, subject);
	if (!fm_intern_find(&compile->intern, &number))
		return (NULL);
	member = member_at(compile, number);
	return (member->first == FM_NONE ? NULL : member);
}
