/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says what kept a response from being cached, and what would change it: in the
 * rules, and in VCL.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "why.h"

#define SHOWN	60		/* columns of a header's value */

static const char * const words[FM_WHY__REASONS] = {
	[FM_WHY_COOKIE] = "cookie",
	[FM_WHY_AUTHORIZATION] = "authorization",
	[FM_WHY_METHOD] = "method",
	[FM_WHY_RULE_PASS] = "rule-pass",
	[FM_WHY_VCL_PASS] = "vcl-pass",
	[FM_WHY_IS_PIPE] = "pipe",
	[FM_WHY_IS_SYNTH] = "synth",
	[FM_WHY_IS_PURGE] = "purge",
	[FM_WHY_VCL_FAILED] = "vcl-failed",
	[FM_WHY_NO_LIFETIME] = "no-lifetime",
	[FM_WHY_TTL_0] = "ttl-0",
	[FM_WHY_SET_COOKIE] = "set-cookie",
	[FM_WHY_SURROGATE_CONTROL] = "surrogate-control",
	[FM_WHY_CACHE_CONTROL] = "cache-control",
	[FM_WHY_VARY_STAR] = "vary-star",
	[FM_WHY_RULE_UNCACHEABLE] = "rule-uncacheable",
	[FM_WHY_VCL_UNCACHEABLE] = "vcl-uncacheable",
	[FM_WHY_HIT_FOR_PASS] = "hit-for-pass",
	[FM_WHY_FETCH_FAILED] = "fetch-failed",
	[FM_WHY_ABANDONED] = "abandoned",
	[FM_WHY_VARY] = "vary",
	[FM_WHY_QUERY] = "query",
	[FM_WHY_KEY] = "key",
	[FM_WHY_EXPIRED] = "expired",
	[FM_WHY_PURGED] = "purged",
	[FM_WHY_BANNED] = "banned",
	[FM_WHY_BUSY] = "busy",
	[FM_WHY_GONE] = "gone",
	[FM_WHY_FIRST] = "first",
	[FM_WHY_BRIEF] = "brief"
};

const char *
fm_why_word(enum fm_why_reason reason)
{
	return (words[reason]);
}

/* Returns a URL from its `?` on, or the words for a URL without a query. */
static struct fm_text
query_of(struct fm_text url)
{
	const char *mark = url.len == 0 ? NULL : memchr(url.b, '?', url.len);

	return (mark == NULL ? fm_text_of("the page without a query") :
	    fm_text_span(mark, url.b + url.len));
}

/* Writes the names of cookies: "session, theme". */
static void
put_cookies(FILE *to, struct fm_text cookies)
{
	const char *before = "", *end;
	struct fm_text cookie;
	size_t n;

	while (cookies.len > 0) {
		end = memchr(cookies.b, ';', cookies.len);
		cookie = fm_text_trim(end == NULL ? cookies :
		    fm_text_span(cookies.b, end));
		cookies = end == NULL ? fm_text(NULL, 0) :
		    fm_text_span(end + 1, cookies.b + cookies.len);
		for (n = 0; n < cookie.len && cookie.b[n] != '='; n++)
			continue;
		if (n == 0)
			continue;
		fputs(before, to);
		fm_put_clean(to, fm_text(cookie.b, n), SHOWN);
		before = ", ";
	}
}

/* Writes why Varnish's core gives no lifetime. */
static void
put_lifetime(FILE *to, const struct fm_lifetime *life)
{
	if (life->ttl < 0) {
		fputs(life->why, to);
		return;
	}
	fputs("the response has no lifetime: ", to);
	if (fm_text_has(fm_text_of(life->why), " ")) {
		fputs(life->why, to);
		return;
	}
	fprintf(to, "%s gives ", life->why);
	fm_why_put_seconds(to, life->ttl);
	if (life->ttl > 0) {
		fputs(", and its Age is ", to);
		fm_why_put_seconds(to, life->age);
	}
}

/* Writes a detail, if there is one. */
static void
put_detail(FILE *to, const char *before, struct fm_text detail)
{
	if (detail.b == NULL)
		return;
	fputs(before, to);
	fm_put_clean(to, detail, 0);
}

/* Writes ", at site.rules:3". */
static void
put_place(FILE *to, const char *before, struct fm_text place)
{
	put_detail(to, before, place.b == NULL ? place : fm_run_place(place));
}

static void
put_of_request(FILE *to, const struct fm_why_because *because)
{
	switch (because->reason) {
	case FM_WHY_COOKIE:
		fputs("the request has a Cookie (", to);
		put_cookies(to, because->detail);
		fputs(")", to);
		break;
	case FM_WHY_AUTHORIZATION:
		fputs("the request has an Authorization", to);
		break;
	case FM_WHY_METHOD:
		fputs("the method is ", to);
		fm_put_clean(to, because->detail, SHOWN);
		fputs(", and only GET and HEAD are looked up", to);
		break;
	case FM_WHY_RULE_PASS:
		fputs("a rule passes the request", to);
		put_place(to, ", at ", because->detail);
		break;
	case FM_WHY_VCL_PASS:
		fprintf(to, "VCL passes the request, in %s",
		    because->detail.b);
		break;
	case FM_WHY_IS_PIPE:
		fputs("VCL pipes the request: its bytes go to the backend and "
		    "back, and Varnish does not look at them", to);
		break;
	case FM_WHY_IS_SYNTH:
		fputs("Varnish made this answer itself", to);
		put_place(to, ", by the rule at ", because->detail);
		break;
	case FM_WHY_IS_PURGE:
		fputs("it is a purge, which removes objects", to);
		break;
	default:
		fputs("VCL failed", to);
		put_detail(to, ": ", because->detail);
		break;
	}
}

static void
put_of_store(FILE *to, const struct fm_why_because *because,
    const struct fm_why_judged *judged)
{
	switch (because->reason) {
	case FM_WHY_VARY:
		fputs("the response varies by ", to);
		fm_put_clean(to, because->detail, SHOWN);
		fputs(", and what is stored is for another ", to);
		fm_put_clean(to, because->detail, SHOWN);
		break;
	case FM_WHY_QUERY:
		fputs("the query string is another one: ", to);
		fm_put_clean(to, query_of(because->detail), SHOWN);
		fputs(" is stored", to);
		break;
	case FM_WHY_KEY:
		put_detail(to, "what is stored has another key, with ",
		    because->detail);
		break;
	case FM_WHY_EXPIRED:
		fputs(because->detail.b == NULL ?
		    "the object had expired, and was fetched again" :
		    "the object had expired, and was not delivered in its "
		    "grace: VCL allows less (req.grace), or forced a miss; or "
		    "it was evicted, or has another key", to);
		break;
	case FM_WHY_PURGED:
		fputs("it was stored before, and purged at ", to);
		fm_why_put_time(to, judged->purged);
		break;
	case FM_WHY_BANNED:
		fputs("it was stored before, and a ban removed it", to);
		break;
	case FM_WHY_BUSY:
		fputs("it was being fetched for another request, and this one "
		    "did not wait: VCL sets req.hash_ignore_busy, or it has "
		    "another key", to);
		break;
	case FM_WHY_GONE:
		fputs("the object was stored before, and is gone before its "
		    "time: ", to);
		put_detail(to, "by a ban that was added since, if that matches "
		    "it (", because->detail);
		fputs(because->detail.b == NULL ? "purged, banned by VCL, or "
		    "evicted to make room; or it has another key, or VCL "
		    "forced a miss" : "); or it was purged or evicted, or has "
		    "another key, or VCL forced a miss", to);
		break;
	case FM_WHY_FIRST:
		fputs("nothing was stored for it before, as far as the log "
		    "tells", to);
		break;
	case FM_WHY_BRIEF:
		if (judged->status >= 400)
			fprintf(to, "it is an error (%u), stored for a short "
			    "time only", judged->status);
		else
			fputs("it is stored for a short time only", to);
		break;
	default:
		put_lifetime(to, &judged->life);
		break;
	}
}

void
fm_why_put_reason(FILE *to, const struct fm_why_because *because,
    const struct fm_why_judged *judged)
{
	switch (because->reason) {
	case FM_WHY_TTL_0:
		fputs("VCL or a rule sets a lifetime of 0 s", to);
		put_detail(to, " (", because->detail);
		break;
	case FM_WHY_SET_COOKIE:
		fputs("the response has a Set-Cookie", to);
		break;
	case FM_WHY_SURROGATE_CONTROL:
		put_detail(to, "the response has Surrogate-Control: ",
		    because->detail);
		break;
	case FM_WHY_CACHE_CONTROL:
		put_detail(to, "the response has Cache-Control: ",
		    because->detail);
		break;
	case FM_WHY_VARY_STAR:
		fputs("the response has Vary: *", to);
		break;
	case FM_WHY_RULE_UNCACHEABLE:
		fputs("a rule makes the response uncacheable", to);
		put_place(to, ", at ", because->detail);
		break;
	case FM_WHY_VCL_UNCACHEABLE:
		fputs("VCL or a rule makes the response uncacheable", to);
		break;
	case FM_WHY_HIT_FOR_PASS:
		fputs("vcl_backend_response returned pass", to);
		put_place(to, ", by the rule at ", because->detail);
		fputs(" (hit-for-pass)", to);
		break;
	case FM_WHY_FETCH_FAILED:
		fputs("the fetch failed", to);
		put_detail(to, ": ", because->detail);
		break;
	case FM_WHY_ABANDONED:
		fputs("the fetch was abandoned", to);
		put_place(to, ", by the rule at ", because->detail);
		break;
	default:
		if (because->reason <= FM_WHY_VCL_FAILED)
			put_of_request(to, because);
		else
			put_of_store(to, because, judged);
		break;
	}
}

/* Say what would change it, where that needs no detail. */
static const char * const remedies[FM_WHY__REASONS] = {
	[FM_WHY_COOKIE] = "Remove the cookies that this page does not need. "
	    "Rules: `cookie drop NAME...;`, `cookie keep NAME...;` or `unset "
	    "Cookie;`. VCL: `unset req.http.Cookie;` in vcl_recv.",
	[FM_WHY_AUTHORIZATION] = "If all clients get the same page: `unset "
	    "Authorization;` in the rules, or `unset req.http.Authorization;` "
	    "in vcl_recv. If not, it must not be cached.",
	[FM_WHY_METHOD] = "Nothing: the client would have to send a GET.",
	[FM_WHY_VCL_PASS] = "Remove the `return (pass)` that this request "
	    "meets there, or narrow the `if` before it.",
	[FM_WHY_IS_PIPE] = "Let vcl_recv not return pipe for it.",
	[FM_WHY_NO_LIFETIME] = "The backend sends `Cache-Control: max-age=60`, "
	    "or s-maxage for Varnish alone. Or rules: `response { when status "
	    "is 200 { ttl 1m; } }`. VCL: `set beresp.ttl = 1m;` in "
	    "vcl_backend_response.",
	[FM_WHY_TTL_0] = "Remove the `ttl` of rules, or the `set beresp.ttl = "
	    "0s;` of vcl_backend_response, that this response meets. A ttl of "
	    "0 also makes clients wait for each other: uncacheable does not.",
	[FM_WHY_SET_COOKIE] = "If the cookie is not needed on this page: "
	    "rules: `response { unset Set-Cookie; }` or `set-cookie drop "
	    "NAME...;`. VCL: `unset beresp.http.Set-Cookie;` in "
	    "vcl_backend_response. Better: the backend does not send it.",
	[FM_WHY_SURROGATE_CONTROL] = "The backend leaves no-store out of "
	    "Surrogate-Control; or rules: `response { unset "
	    "Surrogate-Control; }`.",
	[FM_WHY_CACHE_CONTROL] = "If all clients get the same page, the "
	    "backend leaves out private, no-store and no-cache; or rules: "
	    "`response { cache-control drop private no-store no-cache; }`. "
	    "VCL: `set beresp.http.Cache-Control` in vcl_backend_response.",
	[FM_WHY_VARY_STAR] = "The backend names the headers that count in "
	    "Vary. Or rules: `response { vary drop *; }`.",
	[FM_WHY_VCL_UNCACHEABLE] = "Remove the `uncacheable` of rules, or the "
	    "`set beresp.uncacheable = true;` of vcl_backend_response, that "
	    "this response meets. `--rules FILE` names the rule.",
	[FM_WHY_HIT_FOR_PASS] = "Remove the pass in vcl_backend_response, or "
	    "in the rules for responses; until the time is over all requests "
	    "are passed, whatever the backend answers.",
	[FM_WHY_FETCH_FAILED] = "The backend has to answer: see its health "
	    "(`varnishadm backend.list`), and FetchError in the log.",
	[FM_WHY_ABANDONED] = "Remove the `abandon` that this response meets.",
	[FM_WHY_KEY] = "Nothing, if the page is another one for each value. "
	    "Else remove the statement from `key { }` of the rules, or give "
	    "the value few forms before (`normalize`, or `set` by a map).",
	[FM_WHY_EXPIRED] = "A longer lifetime: of the backend (max-age, "
	    "s-maxage), of rules (`ttl`) or of VCL (beresp.ttl). With grace, "
	    "clients get the expired object while it is fetched again.",
	[FM_WHY_BANNED] = "Nothing, if the ban was meant for it: what is "
	    "stored now is newer than the ban. Else narrow the ban; "
	    "`varnishadm ban.list` shows those that are kept.",
	[FM_WHY_BRIEF] = "A longer lifetime, if that is wanted: of the backend "
	    "(max-age), of rules (`ttl`) or of VCL (beresp.ttl)."
};

/* Cuts the next parameter off a query, "a=1". */
static struct fm_text
cut_parameter(struct fm_text *query)
{
	const char *end = memchr(query->b, '&', query->len);
	struct fm_text parameter = end == NULL ? *query :
	    fm_text_span(query->b, end);

	*query = end == NULL ? fm_text(NULL, 0) :
	    fm_text_span(end + 1, query->b + query->len);
	return (parameter);
}

static struct fm_text
name_of(struct fm_text parameter)
{
	const char *end = parameter.len == 0 ? NULL :
	    memchr(parameter.b, '=', parameter.len);

	return (end == NULL ? parameter : fm_text_span(parameter.b, end));
}

static bool
has_parameter(struct fm_text query, struct fm_text parameter)
{
	while (query.len > 0)
		if (fm_text_eq(cut_parameter(&query), parameter))
			return (true);
	return (false);
}

/*
 * Writes the names of parameters that one query has and the other has not, or
 * with another value; those that were written before are in `known`.
 */
static unsigned
put_parameters(FILE *to, struct fm_text query, struct fm_text other,
    struct fm_text known)
{
	struct fm_text parameter, name, rest;
	unsigned n = 0;
	bool is_known;

	while (query.len > 0) {
		parameter = cut_parameter(&query);
		name = name_of(parameter);
		if (name.len == 0 || has_parameter(other, parameter))
			continue;
		for (is_known = false, rest = known; rest.len > 0;)
			is_known |= fm_text_eq(name_of(cut_parameter(&rest)),
			    name);
		if (is_known)
			continue;
		fputc(' ', to);
		fm_put_clean(to, name, SHOWN);
		n++;
	}
	return (n);
}

/* Returns the query of a URL without its `?`; empty: there is none. */
static struct fm_text
parameters_of(struct fm_text url)
{
	const char *mark = url.len == 0 ? NULL : memchr(url.b, '?', url.len);

	return (mark == NULL ? fm_text("", 0) :
	    fm_text_span(mark + 1, url.b + url.len));
}

/* Writes the rule that drops the parameters in which two URLs differ. */
static void
put_query(FILE *to, struct fm_text stored, struct fm_text url)
{
	struct fm_text a = parameters_of(stored), b = parameters_of(url);
	struct fm_written names;
	unsigned n;

	fm_written_begin(&names);
	n = put_parameters(names.to, b, a, fm_text(NULL, 0));
	n += put_parameters(names.to, a, b, b);
	fm_written_end(&names);
	if (n == 0)
		fputs("The parameters are the same in another order. Rules: "
		    "`query sort;`. VCL: `set req.url = std.querysort("
		    "req.url);`.", to);
	else
		fprintf(to, "If the page is the same whatever%s %s: rules: "
		    "`query drop%s;`. For what advertisers and newsletters "
		    "add: `list tracking from shipped "
		    "\"tracking-parameters\";` and `query drop in tracking;`.",
		    names.text, n == 1 ? "is" : "are", names.text);
	free(names.text);
}

/*
 * Writes what gives a lifetime to a status that has none whatever its headers
 * say.  Returns false if the headers count.
 */
static bool
put_status(FILE *to, const struct fm_why_judged *judged)
{
	if (judged->life.ttl >= 0 || judged->status == 302 ||
	    judged->status == 307)
		return (false);
	fprintf(to, "The headers of the backend do not count for this status. "
	    "Rules: `response { when status is %u { ttl 10s; } }`. VCL: `set "
	    "beresp.ttl = 10s;` in vcl_backend_response.", judged->status);
	return (true);
}

void
fm_why_put_remedy(FILE *to, const struct fm_why_because *because,
    const struct fm_why_judged *judged)
{
	if (because->reason == FM_WHY_QUERY) {
		put_query(to, because->detail, judged->url);
		return;
	}
	if (because->reason == FM_WHY_VARY) {
		fputs("Give the header few values before the lookup (rules: "
		    "`normalize`, or `set` by a map), or remove it from Vary. "
		    "Rules: `response { vary drop ", to);
		fm_put_clean(to, because->detail, SHOWN);
		fputs("; }`. VCL: `set beresp.http.Vary`, or `unset` it, in "
		    "vcl_backend_response.", to);
		return;
	}
	if (because->reason == FM_WHY_NO_LIFETIME && put_status(to, judged))
		return;
	if (because->reason == FM_WHY_RULE_PASS ||
	    because->reason == FM_WHY_RULE_UNCACHEABLE) {
		fputs("Remove the rule", to);
		put_place(to, " at ", because->detail);
		fputs(", or narrow the test before it.", to);
	}
	if (because->reason == FM_WHY_FETCH_FAILED && judged->cut) {
		fputs("The backend has to send the whole body. It answered, "
		    "and then closed the connection, or paused for longer "
		    "than between_bytes_timeout: see FetchError in the log, "
		    "and the log of the backend.", to);
		return;
	}
	if (because->reason == FM_WHY_FETCH_FAILED && because->detail.b !=
	    NULL && fm_text_begins(because->detail, "vcl_backend_")) {
		fprintf(to, "Remove the `return (%s)` that this fetch meets, "
		    "or narrow the test before it.", fm_text_has(
		    because->detail, " retry ") ? "retry" : "error");
		return;
	}
	if (remedies[because->reason] != NULL)
		fputs(remedies[because->reason], to);
}
