/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin (naive.h): finds the host and its block, and runs the blocks.
 */

#include <assert.h>
#include <stdlib.h>

#include "agree.h"
#include "bounds.h"
#include "naive_priv.h"
#include "record.h"
#include "twin_hosttab.h"

struct naive *
naive_new(const struct fm_model *model)
{
	struct naive *naive = calloc(1, sizeof *naive);

	assert(naive != NULL);
	naive->magic = NAIVE_MAGIC;
	naive->model = model;
	return (naive);
}

void
naive_free(struct naive **naivep)
{
	struct naive *naive = *naivep;

	assert(naive != NULL && naive->magic == NAIVE_MAGIC);
	*naivep = NULL;
	naive_regexes_free(naive);
	fm_arena_fini(&naive->arena);
	free(naive->result.ran);
	free(naive);
}

char *
naive_alloc(struct naive *naive, size_t bytes)
{
	char *p = fm_arena_alloc(&naive->arena, bytes + 1);

	assert(p != NULL);
	return (p);
}

struct fm_text
naive_one_line(struct naive *naive, struct fm_text t)
{
	char *p = naive_alloc(naive, t.len);
	size_t i, n = 0;

	for (i = 0; i < t.len; i++)
		if (t.b[i] != '\r' && t.b[i] != '\n' && t.b[i] != '\0')
			p[n++] = t.b[i];
	return (fm_text(p, n));
}

struct fm_text
naive_clean(struct naive *naive, struct fm_text t)
{

	return (fm_text_trim(naive_one_line(naive, t)));
}

/*--------------------------------------------------------------------
 * Hosts
 */

struct host_fit {
	enum fm_hosttab_how	how;
	struct fm_text		wild;
};

/*
 * Returns how a pattern fits a canonical host, and what its wildcard stands
 * for.
 */
static struct host_fit
host_fit(struct fm_text pattern, struct fm_text host)
{
	struct host_fit fit = { FM_HOSTTAB_NONE, { NULL, 0 } };
	char canon[TWIN_LEN];
	size_t len;

	if (!twin_canon_pattern(pattern, canon))
		return (fit);
	fit.how = twin_match(canon, host, &len);
	if (fit.how == FM_HOSTTAB_ANY)
		fit.wild = host;
	else if (fit.how == FM_HOSTTAB_SUFFIX)
		fit.wild = fm_text(host.b, host.len - len - 1);
	else if (fit.how == FM_HOSTTAB_PREFIX)
		fit.wild = fm_text(host.b + len + 1, host.len - len - 1);
	return (fit);
}

/* Finds the best pattern: exact, suffix, prefix, any; the longest of a kind. */
static const struct fm_host *
host_find(struct naive *naive)
{
	struct host_fit fit, best = { FM_HOSTTAB_NONE, { NULL, 0 } };
	const struct fm_host *found = NULL;
	size_t i;

	for (i = 0; i < naive->model->nhosts; i++) {
		fit = host_fit(naive->model->hosts[i].pattern,
		    naive->result.host);
		if (fit.how == FM_HOSTTAB_NONE ||
		    (best.how != FM_HOSTTAB_NONE && fit.how > best.how) ||
		    (fit.how == best.how && fit.wild.len >= best.wild.len))
			continue;
		best = fit;
		found = &naive->model->hosts[i];
	}
	naive->wild = best.wild;
	naive->result.how = best.how;
	naive->result.entry = found;
	return (found);
}

/* Returns the block of the host, and notes its name. */
static const struct fm_block *
site_find(struct naive *naive)
{
	const struct fm_model *model = naive->model;
	const struct fm_site *site = model->otherwise;
	const struct fm_host *host = NULL;

	if (naive->result.host.b != NULL)
		host = host_find(naive);
	if (host != NULL && host->site == NULL) {
		naive->result.site = host->ruleset;
		return (host->ruleset_def->block);
	}
	if (host != NULL)
		site = host->site;
	else if (site != NULL)
		naive->result.otherwise = true;
	if (site == NULL)
		return (NULL);
	naive->result.site = site->label;
	return (site->block != NULL ? site->block : site->ruleset->block);
}

/*--------------------------------------------------------------------
 * The run
 */

static void
lines_read(struct naive *naive, const struct fm_view *view)
{
	struct naive_line *line;
	struct fm_text text;
	const char *colon;
	unsigned i;

	naive->lines = (struct naive_line *)(void *)naive_alloc(naive,
	    (view->nfields + FM_LIMIT_HEADERS) * sizeof *naive->lines);
	naive->nlines = 0;
	for (i = 0; i < view->nfields; i++) {
		if (view->fields[i].b == NULL)
			continue;
		text = fm_text_span(view->fields[i].b, view->fields[i].e);
		colon = memchr(text.b, ':', text.len);
		if (colon == NULL)
			continue;
		line = &naive->lines[naive->nlines++];
		line->dropped = view->marks != NULL && view->marks[i] != 0;
		line->name = fm_text_span(text.b, colon);
		line->value = fm_text_trim(fm_text_span(colon + 1,
		    text.b + text.len));
	}
}

/*
 * Reads the canonical host; there is none if the URL names another than Host.
 */
static void
host_read(struct naive *naive)
{
	struct fm_text named = naive_authority(naive->view->url), canon, other;
	char raw[FM_HOSTNAME_MAX], raw_other[FM_HOSTNAME_MAX], *buf;

	if (fm_hostname_canon(naive_header(naive, fm_text_of("Host")), raw,
	    &canon) != FM_HOSTNAME_OK)
		return;
	if (named.b != NULL && (fm_hostname_canon(named, raw_other, &other) !=
	    FM_HOSTNAME_OK || !fm_text_eq(canon, other)))
		return;
	buf = naive_alloc(naive, canon.len);
	memcpy(buf, canon.b, canon.len);
	naive->result.host = fm_text(buf, canon.len);
}

/* Runs the blocks over the request. */
static void
run(struct naive *naive, const struct fm_view *view)
{
	struct naive_result *r = &naive->result;
	const struct naive_context context = { NULL };
	const struct fm_block *block;
	enum naive_step step = NAIVE_ON;

	lines_read(naive, view);
	naive_find_client(naive);
	r->url = view->url;
	host_read(naive);
	block = site_find(naive);
	if (naive->model->always != NULL)
		step = naive_block(naive, naive->model->always, &context);
	if (block != NULL && step != NAIVE_END)
		step = naive_block(naive, block, &context);
	if (naive->model->finally != NULL && step != NAIVE_END)
		(void)naive_block(naive, naive->model->finally, &context);
	if (r->verdict == FM_VERDICT_REFUSE) {
		r->url = view->url;
		r->text = fm_text(NULL, 0);
		r->backend = fm_text(NULL, 0);
		r->ignored = 0;
		r->log = 0;
		r->calls[0] = '\0';
		r->bans = 0;
		naive->nlines = 0;
		lines_read(naive, view);
	}
	r->lines = naive->lines;
	r->nlines = naive->nlines;
}

const struct naive_result *
naive_run(struct naive *naive, const struct fm_program *program,
    const struct fm_view *view)
{
	struct naive_result *r = &naive->result;
	struct fm_record record;
	struct fm_run traced;

	assert(naive->magic == NAIVE_MAGIC);
	fm_arena_fini(&naive->arena);
	memset(&naive->arena, 0, sizeof naive->arena);
	free(r->ran);
	naive->room = 0;
	memset(r, 0, sizeof *r);
	naive->view = view;
	naive->wild = fm_text(NULL, 0);
	naive->fragment = false;
	fm_record_init(&record);
	naive->is = fm_run(&traced, program, view, &record.trace);
	naive->told = naive->end = record.events;
	/* A run without events has no array. */
	if (record.nevents > 0)
		naive->end += record.nevents;
	run(naive, view);
	r->by_chance = agree_is_by_chance(naive->is);
	r->wrong = agree(program, view, r, naive->is);
	fm_run_end(&traced);
	fm_record_fini(&record);
	return (r);
}
