/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests a run where no case in tests/cases can: names that are nearly those of
 * headers, a large map, hostile requests.
 */

#include <pthread.h>

#include "alloc.h"
#include "compiling.h"
#include "engine.h"
#include "name_words.h"
#include "run.h"
#include "twin.h"

/*
 * Makes a view of a text: a method and a URL, and a field on each further line.
 * Each part is a piece of the heap of its exact size.
 */

#define FIELDS_MAX	5000

struct request {
	struct fm_view	view;
	struct fm_field	fields[FIELDS_MAX];
};

static void
request_field(struct request *r, struct fm_text t)
{
	struct fm_field *field = &r->fields[r->view.nfields++];

	ck_assert_uint_lt(r->view.nfields, FIELDS_MAX);
	t = unit_copy(t);
	field->b = t.b;
	field->e = t.b + t.len;
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
 * Prints a result: the new URL, the edits, the backend, the tally and the
 * verdict, with " | " between them; "-" if there is nothing.
 */

static void
print_edits(FILE *to, const struct fm_result *result)
{
	struct fm_edit edit;
	unsigned at = 0;

	while (fm_edit_next(result, &at, &edit)) {
		fprintf(to, " | %c%.*s", edit.set ? '+' : '-',
		    (int)edit.name.len, edit.name.b);
		if (edit.set)
			fprintf(to, ": %.*s", (int)edit.value.len,
			    edit.value.b);
	}
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

/* A regex of the map below is over its limit on this. */
#define COSTLY		"\"^(a+)+(?:$|b(?<=x))\""
#define AAA		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"

/*
 * Lines of requests that no case can have
 */

#define NAMES	"always { set X^y = 1; set A-longer-name-Z = 2;"	\
		" set Nine-byte = 3; }"
#define NAMED	"+X^y: 1 | +A-longer-name-Z: 2 | +Nine-byte: 3"

static const struct {
	const char	*rules;
	const char	*request;
	const char	*expect;
} lines[] = {
	/* A name is not taken for another. */
	{ NAMES, "GET /\nx^Y: 1\na-Longer-Name-z: 2\nnine-BYTE:3", "-" },
	{ NAMES, "GET /\nx~Y: 1\nA-longer-nama-Z: 2\nNine\rbyte: 3", NAMED },
	{ NAMES, "GET /\nX^y : 1\nA-longer-name-: 2\nNine-bytes: 3\nX^y",
	  NAMED },
	/* A line that is not a header is not taken for one. */
	{ "always { unset *; unset *e*; unset h*; unset C*; }",
	  "GET /\nHost: a\nContent-Length: 0\nno colon\n: no name\nE: 1",
	  "-E" },
	{ "always { unset H*; }", "GET /\nHost : x", "-Host " },
	{ "host a { pass; } default { hash; }", "GET /\nHost : a", "hash" },
	/* An underscore is not taken for another byte. */
	{ "always { unset -A-b X-Foo; }", "GET /\nX_Foo : 1\nX_Foo\nX:Foo: 2"
	  "\n_A-b: 3\nX\x1f""Foo: 4\n: X_Foo: 5\nX_Fo", "-" },
	{ "always { unset -A-b X-Foo; }",
	  "GET /\n-A_b: 1\nX_Foo:\nx_fOO: 2\nX_Foo : 3", "--A_b | -X_Foo" },
	/* A field may be an alias of several headers, and one more of its. */
	{ "always { unset A-b_c; }", "GET /\nA_b_c: 1\nA_b-c: 2", "-A_b_c" },
	{ "always { set A-b_c = x; unset A_b-c; }", "GET /\nA_b_c: 1",
	  "+A-b_c: x | -A_b_c" },
	{ "always { unset X-A; set X_A = 1; unset X.A; }",
	  "GET /\nX_A: 1\nX_A: 2\nX.A: 3\nx-a: 4\nX-A: 5",
	  "-X-A | +X_A: 1 | -X.A" },
	{ "always { unset X-A; when header X_A present { pass; } hash; }",
	  "GET /\nX_A: 1\nX_A: 2\nHost: a", "-X_A | hash" },
	/* The fields of a header that came several times are joined. */
	{ "always { set X = \"${header.Cookie}\"; unset Cookie; }",
	  "GET /\nCookie: a\nAccept: x\ncookie: b\nA: 1\nCOOKIE:\nCookie: c",
	  "-Cookie | +X: a; b; ; c" },
	{ "always { set X = \"${header.Accept}\"; when any header X-Forwarded"
	  "-For-Longer is c { pass; } }",
	  "GET /\nAccept: a\nx-forwarded-for-longer: b\nAccept: b\n"
	  "X-Forwarded-For-Longer: c", "+X: a, b | pass" },
	/* The middle of a long name counts, as does a short line. */
	{ "always { unset A-name-longer-than-16 T X-Y; }",
	  "GET /\nA-name-longxr-than-16: 1\nT:\nX-Z: 2", "-T" },
	{ "always { unset A-name-longer-than-16 T X-Y; }",
	  "GET /\nx-y:\na-Name-longer-than-16: 1\nT\nS:",
	  "-A-name-longer-than-16 | -X-Y" },
};

UNIT_LOOP(a_line_is_taken_for_another_header, UNIT_COUNT(lines))
{
	struct fm_program *program = unit_program("t.rules", lines[_i].rules);
	struct request *r = request_of(lines[_i].request);

	check_program(program, lines[_i].rules, r, lines[_i].expect);
	request_free(r);
	fm_program_free(&program);
}

/* A hole that Varnish has left begins nowhere, and may have any end. */
UNIT_TEST(a_hole_is_taken_for_a_field)
{
	static const char rules[] =
	    "always { unset X-A X-B*; set X-C = 1; }";
	struct fm_program *program = unit_program("t.rules", rules);
	struct request *r =
	    request_of("GET /\nX-A: 1\nX-B: 2\nHost: a\nX-C: 1");
	unsigned i;

	for (i = 0; i < 3; i++) {
		free((void *)(uintptr_t)r->fields[i].b);
		r->fields[i].b = NULL;
	}
	check_program(program, rules, r, "-");
	request_free(r);
	fm_program_free(&program);
}

/* The twin compares byte by byte. */
static bool
twin_is_alias(const char *b, struct fm_text name)
{
	bool differs = false;
	size_t i;

	for (i = 0; i < name.len; i++) {
		if (fm_lower((unsigned char)b[i]) ==
		    fm_lower((unsigned char)name.b[i]))
			continue;
		if (i == 0 || name.b[i] != '-' ||
		    !fm_is_mark((unsigned char)b[i]))
			return (false);
		differs = true;
	}
	return (differs);
}

UNIT_TEST(aliases_agree_with_a_loop_over_bytes)
{
	static const char marks[] = "-_.~\r\x0f@{aA-";
	unsigned n, i, found = 0, rounds = unit_rounds(200000, 4);
	char raw[32], other[32];
	struct fm_text name;
	char *b;
	bool is;

	unit_seed("aliases");
	for (n = 0; n < rounds; n++) {
		name = twin_random(raw, 20, "aB-_--");
		if (name.len == 0)
			continue;
		memcpy(other, name.b, name.len);
		for (i = unit_below(4); i > 0; i--)
			other[unit_below((unsigned)name.len)] =
			    marks[unit_below(COUNT(marks) - 1)];
		b = malloc(name.len);
		ck_assert_ptr_nonnull(b);
		memcpy(b, other, name.len);
		is = fm_name_is_alias(b, name);
		AGREE(is == twin_is_alias(b, name), "\"%.*s\" for \"%.*s\"",
		    (int)name.len, b, (int)name.len, name.b);
		found += is;
		free(b);
	}
	ck_assert_uint_gt(found, rounds / 40);
	ck_assert_uint_lt(found, rounds / 2);
}

/*
 * Queries, which wait for a reader of the URL, and cookies, which wait for one
 * of Cookie
 */

#define DROPS	"always {\nquery drop a;\nset X = 1;\nquery drop b;\n"	\
		"query keep c d;\n}"
#define FIVE	"always { query drop a; query drop b; query drop c;"	\
		" query drop d; query drop e; query drop f; }"
#define COOKIES	"always {\ncookie drop a;\nset X = 1;\n"		\
		"cookie drop b;\ncookie keep c d;\n}"
#define FIVE_C	"always { cookie drop a; cookie drop b; cookie drop c;"	\
		" cookie drop d; cookie drop e;\ncookie drop f; }"

static const struct {
	const char	*rules;
	const char	*request;
	const char	*expect;
	unsigned	line;	/* of the rule that changed the URL, or Cookie,
				 * last */
} waiting[] = {
	{ DROPS, "GET /?a", "url / | +X: 1", 2 },
	{ DROPS, "GET /?a&&c=1", "url /?c=1 | +X: 1", 2 },
	{ DROPS, "GET /?a&b&c", "url /?c | +X: 1", 4 },
	{ DROPS, "GET /?c&z&d&a", "url /?c&d | +X: 1", 5 },
	{ DROPS, "GET /?%7a&%61", "url / | +X: 1", 5 },
	{ DROPS, "GET /?c&&d", "+X: 1", 0 },
	{ DROPS, "GET ?b", "url / | +X: 1", 4 },
	{ FIVE, "GET /?a&b&c&d&e&f", "url /", 1 },
	{ FIVE, "GET /?a&x&f", "url /?x", 1 },
	/* They don't wait for each other where one sorts. */
	{ "always { query drop a; query sort;\nquery drop b; }",
	  "GET /?c&b&a", "url /?c", 2 },
	{ "always { query drop b;\nquery sort; query clean;\n"
	  "query drop a; }", "GET /?d&b&&c", "url /?c&d", 2 },
	/* Each of these reads the URL. */
	{ "always { query drop a; set X = \"${url}\"; query drop b;"
	  " set Y = \"${query}\"; set Z = \"${query.b}\"; }",
	  "GET /?a&b=1&c", "url /?c | +X: /?b=1&c | +Y: c", 1 },
	{ "always { query drop a; when query a present { pass; }"
	  " when url ends c { hash; } }", "GET /?c&a", "url /?c | hash", 1 },
	{ "always { query drop a; when query a* present { pass; }"
	  " when any query a is 1 { pass; } hash; }", "GET /?a=1",
	  "url / | hash", 1 },
	{ "always { query drop a;\nrewrite ~ a to b; }", "GET /?a=1&ca",
	  "url /?cb", 2 },
	{ "always { query drop a; set X = \"${path}\"; }", "GET ?a",
	  "url / | +X: /", 1 },
	{ "always { query drop a; redirect 301 \"${url}\"; }", "GET /b?a",
	  "url /b | redirect 301 /b", 1 },
	{ COOKIES, "GET /\nCookie: a", "-Cookie | +X: 1", 2 },
	{ COOKIES, "GET /\nCookie: ;  ;", "-Cookie | +X: 1", 2 },
	{ COOKIES, "GET /\nCookie: a=1;b; c=2", "+Cookie: c=2 | +X: 1", 4 },
	{ COOKIES, "GET /\nCookie: c;z;d;a", "+Cookie: c; d | +X: 1", 5 },
	{ COOKIES, "GET /\nCookie: b", "-Cookie | +X: 1", 4 },
	{ COOKIES, "GET /\nCookie: c;d", "+X: 1", 0 },
	{ COOKIES, "GET /", "+X: 1", 0 },
	{ FIVE_C, "GET /\nCookie: a; x; c; f", "+Cookie: x", 2 },
	{ FIVE_C, "GET /\nCookie: a; b; c; d; x", "+Cookie: x", 1 },
	/* Each of these reads Cookie, or writes it. */
	{ "always { cookie drop a; set X = \"${header.Cookie}\";\n"
	  "cookie drop b; }", "GET /\nCookie: a; b; c",
	  "+Cookie: c | +X: b; c", 2 },
	{ "always { cookie drop a; unset Cookie;\ncookie drop b; }",
	  "GET /\nCookie: a; b; c", "-Cookie", 1 },
	{ "always { cookie drop a; set Cookie = \"a; b\";\ncookie drop b; }",
	  "GET /\nCookie: c", "+Cookie: a", 2 },
	{ "always { cookie drop a; when cookie a present { pass; } hash; }",
	  "GET /\nCookie: a", "-Cookie | hash", 1 },
};

static void
tell_nothing(void *priv, const struct fm_event *event)
{
	(void)priv;
	(void)event;
}

/* Returns the line of the rule that changed the URL or Cookie, or 0. */
static unsigned
changed_by(const struct fm_result *result)
{
	struct fm_edit edit;

	if (result->url_changed)
		return (result->url_rule->at.line);
	return (fm_edit_of(result, fm_text_of("Cookie"), &edit) ?
	    edit.rule->at.line : 0);
}

/* A trace has each of them run at once. */
UNIT_LOOP(what_waits_does_what_a_trace_tells, UNIT_COUNT(waiting))
{
	static const struct fm_trace trace = { .tell = tell_nothing };
	const char *rules = waiting[_i].rules;
	struct fm_program *program = unit_program("t.rules", rules);
	struct request *r = request_of(waiting[_i].request);
	const struct fm_result *result;
	int traced;
	char *is;

	for (traced = 0; traced < 2; traced++) {
		result = fm_run(&run, program, &r->view,
		    traced ? &trace : NULL);
		is = result_text(result, program);
		ck_assert_str_eq(is, waiting[_i].expect);
		ck_assert_uint_eq(changed_by(result), waiting[_i].line);
		free(is);
		fm_run_end(&run);
	}
	request_free(r);
	fm_program_free(&program);
}

/*
 * Maps
 */

UNIT_TEST(a_large_map_takes_another_line)
{
	static const char * const rows[][2] = {
		{ "GET /\nX: k1", "+A: 1 | +B: 1" },
		{ "GET /\nX: k2999", "+A: 2999 | +B: 2999" },
		{ "GET /\nX: k3000", "+A: no | +B: no" },
		{ "GET /", "+A: no | +B: no" },
		{ "GET /\nX: two x", "+A: two | +B: two" },
		{ "GET /\nX: two xy", "+A: x | +B: x" },
		{ "GET /\nX: " AAA "x", "+A: x | +B: x | undecided 2" },
	};
	struct fm_program *program;
	char *rules = NULL;
	struct request *r;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	int i;

	fprintf(to, "undecided ignore;"
	    " map m { contains two and not ends y -> two;"
	    " ~ \"^(a+)+(?:[bx]$|b(?<=x))\" -> costly;");
	for (i = 0; i < 3000; i++)
		fprintf(to, " is k%d -> %d;", i, i);
	fprintf(to, " contains x -> x; default no; } always"
	    " { set A = m(header X); set B = m(header X); }");
	fclose(to);
	program = unit_program("t.rules", rules);
	for (i = 0; i < COUNT(rows); i++) {
		r = request_of(rows[i][0]);
		check_program(program, "large map", r, rows[i][1]);
		request_free(r);
	}
	fm_program_free(&program);
	free(rules);
}

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
	" when url in l or clean path in l"				\
	" or header Cookie ~ \"(.*)=\" \"[?]\""				\
	" { set C = \"${1}\"; }"					\
	" rewrite ~ \"([^?]*).*\" to \"\\1?\\1\"; unset *; }"		\
	" host a { set Host = \"${wild}\"; }"				\
	" default { redirect 302 \"${url}\"; }"

UNIT_TEST(nothing_at_all_breaks_it)
{
	static const struct fm_view view;
	struct fm_program *program = unit_program("t.rules", EVERYTHING);
	char *is;

	is = result_text(fm_run(&run, program, &view, NULL), program);
	ck_assert_str_eq(is, "url ? | redirect 302 /?");
	free(is);
	fm_run_end(&run);
	fm_program_free(&program);
	program = unit_program("t.rules", "");
	is = result_text(fm_run(&run, program, &view, NULL), program);
	ck_assert_str_eq(is, "-");
	free(is);
	fm_run_end(&run);
	fm_program_free(&program);
}

/* More fields of a name go, also if the first one gets another value. */
UNIT_TEST(a_field_that_came_again_stays)
{
	struct fm_program *program = unit_program("t.rules",
	    "always { set X-A = new; unset X-B; set X-C = 1; }");
	struct request *r = request_of("GET /");
	static const char * const fields[] = { "X-A: 1", "X-B: 1", "X-A: 2",
	    "X-B: 2", "X-A: 3" };
	const struct fm_result *result;
	unsigned i;

	for (i = 0; i < UNIT_COUNT(fields); i++)
		request_field(r, fm_text_of(fields[i]));
	result = fm_run(&run, program, &r->view, NULL);
	ck_assert_uint_eq(result->edits.n, 3);
	ck_assert_uint_eq(result->edits.npresent, 2);
	ck_assert_uint_eq(result->edits.nadded, 1);
	ck_assert_uint_eq(result->edits.nremoved, 4);
	ck_assert_uint_eq(result->edits.nnotes, 3);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
}

/* A CR or LF anywhere in a value, and a Host that came twice. */
UNIT_TEST(a_value_has_a_cr_or_the_host_stays_twice)
{
	struct fm_program *program = unit_program("t.rules", "always { "
	    "set X-A = \"${header.X-B}\"; set Host = \"${host}\"; }");
	static const char value[] = "aaaaaaaaaaaaaaaa";
	struct request *r;
	const struct fm_result *result;
	struct fm_edit edit;
	char line[32];
	unsigned i;

	for (i = 0; i < 2 * (sizeof value - 2); i++) {
		r = request_of("GET /");
		request_field(r, fm_text_of("Host: a.example"));
		request_field(r, fm_text_of("Host: a.example"));
		(void)sprintf(line, "X-B: %s", value);
		line[6 + i / 2] = i % 2 == 0 ? '\r' : '\n';
		request_field(r, fm_text_of(line));
		result = fm_run(&run, program, &r->view, NULL);
		ck_assert(fm_edit_of(result, fm_text_of("X-A"), &edit));
		ck_assert_ptr_null(memchr(edit.value.b, '\r', edit.value.len));
		ck_assert_ptr_null(memchr(edit.value.b, '\n', edit.value.len));
		ck_assert(fm_edit_of(result, fm_text_of("Host"), &edit));
		ck_assert_uint_eq(result->edits.nremoved, 1);
		fm_run_end(&run);
		request_free(r);
	}
	fm_program_free(&program);
}

UNIT_TEST(large_requests_break_it)
{
	struct fm_program *program = unit_program("t.rules", EVERYTHING);
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
	/* The edits are of Accept, Cookie, and 676 others. */
	ck_assert_uint_eq(result->edits.n, 678);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
}

/* Values that grow beyond all bounds. */
UNIT_TEST(without_memory_half_of_it_is_done)
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
	program = unit_program("t.rules", rules);
	check_program(program, "growth", r, "no memory");
	result = fm_run(&run, program, &r->view, NULL);
	ck_assert_ptr_null(result->rule);
	ck_assert_ptr_eq(result->url.b, r->view.url.b);
	fm_run_end(&run);
	request_free(r);
	fm_program_free(&program);
	free(rules);
}

struct starved {
	const struct fm_program	*program;
	const struct request	*request;
	long			allocs;		/* that the thread has */
	char			*text;
};

static void *
run_starved(void *priv)
{
	struct starved *starved = priv;
	const struct fm_result *result;

	alloc_left = starved->allocs;
	result = fm_run(&run, starved->program, &starved->request->view, NULL);
	alloc_left = -1;
	starved->text = result_text(result, starved->program);
	fm_run_end(&run);
	return (NULL);
}

/* PCRE2 takes memory for the first regex of a thread. */
UNIT_TEST(a_new_thread_without_memory_takes_a_regex_for_undecided)
{
	struct fm_program *program = unit_program("t.rules", "undecided ignore;"
	    " always { when path ~ \"^/(x+)$\" { set A = \"${1}\"; } pass; }");
	struct request *r = request_of("GET /xx");
	struct starved starved = { program, r, 0, NULL };
	unsigned refused = 0;
	pthread_t thread;
	bool whole;

	do {
		ck_assert_int_eq(pthread_create(&thread, NULL, run_starved,
		    &starved), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		whole = strcmp(starved.text, "+A: xx | pass") == 0;
		ck_assert_msg(whole || strstr(starved.text, "no memory") !=
		    NULL, "%s", starved.text);
		free(starved.text);
		refused += !whole;
		starved.allocs++;
	} while (!whole);
	ck_assert_uint_gt(refused, 0);
	request_free(r);
	fm_program_free(&program);
}

int
main(void)
{
	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	return (unit_main("run", 300));
}
