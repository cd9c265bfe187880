/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The live beside that of the object `rules`: of a shadow, or of `next`.
 */

#ifndef FM_RULES_BESIDE_H
#define FM_RULES_BESIDE_H

#include "rules.h"

/*
 * Sets the file, of which the first WARM opens a live by `open`, watched as the
 * rules are.  Returns 0, or -1 if there is no memory.
 */
int fm_rules_beside_new(struct vmod_fastmatch_rules *, const char *path,
    double watch, uint32_t min_hosts, fm_object_open_f *open);

/*
 * Opens the live with these options, to which it adds what is not about the
 * type.  Returns 0, or -1 with the reason in the diag.
 */
int fm_rules_beside_open(struct vmod_fastmatch_rules *,
    struct fm_live_options *, struct fm_diag *);

/*
 * Return true if the rules beside, as the first WARM reads them, name a backend
 * or call a sub.
 */
bool fm_rules_beside_names(const struct vmod_fastmatch_rules *,
    const char *backend);
bool fm_rules_beside_calls(const struct vmod_fastmatch_rules *,
    const char *sub);

#endif
