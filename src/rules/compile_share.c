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
 *	share of the User-Agent: bot, spider, all of brands, all of device
 *	share of the path: none, as nothing else is asked of the path
 *
 * A list or a map that is alone keeps a set of its own, which may stop at the
 * first hit.  So does a large one, and one of texts that are compared whole:
 * that is a hash, and nobody should scan for it.
 *
 * This runs before anything is compiled: we go through the model, note who asks
 * what of which subject, and then make the shares.
 */

#include "compile_priv.h"
#include "obj.h"

#define SHARE_MAX	512	/* patterns of a share */
#define SMALL_MAX	256	/* patterns of a list or a map in a share, */
#define SMALL_COSTLY	32	/* and of these, regexes and globs */

/* A test of `always` that has patterns of its own. */
struct words {
	const struct fm_cond	*test;
	uint32_t		next;		/* plus one; 0: no more */
};

/*
 * A subject, and what was asked of it so far.  In the drawing above, the share
 * of the User-Agent has asked_always 2 (own words and brands); in the block of
 * a.example asked becomes 3, with device.
 */
struct share {
	struct fm_subject_code	subject;
	uint32_t		first, last;	/* members: lists and maps */
	uint32_t		own_words;	/* a member, or FM_NONE */
	uint32_t		only;		/* member that was asked for
						 * first */
	uint32_t		block;		/* last block that asked */
	uint32_t		asked;		/* members that this block and
						 * `always` have asked for */
	uint32_t		asked_always;	/* members that `always` has */
	uint32_t		pool;
};

static struct share *
share_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->shares, struct share, n));
}

static struct fm_compile_member *
member_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->members, struct fm_compile_member, n));
}

/*--------------------------------------------------------------------
 * Subjects, and the blocks that ask for them
 */

static uint32_t
share_of(struct fm_compile *c, const struct fm_subject_code *subject)
{
	const struct share share = { .subject = *subject,
	    .first = FM_NONE, .last = FM_NONE, .own_words = FM_NONE,
	    .only = FM_NONE };
	uint32_t number;

	fm_intern_key(&c->intern, FM_TAG_SHARE);
	fm_compile_key_subject(c, subject);
	return (fm_compile_new(c, c->shares.n, &number) ?
	    fm_compile_append(c, &c->shares, &share, sizeof share) : number);
}

static void
member_key(struct fm_compile *c, const struct fm_list_def *list,
    const struct fm_map_def *map, const struct fm_subject_code *subject)
{
	fm_intern_key(&c->intern, FM_TAG_MEMBER);
	fm_intern_key_number(&c->intern,
	    list == NULL ? FM_NONE : list->number);
	fm_intern_key_number(&c->intern, map == NULL ? FM_NONE : map->number);
	fm_compile_key_subject(c, subject);
}

static void
member_new(struct fm_compile *c, struct fm_compile_member *member)
{
	struct share *share = share_at(c, member->share);
	uint32_t number;

	member->first = member->next = FM_NONE;
	number = fm_compile_append(c, &c->members, member, sizeof *member);
	if (member->list == NULL && member->map == NULL)
		share->own_words = number;
	else if (share->first == FM_NONE)
		share->first = share->last = number;
	else {
		member_at(c, share->last)->next = number;
		share->last = number;
	}
}

/*
 * Notes that this block asks for a member.  The member is wanted in the share
 * once the block, or `always` before it, asks for another member, too.
 */
static void
member_asked(struct fm_compile *c, uint32_t number)
{
	struct fm_compile_member *member = member_at(c, number);
	struct share *share = share_at(c, member->share);

	if (member->block == FM_COMPILE_ALWAYS || member->block == c->block)
		return;
	member->block = c->block;
	if (share->block != c->block) {
		share->block = c->block;
		share->asked = share->asked_always;
	}
	share->asked++;
	if (c->block == FM_COMPILE_ALWAYS)
		share->asked_always = share->asked;
	if (share->asked == 1)
		share->only = number;
	else
		member->wanted = member_at(c, share->only)->wanted = true;
}

/* Notes that this block asks for a list, a map, or own words of `always`. */
static uint32_t
member_ask(struct fm_compile *c, struct fm_compile_member *asked,
    const struct fm_subject *subject)
{
	struct fm_subject_code code = fm_compile_subject(c, subject);
	uint32_t number;

	asked->share = share_of(c, &code);
	member_key(c, asked->list, asked->map, &code);
	if (fm_compile_new(c, c->members.n, &number))
		member_new(c, asked);
	member_asked(c, number);
	return (number);
}

/*--------------------------------------------------------------------
 * Through the model
 */

/* How many patterns a list or a map has: no more are counted than matter. */
struct count {
	uint32_t	all, exact, costly;
	bool		regexes;
};

static void
count_words(struct count *count, enum fm_pattern_kind mode,
    const struct fm_words *words)
{
	count->all += words->count;
	if (mode == FM_PATTERN_EXACT)
		count->exact += words->count;
	if (mode == FM_PATTERN_REGEX || mode == FM_PATTERN_GLOB)
		count->costly += words->count;
	count->regexes |= mode == FM_PATTERN_REGEX;
}

/* Asks for a list or a map, if it is small and takes a scan. */
static void
ask_counted(struct fm_compile *c, struct fm_compile_member *asked,
    const struct count *count, const struct fm_subject *subject)
{
	if (count->all > SMALL_MAX || count->exact == count->all ||
	    count->costly > SMALL_COSTLY)
		return;
	asked->count = count->all;
	asked->regexes = count->regexes;
	(void)member_ask(c, asked, subject);
}

static void
ask_list(struct fm_compile *c, const struct fm_list_def *list,
    const struct fm_subject *subject)
{
	struct fm_compile_member asked = { .list = list };
	const struct fm_list_line *line;
	struct count count = { 0 };

	for (line = list->lines; line != NULL && count.all <= SMALL_MAX;
	    line = line->next)
		count_words(&count, line->mode, &line->operands);
	ask_counted(c, &asked, &count, subject);
}

static void
ask_map(struct fm_compile *c, const struct fm_map_def *map,
    const struct fm_subject *subject)
{
	struct fm_compile_member asked = { .map = map };
	const struct fm_map_line *line;
	const struct fm_match *match;
	struct count count = { 0 };

	for (line = map->lines; line != NULL && count.all <= SMALL_MAX;
	    line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			count_words(&count, match->mode, &match->operands);
	ask_counted(c, &asked, &count, subject);
}

/* Asks for the patterns of a test of `always`. */
static void
ask_own_words(struct fm_compile *c, const struct fm_cond *test)
{
	struct fm_compile_member asked = { 0 }, *member;
	struct words words = { .test = test };

	member = member_at(c, member_ask(c, &asked, &test->subject));
	member->count += test->operands.count;
	words.next = member->words;
	member->words = fm_compile_append(c, &c->own_words, &words,
	    sizeof words) + 1;
}

static void
use_test(struct fm_compile *c, const struct fm_cond *test)
{
	if (test->kind == FM_COND_MODE && c->block == FM_COMPILE_ALWAYS &&
	    test->mode != FM_PATTERN_EXACT && !fm_compile_test_is_texts(test))
		ask_own_words(c, test);
	else if (test->kind == FM_COND_IN && !test->list_def->in &&
	    test->subject.kind != FM_SUBJECT_CLIENT)
		ask_list(c, test->list_def, &test->subject);
}

static void
use_value(struct fm_compile *c, const struct fm_value *value)
{
	if (value != NULL && value->map != NULL && !value->map_def->in)
		ask_map(c, value->map_def, &value->subject);
}

static void use_block(struct fm_compile *, const struct fm_block *);

static void
use_when(struct fm_compile *c, const struct fm_stmt *s)
{
	const struct fm_block *otherwise;
	const struct fm_cond *test;

	do {
		for (test = s->when.tests; test != NULL; test = test->next)
			use_test(c, test);
		use_block(c, s->when.then);
		otherwise = s->when.otherwise;
		s = fm_compile_chained(otherwise);
	} while (s != NULL);
	use_block(c, otherwise);
}

static void
use_block(struct fm_compile *c, const struct fm_block *block)
{
	const struct fm_stmt *s = block == NULL ? NULL : block->first;

	for (; s != NULL; s = s->next)
		if (s->kind == FM_STMT_WHEN)
			use_when(c, s);
		else if (s->kind == FM_STMT_SET)
			use_value(c, s->set.value);
		else if (s->kind == FM_STMT_NORMALIZE)
			use_value(c, s->normalize.otherwise);
		else if (s->kind == FM_STMT_REDIRECT)
			use_value(c, s->redirect.to);
}

/* Goes through `always` first: each other block runs with it. */
static void
use_all(struct fm_compile *c)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	c->block = FM_COMPILE_ALWAYS;
	use_block(c, c->model->always);
	if (c->model->finally != NULL) {
		c->block = FM_COMPILE_FINALLY;
		use_block(c, c->model->finally);
	}
	for (ruleset = c->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next) {
		c->block++;
		use_block(c, ruleset->block);
	}
	for (site = c->model->sites; site != NULL; site = site->next) {
		c->block++;
		use_block(c, site->block);
	}
}

/*--------------------------------------------------------------------
 * The sets
 */

/* Takes a member into the share, if it is wanted and there is room. */
static bool
member_take(struct fm_compile_member *member, uint32_t *room)
{
	if (!member->wanted || member->count > *room)
		return (false);
	*room -= member->count;
	member->first = 0;
	return (true);
}

/*
 * Chooses the members of a share: those of `always` before others.  Returns
 * false if there would be only one.
 */
static bool
share_choose(struct fm_compile *c, const struct share *share)
{
	struct fm_compile_member *member, *last = NULL;
	uint32_t room = SHARE_MAX, n, taken = 0;

	if (share->own_words != FM_NONE) {
		last = member_at(c, share->own_words);
		taken += member_take(last, &room);
	}
	for (n = share->first; n != FM_NONE; n = member->next) {
		member = member_at(c, n);
		if (member_take(member, &room)) {
			last = member;
			taken++;
		}
	}
	if (taken == 1)
		last->first = FM_NONE;
	return (taken > 1);
}

/* Begins a share with own words of `always`, whose tests will find its pool. */
static void
share_add_words(struct fm_compile *c, struct share *share)
{
	const struct words *words;
	uint32_t n = member_at(c, share->own_words)->words, first;

	for (; n != 0; n = words->next) {
		words = FM_GROW_AT(&c->own_words, struct words, n - 1);
		share->pool = fm_compile_pool(c, words->test, &share->subject,
		    &first);
	}
}

/* Adds the patterns of a list or a map to a share. */
static void
share_add(struct fm_compile *c, const struct share *share,
    struct fm_compile_member *member)
{
	struct fm_grow *patterns = &FM_GROW_AT(&c->pools,
	    struct fm_compile_pool, share->pool)->patterns;
	bool host = share->subject.kind == FM_SUBJECT_HOST;

	member->first = (uint32_t)patterns->n;
	member->pool = share->pool;
	if (member->list != NULL)
		fm_compile_list_patterns(c, member->list, host, patterns);
	else
		fm_compile_map_patterns(c, member->map, host, patterns);
	member->count = (uint32_t)patterns->n - member->first;
}

static void
share_make(struct fm_compile *c, struct share *share)
{
	struct fm_compile_member *member;
	uint32_t n = share->own_words;

	if (!share_choose(c, share))
		return;
	if (n != FM_NONE && member_at(c, n)->first != FM_NONE)
		share_add_words(c, share);
	else
		share->pool = fm_compile_pool_new(c);
	for (n = share->first; n != FM_NONE; n = member->next) {
		member = member_at(c, n);
		if (member->first != FM_NONE)
			share_add(c, share, member);
	}
}

void
fm_compile_shares(struct fm_compile *c)
{
	size_t i;

	use_all(c);
	c->block = FM_COMPILE_ALWAYS;
	for (i = 0; i < c->shares.n; i++)
		share_make(c, share_at(c, (uint32_t)i));
	fm_compile_pools(c);
	c->nshared = (uint32_t)c->pools.n;
}

const struct fm_compile_member *
fm_compile_shared(struct fm_compile *c, const struct fm_list_def *list,
    const struct fm_map_def *map, const struct fm_subject_code *subject)
{
	const struct fm_compile_member *member;
	uint32_t number;

	assert((list == NULL) != (map == NULL));
	member_key(c, list, map, subject);
	if (!fm_intern_has(&c->intern))
		return (NULL);
	(void)fm_compile_new(c, 0, &number);
	member = member_at(c, number);
	return (member->first == FM_NONE ? NULL : member);
}
