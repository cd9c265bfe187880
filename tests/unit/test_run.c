/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What rules make of a request: each statement, test and value, alone and one
 * after the other.
 */

#include <stdarg.h>

#include "bounds.h"
#include "check.h"
#include "compile.h"
#include "engine.h"
#include "parse.h"
#include "program_priv.h"
#include "run.h"
#include "twin.h"

/*
 * From the text of rules to a program.
 */

static struct fm_program *
program_of_text(struct fm_text rules)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	struct fm_program *program = NULL;
	unsigned i;

	model = fm_parse_text("t.rules", rules, false, diag);
	ck_assert_ptr_nonnull(model);
	if (fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag))
		program = fm_compile(model, NULL, diag);
	if (program == NULL) {
		for (i = 0; fm_diag_line(diag, i) != NULL; i++)
			fprintf(stderr, "%s\n", fm_diag_line(diag, i));
		ck_abort_msg("no program of: %.*s", (int)rules.len, rules.b);
	}
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (program);
}

static struct fm_program *
program_of(const char *rules)
{
	return (program_of_text(fm_text_of(rules)));
}

/*
 * From text to a view, every part of it an exact-size piece of the heap: a
 * method, a URL, and on each further line a field.
 */

#define FIELDS_MAX	5000

struct request {
	struct fm_view	view;
	struct fm_field	fields[FIELDS_MAX];
};

static void
request_field(struct request *r, struct fm_text t)
{
	struct fm_field *f = &r->fields[r->view.nfields++];

	ck_assert_uint_lt(r->view.nfields, FIELDS_MAX);
	t = unit_copy(t);
	f->b = t.b;
	f->e = t.b + t.len;
}

static struct request *
request_of(const char *text)
{
	struct request *r = calloc(1, sizeof *r);
	size_t len;

	ck_assert_ptr_nonnull(r);
	r->view.fields = r->fields;
	len = strcspn(text, " \n");
	r->view.method = unit_copy(fm_text(text, len));
	text += len + (text[len] == ' ');
	len = strcspn(text, "\n");
	r->view.url = unit_copy(fm_text(text, len));
	for (text += len; *text == '\n'; text += len) {
		text++;
		len = strcspn(text, "\n");
		request_field(r, fm_text(text, len));
	}
	return (r);
}

static void
request_free(struct request *r)
{
	unsigned i;

	twin_free(r->view.method);
	twin_free(r->view.url);
	for (i = 0; i < r->view.nfields; i++)
		free((void *)(uintptr_t)r->fields[i].b);
	free(r);
}

/*
 * From a result to text: " | " between the new URL, the edits by name, the
 * backend, what was counted, the verdict; "-" for none of these.
 */

static int
edit_compare(const void *va, const void *vb)
{
	const struct fm_edit *a = va, *b = vb;

	return (fm_text_compare(a->name, b->name));
}

static void
print_edits(FILE *to, const struct fm_result *result)
{
	struct fm_edit *edits;
	unsigned i;
	size_t k;

	edits = calloc(result->nedits + 1, sizeof *edits);
	ck_assert_ptr_nonnull(edits);
	if (result->nedits > 0)
		memcpy(edits, result->edits, result->nedits * sizeof *edits);
	qsort(edits, result->nedits, sizeof *edits, edit_compare);
	for (i = 0; i < result->nedits; i++) {
		AGREE(i == 0 || !fm_text_eq_nocase(edits[i - 1].name,
		    edits[i].name), "a name is in two edits");
		for (k = 0; k < edits[i].value.len; k++)
			AGREE(strchr("\r\n", edits[i].value.b[k]) == NULL,
			    "CR, LF or NUL in a value");
		fprintf(to, " | %c%.*s", edits[i].set ? '+' : '-',
		    (int)edits[i].name.len, edits[i].name.b);
		if (edits[i].set)
			fprintf(to, ": %.*s", (int)edits[i].value.len,
			    edits[i].value.b);
	}
	free(edits);
}

static char *
result_text(const struct fm_result *result, const struct fm_program *program)
{
	char *text = NULL, *cut;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(to);
	if (result->url_changed)
		fprintf(to, " | url %.*s", (int)result->url.len,
		    result->url.b);
	print_edits(to, result);
	if (result->backend_set)
		fprintf(to, " | backend %s", fm_program_backend(program,
		    result->backend, NULL));
	if (result->undecided > 0)
		fprintf(to, " | undecided %u", result->undecided);
	if (result->ignored > 0)
		fprintf(to, " | ignored %u", result->ignored);
	if (result->no_memory)
		fprintf(to, " | no memory");
	if (result->verdict != FM_VERDICT_NONE) {
		fprintf(to, " | %s", fm_verdict_word(result->verdict));
		if (result->status > 0)
			fprintf(to, " %u", result->status);
		if (result->text.b != NULL)
			fprintf(to, " %.*s", (int)result->text.len,
			    result->text.b);
	}
	fclose(to);
	cut = strdup(len == 0 ? "-" : text + 3);
	ck_assert_ptr_nonnull(cut);
	free(text);
	return (cut);
}

static struct fm_run run;

static void
check_program(const struct fm_program *program, const char *rules,
    const struct request *r, const char *expect)
{
	const struct fm_result *result;
	char *is;

	result = fm_run(&run, program, &r->view, NULL);
	is = result_text(result, program);
	ck_assert_msg(strcmp(is, expect) == 0,
	    "%s\n%.*s %.*s\n is: %s\nnot: %s", rules,
	    (int)r->view.method.len, r->view.method.b, (int)r->view.url.len,
	    r->view.url.b, is, expect);
	free(is);
	fm_run_end(&run);
}

static void
check_run(const char *rules, const char *request, const char *expect)
{
	struct fm_program *program = program_of(rules);
	struct request *r = request_of(request);

	check_program(program, rules, r, expect);
	request_free(r);
	fm_program_free(&program);
}

struct run_case {
	const char	*rules;		/* NULL: those of the case before */
	const char	*request;
	const char	*expect;
};

static void
check_cases(const struct run_case *c, int n)
{
	struct fm_program *program = NULL;
	const char *rules = NULL;
	struct request *r;

	for (; n > 0; n--, c++) {
		if (c->rules != NULL) {
			if (program != NULL)
				fm_program_free(&program);
			rules = c->rules;
			program = program_of(rules);
		}
		r = request_of(c->request);
		check_program(program, rules, r, c->expect);
		request_free(r);
	}
	fm_program_free(&program);
}

#define CASES(name, ...)						\
	START_TEST(name)						\
	{								\
		static const struct run_case cases[] = { __VA_ARGS__ };	\
									\
		check_cases(cases, COUNT(cases));			\
	}								\
	END_TEST

/* A regex that PCRE2 alone can decide, and is over its limit on this. */
#define COSTLY		"\"^(a+)+(?:$|b(?<=x))\""
#define AAA		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"

/*
 * Statements
 */

CASES(query_keeps_what_is_to_go,
    { "always { query drop utm_* _; }", "GET /a?utm_x=1&b=2&_=3",
    "url /a?b=2" },
    { NULL, "GET /a?b=2", "-" },
    { NULL, "GET /a", "-" },
    { NULL, "GET /?utm_x=1", "url /" },
    { NULL, "GET ?utm_x=1", "url /" },
    { NULL, "GET http://a.example/x?_=1", "url http://a.example/x" },
    { NULL, "GET ", "-" },
    { NULL, "GET /a?ut%6d_x=1&b", "url /a?b" },
    { "always { query keep a b; }", "GET /?x=1&b=2&y&a=1", "url /?b=2&a=1" },
    { "always { query sort; }", "GET /?b=1&a=2&b=0", "url /?a=2&b=1&b=0" },
    { "always { query unique; }", "GET /?a=1&a=2&a=1", "url /?a=1&a=2" },
    { "list l { begins utm_; is x; ends _id; like q*z; }"
    " always { query drop in l; }", "GET /?utm_a&x=1&my_id=2&qrz&y",
    "url /?y" },
    { "list l nocase is { Utm }  always { query keep in l; }",
    "GET /?uTM=1&x", "url /?uTM=1" })

CASES(cookie_keeps_what_is_to_go,
    { "always { cookie keep a c; }", "GET /\nCookie: a=1; b=2; c=3",
    "+Cookie: a=1; c=3" },
    { NULL, "GET /\nCookie: a=1; c=3", "-" },
    { NULL, "GET /\nCookie: b=1", "-Cookie" },
    { NULL, "GET /", "-" },
    { NULL, "GET /\nCookie:", "-Cookie" },
    { NULL, "GET /\nCookie: ; ;", "-Cookie" },
    { NULL, "GET /\nCookie: a=1\nX: y\nCOOKIE: b=2", "+Cookie: a=1" },
    { NULL, "GET /\nCookie: a=1\nCookie: c=2", "-" },
    { "always { cookie drop b; cookie drop a; }",
    "GET /\ncookie: a=1;b=2;c=3", "+Cookie: c=3" },
    { "always { cookie drop a; set Cookie = \"${header.Cookie}\"; }",
    "GET /\nCookie: b=1\nCookie: c=2", "+Cookie: b=1; c=2" })

CASES(set_changes_what_is_right_or_splits,
    { "always { set X-A = one; }", "GET /", "+X-A: one" },
    { NULL, "GET /\nX-A: one", "-" },
    { NULL, "GET /\nx-a:one  ", "-" },
    { NULL, "GET /\nx-a: One", "+X-A: one" },
    { NULL, "GET /\nX-A: one\nX-a: one", "+X-A: one" },
    { "always { set X-A = \"\"; }", "GET /\nX-A: 1\nX-A: 2", "-X-A" },
    { NULL, "GET /\nX-A:", "-X-A" },
    { NULL, "GET /", "-" },
    { "always { set X-A = \"  \"; }", "GET /\nX-A: 1", "-X-A" },
    { "always { set X-A = \" b c \"; }", "GET /\nX-A: b c", "-" },
    /* there and back again */
    { "always { set X-A = 1; unset X-A; }", "GET /", "-" },
    { "always { unset X-A; set X-A = 1; }", "GET /\nX-A: 1", "-" },
    { "always { set X-A = 2; set X-A = 1; }", "GET /\nX-A:  1", "-" },
    { "always { set Host = b.example; set X-H = \"${host}\";"
    " set X-I = \"${header.Host}\"; } host b.example { set X-B = 1; }"
    " host a.example { set X-A = 1; }", "GET /\nHost: A.example:80",
    "+Host: b.example | +X-A: 1 | +X-H: a.example | +X-I: b.example" })

CASES(a_name_is_taken_for_another,
    { "always { set X^y = 1; set A-longer-name-Z = 2; set Nine-byte = 3; }",
    "GET /\nx^Y: 1\na-Longer-Name-z: 2\nnine-BYTE:3", "-" },
    { NULL, "GET /\nx~Y: 1\nA-longer-nama-Z: 2\nNine\rbyte: 3",
    "+A-longer-name-Z: 2 | +Nine-byte: 3 | +X^y: 1" },
    { NULL, "GET /\nX^y : 1\nA-longer-name-: 2\nNine-bytes: 3\nX^y",
    "+A-longer-name-Z: 2 | +Nine-byte: 3 | +X^y: 1" })

CASES(unset_leaves_headers,
    { "always { unset X-A Cookie; }", "GET /\nx-A: 1\nX-A: 2\nB: 3",
    "-X-A" },
    { "always { unset X-*; }", "GET /\nX-A: 1\nX-B: 2\nx-a: 3\nY: 4\nX: 5",
    "-X-A | -X-B" },
    { "always { set X-C = 1; unset X-?; set X-D = \"${header.X-C}\"; }",
    "GET /\nX-C: 0\nX-E: 2", "-X-C | -X-E" },
    { "always { unset X-*; when header X-A present { pass; } }",
    "GET /\nX-A: 1", "-X-A" },
    { "always { unset X-*; set X-A = 2; }", "GET /\nX-A: 1", "+X-A: 2" },
    { "always { unset *; unset *e*; unset h*; unset C*; }",
    "GET /\nHost: a\nContent-Length: 0\nTransfer-Encoding: chunked\n"
    "content-length: 0\nno colon\n: no name\nE: 1", "-E" },
    { "always { unset H*; }", "GET /\nHost : x", "-Host " })

CASES(normalize_is_no_negotiation,
    { "always { normalize Accept-Encoding to br gzip; }",
    "GET /\nAccept-Encoding: gzip, deflate, br", "+Accept-Encoding: br" },
    { NULL, "GET /\nAccept-Encoding: gzip;q=1, br;q=0.5",
    "+Accept-Encoding: gzip" },
    { NULL, "GET /\nAccept-Encoding: gzip", "-" },
    { NULL, "GET /\nAccept-Encoding: deflate", "-Accept-Encoding" },
    { NULL, "GET /\nAccept-Encoding:", "-Accept-Encoding" },
    { NULL, "GET /", "-" },
    { NULL, "GET /\naccept-encoding: deflate\nAccept-encoding: br;q=0.1",
    "+Accept-Encoding: br" },
    { "always { normalize Accept-Language to de en else \"${method}\"; }",
    "GET /\nAccept-Language: fr", "+Accept-Language: GET" },
    { NULL, "GET /", "-" },
    { NULL, "GET /\nAccept-Language: en-GB", "+Accept-Language: en" })

CASES(rewrite_is_no_regsub,
    { "always { rewrite ~ \"^/old/(.*)$\" to \"/new/\\1?x\"; }",
    "GET /old/a", "url /new/a?x" },
    { NULL, "GET /new/a", "-" },
    { NULL, "GET /old/a b\tc\177d", "url /new/abcd?x" },
    { "always { rewrite ~ \"a\" to \"b\"; }", "GET /aaa", "url /baa" },
    { "always { rewrite all ~ \"a\" to \"b\"; }", "GET /aaa", "url /bbb" },
    { "always { rewrite all ~ \"[?&]a=[^&]*\" to \"\"; }",
	"GET /?a=1&b=2&a=3", "url /&b=2" },
    { "always { rewrite all ~ \"(.)\" to \"\\1\\1\\1\\1\"; }", "GET /xy",
	"url ////xxxxyyyy" },
    { "always { rewrite all ~ \"^/\" to \"/a\"; }", "GET //b", "url /a/b" },
    { "always { rewrite all ~ \"x*\" to \"-\"; }", "GET /x", "url -/-" },
    { "always { rewrite ~ \".*\" to \"\"; }", "GET /x", "url /" },
    { NULL, "GET /", "-" },
    { "always { rewrite ~ \"x\" to \"y\"; rewrite ~ \"y\" to \"x\"; }",
    "GET /x", "-" },
    { "always { rewrite ~ \"^(.)(.*)$\" to \"\\1\\2\\2\\2\\2\\2\\2\\2\\2\\2"
    "\\2\\2\\2\\2\\2\\2\\2\\2\\2\\2\\2\\2\"; }", "GET /0123456789",
    "url /0123456789012345678901234567890123456789012345678901234567890123"
    "456789012345678901234567890123456789012345678901234567890123456789012"
    "345678901234567890123456789012345678901234567890123456789012345678901"
    "23456789" },
    { "always { rewrite ~ " COSTLY " to \"/x\"; }", "GET " AAA, "undecided 1" })

CASES(verdicts_do_not_end_the_run,
    { "always { pass; } host a { pipe; }", "GET /\nHost: a", "pass" },
    { "always { pipe; }", "GET /", "pipe" },
    { "always { hash; }", "GET /", "hash" },
    { "always { synth 404; }", "GET /", "synth 404" },
    { "always { synth 599 \"no such\"; }", "GET /", "synth 599 no such" },
    { "always { redirect 301 /x; }", "GET /", "redirect 301 /x" },
    { "always { redirect 302 \"${header.X}\"; set Y = 1; }", "GET /",
    "+Y: 1" },
    { NULL, "GET /\nX:  ", "+Y: 1" },
    { NULL, "GET /\nX: /a", "redirect 302 /a" },
    { "always { backend b; backend c; }", "GET /", "backend c" },
    { "always { when method is GET { when path is / { stop; } set A = 1; }"
    " set B = 1; } host a { set C = 1; when path is / { stop; } set D = 1; }",
    "GET /\nHost: a", "+C: 1" },
    { NULL, "GET /x\nHost: a", "+A: 1 | +B: 1 | +C: 1 | +D: 1" },
    { NULL, "PUT /x\nHost: b", "+B: 1" })

/*
 * Sites
 */

CASES(another_host_is_found,
    { "ruleset r { set R = \"${ruleset}\"; set W = \"${wild}\"; }"
    " host a.example { set S = \"${ruleset}\"; }"
    " host *.b.example www.* use r;"
    " default { set D = \"${ruleset}\"; set H = \"${host}\"; }",
    "GET /\nHost: A.Example.:443", "+S: a.example" },
    { NULL, "GET /\nHost: x.y.b.example", "+R: r | +W: x.y" },
    { NULL, "GET /\nHost: www.net", "+R: r | +W: net" },
    { NULL, "GET /\nHost: c", "+D: default | +H: c" },
    { NULL, "GET /\nHost: c/d", "+D: default" },
    { NULL, "GET /\nHost: ", "+D: default" },
    { NULL, "GET /", "+D: default" },
    { NULL, "GET /\nHost : a.example", "+D: default" },
    { NULL, "GET /\nHosts: a.example\nHost:a.example\nHost: c",
    "+S: a.example" },
    { "always { set A = \"<${ruleset}${wild}>\"; } host * { pass; }",
    "GET /\nHost: x", "+A: <*x> | pass" },
    { NULL, "GET /\nHost: x y", "+A: <>" })

/*
 * Tests
 */

CASES(a_subject_is_another,
    { "always { when url is http://a.example/p?q { set A = 1; }"
    " when path is /p { set B = 1; } when host is A.Example. { set C = 1; }"
    " when method is GET { set D = 1; } when agent is x { set E = 1; }"
    " when query q is 1 { set F = 1; } when cookie c is 1 { set G = 1; }"
    " when header H is 1 { set I = 1; } }",
    "GET http://a.example/p?q\nHost: a.example:80\nUser-Agent: x",
    "+A: 1 | +B: 1 | +C: 1 | +D: 1 | +E: 1" },
    { NULL, "PUT /p?q=1&q=2\nCookie: c=1; c=2\nH: 1\nH: 2",
    "+B: 1 | +F: 1 | +G: 1 | +I: 1" },
    { "always { when path is / { set A = 1; } }", "GET http://h", "+A: 1" },
    { NULL, "GET http://h?x", "+A: 1" },
    { NULL, "GET http:/h", "-" },
    { NULL, "GET *", "-" },
    { "always { when query a:b is x%20y { pass; } }",
    "GET /?a%3ab=x%20y", "pass" },
    { "always { when header Accept is \"a, b\" { pass; } }",
    "GET /\nAccept: a\naccept: b", "pass" },
    { "always { when header Cookie is \"a=1; b=2\" and cookie b is 2"
    " { pass; } }", "GET /\nCookie: a=1\ncookie: b=2", "pass" })

CASES(a_mode_is_another,
    { "always { when path is /a { set A = 1; } when path begins /b c"
    " { set B = 1; } when path ends .c { set C = 1; } when path contains dd"
    " { set D = 1; } when path like \"/e*?\" { set E = 1; }"
    " when path ~ \"^/f+$\" { set F = 1; } }", "GET /a", "+A: 1" },
    { NULL, "GET /b", "+B: 1" },
    { NULL, "GET cb", "+B: 1" },
    { NULL, "GET /b.c", "+B: 1 | +C: 1" },
    { NULL, "GET /add", "+D: 1" },
    { NULL, "GET /e", "-" },
    { NULL, "GET /edd/", "+D: 1 | +E: 1" },
    { NULL, "GET /fff", "+F: 1" },
    { NULL, "GET /A", "-" },
    { "always { when path nocase is /a /b { set A = 1; } when path nocase"
    " contains xyz { set B = 1; } when path nocase ends Q { set C = 1; } }",
    "GET /B", "+A: 1" },
    { NULL, "GET /xYzq", "+B: 1 | +C: 1" },
    { "list l nocase { is /a; ends .Jpg; ~ \"x[0-9]\"; } always"
    " { when path in l { pass; } }", "GET /X7", "pass" },
    { NULL, "GET /b.JPG", "pass" },
    { NULL, "GET /ab", "-" })

CASES(logic_is_wrong,
    { "always { when path is /a or path is /b and method is GET"
    " { set A = 1; } else when path is /b { set B = 1; } else"
    " { set C = 1; } }", "PUT /a", "+A: 1" },
    { NULL, "PUT /b", "+B: 1" },
    { NULL, "GET /b", "+A: 1" },
    { NULL, "GET /c", "+C: 1" },
    { "always { when not (path is /a or header X present) { pass; } }",
    "GET /b", "pass" },
    { NULL, "GET /b\nX:", "-" },
    { NULL, "GET /a", "-" },
    { "always { when not header X is 1 { pass; } }", "GET /", "pass" },
    { "always { when header X is \"\" { pass; } }", "GET /\nX:", "pass" },
    { NULL, "GET /", "-" },
    { "always { when query a present { set A = 1; } when cookie b present"
    " { set B = 1; } when host present { set C = 1; } }",
    "GET /?x&a\nCookie: b", "+A: 1 | +B: 1" },
    { NULL, "GET /?aa=a\nCookie: bb=b\nHost: x", "+C: 1" },
    /* what comes first is seen by what follows */
    { "always { query drop a; when query a present { pass; } rewrite ~ \"x\" to"
    " \"y\"; when path is /y { set X = 1; } set X = \"\"; when header X present"
    " { pass; } cookie drop c; when cookie c present { pass; } }",
    "GET /x?a=1\nX: 1\nCookie: c=1", "url /y | -Cookie | -X" })

START_TEST(a_client_is_another)
{
	struct fm_program *program = program_of("list nets is { 192.0.2.0/24 "
	    "2001:db8::/32 } always { when client in nets { set A = 1; } "
	    "when not client in 10.0.0.0/8 { set B = 1; } }");
	struct request *r = request_of("GET /");

	ck_assert(fm_program_wants_client(program));
	check_program(program, "no address", r, "+B: 1");
	ck_assert(fm_addr_parse(fm_text_of("192.0.2.7"), &r->view.client));
	check_program(program, "list", r, "+A: 1 | +B: 1");
	ck_assert(fm_addr_parse(fm_text_of("10.1.1.1"), &r->view.client));
	check_program(program, "operand", r, "-");
	ck_assert(fm_addr_parse(fm_text_of("2001:db8::1"), &r->view.client));
	check_program(program, "IPv6", r, "+A: 1 | +B: 1");
	request_free(r);
	fm_program_free(&program);
}
END_TEST

/*
 * Values
 */

CASES(a_value_is_another,
    { "always { set A = \"${url} ${path} ${query}\"; }", "GET /a/b?c=1",
    "+A: /a/b?c=1 /a/b c=1" },
    { NULL, "GET /a", "+A: /a /a" },
    { NULL, "GET http://h/a?b", "+A: /a?b /a b" },
    { NULL, "GET http://h?b", "+A: /?b / b" },
    { NULL, "GET https://h", "+A: / /" },
    { NULL, "GET *", "+A: /* /*" },
    { NULL, "GET @evil.example/", "+A: /@evil.example/ /@evil.example/" },
    { NULL, "GET ?x", "+A: /?x / x" },
    { NULL, "GET ", "+A: / /" },
    { "always { set A = \"${method}-${host}-${ruleset}-${header.X}-${cookie.c}"
    "-${query.q}\"; } host a.b { }", "GET /?q=%201\nHost: A.b\nX: 1 \nX: 2\n"
    "Cookie: b; c= 3 ", "+A: GET-a.b-a.b-1-3-%201" },
    { NULL, "GET /", "+A: GET-----" },
    { "always { query drop a; set A = \"${url}\"; }", "GET /?a&b",
    "url /?b | +A: /?b" },
    { "always { set A = \"${header.Accept-Language}\"; }",
    "GET /\nAccept-Language: de\nAccept-Language: en", "+A: de, en" })

CASES(a_group_is_another,
    { "always { when path ~ \"^/([a-z]+)/([0-9]+)?\" { set A = \"${1}-${2}\";"
    " } }", "GET /ab/12", "+A: ab-12" },
    { NULL, "GET /ab/", "+A: ab-" },
    /* of the leftmost that is true, tested or not */
    { "always { when method is GET or path ~ \"^/(.)\" or url ~ \"(.)$\""
    " { set A = \"${1}\"; } }", "GET /xy", "+A: x" },
    { "always { when (path ~ \"^/(b)\" and method is PUT) or path ~ \"(.)$\""
    " { set A = \"${1}\"; } }", "GET /xy", "+A: y" },
    { NULL, "GET /by", "+A: b" },
    { "always { when path ~ \"x(1)\" \"(a)\" { set A = \"${1}\"; } }", "GET /a",
    "+A: a" },
    /* the nearest when that has a regex */
    { "always { when path ~ \"/(.)\" { when method is GET { set A = \"${1}\"; }"
    " when url ~ \"(.)$\" { set B = \"${1}\"; } set C = \"${1}\"; } }",
    "GET /xy",
    "+A: x | +B: y | +C: x" },
    { "always { when path ~ \"/(x)\" or method is GET { set A = \"<${1}>\"; }"
    " }", "GET /y", "+A: <>" },
    { "always { when host ~ \"^([a-z-]+)[.]wiki$\" and not path ~ \"(.)\""
    " { set A = \"${1}\"; } }", "GET \nHost: de.wiki", "+A: de" },
    /* of the request as it was then */
    { "always { when path ~ \"/(.)\" { rewrite ~ \"x\" to \"z\";"
    " set A = \"${1}\"; } }",
    "GET /x", "url /z | +A: x" })

#define DEVICE								\
	"map device nocase {\n"						\
	" contains bingbot and contains iphone -> mobile-bot;\n"	\
	" not contains mozilla and not is x -> odd;\n"			\
	" contains ipad -> tablet-ipad;\n"				\
	" ~ \"android.*(mobile|mini)\" -> \"m-${method}\";\n"		\
	" contains android and not contains tv -> tablet-android;\n"	\
	" default pc;\n }\n"						\
	"always { set D = device(agent); }"

CASES(a_map_takes_another_line,
    { DEVICE, "GET /", "+D: pc" },
    { NULL, "GET /\nUser-Agent: Mozilla", "+D: pc" },
    { NULL, "GET /\nUser-Agent: curl", "+D: odd" },
    { NULL, "GET /\nUser-Agent: X", "+D: pc" },
    { NULL, "GET /\nUser-Agent: iPhone BingBot", "+D: mobile-bot" },
    { NULL, "GET /\nUser-Agent: Mozilla iPad Android", "+D: tablet-ipad" },
    { NULL, "GET /\nUser-Agent: Mozilla Android Mini", "+D: m-GET" },
    { NULL, "GET /\nUser-Agent: Mozilla Android", "+D: tablet-android" },
    { NULL, "GET /\nUser-Agent: Mozilla Android TV", "+D: pc" },
    { "map m { is a -> 1; } always { set D = m(header X); }",
    "GET /\nX: b\nD: 1", "-D" },
    { NULL, "GET /\nX: a\nD: 1", "-" },
    { "map m { ~ " COSTLY " -> 1; begins a -> 2; default 3; }"
    " always { set D = m(path); }", "GET " AAA, "+D: 2 | undecided 1" },
    { "map m { not ~ " COSTLY " -> 1; default 3; }"
    " always { set D = m(path); }", "GET " AAA, "+D: 3 | undecided 1" })

START_TEST(a_large_map_takes_another_line)
{
	char *rules = NULL;
	struct fm_program *program;
	struct request *r;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	unsigned i;
	static const struct run_case cases[] = {
		{ NULL, "GET /\nX: k1", "+A: 1 | +B: 1" },
		{ NULL, "GET /\nX: k2999", "+A: 2999 | +B: 2999" },
		{ NULL, "GET /\nX: k3000", "+A: no | +B: no" },
		{ NULL, "GET /", "+A: no | +B: no" },
		{ NULL, "GET /\nX: two x", "+A: two | +B: two" },
		{ NULL, "GET /\nX: two xy", "+A: x | +B: x" },
		{ NULL, "GET /\nX: " AAA "x", "+A: x | +B: x | undecided 2" },
	};

	fprintf(to, "map m { contains two and not ends y -> two;"
	    " ~ \"^(a+)+(?:[bx]$|b(?<=x))\" -> costly;");
	for (i = 0; i < 3000; i++)
		fprintf(to, " is k%u -> %u;", i, i);
	fprintf(to, " contains x -> x; default no; } always"
	    " { set A = m(header X); set B = m(header X); }");
	fclose(to);
	program = program_of(rules);
	for (i = 0; i < (unsigned)COUNT(cases); i++) {
		r = request_of(cases[i].request);
		check_program(program, "large map", r, cases[i].expect);
		request_free(r);
	}
	fm_program_free(&program);
	free(rules);
}
END_TEST

CASES(a_redirect_leads_to_another_host,
    { "always { redirect 302 \"${url}\"; }", "GET //evil.example/",
    "redirect 302 /evil.example/" },
    { NULL, "GET /\\evil.example", "redirect 302 /evil.example" },
    { NULL, "GET \\evil.example", "redirect 302 /evil.example" },
    { NULL, "GET /\t/evil.example", "redirect 302 /evil.example" },
    { NULL, "GET ///x//y", "redirect 302 /x//y" },
    { NULL, "GET /x//y", "redirect 302 /x//y" },
    { "always { redirect 302 \"/${path}\"; }", "GET /x", "redirect 302 /x" },
    { "always { redirect 302 \"//m.example${url}\"; }", "GET //x",
    "redirect 302 //m.example//x" },
    { "always { redirect 302 \"${header.X}\"; }", "GET /\nX: //x",
    "redirect 302 /x" },
    { "map m { is / -> \"//m.example${path}\"; default \"${path}\"; }"
    " always { redirect 302 m(path); }", "GET /", "redirect 302 //m.example/" },
    { NULL, "GET //x", "redirect 302 /x" })

START_TEST(a_client_splits_a_value)
{
	static const char rules[] = "always { set A = \"${url}\"; set B = "
	    "\"x${header.X}y\"; set C = \"${cookie.c}\"; set E ="
	    " \"${header.X}\";"
	    " when header X ~ \"(?s)(.*)\" { set D = \"${1}\"; }"
	    " cookie drop z; redirect 302 \"http://h/${header.X}\"; }";
	struct fm_program *program = program_of(rules);
	struct request *r = request_of("GET /");

	twin_free(r->view.url);
	r->view.url = unit_copy(fm_text("/\r\nA: b\0", 8));
	request_field(r, fm_text("X: \r\n1\0\r2\r", 11));
	request_field(r, fm_text("Cookie: z=1; c=\n\r\0;", 19));
	check_program(program, rules, r, "+A: /A: b | +B: x12y | "
	    "+Cookie: c= | +D: 12 | +E: 12 | redirect 302 http://h/12");
	request_free(r);
	fm_program_free(&program);
}
END_TEST

/*
 * Undecided, ESI
 */

CASES(what_is_undecided_denies_or_grants,
    { "always { when path ~ " COSTLY " { set A = 1; } else { set B = 1; } }",
    "GET " AAA, "+B: 1 | undecided 1" },
    { "always { when not path ~ " COSTLY " { set A = 1; } }", "GET " AAA,
    "undecided 1" },
    { "always { when path ~ " COSTLY " or method is GET { set A = 1; } }",
    "GET " AAA, "+A: 1" },
    { NULL, "PUT " AAA, "undecided 1" },
    { "always { when not (url ~ " COSTLY " and url contains x)"
    " { set A = 1; } }", "GET " AAA, "+A: 1" },
    { "always { when path ~ " COSTLY " \"b$\" { set A = 1; } }", "GET " AAA,
    "+A: 1" },
    { "list l { ~ " COSTLY "; contains y; } always { when path in l"
    " { set A = 1; } else { set B = 1; } }", "GET " AAA,
    "+B: 1 | undecided 1" },
    { NULL, "GET " AAA "y", "+A: 1" },
    { "undecided synth 400 \"no\"; always { set A = 1; when path ~ " COSTLY
    " { set B = 1; } set C = 1; }", "GET " AAA,
    "+A: 1 | undecided 1 | synth 400 no" },
    { NULL, "GET /", "+A: 1 | +C: 1" },
    { "undecided synth 400; map m { ~ " COSTLY " -> 1; } always"
    " { set A = m(path); set B = 1; }", "GET " AAA,
    "undecided 1 | synth 400" },
    { "undecided synth 400; always { rewrite ~ " COSTLY " to \"y\";"
    " set B = 1; }", "GET " AAA, "undecided 1 | synth 400" },
    { "undecided ignore; always { rewrite ~ " COSTLY " to \"y\"; set B = 1; }",
    "GET " AAA, "+B: 1 | undecided 1" })

START_TEST(costly_regexes_are_asked_for_ever)
{
	struct fm_program *program = program_of("always {"
	    " when path ~ " COSTLY " { pass; }"
	    " when path ~ " COSTLY " { pass; }"
	    " when path ~ \"^(a+)+(?:[cx]$|b(?<=x))\" { pass; }"
	    " when path ~ \"^(a+)+(?:[dx]$|b(?<=x))\" { pass; }"
	    " when path ~ \"^(a+)+(?:[ex]$|b(?<=x))\" { pass; }"
	    " when path ~ \"^(a+)+(?:[fx]$|b(?<=x))\" { pass; }"
	    " when path ~ \"^(a+)+(?:[gx]$|b(?<=x))\" { pass; } }");
	struct request *r = request_of("GET " AAA);
	const struct fm_result *result;

	result = fm_run(&run, program, &r->view, NULL);
	ck_assert_uint_eq(result->undecided, 7);
	ck_assert_uint_eq(result->tally.over_limit, FM_LIMIT_REGEXES);
	ck_assert_uint_eq(result->tally.unasked, 2);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
}
END_TEST

START_TEST(one_costly_regex_counts_twice)
{
	struct fm_program *program = program_of("always {"
	    " when path ~ " COSTLY " \"^(a).*b\" { set A = \"${1}\"; }"
	    " when not path ~ " COSTLY " { pass; } }");
	struct request *r = request_of("GET " AAA);
	const struct fm_result *result;

	result = fm_run(&run, program, &r->view, NULL);
	ck_assert_uint_eq(result->undecided, 1);
	ck_assert_uint_eq(result->nedits, 1);
	unit_assert_text(result->edits[0].value, "a");
	ck_assert_uint_le(result->tally.over_limit, 2);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
}
END_TEST

START_TEST(a_part_of_a_page_is_redirected)
{
	struct fm_program *program = program_of("undecided synth 400; always {"
	    " redirect 302 /x; synth 404; set A = 1;"
	    " when path ~ " COSTLY " { set B = 1; } pass; }");
	struct request *r = request_of("GET " AAA);

	r->view.esi = true;
	check_program(program, "esi", r,
	    "+A: 1 | undecided 1 | ignored 3 | pass");
	r->view.esi = false;
	check_program(program, "no esi", r, "redirect 302 /x");
	request_free(r);
	fm_program_free(&program);
}
END_TEST

/*
 * Scans
 */

static unsigned
scans_of(const char *rules, const char *request)
{
	struct fm_program *program = program_of(rules);
	struct request *r = request_of(request);
	unsigned scans;

	scans = fm_run(&run, program, &r->view, NULL)->tally.scans;
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
	return (scans);
}

#define AGENTS								\
	"list mobile contains { iPhone Android BlackBerry Nokia Bada }"	\
	" list bots contains { Googlebot bingbot Slurp Baidu Yandex } "

START_TEST(a_subject_is_scanned_without_need)
{
	/* a cheap test decides, wherever it stands */
	ck_assert_uint_eq(scans_of(AGENTS "always { when agent in mobile and"
	    " path is /x { pass; } }", "GET /\nUser-Agent: iPhone"), 0);
	ck_assert_uint_eq(scans_of(AGENTS "always { when agent in mobile or"
	    " path is / { pass; } }", "GET /\nUser-Agent: iPhone"), 0);
	/* the subject is not there */
	ck_assert_uint_eq(scans_of(AGENTS "always { when agent in mobile"
	    " { pass; } }", "GET /"), 0);
	ck_assert_uint_eq(scans_of(AGENTS "always { when agent in mobile"
	    " { pass; } }", "GET /\nUser-Agent: x"), 1);
	/* asked twice, in two blocks */
	ck_assert_uint_eq(scans_of(AGENTS "always { when agent in mobile {"
	    " set A = 1; } } host h { when not agent in mobile { pass; } }",
	    "GET /\nHost: h\nUser-Agent: x"), 1);
	/* several tests of one subject */
	ck_assert_uint_eq(scans_of("always { when agent contains ax bx {"
	    " set A = 1; } when agent contains cx dx { set A = 2; }"
	    " when agent ~ eefg ffgh { set A = 3; } }",
	    "GET /\nUser-Agent: x"), 1);
}
END_TEST

#define SHARING	AGENTS							\
	"list office is { one two three four five six seven eight nine }" \
	" map device { contains iPad Kindle -> tablet;"			\
	" contains Nexus -> phone; default none; } "

START_TEST(a_subject_is_scanned_twice)
{
	static const char all[] = SHARING "always { when agent in mobile {"
	    " set A = 1; } when agent contains opera mini { set B = 1; } }"
	    " host h { when agent in bots { set C = 1; }"
	    " set D = device(agent); }";

	/* two lists, a map, and words of always: of each request one */
	ck_assert_uint_eq(scans_of(all, "GET /\nHost: h\nUser-Agent: x"), 1);
	ck_assert_uint_eq(scans_of(all, "GET /\nHost: h\nUser-Agent: "
	    "iPhone bingbot Kindle opera"), 1);
	ck_assert_uint_eq(scans_of(all, "GET /\nUser-Agent: iPhone"), 1);
	/* no test that runs asks for it */
	ck_assert_uint_eq(scans_of(all, "GET /\nHost: h"), 0);
	ck_assert_uint_eq(scans_of(SHARING "always { when path is /x and"
	    " (agent in mobile or agent in bots) { set A = 1; }"
	    " when path is /x { set D = device(agent); } }",
	    "GET /\nUser-Agent: iPhone"), 0);
	/* strings that are compared whole need none */
	ck_assert_uint_eq(scans_of(SHARING "always { when agent in office {"
	    " set A = 1; } } host h { when agent in mobile or agent in bots {"
	    " set B = 1; } }", "GET /\nUser-Agent: one"), 0);
	/* another subject is another scan */
	ck_assert_uint_eq(scans_of(SHARING "always { when agent in mobile or"
	    " agent in bots or url in mobile or url in bots { set A = 1; } }",
	    "GET /\nUser-Agent: x"), 2);
	/* an edit makes it another text */
	ck_assert_uint_eq(scans_of(SHARING "always { when agent in mobile {"
	    " set User-Agent = y; } set D = device(agent); }",
	    "GET /\nUser-Agent: iPhone"), 2);
}
END_TEST

START_TEST(what_is_asked_in_one_scan_is_mixed_up)
{
	static const char rules[] = SHARING
	    "map first { not contains Kindle -> plain; ~ \"K.n\" -> kin; }"
	    "always { when agent in mobile { set A = mobile; }"
	    " when agent ~ \"(Sl|Sn)urp\" { set B = \"${1}\"; }"
	    " set D = device(agent); set E = first(agent); }"
	    " host h { when agent in bots { set C = bot; } }";
	static const struct {
		const char	*agent;
		const char	*edits;
	} cases[] = {
		{ "x", "+D: none | +E: plain" },
		{ "Nokia", "+A: mobile | +D: none | +E: plain" },
		{ "Slurp", "+B: Sl | +C: bot | +D: none | +E: plain" },
		{ "Snurp Nexus", "+B: Sn | +D: phone | +E: plain" },
		{ "Nexus Kindle", "+D: tablet | +E: kin" },
		{ "iPhone Baidu iPad", "+A: mobile | +C: bot | +D: tablet"
		    " | +E: plain" },
	};
	struct fm_program *program = program_of(rules);
	struct request *r;
	char text[100];
	unsigned i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(text, sizeof text, "GET /\nHost: h\nUser-Agent: %s",
		    cases[i].agent);
		r = request_of(text);
		check_program(program, cases[i].agent, r, cases[i].edits);
		request_free(r);
	}
	fm_program_free(&program);
}
END_TEST

#define LINES		1000

/* A map of so many lines, and a header with the words of n of them. */
static struct fm_program *
lines_program(const char *line)
{
	static char rules[LINES * 64 + 200];
	size_t len = (size_t)sprintf(rules, "map m { ");
	unsigned i;

	for (i = 0; i < LINES; i++)
		len += (size_t)snprintf(rules + len, sizeof rules - len, line,
		    i, i);
	snprintf(rules + len, sizeof rules - len, " default b; }"
	    " always { set A = m(header X); }");
	return (program_of(rules));
}

static void
check_lines(const struct fm_program *program, const char *lead, unsigned n,
    const char *end, const char *what)
{
	static char text[LINES * 8 + 100];
	size_t len = (size_t)snprintf(text, sizeof text, "GET /\nX: %s", lead);
	struct request *r;
	unsigned i;

	for (i = 0; i < n; i++)
		len += (size_t)sprintf(text + len, "w%03u", LINES - 1 - i);
	strcpy(text + len, end);
	r = request_of(text);
	check_program(program, what, r, what);
	request_free(r);
}

/*
 * Lines that ask for several things: what leads to all of them, and denies
 * each, is undecided; what leads to some is decided.
 */
START_TEST(a_map_has_no_end_of_turns)
{
	static const struct {
		const char	*line, *lead, *end, *all, *some;
	} cases[] = {
		/* The one that few ask for leads to a line. */
		{ "contains foo and contains w%03u! -> a%u; ", "foo", "!",
		  "+A: a0", "+A: a990" },
		{ "contains foo and contains w%03u -> a%u; ", "bar", "",
		  "+A: b | undecided 1", "+A: b" },
		{ "begins shop and ends w%03u -> a%u; ", "shop", "",
		  "+A: a0", "+A: a990" },
		{ "contains w%03u and not contains bot -> a%u; ", "bot", "",
		  "+A: b | undecided 1", "+A: b" },
		{ "contains w%03u and not contains bot -> a%u; ", "", "",
		  "+A: a0", "+A: a990" },
		{ "contains x w%03u and contains w%03u! -> a; ", "x", "",
		  "+A: b", "+A: b" },
		/* The first one asks for nothing that is there. */
		{ "not contains w%03u -> a%u; ", "", "",
		  "+A: b | undecided 1", "+A: a0" },
		{ "not contains w%03u and not contains foo -> a%u; ", "foo",
		  "", "+A: b | undecided 1", "+A: b | undecided 1" },
	};
	struct fm_program *program = lines_program(cases[_i].line);

	check_lines(program, cases[_i].lead, LINES, cases[_i].end,
	    cases[_i].all);
	check_lines(program, cases[_i].lead, 10, cases[_i].end,
	    cases[_i].some);
	fm_program_free(&program);
}
END_TEST

/* So many that they are scanned for. */
#define WORDS	"abc bcd cde def efg"

START_TEST(an_edit_leaves_what_a_scan_found)
{
	static const char path[] = "always { when url contains " WORDS " {"
	    " set A = 1; } rewrite ~ \"abc\" to \"x\"; when url contains "
	    WORDS " { set B = 1; } }";
	static const char agent[] = AGENTS "always { when agent in mobile {"
	    " set A = 1; } unset User-*; when agent in mobile { set B = 1; }"
	    " set User-Agent = Nokia; when agent in mobile { set C = 1; } }";
	static const char cookie[] = "always { when cookie c contains " WORDS
	    " { set A = 1; } cookie drop d; when cookie c contains " WORDS
	    " { set B = 1; } cookie drop c; when cookie c contains " WORDS
	    " { set C = 1; } }";
	static const char query[] = "always { when query c contains " WORDS
	    " { set A = 1; } query drop c; when query c contains " WORDS
	    " { set B = 1; } }";
	static const char map[] = "map m { contains abc -> 1; contains bcd ->"
	    " 2; contains cde def efg -> 3; } always { set A = m(header X);"
	    " set X = bcd; set B = m(header X); }";

	check_run(path, "GET /abc", "url /x | +A: 1");
	check_run(path, "GET /bcd", "+A: 1 | +B: 1");
	check_run(agent, "GET /\nUser-Agent: Android",
	    "+A: 1 | +C: 1 | +User-Agent: Nokia");
	check_run(cookie, "GET /\nCookie: d; c=abc",
	    "+A: 1 | +B: 1 | -Cookie");
	check_run(query, "GET /?c=abc", "url / | +A: 1");
	check_run(map, "GET /\nX: abc", "+A: 1 | +B: 2 | +X: bcd");
	ck_assert_uint_eq(scans_of(map, "GET /\nX: bcd"), 1);
	ck_assert_uint_eq(scans_of(path, "GET /bcd"), 1);
	ck_assert_uint_eq(scans_of(path, "GET /abc"), 2);
	ck_assert_uint_eq(scans_of(cookie, "GET /\nCookie: c=x"), 1);
	ck_assert_uint_eq(scans_of(query, "GET /?c=abc"), 1);
}
END_TEST

/*
 * A few texts: what their first and last bytes rule out is what a plain loop
 * rules out.
 */

#define TEXTS		36
#define TEXT_BYTES	"aAbBzZ_.0/@`[{\300\340\377"

struct texts {
	enum fm_pattern_kind	mode;
	bool			nocase;
	bool			negated;
	unsigned		n;
	char			texts[TEXTS][8];
};

static void
texts_make(struct texts *t)
{
	static const enum fm_pattern_kind modes[] = { FM_PATTERN_EXACT,
	    FM_PATTERN_PREFIX, FM_PATTERN_SUFFIX, FM_PATTERN_GLOB };
	struct fm_text text;
	unsigned i;

	t->mode = modes[unit_below(4)];
	t->nocase = unit_below(2);
	t->negated = unit_below(4) == 0;
	t->n = 1 + unit_below(unit_below(3) ? 5 : TEXTS);
	for (i = 0; i < t->n; i++) {
		do {
			text = twin_random(t->texts[i], unit_below(2) ? 2 : 7,
			    TEXT_BYTES);
			t->texts[i][text.len] = '\0';
			if (t->mode == FM_PATTERN_GLOB && text.len > 0 &&
			    unit_below(4))
				t->texts[i][unit_below((unsigned)text.len)] =
				    "*?"[unit_below(2)];
			/* The last one decides how it may end. */
			if (t->mode == FM_PATTERN_GLOB && text.len > 0 &&
			    unit_below(4) == 0)
				t->texts[i][text.len - 1] =
				    "*?"[unit_below(2)];
		} while ((text.len == 0 && (t->mode == FM_PATTERN_PREFIX ||
		    t->mode == FM_PATTERN_SUFFIX)));
	}
}

static struct fm_program *
texts_program(const struct texts *t)
{
	static const char * const words[] = { [FM_PATTERN_EXACT] = "is",
	    [FM_PATTERN_PREFIX] = "begins", [FM_PATTERN_SUFFIX] = "ends",
	    [FM_PATTERN_GLOB] = "like" };
	static const char * const subjects[] = { "url", "header X" };
	struct fm_program *p;
	char *rules = NULL;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	unsigned i, k;

	fprintf(to, "always {");
	for (i = 0; i < 2; i++) {
		fprintf(to, " when %s%s%s %s", t->negated ? "not " : "",
		    subjects[i], t->nocase ? " nocase" : "", words[t->mode]);
		for (k = 0; k < t->n; k++)
			fprintf(to, " \"%s\"", t->texts[k]);
		fprintf(to, " { set %c = 1; }", 'A' + i);
	}
	fprintf(to, " }");
	fclose(to);
	p = program_of_text(fm_text(rules, len));
	free(rules);
	return (p);
}

static struct fm_text
lowered(struct fm_text t, char *buf)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		buf[i] = (char)fm_lower((unsigned char)t.b[i]);
	return (fm_text(buf, t.len));
}

static bool
twin_texts(const struct texts *t, struct fm_text s)
{
	struct fm_text text;
	char a[64], b[64];
	bool hit = false;
	unsigned i;

	for (i = 0; i < t->n && s.b != NULL; i++) {
		text = fm_text_of(t->texts[i]);
		if (t->nocase) {
			text = lowered(text, a);
			s = lowered(s, b);
		}
		if (t->mode == FM_PATTERN_GLOB)
			hit |= twin_glob(text, s);
		else if (text.len <= s.len)
			hit |= (t->mode != FM_PATTERN_EXACT ||
			    text.len == s.len) && memcmp(text.b, s.b +
			    (t->mode == FM_PATTERN_SUFFIX ? s.len - text.len :
			    0), text.len) == 0;
	}
	return (hit != t->negated);
}

/* Mostly one of the texts, or next to one. */
static struct fm_text
texts_subject(const struct texts *t, char *buf)
{
	const char *text = t->texts[unit_below(t->n)];
	struct fm_text s;
	size_t at;

	if (unit_below(4) == 0)
		return (twin_random(buf, 8, TEXT_BYTES));
	s = fm_text(buf, (size_t)sprintf(buf, "%s%s%s", unit_below(4) ? "" :
	    "b", text, unit_below(4) ? "" : "Z"));
	for (at = 0; at < s.len; at++)
		if (buf[at] == '*' || buf[at] == '?')
			buf[at] = TEXT_BYTES[unit_below(
			    sizeof TEXT_BYTES - 1)];
	if (s.len > 0 && unit_below(2))
		buf[unit_below((unsigned)s.len)] ^= 0x20;
	if (s.len > 0 && unit_below(8) == 0)
		buf[unit_below(2) ? 0 : s.len - 1] = '\0';
	return (s);
}

/* Returns whether the URL fits. */
static bool
check_texts(const struct texts *t, const struct fm_program *p,
    struct fm_text s)
{
	struct request *r = request_of("");
	struct fm_text header = fm_text(NULL, 0);
	const struct fm_result *result;
	char field[64] = "X:";
	bool want[2], is[2] = { false, false };
	unsigned i;

	twin_free(r->view.url);
	r->view.url = unit_copy(s);
	if (s.len == 0 || unit_below(4)) {
		memcpy(field + 2, s.b, s.len);
		request_field(r, fm_text(field, 2 + s.len));
		header = fm_text_trim(s);
	}
	want[0] = twin_texts(t, s);
	want[1] = twin_texts(t, header);
	result = fm_run(&run, p, &r->view, NULL);
	for (i = 0; i < result->nedits; i++)
		is[*result->edits[i].name.b == 'B'] = true;
	for (i = 0; i < 2; i++)
		AGREE(is[i] == want[i], "mode %d%s of %u texts, the first "
		    "\"%s\": %d for \"%.*s\" as a %s", (int)t->mode,
		    t->nocase ? " nocase" : "", t->n, t->texts[0], is[i],
		    (int)s.len, s.b, i == 0 ? "URL" : "header");
	fm_run_end(&run);
	request_free(r);
	return (want[0]);
}

START_TEST(texts_are_ruled_out_that_would_match)
{
	unsigned i, k, direct = 0, hits = 0, all = 0;
	struct fm_program *p;
	struct texts t;
	bool few;
	char buf[64];

	for (i = 0; i < 1500; i++) {
		texts_make(&t);
		p = texts_program(&t);
		few = t.n <= (t.mode == FM_PATTERN_GLOB ? 8 : 32);
		AGREE((p->tests[0].kind == FM_TEST_TEXTS) == few,
		    "%u texts are of kind %d", t.n, p->tests[0].kind);
		direct += few;
		(void)check_texts(&t, p, fm_text(buf, 0));
		for (k = 0; k < 30; k++, all++)
			hits += check_texts(&t, p, texts_subject(&t, buf));
		fm_program_free(&p);
	}
	ck_assert_uint_gt(i - direct, 50);
	ck_assert_uint_gt(hits, all / 5);
	ck_assert_uint_gt(all - hits, all / 5);
}
END_TEST

/* All bytes that a text may begin or end with, in any other's company. */
START_TEST(a_byte_is_ruled_out_that_a_text_ends_with)
{
	static const char * const words[] = { "is", "begins", "ends", "like" };
	struct fm_program *p;
	const struct fm_test *test;
	char rules[100];
	unsigned char c, other;
	unsigned i, ruled = 0;
	struct fm_text t;
	char b[2];

	for (i = 0; i < 8; i++)
		for (c = ' '; c < 0x7f; c++) {
			if (strchr("\"\\*?$", c) != NULL)
				continue;
			sprintf(rules, "always { when url%s %s \"%cx%c\""
			    " { pass; } }", i < 4 ? "" : " nocase",
			    words[i % 4], c, c);
			p = program_of(rules);
			test = &p->tests[0];
			for (other = 0; other < 0xff; other++) {
				b[0] = b[1] = (char)other;
				t = fm_text(b, 2);
				if ((fm_test_end(test, t) & test->ends) == 0) {
					ruled++;
					AGREE(c != other && (i < 4 ||
					    fm_lower(c) != fm_lower(other)),
					    "%02x is ruled out by %02x",
					    other, c);
				}
			}
			fm_program_free(&p);
		}
	/* It is of use: of 64 bits one or two were set. */
	ck_assert_uint_gt(ruled, 8 * 90 * 200);
}
END_TEST

/*
 * Maps of the host: what is known of one that is in the table by its name is
 * what its maps give.
 */

static const char * const map_hosts[] = { "a.example", "www.a.example",
    ".b.example", "*.c.example", "www.*", "x.c.example", "d", "Big.Example",
    "10.0.0.1", "e.d.c.b.a.example", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
    "m.b.example" };

static void
put_map_line(FILE *to)
{
	static const char * const modes[] = { "is", "begins", "ends",
	    "contains", "like", "~" };
	static const char * const operands[] = { "a.example", "b.example",
	    "www.", "example", "A.Example.", "c", "x.c.example", "d",
	    "big.example", "m.", ".b.example", "e", "10.0.0.1" };
	unsigned n, mode;

	for (n = 1 + unit_below(2); n > 0; n--) {
		mode = unit_below(6);
		if (unit_below(4) == 0)
			fprintf(to, " not");
		if (mode == 5 && unit_below(2))
			fprintf(to, " ~ " COSTLY);
		else if (mode == 5)
			fprintf(to, " ~ \"^(www|[a-e])[.](.*)$\"");
		else if (mode == 4)
			fprintf(to, " like \"%s*\"",
			    operands[unit_below(COUNT(operands))]);
		else
			fprintf(to, " %s \"%s\"", modes[mode],
			    operands[unit_below(COUNT(operands))]);
		if (n > 1)
			fprintf(to, " and");
	}
	fprintf(to, " -> ");
	n = unit_below(4);
	if (n == 0)
		fprintf(to, "\"\"");
	else
		fprintf(to, "\"%s%u\"", n == 1 ? "${url}${host}" : "v",
		    unit_below(100));
	fprintf(to, ";");
}

/* More maps than there is room for what is known of them. */
static struct fm_program *
random_maps(void)
{
	struct fm_program *p;
	char *rules = NULL;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	unsigned maps = 1 + unit_below(unit_below(4) ? 4 : 10), i, k;
	bool host = false;

	for (i = 0; i < maps; i++) {
		fprintf(to, "map m%u {", i);
		for (k = unit_below(unit_below(6) ? 6 : 60); k > 0; k--)
			put_map_line(to);
		fprintf(to, unit_below(2) ? " default \"other${host}\"; }\n" :
		    " is d -> d; }\n");
	}
	fprintf(to, "always { set M0 = m0(header Host);");
	if (unit_below(2))
		fprintf(to, " set Host = d;");
	for (i = 0; i < maps; i++)
		fprintf(to, " set A%u = m%u(host);", i, i);
	fprintf(to, " }\n");
	for (i = 0; i < (unsigned)COUNT(map_hosts); i++)
		if (unit_below(3)) {
			fprintf(to, "host %s {", map_hosts[i]);
			for (k = unit_below(3); k > 0; k--)
				fprintf(to, " set B%u = m%u(host);", k,
				    unit_below(maps));
			fprintf(to, " }\n");
			host = true;
		}
	if (!host || unit_below(4) == 0)
		fprintf(to, "default { set D = m0(host); }\n");
	fclose(to);
	p = program_of_text(fm_text(rules, len));
	free(rules);
	return (p);
}

/*
 * The same without what is known.  NULL: so many regexes were over their limit
 * that others were not asked, which with what is known may be.
 */
static char *
unknown_text(struct fm_program *p, const struct request *r)
{
	uint32_t *known = p->known;
	const struct fm_result *result;
	char *text = NULL;

	p->known = NULL;
	result = fm_run(&run, p, &r->view, NULL);
	if (result->tally.unasked == 0)
		text = result_text(result, p);
	fm_run_end(&run);
	p->known = known;
	return (text);
}

static unsigned known_compared;

static void
check_known(struct fm_program *p, const char *host)
{
	struct request *r;
	char text[400], *without;

	snprintf(text, sizeof text, "GET /u\nHost: %s", host);
	r = request_of(text);
	without = unknown_text(p, r);
	if (without != NULL) {
		check_program(p, "what is known", r, without);
		known_compared++;
	}
	free(without);
	request_free(r);
}

/* Counts the cells of the table, and those of which nothing is known. */
static void
count_known(const struct fm_program *p, unsigned cells[2])
{
	uint32_t i;

	for (i = 0; p->known != NULL && i < p->nhosts * p->nknown; i++) {
		cells[p->known[i] == FM_UNKNOWN]++;
		AGREE(p->known[i] == FM_UNKNOWN || p->known[i] == FM_NONE ||
		    p->templates[p->known[i]].count <= 3, "no template");
	}
}

START_TEST(what_is_known_of_a_host_is_wrong)
{
	static const char * const before[] = { "", "www.", "x.", "e.d.",
	    "q." };
	static const char * const after[] = { "", ":80", ".", ".:8080", "x" };
	unsigned i, k, a, b, cells[2] = { 0, 0 };
	struct fm_program *p;
	const char *name;
	char host[100];

	for (i = 0; i < 200; i++) {
		p = random_maps();
		count_known(p, cells);
		for (k = 0; k < (unsigned)COUNT(map_hosts); k++) {
			name = map_hosts[k] + strspn(map_hosts[k], "*.");
			for (a = 0; a < (unsigned)COUNT(before); a++) {
				b = unit_below(COUNT(after));
				snprintf(host, sizeof host, "%s%s%s",
				    before[a], name, after[b]);
				check_known(p, host);
			}
		}
		check_known(p, "WWW.A.EXAMPLE");
		check_known(p, "");
		check_known(p, "a b");
		fm_program_free(&p);
	}
	printf("run: of %u cells %u are unknown\n", cells[0] + cells[1],
	    cells[1]);
	ck_assert_uint_gt(cells[0], 1000);
	ck_assert_uint_gt(cells[1], 200);
	ck_assert_uint_gt(known_compared, 5000);
}
END_TEST

static uint32_t
known_of(const struct fm_program *p, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(fm_hosttab_lookup(p->hosttab, fm_text_of(host), &hit));
	ck_assert_uint_eq(p->nknown, 1);
	return (p->known[hit.pattern]);
}

START_TEST(more_is_known_of_a_host_than_can_be)
{
	struct fm_program *p = program_of("map m { ~ " COSTLY " -> 1;"
	    " begins b -> 2; is c.example -> 3; }"
	    " always { set A = m(host); set B = m(header Host); }"
	    " host b.example .c.example *.d.example aaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaab e.example { }");

	ck_assert_ptr_nonnull(p->known);
	ck_assert_uint_lt(known_of(p, "b.example"), FM_UNKNOWN);
	/* of .c.example the name itself */
	ck_assert_uint_lt(known_of(p, "c.example"), FM_UNKNOWN);
	ck_assert_uint_ne(known_of(p, "c.example"), known_of(p,
	    "b.example"));
	/* that there is none is known, too */
	ck_assert_uint_eq(known_of(p, "e.example"), FM_NONE);
	ck_assert_uint_eq(known_of(p, "x.d.example"), FM_UNKNOWN);
	/* it was undecided: each request finds out for itself */
	ck_assert_uint_eq(known_of(p, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
	    FM_UNKNOWN);
	check_known(p, "x.c.example");
	fm_program_free(&p);
	/* no host, or no map of it */
	p = program_of("map m { begins b -> 2; } always { set A = m(host); }");
	ck_assert_ptr_null(p->known);
	fm_program_free(&p);
	p = program_of("map m { begins b -> 2; } host a { set A = m(agent); }");
	ck_assert_ptr_null(p->known);
	fm_program_free(&p);
}
END_TEST

/* In two blocks two maps have one memo. */
CASES(a_map_of_the_host_is_taken_for_another,
    { "map one { is a.example -> A1; is b.example -> B1; }"
    " map two { is m.example -> M2; is n.example -> N2; is b.example -> B2;"
    " ends .o.example -> O2; }"
    " host a.example { set X-One = one(host); }"
    " host b.example { set X-Two = two(host); }"
    " host n.example { set X-Two = two(host); set X-One = one(host); }",
    "GET /\nHost: b.example", "+X-Two: B2" },
    { NULL, "GET /\nHost: a.example", "+X-One: A1" },
    { NULL, "GET /\nHost: n.example", "+X-Two: N2" })

/* What a client makes costly is not asked twice by one map. */
START_TEST(a_map_asks_a_costly_regex_twice)
{
	struct fm_program *p = program_of("map m { ~ " COSTLY " -> 1;"
	    " default 2; } always { set A = m(header X); }");
	struct request *r = request_of("GET /\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaab");
	const struct fm_result *result;

	result = fm_run(&run, p, &r->view, NULL);
	ck_assert_uint_eq(result->tally.over_limit, 1);
	ck_assert_uint_eq(result->undecided, 1);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&p);
}
END_TEST

/*
 * Cookies that are dropped when somebody looks
 */

CASES(a_cookie_that_was_dropped_is_read,
    { "always { cookie drop a; set X = \"${header.Cookie}\"; }",
    "GET /\nCookie: a=1; b=2", "+Cookie: b=2 | +X: b=2" },
    { NULL, "GET /\nCookie: a=1", "-Cookie" },
    { NULL, "GET /", "-" },
    { "always { cookie drop a; set X = \"<${cookie.a}${cookie.b}>\"; }",
    "GET /\nCookie: a=1; b=2", "+Cookie: b=2 | +X: <2>" },
    { "always { cookie drop a; when cookie a present { pass; } }",
    "GET /\nCookie: a=1; b=2", "+Cookie: b=2" },
    { "always { cookie keep b; when header Cookie present { pass; } }",
    "GET /\nCookie: a=1; b=2", "+Cookie: b=2 | pass" },
    { NULL, "GET /\nCookie: a=1", "-Cookie" },
    { "always { cookie drop a; when header Cookie is \"b=2; c=3\" { pass; } }",
    "GET /\nCookie: a=1; b=2\nX: 1\ncookie: c=3",
    "+Cookie: b=2; c=3 | pass" },
    /* nobody looks */
    { "always { cookie drop a; unset Cookie; }", "GET /\nCookie: a=1; b=2",
    "-Cookie" },
    { NULL, "GET /\nCookie: a=1\nCookie: b=2", "-Cookie" },
    { NULL, "GET /", "-" },
    { "always { cookie drop a; unset C*; }", "GET /\nCookie: a=1; b=2\nC: 1",
    "-C | -Cookie" },
    { "always { cookie keep z; unset C*; }", "GET /\nCookie: a=1; b=2",
    "-Cookie" },
    { "always { cookie drop a; set Cookie = x; }", "GET /\nCookie: a=1; b=2",
    "+Cookie: x" },
    /* what was there before the first one is there again */
    { "always { cookie drop a; set Cookie = \"a=1; b=2\"; }",
    "GET /\nCookie: a=1; b=2", "-" },
    { NULL, "GET /\nCookie: b=2", "+Cookie: a=1; b=2" },
    { NULL, "GET /\nCookie: a=1\nCookie: b=2", "+Cookie: a=1; b=2" },
    /* after it was set or unset */
    { "always { set Cookie = \"a=5; b=6\"; cookie drop a; }",
    "GET /\nCookie: a=1", "+Cookie: b=6" },
    { "always { unset Cookie; cookie drop a; cookie keep b; }",
    "GET /\nCookie: b=1", "-Cookie" },
    { "always { unset Coo*; cookie drop a; set X = \"<${cookie.b}>\"; }",
    "GET /\nCookie: b=1", "-Cookie | +X: <>" },
    { "always { cookie drop a; unset Cookie; cookie drop b; set Cookie ="
    " \"b=1; c=2\"; cookie drop c; }", "GET /\nCookie: a=1",
    "+Cookie: b=1" },
    { "always { cookie drop a; set Cookie = \"${header.Cookie}; a=9\";"
    " cookie drop b; }", "GET /\nCookie: a=1; b=2; c=3",
    "+Cookie: c=3; a=9" },
    /* in one block and in the next */
    { "always { cookie drop a; } host h { cookie drop b; when cookie a present"
    " { pass; } }", "GET /\nHost: h\nCookie: a=1; b=2; c=3", "+Cookie: c=3" },
    { NULL, "GET /\nHost: x\nCookie: a=1; b=2; c=3", "+Cookie: b=2; c=3" })

CASES(more_are_dropped_than_can_wait,
    { "always { cookie drop a; cookie drop b; cookie drop c; cookie drop d; }",
    "GET /\nCookie: a;b;c;d;e;f", "+Cookie: e; f" },
    { "always { cookie drop a; cookie drop b; cookie drop c; cookie drop d;"
    " cookie drop e; }", "GET /\nCookie: a;b;c;d;e;f", "+Cookie: f" },
    { NULL, "GET /\nCookie: a;b\nCookie: c;d\nCookie: e;f", "+Cookie: f" },
    { NULL, "GET /\nCookie: a;b;c;d;e", "-Cookie" },
    { NULL, "GET /\nCookie: f;g", "-" },
    { "always { cookie drop a; cookie drop b; cookie drop c; cookie drop d;"
    " cookie drop e; cookie drop f; cookie keep g h i; cookie drop h;"
    " cookie drop i; cookie drop x; set X = \"${header.Cookie}\"; }",
    "GET /\nCookie: a;b;c;d;e;f;g;h;i;j", "+Cookie: g | +X: g" },
    { "always { cookie drop a; cookie drop b; cookie drop c; cookie drop d;"
    " cookie drop e; unset Cookie; }", "GET /\nCookie: a;b;c;d;e;f",
    "-Cookie" })

#define HEADER_WORDS	"header Cookie contains " WORDS

CASES(a_test_remembers_cookies_that_are_gone,
    { "always { when " HEADER_WORDS " { set A = 1; } cookie drop a; when "
    HEADER_WORDS " { set B = 1; } when cookie b contains " WORDS
    " { set C = 1; } }", "GET /\nCookie: a=abc; b=x",
    "+A: 1 | +Cookie: b=x" },
    { NULL, "GET /\nCookie: a=1; b=bcd", "+A: 1 | +B: 1 | +C: 1 |"
    " +Cookie: b=bcd" },
    { NULL, "GET /\nCookie: b=bcd", "+A: 1 | +B: 1 | +C: 1" },
    { "always { cookie drop a; when " HEADER_WORDS " { set A = 1; }"
    " set Cookie = \"cde=1\"; when " HEADER_WORDS " { set B = 1; }"
    " cookie drop cde; when " HEADER_WORDS " { set C = 1; } }",
    "GET /\nCookie: a=abc", "+B: 1 | -Cookie" },
    /* there and back again, with nobody looking in between */
    { "always { when " HEADER_WORDS " { set A = 1; } cookie drop a;"
    " set Cookie = \"a=abc\"; when " HEADER_WORDS " { set B = 1; } }",
    "GET /\nCookie: a=abc", "+A: 1 | +B: 1" },
    { NULL, "GET /\nCookie: a=x", "+B: 1 | +Cookie: a=abc" },
    { "map m { contains abc -> 1; contains bcd cde def efg -> 2; default 3; }"
    " always { set A = m(header Cookie); cookie drop a;"
    " set B = m(header Cookie); unset Cookie; set C = m(header Cookie); }",
    "GET /\nCookie: a=abc; b=bcd", "+A: 1 | +B: 2 | +C: 3 | -Cookie" })

/* What waits is done before a test takes a note of which cookies it saw. */
START_TEST(cookies_that_waited_are_scanned_twice)
{
	ck_assert_uint_eq(scans_of("always { cookie drop a; when "
	    HEADER_WORDS " { set A = 1; } when not " HEADER_WORDS
	    " { set B = 1; } } host h { when " HEADER_WORDS " { pass; } }",
	    "GET /\nHost: h\nCookie: a=1; b=2"), 1);
	ck_assert_uint_eq(scans_of("always { cookie drop a; unset Cookie;"
	    " when " HEADER_WORDS " { set A = 1; } }",
	    "GET /\nCookie: a=abc"), 0);
}
END_TEST

/*
 * Random statements about cookies, to somebody who traces and to nobody.
 */
static void
put_cookie_stmt(FILE *to, unsigned n)
{
	static const char * const some[] = { "a", "b", "c", "a b", "?",
	    "a*", "d", "*c", "Session" };
	const char *name = some[unit_below(3)];

	switch (unit_below(16)) {
	case 0:
		fprintf(to, " set X%u = \"<${header.Cookie}>\";", n);
		break;
	case 1:
		fprintf(to, " set X%u = \"<${cookie.%s}>\";", n, name);
		break;
	case 2:
		fprintf(to, " unset Cookie;");
		break;
	case 3:
		fprintf(to, " unset C*;");
		break;
	case 4:
		fprintf(to, " set Cookie = \"a=1; b=abc;c=;Session=x\";");
		break;
	case 5:
		fprintf(to, " set Cookie = \"${header.Cookie}; %s=bcd\";",
		    name);
		break;
	case 6:
		fprintf(to, " when cookie %s present { set X%u = 1; }", name,
		    n);
		break;
	case 7:
		fprintf(to, " when " HEADER_WORDS " { set X%u = 1;", n);
		if (unit_below(2))
			put_cookie_stmt(to, 100 + n);
		fprintf(to, " } else { cookie drop %s; }", name);
		break;
	case 8:
		fprintf(to, " when cookie %s contains " WORDS
		    " { set X%u = 1; }", name, n);
		break;
	default:
		fprintf(to, " cookie %s %s;", unit_below(4) ? "drop" : "keep",
		    some[unit_below(COUNT(some))]);
	}
}

static struct request *
cookie_request(void)
{
	struct request *r = request_of("GET /\nHost: h");
	unsigned i, k;
	char buf[200];
	size_t len;

	for (i = unit_below(3); i > 0; i--) {
		len = (size_t)sprintf(buf, "%sookie:", unit_below(2) ? "C" :
		    "c");
		for (k = unit_below(6); k > 0; k--)
			len += (size_t)sprintf(buf + len, "%s%s%s",
			    unit_below(2) ? ";" : "; ",
			    unit_below(8) ? &"a\0b\0c\0d"[2 * unit_below(4)] :
			    "Session", unit_below(3) ? "=abc" : "");
		request_field(r, fm_text(buf, len));
	}
	return (r);
}

START_TEST(who_traces_sees_other_cookies)
{
	static const struct fm_trace none;
	unsigned i, k, n, edited = 0;
	struct fm_program *p;
	struct request *r;
	char *rules, *traced;
	size_t len;
	FILE *to;

	for (i = 0; i < 3000; i++) {
		to = open_memstream(&rules, &len);
		fprintf(to, "always {");
		for (n = unit_below(14); n > 0; n--)
			put_cookie_stmt(to, n);
		fprintf(to, " } host h {");
		for (n = unit_below(4); n > 0; n--)
			put_cookie_stmt(to, 20 + n);
		fprintf(to, " }");
		fclose(to);
		p = program_of(rules);
		for (k = 0; k < 8; k++) {
			r = cookie_request();
			traced = result_text(fm_run(&run, p, &r->view, &none),
			    p);
			fm_run_end(&run);
			edited += strstr(traced, "Cookie") != NULL;
			check_program(p, rules, r, traced);
			free(traced);
			request_free(r);
		}
		fm_program_free(&p);
		free(rules);
	}
	ck_assert_uint_gt(edited, 8 * i / 4);
}
END_TEST

/*
 * Trace
 */

static char told[4096];

static void
tell(const char *fmt, ...)
{
	size_t len = strlen(told);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(told + len, sizeof told - len, fmt, ap);
	va_end(ap);
}

#define T(t)	(t).b == NULL ? 4 : (int)(t).len, (t).b == NULL ? "none" : (t).b

static void
told_site(void *priv, struct fm_text raw, struct fm_text canon,
    const struct fm_hosttab_hit *hit, struct fm_text block)
{
	(void)priv;
	tell("site %.*s %.*s %d %.*s\n", T(raw), T(canon), (int)hit->how,
	    T(block));
}

static void
told_block(void *priv, const char *name)
{
	(void)priv;
	tell("block %s\n", name);
}

static void
told_test(void *priv, const struct fm_rule *rule, enum fm_outcome outcome,
    struct fm_text subject)
{
	(void)priv;
	tell("test %s: %d of %.*s\n", rule->text, (int)outcome, T(subject));
}

static void
told_when(void *priv, const struct fm_rule *rule, enum fm_outcome outcome)
{
	(void)priv;
	tell("when %u: %d\n", rule->at.line, (int)outcome);
}

static void
told_stmt(void *priv, const struct fm_rule *rule, enum fm_effect effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
{
	(void)priv;
	tell("stmt %u: %d %.*s, %.*s, %.*s\n", rule->at.line, (int)effect,
	    T(what), T(before), T(after));
}

static void
told_scan(void *priv, const char *subject, size_t patterns)
{
	(void)priv;
	tell("scan %s %zu\n", subject, patterns);
}

static const struct fm_trace trace_all = {
	.site = told_site,
	.block = told_block,
	.test = told_test,
	.when = told_when,
	.stmt = told_stmt,
	.scan = told_scan,
};

START_TEST(a_trace_tells_another_story)
{
	static const char rules[] =
	    "always {\n"
	    "query drop a;\n"
	    "when agent contains i A N B O and path is /x {pass;}\n"
	    "when not path is /x and agent contains i A N B O {\n"
	    "set X-A = 1;\n"
	    "unset X-A X-*;\n"
	    "cookie drop z;\n"
	    "stop;\n"
	    "} }\n"
	    "host a { backend b; redirect 302 /y; }";
	struct fm_program *program = program_of(rules);
	struct request *r = request_of("GET /?a\nHost: A:80\n"
	    "User-Agent: iPhone\nX-B: 2");
	static const struct fm_trace none;

	told[0] = '\0';
	(void)fm_run(&run, program, &r->view, &trace_all);
	fm_run_end(&run);
	ck_assert_str_eq(told,
	    "site A:80 a 1 a\n"
	    "block always\n"
	    "stmt 2: 1 url, /?a, /\n"
	    "test agent contains i A N B O: 3 of iPhone\n"
	    "test path is /x: 0 of /\n"
	    "when 3: 0\n"
	    "scan header User-Agent 5\n"
	    "test path is /x: 0 of /\n"
	    "test agent contains i A N B O: 1 of iPhone\n"
	    "when 4: 1\n"
	    "stmt 5: 1 X-A, none, 1\n"
	    "stmt 6: 1 X-A, 1, none\n"
	    "stmt 6: 1 X-B, 2, none\n"
	    "stmt 7: 0 Cookie, none, none\n"
	    "stmt 8: 5 none, none, none\n"
	    "block a\n"
	    "stmt 10: 2 b, none, none\n"
	    "stmt 10: 3 none, none, /y\n");
	/* who has no functions hears nothing */
	(void)fm_run(&run, program, &r->view, &none);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
}
END_TEST

/*
 * Hostile requests
 */

#define EVERYTHING							\
	"map m nocase { contains a b c -> 1; ~ \"x(y|z)+\" -> 2; default 3; }"\
	" list l { is a; ends b; like *c*; ~ " COSTLY "; }"		\
	" always { query drop utm_* a; query sort; query unique;"	\
	" cookie keep a* session; normalize Accept to text/html image/*" \
	" else */*; unset X-* Y-?; set A = m(header Accept);"		\
	" set B = \"${url}${header.A}${cookie.a}${query.b}\";"		\
	" when url in l or header Cookie ~ \"(.*)=\" \"[?]\""		\
	" { set C = \"${1}\"; }"					\
	" rewrite ~ \"([^?]*).*\" to \"\\1?\\1\"; unset *; }"		\
	" host a { set Host = \"${wild}\"; }"				\
	" default { redirect 302 \"${url}\"; }"

static struct fm_text
junk(char *buf, unsigned longest)
{
	return (twin_random(buf, longest,
	    "aabbcxyzAHhostX-:=;,&?/%\\ \t\r\n\"*\1\377"));
}

START_TEST(random_requests_break_it)
{
	static const char * const names[] = { "Host:", "Cookie:", "Accept:",
	    "host :", "X-A: ", "Y-b:", "accept-encoding:", ":", "", "A:" };
	struct fm_program *program = program_of(EVERYTHING);
	struct request *r;
	unsigned i, k, n;
	char buf[200], *is;

	for (i = 0; i < 20000; i++) {
		r = request_of("");
		twin_free(r->view.method);
		twin_free(r->view.url);
		r->view.method = unit_copy(junk(buf, 5));
		r->view.url = unit_copy(junk(buf, 60));
		r->view.esi = unit_below(8) == 0;
		n = unit_below(12);
		for (k = 0; k < n; k++) {
			strcpy(buf, names[unit_below(COUNT(names))]);
			request_field(r, fm_text(buf, strlen(buf) +
			    junk(buf + strlen(buf), 40).len));
		}
		if (n > 3)
			r->fields[r->view.nfields] = r->fields[0],
			    r->fields[0] = (struct fm_field){ NULL, NULL },
			    r->view.nfields++;
		is = result_text(fm_run(&run, program, &r->view, NULL),
		    program);
		AGREE(strstr(is, "no memory") == NULL, "no memory");
		free(is);
		fm_run_end(&run);
		request_free(r);
	}
	fm_program_free(&program);
}
END_TEST

START_TEST(large_requests_break_it)
{
	struct fm_program *program = program_of(EVERYTHING);
	struct request *r = request_of("GET /");
	const struct fm_result *result;
	char *b = malloc(70000);
	unsigned i;
	size_t len;

	ck_assert_ptr_nonnull(b);
	for (len = 0, i = 0; i < 2000; i++)
		len += (size_t)sprintf(b + len, "%cutm_%u=%u&b%u",
		    i == 0 ? '?' : '&', i, i, i % 7);
	twin_free(r->view.url);
	r->view.url = unit_copy(fm_text(b, len));
	memcpy(b, "Accept: ", 8);
	memset(b + 8, ',', 65536);
	request_field(r, fm_text(b, 65536));
	memcpy(b, "Cookie:", 7);
	memset(b + 7, ';', 65536);
	request_field(r, fm_text(b, 65536));
	request_field(r, fm_text_of("Cookie: a=1"));
	for (i = 0; i < 4000; i++)
		request_field(r, fm_text(b, (size_t)sprintf(b, "X-%c%c: %u",
		    'a' + i % 26, 'A' + i / 26 % 26, i)));
	free(b);
	result = fm_run(&run, program, &r->view, NULL);
	ck_assert(!result->no_memory);
	ck_assert(result->verdict == FM_VERDICT_REDIRECT);
	/* Accept, Cookie, and 676 others */
	ck_assert_uint_eq(result->nedits, 678);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
}
END_TEST

/* Values that grow beyond all bounds. */
START_TEST(without_memory_half_of_it_is_done)
{
	struct fm_program *program;
	struct request *r = request_of("GET /x");
	const struct fm_result *result;
	char *rules = NULL, *b = malloc(65536);
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	unsigned i;

	ck_assert_ptr_nonnull(b);
	memset(b, 'x', 65536);
	memcpy(b, "X: ", 3);
	request_field(r, fm_text(b, 65536));
	free(b);
	fprintf(to, "always { backend b; set A = 1; rewrite ~ \"x\" to \"y\";");
	for (i = 0; i < 12; i++)
		fprintf(to, " set X = \"${header.X}${header.X}\";");
	fprintf(to, " pass; }");
	fclose(to);
	program = program_of(rules);
	check_program(program, "growth", r, "no memory");
	result = fm_run(&run, program, &r->view, NULL);
	ck_assert_ptr_null(result->rule);
	ck_assert_ptr_eq(result->url.b, r->view.url.b);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
	free(rules);
}
END_TEST

/* The allocation that is to fail, from 0; the linker brings them here. */
static int failing = -1;

void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);

static bool
fails(void)
{
	return (failing >= 0 && failing-- == 0);
}

void *
__wrap_malloc(size_t len)
{
	return (fails() ? NULL : __real_malloc(len));
}

void *
__wrap_calloc(size_t n, size_t len)
{
	return (fails() ? NULL : __real_calloc(n, len));
}

START_TEST(a_failed_allocation_breaks_it)
{
	struct fm_program *program = program_of(EVERYTHING);
	struct request *r = request_of("GET /aaab?b=2&a=1&utm_x&c&d&e&f&g&h&i"
	    "&j&k&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z&A&B&C&D&E&F&G\nAccept: b");
	const struct fm_result *result;
	char *b = malloc(30000), *expect, *is;
	unsigned i, failed = 0;
	bool done = false;

	ck_assert_ptr_nonnull(b);
	memset(b, 'a', 30000);
	memcpy(b, "Cookie:", 7);
	request_field(r, fm_text(b, 30000));
	memcpy(b, "Cookie:a=", 9);
	request_field(r, fm_text(b, 30000));
	free(b);
	expect = result_text(fm_run(&run, program, &r->view, NULL), program);
	fm_run_end(&run);
	for (i = 0; !done; i++) {
		failing = (int)i;
		result = fm_run(&run, program, &r->view, NULL);
		done = failing >= 0;
		failing = -1;
		is = result_text(result, program);
		failed += result->no_memory;
		ck_assert_str_eq(is, result->no_memory ? "no memory" : expect);
		free(is);
		fm_run_end(&run);
	}
	ck_assert_uint_gt(failed, 2);
	free(expect);
	request_free(r);
	fm_program_free(&program);
}
END_TEST

/* Whoever is the first to look at cookies finds no memory: at the end. */
START_TEST(cookies_that_wait_outlive_what_memory_there_is)
{
	static const struct {
		const char	*rules;
		bool		looks;
	} cases[] = {
		{ "always { cookie drop a; set A = 1; }", true },
		{ "always { cookie drop a; set A = \"${cookie.b}\"; }", true },
		{ "always { cookie drop a; cookie drop b; cookie drop c;"
		    " cookie drop d; cookie drop e; unset Cookie; }", true },
		{ "always { cookie drop a; unset Cookie; }", false },
	};
	struct fm_program *program;
	struct request *r = request_of("GET /");
	const struct fm_result *result;
	char *b = malloc(30000), *expect, *is;
	bool asked;
	unsigned i;

	ck_assert_ptr_nonnull(b);
	memset(b, 'b', 30000);
	memcpy(b, "Cookie:a=1;", 11);
	request_field(r, fm_text(b, 30000));
	free(b);
	for (i = 0; i < (unsigned)COUNT(cases); i++) {
		program = program_of(cases[i].rules);
		expect = result_text(fm_run(&run, program, &r->view, NULL),
		    program);
		fm_run_end(&run);
		failing = 0;
		result = fm_run(&run, program, &r->view, NULL);
		asked = failing < 0;
		failing = -1;
		ck_assert(asked == cases[i].looks);
		ck_assert(result->no_memory == cases[i].looks);
		is = result_text(result, program);
		ck_assert_str_eq(is, cases[i].looks ? "no memory" : expect);
		fm_run_end(&run);
		free(is);
		free(expect);
		fm_program_free(&program);
	}
	request_free(r);
}
END_TEST

/* The model of a map so large that to ask it takes memory, once for a host. */
static struct fm_model *
large_map(void)
{
	char *rules = NULL;
	struct fm_model *model;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	unsigned i;

	fprintf(to, "map m { not ends .example -> other;");
	for (i = 0; i < 12000; i++)
		fprintf(to, " is h%u.example -> %u;", i, i);
	fprintf(to, " begins a -> a; } host a.example h7.example b"
	    " { set A = m(host); }");
	fclose(to);
	model = fm_parse_text("t.rules", fm_text(rules, len), false, NULL);
	ck_assert_ptr_nonnull(model);
	ck_assert(fm_check(model, NULL, NULL));
	free(rules);
	return (model);
}

START_TEST(what_there_is_no_memory_to_know_is_known)
{
	struct fm_model *model = large_map();
	struct fm_program *p;
	struct fm_diag *diag;
	unsigned less = 0, none = 0, cells[2];
	bool done = false;
	int i;

	/* This is done last, so it takes the last of all allocations. */
	failing = INT32_MAX;
	p = fm_compile(model, NULL, NULL);
	i = INT32_MAX - failing - 40;
	failing = -1;
	ck_assert_int_gt(i, 0);
	fm_program_free(&p);
	for (; !done; i++) {
		diag = fm_diag_new();
		failing = i;
		p = fm_compile(model, NULL, diag);
		done = failing >= 0;
		failing = -1;
		ck_assert((fm_diag_errors(diag) > 0) == (p == NULL));
		fm_diag_free(&diag);
		if (p == NULL) {
			none++;
			continue;
		}
		ck_assert_ptr_nonnull(p->known);
		cells[0] = cells[1] = 0;
		count_known(p, cells);
		ck_assert_uint_eq(cells[0] + cells[1], 3);
		less += cells[1] > 0;
		if (done)
			ck_assert_uint_eq(cells[1], 0);
		check_known(p, "a.example");
		check_known(p, "h7.example");
		check_known(p, "b");
		fm_program_free(&p);
	}
	/* Of each of the three hosts; what is compiled needs more. */
	ck_assert_uint_eq(less, 3);
	ck_assert_uint_ge(none, 2);
	fm_model_free(&model);
}
END_TEST

START_TEST(nothing_at_all_breaks_it)
{
	static const struct fm_view view;
	struct fm_program *program = program_of(EVERYTHING);
	char *is;

	is = result_text(fm_run(&run, program, &view, NULL), program);
	ck_assert_str_eq(is, "url ? | redirect 302 /?");
	free(is);
	fm_run_end(&run);
	fm_program_free(&program);
	program = program_of("");
	is = result_text(fm_run(&run, program, &view, NULL), program);
	ck_assert_str_eq(is, "-");
	free(is);
	fm_run_end(&run);
	fm_program_free(&program);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("run");

	unit_seed("run");
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, query_keeps_what_is_to_go);
	tcase_add_test(tc, cookie_keeps_what_is_to_go);
	tcase_add_test(tc, set_changes_what_is_right_or_splits);
	tcase_add_test(tc, a_name_is_taken_for_another);
	tcase_add_test(tc, unset_leaves_headers);
	tcase_add_test(tc, normalize_is_no_negotiation);
	tcase_add_test(tc, rewrite_is_no_regsub);
	tcase_add_test(tc, verdicts_do_not_end_the_run);
	tcase_add_test(tc, another_host_is_found);
	tcase_add_test(tc, a_subject_is_another);
	tcase_add_test(tc, a_mode_is_another);
	tcase_add_test(tc, logic_is_wrong);
	tcase_add_test(tc, a_client_is_another);
	tcase_add_test(tc, a_value_is_another);
	tcase_add_test(tc, a_group_is_another);
	tcase_add_test(tc, a_map_takes_another_line);
	tcase_add_test(tc, a_large_map_takes_another_line);
	tcase_add_test(tc, a_redirect_leads_to_another_host);
	tcase_add_test(tc, a_client_splits_a_value);
	tcase_add_test(tc, what_is_undecided_denies_or_grants);
	tcase_add_test(tc, costly_regexes_are_asked_for_ever);
	tcase_add_test(tc, one_costly_regex_counts_twice);
	tcase_add_test(tc, a_part_of_a_page_is_redirected);
	unit_add_scanning(tc, a_subject_is_scanned_without_need);
	unit_add_scanning(tc, a_subject_is_scanned_twice);
	tcase_add_test(tc, what_is_asked_in_one_scan_is_mixed_up);
	unit_add_scanning_loop(tc, a_map_has_no_end_of_turns, 0, 8);
	unit_add_scanning(tc, an_edit_leaves_what_a_scan_found);
	tcase_add_test(tc, texts_are_ruled_out_that_would_match);
	tcase_add_test(tc, a_byte_is_ruled_out_that_a_text_ends_with);
	tcase_add_test(tc, what_is_known_of_a_host_is_wrong);
	tcase_add_test(tc, more_is_known_of_a_host_than_can_be);
	tcase_add_test(tc, a_map_of_the_host_is_taken_for_another);
	tcase_add_test(tc, a_map_asks_a_costly_regex_twice);
	tcase_add_test(tc, a_cookie_that_was_dropped_is_read);
	tcase_add_test(tc, more_are_dropped_than_can_wait);
	tcase_add_test(tc, a_test_remembers_cookies_that_are_gone);
	unit_add_scanning(tc, cookies_that_waited_are_scanned_twice);
	tcase_add_test(tc, who_traces_sees_other_cookies);
	unit_add_scanning(tc, a_trace_tells_another_story);
	tcase_add_test(tc, random_requests_break_it);
	tcase_add_test(tc, large_requests_break_it);
	tcase_add_test(tc, without_memory_half_of_it_is_done);
	tcase_add_test(tc, a_failed_allocation_breaks_it);
	tcase_add_test(tc, cookies_that_wait_outlive_what_memory_there_is);
	tcase_add_test(tc, what_there_is_no_memory_to_know_is_known);
	tcase_add_test(tc, nothing_at_all_breaks_it);
	return (unit_run("run", tc));
}
