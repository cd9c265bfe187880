/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests that `fastmatch fmt` changes only blanks and ends of lines.  Random
 * rules in random layouts must give the same program and have the same comments
 * after formatting; formatting twice changes nothing more.  fuzz/parse.c does
 * this with the rule files of the tree.
 */

#include "../unit/twin.h"
#include "check.h"
#include "compile.h"
#include "format.h"
#include "generate.h"
#include "lexemes.h"
#include "parse.h"

/* Returns the program of some rules; NULL: the rules have errors. */
static struct fm_program *
program_of(struct fm_text text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_program *program = NULL;
	struct fm_model *model;

	model = fm_parse_text("random.rules", text, NULL, NULL, diag);
	ck_assert_ptr_nonnull(model);
	if (fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag)) {
		program = fm_compile(model, NULL, diag);
		ck_assert_ptr_nonnull(program);
	}
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (program);
}

static void
programs_are_same(const struct fm_program *a, const struct fm_program *b)
{
	const struct fm_rule *rule, *y;
	uint32_t i, m, n;
	const char *s, *t;

	AGREE(fm_program_nrules(a) == fm_program_nrules(b), "rules");
	AGREE(fm_program_npatterns(a) == fm_program_npatterns(b), "patterns");
	for (i = 0; fm_program_rule(a, i, &rule, &m); i++) {
		AGREE(fm_program_rule(b, i, &y, &n) && m == n,
		    "counters of %s", rule->text);
		AGREE(fm_program_rule_id(a, i) == fm_program_rule_id(b, i),
		    "%s is %s", rule->text, y->text);
	}
	for (i = 0; (s = fm_program_host(a, i, &m)) != NULL; i++) {
		t = fm_program_host(b, i, &n);
		AGREE(t != NULL && m == n && strcmp(s, t) == 0, "host %s", s);
	}
	AGREE(fm_program_host(b, i, &n) == NULL, "a host too many");
}

static int
by_text(const void *av, const void *bv)
{
	const struct fm_text *a = av, *b = bv;

	return (fm_text_compare(*a, *b));
}

/* Returns the tokens of a text in their order, then its comments, sorted. */
static struct fm_text *
words_of(struct fm_text text, size_t *n, size_t *ntokens)
{
	struct fm_lexeme *lexemes = fm_lexemes(text, n);
	struct fm_text *words = calloc(*n + 1, sizeof *words);
	size_t i, pass, to = 0;

	ck_assert_ptr_nonnull(lexemes);
	ck_assert_ptr_nonnull(words);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < *n; i++)
			if ((lexemes[i].kind == T_END) == (pass == 1))
				words[to++] = fm_text(text.b + lexemes[i].start,
				    lexemes[i].end - lexemes[i].start);
		if (pass == 0)
			*ntokens = to;
	}
	qsort(words + *ntokens, *n - *ntokens, sizeof *words, by_text);
	free(lexemes);
	return (words);
}

static void
words_are_same(struct fm_text a, struct fm_text b)
{
	size_t m, n, mtokens = 0, ntokens = 0, i;
	struct fm_text *x = words_of(a, &m, &mtokens);
	struct fm_text *y = words_of(b, &n, &ntokens);

	AGREE(mtokens == ntokens, "%zu tokens are %zu", mtokens, ntokens);
	AGREE(m == n, "%zu comments are %zu", m - mtokens, n - ntokens);
	for (i = 0; i < n; i++)
		AGREE(fm_text_eq(x[i], y[i]), "'%.*s' is '%.*s'",
		    (int)x[i].len, x[i].b, (int)y[i].len, y[i].b);
	free(x);
	free(y);
}

/* Asserts that no line ends in a blank, and where empty lines may stand. */
static void
layout_is_good(struct fm_text text)
{
	size_t i;

	AGREE(text.len == 0 || text.b[0] != '\n', "begins with a blank line");
	for (i = 0; i < text.len; i++) {
		if (text.b[i] != '\n')
			continue;
		AGREE(i == 0 || strchr(" \t\r", text.b[i - 1]) == NULL,
		    "a blank at the end of a line");
		AGREE(i < 2 || text.b[i - 1] != '\n' ||
		    (text.b[i - 2] != '\n' && i + 1 < text.len),
		    "blank lines");
	}
	AGREE(text.len == 0 || text.b[text.len - 1] == '\n', "no last newline");
}

/* Returns a text formatted; NULL: it has errors of syntax. */
static char *
format(struct fm_text text, size_t *len)
{
	struct fm_diag *diag = fm_diag_new();
	char *once, *twice;
	size_t again;

	once = fm_format("file", text, len, diag);
	ck_assert((once == NULL) == (fm_diag_errors(diag) > 0));
	if (once != NULL) {
		twice = fm_format("file", fm_text(once, *len), &again, diag);
		AGREE(twice != NULL, "%s\n%s", fm_diag_line(diag, 0), once);
		AGREE(again == *len && memcmp(once, twice, again) == 0,
		    "formatted twice it differs:\n%s----\n%s", once, twice);
		layout_is_good(fm_text(once, *len));
		words_are_same(text, fm_text(once, *len));
		free(twice);
	}
	fm_diag_free(&diag);
	return (once);
}

/*--------------------------------------------------------------------
 * Random rules
 */

/* Returns the same tokens and comments with other blanks between them. */
static char *
scramble(struct fm_text text)
{
	static const char * const blanks[] = {
		" ", " ", " ", " ", " ", " ", " ", " ", "  ", "\t", "\n",
		"\r\n", "\n\n\n", "\n\t ", " # \"a { comment; \n", "\n# own\n"
	};
	struct fm_lexeme *lexemes;
	size_t n, i, room = 0;
	char *to, *b;

	lexemes = fm_lexemes(text, &n);
	ck_assert_ptr_nonnull(lexemes);
	for (i = 0; i < n; i++)
		room += lexemes[i].end - lexemes[i].start + 32;
	b = to = malloc(room + 1);
	ck_assert_ptr_nonnull(b);
	for (i = 0; i < n; i++) {
		to = mempcpy(to, text.b + lexemes[i].start,
		    lexemes[i].end - lexemes[i].start);
		if (lexemes[i].kind == T_END)
			to = stpcpy(to, "\n");
		else if (i + 1 < n && lexemes[i + 1].start == lexemes[i].end &&
		    unit_below(4) > 0)
			continue;
		else
			to = stpcpy(to, blanks[unit_below(COUNT(blanks))]);
	}
	*to = '\0';
	free(lexemes);
	return (b);
}

static void
try(struct fm_text text, const struct fm_program *program)
{
	struct fm_program *now;
	size_t len;
	char *b;

	b = format(text, &len);
	ck_assert_ptr_nonnull(b);
	now = program_of(fm_text(b, len));
	AGREE(now != NULL, "formatted rules were refused:\n%s", b);
	programs_are_same(program, now);
	fm_program_free(&now);
	free(b);
}

START_TEST(random_rules_stay_the_same_program)
{
	unsigned file, files = unit_rounds(80, 20), which, scrambled = 0;
	struct fm_program *program, *other;
	struct generate_rules rules;
	struct fm_text text;
	char *b;

	unit_seed("format");
	for (file = 0; file < files; file++) {
		generate_rules(&rules, unit_random());
		for (which = 0; which < 2; which++) {
			text = fm_text(rules.text[which], rules.len[which]);
			program = program_of(text);
			ck_assert_ptr_nonnull(program);
			try(text, program);
			/* Some words begin a statement at the start of a line,
			 * and mean something else then. */
			b = scramble(text);
			other = program_of(fm_text_of(b));
			if (other != NULL) {
				scrambled++;
				try(fm_text_of(b), other);
				fm_program_free(&other);
			}
			free(b);
			fm_program_free(&program);
		}
		generate_rules_free(&rules);
	}
	printf("format: %u of %u scrambled\n", scrambled, 2 * files);
	ck_assert_uint_gt(scrambled, files / 4);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("format");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, random_rules_stay_the_same_program);
	return (unit_run("format", tc));
}
