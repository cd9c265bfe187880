/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread remembers the host of the request that it has, as the same thread
 * delivers most responses.  Another one may deliver a response that waited for
 * a fetch: that looks the host up again.
 */

#ifndef FM_RULES_MEMORY_H
#define FM_RULES_MEMORY_H

#include "rules.h"

#define FM_RULES_MEMORY_HOST	64	/* bytes; longer hosts are looked up
					 * again */

struct fm_rules_memory {
	const struct req	*req;
	uint64_t		vxid;
	bool			ended;		/* a verdict of rules ended
						 * vcl_deliver */

	/*
	 * The host that .apply() has found in vcl_recv, unnamed if `idle` and
	 * not `keyed`, unless there is a shadow.
	 */
	bool			idle;		/* no rule for deliveries is for
						 * it */
	bool			keyed;		/* a rule for keys is, and the
						 * request may be looked up */
	bool			looked_up;	/* the request may be; false
						 * without a shadow */
	const struct vmod_fastmatch_rules *rules; /* NULL: there is none */
	uint64_t		set;		/* its number */
	struct fm_known_host	host;
	char			name[FM_RULES_MEMORY_HOST];
};

extern __thread struct fm_rules_memory fm_rules_memory_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns what this thread remembers of the request. */
static inline struct fm_rules_memory *
fm_rules_memory(VRT_CTX)
{
	struct fm_rules_memory *memory = &fm_rules_memory_self;
	uint64_t vxid = VXID(ctx->req->vsl->wid);

	if (memory->req != ctx->req || memory->vxid != vxid) {
		memory->req = ctx->req;
		memory->vxid = vxid;
		memory->ended = false;
		memory->rules = NULL;
	}
	return (memory);
}

#endif
