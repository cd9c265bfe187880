/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file `next` of the object `rules` (rules_next.h): opens and binds its
 * live, and finds out which requests are for it.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vrt_obj.h"

#include "canary.h"
#include "compat.h"
#include "process.h"
#include "rules_beside.h"
#include "rules_next.h"
#include "rules_view.h"
#include "serve.h"
#include "task.h"

#define TELL_LINE	1024	/* bytes of the log line about a new version */

/*--------------------------------------------------------------------
 * Its live
 */

/* Logs each new version, and what of it does not run. */
static void
tell_bound(const struct vmod_fastmatch_rules *rules, const struct fm_set *set)
{
	const struct fm_rules_set *payload = set->payload;
	const struct fm_set_facts *facts = &set->facts;
	char line[TELL_LINE];
	int n;

	n = snprintf(line, sizeof line, "fastmatch: %s: next %.500s: ",
	    rules->object.name, rules->beside_path);
	if (payload->program == NULL)
		(void)snprintf(line + n, sizeof line - (size_t)n,
		    "there is no such file");
	else
		(void)snprintf(line + n, sizeof line - (size_t)n,
		    "%ju host%s, %ju rule%s, for %g %% of the clients%s",
		    (uintmax_t)facts->hosts, facts->hosts == 1 ? "" : "s",
		    (uintmax_t)facts->rules, facts->rules == 1 ? "" : "s",
		    rules->share, !payload->later ? "" :
		    "; its key, fetch, response and delivery do not run");
	fm_object_tell(NULL, false, line);
}

/* Logs why the file does not serve in a process that starts. */
static void
tell_unused(const struct vmod_fastmatch_rules *rules,
    const struct fm_diag *diag)
{
	char line[TELL_LINE];

	(void)snprintf(line, sizeof line, "fastmatch: %s: next %.500s: not "
	    "used, %u error%s: %s", rules->object.name, rules->beside_path,
	    fm_diag_errors(diag), fm_diag_errors(diag) == 1 ? "" : "s",
	    fm_diag_first_error(diag));
	fm_object_tell(NULL, true, line);
}

/*
 * Returns true if the rules set no Host, or VCL calls .apply() where the
 * present rules, which may be for responses as these are not, need it then.
 */
static bool
may_set_host(const struct vmod_fastmatch_rules *rules,
    const struct fm_program *program, struct fm_diag *diag)
{
	return (!fm_program_sets_host(program) ||
	    rules->calls.subs[FM_VCL_SUB_BACKEND_RESPONSE].reach ==
	    FM_VCL_NEVER || fm_calls_missing(&rules->calls,
	    fm_text_of(rules->object.name), FM_VCL_BIT(BACKEND_FETCH), diag));
}

/*
 * Makes the binding; a version without one does not serve.  A file that can't
 * serve fails the load, or the reload; but not the start of the process, as no
 * site should be down because of it.
 */
static int
next_bind(void *priv, const struct fm_set *set, void **binding,
    struct fm_diag *diag)
{
	struct vmod_fastmatch_rules *rules;
	const struct fm_rules_set *payload;

	CAST_OBJ_NOTNULL(rules, priv, FM_RULES_MAGIC);
	CAST_OBJ_NOTNULL(payload, set->payload, FM_RULES_SET_MAGIC);
	if (payload->diag != NULL) {
		if (!fm_process_starting()) {
			fm_diag_copy(diag, payload->diag);
			return (-1);
		}
		tell_unused(rules, payload->diag);
		return (0);
	}
	if (payload->program != NULL &&
	    (fm_rules_bind(rules, set, binding, diag) != 0 ||
	    !may_set_host(rules, payload->program, diag))) {
		if (!fm_process_starting())
			return (-1);
		free(*binding);
		*binding = NULL;
		tell_unused(rules, diag);
		if (rules->next_unused == NULL)
			rules->next_unused = fm_diag_new();
		if (rules->next_unused != NULL)
			fm_diag_copy(rules->next_unused, diag);
		return (0);
	}
	tell_bound(rules, set);
	return (0);
}

static int
next_open(struct fm_object *object, struct fm_diag *diag)
{
	struct vmod_fastmatch_rules *rules = (void *)object;
	struct fm_live_options options = {
	    .type = &fm_rules_next_type, .bind = next_bind, .side = "next"
	};

	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	return (fm_rules_beside_open(rules, &options, diag));
}

int
fm_rules_next_new(struct vmod_fastmatch_rules *rules, const char *path,
    double share, double watch, uint32_t min_hosts)
{
	rules->share = share;
	rules->next_share = fm_canary_share(share);
	return (fm_rules_beside_new(rules, path, watch, min_hosts, next_open));
}

bool
fm_rules_next_reload(const struct vmod_fastmatch_rules *rules)
{
	bool good = fm_live_reload(rules->object.beside) != FM_RELOAD_REFUSED;
	const struct fm_version *version = fm_live_get(rules->object.beside);
	const struct fm_rules_set *set;

	if (version == NULL)
		return (good);
	CAST_OBJ_NOTNULL(set, version->payload, FM_RULES_SET_MAGIC);
	if (version->binding == NULL &&
	    (set->program != NULL || set->diag != NULL))
		good = false;
	fm_live_put(version);
	return (good);
}

/*--------------------------------------------------------------------
 * Requests
 */

/*
 * Returns true if the client of a request is in the share.  What VCL has set as
 * client.identity tells it from others, or else its address, as the present
 * rules see it.
 */
static bool
takes(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *present)
{
	const char *identity = ctx->req->client_identity;
	struct fm_addr client;
	struct fm_view view;

	if (identity != NULL)
		return (fm_canary_takes(rules->next_share, identity,
		    strlen(identity)));
	fm_rules_view(ctx, FM_WANTS_CLIENT, &view);
	if (!fm_run_client(present->program, &view, &client))
		client = view.client;
	return (fm_canary_takes(rules->next_share, client.b, client.len));
}

/*
 * Returns whether the request is for `next`, as its task remembers, which it
 * has in common with its ESI includes.
 */
static bool
decide(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *present, bool serves)
{
	static char sides[2];
	struct vmod_priv *priv = VRT_priv_top_get(ctx, rules);
	bool next;

	if (priv != NULL && priv->priv != NULL)
		return (priv->priv == &sides[true]);
	next = serves && takes(ctx, rules, present);
	if (priv == NULL && fm_ws_free(ctx->req->top->topreq->ws) >=
	    FM_TASK_PRIV_ROOM)
		priv = VRT_priv_top(ctx, rules);
	if (priv != NULL)
		priv->priv = &sides[next];
	return (next);
}

const struct fm_version *
fm_rules_next_get(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const struct fm_version *present)
{
	const struct fm_version *version = fm_serve_get(rules->object.beside);
	bool serves = version != NULL && version->binding != NULL;

	if (decide(ctx, rules, present->payload, serves) && serves)
		return (version);
	fm_serve_put(version);
	return (present);
}

void
fm_rules_next_place(const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *present, unsigned shard, struct fm_view *view,
    struct fm_result *result)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_known_host host;
	uint32_t counter;

	fm_run_host(present->program, result->host, fm_text(NULL, 0), buf,
	    &host);
	result->how = host.hit.how;
	result->pattern = host.hit.pattern;
	result->block = host.block;
	result->otherwise = host.hit.how == FM_HOSTTAB_NONE &&
	    host.block != UINT32_MAX;
	fm_counters_in(&rules->object.counters, shard, FM_COUNT_next_runs, 1);
	if (present->hits == NULL)
		return;
	view->counters = fm_hits_shard(present->hits, shard, &view->own);
	if (host.hit.how != FM_HOSTTAB_NONE && fm_program_host(
	    present->program, host.hit.pattern, &counter) != NULL)
		fm_shard_add(view->own, &view->counters[counter], 1);
}
