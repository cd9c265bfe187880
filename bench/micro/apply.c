/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The whole of site.apply() but for what it does with Varnish: the rules of
 * examples/article over requests of each kind that they know, with the headers
 * that browsers send.
 *
 *	apply RULES
 *
 * The answer that each request must get is written down here, by hand: the
 * verdict, and the URL or the Location.
 */

#include <stdlib.h>

#include "bench.h"
#include "rules_load.h"
#include "run.h"

#define EACH		3
#define FIELDS		10
#define BYTES_MAX	2048

#define DESKTOP	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/" \
    "537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
#define PHONE	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) " \
    "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 " \
    "Safari/604.1"
#define GA	"_ga=GA1.2.1033501218.1368477899; " \
    "__utma=111872281.345876532.1368477899.1371478254.1371482131.9"

struct line {
	const char	*method, *host, *url, *agent, *cookie;
	const char	*left;		/* the URL, the Location, or the
					 * reason */
};

struct outcome {
	const char	*what;
	enum fm_verdict	verdict;
	unsigned	status;
	struct line	lines[EACH];
};

static const struct outcome outcomes[] = {
	{ "a page, cached", FM_VERDICT_HASH, 0, {
	    { "GET", "www.example.com", "/news/item-12.html", DESKTOP, NULL,
	    "/news/item-12.html" },
	    { "GET", "blog.example.com", "/2026/07/winter", PHONE, NULL,
	    "/2026/07/winter" },
	    { "GET", "de.wiki.example", "/wiki/Garten", DESKTOP, NULL,
	    "/wiki/Garten" } } },
	{ "with cookies that go", FM_VERDICT_HASH, 0, {
	    { "GET", "www.example.net", "/about", DESKTOP, GA, "/about" },
	    { "GET", "de.wiki.example", "/wiki/Garten", DESKTOP, GA,
	    "/wiki/Garten" },
	    { "GET", "news.example.com", "/item/88", PHONE, GA,
	    "/item/88" } } },
	{ "with campaign parameters", FM_VERDICT_HASH, 0, {
	    { "GET", "www.example.com", "/p?utm_source=a&utm_medium=b&id=1",
	    DESKTOP, GA, "/p?id=1" },
	    { "GET", "shop.example.com", "/item/4?gclid=Cj0KCQ&aff12=3",
	    DESKTOP, "session=af31; _ga=GA1.2.1", "/item/4" },
	    { "GET", "search.example.com", "/s?q=chair&_=135484&page=2",
	    DESKTOP, NULL, "/s?q=chair&page=2" } } },
	{ "a static file", FM_VERDICT_HASH, 0, {
	    { "GET", "img.example.com", "/i/0/12.jpg", DESKTOP, GA,
	    "/i/0/12.jpg" },
	    { "GET", "static.example.com", "/css/site.css", PHONE, GA,
	    "/css/site.css" },
	    { "GET", "media.example.net", "/clip.mp4", DESKTOP, NULL,
	    "/clip.mp4" } } },
	{ "a front page, desktop", FM_VERDICT_HASH, 0, {
	    { "GET", "www.example.com", "/", DESKTOP, GA, "/" },
	    { "GET", "example.org", "/old/page.cfm", DESKTOP, NULL,
	    "/old/page.cfm" },
	    { "GET", "games.example.net", "/", DESKTOP, NULL, "/" } } },
	{ "a front page, phone", FM_VERDICT_REDIRECT, 302, {
	    { "GET", "www.example.com", "/", PHONE, GA,
	    "http://m.example.com/" },
	    { "GET", "news.example.com", "/index.cfm?utm_source=x", PHONE,
	    NULL, "http://m.example.com/news/index.cfm" },
	    { "GET", "de.wiki.example", "/", PHONE, NULL,
	    "http://de.m.wiki.example/" } } },
	{ "pass, for the site or cookie", FM_VERDICT_PASS, 0, {
	    { "GET", "secure.example.com", "/login", DESKTOP, "session=1",
	    "/login" },
	    { "GET", "forum.example.com", "/t/8", DESKTOP, "forum_session=9",
	    "/t/8" },
	    { "GET", "shop.example.com", "/cart", DESKTOP, "cart=3; " GA,
	    "/cart" } } },
	{ "pass, for the method", FM_VERDICT_PASS, 0, {
	    { "POST", "www.example.com", "/form", DESKTOP, GA, "/form" },
	    { "POST", "api.example.com", "/v1/x?_=1", DESKTOP, NULL,
	    "/v1/x?_=1" },
	    { "PUT", "blog.example.com", "/p/1", DESKTOP, NULL, "/p/1" } } },
	{ "no such host", FM_VERDICT_SYNTH, 404, {
	    { "GET", "www.example.invalid", "/", DESKTOP, GA,
	    "Unknown virtual host" },
	    { "GET", "10.0.0.1", "/", DESKTOP, NULL, "Unknown virtual host" },
	    { "GET", "a.example.com", "/x?utm_source=1", PHONE, NULL,
	    "Unknown virtual host" } } },
};

/* A request in one piece of memory, so that all of it is warm. */
struct request {
	struct fm_view		view;
	struct fm_field		fields[FIELDS];
	char			bytes[BYTES_MAX];
};

struct site {
	struct fm_program	*program;
	uint64_t		*counters;
};

static void
add_field(struct request *r, char **to, const char *name, const char *value)
{
	int n;

	if (value == NULL)
		return;
	n = snprintf(*to, (size_t)(r->bytes + BYTES_MAX - *to), "%s: %s", name,
	    value);
	r->fields[r->view.nfields++] = (struct fm_field){ *to, *to + n };
	*to += n + 1;
}

static void
make_request(struct request *r, const struct line *line,
    const struct site *site)
{
	char *to = r->bytes;

	memset(r, 0, sizeof *r);
	r->view.method = fm_text_of(line->method);
	to = stpcpy(to, line->url) + 1;
	r->view.url = fm_text_of(r->bytes);
	r->view.fields = r->fields;
	r->view.counters = site->counters;
	add_field(r, &to, "Host", line->host);
	add_field(r, &to, "User-Agent", line->agent);
	add_field(r, &to, "Accept", "text/html,application/xhtml+xml,"
	    "application/xml;q=0.9,*/*;q=0.8");
	add_field(r, &to, "Accept-Language", "de,en-US;q=0.7,en;q=0.3");
	add_field(r, &to, "Accept-Encoding", "gzip, deflate");
	add_field(r, &to, "Cookie", line->cookie);
	add_field(r, &to, "Connection", "keep-alive");
	add_field(r, &to, "X-Forwarded-For", "192.0.2.7");
}

/* A number that says how it went, to be compared with that of the check. */
static uint64_t
answer(const struct fm_result *result)
{
	return ((uint64_t)result->verdict << 48 |
	    (uint64_t)result->status << 32 | result->edits.n << 24 |
	    result->url.len << 12 | result->text.len);
}

static uint64_t
call_run(const void *priv, struct fm_text question)
{
	const struct site *site = priv;
	const void *p = question.b;
	const struct request *r = p;
	struct fm_run run;
	uint64_t a;

	a = answer(fm_run(&run, site->program, &r->view, NULL));
	fm_run_end(&run);
	return (a);
}

static uint64_t
check(const struct site *site, const struct outcome *o,
    const struct line *line, const struct request *r)
{
	const struct fm_result *result;
	struct fm_run run;
	struct fm_text left;
	uint64_t a;

	result = fm_run(&run, site->program, &r->view, NULL);
	left = o->verdict == FM_VERDICT_REDIRECT ||
	    o->verdict == FM_VERDICT_SYNTH ? result->text : result->url;
	if (result->verdict != o->verdict || result->status != o->status ||
	    !fm_text_eq(left, fm_text_of(line->left)))
		fm_bench_die("http://%s%s: %s %u '%.*s', and '%s' is right",
		    line->host, line->url, fm_verdict_word(result->verdict),
		    result->status, (int)left.len, left.b, line->left);
	a = answer(result);
	fm_run_end(&run);
	return (a);
}

static struct fm_text
question_of(const struct request *r)
{
	const void *p = r;

	return (fm_text(p, sizeof *r));
}

int
main(int argc, char **argv)
{
	enum { OUTCOMES = sizeof outcomes / sizeof outcomes[0] };
	static struct request requests[OUTCOMES * EACH];
	struct fm_text questions[OUTCOMES * EACH];
	uint64_t want[OUTCOMES * EACH], start;
	struct fm_diag *diag = fm_diag_new();
	struct fm_contest c = { .nv = 1 };
	struct fm_bench bench;
	struct site site;
	unsigned i;

	fm_bench_init(&bench, "apply", argc, argv, 1, " RULES");
	start = fm_clock_ticks();
	site.program = fm_rules_load(argv[argc - 1], NULL, NULL, NULL, diag);
	start = fm_clock_ticks() - start;
	if (site.program == NULL)
		fm_bench_die("%s", fm_diag_line(diag, 0));
	site.counters = fm_bench_alloc(fm_program_ncounters(site.program),
	    sizeof *site.counters);
	fm_bench_title(&bench, "The article's rule file: %zu hosts, %zu KB; a "
	    "whole run", fm_program_hosts(site.program),
	    fm_program_bytes(site.program) / 1024);
	fm_bench_fact(&bench, "loaded, the engine's self-test included",
	    fm_clock_ns(start) / 1e6, "ms");
	c.v[0] = (struct fm_contestant){ "fastmatch", call_run, &site, NULL };
	for (i = 0; i < OUTCOMES * EACH; i++) {
		make_request(&requests[i], &outcomes[i / EACH].lines[i % EACH],
		    &site);
		questions[i] = question_of(&requests[i]);
		want[i] = check(&site, &outcomes[i / EACH],
		    &outcomes[i / EACH].lines[i % EACH], &requests[i]);
	}
	c.what = "all of them";
	c.questions = questions;
	c.want = want;
	c.n = OUTCOMES * EACH;
	fm_contest_run(&bench, &c);
	for (i = 0; i < OUTCOMES; i++) {
		c.what = outcomes[i].what;
		c.questions = questions + (size_t)i * EACH;
		c.want = want + (size_t)i * EACH;
		c.n = EACH;
		fm_contest_run(&bench, &c);
	}
	fm_program_free(&site.program);
	free(site.counters);
	fm_diag_free(&diag);
	fm_bench_fini(&bench);
	return (0);
}
