/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls the subs of VCL that rules name by `call`, and makes their bans: once
 * the edits are made, and the version of the rules is given back.
 */

#ifndef FM_RULES_CALL_H
#define FM_RULES_CALL_H

#include "rules.h"

/*
 * Looks up the subs that a program calls, and stores them in the array; an
 * array of NULL: only checks them.  Returns 0, or -1 with the reason in the
 * diag: a name is unknown, or VCL may not call the sub in a phase that does.
 */
int fm_rules_subs(struct vmod_fastmatch_rules *, const struct fm_program *,
    const struct fm_rules_sub **, struct fm_diag *) __attribute__((cold));

/* Warns of subs that no rule calls. */
void fm_rules_subs_unused(const struct vmod_fastmatch_rules *,
    struct fm_diag *);

/* What is left to do once the edits are made: subs to call, bans to make. */
struct fm_rules_due {
	unsigned			n;	/* 0: nothing, and no more is
						 * set */
	unsigned			nsubs, nbans;
	const struct fm_rules_sub	*subs[FM_LIMIT_CALLS]; /* in order */
	struct fm_rules_ban		*bans;
};

/* Takes it from the result of a version that still serves. */
void fm_rules_due(VRT_CTX, const struct vmod_fastmatch_rules *,
    struct fm_rules_due *, const struct fm_version *,
    const struct fm_result *);

/*
 * Calls the subs, and makes the bans unless a sub has ended the method.
 * Returns false if one has: then there must be no other verdict.
 */
bool fm_rules_call(VRT_CTX, const struct vmod_fastmatch_rules *,
    struct fm_rules_due *);

/*
 * Returns true, after the method was ended with a failure, if a sub that the
 * rules of this object call has called .apply() of it.
 */
bool fm_rules_called_back(VRT_CTX, const struct vmod_fastmatch_rules *);

#endif
