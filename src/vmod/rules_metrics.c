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
 * secret, such as the value of a header that lets somebody in.
 */

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
put(struct metrics *m, const char *format, ...)
{
	static const struct fm_jsonbuf_style style = { put_value,
	    fm_jsonbuf_number, "", "" };
	va_list ap;

	va_start(ap, format);
	fm_jsonbuf_styled(&m->out, &style, format, ap);
	va_end(ap);
}

/* Writes HELP and TYPE; the name has no suffix. */
static void
put_family(struct metrics *m, const char *name, enum metrics_type type,
    const char *help)
{
	const char *suffix = m->what->open ? "" : types[type].suffix;

	put(m, "# HELP " PREFIX "%s%s %s\n# TYPE " PREFIX "%s%s %s\n", name,
	    suffix, help, name, suffix, m->what->open ? types[type].open :
	    types[type].type);
}

static void
put_one(struct metrics *m, const char *name, enum metrics_type type,
    const char *help, uint64_t number)
{
	put_family(m, name, type, help);
	put(m, PREFIX "%s%s{rules=\"%s\"} %ju\n", name, types[type].suffix,
	    m->what->name, (uintmax_t)number);
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

#define METRICS_counter	METRICS_COUNTER
#define METRICS_gauge	METRICS_GAUGE

static void
metrics_vsc(struct metrics *m)
{
#define PUT_VSC(field, type, help)					\
	put_one(m, name_of(#field), METRICS_##type, help,		\
	    m->what->vsc->field);
	FM_VSC(PUT_VSC)
#undef PUT_VSC
}

static void
metrics_others(struct metrics *m)
{
	put_one(m, "last_reload_successful", METRICS_GAUGE,
	    "1 if the files were valid when last read, 0 if refused",
	    !m->what->refused);
	put_family(m, "build", METRICS_INFO, "Version and scan engine");
	put(m, PREFIX "build_info{rules=\"%s\",version=\"%s\",engine=\"%s\"}"
	    " 1\n", m->what->name, m->what->version, m->what->engine);
}

/*--------------------------------------------------------------------
 * Hits of hosts and rules
 */

static void
put_hits(struct metrics *m, const char *of, const char *value, uint64_t hits)
{
	put(m, PREFIX "%s_hits_total{rules=\"%s\",%s=\"%s\"} %ju\n", of,
	    m->what->name, of, value, (uintmax_t)hits);
}

/* Writes the hits of hosts.  A host named "other" is added to that sum. */
static void
metrics_hosts(struct metrics *m)
{
	uint64_t other = m->others[FM_HITS_HOST], hits;
	const char *host;
	size_t i;

	put_family(m, "host_hits", METRICS_COUNTER,
	    "Requests by the host pattern that they are for");
	for (i = 0; i < m->nhosts; i++) {
		hits = m->counts[m->nrules + i];
		if (hits == FM_HITS_OTHER)
			continue;
		host = fm_program_host(m->what->program, (uint32_t)i, NULL);
		if (strcmp(host, OTHER) == 0)
			other += hits;
		else
			put_hits(m, "host", host, hits);
	}
	put_hits(m, "host", OTHER, other);
}

#define HASH_LEN	17	/* bytes: 16 hexadecimal digits and a NUL */

/* Returns the identity of a rule, which no other rule of the program has. */
static const char *
rule_hash(const struct metrics *m, size_t i, char hash[HASH_LEN])
{
	static const char hex[] = "0123456789abcdef";
	uint64_t id = fm_program_rule_id(m->what->program, (uint32_t)i);
	size_t n;

	for (n = HASH_LEN - 1, hash[n] = '\0'; n-- > 0; id >>= 4)
		hash[n] = hex[id & 0xf];
	return (hash);
}

static void
metrics_rules(struct metrics *m)
{
	char hash[HASH_LEN];
	size_t i;

	put_family(m, "rule_hits", METRICS_COUNTER,
	    "Runs of each rule, of a when: how often it was true");
	for (i = 0; i < m->nrules; i++)
		if (m->counts[i] != FM_HITS_OTHER)
			put_hits(m, "rule", rule_hash(m, i, hash),
			    m->counts[i]);
	put_hits(m, "rule", OTHER, m->others[FM_HITS_RULE]);
}

static void
metrics_places(struct metrics *m)
{
	const struct fm_rule *rule;
	char hash[HASH_LEN];
	size_t i;

	put_family(m, "rule", METRICS_INFO,
	    "Where each rule with a counter stands");
	for (i = 0; i < m->nrules; i++) {
		if (m->counts[i] == FM_HITS_OTHER)
			continue;
		if (!fm_program_rule(m->what->program, (uint32_t)i, &rule,
		    NULL))
			assert(!"a rule");
		put(m, PREFIX "rule_info{rules=\"%s\",rule=\"%s\",file=\"%s\","
		    "line=\"%ju\"} 1\n", m->what->name, rule_hash(m, i, hash),
		    rule->at.name, (uintmax_t)rule->at.line);
	}
}

/* Writes all hits.  Returns 0, or -1 if there is no memory. */
static int
metrics_hits(struct metrics *m)
{
	const struct fm_rules_metrics *what = m->what;

	if (what->hits == NULL)
		return (0);
	m->nrules = fm_program_nrules(what->program);
	m->nhosts = fm_program_hosts(what->program);
	m->counts = calloc(m->nrules + m->nhosts + 1, sizeof *m->counts);
	if (m->counts == NULL)
		return (-1);
	fm_hits_top(what->hits, what->top, m->counts, m->others);
	metrics_hosts(m);
	metrics_rules(m);
	metrics_places(m);
	return (0);
}

char *
fm_rules_metrics(const struct fm_rules_metrics *what)
{
	struct metrics m = { .what = what };
	char *text;
	int bad;

	assert(what->program != NULL || what->hits == NULL);
	metrics_vsc(&m);
	metrics_others(&m);
	bad = metrics_hits(&m);
	free(m.counts);
	if (what->open)
		fm_jsonbuf_raw(&m.out, "# EOF\n");
	text = fm_jsonbuf_finish(&m.out);
	if (bad != 0) {
		free(text);
		text = NULL;
	}
	return (text);
}
