/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds what kept a response from being cached (why.h).  The log does not say
 * which line of VCL decided; but builtin.vcl logs a pair of records, and there
 * must be a reason for it in the headers:
 *
 *	TTL	RFC 60 10 0 ...			Varnish's core: 60 s
 *	TTL	VCL 120 10 0 ... cacheable	builtin.vcl sets the ttl, and
 *	TTL	VCL 120 10 0 ... uncacheable	beresp.uncacheable
 *
 * Reasons that come after the one that decided count as well: without them the
 * next one would decide.
 */

#include <math.h>
#include <string.h>

#include "cli.h"
#include "why.h"

#define BRIEF		10	/* s that are brief for any response */
#define BRIEF_ERROR	60	/* s that are brief for an error */

static void
add(struct fm_why_judged *judged, enum fm_why_reason reason,
    struct fm_text detail, bool actual)
{
	if (judged->n < FM_WHY_MOST)
		judged->v[judged->n++] = (struct fm_why_because){ reason,
		    detail, actual };
}

static const struct fm_text missing = { NULL, 0 };

static bool
is(struct fm_text text, const char *word)
{
	return (text.b != NULL && fm_text_eq(text, fm_text_of(word)));
}

/*--------------------------------------------------------------------
 * Fetches
 */

static const struct fm_log_ttl *
core_ttl(const struct fm_log_fetch *fetch)
{
	return (fetch->nttls > 0 && fetch->ttls[0].core ? &fetch->ttls[0] :
	    NULL);
}

/*
 * Finds the lifetime that the core gives, as it would without a pass: the
 * backend is then not asked for a part.
 */
static struct fm_lifetime
lifetime_of(const struct fm_log_fetch *fetch)
{
	const struct fm_log_ttl *core = core_ttl(fetch);
	const struct fm_log_headers *headers = &fetch->came.headers;
	bool part = core == NULL && fetch->came.status == 206;
	struct fm_lifetime_of of = { .status = part ? 200 : fetch->came.status,
		.age = fm_log_header(headers, "Age"),
		.date = fm_log_header(headers, "Date"),
		.expires = fm_log_header(headers, "Expires"),
		.cache_control = fm_log_joined(headers, "Cache-Control"),
		.now = core != NULL ? core->now : fetch->it->start,
		.default_ttl = core != NULL ? core->ttl : 120,
		.default_grace = core != NULL ? core->grace : 10,
		.default_keep = core != NULL ? core->keep : 0,
		.clock_skew = 10 };
	struct fm_lifetime life = fm_lifetime(&of);

	if (core != NULL)
		life.ttl = core->ttl;
	return (life);
}

/* Returns true if the last two records are those of builtin.vcl. */
static bool
is_by_builtin(const struct fm_log_fetch *fetch)
{
	const struct fm_log_ttl *last = fm_log_last_ttl(fetch);

	return (fetch->nttls >= 3 && last->uncacheable &&
	    !last[-1].uncacheable && fabs(last->ttl - last[-1].ttl) < .5 &&
	    fabs(last->grace - last[-1].grace) < .5 &&
	    fabs(last->keep - last[-1].keep) < .5);
}

/* Adds what builtin.vcl has against a response, each as if it were alone. */
static void
add_builtin(const struct fm_log_fetch *fetch, struct fm_why_judged *judged,
    double ttl, bool actual)
{
	const struct fm_log_headers *headers = &fetch->stored.headers;
	struct fm_builtin_response of = {
		.status = fetch->stored.status,
		.set_cookie = fm_log_header(headers, "Set-Cookie").b != NULL,
		.ttl = ttl,
		.surrogate_control = fm_log_header(headers,
		    "Surrogate-Control"),
		.cache_control = fm_log_joined(headers, "Cache-Control"),
		.vary = fm_log_joined(headers, "Vary")
	};
	const char *why;

	judged->ttl = ttl;
	while ((why = fm_builtin_respond(0, &of).why) != NULL) {
		if (of.ttl <= 0) {
			add(judged, fm_lifetime_left(&judged->life) > 0 ?
			    FM_WHY_TTL_0 : FM_WHY_NO_LIFETIME, missing, actual);
			of.ttl = 1;
		} else if (of.set_cookie) {
			add(judged, FM_WHY_SET_COOKIE, missing, actual);
			of.set_cookie = false;
		} else if (strncmp(why, "Surrogate", 9) == 0) {
			add(judged, FM_WHY_SURROGATE_CONTROL,
			    of.surrogate_control, actual);
			of.surrogate_control = of.cache_control = missing;
		} else if (strncmp(why, "Cache", 5) == 0) {
			add(judged, FM_WHY_CACHE_CONTROL, of.cache_control,
			    actual);
			of.cache_control = missing;
		} else {
			add(judged, FM_WHY_VARY_STAR, missing, actual);
			of.vary = missing;
		}
		actual = false;
	}
}

void
fm_why_by_rules(struct fm_why_judged *judged, bool lives)
{
	const struct fm_why_judged before = *judged;
	enum fm_why_reason reason;
	size_t i;

	judged->n = 0;
	if (!lives)
		add(judged, fm_lifetime_left(&judged->life) > 0 ?
		    FM_WHY_TTL_0 : FM_WHY_NO_LIFETIME, missing, true);
	for (i = 0; i < before.n; i++) {
		reason = before.v[i].reason;
		if (reason != FM_WHY_NO_LIFETIME && reason != FM_WHY_TTL_0 &&
		    reason != FM_WHY_VCL_UNCACHEABLE)
			add(judged, reason, before.v[i].detail,
			    judged->n == 0);
	}
	if (judged->n == 0)
		*judged = before;
	else
		judged->by_builtin = true;
}

/* Returns the place of a line "uncacheable 10s at site.rules:3". */
static struct fm_text
uncacheable_at(const struct fm_log_sub *sub)
{
	struct fm_text line, rest;
	size_t i, at;

	for (i = 0; i < sub->nlines; i++) {
		line = sub->lines[i];
		if (!fm_text_begins(line, "uncacheable"))
			continue;
		for (at = 0; at + 4 < line.len; at++) {
			rest = fm_text(line.b + at, line.len - at);
			if (fm_text_begins(rest, " at "))
				return (fm_text(rest.b + 4, rest.len - 4));
		}
	}
	return (missing);
}

static void
judge_uncacheable(const struct fm_log_fetch *fetch,
    const struct fm_log_ttl *last, struct fm_why_judged *judged)
{
	struct fm_text place = uncacheable_at(&fetch->response);
	double age = judged->life.age;

	if (last->pass || is(fetch->response.returned, "pass")) {
		add(judged, FM_WHY_HIT_FOR_PASS, fetch->response.place, true);
		add_builtin(fetch, judged, fm_lifetime_left(&judged->life),
		    false);
		return;
	}
	if (place.b == NULL && is_by_builtin(fetch)) {
		add_builtin(fetch, judged, (last[-2].ttl > 0 ? last[-2].ttl :
		    0) - age, true);
		judged->by_builtin = judged->n > 0;
		if (judged->n > 0)
			return;
	}
	add(judged, place.b != NULL ? FM_WHY_RULE_UNCACHEABLE :
	    FM_WHY_VCL_UNCACHEABLE, place, true);
	add_builtin(fetch, judged, fm_lifetime_left(&judged->life), false);
}

void
fm_why_judge_fetch(const struct fm_log_fetch *fetch, bool pass,
    struct fm_why_judged *judged)
{
	const struct fm_log_ttl *last = fm_log_last_ttl(fetch);
	struct fm_text returned = fetch->response.returned;
	double left;

	judged->life = lifetime_of(fetch);
	judged->status = fetch->stored.status;
	if (is(returned, "abandon") || is(fetch->fetch.returned, "abandon")) {
		add(judged, FM_WHY_ABANDONED, is(returned, "abandon") ?
		    fetch->response.place : fetch->fetch.place, true);
	} else if (fm_log_is_cut(fetch)) {
		judged->cut = true;
		add(judged, FM_WHY_FETCH_FAILED, fetch->failed, true);
	} else if (fetch->error.returned.b != NULL) {
		add(judged, FM_WHY_FETCH_FAILED,
		    fm_log_failed_sub(fetch).b != NULL ?
		    fm_log_failed_sub(fetch) : fetch->failed, true);
		if (last != NULL && !last->uncacheable && last->ttl > 0)
			add(judged, FM_WHY_BRIEF, missing, true);
	} else if (pass || last == NULL) {
		add_builtin(fetch, judged, fm_lifetime_left(&judged->life),
		    false);
	} else if (last->uncacheable || is(returned, "pass")) {
		judge_uncacheable(fetch, last, judged);
	} else {
		left = last->ttl - (judged->life.age > 0 ? judged->life.age :
		    0);
		/* The log rounds: 0.4 s is a lifetime, and 0 there. */
		if (left <= 0)
			add(judged, fm_lifetime_left(&judged->life) > 0 ?
			    FM_WHY_TTL_0 : FM_WHY_NO_LIFETIME, fm_text_of(
			    "or less than half a second)"), true);
		else if (left < BRIEF || (fetch->stored.status >= 400 &&
		    left < BRIEF_ERROR))
			add(judged, FM_WHY_BRIEF, missing, true);
	}
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Adds what builtin.vcl has against looking up a request. */
static bool
add_recv(const struct fm_log_request *request, struct fm_why_judged *judged,
    bool actual)
{
	const struct fm_log_message *left = &request->left;
	struct fm_builtin_request of = { .method = left->method,
		.url = fm_text_of("/"), .proto = left->proto,
		.host = fm_text_of("a"), .authorization =
		    fm_log_header(&left->headers, "Authorization").b != NULL,
		.cookie = fm_log_header(&left->headers, "Cookie").b != NULL };
	bool any = false;

	if (!is(of.method, "GET") && !is(of.method, "HEAD")) {
		add(judged, FM_WHY_METHOD, of.method, actual);
		return (true);
	}
	of.method = fm_text_of("GET");
	while (fm_builtin_decide(0, &of).verdict == FM_VERDICT_PASS) {
		add(judged, of.authorization ? FM_WHY_AUTHORIZATION :
		    FM_WHY_COOKIE, of.authorization ? missing :
		    fm_log_joined(&left->headers, "Cookie"), actual);
		if (of.authorization)
			of.authorization = false;
		else
			of.cookie = false;
		actual = false;
		any = true;
	}
	return (any);
}

static void
judge_pass(const struct fm_log_request *request, struct fm_why_judged *judged)
{
	const struct fm_log_sub *recv = &request->recv;

	if (is(recv->returned, "hash")) {
		add(judged, FM_WHY_VCL_PASS, fm_text_of(request->hit.returned.b
		    != NULL ? "vcl_hit" : "vcl_miss"), true);
	} else if (is(recv->decided, "pass") && !recv->builtin) {
		add(judged, FM_WHY_RULE_PASS, recv->place, true);
		(void)add_recv(request, judged, false);
	} else if (!add_recv(request, judged, true)) {
		add(judged, FM_WHY_VCL_PASS, fm_text_of("vcl_recv"), true);
	}
}

/* Returns the header of this name that both have otherwise; or missing. */
static struct fm_text
varies_in(const struct fm_log_fetch *stored, const struct fm_log_fetch *now)
{
	struct fm_text vary = fm_log_joined(&stored->stored.headers, "Vary"),
	    name, a, b;
	const char *comma;
	char *copy;

	while (vary.len > 0) {
		comma = memchr(vary.b, ',', vary.len);
		name = fm_text_trim(comma == NULL ? vary :
		    fm_text_span(vary.b, comma));
		vary = comma == NULL ? missing : fm_text_span(comma + 1,
		    vary.b + vary.len);
		copy = fm_cli_copy(name.b, name.len);
		a = fm_log_joined(&stored->sent.headers, copy);
		b = fm_log_joined(&now->sent.headers, copy);
		if ((a.b == NULL) != (b.b == NULL) || !fm_text_eq(a, b))
			return (name);
	}
	return (missing);
}

/* Finds what an earlier fetch of the path has to do with a miss. */
static enum fm_why_reason
compare(const struct fm_log_request *request, const struct fm_log_fetch *now,
    const struct fm_log_fetch *before, struct fm_text *detail)
{
	const struct fm_log_ttl *ttl = fm_log_last_ttl(before);
	struct fm_text returned = before->response.returned;
	double rounded;
	bool fresh;

	*detail = missing;
	/* Varnish never finds an object with a lifetime of 0 s. */
	if (ttl == NULL || ttl->uncacheable || ttl->ttl <= 0 ||
	    is(returned, "abandon") || is(returned, "retry") ||
	    fm_log_is_cut(before))
		return (FM_WHY_FIRST);
	/* The log rounds what VCL sets. */
	rounded = ttl->core ? 0 : .5;
	fresh = fm_log_expires(before) - rounded > request->it->start;
	if (!fm_text_eq(before->sent.url, now->sent.url)) {
		*detail = before->sent.url;
		return (fresh ? FM_WHY_QUERY : FM_WHY_FIRST);
	}
	*detail = varies_in(before, now);
	if (detail->b != NULL)
		return (fresh ? FM_WHY_VARY : FM_WHY_FIRST);
	/* The backend had not answered yet when the request was looked up. */
	if (before->answered > request->it->start + request->waited)
		return (FM_WHY_BUSY);
	if (fresh)
		return (FM_WHY_GONE);
	if (fm_log_expires(before) + ttl->grace - 2 * rounded >
	    request->it->start)
		*detail = fm_text_of("grace");
	return (FM_WHY_EXPIRED);
}

/* Returns the last ban that the CLI has added between two times; or missing. */
static struct fm_text
ban_between(const struct fm_why_log *log, double from, double to)
{
	size_t i;

	for (i = log->nbans; i-- > 0;)
		if (log->bans[i].when >= from && log->bans[i].when <= to)
			return (log->bans[i].expression);
	return (missing);
}

/*
 * Finds why nothing was there.  The same object tells most, then a variant of
 * it, then one with another query.
 */
static void
judge_miss(const struct fm_why_log *log, const struct fm_log_request *request,
    const struct fm_log_fetch *fetch, struct fm_why_judged *judged)
{
	enum fm_why_reason reason = FM_WHY_FIRST, its;
	struct fm_text detail = missing, of;
	struct fm_log_fetch before;
	size_t i;

	for (i = log->fetches.n; i-- > 0;) {
		before = fm_log_fetch(log->fetches.v[i]);
		its = compare(request, fetch, &before, &of);
		if (its == FM_WHY_FIRST || (reason != FM_WHY_FIRST &&
		    (its == reason || its == FM_WHY_QUERY ||
		    reason >= FM_WHY_EXPIRED)))
			continue;
		reason = its;
		detail = of;
		judged->other = log->fetches.v[i];
	}
	/* It should have been found, fresh or in its grace. */
	if (reason == FM_WHY_GONE || (reason == FM_WHY_EXPIRED &&
	    detail.b != NULL)) {
		if (fm_why_is_banned(log, judged->other->vxid)) {
			reason = FM_WHY_BANNED;
			detail = missing;
		} else if (log->purged > judged->other->start) {
			reason = FM_WHY_PURGED;
			detail = missing;
			judged->purged = log->purged;
		} else if (reason == FM_WHY_GONE) {
			detail = ban_between(log, judged->other->end,
			    request->it->start);
		}
	}
	judged->miss = (struct fm_why_because){ reason, detail, true };
	if (judged->n == 0) {
		add(judged, reason, detail, true);
		return;
	}
	/* What expired, or was for others, says more than its lifetime. */
	if (reason == FM_WHY_FIRST || judged->v[0].reason != FM_WHY_BRIEF)
		return;
	memmove(judged->v + 1, judged->v, judged->n++ * sizeof *judged->v);
	judged->v[0] = judged->miss;
}

void
fm_why_judge(const struct fm_why_log *log,
    const struct fm_log_request *request, const struct fm_log_fetch *fetch,
    struct fm_why_judged *judged)
{
	const struct fm_transaction *object = fm_why_kept(log,
	    request->object);
	bool pass = request->lookup == FM_LOG_PASS ||
	    request->lookup == FM_LOG_HITPASS;

	memset(judged, 0, sizeof *judged);
	judged->url = request->left.url;
	switch (request->lookup) {
	case FM_LOG_FAIL:
		add(judged, FM_WHY_VCL_FAILED, request->vcl_error, true);
		return;
	case FM_LOG_PIPE:
		add(judged, FM_WHY_IS_PIPE, request->recv.place, true);
		return;
	case FM_LOG_PURGE:
		add(judged, FM_WHY_IS_PURGE, missing, true);
		return;
	case FM_LOG_NONE:
		/* Not the answer to a malformed request: VCL has run. */
		if (!fm_log_has_calls(request))
			return;
		/* FALLTHROUGH */
	case FM_LOG_SYNTH:
	case FM_LOG_RESTART:
		add(judged, FM_WHY_IS_SYNTH, request->recv.place, true);
		return;
	case FM_LOG_PASS:
		judge_pass(request, judged);
		break;
	case FM_LOG_HITPASS:
		add(judged, FM_WHY_HIT_FOR_PASS, object == NULL ? missing :
		    fm_log_fetch(object).response.place, true);
		break;
	default:
		break;
	}
	if (fetch != NULL && request->lookup != FM_LOG_HIT)
		fm_why_judge_fetch(fetch, pass, judged);
	if (request->lookup == FM_LOG_MISS && fetch != NULL)
		judge_miss(log, request, fetch, judged);
}
