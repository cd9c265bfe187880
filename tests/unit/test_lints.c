/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the check says of random rules is what random requests show: an operand
 * that is never reached changes nothing; a `hash` of which nothing is said is
 * reached by no request with a client's Cookie or Authorization; there is a
 * warning if a later rule sees a client's value of a header that rules set; and
 * of responses, what all ways through the rules show.
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
	bool			hosts;		/* `always` is written */
	unsigned		varies[3];	/* always, host, finally: bits
						 * of what is in Vary, or in
						 * the key */
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
	static const char * const which[] = { "any ", "every ", "", "", "" };
	const char *subject = PICK(subjects), *mode = PICK(modes), *some = "";
	unsigned n = 1 + unit_below(2);
	char path[12];

	if (*subject == 'h' || *subject == 'm')
		mode = "is";
	else if (*subject == 'p' && unit_below(3) == 0)
		mode = "below";
	if (*subject == 'p' && *mode == 'b')
		some = PICK(which);
	put(rules, "%s%s%s%s %s", *some == '\0' && unit_below(6) == 0 ?
	    "not " : "", some, subject, unit_below(5) == 0 ? " nocase" : "",
	    mode);
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
			put(rules, "\"%s%s%s\"", path, *subject == 'u' &&
			    unit_below(4) == 0 ? "?a=" : "", *mode == 'l' &&
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
	unsigned round, i, n, all = 0, rounds = unit_rounds(4000, 80);
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

	/*
	 * In `always`, a test of these inside of another `when` is taken for a
	 * thought of the author; and each other header is tested once, so that
	 * requests go each way.
	 */
	if (!rules->signals && (depth == 0 || rules->hosts) &&
	    unit_below(3) == 0) {
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
	static const char * const names[] = { "", "Cookie", "Authorization",
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
	if (varies != 0 && unit_below(2) == 0)
		put(rules, "response { when status is 200 { vary add %s; } }",
		    names[varies]);
	else if (varies != 0)
		put(rules, "key { when path is /a { header %s; } }",
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
	unsigned round, i, n, all = 0, rounds = unit_rounds(20000, 80);
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
		rules->hosts = true;
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
	unsigned round, n, all = 0, rounds = unit_rounds(20000, 25);
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

/*--------------------------------------------------------------------
 * Responses that one client decides for all, and headers that a 304 leaves out
 */

enum kind { EDIT, UNSET, LOG, PREFER, STOP, STORES, STORES_NONE, WHEN };

#define NODES_MAX	40
#define ASKED		6	/* tests: three of the client, three of
				 * headers of the response */
#define EVENTS_MAX	200

/* A statement of a block. */
struct node {
	enum kind		kind;
	const char		*text;
	unsigned		asked;		/* WHEN, UNSET: which */
	bool			negated;
	struct node		*then, *otherwise, *next;
	unsigned		line;
	/* Of a `when`: what stored responses show of its two branches. */
	bool			passed[2], edited[2];
	bool			stored;		/* UNSET: by a response */
	bool			reached;
};

struct tree {
	struct node		nodes[NODES_MAX];
	unsigned		nnodes, nasked;
	struct node		*items[3];	/* always, host, finally */
};

static const char * const asked[ASKED] = { "cookie a present",
	"request header X-A present", "method is POST", "header R-3 present",
	"header R-4 present", "header R-5 present" };
static const char * const removed[ASKED] = { "", "", "", "unset R-3;",
	"unset R-4;", "unset R-5;" };

static struct node *tree_block(struct tree *, unsigned depth);

static struct node *
tree_node(struct tree *tree, unsigned depth)
{
	static const struct { enum kind kind; const char *text; } kinds[] = {
		{ EDIT, "set X-E = \"1\";" }, { EDIT, "ttl default 1h;" },
		{ LOG, "log \"x\";" }, { PREFER, "prefer stale;" },
		{ STOP, "stop;" }, { STORES, "deliver;" },
		{ STORES, "builtin;" }, { STORES_NONE, "uncacheable;" },
		{ STORES_NONE, "pass;" }, { STORES_NONE, "abandon;" } };
	struct node *node = &tree->nodes[tree->nnodes++];
	unsigned k = unit_below(sizeof kinds / sizeof *kinds);

	*node = (struct node){ .kind = kinds[k].kind, .text = kinds[k].text };
	if (depth < 4 && tree->nasked < ASKED && unit_below(2) == 0) {
		node->kind = WHEN;
		node->asked = tree->nasked++;
		node->negated = unit_below(4) == 0;
		node->then = tree_block(tree, depth + 1);
		if (unit_below(3) == 0)
			node->otherwise = tree_block(tree, depth + 1);
	} else if (unit_below(3) == 0) {
		node->kind = UNSET;
		node->asked = 3 + unit_below(3);
		node->text = removed[node->asked];
	}
	return (node);
}

static struct node *
tree_block(struct tree *tree, unsigned depth)
{
	struct node *first = NULL, **to = &first;
	unsigned n = unit_below(4);

	while (n-- > 0 && tree->nnodes < NODES_MAX) {
		*to = tree_node(tree, depth);
		if ((*to)->kind >= STOP && (*to)->kind != WHEN)
			break;
		to = &(*to)->next;
	}
	return (first);
}

static void
put_tree(struct rules *rules, struct node *node)
{
	for (; node != NULL; node = node->next) {
		node->line = rules->line + 1;
		if (node->kind != WHEN) {
			put(rules, "%s", node->text);
			continue;
		}
		put(rules, "when %s%s {", node->negated ? "not " : "",
		    asked[node->asked]);
		put_tree(rules, node->then);
		if (node->otherwise != NULL) {
			put(rules, "} else {");
			put_tree(rules, node->otherwise);
		}
		put(rules, "}");
	}
}

/* A branch of a `when`, or an `unset`, that a response has come to. */
struct event {
	struct node		*node;
	bool			otherwise;
	bool			edits;		/* it was edited in there */
};

/* A response on its way through the rules. */
struct way {
	unsigned		answers;	/* bits of tests that are met */
	struct event		events[EVENTS_MAX];
	unsigned		nevents;
	struct event		around[8];	/* branches it is in */
	unsigned		depth;
};

static void
way_event(struct way *way, const struct event *event)
{
	ck_assert_uint_lt(way->nevents, EVENTS_MAX);
	way->events[way->nevents++] = *event;
}

/* Returns the kind of what has ended the block; EDIT: nothing has. */
static enum kind
way_go(struct way *way, struct node *node)
{
	enum kind end = EDIT;
	struct event *event;
	unsigned i;

	for (; node != NULL && end == EDIT; node = node->next) {
		node->reached = true;
		switch (node->kind) {
		case WHEN:
			event = &way->around[way->depth++];
			*event = (struct event){ .node = node, .otherwise =
			    ((way->answers >> node->asked & 1) != 0) ==
			    node->negated };
			way_event(way, event);
			end = way_go(way, event->otherwise ?
			    node->otherwise : node->then);
			way->depth--;
			break;
		case LOG:
			break;
		case PREFER:
			/* What was before it is stored in no background. */
			way->nevents = 0;
			break;
		case UNSET:
			way_event(way, &(struct event){ .node = node });
			/* FALLTHROUGH */
		default:
			for (i = 0; i < way->depth; i++) {
				event = &way->around[i];
				event->edits = true;
				way_event(way, event);
				event->edits = false;
			}
			if (node->kind >= STOP)
				end = node->kind;
			break;
		}
	}
	return (end);
}

/* Notes what is stored of a response, for a host of the rules or for none. */
static void
way_note(const struct tree *tree, unsigned answers, bool host)
{
	struct way way = { .answers = answers };
	enum kind end = way_go(&way, tree->items[0]);
	const struct event *event;
	unsigned i;

	if (host && end <= STOP)
		end = way_go(&way, tree->items[1]);
	if (end <= STOP)
		end = way_go(&way, tree->items[2]);
	if (end == STORES_NONE)
		return;
	for (i = 0; i < way.nevents; i++) {
		event = &way.events[i];
		if (event->node->kind == UNSET)
			event->node->stored = true;
		else if (event->edits)
			event->node->edited[event->otherwise] = true;
		else
			event->node->passed[event->otherwise] = true;
	}
}

/* Returns true if a stored response depends on the test of a `when`. */
static bool
node_matters(const struct node *when)
{
	return (when->edited[0] || (when->edited[1] && when->passed[0]));
}

static bool
node_decides(const struct node *when)
{
	/* Only responses for clients without it are stored; or any method's. */
	bool absent = !when->passed[1] &&
	    (when->negated || *asked[when->asked] == 'm');

	return (when->kind == WHEN && when->asked < 3 &&
	    node_matters(when) && (!absent ||
	    (when->edited[1] && when->passed[0])));
}

/* Returns true if statements do nothing but to remove one header. */
static bool
removes_only(const struct node *node, unsigned which)
{
	for (; node != NULL; node = node->next)
		if (node->kind == WHEN) {
			if (!removes_only(node->then, which) ||
			    !removes_only(node->otherwise, which))
				return (false);
		} else if (node->kind != LOG &&
		    (node->kind != UNSET || node->asked != which)) {
			return (false);
		}
	return (true);
}

/* Returns true if an `unset` removes what a test needs after a 304. */
static bool
node_loses(const struct tree *tree, const struct node *unset)
{
	const struct node *node;

	for (node = tree->nodes; node < tree->nodes + tree->nnodes; node++)
		if (node->kind == WHEN && node->asked == unset->asked &&
		    node_matters(node) &&
		    !(removes_only(node->then, node->asked) &&
		    removes_only(node->otherwise, node->asked)))
			return (unset->kind == UNSET && unset->stored);
	return (false);
}

/* Makes rules.  Returns false if a statement of them is never reached. */
static bool
tree_make(struct tree *tree, struct rules *rules)
{
	static const char * const items[] = { "always", "host a.example",
	    "finally" };
	unsigned i;

	memset(tree, 0, sizeof *tree);
	memset(rules, 0, sizeof *rules);
	for (i = 0; i < 3; i++) {
		tree->items[i] = tree_block(tree, 0);
		put(rules, "%s { response {", items[i]);
		put_tree(rules, tree->items[i]);
		put(rules, "} }");
	}
	for (i = 0; i < 2U << ASKED; i++)
		way_note(tree, i >> 1, (i & 1) != 0);
	i = 0;
	while (i < tree->nnodes && tree->nodes[i].reached)
		i++;
	return (i == tree->nnodes);
}

UNIT_TEST(test_lints_what_one_client_decides_is_told_and_what_a_304_loses)
{
	unsigned round, all = 0, lost = 0, rounds = unit_rounds(20000, 25);
	struct told decides[TOLD_MAX], loses[TOLD_MAX];
	struct rules *rules = malloc(sizeof *rules);
	struct tree *tree = malloc(sizeof *tree);
	bool says[2][LINES_MAX];
	unsigned i, n, m;
	struct node *node;

	ck_assert_ptr_nonnull(rules);
	ck_assert_ptr_nonnull(tree);
	for (round = 0; round < rounds; round++) {
		if (!tree_make(tree, rules))
			continue;
		memset(says, 0, sizeof says);
		n = check_told(rules, "decides here for all", decides);
		m = check_told(rules, "refreshes the page", loses);
		for (i = 0; i < n; i++)
			says[0][decides[i].line] = true;
		for (i = 0; i < m; i++)
			says[1][loses[i].line] = true;
		for (i = 0; i < tree->nnodes; i++) {
			node = &tree->nodes[i];
			if (says[0][node->line] != node_decides(node))
				ck_abort_msg("%s\nline %u: decides: %d",
				    rules->text, node->line,
				    node_decides(node));
			if (says[1][node->line] != node_loses(tree, node))
				ck_abort_msg("%s\nline %u: loses: %d",
				    rules->text, node->line,
				    node_loses(tree, node));
		}
		all += n;
		lost += m;
	}
	ck_assert_uint_gt(all, rounds / 4);
	ck_assert_uint_gt(lost, rounds / 20);
	free(tree);
	free(rules);
}

int
main(void)
{
	unit_seed("lints");
	return (unit_main("lints", 300));
}
