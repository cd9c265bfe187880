/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What of a program is counted (hits.h): its rules, then its hosts, in the
 * order of fm_program_rule() and fm_program_host(); totals are in that order.
 */

#ifndef FM_RULES_HITS_H
#define FM_RULES_HITS_H

#include "hits.h"
#include "program.h"

/* The totals' number: fm_program_nrules() + fm_program_hosts(). */
size_t fm_rules_hits_count(const struct fm_program *);

/* NULL: no memory. */
struct fm_hits *fm_rules_hits_new(const char *path,
    const struct fm_program *);

#endif
