/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `rules`: its shadow, which is a second live beside its own.
 */

#ifndef FM_RULES_SHADOW_H
#define FM_RULES_SHADOW_H

#include "rules.h"

/*
 * Opens the shadow of this file, that is followed as the rules are; it need not
 * be there, or be right.  0, or -1 with what is wrong in the diag, or for want
 * of memory.
 */
int fm_rules_shadow_open(struct vmod_fastmatch_rules *, const char *path,
    double sample, double watch, uint32_t min_hosts, struct fm_diag *);
void fm_rules_shadow_close(struct vmod_fastmatch_rules *);

/* Returns true if the shadow, as it was in vcl_init, names this backend. */
bool fm_rules_shadow_names(const struct vmod_fastmatch_rules *,
    const char *backend);

/*
 * For a request that fm_shadow_takes(): runs the shadow on the view, from which
 * the version that serves has made this result.  Nothing is edited yet.
 */
void fm_rules_shadow_run(VRT_CTX, const struct vmod_fastmatch_rules *,
    const struct fm_version *serving, const struct fm_view *,
    const struct fm_result *);

/* All that there is to be shown.  NULL: no memory. */
struct fm_shadow_told *fm_rules_shadow_told(
    const struct vmod_fastmatch_rules *);

#endif
