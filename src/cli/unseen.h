/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the rules that depend on parts of a request that a log doesn't have:
 * cookies, other headers, the client's address.  `replay` and `diff` name these
 * rules, since such a log can't show what they do to the requests of clients.
 *
 *	always {
 *	    set X-Device = device(agent);
 *	    when cookie vip present {		looks at: Cookie
 *		pass;				touches: Cookie
 *	    }
 *	    unset Cookie;			touches: Cookie
 *	    when header X-Device is mobile {	(the log tells the header)
 *		set X-Zone = "${client}";
 *	    }
 *	}
 */

#ifndef FM_UNSEEN_H
#define FM_UNSEEN_H

#include <stdio.h>

#include "json.h"
#include "load.h"
#include "logs/logs.h"

#define FM_UNSEEN_THINGS	64

/*
 * A statement, and what it needs that the log doesn't have.  `looks` and
 * `touches` are sets with a bit for each of the things of struct fm_unseen.
 */
struct fm_unseen_rule {
	const struct fm_rule	*rule;
	const struct fm_stmt	*stmt;
	uint32_t		counter;
	uint64_t		looks;		/* its condition or value needs
						 * these things */
	uint64_t		touches;	/* it unsets these things,
						 * or stands in a `when` that
						 * looks at them */
	bool			responds;	/* it stands in a block for
						 * responses, which the log
						 * lacks */
};

struct fm_unseen {
	struct fm_unseen_rule	*rules;		/* in the program's order */
	size_t			n;
	const char		*things[FM_UNSEEN_THINGS];	/* "Cookie" */
	unsigned		nthings;
	struct fm_arena		arena;
};

/*
 * Finds the rules; to be called after the logs were read.  The things of
 * `other`, which may be NULL, come first, so that a bit of both is one thing.
 */
void fm_unseen_find(struct fm_unseen *, const struct fm_rules *,
    const struct fm_logs *, const struct fm_unseen *other);

/*
 * Writes a sentence for each thing that some rules need: "The log has no
 * Cookie; 2 rules look at it (site.rules:12, site.rules:15)".  The rules may
 * also be of an `other` from which this one was found.
 */
void fm_unseen_say(FILE *, const struct fm_unseen *,
    const struct fm_unseen_rule * const *, size_t n);

/* Returns a rule as an object; "lacks" is what the log lacks for it. */
json_t *fm_unseen_json(const struct fm_unseen *,
    const struct fm_unseen_rule *);

#endif
