/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sources: what is remembered of files and globs, and what changes.  The naive
 * twin asks for everything with plain calls and compares texts.
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "folder.h"
#include "sources_all.h"
#include "unit.h"

#define READ_MAX	1000

/*--------------------------------------------------------------------
 * Reading
 */

/* Reads and compares; expect: what is said, where it is not a content. */
static void
check_read(struct fm_sources *sources, const char *path, bool good,
    const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	const struct fm_place at = { .name = "t", .line = 1, .column = 2 };
	struct fm_file *file;

	file = fm_sources_read(sources, path, READ_MAX, &at, diag);
	if (good) {
		ck_assert_msg(file != NULL, "%s", fm_diag_line(diag, 0));
		unit_assert_text(fm_text(file->bytes, file->len), expect);
		fm_file_free(&file);
	} else {
		ck_assert_ptr_null(file);
		ck_assert_uint_eq(fm_diag_errors(diag), 1);
		ck_assert_str_eq(fm_diag_line(diag, 0), expect);
	}
	fm_diag_free(&diag);
}

UNIT_TEST(test_sources_that_keep_give_the_same_bytes_again)
{
	struct fm_sources *sources = fm_sources_new(true);

	folder_write("a", "one");
	folder_write("empty", "");
	check_read(sources, "a", true, "one");
	check_read(sources, "empty", true, "");
	folder_write("a", "two");
	ck_assert_int_eq(unlink("empty"), 0);
	check_read(sources, "a", true, "one");
	check_read(sources, "empty", true, "");
	ck_assert(!fm_sources_failed(sources));
	fm_sources_free(&sources);
}

UNIT_TEST(test_sources_that_keep_nothing_tell_of_a_change)
{
	struct fm_sources *sources = fm_sources_new(false);
	static const char changed[] = "t:1:2: error: can't read 'a': it has "
	    "changed while it was read; load it again when it is written";

	folder_write("a", "one");
	check_read(sources, "a", true, "one");
	check_read(sources, "a", true, "one");
	folder_write("a", "two");
	check_read(sources, "a", false, changed);
	folder_write("a", "one");
	check_read(sources, "a", true, "one");
	ck_assert_int_eq(unlink("a"), 0);
	check_read(sources, "a", false, changed);
	fm_sources_free(&sources);
}

UNIT_TEST(test_sources_remember_what_could_not_be_read)
{
	static const struct {
		const char	*path, *why;
		int		error;
	} faults[] = {
		{ "none", "No such file or directory", ENOENT },
		{ "none/none", "No such file or directory", ENOENT },
		{ "good/none", "Not a directory", ENOTDIR },
		{ "dangling", "No such file or directory", ENOENT },
		{ "loop", "Too many levels of symbolic links", ELOOP },
		{ "folder", "it is a directory", EISDIR },
		{ "fifo", "it is not a regular file", EOPNOTSUPP },
		{ "large", "it has more than 1000 bytes", EFBIG },
		{ "/proc/self/mem", "Input/output error", EIO }
	};
	char expect[200], text[READ_MAX + 2];
	const struct fm_source *source;
	struct fm_sources *sources, *other;
	size_t i, round;

	folder_write("good", "good");
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(mkdir("folder", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	memset(text, 'x', READ_MAX + 1);
	text[READ_MAX + 1] = '\0';
	folder_write("large", text);
	for (i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		sources = fm_sources_new(i % 2 == 0);
		check_read(sources, "good", true, "good");
		ck_assert(!fm_sources_failed(sources));
		(void)snprintf(expect, sizeof expect,
		    "t:1:2: error: can't read '%s': %s", faults[i].path,
		    faults[i].why);
		for (round = 0; round < 2; round++)
			check_read(sources, faults[i].path, false, expect);
		ck_assert(fm_sources_failed(sources));
		ck_assert_uint_eq(fm_sources_fingerprint(sources),
		    fm_sources_seen(sources));
		source = unit_file(sources, 1);
		ck_assert_ptr_nonnull(source);
		ck_assert_str_eq(source->path, faults[i].path);
		ck_assert_int_eq(source->error, faults[i].error);
		ck_assert_uint_eq(source->len, 0);
		ck_assert_ptr_null(unit_file(sources, 2));
		other = fm_sources_again(sources);
		ck_assert_ptr_nonnull(other);
		ck_assert(fm_sources_failed(other));
		fm_sources_free(&other);
		fm_sources_free(&sources);
	}
	/* A file stays what it was, for the sources that have read it. */
	sources = fm_sources_new(false);
	check_read(sources, "none", false, "t:1:2: error: can't read 'none': "
	    "No such file or directory");
	folder_write("none", "");
	check_read(sources, "none", false, "t:1:2: error: can't read 'none': "
	    "No such file or directory");
	ck_assert_uint_ne(fm_sources_fingerprint(sources),
	    fm_sources_seen(sources));
	ck_assert_ptr_null(fm_sources_again(sources));
	fm_sources_free(&sources);
}

/* The file was read before it became too large. */
UNIT_TEST(test_sources_read_again_no_more_than_is_allowed)
{
	struct fm_sources *sources = fm_sources_new(true);
	struct fm_diag *diag = fm_diag_new();
	struct fm_file *file;

	folder_write("f", "abc");
	check_read(sources, "f", true, "abc");
	file = fm_sources_read(sources, "f", 3, NULL, diag);
	ck_assert_ptr_nonnull(file);
	fm_file_free(&file);
	ck_assert_ptr_null(fm_sources_read(sources, "f", 2, NULL, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	fm_diag_free(&diag);
	fm_sources_free(&sources);
}

/*--------------------------------------------------------------------
 * Globs
 */

UNIT_TEST(test_sources_glob_gives_files_sorted_by_bytes)
{
	static const char * const expect[] = { "d/10.x", "d/9.x", "d/B.x",
	    "d/_.x", "d/a.x", "d/dangling.x", NULL };
	struct fm_sources *sources = fm_sources_new(false);
	const char * const *paths;
	size_t i, n;

	ck_assert_int_eq(mkdir("d", 0700), 0);
	ck_assert_int_eq(mkdir("d/folder.x", 0700), 0);
	ck_assert_int_eq(mkfifo("d/fifo.x", 0600), 0);
	for (i = 0; expect[i + 1] != NULL; i++)
		folder_write(expect[i], "");
	ck_assert_int_eq(symlink("nowhere", "d/dangling.x"), 0);
	ck_assert_int_eq(unit_glob(sources, "d/*.x", &paths, &n), 0);
	for (i = 0; expect[i] != NULL; i++)
		ck_assert_str_eq(paths[i], expect[i]);
	ck_assert_uint_eq(n, i);
	ck_assert_ptr_null(paths[n]);
	/* The same again, whatever is there now. */
	ck_assert_int_eq(unlink("d/a.x"), 0);
	ck_assert_int_eq(unit_glob(sources, "d/*.x", &paths, &n), 0);
	ck_assert_uint_eq(n, i);
	/* There are as many files, but others. */
	ck_assert_ptr_null(fm_sources_again(sources));
	folder_write("d/a.x", "");
	ck_assert_uint_eq(fm_sources_fingerprint(sources),
	    fm_sources_seen(sources));
	ck_assert_int_eq(rename("d/9.x", "d/8.x"), 0);
	ck_assert_uint_ne(fm_sources_fingerprint(sources),
	    fm_sources_seen(sources));
	ck_assert_ptr_null(fm_sources_again(sources));
	fm_sources_free(&sources);
}

UNIT_TEST(test_sources_glob_tells_a_folder_that_is_wrong_from_none)
{
	struct fm_sources *sources = fm_sources_new(false), *other;
	const char * const *paths;
	size_t n;

	folder_write("f", "");
	ck_assert_int_eq(unit_glob(sources, "none/*", &paths, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_ptr_null(paths[0]);
	ck_assert_int_eq(unit_glob(sources, "f/*", &paths, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert(!fm_sources_failed(sources));
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(unit_glob(sources, "loop/*", &paths, &n),
	    ELOOP);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(unit_glob(sources, "loop/*", &paths, &n),
	    ELOOP);
	ck_assert(fm_sources_failed(sources));
	ck_assert_uint_eq(fm_sources_fingerprint(sources),
	    fm_sources_seen(sources));
	other = fm_sources_again(sources);
	ck_assert_ptr_nonnull(other);
	fm_sources_free(&other);
	ck_assert_int_eq(unlink("loop"), 0);
	ck_assert_uint_ne(fm_sources_fingerprint(sources),
	    fm_sources_seen(sources));
	ck_assert_ptr_null(fm_sources_again(sources));
	fm_sources_free(&sources);
}

/* Writes a random text of a few of these parts. */
static void
random_of(char *to, size_t room, const char * const *parts, unsigned n)
{
	unsigned count = 1 + unit_below(6);

	for (*to = '\0'; count > 0 && strlen(to) + 4 < room; count--)
		(void)strcat(to, parts[unit_below(n)]);
}

/* The twin is glob(3) of this system. */
UNIT_TEST(test_sources_glob_agrees_with_that_of_the_system)
{
	static const char * const names[] = { "a", "b", "[", "*", ".", "\\" };
	static const char * const parts[] = { "a", "b", "[", "*", ".", "\\",
	    "?", "]", "/", "[ab]", "!", "-", "*", "/", "..", "d" };
	char name[40], pattern[80];
	struct fm_sources *sources;
	const char * const *paths;
	unsigned round, some = 0;
	struct stat st;
	glob_t found;
	size_t i, n, m;

	unit_seed("glob");
	ck_assert_int_eq(mkdir("a", 0700), 0);
	ck_assert_int_eq(mkdir("a/b", 0700), 0);
	ck_assert_int_eq(mkdir("ab", 0700), 0);
	ck_assert_int_eq(symlink("a", "d"), 0);
	for (round = 0; round < 60; round++) {
		(void)strcpy(name, unit_below(2) ? "a/" : unit_below(2) ?
		    "a/b/" : "");
		random_of(name + strlen(name), 12, names, 6);
		if (stat(name, &st) != 0)
			folder_write(name, "");
	}
	for (round = 0; round < unit_rounds(20000, 10); round++) {
		random_of(pattern, sizeof pattern, parts, 16);
		/* Systems differ in a slash or a backslash at an end. */
		if (strstr(pattern, "\\/") != NULL ||
		    strchr("/\\", pattern[strlen(pattern) - 1]) != NULL)
			continue;
		sources = fm_sources_new(false);
		if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
			found.gl_pathc = 0;
		for (i = m = 0; i < found.gl_pathc; i++)
			m += lstat(found.gl_pathv[i], &st) == 0 &&
			    (stat(found.gl_pathv[i], &st) != 0 ||
			    S_ISREG(st.st_mode));
		if (m < 99) {
			ck_assert_int_eq(unit_glob(sources, pattern, &paths,
			    &n), 0);
			ck_assert_msg(n == m, "%s: %zu, not %zu", pattern, n,
			    m);
			some += n > 0;
			for (i = 0; i < n; i++)
				ck_assert_int_eq(lstat(paths[i], &st), 0);
		}
		globfree(&found);
		fm_sources_free(&sources);
	}
	ck_assert_uint_gt(some, round / 20);
}

/*--------------------------------------------------------------------
 * Digests
 */

static void
digest_of(const char *folder, const char * const *paths,
    char digest[FM_DIGEST_LEN])
{
	struct fm_sources *sources = fm_sources_new(unit_below(2) == 0);
	struct fm_file *file;
	char path[100];

	for (; *paths != NULL; paths++) {
		(void)snprintf(path, sizeof path, "%s/%s", folder, *paths);
		file = fm_sources_read(sources, path, READ_MAX, NULL, NULL);
		if (file != NULL)
			fm_file_free(&file);
	}
	ck_assert_ptr_eq(fm_sources_digest(sources, digest), digest);
	ck_assert_uint_eq(strlen(digest), FM_DIGEST_LEN - 1);
	ck_assert_uint_eq(strspn(digest, "0123456789abcdef"),
	    FM_DIGEST_LEN - 1);
	fm_sources_free(&sources);
}

UNIT_TEST(test_sources_digest_is_of_the_bytes_and_not_of_the_names)
{
	/* Pairs of folder and names: each line has another digest. */
	static const char * const names[][5] = {
		{ NULL }, { "a", NULL }, { "b", NULL }, { "ab", NULL },
		{ "a", "b", NULL }, { "b", "a", NULL }, { "empty", NULL },
		{ "a", "empty", NULL }, { "empty", "a", NULL },
		{ "none", NULL }, { "a", "none", NULL },
		{ "none", "a", NULL }, { "none", "none2", NULL },
		{ "abc", "b", NULL }, { "ab", "cb", NULL }
	};
	enum { N = sizeof names / sizeof names[0] };
	char one[N][FM_DIGEST_LEN], two[FM_DIGEST_LEN], path[20];
	static const char * const text[] = { "a", "b", "ab", "abc", "cb" };
	size_t i, k;

	unit_seed("test_sources");
	ck_assert_int_eq(mkdir("one", 0700), 0);
	ck_assert_int_eq(mkdir("two", 0700), 0);
	for (i = 0; i < 5; i++)
		for (k = 0; k < 2; k++) {
			(void)snprintf(path, sizeof path, "%s/%s",
			    k == 0 ? "one" : "two", text[i]);
			folder_write(path, text[i]);
		}
	folder_write("one/empty", "");
	folder_write("two/empty", "");
	for (i = 0; i < N; i++) {
		digest_of("one", names[i], one[i]);
		digest_of("two", names[i], two);
		ck_assert_str_eq(one[i], two);
		for (k = 0; k < i; k++)
			ck_assert_str_ne(one[i], one[k]);
	}
}

/*--------------------------------------------------------------------
 * Without memory
 */

UNIT_TEST(test_sources_survive_any_allocation_that_fails)
{
	struct fm_sources *sources, *other;
	const struct fm_source *found;
	struct fm_diag *diag;
	struct fm_file *file;
	bool failed = true;
	size_t n;
	long k;
	int error;

	folder_write("a.x", "a");
	folder_write("b.x", "b");
	for (k = 0; failed; k++) {
		ck_assert_int_lt(k, 1000);
		diag = fm_diag_new();
		alloc_left = k;
		sources = fm_sources_new(true);
		other = NULL;
		file = NULL;
		error = 0;
		n = 8;
		if (sources != NULL) {
			found = fm_sources_glob(sources, "*.x");
			error = found == NULL ? ENOMEM : found->error;
			n = found == NULL ? 0 : found->len;
			file = fm_sources_read(sources, "a.x", 10, NULL, diag);
			other = fm_sources_again(sources);
		}
		failed = alloc_left == 0;
		alloc_left = -1;
		ck_assert(error == 0 || error == ENOMEM);
		ck_assert_uint_eq(n, error == 0 ? 8 : 0);
		ck_assert(sources == NULL || (file != NULL) ==
		    (fm_diag_errors(diag) == 0));
		ck_assert(failed || other != NULL);
		if (sources != NULL) {
			ck_assert_int_eq(fm_sources_failed(sources),
			    file == NULL || error != 0);
			fm_sources_free(&sources);
		}
		if (file != NULL)
			fm_file_free(&file);
		if (other != NULL)
			fm_sources_free(&other);
		fm_diag_free(&diag);
	}
}

int
main(void)
{
	TCase *tc = unit_case("sources", 60);

	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("sources", tc));
}
