/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in the subs after vcl_recv.
 */

#ifndef FM_RULES_PHASES_H
#define FM_RULES_PHASES_H

#include "rules.h"

/* In vcl_synth; ends it if `finish`. */
void fm_rules_synth(VRT_CTX, const struct vmod_fastmatch_rules *, bool finish);

#endif
