/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Random conditions, whose tests are true, false or undecided as a random
 * request wants it, against logic of three values: `not undecided` is
 * undecided, `false and undecided` is false, `true or undecided` is true.  A
 * program has tests that are met or not, and a mark.  It must not be more
 * lenient: what three values leave undecided ends the run.
 *
 *	kind of test		is undecided if the request has
 *	header Xn ~ ...		512 times the letter a in this header
 *	client in ...		a chain of proxies without an address
 *	path is /x		a raw `#`
 *	header Cn is t		(never)
 */

#include "../unit/compiling.h"
#include "regex.h"
#include "run.h"

enum value {
	FALSE,
	TRUE,
	REGEX,			/* undecided; a later one counts more */
	CLIENT,
	FRAGMENT
};

enum kind {
	KIND_REGEX,
	KIND_HEADER,
	KIND_CLIENT,
	KIND_PATH
};

#define HEADERS		4	/* of each kind */
#define NODES		64

/* A node of a condition: nodes[left] and nodes[right] of `and` and `or`. */
struct node {
	enum { TEST, NOT, AND, OR } op;
	unsigned		left, right;	/* NOT: left */
	enum kind		kind;		/* TEST */
	unsigned		header;
};

/* The rules of one condition, and a request. */
struct conditions {
	struct node		nodes[NODES];
	unsigned		n;
	enum fm_undecided_mode	mode;
	FILE			*text;
	struct fm_program	*program;

	enum value		regexes[HEADERS], headers[HEADERS];
	enum value		client, path;
	unsigned		unclear;	/* a bit for each value that a
						 * test has */
	char			lines[2 * HEADERS + 2][600];
	struct fm_field		fields[2 * HEADERS + 2];
	struct fm_view		view;
};

static const char * const hosts[] = { "a.example", "x.b.example" };

/*--------------------------------------------------------------------
 * Rules
 */

/* Adds a random condition of at most `tests` tests, and writes it. */
static unsigned
cond_make(struct conditions *c, unsigned tests)
{
	unsigned me = c->n++, left;
	struct node *node = &c->nodes[me];

	if (unit_below(4) == 0 && c->n + 2 * tests < NODES) {
		node->op = NOT;
		fprintf(c->text, "not (");
		node->left = cond_make(c, tests);
	} else if (tests > 1) {
		node->op = unit_below(2) == 0 ? AND : OR;
		left = 1 + unit_below(tests - 1);
		fprintf(c->text, "(");
		node->left = cond_make(c, left);
		fprintf(c->text, node->op == AND ? ") and (" : ") or (");
		node->right = cond_make(c, tests - left);
	} else {
		node->op = TEST;
		node->kind = (enum kind)unit_below(4);
		node->header = unit_below(HEADERS);
		switch (node->kind) {
		case KIND_REGEX:
			fprintf(c->text,
			    "header X%u ~ \"^(?:t|(a|a)*(?<=b))\"",
			    node->header);
			break;
		case KIND_HEADER:
			fprintf(c->text, "header C%u is t", node->header);
			break;
		case KIND_CLIENT:
			fprintf(c->text, "client in 192.0.2.0/24");
			break;
		case KIND_PATH:
			fprintf(c->text, "path is /t");
			break;
		}
		return (me);
	}
	fprintf(c->text, ")");
	return (me);
}

/* Makes rules; a.example has a route, x.b.example has none. */
static void
rules_make(struct conditions *c)
{
	static const char * const modes[] = { "", "undecided ignore;",
	    "undecided synth 410;" };
	size_t len;
	char *text;

	c->n = 0;
	c->mode = (enum fm_undecided_mode)unit_below(3);
	c->text = open_memstream(&text, &len);
	ck_assert_ptr_nonnull(c->text);
	fprintf(c->text, "%s\nclient from X-Chain trust 127.0.0.0/8;\n"
	    "always {\nunset X-Then;\nwhen ", modes[c->mode]);
	(void)cond_make(c, 1 + unit_below(7));
	fprintf(c->text, " { set X-Then = 1; }\n"
	    "when host is c.example x.b.example { unset X-Else; }\npass;\n}\n"
	    "host a.example *.b.example { }\n");
	(void)fclose(c->text);
	c->program = unit_program("t.rules", text);
	free(text);
}

/*--------------------------------------------------------------------
 * Requests
 */

static struct fm_text
line_of(struct conditions *c, unsigned n)
{
	return (fm_text_of(c->lines[n]));
}

/* Fills in what each test is, and the request that makes it so. */
static void
request_make(struct conditions *c, unsigned host)
{
	static const enum value clients[] = { FALSE, TRUE, CLIENT };
	static const enum value paths[] = { FALSE, TRUE, FRAGMENT };
	static const char * const chains[] = { [FALSE] = "198.51.100.1",
	    [TRUE] = "192.0.2.7", [CLIENT] = "unknown" };
	static const char * const urls[] = { [FALSE] = "/f", [TRUE] = "/t",
	    [FRAGMENT] = "/t#" };
	static const unsigned char loopback[] = { 127, 0, 0, 1 };
	unsigned i, n = 0;

	for (i = 0; i < HEADERS; i++) {
		c->regexes[i] = (enum value)unit_below(3);
		c->headers[i] = (enum value)unit_below(2);
		(void)sprintf(c->lines[n++], "X%u: %s", i,
		    c->regexes[i] == TRUE ? "t" : c->regexes[i] == FALSE ?
		    "f" : "");
		if (c->regexes[i] == REGEX)
			memset(memset(c->lines[n - 1] + 4, 0, 513), 'a', 512);
		(void)sprintf(c->lines[n++], "C%u: %s", i,
		    c->headers[i] == TRUE ? "t" : "f");
	}
	c->client = clients[unit_below(3)];
	c->path = paths[unit_below(8) == 0 ? 2 : unit_below(2)];
	(void)sprintf(c->lines[n++], "X-Chain: %s", chains[c->client]);
	(void)sprintf(c->lines[n++], "Host: %s", hosts[host]);
	for (i = 0; i < n; i++) {
		c->fields[i].b = line_of(c, i).b;
		c->fields[i].e = c->fields[i].b + line_of(c, i).len;
	}
	c->view = (struct fm_view){ .method = fm_text_of("GET"),
	    .url = fm_text_of(urls[c->path]), .fields = c->fields,
	    .nfields = n, .client = fm_addr_of(loopback, sizeof loopback) };
}

/*
 * Returns the value of a condition, or of its negation, and adds the values of
 * its tests to c->unclear.  With `undecided ignore` a regex that is undecided
 * is false, whatever `not` stands before it.
 */
static enum value
cond_value(struct conditions *c, const struct node *node, bool negated)
{
	enum value a, b, enough;

	if (node->op == NOT)
		return (cond_value(c, &c->nodes[node->left], !negated));
	if (node->op == TEST) {
		a = node->kind == KIND_REGEX ? c->regexes[node->header] :
		    node->kind == KIND_HEADER ? c->headers[node->header] :
		    node->kind == KIND_CLIENT ? c->client : c->path;
		if (a > TRUE)
			c->unclear |= 1U << a;
		if (a == REGEX && c->mode == FM_UNDECIDED_IGNORE)
			return (FALSE);
		return (a > TRUE ? a : (a == TRUE) != negated ? TRUE : FALSE);
	}
	a = cond_value(c, &c->nodes[node->left], negated);
	b = cond_value(c, &c->nodes[node->right], negated);
	enough = (node->op == OR) != negated ? TRUE : FALSE;
	if (a == enough || b == enough)
		return (enough);
	if (a > TRUE || b > TRUE)
		return (a > b ? a : b);
	return (enough == TRUE ? FALSE : TRUE);
}

/*--------------------------------------------------------------------
 * The answers of a program
 */

/* Returns how a run ended: TRUE: by the block of the `when`. */
static enum value
run_value(const struct conditions *c, const struct fm_trace *trace)
{
	static const enum value whys[] = { [FM_REFUSE_UNDECIDED] = REGEX,
	    [FM_REFUSE_CLIENT] = CLIENT, [FM_REFUSE_FRAGMENT] = FRAGMENT };
	const struct fm_result *result;
	struct fm_edit edit;
	struct fm_run run;
	enum value value = FALSE;

	result = fm_run(&run, c->program, &c->view, trace);
	if (result->verdict == FM_VERDICT_REFUSE) {
		ck_assert_int_ne(result->refuse, FM_REFUSE_NONE);
		value = whys[result->refuse];
	} else if (result->verdict == FM_VERDICT_SYNTH) {
		ck_assert_int_eq(c->mode, FM_UNDECIDED_SYNTH);
		value = REGEX;
	} else {
		ck_assert_int_eq(result->verdict, FM_VERDICT_PASS);
		if (fm_edit_of(result, fm_text_of("X-Then"), &edit))
			value = TRUE;
	}
	fm_run_end(&run);
	return (value);
}

/*
 * Returns true if the program may say `is` where three values say `want`: the
 * same; or, where `want` is not true, why any test is undecided.
 */
static bool
may_be(const struct conditions *c, enum value want, enum value is)
{
	if (want == TRUE || is <= TRUE)
		return (is == want);
	return ((c->unclear >> is & 1) != 0 &&
	    (is != REGEX || c->mode != FM_UNDECIDED_IGNORE));
}

UNIT_TEST(what_three_values_leave_undecided_is_refused)
{
	static const struct fm_trace trace;
	static const unsigned limit = 100;
	unsigned seen[FRAGMENT + 1] = { 0 }, more = 0, i, k;
	unsigned files = unit_rounds(2000, 40);
	struct conditions *c = calloc(1, sizeof *c);
	enum value want, is, traced;

	unit_seed("undecided");
	fm_regex_follow_limit(&limit);
	for (i = 0; i < files; i++) {
		rules_make(c);
		for (k = 0; k < 500; k++) {
			request_make(c, k % 2);
			c->unclear = 0;
			want = cond_value(c, &c->nodes[0], false);
			is = run_value(c, NULL);
			traced = run_value(c, &trace);
			ck_assert_int_eq(is, traced);
			ck_assert_msg(may_be(c, want, is), "%d, not %d", is,
			    want);
			seen[want]++;
			more += want == FALSE && is != FALSE;
		}
		fm_program_free(&c->program);
	}
	printf("undecided: %u requests, %u refused in addition\n", files * 500,
	    more);
	for (i = 0; i <= FRAGMENT; i++)
		ck_assert_uint_gt(seen[i], 0);
	ck_assert_uint_gt(more, 0);
	fm_regex_follow_limit(NULL);
	free(c);
}

int
main(void)
{
	return (unit_main("undecided", 600));
}
