/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of names: what they accept, what they match, and a twin that tries
 * every name of the set in turn.
 */

#include "names.h"
#include "percent.h"
#include "twin.h"

/* Returns a set of the words in a string. */
static struct fm_names *
names_of(const char *words, bool nocase)
{
	const struct fm_place place = { .name = "test" };
	struct fm_names *names = fm_names_new(nocase);
	struct fm_diag *diag = fm_diag_new();
	struct fm_text name;

	while (twin_word(&words, &name)) {
		name = unit_copy(name);
		AGREE(fm_names_add(names, name, &place, diag) == 0,
		    "%s", fm_diag_line(diag, 0));
		twin_free(name);
	}
	AGREE(fm_names_make(names, NULL, diag) == 0, "no names");
	fm_diag_free(&diag);
	return (names);
}

static bool
names_have(const struct fm_names *names, struct fm_text name,
    enum fm_names_code code)
{
	struct fm_text copy = unit_copy(name);
	int match = fm_names_match(names, copy, code);

	ck_assert_int_ge(match, 0);
	twin_free(copy);
	return (match > 0);
}

/* Too many to try each. */
#define MANY_GLOBS "p* *_id *_ID a*b*c ?x x? *m*n* *mn* *.a *.b ab"

static const struct {
	const char	*set;
	const char	*name;
	bool		raw;
	bool		percent;
} cases[] = {
	{ "", "", false, false },
	{ "a *", "", true, true },
	{ "gclid", "%67%63%6C%69%64", false, true },
	{ "gclid", "%67%63%6C%6c%69%64", false, false },
	{ "utm_*", "utm%5fsource", false, true },
	{ "utm_*", "utm%255fsource", false, false },	/* once, not twice */
	{ "utm?5fid", "utm%5fid", true, false },
	{ "a+b", "a%2bb", false, true },
	{ "a?b", "a%20b", false, true },	/* a blank in a name */
	{ "a?zz", "a%zz", true, true },		/* no escape: a literal % */
	{ "items[]", "items%5B%5D", false, true },
	{ MANY_GLOBS, "%5fid", false, true },
	{ MANY_GLOBS, "%6d%6E", false, true },
};

/* All in one process, as each has the engine make its self-test. */
UNIT_TEST(test_names_cases)
{
	struct fm_names *names;
	struct fm_text name;
	int i;

	for (i = 0; i < COUNT(cases); i++) {
		names = names_of(cases[i].set, false);
		name = fm_text_of(cases[i].name);
		AGREE(names_have(names, name, FM_NAMES_RAW) == cases[i].raw &&
		    names_have(names, name, FM_NAMES_PERCENT) ==
		    cases[i].percent, "\"%s\" in \"%s\"", cases[i].name,
		    cases[i].set);
		/* None at all is an empty one. */
		ck_assert(fm_names_match(names, fm_text_of(NULL),
		    FM_NAMES_PERCENT) == names_have(names, fm_text_of(""),
		    FM_NAMES_PERCENT));
		fm_names_free(&names);
		ck_assert_ptr_null(names);
	}
}

UNIT_TEST(test_names_percent_knows_every_digit_and_no_other)
{
	static const char not_digits[] = "/:@G`gxZ%+- ";
	char coded[8];
	const char *p, *c;
	int byte;

	for (byte = 0; byte < 256; byte++) {
		(void)snprintf(coded, sizeof coded, byte % 2 ? "%%%02x" :
		    "%%%02X", byte);
		c = coded;
		ck_assert_int_eq(fm_percent_next(&c, coded + 3), byte);
		ck_assert_ptr_eq(c, coded + 3);
		c = coded;
		ck_assert_int_eq(fm_percent_next(&c, coded + 2), '%');
	}
	for (p = not_digits; *p != '\0'; p++) {
		(void)snprintf(coded, sizeof coded, "%%%c1%%1%c", *p, *p);
		c = coded;
		ck_assert_int_eq(fm_percent_next(&c, coded + 6), '%');
		ck_assert_ptr_eq(c, coded + 1);
		c = coded + 3;
		ck_assert_int_eq(fm_percent_next(&c, coded + 6), '%');
	}
}

/* A name that no set may have, and a word of the reason. */
static const struct {
	struct fm_text	name;
	const char	*reason;
} refused[] = {
	{ { "", 0 }, "empty" },
	{ { "utm%5fid", 8 }, "decoded" },
	{ { "a&b", 3 }, "'&'" },
	{ { "a=b", 3 }, "'='" },
	{ { "a;b", 3 }, "';'" },
	{ { "a#b", 3 }, "'#'" },
	{ { "a b", 3 }, "blank" },
	{ { "a\tb", 3 }, "control" },
	{ { "a\0b", 3 }, "control" },
	{ { "\177", 1 }, "control" },
	{ { NULL, FM_NAMES_MAX + 1 }, "513 bytes" },
};

UNIT_LOOP(test_names_refuse_what_no_name_can_be, COUNT(refused))
{
	const struct fm_place place = { .name = "list", .line = 7 };
	struct fm_names *names = fm_names_new(false);
	char longest[FM_NAMES_MAX + 1] = "";
	const char *reason;
	struct fm_diag *diag = fm_diag_new();
	struct fm_text name = refused[_i].name;

	if (name.b == NULL)
		name.b = longest;
	name = unit_copy(name);
	ck_assert_int_eq(fm_names_add(names, name, &place, diag), -1);
	twin_free(name);
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	reason = strstr(fm_diag_line(diag, 0), "list:7: error");
	ck_assert_ptr_nonnull(reason);
	ck_assert_ptr_nonnull(strstr(reason, refused[_i].reason));
	/* A refused name is not in the set, and the next one may be. */
	ck_assert_int_eq(fm_names_add(names, fm_text_of("ok"), &place,
	    diag), 0);
	ck_assert_int_eq(fm_names_make(names, NULL, NULL), 0);
	ck_assert_uint_eq(fm_patset_count(fm_names_set(names)), 1);
	ck_assert(fm_names_match(names, fm_text_of("ok"), FM_NAMES_RAW));
	fm_names_free(&names);
	fm_diag_free(&diag);
}

/* The longest name that a set can have, in as many bytes as it may take. */
UNIT_TEST(test_names_may_have_512_bytes)
{
	char longest[FM_NAMES_MAX + 1] = "", coded[3 * FM_NAMES_MAX + 1] = "";
	struct fm_names *names;
	size_t i;

	memset(longest, 'a', FM_NAMES_MAX);
	for (i = 0; i < FM_NAMES_MAX; i++)
		memcpy(coded + 3 * i, "%61", 3);
	names = names_of(longest, false);
	for (i = 1; i <= FM_NAMES_MAX; i++) {
		ck_assert_int_eq(names_have(names, fm_text(longest, i),
		    FM_NAMES_RAW), i == FM_NAMES_MAX);
		ck_assert_int_eq(names_have(names, fm_text(coded, 3 * i),
		    FM_NAMES_PERCENT), i == FM_NAMES_MAX);
	}
	fm_names_free(&names);
}

/* The twin tries all words; names may be longer than one of a set. */
UNIT_TEST(test_names_agree_with_a_loop_on_random_sets)
{
	char words[2000], buf[2000], decoded[2000];
	unsigned i, n, hits = 0, sets = unit_rounds(800, 16);
	const char *left;
	struct fm_text name, word, read;
	struct fm_names *names;
	bool nocase, is;
	int len;

	unit_seed("names");
	for (i = 0; i < sets; i++) {
		words[0] = '\0';
		for (len = 0, n = unit_below(unit_below(4) == 0 ? 100 : 40);
		    n > 0; n--) {
			word = unit_below(4) == 0 ?
			    twin_random(buf, 12, "aaaaaaab*") :
			    twin_random(buf, 6, unit_below(3) == 0 ?
			    "aab6*?B" : "aab64B\xff");
			if (word.len > 0)
				len += sprintf(words + len, "%.*s ",
				    (int)word.len, word.b);
		}
		nocase = unit_below(3) == 0;
		names = names_of(words, nocase);
		for (n = 0; n < 80; n++) {
			name = unit_below(4) == 0 ?
			    twin_random(buf, 14, "aaaaaaaab") :
			    twin_random(buf, 9, unit_below(2) ? "aAb6B\xff" :
			    "aAb%614B");
			if (unit_below(10) == 0)
				for (; name.len < 1500; name.len += 4)
					memcpy(buf + name.len, "%61b", 4);
			read = n % 2 ? name : twin_decode(name, decoded);
			for (left = words, is = false;
			    !is && twin_word(&left, &word);)
				is = nocase ? twin_glob_nocase(word, read) :
				    twin_glob(word, read);
			AGREE(names_have(names, name, n % 2 ? FM_NAMES_RAW :
			    FM_NAMES_PERCENT) == is, "%u \"%.*s\" in \"%s\"",
			    n % 2, (int)name.len, name.b, words);
			hits += is;
		}
		fm_names_free(&names);
	}
	/* The random input gave both answers often enough. */
	ck_assert_uint_gt(hits, 4 * sets);
	ck_assert_uint_lt(hits, 76 * sets);
}

/* fm_names_begin() finds only names that are there, up to a `=`. */
UNIT_TEST(test_names_begin_a_text_up_to_its_equals_sign)
{
	unsigned n, found = 0, rounds = unit_rounds(40000, 4);
	struct fm_names *names = names_of("a ab* b\xff aaaaaaaaab ?b ba",
	    false);
	struct fm_text text, name;
	const char *equals;
	char buf[32];
	bool begin;

	unit_seed("names begin");
	for (n = 0; n < rounds; n++) {
		text = twin_random(buf, n % 2 ? 14 : 4, "aaab=\xff%");
		if (text.len == 0)
			continue;
		text = unit_copy(text);
		equals = memchr(text.b, '=', text.len);
		name = equals == NULL ? text : fm_text_span(text.b, equals);
		begin = fm_names_begin(names, text);
		AGREE(!begin || fm_names_match(names, name, FM_NAMES_RAW) > 0,
		    "\"%.*s\" begins with no name", (int)text.len, text.b);
		AGREE(begin || !twin_glob(fm_text_of("a"), name),
		    "\"%.*s\" is not found", (int)text.len, text.b);
		found += begin;
		twin_free(text);
	}
	ck_assert_uint_gt(found, rounds / 20);
	fm_names_free(&names);
}

/* No name that the set has begins with a byte that the filter leaves out. */
UNIT_TEST(test_names_firsts_have_each_first_byte)
{
	static const char * const sets[] = { "a", "Zz @x", "_ ~", "?a", "*",
	    "\xff\xfe" };
	struct fm_names *names;
	unsigned i, c, n, left = 0;
	uint64_t firsts;
	char name[2];

	for (i = 0; i < 2 * COUNT(sets); i++) {
		names = names_of(sets[i / 2], i % 2 == 1);
		firsts = fm_names_firsts(names);
		for (c = 0; c < 256; c++) {
			name[0] = (char)c;
			for (n = 0; n < 256; n += 15) {
				name[1] = (char)n;
				AGREE((firsts >> c % 64 & 1) != 0 ||
				    (!names_have(names, fm_text(name, 1),
				    FM_NAMES_RAW) && !names_have(names,
				    fm_text(name, 2), FM_NAMES_RAW)),
				    "%02x in \"%s\"", c, sets[i / 2]);
			}
			left += (firsts >> c % 64 & 1) == 0;
		}
		fm_names_free(&names);
	}
	ck_assert_uint_gt(left, 256 * COUNT(sets) / 2);
}

int
main(void)
{
	return (unit_main("names", 30));
}
