/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lifetimes for caches of a certain kind: cases as tables, and a twin whose
 * regexes are the grammar of RFC 8941.
 */

#include "regex.h"
#include "tally.h"
#include "targeted.h"
#include "unit.h"

#define NOT	-2.		/* can't be read */
#define NONE	-1.

static const struct {
	enum fm_targeted_kind	kind;
	const char		*value;
	double			seconds, stale;
} cases[] = {
	{ FM_TARGETED_STRUCTURED, "max-age=60", 60, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, stale-while-revalidate=30", 60,
	    30 },
	{ FM_TARGETED_STRUCTURED, " max-age=60\t,\tpublic ", 60, NONE },
	{ FM_TARGETED_STRUCTURED, "", NONE, NONE },
	{ FM_TARGETED_STRUCTURED, "no-store", NONE, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, max-age=5", 5, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, s-maxage=5", 5, NONE },
	{ FM_TARGETED_STRUCTURED, "s-maxage=5, max-age=60", 5, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60;a=\"x,y\";b", 60, NONE },
	{ FM_TARGETED_STRUCTURED, "private=\"a, max-age=9\", max-age=1", 1,
	    NONE },
	{ FM_TARGETED_STRUCTURED, "a=(1 \"b)\" c;d=?1), max-age=1", 1, NONE },
	{ FM_TARGETED_STRUCTURED, "a=:YWJj:, max-age=1", 1, NONE },
	{ FM_TARGETED_STRUCTURED, "a=*tok/en:x, max-age=1", 1, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=-1", NONE, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=1.5", NONE, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=\"60\"", NONE, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age", NONE, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=999999999999999", 3153600000.,
	    NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=0", 0, NONE },
	{ FM_TARGETED_STRUCTURED, "Max-Age=60", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60,", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, , public", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age = 60", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60 public", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=9999999999999999", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, a=\"x", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, a=\"\\x\"", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, a=(1", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=1.", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=60, a=?2", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "max-age=", NOT, NONE },
	{ FM_TARGETED_STRUCTURED, "=60", NOT, NONE },

	{ FM_TARGETED_SURROGATE, "max-age=60", 60, NONE },
	{ FM_TARGETED_SURROGATE, "max-age=60+30", 60, 30 },
	{ FM_TARGETED_SURROGATE, "content=\"ESI/1.0, max-age=5\", Max-Age=1 ",
	    1, NONE },
	{ FM_TARGETED_SURROGATE, "max-age=60;cdn, max-age=5", 5, NONE },
	{ FM_TARGETED_SURROGATE, "max-age=5, max-age=60;cdn", 5, NONE },
	{ FM_TARGETED_SURROGATE, "no-store", NONE, NONE },
	{ FM_TARGETED_SURROGATE, "max-age=x, max-age=, max-age=6+", NONE,
	    NONE },
	{ FM_TARGETED_SURROGATE, "", NONE, NONE },
	{ FM_TARGETED_SURROGATE, "max-age=99999999999999999999", 3153600000.,
	    NONE },

	{ FM_TARGETED_SECONDS, "60", 60, NONE },
	{ FM_TARGETED_SECONDS, "0", 0, NONE },
	{ FM_TARGETED_SECONDS, "", NOT, NONE },
	{ FM_TARGETED_SECONDS, "-1", NOT, NONE },
	{ FM_TARGETED_SECONDS, "60s", NOT, NONE },
	{ FM_TARGETED_SECONDS, "@1700000000", NOT, NONE },
	{ FM_TARGETED_SECONDS, "max-age=60", NOT, NONE }
};

UNIT_TEST(headers_are_read)
{
	struct fm_targeted is;
	size_t i;
	bool read;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		read = fm_targeted_read(cases[i].kind,
		    fm_text_of(cases[i].value), &is);
		ck_assert_msg(read == (cases[i].seconds != NOT) && (!read ||
		    (is.seconds == cases[i].seconds &&
		    is.stale == cases[i].stale)), "'%s': %d, %g, %g",
		    cases[i].value, read, is.seconds, is.stale);
	}
}

UNIT_TEST(names_have_kinds)
{
	static const struct {
		const char		*name;
		enum fm_targeted_kind	kind;
	} names[] = {
		{ "CDN-Cache-Control", FM_TARGETED_STRUCTURED },
		{ "cloudflare-cdn-cache-control", FM_TARGETED_STRUCTURED },
		{ "-CDN-Cache-Control", FM_TARGETED_SECONDS },
		{ "XCDN-Cache-Control", FM_TARGETED_SECONDS },
		{ "surrogate-control", FM_TARGETED_SURROGATE },
		{ "X-Accel-Expires", FM_TARGETED_SECONDS },
		{ "C", FM_TARGETED_SECONDS }
	};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		ck_assert_msg(fm_targeted_kind(fm_text_of(names[i].name)) ==
		    names[i].kind, "%s", names[i].name);
}

/* The grammar of RFC 8941, with `~` for the blanks of a list. */
#define KEY	"[a-z*][a-z0-9_.*-]*"
#define ITEM	"(?:-?(?:[0-9]{1,12}[.][0-9]{1,3}|[0-9]{1,15})|" \
	"\"(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*\"|" \
	"[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*|:[ -9;-~]*:|[?][01])"
#define PARAMS	"(?:; *" KEY "(?:=" ITEM ")?)*"
#define INNER	"[(] *(?:" ITEM PARAMS "(?: +" ITEM PARAMS ")*)? *[)]"
#define MEMBER	"(" KEY ")(?:=(" ITEM "|" INNER "))?" PARAMS

static struct fm_regex *
regex(const char *pattern)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *it;
	size_t offset;

	it = fm_regex_new(fm_text_of(pattern), false, error, &offset);
	ck_assert_msg(it != NULL, "%s", error);
	return (it);
}

/* Returns the seconds of a value; NONE for anything else. */
static double
number(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] < '0' || t.b[i] > '9')
			return (NONE);
	if (t.len == 0)
		return (NONE);
	return (strtod(t.b, NULL) > 3153600000. ? 3153600000. :
	    strtod(t.b, NULL));
}

/* Reads a dictionary, which `all` matches, by its members. */
static struct fm_targeted
twin(const struct fm_regex *member, struct fm_text t)
{
	struct fm_targeted is = { NONE, NONE };
	struct fm_text groups[FM_REGEX_GROUPS];
	struct fm_tally tally = { 0 };
	double age = NONE, shared = NONE, n;
	size_t at = 0;

	while (fm_regex_find(member, t, at, false, groups, &tally)) {
		n = number(fm_text_or_empty(groups[2]));
		if (fm_text_eq(groups[1], fm_text_of("max-age")))
			age = n;
		else if (fm_text_eq(groups[1], fm_text_of("s-maxage")))
			shared = n;
		else if (fm_text_eq(groups[1],
		    fm_text_of("stale-while-revalidate")))
			is.stale = n;
		at = (size_t)(groups[0].b - t.b) + groups[0].len;
	}
	is.seconds = shared >= 0 ? shared : age;
	return (is);
}

UNIT_TEST(dictionaries_are_those_of_the_grammar)
{
	static const char * const pieces[] = { "max-age", "s-maxage",
	    "stale-while-revalidate", "=", "=", "=", ",", ", ", ",", " ", ";",
	    "a", "B", "60", "5", "0", "1.5", "-", "\"", "\"x, y\"", "\\", "(",
	    ")", "(1 2)", "?1", "?", ":YQ==:", ":", "*", "\t", "\x80",
	    "123456789012", "max-age=60", "private" };
	struct fm_regex *all = regex("^ *(?:" MEMBER "(?:[ \t]*,[ \t]*" MEMBER
	    ")*[ \t]*)?$(?!\n)");
	struct fm_regex *member = regex("\\G(?: *|[ \t]*,[ \t]*)" MEMBER);
	struct fm_tally tally = { 0 };
	struct fm_targeted is, expect;
	unsigned i, n, right = 0;
	bool read, matches;
	struct fm_text t;
	char buf[400];

	unit_seed("targeted");
	for (i = 0; i < unit_rounds(300000, 1); i++) {
		buf[0] = '\0';
		for (n = unit_below(9); n > 0; n--)
			strcat(buf, pieces[unit_below(sizeof pieces /
			    sizeof pieces[0])]);
		t = fm_text_of(buf);
		read = fm_targeted_read(FM_TARGETED_STRUCTURED, t, &is);
		matches = fm_regex_match(all, t, &tally);
		ck_assert_msg(read == matches, "'%s': %d", buf, read);
		if (!read)
			continue;
		right++;
		expect = twin(member, t);
		ck_assert_msg(is.seconds == expect.seconds &&
		    is.stale == expect.stale, "'%s': %g %g, not %g %g", buf,
		    is.seconds, is.stale, expect.seconds, expect.stale);
	}
	ck_assert_uint_gt(right, i / 50);
	fm_regex_free(&all);
	fm_regex_free(&member);
}

int
main(void)
{
	return (unit_main("targeted", 30));
}
