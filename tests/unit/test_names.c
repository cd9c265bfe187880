/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of names: what they accept, what they match, and a twin that tries
 * every name of the set in turn.
 */

#include "glob.h"
#include "names.h"
#include "twin.h"

/* A set of the words in a string. */
static struct fm_names *
names_of(const char *words)
{
	const struct fm_place place = { .name = "test" };
	struct fm_names_builder *builder = fm_names_build_new();
	struct fm_diag *diag = fm_diag_new();
	struct fm_names *names;
	struct fm_text name;

	ck_assert_ptr_nonnull(builder);
	while (twin_word(&words, &name)) {
		name = unit_copy(name);
		ck_assert_msg(fm_names_build_add(builder, name, &place,
		    diag) == 0, "%s", fm_diag_line(diag, 0));
		twin_free(name);
	}
	names = fm_names_build(builder, NULL, NULL);
	ck_assert_ptr_nonnull(names);
	fm_names_build_free(&builder);
	ck_assert_ptr_null(builder);
	fm_diag_free(&diag);
	return (names);
}

static bool
names_have(const struct fm_names *names, struct fm_text name,
    enum fm_names_code code)
{
	struct fm_text copy = unit_copy(name);
	bool match = fm_names_match(names, copy, code);

	twin_free(copy);
	return (match);
}

static const struct names_case {
	const char	*set;
	const char	*name;
	bool		raw;
	bool		percent;
} names_cases[] = {
	{ "", "", false, false },
	{ "", "a", false, false },
	{ "a", "", false, false },
	{ "*", "", true, true },
	{ "a", "a", true, true },
	{ "a", "A", false, false },
	{ "a", "aa", false, false },
	{ "aa", "a", false, false },
	{ "gclid fbclid", "fbclid", true, true },
	{ "gclid fbclid", "dclid", false, false },
	{ "gclid", "%67clid", false, true },
	{ "gclid", "%67%63%6C%6c%69%64", false, false },
	{ "gclid", "%67%63%6C%69%64", false, true },
	{ "gclid", "gcli%64", false, true },
	{ "gclid", "gclid%", false, false },
	{ "gclid", "gclid%0", false, false },
	{ "gclid", "gclid%00", false, false },
	{ "utm_*", "utm_", true, true },
	{ "utm_*", "utm_source", true, true },
	{ "utm_*", "utm%5fsource", false, true },
	{ "utm_*", "utm%5Fsource", false, true },
	{ "utm_*", "utm%255fsource", false, false },	/* once, not twice */
	{ "utm?id", "utm%255fid", false, false },
	{ "utm?5fid", "utm%5fid", true, false },
	{ "utm?5fid", "utm%255fid", false, true },
	{ "utm_*", "utm", false, false },
	{ "*_id", "user_id", true, true },
	{ "*_id", "user%5fid", false, true },
	{ "*_id", "_idx", false, false },
	{ "a+b", "a+b", true, true },
	{ "a+b", "a%2bb", false, true },
	{ "a?b", "a%20b", false, true },	/* a blank in a name */
	{ "a?b", "a%26b", false, true },
	{ "a?zz", "a%zz", true, true },		/* no escape: a literal % */
	{ "*x a?", "bx", true, true },
	{ "a? *x", "ab", true, true },
	{ "a? *x", "abc", false, false },
	/* prefixes that begin each other, and some between them */
	{ "a*z ab*y abb abc*x b*", "abc-z", true, true },
	{ "a*z ab*y abb abc*x b*", "abc-y", true, true },
	{ "a*z ab*y abb abc*x b*", "abc-x", true, true },
	{ "a*z ab*y abb abc*x b*", "abc-w", false, false },
	{ "a*z ab*y abb abc*x b*", "abb", true, true },
	{ "a*z ab*y abd*x b*", "abc-z", true, true },
	{ "a*z ab*y abd*x b*", "abd", false, false },
	{ "a*z ab*y abd*x b*", "bz", true, true },
	{ "ab*c ab*c ab*c", "abc", true, true },
	{ "\xc3\xa4", "\xc3\xa4", true, true },
	{ "\xc3\xa4", "%c3%A4", false, true },
	{ "\xc3*", "%c3%A4", false, true },
	{ "items[]", "items[]", true, true },
	{ "items[]", "items%5B%5D", false, true },
};

START_TEST(test_names_cases)
{
	const struct names_case *c = &names_cases[_i];
	struct fm_names *names = names_of(c->set);
	struct fm_text name = fm_text_of(c->name);

	ck_assert_msg(names_have(names, name, FM_NAMES_RAW) == c->raw,
	    "\"%s\" in \"%s\"", c->name, c->set);
	ck_assert_msg(names_have(names, name, FM_NAMES_PERCENT) == c->percent,
	    "\"%s\" in \"%s\", decoded", c->name, c->set);
	fm_names_free(&names);
	ck_assert_ptr_null(names);
}
END_TEST

/* A name that no set may have, and a word of the reason. */
static const struct {
	const char	*name;
	size_t		len;
	const char	*reason;
} refused_cases[] = {
	{ "", 0, "empty" },
	{ "utm%5fid", 8, "decoded" },
	{ "100%", 4, "decoded" },
	{ "a&b", 3, "'&'" },
	{ "a=b", 3, "'='" },
	{ "a;b", 3, "';'" },
	{ "a#b", 3, "'#'" },
	{ "a b", 3, "blank" },
	{ "a\tb", 3, "control" },
	{ "a\0b", 3, "control" },
	{ "\177", 1, "control" },
	{ " a", 2, "blank" },
};

START_TEST(test_names_refuse_what_no_name_can_be)
{
	const struct fm_place place = { .name = "list", .line = 7 };
	struct fm_names_builder *builder = fm_names_build_new();
	struct fm_diag *diag = fm_diag_new();
	struct fm_names *names;
	struct fm_text name = unit_copy(fm_text(refused_cases[_i].name,
	    refused_cases[_i].len));

	ck_assert_int_eq(fm_names_build_add(builder, name, &place, diag), -1);
	twin_free(name);
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0), "list:7: error"));
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0),
	    refused_cases[_i].reason));
	/* it is not in the set, and the next one may be */
	ck_assert_int_eq(fm_names_build_add(builder, fm_text_of("ok"), &place,
	    diag), 0);
	names = fm_names_build(builder, NULL, NULL);
	ck_assert_uint_eq(fm_names_count(names), 1);
	ck_assert(fm_names_match(names, fm_text_of("ok"), FM_NAMES_RAW));
	fm_names_free(&names);
	fm_names_build_free(&builder);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(test_names_may_have_512_bytes_and_no_more)
{
	struct fm_names_builder *builder = fm_names_build_new();
	struct fm_diag *diag = fm_diag_new();
	struct fm_names *names;
	char longest[FM_NAMES_MAX + 1], coded[3 * FM_NAMES_MAX + 1];
	size_t i;

	memset(longest, 'a', sizeof longest);
	for (i = 0; i < FM_NAMES_MAX; i++)
		memcpy(coded + 3 * i, "%61", 4);
	ck_assert_int_eq(fm_names_build_add(builder,
	    fm_text(longest, FM_NAMES_MAX + 1), NULL, diag), -1);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0), "513 bytes"));
	ck_assert_int_eq(fm_names_build_add(builder,
	    fm_text(longest, FM_NAMES_MAX), NULL, diag), 0);
	names = fm_names_build(builder, NULL, NULL);
	for (i = 1; i <= FM_NAMES_MAX + 1; i++)
		ck_assert_int_eq(names_have(names, fm_text(longest, i),
		    FM_NAMES_RAW), i == FM_NAMES_MAX);
	ck_assert(names_have(names, fm_text(coded, 3 * FM_NAMES_MAX),
	    FM_NAMES_PERCENT));
	ck_assert(!names_have(names, fm_text(coded, 3 * FM_NAMES_MAX - 3),
	    FM_NAMES_PERCENT));
	ck_assert(!names_have(names, fm_text(coded, 3 * FM_NAMES_MAX + 1),
	    FM_NAMES_PERCENT));
	fm_names_free(&names);
	fm_names_build_free(&builder);
	fm_diag_free(&diag);
}
END_TEST

/* Few globs, which are tried, and so many that they are a set of patterns. */
static const char * const long_sets[] = {
	"xx*end utm_*q",
	"xx*end utm_*q *0 *1 *2 *3 *4 *5 *6 *7 *8 *9 9*z?",
};

/* Longer, decoded, than any name of a set: only globs can fit. */
START_TEST(test_names_globs_see_the_end_of_a_long_encoded_name)
{
	struct fm_names *names = names_of(long_sets[_i]);
	size_t len = 3 * 2000;
	char *name = malloc(len);
	size_t i;

	ck_assert_ptr_nonnull(name);
	for (i = 0; i < len; i += 3)
		memcpy(name + i, "%78", 3);
	ck_assert(!names_have(names, fm_text(name, len), FM_NAMES_PERCENT));
	memcpy(name + len - 7, "%65%6ed", 7);
	memcpy(name + len - 9, "%7", 2);	/* a broken escape */
	ck_assert(names_have(names, fm_text(name, len), FM_NAMES_PERCENT));
	ck_assert(!names_have(names, fm_text(name, len), FM_NAMES_RAW));
	ck_assert(!names_have(names, fm_text(name, len - 1),
	    FM_NAMES_PERCENT));
	memcpy(name, "utm%5f", 6);
	ck_assert(!names_have(names, fm_text(name, len), FM_NAMES_PERCENT));
	memcpy(name + len - 3, "%71", 3);
	ck_assert(names_have(names, fm_text(name, len), FM_NAMES_PERCENT));
	fm_names_free(&names);
	free(name);
}
END_TEST

/* Prefixes are in a chain, what is more is a pattern of a set. */
START_TEST(test_names_many_globs_are_a_set)
{
	struct fm_names *names = names_of("p* pre* *_id *_ID a*b*c ?x x? "
	    "*_id *m*n* *mn* **z *.a *.b * p?q* exact");

	ck_assert_uint_eq(fm_names_count(names), 15);
	fm_names_free(&names);
	names = names_of("p* pre* *_id *_ID a*b*c ?x x? *m*n* *mn* **z *.a "
	    "*.b q?q* exact");
	ck_assert(names_have(names, fm_text_of("exact"), FM_NAMES_RAW));
	ck_assert(names_have(names, fm_text_of("post"), FM_NAMES_RAW));
	ck_assert(names_have(names, fm_text_of("_id"), FM_NAMES_RAW));
	ck_assert(names_have(names, fm_text_of("%5fid"), FM_NAMES_PERCENT));
	ck_assert(!names_have(names, fm_text_of("%5fid"), FM_NAMES_RAW));
	ck_assert(!names_have(names, fm_text_of("_iD"), FM_NAMES_RAW));
	ck_assert(names_have(names, fm_text_of("abc"), FM_NAMES_RAW));
	ck_assert(!names_have(names, fm_text_of("acb"), FM_NAMES_RAW));
	ck_assert(names_have(names, fm_text_of("%6d%6E"), FM_NAMES_PERCENT));
	ck_assert(names_have(names, fm_text_of("z"), FM_NAMES_RAW));
	ck_assert(!names_have(names, fm_text_of(""), FM_NAMES_RAW));
	fm_names_free(&names);
}
END_TEST

START_TEST(test_names_twice_are_kept_once)
{
	struct fm_names *names = names_of("a b a b* c? b* a* b* *");

	ck_assert_uint_eq(fm_names_count(names), 6);
	ck_assert_uint_gt(fm_names_bytes(names), 0);
	fm_names_free(&names);
}
END_TEST

START_TEST(test_names_builder_may_go_on_after_a_build)
{
	struct fm_names_builder *builder = fm_names_build_new();
	struct fm_names *first, *second;

	ck_assert_int_eq(fm_names_build_add(builder, fm_text_of("a"), NULL,
	    NULL), 0);
	first = fm_names_build(builder, NULL, NULL);
	ck_assert_int_eq(fm_names_build_add(builder, fm_text_of("b*"), NULL,
	    NULL), 0);
	second = fm_names_build(builder, NULL, NULL);
	fm_names_build_free(&builder);
	ck_assert(fm_names_match(first, fm_text_of("a"), FM_NAMES_RAW));
	ck_assert(!fm_names_match(first, fm_text_of("bc"), FM_NAMES_RAW));
	fm_names_free(&first);
	ck_assert(fm_names_match(second, fm_text_of("a"), FM_NAMES_RAW));
	ck_assert(fm_names_match(second, fm_text_of("bc"), FM_NAMES_RAW));
	fm_names_free(&second);
}
END_TEST

START_TEST(test_names_take_a_missing_name_for_an_empty_one)
{
	struct fm_names *names = names_of("a *");

	ck_assert(fm_names_match(names, fm_text_of(NULL), FM_NAMES_RAW));
	ck_assert(fm_names_match(names, fm_text_of(NULL), FM_NAMES_PERCENT));
	fm_names_free(&names);
}
END_TEST

/* The twin: a list, gone through. */

#define TWIN_NAMES	40
#define TWIN_LEN	6

struct twin {
	char	names[TWIN_NAMES][TWIN_LEN + 1];
	unsigned n;
};

static bool
twin_match(const struct twin *twin, struct fm_text name)
{
	unsigned i;

	for (i = 0; i < twin->n; i++)
		if (twin_glob(fm_text_of(twin->names[i]), name))
			return (true);
	return (false);
}

static struct fm_names *
random_set(struct twin *twin)
{
	struct fm_names_builder *builder = fm_names_build_new();
	struct fm_names *names;
	struct fm_text name;
	unsigned i;

	twin->n = unit_below(TWIN_NAMES + 1);
	for (i = 0; i < twin->n; i++) {
		do
			name = twin_random(twin->names[i], TWIN_LEN,
			    unit_below(3) == 0 ? "aab6*?" : "aab64");
		while (name.len == 0);
		twin->names[i][name.len] = '\0';
		AGREE(fm_names_build_add(builder,
		    fm_text_of(twin->names[i]), NULL, NULL) == 0,
		    "\"%s\" refused", twin->names[i]);
	}
	names = fm_names_build(builder, NULL, NULL);
	ck_assert_ptr_nonnull(names);
	fm_names_build_free(&builder);
	return (names);
}

START_TEST(test_names_agree_with_a_loop_on_random_sets)
{
	struct twin twin;
	struct fm_names *names;
	struct fm_text name;
	char buf[32], decoded[32];
	unsigned set, sets = unit_rounds(4000, 8), n, hits = 0;
	bool is;

	unit_seed("names");
	for (set = 0; set < sets; set++) {
		names = random_set(&twin);
		for (n = 0; n < 40; n++) {
			name = unit_copy(twin_random(buf, 9,
			    unit_below(2) ? "ab6" : "aab%614"));
			is = twin_match(&twin, name);
			AGREE(fm_names_match(names, name,
			    FM_NAMES_RAW) == is, "\"%.*s\"",
			    (int)name.len, name.b);
			hits += is;
			is = twin_match(&twin, twin_decode(name, decoded));
			AGREE(fm_names_match(names, name,
			    FM_NAMES_PERCENT) == is, "\"%.*s\", decoded",
			    (int)name.len, name.b);
			twin_free(name);
		}
		fm_names_free(&names);
	}
	/* both answers were there to be got wrong */
	ck_assert_uint_gt(hits, 4 * sets);
	ck_assert_uint_lt(hits, 36 * sets);
}
END_TEST

static struct fm_text
lower(struct fm_text t, char *buf)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		buf[i] = (char)fm_lower((unsigned char)t.b[i]);
	return (fm_text(buf, t.len));
}

/* Without case: as names and sets that are all lower case. */
START_TEST(test_names_without_case_agree_with_a_loop)
{
	static const char * const pads[] = { "", "aA", "%41", "%61B" };
	char buf[1200], decoded[1200], folded[1200], names_low[4][32];
	static const char * const sets[][4] = {
		{ "aBa", "B*", "?A*b", "aa%" },
		{ "AB", "ab", "bA?", "*BB" },
		{ "Aa*a", "aA*", "b", "A*B*A" },
	};
	struct fm_names_builder *builder;
	struct fm_text name, low;
	struct fm_names *names;
	unsigned set, n, i, k, hits = 0;
	bool is, raw;

	unit_seed("names nocase");
	for (set = 0; set < 300; set++) {
		builder = fm_names_build_new();
		for (i = 0; i < 3; i++) {
			name = fm_text_of(sets[set % 3][i]);
			lower(name, names_low[i]);
			names_low[i][name.len] = '\0';
			ck_assert_int_eq(fm_names_build_add(builder, name,
			    NULL, NULL), 0);
			if (i == 1)
				fm_names_build_nocase(builder);
		}
		names = fm_names_build(builder, NULL, NULL);
		fm_names_build_free(&builder);
		for (n = 0; n < 60; n++) {
			name = twin_random(buf, 6, "aAbB%461");
			/* longer than a name in a set can be */
			if (unit_below(8) == 0)
				for (k = 0; k < 300; k++) {
					memcpy(buf + name.len, pads[k % 4],
					    strlen(pads[k % 4]));
					name.len += strlen(pads[k % 4]);
				}
			for (raw = false;; raw = true) {
				low = lower(raw ? name :
				    twin_decode(name, decoded), folded);
				for (is = false, i = 0; i < 3; i++)
					is |= fm_glob_match(fm_text_of(
					    names_low[i]), low, false);
				AGREE(fm_names_match(names, name, raw ?
				    FM_NAMES_RAW : FM_NAMES_PERCENT) == is,
				    "\"%.*s\"", (int)name.len, name.b);
				hits += is;
				if (raw)
					break;
			}
		}
		fm_names_free(&names);
	}
	ck_assert_uint_gt(hits, 2000);
	ck_assert_uint_lt(hits, 30000);
}
END_TEST

/* Many names, and globs nested as deep as they go: none is lost. */
START_TEST(test_names_of_a_large_set_are_all_found)
{
	struct fm_names_builder *builder = fm_names_build_new();
	struct fm_names *names;
	char buf[FM_NAMES_MAX + 1];
	unsigned i;
	int n;

	for (i = 0; i < 20000; i++) {
		n = snprintf(buf, sizeof buf, i % 2 ? "n%u" : "g%u-*", i);
		AGREE(fm_names_build_add(builder, fm_text(buf, (size_t)n),
		    NULL, NULL) == 0, "\"%s\" refused", buf);
	}
	memset(buf, 'd', sizeof buf);
	for (i = 2; i < FM_NAMES_MAX; i++) {
		memcpy(buf + i, "*e", 2);
		if (i + 2 <= FM_NAMES_MAX)
			ck_assert_int_eq(fm_names_build_add(builder,
			    fm_text(buf, i + 2), NULL, NULL), 0);
		memcpy(buf + i, "dd", 2);
	}
	names = fm_names_build(builder, NULL, NULL);
	fm_names_build_free(&builder);
	ck_assert_uint_eq(fm_names_count(names), 20000 + FM_NAMES_MAX - 3);
	for (i = 0; i < 20000; i++) {
		n = snprintf(buf, sizeof buf, i % 2 ? "n%u" : "g%u-%%", i);
		AGREE(fm_names_match(names, fm_text(buf, (size_t)n),
		    FM_NAMES_RAW), "lost \"%s\"", buf);
		buf[0] = i % 2 ? 'g' : 'n';
		AGREE(!fm_names_match(names, fm_text(buf, (size_t)n),
		    FM_NAMES_RAW), "found \"%s\"", buf);
	}
	memset(buf, 'd', sizeof buf);
	ck_assert(!fm_names_match(names, fm_text(buf, sizeof buf),
	    FM_NAMES_PERCENT));
	buf[sizeof buf - 1] = 'e';
	ck_assert(fm_names_match(names, fm_text(buf, sizeof buf),
	    FM_NAMES_PERCENT));
	ck_assert(!fm_names_match(names, fm_text_of("de"), FM_NAMES_RAW));
	ck_assert(fm_names_match(names, fm_text_of("dde"), FM_NAMES_RAW));
	fm_names_free(&names);
}
END_TEST

START_TEST(test_names_take_any_bytes_of_any_length)
{
	struct fm_names *names = names_of("a* *b ?c* exact");
	size_t len = 64 << 10, i;
	char *b = malloc(len);

	unit_seed("names bytes");
	ck_assert_ptr_nonnull(b);
	memset(b, '%', len);
	ck_assert(!names_have(names, fm_text(b, len), FM_NAMES_PERCENT));
	b[len - 1] = 'b';
	ck_assert(names_have(names, fm_text(b, len), FM_NAMES_PERCENT));
	for (i = 0; i < len; i++)
		b[i] = (char)unit_below(256);
	b[0] = 'd';
	b[1] = 'd';
	b[len - 1] = 'd';
	ck_assert(!names_have(names, fm_text(b, len), FM_NAMES_RAW));
	b[len - 1] = 'b';
	ck_assert(names_have(names, fm_text(b, len), FM_NAMES_RAW));
	fm_names_free(&names);
	free(b);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("names");

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, test_names_cases, 0,
	    COUNT(names_cases));
	tcase_add_loop_test(tc, test_names_refuse_what_no_name_can_be, 0,
	    COUNT(refused_cases));
	tcase_add_test(tc, test_names_may_have_512_bytes_and_no_more);
	tcase_add_loop_test(tc,
	    test_names_globs_see_the_end_of_a_long_encoded_name, 0,
	    (int)(sizeof long_sets / sizeof *long_sets));
	tcase_add_test(tc, test_names_many_globs_are_a_set);
	tcase_add_test(tc, test_names_twice_are_kept_once);
	tcase_add_test(tc, test_names_builder_may_go_on_after_a_build);
	tcase_add_test(tc, test_names_take_a_missing_name_for_an_empty_one);
	tcase_add_test(tc, test_names_agree_with_a_loop_on_random_sets);
	tcase_add_test(tc, test_names_without_case_agree_with_a_loop);
	tcase_add_test(tc, test_names_of_a_large_set_are_all_found);
	tcase_add_test(tc, test_names_take_any_bytes_of_any_length);
	return (unit_run("names", tc));
}
