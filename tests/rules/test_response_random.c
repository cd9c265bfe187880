/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Random rules for responses, and random responses: the program and the naive
 * twin agree on what becomes of them, with a trace and without one.
 */

#include "compiling.h"
#include "naive_response.h"
#include "record.h"
#include "responding.h"

#define RESPONSES	20	/* for each file of rules */

#define PICK(array)	((array)[unit_below(sizeof (array) / sizeof *(array))])

/*--------------------------------------------------------------------
 * Rules
 */

/* Where the grammar is. */
struct place {
	FILE			*to;
	enum fm_phase		phase;
	unsigned		rulesets;	/* r0 ... may be used */
	unsigned		depth;
	unsigned		uses;		/* so far */
};

/* Rulesets that use each other make a run long. */
#define USES	12

static void
put_test(const struct place *at)
{
	static const char * const both[] = {
		"status is 200 404", "status is 500", "status begins 5 40",
		"status in codes", "type is text/html", "type begins image/",
		"type present", "ttl over 0s", "ttl over 1m", "ttl under 10s",
		"ttl under 1.5s", "size over 100", "size under 100",
		"header X-A present", "header X-A is a", "header Vary present",
		"header Vary contains Cookie", "header Set-Cookie present",
		"header Set-Cookie begins a=", "header Cache-Control present",
		"set-cookie a present", "set-cookie b is 2",
		"set-cookie A present", "cache-control private present",
		"cache-control max-age is 60", "cache-control no-cache present",
		"request header X-R is r", "request header X-A present",
		"header X-A in many", "type in many", "status in many",
		"header Vary in many", "set-cookie a in many",
		"cache-control max-age in many", "request header X-R in many",
		"path ends .css"
	};
	static const char * const stored[] = {
		"fetch is background", "fetch is pass", "fetch is retry pass"
	};
	static const char * const delivered[] = {
		"cache is hit", "cache is pass own", "cache is stale miss"
	};

	(void)fprintf(at->to, "%s%s", unit_below(4) == 0 ? "not " : "",
	    unit_below(5) > 0 ? PICK(both) : at->phase == FM_PHASE_RESPONSE ?
	    PICK(stored) : PICK(delivered));
}

static void
put_edit(const struct place *at)
{
	static const char * const edits[] = {
		"set-cookie drop a;", "set-cookie keep b;",
		"set-cookie drop A c*;", "set-cookie drop *;",
		"set-cookie keep a* *_id;", "vary drop Cookie;",
		"vary keep Accept* Origin;", "vary drop *;",
		"vary drop Origin *;", "vary keep *;", "vary add Cookie;",
		"vary add X-B origin;", "cache-control drop private;",
		"browser 1h;", "browser no;", "browser 0s;",
		"cache-control drop s-* must-revalidate;",
		"cache-control keep max-age public;",
		"cache-control keep no-*;", "unset Set-Cookie;",
		"unset Vary;", "unset X-*;", "unset Cache-Control X-A;",
		"unset *;", "unset S*;", "set Vary = \"Cookie\";",
		"set Vary = \"A, Cookie, *\";", "set X-A = a;",
		"set X-A = \"${header.X-B}\";",
		"set X-A = \"${header.Vary}/${status}\";",
		"set X-B = \"${header.Cache-Control}\";",
		"set X-B = \"${header.Set-Cookie}${request.header.X-R}\";",
		"set X-B = mixed(status);", "set X-C = mixed(type);",
		"set X-B = mixed(request header X-R);",
		"set X-B = \"${ttl}\";", "set X-B = \"${age}\";",
		"set Cache-Control = \"max-age=60, private\";",
		"set Set-Cookie = \"a=1; Path=/\";",
		"set Content-Type = \"Text/HTML\";"
	};

	(void)fputs(PICK(edits), at->to);
}

static void
put_life(const struct place *at)
{
	static const char * const lives[] = {
		"ttl 1h;", "ttl 5s;", "ttl 1.5s;", "ttl default 10m;",
		"ttl default 1s;", "ttl at least 1h;", "ttl at least 1ms;",
		"ttl at most 1m;",
		"ttl from Surrogate-Control X-CDN-Cache-Control X-Age;",
		"ttl from X-Age CDN-Cache-Control;",
 "ttl at most 1y;", "ttl life(type);",
		"ttl life(status);", "ttl short(header X-A);",
		"ttl short(status);", "grace 1h;", "grace 0s;", "keep 2.5d;",
		"esi;", "gzip;", "gunzip;", "uncacheable;", "uncacheable 5s;"
	};

	(void)fputs(PICK(lives), at->to);
}

static void put_block(struct place *);

static void
put_stmt(struct place *at)
{
	static const char * const stored[] = {
		"prefer stale;", "retry;", "retry 3;", "abandon;", "deliver;",
		"pass;", "pass 7s;", "builtin;", "stop;"
	};
	static const char * const calls[] = { "call one;", "call two;",
		"call \"sub three\";", "call one; call two;" };
	static const char * const delivered[] = {
		"synth 404;", "synth 503;", "stop;", "set X-B = \"${cache}\";",
		"cache-status edge;", "cache-status \"my cdn\";",
		"cache-status edge for in office;",
		"set X-B = \"${header.Cache-Status}\";",
		"set Cache-Status = \"a, b\";", "unset Cache-Status;",
		"no-vary-search;", "unset No-Vary-Search;"
	};
	unsigned what = unit_below(20);

	if (what < 6 && at->depth < 4) {
		(void)fprintf(at->to, "when ");
		put_test(at);
		if (unit_below(3) == 0) {
			(void)fprintf(at->to, unit_below(2) == 0 ? " and " :
			    " or ");
			put_test(at);
		}
		put_block(at);
		if (unit_below(3) == 0) {
			(void)fprintf(at->to, "else ");
			put_block(at);
		}
	} else if (what < 7 && at->rulesets > 0 && at->uses++ < USES) {
		(void)fprintf(at->to, "use r%u;", unit_below(at->rulesets));
	} else if (what < (at->phase == FM_PHASE_RESPONSE ? 8U : 10U)) {
		(void)fputs(at->phase == FM_PHASE_RESPONSE ? PICK(stored) :
		    PICK(delivered), at->to);
	} else if (what < 13 && at->phase == FM_PHASE_RESPONSE) {
		put_life(at);
	} else if (unit_below(8) == 0) {
		(void)fputs(PICK(calls), at->to);
	} else {
		put_edit(at);
	}
	(void)fputc('\n', at->to);
}

static void
put_block(struct place *at)
{
	unsigned n = unit_below(5);

	at->depth++;
	(void)fprintf(at->to, "{\n");
	while (n-- > 0)
		put_stmt(at);
	(void)fprintf(at->to, "}\n");
	at->depth--;
}

/* Writes an item; each ruleset has a block of each phase, to be used. */
static void
put_item(struct place *at, const char *head, bool all)
{
	unsigned n = 1 + unit_below(4), phase;

	(void)fprintf(at->to, "%s {\n", head);
	for (phase = FM_PHASE_RESPONSE; phase <= FM_PHASE_DELIVERY && all;
	    phase++) {
		at->phase = (enum fm_phase)phase;
		(void)fputs(fm_phase_word(at->phase), at->to);
		put_block(at);
	}
	while (n-- > 0) {
		at->phase = unit_below(3) == 0 ? FM_PHASE_DELIVERY :
		    FM_PHASE_RESPONSE;
		if (unit_below(6) == 0)
			(void)fprintf(at->to, unit_below(2) == 0 ?
			    "set X-Q = q;\n" : "when path in many or "
			    "header X-A in many { unset X-Q; }\n");
		if (unit_below(4) == 0)
			(void)fprintf(at->to, unit_below(2) == 0 ?
			    "query drop a b;\n" : "query sort;\n");
		if (unit_below(5) == 0 && at->rulesets > 0) {
			(void)fprintf(at->to, "use r%u;\n",
			    unit_below(at->rulesets));
			continue;
		}
		(void)fputs(fm_phase_word(at->phase), at->to);
		put_block(at);
	}
	(void)fprintf(at->to, "}\n");
}

static char *
rules_new(void)
{
	struct place at = { .depth = 0 };
	char *text, head[20];
	size_t len;
	unsigned i;

	at.to = open_memstream(&text, &len);
	ck_assert_ptr_nonnull(at.to);
	(void)fprintf(at.to, "list codes { is 200 301; begins 50; }\n"
	    "list office in { 192.0.2.0/24 }\n"
	    "list many { is a b 410 5 ; contains ext/h ookie 60 mag ;\n"
	    "ends html 03 xy yx zz css ; begins Orig acc 40 /a.c ; }\n"
	    "map life { is text/html 404 -> 1m; begins image/ 5 -> 10s; "
	    "default 4m; }\n"
	    "map short { is a 200 -> 2s; begins t -> 3s; }\n"
	    "map mixed { is 200 -> \"${header.X-A} ${status}\"; "
	    "begins 4 t -> \"${header.Vary}${request.header.X-R}\"; "
	    "default \"${ttl}\"; }\n");
	for (i = unit_below(4); at.rulesets < i; at.rulesets++) {
		(void)sprintf(head, "ruleset r%u", at.rulesets);
		put_item(&at, head, true);
	}
	put_item(&at, "always", unit_below(2) == 0);
	put_item(&at, "host a.example", true);
	if (at.rulesets > 0 && unit_below(2) == 0)
		(void)fprintf(at.to, "host b.example use r0;\n");
	if (unit_below(2) == 0)
		put_item(&at, "default", false);
	if (unit_below(2) == 0)
		put_item(&at, "finally", false);
	(void)fclose(at.to);
	return (text);
}

/*--------------------------------------------------------------------
 * Responses
 */

static void
put_headers(FILE *to, const char *name, const char * const *values,
    unsigned n, unsigned most)
{
	unsigned count = unit_below(most + 1);
	char lower[40] = "";
	size_t i;

	for (i = 0; name[i] != '\0'; i++)
		lower[i] = (char)fm_lower((unsigned char)name[i]);
	while (count-- > 0)
		(void)fprintf(to, " | %s:%s%s", unit_below(4) == 0 ? lower :
		    name, unit_below(8) == 0 ? "" : " ",
		    values[unit_below(n)]);
}

#define PUT(to, name, values, most)					\
	put_headers(to, name, values, sizeof (values) / sizeof *(values), most)

static char *
response_new(enum fm_phase phase)
{
	static const char * const statuses[] = { "200", "200", "204", "301",
	    "302", "403", "404", "410", "500", "503" };
	static const char * const fetched[] = { "", "", " background",
	    " again", " passed", " uncacheable", " final", " retries=1",
	    " background again" };
	static const char * const cached[] = { " hit", " miss", " pass",
	    " hit stale", " own" };
	static const char * const lives[] = { "", "", " none", " max-age=0",
	    " max-age=60", " max-age=7200", " max-age=0.5" };
	static const char * const ages[] = { "", "", " age=3.7" };
	static const char * const sizes[] = { "0", "100", "5000", "99 ", "1x",
	    "" };
	static const char * const cookies[] = { "a=1", "b=2; Path=/", "A=3",
	    "a=", "c_id=x; Secure", "cc=1", "=1", "noname", "a = 5 ;x" };
	static const char * const varies[] = { "Cookie", "*", "Accept-Encoding",
	    "Origin, Cookie", "accept, ,cookie ,X-B", "User-Agent,*", ",", "" };
	static const char * const controls[] = { "private", "max-age=60",
	    "no-cache=\"Set-Cookie, private\", max-age=5", "public,s-maxage=1",
	    "no-store", "max-age=\"60\", must-revalidate", ", ,PRIVATE", "" };
	static const char * const types[] = { "text/html",
	    "Text/HTML; charset=utf-8", "image/png", "", ";" };
	static const char * const plain[] = { "a", "b", "text", " a " };
	static const char * const ranges[] = { "bytes 0-1/2" };
	static const char * const surrogates[] = { "no-store",
	    "content=\"ESI/1.0\"", "max-age=60+30", "max-age=2" };
	static const char * const targeted[] = { "max-age=60, private",
	    "max-age=60, s-maxage=2", "Max-age=5", "no-store", "max-age=9",
	    "stale-while-revalidate=4" };
	static const char * const seconds[] = { "60", "0", "x" };
	static const char * const statuses_before[] = { "origin; hit",
	    "a; fwd=miss, b; hit; ttl=1", "" };
	char *text = calloc(1, RESPONDING_LINE);
	FILE *to = text == NULL ? NULL : fmemopen(text, RESPONDING_LINE, "w");

	ck_assert_ptr_nonnull(to);
	(void)fprintf(to, "%s%s%s%s", PICK(statuses),
	    phase == FM_PHASE_RESPONSE ? PICK(fetched) : PICK(cached),
	    PICK(lives), PICK(ages));
	PUT(to, "Content-Length", sizes, 2);
	PUT(to, "Set-Cookie", cookies, 3);
	PUT(to, "Vary", varies, 2);
	PUT(to, "X-A", plain, 2);
	PUT(to, "Cache-Control", controls, 2);
	PUT(to, "set-cookie", cookies, 1);
	PUT(to, "Content-Type", types, 1);
	PUT(to, "x-b", plain, 1);
	if (unit_below(6) == 0)
		PUT(to, "Surrogate-Control", surrogates, 2);
	if (unit_below(6) == 0)
		PUT(to, "X-CDN-Cache-Control", targeted, 2);
	if (unit_below(6) == 0)
		PUT(to, "CDN-Cache-Control", targeted, 2);
	if (unit_below(6) == 0)
		PUT(to, "X-Age", seconds, 2);
	if (unit_below(6) == 0)
		PUT(to, "Content-Range", ranges, 1);
	if (unit_below(2) == 0)
		PUT(to, "Cache-Status", statuses_before, 2);
	PUT(to, "Vary", varies, 1);
	(void)fclose(to);
	return (text);
}

/*--------------------------------------------------------------------
 * What became of it
 */

/* Writes the outcome of the twin as responding_print() does. */
static const char *
naive_print(const struct naive_response *naive, char buf[RESPONDING_LINE])
{
	const char *verdict = fm_verdict_word(naive->verdict);
	const struct fm_response *it = &naive->is;
	char line[FM_DURATION_PRINT], *p = buf;
	unsigned i;

	p += sprintf(p, "%s", verdict == NULL ? "on" : verdict);
	if (naive->status != 0)
		p += sprintf(p, " %u", naive->status);
	if (it->uncacheable)
		p += sprintf(p, " uncacheable");
	if (it->ttl_set)
		p += sprintf(p, " ttl %s", fm_duration_print(it->ttl, line));
	if (it->grace_set)
		p += sprintf(p, " grace %s",
		    fm_duration_print(it->grace, line));
	if (it->keep_set)
		p += sprintf(p, " keep %s", fm_duration_print(it->keep, line));
	p += sprintf(p, "%s%s%s", it->esi ? " esi" : "",
	    it->gzip ? " gzip" : "", it->gunzip ? " gunzip" : "");
	for (i = 0; i < naive->nheaders; i++)
		if (!naive->headers[i].gone)
			p += sprintf(p, " | %.*s: %.*s",
			    (int)naive->headers[i].name.len,
			    naive->headers[i].name.b,
			    (int)naive->headers[i].value.len,
			    naive->headers[i].value.b);
	return (buf);
}

/* Returns the line of a rule's place, or 0. */
static unsigned
line_of(struct fm_text place)
{
	const char *colon = place.len == 0 ? NULL :
	    memrchr(place.b, ':', place.len);

	return (colon == NULL ? 0 : (unsigned)strtoul(colon + 1, NULL, 10));
}

static bool
same_calls(const struct fm_program *program, const struct fm_result *result,
    const struct naive_response *naive)
{
	unsigned i;

	for (i = 0; i < result->ncalls && i < naive->ncalls; i++)
		if (!fm_text_eq(fm_text_of(fm_program_call(program,
		    result->calls[i].sub, NULL, NULL)), naive->calls[i]))
			return (false);
	return (result->ncalls == naive->ncalls);
}

static void
compare(const char *rules, const char *in, const struct naive_response *naive,
    const struct fm_program *program, const struct fm_result *result)
{
	char raw[RESPONDING_LINE], a[RESPONDING_LINE], b[RESPONDING_LINE];
	unsigned line = result->rule == NULL ? 0 : result->rule->at.line;

	(void)responding_sorted(responding_print(result, raw), a);
	(void)responding_sorted(naive_print(naive, raw), b);
	if (strcmp(a, b) == 0 && line == naive->line &&
	    line_of(result->response->rule) == naive->by &&
	    same_calls(program, result, naive))
		return;
	/* A message of Check has too little room for the rules. */
	(void)fprintf(stderr, "%s", rules);
	(void)fprintf(stderr, "\"%s\" became\n\"%s\", not\n\"%s\"\n", in, a, b);
	ck_abort_msg("they differ: lines %u and %u, not %u and %u; %u calls, "
	    "not %u", line, line_of(result->response->rule), naive->line,
	    naive->by, result->ncalls, naive->ncalls);
}

/* Makes up why a response is as it is, and who asks; or leaves both unknown. */
static void
explain(struct responding *message, struct fm_cause *cause)
{
	static const unsigned statuses[] = { 0, 200, 304, 404 };
	static const char * const methods[] = { "GET", "HEAD", "POST" };
	static const uint8_t client[] = { 192, 0, 2, 1 };

	*cause = (struct fm_cause){ .status = PICK(statuses),
	    .stale = unit_below(4) == 0, .uncacheable = unit_below(2) == 0,
	    .passed = unit_below(3) == 0, .failed = unit_below(8) == 0 };
	if (unit_below(2) == 0)
		cause->rule = fm_text_of("site.rules:21");
	if (unit_below(2) == 0)
		cause->passed_by = fm_text_of("site.rules:3");
	if (unit_below(4) > 0)
		message->response.cause = cause;
	message->view.method = fm_text_of(PICK(methods));
	if (unit_below(2) == 0)
		message->view.client = fm_addr_of(client, sizeof client);
}

static void
ask(const char *rules, const struct fm_model *model,
    const struct fm_program *program, enum fm_phase phase)
{
	static const char * const hosts[] = { "a.example", "a.example",
	    "b.example", "c.example" };
	const struct fm_program *of = fm_program_phase(program, phase);
	char *in = response_new(phase);
	const char *host = PICK(hosts);
	struct fm_cause cause;
	struct naive_response naive;
	struct responding message;
	struct fm_record record;
	struct fm_run run;

	ck_assert_ptr_nonnull(of);
	responding_init(&message, host, unit_below(2) == 0 ? "/a.css?q=1" :
	    "/", "Cookie: sid=1 | X-R: r | X-A: a", in);
	if (phase == FM_PHASE_DELIVERY)
		explain(&message, &cause);
	naive_respond(&naive, model, phase, &message.view, fm_text_of(host));
	compare(rules, in, &naive, of, fm_run(&run, of, &message.view, NULL));
	fm_run_end(&run);
	fm_record_init(&record);
	compare(rules, in, &naive, of, fm_run(&run, of, &message.view,
	    &record.trace));
	fm_run_end(&run);
	fm_record_fini(&record);
	naive_response_fini(&naive);
	responding_fini(&message);
	free(in);
}

UNIT_TEST(test_response_random_rules_do_as_the_naive_twin)
{
	unsigned rounds = unit_rounds(100000 / RESPONSES, 30), i, n;
	struct fm_program *program;
	struct fm_model *model;
	struct fm_diag *diag;
	char *rules;

	unit_seed("random responses");
	for (i = 0; i < rounds; i++) {
		rules = rules_new();
		diag = fm_diag_new();
		model = unit_parse("t.rules", fm_text_of(rules), diag);
		if (fm_diag_errors(diag) > 0 || !fm_check(model, NULL, diag)) {
			(void)fprintf(stderr, "%s", rules);
			ck_abort_msg("%s", fm_diag_line(diag, 0));
		}
		program = fm_compile(model, NULL, diag);
		ck_assert_ptr_nonnull(program);
		for (n = 0; n < RESPONSES; n++)
			ask(rules, model, program, n % 3 == 0 ?
			    FM_PHASE_DELIVERY : FM_PHASE_RESPONSE);
		fm_program_free(&program);
		fm_model_free(&model);
		fm_diag_free(&diag);
		free(rules);
	}
}

int
main(void)
{
	return (unit_main("response_random", 600));
}
