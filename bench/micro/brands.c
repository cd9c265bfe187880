/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Does a User-Agent contain one of 120 brands: the question of the article.
 *
 *	brands LIST AGENTS RATIO
 *
 * LIST is a file of brands, AGENTS one of User-Agents, one a line.  Exits with
 * 1 where an answer is wrong, or a typical User-Agent, that of a desktop
 * browser, is not decided at least RATIO times faster in a loop than by the
 * alternation that VCL has.
 */

#include <stdlib.h>

#include "matchers.h"
#include "scan.h"
#include "words.h"

static const char typical[] = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) "
    "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

static double
contest(struct fm_bench *bench, const struct fm_matchers *m,
    const struct fm_lines *agents, const char *what)
{
	struct fm_contest c = { .what = what, .questions = agents->v,
	    .n = (unsigned)agents->n };
	uint64_t *want = fm_bench_alloc(agents->n, sizeof *want);
	size_t i;

	for (i = 0; i < agents->n; i++)
		want[i] = fm_matchers_any(m, agents->v[i]);
	c.want = want;
	fm_matchers_contest(m, &c, false, true);
	fm_contest_run(bench, &c);
	free(want);
	return (c.score[FM_MODE_WARM][0].valid ?
	    c.score[FM_MODE_WARM][1].ratio : 0);
}

int
main(int argc, char **argv)
{
	struct fm_lines brands = { NULL, NULL, 0 }, agents = { NULL, NULL, 0 };
	struct fm_lines one = { NULL, NULL, 0 }, with = { NULL, NULL, 0 };
	struct fm_lines without = { NULL, NULL, 0 };
	struct fm_matchers m;
	struct fm_bench bench;
	double least, ratio;
	bool quick;
	size_t i;

	fm_bench_init(&bench, "brands", argc, argv, 3, " LIST AGENTS RATIO");
	least = atof(argv[argc - 1]);
	fm_lines_read(&brands, argv[argc - 3]);
	fm_lines_read(&agents, argv[argc - 2]);
	fm_lines_add(&one, fm_text_of(typical));
	fm_matchers_init(&m, FM_PATTERN_CONTAINS, brands.v, brands.n);
	for (i = 0; i < agents.n; i++)
		fm_lines_add(fm_matchers_any(&m, agents.v[i]) ? &with :
		    &without, agents.v[i]);
	if (with.n == 0 || without.n == 0)
		fm_bench_die("User-Agents with and without are needed");
	fm_bench_title(&bench, "Does a User-Agent contain one of %zu brands? "
	    "(%zu KB, %s)", brands.n, m.patset_bytes / 1024, fm_scan_engine());
	/* Runs all rounds even with --quick: the exit status depends on it. */
	quick = bench.quick;
	bench.quick = false;
	ratio = contest(&bench, &m, &one, "a typical User-Agent");
	bench.quick = quick;
	(void)contest(&bench, &m, &without, "all without a brand");
	(void)contest(&bench, &m, &with, "all with a brand");
	fm_matchers_fini(&m);
	fm_lines_fini(&brands);
	fm_lines_fini(&agents);
	fm_lines_fini(&one);
	fm_lines_fini(&with);
	fm_lines_fini(&without);
	if (bench.mode[FM_MODE_WARM] && ratio < least) {
		printf("  a typical User-Agent: not %.0f times faster\n",
		    least);
		return (1);
	}
	fm_bench_fini(&bench);
	return (0);
}
