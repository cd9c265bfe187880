/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The method .page() of the object `rules`: answers with the document of the
 * page; or, if that asks for it, with the JSON of what it shows.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vtim.h"

#include "compat.h"
#include "operators.h"
#include "page.h"
#include "page_files.h"
#include "rules_shadow.h"
#include "scan.h"
#include "vcc_fastmatch_if.h"

/*--------------------------------------------------------------------
 * Counts
 */

/* The rows of the page; a row shows the sum of its counters. */
static const struct {
	const char		*what;
	enum fm_counter		first, last;
} shown[] = {
	{ "requests", FM_COUNT_lookups, FM_COUNT_lookups },
	{ "with a host of the rules", FM_COUNT_hits, FM_COUNT_hits },
	{ "with default", FM_COUNT_default_hits, FM_COUNT_default_hits },
#define V(name, word, class, manual, phases, ends, counter, ...)	\
	{ (word), FM_COUNT_##counter, FM_COUNT_##counter },
	FM_VERDICTS(V)
#undef V
	{ "refused", FM_COUNT_refused_slots, FM_COUNT_refused_client },
	{ "undecided", FM_COUNT_undecided, FM_COUNT_undecided },
	{ "URLs rewritten", FM_COUNT_url_rewrites, FM_COUNT_url_rewrites },
	{ "headers edited", FM_COUNT_header_edits, FM_COUNT_header_edits }
};
#define NSHOWN	(sizeof shown / sizeof *shown)

_Static_assert(FM_COUNT_refused_client - FM_COUNT_refused_slots == 6,
    "the refusals stand beside each other");

static void
counts_take(const struct fm_counters *counters, struct fm_page *page,
    struct fm_page_count counts[NSHOWN])
{
	uint64_t sums[FM_COUNT__N];
	unsigned n, i;

	page->seconds = fm_counters_read(counters, sums);
	for (n = 0; n < NSHOWN; n++) {
		counts[n] = (struct fm_page_count){ .what = shown[n].what };
		for (i = shown[n].first; i <= shown[n].last; i++)
			counts[n].total += sums[i];
	}
	page->counts = counts;
	page->ncounts = NSHOWN;
}

static void
engine_print(char *buf, size_t room)
{
	static const char * const health[] = {
		[FM_SCAN_UNTESTED] = "not needed yet",
		[FM_SCAN_HEALTHY] = "passes its self-test",
		[FM_SCAN_FAILED] = "fails its self-test: PCRE2 does it all",
		[FM_SCAN_NONE] = "PCRE2 does it all"
	};

	(void)snprintf(buf, room, "Hyperscan %s, %s%s%s", fm_scan_engine(),
	    health[fm_scan_health()], fm_scan_lacks() == 0 ? "" : ", but for ",
	    fm_scan_lacks() == 0 ? "" : fm_scan_lacks_name());
}

/*--------------------------------------------------------------------
 * Making the JSON
 */

/* Returns the JSON, malloc'ed; NULL if there is no memory. */
static char *
page_write(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_page *page, const struct fm_live_state *state, size_t *len)
{
	struct fm_page_count counts[NSHOWN];
	const struct fm_rules_set *set;
	static const char * const logs[] = {
		[FM_RULES_LOG_NONE] = "none",
		[FM_RULES_LOG_VERDICT] = "verdict",
		[FM_RULES_LOG_ALL] = "all"
	};
	char engine[200], *text = NULL;

	page->what.name = rules->object.name;
	page->what.vcl = VCL_Name(ctx->vcl);
	page->what.path = rules->path;
	if (state->version != NULL) {
		CAST_OBJ_NOTNULL(set, state->version->payload,
		    FM_RULES_SET_MAGIC);
		page->what.program = set->program;
		page->what.hits = set->hits;
	}
	page->state = state;
	page->now = (time_t)VTIM_real();
	page->what.clock = VTIM_mono();
	counts_take(&rules->object.counters, page, counts);
	engine_print(engine, sizeof engine);
	page->engine = engine;
	page->log = logs[rules->log];
	if (fm_page_find_rows(page) == 0)
		text = fm_page_json(page, len);
	fm_page_end(page);
	return (text);
}

static char *
page_make(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_page *page, size_t *len)
{
	struct fm_shadow_told *shadow = NULL;
	struct fm_live_state state;
	char *text;

	if (rules->shadow != NULL)
		page->what.shadow = shadow = fm_rules_shadow_told(rules);
	if ((rules->shadow != NULL && shadow == NULL) ||
	    fm_live_state(rules->object.live, &state) != 0) {
		fm_shadow_told_free(&shadow);
		return (NULL);
	}
	text = page_write(ctx, rules, page, &state, len);
	fm_live_state_fini(&state);
	fm_shadow_told_free(&shadow);
	return (text);
}

/*
 * Fills in the answer.  Returns its JSON, malloc'ed, or NULL if it is the
 * document, or if there is no memory: then its body is NULL.
 */
static char *
page_answer(VRT_CTX, const struct vmod_fastmatch_rules *rules, bool secrets,
    struct fm_operator_answer *answer)
{
	const txt *url = &ctx->http_req->hd[HTTP_HDR_URL];
	struct fm_page *page = calloc(1, sizeof *page);
	char *text = NULL;

	if (page == NULL)
		return (NULL);
	fm_page_query_parse(&page->query, fm_text_span(url->b, url->e));
	page->secrets = secrets;
	if (page->query.json) {
		answer->type = "Content-Type: application/json";
		answer->body = text =
		    page_make(ctx, rules, page, &answer->len);
	} else {
		answer->type = "Content-Type: text/html; charset=utf-8";
		answer->body = FM_PAGE_GZIP;
		answer->len = sizeof FM_PAGE_GZIP - 1;
		answer->gzip = true;
	}
	free(page);
	return (text);
}

VCL_VOID
vmod_rules_page(VRT_CTX, struct vmod_fastmatch_rules *rules, VCL_ACL acl,
    VCL_BOOL secrets, VCL_STRING host)
{
	static const char * const lines[] = {
		FM_PAGE_POLICY,
		"Referrer-Policy: no-referrer",
		NULL
	};
	struct fm_operator_answer answer = {
		.status = 200,
		.lines = lines
	};
	char *text;

	if (!fm_operator_admits(ctx, rules, acl, "page") ||
	    !fm_operator_hosts(ctx, rules, host, "page"))
		return;
	text = page_answer(ctx, rules, secrets, &answer);
	if (answer.body == NULL) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_out_of_memory, "page", "out of memory",
		    "the answer is a 503");
		answer.status = 503;
		answer.type = "Content-Type: text/plain";
		answer.body = "";
		answer.len = 0;
	}
	fm_operator_answer(ctx, rules, "page", &answer);
	free(text);
}
