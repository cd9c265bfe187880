/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters: adds up the shards for varnishstat and for a path, and logs what
 * should not happen.
 */

#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

#include "cache/cache.h"
#include "vtim.h"

#include "compat.h"
#include "counters.h"
#include "live.h"
#include "rules_metrics.h"
#include "scan.h"
#include "task.h"
#include "VSC_fastmatch.h"

#define LOG_LINE_LEN	256	/* bytes; a longer line is cut */

/* Numbers of varnishstat that come from the object's live. */
#define LIVE_FACTS(X)							\
	X(reload, reloads) X(reload_fail, reload_fails)			\
	X(hosts, set.hosts) X(patterns, set.patterns)			\
	X(rules, set.rules) X(bytes, set.bytes)				\
	X(generation, generation) X(loaded_at, loaded_at)		\
	X(digest, digest) X(backup, backup)

/* Both structs have the same layout, and each number of it is set. */
#define SAME_PLACE(name, type, help)					\
	_Static_assert(offsetof(struct VSC_fastmatch, name) ==		\
	    offsetof(struct fm_vsc, name), #name);
FM_VSC(SAME_PLACE)
#undef SAME_PLACE
#define ONE(name, fact)		+ 1
_Static_assert(sizeof(struct fm_vsc) == sizeof(struct VSC_fastmatch) &&
    sizeof(struct fm_vsc) / sizeof(uint64_t) ==
    FM_COUNT__N LIVE_FACTS(ONE) + 1,
    "something in fastmatch.vsc.in is never set");
#undef ONE
_Static_assert(FM_COUNT_confirms == 7 && FM_COUNT_default_hits == 8,
    "what is written most often is not one cache line");
_Static_assert(FM_COUNT_refused_client - FM_COUNT_refused_slots ==
    FM_REFUSED_CLIENT - FM_REFUSED_SLOTS, "each refusal has its counter");
_Static_assert(FM_SCAN_UNTESTED == 0 && FM_SCAN_HEALTHY == 1 &&
    FM_SCAN_FAILED == 2 && FM_SCAN_NONE == 3,
    "self_test is documented as these numbers");

/*
 * All counters.  A thread that sums holds the mutex, so that it writes to no
 * segment that is gone, and the sums that varnishstat has never go back.
 */
static VTAILQ_HEAD(, fm_counters) counters_all =
    VTAILQ_HEAD_INITIALIZER(counters_all);
static pthread_mutex_t counters_mtx = PTHREAD_MUTEX_INITIALIZER;

/*--------------------------------------------------------------------
 * Making, and what varnishstat shows
 */

/*
 * Returns an ident as varnishstat shows it.  prometheus-varnish-exporter makes
 * one lower-case name of the whole ident, ends on a dash, and answers nothing
 * if two names are the same.  So a dash becomes an underscore, and a second
 * name gets a number.
 */
static char *
name_print(const char *ident, unsigned number)
{
	char *shown, *p;

	if ((number == 1 ? asprintf(&shown, "%s", ident) :
	    asprintf(&shown, "%s_%u", ident, number)) < 0)
		return (NULL);
	for (p = shown; (p = strchr(p, '-')) != NULL;)
		*p = '_';
	return (shown);
}

/*
 * Returns true if another ident is shown like that.  The same ident twice does
 * not clash: one is that of a VCL that is gone except for its last requests.
 */
static bool
name_is_taken(const char *ident, const char *shown)
{
	const struct fm_counters *other;

	VTAILQ_FOREACH(other, &counters_all, list)
		if (other->vsc != NULL &&
		    strcasecmp(other->shown, shown) == 0 &&
		    strcmp(other->ident, ident) != 0)
			return (true);
	return (false);
}

/* Names the counters in varnishstat; without memory they are not there. */
static void
counters_name(struct fm_counters *counters, const char *vcl)
{
	const char *name = counters->name;
	unsigned number = 0;

	if (asprintf(&counters->ident, "%s%s%s", vcl, name == NULL ? "" : ".",
	    name == NULL ? "" : name) < 0) {
		counters->ident = NULL;
		return;
	}
	do {
		free(counters->shown);
		counters->shown = name_print(counters->ident, ++number);
	} while (counters->shown != NULL &&
	    name_is_taken(counters->ident, counters->shown));
	if (counters->shown != NULL)
		counters->vsc = VSC_fastmatch_New(NULL, &counters->seg, "%s",
		    counters->shown);
}

static void
shards_new(struct fm_counters *counters)
{
	void *p;

	if (posix_memalign(&p, __alignof__(struct fm_counter_shard),
	    (fm_shards + 1) * sizeof *counters->shards) != 0)
		return;
	memset(p, 0, (fm_shards + 1) * sizeof *counters->shards);
	counters->shards = p;
}

void
fm_counters_init(VRT_CTX, struct fm_counters *counters, const char *name,
    enum fm_counters_kind kind, bool shown)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	INIT_OBJ(counters, FM_COUNTERS_MAGIC);
	counters->name = name;
	shards_new(counters);
	counters->since = VTIM_mono();
	AZ(pthread_mutex_lock(&counters_mtx));
	fm_counters_shown(kind);
	if (shown)
		counters_name(counters, VCL_Name(ctx->vcl));
	VTAILQ_INSERT_TAIL(&counters_all, counters, list);
	AZ(pthread_mutex_unlock(&counters_mtx));
}

/* Adds what all shards have counted to the sums. */
static void
counters_add(const struct fm_counters *counters, uint64_t sums[FM_COUNT__N])
{
	unsigned shard, i;
	uint64_t n;

	if (counters->shards == NULL)
		return;
	for (shard = 0; shard <= fm_shards; shard++)
		for (i = 0; i < FM_COUNT__N; i++) {
			n = __atomic_load_n(&counters->shards[shard].n[i],
			    __ATOMIC_RELAXED);
			sums[i] += n;
			/* Each of these is a hit, which is not counted. */
			if (i == FM_COUNT_exact_hits ||
			    i == FM_COUNT_wildcard_hits)
				sums[FM_COUNT_hits] += n;
		}
}

/* Adds an object's counts, and those that it has of others, under the mutex. */
static void
total_add(struct fm_counters_total *total, const struct fm_counters *counters)
{
	struct fm_live_facts facts = { .reloads = 0 };
	unsigned i;

	for (i = 0; i < FM_COUNT__N; i++)
		total->sums[i] += counters->past.sums[i];
	counters_add(counters, total->sums);
	if (counters->live != NULL)
		fm_live_facts(counters->live, &facts);
	total->reloads += counters->past.reloads + facts.reloads;
	total->reload_fails += counters->past.reload_fails +
	    facts.reload_fails;
}

static bool
same_path(const struct fm_counters *one, const struct fm_counters *other)
{
	return (one->path != NULL && other->path != NULL &&
	    strcmp(one->path, other->path) == 0);
}

/* Leaves the counts to another object of the path, under the mutex. */
static void
counters_leave(const struct fm_counters *counters)
{
	struct fm_counters *heir;

	VTAILQ_FOREACH(heir, &counters_all, list)
		if (same_path(heir, counters)) {
			total_add(&heir->past, counters);
			return;
		}
}

void
fm_counters_fini(struct fm_counters *counters)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AZ(pthread_mutex_lock(&counters_mtx));
	VTAILQ_REMOVE(&counters_all, counters, list);
	counters_leave(counters);
	AZ(pthread_mutex_unlock(&counters_mtx));
	if (counters->seg != NULL)
		VSC_fastmatch_Destroy(&counters->seg);
	free(counters->shards);
	free(counters->shown);
	free(counters->ident);
	INIT_OBJ(counters, 0);
}

void
fm_counters_live(struct fm_counters *counters, const struct fm_live *live)
{
	struct fm_live_facts facts;

	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AZ(pthread_mutex_lock(&counters_mtx));
	if (counters->live != NULL) {
		fm_live_facts(counters->live, &facts);
		counters->past.reloads += facts.reloads;
		counters->past.reload_fails += facts.reload_fails;
	}
	counters->live = live;
	AZ(pthread_mutex_unlock(&counters_mtx));
}

/* The place of each counter in struct fm_vsc, in bytes. */
static const uint16_t vsc_places[FM_COUNT__N] = {
#define X(name)	[FM_COUNT_##name] = offsetof(struct fm_vsc, name),
#define V(name, word, class, manual, phases, ends, counter, ...) X(counter)
	FM_COUNTERS(X, V)
#undef X
#undef V
};

static void
vsc_fill(struct fm_vsc *vsc, const uint64_t sums[FM_COUNT__N],
    const struct fm_live_facts *facts)
{
	unsigned i;

	for (i = 0; i < FM_COUNT__N; i++)
		memcpy((char *)vsc + vsc_places[i], &sums[i], sizeof sums[i]);
#define VSC_FACT(name, fact)	vsc->name = facts->fact;
	LIVE_FACTS(VSC_FACT)
#undef VSC_FACT
	vsc->self_test = fm_scan_health();
}

/* Shows the numbers in varnishstat, which reads them at any time. */
static void
counters_show(const struct fm_counters *counters)
{
	struct fm_live_facts facts = { .generation = 0 };
	uint64_t sums[FM_COUNT__N] = { 0 };
	struct fm_vsc vsc;

	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	if (counters->vsc == NULL)
		return;
	counters_add(counters, sums);
	if (counters->live != NULL)
		fm_live_facts(counters->live, &facts);
	vsc_fill(&vsc, sums, &facts);
	memcpy(counters->vsc, &vsc, sizeof vsc);
}

void
fm_counters_sum(void)
{
	const struct fm_counters *counters;

	AZ(pthread_mutex_lock(&counters_mtx));
	VTAILQ_FOREACH(counters, &counters_all, list)
		counters_show(counters);
	AZ(pthread_mutex_unlock(&counters_mtx));
}

double
fm_counters_read(const struct fm_counters *counters,
    uint64_t sums[FM_COUNT__N])
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	memset(sums, 0, FM_COUNT__N * sizeof *sums);
	counters_add(counters, sums);
	return (VTIM_mono() - counters->since);
}

/*--------------------------------------------------------------------
 * The totals of a path
 */

void
fm_counters_at(struct fm_counters *counters, const char *path)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AZ(counters->live);
	AZ(pthread_mutex_lock(&counters_mtx));
	AZ(counters->path);
	counters->path = path;
	AZ(pthread_mutex_unlock(&counters_mtx));
}

void
fm_counters_path(const struct fm_counters *counters, struct fm_vsc *vsc)
{
	struct fm_counters_total total = { .reloads = 0 };
	const struct fm_counters *other;
	struct fm_live_facts facts;

	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AN(counters->path);
	AN(counters->live);
	fm_live_facts(counters->live, &facts);
	AZ(pthread_mutex_lock(&counters_mtx));
	VTAILQ_FOREACH(other, &counters_all, list)
		if (same_path(other, counters))
			total_add(&total, other);
	AZ(pthread_mutex_unlock(&counters_mtx));
	facts.reloads = total.reloads;
	facts.reload_fails = total.reload_fails;
	vsc_fill(vsc, total.sums, &facts);
}

/*--------------------------------------------------------------------
 * Log lines about things that should not happen
 */

/* Logs an error: of the task, or of no transaction if there is none. */
static void v_printflike_(2, 3)
log_error(VRT_CTX, const char *fmt, ...)
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

void
fm_log_engine(void)
{
	static bool told;
	char line[LOG_LINE_LEN];

	if ((fm_scan_health() != FM_SCAN_FAILED && fm_scan_lacks() == 0) ||
	    __atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		return;
	if (fm_scan_health() == FM_SCAN_FAILED)
		(void)snprintf(line, sizeof line, "fastmatch: the scan engine"
		    " (%s) fails its self-test on this machine: PCRE2 tries"
		    " every pattern", fm_scan_engine());
	else
		(void)snprintf(line, sizeof line, "fastmatch: the scan engine"
		    " (%s) misses matches of %s on this machine: PCRE2 tries"
		    " the patterns that have it", fm_scan_engine(),
		    fm_scan_lacks_name());
	VSL(SLT_Error, NO_VXID, "%s", line);
	syslog(LOG_ERR, "%s", line);
}

void
fm_counters_log(VRT_CTX, const struct fm_counters *counters,
    enum fm_counter what, const char *method, const char *missing,
    const char *outcome)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	log_error(ctx, "%s%s%s(): %s: %s",
	    counters->name == NULL ? "" : counters->name,
	    counters->name == NULL ? "" : ".", method, missing, outcome);
	if (what != FM_COUNT__N)
		fm_counters_add(counters, what, 1);
}

void
fm_counters_overflow(VRT_CTX, const struct fm_counters *counters,
    const char *method, const char *outcome)
{
	fm_counters_log(ctx, counters, FM_COUNT_workspace_overflow, method,
	    "out of workspace", outcome);
}

void
fm_counters_refused(VRT_CTX, const struct fm_counters *counters,
    const char *method, enum fm_refusal why)
{
	char outcome[60];

	assert(why != FM_REFUSED_NOT);
	(void)snprintf(outcome, sizeof outcome,
	    "the request is refused with %u", fm_refused[why].status);
	fm_counters_log(ctx, counters, (enum fm_counter)
	    (FM_COUNT_refused_slots + why - FM_REFUSED_SLOTS), method,
	    fm_refused[why].missing, outcome);
}

static void
counters_add_trouble(const struct fm_counters *counters,
    const struct fm_tally *tally)
{
	fm_counters_add(counters, FM_COUNT_regex_limit, tally->over_limit);
	fm_counters_add(counters, FM_COUNT_engine_fallback, tally->fallbacks);
}

void
fm_counters_trouble(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AN(counters->name);
	if (tally->over_limit != 0)
		log_error(ctx, "%s.%s(): a regex reached the match limit"
		    " and counts as no match", counters->name, method);
	counters_add_trouble(counters, tally);
}

void
fm_counters_rules(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally, unsigned undecided,
    const char *at, unsigned ignored)
{
	CHECK_OBJ_NOTNULL(counters, FM_COUNTERS_MAGIC);
	AN(counters->name);
	if (tally->over_limit != 0 || undecided != 0)
		log_error(ctx, "%s.%s(): regexes that reached the match"
		    " limit: %u, undecided statements: %u%s%s",
		    counters->name, method, tally->over_limit, undecided,
		    at == NULL ? "" : ", at ", at == NULL ? "" : at);
	counters_add_trouble(counters, tally);
	fm_counters_add(counters, FM_COUNT_undecided, undecided);
	fm_counters_add(counters, FM_COUNT_esi_ignored, ignored);
}
