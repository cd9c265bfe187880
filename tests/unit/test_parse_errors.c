/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests the parser's messages for texts that no golden file can hold (see
 * test_check.c): limits, NUL bytes, and texts that could take long.
 */

#include "bounds.h"
#include "compiling.h"

#define STMT	"expected '}' or a statement"

/* Compares the lines that are said of a text. */
static void
check_errors(const char *text, size_t len, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = unit_parse("t", fm_text(text, len), diag);

	unit_says(diag, expect);
	fm_model_free(&model);
}

UNIT_TEST(test_parse_error_is_said_of_a_nul_byte)
{
	check_errors("host a { set\0 A = b; }", 22,
	    "t:1:13: error: a NUL byte: this is not a text file\n");
	/* the first one is all that is said */
	check_errors("# a\0b\nlist c is { \"d\0\" } x y z", 30,
	    "t:1:4: error: a NUL byte: this is not a text file\n");
	check_errors("\xef\xbb\xbf\0", 4,
	    "t:1:1: error: a NUL byte: this is not a text file\n");
	check_errors("; ;\n\n \0\0", 8,
	    "t:3:2: error: a NUL byte: this is not a text file\n");
}

/*--------------------------------------------------------------------
 * Limits
 */

struct repeated {
	const char	*before;
	const char	*again;
	unsigned	times;
	const char	*middle;
	const char	*close;		/* as often */
	const char	*after;
};

static void
check_repeated(const struct repeated *r, const char *expect)
{
	size_t room = strlen(r->before) + strlen(r->middle) +
	    strlen(r->after) + 1 +
	    r->times * (strlen(r->again) + strlen(r->close));
	char *text = malloc(room), *p;
	unsigned i;

	ck_assert_ptr_nonnull(text);
	p = stpcpy(text, r->before);
	for (i = 0; i < r->times; i++)
		p = stpcpy(p, r->again);
	p = stpcpy(p, r->middle);
	for (i = 0; i < r->times; i++)
		p = stpcpy(p, r->close);
	p = stpcpy(p, r->after);
	check_errors(text, (size_t)(p - text), expect);
	free(text);
}

#define DEEP	"error: whens more than 200 inside each other (an 'else " \
		"when' is inside too): use a map or a list\n"
#define NESTED	"error: parentheses and nots more than 64 inside each other: " \
		"divide the condition among several whens\n"
#define LONG	"error: more than 65536 bytes in a word or string: " \
		"divide it\n"
#define MANY	"error: more than 1000000 operands: divide them among " \
		"several lists or maps\n"

static const struct {
	struct repeated	text;
	const char	*errors;
} limit_cases[] = {
	{ { "always { ", "when url is / {", 200, "pass;", "}", "}" }, "" },
	{ { "always { ", "when url is / {", 201, "pass;", "}", "foo; }" },
	    "t:1:3024: " DEEP "t:1:3231: error: unexpected 'foo', " STMT "\n" },
	{ { "always { ", "when url is / {", 1000, "pass;", "}", "}" },
	    "t:1:3024: " DEEP },
	{ { "always { when url is a { } ", "else when url is / { } ", 199, "",
	    "", "}" }, "" },
	{ { "always { when url is a { } ", "else when url is / { } ", 200, "",
	    "", "}" }, "t:1:4624: " DEEP },
	{ { "always { when ", "(", 64, "url is a", ")", "{ } }" }, "" },
	{ { "always { when ", "(", 65, "url is a", ")", "{ } }" },
	    "t:1:79: " NESTED },
	{ { "always { when ", "not ", 64, "url is a", "", "{ } }" }, "" },
	{ { "always { when ", "not ", 65, "url is a", "", "{ } }" },
	    "t:1:271: " NESTED },
	{ { "always { when ", "not ", 100, "", "", "{ pass; } foo; }" },
	    "t:1:271: " NESTED
	    "t:1:415: error: unexpected '{', expected a test\n"
	    "t:1:425: error: unexpected 'foo', " STMT "\n" },
	{ { "always { when ", "not (", 33, "url is a", ")", "{ } }" },
	    "t:1:175: " NESTED },
	{ { "always { when url is a ", "or url is b ", 999, "", "",
	    "{ } }" }, "" },
	{ { "always { when url is a ", "or url is b ", 1000, "", "",
	    "{ } }" }, "t:1:12015: error: more than 1000 tests in one "
	    "condition: use a list\n" },
	{ { "list a is { ", "x", 65536, " ", "", "}" }, "" },
	{ { "list a is { ", "x", 65537, " ", "", "}" },
	    "t:1:13: " LONG },
	{ { "list a is { \"", "\\\"", 65536, "\" ", "", "}" }, "" },
	{ { "list a is { \"", "\\\"", 65537, "\" ", "", "}" },
	    "t:1:13: " LONG },
	{ { "list a is { ", "x ", 1000001, "", "", "}" },
	    "t:1:2000013: " MANY },
	{ { "ruleset a { ", "stop; ", 1000001, "", "", "}" },
	    "t:1:6000013: error: more than 1000000 statements: let hosts that "
	    "have the same ones use a ruleset\n" },
};

UNIT_LOOP(test_parse_error_is_said_of_each_limit, UNIT_COUNT(limit_cases))
{
	check_repeated(&limit_cases[_i].text, limit_cases[_i].errors);
}

/* A text of the largest size is read: its NUL byte is found, at once. */
UNIT_TEST(test_parse_error_is_said_of_a_text_above_the_limit)
{
	size_t len = ((size_t)FM_LIMIT_FILE_MB << 20) + 1;
	char *text = malloc(len);
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	ck_assert_ptr_nonnull(text);
	memset(text, '\0', len);
	model = fm_parse_text("t", fm_text(text, len), NULL, NULL, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_str_eq(fm_diag_line(diag, 0),
	    "t: error: can't read: it has more than 64 MB: divide it, and use "
	    "'include'");
	fm_model_free(&model);
	fm_diag_free(&diag);
	diag = fm_diag_new();
	model = fm_parse_text("t", fm_text(text, len - 1), NULL, NULL,
	    diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_str_eq(fm_diag_line(diag, 0),
	    "t:1:1: error: a NUL byte: this is not a text file");
	fm_model_free(&model);
	fm_diag_free(&diag);
	free(text);
}

/*
 * Texts that make a careless parser look at the same bytes again and again:
 * this much of each takes minutes then, and fails by the timeout.
 */
static const char * const pumps[] = {
	"=", "~", "->", "$", "${", "${a", "-", "!", "'", "[", "a${b}", "&&",
	"a\"", "#", "\\", "\"\\", "('", "a=", "\"", "\"\n", "'a", "a", "(",
	"{", "}", ";", "a;", "set A = b;", "not ", "else ", "host ", "\"a",
	"/", "\n", "# a\n", "\x80", "\x01", "\xef\xbb\xbf"
};

UNIT_LOOP(test_parse_error_takes_no_time_that_grows_with_the_square,
    UNIT_COUNT(pumps))
{
	size_t len = strlen(pumps[_i]), n = (1U << 18) / len, i;
	char *text = malloc(20 + n * len);
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	ck_assert_ptr_nonnull(text);
	memcpy(text, "always { set A = b; ", 20);
	for (i = 0; i < n; i++)
		memcpy(text + 20 + i * len, pumps[_i], len);
	/* Inside of a block, or not. */
	unit_seed("parse_errors");
	for (i = 20 * unit_below(unit_step(2)); i <= 20;
	    i += 20 * unit_step(2)) {
		model = fm_parse_text("t", fm_text(text + i,
		    20 - i + n * len), NULL, NULL, diag);
		ck_assert_ptr_nonnull(model);
		fm_model_free(&model);
	}
	fm_diag_free(&diag);
	free(text);
}

int
main(void)
{
	return (unit_main("parse_errors", 60));
}
