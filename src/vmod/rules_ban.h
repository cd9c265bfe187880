/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the bans that rules note by `ban`: Varnish gets each argument as a
 * string of its own, so that nothing in it can become a test or an operator.
 */

#ifndef FM_RULES_BAN_H
#define FM_RULES_BAN_H

#include "rules.h"

/* A ban whose tests Varnish has taken. */
struct fm_rules_ban {
	struct ban_proto	*proto;
	uint64_t		id;		/* digest of its tests */
};

/*
 * Builds the bans of a result.  Returns an array from malloc(), and sets *n; or
 * NULL: there is none, as none is left to make or as they failed, which is
 * counted and logged.
 */
struct fm_rules_ban *fm_rules_bans_build(VRT_CTX,
    const struct vmod_fastmatch_rules *, const struct fm_result *,
    unsigned *n);

/*
 * Makes the bans, or abandons them if `make` is false; frees the array.  A ban
 * is made once for a request, however often that is restarted.
 */
void fm_rules_bans_end(VRT_CTX, const struct vmod_fastmatch_rules *,
    struct fm_rules_ban *, unsigned n, bool make);

#endif
