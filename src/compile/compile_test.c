/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles tests, and estimates what a test costs at run time: a condition asks
 * its cheap tests first.  The cost is that of reading the subject plus that of
 * the answer.  The units are made up: only the order matters.
 *
 *	the subject: url, path, method; whether it is present at all	  1
 *	host, a header, clean path					  2
 *	a parameter, a cookie (looked for by its name)			  4
 *
 *	present, and a few texts to compare it with			  0
 *	in networks, any name that fits					  8
 *	strings by hash							 16
 *	a set to scan for						 64
 *	one with a regex, or a list of which PCRE2 decides a pattern	128
 *
 * An `and` or `or` costs the sum of its tests.
 */

#include "compile_priv.h"
#include "obj.h"
#include "view.h"

#define COST_NETS	8
#define COST_HASH	16
#define COST_SCAN	64
#define COST_REGEX	128

/*
 * A test of no more operands than this compares them one by one: that is
 * cheaper than a hash or a scan.  Globs take longer.
 */
#define TEXTS_MAX	32
#define GLOBS_MAX	8

bool
fm_compile_test_is_texts(const struct fm_cond *test)
{
	if (test->below)
		return (true);
	switch (test->mode) {
	case FM_PATTERN_EXACT:
	case FM_PATTERN_PREFIX:
	case FM_PATTERN_SUFFIX:
		return (test->operands.count <= TEXTS_MAX);
	case FM_PATTERN_GLOB:
		return (test->operands.count <= GLOBS_MAX);
	case FM_PATTERN_CONTAINS:
	case FM_PATTERN_REGEX:
		break;
	}
	return (false);
}

/*
 * Returns fm_test_end() of an operand.  A glob that ends in a wildcard sets all
 * bits, as a subject may end in any byte.
 */
static uint64_t
test_end(const struct fm_test *code, struct fm_text text)
{
	if (code->mode == FM_PATTERN_GLOB && text.len > 0 &&
	    (text.b[text.len - 1] == '*' || text.b[text.len - 1] == '?'))
		return (~0ULL);
	return (fm_test_end(code, text));
}

static void
test_texts(struct fm_compile *compile, const struct fm_cond *test,
    struct fm_test *code)
{
	bool host = test->subject.kind == FM_SUBJECT_HOST;
	const struct fm_word *word;
	struct fm_text text;

	code->kind = FM_TEST_TEXTS;
	code->mode = (uint8_t)test->mode;
	code->nocase = test->nocase && !host;
	code->below = test->below;
	code->first = (uint32_t)compile->texts.n;
	code->count = test->operands.count;
	for (word = test->operands.first; word != NULL; word = word->next) {
		text = fm_compile_operand(compile, test->mode, word->text,
		    host);
		(void)fm_compile_text(compile, text);
		code->ends |= test_end(code, text);
	}
}

/* Compiles a test of a list, which is in a share or has a set of its own. */
static void
test_list(struct fm_compile *compile, const struct fm_cond *test,
    struct fm_test *code)
{
	const struct fm_compile_member *member;

	member = fm_compile_shared(compile, test->list_def, &code->subject);
	if (member == NULL) {
		code->kind = FM_TEST_SET;
		code->set = fm_compile_list(compile, test->list_def,
		    test->subject.kind == FM_SUBJECT_HOST);
		return;
	}
	code->kind = FM_TEST_RANGE;
	code->mode = member->regexes ? FM_PATTERN_REGEX : FM_PATTERN_CONTAINS;
	code->set = member->pool;
	code->first = member->first;
	code->count = member->count;
}

/* Returns true if a test asks for networks; `client in LIST` always does. */
static bool
is_of_networks(const struct fm_cond *test)
{
	return (test->kind == FM_COND_NETS ||
	    (test->kind == FM_COND_IN && (test->list_def->in ||
	    test->subject.kind == FM_SUBJECT_CLIENT)));
}

/* Returns the flags of the words of `fetch is` and its like. */
static uint32_t
flags_of(const struct fm_cond *test)
{
	const struct fm_word *word;
	uint32_t all = 0;

	for (word = test->operands.first; word != NULL; word = word->next)
		all |= fm_state_flag(test->subject.kind, word->text);
	return (all);
}

static void
test_of(struct fm_compile *compile, const struct fm_cond *test,
    struct fm_test *code)
{
	if (test->kind == FM_COND_NAMES) {
		code->kind = FM_TEST_NAMES;
		code->subject.kind = (uint8_t)test->subject.kind;
		code->subject.slot = FM_SLOT_OF_COOKIE;
		compile->p->reads_request |=
		    test->subject.kind == FM_SUBJECT_COOKIE;
		code->set = fm_compile_names(compile, test);
		return;
	}
	code->subject = fm_compile_subject(compile, &test->subject);
	if (test->kind == FM_COND_NUMBER) {
		code->kind = FM_TEST_NUMBER;
		code->over = test->over;
		code->number = test->number;
	} else if (test->subject.kind == FM_SUBJECT_FETCH ||
	    test->subject.kind == FM_SUBJECT_CACHE ||
	    test->subject.kind == FM_SUBJECT_SCHEME) {
		code->kind = FM_TEST_FLAGS;
		code->first = flags_of(test);
		compile->p->asks_own |= test->subject.kind ==
		    FM_SUBJECT_CACHE && (code->first & FM_CACHE_OWN) != 0;
	} else if (test->subject.kind == FM_SUBJECT_PATH &&
	    test->subject.which != FM_WHICH_FIRST) {
		code->every = test->subject.which == FM_WHICH_EVERY;
		test_texts(compile, test, code);
		fm_compile_any_path(compile, code);
	} else if (is_of_networks(test)) {
		code->kind = FM_TEST_NETS;
		code->set = fm_compile_nets(compile, test->list_def,
		    &test->nets);
	} else if (test->kind == FM_COND_PRESENT) {
		code->kind = FM_TEST_PRESENT;
	} else if (test->kind == FM_COND_IN) {
		test_list(compile, test, code);
	} else if (!code->subject.all && fm_compile_test_is_texts(test)) {
		test_texts(compile, test, code);
	} else {
		code->kind = code->subject.all ? FM_TEST_VALUES :
		    FM_TEST_RANGE;
		code->mode = (uint8_t)test->mode;
		code->count = test->operands.count;
		code->set = fm_compile_pool(compile, test, &code->subject,
		    &code->first);
	}
}

uint32_t
fm_compile_test(struct fm_compile *compile, const struct fm_cond *test)
{
	struct fm_test code = { 0 };

	test_of(compile, test, &code);
	code.rule = fm_compile_rule_test(compile, test, &code.subject);
	return (fm_compile_append(compile, &compile->tests, &code,
	    sizeof code));
}

static uint32_t
cost_of_set(const struct fm_patset *set)
{
	if (fm_patset_gives_up(set))
		return (COST_REGEX);
	return (fm_patset_scans(set) ? COST_SCAN : COST_HASH);
}

uint32_t
fm_compile_test_cost(const struct fm_compile *compile,
    const struct fm_test *test)
{
	static const uint8_t costs[] = {
		[FM_SUBJECT_URL] = 1, [FM_SUBJECT_PATH] = 1,
		[FM_SUBJECT_METHOD] = 1, [FM_SUBJECT_CLEAN_PATH] = 2,
		[FM_SUBJECT_HOST] = 2, [FM_SUBJECT_HEADER] = 2,
		[FM_SUBJECT_QUERY] = 4, [FM_SUBJECT_COOKIE] = 4,
		[FM_SUBJECT_CLIENT] = 0,
		[FM_SUBJECT_REQUEST_HEADER] = 2, [FM_SUBJECT_STATUS] = 1,
		[FM_SUBJECT_TYPE] = 4, [FM_SUBJECT_SET_COOKIE] = 4,
		[FM_SUBJECT_CACHE_CONTROL] = 4, [FM_SUBJECT_TTL] = 0,
		[FM_SUBJECT_SIZE] = 0, [FM_SUBJECT_FETCH] = 0,
		[FM_SUBJECT_CACHE] = 0, [FM_SUBJECT_RESTARTS] = 0,
		[FM_SUBJECT_SCHEME] = 2
	};
	uint32_t cost = costs[test->subject.kind];

	switch ((enum fm_test_kind)test->kind) {
	case FM_TEST_PRESENT:
		return (cost == 2 ? 1 : cost);
	case FM_TEST_NUMBER:
	case FM_TEST_FLAGS:
	case FM_TEST_TEXTS:
	case FM_TEST_PATHS:
		return (cost);
	case FM_TEST_NETS:
	case FM_TEST_NAMES:
		return (cost + COST_NETS);
	case FM_TEST_SET:
		return (cost + cost_of_set(*FM_GROW_AT(&compile->sets,
		    struct fm_patset *, test->set)));
	case FM_TEST_RANGE:
	case FM_TEST_VALUES:
		if (test->mode == FM_PATTERN_EXACT)
			return (cost + COST_HASH);
		return (cost + (test->mode == FM_PATTERN_REGEX ? COST_REGEX :
		    COST_SCAN));
	}
	assert(!"a kind of test");
	return (0);
}
