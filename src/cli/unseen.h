/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules that look at what a log doesn't have: cookies, other headers, the
 * client's address.  What such a rule did to the requests of the log says
 * nothing of what it does to those of clients.
 *
 *	always {
 *	    when cookie vip present {		looks at: Cookie
 *		set X-Class = vip;		depends on: Cookie
 *	    }
 *	    unset Cookie;			edits: Cookie
 *	    when header X-Class is vip {	looks at: Cookie
 *		pass;				depends on: Cookie
 *	    }
 *	}
 */

#ifndef FM_UNSEEN_H
#define FM_UNSEEN_H

#include "json.h"
#include "load.h"
#include "logs/logs.h"

#define FM_UNSEEN_THINGS	64

/* A statement; each set has a bit for each thing that the log doesn't have. */
struct fm_unseen_rule {
	const struct fm_rule	*rule;
	uint32_t		counter;
	uint64_t		looks;		/* at these, by itself */
	uint64_t		depends;	/* a rule that looks at these
						 * says whether it runs */
	uint64_t		edits;		/* unsets these */
	bool			plain;		/* it only edits, or names a
						 * backend */
};

struct fm_unseen {
	struct fm_unseen_rule	*rules;		/* as the program has them */
	size_t			n;
	const char		*things[FM_UNSEEN_THINGS];
	unsigned		nthings;
	struct fm_arena		arena;
	uint64_t		bodies;		/* a hash of all answers' */
};

/*
 * Finds them after the logs were read.  counters: those of the program, which
 * say whether a rule that looks at what isn't there ended requests before they
 * got to others; NULL: no rule did.
 */
void fm_unseen_find(struct fm_unseen *, const struct fm_rules *,
    const struct fm_logs *, const uint64_t *counters);
void fm_unseen_fini(struct fm_unseen *);

/* Returns what the log lacks for it: "no Cookie, no method", of malloc(). */
char *fm_unseen_print(const struct fm_unseen *,
    const struct fm_unseen_rule *);

/* Returns the rule, and what the log lacks for it as "lacks". */
json_t *fm_unseen_json(const struct fm_unseen *,
    const struct fm_unseen_rule *);

#endif
