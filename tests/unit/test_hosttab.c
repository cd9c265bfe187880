/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The host table: precedence as data, every error, and random tables against
 * a loop over all patterns.
 */

#include <ctype.h>

#include "unit.h"

#include "hostname.h"
#include "host_find.h"
#include "twin_hosttab.h"

static struct fm_place
call(unsigned n)
{
	return ((struct fm_place){ .name = "sites.add()", .call = n });
}

/* Adds the n-th pattern, whose entry has that number; it must be taken. */
static void
must_add(struct fm_hosttab *tab, struct fm_text pattern, unsigned n)
{
	struct fm_place place = call(n);
	struct fm_diag *diag = fm_diag_new();

	if (fm_hosttab_add(tab, pattern, n, &place, diag) != 0)
		ck_abort_msg("%s", fm_diag_line(diag, 0));
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	fm_diag_free(&diag);
}

/* Makes a table of patterns separated by blanks; entries count from 0. */
static struct fm_hosttab *
table_of(const char *patterns)
{
	struct fm_hosttab *tab = fm_hosttab_new();
	unsigned n = 0;
	size_t len;

	ck_assert_ptr_nonnull(tab);
	for (; *patterns != '\0'; patterns += len) {
		patterns += strspn(patterns, " ");
		len = strcspn(patterns, " ");
		must_add(tab, fm_text(patterns, len), n++);
	}
	fm_hosttab_seal(tab);
	ck_assert_uint_eq(fm_hosttab_count(tab), n);
	return (tab);
}

#define NONE	FM_HOSTTAB_NONE
#define EXACT	FM_HOSTTAB_EXACT
#define SUFFIX	FM_HOSTTAB_SUFFIX
#define PREFIX	FM_HOSTTAB_PREFIX
#define ANY	FM_HOSTTAB_ANY

struct row {
	const char		*host;	/* as a client sends it */
	enum fm_hosttab_how	how;
	unsigned		entry;
	const char		*wild;
};

static void
rows_hold(const char *patterns, const struct row *row)
{
	struct fm_hosttab *tab = table_of(patterns);
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;
	struct fm_text canon, copy;
	bool found;

	for (; row->host != NULL; row++) {
		ck_assert_int_eq(fm_hostname_canon(fm_text_of(row->host), buf,
		    &canon), FM_HOSTNAME_OK);
		copy = unit_copy(canon);
		memset(&hit, 0x55, sizeof hit);
		found = host_find(tab, copy, &hit);
		ck_assert_msg(hit.how == row->how && found == (hit.how != NONE),
		    "\"%s\" in \"%s\": %d", row->host, patterns, hit.how);
		if (found)
			ck_assert_msg(hit.entry == row->entry &&
			    hit.pattern == row->entry,
			    "\"%s\" in \"%s\": entry %u, pattern %u",
			    row->host, patterns, hit.entry, hit.pattern);
		else
			ck_assert_uint_eq(hit.pattern, UINT32_MAX);
		if (row->wild == NULL)
			ck_assert_ptr_null(hit.wild.b);
		else {
			unit_assert_text(hit.wild, row->wild);
			ck_assert(hit.wild.b >= copy.b && hit.wild.b +
			    hit.wild.len <= copy.b + copy.len);
		}
		free((void *)(uintptr_t)copy.b);
	}
	fm_hosttab_free(&tab);
	ck_assert_ptr_null(tab);
}

/*
 * nginx's order for server_name: the exact name; the longest wildcard name
 * that starts with an asterisk; the longest that ends with one; the default.
 */
UNIT_TEST(nginx_would_choose_another_host)
{
	static const struct row with_default[] = {
		{ "example.org", EXACT, 0, NULL },
		{ "www.example.org", EXACT, 1, NULL },
		{ "mail.example.org", EXACT, 2, NULL },
		{ "ftp.example.org", SUFFIX, 3, "ftp" },
		{ "www.sub.example.org", SUFFIX, 4, "www" },
		{ "a.b.sub.example.org", SUFFIX, 4, "a.b" },
		{ "sub.example.org", SUFFIX, 3, "sub" },
		{ "www.example.com", PREFIX, 5, "com" },
		{ "www.example.co.uk", PREFIX, 5, "co.uk" },
		{ "www.elsewhere.net", PREFIX, 6, "elsewhere.net" },
		{ "mail.elsewhere.net", PREFIX, 7, "elsewhere.net" },
		{ "www.example", PREFIX, 6, "example" },
		{ "example.com", ANY, 8, "example.com" },
		{ "notexample.org", ANY, 8, "notexample.org" },
		{ "org", ANY, 8, "org" },
		{ "mail", ANY, 8, "mail" },
		{ NULL, NONE, 0, NULL }
	};

	rows_hold("example.org www.example.org mail.example.org "
	    "*.example.org *.sub.example.org www.example.* www.* mail.* *",
	    with_default);
}

UNIT_TEST(the_dots_in_an_address_are_between_labels)
{
	rows_hold("[::1] [2001:DB8::1] 192.0.2.1 *.4 1.2.* 4 *",
	    (const struct row []){
	    { "[::1]", EXACT, 0, NULL },
	    { "[::1]:80", EXACT, 0, NULL },
	    { "[2001:db8::1]", EXACT, 1, NULL },
	    { "[2001:dB8::1]:443", EXACT, 1, NULL },
	    { "192.0.2.1", EXACT, 2, NULL },
	    { "192.0.2.1:80", EXACT, 2, NULL },
	    /* An IPv4 address is a name as any other. */
	    { "1.2.3.4", SUFFIX, 3, "1.2.3" },
	    { "1.2.3.5", PREFIX, 4, "3.5" },
	    { "[::ffff:1.2.3.4]", ANY, 6, "[::ffff:1.2.3.4]" },
	    { "[::2]", ANY, 6, "[::2]" },
	    { NULL, NONE, 0, NULL } });
	rows_hold("[::FFFF:1.2.3.4] *.2 *.3 *.2.3", (const struct row []){
	    { "[::ffff:1.2.3.4]", EXACT, 0, NULL },
	    { "[::ffff:1.2.3.5]", NONE, 0, NULL },
	    { "1.2.3", SUFFIX, 3, "1" },
	    { NULL, NONE, 0, NULL } });
}

/* The pattern is refused with a message that has these words. */
static void
must_refuse(struct fm_hosttab *tab, struct fm_text pattern,
    unsigned n, const char *words)
{
	struct fm_place place = call(n);
	struct fm_diag *diag = fm_diag_new();
	char where[FM_PLACE_LEN];
	const char *line;

	ck_assert_msg(fm_hosttab_add(tab, pattern, n, &place,
	    diag) == -1, "\"%.*s\" was taken", (int)pattern.len, pattern.b);
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	line = fm_diag_line(diag, 0);
	(void)fm_place_print(&place, where);
	ck_assert_msg(strncmp(line, where, strlen(where)) == 0,
	    "not at its place: %s", line);
	ck_assert_msg(strstr(line, words) != NULL, "no \"%s\" in: %s", words,
	    line);
	fm_diag_free(&diag);
	/* The diag may be NULL. */
	ck_assert_int_eq(fm_hosttab_add(tab, pattern, n, &place,
	    NULL), -1);
}

UNIT_TEST(a_bad_pattern_is_taken_or_not_explained)
{
	static const struct {
		const char	*pattern;
		const char	*words;
	} bad[] = {
		{ "", "empty host pattern" },
		{ "example.com:80", "a host pattern has no port: write "
		    "'example.com'" },
		{ "*:80", "has no port: write '*'" },
		{ "*.example.com:80", "has no port: write '*.example.com'" },
		{ "www:80.*", "has no port: write 'www.*'" },
		{ "[::1]:80", "has no port: write '[::1]'" },
		{ ":80", "the byte 0x3a" },
		{ "::1", "in brackets" },
		{ "a*.example", "'a*.example': '*' is whole labels" },
		{ "*.example.*", "'www.*' and '*'" },
		{ "www.*.example", "'*' is whole labels" },
		{ "www.*.", "'*' is whole labels" },
		{ "*.", "a wildcard of nothing" },
		{ ".*", "a wildcard of nothing" },
		{ "a..b", "an empty label" },
		{ "..a", "an empty label" },
		{ "www..*", "an empty label" },
		{ " example.com", "the byte 0x20" },
		{ "example.com/", "without scheme and path" },
		{ "~^www\\.", "is not a regex" },
		{ "m\xc3\xbcnchen.example", "the byte 0xc3" },
		{ "m\xc3\xbcnchen.example", "xn--" },
		{ "[x]", "not an IPv6 address" },
		{ "[::1].", "not an IPv6 address" },
		{ "*.[::1]", "an IPv6 address has no labels" },
		{ "[::1].*", "an IPv6 address has no labels" }
	};
	struct fm_hosttab *tab = fm_hosttab_new();
	struct fm_hosttab_hit hit;
	char host[300];
	unsigned i;

	ck_assert_ptr_nonnull(tab);
	must_add(tab, fm_text_of("first.example"), 70);
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		must_refuse(tab, fm_text_of(bad[i].pattern), i + 1,
		    bad[i].words);
	must_refuse(tab, fm_text_of(NULL), 80, "empty host pattern");
	must_refuse(tab, fm_text("a\0b", 3), 81, "the byte 0x00");
	memset(host, 'a', sizeof host);
	must_refuse(tab, fm_text(host, 254), 82, "254 bytes");
	must_refuse(tab, fm_text(host, 300), 83, "...'");
	must_add(tab, fm_text(host, 253), 84);
	must_add(tab, fm_text_of("last.example"), 85);

	/* Refused patterns left nothing, and broke nothing. */
	fm_hosttab_seal(tab);
	ck_assert_uint_eq(fm_hosttab_count(tab), 3);
	ck_assert(host_find(tab, fm_text_of("last.example"), &hit));
	ck_assert_uint_eq(hit.entry, 85);
	ck_assert(host_find(tab, fm_text(host, 253), &hit));
	ck_assert_uint_eq(hit.entry, 84);
	ck_assert(!host_find(tab, fm_text_of("example.com"), &hit));
	fm_hosttab_free(&tab);
}

UNIT_TEST(a_host_twice_is_taken_or_a_place_not_named)
{
	static const struct {
		const char	*first;
		const char	*second;
		const char	*words;
	} twice[] = {
		{ "x", "x", "host 'x' added twice: first at sites.add(), "
		    "call 1" },
		{ "x", "X.", "host 'X.' added twice: first at sites.add(), "
		    "call 1" },
		{ "*", "*", "host '*' added twice: first at sites.add(), "
		    "call 1" },
		{ "*.x", "*.X", "host '*.X' added twice: first at "
		    "sites.add(), call 1" },
		{ ".x", ".x", "host '.x' added twice: first at sites.add(), "
		    "call 1" },
		{ "x.*", "x.*", "host 'x.*' added twice: first at "
		    "sites.add(), call 1" },
		{ "[::A]", "[::a]", "host '[::a]' added twice: first at "
		    "sites.add(), call 1" },
		{ ".x", "x", "host 'x' added twice: '.x' at sites.add(), "
		    "call 1 means it too" },
		{ ".x", "*.x", "host '*.x' added twice: '.x' at sites.add(), "
		    "call 1 means it too" },
		{ "x", ".x", "host '.x' added twice: it means 'x' too, which "
		    "is at sites.add(), call 1" },
		{ "*.x", ".x", "host '.x' added twice: it means '*.x' too, "
		    "which is at sites.add(), call 1" }
	};
	struct fm_hosttab *tab;
	size_t i;

	for (i = 0; i < sizeof twice / sizeof twice[0]; i++) {
		tab = fm_hosttab_new();
		must_add(tab, fm_text_of(twice[i].first), 1);
		must_refuse(tab, fm_text_of(twice[i].second), 2,
		    twice[i].words);
		ck_assert_uint_eq(fm_hosttab_count(tab), 1);
		fm_hosttab_free(&tab);
	}
}

/*
 * Looks up a host as a request may write it, each time in another way of eight:
 * with a capital or not, a dot after it or a port.  The answer is that for the
 * canonical host.
 */
static void
same_raw(const struct fm_hosttab *tab, struct fm_text host,
    const struct fm_hosttab_hit *expected)
{
	static const char * const after[4] = { "", ".", ":80", ":" };
	static unsigned turn;
	char raw[FM_HOSTNAME_MAX + 10], buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;
	struct fm_text canon;
	size_t more = strlen(after[turn / 2 % 4]);

	memcpy(raw, host.b, host.len);
	memcpy(raw + host.len, after[turn / 2 % 4], more);
	if (turn++ % 2 == 1)
		raw[0] = (char)toupper((unsigned char)raw[0]);
	memset(&hit, 0x55, sizeof hit);
	if (fm_hosttab_lookup(tab, fm_text(raw, host.len + more), buf,
	    &canon, &hit) != (expected->how != NONE) ||
	    !fm_text_eq(canon, host) || hit.how != expected->how ||
	    hit.entry != expected->entry ||
	    hit.pattern != expected->pattern ||
	    !fm_text_eq(hit.wild, expected->wild))
		ck_abort_msg("\"%.*s\" is %d", (int)(host.len + more), raw,
		    hit.how);
}

UNIT_TEST(what_is_no_host_is_looked_up)
{
	static const struct fm_place place = { .name = "test" };
	struct fm_hosttab *tab = fm_hosttab_new();
	struct fm_hosttab_hit hit;
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	ck_assert_int_eq(fm_hosttab_add(tab, fm_text_of("*"), 1,
	    &place, NULL), 0);
	fm_hosttab_seal(tab);
	ck_assert(!fm_hosttab_lookup(tab, fm_text_of("a b"), buf, &canon,
	    &hit));
	ck_assert_ptr_null(canon.b);
	ck_assert_int_eq(hit.how, NONE);
	ck_assert_uint_eq(hit.pattern, UINT32_MAX);
	ck_assert(!fm_hosttab_lookup(tab, fm_text(NULL, 0), buf, &canon,
	    &hit));
	ck_assert_ptr_null(canon.b);
	fm_hosttab_free(&tab);
}

/* Adds to both, or to none where it is there already. */
static void
twin_add(struct twin *twin, struct fm_hosttab *tab,
    const char *pattern)
{
	struct fm_place place = call(twin->count + 1);
	bool clash = false;
	unsigned i;
	int rc;

	for (i = 0; i < twin->count && !clash; i++)
		clash = twin_clash(twin->patterns[i], pattern);
	rc = fm_hosttab_add(tab, fm_text_of(pattern),
	    twin_entry(twin->count), &place, NULL);
	if (rc != (clash ? -1 : 0))
		ck_abort_msg("\"%s\" is %s", pattern,
		    clash ? "taken twice" : "refused");
	if (!clash)
		strcpy(twin->patterns[twin->count++], pattern);
}

static enum fm_hosttab_how
twins_agree(const struct twin *twin, const struct fm_hosttab *tab,
    struct fm_text host)
{
	struct fm_hosttab_hit hit, expected = twin_lookup(twin, host);
	bool found;

	memset(&hit, 0x55, sizeof hit);
	found = host_find(tab, host, &hit);
	if (found != (expected.how != NONE) || hit.how != expected.how ||
	    hit.wild.b != expected.wild.b ||
	    hit.wild.len != expected.wild.len ||
	    hit.entry != expected.entry || hit.pattern != expected.pattern)
		ck_abort_msg("\"%.*s\" is %d \"%s\", not %d \"%s\"",
		    (int)host.len, host.b, hit.how,
		    hit.how == NONE || hit.pattern >= twin->count ? "" :
		    twin->patterns[hit.pattern], expected.how,
		    expected.how == NONE ? "" :
		    twin->patterns[expected.pattern]);
	if (host.b[0] != '[')
		same_raw(tab, host, &expected);
	return (hit.how);
}

static const char * const labels_short[] = { "a", "b", "aa", "ab" };

/* Around the sizes of the words that names are read in. */
static const char * const labels_long[] = {
	"a", "seven77", "eight-88", "nine9nine", "b",
	"thirty-two-bytes-are-32--bytes-",
	"sixty-three-bytes-are-the-longest-that-a-label-may-be-in-dns-63"
};

static const char * const literals[] = {
	"[::1]", "[::ffff:1.2.3.4]", "[::a]"
};

/* A name of 1 to 6 of these labels; one in 16 is an address. */
static size_t
random_name(char *name, const char * const *labels, unsigned nlabels,
    bool literal)
{
	unsigned depth = 1 + unit_below(6);
	const char *label;
	size_t len = 0;

	if (literal && unit_below(16) == 0) {
		strcpy(name, literals[unit_below(3)]);
		return (strlen(name));
	}
	while (depth-- > 0) {
		label = labels[unit_below(nlabels)];
		if (len + 1 + strlen(label) > FM_HOSTNAME_MAX)
			break;
		if (len > 0)
			name[len++] = '.';
		strcpy(name + len, label);
		len += strlen(label);
	}
	return (len);
}

static void
random_pattern(char *pattern, const char * const *labels, unsigned nlabels)
{
	switch (unit_below(9)) {
	case 0:
		strcpy(pattern, "*");
		break;
	case 1: case 2:
		strcpy(pattern, "*.");
		(void)random_name(pattern + 2, labels, nlabels, false);
		break;
	case 3: case 4:
		strcpy(pattern, ".");
		(void)random_name(pattern + 1, labels, nlabels, false);
		break;
	case 5: case 6:
		(void)random_name(pattern, labels, nlabels, false);
		strcat(pattern, ".*");
		break;
	default:
		(void)random_name(pattern, labels, nlabels, true);
	}
}

static void
random_tables_agree(const char * const *labels, unsigned nlabels)
{
	static struct twin twin;
	struct fm_hosttab *tab;
	char pattern[TWIN_LEN + 2], name[TWIN_LEN];
	unsigned n, i, want, hows[FM_HOSTTAB_ANY + 1] = { 0 };
	struct fm_text host;
	size_t len;

	for (n = 0; n < 600; n++) {
		tab = fm_hosttab_new();
		twin.count = 0;
		want = unit_below(n % 8 == 0 ? TWIN_MAX : 30);
		for (i = 0; i < want; i++) {
			random_pattern(pattern, labels, nlabels);
			/* One table of four has `*`, which finds all. */
			if (strcmp(pattern, "*") != 0 || n % 4 == 0)
				twin_add(&twin, tab, pattern);
		}
		fm_hosttab_seal(tab);
		for (i = 0; i < 200; i++) {
			len = random_name(name, labels, nlabels, true);
			host = unit_copy(fm_text(name, len));
			hows[twins_agree(&twin, tab, host)]++;
			free((void *)(uintptr_t)host.b);
		}
		fm_hosttab_free(&tab);
	}
	for (i = 0; i <= FM_HOSTTAB_ANY; i++)
		ck_assert_uint_gt(hows[i], 1000);
}

UNIT_TEST(random_tables_differ_from_the_naive_twin)
{
	unit_seed("random_tables_differ_from_the_naive_twin");
	random_tables_agree(labels_short, 4);
}

UNIT_TEST(random_long_names_differ_from_the_naive_twin)
{
	unit_seed("random_long_names_differ_from_the_naive_twin");
	random_tables_agree(labels_long, 7);
}

/* Writes "a.b.a.b..." of `depth` labels: at most 127. */
static size_t
deep_name(char *name, unsigned depth, unsigned from)
{
	size_t len = 0;

	for (; depth > 0; depth--) {
		if (len > 0)
			name[len++] = '.';
		name[len++] = from++ % 2 == 0 ? 'a' : 'b';
	}
	name[len] = '\0';
	return (len);
}

UNIT_TEST(a_host_of_127_labels_is_found_elsewhere)
{
	static struct twin twin;
	struct fm_hosttab *tab;
	char name[TWIN_LEN], pattern[TWIN_LEN + 2];
	unsigned step, depth, n, ends[2] = { 0, 0 };
	size_t len;

	/* Every step-th depth has a wildcard; at last only the deepest. */
	for (step = 1; step <= 126; step = step == 64 ? 126 : step * 2) {
		tab = fm_hosttab_new();
		twin.count = 0;
		for (depth = step; depth <= 127; depth += step) {
			/* Some names are at the end of a host, some are not. */
			strcpy(pattern, "*.");
			(void)deep_name(pattern + 2, depth,
			    (127 - depth + depth % 3 / 2) % 2);
			twin_add(&twin, tab, pattern);
			len = deep_name(pattern, depth, depth % 3 / 2);
			strcpy(pattern + len, ".*");
			twin_add(&twin, tab, pattern);
		}
		fm_hosttab_seal(tab);
		for (n = 0; n < 2 * 127; n++) {
			len = deep_name(name, 1 + n / 2, n % 2);
			ends[twins_agree(&twin, tab, fm_text(name, len)) !=
			    NONE]++;
		}
		/* No name in it is known. */
		for (n = 0; n < len; n += 2)
			name[n] = 'c';
		ck_assert_int_eq(twins_agree(&twin, tab, fm_text(name, len)),
		    NONE);
		fm_hosttab_free(&tab);
	}
	ck_assert_uint_gt(ends[0], 100);
	ck_assert_uint_gt(ends[1], 100);
}

#define MANY	100000

static struct fm_text
many_host(char buf[64], unsigned n)
{
	return (fm_text(buf, (size_t)snprintf(buf, 64, "www.shop-%u.example%s",
	    n, n % 2 == 0 ? ".com" : "")));
}

/*
 * With 29 bits of hash this adds hosts whose hashes are the same, and looks up
 * some 70 that have the hash of another host.
 */
UNIT_TEST(one_of_100000_hosts_is_lost_or_invented)
{
	struct fm_hosttab *tab = fm_hosttab_new();
	struct fm_place place = call(1);
	struct fm_hosttab_hit hit;
	struct fm_text host;
	size_t names = 0;
	char buf[64];
	unsigned n;

	for (n = 0; n < MANY; n++) {
		host = many_host(buf, n);
		names += host.len;
		if (fm_hosttab_add(tab, host, n, &place, NULL) != 0)
			ck_abort_msg("%s is not taken", buf);
	}
	for (n = 0; n < MANY; n++) {
		host = many_host(buf, n);
		if (fm_hosttab_add(tab, host, n, &place, NULL) == 0)
			ck_abort_msg("%s is taken twice", buf);
	}
	fm_hosttab_seal(tab);
	ck_assert_uint_eq(fm_hosttab_count(tab), MANY);
	printf("%d hosts: %.1f bytes each beside the name\n", MANY,
	    (double)(fm_hosttab_bytes(tab) - names) / MANY);
	ck_assert_uint_lt(fm_hosttab_bytes(tab) - names, MANY * 100UL);
	for (n = 0; n < MANY; n++) {
		host = many_host(buf, n);
		if (!host_find(tab, host, &hit) || hit.entry != n ||
		    hit.pattern != n)
			ck_abort_msg("%s is not found", buf);
		/* A host with one byte less, or another one, is not found. */
		if (host_find(tab, fm_text(host.b + 1, host.len - 1),
		    &hit) ||
		    host_find(tab, fm_text(host.b, host.len - 1), &hit))
			ck_abort_msg("a part of %s is found", buf);
		buf[host.len / 2] = '_';
		if (host_find(tab, host, &hit))
			ck_abort_msg("%s is found", buf);
	}
	fm_hosttab_free(&tab);
}

UNIT_TEST(a_pattern_is_known_by_its_spelling_or_taken_for_another)
{
	static const char * const same[][2] = {
		{ "Example.COM.", "example.com" }, { "*.A.b.", "*.a.b" },
		{ ".A", ".a." }, { "WWW.*", "www.*" }, { "[::A]", "[::a]" },
		{ "*", "*" }
	};
	static const char * const other[] = {
		"a", "*.a", ".a", "a.*", "*", "b", "a.a", "[::1]", "[::2]"
	};
	unsigned n = sizeof other / sizeof other[0], i, j;

	for (i = 0; i < sizeof same / sizeof same[0]; i++)
		ck_assert_uint_eq(fm_hosttab_pattern_id(fm_text_of(
		    same[i][0])), fm_hosttab_pattern_id(fm_text_of(
		    same[i][1])));
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(fm_hosttab_pattern_id(fm_text_of(
			    other[i])), fm_hosttab_pattern_id(fm_text_of(
			    other[j])));
}

int
main(void)
{
	return (unit_main("hosttab", 60));
}
