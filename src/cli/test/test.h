/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of `fastmatch test`:
 *
 *	cases.c		a file of cases, read
 *	open.c		the rules of a group, compiled
 *	expect.c	what a case expects, against what it got
 *	write.c		lines of cases, written
 *	coverage.c	what no case reaches
 *	report.c	what is said: as text, as JSON, as JUnit's XML
 *	recorded.c	cases made from a log
 *	test.c		the command
 */

#ifndef FM_TEST_H
#define FM_TEST_H

#include <stdio.h>

#include "cases.h"
#include "json.h"
#include "load.h"
#include "options.h"

/*--------------------------------------------------------------------
 * Rules
 */

/* The statements and hosts of some rules that requests have reached. */
struct fm_test_coverage {
	const struct fm_rule	**rules;	/* sorted by address */
	uint32_t		*seen;		/* FM_TEST_SEEN_ bits of each */
	bool			is_new;		/* set where a bit is */
	uint32_t		n;
	uint64_t		*counters;	/* for fm_view */
	bool			otherwise;	/* `default` was asked */
};

#define FM_TEST_SEEN_WHEN(outcome)	(1U << (outcome))
#define FM_TEST_SEEN_STMT(effect)	(1U << 4 << (effect))
#define FM_TEST_SEEN_DECIDED(verdict)	(1U << 12 << (verdict))

/*
 * Rules of cases.  Those that stand between cases are compiled as a file that
 * has empty lines in front of them, so that a message names the line of the
 * file of cases:
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
 * Compiles the rules of a group, or finds them in the list, where they go.
 * instead: the file that "rules from" means; NULL: the one that it names.
 */
struct fm_test_rules *fm_test_rules_open(struct fm_test_rules **list,
    const struct fm_cases *, const struct fm_cases_group *,
    const char *instead, const struct fm_backends *);
void fm_test_rules_close(struct fm_test_rules **list);

/* Returns a path relative to the folder of a file; malloc'ed. */
char *fm_test_path(const char *file, const char *name);

/*--------------------------------------------------------------------
 * A case
 */

/* A line of an expectation, of malloc(). */
struct fm_test_line {
	bool			got;		/* or it was expected */
	char			*text;
};

struct fm_test_lines {
	struct fm_test_line	*v;
	size_t			n, room;
};

/* Adds the lines that differ. */
void fm_test_compare(struct fm_test_lines *, const struct fm_test_rules *,
    const struct fm_case *, const struct fm_view *, const struct fm_result *);
void fm_test_lines_fini(struct fm_test_lines *);

/* A text of malloc() that is written to .to, and there once it is ended. */
struct fm_test_text {
	FILE			*to;
	char			*text;
	size_t			len;
};

void fm_test_text_begin(struct fm_test_text *);
void fm_test_text_end(struct fm_test_text *);

/* Writes a text, or a verdict, so that it is read as it was. */
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
void fm_test_coverage_fini(struct fm_test_coverage *);

/* A trace that notes what runs. */
struct fm_trace fm_test_coverage_trace(struct fm_test_coverage *);

/* Notes which rule decided, and how. */
void fm_test_coverage_decided(struct fm_test_coverage *,
    const struct fm_result *);

enum fm_test_missing_what {
	FM_TEST_NEVER_ASKED,	/* a host, or default */
	FM_TEST_NEVER_RUN,
	FM_TEST_NEVER_TRUE,	/* a when that ran */
	FM_TEST_NEVER_FALSE
};

/* "never asked", ... */
const char *fm_test_missing_word(enum fm_test_missing_what);

struct fm_test_missing {
	enum fm_test_missing_what what;
	struct fm_place		at;
	const char		*text;		/* the model's or program's */
};

struct fm_test_share {
	unsigned		reached, all;
};

/* Where all is 0 there is nothing to reach, and all of it was. */
struct fm_test_covered {
	struct fm_test_share	statements, branches, hosts;
	unsigned		percent;	/* of all three, rounded down */
	struct fm_test_missing	*missing;	/* malloc'ed */
	size_t			n, room;
};

void fm_test_covered_find(struct fm_test_covered *,
    const struct fm_test_rules *);

/*--------------------------------------------------------------------
 * The report
 */

enum fm_test_outcome {
	FM_TEST_PASSED,
	FM_TEST_FAILED,
	FM_TEST_LEFT_OUT,	/* by its "only" */
	FM_TEST_NOT_RUN,	/* its rules have errors */
	FM_TEST__OUTCOMES
};

struct fm_test_report {
	struct fm_term		term;
	json_t			*failures;	/* NULL: text */
	FILE			*junit;		/* or NULL */
	unsigned		counts[FM_TEST__OUTCOMES];
	unsigned		before[FM_TEST__OUTCOMES]; /* this file */
	struct fm_test_text	suite;		/* JUnit: this file */

	const struct fm_cases	*cases;		/* that are being run */
};

void fm_test_report_begin(struct fm_test_report *, const struct fm_cases *);
void fm_test_report_end(struct fm_test_report *);

/* Says to JUnit what is wrong with a file that could not be read. */
void fm_test_report_unread(struct fm_test_report *, const char *path,
    const struct fm_diag *);

void fm_test_report_case(struct fm_test_report *, const struct fm_test_rules *,
    const struct fm_case *, enum fm_test_outcome,
    const struct fm_test_lines *);
void fm_test_report_coverage(struct fm_test_report *,
    const struct fm_test_rules *, const struct fm_test_covered *,
    json_t *array);

/*--------------------------------------------------------------------
 * Cases from a log
 */

/* The exit status of any trouble; 1 is that of cases that fail. */
#define FM_TEST_TROUBLE		2

/* Prints cases for rules; returns the exit status. */
int fm_test_record(const char *rules, const struct fm_backends *,
    const char *log, const char *format);

#endif
