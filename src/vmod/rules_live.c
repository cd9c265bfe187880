/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The methods of the object `rules` that are about what serves: .reload(),
 * .generation(), .digest() and .report().
 */

#include "config.h"

#include <stdlib.h>

#include "cache/cache.h"
#include "vtim.h"

#include "compat.h"
#include "rules_report.h"
#include "rules_shadow.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

VCL_BOOL
vmod_rules_reload(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	enum fm_reload what;

	if (FM_OBJECT_MISSING(ctx, rules))
		return (0);
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	if (!fm_in_request(ctx)) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_misplaced, "reload", "it does nothing in",
		    "vcl_init and vcl_fini");
		return (0);
	}
	what = fm_live_reload(rules->object.live);
	if (rules->object.beside != NULL)
		(void)fm_live_reload(rules->object.beside);
	return (what == FM_RELOAD_SWAPPED || what == FM_RELOAD_UNCHANGED);
}

VCL_INT
vmod_rules_generation(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	const struct fm_version *version;
	VCL_INT generation;

	if (FM_OBJECT_MISSING(ctx, rules))
		return (0);
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	version = fm_live_get(rules->object.live);
	if (version == NULL)
		return (0);
	generation = version->generation;
	fm_live_put(version);
	return (generation);
}

VCL_STRING
vmod_rules_digest(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	const struct fm_version *version;
	const char *digest;

	if (FM_OBJECT_MISSING(ctx, rules))
		return (NULL);
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	version = fm_live_get(rules->object.live);
	if (version == NULL)
		return (NULL);
	digest = fm_ws_text(ctx->ws, fm_text_of(version->set->digest));
	fm_live_put(version);
	if (digest == NULL)
		fm_counters_overflow(ctx, &rules->object.counters, "digest",
		    "NULL is returned");
	return (digest);
}

/*--------------------------------------------------------------------
 * Reports are malloc'ed, as they are too large for a workspace.  VCL may use a
 * report until the task ends; so the task keeps each, under its own address.
 */

static void
report_fini(VRT_CTX, void *priv)
{
	(void)ctx;
	free(priv);
}

static const struct vmod_priv_methods report_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "fastmatch report",
	.fini = report_fini
}};

/* Returns a report, malloc'ed; NULL if there is no memory. */
static char *
report_make(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	struct fm_rules_reported what = {
		.name = rules->object.name,
		.vcl = VCL_Name(ctx->vcl),
		.path = rules->path,
		.clock = VTIM_mono()
	};
	struct fm_shadow_told *shadow = NULL;
	const struct fm_rules_set *set;
	struct fm_live_state state;
	char *text;

	if (rules->shadow != NULL) {
		what.shadow = shadow = fm_rules_shadow_told(rules);
		if (shadow == NULL)
			return (NULL);
	}
	if (fm_live_state(rules->object.live, &state) != 0) {
		fm_shadow_told_free(&shadow);
		return (NULL);
	}
	if (state.version != NULL) {
		CAST_OBJ_NOTNULL(set, state.version->payload,
		    FM_RULES_SET_MAGIC);
		what.program = set->program;
		what.hits = set->hits;
	}
	text = fm_rules_report(&what, &state);
	fm_live_state_fini(&state);
	fm_shadow_told_free(&shadow);
	return (text);
}

/* An error is JSON as well, for the program that reads reports. */
#define REPORT_ERROR(what)	"{\"error\": \"" what "\"}\n"

VCL_STRING
vmod_rules_report(VRT_CTX, struct vmod_fastmatch_rules *rules)
{
	struct vmod_priv *priv;
	char *text;

	if (FM_OBJECT_MISSING(ctx, rules))
		return (NULL);
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	if (!fm_in_request(ctx)) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_misplaced, "report", "it does nothing in",
		    "vcl_init and vcl_fini");
		return (REPORT_ERROR("no report in vcl_init and vcl_fini"));
	}
	text = report_make(ctx, rules);
	if (text == NULL) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_out_of_memory, "report", "out of memory",
		    "an error is returned");
		return (REPORT_ERROR("out of memory"));
	}
	priv = fm_task_make(ctx, text, 0);
	if (priv == NULL) {
		free(text);
		fm_counters_overflow(ctx, &rules->object.counters, "report",
		    "an error is returned");
		return (REPORT_ERROR("out of workspace"));
	}
	priv->priv = text;
	priv->methods = report_methods;
	return (text);
}
