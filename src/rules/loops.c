/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds redirects that never end (loops.h).
 *
 *	host a.example { when path below /x { redirect 301 "/x/new"; } }
 *
 *	tests around the redirect	GET https://a.example/x
 *	its Location			GET https://a.example/x/new
 *	its Location			the same request once more
 *
 * A loop is reported only if it was seen like this.  Rules can't know which
 * cookies the client has after a redirect, nor what a proxy says of another
 * scheme in a header of its own: where a test asks for these, nothing is said.
 */

#include <stdio.h>
#include <stdlib.h>

#include "grow.h"
#include "loops.h"
#include "made_request.h"
#include "messages_warn.h"
#include "run.h"

#define HOPS		20	/* redirects that browsers follow */
#define RUNS		5000L	/* of all redirects: some ms of a load */
#define MAP_LINES	1000	/* of a map of Locations */
#define USES		8	/* rulesets inside each other */
#define URL_LEN		1000	/* a longer one is not followed */

/* A condition above a statement, and those above it. */
struct above {
	const struct above	*up;
	const struct fm_cond	*cond;
	bool			value;		/* false: it is under `else` */
};

struct finder {
	const struct fm_model	*model;
	const struct fm_program	*program;
	struct fm_diag		*diag;
	long			runs;		/* that are left */
	unsigned		uses;
	bool			of_line;	/* the request is of a line of
						 * a map */
	struct fm_text		host;		/* for the block */
	struct fm_grow		told;		/* const struct fm_rule * */
};

/* A request, and the redirect that it comes to. */
struct hop {
	struct fm_made_request	message;
	bool			https;
	bool			scheme;		/* a Location named it */
	bool			asks_scheme;	/* by a header that is not known
						 * here */
	bool			asks_unknown;	/* for a cookie */
	const struct fm_rule	*rule;
	unsigned		status;
};

/*--------------------------------------------------------------------
 * From a request to the next one
 */

/* The headers that proxies set, with the value for https and for http. */
static const char * const scheme_headers[][3] = {
	{ "X-Forwarded-Proto", "https", "http" },
	{ "X-Forwarded-Protocol", "https", "http" },
	{ "X-Forwarded-Scheme", "https", "http" },
	{ "X-Forwarded-Port", "443", "80" },
	{ "X-Forwarded-Ssl", "on", "off" },
	{ "X-Scheme", "https", "http" },
	{ "CloudFront-Forwarded-Proto", "https", "http" },
	{ "CF-Visitor", "{\"scheme\":\"https\"}", "{\"scheme\":\"http\"}" },
	{ "Front-End-Https", "on", "off" }
};
#define NSCHEMES	(sizeof scheme_headers / sizeof *scheme_headers)

/* Returns the row of a header, or NULL. */
static const char * const *
scheme_row(struct fm_text name)
{
	size_t i;

	for (i = 0; i < NSCHEMES; i++)
		if (fm_text_eq_nocase(name, fm_text_of(scheme_headers[i][0])))
			return (scheme_headers[i]);
	return (NULL);
}

/* Adds the headers of the proxy, and those that the client sends each time. */
static void
hop_headers(struct hop *hop, const struct fm_made_request *client)
{
	struct fm_text name, value;
	size_t i;

	for (i = 0; i < NSCHEMES; i++)
		fm_made_header(&hop->message,
		    fm_text_of(scheme_headers[i][0]),
		    fm_text_of(scheme_headers[i][hop->https ? 1 : 2]));
	for (i = 0; i < client->nfields; i++) {
		fm_field_parts(&client->fields[i], &name, &value);
		if (scheme_row(name) == NULL &&
		    !fm_text_eq_nocase(name, fm_text_of("Host")))
			fm_made_header(&hop->message, name, value);
	}
	hop->message.client = client->client;
}

static struct fm_text
hop_host(const struct hop *hop)
{
	return (fm_made_value(&hop->message, fm_text_of("Host")));
}

static bool
same_host(struct fm_text a, struct fm_text b)
{
	char abuf[FM_HOSTNAME_MAX], bbuf[FM_HOSTNAME_MAX];
	struct fm_text acanon, bcanon;

	(void)fm_hostname_canon(a, abuf, &acanon);
	(void)fm_hostname_canon(b, bbuf, &bcanon);
	return (acanon.b != NULL && bcanon.b != NULL &&
	    fm_text_eq(acanon, bcanon));
}

/* Returns true if the rules have a block for a host. */
static bool
is_ours(const struct finder *finder, struct fm_text host)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;
	struct fm_text canon;

	return (fm_hosttab_lookup(finder->model->hosttab, host, buf, &canon,
	    &hit) && hit.how != FM_HOSTTAB_ANY);
}

/*
 * Makes the request to a URL in the words of a Location, which follows `hop`.
 * Returns false if there is none, as it gets somewhere else.
 */
static bool
hop_next(const struct finder *finder, const struct hop *hop, struct fm_text to,
    struct hop *next)
{
	struct fm_text host = hop_host(hop), url_host, scheme;
	struct fm_made_request *made = &next->message;
	bool slashes = fm_text_begins(to, "//");

	*next = (struct hop){ .scheme = to.len == 0 || to.b[0] != '/',
	    .https = hop->https };
	fm_made_init(made);
	if (next->scheme) {
		next->https = fm_text_begins(to, "https:");
	} else {
		scheme = fm_text_of(hop->https ? "https:" : "http:");
		to = fm_made_join(made, fm_made_join(made, scheme, slashes ?
		    "" : "//", slashes ? fm_text("", 0) : host), "", to);
	}
	fm_made_url(made, to, FM_URL_TYPED);
	fm_made_host(made);
	hop_headers(next, &hop->message);
	if (hop->status >= 307)
		fm_made_method(made, hop->message.method);
	url_host = made->url_host;
	if (!made->no_memory && url_host.b != NULL &&
	    (is_ours(finder, url_host) || same_host(url_host, host)))
		return (true);
	fm_made_fini(made);
	return (false);
}

static bool
same_request(const struct hop *a, const struct hop *b)
{
	return (a->rule == b->rule && a->https == b->https &&
	    fm_text_eq(a->message.url, b->message.url) &&
	    fm_text_eq(a->message.method, b->message.method) &&
	    same_host(hop_host(a), hop_host(b)));
}

/* Notes which of the tests of a run look at something that is not known. */
static void
hop_asked(void *priv, const struct fm_event *event)
{
	static const char * const words[] = { "proto", "scheme", "ssl", "tls",
	    "https", "port", "visitor" };
	struct hop *hop = priv;
	const char *test;
	char name[64];
	size_t i;

	if (event->kind != FM_EVENT_TEST || event->outcome == FM_NOT_ASKED)
		return;
	test = event->rule->text;
	if (strncmp(test, "any ", 4) == 0)
		test += 4;
	hop->asks_unknown |= strncmp(test, "cookie ", 7) == 0;
	if (sscanf(test, "header %63s", name) != 1)
		return;
	hop->asks_unknown |= strcasecmp(name, "Cookie") == 0;
	for (i = 0; i < sizeof words / sizeof *words; i++)
		hop->asks_scheme |= scheme_row(fm_text_of(name)) == NULL &&
		    strcasestr(name, words[i]) != NULL;
}

/* Returns where the request of a hop is redirected to, in url; or nothing. */
static struct fm_text
hop_run(struct finder *finder, struct hop *hop, char url[URL_LEN])
{
	struct fm_trace trace = { .priv = hop, .tell = hop_asked,
	    .tests = true };
	struct fm_text to = fm_text(NULL, 0);
	const struct fm_result *result;
	struct fm_view view;
	struct fm_run run;

	finder->runs--;
	fm_made_view(&hop->message, &view);
	view.scheme = hop->https ? FM_SCHEME_HTTPS : FM_SCHEME_HTTP;
	result = fm_run(&run, finder->program, &view, &trace);
	if (result->verdict == FM_VERDICT_REDIRECT &&
	    result->text.len < URL_LEN) {
		to = fm_text(memcpy(url, result->text.b, result->text.len),
		    result->text.len);
		hop->rule = result->rule;
		hop->status = result->status;
	}
	fm_run_end(&run);
	return (to);
}

/*--------------------------------------------------------------------
 * Loops
 */

/* Warns of a redirect, once. */
static void
loop_tell(struct finder *finder, const struct hop *hop,
    const struct fm_rule *other)
{
	struct fm_text host = hop_host(hop), url = hop->message.url;
	const struct fm_rule **told = finder->told.items;
	char where[FM_PLACE_LEN];
	size_t i;

	for (i = 0; i < finder->told.n; i++)
		if (told[i] == hop->rule)
			return;
	told = fm_grow_add(&finder->told, sizeof *told, 1);
	if (told == NULL)
		return;
	*told = hop->rule;
	if (other == hop->rule)
		fm_diag_warning(finder->diag, &hop->rule->at,
		    FM_MSG_SLIP_ENDLESS, FM_SHOW(host), FM_SHOW(url));
	else
		fm_diag_warning(finder->diag, &hop->rule->at,
		    FM_MSG_SLIP_ENDLESS_TWO,
		    fm_place_print(&other->at, where), FM_SHOW(host),
		    FM_SHOW(url));
}

/*
 * Warns of a loop: each of n hops leads to the next, the last one to the first,
 * which comes again as hop n.
 */
static void
loop_found(struct finder *finder, const struct hop *hops, size_t n)
{
	bool scheme = false, asks_scheme = false, others = false;
	const struct fm_rule *other;
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (hops[i].asks_unknown)
			return;
		scheme |= hops[i + 1].scheme;
		asks_scheme |= hops[i].asks_scheme;
		others |= hops[i].rule != hops[0].rule;
	}
	/* The check of a map tells where its own lines lead in a circle. */
	if ((scheme && asks_scheme) || (finder->of_line && !others))
		return;
	for (i = 0; i < n; i++) {
		other = hops[i].rule;
		for (k = 1; k < n && other == hops[i].rule; k++)
			other = hops[(i + k) % n].rule;
		loop_tell(finder, &hops[i], other);
	}
}

/*
 * Follows the redirects from the first hop on, which is freed.  Returns true if
 * that came to the redirect at this place.
 */
static bool
follow(struct finder *finder, const struct hop *first,
    const struct fm_place *at)
{
	struct hop hops[HOPS + 1];
	char url[URL_LEN];
	struct fm_text to;
	bool came = false;
	size_t n = 0, i;

	for (hops[0] = *first; finder->runs > 0; n++) {
		to = hop_run(finder, &hops[n], url);
		if (to.len == 0)
			break;
		came |= fm_place_compare(&hops[n].rule->at, at) == 0;
		for (i = 0; i < n && !same_request(&hops[i], &hops[n]); i++)
			continue;
		/* A URL that grows with each redirect never comes again. */
		if (n == HOPS)
			for (i = 0; hops[i].rule != hops[n].rule; i++)
				continue;
		if (i < n)
			loop_found(finder, hops + i, n - i);
		if (i < n || n == HOPS ||
		    !hop_next(finder, &hops[n], to, &hops[n + 1]))
			break;
	}
	for (i = 0; i <= n; i++)
		fm_made_fini(&hops[i].message);
	return (came);
}

/*--------------------------------------------------------------------
 * A request that comes to a redirect
 */

struct seed {
	struct hop		from;		/* method, headers, address */
	struct fm_text		host, path, query;
};

/* Adds what a test asks for: a text that its first operand fits. */
static void
seed_text(struct seed *seed, const struct fm_subject *subject,
    struct fm_text text)
{
	struct fm_made_request *made = &seed->from.message;
	const char *end, * const *row;

	switch (subject->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
		if (text.len == 0 || text.b[0] != '/')
			text = fm_text_or_empty(fm_made_join(made,
			    fm_text("", 0), "/", text));
		end = memchr(text.b, '?', text.len);
		if (end != NULL)
			seed->query = fm_text_span(end + 1, text.b + text.len);
		seed->path = end == NULL ? text : fm_text_span(text.b, end);
		break;
	case FM_SUBJECT_HOST:
		seed->host = text;
		break;
	case FM_SUBJECT_METHOD:
		fm_made_method(made, text);
		break;
	case FM_SUBJECT_QUERY:
		seed->query = fm_made_join(made, subject->name, "=", text);
		break;
	case FM_SUBJECT_COOKIE:
		fm_made_header(made, fm_text_of("Cookie"),
		    fm_made_join(made, subject->name, "=", text));
		break;
	case FM_SUBJECT_HEADER:
		row = scheme_row(subject->name);
		if (row != NULL)
			seed->from.https = !fm_text_eq(text,
			    fm_text_of(row[2]));
		fm_made_header(made, subject->name, text);
		break;
	case FM_SUBJECT_SCHEME:
		seed->from.https = fm_text_eq(text, fm_text_of("https"));
		break;
	case FM_SUBJECT_CLIENT:
		end = memchr(text.b, '/', text.len);
		(void)fm_addr_parse(end == NULL ? text : fm_text_span(text.b,
		    end), &made->client);
		break;
	default:		/* no request has it */
		break;
	}
}

/* Returns the first operand of a test, of its list or of its networks. */
static struct fm_text
first_operand(const struct fm_cond *test)
{
	const struct fm_word *word = test->operands.first;
	enum fm_pattern_kind mode = test->mode;
	const struct fm_line *line;
	struct fm_text t;

	if (test->kind == FM_COND_PRESENT || test->kind == FM_COND_NAMES)
		return (fm_text_of("1"));
	if (test->list_def != NULL && (line = test->list_def->lines) != NULL) {
		word = line->matches->operands.first;
		mode = line->matches->mode;
	}
	if (word == NULL || mode == FM_PATTERN_REGEX)
		return (fm_text(NULL, 0));
	t = word->text;
	/* The operand of `below` got a slash at its end. */
	if (test->below && t.len > 1)
		t.len--;
	while (mode == FM_PATTERN_GLOB && t.len > 0 && t.b[t.len - 1] == '*')
		t.len--;
	return (t);
}

/* Does what a condition needs to have a value: of an `or`, the left part. */
static void
seed_cond(struct seed *seed, const struct fm_cond *cond, bool value)
{
	struct fm_text text;

	while (cond->kind == FM_COND_NOT) {
		cond = cond->left;
		value = !value;
	}
	if (cond->kind == FM_COND_AND || cond->kind == FM_COND_OR) {
		if (value == (cond->kind == FM_COND_AND))
			seed_cond(seed, cond->right, value);
		seed_cond(seed, cond->left, value);
	} else if (value) {
		text = first_operand(cond);
		if (text.b != NULL)
			seed_text(seed, &cond->subject, text);
	}
}

static void
seed_above(struct seed *seed, const struct above *above)
{
	if (above == NULL)
		return;
	seed_above(seed, above->up);
	seed_cond(seed, above->cond, above->value);
}

/* Returns a Location, with values as a request may have them. */
static struct fm_text
seed_location(struct seed *seed, const struct fm_value *value)
{
	bool www = fm_text_begins(seed->host, "www.") && seed->host.len > 4;
	struct fm_text to = fm_text("", 0), text;
	const struct fm_part *part;

	for (part = value->parts; part != NULL; part = part->next) {
		text = fm_text_of("1");
		if (part->kind == FM_PART_TEXT)
			text = part->text;
		else if (part->kind == FM_PART_HOST ||
		    (part->kind == FM_PART_DOMAIN && !www))
			text = seed->host;
		else if (part->kind == FM_PART_DOMAIN)
			text = fm_text(seed->host.b + 4, seed->host.len - 4);
		else if (part->kind == FM_PART_URL ||
		    part->kind == FM_PART_PATH)
			text = seed->path;
		else if (part->kind == FM_PART_SEARCH)
			text.len = 0;
		to = fm_made_join(&seed->from.message, to, "", text);
	}
	return (to);
}

/* Follows the request of a seed; or, if `to` is set, the one to that. */
static bool
seed_follow(struct finder *finder, struct seed *seed, struct fm_text to,
    const struct fm_place *at)
{
	struct fm_made_request *made = &seed->from.message;
	struct hop first;

	if (to.b == NULL)
		to = fm_made_join(made, seed->path, seed->query.len == 0 ?
		    "" : "?", seed->query);
	fm_made_header(made, fm_text_of("Host"), seed->host);
	return (!made->no_memory && hop_next(finder, &seed->from, to, &first) &&
	    follow(finder, &first, at));
}

static void
seed_init(struct finder *finder, struct seed *seed, const struct above *above)
{
	/* 308: the request to follow has this one's method. */
	*seed = (struct seed){ .from.https = true, .from.status = 308,
	    .host = finder->host, .path = fm_text_of("/some-page"),
	    .query = fm_text("", 0) };
	fm_made_init(&seed->from.message);
	seed_above(seed, above);
}

/*--------------------------------------------------------------------
 * All redirects
 */

/* Tries each line of a map: its first operand is what the map is asked for. */
static void
map_visit(struct finder *finder, const struct fm_stmt *stmt,
    const struct above *above)
{
	const struct fm_value *to = stmt->redirect.to;
	const struct fm_line *line = to->map_def->lines;
	struct seed seed;
	unsigned n;

	finder->of_line = true;
	for (n = 0; line != NULL && n < MAP_LINES && finder->runs > 0;
	    line = line->next, n++) {
		if (line->matches->negated ||
		    line->matches->mode == FM_PATTERN_REGEX)
			continue;
		seed_init(finder, &seed, above);
		seed_text(&seed, &to->subject,
		    line->matches->operands.first->text);
		(void)seed_follow(finder, &seed, fm_text(NULL, 0), &stmt->at);
		fm_made_fini(&seed.from.message);
	}
	finder->of_line = false;
}

static void
redirect_visit(struct finder *finder, const struct fm_stmt *stmt,
    const struct above *above)
{
	struct seed seed;

	if (stmt->redirect.to->map_def != NULL)
		map_visit(finder, stmt, above);
	seed_init(finder, &seed, above);
	/* A test that is not as simple may be true of the Location itself. */
	if (!seed_follow(finder, &seed, fm_text(NULL, 0), &stmt->at) &&
	    stmt->redirect.to->parts != NULL)
		(void)seed_follow(finder, &seed, seed_location(&seed,
		    stmt->redirect.to), &stmt->at);
	fm_made_fini(&seed.from.message);
}

static void
block_visit(struct finder *finder, const struct fm_block *block,
    const struct above *up)
{
	const struct fm_stmt *stmt, *when;
	struct above above = { .up = up };

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL &&
	    finder->runs > 0; stmt = stmt->next) {
		if (stmt->kind == FM_STMT_REDIRECT)
			redirect_visit(finder, stmt, up);
		if (stmt->kind == FM_STMT_USE && finder->uses < USES) {
			finder->uses++;
			block_visit(finder, stmt->use.ruleset->block, up);
			finder->uses--;
		}
		when = stmt->kind == FM_STMT_WHEN ? stmt : NULL;
		for (; when != NULL; when = fm_stmt_chained(when)) {
			above.cond = when->when.cond;
			above.value = true;
			block_visit(finder, when->when.then, &above);
			above.value = false;
			if (fm_stmt_chained(when) == NULL)
				block_visit(finder, when->when.otherwise,
				    &above);
		}
	}
}

static void
site_visit(struct finder *finder, const struct fm_site *site)
{
	block_visit(finder, site->ruleset != NULL ? site->ruleset->block :
	    site->block, NULL);
}

/* Visits the block of a host pattern, for a host that fits it. */
static void
host_visit(struct finder *finder, const struct fm_host *host)
{
	struct fm_text t = host->pattern, before = finder->host;
	bool any = fm_text_eq(t, fm_text_of("*"));
	bool first = t.b[0] == '*', last = t.b[t.len - 1] == '*';
	char name[FM_HOSTNAME_MAX];
	int len;

	if (first || t.b[0] == '.')
		t = fm_text(t.b + 1, t.len - 1);
	len = snprintf(name, sizeof name, "%s%.*s%s", first ? "x" : "",
	    (int)(t.len - last), t.b, last ? "example" : "");
	if (len < 0 || (size_t)len >= sizeof name)
		return;
	if (!any)
		finder->host = fm_text(name, (size_t)len);
	if (host->site != NULL)
		site_visit(finder, host->site);
	else
		block_visit(finder, host->ruleset_def->block, NULL);
	finder->host = before;
}

/* Visits the block of each site, for the first of its hosts. */
static void
hosts_visit(struct finder *finder)
{
	const struct fm_model *model = finder->model;
	unsigned char *seen = calloc(model->nrulesets + model->nsites + 1, 1);
	uint32_t block;
	size_t i;

	for (i = 0; seen != NULL && i < model->nhosts && finder->runs > 0;
	    i++) {
		block = fm_model_host_block(model, &model->hosts[i]);
		if (seen[block] == 0)
			host_visit(finder, &model->hosts[i]);
		seen[block] = 1;
	}
	free(seen);
}

void
fm_rules_loops(const struct fm_model *model, const struct fm_program *program,
    struct fm_diag *diag)
{
	struct finder finder = { .model = model, .program = program,
	    .diag = diag, .runs = RUNS, .host = fm_text_of("host.invalid") };

	block_visit(&finder, model->always, NULL);
	hosts_visit(&finder);
	if (model->otherwise != NULL)
		site_visit(&finder, model->otherwise);
	block_visit(&finder, model->finally, NULL);
	fm_grow_fini(&finder.told);
}
