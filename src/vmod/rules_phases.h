/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in the subs after vcl_recv: runs the rules for keys, fetches,
 * responses or deliveries on a message, and edits it.
 */

#ifndef FM_RULES_PHASES_H
#define FM_RULES_PHASES_H

#include "rules_log.h"
#include "rules_memory.h"
#include "shadow.h"

#define FM_PHASED_ROOM	96	/* fields; more are malloc'ed */

/* One call of .apply(). */
struct fm_phased {
	VRT_CTX;
	const struct vmod_fastmatch_rules *rules;
	const struct fm_version	*version;
	const struct fm_rules_set *set;
	enum fm_phase		phase;
	const struct fm_program	*program;	/* NULL: there are no rules */
	struct http		*message;
	const struct fm_result	*result;	/* NULL: they did not run */
	bool			shadowed;	/* a shadow is to run on what
						 * the rules run on; the caller
						 * sets it */
	struct fm_counting	counting;
	unsigned		shard;
	const struct fm_known_host *host;	/* after fm_phased_find() */
	struct fm_response	response;
	struct fm_cause		cause;		/* if the rules tell of it */
	struct fm_field		*more;		/* NULL: `room` is enough */
	struct fm_view		view;
	struct fm_run		run;
	struct fm_known_host	found;
	char			name[FM_HOSTNAME_MAX];
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

/* Finds the host of the request, which what follows needs. */
void fm_phased_find(struct fm_phased *);

/* Finds that host by its name, for a program that has not found it before. */
void fm_phased_look_up(struct fm_phased *);

/*
 * Makes the view of the message, with fields that must be freed.  Returns false
 * if there is no memory.
 */
bool fm_phased_view(struct fm_phased *, bool answered);

/* Returns true for the share of messages on which the shadow runs. */
static inline bool
fm_rules_shadows(const struct vmod_fastmatch_rules *rules)
{
	return (__builtin_expect(rules->shadow != NULL, 0) &&
	    fm_shadow_takes(rules->shadow_sample));
}

/*
 * Runs the rules, once more if they ran before, and then the shadow, once.  If
 * `answered`, the response is an answer that rules gave.  Returns why the
 * result can't be applied.
 */
enum fm_refusal fm_phased_run(struct fm_phased *, bool answered);

/*
 * Edits the message.  At least `spare` places for headers must be left: always,
 * or only if there are more headers after the edits.  Returns what there is no
 * room in, and has edited nothing then.
 */
enum fm_refusal fm_phased_edit(struct fm_phased *, unsigned spare,
    bool always);

/* Counts the response by its host. */
void fm_phased_count(const struct fm_phased *);

/* Counts and logs the verdict, once all that it needs is done. */
void fm_phased_tell(const struct fm_phased *);

/* Remembers the host of the request, as vcl_recv has found it. */
void fm_rules_know(VRT_CTX, const struct vmod_fastmatch_rules *,
    const struct fm_version *, const struct fm_result *);

/* Returns the memory if it has the request's host in this version, or NULL. */
static inline const struct fm_rules_memory *
fm_rules_known(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version)
{
	const struct fm_rules_memory *memory = fm_rules_memory(ctx);

	return (memory->rules == rules &&
	    memory->set == version->set->number ? memory : NULL);
}

/*
 * Counts a response of a host, in a shard that was taken; `cache` has
 * FM_CACHE_*.
 */
void fm_rules_count(VRT_CTX, const struct fm_rules_set *, unsigned shard,
    uint32_t host, unsigned cache);

/* Returns true if a request may be looked up. */
static inline bool
fm_rules_looks_up(const struct fm_result *result)
{
	return (result->verdict == FM_VERDICT_NONE ||
	    result->verdict == FM_VERDICT_HASH ||
	    result->verdict == FM_VERDICT_PURGE);
}

/*
 * Returns true if a request is looked up by a key that rules make: if it may be
 * looked up, and a rule for keys is for its host.
 */
static inline bool
fm_rules_keys(const struct fm_rules_set *set, const struct fm_result *result)
{
	return (__builtin_expect(set->key != NULL, 0) &&
	    fm_rules_looks_up(result) &&
	    !fm_program_is_idle(set->key, result->block));
}

/* Returns true if the response of a fetch has the key that rules make now. */
bool fm_rules_key_is_sure(struct fm_phased *);

/*
 * .apply() in vcl_hash, vcl_backend_fetch, _response and _error, vcl_deliver
 * and vcl_synth.
 */
void fm_rules_hash(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_fetch(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_response(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_failed(VRT_CTX, struct vmod_fastmatch_rules *)
    __attribute__((cold));
void fm_rules_deliver(VRT_CTX, struct vmod_fastmatch_rules *);
void fm_rules_synth(VRT_CTX, struct vmod_fastmatch_rules *, bool finish);

#endif
