/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * .apply() in vcl_hash: adds what the rules say to the key of a request.
 *
 * A key is hashed whole, or the request fails: half of it would be the key of
 * another page.  A request that the rules have answered or passed is not looked
 * up, and has no key.
 */

#include "config.h"

#include "cache/cache.h"

#include "compat.h"
#include "rules_edit.h"
#include "rules_mark.h"
#include "rules_phases.h"
#include "rules_refuse.h"
#include "rules_shadow.h"
#include "rules_task.h"
#include "serve.h"

/* Fails the request, and logs why. */
static void
key_fail(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    enum fm_refusal why)
{
	fm_counters_log(ctx, &rules->object.counters, (enum fm_counter)
	    (FM_COUNT_refused_slots + why - FM_REFUSED_SLOTS), "apply",
	    fm_refused[why].missing, "the request has no key, and fails");
	fm_refuse_key(ctx, rules->object.name, why);
}

/*
 * Marks the request with the rules that have made its key.  Without room for
 * the mark, what is fetched is not stored.
 */
static void
key_mark(const struct fm_phased *phased)
{
	struct http *hp = phased->message;
	struct fm_text host = phased->host->name;
	char *room;

	fm_mark_clear_key(hp, phased->rules);
	if (!phased->set->keys_changed || !fm_mark_reads_key(phased->rules) ||
	    hp->nhd + FM_EDIT_SPARE_FIELDS >= hp->shd ||
	    !fm_task_room(phased->ctx, fm_mark_key_bytes(phased->rules, host),
	    &room))
		return;
	fm_mark_add_key(hp, phased->rules, fm_program_key_id(phased->program,
	    phased->host->block), host, room);
}

/* Hashes the key.  Varnish lets no NUL into a header or a URL. */
static void
key_hash(struct fm_phased *phased)
{
	const char *b = phased->run.key.b;

	if (b != NULL)
		VRT_hashdata(phased->ctx, TOSTRAND(b));
}

static enum fm_refusal
key_apply(struct fm_phased *phased)
{
	enum fm_refusal refused;

	fm_phased_find(phased);
	refused = fm_phased_run(phased, false);
	/* The file has `undecided synth`. */
	if (refused == FM_REFUSED_NOT &&
	    phased->result->verdict != FM_VERDICT_NONE)
		refused = FM_REFUSED_UNDECIDED;
	if (refused != FM_REFUSED_NOT)
		return (refused);
	key_mark(phased);
	key_hash(phased);
	fm_rules_log_lines(phased->ctx, phased->result);
	return (FM_REFUSED_NOT);
}

/*
 * Adds to the key unless the rules are `idle`.  Is apart from fm_rules_hash(),
 * as its variables take much of the stack.
 */
static void __attribute__((noinline))
hash(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *version, bool idle, bool shadowed)
{
	enum fm_refusal refused = FM_REFUSED_NOT;
	struct fm_phased phased;

	fm_phased_begin(&phased, ctx, rules, version, FM_PHASE_KEY);
	phased.shadowed = shadowed;
	if (!idle)
		refused = key_apply(&phased);
	else
		fm_rules_shadow_later(&phased, false);
	if (refused != FM_REFUSED_NOT && phased.set->hits != NULL)
		fm_hits_refused(phased.set->hits, phased.host->hit.pattern);
	fm_phased_end(&phased);
	if (refused != FM_REFUSED_NOT)
		key_fail(ctx, rules, refused);
}

void
fm_rules_hash(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	const struct fm_version *version = fm_serve_get(rules->object.live);
	const struct fm_rules_set *set = version->payload;
	const struct fm_rules_memory *memory;
	bool idle, shadowed;

	memory = fm_rules_known(ctx, rules, version);
	idle = set->key == NULL || (memory != NULL && !memory->keyed);
	shadowed = fm_rules_shadows(rules) && memory != NULL &&
	    memory->looked_up;
	if ((idle && !shadowed) || fm_refused_request(ctx))
		fm_serve_put(version);
	else
		hash(ctx, rules, version, idle, shadowed);
}

/*
 * A request without a mark has its key from the rules that were loaded first,
 * or has none.
 */
bool
fm_rules_key_is_sure(struct fm_phased *phased)
{
	const struct fm_rules_set *set = phased->set;
	struct fm_known_host known;
	char buf[FM_HOSTNAME_MAX];
	struct fm_text host;
	uint64_t id;

	if (set->key == NULL || phased->ctx->bo->uncacheable ||
	    (!set->keys_changed && !fm_mark_wants_key(phased->rules)))
		return (true);
	switch (fm_mark_key(phased->ctx, phased->rules, &id, &host)) {
	case FM_MARK_KEY_MADE:
		fm_run_host(set->program, host, fm_text(NULL, 0), buf, &known);
		return (id == fm_program_key_id(set->key, known.block));
	case FM_MARK_KEY_MISSING:
		if (!set->keys_changed)
			return (true);
		fm_phased_find(phased);
		return (fm_program_key_id(set->key, phased->host->block) ==
		    0);
	default:
		return (false);
	}
}
