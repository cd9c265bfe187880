/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests a run where no case in tests/cases can: names that are nearly those of
 * headers, maps, shortcuts, and memory that runs out.
 */

#include "bounds.h"
#include "check.h"
#include "compile.h"
#include "engine.h"
#include "host_find.h"
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

/* A regex that PCRE2 alone can decide, and is over its limit on this. */
#define COSTLY		"\"^(a+)+(?:$|b(?<=x))\""
#define AAA		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"

/*
 * Requests as Varnish never sends them
 */

START_TEST(a_name_is_taken_for_another)
{
	static const char rules[] = "always { set X^y = 1;"
	    " set A-longer-name-Z = 2; set Nine-byte = 3; }";
	static const char sets_all[] =
	    "+A-longer-name-Z: 2 | +Nine-byte: 3 | +X^y: 1";

	check_run(rules, "GET /\nx^Y: 1\na-Longer-Name-z: 2\nnine-BYTE:3", "-");
	check_run(rules, "GET /\nx~Y: 1\nA-longer-nama-Z: 2\nNine\rbyte: 3",
	    sets_all);
	check_run(rules, "GET /\nX^y : 1\nA-longer-name-: 2\nNine-bytes: 3"
	    "\nX^y", sets_all);
}
END_TEST

START_TEST(a_line_that_is_no_header_is_taken_for_one)
{
	check_run("always { unset *; unset *e*; unset h*; unset C*; }",
	    "GET /\nHost: a\nContent-Length: 0\nno colon\n: no name\nE: 1",
	    "-E");
	check_run("always { unset H*; }", "GET /\nHost : x", "-Host ");
	check_run("host a { pass; } default { hash; }", "GET /\nHost : a",
	    "hash");
}
END_TEST

START_TEST(an_underscore_is_taken_for_another_byte)
{
	static const char rules[] = "always { unset -A-b X-Foo; }";

	check_run(rules, "GET /\nX_Foo : 1\nX_Foo\nX:Foo: 2\n_A-b: 3"
	    "\nX\x1f""Foo: 4\n: X_Foo: 5\nX_Fo", "-");
	check_run(rules, "GET /\n-A_b: 1\nX_Foo:\nx_fOO: 2\nX_Foo : 3",
	    "--A_b | -X_Foo");
}
END_TEST

START_TEST(a_client_without_an_address_is_in_a_network)
{
	check_run("list all is { 0.0.0.0/0 ::/0 }"
	    " always { when client in all { set A = 1; }"
	    " when not client in 10.0.0.0/8 { set B = 1; } }", "GET /",
	    "+B: 1");
}
END_TEST

/* Keeps the subject of the last test that was asked. */
static void
keep_subject(void *priv, const struct fm_rule *test, enum fm_outcome outcome,
    struct fm_text subject)
{
	(void)test;
	(void)outcome;
	*(struct fm_text *)priv = subject;
}

/* Returns where the clean path of a request begins in its URL; -1: nowhere. */
static int
clean_path_at(const struct fm_program *program, const char *request)
{
	struct request *r = request_of(request);
	struct fm_text path = { NULL, 0 }, url = r->view.url;
	const struct fm_trace trace = { .priv = &path, .test = keep_subject };
	int at = -1;

	(void)fm_run(&run, program, &r->view, &trace);
	ck_assert_ptr_nonnull(path.b);
	if ((uintptr_t)path.b >= (uintptr_t)url.b &&
	    (uintptr_t)path.b < (uintptr_t)url.b + url.len)
		at = (int)(path.b - url.b);
	fm_run_end(&run);
	request_free(r);
	return (at);
}

START_TEST(a_path_that_is_clean_is_copied)
{
	struct fm_program *p;

	p = program_of("always { when clean path is /x { pass; } }");
	ck_assert_int_eq(clean_path_at(p, "GET /a/.b/c../...?d=//"), 0);
	ck_assert_int_eq(clean_path_at(p, "GET /%zz/%4"), 0);
	ck_assert_int_eq(clean_path_at(p, "GET https://h/a?b"), 9);
	ck_assert_int_eq(clean_path_at(p, "GET /a/./b"), -1);
	ck_assert_int_eq(clean_path_at(p, "GET /a%2eb"), -1);
	ck_assert_int_eq(clean_path_at(p, "GET a"), -1);
	fm_program_free(&p);
}
END_TEST

/*
 * Maps
 */

START_TEST(a_large_map_takes_another_line)
{
	static const char * const rows[][2] = {
		{ "GET /\nX: k1", "+A: 1 | +B: 1" },
		{ "GET /\nX: k2999", "+A: 2999 | +B: 2999" },
		{ "GET /\nX: k3000", "+A: no | +B: no" },
		{ "GET /", "+A: no | +B: no" },
		{ "GET /\nX: two x", "+A: two | +B: two" },
		{ "GET /\nX: two xy", "+A: x | +B: x" },
		{ "GET /\nX: " AAA "x", "+A: no | +B: no | undecided 2" },
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
	program = program_of(rules);
	for (i = 0; i < COUNT(rows); i++) {
		r = request_of(rows[i][0]);
		check_program(program, "large map", r, rows[i][1]);
		request_free(r);
	}
	fm_program_free(&program);
	free(rules);
}
END_TEST

/*
 * Shortcuts
 */

/* Tries each byte that a text may begin and end with against all others. */
START_TEST(a_byte_is_ruled_out_that_a_text_ends_with)
{
	static const char * const tests[] = { "is", "begins", "ends", "like",
	    "nocase is", "nocase begins", "nocase ends", "nocase like" };
	unsigned c, other, i, ruled = 0, bytes = 0;
	const struct fm_test *test;
	struct fm_program *p;
	char rules[400], b[2];
	size_t len;
	bool same;

	for (c = ' '; c < 256; c++) {
		if (strchr("\"\\*?$\177", (int)c) != NULL)
			continue;
		bytes++;
		len = (size_t)sprintf(rules, "always {");
		for (i = 0; i < 8; i++)
			len += (size_t)sprintf(rules + len, " when url %s "
			    "\"%cx%c\" { hash; }", tests[i], (int)c, (int)c);
		sprintf(rules + len, " }");
		p = program_of(rules);
		ck_assert_uint_eq(p->ntests, 8);
		for (i = 0; i < 8 * 256; i++) {
			test = &p->tests[i / 256];
			other = i % 256;
			b[0] = b[1] = (char)other;
			if ((fm_test_end(test, fm_text(b, 2)) & test->ends) !=
			    0)
				continue;
			ruled++;
			same = c == other || (i / 256 >= 4 &&
			    fm_lower((unsigned char)c) ==
			    fm_lower((unsigned char)other));
			AGREE(!same, "%02x is ruled out by %02x", other, c);
		}
		fm_program_free(&p);
	}
	/* A text has one bit of 64, so it rules out nearly all bytes. */
	ck_assert_uint_gt(ruled, 8 * bytes * 240);
}
END_TEST

/*
 * For each host that is in the table by its name, the compiler asks the maps of
 * the host.  A run takes their values from there.
 */

static const char * const map_hosts[] = { "a.example", "www.a.example",
    ".b.example", "*.c.example", "www.*", "x.c.example", "d", "Big.Example",
    "10.0.0.1", "e.d.c.b.a.example", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
    "m.b.example" };

/* There is room for the values of all but the last one. */
static const char * const host_maps[] = {
	"is a.example -> 1; ends .b.example -> \"${url}${host}\"; is d -> d;",
	"not is WWW.A.Example. -> 1; begins x. -> 2; default \"${host}\";",
	"~ " COSTLY " -> 1; ~ \"^(www|[a-e])[.](.*)$\" -> 2; default 3;",
	"like \"*.example\" and not like \"b*\" -> 1; is d -> \"\";",
	"not ~ " COSTLY " and contains e -> 1; contains a -> \"${url}\";",
	"contains c and not begins x.c -> 1; is Big.Example x.c.example -> 2;",
	"ends .a.example -> 1; begins www. -> \"\"; default other;",
	"not contains example -> 1; begins b e m. -> 2;",
	"is d -> d; ends b.example -> b; default \"${host}\";",
};

/* A program of all these maps and hosts; `first` runs before the maps. */
static struct fm_program *
maps_program(const char *first)
{
	struct fm_program *p;
	char *rules = NULL;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	int i;

	for (i = 0; i < COUNT(host_maps); i++)
		fprintf(to, "map m%d { %s }\n", i, host_maps[i]);
	fprintf(to, "always { set M = m0(header Host); %s", first);
	for (i = 0; i < COUNT(host_maps); i++)
		fprintf(to, " set A%d = m%d(host);", i, i);
	fprintf(to, " }\n");
	for (i = 0; i < COUNT(map_hosts); i++)
		fprintf(to, "host %s { set B = m%d(host); set C = m%d(host); "
		    "}\n", map_hosts[i], i % COUNT(host_maps),
		    i * 5 % COUNT(host_maps));
	fprintf(to, "default { set D = m0(host); }\n");
	fclose(to);
	p = program_of(rules);
	free(rules);
	return (p);
}

/*
 * Returns the outcome without the table of what is known and, as with a trace
 * there are none, without routes.
 */
static char *
unknown_text(struct fm_program *p, const struct request *r)
{
	static const struct fm_trace trace;
	uint32_t *known = p->known;
	const struct fm_result *result;
	char *text;

	p->known = NULL;
	result = fm_run(&run, p, &r->view, &trace);
	text = result_text(result, p);
	fm_run_end(&run);
	p->known = known;
	return (text);
}

static void
check_known(struct fm_program *p, const char *host)
{
	struct request *r;
	char text[400], *without;

	snprintf(text, sizeof text, "GET /u\nHost: %s", host);
	r = request_of(text);
	without = unknown_text(p, r);
	check_program(p, "what is known", r, without);
	free(without);
	request_free(r);
}

/* Counts the cells of the table that are known, and that are unknown. */
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
	unsigned cells[2] = { 0, 0 };
	struct fm_program *p;
	const char *name;
	char host[100];
	int i, k, n;

	for (i = 0; i < 2; i++) {
		p = maps_program(i == 0 ? "" : "set Host = d;");
		count_known(p, cells);
		for (k = 0; k < COUNT(map_hosts); k++) {
			name = map_hosts[k] + strspn(map_hosts[k], "*.");
			for (n = 0; n < COUNT(before); n++) {
				snprintf(host, sizeof host, "%s%s%s",
				    before[n], name,
				    after[(i + k + n) % COUNT(after)]);
				check_known(p, host);
			}
		}
		check_known(p, "WWW.A.EXAMPLE");
		check_known(p, "");
		check_known(p, "a b");
		fm_program_free(&p);
	}
	ck_assert_uint_gt(cells[0], 100);
	ck_assert_uint_gt(cells[1], 20);
}
END_TEST

static uint32_t
known_of(const struct fm_program *p, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(host_find(p->hosttab, fm_text_of(host), &hit));
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
	/* The name itself is one that .c.example stands for. */
	ck_assert_uint_lt(known_of(p, "c.example"), FM_UNKNOWN);
	ck_assert_uint_ne(known_of(p, "c.example"), known_of(p,
	    "b.example"));
	/* The map has no value, which is known, too. */
	ck_assert_uint_eq(known_of(p, "e.example"), FM_NONE);
	ck_assert_uint_eq(known_of(p, "x.d.example"), FM_UNKNOWN);
	/* The map was undecided, so each request asks it. */
	ck_assert_uint_eq(known_of(p, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
	    FM_UNKNOWN);
	check_known(p, "x.c.example");
	fm_program_free(&p);
	/* There is no host, or no map of the host. */
	p = program_of("map m { begins b -> 2; } always { set A = m(host); }");
	ck_assert_ptr_null(p->known);
	fm_program_free(&p);
	p = program_of("map m { begins b -> 2; } host a { set A = m(agent); }");
	ck_assert_ptr_null(p->known);
	fm_program_free(&p);
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
	" when url in l or clean path in l"				\
	" or header Cookie ~ \"(.*)=\" \"[?]\""				\
	" { set C = \"${1}\"; }"					\
	" rewrite ~ \"([^?]*).*\" to \"\\1?\\1\"; unset *; }"		\
	" host a { set Host = \"${wild}\"; }"				\
	" default { redirect 302 \"${url}\"; }"

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

START_TEST(a_host_that_is_not_lowered_for_memory_decides_nothing)
{
	struct fm_program *program = program_of("finally { builtin; }");
	struct request *r = request_of("GET /");
	const struct fm_result *result;
	char *b = malloc(30000);

	ck_assert_ptr_nonnull(b);
	memset(b, 'A', 30000);
	memcpy(b, "Host:", 5);
	request_field(r, fm_text(b, 30000));
	free(b);
	failing = 0;
	result = fm_run(&run, program, &r->view, NULL);
	ck_assert_int_eq(failing, -1);
	ck_assert(result->no_memory);
	ck_assert(result->verdict == FM_VERDICT_NONE);
	ck_assert_uint_eq(result->nedits, 0);
	fm_run_end(&run);
	result = fm_run(&run, program, &r->view, NULL);
	ck_assert(result->verdict == FM_VERDICT_HASH);
	ck_assert_uint_eq(result->nedits, 1);
	fm_run_end(&run);
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
	i = INT32_MAX - failing - 20;
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

int
main(void)
{
	TCase *tc = tcase_create("run");

	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, a_name_is_taken_for_another);
	tcase_add_test(tc, a_line_that_is_no_header_is_taken_for_one);
	tcase_add_test(tc, an_underscore_is_taken_for_another_byte);
	tcase_add_test(tc, a_client_without_an_address_is_in_a_network);
	tcase_add_test(tc, a_path_that_is_clean_is_copied);
	tcase_add_test(tc, a_large_map_takes_another_line);
	tcase_add_test(tc, a_byte_is_ruled_out_that_a_text_ends_with);
	tcase_add_test(tc, what_is_known_of_a_host_is_wrong);
	tcase_add_test(tc, more_is_known_of_a_host_than_can_be);
	tcase_add_test(tc, nothing_at_all_breaks_it);
	tcase_add_test(tc, large_requests_break_it);
	tcase_add_test(tc, without_memory_half_of_it_is_done);
	tcase_add_test(tc, a_failed_allocation_breaks_it);
	tcase_add_test(tc,
	    a_host_that_is_not_lowered_for_memory_decides_nothing);
	tcase_add_test(tc, cookies_that_wait_outlive_what_memory_there_is);
	tcase_add_test(tc, what_there_is_no_memory_to_know_is_known);
	return (unit_run("run", tc));
}
