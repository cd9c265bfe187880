/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The compiler, where no answer shows what it makes of rules: the order of
 * tests, the tests that share a scan, and the memory of a program.  tests/cases
 * has what programs answer.
 */

#include "compiling.h"
#include "engine.h"
#include "program_priv.h"

static struct fm_program *
compile(const char *text)
{
	return (unit_program("test.rules", text));
}

/* Returns a program with a site that has this in its block. */
static struct fm_program *
compile_block(const char *statements)
{
	struct fm_program *program;
	char *text;

	ck_assert_int_gt(asprintf(&text, "host example.com { %s }",
	    statements), 0);
	program = compile(text);
	free(text);
	return (program);
}

/*--------------------------------------------------------------------
 * Conditions
 */

/* TEXTS33 has one more text than are compared one by one. */
#define TEXTS33								\
	"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 " \
	"25 26 27 28 29 30 31 32 33"

static const struct {
	const char	*cond;
	const char	*order;		/* tests have the text's numbers */
} conds[] = {
	{ "path is /", "0" },
	{ "path is /a and path is /b and path is /c", "0 1 2" },
	{ "path is /a and (path is /b and path is /c)", "0 1 2" },
	{ "(path is /a or path is /b) or (path is /c or path is /d)",
	  "0 1 2 3" },
	{ "not (path is /a or path is /b)", "0 1" },
	{ "not (path is /a and path is /b)", "0 1" },
	{ "path is /a and not (path is /b or not path is /c)",
	  "0 1 2" },
	{ "not (path is /a and not (path is /b and path is /c))",
	  "0 1 2" },
	{ "path is /a or path is /b and path is /c", "0 1 2" },
	/* The cheap ones come first. */
	{ "agent contains abc and path is /", "1 0" },
	{ "agent contains abc or path is /", "1 0" },
	{ "agent contains abc and header X is y and path is /",
	  "2 1 0" },
	{ "agent ~ abc and agent contains bcd and client in 10.0.0.0/8 and "
	  "cookie c present and host is a and url begins /a",
	  "5 4 3 2 1 0" },
	{ "query a is b and header X present and cookie c ends d and "
	  "method is GET", "1 3 0 2" },
	{ "agent contains abc and path contains abc", "1 0" },
	{ "(agent contains abc or path is /x) and path is /y",
	  "2 1 0" },
	{ "(path is /x or agent contains abc) and host is b and path is /y",
	  "3 2 0 1" },
	{ "not (agent contains abc or not path is /)", "1 0" },
	/* Many operands are looked up, which costs as much as one does. */
	{ "path is " TEXTS33 " and path is /a", "1 0" },
	{ "path contains abc and path is " TEXTS33, "1 0" },
	{ "path is /a and header X is a and path is /b and header X is b",
	  "0 2 1 3" },
};

UNIT_LOOP(the_cheap_tests_of_a_condition_come_first, UNIT_COUNT(conds))
{
	const struct fm_cond_code *cond;
	struct fm_program *program;
	char text[400], order[200] = "";
	const struct fm_op *op;

	snprintf(text, sizeof text, "when %s { pass; }", conds[_i].cond);
	program = compile_block(text);
	cond = &program->conds[0];
	for (op = &program->ops[cond->then] - cond->ntests;
	    op->code == FM_OP_TEST; op++)
		sprintf(order + strlen(order), "%s%u", *order == '\0' ? "" :
		    " ", op->a - cond->first_test);
	ck_assert_msg(strcmp(order, conds[_i].order) == 0, "%s: %s, not %s",
	    conds[_i].cond, order, conds[_i].order);
	ck_assert_uint_eq(cond->ntests, program->ntests);
	fm_program_free(&program);
}

UNIT_TEST(a_long_condition_needs_no_deep_stack)
{
	struct fm_program *program;
	char *text = malloc(100000);
	unsigned i;

	strcpy(text, "when path is /a");
	for (i = 0; i < 999; i++)
		strcat(text, i % 2 == 0 ? " and path is /b" :
		    " or path is /c");
	strcat(text, " { pass; }");
	program = compile_block(text);
	ck_assert_uint_eq(program->conds[0].ntests, 1000);
	fm_program_free(&program);
	free(text);
}

/*--------------------------------------------------------------------
 * Tests and maps: how they are asked, and with whom they share a scan
 */

#define AB	"list a contains { aa bb } list b contains { cc dd } "
#define LISTS_ABCD							\
	"list a contains { a#200 } list b contains { b#200 } "		\
	"list c contains { c#200 } list d contains { d#200 } "
#define ASK_AB								\
	" always { when agent in a { pass; } when agent in b { pass; } }"
#define ASK_ABC								\
	" always { when agent in a { pass; } when agent in b { pass; }"	\
	" when agent in c { pass; } }"

/*
 * A row is rules, in which `a#3` stands for `a0 a1 a2`, and all tests and maps
 * of them, in the order of the program:
 *
 *	ends nocase 2		compared with two texts
 *	set 1/40 @0		all 40 patterns of set 1, with memo 0
 *	range 1:3+2/40 @0	the two from pattern 3 on
 *	nets 0			networks
 *	map 1:3+2/40 @0		a map, which asks like a range
 */
static const struct {
	const char	*rules;
	const char	*expect;
} shares[] = {
	/* Few texts are compared, and many are a set. */
	{ "always { when path nocase ends .jpg .png { pass; }"
	  " when path is a#32 { pass; } when path is a#33 { pass; }"
	  " when path nocase like a b *c* d*#5 { pass; }"
	  " when path like a b *c* d*#6 { pass; }"
	  " when path contains /a { pass; } }",
	  "ends nocase 2; is 32; range 0:0+33/33 @0; like nocase 8; "
	  "range 1:0+9/10 @1; range 1:9+1/10 @1;" },
	/* Tests of one subject in one block share a scan. */
	{ "host a { when agent contains iphone ipod and path contains /a {"
	  " when agent ~ \"android.*x\" { pass; }"
	  " when agent nocase like *kindle* a#8 { pass; } }"
	  " when header user-agent contains iphone ipod { pipe; } }",
	  "range 0:0+2/12 @0; range 1:0+1/1 @1; range 0:2+1/12 @0; "
	  "range 0:3+9/12 @0; range 0:0+2/12 @0;" },
	/* A test that a hash answers waits for no scan. */
	{ "always { when path is a#33 { pass; }"
	  " when path contains a#5 { pass; } }",
	  "range 0:0+33/33 @0; range 1:0+5/5 @1;" },
	/* Cookies of different names are different subjects. */
	{ "always { when cookie a contains x y { pass; }"
	  " when cookie b contains x y { pass; }"
	  " when query a contains x y { pass; }"
	  " when cookie a contains z { pass; } }",
	  "range 0:0+2/3 @0; range 1:0+2/2 @1; range 1:0+2/2 @2; "
	  "range 0:2+1/3 @0;" },
	/* Blocks with the same patterns have one set. */
	{ "host a.example { when agent contains foo bar { pass; } }"
	  " host b.example { when agent contains foo bar { pass; } }"
	  " host c.example { when agent contains foo baz { pass; } }"
	  " host d.example { when agent nocase contains foo bar { pass; } }",
	  "range 0:0+2/2 @0; range 0:0+2/2 @0; range 1:0+2/2 @0; "
	  "range 2:0+2/2 @0;" },
	/* A list is one set, or its networks, for all blocks. */
	{ "list l { is One; begins Tw; like *ee; ~ \"^fo?ur$\"; }"
	  " list n is { 192.0.2.0/24 2001:db8::/32 }"
	  " list unasked is { nothing }"
	  " host a { when agent in l or url in l { pass; } }"
	  " host b { when agent in l and client in n { pass; }"
	  " when client in 10.0.0.0/8 or client in n { pass; }"
	  " query drop in unasked; }",
	  "set 0/4 @0; set 0/4 @1; set 0/4 @0; nets 0; nets 1; "
	  "nets 0;" },
	/* Memos of a block follow those of `always`. */
	{ "list l contains { abc } map m { contains abc -> x; default y; }"
	  " always { when agent in l or path contains x y { pass; }"
	  " set X = m(header Z); }"
	  " host a { when url in l and agent in l { pass; } }"
	  " host b { when url contains q r and header A contains b c"
	  " and header B contains d e { pass; } set X = m(header Z);"
	  " set Y = m(header Y); }",
	  "set 0/1 @0; range 1:0+2/2 @1; set 0/1 @3; set 0/1 @0; "
	  "range 2:0+2/2 @3; range 3:0+2/2 @4; range 4:0+2/2 @5;" },
	/* Memos of `finally` are those of no block before it. */
	{ "list l contains { abc } always { when agent in l { pass; } }"
	  " host a { when agent in l and path contains b c and url in l {"
	  " pass; } }"
	  " finally { when url in l and agent in l and path contains d e {"
	  " pass; } builtin; }",
	  "set 0/1 @0; set 0/1 @1; set 0/1 @0; range 1:0+2/2 @2; "
	  "set 0/1 @0; range 2:0+2/2 @3; set 0/1 @1;" },
	/* All that one request may ask of a subject is one set. */
	{ "list mob contains { iPhone iPod }"
	  " list bot { contains bot; is curl; ~ \"^Go+gle\"; }"
	  " list exact is { a#10 }"
	  " map device { contains iPad Kindle -> tablet; not ends x -> no; }"
	  " always { when agent in mob { set A = 1; }"
	  " when agent ~ \"Fire(fox)\" { set B = \"${1}\"; }"
	  " when agent in exact { set C = 1; }"
	  " when agent is a { set C = 2; } }"
	  " host a { when agent in bot { pass; } }"
	  " host b { set X = device(agent); set Y = device(header R);"
	  " set Z = device(agent);"
	  " when agent in mob { pass; } when agent contains p q { pass; } }",
	  "range 0:0+2/9 @0; range 0:8+1/9 @0; set 1/10 @1; is 1; "
	  "range 0:2+3/9 @0; range 0:0+2/9 @0; range 3:0+2/2 @2; "
	  "map 0:5+3/9 @0; map 2:0+3/3 @3; map 0:5+3/9 @0;" },
	/* A list that is alone keeps its early stop. */
	{ AB "always { when agent in a { pass; } when url in b { pass; } }",
	  "set 0/2 @0; set 1/2 @1;" },
	{ AB "host x { when agent in a { pass; } }"
	  " host y { when agent in b { pass; } }", "set 0/2 @0; set 1/2 @0;" },
	{ AB "host x { when agent in a and agent in a { pass; }"
	  " when agent contains p q { pass; } }",
	  "set 0/2 @0; set 0/2 @0; range 1:0+2/2 @1;" },
	{ AB "map m { contains gg -> 1; contains hh -> 2; }"
	  " always { when agent in a { pass; } } host x { set X = m(url); }",
	  "set 0/2 @0;" },
	/* Only what is small shares a set. */
	{ "list a contains { a#256 } list b contains { b#256 }" ASK_AB,
	  "range 0:0+256/512 @0; range 0:256+256/512 @0;" },
	{ "list a contains { a#256 } list b contains { b#257 }" ASK_AB,
	  "set 0/256 @0; set 1/257 @1;" },
	{ "list a contains { a#257 } list b contains { b#10 }"
	  " list c contains { c#10 }" ASK_ABC,
	  "set 1/257 @0; range 0:0+10/20 @1; range 0:10+10/20 @1;" },
	{ "list a like { a*#32 } list b like { b*#33 }" ASK_AB,
	  "set 0/32 @0; set 1/33 @1;" },
	{ "list a is { a#20 } list b is { b#20 } list c is { c#20 }" ASK_ABC,
	  "set 0/20 @0; set 1/20 @1; set 2/20 @2;" },
	/* A set has room for so many lists, first for those of `always`. */
	{ LISTS_ABCD "always { when agent in a or agent in b or agent in c"
	  " or agent in d { pass; } when agent contains x y { pass; } }",
	  "range 0:0+200/402 @0; range 0:200+200/402 @0; set 1/200 @1; "
	  "set 2/200 @2; range 0:400+2/402 @0;" },
	{ LISTS_ABCD "host x { when agent in a or agent in b { pass; } }"
	  " always { when agent in c or agent in d { pass; } }",
	  "range 0:0+200/400 @0; range 0:200+200/400 @0; "
	  "set 1/200 @1; set 2/200 @2;" },
	/* Too many words of `always` are a set of their own. */
	{ "list a contains { a#10 } list b contains { b#10 }"
	  " always { when agent in a or agent in b { pass; }"
	  " when agent contains x y { pass; }"
	  " when agent contains w#513 { pass; } }",
	  "range 0:0+10/20 @0; range 0:10+10/20 @0; "
	  "range 1:0+2/515 @1; range 1:2+513/515 @1;" },
};

/* Returns a text in which `a#3` has become `a0 a1 a2`: malloc'ed. */
static char *
expand(const char *text)
{
	const char *sign, *word, *end;
	unsigned long i, n;
	char *out;
	size_t len;
	FILE *to = open_memstream(&out, &len);

	for (; (sign = strchr(text, '#')) != NULL; text = end) {
		for (word = sign; word[-1] != ' '; word--)
			continue;
		fprintf(to, "%.*s", (int)(word - text), text);
		n = strtoul(sign + 1, (char **)(uintptr_t)&end, 10);
		for (i = 0; i < n; i++)
			fprintf(to, "%.*s%lu ", (int)(sign - word), word, i);
	}
	fprintf(to, "%s", text);
	(void)fclose(to);
	return (out);
}

static void
print_test(FILE *to, const struct fm_program *program,
    const struct fm_test *test)
{
	switch ((enum fm_test_kind)test->kind) {
	case FM_TEST_TEXTS:
		fprintf(to, "%s %s%u; ",
		    fm_mode_word((enum fm_pattern_kind)test->mode),
		    test->nocase ? "nocase " : "", test->count);
		break;
	case FM_TEST_SET:
		fprintf(to, "set %u/%zu @%u; ", test->set,
		    fm_patset_count(program->sets[test->set]), test->memo);
		break;
	case FM_TEST_RANGE:
		fprintf(to, "range %u:%u+%u/%zu @%u; ", test->set, test->first,
		    test->count, fm_patset_count(program->sets[test->set]),
		    test->memo);
		break;
	case FM_TEST_NETS:
		fprintf(to, "nets %u; ", test->set);
		break;
	default:
		ck_abort_msg("an odd test");
	}
}

static void
print_maps(FILE *to, const struct fm_program *program)
{
	const struct fm_map_code *map;
	const struct fm_template_piece *piece;
	uint32_t i, k, end = program->nops;

	/* The lists for traces come first: they have each map once. */
	for (i = 0; i < program->nblocks; i++)
		if (program->blocks[i].name.len > 0 &&
		    program->blocks[i].first < end)
			end = program->blocks[i].first;
	for (i = 0; i < end; i++) {
		if (program->ops[i].code != FM_OP_SET)
			continue;
		for (k = 0; k < program->templates[program->ops[i].a].count;
		    k++) {
			piece = &program->pieces[program->templates[
			    program->ops[i].a].first + k];
			if (piece->kind != FM_PART_MAP)
				continue;
			map = &program->maps[piece->a];
			if (map->texts != FM_NONE)
				continue;
			fprintf(to, "map %u:%u+%u/%zu @%u; ",
			    map->set, map->first, map->count,
			    fm_patset_count(program->sets[map->set]),
			    piece->memo);
		}
	}
}

UNIT_LOOP(who_asks_the_same_subject_shares_a_scan, UNIT_COUNT(shares))
{
	char *rules = expand(shares[_i].rules), *is;
	struct fm_program *program = compile(rules);
	size_t len;
	FILE *to = open_memstream(&is, &len);
	uint32_t i;

	for (i = 0; i < program->ntests; i++)
		print_test(to, program, &program->tests[i]);
	print_maps(to, program);
	(void)fclose(to);
	ck_assert_uint_gt(len, 0);
	is[len - 1] = '\0';
	ck_assert_msg(strcmp(is, shares[_i].expect) == 0, "%s\n%s, not %s",
	    shares[_i].rules, is, shares[_i].expect);
	free(is);
	free(rules);
	fm_program_free(&program);
}

/*--------------------------------------------------------------------
 * The log and backends
 */

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

UNIT_LOOP(every_statement_has_a_line_for_the_log, UNIT_COUNT(logs))
{
	const struct fm_rule *rule;
	char text[200], log[200];
	struct fm_program *program;
	uint32_t counter;

	snprintf(text, sizeof text, "\n\n%s", logs[_i].stmt);
	snprintf(log, sizeof log, "fastmatch: %s at test.rules:3",
	    logs[_i].log);
	program = compile_block(text);
	ck_assert(fm_program_rule(program, 0, &rule, &counter));
	ck_assert_str_eq(rule->log, log);
	ck_assert_str_eq(rule->place, "test.rules:3");
	ck_assert_uint_eq(rule->at.column, 1);
	fm_program_free(&program);
}

UNIT_TEST(backends_are_named_where_they_stand_first)
{
	struct fm_program *program =
	    compile("host a.example {\nbackend one; }\n"
	    "host b.example { backend two;\nbackend one; }");
	struct fm_place place;

	ck_assert_uint_eq(fm_program_nbackends(program), 2);
	ck_assert_str_eq(fm_program_backend(program, 0, &place), "one");
	ck_assert_uint_eq(place.line, 2);
	ck_assert_str_eq(place.name, "test.rules");
	ck_assert_str_eq(fm_program_backend(program, 1, &place), "two");
	ck_assert_uint_eq(place.line, 3);
	ck_assert_str_eq(fm_program_backend(program, 1, NULL), "two");
	fm_program_free(&program);
}

/*--------------------------------------------------------------------
 * Memory
 */

/* Many hosts with the same small block take the memory of their names. */
UNIT_TEST(a_thousand_blocks_share_what_is_the_same)
{
	static const char one[] = "host h%04u.example { query drop utm_* _;"
	    " when agent contains iphone android and not cookie full is 1 {"
	    " redirect 302 \"http://m.h.example${url}\"; } }\n";
	struct fm_program *program;
	char *text = malloc(1000 * (sizeof one + 10)), *t = text;
	unsigned i;

	for (i = 0; i < 1000; i++)
		t += sprintf(t, one, i);
	program = compile(text);
	free(text);
	ck_assert_uint_eq(program->nsets, 1);
	ck_assert_uint_eq(program->nparams, 1);
	ck_assert_uint_eq(program->nmemos, 1);
	ck_assert_uint_lt(fm_program_bytes(program), 1000 * 1500);
	fm_program_free(&program);
}

UNIT_TEST(the_bytes_of_a_program_count_all_that_it_is_made_of)
{
	struct fm_program *program = compile(
	    "list agents contains { abc bcd cde def efg fgh }\n"
	    "map site { is example.com -> x; default y; }\n"
	    "host example.com {\n"
	    "	when agent in agents or agent ~ \"^a.*b\" { pass; }\n"
	    "	when client in 10.0.0.0/8 { rewrite ~ \"^/a\" to \"/b\"; }\n"
	    "	query drop utm_*;\n"
	    "	set X-Site = site(host);\n"
	    "}\n");
	size_t npatterns = program->npatterns, bytes;
	uint32_t i;

	bytes = sizeof *program + fm_arena_bytes(&program->arena) +
	    fm_arena_bytes(&program->people) +
	    fm_hosttab_bytes(program->hosttab);
	ck_assert_uint_gt(program->nsets, 0);
	for (i = 0; i < program->nsets; i++) {
		npatterns += fm_patset_count(program->sets[i]);
		bytes += fm_patset_bytes(program->sets[i]);
	}
	ck_assert_uint_eq(fm_program_npatterns(program), npatterns);
	ck_assert_uint_ge(npatterns, 6 + 1 + 1);
	ck_assert_uint_eq(program->nnets, 1);
	bytes += fm_networks_bytes(program->nets[0]);
	ck_assert_uint_gt(program->npatterns, 0);
	for (i = 0; i < program->npatterns; i++)
		bytes += fm_pattern_bytes(program->patterns[i]);
	ck_assert_uint_eq(program->nparams, 1);
	bytes += fm_names_bytes(program->params[0].names);
	ck_assert_uint_gt(program->nops, 0);
	bytes += program->nhosts * sizeof *program->route_of + program->nops *
	    sizeof *program->ops;
	ck_assert_uint_eq(fm_program_bytes(program), bytes);
	fm_program_free(&program);
}

int
main(void)
{
	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	return (unit_main("compile", 120));
}
