/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what two rule files store, and deliver, of the responses that a log
 * has: of varnishlog those of backends; of an access log one of the same status
 * without headers.
 */

#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "diff.h"
#include "duration.h"
#include "xxh.h"

/* The response of a request on both sides. */
struct stored {
	struct fm_diff_request	*request;
	const struct fm_differ	*differ;
	const struct fm_recorded_request *logged;	/* or NULL */
	struct fm_respond	sides[2];
	bool			changed;
	bool			stores;		/* something else is stored */
};

/*--------------------------------------------------------------------
 * Telling
 */

/* Returns the rules for responses that a part of what is stored comes from. */
static const struct fm_rule *
rule_of(const struct fm_respond *respond, enum fm_stored part)
{
	const struct fm_result *result = respond->stored.result;

	if (result == NULL || result->response == NULL)
		return (result == NULL ? NULL : result->rule);
	if (result->response->rules[part] == NULL &&
	    part == FM_STORED_UNCACHEABLE)
		return (result->rule);
	return (result->response->rules[part]);
}

static void
tell(struct stored *stored, enum fm_change_kind kind, struct fm_text header,
    const struct fm_rule *old, const struct fm_rule *new)
{
	const struct fm_change change = { .kind = kind, .header = header,
		.rules = { old, new } };

	stored->changed = true;
	stored->stores |= kind < FM_CHANGE_DELIVERED;
	fm_diff_change(stored->request, &change, stored->differ);
}

static void
keep_value(struct stored *stored, enum fm_side side, struct fm_text value)
{
	stored->request->values[side] = value.b == NULL ? NULL :
	    fm_cli_keep(&stored->request->count->arena, value);
}

static void
tell_part(struct stored *stored, enum fm_stored part)
{
	static const struct fm_text none = { NULL, 0 };

	tell(stored, FM_CHANGE_UNCACHEABLE + part, none,
	    rule_of(&stored->sides[FM_OLD], part),
	    rule_of(&stored->sides[FM_NEW], part));
}

/*--------------------------------------------------------------------
 * Lifetimes
 */

static bool
is_stored(const struct fm_respond *respond)
{
	return (respond->fate == FM_RESPOND_STORED ||
	    respond->fate == FM_RESPOND_EXPIRED);
}

/* Says whether a response is stored, and why not. */
static void
keep_fate(struct stored *stored, enum fm_side side)
{
	const struct fm_respond *respond = &stored->sides[side];
	char buf[160], time[FM_DURATION_PRINT];
	const char *word = "stored";

	(void)snprintf(time, sizeof time, "%.10gs", respond->ttl);
	switch (respond->fate) {
	case FM_RESPOND_UNCACHEABLE:
		(void)snprintf(buf, sizeof buf, "not stored, for %s%s%s",
		    time, respond->uncacheable == NULL ? "" : ": ",
		    respond->uncacheable == NULL ? "" : respond->uncacheable);
		word = buf;
		break;
	case FM_RESPOND_PASSED:
		(void)snprintf(buf, sizeof buf, "passed, for %s", time);
		word = buf;
		break;
	case FM_RESPOND_PASS:
		word = "passed";
		break;
	case FM_RESPOND_ABANDONED:
		word = "abandoned";
		break;
	case FM_RESPOND_RETRIED:
		word = "asked for again";
		break;
	default:
		break;
	}
	keep_value(stored, side, fm_text_of(word));
}

static void
compare_time(struct stored *stored, enum fm_stored part, double old,
    double new)
{
	const double both[] = { old, new };
	char buf[FM_DURATION_PRINT];
	unsigned i;

	if (old == new)
		return;
	for (i = 0; i < 2; i++) {
		(void)snprintf(buf, sizeof buf, "%.10gs", both[i]);
		keep_value(stored, i, fm_text_of(buf));
	}
	tell_part(stored, part);
}

static void
compare_flag(struct stored *stored, enum fm_stored part, bool old, bool new)
{
	if (old == new)
		return;
	keep_value(stored, FM_OLD, fm_text_of(old ? "yes" : "no"));
	keep_value(stored, FM_NEW, fm_text_of(new ? "yes" : "no"));
	tell_part(stored, part);
}

static const struct fm_response *
left_of(const struct fm_respond *respond)
{
	const struct fm_result *result = respond->stored.result;

	return (result == NULL || result->response == NULL ?
	    &respond->stored.response : result->response);
}

static void
compare_lifetime(struct stored *stored)
{
	const struct fm_respond *old = &stored->sides[FM_OLD];
	const struct fm_respond *new = &stored->sides[FM_NEW];
	const struct fm_response *a = left_of(old), *b = left_of(new);

	if (is_stored(old) != is_stored(new) ||
	    (!is_stored(old) && old->fate != new->fate)) {
		keep_fate(stored, FM_OLD);
		keep_fate(stored, FM_NEW);
		tell_part(stored, FM_STORED_UNCACHEABLE);
		return;
	}
	if (old->fate > FM_RESPOND_PASSED)
		return;
	compare_time(stored, FM_STORED_TTL, old->ttl, new->ttl);
	compare_time(stored, FM_STORED_GRACE, old->grace, new->grace);
	compare_time(stored, FM_STORED_KEEP, old->keep, new->keep);
	if (!is_stored(old))
		return;
	compare_flag(stored, FM_STORED_ESI, a->esi, b->esi);
	compare_flag(stored, FM_STORED_GZIP, a->gzip, b->gzip);
	compare_flag(stored, FM_STORED_GUNZIP, a->gunzip, b->gunzip);
}

/*--------------------------------------------------------------------
 * Headers
 */

/* Returns the n-th value of a name; missing: there are fewer. */
static struct fm_text
value_of(const struct fm_respond_run *run, struct fm_text name, unsigned n)
{
	struct fm_text is, value;
	unsigned i;

	for (i = 0; i < run->nafter; i++) {
		fm_field_parts(&run->after[i], &is, &value);
		if (fm_text_eq_nocase(is, name) && n-- == 0)
			return (fm_text_or_empty(value));
	}
	return (fm_text(NULL, 0));
}

static const struct fm_rule *
edit_rule(const struct fm_respond_run *run, struct fm_text name)
{
	struct fm_edit edit;

	return (run->result != NULL && fm_edit_of(run->result, name, &edit) ?
	    edit.rule : NULL);
}

/* Returns the last rule that has edited a header. */
static const struct fm_rule *
rule_of_header(const struct stored *stored, enum fm_side side,
    const struct fm_respond_run runs[2], struct fm_text name)
{
	const struct fm_rule *rule = edit_rule(&runs[side], name);

	return (rule != NULL ? rule :
	    edit_rule(&stored->sides[side].stored, name));
}

/* Tells of a header that has another value; or of several, the first one. */
static bool
compare_header(struct stored *stored, enum fm_change_kind kind,
    const struct fm_respond_run runs[2], struct fm_text name)
{
	struct fm_text old, new;
	unsigned n = 0;

	do {
		old = value_of(&runs[FM_OLD], name, n);
		new = value_of(&runs[FM_NEW], name, n);
		n++;
	} while (old.b != NULL && fm_text_same(old, new));
	if (fm_text_same(old, new))
		return (false);
	keep_value(stored, FM_OLD, old);
	keep_value(stored, FM_NEW, new);
	tell(stored, kind, name, rule_of_header(stored, FM_OLD, runs, name),
	    rule_of_header(stored, FM_NEW, runs, name));
	return (true);
}

/* Returns true if a run has a field of a name before its field n. */
static bool
has_before(const struct fm_respond_run *run, struct fm_text name, unsigned n)
{
	struct fm_text is, value;
	unsigned i;

	for (i = 0; i < n; i++) {
		fm_field_parts(&run->after[i], &is, &value);
		if (fm_text_eq_nocase(is, name))
			return (true);
	}
	return (false);
}

static void
compare_headers(struct stored *stored, enum fm_change_kind kind,
    const struct fm_respond_run runs[2])
{
	struct fm_text name, value;
	unsigned side, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < runs[side].nafter; i++) {
			fm_field_parts(&runs[side].after[i], &name, &value);
			if (!has_before(&runs[side], name, i) && (side ==
			    FM_OLD || !has_before(&runs[FM_OLD], name,
			    runs[FM_OLD].nafter)))
				(void)compare_header(stored, kind, runs,
				    name);
		}
}

/* Compares the subs that the rules of a phase call. */
static void
compare_calls(struct stored *stored, enum fm_change_kind kind,
    enum fm_phase phase, const struct fm_result *old,
    const struct fm_result *new)
{
	static const struct fm_text none = { NULL, 0 };
	struct fm_differ differ = { .results = { old, new } };
	const struct fm_rule *rules[2];
	unsigned i;

	for (i = 0; i < 2; i++)
		if (differ.results[i] != NULL)
			differ.programs[i] = fm_program_phase(
			    stored->differ->programs[i], phase);
	if (fm_differ_same_calls(&differ, rules))
		return;
	for (i = 0; i < 2; i++)
		stored->request->values[i] = fm_diff_noted(
		    stored->request->count, &differ, i, false);
	tell(stored, kind, none, rules[FM_OLD], rules[FM_NEW]);
}

/* Compares what clients get of the same stored response. */
static void
compare_deliveries(struct stored *stored)
{
	struct fm_respond_run runs[2];
	unsigned i, flag = FM_CACHE_MISS;

	for (i = 0; i < 2; i++)
		if (!fm_respond_delivers(&stored->sides[i]))
			return;
	if (stored->logged != NULL && stored->logged->as == FM_RECORDED_HIT)
		flag = stored->logged->ttl < 0 ? FM_CACHE_STALE :
		    FM_CACHE_HIT;
	memset(runs, 0, sizeof runs);
	for (i = 0; i < 2; i++)
		fm_respond_deliver(&stored->sides[i], &runs[i],
		    is_stored(&stored->sides[i]) ? flag : FM_CACHE_PASS, 0,
		    NULL);
	compare_headers(stored, FM_CHANGE_DELIVERED, runs);
	compare_calls(stored, FM_CHANGE_DELIVERED_CALLS, FM_PHASE_DELIVERY,
	    runs[FM_OLD].result, runs[FM_NEW].result);
	for (i = 0; i < 2; i++)
		fm_respond_run_end(&runs[i]);
}

/*--------------------------------------------------------------------
 * Objects to be banned
 */

static struct fm_text
request_host(const struct fm_respond *respond)
{
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < respond->request.nfields; i++) {
		fm_field_parts(&respond->request.fields[i], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of("Host")))
			return (value);
	}
	return (fm_text("", 0));
}

/* Returns a host without its port. */
static struct fm_text
without_port(struct fm_text host)
{
	size_t n = host.len;

	while (n > 0 && host.b[n - 1] >= '0' && host.b[n - 1] <= '9')
		n--;
	return (n > 0 && host.b[n - 1] == ':' ? fm_text(host.b, n - 1) :
	    host);
}

static bool
same_host(struct fm_text a, struct fm_text b)
{
	return (fm_text_eq_nocase(without_port(a), without_port(b)));
}

/*
 * Leaves of the names those under which the old rules have stored a value;
 * first: all of them.
 */
static void
keep_names(struct fm_diff_count *count, struct fm_diff_names *names,
    const struct fm_respond *old, struct fm_text value,
    bool (*same)(struct fm_text, struct fm_text), bool first)
{
	struct fm_text name, is;
	unsigned i, n = 0;

	for (i = 0; first && i < old->stored.nafter &&
	    names->n < FM_DIFF_NAMES; i++) {
		fm_field_parts(&old->stored.after[i], &name, &is);
		if (edit_rule(&old->stored, name) != NULL)
			names->v[names->n++] = fm_text(fm_cli_keep(
			    &count->arena, name), name.len);
	}
	for (i = 0; i < names->n; i++) {
		is = value_of(&old->stored, names->v[i], 0);
		if (is.b != NULL && same(is, value))
			names->v[n++] = names->v[i];
	}
	names->n = n;
}

/* Shortens a prefix to what a URL has, too. */
static void
take_prefix(struct fm_diff_count *count, struct fm_diff_prefix *prefix,
    struct fm_text url, bool first)
{
	size_t n = 0;

	if (first) {
		prefix->text = fm_text(fm_cli_keep(&count->arena, url),
		    url.len);
		prefix->whole = true;
		return;
	}
	while (n < url.len && n < prefix->text.len &&
	    url.b[n] == prefix->text.b[n])
		n++;
	if (n == url.len && n == prefix->text.len)
		return;
	/* Only as far as a path goes: /a/1 and /a/12 are below /a/. */
	while (n > 0 && prefix->text.b[n - 1] != '/')
		n--;
	prefix->text.len = n;
	prefix->whole = false;
}

static void
take_object(struct stored *stored)
{
	struct fm_diff_count *count = stored->request->count;
	struct fm_diff_stored *to = &count->stored;
	const struct fm_respond *old = &stored->sides[FM_OLD];
	const struct fm_respond *new = &stored->sides[FM_NEW];
	struct fm_text host = without_port(request_host(new));
	const uint64_t both[] = { XXH3_64bits(host.b, host.len),
		XXH3_64bits(new->request.url.b, new->request.url.len) };
	struct fm_diff_forget *forget;
	bool first = to->requests++ == 0;
	uint32_t n;

	(void)fm_distinct_number(&to->urls, XXH3_64bits(both, sizeof both));
	keep_names(count, &to->host_names, old, request_host(old), same_host,
	    first);
	keep_names(count, &to->url_names, old, old->request.url, fm_text_eq,
	    first);
	n = fm_distinct_number(&to->by_host, XXH3_64bits(host.b, host.len));
	first = n == to->nhosts;
	if (first) {
		forget = fm_cli_grow(&to->hosts, to->nhosts++, &to->room,
		    sizeof *forget);
		forget->host = fm_text(fm_cli_keep(&count->arena, host),
		    host.len);
	}
	forget = &to->hosts[n];
	take_prefix(count, &forget->url, new->request.url, first);
	take_prefix(count, &forget->old_url, old->request.url, first);
	take_prefix(count, &to->url, new->request.url, to->requests == 1);
	take_prefix(count, &to->old_url, old->request.url,
	    to->requests == 1);
}

/*--------------------------------------------------------------------
 * Requests
 */

/*
 * Finds the response that a request had.  Returns false if the log does not
 * have it, or the rules do not see it.
 */
static bool
find_response(const struct stored *stored, struct fm_recorded_to *made,
    struct fm_respond_params *params)
{
	const struct fm_where *where = &stored->request->where;
	const struct fm_recorded_request *logged = stored->logged;
	const struct fm_recorded_fetch *fetch;
	unsigned tries, status = where->also.status;

	if (logged == NULL) {
		if (status == 304 || status == 206)
			status = 200;
		made->to = (struct fm_respond_to){ .status = status,
		    .now = where->also.time };
		return (where->vxid == 0 && status != 0);
	}
	fetch = fm_recorded_answer(&stored->request->count->recorded,
	    where->log, logged->as == FM_RECORDED_HIT ? logged->hit :
	    logged->fetch, &tries);
	if (fetch == NULL || fetch->failed || fetch->status == 0)
		return (false);
	fm_recorded_to(fetch, made, params);
	if (fetch->background)
		made->to.flags |= FM_FETCH_BACKGROUND;
	return (true);
}

/* Counts a request of which the log should have a response. */
static void
miss_response(const struct stored *stored)
{
	struct fm_diff_count *count = stored->request->count;

	count->stored.unanswered += stored->request->where.vxid != 0;
}

/* Begins a side; returns false if it asks no backend. */
static bool
side_begin(struct stored *stored, enum fm_side side,
    const struct fm_view *view)
{
	const struct fm_recorded_request *logged = stored->logged;
	struct fm_respond *respond = &stored->sides[side];

	fm_respond_init(respond, stored->differ->programs[side], view,
	    stored->differ->results[side]);
	/* In a log of plain VCL, builtin.vcl may have passed a cookie. */
	if (respond->asks_builtin && logged != NULL && !logged->ruled &&
	    logged->recv != FM_VERDICT_NONE &&
	    (logged->recv == FM_VERDICT_HASH ||
	    stored->request->count->recorded.ruled))
		respond->verdict = logged->recv;
	return (fm_respond_fetches(respond));
}

static bool
has_phase(const struct fm_differ *differ, enum fm_phase phase)
{
	return (fm_program_phase(differ->programs[FM_OLD], phase) != NULL ||
	    fm_program_phase(differ->programs[FM_NEW], phase) != NULL);
}

static void
compare(struct stored *stored)
{
	struct fm_recorded_to made[2];
	struct fm_respond *side;
	unsigned i;

	memset(made, 0, sizeof made);
	for (i = 0; i < 2; i++) {
		side = &stored->sides[i];
		side->params = fm_respond_usual;
		if (!find_response(stored, &made[i], &side->params)) {
			miss_response(stored);
			return;
		}
		fm_respond_store(side, &made[i].to, NULL);
	}
	compare_calls(stored, FM_CHANGE_STORED_CALLS, FM_PHASE_RESPONSE,
	    stored->sides[FM_OLD].stored.result,
	    stored->sides[FM_NEW].stored.result);
	compare_lifetime(stored);
	if (is_stored(&stored->sides[FM_OLD]) &&
	    is_stored(&stored->sides[FM_NEW]))
		compare_headers(stored, FM_CHANGE_STORED,
		    (const struct fm_respond_run []){
		    stored->sides[FM_OLD].stored,
		    stored->sides[FM_NEW].stored });
	if (stored->stores)
		take_object(stored);
	else if (has_phase(stored->differ, FM_PHASE_DELIVERY))
		compare_deliveries(stored);
}

bool
fm_diff_responses(struct fm_diff_request *request,
    const struct fm_differ *differ, const struct fm_view *view)
{
	struct stored stored = { .request = request, .differ = differ };
	bool fetch;
	unsigned i;

	if (!has_phase(differ, FM_PHASE_RESPONSE) &&
	    !has_phase(differ, FM_PHASE_FETCH) &&
	    !has_phase(differ, FM_PHASE_DELIVERY))
		return (false);
	stored.logged = fm_recorded_request(&request->count->recorded,
	    request->where.log, request->where.vxid);
	fetch = side_begin(&stored, FM_OLD, view);
	fetch &= side_begin(&stored, FM_NEW, view);
	if (fetch && stored.sides[FM_OLD].verdict ==
	    stored.sides[FM_NEW].verdict)
		compare(&stored);
	for (i = 0; i < 2; i++)
		fm_respond_fini(&stored.sides[i]);
	return (stored.changed);
}
