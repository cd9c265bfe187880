/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `builtin;`: the decision that builtin.vcl takes in vcl_recv.
 *
 *					7.1 to 7.7	from 8.0 on
 *	a URL that begins with no `/`	-		400 (from 8.0.1 on)
 *	no Host in HTTP/1.1		400		400
 *	PRI				405		501
 *	any other unknown method	pipe		501, Connection: close
 *	neither GET nor HEAD		pass		pass
 *	Authorization, or a Cookie	pass		pass
 *	nothing of this			hash		hash
 *
 * Modules for 8.0.0 and 8.0.1 can't be told apart by their ABI: the stricter
 * one counts.  tests/rules/builtin-vcl compares this with the text that
 * varnishd shows.
 */

#ifndef FM_BUILTIN_H
#define FM_BUILTIN_H

#include "run.h"

enum fm_builtin_vcl {
	FM_BUILTIN_7,
	FM_BUILTIN_8
};

/* The one of the Varnish for which this is built. */
extern const enum fm_builtin_vcl fm_builtin_here;

/* The request after all edits of the rules. */
struct fm_builtin_request {
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		proto;		/* missing: HTTP/1.1 */
	struct fm_text		host;		/* header; missing: none */
	bool			authorization;	/* the header is there, */
	bool			cookie;		/* empty or not */
	bool			esi;
};

struct fm_builtin {
	enum fm_verdict		verdict;	/* HASH, PASS, PIPE or SYNTH */
	unsigned		status;		/* of SYNTH: 400, 405 or 501 */
	bool			lower;		/* the Host, to lower case */
	bool			close;		/* sets Connection: close */
	const char		*why;		/* "a Cookie: pass" */
};

struct fm_builtin fm_builtin_decide(enum fm_builtin_vcl,
    const struct fm_builtin_request *);

#endif
