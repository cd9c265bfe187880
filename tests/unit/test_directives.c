/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists in headers of responses: cases as tables, and twins that split a list
 * into an array.
 */

#include "directives.h"
#include "twin.h"
#include "twin_directives.h"

enum { DROP, KEEP, STAR };	/* STAR is added to one of the others */

/* A set of the words in a string; NULL of NULL. */
static struct fm_names *
names_of(const char *words)
{
	struct fm_names *names;
	struct fm_text name;

	if (words == NULL)
		return (NULL);
	names = fm_names_new(true);
	ck_assert_ptr_nonnull(names);
	while (twin_word(&words, &name))
		ck_assert_int_eq(fm_names_add(names, name, NULL, NULL), 0);
	ck_assert_int_eq(fm_names_make(names, NULL, NULL), 0);
	return (names);
}

static struct fm_text
filter(const struct fm_names *names, int flags, struct fm_text list, char *buf)
{
	return (fm_directives_filter(list, names, flags & KEEP ?
	    FM_DIRECTIVES_KEEP : FM_DIRECTIVES_DROP, (flags & STAR) != 0,
	    buf));
}

/*
 * Heap memory that ends with the text, so that AddressSanitizer sees a byte
 * too many without a new block for each.
 */
#define BLOCK	256

static struct fm_text
block_text(char block[BLOCK], struct fm_text t)
{
	AGREE(t.len <= BLOCK, "no room");
	memcpy(block + BLOCK - t.len, t.b, t.len);
	return (fm_text(block + BLOCK - t.len, t.len));
}

/* Fails unless a text is as expected: missing, the list itself, or in buf. */
static void
check_list(struct fm_text list, const char *buf, struct fm_text out,
    bool changes, struct fm_text expect)
{
	if (!changes)
		AGREE(out.b == list.b && out.len == list.len,
		    "\"%.*s\" became \"%.*s\"", (int)list.len, list.b,
		    (int)out.len, out.b);
	else
		AGREE(fm_text_same(out, expect) &&
		    (out.b == buf || out.b == NULL),
		    "\"%.*s\" became \"%.*s\", not \"%.*s\"", (int)list.len,
		    list.b, (int)out.len, out.b, (int)expect.len, expect.b);
}

#define SAME	"the list itself"

static const struct {
	const char	*names;		/* NULL: there is no set */
	int		flags;
	const char	*list;
	const char	*out;		/* NULL: missing */
} filter_cases[] = {
	/* nothing to do */
	{ "private", DROP, "", SAME },
	{ "private", KEEP, " , ,", SAME },
	{ NULL, DROP, "a,b", SAME },
	{ "private", DROP, "public,,max-age=60 ,", SAME },
	{ "max-age public", KEEP, "public,,max-age=60 ,", SAME },
	/* dropping and keeping */
	{ "private", DROP, "private", NULL },
	{ "public", KEEP, ",private,", NULL },
	{ NULL, KEEP, "a, b", NULL },
	{ "User-Agent", DROP, "Accept-Encoding,User-Agent,Cookie",
	    "Accept-Encoding, Cookie" },
	{ "user-agent cookie", DROP, "Cookie , Origin , User-AGENT", "Origin" },
	{ "private", DROP, "private,a,b,c,d", "a, b, c, d" },
	{ "private", DROP, ",, a\t,,b ,private, ", "a, b" },
	{ "s-*", DROP, "S-MaxAge=1, max-age=2, s-x", "max-age=2" },
	{ "*", DROP, "a, b", NULL },
	{ "private", DROP, "private, private=\"a\", privates", "privates" },
	/* names */
	{ "max-age", DROP, "a, max-age=1, max-age =2, max-age;3, max-age 4",
	    "a" },
	{ "max-age", KEEP, "=max-age, ;max-age, \"max-age\", max-age",
	    "max-age" },
	{ "*", KEEP, "=1, a", SAME },
	/* quotes */
	{ "X", DROP, "no-cache=\"Set-Cookie, X\", a", SAME },
	{ "no-cache", DROP, "no-cache=\"Set-Cookie, X\", a", "a" },
	{ "a", DROP, "b=\"\\\", a\", a", "b=\"\\\", a\"" },
	{ "a", DROP, "b=\"\\\\\", a", "b=\"\\\\\"" },
	{ "a", DROP, "b\\\", a, c\"", SAME },
	{ "a", DROP, "b=\", a", "b=\"" },
	{ "a", DROP, "b=\"\\\", a, c", "b=\"\\\", c" },
	{ "a", DROP, "b=\"x\", c=\", a, \\\"", "b=\"x\", c=\", \\\"" },
	/* the star of Vary */
	{ "a", DROP, "*", SAME },
	{ "a", KEEP, "*", SAME },
	{ "*", DROP, "a, *", "*" },
	{ "a", KEEP, "*, a, b", "*, a" },
	{ "a", DROP | STAR, "*", NULL },
	{ NULL, DROP | STAR, "*, a", "a" },
	{ NULL, KEEP | STAR, "*, a", "*" },
	{ "a", DROP | STAR, "**", SAME },
};

UNIT_LOOP(test_directives_filter_cases, COUNT(filter_cases))
{
	struct fm_names *names = names_of(filter_cases[_i].names);
	struct fm_text list = unit_copy(fm_text_of(filter_cases[_i].list));
	const char *expect = filter_cases[_i].out;
	int flags = filter_cases[_i].flags;
	size_t cap = fm_directives_cap(list);
	char *buf = malloc(cap + 1);
	struct fm_text out;

	ck_assert_ptr_nonnull(buf);
	out = filter(names, flags, list, buf + 1);
	check_list(list, buf + 1, out, expect == NULL ||
	    strcmp(expect, SAME) != 0, fm_text_of(expect));
	ck_assert_uint_le(out.len, cap);
	if (names != NULL)
		fm_names_free(&names);
	twin_free(list);
	free(buf);
}

static const struct {
	const char	*names;
	const char	*list;		/* NULL: missing */
	const char	*out;
} add_cases[] = {
	{ "", "Cookie", SAME },
	{ "Cookie", "Accept, COOKIE", SAME },
	{ "Cookie", NULL, "Cookie" },
	{ "Origin Cookie", "", "Origin, Cookie" },
	{ "Origin Cookie", " ,, ", "Origin, Cookie" },
	{ "Origin Cookie", "Accept", "Accept, Origin, Cookie" },
	{ "Origin Cookie", "Accept,cookie", "Accept,cookie, Origin" },
	{ "a A b a", NULL, "a, b" },
	{ "b", ", a ,, ", ", a, b" },
	{ "b", "a=\"b, b\"", "a=\"b, b\", b" },
	{ "b", "a=\"x, b", SAME },
	{ "b", "bb", "bb, b" },
	{ "b", "*", SAME },
	{ "b", "a , * ,", SAME },
	{ "b", "**", "**, b" },
};

/* Splits words into an array of at most 8 names. */
static size_t
words_of(const char *words, struct fm_text names[8])
{
	size_t n = 0;

	while (n < 8 && twin_word(&words, &names[n]))
		n++;
	return (n);
}

UNIT_LOOP(test_directives_add_cases, COUNT(add_cases))
{
	struct fm_text list = fm_text_of(add_cases[_i].list), names[8], out;
	size_t n = words_of(add_cases[_i].names, names);
	size_t cap = fm_directives_add_cap(list, names, n);
	char *buf = malloc(cap + 1);

	ck_assert_ptr_nonnull(buf);
	out = fm_directives_add(list, names, n, buf + 1);
	check_list(list, buf + 1, out, strcmp(add_cases[_i].out, SAME) != 0,
	    fm_text_of(add_cases[_i].out));
	ck_assert_uint_le(out.len, cap);
	free(buf);
}

static const struct {
	const char	*list;
	const char	*name;
	const char	*value;		/* NULL: missing */
} value_cases[] = {
	{ NULL, "max-age", NULL },
	{ "", "max-age", NULL },
	{ "s-maxage=1", "max-age", NULL },
	{ "max-age=60", "max-age", "60" },
	{ "public, MAX-age=60", "max-age", "60" },
	{ "max-age=\"60\"", "max-age", "60" },
	{ " max-age\t=  \"60\" , x", "max-age", "60" },
	{ "max-age = 60 ", "max-age", "60" },
	{ "max-age=60; public", "max-age", "60" },
	{ "max-age=60 public", "max-age", "60" },
	{ "max-age=1, max-age=2", "max-age", "1" },
	{ "max-age, max-age=2", "max-age", "" },
	{ "max-age=, max-age=2", "max-age", "" },
	{ "max-age =", "max-age", "" },
	{ "max-age 60", "max-age", "" },
	{ "max-age;=60", "max-age", "" },
	{ "a==b", "a", "=b" },
	{ "no-cache=\"Set-Cookie, X\"", "no-cache", "Set-Cookie, X" },
	{ "no-cache=\"Set-Cookie, X\"", "X\"", NULL },
	{ "a=\"\"", "a", "" },
	{ "a=\"b\\\"c\"d", "a", "b\\\"c" },
	{ "a=\"60", "a", "\"60" },
	{ "a=\", no-store", "no-store", "" },
	{ "a=\"x\\\", b=1", "b", "1" },
};

UNIT_LOOP(test_directives_value_cases, COUNT(value_cases))
{
	struct fm_text value = fm_directives_value(
	    fm_text_of(value_cases[_i].list),
	    fm_text_of(value_cases[_i].name));

	ck_assert(fm_text_same(value, fm_text_of(value_cases[_i].value)));
}

static const struct {
	const char	*line;
	const char	*name, *value;	/* NULL: missing */
} cookie_cases[] = {
	{ NULL, NULL, NULL },
	{ "", "", "" },
	{ "a=1; Path=/", "a", "1" },
	{ "a=1", "a", "1" },
	{ " a\t= 1 ;", "a", "1" },
	{ "A=b=c", "A", "b=c" },
	{ "a=", "a", "" },
	{ "=1", "", "1" },
	{ " a ; Path=/", "", "a" },
	{ ";a=1", "", "" },
	{ "a=\"1;2\"", "a", "\"1" },
};

UNIT_LOOP(test_directives_cookie_cases, COUNT(cookie_cases))
{
	struct fm_text name, value;

	name = fm_directives_cookie(fm_text_of(cookie_cases[_i].line), &value);
	ck_assert(fm_text_same(name, fm_text_of(cookie_cases[_i].name)));
	ck_assert(fm_text_same(value, fm_text_of(cookie_cases[_i].value)));
}

static const struct {
	const char	*header;
	const char	*type;		/* NULL: missing */
	bool		copied;
} type_cases[] = {
	{ NULL, NULL, false },
	{ "", "", false },
	{ "text/html", "text/html", false },
	{ " text/html ; charset=UTF-8", "text/html", false },
	{ "text/html;charset=utf-8", "text/html", false },
	{ "\tText/HTML; charset=utf-8", "text/html", true },
	{ "image/svg+XML", "image/svg+xml", true },
	{ "application/Zip", "application/zip", true },
	{ "text/html, text/html", "text/html", false },
	{ "text/html charset=utf-8", "text/html", false },
	{ "; charset=utf-8", "", false },
};

UNIT_LOOP(test_directives_type_cases, COUNT(type_cases))
{
	struct fm_text header = fm_text_of(type_cases[_i].header), type;
	char buf[64];

	type = fm_directives_type(header, buf);
	ck_assert(fm_text_same(type, fm_text_of(type_cases[_i].type)));
	ck_assert((type.b == buf) == type_cases[_i].copied);
}

/*--------------------------------------------------------------------
 * Random lists
 */

static const char * const alphabets[] = {
	"aabb,, =;*\t",
	"ab,,,\"\"\\= ",
	"a,\"\\",
	"A,a;=\"* \x80\xff\x01",
};

/* Makes a random list of up to 27 bytes, with a NUL in some; at block's end. */
static struct fm_text
random_list(char block[BLOCK], unsigned n)
{
	char raw[32];
	struct fm_text t = twin_random(raw, 27,
	    alphabets[n % COUNT(alphabets)]);

	if (t.len > 0 && unit_below(8) == 0)
		raw[unit_below((unsigned)t.len)] = '\0';
	return (block_text(block, t));
}

static const char * const random_sets[] = {
	NULL, "", "a", "b", "B", "*", "?", "a b", "a*", "*b", "b a* ?_",
	"aa ab", "*\"*", "A* bb"
};

UNIT_TEST(test_directives_filtered_agree_with_a_naive_filter)
{
	struct fm_names *sets[COUNT(random_sets)];
	unsigned n, changes = 0, rounds = unit_rounds(300000, 2);
	char *block = malloc(BLOCK), *again = malloc(BLOCK);
	char *room = malloc(BLOCK), *buf, twin_buf[BLOCK];
	struct fm_text list, out, expect;
	int i, set, flags;
	bool changed;

	unit_seed("directives filter");
	ck_assert(block != NULL && again != NULL && room != NULL);
	for (i = 0; i < COUNT(random_sets); i++)
		sets[i] = names_of(random_sets[i]);
	for (n = 0; n < rounds; n++) {
		flags = (int)unit_below(4);
		set = (int)unit_below(COUNT(random_sets));
		list = random_list(block, n);
		changed = twin_directives(random_sets[set], flags & KEEP,
		    flags & STAR, list, twin_buf, &expect);
		if (expect.len == 0)
			expect = fm_text_of(NULL);
		changes += changed;
		buf = room + BLOCK - fm_directives_cap(list);
		out = filter(sets[set], flags, list, buf);
		check_list(list, buf, out, changed, expect);
		if (!changed || out.b == NULL)
			continue;
		list = block_text(again, out);
		out = filter(sets[set], flags, list,
		    room + BLOCK - fm_directives_cap(list));
		AGREE(out.b == list.b, "\"%.*s\" changes once more",
		    (int)list.len, list.b);
	}
	/* The random input gave both answers often enough. */
	ck_assert_uint_gt(changes, rounds / 10);
	ck_assert_uint_lt(changes, rounds - rounds / 10);
	for (i = 0; i < COUNT(random_sets); i++)
		if (sets[i] != NULL)
			fm_names_free(&sets[i]);
	free(block);
	free(again);
	free(room);
}

UNIT_TEST(test_directives_added_agree_with_a_naive_add)
{
	static const char * const sets[] = {
		"", "a", "A b", "bb aa a", "x a X y", "ab"
	};
	unsigned n, changes = 0, rounds = unit_rounds(100000, 2);
	char *block = malloc(BLOCK), *room = malloc(BLOCK), *buf;
	char twin_buf[BLOCK];
	struct fm_text list, expect, names[8];
	const char *words;
	size_t count;
	bool changed;

	unit_seed("directives add");
	ck_assert(block != NULL && room != NULL);
	for (n = 0; n < rounds; n++) {
		words = sets[unit_below(COUNT(sets))];
		list = random_list(block, n);
		changed = twin_directives_add(words, list, twin_buf, &expect);
		changes += changed;
		count = words_of(words, names);
		buf = room + BLOCK - fm_directives_add_cap(list, names, count);
		check_list(list, buf, fm_directives_add(list, names, count,
		    buf), changed, expect);
	}
	ck_assert_uint_gt(changes, rounds / 10);
	ck_assert_uint_lt(changes, rounds - rounds / 10);
	free(block);
	free(room);
}

UNIT_TEST(test_directives_found_agree_with_a_naive_search)
{
	static const char * const names[] = { "a", "B", "ab", "", "\"" };
	unsigned n, found = 0, empty = 0, rounds = unit_rounds(300000, 2);
	char *block = malloc(BLOCK);
	struct fm_text list, name, value, expect;

	unit_seed("directives value");
	ck_assert_ptr_nonnull(block);
	for (n = 0; n < rounds; n++) {
		list = random_list(block, n);
		name = fm_text_of(names[unit_below(COUNT(names))]);
		value = fm_directives_value(list, name);
		expect = twin_directives_value(list, name);
		AGREE(fm_text_same(value, expect),
		    "\"%.*s\" has \"%.*s\", not \"%.*s\" for %s",
		    (int)list.len, list.b, (int)value.len, value.b,
		    (int)expect.len, expect.b, name.b);
		found += value.b != NULL;
		empty += value.b != NULL && value.len == 0;
	}
	ck_assert_uint_gt(found - empty, rounds / 50);
	ck_assert_uint_gt(empty, rounds / 50);
	ck_assert_uint_lt(found, rounds - rounds / 10);
	free(block);
}

UNIT_TEST(test_directives_of_one_value_agree_with_naive_readings)
{
	unsigned n, named = 0, copied = 0, rounds = unit_rounds(100000, 2);
	char *block = malloc(BLOCK), *room = malloc(BLOCK), *buf;
	char twin_buf[BLOCK];
	struct fm_text header, out, value, expect_value;

	unit_seed("directives cookie and type");
	ck_assert(block != NULL && room != NULL);
	for (n = 0; n < rounds; n++) {
		header = random_list(block, n);
		out = fm_directives_cookie(header, &value);
		AGREE(fm_text_same(out, twin_directives_cookie(header,
		    &expect_value)) && fm_text_same(value, expect_value),
		    "\"%.*s\" sets \"%.*s\" to \"%.*s\"", (int)header.len,
		    header.b, (int)out.len, out.b, (int)value.len, value.b);
		named += out.len > 0;
		buf = room + BLOCK - header.len;
		out = fm_directives_type(header, buf);
		AGREE(fm_text_same(out, twin_directives_type(header,
		    twin_buf)), "\"%.*s\" is \"%.*s\"", (int)header.len,
		    header.b, (int)out.len, out.b);
		copied += out.len > 0 && out.b == buf;
	}
	ck_assert_uint_gt(named, rounds / 20);
	ck_assert_uint_gt(copied, rounds / 50);
	free(block);
	free(room);
}

/*--------------------------------------------------------------------
 * Hostile lists, of 1 MB: each would take minutes if a quote or an element
 * were read again for each one before it
 */

#define HOSTILE	(1U << 20)

static const struct {
	const char	*unit;		/* what is repeated; `a` goes */
	const char	*stays;		/* of each unit */
} hostile_cases[] = {
	{ "b,a,", "b" },
	{ ",,, ,b\t,a, ", "b" },
	{ "b=\"a,\",a,", "b=\"a,\"" },
	{ "\\\",a,", "\\\"" },
	{ "\"\\\",a,\",a,", "\"\\\",a,\"" },
};

UNIT_LOOP(test_directives_hostile_lists_take_no_time, COUNT(hostile_cases))
{
	struct fm_text unit = fm_text_of(hostile_cases[_i].unit), out, name;
	struct fm_text stays = fm_text_of(hostile_cases[_i].stays), list;
	size_t n = HOSTILE / unit.len, i;
	struct fm_names *names = names_of("a");
	char *b = malloc(n * unit.len), *buf, *p;

	ck_assert_ptr_nonnull(b);
	for (i = 0; i < n; i++)
		memcpy(b + i * unit.len, unit.b, unit.len);
	list = fm_text(b, n * unit.len);
	buf = malloc(fm_directives_cap(list));
	ck_assert_ptr_nonnull(buf);
	out = filter(names, DROP, list, buf);
	ck_assert_uint_eq(out.len, n * (stays.len + 2) - 2);
	for (i = 0, p = buf; i < n; i++, p += stays.len + 2)
		AGREE(memcmp(p, stays.b, stays.len) == 0 &&
		    (i + 1 == n || memcmp(p + stays.len, ", ", 2) == 0),
		    "unit %zu is wrong", i);
	name = fm_text_of("c");
	ck_assert_ptr_null(fm_directives_value(list, name).b);
	ck_assert_uint_ge(fm_directives_cap(list),
	    fm_directives_add_cap(list, &name, 1));
	ck_assert_ptr_eq(fm_directives_add(list, &name, 1, buf).b, buf);
	fm_names_free(&names);
	free(b);
	free(buf);
}

int
main(void)
{
	return (unit_main("directives", 30));
}
