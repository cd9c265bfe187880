/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * List files: what a line is, and what can be wrong with one.
 */

#include "file.h"
#include "folder.h"
#include "listfile.h"

#define TEST_PATH	"list"

static struct fm_file *file;

static struct fm_listfile
read_file(void)
{
	file = fm_file_read(TEST_PATH, FM_LISTFILE_MAX, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	return ((struct fm_listfile){ .name = TEST_PATH,
	    .rest = fm_text(file->bytes, file->len) });
}

UNIT_TEST(test_listfile_gives_entries_and_their_lines)
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
	struct fm_listfile list;
	struct fm_text line;
	struct fm_place place;
	size_t i;

	folder_write_bytes(TEST_PATH, text, sizeof text - 1);
	list = read_file();
	for (i = 0; i < sizeof expect / sizeof expect[0]; i++) {
		ck_assert(fm_listfile_next(&list, &line, &place, diag));
		unit_assert_text(line, expect[i].line);
		ck_assert_str_eq(place.name, TEST_PATH);
		ck_assert_uint_eq(place.line, expect[i].number);
		ck_assert_uint_eq(place.column, expect[i].column);
		ck_assert_uint_eq(place.call, 0);
	}
	ck_assert(!fm_listfile_next(&list, &line, &place, diag));
	ck_assert(!fm_listfile_next(&list, &line, &place, diag));
	fm_file_free(&file);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	fm_diag_free(&diag);
}

/* A file, and its only entry; NULL: it has none. */
static const struct {
	const char	*text;
	const char	*entry;
} single_cases[] = {
	{ "", NULL },
	{ "#", NULL },
	{ "\xef\xbb\xbf", NULL },
	{ "\xef\xbb\xbf#x", NULL },
	{ "\xef\xbb\xbf x \n", "x" },
	{ "\xef\xbb", "\xef\xbb" },
	{ "x", "x" },
	{ "x\r \r\n", "x" },
	{ "\rx", "\rx" },
};

UNIT_LOOP(test_listfile_finds_the_only_entry, UNIT_COUNT(single_cases))
{
	struct fm_listfile list;
	struct fm_text line;
	struct fm_place place;

	folder_write(TEST_PATH, single_cases[_i].text);
	list = read_file();
	if (single_cases[_i].entry != NULL) {
		ck_assert(fm_listfile_next(&list, &line, &place, NULL));
		unit_assert_text(line, single_cases[_i].entry);
	}
	ck_assert(!fm_listfile_next(&list, &line, &place, NULL));
	fm_file_free(&file);
}

UNIT_TEST(test_listfile_passes_over_malformed_entries_and_says_so)
{
	size_t max = FM_LISTFILE_LINE_MAX, len = 0, i;
	char *text = malloc(4 * max);
	struct fm_diag *diag = fm_diag_new();
	struct fm_listfile list;
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
	folder_write_bytes(TEST_PATH, text, len);
	free(text);
	list = read_file();
	ck_assert(fm_listfile_next(&list, &line, &place, diag));
	ck_assert_uint_eq(line.len, max);
	ck_assert_int_eq(line.b[0], 'x');
	ck_assert_uint_eq(place.line, 3);
	ck_assert(fm_listfile_next(&list, &line, &place, diag));
	unit_assert_text(line, "end");
	ck_assert_uint_eq(place.line, 6);
	ck_assert(!fm_listfile_next(&list, &line, &place, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 2);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0),
	    "list:1:1: error: the line has a NUL byte"));
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 1),
	    "list:4:1: error: a line of 65537 bytes"));
	fm_file_free(&file);
	fm_diag_free(&diag);
}

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
	{ "a->b -> c", "a->b", "c" },
	{ "a -> b -> c", "a", "b -> c" },
	{ "key ->", "key", "" },
	{ "-> value", "", "value" },
	{ "->", "", "" },
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

UNIT_LOOP(test_listfile_splits_at_the_first_arrow_with_blanks,
    UNIT_COUNT(arrow_cases))
{
	check_pair(&arrow_cases[_i], fm_listfile_arrow);
}

UNIT_LOOP(test_listfile_splits_at_the_first_blank, UNIT_COUNT(word_cases))
{
	check_pair(&word_cases[_i], fm_listfile_word);
}

/* A line of CSV, and its columns; "!": its quotes don't fit. */
static const struct {
	const char	*line;
	const char	*columns[4];
} column_cases[] = {
	{ "a,b", { "a", "b" } },
	{ "a", { "a" } },
	{ "", { "" } },
	{ ",", { "", "" } },
	{ "a,,c", { "a", "", "c" } },
	{ " a b\t, c ,d", { "a b", "c", "d" } },
	{ "\"a\",\"b\"", { "a", "b" } },
	{ " \"a,b\" , \" c \"", { "a,b", " c " } },
	{ "\"say \"\"hi\"\"\",\"\"\"\"", { "say \"hi\"", "\"" } },
	{ "\"\",\"\"", { "", "" } },
	{ "\"\"\"a\"\"\"\"b\",c", { "\"a\"\"b", "c" } },
	{ "a -> b", { "a -> b" } },
	{ "\"a", { "!" } },
	{ "\"a\"\"", { "!" } },
	{ "\"", { "!" } },
	{ "\"\"\"", { "!" } },
	{ "\"a\"b,c", { "!" } },
	{ "\"a\" b,c", { "!" } },
	{ "a\"b\",c", { "!" } },
	{ "a,b\"", { "a", "!" } },
	{ "a,\"b", { "a", "!" } },
};

UNIT_LOOP(test_listfile_cuts_columns_of_csv, UNIT_COUNT(column_cases))
{
	struct fm_text whole = unit_copy(fm_text_of(column_cases[_i].line));
	char *room = malloc(whole.len + 1);
	struct fm_text line = whole, column;
	const char *expect = "";
	bool good = true;
	unsigned n;

	ck_assert_ptr_nonnull(room);
	for (n = 0; line.b != NULL && good; n++) {
		ck_assert_uint_lt(n, 4);
		expect = column_cases[_i].columns[n];
		ck_assert_ptr_nonnull(expect);
		good = fm_listfile_column(&line, &column, room);
		if (good)
			unit_assert_text(column, expect);
		else
			ck_assert_str_eq(expect, "!");
	}
	ck_assert(!good || n == 4 ||
	    column_cases[_i].columns[n] == NULL);
	free(room);
	free((void *)(uintptr_t)whole.b);
}

/* Any columns, written as CSV, are read as they were. */
UNIT_TEST(test_listfile_reads_columns_that_were_written)
{
	static const char bytes[] = "a\",, \"b\tc->";
	char texts[3][8], line[100], room[sizeof line];
	struct fm_text rest, column;
	size_t lens[3], len, i, k;
	unsigned round, rounds = unit_rounds(200000, 20);
	char *to;

	for (round = 0; round < rounds; round++) {
		to = line;
		for (i = 0; i < 3; i++) {
			lens[i] = unit_below(sizeof texts[i]);
			if (i > 0)
				*to++ = ',';
			*to++ = '"';
			for (k = 0; k < lens[i]; k++) {
				texts[i][k] = bytes[unit_below(
				    sizeof bytes - 1)];
				if (texts[i][k] == '"')
					*to++ = '"';
				*to++ = texts[i][k];
			}
			*to++ = '"';
		}
		rest = fm_text_span(line, to);
		for (i = 0; i < 3; i++) {
			len = (size_t)(rest.b - line);
			ck_assert(fm_listfile_column(&rest, &column,
			    room + len));
			ck_assert(fm_text_eq(column, fm_text(texts[i],
			    lens[i])));
		}
		ck_assert_ptr_null(rest.b);
	}
}

/* Any bytes: no column is longer than the line, and there is an end. */
UNIT_TEST(test_listfile_reads_any_line_of_csv)
{
	static const char bytes[] = "\"\"\",, a";
	unsigned i, n, rounds = unit_rounds(200000, 20);
	struct fm_text whole, line, column;
	char text[12], *room;
	size_t left;

	while (rounds-- > 0) {
		for (i = 0; i < sizeof text; i++)
			text[i] = bytes[unit_below(sizeof bytes - 1)];
		whole = unit_copy(fm_text(text, unit_below(sizeof text)));
		room = malloc(whole.len);
		ck_assert(room != NULL || whole.len == 0);
		for (line = whole, n = 0; line.b != NULL; n++) {
			left = line.len;
			if (!fm_listfile_column(&line, &column,
			    room + (line.b - whole.b)))
				break;
			ck_assert_uint_le(column.len, left);
		}
		ck_assert_uint_le(n, whole.len + 1);
		free(room);
		free((void *)(uintptr_t)whole.b);
	}
}

int
main(void)
{
	TCase *tc = unit_case("listfile", 30);

	unit_seed("listfile");
	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("listfile", tc));
}
