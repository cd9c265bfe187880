/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests what is told of two programs that differ for a response, or for a key.
 * Random rules run on random responses; a twin makes the message that each side
 * leaves, line by line, and compares the two.
 */

#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

#include "compiling.h"
#include "differ.h"
#include "twin.h"

#define STMTS	6
#define FIELDS	7
#define LINES	40		/* of a message, or of changes */
#define ROUNDS	6000

/*--------------------------------------------------------------------
 * What is compared
 */

static const char * const stmts[] = { "ttl 10s;", "ttl 60s;",
    "ttl at least 30s;", "ttl at most 20s;", "ttl default 90s;", "grace 5s;",
    "grace 9s;", "keep 7s;", "uncacheable;", "uncacheable 9s;", "esi;",
    "gzip;", "set X-A = 1;", "set X-A = 2;", "set X-B = \"${status}\";",
    "unset X-B;", "set-cookie drop a;", "set-cookie drop b;",
    "set-cookie keep a;", "unset Set-Cookie;", "vary add Accept;",
    "cache-control drop private;",
    "when status is 404 { ttl 3s; set X-A = 3; }",
    "when header X-B present { unset X-A; esi; }",
    "when ttl over 50s { grace 1s; }", "call one;", "call two;",
    "when status is 404 { call one; }" };
static const char * const ends[] = { "", "", "", "deliver;", "builtin;",
    "pass 5s;", "abandon;", "retry;" };
static const char * const lines[] = { "X-A: 1", "X-B: 404", "x-b: 2",
    "Set-Cookie: a=1", "Set-Cookie: b=2", "set-cookie: c=3", "Vary: Accept",
    "Cache-Control: private, max-age=3", "Cache-Control: max-age=3" };

static char *
rules_make(void)
{
	static char text[1000];
	char *to = stpcpy(text, "always { response { ");
	unsigned n;

	for (n = unit_below(STMTS); n > 0; n--)
		to = stpcpy(stpcpy(to, stmts[unit_below(sizeof stmts /
		    sizeof *stmts)]), " ");
	to = stpcpy(to, ends[unit_below(sizeof ends / sizeof *ends)]);
	(void)stpcpy(to, " } }");
	return (text);
}

struct message {
	struct fm_view		view;
	struct fm_response	response;
	struct fm_field		fields[FIELDS];
};

static void
message_make(struct message *message)
{
	static const double ttls[] = { 0, 10, 60, 90, 120 };
	const char *line;
	unsigned i;

	memset(message, 0, sizeof *message);
	message->response = (struct fm_response){
	    .status = unit_below(2) ? 200 : 404,
	    .ttl = ttls[unit_below(5)], .grace = 10,
	    .flags = unit_below(8) == 0 ? FM_FETCH_PASS : 0,
	    .can_retry = unit_below(2),
	    .from = unit_below(2) ? FM_LIFETIME_DEFAULT :
	    FM_LIFETIME_KNOWN,
	    .uncacheable = unit_below(12) == 0, .uncacheable_ttl = 120 };
	message->view = (struct fm_view){ .method = fm_text_of("GET"),
	    .url = fm_text_of("/"), .fields = message->fields,
	    .nfields = unit_below(FIELDS + 1), .response = &message->response };
	for (i = 0; i < message->view.nfields; i++) {
		line = lines[unit_below(sizeof lines / sizeof *lines)];
		message->fields[i] = (struct fm_field){ line,
		    strchr(line, '\0') };
	}
}

/*--------------------------------------------------------------------
 * The twin
 */

/* A list of texts. */
struct list {
	unsigned	n;
	char		text[LINES][80];
};

static void
list_add(struct list *list, const char *format, ...)
{
	va_list ap;

	AGREE(list->n < LINES, "too many");
	va_start(ap, format);
	(void)vsnprintf(list->text[list->n++], sizeof list->text[0], format,
	    ap);
	va_end(ap);
}

static bool
list_has(const struct list *list, const char *text)
{
	unsigned i;

	for (i = 0; i < list->n; i++)
		if (strcmp(list->text[i], text) == 0)
			return (true);
	return (false);
}

/* Writes all values of a header that a side leaves, in their order. */
static void
value_left(const struct message *message, const struct fm_result *result,
    const char *name, char *to)
{
	const struct fm_view *view = &message->view;
	struct fm_edit edit;
	bool replaced = false;
	size_t len = strlen(name);
	unsigned i;

	*to = '\0';
	for (i = 0; i < view->nfields; i++) {
		if (strncasecmp(view->fields[i].b, name, len) != 0)
			continue;
		if (!fm_edit_field(result, i, &edit))
			to += sprintf(to, "<%s>", view->fields[i].b + len);
		else if (edit.set)
			replaced = true;
	}
	if (fm_edit_of(result, fm_text_of(name), &edit) && edit.set)
		(void)sprintf(to, "=%.*s", (int)edit.value.len, edit.value.b);
	else
		AGREE(!replaced, "a field is replaced by nothing");
}

/* Writes the names of the subs that are called. */
static const char *
calls_of(const struct fm_program *program, const struct fm_result *result,
    char *to)
{
	unsigned i;

	*to = '\0';
	for (i = 0; i < result->ncalls; i++)
		(void)strcat(strcat(to, fm_program_call(program,
		    result->calls[i].sub, NULL, NULL)), " ");
	return (to);
}

static bool
goes_on(enum fm_verdict verdict)
{
	return (verdict == FM_VERDICT_NONE || verdict == FM_VERDICT_DELIVER ||
	    verdict == FM_VERDICT_PASS);
}

/* Lists what differs, as fm_differ_tell() should tell it. */
static void
twin_changes(const struct message *message, const struct fm_differ *differ,
    struct list *list)
{
	static const char * const names[] = { "X-A", "X-B", "Set-Cookie",
	    "Vary", "Cache-Control" };
	const struct fm_result *a = differ->results[FM_OLD];
	const struct fm_result *b = differ->results[FM_NEW];
	const struct fm_response *x = a->response, *y = b->response;
	char left[400], other[400];
	unsigned i;

	list->n = 0;
	if (strcmp(calls_of(differ->programs[FM_OLD], a, left),
	    calls_of(differ->programs[FM_NEW], b, other)) != 0)
		list_add(list, "calls");
	if (a->verdict != b->verdict)
		list_add(list, "verdict");
	else if (!goes_on(a->verdict))
		return;
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		value_left(message, a, names[i], left);
		value_left(message, b, names[i], other);
		if (strcmp(left, other) != 0)
			list_add(list, "header %s", names[i]);
	}
	if (x->uncacheable != y->uncacheable) {
		list_add(list, "uncacheable");
	} else {
		if (x->ttl < y->ttl || x->ttl > y->ttl)
			list_add(list, "ttl");
		if (x->grace < y->grace || x->grace > y->grace)
			list_add(list, "grace");
		if (x->keep < y->keep || x->keep > y->keep)
			list_add(list, "keep");
	}
	if (x->esi != y->esi)
		list_add(list, "esi");
	if (x->gzip != y->gzip)
		list_add(list, "gzip");
}

/* Finds the last statement that a trace says to have changed something. */
struct seen {
	const char		*what;
	bool			life;		/* `uncacheable` changes it */
	const struct fm_rule	*rule;
};

static void
on_event(void *priv, const struct fm_event *event)
{
	struct seen *seen = priv;

	for (; seen->what != NULL; seen++)
		if (event->kind == FM_EVENT_STMT &&
		    event->effect == FM_EFFECT_CHANGED &&
		    (fm_text_eq(event->what, fm_text_of(seen->what)) ||
		    (seen->life && fm_text_eq(event->what,
		    fm_text_of("uncacheable")))))
			seen->rule = event->rule;
}

/*--------------------------------------------------------------------
 * Comparing both
 */

struct told {
	struct list		list;
	const struct fm_rule	*rules[LINES][2];
};

static void
on_change(void *priv, const struct fm_change *change,
    const struct fm_differ *differ)
{
	struct told *told = priv;
	unsigned i;

	(void)differ;
	for (i = 0; i < 2; i++)
		told->rules[told->list.n][i] = change->rules[i];
	if (change->header.b != NULL)
		list_add(&told->list, "%s %.*s",
		    fm_change_word(change->kind), (int)change->header.len,
		    change->header.b);
	else
		list_add(&told->list, "%s", fm_change_word(change->kind));
}

/* Compares the rules of a lifetime or a flag with what a trace says. */
static void
check_rules(const struct told *told, const struct fm_program *program,
    const struct message *message, enum fm_side side)
{
	struct seen seen[] = { { "ttl", true, NULL }, { "grace", true, NULL },
	    { "keep", true, NULL }, { "esi", false, NULL },
	    { "gzip", false, NULL }, { NULL, false, NULL } }, *at;
	const struct fm_trace trace = { .priv = seen, .tell = on_event };
	struct fm_run run;
	unsigned i;

	if (fm_run(&run, program, &message->view, &trace)->verdict ==
	    FM_VERDICT_NONE)
		for (at = seen; at->what != NULL; at++)
			for (i = 0; i < told->list.n; i++)
				AGREE(strcmp(told->list.text[i], at->what) !=
				    0 || told->rules[i][side] == at->rule,
				    "%s", at->what);
	fm_run_end(&run);
}

static void
compare(struct fm_program *programs[2], const struct message *message)
{
	struct fm_differ differ;
	struct told told = { .list.n = 0 };
	struct fm_run runs[2];
	struct list list;
	unsigned i;

	for (i = 0; i < 2; i++) {
		differ.programs[i] = fm_program_phase(programs[i],
		    FM_PHASE_RESPONSE);
		differ.results[i] = fm_run(&runs[i], differ.programs[i],
		    &message->view, NULL);
		AGREE(!differ.results[i]->no_memory, "no memory");
	}
	twin_changes(message, &differ, &list);
	fm_differ_tell(&differ, on_change, &told);
	AGREE(fm_differ_same(&differ) == (list.n == 0), "same");
	for (i = 0; i < list.n; i++)
		AGREE(list_has(&told.list, list.text[i]), "%s",
		    list.text[i]);
	for (i = 0; i < told.list.n; i++)
		AGREE(list_has(&list, told.list.text[i]), "%s",
		    told.list.text[i]);
	for (i = 0; i < 2; i++)
		check_rules(&told, differ.programs[i], message, i);
	for (i = 0; i < 2; i++)
		fm_run_end(&runs[i]);
}

UNIT_TEST(two_responses_are_told_to_differ_otherwise_than_line_by_line)
{
	struct fm_program *programs[2];
	struct message message;
	unsigned round, i, n;

	for (round = 0; round < unit_rounds(ROUNDS, 10) / 10; round++) {
		for (i = 0; i < 2; i++)
			programs[i] = unit_program("site.rules", rules_make());
		for (n = 0; n < 10; n++) {
			message_make(&message);
			compare(programs, &message);
		}
		for (i = 0; i < 2; i++)
			fm_program_free(&programs[i]);
	}
}

/*--------------------------------------------------------------------
 * Keys
 */

static const char * const key_stmts[] = { "header X-A;", "header X-B;",
    "cookie a;", "cookie b;", "\"t\";", "\"${query.q}\";",
    "when header X-A is 1 { \"when\"; }" };
static const char * const key_lines[] = { "X-A: 1", "X-B: 1", "X-B: 2",
    "Cookie: a=1", "Cookie: b=1; a=2" };

static char *
keys_make(void)
{
	static char text[1000];
	char *to = stpcpy(text, "always { key { \"0\"; ");
	unsigned n;

	for (n = unit_below(STMTS); n > 0; n--)
		to = stpcpy(stpcpy(to, key_stmts[unit_below(sizeof key_stmts /
		    sizeof *key_stmts)]), " ");
	(void)stpcpy(to, " } }");
	return (text);
}

/* The statements that add to a key, with the key's length after each. */
struct keyed {
	const struct fm_run	*run;
	unsigned		n;
	struct {
		const struct fm_rule	*rule;
		char			bytes[64];
	}			added[STMTS + 1];
	size_t			before;
};

static void
on_key(void *priv, const struct fm_event *event)
{
	struct keyed *keyed = priv;
	const struct fm_key *key = &keyed->run->key;

	if (event->effect != FM_EFFECT_KEY)
		return;
	AGREE(keyed->n < STMTS + 1, "too many");
	(void)snprintf(keyed->added[keyed->n].bytes,
	    sizeof keyed->added[0].bytes, "%s", key->b + keyed->before);
	keyed->added[keyed->n++].rule = event->rule;
	keyed->before = key->len;
}

static void
compare_keys(struct fm_program *programs[2], const struct fm_view *view)
{
	struct keyed keyed[2] = { { .n = 0 }, { .n = 0 } };
	const struct fm_program *program[2];
	struct fm_run runs[2];
	unsigned i, n = 0;

	for (i = 0; i < 2; i++) {
		const struct fm_trace trace = { .priv = &keyed[i],
		    .tell = on_key };

		keyed[i].run = &runs[i];
		program[i] = fm_program_phase(programs[i], FM_PHASE_KEY);
		(void)fm_run(&runs[i], program[i], view, &trace);
	}
	while (n < keyed[0].n && n < keyed[1].n &&
	    strcmp(keyed[0].added[n].bytes, keyed[1].added[n].bytes) == 0)
		n++;
	AGREE(fm_differ_same_key(&runs[0].key, &runs[1].key) ==
	    (n == keyed[0].n && n == keyed[1].n), "same key");
	for (i = 0; i < 2; i++)
		AGREE(fm_differ_key(program[i], view, &runs[i].key,
		    &runs[!i].key) == (n < keyed[i].n ?
		    keyed[i].added[n].rule : NULL), "statement");
	for (i = 0; i < 2; i++)
		fm_run_end(&runs[i]);
}

UNIT_TEST(two_keys_are_told_to_differ_at_another_statement)
{
	struct fm_program *programs[2];
	struct fm_field fields[FIELDS];
	struct fm_view view = { .method = fm_text_of("GET"),
	    .fields = fields };
	unsigned round, i, n;
	const char *line;

	for (round = 0; round < unit_rounds(ROUNDS, 10) / 10; round++) {
		for (i = 0; i < 2; i++)
			programs[i] = unit_program("site.rules", keys_make());
		for (n = 0; n < 10; n++) {
			view.url = fm_text_of(unit_below(2) ? "/?q=1" : "/");
			view.nfields = unit_below(FIELDS);
			for (i = 0; i < view.nfields; i++) {
				line = key_lines[unit_below(sizeof key_lines /
				    sizeof *key_lines)];
				fields[i] = (struct fm_field){ line,
				    strchr(line, '\0') };
			}
			compare_keys(programs, &view);
		}
		for (i = 0; i < 2; i++)
			fm_program_free(&programs[i]);
	}
}

UNIT_TEST(a_program_without_keys_has_one)
{
	struct fm_program *program = unit_program("site.rules",
	    "always { key { header X-A; \"t\"; } }");
	const struct fm_program *keys = fm_program_phase(program,
	    FM_PHASE_KEY);
	struct fm_view view = { .method = fm_text_of("GET"),
	    .url = fm_text_of("/") };
	struct fm_run run;

	(void)fm_run(&run, keys, &view, NULL);
	ck_assert(!fm_differ_same_key(&run.key, NULL));
	ck_assert(fm_differ_same_key(NULL, NULL));
	ck_assert_str_eq(fm_differ_key(keys, &view, &run.key, NULL)->text,
	    "header X-A");
	fm_run_end(&run);
	fm_program_free(&program);
}

int
main(void)
{
	unit_seed("test_differ");
	return (unit_main("differ", 120));
}
