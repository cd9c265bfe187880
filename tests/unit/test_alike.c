/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Literals that end alike: found as each pattern finds its own.
 */

#include "alike.h"
#include "patset.h"
#include "twin.h"

#define PATTERNS	300
#define MANY		40000
#define NESTED		9

static const struct fm_place here = { .name = "test" };

/* Ends of eight bytes and more, shorter ones, and some that differ by case. */
static const char * const ends[] = {
	"/index.php", "/INDEX.php", "index.php", "dex.php", ".php", "aaaaaaaa",
	"aaaaaaaaa", "Mobile Safari", "mobile safari", "\xc3\xa4 and more",
	"12345678"
};

static struct fm_text
some_word(char *buf)
{
	static const char letters[] = "abA/.";
	struct fm_text t = twin_random(buf, 4, letters);
	const char *end = ends[unit_below(COUNT(ends))];
	size_t turn = 1 + unit_below(2), at = unit_below(4);

	if (unit_below(6) == 0) {	/* again and again */
		for (t.len = 0; t.len < 40 && (t.len <= turn ||
		    unit_below(8) > 0); t.len++)
			buf[t.len] = letters[at + t.len % turn];
		return (t);
	}
	memcpy(buf + t.len, end, strlen(end));
	return (fm_text(buf, t.len + strlen(end)));
}

static void
add(struct fm_patset_builder *b, enum fm_pattern_kind kind, const char *before,
    struct fm_text text, const char *behind)
{
	struct fm_pattern *p;
	char buf[64];
	int len;

	len = snprintf(buf, sizeof buf, "%s%.*s%s", before, (int)text.len,
	    text.b, behind);
	p = fm_pattern_new(kind, fm_text(buf, (size_t)len),
	    unit_below(3) == 0, &here, NULL);
	AGREE(p != NULL && fm_patset_build_add(b, &p) == 0, "no pattern");
}

static struct fm_patset *
some_set(unsigned n)
{
	struct fm_patset_builder *b = fm_patset_build_new();
	struct fm_text word;
	char buf[64];

	while (n-- > 0) {
		word = some_word(buf);
		switch (unit_below(8)) {
		case 0:
			add(b, FM_PATTERN_GLOB, "*", word, "*?b*");
			break;
		case 1:
			add(b, FM_PATTERN_REGEX, "", word, "[ab]");
			break;
		case 2:
			add(b, FM_PATTERN_SUFFIX, "", word, "");
			break;
		default:
			add(b, FM_PATTERN_CONTAINS, "", word, "");
		}
	}
	return (fm_patset_build(&b, NULL));
}

static size_t
some_subject(char *buf)
{
	struct fm_text word;
	char w[64];
	size_t len = 0;

	while (unit_below(6) > 0 && len < 200) {
		word = some_word(w);
		memcpy(buf + len, word.b, word.len);
		len += word.len;
	}
	return (len);
}

/* How many match; each of them alone says the same. */
static size_t
compare(const struct fm_patset *ps, struct fm_text subject)
{
	uint32_t numbers[PATTERNS], n, k = 0;
	struct fm_tally tally = { 0 };
	size_t found;
	bool is;

	subject = unit_copy(subject);
	found = fm_patset_all(ps, subject, numbers, PATTERNS, &tally);
	for (n = 0; n < fm_patset_count(ps); n++) {
		is = fm_pattern_match(fm_patset_pattern(ps, n), subject,
		    &tally);
		AGREE(is == (k < found && numbers[k] == n),
		    "'%s' on '%.*s'", fm_pattern_text(fm_patset_pattern(ps,
		    n)).b, (int)subject.len, subject.b);
		k += is;
	}
	AGREE(k == found && fm_patset_match(ps, subject, &tally) == (k > 0) &&
	    fm_patset_first(ps, subject, &tally) ==
	    (k > 0 ? numbers[0] : FM_PATSET_NONE), "any, and the first");
	twin_free(subject);
	return (found);
}

START_TEST(what_ends_alike_is_found_as_each_alone_is)
{
	struct fm_patset *ps;
	char subject[400];
	unsigned set, sets = unit_rounds(150, 4), turn;
	size_t found = 0;

	for (set = 0; set < sets; set++) {
		ps = some_set(2 + unit_below(set % 2 ? 20 : PATTERNS - 1));
		for (turn = 0; turn < 100; turn++)
			found += compare(ps, fm_text(subject,
			    some_subject(subject)));
		(void)compare(ps, fm_text("", 0));
		fm_patset_free(&ps);
	}
	ck_assert_uint_gt(found, 66 * sets);
}
END_TEST

/* A line of a long list; with globs, and a few regexes, or texts only. */
static void
add_line(struct fm_patset_builder *b, unsigned i, unsigned mix)
{
	char word[16], behind[16];
	struct fm_text t;

	(void)snprintf(word, sizeof word, "w%03u", i);
	(void)snprintf(behind, sizeof behind, i % 3 ? "*v%02u*" : "?*v%02u",
	    i % 50);
	t = fm_text_of(word);
	if (mix > 1 && i % 40 == 7)
		add(b, FM_PATTERN_REGEX, "", i % 80 == 7 ? t :
		    fm_text_of(""), i % 80 == 7 ? ".*x[0-9]" :
		    "[w-y][0-2]{3}[u-v][1-4]{2}");
	else if (mix == 3 || (mix > 0 && i % 2))
		add(b, FM_PATTERN_GLOB, "*", t, behind);
	else
		add(b, FM_PATTERN_CONTAINS, "", t, i % 5 ? "" : "v");
}

/* With as many words as make a scan stop, and fewer. */
START_TEST(many_words_of_a_long_list_are_found_as_each_alone_is)
{
	struct fm_patset_builder *b = fm_patset_build_new();
	static char subject[8000];
	struct fm_patset *ps;
	unsigned i, turn, turns = unit_rounds(120, 4);
	size_t len, found = 0;

	for (i = 0; i < PATTERNS; i++)
		add_line(b, i, (unsigned)_i);
	ps = fm_patset_build(&b, NULL);
	for (turn = 0; turn < turns; turn++) {
		len = 0;
		/* Of globs alone no more than a pass has turns for. */
		i = unit_below(2) ? 60 : unit_below(_i == 3 ? 340 : 700);
		for (; i > 0; i--)
			len += (size_t)sprintf(subject + len, unit_below(2) ?
			    "w%03u" : "v%02u", unit_below(PATTERNS));
		found += compare(ps, fm_text(subject, len));
	}
	ck_assert_uint_gt(found, 8 * turns);
	fm_patset_free(&ps);
}
END_TEST

struct hits {
	unsigned	n[PATTERNS + 1];
	unsigned	all, most;
};

static bool
count_hit(void *priv, uint32_t id)
{
	struct hits *hits = priv;

	hits->n[id]++;
	return (++hits->all == hits->most);
}

static bool
count_hits(void *priv, const uint32_t *ids, uint32_t n)
{
	bool enough = false;

	while (n-- > 0 && !enough)
		enough = count_hit(priv, *ids++);
	return (enough);
}

static struct fm_alike *
alike_of(unsigned n, const char *format, enum fm_alike_use use, bool *left)
{
	struct fm_scan_builder *sb = fm_scan_build_new();
	struct fm_alike *al = fm_alike_new();
	char buf[64];
	unsigned i;

	for (i = 0; i < n; i++) {
		(void)snprintf(buf, sizeof buf, format, i % PATTERNS);
		ck_assert_int_eq(fm_alike_add(al, fm_text_of(buf), false,
		    use, 0, i % PATTERNS), 0);
	}
	ck_assert_int_eq(fm_alike_scan(al, sb, PATTERNS, left), 0);
	fm_scan_build_free(&sb);
	return (al);
}

START_TEST(a_few_that_end_alike_are_the_scans)
{
	struct fm_alike *al;
	bool left;

	al = alike_of(3, "/%u/index.php", FM_ALIKE_SCAN, &left);
	ck_assert(!left);
	fm_alike_free(&al);
	al = alike_of(3, "/%u/index.php", FM_ALIKE_ANY, &left);
	ck_assert(left);
	fm_alike_free(&al);
	al = alike_of(4, "/%u/index.php", FM_ALIKE_SCAN, &left);
	ck_assert(left);
	ck_assert_uint_gt(fm_alike_bytes(al), 100);
	fm_alike_free(&al);
	/* Seven bytes alike, and three with the same before them. */
	al = alike_of(30, "%03uindex.x", FM_ALIKE_SCAN, &left);
	ck_assert(!left);
	fm_alike_free(&al);
	al = alike_of(0, "", FM_ALIKE_ANY, &left);
	ck_assert(!left);
	fm_alike_free(&al);
}
END_TEST

START_TEST(each_is_told_and_one_may_be_enough)
{
	struct hits hits = { .most = 0 };
	struct fm_alike *al;
	bool left;
	size_t again;

	al = alike_of(2 * PATTERNS, "/%u/index.php", FM_ALIKE_ANY, &left);
	ck_assert(left);
	ck_assert_int_eq(fm_alike_find(al, fm_text_of("/7/index.php"
	    "/299/index.php/7/index.php/300/index.php"), count_hits, &hits,
	    &again), 0);
	ck_assert_uint_eq(again, 1);
	/* Twice in it: those of one text are told once. */
	ck_assert_uint_eq(hits.n[7], 2);
	ck_assert_uint_eq(hits.n[299], 2);
	ck_assert_uint_eq(hits.all, 4);
	memset(&hits, 0, sizeof hits);
	hits.most = 1;
	ck_assert_int_eq(fm_alike_find(al, fm_text_of("/7/index.php"
	    "/8/index.php"), count_hits, &hits, &again), 0);
	ck_assert_uint_eq(hits.all, 1);
	fm_alike_free(&al);
	ck_assert_ptr_null(al);
}
END_TEST

struct words {
	unsigned char	found[MANY];
	unsigned	told;
};

static bool
note_words(void *priv, const uint32_t *ids, uint32_t n)
{
	struct words *w = priv;

	w->told += n;
	while (n-- > 0)
		w->found[*ids++] = 1;
	return (false);
}

/* More than can be known to be told, and some that are in each other. */
START_TEST(of_very_many_each_is_told_and_not_at_each_place)
{
	struct fm_scan_builder *sb = fm_scan_build_new();
	struct fm_alike *al = fm_alike_new();
	char text[64], subject[8001];
	static char texts[MANY][12];
	static struct words words;
	unsigned i, turn;
	bool left;
	size_t again;

	for (i = 0; i < MANY; i++) {
		if (i < NESTED)
			(void)sprintf(texts[i], "%.*s", (int)i + 1,
			    "zxyzxyzxy");
		else
			(void)sprintf(texts[i], "w%05u", i);
		ck_assert_int_eq(fm_alike_add(al, fm_text_of(texts[i]), false,
		    FM_ALIKE_ANY, 0, i), 0);
	}
	ck_assert_int_eq(fm_alike_scan(al, sb, MANY, &left), 0);
	ck_assert(left);
	for (turn = 0; turn < 10; turn++) {
		*subject = '\0';
		for (i = unit_below(600); i > 0; i--) {
			(void)sprintf(text, "w%05u", unit_below(MANY));
			strcat(subject, unit_below(3) ? text : "zxyz");
		}
		memset(&words, 0, sizeof words);
		ck_assert_int_eq(fm_alike_find(al, fm_text_of(subject),
		    note_words, &words, &again), 0);
		for (i = 0; i < MANY; i++)
			ck_assert_msg(words.found[i] ==
			    (strstr(subject, texts[i]) != NULL), "%s",
			    texts[i]);
	}
	for (i = 0; i < 8000; i++)
		subject[i] = "zxy"[i % 3];
	subject[i] = '\0';
	memset(&words, 0, sizeof words);
	ck_assert_int_eq(fm_alike_find(al, fm_text_of(subject), note_words,
	    &words, &again), 0);
	ck_assert_uint_eq(words.told, NESTED);
	fm_scan_build_free(&sb);
	fm_alike_free(&al);
}
END_TEST

static bool
note_hits(void *priv, const uint32_t *ids, uint32_t n)
{
	uint32_t *told = priv;

	while (n-- > 0)
		told[1 + told[0]++] = *ids++;
	return (false);
}

START_TEST(of_one_text_those_of_a_lower_rank_are_told_first)
{
	static const unsigned ranks[] = { 3, 1, 2, 1, 3, 0 };
	struct fm_scan_builder *sb = fm_scan_build_new();
	struct fm_alike *al = fm_alike_new();
	uint32_t i, told[1 + 6] = { 0 };
	bool left;
	size_t again;

	for (i = 0; i < 6; i++)
		ck_assert_int_eq(fm_alike_add(al, fm_text_of("word"), i % 2,
		    FM_ALIKE_ANY, ranks[i], i), 0);
	ck_assert_int_eq(fm_alike_scan(al, sb, 6, &left), 0);
	ck_assert_int_eq(fm_alike_find(al, fm_text_of("a word"), note_hits,
	    told, &again), 0);
	ck_assert_uint_eq(told[0], 6);
	/* Those with case, 0, 2 and 4; then the others. */
	ck_assert_uint_eq(told[1], 2);
	ck_assert_uint_eq(told[4], 5);
	ck_assert_uint_eq(told[5] + told[6], 1 + 3);
	fm_scan_build_free(&sb);
	fm_alike_free(&al);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("alike");

	tcase_set_timeout(tc, 60);
	unit_seed("alike");
	tcase_add_test(tc, what_ends_alike_is_found_as_each_alone_is);
	tcase_add_test(tc,
	    of_very_many_each_is_told_and_not_at_each_place);
	tcase_add_test(tc, of_one_text_those_of_a_lower_rank_are_told_first);
	tcase_add_loop_test(tc,
	    many_words_of_a_long_list_are_found_as_each_alone_is, 0, 4);
	tcase_add_test(tc, a_few_that_end_alike_are_the_scans);
	tcase_add_test(tc, each_is_told_and_one_may_be_enough);
	return (unit_run("alike", tc));
}
