/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a file of patterns, as .load() and `from` read it.
 *
 *	lines "pattern -> value"
 *
 * The entries, their places and the mistakes are those that the twin sees.
 */

#include "fuzz.h"
#include "listfile.h"

const bool fuzz_has_parts = false;

/*--------------------------------------------------------------------
 * The twin
 */

static bool
is_one_of(char c, const char *set)
{
	return (c != '\0' && strchr(set, c) != NULL);
}

/*
 * Gives the next entry, and its line and column; false at the end.  Counts
 * the entries that are wrong.
 */
static bool
twin_next(struct fm_text *rest, struct fm_text *entry, unsigned *line,
    unsigned *column, unsigned *wrong)
{
	const char *b, *e;

	while (fuzz_line(rest, entry)) {
		++*line;
		b = entry->b;
		e = b + entry->len;
		while (e > b && is_one_of(e[-1], " \t\r"))
			e--;
		while (b < e && is_one_of(*b, " \t"))
			b++;
		*column = (unsigned)(b - entry->b) + 1;
		*entry = fm_text_span(b, e);
		if (entry->len == 0 || *b == '#')
			continue;
		if (entry->len <= FM_LISTFILE_LINE_MAX &&
		    memchr(b, '\0', entry->len) == NULL)
			return (true);
		++*wrong;
	}
	return (false);
}

static bool
twin_is_arrow(struct fm_text t, size_t i)
{
	return (i + 1 < t.len && t.b[i] == '-' && t.b[i + 1] == '>' &&
	    (i == 0 || is_one_of(t.b[i - 1], " \t")) &&
	    (i + 2 == t.len || is_one_of(t.b[i + 2], " \t")));
}

static void
check_arrow(struct fm_text entry)
{
	struct fm_text key, value;
	size_t i;

	for (i = 0; i < entry.len && !twin_is_arrow(entry, i); i++)
		continue;
	fm_listfile_arrow(entry, &key, &value);
	if (i == entry.len)
		FUZZ_CHECK(fm_text_eq(key, entry) && value.b == NULL,
		    "an arrow in \"%.*s\"", FUZZ_TEXT(entry));
	else
		FUZZ_CHECK(value.b != NULL && fm_text_eq(key,
		    fm_text_trim(fm_text(entry.b, i))) && fm_text_eq(value,
		    fm_text_trim(fm_text(entry.b + i + 2,
		    entry.len - i - 2))), "no arrow in \"%.*s\"",
		    FUZZ_TEXT(entry));
}

/*--------------------------------------------------------------------
 * The file
 */

static void
check_file(struct fm_text file)
{
	struct fm_listfile list = { .name = "fuzz", .rest = file };
	unsigned line = 0, column, wrong = 0;
	struct fm_diag *diag = fm_diag_new();
	struct fm_text expected, entry;
	struct fm_place place;

	(void)fuzz_word(&file, "\xef\xbb\xbf");
	while (twin_next(&file, &expected, &line, &column, &wrong)) {
		FUZZ_CHECK(fm_listfile_next(&list, &entry, &place, diag) &&
		    fm_text_eq(entry, expected), "not \"%.*s\"",
		    FUZZ_TEXT(expected));
		FUZZ_CHECK(place.line == line && place.column == column,
		    "at %u:%u, and not %u:%u", place.line, place.column,
		    line, column);
		check_arrow(entry);
	}
	FUZZ_CHECK(!fm_listfile_next(&list, &entry, &place, diag),
	    "\"%.*s\" too much", FUZZ_TEXT(entry));
	FUZZ_CHECK(fm_diag_errors(diag) == wrong, "%u errors, and not %u",
	    fm_diag_errors(diag), wrong);
	fm_diag_free(&diag);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_file(fm_text((const char *)data, size));
	return (0);
}
