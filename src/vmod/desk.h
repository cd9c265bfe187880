/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What vcl_synth answers operators with, and who is let in: .page() and
 * .metrics().
 *
 *	if (!fm_desk_admits(ctx, rules, operators, "page"))
 *		return;
 *	fm_desk_answer(ctx, rules, "page", &answer);
 */

#ifndef FM_DESK_H
#define FM_DESK_H

#include "rules.h"

/* Each line is "Name: value", and outlives the request: a literal. */
struct fm_desk_answer {
	unsigned		status;
	const char		*type;		/* the line Content-Type */
	const char		*const *lines;	/* up to NULL; or NULL: none */
	const char		*body;
	size_t			len;
};

/*
 * Returns true if the method is called in vcl_synth and the ACL has the client
 * that the rules see.  A unix-domain socket gives no client.  If not, all that
 * there is to do has been done: another sub is logged and counted, another
 * client is answered with 403.
 */
bool fm_desk_admits(VRT_CTX, const struct vmod_fastmatch_rules *, VCL_ACL,
    const char *method);

/*
 * Makes the answer, which nobody may store, and ends vcl_synth.  Headers that
 * would belong to another answer go.  Where there is no room for all of it the
 * answer is a 503 without a body.
 */
void fm_desk_answer(VRT_CTX, const struct vmod_fastmatch_rules *,
    const char *method, const struct fm_desk_answer *);

#endif
