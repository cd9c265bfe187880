/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says in a line what becomes of a response, which rule or header decided, and
 * what would change it.
 */

#include <stdio.h>
#include <stdlib.h>

#include "explanation.h"

/* A remedy for a decision of builtin.vcl whose text begins so. */
struct remedy {
	const char		*why;
	const char		*instead;
};

/* In the order of builtin.vcl. */
static const struct remedy remedies[] = {
	{ "no lifetime", "ttl in response, after a test of the status" },
	{ "Set-Cookie", "unset Set-Cookie in response, or set-cookie drop" },
	{ "Surrogate-Control", "unset Surrogate-Control in response" },
	{ "Cache-Control", "cache-control drop no-cache no-store private in "
	    "response" },
	{ "no-", "leave that header out of 'ttl from'" },
	{ "private in", "leave that header out of 'ttl from'" },
	{ "Vary", "vary drop * in response" }
};
#define REMEDIES	(sizeof remedies / sizeof remedies[0])

static const struct remedy of_requests[] = {
	{ "a Cookie", "unset Cookie, or cookie drop, in the rules for "
	    "requests" },
	{ "an Authorization", "unset Authorization in the rules for requests, "
	    "if all clients get the same" },
	{ "neither GET", "nothing does, as only GET and HEAD are cached" }
};

/* The remedy for a decision of a rule. */
#define BY_RULE		"remove that line, or narrow the test before it"

static const char * const fates[] = {
	[FM_RESPOND_STORED] = "stored",
	[FM_RESPOND_EXPIRED] = "expired",
	[FM_RESPOND_UNCACHEABLE] = "uncacheable",
	[FM_RESPOND_PASSED] = "hit-for-pass",
	[FM_RESPOND_PASS] = "pass",
	[FM_RESPOND_ABANDONED] = "abandoned",
	[FM_RESPOND_RETRIED] = "retried"
};

const char *
fm_explain_seconds(double seconds, char buf[FM_DURATION_PRINT])
{
	(void)snprintf(buf, FM_DURATION_PRINT, "%.10gs", seconds);
	return (buf);
}

const char *
fm_explain_fate(const struct fm_respond *respond)
{
	return (fates[respond->fate]);
}

/* Writes " (site.rules:20)". */
static void
put_place(FILE *to, const struct fm_explain_of *of, const struct fm_rule *rule)
{
	if (rule != NULL)
		fprintf(to, " (%s)", fm_explain_place(of, rule));
}

/* Returns the last rule that has changed the ttl, or has set a flag. */
static const struct fm_rule *
changed_by(const struct fm_record *record, const char *what)
{
	const struct fm_rule *rule = NULL;
	const struct fm_event *event;
	size_t i;

	for (i = 0; i < record->nevents; i++) {
		event = &record->events[i];
		if (event->kind == FM_EVENT_STMT &&
		    event->effect == FM_EFFECT_CHANGED &&
		    fm_text_eq(event->what, fm_text_of(what)) &&
		    fm_text_begins(fm_text_of(event->rule->text), what))
			rule = event->rule;
	}
	return (rule);
}

/* Returns true if a rule is `builtin`. */
static bool
is_builtin(const struct fm_rule *rule)
{
	return (rule != NULL && strcmp(rule->text, "builtin") == 0);
}

static void
put_stored(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const struct fm_rule *rule = changed_by(&response->stored.record,
	    "ttl");
	char buf[FM_DURATION_PRINT];

	fprintf(to, "cached: %s, by ", fm_duration_print(is->ttl, buf));
	if (rule != NULL)
		fprintf(to, "ttl at %s", fm_explain_place(response->of, rule));
	else
		fputs(is->lifetime.why, to);
	fprintf(to, "; grace %s", fm_duration_print(is->grace, buf));
	if (is->keep > 0)
		fprintf(to, "; keep %s", fm_duration_print(is->keep, buf));
}

/* Writes why the core gives a response no lifetime. */
static void
put_lifetime(FILE *to, const struct fm_lifetime *life)
{
	char ttl[FM_DURATION_PRINT], age[FM_DURATION_PRINT];

	fprintf(to, ", as %s", life->why);
	if (life->ttl >= 0 && strchr(life->why, ' ') == NULL)
		fprintf(to, " gives %s", fm_explain_seconds(life->ttl, ttl));
	if (life->ttl > 0)
		fprintf(to, ", and Age is %s", fm_explain_seconds(life->age,
		    age));
}

/* Returns what `builtin` of the rules has told of its decision. */
static const char *
told_by_builtin(const struct fm_record *record)
{
	size_t i = record->nevents;

	while (i-- > 0)
		if (record->events[i].kind == FM_EVENT_STMT &&
		    record->events[i].effect == FM_EFFECT_VERDICT &&
		    record->events[i].what.b != NULL)
			return (record->events[i].what.b);
	return ("uncacheable");
}

/* Writes what would change each decision against storing a response. */
static void
put_remedies(FILE *to, struct fm_builtin_response of, const char *why)
{
	const char *before = "; to cache it: ";
	size_t i;

	of.uncacheable = false;
	of.ttl = strcmp(why, remedies[0].why) == 0 ? 0 : 1;
	for (; why != NULL; why = fm_builtin_respond(fm_builtin_response_here,
	    &of).why) {
		for (i = 0; i + 1 < REMEDIES && !fm_text_begins(
		    fm_text_of(why), remedies[i].why); i++)
			continue;
		fprintf(to, "%s%s", before, remedies[i].instead);
		before = "; and ";
		of.ttl = 1;
		if (i == 1)
			of.set_cookie = false;
		else if (i == 2)
			of.surrogate_control = fm_text(NULL, 0);
		else if (i > 2 && i + 1 < REMEDIES)
			of.cache_control = fm_text(NULL, 0);
		else if (i > 2)
			of.vary = fm_text(NULL, 0);
	}
}

/* Writes what builtin.vcl, or `builtin`, has against storing a response. */
static void
put_builtin(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const char *why = is->uncacheable != NULL ? is->uncacheable :
	    told_by_builtin(&response->stored.record);

	fprintf(to, "%s: %s", is->uncacheable != NULL ? "builtin.vcl" :
	    "builtin", why);
	if (is->uncacheable == NULL)
		put_place(to, response->of, is->stored.result->rule);
	if (strcmp(why, "no lifetime") == 0)
		put_lifetime(to, &is->lifetime);
	put_remedies(to, is->builtin, why);
}

static void
put_uncacheable(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_rule *rule = changed_by(&response->stored.record,
	    "uncacheable");

	fputs("cached: no; ", to);
	if (rule == NULL) {
		put_builtin(to, response);
		return;
	}
	fputs(fm_explain_words(response->of, rule), to);
	put_place(to, response->of, rule);
	fputs("; to cache it: " BY_RULE, to);
}

/* Writes why no backend is asked, or why it is asked for this request alone. */
static void
put_request(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const struct fm_rule *rule = is->request_rule;

	if (is->asks_builtin)
		fprintf(to, "builtin.vcl: %s", is->why);
	else
		fputs(rule != NULL ? fm_explain_words(response->of, rule) :
		    fm_verdict_word(is->verdict), to);
	if (is_builtin(rule))
		fprintf(to, ": %s", is->why);
	put_place(to, response->of, rule);
}

/* Writes what would keep a request from being passed. */
static void
put_request_remedy(FILE *to, const struct fm_respond *is)
{
	size_t i;

	fputs("; lifetimes in response do nothing; to cache it: ", to);
	if (!is->asks_builtin && !is_builtin(is->request_rule)) {
		fputs(BY_RULE, to);
		return;
	}
	for (i = 0; i + 1 < sizeof of_requests / sizeof of_requests[0] &&
	    !fm_text_begins(fm_text_of(is->why), of_requests[i].why); i++)
		continue;
	fputs(of_requests[i].instead, to);
}

/* Writes which rule ends a fetch, or keeps it from being stored. */
static void
put_ended(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const struct fm_result *result = fm_respond_unsent(is) ?
	    is->sent.result : is->stored.result;
	bool undecided = is->fate == FM_RESPOND_ABANDONED &&
	    result->verdict != FM_VERDICT_ABANDON;

	fprintf(to, "cached: no; %s%s", undecided ? "undecided: " : "",
	    result->rule == NULL ? "a regex" :
	    fm_explain_words(response->of, result->rule));
	put_place(to, response->of, result->rule);
	if (is->fate == FM_RESPOND_RETRIED) {
		fputs(": the backend is asked again", to);
		return;
	}
	if (is->fate == FM_RESPOND_ABANDONED)
		fputs(is->to.flags & FM_FETCH_BACKGROUND ?
		    ": the stale object stays" : ": the client gets 503", to);
	fprintf(to, "; to cache it: %s", undecided ? "write that test without "
	    "a regex, or raise pcre2_match_limit" : BY_RULE);
}

static void
put_fate(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;

	switch (is->fate) {
	case FM_RESPOND_STORED:
		put_stored(to, response);
		break;
	case FM_RESPOND_UNCACHEABLE:
		if ((is->to.flags & FM_CACHE_OWN) != 0)
			fputs("cached: no; the fetch has failed", to);
		else
			put_uncacheable(to, response);
		break;
	case FM_RESPOND_EXPIRED:
		fputs("cached: no; no lifetime", to);
		put_lifetime(to, &is->lifetime);
		fprintf(to, "; to cache it: %s", remedies[0].instead);
		break;
	case FM_RESPOND_PASS:
		fputs("cached: no; the request is passed: ", to);
		put_request(to, response);
		put_request_remedy(to, is);
		break;
	case FM_RESPOND_PASSED:
	case FM_RESPOND_RETRIED:
	case FM_RESPOND_ABANDONED:
		put_ended(to, response);
		break;
	}
}

/* Writes what Varnish remembers of a response that is not stored. */
static void
put_remembered(FILE *to, const struct fm_respond *is)
{
	char buf[FM_DURATION_PRINT];

	if (is->fate == FM_RESPOND_UNCACHEABLE && is->ttl > 0)
		fprintf(to, "\nnot cached, remembered for %s (until a response "
		    "is cacheable)", fm_explain_seconds(is->ttl, buf));
	if (is->fate == FM_RESPOND_PASSED)
		fprintf(to, "\nnot cached, remembered for %s (requests are "
		    "passed until then)", fm_explain_seconds(is->ttl, buf));
}

char *
fm_explain_summary(const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (to == NULL)
		return (NULL);
	if (fm_respond_fetches(is)) {
		put_fate(to, response);
		put_remembered(to, is);
	} else {
		fputs("cached: no; ", to);
		if (is->verdict == FM_VERDICT_REFUSE)
			fputs("the request is refused: ", to);
		put_request(to, response);
		fputs(is->verdict == FM_VERDICT_PIPE ? ": what is piped has "
		    "neither response nor delivery" :
		    ": no backend is asked for this response", to);
	}
	if (fclose(to) != 0) {
		free(text);
		text = NULL;
	}
	return (text);
}
