/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs rules for fetches: a table of what only they have; and random ones,
 * which do to what is sent to a backend as the same statements outside of
 * `fetch` do to a request.  Of these, the naive twin knows what they do.
 */

#include "compiling.h"
#include "record.h"
#include "responding.h"

#define PICK(array)	((array)[unit_below(sizeof (array) / sizeof *(array))])
#define TEXT		(1 << 15)

/*--------------------------------------------------------------------
 * Cases
 */

/* Writes the headers of a request as a result leaves them, and its log. */
static const char *
sent_print(const struct fm_result *result, char buf[RESPONDING_LINE])
{
	FILE *to = fmemopen(buf, RESPONDING_LINE, "w");
	const struct fm_log_line *line;

	ck_assert_ptr_nonnull(to);
	(void)fputs(result->verdict == FM_VERDICT_NONE ? "on" :
	    fm_verdict_word(result->verdict), to);
	for (line = result->log; line != NULL; line = line->next)
		(void)fprintf(to, " log '%.*s'", (int)line->text.len,
		    line->text.b);
	responding_headers(to, &result->edits);
	(void)fclose(to);
	return (buf);
}

/* Makes the view of what is sent to a backend; `facts` as of a response. */
static void
sending_init(struct responding *it, const char *host, const char *url,
    const char *headers, const char *facts)
{
	responding_init(it, host, url, headers, facts);
	it->view.nrequest = 0;
	ck_assert(fm_addr_parse(fm_text_of("192.0.2.7"), &it->view.client));
}

static const struct {
	const char	*rules;
	const char	*facts;		/* the status does not count */
	const char	*in, *out;	/* after "Host: a.example" */
} cases[] = {
	/* an order of its own: always, the host's block, finally */
	{ "finally { fetch { set X = \"${header.X-C}3\"; } }"
	    "host a.example { fetch { set X-C = \"${header.X-B}2\"; } }"
	    "always { fetch { set X-B = 1; } set X-B = 9; }", "200", NULL,
	    "on | Host: a.example | X-B: 1 | X: 123 | X-C: 12" },
	{ "host a.example { use r; fetch { set X-B = host; } }"
	    "ruleset r { fetch { set X-B = r; set X-C = r; } }", "200", NULL,
	    "on | Host: a.example | X-B: host | X-C: r" },
	{ "host a.example { fetch { use r; set X-B = \"${header.X-C}h\"; } }"
	    "ruleset r { fetch { set X-C = r; stop; set X-D = r; } }", "200",
	    NULL, "on | Host: a.example | X-C: r" },
	{ "host a.example { fetch { set X = 1; stop; set X = 2; } }"
	    "finally { fetch { set Y = 1; } }", "200", NULL,
	    "on | Host: a.example | Y: 1 | X: 1" },
	/* flags of the fetch */
	{ "always { fetch { when fetch is background { set X = b; } "
	    "else when fetch is retry pass { set X = rp; } } }",
	    "200 background", NULL, "on | Host: a.example | X: b" },
	{ "always { fetch { when fetch is background { set X = b; } "
	    "else when fetch is retry pass { set X = rp; } } }",
	    "200 again", NULL, "on | Host: a.example | X: rp" },
	{ "always { fetch { when fetch is background { set X = b; } "
	    "else when not fetch is retry pass { set X = none; } } }", "200",
	    NULL, "on | Host: a.example | X: none" },
	/* aliases are of requests, and this is one */
	{ "always { fetch { unset X-Foo; set Y-Foo = 1; } }", "200",
	    "X-Foo: 1 | X_Foo: 2 | Y.Foo: 3 | Z: 4",
	    "on | Host: a.example | Z: 4 | Y-Foo: 1" },
	/* what core has written stays */
	{ "always { fetch { unset *; set Host = o; } }", "200",
	    "X: 1 | Content-Length: 3 | Content-Encoding: x | Connection: c",
	    "on | Host: o | Content-Length: 3 | Content-Encoding: x | "
	    "Connection: c" },
	/* the client is that of the request, whatever is set */
	{ "client from X-Fwd trust 192.0.2.0/24; list l in { 198.51.100.1 }"
	    "always { fetch { set X-Fwd = 203.0.113.1; "
	    "when client in l { set X = \"${client}\"; } } }", "200",
	    "X-Fwd: 198.51.100.1",
	    "on | Host: a.example | X-Fwd: 203.0.113.1 | X: 198.51.100.1" },
	/* the host does not change with Host */
	{ "host a.example { fetch { set Host = b.example; "
	    "set X = \"${host} ${ruleset}\"; } }", "200", NULL,
	    "on | Host: b.example | X: a.example a.example" },
	{ "always { fetch { rewrite header X ~ \"^/a(.*)\" to \"/b\\1\"; "
	    "log \"x ${header.X}\"; } }", "200", "X: /ac",
	    "on log 'x /bc' | Host: a.example | X: /bc" },
};

UNIT_LOOP(test_fetch_cases, UNIT_COUNT(cases))
{
	struct fm_program *program = unit_program("t.rules", cases[_i].rules);
	const struct fm_program *of = fm_program_phase(program,
	    FM_PHASE_FETCH);
	char out[RESPONDING_LINE];
	struct responding sent;
	struct fm_run run;

	ck_assert_ptr_nonnull(of);
	sending_init(&sent, "a.example", "/a.css?q=1", cases[_i].in,
	    cases[_i].facts);
	(void)sent_print(fm_run(&run, of, &sent.view, NULL), out);
	ck_assert_str_eq(out, cases[_i].out);
	fm_run_end(&run);
	responding_fini(&sent);
	fm_program_free(&program);
}

UNIT_TEST(test_fetch_a_host_that_is_known_has_its_block)
{
	struct fm_program *program = unit_program("t.rules",
	    "host a.example { fetch { set X = \"a ${host}\"; } }"
	    "host b.example { fetch { set X = \"b ${host}\"; } }"
	    "default { fetch { set X = none; } }");
	const struct fm_program *of = fm_program_phase(program,
	    FM_PHASE_FETCH);
	static const char * const hosts[][2] = {
		{ "b.example", "b b.example" }, { "c.example", "none" },
		{ NULL, "a a.example" }
	};
	char out[RESPONDING_LINE], is[RESPONDING_LINE], buf[FM_HOSTNAME_MAX];
	struct fm_known_host host;
	struct responding sent;
	struct fm_run run;
	size_t i;

	for (i = 0; i < UNIT_COUNT(hosts); i++) {
		sending_init(&sent, "A.example:80", "/", NULL, "200");
		if (hosts[i][0] != NULL) {
			fm_run_host(program, fm_text_of(hosts[i][0]),
			    fm_text(NULL, 0), buf, &host);
			sent.view.host = &host;
		}
		(void)snprintf(is, sizeof is, "on | Host: A.example:80 | X: %s",
		    hosts[i][1]);
		(void)sent_print(fm_run(&run, of, &sent.view, NULL), out);
		ck_assert_str_eq(out, is);
		fm_run_end(&run);
		responding_fini(&sent);
	}
	fm_program_free(&program);
}

/* Rules for requests do nothing here, and a fetch does nothing to them. */
UNIT_TEST(test_fetch_is_a_phase_of_its_own)
{
	struct fm_program *program = unit_program("t.rules",
	    "always { set X = 1; fetch { set Host = o; } } "
	    "host a.example { }");
	struct responding sent;
	struct fm_run run;
	char out[RESPONDING_LINE];

	/* Only a Host that requests get is one that a response must know. */
	ck_assert(!fm_program_sets_host(program));
	sending_init(&sent, "a.example", "/", NULL, "200");
	sent.view.response = NULL;
	(void)sent_print(fm_run(&run, program, &sent.view, NULL), out);
	ck_assert_str_eq(out, "on | Host: a.example | X: 1");
	fm_run_end(&run);
	responding_fini(&sent);
	fm_program_free(&program);
	program = unit_program("t.rules",
	    "always { response { set X = 1; } }");
	ck_assert_ptr_null(fm_program_phase(program, FM_PHASE_FETCH));
	fm_program_free(&program);
}

/*--------------------------------------------------------------------
 * Random rules
 */

/* Where the grammar is: it writes two files at once. */
struct place {
	FILE		*plain;		/* without `fetch` around */
	FILE		*fetch;
	unsigned	rulesets, depth, uses;
};

/* Rulesets that use each other make a run long. */
#define USES	8

static void
put(const struct place *at, const char *text)
{
	(void)fputs(text, at->plain);
	(void)fputs(text, at->fetch);
}

static void
put_test(const struct place *at)
{
	static const char * const tests[] = {
		"header X-A present", "header X-A is a", "header X-B begins a",
		"header X-A in many", "header X-C ~ \"^(.)(.*)\"",
		"any header X-A is b", "cookie sid is 1", "cookie b present",
		"query q is 1", "path ends .css", "path in many",
		"clean path below /a", "url contains q", "host is a.example",
		"host in many", "method is GET", "agent contains x",
		"client in near", "header X-* present",
		"url ~ \"^/(.)[^?]*(q)?\"", "header Host begins a"
	};

	put(at, unit_below(4) == 0 ? "not " : "");
	put(at, PICK(tests));
}

static void put_block(struct place *);

static void
put_stmt(struct place *at)
{
	static const char * const edits[] = {
		"set X-A = a;", "set X-A = \"${header.X-B}\";",
		"set X-B = \"${header.X-A}/${path}\";",
		"set X-C = \"${host} ${1}${2}\";", "set X-B = mixed(host);",
		"set X-C = mixed(header X-A);", "set X-A = \"${cookie.sid}\";",
		"set X-D = \"${query.q}${client}\";", "set Host = o.example;",
		"set Host = \"${domain}\";", "unset X-A;", "unset X-*;",
		"unset X-B Cookie;", "unset *;", "unset User-Agent;",
		"rewrite header X-A ~ \"a(.?)\" to \"b\\1\";",
		"rewrite header X-C ~ \"^\" to \"c\";",
		"set User-Agent = x;", "set Cookie = \"sid=2\";",
		"log \"${header.X-A}:${header.Host}\";", "stop;",
		"set X-Foo = \"${header.X-A}\";"
	};
	unsigned what = unit_below(20);
	char use[20];

	if (what < 6 && at->depth < 4) {
		put(at, "when ");
		put_test(at);
		if (unit_below(3) == 0) {
			put(at, unit_below(2) == 0 ? " and " : " or ");
			put_test(at);
		}
		put_block(at);
		if (unit_below(3) == 0) {
			put(at, "else ");
			put_block(at);
		}
	} else if (what < 8 && at->rulesets > 0 && at->uses++ < USES) {
		(void)sprintf(use, "use r%u;", unit_below(at->rulesets));
		put(at, use);
	} else {
		put(at, PICK(edits));
	}
	put(at, "\n");
}

static void
put_block(struct place *at)
{
	unsigned n = unit_below(6);

	at->depth++;
	put(at, "{\n");
	while (n-- > 0)
		put_stmt(at);
	put(at, "}\n");
	at->depth--;
}

static void
put_item(struct place *at, const char *head)
{
	unsigned n = unit_below(7);

	put(at, head);
	put(at, " {\n");
	(void)fputs("fetch {\n", at->fetch);
	while (n-- > 0)
		put_stmt(at);
	(void)fputs("}\n", at->fetch);
	put(at, "}\n");
}

static void
rules_new(char plain[TEXT], char fetch[TEXT])
{
	struct place at = { .plain = fmemopen(plain, TEXT, "w"),
	    .fetch = fmemopen(fetch, TEXT, "w") };
	unsigned i = unit_below(4);
	char head[20];

	ck_assert(at.plain != NULL && at.fetch != NULL);
	put(&at, "list many { is a b /a.css a.example; contains q; ends x; }\n"
	    "list near in { 192.0.2.0/24 }\n"
	    "map mixed { is a.example a -> \"${header.X-D} ${host}\"; "
	    "begins b -> \"${path}\"; default d; }\n");
	for (; at.rulesets < i; at.rulesets++) {
		(void)sprintf(head, "ruleset r%u", at.rulesets);
		put_item(&at, head);
	}
	put_item(&at, "always");
	put_item(&at, "host a.example");
	put_item(&at, "host *.example");
	if (unit_below(2) == 0)
		put_item(&at, "default");
	if (unit_below(2) == 0)
		put_item(&at, "finally");
	(void)fclose(at.plain);
	(void)fclose(at.fetch);
}

static struct fm_program *
program_of(const char *text, struct fm_model **model)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_program *program;

	*model = unit_parse("t.rules", fm_text_of(text), diag);
	if (fm_diag_errors(diag) > 0 || !fm_check(*model, NULL, diag)) {
		(void)fprintf(stderr, "%s", text);
		ck_abort_msg("%s", fm_diag_line(diag, 0));
	}
	program = fm_compile(*model, NULL, diag);
	ck_assert_ptr_nonnull(program);
	fm_diag_free(&diag);
	return (program);
}

/* Runs a request, with a trace and without one, and writes what it became. */
static const char *
run_twice(const struct fm_program *program, const struct fm_view *view,
    char buf[RESPONDING_LINE])
{
	char traced[RESPONDING_LINE];
	struct fm_record record;
	struct fm_run run;

	fm_record_init(&record);
	(void)sent_print(fm_run(&run, program, view, &record.trace), traced);
	fm_run_end(&run);
	fm_record_fini(&record);
	(void)sent_print(fm_run(&run, program, view, NULL), buf);
	fm_run_end(&run);
	ck_assert_str_eq(buf, traced);
	return (buf);
}

static void
ask(const char *rules, const struct fm_program *plain,
    const struct fm_program *fetch)
{
	static const char * const hosts[] = { "a.example", "A.example:80",
	    "b.example", "c.test", "a..b" };
	static const char * const urls[] = { "/a.css?q=1", "/", "/a/b?q",
	    "/x" };
	static const char * const headers[] = { "X-A: a", "X-A: b | X-A: ab",
	    "X-B: ab | X_A: 1 | x.foo: 2", "Cookie: sid=1; b=2 | X-C: xy",
	    "User-Agent: x | X-Foo: 3 | X-A: bx | X.A: a", "X-D: 1" };
	char raw[RESPONDING_LINE], a[RESPONDING_LINE], b[RESPONDING_LINE];
	struct responding it;

	sending_init(&it, PICK(hosts), PICK(urls), PICK(headers), "200");
	(void)responding_sorted(run_twice(fetch, &it.view, raw), b);
	it.view.response = NULL;
	(void)responding_sorted(run_twice(plain, &it.view, raw), a);
	if (strcmp(a, b) != 0) {
		(void)fprintf(stderr, "%s", rules);
		ck_abort_msg("a fetch became\n\"%s\", not\n\"%s\"", b, a);
	}
	responding_fini(&it);
}

UNIT_TEST(test_fetch_random_rules_do_as_those_for_requests)
{
	unsigned rounds = unit_rounds(8000, 120), i, n;
	static char plain[TEXT], fetch[TEXT];
	struct fm_program *one, *two;
	struct fm_model *models[2];

	unit_seed("random fetches");
	for (i = 0; i < rounds; i++) {
		rules_new(plain, fetch);
		one = program_of(plain, &models[0]);
		two = program_of(fetch, &models[1]);
		for (n = 0; n < 20; n++)
			ask(fetch, one, fm_program_phase(two,
			    FM_PHASE_FETCH));
		fm_program_free(&one);
		fm_program_free(&two);
		fm_model_free(&models[0]);
		fm_model_free(&models[1]);
	}
}

int
main(void)
{
	return (unit_main("fetch", 600));
}
