/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The page's JSON of a request that is explained: it is what the command
 * prints, hides what the page hides, and says what is wrong with a request.
 */

#include <jansson.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "compiling.h"
#include "explanation.h"
#include "folder.h"
#include "page.h"
#include "rules_load.h"

/* The rules keep no counts here. */
void
fm_hits_read(const struct fm_hits *hits, double now,
    struct fm_hits_numbers *numbers)
{
	(void)hits;
	(void)now;
	(void)numbers;
}

static struct fm_program *loaded_program;
static struct fm_model *loaded_model;

/* Loads the rules of the tests of the command, or others. */
static void
load(const char *text)
{
	struct fm_diag *diag = fm_diag_new();

	folder_enter();
	if (text != NULL)
		folder_write("site.rules", text);
	loaded_program = fm_rules_load(text != NULL ? "site.rules" :
	    TOP_SRCDIR "/tests/cli/data/respond.rules", NULL, NULL,
	    &loaded_model, diag);
	folder_leave();
	ck_assert_msg(loaded_program != NULL, "%s", fm_diag_line(diag, 0));
	fm_diag_free(&diag);
}

static void
unload(void)
{
	fm_program_free(&loaded_program);
	fm_model_free(&loaded_model);
}

/* Returns what the page tells of a URL's query; NULL: there is no memory. */
static char *
told_of(const char *url, bool secrets)
{
	struct fm_page *page = calloc(1, sizeof *page);
	struct fm_jsonbuf out = { .bytes = NULL };

	if (page == NULL)
		return (NULL);
	page->what.path = TOP_SRCDIR "/tests/cli/data/respond.rules";
	page->what.program = loaded_program;
	page->now = 1000000000;
	page->secrets = secrets;
	fm_page_query_parse(&page->query, fm_text_of(url));
	fm_page_explain_json(&out, page);
	free(page);
	return (fm_jsonbuf_finish(&out));
}

static json_t *
json_of(const char *text)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES |
	    JSON_DECODE_ANY, NULL);

	ck_assert_msg(root != NULL, "%s", text);
	return (root);
}

static json_t *
told(const char *url, bool secrets)
{
	char *text = told_of(url, secrets);
	json_t *root;

	ck_assert_ptr_nonnull(text);
	root = json_of(text);
	free(text);
	return (root);
}

/*--------------------------------------------------------------------
 * The same as the command
 */

static const struct {
	const char	*url;
	const char	*line;		/* of a header, or NULL */
	unsigned	status;		/* 0: no response */
	const char	*response;	/* a header, or NULL */
} requests[] = {
	{ "http://shop.example.com/a.css", NULL, 0, NULL },
	{ "http://shop.example.com/cart", "Cookie: a=1; b=2", 200, NULL },
	{ "http://shop.example.com/gone", NULL, 404, NULL },
	{ "http://shop.example.com/a.css", "X: \xe9\x01", 200,
	    "Set-Cookie: a=1" },
	{ "http://shop.example.com/", NULL, 503, NULL },
	{ "http://shop.example.com/x", NULL, 404, "Age: 3" },
	{ "http://plain.example.com/", "Cookie: \xc3\xa9", 200,
	    "Cache-Control: max-age=31536000" },
	{ "http://status.example.com/?a=%41", NULL, 200, NULL },
	{ "http://none.example/", NULL, 200, "Vary: *" },
	{ "/", NULL, 0, NULL },
};

/* Writes a text so that a query may have it. */
static char *
escaped(char *to, const char *text)
{
	for (; text != NULL && *text != '\0'; text++)
		to += sprintf(to, "%%%02x", (unsigned char)*text);
	return (to);
}

/* Returns what fm_explain_json() writes for the command. */
static char *
commanded(size_t n)
{
	struct fm_made_request made, response;
	struct fm_explain_to to = { .params = fm_respond_usual };
	struct fm_jsonbuf out = { .bytes = NULL };
	struct fm_explained_request *explained;
	struct fm_explain_of of = { .program = loaded_program,
		.model = loaded_model };
	struct fm_view view;

	fm_made_init(&made);
	fm_made_init(&response);
	ck_assert(fm_addr_parse(fm_text_of(FM_MADE_CLIENT), &made.client));
	fm_made_url(&made, fm_text_of(requests[n].url), FM_URL_TYPED);
	if (requests[n].line != NULL)
		ck_assert_ptr_null(fm_made_line(&made,
		    fm_text_of(requests[n].line)));
	fm_made_host(&made);
	fm_made_view(&made, &view);
	if (requests[n].response != NULL)
		ck_assert_ptr_null(fm_made_line(&response,
		    fm_text_of(requests[n].response)));
	to.to.status = requests[n].status;
	to.to.fields = response.fields;
	to.to.nfields = (unsigned)response.nfields;
	to.to.now = 1000000000;
	of.view = &view;
	of.to = requests[n].status == 0 ? NULL : &to;
	of.path = TOP_SRCDIR "/tests/cli/data/respond.rules";
	explained = fm_explain_new(&of);
	fm_explain_json(&out, explained);
	fm_explain_free(&explained);
	fm_made_fini(&made);
	fm_made_fini(&response);
	return (fm_jsonbuf_finish(&out));
}

UNIT_LOOP(test_page_explains_what_the_command_explains, UNIT_COUNT(requests))
{
	char url[4000], *to = url, *page, *command;

	load(NULL);
	to = escaped(stpcpy(to, "/?json&url="), requests[_i].url);
	to = escaped(stpcpy(to, "&headers="), requests[_i].line);
	if (requests[_i].status != 0)
		to += sprintf(to, "&status=%u", requests[_i].status);
	to = escaped(stpcpy(to, "&response="), requests[_i].response);
	*to = '\0';
	page = told_of(url, true);
	command = commanded((size_t)_i);
	ck_assert_str_eq(page, command);
	json_decref(json_of(page));
	free(page);
	free(command);
	unload();
}

/*--------------------------------------------------------------------
 * Requests that are wrong, or missing
 */

static const struct {
	const char	*url;
	const char	*told;
} wrongs[] = {
	{ "/?json", "null" },
	{ "/?url=&status=200", "null" },
	{ "/?url=/&headers=A:1%0d%0a%0aB", "{\"error\": \"no ':' in it; "
	    "write 'Name: value'\", \"parameter\": \"headers\", \"line\": 3}" },
	{ "/?url=/&response=A:1%0aB%20c:1", "{\"error\": \"that is not the "
	    "name of a header\", \"parameter\": \"response\", \"line\": 2}" },
	{ "/?url=/&client=a.example", "{\"error\": \"not an IP address\", "
	    "\"parameter\": \"client\", \"line\": null}" },
	{ "/?url=/&status=20", "{\"error\": \"not a status of three digits, "
	    "as 200\", \"parameter\": \"status\", \"line\": null}" },
	{ "/?url=/&status=099", "{\"error\": \"not a status of three digits, "
	    "as 200\", \"parameter\": \"status\", \"line\": null}" },
	{ "/?url=/&method=012345678901234567890123456789012", "{\"error\": "
	    "\"longer than 32 bytes\", \"parameter\": \"method\", "
	    "\"line\": null}" },
};

UNIT_LOOP(test_page_says_what_is_wrong_with_a_request, UNIT_COUNT(wrongs))
{
	char *text;

	load(NULL);
	text = told_of(wrongs[_i].url, false);
	ck_assert_str_eq(text, wrongs[_i].told);
	free(text);
	unload();
}

/* Returns a query with n bytes after a text. */
static char *
longer(const char *before, char byte, size_t n)
{
	char *url = malloc(strlen(before) + n + 1);

	ck_assert_ptr_nonnull(url);
	memset(stpcpy(url, before), byte, n);
	url[strlen(before) + n] = '\0';
	return (url);
}

UNIT_LOOP(test_page_refuses_a_request_that_is_too_long, 4)
{
	static const struct {
		const char	*before;
		size_t		n;
		const char	*parameter;
	} longs[] = {
		{ "/?url=/", FM_PAGE_URL, "url" },
		{ "/?url=/&headers=A:", FM_PAGE_HEADERS, "headers" },
		{ "/?url=/&response=A:", FM_PAGE_HEADERS, "response" },
		{ "/?url=/&headers=A:", FM_PAGE_QUERY, NULL },
	};
	char *url = longer(longs[_i].before, 'a', longs[_i].n);
	const char *parameter;
	json_t *root;

	load(NULL);
	root = told(url, false);
	ck_assert_ptr_nonnull(json_object_get(root, "error"));
	parameter = json_string_value(json_object_get(root, "parameter"));
	ck_assert_pstr_eq(parameter, longs[_i].parameter);
	json_decref(root);
	free(url);
	unload();
}

/*--------------------------------------------------------------------
 * Limits
 */

UNIT_TEST(test_page_ends_long_lists_and_tells_how_much_is_left_out)
{
	static char rules[200000], url[20000];
	char *to = rules, *text;
	json_t *root;
	size_t n;

	to += sprintf(to, "always {\n");
	for (n = 0; n < 900; n++)
		to += sprintf(to, "when path is \"/%zu\" { synth 404; }\n", n);
	(void)sprintf(to, "set X-A = \"${url}\";\n}\n");
	load(rules);
	to = stpcpy(url, "/?url=/");
	memset(to, '"', 2000);
	to = stpcpy(to + 2000, "&status=200&headers=A:");
	memset(to, '"', 4000);
	to = stpcpy(to + 4000, "&response=B:");
	memset(to, '"', 4000);
	to[4000] = '\0';
	text = told_of(url, false);
	ck_assert_uint_lt(strlen(text), FM_PAGE_SIZE / 2);
	ck_assert_uint_gt(strlen(text), 40000);
	root = json_of(text);
	n = (size_t)json_integer_value(json_object_get(root, "more"));
	n += json_array_size(json_object_get(root, "statements"));
	n += json_array_size(json_object_get(root, "tests"));
	ck_assert_uint_ge(n, 2 * 900 + 1);
	json_decref(root);
	free(text);
	unload();
}

UNIT_LOOP(test_page_explains_all_or_says_that_there_is_no_memory, 3)
{
	static const char * const urls[] = { "/?url=/",
	    ("/?url=http://shop.example.com/a.css&headers=A:b&status=200"
	    "&response=Set-Cookie:a"),
	    "/?url=http://shop.example.com/gone&status=404" };
	static const char lacking[] = "{\"error\": \"out of memory\", "
	    "\"parameter\": null, \"line\": null}";
	char *text, *whole;
	size_t n;

	load(NULL);
	whole = told_of(urls[_i], false);
	for (n = 0;; n++) {
		alloc_left = (long)n;
		text = told_of(urls[_i], false);
		alloc_left = -1;
		if (text != NULL && strcmp(text, whole) == 0)
			break;
		if (text != NULL)
			ck_assert_str_eq(text, lacking);
		free(text);
	}
	/* Many allocations have failed, one by one. */
	ck_assert_uint_ge(n, 10);
	free(text);
	free(whole);
	unload();
}

/*--------------------------------------------------------------------
 * What the page hides
 */

static const char hiding[] =
    "always {\n"
    "    when header X-Preview is \"letmesee\" { pass; }\n"
    "    when cookie id is letmesee or agent contains letmesee { pass; }\n"
    "    when header X-Re ~ \"(letmesee)\" { set X-A = \"${1}\"; }\n"
    "    response { when header X-B is letmesee { uncacheable; } }\n"
    "}\n";

UNIT_LOOP(test_page_hides_what_rules_compare_with, 4)
{
	static const char * const urls[] = {
		"/?url=/", "/?url=/&status=200&response=X-B:no",
		"/?url=/&headers=X-Preview:no%0aCookie:id=no",
		"/?url=/&status=500&headers=User-Agent:no" };
	json_t *root, *tests;
	char *text;

	load(hiding);
	text = told_of(urls[_i], true);
	ck_assert_ptr_nonnull(strstr(text, "letmesee"));
	free(text);
	text = told_of(urls[_i], false);
	ck_assert_msg(strstr(text, "letmesee") == NULL, "%s", text);
	root = json_of(text);
	tests = json_object_get(root, "tests");
	ck_assert_str_eq(json_string_value(json_object_get(
	    json_array_get(tests, 0), "text")),
	    "header X-Preview is [hidden]");
	json_decref(root);
	free(text);
	unload();
}

UNIT_TEST(test_page_hides_the_subject_of_a_hidden_value)
{
	json_t *root, *test;

	load(hiding);
	root = told("/?url=/&headers=X-Preview:letmesee", false);
	test = json_array_get(json_object_get(root, "tests"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(test, "outcome")),
	    "true");
	ck_assert_str_eq(json_string_value(json_object_get(test, "subject")),
	    "[hidden]");
	json_decref(root);
	unload();
}

int
main(void)
{
	return (unit_main("explain", 60));
}
