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
#include "rules_next.h"
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
	if (rules->object.beside != NULL && rules->shadow != NULL)
		(void)fm_live_reload(rules->object.beside);
	else if (rules->object.beside != NULL && !fm_rules_next_reload(rules))
		what = FM_RELOAD_REFUSED;
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

/* Returns a report with what is filled in; NULL if there is no memory. */
static char *
report_print(const struct vmod_fastmatch_rules *rules,
    struct fm_rules_reported *what)
{
	const struct fm_rules_set *set;
	struct fm_live_state state;
	char *text;

	if (fm_live_state(rules->object.live, &state) != 0)
		return (NULL);
	if (state.version != NULL) {
		CAST_OBJ_NOTNULL(set, state.version->payload,
		    FM_RULES_SET_MAGIC);
		what->program = set->program;
		what->hits = set->hits;
	}
	text = fm_rules_report(what, &state);
	fm_live_state_fini(&state);
	return (text);
}

/* Does the same for an object with a shadow. */
static char *
report_shadow(const struct vmod_fastmatch_rules *rules,
    struct fm_rules_reported what)
{
	struct fm_shadow_told *told = fm_rules_shadow_told(rules);
	char *text;

	if (told == NULL)
		return (NULL);
	what.shadow = told;
	text = report_print(rules, &what);
	fm_shadow_told_free(&told);
	return (text);
}

/* Does the same for an object with `next`. */
static char *
report_next(const struct vmod_fastmatch_rules *rules,
    struct fm_rules_reported what)
{
	struct fm_next_told told = { .path = rules->beside_path,
	    .share = rules->share };
	const struct fm_rules_set *set;
	struct fm_live_state state;
	char *text;

	if (fm_live_state(rules->object.beside, &state) != 0)
		return (NULL);
	told.state = &state;
	told.diag = state.diag;
	if (state.version != NULL) {
		CAST_OBJ_NOTNULL(set, state.version->payload,
		    FM_RULES_SET_MAGIC);
		told.serves = state.version->binding != NULL;
		if (told.diag == NULL)
			told.diag = set->diag;
		if (told.diag == NULL && set->program != NULL &&
		    !told.serves)
			told.diag = rules->next_unused;
	}
	what.next = &told;
	text = report_print(rules, &what);
	fm_live_state_fini(&state);
	return (text);
}

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

	if (rules->shadow != NULL)
		return (report_shadow(rules, what));
	if (rules->object.beside != NULL)
		return (report_next(rules, what));
	return (report_print(rules, &what));
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
