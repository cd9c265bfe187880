/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What happens in a run, told as it happens: for `fastmatch explain`, and for
 * rules that log everything.  Any of the functions may be NULL.
 */

#ifndef FM_TRACE_H
#define FM_TRACE_H

#include "hosttab.h"
#include "program.h"
#include "text.h"

/*
 * Three values: a test that is undecided makes what it decides undecided,
 * unless the other tests decide it alone (false and X, true or X).
 */
enum fm_outcome {
	FM_FALSE,
	FM_TRUE,
	FM_UNDECIDED,
	FM_NOT_ASKED
};

enum fm_effect {
	FM_EFFECT_NONE,		/* all was right already */
	FM_EFFECT_CHANGED,	/* what: "url", or a header's name */
	FM_EFFECT_BACKEND,	/* what: its name */
	FM_EFFECT_VERDICT,	/* after: the Location or the reason; what: the
				 * line of builtin.vcl, "a Cookie: pass" */
	FM_EFFECT_IGNORED,	/* a verdict that is none for ESI */
	FM_EFFECT_UNDECIDED,	/* its map or its rewrite; what comes of that
				 * is told next */
	FM_EFFECT_STOP,
	FM_EFFECT_USE		/* the ruleset's block is told of next, and at
				 * its end back() */
};

struct fm_trace {
	void			*priv;

	/*
	 * What was canonicalised, and which entry that is; block is the name
	 * of what will run (missing: nothing).  raw is the Host header.
	 */
	void (*site)(void *priv, struct fm_text raw, struct fm_text canon,
	    const struct fm_hosttab_hit *, struct fm_text block);

	/*
	 * "always", "finally", or what the site is called: from here on its
	 * block.
	 */
	void (*block)(void *priv, const char *name);
	/* The block that has used a ruleset goes on. */
	void (*back)(void *priv);

	/* A condition: each of its tests, in the order of the text, then it. */
	void (*test)(void *priv, const struct fm_rule *test, enum fm_outcome,
	    struct fm_text subject);
	void (*when)(void *priv, const struct fm_rule *when, enum fm_outcome);

	/*
	 * Any other statement that ran.  what is a header's name as the rules
	 * have it; a missing before or after: the header is not there.
	 */
	void (*stmt)(void *priv, const struct fm_rule *stmt, enum fm_effect,
	    struct fm_text what, struct fm_text before, struct fm_text after);

	/* A scan: of what ("header User-Agent"), for how many patterns. */
	void (*scan)(void *priv, const char *subject, size_t patterns);
};

#endif
