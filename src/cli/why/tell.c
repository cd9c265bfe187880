/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells the story of a request: as it came, what changed it, its key, what was
 * found, what the backend answered, what was stored, and what was delivered
 * (why.h).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "why.h"

#define SHOWN	70		/* columns of a value */
#define ROUNDS	8		/* of restarts, and of retries */

static bool
is(struct fm_text text, const char *word)
{
	return (text.b != NULL && fm_text_eq(text, fm_text_of(word)));
}

static void
tell_request(struct fm_why_story *story, const struct fm_log_request *request)
{
	static const char * const names[] = { "Cookie", "Authorization",
	    "Range", "Cache-Control", "Pragma", "If-None-Match",
	    "If-Modified-Since", "Accept-Encoding" };
	struct fm_written text;

	fm_written_begin(&text);
	fm_put_clean(text.to, request->client, 0);
	fputs(" asked for ", text.to);
	fm_put_clean(text.to, request->came.url, SHOWN);
	fputs(" by ", text.to);
	fm_put_clean(text.to, request->came.method, SHOWN);
	fputc(',', text.to);
	if (fm_why_put_headers(text.to, &request->came.headers, names,
	    sizeof names / sizeof names[0]) == 0)
		fputs(" without a Cookie", text.to);
	fputc('.', text.to);
	if (fm_log_header(&request->came.headers, "Range").b != NULL)
		fputs(" If it is looked up, Varnish fetches all of the page, "
		    "and cuts the Range out of it; a pass sends the Range to "
		    "the backend.", text.to);
	if (request->it->kind == FM_TRANSACTION_ESI)
		fprintf(text.to, " It is a part of the page of request %llu "
		    "(ESI).", (unsigned long long)request->it->parent);
	if (fm_log_header(&request->came.headers, "Cache-Control").b != NULL ||
	    fm_log_header(&request->came.headers, "Pragma").b != NULL)
		fputs(" Varnish itself takes no notice of Cache-Control and "
		    "Pragma of a request.", text.to);
	fm_why_part_end(story, "Request", &text);
}

static void
tell_key(struct fm_why_story *story, const struct fm_rules *rules,
    const struct fm_log_request *request)
{
	struct fm_written text;
	struct fm_text host;
	size_t i;

	if (request->hash.returned.b == NULL || !is(request->recv.returned,
	    "hash"))
		return;
	fm_written_begin(&text);
	host = fm_log_header(&request->left.headers, "Host");
	for (i = 0; i < request->nhashed; i++) {
		fputs(i == 0 ? "VCL hashed " : ", ", text.to);
		/* The module's key begins so; it may have cookies. */
		fm_put_clean(text.to, fm_text_begins(request->hashed[i],
		    "\1") ? fm_text_of("the key of the rules") :
		    request->hashed[i], SHOWN);
	}
	if (request->nhashed == 0) {
		fputs("URL ", text.to);
		fm_put_clean(text.to, request->left.url, SHOWN);
		fputs(host.b == NULL ? " and the address of the server" :
		    host.len == 0 ? " and an empty Host" : " and Host ",
		    text.to);
		fm_put_clean(text.to, fm_text_or_empty(host), SHOWN);
		fputs(", as builtin.vcl hashes them. This is computed: "
		    "vsl_mask leaves out Hash, so the log does not have what "
		    "VCL hashes beside them", text.to);
	}
	fputc('.', text.to);
	if (rules != NULL)
		fm_why_tell_key(rules, request, text.to);
	fm_why_part_end(story, "Key", &text);
}

/*--------------------------------------------------------------------
 * The lookup
 */

/* Writes how far the log goes back, and how to have more of it. */
static void
put_log_end(FILE *to, const struct fm_why_log *log)
{
	fputs("the log goes back to ", to);
	fm_why_put_time(to, log->first);
	if (log->path == NULL)
		fputs("; `varnishlog -w FILE` keeps more of what comes", to);
}

/*
 * Writes that an object has expired before its fetch says, which is what a soft
 * purge does.
 */
static void
put_soft_purge(FILE *to, const struct fm_why_log *log,
    const struct fm_log_request *request)
{
	const struct fm_transaction *it = fm_why_kept(log, request->object);
	struct fm_log_fetch fetch;

	if (it == NULL)
		return;
	fetch = fm_log_fetch(it);
	/* The log rounds what VCL sets. */
	if (!fm_log_is_stored(&fetch) || fm_log_expires(&fetch) <
	    request->it->start + request->ttl + 2)
		return;
	fputs(" Its fetch gave it until ", to);
	fm_why_put_time(to, fm_log_expires(&fetch));
	fputs(": a soft purge has ended that.", to);
}

static void
put_hit(FILE *to, const struct fm_why_log *log,
    const struct fm_log_request *request)
{
	fprintf(to, "A hit: object %llu was in the cache, ",
	    (unsigned long long)request->object);
	if (request->ttl > 0) {
		fputs("fresh for another ", to);
		fm_why_put_seconds(to, request->ttl - request->waited);
		fputs(", until ", to);
		fm_why_put_time(to, request->it->start + request->ttl);
		fputs("; then grace ", to);
		fm_why_put_seconds(to, request->grace);
		fputs(", keep ", to);
		fm_why_put_seconds(to, request->keep);
		fputc('.', to);
	} else {
		fputs("but had expired ", to);
		fm_why_put_seconds(to, -request->ttl);
		fputs(" before. It was delivered stale, as its grace of ", to);
		fm_why_put_seconds(to, request->grace);
		fprintf(to, " allows, %s.", request->background != 0 ?
		    "and is fetched again in the background" :
		    "while another request fetches it");
		put_soft_purge(to, log, request);
	}
	if (request->streamed)
		fputs(" It was still being fetched.", to);
}

/* Writes a miss, with the fetch before if that tells something. */
static void
put_miss(FILE *to, const struct fm_why_log *log,
    const struct fm_log_request *request, const struct fm_why_judged *judged)
{
	struct fm_log_fetch other;

	fputs(request->object == 0 ? "A miss: no object of this key and "
	    "variant was fresh." : "A miss.", to);
	if (judged->other != NULL) {
		other = fm_log_fetch(judged->other);
		fputs(" Fetch ", to);
		fprintf(to, "%llu, of ",
		    (unsigned long long)judged->other->vxid);
		fm_put_clean(to, other.sent.url, SHOWN);
		fputs(judged->miss.reason == FM_WHY_BUSY ?
		    ", had begun at " : ", was stored at ", to);
		fm_why_put_time(to, judged->other->start);
		if (judged->miss.reason != FM_WHY_BUSY) {
			fputs(" for ", to);
			fm_why_put_seconds(to, fm_log_left(&other));
			fputs(", until ", to);
			fm_why_put_time(to, fm_log_expires(&other));
		}
		fputs(": ", to);
		fm_why_put_reason(to, &judged->miss, judged);
		fputc('.', to);
	} else {
		fputs(" The log has no earlier fetch of it that was stored; ",
		    to);
		put_log_end(to, log);
		fputc('.', to);
	}
}

/* Writes since when a hit-for-miss or a hit-for-pass lasts, and why. */
static void
put_remembered(FILE *to, const struct fm_why_log *log,
    const struct fm_log_request *request)
{
	bool pass = request->lookup == FM_LOG_HITPASS;
	const struct fm_transaction *it = fm_why_kept(log, request->object);
	double left = request->ttl - request->waited;
	struct fm_why_judged judged;
	struct fm_log_fetch fetch;

	fprintf(to, "A hit-for-%s: Varnish remembers that this was not "
	    "cacheable", pass ? "pass" : "miss");
	if (it != NULL) {
		fputs(", since ", to);
		fm_why_put_time(to, it->start);
		fprintf(to, " (fetch %llu)", (unsigned long long)it->vxid);
		memset(&judged, 0, sizeof judged);
		fetch = fm_log_fetch(it);
		fm_why_judge_fetch(&fetch, false, &judged);
		if (judged.n > 0) {
			fputs(", as ", to);
			fm_why_put_reason(to, &judged.v[0], &judged);
		}
	} else {
		fprintf(to, ", since fetch %llu, which is not in the log: ",
		    (unsigned long long)request->object);
		put_log_end(to, log);
	}
	if (left < 0) {
		fputs(". Its time was over ", to);
		fm_why_put_seconds(to, -left);
		fputs(" before; but in its grace, too, each request goes to "
		    "the backend at once, unless a response is cacheable.",
		    to);
		return;
	}
	fputs(pass ? ". For another " : ". Unless a response is cacheable, "
	    "for another ", to);
	fm_why_put_seconds(to, left);
	fputs(", until ", to);
	fm_why_put_time(to, request->it->start + request->ttl);
	fputs(", each request goes to the backend at once.", to);
}

/* Tells that builtin.vcl has passed a request, as the headers suggest. */
static void
tell_passed(struct fm_why_story *story, const struct fm_log_request *request,
    const struct fm_why_judged *judged)
{
	struct fm_written text;

	fm_written_begin(&text);
	if (request->lookup == FM_LOG_PASS && judged->n > 0 &&
	    judged->v[0].actual && judged->v[0].reason <= FM_WHY_METHOD) {
		fprintf(text.to, "%s passes it: ", request->recv.builtin ?
		    "`builtin` of the rules" : "builtin.vcl");
		fm_why_put_reason(text.to, &judged->v[0], judged);
		fputc('.', text.to);
		if (!request->recv.builtin)
			fputs(" (The log of a `return (pass)` in VCL would "
			    "look the same.)", text.to);
	}
	fm_why_part_end(story, "builtin", &text);
}

static void
tell_lookup(struct fm_why_story *story, const struct fm_why_log *log,
    const struct fm_log_request *request, const struct fm_why_judged *judged)
{
	struct fm_written text;

	fm_written_begin(&text);
	if (request->waited > 0) {
		fputs("It waited ", text.to);
		fm_why_put_seconds(text.to, request->waited);
		fputs(" for another request to fetch it (waiting list). ",
		    text.to);
	}
	switch (request->lookup) {
	case FM_LOG_HIT:
		put_hit(text.to, log, request);
		break;
	case FM_LOG_MISS:
		put_miss(text.to, log, request, judged);
		break;
	case FM_LOG_HITMISS:
	case FM_LOG_HITPASS:
		put_remembered(text.to, log, request);
		break;
	case FM_LOG_PASS:
		if (request->object != 0 && request->ttl > 0)
			put_hit(text.to, log, request);
		fputs(is(request->recv.returned, "hash") ? " VCL then passed "
		    "the request: what is in the cache does not count." :
		    "None: a pass is not looked up, and its response is not "
		    "stored.", text.to);
		break;
	default:
		break;
	}
	fm_why_part_end(story, "Lookup", &text);
}

/*--------------------------------------------------------------------
 * The fetch
 */

/* Returns the last try of a fetch, as retries follow it. */
static const struct fm_transaction *
last_try(struct fm_why_story *story, const struct fm_why_log *log,
    uint64_t vxid)
{
	const struct fm_transaction *it = fm_why_kept(log, vxid), *next;
	struct fm_written text;
	struct fm_log_fetch fetch;
	unsigned i;

	fm_written_begin(&text);
	for (i = 0; it != NULL && i < ROUNDS; i++) {
		fetch = fm_log_fetch(it);
		next = fm_why_kept(log, fetch.retried);
		if (next == NULL)
			break;
		fprintf(text.to, "%sFetch %llu was tried again, after %u.",
		    i == 0 ? "" : " ", (unsigned long long)it->vxid,
		    fetch.stored.status);
		it = next;
	}
	fm_why_part_end(story, "Retries", &text);
	return (it);
}

/* Tells how what was hit had been fetched. */
static void
tell_hit(struct fm_why_story *story, const struct fm_why_log *log,
    const struct fm_rules *rules, const struct fm_log_request *request)
{
	const struct fm_transaction *it = fm_why_kept(log, request->object);
	struct fm_why_judged judged;
	struct fm_log_fetch fetch;
	struct fm_written text;

	fm_written_begin(&text);
	if (it == NULL) {
		fputs("Its fetch is not in the log: ", text.to);
		put_log_end(text.to, log);
		fputc('.', text.to);
		fm_why_part_end(story, "Backend", &text);
		return;
	}
	fputs("It was fetched at ", text.to);
	fm_why_put_time(text.to, it->start);
	fprintf(text.to, ", for request %llu:",
	    (unsigned long long)it->parent);
	fm_why_part_end(story, "Fetch", &text);
	fetch = fm_log_fetch(it);
	memset(&judged, 0, sizeof judged);
	fm_why_judge_fetch(&fetch, false, &judged);
	fm_why_tell_fetch(story, rules, request, &fetch, false, &judged);
}

/* Tells that the fetch which should replace a stale object has not. */
static void
tell_stale(struct fm_why_story *story, const struct fm_log_request *request,
    const struct fm_log_fetch *fetch)
{
	struct fm_written text;

	fm_written_begin(&text);
	fprintf(text.to, "Fetch %llu brought nothing, so the stale object "
	    "stays: requests get it until its grace is over, at ",
	    (unsigned long long)fetch->it->vxid);
	fm_why_put_time(text.to, request->it->start + request->ttl +
	    request->grace);
	fputs(", and start another fetch if none runs.", text.to);
	fm_why_part_end(story, "Stale", &text);
}

/*
 * Tells how a stale object that was hit is fetched again, and judges what keeps
 * that from being stored.
 */
static void
tell_background(struct fm_why_story *story, const struct fm_why_log *log,
    const struct fm_rules *rules, const struct fm_log_request *request,
    struct fm_why_judged *judged)
{
	const struct fm_transaction *it;
	struct fm_why_judged its;
	struct fm_log_fetch fetch;
	struct fm_written text;

	if (request->background == 0)
		return;
	it = last_try(story, log, request->background);
	fm_written_begin(&text);
	fprintf(text.to, "Fetch %llu, which is to replace it%s",
	    (unsigned long long)request->background, it == NULL ?
	    ", is not in the log." : it->whole ? ":" :
	    ", has not ended yet.");
	fm_why_part_end(story, "Background", &text);
	if (it == NULL || !it->whole)
		return;
	fetch = fm_log_fetch(it);
	memset(&its, 0, sizeof its);
	fm_why_judge_fetch(&fetch, false, &its);
	fm_why_tell_fetch(story, rules, request, &fetch, false, &its);
	if (fm_log_is_stored(&fetch))
		return;
	*judged = its;
	if (its.n > 0 && (its.v[0].reason == FM_WHY_FETCH_FAILED ||
	    its.v[0].reason == FM_WHY_ABANDONED))
		tell_stale(story, request, &fetch);
}

/* Tells what the rules do to what is delivered. */
static void
tell_delivery(struct fm_why_story *story, const struct fm_why_log *log,
    const struct fm_rules *rules, const struct fm_log_request *request,
    const struct fm_log_fetch *with)
{
	const struct fm_transaction *object = fm_why_kept(log,
	    request->object);
	struct fm_log_fetch fetch;

	if (request->lookup == FM_LOG_HIT && object != NULL) {
		fetch = fm_log_fetch(object);
		with = &fetch;
	}
	if (with != NULL && request->deliver.returned.b != NULL)
		fm_why_tell_delivery(rules, request, with, story);
}

static void
tell_delivered(struct fm_why_story *story,
    const struct fm_log_request *request, const struct fm_log_fetch *fetch)
{
	static const char * const names[] = { "Location", "Age",
	    "Cache-Control", "Set-Cookie", "Vary", "X-Cache",
	    "Cache-Status" };
	struct fm_written text;

	fm_written_begin(&text);
	if (request->delivered.status != 0) {
		fprintf(text.to, "%u ", request->delivered.status);
		fm_put_clean(text.to, request->delivered.reason, SHOWN);
		if (request->synth.returned.b != NULL)
			fputs(" (from vcl_synth)", text.to);
		(void)fm_why_put_headers(text.to,
		    &request->delivered.headers, names,
		    sizeof names / sizeof names[0]);
		fputc('.', text.to);
		if (fetch != NULL && fm_log_is_cut(fetch) &&
		    request->delivered.status == fetch->came.status)
			fputs(" The client did not get all of the body.",
			    text.to);
		if (request->parts > 0)
			fprintf(text.to, " It includes %u part%s (ESI), each "
			    "a request of its own, with a lifetime of its own.",
			    request->parts, request->parts == 1 ? "" : "s");
	}
	fm_why_part_end(story, "Delivered", &text);
}

/*--------------------------------------------------------------------
 * The story
 */

static char *
title_of(const struct fm_log_request *request)
{
	struct fm_written text;
	struct fm_text host = fm_log_header(&request->came.headers, "Host");

	fm_written_begin(&text);
	fm_put_clean(text.to, request->came.method, SHOWN);
	fputc(' ', text.to);
	if (request->came.url.len > 0 && request->came.url.b[0] == '/' &&
	    host.b != NULL) {
		fputs("http://", text.to);
		fm_put_clean(text.to, host, 0);
	}
	fm_put_clean(text.to, request->came.url, 0);
	fputs(", ", text.to);
	fm_why_put_time(text.to, request->it->start);
	fprintf(text.to, " (request %llu)",
	    (unsigned long long)request->it->vxid);
	fm_written_end(&text);
	return (text.text);
}

static const char * const outcomes[] = {
	[FM_LOG_NONE] = "none",
	[FM_LOG_HIT] = "hit",
	[FM_LOG_MISS] = "miss",
	[FM_LOG_HITMISS] = "hit-for-miss",
	[FM_LOG_HITPASS] = "hit-for-pass",
	[FM_LOG_PASS] = "pass",
	[FM_LOG_PIPE] = "pipe",
	[FM_LOG_PURGE] = "purge",
	[FM_LOG_SYNTH] = "synth",
	[FM_LOG_RESTART] = "restart",
	[FM_LOG_FAIL] = "fail"
};

/* Returns true if what the request got was in the cache, or is now. */
static bool
is_stored(const struct fm_log_request *request,
    const struct fm_log_fetch *fetch)
{

	return (request->lookup == FM_LOG_HIT || (fetch != NULL &&
	    (request->lookup == FM_LOG_MISS ||
	    request->lookup == FM_LOG_HITMISS) && fm_log_is_stored(fetch)));
}

static void
put_reasons(FILE *to, const struct fm_why_judged *judged)
{
	const char *before = "";
	size_t i;

	for (i = 0; i < judged->n; i++) {
		if (!judged->v[i].actual)
			continue;
		fputs(before, to);
		fm_why_put_reason(to, &judged->v[i], judged);
		before = "; and ";
	}
}

static char *
summary_of(const struct fm_why_log *log, const struct fm_why_story *story,
    const struct fm_log_request *request, const struct fm_log_fetch *fetch,
    const struct fm_why_judged *judged)
{
	const struct fm_transaction *object;
	struct fm_text problem = fetch == NULL ? request->error :
	    fetch->problem;
	struct fm_written text;

	fm_written_begin(&text);
	if (request->lookup == FM_LOG_HIT) {
		fprintf(text.to, "From the cache%s", request->ttl > 0 ?
		    ", and fresh" : ", but stale: it had expired");
		fputs(judged->n > 0 ? ", and was not stored anew: " : "",
		    text.to);
		put_reasons(text.to, judged);
		fputc('.', text.to);
	} else if (story->stored) {
		fprintf(text.to, "A %s, and cached from now on for ",
		    story->outcome);
		fm_why_put_seconds(text.to, fm_log_left(fetch));
		fputs(judged->n > 0 ? ": " : ".", text.to);
		put_reasons(text.to, judged);
		fputs(judged->n > 0 ? "." : "", text.to);
	} else {
		fputs(judged->n > 0 || fm_log_has_calls(request) ?
		    "Not cached" :
		    "It is not known if it was cached", text.to);
		object = fm_why_kept(log, request->object);
		if (request->lookup == FM_LOG_HITMISS ||
		    request->lookup == FM_LOG_HITPASS) {
			fprintf(text.to, " (%s", story->outcome);
			if (object != NULL) {
				fputs(" since ", text.to);
				fm_why_put_time(text.to, object->start);
			}
			fputc(')', text.to);
		}
		fputs(": ", text.to);
		put_reasons(text.to, judged);
		if (problem.b != NULL) {
			fputs(" (", text.to);
			fm_put_clean(text.to, problem, 0);
			fputc(')', text.to);
		}
		if (judged->n == 0)
			fprintf(text.to, "the log does not have %s, so it "
			    "can't be told why", fm_log_has_calls(request) ?
			    "the fetch" : "VCL_call and VCL_return of this "
			    "request (see vsl_mask, and varnishlog's -i and "
			    "-x)");
		fputc('.', text.to);
	}
	fm_written_end(&text);
	return (text.text);
}

/* Tells what would have to change; what each reason needs comes once. */
static void
tell_remedies(struct fm_why_story *story, const struct fm_why_judged *judged)
{
	struct fm_written text;
	size_t i;

	for (i = 0; i < judged->n; i++) {
		/* A longer lifetime is what an expired object needs, too. */
		if (i > 0 && judged->v[i].reason == FM_WHY_BRIEF)
			continue;
		fm_written_begin(&text);
		if (!judged->v[i].actual) {
			fputs("Then the next obstacle: ", text.to);
			fm_why_put_reason(text.to, &judged->v[i], judged);
			fputs(". ", text.to);
		}
		fm_why_put_remedy(text.to, &judged->v[i], judged);
		fm_why_part_end(story, NULL, &text);
	}
}

/* An object that seems to be gone may have another key of the rules. */
static void
judge_key(const struct fm_rules *rules, const struct fm_log_fetch *now,
    struct fm_why_judged *judged)
{
	struct fm_log_fetch other;
	struct fm_text line;

	if (rules == NULL || now == NULL || judged->n == 0 ||
	    (judged->v[0].reason != FM_WHY_GONE &&
	    judged->v[0].reason != FM_WHY_BUSY))
		return;
	other = fm_log_fetch(judged->other);
	line = fm_why_key_differs(rules, &other, now);
	if (line.b != NULL) {
		judged->v[0].reason = FM_WHY_KEY;
		judged->v[0].detail = line;
		judged->miss = judged->v[0];
	}
}

/* Tells the rounds before the last one, and returns the last one. */
static struct fm_log_request
tell_restarts(struct fm_why_story *story, const struct fm_why_log *log,
    struct fm_log_request request)
{
	const struct fm_transaction *next;
	struct fm_written text;
	unsigned i;

	for (i = 0; i < ROUNDS && request.restarted != 0; i++) {
		next = fm_why_kept(log, request.restarted);
		fm_written_begin(&text);
		fprintf(text.to, "VCL restarted the request, as request "
		    "%llu%s.", (unsigned long long)request.restarted,
		    next == NULL ? ", which is not in the log" : "");
		fm_why_part_end(story, "Restart", &text);
		if (next == NULL)
			break;
		request = fm_log_request(next);
		fm_why_tell_sub(story, "vcl_recv", &request.recv, true);
	}
	return (request);
}

void
fm_why_tell(const struct fm_why_log *log, const struct fm_rules *rules,
    struct fm_why_story *story)
{
	struct fm_log_request request = fm_log_request(log->request);
	const struct fm_transaction *it;
	struct fm_log_fetch fetch, *with = NULL;
	struct fm_why_judged judged;
	bool pass;

	story->has_rules = rules != NULL;
	story->vxid = log->request->vxid;
	story->when = log->request->start;
	story->title = title_of(&request);
	tell_request(story, &request);
	if (rules != NULL)
		fm_why_tell_rules(rules, &request, story);
	fm_why_tell_sub(story, "vcl_recv", &request.recv, true);
	request = tell_restarts(story, log, request);
	pass = request.lookup == FM_LOG_PASS ||
	    request.lookup == FM_LOG_HITPASS;
	story->outcome = outcomes[request.lookup];
	tell_key(story, rules, &request);
	it = request.lookup == FM_LOG_HIT || request.lookup == FM_LOG_PIPE ?
	    NULL : last_try(story, log, request.fetch);
	if (it != NULL) {
		fetch = fm_log_fetch(it);
		with = &fetch;
	}
	fm_why_judge(log, &request, with, &judged);
	judge_key(rules, with, &judged);
	tell_passed(story, &request, &judged);
	tell_lookup(story, log, &request, &judged);
	if (request.lookup == FM_LOG_HIT) {
		tell_hit(story, log, rules, &request);
		tell_background(story, log, rules, &request, &judged);
	} else if (with != NULL) {
		fm_why_tell_fetch(story, rules, &request, with, pass, &judged);
	}
	if (rules != NULL)
		tell_delivery(story, log, rules, &request, with);
	fm_why_tell_sub(story, "vcl_deliver", &request.deliver, false);
	fm_why_tell_sub(story, "vcl_synth", &request.synth, false);
	tell_delivered(story, &request, with);
	story->stored = is_stored(&request, with);
	if (judged.n > 0 && (judged.v[0].actual || !story->stored))
		story->reason = fm_why_word(judged.v[0].reason);
	story->summary = summary_of(log, story, &request, with, &judged);
	tell_remedies(story, &judged);
}
