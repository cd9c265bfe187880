/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The report of a rules object, as Jansson reads it.  Functions below stand for
 * the program, its counters and its files, so there are texts that no file of
 * rules could have.  The JSON writer is compared with a naive UTF-8.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "alloc.h"
#include "jsonbuf.h"
#include "rules_report.h"
#include "unit.h"

/*--------------------------------------------------------------------
 * The objects that are reported
 */

#define TEXT_ROOM	64

static struct {
	size_t		nrules;
	size_t		nhosts;
	bool		responses;	/* are known */
	const struct fm_source *files;
} fake;

static char fake_place[TEXT_ROOM], fake_host[TEXT_ROOM];
static const struct fm_rule fake_rule = {
	.place = fake_place, .text = "set X = \"1\";"
};

size_t
fm_program_nrules(const struct fm_program *program)
{
	ck_assert_ptr_nonnull(program);
	return (fake.nrules);
}

size_t
fm_program_hosts(const struct fm_program *program)
{
	ck_assert_ptr_nonnull(program);
	return (fake.nhosts);
}

bool
fm_program_rule(const struct fm_program *program, uint32_t n,
    const struct fm_rule **rule, uint32_t *counter)
{
	ck_assert_ptr_nonnull(program);
	ck_assert_uint_lt(n, fake.nrules);
	(void)snprintf(fake_place, sizeof fake_place, "site.rules:%u", n + 1);
	*rule = &fake_rule;
	ck_assert_ptr_null(counter);
	return (true);
}

const char *
fm_program_host(const struct fm_program *program, uint32_t n, uint32_t *counter)
{
	ck_assert_ptr_nonnull(program);
	ck_assert_uint_lt(n, fake.nhosts);
	ck_assert_ptr_null(counter);
	(void)snprintf(fake_host, sizeof fake_host, "site%u.example", n);
	return (fake_host);
}

/* Every third thing has no hits, some have more than 32 bits can say. */
static uint64_t
fake_hits(size_t n)
{
	return (n % 3 == 0 ? 0 : n * 1000000007ULL);
}

void
fm_hits_read(const struct fm_hits *hits, double now,
    struct fm_hits_numbers *numbers)
{
	size_t n;
	unsigned k;

	ck_assert_ptr_nonnull(hits);
	ck_assert_double_eq(now, 4711);
	ck_assert_ptr_null(numbers->rates);
	ck_assert_ptr_null(numbers->history);
	for (n = 0; n < fake.nrules + fake.nhosts; n++)
		numbers->totals[n] = fake_hits(n);
	numbers->responding = fake.responses;
	for (n = 0; fake.responses && n < fake.nhosts; n++)
		for (k = 0; k < FM_HITS_RESPONSES; k++)
			numbers->responses[n].n[k] =
			    k == 0 ? 1ULL << 40 : n * 10 + k;
}

const struct fm_source *
fm_sources_first(const struct fm_sources *sources)
{
	ck_assert_ptr_nonnull(sources);
	return (fake.files);
}

const char *
fm_digest_print(const unsigned char hash[16], char digest[FM_DIGEST_LEN])
{
	(void)snprintf(digest, FM_DIGEST_LEN, "%032x", hash[0]);
	return (digest);
}

/* Never looked into. */
static char something;
#define FAKE(type)	((type *)(void *)&something)

static struct fm_set set;
static struct fm_version version;
static struct fm_live_state state;
static struct fm_rules_reported what;

static void
setup(void)
{
	memset(&fake, 0, sizeof fake);
	memset(&version, 0, sizeof version);
	set = (struct fm_set){
	    .sources = FAKE(struct fm_sources),
	    .facts = { .hosts = 3, .patterns = 4, .rules = 5, .bytes = 6 },
	    .digest = "00112233445566778899aabbccddeeff" };
	version.generation = 7;
	version.set = &set;
	state = (struct fm_live_state){
	    .version = &version,
	    .facts = { .loaded_at = 1767225600 },
	    .followers = 1 };
	what = (struct fm_rules_reported){
	    .name = "site", .vcl = "boot", .path = "/etc/varnish/site.rules",
	    .clock = 4711, .program = FAKE(struct fm_program),
	    .hits = FAKE(struct fm_hits) };
}

/*--------------------------------------------------------------------
 * Reading it
 */

static json_t *
parse(const char *text)
{
	json_error_t error;
	json_t *json;

	ck_assert_ptr_nonnull(text);
	json = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
	    &error);
	ck_assert_msg(json != NULL, "line %d: %s in\n%s", error.line,
	    error.text, text);
	return (json);
}

static json_t *
report(void)
{
	char *text = fm_rules_report(&what, &state);
	json_t *json = parse(text);

	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	free(text);
	return (json);
}

/* Compares the keys, in their order: "key key key". */
static void
check_keys(json_t *object, const char *expect)
{
	char keys[300] = "";
	const char *key;
	json_t *value;

	ck_assert(json_is_object(object));
	json_object_foreach(object, key, value) {
		if (*keys != '\0')
			strcat(keys, " ");
		ck_assert_uint_lt(strlen(keys) + strlen(key),
		    sizeof keys - 2);
		strcat(keys, key);
	}
	ck_assert_str_eq(keys, expect);
}

/* Compares the values of some keys of an object, which are given as JSON. */
static void
check_values(json_t *object, const char *expect)
{
	json_t *wanted = parse(expect), *value;
	const char *key;
	char *got;

	json_object_foreach(wanted, key, value) {
		got = json_dumps(json_object_get(object, key),
		    JSON_ENCODE_ANY);
		ck_assert_msg(json_equal(json_object_get(object, key), value),
		    "%s is %s", key, got);
		free(got);
	}
	json_decref(wanted);
}

/* Compares the values of some keys of the report. */
static void
check_report(const char *expect)
{
	json_t *json = report();

	check_values(json, expect);
	json_decref(json);
}

/*--------------------------------------------------------------------*/

UNIT_TEST(test_report_of_a_quiet_object_says_something_else)
{
	state.last_at = 1767225661;	/* of nothing */
	check_report("{"
	    "\"name\":\"site\","
	    "\"vcl\":\"boot\","
	    "\"path\":\"/etc/varnish/site.rules\","
	    "\"generation\":7,"
	    "\"digest\":\"00112233445566778899aabbccddeeff\","
	    "\"loaded_at\":\"2026-01-01T00:00:00Z\","
	    "\"watch\":0,"
	    "\"backup\":null,"
	    "\"followers\":1,"
	    "\"last_reload\":{\"result\":\"never\",\"at\":null},"
	    "\"last_error\":null,"
	    "\"warnings\":[],"
	    "\"files\":[],"
	    "\"counts\":{\"hosts\":3,\"patterns\":4,\"rules\":5,\"bytes\":6},"
	    "\"never_hit\":{\"rules\":[],\"hosts\":[]},"
	    "\"rules\":[],"
	    "\"hosts\":[]}");
}

UNIT_TEST(test_report_of_a_busy_object_says_something_else)
{
	state.watch = 1.5;
	state.backup = "/var/lib/varnish-fastmatch/site";
	state.facts.backup = true;
	state.followers = 10;
	state.last = FM_RELOAD_SWAPPED;
	state.last_at = 1767225661;
	check_report("{\"watch\":1.5,\"backup\":{\"path\":"
	    "\"/var/lib/varnish-fastmatch/site\",\"serving\":true},"
	    "\"followers\":10,\"last_reload\":{\"result\":\"swapped\","
	    "\"at\":\"2026-01-01T00:01:01Z\"}}");
	state.facts.backup = false;
	state.last = FM_RELOAD_UNCHANGED;
	check_report("{\"backup\":{\"path\":"
	    "\"/var/lib/varnish-fastmatch/site\",\"serving\":false},"
	    "\"last_reload\":{\"result\":\"unchanged\","
	    "\"at\":\"2026-01-01T00:01:01Z\"}}");
}

UNIT_TEST(test_errors_and_warnings_are_not_listed_as_their_lines)
{
	struct fm_place place = { .name = "a.rules", .line = 3, .column = 5 };

	state.last = FM_RELOAD_REFUSED;
	state.last_at = 1767225661;
	state.diag = fm_diag_new();
	fm_diag_error(state.diag, &place, "a \"quoted\" word");
	place.line = 4;
	fm_diag_error(state.diag, &place, "another");
	state.errors = 20;
	set.diag = fm_diag_new();
	fm_diag_warning(set.diag, &place, "never reached");
	check_report("{\"last_reload\":{\"result\":\"refused\",\"at\":"
	    "\"2026-01-01T00:01:01Z\"},"
	    "\"last_error\":{\"at\":\"2026-01-01T00:01:01Z\","
	    "\"errors\":20,\"messages\":["
	    "\"a.rules:3:5: error: a \\\"quoted\\\" word\","
	    "\"a.rules:4:5: error: another\"]},"
	    "\"warnings\":[\"a.rules:4:5: warning: never reached\"]}");
	fm_diag_free(&state.diag);
	fm_diag_free(&set.diag);
}

UNIT_TEST(test_files_are_not_told_with_what_became_of_them)
{
	static struct fm_source rest[] = {
		{ .path = "/etc/*.rules", .glob = true, .next = &rest[1] },
		{ .path = "/etc/bad\377\n\"name", .error = ENOENT,
		    .next = &rest[2] },
		{ .path = "/etc/empty", .hash = { 0xfe },
		    .says = { "1.2", "2026-11-21" } }
	};
	static const struct fm_source files = { .path = "/etc/site.rules",
	    .st = { .st_size = 123456, .st_mtim = { .tv_sec = 1767225600 } },
	    .hash = { 0xd1 }, .next = rest };

	fake.files = &files;
	check_report("{\"files\":["
	    "{\"path\":\"/etc/site.rules\",\"digest\":"
	    "\"000000000000000000000000000000d1\",\"bytes\":123456,"
	    "\"modified\":\"2026-01-01T00:00:00Z\"},"
	    "{\"path\":\"/etc/bad\\ufffd\\n\\\"name\","
	    "\"error\":\"No such file or directory\"},"
	    "{\"path\":\"/etc/empty\",\"digest\":"
	    "\"000000000000000000000000000000fe\",\"bytes\":0,"
	    "\"modified\":null,\"version\":\"1.2\","
	    "\"date\":\"2026-11-21\"}]}");
}

UNIT_TEST(test_what_is_not_counted_is_said_to_be_never_hit)
{
	fake.nrules = fake.nhosts = 1;
	what.hits = NULL;
	check_report("{\"never_hit\":null,"
	    "\"rules\":[{\"at\":\"site.rules:1\",\"text\":"
	    "\"set X = \\\"1\\\";\",\"hits\":null}],"
	    "\"hosts\":[{\"host\":\"site0.example\",\"requests\":null,"
	    "\"hits\":null,\"misses\":null,\"passes\":null,\"own\":null,"
	    "\"4xx\":null,\"5xx\":null}]}");
}

UNIT_TEST(test_responses_of_a_host_are_not_those_counted)
{
	fake.nhosts = 2;
	fake.responses = true;
	check_report("{\"hosts\":["
	    "{\"host\":\"site0.example\",\"requests\":0,"
	    "\"hits\":1099511627776,\"misses\":1,\"passes\":2,\"own\":3,"
	    "\"4xx\":4,\"5xx\":5},"
	    "{\"host\":\"site1.example\",\"requests\":1000000007,"
	    "\"hits\":1099511627776,\"misses\":11,\"passes\":12,"
	    "\"own\":13,\"4xx\":14,\"5xx\":15}]}");
}

UNIT_TEST(test_without_a_version_there_is_no_report)
{
	state.version = NULL;
	state.facts = (struct fm_live_facts){ .set = { .hosts = 2 } };
	what.program = NULL;
	what.hits = NULL;
	check_report("{\"generation\":0,\"digest\":null,\"loaded_at\":null,"
	    "\"counts\":{\"hosts\":2,\"patterns\":0,\"rules\":0,\"bytes\":0},"
	    "\"never_hit\":null,\"rules\":[],\"hosts\":[],\"shadow\":null,"
	    "\"next\":null}");
}

#define COUNTED(phase, sampled)	"\"" phase "\":{\"sampled\":" sampled \
	",\"differ\":0,\"no_memory\":0,\"unattributed\":0}"

UNIT_TEST(test_shadow_lacks_a_key_or_says_something_else)
{
	struct fm_shadow_cell cell = { "response", "header", "X-A",
	    "*.shop.example", { { .at = NULL }, { .at = "next.rules:3",
	    .text = "set X-A \"1\";" } }, 7 };
	struct fm_shadow_cell *cells[] = { &cell };
	const char *params[] = { "id", "<b>" }, *headers[] = { "Host" };
	struct fm_shadow_tested tested[] = {
	    { "User-Agent", "curl" }, { "X-B", NULL } };
	struct fm_shadow_example example = { .at = 1767225661,
	    .phase = "response", .method = "GET", .path = "/a\xff",
	    .params = params, .nparams = 2,
	    .headers = headers, .nheaders = 1, .tested = tested, .ntested = 2,
	    .cells = { &cell }, .ncells = 1 };
	struct fm_shadow_told told = { .path = "/etc/varnish/next.rules",
	    .sample = 0.000025, .generation = 2, .loaded_at = 1767225600,
	    .errors = 3, .messages = "a: error: b\na: error: c\n" };
	json_t *json;

	what.shadow = &told;
	json = report();
	check_keys(json_object_get(json, "shadow"), "path digest generation"
	    " loaded_at last_error sample since sampled differ no_memory"
	    " unattributed other later differences examples");
	check_values(json_object_get(json, "shadow"), "{\"digest\":null,"
	    "\"sample\":0.000025,\"since\":null,"
	    "\"last_error\":{\"at\":\"2026-01-01T00:00:00Z\","
	    "\"errors\":3,\"messages\":[\"a: error: b\",\"a: error: c\"]},"
	    "\"differences\":[],\"examples\":[]}");
	json_decref(json);
	told = (struct fm_shadow_told){ .path = "n", .sample = 1,
	    .digest = "00112233445566778899aabbccddeeff",
	    .since = 1767225600, .sampled = 12, .differ = 7, .no_memory = 1,
	    .unattributed = 2, .other = 3, .later[FM_PHASE_KEY] = { 4, 3, 2,
	    1 }, .later[FM_PHASE_DELIVERY].sampled = 9, .cells = cells,
	    .ncells = 1,
	    .examples = &example, .nexamples = 1 };
	json = report();
	check_values(json_object_get(json, "shadow"), "{\"last_error\":null,"
	    "\"sample\":1,\"since\":\"2026-01-01T00:00:00Z\","
	    "\"sampled\":12,\"differ\":7,\"no_memory\":1,"
	    "\"unattributed\":2,\"other\":3,"
	    "\"later\":{\"key\":{\"sampled\":4,\"differ\":3,\"no_memory\":2,"
	    "\"unattributed\":1}," COUNTED("fetch", "0") ","
	    COUNTED("response", "0") "," COUNTED("delivery", "9") "},"
	    "\"differences\":[{\"phase\":\"response\",\"kind\":\"header\","
	    "\"header\":\"X-A\",\"host\":\"*.shop.example\","
	    "\"serving\":null,\"shadow\":{\"at\":\"next.rules:3\","
	    "\"text\":\"set X-A \\\"1\\\";\"},\"requests\":7}],"
	    "\"examples\":[{\"at\":\"2026-01-01T00:01:01Z\","
	    "\"phase\":\"response\","
	    "\"method\":\"GET\",\"host\":null,\"path\":\"/a\\ufffd\","
	    "\"params\":[\"id\",\"<b>\"],\"headers\":[\"Host\"],"
	    "\"tested\":[{\"header\":\"User-Agent\",\"value\":\"curl\"},"
	    "{\"header\":\"X-B\",\"value\":null}],\"differences\":[{"
	    "\"phase\":\"response\",\"kind\":\"header\",\"header\":\"X-A\","
	    "\"host\":\"*.shop.example\",\"serving\":null,"
	    "\"shadow\":{\"at\":\"next.rules:3\","
	    "\"text\":\"set X-A \\\"1\\\";\"}}]}]}");
	json_decref(json);
}

UNIT_TEST(test_next_serves_or_says_why_not)
{
	const struct fm_live_state its = { .facts = { .generation = 3,
	    .loaded_at = 1767225600 }, .version = state.version };
	struct fm_next_told told = { .path = "/etc/varnish/next.rules",
	    .share = 0.5, .serves = true, .state = &its };
	struct fm_diag *diag = fm_diag_new();
	json_t *json;

	what.next = &told;
	json = report();
	check_keys(json_object_get(json, "next"), "path share digest generation"
	    " loaded_at last_error");
	check_values(json_object_get(json, "next"), "{\"share\":0.5,"
	    "\"path\":\"/etc/varnish/next.rules\",\"generation\":3,"
	    "\"loaded_at\":\"2026-01-01T00:00:00Z\",\"last_error\":null}");
	ck_assert(json_is_string(json_object_get(json_object_get(json, "next"),
	    "digest")));
	json_decref(json);
	fm_diag_error(diag, NULL, "a");
	told.diag = diag;
	told.serves = false;
	json = report();
	check_values(json_object_get(json, "next"), "{\"digest\":null,"
	    "\"last_error\":{\"errors\":1,\"messages\":[\"error: a\"]}}");
	json_decref(json);
	fm_diag_free(&diag);
}

/* Each thing has a line, so less, grep and diff work. */
#define NOT_KNOWN	", \"hits\": null, \"misses\": null, "		\
			"\"passes\": null, \"own\": null, "		\
			"\"4xx\": null, \"5xx\": null"

UNIT_TEST(test_two_things_are_on_one_line)
{
	static const char expect[] =
	    "  \"never_hit\": {\n"
	    "    \"rules\": [\n"
	    "      {\"at\": \"site.rules:1\","
	    " \"text\": \"set X = \\\"1\\\";\"}\n"
	    "    ],\n"
	    "    \"hosts\": [\n"
	    "      \"site1.example\"\n"
	    "    ]\n"
	    "  },\n"
	    "  \"rules\": [\n"
	    "    {\"at\": \"site.rules:1\", \"text\": \"set X = \\\"1\\\";\","
	    " \"hits\": 0},\n"
	    "    {\"at\": \"site.rules:2\", \"text\": \"set X = \\\"1\\\";\","
	    " \"hits\": 1000000007}\n"
	    "  ],\n"
	    "  \"hosts\": [\n"
	    "    {\"host\": \"site0.example\", \"requests\": 2000000014"
	    NOT_KNOWN "},\n"
	    "    {\"host\": \"site1.example\", \"requests\": 0"
	    NOT_KNOWN "}\n"
	    "  ],\n"
	    "  \"shadow\": null,\n"
	    "  \"next\": null\n"
	    "}\n";
	char *text;

	fake.nrules = fake.nhosts = 2;
	text = fm_rules_report(&what, &state);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(strncmp(text,
	    "{\n  \"name\": \"site\",\n  \"vcl\": \"boot\",\n", 35), 0);
	ck_assert_ptr_nonnull(strstr(text, "\n  \"never_hit\""));
	ck_assert_str_eq(strstr(text, "  \"never_hit\""), expect);
	free(text);
}

UNIT_TEST(test_no_memory_gives_half_a_report)
{
	char *text = NULL, *whole;
	long n;

	fake.nrules = fake.nhosts = 200;
	fake.responses = true;
	whole = fm_rules_report(&what, &state);
	ck_assert_ptr_nonnull(whole);
	for (n = 0; text == NULL; n++) {
		ck_assert_int_lt(n, 50);
		alloc_left = n;
		text = fm_rules_report(&what, &state);
	}
	alloc_left = -1;
	/* The array of totals, and the text as it grows. */
	ck_assert_int_gt(n, 3);
	ck_assert_str_eq(text, whole);
	free(text);
	free(whole);
}

/*--------------------------------------------------------------------
 * The writer
 */

/* Returns the length of a character that is encoded well; 0: it is none. */
static size_t
naive_utf8(const char *s, size_t n)
{
	const unsigned char *b = (const unsigned char *)s;
	static const unsigned lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t point;
	size_t len, i;

	if (b[0] < 0x80)
		return (1);
	for (len = 2; len <= 4 && len <= n; len++) {
		point = b[0] & (0x7fU >> len);
		if ((lead[len] | point) != b[0])
			continue;
		for (i = 1; i < len && b[i] >= 0x80 && b[i] <= 0xbf; i++)
			point = point << 6 | (b[i] & 0x3f);
		if (i == len && point >= least[len] && point <= 0x10ffff &&
		    !(point >= 0xd800 && point <= 0xdfff))
			return (len);
	}
	return (0);
}

static size_t
naive_text(struct fm_text text, char *to)
{
	size_t i, len, n = 0;

	for (i = 0; i < text.len; i += len) {
		len = naive_utf8(text.b + i, text.len - i);
		memcpy(to + n, len == 0 ? "\xef\xbf\xbd" : text.b + i,
		    len == 0 ? 3 : len);
		n += len == 0 ? 3 : len;
		len = len == 0 ? 1 : len;
	}
	return (n);
}

/* A control character of ASCII or ISO 8859 does things to a terminal. */
static void
check_harmless(const char *s)
{
	const unsigned char *b;

	for (b = (const unsigned char *)s; *b != '\0'; b++)
		if (*b < 0x20 || *b == 0x7f || (b[0] == 0xc2 && b[1] < 0xa0))
			ck_abort_msg("a control character in %s", s);
}

static void
check_text(struct fm_text text)
{
	struct fm_jsonbuf buf = { .bytes = NULL };
	struct fm_text copy = unit_copy(text);
	char *json, *naive = malloc(3 * text.len + 1);
	json_error_t error;
	json_t *value;
	size_t len;

	ck_assert_ptr_nonnull(naive);
	len = naive_text(text, naive);
	fm_jsonbuf_text(&buf, copy);
	json = fm_jsonbuf_finish(&buf);
	check_harmless(json);
	value = json_loads(json, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	ck_assert_msg(value != NULL, "%s: %s", error.text, json);
	ck_assert_uint_eq(json_string_length(value), len);
	ck_assert_mem_eq(json_string_value(value), naive, len);
	json_decref(value);
	free(json);
	free(naive);
	free((void *)(uintptr_t)copy.b);
}

static const char * const pieces[] = {
	"a", "host.example", " ", "\"", "\\", "/", "\n", "\t", "\x1b[31m",
	"\x7f", "\xc2\x80", "\xc2\x9f", "\xc2\xa0", "\xc3\xa9", "\xc0\x80",
	"\xc1\xbf", "\xe0\x9f\xbf", "\xe0\xa0\x80", "\xe2\x82\xac",
	"\xed\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xee\x80\x80",
	"\xef\xbf\xbd", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80\x80",
	"\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80",
	"\xf5\x80\x80\x80", "\xff", "\x80", "\xe2\x82", "\xf0\x9f\x98"
};
#define NPIECES	(sizeof pieces / sizeof pieces[0])

static const char second[] = {
	'\0', '"', '\\', 'n', '\x7f', '\x80', '\x8f', '\x90', '\x9f', '\xa0',
	'\xbf', '\xc0', '\xff'
};
#define NSECOND	(sizeof second)

UNIT_TEST(test_text_is_broken_by_its_bytes)
{
	static char lengthy[20000];
	char text[200];
	unsigned round, k, n;
	size_t len;

	for (n = 0; n < 256 * NSECOND; n++) {
		text[0] = (char)(n / NSECOND);
		text[1] = second[n % NSECOND];
		check_text(fm_text(text, 2));
	}
	for (n = 0; n < NPIECES; n++)
		check_text(fm_text_of(pieces[n]));
	check_text(fm_text("", 0));
	memset(lengthy, 1, sizeof lengthy);
	check_text(fm_text(lengthy, sizeof lengthy));
	for (round = 0; round < 5000; round++) {
		len = 0;
		for (k = unit_below(12); k > 0; k--) {
			n = unit_below(NPIECES + 4);
			if (n < NPIECES) {
				strcpy(text + len, pieces[n]);
				len += strlen(pieces[n]);
			} else
				text[len++] = (char)unit_below(256);
		}
		check_text(fm_text(text, len));
	}
}

static void
check_written(struct fm_jsonbuf *buf, const char *expect)
{
	char *text = fm_jsonbuf_finish(buf);

	ck_assert_str_eq(text, expect);
	free(text);
}

UNIT_TEST(test_numbers_or_times_are_others)
{
	struct fm_jsonbuf buf = { .bytes = NULL };
	static const struct {
		double		seconds;
		const char	*expect;
	} durations[] = {
		{ 0, "0" }, { -1, "0" }, { 1, "1" }, { 0.5, "0.5" },
		{ 0.25, "0.25" }, { 1.001, "1.001" }, { 10.01, "10.01" },
		{ 0.0004, "0" }, { 0.9996, "1" }, { 86400, "86400" },
		{ INFINITY, "1000000000000" }, { NAN, "0" }
	};
	const char *volatile missing = NULL;
	size_t i;

	check_written(&buf, "");
	fm_jsonbuf_print(&buf, "%ju %ju %s%.6f", (uintmax_t)0, UINTMAX_MAX,
	    missing, 0.0000125);
	check_written(&buf, "0 18446744073709551615 null0.000013");
	for (i = 0; i < sizeof durations / sizeof durations[0]; i++) {
		fm_jsonbuf_print(&buf, "%.3f", durations[i].seconds);
		check_written(&buf, durations[i].expect);
	}
	ck_assert_int_eq(setenv("TZ", "Asia/Kolkata", 1), 0);
	tzset();
	fm_jsonbuf_print(&buf, "%jd%jd%jd", (intmax_t)0, (intmax_t)1,
	    (intmax_t)1709251199);
	check_written(&buf,
	    "null\"1970-01-01T00:00:01Z\"\"2024-02-29T23:59:59Z\"");
}

int
main(void)
{
	TCase *tc = unit_case("report", 60);

	unit_seed("test_report");
	tcase_add_checked_fixture(tc, setup, NULL);
	return (unit_run("report", tc));
}
