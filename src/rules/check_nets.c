/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Networks: those of tests, of lists and maps of `in`, and of lists of `is`
 * that `client in` asks.
 */

#include <stdlib.h>

#include "check_priv.h"
#include "glob.h"

/* Makes room for so many; false: no memory. */
static bool
nets_room(struct fm_check *check, struct fm_nets *nets, size_t n)
{
	nets->n = 0;
	nets->items = fm_arena_alloc(&check->model->arena,
	    (n + 1) * sizeof *nets->items);
	if (nets->items == NULL)
		fm_check_memory(check);
	return (nets->items != NULL);
}

/* Adds networks, for which there is room; what is none is an error. */
static void
nets_add(struct fm_check *check, struct fm_nets *nets,
    const struct fm_words *words, const struct fm_value *value)
{
	const struct fm_word *word;
	const char *fault;
	struct fm_net *net;

	for (word = words->first; word != NULL; word = word->next) {
		net = &nets->items[nets->n];
		net->word = word;
		net->value = value;
		fault = fm_network_parse(word->text, &net->network);
		if (fault == NULL)
			nets->n++;
		else
			fm_check_error(check, &word->at, "'%.*s' %s",
			    FM_CHECK_QUOTE(word->text), fault);
	}
}

/* Orders what is inside of another one behind it, then by place. */
static int
net_compare(const void *va, const void *vb)
{
	const struct fm_net *a = va, *b = vb;
	int r = fm_network_compare(&a->network, &b->network);

	if (r != 0)
		return (r);
	return (a->word->at.line != b->word->at.line ?
	    (a->word->at.line > b->word->at.line) -
	    (a->word->at.line < b->word->at.line) :
	    (a->word->at.column > b->word->at.column) -
	    (a->word->at.column < b->word->at.column));
}

/*
 * Sorts networks, and tells of those that decide nothing, for they are in
 * another one, or there twice.  Of a map (mode: NULL) the nearest decides.
 */
static void
nets_end(struct fm_check *check, struct fm_nets *nets, const char *mode)
{
	const struct fm_net *net, *by = nets->items;
	char where[FM_PLACE_LEN];

	qsort(nets->items, nets->n, sizeof *nets->items, net_compare);
	for (net = by + 1; net < nets->items + nets->n; net++) {
		if (mode == NULL ? fm_network_compare(&by->network,
		    &net->network) != 0 :
		    !fm_network_inside(&net->network, &by->network)) {
			by = net;
			continue;
		}
		fm_place_print(&by->word->at, where);
		if (mode == NULL &&
		    !fm_text_eq(by->value->raw, net->value->raw))
			fm_check_error(check, &net->word->at,
			    FM_MSG_NETWORK_VALUES,
			    FM_CHECK_QUOTE(net->word->text), where);
		else if (mode == NULL || fm_text_eq_nocase(by->word->text,
		    net->word->text))
			fm_diag_warning(check->diag, &net->word->at,
			    FM_MSG_WARN_TWICE, FM_CHECK_QUOTE(net->word->text),
			    where);
		else
			fm_diag_warning(check->diag, &net->word->at,
			    FM_MSG_WARN_COVERED, mode,
			    FM_CHECK_QUOTE(net->word->text), mode,
			    FM_CHECK_QUOTE(by->word->text), where);
	}
}

void
fm_check_networks(struct fm_check *check, const struct fm_words *words,
    struct fm_nets *nets)
{
	if (!nets_room(check, nets, words->count))
		return;
	nets_add(check, nets, words, NULL);
	nets_end(check, nets, "in");
}

bool
fm_check_meant_network(struct fm_check *check, struct fm_word *word)
{
	struct fm_words words = { .first = word, .count = 1 };
	struct fm_text t = word->text;
	struct fm_nets nets;

	if (fm_check_table_find(&check->lists, t, 0) != NULL || t.len == 0 ||
	    t.b[0] == '/' || (memchr(t.b, '/', t.len) == NULL &&
	    memchr(t.b, ':', t.len) == NULL &&
	    (t.b[0] < '0' || t.b[0] > '9')))
		return (false);
	fm_check_networks(check, &words, &nets);
	return (true);
}

void
fm_check_map_networks(struct fm_check *check, struct fm_map_def *map)
{
	const struct fm_map_line *line;
	struct fm_nets *nets = &map->nets;
	size_t n = 0;

	for (line = map->lines; line != NULL; line = line->next)
		n += line->matches->operands.count;
	if (!nets_room(check, nets, n))
		return;
	for (line = map->lines; line != NULL; line = line->next)
		if (line->value != NULL)
			nets_add(check, nets, &line->matches->operands,
			    line->value);
	nets_end(check, nets, NULL);
}

/*--------------------------------------------------------------------
 * Lists
 */

void
fm_check_client_list(struct fm_check *check, const struct fm_list_def *list,
    const struct fm_word *use)
{
	struct fm_check_uses *uses = &check->list_uses[list->number];

	if (uses->networks == NULL)
		uses->networks = use;
}

/* Returns false, and says why, if a list of `is` is none of networks. */
static bool
list_is_networks(struct fm_check *check, const struct fm_list_def *list,
    const struct fm_word *use)
{
	const struct fm_list_line *line;
	const struct fm_word *word;
	struct fm_network network;
	char where[FM_PLACE_LEN];
	struct fm_text shown;

	for (line = list->lines; line != NULL; line = line->next) {
		if (line->mode != FM_PATTERN_EXACT) {
			fm_check_error(check, &use->at, FM_MSG_LIST_NETWORKS,
			    FM_CHECK_QUOTE(list->name->text),
			    fm_place_print(&line->at, where),
			    fm_mode_word(line->mode));
			return (false);
		}
		for (word = line->operands.first; word != NULL;
		    word = word->next) {
			if (fm_network_parse(word->text, &network) == NULL)
				continue;
			shown = fm_diag_shown(check->diag, &word->at,
			    word->text);
			fm_check_error(check, &use->at, FM_MSG_LIST_NETWORK,
			    FM_CHECK_QUOTE(list->name->text),
			    FM_CHECK_QUOTE(shown),
			    fm_place_print(&word->at, where));
			return (false);
		}
	}
	return (true);
}

void
fm_check_list_networks(struct fm_check *check, struct fm_list_def *list,
    const struct fm_word *use)
{
	const struct fm_list_line *line;
	size_t n = 0;

	if (!list->in && !list_is_networks(check, list, use))
		return;
	for (line = list->lines; line != NULL; line = line->next)
		n += line->operands.count;
	if (!nets_room(check, &list->nets, n))
		return;
	for (line = list->lines; line != NULL; line = line->next)
		nets_add(check, &list->nets, &line->operands, NULL);
	nets_end(check, &list->nets, list->in ? "in" : "is");
}

void
fm_check_nets_subject(struct fm_check *check, const struct fm_subject *subject)
{
	switch (subject->kind) {
	case FM_SUBJECT_HEADER:
		if (fm_text_eq_nocase(subject->name,
		    fm_text_of("X-Forwarded-For")))
			fm_diag_warning(check->diag, &subject->at,
			    FM_MSG_WARN_FORWARDED);
		if (!subject->agent)
			return;
		break;
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_METHOD:
		break;
	default:
		return;
	}
	fm_diag_warning(check->diag, &subject->at, FM_MSG_WARN_NO_ADDRESS);
}

/*--------------------------------------------------------------------
 * The client behind a proxy
 */

static void
trust_all(struct fm_check *check, const struct fm_words *words)
{
	const struct fm_word *word;
	struct fm_network network;

	for (word = words->first; word != NULL; word = word->next)
		if (fm_network_parse(word->text, &network) == NULL &&
		    network.bits <= 1)
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_TRUST_ALL, FM_CHECK_QUOTE(word->text));
}

void
fm_check_trust(struct fm_check *check)
{
	static const char * const others[] = { "Forwarded", "Via", "Host",
	    "Cookie", "User-Agent", NULL };
	struct fm_trust *trust = check->model->trust;
	const struct fm_list_line *line;

	if (trust == NULL)
		return;
	fm_check_header(check, FM_CHECK_HEADER_READ, trust->header->text,
	    &trust->header->at);
	if (fm_text_is_one_of(trust->header->text, others))
		fm_diag_warning(check->diag, &trust->header->at,
		    FM_MSG_WARN_TRUST_FORM,
		    FM_CHECK_QUOTE(trust->header->text));
	fm_check_networks(check, &trust->networks, &trust->nets);
	trust_all(check, &trust->networks);
	if (trust->list == NULL || fm_check_meant_network(check, trust->list))
		return;
	trust->list_def = fm_check_list(check, trust->list);
	if (trust->list_def == NULL)
		return;
	fm_check_client_list(check, trust->list_def, trust->list);
	for (line = trust->list_def->lines; line != NULL; line = line->next)
		trust_all(check, &line->operands);
}

void
fm_check_trusted(struct fm_check *check, const char *what,
    const struct fm_word *header)
{
	const struct fm_trust *trust = check->model->trust;
	char where[FM_PLACE_LEN];

	if (trust == NULL || !fm_glob_match(header->text,
	    trust->header->text, true))
		return;
	fm_diag_warning(check->diag, &header->at, FM_MSG_WARN_TRUST_EDIT,
	    FM_CHECK_QUOTE(header->text), what,
	    fm_place_print(&trust->at, where));
}
