/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists of operations that requests run: random rows of tests, which are
 * led past, and how many operations the routes of hosts may have.  tests/rules
 * has random rules.
 */

#include "compiling.h"
#include "host_find.h"
#include "run_priv.h"

/*--------------------------------------------------------------------
 * Tests in a row, and tests of words: the list for traces asks each of them.
 */

#define ROW	6	/* tests */

/* Writes up to `most` random bytes of an alphabet. */
static void
random_word(char *word, const char *bytes, unsigned most)
{
	unsigned len = unit_below(most + 1), i;

	for (i = 0; i < len; i++)
		word[i] = bytes[unit_below((unsigned)strlen(bytes))];
	word[len] = '\0';
}

/* Writes a random test, of the path, the method or a header. */
static void
random_test(FILE *to)
{
	static const char * const modes[] = { "is", "begins", "ends", "below",
	    "like" };
	unsigned mode = unit_below(5), n = 1 + unit_below(3);
	char word[20];

	if (unit_below(6) == 0) {
		fprintf(to, "%s %sis %s", n == 1 ? "method" : "header H",
		    unit_below(4) == 0 ? "nocase " : "",
		    n == 1 ? "GET PUT" : "abcdefgh a");
		return;
	}
	fprintf(to, "path %s%s%s", unit_below(4) == 0 ? "not " : "",
	    unit_below(4) == 0 ? "nocase " : "", modes[mode]);
	while (n-- > 0) {
		random_word(word, mode == 4 ? "aAb/.*?" : "aAb/.", 3);
		fprintf(to, " \"%s%s\"", mode == 2 && unit_below(4) != 0 ? "" :
		    "/", mode == 2 && *word == '\0' ? "a" : word);
	}
}

/* Makes rules, each of which sets a header X0, X1 and so on. */
static struct fm_program *
random_row(void)
{
	struct fm_program *program;
	unsigned i;
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "always {\n");
	for (i = 0; i < ROW; i++) {
		fprintf(f, "when ");
		random_test(f);
		if (unit_below(3) == 0) {
			fprintf(f, unit_below(2) == 0 ? " and " : " or ");
			random_test(f);
		}
		fprintf(f, " { set X%u = 1; }%s\n", i, i + 1 < ROW &&
		    unit_below(4) == 0 ? " else" : "");
	}
	fprintf(f, "}\n");
	(void)fclose(f);
	program = unit_program("t.rules", text);
	free(text);
	return (program);
}

/* Returns a bit for each header that was set. */
static unsigned
row_run(const struct fm_program *program, const struct fm_view *view,
    const struct fm_trace *trace)
{
	const struct fm_result *result;
	struct fm_edit edit;
	unsigned bits = 0, i;
	struct fm_run run;
	char name[8];

	result = fm_run(&run, program, view, trace);
	for (i = 0; i < ROW; i++) {
		sprintf(name, "X%u", i);
		bits |= (unsigned)fm_edit_of(result, fm_text_of(name),
		    &edit) << i;
	}
	fm_run_end(&run);
	return (bits);
}

UNIT_TEST(tests_in_a_row_have_the_outcomes_that_they_have_alone)
{
	static const char * const methods[] = { "GET", "PUT", "POST", "GE",
	    "get" };
	static const char * const fields[] = { "H: a", "H: abcdefgh",
	    "H: abcdefghi", "G: a", "H: A" };
	static const struct fm_trace trace;
	struct fm_view view = { .nfields = 1 };
	unsigned rows = unit_rounds(20000, 20), i, k, is, seen = 0;
	struct fm_program *program;
	struct fm_field field;
	struct fm_text url;
	char path[20];

	unit_seed("row");
	for (i = 0; i < rows; i++) {
		program = random_row();
		for (k = 0; k < 40; k++) {
			strcpy(path, "/");
			random_word(path + 1, "aAb/.c", 4);
			url = unit_copy(fm_text_of(path));
			view.url = url;
			view.method = fm_text_of(methods[unit_below(5)]);
			field.b = fields[unit_below(5)];
			field.e = strchr(field.b, '\0');
			view.fields = &field;
			is = row_run(program, &view, NULL);
			ck_assert_msg(is == row_run(program, &view, &trace),
			    "row %u, %s %s", i, path, field.b);
			seen |= is;
			free((void *)(uintptr_t)url.b);
		}
		fm_program_free(&program);
	}
	ck_assert_uint_eq(seen, (1U << ROW) - 1);
}

/*--------------------------------------------------------------------
 * Memory
 */

/* Returns the host's own route, or FM_NONE. */
static uint32_t
route_of(const struct fm_program *program, const char *host)
{
	struct fm_hosttab_hit hit;

	ck_assert(host_find(program->hosttab, fm_text_of(host), &hit));
	ck_assert_int_eq(hit.how, FM_HOSTTAB_EXACT);
	return (program->route_of == NULL ? FM_NONE :
	    program->route_of[hit.pattern]);
}

UNIT_TEST(there_is_an_end_to_the_memory_that_routes_take)
{
	struct fm_program *program;
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);
	unsigned i;

	fputs("map site { is h1.example -> a; default d; }\n"
	    "always { set X-Site = site(host); }\n", f);
	for (i = 0; i < 20000; i++)
		fprintf(f, "host h%u.example { unset A B; query sort; "
		    "hash; }\n", i);
	(void)fclose(f);
	program = unit_program("t.rules", text);
	/* A block has two lists of six operations, with their ends. */
	ck_assert_uint_le(program->nops, 65536 + 20001 * 12);
	ck_assert_uint_gt(program->nops, 60000 + 20000 * 12);
	ck_assert_uint_ne(route_of(program, "h1.example"), FM_NONE);
	ck_assert_uint_eq(route_of(program, "h19999.example"), FM_NONE);
	fm_program_free(&program);
	free(text);
}

int
main(void)
{
	return (unit_main("route", 60));
}
