/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's tests, and lines of maps.
 */

#include <assert.h>
#include <stdlib.h>

#include "bounds.h"
#include "hostname.h"
#include "naive_priv.h"
#include "patset.h"
#include "scan.h"
#include "syntax.h"
#include "twin_text.h"

/*
 * PCRE2's limit where a scan decides, in steps: these take some milliseconds.
 */
static const unsigned naive_limit = 1000000;

/*--------------------------------------------------------------------
 * Patterns
 */

struct naive_regex {
	const struct fm_word	*word;
	bool			nocase;
	struct fm_pattern	*pattern;
	struct naive_regex	*next;
};

const struct fm_pattern *
naive_regex(struct naive *naive, const struct fm_word *word, bool nocase)
{
	struct naive_regex *re;

	for (re = naive->regexes; re != NULL; re = re->next)
		if (re->word == word && re->nocase == nocase)
			return (re->pattern);
	re = calloc(1, sizeof *re);
	assert(re != NULL);
	re->word = word;
	re->nocase = nocase;
	re->pattern = fm_pattern_new(FM_PATTERN_REGEX, word->text, nocase,
	    &word->at, NULL);
	assert(re->pattern != NULL);
	re->next = naive->regexes;
	naive->regexes = re;
	return (re->pattern);
}

void
naive_regexes_free(struct naive *naive)
{
	struct naive_regex *re;

	while ((re = naive->regexes) != NULL) {
		naive->regexes = re->next;
		fm_pattern_free(&re->pattern);
		free(re);
	}
}

bool
naive_glob(struct fm_text g, struct fm_text s, bool nocase)
{
	return (nocase ? twin_glob_nocase(g, s) : twin_glob(g, s));
}

/* Returns true if t is in s, `at` bytes after the start. */
static bool
text_at(struct fm_text s, size_t at, struct fm_text t, bool nocase)
{
	return (at <= s.len && s.len - at >= t.len &&
	    twin_eq(s.b + at, t.b, t.len, nocase));
}

/* Decides a regex by a scan of its own, where PCRE2 would take forever. */
static enum fm_outcome
scan_ask(const struct fm_word *word, bool nocase, struct fm_text s)
{
	struct fm_patset *set = fm_patset_new();
	struct fm_tally tally = { 0 };
	struct fm_pattern *pattern;
	bool hit, made;

	pattern = fm_pattern_new(FM_PATTERN_REGEX, word->text, nocase,
	    &word->at, NULL);
	assert(set != NULL && pattern != NULL);
	made = fm_patset_add(set, &pattern) == 0 &&
	    fm_patset_make(set, NULL, NULL) == 0;
	assert(made);
	hit = fm_patset_match(set, s, &tally);
	fm_patset_free(&set);
	/* If scans fail, the set has asked PCRE2 after all. */
	return (hit ? FM_TRUE : tally.over_limit > 0 ? FM_UNDECIDED :
	    FM_FALSE);
}

static enum fm_outcome
regex_ask(struct naive *naive, const struct fm_word *word, bool nocase,
    struct fm_text s)
{
	struct fm_tally tally = { 0 };
	struct fm_syntax syntax = fm_syntax_read(word->text);
	enum fm_outcome outcome;
	bool whole;

	/* A scan decides such regexes, so PCRE2 gets a high limit. */
	whole = fm_scan_health() == FM_SCAN_HEALTHY &&
	    syntax.engine == FM_SYNTAX_ALIKE &&
	    (syntax.ends & fm_scan_lacks()) == 0;
	fm_regex_follow_limit(whole ? &naive_limit : NULL);
	outcome = fm_pattern_match(naive_regex(naive, word, nocase), s,
	    &tally) ? FM_TRUE : tally.over_limit > 0 ? FM_UNDECIDED : FM_FALSE;
	fm_regex_follow_limit(NULL);
	/* A prefilter may still know that the regex can't match. */
	if (outcome == FM_UNDECIDED)
		outcome = scan_ask(word, nocase, s);
	return (outcome);
}

/* Returns the operand of a test of the host, spelled as canonical hosts are. */
static struct fm_text
operand_canon(struct naive *naive, enum fm_pattern_kind mode,
    struct fm_text t)
{
	char buf[FM_HOSTNAME_MAX], *p;
	struct fm_text canon;
	size_t i;

	if (mode == FM_PATTERN_EXACT &&
	    fm_hostname_canon(t, buf, &canon) == FM_HOSTNAME_OK)
		t = canon;
	p = naive_alloc(naive, t.len);
	for (i = 0; i < t.len; i++)
		p[i] = (char)fm_lower((unsigned char)t.b[i]);
	return (fm_text(p, t.len));
}

enum fm_outcome
naive_operand(struct naive *naive, enum fm_pattern_kind mode, bool nocase,
    const struct fm_word *word, bool host, struct fm_text s)
{
	struct fm_text t = word->text;
	size_t i;

	if (mode == FM_PATTERN_REGEX)
		return (regex_ask(naive, word, nocase, s));
	if (host)
		t = operand_canon(naive, mode, t);
	switch (mode) {
	case FM_PATTERN_EXACT:
		return (s.len == t.len && text_at(s, 0, t, nocase));
	case FM_PATTERN_PREFIX:
		return (text_at(s, 0, t, nocase));
	case FM_PATTERN_SUFFIX:
		return (s.len >= t.len &&
		    text_at(s, s.len - t.len, t, nocase));
	case FM_PATTERN_CONTAINS:
		for (i = 0; i + t.len <= s.len; i++)
			if (text_at(s, i, t, nocase))
				return (FM_TRUE);
		return (FM_FALSE);
	case FM_PATTERN_GLOB:
		return (naive_glob(t, s, nocase));
	case FM_PATTERN_REGEX:
		break;
	}
	abort();
}

static enum fm_outcome
either(enum fm_outcome a, enum fm_outcome b)
{
	if (a == FM_TRUE || b == FM_TRUE)
		return (FM_TRUE);
	if (a == FM_FRAGMENT || b == FM_FRAGMENT)
		return (FM_FRAGMENT);
	if (a == FM_NOT_ASKED || b == FM_NOT_ASKED)
		return (FM_NOT_ASKED);
	return (a == FM_UNDECIDED || b == FM_UNDECIDED ? FM_UNDECIDED :
	    FM_FALSE);
}

static enum fm_outcome
not(enum fm_outcome a)
{
	if (a == FM_UNDECIDED || a == FM_FRAGMENT || a == FM_NOT_ASKED)
		return (a);
	return (a == FM_TRUE ? FM_FALSE : FM_TRUE);
}

static enum fm_outcome
both(enum fm_outcome a, enum fm_outcome b)
{
	return (not(either(not(a), not(b))));
}

/* Returns the outcome of a test: true if any operand fits. */
static enum fm_outcome
operands_ask(struct naive *naive, enum fm_pattern_kind mode, bool nocase,
    const struct fm_words *operands, bool host, struct fm_text s)
{
	enum fm_outcome outcome = FM_FALSE;
	const struct fm_word *word;

	for (word = operands->first; word != NULL; word = word->next)
		outcome = either(outcome,
		    naive_operand(naive, mode, nocase, word, host, s));
	return (outcome);
}

enum fm_outcome
naive_map_line(struct naive *naive, const struct fm_list_def *map,
    const struct fm_line *line, const struct fm_subject *subject,
    struct fm_text s)
{
	enum fm_outcome outcome = FM_TRUE, one;
	const struct fm_match *match;

	for (match = line->matches; match != NULL; match = match->next) {
		one = operands_ask(naive, match->mode, map->nocase,
		    &match->operands, subject->kind == FM_SUBJECT_HOST, s);
		naive->unclear |= one == FM_UNDECIDED;
		outcome = both(outcome, match->negated ? not(one) : one);
	}
	return (outcome);
}

/*--------------------------------------------------------------------
 * Tests
 */

static enum fm_outcome
networks_ask(struct naive *naive, const struct fm_cond *test,
    const struct fm_words *networks)
{
	struct fm_addr addr = naive_address(naive, &test->subject);

	return (naive_networks(networks, &addr) >= 0 ? FM_TRUE : FM_FALSE);
}

static enum fm_outcome
list_ask(struct naive *naive, const struct fm_cond *test, struct fm_text s)
{
	bool nets = test->list_def->in ||
	    test->subject.kind == FM_SUBJECT_CLIENT;
	enum fm_outcome outcome = FM_FALSE, one;
	const struct fm_line *line;

	for (line = test->list_def->lines; line != NULL; line = line->next) {
		if (nets)
			one = networks_ask(naive, test,
			    &line->matches->operands);
		else
			one = operands_ask(naive, line->matches->mode,
			    test->list_def->nocase, &line->matches->operands,
			    test->subject.kind == FM_SUBJECT_HOST, s);
		outcome = either(outcome, one);
	}
	return (outcome);
}

/* Returns the outcome of `below`: a path is an operand, or lies below it. */
static enum fm_outcome
below_ask(const struct fm_cond *test, struct fm_text s)
{
	const struct fm_word *word;
	struct fm_text top;

	for (word = test->operands.first; word != NULL; word = word->next) {
		top = fm_text(word->text.b, word->text.len - 1);
		if (text_at(s, 0, top, test->nocase) &&
		    (s.len == top.len || s.b[top.len] == '/'))
			return (FM_TRUE);
	}
	return (FM_FALSE);
}

static enum fm_outcome
test_ask(struct naive *naive, const struct fm_cond *test)
{
	struct fm_text s;

	if (naive_has_fragment(naive, &test->subject))
		return (FM_FRAGMENT);
	if (test->kind == FM_COND_NAMES)
		return (naive_has_names(naive, test) ? FM_TRUE : FM_FALSE);
	if (test->subject.kind == FM_SUBJECT_CLIENT && naive->client_unknown)
		return (FM_NOT_ASKED);
	if (test->subject.which != FM_WHICH_FIRST)
		return (naive_any(naive, test));
	if (test->kind == FM_COND_NUMBER)
		return ((test->over ? naive->view->restarts > test->number :
		    naive->view->restarts < test->number) ? FM_TRUE :
		    FM_FALSE);
	s = naive_subject(naive, &test->subject);
	if (s.b == NULL)
		return (FM_FALSE);
	switch (test->kind) {
	case FM_COND_MODE:
		if (test->below)
			return (below_ask(test, s));
		return (operands_ask(naive, test->mode, test->nocase,
		    &test->operands, test->subject.kind == FM_SUBJECT_HOST,
		    s));
	case FM_COND_IN:
		return (list_ask(naive, test, s));
	case FM_COND_NETS:
		return (networks_ask(naive, test, &test->operands));
	case FM_COND_PRESENT:
		return (FM_TRUE);
	default:
		abort();
	}
}

/*
 * Returns true if the tests of a condition have the outcomes that a trace was
 * told, one event after the other.  Others may have decided before a test.
 */
static bool
tests_agree(struct naive *naive, const struct fm_cond *cond,
    const struct fm_event **told)
{
	enum fm_outcome is = (*told)->outcome, want;

	if (cond->kind == FM_COND_OR || cond->kind == FM_COND_AND)
		return (tests_agree(naive, cond->left, told) &&
		    tests_agree(naive, cond->right, told));
	if (cond->kind == FM_COND_NOT)
		return (tests_agree(naive, cond->left, told));
	if ((*told)++->kind != FM_EVENT_TEST)
		return (false);
	if (is == FM_NOT_ASKED)
		return (true);
	want = test_ask(naive, cond);
	return (is == (want == FM_NOT_ASKED ? FM_UNDECIDED : want));
}

const struct fm_event *
naive_told(struct naive *naive, const struct fm_stmt *when)
{
	const struct fm_event *event = naive->told, *tests;

	while (event < naive->end && event->kind != FM_EVENT_TEST &&
	    event->kind != FM_EVENT_WHEN)
		event++;
	for (tests = event; event < naive->end &&
	    event->kind == FM_EVENT_TEST; event++)
		continue;
	if (event == naive->end || event->kind != FM_EVENT_WHEN ||
	    event->rule->at.line != when->at.line ||
	    !tests_agree(naive, when->when.cond, &tests) || tests != event)
		return (NULL);
	naive->told = event + 1;
	return (event);
}

/*--------------------------------------------------------------------
 * Groups
 */

bool
naive_cond_has_groups(const struct fm_cond *cond)
{
	if (cond->kind == FM_COND_OR || cond->kind == FM_COND_AND)
		return (naive_cond_has_groups(cond->left) ||
		    naive_cond_has_groups(cond->right));
	return (cond->kind == FM_COND_MODE && cond->mode == FM_PATTERN_REGEX);
}

static bool
groups_find(struct naive *naive, const struct fm_cond *cond,
    struct fm_text groups[FM_REGEX_GROUPS])
{
	struct fm_tally tally = { 0 };
	const struct fm_word *word;
	struct fm_text s;

	if (!naive_cond_has_groups(cond))
		return (false);
	if (cond->kind != FM_COND_MODE)
		return (groups_find(naive, cond->left, groups) ||
		    groups_find(naive, cond->right, groups));
	s = naive_subject(naive, &cond->subject);
	if (s.b == NULL)
		return (false);
	for (word = cond->operands.first; word != NULL; word = word->next)
		if (regex_ask(naive, word, cond->nocase, s) == FM_TRUE &&
		    fm_pattern_groups(naive_regex(naive, word, cond->nocase), s,
		    groups, &tally))
			return (true);
	return (false);
}

void
naive_cond_groups(struct naive *naive, const struct fm_cond *cond,
    struct fm_text groups[FM_REGEX_GROUPS])
{
	if (!groups_find(naive, cond, groups))
		memset(groups, 0, FM_REGEX_GROUPS * sizeof *groups);
}
