/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The values with which conditions compare are in no message and no line of a
 * file that is shown to those who may not see them, whether the rules are right
 * or broken anywhere; words of the language, and words that were to be some,
 * are shown.
 */

#include "caret.h"
#include "compiling.h"
#include "explanation.h"
#include "folder.h"
#include "rules_load.h"

/* Loads rules, as fm_rules_load() does with a file. */
static struct fm_program *
load(const char *text, struct fm_diag *diag)
{
	struct fm_program *program = NULL;
	struct fm_model *model;

	model = unit_parse("-", fm_text_of(text), diag);
	if (fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag))
		program = fm_compile(model, NULL, diag);
	fm_model_free(&model);
	fm_caret_attach(diag, fm_text_of(text));
	return (program);
}

/*--------------------------------------------------------------------
 * What is shown
 */

static const struct {
	const char	*rules;
	const char	*masked;
	const char	*excerpt;
} shown[] = {
	/* A misspelt word, and the one that was meant. */
	{ "always { when path is /x { pas; } }",
	  "unexpected 'pas', expected '}' or a statement: did you mean 'pass'?",
	  "    always { when path is /x { pas; } }\n"
	  "                               ^\n" },
	{ "always { when haeder X-Preview is \"letmesee\" { pass; } }",
	  "unexpected 'haeder', expected a test: did you mean 'header'?",
	  "    always { when haeder X-Preview is [hidden] { pass; } }\n"
	  "                  ^\n" },
	{ "always { when header X-Preview beginz letmesee { pass; } }",
	  "unexpected 'beginz', expected 'not', 'in', 'present', 'nocase', "
	  "'is', 'begins', 'ends', 'contains', 'like', 'below' or '~': did you "
	  "mean 'begins'?",
	  "    always { when header X-Preview beginz [hidden] { pass; } }\n"
	  "                                   ^\n" },
	/* A value without a mode: own words stay. */
	{ "always { when header X-Preview letmesee { pass; } }",
	  "unexpected [hidden], expected 'not', 'in', 'present', 'nocase', "
	  "'is', 'begins', 'ends', 'contains', 'like', 'below' or '~': a mode "
	  "is missing: is, begins, contains, ~, ...",
	  "    always { when header X-Preview [hidden] { pass; } }\n"
	  "                                   ^\n" },
	{ "always { when X-Preview is letmesee { pass; } }",
	  "unexpected 'X-Preview', expected a test: write 'header NAME'",
	  "    always { when X-Preview is [hidden] { pass; } }\n"
	  "                  ^\n" },
	{ "always { when header X ~ \"(letmesee\" { pass; } }",
	  "regex '[hidden]': missing closing parenthesis (at offset 9)",
	  "    always { when header X ~ [hidden] { pass; } }\n"
	  "                             ^\n" },
	{ "always { when path ~ \"(shown\" { pass; } }",
	  "regex '(shown': missing closing parenthesis (at offset 6)",
	  "    always { when path ~ \"(shown\" { pass; } }\n"
	  "                                ^\n" },
	{ "always { when header X in tokenz { pass; } }\n"
	  "list tokens is { letmesee }",
	  "unknown list 'tokenz': did you mean 'tokens'?",
	  "    always { when header X in tokenz { pass; } }\n"
	  "                              ^\n" },
	{ "always { when header X is a and path is /b { unset A } } # letmesee",
	  "missing ';' after 'A'",
	  "    always { when header X is [hidden] and path is /b { unset A } } "
	  "[hidden]\n"
	  "                                        "
	  "                       ^\n" },
	{ "host a.example { synth 99; }",
	  "'99' is not a status here: synth and answer take 200 to 599",
	  "    host a.example { synth 99; }\n"
	  "                           ^\n" },
};

UNIT_LOOP(test_words_of_the_language_are_shown, UNIT_COUNT(shown))
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_diag_message message;

	ck_assert_ptr_null(load(shown[_i].rules, diag));
	ck_assert(fm_diag_message(diag, 0, &message));
	ck_assert_str_eq(message.masked, shown[_i].masked);
	ck_assert_ptr_nonnull(message.masked_excerpt);
	ck_assert_str_eq(message.masked_excerpt, shown[_i].excerpt);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * A secret at each place, in rules that are right, or broken anywhere
 */

/* @ is the secret. */
static const char * const places[] = {
	"always {\n    when header X-Preview is \"@\" { pass; }\n}\n",
	"always { when header X begins a @ b and path is /x { pass; } }\n",
	"always {\n    when cookie id is @ or query q contains @ {\n"
	    "        set X-A = 1;\n    }\n}\n",
	"always { when agent nocase like \"*@*\" { pass; } }\n",
	"always {\n    when header X ~ \"^@(.*)$\" { set X-A = \"${1}\"; }\n"
	    "    else when not header Y not is\n        @ { pass; }\n}\n",
	"list tokens is {\n    a\n    @\n    b\n}\n"
	    "always { when header X in tokens { pass; } }\n",
	"list l { is @; begins @ /x; ~ \"@+\"; }\n"
	    "always { when header X in l { pass; } }\n",
	"list l is { @ }\nalways { when cookie id in l { pass; } }\n",
	"map m {\n    is @ -> x;\n    contains a @ b -> y;\n    default z;\n"
	    "}\nalways { set X-B = m(header X); }\n",
	"always {\n    when any query t is @ { pass; }\n"
	    "    when any header H contains @ { pass; }\n}\n",
	"always { response {\n    when request header X is @ { uncacheable; }\n"
	    "    when header Y is \"@\" { ttl 1h; }\n"
	    "    when set-cookie id is @ { uncacheable; }\n} }\n",
	"host a.example {\n"
	    "    when (header X is @ or not (header Y is a \"@\")) {\n"
	    "        synth 403;\n    }\n    unset X-B;\n}\n",
	"ruleset r { when header X is @ { set X-A = 1; } }\n"
	    "host a.example use r;\n",
	"always { # when header X is @\n    unset X-A; # cookie id is @\n}\n",
	"always { when header X is @ @ { pass; } when header X begins @ "
	    "{ pass; } }\n",
	"always { when header X is \"@ \" \" @\" or header X contains @ "
	    "{ pass; } }\n",
	"always { delivery { when header X ends @ { set X-A = \"b\"; } } }\n",
	"always { key { header X; } when cookie a is @ { cookie keep a; } }\n",
};

#define SECRET	16		/* bytes */
#define PART	8		/* bytes of it that must not be shown */

/* Puts a random secret into a place.  Returns the text, for free(). */
static char *
fill(const char *place, char secret[SECRET + 1])
{
	char *text = malloc(strlen(place) * (SECRET + 1) + 1), *to = text;
	unsigned i;

	ck_assert_ptr_nonnull(text);
	for (i = 0; i < SECRET; i++)
		secret[i] = (char)((i % 2 == 0 ? 'a' : '0') + unit_below(10));
	secret[SECRET] = '\0';
	for (; *place != '\0'; place++)
		if (*place == '@')
			to = stpcpy(to, secret);
		else
			*to++ = *place;
	*to = '\0';
	return (text);
}

/* Breaks a text of which there is room for one more byte. */
static void
break_it(char *text)
{
	static const char bytes[] = "{};()\"'#~=x \n[$";
	size_t len = strlen(text), at = unit_below((unsigned)len), n;

	switch (unit_below(4)) {
	case 0:				/* a byte too few */
		memmove(text + at, text + at + 1, len - at);
		break;
	case 1:				/* a byte too many */
		memmove(text + at + 1, text + at, len - at + 1);
		text[at] = bytes[unit_below(sizeof bytes - 1)];
		break;
	case 2:				/* another byte */
		text[at] = bytes[unit_below(sizeof bytes - 1)];
		break;
	default:			/* a word too few */
		while (at > 0 && strchr(" \n", text[at - 1]) == NULL)
			at--;
		n = strcspn(text + at, " \n");
		memmove(text + at, text + at + n, len - at - n + 1);
		break;
	}
}

static void
check_lacks(const char *shows, const char *secret, const char *text)
{
	char part[PART + 1];
	unsigned i;

	for (i = 0; shows != NULL && i + PART <= SECRET; i++) {
		memcpy(part, secret + i, PART);
		part[PART] = '\0';
		if (strstr(shows, part) != NULL)
			ck_abort_msg("%s is in: %s\nof:\n%s", part, shows,
			    text);
	}
}

/* Loads rules, and fails if the secret is anywhere.  Counts the messages. */
static unsigned
check_hidden(const char *text, const char *secret)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_program *program = load(text, diag);
	struct fm_diag_message message;
	const struct fm_rule *rule;
	unsigned n;
	uint32_t i;

	for (n = 0; fm_diag_message(diag, n, &message); n++) {
		check_lacks(message.masked, secret, text);
		check_lacks(message.masked_excerpt, secret, text);
		check_lacks(fm_diag_masked_line(diag, n), secret, text);
	}
	for (i = 0; program != NULL &&
	    fm_program_rule(program, i, &rule, NULL); i++)
		check_lacks(rule->masked, secret, text);
	if (program != NULL)
		fm_program_free(&program);
	fm_diag_free(&diag);
	return (n);
}

UNIT_LOOP(test_secrets_are_hidden_wherever_rules_have_them,
    UNIT_COUNT(places))
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_program *program;
	char secret[SECRET + 1], *text = fill(places[_i], secret);

	program = load(text, diag);
	ck_assert_msg(program != NULL, "%s", fm_diag_line(diag, 0));
	fm_program_free(&program);
	fm_diag_free(&diag);
	(void)check_hidden(text, secret);
	free(text);
}

UNIT_LOOP(test_secrets_are_hidden_wherever_rules_are_broken,
    UNIT_COUNT(places))
{
	char secret[SECRET + 1], *text;
	unsigned round, messages = 0, rounds = unit_rounds(3000, 12);

	for (round = 0; round < rounds; round++) {
		text = fill(places[_i], secret);
		break_it(text);
		messages += check_hidden(text, secret);
		free(text);
	}
	ck_assert_uint_gt(messages, rounds / 6);
}

/* The request that leads into a loop is made of values of conditions. */
UNIT_TEST(test_values_of_other_places_are_hidden)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_diag_message message;
	struct fm_program *program;

	folder_enter();
	folder_write("site.rules", "always {\n    when query t is letmesee {\n"
	    "        redirect 302 \"${url}\";\n    }\n}\n");
	program = fm_rules_load("site.rules", NULL, NULL, NULL, diag);
	fm_caret_attach(diag, fm_text(NULL, 0));
	folder_leave();
	ck_assert(fm_diag_message(diag, 0, &message));
	ck_assert_ptr_nonnull(strstr(message.text, "?t=letmesee'"));
	ck_assert_ptr_null(strstr(message.masked, "letmesee"));
	ck_assert_ptr_nonnull(strstr(message.masked, "leads to itself"));
	fm_program_free(&program);
	fm_diag_free(&diag);
}

/* An entry of a list's file is hidden, and no line of that file is shown. */
UNIT_TEST(test_entries_of_files_are_hidden)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_diag_message message;

	folder_enter();
	folder_write("tokens.list", "a\n(letmesee\n");
	folder_write("site.rules", "list tokens ~ from \"tokens.list\";\n"
	    "always { when header X in tokens { pass; } }\n");
	ck_assert_ptr_null(fm_rules_load("site.rules", NULL, NULL, NULL,
	    diag));
	fm_caret_attach(diag, fm_text(NULL, 0));
	folder_leave();
	ck_assert(fm_diag_message(diag, 0, &message));
	ck_assert_ptr_nonnull(strstr(message.text, "letmesee"));
	ck_assert_ptr_null(strstr(message.masked, "letmesee"));
	ck_assert_ptr_nonnull(strstr(message.masked, "missing closing"));
	ck_assert_ptr_null(message.masked_excerpt);
	fm_diag_free(&diag);
}

/* Each rule of a request that is explained hides the secret, too. */
UNIT_LOOP(test_secrets_are_hidden_in_explanations, UNIT_COUNT(places))
{
	struct fm_respond_to to = { .status = 200 };
	struct fm_explain_to response = { .to = to,
	    .params = fm_respond_usual };
	struct fm_diag *diag = fm_diag_new();
	struct fm_explained_request *explained;
	struct fm_jsonbuf out = { .bytes = NULL };
	struct fm_made_request made;
	struct fm_explain_of of = { .masked = true, .to = &response };
	struct fm_program *program;
	struct fm_view view;
	char secret[SECRET + 1], *text = fill(places[_i], secret), *json;

	program = load(text, diag);
	fm_made_init(&made);
	fm_made_url(&made, fm_text_of("http://a.example/?q=1"), FM_URL_TYPED);
	ck_assert_ptr_null(fm_made_line(&made, fm_text_of("X: a")));
	fm_made_host(&made);
	fm_made_view(&made, &view);
	of.program = program;
	of.view = &view;
	explained = fm_explain_new(&of);
	fm_explain_json(&out, explained);
	fm_explain_free(&explained);
	json = fm_jsonbuf_finish(&out);
	check_lacks(json, secret, text);
	free(json);
	fm_made_fini(&made);
	fm_program_free(&program);
	fm_diag_free(&diag);
	free(text);
}

int
main(void)
{
	unit_seed("test_hidden");
	return (unit_main("hidden", 120));
}
