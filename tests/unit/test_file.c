/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files, read whole: their sizes, and what can be wrong with them.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "file.h"
#include "folder.h"

#define TEST_PATH	"text"

/* Writes a file of len bytes, none of which is like its neighbours. */
static void
write_bytes(size_t len)
{
	FILE *f = fopen(TEST_PATH, "w");
	size_t i;

	ck_assert_ptr_nonnull(f);
	for (i = 0; i < len; i++)
		ck_assert_int_ne(fputc((int)(i * 7 % 251), f), EOF);
	ck_assert_int_eq(fclose(f), 0);
}

static void
check_fault(const char *path, size_t max, const struct fm_place *asked,
    const char *expect)
{
	struct fm_diag *diag = fm_diag_new();

	ck_assert_ptr_null(fm_file_read(path, max, asked, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	ck_assert_str_eq(fm_diag_line(diag, 0), expect);
	fm_diag_free(&diag);
	ck_assert_ptr_null(fm_file_read(path, max, asked, NULL));
}

/* Around the sizes that are asked for in one piece. */
static const size_t sizes[] = {
	0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 100000
};

UNIT_LOOP(test_file_has_all_bytes_whatever_its_size, UNIT_COUNT(sizes))
{
	struct fm_file *file;
	size_t i;

	write_bytes(sizes[_i]);
	file = fm_file_read(TEST_PATH, 100000, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(file->bytes);
	ck_assert_uint_eq(file->len, sizes[_i]);
	ck_assert_int_eq(file->st.st_size, (off_t)sizes[_i]);
	for (i = 0; i < file->len; i++)
		if ((unsigned char)file->bytes[i] != i * 7 % 251)
			ck_abort_msg("byte %zu is wrong", i);
	fm_file_free(&file);
	ck_assert_ptr_null(file);
}

UNIT_TEST(test_file_of_the_limit_is_read_and_one_byte_more_is_refused)
{
	struct fm_file *file;
	char line[256];

	write_bytes(5000);
	file = fm_file_read(TEST_PATH, 5000, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(file->len, 5000);
	fm_file_free(&file);
	(void)snprintf(line, sizeof line,
	    "%s: error: can't read: it has more than 4999 bytes", TEST_PATH);
	check_fault(TEST_PATH, 4999, NULL, line);
	ck_assert_int_eq(truncate(TEST_PATH, (64L << 20) + 1), 0);
	(void)snprintf(line, sizeof line,
	    "%s: error: can't read: it has more than 64 MB", TEST_PATH);
	check_fault(TEST_PATH, 64UL << 20, NULL, line);
}

/* stat() says that files in /proc have 0 bytes. */
UNIT_TEST(test_file_that_claims_to_be_empty_is_held_to_the_limit)
{
	const char *path = "/proc/self/status";
	struct fm_file *file;
	struct stat st;

	if (stat(path, &st) != 0 || st.st_size != 0)
		return;
	file = fm_file_read(path, 1UL << 20, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(file->len, 100);
	fm_file_free(&file);
	check_fault(path, 100, NULL,
	    "/proc/self/status: error: can't read: "
	    "it has more than 100 bytes");
}

UNIT_TEST(test_file_fault_is_reported_where_the_file_is_named)
{
	const struct fm_place asked = {
		.name = "site.rules", .line = 3, .column = 9
	};
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char line[256];

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_lt(strlen(TEST_PATH), sizeof sun.sun_path);
	strcpy(sun.sun_path, TEST_PATH);

	(void)snprintf(line, sizeof line,
	    "site.rules:3:9: error: can't read '%s': %s", TEST_PATH,
	    strerror(ENOENT));
	check_fault(TEST_PATH, 10, &asked, line);
	(void)snprintf(line, sizeof line, "%s: error: can't read: %s",
	    TEST_PATH, strerror(ENOENT));
	check_fault(TEST_PATH, 10, NULL, line);
	(void)snprintf(line, sizeof line,
	    "site.rules:3:9: error: can't read '%s': it is a directory",
	    ".");
	check_fault(".", 10, &asked, line);
	check_fault("/dev/null", 10, &asked, "site.rules:3:9: error: "
	    "can't read '/dev/null': it is not a regular file");
	ck_assert_int_eq(mkfifo(TEST_PATH, 0600), 0);
	(void)snprintf(line, sizeof line,
	    "%s: error: can't read: it is not a regular file", TEST_PATH);
	check_fault(TEST_PATH, 10, NULL, line);
	ck_assert_int_eq(unlink(TEST_PATH), 0);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&sun, sizeof sun),
	    0);
	(void)snprintf(line, sizeof line, "%s: error: can't read: %s",
	    TEST_PATH, strerror(ENXIO));
	check_fault(TEST_PATH, 10, NULL, line);
	(void)close(fd);
	ck_assert_int_eq(unlink(TEST_PATH), 0);
	write_bytes(1);
	ck_assert_int_eq(chmod(TEST_PATH, 0), 0);
	(void)snprintf(line, sizeof line, "%s: error: can't read: %s",
	    TEST_PATH, strerror(EACCES));
	if (geteuid() != 0)	/* who may read everything */
		check_fault(TEST_PATH, 10, NULL, line);
}

UNIT_TEST(test_file_leaves_no_descriptor_open)
{
	struct fm_file *file;
	int before, after;

	write_bytes(10);
	before = open("/dev/null", O_RDONLY);
	(void)close(before);
	file = fm_file_read(TEST_PATH, 10, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	fm_file_free(&file);
	ck_assert_ptr_null(fm_file_read(TEST_PATH, 9, NULL, NULL));
	ck_assert_ptr_null(fm_file_read(".", 9, NULL, NULL));
	after = open("/dev/null", O_RDONLY);
	(void)close(after);
	ck_assert_int_eq(before, after);
}

int
main(void)
{
	TCase *tc = unit_case("file", 60);

	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("file", tc));
}
