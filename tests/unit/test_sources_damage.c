/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The copy of all that was read: what is refused, by its digest and after it.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "folder.h"
#include "sources_all.h"
#include "unit.h"

#define READ_MAX	1000

/* Fails unless the copy is refused, with one error at the copy. */
static void
must_refuse(const char *copy, const char *path, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	char line[600];

	ck_assert_ptr_null(fm_sources_restore(copy, path, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	(void)snprintf(line, sizeof line, "%s: error: %s", copy, expect);
	if (strncmp(fm_diag_line(diag, 0), line, strlen(line)) != 0)
		ck_abort_msg("it says %s, and not %s", fm_diag_line(diag, 0),
		    line);
	fm_diag_free(&diag);
}

static void
read_one(struct fm_sources *sources, const char *path)
{
	struct fm_file *file;

	file = fm_sources_read(sources, path, READ_MAX, NULL, NULL);
	if (file != NULL)
		fm_file_free(&file);
}

/* Reads each file that the copy lists. */
static void
read_all(struct fm_sources *sources)
{
	const struct fm_source *source;
	struct fm_file *file;
	size_t i;

	for (i = 0; (source = unit_file(sources, i)) != NULL; i++) {
		file = fm_sources_read(sources, source->path, READ_MAX, NULL,
		    NULL);
		ck_assert_int_eq(file == NULL, source->error != 0);
		if (file == NULL)
			continue;
		ck_assert_int_eq((off_t)file->len, source->st.st_size);
		fm_file_free(&file);
	}
	ck_assert_uint_gt(i, 0);
}

/* A small copy, in memory. */
static size_t
small_copy(char *bytes, size_t room)
{
	struct fm_sources *sources = fm_sources_new(true);
	const char * const *paths;
	size_t n;
	FILE *f;

	folder_write("a", "some text\n");
	folder_write("b.x", "");
	read_one(sources, "a");
	read_one(sources, "none");
	(void)unit_glob(sources, "*.x", &paths, &n);
	ck_assert_int_eq(fm_sources_save(sources, "copy", NULL), 0);
	fm_sources_free(&sources);
	f = fopen("copy", "r");
	ck_assert_ptr_nonnull(f);
	n = fread(bytes, 1, room, f);
	ck_assert_uint_lt(n, room);
	ck_assert_int_eq(fclose(f), 0);
	return (n);
}

UNIT_TEST(test_copy_that_is_cut_or_changed_is_refused)
{
	static const char flips[] = { 1, 0x20, (char)0x80, (char)0xff };
	char bytes[2000], was;
	size_t i, k, len = small_copy(bytes, sizeof bytes - 1);

	for (i = 0; i < len; i++) {
		folder_write_bytes("copy", bytes, i);
		must_refuse("copy", "a", "it is damaged: ");
	}
	bytes[len] = '\n';
	folder_write_bytes("copy", bytes, len + 1);
	must_refuse("copy", "a", "it is damaged: ");
	for (i = 0; i < len; i++) {
		was = bytes[i];
		for (k = 0; k < sizeof flips; k++) {
			bytes[i] = (char)(was ^ flips[k]);
			folder_write_bytes("copy", bytes, len);
			must_refuse("copy", "a", "it is damaged: ");
		}
		bytes[i] = was;
	}
	folder_write_bytes("copy", bytes, len);
	must_refuse("copy", "b", "it is a copy of 'a', and not of 'b'");
	must_refuse("none", "a", "can't read: No such file or directory");
	must_refuse(".", "a", "can't read: it is a directory");
	folder_write("copy", "");
	must_refuse("copy", "a", "it is damaged: ");
}

/* Writes the copy with a digest that is right. */
static void
seal(const char *bytes, size_t len)
{
	XXH128_canonical_t sum;
	char text[3000];
	size_t i, n = len;

	ck_assert_uint_lt(len, sizeof text - 50);
	memcpy(text, bytes, len);
	XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, len));
	n += (size_t)sprintf(text + n, "end ");
	for (i = 0; i < sizeof sum.digest; i++)
		n += (size_t)sprintf(text + n, "%02x", sum.digest[i]);
	text[n++] = '\n';
	folder_write_bytes("copy", text, n);
}

UNIT_TEST(test_copy_that_is_forged_is_refused_or_whole)
{
	static const char * const forged[] = {
		"", "x", "# no newline", "file", "file ",
		"glob 0 0 ",
		"file 0 1 0 0 0 0 1 5\na\n12345\n",	/* more than MAX */
		"file 0 9 0 0 0 0 1 18446744073709551615\na\n\n",
		"file 0 9 0 0 0 0 1 18446744073709551616\na\n\n",
		"file 0 9 0 0 0 0 1 \na\n\n", "file 0 9 0 0 0 0 -1 1\na\n\n",
		"file 0 9 0 0 0 0 0 1\n\nx\n",		/* no path */
		"file 0 9 0 0 0 0 1 2\na\nx\n", "file 0 9 0 0 0 0 1 0\na\n\nx",
		"file 0 9 0 0 0 0 1 0\na\n\nfile 0 9 0 0 0 0 1 0\na\n\n",
		"glob 0 0 0 0 0 0 1 1000000000\n*\n\n",
		"glob 0 0 0 0 0 0 1 1\n*\na\n",	/* no NUL */
		"glob 9999 0 0 0 0 0 1 0\n*\n\n",
		"glob 0 0 0 0 0 0 1 0\n*\n\nglob 0 0 0 0 0 0 1 0\n*\n\n",
		"glob 0 0 0 0 0 0 1 0\n*\n\n"	/* and no file */
	};
	char bytes[2000], text[2000];
	size_t i, len = small_copy(bytes, sizeof bytes), at;
	unsigned round, restored = 0;
	struct fm_sources *sources;
	struct fm_diag *diag;

	unit_seed("test_sources_damage");
	for (i = 0; i < sizeof forged / sizeof forged[0]; i++) {
		(void)snprintf(text, sizeof text, "fastmatch copy 2\n%s%s",
		    forged[i], i == 2 ? "\n" : "");
		seal(text, strlen(text));
		must_refuse("copy", "a", "it is damaged: ");
	}
	seal("fastmatch copy 1\n", 17);
	must_refuse("copy", "a", "another version of fastmatch made it");
	len = len - 37;
	for (round = 0; round < 20000; round++) {
		memcpy(text, bytes, len);
		for (i = unit_below(3) + 1; i > 0; i--) {
			at = 17 + unit_below((unsigned)(len - 18));
			text[at] = unit_below(2) == 0 ?
			    "0123456789\n "[unit_below(12)] :
			    (char)unit_below(256);
		}
		seal(text, unit_below(4) == 0 ? unit_below((unsigned)len) :
		    len);
		diag = fm_diag_new();
		sources = fm_sources_restore("copy", "a", diag);
		ck_assert_uint_eq(fm_diag_errors(diag), sources == NULL);
		fm_diag_free(&diag);
		if (sources == NULL)
			continue;
		read_all(sources);
		restored++;
		fm_sources_free(&sources);
	}
	ck_assert_uint_gt(restored, 100);
	ck_assert_uint_lt(restored, 19000);
}

int
main(void)
{
	TCase *tc = unit_case("sources_damage", 120);

	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("sources_damage", tc));
}
