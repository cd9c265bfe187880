/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs requests so that somebody else can count what each takes
 * (bench/budget): valgrind's callgrind is told by name to count what is
 * called from fm_bench_counted(), and nothing else.
 *
 * Each request goes there twice, first for one run and then for n more than
 * that; the difference is that of n runs, with nothing around them.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "bench.h"
#include "report.h"
#include "cli.h"
#include "json.h"

#define WARM	3		/* runs before anybody counts */

/*--------------------------------------------------------------------
 * The same host table in each process
 *
 * The core draws the seed of a table with getrandom(2).  This program, and
 * nothing else, is linked with --wrap=getrandom (Makefile.am), so the module
 * has no code by which its seeds could be anything but random.
 */

ssize_t __real_getrandom(void *, size_t, unsigned);
ssize_t __wrap_getrandom(void *, size_t, unsigned);

static bool not_random;

void
fm_bench_not_random(void)
{
	not_random = true;
}

ssize_t
__wrap_getrandom(void *to, size_t len, unsigned flags)
{
	if (!not_random)
		return (__real_getrandom(to, len, flags));
	memset(to, 0x5a, len);
	return ((ssize_t)len);
}

/*--------------------------------------------------------------------
 * Runs
 */

void __attribute__((noinline))
fm_bench_counted(const struct fm_program *program, const struct fm_view *view,
    unsigned n)
{
	struct fm_run run;

	while (n-- > 0) {
		(void)fm_run(&run, program, view, NULL);
		fm_run_end(&run);
	}
}

/* Not through the function whose calls are counted. */
static void
warm(const struct fm_program *program, const struct fm_view *view)
{
	struct fm_run run;
	unsigned n;

	for (n = 0; n < WARM; n++) {
		if (fm_run(&run, program, view, NULL)->no_memory)
			fm_cli_no_memory();
		fm_run_end(&run);
	}
}

/*--------------------------------------------------------------------
 * What was decided
 */

static json_t *
of_edits(const struct fm_result *result)
{
	json_t *edits = fm_json_array(), *pair;
	unsigned i;

	for (i = 0; i < result->nedits; i++) {
		pair = fm_json_array();
		fm_json_add(pair, fm_json_text(result->edits[i].name));
		fm_json_add(pair, result->edits[i].set ?
		    fm_json_text(result->edits[i].value) : json_null());
		fm_json_add(edits, pair);
	}
	return (edits);
}

static json_t *
of_answer(const struct fm_program *program, const struct fm_view *view,
    const struct fm_result *result)
{
	json_t *object = fm_json_object();
	const char *verdict = fm_verdict_word(result->verdict);

	fm_json_set(object, "method", fm_json_text(view->method));
	fm_json_set(object, "url", fm_json_text(result->url));
	fm_json_set(object, "host", fm_json_text(result->host));
	fm_json_set(object, "verdict",
	    fm_json_string(verdict == NULL ? "none" : verdict));
	fm_json_set(object, "status", fm_json_number(result->status));
	fm_json_set(object, "text", fm_json_text(result->text));
	fm_json_set(object, "backend",
	    fm_json_string(!result->backend_set ? NULL :
	    fm_program_backend(program, result->backend, NULL)));
	fm_json_set(object, "edits", of_edits(result));
	fm_json_set(object, "over_limit",
	    fm_json_number(result->tally.over_limit));
	return (object);
}

static json_t *
answer(const struct fm_program *program, const struct fm_view *view)
{
	const struct fm_result *result;
	struct fm_run run;
	json_t *object;

	result = fm_run(&run, program, view, NULL);
	if (result->no_memory)
		fm_cli_no_memory();
	object = of_answer(program, view, result);
	fm_run_end(&run);
	return (object);
}

/*--------------------------------------------------------------------
 * The command
 */

static void
put_text(const json_t *answers)
{
	const json_t *a;
	size_t i;

	json_array_foreach(answers, i, a)
		printf("%s %s: %s, %zu edits\n",
		    json_string_value(json_object_get(a, "method")),
		    json_string_value(json_object_get(a, "url")),
		    json_string_value(json_object_get(a, "verdict")),
		    json_array_size(json_object_get(a, "edits")));
}

void
fm_bench_count(const struct fm_bench *b, const struct fm_program *program,
    unsigned n, bool json)
{
	json_t *report = fm_json_object(), *answers = fm_json_array();
	uint64_t *counters;
	struct fm_view view;
	size_t i;

	counters = fm_cli_alloc((fm_program_ncounters(program) + 1) *
	    sizeof *counters);
	for (i = 0; i < b->requests.n; i++) {
		view = b->views[i];
		view.counters = counters;
		warm(program, &view);
		fm_bench_counted(program, &view, 1);
		fm_bench_counted(program, &view, 1 + n);
		fm_json_add(answers, answer(program, &view));
	}
	free(counters);
	fm_json_set(report, "file", fm_json_string(b->file));
	fm_json_set(report, "count", fm_json_number(n));
	if (json) {
		fm_json_set(report, "answers", answers);
		fm_json_print(report);
	} else {
		put_text(answers);
		json_decref(answers);
		json_decref(report);
	}
}
