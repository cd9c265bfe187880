/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes tests, for run.c and route.c.  A test is undecided if its regex has
 * reached the match limit, or if the client is unknown; likewise a test of a
 * URL with a raw `#` is FM_FRAGMENT.  If a condition is met, and its groups are
 * used, the groups of its first regex that matches go to a register.
 */

#include "glob.h"
#include "obj.h"
#include "run_priv.h"

/*
 * Asks whether any pattern of a set matches.  The scan stops at the first hit,
 * unless another test has found out more.
 */
static enum fm_outcome
test_set(struct fm_exec *exec, const struct fm_test *test)
{
	struct fm_memo *memo = fm_memo_get(exec, test->memo, &test->subject);

	if (memo->subject.b == NULL)
		return (FM_FALSE);
	if (!memo->scanned)
		return (fm_memo_any(exec, memo, test->set, &test->subject));
	return (fm_memo_range(exec, memo, test->set, 0,
	    (uint32_t)fm_patset_count(exec->program->sets[test->set])));
}

/* Returns true if a subject matches an operand, by glob or without case. */
static bool
text_is_like(const struct fm_test *test, struct fm_text operand,
    struct fm_text subject)
{
	if (test->mode == FM_PATTERN_GLOB)
		return (fm_glob_match(operand, subject, test->nocase));
	if (subject.len < operand.len ||
	    (test->mode == FM_PATTERN_EXACT && subject.len != operand.len))
		return (false);
	if (test->mode == FM_PATTERN_SUFFIX)
		subject.b += subject.len - operand.len;
	subject.len = operand.len;
	return (fm_text_eq_nocase(operand, subject));
}

/*
 * Returns true if a path is at or below any operand: `/a/` has `/a` and
 * `/a/b`, but not `/ab`.
 */
static bool
texts_below(const struct fm_test *test, const struct fm_text *operand,
    const struct fm_text *end, struct fm_text subject)
{
	struct fm_text top;

	for (; operand < end; operand++) {
		top = *operand;
		if (top.len == subject.len + 1)
			top.len--;
		if (top.len <= subject.len && (test->nocase ?
		    fm_text_eq_nocase(top, fm_text(subject.b, top.len)) :
		    fm_bytes_eq(top.b, subject.b, top.len)))
			return (true);
	}
	return (false);
}

bool
fm_cond_texts(const struct fm_exec *exec, const struct fm_test *test,
    struct fm_text subject)
{
	const struct fm_text *operand = &exec->program->texts[test->first];
	const struct fm_text *end = operand + test->count;

	if (test->below)
		return (texts_below(test, operand, end, subject));
	if (test->nocase || test->mode == FM_PATTERN_GLOB) {
		for (; operand < end; operand++)
			if (text_is_like(test, *operand, subject))
				return (true);
		return (false);
	}
	if (test->mode == FM_PATTERN_EXACT) {
		for (; operand < end; operand++)
			if (fm_text_eq(*operand, subject))
				return (true);
		return (false);
	}
	assert(test->mode == FM_PATTERN_PREFIX ||
	    test->mode == FM_PATTERN_SUFFIX);
	for (; operand < end; operand++)
		if (operand->len <= subject.len && fm_bytes_eq(operand->b,
		    test->mode == FM_PATTERN_PREFIX ? subject.b :
		    subject.b + subject.len - operand->len, operand->len))
			return (true);
	return (false);
}

enum fm_outcome
fm_cond_test(struct fm_exec *exec, const struct fm_test *test)
{
	struct fm_memo *memo;

	switch ((enum fm_test_kind)test->kind) {
	case FM_TEST_PRESENT:
		return (fm_request_subject(&exec->req,
		    &test->subject).b != NULL ? FM_TRUE : FM_FALSE);
	case FM_TEST_TEXTS:
		return (fm_cond_holds(exec, test) ? FM_TRUE : FM_FALSE);
	case FM_TEST_SET:
		return (test_set(exec, test));
	case FM_TEST_RANGE:
		memo = fm_memo_candidates(exec, test->memo, test->set,
		    &test->subject);
		return (memo == NULL ? FM_FALSE : fm_memo_range(exec, memo,
		    test->set, test->first, test->count));
	case FM_TEST_NAMES:
		return (fm_request_has_names(&exec->req, test) ? FM_TRUE :
		    FM_FALSE);
	case FM_TEST_PATHS:
		return (fm_any_path(exec, test));
	case FM_TEST_VALUES:
		return (fm_any_value(exec, test));
	case FM_TEST_NUMBER:
	case FM_TEST_FLAGS:
		return (fm_response_test(exec, test) ? FM_TRUE : FM_FALSE);
	case FM_TEST_NETS:
		if (fm_request_is_unknown(&exec->req, &test->subject))
			return (FM_UNDECIDED);
		return (fm_request_network(&exec->req, &test->subject,
		    test->set) != FM_NONE ? FM_TRUE : FM_FALSE);
	}
	assert(!"a kind of test");
	return (FM_FALSE);
}

/* Sets the mark if a test is not decided. */
static void
test_mark(struct fm_exec *exec, const struct fm_test *test,
    enum fm_outcome outcome)
{
	if (outcome == FM_FRAGMENT)
		fm_exec_mark(exec, FM_REFUSE_FRAGMENT);
	else if (outcome == FM_UNDECIDED)
		fm_exec_mark(exec, test->kind == FM_TEST_NETS ?
		    FM_REFUSE_CLIENT : FM_REFUSE_UNDECIDED);
}

const struct fm_op *
fm_cond_step(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_program *program = exec->program;
	const struct fm_test *test = &program->tests[op->a];
	enum fm_outcome outcome = FM_FRAGMENT;

	if (!fm_request_has_fragment(&exec->req, &test->subject))
		outcome = fm_cond_test(exec, test);
	if (exec->outcomes != NULL)
		exec->outcomes[op->a - program->conds[op->rule].first_test] =
		    (uint8_t)outcome;
	test_mark(exec, test, outcome);
	return ((op->on >> outcome & 1) != 0 ? op + op->b : op + 1);
}

/*
 * Finds the groups of a regex, and returns FM_TRUE if it matches.  A regex that
 * reaches its match limit counts as one that does not match, unless Hyperscan
 * says that it matches.  Then the groups are not known, and the outcome is
 * FM_UNDECIDED; it is FM_FRAGMENT for a URL with a raw `#`.
 */
static enum fm_outcome
capture_groups(struct fm_exec *exec, const struct fm_capture *capture,
    struct fm_text *groups)
{
	const struct fm_test *test = &exec->program->tests[capture->test];
	struct fm_memo *memo = fm_memo_get(exec, test->memo, &test->subject);
	struct fm_text subject = fm_request_subject(&exec->req, &test->subject);
	unsigned over = fm_exec_over(exec);

	if (fm_request_has_fragment(&exec->req, &test->subject))
		return (FM_FRAGMENT);
	if (subject.b == NULL || (memo->scanned && fm_memo_range(exec, memo,
	    test->set, capture->number, 1) != FM_TRUE))
		return (FM_FALSE);
	if (fm_pattern_groups(fm_patset_pattern(exec->program->sets[test->set],
	    capture->number), subject, groups, &exec->result->tally))
		return (FM_TRUE);
	if (over == fm_exec_over(exec))
		return (FM_FALSE);
	memo = fm_memo_candidates(exec, test->memo, test->set, &test->subject);
	return (memo != NULL && fm_memo_range(exec, memo, test->set,
	    capture->number, 1) == FM_TRUE ? FM_UNDECIDED : FM_FALSE);
}

bool
fm_cond_capture(struct fm_exec *exec, const struct fm_cond_code *cond)
{
	const struct fm_capture *capture =
	    &exec->program->captures[cond->first_capture];
	struct fm_text *groups = exec->regs[cond->reg];
	enum fm_outcome outcome = FM_FALSE;
	unsigned i;

	if (groups == NULL) {
		groups = fm_request_alloc(&exec->req,
		    FM_REGEX_GROUPS * sizeof *groups);
		if (groups == NULL)
			return (true);
		exec->regs[cond->reg] = groups;
	}
	for (i = 0; i < cond->ncaptures && outcome == FM_FALSE; i++, capture++)
		outcome = capture_groups(exec, capture, groups);
	if (outcome != FM_TRUE)
		memset(groups, 0, FM_REGEX_GROUPS * sizeof *groups);
	if (outcome <= FM_TRUE)
		return (true);
	test_mark(exec, &exec->program->tests[capture[-1].test], outcome);
	return (false);
}

void
fm_cond_tell(struct fm_exec *exec, const struct fm_cond_code *cond)
{
	const struct fm_test *test = &exec->program->tests[cond->first_test];
	struct fm_event event = { .kind = FM_EVENT_TEST };
	unsigned i;

	for (i = 0; i < cond->ntests && exec->trace->tests; i++, test++) {
		if (test->kind == FM_TEST_NAMES)
			event.what = fm_request_named(&exec->req, test);
		else if (test->kind == FM_TEST_VALUES &&
		    exec->outcomes[i] == FM_TRUE)
			event.what = fm_any_which(exec, test);
		else
			event.what = fm_request_subject(&exec->req,
			    &test->subject);
		event.rule = &exec->program->rules[test->rule];
		event.outcome = (enum fm_outcome)exec->outcomes[i];
		fm_trace_tell(exec->trace, &event);
	}
	memset(exec->outcomes, FM_NOT_ASKED, cond->ntests);
}
