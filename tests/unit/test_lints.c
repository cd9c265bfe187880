/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the check says of random rules is what random requests show: an operand
 * that is never reached changes nothing; a `hash` of which nothing is said is
 * reached by no request with a client's Cookie or Authorization; and there is a
 * warning if a later rule sees a client's value of a header that rules set.
 */

#include <ctype.h>
#include <stdarg.h>

#include "compiling.h"
#include "run.h"
#include "twin.h"

#define TEXT_MAX	16384
#define LINES_MAX	600
#define TOLD_MAX	50		/* the diag keeps no more warnings */

/* Rules that are being written, and the line to write to. */
struct rules {
	char			text[TEXT_MAX];
	size_t			len;
	unsigned		line;
	size_t			lines[LINES_MAX];	/* offset of each */
	unsigned		atoms;		/* headers that tests used up */
	unsigned		tests;		/* of the Cookie, or the like */
	bool			signals;	/* blocks set X-F, and don't
						 * look at the Cookie */
	unsigned		varies[3];	/* always, host, finally: bits
						 * of what is in Vary */
};

static void __attribute__((format(printf, 2, 3)))
put(struct rules *rules, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(rules->text + rules->len, TEXT_MAX - rules->len, fmt,
	    ap);
	va_end(ap);
	ck_assert_int_ge(n, 0);
	ck_assert_uint_lt(rules->len + (unsigned)n, TEXT_MAX);
	ck_assert_uint_lt(rules->line + 1, LINES_MAX);
	rules->lines[++rules->line] = rules->len;
	rules->len += (unsigned)n;
	rules->text[rules->len++] = '\n';
	rules->text[rules->len] = '\0';
}

/* A warning, and its line. */
struct told {
	unsigned		line;
	char			text[200];
};

/* Fills in the warnings that have these words.  Returns how many. */
static unsigned
check_told(const struct rules *rules, const char *words,
    struct told told[TOLD_MAX])
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = unit_parse("t", fm_text_of(rules->text), diag);
	struct fm_diag_message message;
	unsigned i, n = 0;

	ck_assert_msg(fm_check(model, NULL, diag), "%s%s", rules->text,
	    fm_diag_line(diag, 0));
	for (i = 0; fm_diag_message(diag, i, &message); i++)
		if (strstr(message.text, words) != NULL) {
			told[n].line = message.at.line;
			(void)snprintf(told[n++].text, sizeof told->text,
			    "%s", message.text);
		}
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (n);
}

/* A request by the lines of its fields, which are not copied. */
struct request {
	struct fm_view		view;
	struct fm_field		fields[8];
};

static void
request_field(struct request *request, const char *line)
{
	struct fm_field *field = &request->fields[request->view.nfields++];

	field->b = line;
	field->e = line + strlen(line);
	request->view.fields = request->fields;
}

/*--------------------------------------------------------------------
 * Operands that are never reached
 */

#define PICK(list)	list[unit_below(sizeof list / sizeof *list)]

static const char * const hosts[] = { "a.example", "b.example" };
static const char * const methods[] = { "GET", "POST", "PUT" };

/* Writes a path, or a part of one, of few letters into the buffer. */
static void
path_make(char path[12], bool slash)
{
	static const char letters[] = "ab/A";
	unsigned len = unit_below(4) + !slash, i = 0;

	if (slash)
		path[i++] = '/';
	for (len += i; i < len; i++) {
		path[i] = letters[unit_below(unit_below(8) == 0 ? 4 : 3)];
		if (i > 0 && path[i] == '/' && path[i - 1] == '/')
			path[i] = 'b';
	}
	path[i] = '\0';
}

/* Writes a test with each operand on a line of its own. */
static void
put_test(struct rules *rules, bool more)
{
	static const char * const subjects[] = { "path", "path", "path", "url",
	    "host", "method" };
	static const char * const modes[] = { "is", "begins", "ends",
	    "contains", "like" };
	const char *subject = PICK(subjects), *mode = PICK(modes);
	unsigned n = 1 + unit_below(2);
	char path[12];

	if (*subject == 'h' || *subject == 'm')
		mode = "is";
	else if (*subject == 'p' && unit_below(3) == 0)
		mode = "below";
	put(rules, "%s%s%s %s", unit_below(6) == 0 ? "not " : "", subject,
	    unit_below(5) == 0 ? " nocase" : "", mode);
	while (n-- > 0) {
		path_make(path, strchr("ec", *mode) == NULL ||
		    unit_below(2) == 0);
		if (*subject == 'h')
			put(rules, "%s", PICK(hosts));
		else if (*subject == 'm')
			put(rules, "%s", PICK(methods));
		else if (strcmp(mode, "below") == 0)
			put(rules, "/%c%s", 'a' + unit_below(2),
			    unit_below(2) == 0 ? "" : "/b");
		else
			put(rules, "\"%s%s\"", path, *mode == 'l' &&
			    unit_below(2) == 0 ? "*" : "");
	}
	if (more && unit_below(4) == 0) {
		put(rules, unit_below(2) == 0 ? "or" : "and");
		put_test(rules, false);
	}
}

static void put_block(struct rules *, unsigned depth);

static void
put_edit(struct rules *rules)
{
	static const char * const edits[] = { "rewrite ~ \"^/a\" to \"/b\";",
	    "set url \"/b\";", "query clean;", "set Host = \"b.example\";",
	    "set X-A = \"1\";", "rewrite header Host ~ \"^a\" to \"b\";" };

	put(rules, "%s", PICK(edits));
}

static void
put_when(struct rules *rules, unsigned depth)
{
	put(rules, "when");
	put_test(rules, true);
	put_block(rules, depth + 1);
	if (unit_below(4) == 0) {
		put(rules, "else when");
		put_test(rules, true);
		put_block(rules, depth + 1);
	}
	if (unit_below(6) == 0) {
		put(rules, "else");
		put_block(rules, depth + 1);
	}
}

static void
put_block(struct rules *rules, unsigned depth)
{
	static const char * const ends[] = { "pass;", "pipe;", "hash;",
	    "synth 403;", "synth 200;", "redirect 302 \"/x\";", "stop;",
	    "builtin;" };
	unsigned n = unit_below(depth == 0 ? 6 : 2);

	put(rules, "{");
	while (n-- > 0) {
		if (depth < 3 && unit_below(4) != 0)
			put_when(rules, depth);
		else
			put_edit(rules);
	}
	if (depth > 0 && unit_below(4) != 0)
		put(rules, "%s", PICK(ends));
	put(rules, "}");
}

static void
dead_make(struct rules *rules)
{
	static const char * const blocks[] = { "always", "ruleset r",
	    "host a.example", "default", "finally" };
	unsigned i;

	memset(rules, 0, sizeof *rules);
	for (i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		put(rules, "%s", blocks[i]);
		put_block(rules, 0);
	}
	put(rules, "host c.example use r;");
}

/* Returns a program of the rules in which no request matches one operand. */
static struct fm_program *
without_operand(const struct rules *rules, unsigned line)
{
	char *text = strdup(rules->text);
	char *at = text + rules->lines[line], *p;
	struct fm_program *program;

	ck_assert_ptr_nonnull(text);
	/* Letters that no request has. */
	for (p = at; *p != '\n'; p++)
		if (isalnum((unsigned char)*p))
			*p = 'z';
	if (p - at == 3 && memcmp(at, "\"/\"", 3) == 0)
		at[1] = 'z';
	program = unit_program("t", text);
	free(text);
	return (program);
}

static void
same_results(const struct rules *rules, const struct fm_program *a,
    const struct fm_program *b, const struct told *told)
{
	struct request request;
	const struct fm_result *one, *other;
	struct fm_run runs[2];
	char path[16], host[32];
	unsigned i;

	for (i = 0; i < 300; i++) {
		request = (struct request){ .view.method =
		    fm_text_of(PICK(methods)) };
		path_make(path, true);
		if (unit_below(8) == 0)
			strcat(path, "?a=");
		(void)snprintf(host, sizeof host, "Host: %s",
		    unit_below(4) == 0 ? "c.example" : PICK(hosts));
		request.view.url = fm_text_of(path);
		request.view.esi = unit_below(4) == 0;
		request_field(&request, host);
		one = fm_run(&runs[0], a, &request.view, NULL);
		other = fm_run(&runs[1], b, &request.view, NULL);
		if (one->verdict != other->verdict ||
		    one->status != other->status ||
		    !fm_text_eq(one->url, other->url) ||
		    (one->rule != NULL && one->rule->at.line !=
		    other->rule->at.line))
			ck_abort_msg("%s\n%u: %s, but %s of %s%s", rules->text,
			    told->line, told->text, path, host,
			    request.view.esi ? ", by ESI" : "");
		fm_run_end(&runs[0]);
		fm_run_end(&runs[1]);
	}
}

UNIT_TEST(test_lints_an_operand_that_is_never_reached_changes_nothing)
{
	unsigned round, i, n, all = 0, rounds = unit_rounds(4000, 10);
	struct rules *rules = malloc(sizeof *rules);
	struct fm_program *program, *other;
	struct told told[TOLD_MAX];

	ck_assert_ptr_nonnull(rules);
	for (round = 0; round < rounds; round++) {
		dead_make(rules);
		n = check_told(rules, "takes all that", told);
		all += n;
		if (n == 0)
			continue;
		program = unit_program("t", rules->text);
		for (i = 0; i < n; i++) {
			other = without_operand(rules, told[i].line);
			same_results(rules, program, other, &told[i]);
			fm_program_free(&other);
		}
		fm_program_free(&program);
	}
	ck_assert_uint_gt(all, rounds / 4);
	free(rules);
}

/*--------------------------------------------------------------------
 * Pages that are made for one client
 */

#define ATOMS		4	/* headers */
#define COOKIE		1U	/* bits, as in a warning */
#define AUTH		2U

static void put_flow(struct rules *, unsigned depth, unsigned varies);

static void
put_flow_when(struct rules *rules, unsigned depth)
{
	static const char * const tests[] = { "cookie s present",
	    "header Cookie present", "header Authorization present" };
	const char *not = unit_below(3) == 0 ? "not " : "";

	/* Each other header is tested once, so that requests go each way. */
	if (!rules->signals && unit_below(3) == 0) {
		put(rules, "when %s%s", not, PICK(tests));
		rules->tests++;
	} else if (rules->atoms < ATOMS) {
		put(rules, "when %sheader X-%u present", not, rules->atoms++);
	} else {
		return;
	}
	put_flow(rules, depth + 1, 0);
	if (unit_below(3) == 0) {
		put(rules, "else");
		put_flow(rules, depth + 1, 0);
	}
}

static void
put_flow(struct rules *rules, unsigned depth, unsigned varies)
{
	static const char * const names[] = { "", "cookie", "Authorization",
	    "Accept Authorization Cookie" };
	static const char * const edits[] = { "unset Cookie;",
	    "unset Authorization;", "unset A* Co*;", "cookie drop *;",
	    "set Cookie = \"s=2\";", "cookie keep s;", "set X-Z = \"1\";",
	    "set X-Z = \"1\";" };
	static const char * const signals[] = { "set X-F = \"1\";",
	    "set X-F = \"1\";", "unset X-F;", "unset X-*;", "query clean;" };
	static const char * const ends[] = { "hash;", "hash;", "pass;",
	    "builtin;", "synth 403;", "stop;", "redirect 302 \"/x\";" };
	unsigned n = unit_below(4);

	put(rules, "{");
	if (varies != 0)
		put(rules, "response { when status is 200 { vary add %s; } }",
		    names[varies]);
	while (n-- > 0) {
		if (unit_below(3) != 0)
			put_flow_when(rules, depth);
		else
			put(rules, "%s", !rules->signals ? PICK(edits) :
			    depth > 0 ? signals[0] : PICK(signals));
	}
	if (!rules->signals && unit_below(2) == 0)
		put(rules, "%s", PICK(ends));
	put(rules, "}");
}

/* Returns what of a client is left in a request that was hashed. */
static unsigned
result_leaks(const struct fm_result *result, const struct fm_view *view)
{
	static const char * const names[] = { "Cookie", "Authorization" };
	unsigned i, k, leaks = 0;
	struct fm_edit edit;
	struct fm_text line;

	for (i = 0; i < 2; i++)
		for (k = 0; k < view->nfields; k++) {
			line = fm_text_span(view->fields[k].b,
			    view->fields[k].e);
			if (fm_text_begins(line, names[i]) && !fm_edit_of(
			    result, fm_text_of(names[i]), &edit))
				leaks |= 1U << i;
		}
	return (leaks);
}

/* Fills in what of a client comes to the `hash` of each line. */
static void
leaks_find(const struct rules *rules, const struct fm_program *program,
    unsigned leaks[LINES_MAX])
{
	static const char * const lines[] = { "X-0: 1", "X-1: 1", "X-2: 1",
	    "X-3: 1", "Cookie: s=1", "Authorization: a", "Host: a.example" };
	const struct fm_result *result;
	struct request request;
	struct fm_run run;
	unsigned bits, i;

	for (bits = 0; bits < 1U << 7; bits++) {
		request = (struct request){ .view.method = fm_text_of("GET"),
		    .view.url = fm_text_of("/") };
		for (i = 0; i < 7; i++)
			if ((bits >> i & 1) != 0)
				request_field(&request, lines[i]);
		result = fm_run(&run, program, &request.view, NULL);
		if (result->verdict == FM_VERDICT_HASH)
			leaks[result->rule->at.line] |= result_leaks(result,
			    &request.view) & ~(rules->varies[0] |
			    rules->varies[2] |
			    ((bits >> 6 & 1) != 0 ? rules->varies[1] : 0));
		fm_run_end(&run);
	}
}

UNIT_TEST(test_lints_a_hash_without_a_warning_is_reached_by_no_cookie)
{
	unsigned round, i, n, all = 0, rounds = unit_rounds(20000, 10);
	unsigned leaks[LINES_MAX], says[LINES_MAX];
	struct rules *rules = malloc(sizeof *rules);
	struct fm_program *program;
	struct told told[TOLD_MAX];

	ck_assert_ptr_nonnull(rules);
	for (round = 0; round < rounds; round++) {
		memset(rules, 0, sizeof *rules);
		for (i = 0; i < 3; i++)
			rules->varies[i] = unit_below(6) == 0 ?
			    1 + unit_below(3) : 0;
		put(rules, "always");
		put_flow(rules, 0, rules->varies[0]);
		put(rules, "host a.example");
		put_flow(rules, 0, rules->varies[1]);
		put(rules, "finally");
		put_flow(rules, 0, rules->varies[2]);
		n = check_told(rules, "is stored for all", told);
		memset(says, 0, sizeof says);
		for (i = 0; i < n; i++)
			says[told[i].line] = *told[i].text == 'A' ? AUTH :
			    strstr(told[i].text, "a Cookie or") == NULL ?
			    COOKIE : COOKIE | AUTH;
		memset(leaks, 0, sizeof leaks);
		program = unit_program("t", rules->text);
		leaks_find(rules, program, leaks);
		fm_program_free(&program);
		/* A test of a Cookie may hold for none that comes to it. */
		for (i = 0; i < LINES_MAX; i++)
			if ((leaks[i] & ~says[i]) != 0 ||
			    (rules->tests == 0 && leaks[i] != says[i]))
				ck_abort_msg("%s\nline %u: leaks %u, says %u",
				    rules->text, i, leaks[i], says[i]);
		all += n;
	}
	ck_assert_uint_gt(all, rounds / 4);
	free(rules);
}

/*--------------------------------------------------------------------
 * Headers that a client can send, too
 */

/* Returns true if `finally` sees a client's X-F, and counts the requests. */
static bool
client_sets(const struct fm_program *program)
{
	static const char * const lines[] = { "X-0: 1", "X-1: 1", "X-2: 1",
	    "X-3: 1", "Host: a.example" };
	const struct fm_result *result;
	struct request request;
	struct fm_edit edit;
	struct fm_run run;
	bool seen = false;
	unsigned bits, i;

	for (bits = 0; bits < 1U << 5; bits++) {
		request = (struct request){ .view.method = fm_text_of("GET"),
		    .view.url = fm_text_of("/") };
		request_field(&request, "X-F: client");
		for (i = 0; i < 5; i++)
			if ((bits >> i & 1) != 0)
				request_field(&request, lines[i]);
		result = fm_run(&run, program, &request.view, NULL);
		seen |= fm_edit_of(result, fm_text_of("Seen"), &edit);
		fm_run_end(&run);
	}
	return (seen);
}

UNIT_TEST(test_lints_a_header_that_a_client_can_send_is_told)
{
	unsigned round, n, all = 0, rounds = unit_rounds(20000, 10);
	struct rules *rules = malloc(sizeof *rules);
	struct fm_program *program;
	struct told told[TOLD_MAX];
	bool seen;

	ck_assert_ptr_nonnull(rules);
	for (round = 0; round < rounds; round++) {
		memset(rules, 0, sizeof *rules);
		rules->signals = true;
		put(rules, "always");
		put_flow(rules, 0, 0);
		put(rules, "host a.example");
		put_flow(rules, 0, 0);
		put(rules, "default");
		put_flow(rules, 0, 0);
		put(rules, "finally {");
		put(rules, "when header X-F is client { set Seen = \"1\"; } }");
		n = check_told(rules, "own value stays", told);
		program = unit_program("t", rules->text);
		seen = client_sets(program) &&
		    strstr(rules->text, "\nset X-F") != NULL;
		fm_program_free(&program);
		/* A branch is told of even if all hosts set the header. */
		if (seen && n == 0)
			ck_abort_msg("%s\nnothing is told", rules->text);
		all += seen;
	}
	ck_assert_uint_gt(all, rounds / 20);
	free(rules);
}

int
main(void)
{
	unit_seed("lints");
	return (unit_main("lints", 300));
}
