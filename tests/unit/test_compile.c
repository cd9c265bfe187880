/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The compiler, where no answer shows what it makes of rules: what people are
 * told of them, and the memory of a program.  tests/cases has what programs
 * answer, bench/budget what that costs.
 */

#include "compiling.h"
#include "engine.h"
#include "host_find.h"
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

UNIT_TEST(a_builtin_has_a_line_for_each_verdict_that_it_gives)
{
	static const enum fm_verdict verdicts[] = { FM_VERDICT_PASS,
	    FM_VERDICT_PIPE, FM_VERDICT_HASH };
	struct fm_program *program = compile_block("\n\nbuiltin;");
	const struct fm_rule *rule;
	uint32_t counter;
	char log[200];
	size_t i;

	ck_assert(fm_program_rule(program, 0, &rule, &counter));
	ck_assert_uint_eq(rule->log_len, 0);
	ck_assert_str_eq(rule->text, "builtin");
	ck_assert_str_eq(rule->place, "test.rules:3");
	for (i = 0; i < UNIT_COUNT(verdicts); i++) {
		snprintf(log, sizeof log,
		    "fastmatch: %s (builtin) at test.rules:3",
		    fm_verdict_word(verdicts[i]));
		ck_assert_str_eq(rule->logs[verdicts[i]].b, log);
		ck_assert_uint_eq(rule->logs[verdicts[i]].len, strlen(log));
	}
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
	    fm_arena_bytes(&program->cold) +
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
	bytes += program->nops * sizeof *program->ops;
	ck_assert_uint_eq(fm_program_bytes(program), bytes);
	fm_program_free(&program);
}

/* Returns the host's own route, or FM_NONE. */
static uint32_t
route_of(const struct fm_program *program, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(host_find(program->hosttab, fm_text_of(host), &hit));
	ck_assert_int_eq(hit.how, FM_HOSTTAB_EXACT);
	return (program->route_of == NULL ? FM_NONE :
	    program->route_of[hit.pattern]);
}

UNIT_TEST(there_is_an_end_to_the_memory_that_routes_take)
{
	struct fm_program *program;
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);
	unsigned i;

	fputs("map site { is h1.example -> a; default d; }\n"
	    "always { set X-Site = site(host); }\n", f);
	for (i = 0; i < 20000; i++)
		fprintf(f, "host h%u.example { unset A B; query sort; "
		    "hash; }\n", i);
	(void)fclose(f);
	program = unit_program("t.rules", text);
	/* A block has two lists of six operations, with their ends. */
	ck_assert_uint_le(program->nops, 65536 + 20001 * 12);
	ck_assert_uint_gt(program->nops, 60000 + 20000 * 12);
	ck_assert_uint_ne(route_of(program, "h1.example"), FM_NONE);
	ck_assert_uint_eq(route_of(program, "h19999.example"), FM_NONE);
	fm_program_free(&program);
	free(text);
}

int
main(void)
{
	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	return (unit_main("compile", 120));
}
