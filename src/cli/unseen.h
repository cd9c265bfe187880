/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rules that look at what a log doesn't have: cookies, other headers, the
 * client's address.  What such a rule did to the requests of the log says
 * nothing of what it does to those of clients.
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

/* A statement; each set has a bit for each thing that the log doesn't have. */
struct fm_unseen_rule {
	const struct fm_rule	*rule;
	const struct fm_stmt	*stmt;
	uint32_t		counter;
	uint64_t		looks;		/* at these, by itself */
	uint64_t		touches;	/* unsets these, or stands
						 * within a when that looks at
						 * them */
};

struct fm_unseen {
	struct fm_unseen_rule	*rules;		/* as the program has them */
	size_t			n;
	const char		*things[FM_UNSEEN_THINGS];
	unsigned		nthings;
	struct fm_arena		arena;
};

/* Finds them after the logs were read. */
void fm_unseen_find(struct fm_unseen *, const struct fm_rules *,
    const struct fm_logs *);
void fm_unseen_fini(struct fm_unseen *);

/* Writes the rule, and what the log lacks for it: "(no Cookie, no method)". */
void fm_unseen_put(FILE *, const struct fm_unseen *,
    const struct fm_unseen_rule *);

/* Returns the rule, and what the log lacks for it as "lacks". */
json_t *fm_unseen_json(const struct fm_unseen *,
    const struct fm_unseen_rule *);

#endif
