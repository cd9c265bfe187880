/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filtering of query strings and cookies: cases as tables, and a twin that
 * splits into an array, compares each with each, and joins.
 */

#include "params.h"
#include "twin.h"
#include "twin_params.h"

/* A set of the words in a string; NULL of NULL. */
static struct fm_names *
names_of(const char *words)
{
	struct fm_names *names;
	struct fm_text name;

	if (words == NULL)
		return (NULL);
	names = fm_names_new(false);
	ck_assert_ptr_nonnull(names);
	while (twin_word(&words, &name))
		ck_assert_int_eq(fm_names_add(names, name, NULL, NULL), 0);
	ck_assert_int_eq(fm_names_make(names, NULL, NULL), 0);
	return (names);
}

static const struct fm_params *
params_of(struct fm_params *params, const struct fm_names *names, int flags)
{
	params->names = names;
	params->mode = flags & KEEP ? FM_PARAMS_KEEP : FM_PARAMS_DROP;
	params->sort = (flags & SORT) != 0;
	params->unique = (flags & UNIQUE) != 0;
	return (params);
}

typedef enum fm_params_result filter_f(const struct fm_params *,
    struct fm_text, char *, size_t, struct fm_text *);

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

/*
 * Filters, and holds the outcome against what is expected (NULL: the same
 * pointer), at the smallest cap that is enough and all that are not.
 */
static void
check_filter(filter_f *filter, const struct fm_params *params,
    struct fm_text input, const struct fm_text *expect)
{
	char *in = malloc(BLOCK), *buf = malloc(BLOCK);
	struct fm_text t, out, again;
	size_t cap;

	AGREE(in != NULL && buf != NULL, "no memory");
	t = block_text(in, input);
	memset(buf, '~', BLOCK);
	if (expect == NULL) {
		AGREE(filter(params, t, buf, BLOCK, &out) ==
		    FM_PARAMS_SAME, "\"%.*s\" became \"%.*s\"",
		    (int)t.len, t.b, (int)out.len, out.b);
		AGREE(out.b == t.b && out.len == t.len, "not the input");
		for (cap = 0; cap < BLOCK; cap++)
			AGREE(buf[cap] == '~', "the buffer was touched");
	} else {
		cap = expect->len;
		AGREE(filter(params, t, buf + BLOCK - cap, cap,
		    &out) == FM_PARAMS_CHANGED && fm_text_eq(out, *expect),
		    "\"%.*s\" became \"%.*s\", not \"%.*s\"", (int)t.len, t.b,
		    (int)out.len, out.b, (int)cap, expect->b);
		AGREE(out.b == buf + BLOCK - cap, "not in the buffer");
		t = block_text(in, out);
		AGREE(filter(params, t, NULL, 0, &again) == FM_PARAMS_SAME &&
		    again.b == t.b, "\"%.*s\" changes once more",
		    (int)t.len, t.b);
		t = block_text(in, input);
		while (cap-- > 0)
			AGREE(filter(params, t, buf + BLOCK - cap, cap,
			    &out) == FM_PARAMS_SPACE &&
			    out.b == t.b && out.len == t.len,
			    "\"%.*s\" with space for %zu", (int)t.len, t.b,
			    cap);
	}
	free(in);
	free(buf);
}

struct params_case {
	const char	*names;		/* NULL: there is no set */
	int		flags;
	const char	*in;
	const char	*out;		/* NULL: unchanged */
};

static void
check_case(filter_f *filter, const struct params_case *c)
{
	struct fm_names *names = names_of(c->names);
	struct fm_params params = { .clean = false };
	struct fm_text out = fm_text_of(c->out);

	check_filter(filter, params_of(&params, names, c->flags),
	    fm_text_of(c->in), c->out == NULL ? NULL : &out);
	if (names != NULL)
		fm_names_free(&names);
}

static const struct params_case query_cases[] = {
	/* nothing to do */
	{ "a", DROP, "", NULL },
	{ "a", KEEP, "/b", NULL },
	{ NULL, KEEP | SORT | UNIQUE, "/?", NULL },
	{ NULL, DROP, "/?b&a&a", NULL },
	/* dropping */
	{ "a", DROP, "/?a", "/" },
	{ "utm_*", DROP, "/x?utm_source=n&id=7&utm_medium=m", "/x?id=7" },
	/* keeping */
	{ "a", KEEP, "/?a=1&b=2&a=3", "/?a=1&a=3" },
	{ NULL, KEEP, "/?a&b", "/" },
	/* what a name is */
	{ "a", DROP, "/?a=b=c&b=a", "/?b=a" },
	{ "a", KEEP, "/?=a", "/" },
	{ "*", DROP, "/?&", NULL },
	{ "a", DROP, "/?%61=1&b", "/?b" },
	{ "utm_*", DROP, "/?utm%5Fsource=x&b=%5f", "/?b=%5f" },
	{ "a?1", DROP, "/?a%3d1&a%261&b", "/?b" },
	/* `?`, `;` and `#` are bytes of the query, and of names */
	{ "a", DROP, "/?b?a&a?b", NULL },
	{ "a", DROP, "/?b;a&a;b", NULL },
	{ "a", DROP, "/?b#?a&a", "/?b#" "?a" },
	/* sorting */
	{ NULL, SORT, "/?b=2&a=2&b=1&a=1", "/?a=2&a=1&b=2&b=1" },
	{ NULL, SORT, "/?%ff&z", "/?z&%ff" },
	{ NULL, SORT, "/?a%00&a", "/?a&a%00" },
	{ "b", SORT, "/?a&b&c", "/?a&c" },
	/* unique */
	{ NULL, UNIQUE, "/?a=1&%61=1", "/?a=1" },
	{ NULL, UNIQUE, "/?a=a&a=%61", NULL },
	{ NULL, UNIQUE, "/?=&=1&=", "/?=&=1" },
	{ NULL, SORT | UNIQUE, "/?b=1&a&b=2&b=1&a", "/?a&b=1&b=2" },
};

UNIT_LOOP(test_params_query_cases, COUNT(query_cases))
{
	check_case(fm_params_query, &query_cases[_i]);
}

static const struct params_case cookie_cases[] = {
	{ "a", DROP, "", NULL },
	{ "a", DROP, "b=1;c=2 ;;  d", NULL },
	{ NULL, KEEP, " ; ;", NULL },
	{ "a", DROP, "b=1;c=2 ;; a;d", "b=1; c=2; d" },
	/* a name alone, no name, and what looks like a query */
	{ "a", DROP, "b&a=1; a?", NULL },
	{ "?61", DROP, "%61=1; b", "b" },
	{ "a", DROP, "a b=1; a\r=1", NULL },
	/* sorting, unique */
	{ NULL, SORT, "a;b ;; c", NULL },
	{ NULL, SORT, "b;%61", "%61; b" },
	{ NULL, UNIQUE, "a=1; b=2; a=1;a=2", "a=1; b=2; a=2" },
	{ NULL, UNIQUE, "a; ;a=; a=1", NULL },
};

UNIT_LOOP(test_params_cookie_cases, COUNT(cookie_cases))
{
	check_case(fm_params_cookies, &cookie_cases[_i]);
}

UNIT_TEST(test_params_leave_a_missing_text_missing)
{
	struct fm_params params = { .clean = false };
	struct fm_text out = fm_text_of("x");

	params_of(&params, NULL, KEEP | SORT | UNIQUE);
	ck_assert_int_eq(fm_params_query(&params, fm_text_of(NULL), NULL, 0,
	    &out), FM_PARAMS_SAME);
	ck_assert_ptr_null(out.b);
	out = fm_text_of("x");
	ck_assert_int_eq(fm_params_cookies(&params, fm_text_of(NULL), NULL, 0,
	    &out), FM_PARAMS_SAME);
	ck_assert_ptr_null(out.b);
	ck_assert_uint_eq(fm_params_cookies_cap(fm_text_of(NULL)), 0);
}

static const char * const random_sets[] = {
	NULL, "", "a", "b", "A", "*", "?", "a b", "a*", "*b", "b a* ?_", "??",
	"41 _ a?b", "*4* b_", "A* a1", "a _*"
};

static void
check_random(filter_f *filter, bool cookies, const char *alphabet,
    unsigned rounds)
{
	struct fm_names *sets[COUNT(random_sets)];
	struct fm_params params = { .clean = false };
	struct fm_text in, out, expect;
	char in_buf[32], twin_buf[64], *block = malloc(BLOCK);
	char *buf = malloc(BLOCK);
	unsigned n, changes = 0;
	int i, set, flags;
	size_t cap;
	bool changed;

	ck_assert_ptr_nonnull(block);
	ck_assert_ptr_nonnull(buf);
	for (i = 0; i < COUNT(random_sets); i++)
		sets[i] = names_of(random_sets[i]);
	for (n = 0; n < rounds; n++) {
		flags = (int)(n % 8);
		set = (int)unit_below(COUNT(random_sets));
		params_of(&params, sets[set], flags);
		in = block_text(block, twin_random(in_buf,
		    27, alphabet));
		changed = twin_filter(random_sets[set], flags, in, cookies,
		    twin_buf, &expect);
		changes += changed;
		cap = cookies ? fm_params_cookies_cap(in) : in.len;
		AGREE((filter(&params, in, buf + BLOCK - cap, cap,
		    &out) == FM_PARAMS_CHANGED) == changed &&
		    (changed ? fm_text_eq(out, expect) : out.b == in.b),
		    "set \"%s\", flags %d, \"%.*s\" became \"%.*s\"",
		    random_sets[set] == NULL ? "-" : random_sets[set], flags,
		    (int)in.len, in.b, (int)out.len, out.b);
		if (changed)
			check_filter(filter, &params, in, &expect);
	}
	/* the random input gave both answers often enough */
	ck_assert_uint_gt(changes, rounds / 10);
	ck_assert_uint_lt(changes, rounds - rounds / 10);
	for (i = 0; i < COUNT(random_sets); i++)
		if (sets[i] != NULL)
			fm_names_free(&sets[i]);
	free(block);
	free(buf);
}

UNIT_TEST(test_params_queries_agree_with_a_naive_filter)
{
	unit_seed("params query");
	check_random(fm_params_query, false, "aab=&&?%41_;",
	    unit_rounds(100000, 2));
	check_random(fm_params_query, false, "?a=&&%64",
	    unit_rounds(20000, 2));
}

#define LISTS	4

/*
 * Several lists in one pass are the same lists one after the other: of
 * parameters (_i: 0), and of cookies (1).
 */
UNIT_LOOP(test_params_lists_in_one_pass_agree_with_lists_in_a_row, 2)
{
	unsigned n, i, set, count, last, want, changes = 0, later = 0;
	unsigned rounds = unit_rounds(60000, 2);
	struct fm_names *sets[COUNT(random_sets)];
	struct fm_params params[LISTS];
	const struct fm_params *lists[LISTS];
	char raw[32], twins[2][64], buf[64], *block = malloc(BLOCK);
	struct fm_text in, out, left;
	enum fm_params_result result;
	bool changed;
	int flags;

	ck_assert_ptr_nonnull(block);
	unit_seed("params lists");
	for (i = 0; i < COUNT(random_sets); i++)
		sets[i] = names_of(random_sets[i]);
	for (n = 0; n < rounds; n++) {
		in = block_text(block, twin_random(raw, 27,
		    _i ? "aab=;; \t%41_&" : "aab=&&%41_"));
		if (_i == 0 || in.len == 0) {
			block[BLOCK - in.len - 1] = _i ? ';' : '?';
			in = fm_text(in.b - 1, in.len + 1);
		}
		left = in;
		count = 1 + unit_below(LISTS);
		changed = false;
		for (i = want = 0; i < count; i++) {
			flags = unit_below(4) == 0 ? KEEP : DROP;
			/* The first set is NULL: it drops nothing. */
			set = unit_below(COUNT(random_sets) - 1) + 1;
			params[i] = (struct fm_params){ .clean = false };
			params_of(&params[i], sets[set], flags);
			ck_assert(fm_params_only_filters(&params[i]));
			lists[i] = &params[i];
			if (!twin_filter(random_sets[set], flags, left, _i > 0,
			    twins[left.b == twins[0]], &out))
				continue;
			left = out;
			changed = true;
			want = i;
		}
		result = _i ? fm_params_cookies_lists(lists, count, in, buf,
		    fm_params_cookies_cap(in), &out, &last) :
		    fm_params_query_lists(lists, count, in, 0, buf, in.len,
		    &out, &last);
		AGREE((result == FM_PARAMS_CHANGED) == changed &&
		    fm_text_eq(out, left),
		    "\"%.*s\" became \"%.*s\", not \"%.*s\"", (int)in.len,
		    in.b, (int)out.len, out.b, (int)left.len, left.b);
		AGREE(!changed || last == want,
		    "\"%.*s\": list %u, not %u, was the last", (int)in.len,
		    in.b, last, want);
		changes += changed;
		later += changed && want > 0;
	}
	ck_assert_uint_gt(changes, rounds / 10);
	ck_assert_uint_lt(changes, rounds - rounds / 50);
	ck_assert_uint_gt(later, rounds / 10);
	for (i = 0; i < COUNT(random_sets); i++)
		if (sets[i] != NULL)
			fm_names_free(&sets[i]);
	free(block);
}

UNIT_TEST(test_params_cookies_agree_with_a_naive_filter)
{
	unit_seed("params cookies");
	check_random(fm_params_cookies, true, "aab=;; \t%41_&",
	    unit_rounds(60000, 2));
	check_random(fm_params_cookies, true, "a;= ",
	    unit_rounds(10000, 2));
}

/* More pairs than are kept on the stack: what went in, and in what order? */
UNIT_TEST(test_params_many_are_sorted_stably_and_made_unique)
{
	struct fm_params params = { .clean = false };
	struct fm_text url, out;
	char *b = malloc(BLOCK * 1024), *buf = malloc(BLOCK * 1024), *p;
	unsigned i, name, value, last_name = 0, last_value = 0, n;
	size_t len = 1;

	unit_seed("params many");
	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_nonnull(buf);
	b[0] = '?';
	for (i = 0; i < 5000; i++)
		len += (size_t)sprintf(b + len, "n%03u=%04u&",
		    unit_below(300), i);
	url = fm_text(b, len);
	params_of(&params, NULL, SORT);
	ck_assert_int_eq(fm_params_query(&params, url, buf, len, &out),
	    FM_PARAMS_CHANGED);
	ck_assert_uint_eq(out.len, len - 1);	/* the `&` at the end */
	for (i = 0, p = buf; i < 5000; i++, p += 10) {
		AGREE(sscanf(p + 1, "n%3u=%4u", &name, &value) == 2 &&
		    (name > last_name ||
		    (name == last_name && (i == 0 || value > last_value))),
		    "out of order: %.10s", p);
		last_name = name;
		last_value = value;
	}
	/* each twice: the second half goes, in its old order or sorted */
	memcpy(b + len, b + 1, len - 1);
	url = fm_text(b, 2 * len - 1);
	params_of(&params, NULL, UNIQUE);
	ck_assert_int_eq(fm_params_query(&params, url, buf, url.len, &out),
	    FM_PARAMS_CHANGED);
	ck_assert(fm_text_eq(out, fm_text(b, len - 1)));
	params_of(&params, NULL, SORT | UNIQUE);
	ck_assert_int_eq(fm_params_query(&params, url, buf, url.len, &out),
	    FM_PARAMS_CHANGED);
	ck_assert_uint_eq(out.len, len - 1);
	for (n = 0, p = buf; p < buf + out.len; p++)
		n += *p == '=';
	ck_assert_uint_eq(n, 5000);
	free(b);
	free(buf);
}

static const struct {
	const char	*unit;		/* what is repeated to 64 KB */
	size_t		left_unique;	/* bytes that SORT | UNIQUE leaves */
} hostile_cases[] = {
	{ "a&", 2 },
	{ "%61&a&", 4 },
	{ "%", 0 },
	{ "?", 0 },
	{ "b&a&", 4 },
};

static void
check_hostile(const struct fm_names *names, const char *text,
    unsigned left_unique)
{
	struct fm_params params = { .clean = false };
	struct fm_text url, out;
	size_t len = 64 << 10, unit = strlen(text), i;
	char *b = malloc(len), *buf = malloc(len);
	bool changed;
	int flags;

	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_nonnull(buf);
	b[0] = '?';
	for (i = 1; i < len; i++)
		b[i] = text[(i - 1) % unit];
	/* the last one is whole, or a separator */
	len -= (len - 1) % unit;
	url = fm_text(b, len);
	for (flags = 0; flags < 8; flags++) {
		params_of(&params, names, flags);
		(void)fm_params_query(&params, url, buf, len, &out);
		ck_assert_uint_le(out.len, url.len);
	}
	params_of(&params, NULL, SORT | UNIQUE);
	changed = fm_params_query(&params, url, buf, len, &out) ==
	    FM_PARAMS_CHANGED;
	AGREE(changed ? out.len == left_unique : left_unique == 0,
	    "\"%s\" again and again: %zu are left", text, out.len);
	free(b);
	free(buf);
}

/* All in one process, as each has the engine make its self-test. */
UNIT_TEST(test_params_hostile_queries_take_no_time)
{
	struct fm_names *names = names_of("*a*b*a*c utm_* x y z a*q*");
	int i;

	for (i = 0; i < COUNT(hostile_cases); i++)
		check_hostile(names, hostile_cases[i].unit,
		    hostile_cases[i].left_unique);
	fm_names_free(&names);
}

UNIT_TEST(test_params_hostile_cookies_fit_their_cap)
{
	struct fm_params params = { .clean = false };
	struct fm_text cookie, out;
	size_t len = 64 << 10, i, cap;
	char *b = malloc(len), *buf;

	ck_assert_ptr_nonnull(b);
	for (i = 0; i < len; i++)
		b[i] = i % 2 ? ';' : (char)('z' - i / 2 * 26 / len);
	cookie = fm_text(b, len - 1);
	cap = fm_params_cookies_cap(cookie);
	buf = malloc(cap);
	ck_assert_ptr_nonnull(buf);
	params_of(&params, NULL, SORT);
	ck_assert_int_eq(fm_params_cookies(&params, cookie, buf, cap, &out),
	    FM_PARAMS_CHANGED);
	ck_assert_uint_eq(out.len, 3 * (len / 2) - 2);
	ck_assert_uint_le(out.len, cap);
	ck_assert_int_lt(out.b[0], out.b[out.len - 1]);
	free(b);
	free(buf);
}

static const struct {
	const char	*list;		/* from `?` on: a URL */
	const char	*name;
	const char	*value;		/* NULL: it is not there */
} find_cases[] = {
	{ "/a?b=1&a=2", "a", "2" },
	{ "/a?aa=1&a=2", "a", "2" },
	{ "/a?a=%61", "a", "%61" },
	{ "/a?a=", "a", "" },
	{ "/a?A=1", "a", NULL },
	{ "/a?b=1", "ab", NULL },
	{ "/?", "", NULL },
	{ "/a=1", "a", NULL },
	{ "/a?%2561=1&a%=3", "%61", "1" },
	{ "a=1; b=2", "b", "2" },
	{ "a;b", "b", "" },
	{ "%62=1", "b", NULL },
	{ "", "b", NULL },
};

UNIT_LOOP(test_params_of_a_name_the_first_is_found, COUNT(find_cases))
{
	struct fm_text list = unit_copy(fm_text_of(find_cases[_i].list));
	struct fm_text name = fm_text_of(find_cases[_i].name), value;
	bool url = list.len > 0 && list.b[0] == '/';
	bool found = url ? fm_params_query_find(list, name, &value) :
	    fm_params_cookie_find(list, name, &value);

	ck_assert(found == (find_cases[_i].value != NULL));
	if (found)
		unit_assert_text(value, find_cases[_i].value);
	twin_free(list);
}

int
main(void)
{
	return (unit_main("params", 30));
}
