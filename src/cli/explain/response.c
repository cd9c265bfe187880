/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows for people what a backend is sent, and what becomes of a response: the
 * lifetime that Varnish's core gives it, what the rules do when it is stored
 * and when it is delivered, and the summary.
 */

#include <stdio.h>

#include "explain.h"

#define LABEL		10	/* columns, as in text.c */

static void
put_core(const struct fm_respond *respond, const struct fm_term *term)
{
	const struct fm_lifetime *life = &respond->lifetime;
	char ttl[FM_DURATION_PRINT], grace[FM_DURATION_PRINT],
	    keep[FM_DURATION_PRINT];

	fputc('\n', term->to);
	fm_term_put(term, FM_INK_BOLD, "%-*s", LABEL, "Varnish");
	if (respond->verdict == FM_VERDICT_PASS) {
		fm_term_put(term, FM_INK_PLAIN, "%s: it has no lifetime\n",
		    life->why);
		return;
	}
	if (life->ttl < 0)
		fm_term_put(term, FM_INK_PLAIN, "no ttl: %s; ", life->why);
	else
		fm_term_put(term, FM_INK_PLAIN, "ttl %s: %s; ",
		    fm_explain_seconds(life->ttl, ttl), life->why);
	if (life->age > 0)
		fm_term_put(term, FM_INK_PLAIN, "age %s; ",
		    fm_explain_seconds(life->age, keep));
	fm_term_put(term, FM_INK_PLAIN, "grace %s: %s; keep %s: default_keep\n",
	    fm_explain_seconds(life->grace, grace), life->has_grace ?
	    "stale-while-revalidate" : "default_grace",
	    fm_explain_seconds(life->keep, keep));
}

/*
 * Shows what a phase did: the rules that ran, their verdict, and the headers,
 * if it has changed them.
 */
static void
put_phase(const struct fm_explained *explained, const char *title,
    const char *before, const char *after, const struct fm_term *term,
    bool brief)
{
	const struct fm_explanation *is = &explained->explanation;

	fputc('\n', term->to);
	fm_term_put(term, FM_INK_BOLD, "%s", title);
	if (is->result == NULL) {
		fm_term_put(term, FM_INK_PLAIN, ": no rules\n");
		return;
	}
	fputc('\n', term->to);
	fm_explain_rows(is, term);
	if (brief)
		return;
	fputc('\n', term->to);
	fm_explain_verdict(is, term);
	if (is->phase == FM_PHASE_DELIVERY &&
	    is->result->verdict != FM_VERDICT_NONE)
		return;
	if (is->result->edits.n == 0) {
		fm_term_put(term, FM_INK_PLAIN, "\nIts headers stay as they "
		    "are.\n");
		return;
	}
	fm_term_put(term, FM_INK_BOLD, "\n--- %s\n+++ %s\n", before, after);
	fm_explain_steps(is, term);
}

static void
put_delivery(const struct fm_explained *delivered, const struct fm_term *term,
    bool brief)
{
	char as[FM_DURATION_PRINT + 40], title[100], after[120],
	    buf[FM_DURATION_PRINT];
	bool own = strcmp(delivered->as, "own") == 0;

	if (own)
		(void)snprintf(as, sizeof as, "an answer of the rules");
	else
		(void)snprintf(as, sizeof as, "a %.9s%s%s%s", delivered->as,
		    delivered->later > 0 ? ", " : "", delivered->later > 0 ?
		    fm_duration_print(delivered->later, buf) : "",
		    delivered->later > 0 ? " later" : "");
	(void)snprintf(title, sizeof title, "delivery, as %s", as);
	(void)snprintf(after, sizeof after, "the response that the client "
	    "gets, as %s", as);
	put_phase(delivered, title, own ? "the answer" :
	    "the response from Varnish", after, term, brief);
}

void
fm_explain_fetch(const struct fm_explained_response *response,
    const struct fm_term *term, bool brief)
{
	if (response->respond.sent.result != NULL)
		put_phase(&response->sent, "fetch", "the request from Varnish",
		    "the request that the backend gets", term, brief);
}

void
fm_explain_response(const struct fm_explained_response *response,
    const struct fm_term *term, bool brief)
{
	struct fm_text rest = fm_text_of(response->summary), line;
	unsigned i;

	if (fm_respond_fetches(&response->respond) &&
	    !fm_respond_unsent(&response->respond)) {
		put_core(&response->respond, term);
		put_phase(&response->stored, "response",
		    "the response of the backend",
		    fm_respond_is_kept(&response->respond) ?
		    "the response as it is stored" :
		    "the response after the rules", term, brief);
	}
	for (i = 0; i < response->ndelivered && (i == 0 ||
	    response->delivered[i].run.result != NULL); i++)
		put_delivery(&response->delivered[i], term, brief);
	fputc('\n', term->to);
	while (fm_cut_line(&rest, &line)) {
		fm_term_clip(term, FM_INK_BOLD, line, 0);
		fputc('\n', term->to);
	}
}
