/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a host table.
 *
 *	pattern value		any number of these, as a list file has them
 *	===
 *	host			any number of these, as clients send them
 *
 * The table takes the patterns that the twin takes, and finds for each host
 * what a loop over all of them finds; and for each of its own patterns.
 */

#include "fuzz.h"
#include "host_find.h"
#include "listfile.h"
#include "twin_hosttab.h"

const bool fuzz_has_parts = true;

static void
add_pattern(struct twin *twin, struct fm_hosttab *table,
    struct fm_text raw)
{
	struct fm_place place = { .name = "fuzz", .line = twin->count + 1 };
	struct fm_diag *diag = fm_diag_new();
	char pattern[TWIN_LEN];
	bool taken, good;
	unsigned i;

	good = twin_canon_pattern(raw, pattern);
	for (i = 0; i < twin->count && good; i++)
		good = !twin_clash(twin->patterns[i], pattern);
	taken = fm_hosttab_add(table, raw, twin_entry(twin->count),
	    &place, diag) == 0;
	FUZZ_CHECK(taken == good, "\"%.*s\" is %s", FUZZ_TEXT(raw),
	    good ? "refused" : "taken");
	FUZZ_CHECK(fm_diag_errors(diag) == !good, "%u errors",
	    fm_diag_errors(diag));
	if (good) {
		FUZZ_CHECK(fm_hosttab_pattern_id(raw) ==
		    fm_hosttab_pattern_id(fm_text_of(pattern)),
		    "\"%.*s\" and \"%s\" are not the same", FUZZ_TEXT(raw),
		    pattern);
		strcpy(twin->patterns[twin->count++], pattern);
	}
	fm_diag_free(&diag);
}

static void
check_host(const struct twin *twin, const struct fm_hosttab *table,
    struct fm_text raw)
{
	struct fm_hosttab_hit hit, again, expected;
	char buf[FM_HOSTNAME_MAX], *copy;
	struct fm_text canon;
	bool found;

	if (fm_hostname_canon(raw, buf, &canon) != FM_HOSTNAME_OK)
		return;
	copy = fuzz_copy(canon);
	canon.b = copy;
	expected = twin_lookup(twin, canon);
	found = host_find(table, canon, &hit);
	FUZZ_CHECK(found == (hit.how != FM_HOSTTAB_NONE) &&
	    hit.how == expected.how && hit.entry == expected.entry &&
	    hit.pattern == expected.pattern &&
	    hit.wild.b == expected.wild.b &&
	    hit.wild.len == expected.wild.len,
	    "\"%.*s\" is %d of pattern %u, and not %d of %u",
	    FUZZ_TEXT(canon), (int)hit.how, hit.pattern,
	    (int)expected.how, expected.pattern);
	FUZZ_CHECK(fm_hosttab_lookup(table, raw, buf, &canon, &again) ==
	    found && again.how == hit.how && again.entry == hit.entry &&
	    again.pattern == hit.pattern && fm_text_eq(again.wild, hit.wild),
	    "\"%.*s\" is %d as it came, and not %d", FUZZ_TEXT(raw),
	    (int)again.how, (int)hit.how);
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct twin twin;
	struct fm_hosttab *table = fm_hosttab_new();
	struct fm_text hosts = fm_text((const char *)data, size), part, line;
	struct fm_text pattern, value;
	unsigned i;

	FUZZ_CHECK(table != NULL, "no table");
	(void)fuzz_part(&hosts, &part);
	twin.count = 0;
	while (twin.count < TWIN_MAX && fuzz_line(&part, &line)) {
		fm_listfile_word(line, &pattern, &value);
		add_pattern(&twin, table, pattern);
	}
	fm_hosttab_seal(table);
	FUZZ_CHECK(fm_hosttab_count(table) == twin.count,
	    "not %u patterns", twin.count);
	while (fuzz_line(&hosts, &line))
		check_host(&twin, table, line);
	for (i = 0; i < twin.count; i++) {
		line = fm_text_of(twin.patterns[i]);
		if (*line.b == '.')
			(void)fuzz_word(&line, ".");
		check_host(&twin, table, line);
	}
	fm_hosttab_free(&table);
	return (0);
}
