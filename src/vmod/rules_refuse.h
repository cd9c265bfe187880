/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Refusing a request to which the rules can't be applied whole: it gets an
 * answer from vcl_synth, is not cached, and reaches no backend.
 */

#ifndef FM_RULES_REFUSE_H
#define FM_RULES_REFUSE_H

enum fm_refusal {
	FM_REFUSED_NOT,
	FM_REFUSED_SLOTS,	/* more headers than http_max_hdr */
	FM_REFUSED_WORKSPACE,
	FM_REFUSED_SIZE,	/* larger than http_req_size */
	FM_REFUSED_MEMORY,
	FM_REFUSED_UNDECIDED	/* a regex gave up */
};

/* What is said of each; of FM_REFUSED_NOT nothing. */
extern const struct fm_refused {
	const char	*word;		/* of .refused(): "slots", ... */
	unsigned	status;
	const char	*missing;	/* for the log */
} fm_refused[];

/*
 * Ends vcl_recv with synth(status, reason); a NULL reason is the usual one of
 * the status.  Where the workspace is nearly full or has overflowed Varnish
 * can't answer: then the request is rolled back first, which ends all
 * PRIV_TASKs, and frees what the request's workspace holds.
 */
void fm_synth(VRT_CTX, unsigned status, const char *reason);

/* Ends vcl_recv with the status of the refusal, and remembers it. */
void fm_refuse(VRT_CTX, enum fm_refusal);

/*
 * Why this request was refused before it was restarted: a VCL that restarts
 * what was refused must not get it through, as the edits that VCL made before
 * may have been rolled back.
 */
enum fm_refusal fm_refused_before(VRT_CTX);

/* In vcl_synth: why the request has been refused; else FM_REFUSED_NOT. */
enum fm_refusal fm_refused_now(VRT_CTX);

#endif
