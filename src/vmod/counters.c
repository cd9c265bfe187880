/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters and log lines about what should not happen.
 */

#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cache/cache.h"
#include "compat.h"
#include "counters.h"
#include "VSC_fastmatch.h"

#define LOG_LINE_LEN	256

void
fm_counters_init(VRT_CTX, struct fm_counters *counters, const char *name)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	INIT_OBJ(counters, FM_COUNTERS_MAGIC);
	counters->name = name;
	counters->vsc = VSC_fastmatch_New(NULL, &counters->seg, "%s%s%s",
	    VCL_Name(ctx->vcl), name == NULL ? "" : ".",
	    name == NULL ? "" : name);
}

void
fm_counters_fini(struct fm_counters *counters)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	if (counters->seg != NULL)
		VSC_fastmatch_Destroy(&counters->seg);
	counters->vsc = NULL;
	counters->magic = 0;
}

/* Workers count at the same time. */
static void
counter_add(uint64_t *counter, uint64_t n)
{
	(void)__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

void
fm_log_error(VRT_CTX, const char *fmt, ...)
{
	char line[LOG_LINE_LEN];
	va_list ap;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (ctx->vsl != NULL)
		VSLb(ctx->vsl, SLT_Error, "fastmatch: %s", line);
	else
		VSL(SLT_Error, NO_VXID, "fastmatch: %s", line);
}

/* What is missing, for which method, and what comes of it. */
static void
log_missing(VRT_CTX, const struct fm_counters *counters, const char *method,
    const char *missing, const char *outcome)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	fm_log_error(ctx, "%s%s%s(): %s: %s",
	    counters->name == NULL ? "" : counters->name,
	    counters->name == NULL ? "" : ".", method, missing, outcome);
}

void
fm_counters_no_room(VRT_CTX, const struct fm_counters *counters,
    const char *method, const char *missing, const char *outcome)
{
	log_missing(ctx, counters, method, missing, outcome);
	if (counters->vsc != NULL)
		counter_add(&counters->vsc->workspace_overflow, 1);
}

void
fm_counters_overflow(VRT_CTX, const struct fm_counters *counters,
    const char *method, const char *outcome)
{
	fm_counters_no_room(ctx, counters, method, "out of workspace",
	    outcome);
}

void
fm_counters_no_memory(VRT_CTX, const struct fm_counters *counters,
    const char *method, const char *outcome)
{
	log_missing(ctx, counters, method, "out of memory", outcome);
	if (counters->vsc != NULL)
		counter_add(&counters->vsc->out_of_memory, 1);
}

void
fm_counters_misplaced(VRT_CTX, const struct fm_counters *counters,
    const char *method, const char *where)
{
	log_missing(ctx, counters, method, "it does nothing in", where);
	if (counters->vsc != NULL)
		counter_add(&counters->vsc->misplaced, 1);
}

void
fm_counters_trouble(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AN(counters->name);
	AN(tally);
	if (tally->over_limit != 0) {
		fm_log_error(ctx, "%s.%s(): a regex reached the match limit"
		    " and counts as no match", counters->name, method);
		if (counters->vsc != NULL)
			counter_add(&counters->vsc->regex_limit,
			    tally->over_limit);
	}
	if (tally->fallbacks != 0 && counters->vsc != NULL)
		counter_add(&counters->vsc->engine_fallback,
		    tally->fallbacks);
}

void
fm_counters_rules(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally, unsigned undecided,
    unsigned ignored)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AN(counters->name);
	AN(tally);
	if (tally->over_limit != 0 || undecided != 0)
		fm_log_error(ctx, "%s.%s(): regexes that reached the match"
		    " limit: %u, not tried after that: %u, undecided for it:"
		    " %u", counters->name, method, tally->over_limit,
		    tally->unasked, undecided);
	if (counters->vsc == NULL)
		return;
	if (tally->over_limit != 0)
		counter_add(&counters->vsc->regex_limit, tally->over_limit);
	if (tally->fallbacks != 0)
		counter_add(&counters->vsc->engine_fallback,
		    tally->fallbacks);
	if (undecided != 0)
		counter_add(&counters->vsc->undecided, undecided);
	if (ignored != 0)
		counter_add(&counters->vsc->esi_ignored, ignored);
}
