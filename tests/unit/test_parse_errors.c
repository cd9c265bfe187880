/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the parser says of texts that are wrong: each mistake once, at its
 * place, and nothing else.
 */

#include <time.h>

#include "bounds.h"
#include "parse.h"
#include "unit.h"

#define ITEM	"an item (include, list, map, ruleset, always, undecided, " \
		"repeated, host, hosts or default)"
#define MODES	"'is', 'begins', 'ends', 'contains', 'like' or '~'"
#define STMT	"expected '}' or a statement"
#define PARTS	"there are ${url} ${path} ${query} ${host} ${method} " \
		"${ruleset} ${wild} ${header.NAME} ${cookie.NAME} " \
		"${query.NAME} ${1} to ${9}"

/* A text and the lines said of it, each ending in a newline. */
static void
check_errors(const char *text, size_t len, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_text copy = unit_copy(fm_text(text, len));
	struct fm_model *model;
	char *got = NULL;
	const char *line;
	size_t got_len;
	unsigned n;
	FILE *f;

	model = fm_parse_text("t", copy, false, diag);
	free((void *)(uintptr_t)copy.b);
	ck_assert_ptr_nonnull(model);
	f = open_memstream(&got, &got_len);
	ck_assert_ptr_nonnull(f);
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		(void)fprintf(f, "%s\n", line + 2);
	ck_assert_int_eq(fclose(f), 0);
	if (strcmp(got, expect) != 0)
		ck_abort_msg("of\n%.*s\nit says\n%sinstead of\n%s",
		    (int)(len < 2000 ? len : 2000), text, got, expect);
	free(got);
	fm_model_free(&model);
	fm_diag_free(&diag);
}

#define TEN_MARKS							\
	"\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbf"	\
	"\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbf"

static const struct {
	const char	*text;
	const char	*errors;
} cases[] = {
	/* words and strings */
	{ "always { set A = \"b;\n set B c; }",
	    "1:18: error: a string without its closing '\"' on the same "
	    "line\n2:8: error: unexpected 'c', expected '='\n" },
	{ "always { when url is \"b {\n pass } }",
	    "1:22: error: a string without its closing '\"' on the same "
	    "line\n2:6: error: missing ';' after 'pass'\n" },
	{ "always { set A = \"b; }\nhost a { pass; }",
	    "1:18: error: a string without its closing '\"' on the same "
	    "line\n" },
	{ "host a { \"",
	    "1:10: error: a string without its closing '\"' on the same "
	    "line\n" },
	{ "list a is { \"b\\\n }",
	    "1:13: error: a string without its closing '\"' on the same "
	    "line\n" },
	{ "always { set A = \"b\"c\"; }",
	    "1:21: error: a blank is missing at the '\"': inside a string it "
	    "is written '\\\"'\n" },
	{ "list a is { b\"c\" }",
	    "1:14: error: a blank is missing at the '\"': inside a string it "
	    "is written '\\\"'\n" },
	{ "always { set A = 'b c'; }",
	    "1:18: error: a single quote: write \"...\", with double "
	    "quotes\n" },
	{ "list a is { Opera's }", "" },
	{ "host [::1] { pass; }",
	    "1:6: error: '[' needs quotes: write \"[::1]\"\n" },
	{ "list a ~ { ^[a-z]+$ }",
	    "1:13: error: '[' needs quotes: write \"[a-z]+$\"\n" },
	{ "always { set A = http://x${url}; }",
	    "1:18: error: '${' needs quotes: write \"...${...}...\"\n" },
	{ "always { when url ~ a${ pass; } }",
	    "1:21: error: '${' needs quotes: write \"...${...}...\"\n" },
	{ "list a is { \x01 }",
	    "1:13: error: a control byte (0x01) outside of a string\n" },
	/* names */
	{ "foo a;", "1:1: error: unexpected 'foo', expected " ITEM "\n" },
	{ "foo a { b; }\nalways { pass; }\nbar;",
	    "1:1: error: unexpected 'foo', expected " ITEM "\n"
	    "3:1: error: unexpected 'bar', expected " ITEM "\n" },
	{ "foo\nalways { pass }",
	    "1:1: error: unexpected 'foo', expected " ITEM "\n"
	    "2:14: error: missing ';' after 'pass'\n" },
	{ ";", "1:1: error: unexpected ';', expected " ITEM "\n" },
	/* What nobody sees: a mark twice, a space that doesn't part words. */
	{ "\xef\xbb\xbf\xef\xbb\xbfhosts;", "1:1: error: unexpected "
	    "'\\u{FEFF}hosts', expected " ITEM "\n" },
	{ "host a {\xc2\xa0pass; }", "1:9: error: unexpected "
	    "'\\u{A0}pass', " STMT "\n" },
	{ "so-\xe2\x80\x8b\xc3\xa4\xc2\xa1\xe2;", "1:1: error: unexpected "
	    "'so-\\u{200B}\xc3\xa4\xc2\xa1\xe2', expected " ITEM "\n" },
	/* Of a long one what there is room for, in whole characters. */
	{ "ab" TEN_MARKS TEN_MARKS ";", "1:1: error: unexpected "
	    "'ab\\u{FEFF}\\u{FEFF}\\u{FEFF}\\u{FEFF}\\u{FEFF}\\u{FEFF}...', "
	    "expected " ITEM "\n" },
	{ "host a { };", "1:11: error: unexpected ';', expected " ITEM
	    ": no ';' behind a block\n" },
	{ "always { foo; bar { pass } baz \"x\" y; }",
	    "1:10: error: unexpected 'foo', " STMT "\n"
	    "1:15: error: unexpected 'bar', " STMT "\n"
	    "1:25: error: missing ';' after 'pass'\n"
	    "1:28: error: unexpected 'baz', " STMT "\n" },
	{ "always { return (pass); }",
	    "1:10: error: unexpected 'return', " STMT ": write the verdict "
	    "alone: pass, pipe, hash, synth\n" },
	{ "host { pass; }",
	    "1:6: error: unexpected '{', expected a word or string\n" },
	{ "ruleset { pass; }",
	    "1:9: error: unexpected '{', expected a word or string\n" },
	{ "host a b;", "1:9: error: unexpected ';', expected '{' or "
	    "'use'\n" },
	{ "host", "1:5: error: unexpected the end of the file, expected a "
	    "word or string\n" },
	{ "host a use b",
	    "1:13: error: missing ';' after 'b'\n" },
	{ "host a use b\nhost c use d;",
	    "1:13: error: missing ';' after 'b'\n" },
	{ "host a\nhost b { pass; }",
	    "2:1: error: unexpected 'host', expected '{' or 'use'\n" },
	{ "include a.rules;",
	    "1:9: error: unexpected 'a.rules', expected a string in "
	    "quotes\n" },
	{ "undecided maybe;",
	    "1:11: error: unexpected 'maybe', expected 'synth' or "
	    "'ignore'\n" },
	{ "always { pass; }\nalways { pipe; }",
	    "2:1: error: 'always' a second time: the first is at t:1:1\n" },
	{ "default { pass; }\n default use a;",
	    "2:2: error: 'default' a second time: the first is at t:1:1\n" },
	{ "undecided ignore;\nundecided synth 400;",
	    "2:1: error: 'undecided' a second time: the first is at "
	    "t:1:1\n" },
	/* lists and maps */
	{ "list { a }", "1:6: error: unexpected '{', expected a word or "
	    "string\n" },
	{ "list a contian { b }",
	    "1:8: error: unexpected 'contian', expected '{', " MODES "\n" },
	{ "list a { b }",
	    "1:10: error: unexpected 'b', expected '}', " MODES "\n" },
	{ "list a { is b\n ends c; }",
	    "1:14: error: missing ';' after 'b'\n" },
	{ "list a { is; ends b; foo c; like }",
	    "1:12: error: unexpected ';', expected a word or string\n"
	    "1:22: error: unexpected 'foo', expected '}', " MODES "\n"
	    "1:34: error: unexpected '}', expected a word or string\n" },
	{ "list a is { b and c }",
	    "1:15: error: unexpected 'and', expected '}': as an operand it "
	    "needs quotes, \"and\"\n" },
	{ "list a is { b }\nlist c is { d\nhost e { pass; }\nhost f { foo }",
	    "3:8: error: unexpected '{' in the block of line 2: is its '}' "
	    "missing?\n4:10: error: unexpected 'foo', " STMT "\n" },
	{ "list a is { b",
	    "1:11: error: this block has no '}': found the end of the file "
	    "on line 1 instead\n" },
	{ "map a { b -> c; is d -> e }",
	    "1:9: error: unexpected 'b', expected '}', 'not', 'is', "
	    "'begins', 'ends', 'contains', 'like', 'default' or '~'\n"
	    "1:26: error: missing ';' after 'e'\n" },
	{ "map a { is b; is c->d; is e -> ; }",
	    "1:13: error: unexpected ';', expected '->' or 'and'\n"
	    "1:22: error: unexpected ';', expected '->' or 'and': '->' "
	    "needs blanks around it\n"
	    "1:32: error: unexpected ';', expected a word or string\n" },
	{ "map a { is \"b\"->\"c\"; is d ->e; }",
	    "1:15: error: '->' needs blanks around it\n"
	    "1:27: error: '->' needs blanks around it\n" },
	{ "map a { default b; is c -> d; is e -> f; default g; }",
	    "1:20: error: a map's 'default' is its last line: it stands on "
	    "line 1\n1:42: error: a map's 'default' is its last line: it "
	    "stands on line 1\n" },
	/* semicolons */
	{ "always {\n set A = b\n set B = c;\n pass\n}",
	    "2:11: error: missing ';' after 'b'\n"
	    "4:6: error: missing ';' after 'pass'\n" },
	{ "always { set A = b set B = c; pass }",
	    "1:20: error: unexpected 'set', expected ';'\n"
	    "1:35: error: missing ';' after 'pass'\n" },
	{ "always {\n query drop a\n set B = c;\n unset D\n query keep e;\n}",
	    "2:14: error: missing ';' after 'a'\n"
	    "4:9: error: missing ';' after 'D'\n" },
	{ "always {\n cookie keep a\n  hash\n  b;\n}",
	    "3:3: warning: 'hash' is taken as one of the words before it: is "
	    "a ';' missing? Else quote it\n" },
	{ "always { when url is a { pass; }; }",
	    "1:33: error: unexpected ';', " STMT ": no ';' behind a "
	    "block\n" },
	/* statements */
	{ "always { query foo; query drop; query drop in; cookie sort; }",
	    "1:16: error: unexpected 'foo', expected 'drop', 'keep', 'sort' "
	    "or 'unique'\n"
	    "1:31: error: unexpected ';', expected a word or string\n"
	    "1:46: error: unexpected ';', expected a word or string\n"
	    "1:55: error: unexpected 'sort', expected 'drop' or 'keep'\n" },
	{ "always { query drop in a b; }",
	    "1:26: error: unexpected 'b', expected ';'\n" },
	{ "always { set A b; set A; set A=b; set A= b; set = b; }",
	    "1:16: error: unexpected 'b', expected '='\n"
	    "1:24: error: unexpected ';', expected '='\n"
	    "1:33: error: unexpected ';', expected '=': '=' needs a blank "
	    "before it\n"
	    "1:42: error: unexpected 'b', expected '=': '=' needs a blank "
	    "before it\n"
	    "1:49: error: unexpected '=', expected a word or string\n" },
	{ "always { set A = in; set A = m(b); set A = m(url; }",
	    "1:32: error: unexpected 'b', expected a subject (url, path, "
	    "host, method, agent, query, cookie or header)\n"
	    "1:49: error: unexpected ';', expected ')'\n" },
	{ "always { unset; backend; normalize A b; normalize A to; }",
	    "1:15: error: unexpected ';', expected a word or string\n"
	    "1:24: error: unexpected ';', expected a word or string\n"
	    "1:38: error: unexpected 'b', expected 'to'\n"
	    "1:55: error: unexpected ';', expected a word or string\n" },
	{ "always { rewrite \"a\" to \"b\"; rewrite ~ a to \"b\"; "
	    "rewrite ~ \"a\" \"b\"; }",
	    "1:18: error: unexpected \"a\", expected '~'\n"
	    "1:64: error: unexpected \"b\", expected 'to'\n" },
	{ "always { synth; synth 404 gone; redirect 302; pass now; }",
	    "1:15: error: unexpected ';', expected a word or string\n"
	    "1:27: error: unexpected 'gone', expected ';': a reason needs "
	    "quotes\n"
	    "1:45: error: unexpected ';', expected a word or string\n"
	    "1:52: error: unexpected 'now', expected ';'\n" },
	/* conditions */
	{ "always { when { pass; } when () { pass } when url { pass } }",
	    "1:15: error: unexpected '{', expected a test\n"
	    "1:31: error: unexpected ')', expected a test\n"
	    "1:39: error: missing ';' after 'pass'\n"
	    "1:51: error: unexpected '{', expected 'in', 'present', "
	    "'nocase', " MODES "\n"
	    "1:57: error: missing ';' after 'pass'\n" },
	{ "always { when url is { pass; } when url is a and { pass; } }",
	    "1:22: error: unexpected '{', expected a word or string\n"
	    "1:50: error: unexpected '{', expected a test\n" },
	{ "always { when (url is a { pass; } when url is a) { pass; } }",
	    "1:25: error: unexpected '{', expected ')', 'and' or 'or'\n"
	    "1:48: error: unexpected ')', expected '{', 'and' or 'or'\n" },
	{ "always { when client is a { } when url in a b { } }",
	    "1:22: error: unexpected 'is', expected 'in'\n"
	    "1:45: error: unexpected 'b', expected '{', 'and' or 'or'\n" },
	{ "always { when url is a is b { } when url is a; }",
	    "1:24: error: unexpected 'is', expected '{', 'and' or 'or': as "
	    "an operand it needs quotes, \"is\"\n"
	    "1:46: error: unexpected ';', expected '{', 'and' or 'or'\n" },
	{ "always {\n when url is a\n  set B = c;\n }\n unset D;\n}\n"
	    "host e { foo; }",
	    "3:3: error: unexpected 'set', expected '{', 'and' or 'or'\n"
	    "7:10: error: unexpected 'foo', " STMT "\n" },
	{ "always { when url is a } host b { foo; }",
	    "1:24: error: unexpected '}', expected '{', 'and' or 'or'\n"
	    "1:35: error: unexpected 'foo', " STMT "\n" },
	{ "always { else { pass; } when url is a { } else url is b { } }",
	    "1:10: error: unexpected 'else', " STMT "\n"
	    "1:48: error: unexpected 'url', expected '{' or 'when'\n" },
	/* what others call it */
	{ "always { when url == a && agent =~ b || method != c { } }",
	    "1:19: error: '==' is not known here: write 'is' (or quote it, "
	    "if it is an operand)\n"
	    "1:24: error: '&&' is not known here: write 'and' (or quote it, "
	    "if it is an operand)\n"
	    "1:33: error: '=~' is not known here: write '~' (or quote it, if "
	    "it is an operand)\n"
	    "1:38: error: '||' is not known here: write 'or' (or quote it, "
	    "if it is an operand)\n"
	    "1:48: error: '!=' is not known here: write 'not ... is' (or "
	    "quote it, if it is an operand)\n" },
	{ "always { when url !~ a { } when ! (url is b) { } set A == b; }",
	    "1:19: error: '!~' is not known here: write 'not ... ~' (or "
	    "quote it, if it is an operand)\n"
	    "1:33: error: '!' is not known here: write 'not' (or quote it, "
	    "if it is an operand)\n"
	    "1:56: error: '==' is not known here: write '=' (or quote it, if "
	    "it is an operand)\n" },
	{ "always { when !url is a { } when req.url ~ b { } }",
	    "1:15: error: unexpected '!url', expected a test: write 'not' "
	    "and a blank\n"
	    "1:34: error: unexpected 'req.url', expected a test: VCL's "
	    "variables are called url, path, host, method, agent, header "
	    "NAME, cookie NAME, client here\n" },
	{ "always { if url is a { pass } elsif url is b { pipe; } else if "
	    "url is c { } elif url is d { } }",
	    "1:10: error: 'if' is not known here: write 'when'\n"
	    "1:28: error: missing ';' after 'pass'\n"
	    "1:31: error: 'elsif' is not known here: write 'else when'\n"
	    "1:61: error: 'if' is not known here: write 'when'\n"
	    "1:77: error: 'elif' is not known here: write 'else when'\n" },
	/* braces */
	{ "host a {\n pass;\nhost b { foo; }",
	    "1:8: error: this block has no '}': found 'host' on line 3 "
	    "instead\n3:10: error: unexpected 'foo', " STMT "\n" },
	{ "host a {\n when url is b {\n  pass;\n}\n",
	    "1:8: error: this block has no '}': found the end of the file on "
	    "line 5 instead\n" },
	{ "host a {\n when url is b {",
	    "2:16: error: this block has no '}': found the end of the file "
	    "on line 2 instead\n" },
	{ "{\nalways { pass; }\nhost a { pass; }",
	    "1:1: error: unexpected '{', expected " ITEM "\n" },
	{ "map {\n is a -> b;\nhost a { pass; }",
	    "1:5: error: unexpected '{', expected a word or string\n" },
	{ "host a { pass; } }\nhost b { foo; }",
	    "1:18: error: unexpected '}': no block is open here\n"
	    "2:10: error: unexpected 'foo', " STMT "\n" },
	{ "host a { when url is b { } } pass; }\nhost c { foo; }",
	    "1:30: error: unexpected 'pass', expected " ITEM "\n"
	    "2:10: error: unexpected 'foo', " STMT "\n" },
	{ "set A = b;\nunset C;\nhost d { }",
	    "1:1: error: unexpected 'set', expected " ITEM "\n" },
	{ "host a { { { pass; } } }\nhost b { foo; }",
	    "1:10: error: unexpected '{', " STMT "\n"
	    "2:10: error: unexpected 'foo', " STMT "\n" },
	/* ${} */
	{ "always { set A = \"\\\\\\\"${foo}${URL}\"; }",
	    "1:23: error: unknown '${foo}': " PARTS "\n"
	    "1:29: error: unknown '${URL}': " PARTS "\n" },
	{ "always { set A = \"${}${0}${10}${header.}${ url}${url\"; }",
	    "1:19: error: unknown '${}': " PARTS "\n"
	    "1:22: error: unknown '${0}': " PARTS "\n"
	    "1:26: error: unknown '${10}': " PARTS "\n"
	    "1:31: error: unknown '${header.}': " PARTS "\n"
	    "1:41: error: unknown '${ url}': " PARTS "\n"
	    "1:48: error: '${' without its '}': " PARTS "\n" },
	{ "map a { is b -> \"${c}\"; default \"${d\"; }",
	    "1:18: error: unknown '${c}': " PARTS "\n"
	    "1:34: error: '${' without its '}': " PARTS "\n" },
	/* files, where there are none */
	{ "include \"a\"; list b is from \"c\"; hosts from \"d\";",
	    "1:9: error: no files are read here\n"
	    "1:29: error: no files are read here\n"
	    "1:45: error: no files are read here\n" },
};

START_TEST(test_parse_error_has_its_words_and_its_place)
{
	check_errors(cases[_i].text, strlen(cases[_i].text),
	    cases[_i].errors);
}
END_TEST

START_TEST(test_parse_error_is_said_of_a_nul_byte)
{
	check_errors("host a { set\0 A = b; }", 22,
	    "1:13: error: a NUL byte: this is no text file\n");
	/* the first one is all that is said */
	check_errors("# a\0b\nlist c is { \"d\0\" } x y z", 30,
	    "1:4: error: a NUL byte: this is no text file\n");
	check_errors("\xef\xbb\xbf\0", 4,
	    "1:1: error: a NUL byte: this is no text file\n");
	check_errors("; ;\n\n \0\0", 8,
	    "3:2: error: a NUL byte: this is no text file\n");
}
END_TEST

/* Ten mistakes of ten kinds in one file. */
START_TEST(test_parse_error_each_of_ten_mistakes_is_told_once)
{
	static const char text[] =
	    "list a contians { b }\n"
	    "map c { ~ \"x\"->y; }\n"
	    "always {\n"
	    "    set A = b\n"
	    "    set B == c;\n"
	    "    if url is d { pass; }\n"
	    "    redirect 302;\n"
	    "    set C = \"${foo}\";\n"
	    "    set D = \"e;\n"
	    "    when url is f and { pass; }\n"
	    "}\n"
	    "host [::1] { pass; }\n"
	    "hots g { pass; }\n";
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	struct fm_diag_message message;
	static const unsigned lines[] = {
		1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13
	};
	unsigned n;

	model = fm_parse_text("t", fm_text_of(text), false, diag);
	ck_assert_ptr_nonnull(model);
	for (n = 0; n < sizeof lines / sizeof lines[0]; n++) {
		ck_assert(fm_diag_message(diag, n, &message));
		if (message.at.line != lines[n])
			ck_abort_msg("not on line %u: %s", lines[n],
			    fm_diag_line(diag, n));
	}
	ck_assert_msg(fm_diag_line(diag, n) == NULL, "%s",
	    fm_diag_line(diag, n));
	fm_model_free(&model);
	fm_diag_free(&diag);
}
END_TEST

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
#define LONG	"error: more than 65536 bytes in a word or string: make " \
		"several of it\n"
#define MANY	"error: more than 1000000 operands: divide them among " \
		"several lists or maps\n"

static const struct {
	struct repeated	text;
	const char	*errors;
} limit_cases[] = {
	{ { "always { ", "when url is / {", 200, "pass;", "}", "}" }, "" },
	{ { "always { ", "when url is / {", 201, "pass;", "}", "foo; }" },
	    "1:3024: " DEEP "1:3231: error: unexpected 'foo', " STMT "\n" },
	{ { "always { ", "when url is / {", 1000, "pass;", "}", "}" },
	    "1:3024: " DEEP },
	{ { "always { when url is a { } ", "else when url is / { } ", 199, "",
	    "", "}" }, "" },
	{ { "always { when url is a { } ", "else when url is / { } ", 200, "",
	    "", "}" }, "1:4610: " DEEP },
	{ { "always { when ", "(", 64, "url is a", ")", "{ } }" }, "" },
	{ { "always { when ", "(", 65, "url is a", ")", "{ } }" },
	    "1:79: " NESTED },
	{ { "always { when ", "not ", 64, "url is a", "", "{ } }" }, "" },
	{ { "always { when ", "not ", 65, "url is a", "", "{ } }" },
	    "1:271: " NESTED },
	{ { "always { when ", "not ", 100, "", "", "{ pass; } foo; }" },
	    "1:271: " NESTED "1:415: error: unexpected '{', expected a test\n"
	    "1:425: error: unexpected 'foo', " STMT "\n" },
	{ { "always { when ", "not (", 33, "url is a", ")", "{ } }" },
	    "1:19: " NESTED },
	{ { "always { when url is a ", "or url is b ", 999, "", "",
	    "{ } }" }, "" },
	{ { "always { when url is a ", "or url is b ", 1000, "", "",
	    "{ } }" }, "1:12015: error: more than 1000 tests in one "
	    "condition: use a list\n" },
	{ { "list a is { ", "x", 65536, " ", "", "}" }, "" },
	{ { "list a is { ", "x", 65537, " ", "", "}" },
	    "1:13: " LONG },
	{ { "list a is { \"", "\\\"", 65536, "\" ", "", "}" }, "" },
	{ { "list a is { \"", "\\\"", 65537, "\" ", "", "}" },
	    "1:13: " LONG },
	{ { "list a is { ", "x ", 1000001, "", "", "}" },
	    "1:2000013: " MANY },
	{ { "ruleset a { ", "stop; ", 1000001, "", "", "}" },
	    "1:6000013: error: more than 1000000 statements: let hosts that "
	    "have the same ones use a ruleset\n" },
	/* much of what opens and never closes */
	{ { "always { ", "{", 100000, "", "", "" },
	    "1:10: error: unexpected '{', " STMT "\n1:210: " DEEP },
	{ { "always { ", "when url is / {", 100000, "", "", "" },
	    "1:3024: " DEEP },
	{ { "always { when ", "(", 100000, "", "", "" },
	    "1:79: " NESTED "1:8: error: this block has no '}': found the "
	    "end of the file on line 1 instead\n" },
	{ { "", "}", 100000, "", "", "" },
	    "1:1: error: unexpected '}': no block is open here\n" },
	{ { "always { when ", "not ", 100000, "url is a", "", "{ } }" },
	    "1:271: " NESTED },
	/* takes seconds: only in a whole run */
	{ { "list a { ", "is x; ", 1000001, "", "", "}" },
	    "1:6: " MANY },
};

START_TEST(test_parse_error_is_said_of_each_limit)
{
	check_repeated(&limit_cases[_i].text, limit_cases[_i].errors);
}
END_TEST

/* A text of the largest size is read: its NUL byte is found, at once. */
START_TEST(test_parse_error_is_said_of_a_text_above_the_limit)
{
	size_t len = ((size_t)FM_LIMIT_FILE_MB << 20) + 1;
	char *text = malloc(len);
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	ck_assert_ptr_nonnull(text);
	memset(text, '\0', len);
	model = fm_parse_text("t", fm_text(text, len), false, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_str_eq(fm_diag_line(diag, 0),
	    "t: error: can't read: it has more than 64 MB: divide it, and use "
	    "'include'");
	fm_model_free(&model);
	fm_diag_free(&diag);
	diag = fm_diag_new();
	model = fm_parse_text("t", fm_text(text, len - 1), false, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_str_eq(fm_diag_line(diag, 0),
	    "t:1:1: error: a NUL byte: this is no text file");
	fm_model_free(&model);
	fm_diag_free(&diag);
	free(text);
}
END_TEST

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

START_TEST(test_parse_error_takes_no_time_that_grows_with_the_square)
{
	size_t len = strlen(pumps[_i]), n = (1UL << 18) / len, i;
	char *text = malloc(20 + n * len);
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	ck_assert_ptr_nonnull(text);
	memcpy(text, "always { set A = b; ", 20);
	for (i = 0; i < n; i++)
		memcpy(text + 20 + i * len, pumps[_i], len);
	for (i = 0; i <= 20; i += 20) {
		model = fm_parse_text("t", fm_text(text + i,
		    20 - i + n * len), false, diag);
		ck_assert_ptr_nonnull(model);
		fm_model_free(&model);
	}
	fm_diag_free(&diag);
	free(text);
}
END_TEST

/* Seconds of the processor that a text takes. */
static double
text_takes(const char *b, size_t len)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	clock_t begun = clock();

	model = fm_parse_text("t", fm_text(b, len), false, diag);
	begun = clock() - begun;
	ck_assert_ptr_nonnull(model);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return ((double)begun / CLOCKS_PER_SEC);
}

/* As large as a file may be, or 4 MB: flex alone would take years, or days. */
START_TEST(test_parse_error_nul_bytes_take_no_longer_than_a_text)
{
	size_t len = (size_t)unit_rounds(FM_LIMIT_FILE_MB, 16) << 20;
	char *text = malloc(len);
	double normal;

	ck_assert_ptr_nonnull(text);
	memset(text, '\n', len);
	normal = text_takes(text, len);
	memset(text, '\0', len);
	ck_assert_double_lt(text_takes(text, len), normal);
	memset(text, '\n', len - 1);
	ck_assert_double_lt(text_takes(text, len), 2 * normal);
	free(text);
}
END_TEST

#define COUNT(a)	((int)(sizeof (a) / sizeof (a)[0]))

int
main(void)
{
	TCase *tc = tcase_create("parse_errors");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_parse_error_has_its_words_and_its_place,
	    0, COUNT(cases));
	tcase_add_test(tc, test_parse_error_is_said_of_a_nul_byte);
	tcase_add_test(tc,
	    test_parse_error_each_of_ten_mistakes_is_told_once);
	tcase_add_loop_test(tc, test_parse_error_is_said_of_each_limit, 0,
	    COUNT(limit_cases) - (unit_whole() ? 0 : 1));
	tcase_add_test(tc,
	    test_parse_error_is_said_of_a_text_above_the_limit);
	tcase_add_test(tc,
	    test_parse_error_nul_bytes_take_no_longer_than_a_text);
	tcase_add_loop_test(tc,
	    test_parse_error_takes_no_time_that_grows_with_the_square, 0,
	    COUNT(pumps));
	return (unit_run("parse_errors", tc));
}
