/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * List files: what a line is, and what can be wrong with a file.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "listfile.h"
#include "unit.h"

static char test_dir[64];
static char test_path[80];

static void
setup_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(test_dir, sizeof test_dir, "%.30s/listfile.XXXXXX",
	    tmp != NULL && strlen(tmp) <= 30 ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(test_dir));
	(void)snprintf(test_path, sizeof test_path, "%s/list", test_dir);
}

static void
teardown_dir(void)
{
	(void)unlink(test_path);
	(void)rmdir(test_path);
	ck_assert_int_eq(rmdir(test_dir), 0);
}

static void
write_file(const void *bytes, size_t len)
{
	FILE *f = fopen(test_path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
}

/* What reading complains about, in one line. */
static void
check_unreadable(const char *path, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	char line[256];

	ck_assert_ptr_null(fm_listfile_read(path, NULL, NULL, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	(void)snprintf(line, sizeof line, "%s: error: can't read: %s", path,
	    expect);
	ck_assert_str_eq(fm_diag_line(diag, 0), line);
	fm_diag_free(&diag);
	ck_assert_ptr_null(fm_listfile_read(path, NULL, NULL, NULL));
}

START_TEST(test_listfile_gives_entries_and_their_lines)
{
	static const char text[] =
	    "first\n"
	    "\n"
	    "# comment\n"
	    " \t # comment\n"
	    " \t \r\n"
	    "\r\n"
	    "  second word\t\r\n"
	    "third # not a comment\r\r\n"
	    "a\rb\n"
	    "\xef\xbb\xbf" "fifth\n"
	    "last";
	static const struct {
		const char	*line;
		unsigned	number;
		unsigned	column;
	} expect[] = {
		{ "first", 1, 1 },
		{ "second word", 7, 3 },
		{ "third # not a comment", 8, 1 },
		{ "a\rb", 9, 1 },
		{ "\xef\xbb\xbf" "fifth", 10, 1 },
		{ "last", 11, 1 },
	};
	struct fm_diag *diag = fm_diag_new();
	struct fm_listfile *list;
	struct fm_text line;
	struct fm_place place;
	size_t i;

	write_file(text, sizeof text - 1);
	list = fm_listfile_read(test_path, NULL, NULL, diag);
	ck_assert_ptr_nonnull(list);
	/* what is there is read once */
	write_file("other\n", 6);
	for (i = 0; i < sizeof expect / sizeof expect[0]; i++) {
		ck_assert(fm_listfile_next(list, &line, &place, diag));
		unit_assert_text(line, expect[i].line);
		ck_assert_str_eq(place.name, test_path);
		ck_assert_uint_eq(place.line, expect[i].number);
		ck_assert_uint_eq(place.column, expect[i].column);
		ck_assert_uint_eq(place.call, 0);
	}
	ck_assert(!fm_listfile_next(list, &line, &place, diag));
	ck_assert(!fm_listfile_next(list, &line, &place, diag));
	fm_listfile_free(&list);
	ck_assert_ptr_null(list);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	fm_diag_free(&diag);
}
END_TEST

/* A file, and its only entry; NULL: it has none. */
static const struct {
	const char	*text;
	const char	*entry;
} single_cases[] = {
	{ "", NULL },
	{ "\n", NULL },
	{ "\r", NULL },
	{ "#", NULL },
	{ "  ", NULL },
	{ "\xef\xbb\xbf", NULL },
	{ "\xef\xbb\xbf#x", NULL },
	{ "\xef\xbb\xbf x \n", "x" },
	{ "\xef\xbb", "\xef\xbb" },
	{ "x", "x" },
	{ "x\n", "x" },
	{ "x\r", "x" },
	{ "x\r \r\n", "x" },
	{ "x\n\n\n", "x" },
	{ "\n\nx", "x" },
	{ "\rx", "\rx" },
};

START_TEST(test_listfile_finds_the_only_entry)
{
	struct fm_listfile *list;
	struct fm_text line;
	struct fm_place place;

	write_file(single_cases[_i].text, strlen(single_cases[_i].text));
	list = fm_listfile_read(test_path, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(list);
	if (single_cases[_i].entry != NULL) {
		ck_assert(fm_listfile_next(list, &line, &place, NULL));
		unit_assert_text(line, single_cases[_i].entry);
	}
	ck_assert(!fm_listfile_next(list, &line, &place, NULL));
	fm_listfile_free(&list);
}
END_TEST

START_TEST(test_listfile_passes_over_malformed_entries_and_says_so)
{
	size_t max = FM_LISTFILE_LINE_MAX, len = 0, i;
	char *text = malloc(4 * max);
	struct fm_diag *diag = fm_diag_new();
	struct fm_listfile *list;
	struct fm_text line;
	struct fm_place place;

	ck_assert_ptr_nonnull(text);
	memcpy(text + len, "a\0b\n#\0\n  ", 9);
	len += 9;
	for (i = 0; i < max; i++)
		text[len++] = 'x';
	memcpy(text + len, " \r\n", 3);
	len += 3;
	for (i = 0; i < max + 1; i++)
		text[len++] = 'y';
	text[len++] = '\n';
	text[len++] = '#';
	for (i = 0; i < max + 1; i++)
		text[len++] = 'z';
	memcpy(text + len, "\nend", 4);
	len += 4;
	write_file(text, len);
	free(text);
	list = fm_listfile_read(test_path, NULL, NULL, diag);
	ck_assert_ptr_nonnull(list);
	ck_assert(fm_listfile_next(list, &line, &place, diag));
	ck_assert_uint_eq(line.len, max);
	ck_assert_int_eq(line.b[0], 'x');
	ck_assert_uint_eq(place.line, 3);
	ck_assert(fm_listfile_next(list, &line, &place, diag));
	unit_assert_text(line, "end");
	ck_assert_uint_eq(place.line, 6);
	ck_assert(!fm_listfile_next(list, &line, &place, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 2);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0),
	    "list:1:1: error: the line has a NUL byte"));
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 1),
	    "list:4:1: error: a line of 65537 bytes"));
	fm_listfile_free(&list);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(test_listfile_reads_more_than_one_buffer)
{
	struct fm_listfile *list;
	struct fm_text line;
	struct fm_place place;
	char expect[32];
	unsigned i;
	FILE *f = fopen(test_path, "w");

	ck_assert_ptr_nonnull(f);
	for (i = 1; i <= 100000; i++)
		(void)fprintf(f, "entry %u\n", i);
	ck_assert_int_eq(fclose(f), 0);
	list = fm_listfile_read(test_path, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(list);
	for (i = 1; i <= 100000; i++) {
		(void)snprintf(expect, sizeof expect, "entry %u", i);
		if (!fm_listfile_next(list, &line, &place, NULL) ||
		    !fm_text_eq(line, fm_text_of(expect)) || place.line != i)
			ck_abort_msg("line %u is wrong", i);
	}
	ck_assert(!fm_listfile_next(list, &line, &place, NULL));
	fm_listfile_free(&list);
}
END_TEST

/* The sizes around those that are asked for in one piece. */
START_TEST(test_listfile_reads_files_of_any_size)
{
	struct fm_listfile *list;
	struct fm_text line;
	struct fm_place place;
	char text[8200];
	size_t len = (size_t)(_i < 5 ? 4094 + _i : 8190 + _i - 5);

	memset(text, 'x', sizeof text);
	write_file(text, len);
	list = fm_listfile_read(test_path, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(list);
	ck_assert(fm_listfile_next(list, &line, &place, NULL));
	ck_assert_uint_eq(line.len, len);
	ck_assert(!fm_listfile_next(list, &line, &place, NULL));
	fm_listfile_free(&list);
}
END_TEST

/*
 * A regular file whose size is said to be 0, and which comes in pieces: the
 * memory of this process, many times cut in two, by ascending address.
 */
START_TEST(test_listfile_reads_in_pieces_what_claims_to_be_empty)
{
	const char *path = "/proc/self/maps";
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i, n = 0, bytes = 0;
	unsigned long start, end, last = 0;
	struct fm_listfile *list;
	struct fm_text line;
	struct fm_place place;
	struct stat st;
	char text[512], *p;

	if (stat(path, &st) != 0 || st.st_size != 0)
		return;
	p = mmap(NULL, 600 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	for (i = 0; i < 600; i += 2)
		ck_assert_int_eq(mprotect(p + i * page, page, PROT_READ), 0);
	list = fm_listfile_read(path, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(list);
	while (fm_listfile_next(list, &line, &place, NULL)) {
		(void)snprintf(text, sizeof text, "%.*s", (int)line.len,
		    line.b);
		if (sscanf(text, "%lx-%lx ", &start, &end) != 2 ||
		    start < last || end <= start)
			ck_abort_msg("\"%s\" after %lx", text, last);
		last = end;
		bytes += line.len;
		n++;
	}
	ck_assert_uint_gt(n, 600);
	ck_assert_uint_gt(bytes, 4 * page);
	fm_listfile_free(&list);
	ck_assert_int_eq(munmap(p, 600 * page), 0);
}
END_TEST

START_TEST(test_listfile_says_why_a_file_cannot_be_read)
{
	check_unreadable("", strerror(ENOENT));
	check_unreadable(test_path, strerror(ENOENT));
	check_unreadable(test_dir, "it is a directory");
	check_unreadable("/dev/null", "it is not a regular file");
	ck_assert_int_eq(symlink(test_path, test_path), 0);
	check_unreadable(test_path, strerror(ELOOP));
	ck_assert_int_eq(unlink(test_path), 0);
	write_file("x", 1);
	ck_assert_int_eq(chmod(test_path, 0), 0);
	if (geteuid() != 0)	/* who may read everything */
		check_unreadable(test_path, strerror(EACCES));
}
END_TEST

START_TEST(test_listfile_does_not_wait_for_a_fifo)
{
	ck_assert_int_eq(mkfifo(test_path, 0600), 0);
	check_unreadable(test_path, "it is not a regular file");
}
END_TEST

START_TEST(test_listfile_refuses_a_socket)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_lt(strlen(test_path), sizeof sun.sun_path);
	strcpy(sun.sun_path, test_path);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&sun, sizeof sun),
	    0);
	check_unreadable(test_path, strerror(ENXIO));
	(void)close(fd);
}
END_TEST

START_TEST(test_listfile_names_the_limit_of_a_file_above_it)
{
	int fd = open(test_path, O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)FM_LISTFILE_MAX + 1), 0);
	check_unreadable(test_path, "it has more than 256 MB");
	(void)close(fd);
}
END_TEST

START_TEST(test_listfile_leaves_no_descriptor_open)
{
	struct fm_listfile *list;
	int before, after;

	write_file("x", 1);
	before = open("/dev/null", O_RDONLY);
	(void)close(before);
	list = fm_listfile_read(test_path, NULL, NULL, NULL);
	ck_assert_ptr_nonnull(list);
	fm_listfile_free(&list);
	ck_assert_ptr_null(fm_listfile_read(test_dir, NULL, NULL, NULL));
	ck_assert_ptr_null(fm_listfile_read("/dev/null", NULL, NULL, NULL));
	after = open("/dev/null", O_RDONLY);
	(void)close(after);
	ck_assert_int_eq(before, after);
}
END_TEST

static const struct pair_case {
	const char	*line;
	const char	*key;
	const char	*value;		/* NULL: missing */
} arrow_cases[] = {
	{ "key -> value", "key", "value" },
	{ "key\t->\tvalue", "key", "value" },
	{ "a key   ->   a value", "a key", "a value" },
	{ "key", "key", NULL },
	{ "", "", NULL },
	{ "key->value", "key->value", NULL },
	{ "key ->value", "key ->value", NULL },
	{ "key-> value", "key-> value", NULL },
	{ "a->b -> c", "a->b", "c" },
	{ "a -> b -> c", "a", "b -> c" },
	{ "key ->", "key", "" },
	{ "-> value", "", "value" },
	{ "->", "", "" },
	{ "key -", "key -", NULL },
	{ "key >", "key >", NULL },
	{ "- > -", "- > -", NULL },
	{ "a -x b", "a -x b", NULL },
	{ "a x> b", "a x> b", NULL },
	{ "a --> b", "a --> b", NULL },
};

static const struct pair_case word_cases[] = {
	{ "key value", "key", "value" },
	{ "key\t value", "key", "value" },
	{ "key several words", "key", "several words" },
	{ "key", "key", NULL },
	{ "", "", NULL },
	{ "key -> value", "key", "-> value" },
};

static void
check_pair(const struct pair_case *c,
    void split(struct fm_text, struct fm_text *, struct fm_text *))
{
	struct fm_text line = unit_copy(fm_text_of(c->line)), key, value;

	split(line, &key, &value);
	unit_assert_text(key, c->key);
	if (c->value != NULL) {
		ck_assert_ptr_nonnull(value.b);
		unit_assert_text(value, c->value);
	} else {
		ck_assert_ptr_null(value.b);
		ck_assert_uint_eq(value.len, 0);
	}
	free((void *)(uintptr_t)line.b);
}

START_TEST(test_listfile_splits_at_the_first_arrow_with_blanks)
{
	check_pair(&arrow_cases[_i], fm_listfile_arrow);
}
END_TEST

START_TEST(test_listfile_splits_at_the_first_blank)
{
	check_pair(&word_cases[_i], fm_listfile_word);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("listfile");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup_dir, teardown_dir);
	tcase_add_test(tc, test_listfile_gives_entries_and_their_lines);
	tcase_add_loop_test(tc, test_listfile_finds_the_only_entry, 0,
	    (int)(sizeof single_cases / sizeof single_cases[0]));
	tcase_add_test(tc,
	    test_listfile_passes_over_malformed_entries_and_says_so);
	tcase_add_test(tc, test_listfile_reads_more_than_one_buffer);
	tcase_add_loop_test(tc, test_listfile_reads_files_of_any_size, 0, 10);
	tcase_add_test(tc,
	    test_listfile_reads_in_pieces_what_claims_to_be_empty);
	tcase_add_test(tc, test_listfile_says_why_a_file_cannot_be_read);
	tcase_add_test(tc, test_listfile_does_not_wait_for_a_fifo);
	tcase_add_test(tc, test_listfile_refuses_a_socket);
	tcase_add_test(tc, test_listfile_names_the_limit_of_a_file_above_it);
	tcase_add_test(tc, test_listfile_leaves_no_descriptor_open);
	tcase_add_loop_test(tc,
	    test_listfile_splits_at_the_first_arrow_with_blanks, 0,
	    (int)(sizeof arrow_cases / sizeof arrow_cases[0]));
	tcase_add_loop_test(tc, test_listfile_splits_at_the_first_blank, 0,
	    (int)(sizeof word_cases / sizeof word_cases[0]));
	return (unit_run("listfile", tc));
}
