/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A trace is told what happens in a run, while it happens: for `fastmatch
 * explain`, and for rules that log everything.
 */

#ifndef FM_TRACE_H
#define FM_TRACE_H

#include "hosttab.h"
#include "program.h"
#include "text.h"

struct fm_block;

/*
 * The outcome of a test or a condition.  A test is undecided if its regex
 * reached the match limit, or if it looks at the client, which is unknown.  A
 * condition is undecided if such a test was asked, and the condition is not
 * met.
 */
enum fm_outcome {
	FM_FALSE,
	FM_TRUE,
	FM_UNDECIDED,
	FM_NOT_ASKED,		/* other tests had decided before */
	FM_FRAGMENT		/* as undecided, but the test looks at a URL
				 * with a raw `#` */
};

/*
 * An effect says what a statement did; the comments say what the event has.
 */
enum fm_effect {
	FM_EFFECT_NONE,		/* the statement changed nothing */
	FM_EFFECT_CHANGED,	/* what: "url", or a header's name */
	FM_EFFECT_BACKEND,	/* what: its name */
	FM_EFFECT_VERDICT,	/* after: the Location or the reason; what: the
				 * line of builtin.vcl, "a Cookie: pass" */
	FM_EFFECT_IGNORED,	/* a verdict that an ESI sub-request ignores,
				 * or a delivery of an answer of ours */
	FM_EFFECT_UNDECIDED,	/* its map or its rewrite is undecided; what
				 * follows from that is told next */
	FM_EFFECT_LOG,		/* after: the line */
	FM_EFFECT_CALL,		/* what: the name of the sub */
	FM_EFFECT_BAN,		/* after: all tests; missing: there is no ban,
				 * as a value is empty */
	FM_EFFECT_KEY,		/* before: "header", "cookie" or "text"; what:
				 * the name, missing of a text; after: what the
				 * key gets; of a cookie, "a=1; a=2" */
	FM_EFFECT_LEFT,		/* after: what `no-vary-search` leaves out */
	FM_EFFECT_STOP,
	FM_EFFECT_USE		/* BLOCK of the ruleset comes next, and BACK at
				 * its end */
};

enum fm_event_kind {
	FM_EVENT_SITE,		/* the host was looked up.  what: the Host
				 * header; after: its canonical form; hit */
	FM_EVENT_BLOCK,		/* a block begins.  what: "always", "finally",
				 * or the name of the site */
	FM_EVENT_BACK,		/* a ruleset has ended, and the block that uses
				 * it goes on */
	FM_EVENT_TEST,		/* rule, outcome; what: the subject */
	FM_EVENT_WHEN,		/* rule, outcome; its tests come before it,
				 * in the order of the text */
	FM_EVENT_STMT,		/* another statement ran.  rule, effect, what,
				 * before, after */
	FM_EVENT_SCAN		/* what: the subject ("header User-Agent") that
				 * was scanned for a number of patterns */
};

/*
 * One thing that happened.  With the rules
 *
 *	always { when path is /a { set X-A = 1; } }
 *
 * a request for /a gives, in this order, SITE; BLOCK "always"; TEST (rule "path
 * is /a", TRUE, what "/a"); WHEN (rule "when path is /a", TRUE); and STMT (rule
 * "set X-A = 1", CHANGED, what "X-A", before missing, after "1").
 */
struct fm_event {
	enum fm_event_kind	kind;
	const struct fm_rule	*rule;
	enum fm_outcome		outcome;
	enum fm_effect		effect;
	/*
	 * `what` may be a header's name, as the rules write it.  If `before` or
	 * `after` is missing, there was, or is, no such header.
	 */
	struct fm_text		what, before, after;
	const struct fm_hosttab_hit *hit;
	size_t			patterns;

	/* Only a record (record.h) fills in the rest. */
	const struct fm_block	*block;		/* BLOCK: that of the model */
	bool			used;		/* BLOCK: by a `use` */
	unsigned		depth;		/* WHEN, STMT: whens and uses
						 * around the rule */
};

struct fm_trace {
	void			*priv;
	/* Texts of the event last as long as the call.  NULL: not called. */
	void (*tell)(void *priv, const struct fm_event *);
	bool			tests;		/* tell of tests and scans, too:
						 * that takes longer */
};

static inline void
fm_trace_tell(const struct fm_trace *trace, const struct fm_event *event)
{
	if (trace->tell != NULL)
		trace->tell(trace->priv, event);
}

#endif
