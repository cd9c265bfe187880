/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says in a line what becomes of a response, which rule or header decided, and
 * what would change it.
 */

#include <stdlib.h>

#include "explain.h"

static const struct {
	const char		*why;		/* as builtin.vcl's begins */
	const char		*instead;
} remedies[] = {
	{ "no lifetime", "ttl in response, after a test of the status" },
	{ "Set-Cookie", "unset Set-Cookie in response, or set-cookie drop" },
	{ "Surrogate-Control", "unset Surrogate-Control in response" },
	{ "Cache-Control", "cache-control drop no-cache no-store private in "
	    "response" },
	{ "no-", "leave that header out of 'ttl from'" },
	{ "private in", "leave that header out of 'ttl from'" },
	{ "Vary", "vary drop * in response" }
};

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
fm_explain_fate(const struct fm_respond *respond)
{
	return (fates[respond->fate]);
}

/* Writes " (site.rules:20)". */
static void
put_place(FILE *to, const struct fm_rule *rule)
{
	if (rule != NULL)
		fprintf(to, " (%s)", rule->place);
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

static void
put_stored(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const struct fm_rule *rule = changed_by(&response->stored.record,
	    "ttl");
	char buf[FM_DURATION_PRINT];

	fprintf(to, "cached: %s, by ", fm_duration_print(is->ttl, buf));
	if (rule != NULL)
		fprintf(to, "ttl at %s", rule->place);
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
	if (life->ttl > 0)
		fprintf(to, " gives %s, and Age is %s",
		    fm_explain_seconds(life->ttl, ttl),
		    fm_explain_seconds(life->age, age));
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

/* Writes what builtin.vcl, or `builtin`, has against storing a response. */
static void
put_builtin(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const char *why = is->uncacheable != NULL ? is->uncacheable :
	    told_by_builtin(&response->stored.record);
	size_t i;

	fprintf(to, "%s: %s", is->uncacheable != NULL ? "builtin.vcl" :
	    "builtin", why);
	if (is->uncacheable == NULL)
		put_place(to, is->stored.result->rule);
	if (strcmp(why, "no lifetime") == 0)
		put_lifetime(to, &is->lifetime);
	for (i = 0; i < sizeof remedies / sizeof remedies[0]; i++)
		if (fm_text_begins(fm_text_of(why), remedies[i].why))
			fprintf(to, "; to cache it: %s", remedies[i].instead);
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
	fputs(rule->text, to);
	put_place(to, rule);
}

/* Writes why no backend is asked, or why it is asked for this request alone. */
static void
put_request(FILE *to, const struct fm_respond *is)
{
	const char *word = fm_verdict_word(is->verdict);

	if (is->why != NULL) {
		fprintf(to, "builtin.vcl: %s", is->why);
		return;
	}
	fputs(is->request_rule != NULL ? is->request_rule->text : word, to);
	put_place(to, is->request_rule);
}

static void
put_fate(FILE *to, const struct fm_explained_response *response)
{
	const struct fm_respond *is = &response->respond;
	const struct fm_result *result = is->stored.result;

	switch (is->fate) {
	case FM_RESPOND_STORED:
		put_stored(to, response);
		break;
	case FM_RESPOND_UNCACHEABLE:
		put_uncacheable(to, response);
		break;
	case FM_RESPOND_EXPIRED:
		fputs("cached: no; no lifetime", to);
		put_lifetime(to, &is->lifetime);
		fprintf(to, "; to cache it: %s", remedies[0].instead);
		break;
	case FM_RESPOND_PASS:
		fputs("cached: no; the request is passed: ", to);
		put_request(to, is);
		fputs("; lifetimes in response do nothing", to);
		break;
	case FM_RESPOND_PASSED:
	case FM_RESPOND_RETRIED:
		fprintf(to, "cached: no; %s", result->rule->text);
		put_place(to, result->rule);
		if (is->fate == FM_RESPOND_RETRIED)
			fputs(": the backend is asked again", to);
		break;
	case FM_RESPOND_ABANDONED:
		fprintf(to, "cached: no; %s%s", result->verdict ==
		    FM_VERDICT_ABANDON ? "" : "undecided: ",
		    result->rule == NULL ? "a regex" : result->rule->text);
		put_place(to, result->rule);
		fputs(is->to.flags & FM_FETCH_BACKGROUND ?
		    ": the stale object stays" : ": the client gets 503", to);
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
	struct fm_written written;

	fm_written_begin(&written);
	if (fm_respond_fetches(is)) {
		put_fate(written.to, response);
		put_remembered(written.to, is);
	} else {
		fputs("cached: no; ", written.to);
		put_request(written.to, is);
		fputs(is->verdict == FM_VERDICT_PIPE ? ": what is piped has "
		    "neither response nor delivery" :
		    ": no backend is asked for this response", written.to);
	}
	fm_written_end(&written);
	return (written.text);
}
