/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file `next` of the object `rules`: a second live, whose rules for
 * requests a share of the clients get.
 *
 * Only .apply() in vcl_recv runs them.  All later subs run the rules of the
 * present file, as they do for a request that came just before a reload.
 */

#ifndef FM_RULES_NEXT_H
#define FM_RULES_NEXT_H

#include "rules.h"

/*
 * Sets the file: at the first WARM a live of it is opened, watched as the rules
 * are.  The file may be missing, but has no errors.  Returns 0, or -1 if there
 * is no memory.
 */
int fm_rules_next_new(struct vmod_fastmatch_rules *, const char *path,
    double share, double watch, uint32_t min_hosts);

/* Reloads the file.  Returns false if it is refused, or still can't serve. */
bool fm_rules_next_reload(const struct vmod_fastmatch_rules *);

/*
 * Returns the version of the rules that the client of a request gets, which
 * fm_serve_get() gave: a newer one, which is to be put as well, or `present`.
 * The request and its ESI includes stay on their side.
 */
const struct fm_version *fm_rules_next_get(VRT_CTX,
    const struct vmod_fastmatch_rules *, const struct fm_version *present);

/*
 * After a run of rules of `next`: finds the host in the present set, for the
 * later subs and for the counters, and counts the request.
 */
void fm_rules_next_place(const struct vmod_fastmatch_rules *,
    const struct fm_rules_set *present, unsigned shard, struct fm_view *,
    struct fm_result *);

#endif
