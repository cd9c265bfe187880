/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parser and files: which files it reads, which ones it must not show, and
 * how many there may be.  tests/cases has what is in files of each kind,
 * tests/golden what is said of mistakes in them.
 */

#include <sys/stat.h>
#include <unistd.h>

#include "compiling.h"
#include "folder.h"
#include "listfile.h"
#include "parse_priv.h"

/* Returns a text with the path of the folder for each '@': malloc'ed. */
static char *
in_folder(const char *text)
{
	char *out;
	size_t len;
	FILE *to = open_memstream(&out, &len);

	for (; *text != '\0'; text++)
		if (*text == '@')
			(void)fputs(folder_path, to);
		else
			(void)fputc(*text, to);
	(void)fclose(to);
	return (out);
}

/* Parses a file, of which exactly these lines are said. */
static struct fm_model *
parse_file(const char *path, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = fm_parse_file(path, NULL, diag);

	ck_assert_ptr_nonnull(model);
	unit_says(diag, expect);
	return (model);
}

static void
check_main(const char *expect)
{
	struct fm_model *model = parse_file("main.rules", expect);

	fm_model_free(&model);
}

/*--------------------------------------------------------------------
 * The files that are read, and their order
 */

#define FILES	10

/*
 * Files by their names and texts: "d/" is a folder, "d|" a pipe, and a text
 * that begins with '>' is where a link leads.  Then the hosts of main.rules, in
 * order and with their places.
 */
static const struct {
	const char	*files[FILES][2];
	const char	*hosts;
	const char	*said;
} trees[] = {
	/* An include stands for the text of its file. */
	{ { { "d/" }, { "main.rules", "host a { }\n"
	  "include \"d/b.rules\";\nhost e { }\n" },
	  { "d/b.rules", "host b { }\n  include \"c.rules\"; host d { }" },
	  { "d/c.rules", "\n host c { }" } },
	  "a main.rules:1:6; b d/b.rules:1:6; c d/c.rules:2:7; "
	  "d d/b.rules:2:27; e main.rules:3:6; ", "" },
	/* An absolute path is that path. */
	{ { { "main.rules", "include \"@/b.rules\";" },
	  { "b.rules", "host b { }" } }, "b @/b.rules:1:6; ", "" },
	/* The order is that of bytes, without folders and hidden files. */
	{ { { "d/" }, { "d/folder.rules/" }, { "d/pipe.rules|" },
	  { "main.rules", "include \"d/*.rules\";" },
	  { "d/b.rules", "host b { }" }, { "d/B.rules", "host B { }" },
	  { "d/10.rules", "host 10 { }" }, { "d/9.rules", "host 9 { }" },
	  { "d/.c.rules", "host c { }" }, { "d/d.rules~", "host d { }" } },
	  "10 d/10.rules:1:6; 9 d/9.rules:1:6; B d/B.rules:1:6; "
	  "b d/b.rules:1:6; ", "" },
	/* A glob may find nothing, but no link that leads nowhere. */
	{ { { "main.rules", "include \"*.none\"; include \"no/*.rules\";"
	  " include \"main.rules/*\";" } }, "", "" },
	{ { { "d/" }, { "d/link.rules", ">nowhere" },
	  { "main.rules", "include \"d/*.rules\";" } }, "",
	  "main.rules:1:9: error: can't read 'd/link.rules': No such file or "
	  "directory\n" },
	{ { { NULL, NULL } }, "",
	  "main.rules: error: can't read: No such file or directory\n" },
	/* Links that stay in the folder are followed: sites-enabled, */
	{ { { "sites-available/" }, { "sites-enabled/" },
	  { "main.rules", "include \"sites-enabled/*.rules\";" },
	  { "sites-available/a.rules", "host a { } hosts from \"b.hosts\";"
	  " ruleset r { }" }, { "sites-available/c.rules", "host c { }" },
	  { "sites-enabled/a.rules", ">../sites-available/a.rules" },
	  { "sites-enabled/b.hosts", ">../sites-available/b.hosts" },
	  { "sites-available/b.hosts", "b r\n" } },
	  "a sites-enabled/a.rules:1:6; b sites-enabled/b.hosts:1:1; ", "" },
	/* the same as one link to a folder, */
	{ { { "sites-available/" }, { "sites-enabled", ">sites-available" },
	  { "main.rules", "include \"@/sites-enabled/*.rules\";" },
	  { "sites-available/a.rules", "host a { }" } },
	  "a @/sites-enabled/a.rules:1:6; ", "" },
	/* and a ConfigMap of Kubernetes. */
	{ { { "..2026_01/" }, { "..data", ">..2026_01" },
	  { "..2026_01/main.rules", "include \"site-*.rules\";" },
	  { "..2026_01/site-a.rules", "host a { } map m is from \"m.map\";"
	  " hosts from \"b\"; ruleset r { }" },
	  { "..2026_01/m.map", "no arrow\n" }, { "..2026_01/b", "b r\n" },
	  { "main.rules", ">..data/main.rules" }, { "b", ">..data/b" },
	  { "site-a.rules", ">..data/site-a.rules" },
	  { "m.map", ">..data/m.map" } },
	  "a site-a.rules:1:6; b b:1:1; ", "m.map:1:1: error: this is not a "
	  "line of a map: write \"pattern -> value\"\n" },
	/* One file may serve two lists. */
	{ { { "main.rules", "list l is from \"l\"; list m ends from \"l\";" },
	  { "l", "a\n" } }, "", "" },
};

static void
write_tree(const char * const files[FILES][2])
{
	const char *name;
	char *text;
	size_t len;
	int i;

	for (i = 0; i < FILES && (name = files[i][0]) != NULL; i++) {
		len = strlen(name);
		if (name[len - 1] == '/') {
			ck_assert_int_eq(mkdir(name, 0700), 0);
		} else if (name[len - 1] == '|') {
			text = strndup(name, len - 1);
			ck_assert_int_eq(mkfifo(text, 0600), 0);
			free(text);
		} else if (files[i][1][0] == '>') {
			ck_assert_int_eq(symlink(files[i][1] + 1, name), 0);
		} else {
			text = in_folder(files[i][1]);
			folder_write(name, text);
			free(text);
		}
	}
}

/* Compares the hosts of a model, in order, with the names of their files. */
static void
check_hosts(const struct fm_model *model, const char *expect)
{
	char got[4000] = "", *hosts = in_folder(expect);
	size_t i;

	for (i = 0; i < model->nhosts; i++)
		(void)snprintf(got + strlen(got), sizeof got - strlen(got),
		    "%s %s:%u:%u; ", model->hosts[i].pattern.b,
		    model->hosts[i].at.name, model->hosts[i].at.line,
		    model->hosts[i].at.column);
	ck_assert_str_eq(got, hosts);
	free(hosts);
}

UNIT_LOOP(test_parse_reads_these_files_in_this_order, UNIT_COUNT(trees))
{
	struct fm_model *model;

	write_tree(trees[_i].files);
	model = parse_file("main.rules", trees[_i].said);
	check_hosts(model, trees[_i].hosts);
	fm_model_free(&model);
}

/* The name of the folder itself is not a pattern. */
UNIT_TEST(test_include_glob_takes_its_folder_as_it_is)
{
	struct fm_model *model;
	struct fm_diag *diag = fm_diag_new();

	ck_assert_int_eq(mkdir("[ab]*", 0700), 0);
	ck_assert_int_eq(mkdir("a", 0700), 0);
	folder_write("[ab]*/main.rules", "include \"*.inc\"; "
	    "list l is from \"l*\";");
	folder_write("[ab]*/x.inc", "host right { }");
	folder_write("[ab]*/l*", "x");
	folder_write("a/x.inc", "host wrong { }");
	model = fm_parse_file("[ab]*/main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_ptr_null(fm_diag_line(diag, 0));
	check_hosts(model, "right [ab]*/x.inc:1:6; ");
	fm_model_free(&model);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * The files that an author may read, and see in messages
 */

/* The first file is top/main.rules, which may include top/d/in.rules. */
static const char * const around[][FILES][2] = {
	{ { "top/" }, { "top/d/" }, { "top/.hidden/" }, { "topless/" },
	  { "top-secret/" }, { "out.rules", "host out { }" },
	  { "secrets", "root:$6$x y z\n" }, { "top-secret/x", "x" },
	  { "topless/x.rules", "host x { }" }, { "byte", "x" } },
	{ { "top/d/out.rules", ">../../out.rules" },
	  { "top/d/mine", ">../mine" }, { "secret.map", "x" },
	  { "top/d/map", ">../../secret.map" }, { "top/map", "x" },
	  { "top/back", ">../side.link" }, { "side.link", ">top/side.rules" },
	  { "alias", ">top" }, { "top/d/up", ">../.." } },
	{ { "top/side.rules", "host side { }" }, { "top/y", "y" },
	  { "top/mine", "root:$6$x y z\n" }, { "top/none", "" },
	  { "top/d/fifo|" }, { "top/d/x", ">../../top-secret/x" },
	  { "top/d/dir", ">../../top-secret" }, { "top/d/y", ">../y" } },
};

/* Parses top/main.rules; an '@' in its text is the folder's path. */
static struct fm_model *
parse_top(const char *first, const char *included, const char *expect)
{
	const char * const files[FILES][2] = { { "top/main.rules", first },
	    { "top/d/in.rules", included } };
	char *said = in_folder(expect);
	struct fm_model *model;

	write_tree(around[0]);
	write_tree(around[1]);
	write_tree(around[2]);
	write_tree(files);
	model = parse_file("top/main.rules", said);
	free(said);
	return (model);
}

#define IN		"include \"d/in.rules\";"
#define ANSWER(path)	"always { answer 200 a/b from \"" path "\"; }"

#define OUTSIDE	" is outside of the folder of the first file: only the first "\
		"file may include it, by a path that begins with '/'\n"
#define HIDDEN	"something is wrong here; the text is not shown, as the file "\
		"is outside of the folder of the first file\n"
#define DOUBTED(at)	"top/d/in.rules:" at ": error: something is wrong " \
			"here; no text of an included file is shown before " \
			"one of its items is right\n"
#define ITEM		"an item (include, list, map, ruleset, always, " \
			"finally, undecided, repeated, client, scheme, host, " \
			"hosts or default)"
#define WORD(at, expected) "top/d/in.rules:" at ": error: unexpected word, " \
			"expected " expected "\n"
#define NO_RULES	"this is not a rule file: it begins with none of " \
			"include, list, map, ruleset, always, finally, " \
			"undecided, repeated, client, scheme, host, hosts " \
			"and default\n"
#define NONE(at)	"top/d/in.rules:" at ": error: " NO_RULES
#define NO_LINE	"this is not a line of hosts: write \"host ruleset\"\n"
#define NO_MAP	"this is not a line of a map: write \"pattern -> value\"\n"
#define LEADS(to)	" leads to '" to "', outside of the folder of the " \
		"first file: put a copy there, or let the first file name " \
		"that path\n"

static const struct {
	const char	*first, *included;
	const char	*said;
} reached[] = {
	/* An include stays in the folder of the first file. */
	{ IN, "include \"../side.rules\";", "" },
	{ "include \"d/../d/in.rules\";", "include \".././/side.rules\";",
	  "" },
	{ "include \"../out.rules\";", "",
	  "top/main.rules:1:9: error: 'top/../out.rules'" OUTSIDE },
	{ "include \"../topless/x.rules\";", "",
	  "top/main.rules:1:9: error: 'top/../topless/x.rules'" OUTSIDE },
	{ "include \"d/in*.rules\";",
	  "include \"../../out.rules\"; include \"../../*.rules\";",
	  "top/d/in.rules:1:9: error: 'top/d/../../out.rules'" OUTSIDE
	  "top/d/in.rules:1:36: error: 'top/d/../../*.rules'" OUTSIDE },
	/* This glob finds `..` as well. */
	{ "include \".*/out.rules\";", "",
	  "top/main.rules:1:9: error: 'top/../out.rules'" OUTSIDE },
	/* Only the first file may name an absolute path. */
	{ "include \"@/out.rules\";" IN, "", "" },
	{ IN, "include \"@/out.rules\";",
	  "top/d/in.rules:1:9: error: '@/out.rules'" OUTSIDE },
	{ IN, "include \"@/top/side.rules\";", "" },
	/* Only the first file may name what a message then shows. */
	{ "hosts from \"../secrets\";", "",
	  "top/../secrets:1:1: error: " NO_LINE },
	{ IN, "hosts from \"../mine\";", "top/d/../mine:1:1: error: " NO_LINE },
	{ IN, "hosts from \"../../secrets\";", "top/d/in.rules:1:12: error: "
	  "'top/d/../../secrets'" LEADS("@/secrets") },
	{ IN, "hosts from \"@/secrets\";", "top/d/in.rules:1:12: error: "
	  "'@/secrets' lies outside of the folder of the first file: put a "
	  "copy there, or let the first file name that path\n" },
	{ IN, "map m is from \"../../secrets\";",
	  "top/d/../../secrets:1:1: error: " HIDDEN },
	/* No link leads an include or hosts out of that folder, */
	{ IN, "include \"out.rules\";", "top/d/in.rules:1:9: error: "
	  "'top/d/out.rules'" LEADS("@/out.rules") },
	{ IN, "include \"out*.rules\";", "top/d/in.rules:1:9: error: "
	  "'top/d/out.rules'" LEADS("@/out.rules") },
	{ IN, "include \"up/topless/*.rules\";", "top/d/in.rules:1:9: error: "
	  "'top/d/up/topless/x.rules'" LEADS("@/topless/x.rules") },
	{ "include \"d/out*\";", "", "top/main.rules:1:9: error: "
	  "'top/d/out.rules'" LEADS("@/out.rules") },
	{ "include \"@/top/d/out*\";", "", "top/main.rules:1:9: error: "
	  "'@/top/d/out.rules'" LEADS("@/out.rules") },
	{ IN, "hosts from \"x\";", "top/d/in.rules:1:12: error: 'top/d/x'"
	  LEADS("@/top-secret/x") },
	{ "hosts from \"d/x\";", "", "top/main.rules:1:12: error: 'top/d/x'"
	  LEADS("@/top-secret/x") },
	/* unless the first file names a path that is outside; */
	{ "include \"@/top-secret/../out.rules\";", "", "" },
	{ "include \"@/side.link\";", "", "" },
	/* one that leads back is right. */
	{ IN, "include \"../back\"; map m is from \"up/top/map\";",
	  "top/d/up/top/map:1:1: error: " NO_MAP },
	{ IN, "hosts from \"mine\";", "top/d/mine:1:1: error: " NO_LINE },
	/* Lists and maps may be outside, and are not shown, */
	{ IN, "map m is from \"map\";", "top/d/map:1:1: error: " HIDDEN },
	{ "map m is from \"d/map\";", "", "top/d/map:1:1: error: " HIDDEN },
	/* unless the first file names a path that is outside. */
	{ "map m is from \"../secret.map\";", "",
	  "top/../secret.map:1:1: error: " NO_MAP },
	{ "map m is from \"@/secret.map\";", "",
	  "@/secret.map:1:1: error: " NO_MAP },
	{ IN, "map m is from \"../map\";", "top/d/../map:1:1: error: " NO_MAP },
	/* No file is shown that does not begin like rules. */
	{ IN, "server.password=x", NONE("1:1") },
	{ IN, "host=db;password=x", NONE("1:1") },
	{ IN, "; x", NONE("1:1") },
	{ IN, "{ \"a\": 1 }", NONE("1:1") },
	{ IN, "server { }", NONE("1:1") },
	{ IN, "map\xff", NONE("1:1") },
	{ IN, "\n # x\n  root:$6$x y {}", NONE("3:3") },
	{ "$6$x;", "", "top/main.rules:1:1: error: " NO_RULES },
	{ "map=x", "", "top/main.rules:1:1: error: " NO_RULES },
	/* No file is shown that begins with an item only by chance. */
	{ IN, "default login bob password hunter2",
	  WORD("1:9", "'{' or 'use'") },
	{ IN, "host all use md5 x; y {}",
	  WORD("1:18", "';'") WORD("1:21", ITEM) },
	{ IN, "include \"none\" [x];\nhost \"p",
	  DOUBTED("1:16") DOUBTED("1:9") DOUBTED("2:6") },
	{ IN, "hosts [x];\nhost a { x }", DOUBTED("1:7")
	  "top/d/in.rules:2:10: error: unexpected 'x', expected '}' or a "
	  "statement\n" },
	{ IN, "host a { x }", "top/d/in.rules:1:10: error: unexpected 'x', "
	  "expected '}' or a statement\n" },
	/* An answer takes no file of another folder, nor after a link. */
	{ ANSWER("../secrets"), "",
	  "top/main.rules:1:30: error: 'top/../secrets'" OUTSIDE },
	{ IN, ANSWER("../../secrets"),
	  "top/d/in.rules:1:30: error: 'top/d/../../secrets'" OUTSIDE },
	{ IN, ANSWER("x"), "top/d/in.rules:1:30: error: 'top/d/x'"
	  LEADS("@/top-secret/x") },
	{ IN, ANSWER("dir/x"), "top/d/in.rules:1:30: error: 'top/d/dir/x'"
	  LEADS("@/top-secret/x") },
	/* The link is found if the file was read for a list before, too. */
	{ IN, "list l is from \"x\"; " ANSWER("x"),
	  "top/d/in.rules:1:50: error: 'top/d/x'" LEADS("@/top-secret/x") },
	{ ANSWER("d/fifo"), "", "top/main.rules:1:30: error: can't read "
	  "'top/d/fifo': it is not a regular file\n" },
};

UNIT_LOOP(test_parse_shows_no_text_of_files_that_are_not_for_rules,
    UNIT_COUNT(reached))
{
	struct fm_model *model = parse_top(reached[_i].first,
	    reached[_i].included, reached[_i].said);

	fm_model_free(&model);
}

static const struct {
	const char	*first, *included;
	const char	*body;
} bodies[] = {
	{ IN, ANSWER("../none"), "" },
	/* The first file may follow a link, and an included one inside. */
	{ ANSWER("@/byte"), "", "x" },
	{ ANSWER("d/x"), "", "x" },
	{ IN, ANSWER("y"), "y" },
};

static struct fm_text
body_of(const struct fm_model *model)
{
	const struct fm_stmt *stmt = model->always->first;

	ck_assert_int_eq(stmt->kind, FM_STMT_ANSWER);
	return (stmt->answer.body);
}

UNIT_LOOP(test_answer_takes_a_file_that_is_for_rules, UNIT_COUNT(bodies))
{
	struct fm_model *model;

	model = parse_top(bodies[_i].first, bodies[_i].included, "");
	unit_assert_text(body_of(model), bodies[_i].body);
	fm_model_free(&model);
}

UNIT_TEST(test_answer_takes_all_bytes_of_a_file_up_to_a_limit)
{
	static char bytes[65536 + 1] = "a\0b\n\"${url}\"\\\xff";
	struct fm_model *model;

	folder_write("main.rules", ANSWER("large"));
	folder_write_bytes("large", bytes, sizeof bytes - 1);
	model = parse_file("main.rules", "");
	ck_assert(fm_text_eq(body_of(model), fm_text(bytes, 65536)));
	fm_model_free(&model);
	folder_write_bytes("large", bytes, sizeof bytes);
	check_main("main.rules:1:30: error: can't read 'large': it has more "
	    "than 65536 bytes\n");
}

/* Nothing asks where the files of a backup are, or were. */
UNIT_TEST(test_answer_of_an_included_file_comes_from_a_backup)
{
	struct fm_sources *sources = fm_sources_new(true), *restored;
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	folder_write("main.rules", "include \"in.rules\";");
	folder_write("in.rules", ANSWER("x"));
	folder_write("x", "x");
	model = fm_parse_file("main.rules", sources, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_int_eq(fm_sources_save(sources, "copy", diag), 0);
	fm_model_free(&model);
	fm_sources_free(&sources);
	ck_assert_int_eq(unlink("x"), 0);
	restored = fm_sources_restore("copy", "main.rules", diag);
	ck_assert_ptr_nonnull(restored);
	model = fm_parse_file("main.rules", restored, diag);
	ck_assert_ptr_nonnull(model);
	unit_says(diag, "");
	unit_assert_text(body_of(model), "x");
	fm_model_free(&model);
	fm_sources_free(&restored);
}

/*--------------------------------------------------------------------
 * Limits
 */

#define MANY	"more than 10000 files of 'include' and 'from': put several " \
		"into one\n"

/* Writes main.rules: n times a line, with a number for '#', then a text. */
static void
write_main(unsigned n, const char *line, const char *more)
{
	FILE *f = fopen("main.rules", "w");
	const char *number = strchr(line, '#');
	unsigned i;

	ck_assert_ptr_nonnull(f);
	for (i = 0; i < n; i++)
		if (number == NULL)
			(void)fprintf(f, "%s\n", line);
		else
			(void)fprintf(f, "%.*s%u%s\n", (int)(number - line),
			    line, i, number + 1);
	(void)fputs(more, f);
	ck_assert_int_eq(fclose(f), 0);
}

#define LIST	"list l# is from \"l\";"

static const struct {
	unsigned	n;
	const char	*line, *more;
	const char	*said;
} many[] = {
	/* A file that isn't there counts, as it is looked for. */
	{ FM_LIMIT_FILES + 1, "include \"none*\";", "",
	  "main.rules:10001:9: error: " MANY },
	/* Files of all kinds count together; it is said once. */
	{ FM_LIMIT_FILES - 3, LIST, "include \"inc\"; hosts from \"h\";",
	  "" },
	{ FM_LIMIT_FILES - 3, LIST, "include \"inc\";\nhosts from \"h\"; "
	  "list n is from \"l\"; list o is from \"l\";",
	  "main.rules:9999:32: error: " MANY },
	{ FM_LIMIT_FILES, LIST, "include \"inc\"; hosts from \"h\";",
	  "main.rules:10001:9: error: " MANY },
	/* All that a glob finds are among them. */
	{ FM_LIMIT_FILES - 10, LIST, "include \"d/?\";", "" },
	{ FM_LIMIT_FILES - 10, LIST, "include \"d/*\";",
	  "main.rules:9991:9: error: " MANY },
};

UNIT_LOOP(test_include_and_from_have_the_limit_of_files, UNIT_COUNT(many))
{
	char name[40];
	unsigned i;

	ck_assert_int_eq(mkdir("d", 0700), 0);
	for (i = 0; i < 11; i++) {
		(void)snprintf(name, sizeof name, "d/%u", i);
		folder_write(name, "");
	}
	folder_write("l", "a\n");
	folder_write("inc", "map m is from \"m\";");
	folder_write("m", "a -> b\n");
	folder_write("h", "a.example r\n");
	write_main(many[_i].n, many[_i].line, many[_i].more);
	check_main(many[_i].said);
}

/*
 * glob(3) takes a frame of the stack for each folder after the first
 * wildcard, and looks into the same folders again where dots lead up.
 */
UNIT_TEST(test_include_has_limits_of_globs)
{
	char text[100], name[40];
	size_t i, len;

	for (i = FM_LIMIT_FOLDERS; i <= FM_LIMIT_FOLDERS + 1; i++) {
		len = (size_t)sprintf(text, "include \"");
		for (; len < 2 * i + 9; len += 2)
			memcpy(text + len, "*/", 2);
		(void)strcpy(text + len, "x\";");
		folder_write("main.rules", text);
		check_main(i == FM_LIMIT_FOLDERS ? "" :
		    "main.rules:1:9: error: a glob of more than 4095 bytes, or "
		    "with more than 16 folders after its first wildcard: "
		    "write them out\n");
	}
	/* The glob visits the folders of d over and over: a million in all. */
	ck_assert_int_eq(mkdir("d", 0700), 0);
	for (i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof name, "d/%zu", i);
		ck_assert_int_eq(mkdir(name, 0700), 0);
	}
	for (; i < 800; i++) {
		(void)snprintf(name, sizeof name, "d/%zu", i);
		folder_write(name, "");
	}
	folder_write("main.rules", "include \"d/*/../x*\";");
	check_main("");
	folder_write("main.rules", "include \"d/*/../x*\";\n"
	    "include \"d/*/../*/../x*\"; include \"d/*/../*/../x*\";");
	check_main("main.rules:2:9: error: with this one the globs of "
	    "'include' look at more than 1000000 entries of folders: use "
	    "fewer, and wildcards in the last part only\n");
}

/* Lists of 256 MB, of which only the length is on the disk. */
UNIT_TEST(test_files_have_a_limit_of_all_their_bytes)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_diag_message said;
	struct fm_model *model;

	folder_write("main.rules", "list a is from \"l\"; list b is from "
	    "\"l\"; list c is from \"l\"; list d is from \"l\";");
	folder_write("l", "");
	ck_assert_int_eq(truncate("l", FM_LISTFILE_MAX), 0);
	model = fm_parse_file("main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	/* The lists that fit have a line that is too long. */
	ck_assert_uint_eq(fm_diag_errors(diag), 4);
	ck_assert(fm_diag_message(diag, 3, &said));
	ck_assert_str_eq(said.text, "can't read 'l': all files together would "
	    "have more than 1024 MB: use fewer or smaller ones");
	fm_model_free(&model);
	fm_diag_free(&diag);
}

/* The model says that all others were read: ten million take a gigabyte. */
UNIT_TEST(test_hosts_have_a_limit)
{
	const struct fm_place at = { .name = "h", .line = 7, .column = 2 };
	struct fm_parse parse = { .nstmts = 0 };
	struct fm_model *model;

	folder_write("main.rules", "host a.example { }");
	model = parse_file("main.rules", "");
	parse.model = model;
	parse.diag = fm_diag_new();
	model->nhosts = FM_LIMIT_HOSTS;
	ck_assert_ptr_null(fm_add_host(&parse, &at));
	ck_assert_ptr_null(fm_add_host(&parse, &at));
	ck_assert_uint_eq(model->nhosts, FM_LIMIT_HOSTS);
	ck_assert_uint_eq(fm_diag_errors(parse.diag), 1);
	ck_assert_str_eq(fm_diag_line(parse.diag, 0), "h:7:2: error: more "
	    "than 10000000 host patterns: use '*.NAME' for all hosts of a "
	    "domain");
	model->nhosts = 1;
	fm_diag_free(&parse.diag);
	fm_model_free(&model);
}

int
main(void)
{
	TCase *tc = unit_case("parse_files", 60);

	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("parse_files", tc));
}
