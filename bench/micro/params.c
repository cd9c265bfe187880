/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Campaigns, cache busters and sessions out of a URL: fastmatch against the
 * chain of regsub() and regsuball() that VCL has for it, (4) to (7) of
 * examples/article/before.vcl, one `if` and three substitutions for each.
 *
 * An answer is the length of the URL that remains; before that the URLs
 * themselves are compared with those of a loop over the parameters.
 */

#include <stdlib.h>

#include "bench.h"
#include "params.h"
#include "pattern.h"

#define URL_MAX		1024
#define DROPS		4

static const char * const names[] = { "utm_*", "gclid", "gclsrc", "dclid",
    "yclid", "_", "PHPSESSID", "jsessionid", "CFID", "CFTOKEN" };

struct cleaner {
	struct fm_params	params;
	struct fm_pattern	*ask[DROPS], *drop[DROPS];
	struct fm_pattern	*query, *to_query, *from_query;
	struct fm_pattern	*ands, *last, *first;
};

/* Memory like a workspace: texts stay until the call ends. */
struct space {
	char			*next;
	char			bytes[24 * URL_MAX];
};

static struct fm_pattern *
regex(const char *text)
{
	static const struct fm_place here = { .name = "params" };
	struct fm_pattern *pattern;

	pattern = fm_pattern_new(FM_PATTERN_REGEX, fm_text_of(text), false,
	    &here, NULL);
	if (pattern == NULL)
		fm_bench_die("%s is not a regex", text);
	return (pattern);
}

static void
cleaner_init(struct cleaner *c)
{
	static const char * const words[DROPS] = { "utm_[^=&]*",
	    "(gclid|gclsrc|dclid|yclid)", "_",
	    "(PHPSESSID|jsessionid|CFID|CFTOKEN)" };
	struct fm_names *set = fm_names_new(false);
	char buf[128];
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (fm_names_add(set, fm_text_of(names[i]), NULL, NULL) != 0)
			fm_bench_die("%s is not a name", names[i]);
	if (fm_names_make(set, NULL, NULL) != 0)
		fm_bench_die("no memory");
	c->params = (struct fm_params){ .names = set,
	    .mode = FM_PARAMS_DROP };
	for (i = 0; i < DROPS; i++) {
		(void)snprintf(buf, sizeof buf, "&%s(=|&|$)", words[i]);
		c->ask[i] = regex(buf);
		(void)snprintf(buf, sizeof buf, "&%s(=[^&]*)?(?=&|$)",
		    words[i]);
		c->drop[i] = regex(buf);
	}
	c->query = regex("\\?");
	c->to_query = regex("^[^?]*\\?");
	c->from_query = regex("\\?.*$");
	c->ands = regex("&&+");
	c->last = regex("&$");
	c->first = regex("^&");
}

/*--------------------------------------------------------------------
 * Three that clean
 */

static struct fm_text
ours(const struct cleaner *c, struct fm_text url, char *buf)
{
	struct fm_text out;

	(void)fm_params_query(&c->params, url, buf, URL_MAX, &out);
	return (out);
}

static bool
matches(const struct fm_pattern *pattern, struct fm_text t)
{
	struct fm_tally tally = { 0 };

	return (fm_pattern_match(pattern, t, &tally));
}

static struct fm_text
sub(const struct fm_pattern *pattern, struct fm_text t, const char *by,
    bool all, struct space *space)
{
	struct fm_tally tally = { 0 };
	char *at = space->next;
	size_t n;

	n = fm_pattern_sub(pattern, t, fm_text_of(by), all, at, URL_MAX,
	    &tally);
	if (n == FM_PATTERN_SAME)
		return (t);
	space->next += n;
	return (fm_text(at, n));
}

static struct fm_text
join(const char *a, struct fm_text b, struct space *space)
{
	size_t len = strlen(a);
	char *at = space->next;

	memcpy(at, a, len);
	memcpy(at + len, b.b, b.len);
	space->next += len + b.len;
	return (fm_text(at, len + b.len));
}

static struct fm_text
chain(const struct cleaner *c, struct fm_text url, struct space *space)
{
	struct fm_text path = url, query = fm_text("", 0);
	bool any = false;
	unsigned i;

	space->next = space->bytes;
	if (matches(c->query, url)) {
		any = true;
		query = join("&", sub(c->to_query, url, "", false, space),
		    space);
		path = sub(c->from_query, url, "", false, space);
	}
	for (i = 0; i < DROPS; i++) {
		if (!matches(c->ask[i], query))
			continue;
		query = sub(c->drop[i], query, "", true, space);
		query = sub(c->ands, query, "&", true, space);
		query = sub(c->last, query, "", false, space);
	}
	if (!any)
		return (path);
	query = sub(c->first, query, "?", false, space);
	memcpy(space->next, path.b, path.len);
	memcpy(space->next + path.len, query.b, query.len);
	return (fm_text(space->next, path.len + query.len));
}

static bool
naive_drops(struct fm_text parameter)
{
	const char *equal = memchr(parameter.b, '=', parameter.len);
	size_t i, len = equal == NULL ? parameter.len :
	    (size_t)(equal - parameter.b);

	for (i = 1; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == len &&
		    memcmp(names[i], parameter.b, len) == 0)
			return (true);
	return (len >= 4 && memcmp(parameter.b, "utm_", 4) == 0);
}

static struct fm_text
naive(struct fm_text url, char *buf)
{
	const char *p = memchr(url.b, '?', url.len), *end = url.b + url.len;
	char separator = '?', *to;
	size_t len;

	if (p == NULL)
		return (url);
	to = mempcpy(buf, url.b, (size_t)(p - url.b));
	while (p < end) {
		p++;
		len = strcspn(p, "&");
		if (!naive_drops(fm_text(p, len))) {
			*to++ = separator;
			to = mempcpy(to, p, len);
			separator = '&';
		}
		p += len;
	}
	return (fm_text_span(buf, to));
}

/*--------------------------------------------------------------------
 * Contests
 */

static uint64_t
call_ours(const void *priv, struct fm_text url)
{
	char buf[URL_MAX];

	return (ours(priv, url, buf).len);
}

static uint64_t
call_chain(const void *priv, struct fm_text url)
{
	struct space space;

	return (chain(priv, url, &space).len);
}

static uint64_t
check(const struct cleaner *c, struct fm_text url)
{
	char a[URL_MAX], b[URL_MAX];
	static struct space space;
	struct fm_text want = naive(url, a);

	if (!fm_text_eq(ours(c, url, b), want) ||
	    !fm_text_eq(chain(c, url, &space), want))
		fm_bench_die("a wrong answer for %s: '%.*s' is right", url.b,
		    (int)want.len, want.b);
	return (want.len);
}

#define EACH	4

static const struct {
	const char	*what;
	const char	*urls[EACH];
} cases[] = {
	{ "no query", { "/", "/news/2026/07/winter.html",
	    "/static/css/site.css", "/products/garden/chairs/" } },
	{ "nothing to drop", { "/search?q=garden+chair&page=2&lang=en",
	    "/list?sort=price", "/news/item?id=88131&ref=front",
	    "/api/v1/items?limit=20&offset=40&fields=id,name,price" } },
	{ "one of one", { "/?gclid=Cj0KCQjwz96WBhC8ARIsAATR253vTTT",
	    "/app.js?_=1354844750363", "/news?utm_source=mail",
	    "/cart.php?PHPSESSID=5f4dcc3b5aa765d61d8327deb882cf99" } },
	{ "one of four", {
	    "/list?sort=price&page=2&gclid=Cj0KCQjwz96WBhC8A&lang=en",
	    "/x?a=1&b=2&c=3&_=1354844750363",
	    "/item?utm_campaign=winter&id=88131&color=red&size=l",
	    "/y.cfm?CFID=8123&a=b&c=d&e=f" } },
	{ "many, some stay", {
	    "/item?id=88131&utm_source=news&utm_medium=email&utm_campaign="
	    "winter_sale&utm_term=chair&utm_content=top&gclid=Cj0KCQ&color=red",
	    "/l?utm_source=a&page=2&utm_medium=b&sort=price&utm_campaign=c",
	    "/y.cfm?a=1&CFID=8123&CFTOKEN=77&b=2&jsessionid=A1B2&_=12",
	    "/?utm_source=x&q=chair&utm_medium=y&dclid=1&gclsrc=aw.ds&p=1" } },
	{ "many, all go", {
	    "/?utm_source=news&utm_medium=email&utm_campaign=winter_sale&"
	    "utm_term=chair&utm_content=top",
	    "/promo?gclid=Cj0KCQ&gclsrc=aw.ds&dclid=1&_=135484",
	    "/a.cfm?CFID=8123&CFTOKEN=77&jsessionid=A1B2",
	    "/?utm_source=x&yclid=99&PHPSESSID=5f4dcc3b5aa7" } },
};

int
main(int argc, char **argv)
{
	struct fm_contest c = { .n = EACH, .nv = 2 };
	struct fm_text urls[EACH];
	struct cleaner cleaner;
	struct fm_bench bench;
	uint64_t want[EACH];
	size_t i, j;

	fm_bench_init(&bench, "params", argc, argv, 0, "");
	cleaner_init(&cleaner);
	fm_bench_title(&bench, "Campaigns, cache busters, sessions out of a "
	    "URL");
	c.v[0] = (struct fm_contestant){ "fastmatch", call_ours, &cleaner,
	    NULL };
	c.v[1] = (struct fm_contestant){ "regsuball", call_chain, &cleaner,
	    NULL };
	c.questions = urls;
	c.want = want;
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		c.what = cases[i].what;
		for (j = 0; j < EACH; j++) {
			urls[j] = fm_text_of(cases[i].urls[j]);
			want[j] = check(&cleaner, urls[j]);
		}
		fm_contest_run(&bench, &c);
	}
	fm_bench_fini(&bench);
	return (0);
}
