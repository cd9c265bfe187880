/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The method .metrics() of the object `rules`: answers Prometheus, in the
 * format that its Accept header asks for.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "field.h"
#include "negotiate.h"
#include "operators.h"
#include "rules.h"
#include "rules_metrics.h"
#include "scan.h"
#include "vcc_fastmatch_if.h"

/*
 * A client may ask how names with other characters are escaped.  Our names have
 * only letters, digits and _, which no scheme escapes, so we offer them all.
 */
#define ESCAPING	";escaping=allow-utf-8;escaping=underscores" \
			";escaping=dots;escaping=values"
#define OFFER_TEXT	"text/plain;version=0.0.4;charset=utf-8" ESCAPING
#define OFFER_OPEN	"application/openmetrics-text;version=1.0.0" \
			";charset=utf-8" ESCAPING

/* Returns true if Accept likes OpenMetrics better than anything else. */
static bool
wants_open(VRT_CTX)
{
	struct fm_text accept, offer;

	accept = fm_field_of_request(ctx, fm_text_of("Accept"));
	offer = fm_negotiate(accept, fm_text_of(OFFER_TEXT " " OFFER_OPEN));
	return (fm_text_eq(offer, fm_text_of(OFFER_OPEN)));
}

/* Returns the text, malloc'ed; NULL if there is no memory. */
static char *
metrics_make(const struct vmod_fastmatch_rules *rules, uint32_t top, bool open)
{
	const struct fm_rules_set *set;
	struct fm_live_state state;
	struct fm_vsc vsc;
	struct fm_rules_metrics what = {
		.name = rules->object.name,
		.version = PACKAGE_VERSION,
		.engine = fm_scan_engine(),
		.open = open,
		.top = top,
		.vsc = &vsc
	};
	char *text;

	if (fm_live_state(rules->object.live, &state) != 0)
		return (NULL);
	AN(state.version);
	CAST_OBJ_NOTNULL(set, state.version->payload, FM_RULES_SET_MAGIC);
	fm_counters_path(&rules->object.counters, &vsc);
	what.refused = state.last == FM_RELOAD_REFUSED;
	what.program = set->program;
	what.hits = set->hits;
	text = fm_rules_metrics(&what);
	fm_live_state_fini(&state);
	return (text);
}

VCL_VOID
vmod_rules_metrics(VRT_CTX, struct vmod_fastmatch_rules *rules, VCL_ACL acl,
    VCL_INT top)
{
	static const char none[] = "out of memory\n";
	struct fm_operator_answer answer = {
		.status = 200,
		.type = "Content-Type: text/plain; version=0.0.4;"
		    " charset=utf-8"
	};
	uint32_t most = 0;
	bool open;
	char *text;

	if (!fm_operator_admits(ctx, rules, acl, "metrics"))
		return;
	if (top > 0)
		most = top < FM_HITS_TOP ? (uint32_t)top : FM_HITS_TOP;
	open = wants_open(ctx);
	if (open)
		answer.type = "Content-Type: application/openmetrics-text;"
		    " version=1.0.0; charset=utf-8";
	text = metrics_make(rules, most, open);
	answer.body = text;
	if (text == NULL) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_out_of_memory, "metrics", "out of memory",
		    "the answer is a 503");
		answer.status = 503;
		answer.type = "Content-Type: text/plain; charset=utf-8";
		answer.body = none;
	}
	answer.len = strlen(answer.body);
	fm_operator_answer(ctx, rules, "metrics", &answer);
	free(text);
}
