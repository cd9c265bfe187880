/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What lists, maps and items become.
 */

#include "addrs.h"
#include "grow.h"
#include "parse_priv.h"

/*--------------------------------------------------------------------
 * Lists and maps
 */

void
fm_lines_add(struct fm_parse *parse, struct fm_lines_made *lines,
    struct fm_mode_made mode, const struct fm_words *operands,
    const struct fm_place *at)
{
	struct fm_list_line *line;

	line = fm_parse_alloc(parse, sizeof *line);
	line->in = mode.in;
	line->mode = mode.kind;
	line->operands = *operands;
	fm_operands_warn(parse, operands);
	line->at = *at;
	if (lines->first == NULL)
		lines->first = line;
	else {
		if (lines->first->in != line->in)
			fm_diag_error(parse->diag, at, FM_MSG_LIST_MIXED);
		lines->last->next = line;
	}
	lines->last = line;
	lines->operands += operands->count;
}

void
fm_matches_add(struct fm_parse *parse, struct fm_matches_made *matches,
    bool negated, struct fm_mode_made mode, const struct fm_words *operands,
    const struct fm_place *at)
{
	struct fm_match *match;

	match = fm_parse_alloc(parse, sizeof *match);
	match->negated = negated;
	match->in = mode.in;
	match->mode = mode.kind;
	match->operands = *operands;
	fm_operands_warn(parse, operands);
	match->at = *at;
	if (matches->first == NULL)
		matches->first = match;
	else
		matches->last->next = match;
	matches->last = match;
	matches->operands += operands->count;
}

void
fm_map_add(struct fm_parse *parse, struct fm_map_made *map,
    const struct fm_matches_made *matches, struct fm_value *value,
    const struct fm_place *at)
{
	const struct fm_match *match = matches->first;
	struct fm_map_line *line;

	for (; match != NULL; match = match->next)
		if (match->in && (match->negated || match != matches->first ||
		    match->next != NULL))
			fm_diag_error(parse->diag, &match->at,
			    FM_MSG_MAP_NETWORKS);
	line = fm_parse_alloc(parse, sizeof *line);
	line->matches = matches->first;
	line->value = value;
	line->at = *at;
	if (map->first == NULL)
		map->first = line;
	else {
		if (map->first->matches->in != line->matches->in)
			fm_diag_error(parse->diag, at, FM_MSG_MAP_MIXED);
		map->last->next = line;
	}
	map->last = line;
	map->operands += matches->operands;
}

/* Here is the default; or, without a value, a line behind it. */
void
fm_map_default(struct fm_reader *reader, struct fm_map_made *map,
    struct fm_value *value, const struct fm_span *span)
{
	struct fm_place at = fm_reader_place(reader, span);

	if (map->otherwise != NULL) {
		if (!map->misplaced || value != NULL)
			fm_diag_error(reader->parse->diag, &at,
			    FM_MSG_DEFAULT_LAST, map->otherwise_at.line);
		map->misplaced = true;
	} else if (value != NULL) {
		map->otherwise = value;
		map->otherwise_at = at;
	}
}

static void
operands_limit(const struct fm_reader *reader, const struct fm_word *name,
    size_t operands)
{

	if (operands > FM_LIMIT_OPERANDS && !reader->too_much)
		fm_diag_error(reader->parse->diag, &name->at,
		    FM_MSG_OPERANDS, FM_LIMIT_OPERANDS);
}

void
fm_add_list(struct fm_reader *reader, struct fm_word *name, bool nocase,
    const struct fm_lines_made *lines)
{
	struct fm_parse *parse = reader->parse;
	struct fm_list_def *list;

	operands_limit(reader, name, lines->operands);
	list = fm_parse_alloc(parse, sizeof *list);
	list->name = name;
	list->nocase = nocase;
	list->lines = lines->first;
	list->in = lines->first != NULL && lines->first->in;
	list->number = parse->model->nlists++;
	*parse->lists_tail = list;
	parse->lists_tail = &list->next;
}

void
fm_add_map(struct fm_reader *reader, struct fm_word *name, bool nocase,
    const struct fm_map_made *made)
{
	struct fm_parse *parse = reader->parse;
	struct fm_map_def *map;

	operands_limit(reader, name, made->operands);
	map = fm_parse_alloc(parse, sizeof *map);
	map->name = name;
	map->nocase = nocase;
	map->lines = made->first;
	map->in = made->in || (made->first != NULL &&
	    made->first->matches->in);
	map->otherwise = made->otherwise;
	map->number = parse->model->nmaps++;
	*parse->maps_tail = map;
	parse->maps_tail = &map->next;
}

/*
 * One that could not be read: it is known, and nobody is told that it isn't
 * used.
 */
void
fm_add_broken_list(struct fm_reader *reader, struct fm_word *name)
{
	struct fm_lines_made none = { .operands = 0 };
	struct fm_list_def **tail = reader->parse->lists_tail;

	fm_add_list(reader, name, false, &none);
	(*tail)->used = true;
}

void
fm_add_broken_map(struct fm_reader *reader, struct fm_word *name)
{
	struct fm_map_made none = { .operands = 0 };
	struct fm_map_def **tail = reader->parse->maps_tail;

	fm_add_map(reader, name, false, &none);
	(*tail)->used = true;
}

/*--------------------------------------------------------------------
 * Blocks
 */

void
fm_add_broken_ruleset(struct fm_reader *reader, struct fm_word *name)
{
	struct fm_ruleset_def **tail = reader->parse->rulesets_tail;
	struct fm_block *block;

	block = fm_parse_alloc(reader->parse, sizeof *block);
	fm_add_ruleset(reader, name, block);
	(*tail)->used = true;
}

void
fm_add_ruleset(struct fm_reader *reader, struct fm_word *name,
    struct fm_block *block)
{
	struct fm_parse *parse = reader->parse;
	struct fm_ruleset_def *ruleset;

	ruleset = fm_parse_alloc(parse, sizeof *ruleset);
	ruleset->name = name;
	ruleset->block = block;
	ruleset->number = parse->model->nrulesets++;
	*parse->rulesets_tail = ruleset;
	parse->rulesets_tail = &ruleset->next;
}

/* Of what there may be one only. */
static void
item_twice(struct fm_reader *reader, const struct fm_span *span,
    const char *what, const struct fm_place *first)
{
	struct fm_place at = fm_reader_place(reader, span);
	char where[FM_PLACE_LEN];

	fm_diag_error(reader->parse->diag, &at, FM_MSG_TWICE, what,
	    fm_place_print(first, where));
}

void
fm_add_always(struct fm_reader *reader, struct fm_block *block,
    const struct fm_span *span)
{
	struct fm_parse *parse = reader->parse;

	if (parse->model->always != NULL) {
		item_twice(reader, span, "always", &parse->always_at);
		return;
	}
	parse->model->always = block;
	parse->always_at = fm_reader_place(reader, span);
}

void
fm_add_finally(struct fm_reader *reader, struct fm_block *block,
    const struct fm_span *span)
{
	struct fm_parse *parse = reader->parse;

	if (parse->model->finally != NULL) {
		item_twice(reader, span, "finally", &parse->finally_at);
		return;
	}
	parse->model->finally = block;
	parse->finally_at = fm_reader_place(reader, span);
}

struct fm_host *
fm_add_host(struct fm_parse *parse, const struct fm_place *at)
{
	struct fm_model *model = parse->model;
	struct fm_host *hosts;

	if (model->nhosts == FM_LIMIT_HOSTS) {
		if (!parse->too_many_hosts)
			fm_diag_error(parse->diag, at, FM_MSG_HOSTS,
			    FM_LIMIT_HOSTS);
		parse->too_many_hosts = true;
		return (NULL);
	}
	hosts = fm_grow_room(model->hosts, &model->room, model->nhosts, 1,
	    sizeof *hosts);
	if (hosts == NULL) {
		fm_parse_nomem(parse);
		return (NULL);
	}
	model->hosts = hosts;
	hosts += model->nhosts++;
	memset(hosts, 0, sizeof *hosts);
	hosts->at = *at;
	return (hosts);
}

static void
site_hosts(struct fm_parse *parse, struct fm_site *site,
    const struct fm_words *patterns)
{
	const struct fm_word *word;
	struct fm_host *host;

	for (word = patterns->first; word != NULL && !parse->nomem;
	    word = word->next) {
		host = fm_add_host(parse, &word->at);
		if (host == NULL)
			return;
		host->pattern = word->text;
		host->site = site;
	}
}

void
fm_add_site(struct fm_reader *reader, const struct fm_span *span,
    const struct fm_words *patterns, struct fm_block *block,
    struct fm_word *use)
{
	struct fm_parse *parse = reader->parse;
	struct fm_model *model = parse->model;
	struct fm_site *site;

	site = fm_parse_alloc(parse, sizeof *site);
	site->at = fm_reader_place(reader, span);
	site->block = block;
	site->use = use;
	site->number = model->nsites++;
	*parse->sites_tail = site;
	parse->sites_tail = &site->next;
	if (use != NULL)
		site->label = use->text;
	else if (patterns != NULL)
		site->label = patterns->first->text;
	else
		site->label = fm_text_of("default");
	if (patterns != NULL)
		site_hosts(parse, site, patterns);
	else if (model->otherwise != NULL)
		item_twice(reader, span, "default", &model->otherwise->at);
	else
		model->otherwise = site;
}

void
fm_add_trust(struct fm_reader *reader, const struct fm_span *span,
    struct fm_word *header, const struct fm_words *networks)
{
	struct fm_parse *parse = reader->parse;
	struct fm_trust *trust = parse->model->trust;

	if (trust != NULL) {
		item_twice(reader, span, "client from", &trust->at);
		return;
	}
	trust = fm_parse_alloc(parse, sizeof *trust);
	trust->header = header;
	trust->at = fm_reader_place(reader, span);
	if (networks->count == 1 &&
	    !fm_network_is_like(networks->first->text))
		trust->list = networks->first;
	else
		trust->networks = *networks;
	parse->model->trust = trust;
}

void
fm_add_repeated(struct fm_reader *reader, const struct fm_span *span)
{
	struct fm_model *model = reader->parse->model;
	struct fm_place at = fm_reader_place(reader, span);

	if (model->repeated != NULL)
		item_twice(reader, span, "repeated", &model->repeated->at);
	else
		model->repeated = fm_make_word(reader->parse,
		    fm_text_of("repeated"), &at, false);
}

void
fm_add_undecided(struct fm_reader *reader, const struct fm_span *span,
    struct fm_word *status, struct fm_word *reason)
{
	struct fm_parse *parse = reader->parse;
	struct fm_model *model = parse->model;
	struct fm_place at = fm_reader_place(reader, span);

	if (model->undecided != NULL) {
		item_twice(reader, span, "undecided", &model->undecided->at);
		return;
	}
	model->undecided = fm_make_word(parse, fm_text_of("undecided"), &at,
	    false);
	model->undecided_mode = status != NULL ? FM_UNDECIDED_SYNTH :
	    FM_UNDECIDED_IGNORE;
	model->undecided_status = status;
	model->undecided_reason = reason;
}
