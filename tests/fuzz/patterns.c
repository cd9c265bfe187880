/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a file of patterns, as .load() and `from` read it.
 *
 *	[nocase] KIND
 *	the file: lines "pattern -> value"
 *
 * The entries, their places and the mistakes are those that the twin sees;
 * what is made of the patterns answers about the file's own texts as PCRE2
 * and loops do.
 */

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "file.h"
#include "listfile.h"
#include "sets.h"

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
check_arrow(struct fm_text entry, struct fm_text *key, struct fm_text *value)
{
	size_t i;

	for (i = 0; i < entry.len && !twin_is_arrow(entry, i); i++)
		continue;
	fm_listfile_arrow(entry, key, value);
	if (i == entry.len)
		FUZZ_CHECK(fm_text_eq(*key, entry) && value->b == NULL,
		    "an arrow in \"%.*s\"", FUZZ_TEXT(entry));
	else
		FUZZ_CHECK(value->b != NULL && fm_text_eq(*key,
		    fm_text_trim(fm_text(entry.b, i))) && fm_text_eq(*value,
		    fm_text_trim(fm_text(entry.b + i + 2,
		    entry.len - i - 2))), "no arrow in \"%.*s\"",
		    FUZZ_TEXT(entry));
}

/*--------------------------------------------------------------------
 * The file
 */

/* A file in memory, of these bytes, and its path. */
static int
file_make(struct fm_text t, char path[64])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0, "no file in memory");
	FUZZ_CHECK(write(fd, t.b, t.len) == (ssize_t)t.len, "not written");
	(void)snprintf(path, 64, "/proc/self/fd/%d", fd);
	return (fd);
}

static void
take_entry(struct twin_set *set, enum fm_pattern_kind kind, bool nocase,
    struct fm_text entry, struct fm_text *texts, unsigned *ntexts)
{
	struct fm_text key, value;

	check_arrow(entry, &key, &value);
	sets_add(set, kind, nocase, key);
	if (*ntexts + 2 < 2 * SETS_MAX) {
		texts[(*ntexts)++] = entry;
		texts[(*ntexts)++] = value.b == NULL ? key : value;
	}
}

static void
check_file(struct fm_text file, enum fm_pattern_kind kind, bool nocase)
{
	static struct fm_text texts[2 * SETS_MAX];
	char path[64];
	struct twin_set set;
	unsigned line = 0, column, wrong = 0, ntexts = 0, i;
	struct fm_diag *diag = fm_diag_new();
	struct fm_listfile list = { .name = path };
	struct fm_file *made;
	struct fm_text expected, entry;
	struct fm_place place;
	int fd;

	fd = file_make(file, path);
	made = fm_file_read(path, FM_LISTFILE_MAX, NULL, diag);
	FUZZ_CHECK(made != NULL, "%s", fm_diag_line(diag, 0));
	list.rest = fm_text(made->bytes, made->len);
	(void)fuzz_word(&file, "\xef\xbb\xbf");
	twin_set_init(&set);
	while (twin_next(&file, &expected, &line, &column, &wrong)) {
		FUZZ_CHECK(fm_listfile_next(&list, &entry, &place, diag) &&
		    fm_text_eq(entry, expected), "not \"%.*s\"",
		    FUZZ_TEXT(expected));
		FUZZ_CHECK(place.line == line && place.column == column &&
		    strcmp(place.name, path) == 0, "at %u:%u, and not %u:%u",
		    place.line, place.column, line, column);
		take_entry(&set, kind, nocase, entry, texts, &ntexts);
	}
	FUZZ_CHECK(!fm_listfile_next(&list, &entry, &place, diag),
	    "\"%.*s\" too much", FUZZ_TEXT(entry));
	FUZZ_CHECK(fm_diag_errors(diag) == wrong, "%u errors, and not %u",
	    fm_diag_errors(diag), wrong);
	twin_set_make(&set);
	for (i = 0; i < ntexts; i++)
		sets_check(&set, texts[i]);
	twin_set_fini(&set);
	fm_file_free(&made);
	fm_diag_free(&diag);
	(void)close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_text file = fm_text((const char *)data, size), line;
	enum fm_pattern_kind kind = FM_PATTERN_CONTAINS;
	bool nocase;

	if (!fuzz_line(&file, &line))
		return (0);
	nocase = fuzz_word(&line, "nocase ");
	(void)sets_kind(&line, &kind);
	check_file(file, kind, nocase);
	return (0);
}
