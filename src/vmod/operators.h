/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The common part of .page() and .metrics(): both are called in vcl_synth,
 * answer operators only, and replace the synthetic response by an answer of
 * their own.
 *
 *	if (!fm_operator_admits(ctx, rules, operators, "page") ||
 *	    !fm_operator_hosts(ctx, rules, "", "page"))
 *		return;
 *	fm_operator_answer(ctx, rules, "page", &answer);
 */

#ifndef FM_OPERATORS_H
#define FM_OPERATORS_H

#include "rules.h"

/* An answer.  A line is a literal "Name: value", as it outlives the request. */
struct fm_operator_answer {
	unsigned		status;
	const char		*type;		/* "Content-Type: ..." */
	const char		*const *lines;	/* more headers, ended by
						 * NULL; NULL: none */
	const char		*body;
	size_t			len;
	bool			gzip;		/* the body is compressed */
};

/*
 * Returns true if the method was called in vcl_synth and the ACL contains the
 * client's address as the rules see it (a unix-domain socket has none).
 * Otherwise this function has dealt with the call: it logs and counts a call
 * from another sub, and answers another client with 403.
 */
bool fm_operator_admits(VRT_CTX, const struct vmod_fastmatch_rules *, VCL_ACL,
    const char *method);

/*
 * Returns true if the client has named a host under which operators may see
 * answers: localhost, an address, a host that the rules have without a
 * wildcard, or `named`, a host of VCL (NULL or "": none).  Otherwise this
 * function has answered with 421: another site, open in the browser of an
 * operator, may have made its own name lead here.
 */
bool fm_operator_hosts(VRT_CTX, const struct vmod_fastmatch_rules *,
    const char *named, const char *method);

/*
 * Turns the response of vcl_synth into this answer, marked so that no cache
 * stores it, and ends vcl_synth.  Removes headers that would describe another
 * body.  Answers 503 without a body where there is no room for all of it.
 */
void fm_operator_answer(VRT_CTX, const struct vmod_fastmatch_rules *,
    const char *method, const struct fm_operator_answer *);

#endif
