/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of .metrics(), of what the functions below say the program and its
 * counters are: so with hosts and files that no file of rules could have.
 */

#include "alloc.h"
#include "kinds.h"
#include "rules_metrics.h"
#include "unit.h"

/*--------------------------------------------------------------------
 * The objects that are shown
 */

#define HOSTS	5

static const struct {
	const char	*host;
	uint64_t	hits;
	const char	*shown;
} hosts[HOSTS] = {
	{ "www.example.com", UINT64_MAX - 1, "www.example.com" },
	{ "a\\b\"c\nd", 0, "a\\\\b\\\"c\\nd" },
	{ "\xc3\xa9\xff\xe2\x82.\xf0\x9f\x98\x80", 7,
	  "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.\xf0\x9f\x98\x80" },
	{ "quiet.example", FM_HITS_OTHER, NULL },
	{ "other", 3, NULL }
};

static const struct fm_rule rules[] = {
	{ .at = { .name = "/etc/\"x\".rules", .line = 12 },
	  .text = "set Secret = \"1234\"" },
	{ .at = { .name = "never.rules", .line = 77 } }
};
static const uint64_t rule_ids[] = { 0xabc, 0xfedcba9876543210ULL };
static const uint64_t rule_hits[] = { 5, FM_HITS_OTHER };

static uint32_t asked_top;
static bool responses_known;

size_t
fm_program_nrules(const struct fm_program *program)
{
	ck_assert_ptr_nonnull(program);
	return (2);
}

size_t
fm_program_hosts(const struct fm_program *program)
{
	ck_assert_ptr_nonnull(program);
	return (HOSTS);
}

bool
fm_program_rule(const struct fm_program *program, uint32_t n,
    const struct fm_rule **rule, uint32_t *counter)
{
	ck_assert_ptr_nonnull(program);
	ck_assert_uint_lt(n, 2);
	*rule = &rules[n];
	ck_assert_ptr_null(counter);
	return (true);
}

uint64_t
fm_program_rule_id(const struct fm_program *program, uint32_t n)
{
	ck_assert_ptr_nonnull(program);
	return (rule_ids[n]);
}

const char *
fm_program_host(const struct fm_program *program, uint32_t n, uint32_t *counter)
{
	ck_assert_ptr_nonnull(program);
	ck_assert_ptr_null(counter);
	return (hosts[n].host);
}

/* Response k of host i was counted 100 i + k times. */
bool
fm_hits_top(const struct fm_hits *hits, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS], struct fm_hits_responses *responses)
{
	unsigned i, k;

	ck_assert_ptr_nonnull(hits);
	asked_top = limit;
	memcpy(counts, rule_hits, sizeof rule_hits);
	for (i = 0; i < HOSTS; i++)
		counts[2 + i] = hosts[i].hits;
	others[FM_HITS_RULE] = 8;
	others[FM_HITS_HOST] = 9;
	for (i = 0; responses_known && i <= HOSTS; i++)
		for (k = 0; k < FM_HITS_RESPONSES; k++)
			responses[i].n[k] = i * 100 + k;
	return (responses_known);
}

/* Never looked into. */
static char something;
#define FAKE(type)	((type *)(void *)&something)

static struct fm_vsc vsc;
static struct fm_rules_metrics what;

static void
setup(void)
{
	uint64_t n = 0;

#define NUMBER(name, type, help)	vsc.name = ++n;
	FM_VSC(NUMBER)
#undef NUMBER
	responses_known = false;
	what = (struct fm_rules_metrics){
	    .name = "site", .version = "1.2.3", .engine = "an engine",
	    .top = 17, .vsc = &vsc, .program = FAKE(struct fm_program),
	    .hits = FAKE(struct fm_hits) };
}

static char *
metrics(void)
{
	char *text = fm_rules_metrics(&what);

	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	return (text);
}

/* Each line is there, whole. */
static void
has(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	ck_assert_msg(at != NULL && (at == text || at[-1] == '\n') &&
	    at[strlen(line)] == '\n', "no line %s in\n%s", line, text);
}

UNIT_TEST(a_counter_of_varnishstat_is_missing)
{
	char *text = metrics(), line[200];
	unsigned n = 0;

#define LINES(name, type, help)						\
	n++;								\
	if (#type[0] == 'c') {						\
		has(text, "# HELP fastmatch_" #name "_total " help "\n"	\
		    "# TYPE fastmatch_" #name "_total " #type);		\
		sprintf(line, "fastmatch_" #name "_total"		\
		    "{rules=\"site\"} %u", n);				\
		has(text, line);					\
	}
	FM_VSC(LINES)
#undef LINES
	ck_assert_uint_gt(n, 30);
	sprintf(line, "fastmatch_memory_bytes{rules=\"site\"} %llu",
	    (unsigned long long)vsc.bytes);
	has(text, line);
	sprintf(line, "fastmatch_rules_loaded_timestamp_seconds"
	    "{rules=\"site\"} %llu", (unsigned long long)vsc.loaded_at);
	has(text, line);
	has(text, "# TYPE fastmatch_generation gauge");
	has(text, "fastmatch_last_reload_successful{rules=\"site\"} 1");
	has(text, "# TYPE fastmatch_build_info gauge");
	has(text, "fastmatch_build_info{rules=\"site\",version=\"1.2.3\","
	    "engine=\"an engine\"} 1");
	free(text);
	what.refused = true;
	text = metrics();
	has(text, "fastmatch_last_reload_successful{rules=\"site\"} 0");
	free(text);
}

UNIT_TEST(verdicts_and_refusals_are_not_families_of_their_own)
{
	char *text = metrics(), line[200];
	unsigned verdicts = 0, refusals = 0;

#define MEMBERS(field, type, help)					\
	if (strncmp(#field, "verdict_", 8) == 0) {			\
		verdicts++;						\
		sprintf(line, "fastmatch_verdicts_total"		\
		    "{rules=\"site\",verdict=\"%s\"} %llu",		\
		    &#field[8],						\
		    (unsigned long long)vsc.field);			\
		has(text, line);					\
	}								\
	if (strncmp(#field, "refused_", 8) == 0) {			\
		refusals++;						\
		sprintf(line, "fastmatch_refused_total{rules=\"site\","	\
		    "reason=\"%s\"} %llu", &#field[8],			\
		    (unsigned long long)vsc.field);			\
		has(text, line);					\
	}
	FM_VSC(MEMBERS)
#undef MEMBERS
	ck_assert_uint_eq(verdicts, FM_VERDICT_REFUSE - 1);
	ck_assert_uint_ge(refusals, 7);
	has(text, "# TYPE fastmatch_verdicts_total counter");
	has(text, "# TYPE fastmatch_refused_total counter");
	free(text);
	what.open = true;
	text = metrics();
	has(text, "# TYPE fastmatch_verdicts counter");
	has(text, "# TYPE fastmatch_refused counter");
	free(text);
}

UNIT_TEST(a_label_breaks_the_text)
{
	char *text = metrics(), line[200];
	unsigned i;

	for (i = 0; i < HOSTS; i++) {
		if (hosts[i].shown == NULL)
			continue;
		sprintf(line, "fastmatch_host_hits_total{rules=\"site\","
		    "host=\"%s\"} %llu", hosts[i].shown,
		    (unsigned long long)hosts[i].hits);
		has(text, line);
	}
	/* The host that is called so is in the sum. */
	has(text, "fastmatch_host_hits_total{rules=\"site\","
	    "host=\"other\"} 12");
	ck_assert_ptr_null(strstr(text, "quiet"));
	ck_assert_ptr_null(strstr(text, "host_responses"));
	ck_assert_ptr_null(strstr(text, "host_errors"));
	has(text, "fastmatch_rule_hits_total{rules=\"site\","
	    "rule=\"0000000000000abc\"} 5");
	has(text, "fastmatch_rule_hits_total{rules=\"site\",rule=\"other\"} 8");
	has(text, "# TYPE fastmatch_rule_info gauge\n"
	    "fastmatch_rule_info{rules=\"site\",rule=\"0000000000000abc\","
	    "file=\"/etc/\\\"x\\\".rules\",line=\"12\"} 1");
	ck_assert_ptr_null(strstr(text, "fedcba"));
	ck_assert_ptr_null(strstr(text, "never"));
	ck_assert_ptr_null(strstr(text, "1234"));
	ck_assert_ptr_null(strstr(text, "# EOF"));
	ck_assert_uint_eq(asked_top, 17);
	free(text);
}

UNIT_TEST(responses_of_hosts_are_not_all_there)
{
	static const struct {
		const char	*family, *label;
	} series[FM_HITS_RESPONSES] = {
		{ "responses", "cache=\"hit\"" },
		{ "responses", "cache=\"miss\"" },
		{ "responses", "cache=\"pass\"" },
		{ "responses", "cache=\"own\"" },
		{ "errors", "status=\"4xx\"" },
		{ "errors", "status=\"5xx\"" }
	};
	char *text, line[200];
	unsigned i, k;

	responses_known = true;
	text = metrics();
	for (k = 0; k < FM_HITS_RESPONSES; k++) {
		for (i = 0; i < HOSTS; i++) {
			if (hosts[i].shown == NULL)
				continue;
			sprintf(line, "fastmatch_host_%s_total{rules=\"site\","
			    "host=\"%s\",%s} %u", series[k].family,
			    hosts[i].shown, series[k].label, i * 100 + k);
			has(text, line);
		}
		/* those of the host that is called so, and of the others */
		sprintf(line, "fastmatch_host_%s_total{rules=\"site\","
		    "host=\"other\",%s} %u", series[k].family,
		    series[k].label, 400 + k + 500 + k);
		has(text, line);
	}
	has(text, "# TYPE fastmatch_host_responses_total counter");
	has(text, "# TYPE fastmatch_host_errors_total counter");
	ck_assert_ptr_null(strstr(text, "quiet"));
	free(text);
}

UNIT_TEST(openmetrics_is_not_as_it_should_be)
{
	char *text, *at;

	what.open = true;
	text = metrics();
	has(text, "# HELP fastmatch_lookups Requests looked up\n"
	    "# TYPE fastmatch_lookups counter\n"
	    "fastmatch_lookups_total{rules=\"site\"} 1");
	has(text, "# TYPE fastmatch_rule info\n"
	    "fastmatch_rule_info{rules=\"site\",rule=\"0000000000000abc\","
	    "file=\"/etc/\\\"x\\\".rules\",line=\"12\"} 1");
	has(text, "# TYPE fastmatch_build info");
	has(text, "# TYPE fastmatch_hosts gauge");
	at = strstr(text, "# EOF\n");
	ck_assert_ptr_nonnull(at);
	ck_assert_str_eq(at, "# EOF\n");
	free(text);
}

UNIT_TEST(what_is_not_counted_is_shown)
{
	char *text;

	what.hits = NULL;
	text = metrics();
	has(text, "fastmatch_hits_total{rules=\"site\"} 2");
	ck_assert_ptr_null(strstr(text, "host_hits"));
	ck_assert_ptr_null(strstr(text, "fastmatch_rule_"));
	free(text);
}

UNIT_TEST(no_memory_breaks_or_leaks)
{
	char *text = NULL;
	long n;

	responses_known = true;
	for (n = 0; text == NULL; n++) {
		alloc_left = n;
		text = fm_rules_metrics(&what);
		alloc_left = -1;
	}
	ck_assert_int_gt(n, 3);
	free(text);
}

int
main(void)
{
	TCase *tc = unit_case("metrics", 60);

	tcase_add_checked_fixture(tc, setup, NULL);
	return (unit_run("metrics", tc));
}
