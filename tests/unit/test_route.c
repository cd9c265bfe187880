/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists of operations that requests run: those of blocks, and the routes of
 * hosts.  The random tests tell that they do what the rules say; here is what
 * they consist of.
 */

#include <stdlib.h>

#include "check.h"
#include "compile.h"
#include "parse.h"
#include "run_priv.h"
#include "host_find.h"
#include "unit.h"

static struct fm_program *
program_of(const char *text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	struct fm_program *p;

	model = fm_parse_text("t.rules", fm_text_of(text), false, diag);
	ck_assert_msg(model != NULL && fm_check(model, NULL, diag), "%s",
	    fm_diag_line(diag, 0));
	p = fm_compile(model, NULL, diag);
	ck_assert_msg(p != NULL, "%s", fm_diag_line(diag, 0));
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (p);
}

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

/* Which one in the order of those that are shown. */
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
assert_route(const struct fm_program *p, uint32_t route, const char *want)
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

/* That of a host's own. */
static uint32_t
route_of(const struct fm_program *p, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(host_find(p->hosttab, fm_text_of(host), &hit));
	ck_assert_int_eq(hit.how, FM_HOSTTAB_EXACT);
	return (p->route_of == NULL ? FM_NONE : p->route_of[hit.pattern]);
}

static void
assert_host(const char *rules, const char *host, const char *want)
{
	struct fm_program *p = program_of(rules);

	assert_route(p, route_of(p, host), want);
	fm_program_free(&p);
}

/* The list of `always`. */
static void
assert_always(const char *rules, const char *want)
{
	struct fm_program *p = program_of(rules);

	assert_route(p, p->blocks[p->always].first, want);
	fm_program_free(&p);
}

/* The list of a host's block. */
static void
assert_block(const char *rules, const char *host, const char *want)
{
	struct fm_program *p = program_of(rules);
	struct fm_hosttab_hit hit;

	ck_assert(host_find(p->hosttab, fm_text_of(host), &hit));
	assert_route(p, p->blocks[hit.entry].first, want);
	fm_program_free(&p);
}

/*--------------------------------------------------------------------*/

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

START_TEST(what_the_host_decides_is_decided)
{
	assert_host(SITES, "a.example", "put X-Site a; backend x; "
	    "if not method POST: 4; pass; hash; ");
	assert_host(SITES, "b.example", "put X-Site b; backend x; "
	    "backend y; if not method POST: 5; pass; hash; ");
	assert_host(SITES, "c.example", "unset X-Site; synth; backend x; "
	    "if not method POST: 5; pass; hash; ");
}
END_TEST

START_TEST(alike_hosts_share_a_route)
{
	struct fm_program *p = program_of(
	    "map site { is a.example b.example -> a; default d; }\n"
	    "always { set X-Site = site(host); }\n"
	    "host a.example b.example { hash; }\n"
	    "host c.example d.example { hash; }\n");

	ck_assert_uint_eq(route_of(p, "a.example"), route_of(p, "b.example"));
	ck_assert_uint_eq(route_of(p, "c.example"), route_of(p, "d.example"));
	ck_assert_uint_ne(route_of(p, "a.example"), route_of(p, "c.example"));
	fm_program_free(&p);
}
END_TEST

START_TEST(the_host_itself_decides_too)
{
	static const char rules[] =
	    "always { when host ends b.example { pass; } }\n"
	    "host a.example b.example { hash; }\n";

	assert_host(rules, "a.example", "hash; ");
	assert_host(rules, "b.example", "pass; ");
}
END_TEST

START_TEST(where_nothing_is_decided_a_host_has_no_route)
{
	static const char rules[] =
	    "always { when path is /a { pass; } }\n"
	    "host a.example { hash; }\n";

	assert_host(rules, "a.example", "none");
	assert_always(rules, "if not path /a: 2; pass; ");
	assert_block(rules, "a.example", "hash; ");
}
END_TEST

START_TEST(of_any_host_nothing_is_known)
{
	assert_always(SITES, "set X-Site; if header: 3; synth; "
	    "backend x; if not header b: 6; backend y; "
	    "if not method POST: 8; pass; ");
	assert_block(SITES, "x.d.example", "hash; ");
}
END_TEST

START_TEST(conditions_become_jumps)
{
	assert_always("always { when path is /a or path is /b { pass; } }",
	    "if path /a: 2; if not path /b: 3; pass; ");
	assert_always("always { when not (path is /a and method is GET) "
	    "{ pass; } hash; }",
	    "if not path /a: 2; if method GET: 3; pass; hash; ");
	assert_always("always { when (path is /a or path is /b) and "
	    "method is GET { pass; } else { hash; } }",
	    "if not method GET: 5; if path /a: 3; if not path /b: 5; pass; "
	    "go: 6; hash; ");
	assert_always("always { when (path is /a and url is /b) or "
	    "method is GET { pass; } hash; }",
	    "if method GET: 3; if not path /a: 4; if not url /b: 4; pass; "
	    "hash; ");
}
END_TEST

START_TEST(what_may_be_undecided_stays_but_for_what_is_before_it)
{
	assert_always("always { when path is /a and url ~ x { pass; } }",
	    "if not path /a: 3; when: 3; pass; ");
	assert_always("always { when path is /a or url ~ x { pass; } }",
	    "if path /a: 2; when: 3; pass; ");
	assert_always("always { when url ~ \"(x)\" "
	    "{ redirect 302 \"/${1}\"; } }", "when: 2; redirect; ");
}
END_TEST

START_TEST(what_some_requests_set_is_not_known_to_others)
{
	static const char rules[] =
	    "map site { is a.example -> a; }\n"
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
	    "}\n";

	assert_host(rules, "a.example", "put X a; if not path /a: 3; put X b; "
	    "if not header a: 5; pass; if not path /b: 7; stop: 8; put X c; "
	    "if not header c: 10; pipe; unset X; ");
}
END_TEST

START_TEST(the_ruleset_is_that_of_the_block)
{
	static const char rules[] =
	    "always { set X = \"${ruleset}\";\n"
	    "  when header X is always { pass; }\n"
	    "  when header X present { pipe; } }\n"
	    "ruleset r { hash; } host a.example use r;\n";

	assert_always(rules, "set X; if not header always: 3; pass; "
	    "if not header: 5; pipe; ");
	assert_block(rules, "a.example", "hash; ");
}
END_TEST

/* Of several operations, the first that has this code. */
static const struct fm_op *
op_find(const struct fm_program *p, uint32_t route, enum fm_op_code code)
{
	const struct fm_op *op = &p->ops[route];

	while (op->code != code)
		op++;
	return (op);
}

START_TEST(what_is_counted_together_is_one_operation)
{
	struct fm_program *p = program_of(
	    "map site { is a.example -> a; }\n"
	    "always {\n"
	    "  set X = site(host);\n"
	    "  when header X is a { unset Y; }\n"
	    "  when header X present { unset Z; }\n"
	    "}\n"
	    "host a.example { when path is /a { unset A; } hash; }\n");
	uint32_t route = route_of(p, "a.example");
	const struct fm_op *op = op_find(p, route, FM_OP_COUNT);

	ck_assert_uint_ne(op->b, FM_NONE);
	ck_assert_uint_ne(op->rule, FM_NONE);
	/* Behind a branch there is another. */
	ck_assert(op_find(p, route, FM_OP_IF) > op);
	assert_route(p, route, "put X a; unset Y; unset Z; if not path /a: 5; "
	    "unset A; hash; ");
	fm_program_free(&p);
}
END_TEST

START_TEST(there_is_an_end_to_the_memory_that_routes_take)
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
	p = program_of(text);
	/* The list of a block has seven operations, with its end. */
	ck_assert_uint_le(p->nops, 65536 + 20001 * 7);
	ck_assert_uint_gt(p->nops, 60000 + 20000 * 7);
	ck_assert_uint_ne(route_of(p, "h1.example"), FM_NONE);
	ck_assert_uint_eq(route_of(p, "h19999.example"), FM_NONE);
	fm_program_free(&p);
	free(text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("route");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, what_the_host_decides_is_decided);
	tcase_add_test(tc, alike_hosts_share_a_route);
	tcase_add_test(tc, the_host_itself_decides_too);
	tcase_add_test(tc, where_nothing_is_decided_a_host_has_no_route);
	tcase_add_test(tc, of_any_host_nothing_is_known);
	tcase_add_test(tc, conditions_become_jumps);
	tcase_add_test(tc,
	    what_may_be_undecided_stays_but_for_what_is_before_it);
	tcase_add_test(tc, what_some_requests_set_is_not_known_to_others);
	tcase_add_test(tc, the_ruleset_is_that_of_the_block);
	tcase_add_test(tc, what_is_counted_together_is_one_operation);
	tcase_add_test(tc, there_is_an_end_to_the_memory_that_routes_take);
	return (unit_run("route", tc));
}
