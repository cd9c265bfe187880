/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scenarios (fail.h) with rules: they are formatted, loaded, run and swapped.
 */

#include <sys/stat.h>
#include <unistd.h>

#include "../unit/folder.h"
#include "../unit/unit.h"
#include "agree.h"
#include "format.h"
#include "live.h"
#include "responding.h"
#include "rules_load.h"
#include "scenarios.h"

#define RULES	"main.rules"

/*--------------------------------------------------------------------
 * Requests
 */

#define REQUESTS	4
#define FIELDS		9
#define LARGE		30000

/* Small requests, and one that needs more than the room on the stack. */
struct request {
	const char		*method, *url;
	const char		*lines[FIELDS];
	struct fm_field		fields[FIELDS];
	struct fm_view		view;
	struct naive		*naive;
	const struct naive_result *expected;
};

static struct request requests[REQUESTS] = {
	{ .method = "GET", .url = "/old/page?utm_x=1&b=2&a=1&page=12&a=1",
	    .lines = { "Host: www.example.com", "Accept-Encoding: gzip, br",
	    "User-Agent: SonyEricsson/1.0 spider/7 (xaay)",
	    "Cookie: _ga=1; session=abc; __utma=2", "X-Internal-A: 1" } },
	{ .method = "GET", .url = "/", .lines = { "Host: en.wiki.example:80",
	    "User-Agent: Mozilla/5.0 (iPhone) ANDROID-Mobile/2",
	    "Accept-Language: fr;q=0.8, de", "Cache-Control: no-cache" } },
	{ .method = "POST", .url = "http://a/%62.jpg?item=apple&t=%61pple",
	    .lines = { "Host: a.static.example.net", "Cookie: a=b" } },
	{ .method = "GET", .lines = { "Host: www.example.com",
	    "Accept-Encoding: gzip", "User-Agent: Googlebot" } },
};

static char *large_url, *large_lines[3];
static struct fm_model *model;
static struct fm_program *program;

/* A response whose lists need more than the stack has, in each phase. */
static struct responding response;
static const enum fm_phase phases[] = { FM_PHASE_RESPONSE,
    FM_PHASE_DELIVERY };
static char responses[2][RESPONDING_LINE];	/* what becomes of it */

static char *
large(const char *start, const char *part)
{
	char *b = malloc(LARGE + 100);
	size_t len;
	unsigned n;

	ck_assert_ptr_nonnull(b);
	len = (size_t)sprintf(b, "%s", start);
	for (n = 0; len < LARGE; n++)
		len += (size_t)sprintf(b + len, part, n % 701, n);
	return (b);
}

static void
large_make(struct request *r)
{
	large_url = large("/x.cfm?page=3", "&b%u=%u&utm_");
	large_lines[0] = large("Cookie: session=1", "; __utm%u=%u; c");
	large_lines[1] = large("X-Long: ", "needl %u,%u");
	large_lines[2] = large("Accept-Language: x", ", l%u;q=0.%u");
	r->url = large_url;
	r->lines[3] = large_lines[0];
	r->lines[4] = large_lines[1];
	r->lines[5] = large_lines[2];
}

static void
request_make(struct request *r)
{
	static const uint8_t client[] = { 127, 0, 0, 1 };
	unsigned n;

	for (n = 0; n < FIELDS && r->lines[n] != NULL; n++) {
		r->fields[n].b = r->lines[n];
		r->fields[n].e = r->lines[n] + strlen(r->lines[n]);
	}
	r->view = (struct fm_view){ .method = fm_text_of(r->method),
	    .url = fm_text_of(r->url), .fields = r->fields, .nfields = n,
	    .client = fm_addr_of(client, sizeof client) };
	r->naive = naive_new(model);
	r->expected = naive_run(r->naive, program, &r->view);
}

/*
 * Runs a request with memory; returns in what it differs from the twin, or
 * NULL.
 */
static const char *
request_run(const struct fm_program *p, const struct request *r)
{
	const struct fm_result *result;
	struct fm_run run;
	const char *wrong;

	result = fm_run(&run, p, &r->view, NULL);
	wrong = agree(p, &r->view, r->expected, result);
	fm_run_end(&run);
	return (wrong);
}

static void
response_make(void)
{
	char *vary = large("200 hit | Vary: User-Agent, X-A", ", l%u-%u"), *in;
	const struct fm_program *of;
	struct fm_run run;
	unsigned i;

	ck_assert_int_gt(asprintf(&in, "%s | Set-Cookie: session=1 | Vary: a | "
	    "Set-Cookie: b=2 | Cache-Control: private, max-age=60 | X-B: b | "
	    "Content-Type: Text/HTML; charset=utf-8 | Location: http://a/",
	    vary), 0);
	responding_init(&response, "www.example.com", "/x", NULL, in);
	free(vary);
	free(in);
	for (i = 0; i < 2; i++) {
		of = fm_program_phase(program, phases[i]);
		ck_assert_ptr_nonnull(of);
		(void)responding_print(fm_run(&run, of, &response.view, NULL),
		    responses[i]);
		fm_run_end(&run);
	}
}

/* Runs a response with memory; returns what is wrong, or NULL. */
static const char *
response_run(const struct fm_program *p, unsigned i)
{
	char is[RESPONDING_LINE];
	const char *wrong = NULL;
	struct fm_run run;

	if (strcmp(responding_print(fm_run(&run, fm_program_phase(p,
	    phases[i]), &response.view, NULL), is), responses[i]) != 0)
		wrong = "another response";
	fm_run_end(&run);
	return (wrong);
}

static enum fail_outcome
requests_run(const struct fm_program *p)
{
	const char *wrong = NULL;
	unsigned i;

	for (i = 0; i < REQUESTS && wrong == NULL; i++)
		wrong = request_run(p, &requests[i]);
	for (i = 0; i < 2 && wrong == NULL; i++)
		wrong = response_run(p, i);
	return (wrong == NULL ? FAIL_DONE : fail_is_wrong(wrong));
}

enum fail_outcome
fail_try_format(void)
{
	static const char text[] = "always\n{ unset A ; # why\n}\nmap m {\n"
	    "is a -> b;\ndefault c; }\n", shall[] = "always {\n"
	    "    unset A;  # why\n}\nmap m {\n    is a -> b;\n"
	    "    default c;\n}\n";
	struct fm_diag *diag;
	enum fail_outcome r;
	char *is = NULL;
	size_t len = 0;

	fail_begin();
	diag = fm_diag_new();
	if (diag != NULL)
		is = fm_format("a.rules", fm_text_of(text), &len, diag);
	(void)fail_end();
	if (is == NULL)
		r = fail_refused(diag, fail_reason());
	else
		r = strcmp(is, shall) == 0 ? FAIL_DONE : fail_is_wrong(is);
	free(is);
	if (diag != NULL)
		fm_diag_free(&diag);
	return (r);
}

/*--------------------------------------------------------------------
 * Loaded
 */

enum fail_outcome
fail_try_load(void)
{
	struct fm_sources *sources;
	struct fm_program *p = NULL;
	struct fm_model *m = NULL;
	enum fail_outcome r;
	struct fm_diag *diag;

	fail_begin();
	diag = fm_diag_new();
	sources = fm_sources_new(true);
	if (sources == NULL)
		fm_diag_error(diag, NULL, "out of memory");
	else if (diag != NULL)
		p = fm_rules_load(RULES, NULL, sources, &m, diag);
	(void)fail_end();
	r = p == NULL ? fail_refused(diag, fail_reason()) : requests_run(p);
	if (p != NULL)
		fm_program_free(&p);
	if (m != NULL)
		fm_model_free(&m);
	if (sources != NULL)
		fm_sources_free(&sources);
	if (diag != NULL)
		fm_diag_free(&diag);
	return (r);
}

/*--------------------------------------------------------------------
 * Run
 */

/* Runs a request that may fail: then it is undecided, or a regex in it is. */
static enum fail_outcome
run_under(const struct request *r)
{
	const struct fm_result *result;
	enum fail_outcome outcome = FAIL_DONE;
	struct fm_run run;
	const char *wrong;
	bool failed;

	fail_begin();
	result = fm_run(&run, program, &r->view, NULL);
	failed = fail_end();
	if (result->no_memory) {
		outcome = failed && result->edits.n == 0 &&
		    result->verdict == FM_VERDICT_NONE && !result->backend_set
		    ? FAIL_REFUSED : fail_is_wrong("half of it is done");
	} else if (!failed || result->tally.over_limit == 0) {
		wrong = agree(program, &r->view, r->expected, result);
		if (wrong != NULL)
			outcome = fail_is_wrong(wrong);
	}
	fm_run_end(&run);
	return (outcome);
}

/* Runs a response that may fail. */
static enum fail_outcome
response_under(unsigned i)
{
	const struct fm_program *of = fm_program_phase(program, phases[i]);
	enum fail_outcome outcome = FAIL_DONE;
	const struct fm_result *result;
	char is[RESPONDING_LINE];
	struct fm_run run;
	bool failed;

	fail_begin();
	result = fm_run(&run, of, &response.view, NULL);
	failed = fail_end();
	if (result->no_memory)
		outcome = failed && result->edits.n == 0 &&
		    result->verdict == FM_VERDICT_NONE &&
		    result->response == NULL ? FAIL_REFUSED :
		    fail_is_wrong("half of it is done");
	else if (strcmp(responding_print(result, is), responses[i]) != 0 &&
	    (!failed || result->tally.over_limit == 0))
		outcome = fail_is_wrong("another response");
	fm_run_end(&run);
	return (outcome);
}

enum fail_outcome
fail_try_run(void)
{
	enum fail_outcome r = FAIL_DONE, one;
	unsigned i;

	for (i = 0; i < REQUESTS + 2 && r != FAIL_WRONG; i++) {
		one = i < REQUESTS ? run_under(&requests[i]) :
		    response_under(i - REQUESTS);
		if (one != FAIL_DONE)
			r = one;
	}
	return (r == FAIL_WRONG ? r :
	    requests_run(program) == FAIL_WRONG ? FAIL_WRONG : r);
}

/*--------------------------------------------------------------------
 * Swapped
 */

static int alive;

static void *
set_make(const void *recipe, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	struct fm_program *p;

	(void)before;
	p = fm_rules_load(recipe, NULL, sources, NULL, diag);
	if (p == NULL)
		return (NULL);
	facts->hosts = fm_program_hosts(p);
	alive++;
	return (p);
}

static void
set_free(void *priv)
{
	struct fm_program *p = priv;

	fm_program_free(&p);
	alive--;
}

static void
recipe_free(void *recipe)
{
	(void)recipe;
}

static const struct fm_set_type set_type = {
	.make = set_make, .free = set_free,
	.free_recipe = recipe_free
};

static void
tell(void *priv, bool error, const char *line)
{
	(void)priv;
	(void)error;
	(void)line;
}

/* Replaces the rule file by the rules with n more hosts. */
static void
rules_write(unsigned n)
{
	FILE *f = fopen("new", "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "include \"%s\";\n", RULES);
	while (n-- > 0)
		fprintf(f, "host h%u.example { pass; }\n", n);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(rename("new", "live.rules"), 0);
}

/* Returns NULL if the right version serves, and is whole; or what is wrong. */
static const char *
serves(const struct fm_live *live, uint64_t hosts)
{
	const struct fm_version *v = fm_live_get(live);
	const char *wrong = NULL;

	if (v == NULL)
		return ("nothing serves");
	if (v->set->facts.hosts != hosts)
		wrong = "another version serves";
	else if (requests_run(v->payload) != FAIL_DONE)
		wrong = fail_wrong;
	fm_live_put(v);
	return (wrong);
}

/* Reloads while something fails, then while nothing does. */
static enum fail_outcome
swap(struct fm_live *live, uint64_t hosts)
{
	struct fm_live_state state;
	enum fm_reload r, again;
	const char *wrong;
	bool failed;

	rules_write(2);
	fail_begin();
	r = fm_live_reload(live);
	if (fm_live_state(live, &state) == 0)
		fm_live_state_fini(&state);
	failed = fail_end();
	if (r != FM_RELOAD_SWAPPED && !failed)
		return (fail_is_wrong("not swapped"));
	/* what could not be swapped in any more comes with the next look */
	wrong = serves(live, r == FM_RELOAD_SWAPPED ? hosts + 1 : hosts);
	if (wrong != NULL && failed && r == FM_RELOAD_SWAPPED)
		wrong = serves(live, hosts);
	if (wrong == NULL && r == FM_RELOAD_REFUSED &&
	    fm_live_state(live, &state) == 0) {
		if (fail_refused(state.diag, fail_reason()) == FAIL_WRONG)
			wrong = fail_wrong;
		else if (state.errors == 0)
			wrong = "no error was counted";
		fm_live_state_fini(&state);
	}
	again = fm_live_reload(live);
	if (wrong == NULL && again == FM_RELOAD_REFUSED)
		wrong = "refused with memory";
	if (wrong == NULL)
		wrong = serves(live, hosts + 1);
	if (wrong != NULL)
		return (fail_is_wrong(wrong));
	return (r == FM_RELOAD_SWAPPED ? FAIL_DONE : FAIL_REFUSED);
}

/* Binds while something fails; if refused, binds again while nothing does. */
static enum fail_outcome
warm(struct fm_live *live, uint64_t hosts)
{
	enum fail_outcome r = FAIL_DONE;
	const char *wrong;

	fail_begin();
	if (fm_live_warm(live, NULL) != 0)
		r = FAIL_REFUSED;
	if (!fail_end() && r == FAIL_REFUSED)
		return (fail_is_wrong("not bound"));
	if (r == FAIL_REFUSED && fm_live_warm(live, NULL) != 0)
		return (fail_is_wrong("not bound with memory"));
	wrong = serves(live, hosts);
	return (wrong == NULL ? r : fail_is_wrong(wrong));
}

enum fail_outcome
fail_try_swap(void)
{
	static char recipe[] = "live.rules";
	struct fm_live_options options = { .type = &set_type, .name = "site",
	    .path = recipe, .key = recipe, .recipe = recipe, .watch = 60,
	    .backup = "backup", .tell = tell };
	uint64_t hosts = fm_program_hosts(program) + 1;
	enum fail_outcome r = FAIL_DONE, swapped;
	struct fm_live *live;
	struct fm_diag *diag;

	(void)unlink("backup");
	rules_write(1);
	fail_begin();
	diag = fm_diag_new();
	live = fm_live_open(&options, diag);
	(void)fail_end();
	if (live == NULL)
		r = fail_refused(diag, fail_reason());
	if (diag != NULL)
		fm_diag_free(&diag);
	if (live == NULL)
		return (r);
	r = warm(live, hosts);
	swapped = r == FAIL_WRONG ? r : swap(live, hosts);
	fm_live_close(&live);
	if (r != FAIL_WRONG && alive != 0)
		return (fail_is_wrong("a set is left"));
	return (swapped == FAIL_DONE ? r : swapped);
}

/*--------------------------------------------------------------------
 * Files of the scenarios
 */

/* Copies the rules into the folder, since files are written beside them. */
static void
copy_files(void)
{
	char command[700];

	(void)snprintf(command, sizeof command,
	    "cp -R '%s/tests/fail/everything/.' . && chmod -R u+w .",
	    TOP_SRCDIR);
	ck_assert_int_eq(system(command), 0);
}

void
fail_setup(void)
{
	struct fm_diag *diag = fm_diag_new();
	unsigned i;

	folder_enter();
	copy_files();
	program = fm_rules_load(RULES, NULL, NULL, &model, diag);
	ck_assert_msg(program != NULL, "%s", fm_diag_line(diag, 0));
	fm_diag_free(&diag);
	large_make(&requests[REQUESTS - 1]);
	for (i = 0; i < REQUESTS; i++)
		request_make(&requests[i]);
	response_make();
	ck_assert_msg(requests_run(program) == FAIL_DONE, "%s", fail_wrong);
}

void
fail_teardown(void)
{
	unsigned i;

	for (i = 0; i < REQUESTS; i++)
		naive_free(&requests[i].naive);
	for (i = 0; i < 3; i++)
		free(large_lines[i]);
	free(large_url);
	responding_fini(&response);
	fm_program_free(&program);
	fm_model_free(&model);
	ck_assert_int_eq(alive, 0);
	folder_leave();
}
