/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The shadow of the object `rules`: opens, runs and shows a second live, for a
 * file of rules that are only tried.  shadow.h compares and counts.
 */

#ifndef FM_RULES_SHADOW_H
#define FM_RULES_SHADOW_H

#include "rules_phases.h"

/*
 * Makes the shadow: at the first WARM a live of this file is opened, watched as
 * the rules are.  The file may be missing or have errors.  Returns 0, or -1 if
 * there is no memory.
 */
int fm_rules_shadow_new(struct vmod_fastmatch_rules *, const char *path,
    double sample, double watch, uint32_t min_hosts);
void fm_rules_shadow_close(struct vmod_fastmatch_rules *);

/*
 * Runs the shadow on the view of a request that fm_shadow_takes() has picked,
 * and compares its result with that of the version that serves.  To be called
 * before the request is edited.
 */
void fm_rules_shadow_run(VRT_CTX, const struct vmod_fastmatch_rules *,
    const struct fm_version *serving, const struct fm_view *,
    const struct fm_run *);

/*
 * Does the same in a later phase, once, if `shadowed`: before the message is
 * edited, with the result of the rules, or without one if they did not run.
 */
void fm_rules_shadow_later(struct fm_phased *, bool answered);

/* Returns all that a report or a page shows; NULL if there is no memory. */
struct fm_shadow_told *fm_rules_shadow_told(
    const struct vmod_fastmatch_rules *);

#endif
