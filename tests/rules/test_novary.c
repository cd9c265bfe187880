/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what `no-vary-search` says with what the rules do.  A model of a
 * browser's cache reads the header and two URLs; where it takes them for one,
 * the rules must make the same of both.
 */

#include <stdio.h>

#include "compiling.h"
#include "run.h"

#define PAIRS	12		/* most parameters of a URL */
#define NAMES	8		/* most names in a header of the tests */
#define LEN	200		/* most bytes of a text */

/*--------------------------------------------------------------------
 * The browser
 */

/* params=("a"): names "a"; params, except=("b"): all, names "b". */
struct variance {
	bool			any_order;	/* key-order */
	bool			all;		/* params */
	unsigned		nnames;
	char			names[NAMES][LEN];
};

struct pair {
	char			name[LEN], value[LEN];
};

struct query {
	unsigned		n;
	struct pair		pairs[2 * PAIRS];
};

static int
hex(char c)
{
	const char *digits = "0123456789abcdef";
	const char *digit = c == '\0' ? NULL : strchr(digits, c | 0x20);

	return (digit == NULL ? -1 : (int)(digit - digits));
}

/* Decodes a text as forms are: `+` is a blank, %61 an a. */
static void
decode(const char *from, size_t len, char *to)
{
	const char *end = from + len;

	ck_assert_uint_lt(len, LEN);
	for (; from < end; from++) {
		*to = *from == '+' ? ' ' : *from;
		if (*from == '%' && end - from > 2 && hex(from[1]) >= 0 &&
		    hex(from[2]) >= 0) {
			*to = (char)(hex(from[1]) << 4 | hex(from[2]));
			from += 2;
		}
		to++;
	}
	*to = '\0';
}

/* Reads the query of a URL, or the text itself. */
static void
query_read(const char *text, struct query *query)
{
	const char *mark = strchr(text, '?'), *end, *equal;
	struct pair *pair;
	size_t len;

	query->n = 0;
	text = mark == NULL ? "" : mark + 1;
	for (; *text != '\0'; text = *end == '&' ? end + 1 : end) {
		end = strchrnul(text, '&');
		if (end == text)
			continue;
		pair = &query->pairs[query->n++];
		equal = memchr(text, '=', (size_t)(end - text));
		len = (size_t)((equal == NULL ? end : equal) - text);
		decode(text, len, pair->name);
		decode(equal == NULL ? end : equal + 1,
		    equal == NULL ? 0 : (size_t)(end - equal - 1),
		    pair->value);
	}
}

/* Reads the names of `("a" "b")`. */
static const char *
names_read(const char *p, struct variance *is)
{
	const char *end;

	ck_assert_int_eq(*p, '(');
	for (p++; *p != ')'; p = end + 1 + (end[1] == ' ')) {
		ck_assert_int_eq(*p, '"');
		end = strchr(p + 1, '"');
		ck_assert_ptr_nonnull(end);
		decode(p + 1, (size_t)(end - p - 1), is->names[is->nnames++]);
	}
	return (p + 1);
}

static void
variance_read(const char *p, struct variance *is)
{
	memset(is, 0, sizeof *is);
	while (*p != '\0') {
		if (strncmp(p, "key-order", 9) == 0) {
			is->any_order = true;
			p += 9;
		} else if (strncmp(p, "params=", 7) == 0) {
			p = names_read(p + 7, is);
		} else if (strncmp(p, "params", 6) == 0) {
			is->all = true;
			p += 6;
		} else if (strncmp(p, "except=", 7) == 0) {
			p = names_read(p + 7, is);
		} else {
			ck_abort_msg("unexpected: %s", p);
		}
		if (*p != '\0') {
			ck_assert_int_eq(strncmp(p, ", ", 2), 0);
			p += 2;
		}
	}
}

static bool
is_ignored(const struct variance *is, const char *name)
{
	unsigned i;

	for (i = 0; i < is->nnames; i++)
		if (strcmp(is->names[i], name) == 0)
			return (!is->all);
	return (is->all);
}

/* Brings the parameters that count into the order in which they count. */
static void
query_reduce(const struct variance *is, struct query *query)
{
	struct pair pair;
	unsigned n = 0, i, to;

	for (i = 0; i < query->n; i++) {
		pair = query->pairs[i];
		if (is_ignored(is, pair.name))
			continue;
		to = n++;
		for (; is->any_order && to > 0 &&
		    strcmp(query->pairs[to - 1].name, pair.name) > 0; to--)
			query->pairs[to] = query->pairs[to - 1];
		query->pairs[to] = pair;
	}
	query->n = n;
}

static bool
query_eq(const struct query *a, const struct query *b)
{
	unsigned i;

	for (i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->pairs[i].name, b->pairs[i].name) != 0 ||
		    strcmp(a->pairs[i].value, b->pairs[i].value) != 0)
			return (false);
	return (a->n == b->n);
}

/* Returns true if a browser has one page for two URLs of one path. */
static bool
browser_eq(const struct variance *is, const char *a, const char *b)
{
	struct query queries[2];

	query_read(a, &queries[0]);
	query_read(b, &queries[1]);
	query_reduce(is, &queries[0]);
	query_reduce(is, &queries[1]);
	return (query_eq(&queries[0], &queries[1]));
}

/*--------------------------------------------------------------------
 * The rules
 */

struct rules {
	struct fm_model		*model;
	struct fm_program	*program;
	const struct fm_no_vary	*says;
};

/* Makes rules.  Returns false if they have errors. */
static bool
rules_init(struct rules *rules, const char *text)
{
	struct fm_diag *diag = fm_diag_new();

	memset(rules, 0, sizeof *rules);
	rules->model = unit_parse("x.rules", fm_text_of(text), diag);
	if (fm_diag_errors(diag) == 0 && fm_check(rules->model, NULL, diag))
		rules->program = fm_compile(rules->model, NULL, diag);
	if (rules->program != NULL)
		rules->says = rules->model->sites->no_vary;
	fm_diag_free(&diag);
	return (rules->program != NULL);
}

static void
rules_fini(struct rules *rules)
{
	if (rules->program != NULL)
		fm_program_free(&rules->program);
	fm_model_free(&rules->model);
}

/* Two texts are the same if a browser reads them so, in whatever spelling. */
static bool
text_eq(struct fm_text a, struct fm_text b)
{
	char texts[2][LEN * 2], decoded[2][LEN];
	struct query queries[2];
	const char *mark[2];
	unsigned i;

	for (i = 0; i < 2; i++) {
		(void)snprintf(texts[i], sizeof texts[i], "%.*s",
		    FM_SHOW(i == 0 ? a : b));
		query_read(texts[i], &queries[i]);
		mark[i] = strchrnul(texts[i], '?');
		decode(texts[i], (size_t)(mark[i] - texts[i]), decoded[i]);
	}
	return (strcmp(decoded[0], decoded[1]) == 0 &&
	    query_eq(&queries[0], &queries[1]));
}

/* Returns true for an answer of Varnish, which never gets the header. */
static bool
is_own(const struct fm_result *result)
{
	return (result->verdict == FM_VERDICT_REDIRECT ||
	    result->verdict == FM_VERDICT_SYNTH ||
	    result->verdict == FM_VERDICT_ANSWER ||
	    result->verdict == FM_VERDICT_PURGE ||
	    result->verdict == FM_VERDICT_FAIL);
}

static bool
result_eq(const struct fm_result *a, const struct fm_result *b)
{
	struct fm_edit edits[2] = { { .set = false } };
	unsigned at[2] = { 0, 0 };
	bool more[2];

	if (a->verdict != b->verdict)
		return (false);
	if (is_own(a))
		return (true);
	if (!text_eq(a->url, b->url))
		return (false);
	for (;;) {
		more[0] = fm_edit_next(a, &at[0], &edits[0]);
		more[1] = fm_edit_next(b, &at[1], &edits[1]);
		if (!more[0] || !more[1])
			return (more[0] == more[1]);
		if (!fm_text_eq(edits[0].name, edits[1].name) ||
		    edits[0].set != edits[1].set || (edits[0].set &&
		    !text_eq(edits[0].value, edits[1].value)))
			return (false);
	}
}

/* Returns true if the rules make the same of two URLs. */
static bool
rules_eq(const struct rules *rules, const char *a, const char *b, bool header)
{
	static const char host[] = "Host: a.example", own[] = "X-H: 1";
	struct fm_field fields[] = { { host, host + sizeof host - 1 },
	    { own, own + sizeof own - 1 } };
	struct fm_view view = { .method = fm_text_of("GET"),
	    .fields = fields, .nfields = header ? 2 : 1 }, other = view;
	struct fm_run runs[2];
	bool eq;

	view.url = fm_text_of(a);
	other.url = fm_text_of(b);
	eq = result_eq(fm_run(&runs[0], rules->program, &view, NULL),
	    fm_run(&runs[1], rules->program, &other, NULL));
	fm_run_end(&runs[0]);
	fm_run_end(&runs[1]);
	return (eq);
}

/*--------------------------------------------------------------------
 * Random URLs
 */

static const char * const names[] = { "a", "b", "c", "d", "C", "utm_x",
    "utm_y", "page", "print", "a.b" };
static const char * const values[] = { "", "1", "1", "2", "x y", "b=" };

#define PICK(array)	((array)[unit_below(sizeof (array) / sizeof *(array))])

struct drawn {
	unsigned		n;
	const char		*name[PAIRS], *value[PAIRS];
};

static void
drawn_add(struct drawn *to)
{
	if (to->n == PAIRS)
		return;
	to->name[to->n] = PICK(names);
	to->value[to->n++] = PICK(values);
}

/* Adds, removes or swaps. */
static void
drawn_change(struct drawn *to)
{
	unsigned i = unit_below(to->n + 1), k = unit_below(to->n + 1);
	const char *name, *value;

	if (to->n == 0 || i == to->n) {
		drawn_add(to);
		return;
	}
	k = k == to->n ? 0 : k;
	name = to->name[i];
	value = to->value[i];
	to->name[i] = to->name[k];
	to->value[i] = to->value[k];
	to->name[k] = name;
	to->value[k] = value;
	if (unit_below(2) == 0)
		to->n--;
}

/* Writes a text, in some spelling if `spells` is set. */
static char *
put_text(char *to, const char *text, bool spells)
{
	for (; *text != '\0'; text++)
		if (spells && *text == ' ' && unit_below(2) == 0)
			*to++ = '+';
		else if (*text == ' ' || (spells && unit_below(4) == 0))
			to += sprintf(to, unit_below(2) == 0 && spells ?
			    "%%%02x" : "%%%02X", (unsigned char)*text);
		else
			*to++ = *text;
	return (to);
}

static void
drawn_put(const struct drawn *from, const char *path, bool spells, char *to)
{
	unsigned i;

	to = stpcpy(to, path);
	if (from->n > 0 || (spells && unit_below(2) == 0))
		*to++ = '?';
	for (i = 0; i < from->n; i++) {
		if (i > 0)
			*to++ = '&';
		if (spells && unit_below(8) == 0)
			*to++ = '&';
		to = put_text(to, from->name[i], spells);
		if (*from->value[i] != '\0' || (spells && unit_below(2) == 0))
			*to++ = '=';
		to = put_text(to, from->value[i], spells);
	}
	*to = '\0';
}

/* Counts of random pairs of URLs. */
struct found {
	unsigned		one;		/* a browser has one page */
	unsigned		wrong;		/* and the rules have two */
	char			a[1000], b[1000]; /* the last of these */
};

static void
compare(const struct rules *rules, const char *header, bool spells,
    unsigned pairs, struct found *found)
{
	struct variance is;
	struct drawn drawn;
	char a[1000], b[1000];
	const char *path;
	unsigned i;

	variance_read(header, &is);
	while (pairs-- > 0) {
		drawn.n = 0;
		for (i = unit_below(7); i > 0; i--)
			drawn_add(&drawn);
		path = unit_below(2) == 0 ? "/p" : "/q";
		drawn_put(&drawn, path, spells, a);
		for (i = unit_below(4); i > 0; i--)
			drawn_change(&drawn);
		drawn_put(&drawn, path, spells, b);
		if (!browser_eq(&is, a, b))
			continue;
		found->one++;
		if (rules_eq(rules, a, b, unit_below(2) == 0))
			continue;
		found->wrong++;
		(void)strcpy(found->a, a);
		(void)strcpy(found->b, b);
	}
}

/*--------------------------------------------------------------------
 * Random rules
 */

static const char * const plain[] = { "set X-A = 1;", "cookie drop a;",
    "set X-P = \"${path}\";", "query sort;", "unset X-H;",
    "set X-M = word(path);", "rewrite header X-H ~ 1 to 2;", "log \"${url}\";"
};
static const char * const filters[] = { "query drop a b;", "query sort;",
    "query drop utm_* a.b;", "query drop in away;", "query drop c;",
    "query keep c d page;", "query keep in kept;", "query keep p*;",
    "query drop in any_case;", "query keep in any_case;", "query sort;",
    "query drop *;" };
static const char * const readers[] = { "query unique;", "query clean;",
    "set X-U = \"${url}\";", "set X-Q = \"${query.a}\";",
    "set X-M = word(query b);", "set X-V = value(path);",
    "rewrite ~ \"a=\" to \"b=\";", "set url \"/p\";",
    "set url \"/r${?query}\";", "redirect 302 away(query a);" };
static const char * const ends[] = { "pass;", "hash;", "builtin;", "stop;",
    "pipe;", "synth 403;", "redirect 301 \"https://b.example${url}\";",
    "redirect 301 \"/r${query}\";", "answer 200 text/plain \"x\";", "purge;",
    "fail;", "redirect 302 away(path);" };
static const char * const tests[] = { "path is /p", "header X-H is 1",
    "query b is 1", "url contains \"a=\"", "any query c is 1",
    "query utm_* present", "query in kept present" };

static void
put_block(FILE *to, bool reads, unsigned depth, bool uses)
{
	unsigned n = 1 + unit_below(5), what;

	for (; n > 0; n--) {
		what = unit_below(12);
		if (what < 5) {
			(void)fprintf(to, "%s ", PICK(filters));
		} else if (what < 7) {
			(void)fprintf(to, "%s ", PICK(plain));
		} else if (what == 7 && reads && unit_below(2) == 0) {
			(void)fprintf(to, "%s ", PICK(readers));
		} else if (what == 8 && uses) {
			(void)fprintf(to, "use r%u; ", unit_below(2));
		} else if (depth < 3) {
			(void)fprintf(to, "when %s { ", tests[unit_below(
			    reads && unit_below(3) == 0 ? 7 : 2)]);
			if (unit_below(2) == 0)
				put_block(to, reads, depth + 1, uses);
			if (unit_below(2) == 0)
				(void)fprintf(to, "%s ", PICK(ends));
			(void)fprintf(to, "} ");
		}
	}
}

/* Returns rules, which are malloc'ed. */
static char *
rules_new(bool reads)
{
	FILE *to;
	char *text;
	size_t len;

	to = open_memstream(&text, &len);
	ck_assert_ptr_nonnull(to);
	(void)fprintf(to, "list away is { a utm_x } list kept is { c d }\n"
	    "list any_case nocase is { c }\n"
	    "map word { is /p -> p; is 1 -> one; default x; }\n"
	    "map value { is /p -> \"${query.b}\"; default x; }\n"
	    "map away { is /p 1 -> /away; }\n"
	    "ruleset r0 { ");
	put_block(to, reads, 0, false);
	(void)fprintf(to, "}\nruleset r1 { ");
	put_block(to, reads, 1, false);
	(void)fprintf(to, "use r0; }\n");
	if (unit_below(2) == 0) {
		(void)fprintf(to, "always { ");
		put_block(to, reads, 0, true);
		(void)fprintf(to, "}\n");
	}
	(void)fprintf(to, "host a.example { ");
	put_block(to, reads, 0, true);
	(void)fprintf(to, "delivery { no-vary-search; } }\n");
	if (unit_below(2) == 0) {
		(void)fprintf(to, "finally { ");
		put_block(to, reads, 0, true);
		(void)fprintf(to, "}\n");
	}
	(void)fclose(to);
	return (text);
}

static void
random_rules(bool reads)
{
	unsigned rounds = unit_rounds(10000, 100), i, said = 0, one = 0;
	struct rules rules;
	struct found found;
	char *text, header[1000];

	unit_seed(reads ? "novary, reading" : "novary, spelling");
	for (i = 0; i < rounds; i++) {
		text = rules_new(reads);
		if (!rules_init(&rules, text)) {
			rules_fini(&rules);
			free(text);
			continue;
		}
		(void)snprintf(header, sizeof header, "%.*s",
		    FM_SHOW(rules.says->header));
		said += *header != '\0';
		memset(&found, 0, sizeof found);
		if (*header != '\0')
			compare(&rules, header, !reads, 100, &found);
		if (found.wrong > 0)
			ck_abort_msg("%s: %s is another page than %s, by\n%s",
			    header, found.a, found.b, text);
		one += found.one;
		rules_fini(&rules);
		free(text);
	}
	ck_assert_uint_gt(said, rounds / 4);
	ck_assert_uint_gt(one, 20 * said);
}

UNIT_TEST(urls_that_a_browser_takes_for_one_are_one_for_random_rules)
{
	random_rules(true);
}

UNIT_TEST(urls_in_another_spelling_are_one_for_rules_that_do_not_read_them)
{
	random_rules(false);
}

/*--------------------------------------------------------------------
 * Headers for known rules, and headers that would say too much
 */

static const struct {
	const char		*rules;		/* of a host */
	const char		*says;
	const char		*left;
	const char		*wrong;		/* says too much; or NULL */
} known[] = {
	{ "query drop a b;", "params=(\"a\" \"b\")", "",
	    "params=(\"a\" \"c\")" },
	{ "query drop a; query sort;", "key-order, params=(\"a\")", "",
	    "key-order, params" },
	{ "query sort;", "key-order", "", "key-order, params=(\"a\")" },
	{ "query drop a;", "params=(\"a\")", "", "key-order, params=(\"a\")" },
	{ "query keep c page;", "params, except=(\"c\" \"page\")", "",
	    "params, except=(\"c\")" },
	{ "query drop c; query keep c page;",
	    "params, except=(\"c\" \"page\")", "", "params" },
	{ "query drop utm_* utm_x;", "params=(\"utm_x\")",
	    "not plain names: utm_*", "params=(\"utm_x\" \"a\")" },
	{ "query keep p*;", "", "'query keep' at x.rules:4:18 has the "
	    "pattern 'p*'", "params, except=(\"page\")" },
	{ "query drop *;", "params", "", NULL },
	{ "query drop in any_case;", "params=(\"c\")", "",
	    "params=(\"c\" \"d\")" },
	{ "query keep in any_case;", "", "'query keep' at x.rules:4:18 keeps "
	    "names in any case", "params, except=(\"c\")" },
	{ "query drop in begin;", "params=(\"a\")", "not plain names: utm_* *y",
	    "params=(\"b\")" },
	{ "query drop \"a\\\"\\\\\" x+y \303\251;",
	    "params=(\"a%22%5C\")", "not plain names: x+y \303\251",
	    "params=(\"a\")" },
	{ "when path is /p { query drop a; }", "", "'query drop' at "
	    "x.rules:4:36 is in a 'when'", "params=(\"a\")" },
	{ "when path is /p { pass; } query drop a;", "", "'query drop' at "
	    "x.rules:4:44 comes after the 'pass' at x.rules:4:36",
	    "params=(\"a\")" },
	{ "when path is /p { stop; } query drop a;", "", "'query drop' at "
	    "x.rules:4:44 comes after the 'stop' at x.rules:4:36",
	    "params=(\"a\")" },
	{ "when query a present { synth 403; } query drop a;", "",
	    "'query drop' at x.rules:4:54 comes after the 'when' at "
	    "x.rules:4:18", "params=(\"a\")" },
	{ "set X-U = \"${url}\"; query drop a;", "", "'query drop' at "
	    "x.rules:4:38 comes after the 'set' at x.rules:4:18",
	    "params=(\"a\")" },
	{ "rewrite ~ a= to d=; query drop a;", "", "'query drop' at "
	    "x.rules:4:38 comes after the 'rewrite' at x.rules:4:18",
	    "params=(\"a\")" },
	{ "redirect 302 move(query a); query drop a;", "", "'query drop' at "
	    "x.rules:4:46 comes after the 'redirect' at x.rules:4:18",
	    "params=(\"a\")" },
	/* Answers of ours never get the header. */
	{ "when path is /p { redirect 301 \"https://b.example${url}\"; } "
	    "query drop a;", "params=(\"a\")", "", "params" },
	{ "when path is /p { synth 403; } query drop a; query drop b; pass;",
	    "params=(\"a\" \"b\")", "", "params" },
	/* A `stop` leaves the host's block, but not `finally`. */
	{ "use stops; query drop b; } finally { query drop c;",
	    "params=(\"a\" \"c\")", "'query sort' at x.rules:3:57 comes after "
	    "the 'stop' at x.rules:3:49; 'query drop' at x.rules:4:29 comes "
	    "after the 'stop' at x.rules:3:49",
	    "params=(\"a\" \"b\" \"c\")" },
	{ "log \"${url}\"; call vcl; backend b; query drop a;",
	    "params=(\"a\")", "", "params=(\"b\")" }
};

UNIT_LOOP(a_header_says_what_these_rules_do_and_more_would_be_noticed,
    UNIT_COUNT(known))
{
	struct found found = { .one = 0 };
	struct rules rules;
	char text[2000];

	unit_seed("novary, known");
	(void)snprintf(text, sizeof text, "list any_case nocase is { c }\n"
	    "list begin { is a; begins utm_; ends y; }\n"
	    "ruleset stops { query drop a; when path is /p { stop; } query "
	    "sort; }\nhost a.example { %s delivery { no-vary-search; } }\n"
	    "map move { is 1 -> /m; }\n",
	    known[_i].rules);
	if (!rules_init(&rules, text))
		ck_abort_msg("errors in: %s", text);
	ck_assert_str_eq(fm_arena_add(&rules.model->arena,
	    rules.says->header), known[_i].says);
	ck_assert_str_eq(fm_arena_add(&rules.model->arena, rules.says->left),
	    known[_i].left);
	if (rules.says->header.len > 0)
		compare(&rules, known[_i].says, false, 4000, &found);
	ck_assert_uint_eq(found.wrong, 0);
	if (known[_i].wrong != NULL) {
		compare(&rules, known[_i].wrong, false, 4000, &found);
		ck_assert_uint_gt(found.wrong, 0);
	}
	rules_fini(&rules);
}

/* Fails unless rules make a browser take two URLs for one, or for two. */
static void
browser_says(const char *header, const char *a, const char *b, bool eq)
{
	struct variance is;

	variance_read(header, &is);
	ck_assert_int_eq(browser_eq(&is, a, b), eq);
}

/* The examples of the standard's text. */
UNIT_TEST(the_model_of_a_browser_reads_urls_as_the_standard_does)
{
	browser_says("params=(\"a\")", "/?a=1&b=2", "/?b=2", true);
	browser_says("params=(\"a\")", "/?a=1&b=2", "/?b=3", false);
	browser_says("params=(\"a\")", "/?b=1&c=2", "/?c=2&b=1", false);
	browser_says("key-order", "/?b=1&c=2", "/?c=2&b=1", true);
	browser_says("key-order", "/?b=1&b=2", "/?b=2&b=1", false);
	browser_says("params, except=(\"a\")", "/?a=1&b=2", "/?a=1", true);
	browser_says("params, except=(\"a\")", "/?a=1", "/?a=2", false);
	browser_says("params", "/?a=1", "/", true);
	browser_says("params=(\"%C3%A9\")", "/?%c3%a9=1", "/", true);
	browser_says("params=(\"b\")", "/?a", "/?a=", true);
	browser_says("params=(\"b\")", "/?%61=+", "/?a=%20&&", true);
	browser_says("params=(\"b+c\")", "/?b%20c", "/", true);
}

int
main(void)
{
	return (unit_main("novary", 600));
}
