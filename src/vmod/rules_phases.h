/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in the subs after vcl_recv: runs the rules for responses or for
 * deliveries on a message, and edits it.
 */

#ifndef FM_RULES_PHASES_H
#define FM_RULES_PHASES_H

#include "rules_log.h"

#define FM_PHASED_ROOM	96	/* fields; more are malloc'ed */

/* The host of a request, in a set of rules. */
struct fm_phased_host {
	uint32_t		number;		/* n for fm_program_host(), or
						 * UINT32_MAX */
	bool			idle;		/* no rule for deliveries is for
						 * it */
};

/* One call of .apply(). */
struct fm_phased {
	VRT_CTX;
	const struct vmod_fastmatch_rules *rules;
	const struct fm_version	*version;
	const struct fm_rules_set *set;
	const struct fm_program	*program;	/* NULL: there are no rules */
	struct http		*message;
	const struct fm_result	*result;	/* NULL: they did not run */
	struct fm_counting	counting;
	unsigned		shard;
	struct fm_phased_host	host;		/* after fm_phased_find(); its
						 * number, after the run */
	struct fm_response	response;
	struct fm_field		*more;		/* NULL: `room` is enough */
	struct fm_view		view;
	struct fm_run		run;
	struct fm_field		room[FM_PHASED_ROOM];
};

/*
 * Begins with rules that fm_serve_get() gave.  fm_phased_end() gives them back:
 * until then nothing may wait, or roll back.
 */
void fm_phased_begin(struct fm_phased *, VRT_CTX,
    const struct vmod_fastmatch_rules *, const struct fm_version *,
    enum fm_phase);
void fm_phased_end(struct fm_phased *);

/*
 * Runs the rules, once more if they ran before.  If `answered`, the response is
 * an answer that rules gave.  Returns why the result can't be applied.
 */
enum fm_refusal fm_phased_run(struct fm_phased *, bool answered);

/*
 * Edits the message.  At least `spare` places for headers must be left: always,
 * or only if there are more headers after the edits.  Returns what there is no
 * room in, and has edited nothing then.
 */
enum fm_refusal fm_phased_edit(struct fm_phased *, unsigned spare,
    bool always);

/* Finds the host of the request, in vcl_deliver or vcl_synth. */
void fm_phased_find(struct fm_phased *);

/*
 * Counts the response by its host, which was found, or by which the rules ran.
 */
void fm_phased_count(const struct fm_phased *);

/*
 * Finds only the host, whose block is *block of a result.  Returns false if
 * there is no memory.
 */
bool fm_phased_host(struct fm_phased *, uint32_t *block);

/* Counts and logs the verdict, once all that it needs is done. */
void fm_phased_tell(const struct fm_phased *);

/*
 * Remembers the host of the request, as vcl_recv has found it: the same thread
 * delivers most responses.  Another one may deliver what waited for a fetch;
 * that looks the host up again.
 */
void fm_rules_know(VRT_CTX, const struct vmod_fastmatch_rules *,
    const struct fm_version *, const struct fm_result *);

/*
 * Returns the host, if this thread remembers that of this request and version;
 * otherwise NULL.
 */
const struct fm_phased_host *fm_rules_known(VRT_CTX,
    const struct vmod_fastmatch_rules *, const struct fm_version *);

/* Counts a response of a host, in a shard that was taken. */
void fm_rules_count(VRT_CTX, const struct fm_rules_set *, unsigned shard,
    uint32_t host);

/*
 * Returns true if the synth in vcl_synth is a verdict that rules for deliveries
 * gave in vcl_deliver.
 */
bool fm_rules_delivered(VRT_CTX);

/* .apply() in vcl_backend_response and _error, vcl_deliver and vcl_synth. */
void fm_rules_response(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_failed(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_deliver(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_synth(VRT_CTX, struct vmod_fastmatch_rules *, bool finish);

#endif
