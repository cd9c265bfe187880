/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of what is valid, but hardly meant: operands that match too much, tests
 * that exclude each other, denials that a client can get around by another
 * spelling of the path, and names that nothing uses.
 */

#include <stddef.h>

#include "check_priv.h"

/*--------------------------------------------------------------------
 * Operands that match too much, or nothing
 */

/* Returns true for a letter or digit, or two; `path begins /` is meant. */
static bool
is_short(enum fm_pattern_kind mode, struct fm_text t, unsigned subjects)
{
	bool broad = (subjects & FM_CHECK_BROAD) != 0;
	enum fm_pattern_kind kind = fm_check_kind(mode, &t);
	size_t i, max = 0;

	if (kind == FM_PATTERN_CONTAINS)
		max = broad ? 2 : 1;
	else if (kind == FM_PATTERN_PREFIX || kind == FM_PATTERN_SUFFIX)
		max = broad || (subjects & FM_CHECK_NAMES) != 0;
	if (broad && kind == FM_PATTERN_CONTAINS &&
	    fm_text_eq(t, fm_text_of("/")))
		return (true);
	for (i = 0; i < t.len && i <= max; i++)
		if (!fm_check_is_alnum(t.b[i]))
			return (false);
	return (t.len > 0 && t.len <= max);
}

/*
 * What a header, a cookie or a parameter has in it may well be short: there
 * only single letters are told, or nothing.
 */
void
fm_check_short(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, unsigned subjects)
{
	const struct fm_word *word;

	if ((subjects & (FM_CHECK_OTHER | FM_CHECK_BROAD | FM_CHECK_HEADER |
	    FM_CHECK_NAMES)) == FM_CHECK_OTHER)
		return;
	for (word = words->first; word != NULL; word = word->next)
		if (is_short(mode, word->text, subjects))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_SHORT, FM_CHECK_QUOTE(word->text));
		else if (fm_check_is_stars(mode, word->text))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_ALWAYS, fm_mode_word(mode),
			    FM_CHECK_QUOTE(word->text));
}

/*--------------------------------------------------------------------
 * What excludes each other
 */

#define NEVER_TESTS	32	/* of a chain, and operands of each */

/* Returns true if no text is both. */
static bool
tests_exclude(const struct fm_cond *a, const struct fm_cond *b)
{
	bool nocase = a->nocase || b->nocase ||
	    a->subject.kind == FM_SUBJECT_HOST;
	const struct fm_word *x, *y;

	if (a->subject.kind != b->subject.kind ||
	    !fm_check_text_eq(a->subject.name, b->subject.name,
	    a->subject.kind == FM_SUBJECT_HEADER))
		return (false);
	for (x = a->operands.first; x != NULL; x = x->next)
		for (y = b->operands.first; y != NULL; y = y->next)
			if (fm_check_meets(a->mode, x->text, b->mode, y->text,
			    nocase))
				return (false);
	return (true);
}

/* Returns a test of an `and`, or one under `not` of an `or`; or NULL. */
static const struct fm_cond *
chain_test(const struct fm_cond *cond, enum fm_cond_kind chain)
{
	if (cond != NULL && chain == FM_COND_OR)
		cond = cond->kind == FM_COND_NOT ? cond->left : NULL;
	return (cond == NULL || cond->kind != FM_COND_MODE || cond->below ||
	    (cond->mode != FM_PATTERN_EXACT &&
	    cond->mode != FM_PATTERN_PREFIX) || cond->operands.count == 0 ||
	    cond->operands.count > NEVER_TESTS ? NULL : cond);
}

/*
 * Looks for tests of an `and` that can't be true together, and for those of an
 * `or` of which one is always true.  A chain goes to the left.
 */
void
fm_check_never(struct fm_check *check, const struct fm_cond *cond)
{
	const struct fm_cond *left, *test, *other;
	char where[FM_PLACE_LEN];
	unsigned n = 0;

	if (cond == NULL || (cond->kind != FM_COND_AND &&
	    cond->kind != FM_COND_OR && cond->kind != FM_COND_NOT))
		return;
	fm_check_never(check, cond->left);
	if (cond->kind == FM_COND_NOT)
		return;
	fm_check_never(check, cond->right);
	test = chain_test(cond->right, cond->kind);
	for (left = cond->left; test != NULL && left != NULL &&
	    n < NEVER_TESTS; n++) {
		other = chain_test(left->kind == cond->kind ? left->right :
		    left, cond->kind);
		if (other != NULL && tests_exclude(other, test)) {
			fm_diag_warning(check->diag, &test->at,
			    cond->kind == FM_COND_AND ? FM_MSG_WARN_NEVER :
			    FM_MSG_WARN_OR, fm_place_print(&other->at, where));
			return;
		}
		left = left->kind == cond->kind ? left->left : NULL;
	}
}

/*--------------------------------------------------------------------
 * Denials by the path as a client writes it
 */

/*
 * Returns true if an operand is all of a text, or how it begins.  Every
 * spelling begins with '/'.
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
 * Under `not` another spelling of `path is /a` is denied, too, and only
 * that of `path begins /a/` gets by: /a/../b.  A 404 there is for what nobody
 * has, and not to keep somebody out.
 */
static void
denied_test(struct fm_check *check, const struct fm_cond *test, bool not,
    bool refuses)
{
	const struct fm_list_line *line = test->kind == FM_COND_IN &&
	    test->list_def != NULL ? test->list_def->lines : NULL;
	bool begins;

	if (test->subject.kind != FM_SUBJECT_PATH || (not && !refuses))
		return;
	begins = test->kind == FM_COND_MODE &&
	    words_begin(test->mode, &test->operands, !not);
	for (; line != NULL && !begins; line = line->next)
		begins = words_begin(line->mode, &line->operands, !not);
	if (begins)
		fm_diag_warning(check->diag, &test->at, FM_MSG_WARN_DENIED);
}

void
fm_check_denied(struct fm_check *check, const struct fm_cond *cond, bool not,
    bool refuses)
{
	if (cond == NULL)
		return;
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		fm_check_denied(check, cond->left, not, refuses);
		fm_check_denied(check, cond->right, not, refuses);
		break;
	case FM_COND_NOT:
		fm_check_denied(check, cond->left, !not, refuses);
		break;
	default:
		denied_test(check, cond, not, refuses);
	}
}

/*--------------------------------------------------------------------
 * Unused
 */

/* used: where the flag is.  All three kinds start with their name. */
static void
unused(struct fm_check *check, const struct fm_check_table *table,
    const char *what, size_t used)
{
	const struct fm_word *name;
	const char *thing;
	size_t i;

	for (i = 0; i < table->room; i++) {
		thing = table->entries[i].thing;
		if (thing == NULL || *(const bool *)(thing + used))
			continue;
		name = *(struct fm_word * const *)(const void *)thing;
		fm_diag_warning(check->diag, &name->at, FM_MSG_WARN_UNUSED,
		    what, FM_CHECK_QUOTE(name->text));
	}
}

void
fm_check_unused(struct fm_check *check)
{
	/* A statement that was not understood may have used it. */
	if (check->broken)
		return;
	unused(check, &check->lists, "list",
	    offsetof(struct fm_list_def, used));
	unused(check, &check->maps, "map", offsetof(struct fm_map_def, used));
	unused(check, &check->rulesets, "ruleset",
	    offsetof(struct fm_ruleset_def, used));
}
