/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists of operations that requests run: those of blocks, and the routes of
 * hosts.  The random tests show that they do what the rules say; this is what
 * they consist of.
 */

#include "host_find.h"
#include "program.h"
#include "run_priv.h"

/*--------------------------------------------------------------------
 * A list in words: "if path begins /a: 7" jumps to operation 7 if it does.
 * Operations are numbered in their order; counters, and what only a trace is
 * told, are left out.
 */

static const char * const words[] = {
	[FM_OP_QUERY] = "query", [FM_OP_COOKIE] = "cookie",
	[FM_OP_SET] = "set", [FM_OP_UNSET] = "unset",
	[FM_OP_UNSET_GLOB] = "unset *", [FM_OP_NORMALIZE] = "normalize",
	[FM_OP_REWRITE] = "rewrite", [FM_OP_BACKEND] = "backend",
	[FM_OP_PASS] = "pass", [FM_OP_PIPE] = "pipe", [FM_OP_HASH] = "hash",
	[FM_OP_SYNTH] = "synth", [FM_OP_REDIRECT] = "redirect",
	[FM_OP_BUILTIN] = "builtin", [FM_OP_PURGE] = "purge",
	[FM_OP_ANSWER] = "answer", [FM_OP_USE] = "use",
	[FM_OP_STOP] = "stop", [FM_OP_WHEN] = "when", [FM_OP_JUMP] = "go",
	[FM_OP_IF] = "if",
	[FM_OP_PUT] = "put", [FM_OP_PUT_HOST] = "put host"
};

static bool
is_shown(const struct fm_op *op)
{
	return (op->code != FM_OP_COUNT && op->code != FM_OP_TELL_BLOCK &&
	    op->code != FM_OP_TELL_WHEN);
}

/* Returns how many operations are shown before the n-th one. */
static unsigned
order_of(const struct fm_program *p, uint32_t first, uint32_t n)
{
	const struct fm_op *op = &p->ops[first];
	unsigned order = 0;

	for (; op < &p->ops[n]; op++)
		order += is_shown(op);
	return (order);
}

static void
show_op(FILE *f, const struct fm_program *p, uint32_t first,
    const struct fm_op *op)
{
	const struct fm_test *test;

	fputs(words[op->code], f);
	switch ((enum fm_op_code)op->code) {
	case FM_OP_PUT:
		fprintf(f, " %s %s", p->slots[op->slot].name.b,
		    p->texts[op->a].b);
		break;
	case FM_OP_SET:
	case FM_OP_UNSET:
	case FM_OP_PUT_HOST:
		fprintf(f, " %s", p->slots[op->slot].name.b);
		break;
	case FM_OP_BACKEND:
		fprintf(f, " %s", p->backends[op->a]);
		break;
	case FM_OP_IF:
		test = &p->tests[op->a];
		fprintf(f, "%s %s", op->when ? "" : " not",
		    fm_subject_word(test->subject.kind));
		if (test->kind == FM_TEST_TEXTS)
			fprintf(f, " %s", p->texts[test->first].b);
		/* FALLTHROUGH */
	case FM_OP_WHEN:
	case FM_OP_JUMP:
	case FM_OP_STOP:
		fprintf(f, ": %u", order_of(p, first, op->b));
		break;
	default:
		break;
	}
}

static void
assert_list(const struct fm_program *p, uint32_t route, const char *want)
{
	const struct fm_op *op;
	size_t len;
	char *is;
	FILE *f = open_memstream(&is, &len);

	if (route == FM_NONE)
		fputs("none", f);
	else
		for (op = &p->ops[route]; op->code != FM_OP_END; op++) {
			if (!is_shown(op))
				continue;
			show_op(f, p, route, op);
			fputs("; ", f);
		}
	(void)fclose(f);
	ck_assert_str_eq(is, want);
	free(is);
}

/* Returns the host's own route, or FM_NONE. */
static uint32_t
route_of(const struct fm_program *p, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(host_find(p->hosttab, fm_text_of(host), &hit));
	ck_assert_int_eq(hit.how, FM_HOSTTAB_EXACT);
	return (p->route_of == NULL ? FM_NONE : p->route_of[hit.pattern]);
}

/* Returns the list of the host's block; without a host, that of `always`. */
static uint32_t
block_of(const struct fm_program *p, const char *host)
{
	struct fm_hosttab_hit hit;

	if (host == NULL)
		return (p->blocks[p->always].first);
	ck_assert(host_find(p->hosttab, fm_text_of(host), &hit));
	return (p->blocks[hit.entry].first);
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
	{ SITES, ROUTE, "a.example", "put X-Site a; backend x; "
	  "if not method POST: 4; pass; hash; " },
	{ SITES, ROUTE, "b.example", "put X-Site b; backend x; backend y; "
	  "if not method POST: 5; pass; hash; " },
	{ SITES, ROUTE, "c.example", "unset X-Site; synth; backend x; "
	  "if not method POST: 5; pass; hash; " },
	{ ENDS_B, ROUTE, "a.example", "hash; " },
	{ ENDS_B, ROUTE, "b.example", "pass; " },
	{ "map site { is a.example -> a; }\n"
	  "always { set X = site(host);\n"
	  "  when path is /p and header X is a { pipe; }\n"
	  "  when header X is a and host is a.example { pass; } }\n"
	  "host a.example { hash; }", ROUTE, "a.example",
	  "put X a; if not path /p: 3; pipe; pass; " },
	/* Nothing is known of any other host. */
	{ SITES, ALWAYS, NULL, "set X-Site; if header: 3; synth; "
	  "backend x; if not header b: 6; backend y; "
	  "if not method POST: 8; pass; " },
	{ SITES, BLOCK, "x.d.example", "hash; " },
	/* Where nothing is decided a host has no route. */
	{ PATH_A, ROUTE, "a.example", "none" },
	{ PATH_A, ALWAYS, NULL, "if not path /a: 2; pass; " },
	{ PATH_A, BLOCK, "a.example", "hash; " },
	/* Conditions become jumps. */
	{ "always { when path is /a or path is /b { pass; } }", ALWAYS, NULL,
	  "if path /a: 2; if not path /b: 3; pass; " },
	{ "always { when not (path is /a and method is GET) { pass; } hash; }",
	  ALWAYS, NULL,
	  "if not path /a: 2; if method GET: 3; pass; hash; " },
	{ "always { when (path is /a or path is /b) and method is GET "
	  "{ pass; } else { hash; } }", ALWAYS, NULL,
	  "if not method GET: 5; if path /a: 3; if not path /b: 5; pass; "
	  "go: 6; hash; " },
	{ "always { when (path is /a and url is /b) or method is GET "
	  "{ pass; } hash; }", ALWAYS, NULL,
	  "if method GET: 3; if not path /a: 4; if not url /b: 4; pass; "
	  "hash; " },
	/* A test that may be undecided stays, but not the tests before it. */
	{ "always { when path is /a and url ~ x { pass; } }", ALWAYS, NULL,
	  "if not path /a: 3; when: 3; pass; " },
	{ "always { when path is /a or url ~ x { pass; } }", ALWAYS, NULL,
	  "if path /a: 2; when: 3; pass; " },
	{ "always { when url ~ \"(x)\" { redirect 302 \"/${1}\"; } }", ALWAYS,
	  NULL, "when: 2; redirect; " },
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
	  "put X a; if not path /a: 3; put X b; "
	  "if not header a: 5; pass; if not path /b: 7; stop: 8; put X c; "
	  "if not header c: 10; pipe; unset X; " },
	/* The ruleset is that of the block. */
	{ RULESET, ALWAYS, NULL, "set X; if not header always: 3; pass; "
	  "if not header: 5; pipe; " },
	{ RULESET, BLOCK, "a.example", "hash; " },
	/* Statements that are counted together stay in their order. */
	{ TOGETHER, ROUTE, "a.example",
	  "put X a; unset Y; unset Z; if not path /a: 5; "
	  "unset A; hash; " },
};

UNIT_LOOP(a_list_of_operations_is_what_the_host_leaves, UNIT_COUNT(lists))
{
	struct fm_program *p = unit_program("t.rules", lists[_i].rules);
	const char *host = lists[_i].host;

	assert_list(p, lists[_i].whose == ROUTE ? route_of(p, host) :
	    block_of(p, host), lists[_i].expect);
	fm_program_free(&p);
}

UNIT_TEST(alike_hosts_share_a_route)
{
	struct fm_program *p = unit_program("t.rules",
	    "map site { is a.example b.example -> a; default d; }\n"
	    "always { set X-Site = site(host); }\n"
	    "host a.example b.example { hash; }\n"
	    "host c.example d.example { hash; }\n");

	ck_assert_uint_eq(route_of(p, "a.example"), route_of(p, "b.example"));
	ck_assert_uint_eq(route_of(p, "c.example"), route_of(p, "d.example"));
	ck_assert_uint_ne(route_of(p, "a.example"), route_of(p, "c.example"));
	fm_program_free(&p);
}

UNIT_TEST(what_is_counted_together_is_one_operation)
{
	struct fm_program *p = unit_program("t.rules", TOGETHER);
	const struct fm_op *op = &p->ops[route_of(p, "a.example")];
	unsigned counts = 0;

	for (; op->code != FM_OP_IF; op++) {
		if (op->code != FM_OP_COUNT)
			continue;
		counts++;
		ck_assert_uint_ne(op->b, FM_NONE);
		ck_assert_uint_ne(op->rule, FM_NONE);
	}
	ck_assert_uint_eq(counts, 1);
	fm_program_free(&p);
}

UNIT_TEST(there_is_an_end_to_the_memory_that_routes_take)
{
	struct fm_program *p;
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
	p = unit_program("t.rules", text);
	/* The list of a block has seven operations, with its end. */
	ck_assert_uint_le(p->nops, 65536 + 20001 * 7);
	ck_assert_uint_gt(p->nops, 60000 + 20000 * 7);
	ck_assert_uint_ne(route_of(p, "h1.example"), FM_NONE);
	ck_assert_uint_eq(route_of(p, "h19999.example"), FM_NONE);
	fm_program_free(&p);
	free(text);
}

int
main(void)
{
	return (unit_main("route", 60));
}
