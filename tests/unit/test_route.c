/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists of operations that requests run: those of blocks, and the routes of
 * hosts.  The random tests show that they do what the rules say; this is what
 * they consist of.
 */

#include "compiling.h"
#include "host_find.h"
#include "run_priv.h"

/*--------------------------------------------------------------------
 * A list in words: one for each operation, without counters and jumps.
 */

static const char * const words[] = {
	[FM_OP_SET] = "set ", [FM_OP_UNSET] = "unset ",
	[FM_OP_BACKEND] = "backend ", [FM_OP_PASS] = "pass ",
	[FM_OP_PIPE] = "pipe ", [FM_OP_HASH] = "hash ",
	[FM_OP_SYNTH] = "synth ", [FM_OP_REDIRECT] = "redirect ",
	[FM_OP_STOP] = "stop ", [FM_OP_TEST] = "test ", [FM_OP_WHEN] = "then ",
	[FM_OP_ELSE] = "else ", [FM_OP_IF] = "if ", [FM_OP_COUNT] = "",
	[FM_OP_IF_HAS] = "if ", [FM_OP_IF_IS] = "if ",
	[FM_OP_IF_METHOD] = "if ", [FM_OP_SKIP] = "", [FM_OP_JUMP] = "",
	[FM_OP_REWRITE] = "rewrite ",
	[FM_OP_PUT] = "put ", [FM_OP_PUT_HOST] = "put-host "
};

static void
assert_list(const struct fm_program *program, uint32_t route, const char *want)
{
	const struct fm_op *op;
	size_t len;
	char *is;
	FILE *f = open_memstream(&is, &len);

	if (route == FM_NONE)
		fputs("none", f);
	else
		for (op = &program->ops[route]; op->code != FM_OP_END; op++)
			fputs(words[op->code], f);
	(void)fclose(f);
	ck_assert_str_eq(is, want);
	free(is);
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

/* Returns the list of the host's block; without a host, that of `always`. */
static uint32_t
block_of(const struct fm_program *program, const char *host)
{
	struct fm_hosttab_hit hit;

	if (host == NULL)
		return (program->blocks[program->always].first);
	ck_assert(host_find(program->hosttab, fm_text_of(host), &hit));
	return (program->blocks[hit.entry].first);
}

#define SITES								\
	"map site { is a.example -> a; is b.example -> b; }\n"		\
	"always {\n"							\
	"  set X-Site = site(host);\n"					\
	"  when not header X-Site present { synth 404; }\n"		\
	"  backend x;\n"						\
	"  when header X-Site is b { backend y; }\n"			\
	"  when method is POST { pass; }\n"				\
	"}\n"								\
	"host a.example b.example c.example *.d.example { hash; }\n"

#define ENDS_B								\
	"always { when host ends b.example { pass; } }\n"		\
	"host a.example b.example { hash; }\n"

#define PATH_A								\
	"always { when path is /a { pass; } }\n"			\
	"host a.example { hash; }\n"

#define RULESET								\
	"always { set X = \"${ruleset}\";\n"				\
	"  when header X is always { pass; }\n"				\
	"  when header X present { pipe; } }\n"				\
	"ruleset r { hash; } host a.example use r;\n"

#define TOGETHER							\
	"map site { is a.example -> a; }\n"				\
	"always {\n"							\
	"  set X = site(host);\n"					\
	"  when header X is a { unset Y; }\n"				\
	"  when header X present { unset Z; }\n"			\
	"}\n"								\
	"host a.example { when path is /a { unset A; } hash; }\n"

enum whose { ROUTE, BLOCK, ALWAYS };

static const struct {
	const char	*rules;
	enum whose	whose;
	const char	*host;
	const char	*expect;
} lists[] = {
	/* A test that the host decides is decided, also through a header. */
	{ SITES, ROUTE, "a.example", "put backend if pass hash " },
	{ SITES, ROUTE, "b.example", "put backend backend if pass hash " },
	{ SITES, ROUTE, "c.example", "unset synth backend if pass hash " },
	{ ENDS_B, ROUTE, "a.example", "hash " },
	{ ENDS_B, ROUTE, "b.example", "pass " },
	{ "map site { is a.example -> a; }\n"
	  "always { set X = site(host);\n"
	  "  when path is /p and header X is a { pipe; }\n"
	  "  when header X is a and host is a.example { pass; } }\n"
	  "host a.example { hash; }", ROUTE, "a.example",
	  "put if pipe pass " },
	/* Nothing is known of any other host. */
	{ SITES, ALWAYS, NULL, "set if synth backend if backend if pass " },
	{ SITES, BLOCK, "x.d.example", "hash " },
	/* Where nothing is decided a host has no route. */
	{ PATH_A, ROUTE, "a.example", "none" },
	{ PATH_A, ALWAYS, NULL, "if pass " },
	{ PATH_A, BLOCK, "a.example", "hash " },
	/* Conditions become jumps. */
	{ "always { when path is /a or path is /b { pass; } }", ALWAYS, NULL,
	  "if if pass " },
	{ "always { when not (path is /a and method is GET) { pass; } hash; }",
	  ALWAYS, NULL,
	  "if if pass hash " },
	{ "always { when (path is /a or path is /b) and method is GET "
	  "{ pass; } else { hash; } }", ALWAYS, NULL,
	  "if if if pass hash " },
	{ "always { when (path is /a and url is /b) or method is GET "
	  "{ pass; } hash; }", ALWAYS, NULL,
	  "if if if pass hash " },
	/* Some tests may be undecided. */
	{ "always { when path is /a and url ~ x { pass; } }", ALWAYS, NULL,
	  "if test then pass else " },
	{ "always { when url ~ \"(x)\" { redirect 302 \"/${1}\"; } }", ALWAYS,
	  NULL, "test then redirect else " },
	/* After a rewrite all those of the URL may. */
	{ "always { when path is /a { rewrite ~ a to b; } }"
	  " finally { when path is /b and method is GET { hash; } }"
	  " host a.example { when host is b.example { unset A; } }",
	  ROUTE, "a.example", "if rewrite test if then hash else " },
	/* Nothing is left of a test whose outcome makes no difference. */
	{ "always { when (path is /a or path is /b) and host is b.example"
	  " { pass; } else { hash; } } host a.example { }", ROUTE, "a.example",
	  "hash " },
	/* A value that some requests set is not known of others. */
	{ "map site { is a.example -> a; }\n"
	  "always {\n"
	  "  set X = site(host);\n"
	  "  when path is /a { set X = b; }\n"
	  "  when header X is a { pass; }\n"
	  "  when path is /b { stop; }\n"
	  "  set X = c;\n"
	  "}\n"
	  "host a.example {\n"
	  "  when header X is c { pipe; }\n"
	  "  unset X;\n"
	  "  when header X present { pass; }\n"
	  "}\n", ROUTE, "a.example",
	  "put if put if pass if stop put if pipe unset " },
	/* The ruleset is that of the block. */
	{ RULESET, ALWAYS, NULL, "set if pass if pipe " },
	{ RULESET, BLOCK, "a.example", "hash " },
	/* Statements that are counted together stay in their order. */
	{ TOGETHER, ROUTE, "a.example",
	  "put unset unset if unset hash " },
};

UNIT_LOOP(a_list_of_operations_is_what_the_host_leaves, UNIT_COUNT(lists))
{
	struct fm_program *program = unit_program("t.rules", lists[_i].rules);
	const char *host = lists[_i].host;

	assert_list(program, lists[_i].whose == ROUTE ? route_of(program,
	    host) : block_of(program, host), lists[_i].expect);
	fm_program_free(&program);
}

UNIT_TEST(alike_hosts_share_a_route)
{
	struct fm_program *program = unit_program("t.rules",
	    "map site { is a.example b.example -> a; default d; }\n"
	    "always { set X-Site = site(host); }\n"
	    "host a.example b.example { hash; }\n"
	    "host c.example d.example { hash; }\n");

	ck_assert_uint_eq(route_of(program, "a.example"),
	    route_of(program, "b.example"));
	ck_assert_uint_eq(route_of(program, "c.example"),
	    route_of(program, "d.example"));
	ck_assert_uint_ne(route_of(program, "a.example"),
	    route_of(program, "c.example"));
	fm_program_free(&program);
}

UNIT_TEST(what_is_counted_together_is_one_operation)
{
	struct fm_program *program = unit_program("t.rules", TOGETHER);
	const struct fm_op *op = &program->ops[route_of(program, "a.example")];
	unsigned counts = 0;

	for (; op->code != FM_OP_IF; op++) {
		if (op->code != FM_OP_COUNT)
			continue;
		counts++;
		ck_assert_uint_ne(op->b, FM_NONE);
		ck_assert_uint_ne(op->rule, FM_NONE);
	}
	ck_assert_uint_eq(counts, 1);
	fm_program_free(&program);
}

/*--------------------------------------------------------------------
 * Tests in a row, and tests of words: the list for traces asks each of them.
 */

#define ROW	6	/* tests */

/* Writes up to so many random bytes of an alphabet. */
static void
random_word(char *word, const char *bytes, unsigned most)
{
	unsigned len = unit_below(most + 1), i;

	for (i = 0; i < len; i++)
		word[i] = bytes[unit_below((unsigned)strlen(bytes))];
	word[len] = '\0';
}

/* Writes a random test, of the path, the method or a header. */
static void
random_test(FILE *to)
{
	static const char * const modes[] = { "is", "begins", "ends", "below",
	    "like" };
	unsigned mode = unit_below(5), n = 1 + unit_below(3);
	char word[20];

	if (unit_below(6) == 0) {
		fprintf(to, unit_below(2) == 0 ? "method is GET PUT" :
		    "header H is abcdefgh a");
		return;
	}
	fprintf(to, "path %s%s%s", unit_below(4) == 0 ? "not " : "",
	    unit_below(4) == 0 ? "nocase " : "", modes[mode]);
	while (n-- > 0) {
		random_word(word, mode == 4 ? "aAb/.*?" : "aAb/.", 3);
		fprintf(to, " \"%s%s\"", mode == 2 && unit_below(4) != 0 ? "" :
		    "/", mode == 2 && *word == '\0' ? "a" : word);
	}
}

/* Makes rules, each of which sets a header X0, X1 and so on. */
static struct fm_program *
random_row(void)
{
	struct fm_program *program;
	unsigned i;
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "always {\n");
	for (i = 0; i < ROW; i++) {
		fprintf(f, "when ");
		random_test(f);
		if (unit_below(3) == 0) {
			fprintf(f, unit_below(2) == 0 ? " and " : " or ");
			random_test(f);
		}
		fprintf(f, " { set X%u = 1; }%s\n", i, i + 1 < ROW &&
		    unit_below(4) == 0 ? " else" : "");
	}
	fprintf(f, "}\n");
	(void)fclose(f);
	program = unit_program("t.rules", text);
	free(text);
	return (program);
}

/* Returns a bit for each header that was set. */
static unsigned
row_run(const struct fm_program *program, const struct fm_view *view,
    const struct fm_trace *trace)
{
	const struct fm_result *result;
	struct fm_edit edit;
	unsigned bits = 0, i;
	struct fm_run run;
	char name[8];

	result = fm_run(&run, program, view, trace);
	for (i = 0; i < ROW; i++) {
		sprintf(name, "X%u", i);
		bits |= (unsigned)fm_edit_of(result, fm_text_of(name),
		    &edit) << i;
	}
	fm_run_end(&run);
	return (bits);
}

UNIT_TEST(tests_in_a_row_have_the_outcomes_that_they_have_alone)
{
	static const char * const methods[] = { "GET", "PUT", "POST", "GE" };
	static const char * const fields[] = { "H: a", "H: abcdefgh",
	    "H: abcdefghi", "G: a" };
	static const struct fm_trace trace;
	struct fm_view view = { .nfields = 1 };
	unsigned rows = unit_rounds(20000, 20), i, k, is, seen = 0;
	struct fm_program *program;
	struct fm_field field;
	struct fm_text url;
	char path[20];

	unit_seed("row");
	for (i = 0; i < rows; i++) {
		program = random_row();
		for (k = 0; k < 40; k++) {
			strcpy(path, "/");
			random_word(path + 1, "aAb/.c", 4);
			url = unit_copy(fm_text_of(path));
			view.url = url;
			view.method = fm_text_of(methods[unit_below(4)]);
			field.b = fields[unit_below(4)];
			field.e = strchr(field.b, '\0');
			view.fields = &field;
			is = row_run(program, &view, NULL);
			ck_assert_msg(is == row_run(program, &view, &trace),
			    "row %u, %s %s", i, path, field.b);
			seen |= is;
			free((void *)(uintptr_t)url.b);
		}
		fm_program_free(&program);
	}
	ck_assert_uint_eq(seen, (1U << ROW) - 1);
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
	return (unit_main("route", 60));
}
