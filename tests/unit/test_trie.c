/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many texts in one pass: each place of each, against a loop that compares at
 * every one.
 */

#include "trie.h"
#include "twin.h"

#define TEXTS	300

static int
by_bytes(const void *a, const void *b)
{
	const struct fm_text *ta = a, *tb = b;

	return (fm_text_compare(*ta, *tb));
}

/* Sorted, and none twice. */
static uint32_t
random_texts(struct fm_text *texts, unsigned most, const char *alphabet)
{
	static char bytes[TEXTS][60];
	unsigned i, n = 1 + unit_below(most), longest, k = 0;

	longest = unit_below(4) == 0 ? 60 : 1 + unit_below(8);
	for (i = 0; i < n; i++) {
		texts[i] = twin_random(bytes[i], longest - 1, alphabet);
		bytes[i][texts[i].len++] = alphabet[0];
	}
	qsort(texts, n, sizeof *texts, by_bytes);
	for (i = 0; i < n; i++)
		if (k == 0 || !fm_text_eq(texts[k - 1], texts[i]))
			texts[k++] = texts[i];
	return (k);
}

/* Those that end behind the first n bytes, the longest first, from out on. */
static unsigned
agree_at(const struct fm_trie *t, uint32_t out, const struct fm_text *texts,
    struct fm_text s, size_t n, bool nocase)
{
	uint32_t i, told = 0, want = 0;
	size_t longer = SIZE_MAX;

	for (; out != FM_TRIE_NONE; out = t->shorter[out], told++) {
		AGREE(out < t->n && texts[out].len < longer, "order");
		longer = texts[out].len;
		AGREE(longer <= n && twin_eq(s.b + n - longer, texts[out].b,
		    longer, nocase), "%u is not there", out);
	}
	for (i = 0; i < t->n; i++)
		want += texts[i].len <= n && twin_eq(s.b + n - texts[i].len,
		    texts[i].b, texts[i].len, nocase);
	AGREE(told == want, "%u of %u at %zu", told, want, n);
	return (told);
}

/* What is told of a subject, and where it was told last. */
struct told {
	const struct fm_trie	*trie;
	const struct fm_text	*texts;
	struct fm_text		s;
	bool			nocase;
	size_t			end;
	unsigned		hits, times, most;
};

/* Whether none ends behind the first n bytes. */
static void
agree_none(const struct told *told, size_t n)
{
	(void)agree_at(told->trie, FM_TRIE_NONE, told->texts, told->s, n,
	    told->nocase);
}

static bool
tell(void *priv, uint32_t text, size_t end)
{
	struct told *told = priv;
	size_t n;

	AGREE(end > told->end && end <= told->s.len, "at %zu", end);
	for (n = told->end + 1; n < end; n++)
		agree_none(told, n);
	told->end = end;
	told->hits += agree_at(told->trie, text, told->texts, told->s, end,
	    told->nocase);
	return (++told->times == told->most);
}

/* Which texts are the longest somewhere, and at how many places. */
struct longest {
	uint32_t		of[2 * TEXTS];
	struct fm_trie_marks	texts;
	size_t			places;
	bool			once;
};

static bool
tell_longest(void *priv, uint32_t text, size_t end)
{
	struct longest *l = priv;

	(void)end;
	AGREE(fm_trie_mark(&l->texts, text) || !l->once,
	    "%u is told twice", text);
	l->places++;
	return (false);
}

static bool
tell_new(void *priv, const uint32_t *texts, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		(void)tell_longest(priv, texts[i], 0);
	return (false);
}

/* For none of them. */
static uint32_t no_marks[2 * TEXTS];
static const struct fm_trie_marks all_wait = { no_marks, 1 };

/* For whom somebody waits changes with each that is told. */
struct waits {
	uint32_t		marks[2 * TEXTS];
	struct fm_trie_marks	idle;
	uint32_t		n, seed;
	size_t			told, ends;
};

static bool
waits_tell(void *priv, uint32_t text, size_t end)
{
	struct waits *w = priv;

	AGREE(w->marks[text] != w->idle.mark, "nobody waits for %u", text);
	w->told++;
	w->ends = w->ends * 31 + end;
	w->seed = w->seed * 1103515245 + 12345;
	w->marks[text] = w->idle.mark;
	if (w->seed >> 16 & 1)
		w->marks[(w->seed >> 17) % w->n] = 0;
	w->idle.mark += (w->seed >> 28) == 0;
	return (false);
}

/* Each place, of a pass that tells all. */
static bool
waits_tell_all(void *priv, uint32_t text, size_t end)
{
	struct waits *w = priv;

	return (w->marks[text] != w->idle.mark && waits_tell(w, text, end));
}

static void
agree_waits(const struct fm_trie *t, struct fm_text s)
{
	struct waits one = { .n = t->n, .seed = unit_below(1000),
	    .idle.mark = 1 };
	struct waits all = one;

	one.idle.of = one.marks;
	fm_trie_find(t, s, &one.idle, waits_tell, &one);
	fm_trie_find(t, s, &all_wait, waits_tell_all, &all);
	AGREE(one.told == all.told && one.ends == all.ends,
	    "%zu of %zu are told", one.told, all.told);
}

/* What is told once is all that is there, and what is left out was told. */
static void
agree_new(const struct fm_trie *t, struct fm_text s)
{
	struct longest all = { .once = false }, new = { .once = true };
	uint32_t of[2 * TEXTS] = { 0 };
	struct fm_trie_marks marks = { of, 1 };
	size_t again;

	all.texts = (struct fm_trie_marks){ all.of, 1 };
	new.texts = (struct fm_trie_marks){ new.of, 1 };
	fm_trie_find(t, s, &all_wait, tell_longest, &all);
	again = fm_trie_find_new(t, s, &marks, tell_new, &new);
	AGREE(again + new.places == all.places, "%zu again, of %zu", again,
	    all.places);
	AGREE(memcmp(all.of, new.of, sizeof of) == 0 &&
	    memcmp(all.of, of, sizeof of) == 0,
	    "not the same texts, of %zu", s.len);
}

/* At every place, and not only where it says that some end. */
static unsigned
agree(const struct fm_trie *t, const struct fm_text *texts, struct fm_text s,
    bool nocase)
{
	struct told told = { .trie = t, .texts = texts, .s = s,
	    .nocase = nocase };
	struct told few = told;
	size_t n;

	fm_trie_find(t, s, &all_wait, tell, &told);
	for (n = told.end + 1; n <= s.len; n++)
		agree_none(&told, n);
	few.most = 1;
	fm_trie_find(t, s, &all_wait, tell, &few);
	AGREE(few.times == (told.times > 0), "told %u times", few.times);
	agree_new(t, s);
	agree_waits(t, s);
	return (told.hits);
}

/* Far from the root there are no rows, where there are so many classes. */
#define DEEP	4600

/* All bytes, and again: what is behind them is deep. */
static struct fm_text
deep_bytes(bool nocase)
{
	static char bytes[DEEP];
	unsigned k, c = 0;

	for (k = 0; k < DEEP; c = (c + 1) % 256)
		if (!nocase || fm_lower((unsigned char)c) == c)
			bytes[k++] = (char)c;
	return (fm_text(bytes, DEEP));
}

/* Each, too, behind that; returns how many there are then. */
static uint32_t
add_deep(struct fm_text *texts, uint32_t n, struct fm_text deep)
{
	static char bytes[TEXTS][DEEP + 60];
	uint32_t i;

	for (i = 0; i < n; i++) {
		memcpy(bytes[i], deep.b, DEEP);
		memcpy(bytes[i] + DEEP, texts[i].b, texts[i].len);
		texts[n + i] = fm_text(bytes[i], DEEP + texts[i].len);
	}
	qsort(texts, 2 * n, sizeof *texts, by_bytes);
	return (2 * n);
}

/* Of the alphabet, and in some of them what is deep. */
static struct fm_text
random_subject(char *buf, struct fm_text deep, const char *alphabet)
{
	size_t n = 0;

	if (deep.len > 0 && unit_below(4) > 0) {
		n = twin_random(buf, 20, alphabet).len;
		memcpy(buf + n, deep.b, deep.len);
		n += deep.len;
	}
	return (fm_text(buf, n + twin_random(buf + n, 120, alphabet).len));
}

START_TEST(every_place_of_every_text_is_told)
{
	static const char * const alphabets[] = { "a", "ab", "abc",
	    "abcdefghijklmnopqrstuvwxyz0123456789", "a\377\200\n" };
	static const char * const others[] = { "aA", "aAbB", "abcABC",
	    "abcdefghijklmnopqrstuvwxyz0123456789ABC", "aA\377\200\n" };
	static struct fm_text texts[2 * TEXTS];
	static char buf[DEEP + 200];
	bool nocase = _i % 2 == 1, wide = _i >= 2;
	struct fm_text s, deep = wide ? deep_bytes(nocase) : fm_text("", 0);
	unsigned round, rounds = wide ? 30 : unit_rounds(600, 4);
	unsigned k, hits = 0, pairs = 0, sparse = 0, a;
	struct fm_trie *t;
	uint32_t n;

	unit_seed("trie");
	for (round = 0; round < rounds; round++) {
		a = unit_below(5);
		n = random_texts(texts, round % 10 ? 12 : TEXTS,
		    alphabets[a]);
		if (wide)
			n = add_deep(texts, n, deep);
		t = fm_trie_new(texts, n, nocase);
		ck_assert_ptr_nonnull(t);
		ck_assert_uint_eq(t->sparse > 0, wide);
		sparse += t->sparse;
		for (k = 0; k < 4; k++) {
			s = unit_copy(random_subject(buf, deep, others[a]));
			hits += agree(t, texts, s, nocase);
			pairs += n * (unsigned)s.len;
			twin_free(s);
		}
		fm_trie_free(&t);
		ck_assert_ptr_null(t);
	}
	printf("trie: %u places of %u, %u states without a row\n", hits, pairs,
	    sparse);
	ck_assert_uint_gt(hits, pairs / (wide ? 100000 : 1000));
}
END_TEST

START_TEST(a_node_may_have_a_child_for_each_byte)
{
	static struct fm_text texts[256];
	static char bytes[256][DEEP + 1];
	struct fm_trie *t;
	struct fm_text s;
	unsigned i, k;

	unit_seed("trie");
	for (i = 0; i < 256; i++) {
		for (k = 0; k < DEEP; k++)
			bytes[i][k] = i == 0 ? (char)unit_below(256) :
			    bytes[0][k];
		bytes[i][DEEP] = (char)i;
		texts[i] = fm_text(bytes[i], DEEP + 1);
	}
	t = fm_trie_new(texts, 256, false);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_gt(t->sparse, 0);
	for (i = 0; i < 256; i += unit_step(5)) {
		s = unit_copy(texts[i]);
		ck_assert_uint_eq(agree(t, texts, s, false), 1);
		twin_free(s);
	}
	fm_trie_free(&t);
}
END_TEST

START_TEST(it_takes_a_few_bytes_for_each_of_the_texts)
{
	static struct fm_text texts[10000];
	static char bytes[10000][16];
	struct fm_trie *t;
	unsigned i;

	for (i = 0; i < 10000; i++) {
		(void)snprintf(bytes[i], sizeof bytes[i], "some-word-%04u", i);
		texts[i] = fm_text_of(bytes[i]);
	}
	t = fm_trie_new(texts, 10000, false);
	/* 18 bytes, and all that are in none. */
	ck_assert_uint_eq(t->nclasses, 19);
	ck_assert_uint_eq(t->nstates, 19 * (1 + 10 + 10 + 100 + 1000) +
	    2 * 10000);
	ck_assert_uint_eq(fm_trie_bytes(t), sizeof *t + 4 * t->nstates +
	    4 * 10000);
	fm_trie_free(&t);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("trie");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, every_place_of_every_text_is_told, 0, 4);
	tcase_add_test(tc, a_node_may_have_a_child_for_each_byte);
	tcase_add_test(tc, it_takes_a_few_bytes_for_each_of_the_texts);
	return (unit_run("trie", tc));
}
