/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out whether the subs of a VCL call .apply() of an object: a phase of
 * the rules whose sub does not call it would do nothing, and say nothing.
 *
 *	sub vcl_deliver {
 *		if (resp.status == 404) {
 *			return (deliver);	SOMETIMES: a path ends here
 *		}
 *		call headers;			all subs are followed
 *	}
 *	sub headers { site.apply(); }
 *
 * A path that gives up its response counts as none: after `restart`, `retry`,
 * `abandon`, `fail`, `error` and `synth` another sub or none is called.
 */

#ifndef FM_VCL_CALLS_H
#define FM_VCL_CALLS_H

#include "vcl_tree.h"

enum fm_vcl_sub {
	FM_VCL_SUB_HASH,
	FM_VCL_SUB_PIPE,
	FM_VCL_SUB_BACKEND_FETCH,
	FM_VCL_SUB_BACKEND_RESPONSE,
	FM_VCL_SUB_BACKEND_ERROR,
	FM_VCL_SUB_DELIVER,
	FM_VCL_SUB_SYNTH,
	FM_VCL_SUB__COUNT
};

#define FM_VCL_BIT(sub)		(1U << FM_VCL_SUB_##sub)

enum fm_vcl_reach {
	FM_VCL_UNKNOWN,		/* inline C, or no source */
	FM_VCL_NEVER,
	FM_VCL_SOMETIMES,	/* some paths end without the call */
	FM_VCL_ALWAYS
};

/* The names in places are those of the tree's sources. */
struct fm_vcl_call {
	enum fm_vcl_reach	reach;
	bool			defined;	/* there is such a sub */
	bool			returns;	/* SOMETIMES: by a `return`,
						 * not at the sub's end */
	struct fm_place		at;	/* SOMETIMES: the end of a path; NEVER:
					 * the sub, or else the VCL; UNKNOWN:
					 * the statement, or no place */
};

/*
 * A further bit: vcl_backend_fetch needs the call for the rules in `fetch`, and
 * not only for the host.
 */
#define FM_VCL_FETCHES		(1U << FM_VCL_SUB__COUNT)

/* Returns the bits of the subs that need the call, by what the rules have. */
static inline unsigned
fm_calls_needed(bool key, bool fetch, bool response, bool delivery,
    bool acts_in_synth, bool sets_host, bool asks_own)
{
	return ((key ? FM_VCL_BIT(HASH) : 0) |
	    (fetch ? FM_VCL_FETCHES : 0) |
	    (response ? FM_VCL_BIT(BACKEND_RESPONSE) : 0) |
	    ((fetch || response) && sets_host ?
	    FM_VCL_BIT(BACKEND_FETCH) : 0) |
	    (asks_own ? FM_VCL_BIT(BACKEND_ERROR) : 0) |
	    (delivery ? FM_VCL_BIT(DELIVER) : 0) |
	    (acts_in_synth ? FM_VCL_BIT(SYNTH) : 0));
}

/* All zeros: nothing is known. */
struct fm_vcl_calls {
	struct fm_vcl_call	subs[FM_VCL_SUB__COUNT];
	bool			sets_host;	/* VCL sets or unsets
						 * bereq.http.Host, or
						 * req.http.Host after the
						 * call in vcl_recv */
	bool			pipes;		/* after that call VCL may
						 * return (pipe) */
	bool			rolls_back;	/* after it, the request */
	struct fm_place		rollback;	/* where */
};

/* Finds the calls of the object of this name in a tree that was parsed. */
void fm_vcl_calls(const struct fm_vcl_tree *, struct fm_text object,
    struct fm_vcl_calls *);

/* Returns true if a token is NAME.METHOD, as in NAME.METHOD(). */
bool fm_vcl_is_method(const struct fm_vcl_token *, struct fm_text object,
    const char *method);

/*
 * Adds to the diag what is missing in those subs (bits: FM_VCL_BIT(DELIVER)),
 * with the line to add to the VCL.  In vcl_deliver and vcl_synth only a missing
 * call is an error, and a path without it a warning; in the others each path
 * without it is an error.  A sub that isn't known is a warning.  Where VCL sets
 * Host, vcl_backend_response needs vcl_backend_fetch as well; and where that
 * is needed for the host, it needs vcl_pipe, if VCL pipes.  Where vcl_hash is
 * needed, std.rollback(req) after the call is an error: the backend would not
 * see what the key was made of.
 * Returns false if there is an error.
 */
bool fm_calls_missing(const struct fm_vcl_calls *, struct fm_text object,
    unsigned subs, struct fm_diag *);

/*
 * Warns of a path of vcl_backend_response without the call, where rules have
 * `cache-status`, and no `response` that needs the call.
 */
void fm_calls_advise(const struct fm_vcl_calls *, struct fm_text object,
    struct fm_diag *);

#endif
