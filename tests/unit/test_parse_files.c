/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parser and files: includes, `from`, and memory that is not to be had.
 */

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "listfile.h"
#include "parse_priv.h"
#include "unit.h"

/*--------------------------------------------------------------------
 * Memory: the n-th allocation fails, and all after it or none
 */

static size_t alloc_count, alloc_fails;	/* fails: 0: none */
static bool alloc_all;

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);

static bool
alloc_fail(void)
{
	alloc_count++;
	return (alloc_fails > 0 && (alloc_count == alloc_fails ||
	    (alloc_all && alloc_count > alloc_fails)));
}

void *
__wrap_malloc(size_t n)
{
	return (alloc_fail() ? NULL : __real_malloc(n));
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return (alloc_fail() ? NULL : __real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t n)
{
	return (alloc_fail() ? NULL : __real_realloc(p, n));
}

/*--------------------------------------------------------------------
 * A folder of its own, in which each test stands
 */

static char test_dir[64];

static void
setup_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(test_dir, sizeof test_dir, "%.30s/parse.XXXXXX",
	    tmp != NULL && strlen(tmp) <= 30 ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(test_dir));
	ck_assert_int_eq(chdir(test_dir), 0);
}

static void
empty_dir(const char *path)
{
	char name[600];
	struct dirent *entry;
	DIR *dir = opendir(path);

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		(void)snprintf(name, sizeof name, "%s/%s", path,
		    entry->d_name);
		if (unlink(name) != 0) {
			empty_dir(name);
			ck_assert_int_eq(rmdir(name), 0);
		}
	}
	(void)closedir(dir);
}

static void
teardown_dir(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	empty_dir(test_dir);
	ck_assert_int_eq(rmdir(test_dir), 0);
}

static void
write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* Parses main.rules and compares all that is said of it. */
static struct fm_model *
parse_main(const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	char got[4000] = "";
	const char *line;
	unsigned n;

	model = fm_parse_file("main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++) {
		ck_assert_uint_lt(strlen(got) + strlen(line) + 2, sizeof got);
		(void)strcat(strcat(got, line), "\n");
	}
	ck_assert_str_eq(got, expect);
	ck_assert_uint_eq(fm_diag_errors(diag), n);
	fm_diag_free(&diag);
	return (model);
}

static void
check_main(const char *expect)
{
	struct fm_model *model = parse_main(expect);

	fm_model_free(&model);
}

/* The hosts of a model, in order, with the names of their files. */
static void
check_hosts(const struct fm_model *model, const char *expect)
{
	char got[4000] = "";
	size_t i;

	for (i = 0; i < model->nhosts; i++)
		(void)snprintf(got + strlen(got), sizeof got - strlen(got),
		    "%s@%s:%u:%u ", model->hosts[i].pattern.b,
		    model->hosts[i].at.name, model->hosts[i].at.line,
		    model->hosts[i].at.column);
	ck_assert_str_eq(got, expect);
}

/*--------------------------------------------------------------------
 * include
 */

START_TEST(test_include_stands_for_the_text_of_its_file)
{
	struct fm_model *model;
	const struct fm_source_file *file;
	struct stat st;

	ck_assert_int_eq(mkdir("d", 0700), 0);
	write_file("main.rules",
	    "host a { }\ninclude \"d/b.rules\";\nhost e { }\n");
	write_file("d/b.rules",
	    "host b { }\n  include \"c.rules\"; host d { }");
	write_file("d/c.rules", "\n host c { }");
	model = parse_main("");
	check_hosts(model, "a@main.rules:1:6 b@d/b.rules:1:6 "
	    "c@d/c.rules:2:7 d@d/b.rules:2:27 e@main.rules:3:6 ");
	file = model->files;
	ck_assert_str_eq(file->name, "main.rules");
	ck_assert_int_eq(stat("main.rules", &st), 0);
	ck_assert_uint_eq(file->ino, st.st_ino);
	ck_assert_uint_eq(file->dev, st.st_dev);
	ck_assert_str_eq(file->next->name, "d/b.rules");
	ck_assert_str_eq(file->next->next->name, "d/c.rules");
	ck_assert_ptr_null(file->next->next->next);
	fm_model_free(&model);
}
END_TEST

START_TEST(test_include_of_an_absolute_path_is_that_path)
{
	struct fm_model *model;
	char text[200], expect[200];

	(void)snprintf(text, sizeof text, "include \"%s/b.rules\";", test_dir);
	write_file("main.rules", text);
	write_file("b.rules", "host b { }");
	model = parse_main("");
	(void)snprintf(expect, sizeof expect, "b@%s/b.rules:1:6 ", test_dir);
	check_hosts(model, expect);
	fm_model_free(&model);
}
END_TEST

#define OUTSIDE	" is outside of the folder of the first file: only the first "\
		"file may include it, by a path that begins with '/'\n"

/* The first file is top/main.rules, and test_dir has what is not for it. */
static void
check_outside(const char *first, const char *included, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	char got[1000] = "";
	const char *line;
	unsigned n;

	write_file("top/main.rules", first);
	write_file("top/d/in.rules", included);
	model = fm_parse_file("top/main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		(void)snprintf(got + strlen(got), sizeof got - strlen(got),
		    "%s\n", line);
	ck_assert_str_eq(got, expect);
	fm_model_free(&model);
	fm_diag_free(&diag);
}

START_TEST(test_include_stays_in_the_folder_of_the_first_file)
{
	char text[200], expect[400];

	ck_assert_int_eq(mkdir("top", 0755), 0);
	ck_assert_int_eq(mkdir("top/d", 0755), 0);
	ck_assert_int_eq(mkdir("top/.hidden", 0755), 0);
	ck_assert_int_eq(mkdir("topless", 0755), 0);
	write_file("out.rules", "host out { }");
	write_file("top/side.rules", "host side { }");
	write_file("topless/x.rules", "host x { }");

	check_outside("include \"d/in.rules\";",
	    "include \"../side.rules\";", "");
	check_outside("include \"d/../d/in.rules\";",
	    "include \".././/side.rules\";", "");
	check_outside("include \"../out.rules\";", "",
	    "top/main.rules:1:9: error: 'top/../out.rules'" OUTSIDE);
	check_outside("include \"../topless/x.rules\";", "",
	    "top/main.rules:1:9: error: 'top/../topless/x.rules'" OUTSIDE);
	check_outside("include \"d/*.rules\";",
	    "include \"../../out.rules\"; include \"../../*.rules\";",
	    "top/d/in.rules:1:9: error: 'top/d/../../out.rules'" OUTSIDE
	    "top/d/in.rules:1:36: error: 'top/d/../../*.rules'" OUTSIDE);
	/* This glob finds `..` as well. */
	check_outside("include \".*/out.rules\";", "",
	    "top/main.rules:1:9: error: 'top/../out.rules'" OUTSIDE);

	/* An absolute path: the first file may, the others not. */
	(void)snprintf(text, sizeof text, "include \"%s/out.rules\";"
	    "include \"d/in.rules\";", test_dir);
	check_outside(text, "", "");
	(void)snprintf(text, sizeof text, "include \"%s/out.rules\";",
	    test_dir);
	(void)snprintf(expect, sizeof expect, "top/d/in.rules:1:9: error:"
	    " '%s/out.rules'" OUTSIDE, test_dir);
	check_outside("include \"d/in.rules\";", text, expect);
	(void)snprintf(text, sizeof text, "include \"%s/top/side.rules\";",
	    test_dir);
	check_outside("include \"d/in.rules\";", text, "");
}
END_TEST

#define HIDDEN	"something is wrong here; the text is not shown, as the file "\
		"is outside of the folder of the first file\n"

#define DOUBTED(at)	"top/d/in.rules:" at ": error: something is wrong " \
			"here; of an included file no text is shown before " \
			"one of its items is right\n"
#define ITEM		"an item (include, list, map, ruleset, always, " \
			"finally, undecided, repeated, client, host, hosts " \
			"or default)"
#define WORD(at, expected) "top/d/in.rules:" at ": error: unexpected word, " \
			"expected " expected "\n"

#define NO_RULES	"this is no rule file: it begins with none of " \
			"include, list, map, ruleset, always, finally, " \
			"undecided, repeated, client, host, hosts and default\n"
#define NONE(at)	"top/d/in.rules:" at ": error: " NO_RULES

START_TEST(test_messages_show_no_text_of_other_files)
{
	ck_assert_int_eq(mkdir("top", 0755), 0);
	ck_assert_int_eq(mkdir("top/d", 0755), 0);
	write_file("secrets", "root:$6$x y z\n");
	write_file("top/mine", "root:$6$x y z\n");

	/* The author of the first file may read what it names. */
	check_outside("hosts from \"../secrets\";", "", "top/../secrets:1:1:"
	    " error: more than a host and a ruleset on the line\n");
	check_outside("include \"d/in.rules\";", "hosts from \"../mine\";",
	    "top/d/../mine:1:1: error: more than a host and a ruleset on the"
	    " line\n");
	check_outside("include \"d/in.rules\";",
	    "hosts from \"../../secrets\";",
	    "top/d/../../secrets:1:1: error: " HIDDEN);

	/* An included file that does not begin like rules is none. */
	check_outside("include \"d/in.rules\";", "server.password=x",
	    NONE("1:1"));
	check_outside("include \"d/in.rules\";", "host=db;password=x",
	    NONE("1:1"));
	check_outside("include \"d/in.rules\";", "; x", NONE("1:1"));
	check_outside("include \"d/in.rules\";", "{ \"a\": 1 }", NONE("1:1"));
	check_outside("include \"d/in.rules\";", "server { }", NONE("1:1"));
	check_outside("include \"d/in.rules\";", "map\xff", NONE("1:1"));
	check_outside("include \"d/in.rules\";", "\n # x\n  root:$6$x y {}",
	    NONE("3:3"));
	/* Nor is one whose first word is only by chance that of an item. */
	check_outside("include \"d/in.rules\";",
	    "default login bob password hunter2", WORD("1:9", "'{' or 'use'"));
	check_outside("include \"d/in.rules\";", "host all use md5 x; y {}",
	    WORD("1:18", "';'") WORD("1:21", ITEM));
	check_outside("include \"d/in.rules\";",
	    "include \"none\" [x];\nhost \"p", DOUBTED("1:16")
	    DOUBTED("1:9") DOUBTED("2:6"));
	check_outside("include \"d/in.rules\";", "hosts [x];\nhost a { x }",
	    DOUBTED("1:7") "top/d/in.rules:2:10: error: unexpected 'x', "
	    "expected '}' or a statement\n");
	check_outside("include \"d/in.rules\";", "host a { x }",
	    "top/d/in.rules:1:10: error: unexpected 'x', "
	    "expected '}' or a statement\n");
	/* Nor is what the first file may be. */
	check_outside("$6$x;", "", "top/main.rules:1:1: error: " NO_RULES);
	check_outside("map=x", "", "top/main.rules:1:1: error: " NO_RULES);
}
END_TEST

static void
check_body(const char *first, const char *included, struct fm_text body)
{
	struct fm_diag *diag = fm_diag_new();
	const struct fm_stmt *stmt;
	struct fm_model *model;

	write_file("top/main.rules", first);
	write_file("top/d/in.rules", included);
	model = fm_parse_file("top/main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	stmt = model->always->first;
	ck_assert_int_eq(stmt->kind, FM_STMT_ANSWER);
	ck_assert(fm_text_eq(stmt->answer.body, body));
	fm_model_free(&model);
	fm_diag_free(&diag);
}

#define LINK	" is a link to what is outside of the folder of the first " \
		"file: put a copy there, or name the file in the first file\n"

#define ANSWER(path)	"always { answer 200 a/b from \"" path "\"; }"

START_TEST(test_answer_takes_a_file_as_it_is)
{
	static const char bytes[] = "a\0b\n\"${url}\"\\\xff";
	FILE *f;

	ck_assert_int_eq(mkdir("top", 0755), 0);
	ck_assert_int_eq(mkdir("top/d", 0755), 0);
	f = fopen("top/d/x", "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, sizeof bytes, 1, f), 1);
	ck_assert_int_eq(fclose(f), 0);
	write_file("top/none", "");
	check_body(ANSWER("d/x"), "", fm_text(bytes, sizeof bytes));
	check_body("include \"d/in.rules\";", ANSWER("x"),
	    fm_text(bytes, sizeof bytes));
	check_body("include \"d/in.rules\";", ANSWER("../none"),
	    fm_text("", 0));
}
END_TEST

START_TEST(test_answer_takes_no_file_of_another_folder_nor_a_large_one)
{
	char text[200], large[65537 + 1];

	ck_assert_int_eq(mkdir("top", 0755), 0);
	ck_assert_int_eq(mkdir("top/d", 0755), 0);
	write_file("secrets", "x");
	check_outside(ANSWER("../secrets"), "",
	    "top/main.rules:1:30: error: 'top/../secrets'" OUTSIDE);
	check_outside("include \"d/in.rules\";", ANSWER("../../secrets"),
	    "top/d/in.rules:1:30: error: 'top/d/../../secrets'" OUTSIDE);
	/* The first file may, and says so. */
	(void)snprintf(text, sizeof text,
	    "always { answer 200 a/b from \"%s/secrets\"; }", test_dir);
	check_body(text, "", fm_text("x", 1));
	(void)memset(large, 'x', sizeof large);
	large[65537] = '\0';
	write_file("top/d/x", large);
	check_outside(ANSWER("d/x"), "", "top/main.rules:1:30: error:"
	    " can't read 'top/d/x': it has more than 65536 bytes\n");
	large[65536] = '\0';
	write_file("top/d/x", large);
	check_body(ANSWER("d/x"), "", fm_text(large, 65536));
	ck_assert_int_eq(mkfifo("top/d/fifo", 0600), 0);
	check_outside(ANSWER("d/fifo"), "", "top/main.rules:1:30: error:"
	    " can't read 'top/d/fifo': it is not a regular file\n");
}
END_TEST

/* An included file's answer is what was opened, behind all links. */
START_TEST(test_answer_of_an_included_file_follows_no_link_to_elsewhere)
{
	ck_assert_int_eq(mkdir("top", 0755), 0);
	ck_assert_int_eq(mkdir("top/d", 0755), 0);
	ck_assert_int_eq(mkdir("top-secret", 0755), 0);
	write_file("top-secret/x", "x");
	write_file("top/y", "y");
	ck_assert_int_eq(symlink("../../top-secret/x", "top/d/x"), 0);
	ck_assert_int_eq(symlink("../../top-secret", "top/d/dir"), 0);
	ck_assert_int_eq(symlink("../y", "top/d/y"), 0);
	check_outside("include \"d/in.rules\";", ANSWER("x"),
	    "top/d/in.rules:1:30: error: 'top/d/x'" LINK);
	check_outside("include \"d/in.rules\";", ANSWER("dir/x"),
	    "top/d/in.rules:1:30: error: 'top/d/dir/x'" LINK);
	/* Also if it was read for something else before. */
	check_outside("include \"d/in.rules\";", "hosts from \"x\"; "
	    ANSWER("x"), "top/d/x:1:1: error: a host without a ruleset: "
	    "write \"host ruleset\"\n"
	    "top/d/in.rules:1:46: error: 'top/d/x'" LINK);
	check_body("include \"d/in.rules\";", ANSWER("y"), fm_text("y", 1));
	check_body(ANSWER("d/x"), "", fm_text("x", 1));
}
END_TEST

/* Of a backup nobody asks where its files are, or were. */
START_TEST(test_answer_of_an_included_file_comes_from_a_backup)
{
	struct fm_sources *sources = fm_sources_new(true), *restored;
	struct fm_diag *diag = fm_diag_new();
	const struct fm_stmt *stmt;
	struct fm_model *model;

	write_file("main.rules", "include \"in.rules\";");
	write_file("in.rules", ANSWER("x"));
	write_file("x", "x");
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
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	stmt = model->always->first;
	ck_assert(fm_text_eq(stmt->answer.body, fm_text("x", 1)));
	fm_model_free(&model);
	fm_sources_free(&restored);
	fm_diag_free(&diag);
}
END_TEST

/* The order is that of the bytes; folders and hidden files are left out. */
START_TEST(test_include_glob_reads_files_in_the_order_of_their_names)
{
	struct fm_model *model;

	ck_assert_int_eq(mkdir("sites.d", 0700), 0);
	ck_assert_int_eq(mkdir("sites.d/folder.rules", 0700), 0);
	write_file("main.rules", "include \"sites.d/*.rules\";");
	write_file("sites.d/b.rules", "host b { }");
	write_file("sites.d/a.rules", "host a { }");
	write_file("sites.d/B.rules", "host B { }");
	write_file("sites.d/_.rules", "host _ { }");
	write_file("sites.d/10.rules", "host 10 { }");
	write_file("sites.d/9.rules", "host 9 { }");
	write_file("sites.d/.c.rules", "host c { }");
	write_file("sites.d/d.rules~", "host d { }");
	ck_assert_int_eq(mkfifo("sites.d/pipe.rules", 0600), 0);
	model = parse_main("");
	check_hosts(model, "10@sites.d/10.rules:1:6 9@sites.d/9.rules:1:6 "
	    "B@sites.d/B.rules:1:6 _@sites.d/_.rules:1:6 "
	    "a@sites.d/a.rules:1:6 b@sites.d/b.rules:1:6 ");
	fm_model_free(&model);
}
END_TEST

/* All of it, once each, also what is not there. */
START_TEST(test_parse_reads_all_files_through_the_sources)
{
	static const char * const paths[] = { "main.rules", "d/*.inc",
	    "d/a.inc", "d/a.txt", "none.rules", "d/l.list", "d/none.list" };
	struct fm_sources *sources = fm_sources_new(false);
	struct fm_diag *diag = fm_diag_new();
	const struct fm_source *source;
	struct fm_model *model;
	uint64_t seen;
	size_t i = 0;

	ck_assert_int_eq(mkdir("d", 0700), 0);
	write_file("main.rules", "include \"d/*.inc\"; "
	    "include \"none.rules\"; list l is from \"d/l.list\"; "
	    "list m is from \"d/l.list\"; list n is from \"d/none.list\";");
	write_file("d/a.inc", "host a { answer 200 a/b from \"a.txt\"; }");
	write_file("d/a.txt", "x");
	write_file("d/l.list", "x\n");
	model = fm_parse_file("main.rules", sources, diag);
	ck_assert_ptr_nonnull(model);
	for (source = fm_sources_first(sources); source != NULL;
	    source = source->next, i++) {
		ck_assert_str_eq(source->path, paths[i]);
		ck_assert_int_eq(source->glob, i == 1);
		ck_assert_int_eq(source->error,
		    strstr(paths[i], "none") != NULL ? ENOENT : 0);
	}
	ck_assert_uint_eq(i, sizeof paths / sizeof paths[0]);
	seen = fm_sources_seen(sources);
	ck_assert_uint_eq(seen, fm_sources_look(sources));
	write_file("d/b.inc", "");
	ck_assert_uint_ne(seen, fm_sources_look(sources));
	fm_model_free(&model);
	fm_sources_free(&sources);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(test_include_glob_may_find_nothing)
{
	struct fm_model *model;

	write_file("main.rules", "include \"*.none\";\n"
	    "include \"nowhere/*.rules\";\ninclude \"main.rules/*\";\n");
	model = parse_main("");
	ck_assert_uint_eq(model->nhosts, 0);
	fm_model_free(&model);
}
END_TEST

/* The folder's own name is no pattern. */
START_TEST(test_include_glob_takes_its_folder_as_it_is)
{
	struct fm_model *model;
	struct fm_diag *diag = fm_diag_new();

	ck_assert_int_eq(mkdir("[ab]*", 0700), 0);
	ck_assert_int_eq(mkdir("a", 0700), 0);
	write_file("[ab]*/main.rules", "include \"*.inc\"; "
	    "list l is from \"l*\";");
	write_file("[ab]*/x.inc", "host right { }");
	write_file("[ab]*/l*", "x");
	write_file("a/x.inc", "host wrong { }");
	model = fm_parse_file("[ab]*/main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_ptr_null(fm_diag_line(diag, 0));
	check_hosts(model, "right@[ab]*/x.inc:1:6 ");
	fm_model_free(&model);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(test_include_glob_finds_a_link_that_leads_nowhere)
{
	ck_assert_int_eq(mkdir("d", 0700), 0);
	ck_assert_int_eq(symlink("nowhere", "d/link.rules"), 0);
	write_file("main.rules", "include \"d/*.rules\";\n");
	check_main("main.rules:1:9: error: can't read 'd/link.rules': "
	    "No such file or directory\n");
}
END_TEST

START_TEST(test_parse_of_a_file_that_is_not_there_is_an_error)
{
	check_main("main.rules: error: can't read: "
	    "No such file or directory\n");
}
END_TEST

/* What isn't there counts: each is looked for. */
START_TEST(test_include_has_a_limit_of_what_finds_nothing)
{
	static const char * const names[] = { "none", "none*" };
	struct fm_model *model;
	struct fm_diag *diag;
	const char *last;
	unsigned i, k, n;
	FILE *f;

	for (k = 0; k < 2; k++) {
		f = fopen("main.rules", "w");
		ck_assert_ptr_nonnull(f);
		for (i = 0; i <= FM_LIMIT_FILES + 10; i++)
			(void)fprintf(f, "include \"%s\";\n", names[k]);
		ck_assert_int_eq(fclose(f), 0);
		diag = fm_diag_new();
		model = fm_parse_file("main.rules", NULL, diag);
		n = fm_diag_errors(diag);
		ck_assert_uint_eq(n, k == 0 ? FM_LIMIT_FILES + 1 : 1);
		last = fm_diag_line(diag, 0);
		ck_assert_str_eq(last, k == 0 ? "main.rules:1:9: error: can't "
		    "read 'none': No such file or directory" :
		    "main.rules:10001:9: error: more than 10000 files of "
		    "'include' and 'from': put several into one");
		if (model != NULL)
			fm_model_free(&model);
		fm_diag_free(&diag);
	}
}
END_TEST

/*
 * glob(3) takes a frame of the stack for each folder behind the first
 * wildcard, and looks into the same folders again where dots lead up.
 */
START_TEST(test_include_has_limits_of_globs)
{
	static const char deep[] = "main.rules:1:9: error: a glob of more than"
	    " 4095 bytes, or with more than 16 folders behind its first "
	    "wildcard: write them out\n";
	char *text = malloc(100000), name[40];
	size_t i, len;

	ck_assert_ptr_nonnull(text);
	for (i = 15; i <= 20000; i = i < 18 ? i + 1 : 10 * i) {
		len = (size_t)sprintf(text, "include \"");
		for (; len < 2 * i + 9; len += 2)
			memcpy(text + len, "*/", 2);
		(void)strcpy(text + len, "x\";");
		write_file("main.rules", text);
		check_main(i <= FM_LIMIT_FOLDERS ? "" : deep);
	}
	/* A wildcard that is the name of a folder of ours is none. */
	len = (size_t)sprintf(text, "include \"");
	for (i = 0; i < 100; i++, len += 3)
		memcpy(text + len, "\\*/", 4);
	(void)strcpy(text + len, "?\";");
	write_file("main.rules", text);
	check_main("");
	for (i = 0; i < 5000; i++)
		text[9 + i] = 'd';
	(void)strcpy(text + 9 + i, "*\";");
	write_file("main.rules", text);
	check_main(deep);
	free(text);

	/* The glob visits the folders of d over and over: a million in all. */
	ck_assert_int_eq(mkdir("d", 0700), 0);
	for (i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof name, "d/%zu", i);
		ck_assert_int_eq(mkdir(name, 0700), 0);
	}
	for (; i < 800; i++) {
		(void)snprintf(name, sizeof name, "d/%zu", i);
		write_file(name, "");
	}
	write_file("main.rules", "include \"d/*/../x*\";");
	check_main("");
	write_file("main.rules", "include \"d/*/../x*\";\n"
	    "include \"d/*/../*/../x*\"; include \"d/*/../*/../x*\";");
	check_main("main.rules:2:9: error: with this one the globs of "
	    "'include' look at more than 1000000 entries of folders: use "
	    "fewer, and wildcards in the last part only\n");
}
END_TEST

/*--------------------------------------------------------------------
 * from
 */

START_TEST(test_from_makes_operands_of_lines)
{
	const struct fm_list_line *line;
	const struct fm_word *word;
	struct fm_model *model;

	ck_assert_int_eq(mkdir("d", 0700), 0);
	write_file("main.rules", "list l nocase contains from \"d/l.list\";");
	write_file("d/l.list", "# one\n  two words \r\n\n# three\nfo\\ur\n");
	model = parse_main("");
	ck_assert(model->lists->nocase);
	line = model->lists->lines;
	ck_assert_int_eq((int)line->mode, FM_PATTERN_CONTAINS);
	ck_assert_ptr_null(line->next);
	ck_assert_uint_eq(line->operands.count, 2);
	word = line->operands.first;
	unit_assert_text(word->text, "two words");
	ck_assert_str_eq(word->at.name, "d/l.list");
	ck_assert_uint_eq(word->at.line, 2);
	ck_assert_uint_eq(word->at.column, 3);
	ck_assert(!word->quoted);
	unit_assert_text(word->next->text, "fo\\ur");
	ck_assert_uint_eq(word->next->at.line, 5);
	ck_assert_str_eq(model->files->next->name, "d/l.list");
	fm_model_free(&model);
}
END_TEST

START_TEST(test_from_makes_map_lines_and_tells_of_those_that_are_none)
{
	const struct fm_map_line *line;
	struct fm_model *model;

	write_file("main.rules", "map m ~ from \"m.map\";");
	write_file("m.map", "a b ->  c ${url}\n none\n -> d\ne ->\n"
	    "f->g -> h -> i\n");
	model = parse_main(
	    "m.map:2:2: error: a line without '->': write \"pattern -> "
	    "value\"\n"
	    "m.map:3:2: error: no pattern before '->'\n"
	    "m.map:4:1: error: no value behind '->'\n");
	line = model->maps->lines;
	ck_assert_int_eq((int)line->matches->mode, FM_PATTERN_REGEX);
	ck_assert(!line->matches->negated);
	ck_assert_ptr_null(line->matches->next);
	unit_assert_text(line->matches->operands.first->text, "a b");
	ck_assert_uint_eq(line->at.line, 1);
	/* plain text, whatever is in it */
	ck_assert_int_eq((int)line->value->parts->kind, FM_PART_TEXT);
	unit_assert_text(line->value->parts->text, "c ${url}");
	ck_assert_ptr_null(line->value->parts->next);
	ck_assert_uint_eq(line->value->at.column, 9);
	line = line->next;
	unit_assert_text(line->matches->operands.first->text, "f->g");
	unit_assert_text(line->value->raw, "h -> i");
	ck_assert_ptr_null(line->next);
	ck_assert_ptr_null(model->maps->otherwise);
	fm_model_free(&model);
}
END_TEST

START_TEST(test_from_makes_hosts_and_tells_of_lines_that_are_none)
{
	struct fm_model *model;

	write_file("main.rules", "hosts from \"h.hosts\";");
	write_file("h.hosts", "a.example shop\n\tb.example \t shop\nc.example\n"
	    "d.example shop now\n*.e.example other\n");
	model = parse_main(
	    "h.hosts:3:1: error: a host without a ruleset: write \"host "
	    "ruleset\"\n"
	    "h.hosts:4:1: error: more than a host and a ruleset on the "
	    "line\n");
	check_hosts(model, "a.example@h.hosts:1:1 b.example@h.hosts:2:2 "
	    "*.e.example@h.hosts:5:1 ");
	ck_assert_ptr_null(model->hosts[1].site);
	unit_assert_text(model->hosts[1].ruleset, "shop");
	ck_assert_uint_eq(model->hosts[1].ruleset_at.line, 2);
	ck_assert_uint_eq(model->hosts[1].ruleset_at.column, 14);
	unit_assert_text(model->hosts[2].ruleset, "other");
	fm_model_free(&model);
}
END_TEST

/* One file may serve two lists; only rule files would give hosts twice. */
START_TEST(test_from_may_name_a_file_more_than_once)
{
	write_file("main.rules", "list l is from \"l\"; list m ends from "
	    "\"l\";");
	write_file("l", "a\n");
	check_main("");
}
END_TEST

/* So many lists of one file, then what is given. */
static void
write_lists(const char *file, unsigned n, const char *more)
{
	FILE *f = fopen("main.rules", "w");
	unsigned i;

	ck_assert_ptr_nonnull(f);
	for (i = 0; i < n; i++)
		(void)fprintf(f, "list l%u is from \"%s\";\n", i, file);
	(void)fputs(more, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* Those of include are among them; it is said once. */
START_TEST(test_from_has_the_limit_of_files)
{
	write_file("l", "a\n");
	write_file("inc", "map m is from \"m\";");
	write_file("m", "a -> b\n");
	write_file("h", "a.example r\n");
	write_lists("l", FM_LIMIT_FILES - 3,
	    "include \"inc\"; hosts from \"h\";");
	check_main("");
	write_lists("l", FM_LIMIT_FILES - 3, "include \"inc\";\n"
	    "hosts from \"h\"; list n is from \"l\"; list o is from \"l\";");
	check_main("main.rules:9999:32: error: more than 10000 files of "
	    "'include' and 'from': put several into one\n");
	write_lists("l", FM_LIMIT_FILES, "include \"inc\"; hosts from \"h\";");
	check_main("main.rules:10001:9: error: more than 10000 files of "
	    "'include' and 'from': put several into one\n");
}
END_TEST

/* All that a glob finds are among them. */
START_TEST(test_include_glob_has_the_limit_of_files)
{
	char name[40];
	unsigned i;

	ck_assert_int_eq(mkdir("d", 0700), 0);
	for (i = 0; i < 10; i++) {
		(void)snprintf(name, sizeof name, "d/%u", i);
		write_file(name, "");
	}
	write_file("l", "a\n");
	write_lists("l", FM_LIMIT_FILES - 10, "include \"d/*\";");
	check_main("");
	write_file("d/more", "");
	check_main("main.rules:9991:9: error: more than 10000 files of "
	    "'include' and 'from': put several into one\n");
}
END_TEST

/* Of which nothing but its length is on the disk. */
static void
write_sparse(const char *name, off_t len)
{

	write_file(name, "");
	ck_assert_int_eq(truncate(name, len), 0);
}

#define LARGE_LISTS	(FM_LIMIT_FILES_MB / 256)
#define LARGE_REST	100

/*
 * Lists of 256 MB, the last one smaller by main.rules and LARGE_REST: so many
 * bytes are left.  What each list holds is one line that is too long.
 */
static void
write_large(const char *more)
{
	const size_t part = FM_LISTFILE_MAX;
	char text[600] = "";
	unsigned i;

	for (i = 0; i < LARGE_LISTS; i++)
		(void)snprintf(text + strlen(text),
		    sizeof text - strlen(text), "list l%u is from \"%s\";\n",
		    i, i + 1 < LARGE_LISTS ? "large" : "rest");
	ck_assert_uint_lt(strlen(text) + strlen(more), sizeof text);
	(void)strcat(text, more);
	write_file("main.rules", text);
	write_sparse("large", (off_t)part);
	write_sparse("rest", (off_t)(part - strlen(text) - LARGE_REST));
}

/* What is said behind those lines. */
static void
check_large(const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_diag_message said;
	struct fm_model *model;
	char got[400] = "";
	unsigned i;

	model = fm_parse_file("main.rules", NULL, diag);
	ck_assert_ptr_nonnull(model);
	for (i = 0; fm_diag_message(diag, i, &said); i++)
		if (i < LARGE_LISTS)
			ck_assert_msg(strncmp(said.text, "a line of ", 10)
			    == 0, "%s", said.text);
		else
			(void)snprintf(got + strlen(got),
			    sizeof got - strlen(got), "%s\n",
			    fm_diag_line(diag, i));
	ck_assert_str_eq(got, expect);
	fm_model_free(&model);
	fm_diag_free(&diag);
}

#define LARGE	"all files together would have more than 1024 MB: use fewer "\
		"or smaller ones\n"

static const struct {
	const char	*more;
	const char	*errors;
} larges[] = {
	{ "list a is from \"none\"; include \"over\"; "
	    "list b is from \"large\";",
	    "main.rules:5:16: error: can't read 'none': No such file or "
	    "directory\nmain.rules:5:32: error: can't read 'over': " LARGE },
	{ "include \"empty\"; list a is from \"fits\"; "
	    "list b is from \"large\";",
	    "main.rules:5:56: error: can't read 'large': " LARGE },
};

/*
 * To the byte, of either kind; other faults are told as ever, this one once.
 * A gigabyte takes seconds: one of the two will do if the run is not whole.
 */
START_TEST(test_files_have_a_limit_of_all_their_bytes)
{
	char text[LARGE_REST + 1];
	unsigned i, step = unit_step(2);

	unit_seed("parse_files");
	memset(text, '\n', LARGE_REST);
	text[LARGE_REST] = '\0';
	write_file("fits", text);
	write_sparse("over", LARGE_REST + 1);
	write_sparse("empty", 0);
	for (i = unit_below(step); i < 2; i += step) {
		write_large(larges[i].more);
		check_large(larges[i].errors);
	}
}
END_TEST

START_TEST(test_from_takes_a_hundred_thousand_hosts)
{
	struct fm_model *model;
	char expect[40];
	FILE *f = fopen("h", "w");
	unsigned i;

	ck_assert_ptr_nonnull(f);
	for (i = 0; i < 100000; i++)
		(void)fprintf(f, "h%u.example r%u\n", i, i % 10);
	ck_assert_int_eq(fclose(f), 0);
	write_file("main.rules", "hosts from \"h\";");
	model = parse_main("");
	ck_assert_uint_eq(model->nhosts, 100000);
	for (i = 0; i < 100000; i++) {
		(void)snprintf(expect, sizeof expect, "h%u.example", i);
		if (strcmp(model->hosts[i].pattern.b, expect) != 0 ||
		    model->hosts[i].at.line != i + 1 ||
		    model->hosts[i].ruleset.b[1] != (char)('0' + i % 10))
			ck_abort_msg("host %u is wrong", i);
	}
	fm_model_free(&model);
}
END_TEST

/* As if all the others had been read: ten million take a gigabyte. */
START_TEST(test_hosts_have_a_limit)
{
	const struct fm_place at = { .name = "h", .line = 7, .column = 2 };
	struct fm_parse parse = { .nstmts = 0 };
	struct fm_model *model;

	write_file("main.rules", "host a.example { }");
	model = parse_main("");
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
END_TEST

/*--------------------------------------------------------------------
 * Memory
 */

static void
write_everything(void)
{
	write_file("main.rules",
	    "include \"*.inc\"; include \"b.rules\";\n"
	    "list l is { a \"b\\\"c\" } list m { is a; ~ \"b\"; }\n"
	    "list n is from \"n.list\"; map p is from \"p.map\";\n"
	    "hosts from \"h.hosts\"; undecided synth 400 \"no\";\n"
	    "map o { is a and not ends b -> \"c${url}\"; default d; }\n"
	    "always { query drop a; query sort; unset B; pass;\n"
	    " normalize C to d else e; rewrite ~ \"f\" to \"g\"; backend h;\n"
	    " synth 404 \"i\"; redirect 302 \"${1}x${header.Y}\"; }\n"
	    "ruleset r { when url is a or not (path ~ b and client in ::1)\n"
	    " { set X = o(agent); } else when agent in l { stop; } }\n"
	    "host a b use r; default { pipe; } host c { pass; }\n"
	    "host d { answer 200 a/b from \"a.txt\"; answer 200 a/b \"x\"; }");
	write_file("a.txt", "x");
	write_file("a.inc", "host x { }");
	write_file("b.rules", "host y { }");
	write_file("n.list", "a\nb\n");
	write_file("p.map", "a -> b\n");
	write_file("h.hosts", "c r\nd r\n");
}

START_TEST(test_parse_without_memory_says_so_and_leaks_nothing)
{
	struct fm_diag *diag;
	struct fm_model *model;
	size_t n;
	unsigned errors;
	int all;

	write_everything();
	for (all = 0; all < 2; all++) {
		alloc_all = all != 0;
		for (n = 1;; n++) {
			diag = fm_diag_new();
			ck_assert_ptr_nonnull(diag);
			alloc_count = 0;
			alloc_fails = n;
			model = fm_parse_file("main.rules", NULL, diag);
			alloc_fails = 0;
			errors = fm_diag_errors(diag);
			fm_diag_free(&diag);
			if (alloc_count < n)
				break;
			ck_assert_uint_ge(errors, 1);
			if (model != NULL)
				fm_model_free(&model);
		}
		ck_assert_ptr_nonnull(model);
		ck_assert_uint_eq(errors, 0);
		fm_model_free(&model);
		ck_assert_uint_gt(n, 20);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("parse_files");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup_dir, teardown_dir);
	tcase_add_test(tc, test_include_stands_for_the_text_of_its_file);
	tcase_add_test(tc, test_include_of_an_absolute_path_is_that_path);
	tcase_add_test(tc,
	    test_include_stays_in_the_folder_of_the_first_file);
	tcase_add_test(tc, test_messages_show_no_text_of_other_files);
	tcase_add_test(tc, test_answer_takes_a_file_as_it_is);
	tcase_add_test(tc,
	    test_answer_takes_no_file_of_another_folder_nor_a_large_one);
	tcase_add_test(tc,
	    test_answer_of_an_included_file_follows_no_link_to_elsewhere);
	tcase_add_test(tc,
	    test_answer_of_an_included_file_comes_from_a_backup);
	tcase_add_test(tc,
	    test_include_glob_reads_files_in_the_order_of_their_names);
	tcase_add_test(tc, test_parse_reads_all_files_through_the_sources);
	tcase_add_test(tc, test_include_glob_may_find_nothing);
	tcase_add_test(tc, test_include_glob_takes_its_folder_as_it_is);
	tcase_add_test(tc, test_include_glob_finds_a_link_that_leads_nowhere);
	tcase_add_test(tc,
	    test_parse_of_a_file_that_is_not_there_is_an_error);
	tcase_add_test(tc, test_include_has_a_limit_of_what_finds_nothing);
	tcase_add_test(tc, test_include_has_limits_of_globs);
	tcase_add_test(tc, test_from_makes_operands_of_lines);
	tcase_add_test(tc,
	    test_from_makes_map_lines_and_tells_of_those_that_are_none);
	tcase_add_test(tc,
	    test_from_makes_hosts_and_tells_of_lines_that_are_none);
	tcase_add_test(tc, test_from_may_name_a_file_more_than_once);
	tcase_add_test(tc, test_from_has_the_limit_of_files);
	tcase_add_test(tc, test_include_glob_has_the_limit_of_files);
	tcase_add_test(tc, test_files_have_a_limit_of_all_their_bytes);
	tcase_add_test(tc, test_from_takes_a_hundred_thousand_hosts);
	tcase_add_test(tc, test_hosts_have_a_limit);
	tcase_add_test(tc,
	    test_parse_without_memory_says_so_and_leaks_nothing);
	return (unit_run("parse_files", tc));
}
