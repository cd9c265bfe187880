/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of `fastmatch test`, which runs the requests of cases through
 * rules, and compares the results with what the cases expect:
 *
 *	cases.c		reads files of cases
 *	open.c		compiles the rules of a group
 *	expect.c	compares what a case expects with what it got
 *	write.c		writes lines in the format of cases
 *	coverage.c	finds statements and hosts that no case reaches
 *	report.c	reports as text, as JSON and as the XML of JUnit
 *	from_log.c	makes cases from a log (--record)
 *	test.c		the command
 */

#ifndef FM_TEST_H
#define FM_TEST_H

#include <stdio.h>

#include "cases.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "respond.h"

/*--------------------------------------------------------------------
 * Rules
 */

/* The statements and hosts of some rules that requests have reached. */
struct fm_test_coverage {
	const struct fm_program	*program;
	uint32_t		*seen;		/* FM_CASE_SEEN_ bits of each
						 * rule, by its number; the
						 * last: of no statement */
	uint32_t		n;		/* numbers of statements */
	bool			is_new;		/* set with each new bit */
	uint64_t		*counters;	/* of hits, for fm_view */
	bool			otherwise;	/* a request met `default` */
};

#define FM_CASE_SEEN_WHEN(outcome)	(1U << (outcome))
#define FM_CASE_SEEN_STMT(effect)	(1U << 4 << (effect))
#define FM_CASE_SEEN_DECIDED(verdict)	(1U << 14 << (verdict))

/*
 * The rules of a group of cases, from a file of their own or from between the
 * cases.  Rules between cases are compiled as a file that has empty lines
 * before the rules, so that a message names the right line of the file of
 * cases:
 *
 *	site.test:1	=== rules		main: "site.test", name:
 *						"main.rules"
 *	site.test:2	always { pass; }	skip: 1
 */
struct fm_test_rules {
	char			*main;		/* as places have it */
	char			*real;		/* the same, as it really is */
	char			*name;		/* as cases have it */
	unsigned		skip;		/* its lines before the rules */
	bool			shared;		/* of "rules from" */
	struct fm_rules		rules;		/* program is NULL: they have
						 * errors, which were said */
	struct fm_test_coverage	coverage;
	struct fm_test_rules	*next;
};

/*
 * Returns the rules of a group: from the list, or compiled and added to the
 * list.  With --rules that file is taken for "rules from FILE".
 */
struct fm_test_rules *fm_test_rules_open(struct fm_test_rules **list,
    const struct fm_cases *, const struct fm_cases_group *);

/*--------------------------------------------------------------------
 * A case
 */

/*
 * Compares a result with what its case expects.  Writes the lines that differ:
 * "-" and what was expected, "+" and what came.
 */
void fm_test_compare(FILE *, const struct fm_test_rules *,
    const struct fm_case *, const struct fm_view *, const struct fm_result *,
    const struct fm_log_line *key);

/*
 * The same for a response, which the rules have stored and delivered; the
 * client got `sent`, and without the rules `bare`.
 */
void fm_test_compare_response(FILE *, const struct fm_test_rules *,
    const struct fm_case *, const struct fm_respond *,
    const struct fm_respond_run *delivered, const struct fm_respond_run *sent,
    const struct fm_respond_run *bare);

/* Writes a difference: there is no response to the request of a case. */
void fm_test_compare_none(FILE *, const struct fm_respond *);
/* Compares what a case expects of the request as a backend gets it. */
void fm_test_compare_sent(FILE *, const struct fm_case *,
    const struct fm_respond *);

/* Returns the response of a case. */
struct fm_respond_to fm_case_respond_to(const struct fm_case *);

/* Write a text, or a verdict, in the format of cases, with its escapes. */
void fm_test_put_text(FILE *, struct fm_text);
void fm_test_put_verdict(FILE *, enum fm_verdict, unsigned status,
    struct fm_text text, struct fm_text body);

/* Writes "header NAME: VALUE", or "no header NAME" for a missing value. */
void fm_test_put_header(FILE *, struct fm_text name, struct fm_text value);

/*--------------------------------------------------------------------
 * Coverage
 */

void fm_test_coverage_init(struct fm_test_coverage *,
    const struct fm_program *);

/* Returns a trace for fm_run() that notes in the coverage what runs. */
struct fm_trace fm_test_coverage_trace(struct fm_test_coverage *);

/* Notes which rule decided, and how. */
void fm_test_coverage_decided(struct fm_test_coverage *,
    const struct fm_result *);

enum fm_test_missing_what {
	FM_CASE_NEVER_ASKED,	/* a host, or default */
	FM_CASE_NEVER_RUN,
	FM_CASE_NEVER_TRUE,	/* a `when` that ran */
	FM_CASE_NEVER_FALSE
};

struct fm_test_missing {
	enum fm_test_missing_what what;
	struct fm_place		at;
	const char		*text;		/* of the model or program */
	bool			in_main;	/* in the file that is tested */
};

struct fm_test_ratio {
	unsigned		reached, all;
};

/*
 * The coverage of some rules.  A ratio with all == 0 counts as reached: there
 * is nothing to reach.
 */
struct fm_test_covered {
	struct fm_test_ratio	statements, branches, hosts;
	unsigned		percent;	/* of all three ratios together,
						 * rounded down */
	struct fm_test_missing	*missing;	/* malloc'ed */
	size_t			n, room;
};

/* Sums up a coverage, and lists what no case reaches. */
void fm_test_covered_find(struct fm_test_covered *,
    const struct fm_test_rules *);

/*--------------------------------------------------------------------
 * The report
 */

enum fm_test_outcome {
	FM_CASE_PASSED,
	FM_CASE_FAILED,
	FM_CASE_LEFT_OUT,	/* its "only" doesn't name `cli` */
	FM_CASE_NOT_RUN,	/* its rules have errors */
	FM_CASE__OUTCOMES
};

struct fm_test_report {
	struct fm_term		term;
	json_t			*failures;	/* NULL: write text */
	FILE			*junit;		/* NULL: no JUnit file */
	unsigned		counts[FM_CASE__OUTCOMES];
	unsigned		before[FM_CASE__OUTCOMES]; /* this file */
	struct fm_written	suite;		/* JUnit: this file */

	const struct fm_cases	*cases;		/* the file that is run now */
};

void fm_test_report_begin(struct fm_test_report *, const struct fm_cases *);
void fm_test_report_end(struct fm_test_report *);

/* Writes to JUnit's file why a file of cases could not be read. */
void fm_test_report_unread(struct fm_test_report *, const char *path,
    const struct fm_diag *);

void fm_test_report_case(struct fm_test_report *, const struct fm_test_rules *,
    const struct fm_case *, enum fm_test_outcome, struct fm_text difference);
void fm_test_report_coverage(struct fm_test_report *,
    const struct fm_test_rules *, const struct fm_test_covered *,
    json_t *array);

/*--------------------------------------------------------------------
 * Cases from a log
 */

/* The exit status if something can't be run; 1 means that cases have failed. */
#define FM_CASE_TROUBLE		2

/*
 * Prints cases for rules, made from the requests of a log; returns the status.
 */
int fm_test_record(const char *rules, const char *log);

#endif
