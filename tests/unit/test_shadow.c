/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shadow rules: what is counted, what of a request is shown, and that threads
 * that count and others that report don't disturb each other.
 */

#include <pthread.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "compiling.h"
#include "shadow.h"
#include "shard.h"

#define SECRET	"S3CRET"

time_t __wrap_time(time_t *);

static time_t seconds = 1000000;	/* what time() says */
static time_t a_call = 1;		/* seconds that pass with each */

static __thread long allocs_given = -1;	/* to compare a request */

/*
 * A second passes with each call, as only ten requests of a second are kept as
 * examples.
 */
time_t
__wrap_time(time_t *out)
{
	(void)out;
	return (__atomic_add_fetch(&seconds, a_call, __ATOMIC_RELAXED));
}

/*--------------------------------------------------------------------
 * Two programs and a shadow
 */

struct two {
	struct fm_shadow	*shadow;
	struct fm_program	*programs[2];
	struct fm_shadow_pair	pair;
};

static void
two_begin(struct two *two, const char *serving, const char *next)
{
	two->shadow = fm_shadow_new();
	ck_assert_ptr_nonnull(two->shadow);
	two->programs[FM_OLD] = unit_program("site.rules", serving);
	two->programs[FM_NEW] = unit_program("next.rules", next);
	two->pair = (struct fm_shadow_pair){ .phase = FM_PHASE_REQUEST,
	    .programs = { two->programs[FM_OLD], two->programs[FM_NEW] },
	    .digests = { "aaaa", "bbbb" } };
	fm_shadow_begin(two->shadow, FM_OLD, "aaaa");
	fm_shadow_begin(two->shadow, FM_NEW, "bbbb");
}

static void
two_end(struct two *two)
{
	fm_shadow_free(&two->shadow);
	fm_program_free(&two->programs[FM_OLD]);
	fm_program_free(&two->programs[FM_NEW]);
}

#define HEADERS	8

/* Compares a request with these header lines, up to a NULL. */
static enum fm_shadow_came
ask(struct two *two, const char *method, const char *url,
    const char * const *lines)
{
	struct fm_field fields[HEADERS];
	struct fm_view view = { .method = fm_text_of(method),
	    .url = fm_text_of(url), .fields = fields };
	struct fm_shadow_pair pair = two->pair;
	enum fm_shadow_came came;
	struct fm_run run;

	pair.views[FM_OLD] = pair.views[FM_NEW] = &view;
	for (; lines[view.nfields] != NULL; view.nfields++) {
		ck_assert_uint_lt(view.nfields, HEADERS);
		fields[view.nfields].b = lines[view.nfields];
		fields[view.nfields].e = strchr(lines[view.nfields], '\0');
	}
	(void)fm_run(&run, two->programs[FM_OLD], &view, NULL);
	alloc_left = allocs_given;
	came = fm_shadow_compare(two->shadow, &pair, &run);
	alloc_left = -1;
	fm_run_end(&run);
	return (came);
}

static enum fm_shadow_came
ask_host(struct two *two, const char *host, const char *url)
{
	char line[100];
	const char *lines[] = { line, NULL };

	(void)snprintf(line, sizeof line, "Host: %s", host);
	return (ask(two, "GET", url, lines));
}

/* Asks, and fails unless the two programs differ. */
static void
differs(struct two *two, const char *host, const char *url)
{
	ck_assert_int_eq(ask_host(two, host, url), FM_SHADOW_DIFFERS);
}

/*
 * Compares what is told: "kind header host serving -> shadow: requests",
 * sorted, a line each.
 */
static void
check_cells(struct two *two, const char *expect)
{
	struct fm_shadow_told *told = fm_shadow_told(two->shadow);
	const struct fm_shadow_cell *cell;
	char text[4000] = "";
	size_t i, len = 0;

	ck_assert_ptr_nonnull(told);
	for (i = 0; i < told->ncells; i++) {
		cell = told->cells[i];
		len += (size_t)snprintf(text + len, sizeof text - len,
		    "%s%s%s %s: %s -> %s: %ju\n", cell->kind,
		    cell->header == NULL ? "" : " ",
		    cell->header == NULL ? "" : cell->header,
		    cell->host == NULL ? "-" : cell->host,
		    cell->rules[0].at == NULL ? "-" : cell->rules[0].text,
		    cell->rules[1].at == NULL ? "-" : cell->rules[1].text,
		    (uintmax_t)cell->requests);
		ck_assert_uint_lt(len, sizeof text);
	}
	ck_assert_str_eq(text, expect);
	fm_shadow_told_free(&told);
}

static void
check_counts(struct two *two, uint64_t sampled, uint64_t differ)
{
	struct fm_shadow_told *told = fm_shadow_told(two->shadow);

	ck_assert_ptr_nonnull(told);
	ck_assert_uint_eq(told->sampled, sampled);
	ck_assert_uint_eq(told->differ, differ);
	fm_shadow_told_free(&told);
}

/*--------------------------------------------------------------------*/

UNIT_TEST(differences_are_counted_for_other_rules_or_hosts)
{
	struct two two;

	two_begin(&two, "always { set A = 1; }\n"
	    "host *.shop.example { when path is /a { pass; } set B = 1; }\n"
	    "default { synth 404; }",
	    "always { set A = 1; }\n"
	    "host *.shop.example { when path is /a { hash; } set B = 2; }\n"
	    "host new.example { pass; }\n"
	    "default { synth 404 \"gone\"; unset C; }");
	differs(&two, "A.shop.example:80", "/a");
	differs(&two, "b.shop.example", "/b");
	differs(&two, "b.shop.example", "/b");
	differs(&two, "new.example", "/");
	differs(&two, "else.example", "/");
	check_cells(&two,
	    "header B *.shop.example: set B = 1 -> set B = 2: 2\n"
	    "reason default: synth 404 -> synth 404 \"gone\": 1\n"
	    "verdict *.shop.example: pass -> hash: 1\n"
	    "verdict new.example: synth 404 -> pass: 1\n");
	check_counts(&two, 5, 5);
	two_end(&two);
}

UNIT_TEST(requests_that_are_decided_alike_differ)
{
	struct two two;

	two_begin(&two, "host a.example { set A = 1; set B = x; backend b; }",
	    "always { set B = y; } host a.example { backend b;\n"
	    "set B = x; set A = 1; } host b.example { }");
	ck_assert_int_eq(ask_host(&two, "a.example", "/?a=1"),
	    FM_SHADOW_SAME);
	check_counts(&two, 1, 0);
	check_cells(&two, "");
	/* No entry has it, and no block is default. */
	differs(&two, "c.example", "/");
	check_cells(&two, "header B -: - -> set B = y: 1\n");
	two_end(&two);
}

UNIT_TEST(client_makes_cells_by_names_of_headers)
{
	static const char * const lines[] = { "Host: a.example", "X-1: 1",
	    "X-2: 1", "X-3: 1", NULL };
	struct two two;

	two_begin(&two, "always { unset X-*; }", "always { unset Y-*; }");
	ck_assert_int_eq(ask(&two, "GET", "/", lines), FM_SHADOW_DIFFERS);
	check_cells(&two, "header * -: unset X-* -> -: 1\n");
	two_end(&two);
}

/* The rule that edited last; none where a side has left things as they are. */
UNIT_TEST(change_has_other_rules_than_those_that_made_it)
{
	static const char * const lines[] = { "Host: a.example",
	    "Cookie: a=1; b=2; c=3", "X-Foo: 1", "X_Foo: 2", "X-Bar: 1",
	    "Y-1: 1", "A: 1", NULL };
	struct two two;

	two_begin(&two, "always { set B = 1; set B = 2; set A = 1;\n"
	    "rewrite ~ ^/ to /1; rewrite ~ 1 to 2; backend b; backend c; }\n"
	    "default { hash; }",
	    "always { cookie drop a; cookie drop z; cookie drop b;\n"
	    "unset X-Foo; unset Y-*; unset X-B*; set A = 2; set B = 1;\n"
	    "builtin; }");
	ck_assert_int_eq(ask(&two, "GET", "/", lines), FM_SHADOW_DIFFERS);
	check_cells(&two,
	    "backend default: backend c -> -: 1\n"
	    "header * default: - -> unset X-B*: 1\n"
	    "header * default: - -> unset X-Foo: 1\n"
	    "header * default: - -> unset Y-*: 1\n"
	    "header A default: - -> set A = 2: 1\n"
	    "header B default: set B = 2 -> set B = 1: 1\n"
	    "header Cookie default: - -> cookie drop b: 1\n"
	    "header X-Foo default: - -> unset X-Foo: 1\n"
	    "url default: rewrite ~ 1 to 2 -> -: 1\n"
	    "verdict default: hash -> builtin: 1\n");
	two_end(&two);
}

UNIT_TEST(more_cells_are_kept_than_there_may_be)
{
	static char rules[2][100000];
	struct fm_shadow_told *told;
	unsigned i, side;
	struct two two;
	char host[32];

	for (side = 0; side < 2; side++)
		for (i = 0; i < 1200; i++)
			(void)sprintf(strchr(rules[side], '\0'),
			    "host h%u.example { set A = %u; }\n", i, side);
	two_begin(&two, rules[0], rules[1]);
	for (i = 0; i < 1200; i++) {
		(void)snprintf(host, sizeof host, "h%u.example", i);
		differs(&two, host, "/");
	}
	differs(&two, "h7.example", "/");
	told = fm_shadow_told(two.shadow);
	ck_assert_uint_eq(told->ncells, FM_SHADOW_CELLS);
	ck_assert_uint_eq(told->other, 200);
	ck_assert_uint_eq(told->differ, 1201);
	ck_assert_str_eq(told->cells[0]->host, "h7.example");
	ck_assert_uint_eq(told->cells[0]->requests, 2);
	/* The last hundred, newest first. */
	ck_assert_uint_eq(told->nexamples, FM_SHADOW_EXAMPLES);
	ck_assert_str_eq(told->examples[0].host, "h7.example");
	ck_assert_str_eq(told->examples[1].host, "h1199.example");
	ck_assert_uint_eq(told->examples[1].ncells, 0);
	ck_assert_str_eq(told->examples[99].host, "h1101.example");
	fm_shadow_told_free(&told);
	two_end(&two);
}

UNIT_TEST(other_rules_go_on_counting)
{
	struct fm_shadow_told *told;
	struct two two;

	two_begin(&two, "always { set A = 1; }", "always { set A = 2; }");
	(void)ask_host(&two, "a", "/");
	fm_shadow_begin(two.shadow, FM_OLD, "aaaa");
	check_counts(&two, 1, 1);
	fm_shadow_begin(two.shadow, FM_NEW, "cccc");
	check_counts(&two, 0, 0);
	check_cells(&two, "");
	/* The next request began before. */
	(void)ask_host(&two, "a", "/");
	check_counts(&two, 1, 0);
	two.pair.digests[FM_NEW] = "cccc";
	(void)ask_host(&two, "a", "/");
	check_counts(&two, 2, 1);
	fm_shadow_begin(two.shadow, FM_NEW, NULL);
	told = fm_shadow_told(two.shadow);
	ck_assert_int_eq(told->since, 0);
	ck_assert_uint_eq(told->sampled + told->differ + told->nexamples, 0);
	fm_shadow_told_free(&told);
	two_end(&two);
}

/*--------------------------------------------------------------------
 * Phases
 */

/* Compares a response or a key; the rules that serve have none if `alone`. */
static enum fm_shadow_came
ask_phase(struct two *two, enum fm_phase phase, bool alone)
{
	static const char line[] = "Set-Cookie: s=" SECRET;
	const struct fm_field field = { line, strchr(line, '\0') };
	const struct fm_response response = { .status = 200, .ttl = 5 };
	const struct fm_view view = { .method = fm_text_of("GET"),
	    .url = fm_text_of("/a?" SECRET), .fields = &field, .nfields = 1,
	    .response = phase == FM_PHASE_KEY ? NULL : &response };
	struct fm_shadow_pair pair = two->pair;
	enum fm_shadow_came came;
	struct fm_run run;
	unsigned i;

	pair.phase = phase;
	for (i = 0; i < 2; i++) {
		pair.programs[i] = fm_program_phase(two->programs[i], phase);
		pair.views[i] = &view;
	}
	if (alone) {
		pair.programs[FM_OLD] = NULL;
		pair.views[FM_OLD] = NULL;
		return (fm_shadow_compare(two->shadow, &pair, NULL));
	}
	(void)fm_run(&run, pair.programs[FM_OLD], &view, NULL);
	came = fm_shadow_compare(two->shadow, &pair, &run);
	fm_run_end(&run);
	return (came);
}

static void
check_later(struct two *two, enum fm_phase phase, uint64_t sampled,
    uint64_t differ)
{
	struct fm_shadow_told *told = fm_shadow_told(two->shadow);

	ck_assert_uint_eq(told->later[phase].sampled, sampled);
	ck_assert_uint_eq(told->later[phase].differ, differ);
	fm_shadow_told_free(&told);
}

UNIT_TEST(phases_are_counted_together_or_a_side_without_rules_is_not_compared)
{
	struct two two;

	two_begin(&two, "always { set A = 1; key { \"1\"; }\n"
	    "response { ttl 5s; set A = 1; } delivery { set A = 1; } }",
	    "always { key { \"1\"; \"2\"; }\n"
	    "response { set A = 1; } delivery { set A = 2; } }");
	ck_assert_int_eq(ask_phase(&two, FM_PHASE_RESPONSE, false),
	    FM_SHADOW_SAME);
	ck_assert_int_eq(ask_phase(&two, FM_PHASE_RESPONSE, true),
	    FM_SHADOW_DIFFERS);
	ck_assert_int_eq(ask_phase(&two, FM_PHASE_DELIVERY, false),
	    FM_SHADOW_DIFFERS);
	ck_assert_int_eq(ask_phase(&two, FM_PHASE_KEY, false),
	    FM_SHADOW_DIFFERS);
	ck_assert_int_eq(ask_phase(&two, FM_PHASE_KEY, true),
	    FM_SHADOW_DIFFERS);
	differs(&two, "a.example", "/");
	check_counts(&two, 1, 1);
	check_later(&two, FM_PHASE_RESPONSE, 2, 1);
	check_later(&two, FM_PHASE_DELIVERY, 1, 1);
	check_later(&two, FM_PHASE_KEY, 2, 2);
	check_later(&two, FM_PHASE_FETCH, 0, 0);
	check_cells(&two,
	    "header A -: set A = 1 -> set A = 2: 1\n"
	    "key -: - -> \"1\": 1\n"
	    "key -: - -> \"2\": 1\n"
	    "header A -: set A = 1 -> -: 1\n"
	    "header A -: - -> set A = 1: 1\n");
	fm_shadow_begin(two.shadow, FM_OLD, "cccc");
	check_later(&two, FM_PHASE_KEY, 0, 0);
	two_end(&two);
}

UNIT_TEST(example_of_a_response_has_its_cookie)
{
	const struct fm_shadow_example *example;
	struct fm_shadow_told *told;
	struct two two;

	two_begin(&two, "always { response {\n"
	    "when header Set-Cookie present { set A = 1; } } }",
	    "always { response { set A = 2; } }");
	ck_assert_int_eq(ask_phase(&two, FM_PHASE_RESPONSE, false),
	    FM_SHADOW_DIFFERS);
	told = fm_shadow_told(two.shadow);
	ck_assert_uint_eq(told->nexamples, 1);
	example = &told->examples[0];
	ck_assert_str_eq(example->phase, "response");
	ck_assert_str_eq(example->path, "/a");
	ck_assert_str_eq(example->headers[0], "Set-Cookie");
	ck_assert_uint_eq(example->ntested, 0);
	fm_shadow_told_free(&told);
	two_end(&two);
}

/*--------------------------------------------------------------------
 * Examples
 */

static void
check_harmless(const char *text)
{
	ck_assert_msg(text == NULL || strstr(text, SECRET) == NULL, "%s",
	    text);
}

/* Nothing that is told has the secret in it. */
static void
check_secret(struct two *two)
{
	struct fm_shadow_told *told = fm_shadow_told(two->shadow);
	const struct fm_shadow_example *example;
	size_t i, j;

	ck_assert_ptr_nonnull(told);
	ck_assert_uint_gt(told->ncells, 0);
	ck_assert_uint_gt(told->nexamples, 0);
	for (i = 0; i < told->ncells; i++) {
		check_harmless(told->cells[i]->header);
		check_harmless(told->cells[i]->host);
		check_harmless(told->cells[i]->rules[0].text);
		check_harmless(told->cells[i]->rules[1].text);
	}
	for (i = 0; i < told->nexamples; i++) {
		example = &told->examples[i];
		check_harmless(example->method);
		check_harmless(example->host);
		check_harmless(example->path);
		for (j = 0; j < example->nparams; j++)
			check_harmless(example->params[j]);
		for (j = 0; j < example->nheaders; j++)
			check_harmless(example->headers[j]);
		for (j = 0; j < example->ntested; j++)
			check_harmless(example->tested[j].value);
	}
	fm_shadow_told_free(&told);
}

UNIT_TEST(secrets_are_shown)
{
	static const char * const lines[] = { "Host: a.example",
	    "Cookie: s=" SECRET, "Authorization: Basic " SECRET,
	    "Proxy-Authorization: " SECRET, "Proxy_Authorization: " SECRET,
	    "Proxy.Authorization: " SECRET,
	    "X-Other: " SECRET, "User-Agent: curl", NULL };
	static const char * const urls[] = { "/a?t=" SECRET, "/a?t=1&u=" SECRET
	    "&=" SECRET "&v=x=" SECRET "?" SECRET, "http://x:" SECRET
	    "@a.example/a?t=" SECRET, "http://" SECRET "?a=" SECRET };
	struct two two;
	size_t i;

	two_begin(&two, "always {\n"
	    "when cookie s begins S3 and header Cookie contains S3 {\n"
	    "  set Z-1 = 1; }\n"
	    "when header Authorization contains S3 { set Z-2 = 1; }\n"
	    "when header Proxy-Authorization contains S3 { set Z-3 = 1; }\n"
	    "when header Proxy.Authorization contains S3 { set Z-6 = 1; }\n"
	    "when query t begins S3 { set Z-4 = 1; }\n"
	    "when url contains S3 { set Z-5 = 1; }\n"
	    "set X-Copy = \"${cookie.s}\"; set X-Query = \"${query}\";\n"
	    "when header X-Copy contains S3 and header X-Query is x {\n"
	    "  pass; }\n"
	    "when header X-Copy contains S3 { set url = \"/${query.t}\"; }\n"
	    "redirect 302 \"/${cookie.s}\"; }", "");
	for (i = 0; i < sizeof urls / sizeof urls[0]; i++)
		ck_assert_int_eq(ask(&two, "GET", urls[i], lines),
		    FM_SHADOW_DIFFERS);
	check_secret(&two);
	two_end(&two);
}

UNIT_TEST(example_lacks_what_a_rule_tested)
{
	static const char * const lines[] = { "Host: A.example:8080",
	    "X-Color:  red ", "user-agent: an iPhone", "X-None:", "no line",
	    NULL };
	struct fm_shadow_told *told;
	const struct fm_shadow_example *e;
	struct two two;

	two_begin(&two, "host a.example {\n"
	    "when header X-Early is x { set A = 1; }\n"
	    "when header X-Color is blue { hash; }\n"
	    "else when agent contains iPhone {\n"
	    "  when not header X-Missing present { pass; } } }",
	    "always { when header X-None is x { hash; } }");
	ck_assert_int_eq(ask(&two, "GET", "/p/q?id=1&b&&c=?d&%3De&f%3Dg;h",
	    lines), FM_SHADOW_DIFFERS);
	told = fm_shadow_told(two.shadow);
	ck_assert_uint_eq(told->nexamples, 1);
	e = &told->examples[0];
	ck_assert_str_eq(e->method, "GET");
	ck_assert_str_eq(e->host, "a.example");
	ck_assert_str_eq(e->path, "/p/q");
	ck_assert_uint_eq(e->nparams, 2);
	ck_assert_str_eq(e->params[0], "id");
	ck_assert_str_eq(e->params[1], "c");
	ck_assert_uint_eq(e->nheaders, 4);
	ck_assert_str_eq(e->headers[2], "user-agent");
	/* The whens around it and an else tested these, and no other. */
	ck_assert_uint_eq(e->ntested, 3);
	ck_assert_str_eq(e->tested[0].name, "X-Missing");
	ck_assert_ptr_null(e->tested[0].value);
	ck_assert_str_eq(e->tested[1].name, "User-Agent");
	ck_assert_str_eq(e->tested[1].value, "an iPhone");
	ck_assert_str_eq(e->tested[2].name, "X-Color");
	ck_assert_str_eq(e->tested[2].value, "red");
	ck_assert_uint_eq(e->ncells, 1);
	ck_assert_str_eq(e->cells[0]->kind, "verdict");
	fm_shadow_told_free(&told);
	two_end(&two);
}

UNIT_TEST(many_differences_make_many_examples)
{
	struct fm_shadow_told *told;
	struct two two;
	unsigned i;

	a_call = 0;
	two_begin(&two, "always { set A = 1; }", "always { set A = 2; }");
	for (i = 0; i < 25; i++)
		(void)ask_host(&two, "a.example", "/early");
	seconds++;
	for (i = 0; i < 3; i++)
		(void)ask_host(&two, "a.example", "/late");
	check_cells(&two, "header A -: set A = 1 -> set A = 2: 28\n");
	told = fm_shadow_told(two.shadow);
	ck_assert_uint_eq(told->nexamples, FM_SHADOW_A_SECOND + 3);
	ck_assert_str_eq(told->examples[0].path, "/late");
	ck_assert_str_eq(told->examples[3].path, "/early");
	fm_shadow_told_free(&told);
	a_call = 1;
	two_end(&two);
}

UNIT_TEST(hostile_request_makes_a_large_example)
{
	static char url[40000], agent[9000], name[9000];
	const char *lines[] = { "Host: a.example", agent, name, NULL };
	struct fm_shadow_told *told;
	const struct fm_shadow_example *e;
	struct two two;
	size_t i;

	memset(url, 'a', sizeof url - 1);
	url[0] = '/';
	url[10000] = '?';
	for (i = 10001; i + 2 < sizeof url - 1; i += 3)
		memcpy(url + i, "a=&", 3);
	memset(agent, 'b', sizeof agent - 1);
	memcpy(agent, "User-Agent: ", 12);
	memset(name, 'c', sizeof name - 1);
	name[8000] = ':';
	two_begin(&two, "always { when agent begins b { pass; } }", "");
	ck_assert_int_eq(ask(&two, "GET", url, lines), FM_SHADOW_DIFFERS);
	told = fm_shadow_told(two.shadow);
	e = &told->examples[0];
	ck_assert_uint_eq(strlen(e->path), 512);
	ck_assert_uint_eq(e->nparams, 32);
	ck_assert_uint_eq(e->nheaders, 3);
	ck_assert_uint_eq(strlen(e->headers[2]), 64);
	ck_assert_uint_eq(strlen(e->tested[0].value), 256);
	fm_shadow_told_free(&told);
	two_end(&two);
}

/*--------------------------------------------------------------------
 * The share, memory, threads
 */

UNIT_TEST(share_is_another)
{
	static const struct {
		uint64_t	share;
		unsigned	least, most;	/* of 100 in a row */
	} cases[] = {
		{ 0, 0, 0 }, { FM_SHADOW_ALL, 100, 100 },
		{ FM_SHADOW_ALL / 10, 8, 12 }, { FM_SHADOW_ALL / 2, 48, 52 },
		{ FM_SHADOW_ALL / 100, 0, 3 }
	};
	unsigned c, round, i, taken;

	for (c = 0; c < sizeof cases / sizeof cases[0]; c++)
		for (round = 0; round < 1000; round++) {
			for (i = taken = 0; i < 100; i++)
				taken += fm_shadow_takes(cases[c].share);
			ck_assert_uint_ge(taken, cases[c].least);
			ck_assert_uint_le(taken, cases[c].most);
		}
}

UNIT_TEST(no_memory_loses_a_request)
{
	struct fm_shadow_told *told = NULL;
	enum fm_shadow_came came;
	uint64_t counted = 0, asked = 0;
	struct two two;
	long n;

	two_begin(&two, "always { when agent present { pass; } set A = 1; }",
	    "always { set A = 2; }");
	for (n = 0; n < 40; n++) {
		allocs_given = n;
		came = ask_host(&two, "a.example", "/?a=b");
		ck_assert_int_ne(came, FM_SHADOW_SAME);
		asked++;
	}
	allocs_given = -1;
	for (n = 0; told == NULL; n++) {
		ck_assert_int_lt(n, 100);
		alloc_left = n;
		told = fm_shadow_told(two.shadow);
		alloc_left = -1;
	}
	ck_assert_int_gt(n, 2);
	ck_assert_uint_eq(told->sampled, asked);
	ck_assert_uint_eq(told->differ + told->no_memory, asked);
	ck_assert_uint_gt(told->other, 0);
	ck_assert_uint_eq(told->ncells, 1);
	counted = told->cells[0]->requests + told->other +
	    told->unattributed + told->no_memory;
	ck_assert_uint_eq(counted, asked);
	fm_shadow_told_free(&told);
	two_end(&two);
}

#define THREADS	8

static unsigned rounds;

static void *
count_thread(void *priv)
{
	static const char * const hosts[] = { "a.example", "b.example",
	    "c.example" };
	struct two *two = priv;
	unsigned i;

	for (i = 0; i < rounds; i++)
		(void)ask_host(two, hosts[i % 3], "/?q=1");
	return (NULL);
}

static bool ended;

/* Reports, and begins anew with the digests as they are, as reloads do. */
static void *
report_thread(void *priv)
{
	struct two *two = priv;
	struct fm_shadow_told *told;
	uint64_t differ = 0;

	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		told = fm_shadow_told(two->shadow);
		ck_assert_ptr_nonnull(told);
		ck_assert_uint_ge(told->differ, differ);
		differ = told->differ;
		fm_shadow_told_free(&told);
		fm_shadow_begin(two->shadow, FM_NEW, "bbbb");
	}
	return (NULL);
}

/*
 * Counts in all threads while another one does something else.  Each request
 * differs, and 2 of 3 have a host that only the shadow has.
 */
static void
count_beside(struct two *two, void *(*other)(void *), unsigned n)
{
	pthread_t threads[THREADS], beside;
	unsigned i;

	rounds = n;
	ended = false;
	two_begin(two, "host a.example { set A = 1; }",
	    "host *.example { set A = 2; }");
	ck_assert_int_eq(pthread_create(&beside, NULL, other, two), 0);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
		    count_thread, two), 0);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	ck_assert_int_eq(pthread_join(beside, NULL), 0);
}

UNIT_TEST(threads_count_a_difference_twice_or_never)
{
	struct fm_shadow_told *told;
	uint64_t requests = 0;
	struct two two;
	unsigned i;

	count_beside(&two, report_thread, unit_rounds(20000, 10));
	/* No thread holds the lock now, so each of these is attributed. */
	(void)count_thread(&two);
	told = fm_shadow_told(two.shadow);
	for (i = 0; i < told->ncells; i++)
		requests += told->cells[i]->requests;
	ck_assert_uint_eq(told->ncells, 2);
	ck_assert_uint_eq(told->sampled, (THREADS + 1) * rounds);
	ck_assert_uint_eq(told->differ, (THREADS + 1) * rounds);
	ck_assert_uint_gt(requests, 0);
	ck_assert_uint_eq(requests + told->unattributed,
	    (THREADS + 1) * rounds);
	ck_assert_uint_eq(told->nexamples, FM_SHADOW_EXAMPLES);
	for (i = 1; i < told->nexamples; i++)
		ck_assert_int_ge(told->examples[i - 1].at,
		    told->examples[i].at);
	fm_shadow_told_free(&told);
	two_end(&two);
}

/* Other rules come while threads count. */
static void *
swap_thread(void *priv)
{
	struct two *two = priv;
	unsigned i = 0;

	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		fm_shadow_begin(two->shadow, FM_NEW,
		    i++ % 2 == 0 ? "cccc" : "bbbb");
	fm_shadow_begin(two->shadow, FM_NEW, "dddd");
	return (NULL);
}

UNIT_TEST(swap_leaves_differences_of_other_rules)
{
	struct two two;

	count_beside(&two, swap_thread, unit_rounds(5000, 10));
	check_counts(&two, 0, 0);
	check_cells(&two, "");
	two_end(&two);
}

int
main(void)
{
	unit_seed("test_shadow");
	return (unit_main("shadow", 120));
}
