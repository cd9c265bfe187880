/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parser where no case in tests/cases and no golden file can show it: how
 * statements are printed, what is hidden, and texts that are cut.
 * test_parse_errors.c has limits, test_parse_files.c has files.
 */

#include "bounds.h"
#include "compiling.h"

/*--------------------------------------------------------------------
 * Printed
 */

/* Returns the first statement of `always { text`, which has no mistake. */
static struct fm_stmt *
parse_stmt(const char *text, struct fm_model **modelp)
{
	struct fm_diag *diag = fm_diag_new();
	char file[2000];

	(void)snprintf(file, sizeof file, "always { %s%s }", text,
	    strncmp(text, "when ", 5) == 0 ? " { }" : "\n;");
	*modelp = unit_parse("t", fm_text_of(file), diag);
	unit_says(diag, "");
	ck_assert_ptr_nonnull((*modelp)->always->first);
	return ((*modelp)->always->first);
}

static const struct {
	const char	*stmt;
	const char	*printed;	/* NULL: as it is */
} prints[] = {
	/* Without comments, and with one blank between words. */
	{ "query  unique", "query unique" },
	{ "set A = \"b  c\"", NULL },
	{ "set A = \"#\"# no", "set A = \"#\"" },
	{ "set A =# no\nb", "set A = b" },
	{ "set A = b#c # no\r\n\t", "set A = b#c" },
	{ "set A = \"\\\"# \\\\\" # no", "set A = \"\\\"# \\\\\"" },
	{ "set is = m( cookie in )", "set is = m(cookie in)" },
	{ "unset A # one\n\t# two\n\tX-* \"B\"", "unset A X-* \"B\"" },
	{ "when path below /a /b \"/c d\"", NULL },
	{ "when ((url is a) or path not below /a and(client in (::1)))", NULL },
};

UNIT_LOOP(test_model_prints_statements_as_they_are_written, UNIT_COUNT(prints))
{
	const char *printed = prints[_i].printed;
	char buf[FM_MODEL_LINE];
	struct fm_model *model;
	struct fm_stmt *stmt;

	stmt = parse_stmt(prints[_i].stmt, &model);
	ck_assert_str_eq(fm_model_print_stmt(stmt, false, buf),
	    printed != NULL ? printed : prints[_i].stmt);
	fm_model_free(&model);
}

static const struct {
	const char	*cond;
	const char	*masked;
} masks[] = {
	{ "header X-Token is s3cret \"and more\"",
	    "header X-Token is [hidden]" },
	{ "cookie id begins s3cret", "cookie id begins [hidden]" },
	{ "agent nocase contains s3cret", "agent nocase contains [hidden]" },
	{ "header X ~ \"^s3cret$\" and path begins /shop",
	    "header X ~ [hidden] and path begins /shop" },
	{ "not (cookie id is s3cret or path is /shown)",
	    "not (cookie id is [hidden] or path is /shown)" },
	{ "query q is s3cret", "query q is [hidden]" },
	{ "header X in tokens", "header X in tokens" },
	{ "cookie id present", "cookie id present" },
	{ "(cookie id not is s3cret # s3cret\n or(header X is s3cret))",
	    "(cookie id not is [hidden] or(header X is [hidden]))" },
};

UNIT_LOOP(test_model_masks_what_headers_and_cookies_are_compared_with,
    UNIT_COUNT(masks))
{
	char buf[FM_MODEL_LINE], text[200];
	struct fm_model *model;
	struct fm_stmt *stmt;

	(void)snprintf(text, sizeof text, "when %s", masks[_i].cond);
	stmt = parse_stmt(text, &model);
	ck_assert_str_eq(fm_model_print_stmt(stmt, true, buf) +
	    strlen("when "), masks[_i].masked);
	fm_model_free(&model);
}

/* A text is cut or whole: never longer, never half a character. */
UNIT_TEST(test_model_prints_no_more_than_a_line)
{
	char buf[FM_MODEL_LINE], text[1000];
	struct fm_model *model;
	struct fm_stmt *stmt;
	size_t i, len;

	for (i = 1; i < 400; i++) {
		len = (size_t)snprintf(text, sizeof text, "unset ");
		memset(text + len, 'x', i);
		memcpy(text + len + i, "\xc3\xa9\xc3\xa9", 5);
		stmt = parse_stmt(text, &model);
		(void)fm_model_print_stmt(stmt, false, buf);
		ck_assert_uint_lt(strlen(buf), FM_MODEL_LINE);
		if (strcmp(buf, text) != 0) {
			len = strlen(buf) - 3;
			ck_assert_str_eq(buf + len, "...");
			ck_assert_int_eq(memcmp(buf, text, len), 0);
			ck_assert(buf[len - 1] == 'x' ||
			    (unsigned char)buf[len - 1] == 0xa9);
			ck_assert_uint_gt(len, 150);
		}
		fm_model_free(&model);
	}
}

/*--------------------------------------------------------------------
 * Texts that end anywhere
 */

static const char example[] =
    "list phones contains { iPhone \"Opera Mini\" }\n"
    "map device nocase {\n"
    "    contains bingbot and contains iphone    -> mobile-bot;\n"
    "    ~ \"android.*(mobile|mini)\"              -> \"x${url}\";  # odd\n"
    "    default                                    pc;\n"
    "}\n"
    "always {\n"
    "    query drop utm_* fbclid gclid _;\n"
    "    normalize Accept-Encoding to br gzip else none;\n"
    "    set X-UA-Device = device(agent);\n"
    "}\n"
    "host *.wiki.example {\n"
    "    when host ~ \"^([a-z-]+)\\.wiki$\" and not (agent in phones) {\n"
    "        redirect 302 \"https://${1}.m.wiki.example${url}\";\n"
    "    } else when client in 10.0.0.0/8 { rewrite ~ \"^/a\" to \"/b\"; }\n"
    "    else { synth 404 \"no\"; }\n"
    "}\n"
    "ruleset shop { cookie keep session cart; backend shop; }\n"
    "host shop.example.org shop.example.com use shop;\n"
    "default { answer 200 text/plain \"yes\"; }\n"
    "undecided synth 400;\n";

UNIT_TEST(test_parse_tells_of_a_text_that_ends_anywhere_at_most_twice)
{
	struct fm_diag *diag;
	struct fm_model *model;
	size_t i;

	for (i = 0; i < sizeof example; i++) {
		diag = fm_diag_new();
		model = unit_parse("t", fm_text(example, i), diag);
		/* The end is one error; a quote may be open as well. */
		ck_assert_msg(fm_diag_errors(diag) <= 2 &&
		    (i + 1 < sizeof example || fm_diag_errors(diag) == 0),
		    "after %zu bytes: %s", i, fm_diag_line(diag, 0));
		fm_model_free(&model);
		fm_diag_free(&diag);
	}
}

int
main(void)
{
	return (unit_main("parse", 120));
}
