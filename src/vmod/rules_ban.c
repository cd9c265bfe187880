/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the bans of rules (rules_ban.h).
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "rules_ban.h"
#include "task.h"
#include "xxh.h"

/*--------------------------------------------------------------------
 * What a request has banned so far
 */

/* The bans of a task, the last one first. */
struct made {
	uint64_t		id;
	const struct made	*next;
};

static const char made_key[1];

static bool
made_has(VRT_CTX, uint64_t id)
{
	const struct vmod_priv *priv = VRT_priv_task_get(ctx, made_key);
	const struct made *made = priv == NULL ? NULL : priv->priv;

	while (made != NULL && made->id != id)
		made = made->next;
	return (made != NULL);
}

/* Without room, a restart makes the ban once more, which does no harm. */
static void
made_add(VRT_CTX, uint64_t id)
{
	struct vmod_priv *priv = fm_task_make(ctx, made_key,
	    sizeof(struct made));
	struct made *made = priv == NULL ? NULL :
	    fm_ws_alloc(ctx->ws, sizeof *made);

	if (made == NULL)
		return;
	*made = (struct made){ .id = id, .next = priv->priv };
	priv->priv = made;
}

/*--------------------------------------------------------------------
 * Bans
 */

#define PLACE_LEN	100	/* bytes of the log line; a longer one is cut */

/* Counts and logs a ban that can't be made; `rule` may be NULL. */
static void
ban_failed(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rule *rule, const char *why)
{
	char outcome[PLACE_LEN];

	(void)snprintf(outcome, sizeof outcome, "%s%sthe ban is not made",
	    rule == NULL ? "" : rule->place, rule == NULL ? "" : ": ");
	fm_counters_log(ctx, &rules->object.counters, FM_COUNT_bans_failed,
	    "apply", why, outcome);
}

/* Returns NULL, and counts and logs it, if Varnish does not take the ban. */
static struct ban_proto *
ban_build(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_banned *ban)
{
	struct ban_proto *proto;
	const char *error = NULL;
	uint32_t i;

	if (ban->text.b == NULL) {
		ban_failed(ctx, rules, ban->rule,
		    "a value in the regex of a ban is empty");
		return (NULL);
	}
	proto = BAN_Build();
	if (proto == NULL) {
		ban_failed(ctx, rules, ban->rule, "out of memory");
		return (NULL);
	}
	for (i = 0; i < ban->n && error == NULL; i++)
		error = BAN_AddTest(proto, ban->tests[i].field,
		    ban->tests[i].oper, ban->tests[i].argument);
	if (error == NULL)
		return (proto);
	ban_failed(ctx, rules, ban->rule, error);
	BAN_Abandon(proto);
	return (NULL);
}

struct fm_rules_ban *
fm_rules_bans_build(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_result *result, unsigned *n)
{
	const struct fm_banned *ban = result->bans;
	struct fm_rules_ban *bans, *to;

	bans = to = calloc(result->nbans, sizeof *bans);
	for (; bans != NULL && ban != NULL; ban = ban->next) {
		to->id = XXH3_64bits(ban->text.b, ban->text.len);
		if (ban->text.b != NULL && made_has(ctx, to->id))
			continue;
		to->proto = ban_build(ctx, rules, ban);
		if (to->proto != NULL)
			to++;
	}
	if (bans == NULL)
		ban_failed(ctx, rules, ban->rule, "out of memory");
	*n = bans == NULL ? 0 : (unsigned)(to - bans);
	if (*n > 0)
		return (bans);
	free(bans);
	return (NULL);
}

void
fm_rules_bans_end(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_rules_ban *bans, unsigned n, bool make)
{
	const char *error;
	unsigned i;

	for (i = 0; i < n; i++) {
		error = NULL;
		if (make && !made_has(ctx, bans[i].id)) {
			error = BAN_Commit(bans[i].proto);
			if (error == NULL) {
				made_add(ctx, bans[i].id);
				fm_counters_add(&rules->object.counters,
				    FM_COUNT_bans, 1);
				continue;
			}
			ban_failed(ctx, rules, NULL, error);
		}
		BAN_Abandon(bans[i].proto);
	}
	free(bans);
}
