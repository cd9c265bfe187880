/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the text of .metrics(), in Prometheus' format or in OpenMetrics:
 *
 *	# HELP fastmatch_host_hits_total Requests by the host ...
 *	# TYPE fastmatch_host_hits_total counter
 *	fastmatch_host_hits_total{rules="site",host="www.example.com"} 17
 *	fastmatch_host_hits_total{rules="site",host="other"} 0
 *
 * In OpenMetrics the names in the first two lines have no "_total".  They have
 * no "_info" there either, which is a type in OpenMetrics and a gauge here.
 *
 * Rules are shown by their hash and place, not by their text: a text may be
 * secret, such as the value of a header that lets a client in.
 */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "jsonbuf.h"
#include "obj.h"
#include "rules_metrics.h"
#include "utf8.h"

#define PREFIX		"fastmatch_"
#define OTHER		"other"

struct metrics {
	struct fm_jsonbuf		out;
	const struct fm_rules_metrics	*what;
	size_t				nrules;
	size_t				nhosts;
	uint64_t			*counts;	/* rules, then hosts */
	uint64_t			others[FM_HITS_KINDS];
	struct fm_hits_responses	*responses;	/* of hosts, then of the
							 * others */
};

enum metrics_type {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_INFO
};

static const struct {
	const char	*suffix;
	const char	*type;		/* of Prometheus */
	const char	*open;		/* of OpenMetrics */
} types[] = {
	[METRICS_COUNTER] = { "_total", "counter", "counter" },
	[METRICS_GAUGE] = { "", "gauge", "gauge" },
	[METRICS_INFO] = { "_info", "gauge", "info" }
};

/*--------------------------------------------------------------------
 * Families and labels
 */

/*
 * Writes the value of a label.  A value is UTF-8, and has a backslash before
 * each backslash, quote and line feed.
 */
static void
put_value(struct fm_jsonbuf *out, struct fm_text value, size_t most)
{
	size_t i = 0, plain = 0, n;

	(void)most;
	while (i < value.len) {
		n = fm_utf8_length(value.b + i, value.len - i);
		if (n > 1 || (n == 1 && strchr("\\\"\n", value.b[i]) == NULL)) {
			i += n;
			continue;
		}
		fm_jsonbuf_bytes(out, value.b + plain, i - plain);
		if (n == 0)
			fm_jsonbuf_raw(out, "\xef\xbf\xbd");
		else
			fm_jsonbuf_raw(out, value.b[i] == '\n' ? "\\n" :
			    value.b[i] == '"' ? "\\\"" : "\\\\");
		plain = ++i;
	}
	fm_jsonbuf_bytes(out, value.b + plain, i - plain);
}

/* Writes the format as fm_jsonbuf_print() does, but %s as a label's value. */
static void __attribute__((format(printf, 2, 3)))
put(struct metrics *metrics, const char *format, ...)
{
	static const struct fm_jsonbuf_style style = { put_value,
	    fm_jsonbuf_number, "", "" };
	va_list ap;

	va_start(ap, format);
	fm_jsonbuf_styled(&metrics->out, &style, format, ap);
	va_end(ap);
}

/* Writes HELP and TYPE; the name has no suffix. */
static void
put_family(struct metrics *metrics, const char *name, enum metrics_type type,
    const char *help)
{
	const char *suffix = metrics->what->open ? "" : types[type].suffix;

	put(metrics, "# HELP " PREFIX "%s%s %s\n# TYPE " PREFIX "%s%s %s\n",
	    name, suffix, help, name, suffix, metrics->what->open ?
	    types[type].open : types[type].type);
}

static void
put_one(struct metrics *metrics, const char *name, enum metrics_type type,
    const char *help, uint64_t number)
{
	put_family(metrics, name, type, help);
	put(metrics, PREFIX "%s%s{rules=\"%s\"} %ju\n", name,
	    types[type].suffix, metrics->what->name, (uintmax_t)number);
}

/*--------------------------------------------------------------------
 * The numbers of varnishstat, and some that it does not have
 */

/* Numbers whose names have a unit, or tell more, in Prometheus. */
static const struct {
	const char	*vsc;
	const char	*name;
} names[] = {
	{ "backup", "serving_backup" },
	{ "bytes", "memory_bytes" },
	{ "digest", "rules_digest" },
	{ "loaded_at", "rules_loaded_timestamp_seconds" }
};

static const char *
name_of(const char *vsc)
{
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i].vsc, vsc) == 0)
			return (names[i].name);
	return (vsc);
}

/* The numbers of varnishstat, and the place of each in struct fm_vsc. */
static const struct vsc_row {
	const char	*name;		/* in varnishstat */
	const char	*help;
	uint16_t	type;		/* enum metrics_type */
	uint16_t	at;		/* bytes */
} vsc_rows[] = {
#define METRICS_counter	METRICS_COUNTER
#define METRICS_gauge	METRICS_GAUGE
#define X(field, type, help)						\
	{ #field, help, METRICS_##type, offsetof(struct fm_vsc, field) },
	FM_VSC(X)
#undef X
};
#define VSC_ROWS	(sizeof vsc_rows / sizeof vsc_rows[0])

static uint64_t
vsc_number(const struct metrics *metrics, const struct vsc_row *row)
{
	uint64_t number;

	memcpy(&number, (const char *)metrics->what->vsc + row->at,
	    sizeof number);
	return (number);
}

static void
metrics_vsc(struct metrics *metrics)
{
	const struct vsc_row *row;

	for (row = vsc_rows; row < vsc_rows + VSC_ROWS; row++)
		put_one(metrics, name_of(row->name),
		    (enum metrics_type)row->type, row->help,
		    vsc_number(metrics, row));
}

/*
 * Counters whose names in varnishstat begin in the same way, and which are one
 * family here:
 *
 *	verdict_pass	fastmatch_verdicts_total{rules="site",verdict="pass"}
 *	refused_size	fastmatch_refused_total{rules="site",reason="size"}
 */
struct family {
	const char	*begins;	/* of the names in varnishstat */
	const char	*name;
	const char	*label;
	const char	*help;
};

static const struct family families[] = {
	{ "verdict_", "verdicts", "verdict", "Requests by verdict" },
	{ "refused_", "refused", "reason",
	  "Requests refused by the reason why rules could not be applied" }
};

/* Writes the counters that belong to the family. */
static void
put_members(struct metrics *metrics, const struct family *family)
{
	size_t len = strlen(family->begins);
	const struct vsc_row *row;

	for (row = vsc_rows; row < vsc_rows + VSC_ROWS; row++)
		if (strncmp(row->name, family->begins, len) == 0)
			put(metrics, PREFIX
			    "%s_total{rules=\"%s\",%s=\"%s\"} %ju\n",
			    family->name, metrics->what->name, family->label,
			    row->name + len,
			    (uintmax_t)vsc_number(metrics, row));
}

static void
metrics_families(struct metrics *metrics)
{
	const struct family *family;
	size_t i;

	for (i = 0; i < sizeof families / sizeof families[0]; i++) {
		family = &families[i];
		put_family(metrics, family->name, METRICS_COUNTER,
		    family->help);
		put_members(metrics, family);
	}
}

static void
metrics_others(struct metrics *metrics)
{
	put_one(metrics, "last_reload_successful", METRICS_GAUGE,
	    "1 if the files were valid when last read, 0 if refused",
	    !metrics->what->refused);
	put_family(metrics, "build", METRICS_INFO, "Version and scan engine");
	put(metrics, PREFIX
	    "build_info{rules=\"%s\",version=\"%s\",engine=\"%s\"}" " 1\n",
	    metrics->what->name, metrics->what->version, metrics->what->engine);
}

/*--------------------------------------------------------------------
 * Hits of hosts and rules
 */

static const char *
host_name(const struct metrics *metrics, size_t i)
{
	return (fm_program_host(metrics->what->program, (uint32_t)i, NULL));
}

static void
put_hits(struct metrics *metrics, const char *of, const char *value,
    uint64_t hits)
{
	put(metrics, PREFIX "%s_hits_total{rules=\"%s\",%s=\"%s\"} %ju\n", of,
	    metrics->what->name, of, value, (uintmax_t)hits);
}

/* Writes the hits of hosts.  A host named "other" is added to that sum. */
static void
metrics_hosts(struct metrics *metrics)
{
	uint64_t other = metrics->others[FM_HITS_HOST], hits;
	const char *host;
	size_t i;

	put_family(metrics, "host_hits", METRICS_COUNTER,
	    "Requests by the host pattern that they are for");
	for (i = 0; i < metrics->nhosts; i++) {
		hits = metrics->counts[metrics->nrules + i];
		if (hits == FM_HITS_OTHER)
			continue;
		host = host_name(metrics, i);
		if (strcmp(host, OTHER) == 0)
			other += hits;
		else
			put_hits(metrics, "host", host, hits);
	}
	put_hits(metrics, "host", OTHER, other);
}

/*
 * Responses are two families, so that each sum of a family counts a response
 * once: by where it came from, and errors by their status.
 */
struct responses {
	const char		*family;
	const char		*help;
	const char		*label;
	enum fm_hits_response	first, last;
};

static const struct responses responses[] = {
	{ "host_responses", "Responses by host pattern and their origin",
	  "cache", FM_HITS_HIT, FM_HITS_OWN },
	{ "host_errors", "Error responses by host pattern and their status",
	  "status", FM_HITS_4XX, FM_HITS_5XX }
};

static void
put_responses(struct metrics *metrics, const struct responses *family,
    const char *host, const struct fm_hits_responses *numbers)
{
	static const char * const values[FM_HITS_RESPONSES] = {
		[FM_HITS_HIT] = "hit",
		[FM_HITS_MISS] = "miss",
		[FM_HITS_PASS] = "pass",
		[FM_HITS_OWN] = "own",
		[FM_HITS_4XX] = "4xx",
		[FM_HITS_5XX] = "5xx"
	};
	unsigned k;

	for (k = family->first; k <= family->last; k++)
		put(metrics, PREFIX "%s_total{rules=\"%s\",host=\"%s\","
		    "%s=\"%s\"} %ju\n", family->family, metrics->what->name,
		    host, family->label, values[k], (uintmax_t)numbers->n[k]);
}

/* Writes a family of responses, as metrics_hosts() does the hits. */
static void
metrics_responses(struct metrics *metrics, const struct responses *family)
{
	struct fm_hits_responses other = metrics->responses[metrics->nhosts];
	const struct fm_hits_responses *numbers;
	const char *host;
	unsigned k;
	size_t i;

	put_family(metrics, family->family, METRICS_COUNTER, family->help);
	for (i = 0; i < metrics->nhosts; i++) {
		if (metrics->counts[metrics->nrules + i] == FM_HITS_OTHER)
			continue;
		numbers = &metrics->responses[i];
		host = host_name(metrics, i);
		if (strcmp(host, OTHER) != 0) {
			put_responses(metrics, family, host, numbers);
			continue;
		}
		for (k = 0; k < FM_HITS_RESPONSES; k++)
			other.n[k] += numbers->n[k];
	}
	put_responses(metrics, family, OTHER, &other);
}

#define HASH_LEN	17	/* bytes: 16 hexadecimal digits and a NUL */

/* Returns the identity of a rule, which no other rule of the program has. */
static const char *
rule_hash(const struct metrics *metrics, size_t i, char hash[HASH_LEN])
{
	static const char hex[] = "0123456789abcdef";
	uint64_t id = fm_program_rule_id(metrics->what->program, (uint32_t)i);
	size_t n;

	for (n = HASH_LEN - 1, hash[n] = '\0'; n-- > 0; id >>= 4)
		hash[n] = hex[id & 0xf];
	return (hash);
}

static void
metrics_rules(struct metrics *metrics)
{
	char hash[HASH_LEN];
	size_t i;

	put_family(metrics, "rule_hits", METRICS_COUNTER,
	    "Runs of each rule, of a when: how often it was true");
	for (i = 0; i < metrics->nrules; i++)
		if (metrics->counts[i] != FM_HITS_OTHER)
			put_hits(metrics, "rule", rule_hash(metrics, i, hash),
			    metrics->counts[i]);
	put_hits(metrics, "rule", OTHER, metrics->others[FM_HITS_RULE]);
}

static void
metrics_places(struct metrics *metrics)
{
	const struct fm_rule *rule;
	char hash[HASH_LEN];
	size_t i;

	put_family(metrics, "rule", METRICS_INFO,
	    "The place of each rule that has a counter");
	for (i = 0; i < metrics->nrules; i++) {
		if (metrics->counts[i] == FM_HITS_OTHER)
			continue;
		if (!fm_program_rule(metrics->what->program, (uint32_t)i, &rule,
		    NULL))
			assert(!"a rule");
		put(metrics,
		    PREFIX "rule_info{rules=\"%s\",rule=\"%s\",file=\"%s\","
		    "line=\"%ju\"} 1\n", metrics->what->name, rule_hash(metrics,
		    i, hash), rule->at.name, (uintmax_t)rule->at.line);
	}
}

/* Writes hits and responses.  Returns 0, or -1 if there is no memory. */
static int
metrics_hits(struct metrics *metrics)
{
	const struct fm_rules_metrics *what = metrics->what;
	bool known;
	size_t i;

	if (what->hits == NULL)
		return (0);
	metrics->nrules = fm_program_nrules(what->program);
	metrics->nhosts = fm_program_hosts(what->program);
	metrics->counts = calloc(metrics->nrules + metrics->nhosts + 1,
	    sizeof *metrics->counts);
	metrics->responses = calloc(metrics->nhosts + 1,
	    sizeof *metrics->responses);
	if (metrics->counts == NULL || metrics->responses == NULL)
		return (-1);
	known = fm_hits_top(what->hits, what->top, metrics->counts,
	    metrics->others, metrics->responses);
	metrics_hosts(metrics);
	for (i = 0; known && i < sizeof responses / sizeof responses[0]; i++)
		metrics_responses(metrics, &responses[i]);
	metrics_rules(metrics);
	metrics_places(metrics);
	return (0);
}

char *
fm_rules_metrics(const struct fm_rules_metrics *what)
{
	struct metrics metrics = { .what = what };
	char *text;
	int bad;

	assert(what->program != NULL || what->hits == NULL);
	metrics_vsc(&metrics);
	metrics_families(&metrics);
	metrics_others(&metrics);
	bad = metrics_hits(&metrics);
	free(metrics.counts);
	free(metrics.responses);
	if (what->open)
		fm_jsonbuf_raw(&metrics.out, "# EOF\n");
	text = fm_jsonbuf_finish(&metrics.out);
	if (bad != 0) {
		free(text);
		text = NULL;
	}
	return (text);
}
