/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which engine may be asked about a regex; and the two engines compared, over
 * random regexes of all that both are said to read alike.
 */

#include "engine.h"
#include "lines.h"
#include "syntax.h"
#include "twin_regex.h"
#include "twin_set.h"

static const struct {
	const char		*regex;
	enum fm_syntax_engine	engine;
	unsigned		repeats;
} syntaxes[] = {
	{ "", FM_SYNTAX_ALIKE, 0 },
	{ "foo\\b", FM_SYNTAX_ALIKE, 0 },
	{ "bar/[0-9]+(?:\\.[0-9]+)*?", FM_SYNTAX_ALIKE, 0 },
	{ "^(?:a|b|)$", FM_SYNTAX_ALIKE, 0 },
	{ "(?i)^/Wp-(login|admin)\\.php$", FM_SYNTAX_ALIKE, 0 },
	{ "(?i:a)(?-i)b(?s-m:.)(?:c)", FM_SYNTAX_ALIKE, 0 },
	{ "\\x41\\t\\n\\r\\f\\a\\e\\.\\-\\\\", FM_SYNTAX_ALIKE, 0 },
	{ "\\A\\d\\D\\w\\W\\s\\S\\b\\B\\z", FM_SYNTAX_ALIKE, 0 },
	{ "[]a-z\\]\\x00-\\x1f[:alpha:][:^space:]-]", FM_SYNTAX_ALIKE, 0 },
	{ "[^]]", FM_SYNTAX_ALIKE, 0 },
	{ "a\\ [\\ b]", FM_SYNTAX_ALIKE, 0 },
	{ "[a-]", FM_SYNTAX_ALIKE, 0 },
	/* bounded repeats */
	{ "a{3}", FM_SYNTAX_ALIKE, 3 },
	{ "w.{1,5000}w", FM_SYNTAX_ALIKE, 5000 },
	{ "[0-9]{2,}?", FM_SYNTAX_ALIKE, 2 },
	{ "(ab{1,3}){4}", FM_SYNTAX_ALIKE, 16 },
	{ "((a{10}){10}){10}", FM_SYNTAX_ALIKE, 1000 },
	{ "a{2}|b{3}", FM_SYNTAX_ALIKE, 5 },
	{ "(?=a{7})", FM_SYNTAX_PREFILTER, 7 },
	{ "a{999999999}{9}", FM_SYNTAX_PCRE2, 1000000 },
	/* what a prefilter of Hyperscan's passes over */
	{ "^(?!.*bot).*x", FM_SYNTAX_PREFILTER, 0 },
	{ "(?<=a)b(?<!c)(?=d)", FM_SYNTAX_PREFILTER, 0 },
	{ "(a)\\1", FM_SYNTAX_PREFILTER, 0 },
	{ "(?>a|b)c++d*+e?+f{2}+", FM_SYNTAX_PREFILTER, 2 },
	/* what only PCRE2 knows */
	{ "a{,3}", FM_SYNTAX_PCRE2, 0 },
	{ "a{", FM_SYNTAX_PCRE2, 0 },
	{ "(*UTF)a", FM_SYNTAX_PCRE2, 0 },
	{ "a(*SKIP)b", FM_SYNTAX_PCRE2, 0 },
	{ "(?x)a b", FM_SYNTAX_PCRE2, 0 },
	{ "(?^i)a", FM_SYNTAX_PCRE2, 0 },
	{ "(?J)(?<n>a)", FM_SYNTAX_PCRE2, 0 },
	{ "(?P<n>a)", FM_SYNTAX_PCRE2, 0 },
	{ "(?|a|b)", FM_SYNTAX_PCRE2, 0 },
	{ "(?#c)a", FM_SYNTAX_PCRE2, 0 },
	{ "(a)(?1)", FM_SYNTAX_PCRE2, 0 },
	{ "(?(1)a|b)", FM_SYNTAX_PCRE2, 0 },
	{ "\\R", FM_SYNTAX_PCRE2, 0 }, { "\\N", FM_SYNTAX_PCRE2, 0 },
	{ "\\Kb", FM_SYNTAX_PCRE2, 0 }, { "\\Gb", FM_SYNTAX_PCRE2, 0 },
	{ "\\X", FM_SYNTAX_PCRE2, 0 }, { "\\C", FM_SYNTAX_PCRE2, 0 },
	{ "\\h", FM_SYNTAX_PCRE2, 0 }, { "\\v", FM_SYNTAX_PCRE2, 0 },
	{ "a\\Z", FM_SYNTAX_PCRE2, 0 },
	{ "\\p{L}", FM_SYNTAX_PCRE2, 0 }, { "\\Qa.b\\E", FM_SYNTAX_PCRE2, 0 },
	{ "\\x{41}", FM_SYNTAX_PCRE2, 0 }, { "\\x4", FM_SYNTAX_PCRE2, 0 },
	{ "\\012", FM_SYNTAX_PCRE2, 0 }, { "\\0", FM_SYNTAX_PCRE2, 0 },
	{ "\\g{1}(a)", FM_SYNTAX_PCRE2, 0 }, { "\\cA", FM_SYNTAX_PCRE2, 0 },
	{ "\\b+", FM_SYNTAX_PCRE2, 0 }, { "^*a", FM_SYNTAX_PCRE2, 0 },
	{ "[\\b]", FM_SYNTAX_PCRE2, 0 }, { "[\\d-z]", FM_SYNTAX_PCRE2, 0 },
	{ "[a-\\d]", FM_SYNTAX_PCRE2, 0 }, { "[[:word:]]", FM_SYNTAX_PCRE2, 0 },
};

UNIT_TEST(anchors_at_an_end_are_told)
{
	static const struct {
		const char	*regex;
		unsigned	ends;
	} tails[] = {
		{ "a\\z", FM_SYNTAX_TEXT_END }, { "a$", FM_SYNTAX_LINE_END },
		{ "(?m:b|(a$))c", FM_SYNTAX_LINE_END },
		{ "a(?!.*b\\z)", FM_SYNTAX_TEXT_END },
		{ "\\z|b$", FM_SYNTAX_TEXT_END | FM_SYNTAX_LINE_END },
		{ "^a\\b\\B", 0 }, { "a\\\\z", 0 }, { "a\\$", 0 },
		{ "[$\\\\z]", 0 }, { "", 0 }
	};
	static const struct {
		const char	*glob;
		unsigned	ends;
	} globs[] = {
		{ "*a", FM_SYNTAX_TEXT_END }, { "a?", FM_SYNTAX_TEXT_END },
		{ "", FM_SYNTAX_TEXT_END }, { "*a*", 0 }, { "*", 0 }
	};
	int i;

	for (i = 0; i < UNIT_COUNT(tails); i++)
		ck_assert_msg(fm_syntax_read(fm_text_of(tails[i].regex)).ends
		    == tails[i].ends, "%s", tails[i].regex);
	for (i = 0; i < UNIT_COUNT(globs); i++)
		ck_assert_msg(fm_syntax_read_glob(fm_text_of(
		    globs[i].glob)).ends == globs[i].ends, "%s",
		    globs[i].glob);
}

UNIT_TEST(what_is_not_on_the_list_is_for_pcre2)
{
	struct fm_syntax is;
	unsigned i;

	for (i = 0; i < sizeof syntaxes / sizeof *syntaxes; i++) {
		is = fm_syntax_read(fm_text_of(syntaxes[i].regex));
		ck_assert_msg(is.engine == syntaxes[i].engine &&
		    is.repeats == syntaxes[i].repeats,
		    "%s: engine %d, %zu repeats", syntaxes[i].regex,
		    (int)is.engine, is.repeats);
	}
}

/*--------------------------------------------------------------------
 * The two engines
 */

#define PAIRS		200000UL	/* of a regex and a subject */
#define SET_REGEXES	30	/* at most; few compile faster */
#define SET_SUBJECTS	600

static struct lines agents;

/* FM_PAIRS in the environment asks for another number of pairs. */
static unsigned long
pairs_wanted(void)
{
	const char *s = getenv("FM_PAIRS");

	return (s != NULL ? strtoul(s, NULL, 10) :
	    unit_rounds(16 * PAIRS, 32));
}

/* Adds a text, or a glob, that is akin to a regex, to stand beside regexes. */
static void
add_text(struct twin_set *set, struct twin_regex *m)
{
	bool glob = unit_below(2) == 0;
	size_t i;

	for (i = 0; glob && i < m->ntext; i++)
		if (unit_below(4) == 0)
			m->text[i] = "*?"[unit_below(2)];
	(void)twin_set_add(set, glob ? FM_PATTERN_GLOB : FM_PATTERN_CONTAINS,
	    unit_below(3) == 0, fm_text(m->text, m->ntext));
}

/* Makes a set of regexes that Hyperscan decides, with texts beside them. */
static void
set_of_random(struct twin_set *set, struct twin_regex *regexes)
{
	unsigned n = unit_below(30) > 0 ? 1 + unit_below(7) : SET_REGEXES;
	struct fm_text text;

	twin_set_init(set);
	while (set->n < n) {
		twin_regex_make(&regexes[set->n], false);
		text = fm_text_of(regexes[set->n].regex);
		TWIN_CHECK(fm_syntax_read(text).engine == FM_SYNTAX_ALIKE,
		    "not on the list: %s", text.b);
		if (set->n > 0 && unit_below(4) == 0)
			add_text(set, &regexes[set->n]);
		else
			(void)twin_set_add(set, FM_PATTERN_REGEX,
			    unit_below(3) == 0, text);
	}
	twin_set_make(set);
}

static void
compare_over_subjects(struct twin_set *set, const struct twin_regex *regexes)
{
	char buf[TWIN_SUBJECT_MAX];
	struct fm_text subject;
	unsigned i;

	for (i = 0; i < SET_SUBJECTS; i++) {
		subject = unit_below(16) == 0 ? lines_any(&agents) :
		    twin_regex_subject(regexes, set->n, buf);
		subject = unit_copy(subject);
		(void)twin_set_check(set, subject);
		free((char *)(uintptr_t)subject.b);
	}
	TWIN_CHECK(set->tally.fallbacks == 0, "a scan failed");
}

UNIT_SCANNING(hyperscan_decides_as_pcre2_does)
{
	static struct twin_regex regexes[SET_REGEXES];
	unsigned long pairs = 0, hits = 0, open = 0, refused = 0;
	unsigned long wanted = pairs_wanted();
	struct twin_set set;

	unit_seed("syntax");
	lines_read(&agents, "tests/examples/agents.txt");
	while (pairs < wanted) {
		set_of_random(&set, regexes);
		compare_over_subjects(&set, regexes);
		pairs += set.pairs;
		hits += set.hits;
		open += set.open;
		refused += set.tally.confirms;
		twin_set_fini(&set);
	}
	printf("syntax: %lu pairs, %lu of them match, %lu were refused, %lu "
	    "are not known\n", pairs, hits, refused, open);
	ck_assert_uint_ge(hits, pairs / 5);
	ck_assert_uint_ge(pairs - hits, pairs / 5);
	/* Hyperscan refuses `a^b` and the like, which PCRE2 decides then. */
	ck_assert_uint_le(refused, pairs / 5);
	ck_assert_uint_le(open, pairs / 50);
	fm_file_free(&agents.file);
}

int
main(void)
{
	TCase *tc = unit_case("syntax", 60);

	/* As long as it takes, if there are other pairs to try than usual. */
	tcase_set_timeout(tc, getenv("FM_PAIRS") != NULL ? 0 : 600);
	return (unit_run("syntax", tc));
}
