/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a file of cases (fastmatch.test(5)).
 */

#include "cases.h"
#include "file.h"
#include "fuzz.h"

const bool fuzz_has_parts = false;

static struct fm_cases *
read_cases(const uint8_t *data, size_t size, const char *more,
    struct fm_diag *diag)
{
	size_t len = strlen(more);
	struct fm_file *file = fm_file_new(size + len);

	FUZZ_CHECK(file != NULL && diag != NULL, "no memory");
	if (size > 0)
		memcpy(file->bytes, data, size);
	memcpy(file->bytes + size, more, len);
	file->len = size + len;
	return (fm_cases_parse("fuzz", file, diag));
}

static void
check_messages(const struct fm_diag *diag)
{
	struct fm_diag_message m;
	unsigned n;

	for (n = 0; fm_diag_message(diag, n, &m); n++)
		FUZZ_CHECK(strchr(m.text, '\n') == NULL,
		    "a message of two lines: %s", m.text);
}

/* A case can be run: its headers are headers. */
static void
check_case(const struct fm_case *one)
{
	struct fm_view view = fm_case_view(one);
	unsigned i;

	FUZZ_CHECK(one->expected.given && view.method.len > 0 &&
	    view.client.len > 0, "a case that is none, line %u", one->line);
	for (i = 0; i < view.nfields; i++)
		FUZZ_CHECK(memchr(view.fields[i].b, ':', (size_t)(
		    view.fields[i].e - view.fields[i].b)) != NULL,
		    "a header without a colon, line %u", one->line);
}

static unsigned
check_cases(const struct fm_cases *cases)
{
	const struct fm_cases_group *group;
	const struct fm_case *one;
	unsigned n = 0;

	for (group = cases->groups; group != NULL; group = group->next)
		for (one = group->ones; one != NULL; one = one->next) {
			check_case(one);
			n++;
		}
	return (n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_cases *cases = read_cases(data, size, "", diag);
	unsigned n;

	FUZZ_CHECK((cases == NULL) == (fm_diag_errors(diag) > 0),
	    "cases and errors, or neither");
	check_messages(diag);
	if (cases != NULL) {
		n = check_cases(cases);
		fm_cases_free(&cases);
		/* A case that comes behind is read, too. */
		cases = read_cases(data, size, "\n=== rules\n=== request\n"
		    "GET /\n=== expect\n", diag);
		FUZZ_CHECK(cases != NULL && check_cases(cases) == n + 1,
		    "the end was not read");
		fm_cases_free(&cases);
	}
	fm_diag_free(&diag);
	return (0);
}
