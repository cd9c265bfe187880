/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks conditions.  Finds the list of each `in`, and notes how rules use a
 * list: for names, for networks, or for the texts of some subjects.
 */

#include "addrs.h"
#include "check_priv.h"
#include "hosttab.h"

/*--------------------------------------------------------------------
 * Subjects
 */

unsigned
fm_check_subject_bit(const struct fm_subject *subject)
{
	/* Some readings or values are decoded, and others are not. */
	if (subject->which != FM_WHICH_FIRST)
		return (subject->kind == FM_SUBJECT_PATH ? FM_CHECK_BROAD |
		    FM_CHECK_KIND(FM_SUBJECT_CLEAN_PATH) :
		    subject->kind == FM_SUBJECT_HEADER ? FM_CHECK_HEADER :
		    FM_CHECK_OTHER);
	switch (subject->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_HOST:
		return (FM_CHECK_BROAD | FM_CHECK_KIND(subject->kind));
	case FM_SUBJECT_HEADER:
		return (subject->agent || fm_text_eq_nocase(subject->name,
		    fm_text_of("User-Agent")) ?
		    FM_CHECK_BROAD | FM_CHECK_AGENT :
		    FM_CHECK_HEADER | FM_CHECK_KIND(subject->kind));
	default:
		break;
	}
	return (FM_CHECK_OTHER | FM_CHECK_KIND(subject->kind));
}

void
fm_check_subject(struct fm_check *check, const struct fm_subject *subject,
    bool glob)
{
	if (!subject->agent && !fm_check_phase_has(check,
	    fm_subject_row(subject->kind)->phases,
	    fm_subject_word(subject->kind), &subject->at))
		return;
	switch (subject->kind) {
	case FM_SUBJECT_SCHEME:
		fm_check_scheme_known(check, &subject->at);
		break;
	case FM_SUBJECT_QUERY:
	case FM_SUBJECT_COOKIE:
	case FM_SUBJECT_SET_COOKIE:
		fm_check_name(check, subject->name, glob, &subject->at);
		fm_check_slip_name(check, subject->name, &subject->at);
		break;
	case FM_SUBJECT_HEADER:
		if (subject->agent)
			break;
		fm_check_header(check, glob ? FM_CHECK_HEADER_GLOB :
		    FM_CHECK_HEADER_READ, subject->name, &subject->at);
		break;
	default:
		break;
	}
}

/*--------------------------------------------------------------------
 * Conditions
 */

static void
in_check(struct fm_check *check, struct fm_cond *cond)
{
	if (cond->list == NULL || fm_check_meant_network(check, cond->list))
		return;
	if (cond->subject.kind == FM_SUBJECT_CLIENT) {
		cond->list_def = fm_check_client_list(check, cond->list);
		return;
	}
	cond->list_def = fm_check_find(check, &check->lists, cond->list);
	if (cond->list_def == NULL)
		return;
	if (cond->list_def->in)
		fm_check_nets_subject(check, &cond->subject);
	else {
		cond->list_def->subjects |=
		    fm_check_subject_bit(&cond->subject);
		fm_check_slip_list(check, cond);
	}
}

static void
nets_check(struct fm_check *check, struct fm_cond *cond)
{
	const struct fm_word *word = cond->operands.first;

	if (word != NULL && cond->subject.kind != FM_SUBJECT_CLIENT &&
	    !fm_network_is_like(word->text))
		fm_check_error(check, &word->at, FM_MSG_IN_TEXTS);
	else {
		fm_check_nets_subject(check, &cond->subject);
		fm_check_networks(check, &cond->operands, &cond->nets);
	}
}

static bool
below_check(struct fm_check *check, const struct fm_cond *cond)
{
	unsigned errors = fm_diag_errors(check->diag);
	const struct fm_word *word;

	if (cond->subject.kind != FM_SUBJECT_PATH &&
	    cond->subject.kind != FM_SUBJECT_CLEAN_PATH)
		fm_check_error(check, &cond->at, FM_MSG_BELOW_SUBJECT);
	for (word = cond->operands.first; word != NULL; word = word->next)
		if (word->text.len == 0 || *word->text.b != '/')
			fm_check_error(check, &word->at, FM_MSG_BELOW_OPERAND);
	return (fm_diag_errors(check->diag) == errors);
}

/* Returns true if a host that is written out passes a test of the host. */
static bool
host_fits(const struct fm_cond *test, struct fm_text host)
{
	const struct fm_word *word;
	char buf[FM_HOSTNAME_MAX];
	struct fm_text operand;

	for (word = test->operands.first; word != NULL; word = word->next) {
		operand = word->text;
		if (test->mode == FM_PATTERN_EXACT)
			(void)fm_hostname_canon(word->text, buf, &operand);
		if (fm_check_covers(test->mode, operand, FM_PATTERN_EXACT, host,
		    test->nocase || test->mode != FM_PATTERN_REGEX))
			return (true);
	}
	return (false);
}

/* Returns true if a host gets the block that is looked at. */
static bool
is_of_site(struct fm_check *check, struct fm_text host)
{
	struct fm_hosttab_hit hit;
	struct fm_text canon;
	char buf[FM_HOSTNAME_MAX];

	return (check->model->hosttab != NULL &&
	    fm_hosttab_lookup(check->model->hosttab, host, buf, &canon,
	    &hit) &&
	    hit.entry == fm_model_site_block(check->model, check->site));
}

#define SITE_OPERANDS	100	/* of a test, that are looked at */

/* Warns of a test of the host that is useless in the block of that host. */
static void
site_test_check(struct fm_check *check, const struct fm_cond *test)
{
	const struct fm_model *model = check->model;
	const struct fm_host *host, *end;
	bool exact = test->mode == FM_PATTERN_EXACT;
	bool any = false, all = true, name, fits;
	const struct fm_word *word = test->operands.first;

	if (check->first_host == model->nhosts ||
	    test->operands.count > SITE_OPERANDS)
		return;
	host = model->hosts + check->first_host;
	end = model->hosts + model->nhosts;
	for (; host < end && host->site == check->site; host++) {
		check->steps -= (long)test->operands.count;
		if (check->steps < 0)
			return;
		name = host->pattern.len > 0 && *host->pattern.b != '.' &&
		    memchr(host->pattern.b, '*', host->pattern.len) == NULL;
		fits = name && host_fits(test, host->pattern);
		any |= fits || (!name && !exact);
		all &= fits;
	}
	for (; exact && word != NULL && !any; word = word->next)
		any = !fm_check_is_host(word->text) ||
		    is_of_site(check, word->text);
	/* A regex may be there for its groups. */
	if (!any || (all && test->groups == 0))
		fm_diag_warning(check->diag, &test->at, any ?
		    FM_MSG_SLIP_BLOCK_ALWAYS : FM_MSG_SLIP_BLOCK_NEVER);
}

static void
test_check(struct fm_check *check, struct fm_cond *cond)
{
	bool nocase;

	if (cond->list == NULL || cond->kind != FM_COND_NAMES)
		fm_check_subject(check, &cond->subject,
		    cond->kind == FM_COND_NAMES);
	if (cond->subject.which != FM_WHICH_FIRST &&
	    !fm_check_any(check, cond))
		return;
	if (!fm_check_response_cond(check, cond))
		return;
	switch (cond->kind) {
	case FM_COND_MODE:
		if (cond->below && !below_check(check, cond))
			break;
		nocase = cond->nocase ||
		    (cond->subject.kind == FM_SUBJECT_HOST &&
		    cond->mode != FM_PATTERN_REGEX);
		fm_check_operands(check, cond->mode, &cond->operands,
		    cond->nocase, fm_check_subject_bit(&cond->subject), cond);
		/* `below` took its operands apart: they are not as written. */
		if (cond->below)
			break;
		fm_check_covered_words(check, cond->mode, &cond->operands,
		    nocase);
		break;
	case FM_COND_NAMES:
		if (cond->list != NULL)
			cond->list_def = fm_check_names_list(check,
			    cond->list);
		break;
	case FM_COND_IN:
		in_check(check, cond);
		break;
	case FM_COND_NETS:
		nets_check(check, cond);
		break;
	default:
		break;
	}
	if (check->site != NULL && cond->subject.kind == FM_SUBJECT_HOST &&
	    cond->kind == FM_COND_MODE)
		site_test_check(check, cond);
}

/*--------------------------------------------------------------------
 * Tests that exclude each other
 */

#define NEVER_TESTS	32	/* of a chain, and operands of each */

/* Returns true if no text passes both tests, each `is` or `begins`. */
static bool
tests_exclude(const struct fm_cond *a, const struct fm_cond *b)
{
	bool nocase = a->nocase || b->nocase ||
	    a->subject.kind == FM_SUBJECT_HOST;
	const struct fm_word *word, *y;

	if (a->subject.kind != b->subject.kind ||
	    !fm_check_text_eq(a->subject.name, b->subject.name,
	    a->subject.kind == FM_SUBJECT_HEADER))
		return (false);
	for (word = a->operands.first; word != NULL; word = word->next)
		for (y = b->operands.first; y != NULL; y = y->next)
			if (fm_check_covers(a->mode, word->text, b->mode,
			    y->text, nocase) || fm_check_covers(b->mode,
			    y->text, a->mode, word->text, nocase))
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
	    cond->subject.which != FM_WHICH_FIRST ||
	    (cond->mode != FM_PATTERN_EXACT &&
	    cond->mode != FM_PATTERN_PREFIX) || cond->operands.count == 0 ||
	    cond->operands.count > NEVER_TESTS ? NULL : cond);
}

/*
 * Warns of two tests of an `and` that are never true together, and of two tests
 * of an `or` of which one is always true.  A chain leans to the left.
 */
static void
never_check(struct fm_check *check, const struct fm_cond *cond)
{
	const struct fm_cond *left, *test, *other;
	char where[FM_PLACE_LEN];
	unsigned n = 0;

	if (cond == NULL || (cond->kind != FM_COND_AND &&
	    cond->kind != FM_COND_OR && cond->kind != FM_COND_NOT))
		return;
	never_check(check, cond->left);
	if (cond->kind == FM_COND_NOT)
		return;
	never_check(check, cond->right);
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

void
fm_check_cond(struct fm_check *check, const struct fm_stmt *when)
{
	struct fm_cond *test;

	for (test = when->when.tests; test != NULL; test = test->next)
		test_check(check, test);
	never_check(check, when->when.cond);
}
