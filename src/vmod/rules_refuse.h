/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Refuses a request to which the rules can't be applied whole.  The request
 * gets an answer from vcl_synth, is not cached, and reaches no backend.
 */

#ifndef FM_RULES_REFUSE_H
#define FM_RULES_REFUSE_H

enum fm_refusal {
	FM_REFUSED_NOT,
	FM_REFUSED_SLOTS,	/* more headers than http_max_hdr */
	FM_REFUSED_WORKSPACE,
	FM_REFUSED_SIZE,	/* larger than http_req_size */
	FM_REFUSED_MEMORY,
	FM_REFUSED_UNDECIDED,	/* a regex gave up */
	FM_REFUSED_FRAGMENT,	/* rules need a URL that has a raw `#` */
	FM_REFUSED_CLIENT,	/* rules need the client, which is unknown */
	FM_REFUSED_DENIED	/* the rules deny an ESI sub-request: this is
				 * counted as their verdict, and forgotten at a
				 * restart */
};

/* The word, status and reason of each refusal; NOT and DENIED have none. */
extern const struct fm_refused {
	const char	*word;		/* for .refused(): "slots", ... */
	unsigned	status;
	const char	*missing;	/* for the log */
} fm_refused[];

/*
 * Ends vcl_recv or vcl_deliver with synth(status, reason); a NULL reason is the
 * usual one of the status.  If the workspace is nearly full or has overflowed,
 * Varnish could not answer.  Then this function rolls the request back first,
 * which ends all PRIV_TASKs and frees what the request has in its workspace.
 */
void fm_synth(VRT_CTX, unsigned status, const char *reason);

/* Ends vcl_recv with the status of the refusal, and remembers the refusal. */
void fm_refuse(VRT_CTX, enum fm_refusal);

/*
 * Ends vcl_deliver with synth(503), and remembers the refusal until a restart,
 * which asks for another response.
 */
void fm_refuse_delivery(VRT_CTX, enum fm_refusal);

/*
 * Ends vcl_recv of an ESI sub-request with this status, and remembers that as
 * FM_REFUSED_DENIED, so that the answer gets no body.
 */
void fm_deny(VRT_CTX, unsigned status, const char *reason);

/*
 * Returns why this request was refused before its restart; else FM_REFUSED_NOT.
 * A VCL must not get a refused request through by restarting it, as a rollback
 * may have undone edits that the VCL had made.
 */
enum fm_refusal fm_refused_before(VRT_CTX);

/*
 * Fails a request in vcl_hash: it has no key.  Remembers that as a refusal, so
 * that an ESI sub-request gets no body, and no restart gets it through.
 */
void fm_refuse_key(VRT_CTX, const char *object, enum fm_refusal);

/* Returns true if vcl_recv has refused or denied this request. */
bool fm_refused_request(VRT_CTX);

/* Returns, in vcl_synth, why the request was refused; else FM_REFUSED_NOT. */
enum fm_refusal fm_refused_now(VRT_CTX);

#endif
