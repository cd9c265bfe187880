/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shares: what is answered by one scan of a subject.
 *
 * What one request may ask together (`always` and one block) of a subject is
 * made one set, as far as it is small: lists, maps, and the tests of `always`
 * that name their patterns themselves, its own words.  A list or a map that is
 * alone keeps a set of its own, where "does any match?" may stop early.
 */

#include "compile_priv.h"
#include "obj.h"

/* The most patterns of a share. */
#define SHARE_MAX	512

static struct fm_compile_share *
share_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->shares, struct fm_compile_share, n));
}

static struct fm_compile_member *
member_at(const struct fm_compile *c, uint32_t n)
{
	return (FM_GROW_AT(&c->members, struct fm_compile_member, n));
}

/*--------------------------------------------------------------------
 * What is asked together
 */

static int
share_of(struct fm_compile *c, const struct fm_subject_code *subject,
    uint32_t *number)
{
	struct fm_compile_share share = { .subject = *subject,
	    .first = FM_NONE, .last = FM_NONE, .own_words = FM_NONE,
	    .only = FM_NONE };
	int new;

	fm_intern_key(&c->intern, FM_TAG_SHARE);
	fm_compile_key_subject(c, subject);
	new = fm_compile_get(c, c->shares.n, number);
	return (new <= 0 ? new : fm_compile_append(c, &c->shares, &share,
	    sizeof share));
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

static int
member_new(struct fm_compile *c, const struct fm_compile_member *member)
{
	uint32_t number = (uint32_t)c->members.n;
	struct fm_compile_share *share = share_at(c, member->share);
	struct fm_compile_member *p;

	p = fm_compile_add(c, &c->members, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	*p = *member;
	p->first = p->next = FM_NONE;
	if (p->list == NULL && p->map == NULL)
		share->own_words = number;
	else if (share->first == FM_NONE)
		share->first = share->last = number;
	else {
		member_at(c, share->last)->next = number;
		share->last = number;
	}
	return (0);
}

/*
 * This block asks for it.  It is wanted in the share once one block, or
 * `always` before it, asks for another one too.
 */
static void
member_asked(struct fm_compile *c, uint32_t number)
{
	struct fm_compile_member *member = member_at(c, number);
	struct fm_compile_share *share = share_at(c, member->share);

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

static int
member_ask(struct fm_compile *c, struct fm_compile_member *asked,
    const struct fm_subject *subject, uint32_t *number)
{
	struct fm_subject_code code;
	int new;

	if (fm_compile_subject(c, subject, &code) != 0 ||
	    share_of(c, &code, &asked->share) != 0)
		return (-1);
	member_key(c, asked->list, asked->map, &code);
	new = fm_compile_get(c, c->members.n, number);
	if (new < 0 || (new && member_new(c, asked) != 0))
		return (-1);
	member_asked(c, *number);
	return (0);
}

int
fm_compile_share_ask(struct fm_compile *c, struct fm_compile_member *asked,
    const struct fm_subject *subject)
{
	uint32_t ignored;

	assert((asked->list == NULL) != (asked->map == NULL));
	return (member_ask(c, asked, subject, &ignored));
}

int
fm_compile_share_words(struct fm_compile *c, const struct fm_cond *test)
{
	struct fm_compile_member asked = { 0 }, *member;
	struct fm_compile_words *words;
	uint32_t number;

	assert(c->block == FM_COMPILE_ALWAYS);
	if (member_ask(c, &asked, &test->subject, &number) != 0)
		return (-1);
	words = fm_compile_add(c, &c->own_words, sizeof *words, 1);
	if (words == NULL)
		return (-1);
	member = member_at(c, number);
	member->count += test->operands.count;
	words->test = test;
	words->next = member->words;
	member->words = (uint32_t)c->own_words.n;
	return (0);
}

/*--------------------------------------------------------------------
 * The sets
 */

static bool
member_take(struct fm_compile_member *member, uint32_t *room)
{
	if (!member->wanted || member->count > *room)
		return (false);
	*room -= member->count;
	member->first = 0;
	return (true);
}

/* Who is in, those of `always` before others; one alone is not. */
static bool
share_choose(struct fm_compile *c, const struct fm_compile_share *share)
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

/* The tests of `always` find their patterns in this pool. */
static int
share_add_words(struct fm_compile *c, struct fm_compile_share *share)
{
	const struct fm_compile_words *words;
	uint32_t n = member_at(c, share->own_words)->words, first;

	for (; n != 0; n = words->next) {
		words = FM_GROW_AT(&c->own_words, struct fm_compile_words,
		    n - 1);
		if (fm_compile_pool(c, words->test, &share->subject,
		    &share->pool, &first) != 0)
			return (-1);
	}
	return (0);
}

static int
share_add(struct fm_compile *c, const struct fm_compile_share *share,
    struct fm_compile_member *member)
{
	struct fm_grow *patterns = &FM_GROW_AT(&c->pools,
	    struct fm_compile_pool, share->pool)->patterns;
	bool host = share->subject.kind == FM_SUBJECT_HOST;

	member->first = (uint32_t)patterns->n;
	member->pool = share->pool;
	if (member->list != NULL)
		return (fm_compile_list_patterns(c, member->list, host,
		    patterns));
	if (fm_compile_map_patterns(c, member->map, host, patterns) != 0)
		return (-1);
	member->count = (uint32_t)patterns->n - member->first;
	return (0);
}

static int
share_make(struct fm_compile *c, struct fm_compile_share *share)
{
	struct fm_compile_member *member;
	uint32_t n = share->own_words;
	int bad;

	if (!share_choose(c, share))
		return (0);
	if (n != FM_NONE && member_at(c, n)->first != FM_NONE)
		bad = share_add_words(c, share);
	else
		bad = fm_compile_pool_new(c, &share->pool);
	for (n = share->first; n != FM_NONE && bad == 0; n = member->next) {
		member = member_at(c, n);
		if (member->first != FM_NONE)
			bad = share_add(c, share, member);
	}
	return (bad);
}

int
fm_compile_shares(struct fm_compile *c)
{
	size_t i;

	c->block = FM_COMPILE_ALWAYS;
	for (i = 0; i < c->shares.n; i++)
		if (share_make(c, share_at(c, (uint32_t)i)) != 0)
			return (-1);
	if (fm_compile_pools(c) != 0)
		return (-1);
	c->nshared = (uint32_t)c->pools.n;
	return (0);
}

int
fm_compile_shared(struct fm_compile *c, const struct fm_list_def *list,
    const struct fm_map_def *map, const struct fm_subject_code *subject,
    const struct fm_compile_member **member)
{
	uint32_t number;

	assert((list == NULL) != (map == NULL));
	*member = NULL;
	member_key(c, list, map, subject);
	if (!fm_intern_has(&c->intern))
		return (0);
	if (fm_compile_get(c, 0, &number) != 0)
		return (-1);
	if (member_at(c, number)->first != FM_NONE)
		*member = member_at(c, number);
	return (0);
}
