/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters of a run, and the identities by which statements and hosts are known
 * after a reload.
 */

#include "compiling.h"
#include "run.h"
#include "twin.h"

/*--------------------------------------------------------------------
 * Statements
 */

#define A40	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SLOW	"\"(a+)+(?:$|b(?<=x))\""	/* over its limit on A40 "b" */
#define SYNTH	"undecided synth 503;"
#define MAP	"map m { ~ " SLOW " -> /x; default /y; }"

static const struct {
	const char	*rules;
	const char	*url;		/* and of that agent */
	bool		esi;
	const char	*hits;		/* of each statement, in order */
	uint32_t	counters;	/* their number, without hosts */
} counted[] = {
	{ "", "/", false, "", 0 },
	{ "set A = 1; query sort; unset B C;", "/", false, "111", 1 },
	/* A block with nothing but whens has no counter. */
	{ "when path is /x { set A = 1; }", "/x", false, "11", 1 },
	{ "when path is /x { }", "/x", false, "1", 1 },
	{ "when path is /x { }", "/", false, "0", 1 },
	/* The statements around a when run together. */
	{ "set A = 1; when path is /x { set B = 1; } set C = 1;", "/", false,
	  "1001", 2 },
	{ "set A = 1; when path is /x { set B = 1; } set C = 1;", "/x", false,
	  "1111", 2 },
	{ "when path is /x { set B = 1; } set C = 1;", "/", false, "001", 2 },
	{ "when path is /x { set B = 1; } else { set C = 1; }", "/", false,
	  "001", 2 },
	{ "when path is /x { } else { set C = 1; } set D = 1;", "/x", false,
	  "101", 3 },
	/* A statement may end the run, or leave the block. */
	{ "set A = 1; when path is /x { pass; } set C = 1;", "/x", false,
	  "1110", 3 },
	{ "set A = 1; when path is /x { pass; } set C = 1;", "/", false,
	  "1001", 3 },
	{ "set A = 1; when path is /x { stop; } set C = 1;", "/x", false,
	  "1110", 3 },
	{ "set A = 1; when path is /y { } else { hash; } set C = 1;", "/x",
	  false, "1010", 4 },
	{ "set A = 1; when path is /x { when path is /x { pipe; } set B = 1; }"
	  " set C = 1;", "/x", false, "111100", 5 },
	{ "set A = 1; when path is /x { set A = 2; } when path is /x { pass; }"
	  " set B = 1;", "/x", false, "111110", 4 },
	/* A chain of else when has a counter for each arm. */
	{ "set A = 1; when path is /x { } else when path is /y { set A = 2; }"
	  " else { set A = 3; } set B = 1;", "/y", false, "101101", 4 },
	{ "set A = 1; when path is /x { } else when path is /y { set A = 2; }"
	  " else { set A = 3; } set B = 1;", "/", false, "100011", 4 },
	{ "set A = 1; when path is /x { } else when path is /y { pass; }"
	  " else { set A = 3; } set B = 1;", "/y", false, "101100", 5 },
	/* Two whens that are true for every request are counted in one step. */
	{ "set X = a; when header X is a { unset A; } when header X is a "
	  "{ unset B; }", "/", false, "11111", 3 },
	/* A statement after a verdict does not run. */
	{ "pass; set A = 1; hash; set B = 1;", "/", false, "1000", 3 },
	{ "stop; set A = 1;", "/", false, "10", 2 },
	{ "synth 404; set A = 1;", "/", false, "10", 2 },
	{ "synth 404; set A = 1;", "/", true, "10", 2 },
	{ "synth 200; set A = 1;", "/", true, "11", 2 },
	{ "redirect 302 /x; set A = 1;", "/", true, "11", 2 },
	{ "map n { is /x -> /y; } redirect 302 n(path); set A = 1;", "/",
	  false, "11", 2 },
	{ "redirect 302 /x; set A = 1;", "/", false, "10", 2 },
	/* A refusal, of what is undecided, ends the run. */
	{ "set A = 1; when agent ~ " SLOW " { set B = 1; } set C = 1;", "/",
	  false, "1001", 2 },
	{ SYNTH "set A = 1; when agent ~ " SLOW " { set B = 1; } set C = 1;",
	  "/", false, "1000", 3 },
	{ SYNTH "set A = 1; when agent ~ " SLOW " { set B = 1; } set C = 1;",
	  "/", true, "1000", 3 },
	{ MAP "set A = m(agent); set B = 1;", "/", false, "11", 1 },
	{ MAP SYNTH "set A = m(agent); set B = 1;", "/", false, "10", 2 },
	{ MAP SYNTH "set A = m(agent); set B = 1;", "/", true, "10", 2 },
	{ MAP SYNTH "normalize Accept to a else m(agent); set B = 1;", "/",
	  false, "10", 2 },
	{ MAP SYNTH "redirect 302 m(agent); set B = 1;", "/", false, "10", 2 },
	{ "rewrite ~ " SLOW " to x; set B = 1;", "/" A40 "b", false, "11", 1 },
	{ SYNTH "rewrite ~ " SLOW " to x; set B = 1;", "/" A40 "b", false,
	  "10", 2 },
	{ SYNTH "set A = x; set B = 1;", "/", false, "11", 1 },
};

/* Returns rules with a block; maps and `undecided` in front stay outside. */
static char *
rules_of(const char *text)
{
	const char *block = text, *end;
	char *rules;

	while (strncmp(block, "map ", 4) == 0 ||
	    strncmp(block, "undecided ", 10) == 0) {
		end = strchr(block, *block == 'm' ? '}' : ';');
		block = end + 1;
	}
	ck_assert_int_ge(asprintf(&rules, "%.*s\nalways { %s }",
	    (int)(block - text), text, block), 0);
	return (rules);
}

static void
hits_text(const struct fm_program *program, const uint64_t *counters, char *out)
{
	const struct fm_rule *rule;
	uint32_t n, counter;

	for (n = 0; fm_program_rule(program, n, &rule, &counter); n++)
		out[n] = (char)('0' + counters[counter]);
	out[n] = '\0';
	ck_assert_uint_eq(n, fm_program_nrules(program));
}

UNIT_TEST(a_statement_is_counted_that_did_not_run)
{
	static const char * const lines[] = { "User-Agent: " A40 "b",
	    "Accept: none" };
	struct fm_field fields[2];
	struct fm_view view = { .fields = fields, .nfields = 2 };
	uint64_t counters[16];
	struct fm_program *program;
	struct fm_run run;
	char *rules, is[16];
	int i, n;

	for (n = 0; n < 2; n++)
		fields[n] = (struct fm_field){ lines[n],
		    lines[n] + strlen(lines[n]) };
	for (i = 0; i < COUNT(counted); i++) {
		rules = rules_of(counted[i].rules);
		program = unit_program("test.rules", rules);
		memset(counters, 0, sizeof counters);
		view.counters = counters;
		view.method = fm_text_of("GET");
		view.url = fm_text_of(counted[i].url);
		view.esi = counted[i].esi;
		(void)fm_run(&run, program, &view, NULL);
		fm_run_end(&run);
		hits_text(program, counters, is);
		ck_assert_msg(strcmp(is, counted[i].hits) == 0,
		    "%s: %s, not %s", rules, is, counted[i].hits);
		ck_assert_msg(fm_program_ncounters(program) ==
		    counted[i].counters, "%s: %u counters, not %u", rules,
		    fm_program_ncounters(program), counted[i].counters);
		fm_program_free(&program);
		free(rules);
	}
}

/*--------------------------------------------------------------------
 * Identities
 */

#define LONG	A40 A40 A40 A40

/* A change, and for each statement and host after it the one before it. */
static const struct {
	const char	*before;
	const char	*after;
	const char	*was;
} changes[] = {
	/* A statement may stand elsewhere. */
	{ "host a { set A = 1; when path is /x { pass; } }",
	  "# a comment\n\nhost a {\n set A = 1;\n when path is /x\n{ pass; }}",
	  "012a" },
	{ "host a { set A = 1; } host b { set A = 1; }",
	  "host b { set A = 1; } host a { set A = 1; }", "10ba" },
	{ "ruleset r { pass; } host a use r;",
	  "host a b use r; ruleset r { pass; }", "0a-" },
	{ "host a b { set A = 1; } host c { pass; } default { pass; }",
	  "default { pass; } host c { pass; } host b A { set A = 1; }",
	  "210cba" },
	/* Other statements come and go around it. */
	{ "always { set A = 1; set B = 1; set C = 1; }",
	  "always { set C = 1; set D = 1; set A = 1; }", "2-0" },
	{ "always { set A = 1; set C = 1; }",
	  "always { set A = 1; when path is / { pass; } set C = 1; }",
	  "0--1" },
	/* Other words, whens, arms or blocks around it make it another one. */
	{ "always { set A = 1; set B = 1; }",
	  "always { set A = 2; set B = 1; }", "-1" },
	{ "always { when path is /x { pass; } set A = 1; }",
	  "always { when path is /y { pass; } set A = 1; }", "--2" },
	{ "always { when path is /x { set A = 1; } else { set B = 1; } }",
	  "always { when path is /x { set B = 1; } else { set A = 1; } }",
	  "0--" },
	{ "always { when path is /x { } else when path is /y { pass; } }",
	  "always { when path is /x { when path is /y { pass; } } }", "0--" },
	{ "always { when path is /x { } else when path is /y { pass; } }",
	  "always { when path is /x { stop; } else when path is /y { pass; "
	  "stop; } else { hash; } }", "0-12--" },
	{ "ruleset r { pass; }", "ruleset q { pass; }", "-" },
	{ "ruleset r { pass; }", "host r { pass; }", "--" },
	{ "always { set A = \"" LONG "1\"; }", "always { set A = \"" LONG
	  "2\"; }", "-" },
	{ "always { set A = \"" LONG "1\"; }", "always { set A = \"" LONG
	  "1\"; }", "0" },
	{ "always { set A = \"" LONG " 1\"; }", "always { set A = \"" LONG
	  " 2\"; }", "-" },
	/* The same statement may stand there twice. */
	{ "always { set A = 1; set A = 1; }",
	  "always { set A = 1; set A = 1; set A = 1; }", "01-" },
	{ "always { when path is /x { pass; } when path is /x { pass; } }",
	  "always { when path is /x { pass; } set A = 1; "
	  "when path is /x { pass; } }", "01-23" },
	/* Hosts are the same if they mean the same. */
	{ "host A.b. *.a.b { } host .c { }",
	  "host .C { } host a.b { } host *.A.B { } host c.* *.d { }",
	  "cab--" },
};

static uint64_t
id_at(const struct fm_program *program, uint32_t n)
{
	uint32_t nrules = (uint32_t)fm_program_nrules(program), counter;

	return (n < nrules ? fm_program_rule_id(program, n) :
	    fm_hosttab_pattern_id(fm_text_of(fm_program_host(program,
	    n - nrules, &counter))));
}

UNIT_TEST(a_rule_is_taken_for_another_after_a_reload)
{
	struct fm_program *program, *b;
	uint32_t i, j, na, nb, nrules;
	char is[16];
	int n;

	for (n = 0; n < COUNT(changes); n++) {
		program = unit_program("test.rules", changes[n].before);
		b = unit_program("test.rules", changes[n].after);
		nrules = (uint32_t)fm_program_nrules(program);
		na = nrules + (uint32_t)fm_program_hosts(program);
		nb = (uint32_t)(fm_program_nrules(b) + fm_program_hosts(b));
		for (j = 0; j < nb; j++) {
			for (i = 0; i < na && id_at(program, i) != id_at(b, j);
			    i++)
				;
			is[j] = (char)(i == na ? '-' : i < nrules ?
			    '0' + i : 'a' + (i - nrules));
		}
		is[j] = '\0';
		ck_assert_msg(strcmp(is, changes[n].was) == 0,
		    "%s\n%s: %s, not %s", changes[n].before, changes[n].after,
		    is, changes[n].was);
		fm_program_free(&program);
		fm_program_free(&b);
	}
}

int
main(void)
{
	return (unit_main("counts", 60));
}
