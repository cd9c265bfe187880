/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "callouts.h"
#include "regex.h"
#include "unit.h"

/* Where callouts may not be, or not everywhere. */
static const char * const items[] = {
	"a", "b", "|", "\\x61", "\\x{62}", "\\141", "\\B", "\\pL", "\\p{Lu}",
	"[ab]", "[]b]", "[[:alpha:]c]", ".", "$", "\\w", "\\1", "\\g{1}",
	"\\g1",
	"\\g{-1}", "\\k<n>", "(?P=n)", "(?1)", "(?&n)", "(?P>n)", "(?-i)",
	"\\N",
	"\\N{2}", "\\.", "(?=a)", "(?!b)", "(?<=a|bb|c)", "(?<!ba)", "a?",
	"b*?",
	"a{2,3}", "[ab]{1,20}+", "\\1{2}", "b{ 2 }", "\\x61{16}",
	"\\o{142}", "\\R",
	"(?|a|b)", "(?i:A)", "(?>a|ab)", "(?'m'a)", "\\Kb", "(?#)", "\\Qa\\E",
	"(?:a|b|)", "(?:|", ")", "{", "}", "(?:", ")?", "(?(1)a|b)", "\\g<1>",
	"(b|a)", "(",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
};

static struct fm_text
some_regex(char *to, unsigned n)
{
	char *p = stpcpy(to, "(?<n>a)??");

	while (n-- > 0)
		p = stpcpy(p, items[unit_below(sizeof items / sizeof *items)]);
	return (fm_text(to, (size_t)(p - to)));
}

static struct fm_text
with_callouts(struct fm_text regex)
{
	char *out = malloc(FM_CALLOUTS_LEN(regex.len));
	size_t len;

	ck_assert_ptr_nonnull(out);
	len = fm_callouts(regex, out);
	ck_assert_uint_le(len, FM_CALLOUTS_LEN(regex.len));
	return (fm_text(out, len));
}

static bool
same(const struct fm_regex *a, const struct fm_regex *b, struct fm_text line)
{
	struct fm_text g[FM_REGEX_GROUPS], h[FM_REGEX_GROUPS];
	struct fm_tally t = { 0 };
	bool hit, differs;
	unsigned i;

	hit = fm_regex_groups(a, line, 0, false, g, &t);
	differs = fm_regex_groups(b, line, 0, false, h, &t) != hit;
	for (i = 0; hit && !differs && i < FM_REGEX_GROUPS; i++)
		differs = g[i].b != h[i].b || g[i].len != h[i].len;
	return (!differs || t.over_limit > 0);
}

/*
 * Where the JIT is wrong (10.42 doesn't find `(?:a|b|)b*?a.` in `ab`), with
 * callouts or without, PCRE2 says what they mean without it.
 */
static bool
same_without_jit(struct fm_text regex, struct fm_text careful,
    struct fm_text line)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *a, *b;
	size_t offset;
	bool is;

	fm_regex_use_jit(false);
	a = fm_regex_new(regex, false, error, &offset);
	b = fm_regex_new(careful, false, error, &offset);
	fm_regex_use_jit(true);
	ck_assert(a != NULL && b != NULL);
	is = same(a, b, line);
	fm_regex_free(&a);
	fm_regex_free(&b);
	return (is);
}

START_TEST(a_regex_with_callouts_means_the_same)
{
	char error[FM_REGEX_ERROR_LEN], text[2000], bytes[12];
	struct fm_text regex, careful, line = fm_text(bytes, sizeof bytes);
	struct fm_regex *a, *b;
	unsigned turn, i, k, made = 0, wrong = 0;
	size_t offset;

	for (turn = 0; turn < 4000; turn++) {
		regex = some_regex(text, 1 + unit_below(12));
		a = fm_regex_new(regex, false, error, &offset);
		careful = with_callouts(regex);
		b = a == NULL || careful.len == 0 ? NULL :
		    fm_regex_new(careful, false, error, &offset);
		/* Where PCRE2 doesn't take it, it is asked for its own. */
		for (i = 0; b != NULL && i < 20; i++) {
			for (k = 0; k < sizeof bytes; k++)
				bytes[k] = "aaabbc\n"[unit_below(7)];
			if (same(a, b, line))
				continue;
			wrong++;
			if (!same_without_jit(regex, careful, line))
				ck_abort_msg("%s on %.12s", text, bytes);
		}
		made += b != NULL;
		if (a != NULL)
			fm_regex_free(&a);
		if (b != NULL)
			fm_regex_free(&b);
		free((char *)(uintptr_t)careful.b);
	}
	ck_assert_uint_gt(made, 500);
	ck_assert_uint_lt(wrong, 50);
}
END_TEST

static void
assert_room(const char *piece)
{
	struct fm_text careful, regex;
	char text[1200] = "";

	while (strlen(text) + strlen(piece) < sizeof text)
		strcat(text, piece);
	regex = fm_text_of(text);
	careful = with_callouts(regex);
	free((char *)(uintptr_t)careful.b);
}

START_TEST(there_is_room_for_all_callouts)
{
	unsigned i;

	for (i = 0; i < sizeof items / sizeof *items; i++)
		assert_room(items[i]);
	assert_room("((((((((((()))))))))))");
	assert_room("()");
	assert_room("()?");
	assert_room("\\1?");
	assert_room("\\1{999}");
	assert_room("a{99999}");
}
END_TEST

/* Bytes between two callouts, at most, less what the first one counts for. */
static size_t
longest_without(struct fm_text careful)
{
	size_t longest = 0, i, last = 0;

	for (i = 0; i + 3 < careful.len; i++) {
		if (memcmp(careful.b + i, "(?C", 3) == 0)
			last = i + 540 *
			    strtoul(careful.b + i + 3, NULL, 10);
		if (i > last && i - last > longest)
			longest = i - last;
	}
	return (longest);
}

/* Alternatives with much to them, and many with little. */
static const char * const wide[][3] = {
	{ "(?:", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab|", "b)\\b" },
	{ "(?=", "aaaaaaab|", "b)\\b" }, { "(?:", "|", "b)\\b" },
	{ "(?<=", "a|", "b)c" }, { "(?:", "[a-y][a-y][a-y]z|", "b)\\b" },
	{ "(?:", "\\x61\\x61|", "b)\\b" }, { "(?i)(?>", "a|ab|", "b)\\b" },
	{ "", "a", "b\\b" }, { "\\b", "(?!aaab)", "" }, { "", "\\B", "a" },
	{ "(?:", "b\\K|", "b)\\b" },
};

START_TEST(there_are_few_steps_between_two_callouts)
{
	char text[4000];
	struct fm_text careful;

	strcpy(text, wide[_i][0]);
	while (strlen(text) < 3000)
		strcat(text, wide[_i][1]);
	strcat(text, wide[_i][2]);
	careful = with_callouts(fm_text_of(text));
	ck_assert_uint_gt(careful.len, strlen(text));
	ck_assert_uint_lt(longest_without(careful), 500);
	free((char *)(uintptr_t)careful.b);
}
END_TEST

static const struct {
	const char	*regex, *careful;
} counted[] = {
	{ "(?:%s)\\b", "(?C2)(?:(?:" },
	{ "(?i)(?:%s)\\b", "(?C2)(?i)(?:(?:" },
	/* It is paid where it is reached, */
	{ "\\b(?:%s)", "(?C)\\b(?C2)(?:(?:" },
	/* and each time: */
	{ "(?:%s)+\\b", "(?C2)(?:(?:" },
	{ "x(?:%s)+\\b", "(?C)x(?:(?:" },
	/* by whomever it is called. */
	{ "(%s)(?1)", "(?C)(?:(" },
	{ "(?<=a)%s", "(?C)(?:(?<=a)(?C))" },
};

START_TEST(a_callout_counts_for_what_is_ahead)
{
	char names[1000] = "nokia", regex[1100];
	struct fm_text careful;
	size_t len = strlen(counted[_i].careful);

	while (strlen(names) < 500)
		strcat(names, "|nokia");
	(void)snprintf(regex, sizeof regex, counted[_i].regex, names);
	careful = with_callouts(fm_text_of(regex));
	ck_assert_uint_gt(careful.len, len);
	if (memcmp(careful.b, counted[_i].careful, len) != 0)
		ck_abort_msg("%.*s", (int)len, careful.b);
	free((char *)(uintptr_t)careful.b);
}
END_TEST

/* 130 names, which take some 130,000 instructions there. */
START_TEST(a_list_of_words_is_decided_on_an_ordinary_line)
{
	static const char agent[] = "Mozilla/5.0 (Linux; Android 13) "
	    "AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 ";
	char error[FM_REGEX_ERROR_LEN], text[2000] = "\\b(?:Nokia", *p;
	struct fm_tally t = { 0 };
	struct fm_regex *re;
	size_t offset;
	unsigned i;

	p = text + strlen(text);
	for (i = 0; i < 129; i++)
		p += sprintf(p, "|%c%s%u", 'A' + i % 26, "oki", i);
	strcpy(p, ")\\b");
	re = fm_regex_new(fm_text_of(text), _i > 0, error, &offset);
	ck_assert_ptr_nonnull(re);
	for (*text = '\0'; strlen(text) < 380;)
		strcat(text, agent);
	ck_assert(!fm_regex_match(re, fm_text_of(text), &t));
	ck_assert_uint_eq(t.over_limit, 0);
	fm_regex_free(&re);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("callouts");

	tcase_set_timeout(tc, 60);
	unit_seed("callouts");
	tcase_add_test(tc, a_regex_with_callouts_means_the_same);
	tcase_add_test(tc, there_is_room_for_all_callouts);
	tcase_add_loop_test(tc, there_are_few_steps_between_two_callouts, 0,
	    sizeof wide / sizeof *wide);
	tcase_add_loop_test(tc, a_callout_counts_for_what_is_ahead, 0,
	    sizeof counted / sizeof *counted);
	tcase_add_loop_test(tc,
	    a_list_of_words_is_decided_on_an_ordinary_line, 0, 2);
	return (unit_run("callouts", tc));
}
