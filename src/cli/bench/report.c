/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The results of the benchmark as a table, and as JSON.
 */

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "report.h"
#include "json.h"

/* The kind that a variant is without. */
static enum fm_stmt_kind
variant_kind(const struct fm_variant *v)
{
	unsigned k;

	for (k = 0; (v->without >> k & 1) == 0; k++)
		assert(k < FM_STMT__KINDS);
	return ((enum fm_stmt_kind)k);
}

static struct fm_moment
difference(const struct fm_variant *all, const struct fm_variant *without)
{
	return ((struct fm_moment){
		all->median.ns - without->median.ns,
		all->median.instructions - without->median.instructions
	});
}

static const char *
verdict_name(unsigned verdict)
{
	const char *word = fm_verdict_word((enum fm_verdict)verdict);

	return (word == NULL ? "none" : word);
}

static void
put_row(const struct fm_bench *b, const char *what, struct fm_moment m)
{
	printf("%-30s %10.1f", what, fabs(m.ns) < 0.05 ? 0. : m.ns);
	if (b->clock.fd < 0)
		printf(" %14s\n", "-");
	else
		printf(" %14.0f\n", m.instructions);
}

static void
put_requests(const struct fm_bench *b)
{
	const size_t *verdicts = b->variants[0].verdicts;
	const char *between = "";
	unsigned i;

	if (b->log == NULL)
		printf("%zu requests made up (seed %u)", b->requests.n,
		    b->seed);
	else
		printf("%zu requests of %s (%zu other lines skipped)",
		    b->requests.n, b->log, b->skipped);
	printf(": ");
	for (i = 0; i <= FM_VERDICT_REFUSE; i++)
		if (verdicts[i] > 0) {
			printf("%s%zu %s", between, verdicts[i],
			    verdict_name(i));
			between = ", ";
		}
	printf("\n");
}

void
fm_bench_text(const struct fm_bench *b)
{
	const struct fm_variant *all = &b->variants[0];
	const struct fm_variant *none = &b->variants[b->nvariants - 1];
	const struct fm_variant *v;
	enum fm_stmt_kind kind;
	char what[64];

	printf("%s, %zu hosts\n", b->file, b->model->nhosts);
	put_requests(b);
	printf("\n%-30s %10s %14s\n", "medians, of a request", "ns",
	    "instructions");
	put_row(b, "all", all->median);
	for (v = all + 1; v < none; v++) {
		kind = variant_kind(v);
		(void)snprintf(what, sizeof what, "  %s%s", fm_stmt_word(kind),
		    kind == FM_STMT_WHEN ? " and what is in it" : "");
		put_row(b, what, difference(all, v));
	}
	put_row(b, "without any statement", none->median);
	if (b->clock.fd < 0)
		printf("\nNo instructions: %s.\n", b->clock.why);
}

static void
set_moment(const struct fm_bench *b, json_t *object, struct fm_moment m)
{
	fm_json_set(object, "ns", json_real(m.ns));
	fm_json_set(object, "instructions",
	    b->clock.fd < 0 ? json_null() : json_real(m.instructions));
}

static json_t *
of_moment(const struct fm_bench *b, struct fm_moment m)
{
	json_t *object = fm_json_object();

	set_moment(b, object, m);
	return (object);
}

static json_t *
of_kinds(const struct fm_bench *b)
{
	json_t *kinds = fm_json_array(), *object;
	unsigned i;

	for (i = 1; i < b->nvariants - 1; i++) {
		object = fm_json_object();
		fm_json_set(object, "kind", fm_json_string(
		    fm_stmt_word(variant_kind(&b->variants[i]))));
		set_moment(b, object,
		    difference(&b->variants[0], &b->variants[i]));
		fm_json_add(kinds, object);
	}
	return (kinds);
}

void
fm_bench_json(const struct fm_bench *b)
{
	json_t *object = fm_json_object(), *verdicts = fm_json_object();
	unsigned i;

	for (i = 0; i <= FM_VERDICT_REFUSE; i++)
		fm_json_set(verdicts, verdict_name(i),
		    fm_json_number(b->variants[0].verdicts[i]));
	fm_json_set(object, "file", fm_json_string(b->file));
	fm_json_set(object, "hosts", fm_json_number(b->model->nhosts));
	fm_json_set(object, "requests", fm_json_number(b->requests.n));
	fm_json_set(object, "skipped", fm_json_number(b->skipped));
	fm_json_set(object, "rounds", fm_json_number(b->rounds));
	fm_json_set(object, "verdicts", verdicts);
	fm_json_set(object, "all",
	    of_moment(b, b->variants[0].median));
	fm_json_set(object, "kinds", of_kinds(b));
	fm_json_set(object, "without_any",
	    of_moment(b, b->variants[b->nvariants - 1].median));
	fm_json_set(object, "no_instructions",
	    fm_json_string(b->clock.why));
	fm_json_print(object);
}
