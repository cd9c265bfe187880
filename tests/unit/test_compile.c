/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The compiler: what programs are made of.
 */

#include <unistd.h>

#include "compile.h"
#include "engine.h"
#include "parse.h"
#include "program_priv.h"
#include "host_find.h"
#include "unit.h"

#define COUNT(a)	(sizeof(a) / sizeof(a)[0])

/*--------------------------------------------------------------------
 * Memory that runs out
 */

/* How many allocations still succeed; negative: all. */
static long memory_left = -1;

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_reallocarray(void *, size_t, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_reallocarray(void *, size_t, size_t);

static bool
memory_fails(void)
{
	if (memory_left < 0)
		return (false);
	if (memory_left == 0)
		return (true);
	memory_left--;
	return (false);
}

void *
__wrap_malloc(size_t bytes)
{
	return (memory_fails() ? NULL : __real_malloc(bytes));
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return (memory_fails() ? NULL : __real_calloc(n, size));
}

void *
__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return (memory_fails() ? NULL : __real_reallocarray(p, n, size));
}

/*--------------------------------------------------------------------
 * Compiling
 */

static void
no_errors(const struct fm_diag *diag, const char *text)
{
	const char *line;
	unsigned i;

	if (fm_diag_errors(diag) == 0)
		return;
	for (i = 0; (line = fm_diag_line(diag, i)) != NULL; i++)
		printf("%s\n", line);
	ck_abort_msg("%s", text);
}

static struct fm_model *
model_of(const char *text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	model = fm_parse_text("test.rules", fm_text_of(text), false, diag);
	ck_assert_ptr_nonnull(model);
	no_errors(diag, text);
	if (!fm_check(model, NULL, diag))
		no_errors(diag, text);
	fm_diag_free(&diag);
	return (model);
}

static struct fm_program *
compile(const char *text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = model_of(text);
	struct fm_program *p;

	p = fm_compile(model, NULL, diag);
	no_errors(diag, text);
	ck_assert_ptr_nonnull(p);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (p);
}

/* A site with this in its block. */
static struct fm_program *
compile_block(const char *statements)
{
	struct fm_program *p;
	char *text;

	ck_assert_int_gt(asprintf(&text, "host example.com { %s }",
	    statements), 0);
	p = compile(text);
	free(text);
	return (p);
}

/* The block of a host. */
static const struct fm_block_code *
block_of(const struct fm_program *p, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(host_find(p->hosttab, fm_text_of(host), &hit));
	ck_assert_uint_lt(hit.entry, p->nblocks);
	return (&p->blocks[hit.entry]);
}

/* The n-th operation of a block, without what counts and what tells. */
static const struct fm_op *
op_in(const struct fm_program *p, const struct fm_block_code *block,
    uint32_t n)
{
	const struct fm_op *op = &p->ops[block->first];

	for (;; op++)
		if (op->code != FM_OP_COUNT && op->code != FM_OP_TELL_BLOCK &&
		    op->code != FM_OP_TELL_WHEN && n-- == 0)
			return (op);
}

/* Of the block of example.com. */
static const struct fm_op *
op_of(const struct fm_program *p, uint32_t n)
{
	return (op_in(p, block_of(p, "example.com"), n));
}

/* What the n-th statement of all is. */
static const struct fm_rule *
rule_of(const struct fm_program *p, uint32_t n)
{
	const struct fm_rule *rule;
	uint32_t counter;

	ck_assert(fm_program_rule(p, n, &rule, &counter));
	return (rule);
}

/* The n-th test of all. */
static const struct fm_test *
test_of(const struct fm_program *p, uint32_t n)
{
	ck_assert_uint_lt(n, p->ntests);
	return (&p->tests[n]);
}

/* The n-th condition of all: that is the one of the n-th `when`. */
static const struct fm_cond_code *
cond_of(const struct fm_program *p, uint32_t n)
{
	return (&p->conds[n]);
}

/*--------------------------------------------------------------------
 * Conditions
 */

static void
print_node(const struct fm_program *p, const struct fm_cond_code *cond,
    const struct fm_node *node, char *out)
{
	unsigned i;

	if (node->kind == FM_NODE_TEST) {
		sprintf(out + strlen(out), "%s%u", node->negated ? "!" : "",
		    node->first - cond->first_test);
		return;
	}
	ck_assert_uint_ge(node->count, 2);
	strcat(out, node->kind == FM_NODE_AND ? "(and" : "(or");
	for (i = 0; i < node->count; i++) {
		strcat(out, " ");
		print_node(p, cond, &p->nodes[node->first + i], out);
	}
	strcat(out, ")");
}

/* One more than are compared one by one. */
#define TEXTS33								\
	"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 " \
	"25 26 27 28 29 30 31 32 33"

static const struct {
	const char	*cond;
	const char	*nodes;		/* tests have the text's numbers */
} conds[] = {
	{ "path is /", "0" },
	{ "not path is /", "!0" },
	{ "not not path is /", "0" },
	{ "not (not (not path is /))", "!0" },
	{ "((path is /))", "0" },
	{ "path is /a and path is /b and path is /c", "(and 0 1 2)" },
	{ "path is /a and (path is /b and path is /c)", "(and 0 1 2)" },
	{ "(path is /a or path is /b) or (path is /c or path is /d)",
	  "(or 0 1 2 3)" },
	{ "not (path is /a or path is /b)", "(and !0 !1)" },
	{ "not (path is /a and path is /b)", "(or !0 !1)" },
	{ "path is /a and not (path is /b or not path is /c)",
	  "(and 0 !1 2)" },
	{ "not (path is /a and not (path is /b and path is /c))",
	  "(or !0 (and 1 2))" },
	{ "path is /a or path is /b and path is /c", "(or 0 (and 1 2))" },
	/* By what they cost. */
	{ "agent contains abc and path is /", "(and 1 0)" },
	{ "agent contains abc or path is /", "(or 1 0)" },
	{ "agent contains abc and header X is y and path is /",
	  "(and 2 1 0)" },
	{ "agent ~ abc and agent contains bcd and client in 10.0.0.0/8 and "
	  "cookie c present and host is a and url begins /a",
	  "(and 5 4 3 2 1 0)" },
	{ "query a is b and header X present and cookie c ends d and "
	  "method is GET", "(and 1 3 0 2)" },
	{ "agent contains abc and path contains abc", "(and 1 0)" },
	{ "(agent contains abc or path is /x) and path is /y",
	  "(and 2 (or 1 0))" },
	{ "(path is /x or agent contains abc) and host is b and path is /y",
	  "(and 3 2 (or 0 1))" },
	{ "not (agent contains abc or not path is /)", "(and 1 !0)" },
	/* Many to compare with are looked up, and cost as much. */
	{ "path is " TEXTS33 " and path is /a", "(and 1 0)" },
	{ "path contains abc and path is " TEXTS33, "(and 1 0)" },
	{ "path is /a and header X is a and path is /b and header X is b",
	  "(and 0 2 1 3)" },
};

static void
check_cond(unsigned row)
{
	struct fm_program *p;
	char text[400], nodes[200] = "";

	snprintf(text, sizeof text, "when %s { pass; }", conds[row].cond);
	p = compile_block(text);
	print_node(p, cond_of(p, 0), &cond_of(p, 0)->root, nodes);
	ck_assert_msg(strcmp(nodes, conds[row].nodes) == 0, "%s: %s, not %s",
	    conds[row].cond, nodes, conds[row].nodes);
	ck_assert_uint_eq(cond_of(p, 0)->first_test, 0);
	ck_assert_uint_eq(cond_of(p, 0)->ntests, p->ntests);
	fm_program_free(&p);
}

START_TEST(conditions_are_flat_and_the_cheap_tests_come_first)
{
	unsigned row;

	for (row = 0; row < COUNT(conds); row++)
		check_cond(row);
}
END_TEST

START_TEST(tests_lie_in_the_order_of_the_text)
{
	struct fm_program *p = compile_block("when agent contains abc and "
	    "(header X is y or not path is /) { pass; }");

	ck_assert_uint_eq(test_of(p, 0)->kind, FM_TEST_RANGE);
	ck_assert_uint_eq(test_of(p, 0)->subject.kind, FM_SUBJECT_HEADER);
	unit_assert_text(p->slots[test_of(p, 0)->subject.slot].name,
	    "User-Agent");
	unit_assert_text(p->slots[test_of(p, 1)->subject.slot].name, "X");
	ck_assert_uint_eq(test_of(p, 2)->subject.kind, FM_SUBJECT_PATH);
	ck_assert_str_eq(p->rules[test_of(p, 2)->rule].text, "path is /");
	fm_program_free(&p);
}
END_TEST

static const char known_text[] =
    "list l contains { abc bcd cde def efg }\n"
    "always { when header Y in l { pass; } }\n"
    "host example.com {\n"
    "	when path contains /x and agent in l { pass; }\n"
    "	when path contains /y and agent in l { pass; }\n"
    "	when url contains /x and header Y in l { pass; }\n"
    "}\n";

START_TEST(a_set_that_was_asked_before_is_cheaper_than_a_new_scan)
{
	static const char * const nodes[] = { "0", "(and 0 1)", "(and 0 1)",
	    "(and 1 0)" };
	struct fm_program *p = compile(known_text);
	char out[100];
	unsigned i;

	for (i = 0; i < COUNT(nodes); i++) {
		out[0] = '\0';
		print_node(p, cond_of(p, i), &cond_of(p, i)->root, out);
		ck_assert_str_eq(out, nodes[i]);
	}
	fm_program_free(&p);
}
END_TEST

START_TEST(a_long_condition_needs_no_deep_stack)
{
	struct fm_program *p;
	char *text = malloc(100000);
	unsigned i;

	strcpy(text, "when path is /a");
	for (i = 0; i < 999; i++)
		strcat(text, i % 2 == 0 ? " and path is /b" :
		    " or path is /c");
	strcat(text, " { pass; }");
	p = compile_block(text);
	ck_assert_uint_eq(cond_of(p, 0)->ntests, 1000);
	fm_program_free(&p);
	free(text);
}
END_TEST

/*--------------------------------------------------------------------
 * Tests
 */

START_TEST(few_texts_are_compared_and_many_are_a_set)
{
	struct fm_program *p = compile_block(
	    "when path nocase ends .jpg .png { pass; }"
	    "when path is 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p"
	    " q r s t u v { pass; }"
	    "when path is " TEXTS33 " { pass; }"
	    "when path nocase like A *b C* d? e*f ?g h i { pass; }"
	    "when path like A *b C* d? e*f ?g h i j { pass; }"
	    "when path contains /a { pass; }");
	const struct fm_test *t = test_of(p, 0);

	ck_assert_uint_eq(t->kind, FM_TEST_TEXTS);
	ck_assert_uint_eq(t->mode, FM_PATTERN_SUFFIX);
	ck_assert(t->nocase);
	ck_assert_uint_eq(t->count, 2);
	unit_assert_text(p->texts[t->first], ".jpg");
	unit_assert_text(p->texts[t->first + 1], ".png");
	ck_assert_uint_eq(p->texts[t->first + 1].b[4], '\0');
	t = test_of(p, 1);
	ck_assert_uint_eq(t->kind, FM_TEST_TEXTS);
	ck_assert_uint_eq(t->mode, FM_PATTERN_EXACT);
	ck_assert(!t->nocase);
	ck_assert_uint_eq(t->count, 32);
	unit_assert_text(p->texts[t->first + 31], "v");
	t = test_of(p, 2);
	ck_assert_uint_eq(t->kind, FM_TEST_RANGE);
	ck_assert_uint_eq(t->count, 33);
	t = test_of(p, 3);
	ck_assert_uint_eq(t->kind, FM_TEST_TEXTS);
	ck_assert_uint_eq(t->mode, FM_PATTERN_GLOB);
	ck_assert(t->nocase);
	ck_assert_uint_eq(t->count, 8);
	unit_assert_text(p->texts[t->first + 1], "*b");
	t = test_of(p, 4);
	ck_assert_uint_eq(t->kind, FM_TEST_RANGE);
	ck_assert_uint_eq(t->count, 9);
	ck_assert_uint_eq(test_of(p, 5)->kind, FM_TEST_RANGE);
	fm_program_free(&p);
}
END_TEST

static void
assert_pattern(const struct fm_program *p, uint32_t set, uint32_t n,
    enum fm_pattern_kind kind, const char *text, bool nocase)
{
	const struct fm_pattern *pattern = fm_patset_pattern(p->sets[set], n);

	ck_assert_int_eq(fm_pattern_kind(pattern), kind);
	unit_assert_text(fm_pattern_text(pattern), text);
	ck_assert(fm_pattern_nocase(pattern) == nocase);
}

START_TEST(tests_of_one_subject_in_one_block_share_a_scan)
{
	struct fm_program *p = compile_block(
	    "when agent contains iphone ipod and path contains /a {"
	    " when agent ~ \"android.*x\" { pass; }"
	    " when agent nocase like *kindle* 1 2 3 4 5 6 7 8 { pass; } }"
	    "when header user-agent contains iphone ipod { pipe; }");
	const struct fm_test *a = test_of(p, 0), *path = test_of(p, 1),
	    *regex = test_of(p, 2), *like = test_of(p, 3),
	    *again = test_of(p, 4);

	ck_assert_uint_eq(p->nsets, 2);
	ck_assert_uint_eq(a->first, 0);
	ck_assert_uint_eq(a->count, 2);
	ck_assert_uint_eq(regex->set, a->set);
	ck_assert_uint_eq(regex->memo, a->memo);
	ck_assert_uint_eq(regex->first, 2);
	ck_assert_uint_eq(like->set, a->set);
	ck_assert_uint_eq(like->first, 3);
	ck_assert_uint_eq(again->set, a->set);
	ck_assert_uint_eq(again->first, 0);
	ck_assert_uint_ne(path->set, a->set);
	ck_assert_uint_ne(path->memo, a->memo);
	ck_assert_uint_eq(fm_patset_count(p->sets[a->set]), 12);
	assert_pattern(p, a->set, 1, FM_PATTERN_CONTAINS, "ipod", false);
	assert_pattern(p, a->set, 2, FM_PATTERN_REGEX, "android.*x", false);
	assert_pattern(p, a->set, 3, FM_PATTERN_GLOB, "*kindle*", true);
	ck_assert_uint_eq(p->nmemos, 2);
	fm_program_free(&p);
}
END_TEST

START_TEST(what_a_hash_answers_waits_for_no_scan)
{
	struct fm_program *p = compile_block(
	    "when path is " TEXTS33 " { pass; }"
	    "when path contains /a /b /c /d /e { pass; }");

	ck_assert_uint_eq(test_of(p, 0)->kind, FM_TEST_RANGE);
	ck_assert_uint_ne(test_of(p, 0)->set, test_of(p, 1)->set);
	ck_assert(!fm_patset_scans(p->sets[test_of(p, 0)->set]));
	ck_assert(fm_patset_scans(p->sets[test_of(p, 1)->set]));
	fm_program_free(&p);
}
END_TEST

START_TEST(cookies_of_different_names_are_different_subjects)
{
	struct fm_program *p = compile_block(
	    "when cookie a contains x y { pass; }"
	    "when cookie b contains x y { pass; }"
	    "when query a contains x y { pass; }"
	    "when cookie a contains z { pass; }");
	unsigned i;

	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(test_of(p, i)->memo, i);
	ck_assert_uint_eq(test_of(p, 3)->memo, 0);
	ck_assert_uint_eq(test_of(p, 1)->set, test_of(p, 2)->set);
	ck_assert_uint_eq(test_of(p, 0)->subject.slot, FM_SLOT_OF_COOKIE);
	ck_assert_uint_eq(test_of(p, 0)->subject.name,
	    test_of(p, 2)->subject.name);
	ck_assert_uint_ne(test_of(p, 0)->subject.name,
	    test_of(p, 1)->subject.name);
	fm_program_free(&p);
}
END_TEST

START_TEST(blocks_with_the_same_patterns_share_one_set)
{
	struct fm_program *p = compile(
	    "host a.example { when agent contains foo bar { pass; } }\n"
	    "host b.example { when agent contains foo bar { pass; } }\n"
	    "host c.example { when agent contains foo baz { pass; } }\n"
	    "host d.example { when agent nocase contains foo bar { pass; } }");

	ck_assert_uint_eq(p->nsets, 3);
	ck_assert_uint_eq(test_of(p, 0)->set, test_of(p, 1)->set);
	ck_assert_uint_ne(test_of(p, 0)->set, test_of(p, 2)->set);
	ck_assert_uint_ne(test_of(p, 0)->set, test_of(p, 3)->set);
	ck_assert_uint_eq(p->nmemos, 1);
	fm_program_free(&p);
}
END_TEST

static const char lists_text[] =
    "list mixed nocase { is One; begins Tw; like *ee; ~ \"^fo?ur$\"; }\n"
    "list office is { 192.0.2.0/24 2001:db8::/32 }\n"
    "list unasked is { nothing }\n"
    "host a.example { when agent in mixed or url in mixed { pass; } }\n"
    "host b.example { when agent in mixed and client in office { pass; }\n"
    "	when client in 10.0.0.0/8 or client in office { pass; }\n"
    "	query drop in unasked; }";

START_TEST(a_list_is_one_set_for_all_blocks)
{
	struct fm_program *p = compile(lists_text);
	const struct fm_test *t = test_of(p, 0);
	struct fm_addr addr;

	ck_assert_uint_eq(p->nsets, 1);
	ck_assert_uint_eq(t->kind, FM_TEST_SET);
	ck_assert_uint_eq(test_of(p, 1)->set, t->set);
	ck_assert_uint_eq(test_of(p, 2)->set, t->set);
	assert_pattern(p, t->set, 0, FM_PATTERN_EXACT, "One", true);
	assert_pattern(p, t->set, 1, FM_PATTERN_PREFIX, "Tw", true);
	assert_pattern(p, t->set, 2, FM_PATTERN_GLOB, "*ee", true);
	assert_pattern(p, t->set, 3, FM_PATTERN_REGEX, "^fo?ur$", true);
	ck_assert_uint_eq(t->memo, 0);
	ck_assert_uint_eq(test_of(p, 1)->memo, 1);
	ck_assert_uint_eq(test_of(p, 2)->memo, 0);
	ck_assert_uint_eq(p->nnets, 2);
	ck_assert(fm_program_wants_client(p));
	ck_assert_uint_eq(test_of(p, 3)->kind, FM_TEST_NETS);
	ck_assert_uint_eq(test_of(p, 3)->set, test_of(p, 5)->set);
	ck_assert(fm_addr_parse(fm_text_of("192.0.2.77"), &addr));
	ck_assert_uint_eq(fm_networks_find(p->nets[test_of(p, 3)->set],
	    &addr), 0);
	ck_assert_uint_eq(fm_networks_find(p->nets[test_of(p, 4)->set],
	    &addr), FM_NETWORKS_NONE);
	fm_program_free(&p);
}
END_TEST

START_TEST(memos_of_blocks_follow_those_of_always)
{
	struct fm_program *p = compile(
	    "list l contains { abc }\n"
	    "map m { contains abc -> x; default y; }\n"
	    "always { when agent in l or path contains x y { pass; }\n"
	    "	set X = m(header Z); }\n"
	    "host a.example { when url in l and agent in l { pass; } }\n"
	    "host b.example { when url contains q r and header A contains b c\n"
	    "	and header B contains d e { pass; } set X = m(header Z);\n"
	    "	set Y = m(header Y); }");
	unsigned i;

	ck_assert_uint_eq(test_of(p, 0)->memo, 0);
	ck_assert_uint_eq(test_of(p, 1)->memo, 1);
	ck_assert_uint_eq(test_of(p, 2)->memo, 3);
	ck_assert_uint_eq(test_of(p, 3)->memo, 0);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(test_of(p, 4 + i)->memo, 3 + i);
	ck_assert_uint_eq(p->nmemos, 7);
	fm_program_free(&p);
}
END_TEST

START_TEST(memos_of_finally_are_those_of_no_block_before_it)
{
	struct fm_program *p = compile(
	    "list l contains { abc }\n"
	    "always { when agent in l { pass; } }\n"
	    "host a.example { when agent in l and path contains b c and\n"
	    "	url in l { pass; } }\n"
	    "finally { when url in l and agent in l and path contains d e {\n"
	    "	pass; } builtin; }");
	unsigned i;

	/* `always`, then `finally`, then the host's block. */
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(test_of(p, i)->memo, "0102"[i] - '0');
	ck_assert_uint_eq(test_of(p, 4)->memo, 0);
	ck_assert_uint_eq(test_of(p, 5)->memo, 3);
	ck_assert_uint_eq(test_of(p, 6)->memo, 1);
	ck_assert_uint_eq(p->nmemos, 4);
	ck_assert_uint_eq(p->finally, 2);
	fm_program_free(&p);
}
END_TEST

/*--------------------------------------------------------------------
 * Shares
 */

static const char share_text[] =
    "list mob contains { iPhone iPod }\n"
    "list bot { contains bot; is curl; ~ \"^Go+gle\"; }\n"
    "list exact is { one two three four five six seven eight nine ten }\n"
    "map device { contains iPad Kindle -> tablet; not ends x -> other; }\n"
    "always { when agent in mob { set A = 1; }\n"
    "	when agent ~ \"Fire(fox)\" { set B = \"${1}\"; }\n"
    "	when agent in exact { set C = 1; }\n"
    "	when agent is a { set C = 2; } }\n"
    "host a.example { when agent in bot { pass; } }\n"
    "host example.com { set X = device(agent); set Y = device(header R);\n"
    "	when agent in mob { pass; } when agent contains p q { pass; } }";

START_TEST(what_one_request_may_ask_of_a_subject_is_one_set)
{
	struct fm_program *p = compile(share_text);
	const struct fm_test *mob, *regex, *bot;
	const struct fm_map_code *map;
	const struct fm_piece *piece;

	mob = test_of(p, 0);
	regex = test_of(p, 1);
	bot = test_of(p, 4);
	ck_assert_uint_eq(mob->kind, FM_TEST_RANGE);
	ck_assert_uint_eq(mob->count, 2);
	assert_pattern(p, mob->set, mob->first + 1, FM_PATTERN_CONTAINS,
	    "iPod", false);
	ck_assert_uint_eq(regex->set, mob->set);
	ck_assert_uint_eq(regex->memo, mob->memo);
	assert_pattern(p, mob->set, regex->first, FM_PATTERN_REGEX,
	    "Fire(fox)", false);
	ck_assert_uint_eq(p->captures[cond_of(p, 1)->first_capture].set,
	    mob->set);
	ck_assert_uint_eq(p->captures[cond_of(p, 1)->first_capture].number,
	    regex->first);
	ck_assert_uint_eq(bot->kind, FM_TEST_RANGE);
	ck_assert_uint_eq(bot->set, mob->set);
	ck_assert_uint_eq(bot->memo, mob->memo);
	assert_pattern(p, mob->set, bot->first + 2, FM_PATTERN_REGEX,
	    "^Go+gle", false);
	piece = &p->pieces[p->templates[op_of(p, 0)->a].first];
	map = &p->maps[piece->a];
	ck_assert_uint_eq(map->set, mob->set);
	ck_assert_uint_eq(piece->memo, mob->memo);
	ck_assert_uint_eq(map->count, 3);
	assert_pattern(p, map->set, map->first + 1, FM_PATTERN_CONTAINS,
	    "Kindle", false);
	ck_assert_uint_eq(fm_patset_count(p->sets[mob->set]), 2 + 1 + 3 + 3);
	/* The list of `always` is where it was; words of a block are not. */
	ck_assert_uint_eq(test_of(p, 5)->set, mob->set);
	ck_assert_uint_eq(test_of(p, 5)->first, mob->first);
	ck_assert_uint_eq(test_of(p, 5)->memo, mob->memo);
	ck_assert_uint_ne(test_of(p, 6)->set, mob->set);
	/* A hash is asked without a scan, as before. */
	ck_assert_uint_eq(test_of(p, 2)->kind, FM_TEST_SET);
	ck_assert(!fm_patset_scans(p->sets[test_of(p, 2)->set]));
	/* Of another subject it is alone, with the same lines. */
	piece = &p->pieces[p->templates[op_of(p, 1)->a].first];
	ck_assert_uint_ne(p->maps[piece->a].set, map->set);
	ck_assert_uint_eq(p->maps[piece->a].first, 0);
	ck_assert_uint_eq(p->maps[piece->a].count, 3);
	ck_assert_uint_eq(p->maps[piece->a].first_line, map->first_line);
	fm_program_free(&p);
}
END_TEST

static const char * const alone[] = {
	"always { when agent in a { pass; } when url in b { pass; } }",
	"host x { when agent in a { pass; } } "
	    "host y { when agent in b { pass; } }",
	"host x { when agent in a and agent in a { pass; } "
	    "when agent contains p q { pass; } }",
	"always { when agent in a { pass; } when agent is x { pass; } "
	    "when agent in e { pass; } }",
	"always { when agent in a { pass; } } host x { set X = m(url); }",
};

static void
check_alone(unsigned row)
{
	struct fm_program *p;
	char text[500];
	uint32_t i;

	snprintf(text, sizeof text, "list a contains { aa bb }\n"
	    "list b contains { cc dd }\nlist e is { ee ff }\n"
	    "map m { contains gg -> 1; contains hh -> 2; }\n%s", alone[row]);
	p = compile(text);
	for (i = 0; i < p->ntests; i++)
		if (strstr(p->rules[test_of(p, i)->rule].text, " in ") != NULL)
			ck_assert_uint_eq(test_of(p, i)->kind, FM_TEST_SET);
	fm_program_free(&p);
}

START_TEST(a_list_that_is_alone_keeps_its_early_stop)
{
	unsigned row;

	for (row = 0; row < COUNT(alone); row++)
		check_alone(row);
}
END_TEST

/* A list of so many patterns. */
static void
put_list(FILE *to, const char *name, const char *mode, unsigned count)
{
	unsigned i;

	fprintf(to, "list %s %s {", name, mode);
	for (i = 0; i < count; i++)
		fprintf(to, " %s%s%u", name, mode[0] == 'l' ? "*" : "", i);
	fprintf(to, " }\n");
}

static const struct {
	const char	*mode;
	unsigned	counts[3];
	const char	*shared;	/* which of a, b, c; "" none */
} limits[] = {
	{ "contains", { 256, 256, 0 }, "ab" },
	{ "contains", { 256, 257, 0 }, "" },
	{ "contains", { 257, 10, 10 }, "bc" },
	{ "contains", { 256, 250, 6 }, "abc" },
	{ "like", { 32, 32, 32 }, "abc" },
	{ "like", { 32, 33, 0 }, "" },
	{ "~", { 33, 32, 1 }, "bc" },
	{ "is", { 20, 20, 20 }, "" },
};

static void
check_limit(unsigned row)
{
	static const char names[] = "abc";
	const unsigned *counts = limits[row].counts;
	char *text = NULL, name[2] = "";
	struct fm_program *p;
	size_t len, sum = 0;
	FILE *to = open_memstream(&text, &len);
	unsigned i, n;

	for (i = 0; i < 3; i++) {
		name[0] = names[i];
		if (counts[i] > 0)
			put_list(to, name, limits[row].mode, counts[i]);
	}
	fprintf(to, "always {");
	for (i = 0; i < 3; i++)
		if (counts[i] > 0)
			fprintf(to, " when agent in %c { pass; }", names[i]);
	fprintf(to, "}\n");
	fclose(to);
	p = compile(text);
	for (i = n = 0; i < 3; i++) {
		if (counts[i] == 0)
			continue;
		if (strchr(limits[row].shared, names[i]) == NULL) {
			ck_assert_uint_eq(test_of(p, n++)->kind, FM_TEST_SET);
			continue;
		}
		sum += counts[i];
		ck_assert_uint_eq(test_of(p, n++)->kind, FM_TEST_RANGE);
	}
	for (i = 0; i < n; i++)
		if (test_of(p, i)->kind == FM_TEST_RANGE)
			ck_assert_uint_eq(fm_patset_count(
			    p->sets[test_of(p, i)->set]), sum);
	fm_program_free(&p);
	free(text);
}

START_TEST(only_what_is_small_shares_a_set)
{
	unsigned row;

	for (row = 0; row < COUNT(limits); row++)
		check_limit(row);
}
END_TEST

START_TEST(a_share_has_room_for_so_many)
{
	char *text = NULL, name[3] = "l0";
	unsigned i, shared = 0;
	struct fm_program *p;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (i = 0; i < 4; i++, name[1]++)
		put_list(to, name, "contains", 200);
	fprintf(to, "always { when agent in l0 or agent in l1 or agent in l2 "
	    "or agent in l3 { pass; } when agent contains x y { pass; } }");
	fclose(to);
	p = compile(text);
	for (i = 0; i < 4; i++)
		shared += test_of(p, i)->kind == FM_TEST_RANGE;
	ck_assert_uint_eq(shared, 2);
	ck_assert_uint_eq(fm_patset_count(p->sets[test_of(p, 4)->set]), 402);
	fm_program_free(&p);
	free(text);
}
END_TEST

START_TEST(what_always_asks_shares_before_what_a_host_asks)
{
	char *text = NULL, name[3] = "l0";
	unsigned i;
	struct fm_program *p;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (i = 0; i < 4; i++, name[1]++)
		put_list(to, name, "contains", 200);
	fprintf(to, "host a.example { when agent in l0 or agent in l1 {"
	    " pass; } } always { when agent in l2 or agent in l3 { pass; } }");
	fclose(to);
	p = compile(text);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(test_of(p, i)->kind,
		    i < 2 ? FM_TEST_RANGE : FM_TEST_SET);
	fm_program_free(&p);
	free(text);
}
END_TEST

START_TEST(too_many_words_of_always_are_a_set_of_their_own)
{
	char *text = NULL;
	unsigned i;
	struct fm_program *p;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	put_list(to, "a", "contains", 10);
	put_list(to, "b", "contains", 10);
	fprintf(to, "always { when agent in a or agent in b { pass; }"
	    " when agent contains x y { pass; } when agent contains");
	for (i = 0; i < 513; i++)
		fprintf(to, " w%u", i);
	fprintf(to, " { pass; } }");
	fclose(to);
	p = compile(text);
	ck_assert_uint_eq(test_of(p, 0)->set, test_of(p, 1)->set);
	ck_assert_uint_eq(fm_patset_count(p->sets[test_of(p, 0)->set]), 20);
	ck_assert_uint_eq(test_of(p, 2)->set, test_of(p, 3)->set);
	ck_assert_uint_eq(fm_patset_count(p->sets[test_of(p, 2)->set]), 515);
	ck_assert_uint_eq(p->nmemos, 2);
	fm_program_free(&p);
	free(text);
}
END_TEST

/*--------------------------------------------------------------------
 * Groups
 */

static const struct {
	const char	*block;
	/* For each condition: captures, and the register if there are any. */
	const char	*conds;
	/* For each ${n} in order: its register, or - for none. */
	const char	*groups;
	unsigned	nregs;
} groups[] = {
	{ "when url ~ \"a(b)\" { set X = \"${1}\"; }", "1:0", "0", 1 },
	{ "when url ~ \"a(b)\" { set X = b; }", "0", "", 0 },
	{ "set X = \"${1}\"; when url ~ \"a(b)\" { pass; }", "0", "-", 0 },
	{ "when not url ~ \"a(b)\" { set X = \"${1}\"; }", "0", "-", 0 },
	{ "when not not url ~ \"a(b)\" { set X = \"${1}\"; }", "0", "-",
	  0 },
	{ "when not (not url ~ \"a(b)\" and path is /) { set X = \"${1}\"; }",
	  "0", "-", 0 },
	{ "when url contains ab { set X = \"${1}\"; }", "0", "-", 0 },
	{ "when url ~ \"(a)\" \"(b)\" and agent ~ c and not path ~ d {"
	  " set X = \"${1}${1}\"; }", "3:0", "00", 1 },
	{ "when url ~ \"(a)\" { pass; } else { set X = \"${1}\"; }", "0", "-",
	  0 },
	{ "when url ~ \"(a)\" { set X = \"${1}\"; }"
	  " else when url ~ \"(b)\" { set X = \"${1}\"; }", "1:0 1:0", "00",
	  1 },
	{ "when url ~ \"(a)\" { when path is / { set X = \"${1}\"; } }",
	  "1:0 0",
	  "0", 1 },
	{ "when url ~ \"(a)\" { when path ~ \"(b)\" { set X = \"${1}\"; }"
	  " set Y = \"${1}\"; }", "1:0 1:1", "10", 2 },
	{ "when url ~ \"(a)\" { when path ~ \"(b)\" { pass; }"
	  " set Y = \"${1}\"; }",
	  "1:0 0", "0", 1 },
	{ "when url ~ \"(a)\" { when path ~ \"(b)\" { set X = \"${1}\"; }"
	  " else { set X = \"${1}\"; } }", "1:0 1:1", "10", 2 },
	{ "when url ~ \"(a)\" { when path ~ \"(b)\" {"
	  " redirect 302 \"/${1}\"; } }"
	  " when url ~ \"(c)\" { normalize Y to a else \"${1}\"; }",
	  "0 1:1 1:0",
	  "10", 2 },
};

static void
print_conds(const struct fm_program *p, unsigned n, char *out)
{
	const struct fm_cond_code *cond;
	unsigned i;

	for (i = 0; i < n; i++) {
		cond = cond_of(p, i);
		out += sprintf(out, "%s%u", i == 0 ? "" : " ",
		    cond->ncaptures);
		if (cond->ncaptures > 0)
			out += sprintf(out, ":%u", cond->reg);
	}
}

static void
print_groups(const struct fm_program *p, char *out)
{
	const struct fm_template *last = NULL, *t;
	const struct fm_piece *piece;
	const struct fm_op *op;
	uint32_t n, i;

	for (i = 0; i < p->nops; i++) {
		op = &p->ops[i];
		if (op->code != FM_OP_SET && op->code != FM_OP_REDIRECT &&
		    op->code != FM_OP_NORMALIZE)
			continue;
		n = op->code == FM_OP_NORMALIZE ? op->b : op->a;
		t = &p->templates[n];
		ck_assert(last == NULL || t > last);
		last = t;
		for (n = 0; n < t->count; n++) {
			piece = &p->pieces[t->first + n];
			if (piece->kind == FM_PIECE_GROUP)
				out += sprintf(out, piece->a == FM_NONE ?
				    "-" : "%u", piece->a);
		}
	}
}

static void
check_groups(unsigned row)
{
	struct fm_program *p = compile_block(groups[row].block);
	const char *s;
	char out[100] = "";
	unsigned n = 1;

	for (s = groups[row].conds; *s != '\0'; s++)
		n += *s == ' ';
	print_conds(p, n, out);
	ck_assert_str_eq(out, groups[row].conds);
	out[0] = '\0';
	print_groups(p, out);
	ck_assert_str_eq(out, groups[row].groups);
	ck_assert_uint_eq(p->nregs, groups[row].nregs);
	fm_program_free(&p);
}

START_TEST(groups_are_those_of_the_nearest_when_that_has_any)
{
	unsigned row;

	for (row = 0; row < COUNT(groups); row++)
		check_groups(row);
}
END_TEST

START_TEST(captures_are_in_the_order_of_the_text)
{
	struct fm_program *p = compile_block(
	    "when agent ~ zero \"(one)\" and not url ~ no and (path is / or "
	    "url nocase ~ two) { set X = \"${1}\"; }");
	const struct fm_cond_code *cond = cond_of(p, 0);
	const struct fm_capture *c = &p->captures[cond->first_capture];

	ck_assert_uint_eq(cond->ncaptures, 3);
	assert_pattern(p, c[0].set, c[0].number, FM_PATTERN_REGEX, "zero",
	    false);
	assert_pattern(p, c[1].set, c[1].number, FM_PATTERN_REGEX, "(one)",
	    false);
	assert_pattern(p, c[2].set, c[2].number, FM_PATTERN_REGEX, "two",
	    true);
	ck_assert_uint_eq(c[1].subject.kind, FM_SUBJECT_HEADER);
	ck_assert_uint_eq(c[2].subject.kind, FM_SUBJECT_URL);
	fm_program_free(&p);
}
END_TEST

/*--------------------------------------------------------------------
 * Values and maps
 */

static const char map_text[] =
    "map m nocase {\n"
    "	contains abc bcd and not contains cde -> one;\n"
    "	not is Two -> \"x${url}\";\n"
    "	~ \"th.*ree\" -> three;\n"
    "	not ends four and not begins five -> four;\n"
    "	default other;\n"
    "}\n"
    "host example.com { set X = m(agent); set X = m(agent); }";

START_TEST(a_map_is_a_set_and_what_its_lines_ask_of_it)
{
	static const uint32_t line_of[] = { 0, 0, 0, 1, 2, 3, 3 };
	struct fm_program *p = compile(map_text);
	const struct fm_template *t = &p->templates[op_of(p, 0)->a];
	const struct fm_piece *piece = &p->pieces[t->first];
	const struct fm_map_code *map = &p->maps[piece->a];
	const struct fm_map_line_code *line = &p->map_lines[map->first_line];
	const struct fm_map_match_code *match;

	ck_assert_uint_eq(t->count, 1);
	ck_assert_uint_eq(piece->kind, FM_PIECE_MAP);
	ck_assert_uint_eq(map->nlines, 4);
	ck_assert_mem_eq(&p->map_line_of[map->line_of], line_of,
	    sizeof line_of);
	ck_assert_uint_eq(map->nunhinted, 2);
	ck_assert_uint_eq(p->map_unhinted[map->unhinted], 1);
	ck_assert_uint_eq(p->map_unhinted[map->unhinted + 1], 3);
	ck_assert_uint_eq(line[0].count, 2);
	match = &p->map_matches[line[0].first];
	ck_assert_uint_eq(match[0].first, 0);
	ck_assert_uint_eq(match[0].count, 2);
	ck_assert(!match[0].negated);
	ck_assert_uint_eq(match[1].first, 2);
	ck_assert(match[1].negated);
	assert_pattern(p, map->set, 3, FM_PATTERN_EXACT, "Two", true);
	assert_pattern(p, map->set, 6, FM_PATTERN_PREFIX, "five", true);
	ck_assert_uint_eq(p->templates[line[1].template].count, 2);
	ck_assert_uint_ne(map->otherwise, FM_NONE);
	/* Used again it is the same, with the same memo. */
	t = &p->templates[op_of(p, 1)->a];
	ck_assert_uint_eq(p->pieces[t->first].a, piece->a);
	ck_assert_uint_eq(p->pieces[t->first].memo, piece->memo);
	fm_program_free(&p);
}
END_TEST

/*--------------------------------------------------------------------
 * The rest of a program
 */

START_TEST(a_file_without_rules_is_a_program)
{
	struct fm_program *p = compile("");

	ck_assert_uint_eq(p->always, FM_NONE);
	ck_assert_uint_eq(p->otherwise, FM_NONE);
	ck_assert_uint_eq(p->nmemos, 0);
	ck_assert_uint_eq(p->nregs, 0);
	ck_assert_uint_eq(p->undecided, FM_UNDECIDED_REFUSE);
	ck_assert(!fm_program_wants_client(p));
	ck_assert_uint_eq(fm_program_nbackends(p), 0);
	ck_assert_uint_eq(fm_program_hosts(p), 0);
	fm_program_free(&p);
}
END_TEST

START_TEST(a_block_of_its_own_by_default)
{
	struct fm_program *p = compile("default { synth 404; }\n"
	    "undecided synth 400 \"too much\";");

	unit_assert_text(p->blocks[p->otherwise].name, "default");
	ck_assert_uint_eq(p->undecided, FM_UNDECIDED_SYNTH);
	ck_assert_uint_eq(p->undecided_status, 400);
	unit_assert_text(p->texts[p->undecided_reason], "too much");
	ck_assert_str_eq(p->rules[p->undecided_rule].place, "test.rules:2");
	ck_assert_str_eq(p->rules[p->undecided_rule].log,
	    "fastmatch: undecided synth 400 at test.rules:2");
	fm_program_free(&p);
}
END_TEST

static const struct {
	const char	*stmt;
	const char	*log;
} logs[] = {
	{ "redirect 302 \"http://m.example.com${url}\";", "redirect 302" },
	{ "synth 404 \"no such site\";", "synth 404" },
	{ "pass;", "pass" },
	{ "pipe;", "pipe" },
	{ "hash;", "hash" },
	{ "stop;", "stop" },
	{ "builtin;", "builtin" },
	{ "set X-Y = z;", "set X-Y" },
	{ "unset X-Y;", "unset X-Y" },
	{ "unset X-Y Z;", "unset X-Y ..." },
	{ "normalize Accept to a;", "normalize Accept" },
	{ "rewrite ~ \"^/a\" to \"b\";", "rewrite" },
	{ "query drop x;", "query drop" },
	{ "query sort;", "query sort" },
	{ "cookie keep x;", "cookie keep" },
	{ "backend shop;", "backend shop" },
	{ "when path is / { pass; }", "when" },
};

static void
check_log(unsigned row)
{
	struct fm_program *p;
	const struct fm_rule *rule;
	char text[200], log[200];

	snprintf(text, sizeof text, "\n\n%s", logs[row].stmt);
	snprintf(log, sizeof log, "fastmatch: %s at test.rules:3",
	    logs[row].log);
	p = compile_block(text);
	rule = rule_of(p, 0);
	ck_assert_str_eq(rule->log, log);
	ck_assert_str_eq(rule->place, "test.rules:3");
	ck_assert_str_eq(rule->at.name, "test.rules");
	ck_assert_uint_eq(rule->at.line, 3);
	ck_assert_uint_eq(rule->at.column, 1);
	fm_program_free(&p);
}

START_TEST(every_statement_has_a_line_for_the_log)
{
	unsigned row;

	for (row = 0; row < COUNT(logs); row++)
		check_log(row);
}
END_TEST

START_TEST(rules_are_shown_as_they_are_written)
{
	struct fm_program *p = compile_block("\nunset X;\n"
	    "when path is / and\n agent contains abc\n{ pass; }");

	ck_assert_str_eq(rule_of(p, 0)->text, "unset X");
	ck_assert_str_eq(rule_of(p, 1)->text,
	    "when path is / and agent contains abc");
	ck_assert_str_eq(p->rules[test_of(p, 0)->rule].place, "test.rules:3");
	ck_assert_str_eq(p->rules[test_of(p, 1)->rule].place, "test.rules:4");
	ck_assert_str_eq(p->rules[test_of(p, 1)->rule].text,
	    "agent contains abc");
	ck_assert_ptr_null(p->rules[test_of(p, 1)->rule].log);
	ck_assert_str_eq(rule_of(p, 2)->place, "test.rules:5");
	fm_program_free(&p);
}
END_TEST

START_TEST(backends_are_named_where_they_stand_first)
{
	struct fm_program *p = compile("host a.example {\nbackend one; }\n"
	    "host b.example { backend two;\nbackend one; }");
	struct fm_place place;

	ck_assert_uint_eq(fm_program_nbackends(p), 2);
	ck_assert_str_eq(fm_program_backend(p, 0, &place), "one");
	ck_assert_uint_eq(place.line, 2);
	ck_assert_str_eq(place.name, "test.rules");
	ck_assert_str_eq(fm_program_backend(p, 1, &place), "two");
	ck_assert_uint_eq(place.line, 3);
	ck_assert_str_eq(fm_program_backend(p, 1, NULL), "two");
	fm_program_free(&p);
}
END_TEST

/* Many hosts with the same small block take the memory of their names. */
START_TEST(a_thousand_blocks_share_what_is_the_same)
{
	static const char one[] = "host h%04u.example { query drop utm_* _;"
	    " when agent contains iphone android and not cookie full is 1 {"
	    " redirect 302 \"http://m.h.example${url}\"; } }\n";
	struct fm_program *p;
	char *text = malloc(1000 * (sizeof one + 10)), *t = text;
	unsigned i;

	for (i = 0; i < 1000; i++)
		t += sprintf(t, one, i);
	p = compile(text);
	free(text);
	ck_assert_uint_eq(p->nsets, 1);
	ck_assert_uint_eq(p->nparams, 1);
	ck_assert_uint_eq(p->nmemos, 1);
	ck_assert_uint_lt(fm_program_bytes(p), 1000 * 1500);
	fm_program_free(&p);
}
END_TEST

START_TEST(the_bytes_of_a_program_count_its_sets)
{
	struct fm_program *p = compile_block("when agent contains abc {"
	    " pass; }");
	size_t bytes = fm_program_bytes(p);

	ck_assert_uint_gt(bytes, fm_patset_bytes(p->sets[0]) +
	    fm_hosttab_bytes(p->hosttab) + fm_arena_bytes(&p->arena));
	fm_program_free(&p);
}
END_TEST

/* And count its patterns, however they are kept. */
START_TEST(the_bytes_of_a_program_count_all_that_it_is_made_of)
{
	struct fm_program *p = compile(
	    "list agents contains { abc bcd cde def efg fgh }\n"
	    "map site { is example.com -> x; default y; }\n"
	    "host example.com {\n"
	    "	when agent in agents or agent ~ \"^a.*b\" { pass; }\n"
	    "	when client in 10.0.0.0/8 { rewrite ~ \"^/a\" to \"/b\"; }\n"
	    "	query drop utm_*;\n"
	    "	set X-Site = site(host);\n"
	    "}\n");
	size_t npatterns = p->npatterns, bytes;
	uint32_t i;

	bytes = sizeof *p + fm_arena_bytes(&p->arena) +
	    fm_hosttab_bytes(p->hosttab);
	ck_assert_uint_gt(p->nsets, 0);
	for (i = 0; i < p->nsets; i++) {
		npatterns += fm_patset_count(p->sets[i]);
		bytes += fm_patset_bytes(p->sets[i]);
	}
	ck_assert_uint_eq(fm_program_npatterns(p), npatterns);
	ck_assert_uint_ge(npatterns, 6 + 1 + 1);
	ck_assert_uint_eq(p->nnets, 1);
	bytes += fm_networks_bytes(p->nets[0]);
	ck_assert_uint_gt(p->npatterns, 0);
	for (i = 0; i < p->npatterns; i++)
		bytes += fm_pattern_bytes(p->patterns[i]);
	ck_assert_uint_eq(p->nparams, 1);
	bytes += fm_names_bytes(p->params[0].names);
	ck_assert_uint_gt(p->nops, 0);
	bytes += p->nhosts * sizeof *p->route_of + p->nops * sizeof *p->ops;
	ck_assert_uint_gt(p->nknown, 0);
	bytes += (size_t)p->nhosts * p->nknown * sizeof *p->known;
	ck_assert_uint_eq(fm_program_bytes(p), bytes);
	fm_program_free(&p);
}
END_TEST

/*--------------------------------------------------------------------
 * Loading
 */

static void
write_rules(char path[], const char *text)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(a_file_is_loaded_in_one_call)
{
	char path[] = "test_compile.XXXXXX";
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	struct fm_program *p;

	write_rules(path, "host a.example { pass; }\n");
	p = fm_rules_load(path, NULL, NULL, &model, diag);
	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_nonnull(model);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	fm_program_free(&p);
	fm_model_free(&model);
	p = fm_rules_load(path, NULL, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(p);
	fm_program_free(&p);
	ck_assert_int_eq(unlink(path), 0);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(a_bad_file_gives_all_its_errors_by_place)
{
	char path[] = "test_compile.XXXXXX";
	struct fm_diag_message message;
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	unsigned i, line = 0;

	write_rules(path, "host a.example { when agent in nolist { pass; } }\n"
	    "host b.example { oops; }\n"
	    "host a.example use noset;\n");
	ck_assert_ptr_null(fm_rules_load(path, NULL, NULL, &model, diag));
	ck_assert_ptr_nonnull(model);
	ck_assert_uint_ge(fm_diag_errors(diag), 3);
	for (i = 0; fm_diag_message(diag, i, &message); i++) {
		ck_assert_uint_ge(message.at.line, line);
		line = message.at.line;
	}
	ck_assert_uint_eq(line, 3);
	fm_model_free(&model);
	ck_assert_ptr_null(fm_rules_load(path, NULL, NULL, NULL, NULL));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_ptr_null(fm_rules_load(path, NULL, NULL, NULL, diag));
	fm_diag_free(&diag);
}
END_TEST

static const char everything[] =
    "list l { contains abc bcd; is one; }\n"
    "list office is { 192.0.2.0/24 }\n"
    "list names { begins utm_; }\n"
    "map m { contains abc -> \"${url}\"; ~ \"d.*e\" -> x; default y; }\n"
    "undecided synth 400 \"no\";\n"
    "always { query drop in names; cookie keep a b; set X = m(agent);\n"
    "	set Y = m(host); }\n"
    "ruleset shop { backend shop; normalize Accept to a b else c; }\n"
    "host a.example {\n"
    "	when (path is / or agent in l) and not client in office {\n"
    "		when url ~ \"(a)\" or url contains x y z {\n"
    "			redirect 302 \"/${1}${cookie.c}\"; }\n"
    "	} else when client in 10.0.0.0/8 { rewrite ~ \"a\" to \"b\"; }\n"
    "	else { unset X-* Y; }\n"
    "	when host is B.example or host in l { synth 410 \"gone\"; }\n"
    "}\n"
    "host b.example use shop;\n"
    "default { pass; }\n"
    "finally { when path in l { set Z = m(agent); } builtin; }\n";

START_TEST(memory_that_runs_out_is_reported_wherever_it_does)
{
	struct fm_model *model = model_of(everything);
	struct fm_program *p = NULL;
	unsigned step = unit_step(8);
	struct fm_diag *diag;
	long n;

	unit_seed("compile");
	for (n = unit_below(step); p == NULL; n += step) {
		diag = fm_diag_new();
		ck_assert_ptr_nonnull(diag);
		memory_left = n;
		p = fm_compile(model, NULL, diag);
		memory_left = -1;
		ck_assert((fm_diag_errors(diag) > 0) == (p == NULL));
		fm_diag_free(&diag);
		ck_assert_int_lt(n, 100000);
	}
	ck_assert_int_gt(n, 50);
	fm_program_free(&p);
	fm_model_free(&model);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("compile");

	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc,
	    conditions_are_flat_and_the_cheap_tests_come_first);
	tcase_add_test(tc, tests_lie_in_the_order_of_the_text);
	unit_add_scanning(tc,
	    a_set_that_was_asked_before_is_cheaper_than_a_new_scan);
	tcase_add_test(tc, a_long_condition_needs_no_deep_stack);
	tcase_add_test(tc, few_texts_are_compared_and_many_are_a_set);
	tcase_add_test(tc, tests_of_one_subject_in_one_block_share_a_scan);
	unit_add_scanning(tc, what_a_hash_answers_waits_for_no_scan);
	tcase_add_test(tc, cookies_of_different_names_are_different_subjects);
	tcase_add_test(tc, blocks_with_the_same_patterns_share_one_set);
	tcase_add_test(tc, a_list_is_one_set_for_all_blocks);
	tcase_add_test(tc, memos_of_blocks_follow_those_of_always);
	tcase_add_test(tc, memos_of_finally_are_those_of_no_block_before_it);
	tcase_add_test(tc, what_one_request_may_ask_of_a_subject_is_one_set);
	tcase_add_test(tc, a_list_that_is_alone_keeps_its_early_stop);
	tcase_add_test(tc, only_what_is_small_shares_a_set);
	tcase_add_test(tc, a_share_has_room_for_so_many);
	tcase_add_test(tc, what_always_asks_shares_before_what_a_host_asks);
	tcase_add_test(tc,
	    too_many_words_of_always_are_a_set_of_their_own);
	tcase_add_test(tc,
	    groups_are_those_of_the_nearest_when_that_has_any);
	tcase_add_test(tc, captures_are_in_the_order_of_the_text);
	tcase_add_test(tc, a_map_is_a_set_and_what_its_lines_ask_of_it);
	tcase_add_test(tc, a_file_without_rules_is_a_program);
	tcase_add_test(tc, a_block_of_its_own_by_default);
	tcase_add_test(tc, every_statement_has_a_line_for_the_log);
	tcase_add_test(tc, rules_are_shown_as_they_are_written);
	tcase_add_test(tc, backends_are_named_where_they_stand_first);
	tcase_add_test(tc, a_thousand_blocks_share_what_is_the_same);
	tcase_add_test(tc, the_bytes_of_a_program_count_its_sets);
	tcase_add_test(tc,
	    the_bytes_of_a_program_count_all_that_it_is_made_of);
	tcase_add_test(tc, a_file_is_loaded_in_one_call);
	tcase_add_test(tc, a_bad_file_gives_all_its_errors_by_place);
	tcase_add_test(tc,
	    memory_that_runs_out_is_reported_wherever_it_does);
	return (unit_run("compile", tc));
}
