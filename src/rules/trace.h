/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A trace is told what happens in a run, while it happens: for `fastmatch
 * explain`, and for rules that log everything.  A caller sets the functions
 * that it wants, and leaves the others NULL.
 */

#ifndef FM_TRACE_H
#define FM_TRACE_H

#include "hosttab.h"
#include "program.h"
#include "text.h"

/*
 * The outcome of a test or a condition.  A test is undecided if its regex
 * reached the match limit.  A condition with such a test is undecided, unless
 * the other tests decide it: `false and X` is false, `true or X` is true.
 */
enum fm_outcome {
	FM_FALSE,
	FM_TRUE,
	FM_UNDECIDED,
	FM_NOT_ASKED		/* other tests had decided before */
};

/*
 * An effect says what a statement did; the comments say what fm_trace.stmt() is
 * told.
 */
enum fm_effect {
	FM_EFFECT_NONE,		/* the statement changed nothing */
	FM_EFFECT_CHANGED,	/* what: "url", or a header's name */
	FM_EFFECT_BACKEND,	/* what: its name */
	FM_EFFECT_VERDICT,	/* after: the Location or the reason; what: the
				 * line of builtin.vcl, "a Cookie: pass" */
	FM_EFFECT_IGNORED,	/* a verdict that an ESI sub-request ignores */
	FM_EFFECT_UNDECIDED,	/* its map or its rewrite is undecided; what
				 * follows from that is told next */
	FM_EFFECT_STOP,
	FM_EFFECT_USE		/* block() of the ruleset comes next, and back()
				 * at its end */
};

/*
 * The functions to call.  With the rules
 *
 *	always { when path is /a { set X-A = 1; } }
 *
 * a request for /a leads to these calls, in this order: site(),
 * block("always"), test("path is /a", TRUE, "/a"),
 * when("when path is /a", TRUE), stmt("set X-A = 1", CHANGED, "X-A", -, "1").
 */
struct fm_trace {
	void			*priv;

	/*
	 * The host was looked up: the Host header, its canonical form, and the
	 * entry.
	 */
	void (*site)(void *priv, struct fm_text raw, struct fm_text canon,
	    const struct fm_hosttab_hit *);

	/* A block begins: "always", "finally", or the name of the site. */
	void (*block)(void *priv, const char *name);
	/* A ruleset has ended, and the block that uses it goes on. */
	void (*back)(void *priv);

	/* A condition was asked: test() for each test, then when(). */
	void (*test)(void *priv, const struct fm_rule *test, enum fm_outcome,
	    struct fm_text subject);
	void (*when)(void *priv, const struct fm_rule *when, enum fm_outcome);

	/*
	 * Another statement ran.  `what` may be a header's name, as the rules
	 * write it.  If `before` or `after` is missing, there was, or is, no
	 * such header.
	 */
	void (*stmt)(void *priv, const struct fm_rule *stmt, enum fm_effect,
	    struct fm_text what, struct fm_text before, struct fm_text after);

	/* A subject ("header User-Agent") was scanned for so many patterns. */
	void (*scan)(void *priv, const char *subject, size_t patterns);
};

#endif
