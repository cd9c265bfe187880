/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The check of rule files.  Its messages are in tests/golden: those of
 * NAME.rules are the lines of NAME.expected, in this order.  A line of a rule
 * file that starts with "#:" is an option for the check: "#: backends a b",
 * "#: min_hosts 3",
 * "#: vcl_reads X-A X-B".
 *
 * FM_GOLDEN=write writes the .expected files anew, for a person to compare.
 */

#include <glob.h>
#include <unistd.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "bounds.h"
#include "caps.h"
#include "compiling.h"
#include "glob.h"
#include "rules_load.h"
#include "shipped.h"

/*--------------------------------------------------------------------
 * Files
 */

/* Returns a whole file, which ends in NUL. */
static char *
file_read(const char *name)
{
	FILE *f = fopen(name, "rb");
	char *bytes;
	size_t n;

	ck_assert_msg(f != NULL, "%s can't be opened", name);
	bytes = calloc(1, 1 << 20);
	ck_assert_ptr_nonnull(bytes);
	n = fread(bytes, 1, (1 << 20) - 1, f);
	ck_assert_uint_lt(n, (1 << 20) - 1);
	(void)fclose(f);
	return (bytes);
}

/*--------------------------------------------------------------------
 * Checks
 */

struct checked {
	struct fm_model		*model;
	struct fm_diag		*diag;
	bool			ok;
};

static void
checked_end(struct checked *c)
{
	if (c->model != NULL)
		fm_model_free(&c->model);
	fm_diag_free(&c->diag);
}

static struct checked
check_text(const char *text)
{
	struct checked c;

	c.diag = fm_diag_new();
	c.model = unit_parse("t", fm_text_of(text), c.diag);
	c.ok = fm_check(c.model, NULL, c.diag);
	ck_assert_int_eq(c.ok, fm_diag_errors(c.diag) == 0);
	fm_diag_sort(c.diag, "t");
	return (c);
}

/* Options as a golden file has them. */
struct golden_options {
	struct fm_check_options	options;
	const char		*backends[16];
	const char		*subs[16];
	const char		*reads[16];
};

static void
golden_options(char *text, struct golden_options *o)
{
	char *line, *word, *save, *save_word;

	memset(o, 0, sizeof *o);
	for (line = strtok_r(text, "\n", &save); line != NULL;
	    line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "#:", 2) != 0)
			continue;
		word = strtok_r(line + 2, " ", &save_word);
		if (strcmp(word, "min_hosts") == 0) {
			word = strtok_r(NULL, " ", &save_word);
			o->options.min_hosts = (uint32_t)atoi(word);
			continue;
		}
		if (strcmp(word, "serving") == 0) {
			o->options.serving = true;
			continue;
		}
		if (strcmp(word, "vcl_reads") == 0) {
			o->options.vcl_reads = o->reads;
			while ((word = strtok_r(NULL, " ", &save_word)) != NULL)
				o->reads[o->options.nvcl_reads++] = word;
			continue;
		}
		if (strcmp(word, "subs") == 0) {
			o->options.subs = o->subs;
			while ((word = strtok_r(NULL, " ", &save_word)) != NULL)
				o->subs[o->options.nsubs++] = word;
			continue;
		}
		ck_assert_str_eq(word, "backends");
		o->options.backends = o->backends;
		while ((word = strtok_r(NULL, " ", &save_word)) != NULL)
			o->backends[o->options.nbackends++] = word;
	}
}

static struct checked
check_file(const char *name)
{
	struct fm_program *program;
	struct golden_options o;
	struct checked c;
	char *text = file_read(name);

	golden_options(text, &o);
	c.diag = fm_diag_new();
	ck_assert_ptr_nonnull(c.diag);
	c.model = fm_parse_file(name, NULL, c.diag);
	ck_assert_ptr_nonnull(c.model);
	program = fm_rules_compile(c.model, &o.options, c.diag);
	c.ok = program != NULL;
	if (program != NULL)
		fm_program_free(&program);
	fm_diag_sort(c.diag, name);
	ck_assert_int_eq(c.ok, fm_diag_errors(c.diag) == 0);
	free(text);
	return (c);
}

static void
golden_write(const char *expected, const struct fm_diag *diag)
{
	FILE *f = fopen(expected, "w");
	unsigned i;

	ck_assert_ptr_nonnull(f);
	for (i = 0; fm_diag_line(diag, i) != NULL; i++)
		(void)fprintf(f, "%s\n", fm_diag_line(diag, i));
	(void)fclose(f);
}

/*--------------------------------------------------------------------
 * Every message is seen
 */

#define MESSAGES_MAX	300

static struct message {
	char	name[80];
	char	glob[400];
	bool	seen;
} messages[MESSAGES_MAX];
static unsigned nmessages;

/* The strings after a define's name, up to the line without a backslash. */
static void
message_read(const char *p, struct message *m)
{
	char *out = m->glob;
	bool string = false;

	for (; *p != '\0' && (string || *p != '\n'); p++) {
		ck_assert_uint_lt((size_t)(out - m->glob), sizeof m->glob - 2);
		if (*p == '"') {
			string = !string;
		} else if (!string) {
			if (p[0] == '\\' && p[1] == '\n')
				p++;
		} else if (*p == '\\') {
			*out++ = *++p;
		} else if (p[0] == '%' && p[1] == '%') {
			*out++ = *p++;
		} else if (*p == '%') {
			p += strcspn(p, "sduxzc");
			if (*p == 'z')
				p++;
			*out++ = '*';
		} else {
			*out++ = *p;
		}
	}
	*out = '\0';
}

static void
messages_read(const char *header)
{
	static const char define[] = "#define FM_MSG_";
	char *text = file_read(header), *p;
	struct message *m;
	size_t len;

	for (p = strstr(text, define); p != NULL; p = strstr(p, define)) {
		p += strlen("#define ");
		len = strcspn(p, " \t\\\n");
		ck_assert_uint_lt(nmessages, MESSAGES_MAX);
		m = &messages[nmessages++];
		ck_assert_uint_lt(len, sizeof m->name);
		memcpy(m->name, p, len);
		message_read(p + len, m);
		ck_assert_msg(m->glob[0] != '\0', "%s is empty", m->name);
	}
	free(text);
}

static void
messages_see(const struct fm_diag *diag)
{
	struct fm_diag_message said;
	unsigned i, n;
	bool any;

	for (n = 0; fm_diag_message(diag, n, &said); n++) {
		any = false;
		for (i = 0; i < nmessages; i++)
			if (fm_glob_match(fm_text_of(messages[i].glob),
			    fm_text_of(said.text), false))
				any = messages[i].seen = true;
		ck_assert_msg(any, "no define is '%s'", said.text);
	}
}

static void
golden_compare(const char *rules)
{
	char expected[255 + 20];
	char *text, *line, *end;
	const char *write = getenv("FM_GOLDEN"), *said;
	struct checked c;
	unsigned i = 0;

	(void)sprintf(expected, "%.*sexpected",
	    (int)(strlen(rules) - strlen("rules")), rules);
	c = check_file(rules);
	if (write != NULL && strcmp(write, "write") == 0)
		golden_write(expected, c.diag);
	text = file_read(expected);
	for (line = text; *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		ck_assert_msg(end != NULL, "%s has no newline at its end",
		    expected);
		*end = '\0';
		said = fm_diag_line(c.diag, i++);
		ck_assert_msg(said != NULL, "%s does not say: %s", rules, line);
		ck_assert_msg(strcmp(said, line) == 0,
		    "%s says: %s\nand not: %s", rules, said, line);
	}
	said = fm_diag_line(c.diag, i);
	ck_assert_msg(said == NULL, "%s also says: %s", rules, said);
	messages_see(c.diag);
	free(text);
	checked_end(&c);
}

/*
 * before, then n times what is repeated (with a number in place of a "#"),
 * then after.
 */
static struct checked
check_many(const char *before, unsigned n, const char *repeated,
    const char *after)
{
	size_t room = strlen(before) + strlen(after) + 1 +
	    n * (strlen(repeated) + 12), len;
	const char *hash = strchr(repeated, '#');
	char *text = malloc(room);
	struct checked c;
	unsigned i;

	ck_assert_ptr_nonnull(text);
	len = (size_t)snprintf(text, room, "%s", before);
	for (i = 0; i < n; i++)
		len += (size_t)(hash == NULL ?
		    snprintf(text + len, room - len, "%s", repeated) :
		    snprintf(text + len, room - len, "%.*s%u%s",
		    (int)(hash - repeated), repeated, i, hash + 1));
	(void)snprintf(text + len, room - len, "%s", after);
	c = check_text(text);
	free(text);
	return (c);
}

/* The regexes that were taken before stand for a large file. */
UNIT_TEST(test_check_says_which_regex_is_too_much)
{
	struct fm_caps account = { .over = false };
	struct checked c;

	fm_caps_begin(&account);
	ck_assert(fm_caps_take(FM_CAP_REGEXES, FM_LIMIT_REGEXES - 1, NULL,
	    NULL));
	/* The check does not even look at what comes after it. */
	c = check_text("list l ~ { a+ b+ \"(\" }\n"
	    "always { when path in l { pass; } }\n");
	fm_caps_end(true);
	ck_assert(!c.ok);
	ck_assert_uint_eq(fm_diag_errors(c.diag), 1);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(c.diag, 0), "t:1:15: error: "
	    "with this one there are more than 20000 regexes"));
	checked_end(&c);
}

/*
 * No file of a fair size can show these: memory that runs out, limits that
 * are counted in thousands, folders that may not be read, links.
 * test_parse_errors and test_parse_files have those of the parser.
 */
static const char * const unseen[] = {
	"FM_MSG_CONDITION", "FM_MSG_FILE_LIES", "FM_MSG_FILE_LOST",
	"FM_MSG_FILE_OUTSIDE",
	"FM_MSG_LIB_LINE_LONG", "FM_MSG_FILES_LARGE", "FM_MSG_FILES_MANY",
	"FM_MSG_GLOB", "FM_MSG_GLOB_LONG",
	"FM_MSG_GLOB_MANY", "FM_MSG_HOSTS", "FM_MSG_NESTING", "FM_MSG_OPERANDS",
	"FM_MSG_STATEMENTS", "FM_MSG_TESTS", "FM_MSG_TEXT_LONG",
	"FM_MSG_WORD_LONG"
};

/* No golden file is as large. */
static void
messages_see_caps(void)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_caps account;
	unsigned cap;

	account = (struct fm_caps){ .over = false };
	account.others[FM_CAP_SIZE] = FM_LIMIT_SIZE;
	fm_caps_begin(&account);
	ck_assert(!fm_caps_take(FM_CAP_SIZE, 1, NULL, diag));
	fm_caps_end(true);
	for (cap = 0; cap < FM_CAP__COUNT; cap++) {
		account = (struct fm_caps){ .over = false };
		fm_caps_begin(&account);
		ck_assert(!fm_caps_take((enum fm_cap)cap, SIZE_MAX, NULL,
		    diag));
		fm_caps_end(true);
	}
	messages_see(diag);
	fm_diag_free(&diag);
}

static void
messages_see_rest(void)
{
	struct checked c;

	c = check_many("always { ", FM_LIMIT_HEADERS, "unset X-#; ", "}\n");
	ck_assert_msg(c.ok, "%s", fm_diag_line(c.diag, 0));
	checked_end(&c);
	c = check_many("always { ", FM_LIMIT_HEADERS + 5, "unset X-#; ",
	    "}\n");
	ck_assert_uint_eq(fm_diag_errors(c.diag), 1);
	messages_see(c.diag);
	checked_end(&c);
	messages_see_caps();
	c.diag = fm_diag_new();
	c.model = fm_parse_file("no.rules", NULL, c.diag);
	messages_see(c.diag);
	checked_end(&c);
	/* As the module says it. */
	fm_shipped_anywhere = false;
	c.diag = fm_diag_new();
	c.model = fm_parse_file("shipped.rules", NULL, c.diag);
	messages_see(c.diag);
	checked_end(&c);
}

UNIT_TEST(test_check_says_what_golden_files_expect_and_they_have_all_messages)
{
	unsigned i, k, missing = 0;
	glob_t found;

	/* Places in the golden files are relative to their folder. */
	ck_assert_int_eq(chdir(TOP_SRCDIR "/tests/golden"), 0);
	fm_shipped_folder = ".";
	fm_shipped_anywhere = true;
	messages_read(TOP_SRCDIR "/src/check/messages_check.h");
	messages_read(TOP_SRCDIR "/src/check/messages_warn.h");
	messages_read(TOP_SRCDIR "/src/lang/messages_parse.h");
	ck_assert_uint_gt(nmessages, 60);
	ck_assert_int_eq(glob("*.rules", 0, NULL, &found), 0);
	for (k = 0; k < found.gl_pathc; k++)
		golden_compare(found.gl_pathv[k]);
	globfree(&found);
	messages_see_rest();
	for (i = 0; i < nmessages; i++) {
		for (k = 0; k < sizeof unseen / sizeof unseen[0]; k++)
			if (strcmp(messages[i].name, unseen[k]) == 0)
				messages[i].seen = true;
		if (messages[i].seen)
			continue;
		fprintf(stderr, "no golden file says %s: \"%s\"\n",
		    messages[i].name, messages[i].glob);
		missing++;
	}
	ck_assert_uint_eq(missing, 0);
}

/*--------------------------------------------------------------------
 * Large texts, and no memory
 */

UNIT_TEST(test_check_survives_thousands_of_mistakes)
{
	struct checked c;
	unsigned n;

	c = check_many("always { ", 20000,
	    "when path in x# { synth 9; }\n", "}\n");
	ck_assert(!c.ok);
	ck_assert_uint_eq(fm_diag_errors(c.diag), 40000);
	for (n = 0; fm_diag_line(c.diag, n) != NULL; n++)
		ck_assert_uint_lt(n, 1000);
	checked_end(&c);
}

UNIT_TEST(test_check_survives_a_long_chain_of_else_when)
{
	struct checked c;

	c = check_many("always { when path is /x { pass; }\n", 50000,
	    "else when path is /# { pass; }\n", "}\n");
	ck_assert(!c.ok);
	checked_end(&c);
}

/* The rules have mistakes, as messages take memory, too. */
UNIT_TEST(test_check_survives_any_allocation_that_fails)
{
	static const char text[] =
	    "list l is { a b }\nmap m { contains iPhone -> \"${host}\"; }\n"
	    "ruleset r { query drop in l; }\n"
	    "always { when path ~ \"^/(a)\" { set X-A = \"${1}\"; }\n"
	    "    set X-B = m(agent); query drop x x; cookie keep y; }\n"
	    "host a.example b.example use r;\n"
	    "host c.example { when path in lol { unset X-C; } }\n";
	struct fm_model *model;
	struct fm_diag *diag;
	bool reached = true, ok;
	long n;

	for (n = 1; reached; n++) {
		ck_assert_int_lt(n, 10000);
		diag = fm_diag_new();
		ck_assert_ptr_nonnull(diag);
		alloc_left = n;
		model = fm_parse_text("t", fm_text_of(text), NULL, NULL,
		    diag);
		ok = model != NULL && fm_check(model, NULL, diag);
		reached = alloc_left == 0;
		alloc_left = -1;
		ck_assert(!ok);
		ck_assert_uint_gt(fm_diag_errors(diag), 0);
		if (model != NULL)
			fm_model_free(&model);
		fm_diag_free(&diag);
	}
}

int
main(void)
{
	return (unit_main("check", 120));
}
