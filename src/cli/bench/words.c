/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Goes through a model and collects what its rules look at.
 */

#include <stdlib.h>

#include "bench.h"
#include "cli.h"

static void
bag_add(struct fm_bag *bag, enum fm_pattern_kind mode, struct fm_text text)
{
	struct fm_bench_word *word;

	if (text.len == 0)
		return;
	word = fm_cli_grow(&bag->v, bag->n, &bag->room, sizeof *word);
	word->mode = mode;
	word->text = text;
	bag->n++;
}

static void
bag_words(struct fm_bag *bag, enum fm_pattern_kind mode,
    const struct fm_words *words)
{
	const struct fm_word *w;

	for (w = words->first; w != NULL; w = w->next)
		bag_add(bag, mode, w->text);
}

static void
bag_list(struct fm_bag *bag, const struct fm_list_def *list)
{
	const struct fm_list_line *line;

	for (line = list->lines; line != NULL; line = line->next)
		bag_words(bag, line->mode, &line->operands);
}

/* The values of a header: of one that was met before, or a new one. */
static struct fm_bag *
header_bag(struct fm_vocabulary *v, struct fm_text name)
{
	struct fm_bench_header *header;
	size_t i;

	for (i = 0; i < v->nheaders; i++)
		if (fm_text_eq_nocase(v->headers[i].name, name))
			return (&v->headers[i].values);
	header = fm_cli_grow(&v->headers, v->nheaders, &v->headers_room,
	    sizeof *header);
	header->name = name;
	v->nheaders++;
	return (&header->values);
}

/* Where the operands of a test on this subject go; NULL: nowhere. */
static struct fm_bag *
subject_bag(struct fm_vocabulary *v, const struct fm_subject *subject)
{
	switch (subject->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
		return (&v->paths);
	case FM_SUBJECT_METHOD:
		return (&v->methods);
	case FM_SUBJECT_QUERY:
		bag_add(&v->params, FM_PATTERN_EXACT, subject->name);
		return (NULL);
	case FM_SUBJECT_COOKIE:
		bag_add(&v->cookies, FM_PATTERN_EXACT, subject->name);
		return (NULL);
	case FM_SUBJECT_HEADER:
		if (fm_text_eq_nocase(subject->name,
		    fm_text_of("User-Agent")))
			return (&v->agents);
		return (header_bag(v, subject->name));
	case FM_SUBJECT_CLIENT:
		return (&v->nets);
	case FM_SUBJECT_HOST:
		break;
	}
	return (NULL);
}

static void
add_cond(struct fm_vocabulary *v, const struct fm_cond *cond)
{
	struct fm_bag *bag;

	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		add_cond(v, cond->left);
		add_cond(v, cond->right);
		return;
	case FM_COND_NOT:
		add_cond(v, cond->left);
		return;
	case FM_COND_MODE:
	case FM_COND_IN:
	case FM_COND_NETS:
	case FM_COND_PRESENT:
		break;
	case FM_COND_NAMES:
		return;
	}
	bag = subject_bag(v, &cond->subject);
	if (bag == NULL)
		return;
	if (cond->kind == FM_COND_IN)
		bag_list(bag, cond->list_def);
	else if (cond->kind != FM_COND_PRESENT)
		bag_words(bag, cond->mode, &cond->operands);
}

static void
add_value(struct fm_vocabulary *v, const struct fm_value *value)
{
	const struct fm_map_line *line;
	const struct fm_match *match;
	struct fm_bag *bag;

	if (value == NULL || value->map == NULL)
		return;
	bag = subject_bag(v, &value->subject);
	if (bag == NULL)
		return;
	for (line = value->map_def->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			if (!match->negated)
				bag_words(bag, match->mode, &match->operands);
}

static void
add_params(struct fm_bag *names, const struct fm_stmt *s)
{
	if (s->params.list != NULL)
		bag_list(names, s->params.list_def);
	else
		bag_words(names, FM_PATTERN_GLOB, &s->params.names);
}

static void
add_unset(struct fm_vocabulary *v, const struct fm_stmt *s)
{
	const struct fm_word *w;

	for (w = s->unset.headers.first; w != NULL; w = w->next)
		if (memchr(w->text.b, '*', w->text.len) == NULL)
			(void)header_bag(v, w->text);
}

static void
add_block(struct fm_vocabulary *v, const struct fm_block *block)
{
	const struct fm_stmt *s;

	if (block == NULL)
		return;
	for (s = block->first; s != NULL; s = s->next)
		switch (s->kind) {
		case FM_STMT_QUERY:
			add_params(&v->params, s);
			break;
		case FM_STMT_COOKIE:
			add_params(&v->cookies, s);
			break;
		case FM_STMT_SET:
			add_value(v, s->set.value);
			break;
		case FM_STMT_UNSET:
			add_unset(v, s);
			break;
		case FM_STMT_NORMALIZE:
			(void)header_bag(v, s->normalize.header->text);
			add_value(v, s->normalize.otherwise);
			break;
		case FM_STMT_REWRITE:
			bag_add(&v->paths, FM_PATTERN_REGEX,
			    s->rewrite.regex->text);
			break;
		case FM_STMT_REDIRECT:
			add_value(v, s->redirect.to);
			break;
		case FM_STMT_WHEN:
			add_cond(v, s->when.cond);
			add_block(v, s->when.then);
			add_block(v, s->when.otherwise);
			break;
		case FM_STMT_BACKEND:
		case FM_STMT_PASS:
		case FM_STMT_PIPE:
		case FM_STMT_HASH:
		case FM_STMT_PURGE:
		case FM_STMT_SYNTH:
		case FM_STMT_ANSWER:
		case FM_STMT_STOP:
		case FM_STMT_BUILTIN:
		case FM_STMT_USE:
			break;
		}
}

void
fm_vocabulary_init(struct fm_vocabulary *v, const struct fm_model *model)
{
	const struct fm_ruleset_def *r;
	const struct fm_site *s;

	memset(v, 0, sizeof *v);
	add_block(v, model->always);
	add_block(v, model->finally);
	for (r = model->rulesets; r != NULL; r = r->next)
		add_block(v, r->block);
	for (s = model->sites; s != NULL; s = s->next)
		add_block(v, s->block);
}

void
fm_vocabulary_fini(struct fm_vocabulary *v)
{
	size_t i;

	for (i = 0; i < v->nheaders; i++)
		free(v->headers[i].values.v);
	free(v->headers);
	free(v->paths.v);
	free(v->agents.v);
	free(v->methods.v);
	free(v->params.v);
	free(v->cookies.v);
	free(v->nets.v);
	memset(v, 0, sizeof *v);
}
