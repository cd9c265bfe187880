/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON of the page, for real rules and hits that the test makes up.
 */

#include <jansson.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "folder.h"
#include "page.h"
#include "rules_load.h"

/*--------------------------------------------------------------------
 * The object that is shown
 */

static struct fm_program *program;
static bool answers;		/* the responses of hosts are known */
static bool rated;		/* and rates */

/* Gives one host a curve. */
static void
fake_history(struct fm_hits_history *read)
{
	unsigned i;

	memset(read, 0, sizeof *read);
	for (i = 0; i < FM_HISTORY_SEATS; i++)
		read->hosts[i] = UINT32_MAX;
	read->hosts[3] = 0;
	read->history.all[0][0].n[FM_HISTORY_REQUESTS] = 5;
	read->history.seats[3].minutes[0].n[FM_HISTORY_REQUESTS] = 3;
}

/*
 * Says that the n-th thing was counted n % 10 times, and the more of late the
 * fewer these are; that the n-th host had n errors of 404, and 9 - n of 500.
 */
void
fm_hits_read(const struct fm_hits *hits, double now,
    struct fm_hits_numbers *numbers)
{
	size_t i, n = *(const size_t *)(const void *)hits;
	struct fm_hits_responses *of = numbers->responses;

	(void)now;
	numbers->rated = rated;
	numbers->responding = answers;
	for (i = 0; i < n; i++) {
		numbers->totals[i] = i % 10;
		if (rated)
			numbers->rates[i] = (double)(9 - i % 10) / 2;
	}
	for (i = 0; answers && i < fm_program_hosts(program); i++, of++) {
		of->n[FM_HITS_HIT] = 3;
		of->n[FM_HITS_PASS] = i;
		of->n[FM_HITS_4XX] = i;
		of->n[FM_HITS_5XX] = 9 - i;
	}
	if (numbers->history != NULL)
		fake_history(numbers->history);
}

static struct fm_shadow_told *shadow;		/* or NULL */
static struct fm_diag *diag;
static size_t things;

static void
load(const char *text)
{
	folder_enter();
	folder_write("site.rules", text);
	diag = fm_diag_new();
	program = fm_rules_load("site.rules", NULL, NULL, NULL, diag);
	things = program == NULL ? 0 :
	    fm_program_nrules(program) + fm_program_hosts(program);
	folder_leave();
}

static void
unload(void)
{
	fm_diag_free(&diag);
	if (program != NULL)
		fm_program_free(&program);
}

/* Returns the JSON that a URL asks for; NULL: no memory. */
static char *
page_of(const char *url, bool secrets, size_t *len)
{
	static const struct fm_page_count count = { "requests", 7 };
	struct fm_set set = { .digest = "0123456789abcdef" };
	struct fm_version version = { .generation = 3, .set = &set };
	struct fm_live_state state = {
	    .version = &version, .diag = diag, .errors = fm_diag_errors(diag),
	    .last = program == NULL ? FM_RELOAD_REFUSED : FM_RELOAD_NEVER };
	struct fm_page *asked = calloc(1, sizeof *asked);
	char *text = NULL;

	if (asked == NULL)
		return (NULL);
	asked->what = (struct fm_rules_reported){ .name = "site",
	    .vcl = "boot", .path = "site.rules", .program = program,
	    .hits = (const struct fm_hits *)(const void *)&things,
	    .shadow = shadow };
	if (program == NULL)
		asked->what.hits = NULL;
	asked->state = &state;
	asked->engine = "5.4";
	asked->log = "verdict";
	asked->seconds = 2;
	asked->counts = &count;
	asked->ncounts = 1;
	asked->secrets = secrets;
	fm_page_query_parse(&asked->query, fm_text_of(url));
	if (fm_page_find_rows(asked) == 0)
		text = fm_page_json(asked, len);
	fm_page_end(asked);
	free(asked);
	return (text);
}

static char *
page(const char *url)
{
	size_t len;
	char *text = page_of(url, false, &len);

	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(strlen(text), len);
	ck_assert_uint_lt(len, FM_PAGE_SIZE);
	return (text);
}

static json_t *
json_of(const char *url)
{
	char *text = page(url);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_msg(root != NULL, "%s", text);
	free(text);
	return (root);
}

static const char site[] =
    "ruleset shop {\n"
    "    when header X-Token is \"s3cret\" { pass; }\n"
    "    when path is \"/<script>alert(1)</script>\" { synth 403; }\n"
    "    redirect 302 \"https://m.example${url}\";\n"
    "}\n"
    "host www.shop.example *.shop.example use shop;\n"
    "host b.example a.example { pass; }\n"
    "default { synth 404 \"<b>'no' & such</b>\"; }\n";

UNIT_TEST(test_page_hides_values_of_conditions_unless_told_to_show_them)
{
	char *text;
	size_t len;

	load(site);
	text = page("/?json");
	ck_assert_ptr_null(strstr(text, "s3cret"));
	ck_assert_ptr_nonnull(strstr(text, "header X-Token is [hidden]"));
	free(text);
	text = page_of("/?json", true, &len);
	ck_assert_ptr_nonnull(strstr(text, "s3cret"));
	free(text);
	unload();
}

static const struct {
	const char	*url;
	const char	*hosts;			/* the first of each */
	const char	*rules;
	int		matched;
} orders[] = {
	/* 7 rules, then the hosts: b.example is counted 9 times. */
	{ "/?json", "b.example", "synth 404 \"<b>'no' & such</b>\"", 4 },
	{ "/?json&hosts=name&rules=place", "*.shop.example",
	    "when header X-Token is [hidden]", 4 },
	{ "/?json&hosts=name&q=a.EXAMPLE", "a.example", "-", 1 },
	{ "/?json&q=shop&n=1", "*.shop.example", "-", 2 },
	{ "/?json&q=redirect", "-", "redirect 302 \"https://m.example${url}\"",
	    0 },
	{ "/?json&hosts=4xx", "a.example", "-", 4 },
	{ "/?json&hosts=5xx&rules=none", "www.shop.example", "-", 4 },
	{ "/?json&q=site.rules:3&rules=place", "-",
	    "when path is \"/<script>alert(1)</script>\"", 0 },
};

static const char *
first_of(json_t *root, const char *table, const char *key)
{
	json_t *rows = json_object_get(json_object_get(root, table), "rows");

	return (json_array_size(rows) == 0 ? "-" :
	    json_string_value(json_object_get(json_array_get(rows, 0), key)));
}

UNIT_LOOP(test_page_sorts_and_searches_hosts_and_rules, UNIT_COUNT(orders))
{
	json_t *root;

	load(site);
	ck_assert_uint_eq(fm_program_nrules(program), 7);
	answers = true;
	root = json_of(orders[_i].url);
	answers = false;
	ck_assert_str_eq(first_of(root, "hosts", "host"), orders[_i].hosts);
	if (*orders[_i].rules != '-' || strchr(orders[_i].url, 'q') != NULL)
		ck_assert_str_eq(first_of(root, "rules", "text"),
		    orders[_i].rules);
	ck_assert_int_eq(json_integer_value(json_object_get(
	    json_object_get(root, "hosts"), "matched")), orders[_i].matched);
	json_decref(root);
	unload();
}

UNIT_LOOP(test_page_never_takes_unknown_responses_for_none, 2)
{
	json_t *root, *host;

	load(site);
	answers = _i == 1;
	root = json_of("/?json&hosts=name&q=a.example");
	answers = false;
	host = json_array_get(json_object_get(json_object_get(root, "hosts"),
	    "rows"), 0);
	ck_assert(json_is_null(json_object_get(host, "hit_rate")) ==
	    (_i == 0));
	ck_assert(json_is_null(json_object_get(host, "5xx")) == (_i == 0));
	if (_i == 1) {
		ck_assert_int_eq(json_integer_value(json_object_get(host,
		    "5xx")), 6);
		ck_assert_double_eq(json_number_value(json_object_get(host,
		    "hit_rate")), 0.5);
	}
	json_decref(root);
	unload();
}

UNIT_LOOP(test_page_sorts_by_rate_where_one_is_known, 2)
{
	json_t *root, *host, *rate;

	load(site);
	rated = _i == 1;
	root = json_of("/?json");
	ck_assert_str_eq(first_of(root, "hosts", "host"),
	    _i == 1 ? "a.example" : "b.example");
	host = json_array_get(json_object_get(json_object_get(root, "hosts"),
	    "rows"), 0);
	rate = json_object_get(host, "rate");
	if (_i == 1)
		ck_assert_double_eq(json_number_value(rate), 4.5);
	else
		ck_assert(json_is_null(rate));
	json_decref(root);
	root = json_of("/?json&hosts=hits");
	ck_assert_str_eq(first_of(root, "hosts", "host"), "b.example");
	json_decref(root);
	rated = false;
	unload();
}

UNIT_LOOP(test_page_has_its_history_unless_told_not_to, 2)
{
	json_t *root, *history;

	load(site);
	root = json_of(_i == 0 ? "/?json" : "/?json&history=no");
	history = json_object_get(root, "history");
	ck_assert(json_is_object(history) == (_i == 0));
	ck_assert(json_is_null(history) == (_i == 1));
	json_decref(root);
	unload();
}

static const struct {
	const char	*rule;
	const char	*first;		/* of its hosts; NULL: no such rule */
	int		of;
	bool		otherwise;
} fors[] = {
	{ "site.rules:2:39", "*.shop.example", 2, false },
	{ "site.rules:7:28", "b.example", 2, false },
	{ "site.rules:8:11", "-", 0, true },
	{ "site.rules:2:38", NULL, 0, false },
	{ "site.rules:2", NULL, 0, false },
	{ "x", NULL, 0, false },
};

UNIT_LOOP(test_page_says_which_hosts_a_rule_is_for, UNIT_COUNT(fors))
{
	char url[100];
	json_t *root, *hosts;

	load(site);
	(void)snprintf(url, sizeof url, "/?json&rule=%s", fors[_i].rule);
	root = json_of(url);
	hosts = json_object_get(json_object_get(root, "rule"), "hosts");
	if (fors[_i].first == NULL) {
		ck_assert(json_is_null(json_object_get(root, "rule")));
	} else {
		ck_assert_str_eq(first_of(json_object_get(root, "rule"),
		    "hosts", "host"), fors[_i].first);
		ck_assert_int_eq(json_integer_value(json_object_get(hosts,
		    "of")), fors[_i].of);
		ck_assert(json_is_true(json_object_get(hosts, "default")) ==
		    fors[_i].otherwise);
		ck_assert(json_is_false(json_object_get(hosts, "all")));
	}
	json_decref(root);
	unload();
}

UNIT_TEST(test_page_says_which_rules_are_verdicts)
{
	static const bool verdicts[] = { false, true, false, true, true, true,
	    true };
	json_t *root, *rows;
	size_t n;

	load(site);
	root = json_of("/?json&rules=place");
	rows = json_object_get(json_object_get(root, "rules"), "rows");
	ck_assert_uint_eq(json_array_size(rows), UNIT_COUNT(verdicts));
	for (n = 0; n < UNIT_COUNT(verdicts); n++)
		ck_assert(json_is_true(json_object_get(json_array_get(rows, n),
		    "verdict")) == verdicts[n]);
	json_decref(root);
	unload();
}

UNIT_LOOP(test_page_shows_why_a_reload_was_refused, 2)
{
	char *text;
	size_t len;

	load("host a.example { synth 99; }\n");
	ck_assert_ptr_null(program);
	fm_diag_excerpt(diag, 0, "    synth 99;\n          ^\n",
	    "    synth [hidden];\n          ^\n");
	text = page_of("/?json", _i == 1, &len);
	ck_assert_ptr_nonnull(strstr(text, "site.rules:1:24"));
	ck_assert((strstr(text, "    synth 99;\\n") != NULL) == (_i == 1));
	ck_assert((strstr(text, "    synth [hidden];\\n") != NULL) ==
	    (_i == 0));
	ck_assert((strstr(text, "[hidden]' is not a status") != NULL) ==
	    (_i == 0));
	free(text);
	unload();
}

/* Writes n times what takes most room in JSON. */
static char *
quotes(char *to, size_t n)
{
	memset(to, '"', n);
	to[n] = '\0';
	return (to);
}

UNIT_TEST(test_page_is_below_its_size_whatever_is_in_it)
{
	static char text[300], rules[400000], url[20000];
	struct fm_shadow_cell cell = { .kind = "header", .header = text,
	    .host = text, .rules = { { text, text, text },
	    { text, text, text } }, .requests = 7 };
	struct fm_shadow_cell *cells[1000];
	struct fm_shadow_tested tested = { text, text };
	struct fm_shadow_example examples[100] = { { .at = 1 } };
	struct fm_shadow_told told = { .path = text, .digest = text,
	    .errors = 9, .messages = "a\nb\n",
	    .masked = "a\nb\n", .cells = cells,
	    .ncells = 1000, .examples = examples, .nexamples = 100 };
	const struct fm_place at = { .name = text, .line = 1, .column = 1 };
	char *to = rules;
	size_t n;

	(void)quotes(text, sizeof text - 1);
	for (n = 0; n < 1000; n++)
		cells[n] = &cell;
	for (n = 0; n < 100; n++)
		examples[n] = (struct fm_shadow_example){ .at = 1,
		    .method = text, .host = text, .path = text,
		    .tested = &tested, .ntested = 1, .cells = { &cell, &cell },
		    .ncells = 2 };
	to += sprintf(to, "always {\n");
	for (n = 0; n < 500; n++)
		to += sprintf(to, "when path is \"/%zu%.*s\" { synth 404; }\n",
		    n, 150, "&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&"
		    "&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&"
		    "&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&");
	(void)sprintf(to, "}\nhost a.example { pass; }\n");
	load(rules);
	ck_assert_ptr_nonnull(program);
	for (n = 0; n < 9; n++) {
		fm_diag_error(diag, &at, "%s", text);
		fm_diag_excerpt(diag, (unsigned)n, text, text);
	}
	shadow = &told;
	to = stpcpy(url, "/?json&n=200&url=/");
	to = quotes(to, 2000) + 2000;
	to = stpcpy(to, "&headers=A:");
	(void)quotes(to, 4000);
	to = page(url);
	/* The budgets are what holds it: more would not be any longer. */
	ck_assert_uint_gt(strlen(to), FM_PAGE_SIZE / 4);
	free(to);
	shadow = NULL;
	unload();
}

UNIT_TEST(test_page_is_never_half_for_want_of_memory)
{
	static const char url[] = "/?json&rule=site.rules:2:39";
	char *text, *whole;
	size_t len, n;

	load(site);
	whole = page(url);
	for (n = 0;; n++) {
		alloc_left = (long)n;
		text = page_of(url, false, &len);
		alloc_left = -1;
		if (text == NULL)
			continue;
		ck_assert_str_eq(text, whole);
		break;
	}
	ck_assert_uint_ge(n, 3);
	free(text);
	free(whole);
	unload();
}

int
main(void)
{
	return (unit_main("page", 60));
}
