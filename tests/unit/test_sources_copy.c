/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The copy of all that was read: what comes back.
 */

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "rules_load.h"
#include "sources_all.h"
#include "unit.h"

#define READ_MAX	100000

/* Everything that is in a folder, by number and not by name. */
static unsigned
folder_count(const char *path)
{
	struct dirent **entries;
	int i, n = scandir(path, &entries, NULL, NULL);

	ck_assert_int_ge(n, 2);
	for (i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return ((unsigned)n - 2);
}

static void
must_save(const struct fm_sources *sources, const char *copy)
{
	struct fm_diag *diag = fm_diag_new();

	ck_assert_msg(fm_sources_save(sources, copy, diag) == 0, "%s",
	    fm_diag_line(diag, 0));
	ck_assert_ptr_null(fm_diag_line(diag, 0));
	fm_diag_free(&diag);
}

static struct fm_sources *
must_restore(const char *copy, const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_sources *sources = fm_sources_restore(copy, path, diag);

	ck_assert_msg(sources != NULL, "%s", fm_diag_line(diag, 0));
	ck_assert_ptr_null(fm_diag_line(diag, 0));
	fm_diag_free(&diag);
	return (sources);
}

static void
read_one(struct fm_sources *sources, const char *path)
{
	struct fm_file *file;

	file = fm_sources_read(sources, path, READ_MAX, NULL, NULL);
	if (file != NULL)
		fm_file_free(&file);
}

/*--------------------------------------------------------------------
 * Files that come back
 */

static const char * const round_paths[] = { "a", "empty", "new\nline",
	"end 0123", "d/one.x", "d/two.x", "none", "d" };
#define NROUND		(sizeof round_paths / sizeof round_paths[0])
#define NFILES		(NROUND - 2)		/* the others fail */

static void
write_random(const char *path, unsigned max)
{
	static char bytes[READ_MAX];
	unsigned i, n = max == 0 ? 0 : 1 + unit_below(max);

	for (i = 0; i < n; i++)
		bytes[i] = unit_below(4) == 0 ? '\n' : (char)unit_below(256);
	folder_write_bytes(path, bytes, n);
}

static void
compare_files(struct fm_sources *one, struct fm_sources *two)
{
	const struct fm_source *s, *t;
	struct fm_file *file, *g;
	size_t i;

	for (i = 0; (s = unit_file(one, i)) != NULL; i++) {
		t = unit_file(two, i);
		ck_assert_ptr_nonnull(t);
		ck_assert_str_eq(s->path, t->path);
		ck_assert_int_eq(s->error, t->error);
		ck_assert_mem_eq(s->hash, t->hash, sizeof s->hash);
		file = fm_sources_read(one, s->path, READ_MAX, NULL, NULL);
		g = fm_sources_read(two, s->path, READ_MAX, NULL, NULL);
		ck_assert_int_eq(file == NULL, s->error != 0);
		ck_assert_int_eq(file == NULL, g == NULL);
		if (file == NULL)
			continue;
		ck_assert(fm_text_eq(fm_text(file->bytes, file->len),
		    fm_text(g->bytes, g->len)));
		ck_assert(s->st.st_dev == g->st.st_dev &&
		    s->st.st_ino == g->st.st_ino &&
		    s->st.st_size == g->st.st_size &&
		    s->st.st_mtim.tv_sec == t->st.st_mtim.tv_sec &&
		    s->st.st_mtim.tv_nsec == t->st.st_mtim.tv_nsec);
		fm_file_free(&file);
		fm_file_free(&g);
	}
	ck_assert_ptr_null(unit_file(two, i));
}

static void
compare_glob(struct fm_sources *sources, const char *pattern,
    const char * const *expect)
{
	const char * const *paths;
	size_t i, n;

	ck_assert_int_eq(unit_glob(sources, pattern, &paths, &n), 0);
	for (i = 0; expect[i] != NULL; i++)
		ck_assert_str_eq(paths[i], expect[i]);
	ck_assert_uint_eq(n, i);
	ck_assert_ptr_null(paths[i]);
}

UNIT_TEST(test_copy_gives_back_all_bytes_whatever_is_on_the_disk)
{
	static const char * const found[] = { "d/one.x", "d/two.x", NULL };
	static const char * const nothing[] = { NULL };
	char digest[FM_DIGEST_LEN], other[FM_DIGEST_LEN], expect[100];
	struct fm_sources *sources, *restored, *twice;
	struct fm_diag *diag = fm_diag_new();
	const char * const *paths;
	unsigned round;
	size_t i, n;

	unit_seed("test_sources_copy");
	ck_assert_int_eq(mkdir("copies", 0700), 0);
	for (round = 0; round < 50; round++) {
		ck_assert_int_eq(mkdir("d", 0700), 0);
		for (i = 0; i < NFILES; i++)
			write_random(round_paths[i], i == 1 ? 0 :
			    round == 0 ? READ_MAX - 1 : 30);
		sources = fm_sources_new(true);
		for (i = 0; i < NROUND; i++)
			read_one(sources, round_paths[i]);
		compare_glob(sources, "d/*.x", found);
		compare_glob(sources, "z*", nothing);
		must_save(sources, "copies/copy");
		ck_assert_uint_eq(folder_count("copies"), 1);
		for (i = 0; i < NFILES; i++)
			ck_assert_int_eq(unlink(round_paths[i]), 0);
		ck_assert_int_eq(rmdir("d"), 0);

		restored = must_restore("copies/copy", "a");
		compare_files(sources, restored);
		compare_glob(restored, "d/*.x", found);
		compare_glob(restored, "z*", nothing);
		ck_assert_str_eq(fm_sources_digest(sources, digest),
		    fm_sources_digest(restored, other));
		ck_assert(fm_sources_failed(restored));
		/* A file that nothing asked for is not there. */
		folder_write("other", "");
		ck_assert_ptr_null(fm_sources_read(restored, "other", READ_MAX,
		    NULL, diag));
		compare_glob(restored, "*", nothing);
		ck_assert_int_eq(unlink("other"), 0);
		/* A copy of a copy. */
		must_save(restored, "copies/copy");
		twice = must_restore("copies/copy", "a");
		compare_files(sources, twice);
		fm_sources_free(&twice);
		fm_sources_free(&restored);
		fm_sources_free(&sources);
	}
	(void)snprintf(expect, sizeof expect, "other: error: can't read: %s",
	    strerror(ENOENT));
	ck_assert_str_eq(fm_diag_line(diag, 0), expect);
	fm_diag_free(&diag);
	/* Errors of globs too. */
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	sources = fm_sources_new(true);
	read_one(sources, "loop");
	(void)unit_glob(sources, "loop/*", &paths, &n);
	must_save(sources, "copies/copy");
	fm_sources_free(&sources);
	ck_assert_int_eq(unlink("loop"), 0);
	restored = must_restore("copies/copy", "loop");
	ck_assert_int_eq(unit_glob(restored, "loop/*", &paths, &n),
	    ELOOP);
	fm_sources_free(&restored);
}

UNIT_TEST(test_copy_is_never_what_is_seen_but_may_be_the_same_again)
{
	struct fm_sources *sources = fm_sources_new(true), *restored, *again;

	folder_write("a", "one");
	read_one(sources, "a");
	must_save(sources, "copy");
	restored = must_restore("copy", "a");
	ck_assert_uint_ne(fm_sources_seen(restored),
	    fm_sources_fingerprint(restored));
	again = fm_sources_again(restored);
	ck_assert_ptr_nonnull(again);
	ck_assert_uint_eq(fm_sources_seen(again),
	    fm_sources_fingerprint(again));
	fm_sources_free(&again);
	folder_write("a", "two");
	ck_assert_ptr_null(fm_sources_again(restored));
	fm_sources_free(&restored);
	fm_sources_free(&sources);
}

/*--------------------------------------------------------------------
 * Rules
 */

/* Writes to text what is said of rules, and their hosts with places. */
static void
load_rules(struct fm_sources *sources, char *text, size_t room)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = NULL;
	struct fm_program *program;
	FILE *f = fmemopen(text, room, "w");
	const char *line;
	unsigned n;
	size_t i;

	program = fm_rules_load("site.rules", NULL, sources, &model, diag);
	fprintf(f, "%s\n", program == NULL ? "refused" : "accepted");
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		fprintf(f, "%s\n", line);
	for (i = 0; i < model->nhosts; i++)
		fprintf(f, "%s %s:%u:%u\n", model->hosts[i].pattern.b,
		    model->hosts[i].at.name, model->hosts[i].at.line,
		    model->hosts[i].at.column);
	fprintf(f, "%u\n", model->lists->lines->matches->operands.count);
	ck_assert_int_lt(ftell(f), (long)room - 1);
	ck_assert_int_eq(fclose(f), 0);
	if (program != NULL)
		fm_program_free(&program);
	fm_model_free(&model);
	fm_diag_free(&diag);
}

/* broken: the check looks into the files once more, for names. */
static void
rules_come_back(bool broken)
{
	struct fm_sources *sources = fm_sources_new(true), *restored;
	char before[2000], after[2000];

	folder_write("site.rules", "include \"d/*.rules\";\n"
	    "list l is from \"d/l.list\";\nlist m is { unused }\n"
	    "hosts from \"d/h.hosts\";\nruleset r { pass; }\n");
	ck_assert_int_eq(mkdir("d", 0700), 0);
	folder_write("d/a.rules", "host a.example { when path in l { } }\n");
	folder_write("d/b.rules", broken ? "oops" : "host b.example { }");
	folder_write("d/l.list", "x\ny\n");
	folder_write("d/h.hosts", "c.example r\n*.example r\n");
	load_rules(sources, before, sizeof before);
	must_save(sources, "copy");
	fm_sources_free(&sources);
	ck_assert_uint_eq(folder_empty("d"), 4);
	ck_assert_int_eq(mkdir("d/a.rules", 0700), 0);
	folder_write("d/c.rules", "host never.example { }");
	ck_assert_int_eq(unlink("site.rules"), 0);
	restored = must_restore("copy", "site.rules");
	load_rules(restored, after, sizeof after);
	ck_assert_str_eq(before, after);
	ck_assert_ptr_nonnull(strstr(before, broken ? "refused" : "accepted"));
	ck_assert_ptr_nonnull(strstr(before, "*.example d/h.hosts:2:1\n"));
	fm_sources_free(&restored);
	(void)folder_empty(".");
}

UNIT_TEST(test_copy_of_rules_makes_the_same_rules)
{
	rules_come_back(false);
	rules_come_back(true);
}

/*--------------------------------------------------------------------
 * A copy that can't be written
 */

static void
must_fail(const struct fm_sources *sources, const char *copy,
    const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	char line[600];

	ck_assert_int_eq(fm_sources_save(sources, copy, diag), -1);
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	(void)snprintf(line, sizeof line, "%s: error: %s", copy, expect);
	ck_assert_str_eq(fm_diag_line(diag, 0), line);
	fm_diag_free(&diag);
}

UNIT_TEST(test_copy_that_cannot_be_written_leaves_the_old_one)
{
	struct fm_sources *sources = fm_sources_new(true), *restored;
	struct rlimit limit;
	static char large[READ_MAX];
	struct stat st;

	folder_write("a", "text");
	read_one(sources, "a");
	ck_assert_int_eq(mkdir("copies", 0700), 0);
	ck_assert_int_eq(mkdir("copies/folder", 0700), 0);
	must_save(sources, "copies/copy");
	ck_assert_int_eq(stat("copies/copy", &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	must_fail(sources, "none/copy", "can't make a file next to it: "
	    "No such file or directory");
	must_fail(sources, "a/copy", "can't make a file next to it: "
	    "Not a directory");
	must_fail(sources, "copies/folder", "can't put a new one in its "
	    "place: Is a directory");
	must_fail(sources, "", "can't put a new one in its place: "
	    "No such file or directory");
	if (geteuid() != 0) {
		ck_assert_int_eq(chmod("copies", 0500), 0);
		must_fail(sources, "copies/copy", "can't make a file next to "
		    "it: Permission denied");
		ck_assert_int_eq(chmod("copies", 0700), 0);
	} else {
		printf("SKIP a folder that can't be written: this is root\n");
	}
	/* A limit of the file size stands for a full disk. */
	memset(large, 'x', sizeof large);
	folder_write_bytes("b", large, sizeof large);
	read_one(sources, "b");
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 50000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	must_fail(sources, "copies/copy", "can't write: File too large");
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	/* Nothing is left over, and what was there is whole. */
	ck_assert_uint_eq(folder_count("copies"), 2);
	ck_assert_uint_eq(folder_count("copies/folder"), 0);
	ck_assert_uint_eq(folder_count("."), 3);
	restored = must_restore("copies/copy", "a");
	fm_sources_free(&restored);
	must_save(sources, "copies/copy");
	restored = must_restore("copies/copy", "a");
	compare_files(sources, restored);
	fm_sources_free(&restored);
	fm_sources_free(&sources);
}

/* The length alone is so large: what is kept stays small. */
UNIT_TEST(test_copy_of_more_than_its_limit_is_refused)
{
	struct fm_sources *sources = fm_sources_new(true), *restored;
	struct fm_source *b;

	folder_write("a", "text");
	folder_write("b", "");
	read_one(sources, "a");
	read_one(sources, "b");
	b = (struct fm_source *)(uintptr_t)unit_file(sources, 1);
	b->len = (512UL << 20) - strlen("text");
	must_save(sources, "copy");
	b->len++;
	must_fail(sources, "copy", "no copy is made of files that have more "
	    "than 512 MB");
	ck_assert_uint_eq(folder_count("."), 3);
	restored = must_restore("copy", "a");
	fm_sources_free(&restored);
	fm_sources_free(&sources);
}

int
main(void)
{
	TCase *tc = unit_case("sources_copy", 120);

	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("sources_copy", tc));
}
