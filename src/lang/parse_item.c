/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses items: lists, maps, rulesets and hosts; and those that a file has only
 * once, such as `always`.  Each item_*() reads what is after the first word of
 * an item, and adds the item to the model.
 */

#include "addrs.h"
#include "grow.h"
#include "parse_priv.h"

static bool
read_line_mode(struct fm_reader *reader, struct fm_match *match)
{

	match->in = fm_accept(reader, T_IN);
	return (match->in || fm_read_mode(reader, &match->mode) ||
	    fm_unexpected(reader));
}

/*
 * Reads the `}` of a list or map, and reports anything before it.  A `{` there
 * is most likely that of the next block.
 */
static void
block_close(struct fm_reader *reader, const struct fm_token *open)
{

	if (reader->token.kind != T_OPEN && !fm_at(reader, T_CLOSE))
		(void)fm_unexpected(reader);
	while (reader->token.kind != T_CLOSE && reader->token.kind != T_OPEN &&
	    reader->token.kind != T_END)
		fm_next(reader);
	reader->blocks--;
	if (fm_accept(reader, T_CLOSE))
		return;
	if (reader->token.kind == T_END) {
		fm_block_unclosed(reader, open);
		return;
	}
	if (!reader->muted)
		fm_diag_error(reader->diag, &reader->token.at,
		    FM_MSG_LIST_BRACE, open->at.line);
	fm_skip_block(reader);
	reader->doubt = true;
}

/* Reads the block of a list or map, whose `{` was the last token. */
static void
read_lines(struct fm_reader *reader,
    bool (*read_line)(struct fm_reader *, struct fm_list_made *),
    struct fm_list_made *made)
{
	struct fm_token open = reader->before;

	reader->blocks++;
	while (!fm_at(reader, T_CLOSE) && reader->token.kind != T_OPEN &&
	    reader->token.kind != T_END) {
		reader->begun = reader->token.start;
		reader->muted = reader->token.bad;
		if (read_line(reader, made))
			fm_read_semi(reader);
		else
			(void)fm_skip(reader);
	}
	block_close(reader, &open);
}

/* Reads `from FILE;`. */
static bool
read_from(struct fm_reader *reader, struct fm_words *operands,
    struct fm_list_made *map)
{
	struct fm_word *path;

	if (!fm_need(reader, T_FROM) ||
	    !fm_read_word(reader, T_STRING, &path))
		return (false);
	fm_read_semi(reader);
	fm_read_from(reader, path, operands, map);
	return (true);
}

void
fm_line_add(struct fm_reader *reader, struct fm_list_made *made,
    struct fm_match *matches, struct fm_value *value)
{
	const struct fm_match *match;
	struct fm_line *line;

	for (match = matches; match != NULL; match = match->next)
		if (match->in && (match->negated || matches->next != NULL))
			fm_diag_error(reader->diag, &match->at,
			    FM_MSG_MAP_NETWORKS);
	if (made->list->lines == NULL)
		made->list->in = matches->in;
	else if (made->list->in != matches->in)
		fm_diag_error(reader->diag, &matches->at, FM_MSG_MIXED);
	line = fm_parse_alloc(reader->parse, sizeof *line);
	line->matches = matches;
	line->value = value;
	*made->tail = line;
	made->tail = &line->next;
}

/*
 * Reads a line of a list; or what is there instead of lines, `MODE { ... }` or
 * `MODE from FILE;`.
 */
static bool
list_line(struct fm_reader *reader, struct fm_list_made *made)
{
	struct fm_match *match;
	struct fm_token open;

	match = fm_parse_alloc(reader->parse, sizeof *match);
	match->at = reader->token.at;
	if (!read_line_mode(reader, match))
		return (false);
	if (reader->blocks == 0)
		made->list->nocase |= fm_accept(reader, T_NOCASE);
	open = reader->token;
	if (reader->blocks > 0) {
		if (!fm_read_words(reader, T_WORD, &match->operands))
			return (false);
	} else if (fm_accept(reader, T_OPEN)) {
		reader->blocks++;
		if (reader->token.kind != T_CLOSE &&
		    reader->token.kind != T_OPEN)
			(void)fm_read_words(reader, T_WORD, &match->operands);
		block_close(reader, &open);
	} else if (!read_from(reader, &match->operands, NULL)) {
		return (false);
	}
	fm_line_add(reader, made, match, NULL);
	return (true);
}

/* Reads what is before the arrow, and the arrow. */
static bool
read_matches(struct fm_reader *reader, struct fm_match **tail)
{
	struct fm_match *match;

	do {
		match = fm_parse_alloc(reader->parse, sizeof *match);
		match->at = reader->token.at;
		match->negated = fm_accept(reader, T_NOT);
		if (!read_line_mode(reader, match) ||
		    !fm_read_words(reader, T_WORD, &match->operands))
			return (false);
		*tail = match;
		tail = &match->next;
	} while (fm_accept(reader, T_AND));
	return (fm_need(reader, T_ARROW));
}

static bool
map_line(struct fm_reader *reader, struct fm_list_made *made)
{
	struct fm_place at = reader->token.at;
	bool last = fm_accept(reader, T_DEFAULT);
	struct fm_match *matches = NULL;
	struct fm_value *value;

	if ((!last && !read_matches(reader, &matches)) ||
	    !fm_read_value(reader, &value))
		return (false);
	if (made->default_line != 0 && (last || !made->misplaced)) {
		fm_diag_error(reader->diag, &at, FM_MSG_DEFAULT_LAST,
		    made->default_line);
		made->misplaced = true;
	}
	if (!last) {
		fm_line_add(reader, made, matches, value);
	} else if (made->default_line == 0) {
		made->list->otherwise = value;
		made->default_line = at.line;
	}
	return (true);
}

/* Reads `shipped NAME;`, after `from`. */
static bool
read_shipped(struct fm_reader *reader, struct fm_list_made *made, bool map)
{
	struct fm_word *name;

	if (reader->token.kind == T_STRING) {
		fm_diag_error(reader->diag, &reader->token.at,
		    FM_MSG_FROM_MODE);
		return (false);
	}
	if (!fm_need(reader, T_SHIPPED) ||
	    !fm_read_word(reader, T_STRING, &name))
		return (false);
	fm_read_semi(reader);
	fm_read_shipped(reader, name, made, map);
	return (true);
}

/* Reads a list or a map. */
static bool
item_list(struct fm_reader *reader)
{
	struct fm_parse *parse = reader->parse;
	struct fm_model *model = parse->model;
	bool map = reader->item == T_MAP;
	struct fm_list_def *list = fm_parse_alloc(parse, sizeof *list);
	struct fm_list_def ***tail = map ? &parse->maps_tail :
	    &parse->lists_tail;
	struct fm_list_made made = { .list = list, .tail = &list->lines };

	if (!fm_read_word(reader, T_WORD, &list->name))
		return (false);
	list->number = model->nlists + model->nmaps;
	++*(map ? &model->nmaps : &model->nlists);
	**tail = list;
	*tail = &list->next;
	list->nocase = fm_accept(reader, T_NOCASE);
	/* A list that can't be read gets no "never used". */
	if (fm_accept(reader, T_OPEN))
		read_lines(reader, map ? map_line : list_line, &made);
	else if (fm_accept(reader, T_FROM))
		list->used = !read_shipped(reader, &made, map);
	else if (map)
		list->used = !read_line_mode(reader, &made.like) ||
		    !read_from(reader, NULL, &made);
	else
		list->used = !list_line(reader, &made);
	/* The file of a map may have no lines, or can't be read. */
	list->in = list->in || made.like.in;
	return (!list->used);
}

/*--------------------------------------------------------------------
 * Items
 */

static bool
item_ruleset(struct fm_reader *reader)
{
	struct fm_parse *parse = reader->parse;
	struct fm_ruleset_def *ruleset;

	ruleset = fm_parse_alloc(parse, sizeof *ruleset);
	if (!fm_read_word(reader, T_WORD, &ruleset->name))
		return (false);
	ruleset->number = parse->model->nrulesets++;
	*parse->rulesets_tail = ruleset;
	parse->rulesets_tail = &ruleset->next;
	if (fm_read_block(reader, &ruleset->block))
		return (true);
	ruleset->used = true;
	ruleset->block = fm_parse_alloc(parse, sizeof *ruleset->block);
	return (false);
}

/* Returns true for the first item of a kind, and reports a second one. */
static bool
is_first(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_place *first = &reader->parse->first[reader->item];
	char where[FM_PLACE_LEN];

	if (first->name == NULL) {
		*first = *at;
		return (true);
	}
	fm_diag_error(reader->diag, at, FM_MSG_TWICE,
	    reader->item == T_CLIENT ? "client from" :
	    fm_token_names[reader->item], fm_place_print(first, where));
	return (false);
}

/* Reads the block of `always` or `finally`. */
static bool
item_block(struct fm_reader *reader, const struct fm_place *at,
    struct fm_block **blockp)
{
	struct fm_block *block;

	if (!fm_read_block(reader, &block))
		return (false);
	if (is_first(reader, at))
		*blockp = block;
	return (true);
}

struct fm_host *
fm_add_host(struct fm_parse *parse, const struct fm_place *at)
{
	struct fm_model *model = parse->model;
	struct fm_host *host;

	if (model->nhosts == FM_LIMIT_HOSTS) {
		fm_parse_limit(parse, at, FM_MSG_HOSTS, FM_LIMIT_HOSTS);
		return (NULL);
	}
	host = fm_grow_room(model->hosts, &model->room, model->nhosts, 1,
	    sizeof *host);
	if (host == NULL)
		fm_parse_nomem(parse);
	model->hosts = host;
	host += model->nhosts++;
	*host = (struct fm_host){ .at = *at };
	return (host);
}

/* Reads a `host`, or `default`, which has no patterns. */
static bool
item_site(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_parse *parse = reader->parse;
	struct fm_words patterns = { .count = 0 };
	const struct fm_word *word;
	struct fm_host *host;
	struct fm_site *site;

	site = fm_parse_alloc(parse, sizeof *site);
	site->at = *at;
	site->label = fm_text_of("default");
	if (reader->item == T_HOST) {
		if (!fm_read_words(reader, T_WORD, &patterns))
			return (false);
		site->label = patterns.first->text;
	}
	if (fm_accept(reader, T_USE)) {
		if (!fm_read_word(reader, T_WORD, &site->use))
			return (false);
		site->label = site->use->text;
		fm_read_semi(reader);
	} else if (!fm_read_block(reader, &site->block)) {
		return (false);
	}
	site->number = parse->model->nsites++;
	*parse->sites_tail = site;
	parse->sites_tail = &site->next;
	if (reader->item == T_DEFAULT && is_first(reader, at))
		parse->model->otherwise = site;
	for (word = patterns.first; word != NULL; word = word->next) {
		host = fm_add_host(parse, &word->at);
		if (host == NULL)
			break;
		host->pattern = word->text;
		host->site = site;
	}
	return (true);
}

/* Reads `HEADER trust NETWORKS;` or `HEADER trust LIST;`. */
static bool
read_trust(struct fm_reader *reader, const struct fm_place *at,
    struct fm_trust *trust)
{
	trust->at = *at;
	if (!fm_read_word(reader, T_NAME, &trust->header) ||
	    !fm_need(reader, T_TRUST) ||
	    !fm_read_words(reader, T_WORD, &trust->networks))
		return (false);
	fm_read_semi(reader);
	if (trust->networks.count == 1 &&
	    !fm_network_is_like(trust->networks.first->text)) {
		trust->list = trust->networks.first;
		trust->networks = (struct fm_words){ .count = 0 };
	}
	return (true);
}

static bool
item_trust(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_trust *trust;

	trust = fm_parse_alloc(reader->parse, sizeof *trust);
	if (!fm_need(reader, T_FROM) || !read_trust(reader, at, trust))
		return (false);
	if (is_first(reader, at))
		reader->parse->model->trust = trust;
	return (true);
}

/* Reads `scheme from tls;`, `... proxy;` or `... HEADER trust NETWORKS;`. */
static bool
item_scheme(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_scheme *scheme, **last = &reader->parse->model->schemes;

	scheme = fm_parse_alloc(reader->parse, sizeof *scheme);
	scheme->at = *at;
	if (!fm_need(reader, T_FROM))
		return (false);
	scheme->from = fm_accept(reader, T_TLS) ? FM_SCHEME_FROM_TLS :
	    fm_accept(reader, T_PROXY) ? FM_SCHEME_FROM_PROXY :
	    FM_SCHEME_FROM_HEADER;
	if (scheme->from != FM_SCHEME_FROM_HEADER)
		fm_read_semi(reader);
	else if (!read_trust(reader, at, &scheme->trust))
		return (false);
	while (*last != NULL)
		last = &(*last)->next;
	*last = scheme;
	return (true);
}

static bool
item_undecided(struct fm_reader *reader, const struct fm_place *at)
{
	struct fm_model *model = reader->parse->model;
	struct fm_word *status = NULL, *reason = NULL;
	struct fm_value *value = NULL;

	if (fm_accept(reader, T_SYNTH)) {
		if (!fm_read_word(reader, T_WORD, &status))
			return (false);
		fm_read_reason(reader, &reason, &value);
	} else if (!fm_need(reader, T_IGNORE)) {
		return (false);
	}
	fm_read_semi(reader);
	if (!is_first(reader, at))
		return (true);
	model->undecided = fm_make_word(reader->parse,
	    fm_text_of("undecided"), at, false);
	model->undecided_mode = status != NULL ? FM_UNDECIDED_SYNTH :
	    FM_UNDECIDED_IGNORE;
	model->undecided_status = status;
	model->undecided_reason = reason;
	return (true);
}

static bool
read_item(struct fm_reader *reader)
{
	struct fm_model *model = reader->parse->model;
	struct fm_place at = reader->token.at;
	struct fm_word *path;
	bool shipped;

	if (!fm_token_starts_item(reader->item))
		return (fm_need(reader, T_ITEM));
	fm_next(reader);
	switch (reader->item) {
	case T_INCLUDE:
		shipped = fm_accept(reader, T_SHIPPED);
		if (!fm_read_word(reader, T_STRING, &path))
			return (false);
		fm_read_semi(reader);
		(shipped ? fm_include_shipped : fm_read_include)(reader, path);
		return (true);
	case T_LIST:
	case T_MAP:
		return (item_list(reader));
	case T_UNDECIDED:
		return (item_undecided(reader, &at));
	case T_REPEATED:
		if (!fm_need(reader, T_FIRST))
			return (false);
		fm_read_semi(reader);
		if (is_first(reader, &at))
			model->repeated = fm_make_word(reader->parse,
			    fm_text_of("repeated"), &at, false);
		return (true);
	case T_CLIENT:
		return (item_trust(reader, &at));
	case T_SCHEME:
		return (item_scheme(reader, &at));
	case T_HOSTS:
		return (read_from(reader, NULL, NULL));
	case T_RULESET:
		return (item_ruleset(reader));
	case T_ALWAYS:
		return (item_block(reader, &at, &model->always));
	case T_FINALLY:
		return (item_block(reader, &at, &model->finally));
	default:
		return (item_site(reader, &at));
	}
}

/*
 * Notes where an item begins.  A statement outside of all blocks is reported
 * once: most likely the block around it ended too early, by a stray `}`.
 */
static void
begin_item(struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;

	reader->item = reader->stmt = kind;
	reader->begun = reader->token.start;
	reader->operands = 0;
	fm_parse_forget(reader->parse);
	reader->muted = reader->token.bad;
	if (fm_token_starts_item(kind)) {
		reader->doubt = reader->unclosed;
	} else if (fm_token_starts_stmt(kind) || kind == T_ELSE ||
	    kind == T_CLOSE) {
		reader->muted = reader->muted || reader->doubt;
		reader->doubt = true;
	}
	reader->unclosed = false;
}

void
fm_read_items(struct fm_reader *reader)
{
	struct fm_block *block;

	while (reader->token.kind != T_END) {
		begin_item(reader);
		if (reader->token.kind == T_CLOSE) {
			if (!reader->muted)
				fm_diag_error(reader->diag,
				    &reader->token.at, FM_MSG_STRAY_CLOSE);
			fm_next(reader);
		} else if (!read_item(reader)) {
			/* Statements after a mistake are looked at. */
			if (!fm_skip(reader))
				continue;
			if (reader->item >= T_RULESET &&
			    reader->item <= T_HOST)
				(void)fm_read_block(reader, &block);
			else
				fm_skip_block(reader);
		}
	}
}
